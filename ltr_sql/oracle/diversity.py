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
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ltr_sql.oracle._rows import Column, Ids, id_bytes, in_top, is_relevant, rows_of, taking, value_if_empty
from ltr_sql.oracle.relevance import ap

Discount = Callable[[float], float]


def _novelty_gains(ordered: list[set[Hashable]], alpha: float) -> list[float]:
    """Return the novelty gains of documents, given in rank order as the sets of subtopics that they cover."""
    seen: Counter[Hashable] = Counter()
    gains = []
    for subtopics in ordered:
        gains.append(math.fsum((1 - alpha) ** seen[s] for s in subtopics))
        seen.update(subtopics)
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
    seen: Counter[Hashable] = Counter()
    remaining = dict(covers)
    order: list[set[Hashable]] = []
    while remaining and (k is None or len(order) < k):
        # Take the largest gain; ties are broken by descending doc_id in byte order.
        best = max(remaining, key=lambda doc: (sum(power[seen[s]] for s in remaining[doc]), doc))
        subtopics = remaining.pop(best)
        order.append(subtopics)
        seen.update(subtopics)
    return order


@dataclass(frozen=True)
class _Covered:
    """The documents of a query that cover a subtopic: the subtopics of each document, and its rank."""

    subtopics_of: dict[bytes, set[Hashable]]
    rank_of: dict[bytes, float]

    @property
    def subtopics(self) -> set[Hashable]:
        """The covered subtopics; S is their number."""
        return {s for subtopics in self.subtopics_of.values() for s in subtopics}

    def top(self, k: int | None) -> list[bytes]:
        """Return the documents in the top k, in rank order."""
        return sorted((doc for doc, i in self.rank_of.items() if in_top(i, k)), key=self.rank_of.__getitem__)

    def novelty(self, k: int | None, alpha: float, discount: Discount) -> float:
        """Return the sum over the top k of the novelty gain times the discount of the rank."""
        retrieved = self.top(k)
        gains = _novelty_gains([self.subtopics_of[doc] for doc in retrieved], alpha)
        return math.fsum(g * discount(self.rank_of[doc]) for doc, g in zip(retrieved, gains, strict=True))

    def share_of_largest(self, k: int, alpha: float, discount: Discount) -> float:
        """Return the novelty divided by the novelty of k documents that each cover every subtopic."""
        largest = math.fsum((1 - alpha) ** (i - 1) * discount(i) for i in range(1, k + 1))
        return self.novelty(k, alpha, discount) / (len(self.subtopics) * largest)

    def share_of_ideal(self, k: int | None, alpha: float, discount: Discount) -> float:
        """Return the novelty divided by the novelty of the greedy ideal ranking."""
        ideal_gains = _novelty_gains(_greedy_order(self.subtopics_of, alpha, k), alpha)
        return self.novelty(k, alpha, discount) / math.fsum(g * discount(j) for j, g in enumerate(ideal_gains, start=1))


def _of_subtopics(measure: Callable[..., float]) -> Callable[..., float]:
    """Let a measure of `_Covered` take the columns of a query, `rel` and `empty`. It is computed if S > 0."""

    def measured(
        rank: Column, relevance: Column, doc_id: Ids, subtopic: Ids, *, rel: float = 1.0, empty: str = "0", **own: Any
    ) -> float:
        covered = _Covered({}, {})
        for (i, g), doc, s in zip(rows_of(rank, relevance), map(id_bytes, doc_id), subtopic, strict=True):
            if is_relevant(g, rel) and s is not None:
                covered.subtopics_of.setdefault(doc, set()).add(s)
                covered.rank_of[doc] = i
        return measure(covered, **own) if covered.rank_of else value_if_empty(empty, rank)

    return taking("rank relevance doc_id subtopic", measure, measured, rel=1.0, empty="0")


def _by_log(rank: float) -> float:
    """Return the logarithmic discount of a rank."""
    return 1 / math.log2(rank + 1)


def _by_rank(rank: float) -> float:
    """Return the reciprocal discount of a rank."""
    return 1 / rank


@_of_subtopics
def alpha_dcg(of: _Covered, *, k: int, alpha: float = 0.5) -> float:
    """DCG for diversity, normalised by the number of subtopics.

    Formula: A_k / Z_k, A_k = sum over the documents in the top k of NG_i / log2(i + 1), Z_k = S * sum over i = 1..k of
    (1 - alpha)**(i - 1) / log2(i + 1).
    Empty query: 0, or as set by `empty`.
    Source: Clarke et al., SIGIR 2008; ndeval `alpha-DCG`, which is not normalised at k = 1.
    """
    return of.share_of_largest(k, alpha, _by_log)


