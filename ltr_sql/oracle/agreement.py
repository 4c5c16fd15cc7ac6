"""Agreement of two rankings, called lists a and b, and of a ranking with its ideal.

The items of a measure are documents with their ranks in both lists. A pair of items is concordant if both lists order
it alike, discordant if they order it differently, and tied if a list gives both items one rank. An empty query has
too few items, or a list that ties all of them.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

from ltr_sql.oracle._rows import Column, in_top, rows_of, with_empty


@with_empty()
def compat(
    rank: Column, relevance: Column, *, p: float = 0.95, depth: int | None = None, normalize: str = "true"
) -> float:
    """Compatibility: the rank-biased overlap of the ranking with its ideal.

    Formula: RBO(ranking, ideal) / RBO(ideal, ideal), or RBO(ranking, ideal) with normalize = 'false'. RBO(a, b) = (sum
    over d = 1..D of p**(d - 1) |a_d & b_d| / d) / (sum over d = 1..D of p**(d - 1)), a_d = documents of the first d
    ranks, D = depth, or max(n, length of the ideal). The ideal holds the rows with a positive grade by descending
    grade. Equal grades are ordered by rank, and rows not retrieved come last.
    Empty query (no positive grade): 0, or as set by `empty`.
    Source: Clarke, Vtyurina and Smucker, ACM TOIS 39(4), 2021; ir_measures `Compat`.
    """
    rows = rows_of(rank, relevance)
    ranking = {row: i for row, (i, _) in enumerate(rows) if not math.isnan(i)}
    order = sorted(
        (row for row, (_, g) in enumerate(rows) if g > 0),
        key=lambda row: (-rows[row][1], ranking.get(row, math.inf)),
    )
    ideal = {row: float(position) for position, row in enumerate(order, start=1)}
    depths = range(1, (depth or int(max([len(ideal), *ranking.values()]))) + 1)

    def rbo(a: dict[int, float], b: dict[int, float]) -> float:
        overlap = [sum(i <= d and b.get(row, math.inf) <= d for row, i in a.items()) for d in depths]
        agreement = math.fsum(p ** (d - 1) * x / d for d, x in zip(depths, overlap, strict=True))
        return agreement / math.fsum(p ** (d - 1) for d in depths)

    value = rbo(ranking, ideal)
    return value / rbo(ideal, ideal) if normalize == "true" else value


def _common_items(rank_a: Column, rank_b: Column, k: int | None) -> list[tuple[float, float]]:
    """Return the (rank_a, rank_b) pairs of the items in the top k of both lists."""
    return [(a, b) for a, b in rows_of(rank_a, rank_b) if in_top(a, k) and in_top(b, k)]


def _count_pairs(items: list[tuple[float, float]]) -> tuple[int, int, int, int]:
    """Count the pairs of items: concordant, discordant, tied only in the first list, tied only in the second."""
    concordant = discordant = tied_a = tied_b = 0
    for (a1, b1), (a2, b2) in combinations(items, 2):
        concordant += (a1 < a2 and b1 < b2) or (a1 > a2 and b1 > b2)
        discordant += (a1 < a2 and b1 > b2) or (a1 > a2 and b1 < b2)
        tied_a += a1 == a2 and b1 != b2
        tied_b += a1 != a2 and b1 == b2
    return concordant, discordant, tied_a, tied_b


def kendall_distance(rank_a: Column, rank_b: Column, *, k: int | None = None, scale: str = "share") -> float:
    """Kendall distance: the share or number of item pairs that the two lists order differently.

    Formula: over the n items in the top k of both lists, Q / (n (n - 1) / 2), or Q with scale = 'count'; Q = discordant
    pairs.
    Empty query (n < 2): NaN.
    Source: Kendall, Biometrika 30, 1938.
    """
    items = _common_items(rank_a, rank_b, k)
    n = len(items)
    if n < 2:
        return math.nan
    _, discordant, _, _ = _count_pairs(items)
    return discordant / (n * (n - 1) / 2) if scale == "share" else float(discordant)


def kendall_tau(rank_a: Column, rank_b: Column, *, k: int | None = None, variant: str = "b") -> float:
    """Kendall's tau.

    Formula: over the n items in the top k of both lists, with P concordant pairs, Q discordant pairs, T pairs tied only
    in the first list and U pairs tied only in the second: 'a' (P - Q) / (n (n - 1) / 2), 'b' (P - Q) / sqrt((P + Q +
    T)(P + Q + U)), 'c' 2 (P - Q) / (n^2 (m - 1) / m), m = smaller number of distinct values in a list.
    Empty query (n < 2, or for 'b' and 'c' one list constant): NaN.
    Source: Kendall, Biometrika 33, 1945; Stuart, Biometrika 40, 1953; scipy.stats.kendalltau.
    """
    items = _common_items(rank_a, rank_b, k)
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


def gamma(rank_a: Column, rank_b: Column, *, k: int | None = None) -> float:
    """Goodman and Kruskal's gamma.

    Formula: over the items in the top k of both lists, (P - Q) / (P + Q), P = concordant pairs, Q = discordant pairs.
    Empty query (no pair is untied in both lists): NaN.
    Source: Goodman and Kruskal, JASA 49, 1954.
    """
    conc, disc, _, _ = _count_pairs(_common_items(rank_a, rank_b, k))
    return (conc - disc) / (conc + disc) if conc + disc > 0 else math.nan


def somers_d(rank_a: Column, rank_b: Column, *, k: int | None = None) -> float:
    """Somers' D of the second list given the first.

    Formula: over the items in the top k of both lists, (P - Q) / (P + Q + U), P = concordant pairs, Q = discordant
    pairs, U = pairs tied only in the second list.
    Empty query (n < 2, or one list constant, as in scipy): NaN.
    Source: Somers, American Sociological Review 27, 1962; scipy.stats.somersd.
    """
    items = _common_items(rank_a, rank_b, k)
    if _constant(items):
        return math.nan
    conc, disc, _, tied_b = _count_pairs(items)
    return (conc - disc) / (conc + disc + tied_b)


def _constant(items: list[tuple[float, float]]) -> bool:
    """Return whether there are fewer than two items, or one of the lists ties them all."""
    return len({a for a, _ in items}) < 2 or len({b for _, b in items}) < 2


def tau_ap(rank_a: Column, rank_b: Column, *, k: int | None = None, variant: str = "a") -> float:
    """AP correlation of the first list with the second, the reference; variant 'b' treats both lists alike.

    Formula: over the n items in the top k of both lists. For an item, p = 1 + the number of items above it in the first
    list, t = size of its tie group there, C = number of items above it in both lists. 'a': 2/(n-1) sum over items of
    [(if p > 1) (C/t) sum_{j=1..t} 1/(p+j-2) + (1/(2t)) sum_{j=1..t-1} j/(p+j-1)] - 1. 'b': mean over both directions of
    2/m sum over items with p > 1 of C/(p-1) - 1, m = number of items with p > 1.
    Empty query (n < 2, or one list constant): NaN.
    Source: Yilmaz, Aslam and Robertson, SIGIR 2008; Urbano and Marrero, ICTIR 2017.
    """
    items = _common_items(rank_a, rank_b, k)
    if _constant(items):
        return math.nan
    above_in_both = [sum(a < x and b < y for a, b in items) for x, y in items]
    if variant == "b":
        directions = []
        for side in (0, 1):
            above = [sum(other[side] < item[side] for other in items) for item in items]
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


def weighted_tau(rank_a: Column, rank_b: Column, *, k: int | None = None, weights: str = "additive") -> float:
    """Kendall's tau-b with pairs weighted by rank.

    Formula: over the items in the top k of both lists. An item weighs 1 / position; a pair weighs the sum ('additive')
    or product ('multiplicative') of both. tot, xt, yt, bt and dis are the summed weights of all pairs, of pairs tied in
    the first list, in the second, in both, and of discordant pairs. (tot - xt - yt + bt - 2 dis) / sqrt((tot - xt)(tot
    - yt)), averaged over positions by (rank_a, rank_b) and by (rank_b, rank_a).
    Empty query (n < 2, or one list constant): NaN.
    Source: Vigna, WWW 2015; scipy.stats.weightedtau.
    """
    items = _common_items(rank_a, rank_b, k)
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


def _top_items(rank_a: Column, rank_b: Column, k: int | None) -> list[tuple[float, float]]:
    """Return the ranks of the items in the top k of either list, infinite where an item is not in the top k."""
    rows = [(a if in_top(a, k) else math.inf, b if in_top(b, k) else math.inf) for a, b in rows_of(rank_a, rank_b)]
    return [(a, b) for a, b in rows if min(a, b) < math.inf]


def _last_rank(items: list[tuple[float, float]]) -> float:
    """Return the last rank in either list."""
    return max(rank for item in items for rank in item if rank < math.inf)


def fagin_k(rank_a: Column, rank_b: Column, *, k: int | None = None, p: float = 0.5) -> float:
    """Fagin's K^(p): the Kendall distance of two top-k lists.

    Formula: over the items in the top k of either list, where items that a list lacks tie at its end: discordant pairs
    + p * pairs tied in only one list.
    Empty query (no items): NaN.
    Source: Fagin, Kumar and Sivakumar, SIAM J. Discrete Math. 17, 2003; with ties Fagin et al., SIAM J. Discrete Math.
    20, 2006.
    """
    items = _top_items(rank_a, rank_b, k)
    if not items:
        return math.nan
    _, discordant, tied_a, tied_b = _count_pairs(items)
    return discordant + p * (tied_a + tied_b)


def footrule(rank_a: Column, rank_b: Column, *, k: int | None = None, location: float | None = None) -> float:
    """Spearman's footrule, with a location for items that a list lacks.

    Formula: sum of |rank_a - rank_b| over the items in the top k of either list. An item outside the top k of a list
    has the rank `location` there: by default k + 1, or without k one more than the last rank in either list.
    Empty query (no items): NaN.
    Source: Diaconis and Graham, JRSS B 39, 1977; Fagin, Kumar and Sivakumar, SIAM J. Discrete Math. 17, 2003.
    """
    items = _top_items(rank_a, rank_b, k)
    if not items:
        return math.nan
    absent = location if location is not None else 1 + (_last_rank(items) if k is None else k)
    return math.fsum(abs((a if a < math.inf else absent) - (b if b < math.inf else absent)) for a, b in items)


def _agreement(items: list[tuple[float, float]], d: int) -> float:
    """Return the number of items in the top d of both lists, divided by the mean size of the two.

    Each size counts as at least d.
    """
    in_both = sum(max(item) <= d for item in items)
    size_a, size_b = (sum(item[side] <= d for item in items) for side in (0, 1))
    return in_both / ((max(d, size_a) + max(d, size_b)) / 2)


def overlap(rank_a: Column, rank_b: Column, *, k: int | None = None) -> float:
    """Overlap: the share of the top k that two lists have in common.

    Formula: |A_k and B_k| / ((max(k, |A_k|) + max(k, |B_k|)) / 2), A_k = items of rank <= k, which are more than k if
    ties cross k. Without k, k is the last rank in either list, rounded up.
    Empty query (no items in either top k): NaN.
    Source: Wu and Crestani, SAC 2003; with ties as agreement in RBO's variant w, Corsi and Urbano, SIGIR-AP 2024.
    """
    items = _top_items(rank_a, rank_b, k)
    return _agreement(items, math.ceil(_last_rank(items)) if k is None else k) if items else math.nan


def jaccard(rank_a: Column, rank_b: Column, *, k: int | None = None) -> float:
    """Jaccard index of the top k of two lists.

    Formula: |A_k and B_k| / |A_k or B_k|, A_k = items of rank <= k.
    Empty query (no items in either top k): NaN.
    Source: Jaccard, New Phytologist 11, 1912.
    """
    items = _top_items(rank_a, rank_b, k)
    return sum(max(item) < math.inf for item in items) / len(items) if items else math.nan


def average_overlap(rank_a: Column, rank_b: Column, *, k: int | None = None) -> float:
    """Average overlap: the mean overlap of the top d of two lists over d = 1..k.

    Formula: (1/k) sum_{d=1..k} |A_d and B_d| / ((max(d, |A_d|) + max(d, |B_d|)) / 2), A_d = items of rank <= d, which
    are more than d if ties cross d. Without k, k is the last rank in either list, rounded up.
    Empty query (no items in either top k): NaN.
    Source: Fagin, Kumar and Sivakumar, SIAM J. Discrete Math. 17, 2003; Wu and Crestani, SAC 2003; with ties as
    agreement in RBO's variant w, Corsi and Urbano, SIGIR-AP 2024.
    """
    items = _top_items(rank_a, rank_b, k)
    if not items:
        return math.nan
    depth = math.ceil(_last_rank(items)) if k is None else k
    return math.fsum(_agreement(items, d) for d in range(1, depth + 1)) / depth


def _tie_groups(rank_of: Mapping[int, float]) -> dict[int, tuple[int, int]]:
    """Return for each item of a list the first and the last of the positions that its tie group takes."""
    ranks = [*rank_of.values()]
    first = {e: 1 + sum(other < rank for other in ranks) for e, rank in rank_of.items()}
    return {e: (t, t + ranks.count(rank_of[e]) - 1) for e, t in first.items()}


def _contribution(group: tuple[int, int] | None, d: int, ties: str) -> float:
    """Return the share of an item in the top d of a list, given the positions of its tie group.

    The share of an absent item is 0.
    """
    if group is None or d < group[0]:
        return 0.0
    first, last = group
    return 1.0 if ties == "w" or d >= last else (d - first + 1) / (last - first + 1)


def rbo(
    rank_a: Column, rank_b: Column, *, k: int | None = None, p: float = 0.9, kind: str = "ext", ties: str = "w"
) -> float:
    """Rank-biased overlap of the top k of two lists.

    `kind` is the treatment of the unseen ends of the lists. `ties` is the treatment of equal ranks: 'w' keeps one
    shared rank, 'a' averages over all orders, 'b' corrects 'a' so that a list agrees fully with itself.

    Formula: the shorter list S has s items, the longer list L has l. c(e, d) is what item e contributes to the top d if
    its tie group takes the positions t..b: 'w' 1 for d >= t; 'a', 'b' (d - t + 1)/(b - t + 1) from t to b, then 1.
    X_d = sum_e c_S c_L. A_d(X) = X divided by, for 'w' (sum c_S + sum c_L)/2, for 'a' d, for 'b'
    sqrt(sum c_S^2 sum c_L^2), where d replaces the sum over S beyond its end. u_1, u_2, ... are the items of L that S
    lacks, in order. RBO = ((1 - p)/p) [sum_{d<=l} A_d(X'_d) p^d + tail] with
    'min': X' = X, tail = X_l (ln(1/(1-p)) - sum_{d<=l} p^d/d);
    'max': X'_d = X_d + sum_{j<=d-s} c_L(u_j, d) beyond s, f = l + s - X_l,
           tail = sum_{d=l+1..f} ((2d - l - s + X_l)/d) p^d + p^(f+1)/(1-p);
    'ext': X'_d = X_d + (d - s) A_s m_d beyond s, m_d = mean of the c_L(u, d) that are not 0, A_0 = 0,
           tail = ((X_l + (l - s) A_s)/l) p^(l+1)/(1-p);
    'res': max - min.
    Empty query (no items in either list, or p not between 0 and 1): NaN.
    Source: Webber, Moffat and Zobel, ACM TOIS 28, 2010; Corsi and Urbano, SIGIR-AP 2024.
    """
    items = _top_items(rank_a, rank_b, k)
    if not items or not 0 < p < 1:
        return math.nan
    if kind == "res":
        largest, least = (rbo(rank_a, rank_b, k=k, p=p, kind=bound, ties=ties) for bound in ("max", "min"))
        return largest - least
    lists = [{e: item[side] for e, item in enumerate(items) if item[side] < math.inf} for side in (0, 1)]
    in_s, in_l = map(_tie_groups, sorted(lists, key=len))
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
        tail = math.fsum((2 * d - size_l - size_s + x(size_l)) / d * p**d for d in range(size_l + 1, f + 1))
        tail += p ** (f + 1) / (1 - p)
    else:
        tail = (x(size_l) + (size_l - size_s) * agreement_of_s) / size_l * p ** (size_l + 1) / (1 - p)
    return (1 - p) / p * (math.fsum(terms) + tail)


def _average_ranks(values: list[float]) -> list[float]:
    """Return the rank of each value, ascending from 1; equal values share the mean of their positions."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2 for value in values
    ]


def _correlation(items: list[tuple[float, float]]) -> float:
    """Return the Pearson correlation of pairs, in exact arithmetic up to the square root; NaN if a side is constant."""
    if _constant(items):
        return math.nan
    deviations = []
    for side in (0, 1):
        exact = [Fraction(item[side]) for item in items]
        mean = sum(exact) / len(exact)
        deviations.append([value - mean for value in exact])
    of_a, of_b = deviations
    product = sum(x * y for x, y in zip(of_a, of_b, strict=True))
    square = product**2 / (sum(x * x for x in of_a) * sum(y * y for y in of_b))
    return math.copysign(math.sqrt(square), product)


def spearman(rank_a: Column, rank_b: Column, *, k: int | None = None) -> float:
    """Spearman's rank correlation.

    Formula: Pearson correlation of x and y, the average ranks of the n items in the top k of both lists: sum (x - m)(y
    - m) / sqrt(sum (x - m)^2 sum (y - m)^2), m = (n + 1)/2.
    Empty query (n < 2, or one list constant): NaN.
    Source: Spearman, American Journal of Psychology 15, 1904; scipy.stats.spearmanr.
    """
    items = _common_items(rank_a, rank_b, k)
    a, b = (_average_ranks([item[side] for item in items]) for side in (0, 1))
    return _correlation([*zip(a, b, strict=True)])


def pearson(rank_a: Column, rank_b: Column, score_a: Column, score_b: Column, *, k: int | None = None) -> float:
    """Pearson correlation of scores.

    Raises ValueError for a score that is missing or beyond 1e100.

    Formula: over the n items in the top k of both lists, with scores x and y and their means m_x and m_y: sum (x -
    m_x)(y - m_y) / sqrt(sum (x - m_x)^2 sum (y - m_y)^2), in exact arithmetic up to the square root.
    Empty query (n < 2, or all scores of one list equal): NaN.
    Source: Pearson, Proceedings of the Royal Society of London 58, 1895; scipy.stats.pearsonr.
    """
    scores = zip(rows_of(rank_a, rank_b), rows_of(score_a, score_b), strict=True)
    items = [pair for (a, b), pair in scores if in_top(a, k) and in_top(b, k)]
    if not all(abs(score) <= 1e100 for item in items for score in item):
        raise ValueError("each item of both lists needs a score in both, of at most 1e100")
    return _correlation(items)
