"""Means of queries whose judge may err, and of queries that belong together: estimates, errors, degrees of freedom.

`llm` holds the value of each query under the judge that errs. `human` holds that of people, None for a query that they
did not judge. Values are those of a system, or differences of two systems.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from ltr_sql.oracle.comparison.pairs import Interval, scale_of
from ltr_sql.oracle.comparison.probabilities import t_p, t_quantile


@dataclass(frozen=True)
class Estimate:
    """A mean with its error.

    - `stderr`: None if there are too few clusters.
    - `llm_weight`: the weight of the judge that errs (lambda of PPI++); 0 without people.
    - `design_effect`: the squared error divided by that of independent queries.
    """

    mean: float
    stderr: float | None
    df: float | None
    llm_weight: float = 0.0
    design_effect: float | None = None

    def interval(self, confidence: float = 0.95) -> Interval | None:
        """Return the interval of the mean by Student's t distribution."""
        if self.stderr is None or self.df is None:
            return None
        reach = t_quantile(1 - confidence, self.df) * self.stderr
        return self.mean - reach, self.mean + reach

    def p(self) -> float | None:
        """Return the two-sided p of the hypothesis that the mean is 0; None without variance."""
        return None if not self.stderr or self.df is None else t_p(self.mean / self.stderr, self.df)


def best_llm_weight(llm: Sequence[float], human: Sequence[float | None], weights: Sequence[float]) -> float:
    """Return the weight of the judge that errs with the least variance: lambda of PPI++, between 0 and 1.

    Formula: cov_n(y, f) / ((1 + n / m) var_N(f)). The weights of queries count in the covariance only. A covariance
    that is 0 up to 12 decimals of the scale of the values is 0, and so is the result.
    Source: Angelopoulos, Duchi & Zrnic, arXiv 2311.01453.
    """
    judged = [(y, f, w) for y, f, w in zip(human, llm, weights, strict=True) if y is not None]
    others = len(llm) - len(judged)
    total = sum(w for *_, w in judged)
    mean_y = sum(w * y for y, _, w in judged) / total
    mean_f = sum(w * f for _, f, w in judged) / total
    covariance = sum(w * (y - mean_y) * (f - mean_f) for y, f, w in judged) / total
    if round(covariance / scale_of(llm) ** 2, 12) <= 0:
        return 0.0
    mean = sum(llm) / len(llm)
    variance = sum((f - mean) ** 2 for f in llm) / (len(llm) - 1)
    return min(1.0, covariance / ((1 + len(judged) / others) * variance))


def prediction_powered_mean(
    llm: Sequence[float],
    human: Sequence[float | None],
    *,
    weights: Sequence[float] | None = None,
    clusters: Sequence[Hashable] | None = None,
    llm_weight: float | None = None,
    as_published: bool = False,
) -> Estimate:
    """Return the mean of people's values, made more precise by those of the judge that errs.

    Formula: mean_n(y) + lambda (mean_m(f) - mean_n(f)), where n queries have y, and m queries have only f. Each query
    has an influence on this mean: w (r - mean r) / W_n with r = y - lambda f, or lambda w (f - mean f) / W_m. The
    squared error is the sum over clusters of the squared sum of their influences. Before, those of the first kind are
    multiplied by sqrt(G / (G - k)), where G clusters have y, and those of the second kind by sqrt(H / (H - 1)), where H
    clusters have a query without y. df is G - k. k is 2 if lambda is estimated and above 0, else 1.

    lambda is 0 for fewer than 3 clusters with y, and for fewer than 2 with a query without y. The design effect has the
    same lambda in both errors. `llm_weight` is a given lambda. Without clusters, each query is one. `as_published`
    leaves out the two factors, as the paper does.
    Source: Angelopoulos, Duchi & Zrnic, arXiv 2311.01453, with n - k instead of n, and Student's t.
    """
    n = len(llm)
    w = [1.0] * n if weights is None else list(weights)
    groups = list(range(n)) if clusters is None else list(clusters)
    judged = [i for i in range(n) if human[i] is not None]
    others = [i for i in range(n) if human[i] is None]
    y = {i: value for i, value in enumerate(human) if value is not None}
    few = len({groups[i] for i in judged}) < 3 or len({groups[i] for i in others}) < 2
    weight = llm_weight
    if weight is None:
        weight = 0.0 if few else best_llm_weight(llm, human, w)
    fitted = 2 if llm_weight is None and weight > 0 else 1

    def mean(of: Sequence[int], values: Sequence[float]) -> float:
        return sum(w[i] * v for i, v in zip(of, values, strict=True)) / sum(w[i] for i in of)

    rectified = [y[i] - weight * llm[i] for i in judged]
    centre = mean(judged, rectified)
    predicted = mean(others, [llm[i] for i in others]) if weight else 0.0
    total, rest = sum(w[i] for i in judged), sum(w[i] for i in others)
    of_judged = {i: w[i] * (r - centre) / total for i, r in zip(judged, rectified, strict=True)}
    of_others = {i: weight * w[i] * (llm[i] - predicted) / rest for i in others} if weight else {}
    lost = 0 if as_published else fitted
    squared = _squared_error(of_judged, of_others, groups, lost)
    alone = _squared_error(of_judged, of_others, list(range(n)), lost)
    units = len({groups[i] for i in judged})
    return Estimate(
        mean=centre + weight * predicted,
        stderr=None if squared is None else math.sqrt(squared),
        df=units - fitted if units > fitted else None,
        llm_weight=weight,
        design_effect=squared / alone if squared is not None and alone else None,
    )


