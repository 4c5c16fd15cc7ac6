"""What a measure is by the conventions of different tools, and which of their switches moves it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, TypeAlias

from ltr_sql.checks import quick_check_alone
from ltr_sql.errors import LtrSqlError
from ltr_sql.evaluate import bind
from ltr_sql.inputs.session import Session, with_session
from ltr_sql.language.catalogue import Convention, conventions
from ltr_sql.language.measure_strings import find_convention, parse_measure, parse_measures_under

# The name of a convention, the mean of a measure or why there is none, the switches that move it.
Row: TypeAlias = tuple[str, float | str | None, str]


def compared(run: Any, qrels: Any, measures: Iterable[str]) -> dict[str, list[Row]]:
    """Of each measure, for each convention: its mean, and the switches that move it away from the default's.

    The rows of the run are taken in their order by tie rules that need one. A convention that cannot be followed has
    the reason in place of a value.
    """

    def compare(state: Session) -> dict[str, list[Row]]:
        table = state.bind(run, "run")
        ordered = "" if "row_order" in table.columns else ", row_number() over () as row_order"
        state.con.execute(f"create table run as select *{ordered} from {table.sql}")
        state.con.execute(f"create table qrels as from {state.bind(qrels, 'qrels').sql}")
        tables = Session(state.con, own=False)
        quick_check_alone(state.con, "the run", tables.bind("run", "run"), ())
        return {text: list(_rows(tables, text)) for text in measures}

    found: dict[str, list[Row]] = with_session(None, compare)
    return found


def _rows(tables: Session, text: str) -> Iterator[Row]:
    @cache
    def mean(ties: str, missing: str, canonical: str) -> float | str | None:
        try:
            (measure,) = parse_measures_under(ties, [canonical])
            query = bind(tables, "run", "qrels", [measure], (), ties, missing).query([measure], averaged=True)
        except LtrSqlError as error:
            return str(error)
        value: float | None = tables.con.execute(query).fetchall()[0][-1]
        return value

    def by(convention: Convention) -> str:
        return str(parse_measure(text, convention))

    usual = find_convention(None)
    default = mean(usual.ties, usual.missing, by(usual))
    for convention in conventions().values():
        alone = [
            (f"ties={convention.ties}", mean(convention.ties, usual.missing, by(usual))),
            (f"missing={convention.missing}", mean(usual.ties, convention.missing, by(usual))),
            *((switch, mean(usual.ties, usual.missing, by(only))) for switch, only in _alone(convention, text)),
        ]
        moved = [switch for switch, value in alone if _differ(value, default)]
        yield convention.name, mean(convention.ties, convention.missing, by(convention)), ", ".join(moved)


def _differ(value: float | str | None, other: float | str | None) -> bool:
    """Whether two means differ by more than the order in which they were summed."""
    if isinstance(value, float) and isinstance(other, float):
        return abs(value - other) > 1e-12
    return value != other


def _alone(convention: Convention, text: str) -> Sequence[tuple[str, Convention]]:
    """The default convention with one switch of another each, of those that the measure has."""
    asked = parse_measure(text, find_convention(None)).definition.macro
    macro = convention.instead.get(asked, asked)
    usual = replace(find_convention(None), instead=convention.instead)
    renamed = [(f"measure={macro}", usual)] if macro != asked else []
    return [
        *renamed,
        *((f"{k}={v}", replace(usual, values={macro: {k: v}})) for k, v in convention.values.get(macro, {}).items()),
    ]
