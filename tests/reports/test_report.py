"""Reports: values, sentences, the page, and the command."""

import base64
import html
import itertools
import json
import random
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from support.places import EXAMPLE_DATA, TESTS
from support.report_inputs import HOSTILE, QUERIES, made_runs

import ltr_sql
from ltr_sql import InputError
from ltr_sql.command_line.main import main
from ltr_sql.command_line.report import _without_folders
from ltr_sql.reports import charts, evaluated
from ltr_sql.reports.charts import ticks_of
from ltr_sql.reports.contents import payload as of_page
from ltr_sql.reports.curves import charts_of
from ltr_sql.reports.page import _boards, _forest
from ltr_sql.reports.sentences import (
    notes_on_queries,
    numbers_of,
    power_of,
    signed,
    title_of,
    verdict,
    verdicts_by_measure,
)
from ltr_sql.validation import checks

DEMO = TESTS.parent / "demo"
EXPECTED = TESTS / "report.json"
RUNS = {name: EXAMPLE_DATA / f"{name}.txt" for name in ("bm25", "dense")}
QRELS = EXAMPLE_DATA / "qrels.txt"
MEASURES = ["nDCG@5", "AP", "NumRet"]
VOID = {"meta", "br", "input", "circle", "path", "line"}


def close(expected: Any) -> Any:
    """Return an object that equals numbers within 1e-12 of the expected ones."""
    return pytest.approx(expected, rel=0, abs=1e-12)


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    """Return the data of a report about three systems and two segments, with its input."""
    runs, qrels = made_runs(0.0, 0.3, 0.1)
    texts = {f"q{q}": f"words of {q}" for q in range(0, QUERIES, 2)}
    report = ltr_sql.report(runs, ["nDCG@5", "AP"], qrels=qrels, keys=["segment"], queries=texts, lists=5, depth=3)
    return {"report": report, "data": report.data, "runs": runs, "qrels": qrels}