def _squared_error(
    of_judged: dict[int, float], of_others: dict[int, float], groups: Sequence[Hashable], lost: int
) -> float | None:
    """Return the sum over groups of the squared sum of influences, each kind grown for its number of groups.

    `lost`: the degrees of freedom that the first kind loses. With 0, nothing is grown.
    """
    units, rest = len({groups[i] for i in of_judged}), len({groups[i] for i in of_others})
    if units <= lost:
        return None
    sums: dict[Hashable, float] = defaultdict(float)
    for i, value in of_judged.items():
        sums[groups[i]] += value * math.sqrt(units / (units - lost))
    for i, value in of_others.items():
        sums[groups[i]] += value * math.sqrt(rest / (rest - min(1, lost)))
    return sum(value * value for value in sums.values())


def clustered_mean(
    values: Sequence[float], clusters: Sequence[Hashable], weights: Sequence[float] | None = None
) -> Estimate:
    """Return a mean of values that come in clusters.

    Formula: with s the sum over a cluster of w (x - mean), v its share of the weights and W their sum, the squared
    error is sum s^2 / (1 - v) / W^2 (CR2). df is
    1 / (sum (v / (1 - v))^2 - 2 sum v^3 / (1 - v)^2 + (sum v^2 / (1 - v))^2). With unequal weights, the squared error
    is sum s^2 / W^2 G / (G - 1) (CR1), and df is G - 1 for G clusters. The design effect is CR1 divided by the squared
    error of independent values.
    Source: Bell & McCaffrey 2002, Survey Methodology 28; Satterthwaite 1946, Biometrics Bulletin 2.
    """
    w = [1.0] * len(values) if weights is None else list(weights)
    total, n = sum(w), len(values)
    mean = sum(a * x for a, x in zip(w, values, strict=True)) / total
    sums: dict[Hashable, float] = defaultdict(float)
    shares: dict[Hashable, float] = defaultdict(float)
    for x, group, a in zip(values, clusters, w, strict=True):
        sums[group] += a * (x - mean) / total
        shares[group] += a / total
    groups = len(sums)
    if groups < 2:
        return Estimate(mean, None, None)
    cr1 = sum(s * s for s in sums.values()) * groups / (groups - 1)
    alone = sum((a * (x - mean) / total) ** 2 for a, x in zip(w, values, strict=True)) * n / (n - 1)
    effect = cr1 / alone if alone else None
    if min(w) < max(w):
        return Estimate(mean, math.sqrt(cr1), groups - 1, design_effect=effect)
    cr2 = sum(s * s / (1 - shares[group]) for group, s in sums.items())
    v = shares.values()
    df = 1 / (
        sum((a / (1 - a)) ** 2 for a in v)
        - 2 * sum(a**3 / (1 - a) ** 2 for a in v)
        + sum(a * a / (1 - a) for a in v) ** 2
    )
    return Estimate(mean, math.sqrt(cr2), df, design_effect=effect)
