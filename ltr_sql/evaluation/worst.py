"""The queries that lose most of a measure, and the documents that cost them: `ltr_sql.worst`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import duckdb

from ltr_sql.catalogue.option_checks import check_integer
from ltr_sql.catalogue.options import Reading, takes
from ltr_sql.errors import InputError
from ltr_sql.evaluation.explanation import (
    checked_documents,
    explanation_options,
    losses_query,
    one_judgment_per_document,
)
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.connection import Result, data_frame
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Table
from ltr_sql.inputs.texts import with_texts
from ltr_sql.inputs.weights import with_weights
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.losses import worst_query
from ltr_sql.validation.suspicions import notes_on_grades

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
    `query_loss`. A document that stands above its ideal rank has a negative loss.

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
    bound, joining = checked_documents(state, run, judgments, options)
    losses = state.load(f"(\n{losses_query(bound.source.relation, bound.keys, measure)}\n)")
    if judgments is not None and options.missing == "skip" and joining.asked is None:
        losses = _of_retrieved(losses, run, ["query_id", *(key for key in bound.keys if key in run.columns)])
    return losses, bound.keys, notes_on_grades(state.con, bound.qrels or bound.run, options.measures)


def _of_retrieved(losses: Table, run: Table, names: Sequence[str]) -> Table:
    """Return the losses of the queries that the run has, also without documents."""
    same = " and ".join(
        f"cast(r.{name} as varchar) is not distinct from cast(t.{name} as varchar)"
        for name in map(DUCKDB.identifier, names)
    )
    return losses.where(f"exists (select 1 from {run.distinct(*names).sql} as r where {same})")
