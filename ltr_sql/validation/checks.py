"""Check the input: errors, warnings and diagnostics."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Unpack

import duckdb

from ltr_sql.catalogue.functions import ROWS
from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, Measure, parse_measures
from ltr_sql.catalogue.options import Reading, takes
from ltr_sql.errors import InputError
from ltr_sql.inputs.binding import USUAL, Bound, Tables, needs_distinct_ranks
from ltr_sql.inputs.connection import data_frame, executed, names_and_rows
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import IDS, Keys, Table, is_number, listed_names, with_equal_ids
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.findings import FIELDS, SEVERITIES, CheckParts, check_query, findings, means_query
from ltr_sql.rendering.measure_columns import Column
from ltr_sql.rendering.renderer import Renderer
from ltr_sql.stages import FINDINGS, stage
from ltr_sql.validation.suspicions import (
    advice_on_keys,
    may_be_swapped,
    notes_on_grades,
    notes_on_run,
    rising_scores_query,
)

# Most different texts that are grades.
_MOST_GRADES = 20


def note_on_implicit_relevance(con: duckdb.DuckDBPyConnection, bound: Bound) -> list[str]:
    """Return a text about columns that may hold grades, if the judgments have no column relevance."""
    qrels = bound.qrels
    if qrels is None:
        return []
    unread = [
        name
        for name in qrels.maybe_grades
        if name not in bound.keys.all and (is_number(qrels.columns[name]) or _are_few_words(con, qrels, name))
    ]
    if not unread:
        return []
    return [
        "the judgments have no column relevance, so each row counts as a relevant document. If "
        f"{listed_names(unread)}{'' if len(unread) == 1 else ' or one of these'} holds grades, pass "
        f"qrels_columns={{{unread[0]!r}: 'relevance'}}"
    ]


def _are_few_words(con: duckdb.DuckDBPyConnection, table: Table, name: str) -> bool:
    """Return whether a column of texts may hold grades: it has a few different values, and no lists in JSON."""
    text = f"cast(t.{DUCKDB.identifier(name)} as varchar)"
    ((different, lists),) = con.execute(
        f"select count(distinct {text}), count(*) filter (where left({text}, 1) in ('[', '{{')) from {table.sql} as t"
    ).fetchall()
    return bool(1 < different <= _MOST_GRADES and not lists)


# Findings about queries that only one of the inputs has.
_UNMATCHED = {"queries_not_run", "queries_not_judged"}
# What the warning of queries_not_run says of their values.
COUNT_AS_0 = "they count as 0"
# Largest number of rows of a run for which one query looks for all findings.
_SEARCHED_AT_ONCE = 1_000_000
# Largest number of rows of a run in which `quick_check` looks for all duplicate documents. In more, that would take
# longer than the evaluation.
_SEARCHED_FOR_DUPLICATES = 200_000
# The number of ranges of rows in which it looks for them in a larger file or table whose queries lie together.
_RANGES = 4


@takes(Reading)
def check(
    rankings: Any,
    qrels: Any = None,
    *,
    history: Any = None,
    keys: Sequence[str] = (),
    measures: Iterable[str] = DEFAULT_MEASURES,
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return errors, warnings and diagnostics of rankings, or of a run with judgments: one row per finding.

    - `rankings`, `qrels`, `keys`, `con`: see `evaluate`.
    - `history`: documents that a user already knows (query_id, doc_id). A finding counts those of the run.
    - `measures`: measure strings. If scores are tied, the result shows their values for the worst and the best order
      of ties.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. It has no rows if nothing
    was found.

    - `severity`: 'error' for input that cannot be scored correctly, 'warning' for suspicious input, otherwise 'info'.
      `evaluate` reports only some of these findings.
    - `what`: what was found.
    - `how_many`: number of rows, queries or documents concerned.
    - `first_rows`: the first of them, as text.
    - `what_to_do`: how to fix it.

    Raises MeasureError for an invalid measure, and InputError for input that cannot be read.

    >>> found = ltr_sql.check({"q": {"a": 1.0, "b": 1.0}}, {"q": {"b": 1}, "r": {"c": 1}})
    >>> found[found.severity == "warning"].what.tolist()
    ['judged queries are not in the run: they count as 0']
    """
    parsed = parse_measures(measures)

    def run(state: Session) -> tuple[Any, list[str]]:
        query = input_findings_query(state, rankings, qrels, keys, parsed, history=history)
        return data_frame(state.con, query, state.frame), []

    return with_warnings(con, run, {**reading, "keys": keys})


