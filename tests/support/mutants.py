"""Mutation test: each mutant of `tests/mutants.toml` changes one expression, and a test must fail.

`python tests/support/mutants.py` applies the mutants, two at a time, and writes the killers of new ones into the file.
`python tests/support/mutants.py windows ties` applies only the mutants of files whose paths contain one of these texts.

A mutant is killed if one of its tests fails. The test that failed last time, its killer, runs first, and the others
only if it passes. The script fails in five cases: a mutant survives, its tests run out of time, its text does not occur
exactly once in its file, its macros or tests cannot run, or a killer also fails without a mutant.

Each of two processes has a copy of the checkout, and has imported what tests import from other packages. For a mutant,
it changes the copy and forks. The forked process imports the package and the tests from the copy. It executes only the
statements of the script of all macros that the mutant changes.
"""

import gc
import io
import json
import multiprocessing
import os
import re
import shutil
import signal
import sys
import tempfile
import tomllib
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import cache_from_source
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic

import duckdb
import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "tests" / "mutants.toml"
SIDE_BY_SIDE = 2
SECONDS_FOR_EACH = 120
IMPORTED_ONCE = [
    *("hypothesis.internal.observability", "hypothesis.strategies", "click.testing", "jinja2.ext", "numpy", "pandas"),
    *("polars", "pyarrow.parquet", "scipy.stats", "sklearn.metrics", "lightgbm", "xgboost", "ir_measures"),
]
OPTIONS = ["-n", "0", "--tb=short", "-p", "no:cacheprovider", "-m", "not spark", "--hypothesis-profile=unshrunk"]
# The modules that are imported once.
OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
NOT_COPIED = (".git", ".*_cache", ".hypothesis", ".venv", "benchmarks", "build", "dist", "*.duckdb*", "*.pyc.*")
SCRIPT = Path("sql", "ltr.sql")
# A folder of a copy: the script and the catalogue of all macros without a mutant.
UNCHANGED = Path("build")
FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Mutant:
    """Replace `text`, which occurs once in `file`. tests/README.md explains the fields."""

    file: str
    text: str
    replacement: str
    tests: str
    k: str = ""
    killer: str = ""
    endless: bool = False

    def __str__(self) -> str:
        return f"{self.file}: {shortened(self.text)} -> {shortened(self.replacement)}"


@dataclass(frozen=True)
class Outcome:
    """Result of a mutant: the test that killed it, or an error."""

    mutant: Mutant
    seconds: float
    killer: str = ""
    wrong: str = ""

    def __str__(self) -> str:
        result = self.wrong.upper().splitlines()[0] if self.wrong else f"killed by {self.killer}"
        return f"{self.seconds:5.1f} s  {self.mutant}  {result}"


@dataclass(frozen=True)
class Tested:
    """Result of tests: the exit code of pytest, node ids of failed tests, and what is printed."""

    code: int
    failed: list[str]
    output: str


class NotKilled(Exception):
    """Reason why no test killed a mutant."""


class OutOfTime(Exception):
    """The test that was running at the end of the time."""


