"""Split a query into its common table expressions, for engines that compute one again for each use."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ltr_sql.rendering.dialects import Dialect

# Strings, quoted identifiers, comments and parentheses.
_TOKEN = re.compile(r"'(?:[^'\\]|\\.|'')*'|`[^`]*`|/\*.*?\*/|[()]", re.DOTALL)
_START = re.compile(r"\s*,?\s*(\w+)\s+as\s+(/\*.*?\*/\s*)?\(")


@dataclass(frozen=True)
class Cte:
    """A common table expression. `stored`: true if the engine should compute it once."""

    name: str
    body: str
    stored: bool


def split_query(query: str, dialect: Dialect) -> tuple[list[Cte], str]:
    """Return the common table expressions of a query, and its final select."""
    text = query.strip()
    if not text.startswith("with "):
        return [], text
    found, at = [], len("with")
    while start := _START.match(text, at):
        end = _closing(text, start.end())
        stored = bool(start[2]) and start[2].strip() == dialect.stored.strip()
        found.append(Cte(start[1], text[start.end() : end].strip(), stored))
        at = end + 1
    return found, text[at:].strip()


def _closing(text: str, start: int) -> int:
    """Return the position of the parenthesis that closes the one before `start`."""
    depth = 1
    for token in _TOKEN.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if not depth:
            return token.start()
    raise ValueError("a parenthesis is not closed")


def joined_query(ctes: Sequence[Cte], final: str) -> str:
    """Return a query with its final select, and with the expressions that the select reads directly or indirectly."""
    read, needed = final, []
    for cte in reversed(ctes):
        if re.search(rf"\b{cte.name}\b", read):
            needed.append(f"{cte.name} as (\n{cte.body}\n)")
            read += cte.body
    return f"with {', '.join(reversed(needed))}\n{final}" if needed else final
