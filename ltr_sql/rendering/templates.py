"""Render the templates in `sql/`, with the words that they know.

`avg(x)` becomes `system.main.avg(x)`. Templates and modules write plain names: `qualified` reads the rendered SQL.

Names that DuckDB 1.5 cannot qualify stay as they are: window functions such as row_number. So do operators and
brackets, which DuckDB looks up as functions, too: `+`, `||`, `[a, b]` (list_value), `s['a']` (array_extract).

Templates and modules write DuckDB's names. `translated` reads the rendered SQL, so a new template needs nothing for
the engines that have a dialect.

The templates write a query as SQL does, and not as a list of expressions, so that they read as SQL. This module relies
on what every query has: names, parentheses, commas, and the comment `Dialect.stored` before a parenthesis.
"""

import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any, TypeAlias

import jinja2
import jinja2.bccache
import jinja2.meta

from ltr_sql.catalogue.files import COMPILED, PACKAGE_FOLDER, SQL_FOLDER, TEMPLATES, header_and_body, read_template
from ltr_sql.catalogue.functions import procedures
from ltr_sql.catalogue.measures import Definition, all_definitions, definitions
from ltr_sql.catalogue.parameters import Value
from ltr_sql.rendering.columns import Columns
from ltr_sql.rendering.dialects import DUCKDB, Dialect


@dataclass(frozen=True)
class CallTime:
    """The SQL of a value that is known only when the query runs.

    - `suffix`: represents it in names of window columns.
    - `order`: for a tie-breaking rule, a placeholder of the sort order, which is known when the query is generated.
    """

    text: str
    suffix: str = ""
    order: str = ""

    def __str__(self) -> str:
        return self.text


SqlValue: TypeAlias = Value | CallTime

# A line break before a line that is not empty.
_LINE_BREAK = re.compile(r"\n(?=[^\n])")


def sql_value(value: SqlValue) -> str:
    """Return a value as SQL. Floats are written as doubles, because 0.5 is a decimal in SQL."""
    if value is None:
        return "null"
    if isinstance(value, float):
        text = repr(value)
        return text if "e" in text else f"{text}e0"
    return str(value)


def suffix_of(value: SqlValue) -> str:
    """Return a value as part of the name of a window column or block."""
    if isinstance(value, CallTime):
        return value.suffix
    return "_" + re.sub(r"\W", "_", "all" if value is None else str(value))


def ascending(terms: str) -> str:
    """Return the terms of an order, all ascending: without a direction, the setting default_order of DuckDB decides."""
    return f"{terms.replace(',', ' asc,')} asc"


def indented(text: str, width: int) -> str:
    """Return a text whose lines after the first are indented.

    Unlike Jinja's filter, it breaks lines at \\n only, because names and ids may have other line separators.
    """
    return _LINE_BREAK.sub("\n" + " " * width, text)


def render_template(template: str, /, **context: Any) -> str:
    """Render a file of `sql/templates/`."""
    return environment().get_template(template).render(context)


@cache
def template_of(text: str) -> jinja2.Template:
    """Compile a text, such as the body of a measure."""
    name = sha256(text.encode()).hexdigest()
    _INLINE[name] = text
    return environment().get_template(name)


@cache
def variables_of(text: str) -> frozenset[str]:
    """Return the names that a template reads from its context."""
    return frozenset(jinja2.meta.find_undeclared_variables(environment().parse(text)))


def macros_of(path: str, vocabulary: Mapping[str, Any]) -> dict[str, Any]:
    """Return the macros of a template file by name. They may call the names in `vocabulary`."""
    module = environment().get_template(path).make_module(dict(vocabulary))
    # Sort them, because Jinja does not keep their order.
    return {name: macro for name, macro in sorted(vars(module).items()) if not name.startswith("_")}


# Inline templates, keyed by hash so that each compiles once.
_INLINE: dict[str, str] = {}


