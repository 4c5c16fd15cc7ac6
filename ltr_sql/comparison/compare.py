"""Compare systems and periods: tests and intervals, leaderboards, trends, wins by query, and variance."""

import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any, Unpack

from ltr_sql.catalogue.options import Compare, Differences, Leaderboard, Orders, Trend, options_of, takes
from ltr_sql.comparison.decisions import compared, decided
from ltr_sql.comparison.values import Given, doubts_about_one_dataset, fragments_of, values_of
from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import data_frame, own_connection
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Table, listed_names
from ltr_sql.rendering.comparisons import (
    LARGEST,
    POWER,
    comparison_choices,
    comparison_query,
    level_of,
    queries_needed_query,
    shown_query,
    values_query,
    wins_query,
)
from ltr_sql.rendering.measure_columns import expressions
from ltr_sql.rendering.templates import sql_value


@takes(Compare)
def compare(rankings: Any, measures: Iterable[str] | None = None, **options: Unpack[Compare]) -> Any:
    """Return differences between systems, with tests and intervals: one row per measure and pair of systems.

    - `rankings`: several systems in any form that `evaluate` accepts: a dict of name -> run, or a table with a column
      `system`. With `values`, a table of values.
    - `measures`: measure strings, by default AP, RR, nDCG@10, P@10 and R@1000. With `values`, names of columns, by
      default all numeric columns.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Its columns, which
    docs/compare.md explains:

    - the keys, measure, system_a, system_b: the baseline comes first, two runs of a dict or of files are in its order,
      and other systems in alphabetical order;
    - mean_a, mean_b, difference (b - a; for GMAP and GMBpref that of the logarithms);
    - low, high: interval of the difference, and p_adjusted, both corrected for several comparisons;
    - verdict;
    - with `human`, `cluster` and `across`, the columns about people, clusters and datasets that docs/compare.md lists.

    With `details`, also

    - queries (in common), only_a, only_b (queries that only one system has). With paired=False, queries are those of
      both systems;
    - relative (difference / mean_a; for GMAP and GMBpref mean_b / mean_a - 1), relative_low, relative_high: its
      interval;
    - sd of the differences; confidence: the coverage of low and high; uncorrected_low, uncorrected_high: the interval
      without a correction;
    - dz, gz: effect sizes;
    - wins, ties, losses (of b), superiority;
    - test, statistic, df, p;
    - p_not_worse, p_worse, p_equivalent: one-sided t tests against the margin. Without one, the margin is 0, and
      p_equivalent is NULL;
    - mde: the smallest true difference that a test on this number of queries finds with power 0.8;
    - queries_needed: the number of queries that a test needs to find the observed difference with power 0.8.

    A measure with one value for a run, such as Gini, has the verdict 'no test', because no query has a value. low and
    high are difference -+ t * standard error, by a bootstrap over queries. Of the other columns, only those of queries,
    means and differences have values.

    Raises MeasureError for an invalid measure, and InputError for options and input that cannot be compared. Warns
    with InputWarning of suspicious input, of queries that only one system has, and, given `qrels`, of runs that differ
    in depth or in unjudged documents.

    Source: `reference` in the headers of sql/tests/, sql/adjustments/ and sql/intervals/.

    >>> old, new = {"q": {"a": 2.0, "b": 1.0}, "r": {"c": 1.0}}, {"q": {"b": 2.0, "a": 1.0}, "r": {"c": 1.0}}
    >>> qrels = {"q": {"b": 1}, "r": {"c": 1}}
    >>> compared = ltr_sql.compare({"old": old, "new": new}, ["RR"], qrels=qrels)
    >>> compared[["measure", "mean_a", "mean_b", "difference", "verdict"]]
      measure  mean_a  mean_b  difference          verdict
    0      RR    0.75     1.0        0.25  too few queries
    """
    given, choices = Given(rankings, measures, options), comparison_choices(**options)

    def query(state: Session) -> tuple[str, list[str]]:
        found = decided(state, compared(state, given, choices.test), choices)
        return shown_query(found.found.sql, options["details"]), [*found.warnings]

    return _answered(options, query)


