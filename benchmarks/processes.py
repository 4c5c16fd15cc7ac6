"""Run each contender in its own process, and time them alternately.

The calling process must use little memory, because a process that it starts inherits its peak.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

ROOT = Path(__file__).parents[1]
_WORKER = Path(__file__).with_name("worker.py")


class SectionError(Exception):
    """A section cannot run on this machine. The message is one line."""


@dataclass(frozen=True)
class Contender:
    """A task of `worker.py` with its arguments.

    - `fresh`: start a new process for each repetition, without a warm-up.
    - `checkout`: the folder whose `ltr_sql` the task imports.
    """

    name: str
    task: str
    arguments: Mapping[str, Any]
    repetitions: int = 5
    fresh: bool = False
    checkout: Path = ROOT


@dataclass(frozen=True)
class Measured:
    """The medians of the seconds to load, to compute, in total and of the processors, and the values.

    `peak` is the largest peak memory in MB.
    """

    load: float
    compute: float
    total: float
    cpu: float
    peak: float
    means: Mapping[str, float]


@dataclass(frozen=True)
class Results:
    """The measurements of contenders by name, and the errors of those that could not run."""

    measured: Mapping[str, Measured]
    failures: Mapping[str, str]

    def seconds(self, contender: Contender) -> float | None:
        """Return the seconds of a contender, or None if it failed."""
        found = self.measured.get(contender.name)
        return None if found is None else found.total

    def compute_seconds(self, contender: Contender) -> float | None:
        """Return the seconds of a contender's computation, without building its objects, or None if it failed."""
        found = self.measured.get(contender.name)
        return None if found is None else found.compute

    def load_seconds(self, contender: Contender) -> float | None:
        """Return the seconds in which a contender builds its objects, or None if it failed."""
        found = self.measured.get(contender.name)
        return None if found is None else found.load

    def cpu(self, contender: Contender) -> float | None:
        """Return the seconds of all processors together, or None if the contender failed."""
        found = self.measured.get(contender.name)
        return None if found is None else found.cpu

    def peak(self, contender: Contender) -> float | None:
        """Return the peak memory of a contender in MB, or None if it failed."""
        found = self.measured.get(contender.name)
        return None if found is None else found.peak

    def notes(self) -> list[str]:
        """Return a sentence about each contender that failed."""
        return [f"{name} did not run: {why}." for name, why in self.failures.items()]


def least(repeated: Sequence[Results]) -> Results:
    """Return for each contender the measurement with the least CPU seconds, and all failures."""
    failures = {name: why for results in repeated for name, why in results.failures.items()}
    measured: dict[str, Measured] = {}
    for results in repeated:
        for name, found in results.measured.items():
            if name not in measured or found.cpu < measured[name].cpu:
                measured[name] = found
    return Results(measured, failures)


def measure(contenders: Sequence[Contender]) -> Results:
    """Run the first repetition of each contender, then the second of each, and so on. Return the results."""
    runs: dict[str, list[dict[str, Any]]] = {contender.name: [] for contender in contenders}
    failures: dict[str, str] = {}
    processes: dict[str, _Process] = {}
    for repetition in range(max(contender.repetitions for contender in contenders)):
        for contender in contenders:
            name = contender.name
            if name in failures or repetition >= contender.repetitions:
                continue
            if name not in processes:
                processes[name] = _Process(contender)
            try:
                runs[name].append(processes[name].run())
            except _ContenderError as error:
                failures[name] = str(error)
            if name in failures or contender.fresh or repetition == contender.repetitions - 1:
                processes.pop(name).close()
    return Results({name: _medians(found) for name, found in runs.items() if name not in failures}, failures)


def seconds_of_commands(commands: Mapping[str, Sequence[str]], repetitions: int) -> dict[str, float]:
    """Return the median seconds of each command. The commands alternate, and their first runs are not timed."""
    found: dict[str, list[float]] = {name: [] for name in commands}
    for repetition in range(repetitions + 1):
        for name, command in commands.items():
            started = perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=_environment())
            if repetition:
                found[name].append(perf_counter() - started)
    return {name: median(seconds) for name, seconds in found.items()}


def _environment() -> dict[str, str]:
    """Return the environment with bytecode enabled, as users have it."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _medians(runs: Sequence[Mapping[str, Any]]) -> Measured:
    return Measured(
        load=median(run["load"] for run in runs),
        compute=median(run["compute"] for run in runs),
        total=median(run["load"] + run["compute"] for run in runs),
        cpu=median(run["cpu"] for run in runs),
        peak=max(run["peak"] for run in runs),
        means=runs[0]["means"],
    )


class _ContenderError(Exception):
    """A contender could not run. The message is one line."""


class _Process:
    """A process that runs its contender once for each line that it receives."""

    def __init__(self, contender: Contender) -> None:
        command = [sys.executable, "-P", str(_WORKER), contender.task, json.dumps(contender.arguments)]
        # Discard its warnings. Errors are part of its answers.
        self._worker = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**_environment(), "PYTHONPATH": str(contender.checkout)},
        )
        self._warm = contender.fresh

    def run(self) -> dict[str, Any]:
        """Run one repetition. Run once before the first one, unless the contender is fresh."""
        if not self._warm:
            self._warm = True
            self._ask()
        return self._ask()

    def close(self) -> None:
        self._worker.communicate()

    def _ask(self) -> dict[str, Any]:
        assert self._worker.stdin is not None
        assert self._worker.stdout is not None
        with suppress(BrokenPipeError):  # the process has ended: read its last answer
            self._worker.stdin.write("\n")
            self._worker.stdin.flush()
        line = self._worker.stdout.readline()
        if not line:
            raise _ContenderError(f"the process ended with code {self._worker.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise _ContenderError(answer["error"])
        return answer
