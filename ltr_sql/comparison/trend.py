"""The trend of measures over periods: `ltr_sql.trend`."""

from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from ltr_sql.catalogue.options import Trend, options_of, takes
from ltr_sql.comparison.values import Given, fragments_of, values_of
from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import data_frame
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Table, listed_names
from ltr_sql.rendering.comparisons import comparison_choices, comparison_query


@takes(Trend)
def trend(rankings: Any, measures: Iterable[str] | None = None, **options: Unpack[Trend]) -> Any:
    """Return how the means of measures change over periods, such as weeks: one row per measure and period.

    - `rankings`: rankings in any form that `evaluate` accepts, with the column `by`. In a dict of period -> run, the
      column is `system`. With `values`, a table of values: one row per period and query.
    - `measures`: measure strings, by default AP, RR, nDCG@10, P@10 and R@1000. With `values`, names of columns, by
      default all numeric columns.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. The first period of a group
    has no difference. Columns, whose formulas docs/trend.md has:

    - the keys, the column `by`, measure;
    - mean, low, high: the mean of the period with its t interval; queries (with a value);
    - previous: the latest earlier period that has values; gap: true if a period lies between them without any;
    - pairing: paired if the two periods have common queries, otherwise unpaired (Welch);
    - common (queries of both); new_queries: the share of the queries that `previous` lacks;
    - difference from `previous`: the mean difference of the common queries, or unpaired that of the means;
      difference_low, difference_high: its interval, corrected as p_adjusted is;
    - mix: the rest of the change of the mean, which comes from other queries. Unpaired, it is NULL;
    - p, p_adjusted: t test of the difference, corrected for the number of periods;
    - verdict of the difference: better, worse, undecided, equal, or too few queries.

    Raises MeasureError for an invalid measure, and InputError for input that cannot be evaluated, and for a column `by`
    that holds no periods. Warns with InputWarning of suspicious input.

    Source: Student 1908, Biometrika 6; Welch 1947, Biometrika 34; Holm 1979, Scandinavian Journal of Statistics 6.

    >>> runs = {"2026-W01": {"q": ["a", "b"], "r": ["c"]}, "2026-W02": {"q": ["b", "a"], "r": ["c"]}}
    >>> found = ltr_sql.trend(runs, ["RR"], qrels={"q": {"b": 1}, "r": {"c": 1}}, by="system")
    >>> found[["system", "mean", "previous", "difference", "verdict"]]
         system  mean  previous  difference          verdict
    0  2026-W01  0.75       NaN         NaN              NaN
    1  2026-W02  1.00  2026-W01        0.25  too few queries
    """

    def run(state: Session) -> tuple[Any, list[str]]:
        query, warning_texts = trend_query(state, rankings, measures, options)
        return data_frame(state.con, query, state.frame), warning_texts

    return with_warnings(options["con"], run, options, stacklevel=4, elsewhere=True)


def trend_query(
    state: Session, rankings: Any, measures: Iterable[str] | None, options: Mapping[str, Any]
) -> tuple[str, list[str]]:
    """Return the query of a trend, and warnings. `options`: all options of `Trend`."""
    known, by = options_of(Trend), options["by"]
    known["adjust"].check(options["adjust"])
    if options["missing"] is not None:
        known["missing"].check(options["missing"])
    choices = comparison_choices(adjust=options["adjust"], confidence=options["confidence"])
    bound = state.bind(rankings, "values" if options["values"] else "run")
    if by not in bound.columns:
        raise InputError(
            f"the column {by!r} of the periods is not in the input, whose columns are {listed_names(bound.columns)}: "
            "pass the column of the periods as by"
        )
    given = Given(bound, measures, {**options, "compared": by, "repeats": ()})
    values, warning_texts = values_of(state, _with_missing(state, given))
    # A query that a period lacks has been counted, or left out, so the comparison skips it.
    return comparison_query(fragments_of(values, given.having(missing="skip")), choices, "trend"), warning_texts


def _with_missing(state: Session, given: Given) -> Given:
    """Decide what becomes of judged queries that a period lacks, if the caller did not, and bind the judgments."""
    qrels = given.options["qrels"]
    if qrels is None or given.options["values"]:
        return given
    bound: Table = state.bind(qrels, "qrels")
    if given.compared in bound.columns:
        _refuse_several_periods(state, bound, given.compared)
    decided = given.options["missing"] or given.options["convention"] or given.compared in bound.columns
    return given.having(qrels=bound, **({} if decided else {"missing": "skip"}))


def _refuse_several_periods(state: Session, qrels: Table, by: str) -> None:
    """Raise InputError if judgments name several periods of a query, because a query belongs to one segment."""
    found = state.rows_of(qrels)(
        f"select j.query_id from {qrels.sql} as j group by j.query_id "
        f"having count(distinct j.{qrels.dialect.identifier(by)}) > 1 order by j.query_id asc limit 1"
    )
    if found:
        raise InputError(
            f"the judgments have query {found[0][0]} in several values of {by}: leave the column out of the judgments, "
            "which then count in each period, and pass the queries of each period as asked"
        )
