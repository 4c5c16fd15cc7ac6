"""The command worst."""

from collections.abc import Sequence

import click

from ltr_sql.catalogue.options import Reading
from ltr_sql.command_line.formats import FORMATS
from ltr_sql.command_line.options import (
    FILE,
    RUN,
    convention_option,
    format_option,
    gains_option,
    keys_option,
    measure_option,
    missing_option,
    named_runs,
    output_option,
    query_texts_option,
    reading_options,
    ties_option,
    weights_option,
    write_output,
)
from ltr_sql.evaluation.explanation import explanation_options
from ltr_sql.evaluation.options import Inputs
from ltr_sql.evaluation.worst import Asked, worst_and_warnings
from ltr_sql.inputs.connection import names_and_rows
from ltr_sql.inputs.gains import parse_gains
from ltr_sql.inputs.session import with_warnings


@click.command()
@click.argument("qrels", type=FILE)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@measure_option
@click.option("-n", "number", type=click.IntRange(min=1), default=20, show_default=True, help="Number of queries.")
@click.option("--baseline", metavar="NAME", help="Name of the run with which the others are compared.")
@query_texts_option
@click.option("--documents", type=FILE, help="Texts of the documents: TSV, CSV, JSONL or Parquet.")
@format_option()
@keys_option
@reading_options
@ties_option
@missing_option
@convention_option
@gains_option
@weights_option
@output_option
def worst(
    qrels: str,
    runs: Sequence[str],
    measure: str,
    number: int,
    baseline: str | None,
    queries: str | None,
    documents: str | None,
    style: str,
    keys: Sequence[str],
    reading: Reading,
    ties: str | None,
    missing: str | None,
    convention: str | None,
    gains: str | None,
    weights: str | None,
    output: str | None,
) -> None:
    """Print the queries that lose most of a measure, with the documents that cost them.

    With --baseline: what a run lost that the baseline had.
    """
    custom_gains = None if gains is None else parse_gains(gains)
    options = explanation_options(measure, convention, ties, missing, gains=custom_gains, keys=keys)
    inputs, asked = Inputs(named_runs(runs), qrels), Asked(number, queries, documents, baseline, weights)
    names, rows = with_warnings(
        None, lambda state: worst_and_warnings(state, inputs, options, asked, names_and_rows), reading
    )
    write_output(FORMATS[style](names, rows), output)
