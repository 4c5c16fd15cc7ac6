"""The command `ltr-sql compare`: differences between systems, and gates that make a build fail."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import click

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES
from ltr_sql.catalogue.measures import is_better_lower
from ltr_sql.catalogue.procedures import procedures
from ltr_sql.command_line.compared_files import (
    Compared,
    Rules,
    lacking_queries,
    read_runs,
    read_tables,
    save,
    single_system,
    without_baseline,
)
from ltr_sql.command_line.formats import FORMATS, table_with_best
from ltr_sql.command_line.options import (
    FILE,
    adjust_option,
    columns_option,
    convention_option,
    measures_option,
    output_option,
    tables_options,
    test_option,
    ties_option,
    weights_option,
    write_output,
)
from ltr_sql.command_line.terminal import is_terminal, remark, say
from ltr_sql.comparison.comparability import measures_among, notes_on_depth
from ltr_sql.comparison.compare import MISSING, doubts_about, refuse_empty
from ltr_sql.comparison.formats import Report, junit, latex
from ltr_sql.comparison.gates import Gate, Outcome, decide, exit_code, parse_gate
from ltr_sql.comparison.options import FAMILIES, ComparisonOptions
from ltr_sql.comparison.runs import compared_runs
from ltr_sql.errors import InputError, LtrSqlError
from ltr_sql.inputs.connection import names_and_rows, records_of
from ltr_sql.inputs.session import Session, with_session
from ltr_sql.inputs.weights import with_weights
from ltr_sql.rendering.comparisons import (
    POWER,
    Choices,
    ComparedValues,
    both_comparisons_query,
    comparison_query,
    values_of_table,
    wins_query,
)
from ltr_sql.rendering.renderer import NO_WEIGHTS
from ltr_sql.stages import COMPARISON, stage

_STYLES = ("table", "csv", "json", "markdown", "latex", "junit")
# Columns of the output formats `table` and `markdown`. CSV and JSON have all columns.
_SHOWN = ("measure", "system_a", "system_b", "mean_a", "mean_b", "difference", "low", "high", "wins", "ties", "losses")
_SHOWN_QUERY = ("measure", "system_a", "system_b", "query_id", "a", "b", "difference")


class _Refused(click.ClickException):
    """An error with exit code 2, because 1 means that a gate failed."""

    exit_code = 2


@dataclass(frozen=True)
class _Asked:
    """Options of a call, except those that select the values."""

    options: ComparisonOptions
    missing: str | None
    repeats: Sequence[str]
    lower: Sequence[str]
    allow_empty: bool
    gates: Sequence[Gate]
    queries: int | None
    style: str
    saved_to: str | None
    weights: str | None
    output: str | None


@click.command()
@click.argument("files", metavar="QRELS RUN...", type=FILE, nargs=-1, required=True)
@measures_option(f"{' '.join(DEFAULT_MEASURES)}, or with --values all numeric columns")
@click.option(
    "--baseline",
    metavar="NAME|FILE",
    help="Compare with this run: a name, a run file, or a table that --save-values wrote. Default: all pairs.",
)
@click.option(
    "--values",
    is_flag=True,
    help="Read tables of values: one row per query, one column per measure, and a column system if there are several.",
)
@click.option(
    "--save-values", "saved_to", type=click.Path(dir_okay=False), help="Save the values of the runs as Parquet."
)
@click.option(
    "--fail-if",
    "gates",
    multiple=True,
    metavar="GATE",
    help="Gate: MEASURE [plainly|significantly|possibly] (worse|different) [by > NUMBER[%]]. The exit code is 1 if it "
    "fails. May be repeated.",
)
@test_option
@adjust_option
@click.option(
    "--family",
    type=click.Choice(list(FAMILIES)),
    default=ComparisonOptions.family,
    show_default=True,
    help="Comparisons that are corrected together.",
)
@click.option(
    "--ci",
    type=click.Choice(list(procedures("ci"))),
    default=ComparisonOptions.ci,
    show_default=True,
    help="Confidence interval of the difference.",
)
@click.option(
    "--confidence",
    type=float,
    default=ComparisonOptions.confidence,
    show_default=True,
    help="Coverage of the interval.",
)
@click.option("--margin", metavar="NUMBER[%]", help="A difference that does not matter, such as 0.01 or 1%.")
@click.option(
    "--replicates",
    type=int,
    default=ComparisonOptions.replicates,
    show_default=True,
    help="Number of random assignments of signs.",
)
@click.option(
    "--resamples",
    type=int,
    default=ComparisonOptions.resamples,
    show_default=True,
    help="Number of samples of the bootstrap.",
)
@click.option(
    "--seed", type=int, default=ComparisonOptions.seed, show_default=True, help="Seed of random signs and samples."
)
@click.option(
    "--lower-is-better",
    "lower",
    multiple=True,
    metavar="MEASURE",
    help="A measure where lower values are better; may be repeated.",
)
@click.option(
    "--repeats",
    multiple=True,
    metavar="COLUMN",
    help="Average the values of a query over this column of the tables, such as seed; may be repeated.",
)
@click.option(
    "--queries",
    type=click.IntRange(min=1),
    help="Also print this many queries with the largest differences for each measure and pair.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(_STYLES),
    default="table",
    show_default=True,
    help="Output format. junit prints only the gates.",
)
@output_option
@ties_option
@click.option(
    "--missing",
    type=click.Choice(list(MISSING)),
    help="Judged queries that a run lacks count as 0 (zero), are left out (skip), or are an error. By default, runs "
    "follow the convention (zero without one), and tables of values skip. Without this option, --fail-if does not "
    "decide gates of systems with different queries.",
)
@convention_option
@weights_option
@tables_options("baseline")
@columns_option
@click.option("--check/--no-check", default=True, show_default=True, help="Validate the input.")
@click.option(
    "--allow-empty", is_flag=True, help="Compare systems whose values are all NULL, or 0 where higher is better."
)
def compare(
    files: Sequence[str],
    measures: Sequence[str],
    baseline: str | None,
    values: bool,
    gates: Sequence[str],
    output: str | None,
    ties: str | None,
    convention: str | None,
    documents: str | None,
    history: str | None,
    targets: str | None,
    columns: dict[str, str] | None,
    check: bool,
    **asked: Any,
) -> None:
    """Print differences between systems with confidence intervals and tests, and decide gates for CI.

    Prints one row for each measure and pair of systems. The exit code is 2 if the input is invalid or a gate could not
    be decided. Otherwise it is 1 if a gate failed, and 0 if all passed.
    """
    try:
        options = ComparisonOptions(**{option.name: asked.pop(option.name) for option in fields(ComparisonOptions)})
        parsed = _parsed_gates(gates, baseline, asked["style"], asked["queries"], options.margin is not None)

        def run(state: Session) -> tuple[str, list[Outcome]]:
            if values:
                if ties or convention:
                    raise InputError("--ties and --convention do not apply to --values, which are computed already")
                if documents or history or targets:
                    raise InputError("--documents, --history and --targets do not apply to --values")
                compared = read_tables(state, files, measures, baseline, asked["repeats"])
            elif asked["repeats"]:
                raise InputError("--repeats names columns of tables: pass --values")
            else:
                rules = Rules(ties, asked["missing"], convention, check)
                tables = {"documents": documents, "history": history, "targets": targets}
                compared = read_runs(state, files, measures, baseline, rules, tables)
            return _report(state, compared, _Asked(options, **asked, gates=parsed, output=output))

        text, outcomes = with_session(None, run, columns)
        write_output(text, output)
    except LtrSqlError as error:
        raise _Refused(" ".join(str(error).split())) from None
    for outcome in outcomes:
        say(f"{outcome.decision}: {outcome.gate.text}: {outcome.reason}")
    sys.exit(exit_code(outcomes))


def _parsed_gates(
    texts: Sequence[str], baseline: str | None, style: str, queries: int | None, with_margin: bool
) -> list[Gate]:
    """Return the gates. Raises InputError for options that exclude each other."""
    gates = [parse_gate(text) for text in texts]
    if gates and baseline is None:
        raise InputError("--fail-if needs --baseline: the run, file or saved values to compare with")
    if style == "junit" and not gates:
        raise InputError("--format junit prints gates: pass --fail-if")
    if queries is not None and style not in ("table", "markdown"):
        raise InputError("--queries needs --format table or markdown")
    if style == "latex" and with_margin and baseline is None:
        raise InputError("--format latex with --margin needs --baseline: no system is better or worse without one")
    return list(dict.fromkeys(gates))


def _report(state: Session, compared: Compared, asked: _Asked) -> tuple[str, list[Outcome]]:
    """Return the output and the outcomes of the gates. Also save the values, and print the design and warnings."""
    choices = asked.options.choices()
    _refuse(compared, asked)
    warning_texts = compared.warnings
    if single_system(compared) and asked.saved_to and not asked.gates:
        # A single run without a baseline: the first build only saves its values.
        _warn(warning_texts)
        _save(state, compared, asked)
        return "", []
    table = compared.table
    if asked.weights is not None:
        table, texts = with_weights(state, asked.weights, None, table, ())
        warning_texts += texts
    values = values_of_table(
        table.sql,
        compared.measures,
        compared="system",
        repeats=asked.repeats,
        lower=asked.lower,
        baseline=None if compared.baseline is None else [compared.baseline],
        missing="zero" if asked.missing == "zero" else "skip",
        weighted=asked.weights is not None,
    )
    lacking = lacking_queries(state, compared) if compared.measures and asked.missing in (None, "error") else {}
    if lacking and asked.missing == "error":
        raise InputError(next(iter(lacking.values())))
    stage(COMPARISON)
    query, of_runs = _comparisons(state, compared, values, choices)
    found = state.load(f"(\n{query}\n)")
    if not asked.allow_empty:
        refuse_empty(state.rows, found.sql)
    names, rows = names_and_rows(state.con, f"from {found.sql}")
    records = records_of(names, rows)
    of_both = [*compared.measures, *([m.text for m in compared.of_runs.measures] if compared.of_runs else [])]
    remark(_design(records, of_both, asked))
    warning_texts += of_runs
    warning_texts += notes_on_depth(state, compared.table, measures_among(compared.measures))
    warning_texts += doubts_about(state.rows, found.sql)
    _warn(warning_texts)
    outcomes = []
    if asked.gates:
        outcomes = decide(state, asked.gates, values, compared.measures, lacking, asked.options.alpha)
    _save(state, compared, asked)
    report = Report(
        records,
        of_both,
        compared.systems,
        compared.baseline,
        [name for name in of_both if name in asked.lower or is_better_lower(name)],
        _procedure(asked),
        asked.options.alpha,
        asked.options.margin is not None,
        outcomes,
    )
    if asked.style in ("csv", "json"):
        return FORMATS[asked.style](names, rows), outcomes
    if asked.style in ("latex", "junit"):
        return (latex(report) if asked.style == "latex" else junit(report)), outcomes
    return _tables(state, values, report, asked), outcomes


def _refuse(compared: Compared, asked: _Asked) -> None:
    """Raise InputError for options that exclude each other, or that do not fit the measures."""
    if asked.weights is not None:
        asked.options.refuse_with_weights()
    if asked.gates and asked.options.confidence <= 0.5:
        raise InputError(f"with --fail-if, --confidence must be above 0.5, got {asked.options.confidence}")
    for name in asked.lower:
        if name not in compared.measures:
            raise InputError(f"--lower-is-better {name} is not one of the measures: {', '.join(compared.measures)}")
    if asked.weights is not None and compared.of_runs:
        raise InputError(f"measure {compared.of_runs.measures[0].text!r} {NO_WEIGHTS}")
    for gate in asked.gates:
        for measure in compared.of_runs.measures if compared.of_runs else ():
            if measure.text.lower() == gate.measure.lower():
                raise InputError(f"{measure.text} has one value for a run, so no test decides the gate {gate.text!r}")


def _comparisons(state: Session, compared: Compared, values: ComparedValues, choices: Choices) -> tuple[str, list[str]]:
    """Return the query of the comparisons by measures over queries and over runs, and warnings about the latter."""
    of_queries = comparison_query(values, choices)
    if compared.of_runs is None:
        return of_queries, []
    query, warning_texts = compared_runs(
        state,
        compared.of_runs,
        choices,
        None if compared.baseline is None else [compared.baseline],
        compared="system",
    )
    if not compared.measures:
        return query, warning_texts
    names = [*compared.measures, *(measure.text for measure in compared.of_runs.measures)]
    return both_comparisons_query(of_queries, query, (), names), warning_texts


def _save(state: Session, compared: Compared, asked: _Asked) -> None:
    if asked.saved_to is not None:
        save(state, without_baseline(compared), asked.saved_to)


def _warn(texts: Sequence[str]) -> None:
    for text in texts:
        say(f"Warning: {text}")


def _design(records: Sequence[Mapping[str, Any]], measures: Sequence[str], asked: _Asked) -> str:
    """Return the design as text: number of queries, differences that cannot be detected, test and correction."""
    counts = sorted({record["queries"] for record in records})
    text = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    seen = {
        measure: min((r["mde"] for r in records if r["measure"] == measure and r["mde"]), default=None)
        for measure in measures
    }
    listed = ", ".join(f"{mde:.4f} ({measure})" for measure, mde in seen.items() if mde is not None)
    limits = (
        f"differences under {listed} cannot be detected with power {POWER}"
        if listed
        else "no smallest detectable difference, because the differences do not vary or there is no test"
    )
    return f"{text} quer{'y' if counts == [1] else 'ies'}: {limits}. {_procedure(asked)}"


def _procedure(asked: _Asked) -> str:
    """Return the names of the test and the correction as text."""
    options = asked.options
    test, correction = (
        procedures(option)[name].summary.partition(":")[0].partition(".")[0]
        for option, name in (("test", options.test), ("adjust", options.adjust))
    )
    if options.margin is not None:
        test = f"One-sided t tests against the margin {options.margin}"
        return f"{test}; interval {2 * options.confidence - 1:.0%}"
    test += " with weights of queries" if asked.weights is not None else ""
    if options.adjust == "none":
        return f"{test}; no correction"
    family = "over all measures" if options.family == "all" else "within each measure"
    return f"{test}; correction by {correction} {family}"


def _tables(
    state: Session,
    values: ComparedValues,
    report: Report,
    asked: _Asked,
) -> str:
    records, outcomes = report.records, report.outcomes
    p = "p_not_worse" if asked.options.margin is not None else "p" if asked.options.adjust == "none" else "p_adjusted"
    shown = [*_SHOWN, p, "verdict"]
    printed = FORMATS[asked.style]
    rows = [[record[name] for name in shown] for record in records]
    if asked.style == "table" and asked.output is None and is_terminal():
        parts = [table_with_best(shown, rows, ("mean_a", "mean_b"), lambda row, _: _best_mean(report, row["measure"]))]
    else:
        parts = [printed(shown, rows)]
    if asked.queries is not None:
        parts.append(printed(_SHOWN_QUERY, _changed(state, values, records, asked.queries)))
    if outcomes and asked.style == "markdown":
        gates = [(o.gate.text, o.system_b, o.decision, o.reason) for o in outcomes]
        parts.append(printed(["gate", "system", "decision", "reason"], gates))
    return "\n".join(parts)


def _best_mean(report: Report, measure: str) -> float:
    records = [record for record in report.records if record["measure"] == measure]
    means: list[float] = [r[name] for r in records for name in ("mean_a", "mean_b") if r[name] is not None]
    return min(means) if measure in report.lower else max(means)


def _changed(
    state: Session, values: ComparedValues, records: Sequence[Mapping[str, Any]], number: int
) -> list[tuple[Any, ...]]:
    """Return the queries with the largest differences, for each measure and pair."""
    rows = []
    for a, b in dict.fromkeys((record["system_a"], record["system_b"]) for record in records):
        query = f"""
            select w.measure, ?, ?, w.query_id, w.a, w.b, w.difference
            from (\n{wins_query(values, a, b)}\n) as w
            qualify row_number() over (
                partition by w.measure order by abs(round(w.difference, 12)) desc, w.query_id asc
            ) <= ?
        """
        rows += state.con.execute(query, [a, b, number]).fetchall()
    order = list(dict.fromkeys(record["measure"] for record in records))
    return sorted(rows, key=lambda row: (order.index(row[0]), -abs(round(row[6], 12)), row[3]))
