"""Explain values: what each rank contributes, and the queries that lose most."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import duckdb

from ltr_sql.catalogue.measure_strings import Measure, find_convention, parse_measure
from ltr_sql.catalogue.options import Reading, check_integer, takes
from ltr_sql.errors import InputError
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.binding import Bound, bind_documents, check_relation_option
from ltr_sql.inputs.connection import Result, data_frame
from ltr_sql.inputs.gains import measures_with_gains, read_gains, with_weights
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Table
from ltr_sql.inputs.texts import with_texts
from ltr_sql.rendering.columns import CallTimeColumns
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.renderer import Renderer, result_columns
from ltr_sql.rendering.spread import worst_query
from ltr_sql.validation.checks import refuse_errors
from ltr_sql.validation.suspicions import notes_on_grades

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
    that the input lacks, and for input that cannot be scored. Warns with InputWarning if no grade of the query is
    relevant, because all are fractions below 1.

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

    return with_warnings(con, lambda state: explained(state, inputs, query, options, data_frame), named)


def explanation_options(measure: str, options: Mapping[str, Any]) -> EvaluationOptions:
    """Return the measure to explain, and its options. Raises MeasureError and InputError as `explain` does.

    `options`: convention, ties, missing, gains and keys.
    """
    ties, missing, gains = options["ties"], options["missing"], options["gains"]
    chosen = find_convention(options["convention"])
    parsed = parse_measure(measure, chosen)
    ties = parsed.ties or chosen.ties if ties is None else ties
    missing = parsed.missing or chosen.missing if missing is None else missing
    parsed = replace(parsed, ties="", missing="")
    if gains is not None:
        gains = read_gains(gains)
        (parsed,) = measures_with_gains([parsed])
    check_relation_option("judge", "missing", missing)
    return EvaluationOptions((parsed,), ties, missing, gains, options["keys"])


def explained(
    state: Session, inputs: Inputs, query: Any, options: EvaluationOptions, result: Result
) -> tuple[Any, list[str]]:
    """Return the breakdown of the measure of one query by rank, made by `result`, and warnings.

    Raises InputError as `explain` does.
    """
    (measure,) = options.measures
    run = state.bind(inputs.rankings, "run").in_row_order(options.ties)
    judgments = None if inputs.qrels is None else state.bind(inputs.qrels, "qrels")
    _require_query(state, run if judgments is None else judgments, str(query), judged=judgments is not None)
    if options.missing == "skip":
        _require_query(state, run, str(query), judged=False)
    of_query = f"cast(t.query_id as varchar) = {string(str(query))}"
    judgments = judgments and one_judgment_per_document(judgments.where(of_query))
    # For a single query, the run may have no rows, or no judged document.
    ignored = ("no_rows", "no_common_queries", "no_common_documents")
    bound = checked_documents(state, run.where(of_query), judgments, options, ignored)
    notes = notes_on_grades(state.con, bound.qrels or bound.run, options.measures)
    sql = explained_query(bound.source.relation, bound.keys.all, str(query), measure)
    return result(state.con, sql, state.frame), notes


def checked_documents(
    state: Session, run: Table, judgments: Table | None, options: EvaluationOptions, ignored: Collection[str] = ()
) -> Bound:
    """Return the rankings of all documents, with gains for grades.

    - `judgments`: one row per document. None if the run has grades.
    - `ignored`: names of findings that are not errors.

    Raises InputError for input that cannot be scored.
    """
    if options.gains is not None:
        graded = options.gains.replace_grades(state.con, judgments or run)
        run, judgments = (graded, None) if judgments is None else (run, graded)
    bound = bind_documents(state.read_together(run, judgments, options.keys), options.ties)
    refuse_errors(state.con, bound, ignored=ignored)
    return bound


def explained_query(
    relation: str, keys: Sequence[str], query: str | None, measure: Measure, *, losses: bool = False
) -> str:
    """Return the query that breaks a measure down by rank, for each combination of the grouping columns.

    - `relation`: SQL of rankings of all documents, judged or not, with doc_id.
    - `query`: the query_id as text; None for all queries.
    - `losses`: true for what each relevant document adds to the measure.
    """
    (column,) = result_columns([measure], DUCKDB)
    renderer = Renderer(CallTimeColumns(keys=DUCKDB.text_list(keys)), DUCKDB)
    gain, discount = renderer.gain_and_discount(column)
    return renderer.template(
        f"rendering/{'losses' if losses else 'explained'}.sql",
        relation=relation,
        query=None if query is None else string(query),
        k=column.values.get("k"),
        gain=gain,
        discount=discount,
        block=renderer.block_by_rank(column),
        counted="true" if column.reads == "counted" else "false",
        empty=column.empty("d.num_ret") or "null",
    )


def one_judgment_per_document(judgments: Table) -> Table:
    """Return judgments with one row per document: its highest grade over all subtopics."""
    if "subtopic" not in judgments.columns or not judgments.subtopics_vary:
        return judgments
    judgments.require("the judgments", "query_id", "doc_id", "relevance")
    columns = "t.query_id, t.doc_id, max(t.relevance) as relevance"
    query = f"select {columns} from {judgments.sql} as t group by t.query_id, t.doc_id"
    return judgments.read_by(query, {name: judgments.columns[name] for name in ("query_id", "doc_id", "relevance")})


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


# Largest number of queries: more would be all queries of any collection.
_MOST = 1_000_000


@dataclass(frozen=True)
class WorstQueries:
    """What is asked of the worst queries besides the evaluation: see `worst`."""

    n: int = 20
    queries: Any = None
    documents: Any = None
    baseline: str | None = None
    weights: Any = None


@takes(Reading)
def worst(
    rankings: Any,
    measure: str,
    *,
    qrels: Any = None,
    n: int = 20,
    queries: Any = None,
    documents: Any = None,
    baseline: str | None = None,
    weights: Any = None,
    keys: Sequence[str] = (),
    ties: str | None = None,
    missing: str | None = None,
    convention: str | None = None,
    gains: Any = None,
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return the queries that lose most of a measure, with the documents that cost them.

    A query loses the value of its ideal ranking minus its own value. With `baseline`, it loses the value of the
    baseline minus its own. The loss of a document is what the document adds to the measure in the ideal ranking (or the
    baseline), minus what it adds in the ranking: the increase of the measure at its rank. The losses of a query sum to
    `query_loss`. A document ranked above its ideal rank has a negative loss.

    - `rankings`, `qrels`, `keys`, `ties`, `missing`, `convention`, `gains`, `con`: see `evaluate`.
    - `measure`: a measure string. The measure must be a sum over ranks, such as 'nDCG@10', 'AP' or 'RR'.
    - `n`: number of queries for each system and combination of the keys.
    - `queries`: texts of queries, as in `report`: a dict of id -> text, a table or a file.
    - `documents`: texts of documents, in the same forms.
    - `baseline`: the name of a system of `rankings`, with which the others are compared.
    - `weights`: weights of queries, as in `distribution`. The queries are then ordered by weight times loss.

    Returns a data frame with one row per query and document: polars or pyarrow if such a table was passed in, otherwise
    pandas. The first query loses most, and its first document costs most. Columns:

    - the keys, query_id, weight (with weights), query (its text, with `queries`);
    - value: the measure of the query; baseline_value (with a baseline): that of the baseline;
    - query_loss: what the query loses, 1 - value for a normalised measure;
    - doc_id, document (its text, with `documents`), relevance;
    - rank: NULL if not retrieved; baseline_rank (with a baseline): its rank there;
    - ideal_rank: the rank it should have. NULL if it has no gain;
    - loss: what the document costs;
    - unjudged_above: unjudged documents above it, in the top k if the measure has a cutoff.

    Raises MeasureError for an invalid measure, and for one without a per-rank breakdown. Raises InputError for input
    that cannot be scored. Warns with InputWarning of weights for queries that the rankings lack.

    >>> run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 1, "c": 2, "z": 1}}
    >>> ltr_sql.worst(run, "nDCG@3", qrels=qrels)[["doc_id", "relevance", "rank", "loss"]].round(4)
      doc_id  relevance  rank    loss
    0      c        2.0     3  0.3194
    1      z        1.0  <NA>  0.1597
    """
    named = {**reading, "keys": keys, "ties": ties, "missing": missing, "convention": convention, "gains": gains}
    options = explanation_options(measure, named)
    asked = WorstQueries(n, queries, documents, baseline, weights)
    return with_warnings(
        con, lambda state: worst_and_warnings(state, Inputs(rankings, qrels), options, asked, data_frame), named
    )


