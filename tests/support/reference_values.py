"""Values of R, scipy, statsmodels, mpmath, other tools and published examples, and runs of others.

A file of values is in `tests/golden`, or outside the repository if it is large: in ../shared/values or LTR_SQL_VALUES.
Runs of others are in ../shared/data or LTR_SQL_DATA. A test is skipped if a file that it needs is absent.
"""

import csv
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.places import ROOT, TESTS

GOLDEN = TESTS / "golden"
VALUES = Path(os.environ.get("LTR_SQL_VALUES") or ROOT.parent / "shared" / "values")
DATA = Path(os.environ.get("LTR_SQL_DATA") or ROOT.parent / "shared" / "data")


def file_of(name: str) -> Path:
    """Return a file or folder of values, such as judges/ppi_input.csv."""
    return GOLDEN / name if (GOLDEN / name).exists() else VALUES / name


def needs(*paths: Path) -> pytest.MarkDecorator:
    """Skip a test if one of these files or folders is absent."""
    absent = ", ".join(str(path) for path in paths if not path.exists())
    return pytest.mark.skipif(bool(absent), reason=f"not here: {absent} (LTR_SQL_VALUES, LTR_SQL_DATA)")


@cache
def read_values(name: str) -> Any:
    """Read a JSON file."""
    return json.loads(file_of(name).read_text(encoding="utf-8"))


@cache
def read_table(name: str) -> list[dict[str, str]]:
    """Read a CSV file as rows of texts."""
    with file_of(name).open(encoding="utf-8", newline="") as lines:
        return [*csv.DictReader(lines)]


def named_values(name: str, tool: str) -> list[Any]:
    """Return the records of a file as parameters named by tool and record."""
    return [pytest.param(record, id=f"{tool} {record['name']}") for record in read_values(name)]
