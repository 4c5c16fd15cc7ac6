"""Evaluate measures beyond accuracy, alone or together with measures of accuracy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb

from ltr_sql.checks import quick_check_run
from ltr_sql.errors import InputError, MeasureError
from ltr_sql.evaluation import ordered, run_measures
from ltr_sql.evaluation_options import EvaluationOptions, Result
from ltr_sql.inputs.binding import check_relation_option, require_run
from ltr_sql.inputs.session import ROLES, Session
from ltr_sql.inputs.tables import Table, check_keys, with_equal_ids
from ltr_sql.language.catalogue import TABLES
from ltr_sql.language.measure_strings import Measure
from ltr_sql.sqltext.columns import EXACT
from ltr_sql.sqltext.dialects import DUCKDB
from ltr_sql.sqltext.render import Column, largest_cutoff, measures_query
from ltr_sql.sqltext.sources import Facts, GivenTable, Lists
from ltr_sql.sqltext.templates import render_template
from ltr_sql.stages import MEASURES, stage

_MOST_DEPTH = 100_000
_BASELINE_HINT = (
    ": another run, which only evaluate and verify read. In compare and report, baseline names a system. To compare "
    "systems, call evaluate(..., baseline=RUN, by_query=True), and pass its result to compare(..., values=True)"
)


@dataclass(frozen=True)
class BoundLists:
    """A run and the tables about its documents, bound for measures beyond accuracy.

    - `source`: the run as lists.
    - `keys`: its grouping columns.
    - `run`, `tables`: the caller's tables, with ids of equal types.
    """

    source: Lists
    keys: tuple[str, ...]
    run: Table
    tables: Mapping[str, Table]

    def query(self, measures: Sequence[Measure], averaged: bool) -> str:
        """Return the query that computes measures: means if `averaged`, otherwise one row per query."""
        dialect = self.run.dialect
        columns = [Column(m.definition, dict(m.values), dialect.identifier(m.text)) for m in measures]
        return measures_query(columns, self.source, self.keys, averaged=averaged, dialect=dialect)


def bind_lists(
    run: Table,
    tables: Mapping[str, Table],
    measures: Sequence[Measure],
    keys: Sequence[str],
    ties: str,
    facts: Facts = Facts(),  # noqa: B008  (immutable)
) -> BoundLists:
    """Bind a run and the tables that measures beyond accuracy need.

    Raises MeasureError for a missing table, and InputError for missing columns.
    """
    check_relation_option("pair", "ties", ties)
    require_run("the run", run, ties)
    found = check_keys(run, keys, [measure.text for measure in measures])
    for measure in measures:
        for need in measure.definition.needed(dict(measure.values)):
            if need.table not in tables:
                hint = _BASELINE_HINT if need.table == "baseline" else ""
                raise MeasureError(
                    f"measure {measure.text!r} needs {need.table}=, a table with {' and '.join(need.columns)}{hint}"
                )
            tables[need.table].require(f"{need.table} (measure {measure.text!r})", *need.columns)
    if "baseline" in tables:
        require_run("the baseline", tables["baseline"], ties)
    run, *others = with_equal_ids(run, *tables.values())
    tables = dict(zip(tables, others, strict=True))
    depth = largest_cutoff([Column(m.definition, dict(m.values), m.text) for m in measures])
    source = Lists(
        run.sql,
        has_rank="rank" in run.columns,
        ties=ties,
        depth=depth if isinstance(depth, int) and depth < _MOST_DEPTH else None,
        given={
            name: GivenTable(table.sql, frozenset(table.columns), has_rank="rank" in table.columns)
            for name, table in tables.items()
        },
        exact=run.beyond_doubles(*EXACT),
        facts=facts,
    )
    return BoundLists(source, found, run, tables)


def run_families(
    state: Session, rankings: Any, qrels: Any, tables: Mapping[str, Any], options: EvaluationOptions, result: Result
) -> tuple[Any, list[str]]:
    """Evaluate measures beyond accuracy and any measures of accuracy, joined in one result.

    For the arguments and the result see `ltr_sql.evaluation.run_measures`.
    """
    measures, keys, ties, by_query = options.measures, options.keys, options.ties, options.by_query
    run = state.bind(rankings, "run").in_row_order(ties)
    bound_tables = {name: state.bind(table, name) for name, table in tables.items() if table is not None}
    if "baseline" in bound_tables:
        bound_tables["baseline"] = bound_tables["baseline"].in_row_order(ties)
    if qrels is not None:
        bound_tables["qrels"] = state.bind(qrels, "qrels")
        _refuse_segments(run, bound_tables["qrels"], keys)
    beyond = tuple(measure for measure in measures if measure.definition.beyond_accuracy)
    others = tuple(measure for measure in measures if measure not in beyond)
    lists, warning_texts = checked_lists(state, run, bound_tables, beyond, keys, ties, options.check)
    systems = lists.run.systems
    query = lists.query(beyond, averaged=not by_query)
    stage(MEASURES)
    if not others:
        return result(state.con, ordered(query, lists.keys, systems, by_query), state.frame), warning_texts

    def joined(con: duckdb.DuckDBPyConnection, accuracy: str, frame: str | None) -> Any:
        both = _joined_query(accuracy, query, lists.keys, measures, by_query)
        return result(con, ordered(both, lists.keys, systems, by_query), frame)

    judged = run_measures(state, lists.run, lists.tables.get("qrels"), {}, replace(options, measures=others), joined)
    return judged[0], [*judged[1], *warning_texts]


def checked_lists(
    state: Session,
    run: Table,
    tables: Mapping[str, Table],
    measures: Sequence[Measure],
    keys: Sequence[str],
    ties: str,
    check: bool,
) -> tuple[BoundLists, list[str]]:
    """Bind and check a run and its tables. Return them with the texts of warnings."""
    for name, table in tables.items():
        _require_numbers(state.con, name, table, measures)
    bound = bind_lists(run, tables, measures, keys, ties, Facts(scores_checked=check, duplicates_checked=check))
    if not check:
        return bound, []
    quick_check_run(state.con, "the run", bound.run, bound.keys)
    if "baseline" in bound.tables:
        quick_check_run(state.con, "the baseline", bound.tables["baseline"], ())
    return bound, _unknown_documents(state, bound, measures)


def _require_numbers(con: duckdb.DuckDBPyConnection, name: str, table: Table, measures: Sequence[Measure]) -> None:
    """Raise InputError if a column of one of the `TABLES` has text where a measure reads a number."""
    types = {"number": "double", "numbers": "double[]"}
    read = {need.column for m in measures for need in m.definition.needed(dict(m.values)) if need.table == name}
    if "group" in read:
        read.add("weight")
    for column, kind in TABLES[name][1].items():
        if kind == "text" or not table.columns.get(column, "").startswith("VARCHAR"):
            continue
        if name == "documents" and column not in read:
            continue
        value = f"t.{DUCKDB.identifier(column)}"
        wrong = con.execute(
            f"select {value} from {table.sql} as t "
            f"where {value} is not null and try(cast({value} as {types[kind]})) is null limit 1"
        ).fetchall()
        if wrong:
            raise InputError(f"{ROLES[name]}: column {column} must hold numbers, got {wrong[0][0]!r}")


def _unknown_documents(state: Session, bound: BoundLists, measures: Sequence[Measure]) -> list[str]:
    """Return a warning if documents of the run are missing from the table `documents`."""
    if not any("documents" in {n.table for n in m.definition.needed(dict(m.values))} for m in measures):
        return []
    documents = bound.tables["documents"].sql
    ((number, first),) = state.con.execute(
        f"select count(distinct r.doc_id), min(r.doc_id) from {bound.run.sql} as r "
        f"where not exists (select 1 from {documents} as d where d.doc_id = r.doc_id)"
    ).fetchall()
    if not number:
        return []
    return [
        f"the run shows documents that the table of documents lacks ({number}): {first!r}. They are not in the "
        "catalogue, and have no category, vector or group. What to do: add them, or filter them out of the run"
    ]


def _joined_query(accuracy: str, lists: str, keys: Sequence[str], measures: Sequence[Measure], by_query: bool) -> str:
    """Return the query that joins the values of both families of measures.

    `accuracy` and `lists` are the queries of measures of accuracy and of measures beyond it, with equal keys.
    """
    identifier = DUCKDB.identifier
    return render_template(
        "entry_points/families.sql",
        accuracy=accuracy,
        lists=lists,
        keys=[*map(identifier, keys), *(["query_id"] if by_query else [])],
        by_query=by_query,
        columns=[("l" if m.definition.beyond_accuracy else "a", identifier(m.text)) for m in measures],
    )


def _refuse_segments(run: Table, qrels: Table, keys: Sequence[str]) -> None:
    """Raise InputError for a key that is a column of the judgments but not of the run."""
    for key in keys:
        if key not in run.columns and key in qrels.columns:
            raise InputError(
                f"key {key!r} is a column of the judgments, but measures beyond accuracy read the run: add it to the "
                "run, or evaluate these measures without it"
            )