@takes(Leaderboard)
def leaderboard(rankings: Any, measures: Iterable[str] | None = None, **options: Unpack[Leaderboard]) -> Any:
    """Return the systems of each measure, sorted by their means, with their significant differences.

    One system is enough: the result is then its mean with an interval. For the arguments see `compare`. Returns a data
    frame with the columns

    - the keys, measure, place, system, queries, mean;
    - low, high: t interval of the mean;
    - beats: list of the systems that are significantly worse;
    - tied_with_best: true if the best system is not significantly better;
    - letters: systems that share a letter do not differ significantly;
    - place_low, place_high: bounds of the place, given the significant differences;
    - p_best: share of bootstrap samples of the queries, or with `across` of the datasets, in which the system has the
      best mean;
    - sd_repeats: standard deviation of the means of the repeats;
    - with `across`, datasets (their number), borda (points as MTEB counts them), and sampled_low and sampled_high: the
      interval of the place over bootstrap samples of the datasets. For one dataset, these and p_best are NULL.

    >>> old, new = {"q": {"a": 2.0, "b": 1.0}, "r": {"c": 1.0}}, {"q": {"b": 2.0, "a": 1.0}, "r": {"c": 1.0}}
    >>> board = ltr_sql.leaderboard({"old": old, "new": new}, ["RR"], qrels={"q": {"b": 1}, "r": {"c": 1}})
    >>> board[["place", "system", "mean", "letters"]]
       place system  mean letters
    0      1    new  1.00       a
    1      2    old  0.75       a
    """
    given, choices = Given(rankings, measures, options), comparison_choices(**options)

    def query(state: Session) -> tuple[str, list[str]]:
        values, warning_texts = values_of(state, given)
        found = state.load(f"(\n{comparison_query(fragments_of(values, given), choices, 'leaderboard')}\n)")
        if given.across:
            warning_texts = [*warning_texts, *doubts_about_one_dataset(state.rows, found.sql)]
        return f"from {found.sql}", warning_texts

    return _answered(options, query)


@takes(Orders)
def system_agreement(rankings: Any, measures: Iterable[str] | None = None, **options: Unpack[Orders]) -> Any:
    """Return how far two orders of the systems agree: one row per pair of orders.

    Two measures order the systems differently, and so do two values of the `keys` under one measure, such as two
    periods or two sets of judgments. Place 1 has the best mean. For the arguments see `compare`.

    Returns a data frame with the columns

    - KEY_a and KEY_b for each key, measure_a, measure_b: the two orders;
    - systems: number of systems in both orders;
    - tau: Kendall's tau, the share of pairs in the same order minus that of pairs in opposite orders; tau_b: corrected
      for equal means; tau_ap: AP correlation, weighted towards the top of order a; weighted_tau: weighted by 1 / place.
      Each is NULL where the measure of agreement is undefined;
    - swapped: number of pairs of systems that are in opposite orders; shown_a, shown_b: those whose difference is
      significant in order a, and in order b; contradicted: those where both are;
    - swaps: a list of the swapped pairs: system_a, system_b, and for each order the difference of the means (of
      system_b minus system_a), its adjusted p, and the verdict of `compare`.

    Raises InputError if there is only one order.

    Source: `reference` in the headers of sql/agreement/; Voorhees 1998, SIGIR (agreement of orders of systems).

    >>> runs = {"old": {"q": ["a", "b"]}, "new": {"q": ["b", "a"]}}
    >>> found = ltr_sql.system_agreement(runs, ["RR", "P@1"], qrels={"q": {"b": 1}})
    >>> found[["measure_a", "measure_b", "systems", "tau"]]
      measure_a measure_b  systems  tau
    0        RR       P@1        2  1.0
    """
    given, choices = Given(rankings, measures, options), comparison_choices(**options)

    def query(state: Session) -> tuple[str, list[str]]:
        values, warning_texts = values_of(state, given)
        found = state.load(f"(\n{comparison_query(fragments_of(values, given), choices, 'system_agreement')}\n)")
        if not state.rows(f"select 1 from {found.sql} limit 1"):
            raise InputError(
                "there is one order of the systems: pass several measures, or keys whose values are compared, such as "
                "the period or the judgments"
            )
        return f"from {found.sql}", warning_texts

    return _answered(options, query)


@takes(Differences)
def wins(
    rankings: Any, a: str, b: str, measures: str | Iterable[str] | None = None, **options: Unpack[Differences]
) -> Any:
    """Return the common queries of two systems, the largest difference first.

    - `a`, `b`: names of systems in `rankings`.
    - Other arguments: see `compare`. `missing`: 'error' leaves queries out, as 'skip' does.

    Returns a data frame with the columns

    - the keys, measure, query_id;
    - a, b: values of the systems (for GMAP and GMBpref their logarithms); difference (b - a); rank of its size;
      running_sum of the differences;
    - leverage: change of the mean difference if this query is left out;
    - flips: true if the sign of the mean difference then changes.

    >>> old, new = {"q": {"a": 2.0, "b": 1.0}, "r": {"c": 1.0}}, {"q": {"b": 2.0, "a": 1.0}, "r": {"c": 1.0}}
    >>> qrels = {"q": {"b": 1}, "r": {"c": 1}}
    >>> ltr_sql.wins({"old": old, "new": new}, "old", "new", "RR", qrels=qrels)[["query_id", "a", "b", "difference"]]
      query_id    a    b  difference
    0        q  0.5  1.0         0.5
    1        r  1.0  1.0         0.0
    """
    given = Given(rankings, [measures] if isinstance(measures, str) else measures, options)

    def query(state: Session) -> tuple[str, list[str]]:
        values, warning_texts = values_of(state, given)
        return wins_query(fragments_of(values, given), str(a), str(b)), warning_texts

    return _answered(options, query)


