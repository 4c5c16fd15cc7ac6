"""Measures of rankings with ties: expectations over all orders of the documents that share a rank.

A tie group consists of the rows of one rank. With t positions above it and n rows, it takes the positions t + 1 to
t + n. r of its rows are relevant, and c of its positions are in the top k.
"""

import math
from typing import NamedTuple

from ltr_sql.oracle._rows import (
    Column,
    count_relevant,
    discount_of,
    gain_of,
    ideal_dcg,
    is_relevant,
    rows_of,
    value_if_empty,
    with_empty,
)


class _Tied(NamedTuple):
    """A tie group: its positions above, rows, relevant rows, positions in the top k, and grades."""

    t: float
    n: int
    r: int
    c: int
    grades: list[float]


def _tied(rank: Column, relevance: Column, k: int | None, rel: float = 1.0) -> list[_Tied]:
    """Return the tie groups in rank order."""
    groups: dict[float, list[float]] = {}
    for i, g in rows_of(rank, relevance):
        if not math.isnan(i):
            groups.setdefault(i, []).append(g)
    found = []
    for i, grades in sorted(groups.items()):
        n = len(grades)
        inside = n if k is None else max(0, min(n, int(k - (i - 1))))
        found.append(_Tied(i - 1, n, sum(is_relevant(g, rel) for g in grades), inside, grades))
    return found


def _expected_hits(rank: Column, relevance: Column, k: int | None, rel: float) -> float:
    """Return E[H_k], the expected number of relevant rows in the top k."""
    return math.fsum(r * c / n for _, n, r, c, _ in _tied(rank, relevance, k, rel))


@with_empty()
def expected_p(rank: Column, relevance: Column, *, k: int, rel: float = 1.0) -> float:
    """Precision, expected over all orders of tied rows.

    Formula: E[H_k] / k. A tie group of n rows, r of them relevant, adds r c / n to E[H_k], where c is the number of its
    positions in the top k.
    Empty query: 0, or as set by `empty`.
    Source: McSherry and Najork, ECIR 2008.
    """
    return _expected_hits(rank, relevance, k, rel) / k


@with_empty()
def expected_r(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Recall, expected over all orders of tied rows.

    Formula: E[H_k] / R, E[H_k] as in `expected_p`.
    Empty query: 0, or as set by `empty`.
    Source: McSherry and Najork, ECIR 2008.
    """
    return _expected_hits(rank, relevance, k, rel) / count_relevant(relevance, rel)


def _first_relevant(rank: Column, relevance: Column, k: int | None, rel: float) -> _Tied:
    """Return the first tie group with a relevant row, or an empty one."""
    return next((group for group in _tied(rank, relevance, k, rel) if group.r), _Tied(0.0, 0, 0, 0, []))


@with_empty()
def expected_rr(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Reciprocal rank, expected over all orders of tied rows.

    Formula: sum over i = 1..n - r + 1 with t + i <= k of C(n - i, r - 1) / C(n, r) / (t + i), for the first tie group
    with a relevant row; r of its n rows are relevant.
    Empty query: 0, or as set by `empty`.
    Source: McSherry and Najork, ECIR 2008.
    """
    t, n, r, c, _ = _first_relevant(rank, relevance, k, rel)
    return math.fsum(math.comb(n - i, r - 1) / math.comb(n, r) / (t + i) for i in range(1, min(n - r + 1, c) + 1))


@with_empty()
def expected_success(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Success, expected over all orders of tied rows.

    Formula: 1 - C(n - r, c) / C(n, c), for the first tie group with a relevant row. It has n rows, r of them relevant,
    and c positions in the top k.
    Empty query: 0, or as set by `empty`.
    Source: McSherry and Najork, ECIR 2008.
    """
    _, n, r, c, _ = _first_relevant(rank, relevance, k, rel)
    return 1 - math.comb(n - r, c) / math.comb(n, c)


@with_empty()
def expected_ap(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Average precision, expected over all orders of tied rows.

    Formula: (1/R) sum over the tie groups, and over i = 1..n with t + i <= k, of (r/n) (a + 1 + (i - 1) (r - 1) / (n -
    1)) / (t + i). r of the n rows are relevant, and a relevant rows are above the group; the last fraction is 0 if n =
    1.
    Empty query: 0, or as set by `empty`.
    Source: McSherry and Najork, ECIR 2008.
    """
    total = count_relevant(relevance, rel)
    terms: list[float] = []
    found = 0
    for t, n, r, c, _ in _tied(rank, relevance, k, rel):
        for i in range(1, c + 1):
            others = (i - 1) * (r - 1) / (n - 1) if n > 1 else 0.0
            terms.append(r / n * (found + 1 + others) / (t + i))
        found += r
    return math.fsum(terms) / total


def expected_ndcg(
    rank: Column,
    relevance: Column,
    *,
    k: int | None = None,
    gain: str = "linear",
    discount: str = "log2",
    ideal: str = "cut",
    level: float | None = None,
    empty: str = "0",
) -> float:
    """nDCG, expected over all orders of tied rows.

    Formula: (sum over the positions j in the top k of g_j / log2(j + 1)) / idcg(k), g_j = mean gain of the tie group at
    position j. With discount = 'rank' the divisor is j, and with ideal = 'whole' it is idcg; see `ndcg` for the others.
    Empty query (ideal DCG of 0): 0, or as set by `empty`.
    Source: McSherry and Najork, ECIR 2008; scikit-learn `ndcg_score`.
    """
    groups = _tied(rank, relevance, k)
    # The last position: a rank without a row is a document without a judgment.
    last = max((t + n for t, n, *_ in groups), default=0)
    best = ideal_dcg(relevance, ideal, k=k, retrieved=last, gain=gain, discount=discount, level=level)
    if best == 0:
        return value_if_empty(empty, rank)
    terms: list[float] = []
    for t, n, _, c, grades in groups:
        mean = math.fsum(gain_of(g, gain, level) for g in grades) / n
        terms += [mean / discount_of(t + i, discount) for i in range(1, c + 1)]
    return math.fsum(terms) / best
