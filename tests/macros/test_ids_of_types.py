"""Ids of several types in SQL: text beside integers is compared as text, as in Python."""

from typing import Any

import duckdb
import pytest

import ltr_sql

RANKS = "select query_id::varchar, doc_id::varchar, rank from"
TYPES = [("integer", "varchar"), ("varchar", "integer"), ("varchar", "varchar"), ("hugeint", "varchar")]
# The ids of the run are 1 to 4. Of the other ids, 2 and 4 are equal to them. 03 and x are no ids of the run.
TEXTS = "('2', 4), ('03', 3), ('x', 2), ('4', 1)"
CALLS: list[tuple[str, list[Any]]] = [
    (f"{RANKS} ltr.judge('run', 'qrels')", [("1", "2", 2)]),
    (
        f"{RANKS} ltr.judge('run', 'qrels', asked := 'asked') order by all",
        [("1", "2", 2), ("x", None, None)],
    ),
    (
        f"{RANKS} ltr.judge('run', 'qrels', unjudged := 'remove')",
        [("1", "2", 1)],
    ),
    (
        f"{RANKS} ltr.judge('run', 'qrels', grades := map(['x'], [1]))",
        [("1", "2", 2)],
    ),
    (
        f"{RANKS} ltr.judge('run', 'qrels', ties := 'worst', unjudged := 'keep') order by all",
        [("1", str(number), number) for number in range(1, 5)],
    ),
    ("select count(*), count(rank_a), count(rank_b) from ltr.pair('run', 'other')", [(6, 4, 4)]),
    ("select count(*) filter (judged) from ltr.pool('runs', qrels := 'qrels')", [(1,)]),
    ("select sum(relevance::int) from ltr.unique_documents('runs', qrels := 'qrels')", [(1,)]),
    ("from ltr.beyond_accuracy('run', ['Coverage@3'], documents := 'other')", [(1, 0.25)]),
    ("from ltr.beyond_accuracy('run', ['Churn@2'], baseline := 'other')", [(1, 0.5)]),
]


def create_tables(con: duckdb.DuckDBPyConnection, one: str, other: str) -> None:
    texts = TEXTS if other == "varchar" else TEXTS.replace("03", "13").replace("x", "14")
    con.execute(f"""
        create table run as
        select cast('1' as {one}) as query_id, cast(d as {one}) as doc_id, 10 - d as score
        from range(1, 5) as t(d);
        create table runs as
        select 'a' as system, *
        from run
        union all
        select 'b', query_id, cast('9' as {one}), 1
        from run
        limit 5;
        create table other as
        select cast('1' as {other}) as query_id, cast(d as {other}) as doc_id, s as score
        from (values {texts}) as t(d, s);
        create table qrels as
        select query_id, doc_id, 1 as relevance
        from other
        where doc_id = cast('2' as {other});
        create table asked as
        select unnest(['1', 'x']) as query_id;
    """)


def test_text_beside_integers(con: duckdb.DuckDBPyConnection) -> None:
    create_tables(con, "integer", "varchar")
    for call, expected in (CALLS[0], next((call, found) for call, found in CALLS if "pair" in call)):
        assert con.execute(call).fetchall() == expected


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the run shows documents:ltr_sql.InputWarning")
@pytest.mark.parametrize(("one", "other"), TYPES)
def test_ids_of_several_types(one: str, other: str, con: duckdb.DuckDBPyConnection) -> None:
    create_tables(con, one, other)
    for call, expected in CALLS:
        assert con.execute(call).fetchall() == expected, call
    assert "error" not in str(con.execute("from ltr.check_run('run', 'qrels')").fetchall())
    for measure, table in (("Coverage@3", "documents"), ("Churn@2", "baseline")):
        tables: dict[str, Any] = {table: "other"}
        ((_, value),) = con.execute(f"from ltr.beyond_accuracy('run', ['{measure}'], {table} := 'other')").fetchall()
        assert ltr_sql.evaluate("run", [measure], con=con, **tables)[measure].tolist() == [value]


@pytest.mark.default("")
@pytest.mark.parametrize("option", ["", "ties := 'worst', "])
def test_queries_that_were_asked_are_text_beside_integers(option: str, con: duckdb.DuckDBPyConnection) -> None:
    create_tables(con, "integer", "integer")
    judged = f"ltr.judge('run', 'qrels', {option}asked := 'asked')"
    assert con.execute(f"select query_id::varchar, rank from {judged} order by all").fetchall() == [
        ("1", 2),
        ("x", None),
    ]


# The documents 1 to 4 of a and 9 of b; the judgments name 2, and a text that is no number.
BESIDE_JUDGMENTS: dict[str, tuple[str, list[Any]]] = {
    "pool": ("select doc_id, judged from ltr.pool('runs', qrels := 'qrels')", [(d, d == "2") for d in "12349"]),
    "unique_documents": (
        "select doc_id, relevance::int from ltr.unique_documents('runs', qrels := 'qrels')",
        [(d, 1 if d == "2" else None) for d in "12349"],
    ),
}


@pytest.mark.default("pool")
@pytest.mark.parametrize("builder", BESIDE_JUDGMENTS)
def test_texts_of_judgments_beside_a_builder(builder: str, con: duckdb.DuckDBPyConnection) -> None:
    create_tables(con, "integer", "varchar")
    con.execute("insert into qrels values ('x', '03', 1), ('1', 'x', 1)")
    call, expected = BESIDE_JUDGMENTS[builder]
    assert con.execute(f"{call} order by all").fetchall() == expected


@pytest.mark.default("pool")
@pytest.mark.parametrize("builder", BESIDE_JUDGMENTS)
def test_texts_of_a_builder_beside_judgments(builder: str, con: duckdb.DuckDBPyConnection) -> None:
    create_tables(con, "varchar", "integer")
    con.execute("insert into runs values ('b', '1', 'x', 0), ('b', 'x', '7', 0)")
    call, expected = BESIDE_JUDGMENTS[builder]
    unjudged = False if builder == "pool" else None
    assert con.execute(f"{call} order by all").fetchall() == sorted([*expected, ("7", unjudged), ("x", unjudged)])


def test_missing_ids_are_named(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create table run as select 1 as query_id, 2 as docno, 3 as score")
    con.execute("create table qrels as select '1' as query_id, '2' as doc_id, 1 as relevance")
    for call in ("judge('run', 'qrels')", "judge('qrels', 'run')", "pair('run', 'qrels')", "pair('qrels', 'run')"):
        with pytest.raises(duckdb.Error, match=r"doc_id \(the input has query_id, docno, score; rename the column"):
            con.execute(f"from ltr.{call}")


@pytest.mark.default("double")
@pytest.mark.parametrize("kind", ["double", "float", "decimal(5, 2)"])
def test_check_run_compares_whole_ids_of_any_type(kind: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        f"create table run as select 1::{kind} as query_id, d::{kind} as doc_id, d as score from range(3) as t(d)"
    )
    con.execute("create table qrels as select 1 as query_id, 2 as doc_id, 1 as relevance")
    assert con.execute("select rank from ltr.judge('run', 'qrels')").fetchall() == [(1,)]
    assert "error" not in str(con.execute("from ltr.check_run('run', 'qrels')").fetchall())
    assert ltr_sql.evaluate("run", ["RR"], qrels="qrels", con=con)["RR"].tolist() == [1]
