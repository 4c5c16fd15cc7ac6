"""Outputs of the command line: files that are complete or as before, inputs that stay, exit codes."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result

import ltr_sql
from ltr_sql.command_line.main import main
from ltr_sql.errors import InputError, OutputError
from ltr_sql.outputs import output_file, write_text

pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\nq3 0 c 1\n"
RUN = "q1 Q0 b 1 3.0 one\nq1 Q0 a 2 2.0 one\nq2 Q0 a 1 1.0 one\nq3 Q0 c 1 1.0 one\n"
LOG = "session_id,query_id,doc_id,rank,click\ns1,q1,a,1,1\ns1,q1,b,2,0\n"
FULL = Path("/dev/full")
PROGRAM = "from ltr_sql.command_line.main import main; main()"
only_with_full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a working directory with inputs of all commands."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "qrels": QRELS,
        "run": RUN,
        "other": RUN.replace("one", "two").replace("3.0", "1.0"),
        "log.csv": LOG,
        "weights.csv": "query_id,weight\nq1,1\nq2,1\nq3,2\n",
        "queries.tsv": "query_id\ttext\nq1\tfirst\n",
        "documents.csv": "doc_id,category\na,x\nb,y\nc,x\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words), prog_name="ltr-sql")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# A command, and each input that its option -o or --save-values must not overwrite.
OVERWRITING = {
    "evaluate qrels run other --weights weights.csv -m P@1 -o": ["qrels", "run", "other", "weights.csv"],
    "evaluate qrels run -m Gini@1 --documents documents.csv -o": ["documents.csv"],
    "evaluate qrels run -m Churn@1 --churn-from other -o": ["other"],
    "trec_eval qrels run -o": ["qrels", "run"],
    "check qrels run -o": ["qrels", "run"],
    "verify qrels run -m RR -o": ["qrels", "run"],
    "conventions qrels run -m RR -o": ["qrels", "run"],
    "explain qrels run -q q1 -m RR -o": ["qrels", "run"],
    "compare qrels run other -m RR -o": ["qrels", "run", "other"],
    "compare qrels run other -m RR --save-values": ["qrels", "run", "other"],
    "compare qrels run --baseline other -m RR --save-values": ["other"],
    "compare qrels run --baseline other -m RR -o": ["other"],
    "report qrels run other -m RR --queries queries.tsv -o": ["qrels", "other", "queries.tsv"],
    "report qrels run --baseline other -m RR -o": ["other"],
    "fuse run other -o": ["run", "other"],
    "tune-fusion qrels run other -m RR -o": ["qrels", "run", "other"],
    "click-judgments log.csv -o": ["log.csv"],
    "pool run other --depth 1 --qrels qrels -o": ["run", "other", "qrels"],
}


@pytest.mark.parametrize("command", OVERWRITING)
def test_an_output_never_overwrites_an_input(command: str, folder: Path) -> None:
    before = contents(folder)
    for name in OVERWRITING[command]:
        (folder / "hard").hardlink_to(folder / name)
        (folder / "soft").symlink_to("hard")
        for spelled in (name, f"./{name}", str(folder / name), "hard", "soft"):
            result = run(*command.split(), spelled)
            assert (result.exit_code, result.stdout) == (2, ""), result.output
            assert f"{spelled} would overwrite the " in result.stderr
            assert result.stderr.endswith(f" {name}: pass another file\n")
        (folder / "soft").unlink()
        (folder / "hard").unlink()
    assert contents(folder) == before


def test_every_output_is_compared_with_every_input() -> None:
    """All options that name files to write have the type that the check looks for, in all commands."""
    context = main.make_context("ltr-sql", ["sql"])
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        written = [p for p in command.params if {*p.opts} & {"-o", "--save-values"}]
        assert all(type(p.type).__name__ == "OutputFile" for p in written)
        assert written or not any(type(p.type).__name__ == "File" for p in command.params)


def test_nothing_is_read_before_an_output_is_refused(folder: Path) -> None:
    (folder / "qrels").write_text("broken\n", encoding="utf-8")
    assert "would overwrite" in run("evaluate", "qrels", "run", "-o", "run").stderr


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="no /dev/stdin")
def test_standard_input_is_not_overwritten(folder: Path) -> None:
    done = in_shell("ltr-sql evaluate qrels - -m RR -o run < run")
    assert (done.returncode, "would overwrite the input /dev/stdin" in done.stderr) == (2, True), done.stderr
    assert (folder / "run").read_text(encoding="utf-8") == RUN


def test_two_outputs_are_two_files(folder: Path) -> None:
    words = ("compare", "qrels", "run", "other", "-m", "RR", "--save-values")
    assert "-o and --save-values name the same file" in run(*words, "new", "-o", "./new").stderr
    assert not (folder / "new").exists()


@pytest.mark.slow
def test_saved_values_of_a_baseline_may_be_replaced(folder: Path) -> None:
    """Values may be replaced, but not a run in the same format."""
    saved = ("compare", "qrels", "other", "-m", "RR", "--save-values", "base.parquet")
    assert run(*saved).exit_code == 0
    duckdb.sql("copy (from (values ('q1', 'a', 1.0)) t(query_id, doc_id, score)) to 'run.parquet'")
    words = ("compare", "qrels", "run", "-m", "RR", "--baseline")
    assert run(*words, "base.parquet", "--save-values", "base.parquet").exit_code == 0
    assert "overwrite the baseline" in run(*words, "run.parquet", "--save-values", "run.parquet").stderr
    assert "overwrite the baseline" in run(*words, "base.parquet", "-o", "base.parquet").stderr


# Files are complete or as before


class FullDiskError(OSError):
    """The error of a full disk."""

    def __init__(self) -> None:
        super().__init__(28, "No space left on device")


@contextmanager
def failing_write(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let each text be written in part, before the disk is full."""

    def write_half(path: Path, text: str, **_: Any) -> int:
        path.write_bytes(text.encode()[: len(text) // 2])
        raise FullDiskError

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", write_half)
        yield


@pytest.mark.slow
def test_a_full_disk_leaves_the_old_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "out").write_text("old", encoding="utf-8")
    before = contents(folder)
    with failing_write(monkeypatch):
        result = run("evaluate", "qrels", "run", "-m", "RR", "-o", "out")
        assert (result.exit_code, result.stderr) == (74, "Error: out cannot be written: No space left on device\n")
        page = ltr_sql.report("run", ["RR"], qrels="qrels")
        with pytest.raises(InputError, match="out cannot be written: No space left on device"):
            page.save("out")
    assert contents(folder) == before


@pytest.mark.slow
def test_saved_values_and_catalogues_leave_the_old_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("compare", "qrels", "run", "-m", "RR", "--save-values", "v.parquet").exit_code == 0
    assert run("catalogue", "-o", "c.duckdb").exit_code == 0
    before = contents(folder)
    replace = Path.replace

    def fail(path: Path, target: Path) -> Path:
        assert path.stat().st_size > 0
        raise FullDiskError

    monkeypatch.setattr(Path, "replace", fail)
    for words in ("compare qrels other -m RR --save-values v.parquet", "catalogue -o c.duckdb"):
        result = run(*words.split())
        assert (result.exit_code, "cannot be written: No space left" in result.stderr) == (74, True), result.output
    assert contents(folder) == before
    monkeypatch.setattr(Path, "replace", replace)
    assert run("compare", "qrels", "other", "-m", "RR", "--save-values", "v.parquet").exit_code == 0
    assert (folder / "v.parquet").read_bytes() != before["v.parquet"]


def test_an_error_of_the_writer_leaves_the_old_file(folder: Path) -> None:
    (folder / "out").write_text("old", encoding="utf-8")
    before = contents(folder)

    def interrupted() -> None:
        with output_file("out") as temporary:
            temporary.write_text("new", encoding="utf-8")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert contents(folder) == before


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")
def test_links_and_modes_stay(folder: Path) -> None:
    (folder / "out").write_text("old", encoding="utf-8")
    (folder / "out").chmod(0o640)
    (folder / "link").symlink_to("out")
    write_text("link", "new")
    assert (folder / "link").is_symlink()
    assert (folder / "out").read_text(encoding="utf-8") == "new"
    assert (folder / "out").stat().st_mode & 0o777 == 0o640
    assert {path.name for path in folder.iterdir() if path.name.startswith(".")} == set()
    with pytest.raises(OutputError, match="it is a folder"):
        write_text(folder, "new")


@pytest.mark.default("evaluate qrels run -m RR -o")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
@pytest.mark.parametrize("command", ["evaluate qrels run -m RR -o", "compare qrels run -m RR --save-values"])
def test_a_pipe_gets_the_output(command: str, folder: Path) -> None:
    assert run(*command.split(), "file").exit_code == 0
    os.mkfifo(folder / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_bytes()))
    reader.start()
    assert run(*command.split(), "pipe").exit_code == 0
    reader.join(10)
    assert read == [(folder / "file").read_bytes()]
    assert (folder / "pipe").is_fifo()