def input_findings_query(
    state: Session,
    rankings: Any,
    qrels: Any,
    keys: Sequence[str],
    measures: Sequence[Measure],
    *,
    history: Any = None,
) -> str:
    """Return the query of the findings about the caller's rankings, or run and judgments, and the history."""
    run = state.bind(rankings, "run")
    judgments = None if qrels is None else state.bind(qrels, "qrels")
    _, _, grouping, joining = state.read_together(run, judgments, keys)
    ignored: set[str] = set()
    if joining != USUAL:
        # The means of these findings are those of the whole lists.
        measures, ignored = (), joining.ignored
    stage(FINDINGS)
    only = [code for code in findings() if code not in ignored]
    # A finding compares the types of the ids, so search the tables as they were given.
    found = searched(state, run, judgments, grouping.of_run, measures, only=only)
    rising = None if judgments is None else rising_scores_query(run, grouping.of_run)
    if rising is not None:
        found = _with_finding(found, "scores_rise", rising)
    if history is not None:
        query = _known_documents_query(run, state.bind(history, "history"), grouping)
        found = _with_finding(found, "known_documents", query)
    return found


def _known_documents_query(run: Table, history: Table, keys: Keys) -> str:
    """Return the query of the finding about documents of a run that are in the history."""
    run.require("the run", *IDS)
    history.require("the history", *IDS)
    run, history = with_equal_ids(run, history)
    named = [name for name in (*keys.of_run, *IDS) if name in run.columns]
    labels = " || ', ' || ".join(f"{string(f'{name}=')} || r.{DUCKDB.identifier(name)}" for name in named)
    body = findings()["known_documents"].body
    return Renderer(NamedColumns((), DUCKDB)).text(body, run=run.sql, history=history.sql, labels=labels)


def _with_finding(found: str, code: str, query: str) -> str:
    """Return a query of findings with one more finding, given its query."""
    finding = findings()[code]
    return Renderer(NamedColumns((), DUCKDB)).template(
        "validation/with_finding.sql",
        query=query,
        found=found,
        severity=finding.severity,
        what=finding.what,
        what_to_do=finding.what_to_do,
        severities=str([*SEVERITIES]),
        string=string,
    )


def searched(
    state: Session,
    run: Table,
    qrels: Table | None,
    keys: Sequence[str],
    measures: Sequence[Measure],
    *,
    only: Iterable[str] | None = None,
    means: Mapping[str, str] | None = None,
) -> str:
    """Return a query of the findings, as `findings_query` does. Large runs are searched for one finding at a time.

    Together, the findings need several times as much memory.
    """
    chosen = [code for code in findings() if only is None or code in only]
    larger = f"select 1 from {run.sql} limit 1 offset {_SEARCHED_AT_ONCE}"
    if run.unanswered is None and not state.rows(larger):
        return findings_query(run, qrels, keys, measures, only=chosen, means=means)
    queries = []
    for code in chosen:
        # Queries without documents have no rows.
        with_all = run.unanswered is not None and findings()[code].of_queries
        tables = _queries_of(run, qrels, keys) if with_all else (run, qrels)
        queries.append(findings_query(*tables, keys, measures, only=[code], means=means))
    found = [state.load(f"(\n{query}\n)").sql for query in queries]
    numbered = " union all ".join(f"select {i} as __ltr_number, f.* from {sql} as f" for i, sql in enumerate(found))
    return f"select f.* exclude (__ltr_number) from ({numbered}) as f order by f.__ltr_number asc"


