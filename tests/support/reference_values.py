"""Values of R, scipy, statsmodels, mpmath and published examples, read from ../shared/values or LTR_SQL_VALUES."""

import csv
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

VALUES = Path(os.environ.get("LTR_SQL_VALUES") or Path(__file__).parents[3] / "shared" / "values")

needs_values = pytest.mark.skipif(not VALUES.is_dir(), reason=f"the values are not at {VALUES} (LTR_SQL_VALUES)")


@cache
def read_values(name: str) -> Any:
    """Read a JSON file."""
    return json.loads((VALUES / name).read_text(encoding="utf-8"))


@cache
def read_table(name: str) -> list[dict[str, str]]:
    """Read a CSV file as rows of texts; none if it is absent."""
    if not VALUES.is_dir():
        return []
    with (VALUES / name).open(encoding="utf-8", newline="") as lines:
        return [*csv.DictReader(lines)]


def named_values(name: str, tool: str) -> list[Any]:
    """Return the records of a file as parameters named by tool and record; a skipped one if the file is absent."""
    if not VALUES.is_dir():
        return [pytest.param({}, id=tool)]
    return [pytest.param(record, id=f"{tool} {record['name']}") for record in read_values(name)]