# Values


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the runs differ in unjudged documents")
def test_standings_equal_compare_and_leaderboard(made: dict[str, Any]) -> None:
    measures, given = ["nDCG@5", "AP"], {"qrels": made["qrels"].drop(columns="segment")}
    compared = ltr_sql.compare(made["runs"], measures, baseline="s0", **given, details=True)
    board = ltr_sql.leaderboard(made["runs"], measures, resamples=100, **given)
    found = {(r["measure"], r["system"]): r for r in made["data"]["standings"]}
    assert len(found) == len(board)
    for row in board.to_dict("records"):
        record = found[row["measure"], row["system"]]
        assert [record[name] for name in ("place", "queries")] == [row["place"], row["queries"]]
        assert [record[name] for name in ("mean", "low", "high")] == close([row["mean"], row["low"], row["high"]])
        best = next(r for r in found.values() if r["measure"] == row["measure"] and r["place"] == 1)
        assert record["difference_from_best"] == close(record["mean"] - best["mean"])
    assert len(compared) == 4
    for row in compared.to_dict("records"):
        record = found[row["measure"], row["system_b"]]
        names = ["difference", "relative", "p", "p_adjusted", "mde", "wins", "ties", "losses"]
        assert [record[name] for name in names] == close([row[name] for name in names])
        assert [record["difference_low"], record["difference_high"]] == close([row["low"], row["high"]])
        assert record["uncorrected_low"] == close(row["uncorrected_low"])
        assert record["difference_confidence"] == close(row["confidence"])
        assert record["verdict"] == row["verdict"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the runs differ in unjudged documents")
def test_segments_equal_compare(made: dict[str, Any]) -> None:
    compared = ltr_sql.compare(
        made["runs"], ["nDCG@5"], qrels=made["qrels"], keys=["segment"], baseline="s0", details=True
    )
    segments = {segment["keys"]["segment"]: segment for segment in made["data"]["segments"]}
    assert {name: segment["queries"] for name, segment in segments.items()} == {"tail": 26, "head": 14}
    for row in compared.to_dict("records"):
        (record,) = (
            r
            for r in segments[row["segment"]]["standings"]
            if (r["measure"], r["system"]) == ("nDCG@5", row["system_b"])
        )
        assert [record["difference"], record["p_adjusted"]] == close([row["difference"], row["p_adjusted"]])


@pytest.mark.slow
@pytest.mark.parametrize("adjust", ["holm", "bonferroni", "bh", "hochberg", "none"])
def test_corrected_intervals_agree_with_the_corrected_test(adjust: str) -> None:
    runs, qrels = made_runs(0.0, 0.02, 0.06, 0.1, 0.16, 0.4)
    data = ltr_sql.report(runs, ["nDCG@5", "P@3"], qrels=qrels, adjust=adjust, lists=0, check=False).data
    compared = [record for record in data["standings"] if record["verdict"] is not None]
    assert {record["verdict"] for record in compared} == {"better", "undecided"}
    for record in compared:
        includes_zero = record["difference_low"] <= 0 <= record["difference_high"]
        assert includes_zero == (record["p_adjusted"] > 0.05), record
        assert record["difference_confidence"] >= 0.95 - 1e-12
        if adjust == "none":
            assert record["difference_low"] == close(record["uncorrected_low"])


def unpacked(entry: dict[str, Any], queries: int) -> dict[int, list[float | None]]:
    """Return the values of each system."""
    steps = zlib.decompress(base64.b64decode(entry["bytes"]), wbits=-15)
    half = len(steps) // 2
    assert half == queries * len(entry["systems"])
    words = [256 * steps[i] + steps[half + i] for i in range(half)]
    scale = (entry["high"] - entry["low"]) / entry["steps"]
    values = [None if word == 65_535 else entry["low"] + scale * word for word in words]
    return {system: values[i * queries : (i + 1) * queries] for i, system in enumerate(entry["systems"])}


@pytest.mark.slow
def test_packed_values_equal_evaluate(made: dict[str, Any]) -> None:
    data = made["data"]
    ids = [query["id"] for query in data["queries"]]
    values = ltr_sql.evaluate(made["runs"], ["nDCG@5", "AP"], qrels=made["qrels"], by_query=True)
    for entry in data["values"]:
        half_a_step = (entry["high"] - entry["low"]) / entry["steps"] / 2
        for number, numbers in unpacked(entry, len(ids)).items():
            of_system = values[values["system"] == data["systems"][number]].set_index("query_id")
            assert numbers == pytest.approx(list(of_system.loc[ids, entry["measure"]]), rel=0, abs=half_a_step * 1.001)


@pytest.mark.slow
def test_values_that_do_not_fit_are_rounded_then_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    runs, qrels = made_runs(0.0, 0.1, 0.2, 0.3, 0.4, 0.5)

    def found() -> list[tuple[str, int, int, int]]:
        data = ltr_sql.report(runs, ["nDCG@5", "AP", "RR"], qrels=qrels, lists=0, check=False).data
        return [(e["measure"], e["steps"], len(e["systems"]), len(e["bytes"])) for e in data["values"]]

    assert [steps for _, steps, _, _ in found()] == [65_534] * 3
    monkeypatch.setattr(evaluated, "_FEW", 0)
    all_systems = found()
    assert [steps for _, steps, _, _ in all_systems] == [10_000, 1_000, 1_000]
    monkeypatch.setattr(evaluated, "BUDGET", sum(size for *_, size in all_systems[:2]) - 1)
    few = found()
    assert [entry[:3] for entry in few[:2]] == [("nDCG@5", 10_000, 6), ("AP", 1_000, 4)]


@pytest.mark.slow
def test_lists_equal_explain(made: dict[str, Any]) -> None:
    lists = made["data"]["lists"]
    assert (len(lists["queries"]), lists["depth"], lists["measure"]) == (5, 3, "nDCG@5")
    for query, found in [*lists["queries"].items()][:2]:
        for system, listed in found["systems"].items():
            qrels = made["qrels"].drop(columns="segment")
            rows = ltr_sql.explain(made["runs"][system], query, "nDCG@5", qrels=qrels).head(3)
            assert listed["documents"] == list(rows["doc_id"])
            assert listed["ranks"] == list(rows["rank"])
            assert [-1 if grade is None else grade for grade in listed["grades"]] == list(rows["relevance"].fillna(-1))
            assert listed["contributions"] == close(list(rows["contribution"]))
        grades = made["qrels"].query("query_id == @query")["relevance"]
        assert found["ideal"] == sorted(grades[grades > 0], reverse=True)[:3]
        assert found["relevant"] == (grades > 0).sum()


def test_the_listed_queries_are_those_that_move_most(made: dict[str, Any]) -> None:
    values = ltr_sql.evaluate(made["runs"], ["nDCG@5"], qrels=made["qrels"], by_query=True)
    by_system = values.pivot_table(index="query_id", columns="system", values="nDCG@5")
    changes = by_system[["s1", "s2"]].sub(by_system["s0"], axis=0)
    listed = set(made["data"]["lists"]["queries"])
    assert {changes.min(axis=1).idxmin(), changes.max(axis=1).idxmax(), by_system.mean(axis=1).idxmin()} <= listed


def test_curves_equal_evaluate(made: dict[str, Any]) -> None:
    for curve in made["data"]["curves"]:
        means = ltr_sql.evaluate(made["runs"], curve["measures"], qrels=made["qrels"]).set_index("system")
        for system, found in zip(made["data"]["systems"], curve["means"], strict=True):
            assert found == close(list(means.loc[system, curve["measures"]]))
            # The intervals are those of evaluate, cut at the range of the measures.
            spread = ltr_sql.evaluate({system: made["runs"][system]}, curve["measures"], qrels=made["qrels"], ci="t")
            for name, end, bound in (("low", max, 0.0), ("high", min, 1.0)):
                expected = [end(spread[f"{measure}_{name}"].iloc[0], bound) for measure in curve["measures"]]
                assert curve[name][made["data"]["systems"].index(system)] == close(expected)
    *by_cutoff, by_recall = sorted(made["data"]["curves"], key=lambda curve: curve["by"])
    assert [curve["measure"] for curve in by_cutoff] == ["nDCG", "P", "R", "Success", "Judged"]
    # Cutoffs end at the first one that reaches the depth of the deepest run.
    assert all(curve["x"] == [1, 2, 3, 5, 10, 20] for curve in by_cutoff)
    assert by_recall["x"] == [level / 10 for level in range(11)]


def test_judged_documents_have_a_curve_only_where_systems_differ() -> None:
    qrels = {f"q{q}": {f"d{d}": 1 for d in range(5)} for q in range(3)}
    judged = {query: {f"d{d}": 9.0 - d for d in range(5)} for query in qrels}
    partly = {query: {f"{'u' if d > 2 else 'd'}{d}": 9.0 - d for d in range(5)} for query in qrels}
    for runs, expected in (({"a": judged, "b": judged}, []), ({"a": judged, "b": partly}, [[1.0] * 4, [1, 1, 1, 0.6]])):
        report = ltr_sql.report(runs, ["nDCG@5"], qrels=qrels, check=False, lists=0)
        curves = [curve for curve in report.data["curves"] if curve["measure"] == "Judged"]
        assert [curve["means"] for curve in curves] == ([expected] if expected else [])
        assert ("Share of judged documents in the top k" in report.html) == bool(expected)


def test_a_measure_with_expected_ties_has_no_curve() -> None:
    # Under this convention, nDCG is the expectation over the orders of tied documents.
    options: dict[str, Any] = {"qrels": QRELS, "convention": "torchmetrics", "lists": 0, "check": False}
    data = ltr_sql.report(RUNS, ["nDCG@5"], **options).data
    assert [curve["measure"] for curve in data["curves"]] == ["P", "R", "Success", "Judged", "IPrec"]


@pytest.mark.slow
def test_the_curve_has_the_parameters_of_the_measure() -> None:
    data = ltr_sql.report(RUNS, ["nDCG(gain='exponential')@5"], qrels=QRELS, lists=0, check=False).data
    assert data["curves"][0]["measures"][3] == "nDCG(gain='exponential')@5"


def test_input_and_findings_equal_check(made: dict[str, Any]) -> None:
    found = made["data"]["input"]
    assert found["judged"] == len(made["qrels"])
    assert found["relevant"] == (made["qrels"]["relevance"] > 0).sum()
    assert [grade for grade, _ in found["grades"]] == [0, 1, 2, 3]
    assert found["depths"] == {"s0": 12, "s1": 12, "s2": 12}
    findings = ltr_sql.check(made["runs"], made["qrels"], keys=["segment"], measures=["nDCG@5", "AP"])
    assert made["data"]["findings"] == findings.to_dict("records")


@pytest.mark.slow
def test_effects_of_ties_in_some_queries_equal_check(made: dict[str, Any]) -> None:
    tied = made["runs"]["s1"].assign(score=made["runs"]["s1"]["score"].round(0))
    few = tied.assign(score=lambda t: t["score"] + t["query_id"].ne("q1") * t.index)
    scored = tied.merge(made["qrels"], on=["query_id", "doc_id"])
    scored["segment"] = scored["segment"].where(scored["segment"] == "tail", None)
    measures = ["nDCG@5", "AP", "NumRelRet@1", "GMAP"]
    for run, given in ((few, {"qrels": made["qrels"]}), (scored, {})):
        found = ltr_sql.report(run, measures, keys=["segment"], lists=0, **given).data["findings"]
        expected = ltr_sql.check({"run": run}, *given.values(), keys=["segment"], measures=measures)
        assert found == expected.to_dict("records")
        assert any(finding["what"].startswith("measures depend on") for finding in found)


@pytest.mark.slow
def test_many_rows_have_the_same_findings(made: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    tied = {name: run.assign(score=run["score"].round(1)) for name, run in made["runs"].items()}
    given: dict[str, Any] = {"qrels": made["qrels"], "keys": ["segment"], "measures": ["nDCG@5", "AP"]}
    expected = ltr_sql.check(tied, **given)
    monkeypatch.setattr(checks, "_SEARCHED_AT_ONCE", 0)
    pd.testing.assert_frame_equal(ltr_sql.check(tied, **given), expected)
    found = ltr_sql.report(tied, lists=0, **given).data["findings"]
    assert found == expected.to_dict("records")
    assert any(finding["what"].startswith("measures depend on") for finding in found)


# Sentences


def standing(system: str, mean: float, outcome: str | None, **others: Any) -> dict[str, Any]:
    """Return the standing of a system on 100 queries."""
    tested = {
        "difference": round(mean - 0.4, 4),
        "relative": mean / 0.4 - 1,
        "wins": 54,
        "ties": 9,
        "losses": 37,
        "tests": 2,
        "p_adjusted": 0.0681,
    }
    interval = {"difference_confidence": 0.975, "difference_low": -0.0035, "difference_high": 0.1239}
    counts = {"common_queries": others.get("queries", 100), "only_baseline": 0, "only_system": 0}
    known = {
        "measure": "AP",
        "system": system,
        "queries": 100,
        "mean": mean,
        "verdict": outcome,
        "low": 0.3,
        "high": 0.5,
    }
    return {**known, **tested, **interval, **counts, **others}


def sentences(
    *standings: dict[str, Any],
    baseline: str | None = "old",
    better: str = "higher",
    others: str = "",
    parts: tuple[str, ...] = ("claim", "evidence"),
    runner_up: dict[str, Any] | None = None,
) -> str:
    test = {"name": "Paired t test", "correction": "Holm" if len(standings) > 2 else None, "confidence": 0.95}
    measures = [{"name": name, "better": better, "range": "[0, 1]"} for name in ("AP", *others.split())]
    data = {"measures": measures, "baseline": baseline, "test": test, "runner_up": runner_up}
    found = verdict(data, standings)
    return " ".join(found[part] for part in parts).replace("\N{MINUS SIGN}", "-").strip()


OLD = standing("old", 0.4, None)


def test_the_verdict_claims_no_more_than_the_test() -> None:
    new, other = standing("new", 0.46, "undecided"), standing("other", 0.39, "undecided")
    assert sentences(new, OLD, other) == (
        "new has the highest AP: 0.4600, +0.0600 (+15%; corrected 95% interval -0.0035 to +0.1239) compared with "
        "old: undecided, because 100 queries are too few to be sure. "
        "Paired t test: p = 0.068, corrected by Holm for 2 comparisons, as is the interval. "
        "new is better on 54, equal on 9 and worse on 37 of 100 queries. "
        "The test compares each system with old, not with the other systems."
    )
    significant = standing("new", 0.46, "better", p_adjusted=0.0001, difference_confidence=0.95)
    assert sentences(significant, OLD) == (
        "new has the highest AP: 0.4600, +0.0600 (+15%; 95% interval -0.0035 to +0.1239) compared with old: "
        "better. Paired t test: p < 0.001. "
        "new is better on 54, equal on 9 and worse on 37 of 100 queries."
    )
    assert "Second is" not in sentences(new, OLD, other)
    second = {**other, "difference_from_best": -0.07}
    assert "Second is other with 0.3900. The test" in sentences(new, second, OLD)
    assert sentences(OLD, other).startswith(
        "No system has a higher AP than the baseline old: 0.4000. The next, other, has 0.3900, -0.0100 (-2.5%; "
        "corrected 95% interval -0.0035 to +0.1239) compared with old: undecided, because 100 queries are too few to "
        "be sure."
    )
    assert sentences(other, OLD, better="lower").startswith("other has the lowest AP: 0.3900")


def test_the_verdict_in_plain_words() -> None:
    def plain(*standings: dict[str, Any], **options: Any) -> str:
        return sentences(*standings, parts=("plain",), **options)

    assert plain(standing("new", 0.46, "undecided"), OLD) == (
        "No difference is proven: AP of new is 15% higher than that of old (0.4600 against 0.4000), which may be "
        "chance. The data fit differences from -0.0035 to +0.1239."
    )
    interval = {"difference_low": -0.1, "difference_high": -0.02, "relative": None, "difference": -0.06}
    worse = standing("new", 0.34, "worse", **interval)
    below = (
        "AP of new is 0.0600 lower than that of old: 0.3400 against 0.4000. Chance is a very unlikely reason: the data "
        "fit differences from -0.1000 to -0.0200."
    )
    assert plain(OLD, worse) == below
    none = "No system has a higher AP than the baseline old. "
    assert plain(OLD, worse, standing("other", 0.3, "worse")) == none + below
    best, second = standing("new", 0.46, "better"), standing("other", 0.45, "better")
    pair = {**standing("new", 0.46, "undecided"), "other": "other"}
    not_better = " new is not proven to be better than other, the second."
    assert plain(best, second, OLD, runner_up=pair).endswith(f"fit differences from -0.0035 to +0.1239.{not_better}")
    also_better = plain(best, second, OLD, runner_up={**pair, "verdict": "better"})
    assert also_better.endswith(" new is also better than other, the second.")
    assert "second" not in plain(best, second, OLD, runner_up={**pair, "verdict": "equal"})
    # Without an interval, or with means over other queries, the claim stands alone.
    without = {"difference_low": None, "difference_high": None}
    for other in (
        standing("new", 0.46, "too few queries"),
        standing("new", 0.46, "better", **without),
        standing("new", 0.46, "better", queries=90, common_queries=90),
    ):
        assert plain(other, OLD) == ""
    assert plain(OLD, baseline=None) == ""


def test_the_verdict_of_each_measure_is_a_row() -> None:
    new = standing("new", 0.46, "better")
    outcomes = {"P@1": "worse", "RR": "undecided", "R@5": None}
    more = [standing("new", 0.3, outcome, measure=name) for name, outcome in outcomes.items()]
    data: dict[str, Any] = {"measures": [{"name": name} for name in ("AP", *outcomes)], "baseline": "old"}
    rows = verdicts_by_measure(data, [new, OLD, *more])
    assert [(row["measure"], row["baseline_mean"], row["mean"], row["verdict"]) for row in rows] == [
        ("AP", 0.4, 0.46, "better"),
        ("P@1", None, 0.3, "worse"),
        ("RR", None, 0.3, "undecided"),
    ]
    assert rows[0]["relative"] == close(0.15)
    assert verdicts_by_measure({**data, "baseline": None}, [new]) == []


def test_the_title_is_the_verdict() -> None:
    def title(*standings: dict[str, Any], baseline: str | None = "old") -> str:
        return title_of({"measures": [{"name": "AP"}], "baseline": baseline}, standings)

    assert title(standing("new", 0.46, "better"), OLD) == "new is better than old by 15% (AP)"
    assert title(OLD, standing("new", 0.3, "worse")) == "new is worse than old by 25% (AP)"
    assert title(standing("new", 0.46, "better", relative=None), OLD) == "new is better than old by 0.0600 (AP)"
    assert title(standing("new", 0.46, "undecided"), OLD) == "new and old: undecided in AP"
    assert title(standing("new", 0.46, "too few queries"), OLD) == "new and old: too few queries in AP"
    assert title(standing("new", 0.46, None), baseline=None) == "new: AP 0.4600"
    assert title({**OLD, "mean": None}) == "No query has a value of AP"


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        ("better better", "new is better than old by 15% (m0), and in both measures"),
        ("undecided better better", "new is better in 2 of 3 measures; m0 is undecided"),
        ("better worse undecided", "new is better in 1 and worse in 1 of 3 measures; m2 is undecided"),
        ("worse undecided undecided", "new is worse in 1 of 3 measures; m1 and m2 are undecided"),
        ("better worse", "new is better in 1 and worse in 1 of 2 measures"),
        ("undecided undecided", "new and old: undecided in both measures"),
        ("undecided equal", "new and old: m0 is undecided, m1 is equal"),
        ("better" + " undecided" * 4, "new is better in 1 of 5 measures; 4 are undecided"),
    ],
)
def test_the_title_speaks_of_all_measures(verdicts: str, said: str) -> None:
    of_new = [standing("new", 0.46, verdict, measure=f"m{n}") for n, verdict in enumerate(verdicts.split())]
    measures = [{"name": record["measure"]} for record in of_new]
    old = [{**OLD, "measure": measure["name"]} for measure in measures]
    assert title_of({"measures": measures, "baseline": "old"}, [*of_new, *old]) == said


