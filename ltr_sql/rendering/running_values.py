"""The value of a measure down to each rank, for `ltr.explain`."""

from collections.abc import Iterator

from ltr_sql.catalogue.row_sources import RowSource
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.sql_text import closing, found_in


def running_value(expression: str, row_source: RowSource, key: str) -> str:
    """Return the expression of a measure over rows that are grouped by query and rank: its value down to each rank.

    Each aggregate becomes a window over the groups. Those that read ranks grow from rank to rank, because a document
    without a rank adds nothing to them. The others keep their value for the query.

    This function reads SQL, so that the bodies in `sql/measures/` can say sum(...) as SQL does. If they called a macro
    instead, the case expression in most sums would have to be a string or a block of the template language.
    """
    text, end = "", 0
    for name, start, after in _aggregates(expression):
        aggregate = expression[start:after]
        grows = any(found_in(aggregate, rf"\bd\.{row_source.by_rank['reads']}\b", DUCKDB))
        order = f" order by d.{row_source.by_rank['rank']} asc nulls last" if grows else ""
        text += f"{expression[end:start]}{name}({aggregate}) over (partition by {key}{order})"
        end = after
    return text + expression[end:]


def _aggregates(expression: str) -> Iterator[tuple[str, int, int]]:
    """Yield the name of each aggregate that is not inside another one, where it starts and where it ends."""
    at = 0
    while found := next(found_in(expression, r"\b(?:sum|max)\s*\(", DUCKDB, at), None):
        at = closing(expression, found.end(), DUCKDB) + 1
        yield found["wanted"].rstrip("( "), found.start(), at
