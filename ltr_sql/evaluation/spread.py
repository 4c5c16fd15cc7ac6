"""The spread of measures over queries: `ltr_sql.distribution`."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Unpack

import duckdb

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, resolve_options
from ltr_sql.catalogue.options import Distribution, takes
from ltr_sql.evaluation.options import Averaging, EvaluationOptions, Inputs, averaging_of
from ltr_sql.evaluation.values import QueryValues, corrected, intervals_query, measured, weighed
from ltr_sql.inputs.connection import data_frame
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.renderer import TOTAL_WITHIN, column_of, with_totals
from ltr_sql.rendering.spread import spread_query
from ltr_sql.rendering.templates import render_template


@takes(Distribution)
def distribution(
    rankings: Any,
    measures: Iterable[str] | None = None,
    *,
    qrels: Any = None,
    keys: Sequence[str] = (),
    ties: str | None = None,
    missing: str | None = None,
    convention: str | None = None,
    check: bool = True,
    con: duckdb.DuckDBPyConnection | None = None,
    **options: Unpack[Distribution],
) -> Any:
    """Return the distribution of measures over queries: one row per group and measure.

    - `rankings`, `qrels`, `keys`, `ties`, `missing`, `convention`, `check`, `con`: see `evaluate`.
    - `measures`: measure strings, by default AP, RR, nDCG@10, P@10 and R@1000.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Below, x are the values
    that are not NULL, w their weights (1 by default), and n their number. Columns:

    - the keys, measure; queries (n), undefined (number of NULLs);
    - mean: sum of w x / sum of w;
    - stddev: standard deviation, sqrt(n / (n - 1) sum of w (x - mean)^2 / sum of w);
    - stderr: linearised standard error of the mean, sqrt(n / (n - 1) sum of (w (x - mean))^2) / sum of w;
    - low, high: 95% interval of the mean, by default mean -+ t stderr, with Student's t of n - 1 degrees of freedom;
    - min, p10, p25, median, p75, p90, max: quantiles. Without weights they are interpolated linearly; with
      weights, each is the smallest x whose cumulative weight reaches the share;
    - zeros: number of queries with the value 0;
    - geometric: weighted geometric mean of max(x, 0.00001);
    - effective_queries: (sum of w)^2 / sum of w^2, the number of equally weighted queries with equal error (Kish).

    `human` corrects mean, stderr, low and high, and adds the columns judged, llm_mean, human_mean, llm_weight and
    worth. The other columns describe the values under `qrels`. `cluster` applies to stderr, low and high, and adds the
    columns clusters and design_effect.

    Raises MeasureError for an invalid measure, and InputError for input or weights that cannot be used. Warns with
    InputWarning of suspicious input, and of weights for queries that the rankings lack.

    Source: Kish 1965, Survey Sampling; the standard error is that of a ratio (Cochran 1977, Sampling Techniques).

    >>> run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 1, "c": 2, "z": 1}}
    >>> ltr_sql.distribution(run, ["RR"], qrels=qrels)[["measure", "queries", "mean", "median"]]
      measure  queries  mean  median
    0      RR        1   0.5     0.5
    """
    parsed, tie_rule, missing_rule = resolve_options(measures or DEFAULT_MEASURES, convention, ties, missing)

    averaging = averaging_of(options)

    def run(state: Session) -> tuple[Any, list[str]]:
        asked = EvaluationOptions(parsed, tie_rule, missing_rule, None, keys, check=check)
        values, texts = measured(state, Inputs(rankings, qrels), asked, averaging)
        query, more = _spread(state, values, averaging)
        return data_frame(state.con, query, state.frame), [*texts, *more]

    return with_warnings(con, run, {**options, "keys": keys, "convention": convention}, elsewhere=True)


def _spread(state: Session, values: QueryValues, averaging: Averaging) -> tuple[str, list[str]]:
    """Return the query of the distribution, and warnings."""
    weighted, texts = weighed(state, values, averaging)
    query = spread_query(
        _rows(weighted, averaging),
        values.measures,
        _grouping(values, averaging),
        averaging.weights is not None,
        level=averaging.level,
    )
    if not averaging.has_own_interval:
        return query, texts
    judged, more = corrected(state, values, averaging)
    judged, _ = weighed(state, judged, averaging)
    of_groups = replace(
        judged, table=replace(judged.table, sql=_rows(judged, averaging)), keys=_grouping(values, averaging)
    )
    return (
        render_template(
            "evaluation/spread_with_intervals.sql",
            spread=query,
            intervals=intervals_query(of_groups, averaging),
            keys=[DUCKDB.identifier(column_of(key)) for key in of_groups.keys],
            names=DUCKDB.text_list(values.measures),
        ),
        [*more, *texts],
    )


def _rows(values: QueryValues, averaging: Averaging) -> str:
    """Return SQL of the values, with totals if these are wanted."""
    return with_totals(values.table.sql, values.strata) if averaging.totals else values.table.sql


def _grouping(values: QueryValues, averaging: Averaging) -> list[str]:
    """Return the grouping columns of the rows."""
    return [*values.keys, *([TOTAL_WITHIN] if averaging.totals else [])]
