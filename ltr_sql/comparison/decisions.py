"""Decide: the table of a comparison, and doubts about it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.comparison.values import (
    Given,
    bound_runs,
    corrected_and_weighed,
    doubts_about,
    doubts_about_datasets,
    doubts_about_repeats,
    fragments_of,
    noted_values,
    read_values,
    refuse_empty,
    resolved,
)
from ltr_sql.errors import MeasureError
from ltr_sql.evaluation.accuracy import measured_table, tables_of
from ltr_sql.evaluation.lists import BoundLists, bind_lists
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.evaluation.values import (
    QueryValues,
    doubts_about_clusters,
    doubts_about_nulls,
    doubts_about_ranges,
)
from ltr_sql.inputs.gains import measures_with_gains
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.rendering import comparisons
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.measure_columns import Shortcuts
from ltr_sql.rendering.renderer import NO_WEIGHTS, Renderer

# The column that numbers the replicates of the bootstrap.
REPLICATE = "__ltr_replicate"
# Largest number of rows of the lists that one query draws.
_ROWS = 5_000_000
# The tables about queries that measures over runs read: each copy of a query needs their rows.
_OF_QUERIES = ("qrels", "targets")
_CHECKED = Shortcuts(scores_checked=True, duplicates_checked=True)


def compared_runs(
    state: Session, inputs: Inputs, options: EvaluationOptions, choices: comparisons.Choices, given: Given
) -> tuple[str, list[str]]:
    """Return the query of comparisons by measures over runs, one row per measure and pair of systems, and warnings.

    `inputs`, `options`: bound tables, of which all but the run may be unread, and the measures with their rules.
    """
    measures = options.measures
    needed = {need.table for m in measures for need in m.definition.needed(dict(m.values))}
    qrels = inputs.qrels if "qrels" in needed else None
    others = {name: table for name, table in inputs.tables.items() if name in needed and table is not None}
    found, warnings = measured_table(state, replace(inputs, qrels=qrels, tables=others), options)
    tables = others if qrels is None else {**others, "qrels": qrels}
    run: Table = inputs.rankings
    bound = bind_lists(run.in_row_order(options.ties), tables, measures, options.keys, options.ties, shortcuts=_CHECKED)
    renderer = Renderer(NamedColumns(bound.keys, DUCKDB, exact=bound.source.exact), DUCKDB)
    key = renderer.vocabulary["key_output"]("r")
    lists = state.load(f"(select {key}, r.doc_id, r.rank from (\n{renderer.lists(bound.source)}\n) as r)")
    drawable = [measure for measure in measures if not measure.definition.row_source.without_lists]
    parts = [found, *(_resampled(state, bound, lists, drawable, choices=choices, given=given) if drawable else [])]
    relation = state.load(f"({' union all by name '.join(f'from {part.sql}' for part in parts)})")
    if REPLICATE not in relation.columns:
        relation = state.load(f"(select *, cast(null as bigint) as {REPLICATE} from {relation.sql})")
    values = comparisons.values_of_table(
        relation.sql,
        [measure.text for measure in measures],
        compared=given.compared,
        strata=given.strata,
        repeats=given.repeats,
        baseline=given.baseline,
    )
    system = (given.compared, *given.strata)
    doubts = doubts_about_repeats(state.rows, found, system, given.repeats, "system")
    result = comparisons.result_of_pairs(given.options["details"])
    return comparisons.compared_runs_query(values, choices, lists.sql, REPLICATE, result), [*warnings, *doubts]


def _resampled(
    state: Session,
    bound: BoundLists,
    lists: Table,
    measures: Sequence[Measure],
    *,
    choices: comparisons.Choices,
    given: Given,
) -> list[Table]:
    """Return tables with the values of the replicates: `REPLICATE`, the keys, and one column per measure."""
    queries = state.load(f"(\n{comparisons.drawn_queries_query(lists.sql, given.strata)}\n)")
    ((rows,),) = state.rows(f"select count(*) from {lists.sql}")
    resamples = int(choices.fragments["resamples"])
    step = max(1, _ROWS // max(1, rows))
    found = []
    for first in range(0, resamples, step):
        draws = comparisons.Draws(first, min(first + step, resamples), choices.fragments["seed"], REPLICATE)
        columns = (given.compared, *given.repeats)
        query = comparisons.drawn_lists_query(lists.sql, queries.sql, given.strata, columns, draws)
        drawn = state.load(f"(\n{query}\n)")
        name = state.loaded[-1]
        tables = {
            name: _copied(table, queries, drawn) if name in _OF_QUERIES and "query_id" in table.columns else table
            for name, table in bound.tables.items()
        }
        source = bind_lists(drawn, tables, measures, (REPLICATE, *bound.keys), "docid_desc", shortcuts=_CHECKED)
        found.append(state.load(f"(\n{source.query(measures, averaged=True)}\n)"))
        state.con.execute(f"drop table temp.{name}")
    return found


def _copied(table: Table, queries: Table, drawn: Table) -> Table:
    """Return a table about queries for resampled runs.

    The rows of a query are repeated for each copy that the bootstrap drew, under the query_id of the copy.
    """
    sql = f"""(
        select j.* replace (d.query_id as query_id)
        from {table.sql} as j
        join (select distinct q.query_id, q.number from {queries.sql} as q) as q
            on q.query_id = j.query_id
        join (select distinct d.query_id from {drawn.sql} as d) as d
            on d.query_id // {comparisons.COPIES} = q.number
    )"""
    return replace(table, sql=sql, columns={**table.columns, "query_id": "BIGINT"}, positions="", queries="")


# A function such as `noted_values`, which evaluates measures by query.
ByQuery = Callable[[Session, Given, EvaluationOptions], tuple[QueryValues, list[str]]]


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
    options = resolved(given)
    over_runs = tuple(measure for measure in options.measures if measure.definition.over == "run")
    others = tuple(measure for measure in options.measures if measure not in over_runs)
    names = [measure.text for measure in options.measures]
    given = bound_runs(state, given)
    if not over_runs:
        values, texts = by_query(state, given, options)
        return Compared(given, names, values, None, texts)
    _refuse_unfit(over_runs[0], given, test)
    if given.gains is not None:
        measures_with_gains(options.measures)
    tables = {name: state.bind(table, name) for name, table in given.tables.items() if table is not None}
    judgments = given.options["qrels"]
    qrels = None if judgments is None else state.bind(judgments, "qrels")
    of_runs = (Inputs(given.rankings, qrels, tables), replace(options, measures=over_runs, gains=None))
    if not others:
        return Compared(given, names, None, of_runs)
    read = {name: None for name in given.tables} | dict(tables_of(others, tables))
    values, texts = by_query(state, given.having(qrels=qrels, **read), replace(options, measures=others))
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
    if test == comparisons.SEQUENTIAL:
        raise MeasureError(f"measure {measure.text!r} {comparisons.NO_LOOKS}")


def decided(state: Session, compared: Compared, choices: comparisons.Choices) -> Decided:
    """Correct and weigh the values, and compare the systems.

    Raises InputError for a system without values, unless the caller allows it.
    """
    given, values, texts, query = compared.given, compared.values, [*compared.warnings], ""
    if values is not None:
        if not given.options["paired"]:
            texts += doubts_about_nulls(state.rows, values.table.sql, values.measures)
        values, more = corrected_and_weighed(state, given, values)
        query = comparisons.comparison_query(
            fragments_of(values, given), choices, comparisons.result_of_pairs(given.options["details"])
        )
        texts += more
    if compared.over_runs is not None:
        of_runs, more = compared_runs(state, *compared.over_runs, choices, given)
        query = (
            comparisons.both_comparisons_query(query, of_runs, given.strata, compared.measures) if query else of_runs
        )
        texts = [*dict.fromkeys([*texts, *more])]
    found = state.load(f"(\n{query}\n)")
    if not given.options["allow_empty"]:
        refuse_empty(state.rows, found.sql, texts)
    texts += doubts_about(state.rows, found.sql, given.options["margin"])
    if given.options["values"]:
        texts += doubts_about_ranges(state.rows, found.sql)
    if given.across:
        texts += doubts_about_datasets(state.rows, found.sql)
    if given.options["cluster"] is not None:
        texts += doubts_about_clusters(state.rows, found.sql, given.options["paired"])
    return Decided(found, values, texts)
