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
from ltr_sql.inputs.gains import Gained, Gains, read_gains, with_gains
from ltr_sql.inputs.tables import Session, check_keys, data_frame, names_and_rows, with_session
from ltr_sql.language.measure_strings import Measure, resolve_options


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
    frame, concerns = _evaluated(rankings, qrels, *settings, chosen, keys, by_query, check, con, data_frame)
    for text in concerns:
        warnings.warn(text, InputWarning, stacklevel=2)
    return frame


def rows_of(
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
    """As `evaluate`, as column names, rows and warnings: without a data frame library to load."""
    settings = resolve_options(measures, convention, ties, missing)

    def result(con: duckdb.DuckDBPyConnection, query: str, _: str | None) -> tuple[list[str], list[tuple[Any, ...]]]:
        return names_and_rows(con, query)

    (names, rows), concerns = _evaluated(rankings, qrels, *settings, gains, (), by_query, check, None, result)
    return names, rows, concerns


def _evaluated(
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
    """What `result` makes of the query, and what there is to warn of."""
    measures = measures if gains is None else with_gains(measures)

    def run(state: Session) -> tuple[Any, list[str]]:
        def measured(bound: Bound | Gained) -> Any:
            return result(state.con, ordered(bound, measures, by_query), state.frame)

        bound = bind(state, rankings, qrels, measures, keys, ties, missing, checked=check)
        gained = None if gains is None else Gained.of(bound, measures, gains, ties, missing)
        if not check:
            return measured(gained or bound), []
        plain = None if gained else bound.plain(measures)
        if plain is not None:
            with suppress(duckdb.InvalidInputException, duckdb.ConversionException):
                return measured(plain), []
        checked, concerns = quick_check(state.con, bound, measures, missing)
        try:
            return measured(
                gained.checked(measures, checked.source.guard.distinct_ranks) if gained else checked
            ), concerns
        except (duckdb.InvalidInputException, duckdb.ConversionException) as error:
            # A check stopped the query: if there is nothing wrong with the input, it was too careful.
            try:
                refuse_errors(state.con, bound)
                return measured(gained or bound), concerns
            except duckdb.TransactionException:
                # The check has ended a transaction of the caller's, who has to know why.
                raise error from None

    evaluated: tuple[Any, list[str]] = with_session(con, run)
    return evaluated


def ordered(bound: Bound | Gained, measures: Sequence[Measure], by_query: bool) -> str:
    """The SQL of measures with its rows in order, if there may be more than one."""
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
    checked: bool = False,
) -> Bound:
    """The caller's rankings, run and judgments, or scored table as one relation that measures can read.

    `checked`: before it is read, `quick_check` refuses what cannot be scored.
    """
    run = replace(state.bind(rankings, "run"), finite=checked)
    if qrels is None:
        return bind_tables(run, None, measures, keys, ties, missing)
    keys = check_keys(run, keys, [measure.text for measure in measures])
    # Where every measure has a cutoff, it is faster to sort the top of the run than to look through all of it.
    if any(dict(measure.values).get("k") is None for measure in measures):
        run = replace(run, in_order=state.in_rank_order(run, keys))
    return bind_tables(run, state.bind(qrels, "qrels"), measures, keys, ties, missing)
