"""Names and ids of the caller stay as they are in rendered queries, whose lines are indented."""

from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import pytest

import ltr_sql
from ltr_sql.rendering.dialects import DUCKDB, SPARK, string
from ltr_sql.rendering.templates import indented

SYSTEMS = ["a\nb\n\n  c", 'it\'s "x\\n"\tq\r\n  w', "emo😀ji\u2028\x85", "plain"]
QUERIES = ["q\n1", "q'2", "q\t3", "q\\4", 'q"5', "q😀6", "q\r7", "q--8", "q/*9"]
RUNS = {
    system: {
        query: {f"d\n{i}": float((i * 7 + j * 5 + n * 3) % 11) for i in range(6)} for j, query in enumerate(QUERIES)
    }
    for n, system in enumerate(SYSTEMS)
}
QRELS = {query: {f"d\n{i}": (i + j) % 3 for i in range(6)} for j, query in enumerate(QUERIES)}
MEASURES = ["nDCG@3", "AP"]
CALLS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "evaluate": (lambda: ltr_sql.evaluate(RUNS, MEASURES, qrels=QRELS), ("system",)),
    "weights": (lambda: ltr_sql.evaluate(RUNS, MEASURES, qrels=QRELS, weights=dict.fromkeys(QUERIES, 1)), ("system",)),
    "distribution": (lambda: ltr_sql.distribution(RUNS, MEASURES, qrels=QRELS), ("system",)),
    "compare": (lambda: ltr_sql.compare(RUNS, MEASURES, qrels=QRELS), ("system_a", "system_b")),
    "leaderboard": (lambda: ltr_sql.leaderboard(RUNS, MEASURES, qrels=QRELS), ("system",)),
    "agreement": (lambda: ltr_sql.agreement(RUNS), ("system_a", "system_b")),
}


@pytest.mark.default("evaluate")
@pytest.mark.parametrize("name", CALLS)
def test_names_of_systems_stay(name: str) -> None:
    call, columns = CALLS[name]
    found = call()
    assert {system for column in columns for system in found[column]} == set(SYSTEMS)


def test_names_of_queries_stay() -> None:
    found = ltr_sql.evaluate(RUNS, MEASURES, qrels=QRELS, by_query=True)
    assert {*zip(found["system"], found["query_id"], strict=True)} == {(s, q) for s in SYSTEMS for q in QUERIES}
    one_by_one = ltr_sql.evaluate(RUNS[SYSTEMS[0]], MEASURES, qrels=QRELS, by_query=True)
    of_first = found[found["system"] == SYSTEMS[0]].drop(columns="system").reset_index(drop=True)
    pd.testing.assert_frame_equal(of_first, one_by_one)


@pytest.mark.slow
@pytest.mark.parametrize("a", SYSTEMS[:3])
def test_named_systems_are_found(a: str) -> None:
    found = ltr_sql.wins(RUNS, a, "plain", ["AP"], qrels=QRELS)
    assert len(found) == len(QUERIES)
    compared = ltr_sql.compare(RUNS, ["AP"], qrels=QRELS, baseline=a, details=True)
    assert set(compared["system_a"]) == {a}
    report = ltr_sql.report(RUNS, ["AP"], qrels=QRELS, baseline=a)
    assert report.data["baseline"] == a


def test_verify_reads_the_same_names() -> None:
    found = ltr_sql.verify(RUNS, MEASURES, qrels=QRELS)
    assert found["measure"].tolist() == MEASURES
    assert found["verdict"].tolist() == ["equal"] * len(MEASURES)


@pytest.mark.parametrize("text", [*SYSTEMS, *QUERIES, "\\", "\\n\n", "'\n'", "x" * 1_000_000 + "\n"])
def test_literals_have_one_line(text: str) -> None:
    literal = string(text)
    assert "\n" not in literal + SPARK.string(text)
    with duckdb.connect() as con:
        assert con.execute(indented(f"\nselect {literal}", 8)).fetchall() == [(text,)]


def test_a_column_with_a_line_break_is_refused() -> None:
    frame = pd.DataFrame({"a\nb": ["x"], "query_id": ["q"], "rank": [1], "relevance": [1]})
    with pytest.raises(ltr_sql.InputError, match="the name of a key must not have a line break"):
        ltr_sql.evaluate(frame, ["RR"], keys=["a\nb"])
    with pytest.raises(ltr_sql.InputError, match="a column name must not have a line break: rename the column"):
        DUCKDB.identifier("a\nb")
