"""Mutation test: each mutant changes one expression of the templates or of Python, and some test must fail.

`python tests/mutants.py` applies the mutants one by one, each in a copy of the checkout, and runs a few tests there.
`python tests/mutants.py windows ties` applies only the mutants of files with these words in their paths.

A mutant is killed when one of its tests fails. The step fails if a mutant survives, if its text is not found exactly
once in its file, if its tests cannot run, or if a test that killed a mutant fails without it too.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

ROOT = Path(__file__).resolve().parents[1]
SIDE_BY_SIDE = 2
SECONDS_FOR_EACH = 120
NOT_COPIED = (".git", "__pycache__", ".*_cache", ".hypothesis", ".venv", "benchmarks", "build", "dist", "*.duckdb*")


@dataclass(frozen=True)
class Mutant:
    """`text` stands once in `file`, and becomes `replacement`; one of `tests` must fail: files or node ids, and -k."""

    file: str
    text: str
    replacement: str
    tests: str
    k: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {shortened(self.text)} -> {shortened(self.replacement)}"


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: the test that killed it, or what went wrong."""

    mutant: Mutant
    seconds: float
    killed_by: str = ""
    wrong: str = ""


MUTANTS = [
    # MUTANTS_HERE
]


def main(words: list[str]) -> int:
    """Apply the mutants and print one line for each. Return 0 if all were killed, else 1."""
    started = monotonic()
    chosen = [mutant for mutant in MUTANTS if not words or any(word in mutant.file for word in words)]
    outcomes = []
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        for future in as_completed([pool.submit(apply, mutant) for mutant in chosen]):
            outcomes.append(future.result())
            print(line(outcomes[-1]), flush=True)
    killed = [outcome for outcome in outcomes if not outcome.wrong]
    wrong = [f"{outcome.mutant}\n    {outcome.wrong}" for outcome in outcomes if outcome.wrong]
    wrong += failing_without_mutants({outcome.killed_by for outcome in killed})
    print("\n".join(["", *wrong, f"{monotonic() - started:.0f} s"]))
    print(f"{len(killed)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


def line(outcome: Outcome) -> str:
    result = f"killed by {outcome.killed_by}" if not outcome.wrong else outcome.wrong.upper().splitlines()[0]
    return f"{outcome.seconds:5.1f} s  {outcome.mutant}  {result}"


def apply(mutant: Mutant) -> Outcome:
    """Run the tests of a mutant in a copy of the checkout that has it."""
    started = monotonic()
    killed_by, wrong = "", ""
    try:
        with copied_checkout() as folder:
            killed_by = killer(mutant, folder)
    except NotKilled as error:
        wrong = str(error)
    except subprocess.TimeoutExpired:
        wrong = f"its tests take more than {SECONDS_FOR_EACH} seconds"
    return Outcome(mutant, monotonic() - started, killed_by, wrong)


class NotKilled(Exception):
    """Why a mutant was not killed by a test."""


def killer(mutant: Mutant, folder: Path) -> str:
    """The node id of the test that fails in a copy of the checkout with a mutant. Raises NotKilled if there is none."""
    source = (folder / mutant.file).read_text(encoding="utf-8")
    found = source.count(mutant.text)
    if found != 1:
        raise NotKilled(f"its text is found {found} times, not once")
    (folder / mutant.file).write_text(source.replace(mutant.text, mutant.replacement), encoding="utf-8")
    generated = run(folder, "ltr_sql.sqltext.bundle")
    if generated.returncode:
        raise NotKilled(f"the macros cannot be generated\n{generated.stderr[-2000:]}")
    tests = [f"tests/{name}" for name in mutant.tests.split()]
    result = run(folder, "pytest", "-x", *tests, *(["-k", mutant.k] if mutant.k else []))
    failed = failed_tests(result.stdout)
    if result.returncode == 0:
        raise NotKilled("survived")
    if not failed:
        raise NotKilled(f"its tests cannot run\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return failed[0]


def failing_without_mutants(tests: Iterable[str]) -> list[str]:
    """Those of some tests that fail in an unchanged copy of the checkout."""
    tests = sorted(tests)
    if not tests:
        return []
    with copied_checkout() as folder:
        result = run(folder, "pytest", *tests)
    if result.returncode == 0:
        return []
    failed = failed_tests(result.stdout)
    return [f"{test}\n    fails without a mutant too" for test in failed] or [result.stdout + result.stderr]


def failed_tests(output: str) -> list[str]:
    """The node ids of failed tests in pytest's short summary."""
    return re.findall(r"^FAILED (tests/.*?)(?: - .*)?$", output, re.MULTILINE)


def run(folder: Path, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a Python module in a copy of the checkout, from which it imports ltr_sql too."""
    options = ("-q", "-n", "0", "-rf", "--tb=no", "-p", "no:cacheprovider") if module == "pytest" else ()
    return subprocess.run(
        [sys.executable, "-m", module, *options, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=SECONDS_FOR_EACH,
        check=False,
    )


@contextmanager
def copied_checkout() -> Iterator[Path]:
    """A temporary copy of the checkout."""
    with TemporaryDirectory(prefix="ltr_sql-mutant-") as folder:
        copy = Path(folder) / ROOT.name
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
        yield copy


def shortened(text: str) -> str:
    """A text on one line, cut in its middle."""
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:28]} ... {text[-27:]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
