"""Why a measure has its value for a query: what the document at each rank adds to it."""

import difflib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import duckdb

from ltr_sql.checks import refuse_errors
from ltr_sql.errors import InputError
from ltr_sql.inputs.binding import bind_documents
from ltr_sql.inputs.connection import data_frame, names_and_rows
from ltr_sql.inputs.session import Session, with_session
from ltr_sql.inputs.tables import Table
from ltr_sql.language.measure_strings import parse_measure
from ltr_sql.sqltext.columns import CallTimeColumns
from ltr_sql.sqltext.dialects import string
from ltr_sql.sqltext.render import Column, Renderer, measures_query
from ltr_sql.sqltext.sources import Rankings


def explain(
    rankings: Any,
    query: Any,
    measure: str,
    *,
    qrels: Any = None,
    keys: Sequence[str] = (),
    ties: str = "docid_desc",
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """Why a measure has its value for a query: one row for each rank, the ideal ranking side by side.

    `rankings`, `qrels`, `keys`, `ties` and `con` are those of `evaluate`; `query` is a query_id. The measure must be a
    sum over ranks, such as 'nDCG@10', 'AP' or 'RR'.

    Returns a data frame as `evaluate` does: the keys, query_id, rank, doc_id, relevance; `gain`, what the measure
    counts for the grade; `discount`, by what it multiplies gains at the rank (NULL if that depends on the documents
    above); `contribution`, how much the document adds to the value; `running`, the value down to the rank, in the last
    row that of the measure. The same of the ideal ranking, the judged documents by grade, in columns ideal_....
    Raises MeasureError, with the measures that are such sums, and InputError.
    """

    def run(state: Session) -> Any:
        return data_frame(state.con, _explained(state, rankings, query, measure, qrels, keys, ties), state.frame)

    return with_session(con, run)


def explained_rows(
    rankings: Any, query: Any, measure: str, *, qrels: Any, ties: str
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """As `explain`, as column names and rows: without a data frame library to load."""

    def run(state: Session) -> tuple[list[str], list[tuple[Any, ...]]]:
        return names_and_rows(state.con, _explained(state, rankings, query, measure, qrels, (), ties))

    rows: tuple[list[str], list[tuple[Any, ...]]] = with_session(None, run)
    return rows


def _explained(
    state: Session, rankings: Any, query: Any, measure: str, qrels: Any, keys: Sequence[str], ties: str
) -> str:
    """The SQL that explains a measure of one query."""
    parsed = parse_measure(measure)
    run = state.bind(rankings, "run")
    judgments = None if qrels is None else state.bind(qrels, "qrels")
    _require_query(state, run if judgments is None else judgments, str(query), judged=judgments is not None)
    judgments = judgments and _by_document(_of_query(judgments, query))
    bound = bind_documents(_of_query(run, query), judgments, keys, ties)
    # One query of many may have nothing, or nothing in common with its judgments.
    refuse_errors(state.con, bound, passing=("no_rows", "no_common_queries", "no_common_documents"))
    column = Column(parsed.definition, dict(parsed.values), run.dialect.identifier(parsed.text))
    names = ", ".join(string(key) for key in bound.keys)
    renderer = Renderer(CallTimeColumns(keys=f"[{names}]::varchar[]"), run.dialect)
    gain, discount = renderer.by_rank(column)
    return renderer.template(
        "entry_points/explained.sql",
        relation=bound.source.relation,
        query=string(str(query)),
        column=column.name,
        k=column.values.get("k"),
        gain=gain,
        discount=discount,
        measured=measures_query([column], Rankings("__ltr_prefixes"), (), averaged=False),
    )


def _of_query(table: Table, query: Any) -> Table:
    """The rows of one query."""
    condition = f"cast(t.query_id as varchar) = {string(str(query))}"
    return replace(table, sql=f"(select t.* from {table.sql} as t where {condition})", stored=False)


def _by_document(judgments: Table) -> Table:
    """Judgments with one row for each document: of those by subtopic the highest grade."""
    if "subtopic" not in judgments.columns or not judgments.subtopics_vary:
        return judgments
    judgments.require("the judgments", "query_id", "doc_id", "relevance")
    columns = "t.query_id, t.doc_id, max(t.relevance) as relevance"
    return replace(
        judgments,
        sql=f"(select {columns} from {judgments.sql} as t group by t.query_id, t.doc_id)",
        columns={name: judgments.columns[name] for name in ("query_id", "doc_id", "relevance")},
    )


def _require_query(state: Session, table: Table, query: str, *, judged: bool) -> None:
    """Raise InputError unless a table has rows of a query."""
    table.require("the judgments" if judged else "the rankings", "query_id")
    found = state.con.execute(
        f"select distinct cast(t.query_id as varchar) from {table.sql} as t order by all"
    ).fetchall()
    queries = [name for (name,) in found if name is not None]
    if query not in queries:
        near = difflib.get_close_matches(query, queries, n=3, cutoff=0) or ["none"]
        where = "judgments" if judged else "rankings"
        raise InputError(f"query {query!r} is not in the {where}; there are {len(queries)}, such as {', '.join(near)}")
