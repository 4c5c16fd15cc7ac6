"""Join the caller's tables to one relation that measures read, on any engine."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ltr_sql.catalogue.functions import relations
from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.catalogue.options import check_choice
from ltr_sql.errors import InputError
from ltr_sql.inputs.tables import Keys, Rows, Table, checked_keys, listed_names, with_equal_ids
from ltr_sql.rendering.columns import EXACT, NamedColumns
from ltr_sql.rendering.measure_columns import (
    Guard,
    JudgedRun,
    Pairs,
    Rankings,
    ScoredTable,
    Shortcuts,
    Source,
    largest_cutoff,
)
from ltr_sql.rendering.renderer import Renderer, result_columns, values_query
from ltr_sql.rendering.templates import render_template


@dataclass(frozen=True)
class Joining:
    """The options of `catalogue.options.Reading` about the join of a run with its judgments.

    - `duplicates`, `unjudged`: options of `sql/relations/judge.sql`.
    - `asked`: the queries that were asked, with query_id and perhaps grouping columns; None for the judged queries.
    - `answered`: the queries that count if `asked` is None and the run has answers without documents; see `answering`.
    """

    duplicates: str = "error"
    unjudged: str = "drop"
    asked: Table | None = None
    answered: Table | None = None

    @property
    def owed(self) -> Table | None:
        """The queries that count, or None if rows of the run and the judgments say which."""
        return self.answered if self.asked is None else self.asked

    @property
    def options(self) -> dict[str, str | None]:
        """The options of the relation `judge`."""
        return {
            "duplicates": self.duplicates,
            "unjudged": self.unjudged,
            "asked": None if self.owed is None else self.owed.sql,
        }

    def answering(self, run: Table, qrels: Table, keys: Keys, missing: str) -> "Joining":
        """Return a copy for a run that may have answers without documents: an answer to a judged query counts.

        With `missing` 'zero', each system owes all judged queries.
        """
        if run.unanswered is None or self.asked is not None:
            return self
        systems = [*map(run.dialect.identifier, keys.of_run)]
        named = (*keys.of_run, "query_id") if missing == "skip" else keys.of_run
        sql = render_template(
            "inputs/answered_queries.sql",
            systems=systems,
            qrels=qrels.sql,
            answers=run.distinct(*named).sql if named else "",
            missing=missing,
        )
        columns = {name: run.columns[name] for name in (*keys.of_run, "query_id")}
        return replace(self, answered=Table(f"(\n{sql}\n)", columns))

    def inputs(self, run: Table, keys: Keys) -> dict[str, str]:
        """Return SQL of the queries that count, and of the rankings that answer them. Empty if the judgments tell."""
        if self.owed is None:
            return {}
        others = [key for key in keys.of_run if key not in self.owed.columns]
        return {"asked": self.owed.sql, "answers": run.distinct(*others).sql if others else run.sql}

    @property
    def shortens(self) -> bool:
        """True if lists lose rows, or ranks."""
        return self.duplicates != "error" or self.unjudged == "remove"

    def asked_keys(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Return the grouping columns that `owed` has."""
        return () if self.owed is None else tuple(key for key in keys if key in self.owed.columns)

    @property
    def ignored(self) -> set[str]:
        """The findings, by code, that do not concern a join with these options."""
        repeated = {"duplicate_documents", "mixed_systems"} if self.duplicates != "error" else set()
        return repeated | ({"queries_not_run", "queries_not_judged"} if self.asked is not None else set())


USUAL = Joining()


class Tables(NamedTuple):
    """A run with its judgments, or other rankings, as `read_together` returns them.

    - `run`, `qrels`: the tables, with ids of equal types. Without judgments, `run` may hold rankings, scores with
      relevance, or pairs.
    - `keys`: their grouping columns, which have been checked.
    - `joining`: how they are joined.
    """

    run: Table
    qrels: Table | None
    keys: Keys
    joining: Joining = USUAL


