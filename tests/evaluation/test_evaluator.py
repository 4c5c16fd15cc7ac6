"""Evaluators return the results of `evaluate`, with and without kept documents, in threads and in other processes."""

import gc
import multiprocessing
import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from support.evaluators import QRELS, RUN, assert_same, outcome, table
from support.memory import SLACK, memory

import ltr_sql
from ltr_sql import Evaluator
from ltr_sql.catalogue.measures import definitions
from ltr_sql.evaluation import kept_documents

MEASURES = ["AP", "RR", "nDCG@3", "nDCG", "P@2", "R@5", "Bpref", "RBP", "NumRet"]


RANKED = RUN.assign(rank=RUN.groupby("query_id")["score"].rank(method="first", ascending=False)).drop(columns="score")


@pytest.fixture
def evaluator() -> Iterator[Evaluator]:
    with Evaluator(MEASURES, QRELS) as made:
        yield made


# Values


@pytest.mark.slow
@pytest.mark.parametrize("by_query", [True, False])
def test_each_run_has_its_own_values(by_query: bool) -> None:
    """The scores, documents, queries and number of rows are those of the current run."""
    with Evaluator(MEASURES, QRELS) as evaluator:
        for seed in range(3):
            rng = np.random.default_rng(seed)
            scored = RUN.assign(score=rng.random(len(RUN))).sample(frac=1, random_state=seed)
            exchanged = scored.assign(doc_id=rng.permutation([f"d{number}" for number in range(len(RUN))]))
            for run in (scored, scored.iloc[seed:], exchanged, scored[scored["query_id"] != f"q{seed}"]):
                found = outcome(evaluator.evaluate, run, by_query=by_query)
                assert_same(found, outcome(expected, run, by_query))


def expected(run: Any, by_query: bool = True) -> Any:
    return ltr_sql.evaluate(run, MEASURES, qrels=QRELS, by_query=by_query)


@pytest.mark.default("skip-expected")
@pytest.mark.parametrize("ties", ["expected", "worst", "best", "docid_asc", "row_order"])
@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_random_runs_with_options(ties: str, missing: str) -> None:
    measures = ["P@2", "R@3", "RR", "AP", "nDCG@3", "Success@2"]
    options: dict[str, Any] = {"ties": ties, "missing": missing}
    run, qrels = table(20, 6, seed=5)
    run = run[run["query_id"] != "q3"].sample(frac=0.7, random_state=1)
    run["row_order"] = range(len(run))
    with Evaluator(measures, qrels, **options) as evaluator:
        for each in (run, run.assign(score=-run["score"])):
            found = outcome(evaluator.evaluate, each, by_query=True)
            assert_same(
                found,
                outcome(ltr_sql.evaluate, each, measures, qrels=qrels, by_query=True, **options),
            )
            assert isinstance(found[0], dict)


@pytest.mark.default("{'check': False}")
@pytest.mark.parametrize(
    "options",
    [
        {"convention": "lightgbm"},
        {"convention": "ir_measures"},
        {"gains": {1: 1, 2: 7}},
        {"gains": [0, 1, 3, 7]},
        {"check": False},
    ],
    ids=str,
)
def test_options(options: dict[str, Any]) -> None:
    run, qrels = RUN.assign(row_order=range(len(RUN))), QRELS.assign(relevance=QRELS["relevance"].clip(lower=0))
    with Evaluator(["nDCG@5", "AP"], qrels, **options) as evaluator:
        wanted = outcome(ltr_sql.evaluate, run, ["nDCG@5", "AP"], qrels=qrels, by_query=True, **options)
        for _ in range(2):
            assert_same(outcome(evaluator.evaluate, run, by_query=True), wanted)


def dict_of(frame: pd.DataFrame, name: str) -> dict[str, dict[str, Any]]:
    return {
        str(query): dict(zip(rows["doc_id"], rows[name].tolist(), strict=True))
        for query, rows in frame.groupby("query_id")
    }


