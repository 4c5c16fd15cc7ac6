"""Runs without a judged document in SQL: an error, or with `validate := false` empty rankings, as in Python."""

import duckdb
import pytest

import ltr_sql

MEASURES = ["nDCG", "AP", "RR", "NumRet"]
# The judgments have the query or not. Two documents were retrieved for it.
JUDGED = {"no document": "q", "no query": "x"}
MESSAGES = {"no document": "no document of the run is judged for any query", "no query": "no .* of the run is judged"}


def create_tables(con: duckdb.DuckDBPyConnection, case: str) -> None:
    con.execute(f"""
        create table run as
        from (values ('q', 'a', 2.0), ('q', 'b', 1.0), ('r', 'c', 1.0)) as t(query_id, doc_id, score);
        alter table run alter score type double;
        create table qrels as select '{JUDGED[case]}' as query_id, 'y' as doc_id, 1 as relevance
    """)


def means(con: duckdb.DuckDBPyConnection, options: str) -> list[tuple[float | None, ...]]:
    judged = f"with judged as (from ltr.judge('run', 'qrels'{options}))"
    return con.execute(f"{judged} from ltr.evaluate('judged', {MEASURES})").fetchall()


def test_the_judgments_of_such_a_run(con: duckdb.DuckDBPyConnection) -> None:
    create_tables(con, "no document")
    judged = "select doc_id, rank, num_ret from ltr.judge('run', 'qrels', validate := false)"
    assert con.execute(judged).fetchall() == [("y", None, 2)]


@pytest.mark.slow
@pytest.mark.parametrize("case", JUDGED)
def test_without_validation_such_a_run_is_an_empty_ranking(case: str, con: duckdb.DuckDBPyConnection) -> None:
    create_tables(con, case)
    with pytest.raises(duckdb.Error, match=f"{MESSAGES[case]}.* If they are right, pass validate := false"):
        means(con, "")
    retrieved = 2 if case == "no document" else 0
    assert means(con, ", validate := false") == [(1, 0, 0, 0, retrieved)]
    found = ltr_sql.evaluate("run", MEASURES, qrels="qrels", con=con, check=False)
    assert found.to_numpy().tolist() == [[1, 0, 0, 0, retrieved]]


@pytest.mark.slow
@pytest.mark.parametrize("case", JUDGED)
def test_options_without_validation(case: str, con: duckdb.DuckDBPyConnection) -> None:
    create_tables(con, case)
    of_query = (1, 0, 0, 0, 2) if case == "no document" else (0, None, None, None, None)
    assert means(con, ", missing := 'skip', validate := false") == [of_query]
    for option in ("unjudged := 'keep'", "unjudged := 'remove'", "ties := 'worst'", "duplicates := 'first'"):
        ((queries, *values),) = means(con, f", validate := false, {option}")
        assert (queries, values[:3]) == (1, [0, 0, 0]), option
        with pytest.raises(duckdb.Error, match=MESSAGES[case]):
            means(con, f", {option}")
    con.execute("create table asked as select unnest(['q', 'r', 'x']) as query_id")
    ((queries, *values),) = means(con, ", validate := false, asked := 'asked'")
    assert (queries, values[:3]) == (3, [0, 0, 0])


@pytest.mark.slow
def test_kept_rows_without_validation(con: duckdb.DuckDBPyConnection) -> None:
    create_tables(con, "no document")
    kept = "from ltr.judge('run', 'qrels', unjudged := 'keep', validate := false) order by all"
    assert con.execute(f"select query_id, doc_id, rank, relevance, num_ret {kept}").fetchall() == [
        ("q", "a", 1, None, 2),
        ("q", "b", 2, None, 2),
        ("q", "y", None, 1, 2),
    ]


@pytest.mark.slow
def test_what_is_refused_without_validation(con: duckdb.DuckDBPyConnection) -> None:
    create_tables(con, "no document")
    with pytest.raises(duckdb.Error, match=r"ltr\.judge: validate must be true or false, got NULL"):
        means(con, ", validate := null")
    con.execute("insert into run values ('q', null, 0.5)")
    assert means(con, ", validate := false") == [(1, 0, 0, 0, 3)]
    con.execute("update run set doc_id = 'y', score = 'nan' where doc_id is null")
    with pytest.raises(duckdb.Error, match="a score is NULL, NaN or infinite"):
        means(con, ", validate := false")
    con.execute("update run set score = 0.5 where doc_id = 'y'")
    con.execute("insert into qrels from qrels")
    with pytest.raises(duckdb.Error, match="a document is judged more than once"):
        means(con, ", validate := false")
