"""What a command prints as CSV is what its function returns, cell by cell."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from support.places import EXAMPLE_DATA

import ltr_sql
from ltr_sql.command_line.main import main

pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")

QRELS, BM25, DENSE = (str(EXAMPLE_DATA / f"{name}.txt") for name in ("qrels", "bm25", "dense"))
DOCUMENTS = str(EXAMPLE_DATA / "documents.csv")
RUNS = {"bm25": BM25, "dense": DENSE}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write values.csv: two systems, 24 queries of two weeks and three countries, one of them NULL.

    a.csv, b.csv and qrels.csv hold runs and judgments of 12 queries.
    """
    folder = tmp_path_factory.mktemp("values")
    rows = [
        (s, 1 + i // 12, f"q{i}", c, (i * 7 % 5 + (s == "b") * (i % 3)) / 10, i % 4 + 1)
        for s in "ab"
        for i, c in enumerate(["de", None, "fr"] * 8)
    ]
    values = pd.DataFrame(rows, columns=["system", "week", "query_id", "country", "gain", "latency"])
    values.to_csv(folder / "values.csv", index=False)
    queries = [(f"q{i}", country) for i, country in enumerate(["de", None, "fr"] * 4)]
    judged = [(query, f"d{i % 3}", i % 2, country) for i, (query, country) in enumerate(queries)]
    judged += [(query, "d9", 1, country) for query, country in queries]
    columns = ["query_id", "doc_id", "relevance", "country"]
    pd.DataFrame(judged, columns=columns).to_csv(folder / "qrels.csv", index=False)
    for system, first in {"a": 0, "b": 1}.items():
        run = [(q, f"d{n}", (i * 5 + n * (first + 3)) % 11) for i, (q, _) in enumerate(queries) for n in (0, 1, 2, 9)]
        pd.DataFrame(run, columns=["query_id", "doc_id", "score"]).to_csv(folder / f"{system}.csv", index=False)
    return folder


CALLS: dict[str, tuple[list[str], Callable[[Path], Any]]] = {
    "compare": (
        ["compare", QRELS, BM25, DENSE],
        lambda _: ltr_sql.compare(RUNS, qrels=QRELS),
    ),
    "compare, options": (
        ["compare", QRELS, BM25, DENSE, "-m", "AP", "--baseline", "dense", "--test", "sign", "--ties", "docid_asc"],
        lambda _: ltr_sql.compare(RUNS, ["AP"], qrels=QRELS, baseline="dense", test="sign", ties="docid_asc"),
    ),
    "compare, a measure over runs": (
        ["compare", QRELS, BM25, DENSE, "-m", "RR,Gini@5", "--documents", DOCUMENTS, "--resamples", "100"],
        lambda _: ltr_sql.compare(RUNS, ["RR", "Gini@5"], qrels=QRELS, documents=DOCUMENTS, resamples=100),
    ),
    "compare, values": (
        ["compare", "--values", "values.csv", "--repeats", "week", "-m", "gain"],
        lambda folder: ltr_sql.compare(folder / "values.csv", ["gain"], values=True, repeats=["week"]),
    ),
    "compare, totals": (
        ["compare", "--values", "values.csv", "-m", "gain", "--keys", "country", "--totals"],
        lambda folder: ltr_sql.compare(
            folder / "values.csv", ["gain"], values=True, keys=["country"], totals=True, allow_empty=True
        ),
    ),
    "compare, runs and keys": (
        ["compare", "qrels.csv", "a.csv", "b.csv", "-m", "RR,AP", "--keys", "country", "--totals", "--allow-empty"],
        lambda folder: ltr_sql.compare(
            {name: folder / f"{name}.csv" for name in "ab"},
            ["RR", "AP"],
            qrels=folder / "qrels.csv",
            keys=["country"],
            totals=True,
            allow_empty=True,
        ),
    ),
    "trend": (
        ["trend", "--values", "values.csv", "-m", "gain", "--by", "week", "--keys", "system"],
        lambda folder: ltr_sql.trend(folder / "values.csv", ["gain"], values=True, keys=["system"]),
    ),
    "evaluate": (
        ["evaluate", QRELS, BM25, DENSE, "-m", "AP,RR", "--ci", "t"],
        lambda _: ltr_sql.evaluate(RUNS, ["AP", "RR"], qrels=QRELS, ci="t"),
    ),
    "worst": (
        ["worst", QRELS, BM25, "-m", "nDCG@5", "-n", "3"],
        lambda _: ltr_sql.worst(BM25, "nDCG@5", qrels=QRELS, n=3),
    ),
    "verify": (
        ["verify", QRELS, BM25, "-m", "RR"],
        lambda _: ltr_sql.verify(BM25, ["RR"], qrels=QRELS),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_command_prints_what_its_function_returns(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words, function = CALLS[name]
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(main, [*words, "--format", "csv"])
    assert result.exit_code == 0, result.output
    expected = function(folder)
    shown = pd.read_csv(StringIO(result.stdout), dtype=object, keep_default_na=False)
    assert [*shown] == [*expected]
    for column in shown:
        assert [as_cell(v) for v in shown[column]] == [near(as_cell(v)) for v in expected[column]], column


def as_cell(value: Any) -> Any:
    """Return a value, or what a cell of CSV says about it."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return {"": None, "true": True, "false": False, "True": True, "False": False}.get(value, value)
    return None if pd.isna(value) else value


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-12) if isinstance(value, float) else value
