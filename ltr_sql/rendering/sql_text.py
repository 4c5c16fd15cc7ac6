"""Search SQL text outside its strings, quoted names and comments, in which parentheses and words mean nothing."""

import re
from collections.abc import Callable, Iterator
from functools import cache

from ltr_sql.rendering.dialects import Dialect


def found_in(text: str, pattern: str, dialect: Dialect, start: int = 0) -> Iterator[re.Match[str]]:
    """Yield the matches of a regular expression outside strings, quoted names and comments.

    `start` is a position outside them as well.
    """
    for found in _pattern(pattern, dialect).finditer(text, start):
        if found["wanted"] is not None:
            yield found


def replaced(text: str, pattern: str, by: Callable[[re.Match[str]], str], dialect: Dialect) -> str:
    """Replace the matches of a regular expression outside strings, quoted names and comments."""
    return _pattern(pattern, dialect).sub(lambda found: found[0] if found["wanted"] is None else by(found), text)


def closing(text: str, start: int, dialect: Dialect) -> int:
    """Return the position of the parenthesis that closes the one before `start`."""
    depth = 1
    for found in found_in(text, "[()]", dialect, start):
        depth += 1 if found["wanted"] == "(" else -1
        if not depth:
            return found.start()
    raise ValueError(f"a parenthesis is not closed: {text[:start]}")


@cache
def _pattern(wanted: str, dialect: Dialect) -> re.Pattern[str]:
    # Double quotes are around names in DuckDB, and around strings in Spark.
    quotes = {"'": dialect.escapes, '"': dialect.escapes, dialect.quote_mark: False}
    quoted = "|".join(_quoted(mark, escapes) for mark, escapes in quotes.items())
    return re.compile(rf"{quoted}|/\*.*?\*/|--[^\n]*|(?P<wanted>{wanted})", re.DOTALL)


def _quoted(mark: str, escapes: bool) -> str:
    """Return the pattern of a text between quotes, which may hold doubled quotes and with `escapes` backslashes."""
    inner = rf"[^{mark}\\]|\\." if escapes else f"[^{mark}]"
    return f"{mark}(?:{inner}|{mark}{mark})*{mark}"
