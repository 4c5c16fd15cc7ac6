"""The vocabulary of the templates, and the bodies of measures as SQL expressions."""

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

from ltr_sql.catalogue.files import read_template
from ltr_sql.catalogue.measures import Definition, all_definitions, definitions
from ltr_sql.rendering.columns import Columns
from ltr_sql.rendering.dialects import Dialect
from ltr_sql.rendering.templates import SqlValue, macros_of, suffix_of, template_of

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
        "without_nan": lambda value: dialect.without_nan.format(value=value),
        "larger_before": dialect.larger_before and dialect.larger_before.format,
        "elements": lambda value: dialect.elements.format(value=value),
        "numbers": lambda last: dialect.numbers.format(last=last),
        "broadcast": lambda relation: dialect.broadcast.format(relation=relation),
        "cut_first": dialect.cut_first,
        "sorted_elements": dialect.lists.get("sorted_elements", "").format,
        "sum_of": dialect.lists.get("sum_of", "").format,
        "secret": _SECRET,
    }
    for file in FILES:
        macros = macros_of(f"shared/{file}.sql", names)
        names |= columns.helpers(file, macros) if file in HELPER_FILES else macros
    return names


@dataclass(frozen=True)
class Window:
    """A window column that bodies of measures read.

    - `name`: its name in the row source.
    - `macro`, `arguments`: the macro of `sql/templates/shared/windows.sql` that defines it, and the arguments.
    - `text`: its SQL.
    """

    name: str
    macro: str
    arguments: tuple[SqlValue, ...]
    text: str


@lru_cache(maxsize=10_000)
def expression(
    columns: Columns, dialect: Dialect, macro: str, values: tuple[tuple[str, type, SqlValue], ...], part: str
) -> tuple[str, tuple[Window, ...]]:
    """Return the body of a measure as an SQL expression, and the window columns that it reads.

    - `part`: 'body', or 'weight' for the weight that the measure gives a query.
    - `values`: name, type and value of each parameter. The type is part of the cache key, because 1 and 1.0 are equal
      in Python but written differently in SQL.
    """
    bodies = _Bodies(vocabulary(columns, dialect))
    template = getattr(all_definitions()[macro], part)
    text = bodies.expression(template, {name: value for name, _, value in values})
    # The name of a column may contain a placeholder, as in __ltr_relevant_so_far{_rel}.
    read = set(re.findall(r"\bd\.([\w{}]+)", text))
    return text, tuple(window for name, window in bodies.windows.items() if name in read)


class _Bodies:
    """Render bodies of measures as expressions over a row source, and collect the window columns that they read."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.windows: dict[str, Window] = {}
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
            self.windows[column] = Window(column, name, values, window(*values, **texts))
            return f"d.{column}"

        return window_column


@cache
def _window_names() -> list[str]:
    """Return the names of the macros of `sql/templates/shared/windows.sql`."""
    return re.findall(r"{% macro (\w+)", read_template("shared/windows.sql"))
