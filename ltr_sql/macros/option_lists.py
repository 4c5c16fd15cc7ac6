"""Parameters of the macros of comparisons, from the options of Python's functions."""

from collections.abc import Iterable, Mapping
from typing import Any

from ltr_sql.catalogue.options import Compare, Differences, Leaderboard, Option, Orders, options_of
from ltr_sql.rendering.comparisons import FRAGMENTS

# The order of the parameters of macros, which may be passed by position. New options follow.
_ORDER = [
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
]
_RECORDS = {"compare": Compare, "leaderboard": Leaderboard, "orders": Orders, "differences": Differences}


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
            name: [o.name if o.name in options_of(record) else o.default_in_sql for o in every.values()]
            for name, record in _RECORDS.items()
        },
        "checked": [
            {
                "name": name,
                "choices": every[name].choices,
                "condition": every[name].condition(f"try_cast({name} as double)"),
                "allowed": every[name].allowed,
            }
            for name in FRAGMENTS
        ],
    }


def _signature(options: Iterable[Option]) -> list[str]:
    return [f"{option.name} := {option.default_in_sql}" for option in options]


def _in_order(record: type) -> Mapping[str, Option]:
    """Return the options of a record that macros take."""
    found = {name: option for name, option in options_of(record).items() if option.sql}
    return dict(sorted(found.items(), key=lambda item: _ORDER.index(item[0]) if item[0] in _ORDER else len(_ORDER)))
