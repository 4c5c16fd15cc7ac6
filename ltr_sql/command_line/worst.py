"""The command worst."""

from collections.abc import Sequence
from typing import Any

import click

from ltr_sql.command_line.flags import Command
from ltr_sql.command_line.formats import FORMATS, table_text
from ltr_sql.command_line.options import (
    FILE,
    RUN,
    baseline_option,
    format_option,
    function_options,
    number_option,
    output_option,
    wide_option,
    write_output,
)
from ltr_sql.command_line.runs import named_runs, with_baseline
from ltr_sql.evaluation.explanation import explanation_options
from ltr_sql.evaluation.options import Inputs
from ltr_sql.evaluation.worst import WorstQueries, worst_and_warnings
from ltr_sql.evaluation.worst import worst as worst_queries
from ltr_sql.inputs.connection import names_and_rows
from ltr_sql.inputs.session import with_warnings

# The columns that a narrow terminal leaves out, the first one first.
_SPARE = ("unjudged_above", "ideal_rank", "baseline_value", "value")


@click.command(cls=Command)
@click.argument("qrels", type=FILE)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@function_options(
    worst_queries,
    n=number_option(20),
    baseline=baseline_option("the ideal ranking"),
)
@format_option()
@wide_option
@output_option
def worst(
    qrels: str,
    runs: Sequence[str],
    measure: str,
    baseline: str | None,
    style: str,
    wide: bool,
    output: str | None,
    **options: Any,
) -> None:
    """Print the queries that lose most of a measure, with the documents that cost them.

    With --baseline: what a run lost that the baseline had.
    """
    evaluation = explanation_options(measure, options)
    given = named_runs(runs)
    if baseline is not None:
        given, baseline = with_baseline(runs, baseline)
    inputs = Inputs(given, qrels)
    asked = WorstQueries(options["number"], options["queries"], options["documents"], baseline, options["weights"])
    names, rows = with_warnings(
        None,
        lambda state: worst_and_warnings(state, inputs, evaluation, asked, names_and_rows),
        options,
    )
    shown = FORMATS[style](names, rows) if style != "table" or wide else table_text(names, rows, spare=_SPARE)
    write_output(shown, output)
