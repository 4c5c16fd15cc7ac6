"""The command `ltr-sql evaluate | check | trec_eval | explain | conventions | verify | measures | sql`."""

import csv
import json
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import duckdb
import tabulate

from ltr_sql.command_line.trec_eval import Options, decimals, line, trec_eval
from ltr_sql.errors import LtrSqlError, MeasureError
from ltr_sql.evaluate import evaluate_rows
from ltr_sql.explain import explain_rows
from ltr_sql.inputs.gains import parse_gains
from ltr_sql.inputs.readers import first_run_id, is_readable_file
from ltr_sql.language.catalogue import conventions, definitions, relations
from ltr_sql.language.measure_strings import DEFAULT_MEASURES, find_convention, parse_measure
from ltr_sql.sqltext.bundle_file import BUNDLE
from ltr_sql.sqltext.dialects import DIALECTS, DUCKDB
from ltr_sql.sqltext.render import RUN_COLUMN_OPTIONS, render


class _File(click.Path):
    """Path of a file; - is standard input."""

    def __init__(self, exists: bool = True) -> None:
        super().__init__(exists=exists, dir_okay=False, allow_dash=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        return "/dev/stdin" if path == "-" else path


_FILE = _File()
# A measure without -m is taken for a run, which _named_runs reports.
_RUN = _File(exists=False)

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
gains_option = click.option(
    "--gains",
    metavar="GRADE=GAIN,...",
    help="Custom gains of grades, such as 1=1,2=3, or 0,1,3 for the grades 0, 1 and 2.",
)


class _Names(click.ParamType):  # type: ignore[type-arg]
    """A list of names, separated by commas."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        return tuple(name.strip() for name in value.split(",")) if isinstance(value, str) else tuple(value)


keys_option = click.option(
    "--keys",
    type=_Names(),
    default=(),
    metavar="NAME,...",
    help="Grouping columns, such as system. The result has a row for each combination of their values.",
)


class _Renames(click.ParamType):  # type: ignore[type-arg]
    """A list of THEIRS=OURS, separated by commas."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, str]:
        pairs = [pair.partition("=")[::2] for pair in value.split(",")]
        if not all(theirs.strip() and ours.strip() for theirs, ours in pairs):
            self.fail(f"write THEIRS=OURS, as in user_id=query_id,item_id=doc_id, got {value!r}", param, ctx)
        return {theirs.strip(): ours.strip() for theirs, ours in pairs}


columns_option = click.option(
    "--columns",
    type=_Renames(),
    metavar="THEIRS=OURS,...",
    help="Columns with other names, such as user_id=query_id,item_id=doc_id.",
)


class _Commands(click.Group):
    """Command group that prints errors of ltr_sql, and interruptions, as one line on stderr."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, duckdb.InterruptException, RuntimeError) as error:
            # DuckDB's cursors raise a RuntimeError.
            if isinstance(error, RuntimeError) and "interrupted" not in str(error):
                raise
            click.echo("Interrupted", err=True)
            ctx.exit(128 + signal.SIGINT)
        except LtrSqlError as error:
            raise click.ClickException(" ".join(str(error).split())) from None


@click.group(cls=_Commands)
@click.version_option(package_name="ltr-sql")
def main() -> None:
    """Evaluate rankings in SQL."""


@main.command()
@click.argument("qrels", type=_FILE)
@click.argument("runs", type=_RUN, nargs=-1, required=True)
@measures_option
@keys_option
@columns_option
@click.option("--by-query", is_flag=True, help="One row for each query instead of means.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["table", "csv", "json", "markdown", "trec"]),
    default="table",
    show_default=True,
    help="Output format; trec prints the lines of trec_eval.",
)
@ties_option
@missing_option
@convention_option
@gains_option
@click.option("--check/--no-check", default=True, show_default=True, help="Validate the input.")
def evaluate(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    keys: Sequence[str],
    columns: dict[str, str] | None,
    by_query: bool,
    style: str,
    ties: str | None,
    missing: str | None,
    convention: str | None,
    gains: str | None,
    check: bool,
) -> None:
    """Print measures of one or more RUNS with the judgments QRELS.

    Files may be TREC text, Parquet, CSV, TSV or JSONL, also compressed as .gz or .zst.
    """
    names, rows, warning_texts = evaluate_rows(
        _named_runs(runs),
        measures or DEFAULT_MEASURES,
        qrels=qrels,
        keys=keys,
        columns=columns,
        by_query=by_query,
        ties=ties,
        missing=missing,
        convention=convention,
        gains=None if gains is None else parse_gains(gains),
        check=check,
    )
    for text in warning_texts:
        click.echo(f"Warning: {text}", err=True)
    _PRINTERS[style](names, rows)


@main.command()
@click.argument("qrels", type=_FILE)
@click.argument("runs", type=_RUN, nargs=-1, required=True)
@measures_option
@keys_option
@columns_option
def check(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    keys: Sequence[str],
    columns: dict[str, str] | None,
) -> None:
    """Print errors, warnings and diagnostics of RUNS. The exit code is 1 if there is an error."""
    from ltr_sql.checks import check as find  # noqa: PLC0415

    found = find(_named_runs(runs), qrels, keys=keys, columns=columns, measures=measures or DEFAULT_MEASURES)
    for severity, what, how_many, first_rows, what_to_do in found.itertuples(index=False, name=None):
        click.echo(f"{severity}: {what} ({how_many}): {first_rows}\n    what to do: {what_to_do}")
    click.echo(f"{len(found)} finding{'' if len(found) == 1 else 's'}")
    sys.exit(1 if (found["severity"] == "error").any() else 0)


@main.command()
@click.argument("qrels", type=_FILE)
@click.argument("runs", type=_RUN, nargs=-1, required=True)
@measures_option
@keys_option
@columns_option
@ties_option
@missing_option
def verify(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    keys: Sequence[str],
    columns: dict[str, str] | None,
    ties: str | None,
    missing: str | None,
) -> None:
    """Compare the SQL with the numpy oracle on RUNS. The exit code is 1 if a value differs."""
    from ltr_sql.verification import verify as compare  # noqa: PLC0415

    default = find_convention(None)
    frame = compare(
        _named_runs(runs),
        measures or None,
        qrels=qrels,
        keys=keys,
        columns=columns,
        ties=ties or default.ties,
        missing=missing or default.missing,
    )
    _print_table(list(frame.columns), frame.itertuples(index=False, name=None), floats=".1e")
    sys.exit(0 if (frame["verdict"] == "equal").all() else 1)


@main.command(name="conventions")
@click.argument("qrels", type=_FILE)
@click.argument("run", type=_FILE)
@measures_option
def print_conventions(qrels: str, run: str, measures: Sequence[str]) -> None:
    """Print the values that each tool would report for RUN, and the settings that make them differ."""
    from ltr_sql.compare_conventions import compare_conventions  # noqa: PLC0415

    for measure, rows in compare_conventions(run, qrels, measures or DEFAULT_MEASURES).items():
        texts = [(name, f"{value:.4f}" if isinstance(value, float) else value, causes) for name, value, causes in rows]
        _print_table(["convention", measure, "differs because of"], texts)


@main.command(name="trec_eval")
@click.argument("qrels", type=_FILE)
@click.argument("run", type=_FILE)
@click.option(
    "-m",
    "--measure",
    "names",
    multiple=True,
    metavar="MEASURE",
    help="A measure such as map or P.5,10, or a group such as official or all_trec; may be repeated.",
)
@click.option("-q", "--query_eval_wanted", "by_query", is_flag=True, help="Also print each query.")
@click.option(
    "-c", "--complete_rel_info_wanted", "complete", is_flag=True, help="Judged queries that the run lacks count as 0."
)
@click.option("-n", "--nosummary", "no_summary", is_flag=True, help="Leave out the averages over all queries.")
@click.option("-l", "--level_for_rel", "level", type=click.IntRange(min=1), default=1, help="Smallest relevant grade.")
@click.option(
    "-M", "--Max_retrieved_docs_per_topic", "depth", type=click.IntRange(min=1), help="Cut each ranking at this depth."
)
@click.option(
    "-J", "--Judged_docs_only", "judged_only", is_flag=True, help="Remove unjudged documents from the ranking."
)
@click.option(
    "-N",
    "--Number_docs_in_coll",
    "collection_size",
    type=click.IntRange(min=0),
    default=0,
    help="Number of documents in the collection, which utility reads.",
)
def trec_eval_command(
    qrels: str,
    run: str,
    names: Sequence[str],
    by_query: bool,
    complete: bool,
    no_summary: bool,
    level: int,
    depth: int | None,
    judged_only: bool,
    collection_size: int,
) -> None:
    """Print the lines of trec_eval 10 for RUN, with trec_eval's options and measure names.

    As in trec_eval, lines that start with # are comments, and grades lose their fraction.

    This command differs where trec_eval 10 has defects. Without -c, trec_eval stops at a judged query that RUN lacks;
    here it is left out. With -c and -l, trec_eval counts num_rel at level 1; here at the given level. trec_eval
    rescales rbp by uninitialised memory; here rbp is binary unless it has gains (rbp.1=0.5,2=1). With -l, trec_eval
    sets Rndcg to 0 if no grade reaches the level; here Rndcg keeps its value. trec_eval treats gains that differ by
    less than 1 as equal; here they differ. Gains must be at least 0. trec_eval reads a level of 11pt_avg that follows
    a larger one as 0; here levels must be ascending.
    """
    options = Options(by_query, complete, not no_summary, level, depth, judged_only, collection_size)
    click.echo("".join(f"{text}\n" for text in trec_eval(qrels, run, names, options)), nl=False)


@main.command()
@click.argument("qrels", type=_FILE)
@click.argument("run", type=_FILE)
@click.option("-q", "--query", required=True, help="A query id.")
@click.option("-m", "--measure", required=True, metavar="MEASURE", help="A measure string such as nDCG@10.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["table", "csv", "json", "markdown"]),
    default="table",
    show_default=True,
    help="Output format.",
)
@keys_option
@columns_option
@ties_option
@missing_option
@convention_option
@gains_option
def explain(
    qrels: str,
    run: str,
    query: str,
    measure: str,
    style: str,
    keys: Sequence[str],
    columns: dict[str, str] | None,
    ties: str | None,
    missing: str | None,
    convention: str | None,
    gains: str | None,
) -> None:
    """Print how much each rank contributes to a measure of one query, next to the ideal ranking."""
    names, rows = explain_rows(
        run,
        query,
        measure,
        qrels=qrels,
        ties=ties,
        missing=missing,
        convention=convention,
        gains=None if gains is None else parse_gains(gains),
        keys=keys,
        columns=columns,
    )
    _PRINTERS[style](names, rows)


@main.command(name="measures")
def list_measures() -> None:
    """List the measures."""
    rows = [
        (d.name, ", ".join(p.name for p in d.parameters), ", ".join(d.aliases), d.summary)
        for d in definitions().values()
    ]
    click.echo(
        tabulate.tabulate(rows, ["measure", "parameters", "aliases", "summary"], maxcolwidths=[None, None, 38, 70])
    )


@main.command()
@click.argument("what", nargs=-1)
@click.option("--dialect", type=click.Choice(sorted(DIALECTS)), default="duckdb", show_default=True)
@click.option("--rankings", help="Name of the table of rankings. For Spark, {rankings} refers to a data frame.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="A table or option of a relation, such as run=my_run, ties=docid_asc or has_rank=run; may be repeated.",
)
@click.option("--key", "keys", multiple=True, help="A grouping column such as system; may be repeated.")
@click.option("--by-query", is_flag=True, help="One row for each query instead of means.")
def sql(
    what: Sequence[str],
    dialect: str,
    rankings: str | None,
    settings: Sequence[str],
    keys: Sequence[str],
    by_query: bool,
) -> None:
    """Print SQL: a query for the measures WHAT, the query of a relation such as judge, or the script of all macros."""
    names = dict(_setting(text) for text in settings) | ({} if rankings is None else {"rankings": rankings})
    if what:
        relation = what[0] if len(what) == 1 and what[0] in relations() else None
        click.echo(render(relation or what, dialect, keys=keys, by_query=by_query, **names))
    elif dialect == DUCKDB.name:
        click.echo(BUNDLE.read_text(encoding="utf-8"), nl=False)
    else:
        raise LtrSqlError(f"{dialect} has no macros: pass measures, or one of {', '.join(relations())}")


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    known = ["rankings", "pairs", *RUN_COLUMN_OPTIONS, *_names_of_relations()]
    if not equals or name not in known:
        raise LtrSqlError(f"--set must be NAME=VALUE with one of the names {', '.join(known)}, got {text!r}")
    return name, value


def _names_of_relations() -> list[str]:
    """Return the names of inputs and options of all relations."""
    names = {name for r in relations().values() for name in (*r.inputs, *(p.name for p in r.parameters))}
    return sorted(names - {"rankings"})


def _require_files(runs: Sequence[str]) -> None:
    """Raise an error for a run that is no file, and suggest -m if it is a measure."""
    for run in runs:
        if not is_readable_file(run):
            with suppress(MeasureError):
                parse_measure(run)
                raise LtrSqlError(f"{run}: no such file; did you mean the measure -m {run}?")
            raise click.BadParameter(f"File {run!r} does not exist.", param_hint="RUNS...")


def _named_runs(runs: Sequence[str]) -> str | dict[str, str]:
    """Return the path of a single run, or several paths by the names of their systems.

    Run ids name the systems if all files have one and no two are equal, otherwise the names of the files do.
    """
    _require_files(runs)
    if len(runs) == 1:
        return runs[0]
    if len(set(runs)) < len(runs):
        raise LtrSqlError("a run is repeated: pass each file once")
    stems = [Path(run).name.removesuffix(".gz").removesuffix(".txt") for run in runs]
    for names in (list(map(first_run_id, runs)), stems):
        if all(names) and len(set(names)) == len(runs):
            return dict(zip(map(str, names), runs, strict=True))
    return dict(zip(runs, runs, strict=True))


def _print_table(names: Sequence[str], rows: Any, style: str = "simple", floats: str = ".4f") -> None:
    # Print ids as text, even if they look like numbers.
    labels = [i for i, name in enumerate(names) if name in ("system", "query_id", "measure")]
    click.echo(tabulate.tabulate(rows, names, tablefmt=style, floatfmt=floats, disable_numparse=labels))


def _print_csv(names: Sequence[str], rows: Any) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)


def _print_json(names: Sequence[str], rows: Any) -> None:
    click.echo(json.dumps([dict(zip(names, row, strict=True)) for row in rows], indent=2))


def _print_trec(names: Sequence[str], rows: Any) -> None:
    labels = [name for name in names if name in ("system", "query_id", "queries")]
    for row in rows:
        values = dict(zip(names, row, strict=True))
        system = f"{values['system']}\t" if "system" in labels else ""
        topic = values.get("query_id", "all")
        for name in names:
            if name not in labels and values[name] is not None:
                click.echo(f"{system}{line(name, topic, decimals(values[name]))}")


_PRINTERS: dict[str, Callable[[Sequence[str], Any], None]] = {
    "table": _print_table,
    "markdown": lambda names, rows: _print_table(names, rows, style="github"),
    "csv": _print_csv,
    "json": _print_json,
    "trec": _print_trec,
}