def quick_check(
    con: duckdb.DuckDBPyConnection, bound: Bound, measures: Sequence[Measure], missing: str
) -> tuple[Bound, list[str]]:
    """Run the quick checks of an evaluation. Raises InputError for input that cannot be scored.

    Returns the bound tables, with the remaining checks as conditions of their query, and the texts of the warnings.
    """
    stage("check of the input")
    rows = rows_searched(con, bound.run) if bound.searched is None else bound.searched
    part = rows // (_SEARCHED_FOR_DUPLICATES + 1) + 1
    # Reading such a run again costs less than a condition on each aggregated row.
    apart = part > 1 and bound.qrels is not None and bool(bound.run.positions)
    searched_part = 0 if apart else part
    keys, read = bound.keys.of_run, _read_rows(measures)
    query = _quick_check_query(bound.run, bound.qrels, keys, read, searched_part=searched_part)
    found = _codes_found(con, query, missing)
    if apart:
        sample = _sample(bound.run, rows, part, "rows_apart" not in found)
        query = Renderer(NamedColumns(keys, DUCKDB)).template("validation/duplicates_in_sample.sql", sample=sample)
        found |= _codes_found(con, query)
    ranks_unclear = "ranks_unclear" in found
    if ranks_unclear:
        context = {
            "run": bound.run.sql,
            "qrels": bound.qrels is not None,
            "check_ranks": _check_ranks(bound, measures),
        }
        renderer = Renderer(NamedColumns(keys, DUCKDB))
        found |= _codes_found(con, renderer.template("validation/unclear_ranks.sql", **context))
    if may_be_swapped(con, bound):
        found.add("scores_like_grades")
    found -= {"ranks_unclear", "rows_apart"} | bound.joining.ignored
    if found & {"duplicate_ranks", "duplicate_documents"}:
        found.add("mixed_systems")
    warnings = look_for(con, bound, found) if found else []
    warnings += note_on_implicit_relevance(con, bound)
    if bound.qrels is not None:
        warnings += notes_on_run(con, bound.run, keys)
    if bound.joining != USUAL:
        warnings += _notes_on_the_join(con, bound)
    warnings += notes_on_grades(con, bound.qrels or bound.run, measures)
    from_scores = "rank" not in bound.run.columns and "score" in bound.run.columns
    sound = _check_ranks(bound, measures) and not (ranks_unclear and bound.qrels)
    # The query of the measures also runs the checks that are left out here.
    return bound.guarded(measures, distinct_ranks=from_scores or sound), warnings


def _notes_on_the_join(con: duckdb.DuckDBPyConnection, bound: Bound) -> list[str]:
    """Return texts that say how many rows and queries the options of the join leave out."""
    joining, run, qrels = bound.joining, bound.run, bound.qrels
    assert qrels is not None
    renderer, notes = Renderer(NamedColumns(bound.keys.of_run, DUCKDB)), []
    if joining.shortens:
        query = renderer.template("validation/left_out.sql", run=run.sql, qrels=qrels.sql)
        ((listed, repeated, unjudged),) = executed(con, query).fetchall()
        if joining.duplicates != "error":
            consequence = {"first": "they are left out", "wasted": "their ranks count as not relevant"}
            notes.append(
                f"rows that list a document again ({repeated:,} of {listed:,}): {consequence[joining.duplicates]}"
            )
        if joining.unjudged == "remove":
            notes.append(f"unjudged documents of judged queries ({unjudged:,} of {listed:,} rows): they are removed")
    if joining.asked is not None:
        tables = {"run": run.sql, "qrels": qrels.sql, "asked": joining.asked.sql}
        query = renderer.template("validation/asked_queries.sql", **tables)
        ((judged, not_judged, first_judged, not_asked, first_asked),) = executed(con, query).fetchall()
        if not judged:
            raise InputError(
                f"none of the queries that were asked ({not_judged:,}) has judgments: {first_judged}. What to do: "
                "compare these ids with those of the judgments"
            )
        if not_judged:
            notes.append(
                f"queries that were asked have no judgments ({not_judged:,}): {first_judged}. Measures have the value "
                "of a query without relevant documents (empty). What to do: judge them, or nothing if they have no "
                "answer"
            )
        if not_asked:
            notes.append(
                f"queries of the run were not asked ({not_asked:,}): {first_asked}. They do not count. What to do: add "
                "them to asked if users asked them"
            )
    return notes