# Standard streams: each test starts a process, whose streams are real.


def in_shell(text: str) -> "subprocess.CompletedProcess[str]":
    command = text.replace("ltr-sql", f"'{sys.executable}' -c '{PROGRAM}'")
    return subprocess.run(["bash", "-c", command], check=False, capture_output=True, encoding="utf-8")


EVALUATE = "ltr-sql evaluate qrels run -m RR"


@pytest.mark.default("ltr-sql fuse --help-True")
@only_with_full
@pytest.mark.parametrize(("command", "buffered"), [(EVALUATE, True), (EVALUATE, False), ("ltr-sql fuse --help", True)])
def test_a_full_standard_output(command: str, buffered: bool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "" if buffered else "1")
    done = in_shell(f"{command} > /dev/full")
    error = "Error: standard output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (74, error)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="streams of a POSIX shell")
def test_a_closed_standard_output(folder: Path) -> None:
    """In a gate, 1 means that it failed."""
    gate = "ltr-sql compare qrels run other -m RR --baseline two --fail-if 'RR worse' --quiet"
    done = in_shell(f"{gate} >&-")
    assert (done.returncode, done.stderr) == (74, "Error: standard output is closed: pass -o FILE, or open it\n")
    assert in_shell(f"{EVALUATE} -o out >&-").returncode == 0
    assert (folder / "out").exists()


