"""The command line at a terminal: stages, interruptions, marks of the best values, options and completion."""

import io
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from support import calls, mistakes
from support.places import EXAMPLE_DATA

from ltr_sql.catalogue.functions import builders
from ltr_sql.command_line import options, terminal
from ltr_sql.command_line.formats import fits, fitted, table_text, turned
from ltr_sql.command_line.main import main
from ltr_sql.command_line.terminal import StageLine

FILES = [str(EXAMPLE_DATA / name) for name in ("qrels.txt", "bm25.txt", "dense.txt")]


class Terminal(io.TextIOWrapper):
    """A terminal that holds what was written."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="")
        self.written = threading.Condition()

    def write(self, text: str) -> int:
        with self.written:
            self.written.notify_all()
            return super().write(text)

    def wait_for(self, pattern: str) -> None:
        """Wait until the text has a pattern."""
        with self.written:
            assert self.written.wait_for(lambda: re.search(pattern, self.text()), timeout=30), self.text()

    def isatty(self) -> bool:
        return True

    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode(self.encoding)


def test_a_stage_appears_after_some_time_and_is_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (terminal._PATIENCE, terminal._INTERVAL) == (1, 0.2)
    patient = Terminal()
    line = StageLine(patient)
    line.show("reading")
    line.end()
    assert patient.text() == ""
    monkeypatch.setattr(terminal, "_PATIENCE", 0.02)
    monkeypatch.setattr(terminal, "_INTERVAL", 0.02)
    shown = Terminal("ascii")
    line = StageLine(shown)
    line.show("reading \x1b[31m\u4f60.txt")
    shown.wait_for(r"\r\x1b\[Kreading \?\[31m\?\.txt: 0 s")
    line.show("measures")
    shown.wait_for("measures: 0 s")
    line.show("measures", 0.25)
    line._since -= 30
    line.show("measures", 0.25)
    shown.wait_for("measures: 30 s, 25% done, about 90 s left")
    line.end()
    assert shown.text().endswith("\r\x1b[K")
    # Closing the terminal stops the progress line but not the command.
    closed = Terminal()
    line = StageLine(closed)
    closed.close()
    line.show("measures")
    assert line._thread
    line._thread.join(10)
    assert not line._thread.is_alive()


@contextmanager
def at_a_terminal(program: str, *words: str) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    """Run a program with a pseudo-terminal as stderr. Yield the process and the other end of the terminal."""
    master, slave = pty.openpty()
    # A session of its own gives the process this terminal, which turns ^C into a signal.
    own = "import fcntl, os, termios; os.setsid(); fcntl.ioctl(2, termios.TIOCSCTTY, 0)\n"
    process = subprocess.Popen([sys.executable, "-c", own + program, *words], stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    try:
        yield process, master
    finally:
        process.kill()
        process.communicate()
        os.close(master)


def read_until(master: int, pattern: str) -> str:
    """Read from a pseudo-terminal until a pattern, or until its end."""
    text = ""
    while not re.search(pattern, text):
        try:
            text += os.read(master, 10_000).decode()
        except OSError:
            # Linux reports the end like this.
            break
    return text


@pytest.mark.slow
def test_an_interruption_while_a_stage_is_shown_is_one_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    program = (
        "from ltr_sql.command_line import main, terminal; terminal._PATIENCE = 0.05; main.main(prog_name='ltr-sql')"
    )
    with at_a_terminal(program, "evaluate", str(tmp_path / "pipe"), FILES[1]) as (process, master):
        shown = read_until(master, "reading pipe: 0 s")
        os.write(master, b"\x03")
        shown += read_until(master, "Interrupted\r\n")
        assert process.wait(30) == 130
        assert process.stdout
        assert process.stdout.read() == b""
    # What a terminal shows: each line without the parts that were erased.
    assert "^C" in shown
    assert [line.rpartition("\r\x1b[K")[2] for line in shown.split("\r\n")] == ["Interrupted", ""]


# A large run in accuracy, whose rows are shuffled. Its copies are in the folder of the first argument.
BATCHES = """
import sys
import duckdb
from ltr_sql.command_line import main
from ltr_sql.command_line import terminal
from ltr_sql.evaluation import accuracy

