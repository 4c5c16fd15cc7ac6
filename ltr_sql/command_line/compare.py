"""The command `ltr-sql compare`: differences between systems, and gates that make a build fail."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import click

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES
from ltr_sql.catalogue.options import Compare, defaults_of, options_of
from ltr_sql.command_line.compared_files import (
    FromFiles,
    differences_of,
    is_same_file,
    outcomes_of,
    read_runs,
    read_tables,
    refuse_unfit,
    save,
    single_system,
)
from ltr_sql.command_line.compared_text import FURTHER_STYLES, Shown, design, text_of
from ltr_sql.command_line.failures import in_words_of_command
from ltr_sql.command_line.options import (
    FILE,
    LATEX,
    Command,
    OutputFile,
    baseline_option,
    flag,
    format_option,
    function_options,
    measures_option,
    missing_option_of,
    number_option,
    output_option,
    wide_option,
    with_options,
    write_output,
)
from ltr_sql.command_line.runs import expanded
from ltr_sql.command_line.terminal import remark, say, styled
from ltr_sql.comparison.compare import compare as compare_function
from ltr_sql.comparison.gates import FAILED, HELD, SAID, UNDECIDED, Gate, Outcome, exit_code, parse_gate, summary
from ltr_sql.comparison.latex import Layout
from ltr_sql.comparison.values import Given
from ltr_sql.errors import InputError
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.rendering.comparisons import comparison_choices

# What is said of a gate that did not pass.
_NOT_PASSED = {FAILED: "failed", UNDECIDED: "was not decided"}

_EXAMPLES = """\b
Examples:
  ltr-sql compare qrels.txt old.txt new.txt -m nDCG@10,RR
  ltr-sql compare qrels.txt new.txt --baseline old.txt --fail-if 'RR worse'
