"""Rows of `compare` and `leaderboard` from plain values, one stratum at a time."""

import math
import statistics
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

from ltr_sql.oracle.comparison.pairs import (
    Interval,
    Scaled,
    Weights,
    abc_interval,
    cohens_dz,
    differences,
    fieller_interval,
    hedges_gz,
    is_equal,
    mean_of,
    p_not_above,
    paired_t_p,
    randomization_exact_p,
    rank_sums,
    rounded,
    scale_of,
    sd_of,
    sign_p,
    signs_of,
    smallest_difference,
    standard_error,
    t_interval,
    t_statistic,
    wilcoxon_p,
)
from ltr_sql.oracle.comparison.probabilities import queries_needed, t_p
from ltr_sql.oracle.comparison.resampling import (
    bca_interval,
    by_text,
    chances_of_best,
    percentile_interval,
    randomization_p,
)
from ltr_sql.oracle.comparison.sequential import FEWEST_LOOKED_AT, Look
from ltr_sql.oracle.comparison.systems import adjusted, honest_difference, letters, paired_tukey_p

# query_id, system, value.
Value = tuple[Any, Any, float | None]
# query_id, system, repeat, value.
RepeatedValue = tuple[Any, Any, Any, float | None]

# A geometric mean raises smaller values to this one, as in trec_eval.
SMALLEST = 1e-5
# Fewest queries for which the t test gives a verdict.
FEWEST = 5


@dataclass(frozen=True)
class Comparison:
    """A row of `compare`. Its fields are the columns, except the grouping columns."""

    measure: str
    system_a: Any
    system_b: Any
    queries: int
    only_a: int
    only_b: int
    mean_a: float | None = None
    mean_b: float | None = None
    difference: float | None = None
    relative: float | None = None
    sd: float | None = None
    confidence: float | None = None
    low: float | None = None
    high: float | None = None
    uncorrected_low: float | None = None
    uncorrected_high: float | None = None
    relative_low: float | None = None
    relative_high: float | None = None
    dz: float | None = None
    gz: float | None = None
    wins: int = 0
    ties: int = 0
    losses: int = 0
    superiority: float | None = None
    test: str = "t"
    statistic: float | None = None
    df: int | None = None
    p: float | None = None
    p_adjusted: float | None = None
    p_not_worse: float | None = None
    p_worse: float | None = None
    p_equivalent: float | None = None
    mde: float | None = None
    queries_needed: int | None = None
    verdict: str = "no values"


@dataclass(frozen=True)
class Options:
    """Options of `compare` that apply to every pair.

    - `test`: 't', 'sign', 'wilcoxon', 'randomization' or 'sequential'. `planned`: the planned queries of the latter.
    - `ci`: 't', 'abc', 'percentile' or 'bca'.
    - `confidence`: 1 - alpha. With a margin, the confidence of the intervals is 1 - 2 alpha.
    - `margin`, `relative_margin`: the largest tolerated loss, absolute or as a share of the mean of a.
    - `replicates`, `resamples`: numbers of replicates of Monte Carlo randomization and of the bootstrap.
    - `weights`: weights of queries by query_id. They need the t or the sequential test. A query of weight 0 is
      left out.
    """

    test: str = "t"
    planned: int | None = None
    ci: str = "t"
    confidence: float = 0.95
    margin: float | None = None
    relative_margin: float | None = None
    replicates: int = 10_000
    resamples: int = 1000
    seed: int = 7
    weights: Mapping[Any, float] | None = None

    def look(self, queries: int) -> Look | None:
        """Return the look of the sequential test at a number of queries, or None for other tests."""
        return None if self.planned is None else Look(queries, self.planned, self.alpha)

    def reach(self, queries: int, confidence: float, ends: bool = False) -> float | None:
        """Return how many standard errors an interval of the sequential test reaches; None for other tests.

        `ends`: true if its ends are one-sided tests, as those against a margin.
        """
        look = self.look(queries)
        return None if look is None else look.reach(1 - confidence, ends)

    def weights_of(self, query_ids: Iterable[Any]) -> list[float] | None:
        """Return the weights of queries, or None without weights."""
        return None if self.weights is None else [self.weights[query_id] for query_id in query_ids]

    @property
    def alpha(self) -> float:
        """Return the significance level of the tests."""
        return 1 - self.confidence

    @property
    def has_margin(self) -> bool:
        """Return whether a margin is given."""
        return self.margin is not None or self.relative_margin is not None

    @property
    def level(self) -> float:
        """Return the confidence of the intervals."""
        return 1 - 2 * self.alpha if self.has_margin else self.confidence


