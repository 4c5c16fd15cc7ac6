"""Compare values of random data with other evaluation tools, each under its convention."""

import math
import random
import shutil
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyndeval  # type: ignore[import-untyped]
import pytest
import pytrec_eval
from scipy import stats  # type: ignore[import-untyped]
from sklearn.metrics import auc as area  # type: ignore[import-untyped]
from sklearn.metrics import (
    average_precision_score,
    coverage_error,
    dcg_score,
    label_ranking_average_precision_score,
    label_ranking_loss,
    ndcg_score,
    precision_recall_curve,
    roc_auc_score,
)

import ltr_sql
from ltr_sql import oracle
from ltr_sql.catalogue.measure_strings import parse_measure

# Runs here lack judged queries and have queries without judgments, which test_check.py tests.
pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")

EXACT = 1e-12
# Import slow tools inside the tests, because not every process runs one.
Rankings = dict[str, dict[str, float]]
Judgments = dict[str, dict[str, int]]
Values = dict[tuple[str, str], float]

# Ids whose byte order is neither numeric nor alphabetical.
DOC_IDS = [
    "1",
    "10",
    "2",
    "9",
    "Z",
    "a",
    "a-b",
    "ab",
    "B",
    "é",
    "z",
    "zz",
    "~",
    "文",
    "😀",
    *(f"d{i}" for i in range(25)),
]


def assert_equal(values: Mapping[tuple[str, str], float], expected: Mapping[tuple[str, str], float]) -> None:
    """Assert that the keys are equal, and the values to 1e-12. NaN is NULL, and equals only NaN."""
    assert values.keys() == expected.keys()
    assert expected
    wrong = [
        (key, values[key], value)
        for key, value in expected.items()
        if not (abs(values[key] - value) <= EXACT or (math.isnan(values[key]) and math.isnan(value)))
    ]
    assert not wrong, f"{len(wrong)} of {len(expected)} values differ: {wrong[:5]}"


def by_query(frame: pd.DataFrame, names: Mapping[str, str]) -> Values:
    """Return the values by the tool's name and query. `names` maps the tool's names to columns."""
    return {
        (name, str(query)): float(value)
        for name, column in names.items()
        for query, value in zip(frame["query_id"], frame[column], strict=True)
    }


# trec_eval 9, by pytrec_eval


def scores(rng: random.Random, documents: Sequence[str]) -> dict[str, float]:
    """Draw scores of one of several kinds, most with many ties, some tied in single precision only."""
    kind = rng.randrange(6)
    if kind == 0:
        return {document: float(rng.randrange(4)) for document in documents}
    if kind == 1:
        return {document: rng.randrange(5) / 10 + rng.choice([0, 1e-9, -1e-9]) for document in documents}
    if kind == 2:
        return {document: rng.choice([16777215.0, 16777216.0, 16777217.0, 16777218.0]) for document in documents}
    if kind == 3:
        return {document: -rng.expovariate(1.0) for document in documents}
    if kind == 4:
        return {document: rng.choice([0.0, -0.0, 1e-46, -1e-46, 1e-30, 3e38, -3e38]) for document in documents}
    return dict.fromkeys(documents, 0.5)


def graded(rng: random.Random, documents: Sequence[str]) -> dict[str, int]:
    """Draw labels, never all negative, because pytrec_eval hangs on such a query."""
    labels = rng.choice([[0], [0, 1], [-1, 0, 1, 2], [-2, -1, 0, 0, 0, 1, 3, 4], [1, 7]])
    judged = {document: rng.choice(labels) for document in documents}
    if max(judged.values()) < 0:
        judged[documents[0]] = 0
    return judged


def some(rng: random.Random, least: int) -> list[str]:
    return rng.sample(DOC_IDS, rng.randint(least, len(DOC_IDS)))


def run_and_judgments(seed: int, queries: int) -> tuple[Rankings, Judgments]:
    """Draw a run and judgments that overlap in part: both lack documents and queries of the other."""
    rng = random.Random(seed)
    run: Rankings = {}
    judgments: Judgments = {}
    for query in range(queries):
        where = rng.randrange(10)
        if where != 0:
            run[f"q{query}"] = scores(rng, some(rng, 1))
        if where != 1:
            judgments[f"q{query}"] = graded(rng, some(rng, 1))
    return run, judgments


