"""Evaluate measures of accuracy: bind rankings, or a run and judgments, and run one query over them."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.evaluation.options import EvaluationOptions
from ltr_sql.inputs.binding import Bound, bind_tables
from ltr_sql.inputs.connection import REJECTED, Result
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table, checked_keys, require_one_segment
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.sources import Facts
from ltr_sql.stages import MEASURES, stage
from ltr_sql.validation.checks import quick_check, refuse_errors

# Cache rendered queries: similar calls, such as those of a training loop, have equal queries.
_RENDERED = 64


_bind_tables = lru_cache(_RENDERED)(bind_tables)


def stored_in(state: Session) -> Result:
    """Return a function that stores the result of a query as a table of the session."""
    return lambda con, query, frame: state.load(f"(\n{query}\n)")


def result_and_warnings(
    state: Session, bound: Bound, options: EvaluationOptions, result: Result
) -> tuple[Any, list[str]]:
    """Check bound inputs and run the query of the measures. Returns the value of `result` and the warnings."""

    def run_query(bound: Bound) -> Any:
        stage(MEASURES)
        return result(state.con, ordered_query(bound, options.measures, options.by_query), state.frame)

    if not options.check:
        return run_query(bound), []
    in_one_pass = bound.validated_as_read(options.measures)
    if in_one_pass is not None:
        with suppress(*REJECTED):
            return run_query(in_one_pass), []
    guarded, warning_texts = quick_check(state.con, bound, options.measures, options.missing)
    try:
        return run_query(guarded), warning_texts
    except REJECTED:
        # Show the invalid rows.
        refuse_errors(state.con, bound)
        # The guard also rejects a valid run that retrieves judged documents but no relevant ones.
        return run_query(bound), warning_texts


@lru_cache(_RENDERED)
def ordered_query(bound: Bound, measures: tuple[Measure, ...], by_query: bool) -> str:
    """Return the query that computes measures, sorted by keys and query_id. Systems keep the order of their input."""
    return ordered(bound.query(measures, averaged=not by_query), bound.keys, bound.run.systems, by_query)


def ordered(query: str, keys: Sequence[str], systems: Sequence[str], by_query: bool) -> str:
    """Return a query sorted by keys and query_id. `systems`: the order of the systems, if it is known."""
    columns = [*keys, *(["query_id"] if by_query else [])]
    if not columns:
        return query
    in_order = f"enum({', '.join(map(string, systems))})"
    terms = [
        f"cast({DUCKDB.identifier(name)} as {in_order})"
        if systems and name in ("system", "system_a", "system_b")
        else DUCKDB.identifier(name)
        for name in columns
    ]
    return f"from (\n{query}\n)\norder by {', '.join(f'{term} asc' for term in terms)}"


def bind(state: Session, rankings: Any, qrels: Any, options: EvaluationOptions) -> Bound:
    """Bind rankings, a run with judgments, or a scored table as one relation that measures can read."""
    run = state.bind(rankings, "run").in_row_order(options.ties)
    return bind_with_gains(state, run, None if qrels is None else state.bind(qrels, "qrels"), options)


def bind_with_gains(state: Session, run: Table, judgments: Table | None, options: EvaluationOptions) -> Bound:
    """Bind tables of a session as one relation that measures can read, with custom gains if there are any.

    With `options.check`, the caller rejects scores that are not finite before it runs the query.
    """
    measures, gains = options.measures, options.gains
    facts = Facts(scores_checked=options.check, duplicates_checked=True)
    grouping = checked_keys(run, judgments, options.keys, [measure.text for measure in measures])
    if judgments is not None:
        require_one_segment(state.con, run, judgments, grouping.segments)
    # If every measure has a cutoff, sorting the top of the run is faster than testing whether all of it is in order.
    if judgments is not None and any(dict(measure.values).get("k") is None for measure in measures):
        facts = replace(facts, in_rank_order=state.in_rank_order(run, grouping.of_run))
    rules = {"keys": grouping.all, "ties": options.ties, "missing": options.missing, "facts": facts}
    bound = _bind_tables(run, judgments, measures, **rules)
    if gains is None:
        return bound
    if judgments is None:
        run = gains.replace_grades(run)
    else:
        judgments = gains.replace_grades(judgments)
    gained = tuple(measure for measure in measures if measure.definition.gains)
    return replace(bound, gain_source=_bind_tables(run, judgments, gained, **rules).source)
