"""Compare the values that different tools would report, and find the settings that make them differ."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import duckdb

from ltr_sql.catalogue.conventions import Convention, conventions
from ltr_sql.catalogue.measure_strings import (
    Measure,
    find_convention,
    parse_measure,
    parse_measures,
    parse_measures_under,
)
from ltr_sql.errors import LtrSqlError, MeasureError
from ltr_sql.evaluation.accuracy import bind
from ltr_sql.evaluation.options import EvaluationOptions
from ltr_sql.inputs.binding import Tables
from ltr_sql.inputs.connection import input_error
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Keys, Table, with_equal_ids
from ltr_sql.rendering.renderer import NEEDS_RUN
from ltr_sql.stages import stage
from ltr_sql.validation.checks import look_for, quick_check_run, unmatched_queries
from ltr_sql.validation.suspicions import notes_on_grades

# The name of a convention; the mean of a measure, or why it has none; the settings that change the mean.
Row: TypeAlias = tuple[str, float | str | None, str]
# A tie-breaking rule, a rule for missing queries, and a canonical measure string, or why there is no such measure.
_Asked: TypeAlias = tuple[str, str, str | MeasureError]
_Means: TypeAlias = Mapping[_Asked, float | str | None]

# What happens to judged queries that the run lacks.
_CONSEQUENCE = "they count as 0 or are left out, depending on the convention"

# The key of the variant under the convention itself.
_OWN = ""


def compare_conventions(
    run: Any, qrels: Any, measures: Iterable[str], reading: Mapping[str, Any] | None = None
) -> dict[str, list[Row]]:
    """Return the rows of each measure string: one row per convention of measures of accuracy, the default first.

    A row names the settings that change the mean if they are applied to the default convention one at a time. The
    tie-breaking rule 'row_order' takes the order of the run's rows, unless the run has a column row_order. `reading`
    has options of `catalogue.options.Reading`. Raises MeasureError for an invalid measure, and for a measure beyond
    accuracy.
    """
    measures = list(measures)
    for measure in parse_measures(measures):
        if measure.definition.beyond_accuracy:
            raise MeasureError(f"measure {measure.text!r} {NEEDS_RUN}: use ltr-sql evaluate with --convention")
    asked = {text: {c.name: _asked_of(c, text) for c in conventions().values() if not c.only} for text in measures}

    def compare(state: Session) -> tuple[dict[str, list[Row]], list[str]]:
        table = state.bind(run, "run")
        ordered = "" if "row_order" in table.columns else ", row_number() over () as row_order"
        ranked = state.load(f"(select *{ordered} from {table.sql})")
        judged = state.load(state.bind(qrels, "qrels").sql)
        quick_check_run(state.con, "the run", ranked, ())
        ranked, judged = with_equal_ids(ranked, judged)
        look_for(state.con, Tables(ranked, judged, Keys()), {"no_rows", "no_common_queries", "no_common_documents"})
        texts = unmatched_queries(state.con, ranked, judged, consequence=_CONSEQUENCE)
        texts += notes_on_grades(state.con, judged, parse_measures(measures))
        settings = [settings for of_measure in asked.values() for settings in of_measure.values()]
        every = [each for of_convention in settings for each in of_convention.values()]
        means = _means(state, ranked, judged, every)
        return {text: list(_rows_of_measure(means, of_measure)) for text, of_measure in asked.items()}, texts

    rows: dict[str, list[Row]] = with_warnings(
        None, compare, {**(reading or {}), "convention": find_convention(None).name}, stacklevel=3
    )
    return rows


def _asked_of(convention: Convention, text: str) -> dict[str, _Asked]:
    """Return the variants of a measure to compute.

    They are the measure under the convention (key `_OWN`), and under the default convention with one setting changed
    (key: the setting).
    """
    default = find_convention(None)
    usual = str(parse_measure(text, default))
    ties, missing, own = _under(convention, text)
    return {
        _OWN: (ties, missing, own),
        f"ties={ties}": (ties, default.missing, usual),
        f"missing={missing}": (default.ties, missing, usual),
        **{
            setting: (default.ties, default.missing, _under(changed, text)[2])
            for setting, changed in _change_one_setting(convention, text).items()
        },
    }


def _under(convention: Convention, text: str) -> _Asked:
    """Return a measure and its rules under a convention."""
    try:
        measure = parse_measure(text, convention)
    except MeasureError as error:
        return convention.ties, convention.missing, error
    return measure.ties or convention.ties, measure.missing or convention.missing, str(measure)


def _means(state: Session, run: Table, qrels: Table, every: Iterable[_Asked]) -> _Means:
    """Return the mean of each measure, or why it has none. Measures with the same rules share a query."""
    means: dict[_Asked, float | str | None] = {}
    shared: dict[tuple[str, str], dict[str, Measure]] = {}
    for ties, missing, text in every:
        try:
            if isinstance(text, MeasureError):
                raise text
            (measure,) = parse_measures_under(ties, [text])
            shared.setdefault((ties, missing), {})[text] = measure
        except MeasureError as error:
            means[ties, missing, text] = str(error)
    for (ties, missing), measures in shared.items():
        options = EvaluationOptions(tuple(measures.values()), ties, missing, check=False)
        try:
            values = _computed(state, run, qrels, options)
        except (LtrSqlError, duckdb.InvalidInputException):
            # Find the measures that raise the error.
            values = [_mean_or_reason(state, run, qrels, replace(options, measures=(m,))) for m in options.measures]
        means |= {(ties, missing, text): value for text, value in zip(measures, values, strict=True)}
    return means


def _computed(state: Session, run: Table, qrels: Table, options: EvaluationOptions) -> list[float | str | None]:
    stage("conventions")
    query = bind(state, run, qrels, options).query(options.measures, averaged=True)
    return [*state.rows(query)[0][-len(options.measures) :]]


def _mean_or_reason(state: Session, run: Table, qrels: Table, options: EvaluationOptions) -> float | str | None:
    """Return the mean of the only measure of the options, or why it has none."""
    try:
        return _computed(state, run, qrels, options)[0]
    except LtrSqlError as error:
        return str(error)
    except duckdb.InvalidInputException as error:
        return str(input_error(error))


def _rows_of_measure(means: _Means, asked: Mapping[str, Mapping[str, _Asked]]) -> Iterator[Row]:
    default = means[next(iter(asked.values()))[_OWN]]
    for convention, settings in asked.items():
        causes = [setting for setting, each in settings.items() if setting != _OWN and _differ(means[each], default)]
        yield convention, means[settings[_OWN]], ", ".join(causes)


def _differ(value: float | str | None, other: float | str | None) -> bool:
    """Return whether two means differ by more than rounding errors of their sums."""
    if isinstance(value, float) and isinstance(other, float):
        return abs(value - other) > 1e-12
    return value != other


def _change_one_setting(convention: Convention, text: str) -> dict[str, Convention]:
    """Return copies of the default convention, keyed by setting.

    Each copy changes one setting of the measure to its value in `convention`.
    """
    default_macro = parse_measure(text, find_convention(None)).definition.macro
    default = replace(find_convention(None), substitutes=convention.substitutes)
    *_, other = _under(default, text)
    macro = default_macro if isinstance(other, MeasureError) else parse_measure(other).definition.macro
    changed = {f"measure={macro}": default} if macro != default_macro else {}
    for name, value in convention.values.get(macro, {}).items():
        changed[f"{name}={value}"] = replace(default, values={macro: {name: value}})
    return changed
