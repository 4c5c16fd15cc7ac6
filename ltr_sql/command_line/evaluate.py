"""The command evaluate."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, resolve_options
from ltr_sql.catalogue.measures import is_better_lower
from ltr_sql.catalogue.options import Averages, Reading
from ltr_sql.command_line.flags import Command
from ltr_sql.command_line.formats import FORMATS, table_with_best
from ltr_sql.command_line.options import (
    FILE,
    RUN,
    by_query_option,
    check_option,
    cluster_option,
    convention_option,
    flags_of_comparison,
    format_option,
    gains_option,
    human_option,
    keys_option,
    measures_option,
    missing_option,
    output_option,
    reading_options,
    tables_options,
    ties_option,
    totals_option,
    weights_option,
    write_output,
)
from ltr_sql.command_line.runs import named_runs
from ltr_sql.command_line.terminal import is_terminal
from ltr_sql.errors import InputError
from ltr_sql.evaluation.evaluate import evaluated
from ltr_sql.evaluation.options import EvaluationOptions, Inputs, averaging_of
from ltr_sql.inputs.connection import names_and_rows, records_of
from ltr_sql.inputs.gains import Gains
from ltr_sql.inputs.session import with_warnings
from ltr_sql.rendering.totals import SYSTEM, TOTAL

# Columns of an evaluation that are neither measures nor tell groups apart.
_NO_MEASURES = ("system", "queries", "weight")

_EXAMPLES = """\b
Examples:
  ltr-sql evaluate qrels.txt run.txt -m nDCG@10,RR
  ltr-sql evaluate qrels.txt runs/*.txt -m AP --convention trec_eval
  ltr-sql evaluate qrels.csv run.csv -m RR --columns user=query_id,item=doc_id
"""


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("qrels", type=FILE)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@measures_option()
@keys_option
@reading_options
@by_query_option
@format_option("trec")
@ties_option
@missing_option
@convention_option
@gains_option
@weights_option
@totals_option
@flags_of_comparison(of=Averages)
@human_option
@cluster_option
@tables_options()
@check_option
@output_option
def evaluate(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    keys: Sequence[str],
    reading: Reading,
    by_query: bool,
    style: str,
    ties: str | None,
    missing: str | None,
    convention: str | None,
    gains: Gains | None,
    documents: str | None,
    history: str | None,
    targets: str | None,
    baseline: str | None,
    check: bool,
    output: str | None,
    **averages: Any,
) -> None:
    """Print measures of one or more RUNS with the judgments QRELS.

    With --ci, columns _low and _high bound the 95 % interval of each mean over queries. With --format trec, the lines
    are those of trec_eval.

    Files may be Parquet, or TREC text, CSV, TSV or JSONL, also compressed as .gz or .zst.
    """
    segments = [key for key in keys if key != SYSTEM]
    if style == "trec" and segments:
        raise InputError(f"--format trec has no column for {', '.join(segments)}: pass another format, such as csv")
    inputs = Inputs(
        named_runs(runs),
        qrels,
        {"documents": documents, "history": history, "targets": targets, "baseline": baseline},
    )
    options = EvaluationOptions(
        *resolve_options(measures or DEFAULT_MEASURES, convention, ties, missing),
        gains=gains,
        keys=keys,
        by_query=by_query,
        check=check,
    )
    averaging = averaging_of(averages)
    read = {**reading, "keys": keys, "convention": convention}
    names, rows = with_warnings(None, lambda state: evaluated(state, inputs, options, averaging, names_and_rows), read)
    if style == "table" and output is None and is_terminal() and "system" in names and not by_query:
        write_output(_table_of_systems(names, rows, [*keys, TOTAL, *_NO_MEASURES]), output)
    else:
        write_output(FORMATS[style](names, rows), output)


def _table_of_systems(names: Sequence[str], rows: Sequence[Sequence[Any]], others: Sequence[str]) -> str:
    """Return the table of an evaluation of several systems. `others`: names of the columns that are not measures."""
    by = [name for name in names if name in others and name not in _NO_MEASURES]
    measures = [name for name in names if name not in others]
    found: dict[tuple[Any, ...], list[float]] = {}
    for record in records_of(names, rows):
        for measure in measures:
            if record[measure] is not None:
                found.setdefault((*(record[key] for key in by), measure), []).append(record[measure])

    def best(record: Mapping[str, Any], measure: str) -> float:
        values = found[*(record[key] for key in by), measure]
        return min(values) if is_better_lower(measure) else max(values)

    return table_with_best(names, rows, measures, best)
