"""The command conventions."""

from collections.abc import Sequence
from typing import Any

import click

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES
from ltr_sql.command_line.flags import Command
from ltr_sql.command_line.formats import FORMATS, table_text
from ltr_sql.command_line.options import (
    FILE,
    format_option,
    measures_option,
    output_option,
    reading_options,
    write_output,
)
from ltr_sql.evaluation.conventions import Row, compare_conventions


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
