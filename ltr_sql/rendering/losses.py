"""Render the queries with the largest losses, and the documents that cost them: `ltr.worst`."""

from collections.abc import Sequence

from ltr_sql.rendering.comparisons import values_of_table
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.lists import list_functions
from ltr_sql.rendering.templates import render_template
from ltr_sql.rendering.weights import WEIGHT

_UNKNOWN = ": pass one of the systems"
_IDS_NEEDED = "with a baseline, every document needs a doc_id: select it under that name"


def worst_query(
    relation: str, keys: Sequence[str], n: int, *, baseline: str | None, compared: str, weighted: bool
) -> str:
    """Return the query of the queries with the largest losses.

    - `relation`: SQL of the rows of losses.sql, with the column `weights.WEIGHT` if they are `weighted`.
    - `keys`: the grouping columns, with `compared`, the column of the systems, if there is a `baseline`.
    - `n`: number of queries for each combination of the keys.
    """
    values = values_of_table(relation, [], compared=compared, strata=keys)
    others = values_of_table(relation, [], compared=compared, strata=[key for key in keys if key != compared])
    return worst_text(
        with_baseline=baseline is not None,
        relation=relation,
        stratum=values.stratum,
        others=others.stratum,
        system=values.system,
        strata_output=values.strata_output,
        baseline="null" if baseline is None else string(baseline),
        weight=f"v.{WEIGHT}" if weighted else "1e0",
        weight_output="r.weight, " if weighted else "",
        n=str(n),
    )


def worst_text(*, with_baseline: bool, **fragments: str) -> str:
    """Return the query of `worst_query` from its fragments."""
    return render_template(
        "rendering/worst.sql",
        **list_functions(DUCKDB),
        with_baseline=with_baseline,
        unknown_baseline=f"error('the rankings lack the baseline ' || {fragments['baseline']} || '{_UNKNOWN}')",
        without_ids=f"error({string(_IDS_NEEDED)})",
        **fragments,
    )
