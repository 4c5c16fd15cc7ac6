"""Evaluate measures of accuracy: bind rankings, or a run and judgments, and run one query over them."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.evaluation.batches import Share, batches, number_of_batches, shares_of
from ltr_sql.evaluation.options import EvaluationOptions
from ltr_sql.inputs.binding import (
    Bound,
    Rule,
    bind_by_rule,
    bind_tables,
    judged_in_collection,
    result_columns,
    rule_of,
)
from ltr_sql.inputs.connection import REJECTED, Result
from ltr_sql.inputs.joining import USUAL
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.storage import ranking
from ltr_sql.inputs.tables import Table, checked_keys, require_one_segment
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.measure_columns import largest_cutoff
from ltr_sql.rendering.sources import Guard, Shortcuts
from ltr_sql.rendering.totals import SYSTEM
from ltr_sql.stages import MEASURES, OF_QUERIES, stage
from ltr_sql.validation.checks import of_measures, quick_check, refuse_errors
from ltr_sql.validation.suspicions import notes_on_fractions

# Largest cutoff up to which sorting the top of each ranking is faster than counting.
_SHALLOW = 100
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
        query = ordered_query(bound, options.measures, options.by_query)
        if bound.batches > 1:
            query = query_of_batches(state, bound, options)
        return result(state.con, query, state.frame)

    if not options.check:
        return run_query(bound), []
    notes = notes_on_fractions(state.con, bound.qrels or bound.run, state.form.truncating)
    in_one_pass = bound.validated_as_read(options.measures)
    if in_one_pass is not None:
        with suppress(*REJECTED):
            return run_query(in_one_pass), notes
    counting = options.counting_missing
    if bound.joining.asked is not None:
        counting = []
    guarded, warning_texts = quick_check(state.con, bound, options.measures, "zero" if counting else "skip")
    if counting:
        warning_texts = of_measures(warning_texts, options.measures, counting)
    warning_texts = [*warning_texts, *notes]
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
    run = state.bind(rankings, "run").in_row_order(*options.every_ties)
    return bind_with_gains(state, run, None if qrels is None else state.bind(qrels, "qrels"), options)


def query_of_batches(state: Session, bound: Bound, options: EvaluationOptions) -> str:
    """Evaluate a large run in batches of queries, and return the query of the result."""
    assert bound.qrels is not None
    name = next(state.names)
    shares = shares_of(state, bound.run, bound.batches) if bound.run_keys else [Share(bound.run, bound.batches)]
    for done, share in enumerate(shares):
        of_share = replace(options, keys=[key for key in options.keys if key != SYSTEM]) if share.system else options
        ranked = _ranking(state, share.run, bound.qrels, () if share.system else bound.run_keys, of_share)
        with batches(state, share.run, bound.qrels, share.batches) as parts:
            for number, (run, judgments) in enumerate(parts):
                stage(OF_QUERIES, (done + number / len(parts)) / len(shares))
                # Parts that were copied lost the order of their rows.
                in_part = "counted" if ranked == "stored" and not run.positions else ranked
                part = bind_with_gains(state, run, judgments, of_share, in_part)
                if bound.source.guard != Guard():
                    part = part.guarded(options.measures, bound.source.guard.distinct_ranks)
                query = part.values(options.measures, averaged=not options.by_query)
                _add(state, name, share.named(query), is_first=done == number == 0)
    values = f"from {name}"
    query = values if options.by_query else bound.averages(options.measures, values)
    return ordered(query, bound.keys, bound.run.systems, options.by_query)


def _add(state: Session, name: str, query: str, *, is_first: bool) -> None:
    """Add rows to a table of the session, which the first rows make."""
    if is_first:
        state.store(name, f"(\n{query}\n)")
    else:
        state.con.execute(f"insert into {name} by name {query}")


def _ranking(state: Session, run: Table, judgments: Table, keys: tuple[str, ...], options: EvaluationOptions) -> str:
    """Return how ranks are made from the scores of a run: see `Shortcuts.ranking`."""
    depth = largest_cutoff(result_columns(options.measures, run.dialect))
    if isinstance(depth, int) and depth <= _SHALLOW:
        return "sorted"
    return ranking(state.con, run, judgments, keys, options.check)


def bind_with_gains(
    state: Session, run: Table, judgments: Table | None, options: EvaluationOptions, ranked: str = ""
) -> Bound:
    """Bind tables of a session as one relation that measures can read, with custom gains if there are any.

    With `options.check`, the caller rejects scores that are not finite before it runs the query. `ranked` is how the
    ranks of a part of a run are made: see `Shortcuts.ranking`. A part is not split further.
    """
    measures, gains = options.measures, options.gains
    shortcuts = Shortcuts(scores_checked=options.check, duplicates_checked=True)
    grouping = checked_keys(run, judgments, options.keys, [measure.text for measure in measures])
    if judgments is not None:
        require_one_segment(state.con, run, judgments, grouping.segments)
    joining = USUAL if judgments is None else state.joining()
    # A collection is judged by all queries.
    at_once = (
        ranked
        or judgments is None
        or grouping.of_run not in ((), (SYSTEM,))
        or any(rule_of(m, gained=False).scope for m in measures)
    )
    at_once = at_once or joining != USUAL or run.unanswered is not None
    number = 1 if at_once else number_of_batches(state, run)
    if judgments is not None and number == 1:
        shortcuts = replace(shortcuts, ranking=ranked or _ranking(state, run, judgments, grouping.of_run, options))

    def bind_rule(measures: tuple[Measure, ...], rule: Rule) -> Bound:
        tables = run, judgments
        if rule.scope:
            tables = run, judged_in_collection(run, judgments, grouping.segments)
        elif gains is not None and rule.gained:
            tables = (
                (gains.replace_grades(state.con, run), None)
                if judgments is None
                else (run, gains.replace_grades(state.con, judgments))
            )
        return _bind_tables(
            *tables,
            measures,
            keys=grouping.all,
            ties=rule.ties,
            missing=rule.missing,
            joining=joining,
            shortcuts=shortcuts,
        )

    bound = bind_by_rule(measures, options.ties, options.missing, bind_rule, gained=gains is not None)
    # Tables that differ in their number of rows share what has been rendered.
    return replace(bound, batches=number, run=replace(bound.run, rows=run.rows))