def test_the_verdict_without_a_test() -> None:
    few = standing("new", 0.46, "too few queries", queries=1, wins=1, ties=0, losses=0)
    assert "not tested, because 1 query is too few" in sentences(few, OLD)
    assert "p =" not in sentences(few, OLD)
    assert sentences(standing("new", 0.4, "equal"), OLD).endswith("compared with old: equal on every query.")
    assert "not tested" in sentences(standing("new", 0.0, "no values"), OLD)
    assert sentences(standing("new", 0.46, None), baseline=None) == (
        "new has AP 0.4600 on 100 queries. 95% interval 0.3000 to 0.5000; one system, so nothing is compared."
    )
    assert sentences({**OLD, "mean": None}) == "No query has a value of AP."
    long = sentences(standing("n" * 10_000, 0.46, "better"), OLD)
    assert len(long) < 400


def test_notes_on_queries() -> None:
    assert notes_on_queries([OLD], ["AP"]) == []
    (few,) = notes_on_queries([{**OLD, "queries": 24}], ["AP"])
    assert few.startswith("24 queries are few")
    (empty,) = notes_on_queries([standing(f"s{i}", 0.0, "no values") for i in range(5)], ["AP"])
    assert empty.startswith("AP of s0, s1, s2, ... or of the baseline is 0 or NULL")


