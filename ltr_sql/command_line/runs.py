"""The runs of a command: their files, and the names of their systems."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.errors import InputError, LtrSqlError, MeasureError
from ltr_sql.inputs.readers import first_run_id, is_readable_file
from ltr_sql.inputs.run_files import Parts, Run, RunFiles, files_of, name_of, runs_in, stem, where_missing
from ltr_sql.rendering.dialects import utf8_path


def missing_file(path: str) -> str:
    """Return a sentence about a file that does not exist."""
    return f"File {path!r} does not exist: {where_missing(path)}"


def is_column(given: Any) -> bool:
    """Return whether a text names a column: it is a plain name, and no file."""
    return isinstance(given, str) and given.isidentifier() and not Path(given).exists()


def require_files(runs: Sequence[str]) -> None:
    """Raise an error for a run that is not a file. Suggest -m if it is a measure."""
    for run in expanded(runs):
        if not is_readable_file(run):
            with suppress(MeasureError):
                parse_measure(run)
                raise LtrSqlError(f"{run}: no such file; did you mean the measure -m {run}?")
            raise click.BadParameter(missing_file(run), param_hint="RUNS...")


def named_runs(runs: Sequence[str]) -> Run | RunFiles:
    """Return the path of a single file, the parts of a single run, or several runs by name."""
    require_files(runs)
    found = runs_in(runs)
    single = len(found) == 1 and (isinstance(found[0], Parts) or found == [*runs])
    return found[0] if single else named_files(runs)


def expanded(runs: Sequence[str]) -> list[str]:
    """Return paths, with the files of each folder and pattern in its place."""
    return [file for run in runs for file in files_of(run) or [run]]


def named_files(paths: Sequence[str]) -> RunFiles:
    """Return runs by the names of their systems.

    Systems are named by run ids if each file has a different one. Otherwise they are named by their files without
    folder and suffixes, or by their paths if two of these names are equal.
    """
    runs = runs_in(paths)
    ids = [first_run_id(run) if isinstance(run, str) else None for run in runs]
    for names in (ids, [utf8_path(name_of(run)) for run in runs]):
        if all(names) and len(set(names)) == len(runs):
            return RunFiles(zip(map(str, names), runs, strict=True))
    return RunFiles(zip((utf8_path(os.fspath(run)) for run in runs), runs, strict=True))


def with_baseline(
    runs: Sequence[str], baseline: str | None, read: Callable[[str], Any] = str
) -> tuple[RunFiles, str | None]:
    """Return the runs, with that of the baseline first if it is another file, and the name of the baseline.

    `read`: returns the run of that file, by default its path. Raises InputError for a baseline that is not a file.
    """
    named = named_files(runs)
    known = known_baseline(baseline, named)
    if baseline is None or known is not None:
        return named, known
    if not Path(baseline).is_file():
        raise InputError(
            f"the baseline {baseline!r} is neither a run nor a file: the runs are {', '.join(named)}; "
            f"{where_missing(baseline)}"
        )
    known = free_name(baseline, named)
    return RunFiles({known: read(baseline), **named}), known


def known_baseline(baseline: str | None, named: Mapping[str, Run]) -> str | None:
    """Return the name of the run that is the baseline, given its name or path. Return None for any other file."""
    if baseline is None or baseline in named:
        return baseline
    return next((name for name, path in named.items() if Path(path).resolve() == Path(baseline).resolve()), None)


def free_name(path: str, named: Mapping[str, Run]) -> str:
    """Return the name of a file without its folder and suffixes, or its path if another run has this name."""
    name = utf8_path(stem(path))
    return path if name in named else name