def read_together(
    run: Table, qrels: Table | None, keys: Iterable[str], measures: Iterable[Measure] = (), joining: Joining = USUAL
) -> Tables:
    """Return tables that are read together. Raises InputError for keys that cannot group them: see `check_keys`."""
    grouping = checked_keys(run, qrels, keys, [measure.text for measure in measures])
    if qrels is None:
        return Tables(run, None, grouping)
    run, qrels, *asked = with_equal_ids(run, qrels, *([] if joining.asked is None else [joining.asked]))
    return Tables(run, qrels, grouping, replace(joining, asked=asked[0]) if asked else joining)


def check_asked(rows: Rows, asked: Table) -> None:
    """Raise InputError if no query was asked, or if one has no id. `rows` returns the rows of a query."""
    asked.require("the queries that were asked", "query_id")
    ((found, ids),) = rows(f"select count(*), count(t.query_id) from {asked.sql} as t")
    if found != ids:
        raise InputError(f"asked: {found - ids} rows have no query_id: fill in their ids, or leave the rows out")
    if not found:
        raise InputError("asked: no query was asked: check the query or file that the table comes from")


def counted_queries(renderer: Renderer, inputs: Mapping[str, str], keys: Keys, missing: str, counted: str) -> str:
    """Return the query of the queries that count: those that were asked, or the judged ones.

    `counted` is a relation with the numbers of judged and relevant documents of the judged queries, or empty.
    """
    dialect = renderer.dialect
    if "asked" in inputs:
        return Renderer(NamedColumns(keys.all, dialect), dialect).template("inputs/asked_queries.sql")
    segments = {
        f"__ltr_key_{number}": dialect.identifier(segment)
        for number, segment in enumerate(keys.segments, start=len(keys.of_run) + 1)
    }
    return renderer.template(
        "inputs/judged_queries.sql", relations=inputs, missing=missing, segments=segments, counted=counted
    )


# Tie-breaking rules that read the ids of documents.
_BY_DOC_ID = ("docid_desc", "docid_asc", "docid_desc_float32")
# On DuckDB, the join does not look for duplicates. `quick_check` finds duplicate judgments before it, and
# `Bound.guarded` finds duplicates of the documents that the measures read in its result.
DUPLICATES_CHECKED = Shortcuts(duplicates_checked=True)


class Rule(NamedTuple):
    """The rules by which a measure reads the caller's tables. Measures with equal rules share a query.

    - `ties`, `missing`: the measure's own rules, or '' for those of the call.
    - `gained`: true if it reads the caller's custom gains instead of grades.
    - `scope`: 'collection' if it reads the documents that any query judges as judged.
    """

    ties: str = ""
    missing: str = ""
    gained: bool = False
    scope: str = ""


