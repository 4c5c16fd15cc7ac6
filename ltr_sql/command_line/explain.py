"""The command explain."""

from collections.abc import Sequence

import click

from ltr_sql.command_line.formats import FORMATS
from ltr_sql.command_line.options import (
    FILE,
    columns_option,
    convention_option,
    gains_option,
    keys_option,
    measure_names,
    missing_option,
    output_option,
    ties_option,
    write_output,
)
from ltr_sql.evaluation.explanation import explain_rows
from ltr_sql.inputs.gains import parse_gains


@click.command()
@click.argument("qrels", type=FILE)
@click.argument("run", type=FILE)
@click.option("-q", "--query", required=True, help="A query id.")
@click.option(
    "-m",
    "--measure",
    required=True,
    metavar="MEASURE",
    shell_complete=measure_names,
    help="A measure string such as nDCG@10.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(["table", "csv", "json", "markdown"]),
    default="table",
    show_default=True,
    help="Output format.",
)
@keys_option
@columns_option
@ties_option
@missing_option
@convention_option
@gains_option
@output_option
def explain(
    qrels: str,
    run: str,
    query: str,
    measure: str,
    style: str,
    keys: Sequence[str],
    columns: dict[str, str] | None,
    ties: str | None,
    missing: str | None,
    convention: str | None,
    gains: str | None,
    output: str | None,
) -> None:
    """Print how much each rank contributes to a measure of one query, next to the ideal ranking."""
    names, rows = explain_rows(
        run,
        query,
        measure,
        qrels=qrels,
        ties=ties,
        missing=missing,
        convention=convention,
        gains=None if gains is None else parse_gains(gains),
        keys=keys,
        columns=columns,
    )
    write_output(FORMATS[style](names, rows), output)
