"""Missing files and tables, names of files that are not UTF-8, and errors without chained tracebacks."""

import gzip
import os
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql.command_line.main import main
from ltr_sql.errors import LtrSqlError

CONVENTIONS = import_module("ltr_sql.evaluation.conventions")
QRELS = pd.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["a", "a"], "relevance": [1, 1]})
VALUES_TWICE = pd.DataFrame({"system": ["a", "a", "b"], "query_id": ["q"] * 3, "m": 1.0})
RUN = pd.DataFrame({"query_id": ["q1", "q2"], "doc_id": ["a", "a"], "score": [1.0, 1.0]})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder with files of some names."""
    monkeypatch.chdir(tmp_path)
    for name in ("bm25.txt", "Dense.run.gz", "notes.md"):
        (tmp_path / name).write_text("q1 Q0 a 1 1.0 t\n", encoding="utf-8")
    (tmp_path / "more").mkdir()
    return tmp_path


def message_of(call: Callable[[], Any]) -> str:
    """Return the message of an error, which must not show another traceback."""
    with pytest.raises(LtrSqlError) as error:
        call()
    shown = "".join(traceback.format_exception(error.value))
    assert shown.count("Traceback (most recent call last)") == 1, shown
    return str(error.value)


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ("bm52.txt", "no such file in {} (similar: bm25.txt)"),
        ("bm25", "no such file in {} (similar: bm25.txt)"),
        ("dense.run", "no such file in {} (similar: Dense.run.gz)"),
        ("splade.txt", "no such file in {}"),
        ("nowhere/bm25.txt", "there is no folder {}/nowhere"),
    ],
)
def test_a_missing_file(given: str, where: str, folder: Path) -> None:
    where = where.format(folder)
    advice = "; to read a table of this name, pass its connection as con="
    for call in (
        lambda: ltr_sql.evaluate(given, ["RR"], qrels=QRELS),
        lambda: ltr_sql.evaluate(RUN, ["RR"], qrels=given),
        lambda: ltr_sql.evaluate({"x": given}, ["RR"], qrels=QRELS),
        lambda: ltr_sql.Evaluator(["RR"], given),
        lambda: ltr_sql.check(given, QRELS),
        lambda: ltr_sql.pool({"x": given}),
    ):
        assert message_of(call) == f"{given}: {where}{advice}"
    assert message_of(lambda: ltr_sql.evaluate(Path(given), ["RR"], qrels=QRELS)) == f"{given}: {where}{advice}"
    for words in (["evaluate", given, "bm25.txt"], ["evaluate", "bm25.txt", given], ["fuse", given, "bm25.txt"]):
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 2
        assert f"File {given!r} does not exist: {where}\n" in result.stderr
    words = ["compare", "bm25.txt", "bm25.txt", "--baseline", given]
    assert CliRunner().invoke(main, words).stderr.endswith(f"; {where}\n") or given == "bm25"


def test_a_missing_table(folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create table my_runs as select 1 as x")
    con.execute("create view my_view as select 1 as x")
    expected = f"no such file in {folder}; no table has this name"
    for begun in (False, True):
        if begun:
            con.execute("begin")
        for name, similar in {"my_run": " (similar: my_runs)", "my_veiw": " (similar: my_view)", "other": ""}.items():
            message = message_of(lambda name=name: ltr_sql.evaluate(name, ["RR"], con=con))  # type: ignore[misc]
            assert message == f"{name} is neither a file nor a table of the connection: {expected}{similar}"


def test_a_view_that_fails_is_not_missing(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create table base as select 1 as x")
    con.execute("create view broken as select x from base")
    con.execute("drop table base")
    message = message_of(lambda: ltr_sql.evaluate("broken", ["RR"], con=con))
    assert "base" in message
    assert "neither a file" not in message


# Names of files

only_on_linux = pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux only")


@pytest.mark.slow
@only_on_linux
@pytest.mark.parametrize("suffix", [".txt.gz", ".txt", ".csv", ".csv.zst", ".parquet"])
def test_names_of_files_that_are_not_utf8(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As inputs and outputs, and in a folder whose name is not UTF-8."""
    folder = tmp_path / os.fsdecode(b"folder\xff")
    folder.mkdir()
    monkeypatch.chdir(folder)
    name, plain = os.fsdecode(b"run\xe9") + suffix, tmp_path / f"plain{suffix}"
    if ".txt" in suffix:
        text = b"q1 Q0 a 1 1.0 t\nq2 Q0 a 1 1.0 t\n"
        plain.write_bytes(gzip.compress(text) if suffix.endswith(".gz") else text)
    else:
        with duckdb.connect() as con:
            con.register("frame", RUN)
            con.execute(f"copy frame to '{plain}'")
    plain.rename(folder / name)
    for given in (name, folder / name):
        assert ltr_sql.evaluate(given, ["RR"], qrels=QRELS)["RR"][0] == 1.0
    (folder / "qrels").write_text("q1 0 a 1\nq2 0 a 1\n", encoding="utf-8")
    saved = os.fsdecode(b"v\xff.parquet")
    for words in (["evaluate"], ["compare", "--save-values", saved]):
        result = CliRunner().invoke(main, [*words, "qrels", name, "-m", "RR", "-o", os.fsdecode(b"o\xff.txt")])
        assert result.exit_code == 0, result.output
    result = CliRunner().invoke(main, ["compare", "qrels", name, "-m", "RR", "--baseline", saved, "--allow-empty"])
    assert result.exit_code == 0, result.output
    (folder / name).write_bytes(b"nothing of this kind")
    message = message_of(lambda: ltr_sql.evaluate(name, ["RR"], qrels=QRELS))
    assert "ltr_sql-" not in message, "the temporary name is shown"


