"""Evaluators own what they keep: changes of their inputs, forks and copies do not change values."""

import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from support.evaluators import QRELS, RUN, SCORE_TYPES, assert_same, in_fork, outcome

import ltr_sql
from ltr_sql import Evaluator
from ltr_sql.forks import not_while_forking
from ltr_sql.macros.registration import register

MEASURES = ["AP", "nDCG@3"]
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot fork")
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")


def as_pandas(run: pd.DataFrame) -> pd.DataFrame:
    return run


def values(evaluator: Evaluator, run: Any = RUN) -> Any:
    return outcome(evaluator.evaluate, run, by_query=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "library", [as_pandas, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "arrow"]
)
@pytest.mark.parametrize("kind", ["int64", "float16", "uint8", "bool", "Int64", "object", "decimal"])
def test_scores_of_another_type_do_not_replace_what_a_statement_reads(kind: str, library: Any) -> None:
    rng = np.random.default_rng(0)
    # Scores of 0 and 1, which all types hold. One call evaluates all runs: each is a system.
    runs = {f"run {number}": RUN.assign(score=rng.integers(0, 2, len(RUN)).astype(float)) for number in range(6)}
    wanted = ltr_sql.evaluate(runs, MEASURES, qrels=QRELS).set_index("system")[MEASURES]
    assert len(wanted.drop_duplicates()) == len(runs)

    def run_of(kind: str, number: int) -> Any:
        run = runs[f"run {number}"]
        return library(run.assign(score=SCORE_TYPES[kind](run["score"].to_numpy())))

    def means(result: Any) -> list[float]:
        return [
            float(result[name][0].as_py() if library is pa.Table.from_pandas else result[name][0]) for name in MEASURES
        ]

    if kind == "float16" and library is not as_pandas:
        pytest.skip("DuckDB reads no such column of Arrow")
    try:
        other = run_of(kind, 0)
    except (TypeError, pa.ArrowException, pl.exceptions.PolarsError):
        pytest.skip("the library has no such scores")
    with Evaluator(MEASURES, QRELS) as evaluator:
        for number in (1, 2, 3, 0, 4, 5, 0):
            run = run_of("float64", number) if number else other
            assert means(evaluator.evaluate(run)) == pytest.approx([*wanted.loc[f"run {number}"]], abs=1e-12)


@pytest.mark.slow
def test_judgments_gains_and_weights_may_change() -> None:
    qrels, gains = QRELS.assign(relevance=QRELS["relevance"].clip(lower=0)), {1: 1.0, 2: 5.0}
    weights = {query: 1.0 + number for number, query in enumerate(qrels["query_id"].unique())}
    evaluator = Evaluator(MEASURES, qrels, gains=gains, weights=weights)
    before = outcome(evaluator.evaluate, RUN)
    qrels.loc[:, "relevance"] = 0
    gains[2] = 100.0
    weights["q1"] = 100.0
    evaluator.forget()
    assert_same(outcome(evaluator.evaluate, RUN), before)
    assert_same(outcome(pickle.loads(pickle.dumps(evaluator)).evaluate, RUN), before)


@pytest.mark.default("group")
@pytest.mark.parametrize("changed", ["labels", "group"])
def test_labels_and_groups_may_change(changed: str) -> None:
    given = {"labels": np.array([0, 1, 2, 0]), "group": np.array([7, 7, 8, 8])}
    evaluator = Evaluator.from_labels(MEASURES, given["labels"], given["group"])
    before = evaluator.evaluate([3.0, 2.0, 1.0, 0.0], by_query=True)
    given[changed][:] = 1
    evaluator.forget()
    for one in (evaluator, pickle.loads(pickle.dumps(evaluator))):
        pd.testing.assert_frame_equal(one.evaluate([3.0, 2.0, 1.0, 0.0], by_query=True), before)


@pytest.mark.default("reader")
@pytest.mark.parametrize("kind", ["reader", "relative path"])
def test_judgments_are_read_once(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    QRELS.to_csv("qrels.csv", index=False)
    qrels = "qrels.csv" if kind == "relative path" else pa.Table.from_pandas(QRELS).to_reader()
    evaluator = Evaluator(["nDCG@3"], qrels)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    evaluator.forget()
    wanted = outcome(ltr_sql.evaluate, RUN, ["nDCG@3"], qrels=QRELS, by_query=True)
    assert_same(values(evaluator), wanted)
    assert_same(values(pickle.loads(pickle.dumps(evaluator))), wanted)


@pytest.mark.slow
def test_copies_keep_types_and_missing_grades() -> None:
    """Ids of every type, grades that are NULL, and segments are those of the judgments."""
    qrels = pd.DataFrame({"query_id": ["q", "q", "r"], "doc_id": ["1", "2", "1"], "relevance": [2, 0, 1]})
    for ids in ("str", "int64", "uint64", "category", "datetime64[us]"):
        judged = qrels.assign(doc_id=qrels["doc_id"].astype("int64").astype(ids) if ids != "str" else qrels["doc_id"])
        judged["relevance"] = pd.array([2, None, 1], dtype="Int64")
        judged["country"] = ["de", "de", None]
        run = judged[["query_id", "doc_id"]].assign(score=[1.0, 2.0, 3.0])
        evaluator = Evaluator(["nDCG", "Judged@2"], judged, keys=["country"])
        before = values(evaluator, run)
        assert isinstance(before[0], dict), before
        assert_same(values(pickle.loads(pickle.dumps(evaluator)), run), before)


def test_a_closed_evaluator_stays_closed_in_a_copy() -> None:
    evaluator = Evaluator(MEASURES, QRELS)
    evaluator.close()
    with pytest.raises(ltr_sql.InputError, match="the evaluator is closed"):
        pickle.loads(pickle.dumps(evaluator)).evaluate(RUN)


@pytest.mark.slow
@needs_fork
def test_a_fork_waits_for_blocks_of_other_threads() -> None:
    """No thread holds the lock in the forked process, so that all threads there can evaluate."""
    evaluator = Evaluator(MEASURES, QRELS)
    held, ended = threading.Event(), threading.Event()

    def hold() -> None:
        with not_while_forking():
            held.set()
            ended.wait(0.3)

    def evaluate_in_a_thread() -> None:
        with ThreadPoolExecutor(1) as pool:
            assert_same(
                pool.submit(values, evaluator).result(timeout=30),
                outcome(ltr_sql.evaluate, RUN, MEASURES, qrels=QRELS, by_query=True),
            )
            register(pool.submit(ltr_sql.inputs.connection.own_connection).result(timeout=30))

    with ThreadPoolExecutor(1) as pool:
        pool.submit(hold)
        held.wait()
        assert in_fork(evaluate_in_a_thread)
    assert_same(values(evaluator), outcome(ltr_sql.evaluate, RUN, MEASURES, qrels=QRELS, by_query=True))
