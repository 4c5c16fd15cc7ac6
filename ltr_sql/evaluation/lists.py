"""Evaluate measures beyond accuracy, alone or together with measures of accuracy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb

from ltr_sql.catalogue.functions import TABLES
from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.errors import InputError, MeasureError
from ltr_sql.evaluation.options import EvaluationOptions
from ltr_sql.inputs.binding import check_relation_option, require_run
from ltr_sql.inputs.forms import ROLES
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table, check_keys, with_equal_ids
from ltr_sql.rendering.columns import EXACT
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.measure_columns import GivenTable, Lists, Shortcuts, largest_cutoff
from ltr_sql.rendering.renderer import measures_query, result_columns
from ltr_sql.validation.checks import quick_check_run
from ltr_sql.validation.suspicions import notes_on_run

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
        columns = result_columns(measures, dialect)
        return measures_query(columns, self.source, self.keys, averaged=averaged, dialect=dialect)


def bind_lists(
    run: Table,
    tables: Mapping[str, Table],
    measures: Sequence[Measure],
    keys: Sequence[str],
    ties: str,
    *,
    shortcuts: Shortcuts,
) -> BoundLists:
    """Bind a run and the tables that measures beyond accuracy need.

    Raises MeasureError for a missing table, and InputError for missing columns.
    """
    check_relation_option("pair", "ties", ties)
    require_run("the run", run, ties)
    found = check_keys(run, keys, [measure.text for measure in measures])
    needs = [(measure, need) for measure in measures for need in measure.definition.needed(dict(measure.values))]
    lacking = [
        f"measure {measure.text!r} needs {need.table}=, a table with {' and '.join(need.columns)}"
        + (_BASELINE_HINT if need.table == "baseline" else "")
        for measure, need in needs
        if need.table not in tables
    ]
    if lacking:
        raise MeasureError("; ".join(lacking))
    for measure, need in needs:
        tables[need.table].require(f"{need.table} (measure {measure.text!r})", *need.columns)
    if "baseline" in tables:
        require_run("the baseline", tables["baseline"], ties)
    run, *others = with_equal_ids(run, *tables.values())
    tables = dict(zip(tables, others, strict=True))
    depth = largest_cutoff(result_columns(measures, run.dialect))
    ranked = [run, *(tables[name] for name in ("baseline",) if name in tables)]
    source = Lists(
        run.sql,
        has_rank="rank" in run.columns,
        ties=ties,
        depth=depth if isinstance(depth, int) and depth < _MOST_DEPTH else None,
        given={
            name: GivenTable(table.sql, frozenset(table.columns), has_rank="rank" in table.columns)
            for name, table in tables.items()
        },
        exact=tuple(name for name in EXACT if any(table.beyond_doubles(name) for table in ranked)),
        shortcuts=shortcuts,
    )
    return BoundLists(source, found, run, tables)


def checked_lists(
    state: Session, run: Table, tables: Mapping[str, Table], options: EvaluationOptions
) -> tuple[BoundLists, list[str]]:
    """Bind and check a run and its tables. Return them with the texts of warnings."""
    measures = options.measures
    for name, table in tables.items():
        _require_numbers(state.con, name, table, measures)
    shortcuts = Shortcuts(scores_checked=options.check, duplicates_checked=options.check)
    bound = bind_lists(run, tables, measures, options.keys, options.ties, shortcuts=shortcuts)
    if not options.check:
        return bound, []
    quick_check_run(state.con, "the run", bound.run, bound.keys)
    if "baseline" in bound.tables:
        quick_check_run(state.con, "the baseline", bound.tables["baseline"], ())
    notes = notes_on_run(state.con, bound.run, bound.keys)
    return bound, [*notes, *_unknown_documents(state, bound, measures)]


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
    ((number, first),) = state.rows(
        f"select count(distinct r.doc_id), min(r.doc_id) from {bound.run.sql} as r "
        f"where not exists (select 1 from {documents} as d where d.doc_id = r.doc_id)"
    )
    if not number:
        return []
    return [
        f"the run shows documents that the table of documents lacks ({number}): {first!r}. They are not in the "
        "catalogue, and have no category, vector or group. What to do: add them, or filter them out of the run"
    ]
