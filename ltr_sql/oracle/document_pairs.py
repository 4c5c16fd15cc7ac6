"""Measures of document pairs, and of label rankings, in which documents may tie.

`tied` is the credit for a pair of documents at one rank: 0 counts it as incorrect, 0.5 as half correct.
"""

import math
from collections.abc import Sequence

from ltr_sql.oracle._rows import (
    Column,
    count_relevant,
    is_relevant,
    nonrelevant_ranks,
    relevant_ranks,
    rows_of,
    to_floats,
    value_if_empty,
    with_empty,
)
from ltr_sql.oracle.counts import num_ret


def pair_accuracy(
    rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0, empty: str = "skip"
) -> float:
    """Share of (relevant, other) document pairs in the top k with the relevant document above.

    Formula: 1 - (sum over the relevant rows in the top k of the number of other documents above) / (H_k (m - H_k)), m =
    min(k, n). Every position without a relevant row holds another document.
    Empty query (H_k = 0 or H_k = m): NaN, or as set by `empty`.
    Source: ir_measures `Accuracy`.
    """
    relevant = relevant_ranks(rank, relevance, k, rel)
    others = num_ret(rank, relevance, k=k) - len(relevant)
    if not relevant or not others:
        return value_if_empty(empty, rank)
    above = [i - sum(j <= i for j in relevant) for i in relevant]
    return 1 - sum(above) / (len(relevant) * others)


def _ordered_pairs(higher: Sequence[float], lower: Sequence[float], tied: float) -> tuple[float, int]:
    """Count the pairs of a rank in `higher` and a rank in `lower`: the correctly ordered pairs, and all pairs."""
    right = [1.0 if i < j else tied if i == j else 0.0 for i in higher for j in lower]
    return math.fsum(right), len(right)


def ranking_loss(rank: Column, relevance: Column, *, rel: float = 1.0, tied: float = 0.0, empty: str = "0") -> float:
    """Share of (relevant, nonrelevant) document pairs that are ordered incorrectly.

    Formula: 1 - (pairs with the relevant row above + tied * pairs of equal rank) / pairs, over the retrieved rows.
    Empty query (no pair): 0, or as set by `empty`.
    Source: scikit-learn `label_ranking_loss` (tied = 0).
    """
    relevant = relevant_ranks(rank, relevance, None, rel)
    others = nonrelevant_ranks(rank, relevance, rel)
    right, pairs = _ordered_pairs(relevant, others, tied)
    return 1 - right / pairs if pairs else value_if_empty(empty, rank)


def auc(rank: Column, relevance: Column, *, rel: float = 1.0, empty: str = "skip") -> float:
    """Area under the ROC curve of the judged documents of the ranking.

    Formula: (pairs with the relevant row above + pairs of equal rank / 2) / pairs, over the pairs of `ranking_loss`.
    Empty query (no pair): NaN, or as set by `empty`.
    Source: Hanley and McNeil, Radiology 143, 1982; CatBoost `QueryAUC` of type Classic.
    """
    relevant = relevant_ranks(rank, relevance, None, rel)
    others = nonrelevant_ranks(rank, relevance, rel)
    right, pairs = _ordered_pairs(relevant, others, 0.5)
    return right / pairs if pairs else value_if_empty(empty, rank)


def gauc(
    rank: Column, relevance: Column, *, rel: float = 1.0, weight: str = "impressions", empty: str = "skip"
) -> float:
    """GAUC: the AUC of one user, whose weight in the mean over users is `gauc_weight`.

    Formula: AUC. `weight` does not change the value of a user.
    Empty query (no pair): NaN, or as set by `empty`.
    Source: Zhu et al., Optimized Cost per Click in Taobao Display Advertising, KDD 2017.
    """
    gauc_weight(rank, relevance, rel=rel, weight=weight)
    return auc(rank, relevance, rel=rel, empty=empty)


def gauc_weight(rank: Column, relevance: Column, *, rel: float = 1.0, weight: str = "impressions") -> float:
    """Weight of a user in GAUC, which is sum of weight * AUC / sum of weight, over the users whose AUC is not NaN.

    Formula: |{retrieved rows : relevance >= 0}|, or with weight = 'clicks' |{retrieved rows : relevance >= rel}|.
    """
    clicks = len(relevant_ranks(rank, relevance, None, rel))
    weights = {"impressions": clicks + len(nonrelevant_ranks(rank, relevance, rel)), "clicks": clicks}
    return float(weights[weight])


def opa(rank: Column, relevance: Column, *, tied: float = 0.0, empty: str = "skip") -> float:
    """Ordered pair accuracy: the share of pairs of documents with different grades that are ordered correctly.

    Formula: (pairs with the higher grade above + tied * pairs of equal rank) / pairs, over pairs of retrieved rows with
    different grades of at least 0.
    Empty query (no pair): NaN, or as set by `empty`.
    Source: TF-Ranking `OPAMetric` (tied = 0); CatBoost `QueryAUC` of type Ranking (tied = 0.5).
    """
    rows = [(i, g) for i, g in rows_of(rank, relevance) if not math.isnan(i) and g >= 0]
    counts = [_ordered_pairs([i], [j for j, other in rows if other < g], tied) for i, g in rows]
    pairs = sum(count for _, count in counts)
    return math.fsum(right for right, _ in counts) / pairs if pairs else value_if_empty(empty, rank)


@with_empty("1")
def lrap(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """Label ranking average precision.

    Formula: (1/R) sum over the relevant retrieved rows of (relevant rows of that rank or above) / last. last = rank +
    rows of that rank - 1, because tied rows all take the last of their positions.
    Empty query: 1, or as set by `empty`.
    Source: scikit-learn `label_ranking_average_precision_score`.
    """
    total = count_relevant(relevance, rel)
    ranks = relevant_ranks(rank, relevance, None, rel)
    every = to_floats(rank).tolist()
    return math.fsum(sum(j <= i for j in ranks) / (i + every.count(i) - 1) for i in ranks) / total


@with_empty()
def coverage_error(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """Coverage error: the depth at which all relevant documents are found.

    Formula: largest value of rank + rows of that rank - 1 over the relevant rows. A relevant row that was not retrieved
    has the position n + (number of rows that were not retrieved and have a grade of at least 0).
    Empty query: 0, or as set by `empty`.
    Source: scikit-learn `coverage_error`.
    """
    every = to_floats(rank).tolist()
    missed = sum(math.isnan(i) and g >= 0 for i, g in rows_of(rank, relevance))
    end = num_ret(rank, relevance) + missed
    last = [
        end if math.isnan(i) else i + every.count(i) - 1 for i, g in rows_of(rank, relevance) if is_relevant(g, rel)
    ]
    return float(max(last, default=0.0))
