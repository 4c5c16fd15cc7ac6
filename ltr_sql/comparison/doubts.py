"""Errors and warnings about comparisons that were made."""

from collections.abc import Iterable, Sequence
from typing import Any

from ltr_sql.catalogue.measures import definition_of
from ltr_sql.errors import InputError
from ltr_sql.inputs.tables import Rows, Table
from ltr_sql.rendering.templates import ascending


def _first_pair(rows: Rows, found: str, columns: str, where: str, order: str = "") -> Iterable[Sequence[Any]]:
    """Return the first comparison that fulfils a condition, if there is one: measure, both systems and `columns`."""
    return rows(
        f"select r.measure, r.system_a, r.system_b, {columns} from {found} as r where {where} "
        f"order by {order}r.measure asc, r.system_a asc, r.system_b asc, {ascending(columns)} limit 1"
    )


def refuse_empty(rows: Rows, found: str, warning_texts: Iterable[str] = ()) -> None:
    """Raise InputError if two systems have no query in common, or a system has no value.

    Where higher is better, a system whose values are all 0 has no value.

    - `found`: the relation of the comparisons.
    - `warning_texts`: the warnings about the input, which may name the cause. The error includes them.
    """
    for row in _first_pair(rows, found, "r.queries", "r.verdict = 'no values'"):
        raise InputError(". Also: ".join([_without_values(*row), *warning_texts]))


def _without_values(measure: str, a: str, b: str, queries: int) -> str:
    """Return the message about two systems without a common query, or a system without a value: see `refuse_empty`."""
    if queries == 0:
        return (
            f"{a} and {b} have no query in common with a value of {measure}: compare their query ids, or pass "
            "paired=False if each system saw queries of its own, as in an A/B test"
        )
    definition = definition_of(measure)
    what = "NULL" if definition is not None and definition.over == "run" else "0 or NULL for every query"
    return f"{measure} of {a} or {b} is {what}: check these runs, or pass allow_empty=True"


# Condition of the rows in which the sign test replaces the t test: all differences of the pair are equal, but not 0.
_WITHOUT_P = (
    "r.test in ('t', 'sequential') and r.p is null and r.sd = 0 and r.verdict in ('better', 'worse', 'undecided')"
)


# Condition of the rows whose mean of system a may be 0, so that Fieller's interval of the ratio has no bounds.
_NEAR_ZERO = "r.low < r.high and r.relative_low is null"


def doubts_about(rows: Rows, found: str, margin: float | str | None = None) -> list[str]:
    """Return warnings about comparisons: queries left out, t tests without a p, and shares of a mean near 0.

    `found` is the relation of the comparisons, and `margin` the option.
    """
    is_share = isinstance(margin, str) and "%" in margin
    uncommon, most = "r.only_a + r.only_b > 0 and r.ties is not null", "r.only_a + r.only_b desc, "
    return [
        *(_uncommon_warning(*row) for row in _first_pair(rows, found, "r.only_a, r.only_b", uncommon, most)),
        *(
            _constant_warning(*row)
            for row in _first_pair(rows, found, "r.difference, r.test", _WITHOUT_P)
            if margin is None
        ),
        *(_near_zero_warning(*row) for row in _first_pair(rows, found, "r.mean_a", _NEAR_ZERO) if is_share),
    ]


def doubts_about_repeats(
    rows: Rows, values: Table, columns: Sequence[str], repeats: Sequence[str], unit: str = "query of a system"
) -> list[str]:
    """Return a warning if there is nothing to average over `repeats`.

    - `values`: the table of values. `columns`: its columns that identify a `unit`.
    """
    if not repeats:
        return []
    listed = ", ".join(f"v.{values.dialect.identifier(name)}" for name in columns)
    counts = f"select count(*) as repeats from {values.sql} as v group by {listed}"
    ((most,),) = rows(f"select max(c.repeats) from ({counts}) as c")
    if most != 1:
        return []
    return [
        f"repeats {', '.join(repeats)}: nothing is averaged, because each {unit} has only one row of values. Leave "
        "repeats out, or check the query ids: a query has the same id in all its repeats"
    ]


def doubts_about_datasets(rows: Rows, found: str) -> list[str]:
    """Return warnings about means over a single dataset, and about a dataset with one common query.

    `found` is the relation of the comparisons.
    """
    one, single = "r.datasets = 1", "r.datasets > 1 and r.fewest = 1 and r.verdict = 'too few queries'"
    return [
        *(
            f"{measure} of {a} and {b}: across names one dataset, so the mean over datasets is that of its queries"
            for measure, a, b, _ in _first_pair(rows, found, "r.datasets", one)
        ),
        *(
            f"{measure} of {a} and {b}: a dataset has one common query, whose variance is unknown, so the mean over "
            "datasets has no interval: add queries to it, or ask about other datasets with generalize='datasets'"
            for measure, a, b, _ in _first_pair(rows, found, "r.datasets", single)
        ),
    ]


def _uncommon_warning(measure: str, a: str, b: str, only_a: int, only_b: int) -> str:
    """Return the warning that a comparison leaves out queries."""
    return (
        f"queries left out because one of the systems has no value ({measure}): {only_a} of {a} alone, {only_b} of "
        f"{b} alone; missing='zero' counts queries that a system lacks as 0, but leaves out NULL values"
    )


def _constant_warning(measure: str, a: str, b: str, difference: float, test: str) -> str:
    """Return the warning that a t test or a sequential test has no p."""
    return (
        f"{measure} of {a} and {b} differs by {difference:+.4g} on every query, so the {test} test has no p, and the "
        "sign test gives the verdict; for its p, pass test='sign'"
    )


def _near_zero_warning(measure: str, a: str, b: str, mean: float) -> str:
    """Return the warning that a margin is a share of a mean that may be 0."""
    return (
        f"the mean {measure} of {a} is near 0 ({mean:.4g}), so a share of it is hardly a margin for {b}: pass "
        "margin as a number"
    )
