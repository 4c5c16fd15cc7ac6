"""Render the distribution of measures over queries as SQL."""

from collections.abc import Sequence

from ltr_sql.sqltext.columns import NamedColumns
from ltr_sql.sqltext.comparisons import values_of_table
from ltr_sql.sqltext.dialects import DUCKDB
from ltr_sql.sqltext.templates import macros_of, render_template
from ltr_sql.sqltext.vocabulary import vocabulary

_NO_WEIGHTS = "select cast(null as varchar) as name, 1e0 as weight where false"


def distribution_query(relation: str, measures: Sequence[str], keys: Sequence[str], weights: str = "") -> str:
    """Return the query of the distribution of a table of values with one row per query.

    `weights` is a query with the columns name (a query_id as text) and weight; empty for equal weights.
    """
    values = values_of_table(relation, measures, compared="query_id", strata=keys)
    return distribution_text(
        weights,
        relation=values.relation,
        stratum=values.stratum,
        strata_output=values.strata_output,
        names=values.names,
        numbers=values.numbers,
    )


def distribution_text(weights: str, **fragments: str) -> str:
    """Return the query of a distribution, from its fragments: relation, stratum, strata_output, names and numbers."""
    names = dict(vocabulary(NamedColumns((), DUCKDB), DUCKDB))
    checked = macros_of("shared/weights.sql", names)["checked_weights"](weights, "query") if weights else _NO_WEIGHTS
    return render_template("entry_points/distribution.sql", weights=checked, weighted=bool(weights), **fragments)
