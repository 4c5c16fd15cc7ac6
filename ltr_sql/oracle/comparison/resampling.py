"""Resampling: counter-based random words, Monte Carlo randomization, bootstrap intervals, p_best."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ltr_sql.oracle._rows import Floats
from ltr_sql.oracle.comparison.pairs import Differences, Interval, acceleration_of, mean_of, scale_of
from ltr_sql.oracle.comparison.probabilities import normal_quantile, normal_upper

Integers = npt.NDArray[np.int64]

MODULUS = 2**64
# The increment and the multipliers of splitmix64.
INCREMENT, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

# Largest difference of means that count as equal.
TIE = 1e-12


def random_word(key: str, seed: int, j: int) -> int:
    """Return word j of a key: 64 random bits that depend only on the key, the seed and j.

    The word is output number seed 2^32 + j + 1 of splitmix64, started at the state `random_start(key)`.
    Source: Steele, Lea & Flood, OOPSLA 2014; Vigna's splitmix64.c.
    """
    return mixed((random_start(key) + (seed * 2**32 + j + 1) * INCREMENT) % MODULUS)


def random_start(key: str) -> int:
    """Return the second half of the key's MD5 as a little-endian number."""
    return int.from_bytes(hashlib.md5(key.encode("utf-8"), usedforsecurity=False).digest()[8:], "little")


def mixed(state: int) -> int:
    """Return the output of splitmix64 for a state."""
    z = (state ^ (state >> 30)) * FIRST % MODULUS
    z = (z ^ (z >> 27)) * SECOND % MODULUS
    return z ^ (z >> 31)


def random_signs(query_id: Any, replicates: int, seed: int) -> Floats:
    """Return the sign (1 or -1) of a query in each replicate. Bit k of word j belongs to replicate 64 j + k."""
    words = [random_word(str(query_id), seed, j) for j in range(math.ceil(replicates / 64))]
    bits = np.array(words, dtype=np.uint64)[:, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
    return 2.0 * bits.ravel()[:replicates].astype(float) - 1


def randomization_p(
    query_ids: Sequence[Any], a: Sequence[float], b: Sequence[float], *, replicates: int = 10_000, seed: int = 7
) -> float:
    """Return the two-sided Monte Carlo p of Fisher's randomization test: (hits + 1) / (replicates + 1).

    A replicate draws a sign s for each query. It is a hit if |sum of s (b - a)| >= |sum of (b - a)|, with the tolerance
    1e-13 (sum |a| + sum |b|). p is never 0.
    Source: Smucker, Allan & Carterette, CIKM 2007; Phipson & Smyth, 2010.
    """
    totals = np.zeros(replicates)
    for query_id, x, y in zip(query_ids, a, b, strict=True):
        totals += random_signs(query_id, replicates, seed) * (y - x)
    tolerance = 1e-13 * math.fsum(map(abs, [*a, *b]))
    observed = math.fsum(y - x for x, y in zip(a, b, strict=True))
    hits = int((np.abs(totals) >= abs(observed) - tolerance).sum())
    return (hits + 1) / (replicates + 1)


def random_draws(n: int, replicate: int, seed: int) -> Integers:
    """Return the n positions that a bootstrap replicate draws, from n queries sorted by the text of query_id.

    The key is the number of the replicate. Each word gives two draws, from its high and then its low 32 bits. A draw is
    floor(bits n / 2^32).
    """
    words = [random_word(str(replicate), seed, j) for j in range((n + 1) // 2)]
    return np.array([half * n >> 32 for word in words for half in (word >> 32, word % 2**32)][:n], dtype=np.int64)


def by_text(query_ids: Sequence[Any]) -> list[Any]:
    """Return the ids sorted by their text, in byte order."""
    return sorted(query_ids, key=lambda query_id: str(query_id).encode("utf-8"))


def bootstrap_means(d: Differences, *, replicates: int = 1000, seed: int = 7) -> Floats:
    """Return the means of the bootstrap replicates in ascending order; d is sorted by the text of query_id."""
    values = np.array(d)
    return np.sort([values[random_draws(len(d), b, seed)].mean() for b in range(replicates)])


def _bound(means: Floats, u: float) -> float:
    """Return the quantile u of B sorted means, interpolated linearly at position u (B - 1)."""
    return float(np.interp(u * (len(means) - 1), np.arange(len(means)), means))


def percentile_interval(d: Differences, confidence: float, *, replicates: int = 1000, seed: int = 7) -> Interval | None:
    """Return the percentile bootstrap interval of the mean; None for fewer than 2 queries.

    Source: Efron & Tibshirani, An Introduction to the Bootstrap, 1993.
    """
    if len(d) < 2:
        return None
    means = bootstrap_means(d, replicates=replicates, seed=seed)
    return _bound(means, (1 - confidence) / 2), _bound(means, (1 + confidence) / 2)


def bca_interval(d: Differences, confidence: float, *, replicates: int = 1000, seed: int = 7) -> Interval | None:
    """Return the BCa bootstrap interval of the mean: percentiles corrected for bias and acceleration.

    Formula: the quantiles Phi(z0 + (z0 + z) / (1 - acceleration (z0 + z))) of the means of the replicates. Phi(z0)
    is the share of these means below the mean of d; a mean within 1e-12 max(1, max |d|) of it
    counts half.
    None for fewer than 2 queries, or if all means lie on one side of the mean of d.
    Source: Efron, Journal of the American Statistical Association 82, 1987.
    """
    if len(d) < 2:
        return None
    means, mean = bootstrap_means(d, replicates=replicates, seed=seed), mean_of(d)
    tie = TIE * max(1.0, *map(abs, d))
    below = float((means < mean - tie).sum() + (np.abs(means - mean) <= tie).sum() / 2) / replicates
    if below in (0, 1):
        return None
    bias, acceleration = normal_quantile(below), acceleration_of(d)
    bounds = []
    for u in ((1 - confidence) / 2, (1 + confidence) / 2):
        shift = bias + normal_quantile(u)
        bounds.append(_bound(means, normal_upper(-(bias + shift / (1 - acceleration * shift)))))
    low, high = bounds
    return low, high


def chances_of_best(
    values: Mapping[Any, Mapping[Any, float]],
    *,
    lower: bool = False,
    replicates: int = 1000,
    seed: int = 7,
    weights: Mapping[Any, float] | None = None,
) -> dict[Any, float]:
    """Return the share of bootstrap replicates in which each system has the best mean. Tied systems share a replicate.

    `values` maps systems to values by query_id. A replicate draws from the queries of all systems. A system's mean is
    over the drawn queries that it has, with their weights.
    """
    query_ids = by_text(list({query_id: None for row in values.values() for query_id in row}))
    table = np.array([[row.get(query_id, math.nan) for query_id in query_ids] for row in values.values()])
    of_query = np.array([1.0 if weights is None else weights[query_id] for query_id in query_ids])
    shares, size = np.zeros(len(values)), scale_of(table[~np.isnan(table)].tolist())
    for b in range(replicates):
        positions = random_draws(len(query_ids), b, seed)
        drawn, weight = table[:, positions], of_query[positions]
        has = ~np.isnan(drawn)
        means = np.full(len(values), -math.inf)
        np.divide(
            np.where(has, weight * drawn, 0).sum(axis=1), (has * weight).sum(axis=1), out=means, where=has.any(axis=1)
        )
        if lower:
            means = np.where(has.any(axis=1), -means, -math.inf)
        best = means >= means.max() - TIE * size
        shares += best / best.sum()
    return dict(zip(values, (shares / replicates).tolist(), strict=True))
