"""Values of measures of documents: by families, in the caller's database, in batches of queries, and from dicts.

Python looks up the judgment of each document, because that is faster than a join of text in DuckDB. Queries are
numbered, because DuckDB sorts numbers faster than text. DuckDB ranks the documents and computes the measures.
"""

import itertools
import json
import math
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.errors import InputError, MeasureError
from ltr_sql.evaluation.lists import checked_lists
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.binding import (
    USUAL,
    Bound,
    Rule,
    Tables,
    bind_by_rule,
    bind_tables,
    bind_unchecked,
    check_relation_option,
    rule_of,
)
from ltr_sql.inputs.connection import REJECTED, Result
from ltr_sql.inputs.databases import Database
from ltr_sql.inputs.forms import InputForm
from ltr_sql.inputs.gains import measures_with_gains
from ltr_sql.inputs.joined_dicts import JoinedDicts, joined_dicts
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import BEYOND_64_BITS, IDS, Keys, Table
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB, path_string, string
from ltr_sql.rendering.measure_columns import Guard, JudgedRun, Shortcuts, largest_cutoff
from ltr_sql.rendering.renderer import SYSTEM, Renderer, result_columns
from ltr_sql.rendering.templates import render_template
from ltr_sql.stages import COPY, MEASURES, OF_QUERIES, stage
from ltr_sql.validation.checks import (
    are_all_searched,
    of_measures,
    quick_check,
    refuse_errors,
    rows_searched,
    unmatched_queries,
)
from ltr_sql.validation.suspicions import (
    are_below_1,
    errors_query,
    have_fractions,
    may_mean_something_else,
    notes_on_fractions,
)

# Smallest number of rows of a run whose ranks are counted: below, the longer query costs more than the sort.
_COUNTED = 500_000
# Largest share of judged documents: above, looking for a place among so many judged scores costs more than the sort.
_JUDGED = 1 / 3
# About how many rows show whether scores are tied.
_LOOKED_AT = 20_000
# Number and rows of the parts of a table that show how it is stored.
_PARTS, _PART = 8, 5_000
# Operators of relations that cost a scan of what is stored.
_SCANS = re.compile(r"\w*_SCAN|READ_PARQUET|PROJECTION|FILTER|UNION")


def ranking(
    con: duckdb.DuckDBPyConnection, run: Table, judgments: Table, keys: tuple[str, ...], scores_checked: bool
) -> str:
    """Return how ranks are best made from the scores of a run: see `Shortcuts.ranking`."""
    if "rank" in run.columns or not {"query_id", "score"} <= run.columns.keys() or run.kind("score") == "text":
        return "sorted"
    if in_rank_order(con, run, keys):
        return "stored"
    rows = scanned_rows(con, run)
    if rows < _COUNTED:
        return "sorted"
    judged = scanned_rows(con, judgments) * max(len(run.systems), 1) / rows
    counted = _are_apart(con, run, keys, rows, judged)
    # Counts need finite scores. Reading the scores once more takes a small part of the time of a sort.
    return "counted" if counted and (scores_checked or _are_finite(con, run)) else "sorted"


