"""Commands that make relations: judgments from clicks, position bias, pools, raters and off-policy estimates.

A command has the options of the builder that it calls, so that a new option needs no code here.
"""

from typing import Any

import click

from ltr_sql.building.call import Call, built
from ltr_sql.catalogue.functions import Builder, builders
from ltr_sql.catalogue.options import Reading
from ltr_sql.catalogue.parameters import Parameter
from ltr_sql.command_line.formats import FORMATS
from ltr_sql.command_line.options import (
    CLUSTER,
    FILE,
    METHOD,
    Command,
    Option,
    flag,
    flag_of,
    format_option,
    keys_option,
    output_option,
    popped,
    reading_options,
    with_options,
    write_output,
)
from ltr_sql.command_line.runs import named_files, named_runs
from ltr_sql.inputs.connection import names_and_rows
from ltr_sql.inputs.session import with_warnings

# The argument of each command: its name, and whether it takes several files.
_FILES = {
    "runs": ("RUNS", True),
    "run": ("RUN", False),
    "judgments": ("JUDGMENTS", True),
    "log": ("LOG", False),
    "rated_values": ("VALUES", False),
}


def command(name: str) -> click.Command:
    """Return the command of a builder."""
    builder = next(builder for builder in builders().values() if builder.command == name)
    (given,) = builder.inputs
    files, many = _FILES[given]
    methods = [method_flag(builder)] if builder.option else []
    summary = f"{builder.summary}\n\nReads {builder.reads}."

    @click.command(name, cls=Command, help=summary, short_help=builder.summary)
    @click.argument("files", type=FILE, nargs=-1 if many else 1, required=True, metavar=f"{files}{'...' * many}")
    @with_options([*methods, *map(flag_for, builder.options)])
    @output_option
    @reading_options
    @keys_option
    @format_option()
    def printed(**options: Any) -> None:
        _print(builder, **options)

    return printed


def method_flag(builder: Builder) -> Option:
    """Return the flag of the methods of a builder."""
    return flag(
        f"--{builder.option.removesuffix('s') if builder.many else builder.option}",
        builder.option,
        type=click.Choice(list(builder.methods)),
        multiple=builder.many,
        required=builder.many,
        default=None if builder.many else builder.default,
        show_default=not builder.many,
        help=METHOD,
    )


def flag_for(option: Parameter, **changes: Any) -> Option:
    """Return the flag of an option of a builder, except for `changes`."""
    # A flag has one meaning in all commands.
    meaning = CLUSTER if option.name == "cluster" else f"{option.summary[0].upper()}{option.summary[1:]}."
    return flag_of(option, **{"help": meaning, **changes})


def _print(
    builder: Builder,
    *,
    files: str | tuple[str, ...],
    style: str,
    keys: tuple[str, ...],
    output: str | None,
    **options: Any,
) -> None:
    """Run a builder on files, and print the rows."""
    given: Any = files
    if builder.inputs == ("runs",):
        given = named_runs(files)
    elif builder.inputs == ("judgments",):
        given = files[0] if len(files) == 1 else named_files(files)
    reading = popped(Reading, options)
    call = Call(builder.name, given, options, keys, reading)
    names, rows = with_warnings(None, lambda state: built(state, call, names_and_rows), call.read)
    write_output(FORMATS[style](names, rows), output)