@dataclass(frozen=True)
class Bound:
    """The caller's tables as one relation that measures read.

    - `source`: the relation.
    - `keys`: its grouping columns.
    - `run`, `qrels`: the tables that it is made from: see `Tables`.
    - `others`: the tables as bound for measures that differ in a rule, such as measures that read custom gains.
    - `missing`: treatment of missing queries of `source`.
    - `batches`: number of batches of queries that are evaluated one after another.
    - `joining`: how the run was joined with its judgments.
    - `searched`: number of rows of the run with ids, if they have been counted.
    """

    source: Source
    keys: Keys
    run: Table
    qrels: Table | None
    others: "tuple[tuple[Rule, Bound], ...]" = ()
    missing: str = "zero"
    batches: int = 1
    joining: Joining = USUAL
    searched: int | None = None

    @property
    def renderer(self) -> Renderer:
        """The renderer for its grouping columns and dialect."""
        return Renderer(NamedColumns(self.keys.all, self.run.dialect), self.run.dialect)

    def query(self, measures: Sequence[Measure], averaged: bool) -> str:
        """Return the query of measures: with `averaged` their means, otherwise one row per query."""
        values = self.values(measures, averaged)
        return self.averages(measures, values) if averaged else values

    def values(self, measures: Sequence[Measure], averaged: bool) -> str:
        """Return the query of the values of measures: one row per query. `averaged` adds what their averages read."""
        groups = [group for group in self._groups(measures) if group[2]]
        if len(groups) == 1:
            ((_, bound, of_bound),) = groups
            return bound._values(of_bound, averaged)
        # A relation with missing queries has all queries of the others.
        groups.sort(key=lambda group: (group[0].missing or self.missing) != "zero")
        identifier = self.run.dialect.identifier
        block_of = {m.text: number for number, (_, _, of_bound) in enumerate(groups, 1) for m in of_bound}
        return self.renderer.template(
            "inputs/joined_by_rule.sql",
            keys=[*map(identifier, self.keys.all), "query_id"],
            columns=[
                (block_of[measure.text], name)
                for measure, column in zip(measures, result_columns(measures, self.run.dialect), strict=True)
                for name in (column.averaged_names if averaged else [column.name])
            ],
            queries=[bound._values(of_bound, averaged) for _, bound, of_bound in groups],
        )

    def guarded(self, measures: Sequence[Measure], distinct_ranks: bool) -> "Bound":
        """Return a copy whose queries raise an error if measures would count a document twice.

        `distinct_ranks` is true if no query of the input has a duplicate rank.
        """
        (_, bound, of_bound), *others = self._groups(measures)
        return replace(
            self,
            source=bound._guarded(of_bound, distinct_ranks),
            others=tuple(
                (rule, replace(each, source=each._guarded(of_each, distinct_ranks))) for rule, each, of_each in others
            ),
        )

    def validated_as_read(self, measures: Sequence[Measure]) -> "Bound | None":
        """Return a copy whose query validates all rows in the pass that computes the measures.

        The query may reject valid input, such as ranks with gaps. Return None for input other than rankings, for
        rankings with doc_id or num_ret, for custom gains, and if all measures accept duplicate ranks.
        """
        if self.qrels is not None or self.source.paired or self.others or "rank" not in self.run.columns:
            return None
        if {"doc_id", "num_ret"} & self.run.columns.keys() or not needs_distinct_ranks(measures):
            return None
        queries = self.renderer.template(
            "inputs/validated_queries.sql",
            relation=self.run.sql,
            kinds=self.run.kinds,
        )
        guard = Guard(self.renderer.template("inputs/require_rows.sql"), distinct_ranks=True)
        return replace(self, source=replace(self.source, queries=queries, guard=guard))

    def averages(self, measures: Sequence[Measure], values: str) -> str:
        """Return the query of the means of measures. `values` is SQL with one row of values per query of the input."""
        return self.renderer.averages(result_columns(measures, self.run.dialect), values, self.keys.all)

    def _values(self, measures: Sequence[Measure], averaged: bool) -> str:
        dialect = self.run.dialect
        columns = result_columns([_of_its_query(measure) for measure in measures], dialect)
        return values_query(columns, self.source, self.keys.all, averaged=averaged, dialect=dialect)

    def _groups(self, measures: Sequence[Measure]) -> "list[tuple[Rule, Bound, list[Measure]]]":
        """Return each rule with its tables and its measures. The first are those of the call."""
        bounds = {Rule(): self, **dict(self.others)}
        gained = any(rule.gained for rule in bounds)
        groups: dict[Rule, list[Measure]] = {rule: [] for rule in bounds}
        for measure in measures:
            groups[rule_of(measure, gained)].append(measure)
        return [(rule, bound, groups[rule]) for rule, bound in bounds.items()]

    def _guarded(self, measures: Sequence[Measure], distinct_ranks: bool) -> Source:
        source = self.source
        if self.qrels is None:
            return replace(source, guard=Guard(distinct_ranks=distinct_ranks))
        read = {measure.reads for measure in measures if measure.definition.row_source.name == "documents"}
        countable = {"relevant", "judged", "counted"} if source.only_judged else {"relevant", "judged"}
        judged_only = self.joining.asked is None and self.run.unanswered is None
        counts_rows = judged_only and bool(read) and read <= countable and not source.by_subtopic
        check_ranks = not distinct_ranks and not source.by_subtopic and needs_distinct_ranks(measures)
        # Count by system, not by segment: missing rows of one segment must not hide a duplicate in another.
        condition = Renderer(NamedColumns(self.keys.of_run, self.run.dialect), self.run.dialect).template(
            "inputs/reject_duplicates.sql",
            qrels=self.qrels.sql,
            counts_rows=counts_rows,
            num_read="num_relevant" if read == {"relevant"} else "num_judged",
            check_ranks=check_ranks,
        )
        # The condition reads the rows once more, unless the measures count them.
        reads_rows = check_ranks or not counts_rows
        return replace(source, guard=Guard(condition, reads_rows, counts_rows, distinct_ranks))


