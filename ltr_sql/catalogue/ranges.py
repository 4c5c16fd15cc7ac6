"""The ranges of measures, and intervals that are cut at them: a mean or a difference beyond them is impossible."""

import math
import re
from collections.abc import Iterable
from typing import TypeAlias

from ltr_sql.catalogue.measures import Definition, definitions_by_name

Interval: TypeAlias = tuple[float, float]

# What is written after an interval that was cut, and its explanation.
MARK = "†"
CUT = "cut at the range of the measure"
NO_BOUNDS = (-math.inf, math.inf)
# A range with bounds that hold for all parameters, such as "[0, 1], lower is better" and "0 or 1", or with such a lower
# bound, as in "[0, inf)" and "[0, 1] or a number of pairs".
_BOUNDS = re.compile(r"\[?(?P<low>-?\d+)(?:, | or )(?P<high>\d+)\]?(?:, (?:NULL|lower)\b.*)?")
_LOWER_BOUND = re.compile(r"\[(?P<low>-?\d+), .*")


def bounds_of(column: str) -> Interval:
    """Return the smallest and the largest mean of a column of values, such as 'nDCG@10'.

    They are infinite if the column is no measure, and where the measure has no bound.
    """
    name = re.fullmatch(r"([a-z0-9_]+)([@(].*)?", column.lower())
    definition = definitions_by_name().get(name[1]) if name else None
    return NO_BOUNDS if definition is None else _bounds(definition)


def bounds_of_difference(column: str, prefix: str = "") -> Interval:
    """Return the smallest and the largest difference of two means of a column of values.

    They are infinite without bounds, and for geometric means, which are compared by their logarithms. `prefix` is the
    start of the names of the ends of the interval: one of the favour of a judge is a difference of two differences.
    """
    most = largest_difference(column)
    times = 2 if prefix == "favour_" else 1
    return NO_BOUNDS if most is None else (-times * most, times * most)


def cut(interval: Interval, bounds: Interval, *values: float | None) -> Interval:
    """Return an interval, cut at the bounds. If one of the values lies beyond, so does the measure: nothing is cut."""
    least, most = bounds
    if any(value is not None and not least - 1e-9 <= value <= most + 1e-9 for value in values):
        return interval
    low, high = interval
    return min(max(low, least), most), max(min(high, most), least)


def largest_differences() -> dict[float, list[str]]:
    """Map the largest possible difference of two means to the names of the measures, in lower case.

    Measures without bounds are left out, and so are geometric means, which are compared by their logarithms.
    """
    found: dict[float, list[str]] = {}
    for name, definition in definitions_by_name().items():
        least, most = _bounds(definition)
        if definition.average == "mean" and math.isfinite(most - least):
            found.setdefault(most - least, []).append(name)
    return found


def largest_difference(column: str) -> float | None:
    """Return the largest possible difference of two means of a column of values; None if it is no bounded measure."""
    name = re.fullmatch(r"([a-z0-9_]+)([@(].*)?", column.lower())
    return next((most for most, names in largest_differences().items() if name and name[1] in names), None)


def possible_differences(column: str, differences: Iterable[float]) -> list[float]:
    """Return those of the differences that two means of a column of values can have, without their sign."""
    most = largest_difference(column)
    return [difference for difference in differences if most is None or difference <= most]


def _bounds(definition: Definition) -> Interval:
    both = _BOUNDS.fullmatch(definition.range)
    if both:
        return float(both["low"]), float(both["high"])
    lower = _LOWER_BOUND.fullmatch(definition.range)
    return (float(lower["low"]), math.inf) if lower else NO_BOUNDS