@pytest.mark.default("1")
@pytest.mark.skipif(sys.platform == "win32", reason="pipes of a POSIX shell")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_closes_the_pipe(unbuffered: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python drops the rest of a text without an error if its output is not buffered."""
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    done = in_shell("ltr-sql sql | head -1; exit ${PIPESTATUS[0]}")
    assert (done.returncode, done.stderr) == (74, "Error: standard output cannot be written: Broken pipe\n")


@pytest.mark.slow
@only_with_full
def test_a_full_or_closed_standard_error_is_not_the_answer_no(folder: Path) -> None:
    assert in_shell(f"{EVALUATE} 2>&-").returncode == 0
    for wrong in ("ltr-sql evaluate --nope", "ltr-sql sql nope"):
        assert in_shell(f"{wrong} 2>/dev/full").returncode == 2


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no /dev/stdout")
def test_dev_stdout_continues_standard_output(folder: Path) -> None:
    table = run(*EVALUATE.split()[1:]).stdout
    assert "RR" in table
    assert in_shell(f"(echo a; {EVALUATE} -o /dev/stdout; echo b) > kept; cat kept").stdout == f"a\n{table}b\n"


def test_a_defect_is_not_the_answer_no(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("ltr_sql.command_line.evaluate")
    for raised, shown in [(KeyError("defect"), "Traceback"), (duckdb.OutOfMemoryException("full"), "Error: full\n")]:

        def fail(*_: Any, raised: Exception = raised, **__: Any) -> None:
            raise raised

        monkeypatch.setattr(module, "evaluated", fail)
        result = run("evaluate", "qrels", "run")
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(shown)