def trec(frame: pd.DataFrame, path: Path) -> str:
    lines = [f"{row.query_id} Q0 {row.doc_id} 1 {row.score} tag" for row in frame.itertuples()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_every_kind_of_run(evaluator: Evaluator, tmp_path: Path) -> None:
    wanted = outcome(expected, RUN)
    with duckdb.connect() as con:
        kinds: list[Any] = [
            RUN,
            dict_of(RUN, "score"),
            {name: RUN[name].to_numpy(dtype=object if name != "score" else float) for name in RUN},
            trec(RUN, tmp_path / "run.txt"),
            con.sql("from RUN"),
        ]
        for run in kinds:
            assert_same(outcome(evaluator.evaluate, run, by_query=True), wanted)
    assert_same(outcome(evaluator.evaluate, RANKED), outcome(expected, RANKED, by_query=False))
    polars = evaluator.evaluate(pl.from_pandas(RUN), by_query=True)
    arrow = evaluator.evaluate(pa.Table.from_pandas(RUN), by_query=True)
    assert isinstance(polars, pl.DataFrame)
    assert isinstance(arrow, pa.Table)
    assert polars.to_dict(as_series=False) == arrow.to_pydict() == wanted[0]


@pytest.mark.default("relation")
@pytest.mark.parametrize("kind", ["dict", "polars", "file", "relation", "integers"])
def test_every_kind_of_judgments(kind: str, tmp_path: Path) -> None:
    run, qrels = RUN, QRELS
    path = tmp_path / "qrels.csv"
    if kind == "integers":
        run, qrels = (
            frame.assign(query_id=frame["query_id"].str[1:].astype(int), doc_id=frame["doc_id"].str[1:].astype("int32"))
            for frame in (run, qrels)
        )
    qrels.to_csv(path, index=False)
    with duckdb.connect() as con:
        given: Any = {
            "dict": dict_of(QRELS, "relevance"),
            "polars": pl.from_pandas(QRELS),
            "file": str(path),
            "relation": con.sql("from QRELS"),
            "integers": qrels,
        }[kind]
        evaluator = Evaluator(MEASURES, given)
    wanted = ltr_sql.evaluate(run, MEASURES, qrels=qrels, by_query=True).to_dict("list")
    for _ in range(2):
        found = evaluator.evaluate(run, by_query=True)
        found = found.to_pandas() if isinstance(found, pl.DataFrame) else found
        assert found.to_dict("list") == {name: pytest.approx(values, abs=1e-12) for name, values in wanted.items()}


@pytest.mark.slow
def test_several_systems() -> None:
    runs = {name: RUN.assign(score=-RUN["score"] if name == "b" else RUN["score"]) for name in ("a", "b")}
    stacked = pd.concat([run.assign(system=name, fold=1) for name, run in runs.items()])
    with Evaluator(MEASURES, QRELS) as evaluator, Evaluator(MEASURES, QRELS, keys=["system", "fold"]) as keyed:
        of_runs = outcome(expected, runs, by_query=False)
        wanted = outcome(ltr_sql.evaluate, stacked, MEASURES, qrels=QRELS, keys=["system", "fold"])
        for _ in range(2):
            assert_same(outcome(evaluator.evaluate, runs), of_runs)
            assert_same(outcome(keyed.evaluate, stacked), wanted)
        assert isinstance(wanted[0], dict)


# Bad and suspicious input, as in `evaluate`

SUSPICIOUS: dict[str, pd.DataFrame] = {
    "a query not judged": RUN.assign(query_id=RUN["query_id"].replace("q3", "new")),
    "a query not run": RUN[RUN["query_id"] != "q3"],
    "a score is NaN": RUN.assign(score=RUN["score"].where(RUN.index != 5)),
    "a score is infinite": RUN.assign(score=RUN["score"].where(RUN.index != 5, np.inf)),
    "an id is NULL": RUN.assign(doc_id=RUN["doc_id"].where(RUN.index != 5)),
    "a document twice": pd.concat([RUN, RUN.iloc[:1].assign(score=9.0)]),
    "a document twice, tied": pd.concat([RUN, RUN.iloc[:1]]),
    "no rows": RUN.iloc[:0],
    "no common queries": RUN.assign(query_id="x" + RUN["query_id"]),
    "no common documents": RUN.assign(doc_id="x" + RUN["doc_id"]),
    "a rank twice": RANKED.assign(rank=RANKED["rank"].replace(2, 1)),
    "rank 0": RANKED.assign(rank=RANKED["rank"] - 1),
    "ranks with gaps": RANKED.assign(rank=RANKED["rank"] * 3),
    "no score": RUN.drop(columns="score"),
    "scores as text": RUN.assign(score="high"),
    "ids as numbers": RUN.assign(doc_id=range(len(RUN))),
}


@pytest.mark.default("a document twice, tied")
@pytest.mark.parametrize("suspicious", SUSPICIOUS)
def test_suspicious_runs_after_a_sound_run_of_their_size(suspicious: str, evaluator: Evaluator) -> None:
    run = SUSPICIOUS[suspicious]
    sound = RANKED if "rank" in run.columns else RUN
    wanted = [outcome(expected, each, by_query=False) for each in (sound, run)]
    for each, same in zip((sound, run) * 2, wanted * 2, strict=True):
        assert_same(outcome(evaluator.evaluate, each), same)


def test_frames_have_a_row_order() -> None:
    with Evaluator(MEASURES, QRELS, ties="row_order") as evaluator:
        for run in (RUN, RUN[::-1].reset_index(drop=True)):
            found = outcome(evaluator.evaluate, run, by_query=True)
            wanted = outcome(ltr_sql.evaluate, run, MEASURES, qrels=QRELS, ties="row_order", by_query=True)
            assert isinstance(found[0], dict)
            assert_same(found, wanted)


def test_queries_not_run_are_no_finding_if_they_are_skipped() -> None:
    run = RUN[RUN["query_id"] != "q3"]
    with Evaluator(MEASURES, QRELS, missing="skip") as evaluator:
        found = outcome(evaluator.evaluate, run)
        assert_same(found, outcome(ltr_sql.evaluate, run, MEASURES, qrels=QRELS, missing="skip"))


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        (pd.concat([QRELS, QRELS.iloc[:1]]), "a document is judged more than once"),
        (QRELS.assign(relevance=QRELS["relevance"].where(QRELS.index != 1, np.inf)), "a grade is infinite"),
        (QRELS.assign(query_id=QRELS["query_id"].where(QRELS.index != 1)), "an id is NULL"),
        (QRELS.assign(relevance="good"), "a rank, score or grade is not a number"),
        (QRELS.iloc[:0], "the judgments have no rows"),
        (QRELS.rename(columns={"doc_id": "document"}), "the judgments: missing column doc_id"),
        ("no_such_file.txt", "no such file"),
        (3, "the judgments cannot be read from int"),
    ],
)
def test_invalid_judgments_are_refused_at_once(qrels: Any, message: str) -> None:
    with pytest.raises(ltr_sql.InputError, match=message):
        Evaluator(MEASURES, qrels)


