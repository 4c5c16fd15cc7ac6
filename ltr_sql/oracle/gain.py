"""Measures of graded relevance: the gain of a document depends on its grade."""

import math
from typing import Any

from ltr_sql.oracle._rows import (
    Column,
    check_gain,
    discount_of,
    gain_of,
    ideal_dcg,
    in_top,
    rows_of,
    to_floats,
    value_if_empty,
    with_empty,
)
from ltr_sql.oracle.counts import num_ret


@with_empty()
def graded_rbp(
    rank: Column, relevance: Column, *, k: int | None = None, p: float = 0.9, unit: float, level: float | None = None
) -> float:
    """Rank-biased precision of graded relevance; a user continues to the next rank with probability `p`.

    `unit` is the grade with the gain 1.

    Formula: (1 - p) sum over the rows in the top k of (g / unit) p^(rank - 1), g = grade, or 0 if it is missing,
    negative or below `level`.
    Empty query (no positive grade): 0, or as set by `empty`.
    Source: Moffat and Zobel, ACM TOIS 27(1), 2008; ranx `rbp` (unit = 1).
    """
    gains = [(i, gain_of(g, "linear", level) / unit) for i, g in rows_of(rank, relevance) if in_top(i, k)]
    return (1 - p) * math.fsum(g * p ** (i - 1) for i, g in gains)


@with_empty()
def cg(rank: Column, relevance: Column, *, k: int | None = None) -> float:
    """Cumulative gain: the sum of the grades in the top k.

    Formula: sum over the rows in the top k of max(relevance, 0), with 0 for a missing grade.
    Empty query (no positive grade): 0, or as set by `empty`.
    Source: Jarvelin and Kekalainen, ACM TOIS 20(4), 2002.
    """
    return math.fsum(gain_of(g, "linear") for i, g in rows_of(rank, relevance) if in_top(i, k))


@with_empty()
def dcg(
    rank: Column,
    relevance: Column,
    *,
    k: int | None = None,
    gain: str = "linear",
    discount: str = "log2",
    level: float | None = None,
) -> float:
    """Discounted cumulative gain of the ranking.

    Formula: sum over the rows in the top k of gain / log2(rank + 1), or of gain / rank with discount = 'rank'.
    Empty query (no positive grade): 0, or as set by `empty`.
    Source: Jarvelin and Kekalainen, ACM TOIS 20(4), 2002, with the discount of trec_eval; Burges et al., ICML 2005, for
    the exponential gain.
    """
    check_gain(gain)
    return math.fsum(
        gain_of(g, gain, level) / discount_of(i, discount) for i, g in rows_of(rank, relevance) if in_top(i, k)
    )


def idcg(
    rank: Column,
    relevance: Column,
    *,
    k: int | None = None,
    gain: str = "linear",
    discount: str = "log2",
    level: float | None = None,
) -> float:
    """DCG of the ideal ranking: all rows, retrieved or not, by descending gain.

    Formula: sum over j = 1..k of g_j / log2(j + 1), or of g_j / j with discount = 'rank'; g_1 >= g_2 >= ... are the
    gains of all rows.
    Empty query (no positive grade): 0.
    Source: Jarvelin and Kekalainen, ACM TOIS 20(4), 2002; trec_eval `ndcg`, `ndcg_cut` (ideal of judged documents, cut
    at k).
    """
    check_gain(gain)
    return ideal_dcg(relevance, "cut", k=k, retrieved=0, gain=gain, discount=discount, level=level)


