"""Tests, intervals and effect sizes of two systems a and b, from the differences d = b - a on their common queries.

`weights` holds the weight of each query; None weighs them equally. Undefined values are None.
Comparisons of differences (equal, zero, tied) use `rounded`; all else uses d itself.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from ltr_sql.oracle.comparison.probabilities import (
    binomial_tail,
    cosh_integral,
    normal_p,
    normal_quantile,
    t_p,
    t_quantile,
    t_upper,
)
from ltr_sql.oracle.comparison.sequential import Look

Differences = Sequence[float]
Interval = tuple[float, float]
Weights = Sequence[float] | None

DIGITS = 12


class Scaled(list[float]):
    """Differences or values with their scale: see `scale_of`. The scale of other sequences is 1."""

    def __init__(self, values: Iterable[float], scale: float) -> None:
        super().__init__(values)
        self.scale = scale


def scale_of(values: Iterable[float]) -> float:
    """Return the smallest power of ten, from 1, that no |value| exceeds."""
    return float(10 ** math.ceil(math.log10(max(1.0, *map(abs, values), 1.0))))


def differences(a: Sequence[float], b: Sequence[float], scale: float | None = None) -> Scaled:
    """Return b - a. By default, their scale is that of the values of a and b."""
    return Scaled([y - x for x, y in zip(a, b, strict=True)], scale_of([*a, *b]) if scale is None else scale)


def rounded(d: Differences) -> list[float]:
    """Return d / scale, rounded to 12 decimals: the last bits of sums are as large as the values."""
    scale = d.scale if isinstance(d, Scaled) else 1.0
    return [round(x / scale, DIGITS) for x in d]


def mean_of(values: Sequence[float], weights: Weights = None) -> float:
    """Return the mean, sum of w x / sum of w."""
    if weights is None:
        return math.fsum(values) / len(values)
    return math.fsum(w * x for w, x in zip(weights, values, strict=True)) / math.fsum(weights)


def error_of_products(u: Sequence[float], v: Sequence[float], weights: Weights = None) -> float:
    """Return the covariance of two means, given the deviations of their values from them.

    Formula: n / (n - 1) sum of w^2 u v / (sum of w)^2, the linearised error of a ratio. Without weights it is
    sum of u v / (n (n - 1)).
    Source: Cochran, Sampling Techniques, 1977; statsmodels WLS with HC1.
    """
    n, of = len(u), [1.0] * len(u) if weights is None else weights
    return math.fsum(w * w * x * y for w, x, y in zip(of, u, v, strict=True)) * n / (n - 1) / math.fsum(of) ** 2


def _squares(d: Differences) -> float:
    """Return the sum of squared deviations from the mean."""
    mean = mean_of(d)
    return math.fsum((x - mean) ** 2 for x in d)


def is_constant(d: Differences) -> bool:
    """Return whether all differences are equal."""
    return len(set(rounded(d))) <= 1


def is_equal(d: Differences) -> bool:
    """Return whether all differences are 0."""
    return not any(rounded(d))


def sd_of(d: Differences, weights: Weights = None) -> float:
    """Return the sample standard deviation, sqrt(sum (d - mean)^2 / (n - 1)); 0 if all differences are equal.

    With weights, sqrt(n / (n - 1) sum of w (d - mean)^2 / sum of w).
    """
    if is_constant(d):
        return 0.0
    if weights is None:
        return math.sqrt(_squares(d) / (len(d) - 1))
    mean, n = mean_of(d, weights), len(d)
    squares = math.fsum(w * (x - mean) ** 2 for w, x in zip(weights, d, strict=True))
    return math.sqrt(squares / math.fsum(weights) * n / (n - 1))


def standard_error(d: Differences, weights: Weights = None) -> float:
    """Return the standard error of the mean, sd / sqrt n, or with weights the linearised one; 0 if all are equal."""
    if is_constant(d):
        return 0.0
    mean = mean_of(d, weights)
    deviations = [x - mean for x in d]
    return math.sqrt(error_of_products(deviations, deviations, weights))


# Student's t


def t_statistic(d: Differences, weights: Weights = None) -> float | None:
    """Return paired t = mean / standard error, with n - 1 degrees of freedom; None if the error is 0.

    Source: Student, Biometrika 6, 1908.
    """
    error = standard_error(d, weights)
    return mean_of(d, weights) / error if error else None


def paired_t_p(d: Differences, weights: Weights = None) -> float | None:
    """Return the two-sided p of the paired t test; 1 if all differences are 0, None if all are equal but not 0."""
    t = t_statistic(d, weights)
    if t is None:
        return 1.0 if is_equal(d) else None
    return t_p(t, len(d) - 1)


def p_not_above(d: Differences, weights: Weights = None, *, look: Look | None = None) -> float | None:
    """Return the one-sided p of the paired t test of the hypothesis that the mean is at most 0.

    Without variance, p is 0 for a positive mean and 1 otherwise. None for fewer than 2 queries. `look` is that of the
    sequential test instead.
    """
    if len(d) < 2:
        return None
    t = t_statistic(d, weights)
    if t is None:
        return 0.0 if rounded(d)[0] > 0 else 1.0
    return t_upper(t, len(d) - 1) if look is None else look.upper(t)


def t_interval(
    d: Differences, confidence: float, weights: Weights = None, *, reach: float | None = None
) -> Interval | None:
    """Return the t interval of the mean, mean -+ t * standard error; None for fewer than 2 queries.

    `reach` replaces t.
    """
    if len(d) < 2:
        return None
    margin = (t_quantile(1 - confidence, len(d) - 1) if reach is None else reach) * standard_error(d, weights)
    return mean_of(d, weights) - margin, mean_of(d, weights) + margin


def abc_interval(d: Differences, confidence: float) -> Interval | None:
    """Return the ABC interval of the mean, an approximation of the BCa bootstrap; None for fewer than 2 queries.

    Formula: mean + se w / (1 - acceleration w)^2 with w = acceleration -+ z. se is the population standard deviation,
    divided by sqrt n.
    Source: DiCiccio & Efron, Biometrika 79, 1992.
    """
    if len(d) < 2:
        return None
    mean, acceleration = mean_of(d), acceleration_of(d)
    se = 0.0 if is_constant(d) else math.sqrt(_squares(d)) / len(d)
    z = normal_quantile((1 + confidence) / 2)
    low, high = (mean + se * w / (1 - acceleration * w) ** 2 for w in (acceleration - z, acceleration + z))
    return low, high


def acceleration_of(d: Differences) -> float:
    """Return the acceleration of ABC and BCa: population skewness / (6 sqrt n), or 0 without variance."""
    if is_constant(d):
        return 0.0
    mean = mean_of(d)
    # Population moments: skewness = sum (d - mean)^3 / n / (sum (d - mean)^2 / n)^1.5.
    return math.fsum((x - mean) ** 3 for x in d) / (6 * math.pow(_squares(d), 1.5))


def fieller_interval(
    a: Sequence[float], b: Sequence[float], confidence: float, weights: Weights = None, *, reach: float | None = None
) -> Interval | None:
    """Return Fieller's interval of mean(b) / mean(a) - 1. `reach` replaces t.

    Formula: (B -+ sqrt(B^2 - A C)) / A - 1, with A = ma^2 - t^2 va, B = ma mb - t^2 cab and C = mb^2 - t^2 vb. ma and
    mb are the means; va, vb and cab are the variances and the covariance of the means.
    The residuals e = b - R a with R = mb / ma avoid cancellation: B^2 - A C = t^2 (A ve + t^2 cae^2) and
    B = R A - t^2 cae.
    None for fewer than 2 queries, if ma is 0, or if A is not positive.
    Source: Fieller, Journal of the Royal Statistical Society B 16, 1954.
    """
    n, mean_a, mean_b = len(a), mean_of(a, weights), mean_of(b, weights)
    if n < 2 or mean_a == 0:
        return None
    t, ratio = t_quantile(1 - confidence, n - 1) if reach is None else reach, mean_b / mean_a
    residuals = [(y - mean_b) - ratio * (x - mean_a) for x, y in zip(a, b, strict=True)]
    deviations = [x - mean_a for x in a]
    var_a = error_of_products(deviations, deviations, weights)
    var_e = error_of_products(residuals, residuals, weights)
    cov = error_of_products(deviations, residuals, weights)
    below = mean_a * mean_a - t * t * var_a
    if below <= 0:
        return None
    centre, half = ratio - 1 - t * t * cov / below, t * math.sqrt(below * var_e + t * t * cov * cov) / below
    return centre - half, centre + half


def cohens_dz(d: Differences, weights: Weights = None) -> float | None:
    """Return Cohen's dz (the ES of Sakai), mean / sd; None if sd is 0."""
    sd = sd_of(d, weights)
    return mean_of(d, weights) / sd if sd else None


