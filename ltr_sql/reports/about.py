"""How a report was made: measures, test, convention, command, versions, files and SQL."""

import hashlib
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from ltr_sql.catalogue.measure_strings import Measure, find_convention
from ltr_sql.catalogue.procedures import procedures
from ltr_sql.inputs.readers import is_readable_file
from ltr_sql.rendering.choices import level_of, title_of_test
from ltr_sql.rendering.render import render
from ltr_sql.reports.evaluated import Arguments
from ltr_sql.version import __version__


def described_measure(measure: Measure) -> dict[str, Any]:
    """Return the name, the definition and the options of a measure."""
    definition = measure.definition
    return {
        "name": measure.text,
        "summary": definition.summary,
        "formula": definition.formula,
        "options": {name: value for name, value in measure.values if value is not None},
        "range": definition.range,
        "better": definition.better,
    }


def described_test(comparison: Mapping[str, Any], systems: int) -> dict[str, Any]:
    """Return the test and the correction of a number of systems, with their names for sentences."""
    test, adjust = comparison["test"], comparison["adjust"]
    corrected = adjust != "none" and systems > 2
    return {
        "test": test,
        "adjust": adjust,
        "alpha": level_of(comparison["confidence"]),
        "confidence": comparison["confidence"],
        "name": title_of_test(comparison),
        "correction": procedures("adjust")[adjust].title if corrected else None,
        "seed": comparison["seed"] if test == "randomization" else None,
    }


def about(arguments: Arguments) -> dict[str, Any]:
    """Return how a report was made: its command and options, versions, SQL, and hashes of the files."""
    rankings = arguments.rankings
    runs = rankings.values() if isinstance(rankings, Mapping) else [rankings]
    files = [str(given) for given in (arguments.qrels, *runs, arguments.queries) if _is_file(given)]
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    made = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    convention = find_convention(arguments.convention)
    every = [*arguments.measures, *arguments.of_runs]
    return {
        "command": arguments.command,
        "convention": {"name": convention.name, "summary": convention.summary},
        "gains": None if arguments.gains is None else str(arguments.gains),
        "ties": arguments.rules("ties"),
        "missing": arguments.rules("missing"),
        "versions": {
            "ltr_sql": __version__,
            "duckdb": duckdb.__version__,
            "python": platform.python_version(),
        },
        "made": made.strftime("%Y-%m-%d %H:%M UTC"),
        "files": [{"name": Path(file).name, "sha256": _sha256(file)} for file in files],
        "sql": "\n;\n".join(
            render([str(measure) for measure in measures])
            for beyond in (False, True)
            if (measures := [m for m in every if m.definition.beyond_accuracy == beyond])
        ),
    }


def bibtex() -> str:
    """Return the BibTeX entry of this version of ltr_sql."""
    return (
        f"@software{{ltr_sql,\n  title = {{ltr\\_sql: ranking evaluation in SQL}},\n  version = {{{__version__}}},\n"
        "  howpublished = {Python package ltr-sql}\n}"
    )


def _is_file(given: Any) -> bool:
    return isinstance(given, str | os.PathLike) and Path(given).is_file() and is_readable_file(os.fspath(given))


def _sha256(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
