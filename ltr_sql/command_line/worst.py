"""The command worst."""

from collections.abc import Sequence
from typing import Any

import click

from ltr_sql.command_line.flags import Command
from ltr_sql.command_line.formats import FORMATS
from ltr_sql.command_line.grouped import by_query
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
_SPARE = ("unjudged_above", "ideal_rank", "baseline_rank")
# How many queries people and programs see by default.
_SHORT, _LONG = 5, 20


@click.command(cls=Command)
@click.argument("qrels", type=FILE)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@function_options(
    worst_queries,
    n=number_option(f"{_SHORT}; {_LONG} with another format than table"),
    baseline=baseline_option("the ideal ranking"),
)
@format_option()
@wide_option
@output_option
def worst(
    qrels: str,
    runs: Sequence[str],
    measure: str,
    number: int | None,
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
    number = number or (_SHORT if style == "table" else _LONG)
    asked = WorstQueries(number, options["queries"], options["documents"], baseline, options["weights"])
    names, rows = with_warnings(
        None,
        lambda state: worst_and_warnings(state, inputs, evaluation, asked, names_and_rows),
        options,
    )
    if style != "table" or wide:
        write_output(FORMATS[style](names, rows), output)
        return
    keys = {key: f"{key} " for key in options["keys"] if key != "system"}
    before = {"system": "", **keys, "query_id": "", "query": ""}
    values = {"weight": "weight ", "value": f"{measure} ", "baseline_value": "baseline ", "query_loss": "loses "}
    write_output(by_query(names, rows, before | values, _SPARE), output)
