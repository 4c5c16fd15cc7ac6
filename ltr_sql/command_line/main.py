"""The command `ltr-sql` and its subcommands."""

import os
import stat
import sys
import warnings
from collections.abc import Iterator
from difflib import get_close_matches
from functools import update_wrapper
from importlib import import_module
from io import BufferedWriter, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import Any

import click
import duckdb

from ltr_sql.command_line.failures import defects, failures, in_format_of, in_words_of_command, interruptions
from ltr_sql.command_line.options import BASELINE, File, OutputFile, quiet_option
from ltr_sql.command_line.runs import expanded
from ltr_sql.command_line.terminal import say, stages_shown
from ltr_sql.errors import InputError, InputWarning
from ltr_sql.inputs.readers import duckdb_name, utf8_name


def refuse_overwriting(ctx: click.Context) -> None:
    """Raise InputError if an output of a command is one of its inputs, by any path or link, or another output.

    The values of a baseline may be replaced by `--save-values`.
    """
    inputs = [file for _, path in _paths(ctx, File) for file in expanded([path]) if _is_regular(file)]
    baseline = [path for _, path in _paths(ctx, type(BASELINE)) if _is_regular(path)]
    outputs = [*_paths(ctx, OutputFile)]
    for number, (option, output) in enumerate(outputs):
        for other, path in outputs[:number]:
            if os.path.realpath(path) == os.path.realpath(output) and not _is_special(output):
                raise InputError(f"{other} and {option} name the same file {output}: pass two files")
        if not _is_regular(output):
            continue
        for path in inputs:
            if os.path.samefile(path, output):
                raise InputError(f"{option} {output} would overwrite the input {path}: pass another file")
        for path in baseline:
            if os.path.samefile(path, output) and not (option == "--save-values" and _holds_saved_values(path)):
                raise InputError(f"{option} {output} would overwrite the baseline {path}: pass another file")


def _paths(ctx: click.Context, kind: type[click.ParamType[Any]]) -> Iterator[tuple[str, str]]:
    """Yield the longest name and the value of each parameter of a type that the caller gave."""
    for parameter in ctx.command.params:
        if isinstance(parameter.type, kind):
            value = ctx.params.get(str(parameter.name))
            for path in value if isinstance(value, tuple) else [value]:
                if path is not None:
                    yield parameter.opts[0], os.fspath(path)


def _holds_saved_values(path: str) -> bool:
    """Return whether a file is a table of values in Parquet: its rows are queries, not documents."""
    if ".parquet" not in Path(path).suffixes:
        return False
    try:
        with duckdb.connect() as con, utf8_name(path) as name:
            described = con.execute(f"describe from read_parquet({duckdb_name(name)})").fetchall()
    except duckdb.Error:
        return False
    columns = {column.lower() for column, *_ in described}
    return "query_id" in columns and "doc_id" not in columns


def _is_regular(path: str) -> bool:
    """Return whether a path is a file, also through links, and no pipe, device or folder."""
    try:
        return stat.S_ISREG(Path(path).stat().st_mode)
    except (OSError, ValueError):
        return False


def _is_special(path: str) -> bool:
    return Path(path).exists() and not _is_regular(path)


