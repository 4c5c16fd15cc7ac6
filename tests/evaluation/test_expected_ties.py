"""Compare measures under ties = 'expected' with the mean over all orders of tied documents, and with scikit-learn."""

import math
import random
from collections.abc import Sequence
from itertools import groupby, permutations, product
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import ndcg_score  # type: ignore[import-untyped]
from support.expected_ties import Document, drawn, run_and_judgments, table

import ltr_sql
from ltr_sql import oracle
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.catalogue.measures import definitions

EXACT = 1e-12
PLAIN = [d for d in definitions().values() if d.expectation not in (None, d)]
MEASURES = [
    *("P@1", "P@3", "P@8", "P(rel=2)@3", "R", "R@1", "R@3", "R(rel=2)@4", "RR", "RR@1", "RR@3", "RR(rel=2)", "AP"),
    *("AP@1", "AP@3", "AP(rel=2)@4", "nDCG", "nDCG@1", "nDCG@3", "nDCG(gain=exponential)@4"),
    *("Success", "Success@1", "Success@3", "Success(rel=2)@4"),
]


def mean_over_orders(text: str, documents: Sequence[Document]) -> float:
    """Return the mean of a measure over all orders of tied documents."""
    retrieved = sorted((d for d in documents if d[1] is not None), key=lambda d: -(d[1] or 0))
    groups = [[grade for *_, grade in group] for _, group in groupby(retrieved, key=lambda d: d[1])]
    missed = [grade for _, score, grade in documents if score is None]
    values = []
    # Permute grades, not documents: each order of grades stands for equally many orders of documents.
    for order in product(*({*permutations(grades)} for grades in groups)):
        grades = [grade for group in order for grade in group]
        ranks = [*map(float, range(1, len(grades) + 1)), *(math.nan for _ in missed)]
        values.append(oracle_value(text, ranks, [*grades, *missed]))
    return math.fsum(values) / len(values)


def oracle_value(text: str, rank: Sequence[float], relevance: Sequence[float | None]) -> float:
    measure = parse_measure(text)
    return float(getattr(oracle, measure.definition.macro)(rank, relevance, **dict(measure.values)))


def check(found: pd.DataFrame, queries: dict[str, list[Document]], measures: Sequence[str]) -> None:
    assert list(found["query_id"]) == sorted(queries)
    wrong = [
        (row["query_id"], text, row[text], expected)
        for row in found.to_dict("records")
        for text in measures
        if not abs(row[text] - (expected := mean_over_orders(text, queries[row["query_id"]]))) <= EXACT
    ]
    assert not wrong, f"{len(wrong)} values differ: {wrong[:5]}"


def test_the_measures_are_those_with_an_expectation() -> None:
    assert {parse_measure(text).definition.macro for text in MEASURES} == {d.macro for d in PLAIN}
    assert {d.macro for d in PLAIN} == {"p", "r", "rr", "ap", "ndcg", "success"}
    for plain in PLAIN:
        expectation = plain.expectation
        assert expectation is not None
        assert expectation.expectation is expectation
        assert set(expectation.parameters) == {p for p in plain.parameters if p.name != "divisor"}
        same = ("at", "cutoff", "empty", "average")
        assert [getattr(expectation, name) for name in same] == [getattr(plain, name) for name in same]


@pytest.mark.slow
def test_a_scored_table_is_the_mean_over_all_orders() -> None:
    queries = drawn(seed=1, lists=60, judged_only=True)
    found = ltr_sql.evaluate(table(queries), MEASURES, ties="expected", by_query=True)
    assert list(found.columns) == ["query_id", *MEASURES]
    check(found, queries, MEASURES)


@pytest.mark.slow
def test_a_judged_run_is_the_mean_over_all_orders() -> None:
    queries = drawn(seed=2, lists=80, judged_only=False)
    run, qrels = run_and_judgments(queries)
    tied = run.merge(qrels, how="left").groupby(["query_id", "score"])["relevance"]
    assert (tied.apply(lambda grades: grades.isna().any() and grades.notna().any())).sum() > 20
    found = ltr_sql.evaluate(run, MEASURES, qrels=qrels, ties="expected", by_query=True)
    check(found, queries, MEASURES)