class _CompiledTemplates(jinja2.FileSystemBytecodeCache):
    """Compiled templates: those of the package, and a cache in `__pycache__`, unless Python writes no bytecode."""

    def __init__(self) -> None:
        super().__init__(str(PACKAGE_FOLDER / "__pycache__"), f"%s.{sys.implementation.cache_tag}.jinja2")

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Return the key of a template, which is the same in every folder of an installation."""
        return super().get_cache_key(name)

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        """Load a compiled template, unless other users could have written it."""
        module = _module_of(bucket)
        with suppress(OSError):
            bucket.code = SourceFileLoader(module, str(COMPILED / f"{module}.py")).get_code(module)
            return
        path = Path(self.directory) / (self.pattern % bucket.key)
        with suppress(OSError):
            if not path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        """Store a compiled template. In a read-only folder it is compiled again next time."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)


def _module_of(bucket: jinja2.bccache.Bucket) -> str:
    """Return the name of the module of a template, which differs for another text or version of Jinja."""
    return f"t{sha256(f'{bucket.key} {bucket.checksum} {jinja2.__version__}'.encode()).hexdigest()[:20]}"


def write_compiled(folder: Path) -> None:
    """Write a module for each file of `sql/`, and for each other text that this process has rendered.

    Jinja needs longer to compile the templates of a call than the call takes. Modules suit every version of Python,
    and Python stores their bytecode.
    """
    for path in SQL_FOLDER.rglob("*.sql"):
        if TEMPLATES not in path.parents and path.parent != SQL_FOLDER:
            template_of(header_and_body(path)[1])
    created = environment()
    assert created.loader is not None
    for name in created.list_templates():
        text, _, _ = created.loader.get_source(created, name)
        bucket = _CompiledTemplates().get_bucket(created, name, None, text)
        compiled = created.compile(text, name, name, raw=True)
        (folder / f"{_module_of(bucket)}.py").write_text(compiled, encoding="utf-8")


def _after_fork() -> None:
    """Replace the cache of a forked process, whose lock another thread may have held."""
    if environment.cache_info().currsize:
        environment().cache = jinja2.environment.create_cache(400)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@cache
def environment() -> jinja2.Environment:
    """Return the environment of all templates."""
    created = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.DictLoader(_INLINE), jinja2.FileSystemLoader(TEMPLATES)]),
        bytecode_cache=_CompiledTemplates(),
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: sql_value(value) if isinstance(value, float) else value,
        trim_blocks=False,
        keep_trailing_newline=False,
    )
    created.filters["ascending"] = ascending
    created.filters["indent"] = indented
    created.filters["rendered"] = _rendered
    created.globals["procedures"] = procedures
    created.tests["call_time"] = lambda value: isinstance(value, CallTime)
    return created


@jinja2.pass_context
def _rendered(context: jinja2.runtime.Context, text: str) -> str:
    """Render a text, such as the body of a method, with the names of the template that reads it."""
    return template_of(text).render(context.get_all())


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


# A secret of the process. Without it, an input could contain ranks that were chosen to have the expected checksum.
_SECRET = secrets.randbits(64)
# Files of `sql/templates/shared/` whose macros every template may call. A file may call those of the files before it.
FILES = (
    "choices",
    "gains",
    "expressions",
    "ties",
    "validation",
    "lists",
    "windows",
    "inversions",
    "documents",
    "sampling",
    "counts",
    "findings",
    "groups",
    "results",
    "clicks",
    "judging",
    "off_policy",
)
# Files whose macros are also helper macros of DuckDB.
HELPER_FILES = ("gains", "validation")


