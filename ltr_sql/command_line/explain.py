"""The command explain."""

from typing import Any

import click

from ltr_sql.command_line.flags import Command, flag
from ltr_sql.command_line.formats import FORMATS, of_columns
from ltr_sql.command_line.grouped import with_whole_grades
from ltr_sql.command_line.options import (
    FILE,
    format_option,
    function_options,
    only_one,
    output_option,
    wide_option,
    write_output,
)
from ltr_sql.evaluation.explanation import explain as explanation
from ltr_sql.evaluation.explanation import explanation_options, explanation_query
from ltr_sql.evaluation.options import Inputs
from ltr_sql.inputs.connection import names_and_rows
from ltr_sql.inputs.session import with_session

# The columns that a table for people shows, besides the keys.
_SHOWN = ("rank", "doc_id", "relevance", "contribution", "running", "ideal_doc_id", "ideal_contribution")


@click.command(cls=Command)
@click.argument("qrels", type=FILE)
@click.argument("run", type=FILE)
@flag("-q", "--query", required=True, multiple=True, callback=only_one, help="A query id.")
@function_options(explanation)
@format_option()
@wide_option
@output_option
def explain(
    qrels: str, run: str, query: str, measure: str, style: str, wide: bool, output: str | None, **options: Any
) -> None:
    """Print how much each rank contributes to a measure of one query, next to the ideal ranking."""
    evaluation = explanation_options(measure, options)
    inputs = Inputs(run, qrels)
    names, rows = with_session(
        None,
        lambda state: names_and_rows(state.con, explanation_query(state, inputs, query, evaluation)),
        options,
    )
    if style in ("table", "markdown") and not wide:
        names, kept = of_columns(names, rows, ["system", *options["keys"], *_SHOWN])
        rows = with_whole_grades(names, kept)
    write_output(FORMATS[style](names, rows), output)
