"""Plain numpy oracle: every measure written from its formula, one query at a time.

Shapes: each function takes the rows of ONE query as equally long 1-D sequences, in any order, and
returns a Python float (``math.nan`` where the measure is undefined).

- ``rank``: 1-based position, taken literally, so gaps (3, 7, 20) are legal; no position twice, but
  where a measure speaks of rows that share a rank; NaN or None = judged but not retrieved.
- ``relevance``: the grade; NaN or None = not judged.
- ``doc_id``, ``subtopic``: only where a measure asks for them.

A row is relevant iff its relevance is not NaN and >= ``rel`` (``rel`` > 0). A row is in the top k
iff its rank is not NaN and <= k; ``k=None`` is the whole ranking. R = number of relevant rows,
retrieved or not. The gain of a row is 0 if its relevance is NaN or negative, else the relevance
(``gain='linear'``) or 2**relevance - 1 (``gain='exponential'``).
"""

import math
from collections.abc import Callable, Hashable, Sequence
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


def _gain(relevance: float, gain: str, level: float | None = None) -> float:
    if math.isnan(relevance) or relevance < (0 if level is None else level):
        return 0.0
    if gain == "linear":
        return relevance
    return float(2.0**relevance - 1.0)


def _check_gain(gain: str) -> None:
    if gain not in ("linear", "exponential"):
        raise ValueError(f"unknown gain {gain!r}: expected 'linear' or 'exponential'")


def _discount(rank: float, discount: str) -> float:
    return {"log2": math.log2(rank + 1), "rank": float(rank)}[discount]


_EMPTY = {"0": 0.0, "1": 1.0, "skip": math.nan}


def _id_bytes(identifier: Hashable) -> bytes:
    """The id as str in UTF-8; bytes compare like C's strcmp."""
    return str(identifier).encode("utf-8")


def num_q(rank: _Column, relevance: _Column) -> float:
    """One for each query; the sum over queries is their number.

    Formula: 1.
    Empty query: 1.0.
    Source: trec_eval `num_q`.
    """
    return 1.0


def num_ret(rank: _Column, relevance: _Column, *, k: int | None = None) -> float:
    """The number of retrieved documents: ranks are 1 to n, and those without a row are not judged.

    Formula: min(k, n), n the largest rank, 0 if no row has one.
    Empty query (R = 0): as any other.
    Source: trec_eval `num_ret`.
    """
    n = max((i for i in _floats(rank).tolist() if not math.isnan(i)), default=0.0)
    return n if k is None else min(float(k), n)


def num_rel(rank: _Column, relevance: _Column, *, rel: float = 1.0) -> float:
    """The number of relevant documents, retrieved or not.

    Formula: R.
    Empty query (R = 0): 0.0.
    Source: trec_eval `num_rel`.
    """
    return float(_count_relevant(relevance, rel))