folder = sys.argv.pop(1)
rows = "select i // 100 as query_id, i % 100 as doc_id, hash(i)::double as score from range(3000000) as t(i)"
duckdb.execute(f"create table run as {rows} order by hash(i) asc")
duckdb.execute(f"copy run to '{folder}/run.parquet'")
judged = "select query_id, doc_id, doc_id % 3 as relevance from run where doc_id < 20"
duckdb.execute(f"copy ({judged}) to '{folder}/qrels.parquet'")
accuracy._ROWS = 30_000
terminal._PATIENCE = 0.05
main.main(prog_name="ltr-sql")
"""


@pytest.mark.slow
def test_an_interruption_of_batches_ends_soon_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("evaluate", "qrels.parquet", "run.parquet", "-m", "AP")
    with at_a_terminal(BATCHES, str(tmp_path), *words) as (process, master):
        shown = read_until(master, r"measures by query: \d+ s, \d+% done, about \d+ s left")
        os.write(master, b"\x03")
        shown += read_until(master, "Interrupted\r\n")
        # DuckDB ends a query between two parts of its rows.
        assert process.wait(30) == 130
    assert "copy of the run by query: " in shown
    assert shown.rpartition("\r\x1b[K")[2] == "Interrupted\r\n"
    assert {path.name for path in tmp_path.iterdir()} == {"run.parquet", "qrels.parquet"}


def on_screen(monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[str, str]:
    """Return what a command writes to stdout and stderr if both are terminals, without stages."""
    monkeypatch.setattr(terminal, "_PATIENCE", 1000)
    out, err = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    assert main(words, prog_name="ltr-sql", standalone_mode=False) in (0, None)
    return out.text(), err.text()


def test_the_best_values_are_marked_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    words = ("evaluate", *FILES, "-m", "nDCG@5")
    bold, _ = on_screen(monkeypatch, *words)
    assert "\x1b[1m*0.5851\x1b[0m" in bold
    monkeypatch.setenv("NO_COLOR", "1")
    plain, _ = on_screen(monkeypatch, *words)
    assert plain == re.sub(r"\x1b\[\d?m", "", bold)
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert on_screen(monkeypatch, *words)[0] == plain
    lines = plain.splitlines()
    assert [line.split() for line in lines] == [
        ["system", "queries", "nDCG@5"],
        ["--------", "---------", "--------"],
        ["bm25", "6", "0.4743"],
        ["dense", "6", "*0.5851"],
        ["*", "best"],
    ]
    assert len({len(line) for line in (lines[0], *lines[2:4])}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("columns", [pytest.param(100, marks=pytest.mark.slow), 80])
def test_tables_fit_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")

    def printed(*words: str) -> list[str]:
        with suppress(SystemExit):
            on_screen(monkeypatch, *words)
        assert isinstance(sys.stdout, Terminal)
        return sys.stdout.text().splitlines()

    long = [str(tmp_path / Path(file).name) for file in FILES]
    for given, copy in zip(FILES, long, strict=True):
        text = re.sub(r"\bd(\d+)\b", r"document-of-the-catalogue-\1", Path(given).read_text(encoding="utf-8"))
        Path(copy).write_text(text, encoding="utf-8")
    weeks = tmp_path / "weeks.csv"
    rows = [f"q{i % 9},2026-W{10 + i // 9},{i % 7 / 7}" for i in range(27)]
    weeks.write_text("\n".join(["query_id,week,m", *rows]), encoding="utf-8")
    measures = ("-m", "nDCG@5", "-m", "RR")
    compared = ("compare", *FILES, *measures)
    explained = ("explain", *FILES[:2], "-q", "q1", "-m", "nDCG@5")
    lost = ("worst", *long, "-m", "nDCG@5", "-n", "1", "--baseline", "bm25")
    trend = ("trend", "--values", str(weeks))
    lists: dict[tuple[str, ...], str] = {
        compared: "+0.1108",
        (*compared, "-n", "1", "--margin", "0.1"): "p of 'not worse'",
        explained: "ideal_doc_id",
        ("explain", *long[:2], "-q", "q1", "-m", "nDCG@5"): "ideal_doc_id",
        lost: "loses ",
        trend: "Left out: mix" if columns == 80 else "mix",
        ("check", *FILES[:2]): "what to do:",
        ("measures",): "nDCG",
        ("conventions", *FILES[:2], "-m", "Judged@5"): "differs because of",
        ("verify", *FILES[:2], *measures): "equal",
    }
    for words, part in lists.items():
        lines = printed(*words)
        assert max(map(len, lines)) <= columns, words
        assert part in " ".join(lines), words
    if columns == 100:
        assert max(map(len, printed(*compared))) <= 88
    # All columns are too wide for a table, and files and pipes are as wide as their rows.
    wide = printed(*compared, "--wide", "--details")
    assert max(map(len, wide)) <= columns
    assert sum(line.startswith("uncorrected_low ") for line in wide) == 2
    assert printed(*explained, "--wide")[0].split()[0] == "query_id"
    for words in (lost, trend):
        assert "Left out" not in " ".join(printed(*words, "--wide"))
    file = tmp_path / "findings"
    assert printed("check", *FILES[:2], "-o", str(file)) == []
    assert max(map(len, file.read_text(encoding="utf-8").splitlines())) > 100


@pytest.mark.slow
def test_the_tables_of_all_commands_fit_100_columns(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name, text in {**{f"{name}.csv": text for name, text in mistakes.FILES.items()}, **calls.FILES}.items():
        Path(name).write_text(text, encoding="utf-8")
    context, tables = click.Context(main), 0
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command
        styles = next((p.type for p in command.params if p.name == "style"), None)
        if isinstance(styles, click.Choice) and "table" in styles.choices:
            with suppress(SystemExit):
                on_screen(monkeypatch, name, *calls.CALLS[name].split())
            assert isinstance(sys.stdout, Terminal)
            lines = sys.stdout.text().splitlines()
            assert 1 < max(map(len, lines)) <= 100, name
            tables += 1
    assert tables > 15


def test_a_table_that_does_not_fit_leaves_columns_out() -> None:
    names, rows = ["measure", "long_name", "low", "high"], [["AP", 1.0, 0.5, 0.75]]
    assert (fits(names, rows, 38, ".4f"), fits(names, rows, 37, ".4f")) == (True, False)
    # Nothing makes numbers narrower.
    assert fitted(names, rows, 20, ".4f") is None
    assert turned(names, rows, 20, ".4f").splitlines() == [
        "measure    AP",
        "long_name  1.0000",
        "low        0.5000",
        "high       0.7500",
    ]
    folded = fitted(names, rows, 31, ".4f")
    assert folded
    assert (folded.names, folded.left_out) == (["measure", "long_\nname", "low", "high"], [])
    # A line holds all words that it has room for.
    short = fitted(["measure", "n_b"], [["AP", 1.0]], 20, ".4f")
    assert short
    assert short.names == ["measure", "n_b"]
    fewer = fitted(names, rows, 24, ".4f", spare=["other", "high", "low"])
    assert fewer
    assert (fewer.kept, fewer.left_out) == ([0, 1, 2], ["high"])


@pytest.mark.slow
def test_verdicts_are_coloured_at_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def printed(*words: str) -> tuple[str, str]:
        with suppress(SystemExit):
            on_screen(monkeypatch, *words)
        assert isinstance(sys.stdout, Terminal)
        assert isinstance(sys.stderr, Terminal)
        return sys.stdout.text(), sys.stderr.text()

    gates = ("--baseline", FILES[1], "-m", "RR", "--fail-if", "RR worse", "--fail-if", "RR worse by > 50%")
    words = ("compare", FILES[0], FILES[2], *gates)
    text, notes = printed(*words, "--margin", "0.9")
    assert "\x1b[32mequivalent\x1b[0m" in text
    assert "\x1b[31m✗ gate failed\x1b[0m: RR worse:" in notes
    assert notes.endswith("\x1b[31m1 of 2 gates failed\x1b[0m\n")
    assert "\x1b[32m✓ gate held\x1b[0m: RR worse by > 50%:" in notes
    assert "\x1b[31mworse\x1b[0m" in coloured_by_terminal("worse", monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")
    plain, _ = printed(*words, "--margin", "0.9")
    assert plain == re.sub(r"\x1b\[\d*m", "", text)
    monkeypatch.delenv("NO_COLOR")
    result = CliRunner().invoke(main, words)
    assert "\x1b" not in result.output
    assert "failed: RR worse:" in result.stderr


def coloured_by_terminal(text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a verdict as printed to a terminal."""
    monkeypatch.setattr(sys, "stdout", Terminal())
    return terminal.coloured(text)


