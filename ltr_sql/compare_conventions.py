"""Compare the values that different tools would report, and find the settings that make them differ."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any, TypeAlias

from ltr_sql.checks import quick_check_run
from ltr_sql.errors import LtrSqlError
from ltr_sql.evaluate import bind
from ltr_sql.inputs.session import Session, with_session
from ltr_sql.inputs.tables import Table
from ltr_sql.language.catalogue import Convention, conventions
from ltr_sql.language.measure_strings import find_convention, parse_measure, parse_measures_under

# The name of a convention; the mean of a measure, or why it has none; the settings that change the mean.
Row: TypeAlias = tuple[str, float | str | None, str]


def compare_conventions(run: Any, qrels: Any, measures: Iterable[str]) -> dict[str, list[Row]]:
    """Return the rows of each measure string: one row per convention, the default first.

    A row names the settings that change the mean if they are applied to the default convention one at a time. The
    tie-breaking rule 'row_order' takes the order of the run's rows, unless the run has a column row_order.
    """

    def compare(state: Session) -> dict[str, list[Row]]:
        table = state.bind(run, "run")
        ordered = "" if "row_order" in table.columns else ", row_number() over () as row_order"
        ranked = state.load(f"(select *{ordered} from {table.sql})")
        judged = state.load(state.bind(qrels, "qrels").sql)
        quick_check_run(state.con, "the run", ranked, ())
        return {text: list(_rows_of_measure(state, ranked, judged, text)) for text in measures}

    rows: dict[str, list[Row]] = with_session(None, compare)
    return rows


def _rows_of_measure(state: Session, run: Table, qrels: Table, text: str) -> Iterator[Row]:
    @cache
    def mean(ties: str, missing: str, measure_string: str) -> float | str | None:
        try:
            (measure,) = parse_measures_under(ties, [measure_string])
            query = bind(state, run, qrels, [measure], (), ties, missing).query([measure], averaged=True)
        except LtrSqlError as error:
            return str(error)
        value: float | None = state.con.execute(query).fetchall()[0][-1]
        return value

    def canonical(convention: Convention) -> str:
        return str(parse_measure(text, convention))

    default = find_convention(None)
    default_mean = mean(default.ties, default.missing, canonical(default))
    for convention in conventions().values():
        means = {
            f"ties={convention.ties}": mean(convention.ties, default.missing, canonical(default)),
            f"missing={convention.missing}": mean(default.ties, convention.missing, canonical(default)),
        }
        for setting, changed in _change_one_setting(convention, text).items():
            means[setting] = mean(default.ties, default.missing, canonical(changed))
        causes = [setting for setting, value in means.items() if _differ(value, default_mean)]
        yield convention.name, mean(convention.ties, convention.missing, canonical(convention)), ", ".join(causes)


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
    macro = parse_measure(text, default).definition.macro
    changed = {f"measure={macro}": default} if macro != default_macro else {}
    for name, value in convention.values.get(macro, {}).items():
        changed[f"{name}={value}"] = replace(default, values={macro: {name: value}})
    return changed
