"""Measures of a user who reads the ranking from the top and decides at each rank whether to continue."""

import math
from collections.abc import Callable

from ltr_sql.oracle._rows import Column, check_gain, gain_of, in_top, rows_of, to_floats, value_if_empty, with_empty


def _check_scale(relevance: Column, max_grade: float) -> None:
    """Raise ValueError for a grade above `max_grade`."""
    if any(g > max_grade for g in to_floats(relevance).tolist()):
        raise ValueError(f"a grade is above max_grade = {max_grade}")


def err(
    rank: Column,
    relevance: Column,
    *,
    k: int | None = None,
    max_grade: float,
    gain: str = "exponential",
    empty: str = "0",
) -> float:
    """Expected reciprocal rank of the document that satisfies the user.

    `max_grade` is the largest grade of the scale.

    Formula: sum over the rows in the top k of (1 / rank) s (product of 1 - s over the rows above). s = (2**relevance -
    1) / 2**max_grade, or relevance / max_grade with gain = 'linear'; 0 if the grade is missing or not positive.
    Empty query (no positive grade): 0, or as set by `empty`.
    Source: Chapelle et al., CIKM 2009; gdeval `ERR` (max_grade = 4); CatBoost `ERR` (max_grade = 1, linear).
    """
    check_gain(gain)
    _check_scale(relevance, max_grade)
    if not any(g > 0 for g in to_floats(relevance).tolist()):
        return value_if_empty(empty, rank)
    left, value = 1.0, 0.0
    for i, g in sorted((i, g) for i, g in rows_of(rank, relevance) if in_top(i, k)):
        s = gain_of(g, gain) / (max_grade if gain == "linear" else 2.0**max_grade)
        value += left * s / i
        left *= 1 - s
    return value


@with_empty()
def pfound(rank: Column, relevance: Column, *, k: int | None = None, max_grade: float, decay: float = 0.85) -> float:
    """Probability that the user finds a satisfying document.

    `decay` is the probability that an unsatisfied user continues.

    Formula: sum over ranks i <= k of look_i s_i, look_1 = 1, look_(i+1) = look_i (1 - s_i) decay. s = relevance /
    max_grade, or 0 if the grade is missing or not positive.
    Empty query (no positive grade): 0, or as set by `empty`.
    Source: Gulin et al., ROMIP 2009; CatBoost `PFound` (max_grade = 1).
    """
    _check_scale(relevance, max_grade)
    probability = {i: g / max_grade for i, g in rows_of(rank, relevance) if in_top(i, k) and g > 0}
    look, value = 1.0, 0.0
    for i in range(1, int(max(probability, default=0)) + 1):
        s = probability.get(i, 0.0)
        value += look * s
        look *= (1 - s) * decay
    return value


def _expected_utility(
    rank: Column,
    relevance: Column,
    k: int,
    min_rel: float,
    max_rel: float | None,
    continuation: Callable[[int, float, float], float],
) -> float:
    """C/W/L framework: the expected gain per viewed rank, EU = sum of V(i) g_i / sum of V(i), over the ranks i = 1..k.

    V(1) = 1 and V(i + 1) = V(i) C(i), with the continuation probability C(i) = continuation(i, g_i, g_1 + ... + g_i).
    Gains are grades, clipped to min_rel..max_rel and rescaled to 0..1 if `max_rel` is given.
    """
    gain = {
        i: g if max_rel is None else (min(max(g, min_rel), max_rel) - min_rel) / (max_rel - min_rel)
        for i, g in rows_of(rank, relevance)
        if in_top(i, k) and g > 0
    }
    view, so_far = 1.0, 0.0
    views, gained = [], []
    for i in range(1, k + 1):
        g = gain.get(i, 0.0)
        so_far += g
        views.append(view)
        gained.append(view * g)
        view *= continuation(i, g, so_far)
    return math.fsum(gained) / math.fsum(views)


@with_empty()
def sdcg(rank: Column, relevance: Column, *, k: int, min_rel: float = 0.0, max_rel: float) -> float:
    """Scaled DCG.

    Formula: (sum over the rows in the top k of g / log2(rank + 1)) / (sum over i = 1..k of 1 / log2(i + 1)), g =
    (clip(relevance, min_rel, max_rel) - min_rel) / (max_rel - min_rel).
    Empty query (no gain): 0, or as set by `empty`.
    Source: cwl_eval `SDCG-k`.
    """

    def discount(i: int) -> float:
        return 1 / math.log2(i + 1)

    return _expected_utility(rank, relevance, k, min_rel, max_rel, lambda i, g, y: discount(i + 1) / discount(i))


