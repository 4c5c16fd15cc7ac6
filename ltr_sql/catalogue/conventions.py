"""Conventions of other tools: `sql/conventions.toml`."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ltr_sql.catalogue.files import SQL_FOLDER
from ltr_sql.catalogue.functions import relations
from ltr_sql.catalogue.measures import all_definitions, definitions_by_name
from ltr_sql.catalogue.parameters import Parameter, Value

# The options of `ltr.judge` that a convention sets for all measures, and may set otherwise for one of them.
RULES = ("ties", "missing")


# Conventions are compared by identity, because mappings cannot be hashed.
@dataclass(frozen=True, eq=False)
class Convention:
    """The settings with which our measures reproduce the values of a tool.

    - `ties`, `missing`: options of `ltr.judge`.
    - `values`: by macro, the parameters that differ from our defaults.
    - `substitutes`: maps a macro or alias to the macro that the tool computes under its name: p to precision_at.
    - `only`: `BEYOND_ACCURACY` if it covers only these measures, else empty.
    - `version`, `source`: the version of the tool, and where it is defined; `limits`: what is not reproduced.
    - `grades`: 'whole' if the tool reads grades without their fraction, else empty.
    - `rules`: by macro, the `ties` and `missing` of a measure that differ from those of the others.
    """

    name: str
    summary: str
    ties: str
    missing: str
    values: Mapping[str, Mapping[str, Value]]
    substitutes: Mapping[str, str]
    only: str = ""
    version: str = ""
    source: str = ""
    limits: str = ""
    grades: str = ""
    rules: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@cache
def conventions() -> dict[str, Convention]:
    """Return the conventions by name, from `sql/conventions.toml`. The first one is the default."""
    entries = tomllib.loads((SQL_FOLDER / "conventions.toml").read_text(encoding="utf-8"))
    return {name: _convention(name, **entry) for name, entry in entries.items()}


def check_conventions() -> None:
    """Raise ValueError for a convention with an unknown measure, a parameter it lacks, or a value it does not allow."""
    for convention in conventions().values():
        try:
            _check_convention(convention)
        except ValueError as error:
            raise ValueError(f"sql/conventions.toml, {convention.name}: {error}") from None


def _check_convention(convention: Convention) -> None:
    for name, other in convention.substitutes.items():
        if name not in definitions_by_name() or other not in all_definitions():
            raise ValueError(f"{name} or {other} is not a measure")
    judge = {p.name: p for p in relations()["judge"].parameters}
    settings: list[tuple[Parameter, str, Any]] = [
        (judge[name], name, getattr(convention, name)) for name in ("ties", "missing")
    ]
    for macro in (*convention.values, *convention.rules):
        if macro not in all_definitions():
            raise ValueError(f"no measure has the file name {macro}.sql")
    for macro, rules in convention.rules.items():
        if all_definitions()[macro].beyond_accuracy:
            raise ValueError(f"{macro} is beyond accuracy: set ties and missing for all measures")
        settings += [(judge[name], f"{macro}.{name}", value) for name, value in rules.items()]
    for macro, values in convention.values.items():
        for name, value in values.items():
            if substitute := convention.substitutes.get(macro):
                raise ValueError(f"{macro} is replaced by {substitute}: set {name} of {substitute}")
            if (parameter := all_definitions()[macro].parameter(name)) is None:
                raise ValueError(f"{macro} has no parameter {name}")
            settings.append((parameter, f"{macro}.{name}", value))
    for parameter, name, value in settings:
        if not parameter.allows(value):
            raise ValueError(f"{name} must be {parameter.allowed}, got {value!r}")


def convention_rows() -> list[dict[str, str]]:
    """Return the conventions as rows of text, one row per setting."""
    return [
        {"convention": c.name, "measure": measure, "switch": setting, "value": str(value), "summary": c.summary}
        for c in conventions().values()
        for measure, settings in settings_of(c)
        for setting, value in settings.items()
    ]


def settings_of(convention: Convention) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """Yield the settings of a convention: first for all measures, named '', then for each measure by its name."""
    yield "", {"ties": convention.ties, "missing": convention.missing}
    for name, other in convention.substitutes.items():
        yield (
            definitions_by_name()[name].name if name in all_definitions() else name,
            {"measure": all_definitions()[other].name},
        )
    for macro in dict.fromkeys([*convention.values, *convention.rules]):
        yield (
            all_definitions()[macro].name,
            {**convention.values.get(macro, {}), **convention.rules.get(macro, {})},
        )


def _convention(
    name: str,
    *,
    summary: str,
    ties: str,
    missing: str,
    measures: Mapping[str, Mapping[str, Any]] | None = None,
    **about: str,
) -> Convention:
    values, rules, substitutes = dict[str, Any](), dict[str, Any](), dict[str, str]()
    for macro, entry in (measures or {}).items():
        for setting, value in entry.items():
            if setting == "measure":
                substitutes[macro] = value
            else:
                (rules if setting in RULES else values).setdefault(macro, {})[setting] = value
    return Convention(name, summary, ties, missing, values=values, substitutes=substitutes, rules=rules, **about)
