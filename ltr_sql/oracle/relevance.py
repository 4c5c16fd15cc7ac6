"""Measures of binary relevance: a document is relevant or not."""

import math

from ltr_sql.oracle._rows import (
    Column,
    count_relevant,
    gain_of,
    in_top,
    is_relevant,
    nonrelevant_ranks,
    relevant_ranks,
    rows_of,
    to_floats,
    with_empty,
)
from ltr_sql.oracle.counts import num_rel, num_rel_ret, num_ret
from ltr_sql.oracle.document_pairs import lrap


@with_empty()
def success(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """1 if a relevant document is in the top k, else 0.

    Formula: 1 if H_k > 0, else 0.
    Empty query: 0, or as set by `empty`.
    Source: trec_eval `success`.
    """
    return 1.0 if relevant_ranks(rank, relevance, k, rel) else 0.0


@with_empty()
def p(rank: Column, relevance: Column, *, k: int, rel: float = 1.0) -> float:
    """Precision: the share of the first k positions that hold a relevant document.

    Formula: H_k / k, even if fewer than k documents were retrieved.
    Empty query: 0, or as set by `empty`.
    Source: van Rijsbergen, Information Retrieval, 1979; trec_eval `P`.
    """
    return len(relevant_ranks(rank, relevance, k, rel)) / k


@with_empty()
def precision_at(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Precision among the retrieved documents: the share of the top min(k, n) that is relevant.

    Formula: H_k / min(k, n), 0 if nothing was retrieved.
    Empty query: 0, or as set by `empty`.
    Source: CatBoost `PrecisionAt`, XGBoost `pre`.
    """
    retrieved = num_ret(rank, relevance, k=k)
    return len(relevant_ranks(rank, relevance, k, rel)) / retrieved if retrieved else 0.0


def id_context_precision(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Id-based context precision: the share of relevant documents among the top min(k, n).

    Formula: H_k / min(k, n).
    Empty query: no special case. NaN if nothing was retrieved.
    Source: RAGAS `IDBasedContextPrecision`.
    """
    retrieved = num_ret(rank, relevance, k=k)
    return len(relevant_ranks(rank, relevance, k, rel)) / retrieved if retrieved else math.nan


@with_empty()
def r(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Recall: the share of the relevant documents that are in the top k.

    Formula: H_k / R.
    Empty query: 0, or as set by `empty`.
    Source: van Rijsbergen, Information Retrieval, 1979; trec_eval `recall`.
    """
    return len(relevant_ranks(rank, relevance, k, rel)) / count_relevant(relevance, rel)


@with_empty()
def full_recall(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Full recall: 1 if every relevant document is in the top k, else 0.

    Formula: the product over relevant documents of (1 if their rank is at most k, else 0).
    Empty query: 0, or as set by `empty`.
    Source: AutoRAG-Research `full_recall`.
    """
    return float(all(in_top(i, k) for i, g in rows_of(rank, relevance) if is_relevant(g, rel)))


@with_empty()
def f1(rank: Column, relevance: Column, *, k: int, rel: float = 1.0) -> float:
    """F1: the harmonic mean of precision and recall at k.

    Formula: 2 P(k) R(k) / (P(k) + R(k)) with R(k) = H_k / R; 0 if both are 0.
    Empty query: 0, or as set by `empty`.
    Source: van Rijsbergen, Information Retrieval, 1979 (F with beta = 1).
    """
    precision, recall = p(rank, relevance, k=k, rel=rel), r(rank, relevance, k=k, rel=rel)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@with_empty()
def ap(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0, divisor: str = "relevant") -> float:
    """Average precision: the sum of the precision at the ranks of relevant documents, divided by their number.

    Formula: (1/divisor) sum of P(rank) over the relevant rows in the top k. The divisor is R ('relevant'), min(R, k)
    ('reachable'), H_k ('found') or k ('k'); AP is 0 if H_k = 0.
    Empty query: 0, or as set by `empty`.
    Source: Harman, TREC-1, 1992; trec_eval `map`, `map_cut`.
    """
    total = count_relevant(relevance, rel)
    ranks = relevant_ranks(rank, relevance, k, rel)
    precisions = [sum(j <= i for j in ranks) / i for i in ranks]
    divisors = {"relevant": total, "reachable": total if k is None else min(total, k), "found": len(ranks), "k": k or 0}
    if divisor == "k" and k is None:
        raise ValueError("divisor = 'k' needs a cutoff")
    return math.fsum(precisions) / divisors[divisor] if ranks else 0.0


@with_empty()
def gmap(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """Average precision, averaged over queries by the geometric mean.

    Formula: AP; over queries exp(mean of ln max(AP, 1e-5)).
    Empty query: 0, or as set by `empty`.
    Source: Robertson, CIKM 2006; trec_eval `gm_map`.
    """
    return ap(rank, relevance, rel=rel)


@with_empty()
def rprec(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """R-precision: the precision at rank R.

    Formula: H_R / R.
    Empty query: 0, or as set by `empty`.
    Source: trec_eval `Rprec`.
    """
    return p(rank, relevance, k=count_relevant(relevance, rel), rel=rel)


@with_empty()
def rprec_mult(rank: Column, relevance: Column, *, multiple: float, rel: float = 1.0) -> float:
    """Precision at `multiple` times R documents.

    Formula: H_c / c, c = floor(multiple R + 0.9); 0 if c = 0.
    Empty query: 0, or as set by `empty`.
    Source: trec_eval `Rprec_mult`.
    """
    cutoff = math.floor(multiple * count_relevant(relevance, rel) + 0.9)
    return p(rank, relevance, k=cutoff, rel=rel) if cutoff else 0.0


@with_empty()
def rcap(rank: Column, relevance: Column, *, k: int, rel: float = 1.0) -> float:
    """Capped recall: relevant documents in the top k, divided by the largest number that the top k can hold.

    Formula: H_k / min(R, k).
    Empty query: 0, or as set by `empty`.
    Source: trec_eval `relative_P`; BEIR `R_cap`.
    """
    return len(relevant_ranks(rank, relevance, k, rel)) / min(count_relevant(relevance, rel), k)


@with_empty()
def bpref(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """Binary preference: penalises nonrelevant documents ranked above relevant ones, and ignores unjudged documents.

    Formula: (1/R) sum over the relevant retrieved rows of 1 if m = 0, else 1 - min(m, R) / min(N, R). m is the number
    of nonrelevant rows above, N the number of nonrelevant rows, retrieved or not.
    Empty query: 0, or as set by `empty`.
    Source: Buckley and Voorhees, SIGIR 2004; trec_eval `bpref`.
    """
    total = count_relevant(relevance, rel)
    nonrelevant = nonrelevant_ranks(rank, relevance, rel)
    all_nonrelevant = sum(0 <= g < rel for g in to_floats(relevance).tolist())
    above = [sum(j < i for j in nonrelevant) for i in relevant_ranks(rank, relevance, None, rel)]
    return sum(1.0 if m == 0 else 1.0 - min(m, total) / min(all_nonrelevant, total) for m in above) / total


@with_empty()
def gmbpref(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """Bpref, averaged over queries by the geometric mean.

    Formula: Bpref; over queries exp(mean of ln max(Bpref, 1e-5)).
    Empty query: 0, or as set by `empty`.
    Source: Robertson, CIKM 2006; trec_eval `gm_bpref`.
    """
    return bpref(rank, relevance, rel=rel)


@with_empty()
def iprec(rank: Column, relevance: Column, *, recall: float, rounding: str = "te10", rel: float = 1.0) -> float:
    """Interpolated precision: the largest precision at any rank that reaches a level of `recall`.

    Formula: max of P(i) over the ranks i with H_i >= c, 0 if there are none. c is recall R, rounded half up ('te10', as
    in trec_eval 10), or floor(recall R + 0.9) ('te9', as in trec_eval 9).
    Empty query: 0, or as set by `empty`.
    Source: Salton and McGill 1983; trec_eval `iprec_at_recall`.
    """
    if rounding not in ("te9", "te10"):
        raise ValueError(f"unknown rounding {rounding!r}: expected 'te9' or 'te10'")
    needed = math.floor(recall * count_relevant(relevance, rel) + (0.9 if rounding == "te9" else 0.5))
    ranks = relevant_ranks(rank, relevance, None, rel)
    hits = {i: sum(j <= i for j in ranks) for i in range(1, int(num_ret(rank, relevance)) + 1)}
    return max((found / i for i, found in hits.items() if found >= needed), default=0.0)


@with_empty()
def iprec_avg(rank: Column, relevance: Column, *, rounding: str = "te10", rel: float = 1.0) -> float:
    """Interpolated precision, averaged over eleven levels of recall.

    Formula: mean of iprec(x) over x = 0, 0.1, ..., 1.
    Empty query: 0, or as set by `empty`.
    Source: Salton and McGill 1983; trec_eval `11pt_avg`.
    """
    levels = [tenths / 10 for tenths in range(11)]
    return math.fsum(iprec(rank, relevance, recall=level, rounding=rounding, rel=rel) for level in levels) / 11


@with_empty()
def infap(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """Inferred average precision, estimated from a sample of judgments.

    Formula: (1/R) sum over the relevant retrieved rows, with rank i, of 1 if i = 1, else 1/i + ((i - 1)/i) ((a + b +
    p)/(i - 1)) ((a + e)/(a + b + 2 e)). Above i there are a relevant rows, b nonrelevant rows and p rows with a
    negative grade; e = 1e-5.
    Empty query: 0, or as set by `empty`.
    Source: Yilmaz and Aslam, CIKM 2006; trec_eval `infAP`.
    """
    total = count_relevant(relevance, rel)
    relevant = relevant_ranks(rank, relevance, None, rel)
    nonrelevant = nonrelevant_ranks(rank, relevance, rel)
    pooled = [i for i, g in rows_of(rank, relevance) if in_top(i, None) and g < 0]
    value = 0.0
    for i in relevant:
        if i == 1:
            value += 1.0
            continue
        a, b, p = (sum(j < i for j in ranks) for ranks in (relevant, nonrelevant, pooled))
        value += 1 / i + (i - 1) / i * (a + b + p) / (i - 1) * (a + 1e-5) / (a + b + 2e-5)
    return value / total


@with_empty()
def yaap(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """Yet another average precision: AP as smoothed log-odds.

    Formula: ln((1 + S) / (1 + R - S)), S = sum of P(rank) over the relevant retrieved rows.
    Empty query: 0, or as set by `empty`.
    Source: Robertson, EVIA 2012; trec_eval `yaap`.
    """
    total = count_relevant(relevance, rel)
    precisions = total * ap(rank, relevance, rel=rel)
    return math.log((1 + precisions) / (1 + total - precisions))


@with_empty()
def bin_g(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """Binary G: discounts each relevant document by the number of other documents above it that are not relevant.

    Formula: (1/R) sum over the relevant retrieved rows, with rank i, of 1 / log2(2 + i - H_i).
    Empty query: 0, or as set by `empty`.
    Source: trec_eval `binG`.
    """
    total = count_relevant(relevance, rel)
    ranks = relevant_ranks(rank, relevance, None, rel)
    return math.fsum(1 / math.log2(2 + i - sum(j <= i for j in ranks)) for i in ranks) / total


@with_empty()
def set_p(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """Precision of the retrieved set.

    Formula: H / n, 0 if n = 0.
    Empty query: 0, or as set by `empty`.
    Source: van Rijsbergen, Information Retrieval, 1979; trec_eval `set_P`.
    """
    n = num_ret(rank, relevance)
    return num_rel_ret(rank, relevance, rel=rel) / n if n else 0.0


@with_empty()
def set_relative_p(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """Relevant retrieved documents, divided by the largest number that a set of n documents can hold.

    Formula: H / min(n, R), 0 if either is 0.
    Empty query: 0, or as set by `empty`.
    Source: trec_eval `set_relative_P`.
    """
    possible = min(num_ret(rank, relevance), num_rel(rank, relevance, rel=rel))
    return num_rel_ret(rank, relevance, rel=rel) / possible if possible else 0.0


@with_empty()
def set_ap(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """Precision of the retrieved set, multiplied by its recall.

    Formula: H^2 / (n R), 0 if either is 0.
    Empty query: 0, or as set by `empty`.
    Source: trec_eval `set_map`.
    """
    hits = num_rel_ret(rank, relevance, rel=rel)
    return hits**2 / (num_ret(rank, relevance) * num_rel(rank, relevance, rel=rel)) if hits else 0.0


@with_empty()
def set_f(rank: Column, relevance: Column, *, beta_squared: float = 1.0, rel: float = 1.0) -> float:
    """Weighted harmonic mean of the precision and recall of the retrieved set.

    Formula: (1 + b) p r / (b p + r), p = H / n, r = H / R, b = beta_squared; 0 if H = 0.
    Empty query: 0, or as set by `empty`.
    Source: van Rijsbergen, Information Retrieval, 1979; trec_eval `set_F`, whose parameter is b.
    """
    hits = num_rel_ret(rank, relevance, rel=rel)
    if hits == 0:
        return 0.0
    precision, recall = hits / num_ret(rank, relevance), hits / num_rel(rank, relevance, rel=rel)
    return (1 + beta_squared) * precision * recall / (beta_squared * precision + recall)


def utility(
    rank: Column,
    relevance: Column,
    *,
    rel_ret: float = 1.0,
    nonrel_ret: float = -1.0,
    rel_missed: float = 0.0,
    nonrel_missed: float = 0.0,
    collection_size: float = 0.0,
    rel: float = 1.0,
) -> float:
    """Weighted sum of the numbers of relevant and nonrelevant documents, retrieved or missed.

    Formula: rel_ret H + nonrel_ret (n - H) + rel_missed (R - H) + nonrel_missed (collection_size + H - n - R).
    Empty query: no special case.
    Source: trec_eval `utility`.
    """
    n, found, total = num_ret(rank, relevance), num_rel_ret(rank, relevance, rel=rel), num_rel(rank, relevance, rel=rel)
    return (
        rel_ret * found
        + nonrel_ret * (n - found)
        + rel_missed * (total - found)
        + nonrel_missed * (collection_size + found - n - total)
    )


@with_empty()
def rbp(rank: Column, relevance: Column, *, k: int | None = None, p: float = 0.9, rel: float = 1.0) -> float:
    """Rank-biased precision of binary relevance; a user continues to the next rank with probability `p`.

    Formula: (1 - p) sum over the relevant rows in the top k of p^(rank - 1).
    Empty query: 0, or as set by `empty`.
    Source: Moffat and Zobel, ACM TOIS 27(1), 2008; trec_eval `rbp`.
    """
    return (1 - p) * math.fsum(p ** (i - 1) for i in relevant_ranks(rank, relevance, k, rel))


def rbp_resid(rank: Column, relevance: Column, *, p: float = 0.9) -> float:
    """Residual of RBP: the largest increase that unjudged documents could cause.

    Formula: (1 - p) (sum of p^(i - 1) over the ranks i <= n without a row of relevance >= 0) + p^n; 0 if there is no
    such rank.
    Empty query: no special case.
    Source: Moffat and Zobel, ACM TOIS 27(1), 2008; trec_eval `rbp_resid`.
    """
    n = int(num_ret(rank, relevance))
    known = {i for i, g in rows_of(rank, relevance) if g >= 0}
    unknown = [i for i in range(1, n + 1) if i not in known]
    return (1 - p) * math.fsum(p ** (i - 1) for i in unknown) + p**n if unknown else 0.0


@with_empty()
def rr(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Reciprocal rank of the first relevant document in the top k.

    Formula: 1 / (smallest rank of a relevant row in the top k), 0 if there is none.
    Empty query: 0, or as set by `empty`.
    Source: Kantor and Voorhees, TREC-5 confusion track, 2000; trec_eval `recip_rank`.
    """
    ranks = relevant_ranks(rank, relevance, k, rel)
    return 1.0 / min(ranks) if ranks else 0.0


@with_empty()
def ncrr(rank: Column, relevance: Column, *, k: int | None = None, rel: float = 1.0) -> float:
    """Normalised cumulative reciprocal rank.

    Formula: (sum of 1 / rank over the relevant rows in the top k) / (sum of 1 / j for j = 1..min(k, n, R)).
    Empty query: 0, also if n = 0, or as set by `empty`.
    Source: cornac `NCRR`.
    """
    most = int(min(num_ret(rank, relevance, k=k), count_relevant(relevance, rel)))
    ideal = math.fsum(1 / j for j in range(1, most + 1))
    return math.fsum(1 / i for i in relevant_ranks(rank, relevance, k, rel)) / ideal if ideal else 0.0


@with_empty()
def threshold_ap(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """Average precision by thresholds: the area of the steps under the precision-recall curve.

    Formula: sum over the thresholds n of (R_n - R_(n-1)) P_n, with R_0 = 0. The rows of one rank enter together.
    P_n = relevant rows so far / last position.
    Empty query: 0, or as set by `empty`.
    Source: scikit-learn `average_precision_score`.
    """
    # R_n - R_(n-1) is 1 / R for each relevant row that enters at n, and lrap adds P_n / R for each of these rows.
    return lrap(rank, relevance, rel=rel)


@with_empty()
def auprc(rank: Column, relevance: Column, *, rel: float = 1.0) -> float:
    """Area under the precision-recall curve by the trapezoidal rule.

    Formula: sum over the relevant retrieved rows of (P_n + P_above) / 2, divided by R. P_n = relevant rows of this rank
    or above / last position of the rank; P_above = relevant rows above / (rank - 1), 1 at the first rank.
    Empty query: 0, or as set by `empty`.
    Source: scikit-learn `auc` of `precision_recall_curve`.
    """
    total = count_relevant(relevance, rel)
    ranks = relevant_ranks(rank, relevance, None, rel)
    every = to_floats(rank).tolist()
    area = 0.0
    for i in ranks:
        precision = sum(j <= i for j in ranks) / (i + every.count(i) - 1)
        above = sum(j < i for j in ranks) / (i - 1) if i > 1 else 1.0
        area += (precision + above) / 2
    return area / total


@with_empty()
def graded_ap(rank: Column, relevance: Column, *, k: int | None = None, gain: str = "linear") -> float:
    """Graded average precision of a user whose threshold of relevance is unknown.

    Formula: sum over the rows n in the top k of (1 / rank_n) sum over the rows m with rank_m <= rank_n of min(gain_m,
    gain_n), divided by the sum of all gains.
    Empty query: 0, or as set by `empty`.
    Source: Robertson, Kanoulas and Yilmaz, SIGIR 2010.
    """
    gains = [(i, gain_of(g, gain)) for i, g in rows_of(rank, relevance)]
    total = math.fsum(value for _, value in gains)
    terms = [math.fsum(min(value, other) for j, other in gains if j <= i) / i for i, value in gains if in_top(i, k)]
    return math.fsum(terms) / total if total else 0.0