@dataclass(frozen=True)
class Scale:
    """The scale of a measure.

    - `lower`: true if lower values are better.
    - `geometric`: true if means over queries are geometric.
    """

    lower: bool = False
    geometric: bool = False

    def value(self, value: float) -> float:
        """Return the value to compare: ln max(value, 1e-5) if means are geometric."""
        return math.log(max(value, SMALLEST)) if self.geometric else value

    def mean(self, mean: float) -> float:
        """Return the mean on the scale of the measure, given the mean of compared values."""
        return math.exp(mean) if self.geometric else mean


@dataclass(frozen=True)
class _Systems:
    """The values of the systems of a measure by query_id, and the options of their comparison.

    `known` are the values to compare: those that are defined, on the scale of the comparison.
    """

    values: Mapping[Any, Mapping[Any, float | None]]
    scale: Scale
    options: Options

    @cached_property
    def known(self) -> dict[Any, dict[Any, float]]:
        """Return the values to compare, by system and query_id."""
        return {s: {q: self.scale.value(v) for q, v in of.items() if v is not None} for s, of in self.values.items()}

    def common(self, system_a: Any, system_b: Any) -> tuple[list[Any], list[float], list[float], Scaled]:
        """Return the common queries of two systems, sorted by the text of query_id, their values and differences."""
        has = [self.known[system_a], self.known[system_b]]
        common = by_text(list(has[0].keys() & has[1].keys()))
        a, b = ([row[query_id] for query_id in common] for row in has)
        return common, a, b, differences(a, b, scale_of([*has[0].values(), *has[1].values()]))


def compare(
    values: Mapping[str, Iterable[Value]],
    *,
    baseline: Any = None,
    adjust: str = "holm",
    family: str = "measure",
    missing: str = "skip",
    lower_is_better: Collection[str] = (),
    geometric: Collection[str] = (),
    **others: Any,
) -> list[Comparison]:
    """Return the rows of `ltr.compare` for one stratum, ordered by measure, then by systems.

    - `values`: maps each measure to rows of query_id, system and value (None if undefined).
    - `baseline`: a system or a list of systems. Each is compared with every system that is not a baseline. None
      compares all pairs.
    - `adjust`: a method of `adjusted`, or 'tukey', which needs the t test.
    - `family`: 'measure' adjusts the pairs of each measure together, 'all' those of all measures.
    - `missing`: what to do with a query that a system lacks. 'skip' leaves it out of the pair, 'zero' gives it the
      value 0, and 'error' raises ValueError. Under 'zero', each system gets the queries of all systems.
    - `lower_is_better`: measures where lower is better; `geometric`: measures whose means are geometric.
    - `others`: see `Options`.

    Under 'zero', a query with the value None is left out of the pair; otherwise it counts as missing. Raises ValueError
    for values that are not finite, duplicates, unknown baselines, and fewer than two systems.
    """
    options = Options(**others)
    if options.weights is not None and (
        options.test not in ("t", "sequential") or options.ci != "t" or adjust == "tukey"
    ):
        raise ValueError("weights need test = 't' or 'sequential', ci = 't' and another adjust than 'tukey'")
    rows: list[Comparison] = []
    known: dict[str, _Systems] = {}
    for measure, of_measure in values.items():
        scale = Scale(measure in lower_is_better, measure in geometric)
        known[measure] = systems = _systems(of_measure, scale, options, missing)
        pairs = _pairs(systems.values, baseline)
        found = [_compare_pair(measure, a, b, systems, len(pairs)) for a, b in pairs]
        if missing == "error" and any(row.only_a or row.only_b for row in found):
            raise ValueError(f"{measure}: the systems have different queries")
        if adjust == "tukey":
            tukey = _tukey(systems)
            found = [replace(row, p_adjusted=tukey[frozenset((row.system_a, row.system_b))]) for row in found]
        elif family == "measure":
            found = _adjusted_rows(found, adjust)
        rows += found
    if family == "all":
        rows = _adjusted_rows(rows, adjust)
    found = []
    for row in rows:
        family_rows = [other for other in rows if family == "all" or other.measure == row.measure]
        tests = sum(other.p is not None for other in family_rows)
        critical = _tukey_critical(row, known[row.measure]) if adjust == "tukey" else None
        confidence = _corrected_confidence(row, options, adjust, tests, critical)
        verdict = row.verdict or _significance(row, options, row.measure in lower_is_better)
        found.append(replace(row, verdict=verdict, **_intervals(row, known[row.measure], confidence)))
    return found


