"""Evaluate a run and judgments that are dicts of dicts.

Python looks up the judgment of each document, because that is faster than a join of text in DuckDB. Queries are
numbered, because DuckDB sorts numbers faster than text. DuckDB ranks the documents and computes the measures.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.binding import Bound, check_relation_option
from ltr_sql.inputs.connection import REJECTED, Result
from ltr_sql.inputs.dicts import JoinedDicts, joined_dicts
from ltr_sql.inputs.forms import InputForm
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import IDS, Table
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.renderer import Renderer
from ltr_sql.rendering.sources import Guard, JudgedRun
from ltr_sql.stages import MEASURES, stage
from ltr_sql.validation.checks import of_measures, unmatched_queries
from ltr_sql.validation.suspicions import are_below_1, have_fractions, may_mean_something_else

# Rules that break ties by doc_id.
_TIES = ("docid_desc", "docid_asc", "docid_desc_float32")
_RENDERED = 64


def result_of_dicts(
    state: Session, inputs: Inputs, options: EvaluationOptions, result: Result
) -> tuple[Any, list[str]] | None:
    """Return the value of `result` and the warnings, or None if the inputs must be evaluated as tables.

    Return None for inputs other than dicts of dicts, for inputs with an error or suspicious scores, and for options
    that need tables.
    """
    measures = options.measures
    if options.keys or options.gains is not None or options.ties not in _TIES or options.has_rules:
        return None
    if any(map(_needs_tables, measures)):
        return None
    if state.form != InputForm() or any(table is not None for table in inputs.tables.values()):
        return None
    check_relation_option("judge", "missing", options.missing)
    joined = joined_dicts(inputs.rankings, inputs.qrels, skip=options.missing == "skip")
    if joined is None or (options.check and _is_suspicious(joined, measures, bool(state.form.truncating))):
        return None
    documents, not_retrieved = state.register(joined.documents), state.register(joined.not_retrieved)
    warning_texts: list[str] = []
    if options.check and {*joined.query_ids[0]} != {*joined.query_ids[1]}:
        of_run, of_judgments = (state.register(dict.fromkeys(IDS, ids)) for ids in joined.query_ids)
        warning_texts = unmatched_queries(state.con, of_run, of_judgments, options.missing)
        warning_texts = of_measures(warning_texts, options.measures, options.measures)
    names = state.register(joined.names) if options.by_query else None
    stage(MEASURES)
    with suppress(*REJECTED):
        query = _query(documents, not_retrieved, names, measures, options.ties)
        return result(state.con, query, state.frame), warning_texts
    return None


def _is_suspicious(joined: JoinedDicts, measures: Sequence[Measure], truncating: bool) -> bool:
    """Return whether the checks of tables may find something in the scores or grades.

    `truncating` is true under the convention of a tool that reads grades without their fraction.
    """
    grades = (joined.documents["relevance"], joined.not_retrieved["relevance"])
    if may_mean_something_else(joined.documents) or are_below_1(measures, *grades):
        return True
    return truncating and have_fractions(*grades)


def _needs_tables(measure: Measure) -> bool:
    definition = measure.definition
    return measure.reads_num_ret or definition.by_subtopic or definition.paired or definition.beyond_accuracy


@lru_cache(_RENDERED)
def _query(
    documents: Table, not_retrieved: Table, names: Table | None, measures: tuple[Measure, ...], ties: str
) -> str:
    """Return the query that computes measures.

    It returns their means, or one row per query if `names` holds the ids of the queries.
    """
    renderer = Renderer(NamedColumns((), DUCKDB, exact=()), DUCKDB)
    tables = {"documents": documents.sql, "not_retrieved": not_retrieved.sql}
    ranking = renderer.template("evaluation/joined_dicts.sql", ties=ties, **tables)
    judged = " union all ".join(
        f"select t.query_id, t.relevance from {table} as t where t.relevance is not null" for table in tables.values()
    )
    source = JudgedRun(
        f"(\n{ranking}\n)",
        queries=renderer.template(
            "inputs/judged_queries.sql",
            relations={"qrels": f"({judged})"},
            missing="zero",
            segments={},
            counted="",
        ),
        integers=frozenset({"rank"}),
        guard=Guard(distinct_ranks=True),
        only_judged=True,
    )
    query = Bound(source, (), documents, None).query(measures, averaged=names is None)
    if names is None:
        return query
    return renderer.template("evaluation/named_queries.sql", values=query, queries=names.sql)
