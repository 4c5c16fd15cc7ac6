"""Arguments and options that several commands take."""

from collections.abc import Sequence
from pathlib import Path

import click

from ltr_sql.errors import LtrSqlError
from ltr_sql.language.catalogue import conventions, relations
from ltr_sql.language.measure_strings import DEFAULT_MEASURES

FILE = click.Path(exists=True, dir_okay=False)

_OPTIONS = {parameter.name: parameter for parameter in relations()["judge"].parameters}

measures_option = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help=f"A measure string such as nDCG@10; may be repeated. Default: {' '.join(DEFAULT_MEASURES)}.",
)
ties_option = click.option(
    "--ties",
    type=click.Choice(_OPTIONS["ties"].choices),
    show_default=_OPTIONS["ties"].default,
    help="Tie-breaking rule for equal scores.",
)
missing_option = click.option(
    "--missing",
    type=click.Choice(_OPTIONS["missing"].choices),
    show_default=_OPTIONS["missing"].default,
    help="Judged queries that a run lacks count as 0 (zero), or are left out (skip).",
)
convention_option = click.option(
    "--convention",
    type=click.Choice(list(conventions())),
    help="Compute measures as this tool does. Explicit options take precedence.",
)


def named_files(files: Sequence[str]) -> dict[str, str]:
    """Return files by their names, or by their paths if two have the same name."""
    if len(set(files)) < len(files):
        raise LtrSqlError("a run is repeated: pass each file once")
    stems = [name_of_file(path) for path in files]
    return dict(zip(stems if len(set(stems)) == len(stems) else files, files, strict=True))


def name_of_file(path: str) -> str:
    """Return the name of a file without the suffixes of text and compression."""
    return Path(path).name.removesuffix(".gz").removesuffix(".txt")
