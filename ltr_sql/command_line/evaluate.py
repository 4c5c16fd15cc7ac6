"""The commands `evaluate` and `conventions`."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, resolve_options
from ltr_sql.catalogue.measures import is_better_lower
from ltr_sql.command_line.formats import FORMATS, table_text, table_with_best
from ltr_sql.command_line.options import (
    FILE,
    RUN,
    TABLES,
    Command,
    format_option,
    function_options,
    measures_option,
    output_option,
    reading_options,
    table_option,
    write_output,
)
from ltr_sql.command_line.runs import named_runs
from ltr_sql.command_line.terminal import is_terminal
from ltr_sql.errors import InputError
from ltr_sql.evaluation.conventions import Row, compare_conventions
from ltr_sql.evaluation.evaluate import evaluate as evaluate_function
from ltr_sql.evaluation.evaluate import evaluated
from ltr_sql.evaluation.options import EvaluationOptions, Inputs, averaging_of
from ltr_sql.inputs.connection import names_and_rows, records_of
from ltr_sql.inputs.session import with_warnings
from ltr_sql.rendering.renderer import SYSTEM, TOTAL

# Columns of an evaluation that are neither measures nor tell groups apart.
_NO_MEASURES = ("system", "queries", "weight")

_EXAMPLES = """\b
Examples:
  ltr-sql evaluate qrels.txt run.txt -m nDCG@10,RR
  ltr-sql evaluate qrels.txt runs/*.txt -m AP --convention trec_eval
  ltr-sql evaluate qrels.csv run.csv -m RR --columns user=query_id,item=doc_id
"""


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("qrels", type=FILE)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@function_options(evaluate_function, baseline=table_option("baseline"))
@format_option("trec")
@output_option
def evaluate(qrels: str, runs: Sequence[str], style: str, output: str | None, **options: Any) -> None:
    """Print measures of one or more RUNS with the judgments QRELS.

    With --ci, columns _low and _high bound the 95% interval of each mean over queries. With --format trec, the lines
    are those of trec_eval.

    Files may be Parquet, or TREC text, CSV, TSV or JSONL, also compressed as .gz or .zst.
    """
    keys, by_query = options["keys"], options["by_query"]
    segments = [key for key in keys if key != SYSTEM]
    if style == "trec" and segments:
        raise InputError(f"--format trec has no column for {', '.join(segments)}: pass another format, such as csv")
    inputs = Inputs(named_runs(runs), qrels, {name: options[name] for name in TABLES})
    rules = (options[name] for name in ("convention", "ties", "missing"))
    asked = EvaluationOptions(
        *resolve_options(options["measures"] or DEFAULT_MEASURES, *rules),
        gains=options["gains"],
        keys=keys,
        by_query=by_query,
        check=options["check"],
    )
    averaging = averaging_of(options)
    names, rows = with_warnings(None, lambda state: evaluated(state, inputs, asked, averaging, names_and_rows), options)
    if style == "table" and output is None and is_terminal() and "system" in names and not by_query:
        write_output(_table_of_systems(names, rows, [*keys, TOTAL, *_NO_MEASURES]), output)
    else:
        write_output(FORMATS[style](names, rows), output)


def _table_of_systems(names: Sequence[str], rows: Sequence[Sequence[Any]], others: Sequence[str]) -> str:
    """Return the table of an evaluation of several systems. `others`: names of the columns that are not measures."""
    by = [name for name in names if name in others and name not in _NO_MEASURES]
    measures = [name for name in names if name not in others]
    found: dict[tuple[Any, ...], list[float]] = {}
    for record in records_of(names, rows):
        for measure in measures:
            if record[measure] is not None:
                found.setdefault((*(record[key] for key in by), measure), []).append(record[measure])

    def best(record: Mapping[str, Any], measure: str) -> float:
        values = found[*(record[key] for key in by), measure]
        return min(values) if is_better_lower(measure) else max(values)

    return table_with_best(names, rows, measures, best)


@click.command(cls=Command, name="conventions")
@click.argument("qrels", type=FILE)
@click.argument("run", type=FILE)
@measures_option()
@reading_options
@format_option()
@output_option
def conventions(qrels: str, run: str, measures: Sequence[str], style: str, output: str | None, **reading: Any) -> None:
    """Print the values that each tool would report for RUN, and the settings that make them differ."""
    found = compare_conventions(run, qrels, measures or DEFAULT_MEASURES, reading)
    if style == "table":
        write_output("".join(_table(measure, rows) for measure, rows in found.items()), output)
    else:
        rows = [
            (measure, name, None, f"no value: {value}") if isinstance(value, str) else (measure, name, value, causes)
            for measure, of_measure in found.items()
            for name, value, causes in of_measure
        ]
        write_output(FORMATS[style](["measure", "convention", "value", "differs_because_of"], rows), output)


def _table(measure: str, rows: Sequence[Row]) -> str:
    """Return the values of a measure as a table, with its name as a header: a row for each value and its causes."""
    names: dict[tuple[str, str], list[str]] = {}
    for name, value, causes in rows:
        shown = ("", f"no value: {value}") if isinstance(value, str) else (_four_decimals(value), causes)
        names.setdefault(shown, []).append(name)
    texts = [(value, ", ".join(of_value), causes) for (value, causes), of_value in names.items()]
    return table_text([measure, "conventions", "differs because of"], texts)


def _four_decimals(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
