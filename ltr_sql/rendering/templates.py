"""Load, compile and render the Jinja templates of `sql/`."""

import os
import re
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any, TypeAlias

import jinja2
import jinja2.bccache
import jinja2.meta

from ltr_sql.catalogue.files import COMPILED, PACKAGE_FOLDER, SQL_FOLDER, TEMPLATES, header_and_body
from ltr_sql.catalogue.parameters import Value


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
    created.tests["call_time"] = lambda value: isinstance(value, CallTime)
    return created