def num_rel_ret(rank: _Column, relevance: _Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """The number of relevant documents in the top k.

    Formula: H_k.
    Empty query (R = 0): 0.0.
    Source: trec_eval `num_rel_ret`; ranx `hits`.
    """
    return float(len(_relevant_ranks(rank, relevance, k, rel)))


def _nonrelevant_ranks(rank: _Column, relevance: _Column, rel: float) -> list[float]:
    """Ranks of the retrieved rows that are judged not relevant: a negative grade is no judgment."""
    return [i for i, g in _rows(rank, relevance) if _in_top(i, None) and 0 <= g < rel]


def num_nonrel_judged_ret(rank: _Column, relevance: _Column, *, rel: float = 1.0) -> float:
    """The number of retrieved documents that are judged not relevant.

    Formula: |{rows with a rank : 0 <= relevance < rel}|.
    Empty query (R = 0): as any other.
    Source: trec_eval `num_nonrel_judged_ret`.
    """
    return float(len(_nonrelevant_ranks(rank, relevance, rel)))


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


def precision_at(rank: _Column, relevance: _Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Precision among the documents that there are: the share of the top min(k, n) that is relevant.

    Formula: (relevant in the top k) / min(k, n), n the largest rank; 0 if nothing was retrieved.
    Empty query (R = 0): 0.0.
    Source: CatBoost `PrecisionAt`, XGBoost `pre`.
    """
    retrieved = num_ret(rank, relevance, k=k)
    return len(_relevant_ranks(rank, relevance, k, rel)) / retrieved if retrieved else 0.0


def r(rank: _Column, relevance: _Column, *, k: int | None = None, rel: float = 1.0, empty: str = "0") -> float:
    """Recall: the share of the relevant documents that is in the top k.

    Formula: (relevant in the top k) / R.
    Empty query (R = 0): 0.0, or as `empty` says ('skip': NaN).
    Source: van Rijsbergen, Information Retrieval, 1979; trec_eval `recall`.
    """
    total = _count_relevant(relevance, rel)
    if total == 0:
        return _EMPTY[empty]
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


def ap(
    rank: _Column,
    relevance: _Column,
    *,
    k: int | None = None,
    rel: float = 1.0,
    divisor: str = "relevant",
    empty: str = "0",
) -> float:
    """Average precision: the mean precision at the ranks of the relevant documents.

    Formula: (1/divisor) sum over the relevant rows in the top k of P(rank), where
    P(i) = (relevant rows with rank <= i) / i. The divisor is R also with a cutoff, or min(R, k)
    ('reachable'), or the number of relevant rows in the top k ('found'; 0 if there are none).
    Empty query (R = 0): 0.0, or as `empty` says ('skip': NaN).
    Source: Harman, TREC-1, 1992; trec_eval `map`, `map_cut`.
    """
    total = _count_relevant(relevance, rel)
    if total == 0:
        return _EMPTY[empty]
    ranks = _relevant_ranks(rank, relevance, k, rel)
    precisions = [sum(j <= i for j in ranks) / i for i in ranks]
    divisors = {"relevant": total, "reachable": total if k is None else min(total, k), "found": len(ranks)}
    return math.fsum(precisions) / divisors[divisor] if ranks else 0.0


def gmap(rank: _Column, relevance: _Column, *, rel: float = 1.0) -> float:
    """Average precision, of which the mean over queries is geometric.

    Formula: AP; over queries exp(mean of ln max(AP, 1e-5)).
    Empty query (R = 0): 0.0.
    Source: Robertson, CIKM 2006; trec_eval `gm_map`.
    """
    return ap(rank, relevance, rel=rel)


def rprec(rank: _Column, relevance: _Column, *, rel: float = 1.0) -> float:
    """R-precision: the precision at rank R.

    Formula: H_R / R.
    Empty query (R = 0): 0.0.
    Source: trec_eval `Rprec`.
    """
    total = _count_relevant(relevance, rel)
    return p(rank, relevance, k=total, rel=rel) if total else 0.0


def rprec_mult(rank: _Column, relevance: _Column, *, multiple: float, rel: float = 1.0) -> float:
    """Precision at a multiple of R.

    Formula: H_c / c, c = floor(multiple R + 0.9); 0 if c = 0.
    Empty query (R = 0): 0.0.
    Source: trec_eval `Rprec_mult`.
    """
    cutoff = math.floor(multiple * _count_relevant(relevance, rel) + 0.9)
    return p(rank, relevance, k=cutoff, rel=rel) if cutoff else 0.0


def rcap(rank: _Column, relevance: _Column, *, k: int, rel: float = 1.0) -> float:
    """Capped recall: relevant documents in the top k, of those that it could hold.

    Formula: H_k / min(R, k).
    Empty query (R = 0): 0.0.
    Source: trec_eval `relative_P`; BEIR `R_cap`.
    """
    total = _count_relevant(relevance, rel)
    return len(_relevant_ranks(rank, relevance, k, rel)) / min(total, k) if total else 0.0


def bpref(rank: _Column, relevance: _Column, *, rel: float = 1.0) -> float:
    """Binary preference: how seldom judged non-relevant documents stand above relevant ones.

    Formula: (1/R) sum over the relevant retrieved rows of 1 if nr = 0, else
    1 - min(nr, R) / min(N, R), nr = number of rows above with 0 <= relevance < rel, N = number of
    such rows, retrieved or not.
    Empty query (R = 0): 0.0.
    Source: Buckley and Voorhees, SIGIR 2004; trec_eval `bpref`.
    """
    total = _count_relevant(relevance, rel)
    if total == 0:
        return 0.0
    nonrelevant = _nonrelevant_ranks(rank, relevance, rel)
    all_nonrelevant = sum(0 <= g < rel for g in _floats(relevance).tolist())
    value = 0.0
    for i in _relevant_ranks(rank, relevance, None, rel):
        above = sum(j < i for j in nonrelevant)
        value += 1.0 if above == 0 else 1.0 - min(above, total) / min(all_nonrelevant, total)
    return value / total


def gmbpref(rank: _Column, relevance: _Column, *, rel: float = 1.0) -> float:
    """Bpref, of which the mean over queries is geometric.

    Formula: Bpref; over queries exp(mean of ln max(Bpref, 1e-5)).
    Empty query (R = 0): 0.0.
    Source: Robertson, CIKM 2006; trec_eval `gm_bpref`.
    """
    return bpref(rank, relevance, rel=rel)


def iprec(rank: _Column, relevance: _Column, *, recall: float, rounding: str = "te10", rel: float = 1.0) -> float:
    """Interpolated precision at a level of recall.

    Formula: max of P(i) = H_i / i over the ranks i at which the c-th relevant document has been
    reached; 0 if it never is. c is recall R, rounded half up ('te10', as in trec_eval 10) or
    floor(recall R + 0.9) ('te9', as in trec_eval 9).
    Empty query (R = 0): 0.0.
    Source: Salton and McGill 1983; trec_eval `iprec_at_recall`.
    """
    if rounding not in ("te9", "te10"):
        raise ValueError(f"unknown rounding {rounding!r}: expected 'te9' or 'te10'")
    needed = math.floor(recall * _count_relevant(relevance, rel) + (0.9 if rounding == "te9" else 0.5))
    best = 0.0
    ranks = _relevant_ranks(rank, relevance, None, rel)
    for i in range(1, int(num_ret(rank, relevance)) + 1):
        found = sum(j <= i for j in ranks)
        if found >= needed:
            best = max(best, found / i)
    return best


def iprec_avg(rank: _Column, relevance: _Column, *, rounding: str = "te10", rel: float = 1.0) -> float:
    """Interpolated precision, averaged over eleven levels of recall.

    Formula: mean of iprec(x) over x = 0, 0.1, ..., 1.
    Empty query (R = 0): 0.0.
    Source: Salton and McGill 1983; trec_eval `11pt_avg`.
    """
    levels = [tenths / 10 for tenths in range(11)]
    return math.fsum(iprec(rank, relevance, recall=level, rounding=rounding, rel=rel) for level in levels) / 11


def infap(rank: _Column, relevance: _Column, *, rel: float = 1.0) -> float:
    """Inferred average precision, for judgments that are a sample.

    Formula: (1/R) sum over the relevant retrieved rows of 1 if the rank i is 1, else
    1/i + ((i - 1)/i) ((a + b + p)/(i - 1)) ((a + e)/(a + b + 2 e)), with, above i, a relevant rows,
    b rows with 0 <= relevance < rel, p rows with relevance < 0; e = 1e-5.
    Empty query (R = 0): 0.0.
    Source: Yilmaz and Aslam, CIKM 2006; trec_eval `infAP`.
    """
    total = _count_relevant(relevance, rel)
    if total == 0:
        return 0.0
    relevant = _relevant_ranks(rank, relevance, None, rel)
    nonrelevant = _nonrelevant_ranks(rank, relevance, rel)
    pooled = [i for i, g in _rows(rank, relevance) if _in_top(i, None) and g < 0]
    value = 0.0
    for i in relevant:
        if i == 1:
            value += 1.0
            continue
        a, b, p = (sum(j < i for j in ranks) for ranks in (relevant, nonrelevant, pooled))
        value += 1 / i + (i - 1) / i * (a + b + p) / (i - 1) * (a + 1e-5) / (a + b + 2e-5)
    return value / total


def yaap(rank: _Column, relevance: _Column, *, rel: float = 1.0) -> float:
    """Yet another average precision: AP as the logarithm of an odds ratio.

    Formula: ln((1 + S) / (1 + R - S)), S = sum over the relevant retrieved rows of P(rank).
    Empty query (R = 0): 0.0.
    Source: Robertson, EVIA 2012; trec_eval `yaap`.
    """
    total = _count_relevant(relevance, rel)
    precisions = total * ap(rank, relevance, rel=rel)
    return math.log((1 + precisions) / (1 + total - precisions))


def bin_g(rank: _Column, relevance: _Column, *, rel: float = 1.0) -> float:
    """Relevant documents, each discounted by the documents above it that are not relevant.

    Formula: (1/R) sum over the relevant retrieved rows of 1 / log2(2 + i - H_i).
    Empty query (R = 0): 0.0.
    Source: trec_eval `binG`.
    """
    total = _count_relevant(relevance, rel)
    if total == 0:
        return 0.0
    ranks = _relevant_ranks(rank, relevance, None, rel)
    return math.fsum(1 / math.log2(2 + i - sum(j <= i for j in ranks)) for i in ranks) / total


def set_p(rank: _Column, relevance: _Column, *, rel: float = 1.0) -> float:
    """Precision of the retrieved set.

    Formula: H / n, 0 if n = 0.
    Empty query (R = 0): 0.0.
    Source: van Rijsbergen, Information Retrieval, 1979; trec_eval `set_P`.
    """
    n = num_ret(rank, relevance)
    return num_rel_ret(rank, relevance, rel=rel) / n if n else 0.0


def set_relative_p(rank: _Column, relevance: _Column, *, rel: float = 1.0) -> float:
    """Relevant documents retrieved, of those that a set of this size could hold.

    Formula: H / min(n, R), 0 if either is 0.
    Empty query (R = 0): 0.0.
    Source: trec_eval `set_relative_P`.
    """
    possible = min(num_ret(rank, relevance), num_rel(rank, relevance, rel=rel))
    return num_rel_ret(rank, relevance, rel=rel) / possible if possible else 0.0


def set_ap(rank: _Column, relevance: _Column, *, rel: float = 1.0) -> float:
    """Precision of the retrieved set times its recall.

    Formula: H^2 / (n R), 0 if either is 0.
    Empty query (R = 0): 0.0.
    Source: trec_eval `set_map`.
    """
    hits = num_rel_ret(rank, relevance, rel=rel)
    return hits**2 / (num_ret(rank, relevance) * num_rel(rank, relevance, rel=rel)) if hits else 0.0


def set_f(rank: _Column, relevance: _Column, *, beta_squared: float = 1.0, rel: float = 1.0) -> float:
    """Weighted harmonic mean of the precision and recall of the retrieved set.

    Formula: (1 + b) P Rc / (b P + Rc), P = H / n, Rc = H / R, b = beta_squared; 0 if H = 0.
    Empty query (R = 0): 0.0.
    Source: van Rijsbergen, Information Retrieval, 1979; trec_eval `set_F`, whose parameter is b.
    """
    hits = num_rel_ret(rank, relevance, rel=rel)
    if hits == 0:
        return 0.0
    precision, recall = hits / num_ret(rank, relevance), hits / num_rel(rank, relevance, rel=rel)
    return (1 + beta_squared) * precision * recall / (beta_squared * precision + recall)


def utility(
    rank: _Column,
    relevance: _Column,
    *,
    rel_ret: float = 1.0,
    nonrel_ret: float = -1.0,
    rel_missed: float = 0.0,
    nonrel_missed: float = 0.0,
    collection_size: float = 0.0,
    rel: float = 1.0,
) -> float:
    """What the documents are worth, by whether they are relevant and retrieved.

    Formula: rel_ret H + nonrel_ret (n - H) + rel_missed (R - H) + nonrel_missed (M + H - n - R),
    M = collection_size.
    Empty query (R = 0): as any other.
    Source: trec_eval `utility`.
    """
    n, found, total = num_ret(rank, relevance), num_rel_ret(rank, relevance, rel=rel), num_rel(rank, relevance, rel=rel)
    return (
        rel_ret * found
        + nonrel_ret * (n - found)
        + rel_missed * (total - found)
        + nonrel_missed * (collection_size + found - n - total)
    )


def unj(rank: _Column, relevance: _Column, *, k: int) -> float:
    """The share of the first k positions that hold a document without a judgment.

    Formula: (ranks i <= min(k, n) at which no row has relevance >= 0) / k.
    Empty query (R = 0): as any other.
    Source: trec_eval `unj`.
    """
    judged = {i for i, g in _rows(rank, relevance) if g >= 0}
    return sum(i not in judged for i in range(1, int(num_ret(rank, relevance, k=k)) + 1)) / k


def judged(rank: _Column, relevance: _Column, *, k: int | None = None) -> float:
    """The share of the retrieved documents of the top k that the judgments hold.

    Formula: (ranks i <= k of rows with a relevance, negative too) / min(k, n), 0 if n = 0.
    Empty query (R = 0): as any other.
    Source: ir_measures `Judged`; trec_eval `judged`.
    """
    n = num_ret(rank, relevance, k=k)
    return sum(_in_top(i, k) and not math.isnan(g) for i, g in _rows(rank, relevance)) / n if n else 0.0


def rbp(rank: _Column, relevance: _Column, *, k: int | None = None, p: float = 0.9, rel: float = 1.0) -> float:
    """Rank-biased precision, binary.

    Formula: (1 - p) sum over the relevant rows in the top k of p^(rank - 1).
    Empty query (R = 0): 0.0.
    Source: Moffat and Zobel, ACM TOIS 27(1), 2008; trec_eval `rbp`.
    """
    return (1 - p) * math.fsum(p ** (i - 1) for i in _relevant_ranks(rank, relevance, k, rel))


def graded_rbp(
    rank: _Column,
    relevance: _Column,
    *,
    k: int | None = None,
    p: float = 0.9,
    unit: float,
    level: float | None = None,
) -> float:
    """Rank-biased precision, graded.

    Formula: (1 - p) sum over the rows in the top k of (relevance / unit) p^(rank - 1); a missing or
    negative grade counts 0, and so does one below `level`.
    Empty query (no positive grade): 0.0.
    Source: Moffat and Zobel, ACM TOIS 27(1), 2008; ranx `rbp` (unit = 1).
    """
    gains = [(i, _gain(g, "linear", level) / unit) for i, g in _rows(rank, relevance) if _in_top(i, k)]
    return (1 - p) * math.fsum(g * p ** (i - 1) for i, g in gains)


def rbp_resid(rank: _Column, relevance: _Column, *, p: float = 0.9) -> float:
    """What RBP leaves open: the most that documents without a judgment could add.

    Formula: (1 - p) sum over the ranks i <= n at which no row has relevance >= 0 of p^(i - 1),
    plus p^n; 0 if there is no such rank.
    Empty query (R = 0): as any other.
    Source: Moffat and Zobel, ACM TOIS 27(1), 2008; trec_eval `rbp_resid`.
    """
    n = int(num_ret(rank, relevance))
    known = {i for i, g in _rows(rank, relevance) if g >= 0}
    unknown = [i for i in range(1, n + 1) if i not in known]
    return (1 - p) * math.fsum(p ** (i - 1) for i in unknown) + p**n if unknown else 0.0


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


def dcg(
    rank: _Column,
    relevance: _Column,
    *,
    k: int | None = None,
    gain: str = "linear",
    discount: str = "log2",
    level: float | None = None,
) -> float:
    """Discounted cumulated gain of the ranking.

    Formula: sum over the rows in the top k of gain / log2(rank + 1), or with discount 'rank' of gain / rank; a
    grade below `level` has the gain 0.
    Empty query (no positive grade): 0.0.
    Source: Jarvelin and Kekalainen, ACM TOIS 20(4), 2002, with the discount of trec_eval and, for
    'exponential', the gain of Burges et al., ICML 2005.
    """
    _check_gain(gain)
    return math.fsum(_gain(g, gain, level) / _discount(i, discount) for i, g in _rows(rank, relevance) if _in_top(i, k))


def idcg(
    rank: _Column,
    relevance: _Column,
    *,
    k: int | None = None,
    gain: str = "linear",
    discount: str = "log2",
    level: float | None = None,
) -> float:
    """DCG of the ideal ranking: all rows, retrieved or not, by gain descending.

    Formula: sum over j = 1..k of g*_j / log2(j + 1), or / j with discount 'rank'; g*_1 >= g*_2 >= ... the
    gains of ALL rows, 0 for a grade below `level`.
    Empty query (no positive grade): 0.0.
    Source: as `dcg`; trec_eval `ndcg`, `ndcg_cut` (judged ideal, cut at k).
    """
    _check_gain(gain)
    gains = sorted((_gain(g, gain, level) for _, g in _rows(rank, relevance)), reverse=True)
    if k is not None:
        gains = gains[:k]
    return math.fsum(g / _discount(j, discount) for j, g in enumerate(gains, start=1))


def ndcg(
    rank: _Column,
    relevance: _Column,
    *,
    k: int | None = None,
    gain: str = "linear",
    discount: str = "log2",
    ideal: str = "cut",
    empty: str = "0",
    level: float | None = None,
) -> float:
    """Normalised DCG: DCG as a share of the ideal DCG.

    Formula: dcg(k) / idcg(k), or with ideal 'whole' dcg(k) / idcg.
    Empty query (ideal 0): 0.0, or as `empty` says ('skip': NaN).
    Source: Jarvelin and Kekalainen, ACM TOIS 20(4), 2002; trec_eval `ndcg`, `ndcg_cut`.
    """
    best = idcg(rank, relevance, k=k if ideal == "cut" else None, gain=gain, discount=discount, level=level)
    return dcg(rank, relevance, k=k, gain=gain, discount=discount, level=level) / best if best > 0 else _EMPTY[empty]


def ndcg_rel(rank: _Column, relevance: _Column) -> float:
    """nDCG at the rank of each relevant document, averaged.

    Formula: over the m rows of relevance > 0, the mean of dcg(i) / idcg(i) at their rank i, and of
    dcg / idcg for those without a rank.
    Empty query (m = 0): 0.0.
    Source: trec_eval `ndcg_rel`.
    """
    ranks = [i for i, g in _rows(rank, relevance) if g > 0]
    if not ranks:
        return 0.0
    cutoffs = [None if math.isnan(i) else int(i) for i in ranks]
    return math.fsum(ndcg(rank, relevance, k=k) for k in cutoffs) / len(ranks)


def rndcg(rank: _Column, relevance: _Column) -> float:
    """nDCG at the ranks where the ideal ranking ends a grade, averaged.

    Formula: the mean of dcg(c) / idcg(c) over c_1 < ... < c_m, c_j = number of rows whose
    relevance is at least the j-th highest positive grade; one more such value for the whole
    ranking if n >= c_m + 2.
    Empty query (no positive grade): 0.0.
    Source: trec_eval `Rndcg`.
    """
    grades = [g for g in _floats(relevance).tolist() if g > 0]
    if not grades:
        return 0.0
    values = [ndcg(rank, relevance, k=sum(g >= level for g in grades)) for level in set(grades)]
    if num_ret(rank, relevance) >= len(grades) + 2:
        values.append(ndcg(rank, relevance))
    return math.fsum(values) / len(values)


def g(rank: _Column, relevance: _Column) -> float:
    """Gains, discounted by how far the ranking lags behind the ideal one.

    Formula: sum over ranks i of g_i / log2(2 + Cost_i - Cum_i), divided by the sum of all gains.
    Cum_i = g_1 + ... + g_i; Cost_i = sum over j <= i of max(g*_j, 1), g*_1 >= g*_2 >= ... the gains
    of ALL rows, 0 after the last.
    Empty query (no positive grade): 0.0.
    Source: trec_eval `G`.
    """
    gains = {i: _gain(grade, "linear") for i, grade in _rows(rank, relevance) if _in_top(i, None) and grade > 0}
    ideal = sorted((_gain(grade, "linear") for grade in _floats(relevance).tolist()), reverse=True)
    if sum(ideal) == 0:
        return 0.0
    value = cost = cumulated = 0.0
    for i in range(1, int(num_ret(rank, relevance)) + 1):
        cost += max(ideal[i - 1], 1.0) if i <= len(ideal) else 1.0
        cumulated += gains.get(i, 0.0)
        value += gains.get(i, 0.0) / math.log2(2 + cost - cumulated)
    return value / math.fsum(ideal)


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


def _coverage(
    rank: _Column, relevance: _Column, doc_id: _Ids, subtopic: _Ids, rel: float
) -> tuple[dict[bytes, set[Hashable]], dict[bytes, float]]:
    """The documents that cover anything: the subtopics that each covers, and the rank of each."""
    covers: dict[bytes, set[Hashable]] = {}
    rank_of: dict[bytes, float] = {}
    for (i, g), doc, s in zip(_rows(rank, relevance), doc_id, subtopic, strict=True):
        if _is_relevant(g, rel) and s is not None:
            covers.setdefault(_id_bytes(doc), set()).add(s)
            rank_of[_id_bytes(doc)] = i
    return covers, rank_of


def _count_subtopics(covers: dict[bytes, set[Hashable]]) -> int:
    """S: the number of subtopics that a document covers, retrieved or not."""
    return len({s for subtopics in covers.values() for s in subtopics})


def _retrieved(covers: dict[bytes, set[Hashable]], rank_of: dict[bytes, float], k: int | None) -> list[bytes]:
    """The documents of the top k that cover anything, best first."""
    return sorted((doc for doc in covers if _in_top(rank_of[doc], k)), key=rank_of.__getitem__)


def _novelty(
    covers: dict[bytes, set[Hashable]],
    rank_of: dict[bytes, float],
    k: int | None,
    alpha: float,
    discount: Callable[[float], float],
) -> float:
    """The sum over the top k of novelty gain times discount of the rank."""
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
    """Novelty as a share of what k documents would have that cover every subtopic each."""
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
    """Novelty as a share of that of the greedy ideal ranking."""
    ideal_gains = _novelty_gains(_greedy_order(covers, alpha, k), alpha)
    ideal = math.fsum(g * discount(j) for j, g in enumerate(ideal_gains, start=1))
    return _novelty(covers, rank_of, k, alpha, discount) / ideal if ideal > 0 else 0.0


def _by_log(rank: float) -> float:
    return 1 / math.log2(rank + 1)


def _by_rank(rank: float) -> float:
    return 1 / rank


def alpha_dcg(
    rank: _Column,
    relevance: _Column,
    *,
    doc_id: _Ids,
    subtopic: _Ids,
    k: int,
    alpha: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Novelty-biased DCG over subtopics; rows are (document, subtopic) pairs.

    A row with relevance >= rel and a subtopic says that the document covers the subtopic. All rows of a document
    have the same rank. S is the number of subtopics that any row says a document covers, retrieved or not.

    Formula: A_k / Z_k. A_k = sum over the documents with rank i <= k of NG_i / log2(i + 1), NG_i
    = sum over the subtopics s of the document of (1 - alpha)**(documents ranked before it that
    cover s). Z_k = S * sum over i = 1..k of (1 - alpha)**(i - 1) / log2(i + 1).
    Empty query (nothing covered): 0.0.
    Source: Clarke et al., SIGIR 2008; ndeval `alpha-DCG`, which does not divide at k = 1.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    return _share_of_largest(covers, rank_of, k, alpha, _by_log)


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
    """Novelty-biased nDCG over subtopics; rows as in `alpha_dcg`.

    Formula: A_k / A*_k, A_k as in `alpha_dcg`. A*_k is the same sum over the first k documents of
    the greedy ideal: repeatedly append, among ALL documents, retrieved or not, the one with the
    largest novelty gain given those chosen; equal gains: the highest doc_id (as str, in byte order).
    Empty query (nothing covered): 0.0.
    Source: Clarke et al., SIGIR 2008; tie rule of ndeval.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    return _share_of_ideal(covers, rank_of, k, alpha, _by_log)


def err_ia(
    rank: _Column,
    relevance: _Column,
    *,
    doc_id: _Ids,
    subtopic: _Ids,
    k: int,
    alpha: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Intent-aware expected reciprocal rank; rows as in `alpha_dcg`.

    Formula: as `alpha_dcg` with 1 / i in place of 1 / log2(i + 1), in both sums.
    Empty query (nothing covered): 0.0.
    Source: Chapelle et al., CIKM 2009; ndeval `ERR-IA`, which does not divide at k = 1.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    return _share_of_largest(covers, rank_of, k, alpha, _by_rank)


def nerr_ia(
    rank: _Column,
    relevance: _Column,
    *,
    doc_id: _Ids,
    subtopic: _Ids,
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Intent-aware expected reciprocal rank as a share of the ideal; rows as in `alpha_dcg`.

    Formula: as `alpha_ndcg` with 1 / i in place of 1 / log2(i + 1), in both sums.
    Empty query (nothing covered): 0.0.
    Source: Chapelle et al., CIKM 2009; ndeval `nERR-IA`.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    return _share_of_ideal(covers, rank_of, k, alpha, _by_rank)


def nrbp(
    rank: _Column,
    relevance: _Column,
    *,
    doc_id: _Ids,
    subtopic: _Ids,
    alpha: float = 0.5,
    beta: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Novelty- and rank-biased precision; rows as in `alpha_dcg`.

    Formula: (1 - (1 - alpha) * beta) / S * sum over all ranks i of beta**(i - 1) * NG_i, S and NG_i
    as in `alpha_dcg`; 0**0 = 1.
    Empty query (nothing covered): 0.0.
    Source: Clarke, Kolla and Vechtomova, ICTIR 2009; ndeval `NRBP`.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    if not covers:
        return 0.0
    gained = _novelty(covers, rank_of, None, alpha, lambda i: beta ** (i - 1))
    return (1 - (1 - alpha) * beta) / _count_subtopics(covers) * gained


def nnrbp(
    rank: _Column,
    relevance: _Column,
    *,
    doc_id: _Ids,
    subtopic: _Ids,
    alpha: float = 0.5,
    beta: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Novelty- and rank-biased precision as a share of the ideal; rows as in `alpha_dcg`.

    Formula: sum over all ranks i of beta**(i - 1) * NG_i, divided by the same sum over the greedy
    ideal of `alpha_ndcg`: the factor of `nrbp` is the same for both.
    Empty query (nothing covered): 0.0, where ndeval has NaN.
    Source: Clarke, Kolla and Vechtomova, ICTIR 2009; ndeval `nNRBP`.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    return _share_of_ideal(covers, rank_of, None, alpha, lambda i: beta ** (i - 1))


def ap_ia(
    rank: _Column,
    relevance: _Column,
    *,
    doc_id: _Ids,
    subtopic: _Ids,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """Intent-aware average precision; rows as in `alpha_dcg`.

    Formula: (1/S) sum over the subtopics s of AP_s; AP_s = (1/R_s) sum over the documents that
    cover s and have rank i <= k of (documents with rank <= i that cover s) / i, R_s = documents
    that cover s, retrieved or not.
    Empty query (nothing covered): 0.0.
    Source: Agrawal et al., WSDM 2009; ndeval `MAP-IA`.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    values = []
    for s in {s for subtopics in covers.values() for s in subtopics}:
        ranks = [rank_of[doc] for doc, subtopics in covers.items() if s in subtopics]
        values.append(ap(ranks, [1.0] * len(ranks), k=k))
    return math.fsum(values) / len(values) if values else 0.0


def p_ia(
    rank: _Column,
    relevance: _Column,
    *,
    doc_id: _Ids,
    subtopic: _Ids,
    k: int,
    rel: float = 1.0,
) -> float:
    """Intent-aware precision; rows as in `alpha_dcg`.

    Formula: sum over the documents with rank i <= k of the number of subtopics that each covers,
    divided by k * S.
    Empty query (nothing covered): 0.0.
    Source: Agrawal et al., WSDM 2009; ndeval `P-IA`.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    if not covers:
        return 0.0
    return sum(len(covers[doc]) for doc in _retrieved(covers, rank_of, k)) / (k * _count_subtopics(covers))


def strecall(
    rank: _Column,
    relevance: _Column,
    *,
    doc_id: _Ids,
    subtopic: _Ids,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """Subtopic recall; rows as in `alpha_dcg`.

    Formula: (subtopics that a document with rank i <= k covers) / S.
    Empty query (nothing covered): 0.0.
    Source: Zhai, Cohen and Lafferty, SIGIR 2003; ndeval `strec`.
    """
    covers, rank_of = _coverage(rank, relevance, doc_id, subtopic, rel)
    if not covers:
        return 0.0
    found = {s for doc in _retrieved(covers, rank_of, k) for s in covers[doc]}
    return len(found) / _count_subtopics(covers)


def _check_scale(relevance: _Column, max_grade: float) -> None:
    if any(g > max_grade for g in _floats(relevance).tolist()):
        raise ValueError(f"a grade is larger than max_grade = {max_grade}")


def err(
    rank: _Column,
    relevance: _Column,
    *,
    k: int | None = None,
    max_grade: float,
    gain: str = "exponential",
    empty: str = "0",
) -> float:
    """Expected reciprocal rank of the document that satisfies the reader.

    Formula: sum over the rows in the top k of (1/rank) s prod (1 - s') over the rows above, where
    s = (2**relevance - 1) / 2**max_grade, or with gain = 'linear' relevance / max_grade; 0 if the relevance is
    missing or not positive.
    Empty query (no positive grade): 0.0, or as `empty` says ('skip': NaN).
    Source: Chapelle et al., CIKM 2009; gdeval `ERR` (max_grade = 4); CatBoost `ERR` (max_grade = 1, linear).
    """
    _check_gain(gain)
    _check_scale(relevance, max_grade)
    if not any(g > 0 for g in _floats(relevance).tolist()):
        return _EMPTY[empty]
    left, value = 1.0, 0.0
    for i, g in sorted((i, g) for i, g in _rows(rank, relevance) if _in_top(i, k)):
        s = _gain(g, gain) / (max_grade if gain == "linear" else 2.0**max_grade)
        value += left * s / i
        left *= 1 - s
    return value


def pfound(rank: _Column, relevance: _Column, *, k: int | None = None, max_grade: float, decay: float = 0.85) -> float:
    """The probability that the reader finds what they look for.

    Formula: sum over ranks i <= k of look_i s_i, look_1 = 1, look_(i+1) = look_i (1 - s_i) decay,
    s = relevance / max_grade, 0 if the relevance is missing or not positive.
    Empty query (no positive grade): 0.0.
    Source: Gulin et al., ROMIP 2009; CatBoost `PFound` (max_grade = 1).
    """
    _check_scale(relevance, max_grade)
    probability = {i: g / max_grade for i, g in _rows(rank, relevance) if _in_top(i, k) and g > 0}
    look, value = 1.0, 0.0
    for i in range(1, int(max(probability, default=0)) + 1):
        s = probability.get(i, 0.0)
        value += look * s
        look *= (1 - s) * decay
    return value


def pair_accuracy(rank: _Column, relevance: _Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """The share of the pairs (relevant, other) of the top k with the relevant document above.

    Formula: 1 - (sum over the relevant rows in the top k of the others above) / (H (m - H)), m = min(k, n),
    H = relevant rows in the top k; every position without a relevant row holds another document.
    Empty query (H = 0, or H = m): NaN.
    Source: ir_measures `Accuracy`.
    """
    relevant = _relevant_ranks(rank, relevance, k, rel)
    others = num_ret(rank, relevance, k=k) - len(relevant)
    if not relevant or not others:
        return math.nan
    above = [i - sum(j <= i for j in relevant) for i in relevant]
    return 1 - sum(above) / (len(relevant) * others)


def _ordered_pairs(higher: Sequence[float], lower: Sequence[float], tied: float) -> tuple[float, int]:
    """Of the pairs of a rank of `higher` and one of `lower`, how many have the first above, and how many there are."""
    right = [1.0 if i < j else tied if i == j else 0.0 for i in higher for j in lower]
    return math.fsum(right), len(right)


def ranking_loss(rank: _Column, relevance: _Column, *, rel: float = 1.0, tied: float = 0.0) -> float:
    """The share of the pairs (relevant, not relevant) that are ordered wrong.

    Formula: over the pairs of a retrieved row with relevance >= rel and one with 0 <= relevance < rel,
    1 - (pairs with the first above + tied * pairs of equal rank) / pairs.
    Empty query (no pair): 0.0.
    Source: scikit-learn `label_ranking_loss` (tied = 0).
    """
    relevant = _relevant_ranks(rank, relevance, None, rel)
    others = _nonrelevant_ranks(rank, relevance, rel)
    right, pairs = _ordered_pairs(relevant, others, tied)
    return 1 - right / pairs if pairs else 0.0


def auc(rank: _Column, relevance: _Column, *, rel: float = 1.0, empty: str = "skip") -> float:
    """The area under the ROC curve of the judged documents of the ranking.

    Formula: over the pairs of `ranking_loss`, (pairs with the relevant row above + ties / 2) / pairs.
    Empty query (no pair): NaN, or as `empty` says.
    Source: Hanley and McNeil, Radiology 143, 1982; CatBoost `QueryAUC` of type Classic.
    """
    relevant = _relevant_ranks(rank, relevance, None, rel)
    others = _nonrelevant_ranks(rank, relevance, rel)
    right, pairs = _ordered_pairs(relevant, others, 0.5)
    return right / pairs if pairs else _EMPTY[empty]


def opa(rank: _Column, relevance: _Column, *, tied: float = 0.0, empty: str = "skip") -> float:
    """Ordered pair accuracy: the share of the pairs of different grades with the higher one above.

    Formula: over the pairs of retrieved rows with relevance > relevance' >= 0, (pairs with the first above
    + tied * pairs of equal rank) / pairs.
    Empty query (no pair): NaN, or as `empty` says.
    Source: TF-Ranking `OPAMetric` (tied = 0); CatBoost `QueryAUC` of type Ranking (tied = 0.5).
    """
    rows = [(i, g) for i, g in _rows(rank, relevance) if not math.isnan(i) and g >= 0]
    counts = [_ordered_pairs([i], [j for j, other in rows if other < g], tied) for i, g in rows]
    pairs = sum(count for _, count in counts)
    return math.fsum(right for right, _ in counts) / pairs if pairs else _EMPTY[empty]


def lrap(rank: _Column, relevance: _Column, *, rel: float = 1.0) -> float:
    """Label ranking average precision.

    Formula: (1/R) sum over the relevant retrieved rows of (relevant rows of that rank or above) / last, where
    last = rank + rows of that rank - 1: rows of equal rank all stand at the last of their places.
    Empty query (R = 0): 1.0.
    Source: scikit-learn `label_ranking_average_precision_score`.
    """
    total = _count_relevant(relevance, rel)
    if total == 0:
        return 1.0
    ranks = _relevant_ranks(rank, relevance, None, rel)
    every = _floats(rank).tolist()
    return math.fsum(sum(j <= i for j in ranks) / (i + every.count(i) - 1) for i in ranks) / total


def coverage_error(rank: _Column, relevance: _Column, *, rel: float = 1.0) -> float:
    """How far down the ranking one has to go for all relevant documents.

    Formula: the largest, over the relevant rows, of rank + rows of that rank - 1; a row that was not retrieved
    stands at n + (judged rows that were not retrieved).
    Empty query (R = 0): 0.0.
    Source: scikit-learn `coverage_error`.
    """
    every = _floats(rank).tolist()
    missed = sum(math.isnan(i) and g >= 0 for i, g in _rows(rank, relevance))
    end = num_ret(rank, relevance) + missed
    last = [end if math.isnan(i) else i + every.count(i) - 1 for i, g in _rows(rank, relevance) if _is_relevant(g, rel)]
    return float(max(last, default=0.0))


def _tied(rank: _Column, relevance: _Column) -> list[tuple[float, list[float]]]:
    """The retrieved rows by rank: the number of places above it, and the grades of the rows that share it."""
    groups: dict[float, list[float]] = {}
    for i, g in _rows(rank, relevance):
        if not math.isnan(i):
            groups.setdefault(i, []).append(g)
    return [(i - 1, groups[i]) for i in sorted(groups)]


def _tied_in_top(above: float, grades: list[float], k: int | None) -> int:
    """How many of the places that tied rows share are in the top k."""
    return len(grades) if k is None else max(0, min(len(grades), int(k - above)))


def _expected_hits(rank: _Column, relevance: _Column, k: int | None, rel: float) -> float:
    """Relevant rows in the top k, expected: of each group the share that its places there have of all its places."""
    return math.fsum(
        sum(_is_relevant(g, rel) for g in grades) * _tied_in_top(above, grades, k) / len(grades)
        for above, grades in _tied(rank, relevance)
    )


def expected_p(rank: _Column, relevance: _Column, *, k: int, rel: float = 1.0) -> float:
    """Precision, expected over all orders of the rows that share a rank.

    Formula: E[H_k] / k; a group of n rows with r relevant and t places above it adds r c / n to E[H_k], c the
    number of its places t + 1 to t + n that are <= k.
    Empty query (R = 0): 0.0.
    Source: McSherry and Najork, ECIR 2008.
    """
    return _expected_hits(rank, relevance, k, rel) / k


def expected_r(rank: _Column, relevance: _Column, *, k: int | None = None, rel: float = 1.0, empty: str = "0") -> float:
    """Recall, expected over all orders of the rows that share a rank.

    Formula: E[H_k] / R, E[H_k] as in `expected_p`.
    Empty query (R = 0): 0.0, or as `empty` says ('skip': NaN).
    Source: McSherry and Najork, ECIR 2008.
    """
    total = _count_relevant(relevance, rel)
    return _expected_hits(rank, relevance, k, rel) / total if total else _EMPTY[empty]


def _first_relevant(rank: _Column, relevance: _Column, rel: float) -> tuple[float, int, int]:
    """The first group with a relevant row: places above it, its rows, its relevant rows; no rows if there is none."""
    for above, grades in _tied(rank, relevance):
        relevant = sum(_is_relevant(g, rel) for g in grades)
        if relevant:
            return above, len(grades), relevant
    return 0.0, 0, 0


def expected_rr(rank: _Column, relevance: _Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Reciprocal rank, expected over all orders of the rows that share a rank.

    Formula: sum over i = 1..n - r + 1 with t + i <= k of C(n - i, r - 1) / C(n, r) / (t + i), for the first group with
    a relevant row: n rows, r of them relevant, t places above it.
    Empty query (R = 0): 0.0.
    Source: McSherry and Najork, ECIR 2008.
    """
    t, n, r = _first_relevant(rank, relevance, rel)
    return math.fsum(
        math.comb(n - i, r - 1) / math.comb(n, r) / (t + i) for i in range(1, n - r + 2) if n and _in_top(t + i, k)
    )


def expected_success(rank: _Column, relevance: _Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Success, expected over all orders of the rows that share a rank: the probability of it.

    Formula: 1 - C(n - r, c) / C(n, c) for the first group with a relevant row: n rows, r of them relevant, c of its
    places <= k.
    Empty query (R = 0): 0.0.
    Source: McSherry and Najork, ECIR 2008.
    """
    t, n, r = _first_relevant(rank, relevance, rel)
    inside = _tied_in_top(t, [0.0] * n, k)
    return 1 - math.comb(n - r, inside) / math.comb(n, inside)


def expected_ap(
    rank: _Column, relevance: _Column, *, k: int | None = None, rel: float = 1.0, empty: str = "0"
) -> float:
    """Average precision, expected over all orders of the rows that share a rank.

    Formula: (1/R) sum over the groups, and i = 1..n with t + i <= k, of
    (r/n) (a + 1 + (i - 1) (r - 1) / (n - 1)) / (t + i): n rows, r of them relevant, t places and a relevant rows above
    the group; the last fraction is 0 if n = 1.
    Empty query (R = 0): 0.0, or as `empty` says ('skip': NaN).
    Source: McSherry and Najork, ECIR 2008.
    """
    total = _count_relevant(relevance, rel)
    if total == 0:
        return _EMPTY[empty]
    terms: list[float] = []
    found = 0
    for t, grades in _tied(rank, relevance):
        n, r = len(grades), sum(_is_relevant(g, rel) for g in grades)
        for i in range(1, _tied_in_top(t, grades, k) + 1):
            others = (i - 1) * (r - 1) / (n - 1) if n > 1 else 0.0
            terms.append(r / n * (found + 1 + others) / (t + i))
        found += r
    return math.fsum(terms) / total


def expected_ndcg(
    rank: _Column,
    relevance: _Column,
    *,
    k: int | None = None,
    gain: str = "linear",
    discount: str = "log2",
    ideal: str = "cut",
    empty: str = "0",
    level: float | None = None,
) -> float:
    """nDCG, expected over all orders of the rows that share a rank.

    Formula: (sum over the groups of m times the sum of 1 / log2(j + 1) over their places j <= k) / idcg(k), m the mean
    gain of the group, where a grade below `level` has none; 1 / j with discount 'rank', and idcg with ideal 'whole'.
    Empty query (ideal 0): 0.0, or as `empty` says ('skip': NaN).
    Source: McSherry and Najork, ECIR 2008; scikit-learn `ndcg_score`.
    """
    best = idcg(rank, relevance, k=k if ideal == "cut" else None, gain=gain, discount=discount, level=level)
    if best == 0:
        return _EMPTY[empty]
    terms: list[float] = []
    for t, grades in _tied(rank, relevance):
        mean = math.fsum(_gain(g, gain, level) for g in grades) / len(grades)
        terms += [mean / _discount(t + i, discount) for i in range(1, _tied_in_top(t, grades, k) + 1)]
    return math.fsum(terms) / best


def arelpos(rank: _Column, relevance: _Column) -> float:
    """Average relevance position.

    Formula: (sum over the retrieved rows of rank * gain) / (sum of gain), gain = max(relevance, 0).
    Empty query (no positive grade retrieved): NaN.
    Source: TF-Ranking `ARPMetric`.
    """
    gains = [(i, _gain(g, "linear")) for i, g in _rows(rank, relevance) if not math.isnan(i)]
    total = math.fsum(g for _, g in gains)
    return math.fsum(i * g for i, g in gains) / total if total > 0 else math.nan


def average_gain(rank: _Column, relevance: _Column, *, k: int | None = None) -> float:
    """The mean grade of the top k.

    Formula: cg(k) / min(k, n), 0 if n = 0.
    Empty query (no positive grade): 0.0.
    Source: CatBoost `AverageGain`, `QueryAverage`.
    """
    n = num_ret(rank, relevance, k=k)
    return cg(rank, relevance, k=k) / n if n else 0.0


def filtered_dcg(rank: _Column, relevance: _Column, *, k: int | None = None, gain: str = "linear") -> float:
    """DCG with the discount 1 / rank.

    Formula: sum over the rows in the top k of gain / rank.
    Empty query (no positive grade): 0.0.
    Source: CatBoost `FilteredDCG`, of rankings without the documents of negative score.
    """
    _check_gain(gain)
    return math.fsum(_gain(g, gain) / i for i, g in _rows(rank, relevance) if _in_top(i, k))


def ncrr(rank: _Column, relevance: _Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Normalised cumulative reciprocal rank.

    Formula: (sum over the relevant rows in the top k of 1 / rank) / (sum of 1 / j for j = 1..min(k, n, R)).
    Empty query (R = 0 or n = 0): 0.0.
    Source: cornac `NCRR`.
    """
    most = int(min(num_ret(rank, relevance, k=k), _count_relevant(relevance, rel)))
    ideal = math.fsum(1 / j for j in range(1, most + 1))
    return math.fsum(1 / i for i in _relevant_ranks(rank, relevance, k, rel)) / ideal if ideal else 0.0


def _expected_utility(
    rank: _Column,
    relevance: _Column,
    k: int,
    min_rel: float,
    max_rel: float | None,
    goes_on: Callable[[int, float, float], float],
) -> float:
    """C/W/L: EU = sum W(i) g_i, W(i) = V(i) / sum V, V(1) = 1, V(i+1) = V(i) C(i), over the ranks 1 to k.

    C(i) = goes_on(i, g_i, g_1 + ... + g_i). Gains are grades clipped to min_rel .. max_rel and scaled to 0 .. 1,
    or without max_rel the grades.
    """
    gain = {
        i: g if max_rel is None else (min(max(g, min_rel), max_rel) - min_rel) / (max_rel - min_rel)
        for i, g in _rows(rank, relevance)
        if _in_top(i, k) and g > 0
    }
    view, so_far = 1.0, 0.0
    views, gained = [], []
    for i in range(1, k + 1):
        g = gain.get(i, 0.0)
        so_far += g
        views.append(view)
        gained.append(view * g)
        view *= goes_on(i, g, so_far)
    return math.fsum(gained) / math.fsum(views)


def sdcg(rank: _Column, relevance: _Column, *, k: int, min_rel: float = 0.0, max_rel: float) -> float:
    """Scaled DCG.

    Formula: (sum over the rows in the top k of g / log2(rank + 1)) / (sum over i = 1..k of 1 / log2(i + 1)),
    g = (clip(relevance, min_rel, max_rel) - min_rel) / (max_rel - min_rel).
    Empty query (no gain): 0.0.
    Source: cwl_eval `SDCG-k`.
    """

    def discount(i: int) -> float:
        return 1 / math.log2(i + 1)

    return _expected_utility(rank, relevance, k, min_rel, max_rel, lambda i, g, y: discount(i + 1) / discount(i))


def inst(
    rank: _Column, relevance: _Column, *, k: int = 1000, T: float = 1.0, min_rel: float = 0.0, max_rel: float
) -> float:
    """INST: C(i) = ((i + T + T_i - 1) / (i + T + T_i))**2, T_i = T - (g_1 + ... + g_i).

    Formula: as `_expected_utility`.
    Empty query (no gain): 0.0.
    Source: Moffat, Bailey, Scholer and Thomas, ADCS 2015; cwl_eval `INST`.
    """
    return _expected_utility(
        rank, relevance, k, min_rel, max_rel, lambda i, g, y: ((i + T + (T - y) - 1) / (i + T + (T - y))) ** 2
    )


def insq(
    rank: _Column, relevance: _Column, *, k: int = 1000, T: float = 1.0, min_rel: float = 0.0, max_rel: float
) -> float:
    """INSQ: C(i) = ((i + 2T - 1) / (i + 2T))**2.

    Formula: as `_expected_utility`.
    Empty query (no gain): 0.0.
    Source: Moffat, Scholer and Thomas, ADCS 2012; cwl_eval `INSQ`.
    """
    return _expected_utility(rank, relevance, k, min_rel, max_rel, lambda i, g, y: ((i + 2 * T - 1) / (i + 2 * T)) ** 2)


def bpm(rank: _Column, relevance: _Column, *, k: int, T: float = 1.0, min_rel: float = 0.0, max_rel: float) -> float:
    """The static bejeweled player model: C(i) = 1 while g_1 + ... + g_i < T and i < k, else 0.

    Formula: as `_expected_utility`.
    Empty query (no gain): 0.0.
    Source: Zhang et al., SIGIR 2017; cwl_eval `BPM-Static`.
    """
    return _expected_utility(rank, relevance, k, min_rel, max_rel, lambda i, g, y: float(y < T))


def nerr8(rank: _Column, relevance: _Column, *, k: int, min_rel: float = 0.0, max_rel: float) -> float:
    """NERR8: C(i) = 1 - g_i for i < k, else 0.

    Formula: as `_expected_utility`.
    Empty query (no gain): 0.0.
    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 8; cwl_eval `NERR-eq8`.
    """
    return _expected_utility(rank, relevance, k, min_rel, max_rel, lambda i, g, y: 1 - g)


def nerr9(rank: _Column, relevance: _Column, *, k: int, min_rel: float = 0.0, max_rel: float) -> float:
    """NERR9: C(i) = (1 - g_i) i / (i + 1) for i < k, else 0.

    Formula: as `_expected_utility`.
    Empty query (no gain): 0.0.
    Source: as `nerr8`, equation 9.
    """
    return _expected_utility(rank, relevance, k, min_rel, max_rel, lambda i, g, y: (1 - g) * i / (i + 1))


def nerr10(
    rank: _Column, relevance: _Column, *, k: int = 1000, p: float = 0.9, min_rel: float = 0.0, max_rel: float
) -> float:
    """NERR10: C(i) = (1 - g_i) p.

    Formula: as `_expected_utility`.
    Empty query (no gain): 0.0.
    Source: as `nerr8`, equation 10.
    """
    return _expected_utility(rank, relevance, k, min_rel, max_rel, lambda i, g, y: (1 - g) * p)


def nerr11(
    rank: _Column, relevance: _Column, *, k: int = 1000, T: float = 1.0, min_rel: float = 0.0, max_rel: float
) -> float:
    """NERR11: C(i) = (1 - g_i) ((i + 2T - 1) / (i + 2T))**2.

    Formula: as `_expected_utility`.
    Empty query (no gain): 0.0.
    Source: as `nerr8`, equation 11.
    """
    return _expected_utility(
        rank, relevance, k, min_rel, max_rel, lambda i, g, y: (1 - g) * ((i + 2 * T - 1) / (i + 2 * T)) ** 2
    )


def pwa(rank: _Column, relevance: _Column, *, k: int) -> float:
    """Position-weighted average of the grades.

    Formula: (sum over the rows in the top k of max(relevance, 0) / rank) / (sum over i = 1..k of 1 / i).
    Empty query (no positive grade): 0.0.
    Source: TF-Ranking `PWAMetric`.
    """
    return _expected_utility(rank, relevance, k, 0.0, None, lambda i, g, y: i / (i + 1))


def compat(
    rank: _Column, relevance: _Column, *, p: float = 0.95, depth: int | None = None, normalize: str = "true"
) -> float:
    """Compatibility of the ranking with the ideal one.

    Formula: RBO(ranking, ideal) / RBO(ideal, ideal), or with normalize = 'false' RBO(ranking, ideal), where
    RBO(a, b) = (sum over d = 1..D of p**(d-1) |a_d & b_d| / d) / (sum over d = 1..D of p**(d-1)), a_d the documents
    of the first d ranks. D = depth, or max(n, length of the ideal). The ideal holds the rows with a positive
    relevance: larger ones first, of equal ones the retrieved first, in the order of their ranks.
    Empty query (no positive grade): 0.0.
    Source: Clarke, Vtyurina and Smucker, ACM TOIS 39(4), 2021; ir_measures `Compat`.
    """
    rows = _rows(rank, relevance)
    ranking = {row: i for row, (i, _) in enumerate(rows) if not math.isnan(i)}
    order = sorted(
        (row for row, (_, g) in enumerate(rows) if g > 0),
        key=lambda row: (-rows[row][1], ranking.get(row, math.inf)),
    )
    if not order:
        return 0.0
    ideal = {row: float(place) for place, row in enumerate(order, start=1)}
    depths = range(1, (depth or int(max([len(ideal), *ranking.values()]))) + 1)

    def rbo(a: dict[int, float], b: dict[int, float]) -> float:
        overlap = [sum(i <= d and b.get(row, math.inf) <= d for row, i in a.items()) for d in depths]
        agreement = math.fsum(p ** (d - 1) * x / d for d, x in zip(depths, overlap, strict=True))
        return agreement / math.fsum(p ** (d - 1) for d in depths)

    value = rbo(ranking, ideal)
    return value / rbo(ideal, ideal) if normalize == "true" else value


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


def kendall_distance(rank_a: _Column, rank_b: _Column, *, k: int | None = None, scale: str = "share") -> float:
    """Kendall distance: the item pairs that the two lists order differently, as their share or their number.

    Formula: over the n items in the top k of both lists, Q / (n (n - 1) / 2) or ('count') Q, Q discordant pairs; a
    pair tied in either list is not discordant.
    Empty query (n < 2): NaN.
    Source: Kendall, Biometrika 30, 1938.
    """
    items = _shared(rank_a, rank_b, k)
    n = len(items)
    if n < 2:
        return math.nan
    _, discordant, _, _ = _count_pairs(items)
    return discordant / (n * (n - 1) / 2) if scale == "share" else float(discordant)


def kendall_tau(rank_a: _Column, rank_b: _Column, *, k: int | None = None, variant: str = "b") -> float:
    """Kendall's tau.

    Formula: over the n items in the top k of both lists, P concordant, Q discordant, T tied in the first list only,
    U tied in the second list only: 'a' (P - Q) / (n (n - 1) / 2), 'b' (P - Q) / sqrt((P + Q + T)(P + Q + U)),
    'c' 2 (P - Q) / (n^2 (m - 1) / m), m the smaller number of distinct values in a list.
    Empty query (n < 2, or for 'b' and 'c' one list constant: denominator 0): NaN.
    Source: Kendall, Biometrika 33, 1945; Stuart, Biometrika 40, 1953; scipy.stats.kendalltau.
    """
    items = _shared(rank_a, rank_b, k)
    conc, disc, tied_a, tied_b = _count_pairs(items)
    n = len(items)
    if variant == "a":
        denominator = n * (n - 1) / 2
    elif variant == "b":
        denominator = math.sqrt((conc + disc + tied_a) * (conc + disc + tied_b))
    else:
        m = min(len({a for a, _ in items}), len({b for _, b in items}))
        denominator = n**2 * (m - 1) / m / 2 if m > 0 else 0.0
    return (conc - disc) / denominator if denominator > 0 else math.nan


def gamma(rank_a: _Column, rank_b: _Column, *, k: int | None = None) -> float:
    """Goodman and Kruskal's gamma.

    Formula: over the items in the top k of both lists, (P - Q) / (P + Q), P concordant, Q discordant pairs.
    Empty query (no pair is untied in both lists): NaN.
    Source: Goodman and Kruskal, JASA 49, 1954.
    """
    conc, disc, _, _ = _count_pairs(_shared(rank_a, rank_b, k))
    return (conc - disc) / (conc + disc) if conc + disc > 0 else math.nan


def somers_d(rank_a: _Column, rank_b: _Column, *, k: int | None = None) -> float:
    """Somers' D of the second list given the first.

    Formula: over the items in the top k of both lists, (P - Q) / (P + Q + U), U tied in the second list only.
    Empty query (n < 2, or one list constant, as in scipy): NaN.
    Source: Somers, American Sociological Review 27, 1962; scipy.stats.somersd.
    """
    items = _shared(rank_a, rank_b, k)
    if _constant(items):
        return math.nan
    conc, disc, _, tied_b = _count_pairs(items)
    return (conc - disc) / (conc + disc + tied_b)


def _constant(items: list[tuple[float, float]]) -> bool:
    """Whether there are no two items, or one of the lists ties them all."""
    return len({a for a, _ in items}) < 2 or len({b for _, b in items}) < 2


def tau_ap(rank_a: _Column, rank_b: _Column, *, k: int | None = None, variant: str = "a") -> float:
    """AP correlation of the first list with the second, which is the truth; with variant 'b', of both as equals.

    Formula: over the n items in the top k of both lists. For an item let p be its competition rank in the first list
    (1 + the items above it there), t the size of its tie group there, C the items above it in both lists.
    'a': 2/(n-1) sum over items of [(if p > 1) (C/t) sum_{j=1..t} 1/(p+j-2) + (1/(2t)) sum_{j=1..t-1} j/(p+j-1)] - 1.
    'b': the mean of both directions of 2/m sum over items with p > 1 of C/(p-1) - 1, m = items with p > 1.
    Empty query (n < 2, or one list constant): NaN.
    Source: Yilmaz, Aslam and Robertson, SIGIR 2008; Urbano and Marrero, ICTIR 2017.
    """
    items = _shared(rank_a, rank_b, k)
    if _constant(items):
        return math.nan
    above_in_both = [sum(a < x and b < y for a, b in items) for x, y in items]
    if variant == "b":
        directions = []
        for place in (0, 1):
            above = [sum(other[place] < item[place] for other in items) for item in items]
            shares = [c / p for c, p in zip(above_in_both, above, strict=True) if p > 0]
            directions.append(2 * math.fsum(shares) / len(shares) - 1)
        return sum(directions) / 2
    terms = []
    for (x, _), c in zip(items, above_in_both, strict=True):
        p = 1 + sum(a < x for a, _ in items)
        t = sum(a == x for a, _ in items)
        if p > 1:
            terms.append(c / t * math.fsum(1 / (p + j - 2) for j in range(1, t + 1)))
        terms.append(math.fsum(j / (p + j - 1) for j in range(1, t)) / (2 * t))
    return 2 * math.fsum(terms) / (len(items) - 1) - 1


def weighted_tau(rank_a: _Column, rank_b: _Column, *, k: int | None = None, weights: str = "additive") -> float:
    """Kendall's tau-b with pairs weighted by rank.

    Formula: over the items in the top k of both lists. The weight of an item is 1/place; that of a pair the sum or
    the product of both. tot, xt, yt, bt: the summed weights of all pairs, of those tied in the first list, in the
    second, in both; dis: of the discordant pairs. (tot - xt - yt + bt - 2 dis) / sqrt((tot - xt)(tot - yt)), once with
    places by (rank_a, rank_b) and once by (rank_b, rank_a), and the mean of both.
    Empty query (n < 2, or one list constant): NaN.
    Source: Vigna, WWW 2015; scipy.stats.weightedtau.
    """
    items = _shared(rank_a, rank_b, k)
    if _constant(items):
        return math.nan
    taus = []
    for ordered in (sorted(items), sorted(items, key=lambda item: (item[1], item[0]))):
        tot = xt = yt = bt = dis = 0.0
        for i, (a1, b1) in enumerate(ordered, start=1):
            for j, (a2, b2) in enumerate(ordered[i:], start=i + 1):
                weight = 1 / i + 1 / j if weights == "additive" else 1 / i * (1 / j)
                tot += weight
                xt += weight * (a1 == a2)
                yt += weight * (b1 == b2)
                bt += weight * (a1 == a2 and b1 == b2)
                dis += weight * ((a1 - a2) * (b1 - b2) < 0)
        taus.append((tot - xt - yt + bt - 2 * dis) / math.sqrt((tot - xt) * (tot - yt)))
    return sum(taus) / 2


def _tops(rank_a: _Column, rank_b: _Column, k: int | None) -> list[tuple[float, float]]:
    """The items in the top k of either list: their ranks there, infinite where they are not in the top k."""
    rows = [(a if _in_top(a, k) else math.inf, b if _in_top(b, k) else math.inf) for a, b in _rows(rank_a, rank_b)]
    return [(a, b) for a, b in rows if min(a, b) < math.inf]


def _last_rank(items: list[tuple[float, float]]) -> float:
    """The last rank that is taken in either list."""
    return max(rank for item in items for rank in item if rank < math.inf)


def fagin_k(rank_a: _Column, rank_b: _Column, *, k: int | None = None, p: float = 0.5) -> float:
    """Fagin's K^(p): Kendall's distance of two top-k lists.

    Formula: over the items in the top k of either list, where what a list lacks comes after all that it has, tied:
    the number of discordant pairs, plus p for each pair that is tied in one list and not in the other.
    Empty query (no items): NaN.
    Source: Fagin, Kumar and Sivakumar, SIAM J. Discrete Math. 17, 2003; with ties Fagin et al., SIAM J. Discrete
    Math. 20, 2006.
    """
    items = _tops(rank_a, rank_b, k)
    if not items:
        return math.nan
    _, discordant, tied_a, tied_b = _count_pairs(items)
    return discordant + p * (tied_a + tied_b)


def footrule(rank_a: _Column, rank_b: _Column, *, k: int | None = None, location: float | None = None) -> float:
    """Spearman's footrule with a location for what a list lacks.

    Formula: sum over the items in the top k of either list of |rank_a - rank_b|; an item that is not in the top k of
    a list has the rank `location` there, by default k + 1, or without k one more than the last rank in either list.
    Empty query (no items): NaN.
    Source: Diaconis and Graham, JRSS B 39, 1977; Fagin, Kumar and Sivakumar, SIAM J. Discrete Math. 17, 2003.
    """
    items = _tops(rank_a, rank_b, k)
    if not items:
        return math.nan
    absent = location if location is not None else 1 + (_last_rank(items) if k is None else k)
    return math.fsum(abs((a if a < math.inf else absent) - (b if b < math.inf else absent)) for a, b in items)


def _agreement(items: list[tuple[float, float]], d: int) -> float:
    """The share of their top d that two lists have in common, of the mean of both sizes, which are d at least."""
    in_both = sum(max(item) <= d for item in items)
    size_a, size_b = (sum(item[place] <= d for item in items) for place in (0, 1))
    return in_both / ((max(d, size_a) + max(d, size_b)) / 2)


def overlap(rank_a: _Column, rank_b: _Column, *, k: int | None = None) -> float:
    """Overlap: the share of the top k that two lists have in common.

    Formula: |A_k and B_k| / ((max(k, |A_k|) + max(k, |B_k|)) / 2), A_k the items of rank <= k, more than k where they
    share ranks; without k, k is the last rank in either list, rounded up.
    Empty query (no items in either top k): NaN.
    Source: Wu and Crestani, SAC 2003; with ties as agreement in RBO's variant w, Corsi and Urbano, SIGIR-AP 2024.
    """
    items = _tops(rank_a, rank_b, k)
    return _agreement(items, math.ceil(_last_rank(items)) if k is None else k) if items else math.nan


def jaccard(rank_a: _Column, rank_b: _Column, *, k: int | None = None) -> float:
    """Jaccard index of the top k of two lists.

    Formula: |A_k and B_k| / |A_k or B_k|, A_k the items of rank <= k.
    Empty query (no items in either top k): NaN.
    Source: Jaccard, New Phytologist 11, 1912.
    """
    items = _tops(rank_a, rank_b, k)
    return sum(max(item) < math.inf for item in items) / len(items) if items else math.nan


def average_overlap(rank_a: _Column, rank_b: _Column, *, k: int | None = None) -> float:
    """Average overlap: the mean overlap of the top d of two lists over d = 1..k.

    Formula: (1/k) sum_{d=1..k} |A_d and B_d| / ((max(d, |A_d|) + max(d, |B_d|)) / 2), A_d the items of rank <= d, more
    than d where they share ranks; without k, k is the last rank in either list, rounded up.
    Empty query (no items in either top k): NaN.
    Source: Fagin, Kumar and Sivakumar, SIAM J. Discrete Math. 17, 2003; Wu and Crestani, SAC 2003; with ties as
    agreement in RBO's variant w, Corsi and Urbano, SIGIR-AP 2024.
    """
    items = _tops(rank_a, rank_b, k)
    if not items:
        return math.nan
    depth = math.ceil(_last_rank(items)) if k is None else k
    return math.fsum(_agreement(items, d) for d in range(1, depth + 1)) / depth


def _tie_groups(ranks: list[float]) -> list[tuple[int, int]]:
    """For each item of a list, the first and the last of the positions that it and those of its rank take."""
    first = [1 + sum(other < rank for other in ranks) for rank in ranks]
    return [(t, t + ranks.count(rank) - 1) for t, rank in zip(first, ranks, strict=True)]


def _contribution(group: tuple[int, int] | None, d: int, ties: str) -> float:
    """What an item at the positions of its group adds to the top d of a list; an absent item adds nothing."""
    if group is None or d < group[0]:
        return 0.0
    first, last = group
    return 1.0 if ties == "w" or d >= last else (d - first + 1) / (last - first + 1)


def rbo(
    rank_a: _Column, rank_b: _Column, *, k: int | None = None, p: float = 0.9, kind: str = "ext", ties: str = "w"
) -> float:
    """Rank-biased overlap of the top k of two lists.

    Formula: the shorter list S has s items, the longer L has l. c(e, d) is what item e, at positions t..b with those
    of its rank, contributes to the top d: 'w' 1 for d >= t; 'a', 'b' (d - t + 1)/(b - t + 1) from t to b, then 1.
    X_d = sum_e c_S c_L. A_d(X) = X over, for 'w' (sum c_S + sum c_L)/2, for 'a' d, for 'b' sqrt(sum c_S^2 sum c_L^2),
    where d stands for the sum over S beyond its end. u_1, u_2, ... are the items of L that S lacks, in its order.
    RBO = ((1 - p)/p) [sum_{d<=l} A_d(X'_d) p^d + tail] with
    'min': X' = X, tail = X_l (ln(1/(1-p)) - sum_{d<=l} p^d/d);
    'max': X'_d = X_d + sum_{j<=d-s} c_L(u_j, d) beyond s, f = l + s - X_l,
           tail = sum_{d=l+1..f} ((2d - l - s + X_l)/d) p^d + p^(f+1)/(1-p);
    'ext': X'_d = X_d + (d - s) A_s m_d beyond s, m_d the mean of the c_L(u, d) that are not 0, A_0 = 0,
           tail = ((X_l + (l - s) A_s)/l) p^(l+1)/(1-p);
    'res': max - min.
    Empty query (no items in either list, or p not between 0 and 1): NaN.
    Source: Webber, Moffat and Zobel, ACM TOIS 28, 2010; Corsi and Urbano, SIGIR-AP 2024.
    """
    items = _tops(rank_a, rank_b, k)
    if not items or not 0 < p < 1:
        return math.nan
    if kind == "res":
        largest, least = (rbo(rank_a, rank_b, k=k, p=p, kind=bound, ties=ties) for bound in ("max", "min"))
        return largest - least
    columns = [[item[place] for item in items] for place in (0, 1)]
    shorter, longer = sorted(columns, key=lambda ranks: sum(rank < math.inf for rank in ranks))
    groups: list[dict[int, tuple[int, int]]] = []
    for ranks in (shorter, longer):
        present = [e for e, rank in enumerate(ranks) if rank < math.inf]
        groups.append(dict(zip(present, _tie_groups([ranks[e] for e in present]), strict=True)))
    in_s, in_l = groups
    size_s, size_l = len(in_s), len(in_l)
    unique = sorted((e for e in in_l if e not in in_s), key=lambda e: in_l[e])

    def shares(d: int) -> tuple[list[float], list[float]]:
        return [_contribution(g, d, ties) for g in in_s.values()], [_contribution(g, d, ties) for g in in_l.values()]

    def x(d: int) -> float:
        return math.fsum(_contribution(in_s.get(e), d, ties) * _contribution(g, d, ties) for e, g in in_l.items())

    def agreement(overlap: float, d: int) -> float:
        of_s, of_l = shares(d)
        if ties == "a":
            return overlap / d
        if ties == "w":
            return 2 * overlap / ((math.fsum(of_s) if d <= size_s else d) + math.fsum(of_l))
        squares = [math.fsum(share**2 for share in of) for of in (of_s, of_l)]
        return overlap / math.sqrt((squares[0] if d <= size_s else d) * squares[1])

    def of_unique(d: int) -> list[float]:
        return [_contribution(in_l[e], d, ties) for e in unique]

    agreement_of_s = agreement(x(size_s), size_s) if size_s > 0 else 0.0
    terms = []
    for d in range(1, size_l + 1):
        overlap = x(d)
        if d > size_s and kind == "max":
            overlap += math.fsum(of_unique(d)[: d - size_s])
        if d > size_s and kind == "ext":
            known = [share for share in of_unique(d) if share > 0]
            overlap += (d - size_s) * agreement_of_s * math.fsum(known) / len(known)
        terms.append(agreement(overlap, d) * p**d)
    if kind == "min":
        tail = x(size_l) * (math.log(1 / (1 - p)) - math.fsum(p**d / d for d in range(1, size_l + 1)))
    elif kind == "max":
        f = round(size_l + size_s - x(size_l))
        tail = math.fsum((2 * d - size_l - size_s + x(size_l)) / d * p**d for d in range(size_l + 1, f + 1)) + p ** (
            f + 1
        ) / (1 - p)
    else:
        tail = (x(size_l) + (size_l - size_s) * agreement_of_s) / size_l * p ** (size_l + 1) / (1 - p)
    return (1 - p) / p * (math.fsum(terms) + tail)


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


def pearson(rank_a: _Column, rank_b: _Column, score_a: _Column, score_b: _Column, *, k: int | None = None) -> float:
    """Pearson correlation of scores.

    Formula: over the n items in the top k of both lists, x and y their scores, with means m_x and m_y:
    sum (x - m_x)(y - m_y) / sqrt(sum (x - m_x)^2 sum (y - m_y)^2), in exact arithmetic up to the root.
    Empty query (n < 2, or all scores of one list equal): NaN. A score that is missing or beyond 1e100: ValueError.
    Source: Pearson, Proceedings of the Royal Society of London 58, 1895; scipy.stats.pearsonr.
    """
    scores = zip(_rows(rank_a, rank_b), _rows(score_a, score_b), strict=True)
    items = [pair for (a, b), pair in scores if _in_top(a, k) and _in_top(b, k)]
    if not all(abs(score) <= 1e100 for item in items for score in item):
        raise ValueError("each item of both lists needs a score in both, of at most 1e100")
    if _constant(items):
        return math.nan
    deviations = []
    for place in (0, 1):
        exact = [Fraction(item[place]) for item in items]
        mean = sum(exact) / len(exact)
        deviations.append([score - mean for score in exact])
    of_a, of_b = deviations
    product = sum(x * y for x, y in zip(of_a, of_b, strict=True))
    square = product**2 / (sum(x * x for x in of_a) * sum(y * y for y in of_b))
    return math.copysign(math.sqrt(square), product)


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
    With 'expected', rows with equal scores share the first of the ranks that they take.
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
    elif ties not in ("docid_desc", "docid_asc", "docid_desc_float32", "expected"):
        raise ValueError(
            f"unknown ties {ties!r}: expected 'docid_desc', 'docid_asc', 'docid_desc_float32', "
            "'row_order', 'rank', 'worst', 'best' or 'expected'"
        )

    def ascending_nan_last(value: float) -> tuple[bool, float]:
        return (True, 0.0) if math.isnan(value) else (False, value)

    # Two stable sorts: by doc_id, then by score and tie key.
    rows = list(zip(scores.tolist(), tie_key, map(_id_bytes, doc_id), strict=True))
    order = sorted(range(len(rows)), key=lambda j: rows[j][2], reverse=ties != "docid_asc")
    order.sort(key=lambda j: (ascending_nan_last(-rows[j][0]), ascending_nan_last(rows[j][1])))
    ranks = np.empty(len(rows), dtype=np.int64)
    for position, j in enumerate(order, start=1):
        above = order[position - 2] if position > 1 else None
        tied = ties == "expected" and above is not None and np.array_equal(scores[above], scores[j], equal_nan=True)
        ranks[j] = ranks[above] if tied else position
    return ranks