@pytest.fixture(scope="module")
def uneven() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return runs of 20 queries, of which new lacks 3 and old another 2, and judgments that name one more query."""
    chance = random.Random(4)
    qrels = {f"q{i:02}": {f"d{j}": int(j < 2) for j in range(6)} for i in range(21)}
    new, old = (
        {query: {d: chance.random() + bonus * grade for d, grade in qrels[query].items()} for query in [*qrels][part]}
        for part, bonus in ((slice(3, 20), 0.3), (slice(0, 18), 0.0))
    )
    return {"old": old, "new": new}, qrels


@pytest.mark.slow
def test_each_number_names_its_own_queries(uneven: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """With missing='skip', the means are over other queries than their difference, which is that of `compare`."""
    runs, qrels = uneven
    made = ltr_sql.report(runs, ["nDCG@5", "RR"], qrels=qrels, missing="skip", lists=0)
    with pytest.warns(ltr_sql.InputWarning, match="left out"):
        (row,) = ltr_sql.compare(runs, ["nDCG@5"], qrels=qrels, missing="skip", check=False, details=True).to_dict(
            "records"
        )
    (new,) = (r for r in made.data["standings"] if (r["measure"], r["system"]) == ("nDCG@5", "new"))
    assert (new["queries"], new["common_queries"], new["only_baseline"], new["only_system"]) == (17, 15, 3, 2)
    assert new["difference"] == close(-row["difference"] if row["system_b"] == "old" else row["difference"])
    text = made.markdown.replace("\N{MINUS SIGN}", "-")
    assert f"new has the highest nDCG@5: {new['mean']:.4f} on 17 queries, " in text
    assert f"{new['difference']:+.4f} (" in text
    assert ") compared with old on the 15 queries that both have: " in text
    assert f"of {new['common_queries']} queries." in text
    assert "nDCG@5 and RR: new has 15 queries in common with the baseline, 2 of its own, and lacks 3." in text
    for cell in (f"**{new['mean']:.4f}** (n = 17)", f"{new['difference']:+.4f} (n = 15)"):
        assert cell in text
    assert "judged queries are not in the run: they are left out" in text
    assert "missing='skip'" not in text, "the caller passed it"
    assert "n = 17" in made.html and "n = 15" in made.html
    assert "Means over 17 to 18 queries" in made.latex and "on 15 common queries" in made.latex
    # With equal queries, one number is enough.
    zero = ltr_sql.report(runs, ["nDCG@5", "RR"], qrels=qrels, lists=0)
    assert "(n = " not in zero.markdown and "that both have" not in zero.markdown
    assert "or missing='skip' to leave them out" in zero.markdown


@pytest.mark.slow
def test_equal_differences_have_a_report() -> None:
    """The t test has no p for them, so the sign test decides."""
    for queries, outcome in ((6, "better"), (5, "undecided"), (3, "too few queries")):
        qrels = {f"q{i}": {"x": 1, "y": 0} for i in range(queries)}
        runs = {s: {q: {"x": first, "y": 1 - first} for q in qrels} for s, first in (("old", 0.2), ("new", 0.7))}
        made = ltr_sql.report(runs, ["RR"], qrels=qrels)
        new = made.data["standings"][0]
        assert (new["system"], new["verdict"], new["p_adjusted"]) == ("new", outcome, None)
        assert ("so the t test has no p" in made.markdown) == (outcome != "too few queries")
        assert "+0.5000" in made.html and made.latex and made.json


@pytest.mark.slow
def test_a_key_of_the_run_that_repeats_queries_is_refused() -> None:
    runs, qrels = made_runs(0.0, 0.1)
    weeks = [run.assign(system=name, week=week) for name, run in runs.items() for week in ("w1", "w2")]
    message = r"system s0 has several of query \S+, one for each week: if week divides the queries, make it a column of"
    with pytest.raises(InputError, match=message):
        ltr_sql.report(pd.concat(weeks), ["nDCG@5"], qrels=qrels, keys=["week"])


@pytest.mark.slow
def test_a_key_of_the_runs_that_divides_the_queries_makes_segments() -> None:
    runs, qrels = made_runs(0.0, 0.1)
    judged = qrels.assign(country=["DE" if str(query)[-1] in "02468" else "FR" for query in qrels["query_id"]])
    countries = judged[["query_id", "country"]].drop_duplicates()
    with_country = {name: run.merge(countries) for name, run in runs.items()}
    made, expected = (
        ltr_sql.report(given, ["nDCG@5"], qrels=of, keys=["country"], lists=0).data["segments"]
        for given, of in ((with_country, qrels), (runs, judged))
    )
    assert [segment["keys"] for segment in made] == [segment["keys"] for segment in expected]
    assert {segment["keys"]["country"] for segment in made} == {"DE", "FR"}
    for segment, other in zip(made, expected, strict=True):
        found, by_judgments = (pd.DataFrame(of["standings"]) for of in (segment, other))
        pd.testing.assert_frame_equal(found, by_judgments, rtol=1e-12)


def test_a_segment_without_a_name_is_a_segment() -> None:
    runs, qrels = made_runs(0.0, 0.3)
    number = qrels["query_id"].str[1:].astype(int)
    countries: list[Any] = [(None, "None", "DE")[n % 3] for n in number]
    judged = qrels.assign(country=countries)
    report = ltr_sql.report(runs, ["nDCG@5"], qrels=judged, keys=["country"], lists=0)
    means = ltr_sql.evaluate(runs, ["nDCG@5"], qrels=judged, keys=["country"])
    expected = {
        (None if pd.isna(country) else country, system): (queries, mean)
        for system, country, queries, mean in means.itertuples(index=False)
    }
    found = {
        (segment["keys"]["country"], record["system"]): (record["queries"], record["mean"])
        for segment in report.data["segments"]
        for record in segment["standings"]
    }
    assert found == {key: (queries, pytest.approx(mean, abs=1e-12)) for key, (queries, mean) in expected.items()}
    shown = of_page(report.data)
    assert sorted(segment["label"] for segment in shown["segments"]) == ["country DE", "country None", "no country"]
    (key,) = shown["keys"]
    assert key["values"] == ["DE", "None", "no country"]
    labels = {segment["at"][0]: segment["label"] for segment in shown["segments"]}
    names = [labels[number] for number in key["of"]]
    queries = [report.data["queries"][n]["keys"]["country"] for n in range(len(names))]
    assert names == ["no country" if country is None else f"country {country}" for country in queries]
    assert "no country" in report.markdown and "no country" in report.html


@pytest.mark.slow
def test_lower_is_better() -> None:
    runs, qrels = made_runs(0.0, 1.0)
    data = ltr_sql.report(runs, ["CoverageError"], qrels=qrels, lists=0, check=False).data
    best = data["standings"][0]
    assert (best["system"], best["verdict"]) == ("s1", "better")
    assert best["difference"] < 0
    assert data["verdict"]["claim"].startswith("s1 has the lowest CoverageError")


@pytest.mark.slow
def test_unfair_comparisons_are_noted() -> None:
    runs, qrels = made_runs(0.0, 0.1)
    runs["s1"] = runs["s1"].groupby("query_id").head(4)
    runs["s2"] = runs["s0"].groupby("query_id").head(6)
    for measures, deeper in (
        (["AP", "P@4", "RR@5"], "AP, RR@5 favour"),
        (["P@4"], None),
        (["nDCG@5"], "nDCG@5 favours"),
    ):
        notes = ltr_sql.report(runs, measures, qrels=qrels, lists=0, check=False).data["notes"]
        found = f"s1, s2 have at most 4 to 6 documents per query, the deepest run 12: {deeper} deeper runs"
        assert (found in notes) == (deeper is not None)
        assert not any("documents per query" in note and note != found for note in notes)


@pytest.mark.slow
def test_shallow_runs_and_the_means_that_read_deeper_are_marked() -> None:
    runs, qrels = made_runs(0.0, 0.1)
    runs["s1"] = runs["s1"].groupby("query_id").head(4)
    page = ltr_sql.report(runs, ["AP", "P@4", "P@5"], qrels=qrels, lists=0, check=False).html
    (row,) = re.findall(r'<tr>\s*<th scope="row"><bdi class="name" title="s1">.*?</tr>', page, re.DOTALL)[:1]
    assert "⚠ 4 documents<br>a query" in row
    means = [cell for cell in row.split("<td")[1:] if "data-value" in cell and "interval" in cell and "⚠" in cell]
    assert len(means) == 2
    assert page.count("⚠ 4 documents") == 1


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.325, 0.499, [0.3, 0.35, 0.4, 0.45, 0.5]),
        (0, 1, [0, 0.5, 1]),
        (0.5, 0.5, [0.4, 0.6]),
        (0, 0, [0, 0.5]),
        (12, 1000, [0, 500, 1000]),
        (-0.1, 0.2, [-0.1, 0, 0.1, 0.2]),
        # As doubles, 0.6 / 0.2 is slightly less than 3.
        (0.6, 1.4, [0.6, 0.8, 1, 1.2, 1.4]),
        (1, 1 + 1e-15, [1, 1.5]),
    ],
)
def test_the_axis_of_intervals_has_round_numbers(low: float, high: float, ticks: list[float]) -> None:
    assert ticks_of(low, high) == close(ticks)


def test_the_axis_of_tiny_intervals_has_severalticks_of() -> None:
    assert ticks_of(0, 1e-14) == [0, 5e-15, 1e-14]


# The page


class Balanced(HTMLParser):
    """Parser that fails on unbalanced elements, and collects text, ids and names of controls."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        assert "style" not in named, "the policy refuses style attributes"
        assert not any(name.startswith("on") for name in named)
        self.ids += [str(named["id"])] if "id" in named else []
        self.links += [str(named[name]) for name in ("href", "src") if name in named]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.texts.append(data)


