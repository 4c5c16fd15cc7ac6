"""How the rows of a relation are stored: their number, their order, and the cost of reading them again."""

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

import duckdb

from ltr_sql.inputs.tables import Table
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.renderer import Renderer

# Smallest number of rows of a run whose ranks are counted: below, the longer query costs more than the sort.
_COUNTED = 500_000
# Largest share of judged documents: above, looking for a place among so many judged scores costs more than the sort.
_JUDGED = 1 / 3
# Number and rows of the parts of a table that show how it is stored.
_PARTS, _PART = 8, 5_000
# Operators of relations that cost a scan of what is stored.
_SCANS = re.compile(r"\w*_SCAN|READ_PARQUET|PROJECTION|FILTER|UNION")


def ranking(
    con: duckdb.DuckDBPyConnection, run: Table, judgments: Table, keys: tuple[str, ...], scores_checked: bool
) -> str:
    """Return how ranks are best made from the scores of a run: see `Shortcuts.ranking`."""
    if "rank" in run.columns or not {"query_id", "score"} <= run.columns.keys() or run.kind("score") == "text":
        return "sorted"
    if in_rank_order(con, run, keys):
        return "stored"
    rows = scanned_rows(con, run)
    counted = rows >= _COUNTED and scanned_rows(con, judgments) * max(len(run.systems), 1) <= _JUDGED * rows
    # Counts need finite scores. Reading the scores once more takes a small part of the time of a sort.
    return "counted" if counted and (scores_checked or _are_finite(con, run)) else "sorted"


def _are_finite(con: duckdb.DuckDBPyConnection, run: Table) -> bool:
    """Return whether all scores of a run are finite numbers."""
    query = f"select count(*) = count(case when isfinite(cast(t.score as double)) then 1 end) from {run.sql} as t"
    return bool(con.execute(query).fetchall()[0][0])


def in_rank_order(con: duckdb.DuckDBPyConnection, run: Table, keys: tuple[str, ...]) -> bool:
    """Return whether the rows of a run with scores are stored in rank order, and need not be sorted."""
    if not run.positions or run.beyond_doubles("score"):
        return False
    renderer = Renderer(NamedColumns(keys, run.dialect), run.dialect)

    def in_order(relation: str) -> bool:
        query = renderer.template("inputs/in_rank_order.sql", relation=relation)
        return bool(con.execute(query).fetchall()[0][0])

    # Testing all rows costs about half of an evaluation.
    return all(map(in_order, _parts(con, run))) and in_order(run.positions)


def by_query_id(con: duckdb.DuckDBPyConnection, table: Table, ranges: list[str]) -> bool:
    """Return whether the rows of a table seem to be sorted by query_id, so that reading some queries reads few rows.

    `ranges` are conditions on rows `t` that split the queries into ranges of query_id.
    """
    if not table.positions:
        some = table.where(ranges[len(ranges) // 2])
        return _groups_read(con, f"select count(*) from {some.sql}") <= 2 / len(ranges)
    parts = _parts(con, table)
    bounds = [con.execute(f"select min(query_id), max(query_id) from {part}").fetchall()[0] for part in parts]
    found = [bound for bound in bounds if None not in bound]
    return bool(found) and all(one[1] <= other[0] for one, other in itertools.pairwise(found))


def _groups_read(con: duckdb.DuckDBPyConnection, query: str) -> float:
    """Run a query, and return which share of the row groups of Parquet files and tables it read: 1 if unknown."""
    ((_, profile),) = con.execute(f"explain (analyze, format json) {query}").fetchall()
    # DuckDB 1.5 does not count them.
    counted = json.loads(profile).get("query", {})
    found, all_groups = (int(counted.get(f"total_row_groups_{name}", 0)) for name in ("scanned", "to_scan"))
    return found / all_groups if all_groups else 1


def _parts(con: duckdb.DuckDBPyConnection, table: Table) -> list[str]:
    """Return SQL of a few parts of the stored rows of a large table, in their order."""
    rows = scanned_rows(con, table) if table.positions else 0
    starts = range(0, rows, rows // _PARTS) if rows > _PARTS * _PART else ()
    return [
        f"(select * from {table.positions} where __ltr_position >= {start} and __ltr_position < {start + _PART})"
        for start in starts
    ]


def scanned_rows(con: duckdb.DuckDBPyConnection, table: Table) -> int:
    """Return about how many rows a relation has if reading it again costs a scan. Return 0 for other relations."""
    if table.rows is not None:
        return table.rows
    ((_, plan),) = con.execute(f"explain (format json) select * from {table.sql}").fetchall()
    operators = list(_operators(json.loads(plan)))
    if not all(_SCANS.fullmatch(operator["name"]) for operator in operators):
        return 0
    return int(operators[0]["extra_info"].get("Estimated Cardinality", 0))


def _operators(plan: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the operators of a plan, the last one first."""
    for operator in plan:
        yield operator
        yield from _operators(operator["children"])
