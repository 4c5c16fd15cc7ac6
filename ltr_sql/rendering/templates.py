"""Render the templates in `sql/`, with the words that they know."""

import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Mapping
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
from ltr_sql.rendering.dialects import Dialect


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
