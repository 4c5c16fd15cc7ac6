"""Means over datasets, with points and places of systems, and differences of systems with queries of their own."""

import math
import statistics
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from ltr_sql.oracle.comparison.judges import Estimate, clustered_mean
from ltr_sql.oracle.comparison.pairs import DIGITS, scale_of
from ltr_sql.oracle.comparison.resampling import by_text, random_draws

# The means of each system by dataset.
Means = Mapping[Hashable, Mapping[Hashable, float]]


def mean_over_datasets(values: Mapping[Hashable, Sequence[float]], *, generalize: str = "queries") -> Estimate:
    """Return the mean of the means of datasets. `values` maps each dataset to the values of its queries.

    Formula: with D datasets, and in each of them n values with the variance s^2, let v = s^2 / n. For other queries of
    these datasets (`generalize='queries'`), the squared error is sum v / D^2, and df is (sum v)^2 / sum v^2 / (n - 1).
    For other datasets ('datasets'), it is the variance of the D means divided by D, and df is D - 1. The error is None
    if it needs the variance of a single value.
    Source: Cochran 1977, Sampling Techniques (strata); Satterthwaite 1946, Biometrics Bulletin 2; Student 1908.
    """
    means = [statistics.fmean(of) for of in values.values()]
    number, mean = len(means), statistics.fmean(means)
    if generalize == "datasets":
        if number < 2:
            return Estimate(mean, None, None)
        return Estimate(mean, math.sqrt(statistics.variance(means) / number), number - 1)
    if min(map(len, values.values())) < 2:
        return Estimate(mean, None, None)
    parts = [(statistics.variance(of) / len(of), len(of)) for of in values.values()]
    total = math.fsum(v for v, _ in parts)
    df = total**2 / math.fsum(v * v / (n - 1) for v, n in parts) if total else None
    return Estimate(mean, math.sqrt(total) / number, df)


def borda(means: Means, *, lower: bool = False) -> dict[Hashable, float]:
    """Return the points of each system: in each dataset, the number of systems minus the place, ties at their average.

    `means` maps each system to its means by dataset. Two means are equal if they agree to 12 decimals of their scale.
    Source: MTEB's leaderboard; de Borda 1781.
    """
    heights = _heights(means, lower)
    return {
        system: math.fsum(
            sum(other[dataset] < height for other in heights.values())
            + (sum(other[dataset] == height for other in heights.values()) - 1) / 2
            for dataset, height in row.items()
        )
        for system, row in heights.items()
    }


def _heights(means: Means, lower: bool) -> dict[Hashable, dict[Hashable, float]]:
    """Return means, rounded on the scale of all means; higher is better."""
    scale = scale_of([x for row in means.values() for x in row.values()])
    return {
        system: {dataset: round((-x if lower else x) / scale, DIGITS) for dataset, x in row.items()}
        for system, row in means.items()
    }


def sampled_places(
    means: Means,
    *,
    lower: bool = False,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 7,
) -> dict[Hashable, tuple[int | None, int | None]]:
    """Return the interval of the place of each system over bootstrap samples of the datasets, unknown for one dataset.

    A bound is the smallest place that at least the share (1 - confidence) / 2 or (1 + confidence) / 2 of the samples
    reaches. Source: Efron & Tibshirani 1993, An Introduction to the Bootstrap.
    """
    datasets = by_text(list(next(iter(means.values()))))
    if len(datasets) < 2:
        return dict.fromkeys(means, (None, None))
    places: dict[Hashable, list[int]] = {system: [] for system in means}
    for b in range(resamples):
        drawn = [datasets[int(i)] for i in random_draws(len(datasets), b, seed)]
        sample: Means = {s: {"": statistics.fmean(row[name] for name in drawn)} for s, row in means.items()}
        heights = _heights(sample, lower)
        for system, row in heights.items():
            places[system].append(1 + sum(other[""] > row[""] for other in heights.values()))
    tails = [math.ceil(round(resamples * share, 9)) for share in ((1 - confidence) / 2, (1 + confidence) / 2)]
    return {system: (sorted(of)[tails[0] - 1], sorted(of)[tails[1] - 1]) for system, of in places.items()}