# The value of the parameter `scope` that reads the judgments of all queries.
_COLLECTION = "collection"


def _of_its_query(measure: Measure) -> Measure:
    """Return a measure that reads the judgments of its query, which `judged_in_collection` has added."""
    if dict(measure.values).get("scope") != _COLLECTION:
        return measure
    return replace(measure, values=tuple((n, "query" if n == "scope" else value) for n, value in measure.values))


def rule_of(measure: Measure, gained: bool) -> Rule:
    """Return the rule of a measure. `gained` is true if the caller gives custom gains."""
    scope = _COLLECTION if dict(measure.values).get("scope") == _COLLECTION else ""
    return Rule(measure.ties, measure.missing, gained and measure.definition.gains, scope)


def bind_by_rule(
    tables: Tables,
    measures: Sequence[Measure],
    ties: str,
    missing: str,
    bind: Callable[[Tables, tuple[Measure, ...], Rule], Bound],
    *,
    gained: bool = False,
) -> Bound:
    """Bind the caller's tables once for each rule of the measures.

    - `ties`, `missing`: the rules of measures without their own.
    - `bind`: a function that binds the tables of a rule, whose `ties` and `missing` are set.
    - `gained`: true if the caller gives custom gains.
    """

    def bound_by(rule: Rule, of_rule: Sequence[Measure]) -> Bound:
        read = judged_in_collection(tables) if rule.scope else tables
        return bind(read, tuple(of_rule), rule._replace(ties=rule.ties or ties, missing=rule.missing or missing))

    of_rule: dict[Rule, list[Measure]] = {}
    for measure in measures:
        of_rule.setdefault(rule_of(measure, gained), []).append(measure)
    others = tuple((rule, bound_by(rule, each)) for rule, each in of_rule.items() if rule != Rule())
    bound = bound_by(Rule(), measures if gained else of_rule.get(Rule(), measures))
    return replace(bound, others=others, missing=missing) if others else bound


def bind_unchecked(
    run: Table,
    judgments: Table | None,
    measures: Sequence[Measure],
    *,
    keys: Sequence[str],
    ties: str,
    missing: str,
    joining: Joining = USUAL,
) -> Bound:
    """Bind tables of another engine by the rules of each measure. Invalid rows raise an error when the query runs.

    Raises InputError for a key that is a column of both tables, unless the judgments have it from the run.
    """
    both = set() if judgments is None else run.columns.keys() & judgments.columns.keys() - {*judgments.grouped_by}
    shared = [key for key in keys if key in both]
    if shared:
        raise InputError(
            f"the key {shared[0]!r} is a column of both run and judgments: drop it from the run if it is a segment of "
            "queries, otherwise from the judgments"
        )

    def bind(tables: Tables, chosen: Sequence[Measure], rule: Rule) -> Bound:
        return bind_tables(tables, chosen, ties=rule.ties, missing=rule.missing, shortcuts=Shortcuts())

    return bind_by_rule(read_together(run, judgments, keys, measures, joining), measures, ties, missing, bind)