def _check_ranks(bound: Bound, measures: Sequence[Measure]) -> bool:
    """Return whether a duplicate rank is an error."""
    several = bound.qrels is None and bound.source.by_subtopic
    return "rank" in bound.run.columns and needs_distinct_ranks(measures) and not several


@lru_cache(64)
def _quick_check_query(
    run: Table, qrels: Table | None, keys: tuple[str, ...], read: str = "all", searched_part: int = 1
) -> str:
    """Return the query that counts the findings of `quick_check`: one row, with a column per finding.

    - `read`: the rows of rankings that the measures read, one of `ROWS`.
    - `searched_part`: look for all duplicate documents in one of so many queries; 0 if another query looks for them.
    """
    scored = "rank" not in run.columns and "score" in run.columns
    numbers = ["score"] if scored else ["rank"] if "rank" in run.columns else ["rank_a", "rank_b"]
    if qrels is None and "rank_a" not in numbers:
        numbers.append("relevance")
    return Renderer(NamedColumns(keys, DUCKDB)).template(
        "validation/quick_check.sql",
        run=run.sql,
        positions=run.positions,
        qrels=None if qrels is None else qrels.sql,
        judged_queries="" if qrels is None else qrels.queries,
        with_ids="doc_id" in run.columns and (qrels is not None or "relevance" in run.columns),
        by_subtopic="subtopic" in (qrels or run).columns,
        read="" if qrels is not None else read,
        searched_part=searched_part,
        scored=scored,
        counted=qrels is None and {"rank", "num_ret"} <= run.columns.keys(),
        numbers=numbers,
        text_ids=[name for name in IDS if qrels and not qrels.queries and qrels.columns[name] == "VARCHAR"],
        kinds={**(qrels.kinds if qrels else {}), **run.kinds},
    )


def rows_searched(con: duckdb.DuckDBPyConnection, run: Table) -> int:
    """Return the number of rows of a run among which the quick check looks for duplicate documents: 0 without ids."""
    if "doc_id" not in run.columns:
        return 0
    if run.rows is not None:
        return run.rows
    ((rows,),) = executed(con, f"select count(*) from {run.sql}").fetchall()
    return int(rows)


def are_all_searched(rows: int) -> bool:
    """Return whether the quick check looks for duplicate documents among all of so many rows."""
    return 0 < rows <= _SEARCHED_FOR_DUPLICATES


