"""The spread of measures over queries: `ltr_sql.distribution`."""

from collections.abc import Iterable, Sequence
from typing import Any, Unpack

import duckdb

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, resolve_options
from ltr_sql.catalogue.options import Reading, takes
from ltr_sql.evaluation.families import measured_table
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.connection import data_frame
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.weights import with_weights
from ltr_sql.rendering.spread import spread_query
from ltr_sql.rendering.totals import SYSTEM, with_totals


@takes(Reading)
def distribution(
    rankings: Any,
    measures: Iterable[str] | None = None,
    *,
    qrels: Any = None,
    keys: Sequence[str] = (),
    weights: Any = None,
    totals: bool = False,
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

    - `totals`: true adds the rows over all segments, whose keys are None; see `evaluate`.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Below, x are the values
    that are not NULL, w their weights (1 by default), and n their number. Columns:

    - the keys, measure; queries (n), undefined (number of NULLs);
    - mean: sum of w x / sum of w;
    - stddev: standard deviation, sqrt(n / (n - 1) sum of w (x - mean)^2 / sum of w);
    - stderr: linearised standard error of the mean, sqrt(n / (n - 1) sum of (w (x - mean))^2) / sum of w;
    - low, high: 95 % interval of the mean, mean -+ t stderr, with Student's t of n - 1 degrees of freedom;
    - min, p10, p25, median, p75, p90, max: quantiles. Without weights they are interpolated linearly; with
      weights, each is the smallest x whose cumulative weight reaches the share;
    - zeros: number of queries with the value 0;
    - geometric: weighted geometric mean of max(x, 0.00001);
    - effective_queries: (sum of w)^2 / sum of w^2, the number of equally weighted queries with equal error (Kish).

    Raises MeasureError for an invalid measure, and InputError for input or weights that cannot be used. Warns with
    InputWarning of suspicious input, and of weights for queries that the rankings lack.

    Source: Kish 1965, Survey Sampling; the standard error is that of a ratio (Cochran 1977, Sampling Techniques).
    """
    parsed, tie_rule, missing_rule = resolve_options(measures or DEFAULT_MEASURES, convention, ties, missing)

    def run(state: Session) -> tuple[Any, list[str]]:
        run_table = state.bind(rankings, "run")
        options = EvaluationOptions(parsed, tie_rule, missing_rule, None, keys, by_query=True, check=check)
        table, warning_texts = measured_table(state, Inputs(run_table, qrels), options)
        names = [measure.text for measure in parsed]
        all_keys = [name for name in table.columns if name not in ("query_id", *names)]
        if weights is not None:
            table, more = with_weights(state, weights, run_table, table, all_keys)
            warning_texts = [*warning_texts, *more]
        rows = with_totals(table.sql, [name for name in all_keys if name != SYSTEM]) if totals else table.sql
        query = spread_query(rows, names, all_keys, weights is not None)
        return data_frame(state.con, query, state.frame), warning_texts

    return with_warnings(con, run, reading)
