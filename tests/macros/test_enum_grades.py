"""Grades of type ENUM in SQL: their texts are numbers, or words that `grades` maps."""

from typing import Any

import duckdb
import pytest

import ltr_sql

TYPES = {"numbers": ("0", "1", "2"), "words": ("bad", "fair", "good")}
GRADES = "grades := map(['bad', 'fair', 'good'], [0, 1, 2])"
NOT_A_NUMBER = r"relevance is not a number, got 'bad': replace texts by numbers, such as 'good' by 2"


def create_tables(con: duckdb.DuckDBPyConnection, kind: str) -> None:
    low, middle, high = TYPES[kind]
    con.execute(f"""
        create type grade as enum ('{low}', '{middle}', '{high}');
        create table run as
        from (values ('q', 'a', 2.0), ('q', 'b', 1.0), ('q', 'c', 0.5)) as t(query_id, doc_id, score);
        create table qrels as
        select query_id, doc_id, relevance::grade as relevance
        from (values ('q', 'a', '{low}'), ('q', 'b', '{high}'), ('q', 'd', null)) as t(query_id, doc_id, relevance);
        create table rankings as
        select query_id, row_number() over (order by doc_id) as rank, relevance
        from qrels
    """)


def values(con: duckdb.DuckDBPyConnection, options: str = "") -> list[Any]:
    judged = f"with judged as (from ltr.judge('run', 'qrels'{options}))"
    return con.execute(f"{judged} from ltr.evaluate('judged', ['RR', 'DCG(gain=exponential)'])").fetchall()


EXPECTED = [(1, pytest.approx(0.5), pytest.approx(3 / 1.584962500721156))]


def test_words_of_an_enum_are_named(con: duckdb.DuckDBPyConnection) -> None:
    create_tables(con, "words")
    with pytest.raises(duckdb.Error, match=NOT_A_NUMBER):
        con.execute("from ltr.ap('rankings')")


@pytest.mark.slow
def test_words_of_an_enum_are_mapped(con: duckdb.DuckDBPyConnection) -> None:
    create_tables(con, "words")
    assert values(con, f", {GRADES}") == EXPECTED
    with pytest.raises(duckdb.Error, match=NOT_A_NUMBER):
        values(con)


@pytest.mark.slow
def test_numbers_of_an_enum_are_grades(con: duckdb.DuckDBPyConnection) -> None:
    create_tables(con, "numbers")
    for options in ("", ", ties := 'worst'", ", unjudged := 'keep'", ", validate := false"):
        assert values(con, options) == EXPECTED, options
    assert con.execute("select AP from ltr.evaluate('rankings', ['AP'])").fetchall() == [(0.5,)]
    assert con.execute("select ap from ltr.ap('rankings')").fetchall() == [(0.5,)]
    assert "error" not in str(con.execute("from ltr.check_run('run', 'qrels')").fetchall())
    assert ltr_sql.evaluate("run", ["RR"], qrels="qrels", con=con)["RR"].tolist() == [0.5]


@pytest.mark.slow
def test_words_of_an_enum_are_refused_everywhere(con: duckdb.DuckDBPyConnection) -> None:
    create_tables(con, "words")
    for call in ("ltr.evaluate('rankings', ['AP'])", "ltr.ndcg('rankings', k := 2)"):
        with pytest.raises(duckdb.Error, match=NOT_A_NUMBER):
            con.execute(f"from {call}")
    found = con.execute("select severity, what, what_to_do from ltr.check_run('run', 'qrels')").fetchall()
    assert found[0][:2] == ("error", "a rank, score or grade is not a number")
    assert "such as grades := {'good': 2}" in found[0][2]
    with pytest.raises(ltr_sql.InputError, match=r"pass their numbers, such as grades=\{'good': 2\}"):
        ltr_sql.evaluate("run", ["RR"], qrels="qrels", con=con)
    grades = {"bad": 0, "fair": 1, "good": 2}
    assert ltr_sql.evaluate("run", ["RR"], qrels="qrels", con=con, grades=grades)["RR"].tolist() == [0.5]


@pytest.mark.slow
def test_ids_of_an_enum(con: duckdb.DuckDBPyConnection) -> None:
    """Ties are broken by the texts, and not by the order of the type."""
    con.execute("""
        create type doc as enum ('b', 'a', 'c');
        create table run as
        select 'q' as query_id, d::doc as doc_id, 1 as score from (values ('a'), ('b')) as t(d);
        create table qrels as select 'q' as query_id, 'a' as doc_id, 1 as relevance
    """)
    for ties, rank in (("docid_desc", 2), ("docid_asc", 1)):
        assert con.execute(f"select rank from ltr.judge('run', 'qrels', ties := '{ties}')").fetchall() == [(rank,)]
        found = ltr_sql.evaluate("run", ["RR"], qrels="qrels", con=con, ties=ties)
        assert found["RR"].tolist() == [1 / rank]
