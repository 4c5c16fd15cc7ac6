"""The mutants of `tests/mutants.toml` change what is there, and `tests/support/mutants.py` tells how each one ends."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.mutants import ROOT, mutants, with_killers

MUTANTS = mutants()


def test_the_text_of_each_mutant_occurs_once() -> None:
    texts = {mutant.file: (ROOT / mutant.file).read_text(encoding="utf-8") for mutant in MUTANTS}
    assert [(m.file, m.text) for m in MUTANTS if texts[m.file].count(m.text) != 1 or m.text == m.replacement] == []


def test_the_tests_of_each_mutant_exist() -> None:
    """A killer is a function of one of its files. A new mutant may have none."""
    named = {test for mutant in MUTANTS for test in [*mutant.tests.split(), *filter(None, [mutant.killer])]}
    files = {test: ROOT / test.partition("::")[0] for test in named}
    texts = {file: file.read_text(encoding="utf-8") for file in files.values() if file.is_file()}
    functions = {test: re.findall(r"::(\w+)", test.partition("[")[0])[-1:] for test in named}
    assert [
        test for test in named if not all(f"def {name}(" in texts.get(files[test], "") for name in functions[test])
    ] == []
    assert [m for m in MUTANTS if m.killer and m.killer.partition("::")[0] not in m.tests] == []
    assert {*files.values()} == {*texts}


ENTRIES = """\
# A comment.

[[mutant]]
file = 'a.py'
text = '''
x
y'''
replacement = ''
k = "old"
tests = 'tests/test_a.py'
killer = 'tests/test_a.py::test_old'

# Another.
[[mutant]]
file = 'b.py'
text = 'x'
replacement = 'y'
tests = 'tests/test_b.py'
k = 'new'
"""


def test_killers_are_written_into_the_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("support.mutants.FILE", tmp_path / "mutants.toml")
    (tmp_path / "mutants.toml").write_text(ENTRIES, encoding="utf-8")
    old, new = mutants()
    assert (old.text, old.killer, new.killer) == ("x\ny", "tests/test_a.py::test_old", "")
    assert with_killers(ENTRIES, {old: old.killer}) == ENTRIES
    written = with_killers(ENTRIES, {old: "tests/test_a.py::test[a]", new: r"""tests/test_b.py::test['"\n']"""})
    assert (
        written == ENTRIES.replace("::test_old", "::test[a]") + r"""killer = "tests/test_b.py::test['\"\\n']""" + '"\n'
    )
    (tmp_path / "mutants.toml").write_text(written, encoding="utf-8")
    assert [mutant.killer for mutant in mutants()] == ["tests/test_a.py::test[a]", r"""tests/test_b.py::test['"\n']"""]


NAMES = "tests/evaluation/test_names_of_tools.py"
FAR = f"{NAMES}::test_far_names_are_not_suggested"
# Replacements of texts of the module of hints, and how these mutants end.
ENDS = {
    ("least <= 4 +", "least <= 40 +"): f"killed by {FAR}",
    ("without _ and -.", "folded."): "SURVIVED",
    ("MOST = 3", "raise ImportError"): "ITS MACROS OR TESTS CANNOT RUN",
    ("least = min", "least = __import__('os')._exit(0) or min"): "ITS MACROS OR TESTS CANNOT RUN",
    ("in titles().items()", "in __import__('unknown')"): "ITS MACROS OR TESTS CANNOT RUN",
    ("no such text", "x"): "ITS TEXT IS FOUND 0 TIMES, NOT ONCE",
    (
        "near = sorted",
        "near = __import__('time').sleep(1000), sorted",
    ): f"OUT OF TIME: {FAR.upper()} WAS RUNNING",
    ("if 4 * least", "if any(iter(int, 1)) or 4 * least"): f"killed by {FAR}",
}
PROGRAM = """
import sys
import tomllib
from pathlib import Path
from support import mutants

mutants.FILE, mutants.SECONDS_FOR_EACH = Path(sys.argv[1]), 10
sys.exit(mutants.main([]))
"""


@pytest.mark.slow
def test_only_a_failing_test_kills(tmp_path: Path) -> None:
    """A mutant whose tests run out of time is not killed, unless it is marked as endless."""
    file = tmp_path / "mutants.toml"
    first = NAMES + "::test_other_cases_of_sdcg_are_scaled_dcg"
    fields = {"file": "ltr_sql/catalogue/measure_strings.py", "tests": f"{first} {FAR}", "killer": first}
    entries = [fields | {"text": text, "replacement": replacement} for text, replacement in ENDS]
    lines = [["[[mutant]]", *(f"{name} = {json.dumps(value)}" for name, value in entry.items())] for entry in entries]
    file.write_text("\n\n".join("\n".join(entry) for entry in lines) + "\nendless = true\n", encoding="utf-8")
    call = [sys.executable, "-c", PROGRAM, str(file)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "tests")}
    done = subprocess.run(call, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    printed = re.findall(r"(?m)^ *[0-9.]+ s  \S+: (.*?) -> .*?  (.*)$", done.stdout)
    assert dict(printed) == {text: end for (text, _), end in ENDS.items()}
    assert done.returncode == 1
    assert done.stdout.endswith("\n2 passed, 6 failed\n")
    killers = [entry["killer"] for entry in tomllib.loads(file.read_text(encoding="utf-8"))["mutant"]]
    assert killers == [FAR, *[first] * 6, FAR]
