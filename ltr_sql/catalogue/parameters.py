"""Parameters of measures, relations and builders: `sql/parameters.toml`, and the headers that override it."""

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeAlias

from ltr_sql.catalogue.files import SQL_FOLDER

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
    """A parameter of a measure, relation or builder.

    - `type`: 'integer', 'number' or 'choice', for relations also 'table', 'map' or 'switch', and for builders also
      'table', 'column' or 'text'.
    - `choices`: the allowed values of a choice. In TOML, it may be the name of a folder, whose files it then lists.
    - `minimum`, `above`, `maximum`: bounds of a number; `above` is exclusive.
    - `optional`: true if the value may be NULL.
    - `needs_cutoff`: the choices that are undefined without a cutoff.
    - `flag`: the name of its flag on the command line, if another option there has its own.
    - `spelled`: maps an argument of another tool, such as dcg=exp-log2, to a value of this parameter.
    """

    name: str
    type: str
    summary: str
    default: Value = None
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    above: float | None = None
    maximum: float | None = None
    optional: bool = False
    flag: str = ""
    needs_cutoff: tuple[str, ...] = ()
    spelled: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def allowed(self) -> str:
        """Describe the allowed values."""
        if self.type == "choice":
            return one_of(map(repr, self.choices))
        if self.type in _NAMES:
            return _NAMES[self.type]
        bounds = [
            f"{preposition} {bound:.15g}"
            for preposition, bound in (
                ("from", self.minimum),
                ("above", self.above),
                ("to", self.maximum),
            )
            if bound is not None
        ]
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
            and (self.minimum is None or value >= self.minimum)
            and (self.above is None or value > self.above)
            and (self.maximum is None or value <= self.maximum)
        )


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


def sql_default(parameter: Parameter) -> str:
    """Return the default of a parameter as SQL."""
    if parameter.default is None:
        return "null"
    return f"'{parameter.default}'" if isinstance(parameter.default, str) else str(parameter.default).lower()


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
