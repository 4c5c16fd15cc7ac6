"""Plain numpy oracle: every measure written from its formula, one query at a time.

Shapes: each function takes the rows of ONE query as equally long 1-D sequences, in any order, and
returns a Python float (``math.nan`` where the measure is undefined).

- ``rank``: 1-based position, taken literally, so gaps (3, 7, 20) are legal; no position twice;
  NaN or None = judged but not retrieved.
- ``relevance``: the grade; NaN or None = not judged.
- ``doc_id``, ``subtopic``: only where a measure asks for them.

A row is relevant iff its relevance is not NaN and >= ``rel`` (``rel`` > 0). A row is in the top k
iff its rank is not NaN and <= k; ``k=None`` is the whole ranking. R = number of relevant rows,
retrieved or not. The gain of a row is 0 if its relevance is NaN or negative, else the relevance
(``gain='linear'``) or 2**relevance - 1 (``gain='exponential'``).
"""

import math
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

_Column = Sequence[float | None] | npt.NDArray[Any]
_Ids = Sequence[Hashable] | npt.NDArray[Any]
_Floats = npt.NDArray[np.float64]


def _floats(values: _Column) -> _Floats:
    """The column as a 1-D float array; None becomes NaN."""
    array = np.asarray(values, dtype=float)
    if array.ndim != 1:
        raise ValueError(f"expected a 1-D sequence, got {array.ndim} dimensions")
    return array


def _rows(rank: _Column, relevance: _Column) -> list[tuple[float, float]]:
    """The (rank, relevance) pairs of one query as Python floats."""
    return list(zip(_floats(rank).tolist(), _floats(relevance).tolist(), strict=True))


def _in_top(rank: float, k: int | None) -> bool:
    return not math.isnan(rank) and (k is None or rank <= k)


def _is_relevant(relevance: float, rel: float) -> bool:
    return not math.isnan(relevance) and relevance >= rel


def _relevant_ranks(rank: _Column, relevance: _Column, k: int | None, rel: float) -> list[float]:
    """Ranks of the relevant rows in the top k."""
    return [i for i, g in _rows(rank, relevance) if _is_relevant(g, rel) and _in_top(i, k)]


def _count_relevant(relevance: _Column, rel: float) -> int:
    """R: the number of relevant rows, retrieved or not."""
    return sum(_is_relevant(g, rel) for g in _floats(relevance).tolist())


def _gain(relevance: float, gain: str) -> float:
    if math.isnan(relevance) or relevance < 0:
        return 0.0
    if gain == "linear":
        return relevance
    return float(2.0**relevance - 1.0)


def _check_gain(gain: str) -> None:
    if gain not in ("linear", "exponential"):
        raise ValueError(f"unknown gain {gain!r}: expected 'linear' or 'exponential'")


def _id_bytes(identifier: Hashable) -> bytes:
    """The id as str in UTF-8; bytes compare like C's strcmp."""
    return str(identifier).encode("utf-8")


