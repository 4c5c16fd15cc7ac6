"""Measures of rankings with ties: expectations over all orders of the documents that share a rank.

A tie group consists of the rows of one rank. With t positions above it and n rows, it takes the positions t + 1 to
t + n.
"""

import math

from ltr_sql.oracle._rows import (
    Column,
    count_relevant,
    discount_of,
    gain_of,
    ideal_dcg,
    in_top,
    is_relevant,
    rows_of,
    value_if_empty,
    with_empty,
)


def _tied(rank: Column, relevance: Column) -> list[tuple[float, list[float]]]:
    """Return the tie groups in rank order: the number of positions above, and the grades of the rows."""
    groups: dict[float, list[float]] = {}
    for i, g in rows_of(rank, relevance):
        if not math.isnan(i):
            groups.setdefault(i, []).append(g)
    return [(i - 1, groups[i]) for i in sorted(groups)]


def _tied_in_top(above: float, grades: list[float], k: int | None) -> int:
    """Return how many positions of a tie group are in the top k."""
    return len(grades) if k is None else max(0, min(len(grades), int(k - above)))


def _expected_hits(rank: Column, relevance: Column, k: int | None, rel: float) -> float:
    """Return E[H_k], the expected number of relevant rows in the top k."""
    return math.fsum(
        sum(is_relevant(g, rel) for g in grades) * _tied_in_top(above, grades, k) / len(grades)
        for above, grades in _tied(rank, relevance)
    )


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


def _first_relevant(rank: Column, relevance: Column, rel: float) -> tuple[float, int, int]:
    """Return the first tie group with a relevant row as (positions above, rows, relevant rows), or zeros."""
    for above, grades in _tied(rank, relevance):
        relevant = sum(is_relevant(g, rel) for g in grades)
        if relevant:
            return above, len(grades), relevant
    return 0.0, 0, 0


@with_empty()
def expected_rr(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Reciprocal rank, expected over all orders of tied rows.

    Formula: sum over i = 1..n - r + 1 with t + i <= k of C(n - i, r - 1) / C(n, r) / (t + i), for the first tie group
    with a relevant row; r of its n rows are relevant.
    Empty query: 0, or as set by `empty`.
    Source: McSherry and Najork, ECIR 2008.
    """
    t, n, r = _first_relevant(rank, relevance, rel)
    return math.fsum(
        math.comb(n - i, r - 1) / math.comb(n, r) / (t + i) for i in range(1, n - r + 2) if n and in_top(t + i, k)
    )


@with_empty()
def expected_success(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Success, expected over all orders of tied rows.

    Formula: 1 - C(n - r, c) / C(n, c), for the first tie group with a relevant row. It has n rows, r of them relevant,
    and c positions in the top k.
    Empty query: 0, or as set by `empty`.
    Source: McSherry and Najork, ECIR 2008.
    """
    t, n, r = _first_relevant(rank, relevance, rel)
    inside = _tied_in_top(t, [0.0] * n, k)
    return 1 - math.comb(n - r, inside) / math.comb(n, inside)


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
    for t, grades in _tied(rank, relevance):
        n, r = len(grades), sum(is_relevant(g, rel) for g in grades)
        for i in range(1, _tied_in_top(t, grades, k) + 1):
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
    # The last position: a rank without a row is a document without a judgment.
    last = max((t + len(grades) for t, grades in _tied(rank, relevance)), default=0)
    best = ideal_dcg(relevance, ideal, k=k, retrieved=last, gain=gain, discount=discount, level=level)
    if best == 0:
        return value_if_empty(empty, rank)
    terms: list[float] = []
    for t, grades in _tied(rank, relevance):
        mean = math.fsum(gain_of(g, gain, level) for g in grades) / len(grades)
        terms += [mean / discount_of(t + i, discount) for i in range(1, _tied_in_top(t, grades, k) + 1)]
    return math.fsum(terms) / best