@pytest.mark.slow
@only_on_linux
def test_texts_in_files_that_are_not_utf8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"queries\xff.tsv")
    Path(name).write_text("q1\tfirst\nq2\tsecond\n", encoding="utf-8")
    page = ltr_sql.report({"a": RUN, "b": RUN}, ["RR"], qrels=QRELS, queries=name)
    assert "first" in page.json


# No input error shows another traceback.

WRONG: dict[str, Callable[[Path], Any]] = {
    "a damaged gzip file": lambda folder: ltr_sql.evaluate(folder / "bm25.gz", ["RR"], qrels=QRELS),
    "a damaged Parquet file": lambda folder: ltr_sql.evaluate(folder / "bad.parquet", ["RR"], qrels=QRELS),
    "a malformed CSV file": lambda folder: ltr_sql.evaluate(folder / "bad.csv", ["RR"], qrels=QRELS),
    "a malformed JSON file": lambda folder: ltr_sql.evaluate(folder / "bad.json", ["RR"], qrels=QRELS),
    "a malformed run": lambda folder: ltr_sql.evaluate(folder / "bad.txt", ["RR"], qrels=QRELS),
    "a run that is not UTF-8": lambda folder: ltr_sql.evaluate(folder / "latin1.txt", ["RR"], qrels=QRELS),
    "a document twice": lambda _: ltr_sql.evaluate(pd.concat([RUN, RUN]), ["RR"], qrels=QRELS),
    "a document twice, kept": lambda _: ltr_sql.Evaluator(["RR"], QRELS).evaluate(pd.concat([RUN, RUN])),
    "a judgment twice": lambda _: ltr_sql.evaluate(RUN, ["RR"], qrels=pd.concat([QRELS, QRELS])),
    "an infinite score": lambda _: ltr_sql.evaluate(RUN.assign(score=float("inf")), ["RR"], qrels=QRELS),
    "another relation": lambda _: ltr_sql.evaluate(duckdb.connect().sql("select 1 as x"), ["RR"], con=duckdb.connect()),
    "a lazy frame": lambda _: ltr_sql.evaluate(pl.LazyFrame({"query_id": ["q"]}), ["RR"], qrels=QRELS),
    "ids of bytes": lambda _: ltr_sql.evaluate({b"\xff": {"a": 1}}, ["RR"], qrels=QRELS),
    "values twice": lambda _: ltr_sql.compare(VALUES_TWICE),
    "an unknown measure": lambda _: ltr_sql.evaluate(RUN, ["nope"], qrels=QRELS),
    "wrong gains": lambda _: ltr_sql.evaluate(RUN, ["nDCG"], qrels=QRELS, gains={1: float("nan")}),
    "wrong weights": lambda _: ltr_sql.evaluate(RUN, ["RR"], qrels=QRELS, weights={"q1": 1}),
    "an infinite weight": lambda _: ltr_sql.evaluate(RUN, ["RR"], qrels=QRELS, weights={"q1": 1, "q2": float("inf")}),
    "an unknown key": lambda _: ltr_sql.evaluate(RUN, ["RR"], qrels=QRELS, keys=["nope"]),
    "an unknown data set": lambda _: ltr_sql.evaluate(RUN, ["RR"], qrels="irds:nope"),
    "a fused run": lambda _: ltr_sql.fuse({"a": RUN, "b": pd.concat([RUN, RUN])}),
    "clicks": lambda _: ltr_sql.click_judgments(RUN),
    "off-policy": lambda _: ltr_sql.off_policy(pd.DataFrame({"reward": [1.0]}), "ips"),
    "agreement": lambda _: ltr_sql.agreement(pd.concat([RUN, RUN]), RUN, ["RBO"]),
    "beyond accuracy": lambda _: ltr_sql.evaluate(RUN, ["Gini@1"]),
    "a report": lambda _: ltr_sql.report(pd.concat([RUN, RUN]), ["RR"], qrels=QRELS),
    "a query to explain": lambda _: ltr_sql.explain(RUN, "q9", "RR", qrels=QRELS),
    "verify": lambda _: ltr_sql.verify(pd.concat([RUN, RUN]), ["RR"], qrels=QRELS),
    "a report that cannot be saved": lambda f: ltr_sql.report(RUN, ["RR"], qrels=QRELS).save(f / "no" / "x.html"),
    "a rendered measure": lambda _: ltr_sql.render(["nope"]),
    "conventions": lambda f: CONVENTIONS.compare_conventions(str(f / "bad.txt"), QRELS, ["RR"]),
    "merged judgments": lambda _: ltr_sql.merge_judgments(QRELS),
}


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.parametrize("name", WRONG)
def test_an_input_error_shows_one_traceback(name: str, tmp_path: Path) -> None:
    for file, content in {
        "bm25.gz": b"\x1f\x8bnot gzip",
        "bad.parquet": b"PAR1 no",
        "bad.csv": b"query_id,doc_id,score\nq1,a\nq1,b,1,2\n",
        "bad.json": b'{"query_id": ',
        "bad.txt": b"q1 Q0 a 1\n",
        "latin1.txt": b"q\xe9 Q0 a 1 1.0 t\n",
    }.items():
        (tmp_path / file).write_bytes(content)
    message_of(lambda: WRONG[name](tmp_path))