@pytest.mark.slow
def test_the_notes_of_a_comparison_are_quiet_and_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(terminal, "_columns", lambda _: 60)

    def notes(*words: str) -> str:
        with pytest.raises(SystemExit) as ended:
            on_screen(monkeypatch, "compare", *FILES, "-m", "RR", *words)
        assert ended.value.code == 0
        assert isinstance(sys.stderr, Terminal)
        return sys.stderr.text()

    lines = notes().splitlines()
    assert lines[0] == "6 queries: a true difference of 0.53 (RR) is found 4 times"
    assert notes("--quiet") == ""


def test_a_small_p_is_not_zero(tmp_path: Path) -> None:
    rows = [f"{name},q{i},{(i * more % 7) / 20 + more / 10}" for name, more in (("a", 2), ("b", 5)) for i in range(60)]
    (tmp_path / "values.csv").write_text("\n".join(["system,query_id,m", *rows]), encoding="utf-8")
    result = CliRunner().invoke(main, ["compare", "--values", str(tmp_path / "values.csv")])
    assert "  p <0.0001  better" in result.stdout


def test_all_commands_write_to_a_file_and_can_be_quiet() -> None:
    assert isinstance(main, click.Group)
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        options = {option for parameter in command.params for option in parameter.opts}
        assert {"-o", "--output", "--quiet"} <= options, name


