"""The command worst."""

from collections.abc import Sequence

import click

from ltr_sql.catalogue.options import Reading
from ltr_sql.command_line.flags import Command
from ltr_sql.command_line.formats import FORMATS
from ltr_sql.command_line.grouped import by_query
from ltr_sql.command_line.options import (
    FILE,
    RUN,
    baseline_option,
    convention_option,
    format_option,
    gains_option,
    keys_option,
    measure_option,
    missing_option,
    number_option,
    output_option,
    query_texts_option,
    reading_options,
    tables_options,
    ties_option,
    weights_option,
    wide_option,
    write_output,
)
from ltr_sql.command_line.runs import named_runs, with_baseline
from ltr_sql.evaluation.explanation import explanation_options
from ltr_sql.evaluation.options import Inputs
from ltr_sql.evaluation.worst import WorstQueries, worst_and_warnings
from ltr_sql.inputs.connection import names_and_rows
from ltr_sql.inputs.gains import Gains
from ltr_sql.inputs.session import with_warnings

# The columns that a narrow terminal leaves out, the first one first.
_SPARE = ("unjudged_above", "ideal_rank", "baseline_rank")
# How many queries people and programs see by default.
_SHORT, _LONG = 5, 20


@click.command(cls=Command)
@click.argument("qrels", type=FILE)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@measure_option
@number_option(f"{_SHORT}; {_LONG} with another format than table")
@baseline_option("the ideal ranking")
@query_texts_option
@tables_options("history", "targets", "baseline")
@format_option()
@wide_option
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
    number: int | None,
    baseline: str | None,
    queries: str | None,
    documents: str | None,
    style: str,
    wide: bool,
    keys: Sequence[str],
    reading: Reading,
    ties: str | None,
    missing: str | None,
    convention: str | None,
    gains: Gains | None,
    weights: str | None,
    output: str | None,
) -> None:
    """Print the queries that lose most of a measure, with the documents that cost them.

    With --baseline: what a run lost that the baseline had.
    """
    options = explanation_options(measure, convention, ties, missing, gains=gains, keys=keys)
    given = named_runs(runs)
    if baseline is not None:
        given, baseline = with_baseline(runs, baseline)
    number = number or (_SHORT if style == "table" else _LONG)
    inputs, asked = Inputs(given, qrels), WorstQueries(number, queries, documents, baseline, weights)
    names, rows = with_warnings(
        None,
        lambda state: worst_and_warnings(state, inputs, options, asked, names_and_rows),
        {**reading, "keys": keys, "convention": convention},
    )
    if style != "table" or wide:
        write_output(FORMATS[style](names, rows), output)
        return
    before = {"system": "", **{key: f"{key} " for key in keys if key != "system"}, "query_id": "", "query": ""}
    values = {"weight": "weight ", "value": f"{measure} ", "baseline_value": "baseline ", "query_loss": "loses "}
    write_output(by_query(names, rows, before | values, _SPARE), output)
