"""Evaluate measures: their values, means and distribution over queries."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Unpack

import duckdb

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, Measure, resolve_options
from ltr_sql.catalogue.options import Distribution, Evaluate, refuse_none, takes
from ltr_sql.errors import InputError
from ltr_sql.evaluation.accuracy import ordered, result_of_dicts, run_measures
from ltr_sql.evaluation.options import Averaging, EvaluationOptions, Inputs, averaging_of
from ltr_sql.evaluation.values import QueryValues, corrected, intervals_query, measured, refuse_own_weights, weighed
from ltr_sql.inputs.connection import Result, data_frame
from ltr_sql.inputs.gains import read_gains
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Table
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.measure_columns import Column
from ltr_sql.rendering.renderer import NO_WEIGHTS, TOTAL, TOTAL_WITHIN, Renderer, column_of, with_totals
from ltr_sql.rendering.spread import LOGARITHM, spread_query, with_intervals
from ltr_sql.rendering.templates import render_template

# What is said of a measure over runs.
NO_INTERVAL = "has one value for the whole run, and no interval over queries: leave it out, or leave out ci"


@takes(Evaluate)
def evaluate(
    rankings: Any,
    measures: Iterable[str],
    *,
    qrels: Any = None,
    documents: Any = None,
    history: Any = None,
    targets: Any = None,
    baseline: Any = None,
    keys: Sequence[str] = (),
    by_query: bool = False,
    ties: str | None = None,
    missing: str | None = None,
    convention: str | None = None,
    gains: Any = None,
    check: bool = True,
    con: duckdb.DuckDBPyConnection | None = None,
    **options: Unpack[Evaluate],
) -> Any:
    """Return the values of measures: means over queries, or with `by_query` one row per query.

    - `rankings`: with `qrels`, a run with columns query_id, doc_id, and rank or score; rank is used if both exist.
      Without `qrels`, one of four tables: rankings (query_id, rank, relevance); a scored table (query_id, score,
      relevance); pairs of ranks (query_id, rank_a, rank_b; score_a and score_b if a measure compares scores); or a
      run, for measures beyond accuracy.
    - `measures`: measure strings such as 'nDCG@10'. `ltr_sql.measures()` lists the measures.
    - `qrels`: judgments with columns query_id, doc_id and relevance. Judgments with only ids are implicit feedback:
      each row is a document of grade 1.
    - `documents`: for measures beyond accuracy, such as Gini@10 or ILD@10, a table of documents (doc_id; category,
      popularity, group, weight, vector). These measures read the whole run, judged or not, and their means are over
      the queries of the run. docs/beyond_accuracy.md explains them.
    - `history`: for measures such as Calibration, the documents that a user already knows (query_id, doc_id).
    - `targets`: for measures of fairness, the target shares of groups (group, share; query_id if each query has its
      own).
    - `baseline`: for Churn, another run.
    - `keys`: grouping columns such as system. The result has a row for each combination of their values. A key that
      is a column of `qrels` is a segment: a query belongs to the segment that its judgments name.
    - `by_query`: true for one row per query instead of means.
    - `ties`: tie-breaking rule for equal scores. The default 'docid_desc' sorts by descending doc_id, as trec_eval
      does. 'expected' returns means over all orders of tied documents, for measures that have an `expected_` form.
    - `missing`: 'zero' (the default) evaluates judged queries that the run lacks as rankings without documents, which
      most measures value 0. 'skip' leaves these queries out.
    - `convention`: a tool such as 'lightgbm' whose `ties`, `missing` and parameters of measures apply. Explicit
      arguments take precedence. `ltr_sql.conventions()` lists the conventions.
    - `gains`: custom gains of grades, for measures that use gains, such as nDCG, DCG and CG. They take precedence
      over the parameter `gain` of a convention. Other measures, such as AP(rel=2) or ERR, read the grades.
      In a mapping, a whole number without an entry is its own gain: `{1: 1, 2: 3}` is trec_eval's `ndcg.1=1,2=3`.
      A grade with a fraction and without an entry is an error.
      A list holds the gains of grades 0, 1, ..., like LightGBM's `label_gain`; a grade beyond its end is an error.
    - `check`: false skips input validation and its warnings. `ltr_sql.check` lists all findings.
    - `con`: a DuckDB connection, for inputs that are names of its tables; by default a new connection to the in-memory
      database of this process.

    `rankings` and `qrels` may be paths (Parquet; TREC text, CSV, TSV or JSONL, also as .gz or .zst), pandas, polars or
    pyarrow tables, DuckDB relations, table names (with `con`), or dicts: query_id -> doc_id -> number; query_id ->
    documents, the best first (in `qrels` all are relevant); column -> array, such as tensors. A dict of name -> run
    holds several systems, and adds the grouping column system. `from_lists` makes a run of a matrix of documents. A
    folder, a pattern or a list of paths holds the parts of one table, or a system in each file: see docs/python.md.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Its columns are the keys,
    `queries` (number of queries) or `query_id`, and one per measure string. With `weights`, `weight` is the sum of the
    weights of the queries where a measure is defined. With `ci`, columns such as nDCG@10_low and nDCG@10_high bound the
    interval of each mean over queries; sums, such as NumRel, have none. These options, and `totals`, are not for
    `by_query`.

    Raises MeasureError for an invalid measure or an unknown convention. Raises InputError for other invalid options,
    and for input that cannot be read or scored. Warns with InputWarning of suspicious input.

    >>> run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 1, "c": 2, "z": 1}}
    >>> ltr_sql.evaluate(run, ["nDCG@3", "RR", "R@2"], qrels=qrels).round(4)
       queries  nDCG@3   RR     R@2
    0        1  0.5209  0.5  0.3333
    """
    inputs = Inputs(
        rankings,
        qrels,
        {"documents": documents, "history": history, "targets": targets, "baseline": baseline},
    )
    refuse_none(False, by_query=by_query)
    refuse_none(True, check=check)
    asked = EvaluationOptions(
        *resolve_options(measures, convention, ties, missing),
        gains=None if gains is None else read_gains(gains),
        keys=keys,
        by_query=by_query,
        check=check,
    )
    averaging = averaging_of(options)
    read = {**options, "keys": keys, "convention": convention}
    return with_warnings(
        con, lambda state: evaluated(state, inputs, asked, averaging, data_frame), read, elsewhere=True
    )


def evaluated(
    state: Session, inputs: Inputs, options: EvaluationOptions, averaging: Averaging, result: Result
) -> tuple[Any, list[str]]:
    """Return the result of `evaluate`, made by `result`, and the texts of its warnings."""
    if not averaging.given:
        found = result_of_dicts(state, inputs, options.with_one_rule, result)
        return run_measures(state, inputs, options, result) if found is None else found
    if averaging.ci is not None and averaging.totals:
        raise InputError("ci has no intervals of totals: leave one of them out, or call distribution with totals")
    if options.by_query:
        option = averaging.given[0]
        raise InputError(
            f"{option} {'is' if option == 'ci' else 'are'} for means: leave out {option}, or leave out by_query"
        )
    _refuse_values_of_runs(options.measures, averaging)
    values, texts = measured(state, inputs, options, averaging)
    query, more = _query_of_means(state, options.measures, values, averaging)
    return result(state.con, query, state.frame), [*texts, *more]


def _refuse_values_of_runs(measures: Sequence[Measure], averaging: Averaging) -> None:
    """Raise InputError for a measure with one value for a run, which has no values to average."""
    for measure in measures:
        if measure.definition.over == "run":
            whys = {"weights": NO_WEIGHTS, "totals": "has one value for a run: leave out totals", "ci": NO_INTERVAL}
            why = whys[averaging.given[0]]
            raise InputError(f"measure {measure.text!r} {why}")


def means_of_values(
    state: Session, measures: Sequence[Measure], values: Table, weights: Any, run: Table
) -> tuple[str, list[str]]:
    """Return the query of the weighted means of a table of values, and warnings."""
    averaging, names = Averaging(weights=weights), [measure.text for measure in measures]
    _refuse_values_of_runs(measures, averaging)
    refuse_own_weights(measures)
    keys = [name for name in values.columns if name not in {"query_id", *names}]
    return _query_of_means(state, measures, QueryValues(values, names, keys, source=run), averaging)


def _query_of_means(
    state: Session, measures: Sequence[Measure], values: QueryValues, averaging: Averaging
) -> tuple[str, list[str]]:
    """Return the query of means, and warnings."""
    keys = values.keys
    columns = [Column(measure.definition, {}, DUCKDB.identifier(measure.text)) for measure in measures]
    weighted, texts = weighed(state, values, averaging)
    query = Renderer(NamedColumns(tuple(keys), DUCKDB)).averages(
        columns, f"from {weighted.table.sql}", keys, averaging.weights is not None, averaging.totals
    )
    if averaging.ci is not None:
        averaged = [measure for measure in measures if measure.definition.average != "sum"]
        query, more = _with_intervals(state, query, averaged, (values, weighted), averaging)
        texts = [*texts, *more]
    systems = values.source.systems if values.source is not None else ()
    return ordered(query, [*keys, TOTAL] if averaging.totals else keys, systems, False), texts


def _with_intervals(
    state: Session,
    means: str,
    measures: Sequence[Measure],
    values: tuple[QueryValues, QueryValues],
    averaging: Averaging,
) -> tuple[str, list[str]]:
    """Return the query of means with their intervals, and warnings.

    `measures`: those whose values are averaged. `values`: the values, and those with weights, if any.
    """
    if not measures:
        raise InputError("ci is for means, and these measures are sums over queries: leave ci out")
    names = [measure.text for measure in measures]
    geometric = [measure.text for measure in measures if measure.definition.average == "geometric"]
    plain, weighted = values
    texts: list[str] = []
    if averaging.has_own_interval:
        judged, texts = corrected(state, replace(plain, measures=names), averaging)
        # The means have the warnings about weights.
        judged, _ = weighed(state, judged, averaging)
        query = intervals_query(judged, averaging, geometric)
    else:
        logarithms = "".join(LOGARITHM.format(name=name) for name in geometric).removeprefix(", ")
        relation = weighted.table.sql
        relation = f"(select * replace ({logarithms}) from {relation} as v)" if geometric else relation
        query = spread_query(relation, names, plain.keys, averaging.weights is not None, level=averaging.level)
    logarithmic = {name: name in geometric for name in names}
    keys = [DUCKDB.identifier(key) for key in plain.keys]
    return with_intervals(means, query, logarithmic, keys, corrected=averaging.human is not None), texts


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
    weighted, texts = _weighed_in_groups(state, values, averaging)
    relation, keys, is_weighted = weighted.table.sql, weighted.keys, averaging.weights is not None
    query = spread_query(relation, values.measures, keys, is_weighted, level=averaging.level)
    if not averaging.has_own_interval:
        return query, texts
    judged, more = corrected(state, values, averaging)
    judged, _ = _weighed_in_groups(state, judged, averaging)
    return (
        render_template(
            "evaluation/spread_with_intervals.sql",
            spread=query,
            intervals=intervals_query(judged, averaging),
            keys=[DUCKDB.identifier(column_of(key)) for key in keys],
            names=DUCKDB.text_list(values.measures),
        ),
        [*more, *texts],
    )


def _weighed_in_groups(state: Session, values: QueryValues, averaging: Averaging) -> tuple[QueryValues, list[str]]:
    """Return the values with weights, in each group and in totals if these are wanted, and warnings."""
    values, texts = weighed(state, values, averaging)
    if not averaging.totals:
        return values, texts
    table = replace(values.table, sql=with_totals(values.table.sql, values.strata))
    return replace(values, table=table, keys=[*values.keys, TOTAL_WITHIN]), texts