@pytest.mark.default("pool")
@pytest.mark.parametrize(
    "words", [("pool", *FILES[1:], "--depth", "1"), ("trec_eval", *FILES[:2]), ("fuse", *FILES[1:])], ids=lambda w: w[0]
)
def test_output_to_a_file_is_what_is_printed(words: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "output"
    printed = CliRunner().invoke(main, words)
    written = CliRunner().invoke(main, [*words, "-o", str(file)])
    assert (written.exit_code, written.stdout) == (0, "")
    assert file.read_text(encoding="utf-8") == printed.stdout
    assert printed.stdout


def test_the_shell_completes_measures_and_conventions() -> None:
    def completed(*words: str) -> list[str]:
        typed = " ".join(("ltr-sql", *words))
        line = {"_LTR_SQL_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": str(len(words))}
        result = CliRunner().invoke(main, prog_name="ltr-sql", env=line)
        return [text.removeprefix("plain,") for text in result.stdout.split()]

    assert {"nDCG", "nDCG_rel", "ndcg_burges", "ndcg_cut"} <= set(completed("evaluate", "-m", "ndc"))
    # Measures of all families.
    assert completed("evaluate", "-m", "gin") == ["Gini", "GiniIndex"]
    assert "KendallTau" in completed("explain", "-m", "Ken")
    assert completed("trec_eval", "-m", "all") == ["all_trec"]
    assert completed("sql", "ndcg_re") == ["nDCG_rel"]
    assert completed("evaluate", "--convention", "light") == ["lightgbm"]


def test_the_list_of_commands_is_grouped_and_short() -> None:
    text = CliRunner().invoke(main, ["-h"], terminal_width=80).stdout
    assert text == CliRunner().invoke(main, ["--help"], terminal_width=80).stdout
    assert [line for line in text.splitlines() if re.fullmatch(r"[A-Z].*:", line)][1:3] == ["Measure:", "Trust:"]
    assert isinstance(main, click.Group)
    context = click.Context(main)
    listed = main.list_commands(context)
    assert len(listed) == len({*listed})
    # Each builder is a command, and each line of the list is whole.
    assert {builder.command for builder in builders().values()} <= {*listed}
    for name in listed:
        (line,) = [line for line in text.splitlines() if line.split()[:1] == [name]]
        assert len(line) <= 80
        assert "..." not in line
        assert main.get_command(context, name) is not None
    assert "\n  Examples:\n    ltr-sql evaluate qrels.txt run.txt -m nDCG@10,RR\n" in text
    assert "Documentation: https://github.com/ltr-sql/ltr_sql/blob/main/docs/command_line.md\n" in text
    version = CliRunner().invoke(main, ["-V"]).stdout
    assert version == CliRunner().invoke(main, ["--version"]).stdout
    help_of_one = CliRunner().invoke(main, ["compare", "-h"], terminal_width=80).stdout
    places = [help_of_one.index(text) for text in ("--fail-if GATE", "--format [", "--ties [", "--ranks-from")]
    assert places == sorted(places)
    assert "    ltr-sql compare qrels.txt old.txt new.txt -m nDCG@10,RR\n" in help_of_one
    assert "Documentation: https" in help_of_one


def test_the_help_of_each_command_has_headings() -> None:
    assert isinstance(main, click.Group)
    context, seen = click.Context(main), set()
    for name in main.list_commands(context):
        text = CliRunner().invoke(main, [name, "--help"], terminal_width=80).stdout
        found = re.findall(r"^(\S[^\n]*):$", text, re.MULTILINE)
        assert found[0] == "Options", name
        headings = [heading or "Options" for heading in options.HEADINGS if (heading or "Options") in found]
        assert found[: len(headings)] == headings, name
        seen |= {*headings}
        # Lists of many names are elsewhere, and what is common comes first.
        assert "pytrec_eval" not in text, name
        # A list of choices and an address are never wrapped.
        assert max(len(line) for line in text.splitlines() if not re.search(r"\||https:", line)) <= 80, name
        assert "--keys NAME" not in text or text.find(" -m, ") < text.index("--keys NAME"), name
    assert seen == {heading or "Options" for heading in options.HEADINGS}


def test_measures_may_be_separated_by_commas() -> None:
    words = ["evaluate", *FILES[:2], "--format", "csv", "-m", "nDCG@5,10, RR,P(rel=2)@5,AP", "-m", "RPrec"]
    header = CliRunner().invoke(main, words).stdout.splitlines()[0]
    assert header == "queries,nDCG@5,nDCG@10,RR,P(rel=2)@5,AP,RPrec"


def test_the_width_and_the_texts_of_a_table() -> None:
    # Two columns with their padding, and one gap between them.
    names, rows = ["ab", "cd"], [["x", "y"]]
    assert fits(names, rows, 10, ".4f")
    assert not fits(names, rows, 9, ".4f")
    text = table_text(["system", "query_id", "long_name"], [["1.10", "007", 0.5]])
    assert text.splitlines()[2].split() == ["1.10", "007", "0.5000"]
    # A header folds at its words, which stay together where they fit.
    (head,) = fitted(["a_b_long_name"], [[0.5]], 9, ".4f").names  # type: ignore[union-attr]
    assert head == "a_b_\nlong_\nname"


def test_a_comma_within_parentheses_is_no_end_of_a_measure() -> None:
    assert options.measures_in("nDCG(gain=linear,ideal=whole)@5,RR") == (
        "nDCG(gain=linear,ideal=whole)@5",
        "RR",
    )


def test_two_tables_with_a_system_of_one_name(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / f"{name}.csv").write_text("system,query_id,RR\na,q1,1\nb,q1,0\n", encoding="utf-8")
    call = ["compare", "--values", str(tmp_path / "one.csv"), str(tmp_path / "other.csv")]
    assert "two tables have a system of the same name: a, b, a, b" in CliRunner().invoke(main, call).stderr
