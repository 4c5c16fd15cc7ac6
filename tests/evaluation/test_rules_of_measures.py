"""Rules of single measures: a convention sets ties, missing queries or the scope of judgments for one measure.

The values are computed by hand. In the run, q1 ties its two documents, q2 is missing, and c is judged for q2 only.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner
from support.rules_of_measures import BEIR, QRELS, RUN, SECOND

import ltr_sql
from ltr_sql.catalogue.conventions import check_conventions, conventions
from ltr_sql.command_line.main import main
from ltr_sql.evaluation.conventions import compare_conventions

pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")

BY_QUERY = {
    "nDCG@2": [SECOND, None, SECOND],
    "MRR@2": [1, 0, 1 / 2],
    "Hole@3": [1 / 3, 0, 1 / 3],
}
# u2 is missing, and u3 has no relevant document.
RATED = {"u1": {"b": 3, "c": 1}, "u2": {"a": 1}, "u3": {"a": 0}}
SHOWN = {"u1": {"a": 3.0, "b": 2.0}, "u3": {"a": 1.0}}
RECOMMENDERS = {
    "nDCG@2": (SECOND / (1 + SECOND) + 0) / 2,
    "MAP@2": (1 / 2) / 2,
    "P@2": 1 / 2,
    "R@2": 1 / 2,
}


def frame(dicts: Mapping[str, Mapping[str, float]], value: str) -> pd.DataFrame:
    rows = [(query, doc, number) for query, docs in dicts.items() for doc, number in docs.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", value])


def of_dicts(measures: list[str], convention: str, run: Any, qrels: Any) -> Mapping[str, float]:
    return dict(ltr_sql.evaluate(run, measures, qrels=qrels, convention=convention).iloc[0])


def of_frames(measures: list[str], convention: str, run: Any, qrels: Any) -> Mapping[str, float]:
    return of_dicts(measures, convention, frame(run, "score"), frame(qrels, "relevance"))


def of_tables(measures: list[str], convention: str, run: Any, qrels: Any) -> Mapping[str, float]:
    con = duckdb.connect()
    ordered = frame(run, "score").assign(row_order=range(len(frame(run, "score"))))
    con.register("shown", ordered.sample(frac=1, random_state=0))
    con.register("judged", frame(qrels, "relevance"))
    return dict(ltr_sql.evaluate("shown", measures, qrels="judged", convention=convention, con=con).iloc[0])


def of_systems(measures: list[str], convention: str, run: Any, qrels: Any) -> Mapping[str, float]:
    runs = {"one": run, "two": {query: run[query] for query in list(run)[:1]}}
    return dict(ltr_sql.evaluate(runs, measures, qrels=qrels, convention=convention).iloc[0])


def of_segments(measures: list[str], convention: str, run: Any, qrels: Any) -> Mapping[str, float]:
    judgments = frame(qrels, "relevance").assign(segment="all")
    found = ltr_sql.evaluate(frame(run, "score"), measures, qrels=judgments, convention=convention, keys=["segment"])
    return dict(found.iloc[0])


def of_evaluator(measures: list[str], convention: str, run: Any, qrels: Any) -> Mapping[str, float]:
    evaluator = ltr_sql.Evaluator(measures, qrels, convention=convention)
    for _ in range(3):
        found = evaluator.evaluate(frame(run, "score"))
    return dict(found.iloc[0])


def of_weights(measures: list[str], convention: str, run: Any, qrels: Any) -> Mapping[str, float]:
    weights = dict.fromkeys({**run, **qrels}, 2.0)
    return dict(ltr_sql.evaluate(run, measures, qrels=qrels, convention=convention, weights=weights).iloc[0])


def of_single_calls(measures: list[str], convention: str, run: Any, qrels: Any) -> Mapping[str, float]:
    return {text: of_dicts([text], convention, run, qrels)[text] for text in measures}


def of_distribution(measures: list[str], convention: str, run: Any, qrels: Any) -> Mapping[str, float]:
    found = ltr_sql.distribution(run, measures, qrels=qrels, convention=convention)
    return dict(zip(found["measure"], found["mean"], strict=True))


def of_conventions(measures: list[str], convention: str, run: Any, qrels: Any) -> Mapping[str, Any]:
    found = compare_conventions(frame(run, "score"), frame(qrels, "relevance"), measures)
    return {text: next(value for name, value, _ in found[text] if name == convention) for text in measures}


WAYS: list[Callable[[list[str], str, Any, Any], Mapping[str, Any]]] = [
    of_dicts,
    of_frames,
    of_tables,
    of_systems,
    of_segments,
    of_evaluator,
    of_weights,
    of_single_calls,
    of_distribution,
    of_conventions,
]


@pytest.mark.default("of_frames")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_values_by_hand(way: Callable[[list[str], str, Any, Any], Mapping[str, Any]]) -> None:
    expected = {text: value for text, value in BEIR.items() if not (way is of_distribution and text == "GMAP")}
    found = way([*expected], "beir", RUN, QRELS)
    assert {text: found[text] for text in expected} == pytest.approx(expected, abs=1e-12)
    found = way([*RECOMMENDERS], "recommenders", SHOWN, RATED)
    assert {text: found[text] for text in RECOMMENDERS} == pytest.approx(RECOMMENDERS, abs=1e-12)


def test_values_by_query() -> None:
    found = ltr_sql.evaluate(RUN, [*BY_QUERY], qrels=QRELS, convention="beir", by_query=True)
    assert found["query_id"].tolist() == ["q1", "q2", "q3"]
    for text, expected in BY_QUERY.items():
        assert [None if pd.isna(v) else v for v in found[text]] == pytest.approx(expected, abs=1e-12)
    means = ltr_sql.evaluate(RUN, [*BY_QUERY], qrels=QRELS, convention="beir")
    assert means["queries"].tolist() == [3]


def test_an_evaluator_with_equal_documents() -> None:
    """An evaluator keeps the documents of runs without a warning, for measures with one rule."""
    judged = {query: docs for query, docs in QRELS.items() if query in RUN}
    evaluator = ltr_sql.Evaluator(["nDCG@2", "MRR@2"], judged, convention="beir")
    for _ in range(4):
        found = evaluator.evaluate(frame(RUN, "score"))[["nDCG@2", "MRR@2"]]
        assert found.iloc[0].tolist() == pytest.approx([SECOND, (1 + 1 / 2) / 2])


def test_explicit_arguments_replace_the_rules() -> None:
    def value(**given: Any) -> float:
        return float(ltr_sql.evaluate(RUN, ["nDCG@2", "MRR@2"], qrels=QRELS, convention="beir", **given)["MRR@2"][0])

    assert value() == pytest.approx(1 / 2)
    assert value(ties="docid_desc") == pytest.approx((1 / 2 + 0 + 1 / 2) / 3)
    assert value(missing="skip") == pytest.approx((1 + 1 / 2) / 2)


def test_warnings_name_the_measures_that_count_missing_queries() -> None:
    with pytest.warns(ltr_sql.InputWarning, match=r"they count as 0 in MRR@2, Hole@2, and other measures leave them"):
        ltr_sql.evaluate(RUN, ["nDCG@2", "MRR@2", "Hole@2"], qrels=QRELS, convention="beir")
    with pytest.warns(ltr_sql.InputWarning, match=r"they count as 0 \(1\)"):
        ltr_sql.evaluate(RUN, ["MRR@2"], qrels=QRELS, convention="beir")


def test_explanations_follow_the_rule_of_the_measure() -> None:
    found = ltr_sql.explain(RUN, "q1", "RR@2", qrels=QRELS, convention="beir")
    assert found["doc_id"].tolist()[:2] == ["a", "b"]
    assert found["running"].tolist()[-1] == 1
    found = ltr_sql.explain(RUN, "q1", "nDCG@2", qrels=QRELS, convention="beir")
    assert found["doc_id"].tolist()[:2] == ["b", "a"]
    assert ltr_sql.explain(RUN, "q2", "RR", qrels=QRELS, convention="beir")["running"].tolist() == [0]
    with pytest.raises(ltr_sql.InputError, match="query 'q2' is not in the rankings"):
        ltr_sql.explain(RUN, "q2", "nDCG", qrels=QRELS, convention="beir")


@pytest.mark.slow
def test_comparisons_and_reports() -> None:
    runs = {"one": RUN, "two": {"q1": {"b": 2.0, "a": 1.0}, "q3": {"d": 1.0}}}
    measures = ["MRR@2", "nDCG@2"]
    board = ltr_sql.leaderboard(runs, measures, qrels=QRELS, convention="beir")
    means = {(row.measure, row.system): row.mean for row in board.itertuples()}
    assert means == pytest.approx(
        {
            ("MRR@2", "one"): (1 + 0 + 1 / 2) / 3,
            ("MRR@2", "two"): (1 / 2 + 0 + 1) / 3,
            ("nDCG@2", "one"): SECOND,
            ("nDCG@2", "two"): (SECOND + 1) / 2,
        }
    )
    (rr, ndcg) = ltr_sql.compare(runs, measures, qrels=QRELS, convention="beir", details=True)[
        ["mean_a", "mean_b"]
    ].values.tolist()
    assert rr == pytest.approx([1 / 2, 1 / 2])
    assert ndcg == pytest.approx([SECOND, (SECOND + 1) / 2])
    data = ltr_sql.report(runs, measures, qrels=QRELS, convention="beir").data
    assert data["about"]["ties"] == "docid_desc_float32; MRR@2: row_order"
    assert data["about"]["missing"] == "skip; MRR@2: zero"
    shown = {(row["measure"], row["system"]): row["mean"] for row in data["standings"]}
    assert shown == pytest.approx(means)
    (curve,) = (curve for curve in data["curves"] if curve["measure"] == "nDCG")
    assert curve["means"][0][curve["x"].index(2)] == pytest.approx(SECOND)


@pytest.mark.slow
def test_curves_follow_the_rules_of_their_measure() -> None:
    """recommenders counts missing users as 0 in nDCG only."""
    runs = {"one": SHOWN, "two": SHOWN}
    data = ltr_sql.report(runs, ["nDCG@2", "P@2"], qrels=RATED, convention="recommenders").data
    (curve,) = (curve for curve in data["curves"] if curve["measure"] == "nDCG")
    assert curve["means"][0][curve["x"].index(2)] == pytest.approx(RECOMMENDERS["nDCG@2"])


@pytest.mark.slow
def test_the_command_line(tmp_path: Any) -> None:
    run, qrels = tmp_path / "run.csv", tmp_path / "qrels.csv"
    frame(RUN, "score").to_csv(run, index=False)
    frame(QRELS, "relevance").to_csv(qrels, index=False)
    measures = [option for text in BEIR for option in ("-m", text)]
    arguments = ["evaluate", str(qrels), str(run), *measures, "--convention", "beir", "--format", "csv"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    names, values = (line.split(",") for line in result.stdout.splitlines())
    found = dict(zip(names, values, strict=True))
    assert {text: float(found[text]) for text in BEIR} == pytest.approx(BEIR)
    other = tmp_path / "other.csv"
    frame(RUN, "score").to_csv(other, index=False)
    arguments = ["compare", str(qrels), str(run), str(other), "-m", "MRR@2", "-m", "nDCG@2"]
    saved = tmp_path / "values.parquet"
    result = CliRunner().invoke(main, [*arguments, "--convention", "beir", "--save-values", str(saved)])
    assert result.exit_code == 0, result.output
    assert duckdb.read_parquet(str(saved)).df()["MRR@2"].mean() == pytest.approx(1 / 2)


def test_macros_refuse_measures_with_other_rules(con: duckdb.DuckDBPyConnection) -> None:
    con.register("shown", frame(RUN, "score").assign(row_order=range(5)))
    con.register("rated", frame(QRELS, "relevance"))
    con.execute("create or replace table judged as from ltr.judge('shown', 'rated')")
    advice = r"compute it without convention, from ltr.judge\(..., ties := 'row_order', missing := 'zero'\)"
    for call in ("evaluate", "per_query", "distribution"):
        with pytest.raises(duckdb.Error, match=f"measure 'MRR@2' has its own rules under convention 'beir'.*{advice}"):
            con.execute(f"from ltr.{call}('judged', ['nDCG@2', 'MRR@2'], convention := 'beir')")
    with pytest.raises(duckdb.Error, match=f"{advice}, as nDCG with gain=binary, empty=skip"):
        con.execute("from ltr.evaluate('judged', ['nDCG@2'], convention := 'recommenders')")
    # The advice yields the value of the tool.
    con.execute(
        "create or replace table judged as from ltr.judge('shown', 'rated', ties := 'row_order', missing := 'zero')"
    )
    ((_, value),) = con.execute("from ltr.evaluate('judged', ['MRR@2'])").fetchall()
    assert value == pytest.approx(BEIR["MRR@2"])


def test_judgments_of_the_collection(con: duckdb.DuckDBPyConnection) -> None:
    measures = ["Hole@3", "Hole(scope=collection)@3"]
    found = ltr_sql.evaluate(RUN, measures, qrels=QRELS, by_query=True)
    assert found["Hole@3"].tolist() == pytest.approx([1 / 3, 0, 2 / 3])
    assert found["Hole(scope=collection)@3"].tolist() == pytest.approx([1 / 3, 0, 1 / 3])
    assert ltr_sql.verify(RUN, [*measures, "Unj@3", "AP"], qrels=QRELS)["verdict"].tolist() == ["equal"] * 4
    # A judgment of NULL is none.
    judged = frame({**QRELS, "q2": {"c": 0, "e": 1}}, "relevance")
    judged["relevance"] = judged["relevance"].where(judged["doc_id"] != "c")
    found = ltr_sql.evaluate(frame(RUN, "score"), measures, qrels=judged, by_query=True)
    assert found["Hole(scope=collection)@3"].tolist() == pytest.approx([1 / 3, 0, 2 / 3])
    rankings = pd.DataFrame({"query_id": ["q"], "rank": [1], "relevance": [1]})
    with pytest.raises(ltr_sql.InputError, match="pass the run, and its judgments as qrels="):
        ltr_sql.evaluate(rankings, measures)
    con.execute("create or replace table judged as select 'q' as query_id, 1 as rank, 1 as relevance")
    for call in ("ltr.hole('judged', k := 3, scope := 'collection')", f"ltr.evaluate('judged', {measures})"):
        with pytest.raises(duckdb.Error, match="scope = 'collection' needs a run and judgments"):
            con.execute(f"from {call}")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"RR": {"ties": "row_order"}}, "no measure has the file name RR.sql"),
        ({"rr": {"ties": "docid"}}, "rr.ties must be"),
        ({"rr": {"missing": "count"}}, "rr.missing must be 'zero' or 'skip', got 'count'"),
        ({"gini": {"missing": "zero"}}, "gini is beyond accuracy: set ties and missing for all measures"),
    ],
)
def test_a_wrong_rule_is_named(rules: Any, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = replace(next(iter(conventions().values())), name="tool", rules=rules)
    monkeypatch.setattr("ltr_sql.catalogue.conventions.conventions", lambda: {"tool": wrong})
    with pytest.raises(ValueError, match=message):
        check_conventions()


def test_the_table_of_conventions_lists_rules_of_measures() -> None:
    rows = {(row.convention, row.measure, row.switch): row.value for row in ltr_sql.conventions().itertuples()}
    assert rows["beir", "RR", "ties"] == "row_order"
    assert rows["beir", "Hole", "scope"] == "collection"
    assert rows["recommenders", "nDCG", "missing"] == "zero"
