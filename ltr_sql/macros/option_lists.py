"""Parameters of the macros of comparisons, from the options of Python's functions."""

from collections.abc import Iterable, Mapping
from typing import Any

from ltr_sql.catalogue.options import Compare, Differences, Leaderboard, Orders, Trend, options_of
from ltr_sql.catalogue.parameters import Parameter
from ltr_sql.rendering.comparisons import FRAGMENTS

# The order of the parameters of macros, which may be passed by position. New options follow.
_ORDER = [
    "by",
    "keys",
    "compared",
    "baseline",
    "test",
    "adjust",
    "family",
    "ci",
    "confidence",
    "margin",
    "repeats",
    "lower_is_better",
    "missing",
    "replicates",
    "resamples",
    "seed",
    "weights",
    "human",
    "cluster",
    "totals",
    "planned",
    "across",
    "generalize",
    "paired",
]
_RECORDS = {
    "compare": Compare,
    "leaderboard": Leaderboard,
    "orders": Orders,
    "differences": Differences,
    "trend": Trend,
}


def option_lists() -> dict[str, Any]:
    """Return what the template of the macros reads.

    - `parameters`: the names of all options. `signatures`: the parameters with defaults of the macros of each record.
    - `arguments`: the arguments of a call with all options. A macro passes the defaults of those that it lacks.
    - `checked`: the options that are numbers or choices, with their conditions.
    """
    every = _in_order(Compare)
    return {
        "parameters": list(every),
        "signatures": {name: _signature(_in_order(record).values()) for name, record in _RECORDS.items()},
        "arguments": {
            name: [_argument(o, options_of(record)) for o in every.values()] for name, record in _RECORDS.items()
        },
        "checked": [_checked(every[name]) for name in FRAGMENTS],
        "planned": _checked(every["planned"]),
    }


def _checked(option: Parameter) -> dict[str, Any]:
    condition = option.condition(f"try_cast({option.name} as double)")
    return {"name": option.name, "choices": option.choices, "condition": condition, "allowed": option.allowed}


def _signature(options: Iterable[Parameter]) -> list[str]:
    return [f"{_parameter(option.name)} := {option.default_in_sql}" for option in options]


def _parameter(name: str) -> str:
    """Return the name of a parameter. `by` is a reserved word."""
    return '"by"' if name == "by" else name


def _argument(option: Parameter, taken: Mapping[str, Parameter]) -> str:
    """Return what a macro that takes these options passes for an option of `compare`."""
    if option.name == "compared" and "by" in taken:
        return _parameter("by")
    return option.name if option.name in taken and taken[option.name].sql else option.default_in_sql


def _in_order(record: type) -> Mapping[str, Parameter]:
    """Return the options of a record that macros take."""
    found = {name: option for name, option in options_of(record).items() if option.sql}
    return dict(sorted(found.items(), key=lambda item: _ORDER.index(item[0]) if item[0] in _ORDER else len(_ORDER)))