def parsed(page: str) -> Balanced:
    parser = Balanced()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    assert len(set(parser.ids)) == len(parser.ids)
    assert all(link.startswith("#") and link[1:] in parser.ids for link in parser.links)
    return parser


def test_the_page_holds_the_tables_without_a_script(made: dict[str, Any]) -> None:
    page = made["report"].html
    text = re.sub(r"\s+", " ", " ".join(parsed(page).texts))
    assert made["data"]["verdict"]["plain"] in text
    for segment in ({"standings": made["data"]["standings"]}, *made["data"]["segments"]):
        for record in segment["standings"]:
            assert f"{record['mean']:.4f}" in text
            if record["verdict"] is not None:
                assert f"{record['difference']:+.4f}".replace("-", "\N{MINUS SIGN}") in text
    assert "segment head" in text
    assert "Normalised discounted cumulative gain" in text


@pytest.mark.default("2-False")
@pytest.mark.parametrize(("systems", "corrected"), [(2, False), (3, True)])
def test_the_page_says_that_intervals_are_corrected_only_if_they_are(systems: int, corrected: bool) -> None:
    qrels = {f"q{i}": {"x": 1} for i in range(6)}
    runs = {f"s{n}": {q: {"x": 1.0, "y": float(i % (n + 2))} for i, q in enumerate(qrels)} for n in range(systems)}
    page = ltr_sql.report(runs, ["RR"], qrels=qrels, lists=0, check=False).html
    assert ("as are the intervals of differences" in page) == corrected
    assert f"if and only if the {'corrected ' * corrected}p of the t test is at most 0.05" in page


def test_the_page_makes_no_request(made: dict[str, Any]) -> None:
    page = html.unescape(made["report"].html)
    assert "default-src 'none'; style-src 'sha256-" in page
    for word in ("http:", "https:", "url(", "@import", "fetch(", "XMLHttpRequest", "innerHTML", "eval("):
        assert word not in page.replace("http://www.w3.org/2000/svg", ""), word


def test_hostile_ids_are_text(tmp_path: Path) -> None:
    runs = {
        name: {query: {doc: float(i * j + 1) for j, doc in enumerate(HOSTILE)} for i, query in enumerate(HOSTILE)}
        for name in HOSTILE[:3]
    }
    qrels = {query: {doc: i % 3 for i, doc in enumerate(HOSTILE)} for query in HOSTILE}
    given = dict.fromkeys(HOSTILE, HOSTILE[0])
    report = ltr_sql.report(
        runs, ["nDCG@5"], qrels=qrels, queries=given, documents=given, title=HOSTILE[0], check=False
    )
    page = report.html
    parser = parsed(page)
    assert HOSTILE[0] in "".join(parser.texts)
    assert page.count("<script") == 2
    assert page.count("</script") == 2
    assert "<!--" not in page
    payload = json.loads(page.split('id="payload">')[1].split("</script>")[0])
    assert payload["systems"] == HOSTILE[:3]
    assert set(payload["queries"]) == set(HOSTILE)
    assert "<script" not in report.markdown.replace("\\<", "")
    assert report.save(tmp_path / "hostile.html").read_text(encoding="utf-8") == page


@pytest.mark.slow
def test_hostile_segments_and_measures_are_text() -> None:
    judged = pd.DataFrame({"query_id": HOSTILE, "doc_id": "d", "relevance": 1, HOSTILE[0]: HOSTILE})
    run = {query: {"d": 1.0} for query in HOSTILE}
    runs = {"a": run, "b": run}
    report = ltr_sql.report(runs, ["nDCG@5"], qrels=judged, keys=[HOSTILE[0]], lists=0, check=False)
    text = json.dumps(report.data)
    for name in HOSTILE:
        data = json.loads(text.replace('"nDCG@5"', json.dumps(name)))
        page = ltr_sql.Report(data).html
        parser = parsed(page)
        assert [page.count(word) for word in ("<script", "</script", "<!--")] == [2, 2, 0]
        assert name in parser.texts
        assert f"{HOSTILE[0]} {name}: 1 query" in "".join(parser.texts)
        payload = json.loads(page.split('id="payload">')[1].split("</script>")[0])
        assert payload["measures"][0]["name"] == name
        assert f"{HOSTILE[0]} {name}" in [segment["label"] for segment in payload["segments"]]


@pytest.mark.slow
def test_lone_surrogates_are_written(tmp_path: Path) -> None:
    report = ltr_sql.report(RUNS, ["AP"], qrels=QRELS, lists=0, check=False, title="\ud800")
    assert report.save(tmp_path / "page.html").is_file()


# Shapes of input


def test_a_single_run_is_named_by_its_file() -> None:
    report = ltr_sql.report(EXAMPLE_DATA / "bm25.txt", ["nDCG@5"], qrels=QRELS, lists=3, check=False)
    assert (report.data["systems"], report.data["baseline"]) == (["bm25"], None)
    assert report.data["changes"]["queries"][0]["a"] == min(c["a"] for c in report.data["changes"]["queries"])
    assert "Two systems" not in report.html
    parsed(report.html)


@pytest.mark.slow
def test_a_scored_table_with_segments_is_a_single_system() -> None:
    runs, qrels = made_runs(0.2)
    scored = runs["s0"].merge(qrels, on=["query_id", "doc_id"])
    data = ltr_sql.report(scored, ["nDCG@5"], keys=["segment"], check=False).data
    assert data["standings"][0]["mean"] == close(ltr_sql.evaluate(scored, ["nDCG@5"])["nDCG@5"][0])
    assert [s["keys"] for s in data["segments"]] == [{"segment": "tail"}, {"segment": "head"}]


@pytest.mark.slow
def test_a_table_with_a_column_system_holds_several() -> None:
    runs, qrels = made_runs(0.0, 0.4)
    table = pd.concat([run.assign(system=name) for name, run in runs.items()])
    data = ltr_sql.report(table, ["AP"], qrels=qrels, baseline="s1", lists=2).data
    means = ltr_sql.evaluate(runs, ["AP"], qrels=qrels)["AP"]
    assert (data["systems"], data["baseline"]) == (["s0", "s1"], "s1")
    assert sorted(r["mean"] for r in data["standings"]) == close(sorted(means))


@pytest.mark.slow
def test_rankings_without_ids_of_documents() -> None:
    rows = [("q1", 1, 1), ("q1", 2, 0), ("q2", 1, 0), ("q2", 2, 2)]
    table = pd.DataFrame(rows, columns=["query_id", "rank", "relevance"])
    listed = ltr_sql.report(table, ["nDCG@5"]).data["lists"]["queries"]["q2"]["systems"]["run"]
    assert (listed["documents"], listed["grades"]) == ([None, None], [0, 2])


@pytest.mark.slow
def test_expected_ties_and_conventions() -> None:
    runs, qrels = made_runs(0.0, 0.3)
    all_options: list[dict[str, Any]] = [{"ties": "expected"}, {"convention": "lightgbm"}, {"missing": "skip"}]
    for options in all_options:
        data = ltr_sql.report(runs, ["nDCG@5"], qrels=qrels, lists=2, **options).data
        means = ltr_sql.evaluate(runs, ["nDCG@5"], qrels=qrels, **options).set_index("system")["nDCG@5"]
        found = {record["system"]: record["mean"] for record in data["standings"]}
        assert found == close(means.to_dict())
        assert (data["curves"] == []) == ("ties" in options)


