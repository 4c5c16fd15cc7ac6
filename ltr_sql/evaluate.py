"""Measures of rankings as data frames: binds what the caller has, renders one query, runs it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import duckdb

from ltr_sql.inputs import Session, check_keys, data_frame, with_session
from ltr_sql.measure import Measure, parse_measures
from ltr_sql.rankings import Bound, bind_tables


def evaluate(
    rankings: Any,
    measures: Iterable[str],
    *,
    qrels: Any = None,
    keys: Sequence[str] = (),
    by_query: bool = False,
    ties: str = "docid_desc",
    missing: str = "zero",
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """Measures of rankings: means over queries, or with `by_query` one row for each query.

    `rankings` is, with `qrels`, a run (query_id, doc_id, and rank or score: rank is used where there is such a column);
    without, rankings (query_id, rank, relevance), a scored table (query_id, score, relevance) or pairs (query_id,
    rank_a, rank_b). All may be paths (TREC text, Parquet, CSV, TSV, JSONL; .gz), pandas, polars or pyarrow tables,
    DuckDB relations, names of tables (with `con`), or dicts of dicts; a dict of name -> run is several systems.
    `measures` are strings such as 'nDCG@10': `ltr_sql.measures()` lists them.

    `keys`: columns that tell rankings apart (`["system"]`), one row each. `ties`: what comes first among equal
    scores, 'docid_desc' by default as in trec_eval. `missing`: judged queries that the run lacks count as 0 ('zero')
    or not at all ('skip').

    Returns a data frame of the kind that came in (polars, pyarrow), else pandas: the keys, `queries` (or `query_id`),
    and a column for each measure string. Raises MeasureError and InputError.
    """
    parsed = parse_measures(measures)

    def run(state: Session) -> Any:
        bound = bind(state, rankings, qrels, parsed, keys, ties, missing)
        return data_frame(state.con.sql(_ordered(bound, parsed, by_query)), state.frame)

    return with_session(con, run)


def rows_of(
    rankings: Any, measures: Iterable[str], *, qrels: Any, by_query: bool, ties: str, missing: str
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """As `evaluate`, as column names and rows: without a data frame library to load."""
    parsed = parse_measures(measures)

    def run(state: Session) -> tuple[list[str], list[tuple[Any, ...]]]:
        bound = bind(state, rankings, qrels, parsed, (), ties, missing)
        relation = state.con.sql(_ordered(bound, parsed, by_query))
        return relation.columns, relation.fetchall()

    names_and_rows: tuple[list[str], list[tuple[Any, ...]]] = with_session(None, run)
    return names_and_rows


def _ordered(bound: Bound, measures: Sequence[Measure], by_query: bool) -> str:
    return f"from (\n{bound.query(measures, averaged=not by_query)}\n)\norder by all"


def bind(
    state: Session,
    rankings: Any,
    qrels: Any,
    measures: Sequence[Measure],
    keys: Sequence[str],
    ties: str,
    missing: str,
) -> Bound:
    """The caller's rankings, run and judgments, or scored table as one relation that measures can read."""
    run = state.bind(rankings, "run")
    if qrels is None:
        return bind_tables(run, None, measures, keys, ties, missing)
    keys = check_keys(run, keys, [measure.text for measure in measures])
    # Where every measure has a cutoff, it is faster to sort the top of the run than to look through all of it.
    if any(dict(measure.values).get("k") is None for measure in measures):
        run = replace(run, in_order=state.in_rank_order(run, keys))
    return bind_tables(run, state.bind(qrels, "qrels"), measures, keys, ties, missing)