def success(rank: _Column, relevance: _Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Whether a relevant document is in the top k.

    Formula: 1 if some row is relevant and has rank <= k, else 0.
    Empty query (R = 0): 0.0.
    Source: trec_eval `success`.
    """
    return 1.0 if _relevant_ranks(rank, relevance, k, rel) else 0.0


def p(rank: _Column, relevance: _Column, *, k: int, rel: float = 1.0) -> float:
    """Precision: the share of the first k positions that hold a relevant document.

    Formula: (relevant in the top k) / k, with k as given even if fewer documents were retrieved.
    Empty query (R = 0): 0.0.
    Source: van Rijsbergen, Information Retrieval, 1979; trec_eval `P`.
    """
    return len(_relevant_ranks(rank, relevance, k, rel)) / k


def r(rank: _Column, relevance: _Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Recall: the share of the relevant documents that is in the top k.

    Formula: (relevant in the top k) / R.
    Empty query (R = 0): 0.0.
    Source: van Rijsbergen, Information Retrieval, 1979; trec_eval `recall`.
    """
    total = _count_relevant(relevance, rel)
    if total == 0:
        return 0.0
    return len(_relevant_ranks(rank, relevance, k, rel)) / total


def f1(rank: _Column, relevance: _Column, *, k: int, rel: float = 1.0) -> float:
    """F1: the harmonic mean of precision and recall at k.

    Formula: 2 P R / (P + R) with P = p(k), R = r(k); 0 if both are 0.
    Empty query (R = 0): 0.0.
    Source: van Rijsbergen, Information Retrieval, 1979 (F with beta = 1).
    """
    precision = p(rank, relevance, k=k, rel=rel)
    recall = r(rank, relevance, k=k, rel=rel)
    if precision + recall == 0:
        return 0.0
    return 2 * precision * recall / (precision + recall)


def ap(rank: _Column, relevance: _Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Average precision: the mean precision at the ranks of the relevant documents.

    Formula: (1/R) sum over the relevant rows in the top k of P(rank), where
    P(i) = (relevant rows with rank <= i) / i. The divisor is R also with a cutoff.
    Empty query (R = 0): 0.0.
    Source: Harman, TREC-1, 1992; trec_eval `map`, `map_cut`.
    """
    total = _count_relevant(relevance, rel)
    if total == 0:
        return 0.0
    ranks = _relevant_ranks(rank, relevance, k, rel)
    precisions = [sum(j <= i for j in ranks) / i for i in ranks]
    return math.fsum(precisions) / total


def rr(rank: _Column, relevance: _Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Reciprocal rank: one over the rank of the first relevant document in the top k.

    Formula: 1 / min{rank <= k : relevant}, 0 if there is none.
    Empty query (R = 0): 0.0.
    Source: Kantor and Voorhees, TREC-5 confusion track, 2000; trec_eval `recip_rank`.
    """
    ranks = _relevant_ranks(rank, relevance, k, rel)
    return 1.0 / min(ranks) if ranks else 0.0


def cg(rank: _Column, relevance: _Column, *, k: int | None = None) -> float:
    """Cumulated gain: the sum of the grades in the top k.

    Formula: sum over the rows in the top k of max(relevance, 0); a missing grade counts 0.
    Empty query (no positive grade): 0.0.
    Source: Jarvelin and Kekalainen, ACM TOIS 20(4), 2002.
    """
    return math.fsum(_gain(g, "linear") for i, g in _rows(rank, relevance) if _in_top(i, k))


def dcg(rank: _Column, relevance: _Column, *, k: int | None = None, gain: str = "linear") -> float:
    """Discounted cumulated gain of the ranking.

    Formula: sum over the rows in the top k of gain / log2(rank + 1).
    Empty query (no positive grade): 0.0.
    Source: Jarvelin and Kekalainen, ACM TOIS 20(4), 2002, with the discount of trec_eval and, for
    'exponential', the gain of Burges et al., ICML 2005.
    """
    _check_gain(gain)
    return math.fsum(_gain(g, gain) / math.log2(i + 1) for i, g in _rows(rank, relevance) if _in_top(i, k))


def idcg(rank: _Column, relevance: _Column, *, k: int | None = None, gain: str = "linear") -> float:
    """DCG of the ideal ranking: all rows, retrieved or not, by gain descending.

    Formula: sum over j = 1..k of g*_j / log2(j + 1), g*_1 >= g*_2 >= ... the gains of ALL rows.
    Empty query (no positive grade): 0.0.
    Source: as `dcg`; trec_eval `ndcg`, `ndcg_cut` (judged ideal, cut at k).
    """
    _check_gain(gain)
    gains = sorted((_gain(g, gain) for _, g in _rows(rank, relevance)), reverse=True)
    if k is not None:
        gains = gains[:k]
    return math.fsum(g / math.log2(j + 1) for j, g in enumerate(gains, start=1))


def ndcg(rank: _Column, relevance: _Column, *, k: int | None = None, gain: str = "linear") -> float:
    """Normalised DCG: DCG as a share of the ideal DCG.

    Formula: dcg(k) / idcg(k).
    Empty query (ideal 0): 0.0.
    Source: Jarvelin and Kekalainen, ACM TOIS 20(4), 2002; trec_eval `ndcg`, `ndcg_cut`.
    """
    ideal = idcg(rank, relevance, k=k, gain=gain)
    return dcg(rank, relevance, k=k, gain=gain) / ideal if ideal > 0 else 0.0


def _novelty_gains(ordered: list[set[Hashable]], alpha: float) -> list[float]:
    """Novelty gains of documents, given as the sets of subtopics they cover, best first."""
    seen: dict[Hashable, int] = {}
    gains = []
    for subtopics in ordered:
        gains.append(math.fsum((1 - alpha) ** seen.get(s, 0) for s in subtopics))
        for s in subtopics:
            seen[s] = seen.get(s, 0) + 1
    return gains


def _greedy_order(covers: dict[bytes, set[Hashable]], alpha: float, k: int | None) -> list[set[Hashable]]:
    """The first k documents of the greedy ideal, as the sets of subtopics that they cover."""
    # Ties must be mathematical ties. Floats break them: for alpha = 0.9 ten subtopics seen once
    # give 10 * (1 - 0.9) < 1, one unseen subtopic gives 1. So gains are compared as exact integers:
    # with 1 - alpha = a/b (the short fraction that the float stands for, here 1/10) and m
    # documents, a gain times b**m is a sum of (a/b)**c * b**m = a**c * b**(m - c), 0 <= c <= m.
    share = 1 - Fraction(alpha).limit_denominator(10**9)
    m = len(covers)
    power = [share.numerator**c * share.denominator ** (m - c) for c in range(m + 1)]
    seen: dict[Hashable, int] = {}
    remaining = dict(covers)
    order: list[set[Hashable]] = []
    while remaining and (k is None or len(order) < k):
        # Largest gain; among equal gains the highest doc_id in byte order.
        best = max(remaining, key=lambda doc: (sum(power[seen.get(s, 0)] for s in remaining[doc]), doc))
        subtopics = remaining.pop(best)
        order.append(subtopics)
        for s in subtopics:
            seen[s] = seen.get(s, 0) + 1
    return order


def alpha_ndcg(
    rank: _Column,
    relevance: _Column,
    *,
    doc_id: _Ids,
    subtopic: _Ids,
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Novelty-biased nDCG over subtopics; rows are (document, subtopic) pairs.

    A row with relevance >= rel says that the document covers the subtopic. All rows of a document
    have the same rank.

    Formula: A_k / A*_k. A_k = sum over the documents with rank i <= k of NG_i / log2(i + 1), NG_i
    = sum over the subtopics s of the document of (1 - alpha)**(documents ranked before it that
    cover s). A*_k is the same sum over the first k documents of the greedy ideal: repeatedly
    append, among ALL documents, retrieved or not, the one with the largest novelty gain given
    those chosen; equal gains: the highest doc_id (as str, in byte order).
    Empty query (nothing covered): 0.0.
    Source: Clarke et al., SIGIR 2008; tie rule of ndeval.
    """
    covers: dict[bytes, set[Hashable]] = {}
    rank_of: dict[bytes, float] = {}
    for (i, g), doc, s in zip(_rows(rank, relevance), doc_id, subtopic, strict=True):
        key = _id_bytes(doc)
        rank_of[key] = i
        covers.setdefault(key, set())
        if _is_relevant(g, rel):
            covers[key].add(s)

    # Documents that cover nothing have gain 0 and come last in the ideal: they add nothing.
    covers = {doc: subtopics for doc, subtopics in covers.items() if subtopics}
    if not covers:
        return 0.0

    retrieved = sorted((doc for doc in covers if _in_top(rank_of[doc], k)), key=rank_of.__getitem__)
    gains = _novelty_gains([covers[doc] for doc in retrieved], alpha)
    actual = math.fsum(g / math.log2(rank_of[doc] + 1) for doc, g in zip(retrieved, gains, strict=True))
    ideal_gains = _novelty_gains(_greedy_order(covers, alpha, k), alpha)
    ideal = math.fsum(g / math.log2(j + 1) for j, g in enumerate(ideal_gains, start=1))
    return actual / ideal if ideal > 0 else 0.0


def pair_with_ideal(rank: _Column, relevance: _Column) -> tuple[_Floats, _Floats]:
    """The judged rows of a ranking as two lists of ranks: the given one and the ideal one.

    Formula: for each row whose relevance is not NaN, in input order, rank_a = rank (NaN if not
    retrieved), rank_b = 1 + number of judged rows with a strictly larger relevance (competition
    rank: equal grades share the smallest position). Negative grades count with their value.
    Empty query (no judged row): two empty arrays.
    Source: the project's own pairing, for `kendall_distance`, `kendall_tau` and `spearman`.
    """
    judged = ~np.isnan(_floats(relevance))
    grades = _floats(relevance)[judged]
    rank_b = [1 + np.count_nonzero(grades > grade) for grade in grades]
    return _floats(rank)[judged], np.array(rank_b, dtype=float)


def _shared(rank_a: _Column, rank_b: _Column, k: int | None) -> list[tuple[float, float]]:
    """The (rank_a, rank_b) pairs of the items that are in the top k of both lists."""
    return [(a, b) for a, b in _rows(rank_a, rank_b) if _in_top(a, k) and _in_top(b, k)]


def _count_pairs(items: list[tuple[float, float]]) -> tuple[int, int, int, int]:
    """Pairs of items: concordant, discordant, tied in the first list only, in the second only."""
    concordant = discordant = tied_a = tied_b = 0
    for i, (a1, b1) in enumerate(items):
        for a2, b2 in items[i + 1 :]:
            if a1 == a2 and b1 == b2:
                continue
            if a1 == a2:
                tied_a += 1
            elif b1 == b2:
                tied_b += 1
            elif (a1 < a2) == (b1 < b2):
                concordant += 1
            else:
                discordant += 1
    return concordant, discordant, tied_a, tied_b


def kendall_distance(rank_a: _Column, rank_b: _Column, *, k: int | None = None) -> float:
    """Normalised Kendall distance: the share of item pairs that the two lists order differently.

    Formula: over the n items in the top k of both lists, discordant pairs / (n (n - 1) / 2); a
    pair tied in either list is not discordant.
    Empty query (n < 2): NaN.
    Source: Kendall, Biometrika 30, 1938.
    """
    items = _shared(rank_a, rank_b, k)
    n = len(items)
    if n < 2:
        return math.nan
    _, discordant, _, _ = _count_pairs(items)
    return discordant / (n * (n - 1) / 2)


def kendall_tau(rank_a: _Column, rank_b: _Column, *, k: int | None = None) -> float:
    """Kendall's tau-b, the rank correlation that corrects for ties.

    Formula: over the n items in the top k of both lists, (P - Q) / sqrt((P + Q + T)(P + Q + U)),
    P concordant, Q discordant, T tied in the first list only, U tied in the second list only.
    Empty query (n < 2, or one list constant: denominator 0): NaN.
    Source: Kendall, Biometrika 33, 1945; scipy.stats.kendalltau.
    """
    conc, disc, tied_a, tied_b = _count_pairs(_shared(rank_a, rank_b, k))
    denominator = math.sqrt((conc + disc + tied_a) * (conc + disc + tied_b))
    return (conc - disc) / denominator if denominator > 0 else math.nan


def _average_ranks(values: list[float]) -> list[float]:
    """Rank of each value, ascending from 1; equal values share the mean of their positions."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2 for value in values
    ]


def spearman(rank_a: _Column, rank_b: _Column, *, k: int | None = None) -> float:
    """Spearman's rank correlation.

    Formula: Pearson correlation of x and y, the average ranks of the n items in the top k of both
    lists among themselves: sum (x - m)(y - m) / sqrt(sum (x - m)^2 sum (y - m)^2), m = (n + 1)/2.
    Empty query (n < 2, or one list constant): NaN.
    Source: Spearman, American Journal of Psychology 15, 1904; scipy.stats.spearmanr.
    """
    items = _shared(rank_a, rank_b, k)
    mean = (len(items) + 1) / 2
    x = [value - mean for value in _average_ranks([a for a, _ in items])]
    y = [value - mean for value in _average_ranks([b for _, b in items])]
    denominator = math.sqrt(math.fsum(v * v for v in x) * math.fsum(v * v for v in y))
    if denominator == 0:
        return math.nan
    return math.fsum(v * w for v, w in zip(x, y, strict=True)) / denominator


def rank_by_score(
    score: _Column,
    *,
    doc_id: _Ids,
    relevance: _Column | None = None,
    row_order: _Column | None = None,
    given_rank: _Column | None = None,
    ties: str = "docid_desc",
) -> npt.NDArray[np.int64]:
    """The 1-based rank of each row when the rows are sorted by score descending.

    Formula: sort by score descending, NaN scores last (tied with each other); rows with equal
    scores by `ties`: 'docid_desc' (doc_id as str, in byte order, descending), 'docid_asc',
    'docid_desc_float32' (score rounded to single precision first, then docid_desc), 'row_order'
    (row_order ascending), 'rank' (given_rank ascending), 'worst' (relevance ascending) or 'best'
    (relevance descending), where a missing relevance counts as 0; what is still tied: docid_desc.
    Empty query (no rows): an empty array.
    Source: trec_eval 10 ('docid_desc'), trec_eval 9 ('docid_desc_float32').
    """
    scores = _floats(score)
    if ties == "docid_desc_float32":
        with np.errstate(over="ignore", under="ignore"):
            scores = scores.astype(np.float32).astype(float)

    def needed(column: _Column | None, name: str) -> list[float]:
        if column is None:
            raise ValueError(f"ties={ties!r} needs {name}")
        return list(map(float, _floats(column)))

    # tie_key: ascending, NaN last; the doc_id decides what it leaves tied.
    tie_key = [0.0] * len(scores)
    if ties == "row_order":
        tie_key = needed(row_order, "row_order")
    elif ties == "rank":
        tie_key = needed(given_rank, "given_rank")
    elif ties == "worst":
        tie_key = [0.0 if math.isnan(g) else g for g in needed(relevance, "relevance")]
    elif ties == "best":
        tie_key = [0.0 if math.isnan(g) else -g for g in needed(relevance, "relevance")]
    elif ties not in ("docid_desc", "docid_asc", "docid_desc_float32"):
        raise ValueError(
            f"unknown ties {ties!r}: expected 'docid_desc', 'docid_asc', 'docid_desc_float32', "
            "'row_order', 'rank', 'worst' or 'best'"
        )

    def ascending_nan_last(value: float) -> tuple[bool, float]:
        return (True, 0.0) if math.isnan(value) else (False, value)

    # Two stable sorts: by doc_id, then by score and tie key.
    rows = list(zip(scores.tolist(), tie_key, map(_id_bytes, doc_id), strict=True))
    order = sorted(range(len(rows)), key=lambda j: rows[j][2], reverse=ties != "docid_asc")
    order.sort(key=lambda j: (ascending_nan_last(-rows[j][0]), ascending_nan_last(rows[j][1])))
    ranks = np.empty(len(rows), dtype=np.int64)
    for position, j in enumerate(order, start=1):
        ranks[j] = position
    return ranks