CUTOFFS = [1, 2, 3, 5, 10, 20, 100]
SHARES = [0.0, 0.1, 0.25, 0.3, 0.5, 0.75, 1.0]
COUNTS = ["num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"]
GEOMETRIC = ["gm_map", "gm_bpref"]
UNCUT = [
    *("map", "recip_rank", "Rprec", "bpref", "infAP", "11pt_avg", "binG", "utility"),
    *("set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    *(*COUNTS, *GEOMETRIC),
]
GRADED = ["ndcg", "ndcg_rel", "Rndcg", "G"]
CUT = ["map_cut", "ndcg_cut", "P", "recall", "success", "relative_P"]
SHARED = ["iprec_at_recall", "Rprec_mult"]


def average(name: str, values: Sequence[float]) -> float:
    """Average over queries as trec_eval does. pytrec_eval returns the logarithms for geometric means."""
    if name in COUNTS:
        return float(np.sum(values))
    return float(np.exp(np.mean(values)) if name in GEOMETRIC else np.mean(values))


@pytest.mark.default("0-2")
@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_pytrec_eval(seed: int, rel: int) -> None:
    run, judgments = run_and_judgments(seed, queries=80)
    asked = {
        *(*UNCUT, *GRADED),
        *(f"{name}.{','.join(map(str, CUTOFFS))}" for name in CUT),
        *(f"{name}.{','.join(map(str, SHARES[name == 'Rprec_mult' :]))}" for name in SHARED),
    }
    if rel != 1:
        asked.remove("Rndcg")  # trec_eval sets Rndcg to 0 if no label reaches the level.
    expected = pytrec_eval.RelevanceEvaluator(judgments, asked, relevance_level=rel).evaluate(run)
    printed = {name for values in expected.values() for name in values}

    def text(name: str) -> str:
        stem, at, value = name.rpartition("_") if name not in (*UNCUT, *GRADED) else (name, "", "")
        given = [f"rel={rel}"] if rel != 1 and stem not in (*GRADED, "ndcg_cut", "num_ret") else []
        return f"{stem}({', '.join(given)}){at}{value}"

    names = {name: text(name) for name in printed}
    assert set(expected) == run.keys() & judgments.keys()
    assert any(max(judged.values()) < rel for judged in judgments.values())
    like_trec_eval = partial(ltr_sql.evaluate, qrels=judgments, convention="pytrec_eval")
    result = like_trec_eval(run, list(names.values()), by_query=True)
    assert_equal(
        {key: value for key, value in by_query(result, names).items() if key[0] not in GEOMETRIC},
        {(name, q): v for q, values in expected.items() for name, v in values.items() if name not in GEOMETRIC},
    )
    means = like_trec_eval(run, list(names.values()))
    assert means["queries"].tolist() == [len(expected)]
    assert_equal(
        {(name, "all"): float(means[text].iloc[0]) for name, text in names.items()},
        {(name, "all"): average(name, [values[name] for values in expected.values()]) for name in names},
    )


def test_pytrec_eval_compares_scores_in_single_precision() -> None:
    run = {"q": {"a": 16777217.0, "b": 16777216.0}}
    judgments = {"q": {"a": 1}}
    expected = pytrec_eval.RelevanceEvaluator(judgments, {"recip_rank"}).evaluate(run)["q"]["recip_rank"]
    assert expected == 0.5
    for convention, value in [("pytrec_eval", expected), ("trec_eval", 1.0)]:
        result = ltr_sql.evaluate(run, ["recip_rank"], qrels=judgments, convention=convention)
        assert result["recip_rank"].tolist() == [value]


@pytest.mark.parametrize(
    "scores_of_q", [{"a": 1e39, "b": 2e39}, {"a": math.inf, "b": 2e39}, {"a": -1e39, "b": -math.inf}]
)
def test_pytrec_eval_takes_scores_beyond_single_precision_for_infinite(scores_of_q: dict[str, float]) -> None:
    run, judgments = {"q": scores_of_q}, {"q": {"a": 1}}
    expected = pytrec_eval.RelevanceEvaluator(judgments, {"recip_rank"}).evaluate(run)["q"]["recip_rank"]
    assert expected == 0.5
    result = ltr_sql.evaluate(run, ["recip_rank"], qrels=judgments, convention="pytrec_eval", check=False)
    assert result["recip_rank"].tolist() == [expected]


# ndeval, by pyndeval


def subtopics(seed: int, queries: int) -> tuple[Rankings, list[tuple[str, str, str, int]]]:
    """Draw a run with many tied scores, and judgments by subtopic of all its queries."""
    rng = random.Random(seed)
    run: Rankings = {}
    judgments = []
    for number in range(queries):
        query = f"q{number}"
        run[query] = {document: rng.randrange(rng.choice([2, 50])) / 4 for document in some(rng, 1)}
        density = rng.choice([0.0, 0.1, 0.4, 1.0])
        for document in some(rng, 1):
            for subtopic in rng.sample("12345678", rng.randint(1, 8)):
                label = rng.randint(1, 3) if rng.random() < density else 0
                judgments.append((query, subtopic, document, label))
    return run, judgments


NDEVAL_BY_ALPHA = ("alpha-DCG", "alpha-nDCG", "ERR-IA", "nERR-IA")
NDEVAL_BINARY = ("P-IA", "strec")


@pytest.mark.default("0-0.5-0.9")
@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.9), (0.0, 0.5), (0.5, 0.5), (0.9, 0.2), (1.0, 0.5)])
@pytest.mark.parametrize("seed", range(3))
def test_pyndeval(seed: int, alpha: float, beta: float) -> None:
    run, judgments = subtopics(seed, queries=40)
    cutoffs = [1, 2, 3, 5, 10, 20]
    names = {f"{name}@{k}": f"{name}(alpha={alpha})@{k}" for name in NDEVAL_BY_ALPHA for k in cutoffs}
    names |= {f"{name}@{k}": f"{name}@{k}" for name in NDEVAL_BINARY for k in cutoffs}
    names |= {"MAP-IA": "MAP-IA", **{name: f"{name}(alpha={alpha}, beta={beta})" for name in ("NRBP", "nNRBP")}}
    lines = [(query, document, score) for query, ranking in run.items() for document, score in ranking.items()]
    printed = pyndeval.ndeval(judgments, lines, measures=list(names), alpha=alpha, beta=beta)
    covered: dict[str, set[str]] = {query: set() for query in run}
    for query, subtopic, _, label in judgments:
        covered[query] |= {subtopic} if label > 0 else set()
    expected = {
        (name, query): as_defined(name, value, len(covered[query]))
        for query, values in printed.items()
        for name, value in values.items()
    }

    qrels = pd.DataFrame(judgments, columns=["query_id", "subtopic", "doc_id", "relevance"])
    result = ltr_sql.evaluate(run, list(names.values()), qrels=qrels, by_query=True, convention="pyndeval")
    assert_equal(by_query(result, names), expected)


