"""The command `ltr-sql trend`: means over periods, and since when they changed."""

from collections.abc import Sequence
from typing import Any

import click

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES
from ltr_sql.catalogue.options import Trend, defaults_of, options_of
from ltr_sql.command_line.formats import FORMATS, of_columns, table_text
from ltr_sql.command_line.options import (
    FILE,
    Command,
    flag,
    format_option,
    function_options,
    measures_option,
    missing_option_of,
    output_option,
    wide_option,
    write_output,
)
from ltr_sql.comparison.compare import trend as trend_function
from ltr_sql.comparison.compare import trend_query
from ltr_sql.comparison.saved_values import read_values, refuse_other_settings
from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import names_and_rows, united
from ltr_sql.inputs.run_files import Run, name_of, runs_in
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Table
from ltr_sql.rendering.dialects import utf8_path

# The column of the periods of a single file, and of tables of values.
_WEEK = "week"
# The columns that a table for people shows, besides the keys and the periods.
_SHOWN = ("measure", "mean", "low", "high", "queries", "common", "difference", "mix", "p_adjusted", "verdict")

# Those of them that a narrow terminal leaves out.
_SPARE = ("mix", "common", "queries")


@click.command(cls=Command)
@click.argument("files", metavar="QRELS RUN...", type=FILE, nargs=-1, required=True)
@function_options(
    trend_function,
    measures=measures_option(f"{' '.join(DEFAULT_MEASURES)}, or with --values all numeric columns"),
    by=flag(
        "--by",
        metavar="COLUMN",
        help="The column of the periods: dates, timestamps, ISO weeks such as 2026-W07, months, quarters, or numbers. "
        "Without it, each of several files is a period, named by its file, and a single file has the column week.",
    ),
    missing=missing_option_of(
        options_of(Trend)["missing"].choices, "zero if the judgments have the column of the periods, otherwise skip"
    ),
)
@wide_option
@format_option()
@output_option
def trend(
    files: Sequence[str],
    measures: Sequence[str],
    by: str | None,
    values: bool,
    wide: bool,
    style: str,
    output: str | None,
    **options: Any,
) -> None:
    """Print how the means of measures change over periods, such as weeks.

    Prints one row for each measure and period: the mean with its interval, and the difference from the period before.
    """
    qrels, runs = (None, runs_in(files)) if values else (files[0], runs_in(files[1:]) if files[1:] else [])
    if not runs:
        raise InputError(f"also pass the runs, as in: ltr-sql trend {files[0]} RUN...")
    named = {utf8_path(name_of(run)): run for run in runs}
    if by is None and len(named) < len(runs):
        raise InputError("two files have the same name: rename one, or pass the column of the periods as --by")
    column = by or (_WEEK if values or len(runs) == 1 else "system")
    given = defaults_of(Trend, qrels=qrels, by=column, values=values, **options)

    def run(state: Session) -> tuple[tuple[list[str], list[Any]], list[str]]:
        rankings: Any = named if len(runs) > 1 else runs[0]
        chosen, more = measures, list[str]()
        if values:
            rankings, known, more = _united(state, runs, by is None and len(runs) > 1)
            chosen = measures or [name for name in known if name not in (column, *options["keys"])]
        query, warning_texts = trend_query(state, rankings, chosen or None, given)
        return names_and_rows(state.con, query), [*more, *warning_texts]

    names, rows = with_warnings(None, run, given)
    if style in ("table", "markdown") and not wide:
        names, rows = of_columns(names, rows, [*_SHOWN, column, *options["keys"]])
    shown = FORMATS[style](names, rows) if style != "table" or wide else table_text(names, rows, spare=_SPARE)
    write_output(shown, output)


def _united(state: Session, files: Sequence[Run], named: bool) -> tuple[Table, list[str], list[str]]:
    """Return the rows of tables of values, their measures, and warnings.

    If `named`, a column week has the names of the files.
    """
    first, *others = given = [read_values(state, path) for path in files]
    warnings = []
    for other in others:
        try:
            refuse_other_settings(other.settings, other.path, first.settings, first.path)
        except InputError as error:
            warnings.append(str(error))
    titles = [utf8_path(name_of(file)) if named else values.path for file, values in zip(files, given, strict=True)]
    tables = dict(zip(titles, (values.table for values in given), strict=True))
    return state.load(united(state, tables, _WEEK if named else "")), [*first.measures], warnings
