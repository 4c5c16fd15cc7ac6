"""Rows of `trend` from plain values, one measure and stratum at a time."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from ltr_sql.oracle.comparison.datasets import unpaired_difference
from ltr_sql.oracle.comparison.pairs import (
    Interval,
    Scaled,
    differences,
    is_constant,
    is_equal,
    mean_of,
    paired_t_p,
    scale_of,
    sd_of,
    t_interval,
)
from ltr_sql.oracle.comparison.probabilities import t_quantile
from ltr_sql.oracle.comparison.rows import FEWEST, Scale, Value
from ltr_sql.oracle.comparison.systems import adjusted


@dataclass(frozen=True)
class Period:
    """A row of `trend`. Its fields are the columns, except the grouping columns and measure."""

    period: Any
    mean: float | None
    low: float | None
    high: float | None
    queries: int
    previous: Any = None
    gap: bool | None = None
    pairing: str | None = None
    common: int | None = None
    new_queries: float | None = None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    mix: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    verdict: str | None = None


@dataclass(frozen=True)
class _Change:
    """The difference of two periods, its standard error and degrees of freedom, and the queries that decide."""

    pairing: str
    difference: float
    error: float | None
    df: float | None
    fewest: int
    p: float | None
    equal: bool = False
    constant: bool = False


def trend(
    values: Iterable[Value],
    *,
    places: Mapping[Any, float],
    adjust: str = "holm",
    confidence: float = 0.95,
    lower: bool = False,
    geometric: bool = False,
) -> list[Period]:
    """Return the rows of `ltr.trend` for one measure and stratum, in the order of time.

    - `values`: rows of query_id, period and value (None if undefined).
    - `places`: place of each period on the time axis, also of those of other strata.

    docs/trend.md has the formulas. Source: Student 1908, Biometrika 6; Welch 1947, Biometrika 34.
    """
    scale = Scale(lower, geometric)
    known: dict[Any, dict[Any, float]] = {}
    for query_id, period, value in values:
        of_period = known.setdefault(period, {})
        if value is not None:
            of_period[query_id] = scale.value(value)
    axis = sorted(places.values())
    step = min((b - a for a, b in pairwise(axis)), default=math.inf)
    rows: list[Period] = []
    changes: list[_Change | None] = []
    previous = None
    for period in sorted(known, key=lambda name: places[name]):
        row, change = _mean_of_period(period, known[period], scale, confidence), None
        if known[period]:
            if previous is not None:
                change = _change(known[previous], known[period])
                gap = places[period] - places[previous] > 1.5 * step
                row = replace(row, previous=previous, gap=gap, **_described(change, known[previous], known[period]))
            previous = period
        rows.append(row)
        changes.append(change)
    corrected = adjusted([change.p if change else None for change in changes], adjust)
    tests = sum(change is not None and change.p is not None for change in changes)
    return [
        row if change is None else _decided(row, change, p, tests, adjust, confidence, lower)
        for row, change, p in zip(rows, changes, corrected, strict=True)
    ]


def _mean_of_period(period: Any, own: Mapping[Any, float], scale: Scale, confidence: float) -> Period:
    """Return the mean of a period with its t interval."""
    if not own:
        return Period(period, None, None, None, 0)
    d = Scaled(own.values(), scale_of(own.values()))
    low, high = t_interval(d, confidence) or (None, None)
    least, most = (None if bound is None else scale.mean(bound) for bound in (low, high))
    return Period(period, scale.mean(mean_of(d)), least, most, len(own))


def _change(before: Mapping[Any, float], after: Mapping[Any, float]) -> _Change:
    """Return the difference of two periods: of the common queries, or by Welch if there are none."""
    size = scale_of([*before.values(), *after.values()])
    common = sorted(before.keys() & after.keys(), key=str)
    if common:
        d = differences([before[q] for q in common], [after[q] for q in common], size)
        n, equal = len(common), is_equal(d)
        error = sd_of(d) / math.sqrt(n) if n > 1 else None
        p = 1.0 if equal else paired_t_p(d)
        mean = 0.0 if equal else mean_of(d)
        return _Change("paired", mean, error, n - 1 if n > 1 else None, n, p, equal, n > 1 and is_constant(d))
    a, b = ([*own.values()] for own in (before, after))
    welch = unpaired_difference(a, b)
    if all(is_constant(Scaled(x, scale_of(x))) for x in (a, b)):
        welch = replace(welch, stderr=None, df=None)
    return _Change("unpaired", welch.mean, welch.stderr, welch.df, min(len(a), len(b)), welch.p())


def _described(change: _Change, before: Mapping[Any, float], after: Mapping[Any, float]) -> dict[str, Any]:
    """Return the columns of a period that do not depend on the correction."""
    common = len(before.keys() & after.keys())
    whole = mean_of([*after.values()]) - mean_of([*before.values()])
    return {
        "pairing": change.pairing,
        "common": common,
        "new_queries": len(after.keys() - before.keys()) / len(after),
        "difference": change.difference,
        "mix": None if not common else 0.0 if before.keys() == after.keys() else whole - change.difference,
        "p": change.p,
    }


def _decided(
    row: Period, change: _Change, p: float | None, tests: int, adjust: str, confidence: float, lower: bool
) -> Period:
    """Return a period with the adjusted p, the verdict and the corrected interval."""
    low, high = _interval(change, p, tests, adjust, confidence) or (None, None)
    sign_p = min(1.0, 2.0 ** (1 - change.fewest)) if change.constant else 1.0
    if change.equal:
        verdict = "equal"
    elif change.fewest < FEWEST:
        verdict = "too few queries"
    elif (sign_p if p is None else p) > 1 - confidence:
        verdict = "undecided"
    else:
        verdict = "better" if (change.difference > 0) != lower else "worse"
    return replace(row, p_adjusted=p, verdict=verdict, difference_low=low, difference_high=high)


def _interval(change: _Change, p: float | None, tests: int, adjust: str, confidence: float) -> Interval | None:
    """Return the interval whose level is that at which the correction decides the difference."""
    alpha = round(1 - confidence, 12)
    if change.constant:
        shown = change.equal or 2.0 ** (1 - change.fewest) <= alpha
        return (change.difference, change.difference) if shown else None
    if change.error is None or change.df is None:
        return None
    if p is not None and change.p is not None and adjust != "none":
        alpha *= min(1 / tests, change.p) if p >= 1 - 1e-9 else change.p / p if p else 1 / tests
    reach = t_quantile(alpha, change.df) * change.error
    return change.difference - reach, change.difference + reach