@takes(Differences)
def variance(rankings: Any, measures: str | Iterable[str] | None = None, **options: Unpack[Differences]) -> Any:
    """Return the variance of values split into systems, queries and error (two-way analysis without replication).

    For the arguments see `compare`. Every system needs a value for every query: leave other queries out, or pass
    missing='zero'. Returns a data frame with one row per measure and source, and the columns

    - the keys, measure, source: 'system', 'query' or 'error';
    - df, ss, ms: degrees of freedom, sum of squares and mean square;
    - f, p: the F test of systems or queries against the error;
    - variance: the variance component; share: its share of the sum of the three components;
    - generalizability: how well these queries rank the systems, in the row 'system'. It is 1 if other queries would
      give the same ranking.

    Source: Sakai 2018, Laboratory Experiments in Information Retrieval; Urbano, Marrero & Martin 2013, SIGIR.

    >>> runs = {"old": {"q": ["a", "b"], "r": ["c"]}, "new": {"q": ["b", "a"], "r": ["c"]}}
    >>> ltr_sql.variance(runs, ["RR"], qrels={"q": {"b": 1}, "r": {"c": 1}})[["source", "df", "ms", "share"]]
       source   df      ms  share
    0  system  1.0  0.0625    0.0
    1   query  1.0  0.0625    0.0
    2   error  1.0  0.0625    1.0
    """
    given = Given(rankings, [measures] if isinstance(measures, str) else measures, options)

    def query(state: Session) -> tuple[str, list[str]]:
        values, warning_texts = values_of(state, given)
        return values_query("variance", fragments_of(values, given)), warning_texts

    return _answered(options, query)


def queries_needed(sd: float, difference: float, *, power: float = POWER, confidence: float = 0.95) -> int:
    """Return the number of queries that a two-sided paired t test needs to find a difference.

    - `sd`: standard deviation of the differences, such as the column `sd` of an earlier `compare`.
    - `difference`: the true mean difference.
    - `power`: probability that the test finds it.
    - `confidence`: 1 minus the level of the test.

    Raises InputError for values out of range. Source: Guenther 1981, The American Statistician 35. Up to 10,000
    queries, his approximation is made exact by the noncentral t distribution.

    >>> ltr_sql.queries_needed(0.02, 0.2)
    3
    """
    largest = float(LARGEST)
    for name, value, valid, allowed in (
        ("sd", sd, lambda x: 0 < x <= largest, f"a number above 0, of at most {LARGEST}"),
        ("difference", difference, lambda x: 0 < abs(x) <= largest, f"a number other than 0, of at most {LARGEST}"),
        ("power", power, lambda x: 0 < x < 1, "between 0 and 1"),
        ("confidence", confidence, lambda x: 0 < x < 1, "between 0 and 1"),
    ):
        if not isinstance(value, Real) or not math.isfinite(value) or not valid(value):
            raise InputError(f"{name} must be {allowed}, got {value}")
    effect = f"{sql_value(float(difference))} / {sql_value(float(sd))}"
    level = sql_value(level_of(confidence))
    query = queries_needed_query(effect, sql_value(float(power)), level, expressions())
    with own_connection() as con:
        needed: int = con.execute(query).fetchall()[0][0]
    return needed


def _answered(options: Mapping[str, Any], query: Callable[[Session], tuple[str, list[str]]]) -> Any:
    """Return the rows of a query, which comes with warnings. These name the line that called the public function."""

    def run(state: Session) -> tuple[Any, list[str]]:
        text, warning_texts = query(state)
        return data_frame(state.con, text, state.frame), warning_texts

    # Three frames stand between that line and this one: this function, the public one, and the wrapper of `takes`.
    return with_warnings(options["con"], run, options, stacklevel=5, elsewhere=True)


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
    return _answered(options, lambda state: trend_query(state, rankings, measures, options))


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
