"""The caller's tables as one relation that measures read: the same on every engine."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ltr_sql.errors import InputError
from ltr_sql.inputs.tables import Table, check_keys, comparable
from ltr_sql.language.catalogue import relations
from ltr_sql.language.measure_strings import Measure
from ltr_sql.sqltext.columns import NamedColumns
from ltr_sql.sqltext.dialects import Dialect
from ltr_sql.sqltext.render import Column, Renderer, largest_cutoff, measures_query
from ltr_sql.sqltext.sources import Guard, JudgedRun, Pairs, Rankings, ScoredTable, Source
from ltr_sql.sqltext.templates import SqlValue


@dataclass(frozen=True)
class Bound:
    """The caller's tables as one relation that measures can read: the query over it, for any measures."""

    source: Source
    keys: tuple[str, ...]
    run: Table
    qrels: Table | None

    @property
    def comparable(self) -> tuple[Table, Table | None]:
        """Run and judgments with ids of one type."""
        return (self.run, None) if self.qrels is None else comparable(self.run, self.qrels)

    def query(self, measures: Sequence[Measure], averaged: bool) -> str:
        """The SQL of measures, averaged over queries or one row for each."""
        dialect = self.run.dialect
        return measures_query(_columns(measures, dialect), self.source, self.keys, averaged=averaged, dialect=dialect)

    def checked(self, measures: Sequence[Measure], distinct_ranks: bool) -> "Bound":
        """The same with a query that stops where measures would count a document of a run twice.

        `distinct_ranks`: the ranks are known to be there once in a query each.
        """
        guard = Guard(distinct_ranks=distinct_ranks)
        source = self.source
        if self.qrels is not None:
            read = {
                measure.definition.reads for measure in measures if measure.definition.row_source.name == "documents"
            }
            countable = {"relevant", "judged", "counted"} if source.only_judged else {"relevant", "judged"}
            counted = bool(read) and read <= countable and not source.by_subtopic
            condition = Renderer(NamedColumns(self.keys, self.run.dialect), self.run.dialect).template(
                "entry_points/reject_duplicates.sql",
                qrels=self.qrels.sql,
                counted=counted,
                num_read="num_relevant" if read == {"relevant"} else "num_judged",
                check_ranks=not distinct_ranks and not source.by_subtopic and needs_distinct_ranks(measures),
            )
            # Unless rows are counted where measures read them, the condition reads them again.
            guard = replace(guard, condition=condition, counts_rows=counted, reads_rows="__ltr_rankings" in condition)
        return replace(self, source=replace(source, guard=guard))

    def plain(self, measures: Sequence[Measure]) -> "Bound | None":
        """Rankings with a query that stops unless one look at the rows shows that they can be scored; None for others.

        What stops it may be sound still.
        """
        source = self.source
        if self.qrels is not None or source.paired or "rank" not in self.run.columns:
            return None
        if {"doc_id", "num_ret"} & self.run.columns.keys() or not needs_distinct_ranks(measures):
            return None
        renderer = Renderer(NamedColumns(self.keys, self.run.dialect), self.run.dialect)
        queries = renderer.template(
            "entry_points/validated_queries.sql",
            relation=self.run.sql,
            kinds=self.run.kinds,
        )
        guard = Guard(renderer.template("entry_points/require_rows.sql"), distinct_ranks=True)
        return replace(self, source=replace(source, queries=queries, guard=guard))

    def averages(self, measures: Sequence[Measure], values: str) -> str:
        """The SQL of the means of measures, from what a query gave for each query of the input."""
        dialect = self.run.dialect
        renderer = Renderer(NamedColumns(self.keys, dialect), dialect)
        return renderer.averages(_columns(measures, dialect), values, self.keys)


def check_choice(relation: str, name: str, value: str) -> None:
    """Raise InputError unless a relation's option may have that value."""
    parameter = next(p for p in relations()[relation].parameters if p.name == name)
    if not parameter.allows(value):
        raise InputError(f"{name} must be {parameter.allowed}, got {value!r}")


def require_run(what: str, run: Table, ties: str) -> None:
    """Raise InputError unless a run has the columns that it is ranked by."""
    run.require(what, "query_id", "doc_id")
    if "rank" not in run.columns:
        run.require(f"{what} (no column rank)", "score", *(["row_order"] if ties == "row_order" else []))


def require_scores(what: str, table: Table, measures: Iterable[Measure], *names: str) -> None:
    """Raise InputError unless a table has the scores that measures compare."""
    for measure in measures:
        if measure.definition.by_score:
            table.require(f"{what} (measure {measure.text!r} compares scores)", *names)