def worst_and_warnings(
    state: Session, inputs: Inputs, options: EvaluationOptions, asked: WorstQueries, result: Result
) -> tuple[Any, list[str]]:
    """Return the value of `result` for the query of the worst queries, and the warnings. Raises as `worst` does."""
    check_integer("n", asked.n, 1, _MOST)
    run = state.bind(inputs.rankings, "run").in_row_order(options.ties)
    losses, keys, warning_texts = _losses(state, run, inputs.qrels, options)
    if asked.baseline is not None and "system" not in keys:
        raise InputError("baseline names a system, and there is only one: pass a dict of system -> run")
    if asked.weights is not None:
        losses, texts = with_weights(state, asked.weights, run, losses, keys)
        warning_texts += texts
    query = worst_query(
        losses.sql, keys, asked.n, baseline=asked.baseline, compared="system", weighted=asked.weights is not None
    )
    query, notes = with_texts(state, query, {"queries": asked.queries, "documents": asked.documents})
    return result(state.con, query, state.frame), [*warning_texts, *notes]


def _losses(
    state: Session, run: Table, qrels: Any, options: EvaluationOptions
) -> tuple[Table, Sequence[str], list[str]]:
    """Return the table of what each relevant document adds to the measure, its keys, and warnings."""
    (measure,) = options.measures
    judgments = None if qrels is None else one_judgment_per_document(state.bind(qrels, "qrels"))
    bound = checked_documents(state, run, judgments, options)
    query = explained_query(bound.source.relation, bound.keys.all, None, measure, losses=True)
    losses = state.load(f"(\n{query}\n)")
    if judgments is not None and options.missing == "skip" and bound.joining.asked is None:
        losses = _of_retrieved(losses, run, ["query_id", *(key for key in bound.keys.all if key in run.columns)])
    return losses, bound.keys.all, notes_on_grades(state.con, bound.qrels or bound.run, options.measures)


def _of_retrieved(losses: Table, run: Table, names: Sequence[str]) -> Table:
    """Return the losses of the queries that the run has, also without documents."""
    same = " and ".join(
        f"cast(r.{name} as varchar) is not distinct from cast(t.{name} as varchar)"
        for name in map(DUCKDB.identifier, names)
    )
    return losses.where(f"exists (select 1 from {run.distinct(*names).sql} as r where {same})")
