"""The command `ltr-sql report`: one offline HTML file about an evaluation."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import click
from click.core import ParameterSource

from ltr_sql.catalogue.options import Reading
from ltr_sql.command_line.options import (
    BASELINE,
    FILE,
    RUN,
    cluster_option,
    convention_option,
    flags_of_comparison,
    human_option,
    keys_option,
    measures_option,
    missing_option,
    name_of_file,
    named_files,
    output_option,
    query_texts_option,
    reading_options,
    require_files,
    tables_options,
    ties_option,
    weights_option,
    write_output,
)
from ltr_sql.command_line.terminal import is_terminal, remark
from ltr_sql.errors import LtrSqlError
from ltr_sql.inputs.missing_files import where_missing
from ltr_sql.reports.report import report as report_of


@click.command(name="report")
@click.argument("qrels", type=FILE)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@output_option
@measures_option()
@click.option("--baseline", type=BASELINE, metavar="NAME|FILE", help="Compare with this run, by default the first one.")
@query_texts_option
@click.option(
    "--documents",
    type=FILE,
    help="Table of documents: texts to show (text, title), and the columns that measures read (see evaluate --help).",
)
@tables_options("documents", "baseline")
@click.option("--trend", metavar="COLUMN", help="The column of RUNS that holds the periods, such as week, for a trend.")
@click.option("--title", help="Title of the page.")
@keys_option
@reading_options
@flags_of_comparison("test", "adjust", "seed", "allow_unjudged")
@click.option("--lists", type=int, default=60, show_default=True, help="Number of queries whose documents are listed.")
@click.option("--depth", type=int, default=10, show_default=True, help="Number of documents of each list.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["html", "json", "markdown", "latex"]),
    default="html",
    show_default=True,
    help="Output format.",
)
@ties_option
@missing_option
@convention_option
@weights_option
@human_option
@cluster_option
@click.option("--check/--no-check", default=True, show_default=True, help="Validate the input.")
@click.pass_context
def report(
    ctx: click.Context,
    qrels: str,
    runs: Sequence[str],
    output: str | None,
    measures: Sequence[str],
    baseline: str | None,
    queries: str | None,
    documents: str | None,
    history: str | None,
    targets: str | None,
    title: str | None,
    keys: Sequence[str],
    trend: str | None,
    reading: Reading,
    test: str,
    adjust: str,
    seed: int,
    allow_unjudged: bool,
    lists: int,
    depth: int,
    style: str,
    ties: str | None,
    missing: str | None,
    convention: str | None,
    weights: str | None,
    human: str | None,
    cluster: str | None,
    check: bool,
) -> None:
    """Write a report about RUNS with the judgments QRELS: one HTML file that needs no network.

    It shows who leads and whether that is significant, on which queries systems differ, their lists side by side, and
    findings about the data. The first run is the baseline, unless --baseline names another.
    """
    if style == "html" and output is None and is_terminal():
        raise click.UsageError("pass a file for the page, as in -o report.html", ctx)
    require_files(runs)
    named = named_files(runs)
    if baseline is not None and baseline not in named:
        same = [name for name, path in named.items() if Path(path).resolve() == Path(baseline).resolve()]
        if not same and not Path(baseline).is_file():
            raise LtrSqlError(
                f"the baseline {baseline!r} is neither a run nor a file: the runs are {', '.join(named)}; "
                f"{where_missing(baseline)}"
            )
        if not same:
            name = name_of_file(baseline)
            name = baseline if name in named else name
            named, same = {name: baseline, **named}, [name]
        baseline = same[0]
    made = report_of(
        named,
        measures or None,
        qrels=qrels,
        queries=queries,
        documents=documents,
        history=history,
        targets=targets,
        baseline=baseline,
        title=title,
        keys=keys,
        trend=trend,
        test=test,
        adjust=adjust,
        seed=seed,
        weights=weights,
        human=human,
        cluster=cluster,
        allow_unjudged=allow_unjudged,
        convention=convention,
        ties=ties,
        missing=missing,
        lists=lists,
        depth=depth,
        check=check,
        **reading,
        command=_command(ctx),
    )
    write_output(getattr(made, style), output)
    if output is not None:
        remark(made.data["verdict"]["claim"])


def _command(ctx: click.Context) -> str:
    """Return the command line of a call, without options that were left out."""
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
    return shlex.join(map(str, words))
