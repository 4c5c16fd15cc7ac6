"""The folders of the repository that tests read."""

from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
EXAMPLES = ROOT / "examples"
EXAMPLE_DATA = EXAMPLES / "data"
