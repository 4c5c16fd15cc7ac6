"""Messages in the words of each interface, and exit codes of each command."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import duckdb
import pytest
from click.testing import CliRunner, Result
from support import mistakes
from support.calls import CALLS, FILES
from support.places import ROOT

from ltr_sql.catalogue.wording import in_python, in_sql, on_command_line
from ltr_sql.command_line.main import main

INTERFACES = ("python", "sql", "command_line")
# Words of the other interfaces: `missing='skip'` in SQL and on the command line, `missing := 'skip'`, `--missing skip`.
FOREIGN = {
    "python": re.compile(r" := |(?<!\w)--[a-z]"),
    "sql": re.compile(r"(?<![\w(])[a-z_]{3,}=['{\[]|(?<!\w)--[a-z]|ltr_sql\.|ltr-sql "),
    "command_line": re.compile(r"(?<![\w(])[a-z_]{3,}=['{\[]| := |ltr_sql\.|\bltr\."),
}


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("mistakes")
    with pytest.MonkeyPatch.context() as patch, mistakes.prepared(folder) as opened:
        patch.chdir(folder)
        yield opened


@pytest.mark.default(
    "no_expectation_over_ties",
    "unknown_rule_for_missing_queries",
    "unknown_convention",
    "file_that_does_not_exist",
    "gains_for_a_measure_without_them",
    "gains_in_a_measure",
    "unknown_query",
    "confidence_above_1",
)
@pytest.mark.parametrize("row", mistakes.rows(), ids=lambda row: row["mistake"].replace(" ", "_"))
def test_a_mistake_is_named_in_the_words_of_the_interface(row: dict[str, str], con: duckdb.DuckDBPyConnection) -> None:
    for interface in INTERFACES:
        call, expected = row[interface], row[f"{interface}_message"]
        assert bool(call) == bool(expected)
        if call:
            said = " ".join(mistakes.message(interface, call, con).split())
            assert expected in said
            assert FOREIGN[interface].search(expected) is None


def test_the_table_has_forty_mistakes() -> None:
    rows = mistakes.rows()
    assert len({row["mistake"] for row in rows}) == len(rows) >= 40
    assert sum(all(row[interface] for interface in INTERFACES) for row in rows) >= 30


@pytest.mark.parametrize(
    ("python", "sql", "flags"),
    [
        ("pass missing='skip'.", "pass missing := 'skip'.", "pass --missing skip."),
        ("set ties= to the rule", "set ties := to the rule", "set --ties to the rule"),
        ("pass keys=['a', 'b']", "pass keys := ['a', 'b']", "pass --keys a,b"),
        ("pass grades={'so so': 1}", "pass grades := {'so so': 1}", "pass --grades 'so so=1'"),
        (
            "columns={'history': {'user': 'query_id'}}",
            "columns := {'history': {'user': 'query_id'}}",
            "--columns history:user=query_id",
        ),
        ("pass allow_empty=True", "pass allow_empty := true", "pass --allow-empty"),
        ("pass check=False", "pass check := false", "pass --no-check"),
        ("pass judgments as qrels=, or", "pass judgments as qrels :=, or", "pass judgments as QRELS, or"),
        ("pass ranks_from=0", "select rank + 1 as rank", "pass --ranks-from 0"),
        # Parameters of measures, values of data and other names are no options.
        *((text,) * 3 for text in ("AP(rel=2, divisor='k')", "rank=1, 'ties=x', a.missing='skip'", "planned=x", "")),
    ],
)
def test_an_option_is_spelled_as_in_the_interface(python: str, sql: str, flags: str) -> None:
    assert in_sql(python) == sql
    assert in_python(sql) == python
    for text in (python, sql):
        assert on_command_line(text, {"qrels": "QRELS"}, {}) == flags
    assert on_command_line("call ltr_sql.measures()", {}, {"measures": None}) == "run ltr-sql measures"
    assert on_command_line("call ltr_sql.wins()", {}, {"measures": None}) == "call ltr_sql.wins()"


@pytest.mark.slow
def test_reasons_of_gates_name_flags(con: duckdb.DuckDBPyConnection) -> None:
    gate = ("--values", "lacking.csv", "--baseline", "a", "--fail-if", "m worse")
    for style in ("markdown", "junit"):
        output = status("compare", *gate, "--format", style).stdout
        assert "--missing zero to count missing ones as 0" in output
        assert FOREIGN["command_line"].search(output) is None


@pytest.mark.slow
def test_notes_and_findings_of_a_report_name_flags(con: duckdb.DuckDBPyConnection) -> None:
    result = status("report", "qrels.csv", "run.csv", "-m", "RR", "--lists", "0", "--format", "json")
    found = json.loads(result.stdout)
    texts = [*found["notes"], *(finding[name] for finding in found["findings"] for name in ("what", "what_to_do"))]
    assert sum("pass those that were as --asked, or --missing skip" in text for text in texts) == 2
    assert not any(map(FOREIGN["command_line"].search, texts))


# Exit codes

SLOW = ("catalogue", "report", "trec_eval")


def status(*words: str) -> Result:
    return CliRunner().invoke(main, words, prog_name="ltr-sql")


@pytest.mark.default(
    "merge-judgments",
    "rater-confusion",
    "click-judgments",
    "group-documents",
    "interleaving",
    "position-bias",
    "measures",
    "sql",
)
@pytest.mark.parametrize(
    "command",
    [
        pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name
        for name in main.list_commands(click.Context(main))
    ],
)
def test_each_command_has_the_same_exit_codes(
    command: str, con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    words = CALLS[command].split()
    result = status(command, *words)
    assert result.exit_code == 0, result.output
    assert status(command, *words, "--nothing").exit_code == 2
    files = [word for word in words if word.endswith((".csv", ".txt"))]
    # For check, a file without the columns is a finding.
    for wrong in () if not files else ("nowhere.csv",) if command == "check" else ("nowhere.csv", "broken.csv"):
        failed = status(command, *[wrong if word == files[-1] else word for word in words])
        assert failed.exit_code == 2, failed.output
        assert "Error: " in failed.stderr
    if "-m" in words or command == "sql":
        wrong_measure = [*words[:-1], "foo"]
        assert status(command, *wrong_measure).exit_code == 2

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(click.Command, "invoke", interrupted)
    assert status(command, *words).exit_code == 130


@pytest.mark.slow
def test_an_answer_that_is_no_has_its_own_code(con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = (
        "compare",
        "qrels.csv",
        "other.csv",
        "--baseline",
        "whole.csv",
        "-m",
        "RR",
        "--missing",
        "zero",
        "--fail-if",
    )
    assert status(*gate, "RR worse").exit_code == 1
    assert status(*gate, "RR worse by > 99%").exit_code == 0
    assert status(*gate, "RR bad").exit_code == 2
    assert status("check", "qrels.csv", "twice.csv").exit_code == 1
    row = {"verdict": "different", "largest_difference": 1.0}
    monkeypatch.setattr("ltr_sql.command_line.verify.verified", lambda *_: ([row], []))
    assert status("verify", "qrels.csv", "whole.csv").exit_code == 1
    # The table of the docs.
    text = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
    section = text.partition("## Exit codes\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| (\d+) \|", section, re.MULTILINE) == ["0", "1", "2", "74", "130"]
