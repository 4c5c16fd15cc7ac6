"""Parameters of measures, relations and builders: `sql/parameters.toml`, and the headers that override it."""

import math
import operator
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeAlias

from ltr_sql.catalogue.files import SQL_FOLDER
from ltr_sql.errors import InputError

_COMPARED: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
}
Value: TypeAlias = int | float | str | None
# What is said of the values of some types.
_NAMES = {
    "column": "the name of a column",
    "table": "the name of a table",
    "map": "a map of texts to numbers",
    "switch": "true or false",
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure, relation or builder, or an option of a function.

    - `type`: 'integer', 'number' or 'choice', for relations also 'table', 'map' or 'switch', for builders also
      'table', 'weights' (a table or a map), 'query', 'column' or 'text', and for options of functions also 'switch',
      'names' or 'text'.
    - `summary`: its meaning, for all interfaces. `default`: its default; `sql_default`: in SQL, if it differs.
    - `choices`: the allowed values of a choice. In TOML, it may be the name of a folder, whose files it then lists.
    - `minimum`, `above`, `maximum`, `below`: bounds of a number; `above` and `below` are exclusive.
    - `example`: an allowed value, for the error about others.
    - `optional`: true if the value may be NULL.
    - `needs_cutoff`: the choices that are undefined without a cutoff.
    - `spelled`: maps an argument of another tool, such as dcg=exp-log2, to a value of this parameter.
    - `sql`: true if macros take the option.
    - `flag`: the name of its flag on the command line, if another option there has its own. `metavar`: how the help
      shows its value.
    """

    name: str
    type: str
    summary: str
    default: Any = None
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    above: float | None = None
    maximum: float | None = None
    below: float | None = None
    example: str = ""
    optional: bool = False
    needs_cutoff: tuple[str, ...] = ()
    spelled: Mapping[str, str] = field(default_factory=dict, hash=False)
    sql: bool = True
    sql_default: str = ""
    flag: str = ""
    metavar: str = ""

    @property
    def is_relation(self) -> bool:
        """True if its values are rows."""
        return self.type in ("table", "weights", "query")

    @property
    def _bounds(self) -> list[tuple[str, str, float]]:
        """The bounds as a word, an operator and a number."""
        every = (
            ("from", ">=", self.minimum),
            ("above", ">", self.above),
            ("to", "<=", self.maximum),
            ("below", "<", self.below),
        )
        return [(word, operator, bound) for word, operator, bound in every if bound is not None]

    @property
    def allowed(self) -> str:
        """Describe the allowed values."""
        if self.type == "choice":
            return one_of(map(repr, self.choices))
        if self.type in _NAMES:
            return _NAMES[self.type]
        if self.above is not None and self.below is not None:
            return f"between {self.above:g} and {self.below:g}{f', such as {self.example}' if self.example else ''}"
        bounds = [f"{word} {bound:,.15g}" for word, _, bound in self._bounds]
        return " ".join([f"a{'n' if self.type == 'integer' else ''} {self.type}", *bounds])

    def allows(self, value: Any) -> bool:
        """Return whether the parameter allows a value."""
        if self.type == "choice":
            return value in self.choices
        if self.type == "table":
            return isinstance(value, str)
        if self.type == "map":
            return isinstance(value, Mapping)
        if self.type == "switch":
            return isinstance(value, bool)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return (
            math.isfinite(value)
            and (self.type == "number" or value == int(value))
            and all(_COMPARED[operator](value, bound) for _, operator, bound in self._bounds)
        )

    def check(self, value: Any) -> None:
        """Raise InputError for a choice or a number that is not allowed."""
        known = isinstance(value, int) or self.type != "integer"
        if self.type in ("choice", "integer", "number") and not (known and self.allows(value)):
            raise InputError(f"{self.name} must be {self.allowed}, got {value!r}")

    def switched(self, value: Any) -> bool:
        """Return whether a switch is on. Raises InputError for other values than booleans, 1 and 0."""
        if value not in (True, False):
            raise InputError(f"{self.name} must be True or False, got {value!r}")
        return bool(value)

    def condition(self, value: str) -> str:
        """Return SQL that is true for the allowed values. `value` is the SQL of the value, a number as a double."""
        if self.type == "choice":
            listed = ", ".join(f"'{choice}'" for choice in self.choices)
            return f"{value} in ({listed})"
        if self.type == "switch":
            return f"try_cast({value} as boolean) is not null"
        bounds = [f"{value} {operator} {bound:.15g}" for _, operator, bound in self._bounds]
        whole = [f"{value} = floor({value})"] if self.type == "integer" else []
        return " and ".join([*bounds, *whole, f"isfinite({value})"])

    @property
    def default_in_sql(self) -> str:
        """The default as SQL."""
        if self.sql_default:
            return self.sql_default
        if self.default is None:
            return "null"
        if self.type == "names":
            return f"{[*self.default]}" if self.default else "[]::varchar[]"
        return f"'{self.default}'" if isinstance(self.default, str) else str(self.default).lower()


@cache
def parameters() -> dict[str, Parameter]:
    """Return the parameters by name, from `sql/parameters.toml`."""
    entries = tomllib.loads((SQL_FOLDER / "parameters.toml").read_text(encoding="utf-8"))
    return {name: parameter_of(name, entry) for name, entry in entries.items()}


@cache
def spellings() -> dict[str, str]:
    """Map arguments of other tools to ours, such as dcg=exp-log2 to gain=exponential."""
    return {
        other: f"{parameter.name}={value}"
        for parameter in parameters().values()
        for other, value in parameter.spelled.items()
    }


def parameter_of(name: str, entry: dict[str, Any]) -> Parameter:
    """Return the parameter that a table in TOML defines."""
    lists = {"choices": choices_of(entry.get("choices", ())), "needs_cutoff": tuple(entry.get("needs_cutoff", ()))}
    return Parameter(name=name, **{**entry, **lists})


def choices_of(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return the choices of a parameter: a list, or the names of the files in a folder."""
    if isinstance(given, str):
        return tuple(sorted(path.stem for path in (SQL_FOLDER / given).glob("*.sql")))
    return tuple(given)


def parameters_of(header: dict[str, Any]) -> tuple[Parameter, ...]:
    """Return the parameters of a header. Its tables `choices`, `defaults` and `summaries` override their properties."""
    choices, defaults, summaries = (header.get(table, {}) for table in ("choices", "defaults", "summaries"))
    if unknown := [name for name in header["parameters"] if name not in parameters()]:
        raise ValueError(f"{header['name']}: the parameter {unknown[0]} is not in sql/parameters.toml")
    named = [parameters()[name] for name in header["parameters"]]
    return tuple(
        replace(
            parameter,
            choices=choices_of(choices.get(parameter.name, parameter.choices)),
            default=defaults.get(parameter.name, parameter.default),
            summary=summaries.get(parameter.name, parameter.summary),
        )
        for parameter in named
    )


def one_of(texts: Iterable[str]) -> str:
    """Return texts in words: 'a, b or c'."""
    *most, last = texts
    return f"{', '.join(most)} or {last}" if most else last
