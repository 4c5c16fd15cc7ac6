"""Results for experiment trackers, and judgments of ir_datasets. docs/other_tools.md tests the other recipes."""

import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ir_datasets
import pandas as pd
import pytest
from click.testing import CliRunner
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import TrecQrels, TrecSubQrels
from ir_datasets.util import LocalDownload

import ltr_sql
from ltr_sql.command_line.main import main

ROOT = Path(__file__).parents[1]
DATA = ROOT / "examples" / "data"
RUNS = {"bm25": str(DATA / "bm25.txt"), "dense": str(DATA / "dense.txt")}
QRELS = str(DATA / "qrels.txt")
MEASURES = ["nDCG@10", "P(rel=2)@5", "nDCG(gain='exponential', level=2)@3"]
# MLflow refuses other names of metrics.
ACCEPTED = re.compile(r"[\w.: /-]+")


# Trackers


def test_flat_names_systems_and_measures() -> None:
    frame = ltr_sql.evaluate(RUNS, MEASURES, qrels=QRELS)
    found = ltr_sql.flat(frame, prefix="test/")
    names = ["nDCG_at_10", "P_rel_2_at_5", "nDCG_gain_exponential_level_2_at_3"]
    assert list(found) == [f"test/{system}.{name}" for system in RUNS for name in names]
    assert list(found.values()) == frame[MEASURES].to_numpy().ravel().tolist()
    assert {type(value) for value in found.values()} == {float}
    polars = pytest.importorskip("polars").from_pandas(frame)
    assert ltr_sql.flat(polars, "test/") == ltr_sql.flat(polars.to_arrow(), "test/") == found
    weights = {f"q{number}": 2 for number in range(1, 7)}
    one = ltr_sql.evaluate(RUNS["bm25"], MEASURES[:1], qrels=QRELS, weights=weights)
    assert "weight" in one
    assert ltr_sql.flat(one) == {"nDCG_at_10": pytest.approx(found["test/bm25.nDCG_at_10"], abs=1e-12)}


def test_flat_keeps_measure_strings_apart() -> None:
    with (Path(__file__).parent / "measure_strings.csv").open(encoding="utf-8", newline="") as file:
        strings = {row["canonical"] for row in csv.DictReader(file)} - {""}
    assert len(strings) > 100
    names = ltr_sql.flat(pd.DataFrame({"queries": [1], **dict.fromkeys(strings, 0.5)}))
    assert len(names) == len(strings)
    assert [name for name in names if not ACCEPTED.fullmatch(name)] == []


def test_flat_of_null_and_of_frames_that_it_cannot_name() -> None:
    frame = pd.DataFrame({"system": ["a/b", "a b"], "queries": [1, 1], "RR": [None, 1.0]})
    assert ltr_sql.flat(frame) == {"a_b.RR": 1.0}
    with pytest.raises(ltr_sql.InputError, match=r"two values have the name a_b\.RR: rename a system"):
        ltr_sql.flat(frame.fillna(0.5))
    with pytest.raises(ltr_sql.InputError, match=r"flat reads means of evaluate.*got system, query_id, RR"):
        ltr_sql.flat(ltr_sql.evaluate(RUNS, ["RR"], qrels=QRELS, by_query=True))


@pytest.mark.clients
def test_mlflow_accepts_the_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow  # noqa: PLC0415  (.ci/run installs it for these tests)

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    expected = ltr_sql.flat(ltr_sql.evaluate(RUNS, MEASURES, qrels=QRELS))
    with mlflow.start_run() as run:
        mlflow.log_metrics(expected)
        with pytest.raises(mlflow.exceptions.MlflowException, match="Invalid"):
            mlflow.log_metric("nDCG@10", 0.5)
    assert mlflow.get_run(run.info.run_id).data.metrics == expected


# ir_datasets


def registered(name: str, *parts: Any) -> str:
    if name not in ir_datasets.registry:
        ir_datasets.registry.register(name, Dataset(*parts))
    return f"irds:{name}"


@pytest.fixture
def judgments() -> str:
    return registered("ltr-sql-judgments", TrecQrels(LocalDownload(DATA / "qrels.txt"), {}))


@pytest.fixture
def not_installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    yield


def test_judgments_of_ir_datasets(judgments: str, tmp_path: Path) -> None:
    expected = ltr_sql.evaluate(RUNS, ["AP", "RR"], qrels=QRELS)
    pd.testing.assert_frame_equal(ltr_sql.evaluate(RUNS, ["AP", "RR"], qrels=judgments), expected)
    words = ["evaluate", judgments, *RUNS.values(), "-m", "AP", "-m", "RR", "--format", "csv"]
    assert CliRunner().invoke(main, words).output == expected.to_csv(index=False)
    subtopics = tmp_path / "subtopics.txt"
    subtopics.write_text("007 1 a 1\n007 2 a 1\n007 2 b 1\n", encoding="utf-8")
    diverse = registered("ltr-sql-subtopics", TrecSubQrels(LocalDownload(subtopics), {}))
    run = {"007": {"a": 2.0, "b": 1.0}}
    found = ltr_sql.evaluate(run, ["alpha_nDCG@5", "ERR_IA@5"], qrels=diverse)
    assert found.equals(ltr_sql.evaluate(run, ["alpha_nDCG@5", "ERR_IA@5"], qrels=str(subtopics)))


def test_judgments_that_ir_datasets_lacks(judgments: str) -> None:
    for given, message in {
        "irds:no/such": "ir_datasets has no data set 'no/such'",
        registered("ltr-sql-empty"): "the data set 'ltr-sql-empty' has no judgments",
        registered("ltr-sql-missing", TrecQrels(LocalDownload(DATA / "nowhere"), {})): "cannot read the judgments of",
    }.items():
        with pytest.raises(ltr_sql.InputError, match=message):
            ltr_sql.evaluate(RUNS, MEASURES, qrels=given)
    with pytest.raises(ltr_sql.InputError, match="only judgments are read from ir_datasets: pass it as qrels"):
        ltr_sql.evaluate(judgments, MEASURES, qrels=QRELS)


@pytest.mark.usefixtures("not_installed")
def test_ir_datasets_is_missing() -> None:
    result = CliRunner().invoke(main, ["evaluate", "irds:antique/test", RUNS["bm25"]])
    assert result.exit_code == 1
    assert result.output == (
        "Error: irds:antique/test is read with ir_datasets, which is not installed: run pip install 'ltr-sql[irds]'\n"
    )
