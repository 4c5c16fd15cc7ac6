"""Custom gains: which measures read them, and which do not."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.places import EXAMPLE_DATA

import ltr_sql
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.catalogue.measures import definitions
from ltr_sql.command_line.trec_eval_outputs import measures_of
from ltr_sql.errors import InputError, MeasureError
from ltr_sql.inputs.gains import parse_gains, read_gains

MEASURES = [d.example for d in definitions().values() if not d.by_subtopic and not d.by_score]
TAKE_GAINS = {d.example for d in definitions().values() if d.gains}
# A dict names all grades with a fraction, because none of them is its own gain.
GAINS: list[Any] = [
    {1: 3, 2: 0.1, 0.5: 0.5, 1.5: 1.25},
    {2: 7.5, 0.5: 2, 1.5: 1.5},
    {0: 0.25, 3: 1e-9, 4: 100, 0.5: 0.5, 1.5: 0.75},
    [0, 1, 3, 7, 15],
]


def graded(whole: bool) -> pd.DataFrame:
    """Return rankings of two systems, with unjudged and missed documents, and queries without relevant documents."""
    rng = np.random.default_rng(3)
    grades = [-1, 0, 0, 1, 2, 3, 4, None, *([] if whole else [0.5, 1.5])]
    frames = []
    for system in ("a", "b"):
        for query in range(30):
            n = int(rng.integers(1, 30))
            few = grades if query % 5 else [0, None, -1]
            frame = pd.DataFrame({"system": system, "query_id": f"q{query}", "doc_id": [f"d{i}" for i in range(n)]})
            frame["rank"] = pd.Series(rng.permutation(n) + 1, dtype="Int64").where(rng.random(n) < 0.8)
            frame["relevance"] = pd.Series([few[i] for i in rng.integers(0, len(few), size=n)], dtype="Float64")
            frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def gain_by_grade(given: Any) -> dict[float, float]:
    return dict(enumerate(given)) if isinstance(given, list) else given


def assert_same(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(found, expected, check_exact=False, rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("by_query", [True, False])
@pytest.mark.parametrize("gains", GAINS, ids=str)
def test_only_measures_that_count_gains_change(gains: Any, by_query: bool) -> None:
    table = graded(whole=isinstance(gains, list))
    # Set max_grade and max_rel above all gains, so that one call can evaluate all measures.
    measures = [text.replace("=4)", "=100)") for text in MEASURES]
    given: dict[str, Any] = {"keys": ["system"], "by_query": by_query}
    mapped = table.assign(relevance=table["relevance"].map(lambda grade: gain_by_grade(gains).get(grade, grade)))
    expected, in_place = (ltr_sql.evaluate(rows, measures, **given) for rows in (table, mapped.astype(table.dtypes)))
    counted = [text for text in measures if parse_measure(text).definition.gains]
    assert len(counted) == len(TAKE_GAINS)
    moved = [text for text in counted if not np.allclose(expected[text], in_place[text], rtol=0, equal_nan=True)]
    assert len(moved) > len(counted) / 2
    expected[counted] = in_place[counted]
    assert_same(ltr_sql.evaluate(table, measures, gains=gains, **given), expected)
    assert_same(ltr_sql.evaluate(table, counted, gains=gains, **given), expected.drop(columns={*measures} - {*counted}))


RUNS = {name: EXAMPLE_DATA / f"{name}.txt" for name in ("bm25", "dense")}
GIVEN: dict[str, Any] = {"qrels": EXAMPLE_DATA / "qrels.txt", "gains": {1: 0, 2: 5, 3: 20}}


@pytest.mark.slow
def test_compare_takes_the_gains_of_evaluate() -> None:
    """Values by query of `evaluate`, which other tests compare with the formulas, give the same results."""
    measures = ["nDCG@5", "AP"]
    values = ltr_sql.evaluate(RUNS, measures, by_query=True, **GIVEN)
    plain = ltr_sql.evaluate(RUNS, measures, qrels=GIVEN["qrels"], by_query=True)
    assert (values["AP"] == plain["AP"]).all()
    assert not np.allclose(values["nDCG@5"], plain["nDCG@5"])
    found = ltr_sql.compare(RUNS, measures, **GIVEN)
    pd.testing.assert_frame_equal(found, ltr_sql.compare(values, measures, values=True))
    with pytest.raises(MeasureError, match="no measure of the call uses gains"):
        ltr_sql.compare(RUNS, ["AP"], **GIVEN)
    with pytest.raises(InputError, match="a table of values holds no grades: leave out gains="):
        ltr_sql.compare(values, values=True, gains={1: 2})


@pytest.mark.slow
def test_all_functions_take_the_gains_of_evaluate() -> None:
    runs, given, measures = RUNS, GIVEN, ["nDCG@5", "AP"]
    values = ltr_sql.evaluate(runs, measures, by_query=True, **given)
    of_values: dict[str, Any] = {"values": True}
    for function in (ltr_sql.leaderboard, ltr_sql.system_agreement, ltr_sql.variance):
        pd.testing.assert_frame_equal(function(runs, measures, **given), function(values, measures, **of_values))
    found = ltr_sql.wins(runs, "bm25", "dense", "nDCG@5", **given)
    pd.testing.assert_frame_equal(found, ltr_sql.wins(values, "bm25", "dense", "nDCG@5", **of_values))
    weeks = {"2026-W01": runs["bm25"], "2026-W02": runs["dense"]}
    trend = ltr_sql.trend(weeks, ["nDCG@5"], by="system", **given)
    means = values.groupby("system")["nDCG@5"].mean()
    assert trend["mean"].tolist() == pytest.approx(means.tolist(), rel=0, abs=1e-12)
    report = ltr_sql.report(runs, measures, lists=1, **given).data
    assert report["about"]["gains"] == "1=0,2=5,3=20"
    shown = {row["system"]: row["mean"] for row in report["standings"] if row["measure"] == "nDCG@5"}
    assert shown == pytest.approx(means.to_dict(), rel=0, abs=1e-12)
    # The contributions of the listed documents sum to the value.
    ((query, lists),) = report["lists"]["queries"].items()
    expected = values[(values["query_id"] == query) & (values["system"] == "bm25")]["nDCG@5"].item()
    assert sum(lists["systems"]["bm25"]["contributions"][:5]) == pytest.approx(expected, rel=0, abs=1e-12)
    verified = ltr_sql.verify(runs, [*measures, "DCG"], **given)
    assert verified["verdict"].tolist() == ["equal"] * 3
    tied = {"ties": "expected", **given}
    of_run = ltr_sql.evaluate(runs, ["nDCG@5"], **tied).set_index("system")["nDCG@5"]
    (row,) = ltr_sql.compare(runs, ["nDCG@5"], **tied, details=True).to_dict("records")
    assert [row["mean_a"], row["mean_b"]] == pytest.approx([of_run[row["system_a"]], of_run[row["system_b"]]])
    with pytest.raises(MeasureError, match="no measure of the call uses gains"):
        ltr_sql.compare(runs, ["AP", "Gini@5"], documents=pd.DataFrame({"doc_id": ["d101"]}), **given, details=True)


def test_gains_are_written_as_they_are_read() -> None:
    for given in GAINS:
        gains = read_gains(given)
        assert parse_gains(str(gains)) == gains == read_gains(gains)


def test_run_and_judgments_of_several_systems() -> None:
    run = {"a": {"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}, "b": {"q": {"d3": 3.0, "d2": 2.0}, "none": {"d1": 1.0}}}
    qrels = {"q": {"d1": 1, "d2": 2, "d3": 0, "d4": 2}, "missing": {"d1": 1}}
    with pytest.warns(ltr_sql.InputWarning):
        found = ltr_sql.evaluate(run, ["AP", "DCG@2", "R(rel=2)@2", "nDCG"], qrels=qrels, gains={1: 2, 2: 5})
    log3, ideal = math.log2(3), 5 + 5 / math.log2(3) + 2 / 2
    assert found.to_dict("list") == {
        "system": ["a", "b"],
        "queries": [2, 2],
        "AP": pytest.approx([(1 + 1) / 3 / 2, (1 / 2) / 3 / 2], abs=1e-15),
        "DCG@2": pytest.approx([(2 + 5 / log3) / 2, 5 / log3 / 2], abs=1e-15),
        "R(rel=2)@2": [0.25, 0.25],
        "nDCG": pytest.approx([(2 + 5 / log3) / ideal / 2, 5 / log3 / ideal / 2], abs=1e-15),
    }


def test_exponential_gains_are_those_of_a_list() -> None:
    table = graded(whole=True)
    given: dict[str, Any] = {"keys": ["system"], "by_query": True}
    names = {"nDCG": "nDCG(gain=exponential)", "DCG@5": "DCG(gain=exponential)@5", "AP": "AP"}
    found = ltr_sql.evaluate(table, list(names), gains=[2**grade - 1 for grade in range(5)], **given)
    assert_same(found.rename(columns=names), ltr_sql.evaluate(table, list(names.values()), **given))


@pytest.mark.parametrize(
    "gains", [(0, 1, 3), np.array([0, 1, 3]), pd.Series([0, 1, 3]), {np.int64(1): np.float64(1), 2: 3}]
)
def test_kinds_of_lists_and_mappings(gains: Any) -> None:
    table = pd.DataFrame({"query_id": "q", "score": [3.0, 2.0, 1.0], "relevance": [1, 2, 0], "doc_id": ["a", "b", "c"]})
    expected = [1 + 3 / math.log2(3)]
    for rows in (table, table.astype({"relevance": "uint8"}), table.astype({"relevance": "float32"})):
        assert ltr_sql.evaluate(rows, ["DCG"], gains=gains)["DCG"].tolist() == pytest.approx(expected, abs=1e-15)


def test_gains_take_precedence_over_a_convention() -> None:
    table = pd.DataFrame({"query_id": "q", "score": [3.0, 2.0, 1.0], "relevance": [1, 2, 0], "row_order": [1, 2, 3]})
    found = ltr_sql.evaluate(table, ["nDCG"], gains={2: 5}, convention="lightgbm")
    assert found["nDCG"].tolist() == pytest.approx([(1 + 5 / math.log2(3)) / (5 + 1 / math.log2(3))], abs=1e-15)


def test_expected_over_the_orders_of_ties() -> None:
    table = pd.DataFrame({"query_id": "q", "score": [1.0, 1.0], "relevance": [1, 2]})
    found = ltr_sql.evaluate(table, ["nDCG@1", "P@1"], gains={1: 1, 2: 3}, ties="expected").iloc[0]
    assert (found["nDCG@1"], found["P@1"]) == pytest.approx(((1 + 3) / 2 / 3, 1), abs=1e-15)


def test_custom_gains_do_not_disable_checks() -> None:
    table = graded(whole=True).assign(system="a")
    with pytest.raises(ltr_sql.InputError, match="rank"):
        ltr_sql.evaluate(table, ["nDCG", "AP"], gains={1: 2})
    run = pd.DataFrame({"query_id": "q", "doc_id": ["d", "d"], "score": [2.0, 1.0]})
    qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "relevance": [1]})
    for measures in (["nDCG"], ["nDCG", "AP"], ["KendallTau", "nDCG"]):
        with pytest.raises(ltr_sql.InputError, match="document"):
            ltr_sql.evaluate(run, measures, qrels=qrels, gains={1: 2})


RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.5}}
CALLS: dict[str, Callable[[Any, Any], pd.DataFrame]] = {
    "evaluate": lambda qrels, gains: ltr_sql.evaluate(RUN, ["nDCG"], qrels=qrels, gains=gains),
    "evaluate a table": lambda qrels, gains: ltr_sql.evaluate(
        pd.DataFrame({"query_id": "q", "score": list(RUN["q"].values()), "relevance": list(qrels["q"].values())}),
        ["nDCG", "AP"],
        gains=gains,
    ),
    "unchecked": lambda qrels, gains: ltr_sql.evaluate(RUN, ["AP", "nDCG"], qrels=qrels, gains=gains, check=False),
    "explain": lambda qrels, gains: ltr_sql.explain(RUN, "q", "nDCG", qrels=qrels, gains=gains),
    "Evaluator": lambda qrels, gains: ltr_sql.Evaluator(["nDCG"], qrels, gains=gains).evaluate(RUN),
    "from_labels": lambda qrels, gains: ltr_sql.Evaluator.from_labels(
        ["nDCG"], [*qrels["q"].values()], [len(qrels["q"])], gains=gains
    ).evaluate([*RUN["q"].values()]),
}


@pytest.mark.default("evaluate", "evaluate a table", "unchecked")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_grades_with_a_fraction_need_a_gain(call: Callable[[Any, Any], pd.DataFrame]) -> None:
    # The median of two raters is such a grade. As its own gain, 2.5 would count more than 3.
    merged = {"q": {"a": 3, "b": 2.5, "c": 1, "d": 0.1}}
    with pytest.raises(
        ltr_sql.InputError, match=r"grades with a fraction that have no gain: 0\.1, 2\.5\. Give each a gain"
    ):
        call(merged, {3: 1, 2: 0.1, 1: 0.01})
    with pytest.raises(ltr_sql.InputError, match=r"the list of 4 gains covers the grades 0 to 3, got 0\.1, 2\.5$"):
        call(merged, [0, 0.01, 0.1, 1])
    # Negative grades and whole numbers may be left out.
    for named in (merged, {"q": {"a": 4, "b": 2.5, "c": -0.5, "d": 0.1}}):
        call(named, {2.5: 0.5, 0.1: 0, 2: 0.1, 1: 0.01})


def test_many_grades_without_a_gain() -> None:
    qrels = {"q": {f"d{i}": i + 0.5 for i in range(12)}}
    with pytest.raises(ltr_sql.InputError, match=r"no gain: 0\.5, 1\.5, .*, 9\.5 and 2 more\. Give"):
        ltr_sql.evaluate({"q": {"d1": 1.0}}, ["nDCG"], qrels=qrels, gains={1: 2})


def test_grades_with_a_fraction_can_be_named_in_the_command() -> None:
    assert parse_gains("2.5=3,.5=1,1=1").by_grade == ((0.5, 1.0), (1.0, 1.0), (2.5, 3.0))


@pytest.mark.parametrize("text", ["1=" + "1" * 20_000 + "x", "1" * 20_000 + "=1", "1=" + "1" * 400])
def test_long_numbers_are_refused_at_once(text: str) -> None:
    # test_linear_patterns.py tests that the time is linear.
    with pytest.raises(ltr_sql.LtrSqlError, match=r"^gains .{,110}: write GRADE=GAIN"):
        parse_gains(text)
    with pytest.raises(ltr_sql.LtrSqlError, match="write a gain as GRADE=GAIN"):
        measures_of(f"ndcg.{text}")
