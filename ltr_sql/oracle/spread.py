"""Distribution of one measure over queries, from the formulas."""

from collections.abc import Sequence
from math import exp, fsum, log, nan, sqrt

from ltr_sql.oracle.comparison.probabilities import t_quantile

SHARES = {"p10": 0.1, "p25": 0.25, "median": 0.5, "p75": 0.75, "p90": 0.9}


def distribution(values: Sequence[float | None], weights: Sequence[float] | None = None) -> dict[str, float]:
    """Return the columns of `ltr_sql.distribution` for values and their weights. Undefined columns are NaN.

    Source: Kish 1965, Survey Sampling; Cochran 1977, Sampling Techniques.
    """
    given = [1.0] * len(values) if weights is None else list(weights)
    counted = [(x, w) for x, w in zip(values, given, strict=True) if w > 0]
    pairs = sorted((x, w) for x, w in counted if x is not None)
    n, total = len(pairs), fsum(w for _, w in pairs)
    found: dict[str, float] = {"queries": n, "undefined": len(counted) - n, "zeros": sum(x == 0 for x, _ in pairs)}
    if not pairs:
        names = ("mean", "stddev", "stderr", "low", "high", "min", *SHARES, "max", "geometric", "effective_queries")
        return found | dict.fromkeys(names, nan)
    mean = fsum(w * x for x, w in pairs) / total
    bessel = n / (n - 1) if n > 1 else nan
    found |= {
        "mean": mean,
        "stddev": sqrt(bessel * fsum(w * (x - mean) ** 2 for x, w in pairs) / total),
        "stderr": sqrt(bessel * fsum((w * (x - mean)) ** 2 for x, w in pairs)) / total,
        "min": pairs[0][0],
        "max": pairs[-1][0],
        "geometric": exp(fsum(w * log(max(x, 1e-5)) for x, w in pairs) / total),
        "effective_queries": total**2 / fsum(w * w for _, w in pairs),
    }
    reach = t_quantile(0.05, n - 1) * found["stderr"] if n > 1 else nan
    found |= {"low": mean - reach, "high": mean + reach}
    quantile = _interpolated if weights is None else _reached
    return found | {name: quantile(pairs, share) for name, share in SHARES.items()}


def _interpolated(pairs: Sequence[tuple[float, float]], share: float) -> float:
    """Return the quantile by linear interpolation, the default of numpy and R."""
    place = share * (len(pairs) - 1)
    low = int(place)
    high = min(low + 1, len(pairs) - 1)
    return pairs[low][0] + (place - low) * (pairs[high][0] - pairs[low][0])


def _reached(pairs: Sequence[tuple[float, float]], share: float) -> float:
    """Return the smallest value whose cumulative weight reaches a share of the total weight."""
    total = fsum(w for _, w in pairs)
    weights = [w for _, w in pairs]
    return next(x for i, (x, _) in enumerate(pairs) if fsum(weights[: i + 1]) / total >= share - 1e-12)