# The commands by what they are for: the module of each, and one line of at most 60 characters for the list of commands.
# Those of the module builders are made from their headers. A module is loaded when its command is called, because
# loading all of them takes longer than most evaluations.
_SECTIONS = {
    "Measure": {
        "evaluate": ("evaluate", "Measures of runs: means, or a value for each query"),
        "compare": ("compare", "Is B better? Differences, intervals, tests, gates for CI"),
        "report": ("report", "One offline HTML page about an evaluation"),
        "trend": ("trend", "Means over periods such as weeks, and since when"),
        "worst": ("queries", "Queries that lose most, and the documents that cost them"),
        "explain": ("queries", "What each rank contributes to a measure of one query"),
    },
    "Trust": {
        "check": ("check", "Errors, warnings and diagnostics of the input"),
        "conventions": ("evaluate", "The values that other tools would report, and why"),
        "verify": ("verify", "Compare the SQL with an implementation in numpy"),
    },
    "Judgments": {
        "pool": ("builders", "The documents to judge, from the top of several runs"),
        "unique-documents": ("builders", "Documents that a single run brought to the pool"),
        "merge-judgments": ("builders", "One judgment for each document from several raters"),
        "rater-agreement": ("builders", "Agreement of raters, for each pair and for all"),
        "rater-confusion": ("builders", "Grades of each pair of raters against each other"),
        "rater-bias": ("builders", "Whether a rater, such as an LLM, favours a system"),
        "click-judgments": ("builders", "Judgments from a log of clicks"),
    },
    "Runs and logs": {
        "fuse": ("fusion", "One run from several"),
        "tune-fusion": ("fusion", "Weights of a fusion, and what they are worth"),
        "group-documents": ("builders", "A run of documents from a run of chunks"),
        "interleaving": ("builders", "Wins of two systems in a log of interleaving"),
        "position-bias": ("builders", "How often users look at each rank"),
        "off-policy": ("builders", "What another policy would have earned, from a log"),
    },
    "Lists, SQL and other tools": {
        "measures": ("listings", "All measures, and what they mean"),
        "sql": ("listings", "The SQL of measures, or the script of all macros"),
        "catalogue": ("listings", "Write the macros to a DuckDB file to attach"),
        "trec_eval": ("trec_eval", "Drop-in replacement for trec_eval 10"),
    },
}
_MODULES = {name: module for section in _SECTIONS.values() for name, (module, _) in section.items()}
_DOCUMENTATION = "https://github.com/ltr-sql/ltr_sql/blob/main/docs/command_line.md"
_EXAMPLES = """\b
Examples:
  ltr-sql evaluate qrels.txt run.txt -m nDCG@10,RR
  ltr-sql compare qrels.txt old.txt new.txt -m nDCG@10
  ltr-sql report qrels.txt old.txt new.txt -o report.html
"""
_MORE = f"\b\nDocumentation: {_DOCUMENTATION}"
# The options that the help of a command lists first.
_COMMON = ("measures", "measure", "by_query", "query", "number", "baseline", "gates", "style", "wide", "output")
_HELP_NAMES = {"help_option_names": ["-h", "--help"]}
_show_warning = warnings.showwarning


class _Commands(click.Group):
    """Command group that prints errors of ltr_sql, and interruptions, on stderr.

    Each command has the option --quiet.
    """

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, with the options and checks that all commands have."""
        cmd.epilog = f"{cmd.epilog}\n{_MORE}" if cmd.epilog else _MORE
        cmd.params.sort(key=lambda parameter: parameter.name not in _COMMON)
        super().add_command(quiet_option(_with_checks(cmd)), name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and cmd_name in _MODULES:
            module = import_module(f"ltr_sql.command_line.{_MODULES[cmd_name]}")
            made = (
                module.command(cmd_name)
                if _MODULES[cmd_name] == "builders"
                else getattr(module, cmd_name.replace("-", "_"))
            )
            self.add_command(made)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name the one that a misspelt name is nearest to."""
        close = [] if args[0] in _MODULES else get_close_matches(args[0], _MODULES, 1)
        if close:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {close[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by section, without loading them."""
        longest = max(map(len, _MODULES))
        for title, commands in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(longest), line) for name, (_, line) in commands.items()])

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
            with in_format_of([*ctx.args]), failures(), stages_shown():
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
    """Print a warning about the input in the words of the command, and any other as Python does."""
    if isinstance(message, InputWarning):
        say(f"Warning: {in_words_of_command(str(message))}")
    else:
        _show_warning(message, *about, **others)


@click.group(cls=_Commands, context_settings=_HELP_NAMES, epilog=f"{_EXAMPLES}\n\n{_MORE}")
@click.version_option(None, "-V", "--version", package_name="ltr-sql")
def main() -> None:
    """Evaluate rankings: search results, retrieved passages, recommendations."""
