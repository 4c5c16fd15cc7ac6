"""Measures of diversity: documents cover subtopics of a query.

Each row is a (document, subtopic) pair. A row with relevance >= `rel` and a subtopic means that the document covers the
subtopic. All rows of a document have the same rank. Terms of the formulas:

- S is the number of subtopics that at least one document covers, retrieved or not.
- NG_i is the novelty gain of the document at rank i: the sum, over the subtopics that it covers, of
  (1 - alpha)**(number of higher-ranked documents that cover the subtopic).
- The greedy ideal ranking repeatedly appends the document with the largest novelty gain, given those already chosen,
  among all documents, retrieved or not. Equal gains are ordered by descending doc_id (as str, in byte order).
- An empty query is one without a covered subtopic.

`alpha`: each document that covers a subtopic reduces the subtopic's gain by this share. `beta`: the probability that
the user continues to the next rank.
"""

import math
from collections.abc import Callable, Hashable
from fractions import Fraction

from ltr_sql.oracle._rows import Column, Ids, id_bytes, in_top, is_relevant, rows_of, with_empty
from ltr_sql.oracle.relevance import ap


def _novelty_gains(ordered: list[set[Hashable]], alpha: float) -> list[float]:
    """Return the novelty gains of documents, given in rank order as the sets of subtopics that they cover."""
    seen: dict[Hashable, int] = {}
    gains = []
    for subtopics in ordered:
        gains.append(math.fsum((1 - alpha) ** seen.get(s, 0) for s in subtopics))
        for s in subtopics:
            seen[s] = seen.get(s, 0) + 1
    return gains


def _greedy_order(covers: dict[bytes, set[Hashable]], alpha: float, k: int | None) -> list[set[Hashable]]:
    """Return the first k documents of the greedy ideal ranking, as the sets of subtopics that they cover."""
    # Compare gains as exact integers, because rounding could make equal gains differ. For alpha = 0.9, ten
    # subtopics seen once have the gain 10 * (1 - 0.9). It is below 1 in floats, but one unseen subtopic has the
    # same gain, 1. Let 1 - alpha = a/b, the short fraction nearest to the float (here 1/10), and m the number of
    # documents. Then a gain times b**m is a sum of integers a**c * b**(m - c) with 0 <= c <= m.
    share = 1 - Fraction(alpha).limit_denominator(10**9)
    m = len(covers)
    power = [share.numerator**c * share.denominator ** (m - c) for c in range(m + 1)]
    seen: dict[Hashable, int] = {}
    remaining = dict(covers)
    order: list[set[Hashable]] = []
    while remaining and (k is None or len(order) < k):
        # Take the largest gain; ties are broken by descending doc_id in byte order.
        best = max(remaining, key=lambda doc: (sum(power[seen.get(s, 0)] for s in remaining[doc]), doc))
        subtopics = remaining.pop(best)
        order.append(subtopics)
        for s in subtopics:
            seen[s] = seen.get(s, 0) + 1
    return order


def _coverage(
    rank: Column, relevance: Column, doc_id: Ids, subtopic: Ids, rel: float
) -> tuple[dict[bytes, set[Hashable]], dict[bytes, float]]:
    """Return the subtopics that each document covers, and the rank of each of these documents."""
    covers: dict[bytes, set[Hashable]] = {}
    rank_of: dict[bytes, float] = {}
    for (i, g), doc, s in zip(rows_of(rank, relevance), doc_id, subtopic, strict=True):
        if is_relevant(g, rel) and s is not None:
            covers.setdefault(id_bytes(doc), set()).add(s)
            rank_of[id_bytes(doc)] = i
    return covers, rank_of


def _count_subtopics(covers: dict[bytes, set[Hashable]]) -> int:
    """Return S, the number of covered subtopics."""
    return len({s for subtopics in covers.values() for s in subtopics})


def _retrieved(covers: dict[bytes, set[Hashable]], rank_of: dict[bytes, float], k: int | None) -> list[bytes]:
    """Return the documents in the top k that cover a subtopic, in rank order."""
    return sorted((doc for doc in covers if in_top(rank_of[doc], k)), key=rank_of.__getitem__)


