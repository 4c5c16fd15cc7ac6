"""The command `ltr-sql report`: one offline HTML file about an evaluation."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ltr_sql.command_line.failures import in_words_of_command
from ltr_sql.command_line.options import (
    FILE,
    RUN,
    Command,
    baseline_option,
    flag,
    format_option,
    function_options,
    output_option,
    write_output,
)
from ltr_sql.command_line.runs import require_files, with_baseline
from ltr_sql.command_line.terminal import is_terminal, remark
from ltr_sql.reports.report import report as report_of


@click.command(cls=Command, name="report")
@click.argument("qrels", type=FILE)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@output_option
@function_options(
    report_of,
    baseline=baseline_option("the first run"),
    trend=flag(
        "--trend", metavar="COLUMN", help="The column of RUNS that holds the periods, such as week, for a trend."
    ),
    title=flag("--title", help="Title of the page."),
    lists=flag(
        "--lists", type=int, default=60, show_default=True, help="Number of queries whose documents are listed."
    ),
    depth=flag(
        "--depth", type=int, default=10, show_default=True, help="Number of documents from the top of each ranking."
    ),
)
@format_option(of=("html", "json", "markdown", "latex"))
def report(
    qrels: str,
    runs: Sequence[str],
    output: str | None,
    style: str,
    measures: Sequence[str],
    baseline: str | None,
    **options: Any,
) -> None:
    """Write a report about RUNS with the judgments QRELS: one HTML file that needs no network.

    It shows who leads and whether that is significant, on which queries systems differ, their lists side by side, and
    findings about the data. The first run is the baseline, unless --baseline names another.
    """
    ctx = click.get_current_context()
    if style == "html" and output is None and is_terminal():
        raise click.UsageError("pass a file for the page, as in -o report.html", ctx)
    require_files(runs)
    named, baseline = with_baseline(runs, baseline)
    made = report_of(named, measures or None, qrels=qrels, baseline=baseline, **options, command=_command(ctx))
    made = replace(made, data=_in_words_of_command(made.data))
    write_output(getattr(made, style), output)
    if output is not None:
        remark(made.data["verdict"]["claim"])
        remark(f"Wrote {output} ({_size(output)})")


def _size(path: str) -> str:
    """Return the size of a file as text."""
    size = Path(path).stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} KB"


def _in_words_of_command(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a report whose notes and findings name the flags of the command."""
    texts = ("what", "what_to_do")
    findings = [{**found, **{name: in_words_of_command(found[name]) for name in texts}} for found in data["findings"]]
    return {**data, "notes": [*map(in_words_of_command, data["notes"])], "findings": findings}


def _command(ctx: click.Context) -> str:
    """Return the command line of a call, without options that were left out, and without the folders of files."""
    words = ["ltr-sql", str(ctx.info_name)]
    for parameter in ctx.command.params:
        value = ctx.params.get(str(parameter.name))
        if value is None or ctx.get_parameter_source(str(parameter.name)) != ParameterSource.COMMANDLINE:
            continue
        if isinstance(parameter, click.Argument):
            words += value if isinstance(value, tuple) else [value]
        elif isinstance(value, bool):
            words.append(parameter.opts[0] if value else parameter.secondary_opts[0])
        elif isinstance(value, dict):
            words += [parameter.opts[-1], ",".join(f"{theirs}={ours}" for theirs, ours in value.items())]
        elif getattr(parameter, "multiple", False):
            words += [word for one in value for word in (parameter.opts[0], one)]
        else:
            words += [parameter.opts[0], ",".join(value) if isinstance(value, tuple) else str(value)]
    return shlex.join(_without_folders([*map(str, words)]))


def _without_folders(words: Sequence[str]) -> list[str]:
    """Return words with the base names of files. A folder stays where two base names are equal."""
    files = {word: Path(word) for word in words if Path(word).name != word and Path(word).parent.is_dir()}
    names = [file.name for file in files.values()]
    short = {
        word: file.name if names.count(file.name) == 1 else "/".join(file.parts[-2:]) for word, file in files.items()
    }
    return [short.get(word, word) for word in words]
