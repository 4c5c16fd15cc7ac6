"""The command `ltr-sql` and its subcommands."""

import signal
import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click
import duckdb
import tabulate

from ltr_sql.command_line.formats import FORMATS, table_text, table_with_best
from ltr_sql.command_line.options import (
    FILE,
    RUN,
    columns_option,
    convention_option,
    gains_option,
    keys_option,
    measure_names,
    measures_option,
    missing_option,
    named_runs,
    output_option,
    quiet_option,
    tables_options,
    ties_option,
    weights_option,
    write_output,
)
from ltr_sql.command_line.terminal import is_terminal, say, stages_shown
from ltr_sql.command_line.trec_eval import Options, names_of_outputs, trec_eval
from ltr_sql.errors import InputWarning, LtrSqlError
from ltr_sql.evaluation import evaluate_rows
from ltr_sql.inputs.gains import parse_gains
from ltr_sql.language.builders import builders
from ltr_sql.language.catalogue import all_definitions, is_better_lower, relations
from ltr_sql.language.measure_strings import DEFAULT_MEASURES, find_convention
from ltr_sql.sqltext.bundle_file import BUNDLE, write_catalogue
from ltr_sql.sqltext.dialects import DIALECTS, DUCKDB
from ltr_sql.sqltext.render import RUN_COLUMN_OPTIONS, render

# Commands in modules of their own. They are loaded when called, because loading takes longer than most evaluations.
_IN_MODULES = ("compare", "fuse", "report")
# Columns of an evaluation that are not measures, besides the --keys.
_NO_MEASURES = ("system", "queries", "weight")
_show_warning = warnings.showwarning


