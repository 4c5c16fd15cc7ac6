"""Names beyond ASCII, blanks in paths, and locales that are not UTF-8."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import duckdb
import pytest
from support.places import EXAMPLE_DATA

import ltr_sql
from ltr_sql.command_line import options
from ltr_sql.macros.registration import BUNDLE

# Run all commands in one process, because starting Python is slow. Opening a file without an encoding is an error.
SCRIPT = """
import warnings
warnings.simplefilter("error", EncodingWarning)
import sys
from ltr_sql.command_line.main import main
for number in range(1, len(sys.argv)):
    words = sys.argv[number].split("|")
    print("$", words[0], flush=True)
    try:
        main(words, prog_name="ltr-sql")
    except SystemExit as end:
        print("exit", end.code, flush=True)
"""
# File names are ASCII in this locale, and output is in the code page of Windows in Western Europe.
LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "cp1252"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "Größe 日本"
    folder.mkdir()
    shutil.copy(EXAMPLE_DATA / "qrels.txt", folder / "Urteile ü.txt")
    shutil.copy(EXAMPLE_DATA / "bm25.txt", folder / "検索 é.txt")
    shutil.copy(EXAMPLE_DATA / "bm25.txt", folder / "bm25 ↑.txt")
    return folder


@pytest.mark.slow
def test_commands_in_a_locale_that_lacks_the_characters(folder: Path) -> None:
    place = folder.name
    qrels, runs = f"{place}/Urteile ü.txt", f"{place}/検索 é.txt|{place}/bm25 ↑.txt"
    commands = [
        f"evaluate|{qrels}|{runs}|-m|AP|--format|csv",
        f"compare|{qrels}|{runs}|-m|AP|--save-values|{place}/Werte é.parquet",
        f"report|{qrels}|{runs}|-m|AP|-o|{place}/Bericht é.html",
        f"fuse|{runs}|-o|{place}/zusammen é.txt",
        f"catalogue|-o|{place}/ltr é.duckdb",
        "sql",
    ]
    done = subprocess.run(
        [sys.executable, "-X", "warn_default_encoding", "-c", SCRIPT, *commands],
        cwd=folder.parent,
        env={**os.environ, **LOCALE},
        capture_output=True,
        check=False,
    )
    # Redirected output is UTF-8.
    text = done.stdout.decode("utf-8").replace("\r\n", "\n")
    assert text.count("exit 0\n") == len(commands), done.stderr.decode("utf-8")
    assert "検索 é,6,0.412" in text
    assert BUNDLE.read_text(encoding="utf-8") in text
    assert "検索 é" in (folder / "Bericht é.html").read_text(encoding="utf-8")
    with duckdb.connect() as con:
        con.execute(f"attach '{folder / 'ltr é.duckdb'}' as ltr (read_only)")
        assert con.execute("select ltr.version()").fetchall() == [(ltr_sql.__version__,)]
        values = con.execute(f"select distinct system from '{folder / 'Werte é.parquet'}' order by all").fetchall()
    assert values == [("bm25 ↑",), ("検索 é",)]
    assert ltr_sql.evaluate(folder / "zusammen é.txt", ["AP"], qrels=folder / "Urteile ü.txt")["AP"][0] > 0.3


def test_standard_input_without_a_device(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Windows has no /dev/stdin."""
    exists = Path.exists
    monkeypatch.setattr(Path, "exists", lambda path: path != Path("/dev/stdin") and exists(path))
    with (folder / "検索 é.txt").open(encoding="utf-8") as file, click.Context(click.Command("evaluate")) as context:
        monkeypatch.setattr(sys, "stdin", file)
        path = options.FILE.convert("-", None, context)
        assert Path(path).read_bytes() == (EXAMPLE_DATA / "bm25.txt").read_bytes()
    assert not Path(path).exists()
