"""Evaluate measures: bind the inputs, render one query, run it."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

import duckdb

from ltr_sql.checks import quick_check, refuse_errors
from ltr_sql.errors import InputError, InputWarning
from ltr_sql.evaluated_dicts import result_of_dicts
from ltr_sql.evaluation_options import EvaluationOptions, Result
from ltr_sql.inputs.binding import Bound, bind_tables
from ltr_sql.inputs.connection import REJECTED, data_frame, names_and_rows
from ltr_sql.inputs.gains import Gains, measures_with_gains, read_gains
from ltr_sql.inputs.session import Session, with_session
from ltr_sql.inputs.tables import Table, checked_keys, require_one_segment
from ltr_sql.inputs.weights import with_weights
from ltr_sql.language.measure_strings import Measure, resolve_options
from ltr_sql.sqltext.columns import NamedColumns
from ltr_sql.sqltext.dialects import DUCKDB, string
from ltr_sql.sqltext.render import NO_WEIGHTS, Column, Renderer
from ltr_sql.sqltext.sources import Facts
from ltr_sql.stages import MEASURES, stage

# Cache rendered queries: similar calls, such as those of a training loop, have equal queries.
_RENDERED = 64
_bind_tables = lru_cache(_RENDERED)(bind_tables)


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
    weights: Any = None,
    check: bool = True,
    columns: Mapping[str, str] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """Return the values of measures: means over queries, or with `by_query` one row per query.

    - `rankings`: with `qrels`, a run with columns query_id, doc_id, and rank or score; rank is used if both exist.
      Without `qrels`, one of four tables: rankings (query_id, rank, relevance); a scored table (query_id, score,
      relevance); pairs of ranks (query_id, rank_a, rank_b; score_a and score_b if a measure compares scores); or a
      run, for measures beyond accuracy.
    - `measures`: measure strings such as 'nDCG@10'. `ltr_sql.measures()` lists the measures.
    - `qrels`: judgments with columns query_id, doc_id and relevance. Judgments with only ids are implicit feedback:
      each row is a document of grade 1.
    - `documents`, `history`, `targets`, `baseline`: tables for measures beyond accuracy, such as Gini@10 or ILD@10:
      documents (doc_id; category, popularity, group, weight, vector), documents that a user already knows (query_id,
      doc_id), shares of groups (group, share; query_id if each query has its own), and another run. These measures read
      the whole run, judged or not, and their means are over its queries. docs/beyond_accuracy.md explains them.
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
      In a mapping, a grade without an entry is its own gain: `{1: 1, 2: 3}` is trec_eval's `ndcg.1=1,2=3`.
      A list holds the gains of grades 0, 1, ..., like LightGBM's `label_gain`; a grade beyond its end is an error.
    - `weights`: weights of queries, for weighted means. A dict of query_id -> weight, a table with query_id, weight and
      any of the keys, or the name of a column of `rankings`. The column must be constant in each query. Every query
      needs one; 0 leaves it out of the means. The result has the sum of the weights in a column `weight`. Not for
      `by_query`.
    - `check`: false skips input validation and its warnings. `ltr_sql.check` lists all findings.
    - `columns`: maps your column names to ours, such as {'user_id': 'query_id', 'item_id': 'doc_id'}.
    - `con`: a DuckDB connection, for inputs that are names of its tables; by default a new connection to the in-memory
      database of this process.

    `rankings` and `qrels` may be paths (Parquet; TREC text, CSV, TSV or JSONL, also as .gz or .zst), pandas, polars or
    pyarrow tables, DuckDB relations, table names (with `con`), or dicts of dicts. A dict of name -> run holds several
    systems, and adds the grouping column system.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Its columns are the keys,
    `queries` (number of queries) or `query_id`, and one per measure string.

    Raises MeasureError for an invalid measure or an unknown convention. Raises InputError for other invalid options,
    and for input that cannot be read or scored. Warns with InputWarning of suspicious input.
    """
    custom_gains = None if gains is None else read_gains(gains)
    options = EvaluationOptions(
        *resolve_options(measures, convention, ties, missing), custom_gains, keys, by_query, check
    )
    tables = {"documents": documents, "history": history, "targets": targets, "baseline": baseline}
    frame, warning_texts = _run(rankings, qrels, tables, options, columns, con, data_frame, weights)
    for text in warning_texts:
        warnings.warn(text, InputWarning, stacklevel=2)
    return frame


def evaluate_rows(
    rankings: Any,
    measures: Iterable[str],
    *,
    qrels: Any,
    tables: Mapping[str, Any],
    by_query: bool,
    ties: str | None,
    missing: str | None,
    convention: str | None,
    gains: Gains | None,
    check: bool,
    keys: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    weights: Any = None,
) -> tuple[list[str], list[tuple[Any, ...]], list[str]]:
    """Return the result of `evaluate` as column names, rows and warnings, without importing a data frame library."""
    options = EvaluationOptions(*resolve_options(measures, convention, ties, missing), gains, keys, by_query, check)

    def result(con: duckdb.DuckDBPyConnection, query: str, _: str | None) -> tuple[list[str], list[tuple[Any, ...]]]:
        return names_and_rows(con, query)

    (names, rows), warning_texts = _run(rankings, qrels, tables, options, columns, None, result, weights)
    return names, rows, warning_texts


def _run(
    rankings: Any,
    qrels: Any,
    tables: Mapping[str, Any],
    options: EvaluationOptions,
    columns: Mapping[str, str] | None,
    con: duckdb.DuckDBPyConnection | None,
    result: Result,
    weights: Any,
) -> tuple[Any, list[str]]:
    """Open a session, and run the query of the measures in it. Returns the value of `result` and the warnings."""
    if weights is not None and options.by_query:
        raise InputError("weights are for means: leave out weights, or leave out by_query")

    def run(state: Session) -> tuple[Any, list[str]]:
        if weights is None:
            if columns is None:
                found = result_of_dicts(state, rankings, qrels, tables, options, result)
                if found is not None:
                    return found
            return run_measures(state, rankings, qrels, tables, options, result)
        bound = state.bind(rankings, "run")
        table, texts = measured_table(state, bound, qrels, tables, replace(options, by_query=True))
        query, more = weighted_means(state, options.measures, table, weights, bound)
        return result(state.con, query, state.frame), [*texts, *more]

    evaluated: tuple[Any, list[str]] = with_session(con, run, columns)
    return evaluated


def weighted_means(
    state: Session, measures: Sequence[Measure], values: Table, weights: Any, run: Table
) -> tuple[str, list[str]]:
    """Return the query of the weighted means of a table of values, and warnings."""
    for measure in measures:
        if measure.definition.over == "run":
            raise InputError(f"measure {measure.text!r} {NO_WEIGHTS}")
    columns = [Column(measure.definition, {}, DUCKDB.identifier(measure.text)) for measure in measures]
    names = {measure.text for measure in measures}
    keys = [name for name in values.columns if name not in ("query_id", *names)]
    weighted, texts = with_weights(state, weights, run, values, keys)
    query = Renderer(NamedColumns(tuple(keys), DUCKDB)).averages(columns, f"from {weighted.sql}", keys, weighted=True)
    return ordered(query, keys, run.systems, False), texts


def run_measures(
    state: Session, rankings: Any, qrels: Any, tables: Mapping[str, Any], options: EvaluationOptions, result: Result
) -> tuple[Any, list[str]]:
    """Bind the inputs in a session, check them, and run the query of the measures.

    `tables` are those that measures beyond accuracy read. Returns the value of `result` and the warnings.
    """
    if options.gains is not None:
        options = replace(options, measures=tuple(measures_with_gains(options.measures)))
    if any(measure.definition.beyond_accuracy for measure in options.measures):
        from ltr_sql.beyond_accuracy import run_families  # noqa: PLC0415  (most evaluations need none of it)

        return run_families(state, rankings, qrels, tables, options, result)
    _refuse_unread(tables)
    bound = bind(state, rankings, qrels, options)
    return result_and_warnings(state, bound, options, result)


def measured_table(
    state: Session, rankings: Any, qrels: Any, tables: Mapping[str, Any], options: EvaluationOptions
) -> tuple[Table, list[str]]:
    """Return the values of measures as a table of the session, and the warnings."""
    return run_measures(state, rankings, qrels, tables, options, stored_in(state))


def stored_in(state: Session) -> Result:
    """Return a function that stores the result of a query as a table of the session."""
    return lambda con, query, frame: state.load(f"(\n{query}\n)")


def tables_of(measures: Sequence[Measure], tables: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the tables if a measure beyond accuracy reads them, otherwise none, because other measures refuse them."""
    return tables if any(measure.definition.beyond_accuracy for measure in measures) else {}


