"""The command check."""

import sys
from collections.abc import Sequence
from textwrap import fill
from typing import Any

import click

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, parse_measures
from ltr_sql.command_line.failures import in_words_of_command
from ltr_sql.command_line.formats import FORMATS
from ltr_sql.command_line.options import (
    FILE,
    RUN,
    Command,
    format_option,
    function_options,
    output_option,
    write_output,
)
from ltr_sql.command_line.runs import named_runs
from ltr_sql.command_line.terminal import coloured, width
from ltr_sql.inputs.connection import names_and_rows
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.validation.checks import check as check_function
from ltr_sql.validation.checks import input_findings_query


@click.command(cls=Command)
@click.argument("qrels", type=FILE)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@function_options(check_function)
@format_option()
@output_option
def check(
    qrels: str, runs: Sequence[str], measures: Sequence[str], style: str, output: str | None, **options: Any
) -> None:
    """Print errors, warnings and diagnostics of RUNS. The exit code is 1 if there is an error."""
    given, parsed = named_runs(runs), parse_measures(measures or DEFAULT_MEASURES)

    def find(state: Session) -> tuple[Any, list[str]]:
        query = input_findings_query(state, given, qrels, options["keys"], parsed, history=options["history"])
        return names_and_rows(state.con, query), []

    names, rows = with_warnings(None, find, options)
    found = [(*row[:-1], in_words_of_command(row[-1])) for row in rows]
    write_output(_lines(found) if style == "table" else FORMATS[style](names, found), output)
    sys.exit(1 if any(severity == "error" for severity, *_ in found) else 0)


def _lines(found: Sequence[tuple[Any, ...]]) -> str:
    """Return findings as text of two lines each, because their texts are too long for a table.

    At a terminal, lines are wrapped.
    """
    lines = [
        _wrapped(f"{severity}: {what} ({how_many}): {first_rows}").replace(severity, coloured(severity), 1)
        + _wrapped(f"    what to do: {what_to_do}")
        for severity, what, how_many, first_rows, what_to_do in found
    ]
    return "".join([*lines, f"{len(found)} finding{'' if len(found) == 1 else 's'}\n"])


def _wrapped(text: str) -> str:
    columns = width()
    return f"{text if columns is None else fill(text, columns, subsequent_indent='    ', break_on_hyphens=False)}\n"