@pytest.mark.default("P@2", "R@3", "RR@2", "Success@1", "AP@2")
@pytest.mark.parametrize("text", ["P@2", "R@3", "AP@2", "RR@2", "nDCG@2", "Success@1"])
def test_a_cutoff_in_the_middle_of_a_tie_is_the_mean_over_all_orders(text: str) -> None:
    """If all measures have a cutoff, deeper documents may get no rank."""
    queries = drawn(seed=3, lists=40, judged_only=False)
    run, qrels = run_and_judgments(queries)
    check(ltr_sql.evaluate(run, [text], qrels=qrels, ties="expected", by_query=True), queries, [text])


@pytest.mark.slow
def test_the_macros_are_the_mean_over_all_orders(con: duckdb.DuckDBPyConnection) -> None:
    queries = drawn(seed=4, lists=40, judged_only=False)
    run, qrels = run_and_judgments(queries)
    con.register("run", run)
    con.register("qrels", qrels)
    con.execute("create table judged as from ltr.judge('run', 'qrels', ties := 'expected')")
    columns = ", ".join(f'"expected_{text}" as "{text}"' for text in MEASURES)
    expected = [f"expected_{text}" for text in MEASURES]
    found = con.execute(f"select query_id, {columns} from ltr.per_query('judged', $m) order by all", {"m": expected})
    check(found.df(), queries, MEASURES)
    for plain in PLAIN:
        k, option = ("@2", ", k := 2") if plain.parameter("k") else ("", "")
        macro = f"expected_{plain.macro}"
        found = con.execute(
            f"select query_id, {macro} as \"{plain.name}{k}\" from ltr.{macro}('judged'{option}) order by all"
        )
        check(found.df(), queries, [f"{plain.name}{k}"])


def test_several_systems() -> None:
    first, second = (drawn(seed, lists=20, judged_only=True) for seed in (5, 6))
    both = pd.concat([table(first).assign(system="a"), table(second).assign(system=None)])
    found = ltr_sql.evaluate(both, MEASURES, keys=["system"], ties="expected", by_query=True)
    check(found[found["system"] == "a"], first, MEASURES)
    check(found[found["system"].isna()], second, MEASURES)


def test_the_published_example() -> None:
    example = pd.DataFrame({"query_id": "q", "score": [0.9, 0.5, 0.5, 0.5, 0.1], "relevance": [0, 0, 2, 1, 1]})
    (found,) = ltr_sql.evaluate(example, ["RR", "AP", "P@3", "nDCG@3"], ties="expected").to_dict("records")
    expected = {"RR": 0.444444, "AP": 0.533333, "P@3": 0.444444, "nDCG@3": 0.361212}
    assert {name: round(found[name], 6) for name in expected} == expected


@pytest.mark.default("1")
@pytest.mark.parametrize("seed", range(3))
def test_ndcg_is_that_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    expected: dict[tuple[str, str], float] = {}
    cutoffs = (None, 1, 3, 10)
    for query in range(40):
        n = int(rng.integers(2, 60))
        scores = rng.integers(0, rng.integers(1, 20), n) / 4
        labels = rng.integers(0, 5, n)
        rows += [{"query_id": f"q{query:02}", "score": s, "relevance": g} for s, g in zip(scores, labels, strict=True)]
        for k in cutoffs:
            at = "" if k is None else f"@{k}"
            expected[f"q{query:02}", f"nDCG{at}"] = ndcg_score([labels], [scores], k=k)
            expected[f"q{query:02}", f"nDCG(gain=exponential){at}"] = ndcg_score([2.0**labels - 1], [scores], k=k)
    names = list(dict.fromkeys(name for _, name in expected))
    found = ltr_sql.evaluate(pd.DataFrame(rows), names, convention="sklearn", by_query=True).set_index("query_id")
    assert {(q, name): found.loc[q, name] for q, name in expected} == pytest.approx(expected, rel=0, abs=EXACT)


