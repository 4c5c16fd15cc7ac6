"""The value of a measure down to each rank, for `ltr.explain`."""

import re
from collections.abc import Iterator

from ltr_sql.catalogue.row_sources import RowSource

# SQL in which parentheses and names mean nothing: strings, quoted identifiers and comments.
_OPAQUE = r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|/\*.*?\*/|--[^\n]*"""
_TOKEN = re.compile(rf"{_OPAQUE}|(?P<open>(?:\b(?P<aggregate>sum|max)\s*)?\()|(?P<close>\))", re.DOTALL)


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
        grows = re.search(rf"\bd\.{row_source.by_rank['reads']}\b", _without_opaque(aggregate))
        order = f" order by d.{row_source.by_rank['rank']} asc nulls last" if grows else ""
        text += f"{expression[end:start]}{name}({aggregate}) over (partition by {key}{order})"
        end = after
    return text + expression[end:]


def _aggregates(expression: str) -> Iterator[tuple[str, int, int]]:
    """Yield the name of each aggregate that is not inside another one, and where it starts and ends."""
    depth = 0
    outer: tuple[str, int, int] | None = None
    for token in _TOKEN.finditer(expression):
        if token["aggregate"] and outer is None:
            outer = (token["aggregate"], token.start(), depth)
        depth += bool(token["open"]) - bool(token["close"])
        if token["close"] and outer is not None and depth == outer[2]:
            yield outer[0], outer[1], token.end()
            outer = None
    if depth:
        raise ValueError(f"the parentheses do not match: {expression}")


def _without_opaque(sql: str) -> str:
    return re.sub(_OPAQUE, " ", sql, flags=re.DOTALL)
