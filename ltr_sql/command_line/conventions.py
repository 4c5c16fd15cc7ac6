"""The command conventions."""

from collections.abc import Sequence

import click

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES
from ltr_sql.command_line.formats import table_text
from ltr_sql.command_line.options import (
    FILE,
    measures_option,
    output_option,
    write_output,
)
from ltr_sql.evaluation.conventions import compare_conventions


@click.command(name="conventions")
@click.argument("qrels", type=FILE)
@click.argument("run", type=FILE)
@measures_option()
@output_option
def conventions(qrels: str, run: str, measures: Sequence[str], output: str | None) -> None:
    """Print the values that each tool would report for RUN, and the settings that make them differ."""
    tables = []
    for measure, rows in compare_conventions(run, qrels, measures or DEFAULT_MEASURES).items():
        texts = [
            (name, "", f"no value: {value}")
            if isinstance(value, str)
            else (name, f"{value:.4f}" if isinstance(value, float) else value, causes)
            for name, value, causes in rows
        ]
        tables.append(table_text(["convention", measure, "differs because of"], texts))
    write_output("".join(tables), output)