def _systems(values: Iterable[Value], scale: Scale, options: Options, missing: str) -> _Systems:
    """Return the values of each system, without queries of weight 0. With missing = 'zero', missing queries get 0."""
    result: dict[Any, dict[Any, float | None]] = defaultdict(dict)
    for query_id, system, value in values:
        if options.weights is not None and not options.weights[query_id] > 0:
            continue
        if query_id in result[system]:
            raise ValueError(f"query {query_id} of system {system} occurs twice")
        if value is not None and not math.isfinite(value):
            raise ValueError(f"query {query_id} of system {system} has the value {value}")
        result[system][query_id] = value
    if missing == "zero":
        query_ids = {query_id for row in result.values() for query_id in row}
        return _Systems({s: {q: row.get(q, 0.0) for q in query_ids} for s, row in result.items()}, scale, options)
    return _Systems(dict(result), scale, options)


def _pairs(by_system: Collection[Any], baseline: Any) -> list[tuple[Any, Any]]:
    """Return the pairs of systems to compare."""
    if baseline is None:
        pairs = list(combinations(sorted(by_system), 2))
    else:
        baselines = baseline if isinstance(baseline, (list, tuple)) else [baseline]
        if unknown := [system for system in baselines if system not in by_system]:
            raise ValueError(f"no system is called {unknown[0]}")
        others = sorted(system for system in by_system if system not in baselines)
        pairs = [(a, b) for a in sorted(baselines) for b in others]
    if not pairs:
        raise ValueError("there is nothing to compare: give two systems or more")
    return pairs


def _compare_pair(measure: str, system_a: Any, system_b: Any, systems: _Systems, pairs: int) -> Comparison:
    """Return the row of a pair with unadjusted p. The verdict is empty if it depends on the adjusted p."""
    scale, options = systems.scale, systems.options
    common, a, b, d = systems.common(system_a, system_b)
    n = len(common)
    only_a, only_b = (len(systems.known[system]) - n for system in (system_a, system_b))
    row = Comparison(measure, system_a, system_b, n, only_a, only_b, test=options.test)
    if n == 0:
        return row
    w = options.weights_of(common)
    mean_a, mean_b, difference, sd = mean_of(a, w), mean_of(b, w), mean_of(d, w), sd_of(d, w)
    # Without weights, the standard error times sqrt n is sd.
    spread = standard_error(d, w) * math.sqrt(n)
    relative = math.expm1(difference) if scale.geometric else difference / mean_a if mean_a else None
    positive, ties, negative = signs_of(d)
    wins, losses = (negative, positive) if scale.lower else (positive, negative)
    dz, effect = cohens_dz(d, w), difference / spread if spread else None
    against_margin = margin_p(a, b, size=d.scale, scale=scale, options=options, weights=w)
    not_worse, not_better, worse = against_margin
    return replace(
        row,
        mean_a=scale.mean(mean_a),
        mean_b=scale.mean(mean_b),
        difference=difference,
        relative=relative,
        sd=sd,
        dz=dz,
        gz=hedges_gz(d, w),
        wins=wins,
        ties=ties,
        losses=losses,
        superiority=(wins + ties / 2) / n,
        statistic=_statistic(d, options.test, w),
        df=n - 1 if options.test == "t" and n > 1 else None,
        p=_p(common, d, (a, b), options, pairs),
        p_not_worse=not_worse,
        p_worse=worse,
        p_equivalent=None
        if not options.has_margin or not_worse is None or not_better is None
        else max(not_worse, not_better),
        mde=smallest_difference(spread, n, options.alpha, reach=options.reach(n, options.confidence)),
        queries_needed=None
        if effect is None or options.planned is not None or not any(rounded(Scaled([difference], d.scale)))
        else queries_needed(effect, options.alpha),
        verdict=_verdict(row, d, systems, against_margin),
    )


def _interval(d: Sequence[float], options: Options, confidence: float, weights: Weights) -> Interval | None:
    """Return the interval of the difference; d is sorted by the text of query_id."""
    if options.ci == "t":
        return t_interval(d, confidence, weights, reach=options.reach(len(d), confidence, options.has_margin))
    if options.ci == "abc":
        return abc_interval(d, confidence)
    resampled = {"percentile": percentile_interval, "bca": bca_interval}[options.ci]
    return resampled(d, confidence, replicates=options.resamples, seed=options.seed)


