"""Split a query into its common table expressions, for engines that compute one again for each use.

The templates write a query as SQL does, and not as a list of expressions, so that they read as SQL. This module relies
on what every query has: names, parentheses, commas, and the comment `Dialect.stored` before a parenthesis.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ltr_sql.rendering.dialects import Dialect
from ltr_sql.rendering.sql_text import closing


@dataclass(frozen=True)
class Cte:
    """A common table expression. `stored`: true if the engine should compute it once."""

    name: str
    body: str
    stored: bool


def split_query(query: str, dialect: Dialect) -> tuple[list[Cte], str]:
    """Return the common table expressions of a query, and its final select.

    Raises ValueError for a list of expressions that are not written NAME as (...).
    """
    text = query.strip()
    if not text.startswith("with "):
        return [], text
    start_of_cte = re.compile(rf"\s*(\w+) as ({re.escape(dialect.stored)})?\(")
    found, rest = [], text.removeprefix("with")
    while True:
        start = start_of_cte.match(rest)
        if start is None:
            raise ValueError(f"not a common table expression: {rest[:80]}")
        end = closing(rest, start.end(), dialect)
        found.append(Cte(start[1], rest[start.end() : end].strip(), stored=start[2] is not None))
        rest = rest[end + 1 :].lstrip()
        if not rest.startswith(","):
            return found, rest.rstrip()
        rest = rest.removeprefix(",")


def joined_query(ctes: Sequence[Cte], final: str) -> str:
    """Return a query with its final select, and with the expressions that the select reads directly or indirectly."""
    read, needed = final, []
    for cte in reversed(ctes):
        if re.search(rf"\b{cte.name}\b", read):
            needed.append(f"{cte.name} as (\n{cte.body}\n)")
            read += cte.body
    return f"with {', '.join(reversed(needed))}\n{final}" if needed else final
