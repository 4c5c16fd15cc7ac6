"""Other clients of DuckDB attach the built catalogue, and give the expected values of the case folders."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support.case_folders import MEASURE_CASES, file_of
from support.places import TESTS
from support.together import check_together, joined, sql_list, table_of

from ltr_sql.macros.registration import catalogue_file
from ltr_sql.rendering.dialects import string

pytestmark = pytest.mark.clients

CLIENTS = TESTS / "clients"
BATCHES = [batch for batch in joined(f for f in MEASURE_CASES if file_of(f) == "rankings") if len(batch) > 1]

Results = list[list[dict[str, Any]]]


@pytest.fixture(scope="module")
def queries() -> list[str]:
    """Return two queries for each batch of cases: create its table, and measure it."""
    texts = []
    for cases in BATCHES:
        with duckdb.connect() as con:
            table, keys, measures = table_of(con, cases)
            columns = con.execute(f"describe {table}").fetchall()
            names = ", ".join(name for name, *_ in columns)
            casts = ", ".join(f"cast({name} as {kind}) as {name}" for name, kind, *_ in columns)
            rows = con.execute(f"from {table}").fetchall()
        values = ", ".join(f"({', '.join(map(sql_value, row))})" for row in rows)
        texts += [
            f"create or replace table {table} as select {casts} from (values {values}) as t({names})",
            f"from ltr.per_query({string(table)}, {sql_list(measures)}, keys := {sql_list(keys)})",
        ]
    return texts


def sql_value(value: Any) -> str:
    return "null" if value is None else string(value) if isinstance(value, str) else repr(value)


def check(results: Results, values: Callable[[dict[str, Any]], dict[str, Any]] = dict) -> None:
    measured = results[1::2]
    assert len(measured) == len(BATCHES) > 5
    for cases, rows in zip(BATCHES, measured, strict=True):
        check_together(cases, map(values, rows))


@pytest.fixture(scope="module")
def node_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    npm = shutil.which("npm")
    assert npm, "npm is not installed"
    folder = tmp_path_factory.mktemp("node")
    shutil.copytree(CLIENTS, folder, dirs_exist_ok=True)
    install = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    subprocess.run(install, check=True, cwd=folder)
    return folder


@pytest.mark.parametrize("script", ["node.mjs", "wasm.mjs"])
def test_node(script: str, node_modules: Path, queries: Sequence[str]) -> None:
    (node_modules / "queries.json").write_text(json.dumps(queries), encoding="utf-8")
    node = shutil.which("node")
    assert node, "Node is not installed"
    call = [node, script, str(catalogue_file()), "queries.json"]
    done = subprocess.run(call, check=True, capture_output=True, text=True, cwd=node_modules)
    check(json.loads(done.stdout))


def test_the_command_line_client(tmp_path: Path, queries: Sequence[str]) -> None:
    client = shutil.which("duckdb", path=str(Path(sys.executable).parent))
    assert client, "the DuckDB client of the test extra (duckdb-cli) is not installed"
    script = tmp_path / "queries.sql"
    script.write_text(
        f"attach {string(str(catalogue_file()))} as ltr (read_only);\n.mode json\n" + ";\n".join([*queries, ""]),
        encoding="utf-8",
    )
    done = subprocess.run([client, "-f", str(script)], check=True, capture_output=True, text=True)
    decoder, results, rest = json.JSONDecoder(), [], done.stdout.strip()
    while rest:
        rows, end = decoder.raw_decode(rest)
        results += [[], rows]
        rest = rest[end:].strip()
    check(results)