def hedges_gz(d: Differences, weights: Weights = None) -> float | None:
    """Return Hedges' g of paired differences: dz Gamma(v / 2) / (Gamma((v - 1) / 2) sqrt(v / 2)), v = n - 1.

    None if sd is 0. g is 0 at n = 2, because the mean of dz is infinite there.
    Source: Hedges, Journal of Educational Statistics 6, 1981.
    """
    dz, df = cohens_dz(d, weights), len(d) - 1
    if dz is None or df == 1:
        return None if dz is None else 0.0
    # The integral of cosh(u)^-k is sqrt(pi) / 2 Gamma(k / 2) / Gamma((k + 1) / 2).
    return dz * math.sqrt(math.pi / (2 * df)) / cosh_integral(df - 1)


def smallest_difference(
    sd: float, n: int, alpha: float, power: float = 0.8, *, reach: float | None = None
) -> float | None:
    """Return the smallest true difference that the test detects with the given power.

    Formula: (t_{1 - alpha / 2} + t_power) sd / sqrt n. None for fewer than 2 queries. `reach` replaces the first t.
    """
    if n < 2:
        return None
    critical = t_quantile(alpha, n - 1) if reach is None else reach
    return (critical + t_quantile(2 - 2 * power, n - 1)) * sd / math.sqrt(n)


