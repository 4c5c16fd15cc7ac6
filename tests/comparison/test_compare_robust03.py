"""Two runs of TREC Robust 2003: equal rows from every kind of input, in SQL, Python and on the command line."""

import json
from collections.abc import Iterator
from typing import Any

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner
from support.comparisons import assert_same, records
from support.reference_values import DATA, needs

import ltr_sql
from ltr_sql.command_line.main import main

ROBUST03 = DATA / "robust03"

pytestmark = [
    pytest.mark.slow,
    needs(ROBUST03),
    # The runs and the judgments have different queries.
    pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning"),
]

QRELS = str(ROBUST03 / "qrels.txt.gz")
FILES = {name: str(ROBUST03 / f"run.{name}.txt.gz") for name in ("InexpC2", "aplrob03a")}
MEASURES = ["AP", "nDCG@10"]
# Ten measures of one pair are ten tests.
TEN = [*MEASURES, "nDCG", "P@5", "P@10", "P@20", "RR", "Rprec", "Bpref", "R@1000"]


def read(path: str, columns: list[str]) -> pd.DataFrame:
    """Read a file of columns separated by whitespace. Leave out columns that evaluation does not need."""
    text = dict.fromkeys(("query_id", "doc_id"), str)
    unused = ["q0", "rank", "run_id"]
    return pd.read_csv(path, sep=r"\s+", names=columns, dtype=text).drop(columns=unused, errors="ignore")


@pytest.fixture(scope="module")
def run() -> pd.DataFrame:
    columns = ["query_id", "q0", "doc_id", "rank", "score", "run_id"]
    frames = [read(path, columns).assign(system=name) for name, path in FILES.items()]
    return pd.concat(frames, ignore_index=True)


@pytest.fixture(scope="module")
def qrels() -> pd.DataFrame:
    return read(QRELS, ["query_id", "q0", "doc_id", "relevance"])


@pytest.fixture(scope="module")
def values() -> pd.DataFrame:
    frame: pd.DataFrame = ltr_sql.evaluate(FILES, TEN, qrels=QRELS, by_query=True)
    return frame


@pytest.fixture(scope="module")
def expected(values: pd.DataFrame) -> list[dict[str, Any]]:
    return records(ltr_sql.compare(values, MEASURES, values=True, details=True))


@pytest.fixture
def con(run: pd.DataFrame, qrels: pd.DataFrame, values: pd.DataFrame) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        ltr_sql.register(connection)
        for name, frame in {"run": run, "qrels": qrels, "by_query": values}.items():
            connection.register(name, frame)
        yield connection


def assert_rows(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    assert len(found) == len(expected) == len(MEASURES)
    for row, wanted in zip(found, expected, strict=True):
        assert row.keys() == wanted.keys()
        for name, value in wanted.items():
            assert_same(row[name], value, f"{name} of {wanted['measure']}")


def test_files(expected: list[dict[str, Any]]) -> None:
    assert_rows(records(ltr_sql.compare(FILES, MEASURES, qrels=QRELS, details=True)), expected)


def test_frames(run: pd.DataFrame, qrels: pd.DataFrame, expected: list[dict[str, Any]]) -> None:
    assert_rows(records(ltr_sql.compare(run, MEASURES, qrels=qrels, details=True)), expected)


def test_dicts(run: pd.DataFrame, qrels: pd.DataFrame, expected: list[dict[str, Any]]) -> None:
    def dicts(frame: pd.DataFrame, value: str) -> dict[Any, dict[str, float]]:
        return {q: dict(zip(rows["doc_id"], rows[value], strict=True)) for q, rows in frame.groupby("query_id")}

    runs = {name: dicts(rows, "score") for name, rows in run.groupby("system")}
    assert_rows(records(ltr_sql.compare(runs, MEASURES, qrels=dicts(qrels, "relevance"), details=True)), expected)


def test_sql(con: duckdb.DuckDBPyConnection, expected: list[dict[str, Any]]) -> None:
    con.execute("create table judged as from ltr.judge('run', 'qrels', keys := ['system'])")
    for call in (f"compare('judged', {MEASURES}", f"compare_values('by_query', measures := {MEASURES}"):
        assert_rows(records(con.execute(f"from ltr.{call}, details := true)").df()), expected)


def test_command_line(expected: list[dict[str, Any]]) -> None:
    measures = [word for name in MEASURES for word in ("-m", name)]
    result = CliRunner().invoke(main, ["compare", QRELS, *FILES.values(), *measures, "--format", "json", "--details"])
    assert result.exit_code == 0, result.output
    assert_rows(json.loads(result.stdout), expected)


def test_ten_tests_are_corrected(values: pd.DataFrame) -> None:
    """By itself, nDCG@10 differs significantly. After Holm's correction for ten tests, it does not."""
    found = records(ltr_sql.compare(values, TEN, values=True, test="randomization", family="all", details=True))
    row = next(row for row in found if row["measure"] == "nDCG@10")
    assert row["p"] < 0.05 < row["p_adjusted"]
    assert row["verdict"] == "undecided"
