"""Compare systems by measures that have one value for a run, with intervals by the bootstrap over queries."""

from collections.abc import Sequence
from dataclasses import replace

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.comparison.doubts import doubts_about_repeats
from ltr_sql.comparison.values import Given
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
    compared_runs_query,
    drawn_lists_query,
    drawn_queries_query,
    values_of_table,
)
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.renderer import Renderer
from ltr_sql.rendering.sources import Shortcuts

# The column that numbers the replicates of the bootstrap.
REPLICATE = "__ltr_replicate"
# Largest number of rows of the lists that one query draws.
_ROWS = 5_000_000
# The tables about queries that measures over runs read: each copy of a query needs their rows.
_OF_QUERIES = ("qrels", "targets")
_CHECKED = Shortcuts(scores_checked=True, duplicates_checked=True)


def compared_runs(
    state: Session, inputs: Inputs, options: EvaluationOptions, choices: Choices, given: Given
) -> tuple[str, list[str]]:
    """Return the query of comparisons by measures over runs, one row per measure and pair of systems, and warnings.

    `inputs`, `options`: bound tables, of which all but the run may be unread, and the measures with their rules.
    """
    measures = options.measures
    needed = {need.table for m in measures for need in m.definition.needed(dict(m.values))}
    qrels = inputs.qrels if "qrels" in needed else None
    others = {name: table for name, table in inputs.tables.items() if name in needed and table is not None}
    found, warnings = measured_table(state, replace(inputs, qrels=qrels, tables=others), options)
    tables = others if qrels is None else {**others, "qrels": qrels}
    run: Table = inputs.rankings
    bound = bind_lists(run.in_row_order(options.ties), tables, measures, options.keys, options.ties, shortcuts=_CHECKED)
    renderer = Renderer(NamedColumns(bound.keys, DUCKDB, exact=bound.source.exact), DUCKDB)
    key = renderer.vocabulary["key_output"]("r")
    lists = state.load(f"(select {key}, r.doc_id, r.rank from (\n{renderer.lists(bound.source)}\n) as r)")
    drawable = [measure for measure in measures if not measure.definition.row_source.without_lists]
    parts = [found, *(_resampled(state, bound, lists, drawable, choices=choices, given=given) if drawable else [])]
    relation = state.load(f"({' union all by name '.join(f'from {part.sql}' for part in parts)})")
    if REPLICATE not in relation.columns:
        relation = state.load(f"(select *, cast(null as bigint) as {REPLICATE} from {relation.sql})")
    values = values_of_table(
        relation.sql,
        [measure.text for measure in measures],
        compared=given.compared,
        strata=given.strata,
        repeats=given.repeats,
        baseline=given.baseline,
    )
    system = (given.compared, *given.strata)
    doubts = doubts_about_repeats(state.rows, found, system, given.repeats, "system")
    return compared_runs_query(values, choices, lists.sql, REPLICATE), [*warnings, *doubts]


def _resampled(
    state: Session,
    bound: BoundLists,
    lists: Table,
    measures: Sequence[Measure],
    *,
    choices: Choices,
    given: Given,
) -> list[Table]:
    """Return tables with the values of the replicates: `REPLICATE`, the keys, and one column per measure."""
    queries = state.load(f"(\n{drawn_queries_query(lists.sql, given.strata)}\n)")
    ((rows,),) = state.con.execute(f"select count(*) from {lists.sql}").fetchall()
    resamples = int(choices.fragments["resamples"])
    step = max(1, _ROWS // max(1, rows))
    found = []
    for first in range(0, resamples, step):
        draws = Draws(first, min(first + step, resamples), choices.fragments["seed"], REPLICATE)
        columns = (given.compared, *given.repeats)
        query = drawn_lists_query(lists.sql, queries.sql, given.strata, columns, draws)
        drawn = state.load(f"(\n{query}\n)")
        name = state.loaded[-1]
        tables = {
            name: _copied(table, queries, drawn) if name in _OF_QUERIES and "query_id" in table.columns else table
            for name, table in bound.tables.items()
        }
        source = bind_lists(drawn, tables, measures, (REPLICATE, *bound.keys), "docid_desc", shortcuts=_CHECKED)
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
