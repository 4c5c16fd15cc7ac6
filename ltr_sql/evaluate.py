"""Measures of rankings as data frames: binds what the caller has, renders one query, runs it."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import duckdb

from ltr_sql.checks import quick_check, refuse_errors
from ltr_sql.errors import InputWarning
from ltr_sql.inputs.binding import Bound, bind_tables
from ltr_sql.inputs.connection import data_frame, names_and_rows
from ltr_sql.inputs.gains import Gains, measures_with_gains, read_gains
from ltr_sql.inputs.session import Session, with_session
from ltr_sql.inputs.tables import check_keys
from ltr_sql.language.measure_strings import Measure, resolve_options
from ltr_sql.sqltext.sources import Facts

# The exceptions of a query that a check stops.
_STOPPED = (duckdb.InvalidInputException, duckdb.ConversionException)


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
    """Measures of rankings: means over queries, or with `by_query` one row for each query.

    `rankings` is, with `qrels`, a run (query_id, doc_id, and rank or score: rank is used where there is such a column);
    without, rankings (query_id, rank, relevance), a scored table (query_id, score, relevance) or pairs (query_id,
    rank_a, rank_b; for measures of scores score_a, score_b too). All may be paths (TREC text, Parquet, CSV, TSV, JSONL;
    .gz), pandas, polars or pyarrow tables, DuckDB relations, names of tables (with `con`), or dicts of dicts; a dict of
    name -> run is several systems.
    `measures` are strings such as 'nDCG@10': `ltr_sql.measures()` lists them.

    `keys`: columns that tell rankings apart (`["system"]`), one row each. `ties`: what comes first among equal
    scores, 'docid_desc' by default as in trec_eval; 'expected' is the mean over all orders of tied documents, for the
    measures that have an `expected_` form. `missing`: judged queries that the run lacks count as 0 ('zero', the
    default) or not at all ('skip'). `convention`: the name of a tool ('lightgbm'; `ltr_sql.conventions()` lists them)
    whose tie rule, missing queries and parameters of measures hold where nothing else is given. `check=False` leaves
    out the search for what cannot be scored honestly, and for what is legal and surprising; `ltr_sql.check` shows all.

    `gains`: what grades are worth, in the whole call. A mapping names the gains of some grades, and the others stay as
    they are (`{1: 1, 2: 3}` is trec_eval's `ndcg.1=1,2=3`); a list has those of the grades 0, 1, ... (LightGBM's
    `label_gain`), and a grade beyond it is an error. Measures that count gains, such as nDCG, DCG and CG (the page of
    measures says which), read these in place of the grades and of what their parameter `gain` or the convention says;
    all others, such as AP(rel=2) or ERR, read the grades.

    Returns a data frame of the kind that came in (polars, pyarrow), else pandas: the keys, `queries` (or `query_id`),
    and a column for each measure string. Raises MeasureError and InputError, warns with
    InputWarning.
    """
    chosen = None if gains is None else read_gains(gains)
    settings = resolve_options(measures, convention, ties, missing)
    frame, concerns = _run(rankings, qrels, *settings, chosen, keys, by_query, check, con, data_frame)
    for text in concerns:
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
    """As `evaluate`, as column names, rows and warnings: no data frame library is loaded."""
    settings = resolve_options(measures, convention, ties, missing)

    def result(con: duckdb.DuckDBPyConnection, query: str, _: str | None) -> tuple[list[str], list[tuple[Any, ...]]]:
        return names_and_rows(con, query)

    (names, rows), concerns = _run(rankings, qrels, *settings, gains, (), by_query, check, None, result)
    return names, rows, concerns


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
    """Bind the inputs, check them, run the query of the measures: what `result` makes of it, and the warnings."""
    measures = measures if gains is None else measures_with_gains(measures)

    def run(state: Session) -> tuple[Any, list[str]]:
        def measured(bound: Bound) -> Any:
            return result(state.con, ordered(bound, measures, by_query), state.frame)

        bound = bind(state, rankings, qrels, measures, keys, ties, missing, gains=gains, scores_checked=check)
        if not check:
            return measured(bound), []
        in_one_pass = bound.validated_as_read(measures)
        if in_one_pass is not None:
            with suppress(*_STOPPED):
                return measured(in_one_pass), []
        guarded, concerns = quick_check(state.con, bound, measures, missing)
        try:
            return measured(guarded), concerns
        except _STOPPED as error:
            # The guard may reject valid input. The findings tell.
            try:
                refuse_errors(state.con, bound)
                return measured(bound), concerns
            except duckdb.TransactionException:
                # The guard has ended the caller's transaction, so say what it found.
                raise error from None

    evaluated: tuple[Any, list[str]] = with_session(con, run)
    return evaluated


def ordered(bound: Bound, measures: Sequence[Measure], by_query: bool) -> str:
    """The SQL of measures, with its rows in order if there may be more than one."""
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
    """Bind the caller's rankings, run with judgments, or scored table as one relation that measures can read.

    With `scores_checked` the caller refuses scores that are not finite before it runs the query.
    """
    run = state.bind(rankings, "run")
    judgments = None if qrels is None else state.bind(qrels, "qrels")
    facts = Facts(scores_checked=scores_checked, duplicates_checked=True)
    # Where every measure has a cutoff, sorting the top of the run is faster than looking at all of it.
    if judgments is not None and any(dict(measure.values).get("k") is None for measure in measures):
        checked_keys = check_keys(run, keys, [measure.text for measure in measures])
        facts = replace(facts, in_rank_order=state.in_rank_order(run, checked_keys))
    bound = bind_tables(run, judgments, measures, keys, ties, missing, facts=facts)
    if gains is None:
        return bound
    if judgments is None:
        run = gains.in_place_of_grades(run)
    else:
        judgments = gains.in_place_of_grades(judgments)
    gained = [measure for measure in measures if measure.definition.gains]
    return replace(bound, gained=bind_tables(run, judgments, gained, keys, ties, missing, facts=facts).source)
