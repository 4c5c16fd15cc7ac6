"""Compare systems by measures that have one value for a run, with intervals by the bootstrap over queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.comparison.doubts import doubts_about_repeats
from ltr_sql.evaluation.families import measured_table
from ltr_sql.evaluation.lists import BoundLists, bind_lists
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.comparisons import (
    COPIES,
    Choices,
    Draws,
    both_comparisons_query,
    compared_runs_query,
    drawn_lists_query,
    drawn_queries_query,
    values_of_table,
)
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.renderer import Renderer
from ltr_sql.rendering.sources import Facts

# The column that numbers the replicates of the bootstrap.
REPLICATE = "__ltr_replicate"
# Largest number of rows of the lists that one query draws.
_ROWS = 5_000_000
# The tables about queries that measures over runs read: each copy of a query needs their rows.
_OF_QUERIES = ("qrels", "targets")
_CHECKED = Facts(scores_checked=True, duplicates_checked=True)


@dataclass(frozen=True)
class OfRuns:
    """Measures over runs, and what they read.

    - `run`, `tables`: the run, and the tables that measures beyond accuracy read, by their names in `TABLES`.
    - `ties`, `missing`, `check`: see `evaluate`.
    """

    measures: Sequence[Measure]
    run: Table
    tables: Mapping[str, Table]
    ties: str
    missing: str
    check: bool


@dataclass(frozen=True)
class Groups:
    """How the rows of a table belong to systems: see the options `compared`, `keys`, `repeats` and `baseline`."""

    compared: str = "system"
    strata: Sequence[str] = ()
    repeats: Sequence[str] = ()
    baseline: Sequence[str] | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The grouping columns."""
        return (self.compared, *self.strata, *self.repeats)


def with_runs(
    state: Session,
    of_queries: str,
    of_runs: OfRuns | None,
    choices: Choices,
    *,
    groups: Groups,
    measures: Sequence[str],
) -> tuple[str, list[str]]:
    """Return the query of comparisons by measures over queries and over runs, and warnings about the latter.

    `of_queries`: the query of comparisons by measures over queries, or ''. `measures`: the order of all measures.
    """
    if of_runs is None:
        return of_queries, []
    query, warning_texts = compared_runs(state, of_runs, choices, groups)
    if of_queries:
        query = both_comparisons_query(of_queries, query, groups.strata, measures)
    return query, warning_texts


def compared_runs(state: Session, of_runs: OfRuns, choices: Choices, groups: Groups) -> tuple[str, list[str]]:
    """Return the query of comparisons by measures over runs, one row per measure and pair of systems, and warnings."""
    keys = groups.keys
    measures = of_runs.measures
    needed = {need.table for m in measures for need in m.definition.needed(dict(m.values))}
    tables = {name: table for name, table in of_runs.tables.items() if name in needed}
    options = EvaluationOptions(tuple(measures), of_runs.ties, of_runs.missing, None, keys, check=of_runs.check)
    others = {name: table for name, table in tables.items() if name != "qrels"}
    found, warnings = measured_table(state, Inputs(of_runs.run, tables.get("qrels"), others), options)
    bound = bind_lists(of_runs.run.in_row_order(of_runs.ties), tables, measures, keys, of_runs.ties, facts=_CHECKED)
    renderer = Renderer(NamedColumns(bound.keys, DUCKDB, exact=bound.source.exact), DUCKDB)
    key = renderer.vocabulary["key_output"]("r")
    lists = state.load(f"(select {key}, r.doc_id, r.rank from (\n{renderer.lists(bound.source)}\n) as r)")
    drawable = [measure for measure in measures if not measure.definition.row_source.without_lists]
    parts = [found, *_resampled(state, bound, lists, drawable, choices=choices, groups=groups)] if drawable else [found]
    relation = state.load(f"({' union all by name '.join(f'from {part.sql}' for part in parts)})")
    if REPLICATE not in relation.columns:
        relation = state.load(f"(select *, cast(null as bigint) as {REPLICATE} from {relation.sql})")
    values = values_of_table(
        relation.sql,
        [measure.text for measure in measures],
        compared=groups.compared,
        strata=groups.strata,
        repeats=groups.repeats,
        baseline=groups.baseline,
    )
    system = (groups.compared, *groups.strata)
    doubts = doubts_about_repeats(state.rows, found, system, groups.repeats, "system")
    return compared_runs_query(values, choices, lists.sql, REPLICATE), [*warnings, *doubts]


def _resampled(
    state: Session,
    bound: BoundLists,
    lists: Table,
    measures: Sequence[Measure],
    *,
    choices: Choices,
    groups: Groups,
) -> list[Table]:
    """Return tables with the values of the replicates: `REPLICATE`, the keys, and one column per measure."""
    queries = state.load(f"(\n{drawn_queries_query(lists.sql, groups.strata)}\n)")
    ((rows,),) = state.con.execute(f"select count(*) from {lists.sql}").fetchall()
    resamples = int(choices.fragments["resamples"])
    step = max(1, _ROWS // max(1, rows))
    found = []
    for first in range(0, resamples, step):
        draws = Draws(first, min(first + step, resamples), choices.fragments["seed"], REPLICATE)
        columns = (groups.compared, *groups.repeats)
        query = drawn_lists_query(lists.sql, queries.sql, groups.strata, columns, draws)
        drawn = state.load(f"(\n{query}\n)")
        name = state.loaded[-1]
        tables = {
            name: _copied(table, queries, drawn) if name in _OF_QUERIES and "query_id" in table.columns else table
            for name, table in bound.tables.items()
        }
        source = bind_lists(drawn, tables, measures, (REPLICATE, *bound.keys), "docid_desc", facts=_CHECKED)
        found.append(state.load(f"(\n{source.query(measures, averaged=True)}\n)"))
        state.con.execute(f"drop table temp.{name}")
    return found


def _copied(table: Table, queries: Table, drawn: Table) -> Table:
    """Return a table about queries for resampled runs.

    The rows of a query are repeated for each copy that the bootstrap drew, under the query_id of the copy.
    """
    sql = f"""(
        select j.* replace (d.query_id as query_id)
        from {table.sql} as j
        join (select distinct q.query_id, q.number from {queries.sql} as q) as q
            on q.query_id = j.query_id
        join (select distinct d.query_id from {drawn.sql} as d) as d
            on d.query_id // {COPIES} = q.number
    )"""
    return replace(table, sql=sql, columns={**table.columns, "query_id": "BIGINT"}, positions="", queries="")
