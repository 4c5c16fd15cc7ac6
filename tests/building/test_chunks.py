"""Chunks of a run to the documents that they belong to."""

import re
from typing import Any

import duckdb
import pandas as pd
import pytest

import ltr_sql
from ltr_sql import InputError

GIVEN = pd.DataFrame(
    {
        "query_id": ["q"] * 4,
        "doc_id": ["a1", "b1", "b2", "c1"],
        "document": ["a", "b", "b", "c"],
        "score": [0.5, 0.5, 0.9, 0.9],
    }
)
DOCUMENTS = {"a1": "a", "b1": "b", "b2": "b", "c1": "c"}


def documents_of(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    return list(frame[["rank", "doc_id", "score", "chunks"]].itertuples(index=False, name=None))


def test_documents_of_chunks_by_table_dict_column_and_id() -> None:
    expected = [(1, "c", 0.9, 1), (2, "b", 0.9, 2), (3, "a", 0.5, 1)]
    table = pd.DataFrame({"chunk_id": DOCUMENTS.keys(), "doc_id": DOCUMENTS.values()})
    parents = GIVEN.drop(columns="doc_id").rename(columns={"document": "doc_id"})
    for found in (
        ltr_sql.group_documents(GIVEN, DOCUMENTS),
        ltr_sql.group_documents(GIVEN, table),
        ltr_sql.group_documents(GIVEN, {"chunk_id": [*DOCUMENTS], "doc_id": [*DOCUMENTS.values()]}),
        ltr_sql.group_documents(GIVEN, parent="document"),
        ltr_sql.group_documents(parents),
    ):
        assert documents_of(found) == expected


def test_ranks_decide_the_first_chunk_of_a_document() -> None:
    """The ranks of the run differ from the order of its scores."""
    run = GIVEN.assign(rank=[1, 2, 3, 4])
    found = ltr_sql.group_documents(run, DOCUMENTS, method="first")
    assert documents_of(found) == [(1, "a", 1.0, 1), (2, "b", 1 / 2, 2), (3, "c", 1 / 4, 1)]
    found = ltr_sql.group_documents(run.drop(columns="score"), DOCUMENTS, method="rrf")
    assert documents_of(found) == [(1, "b", 1 / 62 + 1 / 63, 2), (2, "a", 1 / 61, 1), (3, "c", 1 / 64, 1)]


def test_systems_are_grouped_one_by_one() -> None:
    found = ltr_sql.group_documents({"all": GIVEN, "two": GIVEN[:2]}, DOCUMENTS)
    assert found.groupby("system")["chunks"].sum().to_dict() == {"all": 4, "two": 2}
    assert found[found["system"] == "two"]["doc_id"].tolist() == ["b", "a"]


def test_a_score_does_not_depend_on_the_order_of_rows() -> None:
    """0.1 + 0.2 + 0.3 depends on the order: 0.6 or 0.6000000000000001."""
    run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "a", "a", "b"], "score": [0.3, 0.1, 0.2, 0.6]})
    for order in ([0, 1, 2, 3], [2, 1, 0, 3], [3, 1, 0, 2]):
        found = ltr_sql.group_documents(run.iloc[order], method="sum")
        assert found["score"].tolist() == [0.1 + 0.2 + 0.3, 0.6]


REFUSED_CHUNKS: list[tuple[str, Any, dict[str, Any], str]] = [
    ("parents := 'fewer'", {"a1": "a"}, {}, "parents has no row for a chunk of the run: add it; the doc_id is "),
    ("parents := 'none'", {"z": "z"}, {}, "parents has no row for a chunk of the run"),
    ("parents := 'unnamed'", DOCUMENTS | {"a1": None}, {}, "parents: a chunk has no doc_id: name its document"),
    ("parents := 'two'", None, {}, "parents: a chunk belongs to two documents: keep one of them; the chunk_id is a1"),
    (
        "parents := 'chunks', parent := 'document'",
        DOCUMENTS,
        {"parent": "document"},
        "parents and parent both name the documents of the chunks: leave out one of them",
    ),
    ("method := 'best'", None, {"method": "best"}, "method must be one of first, max, mean, rrf"),
]


@pytest.mark.parametrize(("in_sql", "parents", "options", "message"), REFUSED_CHUNKS, ids=lambda value: str(value)[:30])
def test_refused_chunks(
    in_sql: str, parents: Any, options: dict[str, Any], message: str, con: duckdb.DuckDBPyConnection
) -> None:
    con.register("chunk_run", GIVEN)
    rows = ", ".join(f"('{chunk}', '{document}')" for chunk, document in DOCUMENTS.items())
    con.execute(f"create or replace temp table chunks as from (values {rows}) as t (chunk_id, doc_id)")
    con.execute("create or replace temp table fewer as from chunks limit 1")
    con.execute("create or replace temp table none as from chunks limit 0")
    con.execute("create or replace temp table two as from chunks union all select 'a1', 'b'")
    con.execute("create or replace temp table unnamed as from chunks union all select 'z1', null")
    with pytest.raises(duckdb.InvalidInputException, match=re.escape(message)):
        con.execute(f"from ltr.group_documents('chunk_run', {in_sql})")
    given = con.table("two").df() if "'two'" in in_sql else parents
    with pytest.raises(InputError, match=re.escape(message)):
        ltr_sql.group_documents(GIVEN, given, **options)


def test_scores_of_chunks_are_missed(con: duckdb.DuckDBPyConnection) -> None:
    run = GIVEN.drop(columns="score").assign(rank=[1, 2, 3, 4])
    con.register("ranked_chunks", run)
    with pytest.raises(duckdb.InvalidInputException, match="max, sum and mean read the scores of chunks"):
        con.execute("from ltr.group_documents('ranked_chunks', parent := 'document')")
    with pytest.raises(InputError, match="the run has no column score: add it, or take 'first' or 'rrf'"):
        ltr_sql.group_documents(run, DOCUMENTS)


def test_a_chunk_in_a_ranking_twice(con: duckdb.DuckDBPyConnection) -> None:
    twice = pd.concat([GIVEN, GIVEN[:1]])
    con.register("twice", twice)
    message = "a chunk is in one ranking more than once"
    with pytest.raises(duckdb.InvalidInputException, match=message):
        con.execute("from ltr.group_documents('twice', parent := 'document')")
    with pytest.raises(InputError, match=message):
        ltr_sql.group_documents(twice, DOCUMENTS)
