"""Measures beyond accuracy: case folders, random runs against the oracle, invariants, errors.

A case folder holds run.csv, the tables that the measure reads, and expected.csv: one row per query, or one row without
query_id for a measure over runs.
"""

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from case_folders import BEYOND_ACCURACY, Row, arithmetic, case_id, cases_of, distance, header_of, rows_of

import ltr_sql
from ltr_sql.language.catalogue import all_definitions
from ltr_sql.language.measure_strings import parse_measure
from ltr_sql.sqltext.dialects import string
from ltr_sql.verification import TOLERANCE, oracle_values

TYPES = {"rank": "bigint", "vector": "double[]"} | dict.fromkeys(
    ["score", "popularity", "share", "relevance"], "double"
)
FOLDERS = [folder for name in BEYOND_ACCURACY for folder in cases_of(name)]

# Documents that the catalogue lacks, which evaluate warns of.
pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")


# Case folders


def read_case(con: duckdb.DuckDBPyConnection, folder: Path) -> list[str]:
    """Load the run and the tables of a case, and return the names of the tables."""
    names = [path.stem for path in sorted(folder.glob("*.csv")) if path.stem != "expected"]
    for name in names:
        types = {column: TYPES.get(column, "varchar") for column in header_of(folder / f"{name}.csv")}
        listed = ", ".join(f"{string(column)}: {string(kind)}" for column, kind in types.items())
        path = string(str(folder / f"{name}.csv"))
        con.execute(f"create or replace table {name} as from read_csv({path}, header = true, types = {{{listed}}})")
    assert names.pop(names.index("run")) == "run"
    return names


def expected_of(folder: Path) -> dict[str, dict[str | None, float]]:
    """Return the expected values by measure string and query; the query is None for a measure over runs."""
    with (folder / "expected.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    return {
        text: {row.get("query_id"): arithmetic(row[text]) if row[text].strip() else math.nan for row in rows}
        for text in rows[0]
        if text != "query_id"
    }


def check(found: Mapping[Any, float | None], expected: Mapping[Any, float]) -> None:
    assert found.keys() == expected.keys()
    wrong = {
        query: (found[query], expected[query]) for query in found if distance(found[query], expected[query]) > TOLERANCE
    }
    assert not wrong


def sql_of(value: Any) -> str:
    return "null" if value is None else string(value) if isinstance(value, str) else repr(value)


def called(con: duckdb.DuckDBPyConnection, text: str, tables: Sequence[str], keys: Sequence[str] = ()) -> list[Row]:
    """Call the macro of a measure string."""
    measure = parse_measure(text)
    read = [f"{name} := '{name}'" for name in tables if name in measure.definition.row_source.tables]
    options = [f"{name} := {sql_of(value)}" for name, value in measure.values]
    arguments = ", ".join(["'run'", *read, *options, f"keys := {[*keys]}"])
    return rows_of(con, f"from ltr.{measure.definition.macro}({arguments})")


def by_query(rows: list[Row], column: str) -> dict[Any, Any]:
    found = {row.get("query_id"): row[column] for row in rows}
    assert len(found) == len(rows)
    return found


@pytest.mark.parametrize("folder", FOLDERS, ids=case_id)
def test_case(folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    macro, tables = folder.parent.name, read_case(con, folder)
    assert set(tables) <= set(all_definitions()[macro].row_source.tables)
    given = [f"{name} := '{name}'" for name in tables]
    expected = expected_of(folder)
    for text, values in expected.items():
        measure = parse_measure(text)
        assert measure.definition.macro == macro
        over_queries = measure.definition.over == "query"
        check(by_query(called(con, text, tables), macro), values)
        arguments = ", ".join(["'run'", f"[{string(text)}]", *given, f"by_query := {over_queries}"])
        check(by_query(rows_of(con, f"from ltr.beyond_accuracy({arguments})"), text), values)
        frames = {name: con.table(name).df() for name in ["run", *tables]}
        found = ltr_sql.evaluate(frames.pop("run"), [text], by_query=over_queries, **frames).to_dict("records")
        check(by_query(found, text), values)
        rows = {name: rows_of(con, f"from {name}") for name in tables}
        run = rows_of(con, "select * from run") if "rank" in header_of(folder / "run.csv") else ranked(con)
        value = oracle_values(measure, run, rows)
        check(value if isinstance(value, dict) else {None: value}, values)


def ranked(con: duckdb.DuckDBPyConnection) -> list[Row]:
    """Return the run with ranks made from its scores."""
    order = "partition by query_id order by score desc, doc_id desc"
    return rows_of(con, f"select *, row_number() over ({order}) as rank from run")


@pytest.mark.parametrize("name", BEYOND_ACCURACY)
def test_every_measure_has_a_case(name: str) -> None:
    assert cases_of(name), f"sql/beyond_accuracy/ has {name}.sql, tests/cases/{name}/ has no case"
