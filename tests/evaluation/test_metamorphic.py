"""Values do not depend on row order, ids, number of files, other systems, threads or documents below the cutoff."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import ltr_sql
from ltr_sql.verification import TOLERANCE, difference

MEASURES = ["AP", "nDCG", "nDCG@10", "RR@10", "P@10", "R@10", "Bpref", "Rprec", "RBP", "G", "KendallTau", "Judged@10"]
AT_10 = [text for text in MEASURES if text.endswith("@10")]

Values = dict[str, list[float | None]]


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """Connection with a run of 20 queries without ties, and judgments of retrieved and missed documents."""
    with duckdb.connect() as connection:
        connection.execute("""
            create table run as
            select 'q' || q as query_id, 'd' || i as doc_id, hash(hash(q, i)) / 1e19 as score
            from range(10, 30) as t(q), range(60) as u(i)""")
        connection.execute("""
            create table qrels as
            select 'q' || q as query_id, 'd' || i as doc_id, hash(hash(q, i, 1)) % 4 as relevance
            from range(10, 30) as t(q), range(80) as u(i)
            where hash(hash(q, i, 2)) % 3 = 0""")
        yield connection


def values_of(con: duckdb.DuckDBPyConnection, run: str, qrels: str = "qrels", measures: list[str] = MEASURES) -> Values:
    frame = ltr_sql.evaluate(run, measures, qrels=qrels, by_query=True, con=con)
    return {str(row[0]): list(row[1:]) for row in frame.itertuples(index=False)}


def assert_same(found: Values, expected: Values) -> None:
    assert found.keys() == expected.keys()
    for query, values in expected.items():
        for value, other in zip(found[query], values, strict=True):
            assert other is not None
            assert difference(value, other) <= TOLERANCE, query


@pytest.mark.default("2")
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_rows(seed: int, con: duckdb.DuckDBPyConnection) -> None:
    for name in ("run", "qrels"):
        order = f"order by hash(query_id || doc_id || '{seed}')"
        con.execute(f"create or replace temp table shuffled_{name} as from {name} {order}")
    assert_same(values_of(con, "shuffled_run", "shuffled_qrels"), values_of(con, "run"))


def test_the_names_of_ids(con: duckdb.DuckDBPyConnection) -> None:
    for name in ("run", "qrels"):
        con.execute(f"""
            create or replace temp table renamed_{name} as
            select * replace (md5(query_id) as query_id, 'Ünï ' || md5(doc_id) as doc_id) from {name}""")
    names = dict(con.execute("select md5(query_id), query_id from run group by all").fetchall())
    found = values_of(con, "renamed_run", "renamed_qrels")
    assert_same({names[query]: values for query, values in found.items()}, values_of(con, "run"))


def test_several_files(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    for part in range(3):
        con.execute(f"copy (from run where hash(doc_id) % 3 = {part}) to '{tmp_path / f'{part}.parquet'}'")
    con.execute(f"create or replace temp view parts as from read_parquet('{tmp_path}/*.parquet')")
    assert_same(values_of(con, "parts"), values_of(con, "run"))


def test_documents_below_the_cutoff(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("""
        create or replace temp table longer as
        from run
        union all
        select 'q' || q as query_id, 'new' || i as doc_id, -1.0 - i as score
        from range(10, 30) as t(q), range(50) as u(i)""")
    assert_same(values_of(con, "longer", measures=AT_10), values_of(con, "run", measures=AT_10))


def test_more_systems(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("""
        create or replace temp table systems as
        select 's' || s as system, query_id, doc_id, case when s = 1 then score else hash(doc_id, s) / 1e19 end as score
        from run, range(4) as t(s)""")
    frame = ltr_sql.evaluate("systems", MEASURES, qrels="qrels", keys=["system"], by_query=True, con=con)
    one = frame[frame["system"] == "s1"].drop(columns="system")
    assert_same({str(row[0]): list(row[1:]) for row in one.itertuples(index=False)}, values_of(con, "run"))


@pytest.mark.default("1")
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_threads(threads: int, con: duckdb.DuckDBPyConnection) -> None:
    expected = values_of(con, "run")
    con.execute(f"set threads = {threads}")
    assert_same(values_of(con, "run"), expected)
    con.execute("reset threads")
