"""How the rows of a relation are stored: their number, their order, and the cost of reading them again."""

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
# Number and rows of the parts of a run that are looked at before the whole run is.
_PARTS, _PART = 8, 5_000
# Operators of relations that cost a scan of what is stored.
_SCANS = re.compile(r"\w*_SCAN|READ_PARQUET|PROJECTION|FILTER|UNION")


def ranking(con: duckdb.DuckDBPyConnection, run: Table, keys: tuple[str, ...], scores_checked: bool) -> str:
    """Return how ranks are best made from the scores of a run: see `Facts.ranking`."""
    if "rank" in run.columns or not {"query_id", "score"} <= run.columns.keys() or run.kind("score") == "text":
        return "sorted"
    if in_rank_order(con, run, keys):
        return "stored"
    return "counted" if scores_checked and scanned_rows(con, run) >= _COUNTED else "sorted"


def in_rank_order(con: duckdb.DuckDBPyConnection, run: Table, keys: tuple[str, ...]) -> bool:
    """Return whether the rows of a run with scores are stored in rank order, and need not be sorted."""
    if not run.positions or run.beyond_doubles("score"):
        return False
    renderer = Renderer(NamedColumns(keys, run.dialect), run.dialect)

    def in_order(relation: str) -> bool:
        query = renderer.template("inputs/in_rank_order.sql", relation=relation)
        return bool(con.execute(query).fetchall()[0][0])

    # Any part of a run in rank order is in rank order, and reading all rows takes longer than the evaluation needs them.
    rows = scanned_rows(con, run)
    starts = range(0, rows, max(rows // _PARTS, 1)) if rows > _PARTS * _PART else ()
    parts = (
        f"(select * from {run.positions} where __ltr_position >= {start} and __ltr_position < {start + _PART})"
        for start in starts
    )
    return all(map(in_order, parts)) and in_order(run.positions)


def scanned_rows(con: duckdb.DuckDBPyConnection, table: Table) -> int:
    """Return about how many rows a relation has if reading it again costs a scan. Return 0 for other relations."""
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
