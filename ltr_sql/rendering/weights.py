"""Render the weights of queries as SQL."""

from collections.abc import Sequence

from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.templates import macros_of, render_template
from ltr_sql.rendering.vocabulary import vocabulary

# The column that holds the weight of a row.
WEIGHT = "__ltr_weight"


def weighted_rows(relation: str, weights: str, keyed: str) -> str:
    """Return the query of the rows of a table of values with the weights of their queries, in the column `WEIGHT`.

    - `relation`, `weights`: SQL of relations, as it follows `from`.
    - `keyed`: SQL of a lambda that selects query_id and the keys of the table; see `keyed_columns`.
    """
    return _rendered("weighted_rows", relation, weights, keyed)


def unknown_weights(relation: str, weights: str, keyed: str) -> str:
    """Return the query of the weights of queries that a table of values lacks: their number, and the first query_id."""
    return _rendered("unknown_weights", relation, weights, keyed)


def keyed_columns(keys: Sequence[str]) -> str:
    """Return SQL of a lambda that selects the columns query_id and `keys`."""
    listed = ", ".join(string(name.lower()) for name in ("query_id", *keys))
    return f"lambda c: list_contains([{listed}], lower(c))"


def _rendered(template: str, relation: str, weights: str, keyed: str) -> str:
    names = dict(vocabulary(NamedColumns((), DUCKDB), DUCKDB))
    names |= macros_of("shared/weights.sql", names)
    return render_template(
        f"rendering/{template}.sql", **{**names, "relation": relation, "weights": weights, "keyed": keyed}
    )