@lru_cache(maxsize=100)
def vocabulary(columns: Columns, dialect: Dialect) -> Mapping[str, Any]:
    """Return the names that templates may use: methods of `columns`, the dialect, and the shared macros."""
    names: dict[str, Any] = {name: getattr(columns, name) for name in dir(columns) if not name.startswith("_")}
    names |= {
        "inline": dialect.inline,
        "text_type": dialect.text_type,
        "bytewise": dialect.bytewise.format,
        "checkable_rank": dialect.checkable_rank.format,
        "id_order": dialect.id_order.format,
        "first_found": dialect.first_found,
        "hash_of": dialect.hash.format,
        "quoted": dialect.identifier,
        "error": dialect.error,
        "error_of": dialect.error_of,
        "smallest_of_largest": lambda value, k: (dialect.smallest_of_largest or "").format(value=value, k=k),
        "sum_by_place": dialect.sum_by_place and dialect.sum_by_place.format,
        "without_nan": lambda value: dialect.without_nan.format(value=value),
        "larger_before": dialect.larger_before and dialect.larger_before.format,
        "elements": lambda value: dialect.elements.format(value=value),
        "numbers": lambda last: dialect.numbers.format(last=last),
        "broadcast": lambda relation: dialect.broadcast.format(relation=relation),
        "cut_first": dialect.cut_first,
        "materialized": dialect.materialized,
        "sorted_values": dialect.sorted_values and partial(_sorted_values, dialect.sorted_values),
        "sorted_elements": dialect.lists.get("sorted_elements", "").format,
        "sum_of": dialect.lists.get("sum_of", "").format,
        "secret": _SECRET,
    }
    for file in FILES:
        macros = macros_of(f"shared/{file}.sql", names)
        names |= columns.helpers(file, macros) if file in HELPER_FILES else macros
    return names


def _sorted_values(template: str, value: str, where: str = "") -> str:
    return template.format(value=value, where=where)


@lru_cache(maxsize=10_000)
def expression(
    columns: Columns, dialect: Dialect, macro: str, values: tuple[tuple[str, type, SqlValue], ...], part: str
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the body of a measure as an SQL expression, and the names and SQL of the window columns that it reads.

    - `part`: 'body', or 'weight' for the weight that the measure gives a query.
    - `values`: name, type and value of each parameter. The type is part of the cache key, because 1 and 1.0 are equal
      in Python but written differently in SQL.
    """
    bodies = _Bodies(vocabulary(columns, dialect))
    template = getattr(all_definitions()[macro], part)
    text = bodies.expression(template, {name: value for name, _, value in values})
    # The name of a column may contain a placeholder, as in __ltr_relevant_so_far{_rel}.
    read = set(re.findall(r"\bd\.([\w{}]+)", text))
    return text, tuple((name, window) for name, window in bodies.windows.items() if name in read)


class _Bodies:
    """Render bodies of measures as expressions over a row source, and collect the window columns that they read."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.windows: dict[str, str] = {}
        self._names = dict(names)
        for name in _window_names():
            self._names[name] = self._window_column(name, names[name])
        self._names |= {definition.macro: partial(self._measure, definition) for definition in definitions().values()}

    def expression(self, template: str, values: Mapping[str, SqlValue]) -> str:
        """Return the body of a measure, a template, with these values of its parameters."""
        return template_of(template).render(self._names, **values)

    def _measure(self, definition: Definition, *values: SqlValue) -> str:
        # The measure that calls it decides on queries without relevant documents.
        names = [parameter.name for parameter in definition.parameters if parameter.name != "empty"]
        return f"({self.expression(definition.body, {**dict(zip(names, values, strict=True)), 'empty': '0'})})"

    def _window_column(self, name: str, window: Callable[..., str]) -> Callable[..., str]:
        # Positional arguments become part of the column's name, keyword arguments do not.
        def window_column(*values: SqlValue, **texts: str) -> str:
            column = f"__ltr_{name}{''.join(map(suffix_of, values))}"
            self.windows[column] = window(*values, **texts)
            return f"d.{column}"

        return window_column


@cache
def _window_names() -> list[str]:
    """Return the names of the macros of `sql/templates/shared/windows.sql`."""
    return re.findall(r"{% macro (\w+)", read_template("shared/windows.sql"))


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