def main(words: list[str]) -> int:
    """Apply the mutants and print one line for each. Return 0 if all were killed, else 1."""
    started = monotonic()
    chosen = [mutant for mutant in mutants() if not words or any(word in mutant.file for word in words)]
    if not chosen:
        raise SystemExit(f"no mutant is of a file with {' or '.join(words)} in its name")
    import_once()
    outcomes = []
    with (
        tempfile.TemporaryDirectory(prefix="ltr_sql-mutants-") as folder,
        ProcessPoolExecutor(SIDE_BY_SIDE, FORK, initializer=work_in_copy, initargs=(folder,)) as pool,
    ):
        for future in as_completed([pool.submit(apply, mutant) for mutant in chosen]):
            outcomes.append(future.result())
            print(outcomes[-1], flush=True)
        killers = {outcome.mutant: outcome.killer for outcome in outcomes if not outcome.wrong}
        tests = sorted({*killers.values()})
        unchanged = pool.map(failing_without_mutants, [tests[part::SIDE_BY_SIDE] for part in range(SIDE_BY_SIDE)])
        failing = [text for part in unchanged for text in part]
    if not failing:
        FILE.write_text(with_killers(FILE.read_text(encoding="utf-8"), killers), encoding="utf-8")
    wrong = [f"{outcome.mutant}\n    {outcome.wrong}" for outcome in outcomes if outcome.wrong] + failing
    print("\n".join(["", *wrong, f"{monotonic() - started:.0f} s, {sum(os.times()[:4]):.0f} s of processors"]))
    print(f"{len(killers)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


# The file


def mutants() -> list[Mutant]:
    return [Mutant(**entry) for entry in tomllib.loads(FILE.read_text(encoding="utf-8"))["mutant"]]


def with_killers(text: str, killers: Mapping[Mutant, str]) -> str:
    """Return the text of the file with the killers of these mutants. The rest stays as it was written."""
    start, *entries = re.split(r"(?m)^(?=\[\[mutant\]\]$)", text)
    return start + "".join(with_killer(entry, killers) for entry in entries)


def with_killer(entry: str, killers: Mapping[Mutant, str]) -> str:
    mutant = Mutant(**tomllib.loads(entry)["mutant"][0])
    killer = killers.get(mutant, mutant.killer)
    if killer == mutant.killer:
        return entry
    value = json.dumps(killer) if "'" in killer else f"'{killer}'"
    entry = re.sub(r"(?m)^killer = .*\n", "", entry)
    return re.sub(r"(?m)^tests = .*(\n\w+ = .*)*", lambda found: f"{found[0]}\nkiller = {value}", entry)


# A mutant


def apply(mutant: Mutant) -> Outcome:
    """Apply a mutant to the copy of this process, and run its tests there. Measure the time of processors."""
    before, killer, wrong = seconds_of_children(), "", ""
    try:
        with changed(mutant):
            killer = killer_of(mutant)
    except NotKilled as error:
        wrong = str(error)
    return Outcome(mutant, seconds_of_children() - before, killer, wrong)


def seconds_of_children() -> float:
    """Return the seconds of processors that processes have taken which this process started and which have ended."""
    times = os.times()
    return times.children_user + times.children_system


@contextmanager
def changed(mutant: Mutant) -> Iterator[None]:
    """Replace the text of a mutant in the copy. Raises NotKilled if its text does not occur once."""
    file = Path(mutant.file)
    source, times = file.read_text(encoding="utf-8"), file.stat()
    found = source.count(mutant.text)
    if found != 1:
        raise NotKilled(f"its text is found {found} times, not once")
    file.write_text(source.replace(mutant.text, mutant.replacement), encoding="utf-8")
    try:
        yield
    finally:
        file.write_text(source, encoding="utf-8")
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        # Python compares the bytecode only with the size of a module and the second of its change.
        Path(cache_from_source(file)).unlink(missing_ok=True)
        shutil.copy2(UNCHANGED / SCRIPT.name, SCRIPT)


def killer_of(mutant: Mutant) -> str:
    """Return the node id of a test that fails with the mutant in the copy. Raises NotKilled without one."""
    selected = ["-x", *mutant.tests.split(), *(["-k", mutant.k] if mutant.k else [])]
    for arguments in [[mutant.killer], selected] if mutant.killer else [selected]:
        try:
            result = tested(arguments, SECONDS_FOR_EACH)
        except OutOfTime as error:
            test = str(error)
            if test and mutant.endless:
                return test
            raise NotKilled(f"out of time: {test or 'no test'} was running") from None
        if result.failed:
            return result.failed[0]
    cannot_run = f"its macros or tests cannot run\n{result.output}"
    raise NotKilled("survived" if result.code == pytest.ExitCode.OK else cannot_run)


def failing_without_mutants(tests: list[str]) -> list[str]:
    """Return the tests that fail in an unchanged copy of the checkout."""
    result = tested(tests, SECONDS_FOR_EACH * len(tests)) if tests else Tested(0, [], "")
    if result.code == pytest.ExitCode.OK:
        return []
    return [f"{test}\n    fails without a mutant too" for test in result.failed] or [result.output]


# Processes


def import_once() -> None:
    """Import what all tests need except the package, and the plugins of pytest."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for name in IMPORTED_ONCE:
        import_module(name)
    settings.register_profile("unshrunk", phases=[Phase.explicit, Phase.generate])
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        pytest.main([*OPTIONS, "--noconftest", "--version", "--version"])


def work_in_copy(folder: str) -> None:
    """Work in a copy of the checkout, which also provides ltr_sql."""
    copy = Path(folder, str(os.getpid()), ROOT.name)
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
    os.chdir(copy)
    sys.path.insert(0, str(copy))
    # Some tests start another Python.
    os.environ["PYTHONPATH"] = str(copy)
    # Compile modules and templates once, whatever the environment says.
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    UNCHANGED.mkdir()
    in_fork(SECONDS_FOR_EACH, write_unchanged)
    # Let no collection of garbage go through what all forked processes share.
    gc.freeze()


def tested(arguments: list[str], seconds: int) -> Tested:
    """Run pytest in a forked process. Raises OutOfTime if it takes too long."""
    with tempfile.TemporaryDirectory(prefix="ltr_sql-mutant-") as folder:
        result = in_fork(seconds, run_tests, folder, arguments)
    return result if isinstance(result, Tested) else Tested(1, [], "the process of the tests has ended")


def in_fork(seconds: int, call: Callable[..., None], *arguments: object) -> object:
    """Return the last object that a call sends from a forked process, before which it may send the names of tests.

    Raises OutOfTime with the last name if the process takes `seconds` of a processor, or five times as long by the
    clock. Ends the processes that it started.
    """
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=run_limited, args=[seconds, call, sender, *arguments])
    process.start()
    sender.close()
    end = monotonic() + 5 * seconds
    message: object = ""
    try:
        while isinstance(message, str):
            if not receiver.poll(end - monotonic()):
                raise OutOfTime(message)
            message = receiver.recv()
    except EOFError:
        process.join()
        if process.exitcode == -signal.SIGPROF:
            raise OutOfTime(message) from None
        message = None
    finally:
        with suppress(OSError):
            os.killpg(process.pid or 0, signal.SIGKILL)
        process.join()
    return message


def run_limited(seconds: int, call: Callable[..., None], *arguments: object) -> None:
    """Run a call. Nothing handles the signal of the timer, so it ends the process, and no test fails by it."""
    os.setpgrp()
    signal.setitimer(signal.ITIMER_PROF, seconds)
    call(*arguments)


def write_unchanged(_: Connection) -> None:
    """Write the script and the catalogue of all macros without a mutant."""
    from ltr_sql.macros import registration  # noqa: PLC0415  (of the copy)
    from tools.generate import write_script_if_stale  # noqa: PLC0415

    SCRIPT.unlink(missing_ok=True)
    write_script_if_stale()
    shutil.copy2(SCRIPT, UNCHANGED)
    registration.write_package_catalogue(UNCHANGED, registration.script())


@dataclass
class Report:
    """Plugin of pytest that sends names of tests, and collects those that fail. Failures of imports do not count."""

    sender: Connection
    failed: list[str]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.sender.send(nodeid)

    def pytest_exception_interact(self, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        if call.when == "call" and call.excinfo and not call.excinfo.errisinstance((ImportError, SyntaxError)):
            self.failed.append(report.nodeid)


def run_tests(sender: Connection, folder: str, arguments: list[str]) -> None:
    """Run pytest in this process. Send the names of tests that it starts, then Tested. Write only into the folder."""
    os.environ["TMPDIR"], tempfile.tempdir = folder, None
    os.environ["LTR_SQL_TEST_CATALOGUE"] = folder
    report, output, code = Report(sender, []), io.StringIO(), int(pytest.ExitCode.INTERNAL_ERROR)
    with redirect_stdout(output), redirect_stderr(output):
        try:
            write_catalogue(Path(folder))
            code = pytest.main([*OPTIONS, *arguments], [report])
        except Exception:
            traceback.print_exc()
    sender.send(Tested(code, report.failed, output.getvalue()[-2000:]))


def write_catalogue(folder: Path) -> None:
    """Write the script and the catalogue of the copy. Execute only the statements that a mutant changes."""
    from ltr_sql.macros import registration  # noqa: PLC0415  (of the copy)
    from tools.generate import write_script_if_stale  # noqa: PLC0415

    write_script_if_stale()
    before, after = statements((UNCHANGED / SCRIPT.name).read_text(encoding="utf-8")), statements(registration.script())
    if [*before] != [*after]:
        registration.write_package_catalogue(folder, registration.script())
        return
    path = folder / registration.catalogue_file().name
    shutil.copy(next(UNCHANGED.glob("ltr-*.duckdb")), path)
    changed = [statement for name, statement in after.items() if statement != before[name]]
    with duckdb.connect(config={"threads": 1}) as con:
        con.execute(f"attach '{path}' as ltr;\n{''.join(changed)}")


def statements(script: str) -> dict[str, str]:
    """Return the statements of the script of all macros, with all comments on a macro, by their first words."""
    return {part.partition("(")[0]: part for part in re.split(r"(?m)^(?=create or replace macro )", script)[1:]}


def shortened(text: str) -> str:
    """Return a text on one line, cut in the middle."""
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:28]} ... {text[-27:]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
