"""Ctrl-C raises KeyboardInterrupt in every call, and the connection stays usable, also if other threads use it."""

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

import ltr_sql
from ltr_sql.inputs.session import Session, with_warnings

# Calls on a million rows, in a process of its own. Each is repeated until the signal ends it.
REAL_SIGNALS = """
import os, signal, sys, threading, time
import duckdb, ltr_sql

MEASURES = ["AP", "nDCG@10", "Bpref"]
con = duckdb.connect()
con.execute("create table n as from range(1000000) as r(i)")
con.execute("create table run as select i // 100 as query_id, i % 100 as doc_id, hash(i)::double as score from n")
con.execute("create table other as select * replace (hash(score)::double as score) from run")
con.execute("create table qrels as select query_id, doc_id, hash(score) % 3 as relevance from run where doc_id % 2 = 0")
small = con.execute("from qrels limit 1000").df()
frame = con.execute("from run").df()
evaluator = ltr_sql.Evaluator(MEASURES, con.execute("from qrels").df())
calls = {
    "evaluate": lambda: ltr_sql.evaluate("run", MEASURES, qrels="qrels", con=con),
    "evaluate, data frame": lambda: ltr_sql.evaluate(frame, MEASURES, qrels="qrels", con=con),
    "compare": lambda: ltr_sql.compare({"a": "run", "b": "other"}, MEASURES, qrels="qrels", con=con),
    "fuse": lambda: ltr_sql.fuse({"a": "run", "b": "other"}, con=con),
    "Evaluator": lambda: evaluator.evaluate(frame),
    "register": lambda: ltr_sql.register(con),
}

def press(started, sent):
    started.wait()
    time.sleep(0.3)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

for name, call in calls.items():
    started, sent, seen = threading.Event(), [], None
    thread = threading.Thread(target=press, args=(started, sent))
    thread.start()
    try:
        started.set()
        while True:
            call()
    except BaseException as error:
        seen = type(error).__name__
    waited = time.monotonic() - sent[0]
    thread.join()
    tables = con.execute("select table_name from duckdb_tables() where schema_name = 'main'").fetchall()
    print(name, seen, sorted(name for name, in tables), sep="; ")
    print(f"{name}: {waited:.2f} s", file=sys.stderr)
ltr_sql.register(con).execute("select ltr.version()")
assert len(ltr_sql.evaluate("run", ["AP"], qrels="qrels", con=con)) == 1
assert len(evaluator.evaluate(small.rename(columns={"relevance": "score"}))) == 1
"""
RUN = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]})
QRELS = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "relevance": [1]})
CALLS: dict[str, Callable[[duckdb.DuckDBPyConnection], Any]] = {
    "evaluate": lambda con: ltr_sql.evaluate("run", ["AP"], qrels="qrels", con=con),
    "compare": lambda con: ltr_sql.compare({"a": "run", "b": "run"}, ["AP"], qrels="qrels", con=con),
    "check": lambda con: ltr_sql.check("run", "qrels", con=con),
    "fuse": lambda con: ltr_sql.fuse({"a": "run", "b": "run"}, con=con),
    "pool": lambda con: ltr_sql.pool({"a": "run", "b": "run"}, con=con),
    "Evaluator": lambda _: ltr_sql.Evaluator(["AP"], QRELS).evaluate(RUN),
}


@pytest.mark.default("evaluate")
@pytest.mark.parametrize("call", CALLS)
def test_an_interruption_of_a_query_is_a_keyboard_interrupt(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise RuntimeError("Query interrupted")

    with duckdb.connect() as con:
        con.execute("create table run as from RUN")
        con.execute("create table qrels as from QRELS")
        with monkeypatch.context() as patched:
            patched.setattr(Session, "bind", interrupted)
            with pytest.raises(KeyboardInterrupt):
                CALLS[call](con)
        CALLS[call](con)


def test_other_errors_stay_as_they_are() -> None:
    def fail(_: Session) -> tuple[None, list[str]]:
        raise RuntimeError("another error")

    with pytest.raises(RuntimeError, match="another error"):
        with_warnings(None, fail)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_a_signal_is_a_keyboard_interrupt(tmp_path: Path) -> None:
    """The calls end long before the time limit of the process; DuckDB ends a query between two parts of its rows."""
    (tmp_path / "calls.py").write_text(REAL_SIGNALS, encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "calls.py"], cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=300, check=False
    )
    calls = ("evaluate", "evaluate, data frame", "compare", "fuse", "Evaluator", "register")
    assert found.stdout.splitlines() == [f"{call}; KeyboardInterrupt; ['n', 'other', 'qrels', 'run']" for call in calls]
    assert found.returncode == 0, found.stderr


@pytest.mark.default("pool")
@pytest.mark.skipif(duckdb.__version__ < "2", reason="DuckDB 1 waits for the other call")
@pytest.mark.parametrize("call", [call for call in CALLS if call != "Evaluator"])
def test_a_connection_that_another_thread_uses(call: str) -> None:
    with duckdb.connect() as con, ThreadPoolExecutor(1) as thread:
        con.execute("create table run as from RUN")
        con.execute("create table qrels as from QRELS")
        try:
            other = thread.submit(
                con.execute, "select sum(a.range * b.range) from range(10000000) as a, range(10000000) as b"
            )
            busy = False
            while not busy:
                assert not other.done()
                time.sleep(0.01)
                try:
                    con.execute("select 1")
                except duckdb.Error:
                    busy = True
            with pytest.raises(ltr_sql.InputError, match=r"con=con\.cursor\(\)"):
                CALLS[call](con)
            CALLS[call](con.cursor())
        finally:
            while not other.done():
                con.interrupt()
                time.sleep(0.01)
        CALLS[call](con)
