"""The command verify."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from ltr_sql.catalogue.measure_strings import find_convention
from ltr_sql.command_line.formats import FORMATS, table_text
from ltr_sql.command_line.options import (
    FILE,
    RUN,
    TABLES,
    Command,
    format_option,
    function_options,
    measures_option,
    output_option,
    table_option,
    write_output,
)
from ltr_sql.command_line.runs import named_runs
from ltr_sql.evaluation.options import Inputs
from ltr_sql.inputs.session import with_warnings
from ltr_sql.verification import verified, verified_options
from ltr_sql.verification import verify as verify_function


@click.command(cls=Command)
@click.argument("qrels", type=FILE)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@function_options(
    verify_function,
    measures=measures_option("all measures that the input allows"),
    baseline=table_option("baseline"),
)
@format_option()
@output_option
def verify(
    qrels: str, runs: Sequence[str], measures: Sequence[str], style: str, output: str | None, **options: Any
) -> None:
    """Compare the SQL with the numpy oracle on RUNS. The exit code is 1 if a value differs."""
    default = find_convention(None)
    inputs = Inputs(named_runs(runs), qrels, {name: options[name] for name in TABLES})
    asked = verified_options(
        measures or None,
        options["ties"] or default.ties,
        options["missing"] or default.missing,
        options["keys"],
        options["gains"],
    )
    rows = with_warnings(None, lambda state: verified(state, inputs, asked), options)
    names, values = list(rows[0]), [[*row.values()] for row in rows]
    # Four decimals would hide differences.
    if style == "table":
        write_output(_differing(rows), output)
    else:
        shown = table_text(names, values, "github", ".1e") if style == "markdown" else FORMATS[style](names, values)
        write_output(shown, output)
    sys.exit(0 if all(row["verdict"] == "equal" for row in rows) else 1)


def _differing(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the measures that differ as a table, and a line about all."""
    others = [row for row in rows if row["verdict"] != "equal"]
    table = table_text(list(others[0]), [[*row.values()] for row in others], floats=".1e") + "\n" if others else ""
    largest = max(row["largest_difference"] for row in rows)
    equal = f"{len(rows) - len(others)} of {len(rows)} measure{'' if len(rows) == 1 else 's'} equal"
    return f"{table}{equal}, largest difference {largest:.1e}\n"