def test_invalid_arguments_are_refused_at_once() -> None:
    with pytest.raises(ltr_sql.MeasureError, match="nDGC"):
        Evaluator(["nDGC"], QRELS)
    with pytest.raises(ltr_sql.MeasureError, match="convention"):
        Evaluator(["nDCG"], QRELS, convention="none")
    with pytest.raises(ltr_sql.InputError, match="keys must be a list"), Evaluator(["nDCG"], QRELS, keys="system") as e:
        e.evaluate(RUN)


def test_a_closed_evaluator() -> None:
    evaluator = Evaluator(MEASURES, QRELS)
    evaluator.close()
    evaluator.close()
    with pytest.raises(ltr_sql.InputError, match="the evaluator is closed"):
        evaluator.evaluate(RUN)


def test_unjudged_documents_in_the_judgments() -> None:
    """NULL grades mean unjudged."""
    qrels = QRELS.assign(relevance=QRELS["relevance"].where(QRELS.index != 3))
    with Evaluator(MEASURES, qrels) as evaluator:
        for run in (RUN, RUN.assign(score=-RUN["score"]), RUN.assign(score=RUN["score"] % 2)):
            assert_same(outcome(evaluator.evaluate, run), outcome(ltr_sql.evaluate, run, MEASURES, qrels=qrels))


def test_the_caller_may_change_a_run_in_place(evaluator: Evaluator) -> None:
    columns = {name: RUN[name].to_numpy(dtype=object if name != "score" else float).copy() for name in RUN}
    evaluator.evaluate(columns)
    before = columns["score"].copy()
    evaluator.evaluate(RUN.assign(score=-RUN["score"]))
    assert (columns["score"] == before).all()
    columns["score"][:] = -before
    assert_same(
        outcome(evaluator.evaluate, columns, by_query=True),
        outcome(expected, RUN.assign(score=-RUN["score"])),
    )


