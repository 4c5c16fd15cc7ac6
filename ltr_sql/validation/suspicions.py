"""Suspicious inputs, and rows that only one of two tables has."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.inputs.binding import Bound, needs_distinct_ranks
from ltr_sql.inputs.connection import executed
from ltr_sql.inputs.tables import IDS, Table, listed_names
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB, Dialect, string
from ltr_sql.rendering.findings import findings, words_of
from ltr_sql.rendering.renderer import Renderer
from ltr_sql.rendering.templates import render_template

# Rows of each system that are looked at.
_SAMPLED = 1_000
# Rows whose scores are compared before all rows of a sample are.
_FIRST = 100
# Systems that are looked at.
_SYSTEMS = 20
# Measures that a warning names, and grades.
_NAMED, _GRADES = 5, 3
# Names of columns that do not hold scores.
_NO_SCORE = re.compile(r"(.*[._])?(rank|ranking|position|pos|place|distance|dist)", re.IGNORECASE)


def notes_on_run(con: duckdb.DuckDBPyConnection, run: Table, keys: Sequence[str]) -> list[str]:
    """Return warnings if scores of a run, in the rankings of these keys, may be ranks or distances, and of padding."""
    return [*([run.padding] if run.padding else []), *_notes_on_scores(con, run, keys)]


def _notes_on_scores(con: duckdb.DuckDBPyConnection, run: Table, keys: Sequence[str]) -> list[str]:
    if "score" not in run.columns or "rank" in run.columns:
        return []
    for name, ours in run.renamed.items():
        if ours == "score" and _NO_SCORE.fullmatch(name):
            return [
                f"{name} is read as score, and the highest score counts as the best. What to do: for ranks, pass "
                f"columns={{{name!r}: 'rank'}}; if the smallest value is the best, as of distances, change the signs"
            ]
    query = None if _falls_at_once(con, run, keys) else rising_scores_query(run, keys)
    if query is None:
        return []
    finding = findings()["scores_rise"]
    ((how_many, first_rows),) = executed(con, query).fetchall()
    return [f"{finding.what} ({how_many}): {first_rows}. What to do: {finding.what_to_do}"] if how_many else []


def _falls_at_once(con: duckdb.DuckDBPyConnection, run: Table, keys: Sequence[str]) -> bool:
    """Return whether a score is below the one before it in its ranking, among the first rows of a single run.

    The finding `scores_rise` needs samples without such scores. Its query takes longer.
    """
    if run.systems or "query_id" not in run.columns:
        return False
    ranking = ", ".join(f"t.{DUCKDB.identifier(name)}" for name in (*keys, "query_id"))
    first = f"select {ranking}, try_cast(t.score as double) from {run.sql} as t limit {_FIRST}"
    above: dict[str, float | None] = {}
    for *values, score in executed(con, first).fetchall():
        last = above.get(str(values))
        if last is not None and score is not None and score < last:
            return True
        above[str(values)] = score
    return False


def rising_scores_query(run: Table, keys: Sequence[str]) -> str | None:
    """Return the query of the finding `scores_rise`, or None if the rows of a run have no order, or no scores."""
    if not run.ordered or "score" not in run.columns or {"rank", "relevance"} & run.columns.keys():
        return None
    names = {name: DUCKDB.identifier(name) for name in (*keys, "query_id")}
    labels = " || ', ' || ".join(f"{string(f'{name}=')} || s.{column}" for name, column in names.items())
    systems = [f" where t.system = {string(name)}" for name in run.systems[:_SYSTEMS]] or [""]
    return Renderer(NamedColumns((), DUCKDB)).text(
        findings()["scores_rise"].body,
        samples=[_first_rows(run, system) for system in systems],
        ranking=", ".join(names.values()),
        labels=labels,
    )


def may_be_swapped(con: duckdb.DuckDBPyConnection, bound: Bound) -> bool:
    """Return whether the first rows have fractions as grades and whole numbers as scores: see `scores_like_grades`."""
    run, qrels = bound.run, bound.qrels
    if qrels is None or qrels.kind("relevance") == "integer" or "score" not in run.columns or "rank" in run.columns:
        return False
    if not all(table.stored or table.ordered for table in (run, qrels)):
        # A view may take long.
        return False
    grades, scores = (f"try_cast(t.{name} as double)" for name in ("relevance", "score"))
    query = (
        f"select (select bool_or({grades} <> floor({grades})) from {_first_rows(qrels)} as t) "
        f"and (select bool_and({scores} = floor({scores})) from {_first_rows(run)} as t)"
    )
    return bool(executed(con, query).fetchall()[0][0])


def notes_on_grades(con: duckdb.DuckDBPyConnection, judged: Table, measures: Sequence[Measure]) -> list[str]:
    """Return a warning if no document is relevant for some measures, because all grades are fractions below 1.

    `judged`: the judgments, or rankings with relevance.
    """
    if "relevance" not in judged.columns or judged.kind("relevance") == "integer" or not _with_threshold(measures, 0):
        return []
    highest = 0.0
    # Look at the first rows before all: one grade of 1 is enough.
    for rows in (_first_rows(judged), judged.sql):
        query = f"select max(try_cast(t.relevance as double)) from {rows} as t"
        highest = executed(con, query).fetchall()[0][0] or 0.0
        if highest >= 1:
            return []
    names = _with_threshold(measures, highest)
    if highest <= 0 or not names:
        return []
    finding = findings()["grades_below_1"]
    what = Renderer(NamedColumns((), DUCKDB)).text(finding.what, threshold_matters=listed_names(names, _NAMED))
    return [f"{what} (the highest grade is {highest:g}). What to do: {finding.what_to_do}"]


def fractional_grades(con: duckdb.DuckDBPyConnection, judged: Table) -> tuple[int, str]:
    """Return the number of grades with a fraction, and the first of them with what remains of them."""
    if "relevance" not in judged.columns or judged.kind("relevance") == "integer":
        return 0, ""
    query = render_template("validation/fractional_grades.sql", judged=judged.sql, shown=_GRADES)
    ((number, examples),) = executed(con, query).fetchall()
    return number, examples


def notes_on_fractions(con: duckdb.DuckDBPyConnection, judged: Table, convention: str) -> list[str]:
    """Return a warning if grades have fractions. `convention`: one whose tool drops them, or ''."""
    number, examples = fractional_grades(con, judged) if convention else (0, "")
    if not number:
        return []
    return [
        f"grades have a fraction, which the tool of convention={convention!r} drops ({number:,}): {examples} there. "
        "They keep it here, so values differ. What to do: pass whole grades, or run ltr-sql trec_eval, which reads "
        "them as trec_eval does"
    ]


def have_fractions(*grades: Any) -> bool:
    """Return whether `notes_on_fractions` finds something in arrays of grades, of which NaN means not judged."""
    return any((values[values == values] % 1).any() for values in grades)  # noqa: PLR0124  (NaN)


def are_below_1(measures: Sequence[Measure], *grades: Any) -> bool:
    """Return whether `notes_on_grades` finds something in arrays of grades, of which NaN means not judged."""
    highest = max((values[values == values].max(initial=0) for values in grades), default=0)  # noqa: PLR0124  (NaN)
    return bool(0 < highest < 1 and _with_threshold(measures, highest))


def _with_threshold(measures: Sequence[Measure], highest: float) -> list[str]:
    """Return the measures for which a document of the highest grade is not relevant."""
    thresholds = ((measure.text, dict(measure.values).get("rel")) for measure in measures)
    return [name for name, rel in thresholds if rel is not None and float(rel) > highest]


def advice_on_keys(keys: Sequence[str]) -> str:
    """Return the advice about the first key that does not name a system, or '', for queries that the run lacks."""
    of_queries = [key for key in keys if key != "system"]
    return f"If {of_queries[0]} is a property of the query, add this column to the judgments. " if of_queries else ""


def may_mean_something_else(documents: Mapping[str, Any]) -> bool:
    """Return whether the queries of `notes_on_run` and `may_be_swapped` may find something in arrays.

    `documents` has the columns query_id, score and relevance, which is NaN if a document is not judged.
    """
    queries, scores, grades = (documents[name][:_SAMPLED] for name in ("query_id", "score", "relevance"))
    steps = (scores[1:] - scores[:-1])[queries[1:] == queries[:-1]]
    if (steps > 0).any() and not (steps < 0).any():
        return True
    judged = grades[grades == grades]  # noqa: PLR0124  (NaN differs from itself)
    return bool((judged != judged.round()).any() and (scores == scores.round()).all())


def _first_rows(table: Table, condition: str = "") -> str:
    return f"(select t.* from {table.sql} as t{condition} limit {_SAMPLED})"


# The error that is no finding, because `check` ignores what was asked.
_ASKED = ("none of the queries that were asked has judgments", "compare these ids with those of the judgments")


def errors_query(bound: Bound, measures: Sequence[Measure]) -> str:
    """Return the query of the errors of bound tables: one row with a text, or NULL, in a column `error`.

    The queries of measures find further errors, such as duplicate judgments.
    """
    run, qrels, judged = bound.run, bound.qrels, bound.qrels is not None
    read = ["rank" if "rank" in run.columns else "score", *([] if judged else ["relevance", "num_ret"])]
    numbers = [name for name in read if name in run.columns]
    return Renderer(NamedColumns(bound.keys.of_run, run.dialect), run.dialect).template(
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
