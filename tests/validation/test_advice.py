"""Messages whose advice must not change a value without a word: what they say, and what following them gives."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import ltr_sql
from ltr_sql.errors import LtrSqlError

QRELS = pd.DataFrame({"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "a"], "relevance": [1, 0, 1]})
RUN = QRELS.rename(columns={"relevance": "score"}).assign(score=[2.0, 1.0, 1.0])
CHUNKS = pd.DataFrame(
    {
        "query_id": ["q1", "q1", "q1", "q2"],
        "doc_id": ["b", "a", "a", "a"],
        "chunk_id": ["b1", "a1", "a2", "a3"],
        "score": [4.0, 3.0, 2.0, 1.0],
    }
)


def message_of(call: Callable[[], Any]) -> str:
    with pytest.raises(LtrSqlError) as error:
        call()
    return str(error.value)


def sql_message_of(con: duckdb.DuckDBPyConnection, query: str) -> str:
    with pytest.raises(duckdb.Error) as error:
        con.execute(query)
    return str(error.value)


def test_chunks_are_not_advised_to_be_systems(con: duckdb.DuckDBPyConnection) -> None:
    """Keys would make each chunk a system. The advice makes one row of the chunks of each document."""
    message = message_of(lambda: ltr_sql.evaluate(CHUNKS, ["RR"], qrels=QRELS))
    assert "if its rows are chunks, turn the run into one of documents by group_documents" in message
    assert "No column names a system if its values number chunks" in message
    assert "pass grouping columns" not in message
    followed = ltr_sql.group_documents(CHUNKS)
    assert ltr_sql.evaluate(followed, ["RR"], qrels=QRELS)["RR"][0] == (1 / 2 + 1) / 2
    con.register("chunks", CHUNKS)
    con.register("qrels", QRELS)
    found = sql_message_of(con, "from ltr.judge('chunks', 'qrels')")
    assert "if its rows are chunks, group_documents makes one row of them" in found


def test_keys_of_the_run_are_systems() -> None:
    """Each value of a key of the run is evaluated on all judged queries, and the message says so."""
    weeks = pd.concat([RUN.assign(week=1), RUN[RUN.query_id == "q1"].assign(week=2)])
    message = message_of(lambda: ltr_sql.evaluate(weeks, ["RR"], qrels=QRELS))
    assert "pass the column that names the system as keys: each system is evaluated on all judged queries" in message
    with pytest.warns(ltr_sql.InputWarning, match="q2"):
        found = ltr_sql.evaluate(weeks, ["RR"], qrels=QRELS, keys=["week"])
    assert [*found["RR"]] == [1.0, 0.5]


@pytest.mark.parametrize("key", ["query_id", "doc_id", "score"])
def test_a_column_that_measures_read_is_no_key(key: str) -> None:
    message = message_of(lambda: ltr_sql.evaluate(RUN, ["RR"], qrels=QRELS, keys=[key]))
    assert message.startswith(f"{key!r} cannot be a key, because measures read it: keys are columns that name a system")


def test_nested_json_is_named_by_paths(tmp_path: Path) -> None:
    file = tmp_path / "nested.json"
    file.write_text(json.dumps([{"query": "q1", "documents": [{"id": "a", "score": 1}]}]), encoding="utf-8")
    names = "{'query': 'query_id', 'documents[].id': 'doc_id'"
    message = message_of(lambda: ltr_sql.evaluate(file, ["RR"], qrels=QRELS))
    assert f"documents holds nested values: pass columns={names}, 'documents[].score': 'score'}}" in message
    message = message_of(lambda: ltr_sql.evaluate(RUN, ["RR"], qrels=file))
    assert f"pass qrels_columns={names}}}; without relevance, each entry counts as relevant" in message


def test_nested_columns_are_not_renamed() -> None:
    frame = pd.DataFrame({"query": ["q1"], "documents": [[{"id": "a", "score": 1.0}]]})
    assert "documents holds nested values" in message_of(lambda: ltr_sql.evaluate(frame, ["RR"], qrels=QRELS))


def test_a_list_in_json_with_ids_stays_text(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    rows = [{"query_id": "q1", "doc_id": "a", "score": 1, "tags": ["x"]}]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert [*ltr_sql.evaluate(file, ["RR"], qrels=QRELS[:2], keys=["tags"])["tags"]] == ['["x"]']


def test_grades_that_are_texts_are_converted_and_not_removed(con: duckdb.DuckDBPyConnection) -> None:
    texts = QRELS.assign(relevance=["good", "bad", "perfect"])
    message = message_of(lambda: ltr_sql.evaluate(RUN, ["RR"], qrels=texts))
    assert "if texts are grades, pass their numbers, such as grades={'good': 2}" in message
    assert "Keep the rows: a document without a judgment counts as not relevant" in message
    con.register("rankings", texts.assign(rank=[1, 2, 1]))
    found = sql_message_of(con, "from ltr.evaluate('rankings', ['RR'])")
    assert "relevance is not a number, got 'good': replace texts by numbers, such as 'good' by 2" in found


def test_judged_documents_that_were_not_retrieved_keep_their_rows(con: duckdb.DuckDBPyConnection) -> None:
    """Without the row of c, recall would be 1 instead of 1/2."""
    scored = pd.DataFrame(
        {"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "score": [2.0, 1.0, None], "relevance": [1, 0, 1]}
    )
    message = message_of(lambda: ltr_sql.evaluate(scored, ["R"]))
    assert "needs run and judgments as two tables (qrels)" in message
    assert "without the row of a relevant document, recall would rise" in message
    run = scored.dropna()[["query_id", "doc_id", "score"]]
    followed = ltr_sql.evaluate(run, ["R"], qrels=scored[["query_id", "doc_id", "relevance"]])
    assert followed["R"][0] == 0.5
    con.register("scored", scored)
    found = sql_message_of(con, "from ltr.rank_by_score('scored')")
    assert "if it was not retrieved, pass run and judgments as two tables, and leave it out of the run" in found


def test_a_row_without_an_id_is_completed() -> None:
    wrong = QRELS.assign(doc_id=QRELS["doc_id"].where(QRELS["doc_id"] == "a"))
    message = message_of(lambda: ltr_sql.evaluate(RUN, ["RR"], qrels=wrong))
    assert "fill in the id where the table is made" in message


@pytest.mark.slow
def test_names_are_cut() -> None:
    unequal = {"query_id": np.arange(2)} | {f"s{i}": np.arange(i % 3) for i in range(2000)}
    message = message_of(lambda: ltr_sql.evaluate(unequal, ["RR"], qrels=QRELS))
    assert message.endswith("got query_id (2,), s0 (0,), s1 (1,), s2 (2,), s3 (0,) and 1,996 others")
    wide = pd.DataFrame({f"c{i}": ["x"] * len(RUN) for i in range(2000)})
    for call in (
        lambda: ltr_sql.evaluate({f"q{i}": np.arange(3) for i in range(2000)}, ["RR"], qrels=QRELS),
        lambda: ltr_sql.evaluate(wide, ["RR"]),
        lambda: ltr_sql.evaluate(pd.concat([RUN, wide], axis=1), ["RR"], qrels=QRELS, keys=["nope"]),
        lambda: ltr_sql.compare(wide, ["c1"], values=True),
    ):
        assert len(message_of(call)) < 400


def test_a_measure_that_reads_subtopics_is_named(con: duckdb.DuckDBPyConnection) -> None:
    """Also among measures that do not read them."""
    message = message_of(lambda: ltr_sql.evaluate(RUN, ["RR", "alpha_nDCG@5"], qrels=QRELS))
    assert message.startswith("the judgments (measure 'alpha_nDCG@5' reads subtopics): missing column subtopic")
    rankings = QRELS.assign(rank=[1, 2, 1])
    message = message_of(lambda: ltr_sql.evaluate(rankings, ["RR", "ERR_IA@5"]))
    assert message.startswith("the rankings (measure 'ERR_IA@5' reads subtopics): missing column subtopic")
    con.register("rankings", rankings)
    for call in ("alpha_ndcg('rankings')", "evaluate('rankings', ['RR', 'alpha_nDCG@5'])"):
        found = sql_message_of(con, f"from ltr.{call}")
        assert "subtopic, which measures of diversity such as alpha_nDCG read, and xinfAP as the stratum (" in found
    con.register("others", rankings.drop(columns="rank"))
    assert "alpha_nDCG" not in sql_message_of(con, "from ltr.rr('others')")


def test_all_missing_tables_are_named(con: duckdb.DuckDBPyConnection) -> None:
    measures = ["Gini@2", "Churn@2", "ILD@2"]
    message = message_of(lambda: ltr_sql.evaluate(RUN, measures))
    for part in (
        "measure 'Gini@2' needs documents=, a table with doc_id",
        "measure 'Churn@2' needs baseline=",
        "measure 'ILD@2' needs documents=",
    ):
        assert part in message
    con.register("run", RUN)
    found = sql_message_of(con, f"from ltr.beyond_accuracy('run', {measures})")
    for part in ("'Gini@2' needs documents := a", "'Churn@2' needs baseline := a", "'ILD@2' needs documents := a"):
        assert part in found


@pytest.mark.slow
def test_keys_as_text(con: duckdb.DuckDBPyConnection) -> None:
    """Each public macro with keys says what a text must be. The engine's own error names the type of a list."""
    con.register("rankings", QRELS.assign(rank=[1, 2, 1], system="s"))
    con.register("run", RUN.assign(system="s", AP=0.5))
    con.register("documents", pd.DataFrame({"doc_id": ["a", "b"], "category": ["x", "y"]}))
    calls = {
        "evaluate": "'rankings', ['RR']",
        "per_query": "'rankings', ['RR']",
        "distribution": "'rankings', ['RR']",
        "explain": "'rankings', 'q1', 'RR'",
        "compare": "'rankings', ['RR']",
        "compare_values": "'run'",
        "leaderboard": "'run'",
        "system_agreement": "'run'",
        "trend": "'run', 'query_id'",
        "fuse": "'run'",
        "gini": "'run', documents := 'documents'",
        "beyond_accuracy": "'run', ['Gini@2'], documents := 'documents'",
        "compare_rankings": "'run', 'run', ['RBO']",
    }
    for name, given in calls.items():
        found = sql_message_of(con, f"from ltr.{name}({given}, keys := 'system')")
        assert "keys must be columns of the input, in a list such as ['system']" in found, (name, found)
    for call in ("ndcg('rankings'", "judge('run', 'rankings'", "check_rankings('rankings'"):
        found = sql_message_of(con, f"from ltr.{call}, keys := 'system')")
        assert "'system' can't be cast to the destination type VARCHAR[]" in found
    assert con.execute("select RR from ltr.evaluate('rankings', ['RR'], keys := ['system'])").fetchall() == [(1.0,)]


def test_ranks_from_0(con: duckdb.DuckDBPyConnection) -> None:
    rankings = QRELS.assign(rank=[0, 1, 0])
    con.register("rankings", rankings)
    con.register("run", rankings.drop(columns="relevance"))
    con.register("qrels", QRELS)
    assert "for ranks that count from 0, pass ranks_from=0" in message_of(lambda: ltr_sql.evaluate(rankings, ["RR"]))
    for call in (
        "evaluate('rankings', ['RR'])",
        "rr('rankings')",
        "ndcg('rankings', k := 10)",
        "judge('run', 'qrels')",
        "pair('run', 'run')",
    ):
        assert "for ranks that count from 0, select rank + 1 as rank" in sql_message_of(con, f"from ltr.{call}"), call