def _novelty(
    covers: dict[bytes, set[Hashable]],
    rank_of: dict[bytes, float],
    k: int | None,
    alpha: float,
    discount: Callable[[float], float],
) -> float:
    """Return the sum over the top k of the novelty gain times the discount of the rank."""
    retrieved = _retrieved(covers, rank_of, k)
    gains = _novelty_gains([covers[doc] for doc in retrieved], alpha)
    return math.fsum(g * discount(rank_of[doc]) for doc, g in zip(retrieved, gains, strict=True))


def _share_of_largest(
    covers: dict[bytes, set[Hashable]],
    rank_of: dict[bytes, float],
    k: int,
    alpha: float,
    discount: Callable[[float], float],
) -> float:
    """Return the novelty divided by the novelty of k documents that each cover every subtopic."""
    if not covers:
        return 0.0
    largest = math.fsum((1 - alpha) ** (i - 1) * discount(i) for i in range(1, k + 1))
    return _novelty(covers, rank_of, k, alpha, discount) / (_count_subtopics(covers) * largest)


def _share_of_ideal(
    covers: dict[bytes, set[Hashable]],
    rank_of: dict[bytes, float],
    k: int | None,
    alpha: float,
    discount: Callable[[float], float],
) -> float:
    """Return the novelty divided by the novelty of the greedy ideal ranking."""
    ideal_gains = _novelty_gains(_greedy_order(covers, alpha, k), alpha)
    ideal = math.fsum(g * discount(j) for j, g in enumerate(ideal_gains, start=1))
    return _novelty(covers, rank_of, k, alpha, discount) / ideal if ideal > 0 else 0.0


def _by_log(rank: float) -> float:
    """Return the logarithmic discount of a rank."""
    return 1 / math.log2(rank + 1)


def _by_rank(rank: float) -> float:
    """Return the reciprocal discount of a rank."""
    return 1 / rank


@with_empty()
def alpha_dcg(
    rank: Column,
    relevance: Column,
    *,
    doc_id: Ids,
    subtopic: Ids,
    k: int,
    alpha: float = 0.5,
    rel: float = 1.0,
) -> float:
    """DCG for diversity, normalised by the number of subtopics.

    Formula: A_k / Z_k, A_k = sum over the documents in the top k of NG_i / log2(i + 1), Z_k = S * sum over i = 1..k of
    (1 - alpha)**(i - 1) / log2(i + 1).
    Empty query: 0, or as set by `empty`.
    Source: Clarke et al., SIGIR 2008; ndeval `alpha-DCG`, which is not normalised at k = 1.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    return _share_of_largest(covers, rank_of, k, alpha, _by_log)


@with_empty()
def alpha_ndcg(
    rank: Column,
    relevance: Column,
    *,
    doc_id: Ids,
    subtopic: Ids,
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1.0,
) -> float:
    """nDCG for diversity.

    Formula: A_k / A*_k, A_k as in `alpha_dcg`, A*_k = A_k of the greedy ideal ranking.
    Empty query: 0, or as set by `empty`.
    Source: Clarke et al., SIGIR 2008; tie-breaking rule of ndeval.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    return _share_of_ideal(covers, rank_of, k, alpha, _by_log)


