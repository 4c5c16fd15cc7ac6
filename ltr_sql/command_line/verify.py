"""The command verify."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from ltr_sql.catalogue.measure_strings import find_convention
from ltr_sql.catalogue.options import Reading
from ltr_sql.command_line.flags import Command
from ltr_sql.command_line.formats import FORMATS, table_text
from ltr_sql.command_line.options import (
    FILE,
    RUN,
    format_option,
    gains_option,
    keys_option,
    measures_option,
    missing_option,
    output_option,
    reading_options,
    tables_options,
    ties_option,
    write_output,
)
from ltr_sql.command_line.runs import named_runs
from ltr_sql.evaluation.options import Inputs
from ltr_sql.inputs.gains import Gains
from ltr_sql.inputs.session import with_warnings
from ltr_sql.verification import verified, verified_options


@click.command(cls=Command)
@click.argument("qrels", type=FILE)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@measures_option("all measures that the input allows")
@keys_option
@reading_options
@ties_option
@missing_option
@gains_option
@tables_options()
@format_option()
@output_option
def verify(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    keys: Sequence[str],
    reading: Reading,
    ties: str | None,
    missing: str | None,
    gains: Gains | None,
    documents: str | None,
    history: str | None,
    targets: str | None,
    baseline: str | None,
    style: str,
    output: str | None,
) -> None:
    """Compare the SQL with the numpy oracle on RUNS. The exit code is 1 if a value differs."""
    default = find_convention(None)
    inputs = Inputs(
        named_runs(runs),
        qrels,
        {"documents": documents, "history": history, "targets": targets, "baseline": baseline},
    )
    options = verified_options(measures or None, ties or default.ties, missing or default.missing, keys, gains)
    rows = with_warnings(None, lambda state: verified(state, inputs, options), {**reading, "keys": keys})
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
