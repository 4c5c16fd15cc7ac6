"""Measures of rankings as data frames: binds what the caller has, renders one query, runs it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from ltr_sql.catalog import Value, relations
from ltr_sql.columns import NamedColumns
from ltr_sql.dialects import DUCKDB
from ltr_sql.errors import InputError
from ltr_sql.inputs import Session, Table, check_keys, comparable, session
from ltr_sql.measure import Measure, parse_measures
from ltr_sql.render import Column, Input, Renderer, SqlValue, largest_cutoff, measures_query


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
        return _frame(state.con.sql(_ordered(bound, parsed, by_query)), state.frame)

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


def _ordered(bound: "Bound", measures: Sequence[Measure], by_query: bool) -> str:
    return f"from (\n{bound.query(measures, averaged=not by_query)}\n)\norder by all"


def with_session(con: duckdb.DuckDBPyConnection | None, run: Callable[[Session], Any]) -> Any:
    """What `run` returns in a session; a file that is less regular than its first lines is read again with care."""
    try:
        with session(con) as state:
            return run(state)
    except duckdb.Error as error:
        if "CSV Error" not in str(error):
            raise InputError(_message(error)) from error
    with session(con) as state:
        state.careful = True
        try:
            return run(state)
        except duckdb.Error as error:
            raise InputError(_message(error)) from error


@dataclass(frozen=True)
class Bound:
    """Rankings bound to a connection: the query over them, for any measures."""

    source: Input
    keys: tuple[str, ...]
    run: Table
    qrels: Table | None

    def query(self, measures: Sequence[Measure], averaged: bool) -> str:
        """The SQL of measures, averaged over queries or one row for each."""
        return measures_query(_columns(measures), self.source, self.keys, averaged=averaged)


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
    _check_choice("rank_by_score" if qrels is None else "judge", "ties", ties)
    _check_choice("judge", "missing", missing)
    bases = {measure.definition.base for measure in measures}
    run = state.bind(rankings, "run")
    keys = check_keys(run, keys, [measure.text for measure in measures])
    if run.systems and "system" not in keys:
        keys = ("system", *keys)
    if "rank_a" in run.columns and qrels is None:
        run.require("the pairs", "query_id", "rank_a", "rank_b")
        if bases & {"documents", "subtopics"}:
            raise InputError("pairs of ranks (rank_a, rank_b) have no relevance: only measures of agreement apply")
        return Bound(Input(run.sql, paired=True, stored=run.stored), keys, run, None)
    subtopics = "subtopics" in bases
    if qrels is not None:
        judgments = state.bind(qrels, "qrels")
        depth = largest_cutoff(_columns(measures))
        source = _judged(run, judgments, keys, ties, missing, subtopics=subtopics, depth=depth)
        return Bound(source, keys, run, judgments)
    if "relevance" not in run.columns:
        raise InputError(
            "no relevance: pass the judgments as qrels=, or rankings with a column relevance; "
            f"the columns are {', '.join(run.columns)}"
        )
    run.require("the rankings", "query_id", *(["doc_id", "subtopic"] if subtopics else []))
    by_subtopic = "subtopic" in run.columns and "doc_id" in run.columns
    if "rank" in run.columns:
        return Bound(Input(run.sql, by_subtopic=by_subtopic, stored=run.stored), keys, run, None)
    run.require("the rankings (no column rank)", "score")
    return Bound(_ranked(run, keys, ties), keys, run, None)


def _columns(measures: Sequence[Measure]) -> list[Column]:
    return [Column(m.definition, dict(m.values), DUCKDB.identifier(m.text)) for m in measures]


def _judged(
    run: Table,
    qrels: Table,
    keys: tuple[str, ...],
    ties: str,
    missing: str,
    *,
    subtopics: bool,
    depth: SqlValue,
) -> Input:
    run.require("the run", "query_id", "doc_id")
    if "rank" not in run.columns:
        run.require("the run (no column rank)", "score", *(["row_order"] if ties == "row_order" else []))
    qrels.require("the judgments", "query_id", "doc_id", "relevance", *(["subtopic"] if subtopics else []))
    run, qrels = comparable(run, qrels)
    # TREC's second column of judgments is the subtopic for measures of diversity, and nothing otherwise.
    by_subtopic = "subtopic" in qrels.columns and (subtopics or not qrels.from_trec or qrels.has_subtopics)
    inputs = {"run": run.sql, "qrels": qrels.sql}
    renderer = Renderer(NamedColumns(keys, DUCKDB, kept=("subtopic",) if by_subtopic else ()))
    judged = renderer.relation(
        relations()["judge"],
        inputs=inputs,
        has_rank={"run": "rank" in run.columns},
        # Which queries count is for `queries` to say: a query more in the rankings changes nothing.
        values={"ties": ties, "missing": "zero"},
        # Above this, DuckDB keeps no list of the best; such a cutoff would not spare much anyway.
        depth=depth if isinstance(depth, int) and depth < 100_000 else None,
    )
    queries = renderer.template("surface/judged_queries.sql", relations=inputs, missing=missing)
    return Input(f"(\n{judged}\n)", by_subtopic=by_subtopic, stored=False, queries=queries)


def _ranked(run: Table, keys: tuple[str, ...], ties: str) -> Input:
    if ties in ("row_order", "rank"):
        run.require(f"the scored table (ties={ties!r})", ties)
    by_subtopic = "subtopic" in run.columns
    columns = NamedColumns(
        keys,
        DUCKDB,
        kept=("relevance", *(["doc_id", "subtopic"] if by_subtopic else [])),
        lacking=() if "doc_id" in run.columns else ("doc_id",),
    )
    renderer = Renderer(columns)
    query = renderer.relation(
        relations()["rank_by_score"],
        inputs={"scored": run.sql},
        has_rank={"scored": False},
        values={"ties": ties},
    )
    queries = renderer.queries(Input(run.sql))
    return Input(f"(\n{query}\n)", by_subtopic=by_subtopic, stored=False, queries=queries)


def _check_choice(relation: str, name: str, value: Value) -> None:
    parameter = next(p for p in relations()[relation].parameters if p.name == name)
    if not parameter.allows(value):
        raise InputError(f"{name} must be {parameter.allowed}, got {value!r}")


def _frame(relation: duckdb.DuckDBPyRelation, kind: str) -> Any:
    """The rows of a relation as a data frame of that kind."""
    if kind == "polars":
        return relation.pl()
    if kind == "pyarrow":
        return relation.to_arrow_table()
    return relation.df()


def _message(error: duckdb.Error) -> str:
    """DuckDB's message without its class."""
    return str(error).partition("Error: ")[2] or str(error)
