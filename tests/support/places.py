"""The folders that tests read. None of them depends on the folder that a test is in."""

from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
EXAMPLES = ROOT / "examples"
EXAMPLE_DATA = EXAMPLES / "data"