def as_defined(name: str, value: float, num_subtopics: int) -> float:
    """Correct the values of ndeval that differ from the definition."""
    if name in ("alpha-DCG@1", "ERR-IA@1"):
        # ndeval does not divide by the number of subtopics at rank 1.
        return value / max(num_subtopics, 1)
    if name == "nNRBP" and num_subtopics == 0:
        # ndeval divides 0 by 0.
        assert math.isnan(value)
        return 0.0
    return value


# scikit-learn


def scored_lists(seed: int, lists: int) -> pd.DataFrame:
    """Draw lists of at least two documents with labels and distinct scores, some without a relevant document."""
    rng = np.random.default_rng(seed)
    frames = []
    for query in range(lists):
        n = int(rng.integers(2, 60))
        labels = rng.integers(0, int(rng.integers(1, 6)), size=n)
        positions = np.arange(n)
        score = rng.permutation(positions) / n + rng.normal()
        frames.append(pd.DataFrame({"query_id": query, "doc_id": positions, "relevance": labels, "score": score}))
    return pd.concat(frames, ignore_index=True)


@pytest.mark.slow
@pytest.mark.parametrize("gain", ["exponential", "linear"])
@pytest.mark.parametrize("seed", range(3))
def test_scikit_learn(seed: int, gain: str) -> None:
    table = scored_lists(seed, lists=40)
    assert not table.duplicated(["query_id", "score"]).any()
    assert (table.groupby("query_id")["relevance"].max() == 0).any()
    expected: Values = {}
    names: dict[str, str] = {}
    for k in [None, 1, 2, 3, 5, 10, 100]:
        cut = "" if k is None else f"@{k}"
        names |= {f"{name}{cut}": f"{name}(gain={gain}){cut}" for name in ("nDCG", "DCG")}
        for query, rows in table.groupby("query_id"):
            labels = rows["relevance"].to_numpy(dtype=float)
            gains = [labels if gain == "linear" else 2**labels - 1]
            ranked = [rows["score"].to_numpy()]
            expected[f"nDCG{cut}", str(query)] = ndcg_score(gains, ranked, k=k, ignore_ties=True)
            expected[f"DCG{cut}", str(query)] = dcg_score(gains, ranked, k=k, ignore_ties=True)

    # No scores are tied, so ignore_ties=True does not matter.
    result = ltr_sql.evaluate(table, list(names.values()), by_query=True, convention="sklearn", ties="docid_desc")
    assert_equal(by_query(result, names), expected)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_scikit_learn_with_ties(seed: int) -> None:
    table = scored_lists(seed, lists=60)
    levels = np.random.default_rng(seed).integers(1, 12, size=60)[table["query_id"]]
    table["score"] = np.floor(table["score"] * levels)
    table["rank"] = table.groupby("query_id")["score"].rank(method="min", ascending=False).astype(int)
    assert table.duplicated(["query_id", "rank"]).any()
    tools = {
        "LRAP": label_ranking_average_precision_score,
        "CoverageError": coverage_error,
        "RankingLoss": label_ranking_loss,
    }
    expected: Values = {}
    for query, rows in table.groupby("query_id"):
        relevant, score = (rows["relevance"] > 0).to_numpy(dtype=int), rows["score"].to_numpy()
        for name, tool in tools.items():
            expected[name, str(query)] = float(tool([relevant], [score]))
        # scikit-learn warns of a query without relevant documents, and returns 0 or NaN.
        precision, recall, _ = precision_recall_curve(relevant, score) if relevant.any() else ([0, 0], [0, 0], None)
        expected["AP", str(query)] = float(average_precision_score(relevant, score)) if relevant.any() else 0.0
        expected["AUPRC", str(query)] = float(area(recall, precision))
        two_classes = 0 < relevant.sum() < len(relevant)
        expected["AUC", str(query)] = float(roc_auc_score(relevant, score)) if two_classes else math.nan
    assert any(math.isnan(value) for value in expected.values())

    names = [*tools, "AUC", "AP", "AUPRC"]
    given: dict[str, Any] = {"convention": "sklearn", "ties": "docid_desc"}  # Tied documents share a rank.
    result = ltr_sql.evaluate(table.drop(columns="score"), names, by_query=True, **given)
    assert_equal(by_query(result, {name: name for name in names}), expected)


