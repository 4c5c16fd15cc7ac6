"""Mutation test: each mutant changes one expression in a template or in Python, and a test must fail.

`python tests/support/mutants.py` applies two mutants at a time, each in a copy of the checkout, and runs a few tests
there.
Each mutant has a process of its own, forked from one that has imported what all tests import.
`python tests/support/mutants.py windows ties` applies only the mutants of files whose paths contain one of these texts.

A mutant is killed if one of its tests fails. The script fails in five cases: a mutant survives, its text does not occur
exactly once in its file, the macros cannot be generated, its tests cannot run, or a test that killed a mutant also
fails without the mutant.
"""

import io
import multiprocessing
import os
import runpy
import shutil
import signal
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "tests" / "mutants.toml"
SIDE_BY_SIDE = 2
SECONDS_FOR_EACH = 120
IMPORTED_ONCE = ["pytest", "hypothesis.internal.observability", "numpy", "pandas", "duckdb", "jinja2", "click"]
NOT_COPIED = (".git", ".*_cache", ".hypothesis", ".venv", "benchmarks", "build", "dist", "*.duckdb*", "*.pyc.*")


@dataclass(frozen=True)
class Mutant:
    """Replace `text`, which occurs once in `file`. One of `tests` (files or node ids, and -k) must fail."""

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
    killed_by: str = ""
    wrong: str = ""


MUTANTS = [Mutant(**entry) for entry in tomllib.loads(FILE.read_text(encoding="utf-8"))["mutant"]]


def main(words: list[str]) -> int:
    """Apply the mutants and print one line for each. Return 0 if all were killed, else 1."""
    started = monotonic()
    chosen = [mutant for mutant in MUTANTS if not words or any(word in mutant.file for word in words)]
    if not chosen:
        raise SystemExit(f"no mutant is of a file with {' or '.join(words)} in its name")
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(IMPORTED_ONCE)
    outcomes = []
    with ProcessPoolExecutor(SIDE_BY_SIDE, processes, max_tasks_per_child=1) as pool:
        for future in as_completed([pool.submit(apply, mutant) for mutant in chosen]):
            outcomes.append(future.result())
            print(line(outcomes[-1]), flush=True)
        killed = [outcome for outcome in outcomes if not outcome.wrong]
        tests = sorted({outcome.killed_by for outcome in killed})
        unchanged = pool.map(failing_without_mutants, [tests[part::SIDE_BY_SIDE] for part in range(SIDE_BY_SIDE)])
        failing = [text for part in unchanged for text in part]
    wrong = [f"{outcome.mutant}\n    {outcome.wrong}" for outcome in outcomes if outcome.wrong] + failing
    print("\n".join(["", *wrong, f"{monotonic() - started:.0f} s"]))
    print(f"{len(killed)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


def line(outcome: Outcome) -> str:
    result = f"killed by {outcome.killed_by}" if not outcome.wrong else outcome.wrong.upper().splitlines()[0]
    return f"{outcome.seconds:5.1f} s  {outcome.mutant}  {result}"


def apply(mutant: Mutant) -> Outcome:
    """Apply a mutant to a copy of the checkout, and run its tests there."""
    started = monotonic()
    killed_by, wrong = "", ""
    try:
        with copied_checkout():
            killed_by = killer(mutant)
    except NotKilled as error:
        wrong = str(error)
    return Outcome(mutant, monotonic() - started, killed_by, wrong)


class NotKilled(Exception):
    """Reason why no test killed a mutant."""


def killer(mutant: Mutant) -> str:
    """Return the node id of a test that fails with a mutant in the working folder. Raises NotKilled without one."""
    file = Path(mutant.file)
    source = file.read_text(encoding="utf-8")
    found = source.count(mutant.text)
    if found != 1:
        raise NotKilled(f"its text is found {found} times, not once")
    file.write_text(source.replace(mutant.text, mutant.replacement), encoding="utf-8")
    try:
        runpy.run_module("tools.generate", run_name="__main__")
    except Exception as error:
        raise NotKilled(f"the macros cannot be generated\n{error}") from error
    tests = mutant.tests.split()
    code, failed, output = tested("-x", *tests, *(["-k", mutant.k] if mutant.k else []), seconds=SECONDS_FOR_EACH)
    if code == 0:
        raise NotKilled("survived")
    if not failed:
        raise NotKilled(f"its tests cannot run\n{output[-2000:]}")
    return failed[0]


def failing_without_mutants(tests: list[str]) -> list[str]:
    """Return the tests that fail in an unchanged copy of the checkout."""
    if not tests:
        return []
    with copied_checkout():
        code, failed, output = tested(*tests, seconds=0)
    if code == 0:
        return []
    return [f"{test}\n    fails without a mutant too" for test in failed] or [output]


@dataclass
class Failed:
    """Plugin of pytest that collects the node ids of failed tests."""

    tests: list[str] = field(default_factory=list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.tests.append(report.nodeid)


def tested(*arguments: str, seconds: int) -> tuple[int, list[str], str]:
    """Run pytest in the working folder. Return its exit code, the node ids of failed tests and what it prints.

    A test that is still running after `seconds` fails. 0 sets no limit.
    """
    failed, output = Failed(), io.StringIO()
    signal.signal(signal.SIGALRM, time_is_over)
    signal.alarm(seconds)
    with redirect_stdout(output), redirect_stderr(output):
        options = ["-n", "0", "--tb=short", "-p", "no:cacheprovider", "-m", "not spark"]
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        code = pytest.main([*options, *arguments], [failed])
    signal.alarm(0)
    return int(code), failed.tests, output.getvalue()


def time_is_over(*_: object) -> None:
    raise TimeoutError(f"the tests of a mutant take more than {SECONDS_FOR_EACH} seconds")


@contextmanager
def copied_checkout() -> Iterator[None]:
    """Work in a temporary copy of the checkout, which also provides ltr_sql."""
    with TemporaryDirectory(prefix="ltr_sql-mutant-") as folder:
        copy = Path(folder) / ROOT.name
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
        os.chdir(copy)
        sys.path.insert(0, str(copy))
        # Some tests start another Python.
        os.environ["PYTHONPATH"] = str(copy)
        sys.dont_write_bytecode = True
        try:
            yield
        finally:
            os.chdir(ROOT)


def shortened(text: str) -> str:
    """Return a text on one line, cut in the middle."""
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:28]} ... {text[-27:]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