def _sample(run: Table, rows: int, part: int, together: bool) -> str:
    """Return the SQL of a part of a large run: ranges of rows if the rows of each query lie `together`, or queries.

    `part`: take one of so many queries.
    """
    # Evaluators find duplicates of a data frame in these queries.
    if not together or run.rows is not None:
        return f"(select t.* from {run.sql} as t where hash(t.query_id) % {part} = 0)"
    size = _SEARCHED_FOR_DUPLICATES // _RANGES
    starts = (number * rows // _RANGES for number in range(_RANGES))
    ranges = " or ".join(f"t.__ltr_position >= {start} and t.__ltr_position < {start + size}" for start in starts)
    return f"(select t.* from {run.positions} as t where {ranges})"


def _read_rows(measures: Sequence[Measure]) -> str:
    """Return which rows of rankings the measures read together: one of `ROWS`."""
    read = ("judged" if m.definition.paired else m.reads for m in measures)
    return min(read, key=ROWS.index)


def quick_check_run(
    con: duckdb.DuckDBPyConnection, name: str, run: Table, keys: tuple[str, ...], *, find_duplicates: bool = True
) -> None:
    """Raise InputError for a run with missing ids or invalid numbers; `find_duplicates` also rejects duplicates.

    `name` names the run in the message.
    """
    stage("check of the input")
    query = Renderer(NamedColumns(keys, DUCKDB)).template(
        "validation/quick_check_run.sql",
        run=run.sql,
        scored="rank" not in run.columns,
        graded="relevance" in run.columns,
        kinds=run.kinds,
        twice=find_duplicates,
    )
    found = _codes_found(con, query)
    if "duplicate_documents" in found:
        found.add("mixed_systems")
    if "ranks_missing" in found:
        # The query of this finding reads judgments.
        missing = findings()["ranks_missing"]
        raise InputError(f"{name}: {missing.what}. What to do: {missing.what_to_do}")
    if found:
        try:
            look_for(con, Tables(run, None, Keys(keys)), found)
        except InputError as error:
            raise InputError(f"{name}: {error}") from None


def unicode_forms(con: duckdb.DuckDBPyConnection, *tables: Table) -> list[str]:
    """Return a warning if ids of the tables equal each other only in another Unicode normal form."""
    ids = [(table.sql, name) for table in tables for name in IDS if table.columns.get(name) == "VARCHAR"]
    if not ids:
        return []
    query = Renderer(NamedColumns((), DUCKDB)).template("validation/unicode_forms.sql", ids=ids)
    ((how_many, first),) = con.execute(query).fetchall()
    if not how_many:
        return []
    return [
        f"ids look alike, but their bytes differ, because they are in several Unicode normal forms ({how_many}): "
        f"{first!r}. What to do: normalise ids, with nfc_normalize() or unicodedata.normalize('NFC', id)"
    ]


def unmatched_queries(
    con: duckdb.DuckDBPyConnection, run: Table, qrels: Table, missing: str = "zero", consequence: str = ""
) -> list[str]:
    """Return warnings of queries that only one of the inputs has.

    A `consequence` says what happens to judged queries that the run lacks, for callers without the option `missing`.
    The warnings then give no advice.
    """
    texts = look_for(con, Tables(run, qrels, Keys()), _UNMATCHED - _ignored(missing))
    if not consequence:
        return texts
    return [text.partition(". What to do:")[0].replace(COUNT_AS_0, consequence) for text in texts]


def of_measures(texts: Iterable[str], measures: Sequence[Measure], counting: Sequence[Measure]) -> list[str]:
    """Return warnings that say what judged queries count as that the run lacks.

    `counting` are the measures that count them, usually all. The others leave them out.
    """
    count, advice = count_of_missing(counting), ""
    if len(counting) < len(measures):
        names = ", ".join(measure.text for measure in counting)
        count = f"{count} in {names}, and other measures leave them out"
        advice = ". What to do: nothing, to reproduce the tool; for one rule, pass missing='zero' or missing='skip'"
    return [
        (text.partition(". What to do:")[0] + advice if advice else text).replace(COUNT_AS_0, count)
        if COUNT_AS_0 in text
        else text
        for text in texts
    ]


def count_of_missing(measures: Iterable[Measure]) -> str:
    """Return what judged queries count as that the run lacks: 0, or the value of `empty` without relevant documents."""
    valued = ", ".join(m.text for m in measures if dict(m.values).get("empty", "0") != "0")
    return f"{COUNT_AS_0}, or as empty says in {valued}" if valued else COUNT_AS_0


def refuse_invalid_judgments(con: duckdb.DuckDBPyConnection, qrels: Table) -> bool:
    """Raise InputError for invalid judgments, without a run.

    Returns true if each run must still be checked for ids in another Unicode form.
    """
    columns = {**{name: qrels.columns[name] for name in IDS}, "score": "INTEGER"}
    # Check the judgments as if they were also the run. The only possible finding about this run is that it is empty.
    as_run = Table(f"(select t.query_id, t.doc_id, 1 as score from {qrels.sql} as t)", columns)
    found = _codes_found(con, _quick_check_query(as_run, qrels, ()))
    if "no_rows" in found:
        raise InputError("the judgments have no rows: check the query or file that they come from")
    if found:
        no_run = replace(as_run, sql=f"(from {as_run.sql} limit 0)")
        look_for(con, Tables(no_run, qrels, Keys()), found)
    return bool(found)


def refuse_errors(con: duckdb.DuckDBPyConnection, bound: Bound, ignored: Container[str] = ()) -> None:
    """Raise InputError if the input has an error. `ignored`: codes of errors to ignore."""
    look_for(con, bound, {f.code for f in findings().values() if f.severity == "error" and f.code not in ignored})


def look_for(con: duckdb.DuckDBPyConnection, tables: Tables | Bound, codes: Iterable[str]) -> list[str]:
    """Look for the findings with these codes. Raises InputError for errors, and returns the texts of warnings."""
    codes = set(codes) - tables.joining.ignored
    run, qrels, keys = tables.run, tables.qrels, tables.keys.of_run
    rows: list[Any] = []
    for of_queries in (False, True):
        only = [code for code in codes if findings()[code].of_queries == of_queries]
        searched_in = _queries_of(run, qrels, keys) if of_queries else (run, qrels)
        if only:
            rows += con.execute(findings_query(*searched_in, keys, only=only, of_a_key=advice_on_keys(keys))).fetchall()
    texts: dict[str, list[str]] = {severity: [] for severity in SEVERITIES}
    for severity, what, how_many, first_rows, what_to_do in rows:
        texts[severity].append(f"{what} ({how_many}): {first_rows}. What to do: {what_to_do}")
    if texts["error"]:
        raise InputError(".\nAlso: ".join(texts["error"]))
    return texts["warning"]


def _queries_of(run: Table, qrels: Table | None, keys: Sequence[str]) -> tuple[Table, Table | None]:
    """Return the queries of a run, also those without documents, and of its judgments."""
    return run.distinct(*keys, "query_id"), qrels and qrels.distinct("query_id")


def _codes_found(con: duckdb.DuckDBPyConnection, query: str, missing: str = "zero") -> set[str]:
    """Return the findings that a query counts at least once, by code.

    With missing='skip', queries that the run lacks are not reported.
    """
    names, (counts,) = names_and_rows(con, query)
    return {name for name, count in zip(names, counts, strict=True) if count} - _ignored(missing)


def _ignored(missing: str) -> set[str]:
    return {"queries_not_run"} if missing == "skip" else set()


def findings_query(
    run: Table,
    qrels: Table | None,
    keys: Sequence[str],
    measures: Sequence[Measure] = (),
    *,
    only: Iterable[str] | None = None,
    means: Mapping[str, str] | None = None,
    of_a_key: str = "",
) -> str:
    """Return the query of the findings about bound rankings, or a run and judgments: see `check_query`.

    `means` maps 'best' and 'worst' to queries of the means of the measures in these orders of ties, with a column
    `keys`. By default, the query of the findings computes them.
    """
    run_rows = _bound_rows(run, [key for key in keys if qrels is None or key not in qrels.columns])
    judged, computed = qrels is not None, means or {}

    def means_of(columns: Sequence[Column], ties: str, ranked: str) -> str:
        return computed.get(ties) or means_query(columns, ranked, judged)

    parts = CheckParts(judged, run_rows, run_rows if qrels is None else _bound_rows(qrels, []), means_of)
    return check_query(parts, measures, only, of_a_key=of_a_key)


def _bound_rows(table: Table, keys: Sequence[str]) -> str:
    """Return the query of `check_rows` for a bound table.

    Its columns are known, so conditions on names and types are constants, which cost no time.
    """
    columns = [name for name in table.columns if not name.startswith("__ltr_")]
    query = Renderer(NamedColumns((), DUCKDB)).template(
        "validation/check_bound_rows.sql",
        relation=table.sql,
        keys=[name for name in columns if name in keys],
        columns=columns,
        others=[name for name in columns if name not in (*keys, *FIELDS)],
        types="; ".join(f"{name} {table.columns[name]}" for name in IDS if name in columns),
        parsed=[n for n in columns if n in FIELDS and table.kind(n) != "integer" and table.columns[n] != "DOUBLE"],
        exact=bool(table.beyond_doubles("score")),
        string=string,
        identifier=DUCKDB.identifier,
    )
    return f"(\n{query}\n)"
