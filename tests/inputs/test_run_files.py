"""Several runs in a pattern, a folder or a list of paths."""

import gzip
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql.command_line.main import main
from ltr_sql.errors import InputError

QRELS = {"q1": {"b": 1}, "q2": {"c": 1}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of two runs that share a tag, besides a hidden file and a folder."""
    runs = tmp_path / "runs"
    (runs / "old").mkdir(parents=True)
    (runs / ".DS_Store").write_text("x")
    (runs / "dense.k0.9.txt").write_text("q1 Q0 b 1 2 same\nq2 Q0 c 1 1 same\n")
    with gzip.open(runs / "bm25.run.gz", "wt") as file:
        file.write("q1 Q0 a 1 2 same\nq1 Q0 b 2 1 same\nq2 Q0 c 1 1 same\n")
    (tmp_path / "qrels.txt").write_text("q1 0 b 1\nq2 0 c 1\n")
    return runs


@pytest.mark.slow
def test_runs_are_a_pattern_a_folder_or_a_list(folder: Path) -> None:
    expected = [("bm25", 0.75), ("dense.k0.9", 1.0)]
    paths = [folder / "dense.k0.9.txt", str(folder / "bm25.run.gz")]
    for given in (f"{folder}/*", str(folder), folder, f"{folder}/**", paths[::-1], ltr_sql.run_files(folder)):
        found = ltr_sql.evaluate(given, ["RR"], qrels=QRELS)
        assert [*zip(found["system"], found["RR"], strict=True)] == expected
    assert [*ltr_sql.evaluate(paths, ["RR"], qrels=QRELS)["system"]] == ["dense.k0.9", "bm25"]
    assert [*ltr_sql.evaluate(f"{folder}/bm*", ["RR"], qrels=QRELS)["system"]] == ["bm25"]
    assert ltr_sql.compare(f"{folder}/*", ["RR"], qrels=QRELS, check=False, details=True)["difference"][0] == 0.25
    assert [*ltr_sql.Evaluator(["RR"], QRELS).evaluate(f"{folder}/*")["system"]] == ["bm25", "dense.k0.9"]


def test_suffixes_are_no_part_of_a_name(tmp_path: Path) -> None:
    names = {"BM25.RUN.GZ": "BM25", "dense.k0.9.txt": "dense.k0.9", ".txt": ".txt"}
    for name in names:
        (tmp_path / name).write_text("")
    assert [*ltr_sql.run_files([tmp_path / name for name in names])] == [*names.values()]


def test_a_tag_names_a_run_when_asked(folder: Path) -> None:
    (folder / "bm25.run.gz").unlink()
    assert ltr_sql.run_files(folder, names="tag") == {"same": str(folder / "dense.k0.9.txt")}


@pytest.mark.default("evaluate")
@pytest.mark.parametrize("command", ["evaluate", "compare", "check", "report"])
def test_commands_read_a_pattern_and_a_folder(folder: Path, command: str) -> None:
    for given in (f"{folder}/*", str(folder)):
        words = [command, str(folder.parent / "qrels.txt"), given, "-m", "RR"]
        result = CliRunner().invoke(main, [*words, "--format", "json"])
        assert result.exit_code == 0, result.output
        if command != "check":
            assert "dense.k0.9" in result.stdout


def test_an_output_must_not_overwrite_a_file_of_a_pattern(folder: Path) -> None:
    output = str(folder / "dense.k0.9.txt")
    words = ["evaluate", str(folder.parent / "qrels.txt"), f"{folder}/*", "-o", output]
    assert f"would overwrite the input {output}" in CliRunner().invoke(main, words).stderr


WRONG: list[tuple[Any, str]] = [
    ("none*", "no file matches this pattern"),
    ("runs/old", "no file is in this folder"),
    (["runs/bm25.run.gz", "runs/old.txt"], "runs/old.txt: no such file"),
    (["runs/bm25.run.gz", "copy/bm25.csv"], "runs/bm25.run.gz and copy/bm25.csv have the same name 'bm25': rename one"),
    (["runs/bm25.run.gz", 3], "the rankings cannot be read from list"),
]


@pytest.mark.parametrize(("given", "message"), WRONG, ids=[message[:40] for _, message in WRONG])
def test_wrong_files(folder: Path, given: Any, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    os.mkdir("copy")
    Path("copy/bm25.csv").write_text("query_id,doc_id,score\n")
    with pytest.raises(InputError) as error:
        ltr_sql.evaluate(given, ["RR"], qrels=QRELS)
    assert message in str(error.value)


def test_wrong_names_of_run_files(folder: Path) -> None:
    for paths, names, message in (
        (folder, "tag", "have the same run tag 'same': rename one of them, or pass a dict"),
        (folder, "stem", "names must be 'file' or 'tag', got 'stem'"),
        ([], "file", "the list of runs is empty"),
        ({"a": 1}, "file", "No such file"),
        (3, "file", "pass runs as a pattern, a folder or a list of paths"),
    ):
        with pytest.raises(InputError) as error:
            ltr_sql.run_files(paths, names=names)
        assert message.lower() in str(error.value).lower()