def _are_apart(con: duckdb.DuckDBPyConnection, run: Table, keys: tuple[str, ...], rows: int, judged: float) -> bool:
    """Return whether few rows tie with judged documents: counting ranks sorts these rows, or compares them in pairs.

    `judged` is the share of judged documents. Without ties, the limit is `_JUDGED`.
    """
    renderer = Renderer(NamedColumns(keys, run.dialect), run.dialect)
    parts = max(rows // _LOOKED_AT, 1)
    query = renderer.template("evaluation/free_of_ties.sql", run=run.sql, judged=judged, parts=parts)
    share = con.execute(query).fetchall()[0][0]
    return share is None or bool(share >= (1 / _JUDGED - 1) * judged)


def _are_finite(con: duckdb.DuckDBPyConnection, run: Table) -> bool:
    """Return whether all scores of a run are finite numbers."""
    query = f"select count(*) = count(case when isfinite(cast(t.score as double)) then 1 end) from {run.sql} as t"
    return bool(con.execute(query).fetchall()[0][0])


def in_rank_order(con: duckdb.DuckDBPyConnection, run: Table, keys: tuple[str, ...]) -> bool:
    """Return whether the rows of a run with scores are stored in rank order, and need not be sorted."""
    if not run.positions or run.beyond_doubles("score"):
        return False
    renderer = Renderer(NamedColumns(keys, run.dialect), run.dialect)

    def in_order(relation: str) -> bool:
        query = renderer.template("inputs/in_rank_order.sql", relation=relation)
        return bool(con.execute(query).fetchall()[0][0])

    # Testing all rows costs about half of an evaluation.
    return all(map(in_order, _parts(con, run))) and in_order(run.positions)


def by_query_id(con: duckdb.DuckDBPyConnection, table: Table, ranges: list[str]) -> bool:
    """Return whether the rows of a table seem to be sorted by query_id, so that reading some queries reads few rows.

    `ranges` are conditions on rows `t` that split the queries into ranges of query_id.
    """
    if not table.positions:
        some = table.where(ranges[len(ranges) // 2])
        return _groups_read(con, f"select count(*) from {some.sql}") <= 2 / len(ranges)
    parts = _parts(con, table)
    bounds = [con.execute(f"select min(query_id), max(query_id) from {part}").fetchall()[0] for part in parts]
    found = [bound for bound in bounds if None not in bound]
    return bool(found) and all(one[1] <= other[0] for one, other in itertools.pairwise(found))


def _groups_read(con: duckdb.DuckDBPyConnection, query: str) -> float:
    """Run a query, and return which share of the row groups of Parquet files and tables it read: 1 if unknown."""
    ((_, profile),) = con.execute(f"explain (analyze, format json) {query}").fetchall()
    # DuckDB 1.5 does not count them.
    counted = json.loads(profile).get("query", {})
    found, all_groups = (int(counted.get(f"total_row_groups_{name}", 0)) for name in ("scanned", "to_scan"))
    return found / all_groups if all_groups else 1


def _parts(con: duckdb.DuckDBPyConnection, table: Table) -> list[str]:
    """Return SQL of a few parts of the stored rows of a large table, in their order."""
    rows = scanned_rows(con, table) if table.positions else 0
    starts = range(0, rows, rows // _PARTS) if rows > _PARTS * _PART else ()
    return [
        f"(select * from {table.positions} where __ltr_position >= {start} and __ltr_position < {start + _PART})"
        for start in starts
    ]


def scanned_rows(con: duckdb.DuckDBPyConnection, table: Table) -> int:
    """Return about how many rows a relation has if reading it again costs a scan. Return 0 for other relations."""
    if table.rows is not None:
        return table.rows
    ((_, plan),) = con.execute(f"explain (format json) select * from {table.sql}").fetchall()
    operators = list(_operators(json.loads(plan)))
    if not all(_SCANS.fullmatch(operator["name"]) for operator in operators):
        return 0
    return int(operators[0]["extra_info"].get("Estimated Cardinality", 0))


def _operators(plan: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the operators of a plan, the last one first."""
    for operator in plan:
        yield operator
        yield from _operators(operator["children"])


# Rules that break ties by doc_id.
_TIES = ("docid_desc", "docid_asc", "docid_desc_float32")
# Cache rendered queries: similar calls, such as those of a training loop, have equal queries.
_RENDERED = 64


def result_of_dicts(
    state: Session, inputs: Inputs, options: EvaluationOptions, result: Result
) -> tuple[Any, list[str]] | None:
    """Return the value of `result` and the warnings, or None if the inputs must be evaluated as tables.

    Return None for inputs other than dicts of dicts, for inputs with an error or suspicious scores, and for options
    that need tables.
    """
    measures = options.measures
    if not (isinstance(inputs.rankings, dict) and isinstance(inputs.qrels, dict)):
        return None
    unsupported = options.keys or options.gains is not None or options.ties not in _TIES or options.has_rules
    if unsupported or any(map(_needs_tables, measures)):
        return None
    if state.form != InputForm() or any(table is not None for table in inputs.tables.values()):
        return None
    check_relation_option("judge", "missing", options.missing)
    joined = joined_dicts(inputs.rankings, inputs.qrels, skip=options.missing == "skip")
    if joined is None or (options.check and _is_suspicious(joined, measures, bool(state.form.truncating))):
        return None
    # Scores that differ may be tied in single precision.
    parts = tuple(map(state.register, joined.parts(all_ids=options.ties == "docid_desc_float32")))
    warning_texts: list[str] = []
    if options.check and {*joined.query_ids[0]} != {*joined.query_ids[1]}:
        of_run, of_judgments = (state.register(dict.fromkeys(IDS, ids)) for ids in joined.query_ids)
        warning_texts = unmatched_queries(state.con, of_run, of_judgments, options.missing)
        warning_texts = of_measures(warning_texts, options.measures, options.measures)
    # Means need no ids.
    names = state.register(joined.names if options.by_query else {"query_id": joined.names["query_id"]})
    stage(MEASURES)
    with suppress(*REJECTED):
        query = _query(parts, names, measures, options.ties)
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
def _query(parts: tuple[Table, ...], names: Table, measures: tuple[Measure, ...], ties: str) -> str:
    """Return the query that computes measures from the parts of joined dicts, for the queries `names`.

    It returns their means, or one row per query if `names` holds the ids of the queries.
    """
    renderer = Renderer(NamedColumns((), DUCKDB, exact=()), DUCKDB)
    ranking = renderer.template("evaluation/joined_dicts.sql", ties=ties, parts=parts)
    source = JudgedRun(
        f"(\n{ranking}\n)",
        queries=f"select q.query_id from {names.sql} as q",
        integers=frozenset({"rank"}),
        guard=Guard(distinct_ranks=True),
        only_judged=True,
    )
    averaged = "query_name" not in names.columns
    query = Bound(source, Keys(), parts[0], None).query(measures, averaged=averaged)
    if averaged:
        return query
    return renderer.template("evaluation/named_queries.sql", values=query, queries=names.sql)


# Rows of a run in one batch; runs of up to twice this number are evaluated at once.
_ROWS = 20_000_000


def number_of_batches(state: Session, run: Table) -> int:
    """Return the number of batches that a run is evaluated in: 1 for a run that fits into one."""
    rows = scanned_rows(state.con, run)
    return math.ceil(rows / _ROWS) if rows > 2 * _ROWS else 1


@dataclass(frozen=True)
class Share:
    """Some systems of a run, evaluated together, or in several batches of queries the one that `system` names, as SQL.

    Systems that a batch of queries lacks would have no values for these queries, so only one system has several.
    """

    run: Table
    batches: int
    system: str = ""

    def named(self, query: str) -> str:
        """Return a query of values with the column of the system."""
        return f"select {self.system} as {SYSTEM}, t.* from (\n{query}\n) as t" if self.system else query


def shares_of(state: Session, run: Table, number: int) -> list[Share]:
    """Return the shares of the systems of a run whose rows fill a number of batches."""
    counted = state.rows(
        f"select t.{SYSTEM}::varchar, count(*) from {run.sql} as t group by all order by 2 desc, 1 asc nulls last"
    )
    most = math.ceil(sum(rows for _, rows in counted) / number)
    room, shares = 0, list[list[tuple[str, int]]]()
    for system, rows in counted:
        if rows > room:
            shares.append([])
            room = most
        text = f"cast({'null' if system is None else string(system)} as {run.columns[SYSTEM]})"
        shares[-1].append((text, rows))
        room -= rows
    return [_share(run, systems, most) for systems in shares]


def _share(run: Table, systems: Sequence[tuple[str, int]], most: int) -> Share:
    """Return the share of some systems, with their rows. One system needs no grouping, and may be split."""
    of_systems = run.where(_in([text for text, _ in systems]))
    if len(systems) > 1:
        return Share(of_systems, 1)
    ((text, rows),) = systems
    return Share(replace(of_systems, grouped_by=(), systems=()), math.ceil(rows / most), text)


def _in(systems: Sequence[str]) -> str:
    """Return a condition on rows `t` of some systems."""
    return " or ".join(f"t.{SYSTEM} is not distinct from {text}" for text in systems)


@contextmanager
def batches(state: Session, run: Table, judgments: Table, number: int) -> Iterator[list[tuple[Table, Table]]]:
    """Yield parts of a run and its judgments. Each query is in one part.

    A run that is stored by query_id is read in parts. Any other run is copied to temporary files, which are removed.
    """
    ranges = _ranges(state, judgments, number)
    if by_query_id(state.con, run, ranges):
        yield [(run.where(rows), judgments.where(rows)) for rows in ranges]
        return
    stage(COPY)
    parent = Path(state.rows("select current_setting('temp_directory')")[0][0])
    with _new_folder(parent) as copies:
        part = f"hash(t.query_id) % {number}"
        texts = _replaced({name: "varchar" for name in _large(run)})
        copied = f"select t.*{texts}, {part} as __ltr_part from {run.sql} as t"
        try:
            state.con.execute(f"copy ({copied}) to {path_string(copies)} (format parquet, partition_by (__ltr_part))")
        except duckdb.IOException as error:
            raise _not_copied(parent, error) from None
        yield [(_copied(run, f"{copies}/__ltr_part={i}"), judgments.where(f"{part} = {i}")) for i in range(number)]


@contextmanager
def _new_folder(parent: Path) -> Iterator[str]:
    """Yield a new folder in another one, which may be new as well. Remove both afterwards."""
    is_new = not parent.exists()
    try:
        parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(prefix="ltr_sql-", dir=parent, ignore_cleanup_errors=True)
    except OSError as error:
        raise _not_copied(parent, error) from None
    try:
        with folder as name:
            yield name
    finally:
        if is_new:
            with suppress(OSError):
                parent.rmdir()


def _not_copied(folder: Path, error: OSError | duckdb.IOException) -> InputError:
    """Return the error for a copy that cannot be written, such as on a full disk."""
    if isinstance(error, OSError):
        cause = error.strerror or str(error)
    else:
        # DuckDB quotes an error of another thread as JSON.
        number = re.search(r'"errno":"(\d+)"', str(error))
        cause = os.strerror(int(number[1])) if number else str(error)
    return InputError(
        f"a large run that is not sorted by query_id is copied by query, and {folder.absolute()} cannot hold the copy: "
        f"{cause}. What to do: sort the run by query_id, or set temp_directory of DuckDB to another folder"
    )


def _copied(run: Table, folder: str) -> Table:
    """Return the part of a run that was copied to a folder. A part without rows has no folder."""
    copied = f"read_parquet({path_string(f'{folder}/*.parquet')}, hive_partitioning = false)"
    if large := _large(run):
        copied = f"(select t.*{_replaced(large)} from {copied} as t)"
    sql = copied if Path(folder).exists() else f"(from {run.sql} limit 0)"
    return replace(run, sql=sql, positions="")


def _large(table: Table) -> dict[str, str]:
    """Return the columns of types that Parquet lacks, with these types. A copy holds them as text."""
    return {name: kind for name, kind in table.columns.items() if kind in BEYOND_64_BITS}


def _replaced(types: Mapping[str, str]) -> str:
    """Return the end of a select list `t.*` that casts columns to types."""
    quoted = ((DUCKDB.identifier(name), kind) for name, kind in types.items())
    casts = ", ".join(f"cast(t.{name} as {kind}) as {name}" for name, kind in quoted)
    return f" replace ({casts})" if casts else ""


def _ranges(state: Session, judgments: Table, number: int) -> list[str]:
    """Return conditions on rows `t` that split the judged queries into ranges of query_id: at least one."""
    distinct = f"select distinct query_id from {judgments.sql}"
    numbered = f"select query_id, ntile({number}) over (order by query_id asc) as part from ({distinct})"
    query = f"select min(query_id)::varchar from ({numbered}) group by part order by min(query_id) asc"
    kind = judgments.columns["query_id"]
    bounds = [f"cast({string(start)} as {kind})" for (start,) in state.rows(query)]
    ranges = [
        " and ".join(
            [
                *([f"t.query_id >= {start}"] if i else []),
                *([f"t.query_id < {bounds[i + 1]}"] if i + 1 < len(bounds) else []),
            ]
        )
        for i, start in enumerate(bounds)
    ]
    return [text or "true" for text in ranges or [""]]


# Largest cutoff up to which sorting the top of each ranking is faster than counting.
_SHALLOW = 100


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
    return ordered(bound.query(measures, averaged=not by_query), bound.keys.all, bound.run.systems, by_query)


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


def query_of_batches(state: Session, bound: Bound, options: EvaluationOptions) -> str:
    """Evaluate a large run in batches of queries, and return the query of the result."""
    assert bound.qrels is not None
    name = next(state.names)
    shares = shares_of(state, bound.run, bound.batches) if bound.keys.of_run else [Share(bound.run, bound.batches)]
    for done, share in enumerate(shares):
        keys = replace(bound.keys, of_run=()) if share.system else bound.keys
        ranked = _ranking(state, share.run, bound.qrels, keys.of_run, options)
        with batches(state, share.run, bound.qrels, share.batches) as parts:
            for number, (run, judgments) in enumerate(parts):
                stage(OF_QUERIES, (done + number / len(parts)) / len(shares))
                # Parts that were copied lost the order of their rows.
                in_part = "counted" if ranked == "stored" and not run.positions else ranked
                shortcuts = Shortcuts(in_part, options.check, duplicates_checked=True)
                part = _bind_ranked(state, Tables(run, judgments, keys), options, shortcuts)
                if bound.source.guard != Guard():
                    part = part.guarded(options.measures, bound.source.guard.distinct_ranks)
                query = part.values(options.measures, averaged=not options.by_query)
                state.append(name, share.named(query))
    values = f"from {name}"
    query = values if options.by_query else bound.averages(options.measures, values)
    return ordered(query, bound.keys.all, bound.run.systems, options.by_query)


def _ranking(state: Session, run: Table, judgments: Table, keys: tuple[str, ...], options: EvaluationOptions) -> str:
    """Return how ranks are made from the scores of a run: see `Shortcuts.ranking`."""
    depth = largest_cutoff(result_columns(options.measures, run.dialect))
    if isinstance(depth, int) and depth <= _SHALLOW:
        return "sorted"
    return ranking(state.con, run, judgments, keys, options.check)


def bind(state: Session, rankings: Any, qrels: Any, options: EvaluationOptions) -> Bound:
    """Bind rankings, a run with judgments, or a scored table as one relation that measures can read.

    With `options.check`, the caller rejects scores that are not finite before it runs the query.
    """
    run = state.bind(rankings, "run").in_row_order(*options.every_ties)
    judgments = None if qrels is None else state.bind(qrels, "qrels")
    tables = state.read_together(run, judgments, options.keys, options.measures)
    # A collection is judged by all queries.
    in_batches = (
        judgments is not None
        and tables.keys.of_run in ((), (SYSTEM,))
        and not any(rule_of(m, gained=False).scope for m in options.measures)
        and tables.joining == USUAL
        and run.unanswered is None
    )
    number = number_of_batches(state, run) if in_batches else 1
    ranked = "sorted"
    if tables.qrels is not None and number == 1:
        ranked = _ranking(state, tables.run, tables.qrels, tables.keys.of_run, options)
    searched = rows_searched(state.con, tables.run) if options.check and tables.qrels is not None else None
    # The check precedes the query, and looks for duplicates among all rows of a small run.
    distinct = searched is not None and are_all_searched(searched)
    shortcuts = Shortcuts(ranked, options.check, duplicates_checked=True, distinct_documents=distinct)
    return replace(_bind_ranked(state, tables, options, shortcuts), batches=number, searched=searched)


def _bind_ranked(state: Session, tables: Tables, options: EvaluationOptions, shortcuts: Shortcuts) -> Bound:
    """Bind tables, or a part of them."""
    gains = options.gains

    def bind_rule(read: Tables, measures: tuple[Measure, ...], rule: Rule) -> Bound:
        if gains is not None and rule.gained:
            graded = gains.replace_grades(state.con, read.qrels or read.run)
            read = read._replace(run=graded) if read.qrels is None else read._replace(qrels=graded)
        return _bind_tables(read, measures, ties=rule.ties, missing=rule.missing, shortcuts=shortcuts)

    bound = bind_by_rule(tables, options.measures, options.ties, options.missing, bind_rule, gained=gains is not None)
    # Tables that differ in their number of rows share what has been rendered.
    return replace(bound, run=replace(bound.run, rows=tables.run.rows))


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
    return result(state.con, ordered(f"from {values.sql}", bound.keys.all, (), options.by_query), state.frame), []


def _bound(state: Session, given: Any, role: str) -> Table:
    table = state.bind(given, role)
    if table.dialect is DUCKDB:
        raise InputError(
            f"with a connection to a database, rankings and qrels are names of its tables, got {type(given).__name__}"
        )
    return table


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