def unpaired_difference(
    a: Sequence[float], b: Sequence[float], clusters: tuple[Sequence[Hashable], Sequence[Hashable]] | None = None
) -> Estimate:
    """Return the difference of the means of b and a, which have values of different queries.

    Formula: Welch's, from the squared error of each mean: the variance divided by the number of values. With clusters,
    a mean is the sum S of the values of its m clusters divided by the sum of their counts N, and its squared error is
    (var S - 2 mean cov(S, N) + mean^2 var N) / (average N)^2 / m. Clusters of both a and b add a covariance, and df is
    at most the number of all clusters minus 1.
    Source: Welch 1947, Biometrika 34; Deng, Knoblich & Lu 2018, KDD (delta method).
    """
    means = [statistics.fmean(x) for x in (a, b)]
    difference = means[1] - means[0]
    of = [_by_cluster(x, range(len(x)) if clusters is None else clusters[i]) for i, x in enumerate((a, b))]
    sizes = [len(groups) for groups in of]
    if min(sizes) < 2:
        return Estimate(difference, None, None)
    errors = [_squared_error(groups, mean) for groups, mean in zip(of, means, strict=True)]
    both = [] if clusters is None else [group for group in of[0] if group in of[1]]
    shared = math.fsum(_influence(of[0], group, means[0]) * _influence(of[1], group, means[1]) for group in both)
    squared, total = math.fsum([*errors, -2 * shared]), math.fsum(errors)
    if not total:
        return Estimate(difference, None, None)
    welch = total**2 / math.fsum(error**2 / (size - 1) for error, size in zip(errors, sizes, strict=True))
    df = min(welch, sum(sizes) - len(both) - 1)
    alone = sum(statistics.variance(x) / len(x) for x in (a, b))
    return Estimate(difference, math.sqrt(squared), df, design_effect=squared / alone)


def change_of_clusters(
    a: Sequence[float], b: Sequence[float], clusters: tuple[Sequence[Hashable], Sequence[Hashable]]
) -> Estimate:
    """Return the difference of the means of two periods, a and then b, whose values come in clusters.

    Formula: v + w - 2 c is the squared error, with v and w the squared errors of the means by `clustered_mean`, and c
    the sum over clusters of both periods of the products of their influences, s / (n sqrt(1 - share)) with s the sum
    of x - mean. df is (v + w)^2 / (v^2 / df of a + w^2 / df of b), at most the number of all clusters minus 1.
    Source: Bell & McCaffrey 2002, Survey Methodology 28; Welch 1947, Biometrika 34.
    """
    means = [clustered_mean(x, groups) for x, groups in zip((a, b), clusters, strict=True)]
    difference = means[1].mean - means[0].mean
    known = [(m.stderr**2, m.df) for m in means if m.stderr is not None and m.df is not None]
    total = math.fsum(error for error, _ in known)
    if len(known) < 2 or not total:
        return Estimate(difference, None, None)
    first, second = (_grown_influences(x, groups) for x, groups in zip((a, b), clusters, strict=True))
    squared = total - 2 * math.fsum(first[group] * second[group] for group in first.keys() & second.keys())
    welch = total**2 / math.fsum(error**2 / df for error, df in known)
    return Estimate(difference, math.sqrt(max(squared, 0.0)), min(welch, len(first.keys() | second.keys()) - 1))


def _grown_influences(values: Sequence[float], clusters: Sequence[Hashable]) -> dict[Hashable, float]:
    """Return how much each cluster moves a mean, grown so that the squares sum to the squared error CR2."""
    n, mean = len(values), statistics.fmean(values)
    return {
        group: (total - mean * count) / n / math.sqrt(1 - count / n)
        for group, (total, count) in _by_cluster(values, clusters).items()
    }


def _by_cluster(values: Sequence[float], clusters: Sequence[Hashable]) -> dict[Hashable, tuple[float, int]]:
    """Return the sum and the count of the values of each cluster."""
    counts, sums = Counter(clusters), dict.fromkeys(clusters, 0.0)
    for x, group in zip(values, clusters, strict=True):
        sums[group] += x
    return {group: (total, counts[group]) for group, total in sums.items()}


def _squared_error(groups: Mapping[Hashable, tuple[float, int]], mean: float) -> float:
    """Return the squared error of a ratio of means by the delta method."""
    sums, counts = zip(*groups.values(), strict=True)
    m, average = len(groups), statistics.fmean(counts)
    covariance = statistics.covariance(sums, counts)
    variance: float = statistics.variance(sums) - 2 * mean * covariance + mean**2 * statistics.variance(counts)
    return variance / average**2 / m


def _influence(groups: Mapping[Hashable, tuple[float, int]], group: Hashable, mean: float) -> float:
    """Return how much a cluster moves the mean of its system, on the scale of an unbiased variance."""
    total, count = groups[group]
    return (total - mean * count) / sum(n for _, n in groups.values()) * math.sqrt(len(groups) / (len(groups) - 1))