def _corrected_confidence(row: Comparison, options: Options, adjust: str, tests: int, critical: float | None) -> float:
    """Return the confidence of the interval that belongs to the verdict.

    The correction rejects a pair if p is at most alpha * p / p_adjusted, and 1 minus this level is the confidence. If
    p_adjusted is 1, up to 1e-9, the level is that of Bonferroni, or p times alpha if this is less. A margin, no
    correction, and a pair without p leave the confidence as it is. `critical` is the t from which Tukey's test rejects.
    """
    if options.has_margin or adjust == "none" or row.p is None or not row.sd:
        return options.level
    if critical is not None:
        return 1 - t_p(critical, row.queries - 1)
    if row.p_adjusted is None or row.p_adjusted >= 1 - 1e-9:
        return 1 - options.alpha * min(1 / tests, row.p)
    return 1 - options.alpha * (row.p / row.p_adjusted if row.p_adjusted else 1 / tests)


def _tukey_critical(row: Comparison, systems: _Systems) -> float | None:
    """Return the t of a pair from which Tukey's test rejects; None if its differences are equal."""
    error = standard_error(systems.common(row.system_a, row.system_b)[-1])
    return honest_difference(systems.known, systems.options.alpha) / error if error else None


def _intervals(row: Comparison, systems: _Systems, confidence: float) -> dict[str, Any]:
    """Return the intervals of a row: corrected, uncorrected and relative, as fields of `Comparison`.

    There are none for fewer than 2 queries, and for equal differences that the sign test does not show.
    """
    options = systems.options
    common, a, b, d = systems.common(row.system_a, row.system_b)
    w = options.weights_of(common)
    constant = row.p is None and not options.has_margin and 2.0 ** (1 - len(d)) > options.alpha
    if len(d) < 2 or constant:
        return {}
    corrected, plain = (_interval(d, options, level, w) for level in (confidence, options.level))
    if systems.scale.geometric:
        relative = corrected and (math.expm1(corrected[0]), math.expm1(corrected[1]))
    else:
        reach = options.reach(len(d), confidence, options.has_margin)
        relative = fieller_interval(a, b, confidence, w, reach=reach)
    found = {"": corrected, "uncorrected_": plain, "relative_": relative}
    bounds = {
        f"{name}{side}": interval and interval[number]
        for name, interval in found.items()
        for number, side in enumerate(("low", "high"))
    }
    return {"confidence": confidence if corrected else None, **bounds}


def _statistic(d: Sequence[float], test: str, weights: Weights) -> float | None:
    """Return the statistic of the test: t, the number of positive differences, W+ or the mean difference."""
    if test in ("t", "sequential"):
        return t_statistic(d, weights)
    if test == "sign":
        return float(signs_of(d)[0])
    return rank_sums(d)[0] if test == "wilcoxon" else mean_of(d)


def randomization_is_exact(differing: int, pairs: int) -> bool:
    """Return whether the randomization test is exact.

    It is exact for at most 30 differing queries. With more than 20 pairs of a measure, it is exact for fewer than 20.
    """
    return differing <= 30 if pairs <= 20 else differing < 20


def _p(
    common: Sequence[Any], d: Scaled, values: tuple[Sequence[float], Sequence[float]], options: Options, pairs: int
) -> float | None:
    """Return the unadjusted p of the test; 1 if all differences are 0. `values` are those of a and of b."""
    if is_equal(d):
        return 1.0
    if options.test == "t":
        return paired_t_p(d, options.weights_of(common))
    if (look := options.look(len(d))) is not None:
        t = t_statistic(d, options.weights_of(common))
        return None if t is None else look.p(t)
    if options.test in ("sign", "wilcoxon"):
        return sign_p(d) if options.test == "sign" else wilcoxon_p(d)
    positive, _, negative = signs_of(d)
    if randomization_is_exact(positive + negative, pairs):
        return randomization_exact_p(d)
    return randomization_p(common, *values, replicates=options.replicates, seed=options.seed)


def _tukey(systems: _Systems) -> dict[frozenset[Any], float | None]:
    """Return p of paired Tukey for each pair of systems; 1 if their values are equal."""
    if systems.options.test != "t":
        raise ValueError("adjust = 'tukey' needs test = 't'")
    found = paired_tukey_p(systems.known)
    return {frozenset(pair): 1.0 if is_equal(systems.common(*pair)[-1]) else p for pair, p in found.items()}