# Kept documents


def number_kept(evaluator: Evaluator) -> int:
    """Return the number of runs whose documents are kept for prepared statements."""
    judgments = evaluator._judgments
    assert judgments is not None
    kept = judgments.of_thread()[1]
    return 0 if kept is None else sum(run.scores is not None for run in kept._runs)


def every_measure(row_source: str | None = None) -> list[str]:
    """Return a measure string for each measure of judged documents, or only for those with this row source."""
    return [
        found.example
        for found in definitions().values()
        if not (found.by_subtopic or found.paired) and row_source in (None, found.row_source.name)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measures", "options"),
    [
        (["AP", "AP(rel=2)", "nDCG@3", "R@5", "NumRet"], {}),
        (["AP@4", "nDCG", "P@2"], {"ties": "row_order", "missing": "skip"}),
        (["AP", "nDCG", "Bpref"], {"ties": "best"}),
        *(
            pytest.param(every_measure(row_source), {"ties": ties, "missing": missing}, marks=pytest.mark.slow)
            for row_source, ties, missing in (
                ("documents", "docid_asc", "skip"),
                ("documents", "docid_desc_float32", "zero"),
                (None, "docid_desc", "zero"),
                (None, "worst", "skip"),
            )
        ),
    ],
)
def test_kept_documents(measures: list[str], options: dict[str, Any]) -> None:
    """Runs with the documents of an earlier run have the values of `evaluate`, whatever their scores."""
    run, qrels = table(15, 9, seed=2)
    qrels["relevance"] = qrels["relevance"].clip(lower=0)
    if options.get("missing") == "skip":
        run = run[run["query_id"] != "q3"]
    run = run.sample(frac=0.7, random_state=1)
    # Two runs suffice for measures whose evaluation for itself takes long.
    with Evaluator(measures, qrels, **options) as evaluator:
        for seed in range(5 if len(measures) < 10 else 2):
            rng = np.random.default_rng(seed)
            scored = run.assign(score=rng.integers(-2, 3, len(run)) * (1.0 if seed % 2 else 1e39))
            for by_query in (True, False):
                found = outcome(evaluator.evaluate, scored, by_query=by_query)
                wanted = outcome(ltr_sql.evaluate, scored, measures, qrels=qrels, by_query=by_query, **options)
                assert isinstance(found[0], dict)
                assert_same(found, wanted)
        assert number_kept(evaluator) == 1