"""

_LAYOUT_OPTIONS = (
    flag("--sort", metavar="MEASURE", heading=LATEX, help="Rows by the mean of this measure, best first."),
    flag("--caption", metavar="TEXT", heading=LATEX, help="LaTeX text instead of the caption."),
    flag("--label", metavar="NAME", heading=LATEX, help="The label of the table, such as tab:runs."),
    flag("--longtable", is_flag=True, heading=LATEX, help="A table that may break across pages."),
)


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("files", metavar="QRELS RUN...", type=FILE, nargs=-1, required=True)
@function_options(
    compare_function,
    measures=measures_option(f"{' '.join(DEFAULT_MEASURES)}, or with --values all numeric columns"),
    baseline=baseline_option("all pairs are compared"),
    missing=missing_option_of(
        options_of(Compare)["missing"].choices,
        "that of the convention, or without one zero; skip with --values",
    ),
)
@flag(
    "--save-values",
    "saved_to",
    type=OutputFile(),
    help="Save the values of the runs as Parquet. An input, such as the baseline, is replaced only if all gates pass.",
)
@flag(
    "--fail-if",
    "gates",
    multiple=True,
    metavar="GATE",
    help="Gate: MEASURE [plainly|significantly|possibly] (worse|different) [by > NUMBER[%]]. The exit code is 1 if it "
    "fails. May be repeated.",
)
@number_option()
@format_option(*FURTHER_STYLES)
@wide_option
@with_options(_LAYOUT_OPTIONS)
@output_option
def compare(
    files: Sequence[str],
    measures: Sequence[str],
    gates: Sequence[str],
    number: int | None,
    style: str,
    wide: bool,
    saved_to: str | None,
    output: str | None,
    **options: Any,
) -> None:
    """Print differences between systems with confidence intervals and tests, and decide gates for CI.

    Prints one row for each measure and pair of systems; --format junit prints only the gates. The exit code is 2 if the
    input is invalid or a gate could not be decided. Otherwise it is 1 if a gate failed, and 0 if all passed. A
    gate of systems with different queries is decided only with --missing.
    """
    layout = Layout(**{field.name: options.pop(field.name) for field in fields(Layout)})
    shown = Shown(style, number, wide=wide, layout=layout)
    if options["gains"] and saved_to:
        raise InputError("--save-values does not say which gains the values have: leave --gains out")
    baseline, parsed = options["baseline"], _parsed_gates(gates, options, shown)
    given = Given(None, measures or None, defaults_of(Compare, **options))
    choices = comparison_choices(**given.options)

    def run(state: Session) -> tuple[Any, list[str]]:
        _refuse_unread(given)
        read = (read_tables if options["values"] else read_runs)(state, files, given, choices.test)
        text, outcomes = "", list[Outcome]()
        if single_system(read) and saved_to is not None and not parsed:
            # A single run without a baseline: the first build only saves its values.
            _warn(read.compared.warnings)
        else:
            refuse_unfit(read, parsed)
            found = differences_of(state, read, choices, given.options["missing"])
            for line in design(found):
                remark(line)
            _warn(found.warnings)
            outcomes = outcomes_of(state, found, parsed)
            text = text_of(state, found, shown, outcomes)
        if saved_to is not None:
            _save(state, read, saved_to, [*expanded(files), *([baseline] if baseline else [])], outcomes)
        return (text, outcomes), []

    text, outcomes = with_warnings(None, run, options)
    write_output(text, output)
    for outcome in outcomes:
        say(f"{SAID[outcome.decision]}: {outcome.gate.text}: {in_words_of_command(outcome.reason)}", wrapped=True)
    if outcomes:
        say(styled(summary(outcomes), err=True, fg="red" if exit_code(outcomes) else "green"))
    sys.exit(exit_code(outcomes))


def _refuse_unread(given: Given) -> None:
    """Raise InputError for options that do not apply to the files."""
    options = given.options
    if not options["values"]:
        if given.repeats:
            raise InputError("--repeats names columns of tables: pass --values")
        return
    if options["ties"] or options["convention"] or options["gains"]:
        raise InputError("--ties, --convention and --gains do not apply to --values, which are computed already")
    if any(given.tables.values()):
        raise InputError("--documents, --history and --targets do not apply to --values")


def _save(state: Session, read: FromFiles, saved_to: str, inputs: Sequence[str], outcomes: Sequence[Outcome]) -> None:
    """Save the values of the runs, without those of the baseline.

    An input is not replaced if a gate did not pass: the next call would compare the run with itself.
    """
    undone = next((outcome for outcome in outcomes if outcome.decision != HELD), None)
    if undone is not None and any(is_same_file(saved_to, path) for path in inputs):
        say(f"{saved_to} keeps its values: the gate {undone.gate.text!r} {_NOT_PASSED[undone.decision]}")
        return
    save(state, read, saved_to)


def _warn(texts: Sequence[str]) -> None:
    for text in texts:
        say(f"Warning: {in_words_of_command(text)}")


def _parsed_gates(texts: Sequence[str], options: Mapping[str, Any], shown: Shown) -> list[Gate]:
    """Return the gates. Raises InputError for options that exclude each other."""
    gates, baseline = [parse_gate(text) for text in texts], options["baseline"]
    if gates and baseline is None:
        raise InputError("--fail-if needs --baseline: the run, file or saved values to compare with")
    if shown.style == "junit" and not gates:
        raise InputError("--format junit prints gates: pass --fail-if")
    if shown.number is not None and not options["paired"]:
        raise InputError("--number lists common queries, and with --unpaired systems have none: leave one of them out")
    if shown.number is not None and shown.style not in ("table", "markdown"):
        raise InputError("--number needs --format table or markdown")
    if shown.style != "latex" and shown.layout != Layout():
        raise InputError("--sort, --caption, --label and --longtable need --format latex")
    if shown.style == "latex" and options["keys"]:
        raise InputError("--format latex has no column for --keys: pass another format, such as csv")
    if shown.style == "latex" and options["margin"] is not None and baseline is None:
        raise InputError("--format latex with --margin needs --baseline: no system is better or worse without one")
    return list(dict.fromkeys(gates))
