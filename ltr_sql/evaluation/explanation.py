"""Break a measure of one query down by rank."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import duckdb

from ltr_sql.catalogue.measure_strings import Measure, find_convention, parse_measure
from ltr_sql.catalogue.options import Reading, takes
from ltr_sql.errors import InputError
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.binding import Bound, bind_documents, check_relation_option
from ltr_sql.inputs.connection import data_frame
from ltr_sql.inputs.gains import gains_or_none, measures_with_gains
from ltr_sql.inputs.joining import USUAL, Joining
from ltr_sql.inputs.session import Session, with_session
from ltr_sql.inputs.tables import Table, require_one_segment
from ltr_sql.rendering.columns import CallTimeColumns
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.measure_columns import Column
from ltr_sql.rendering.renderer import Renderer
from ltr_sql.validation.checks import refuse_errors

# The similarity of two ids takes time in proportion to the product of their lengths: compare their first characters.
_COMPARED = 100
_SIMILARITY = f"jaro_winkler_similarity(left(q.query_id, {_COMPARED}), left($query, {_COMPARED}))"


@takes(Reading)
def explain(
    rankings: Any,
    query: Any,
    measure: str,
    *,
    qrels: Any = None,
    keys: Sequence[str] = (),
    ties: str | None = None,
    missing: str | None = None,
    convention: str | None = None,
    gains: Any = None,
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return how much each rank contributes to a measure of one query, next to the ideal ranking.

    - `rankings`, `qrels`, `keys`, `ties`, `convention`, `con`: see `evaluate`.
    - `gains`: custom gains of grades; see `evaluate`. The result then shows gains as relevance.
    - `missing`: 'zero' or 'skip'; see `evaluate`. With 'skip', a judged query that the run lacks is an error, because
      the query has no value.
    - `query`: a query_id, which is compared as text.
    - `measure`: a measure string. The measure must be a sum over ranks, such as 'nDCG@10', 'AP' or 'RR'.

    Returns a data frame with one row per rank: polars or pyarrow if such a table was passed in, otherwise pandas.

    - The keys, query_id, rank, doc_id and relevance.
    - `gain`: gain of the grade.
    - `discount`: multiplier of the gain; it depends only on the rank. NULL for measures without one, such as AP.
    - `contribution`: increase of the measure by this document. In some measures, such as ERR, RR, AP and Bpref, it also
      depends on the documents above.
    - `running`: sum of the contributions down to this rank. In the last row it is the value of the measure.
    - `ideal_doc_id`, `ideal_relevance`, `ideal_gain`, `ideal_contribution`, `ideal_running`: columns of the ideal
      ranking, which sorts the documents with a positive grade by descending grade.

    Raises MeasureError for an invalid measure, and for one without a per-rank breakdown. Raises InputError for a query
    that the input lacks, and for input that cannot be scored.

    >>> run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 1, "c": 2, "z": 1}}
    >>> ltr_sql.explain(run, "q", "nDCG@3", qrels=qrels)[["rank", "doc_id", "relevance", "contribution"]].round(4)
       rank doc_id  relevance  contribution
    0     1      a        NaN        0.0000
    1     2      b        1.0        0.2015
    2     3      c        2.0        0.3194
    """
    inputs = Inputs(rankings, qrels)
    named = {**reading, "keys": keys, "ties": ties, "missing": missing, "convention": convention, "gains": gains}
    options = explanation_options(measure, named)

    def run(state: Session) -> Any:
        return data_frame(state.con, explanation_query(state, inputs, query, options), state.frame)

    return with_session(con, run, named)


def explanation_options(measure: str, options: Mapping[str, Any]) -> EvaluationOptions:
    """Return the measure to explain, and its options. Raises MeasureError and InputError as `explain` does.

    `options`: convention, ties, missing, gains and keys.
    """
    ties, missing, gains = options["ties"], options["missing"], gains_or_none(options["gains"])
    chosen = find_convention(options["convention"])
    parsed = parse_measure(measure, chosen)
    ties = parsed.ties or chosen.ties if ties is None else ties
    missing = parsed.missing or chosen.missing if missing is None else missing
    parsed = replace(parsed, ties="", missing="")
    if gains is not None:
        (parsed,) = measures_with_gains([parsed])
    check_relation_option("judge", "missing", missing)
    return EvaluationOptions((parsed,), ties, missing, gains, options["keys"])