@pytest.mark.slow
@pytest.mark.parametrize("rows", [3_000, pytest.param(300_000, marks=pytest.mark.slow)])
def test_kept_documents_of_large_runs(rows: int) -> None:
    """DuckDB reads large arrays with several threads. The rows keep their order nevertheless."""
    rng = np.random.default_rng(0)
    run = pd.DataFrame({"query_id": rng.integers(0, 200, rows), "doc_id": np.arange(rows) % (rows // 3 * 2)})
    run = run.drop_duplicates()
    qrels = run.sample(frac=0.5, random_state=1).assign(relevance=1)
    qrels["relevance"] = rng.integers(0, 4, len(qrels))
    with Evaluator(["AP", "nDCG@10", "P@5"], qrels) as evaluator:
        for seed in range(4):
            scored = run.assign(score=np.random.default_rng(seed).random(len(run)).round(3))
            wanted = outcome(ltr_sql.evaluate, scored, ["AP", "nDCG@10", "P@5"], qrels=qrels, by_query=True)
            assert_same(outcome(evaluator.evaluate, scored, by_query=True), wanted)
        assert number_kept(evaluator) == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["pandas objects", "polars", "pyarrow"])
def test_documents_of_other_data_frames_are_kept(kind: str, evaluator: Evaluator) -> None:
    convert: Any = {
        "pandas objects": lambda run: run.astype({"query_id": object, "doc_id": object}),
        "polars": pl.from_pandas,
        "pyarrow": lambda run: pa.Table.from_pandas(run, preserve_index=False),
    }[kind]
    for factor in (1, -1, 2, 3):
        run = RUN.assign(score=RUN["score"] * factor)
        found = evaluator.evaluate(convert(run), by_query=True)
        assert type(found) is type(convert(run))
        rows = (
            found.to_pydict()
            if kind == "pyarrow"
            else found.to_dict(**{"as_series": False} if kind == "polars" else {"orient": "list"})
        )
        assert_same((rows, []), outcome(expected, run))
    assert number_kept(evaluator) == 1


@pytest.mark.slow
def test_documents_that_change_in_place_are_not_kept(evaluator: Evaluator) -> None:
    run = RUN.astype({"query_id": object, "doc_id": object})
    ids = run["doc_id"].to_numpy().copy()
    for number in range(5):
        run["doc_id"] = ids
        run.loc[run.index[: number // 3], "doc_id"] = "other"
        assert_same(outcome(evaluator.evaluate, run, by_query=True), outcome(expected, run))


@pytest.mark.default("<lambda>")
@pytest.mark.parametrize("table_of", [lambda columns: pd.DataFrame(columns, copy=False), pa.table])
def test_changes_of_arrays_that_a_run_shares_are_noticed(table_of: Any) -> None:
    """Tables of Arrow may share the memory of numpy arrays."""
    ids = np.arange(4)
    qrels = pd.DataFrame({"query_id": "q", "doc_id": [0, 1], "relevance": 1})
    with Evaluator(["P@1"], qrels) as evaluator:
        for first in (0, 0, 0, 7, 0):
            ids[0] = first
            run = table_of({"query_id": ["q"] * 4, "doc_id": pa.array(ids), "score": [4.0, 3.0, 2.0, 1.0]})
            assert evaluator.evaluate(run)["P@1"].to_numpy().tolist() == [float(first == 0)]


@pytest.mark.slow
def test_scores_of_kept_documents(evaluator: Evaluator) -> None:
    """Scores of every type are ranked as `evaluate` ranks them."""
    values = np.random.default_rng(0).integers(0, 100, len(RUN))
    for _ in range(2):
        for scores in (
            values.astype("float32"),
            values.astype("int8"),
            values + 2**60,
            values.astype(object),
            np.where(values > 90, np.nan, values),
            pd.Series(values).astype("Int64"),
            pd.Series(values).astype("float64[pyarrow]"),
        ):
            run = RUN.assign(score=scores)
            assert_same(outcome(evaluator.evaluate, run), outcome(expected, run, by_query=False))


def test_equal_ids_of_different_types_are_other_documents() -> None:
    """In Python, 1 equals True. As ids they are the texts 1 and True."""
    qrels = pd.DataFrame({"query_id": "q", "doc_id": ["1", "a"], "relevance": 1})
    with Evaluator(["P@1"], qrels) as evaluator:
        for first in (1, 1, True, 1):
            run = pd.DataFrame({"query_id": "q", "doc_id": pd.Series([first, "a"], dtype=object), "score": [2.0, 1.0]})
            assert evaluator.evaluate(run)["P@1"].tolist() == [float(first is not True)]


@pytest.mark.slow
def test_old_documents_are_forgotten(evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_documents, "_MOST_RUNS", 1)
    for rows in (20, 30, 20):
        for _ in range(3):
            run = RUN.iloc[:rows]
            assert_same(outcome(evaluator.evaluate, run), outcome(expected, run, by_query=False))


@pytest.mark.slow
def test_memory_stays_flat() -> None:
    run, qrels = table(100, 20)
    with Evaluator(["nDCG@10"], qrels) as evaluator:
        used = []
        for number in range(600):
            evaluator.evaluate(run.assign(score=run["score"] + number))
            if number in (299, 599):
                gc.collect()
                used.append(memory())
        assert used[1] < used[0] + SLACK / 4


# Threads and processes


@pytest.fixture
def often_interrupted() -> Iterator[None]:
    """Let threads take turns 500 times as often as usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.slow
@pytest.mark.usefixtures("often_interrupted")
def test_threads() -> None:
    runs = [RUN.assign(score=np.random.default_rng(seed).random(len(RUN))) for seed in range(16)]
    with Evaluator(["nDCG@3"], QRELS) as evaluator:
        serial = [evaluator.evaluate(run, by_query=True).to_dict("list") for run in runs]
        assert len({str(values) for values in serial}) == 16

        def work(number: int) -> None:
            for _ in range(40):
                assert evaluator.evaluate(runs[number], by_query=True).to_dict("list") == serial[number]

        with ThreadPoolExecutor(16) as pool:
            assert list(pool.map(work, range(16))) == [None] * 16


def values_of(evaluator: Evaluator) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = evaluator.evaluate(RUN, by_query=True).to_dict("list")
    return found


def test_pickle(evaluator: Evaluator) -> None:
    copy = pickle.loads(pickle.dumps(evaluator))
    assert values_of(copy) == values_of(evaluator)
    labelled = Evaluator.from_labels(["nDCG@5"], [1, 0, 2], [2, 1])
    scores = np.array([1.0, 2.0, 3.0])
    assert pickle.loads(pickle.dumps(labelled)).evaluate(scores).equals(labelled.evaluate(scores))


def test_pickle_keeps_segments_of_nan_and_null_apart() -> None:
    price = pa.array([1.5, None, float("nan")])
    qrels = pa.table({"query_id": ["a", "b", "c"], "doc_id": ["d"] * 3, "relevance": [1] * 3, "price": price})
    with pickle_of(Evaluator(["RR"], qrels, keys=["price"])) as copy:
        found = copy.evaluate({query: {"d": 1.0} for query in "abc"})
    assert found["queries"].tolist() == [1, 1, 1]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method: str, evaluator: Evaluator) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this platform cannot {method}")
    serial = values_of(evaluator)
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(values_of, (evaluator,)) == serial
    assert values_of(evaluator) == serial


# Labels and scores


@pytest.mark.slow
def test_labels_and_scores_equal_a_scored_table() -> None:
    rng = np.random.default_rng(1)
    sizes = np.array([3, 1, 7, 4])
    labels, scores = rng.integers(0, 4, 15), rng.random(15).round(1)
    ids = np.repeat(["a", "b", "c", "d"], sizes)
    scored = pd.DataFrame(
        {"query_id": np.repeat(range(4), sizes), "doc_id": range(15), "row_order": range(15), "relevance": labels}
    )
    for convention in (None, "lightgbm", "sklearn"):
        options: dict[str, Any] = {"convention": convention}
        by_size = Evaluator.from_labels(["nDCG@5", "AP"], labels, sizes, **options)
        by_id = Evaluator.from_labels(["nDCG@5", "AP"], labels.tolist(), ids, **options)
        for each in (scores, -scores):
            wanted = ltr_sql.evaluate(scored.assign(score=each), ["nDCG@5", "AP"], by_query=True, **options)
            found = by_size.evaluate(each, by_query=True)
            assert found.to_dict("list") == {n: pytest.approx(v) for n, v in wanted.to_dict("list").items()}
            named = by_id.evaluate(each, by_query=True)
            assert named["query_id"].tolist() == ["a", "b", "c", "d"]
            pd.testing.assert_frame_equal(named.drop(columns="query_id"), found.drop(columns="query_id"), rtol=1e-12)


@pytest.mark.parametrize(
    ("labels", "group", "message"),
    [
        ([1, 0, 2], [2, 2], "group must hold sizes of queries with the sum 3, or .* with the sum 4"),
        ([1, 0, 2], ["a", "b"], "one query id for each of the 3 labels; it has 2 values"),
        ([1, 0, 2], [1, 1, 1], "group may hold sizes or query ids"),
        ([1, 0, 2], [], "group must be a sequence with at least one value"),
        ([], [], "labels must be a sequence with at least one value"),
        ([[1, 0]], [2], "labels must be a sequence"),
        (["good", "bad"], [2], "labels must be finite numbers"),
        ([1.0, np.nan], [2], "labels must be finite numbers"),
        ([1.0, np.inf], [2], "labels must be finite numbers"),
        ([1, 0, 2], [4, -1], "group must hold sizes of queries with the sum 3"),
    ],
)
def test_invalid_labels(labels: Any, group: Any, message: str) -> None:
    with pytest.raises(ltr_sql.InputError, match=message):
        Evaluator.from_labels(["nDCG"], labels, group)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.ones(2), r"scores must be an array of 3 numbers, one per label, got an array of shape \(2,\)"),
        (np.ones((3, 1)), r"got an array of shape \(3, 1\)"),
        (["a", "b", "c"], "scores must be an array of 3 numbers"),
        ([1.0, np.nan, 2.0], "score"),
        ([1.0, np.inf, 2.0], "score"),
    ],
)
def test_invalid_scores(scores: Any, message: str) -> None:
    evaluator = Evaluator.from_labels(["nDCG"], [1, 0, 2], [3])
    for _ in range(2):
        with pytest.raises(ltr_sql.InputError, match=message):
            evaluator.evaluate(scores)


@pytest.mark.slow
def test_weighted_means() -> None:
    weights = {"q1": 3.0, "q2": 0.0, "q3": 1.5}
    qrels = [(q, d, int(d == "a")) for q in weights for d in "ab"]
    rows = [(q, d, score) for (q, d, _), score in zip(qrels, (2, 1, 1, 2, 1, 2), strict=True)]
    judged = pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"])
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    with ltr_sql.Evaluator(["RR", "AP"], judged, weights=weights) as evaluator:
        expected = ltr_sql.evaluate(run, ["RR", "AP"], qrels=judged, weights=weights)
        assert expected["RR"].iloc[0] == (3 * 1 + 1.5 * 0.5) / 4.5
        for _ in range(2):
            pd.testing.assert_frame_equal(evaluator.evaluate(run), expected)
        plain = ltr_sql.evaluate(run, ["RR", "AP"], qrels=judged, by_query=True)
        pd.testing.assert_frame_equal(evaluator.evaluate(run, by_query=True), plain)
        pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(evaluator)).evaluate(run), expected)
    evaluator = ltr_sql.Evaluator(["RR"], judged, weights={"q1": 1})
    with pytest.raises(ltr_sql.InputError, match="the weights lack the query q"):
        evaluator.evaluate(run)


# Measures that define ties

TIED_LABELS, TIED_SCORES = np.array([1, 0, 1, 0, 0, 1, 0]), np.array([3.0, 2, 2, 2, 1, 1, 5])
DEFINED = [
    f"{d.name}@3" if d.cutoff == "required" else d.name
    for d in definitions().values()
    if d.shared_ranks and not d.paired
]


def test_a_tie_of_labels_counts_half() -> None:
    assert Evaluator.from_labels(["AUC"], [1, 0], [2]).evaluate([3, 3])["AUC"].tolist() == [0.5]


@pytest.mark.slow
def test_measures_that_define_ties_do_not_read_the_positions_of_labels() -> None:
    assert len(DEFINED) > 10
    log = {"query_id": ["q"] * 4 + ["r"] * 3, "score": TIED_SCORES, "relevance": TIED_LABELS}
    (expected,) = ltr_sql.evaluate(log, DEFINED, ties="expected")[DEFINED].to_dict("records")
    for order in (np.arange(7), np.array([3, 2, 1, 0, 6, 5, 4])):
        for others in ([], ["AP"]):
            evaluator = Evaluator.from_labels([*DEFINED, *others], TIED_LABELS[order], group=[4, 3])
            for _ in range(2):
                (found,) = evaluator.evaluate(TIED_SCORES[order])[DEFINED].to_dict("records")
                assert found == pytest.approx(expected)


@pytest.mark.slow
def test_ties_of_labels_that_the_caller_breaks() -> None:
    found = {
        ties: Evaluator.from_labels(["AUC"], TIED_LABELS, [4, 3], ties=ties).evaluate(TIED_SCORES)["AUC"].item()
        for ties in ("docid_asc", "docid_desc", "row_order", None)
    }
    assert found["docid_asc"] == found["row_order"] != found["docid_desc"]
    assert found[None] == pytest.approx((found["docid_asc"] + found["docid_desc"]) / 2)
    with pickle_of(Evaluator.from_labels(["AUC"], TIED_LABELS, [4, 3])) as evaluator:
        assert evaluator.evaluate(TIED_SCORES)["AUC"].item() == found[None]


def pickle_of(evaluator: Evaluator) -> Evaluator:
    copied = pickle.loads(pickle.dumps(evaluator))
    assert isinstance(copied, Evaluator)
    return copied
