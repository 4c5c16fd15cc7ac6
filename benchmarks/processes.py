"""Contenders in processes of their own, timed in turn.

The process that uses this must stay small: what it holds in memory counts as the peak of every process that it starts.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any


@dataclass(frozen=True)
class Contender:
    """A task of `worker.py` with its arguments.

    `fresh`: a process for each repetition, and no run before it that does not count.
    """

    name: str
    task: str
    arguments: Mapping[str, Any]
    repetitions: int = 5
    fresh: bool = False


@dataclass(frozen=True)
class Measured:
    """Medians over repetitions in seconds, the largest peak memory in MB, and the means that came out."""

    compute: float
    total: float
    peak: float
    means: Mapping[str, float]


@dataclass(frozen=True)
class Results:
    """What was measured of each contender, by name, and why some could not run."""

    measured: Mapping[str, Measured]
    failures: Mapping[str, str]

    def seconds(self, contender: Contender) -> float | None:
        """The time of a contender, or None if it failed."""
        found = self.measured.get(contender.name)
        return None if found is None else found.total

    def compute_seconds(self, contender: Contender) -> float | None:
        """The time of a contender's computing alone, on objects that it has made before."""
        found = self.measured.get(contender.name)
        return None if found is None else found.compute

    def peak(self, contender: Contender) -> float | None:
        """The peak memory of a contender in MB, or None if it failed."""
        found = self.measured.get(contender.name)
        return None if found is None else found.peak


def measure(contenders: Sequence[Contender]) -> Results:
    """Run the first repetition of each contender, then the second of each, and so on."""
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
    """The median time of each command as a whole process, in turn; once each without being timed."""
    found: dict[str, list[float]] = {name: [] for name in commands}
    for repetition in range(repetitions + 1):
        for name, command in commands.items():
            started = perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=_environment())
            if repetition:
                found[name].append(perf_counter() - started)
    return {name: median(seconds) for name, seconds in found.items()}


def _environment() -> dict[str, str]:
    """The environment of a user, whose packages have their modules compiled."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _medians(runs: Sequence[Mapping[str, Any]]) -> Measured:
    return Measured(
        compute=median(run["compute"] for run in runs),
        total=median(run["load"] + run["compute"] for run in runs),
        peak=max(run["peak"] for run in runs),
        means=runs[0]["means"],
    )


class _ContenderError(Exception):
    """A contender could not run; why, in one line."""


class _Process:
    """A worker that runs its contender once for each line that it is sent."""

    def __init__(self, contender: Contender) -> None:
        command = [sys.executable, "-m", "benchmarks.worker", contender.task, json.dumps(contender.arguments)]
        # Its warnings are not for the reader of a table; its errors come as answers.
        self._worker = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=_environment(),
        )
        self._warm = contender.fresh

    def run(self) -> dict[str, Any]:
        """One repetition; before the first one, another that does not count, unless the contender is to be fresh."""
        if not self._warm:
            self._warm = True
            self._ask()
        return self._ask()

    def close(self) -> None:
        self._worker.communicate()

    def _ask(self) -> dict[str, Any]:
        assert self._worker.stdin is not None
        assert self._worker.stdout is not None
        with suppress(BrokenPipeError):  # it has failed before: what it says is read all the same
            self._worker.stdin.write("\n")
            self._worker.stdin.flush()
        line = self._worker.stdout.readline()
        if not line:
            raise _ContenderError(f"the process ended with code {self._worker.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise _ContenderError(answer["error"])
        return answer
