"""Errors of tables in another engine than DuckDB, in the words of `sql/findings/`."""

from collections.abc import Iterator, Sequence

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.inputs.binding import Bound, needs_distinct_ranks
from ltr_sql.inputs.tables import IDS
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import Dialect
from ltr_sql.rendering.findings import words_of
from ltr_sql.rendering.renderer import Renderer

# The error that is no finding, because `check` ignores what was asked.
_ASKED = ("none of the queries that were asked has judgments", "compare these ids with those of the judgments")


def errors_query(bound: Bound, measures: Sequence[Measure]) -> str:
    """Return the query of the errors of bound tables: one row with a text, or NULL, in a column `error`.

    The queries of measures find further errors, such as duplicate judgments.
    """
    (run, qrels), judged = bound.comparable, bound.qrels is not None
    read = ["rank" if "rank" in run.columns else "score", *([] if judged else ["relevance", "num_ret"])]
    numbers = [name for name in read if name in run.columns]
    return Renderer(NamedColumns(bound.run_keys, run.dialect), run.dialect).template(
        "validation/errors.sql",
        run=run.sql,
        qrels="" if qrels is None else qrels.sql,
        ids=[name for name in (*IDS, *([] if judged else ["subtopic"])) if name in run.columns],
        numbers=numbers,
        asked="" if bound.joining.asked is None else bound.joining.asked.sql,
        said={code: _around(code) for code in _codes(bound, numbers, measures)},
        string=run.dialect.string,
    )


def refusing(query: str, errors: str, dialect: Dialect) -> str:
    """Return a query that raises the error of an `errors_query`, if there is one, when it runs."""
    checked = f"case when e.error is null then true else {dialect.raising('e.error')} end"
    return (
        f"select v.* from (\n{query}\n) as v\ncross join (select e.error from (\n{errors}\n) as e where {checked}) as e"
    )


def _around(code: str) -> tuple[str, str]:
    """Return the texts of an error before and after the row that is wrong."""
    what, what_to_do = _ASKED if code == "asked_not_judged" else words_of(code)
    return f"{what}: ", f". What to do: {what_to_do}"


def _codes(bound: Bound, numbers: Sequence[str], measures: Sequence[Measure]) -> Iterator[str]:
    """Yield the findings to look for."""
    judged = bound.qrels is not None
    yield from ("no_rows", "null_ids")
    if "score" in numbers:
        yield "scores_not_finite"
    if "rank" in numbers:
        yield from (*(["ranks_missing"] if judged else []), "ranks_not_whole", "ranks_out_of_range")
    if judged or "relevance" in numbers:
        yield "grades_infinite"
    if {"rank", "num_ret"} <= {*numbers}:
        yield "num_ret_impossible"
    if "doc_id" in bound.run.columns and "duplicate_documents" not in bound.joining.ignored:
        yield "duplicate_documents"
    if "rank" in numbers and (judged or not bound.source.by_subtopic) and needs_distinct_ranks(measures):
        yield "duplicate_ranks"
    if judged:
        yield from ("no_common_queries", "no_common_documents")
    if bound.joining.asked is not None:
        yield "asked_not_judged"
