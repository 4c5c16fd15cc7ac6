"""Evaluate measures: bind the inputs, render one query, run it."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import duckdb

from ltr_sql.checks import quick_check, refuse_errors
from ltr_sql.errors import InputError, InputWarning
from ltr_sql.inputs.binding import Bound, bind_tables
from ltr_sql.inputs.connection import data_frame, names_and_rows
from ltr_sql.inputs.gains import Gains, measures_with_gains, read_gains
from ltr_sql.inputs.session import Session, with_session
from ltr_sql.inputs.tables import Table, checked_keys, comparable
from ltr_sql.language.measure_strings import Measure, resolve_options
from ltr_sql.sqltext.dialects import DUCKDB
from ltr_sql.sqltext.sources import Facts

# Errors that DuckDB raises when a condition inside a query finds invalid rows.
_REJECTED = (duckdb.InvalidInputException, duckdb.ConversionException)


def evaluate(
    rankings: Any,
    measures: Iterable[str],
    *,
    qrels: Any = None,
    keys: Sequence[str] = (),
    by_query: bool = False,
    ties: str | None = None,
    missing: str | None = None,
    convention: str | None = None,
    gains: Any = None,
    check: bool = True,
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """Return the values of measures: means over queries, or with `by_query` one row per query.

    - `rankings`: with `qrels`, a run with columns query_id, doc_id, and rank or score; rank is used if both exist.
      Without `qrels`, one of three tables: rankings (query_id, rank, relevance), a scored table (query_id, score,
      relevance), or pairs of ranks (query_id, rank_a, rank_b, and for measures of scores score_a, score_b).
    - `measures`: measure strings such as 'nDCG@10'. `ltr_sql.measures()` lists the measures.
    - `qrels`: judgments with columns query_id, doc_id and relevance.
    - `keys`: grouping columns such as system. The result has a row for each combination of their values. A key that
      is a column of `qrels` is a segment: a query belongs to the segment that its judgments name.
    - `by_query`: true for one row per query instead of means.
    - `ties`: tie-breaking rule for equal scores. The default 'docid_desc' sorts by descending doc_id, as trec_eval
      does. 'expected' returns means over all orders of tied documents, for measures that have an `expected_` form.
    - `missing`: judged queries that the run lacks count as 0 ('zero', the default) or are left out ('skip').
    - `convention`: a tool such as 'lightgbm' whose `ties`, `missing` and parameters of measures apply. Explicit
      arguments take precedence. `ltr_sql.conventions()` lists the conventions.
    - `gains`: custom gains of grades, for measures that use gains, such as nDCG, DCG and CG. They take precedence
      over the parameter `gain` of a convention. Other measures, such as AP(rel=2) or ERR, read the grades.
      In a mapping, a grade without an entry is its own gain: `{1: 1, 2: 3}` is trec_eval's `ndcg.1=1,2=3`.
      A list holds the gains of grades 0, 1, ..., like LightGBM's `label_gain`; a grade beyond its end is an error.
    - `check`: false skips input validation and its warnings. `ltr_sql.check` lists all findings.
    - `con`: a DuckDB connection, for inputs that are names of its tables; by default a new connection to the in-memory
      database of this process.

    `rankings` and `qrels` may be paths (TREC text, Parquet, CSV, TSV, JSONL; also .gz or .zst), pandas, polars or
    pyarrow tables, DuckDB relations, table names (with `con`), or dicts of dicts. A dict of name -> run holds several
    systems, and adds the grouping column system.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Its columns are the keys,
    `queries` (number of queries) or `query_id`, and one per measure string.

    Raises MeasureError for an invalid measure, and InputError for input that cannot be read or scored. Warns with
    InputWarning of suspicious input.
    """
    custom_gains = None if gains is None else read_gains(gains)
    options = resolve_options(measures, convention, ties, missing)
    frame, warning_texts = _run(rankings, qrels, *options, custom_gains, keys, by_query, check, con, data_frame)
    for text in warning_texts:
        warnings.warn(text, InputWarning, stacklevel=2)
    return frame


def evaluate_rows(
    rankings: Any,
    measures: Iterable[str],
    *,
    qrels: Any,
    by_query: bool,
    ties: str | None,
    missing: str | None,
    convention: str | None,
    gains: Gains | None,
    check: bool,
) -> tuple[list[str], list[tuple[Any, ...]], list[str]]:
    """Return the result of `evaluate` as column names, rows and warnings, without importing a data frame library."""
    options = resolve_options(measures, convention, ties, missing)

    def result(con: duckdb.DuckDBPyConnection, query: str, _: str | None) -> tuple[list[str], list[tuple[Any, ...]]]:
        return names_and_rows(con, query)

    (names, rows), warning_texts = _run(rankings, qrels, *options, gains, (), by_query, check, None, result)
    return names, rows, warning_texts


def _run(
    rankings: Any,
    qrels: Any,
    measures: Sequence[Measure],
    ties: str,
    missing: str,
    gains: Gains | None,
    keys: Sequence[str],
    by_query: bool,
    check: bool,
    con: duckdb.DuckDBPyConnection | None,
    result: Callable[[duckdb.DuckDBPyConnection, str, str | None], Any],
) -> tuple[Any, list[str]]:
    """Bind the inputs, check them, and run the query of the measures.

    `result` is called with the connection, the query, and the name of the data frame library of the inputs. Returns
    its value and the warnings.
    """
    measures = measures if gains is None else measures_with_gains(measures)

    def run(state: Session) -> tuple[Any, list[str]]:
        def run_query(bound: Bound) -> Any:
            return result(state.con, ordered_query(bound, measures, by_query), state.frame)

        bound = bind(state, rankings, qrels, measures, keys, ties, missing, gains=gains, scores_checked=check)
        if not check:
            return run_query(bound), []
        in_one_pass = bound.validated_as_read(measures)
        if in_one_pass is not None:
            with suppress(*_REJECTED):
                return run_query(in_one_pass), []
        guarded, warning_texts = quick_check(state.con, bound, measures, missing)
        try:
            return run_query(guarded), warning_texts
        except _REJECTED:
            # Show the invalid rows. If the error has ended the caller's transaction, no query can look for them.
            with suppress(duckdb.TransactionException):
                refuse_errors(state.con, bound)
                # There are none if the run retrieves judged documents, but no relevant one.
                return run_query(bound), warning_texts
            raise

    evaluated: tuple[Any, list[str]] = with_session(con, run)
    return evaluated


def ordered_query(bound: Bound, measures: Sequence[Measure], by_query: bool) -> str:
    """Return the query of measures. It sorts the result if there may be more than one row."""
    query = bound.query(measures, averaged=not by_query)
    return f"from (\n{query}\n)\norder by all" if by_query or bound.keys else query


def bind(
    state: Session,
    rankings: Any,
    qrels: Any,
    measures: Sequence[Measure],
    keys: Sequence[str],
    ties: str,
    missing: str,
    *,
    gains: Gains | None = None,
    scores_checked: bool = False,
) -> Bound:
    """Bind rankings, a run with judgments, or a scored table as one relation that measures can read.

    `scores_checked` is true if the caller rejects scores that are not finite before it runs the query.
    """
    run = state.bind(rankings, "run")
    judgments = None if qrels is None else state.bind(qrels, "qrels")
    facts = Facts(scores_checked=scores_checked, duplicates_checked=True)
    grouping = checked_keys(run, judgments, keys, [measure.text for measure in measures])
    if judgments is not None:
        _require_equal_segments(state, run, judgments, grouping.segments)
    # If every measure has a cutoff, sorting the top of the run is faster than testing whether all of it is in order.
    if judgments is not None and any(dict(measure.values).get("k") is None for measure in measures):
        facts = replace(facts, in_rank_order=state.in_rank_order(run, grouping.of_run))
    bound = bind_tables(run, judgments, measures, keys, ties, missing, facts=facts)
    if gains is None:
        return bound
    if judgments is None:
        run = gains.replace_grades(run)
    else:
        judgments = gains.replace_grades(judgments)
    gained = [measure for measure in measures if measure.definition.gains]
    return replace(bound, gain_source=bind_tables(run, judgments, gained, keys, ties, missing, facts=facts).source)


def _require_equal_segments(state: Session, run: Table, qrels: Table, segments: Iterable[str]) -> None:
    """Raise InputError if run and judgments place a query in different segments."""
    for segment in set(segments) & run.columns.keys():
        name = DUCKDB.identifier(segment)
        rows = [f"(select distinct t.query_id, t.{name} as segment from {t.sql} as t)" for t in comparable(run, qrels)]
        differing = state.con.execute(
            f"select r.query_id, r.segment, q.segment from {rows[0]} as r join {rows[1]} as q "
            "on q.query_id = r.query_id where r.segment is distinct from q.segment order by all limit 1"
        ).fetchall()
        for query, in_run, in_qrels in differing:
            raise InputError(
                f"the key {segment!r} is a column of both run and judgments, but of query {query!r} it is {in_run!r} "
                f"in the run and {in_qrels!r} in the judgments: rename it in the judgments if it names no segment"
            )
