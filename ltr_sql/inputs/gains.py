"""Gains of grades, like LightGBM's label_gain or trec_eval's ndcg.1=1,2=3, and weights of queries or runs."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real
from typing import Any

import duckdb

from ltr_sql.catalogue.measure_strings import Measure, parse_measure
from ltr_sql.catalogue.measures import definitions
from ltr_sql.errors import InputError, MeasureError
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.renderer import Renderer
from ltr_sql.rendering.spread import WEIGHT, keyed_columns, unknown_weights, weighted_rows

_MOST_SHOWN = 10
_NUMBER = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
# Every whole number of at most 15 digits is a double.
_MOST_DIGITS = 15
# The parameter that converts grades to gains, and its value that leaves grades as they are.
_GAIN, _GRADE_ITSELF = "gain", "linear"


@dataclass(frozen=True)
class Gains:
    """Custom gains: (grade, gain) pairs.

    A grade without a gain is its own gain if it is a whole number or below 0, and otherwise an error. With `complete`,
    it is also an error if it is a whole number.
    """

    by_grade: tuple[tuple[float, float], ...]
    complete: bool = False

    def __str__(self) -> str:
        """Return the gains as `parse_gains` reads them."""
        pairs = [(_shown(grade), f"{Decimal(_shown(gain)):f}") for grade, gain in self.by_grade]
        return ",".join(gain if self.complete else f"{grade}={gain}" for grade, gain in pairs)

    def replace_grades(self, con: duckdb.DuckDBPyConnection, table: Table) -> Table:
        """Return judgments, rankings or a scored table with gains instead of grades in the column relevance.

        Raises InputError for grades that need a gain and have none.
        """
        if "relevance" not in table.columns:
            # Other checks refuse the table.
            return table
        renderer = Renderer(NamedColumns((), table.dialect), table.dialect)
        self._refuse_grades_without_gain(con, renderer, table)
        sql = renderer.template(
            "inputs/gains_for_grades.sql",
            graded=table.sql,
            others=[table.dialect.identifier(name) for name in table.columns if name != "relevance"],
            gains=self.by_grade,
        )
        return replace(table, sql=sql, columns={**table.columns, "relevance": "DOUBLE"}, positions="", queries="")

    def _refuse_grades_without_gain(self, con: duckdb.DuckDBPyConnection, renderer: Renderer, table: Table) -> None:
        query = renderer.template(
            "inputs/grades_without_gain.sql",
            graded=table.sql,
            grades=[grade for grade, _ in self.by_grade],
            complete=self.complete,
        )
        found = [_shown(grade) for (grade,) in con.execute(query).fetchall()]
        if not found:
            return
        more = f" and {len(found) - _MOST_SHOWN} more" if len(found) > _MOST_SHOWN else ""
        shown = ", ".join(found[:_MOST_SHOWN]) + more
        if self.complete:
            count = len(self.by_grade)
            raise InputError(
                f"a grade has no gain: the list of {count} gains covers the grades 0 to {count - 1}, got {shown}"
            )
        raise InputError(
            f"gains: the input has grades with a fraction that have no gain: {shown}. Give each a gain. Only a whole "
            "number without a gain is its own gain"
        )


def read_gains(given: Any) -> Gains:
    """Read gains from a mapping of grade to gain, or a sequence of the gains of grades 0, 1, ... Keep `Gains`.

    Raises InputError for other types, and for grades or gains that are not finite numbers of at least 0.
    """
    if isinstance(given, Gains):
        return given
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif hasattr(given, "__getitem__") and hasattr(given, "__len__") and not isinstance(given, str | bytes):
        pairs = list(enumerate(given))
    else:
        raise InputError(f"gains must be a mapping such as {{1: 1, 2: 3}}, or a list by grade, got {given!r}")
    if not pairs:
        raise InputError(f"gains are empty: pass a gain for each grade, such as {{1: 1, 2: 3}}, got {given!r}")
    for grade, gain in pairs:
        if not _is_valid(grade):
            raise InputError(f"gains: a grade must be a number from 0, got {grade!r}")
        if not _is_valid(gain):
            raise InputError(f"gains: the gain of grade {grade} must be a number from 0, got {gain!r}")
    by_grade = sorted((float(grade), float(gain)) for grade, gain in pairs)
    return Gains(tuple(by_grade), complete=not isinstance(given, Mapping))


def parse_gains(text: str) -> Gains:
    """Parse GRADE=GAIN,... or a list of the gains of grades 0, 1, ... Raises InputError for any other text."""
    texts = [part.strip() for part in text.split(",")]
    assigned = [parse_gain(part) for part in texts]
    pairs = [pair for pair in assigned if pair is not None]
    if len(pairs) == len(texts):
        if len(dict(pairs)) < len(pairs):
            raise InputError(f"gains {text[:100]!r}: a grade has more than one gain")
        return read_gains(dict(pairs))
    try:
        listed = [float(part) for part in texts]
    except ValueError:
        raise InputError(
            f"gains {text[:100]!r}: write GRADE=GAIN,..., as in 1=1,2=3, or the gains of grades 0, 1, ..., as in 0,1,3,"
            " with numbers from 0"
        ) from None
    return read_gains(listed)


def parse_gain(text: str) -> tuple[float, float] | None:
    """Parse GRADE=GAIN. Return None for any other text."""
    match = re.fullmatch(rf"({_NUMBER})=({_NUMBER})", text)
    if match is None or math.isinf(gain := float(match[2])) or len(match[1]) > _MOST_DIGITS:
        return None
    return float(match[1]), gain


def measures_with_gains(measures: Iterable[Measure]) -> list[Measure]:
    """Prepare measures for custom gains: set the parameter `gain` of all measures that use gains to 'linear'.

    Raises MeasureError if a measure string sets `level`, or a `gain` other than 'linear', and if no measure uses gains.
    """
    measures = list(measures)
    if not any(measure.definition.gains for measure in measures):
        names = ", ".join(definition.name for definition in definitions().values() if definition.gains)
        raise MeasureError(f"no measure of the call uses gains: add one of {names}, or leave out gains")
    return [_with_gains(measure) if measure.definition.gains else measure for measure in measures]


def _with_gains(measure: Measure) -> Measure:
    given = dict(parse_measure(measure.text).values)
    if given.get("level") is not None:
        raise MeasureError(f"measure {measure.text!r} sets level: leave it out, and give lower grades the gain 0")
    if given.get(_GAIN, _GRADE_ITSELF) != _GRADE_ITSELF:
        raise MeasureError(f"measure {measure.text!r} sets the parameter gain: leave it out, or pass no gains")
    values = tuple((name, _GRADE_ITSELF if name == _GAIN else value) for name, value in measure.values)
    return replace(measure, values=values)


def _shown(grade: float) -> str:
    return str(int(grade)) if grade.is_integer() else repr(grade)


def _is_valid(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 <= float(value) < math.inf


def bind_weights(state: Session, given: Any, name: str) -> Table:
    """Bind weights as a table with the columns `name` and weight.

    `given` is a mapping of names to weights, or any table that `Session.bind` accepts. Raises InputError for a weight
    that is not a number from 0 to 1e100, and for one between 0 and 1e-100, whose square would be 0.
    """
    if isinstance(given, Mapping):
        given = _columns(given, name)
    table = state.bind(given, "weights")
    table.require("the weights", name, "weight")
    return _with_numbers(state, table, name, "weight")


def with_weights(
    state: Session, weights: Any, run: Table | None, values: Table, keys: Sequence[str]
) -> tuple[Table, list[str]]:
    """Return a table of values with the weights of its queries in the column `WEIGHT`, and warnings.

    - `weights`: the name of a column of `run`, or weights in any form that `bind_weights` accepts.
    - `keys`: the keys of `values`. Weights are joined on query_id and those keys that they have.

    The SQL raises an error for a query without a weight.
    """
    if run is not None and isinstance(weights, str) and weights in run.columns:
        run.require_here("weights", weights)
        weighted_run = _with_numbers(state, run, "query_id", weights)
        listed = ", ".join(DUCKDB.identifier(name) for name in ("query_id", *keys) if name in run.columns)
        source = f"(select distinct {listed}, {DUCKDB.identifier(weights)} as weight from {weighted_run.sql})"
    else:
        source = bind_weights(state, weights, "query_id").sql
    keyed = keyed_columns(keys)
    weighted = values.read_by(weighted_rows(values.sql, source, keyed), {**values.columns, WEIGHT: "DOUBLE"})
    ((unknown, first),) = state.rows(unknown_weights(values.sql, source, keyed))
    texts = [f"{unknown} weights are ignored, because the rankings lack their queries, such as {first}"]
    return weighted, texts if unknown else []


def _with_numbers(state: Session, table: Table, name: str, column: str) -> Table:
    """Return a table whose `column` of weights holds numbers. Texts of numbers, as in a CSV file, are read as numbers.

    Raises InputError unless each weight is 0 or from 1e-100 to 1e100. `name` identifies its row.
    """
    weight, kind = DUCKDB.identifier(column), table.columns[column]
    is_text = table.kind(column) == "text"
    if is_text and kind != "VARCHAR":
        raise InputError(f"the column {column} holds {kind}, not numbers: cast it")
    number = f"{'try_cast' if is_text else 'cast'}(t.{weight} as double)"
    wrong = state.rows(
        f"select t.{DUCKDB.identifier(name)}, t.{weight} from {table.sql} as t "
        f"where not coalesce({number} = 0 or {number} between 1e-100 and 1e100, false) limit 1"
    )
    for row, found in wrong:
        raise InputError(
            f"weights must be numbers from 0 to 1e100, got {found} for {row!r}: give 0 to leave it out, or correct the "
            "weight (the smallest weight above 0 is 1e-100)"
        )
    return table.replaced({column: number}, {column: "DOUBLE"}) if is_text else table


def _columns(given: Mapping[Any, Any], name: str) -> dict[str, Any]:
    """Return a mapping of names to weights as two columns. Raises InputError for an invalid weight."""
    import numpy as np  # noqa: PLC0415  (slow to load)

    for row, weight in given.items():
        if isinstance(weight, bool) or not hasattr(weight, "__float__") or not math.isfinite(weight):
            raise InputError(f"weights must be finite numbers from 0, got {weight!r} for {row!r}")
    if not given:
        raise InputError("the weights are an empty dict: pass a weight for each name, or leave weights out")
    names = np.array([str(row) for row in given], dtype=object)
    return {name: names, "weight": np.array([float(weight) for weight in given.values()])}
