"""Read and change the text of queries.

`avg(x)` becomes `system.main.avg(x)`. Templates and modules write plain names: `qualified` reads the rendered SQL.

Names that DuckDB 1.5 cannot qualify stay as they are: window functions such as row_number. So do operators and
brackets, which DuckDB looks up as functions, too: `+`, `||`, `[a, b]` (list_value), `s['a']` (array_extract).

Templates and modules write DuckDB's names. `translated` reads the rendered SQL, so a new template needs nothing for
the engines that have a dialect.

The templates write a query as SQL does, and not as a list of expressions, so that they read as SQL. This module relies
on what every query has: names, parentheses, commas, and the comment `Dialect.stored` before a parenthesis.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from ltr_sql.rendering.dialects import DUCKDB, Dialect


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


SCHEMA = "system.main."
# The functions that the package calls. A test names those that are missing.
_NAMES = """
    abs alias any_value array_agg array_contains array_position array_to_string avg bit_count bit_or bit_xor
    bool_and bool_or ceil chr concat concat_ws contains cos count covar_samp current_database current_setting
    damerau_levenshtein decode duckdb_databases duckdb_functions duckdb_schemas duckdb_tables duckdb_views epoch
    error exp flatten floor greatest hash histogram isfinite isinf isnan jaro_winkler_similarity least left len length
    lgamma list list_aggregate list_append list_avg list_concat list_contains list_distinct list_extract list_filter
    list_has_all list_has_any list_position list_reduce list_slice list_sort list_transform list_unique list_value
    list_zip
    ln log10 log2 lower ltrim make_date map_entries map_from_entries map_keys map_values max md5 md5_number_lower median
    min nextafter nfc_normalize nullif parquet_kv_metadata parquet_schema power printf quantile_cont query query_table
    range read_csv read_json read_json_auto read_parquet regexp_extract regexp_full_match regexp_matches regexp_replace
    replace right round rtrim sha256 sign sqrt starts_with stddev_pop stddev_samp string_agg string_split
    string_split_regex strlen struct_concat struct_keys struct_pack substr substring sum trim trunc try_strptime
    txid_current typeof var_samp xor
"""
FUNCTIONS = frozenset(_NAMES.split())
_CALL = r"(?<![\w.])[a-z]\w*(?=\()"
# In the prose of a message, a function has no arguments, or is an example.
_CALL_IN_TEXT = re.compile(r"(?<![\w.])(?<!as in )(?<!such as )[a-z]\w*(?=\((?!\)))")
# A string of a macro that is not its description.
_TEXT = re.compile(
    r"""comment on macro [^']*'(?:[^']|'')*'|"[^"]*"|/\*.*?\*/|--[^\n]*|(?P<text>'(?:[^']|'')*')""", re.DOTALL
)


def qualified(query: str) -> str:
    """Return a query of DuckDB with qualified calls of built-in functions. Strings, names and comments stay."""
    return replaced(query, _CALL, _with_schema, DUCKDB)


def qualified_with_texts(macro: str) -> str:
    """Return the statements of a macro with qualified calls, also in strings, from which the macro writes queries."""
    return _TEXT.sub(_with_schema_in_text, qualified(macro))


def _with_schema(found: re.Match[str]) -> str:
    return SCHEMA + found[0] if found[0] in FUNCTIONS else found[0]


def _with_schema_in_text(found: re.Match[str]) -> str:
    return _CALL_IN_TEXT.sub(_with_schema, found[0]) if found["text"] else found[0]


def translated(query: str, dialect: Dialect) -> str:
    """Return a query with the types, functions and doubles of a dialect. Strings, names and comments stay."""
    if dialect.types:
        query = replaced(query, rf"(?<=\bas )(?:{'|'.join(dialect.types)})\b", lambda t: dialect.types[t[0]], dialect)
    if dialect.doubles:
        query = replaced(query, r"(?<![\w.])\d+(?:\.\d+)?e[+-]?\d+\b", lambda n: dialect.doubles.format(n[0]), dialect)
    return _with_functions(query, dialect) if dialect.functions else query


def _with_functions(query: str, dialect: Dialect) -> str:
    calls = rf"(?<![\w.])(?:{'|'.join(dialect.functions)})\("
    text, end = "", 0
    while call := next(found_in(query, calls, dialect, end), None):
        after = closing(query, call.end(), dialect)
        arguments = [_with_functions(argument, dialect) for argument in _arguments(query[call.end() : after], dialect)]
        text += query[end : call.start()] + dialect.functions[call[0][:-1]].format(*arguments)
        end = after + 1
    return text + query[end:]


def _arguments(text: str, dialect: Dialect) -> Iterator[str]:
    """Yield the arguments of a call, given the text between its parentheses. A cast has a value and a type."""
    start = depth = 0
    for mark in found_in(text, r"[(),\[\]]|\bas\b", dialect):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(mark[0], 0)
        if mark[0] in (",", "as") and not depth:
            yield text[start : mark.start()].strip()
            start = mark.end()
    yield text[start:].strip()


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
