"""Write rendered SQL in the words of an engine: its types, its functions and its literals of doubles.

Templates and modules write DuckDB's names. `translated` reads the rendered SQL, so a new template needs nothing for
the engines that have a dialect.
"""

from collections.abc import Iterator

from ltr_sql.rendering.dialects import Dialect
from ltr_sql.rendering.sql_text import closing, found_in, replaced


def translated(query: str, dialect: Dialect) -> str:
    """Return a query with the types, functions and doubles of a dialect. Strings, names and comments stay."""
    if dialect.types:
        query = replaced(query, rf"(?<=\bas )(?:{'|'.join(dialect.types)})\b", lambda t: dialect.types[t[0]], dialect)
    if dialect.doubles:
        query = replaced(query, r"(?<![\w.])\d+(?:\.\d+)?e[+-]?\d+\b", lambda n: dialect.doubles.format(n[0]), dialect)
    return _with_functions(query, dialect) if dialect.functions else query


def _with_functions(query: str, dialect: Dialect) -> str:
    text, end = "", 0
    while call := next(found_in(query, _calls(dialect), dialect, end), None):
        after = closing(query, call.end(), dialect)
        arguments = [_with_functions(argument, dialect) for argument in _arguments(query[call.end() : after], dialect)]
        text += query[end : call.start()] + dialect.functions[call[0][:-1]].format(*arguments)
        end = after + 1
    return text + query[end:]


def _calls(dialect: Dialect) -> str:
    return rf"(?<![\w.])(?:{'|'.join(dialect.functions)})\("


def _arguments(text: str, dialect: Dialect) -> Iterator[str]:
    """Yield the arguments of a call, given the text between its parentheses. A cast has a value and a type."""
    start = depth = 0
    for mark in found_in(text, r"[(),\[\]]|\bas\b", dialect):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(mark[0], 0)
        if mark[0] in (",", "as") and not depth:
            yield text[start : mark.start()].strip()
            start = mark.end()
    yield text[start:].strip()