@with_empty()
def inst(
    rank: Column, relevance: Column, *, k: int = 1000, T: float = 1.0, min_rel: float = 0.0, max_rel: float
) -> float:
    """INST: a user who wants a total gain of `T`.

    Formula: EU of `_expected_utility` with C(i) = ((i + T + T_i - 1) / (i + T + T_i))**2, T_i = T - (g_1 + ... + g_i).
    Empty query (no gain): 0, or as set by `empty`.
    Source: Moffat, Bailey, Scholer and Thomas, ADCS 2015; cwl_eval `INST`.
    """
    return _expected_utility(
        rank, relevance, k, min_rel, max_rel, lambda i, g, y: ((i + T + (T - y) - 1) / (i + T + (T - y))) ** 2
    )


@with_empty()
def insq(
    rank: Column, relevance: Column, *, k: int = 1000, T: float = 1.0, min_rel: float = 0.0, max_rel: float
) -> float:
    """INSQ: a user who wants a total gain of `T`. The probability to continue does not depend on the gains found.

    Formula: EU of `_expected_utility` with C(i) = ((i + 2T - 1) / (i + 2T))**2.
    Empty query (no gain): 0, or as set by `empty`.
    Source: Moffat, Scholer and Thomas, ADCS 2012; cwl_eval `INSQ`.
    """
    return _expected_utility(rank, relevance, k, min_rel, max_rel, lambda i, g, y: ((i + 2 * T - 1) / (i + 2 * T)) ** 2)


@with_empty()
def bpm(rank: Column, relevance: Column, *, k: int, T: float = 1.0, min_rel: float = 0.0, max_rel: float) -> float:
    """Static bejeweled player model: a user who stops at a total gain of `T`.

    Formula: EU of `_expected_utility` with C(i) = 1 if g_1 + ... + g_i < T, else 0.
    Empty query (no gain): 0, or as set by `empty`.
    Source: Zhang et al., SIGIR 2017; cwl_eval `BPM-Static`.
    """
    return _expected_utility(rank, relevance, k, min_rel, max_rel, lambda i, g, y: float(y < T))


@with_empty()
def nerr8(rank: Column, relevance: Column, *, k: int, min_rel: float = 0.0, max_rel: float) -> float:
    """Normalised ERR, equation 8.

    Formula: EU of `_expected_utility` with C(i) = 1 - g_i.
    Empty query (no gain): 0, or as set by `empty`.
    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 8; cwl_eval `NERR-eq8`.
    """
    return _expected_utility(rank, relevance, k, min_rel, max_rel, lambda i, g, y: 1 - g)


@with_empty()
def nerr9(rank: Column, relevance: Column, *, k: int, min_rel: float = 0.0, max_rel: float) -> float:
    """Normalised ERR, equation 9.

    Formula: EU of `_expected_utility` with C(i) = (1 - g_i) i / (i + 1).
    Empty query (no gain): 0, or as set by `empty`.
    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 9; cwl_eval `NERR-eq9`.
    """
    return _expected_utility(rank, relevance, k, min_rel, max_rel, lambda i, g, y: (1 - g) * i / (i + 1))


@with_empty()
def nerr10(
    rank: Column, relevance: Column, *, k: int = 1000, p: float = 0.9, min_rel: float = 0.0, max_rel: float
) -> float:
    """Normalised ERR, equation 10.

    Formula: EU of `_expected_utility` with C(i) = (1 - g_i) p.
    Empty query (no gain): 0, or as set by `empty`.
    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 10; cwl_eval `NERR-eq10`.
    """
    return _expected_utility(rank, relevance, k, min_rel, max_rel, lambda i, g, y: (1 - g) * p)


@with_empty()
def nerr11(
    rank: Column, relevance: Column, *, k: int = 1000, T: float = 1.0, min_rel: float = 0.0, max_rel: float
) -> float:
    """Normalised ERR, equation 11.

    Formula: EU of `_expected_utility` with C(i) = (1 - g_i) ((i + 2T - 1) / (i + 2T))**2.
    Empty query (no gain): 0, or as set by `empty`.
    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 11; cwl_eval `NERR-eq11`.
    """
    return _expected_utility(
        rank, relevance, k, min_rel, max_rel, lambda i, g, y: (1 - g) * ((i + 2 * T - 1) / (i + 2 * T)) ** 2
    )


@with_empty()
def pwa(rank: Column, relevance: Column, *, k: int) -> float:
    """Position-weighted average of the grades.

    Formula: (sum over the rows in the top k of max(relevance, 0) / rank) / (sum over i = 1..k of 1 / i).
    Empty query (no positive grade): 0, or as set by `empty`.
    Source: TF-Ranking `PWAMetric`.
    """
    return _expected_utility(rank, relevance, k, 0.0, None, lambda i, g, y: i / (i + 1))