@pytest.mark.default("csv")
@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "txt"])
def test_texts_come_from_files(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"topics.{suffix}"
    texts = {"q1": 'the "first" query', "q2": "second, with a comma", "unknown": "not shown"}
    frame = pd.DataFrame({"query_id": texts.keys(), "text": texts.values()})
    if suffix == "csv":
        frame.to_csv(path, index=False)
    elif suffix == "jsonl":
        frame.rename(columns={"query_id": "_id"}).to_json(path, orient="records", lines=True)
    elif suffix == "parquet":
        frame.to_parquet(path)
    else:
        path.write_text("".join(f"{name}\t{text}\n" for name, text in texts.items()), encoding="utf-8")
    data = ltr_sql.report(RUNS, ["AP"], qrels=QRELS, queries=path, lists=0, check=False).data
    assert data["query_texts"] == {name: text for name, text in texts.items() if name != "unknown"}


@pytest.mark.slow
def test_measures_beyond_accuracy_are_shown() -> None:
    documents = pd.DataFrame({"doc_id": [*range(10)], "category": list("uvwuv") * 2, "text": "a text"})
    rows = [(f"q{q}", q * i % 10, i) for q in range(1, 8) for i in (1, 2, 3) if q * i % 10 != q * (i - 1) % 10]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "rank"]).drop_duplicates(["query_id", "doc_id"])
    runs = {"all": run, "few": run[run["rank"] < 3]}
    measures = ["nDCG@3", "ILD@3", "Gini@3", "Coverage@3"]
    tables: dict[str, Any] = {"qrels": run[run["rank"] == 2][["query_id", "doc_id"]], "documents": documents}
    made = ltr_sql.report(runs, measures, check=False, **tables)
    values = ltr_sql.evaluate(runs, measures, check=False, **tables).set_index("system")
    assert [m["name"] for m in made.data["measures"]] == measures[:2]
    assert [m["name"] for m in made.data["of_runs"]] == measures[2:]
    for measure in made.data["of_runs"]:
        for found in measure["systems"]:
            assert found["value"] == values.loc[found["system"], measure["name"]]
    baseline, other = made.data["of_runs"][0]["systems"]
    assert (baseline["difference"], other["difference"]) == (None, other["value"] - baseline["value"])
    assert other["low"] < other["difference"] < other["high"]
    (ild, _) = (r for r in made.data["standings"] if r["measure"] == "ILD@3")
    assert ild["mean"] == pytest.approx(values.loc[ild["system"], "ILD@3"], abs=1e-12)
    assert {*made.data["lists"]["texts"].values()} == {"a text"}
    for text in (made.html, made.markdown):
        assert "Coverage@3" in text
        assert f"{other['value']:.4f}" in text
    assert made.data["about"]["sql"].count("\n;\n") == 1
    without = {**tables, "documents": documents.drop(columns="text")}
    assert ltr_sql.report(run, measures, check=False, **without).data["of_runs"][0]["systems"][0]["low"] is None
    with pytest.raises(ltr_sql.InputError, match="'Gini@3' has one value for a run"):
        ltr_sql.report(runs, ["Gini@3"], **tables)


@pytest.mark.slow
def test_texts_of_documents_are_read_for_the_lists(tmp_path: Path) -> None:
    texts = {"d104": "a text", "nowhere": "not shown"}
    assert ltr_sql.report(RUNS, ["AP"], qrels=QRELS, documents=texts).data["lists"]["texts"] == {"d104": "a text"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "other"}, "the baseline 'other' is not a system: the systems are bm25, dense"),
        ({"lists": -1}, "lists must be an integer from 0 to 1,000, got -1"),
        ({"depth": 0}, "depth must be an integer from 1 to 100, got 0"),
        ({"depth": True}, "depth must be an integer from 1 to 100, got True"),
        ({"keys": "segment"}, "keys must be a list of column names"),
        ({"test": "z"}, "test must be"),
        ({"queries": pd.DataFrame({"id": [1]})}, "the texts of queries have no column of texts"),
        ({"queries": pd.DataFrame({"text": ["a"]})}, "the texts of queries have no column of ids"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ltr_sql.InputError, match=message):
        ltr_sql.report(RUNS, ["AP"], qrels=QRELS, **{"lists": 0, "check": False, **options})


def test_agreement_is_refused() -> None:
    with pytest.raises(ltr_sql.InputError, match="'RBO' compares two rankings"):
        ltr_sql.report(RUNS, ["RBO"], qrels=QRELS)


def test_missed_documents_are_listed_with_their_ranks(made: dict[str, Any]) -> None:
    lists, qrels, runs = made["data"]["lists"], made["qrels"], made["runs"]
    for query, found in lists["queries"].items():
        judged = qrels[(qrels["query_id"] == query) & (qrels["relevance"] > 0)]
        ranks: dict[str, list[int | None]] = {doc: [] for doc in judged["doc_id"]}
        for system in lists["systems"]:
            own = runs[system][runs[system]["query_id"] == query].sort_values(["score", "doc_id"], ascending=False)
            order = [*own["doc_id"]]
            for doc, of in ranks.items():
                of.append(order.index(doc) + 1 if doc in order else None)
        missed = found.get(
            "missed", {"documents": [], "ranks": [], "grades": [], "counts": [0] * len(lists["systems"])}
        )
        expected = {doc: of for doc, of in ranks.items() if any(rank is None or rank > 3 for rank in of)}
        assert dict(zip(missed["documents"], missed["ranks"], strict=True)) == expected
        assert missed["grades"] == sorted(missed["grades"], reverse=True)
        counts = [sum(rank is None or rank > 3 for rank in column) for column in zip(*ranks.values(), strict=True)]
        assert missed["counts"] == counts


def test_a_query_without_results_lists_what_it_missed() -> None:
    runs = {"a": {"q1": {"d1": 1.0}, "q2": {"x": 1.0}}, "b": {"q1": {"d1": 1.0}}}
    many = [f"d{i:02}" for i in range(17)]
    qrels = {"q1": {"d1": 1}, "q2": {"d2": 2}, "q3": {"d3": 1}, "q4": dict.fromkeys(many, 1)}
    queries = ltr_sql.report(runs, ["RR"], qrels=qrels, check=False).data["lists"]["queries"]
    assert queries["q2"]["missed"] == {"documents": ["d2"], "grades": [2], "ranks": [[None, None]], "counts": [1, 1]}
    assert (queries["q3"]["systems"], queries["q3"]["missed"]["documents"]) == ({}, ["d3"])
    assert "missed" not in queries["q1"]
    # The first 15 are named, and all are counted.
    assert (queries["q4"]["missed"]["documents"], queries["q4"]["missed"]["counts"]) == (many[:15], [17, 17])


def test_intervals_are_cut_at_the_range_and_marked() -> None:
    runs = {"a": {f"q{i}": {"d": 1.0, "e": float(i < 3) * 2} for i in range(8)}}
    page = ltr_sql.report(runs["a"], ["RR", "NumRet"], qrels={f"q{i}": {"d": 1} for i in range(8)}, check=False)
    record = page.data["standings"][0]
    assert record["high"] > 1
    one, other = _boards(page.data)[0]["rows"][0]["cells"]
    assert (one["interval"], other["interval"][2]) == ((record["low"], 1, True), False)
    assert "\N{DAGGER}" in page.html
    assert page.data["verdict"]["evidence"].startswith(f"95% interval {record['low']:.4f} to 1.0000\N{DAGGER};")


def test_intervals_of_differences_are_cut_and_marked() -> None:
    runs = {"a": {f"q{i}": {"d": 1.0, "e": float(i == 2) * 2} for i in range(3)}}
    runs["b"] = {f"q{i}": {"d": 1.0, "e": float(i < 2) * 2} for i in range(3)}
    report = ltr_sql.report(runs, ["RR"], qrels={f"q{i}": {"d": 1} for i in range(3)}, check=False)
    record = report.data["standings"][1]
    assert record["difference_low"] < -1
    (pair,) = of_page(report.data)["pairs"][0][0][1:]
    assert pair is not None
    assert (pair[2], pair[3], pair[-1]) == (-1, 1, True)
    shown = "\N{MINUS SIGN}1.0000 to +1.0000\N{DAGGER}"
    assert shown in report.html
    assert f"95% interval {shown}" in report.markdown
    assert report.markdown.endswith("\N{DAGGER} cut at the range of the measure\n")
    limits = "3 queries are too few to find any possible difference of RR four times out of five."
    assert power_of(report.data["standings"], "b") == limits


