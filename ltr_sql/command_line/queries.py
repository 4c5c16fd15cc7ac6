"""The commands `worst` and `explain`."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import click

from ltr_sql.command_line.formats import FORMATS, of_columns, table_text
from ltr_sql.command_line.options import (
    FILE,
    RUN,
    Command,
    baseline_option,
    flag,
    format_option,
    function_options,
    number_option,
    only_one,
    output_option,
    wide_option,
    write_output,
)
from ltr_sql.command_line.runs import named_runs, with_baseline
from ltr_sql.command_line.terminal import bold
from ltr_sql.evaluation.explanation import WorstQueries, explained, explanation_options, worst_and_warnings
from ltr_sql.evaluation.explanation import explain as explanation
from ltr_sql.evaluation.explanation import worst as worst_queries
from ltr_sql.evaluation.options import Inputs
from ltr_sql.inputs.connection import names_and_rows
from ltr_sql.inputs.session import with_warnings

# Columns of grades, which are whole numbers more often than not.
_GRADES = ("relevance", "ideal_relevance")


def with_whole_grades(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return rows whose grades without a fraction are integers."""
    grades = {i for i, name in enumerate(names) if name in _GRADES}
    whole = all(row[i] is None or float(row[i]).is_integer() for row in rows for i in grades)
    return [[int(v) if whole and i in grades and v is not None else v for i, v in enumerate(row)] for row in rows]


def by_query(
    names: Sequence[str], rows: Sequence[Sequence[Any]], heads: Mapping[str, str], spare: Sequence[str] = ()
) -> str:
    """Return the rows of each query as a table below a line about the query.

    - `heads`: the columns of that line, in its order, and what stands before each value.
    - `spare`: columns that a narrow terminal leaves out; see `table_text`.
    """
    of_head = {name: names.index(name) for name in heads if name in names}
    others = [i for i, name in enumerate(names) if name not in of_head]
    whole = with_whole_grades(names, rows)
    blocks = []
    for key, group in groupby(whole, key=lambda row: [row[i] for i in of_head.values()]):
        line = "  ".join(f"{heads[name]}{_shown(value)}" for name, value in zip(of_head, key, strict=True))
        table = table_text([names[i] for i in others], [[row[i] for i in others] for row in group], spare=spare)
        blocks.append(f"{bold(line)}\n{table}")
    return "\n".join(blocks) or table_text(names, rows, spare=spare)


def _shown(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else "(none)" if value is None else str(value)


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

    names, rows = with_warnings(
        None, lambda state: explained(state, inputs, query, evaluation, names_and_rows), options
    )
    if style in ("table", "markdown") and not wide:
        names, kept = of_columns(names, rows, ["system", *options["keys"], *_SHOWN])
        rows = with_whole_grades(names, kept)
    write_output(FORMATS[style](names, rows), output)