def judged_in_collection(tables: Tables) -> Tables:
    """Return tables whose judgments have a row of grade 0 for each document that only other queries judge.

    Raises InputError if there are no judgments.
    """
    run, qrels, segments = tables.run, tables.qrels, tables.keys.segments
    if qrels is None:
        raise InputError(
            "scope=collection reads which documents other queries judge: pass the run, and its judgments as qrels="
        )
    require_run("the run", run, "")
    qrels.require("the judgments", "query_id", "doc_id", "relevance")
    quoted = [run.dialect.identifier(name) for name in segments]
    sql = Renderer(NamedColumns((), run.dialect), run.dialect).template(
        "inputs/judged_in_collection.sql", run=run.sql, qrels=qrels.sql, segments=quoted
    )
    columns = {name: qrels.columns[name] for name in (*segments, "query_id", "doc_id", "relevance")}
    return tables._replace(qrels=qrels.read_by(sql, columns))


def check_relation_option(relation: str, name: str, value: str) -> None:
    """Raise InputError if an option of a relation does not allow a value."""
    check_choice(name, value, next(p for p in relations()[relation].parameters if p.name == name).choices)


def require_run(what: str, run: Table, ties: str) -> None:
    """Raise InputError if a run lacks the columns that it is ranked by. `what` names it in the message."""
    run.require(what, "query_id", "doc_id")
    if "rank" not in run.columns:
        run.require(f"{what} (no column rank)", "score", *(["row_order"] if ties == "row_order" else []))


def require_scores(what: str, table: Table, measures: Iterable[Measure], *names: str) -> None:
    """Raise InputError if a measure compares scores and the table lacks the columns `names`."""
    for measure in measures:
        if measure.definition.by_score:
            table.require_scores(f"{what} (measure {measure.text!r} compares scores)", *names)


def _with_subtopics(what: str, table: Table, measures: Iterable[Measure]) -> Table:
    """Return a table that has the column subtopic if a measure reads it. Strata are subtopics of sampled judgments.

    Raises InputError if the column is missing, and for measures that read strata together with those of diversity.
    """
    by_subtopic = [measure for measure in measures if measure.definition.by_subtopic]
    sampled = [measure for measure in by_subtopic if measure.definition.row_source.strata]
    if sampled and "stratum" in table.columns:
        if others := [measure for measure in by_subtopic if measure not in sampled]:
            raise InputError(
                f"measure {sampled[0].text!r} reads the column stratum, and {others[0].text!r} subtopics: "
                "compute them in two calls"
            )
        table = table.with_strata()
    for measure in by_subtopic:
        read = "strata of sampled judgments" if measure in sampled else "subtopics"
        table.require(f"{what} (measure {measure.text!r} reads {read})", "query_id", "doc_id", "subtopic")
    return table