def test_segments_are_sorted_from_the_worst_with_the_total(made: dict[str, Any]) -> None:
    forest = _forest(made["data"])
    assert forest is not None
    values = [row["value"] for row in forest["rows"]]
    assert values[:-1] == sorted(values[:-1])
    assert [row["label"] for row in forest["rows"]][-1] == "all queries"
    total = next(r for r in made["data"]["standings"] if r["system"] == forest["system"])
    assert (values[-1], forest["rows"][-1]["n"]) == (total["difference"], QUERIES)
    assert _forest({**made["data"], "segments": []}) is None


@pytest.mark.slow
def test_the_trend_of_a_report_equals_trend() -> None:
    runs, qrels = made_runs(0.0, 0.3)
    judged = qrels.drop(columns="segment")
    table = pd.concat([run.assign(system=name, week=week) for name, run in runs.items() for week in (1, 2, 4)])
    made = ltr_sql.report(table, ["nDCG@5"], qrels=judged, trend="week", lists=2, check=False)
    trend = made.data["trend"]
    expected = ltr_sql.trend(table, ["nDCG@5"], qrels=judged, keys=["system"], check=False)
    assert (trend["by"], trend["periods"], len(trend["rows"])) == ("week", ["1", "2", "4"], len(expected))
    for row, (_, wanted) in zip(trend["rows"], expected.iterrows(), strict=True):
        assert (row["system"], row["period"], row["queries"]) == (
            wanted["system"],
            str(wanted["week"]),
            wanted["queries"],
        )
        assert [row["mean"], row["low"], row["high"]] == close([wanted["mean"], wanted["low"], wanted["high"]])
    assert [row["gap"] for row in trend["rows"][:3]] == [None, False, True]
    last = table[table["week"] == 4].drop(columns="week")
    alone = ltr_sql.report(last, ["nDCG@5"], qrels=judged, lists=2, check=False)
    standings, wanted_standings = (pd.DataFrame(of.data["standings"]) for of in (made, alone))
    pd.testing.assert_frame_equal(standings, wanted_standings, rtol=1e-12)
    with pytest.raises(InputError, match="trend names 'month', which is not a column of the rankings"):
        ltr_sql.report(table, ["nDCG@5"], qrels=judged, trend="month")


@pytest.mark.slow
def test_a_page_with_texts_is_small() -> None:
    """One file of at most 250 KB for 3 systems and 250 queries, with texts of queries and documents."""
    source = random.Random(1)
    words = [
        "red",
        "green",
        "running",
        "shoes",
        "wet",
        "trail",
        "light",
        "boots",
        "jacket",
        "winter",
        "summer",
        "men",
        "women",
        "kids",
        "lamp",
        "table",
        "chair",
    ]
    rows = [(f"q{q}", f"q{q}-d{d}", source.choice([0, 0, 1, 2, 3])) for q in range(250) for d in range(30)]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
    runs = {
        name: qrels[["query_id", "doc_id"]].assign(score=[source.random() + shift * grade for *_, grade in rows])
        for name, shift in (("a", 0.1), ("b", 0.2), ("c", 0.15))
    }
    texts = {doc: " ".join(source.choices(words, k=14)) for _, doc, _ in rows}
    queries = {f"q{q}": " ".join(source.choices(words, k=3)) for q in range(250)}
    report = ltr_sql.report(runs, qrels=qrels, queries=queries, documents=texts, check=False)
    assert len(report.html.encode()) <= 250_000


# Formats


def example() -> dict[str, Any]:
    return ltr_sql.report(RUNS, MEASURES, qrels=QRELS, lists=2, depth=3, command="ltr-sql report").data


