"""JSON of the command line: the keys that docs/json.md lists, decisions of gates, and errors."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support import mistakes
from support.calls import CALLS, FILES
from support.places import ROOT

from ltr_sql.command_line.failures import parted
from ltr_sql.command_line.main import main

GATES = (
    "compare qrels.csv whole.csv --baseline other.csv -m RR --missing zero --fail-if 'RR worse' "
    "--fail-if 'RR significantly worse'"
)
# Commands whose output is no table.
OTHERS = {"report", "trec_eval", "sql", "catalogue", "fuse"}


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = tmp_path_factory.mktemp("json")
    with pytest.MonkeyPatch.context() as patch, mistakes.prepared(made):
        patch.chdir(made)
        for name, text in FILES.items():
            (made / name).write_text(text, encoding="utf-8")
        yield made


def called(command: str) -> Result:
    return CliRunner().invoke(main, shlex.split(command))


def keys_in_page() -> dict[str, list[str]]:
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8").partition("## Keys of each command")[2]
    rows = re.findall(r"^\| (.+?) \| (`.*`) \|$", page, re.MULTILINE)
    return {name.strip("`"): keys.strip("`").split("`, `") for name, keys in rows}


PAGE = keys_in_page()


def test_the_page_lists_each_command() -> None:
    assert PAGE.keys() == {*CALLS} - OTHERS | {"compare` with gates", "a gate", "an error"}


@pytest.mark.default("evaluate", "compare")
@pytest.mark.parametrize("command", sorted({*CALLS} - OTHERS))
def test_the_keys_are_those_of_the_page(command: str) -> None:
    rows = json.loads(called(f"{command} {CALLS[command]} --format json").stdout)
    assert [[*row] for row in rows] == [PAGE[command]] * len(rows)
    assert rows


def test_gates() -> None:
    result = called(f"{GATES} --format json")
    found = json.loads(result.stdout)
    assert [*found] == PAGE["compare` with gates"]
    plain, tested = found["gates"]
    (compared,) = found["comparisons"]
    assert [*plain] == [*tested] == PAGE["a gate"]
    assert [*compared] == PAGE["compare"]
    assert [gate["condition"] for gate in found["gates"]] == ["RR worse", "RR significantly worse"]
    for gate in found["gates"]:
        for name in ("system_a", "system_b", "difference"):
            assert gate[name] == compared[name]
        assert gate["queries"] == 3
    assert plain["p"] is None
    assert 0 <= tested["p"] <= 1
    as_text = called(GATES)
    assert result.exit_code == as_text.exit_code
    for gate in found["gates"]:
        assert gate["decision"] in ("held", "failed")
        assert gate["reason"] in as_text.stderr


def test_a_gate_that_is_not_decided() -> None:
    found = called("compare --values lacking.csv --baseline a --fail-if 'm worse' --format json")
    (gate,) = json.loads(found.stdout)["gates"]
    assert (found.exit_code, gate["decision"]) == (2, "not decided")
    assert "--missing zero" in gate["reason"]


ERRORS: list[tuple[str, str, Any]] = [
    ("evaluate qrels.csv run.csv -m foo", "unknown measure 'foo'", "to list all measures, run ltr-sql measures"),
    ("evaluate qrels.csv run.csv -m 'AP RR'", "measure 'AP RR' holds 2 measures", "pass each of them as its own -m"),
    ("evaluate qrels.csv run.csv -m nDGC@10", "unknown measure 'nDGC@10'", "did you mean nDCG?"),
    ("evaluate qrels.csv empty.csv -m RR", "the input has no rows (1): the run", "check the query or file that"),
    ("evaluate qrels.csv run.csv -m 'RBP(p=2)'", "measure 'RBP(p=2)': p must be a number from 0 to 1, got 2", None),
    ("evaluate qrels.csv run.csv --ties foo", "Invalid value for '--ties': 'foo' is not one of", None),
    ("evaluate", "Missing argument", ...),
    ("evaluat qrels.csv", "No such command 'evaluat'", ...),
    ("evaluate qrels.csv run.csv -o .", "", ...),
]


@pytest.mark.parametrize("style", ["--format json", "--format=json"])
@pytest.mark.parametrize(("command", "error", "what_to_do"), ERRORS)
def test_errors(command: str, error: str, what_to_do: Any, style: str) -> None:
    result, as_text = called(f"{command} {style}"), called(command)
    found = json.loads(result.stdout)
    assert [*found] == PAGE["an error"]
    assert found["error"].startswith(error)
    if what_to_do is not ...:
        assert (found["what_to_do"] or "").startswith(what_to_do or "")
        assert (found["what_to_do"] is None) == (what_to_do is None)
    assert result.exit_code == as_text.exit_code >= 2
    assert as_text.stdout == ""


def test_an_answer_is_no_error() -> None:
    assert called("evaluate qrels.csv whole.csv -m RR --format json").exit_code == 0
    assert json.loads(called("check qrels.csv twice.csv --format json").stdout)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "the weights lack the query q2: give it a weight, or 0",
            ("the weights lack the query q2", "give it a weight, or 0"),
        ),
        ("no rows (1): the run. What to do: check: the file", ("no rows (1): the run", "check: the file")),
        ("fewer queries than folds, only 3: label more", ("fewer queries than folds, only 3", "label more")),
        ("r.csv is not UTF-8. Save the file as UTF-8", ("r.csv is not UTF-8", "Save the file as UTF-8")),
        ("a: b", ("a: b", None)),
    ],
)
def test_a_message_is_parted(message: str, expected: tuple[str, str | None]) -> None:
    assert parted(message) == expected


def test_most_messages_say_what_to_do() -> None:
    said = [row["command_line_message"] for row in mistakes.rows() if row["command_line_message"]]
    assert sum(parted(message)[1] is not None for message in said) > 0.5 * len(said)
