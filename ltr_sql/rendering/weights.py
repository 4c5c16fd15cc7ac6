"""Render the weights of queries as SQL."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.templates import macros_of, render_template
from ltr_sql.rendering.vocabulary import vocabulary

# The column that holds the weight of a row.
WEIGHT = "__ltr_weight"

# Placeholders around the parts of a query with and without weights, each with its text in a call without weights and in
# a call with weights. The part that a call does not need becomes a comment.
_WEIGHTED = {"{weighted}": ("/* ", ""), "{end_weighted}": (" */", "")}
_UNWEIGHTED = {"{unweighted}": ("", "/* "), "{end_unweighted}": ("", " */")}
WEIGHT_PLACEHOLDERS = _WEIGHTED | _UNWEIGHTED


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


def parts_with_weights(weighted: bool | None) -> dict[str, Callable[..., str]]:
    """Return the functions `if_weighted` and `if_unweighted`, by which templates mark parts of a query.

    - `weighted`: true if queries have weights. None if this is known only at call time: the query then has both parts,
      between `WEIGHT_PLACEHOLDERS`.
    """
    return {
        "if_weighted": partial(_part, weighted, _WEIGHTED),
        "if_unweighted": partial(_part, None if weighted is None else not weighted, _UNWEIGHTED),
    }


def _part(
    kept: bool | None, placeholders: Iterable[str], text: str = "", *, caller: Callable[[], str] | None = None
) -> str:
    """Return a part of a query, or '' if it is not `kept`. `caller` returns the content of a call block of Jinja."""
    part = caller() if caller else text
    if kept is not None:
        return part if kept else ""
    # A name of the caller, which a placeholder stands for, could end the comment.
    if "{" in part or "*/" in part:
        raise ValueError(f"this part of a query cannot become a comment: {part}")
    start, end = placeholders
    return f"{start}{part}{end}"


def _rendered(template: str, relation: str, weights: str, keyed: str) -> str:
    names = dict(vocabulary(NamedColumns((), DUCKDB), DUCKDB))
    names |= macros_of("shared/weights.sql", names)
    return render_template(
        f"rendering/{template}.sql", **{**names, "relation": relation, "weights": weights, "keyed": keyed}
    )