def as_golden(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data without what depends on time and versions; values per query are unpacked."""
    values = [
        {**entry, "bytes": [[*of.values()] for of in [unpacked(entry, len(data["queries"]))]]}
        for entry in data["values"]
    ]
    about = {name: value for name, value in data["about"].items() if name not in ("versions", "made", "sql", "bibtex")}
    found: dict[str, Any] = json.loads(json.dumps({**data, "values": values, "about": about}))
    return found


@pytest.mark.slow
def test_the_data_is_golden() -> None:
    assert_close(as_golden(example()), json.loads(EXPECTED.read_text(encoding="utf-8")))


def assert_close(found: Any, expected: Any, where: str = "data") -> None:
    """Assert that two JSON values are equal, and their numbers to 1e-12."""
    if isinstance(expected, dict):
        assert list(found) == list(expected), where
        for name, value in expected.items():
            assert_close(found[name], value, f"{where}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for i, value in enumerate(expected):
            assert_close(found[i], value, f"{where}[{i}]")
    elif isinstance(expected, float):
        assert found == close(expected), where
    else:
        assert found == expected, where


def test_the_frame_of_a_notebook_is_closed(made: dict[str, Any]) -> None:
    frame = made["report"]._repr_html_()
    found = re.fullmatch(r'<iframe title="[^"]*" sandbox="allow-scripts" srcdoc="([^"]*)" [^<>]*></iframe>', frame)
    assert found
    lines = repr(made["report"]).splitlines()
    assert max(map(len, lines)) <= 80
    assert " ".join(lines) == f"{made['data']['title']} {made['data']['verdict']['claim']}"


def test_markdown_and_latex_hold_the_means(made: dict[str, Any]) -> None:
    for text in (made["report"].markdown, made["report"].latex):
        for record in made["data"]["standings"]:
            assert f"{record['mean']:.4f}" in text


def test_a_latex_table_of_one_system(tmp_path: Path) -> None:
    # Names of files are as hostile as ids.
    run = tmp_path / "a_b & <script>alert('1')<script>.csv"
    run.write_text("query_id,doc_id,score\nq1,d1,2\nq1,d2,1\n", encoding="utf-8")
    report = ltr_sql.report(run, ["RR", "P@2"], qrels={"q1": {"d2": 1}}, lists=0, check=False)
    table = report.latex
    assert "Means over 1 queries" not in table
    assert "Means over 1 query." in table
    assert "System & RR & P@2 \\\\" in table
    name = r"a\_b \& \textless{}script\textgreater{}alert('1')\textless{}script\textgreater{}"
    assert rf"    {name} & 0.5000 & 0.5000 \\" in table
    parsed(report.html)
    assert report.html.count("<script") == 2


def command(*words: str | Path) -> Any:
    return CliRunner().invoke(main, ["report", str(QRELS), *map(str, words)])


@pytest.mark.slow
def test_the_command_writes_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = command(*RUNS.values(), "-o", page, "-m", "AP", "--baseline", RUNS["dense"], "--lists", "2", "--no-check")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "compared with dense" in result.stderr
    text = page.read_text(encoding="utf-8")
    parsed(text)
    assert "--baseline dense.txt" in text
    assert "--no-check --lists 2" in text
    assert str(tmp_path) not in text
    assert "ltr-sql report -o page.html" in text
    # What to do is said in the words of the command.
    assert "ties=" not in text.partition("<main>")[2].partition("SQL of the measures")[0]


def test_the_command_of_a_report_keeps_a_folder_where_base_names_are_equal(tmp_path: Path) -> None:
    files = [tmp_path / name / "run.txt" for name in ("old", "new")]
    for file in files:
        file.parent.mkdir()
        file.write_text("", encoding="utf-8")
    page = str(tmp_path / "page.html")
    words = ["ltr-sql", "-o", page, *map(str, files), "-m", "nDCG@5", "--baseline", str(files[0]), page]
    expected = "ltr-sql -o page.html old/run.txt new/run.txt -m nDCG@5 --baseline old/run.txt page.html"
    assert _without_folders(words) == expected.split()


@pytest.mark.slow
def test_the_command_prints_other_formats() -> None:
    made_json = command(*RUNS.values(), "-m", "AP", "--format", "json", "--lists", "0")
    data = json.loads(made_json.stdout)
    assert [entry["name"] for entry in data["about"]["files"]] == ["qrels.txt", "bm25.txt", "dense.txt"]
    assert all(re.fullmatch("[0-9a-f]{64}", entry["sha256"]) for entry in data["about"]["files"])
    assert command(*RUNS.values(), "-m", "AP", "--format", "latex").stdout.count("\\\\") == 3
    assert command(*RUNS.values(), "-m", "AP", "--format", "markdown").stdout.startswith(
        "# dense and bm25: undecided in AP"
    )


@pytest.mark.slow
def test_a_baseline_that_is_another_file_joins_the_runs() -> None:
    made_json = command(RUNS["bm25"], "--baseline", RUNS["dense"], "-m", "AP", "--format", "json", "--lists", "0")
    assert json.loads(made_json.stdout)["baseline"] == "dense"
    failed = command(RUNS["bm25"], "--baseline", "nowhere", "-m", "AP")
    assert "is neither a run nor a file" in failed.stderr


if __name__ == "__main__":
    # Write the golden data again. Review the difference.
    EXPECTED.write_text(f"{json.dumps(as_golden(example()), indent=1)}\n", encoding="utf-8")


@pytest.mark.slow
def test_equal_differences_on_every_query() -> None:
    first = {f"q{i}": {"d": 2.0, "e": 1.0} for i in range(8)}
    second = {f"q{i}": {"d": 1.0, "e": 2.0} for i in range(8)}
    mixed = {f"q{i}": {"d": float(i % 2), "e": 0.5} for i in range(8)}
    qrels = {f"q{i}": {"d": 1} for i in range(8)}
    for runs in ({"a": first, "b": second}, {"a": first, "b": second, "c": mixed}):
        report = ltr_sql.report(runs, ["RR", "P@1"], qrels=qrels, check=False)
        for text in (report.html, report.json, report.markdown, report.latex):
            assert "None" not in text.partition("<script")[0]
    evidence = ltr_sql.report({"a": first, "b": second}, ["RR"], qrels=qrels, check=False).data["verdict"]["evidence"]
    assert evidence.startswith(
        "The difference is \N{MINUS SIGN}0.5000 on every query, so the t test has no p, and the sign test decides. b is"
    )


@pytest.fixture(scope="module")
def shop() -> ltr_sql.Report:
    """Return the report of the example data, in which one measure is decided and another is not."""
    runs = {name: DEMO / f"{name}.csv" for name in ("old", "new")}
    return ltr_sql.report(runs, ["nDCG@10", "RR"], qrels=DEMO / "qrels.csv", keys=["segment"], check=False)


def test_the_first_screen_has_intervals_bars_and_numbers_without_a_script(shop: ltr_sql.Report) -> None:
    page, data = shop.html, shop.data
    head = page.partition("<main>")[0]
    assert head.count('class="whisker"') == sum(v["difference_low"] is not None for v in data["verdicts"]) > 0
    for v in data["verdicts"]:
        assert re.search(rf"[▲▼○] {v['verdict']}</b>", head)
    found = charts.differences_of(data)
    first = data["verdicts"][0]
    assert len(found) == first_standing(data)["common_queries"]
    assert sum(found) / len(found) == pytest.approx(first["difference"], abs=1e-4)
    (bars,) = re.findall('<div id="differences">(.*?)</div>', page, re.DOTALL)
    # Each query with a difference has a bar.
    assert bars.count("V") - 1 == sum(d != 0 for d in found)
    of_charts = charts_of(data["curves"])
    for number in range(len(of_charts)):
        (drawn,) = re.findall(f'<div id="curve-{number}">(<svg.*?)</div>', page, re.DOTALL)
        # Both systems of the verdict have bands of their intervals.
        assert [drawn.count(f'class="band {kind}"') for kind in "ab"] == [1, 1]
    won, lost, power, segment = numbers_of(data)
    assert float(power.value) == close(float(f"{first_standing(data)['mde']:.2g}"))
    assert segment.meaning == "worst segment: model"
    standing = first_standing(data)
    assert won.value == f"{standing['wins']} : {standing['losses']}"
    assert lost.query == data["changes"]["lost"][0]["query_id"]


def first_standing(data: dict[str, Any]) -> dict[str, Any]:
    """Return the standing of the system of the verdict on the first measure."""
    first = data["verdicts"][0]
    return next(r for r in data["standings"] if (r["measure"], r["system"]) == (first["measure"], first["system"]))


def test_labels_of_an_axis_do_not_overlap() -> None:
    labels = [(float(x), str(x)) for x in range(100)]
    kept = charts._apart(labels, lambda x: 3 * x)
    assert kept[0][1] == "0"
    assert kept[-1][1] == "99"
    assert all(3 * (y - x) >= 8 for (x, _), (y, _) in itertools.pairwise(kept))


def test_markdown_has_verdicts_with_intervals_the_worst_queries_and_the_power(shop: ltr_sql.Report) -> None:
    text, data = shop.markdown, shop.data
    for v in data["verdicts"]:
        row = next(line for line in text.splitlines() if line.startswith(f"| {v['measure']} |"))
        assert f"**{v['verdict']}**" in row
        assert f"{v['difference_low']:+.4f}".replace("-", "\N{MINUS SIGN}") in row
    assert "## Queries that lost most in nDCG@10" in text
    assert data["about"]["power"][:20] in text


def test_all_pairs_are_those_of_compare() -> None:
    runs, qrels = made_runs(0.0, 0.3, 0.1)
    report = ltr_sql.report(runs, ["nDCG@5", "RR"], qrels=qrels, lists=0, check=False)
    pairs, data = report.data["pairs"], report.data
    assert [(pair["system"], pair["other"]) for pair in pairs] == [("s1", "s2"), ("s1", "s0"), ("s2", "s0")]
    for row in ltr_sql.compare(runs, ["nDCG@5"], qrels=qrels, check=False).to_dict("records"):
        pair = next(p for p in pairs if {p["system"], p["other"]} == {row["system_a"], row["system_b"]})
        turn = 1 if pair["system"] == row["system_b"] else -1
        assert pair["p_adjusted"] == close(row["p_adjusted"])
        assert turn * pair["difference"] == close(row["difference"])
        ends = pair["difference_low"], pair["difference_high"]
        assert sorted(turn * end for end in ends) == close([row["low"], row["high"]])
        words = {"better": "worse", "worse": "better"} if turn < 0 else {}
        assert pair["verdict"] == words.get(row["verdict"], row["verdict"])
    # Each pair is on the page from both sides, with a sign and a word.
    matrix = report.html.partition('class="board matrix"')[2].partition("</table>")[0]
    for pair in pairs:
        assert signed(pair["difference"]) in matrix
        assert signed(-pair["difference"]) in matrix
    assert len(re.findall(". (better|worse|undecided|equal)</b>", matrix)) == 6
    # The best system beside the second is one of the pairs; with the baseline, the standings have it.
    assert data["runner_up"] == pairs[0]
    assert "s1 \N{MINUS SIGN} s2 is +" in data["verdict"]["evidence"]
    assert numbers_of(data)[-1].meaning == f"second, {pairs[0]['difference']:.4f} behind: worse"
    assert ltr_sql.report(runs, ["nDCG@5"], qrels=qrels, baseline="s2", check=False).data["runner_up"] is None


@pytest.mark.slow
def test_of_many_systems_the_baseline_and_the_best_others_are_paired() -> None:
    runs, qrels = made_runs(*(0.02 * number for number in range(14)))
    report = ltr_sql.report(runs, ["nDCG@5"], qrels=qrels, lists=0, check=False)
    paired = {pair[name] for pair in report.data["pairs"] for name in ("system", "other")}
    best = [r["system"] for r in report.data["standings"] if r["system"] != "s0"][:11]
    assert paired == {"s0", *best}
    assert len(report.data["pairs"]) == 66
    assert "The baseline and the 11 best other systems" in report.html


@pytest.mark.slow
def test_a_note_says_that_segments_are_left_out() -> None:
    runs, qrels = made_runs(0.0, 0.3)
    report = ltr_sql.report(runs, ["nDCG@5"], qrels=qrels.assign(segment=qrels["query_id"]), keys=["segment"], lists=0)
    assert "the 30 largest of 40 segments are shown" in report.data["notes"]
    read = of_page(report.data)
    assert [len(read["segments"]), read["keys"][0]["of"].count(-1)] == [30, 10]
