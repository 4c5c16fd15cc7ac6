"""Every block of the README runs, and prints what the README says."""

import contextlib
import io
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
import tabulate

import ltr_sql
from ltr_sql.language.catalogue import definitions
from ltr_sql.language.documentation import PAGE, measures_page
from ltr_sql.sqltext.bundle import MEASURES_MARKS, with_measures_table

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(\w+)\n(.*?)```\n(?:\n((?:\|[^\n]*\n)+)|\n```text\n(.*?)```\n)?", re.DOTALL)


def blocks(language: str) -> list[tuple[str, str]]:
    """The blocks of a language, each with the table or text that follows it."""
    return [(m[2], m[3] or m[4] or "") for m in BLOCK.finditer(README) if m[1] == language]


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield ltr_sql.register(connection)


def test_sql_blocks(con: duckdb.DuckDBPyConnection) -> None:
    found = blocks("sql")
    assert len(found) >= 4
    for block, table in found:
        *statements, last = [text for text in re.split(r";\s*\n", block) if text.strip()]
        for statement in statements:
            con.execute(statement)
        cursor = con.execute(last)
        names = [column[0] for column in cursor.description or []]
        rows = [[_printed(value) for value in row] for row in cursor.fetchall()]
        assert _cells(tabulate.tabulate(rows, names, tablefmt="github", disable_numparse=True)) == _cells(table)


def _printed(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return "" if value is None else str(value)


def _cells(table: str) -> list[list[str]]:
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()]
    return [line for line in lines if not set("".join(line)) <= set("-: ")]


def test_python_blocks() -> None:
    found = blocks("python")
    assert len(found) >= 2
    names: dict[str, object] = {}
    for block, text in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(block, names)
        assert printed.getvalue() == text


def test_console_blocks() -> None:
    sessions = [line for block, _ in blocks("console") for line in re.split(r"^\$ ", block, flags=re.MULTILINE) if line]
    assert len(sessions) >= 3
    for command_and_output in sessions:
        command, _, expected = command_and_output.partition("\n")
        # Installing is what the tests ran after; the rest of that line runs here.
        arguments = shlex.split(command.rpartition(" && ")[2])
        assert arguments[0] == "ltr-sql"
        call = [
            sys.executable,
            "-c",
            "from ltr_sql.command_line.main import main; main(prog_name='ltr-sql')",
            *arguments[1:],
        ]
        result = subprocess.run(call, capture_output=True, text=True, check=True)
        assert _lines(result.stdout) == _lines(expected), command


def _lines(text: str) -> list[str]:
    # The last bits of a sum depend on the order of its terms: of a difference, only the verdict is compared.
    text = re.sub(r"\d\.\de[+-]\d\d", "#######", text)
    return [line.rstrip() for line in text.rstrip().splitlines()]


def test_the_test_command_is_the_one_that_ci_calls() -> None:
    assert re.search(r"^pip install .*pytest.*$", README, re.MULTILINE)
    assert re.search(r"^\$ pip install .* && ltr-sql .*$", README, re.MULTILINE)


def test_the_table_of_measures_is_fresh() -> None:
    assert all(README.count(mark) == 1 for mark in MEASURES_MARKS)
    assert with_measures_table(README) == README, "run python -m ltr_sql.sqltext.bundle"


def test_the_page_of_measures_is_fresh() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == measures_page(), "run python -m ltr_sql.sqltext.bundle"
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == [*(d.name for d in definitions().values()), "Conventions"]
    for definition in definitions().values():
        assert definition.reference in page
        assert f"```sql\n{definition.body}\n```" in page


@pytest.mark.parametrize("path", [ROOT / "README.md", PAGE], ids=lambda path: path.name)
def test_links_lead_to_files(path: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (path.parent / link).exists()] == []
