"""Results for experiment trackers, and judgments of ir_datasets.

test_docs.py runs the other recipes of docs/other_tools.md.
"""

import csv
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import ir_datasets
import pandas as pd
import pytest
from click.testing import CliRunner
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import TrecQrels, TrecSubQrels
from ir_datasets.util import LocalDownload
from support.places import EXAMPLE_DATA, ROOT, TESTS

import ltr_sql
from ltr_sql.command_line.main import main

RUNS = {"bm25": str(EXAMPLE_DATA / "bm25.txt"), "dense": str(EXAMPLE_DATA / "dense.txt")}
QRELS = str(EXAMPLE_DATA / "qrels.txt")
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
    with (TESTS / "measure_strings.csv").open(encoding="utf-8", newline="") as file:
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


@pytest.mark.clients
def test_wandb_keeps_the_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")
    expected = ltr_sql.flat(ltr_sql.evaluate(RUNS, MEASURES, qrels=QRELS), prefix="test/")
    with wandb.init(mode="offline", dir=str(tmp_path), project="ltr-sql") as run:
        run.log(expected)
        assert {name: run.summary[name] for name in expected} == expected


# Extras that are not installed


@pytest.mark.parametrize(("extra", "package"), [("spark", "pyspark"), ("dbt", "dbt")])
def test_a_missing_extra_names_its_command(extra: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package] + [f"ltr_sql.{extra}"]:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=re.escape(f"pip install 'ltr-sql[{extra}]'")):
        import_module(f"ltr_sql.{extra}")


# Frameworks, which are tested where they are installed


@pytest.mark.clients
@pytest.mark.filterwarnings("ignore")
def test_pyterrier_reports_equal_values() -> None:
    pt = pytest.importorskip("pyterrier")
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    rows = [(f"q{q}", f"d{q * 7 % 5 + i}", i, 1 / (i + 1)) for q in range(6) for i in range(5)]
    retrieved = pd.DataFrame(rows, columns=["qid", "docno", "rank", "score"])
    judged = pd.DataFrame(
        {"qid": [f"q{q}" for q in range(6)], "docno": [f"d{q % 4 + 2}" for q in range(6)], "label": 1}
    )
    topics = pd.DataFrame({"qid": [f"q{q}" for q in range(6)], "query": "text"})
    measures = ["recip_rank", "map", "ndcg_cut_10"]
    theirs = pt.Experiment([pt.Transformer.from_df(retrieved)], topics, judged, measures, names=["run"])
    assert 0 < theirs["recip_rank"][0] < 1
    found = ltr_sql.evaluate(retrieved.drop(columns="rank"), ["RR", "AP", "nDCG@10"], qrels=judged, columns=names)
    assert found[["RR", "AP", "nDCG@10"]].to_numpy()[0] == pytest.approx(theirs[measures].to_numpy()[0], abs=1e-9)


@pytest.mark.clients
@pytest.mark.filterwarnings("ignore")
def test_sentence_transformers_reports_equal_values() -> None:
    pytest.importorskip("sentence_transformers")
    import numpy as np  # noqa: PLC0415
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415
    from sentence_transformers.evaluation import InformationRetrievalEvaluator, SentenceEvaluator  # noqa: PLC0415
    from sentence_transformers.models import BoW  # noqa: PLC0415

    page = (ROOT / "docs" / "other_tools.md").read_text(encoding="utf-8")
    (block,) = [block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "class RankingEvaluator:" in block]
    source = block.partition("class Letters")[0].replace("RankingEvaluator:", "RankingEvaluator(SentenceEvaluator):")
    names: dict[str, Any] = {"np": np, "ltr_sql": ltr_sql, "SentenceEvaluator": SentenceEvaluator}
    exec(source, names)  # the code of the page
    documents = {
        "d1": "cheap hotel near museum",
        "d2": "art gallery of modern french paintings",
        "d3": "cheap flights",
        "d4": "museum of art",
        "d5": "hotel hotel price",
    }
    queries = {"q1": "cheap hotel", "q2": "art museum", "q3": "price"}
    qrels = {"q1": {"d1": 1, "d3": 1}, "q2": {"d2": 1}, "q3": {"d5": 1}}
    words = sorted({word for text in [*documents.values(), *queries.values()] for word in text.split()})
    model = SentenceTransformer(modules=[BoW(vocab=words)], device="cpu")
    found = names["RankingEvaluator"](queries, documents, qrels, ("nDCG@10", "RR@10", "AP@100", "P@3"))(model)
    relevant = {query: {*judged} for query, judged in qrels.items()}
    theirs = InformationRetrievalEvaluator(queries, documents, relevant)(model)
    expected = [theirs[f"cosine_{name}"] for name in ("ndcg@10", "mrr@10", "map@100", "precision@3")]
    assert expected[0] < 1
    assert list(found.values()) == pytest.approx(expected, abs=1e-9)


# ir_datasets


def registered(name: str, *parts: Any) -> str:
    if name not in ir_datasets.registry:
        ir_datasets.registry.register(name, Dataset(*parts))
    return f"irds:{name}"


@pytest.fixture
def judgments() -> str:
    return registered("ltr-sql-judgments", TrecQrels(LocalDownload(EXAMPLE_DATA / "qrels.txt"), {}))


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
        registered(
            "ltr-sql-missing", TrecQrels(LocalDownload(EXAMPLE_DATA / "nowhere"), {})
        ): "cannot read the judgments of",
    }.items():
        with pytest.raises(ltr_sql.InputError, match=message):
            ltr_sql.evaluate(RUNS, MEASURES, qrels=given)
    with pytest.raises(ltr_sql.InputError, match="only judgments are read from ir_datasets: pass it as qrels"):
        ltr_sql.evaluate(judgments, MEASURES, qrels=QRELS)


@pytest.mark.usefixtures("not_installed")
def test_ir_datasets_is_missing() -> None:
    result = CliRunner().invoke(main, ["evaluate", "irds:antique/test", RUNS["bm25"]])
    assert result.exit_code == 2
    assert result.output == (
        "Error: irds:antique/test is read with ir_datasets, which is not installed: run pip install 'ltr-sql[irds]'\n"
    )
