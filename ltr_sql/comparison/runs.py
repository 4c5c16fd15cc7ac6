"""Compare systems by measures that have one value for a run, with intervals by the bootstrap over queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.evaluation.families import measured_table
from ltr_sql.evaluation.lists import BoundLists, bind_lists
from ltr_sql.evaluation.options import EvaluationOptions
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.comparisons import (
    COPIES,
    Choices,
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


def compared_runs(
    state: Session,
    of_runs: OfRuns,
    choices: Choices,
    baseline: Sequence[str] | None,
    *,
    compared: str,
    strata: Sequence[str] = (),
    repeats: Sequence[str] = (),
) -> tuple[str, list[str]]:
    """Return the query of the comparisons by measures over runs, one row per measure and pair of systems, and warnings.

    For the arguments see `compare`.
    """
    keys = (compared, *strata, *repeats)
    measures = of_runs.measures
    needed = {need.table for m in measures for need in m.definition.needed(dict(m.values))}
    tables = {name: table for name, table in of_runs.tables.items() if name in needed}
    options = EvaluationOptions(tuple(measures), of_runs.ties, of_runs.missing, None, keys, check=of_runs.check)
    others = {name: table for name, table in tables.items() if name != "qrels"}
    found, warnings = measured_table(state, of_runs.run, tables.get("qrels"), others, options)
    bound = bind_lists(of_runs.run.in_row_order(of_runs.ties), tables, measures, keys, of_runs.ties, facts=_CHECKED)
    renderer = Renderer(NamedColumns(bound.keys, DUCKDB, exact=bound.source.exact), DUCKDB)
    key = renderer.vocabulary["key_output"]("r")
    lists = state.load(f"(select {key}, r.doc_id, r.rank from (\n{renderer.lists(bound.source)}\n) as r)")
    drawable = [measure for measure in measures if not measure.definition.row_source.without_lists]
    parts = [found, *_resampled(state, bound, lists, drawable, choices, strata, (compared, *repeats))]
    relation = state.load(f"({' union all by name '.join(f'from {part.sql}' for part in parts)})")
    if REPLICATE not in relation.columns:
        relation = state.load(f"(select *, cast(null as bigint) as {REPLICATE} from {relation.sql})")
    values = values_of_table(
        relation.sql,
        [measure.text for measure in measures],
        compared=compared,
        strata=strata,
        repeats=repeats,
        baseline=baseline,
    )
    return compared_runs_query(values, choices, lists.sql, REPLICATE), warnings


def _resampled(
    state: Session,
    bound: BoundLists,
    lists: Table,
    measures: Sequence[Measure],
    choices: Choices,
    strata: Sequence[str],
    others: Sequence[str],
) -> list[Table]:
    """Return tables with the values of the replicates: `REPLICATE`, the keys, and one column per measure."""
    if not measures:
        return []
    queries = state.load(f"(\n{drawn_queries_query(lists.sql, strata)}\n)")
    ((rows,),) = state.con.execute(f"select count(*) from {lists.sql}").fetchall()
    resamples = int(choices.resamples)
    step = max(1, _ROWS // max(1, rows))
    found = []
    for first in range(0, resamples, step):
        batch = replace(choices, resamples=str(min(first + step, resamples)))
        query = drawn_lists_query(lists.sql, queries.sql, strata, others, batch, first, REPLICATE)
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
