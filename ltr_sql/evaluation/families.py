"""Evaluate measures of accuracy and beyond it in one call, and join their values."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import duckdb

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.errors import InputError
from ltr_sql.evaluation.accuracy import bind, ordered, result_and_warnings, stored_in
from ltr_sql.evaluation.in_database import run_in_database
from ltr_sql.evaluation.lists import checked_lists
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.connection import Result
from ltr_sql.inputs.gains import measures_with_gains
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.templates import render_template
from ltr_sql.stages import MEASURES, stage


def run_measures(state: Session, inputs: Inputs, options: EvaluationOptions, result: Result) -> tuple[Any, list[str]]:
    """Bind and check the inputs, and run the query of the measures. Returns the value of `result` and the warnings."""
    if state.database is not None:
        _refuse_unread(inputs.tables)
        return run_in_database(state, state.database, inputs, options, result)
    if options.gains is not None:
        options = replace(options, measures=tuple(measures_with_gains(options.measures)))
    if any(measure.definition.beyond_accuracy for measure in options.measures):
        return _run_families(state, inputs, options, result)
    _refuse_unread(inputs.tables)
    options = options.with_one_rule
    bound = bind(state, inputs.rankings, inputs.qrels, options)
    return result_and_warnings(state, bound, options, result)


def measured_table(state: Session, inputs: Inputs, options: EvaluationOptions) -> tuple[Table, list[str]]:
    """Return the values of measures as a table of the session, and the warnings."""
    return run_measures(state, inputs, options, stored_in(state))


def tables_of(measures: Sequence[Measure], tables: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the tables if a measure beyond accuracy reads them, otherwise none, because other measures refuse them."""
    return tables if any(measure.definition.beyond_accuracy for measure in measures) else {}


def _refuse_unread(tables: Mapping[str, Any]) -> None:
    """Raise InputError for a table that only measures beyond accuracy read."""
    for name, table in tables.items():
        if table is not None:
            raise InputError(f"only measures beyond accuracy, such as Gini@10, read {name}=: add one, or leave it out")


def _run_families(state: Session, inputs: Inputs, options: EvaluationOptions, result: Result) -> tuple[Any, list[str]]:
    """Evaluate measures beyond accuracy and any measures of accuracy, joined in one result: see `run_measures`."""
    measures, by_query = options.measures, options.by_query
    for name in state.form.joining:
        raise InputError(
            f"{name} is about the judged documents of a run, and measures beyond accuracy read whole lists: evaluate "
            f"these measures without {name}"
        )
    run = state.bind(inputs.rankings, "run").in_row_order(*options.every_ties)
    tables = {name: state.bind(table, name) for name, table in inputs.tables.items() if table is not None}
    if "baseline" in tables:
        tables["baseline"] = tables["baseline"].in_row_order(options.ties)
    if inputs.qrels is not None:
        tables["qrels"] = state.bind(inputs.qrels, "qrels")
        _refuse_segments(run, tables["qrels"], options.keys)
    beyond = tuple(measure for measure in measures if measure.definition.beyond_accuracy)
    others = tuple(measure for measure in measures if measure not in beyond)
    lists, warning_texts = checked_lists(state, run, tables, replace(options, measures=beyond))
    systems = lists.run.systems
    query = lists.query(beyond, averaged=not by_query)
    stage(MEASURES)
    if not others:
        return result(state.con, ordered(query, lists.keys, systems, by_query), state.frame), warning_texts

    def joined(con: duckdb.DuckDBPyConnection, accuracy: str, frame: str | None) -> Any:
        both = _joined_query(accuracy, query, lists.keys, measures, by_query)
        return result(con, ordered(both, lists.keys, systems, by_query), frame)

    judged = Inputs(lists.run, lists.tables.get("qrels"))
    found, texts = run_measures(state, judged, replace(options, measures=others), joined)
    return found, list(dict.fromkeys([*texts, *warning_texts]))


def _joined_query(accuracy: str, lists: str, keys: Sequence[str], measures: Sequence[Measure], by_query: bool) -> str:
    """Return the query that joins the values of both families of measures.

    `accuracy` and `lists` are the queries of measures of accuracy and of measures beyond it, with equal keys.
    """
    identifier = DUCKDB.identifier
    return render_template(
        "evaluation/families.sql",
        accuracy=accuracy,
        lists=lists,
        keys=[*map(identifier, keys), *(["query_id"] if by_query else [])],
        by_query=by_query,
        columns=[("l" if m.definition.beyond_accuracy else "a", identifier(m.text)) for m in measures],
    )


def _refuse_segments(run: Table, qrels: Table, keys: Sequence[str]) -> None:
    """Raise InputError for a key that is a column of the judgments but not of the run."""
    for key in keys:
        if key not in run.columns and key in qrels.columns:
            raise InputError(
                f"key {key!r} is a column of the judgments, but measures beyond accuracy read the run: add it to the "
                "run, or evaluate these measures without it"
            )