class _Commands(click.Group):
    """Command group that prints errors of ltr_sql, and interruptions, as one line on stderr.

    Each command has the option --quiet.
    """

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, with the options that all commands have."""
        super().add_command(quiet_option(cmd), name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self.commands, *_IN_MODULES, *(builder.command for builder in builders().values())})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and cmd_name in self.list_commands(ctx):
            module = import_module(f"ltr_sql.command_line.{cmd_name if cmd_name in _IN_MODULES else 'builders'}")
            self.add_command(getattr(module, cmd_name) if cmd_name in _IN_MODULES else module.command(cmd_name))
        return super().get_command(ctx, cmd_name)

    def main(self, *args: Any, **extra: Any) -> Any:
        _print_utf8()
        return super().main(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", InputWarning)
                warnings.showwarning = _print_warning
                with stages_shown():
                    return super().invoke(ctx)
        except (KeyboardInterrupt, duckdb.InterruptException, RuntimeError) as error:
            # If interrupted, DuckDB's cursors raise a RuntimeError.
            if isinstance(error, RuntimeError) and "interrupted" not in str(error):
                raise
            say("Interrupted")
            ctx.exit(128 + signal.SIGINT)
        except LtrSqlError as error:
            raise click.ClickException(" ".join(str(error).split())) from None


def _print_utf8() -> None:
    """Write UTF-8 to files and pipes, and keep the encoding of a terminal.

    By default, Python on Windows would use the encoding of the locale.
    """
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


@main.command()
@click.argument("qrels", type=FILE)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@measures_option()
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
@weights_option
@tables_options()
@click.option("--check/--no-check", default=True, show_default=True, help="Validate the input.")
@output_option
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
    weights: str | None,
    documents: str | None,
    history: str | None,
    targets: str | None,
    baseline: str | None,
    check: bool,
    output: str | None,
) -> None:
    """Print measures of one or more RUNS with the judgments QRELS.

    Files may be Parquet, or TREC text, CSV, TSV or JSONL, also compressed as .gz or .zst.
    """
    names, rows, warning_texts = evaluate_rows(
        named_runs(runs),
        measures or DEFAULT_MEASURES,
        qrels=qrels,
        tables={"documents": documents, "history": history, "targets": targets, "baseline": baseline},
        keys=keys,
        columns=columns,
        by_query=by_query,
        ties=ties,
        missing=missing,
        convention=convention,
        gains=None if gains is None else parse_gains(gains),
        check=check,
        weights=weights,
    )
    for text in warning_texts:
        say(f"Warning: {text}")
    if style == "table" and output is None and is_terminal() and "system" in names and not by_query:
        write_output(_table_of_systems(names, rows, [*keys, *_NO_MEASURES]), output)
    else:
        write_output(FORMATS[style](names, rows), output)


def _table_of_systems(names: Sequence[str], rows: Sequence[Sequence[Any]], others: Sequence[str]) -> str:
    """Return the table of an evaluation of several systems. `others`: names of the columns that are not measures."""
    by = [name for name in names if name in others and name not in _NO_MEASURES]
    measures = [name for name in names if name not in others]
    found: dict[tuple[Any, ...], list[float]] = {}
    for record in (dict(zip(names, row, strict=True)) for row in rows):
        for measure in measures:
            if record[measure] is not None:
                found.setdefault((*(record[key] for key in by), measure), []).append(record[measure])

    def best(record: Mapping[str, Any], measure: str) -> float:
        values = found[*(record[key] for key in by), measure]
        return min(values) if is_better_lower(measure) else max(values)

    return table_with_best(names, rows, measures, best)


@main.command()
@click.argument("qrels", type=FILE)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@measures_option()
@keys_option
@columns_option
@output_option
def check(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    keys: Sequence[str],
    columns: dict[str, str] | None,
    output: str | None,
) -> None:
    """Print errors, warnings and diagnostics of RUNS. The exit code is 1 if there is an error."""
    from ltr_sql.checks import check as find  # noqa: PLC0415

    found = find(named_runs(runs), qrels, keys=keys, columns=columns, measures=measures or DEFAULT_MEASURES)
    lines = [
        f"{severity}: {what} ({how_many}): {first_rows}\n    what to do: {what_to_do}\n"
        for severity, what, how_many, first_rows, what_to_do in found.itertuples(index=False, name=None)
    ]
    write_output("".join([*lines, f"{len(found)} finding{'' if len(found) == 1 else 's'}\n"]), output)
    sys.exit(1 if (found["severity"] == "error").any() else 0)


@main.command()
@click.argument("qrels", type=FILE)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@measures_option("all measures that the input allows")
@keys_option
@columns_option
@ties_option
@missing_option
@tables_options()
@output_option
def verify(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    keys: Sequence[str],
    columns: dict[str, str] | None,
    ties: str | None,
    missing: str | None,
    documents: str | None,
    history: str | None,
    targets: str | None,
    baseline: str | None,
    output: str | None,
) -> None:
    """Compare the SQL with the numpy oracle on RUNS. The exit code is 1 if a value differs."""
    from ltr_sql.verification import verify as verify_values  # noqa: PLC0415

    default = find_convention(None)
    frame = verify_values(
        named_runs(runs),
        measures or None,
        qrels=qrels,
        documents=documents,
        history=history,
        targets=targets,
        baseline=baseline,
        keys=keys,
        columns=columns,
        ties=ties or default.ties,
        missing=missing or default.missing,
    )
    rows = frame.itertuples(index=False, name=None)
    write_output(table_text(list(frame.columns), rows, floats=".1e"), output)
    sys.exit(0 if (frame["verdict"] == "equal").all() else 1)


@main.command(name="conventions")
@click.argument("qrels", type=FILE)
@click.argument("run", type=FILE)
@measures_option()
@output_option
def print_conventions(qrels: str, run: str, measures: Sequence[str], output: str | None) -> None:
    """Print the values that each tool would report for RUN, and the settings that make them differ."""
    from ltr_sql.compare_conventions import compare_conventions  # noqa: PLC0415

    tables = []
    for measure, rows in compare_conventions(run, qrels, measures or DEFAULT_MEASURES).items():
        texts = [
            (name, "", f"no value: {value}")
            if isinstance(value, str)
            else (name, f"{value:.4f}" if isinstance(value, float) else value, causes)
            for name, value, causes in rows
        ]
        tables.append(table_text(["convention", measure, "differs because of"], texts))
    write_output("".join(tables), output)


@main.command(name="trec_eval")
@click.argument("qrels", type=FILE)
@click.argument("run", type=FILE)
@click.option(
    "-m",
    "--measure",
    "names",
    multiple=True,
    metavar="MEASURE",
    shell_complete=lambda ctx, param, typed: [name for name in names_of_outputs() if name.startswith(typed)],
    help="A measure such as map or P.5,10, or a group such as official or all_trec; may be repeated.",
)
@click.option("-q", "--query_eval_wanted", "by_query", is_flag=True, help="Also print the values of each query.")
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
@output_option
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
    output: str | None,
) -> None:
    """Print the lines of trec_eval 10 for RUN, with trec_eval's options and measure names.

    As in trec_eval, lines that start with # are comments, and grades lose their fraction.

    This command differs where trec_eval 10 has defects. Without -c, trec_eval stops at a judged query that RUN lacks;
    here it is left out. With -c and -l, trec_eval counts num_rel at level 1; here at the given level. trec_eval
    rescales rbp by uninitialised memory; here rbp is binary unless it has gains (rbp.1=0.5,2=1). With -l, trec_eval
    sets Rndcg to 0 if no grade reaches the level; here Rndcg keeps its value. trec_eval treats gains that differ by
    less than 1 as equal; here they differ. Gains must be at least 0. If the levels of 11pt_avg are not
    ascending, trec_eval reads some of them as 0; here they must be ascending.
    """
    options = Options(by_query, complete, not no_summary, level, depth, judged_only, collection_size)
    write_output("".join(f"{text}\n" for text in trec_eval(qrels, run, names, options)), output)


@main.command()
@click.argument("qrels", type=FILE)
@click.argument("run", type=FILE)
@click.option("-q", "--query", required=True, help="A query id.")
@click.option(
    "-m",
    "--measure",
    required=True,
    metavar="MEASURE",
    shell_complete=measure_names,
    help="A measure string such as nDCG@10.",
)
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
@output_option
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
    output: str | None,
) -> None:
    """Print how much each rank contributes to a measure of one query, next to the ideal ranking."""
    from ltr_sql.explanation import explain_rows  # noqa: PLC0415  (no other command needs it)

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
    write_output(FORMATS[style](names, rows), output)


@main.command(name="measures")
@output_option
def list_measures(output: str | None) -> None:
    """List the measures."""
    rows = [
        (d.name, ", ".join(p.name for p in d.parameters), ", ".join(d.aliases), d.summary)
        for d in all_definitions().values()
    ]
    names = ["measure", "parameters", "aliases", "summary"]
    write_output(f"{tabulate.tabulate(rows, names, maxcolwidths=[None, None, 38, 70])}\n", output)


@main.command()
@click.argument("what", nargs=-1, shell_complete=measure_names)
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
@output_option
def sql(
    what: Sequence[str],
    dialect: str,
    rankings: str | None,
    settings: Sequence[str],
    keys: Sequence[str],
    by_query: bool,
    output: str | None,
) -> None:
    """Print SQL: a query for the measures WHAT, the query of a relation such as judge, or the script of all macros."""
    names = dict(_setting(text) for text in settings) | ({} if rankings is None else {"rankings": rankings})
    if what:
        relation = what[0] if len(what) == 1 and what[0] in {*relations(), *builders()} else None
        write_output(f"{render(relation or what, dialect, keys=keys, by_query=by_query, **names)}\n", output)
    elif dialect == DUCKDB.name:
        write_output(BUNDLE.read_text(encoding="utf-8"), output)
    else:
        raise LtrSqlError(f"{dialect} has no macros: pass measures, or one of {', '.join(relations())}")


@main.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="File, such as ltr.duckdb.",
)
def catalogue(output: Path) -> None:
    """Write all macros as a DuckDB file: "attach 'ltr.duckdb' as ltr (read_only)" then loads them."""
    write_catalogue(output)


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
