"""Counts of documents, and shares of judged documents."""

import math

from ltr_sql.oracle._rows import Column, count_relevant, in_top, nonrelevant_ranks, relevant_ranks, rows_of, to_floats


def num_q(rank: Column, relevance: Column) -> float:
    """One for each query; the sum over queries is the number of queries.

    Formula: 1.
    Empty query: 1.
    Source: trec_eval `num_q`.
    """
    return 1.0


def num_ret(rank: Column, relevance: Column, *, k: int | None = None) -> float:
    """Number of retrieved documents, including unjudged documents without a row.

    Formula: min(k, n), n = largest rank, or 0 if no row has a rank.
    Empty query: no special case.
    Source: trec_eval `num_ret`.
    """
    n = max((i for i in to_floats(rank).tolist() if not math.isnan(i)), default=0.0)
    return n if k is None else min(float(k), n)


def num_rel(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """Number of relevant documents, retrieved or not.

    Formula: R.
    Empty query: 0.
    Source: trec_eval `num_rel`.
    """
    return float(count_relevant(relevance, rel))


def num_rel_ret(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Number of relevant documents in the top k.

    Formula: H_k.
    Empty query: 0.
    Source: trec_eval `num_rel_ret`; ranx `hits`.
    """
    return float(len(relevant_ranks(rank, relevance, k, rel)))


def num_nonrel_judged_ret(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """Number of retrieved documents that are judged nonrelevant.

    Formula: |{rows with a rank : 0 <= relevance < rel}|.
    Empty query: no special case.
    Source: trec_eval `num_nonrel_judged_ret`.
    """
    return float(len(nonrelevant_ranks(rank, relevance, rel)))


def unj(rank: Column, relevance: Column, *, k: int) -> float:
    """Share of the first k positions that hold an unjudged document.

    Formula: |{ranks i <= min(k, n) without a row of relevance >= 0}| / k.
    Empty query: no special case.
    Source: trec_eval `unj`.
    """
    judged = {i for i, g in rows_of(rank, relevance) if g >= 0}
    return sum(i not in judged for i in range(1, int(num_ret(rank, relevance, k=k)) + 1)) / k


def hole(rank: Column, relevance: Column, *, k: int, scope: str = "query") -> float:
    """Share of the first k positions that hold a document without a judgment; a negative grade is a judgment.

    With scope = 'collection', a document that is judged for any query has a `relevance`.

    Formula: |{ranks i <= min(k, n) without a row that has a relevance}| / k.
    Empty query: no special case.
    Source: Thakur et al., NeurIPS Datasets and Benchmarks 2021; BEIR `hole`.
    """
    if scope not in ("query", "collection"):
        raise ValueError(f"unknown scope {scope!r}: expected 'query' or 'collection'")
    found = {i for i, g in rows_of(rank, relevance) if not math.isnan(g)}
    return sum(i not in found for i in range(1, int(num_ret(rank, relevance, k=k)) + 1)) / k


def false_alarm(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """False alarm: 1 if something was retrieved for a query without relevant documents, else 0.

    Formula: 1 if R = 0 and min(k, n) > 0; 0 if R = 0 and n = 0; NaN if R > 0.
    Empty query: the only kind that counts.
    Source: Swets, Science 240, 1988 (false-alarm rate).
    """
    if num_rel(rank, relevance, rel=rel):
        return math.nan
    return float(num_ret(rank, relevance, k=k) > 0)


def judged(rank: Column, relevance: Column, *, k: int | None = None) -> float:
    """Share of the retrieved documents in the top k that are judged; a negative grade counts as judged.

    Formula: |{rows in the top k with a relevance}| / min(k, n), 0 if n = 0.
    Empty query: no special case.
    Source: ir_measures `Judged`; trec_eval `judged`.
    """
    n = num_ret(rank, relevance, k=k)
    return sum(in_top(i, k) and not math.isnan(g) for i, g in rows_of(rank, relevance)) / n if n else 0.0
