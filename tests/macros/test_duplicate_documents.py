"""Macros of measures refuse a document that a ranking holds twice."""

import re

import duckdb
import pytest
from support.measures import ONE_OF_EACH_SOURCE

Con = duckdb.DuckDBPyConnection

REQUIRED = {"k": 2, "recall": 0.5, "max_grade": 2, "unit": 1, "max_rel": 2, "multiple": 1}
OF_RANKINGS = {d.macro: d for d in ONE_OF_EACH_SOURCE if d.row_source.input == "rankings"}
# Ranks of the two rows of the document.
TWICE = {"one rank": (1, None), "two ranks": (1, 3), "no rank": (None, None)}


def rankings(con: Con, first: int | None, second: int | None) -> None:
    con.execute(
        "create table r as select query_id, doc_id, cast(rank as integer) as rank, relevance from (values "
        "('q', 'a', ?, 1), ('q', 'a', ?, 1), ('q', 'b', 2, 0), ('p', 'a', 1, 1)) "
        "as t(query_id, doc_id, rank, relevance)",
        [first, second],
    )


def refused(con: Con, call: str) -> None:
    with pytest.raises(duckdb.InvalidInputException, match="a document is in one ranking more than once"):
        con.sql(call).fetchall()
    # The call itself is right: without ids, the rows may be different documents.
    con.execute("create or replace view unnamed as select * exclude (doc_id) from r where rank is not null")
    con.sql(re.sub("'r'", "'unnamed'", call)).fetchall()


@pytest.mark.parametrize("macro", OF_RANKINGS)
def test_every_row_source(macro: str, con: Con) -> None:
    rankings(con, *TWICE["one rank"])
    options = "".join(f", {p.name} := {REQUIRED[p.name]}" for p in OF_RANKINGS[macro].required)
    refused(con, f"from ltr.{macro}('r'{options})")


@pytest.mark.default("ltr.per_query('r', ['RR'])-ranks0", "ltr.ap('r')-ranks0")
@pytest.mark.parametrize("ranks", TWICE.values())
@pytest.mark.parametrize(
    "call",
    [
        "ltr.evaluate('r', ['nDCG@2'])",
        "ltr.per_query('r', ['RR'])",
        "ltr.ap('r')",
        "ltr.distribution('r', ['AP'])",
        "ltr.explain('r', 'q', 'AP')",
    ],
)
def test_every_pair_of_ranks(call: str, ranks: tuple[int | None, int | None], con: Con) -> None:
    rankings(con, *ranks)
    refused(con, f"from {call}")


@pytest.mark.default("bpref('r')")
@pytest.mark.parametrize("call", ["bpref('r')", "per_query('r', ['Bpref', 'AP'])", "per_query('r', ['KendallTau'])"])
def test_documents_that_are_not_relevant(call: str, con: Con) -> None:
    con.execute(
        "create table r as select * from (values ('q', 'a', 1, 1), ('q', 'b', 2, 0), ('q', 'b', null, 0)) "
        "as t(query_id, doc_id, rank, relevance)"
    )
    refused(con, f"from ltr.{call}")
    # It reads relevant documents only.
    assert con.sql("from ltr.ap('r')").fetchall() == [("q", 1.0)]


def test_ids_are_compared_by_bytes(con: Con) -> None:
    con.execute(
        "create table r as select query_id, doc_id collate nocase as doc_id, rank, relevance from "
        "(values ('q', 'a', 1, 1), ('q', 'A', null, 1)) as t(query_id, doc_id, rank, relevance)"
    )
    assert con.sql("from ltr.ap('r')").fetchall() == [("q", 0.5)]


def test_a_document_of_two_systems_counts_twice(con: Con) -> None:
    con.execute(
        "create table r as select * from (values ('x', 'q', 'a', 1, 1), ('y', 'q', 'a', null, 1)) "
        "as t(system, query_id, doc_id, rank, relevance)"
    )
    assert con.sql("select system, ap from ltr.ap('r', keys := ['system']) order by all").fetchall() == [
        ("x", 1.0),
        ("y", 0.0),
    ]


def test_rows_that_no_measure_reads_may_repeat(con: Con) -> None:
    con.execute(
        "create table r as select * from (values ('q', 'a', 1, 1), ('q', 'b', 2, null), ('q', 'b', 3, null), "
        "('q', null, 4, 0), ('q', null, 5, 0)) as t(query_id, doc_id, rank, relevance)"
    )
    assert con.sql("from ltr.ap('r')").fetchall() == [("q", 1.0)]