def _refuse_unread(tables: Mapping[str, Any]) -> None:
    """Raise InputError for a table that only measures beyond accuracy read."""
    for name, table in tables.items():
        if table is not None:
            raise InputError(f"only measures beyond accuracy, such as Gini@10, read {name}=: add one, or leave it out")


def result_and_warnings(
    state: Session, bound: Bound, options: EvaluationOptions, result: Result
) -> tuple[Any, list[str]]:
    """Check bound inputs and run the query of the measures. Returns the value of `result` and the warnings."""

    def run_query(bound: Bound) -> Any:
        stage(MEASURES)
        return result(state.con, ordered_query(bound, options.measures, options.by_query), state.frame)

    if not options.check:
        return run_query(bound), []
    in_one_pass = bound.validated_as_read(options.measures)
    if in_one_pass is not None:
        with suppress(*REJECTED):
            return run_query(in_one_pass), []
    guarded, warning_texts = quick_check(state.con, bound, options.measures, options.missing)
    try:
        return run_query(guarded), warning_texts
    except REJECTED:
        # Show the invalid rows.
        refuse_errors(state.con, bound)
        # The guard also rejects a valid run that retrieves judged documents but no relevant ones.
        return run_query(bound), warning_texts


@lru_cache(_RENDERED)
def ordered_query(bound: Bound, measures: tuple[Measure, ...], by_query: bool) -> str:
    """Return the query that computes measures, sorted by keys and query_id. Systems keep the order of their input."""
    return ordered(bound.query(measures, averaged=not by_query), bound.keys, bound.run.systems, by_query)