def _adjusted_rows(rows: Sequence[Comparison], adjust: str) -> list[Comparison]:
    """Return the rows with adjusted p."""
    return [replace(row, p_adjusted=p) for row, p in zip(rows, adjusted([r.p for r in rows], adjust), strict=True)]


# Verdicts


def _verdict(row: Comparison, d: Scaled, systems: _Systems, against_margin: Sequence[float | None]) -> str:
    """Return the verdict, or an empty text if it depends on the adjusted p. `against_margin`: see `margin_p`."""
    values, options = [systems.values[system].values() for system in (row.system_a, row.system_b)], systems.options
    # A system whose values are all 0 or None has 'no values'. Where lower is better, 0 is a valid value.
    if any(not any(value is not None if systems.scale.lower else value for value in of) for of in values):
        return "no values"
    if is_equal(d):
        return "equal"
    if too_few(d, options):
        return "too few queries"
    return margin_verdict(against_margin, options.alpha) if options.has_margin else ""


def too_few(d: Sequence[float], options: Options) -> bool:
    """Return whether there are too few queries for a verdict.

    The t test needs 5 queries, and so does any comparison with a margin. The sequential test needs 50. With n differing
    queries, the smallest p of the other tests is 2^(1 - n). If it exceeds alpha, there are too few. At alpha = 0.05
    they need 6.
    """
    if options.test == "sequential":
        return len(d) < FEWEST_LOOKED_AT
    if options.test == "t" or options.has_margin:
        return len(d) < FEWEST
    positive, _, negative = signs_of(d)
    return 2.0 ** (1 - positive - negative) > options.alpha


def _significance(row: Comparison, options: Options, lower: bool) -> str:
    """Return 'better', 'worse' or 'undecided'.

    The direction comes from the statistic of the test: the mean difference for t and randomization, wins and losses for
    the sign test, and rank sums for Wilcoxon's test. Without variance, t has no p, and the sign test decides.
    """
    p, better = row.p_adjusted, row.difference is not None and (row.difference > 0) != lower
    if p is None:
        p = min(1.0, 2.0 ** (1 - row.queries))
    elif row.test == "sign":
        better = row.wins > row.losses
    elif row.test == "wilcoxon" and row.statistic is not None:
        differing = row.wins + row.losses
        better = (row.statistic > differing * (differing + 1) / 4) != lower
    if p > options.alpha:
        return "undecided"
    return "better" if better else "worse"


def margin_p(
    a: Sequence[float],
    b: Sequence[float],
    *,
    scale: Scale,
    options: Options,
    weights: Weights = None,
    size: float = 1.0,
) -> tuple[float | None, float | None, float | None]:
    """Return three one-sided p of the paired t test against the margin.

    - First: small if b loses less than the margin, so b is not worse (non-inferiority).
    - Second: small if b gains less. If the first is small too, the systems are equivalent (TOST).
    - Third: small if b loses more than the margin.

    A relative margin r tests b - (1 - r) a and (1 + r) a - b. If means are geometric, it tests ln b - ln a against
    ln(1 - r) and ln(1 + r). `size` is the scale of the values: see `scale_of`. None for fewer than 2 queries.
    Source: Schuirmann 1987; ICH E9.
    """
    margin, relative = options.margin or 0.0, options.relative_margin or 0.0
    below = above = margin
    share = 0.0
    if scale.geometric and relative:
        below, above = -math.log1p(-relative), math.log1p(relative)
    else:
        share = relative
    above_low = Scaled([y - (1 - share) * x + below for x, y in zip(a, b, strict=True)], size)
    below_high = Scaled([(1 + share) * x - y + above for x, y in zip(a, b, strict=True)], size)
    loss, gain = (below_high, above_low) if scale.lower else (above_low, below_high)
    look = options.look(len(loss))
    return (
        p_not_above(loss, weights, look=look),
        p_not_above(gain, weights, look=look),
        p_not_above(Scaled([-x for x in loss], size), weights, look=look),
    )


def margin_verdict(against_margin: Sequence[float | None], alpha: float) -> str:
    """Return the verdict with a margin, given the p of `margin_p`.

    It is 'equivalent', 'not worse', 'worse by more than the margin' or 'undecided'.
    """
    not_worse, not_better, worse = (p is not None and p <= alpha for p in against_margin)
    if not_worse:
        return "equivalent" if not_better else "not worse"
    return "worse by more than the margin" if worse else "undecided"


