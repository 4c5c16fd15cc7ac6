"""Ctrl-C raises KeyboardInterrupt in every call, and the connection stays usable."""

from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import pytest

import ltr_sql
from ltr_sql.inputs.session import Session, with_session

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
    def fail(_: Session) -> None:
        raise RuntimeError("another error")

    with pytest.raises(RuntimeError, match="another error"):
        with_session(None, fail)
