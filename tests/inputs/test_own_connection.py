"""Calls without `con=` share one in-memory database of the process."""

import gc
import multiprocessing
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from support.memory import SLACK, memory

import ltr_sql
from ltr_sql.inputs.connection import own_connection

RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 1.0}}
QRELS = {"q1": {"b": 1, "c": 2}, "q2": {"a": 1}}
MEASURES = ["RR", "nDCG"]
EXPECTED = ltr_sql.evaluate(RUN, MEASURES, qrels=QRELS, by_query=True).to_dict("list")


def values(run: dict[str, dict[str, float]] = RUN) -> dict[str, list[object]]:
    found: dict[str, list[object]] = ltr_sql.evaluate(run, MEASURES, qrels=QRELS, by_query=True).to_dict("list")
    return found


def database_name() -> str:
    with own_connection() as con:
        con.execute("create table if not exists mark as select uuid() as name")
        return str(con.execute("from mark").fetchall()[0][0])


def test_calls_share_a_database() -> None:
    try:
        assert database_name() == database_name()
    finally:
        own_connection().execute("drop table mark")


@pytest.mark.slow
def test_calls_leave_nothing_behind() -> None:
    values()
    with pytest.raises(ltr_sql.InputError):
        values({"q1": {"a": float("nan")}})
    ltr_sql.check(RUN, QRELS)
    ltr_sql.agreement({"a": RUN, "b": RUN}, measures=["RBO"])
    left = "select table_name from duckdb_tables() union all select view_name from duckdb_views() where not internal"
    with own_connection() as con:
        assert con.execute(left).fetchall() == []


@pytest.mark.slow
def test_threads() -> None:
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(lambda _: values(), range(48))) == [EXPECTED] * 48


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this platform cannot {method}")
    assert values() == EXPECTED
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(values, [RUN, RUN]) == [EXPECTED, EXPECTED]
    assert values() == EXPECTED


@pytest.mark.slow
def test_memory_is_given_back() -> None:
    queries, documents = 100, 300
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "query_id": np.repeat(np.arange(queries), documents),
            "doc_id": np.tile(np.arange(documents), queries),
            "score": rng.random(queries * documents),
            "relevance": rng.integers(0, 3, queries * documents),
        }
    )
    for number in range(40):
        ltr_sql.evaluate(frame, ["nDCG@10"])
        if number == 9:
            gc.collect()
            before = memory()
    gc.collect()
    assert memory() - before < SLACK