# ranx, without tied scores

RANX_CUT = ["hits", "hit_rate", "precision", "recall", "f1", "mrr", "map", "dcg", "dcg_burges", "ndcg", "ndcg_burges"]
RANX = [
    f"{name}{level}"
    for name in [
        "r-precision",
        "rbp.95",
        "rbp.5",
        "rbp.05",
        *(f"{n}{k}" for n in RANX_CUT for k in ("", "@1", "@5", "@100")),
    ]
    for level in ("", "-l1", "-l2", "-l3")
]


def by_ranx(run: Rankings, judgments: Judgments, names: Sequence[str]) -> Values:
    """Return the values of ranx, whose functions Python runs: numba would compile them for a minute."""
    import numba.typed  # noqa: PLC0415

    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ignore numba's warnings.
        patched.setattr(numba.config, "DISABLE_JIT", True)
        import ranx  # type: ignore[import-untyped]  # noqa: PLC0415

        result = ranx.Run(run)
        means = ranx.evaluate(ranx.Qrels(judgments), result, list(names), return_mean=True)
    scores = {(name, query): float(value) for name in names for query, value in result.scores[name].items()}
    return scores | {(name, "all"): float(mean) for name, mean in means.items()}


IR_MEASURES = ["P(cutoff=5)", "AP(rel=2,cutoff=10)", "Accuracy(rel=2,cutoff=10)", "Accuracy", "NumRet", "NumRet(rel=1)"]
IR_MEASURES += ["NumRet(rel=2)", "P(judged_only=False)@5", "SetP(relative=False)", "IPrec(recall=0.1)", "SetRelP"]
IR_MEASURES += ["Success(cutoff=5, rel=2)", "Compat(normalize=False)", "Judged(cutoff=10)"]
# gdeval computes these, and prints five decimals.
OF_GDEVAL = ["ERR@20", "ERR(cutoff=10)", "nDCG(dcg='exp-log2')@10"]


@pytest.mark.slow
def test_strings_of_ir_measures() -> None:
    import ir_measures  # noqa: PLC0415

    rng = random.Random(5)
    qrels = [(f"{q}", f"d{d}", rng.choice([0, 0, 1, 2, 3, 4])) for q in range(9) for d in rng.sample(range(60), 25)]
    run = [(f"{q}", f"d{d}", rng.random()) for q in range(8) for d in rng.sample(range(60), 30)]
    frames = (
        pd.DataFrame(run, columns=["query_id", "doc_id", "score"]),
        pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"]),
    )
    strings = [*IR_MEASURES, *(OF_GDEVAL if shutil.which("perl") else [])]
    found = ltr_sql.evaluate(frames[0], strings, qrels=frames[1], convention="ir_measures")
    expected = ir_measures.calc_aggregate([*map(ir_measures.parse_measure, strings)], frames[1], frames[0])
    for text in strings:
        value = expected[ir_measures.parse_measure(text)]
        assert found[text][0] == pytest.approx(value, abs=1e-5 if text in OF_GDEVAL else EXACT), text