@_of_subtopics
def alpha_ndcg(of: _Covered, *, k: int | None = None, alpha: float = 0.5) -> float:
    """nDCG for diversity.

    Formula: A_k / A*_k, A_k as in `alpha_dcg`, A*_k = A_k of the greedy ideal ranking.
    Empty query: 0, or as set by `empty`.
    Source: Clarke et al., SIGIR 2008; tie-breaking rule of ndeval.
    """
    return of.share_of_ideal(k, alpha, _by_log)


@_of_subtopics
def err_ia(of: _Covered, *, k: int, alpha: float = 0.5) -> float:
    """Intent-aware expected reciprocal rank.

    Formula: as `alpha_dcg`, with the discount 1 / i instead of 1 / log2(i + 1) in both sums.
    Empty query: 0, or as set by `empty`.
    Source: Chapelle et al., CIKM 2009; ndeval `ERR-IA`, which is not normalised at k = 1.
    """
    return of.share_of_largest(k, alpha, _by_rank)


@_of_subtopics
def nerr_ia(of: _Covered, *, k: int | None = None, alpha: float = 0.5) -> float:
    """Intent-aware expected reciprocal rank, divided by its value for the greedy ideal ranking.

    Formula: as `alpha_ndcg`, with the discount 1 / i instead of 1 / log2(i + 1) in both sums.
    Empty query: 0, or as set by `empty`.
    Source: Chapelle et al., CIKM 2009; ndeval `nERR-IA`.
    """
    return of.share_of_ideal(k, alpha, _by_rank)


@_of_subtopics
def nrbp(of: _Covered, *, alpha: float = 0.5, beta: float = 0.5) -> float:
    """Novelty- and rank-biased precision.

    Formula: (1 - (1 - alpha) * beta) / S * sum over all ranks i of beta**(i - 1) * NG_i, with 0**0 = 1.
    Empty query: 0, or as set by `empty`.
    Source: Clarke, Kolla and Vechtomova, ICTIR 2009; ndeval `NRBP`.
    """
    gained = of.novelty(None, alpha, lambda i: beta ** (i - 1))
    return (1 - (1 - alpha) * beta) / len(of.subtopics) * gained


@_of_subtopics
def nnrbp(of: _Covered, *, alpha: float = 0.5, beta: float = 0.5) -> float:
    """Novelty- and rank-biased precision, divided by its value for the greedy ideal ranking.

    Formula: N / N*, N = sum over all ranks i of beta**(i - 1) * NG_i, N* = N of the greedy ideal ranking.
    Empty query: 0, where ndeval has NaN, or as set by `empty`.
    Source: Clarke, Kolla and Vechtomova, ICTIR 2009; ndeval `nNRBP`.
    """
    return of.share_of_ideal(None, alpha, lambda i: beta ** (i - 1))


@_of_subtopics
def ap_ia(of: _Covered, *, k: int | None = None) -> float:
    """Intent-aware average precision.

    Formula: (1/S) sum over the subtopics s of AP(k), where the documents that cover s are the relevant ones.
    Empty query: 0, or as set by `empty`.
    Source: Agrawal et al., WSDM 2009; ndeval `MAP-IA`.
    """
    values = []
    for s in of.subtopics:
        ranks = [of.rank_of[doc] for doc, subtopics in of.subtopics_of.items() if s in subtopics]
        values.append(ap(ranks, [1.0] * len(ranks), k=k))
    return math.fsum(values) / len(values)


@_of_subtopics
def p_ia(of: _Covered, *, k: int) -> float:
    """Intent-aware precision.

    Formula: (sum over the documents in the top k of the number of subtopics that each covers) / (k S).
    Empty query: 0, or as set by `empty`.
    Source: Agrawal et al., WSDM 2009; ndeval `P-IA`.
    """
    return sum(len(of.subtopics_of[doc]) for doc in of.top(k)) / (k * len(of.subtopics))


@_of_subtopics
def strecall(of: _Covered, *, k: int | None = None) -> float:
    """Subtopic recall.

    Formula: (subtopics that a document in the top k covers) / S.
    Empty query: 0, or as set by `empty`.
    Source: Zhai, Cohen and Lafferty, SIGIR 2003; ndeval `strec`.
    """
    found = {s for doc in of.top(k) for s in of.subtopics_of[doc]}
    return len(found) / len(of.subtopics)


@_of_subtopics
def st_full_recall(of: _Covered, *, k: int | None = None) -> float:
    """Full recall of subtopics: 1 if the top k covers each of them, else 0.

    Formula: the product over subtopics of (1 if a document in the top k covers the subtopic, else 0).
    Empty query: 0, or as set by `empty`.
    Source: AutoRAG-Research `full_recall` with groups of evidence.
    """
    return float(of.subtopics == {s for doc in of.top(k) for s in of.subtopics_of[doc]})
