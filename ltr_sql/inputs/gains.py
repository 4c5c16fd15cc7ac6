"""Gains that grades are given by the caller: LightGBM's label_gain, trec_eval's ndcg.1=1,2=3."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

from ltr_sql.errors import InputError, MeasureError
from ltr_sql.inputs.tables import Table
from ltr_sql.language.catalogue import definitions
from ltr_sql.language.measure_strings import Measure, parse_measure
from ltr_sql.sqltext.columns import NamedColumns
from ltr_sql.sqltext.render import Renderer

# The parameter that says how a grade becomes a gain, and the value with which the grade is the gain.
_GAIN, _GRADE_ITSELF = "gain", "linear"


@dataclass(frozen=True)
class Gains:
    """The gains of grades; a grade without one is its own gain, or if `complete`, an error."""

    by_grade: tuple[tuple[float, float], ...]
    complete: bool = False

    def in_place_of_grades(self, table: Table) -> Table:
        """Judgments, rankings or a scored table with gains in place of grades."""
        renderer = Renderer(NamedColumns((), table.dialect), table.dialect)
        sql = renderer.template(
            "entry_points/gains_for_grades.sql",
            graded=table.sql,
            others=[table.dialect.identifier(name) for name in table.columns if name != "relevance"],
            gains=self.by_grade,
            complete=self.complete,
        )
        return replace(table, sql=sql, columns={**table.columns, "relevance": "DOUBLE"}, positions="")


def read_gains(given: Any) -> Gains:
    """Gains as a caller gives them: a mapping of grades, or a sequence indexed by them.

    Raises InputError for what is neither, and for grades and gains that are no numbers from 0.
    """
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif hasattr(given, "__getitem__") and hasattr(given, "__len__") and not isinstance(given, str | bytes):
        pairs = list(enumerate(given))
    else:
        raise InputError(f"gains are a mapping of grades such as {{1: 1, 2: 3}}, or a list by grade, got {given!r}")
    if not pairs:
        raise InputError(f"gains are empty: give those of the grades, such as {{1: 1, 2: 3}}, got {given!r}")
    for grade, gain in pairs:
        if not _from_zero(grade):
            raise InputError(f"gains: a grade must be a number from 0, got {grade!r}")
        if not _from_zero(gain):
            raise InputError(f"gains: the gain of grade {grade} must be a number from 0, got {gain!r}")
    by_grade = sorted((float(grade), float(gain)) for grade, gain in pairs)
    return Gains(tuple(by_grade), complete=not isinstance(given, Mapping))


def parse_gains(text: str) -> Gains:
    """Gains as text: GRADE=GAIN,... or the gains of the grades from 0 on. Raises InputError for any other text."""
    texts = [part.strip() for part in text.split(",")]
    assigned = [parse_gain(part) for part in texts]
    pairs = [pair for pair in assigned if pair is not None]
    if len(pairs) == len(texts):
        if len(dict(pairs)) < len(pairs):
            raise InputError(f"gains {text!r}: a grade has one gain, and is named once")
        return read_gains(dict(pairs))
    try:
        listed = [float(part) for part in texts]
    except ValueError:
        raise InputError(
            f"gains {text!r}: write GRADE=GAIN,..., as in 1=1,2=3, or the gains of grades 0, 1, ..., as in 0,1,3; "
            "all are numbers from 0"
        ) from None
    return read_gains(listed)


def parse_gain(text: str) -> tuple[int, float] | None:
    """A grade and its gain, written as GRADE=GAIN; None for any other text."""
    match = re.fullmatch(r"(\d+)=(\d*\.?\d+)", text)
    return None if match is None else (int(match[1]), float(match[2]))


def measures_with_gains(measures: Iterable[Measure]) -> list[Measure]:
    """Measures as they are where grades have gains of their own: no grade becomes a gain by any other rule.

    Raises MeasureError where one is asked for besides, and if there is no measure that counts gains.
    """
    measures = list(measures)
    if not any(measure.definition.gains for measure in measures):
        names = ", ".join(definition.name for definition in definitions().values() if definition.gains)
        raise MeasureError(f"gains are counted by {names}: none of them is asked for")
    return [_with_gains(measure) if measure.definition.gains else measure for measure in measures]


def _with_gains(measure: Measure) -> Measure:
    given = dict(parse_measure(measure.text).values)
    if given.get("level") is not None:
        raise MeasureError(f"measure {measure.text!r} names a level of grades: give lower ones the gain 0 instead")
    if given.get(_GAIN, _GRADE_ITSELF) != _GRADE_ITSELF:
        raise MeasureError(f"measure {measure.text!r} names a gain of its own: leave that out, or give no gains")
    values = tuple((name, _GRADE_ITSELF if name == _GAIN else value) for name, value in measure.values)
    return replace(measure, values=values)


def _from_zero(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 <= float(value) < math.inf