@pytest.mark.slow
def test_ranx() -> None:
    rng = random.Random(0)
    run: Rankings = {}
    judgments: Judgments = {}
    for query in range(120):
        ranked, judged = some(rng, 1), some(rng, 2)
        run[f"q{query}"] = dict(zip(ranked, map(float, rng.sample(range(1000), len(ranked))), strict=True))
        judgments[f"q{query}"] = {document: rng.choice([0, 0, 1, 2, 3]) for document in judged}
    judgments["q0"] = dict.fromkeys(judgments["q0"], 0)
    expected = by_ranx(run, judgments, RANX)
    assert len(expected) == len(RANX) * (len(run) + 1)
    evaluated = partial(ltr_sql.evaluate, convention="ranx")
    values = by_query(evaluated(run, RANX, qrels=judgments, by_query=True), {name: name for name in RANX})
    means = evaluated(run, RANX, qrels=judgments).iloc[0]
    # ranx averages counts, which ltr_sql and trec_eval sum.
    number = {name: len(run) for name in RANX if name.startswith("hits")}
    assert_equal(values | {(name, "all"): means[name] / number.get(name, 1) for name in RANX}, expected)

    # If a query lacks relevant or nonrelevant documents, the bpref of ranx is NaN, or it is 0 for this query and all
    # later ones.
    both = [query for query, grades in judgments.items() if 0 in grades.values() and max(grades.values()) > 0]
    assert 0 < len(both) < len(run)
    parts = {query: run[query] for query in both}, {query: judgments[query] for query in both}
    found = evaluated(parts[0], ["bpref"], qrels=parts[1], by_query=True)
    expected = by_ranx(*parts, ["bpref", "map"])
    assert_equal(by_query(found, {"bpref": "bpref"}), {("bpref", query): expected["bpref", query] for query in both})


# LightGBM and XGBoost, on given predictions


@dataclass(frozen=True)
class List:
    """The rows of a query in row order."""

    relevance: npt.NDArray[np.int64]
    score: npt.NDArray[np.float64]


def learning_to_rank_lists(seed: int, grades: int) -> list[List]:
    """Draw lists with many ties, some longer than 32, and some without relevant documents."""
    rng = np.random.default_rng(seed)
    lists = []
    for _ in range(50):
        n = int(rng.integers(1, 80))
        relevance = rng.integers(0, int(rng.integers(1, grades + 2)), size=n)
        # These scores are exact in single precision.
        lists.append(List(relevance, rng.integers(0, int(rng.choice([1, 3, 10, 50])), size=n) / 4))
    assert any(each.relevance.max() == 0 for each in lists)
    assert any(len(each.score) > 32 for each in lists)
    return lists


def stacked(lists: Sequence[List]) -> pd.DataFrame:
    """Return the lists as one scored table in random row order."""
    frames = [
        pd.DataFrame({"query_id": query, "relevance": each.relevance, "score": each.score, "row_order": range(size)})
        for query, each in enumerate(lists)
        if (size := len(each.score))
    ]
    return pd.concat(frames).sample(frac=1, random_state=1)


def assert_as_in(
    convention: str, lists: Sequence[List], expected: Values, gains: Sequence[float] | None = None
) -> None:
    """Assert equal values of each list, and equal means, under the names of a tool."""
    names = {name: name for name in dict.fromkeys(name for name, _ in expected)}
    evaluated = partial(ltr_sql.evaluate, stacked(lists), list(names), convention=convention, gains=gains)
    values = by_query(evaluated(by_query=True), names)
    means = evaluated().iloc[0]
    assert_equal(values | {(name, "all"): float(means[name]) for name in names}, expected)


LABEL_GAINS = [None, [0, 1, 3, 7, 15], [0, 0.1, 2.5, 2.5, 1e3], [0.5, 1, 2, 4, 4.5, 6]]


