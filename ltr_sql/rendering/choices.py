"""Check the options of a comparison, and write them as SQL, for Python, Spark, the command line and the report."""

import math
import re
from collections.abc import Mapping
from typing import Any

from ltr_sql.catalogue.options import Compare, defaults_of, options_of
from ltr_sql.catalogue.procedures import procedures
from ltr_sql.errors import InputError
from ltr_sql.rendering.comparisons import FRAGMENTS, OPTIONS, SEQUENTIAL, Choices
from ltr_sql.rendering.dialects import string
from ltr_sql.rendering.templates import sql_value


def comparison_choices(**given: Any) -> Choices:
    """Return options of `compare` as SQL fragments. Raises InputError for a value that is not allowed.

    Options that are left out have their defaults. Those that do not concern the tests are ignored.
    """
    asked = defaults_of(Compare, **given)
    for name, option in options_of(Compare).items():
        if name in FRAGMENTS or name in OPTIONS:
            option.check(asked[name])
    if asked["adjust"] == "tukey" and asked["test"] != "t":
        raise InputError(
            f"adjust='tukey' corrects the t test: pass test='t', or adjust='holm' with test={asked['test']!r}"
        )
    with_margin = asked["margin"] is not None
    if with_margin and asked["confidence"] <= 0.5:
        raise InputError(f"with a margin, confidence must be above 0.5, got {asked['confidence']}")
    for name, said in _NEEDING_T.items():
        if asked[name] is not None:
            _refuse_other_tests(asked, said)
    _refuse_unfit(asked)
    planned = _planned_queries(asked)
    absolute, relative = margins_of(asked["margin"])
    level = level_of(asked["confidence"])
    return Choices(
        **{name: asked[name] for name in OPTIONS},
        fragments={
            **{name: _text(asked[name]) for name in FRAGMENTS},
            "level": sql_value(level),
            "interval_level": sql_value(round(2 * level, 12) if with_margin else level),
            "margin": sql_value(absolute),
            "relative_margin": sql_value(relative),
            "has_margin": _text(with_margin),
            "sequential": _text(asked["test"] == SEQUENTIAL),
            "planned": sql_value(float(planned)),
        },
    )


def level_of(confidence: float) -> float:
    """Return the level of the tests: 1 - confidence."""
    # Round, because 1 - 0.95 is not 0.05 in binary.
    return round(1 - confidence, 12)


def percent(share: float) -> str:
    """Return a share in percent with at most one decimal; '> 99.9%' instead of 100%."""
    text = f"{100 * share:.1f}".removesuffix(".0")
    return f"{text if text != '100' else '> 99.9'}%"


def margins_of(margin: float | str | None) -> tuple[float, float]:
    """Return the absolute margin, and the margin relative to the mean of system a. At least one of them is 0.

    Raises InputError for a margin that is neither a number above 0 nor a share.
    """
    if margin is None:
        return 0.0, 0.0
    match = re.fullmatch(r"\s*([\d.]+)\s*%\s*", margin) if isinstance(margin, str) else None
    try:
        number = float(match[1]) / 100 if match else float(margin)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 < number < (1 if match else math.inf):
        raise InputError(f"margin must be a number above 0, or a share below 100% such as '1%', got {margin!r}")
    return (0.0, number) if match else (number, 0.0)


def title_of_test(options: Mapping[str, Any]) -> str:
    """Return the name of the test for sentences. `options`: all options of `compare`."""
    if options["across"] is not None:
        return f"t test of the mean over {options['across']}, for other {options['generalize']}"
    if not options["paired"]:
        return "Welch's t test of systems with queries of their own"
    return procedures("test")[options["test"]].title


def _planned_queries(asked: Mapping[str, Any]) -> int:
    """Return the planned queries of the sequential test; 1 for other tests. Raises InputError if they do not fit."""
    planned, test = asked["planned"], asked["test"]
    if test != SEQUENTIAL:
        if planned is not None:
            raise InputError(
                f"planned belongs to the sequential test: pass test='sequential', or leave planned={planned!r} out"
            )
        return 1
    if planned is None:
        raise InputError(
            "test='sequential' needs planned=: the number of queries at which its interval is narrowest, chosen before "
            "you look"
        )
    options_of(Compare)["planned"].check(planned)
    if asked["ci"] != "t":
        raise InputError(f"test='sequential' has an interval of its own: leave ci={asked['ci']!r} out")
    return int(planned)


# What is said of a measure over runs.
NO_LOOKS = "has one value for the whole run, and the sequential test needs one for each query: leave it out"
# The options that only the t and the sequential test allow, as the subject of a message.
_NEEDING_T = {"weights": "weights apply", "human": "human applies", "cluster": "cluster applies"}


def _refuse_other_tests(asked: Mapping[str, Any], said: str) -> None:
    """Raise InputError if a procedure is not defined for weights, people's values or clusters."""
    for option in ("test", "ci", "adjust"):
        name = asked[option]
        if name == "tukey" or (option != "adjust" and name not in ("t", SEQUENTIAL)):
            raise InputError(
                f"{said} to the t and the sequential test, not to {option}={name!r}: leave one of them out"
            )


def _refuse_unfit(asked: Mapping[str, Any]) -> None:
    """Raise InputError for options that means over datasets, or systems with different queries, do not have."""
    if asked["across"] is None and asked["generalize"] != options_of(Compare)["generalize"].default:
        raise InputError(
            f"generalize={asked['generalize']!r} belongs to means over datasets: pass across=, or leave it out"
        )
    for name, said in {"across": "across applies", "paired": "paired=False applies"}.items():
        if asked[name] in (None, True):
            continue
        for option in ("test", "ci"):
            if asked[option] != "t":
                raise InputError(f"{said} to the t test, not to {option}={asked[option]!r}: leave one of them out")
        if asked["adjust"] == "tukey":
            raise InputError(f"{said} to the t test, not to adjust='tukey': leave one of them out")
        for option in UNFIT[name]:
            if asked[option] is not None and asked[option] is not False:
                raise InputError(f"{said} without {option}: leave one of them out")
    if not asked["paired"] and asked["missing"] not in (None, "skip"):
        raise InputError(
            f"missing={asked['missing']!r} is about queries that both systems owe, and with paired=False each system "
            "has queries of its own: leave one of them out"
        )


# The options that cannot be combined with means over datasets, and with systems that have different queries.
UNFIT = {"across": ("weights", "human", "cluster", "totals"), "paired": ("across", "human")}


def _text(value: Any) -> str:
    return (
        string(value) if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else sql_value(value)
    )