def ordered(query: str, keys: Sequence[str], systems: Sequence[str], by_query: bool) -> str:
    """Return a query sorted by keys and query_id. `systems`: the order of the systems, if it is known."""
    columns = [*keys, *(["query_id"] if by_query else [])]
    if not columns:
        return query
    in_order = f"enum({', '.join(map(string, systems))})"
    terms = [
        f"cast({DUCKDB.identifier(name)} as {in_order})"
        if systems and name in ("system", "system_a", "system_b")
        else DUCKDB.identifier(name)
        for name in columns
    ]
    return f"from (\n{query}\n)\norder by {', '.join(terms)}"


def bind(state: Session, rankings: Any, qrels: Any, options: EvaluationOptions) -> Bound:
    """Bind rankings, a run with judgments, or a scored table as one relation that measures can read."""
    run = state.bind(rankings, "run").in_row_order(options.ties)
    return bind_with_gains(state, run, None if qrels is None else state.bind(qrels, "qrels"), options)


def bind_with_gains(state: Session, run: Table, judgments: Table | None, options: EvaluationOptions) -> Bound:
    """Bind tables of a session as one relation that measures can read, with custom gains if there are any.

    With `options.check`, the caller rejects scores that are not finite before it runs the query.
    """
    measures, gains = options.measures, options.gains
    facts = Facts(scores_checked=options.check, duplicates_checked=True)
    grouping = checked_keys(run, judgments, options.keys, [measure.text for measure in measures])
    if judgments is not None:
        require_one_segment(state.con, run, judgments, grouping.segments)
    # If every measure has a cutoff, sorting the top of the run is faster than testing whether all of it is in order.
    if judgments is not None and any(dict(measure.values).get("k") is None for measure in measures):
        facts = replace(facts, in_rank_order=state.in_rank_order(run, grouping.of_run))
    rules = (grouping.all, options.ties, options.missing)
    bound = _bind_tables(run, judgments, measures, *rules, facts=facts)
    if gains is None:
        return bound
    if judgments is None:
        run = gains.replace_grades(run)
    else:
        judgments = gains.replace_grades(judgments)
    gained = tuple(measure for measure in measures if measure.definition.gains)
    return replace(bound, gain_source=_bind_tables(run, judgments, gained, *rules, facts=facts).source)