def explanation_query(state: Session, inputs: Inputs, query: Any, options: EvaluationOptions) -> str:
    """Return the SQL that breaks the measure of one query down by rank. Raises InputError as `explain` does."""
    (measure,) = options.measures
    run = state.bind(inputs.rankings, "run").in_row_order(options.ties)
    judgments = None if inputs.qrels is None else state.bind(inputs.qrels, "qrels")
    _require_query(state, run if judgments is None else judgments, str(query), judged=judgments is not None)
    if options.missing == "skip":
        _require_query(state, run, str(query), judged=False)
    judgments = judgments and one_judgment_per_document(_rows_of_query(judgments, query))
    # For a single query, the run may have no rows, or no judged document.
    ignored = ("no_rows", "no_common_queries", "no_common_documents")
    bound, _ = checked_documents(state, _rows_of_query(run, query), judgments, options, ignored)
    return explained_query(bound.source.relation, bound.keys, str(query), measure)


def checked_documents(
    state: Session, run: Table, judgments: Table | None, options: EvaluationOptions, ignored: Collection[str] = ()
) -> tuple[Bound, Joining]:
    """Return the rankings of all documents, with gains for grades, and how they were joined.

    - `judgments`: one row per document. None if the run has grades.
    - `ignored`: names of findings that are not errors.

    Raises InputError for input that cannot be scored.
    """
    gains = options.gains
    if gains is not None and judgments is None:
        run = gains.replace_grades(state.con, run)
    elif gains is not None and judgments is not None:
        judgments = gains.replace_grades(state.con, judgments)
    joining = USUAL if judgments is None else state.joining()
    bound = bind_documents(run, judgments, options.keys, options.ties, joining)
    if judgments is not None:
        require_one_segment(state.con, run, judgments, bound.segments)
    refuse_errors(state.con, bound, ignored=ignored)
    return bound, joining


def explained_query(relation: str, keys: Sequence[str], query: str | None, measure: Measure) -> str:
    """Return the query that breaks a measure down by rank, for each combination of the grouping columns.

    - `relation`: SQL of rankings of all documents, judged or not, with doc_id.
    - `query`: the query_id as text; None for all queries.
    """
    return _query_by_rank("explained", relation, keys, query, measure)


def losses_query(relation: str, keys: Sequence[str], measure: Measure) -> str:
    """Return the query of what each relevant document adds to a measure: see `explained_query`."""
    return _query_by_rank("losses", relation, keys, None, measure)


def _query_by_rank(template: str, relation: str, keys: Sequence[str], query: str | None, measure: Measure) -> str:
    column = Column(measure.definition, dict(measure.values), DUCKDB.identifier(measure.text))
    renderer = Renderer(CallTimeColumns(keys=DUCKDB.text_list(keys)), DUCKDB)
    gain, discount = renderer.gain_and_discount(column)
    return renderer.template(
        f"rendering/{template}.sql",
        relation=relation,
        query=None if query is None else string(query),
        k=column.values.get("k"),
        gain=gain,
        discount=discount,
        block=renderer.block_by_rank(column),
        counted="true" if column.reads == "counted" else "false",
        empty=column.empty("d.num_ret") or "null",
    )


def _rows_of_query(table: Table, query: Any) -> Table:
    """Return the rows of one query."""
    condition = f"cast(t.query_id as varchar) = {string(str(query))}"
    return replace(table, sql=f"(select t.* from {table.sql} as t where {condition})", stored=False)


def one_judgment_per_document(judgments: Table) -> Table:
    """Return judgments with one row per document: its highest grade over all subtopics."""
    if "subtopic" not in judgments.columns or not judgments.subtopics_vary:
        return judgments
    judgments.require("the judgments", "query_id", "doc_id", "relevance")
    columns = "t.query_id, t.doc_id, max(t.relevance) as relevance"
    return replace(
        judgments,
        sql=f"(select {columns} from {judgments.sql} as t group by t.query_id, t.doc_id)",
        columns={name: judgments.columns[name] for name in ("query_id", "doc_id", "relevance")},
    )


def _require_query(state: Session, table: Table, query: str, *, judged: bool) -> None:
    """Raise InputError if a table has no rows of a query. `judged` is true for a table of judgments."""
    table.require("the judgments" if judged else "the rankings", "query_id")
    queries = f"(select distinct cast(t.query_id as varchar) as query_id from {table.sql} as t)"
    ((known, number, near),) = state.con.execute(
        f"""
        select
            coalesce(bool_or(q.query_id = $query), false),
            count(q.query_id),
            list(left(q.query_id, {_COMPARED}) order by {_SIMILARITY} desc, q.query_id asc)
                filter (q.query_id is not null)[:3]
        from {queries} as q
        """,
        {"query": query},
    ).fetchall()
    if not known:
        where = f"{'judgments' if judged else 'rankings'} (query ids: {number})"
        shown = repr(query[:_COMPARED])
        raise InputError(f"query {shown} is not in the {where}; the most similar: {', '.join(near or ['none'])}")
