"""Commands that print what the package holds: measures, sql and catalogue."""

from collections.abc import Sequence
from pathlib import Path

import click
import tabulate

from ltr_sql.catalogue.functions import builders, relations
from ltr_sql.catalogue.measures import all_definitions
from ltr_sql.command_line.formats import FORMATS, of_columns
from ltr_sql.command_line.options import (
    Command,
    by_query_option,
    flag,
    format_option,
    keys_option,
    mapping,
    measure_names,
    output_option,
    required_output_option,
    wide_option,
    write_output,
)
from ltr_sql.command_line.terminal import width
from ltr_sql.errors import LtrSqlError
from ltr_sql.macros.registration import script, write_catalogue
from ltr_sql.rendering.dialects import DIALECTS, DUCKDB
from ltr_sql.rendering.render import RUN_COLUMN_OPTIONS, render

# The width of a list that is not printed to a terminal.
_PAGE = 100


@click.command(cls=Command, name="measures")
@wide_option
@format_option()
@output_option
def measures(wide: bool, style: str, output: str | None) -> None:
    """List the measures, and what each measures. --wide adds parameters and other names."""
    names = ["measure", "parameters", "aliases", "summary"]
    rows: list[tuple[str, ...]] = [
        (d.name, ", ".join(p.name for p in d.parameters), ", ".join(d.aliases), d.summary)
        for d in all_definitions().values()
    ]
    if style != "table":
        write_output(FORMATS[style](names, rows), output)
        return
    # Names and texts are long, so wrap them, in files and pipes, too.
    widths = [None, None, 38, 70]
    if not wide:
        names, rows = of_columns(names, rows, ["measure", "summary"])
        longest = max(len(name) for name, *_ in rows)
        widths = [None, max(30, (width() or _PAGE) - longest - 2)]
    write_output(f"{tabulate.tabulate(rows, names, maxcolwidths=widths)}\n", output)


@click.command(cls=Command)
@click.argument("what", nargs=-1, shell_complete=measure_names)
@flag(
    "--dialect",
    type=click.Choice(sorted(DIALECTS)),
    default="duckdb",
    show_default=True,
    help="The engine that is to run the SQL.",
)
@flag("--rankings", help="Name of the table of rankings. For Spark, {rankings} refers to a data frame.")
@flag(
    "--set",
    "settings",
    multiple=True,
    callback=lambda ctx, param, given: mapping(ctx, param, [[_setting(text) for text in given]]),
    metavar="NAME=VALUE",
    help="A table or option of a relation, such as run=my_run, ties=docid_asc or has_rank=run; may be repeated.",
)
@keys_option
@by_query_option
@output_option
def sql(
    what: Sequence[str],
    dialect: str,
    rankings: str | None,
    settings: dict[str, str],
    keys: Sequence[str],
    by_query: bool,
    output: str | None,
) -> None:
    """Print SQL: a query for the measures WHAT, the query of a relation such as judge, or the script of all macros."""
    names = settings | ({} if rankings is None else {"rankings": rankings})
    if what:
        relation = what[0] if len(what) == 1 and what[0] in {*relations(), *builders()} else None
        write_output(f"{render(relation or what, dialect, keys=keys, by_query=by_query, **names)}\n", output)
    elif dialect == DUCKDB.name:
        write_output(script(), output)
    else:
        raise LtrSqlError(f"{dialect} has no macros: pass measures, or one of {', '.join(relations())}")


@click.command(cls=Command)
@required_output_option
def catalogue(output: str) -> None:
    """Write all macros as a DuckDB file: "attach 'ltr.duckdb' as ltr (read_only)" then loads them."""
    write_catalogue(Path(output))


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    known = ["rankings", "pairs", *RUN_COLUMN_OPTIONS, *_names_of_relations()]
    if not equals or name not in known:
        raise LtrSqlError(f"--set must be NAME=VALUE with one of the names {', '.join(known)}, got {text!r}")
    return name, value


def _names_of_relations() -> list[str]:
    """Return the names that --set takes, except `rankings`: inputs, options of relations, and methods of builders."""
    names = {name for r in relations().values() for name in (*r.inputs, *(p.name for p in r.parameters))}
    names |= {name for b in builders().values() for name in (*b.inputs, b.option) if name}
    return sorted(names - {"rankings"})
