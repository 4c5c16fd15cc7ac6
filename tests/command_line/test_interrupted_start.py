"""Ctrl-C while the command loads prints one line, and no traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

# Sends a signal when a module is looked for.
SCRIPT = """
import importlib.abc, os, signal, sys

module = sys.argv.pop(1)

class Press(importlib.abc.MetaPathFinder):
    def find_spec(self, name, *_):
        if name == module:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Press())
from ltr_sql.command_line.__main__ import start
start()
"""


@pytest.mark.default("click", "duckdb", "ltr_sql.command_line.failures")
@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
@pytest.mark.parametrize(
    "module", ["click", "duckdb", "ltr_sql.command_line.failures", "ltr_sql.command_line.evaluate"]
)
def test_an_interruption_while_loading_is_one_line(module: str, tmp_path: Path) -> None:
    words = [sys.executable, "-c", SCRIPT, module, "evaluate", "qrels", "run"]
    found = subprocess.run(words, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=120, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "Interrupted\n")
