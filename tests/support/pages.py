"""Run the code blocks of Markdown pages, and update the output that follows them.

The first word after the backticks is the kind of a block:

- `sql`: statements; the table below the block has the rows of the last one.
- `python`: code; the `text` block below has its printed output.
- `console`: commands after `$`, each followed by its output.
- `sh`: commands without their output.
- `jinja`, `toml`, `csv`, `diff`, `text`, `yaml`: not run.

The blocks of a page run in order, on one connection with the macros and in one Python namespace. A second word marks a
block that does not run here: `skip` (it installs something, or needs missing files or programs), `spark`
(`test_spark.py` runs it) or `copy` (it runs in a copy of the repository). If the second word is a path, the block
becomes this file in that copy, or is appended to it. A `diff` inserts its added lines (those that start with a plus)
below the context lines that precede them.

Output of a command in README is wrapped as on a terminal, because a reader sees the first 95 characters of a line.

After changing messages or formats, `python tests/support/pages.py` updates the pages, or those that are named.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import wrap

import duckdb
from click.testing import CliRunner

import ltr_sql
from ltr_sql.command_line.main import main
from tools.documentation import pages as generated_pages

ROOT = Path(__file__).parents[2]
README, CONTRIBUTING, OF_SQL = ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "sql" / "README.md"
PAGES = sorted(
    {
        README,
        CONTRIBUTING,
        ROOT / "CHANGELOG.md",
        ROOT / "benchmarks" / "README.md",
        OF_SQL,
        *(ROOT / "docs").rglob("*.md"),
    }
    - generated_pages().keys()
)
RUN = ("sql", "python", "console", "sh")
# Number of characters of a line of code that a page of the repository shows.
WIDTH_OF_README = 95
# The examples of docstrings run in test_docstrings.py.
SHOWN = ("pycon", "jinja", "toml", "csv", "diff", "text", "yaml")

_BLOCK = re.compile(r"^```(?P<language>\w*) ?(?P<mark>[^\n]*)\n(?P<code>.*?)^```\n", re.DOTALL | re.MULTILINE)
_OUTPUT = {
    "sql": re.compile(r"\n(?:\|[^\n]*\n)+"),
    "python": re.compile(r"\n```text\n.*?^```\n", re.DOTALL | re.MULTILINE),
}


@dataclass(frozen=True)
class Block:
    """A code block of a page, with the output below it."""

    language: str
    mark: str
    code: str
    output: str

    @property
    def text(self) -> str:
        """The block as written in the page."""
        info = f"{self.language} {self.mark}".rstrip()
        return f"```{info}\n{self.code}```\n{self.output}"


def parts(text: str) -> Iterator[str | Block]:
    """Split a page into its blocks and the text between them."""
    end = 0
    for match in _BLOCK.finditer(text):
        # Skip a block that was already read as the output of another.
        if match.start() >= end:
            yield text[end : match.start()]
            output = _OUTPUT[match["language"]].match(text, match.end()) if match["language"] in _OUTPUT else None
            yield Block(match["language"], match["mark"], match["code"], output[0] if output else "")
            end = output.end() if output else match.end()
    yield text[end:]


def blocks(path: Path) -> list[Block]:
    """Return the code blocks of a page in order."""
    return [part for part in parts(path.read_text(encoding="utf-8")) if isinstance(part, Block)]


def renewed(path: Path, con: duckdb.DuckDBPyConnection) -> str:
    """Run the blocks of a page in the root of the repository, and return the page with their current output."""
    names: dict[str, object] = {}
    text = ""
    width = WIDTH_OF_README if path == README else None
    with contextlib.chdir(ROOT):
        for part in parts(path.read_text(encoding="utf-8")):
            block = part if isinstance(part, str) else _run(part, con, names, width)
            text += block if isinstance(block, str) else block.text
    return text


def _run(block: Block, con: duckdb.DuckDBPyConnection, names: dict[str, object], width: int | None = None) -> Block:
    if block.mark or block.language in SHOWN:
        return block
    match block.language:
        case "sql":
            return replace(block, output=_table(con, block.code))
        case "python":
            return replace(block, output=python_output(block.code, names))
        case "console":
            commands = re.findall(r"^\$ (.*)$", block.code, re.MULTILINE)
            return replace(
                block, code="".join(f"$ {line}\n{_wrapped(_command_output(line), width)}" for line in commands)
            )
        case "sh":
            for command in block.code.splitlines():
                _command_output(command)
            return block
        case _:
            raise ValueError(f"a block is of language {block.language!r}, which is not one of {', '.join(RUN + SHOWN)}")


def _wrapped(text: str, width: int | None) -> str:
    lines = text.splitlines() if width is None else [part for line in text.splitlines() for part in wrap(line, width)]
    return "".join(f"{line}\n" for line in lines)


def python_output(code: str, names: dict[str, object]) -> str:
    """Run Python code, and return its printed output as the block below it."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return f"\n```text\n{printed.getvalue()}```\n" if printed.getvalue() else ""


