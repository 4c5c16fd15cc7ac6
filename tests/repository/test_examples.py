"""The examples run, and print the output in examples/expected/."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.places import EXAMPLES

SCRIPTS = sorted([*EXAMPLES.glob("*.py"), *EXAMPLES.glob("*.sql")])


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(s, marks=pytest.mark.slow if s.suffix == ".py" or number % 3 else ())
        for number, s in enumerate(SCRIPTS)
    ],
    ids=lambda script: script.name,
)
def test_example_prints_what_is_expected(script: Path) -> None:
    call = [sys.executable, str(script)] if script.suffix == ".py" else [_duckdb_client(), "-f", str(script)]
    result = subprocess.run(call, capture_output=True, text=True, check=True, cwd=EXAMPLES.parent, env={**os.environ})
    expected = EXAMPLES / "expected" / f"{script.stem}.txt"
    assert result.stdout == expected.read_text(encoding="utf-8")


def _duckdb_client() -> str:
    found = shutil.which("duckdb", path=str(Path(sys.executable).parent))
    assert found, "the DuckDB client of the test extra (duckdb-cli) is not installed"
    return found
