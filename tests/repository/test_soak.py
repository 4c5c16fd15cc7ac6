"""Many evaluations in many threads have equal values and constant memory."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pytest
from support.memory import SLACK, memory

import ltr_sql

MORE = int(os.environ.get("LTR_SQL_MORE_EXAMPLES", "1"))
THREADS = 16
# With LTR_SQL_MORE_EXAMPLES=100 or more, 200 rounds per thread. Each evaluates once in SQL and once in Python.
ROUNDS = min(200, 2 * MORE)
# Use few connections, because each copies the macros, which takes longer than the evaluations.
CONNECTIONS = THREADS if MORE > 1 else 2
RANKINGS = "select 'q' || i % 50 as query_id, i // 50 + 1 as rank, hash(i) % 3 as relevance from range(1000) as t(i)"
CALL = "from ltr.evaluate('rankings', ['AP', 'nDCG@10', 'RR'])"


def rows(con: duckdb.DuckDBPyConnection) -> tuple[list[float], list[float]]:
    """Return the values of one evaluation in SQL and one in Python."""
    frame = ltr_sql.evaluate("rankings", ["AP", "nDCG@10", "RR"], con=con)
    return list(con.execute(CALL).fetchall()[0]), frame.iloc[0].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("separate", [False, True], ids=["cursors", "connections"])
def test_threads_agree(separate: bool) -> None:
    shared = ltr_sql.register(duckdb.connect())
    shared.execute(f"create table rankings as {RANKINGS}")
    expected = rows(shared)

    def connection() -> duckdb.DuckDBPyConnection:
        if not separate:
            return shared.cursor()
        own = ltr_sql.register(duckdb.connect(config={"threads": 1}))
        own.execute(f"create table rankings as {RANKINGS}")
        return own

    def work(rounds: int) -> None:
        with connection() as con:
            for _ in range(rounds):
                for found, wanted in zip(rows(con), expected, strict=True):
                    assert found == pytest.approx(wanted, rel=0, abs=1e-12)

    threads = CONNECTIONS if separate else THREADS
    in_threads(threads, work, ROUNDS // 2)
    before = memory()
    in_threads(threads, work, ROUNDS // 2)
    assert memory() - before < SLACK
    shared.close()


def in_threads(threads: int, work: Callable[[int], None], rounds: int) -> None:
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, rounds) for _ in range(threads)]:
            done.result()


def test_a_connection_is_usable_after_an_interruption() -> None:
    with ltr_sql.register(duckdb.connect()) as con:
        con.execute(f"create table rankings as {RANKINGS}")
        (expected,) = con.execute(CALL).fetchall()
        with ThreadPoolExecutor(1) as pool:
            slow = pool.submit(con.execute, "select count(*) from range(100000000) as a, range(100000) as b")
            while not slow.done():
                con.interrupt()
            assert isinstance(slow.exception(), duckdb.InterruptException)
        assert con.execute(CALL).fetchall() == [pytest.approx(expected, rel=0, abs=1e-12)]