# Counts and ranks


def signs_of(d: Differences) -> tuple[int, int, int]:
    """Return the numbers of positive, zero and negative differences."""
    signs = rounded(d)
    return sum(x > 0 for x in signs), sum(x == 0 for x in signs), sum(x < 0 for x in signs)


def sign_p(d: Differences) -> float:
    """Return the two-sided p of the sign test: 2 P(X <= min(positive, negative)), at most 1. Zeros are dropped."""
    positive, _, negative = signs_of(d)
    return min(1.0, 2 * binomial_tail(positive + negative, min(positive, negative)))


def doubled_ranks(d: Differences) -> dict[float, tuple[int, int]]:
    """Return twice the average rank and the number of differences for each distinct |d| other than 0."""
    sizes = Counter(abs(x) for x in rounded(d) if x != 0)
    ranks, below = {}, 0
    for size in sorted(sizes):
        ranks[size] = (2 * below + sizes[size] + 1, sizes[size])
        below += sizes[size]
    return ranks


def rank_sums(d: Differences) -> tuple[float, float]:
    """Return Wilcoxon's W+ and W-, the sums of the average ranks of |d| over positive and over negative d."""
    ranks, signed = doubled_ranks(d), rounded(d)
    return sum(ranks[x][0] for x in signed if x > 0) / 2, sum(ranks[-x][0] for x in signed if x < 0) / 2


def wilcoxon_normal_p(d: Differences) -> float:
    """Return the two-sided p of Wilcoxon's signed-rank test by the normal approximation; 1 if all differences are 0.

    Formula: z = (W+ - n (n + 1) / 4) / sqrt(n (n + 1) (2 n + 1) / 24 - sum (t^3 - t) / 48). n counts the differences
    other than 0, and t the differences in each group of ties. No continuity correction.
    Source: Wilcoxon, Biometrics Bulletin 1, 1945; scipy.stats.wilcoxon.
    """
    tied = [count for _, count in doubled_ranks(d).values()]
    n = sum(tied)
    if n == 0:
        return 1.0
    # 48 times the variance.
    variance = 2 * n * (n + 1) * (2 * n + 1) - sum(t**3 - t for t in tied)
    return normal_p((rank_sums(d)[0] - n * (n + 1) / 4) / math.sqrt(variance / 48))


def wilcoxon_exact_p(d: Differences) -> float:
    """Return the exact two-sided p of Wilcoxon's signed-rank test.

    p is twice the share of the 2^n sign assignments with W+ <= min(W+, W-) as observed, at most 1. Doubled average
    ranks are whole numbers, so p is exact with ties too.
    """
    ranks = [rank for rank, count in doubled_ranks(d).values() for _ in range(count)]
    ways: dict[int, int] = {0: 1}
    for rank in ranks:
        for total, number in list(ways.items()):
            ways[total + rank] = ways.get(total + rank, 0) + number
    bound = 2 * min(rank_sums(d))
    return min(1.0, 2 * sum(number for total, number in ways.items() if total <= bound) / 2.0 ** len(ranks))


def wilcoxon_is_exact(d: Differences) -> bool:
    """Return whether `wilcoxon_p` is exact: up to 50 differences other than 0 without ties, up to 25 with ties."""
    tied = [count for _, count in doubled_ranks(d).values()]
    return sum(tied) <= (50 if all(count == 1 for count in tied) else 25)


def wilcoxon_p(d: Differences) -> float:
    """Return the two-sided p of Wilcoxon's signed-rank test; see `wilcoxon_is_exact`."""
    return wilcoxon_exact_p(d) if wilcoxon_is_exact(d) else wilcoxon_normal_p(d)


# Randomisation


def randomization_exact_p(d: Differences) -> float:
    """Return the exact two-sided p of Fisher's randomization test.

    p is the share of the 2^n sign assignments with |sum| >= |observed sum|, over the n differences other than 0. Sums
    are compared with the tolerance 1e-12 sum |d|. The sums of each half of the differences are enumerated. By symmetry,
    p is twice the share of one tail, at most 1.
    Source: Fisher, The Design of Experiments, 1935.
    """
    differing = [x for x, size in zip(d, rounded(d), strict=True) if size != 0]
    middle = len(differing) // 2
    left, right = _signed_sums(differing[:middle]), _signed_sums(differing[middle:])
    bar = abs(math.fsum(differing)) - 1e-12 * math.fsum(map(abs, differing))
    right.sort()
    hits = len(left) * len(right) - int(np.searchsorted(right, bar - left).sum())
    return min(1.0, 2 * hits / (len(left) * len(right)))


def _signed_sums(d: Differences) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the sum of the differences for each assignment of signs."""
    sums = np.zeros(1)
    for x in d:
        sums = np.concatenate([sums - x, sums + x])
    return sums
