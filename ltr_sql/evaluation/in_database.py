"""Evaluate measures in the caller's database: its tables stay there, and the values come out."""

from dataclasses import replace
from typing import Any

from ltr_sql.errors import InputError, MeasureError
from ltr_sql.evaluation.accuracy import ordered
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.binding import bind_unchecked
from ltr_sql.inputs.connection import Result
from ltr_sql.inputs.databases import Database
from ltr_sql.inputs.joining import USUAL
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.validation.elsewhere import errors_query


def run_in_database(
    state: Session, database: Database, inputs: Inputs, options: EvaluationOptions, result: Result
) -> tuple[Any, list[str]]:
    """Evaluate tables of a database there. Returns the value of `result` for the values, and no warnings.

    Raises InputError for tables that cannot be scored, and for options that need DuckDB.
    """
    for measure in options.measures:
        if measure.definition.beyond_accuracy:
            raise MeasureError(
                f"{measure.text!r} is beyond accuracy, and a connection to a database evaluates measures of accuracy: "
                "run the query that ltr_sql.render(..., 'postgres') writes"
            )
    if options.gains is not None:
        raise InputError("custom gains are computed by DuckDB: leave out gains, or give the table a column of gains")
    run = _bound(state, inputs.rankings, "run")
    judgments = None if inputs.qrels is None else _bound(state, inputs.qrels, "qrels")
    joining = USUAL if judgments is None else state.joining()
    asked = joining.asked
    if asked is not None and asked.dialect is DUCKDB:
        rows = state.rows(f"select t.* from {asked.sql} as t")
        joining = replace(joining, asked=database.holding(asked, rows))
    bound = bind_unchecked(
        run,
        judgments,
        options.measures,
        keys=options.keys,
        ties=options.ties,
        missing=options.missing,
        joining=joining,
    )
    if options.check:
        ((error,),) = database.rows(errors_query(bound, options.measures))[1]
        if error:
            raise InputError(error)
    names, rows = database.rows(bound.query(options.measures, averaged=not options.by_query))
    values = state.load_rows(names, rows, {measure.text for measure in options.measures})
    return result(state.con, ordered(f"from {values.sql}", bound.keys, (), options.by_query), state.frame), []


def _bound(state: Session, given: Any, role: str) -> Table:
    table = state.bind(given, role)
    if table.dialect is DUCKDB:
        raise InputError(
            f"with a connection to a database, rankings and qrels are names of its tables, got {type(given).__name__}"
        )
    return table
