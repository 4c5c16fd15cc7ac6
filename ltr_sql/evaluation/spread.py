"""The spread of measures over queries: `ltr_sql.distribution`."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Unpack

import duckdb

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, resolve_options
from ltr_sql.catalogue.option_checks import refuse_none
from ltr_sql.catalogue.options import Reading, takes
from ltr_sql.evaluation.families import measured_table
from ltr_sql.evaluation.intervals import Interval, Read, intervals_query, keys_of, with_people
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.connection import data_frame
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.weights import with_weights
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.spread import spread_query
from ltr_sql.rendering.templates import render_template
from ltr_sql.rendering.totals import SYSTEM, TOTAL_WITHIN, column_of, with_totals


@takes(Reading)
def distribution(
    rankings: Any,
    measures: Iterable[str] | None = None,
    *,
    qrels: Any = None,
    keys: Sequence[str] = (),
    weights: Any = None,
    totals: bool = False,
    ci: str = "t",
    human: Any = None,
    cluster: Any = None,
    allow_unjudged: bool = False,
    ties: str | None = None,
    missing: str | None = None,
    convention: str | None = None,
    check: bool = True,
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return the distribution of measures over queries: one row per group and measure.

    - `rankings`, `qrels`, `keys`, `ties`, `missing`, `convention`, `check`, `con`: see `evaluate`.
    - `measures`: measure strings, by default AP, RR, nDCG@10, P@10 and R@1000.
    - `weights`: weights of queries, such as their traffic. A dict of query_id -> weight, a table with query_id, weight
      and any of the keys, or the name of a column of `rankings`. The column must be constant in each query. Every query
      needs a weight; 0 leaves the query out.
    - `totals`: true adds the rows over all segments, whose keys are None, and a column `total`; see `evaluate`.
    - `ci`: method of the 95 % interval of the mean, such as 't' or 'bca'; see `evaluate`.
    - `human`: judgments by people for a random sample of the queries; see `evaluate`. They correct mean, stderr, low
      and high, and add the columns judged, llm_mean, human_mean, llm_weight and worth. The other columns describe the
      values under `qrels`.
    - `cluster`: queries that belong together; see `evaluate`. The option applies to stderr, low and high, and adds the
      columns clusters and design_effect.
    - `allow_unjudged`: see `evaluate`.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Below, x are the values
    that are not NULL, w their weights (1 by default), and n their number. Columns:

    - the keys, measure; queries (n), undefined (number of NULLs);
    - mean: sum of w x / sum of w;
    - stddev: standard deviation, sqrt(n / (n - 1) sum of w (x - mean)^2 / sum of w);
    - stderr: linearised standard error of the mean, sqrt(n / (n - 1) sum of (w (x - mean))^2) / sum of w;
    - low, high: 95 % interval of the mean, by default mean -+ t stderr, with Student's t of n - 1 degrees of freedom;
    - min, p10, p25, median, p75, p90, max: quantiles. Without weights they are interpolated linearly; with
      weights, each is the smallest x whose cumulative weight reaches the share;
    - zeros: number of queries with the value 0;
    - geometric: weighted geometric mean of max(x, 0.00001);
    - effective_queries: (sum of w)^2 / sum of w^2, the number of equally weighted queries with equal error (Kish).

    Raises MeasureError for an invalid measure, and InputError for input or weights that cannot be used. Warns with
    InputWarning of suspicious input, and of weights for queries that the rankings lack.

    Source: Kish 1965, Survey Sampling; the standard error is that of a ratio (Cochran 1977, Sampling Techniques).

    >>> run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 1, "c": 2, "z": 1}}
    >>> ltr_sql.distribution(run, ["RR"], qrels=qrels)[["measure", "queries", "mean", "median"]]
      measure  queries  mean  median
    0      RR        1   0.5     0.5
    """
    parsed, tie_rule, missing_rule = resolve_options(measures or DEFAULT_MEASURES, convention, ties, missing)

    refuse_none(False, totals=totals)
    refuse_none("t", ci=ci)
    interval = Interval(ci, weights, human, cluster, allow_unjudged)

    def run(state: Session) -> tuple[Any, list[str]]:
        inputs = Inputs(state.bind(rankings, "run"), qrels)
        options = EvaluationOptions(parsed, tie_rule, missing_rule, None, keys, by_query=True, check=check)
        measured = interval.measured(options)
        table, texts = measured_table(state, inputs, measured)
        read = Read(inputs, options, table, keys_of(table, measured.measures))
        query, more = _spread(state, read, interval, totals)
        return data_frame(state.con, query, state.frame), [*texts, *more]

    return with_warnings(con, run, {**reading, "keys": keys, "convention": convention}, elsewhere=True)


def _spread(state: Session, read: Read, interval: Interval, totals: bool) -> tuple[str, list[str]]:
    """Return the query of the distribution, and warnings."""
    segments = [name for name in read.keys if name != SYSTEM]
    texts: list[str] = []
    table = read.values
    if interval.weights is not None:
        table, texts = with_weights(state, interval.weights, read.run, table, read.keys)

    def rows(relation: str) -> str:
        return with_totals(relation, segments) if totals else relation

    names = [measure.text for measure in read.options.measures]
    grouping = [*read.keys, TOTAL_WITHIN] if totals else read.keys
    query = spread_query(rows(table.sql), names, grouping, interval.weights is not None)
    if interval.is_usual:
        return query, texts
    judged, texts = with_people(state, read, interval)
    return (
        render_template(
            "evaluation/spread_with_intervals.sql",
            spread=query,
            intervals=intervals_query(rows(judged.sql), replace(read, keys=grouping), interval),
            keys=[DUCKDB.identifier(column_of(key)) for key in grouping],
            names=DUCKDB.text_list(names),
        ),
        texts,
    )