@pytest.mark.default("0-[0, 1, 3, 7, 15]")
@pytest.mark.parametrize("label_gain", LABEL_GAINS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_lightgbm(seed: int, label_gain: Sequence[float] | None) -> None:
    import lightgbm  # noqa: PLC0415

    lists = learning_to_rank_lists(seed, grades=4)

    def dataset(lists: Sequence[List], reference: lightgbm.Dataset | None = None) -> lightgbm.Dataset:
        score = np.concatenate([each.score for each in lists])
        return lightgbm.Dataset(
            np.zeros((len(score), 1)),
            label=np.concatenate([each.relevance for each in lists]),
            init_score=score,
            group=[len(each.score) for each in lists],
            reference=reference,
        )

    # Without a tree, predictions are the initial scores.
    cutoffs = [1, 2, 3, 5, 10, 100]
    settings = {"objective": "none", "metric": ["ndcg", "map"], "eval_at": cutoffs, "verbosity": -1, "num_threads": 1}
    settings |= {} if label_gain is None else {"label_gain": label_gain}
    every = dataset(lists)
    booster = lightgbm.Booster(settings, every)
    for query, each in enumerate(lists):
        booster.add_valid(dataset([each], every), str(query))
    booster.add_valid(dataset(lists, every), "all")
    expected = {(name, query): float(value) for query, name, value, *_ in booster.eval_valid()}
    assert len(expected) == 2 * len(cutoffs) * (len(lists) + 1)
    assert_as_in("lightgbm", lists, expected, label_gain)


XGBOOST_GRADED = ("ndcg", "ndcg-", "ndcg@1", "ndcg@3", "ndcg@5", "ndcg@5-", "ndcg@40")
XGBOOST_BINARY = ("map", "map-", "map@1", "map@5", "map@5-", "map@40", "pre", "pre@3", "pre@40")


@pytest.mark.default("0-names1-1")
@pytest.mark.parametrize(("names", "grades"), [(XGBOOST_GRADED, 4), (XGBOOST_BINARY, 1)])
@pytest.mark.parametrize("seed", range(3))
def test_xgboost(seed: int, names: Sequence[str], grades: int) -> None:
    import xgboost  # noqa: PLC0415

    lists = learning_to_rank_lists(seed, grades)

    def matrix(lists: Sequence[List]) -> xgboost.DMatrix:
        score = np.concatenate([each.score for each in lists])
        return xgboost.DMatrix(
            np.zeros((len(score), 1)),
            label=np.concatenate([each.relevance for each in lists]),
            base_margin=score,
            group=[len(each.score) for each in lists],
        )

    # Without a tree, predictions are the margins.
    settings = {"objective": "rank:ndcg", "eval_metric": list(names), "nthread": 1}
    booster = xgboost.train(settings, matrix(lists), num_boost_round=0)
    evaluated = [(matrix([each]), str(query)) for query, each in enumerate(lists)] + [(matrix(lists), "all")]
    # Tab, name of the data, -, name of the measure, :, value; all digits are printed.
    _, *printed = booster.eval_set(evaluated).split("\t")
    expected = {}
    for text in printed:
        query, _, measured = text.partition("-")
        name, _, value = measured.rpartition(":")
        expected[name, query] = float(value)
    assert len(expected) == len(names) * (len(lists) + 1)
    assert_as_in("xgboost", lists, expected)


# CatBoost, on given predictions

# CatBoost's names by ours, for labels from 0 to 1, which some measures treat as probabilities.
CATBOOST = {"FilteredDCG": "FilteredDCG:sort=ByPrediction"} | {
    f"{name}@{k}" if k else name: f"{tool}{';' if ':' in tool else ':'}top={k or -1}"
    for k in (None, 1, 2, 5, 10, 100)
    for name, tool in {
        "nDCG": "NDCG",
        "nDCG(gain=exponential)": "NDCG:type=Exp",
        "nDCG(discount=rank)": "NDCG:denominator=Position",
        "DCG": "DCG",
        "AP": "MAP",
        "RR": "MRR",
        "Precision" if k is None else "P": "PrecisionAt",
        "R": "RecallAt",
        "ERR": "ERR",
        "PFound": "PFound",
        "AverageGain": "AverageGain",
    }.items()
    if k or name != "AverageGain"
}
# Measures that count ties as half correct.
CATBOOST_TIED = {"AUC": "QueryAUC:type=Classic", "OPA(tied=0.5)": "QueryAUC:type=Ranking"}


@pytest.mark.slow
@pytest.mark.parametrize("labels", [[0, 0.25, 0.5, 0.75, 1], [0, 1]], ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_catboost(seed: int, labels: list[float]) -> None:
    from catboost.utils import eval_metric  # type: ignore[import-untyped]  # noqa: PLC0415

    lists = learning_to_rank_lists(seed, grades=len(labels) - 1)
    scale = np.array(labels)
    names = CATBOOST | (CATBOOST_TIED if len(labels) == 2 else {})
    expected: Values = {}
    for name, tool in names.items():
        for query, each in enumerate(lists):
            groups = np.zeros(len(each.score), dtype=int)
            (value,) = eval_metric(scale[each.relevance], each.score, tool, group_id=groups, thread_count=1)
            expected[name, str(query)] = value
        groups = np.repeat(np.arange(len(lists)), [len(each.score) for each in lists])
        relevance, score = (np.concatenate([getattr(each, of) for each in lists]) for of in ("relevance", "score"))
        (expected[name, "all"],) = eval_metric(scale[relevance], score, tool, group_id=groups, thread_count=1)
    table = stacked(lists).rename(columns={"row_order": "doc_id"})
    table["relevance"] = scale[table["relevance"]]
    ranked = table.assign(rank=table.groupby("query_id")["score"].rank(method="min", ascending=False).astype(int))
    values: Values = {}
    for rows, asked in [(table, CATBOOST), (ranked.drop(columns="score"), CATBOOST_TIED)]:
        kept = [name for name in asked if name in names]
        if kept:
            evaluated = partial(ltr_sql.evaluate, rows, kept, convention="catboost")
            values |= by_query(evaluated(by_query=True), {name: name for name in kept})
            means = evaluated().iloc[0]
            values |= {(name, "all"): float(means[name]) for name in kept}
    assert_equal(values, expected)


# Agreement of two rankings: scipy and definitions

Pair = tuple[int | None, int | None]


def competition(values: Sequence[int]) -> list[int]:
    """Return ranks with ties: 1 + the number of smaller values."""
    return [int(rank) for rank in stats.rankdata(values, method="min")]


def paired_lists(seed: int) -> dict[str, list[Pair]]:
    """Return pairs of rankings with none to many common documents, without and with ties."""
    rng = random.Random(seed)
    lists: dict[str, list[Pair]] = {
        "none in common": [(1, None), (None, 1), (2, None)],
        "one in common": [(1, 2), (2, None), (None, 1)],
        "one": [(1, 1)],
        "two, agreeing": [(1, 1), (2, 2)],
        "two, reversed": [(1, 2), (2, 1)],
        "two, tied in a": [(1, 1), (1, 2)],
        "two, tied in both": [(1, 1), (1, 1)],
        "constant in a": [(1, rank) for rank in range(1, 9)],
        "constant in b": [(rank, 3) for rank in range(1, 9)],
        "reversed": [(rank, 31 - rank) for rank in range(1, 31)],
    }
    for n in [2, 3, 4, 5, 8, 13, 30, 60, 150]:
        positions = list(range(1, n + 1))
        a, b = rng.sample(positions, n), rng.sample(positions, n)
        lists[f"{n} distinct"] = list(zip(a, b, strict=True))
        for levels in (2, 3, 10):
            a, b = ([rng.randrange(levels) for _ in positions] for _ in range(2))
            lists[f"{n} with {levels} levels"] = list(zip(competition(a), competition(b), strict=True))
        shared = [(rng.choice([position, None]), rng.choice([position + 1, position, None])) for position in positions]
        lists[f"{n} in part"] = shared
        lists[f"{n}, one ranking"] = [(a_rank, a_rank) for a_rank, _ in lists[f"{n} with 3 levels"]]
    return lists


def in_both(pairs: Sequence[Pair], k: int | None) -> tuple[list[int], list[int]]:
    """Return the ranks of the documents in the top k of both rankings."""
    kept = [(a, b) for a, b in pairs if a is not None and b is not None and (k is None or (a <= k and b <= k))]
    return [a for a, _ in kept], [b for _, b in kept]


def quietly(correlation: Any, a: Any, b: Any) -> float:
    """Return scipy's value without the warnings for NaN."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(correlation(a, b).statistic) if len(a) else math.nan


def kendall_distance(a: Sequence[int], b: Sequence[int]) -> float:
    """Return the share of pairs that the rankings order differently, by definition."""
    pairs = len(a) * (len(a) - 1) // 2
    return int((concordances(a, b) < 0).sum()) // 2 / pairs if pairs else math.nan


def concordances(a: Sequence[int], b: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return, for each pair of items, 1 if the rankings order it equally, -1 if differently, 0 if one ties it."""
    x, y = np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)
    signs: npt.NDArray[np.int64] = np.sign(x[:, None] - x[None, :]) * np.sign(y[:, None] - y[None, :])
    return signs


def somers_d(a: Sequence[int], b: Sequence[int]) -> float:
    """Return scipy's value. With many ranks, compute the value by definition, because scipy would take minutes."""
    if len(set(a)) * len(set(b)) <= 400:
        return quietly(stats.somersd, a, b)
    untied = len(a) * (len(a) - 1) // 2 - sum(count * (count - 1) // 2 for count in Counter(a).values())
    return int(concordances(a, b).sum()) // 2 / untied if len(set(a)) > 1 < len(set(b)) else math.nan


def weighted_tau(a: Sequence[int], b: Sequence[int], additive: bool) -> float:
    """Return scipy's value. Negate ranks, because scipy ranks larger values first."""
    correlation = partial(stats.weightedtau, additive=additive)
    return quietly(correlation, [-rank for rank in a], [-rank for rank in b]) if len(a) > 1 else math.nan


Correlation = Callable[[Sequence[int], Sequence[int]], float]
AGREEMENT: dict[str, Correlation] = {
    "KendallTau": partial(quietly, stats.kendalltau),
    "KendallTau(variant=c)": partial(quietly, partial(stats.kendalltau, variant="c")),
    "WeightedTau": partial(weighted_tau, additive=True),
    "WeightedTau(weights=multiplicative)": partial(weighted_tau, additive=False),
    "SomersD": somers_d,
    "Spearman": partial(quietly, stats.spearmanr),
    "KendallDistance": kendall_distance,
}


def at(text: str, k: int | None) -> str:
    return text if k is None else f"{text}@{k}"


def frame_of(lists: Mapping[str, Sequence[Pair]]) -> pd.DataFrame:
    return pd.DataFrame(
        [(query, a, b) for query, ranks in lists.items() for a, b in ranks],
        columns=["query_id", "rank_a", "rank_b"],
    ).astype({"rank_a": "Int64", "rank_b": "Int64"})


def correlations(lists: Mapping[str, Sequence[Pair]], k: int | None) -> Values:
    return {
        (text, query): correlation(*in_both(pairs, k))
        for query, pairs in lists.items()
        for text, correlation in AGREEMENT.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("k", [10, None, 1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_agreement(con: duckdb.DuckDBPyConnection, seed: int, k: int | None) -> None:
    lists = paired_lists(seed)
    expected = correlations(lists, k)
    # Values are undefined without a pair, or if a ranking ties all documents.
    assert {"none in common", "one in common", "one"} <= {
        query for _, query in expected if all(math.isnan(expected[text, query]) for text in AGREEMENT)
    }
    assert all(math.isnan(expected[text, "constant in a"]) for text in AGREEMENT if text != "KendallDistance")
    pairs = frame_of(lists)
    con.register("pairs", pairs)
    for text in AGREEMENT:
        measure = parse_measure(at(text, k))
        options = "".join(f", {name} := {'null' if v is None else repr(v)}" for name, v in measure.values)
        macro = measure.definition.macro
        rows = con.execute(f"select query_id, {macro} from ltr.{macro}('pairs'{options})").fetchall()
        values = {(text, query): math.nan if value is None else value for query, value in rows}
        assert all(value is None or not math.isnan(value) for _, value in rows)
        assert_equal(values, {key: value for key, value in expected.items() if key[0] == text})
    names = {text: at(text, k) for text in AGREEMENT}
    assert_equal(by_query(ltr_sql.evaluate(pairs, list(names.values()), by_query=True), names), expected)


def random_lists(rng: random.Random, number: int) -> list[Pair]:
    """Draw two rankings of 0 to 300 documents: distinct, tied in one or both, constant, or of different documents."""
    n = (0, 1, 2, 300)[number] if number < 4 else rng.randint(0, 300)
    columns = []
    for _ in range(2):
        levels = rng.choice([None, None, 1, 2, 3, 10, 20, 100]) if number % 4 else None
        positions = rng.sample(range(n), n) if levels is None else [rng.randrange(levels) for _ in range(n)]
        columns.append(competition(positions))
    pairs: list[Pair] = list(zip(*columns, strict=True))
    if number % 3 == 0 or n == 0:
        pairs += [rng.choice([(rank, None), (None, rank)]) for rank in range(1, rng.randint(2, 20))]
    return pairs


@pytest.mark.slow
def test_correlations_of_a_thousand_pairs_of_lists() -> None:
    rng = random.Random(7)
    lists = {str(number): random_lists(rng, number) for number in range(1000)}
    expected = correlations(lists, None)
    lengths = [len(in_both(pairs, None)[0]) for pairs in lists.values()]
    assert {0, 1, 2, 300} <= set(lengths)
    assert sum(math.isnan(value) for value in expected.values()) > 300
    found = ltr_sql.evaluate(frame_of(lists), list(AGREEMENT), by_query=True)
    assert_equal(by_query(found, {text: text for text in AGREEMENT}), expected)


# Offset and spread of the scores, and the tolerance of scipy's value. scipy centres once, by a mean with a rounding
# error of about 2e-16 of the offset. The error of scipy's value is about (error of the mean / spread)^2.
SCORES = [(0, 1, EXACT), (1e6, 1e-3, EXACT), (-1e6, 1e-6, 1e-6), (0, 1e-150, EXACT), (0, 1e80, EXACT)]


@pytest.mark.slow
@pytest.mark.parametrize(("offset", "spread", "tolerance"), SCORES)
def test_correlation_of_scores(offset: float, spread: float, tolerance: float) -> None:
    rng = np.random.default_rng(3)
    lists, rows = {}, []
    for query in range(60):
        n = (0, 1, 2, 300)[query] if query < 4 else int(rng.integers(0, 301))
        noise = rng.normal(size=(2, n)) if query % 3 else rng.integers(0, 1 + query % 5, size=(2, n))
        a, b = offset + spread * noise[0], spread * (noise[0] * rng.integers(-1, 2) + noise[1])
        lists[str(query)] = (a, b)
        ranks = [rng.permutation(n) + 1 for _ in range(2)]
        alone = [(None, n + 1, math.nan, 1.0)]
        rows += [(str(query), *row) for row in [*zip(*ranks, a, b, strict=True), *alone]]
    pairs = pd.DataFrame(rows, columns=["query_id", "rank_a", "rank_b", "score_a", "score_b"])
    found = by_query(ltr_sql.evaluate(pairs, ["Pearson"], by_query=True), {"Pearson": "Pearson"})
    for name, (a, b) in lists.items():
        positions = range(1, len(a) + 1)
        value, exact = found["Pearson", name], oracle.pearson(positions, positions, a.tolist(), b.tolist())
        peer = quietly(stats.pearsonr, a, b) if len(a) > 1 else math.nan
        assert math.isnan(value) == math.isnan(exact) == math.isnan(peer)
        if not math.isnan(value):
            assert abs(value - exact) <= EXACT
            assert abs(value - peer) <= tolerance
