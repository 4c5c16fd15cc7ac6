"""Exit codes of the command, and its errors on stderr, or as JSON.

0: fine. 1: the answer is no, because a gate failed, `check` found an error, or `verify` found a difference. A failure
never has the code 1.
"""

import json
import os
import re
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import IO, Any

import click
import duckdb

from ltr_sql.catalogue.wording import on_command_line
from ltr_sql.command_line.terminal import say
from ltr_sql.errors import LtrSqlError, OutputError
from ltr_sql.outputs import cannot_be_written


def in_words_of_command(text: str) -> str:
    """Return a message that is written in the words of Python or SQL in those of the current command."""
    context = click.get_current_context(silent=True)
    if context is None:
        return text
    root = context.find_root()
    group = root.command if isinstance(root.command, click.Group) else None
    if context is root and group is not None and root.invoked_subcommand is not None:
        # The command has ended.
        command = group.get_command(root, root.invoked_subcommand) or context.command
    else:
        command = context.command
    flags = {"qrels": "QRELS"}
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            flags[str(parameter.name)] = parameter.human_readable_name.upper()
        else:
            flags[str(parameter.name)] = max(parameter.opts, key=len)
            flags |= {f"no {parameter.name}": opposite for opposite in parameter.secondary_opts}
    return on_command_line(text, flags, {} if group is None else dict.fromkeys(group.list_commands(root)))


# No answer: wrong usage or input, a gate that cannot be decided, or not enough memory.
NO_ANSWER = 2
# The answer could not be written, to standard output or a file: EX_IOERR of sysexits.h.
NOT_WRITTEN = 74
INTERRUPTED = 128 + signal.SIGINT


class Failed(click.ClickException):
    """An error as text on stderr, and its exit code."""

    exit_code = NO_ANSWER

    def __init__(self, error: BaseException) -> None:
        super().__init__(in_words_of_command(" ".join(str(error).split())))

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the error on stderr, if it is open."""
        say(f"Error: {self.format_message()}")


# Imperatives with which the advice of a message begins.
_ADVICE = re.compile(
    r"(?:[.:;] What to do|:) (?=(?:add|call|cast|check|choose|collect|compare|complete|compute|correct|count|cut|drop|"
    r"evaluate|fill|for|give|group|if|install|keep|label|leave|make|move|name|pass|put|raise|rank|read|remove|rename|"
    r"replace|round|run|save|select|set|store|take|turn|use|write|nothing)\b)|; (?=to list |did you mean )|"
    r"\. (?=(?:Did you mean|Run these queries|Save the file) )|\n(?=Example: )"
)


def parted(message: str) -> tuple[str, str | None]:
    """Return what is wrong, and what to do, or None if the message does not say so."""
    before, advised, after = message.partition(". What to do: ")
    if advised:
        return before, after
    match = _ADVICE.search(message)
    return (message, None) if match is None else (message[: match.start()], message[match.end() :])


class NotWritten(Failed):
    """An output that could not be written."""

    exit_code = NOT_WRITTEN


@contextmanager
def failures() -> Iterator[None]:
    """Convert errors of ltr_sql, of memory and of standard output to `Failed`."""
    try:
        yield
    except OutputError as error:
        raise NotWritten(error) from None
    except (LtrSqlError, duckdb.OutOfMemoryException) as error:
        raise Failed(error) from None
    except OSError as error:
        # Only standard streams have no name: click prints help and version.
        if error.filename is not None:
            raise
        abandon(sys.stdout)
        raise NotWritten(cannot_be_written("standard output", error)) from None


@contextmanager
def in_format_of(args: Sequence[str]) -> Iterator[None]:
    """Print the error of a call as JSON, if its arguments ask for JSON. They may be wrong, so they are not parsed."""
    try:
        yield
    except click.ClickException as error:
        if "--format=json" not in args and ("--format", "json") not in pairwise(args):
            raise
        _show_as_json(error)
        raise click.exceptions.Exit(error.exit_code) from None


def _show_as_json(error: click.ClickException) -> None:
    """Print an error as one object on standard output; on stderr, as text, if standard output is closed or full."""
    what, what_to_do = parted(error.format_message())
    try:
        print_text(f"{json.dumps({'error': what, 'what_to_do': what_to_do}, indent=2)}\n")
    except OutputError:
        error.show()


@contextmanager
def interruptions() -> Iterator[None]:
    """Print one line if Ctrl-C is pressed, and exit with `INTERRUPTED`."""
    try:
        yield
    except (KeyboardInterrupt, duckdb.InterruptException, RuntimeError) as error:
        # If interrupted, DuckDB's cursors raise a RuntimeError. Exit of click is one as well.
        if isinstance(error, RuntimeError) and "interrupted" not in str(error):
            raise
        say("Interrupted")
        raise click.exceptions.Exit(INTERRUPTED) from None


@contextmanager
def defects() -> Iterator[None]:
    """Print the traceback of an unexpected error, and exit with `NO_ANSWER`. Python would exit with 1."""
    try:
        yield
    except Exception:
        try:
            traceback.print_exc()
        except OSError:
            abandon(sys.stderr)
        sys.exit(NO_ANSWER)


def print_text(text: str) -> None:
    """Print a text on standard output. Raises OutputError if it is closed or full."""
    if text and sys.stdout is None:
        raise OutputError("standard output is closed: pass -o FILE, or open it")
    try:
        click.echo(text, nl=False)
    except OSError as error:
        abandon(sys.stdout)
        raise cannot_be_written("standard output", error) from None


def abandon(stream: IO[Any]) -> None:
    """Drop what a stream holds. Otherwise, Python would write it again at exit, and print an error."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
