"""Distributions of the tests.

Probabilities of t and F are ratios of two integrals of an unnormalised density, by Gauss-Legendre quadrature. This
needs no gamma function and avoids cancellation. The SQL computes them from continued fractions and series instead.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from functools import cache, lru_cache

import numpy as np

from ltr_sql.oracle._rows import Floats

# A quadrature ends where the logarithm of its density has fallen by this number.
FALL = 40.0
# Relative error of the point where a quadrature ends.
ROUGHLY = 0.1


@lru_cache
def _nodes(number: int) -> tuple[Floats, Floats]:
    """Return the nodes and weights of Gauss-Legendre quadrature on [-1, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(number)
    return nodes, weights


def _grid(low: float, high: float, panels: int, number: int) -> tuple[Floats, Floats]:
    """Return the nodes and weights of Gauss-Legendre quadrature on equal panels of [low, high]."""
    nodes, weights = _nodes(number)
    half = (high - low) / (2 * panels)
    middles = low + half * (2 * np.arange(panels) + 1)
    return (middles[:, None] + half * nodes).ravel(), np.tile(half * weights, panels)


def _integral(log_density: Callable[[Floats], Floats], low: float, high: float) -> float:
    """Return the integral of exp(log_density) from low to high."""
    if not low < high:
        return 0.0
    nodes, weights = _grid(low, high, 4, 40)
    return math.fsum((weights * np.exp(log_density(nodes))).tolist())


def _crossing(below: Callable[[float], bool], low: float, high: float, error: float = 0.0) -> float:
    """Return the point where `below` changes from true (at low) to false (at high), by bisection.

    The result overshoots this point by at most `error` times the distance between the result and the initial `low`.
    """
    start = low
    while abs(high - low) > error * abs(high - start):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if below(middle):
            low = middle
        else:
            high = middle
    return high


def _end(below: Callable[[float], bool], start: float, step: float, error: float = 0.0) -> float:
    """Return the point where `below` changes to false, searching from `start` in the direction of `step`."""
    while below(start + step):
        step *= 2
    return _crossing(below, start, start + step, error)


def _density_between(u: Floats, reference: float, df_1: float, df_2: float) -> Floats:
    """Return ln(g(u) / g(reference)) for g(u) = cosh(u)^-df_2 tanh(u)^(df_1 - 1)."""
    middle, half = (u + reference) / 2, (u - reference) / 2
    of_cosh = np.log1p(2 * np.sinh(middle) * np.sinh(half) / math.cosh(reference))
    if df_1 == 1:
        return -df_2 * of_cosh
    # At u = 0, the ratio of the hyperbolic sines is 0.
    ratio = 2 * np.cosh(middle) * np.sinh(half) / math.sinh(reference)
    far = np.log(np.maximum(np.sinh(u) / math.sinh(reference), 1e-300))
    of_sinh = np.where(ratio < -0.5, far, np.log1p(np.maximum(ratio, -0.5)))
    return (df_1 - 1) * of_sinh - (df_1 - 1 + df_2) * of_cosh


@lru_cache
def _mass(start: float, reference: float, df_1: float, df_2: float) -> float:
    """Return the integral of g(u) / g(reference) from start to infinity. `reference` is the mode or beyond it."""

    def log_density(u: Floats) -> Floats:
        return _density_between(u, reference, df_1, df_2)

    def above_fall(u: float) -> bool:
        return bool(log_density(np.array([u]))[0] > -FALL)

    high = _end(above_fall, reference, 1e-3, ROUGHLY)
    low = start if start == reference or above_fall(start) else _crossing(above_fall, reference, start, ROUGHLY)
    return _integral(log_density, low, reference) + _integral(log_density, reference, high)


def f_p(f: float, df_1: float, df_2: float) -> float:
    """Return P(F >= f) of Fisher's F distribution with df_1 and df_2 degrees of freedom.

    Formula: I_x(df_2 / 2, df_1 / 2) with x = df_2 / (df_2 + df_1 f), where I is the regularised incomplete beta
    function. Substituting x = cosh(u)^-2 gives a ratio of two integrals of cosh(u)^-df_2 tanh(u)^(df_1 - 1) to
    infinity: from asinh(sqrt(df_1 f / df_2)), and from 0.
    """
    if math.isinf(f):
        return 0.0
    if f <= 0:
        return 1.0
    start = math.asinh(math.sqrt(df_1 * f / df_2))
    mode = math.asinh(math.sqrt((df_1 - 1) / df_2))
    whole = _mass(0.0, mode, df_1, df_2)
    if start <= mode:
        return _mass(start, mode, df_1, df_2) / whole
    fall = float(_density_between(np.array([start]), mode, df_1, df_2)[0])
    return math.exp(fall) * _mass(start, start, df_1, df_2) / whole


def cosh_integral(k: float) -> float:
    """Return the integral of cosh(u)^-k from 0 to infinity, sqrt(pi) / 2 Gamma(k / 2) / Gamma((k + 1) / 2)."""
    return _mass(0.0, 0.0, 1, k)


def t_p(t: float, df: float) -> float:
    """Return P(|T| >= |t|) of Student's t distribution with df degrees of freedom.

    Formula: P(F >= t^2) with 1 and df degrees of freedom.
    """
    return f_p(t * t, 1, df)


def t_upper(t: float, df: float) -> float:
    """Return the one-sided P(T >= t) of Student's t distribution."""
    return t_p(t, df) / 2 if t >= 0 else 1 - t_p(t, df) / 2


@cache
def t_quantile(alpha: float, df: float) -> float:
    """Return the t >= 0 with P(|T| >= t) = alpha.

    Newton's method solves for u = asinh(t / sqrt df), because ln p is a concave function of u.
    """
    u, step = 0.0, math.inf
    while abs(step) > 1e-10 * u:
        mass = _mass(u, u, 1, df)
        log_p = float(_density_between(np.array([u]), 0.0, 1, df)[0]) + math.log(mass / cosh_integral(df))
        step = mass * (log_p - math.log(alpha))
        u += step
    return math.sqrt(df) * math.sinh(u)


def normal_p(z: float) -> float:
    """Return the two-sided P(|Z| >= |z|) of the standard normal distribution."""
    return math.erfc(abs(z) / math.sqrt(2))


def normal_upper(z: float) -> float:
    """Return P(Z >= z) of the standard normal distribution."""
    return math.erfc(z / math.sqrt(2)) / 2


def normal_quantile(u: float) -> float:
    """Return the z with P(Z <= z) = u, by bisection: -inf at u = 0, inf at u = 1."""
    if u in (0, 1):
        return math.copysign(math.inf, u - 0.5)
    z = _end(lambda z: normal_upper(z) > min(u, 1 - u), 0.0, 1.0)
    return math.copysign(z, u - 0.5)


def binomial_tail(n: int, at_most: int) -> float:
    """Return P(X <= at_most) for the number of heads in n tosses of a fair coin, from exact integer counts."""
    return float(sum(math.comb(n, heads) for heads in range(at_most + 1)) / 2**n)


def _uppers(z: Floats) -> Floats:
    """Return P(Z >= z) of each element."""
    values = [math.erfc(x) for x in (z / math.sqrt(2)).ravel().tolist()]
    return np.array(values).reshape(z.shape) / 2


def _mean_over_s(inside: Callable[[Floats], Floats], df: float) -> float:
    """Return the mean of inside(s), where s = sqrt(X / df) and X has the chi-square distribution.

    With s = exp(x) the density in x is proportional to exp(df (x - exp(2 x) / 2)).
    """

    def log_density(x: float) -> float:
        return df * (x - math.expm1(2 * x) / 2)

    low = _end(lambda x: log_density(x) > -FALL, 0.0, -1e-3, ROUGHLY)
    high = _end(lambda x: log_density(x) > -FALL, 0.0, 1e-3, ROUGHLY)
    nodes, weights = _grid(low, high, max(8, math.ceil(1.5 * (high - low))), 16)
    weights = weights * np.exp(df * (nodes - np.expm1(2 * nodes) / 2))
    return math.fsum((weights * inside(np.exp(nodes))).tolist()) / math.fsum(weights.tolist())


@cache
def tukey_p(q: float, means: int, df: float) -> float:
    """Return P(Q >= q) of the studentised range of `means` means.

    Formula: 1 - E_s[m integral phi(z) (Phi(z) - Phi(z - q s))^(m - 1) dz], with m means and s = sqrt(chi^2_df / df).
    Source: Tukey 1953; Copenhaver & Holland, Journal of Statistical Computation and Simulation 30, 1988.
    """
    z, weights = _grid(-8.5, 8.5, 4, 40)
    weights = weights * np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * means
    above = _uppers(z)

    def inside(s: Floats) -> Floats:
        return (_uppers(z - q * s[:, None]) - above) ** (means - 1) @ weights

    return max(0.0, 1 - _mean_over_s(inside, df))


@cache
def tukey_quantile(alpha: float, means: int, df: float) -> float:
    """Return the q with P(Q >= q) = alpha of the studentised range, by bisection."""
    return _end(lambda q: tukey_p(q, means, df) > alpha, 0.0, 1.0)


def power_of_t(n: int, dz: float, alpha: float) -> float:
    """Return the power of the two-sided paired t test at n queries and a true effect dz.

    Formula: E_s[Phi(-(t s - dz sqrt n)) + Phi(-(t s + dz sqrt n))], the tails of the noncentral t distribution. t is
    the critical value, s = sqrt(chi^2_df / df) and df = n - 1.
    """
    critical, shift = t_quantile(alpha, n - 1), dz * math.sqrt(n)
    return _mean_over_s(lambda s: _uppers(critical * s - shift) + _uppers(critical * s + shift), n - 1)


def queries_needed(dz: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return the smallest number of queries at which the paired t test detects the effect dz with the given power.

    Above 10,000 queries, return Guenther's approximation ceil(((z + z_power) / dz)^2 + z^2 / 2) with
    z = z_{1 - alpha / 2}, at most 10^9. None if dz is 0.
    Source: Guenther, The American Statistician 35, 1981.
    """
    if dz == 0:
        return None
    z = normal_quantile(1 - alpha / 2)
    start = ((z + normal_quantile(power)) / dz) ** 2 + z * z / 2
    if math.ceil(start) > 10_000:
        return int(min(math.ceil(start), 10**9))
    # The power grows with n.
    return bisect_left(range(math.ceil(start) + 10), power, lo=2, key=lambda n: power_of_t(n, dz, alpha))
