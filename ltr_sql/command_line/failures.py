"""Exit codes of the command, and its errors as one line on stderr.

0: fine. 1: the answer is no, because a gate failed, `check` found an error, or `verify` found a difference. A failure
never has the code 1.
"""

import os
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

import click
import duckdb

from ltr_sql.command_line.terminal import say
from ltr_sql.command_line.wording import in_words_of_command
from ltr_sql.errors import LtrSqlError, OutputError
from ltr_sql.outputs import cannot_be_written

# No answer: wrong usage or input, a gate that cannot be decided, or not enough memory.
NO_ANSWER = 2
# The answer could not be written, to standard output or a file: EX_IOERR of sysexits.h.
NOT_WRITTEN = 74
INTERRUPTED = 128 + signal.SIGINT


class Failed(click.ClickException):
    """An error as one line on stderr, and its exit code."""

    exit_code = NO_ANSWER

    def __init__(self, error: BaseException) -> None:
        super().__init__(in_words_of_command(" ".join(str(error).split())))

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the error on stderr, if it is open."""
        say(f"Error: {self.format_message()}")


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