@with_empty()
def err_ia(
    rank: Column,
    relevance: Column,
    *,
    doc_id: Ids,
    subtopic: Ids,
    k: int,
    alpha: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Intent-aware expected reciprocal rank.

    Formula: as `alpha_dcg`, with the discount 1 / i instead of 1 / log2(i + 1) in both sums.
    Empty query: 0, or as set by `empty`.
    Source: Chapelle et al., CIKM 2009; ndeval `ERR-IA`, which is not normalised at k = 1.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    return _share_of_largest(covers, rank_of, k, alpha, _by_rank)


@with_empty()
def nerr_ia(
    rank: Column,
    relevance: Column,
    *,
    doc_id: Ids,
    subtopic: Ids,
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Intent-aware expected reciprocal rank, divided by its value for the greedy ideal ranking.

    Formula: as `alpha_ndcg`, with the discount 1 / i instead of 1 / log2(i + 1) in both sums.
    Empty query: 0, or as set by `empty`.
    Source: Chapelle et al., CIKM 2009; ndeval `nERR-IA`.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    return _share_of_ideal(covers, rank_of, k, alpha, _by_rank)


@with_empty()
def nrbp(
    rank: Column,
    relevance: Column,
    *,
    doc_id: Ids,
    subtopic: Ids,
    alpha: float = 0.5,
    beta: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Novelty- and rank-biased precision.

    Formula: (1 - (1 - alpha) * beta) / S * sum over all ranks i of beta**(i - 1) * NG_i, with 0**0 = 1.
    Empty query: 0, or as set by `empty`.
    Source: Clarke, Kolla and Vechtomova, ICTIR 2009; ndeval `NRBP`.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    if not covers:
        return 0.0
    gained = _novelty(covers, rank_of, None, alpha, lambda i: beta ** (i - 1))
    return (1 - (1 - alpha) * beta) / _count_subtopics(covers) * gained


@with_empty()
def nnrbp(
    rank: Column,
    relevance: Column,
    *,
    doc_id: Ids,
    subtopic: Ids,
    alpha: float = 0.5,
    beta: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Novelty- and rank-biased precision, divided by its value for the greedy ideal ranking.

    Formula: N / N*, N = sum over all ranks i of beta**(i - 1) * NG_i, N* = N of the greedy ideal ranking.
    Empty query: 0, where ndeval has NaN, or as set by `empty`.
    Source: Clarke, Kolla and Vechtomova, ICTIR 2009; ndeval `nNRBP`.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    return _share_of_ideal(covers, rank_of, None, alpha, lambda i: beta ** (i - 1))


@with_empty()
def ap_ia(
    rank: Column,
    relevance: Column,
    *,
    doc_id: Ids,
    subtopic: Ids,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """Intent-aware average precision.

    Formula: (1/S) sum over the subtopics s of AP(k), where the documents that cover s are the relevant ones.
    Empty query: 0, or as set by `empty`.
    Source: Agrawal et al., WSDM 2009; ndeval `MAP-IA`.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    values = []
    for s in {s for subtopics in covers.values() for s in subtopics}:
        ranks = [rank_of[doc] for doc, subtopics in covers.items() if s in subtopics]
        values.append(ap(ranks, [1.0] * len(ranks), k=k))
    return math.fsum(values) / len(values) if values else 0.0


@with_empty()
def p_ia(
    rank: Column,
    relevance: Column,
    *,
    doc_id: Ids,
    subtopic: Ids,
    k: int,
    rel: float = 1.0,
) -> float:
    """Intent-aware precision.

    Formula: (sum over the documents in the top k of the number of subtopics that each covers) / (k S).
    Empty query: 0, or as set by `empty`.
    Source: Agrawal et al., WSDM 2009; ndeval `P-IA`.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    if not covers:
        return 0.0
    return sum(len(covers[doc]) for doc in _retrieved(covers, rank_of, k)) / (k * _count_subtopics(covers))


@with_empty()
def strecall(
    rank: Column,
    relevance: Column,
    *,
    doc_id: Ids,
    subtopic: Ids,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """Subtopic recall.

    Formula: (subtopics that a document in the top k covers) / S.
    Empty query: 0, or as set by `empty`.
    Source: Zhai, Cohen and Lafferty, SIGIR 2003; ndeval `strec`.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    if not covers:
        return 0.0
    found = {s for doc in _retrieved(covers, rank_of, k) for s in covers[doc]}
    return len(found) / _count_subtopics(covers)


@with_empty()
def st_full_recall(
    rank: Column,
    relevance: Column,
    *,
    doc_id: Ids,
    subtopic: Ids,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """Full recall of subtopics: 1 if the top k covers each of them, else 0.

    Formula: the product over subtopics of (1 if a document in the top k covers the subtopic, else 0).
    Empty query: 0, or as set by `empty`.
    Source: AutoRAG-Research `full_recall` with groups of evidence.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    needed = {s for subtopics in covers.values() for s in subtopics}
    return float(
        bool(needed)
        and all(any(s in subtopics and in_top(rank_of[doc], k) for doc, subtopics in covers.items()) for s in needed)
    )