def test_without_ties_nothing_changes() -> None:
    rng = random.Random(7)
    rows = [
        (f"q{query}", f"d{i}", score, rng.choice([-1, 0, 0, 1, 2, 3]))
        for query in range(30)
        for i, score in enumerate(rng.sample(range(100), rng.randint(1, 40)))
    ]
    scored = pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "relevance"])
    plain = ltr_sql.evaluate(scored, MEASURES, by_query=True)
    expected = ltr_sql.evaluate(scored, MEASURES, ties="expected", by_query=True)
    pd.testing.assert_frame_equal(plain, expected, check_exact=False, rtol=0, atol=EXACT)


@pytest.mark.default("1-2000-2000", "3-5000-40")
@pytest.mark.parametrize(("above", "n", "relevant"), [(0, 5000, 1), (3, 5000, 40), (10, 3000, 1500), (1, 2000, 2000)])
def test_thousands_of_documents_may_tie(above: int, n: int, relevant: int) -> None:
    """Compare with exact integers, because binomial coefficients of this size overflow doubles."""
    measures = ["P@50", "R@50", "RR", "RR@50", "AP", "AP@50", "nDCG@50", "Success@20"]
    scores = [*(2.0 + i for i in range(above)), *([1.0] * n)]
    grades = [0] * above + [1] * relevant + [0] * (n - relevant)
    scored = pd.DataFrame({"query_id": "q", "score": scores, "relevance": grades}).sample(frac=1, random_state=2)
    (found,) = ltr_sql.evaluate(scored, measures, ties="expected").to_dict("records")
    ranks = [*map(float, range(1, above + 1)), *([above + 1.0] * n)]
    values = {text: oracle_value(f"expected_{text}", ranks, grades) for text in measures}
    assert {name: found[name] for name in values} == pytest.approx(values, rel=EXACT, abs=0)


def test_ranks_that_are_shared_already() -> None:
    ids, ranks, grades = list("abcde"), [1, 2, 2, 2, 5], [0, 0, 2, 1, 1]
    every = pd.DataFrame({"query_id": "q", "doc_id": ids, "rank": ranks, "relevance": grades})
    documents: list[Document] = [(i, -rank, grade) for i, rank, grade in zip(ids, ranks, grades, strict=True)]
    found = ltr_sql.evaluate(every, MEASURES, ties="expected", by_query=True)
    check(found, {"q": documents}, MEASURES)
    run, qrels = every.drop(columns="relevance"), every.drop(columns="rank").query("relevance > 0")
    found = ltr_sql.evaluate(run, MEASURES, qrels=qrels, ties="expected", by_query=True)
    check(found, {"q": documents}, MEASURES)


def test_sql_equals_the_oracle() -> None:
    run, qrels = run_and_judgments(drawn(seed=8, lists=30, judged_only=False))
    frame = ltr_sql.verify(run, qrels=qrels, ties="expected")
    assert set(frame["measure"]) == {d.expectation.example for d in PLAIN if d.expectation is not None}
    assert set(frame["verdict"]) == {"equal"}
    assert set(ltr_sql.verify(run, MEASURES, qrels=qrels, ties="expected")["verdict"]) == {"equal"}


def test_an_expectation_may_be_asked_for_by_its_own_name() -> None:
    scored = table(drawn(seed=9, lists=5, judged_only=True))
    found = ltr_sql.evaluate(scored, ["AP", "expected_AP"], ties="expected")
    assert found["AP"].tolist() == found["expected_AP"].tolist()


@pytest.mark.parametrize("text", ["ERR(max_grade=4)@10", "NumRet", "KendallTau", "GMAP"])
def test_a_measure_without_expectation_is_refused(text: str) -> None:
    scored = table(drawn(seed=10, lists=5, judged_only=True))
    with pytest.raises(ltr_sql.MeasureError, match=r"choose AP, nDCG, P, R, RR or Success$") as raised:
        ltr_sql.evaluate(scored, ["AP", text], ties="expected")
    assert f"measure {text!r} has no known expectation" in str(raised.value)
