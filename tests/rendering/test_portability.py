"""Measures on SQLite, as evidence that the bodies in sql/ are portable.

The templates are rendered for rankings and pairs with a dialect of SQLite. Relations such as judge are not tested,
because SQLite has no NaN.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support.case_folders import case_id
from support.measure_texts import some_strings
from support.together import batches, cases_without, check_together, kind_of, together

from ltr_sql.catalogue.measure_strings import parse_measures
from ltr_sql.catalogue.measures import definitions
from ltr_sql.errors import MeasureError
from ltr_sql.rendering.dialects import Dialect
from ltr_sql.rendering.measure_columns import Column, Pairs, Rankings
from ltr_sql.rendering.render import render
from ltr_sql.rendering.renderer import measures_query

SQLITE = Dialect(
    name="sqlite",
    inline="not materialized ",
    text_type="text",
    quote_mark='"',
    error_function="error",
    numbers="with recursive __ltr_n(rank) as (select 1 union all select rank + 1 from __ltr_n where rank < {last}) "
    "select rank from __ltr_n",
    without_nan="{value}",
    gaps=dict.fromkeys(
        ("alpha_ndcg", "nerr_ia", "nnrbp"),
        "its ideal ranking needs a recursive query with window functions, which SQLite refuses",
    ),
)
CASES = cases_without(SQLITE.gaps)


def refuse(message: str) -> None:
    raise ValueError(message)


@pytest.fixture(scope="module")
def con() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.create_function("error", 1, refuse)
    yield connection
    connection.close()


def query_of(measures: list[str], kind: str, keys: list[str], dialect: Dialect) -> str:
    parsed = parse_measures(measures)
    columns = [Column(m.definition, dict(m.values), dialect.identifier(m.text)) for m in parsed]
    return measures_query(
        columns,
        Pairs(kind, stored=True) if kind == "pairs" else Rankings(kind),
        tuple(keys),
        averaged=False,
        dialect=dialect,
    )


@pytest.mark.default(
    "auc/ties and 7 more", "err/float_grades and 0 more", "expected_ap/without_ties and 5 more", "opa/ties and 0 more"
)
@pytest.mark.parametrize("cases", batches(CASES), ids=lambda cases: f"{case_id(cases[0])} and {len(cases) - 1} more")
def test_measures_on_sqlite(cases: list[Path], con: sqlite3.Connection) -> None:
    if not con.execute("select count(*) from pragma_function_list where name = 'log2'").fetchone()[0]:
        pytest.skip("this SQLite was built without mathematical functions")
    kind, rows = kind_of(cases[0]), together(cases)
    con.execute(f"drop table if exists {kind}")
    con.execute(f"create table {kind} ({', '.join(rows.columns)})")
    values = [[row[name] for name in rows.columns] for row in rows.rows]
    con.executemany(f"insert into {kind} values ({', '.join('?' * len(rows.columns))})", values)
    cursor = con.execute(query_of(rows.measures, kind, rows.keys, SQLITE))
    names = [column[0] for column in cursor.description]
    check_together(cases, (dict(zip(names, row, strict=True)) for row in cursor.fetchall()))


@pytest.mark.parametrize("macro", SQLITE.gaps)
def test_a_gap_is_still_one(macro: str, con: sqlite3.Connection) -> None:
    con.execute("create table if not exists covered (query_id, doc_id, rank, relevance, subtopic)")
    with pytest.raises(MeasureError, match="is not available on sqlite"):
        query_of([macro], "covered", [], SQLITE)
    with pytest.raises(sqlite3.OperationalError):
        con.execute(query_of([macro], "covered", [], replace(SQLITE, gaps={})))


def selects_of(node: Any) -> Iterator[list[dict[str, Any]]]:
    """Yield the expressions of each select of a query that DuckDB has parsed."""
    if isinstance(node, dict):
        if "select_list" in node:
            yield node["select_list"]
        node = [*node.values()]
    if isinstance(node, list):
        for part in node:
            yield from selects_of(part)


OF_ROW_SOURCES = {definition.row_source.name: definition for definition in definitions().values()}


@pytest.mark.parametrize("name", OF_ROW_SOURCES)
def test_no_select_names_two_columns_alike(name: str) -> None:
    """DuckDB and SQLite read the first one, and Spark refuses to read either."""
    definition = OF_ROW_SOURCES[name]
    pairs: dict[str, Any] = {"pairs": "pairs"} if definition.by_score else {}
    text = render(next(iter(some_strings(definition))), keys=["system"], **pairs)
    with duckdb.connect() as parser:
        ((parsed,),) = parser.execute("select json_serialize_sql($text)", {"text": text}).fetchall()
    selects = [*selects_of(json.loads(parsed)["statements"])]
    assert len(selects) > 2
    for columns in selects:
        names = [column["alias"] or column.get("column_names", [""])[-1] for column in columns]
        assert [name for name, times in Counter(filter(None, names)).items() if times > 1] == []