# Repeats


def average_repeats(values: Iterable[RepeatedValue]) -> list[Value]:
    """Return the mean over repeats of each query and system. None values are ignored; the mean of no value is None."""
    groups: dict[tuple[Any, Any], list[float]] = {}
    for query_id, system, _, value in values:
        groups.setdefault((query_id, system), []).extend([] if value is None else [value])
    return [(query_id, system, mean_of(v) if v else None) for (query_id, system), v in groups.items()]


def sd_repeats(values: Iterable[RepeatedValue]) -> dict[Any, float | None]:
    """Return the sample standard deviation over repeats of each system's mean over queries; None below 2 repeats."""
    groups: dict[Any, dict[Any, list[float]]] = {}
    for _, system, repeat, value in values:
        groups.setdefault(system, {}).setdefault(repeat, []).extend([] if value is None else [value])
    means = {system: [mean_of(v) for v in repeats.values() if v] for system, repeats in groups.items()}
    return {system: statistics.stdev(found) if len(found) > 1 else None for system, found in means.items()}


# The leaderboard


@dataclass(frozen=True)
class Place:
    """A row of `leaderboard`. Its fields are the columns, except the grouping columns, measure and sd_repeats."""

    place: int
    system: Any
    queries: int
    mean: float | None
    low: float | None
    high: float | None
    beats: list[Any]
    tied_with_best: bool
    letters: str
    place_low: int
    place_high: int
    p_best: float


def leaderboard(
    values: Iterable[Value],
    *,
    adjust: str = "holm",
    missing: str = "skip",
    lower: bool = False,
    geometric: bool = False,
    **others: Any,
) -> list[Place]:
    """Return the rows of `ltr.leaderboard` for one measure, best first. Systems with equal means are sorted by name.

    - `place`: 1 + the number of systems with a better mean; see `rounded`. Systems without values are last.
    - `low`, `high`: t interval of the mean of the system's own values.
    - `beats`: sorted systems that are significantly worse, with p adjusted over all pairs.
    - `tied_with_best`: true if the first system does not beat this one.
    - `letters`: see `letters`; two systems share a letter if and only if neither beats the other.
    - `place_low`: 1 + the number of systems that beat it; `place_high`: number of systems - number that it beats. With
      Holm's adjustment, all places lie in these intervals with the given confidence (Mogstad, Romano, Shaikh &
      Wilhelm, Review of Economic Studies 91, 2024).
    - `p_best`: see `chances_of_best`.
    """
    options = Options(**others)
    scale, rows = Scale(lower, geometric), list(values)
    known = _systems(rows, scale, options, missing).known
    better: set[tuple[Any, Any]] = set()
    compared = compare(
        {"value": rows},
        adjust=adjust,
        missing=missing,
        lower_is_better=["value"] * lower,
        geometric=["value"] * geometric,
        **others,
    )
    for row in compared:
        if row.verdict in ("better", "worse"):
            pair = (row.system_b, row.system_a)
            better.add(pair if row.verdict == "better" else pair[::-1])
    means = {system: mean_of(list(row.values()), options.weights_of(row)) for system, row in known.items() if row}
    size = scale_of(value for row in known.values() for value in row.values())
    sign = -1 if lower else 1
    score = {s: sign * rounded(Scaled([means[s]], size))[0] if s in means else -math.inf for s in known}
    order = sorted(sorted(known), key=lambda system: -score[system])
    groups = letters(order, lambda a, b: (a, b) in better or (b, a) in better)
    chances = chances_of_best(
        known, lower=lower, replicates=options.resamples, seed=options.seed, weights=options.weights
    )
    places = []
    for system in order:
        own = Scaled(known[system].values(), scale_of(known[system].values()))
        weights = options.weights_of(known[system])
        reach = options.reach(len(own), options.confidence) if own else None
        low, high = (t_interval(own, options.confidence, weights, reach=reach) if own else None) or (None, None)
        beats = [other for other in sorted(order) if (system, other) in better]
        places.append(
            Place(
                1 + sum(score[other] > score[system] for other in order),
                system,
                len(own),
                scale.mean(means[system]) if own else None,
                None if low is None else scale.mean(low),
                None if high is None else scale.mean(high),
                beats,
                (order[0], system) not in better,
                groups[system],
                1 + sum((other, system) in better for other in order),
                len(order) - len(beats),
                chances[system],
            )
        )
    return places
