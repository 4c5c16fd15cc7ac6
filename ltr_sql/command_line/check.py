"""The command check."""

import sys
from collections.abc import Sequence

import click

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES
from ltr_sql.command_line.options import (
    FILE,
    RUN,
    columns_option,
    keys_option,
    measures_option,
    named_runs,
    output_option,
    write_output,
)
from ltr_sql.validation.checks import check as find


@click.command()
@click.argument("qrels", type=FILE)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@measures_option()
@keys_option
@columns_option
@output_option
def check(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    keys: Sequence[str],
    columns: dict[str, str] | None,
    output: str | None,
) -> None:
    """Print errors, warnings and diagnostics of RUNS. The exit code is 1 if there is an error."""
    found = find(named_runs(runs), qrels, keys=keys, columns=columns, measures=measures or DEFAULT_MEASURES)
    lines = [
        f"{severity}: {what} ({how_many}): {first_rows}\n    what to do: {what_to_do}\n"
        for severity, what, how_many, first_rows, what_to_do in found.itertuples(index=False, name=None)
    ]
    write_output("".join([*lines, f"{len(found)} finding{'' if len(found) == 1 else 's'}\n"]), output)
    sys.exit(1 if (found["severity"] == "error").any() else 0)
