"""An interruption of `register` leaves no part of the macros, and the next call registers all."""

import re

import duckdb
import pytest

import ltr_sql
from ltr_sql.macros import registration


@pytest.mark.default("False")
@pytest.mark.parametrize("persist", [False, True])
def test_an_interruption_leaves_no_part(persist: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    text = registration.script()
    # The macro `ltr.version` is not among the first ones.
    half = [found.start() for found in re.finditer("create or replace macro", text)][5]
    interrupted = text[:half] + "select error('half');\n" + text[half:]
    with duckdb.connect() as con:
        with monkeypatch.context() as patched:
            patched.setattr(registration, "script", lambda: interrupted)
            patched.setattr(registration, "_copy_catalogue", lambda *_: False)
            with pytest.raises(duckdb.Error, match="half"):
                ltr_sql.register(con, persist=persist)
        ltr_sql.register(con, persist=persist)
        assert con.execute("select ltr.version()").fetchall() == [(ltr_sql.__version__,)]
