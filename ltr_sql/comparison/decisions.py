"""What `compare` compares, and what it decides: measures over queries, over runs, or both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.comparison.doubts import doubts_about, doubts_about_datasets, refuse_empty
from ltr_sql.comparison.runs import compared_runs
from ltr_sql.comparison.values import (
    Given,
    Rules,
    bound_runs,
    corrected_and_weighed,
    fragments_of,
    noted_values,
    read_values,
    resolved,
)
from ltr_sql.errors import MeasureError
from ltr_sql.evaluation.families import tables_of
from ltr_sql.evaluation.judges import doubts_about_clusters
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.evaluation.values import QueryValues
from ltr_sql.inputs.gains import measures_with_gains
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.rendering.choices import NO_LOOKS
from ltr_sql.rendering.comparisons import SEQUENTIAL, Choices, both_comparisons_query, comparison_query
from ltr_sql.rendering.renderer import NO_WEIGHTS

# A function such as `noted_values`, which evaluates measures by query.
ByQuery = Callable[[Session, Given, Rules], tuple[QueryValues, list[str]]]


@dataclass(frozen=True)
class Compared:
    """What is compared.

    - `given`: what the caller passed, with its runs bound.
    - `measures`: the names of all measures, in the order of the rows.
    - `values`: the values of the measures that have one for each query; None without such measures.
    - `over_runs`: the inputs and options of the measures that have one value for a run; None without such measures.
    - `warnings`: warnings about the input.
    """

    given: Given
    measures: Sequence[str]
    values: QueryValues | None
    over_runs: tuple[Inputs, EvaluationOptions] | None
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class Decided:
    """The comparisons: their relation, the values that were compared, corrected and weighed, and all warnings."""

    found: Table
    values: QueryValues | None
    warnings: Sequence[str]


def compared(state: Session, given: Given, test: str, by_query: ByQuery = noted_values) -> Compared:
    """Read a table of values, or evaluate rankings. Raises MeasureError for measures that an option does not fit."""
    if given.options["values"]:
        values = read_values(state, given)
        return Compared(given, values.measures, values, None)
    parsed, ties, missing = resolved(given)
    over_runs = [measure for measure in parsed if measure.definition.over == "run"]
    others = [measure for measure in parsed if measure not in over_runs]
    names = [measure.text for measure in parsed]
    given = bound_runs(state, given)
    if not over_runs:
        values, texts = by_query(state, given, (parsed, ties, missing))
        return Compared(given, names, values, None, texts)
    _refuse_unfit(over_runs[0], given, test)
    if given.gains is not None:
        measures_with_gains(parsed)
    tables = {name: state.bind(table, name) for name, table in given.tables.items() if table is not None}
    judgments = given.options["qrels"]
    qrels = None if judgments is None else state.bind(judgments, "qrels")
    options = EvaluationOptions(tuple(over_runs), ties, missing, keys=given.keys, check=given.options["check"])
    of_runs = (Inputs(given.rankings, qrels, tables), options)
    if not others:
        return Compared(given, names, None, of_runs)
    read = {name: None for name in given.tables} | dict(tables_of(others, tables))
    values, texts = by_query(state, given.having(qrels=qrels, **read), (others, ties, missing))
    return Compared(given, names, values, of_runs, texts)


def _refuse_unfit(measure: Measure, given: Given, test: str) -> None:
    """Raise MeasureError for options that do not fit a measure over runs."""
    if given.options["weights"] is not None:
        raise MeasureError(f"measure {measure.text!r} {NO_WEIGHTS}")
    for name in ("human", "cluster"):
        if given.options[name] is not None:
            raise MeasureError(f"measure {measure.text!r} has one value for a run: leave out {name}, or the measure")
    if given.across:
        raise MeasureError(f"measure {measure.text!r} has one value for a run, so leave out across, or the measure")
    if given.options["totals"]:
        raise MeasureError(f"measure {measure.text!r} has one value for a run, so leave out totals")
    if test == SEQUENTIAL:
        raise MeasureError(f"measure {measure.text!r} {NO_LOOKS}")


def decided(state: Session, compared: Compared, choices: Choices) -> Decided:
    """Correct and weigh the values, and compare the systems.

    Raises InputError for a system without values, unless the caller allows it.
    """
    given, values, texts, query = compared.given, compared.values, [*compared.warnings], ""
    if values is not None:
        values, more = corrected_and_weighed(state, given, values)
        query = comparison_query(fragments_of(values, given), choices)
        texts += more
    if compared.over_runs is not None:
        of_runs, more = compared_runs(state, *compared.over_runs, choices, given)
        query = both_comparisons_query(query, of_runs, given.strata, compared.measures) if query else of_runs
        texts = [*dict.fromkeys([*texts, *more])]
    found = state.load(f"(\n{query}\n)")
    if not given.options["allow_empty"]:
        refuse_empty(state.rows, found.sql, texts)
    texts += doubts_about(state.rows, found.sql, given.options["margin"])
    if given.across:
        texts += doubts_about_datasets(state.rows, found.sql)
    if given.options["cluster"] is not None:
        texts += doubts_about_clusters(state.rows, found.sql)
    return Decided(found, values, texts)