def bind_tables(
    tables: Tables, measures: Sequence[Measure], *, ties: str, missing: str, shortcuts: Shortcuts = DUPLICATES_CHECKED
) -> Bound:
    """Bind rankings, a run with judgments, a scored table, or pairs as one relation that measures can read.

    - `measures`, `ties`, `missing`: see `ltr_sql.evaluate`.
    - `shortcuts`: what is known of the run and its judgments.
    """
    run, qrels, keys, joining = tables
    check_relation_option("rank_by_score" if qrels is None else "judge", "ties", ties)
    check_relation_option("judge", "missing", missing)
    paired = [measure.definition.paired for measure in measures]
    ranks = {"rank_a", "rank_b"} & run.columns.keys() if qrels is None else set()
    if ranks and ("relevance" not in run.columns or (len(ranks) == 2 and any(paired))):
        run.require("the pairs", "query_id", "rank_a", "rank_b")
        if not all(paired):
            raise InputError(
                "pairs of ranks (rank_a, rank_b) have no relevance: pass only measures of agreement, such as KendallTau"
            )
        require_scores("the pairs", run, measures, "score_a", "score_b")
        return Bound(Pairs(run.sql, stored=run.stored), keys, run, None)
    if qrels is not None:
        qrels = _with_subtopics("the judgments", qrels, measures)
        source = _bind_judged_run(tables._replace(qrels=qrels), ties, missing, measures, shortcuts)
        return Bound(source, keys, run, qrels, joining=joining)
    if "relevance" not in run.columns:
        raise InputError(
            "the column relevance is missing: pass judgments as qrels=, or rankings with relevance; "
            f"the columns are {listed_names(run.columns)}{run.naming('query_id', 'relevance')}"
        )
    run.require("the rankings", "query_id")
    run = _with_subtopics("the rankings", run, measures)
    by_subtopic = "subtopic" in run.columns and "doc_id" in run.columns
    if "rank" in run.columns:
        has_num_ret = "num_ret" in run.columns
        whole = run.integers("rank", "relevance")
        shape = "covers" if by_subtopic else "rankings"
        source = Rankings(run.sql, shape, integers=whole, stored=run.stored, has_num_ret=has_num_ret)
        return Bound(source, keys, run, None)
    run.require("the rankings (no column rank)", "score")
    return Bound(_bind_scored_table(run, keys.all, ties_without_ids(run, ties, measures)), keys, run, None)


def bind_documents(tables: Tables, ties: str) -> Bound:
    """Bind rankings, a run with judgments, or a scored table as rankings of all documents, judged or not.

    The relation keeps doc_id.
    """
    run, qrels, keys, joining = tables
    check_relation_option("rank_by_score" if qrels is None else "judge", "ties", ties)
    if qrels is not None:
        if joining.unjudged == "drop":
            joining = replace(joining, unjudged="keep")
        source = _bind_judged_run(tables._replace(joining=joining), ties, "zero")
        return Bound(source, keys, run, qrels, joining=joining)
    run.require("the rankings", "query_id", "relevance")
    if "rank" in run.columns:
        return Bound(Rankings(run.sql), keys, run, None)
    run.require("the rankings (no column rank)", "score")
    return Bound(_bind_scored_table(run, keys.all, ties, with_ids="doc_id" in run.columns), keys, run, None)


def needs_distinct_ranks(measures: Iterable[Measure]) -> bool:
    """Return whether one of the measures is undefined if documents share a rank."""
    return not all(measure.definition.shared_ranks or measure.definition.paired for measure in measures)


def ties_without_ids(run: Table, ties: str, measures: Iterable[Measure]) -> str:
    """Return the tie-breaking rule of a scored table: 'expected' if no ids break ties, and all measures define them."""
    defined = ties in _BY_DOC_ID and "doc_id" not in run.columns and all(m.definition.shared_ranks for m in measures)
    return "expected" if defined else ties


