"""The extension compiles, loads, and gives the values of Python."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from support.places import ROOT

import ltr_sql
from ltr_sql.macros.registration import BUNDLE, catalogue_file
from ltr_sql.rendering.dialects import string

pytestmark = pytest.mark.clients

UNSIGNED: dict[str, str | bool | int | float | list[str]] = {"allow_unsigned_extensions": "true"}
MACROS = (
    "select function_name, parameters, comment from duckdb_functions() where {} = 'ltr' and not internal order by all"
)


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("extension")
    subprocess.run([sys.executable, str(ROOT / "extension" / "build.py"), str(folder)], check=True)
    return f"load {string(str(folder / 'ltr.duckdb_extension'))}"


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config=UNSIGNED) as connection:
        yield connection


def test_a_compiler_that_is_missing_is_named(tmp_path: Path) -> None:
    words = [sys.executable, str(ROOT / "extension" / "build.py"), str(tmp_path)]
    done = subprocess.run(words, env={**os.environ, "CC": "no-cc"}, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert done.stderr == "no-cc is not installed: install gcc, or set CC to another C compiler\n"


def test_all_macros_are_those_of_the_script(con: duckdb.DuckDBPyConnection, extension: str) -> None:
    con.execute(extension)
    found = con.execute(MACROS.format("database_name")).fetchall()
    with duckdb.connect() as other:
        other.execute(BUNDLE.read_text(encoding="utf-8"))
        assert found == other.execute(MACROS.format("schema_name")).fetchall()


def test_the_same_rows_by_extension_file_script_and_python(extension: str) -> None:
    # Scores are tied, some documents are not judged or not retrieved, and one system lacks a query.
    tables = """
        create table run as
        select s.system, q.i as query_id, d.i as doc_id, (q.i * d.i * length(s.system)) % 11 as score
        from (values ('a'), ('bb')) as s(system), range(1, 40) as q(i), range(1, 25) as d(i)
        where (s.system, q.i) <> ('bb', 7);
        create table qrels as
        select q.i as query_id, d.i as doc_id, (q.i * d.i * 7 + d.i) % 4 as relevance
        from range(1, 40) as q(i), range(3, 28) as d(i)
    """
    measures = ["nDCG@10", "AP", "RR", "ERR(max_grade=3)@20", "RBP(p=0.8)", "Bpref"]
    call = f"""
        with judged as (from ltr.judge('run', 'qrels', keys := ['system']))
        from ltr.evaluate('judged', {measures}, keys := ['system'])
        order by system
    """
    rows = []
    for load in (extension, f"attach {string(str(catalogue_file()))} as ltr (read_only)", BUNDLE.read_text("utf-8")):
        with duckdb.connect(config={**UNSIGNED, "threads": 1}) as other:
            other.execute(load)
            other.execute(tables)
            rows.append(other.execute(call).fetchall())
    with duckdb.connect(config={"threads": 1}) as other:
        ltr_sql.register(other).execute(tables)
        rows.append(other.execute(call).fetchall())
        frame = ltr_sql.evaluate("run", measures, qrels="qrels", keys=["system"], check=False, con=other)
    assert len(rows[0]) == 2
    assert rows == [rows[0]] * 4
    # Python renders another query, which may sum in another order.
    for row, found in zip(rows[0], frame.itertuples(index=False, name=None), strict=True):
        assert row[:2] == found[:2]
        assert row[2:] == pytest.approx(found[2:], abs=1e-12)


def test_a_database_that_is_read_only(extension: str, tmp_path: Path) -> None:
    path = tmp_path / "data.duckdb"
    with duckdb.connect(path) as con:
        con.execute("create table judged as select 1 as query_id, 1 as rank, 1 as relevance")
    with duckdb.connect(path, read_only=True, config=UNSIGNED) as con:
        con.execute(extension)
        assert con.execute("from ltr.ap('judged')").fetchall() == [(1, 1.0)]


def test_beside_registered_macros(con: duckdb.DuckDBPyConnection, extension: str) -> None:
    ltr_sql.register(con)
    con.execute(extension)
    ltr_sql.register(con)
    assert con.execute("select ltr.version()").fetchall() == [(ltr_sql.__version__,)]


def test_other_macros_and_databases_stay(con: duckdb.DuckDBPyConnection, extension: str) -> None:
    con.execute("attach ':memory:' as ltr; create macro ltr.version() as '0.0.9'")
    with pytest.raises(duckdb.Error, match=r"'ltr' holds the macros of ltr_sql 0\.0\.9, but this extension is"):
        con.execute(extension)
    con.execute("detach ltr; attach ':memory:' as ltr; create table ltr.mine as select 1 as x")
    with pytest.raises(duckdb.Error, match="ltr"):
        con.execute(extension)
    assert con.execute("from ltr.mine").fetchall() == [(1,)]
    attached = "select count(*) from duckdb_databases() where database_name = '__ltr_catalogue'"
    assert con.execute(attached).fetchall() == [(0,)]


def test_temporary_files(extension: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "Größe's"
    folder.mkdir()
    for name, loads in ((folder, True), (tmp_path / "nope", False)):
        script = f"import duckdb; duckdb.connect(config={UNSIGNED}).execute({extension!r})"
        monkeypatch.setenv("TMPDIR", str(name))
        done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
        assert (done.returncode == 0) is loads
        assert loads or "set TMPDIR to a folder for temporary files" in done.stderr
    assert list(folder.iterdir()) == []


def test_the_test_of_the_extension_repository(con: duckdb.DuckDBPyConnection, extension: str) -> None:
    con.execute(extension)
    text = (ROOT / "extension" / "test" / "sql" / "ltr.test").read_text(encoding="utf-8")
    checked = 0
    for block in text.split("\n\n"):
        head, _, body = block.partition("\n")
        query, _, expected = body.partition("\n----\n")
        if head.startswith("statement error"):
            with pytest.raises(duckdb.Error, match=expected.strip()):
                con.execute(query)
        elif head.startswith("statement ok"):
            con.execute(query)
        elif head.startswith("query"):
            (row,) = con.execute(query).fetchall()
            assert [str(value).lower() for value in row] == expected.split()
        checked += head.startswith(("statement", "query"))
    assert checked == 4
