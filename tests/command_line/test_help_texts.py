"""The help texts of all commands, as they were read and approved."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ltr_sql.command_line.main import main

HELP = Path(__file__).parent / "help"
COMMANDS = main.list_commands(click.Context(main))


def test_every_command_has_its_text() -> None:
    assert sorted(path.stem for path in HELP.glob("*.txt")) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_is_the_recorded_one(name: str) -> None:
    """A changed text is recorded again by: COLUMNS=82 ltr-sql NAME --help > tests/command_line/help/NAME.txt"""
    shown = CliRunner().invoke(main, [name, "--help"], prog_name="ltr-sql", terminal_width=80).stdout
    assert shown == (HELP / f"{name}.txt").read_text(encoding="utf-8")