def copy_with_files_of(path: Path, folder: Path) -> None:
    """Copy the repository into a folder, and add the files that a page shows."""
    # Leave out the other cases, which only take time, and the built catalogue, which belongs to another script.
    left_out = shutil.ignore_patterns("cases", "__pycache__", "*.duckdb*")
    for name in ("ltr_sql", "sql", "tests", "tools", "docs", "examples", "demo", "extension"):
        shutil.copytree(ROOT / name, folder / name, ignore=left_out)
    for name in ("pyproject.toml", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, folder)
    for block in blocks(path):
        if "/" in block.mark:
            file = folder / block.mark
            file.parent.mkdir(parents=True, exist_ok=True)
            text = file.read_text(encoding="utf-8") if file.exists() else ""
            added = _with_added_lines(text, block.code) if block.language == "diff" else text + block.code
            file.write_text(added, encoding="utf-8")


def _with_added_lines(text: str, diff: str) -> str:
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if not line.startswith("+"))
    if text.count(before) != 1:
        raise ValueError(f"these lines are not in the file once:\n{before}")
    return text.replace(before, "".join(line[1:] for line in lines))


def commands_in_copy(path: Path) -> list[str]:
    """Return the commands that a page marks with `copy`, each once."""
    return list(dict.fromkeys(line for b in blocks(path) if b.mark == "copy" for line in b.code.splitlines()))


def run_in_copy(command: str, folder: Path) -> str:
    """Run a command in a copy of the repository, and return its output. Raises CalledProcessError if it fails."""
    program, *arguments = shlex.split(command)
    starts = {"python": [], "ltr-sql": ["-c", "from ltr_sql.command_line.main import main; main()"]}
    # Do not inherit the settings of this test run. Leave out pytest's plugins, which load longer than these tests run.
    env = {name: value for name, value in os.environ.items() if not name.startswith(("LTR_SQL", "PYTEST"))}
    env |= {"PYTHONPATH": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [sys.executable, *starts[program], *arguments],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    ).stdout


@contextlib.contextmanager
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection with the macros."""
    with duckdb.connect() as con:
        yield ltr_sql.register(con)


def clear(con: duckdb.DuckDBPyConnection) -> None:
    """Drop the tables that a page has created."""
    for (table,) in con.execute("select table_name from duckdb_tables()").fetchall():
        con.execute(f"drop table {table}")


def _table(con: duckdb.DuckDBPyConnection, code: str) -> str:
    *statements, last = [text for text in re.split(r";\s*\n", code) if text.strip()]
    for statement in statements:
        con.execute(statement)
    cursor = con.execute(last)
    if not last.lstrip().startswith(("from", "select", "with")):
        return ""
    rows = [[column[0] for column in cursor.description or []], *cursor.fetchall()]
    lines = [f"| {' | '.join(map(_cell, row))} |\n" for row in rows]
    return "\n" + lines[0] + "|" + "---|" * len(rows[0]) + "\n" + "".join(lines[1:])


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return "" if value is None else str(value)


def _command_output(command: str) -> str:
    # The package is already installed, so run only the rest of the line.
    program, *arguments = shlex.split(command.rpartition(" && ")[2])
    if program != "ltr-sql":
        raise ValueError(f"only ltr-sql runs here, not {command!r}")
    result = CliRunner().invoke(main, arguments, prog_name=program)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return "".join(f"{line.rstrip()}\n" for line in result.output.splitlines())


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.dont_write_bytecode = True
    with connection() as opened:
        for page in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
            clear(opened)
            page.write_text(renewed(page, opened), encoding="utf-8")
