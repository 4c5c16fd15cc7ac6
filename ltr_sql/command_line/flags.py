"""The help of a command: its options under headings, the common ones first."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])

# Headings of options, in the order of the help. Options without a heading come first.
EVALUATION = "How values are computed"
STATISTICS = "Tests and intervals"
LATEX = "With --format latex"
BEYOND_ACCURACY = "Tables that measures beyond accuracy read"
READING = "How files are read"
HEADINGS = ("", EVALUATION, STATISTICS, LATEX, BEYOND_ACCURACY, READING)


class Flag(click.Option):
    """An option with the heading under which the help of a command lists it.

    A text as `show_default` describes the default.
    """

    def __init__(self, *given: Any, heading: str = "", **others: Any) -> None:
        super().__init__(*given, **others)
        self.heading = heading

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Return the default and the range. Click would enclose a described default in brackets."""
        extra = super().get_help_extra(ctx)
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        return extra


def flag(*names: str, **others: Any) -> Callable[[_Decorated], _Decorated]:
    """Return a decorator that adds a `Flag`."""
    return click.option(*names, cls=Flag, **others)


class Command(click.Command):
    """A command whose help lists its options under headings, and whose error for a missing argument has an example."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Raises UsageError with an example if one is missing."""
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            if not isinstance(error.param, click.Argument):
                raise
            raise click.UsageError(f"{error.format_message()}\nExample: {self._example(ctx)}", ctx) from None

    def _example(self, ctx: click.Context) -> str:
        """Return the first example of the help, or a call with the arguments and options that are required."""
        for line in (self.epilog or "").splitlines():
            if line.startswith("  ltr-sql "):
                return line.strip()
        words = ["ltr-sql", str(ctx.info_name)]
        for parameter in self.params:
            if isinstance(parameter, click.Argument):
                names = (parameter.metavar or parameter.human_readable_name).split()
                words += [f"{name.strip('[].').lower().replace('runs', 'run')}.csv" for name in names]
        for parameter in self.params:
            if isinstance(parameter, click.Option) and parameter.required:
                words += [parameter.opts[0], (parameter.metavar or str(parameter.name)).upper()]
        return " ".join(words)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options under their headings."""
        listed: dict[str, list[tuple[str, str]]] = {heading: [] for heading in HEADINGS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                listed[getattr(parameter, "heading", "")].append(record)
        for heading, records in listed.items():
            if records:
                with formatter.section(heading or "Options"):
                    formatter.write_dl(records)