def ndcg(
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
    """Normalised DCG: DCG divided by the ideal DCG.

    Formula: dcg(k) / idcg(k), or dcg(k) / idcg with ideal = 'whole'. With ideal = 'full' the divisor is the DCG of k
    rows, all with the largest gain. With ideal = 'returned' it is idcg(min(k, n)), n = number of retrieved rows.
    Empty query (ideal DCG of 0): 0, or as set by `empty`.
    Source: Jarvelin and Kekalainen, ACM TOIS 20(4), 2002; trec_eval `ndcg`, `ndcg_cut`.
    """
    own: dict[str, Any] = {"gain": gain, "discount": discount, "level": level}
    best = ideal_dcg(relevance, ideal, k=k, retrieved=num_ret(rank, relevance), **own)
    return dcg(rank, relevance, k=k, **own) / best if best > 0 else value_if_empty(empty, rank)


@with_empty()
def ndcg_rel(rank: Column, relevance: Column) -> float:
    """nDCG at the rank of each relevant document, averaged.

    Formula: mean over the m rows with relevance > 0 of dcg(i) / idcg(i) at their rank i, or of dcg / idcg if they have
    no rank.
    Empty query (m = 0): 0, or as set by `empty`.
    Source: trec_eval `ndcg_rel`.
    """
    ranks = [i for i, g in rows_of(rank, relevance) if g > 0]
    cutoffs = [None if math.isnan(i) else int(i) for i in ranks]
    return math.fsum(ndcg(rank, relevance, k=k) for k in cutoffs) / len(ranks)


@with_empty()
def rndcg(rank: Column, relevance: Column) -> float:
    """Mean nDCG over one cutoff per positive grade: the last position of the grade in the ideal ranking.

    Formula: mean of dcg(c) / idcg(c) over c_1 < ... < c_m, c_j = number of rows with at least the j-th highest positive
    grade. If n >= c_m + 2, the mean includes dcg / idcg.
    Empty query (no positive grade): 0, or as set by `empty`.
    Source: trec_eval `Rndcg`.
    """
    grades = [g for g in to_floats(relevance).tolist() if g > 0]
    values = [ndcg(rank, relevance, k=sum(g >= level for g in grades)) for level in set(grades)]
    if num_ret(rank, relevance) >= len(grades) + 2:
        values.append(ndcg(rank, relevance))
    return math.fsum(values) / len(values)


@with_empty()
def g(rank: Column, relevance: Column) -> float:
    """Gains discounted by how far the ranking lags behind the ideal ranking.

    Formula: sum over ranks i of g_i / log2(2 + Cost_i - Cum_i), divided by the sum of all gains. Cum_i = g_1 + ... +
    g_i; Cost_i = sum over j <= i of max(g*_j, 1), where g*_1 >= g*_2 >= ... are the gains of all rows, followed by
    zeros.
    Empty query (no positive grade): 0, or as set by `empty`.
    Source: trec_eval `G`.
    """
    gains = {i: gain_of(grade, "linear") for i, grade in rows_of(rank, relevance) if in_top(i, None) and grade > 0}
    ideal = sorted((gain_of(grade, "linear") for grade in to_floats(relevance).tolist()), reverse=True)
    value = cost = cumulated = 0.0
    for i in range(1, int(num_ret(rank, relevance)) + 1):
        cost += max(ideal[i - 1], 1.0) if i <= len(ideal) else 1.0
        cumulated += gains.get(i, 0.0)
        value += gains.get(i, 0.0) / math.log2(2 + cost - cumulated)
    return value / math.fsum(ideal)


def arelpos(rank: Column, relevance: Column, *, empty: str = "skip") -> float:
    """Average relevance position: the mean rank of the retrieved rows, weighted by gain.

    Formula: (sum of rank * gain) / (sum of gain) over the retrieved rows, gain = max(relevance, 0).
    Empty query (no positive grade retrieved): NaN, or as set by `empty`.
    Source: TF-Ranking `ARPMetric`.
    """
    gains = [(i, gain_of(g, "linear")) for i, g in rows_of(rank, relevance) if not math.isnan(i)]
    total = math.fsum(g for _, g in gains)
    return math.fsum(i * g for i, g in gains) / total if total > 0 else value_if_empty(empty, rank)


@with_empty()
def average_gain(rank: Column, relevance: Column, *, k: int | None = None) -> float:
    """Mean grade of the top k.

    Formula: cg(k) / min(k, n), 0 if n = 0.
    Empty query (no positive grade): 0, or as set by `empty`.
    Source: CatBoost `AverageGain`, `QueryAverage`.
    """
    n = num_ret(rank, relevance, k=k)
    return cg(rank, relevance, k=k) / n if n else 0.0


@with_empty()
def filtered_dcg(rank: Column, relevance: Column, *, k: int | None = None, gain: str = "linear") -> float:
    """DCG with the discount 1 / rank.

    Formula: sum over the rows in the top k of gain / rank.
    Empty query (no positive grade): 0, or as set by `empty`.
    Source: CatBoost `FilteredDCG`, of rankings without the documents that have a negative score.
    """
    return dcg(rank, relevance, k=k, gain=gain, discount="rank")