def rules_without_ids(ties: str, measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """Return measures of documents that have no ids: those that define ties do not break them by positions."""
    return tuple(
        replace(measure, ties="expected")
        if measure.definition.shared_ranks and (measure.ties or ties) in _BY_DOC_ID
        else measure
        for measure in measures
    )


def _bind_judged_run(
    tables: Tables,
    ties: str,
    missing: str,
    measures: Sequence[Measure] = (),
    shortcuts: Shortcuts = DUPLICATES_CHECKED,
) -> Source:
    """Rank a run and join it with its judgments. With unjudged='keep' of the joining, unjudged documents have rows.

    Systems are columns of the run. Segments are columns of the judgments. `measures` read the result; without them, it
    has all documents.
    """
    run, qrels, keys, joining = tables
    assert qrels is not None
    with_num_ret = any(measure.reads_num_ret for measure in measures)
    depth = largest_cutoff(result_columns(measures, run.dialect)) if measures else None
    require_run("the run", run, ties)
    qrels.require("the judgments", "query_id", "doc_id", "relevance")
    joining = joining.answering(run, qrels, keys, missing)
    # The second column of TREC judgments is the subtopic if it varies or a measure reads it; otherwise ignore it.
    read = qrels.subtopics_vary or any(measure.definition.by_subtopic for measure in measures)
    by_subtopic = "subtopic" in qrels.columns and read
    whole = ties == "expected" or joining.unjudged == "keep" or joining.shortens
    if whole or (shortcuts.ranking == "stored" and ties not in _BY_DOC_ID):
        shortcuts = replace(shortcuts, ranking="sorted")
    # In a list that is shortened, documents below the cutoff may move up. Do not cut at 100,000 or deeper: it would
    # save little, and DuckDB's max(value, n) requires n < 1,000,000.
    if shortcuts.ranking != "sorted" or joining.shortens or not isinstance(depth, int) or depth >= 100_000:
        depth = None
    ranked = run.positions if shortcuts.ranking == "stored" else run.sql
    inputs = {"run": ranked, "qrels": qrels.sql, **joining.inputs(run, keys)}
    columns = NamedColumns(
        keys.of_run,
        run.dialect,
        kept=("subtopic",) if by_subtopic else (),
        judged=keys.segments,
        asked=joining.asked_keys(keys.all),
        exact=run.beyond_doubles(*EXACT),
    )
    renderer = Renderer(columns, run.dialect)
    judged = renderer.relation(
        relations()["judge"].body,
        inputs=inputs,
        has_rank={"run": "rank" in run.columns},
        # Keep all judged queries here, because `counted_queries` selects those that count.
        values=relations()["judge"].options(ties=ties, **joining.options),
        depth=depth,
        with_num_ret=with_num_ret,
        only_relevant=bool(measures) and all(m.reads == "relevant" and not m.definition.paired for m in measures),
        shortcuts=shortcuts,
    )
    return JudgedRun(
        f"(\n{judged}\n)",
        "covers" if by_subtopic else "rankings",
        queries=counted_queries(renderer, inputs, keys, missing, "" if keys.segments else qrels.queries),
        has_num_ret=with_num_ret,
        only_judged=joining.unjudged == "remove" or (joining.unjudged == "drop" and ties != "expected"),
        # Ranks that are made from scores are integers.
        integers=qrels.integers("relevance") | (run.integers("rank") if "rank" in run.columns else {"rank"}),
    )


def ranked_by_score(renderer: Renderer, run: Table, ties: str) -> str:
    """Return the query that ranks a run, or a scored table, by its scores."""
    return renderer.relation(
        relations()["rank_by_score"].body,
        inputs={"scored": run.sql},
        has_rank={"scored": False},
        values={"ties": ties},
    )


def _bind_scored_table(run: Table, keys: tuple[str, ...], ties: str, with_ids: bool = False) -> Source:
    """Rank a scored table. `with_ids` keeps doc_id. A table with subtopics always keeps it."""
    if ties in ("row_order", "rank"):
        run.require(f"the scored table (ties={ties!r})", ties)
    by_subtopic = "subtopic" in run.columns
    columns = NamedColumns(
        keys,
        run.dialect,
        kept=(
            "relevance",
            *(["doc_id"] if by_subtopic or with_ids else []),
            *(["subtopic"] if by_subtopic else []),
        ),
        missing=() if "doc_id" in run.columns else ("doc_id",),
        exact=run.beyond_doubles(*EXACT),
    )
    renderer = Renderer(columns, run.dialect)
    query = ranked_by_score(renderer, run, ties)
    queries = renderer.queries(Rankings(run.sql))
    return ScoredTable(f"(\n{query}\n)", "covers" if by_subtopic else "rankings", queries=queries)