def bind_tables(
    run: Table,
    qrels: Table | None,
    measures: Sequence[Measure],
    keys: Iterable[str],
    ties: str,
    missing: str,
    *,
    once: bool = False,
) -> Bound:
    """Rankings, run and judgments, or a scored table as one relation that measures can read.

    `once`: its query stops at a document that the run or the judgments have twice; else that is for the caller to see.
    """
    check_choice("rank_by_score" if qrels is None else "judge", "ties", ties)
    check_choice("judge", "missing", missing)
    paired = [measure.definition.paired for measure in measures]
    keys = check_keys(run, keys, [measure.text for measure in measures])
    ranks = {"rank_a", "rank_b"} & run.columns.keys() if qrels is None else set()
    if ranks and ("relevance" not in run.columns or (len(ranks) == 2 and any(paired))):
        run.require("the pairs", "query_id", "rank_a", "rank_b")
        if not all(paired):
            raise InputError(
                "pairs of ranks (rank_a, rank_b): ask for measures of agreement apart from those of relevance"
            )
        require_scores("the pairs", run, measures, "score_a", "score_b")
        return Bound(Pairs(run.sql, stored=run.stored), keys, run, None)
    subtopics = any(measure.definition.by_subtopic for measure in measures)
    if qrels is not None:
        depth = largest_cutoff(_columns(measures, run.dialect))
        counted = any(measure.definition.counted for measure in measures)
        source = _judged(run, qrels, keys, ties, missing, subtopics=subtopics, depth=depth, counted=counted, once=once)
        return Bound(source, keys, run, qrels)
    if "relevance" not in run.columns:
        raise InputError(
            "no relevance: pass the judgments as qrels=, or rankings with a column relevance; "
            f"the columns are {', '.join(run.columns)}"
        )
    run.require("the rankings", "query_id", *(["doc_id", "subtopic"] if subtopics else []))
    by_subtopic = "subtopic" in run.columns and "doc_id" in run.columns
    if "rank" in run.columns:
        counted = "num_ret" in run.columns
        whole = run.whole("rank", "relevance")
        shape = "covers" if by_subtopic else "rankings"
        source = Rankings(run.sql, shape, integers=whole, stored=run.stored, has_num_ret=counted)
        return Bound(source, keys, run, None)
    run.require("the rankings (no column rank)", "score")
    return Bound(_ranked(run, keys, ties), keys, run, None)


def bind_documents(run: Table, qrels: Table | None, keys: Iterable[str], ties: str) -> Bound:
    """Rankings, run and judgments, or a scored table as rankings of all documents, judged or not, with their ids."""
    check_choice("rank_by_score" if qrels is None else "judge", "ties", ties)
    keys = check_keys(run, keys, ())
    if qrels is not None:
        return Bound(_judged(run, qrels, keys, ties, "zero", unjudged="keep"), keys, run, qrels)
    run.require("the rankings", "query_id", "relevance")
    if "rank" in run.columns:
        return Bound(Rankings(run.sql), keys, run, None)
    run.require("the rankings (no column rank)", "score")
    return Bound(_ranked(run, keys, ties, with_ids="doc_id" in run.columns), keys, run, None)


def needs_distinct_ranks(measures: Iterable[Measure]) -> bool:
    """Whether one of the measures has no meaning where documents share a rank."""
    return not all(measure.definition.shared_ranks or measure.definition.paired for measure in measures)


def _columns(measures: Sequence[Measure], dialect: Dialect) -> list[Column]:
    return [Column(m.definition, dict(m.values), dialect.identifier(m.text)) for m in measures]


def _judged(
    run: Table,
    qrels: Table,
    keys: tuple[str, ...],
    ties: str,
    missing: str,
    *,
    unjudged: str = "drop",
    subtopics: bool = False,
    depth: SqlValue = None,
    counted: bool = False,
    once: bool = False,
) -> Source:
    require_run("the run", run, ties)
    qrels.require("the judgments", "query_id", "doc_id", "relevance", *(["subtopic"] if subtopics else []))
    run, qrels = comparable(run, qrels)
    # TREC's second column of judgments is the subtopic for measures of diversity, and nothing otherwise.
    by_subtopic = "subtopic" in qrels.columns and (subtopics or not qrels.from_trec or qrels.has_subtopics)
    in_order = run.in_order and ties in ("docid_desc", "docid_asc", "docid_desc_float32")
    inputs = {"run": run.placed if in_order else run.sql, "qrels": qrels.sql}
    renderer = Renderer(NamedColumns(keys, run.dialect, kept=("subtopic",) if by_subtopic else ()), run.dialect)
    judged = renderer.relation(
        relations()["judge"],
        inputs=inputs,
        has_rank={"run": "rank" in run.columns},
        # Which queries count is for `queries` to say: a query more in the rankings changes nothing.
        values={"ties": ties, "missing": "zero", "unjudged": unjudged},
        in_order=in_order,
        # Above this, DuckDB keeps no list of the best; such a cutoff would not spare much anyway.
        depth=depth if not in_order and isinstance(depth, int) and depth < 100_000 else None,
        counted=counted,
        finite=run.finite,
        once=once,
    )
    queries = renderer.template("entry_points/judged_queries.sql", relations=inputs, missing=missing)
    return JudgedRun(
        f"(\n{judged}\n)",
        "covers" if by_subtopic else "rankings",
        queries=queries,
        has_num_ret=counted,
        only_judged=unjudged == "drop" and ties != "expected",
        # Ranks that are made from scores are counted.
        integers=qrels.whole("relevance") | (run.whole("rank") if "rank" in run.columns else {"rank"}),
    )


def _ranked(run: Table, keys: tuple[str, ...], ties: str, with_ids: bool = False) -> Source:
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
        lacking=() if "doc_id" in run.columns else ("doc_id",),
    )
    renderer = Renderer(columns, run.dialect)
    query = renderer.relation(
        relations()["rank_by_score"],
        inputs={"scored": run.sql},
        has_rank={"scored": False},
        values={"ties": ties},
    )
    queries = renderer.queries(Rankings(run.sql))
    return ScoredTable(f"(\n{query}\n)", "covers" if by_subtopic else "rankings", queries=queries)
