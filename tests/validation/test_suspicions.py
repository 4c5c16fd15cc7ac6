"""Values that can be scored, but may mean something else: ranks as scores, scores as labels, padding as documents."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql.command_line.main import main
from ltr_sql.evaluation.conventions import compare_conventions

# Five queries with four documents each, and the first document is the best.
RISING = pd.DataFrame(
    {"query_id": np.repeat([*"abcde"], 4), "doc_id": [*"wxyz"] * 5, "score": [0.1, 0.2, 0.2, 0.7] * 5}
)
FALLING = RISING.assign(score=-RISING["score"])
QRELS = {query: {"w": 1} for query in "abcde"}
RISE = "the scores of each query rise from its first row to its last"


def warnings_of(call: Callable[..., Any], *arguments: Any, **options: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*arguments, **options)
    return [str(warning.message) for warning in caught]


def as_dict(run: pd.DataFrame) -> dict[str, dict[str, float]]:
    return {
        str(query): dict(zip(rows["doc_id"], rows["score"], strict=True)) for query, rows in run.groupby("query_id")
    }


@pytest.mark.default("<lambda>1", "<lambda>6", "<lambda>0", "<lambda>2", "<lambda>7", "<lambda>5", "<lambda>4")
@pytest.mark.parametrize(
    "call",
    [
        lambda: ltr_sql.evaluate(RISING, ["RR"], qrels=QRELS),
        lambda: ltr_sql.evaluate(as_dict(RISING), ["RR"], qrels=QRELS),
        lambda: ltr_sql.evaluate({"old": FALLING, "new": RISING}, ["RR"], qrels=QRELS),
        lambda: ltr_sql.compare({"old": as_dict(FALLING), "new": as_dict(RISING)}, ["RR"], qrels=QRELS),
        lambda: ltr_sql.Evaluator(["RR"], QRELS).evaluate(RISING),
        lambda: ltr_sql.evaluate(RISING, ["RR", "Gini@1"], qrels=QRELS, documents={"doc_id": [*"wxyz"]}),
        lambda: ltr_sql.group_documents(RISING),
        lambda: ltr_sql.fuse({"old": FALLING, "new": RISING}),
    ],
)
def test_scores_that_rise_are_named(call: Callable[[], Any]) -> None:
    """Such as distances, of which the smallest is the best."""
    (found,) = [text for text in warnings_of(call) if RISE in text]
    assert "query_id=a, score=0.1; " in found
    assert "change their sign" in found


def test_other_orders_of_scores_pass() -> None:
    sorted_as_a_whole = RISING.sort_values("score", kind="stable")
    one_falls = RISING.assign(score=[*RISING["score"][:-1], 0.15])
    few = RISING[RISING["query_id"] < "c"]
    for run in (FALLING, sorted_as_a_whole, one_falls, few, RISING.assign(score=1.0)):
        for form in (run, *([] if run is sorted_as_a_whole else [as_dict(run)])):
            assert warnings_of(ltr_sql.evaluate, form, ["RR"], qrels=QRELS, missing="skip") == []
    assert warnings_of(lambda: ltr_sql.evaluate(RISING, ["RR"], qrels=QRELS, check=False)) == []


def test_scores_of_several_systems_rise_one_by_one() -> None:
    lower = RISING.assign(system="b", score=RISING["score"] - 0.05)
    both = pd.concat([RISING.assign(system="a"), lower]).sort_index(kind="stable")
    texts = warnings_of(ltr_sql.evaluate, both, ["RR"], qrels=QRELS, keys=["system"])
    assert any(RISE in text for text in texts)


@pytest.mark.parametrize("name", ["position", "l2_distance", "best_rank"])
def test_columns_of_ranks_and_distances_are_not_scores(name: str, tmp_path: Path) -> None:
    run = FALLING.rename(columns={"score": name})
    for given in (run, {"old": run, "new": run}):
        (found,) = warnings_of(ltr_sql.evaluate, given, ["RR"], qrels=QRELS, columns={name: "score"})
        assert found.startswith(f"{name} is read as score, and the highest score counts as the best")
    run.to_csv(tmp_path / "run.csv", index=False)
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,relevance\na,w,1\nb,w,1\nc,w,1\nd,w,1\ne,w,1\n")
    files = [str(tmp_path / "qrels.csv"), str(tmp_path / "run.csv"), "-m", "RR", "--columns", f"{name}=score"]
    assert f"for ranks, pass --columns {name}=rank" in CliRunner().invoke(main, ["evaluate", *files]).stderr


def test_positions_are_suggested_as_ranks() -> None:
    run = FALLING.rename(columns={"score": "position"})
    with pytest.raises(ltr_sql.InputError, match=r"missing column score, .* pass columns=\{'position': 'rank'\}"):
        ltr_sql.evaluate(run, ["RR"], qrels=QRELS)


@pytest.mark.slow
def test_swapped_scores_and_labels_are_named() -> None:
    rng = np.random.default_rng(1)
    labels, scores = rng.integers(0, 3, 12), rng.random(12)
    swapped = "may be swapped"
    for given, scored, expected in ((scores, labels, 1), (labels, scores, 0), (labels, labels, 0), (scores, scores, 0)):
        evaluator = ltr_sql.Evaluator.from_labels(["nDCG@3"], given, [6, 6])
        found = warnings_of(evaluator.evaluate, scored)
        assert [swapped in text for text in found] == [True] * expected
        judgments, run = (
            {query: dict(zip("abcdef", column.tolist(), strict=True)) for query, column in rows.items()}
            for rows in ({"q": given[:6], "r": given[6:]}, {"q": scored[:6], "r": scored[6:]})
        )
        found = warnings_of(ltr_sql.evaluate, run, ["nDCG@3"], qrels=judgments)
        assert [swapped in text for text in found] == [True] * expected


@pytest.mark.slow
def test_checks_list_suspicious_scores(con: duckdb.DuckDBPyConnection) -> None:
    ranks = RISING.assign(score=[1, 2, 3, 4] * 5)
    qrels = pd.DataFrame({"query_id": [*"abcde"], "doc_id": "w", "relevance": [0.1, 0.3, 0.2, 0.7, 0.6]})
    numbered = "the scores of each query are the numbers from 0 or 1 on"
    assert [RISE in what for what in ltr_sql.check(ranks, qrels)["what"]].count(True) == 1
    con.register("ranks_as_scores", ranks)
    con.register("half", qrels)
    found = [what for _, what, *_ in con.execute("from ltr.check_run('ranks_as_scores', 'half')").fetchall()]
    assert sum(numbered in what for what in found) == 1
    assert sum("may be swapped" in what for what in found) == 1
    con.register("no_ranks", ranks.assign(score=[1, 2, 3, 5] * 5))
    found = [what for _, what, *_ in con.execute("from ltr.check_run('no_ranks', 'half')").fetchall()]
    assert not any(numbered in what for what in found)


@pytest.mark.parametrize(
    ("lists", "pad", "rows"),
    [
        (np.array([[1, -1], [2, 3]]), -1, 1),
        (np.array([["a", "-"], ["b", "c"]]), "-", 1),
        ([["a"], ["b", "<PAD>"]], "<PAD>", 1),
        (np.array([[1, 5, 0], [2, 0, 0], [3, 4, 0], [4, 1, 2]]), 0, 3),
        (np.array([[1, 5, 0], [0, 3, 2], [3, 4, 0], [4, 1, 0]]), None, 0),
        (np.array([[1, 5, 0], [3, 4, 0]]), None, 0),
        (np.array([[-3, -1], [-2, 5]]), None, 0),
        (np.array([[1.0, np.nan], [2.0, 3.0]]), None, 0),
        ([["a"], ["b", None]], None, 0),
        (np.zeros((3, 1), dtype=int), None, 0),
        (np.zeros((0, 2), dtype=int), None, 0),
    ],
)
def test_entries_that_look_like_padding_are_named(lists: Any, pad: Any, rows: int) -> None:
    found = warnings_of(lambda: ltr_sql.from_lists(lists))
    assert [text.partition(", as")[0] for text in found] == [f"lists holds {pad!r} in {rows} row{'s' * (rows > 1)}"] * (
        rows > 0
    )
    assert warnings_of(lambda: ltr_sql.from_lists(lists, pad="none" if pad is None else pad)) == []


def test_padding_in_a_dict_of_lists_is_named() -> None:
    qrels, run = {"u": [1], "v": [2]}, {"u": [1, -1], "v": [2, 3]}
    for given in (run, {"old": {"u": [1, 2], "v": [2, 3]}, "new": run}):
        (found,) = warnings_of(ltr_sql.evaluate, given, ["SetP"], qrels=qrels)
        assert found.startswith("the lists hold '-1' in 1 row, as padding does, and it counts as a document")
    assert warnings_of(lambda: ltr_sql.evaluate({"u": [], "v": [2]}, ["SetP"], qrels=qrels, missing="skip")) == []


def test_chunks_that_nothing_groups_are_named() -> None:
    chunks = {"q": {"d1#1": 3.0, "d1#2": 2.0}}
    (found,) = warnings_of(lambda: ltr_sql.group_documents(chunks))
    assert found.startswith("no document has two chunks, so nothing was grouped")
    assert warnings_of(lambda: ltr_sql.group_documents(chunks, parents={"d1#1": "d1", "d1#2": "d1"})) == []
    assert warnings_of(lambda: ltr_sql.group_documents({"q": {"d1": 1.0}, "r": {"d1": 1.0}})) == []


def test_a_key_of_queries_belongs_in_the_judgments() -> None:
    """Without it, each country is measured on the queries of all countries."""
    run = FALLING.assign(country=np.repeat([*"xxxyy"], 4))
    (found,) = warnings_of(lambda: ltr_sql.evaluate(run, ["RR"], qrels=QRELS, keys=["country"]))
    assert "If country is a property of the query, add this column to the judgments" in found
    qrels = pd.DataFrame({"query_id": [*"abcde"], "doc_id": "w", "relevance": 1, "country": [*"xxxyy"]})
    assert warnings_of(lambda: ltr_sql.evaluate(run, ["RR"], qrels=qrels, keys=["country"])) == []
    assert "property" not in "".join(warnings_of(lambda: ltr_sql.evaluate(run[:4], ["RR"], qrels=QRELS)))


@pytest.mark.slow
def test_judge_refuses_tables_without_common_ids(con: duckdb.DuckDBPyConnection) -> None:
    """All values would be 0. A run whose documents are judged for other queries only is worth 0."""
    con.execute(
        "create or replace table found as from (values ('1', 'a', 2.0), ('1', 'b', 1.0)) t(query_id, doc_id, score)"
    )
    con.execute("create or replace table asked as from (values ('1'), ('3')) t(query_id)")
    judged = {"queries": "('01', 'a', 1)", "documents": "('1', 'A', 1)", "neither": "('1', 'c', 1), ('2', 'a', 1)"}
    for name, rows in judged.items():
        con.execute(f"create or replace table {name} as from (values {rows}) t(query_id, doc_id, relevance)")
    for options in ("", ", missing := 'skip'", ", unjudged := 'keep'", ", duplicates := 'first'", ", asked := 'asked'"):
        for name, message in (("queries", "no query of the run is judged"), ("documents", "no document of the run is")):
            with pytest.raises(duckdb.Error, match=message):
                con.execute(f"from ltr.judge('found', '{name}'{options})").fetchall()
        assert con.execute(f"from ltr.judge('found', 'neither'{options})").fetchall()
    con.execute("create or replace table nothing as from found limit 0")
    with pytest.raises(duckdb.Error, match="the run has no rows: check the query that they come from"):
        con.execute("from ltr.judge('nothing', 'documents')")


@pytest.mark.slow
@pytest.mark.parametrize("call", ["leaderboard('v'", "compare_values('v'", "gate('v', ['m worse'], 'y'"])
def test_lower_is_better_must_name_a_measure(call: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "create or replace table v as from (values ('x', 'q1', .4), ('x', 'q2', .3), ('y', 'q1', .5), ('y', 'q2', .4))"
        "t(system, query_id, m)"
    )
    with pytest.raises(duckdb.Error, match="lower_is_better names n, which is not one of the measures: m"):
        con.execute(f"from ltr.{call}, lower_is_better := ['n'])").fetchall()
    if "gate" in call:
        with pytest.raises(duckdb.Error):
            con.execute(f"from ltr.{call.replace(chr(39) + 'y', chr(39) + 'x')}, lower_is_better := ['m'])").fetchall()
    assert con.execute(f"from ltr.{call}, lower_is_better := ['m'])").fetchall()


@pytest.mark.slow
def test_two_runs_are_compared_in_their_order(tmp_path: Path) -> None:
    """The verdict is about the second run, whatever their names."""
    good = FALLING
    bad = FALLING.assign(score=[0.1, 0.2, 0.3, 0.7] * 4 + [0.9, 0.2, 0.3, 0.7])
    qrels = pd.DataFrame({"query_id": [*"abcde"], "doc_id": "w", "relevance": 1})
    found = ltr_sql.compare({"old": bad, "new": good}, ["RR", "Gini@1"], qrels=qrels, documents=RISING[["doc_id"]][:4])
    assert [*found["system_a"], *found["system_b"]] == ["old", "old", "new", "new"]
    assert found["verdict"][0] == "better"
    turned = ltr_sql.compare({"old": bad, "new": good}, ["RR"], qrels=qrels, baseline="new")
    assert (turned["verdict"][0], turned["difference"][0]) == ("worse", -found["difference"][0])
    for name, table in {"old": bad, "new": good, "qrels": qrels}.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    files = [str(tmp_path / f"{name}.csv") for name in ("qrels", "old", "new")]
    printed = CliRunner().invoke(main, ["compare", *files, "-m", "RR", "--format", "csv"]).stdout
    assert ",old,new," in printed


def test_names_of_ids_elsewhere_are_suggested() -> None:
    qrels = pd.DataFrame({"userId": ["a"], "movieId": ["w"], "rating": [4]})
    with pytest.raises(ltr_sql.InputError, match=r"pass qrels_columns=\{'userId': 'query_id', 'movieId': 'doc_id', "):
        ltr_sql.evaluate(FALLING, ["RR"], qrels=qrels)
    run = FALLING.rename(columns={"query_id": "search term", "doc_id": "product-id"})
    with pytest.raises(ltr_sql.InputError, match=r"columns=\{'search term': 'query_id', 'product-id': 'doc_id'\}"):
        ltr_sql.evaluate(run, ["RR"], qrels=QRELS)


SOFT = {query: {"w": 0.25, "x": 0.9, "y": 0.0} for query in "abcde"}
SOFT_ROWS = pd.DataFrame([(q, d, g) for q, found in SOFT.items() for d, g in found.items()])
SOFT_ROWS.columns = pd.Index(["query_id", "doc_id", "relevance"])
BELOW_1 = (
    "no grade reaches 1, so no document is relevant for AP, RR(rel=2) (the highest grade is 0.9). What to do: set rel"
)


@pytest.mark.default("<lambda>3", "<lambda>0", "<lambda>1", "<lambda>2", "<lambda>5")
@pytest.mark.parametrize(
    "call",
    [
        lambda measures: ltr_sql.evaluate(FALLING, measures, qrels=SOFT_ROWS),
        lambda measures: ltr_sql.evaluate(as_dict(FALLING), measures, qrels=SOFT),
        lambda measures: ltr_sql.evaluate({"old": FALLING, "new": FALLING}, measures, qrels=SOFT),
        lambda measures: ltr_sql.evaluate(SOFT_ROWS.assign(rank=[1, 2, 3] * 5), measures),
        lambda measures: ltr_sql.distribution(FALLING, measures, qrels=SOFT),
        lambda measures: ltr_sql.Evaluator(measures, SOFT).evaluate(as_dict(FALLING)),
    ],
)
def test_grades_below_1_are_named(call: Callable[[list[str]], Any]) -> None:
    """AP and RR are 0 beside an nDCG of 1, which reads the grades."""
    texts = warnings_of(call, ["nDCG", "AP", "RR(rel=2)", "P(rel=0.9)@1"])
    assert [text[: len(BELOW_1)] for text in texts] == [BELOW_1]


@pytest.mark.slow
def test_a_comparison_without_values_names_grades_below_1() -> None:
    """Both systems are 0 for every query, and the error says why."""
    runs = {"old": as_dict(FALLING), "new": as_dict(FALLING)}
    with pytest.raises(ltr_sql.InputError, match=r"AP of old or new is 0 or NULL .* Also: no grade reaches 1, so no d"):
        ltr_sql.compare(runs, ["nDCG", "AP"], qrels=SOFT)
    texts = warnings_of(ltr_sql.compare, runs, ["AP"], qrels=SOFT, allow_empty=True)
    assert texts[0].startswith("no grade reaches 1, so no document is relevant for AP (the highest grade is 0.9)")


@pytest.mark.slow
def test_the_command_line_compares_grades_below_1(tmp_path: Path) -> None:
    SOFT_ROWS.to_csv(tmp_path / "soft.csv", index=False)
    for name in ("old", "new"):
        FALLING.to_csv(tmp_path / f"{name}.csv", index=False)
    words = ["compare", *(str(tmp_path / f"{name}.csv") for name in ("soft", "old", "new")), "-m", "AP"]
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 2
    text = " ".join(refused.stderr.split())
    assert "pass --allow-empty. Also: no grade reaches 1, so no document is relevant for AP" in text
    shown = CliRunner().invoke(main, [*words, "--allow-empty"])
    assert "Warning: no grade reaches 1" in shown.stderr


def test_the_worst_queries_of_grades_below_1() -> None:
    """No document costs anything, because none is relevant."""
    texts = warnings_of(ltr_sql.worst, FALLING, "AP", qrels=SOFT)
    assert [text[:22] for text in texts] == ["no grade reaches 1, so"]
    assert warnings_of(ltr_sql.worst, FALLING, "AP(rel=0.5)", qrels=SOFT) == []


def test_explanations_and_conventions_name_grades_below_1() -> None:
    for call in (
        lambda measure: ltr_sql.explain(FALLING, "a", measure, qrels=SOFT),
        lambda measure: compare_conventions(FALLING, SOFT_ROWS, [measure]),
    ):
        assert [text[:22] for text in warnings_of(call, "AP")] == ["no grade reaches 1, so"]
        assert warnings_of(call, "nDCG(empty=0)") == []


@pytest.mark.slow
def test_a_report_names_grades_below_1() -> None:
    data = ltr_sql.report(FALLING, ["AP"], qrels=SOFT, lists=0).data
    (note,) = [
        note for note in data["notes"] if note.startswith("no grade reaches 1, so no document is relevant for AP")
    ]
    assert " others (the highest grade is 0.9)" in note
    assert [found["first_rows"] for found in data["findings"]].count("the highest grade is 0.9") == 1


def test_other_grades_pass() -> None:
    zeros = {query: {"w": 0.0, "x": 0} for query in "abcde"}
    of_one = SOFT | {"e": {"z": 1.0, "w": 0.5}}
    for qrels, measures in ((SOFT, ["nDCG", "AP(rel=0.9)"]), (zeros, ["AP"]), (of_one, ["AP"]), (QRELS, ["AP"])):
        table = pd.DataFrame([(q, d, float(g)) for q, found in qrels.items() for d, g in found.items()])
        table.columns = pd.Index(["query_id", "doc_id", "relevance"])
        for run, judged in ((FALLING, table), (as_dict(FALLING), qrels)):
            assert warnings_of(ltr_sql.evaluate, run, measures, qrels=judged) == []
    assert warnings_of(ltr_sql.evaluate, FALLING, ["AP"], qrels=SOFT, check=False) == []


def test_a_grade_of_1_below_the_first_rows_passes() -> None:
    many = pd.DataFrame({"query_id": "a", "doc_id": range(1200), "relevance": 0.5})
    run = pd.DataFrame({"query_id": "a", "doc_id": [0, 1199], "score": [2.0, 1.0]})
    assert warnings_of(ltr_sql.evaluate, run, ["AP"], qrels=many)[0].startswith("no grade reaches 1")
    many.loc[1199, "relevance"] = 1.0
    assert warnings_of(ltr_sql.evaluate, run, ["AP"], qrels=many) == []
