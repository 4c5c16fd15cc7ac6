"""The command `ltr-sql` and its subcommands."""

import sys
import warnings
from functools import update_wrapper
from importlib import import_module
from io import BufferedWriter, RawIOBase, TextIOWrapper
from typing import Any

import click

from ltr_sql.catalogue.builders import builders
from ltr_sql.command_line.failures import defects, failures, interruptions
from ltr_sql.command_line.options import quiet_option
from ltr_sql.command_line.overwriting import refuse_overwriting
from ltr_sql.command_line.terminal import say, stages_shown
from ltr_sql.errors import InputWarning

# The module of each command; those of builders are made from their headers. A module is loaded when its command is
# called, because loading all of them takes longer than most evaluations.
_MODULES = {
    "catalogue": "listings",
    "check": "check",
    "compare": "compare",
    "conventions": "conventions",
    "evaluate": "evaluate",
    "explain": "explain",
    "fuse": "fuse",
    "measures": "listings",
    "report": "report",
    "sql": "listings",
    "trec_eval": "trec_eval",
    "trend": "trend",
    "verify": "verify",
    "worst": "worst",
}
_show_warning = warnings.showwarning


class _Commands(click.Group):
    """Command group that prints errors of ltr_sql, and interruptions, as one line on stderr.

    Each command has the option --quiet.
    """

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, with the options and checks that all commands have."""
        super().add_command(quiet_option(_with_checks(cmd)), name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*_MODULES, *(builder.command for builder in builders().values())])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and cmd_name in self.list_commands(ctx):
            module = import_module(f"ltr_sql.command_line.{_MODULES.get(cmd_name, 'builders')}")
            self.add_command(getattr(module, cmd_name) if cmd_name in _MODULES else module.command(cmd_name))
        return super().get_command(ctx, cmd_name)

    def main(self, *args: Any, **extra: Any) -> Any:
        _print_utf8()
        with defects():
            return super().main(*args, **extra)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with interruptions(), failures():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with interruptions(), warnings.catch_warnings():
            warnings.simplefilter("always", InputWarning)
            warnings.showwarning = _print_warning
            with failures(), stages_shown():
                return super().invoke(ctx)


def _with_checks(command: click.Command) -> click.Command:
    """Let a command refuse outputs that would overwrite its inputs."""
    run = command.callback
    assert run is not None

    def checked(**options: Any) -> Any:
        refuse_overwriting(click.get_current_context())
        return run(**options)

    command.callback = update_wrapper(checked, run)
    return command


def _print_utf8() -> None:
    """Write UTF-8 to files and pipes, and keep the encoding of a terminal.

    By default, Python on Windows would use the encoding of the locale.
    """
    if isinstance(sys.stdout, TextIOWrapper) and isinstance(sys.stdout.buffer, RawIOBase):
        # An unbuffered stream drops the rest of a text that was written in part.
        sys.stdout = TextIOWrapper(BufferedWriter(sys.stdout.buffer), encoding=sys.stdout.encoding)
    for stream, errors in ((sys.stdout, "replace"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors=errors)


def _print_warning(message: Warning | str, *about: Any, **others: Any) -> None:
    """Print a warning about the input as one line, and any other as Python does."""
    if isinstance(message, InputWarning):
        say(f"Warning: {message}")
    else:
        _show_warning(message, *about, **others)


@click.group(cls=_Commands)
@click.version_option(package_name="ltr-sql")
def main() -> None:
    """Evaluate rankings in SQL."""
