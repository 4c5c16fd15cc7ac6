"""The oracle of `compare`: values of other tools, published examples, and properties of the definitions."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import special, stats  # type: ignore[import-untyped]
from support.reference_values import named_values, read_values
from support.strategies import drawn

from ltr_sql.oracle import comparison as oracle
from ltr_sql.oracle.comparison import Comparison, Options, Scale

EXACT = 1e-12
# Tolerance of values by quadrature: Tukey's test and power.
QUADRATURE = 1e-10

Record = Mapping[str, Any]
Check = Callable[[Record], Any]


def difference(value: float | None, expected: float | None) -> float:
    """Return the absolute difference, or for values above 1 the relative difference. Infinite if only one is None."""
    if value is None or expected is None:
        return 0 if value is expected else math.inf
    return abs(value - expected) / max(1, abs(expected))


def flat(value: Any) -> list[Any]:
    """Return a number, or the numbers of a sequence, as a list."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def assert_close(name: str, values: Any, expected: Any, tolerance: float = EXACT) -> None:
    pairs = list(zip(flat(values), flat(expected), strict=True))
    assert max(difference(value, number) for value, number in pairs) <= tolerance, f"{name}: {values}, {expected}"


def minus(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """Return the differences b - a."""
    return [y - x for x, y in zip(a, b, strict=True)]


def d_of(record: Record) -> list[float]:
    return minus(record["a"], record["b"])


def rows_of(a: Sequence[float | None], b: Sequence[float | None]) -> dict[str, list[oracle.Value]]:
    """Return the values of two systems, with the queries q00, q01, ..."""
    return {"m": [(f"q{i:02}", system, value) for system, of in (("a", a), ("b", b)) for i, value in enumerate(of)]}


def row_of(a: Sequence[float | None], b: Sequence[float | None], **options: Any) -> Comparison:
    """Return the row of `compare` of two systems."""
    (row,) = oracle.compare(rows_of(a, b), **options)
    return row


def margin_p(record: Record, **margin: Any) -> tuple[float | None, float | None, float | None]:
    return oracle.margin_p(record["a"], record["b"], scale=Scale(), options=Options(**margin))


# Values of other tools


def fieller(record: Record) -> Any:
    return oracle.fieller_interval(record["a"], record["b"], 0.95) or [None, None]


# Names of the file, and columns of `compare`.
COLUMNS = {name: name for name in ("queries", "mean_a", "mean_b", "difference", "wins", "ties", "losses", "df", "sd")}
COLUMNS |= {"t": "statistic", "p": "p", "dz": "dz", "gz": "gz", "queries_for_80": "queries_needed"}
OF_PAIRS: dict[str, Check] = {
    "constant": lambda r: oracle.is_constant(d_of(r)),
    "p_greater": lambda r: oracle.p_not_above(d_of(r)),
    "ci95": lambda r: oracle.t_interval(d_of(r), 0.95),
    "ci99": lambda r: oracle.t_interval(d_of(r), 0.99),
    "fieller95": fieller,
    "sign_p": lambda r: oracle.sign_p(d_of(r)),
    "randomization_exact_p": lambda r: oracle.randomization_exact_p(d_of(r)),
    "bca_acceleration": lambda r: oracle.acceleration_of(d_of(r)),
    "noninferior_1pct t": lambda r: oracle.t_statistic([y - 0.99 * x for x, y in zip(r["a"], r["b"], strict=True)]),
    "noninferior_1pct p": lambda r: margin_p(r, relative_margin=0.01)[0],
    "tost_0.02 p_lower": lambda r: margin_p(r, margin=0.02)[0],
    "tost_0.02 p_upper": lambda r: margin_p(r, margin=0.02)[1],
    "tost_0.02 p": lambda r: max(cast(float, p) for p in margin_p(r, margin=0.02)[:2]),
    "wilcoxon n": lambda r: sum(count for _, count in oracle.doubled_ranks(d_of(r)).values()),
    "wilcoxon w_plus": lambda r: oracle.rank_sums(d_of(r))[0],
    "wilcoxon w_minus": lambda r: oracle.rank_sums(d_of(r))[1],
    "wilcoxon p_normal": lambda r: oracle.wilcoxon_normal_p(d_of(r)),
    "wilcoxon p_exact": lambda r: oracle.wilcoxon_exact_p(d_of(r)),
}
# Inputs; effect sizes that `compare` does not have; the rule by which scipy chooses between exact and normal.
NOT_COMPARED = {"name", "source", "a", "b", "d_av", "glass", "hedges_correction", "wilcoxon scipy_auto"}
# Compared below, with tolerances of their own.
APART = {"power_observed", "mde_80"}


def unnested(record: Record) -> dict[str, Any]:
    """Return the values of a record, with names such as `wilcoxon n` for those of a record within it."""
    found: dict[str, Any] = {}
    for name, value in record.items():
        found |= (
            {f"{name} {key}": number for key, number in value.items()} if isinstance(value, dict) else {name: value}
        )
    return found


@pytest.mark.parametrize("record", named_values("compare/pairs.json", "scipy"))
def test_pairs(record: Record) -> None:
    row = row_of(record["a"], record["b"])
    for name, expected in unnested(record).items():
        if name in COLUMNS:
            assert_close(name, getattr(row, COLUMNS[name]), expected)
        elif name not in NOT_COMPARED | APART and (expected is not None or name == "fieller95"):
            assert_close(name, OF_PAIRS[name](record), [None, None] if expected is None else expected)
    if record.get("power_observed") is not None:
        power = oracle.power_of_t(record["queries"], record["dz"], 0.05)
        assert_close("power_observed", power, record["power_observed"], QUADRATURE)
    if record.get("mde_80") is not None:
        n = record["queries"]
        closed, exact = oracle.smallest_difference(record["sd"], n, 0.05), record["mde_80"]
        assert closed == pytest.approx(exact, rel=0.06 if n <= 5 else 0.01 if n <= 10 else 7e-4)


@pytest.mark.parametrize("number", range(42))
def test_pairs_of_r(number: int) -> None:
    record, of_r = read_values("compare/pairs.json")[number], read_values("compare/pairs_R.json")[number]
    d = d_of(record)
    assert record["name"] == of_r["name"]
    # R prints 15 digits.
    if not oracle.is_constant(d):
        assert_close("t", oracle.t_statistic(d), of_r["t"]["t"])
        assert_close("p", oracle.paired_t_p(d), of_r["t"]["p"])
        assert_close("ci", oracle.t_interval(d, 0.95), of_r["t"]["ci"])
    if "wilcox_exact_p" in of_r:
        assert_close("wilcox_exact_p", oracle.wilcoxon_exact_p(d), of_r["wilcox_exact_p"])
    if not oracle.is_equal(d):
        assert_close("wilcox_test", oracle.wilcoxon_normal_p(d), of_r["wilcox_test"])
    if "binom_p" in of_r:
        assert_close("binom_p", oracle.sign_p(d), of_r["binom_p"])
    if "power_n80" in of_r:
        assert oracle.queries_needed(record["dz"]) == math.ceil(of_r["power_n80"])
    if "abc95" in of_r:
        # boot::abc.ci takes numerical derivatives.
        assert_close("abc95", oracle.abc_interval(d, 0.95), of_r["abc95"], 2e-6)


@pytest.mark.parametrize("record", named_values("compare/adjusted.json", "statsmodels"))
def test_adjusted(record: Record) -> None:
    for adjust in ("bonferroni", "holm", "hochberg", "bh"):
        assert_close(adjust, oracle.adjusted(record["p"], adjust), record[adjust])
    assert oracle.adjusted(record["p"], "none") == record["p"]


DISTRIBUTIONS: dict[str, tuple[Callable[..., float], float]] = {
    "t_two_sided": (oracle.t_p, EXACT),
    "t_quantile_alpha_df": (oracle.t_quantile, EXACT),
    "normal_upper": (oracle.normal_upper, EXACT),
    "normal_quantile": (oracle.normal_quantile, EXACT),
    "f_upper": (oracle.f_p, EXACT),
    "studentized_range_upper": (oracle.tukey_p, QUADRATURE),
}


@pytest.mark.default("f_upper", "t_two_sided")
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions_of_mpmath_and_scipy(name: str) -> None:
    assert read_values("compare/distributions.json").keys() == DISTRIBUTIONS.keys()
    function, tolerance = DISTRIBUTIONS[name]
    for *arguments, expected in read_values("compare/distributions.json")[name]:
        assert_close(f"{name}{arguments}", function(*arguments), expected, tolerance)


def values_of(record: Record) -> dict[int, dict[int, float]]:
    """Return values by query of each system."""
    return {system: dict(enumerate(column)) for system, column in enumerate(zip(*record["values"], strict=True))}


@pytest.mark.default("scipy sakai", "scipy systems_3_10", "scipy systems_4_25")
@pytest.mark.parametrize("record", named_values("compare/systems.json", "scipy"))
def test_systems(record: Record) -> None:
    values = values_of(record)
    found = oracle.variance(values)
    for name, source in (("system", found.system), ("query", found.query), ("error", found.error)):
        assert_close(f"ss_{name}", source.ss, record[f"ss_{name}"])
        assert_close(f"ms_{name}", source.ms, record[f"ms_{name}"])
        assert_close(f"var_{name}", source.component, record[f"var_{name}"])
        if name != "error":
            assert_close(f"f_{name}", source.f, record[f"f_{name}"])
            assert_close(f"p_{name}", source.p, record[f"p_{name}"])
    assert found.error.df == record["df_error"]
    n = record["queries"]
    moe = oracle.t_quantile(0.05, found.error.df) * math.sqrt(found.error.ms / n)
    assert_close("moe95", moe, record["moe95"])

    long = [(query, system, value) for system, row in values.items() for query, value in row.items()]
    tukey = oracle.paired_tukey_p(values)
    of_pair = {(row.system_a, row.system_b): row for row in oracle.compare({"m": long}, adjust="none")}
    for pair in record["pairs"]:
        row = of_pair[pair["a"], pair["b"]]
        assert_close("difference", row.difference, pair["difference"])
        assert_close("p_t", row.p, pair["p_t"])
        assert_close("p_tukey_paired", tukey[pair["a"], pair["b"]], pair["p_tukey_paired"], QUADRATURE)
        effect = cast(float, row.difference) / math.sqrt(found.error.ms)
        assert_close("effect_size", effect, pair["effect_size"])
    for adjust in ("bonferroni", "holm", "hochberg", "bh"):
        rows = {(row.system_a, row.system_b): row for row in oracle.compare({"m": long}, adjust=adjust)}
        for pair in record["pairs"]:
            assert_close(adjust, rows[pair["a"], pair["b"]].p_adjusted, pair[adjust])


@pytest.mark.default("1")
@pytest.mark.parametrize("number", range(4))
def test_systems_of_r(number: int) -> None:
    record, of_r = read_values("compare/systems.json")[number], read_values("compare/systems_R.json")[number]
    assert record["name"] == of_r["name"]
    values = values_of(record)
    names = {system: f"s{system:02}" for system in values}
    found = oracle.variance(values)
    assert_close("F", [found.system.f, found.query.f], of_r["F"])
    assert_close("p", [found.system.p, found.query.p], of_r["p"])
    tukey = {f"{names[b]}-{names[a]}": p for (a, b), p in oracle.paired_tukey_p(values).items()}
    # ptukey of R is accurate to 5e-10.
    for pair in of_r["tukey"]:
        assert_close(pair["pair"], tukey[pair["pair"]], pair["p"], 5e-10)
    long = [(query, names[system], value) for system, row in values.items() for query, value in row.items()]
    places = oracle.leaderboard(long, adjust="tukey", resamples=1)
    assert {place.system: place.letters for place in places} == of_r["letters"]
    holm = [row.p_adjusted for row in oracle.compare({"m": long})]
    assert_close("pairwise_holm", holm, of_r["pairwise_holm"])


def tukey_quantile(p: float, means: int, df: float) -> float:
    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if oracle.tukey_p(middle, means, df) > p else (low, middle)
    return low


def test_r_examples() -> None:
    """R's `TukeyHSD(aov(breaks ~ wool + tension))`, 3 means and 50 degrees of freedom, and `aov` of npk."""
    examples = read_values("compare/R_examples.json")
    critical = tukey_quantile(0.05, 3, 50)
    for pair in examples["warpbreaks"]:
        standard_error = (pair["upr"] - pair["diff"]) / critical
        assert_close(pair["pair"], oracle.tukey_p(pair["diff"] / standard_error, 3, 50), pair["p.adj"], 1e-9)
    *tested, residuals = examples["npk"]
    for source in tested:
        assert_close("npk", oracle.f_p(source["F value"], source["Df"], residuals["Df"]), source["Pr(>F)"])


# Published examples. The values are printed with these digits.

SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
DARWIN = [49.0, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
SAKAI_X = [0.7, 0.3, 0.2, 0.6, 0.4, 0.4, 0.0, 0.7, 0.1, 0.3, 0.5, 0.4, 0.0, 0.6, 0.5, 0.3, 0.1, 0.5, 0.2, 0.1]
SAKAI_Y = [0.5, 0.1, 0.0, 0.2, 0.4, 0.3, 0.0, 0.5, 0.3, 0.3, 0.4, 0.4, 0.1, 0.4, 0.2, 0.1, 0.1, 0.6, 0.3, 0.2]
SHOES = [0.8, 0.6, 0.3, -0.1, 1.1, -0.2, 0.3, 0.5, 0.5, 0.3]


def test_student_sleep() -> None:
    """Student, The probable error of a mean, 1908: t = 4.0621, p = 0.002833."""
    assert oracle.t_statistic(SLEEP) == pytest.approx(4.0621, abs=5e-5)
    assert oracle.paired_t_p(SLEEP) == pytest.approx(0.002833, abs=5e-7)


def test_fisher_on_darwins_plants() -> None:
    """Fisher, The Design of Experiments, 1935, section 21: 1,726 of 32,768 signs; scipy.stats.wilcoxon prints 24."""
    assert oracle.randomization_exact_p(DARWIN) == 1726 / 32768
    assert oracle.rank_sums(DARWIN) == (96, 24)
    assert oracle.wilcoxon_exact_p(DARWIN) == 0.041259765625


def test_sakai() -> None:
    """Sakai 2015, table 5.1: ES 0.473, t 2.116, p 0.048, margin of error 0.0742."""
    row = row_of(SAKAI_Y, SAKAI_X)
    assert row.dz == pytest.approx(0.473, abs=5e-4)
    assert row.statistic == pytest.approx(2.116, abs=5e-4)
    assert row.p == pytest.approx(0.048, abs=5e-4)
    assert cast(float, row.high) - cast(float, row.difference) == pytest.approx(0.0742, abs=5e-5)


def test_shoes() -> None:
    """Box, Hunter & Hunter 1978, boys' shoes: mean difference 0.41, t = 3.349, p = 0.0085."""
    assert oracle.mean_of(SHOES) == pytest.approx(0.41)
    assert oracle.t_statistic(SHOES) == pytest.approx(3.349, abs=5e-4)
    assert oracle.paired_t_p(SHOES) == pytest.approx(0.0085, abs=5e-5)


def test_holm_1979() -> None:
    assert oracle.adjusted([0.01, 0.04, 0.03, 0.005], "holm") == pytest.approx([0.03, 0.06, 0.06, 0.02], abs=EXACT)


# Comparison with scipy on drawn values

# Grades in steps of 1/8 have exact differences, hence many ties.
GRADES = st.integers(0, 8).map(lambda eighths: eighths / 8)
NUMBERS = st.floats(-1, 1).map(lambda value: round(value, 6))


def vectors(values: st.SearchStrategy[float], fewest: int, most: int, number: int) -> list[list[float]]:
    return drawn(st.lists(values, min_size=fewest, max_size=most), number)


def drawn_pairs(fewest: int, most: int, number: int) -> list[tuple[list[float], list[float]]]:
    """Draw values of two systems; every second pair has ties."""
    found: list[tuple[list[float], list[float]]] = []
    for values in (GRADES, NUMBERS):
        pairs = st.lists(st.tuples(values, values), min_size=fewest, max_size=most)
        for pair in drawn(pairs, number // 2):
            a, b = zip(*pair, strict=True)
            found.append((list(a), list(b)))
    return found


@pytest.mark.slow
def test_t_is_that_of_scipy() -> None:
    for a, b in drawn_pairs(2, 30, 60):
        d = minus(a, b)
        if oracle.is_constant(d):
            continue
        found = stats.ttest_rel(b, a)
        interval = found.confidence_interval(0.9)
        assert_close("t", oracle.t_statistic(d), float(found.statistic), 1e-9)
        assert_close("p", oracle.paired_t_p(d), float(found.pvalue), 1e-9)
        assert_close("interval", oracle.t_interval(d, 0.9), [float(interval.low), float(interval.high)], 1e-9)


@pytest.mark.slow
def test_sign_is_that_of_scipy() -> None:
    for a, b in drawn_pairs(1, 60, 60):
        positive, _, negative = oracle.signs_of(minus(a, b))
        expected = stats.binomtest(positive, positive + negative).pvalue if positive + negative else 1.0
        assert_close("p", oracle.sign_p(minus(a, b)), float(expected))


def test_wilcoxon_is_that_of_scipy() -> None:
    for a, b in drawn_pairs(1, 40, 60):
        d = [round(x, 12) for x in minus(a, b)]
        if any(d):
            normal = stats.wilcoxon(d, zero_method="wilcox", correction=False, method="asymptotic").pvalue
            assert_close("normal", oracle.wilcoxon_normal_p(d), float(normal))


def test_wilcoxon_against_all_signs() -> None:
    for a, b in drawn_pairs(1, 9, 40):
        d = [x for x in minus(a, b) if round(x, 12) != 0]
        if not d:
            continue
        sizes = [abs(x) for x in d]
        smallest = min(oracle.rank_sums(d))
        sums = [oracle.rank_sums([s * x for s, x in zip(signs, sizes, strict=True)]) for signs in all_signs(len(d))]
        share = sum(plus <= smallest for plus, _ in sums) / len(sums)
        assert oracle.wilcoxon_exact_p(d) == min(1, 2 * share)


def all_signs(n: int) -> list[tuple[int, ...]]:
    return list(product((-1, 1), repeat=n))


@pytest.mark.slow
def test_randomization_against_all_signs() -> None:
    for a, b in drawn_pairs(1, 9, 40):
        d = [Fraction(round(x, 12)).limit_denominator(10**12) for x in minus(a, b)]
        sums = [sum((s * x for s, x in zip(signs, d, strict=True)), Fraction()) for signs in all_signs(len(d))]
        share = sum(abs(total) >= abs(sum(d, Fraction())) for total in sums) / len(sums)
        assert oracle.randomization_exact_p([float(x) for x in d]) == share


@pytest.mark.parametrize("df", [1, 2, 3, 7, 24, 49, 199, 6999])
def test_t_is_the_incomplete_beta_function(df: int) -> None:
    for t in (0.0, 0.01, 0.7, 1.96, 3, 10):
        expected = 1 - float(special.betainc(0.5, df / 2, t * t / (df + t * t)))
        assert_close(f"t_p({t}, {df})", oracle.t_p(t, df), expected)
        assert_close("quantile", oracle.t_p(oracle.t_quantile(0.03, df), df), 0.03)
    assert oracle.t_upper(-2.0, df) == 1 - oracle.t_upper(2.0, df)


def test_f_is_that_of_scipy() -> None:
    for df_1, df_2 in ((1, 1), (2, 1), (3, 2), (49, 98), (6999, 6999), (6999, 342_951), (500, 3)):
        for f in (0.0, 0.3, 0.97, 1.0, 1.02, 1.5, 9.0):
            expected = float(stats.f.sf(f, df_1, df_2))
            assert_close(f"f_p({f}, {df_1}, {df_2})", oracle.f_p(f, df_1, df_2), expected, 1e-11)
    assert oracle.f_p(math.inf, 3, 9) == 0


def test_binomial_tail_is_exact() -> None:
    assert oracle.binomial_tail(20, -1) == 0
    assert oracle.binomial_tail(20, 20) == 1
    assert oracle.binomial_tail(20, 6) == sum(math.comb(20, k) for k in range(7)) / 2**20
    assert_close("7000", oracle.binomial_tail(7000, 3400), float(stats.binom.cdf(3400, 7000, 0.5)))


def test_tukey_of_two_means_is_t() -> None:
    for df in (1, 2, 5, 49, 1000):
        for q in (0.01, 0.5, 2.0, 4.0, 12.0):
            assert_close(f"q {q}, df {df}", oracle.tukey_p(q, 2, df), oracle.t_p(q / math.sqrt(2), df), QUADRATURE)
    values = {"a": dict(enumerate(SAKAI_X)), "b": dict(enumerate(SAKAI_Y))}
    assert_close(
        "Tukey", oracle.paired_tukey_p(values)["a", "b"], oracle.paired_t_p(minus(SAKAI_X, SAKAI_Y)), QUADRATURE
    )


def test_queries_needed_is_the_smallest_number() -> None:
    for dz in (0.05, 0.2, 0.31, 0.5, 0.8, 1.3, 2.0, -0.4):
        n = cast(int, oracle.queries_needed(dz))
        assert oracle.power_of_t(n, dz, 0.05) >= 0.8 > oracle.power_of_t(n - 1, dz, 0.05)
    assert oracle.queries_needed(0.0) is None
    assert oracle.queries_needed(50.0) == 2
    assert oracle.queries_needed(1e-9) == 10**9
    # ceil((2.8016 / 0.001)^2 + 1.92)
    assert oracle.queries_needed(0.001) == 7_848_882


# Properties of the tests


def mirrored(row: Comparison) -> dict[str, Any]:
    """Return the expected result after a and b are exchanged."""
    return {
        "mean_a": row.mean_b,
        "difference": -cast(float, row.difference),
        "low": row.high and -row.high,
        "dz": row.dz and -row.dz,
        "sd": row.sd,
        "wins": row.losses,
        "superiority": 1 - cast(float, row.superiority),
        "p": row.p,
        "mde": row.mde,
        "queries_needed": row.queries_needed,
    }


@pytest.mark.default("randomization", "sign", "wilcoxon")
@pytest.mark.parametrize("test", ["t", "sign", "wilcoxon", "randomization"])
def test_exchanged_systems_turn_signs_and_keep_p(test: str) -> None:
    for a, b in drawn_pairs(1, 34, 16):
        row, turned = row_of(a, b, test=test, replicates=100), row_of(b, a, test=test, replicates=100)
        for name, expected in mirrored(row).items():
            assert_close(name, getattr(turned, name), expected)
        opposite = {"better": "worse", "worse": "better"}
        assert turned.verdict == opposite.get(row.verdict, row.verdict)


@pytest.mark.slow
def test_the_interval_excludes_0_exactly_if_p_is_below_alpha() -> None:
    for a, b in drawn_pairs(5, 30, 60):
        row = row_of(a, b, confidence=0.7)
        if row.p is not None and row.verdict != "equal":
            assert (cast(float, row.low) > 0 or cast(float, row.high) < 0) == (row.p < 0.3)


def test_the_relative_gate_is_fiellers_bound() -> None:
    """At the margin that is Fieller's lower bound of confidence 1 - 2 alpha, p of non-inferiority is alpha."""
    for a, b in drawn_pairs(5, 30, 60):
        bounds = oracle.fieller_interval(a, b, 0.9)
        if bounds is not None and not oracle.is_constant(minus(a, b)) and abs(oracle.mean_of(a)) > 0.1:
            record = {"a": a, "b": b}
            below, above = (
                margin_p(record, relative_margin=-bounds[0])[0],
                margin_p(record, relative_margin=bounds[1])[1],
            )
            expected = 0.05 if oracle.mean_of(a) > 0 else 0.95
            assert_close("p", [below, above], [expected, expected], 1e-9)


def test_fieller_is_the_textbook_formula() -> None:
    a, b = SAKAI_X, SAKAI_Y
    n, t = len(a), oracle.t_quantile(0.05, len(a) - 1)
    covariance = np.cov(a, b) / n
    mean_a, mean_b = np.mean(a), np.mean(b)
    x = mean_a**2 - t**2 * covariance[0, 0]
    y = mean_a * mean_b - t**2 * covariance[0, 1]
    z = mean_b**2 - t**2 * covariance[1, 1]
    half = math.sqrt(y * y - x * z)
    assert_close("Fieller", oracle.fieller_interval(a, b, 0.95), [(y - half) / x - 1, (y + half) / x - 1])
    assert oracle.fieller_interval(a, a, 0.95) == (0, 0)


def test_order_and_type_of_ids_do_not_matter() -> None:
    a, b = SAKAI_X * 2, SAKAI_Y * 2
    values = [(i, system, value) for system, of in (("a", a), ("b", b)) for i, value in enumerate(of)]
    for options in ({"test": "randomization"}, {"ci": "bca"}, {"ci": "percentile"}):
        limits: dict[str, Any] = {"replicates": 200, "resamples": 50, **options}
        rows = oracle.compare({"m": values}, **limits)
        assert oracle.compare({"m": values[::-1]}, **limits) == rows
        assert oracle.compare({"m": [(str(q), s, v) for q, s, v in values]}, **limits) == rows


# Random words


def test_words_are_those_of_splitmix64() -> None:
    """The first outputs of splitmix64 for the seed 1234567, from https://rosettacode.org/wiki/Pseudo-random_numbers."""
    outputs, state = [6457827717110365317, 3203168211198807973, 9817491932198370423], 1234567
    for i, expected in enumerate(outputs):
        z = (state + (i + 1) * oracle.INCREMENT) % 2**64
        assert oracle.mixed(z) == expected
    start = oracle.random_start("q1")
    assert oracle.random_word("q1", 0, 4) == oracle.mixed((start + 5 * oracle.INCREMENT) % 2**64)
    assert oracle.random_word("q1", 3, 4) == oracle.mixed((start + (3 * 2**32 + 5) * oracle.INCREMENT) % 2**64)


def test_the_start_of_a_word_is_that_of_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    con = duckdb.connect()
    for key in ("q1", "301", "é", ""):
        assert con.execute("select md5_number_lower(?)", [key]).fetchone() == (oracle.random_start(key),)


def test_signs_are_the_bits_of_the_words() -> None:
    signs = oracle.random_signs("q1", 130, 7)
    for b in (0, 1, 63, 64, 127, 128, 129):
        assert signs[b] == (1 if oracle.random_word("q1", 7, b // 64) >> b % 64 & 1 else -1)
    assert len(signs) == 130


@pytest.mark.parametrize(
    ("queries", "replicates"), [(60, 5_120), pytest.param(200, 10_240, marks=pytest.mark.slow)], ids=["60", "200"]
)
def test_signs_of_pairs_of_queries_are_independent(queries: int, replicates: int) -> None:
    """Test the signs of all pairs of queries by chi-square. Signs by `hash(query_id, replicate)` would fail."""
    signs = np.array([oracle.random_signs(i, replicates, 7) for i in range(queries)])
    z = (signs @ signs.T)[np.triu_indices(queries, 1)] / math.sqrt(replicates)
    assert float(stats.chi2.sf((z**2).sum(), len(z))) > 0.001
    assert np.abs(z).max() < 5
    balance = signs.sum(axis=1) / math.sqrt(replicates)
    assert float(stats.chi2.sf((balance**2).sum(), queries)) > 0.001


@pytest.mark.parametrize(
    ("sets", "replicates"), [(60, 640), pytest.param(200, 2_048, marks=pytest.mark.slow)], ids=["60", "200"]
)
def test_monte_carlo_agrees_with_all_signs(sets: int, replicates: int) -> None:
    random = np.random.default_rng(18)
    z = []
    for number in range(sets):
        n = int(random.integers(6, 16))
        a, b = np.round(random.beta(2, 3, n), 2).tolist(), np.round(random.beta(2, 2.5, n), 2).tolist()
        exact = oracle.randomization_exact_p(minus(a, b))
        found = oracle.randomization_p([f"{number} {i}" for i in range(n)], a, b, replicates=replicates)
        hits = found * (replicates + 1) - 1
        if exact < 1:
            z.append((hits - replicates * exact) / math.sqrt(replicates * exact * (1 - exact)))
        else:
            assert hits == replicates
    assert float(stats.chi2.sf(sum(x * x for x in z), len(z))) > 0.001
    assert max(map(abs, z)) < 4.5


def test_p_of_monte_carlo_is_never_0() -> None:
    n = 40
    ids, a, b = [f"q{i}" for i in range(n)], [0.0] * n, [1.0 + i / 1024 for i in range(n)]
    assert oracle.randomization_p(ids, a, b, replicates=500) == 1 / 501


def test_a_query_added_changes_no_sign() -> None:
    """A query without a difference adds 0 to every sum, so it does not change p."""
    a, b = [i % 7 / 8 for i in range(40)], [(i * 5 + 2) % 8 / 8 for i in range(40)]
    ids = [f"q{i}" for i in range(40)]
    p = oracle.randomization_p(ids, a, b, replicates=500)
    assert 0 < p < 1
    assert oracle.randomization_p(["a new one", *ids], [0.5, *a], [0.5, *b], replicates=500) == p


def test_seeds_give_other_words() -> None:
    words = {oracle.random_word(query, seed, j) for query in ("1", "2") for seed in range(5) for j in range(50)}
    assert len(words) == 500


@pytest.mark.parametrize("n", [1, 7, 20])
def test_draws_are_uniform(n: int) -> None:
    draws = np.concatenate([oracle.random_draws(n, b, 7) for b in range(2000 // n)])
    counts = Counter(draws.tolist())
    assert set(counts) == set(range(n))
    expected = len(draws) / n
    assert float(stats.chi2.sf(sum((counts[i] - expected) ** 2 / expected for i in range(n)), max(1, n - 1))) > 0.001


def test_bootstrap_intervals_are_those_of_scipy_on_the_same_draws() -> None:
    d = minus(SAKAI_X, SAKAI_Y)
    means = oracle.bootstrap_means(d, replicates=400)
    low, high = oracle.percentile_interval(d, 0.9, replicates=400) or (0, 0)
    assert_close("percentile", [low, high], np.quantile(means, [0.05, 0.95]).tolist())
    bias = float(special.ndtri(np.mean(np.where(np.abs(means - np.mean(d)) <= EXACT, 0.5, means < np.mean(d)))))
    # The acceleration by the jackknife, as in scipy.stats.bootstrap.
    jackknife = np.array([np.mean(np.delete(d, i)) for i in range(len(d))])
    deviations = jackknife.mean() - jackknife
    acceleration = float((deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5))
    shifted = [bias + float(special.ndtri(u)) for u in (0.05, 0.95)]
    u = [float(special.ndtr(bias + shift / (1 - acceleration * shift))) for shift in shifted]
    assert_close("BCa", oracle.bca_interval(d, 0.9, replicates=400), np.quantile(means, u).tolist())


def test_abc_is_what_bca_tends_to() -> None:
    d = minus(SAKAI_X, SAKAI_Y)
    abc, bca = oracle.abc_interval(d, 0.9), oracle.bca_interval(d, 0.9, replicates=4000)
    assert abc is not None
    assert abc == pytest.approx(bca, abs=0.1 * (abc[1] - abc[0]))


# Degenerate input

NUMBERS_OF_A_ROW = ("relative", "sd", "low", "high", "dz", "gz", "statistic", "p", "p_adjusted", "queries_needed")


def test_one_query() -> None:
    row = row_of([0.4], [0.6])
    assert row.queries == row.wins == 1
    assert_close("difference", row.difference, 0.2)
    assert row.sd == 0
    missing = (row.low, row.high, row.dz, row.gz, row.statistic, row.df, row.p, row.p_adjusted, row.mde)
    assert set(missing) == {None}
    assert row.verdict == "too few queries"
    assert row_of([0.4], [0.6], test="sign").p == 1


def test_no_common_query() -> None:
    row = row_of([0.4, None], [None, 0.6])
    assert (row.queries, row.only_a, row.only_b, row.verdict) == (0, 1, 1, "no values")
    assert {getattr(row, name) for name in ("mean_a", "difference", "superiority", *NUMBERS_OF_A_ROW)} == {None}


@pytest.mark.parametrize("test", ["t", "sign", "wilcoxon", "randomization"])
def test_equal_systems(test: str) -> None:
    a = [0.1, 0.2, 0.3, 0.4, 0.5]
    row = row_of(a, [x + 1e-14 for x in a], test=test)
    assert (row.p, row.p_adjusted, row.verdict, row.ties) == (1, 1, "equal", 5)
    assert_close("interval", [row.difference, row.low, row.high, row.relative], [0.0] * 4)
    assert (row.dz, row.queries_needed) == (None, None)
    assert test != "t" or row.statistic is None


def test_a_constant_difference() -> None:
    a = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    row = row_of(a, [x + 0.1 for x in a])
    assert (row.sd, row.dz, row.statistic, row.p, row.p_adjusted) == (0, None, None, None, None)
    assert row.low == row.high == row.difference
    assert row.verdict == "better"
    assert row_of(a[:5], [x + 0.1 for x in a[:5]]).verdict == "undecided"
    assert row_of(a, [x - 0.1 for x in a]).verdict == "worse"
    for test in ("sign", "wilcoxon", "randomization"):
        assert row_of(a, [x + 0.1 for x in a], test=test).p == 2**-5


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite(value: float) -> None:
    with pytest.raises(ValueError, match=r"query q01 of system b has the value"):
        row_of([0.1, 0.2], [0.1, value])


def test_values_that_are_null_leave_the_pair() -> None:
    row = row_of([0.1, None, 0.3, None], [0.2, 0.5, None, None])
    assert (row.queries, row.only_a, row.only_b) == (1, 1, 1)


def test_a_baseline_of_0() -> None:
    row = row_of([-0.1, 0.1, 0, 0, 0, 0], [0.1, 0.2, 0.0, 0.3, 0.1, 0.2])
    assert (row.relative, row.relative_low, row.relative_high) == (None, None, None)
    assert row.p is not None


def test_a_mean_difference_of_0() -> None:
    row = row_of([0.1, 0.2, 0.3, 0.4], [0.2, 0.1, 0.4, 0.3])
    assert (row.statistic, row.p, row.queries_needed) == (0, 1, None)


def test_one_of_ten_differs() -> None:
    a, b = [0.5] * 10, [0.5] * 9 + [0.7]
    row = row_of(a, b)
    assert_close("t, p", [row.statistic, row.p], [1.0, 0.3434363961379136])
    assert row.verdict == "undecided"
    for test in ("sign", "wilcoxon", "randomization"):
        row = row_of(a, b, test=test)
        assert (row.p, row.verdict) == (1, "too few queries")


def test_one_system() -> None:
    with pytest.raises(ValueError, match="nothing to compare"):
        oracle.compare({"m": [("q", "a", 0.5)]})


@pytest.mark.parametrize("value", [0.0, None])
def test_a_system_without_values(value: float | None) -> None:
    row = row_of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [value] * 6)
    assert row.verdict == "no values"


def test_few_queries() -> None:
    a, b = [0.5, 0.5, 0.4, 0.3, 0.2], [0.9, 0.8, 0.9, 0.7, 0.8]
    assert row_of(a[:4], b[:4]).verdict == "too few queries"
    assert row_of(a, b).verdict == "better"
    for test in ("sign", "wilcoxon", "randomization"):
        assert row_of(a, b, test=test).verdict == "too few queries"
        assert row_of(a, b, test=test, confidence=0.9).verdict == "better"


# Options


def test_duplicates_and_unknown_baselines() -> None:
    with pytest.raises(ValueError, match="query q of system a occurs twice"):
        oracle.compare({"m": [("q", "a", 0.5), ("q", "a", 0.5), ("q", "b", 0.5)]})
    with pytest.raises(ValueError, match="no system is called c"):
        row_of([0.5], [0.6], baseline="c")


def three(n: int = 12) -> list[oracle.Value]:
    """Return values of the systems a, b and c, in which b and c are better than a."""
    return [(f"q{i}", s, (i * 7 % 5 + 3 * k + (i * k) % 3) / 16) for k, s in enumerate("abc") for i in range(n)]


def pairs_of(**options: Any) -> list[str]:
    return [row.system_a + row.system_b for row in oracle.compare({"m": three()}, **options)]


def test_baselines() -> None:
    assert pairs_of() == ["ab", "ac", "bc"]
    assert pairs_of(baseline="b") == ["ba", "bc"]
    assert pairs_of(baseline=["c", "a"]) == ["ab", "cb"]


def test_missing_queries() -> None:
    values = rows_of([0.1, 0.2, 0.3, 0.4], [0.3, 0.3, 0.3, None])["m"]
    del values[0]
    skipped, zero = (oracle.compare({"m": values}, missing=missing)[0] for missing in ("skip", "zero"))
    assert (skipped.queries, skipped.only_a, skipped.only_b) == (2, 1, 1)
    assert (zero.queries, zero.only_a, zero.only_b) == (3, 1, 0)
    assert_close("mean_a", zero.mean_a, 0.5 / 3)
    with pytest.raises(ValueError, match="different queries"):
        oracle.compare({"m": values}, missing="error")


def test_families() -> None:
    measures = {"m": three(), "n": three()}
    of_measure = oracle.compare(measures, adjust="bonferroni")
    of_all = oracle.compare(measures, adjust="bonferroni", family="all")
    for row, other in zip(of_measure, of_all, strict=True):
        assert row.p == other.p
        assert_close("3 pairs", row.p_adjusted, min(1, 3 * cast(float, row.p)))
        assert_close("6 pairs", other.p_adjusted, min(1, 6 * cast(float, row.p)))


def test_p_that_is_null_does_not_count() -> None:
    assert oracle.adjusted([0.02, None, 0.04], "bonferroni") == [0.04, None, 0.08]
    assert oracle.adjusted([None, 0.02, 0.04], "holm") == [None, 0.04, 0.04]


def test_adjusted_p_by_definition() -> None:
    """Holm rejects in steps from the smallest p, Hochberg and Benjamini-Hochberg from the largest."""
    for p in vectors(st.integers(0, 40).map(lambda n: n / 1000), 1, 8, 40):
        order, m = sorted(range(len(p)), key=lambda i: p[i]), len(p)
        adjusted = {a: cast(list[float], oracle.adjusted(p, a)) for a in ("holm", "hochberg", "bh")}
        for alpha in (0.0151, 0.0251, 0.0351):
            steps = [p[i] <= alpha / (m - k) for k, i in enumerate(order)]
            down = steps.index(False) if False in steps else m
            up = max((k + 1 for k, step in enumerate(steps) if step), default=0)
            bh = max((k + 1 for k, i in enumerate(order) if p[i] <= alpha * (k + 1) / m), default=0)
            for adjust, rejected in (("holm", down), ("hochberg", up), ("bh", bh)):
                assert {i for i in range(m) if adjusted[adjust][i] <= alpha} == set(order[:rejected]), adjust


def test_lower_is_better() -> None:
    a, b = [0.1, 0.2, 0.3, 0.2, 0.1, 0.3, 0.2], [0.5, 0.5, 0.6, 0.4, 0.5, 0.6, 0.2]
    for test in ("t", "sign", "wilcoxon", "randomization"):
        higher, lower = row_of(a, b, test=test), row_of(a, b, test=test, lower_is_better=["m"])
        assert (higher.difference, higher.p) == (lower.difference, lower.p)
        assert (higher.wins, higher.losses) == (lower.losses, lower.wins) == (6, 0)
        assert (higher.verdict, lower.verdict) == ("better", "worse")


def test_geometric_means() -> None:
    a, b = [0.1, 0.2, 0.0, 0.4, 0.3], [0.2, 0.1, 0.2, 0.8, 0.5]
    row = row_of(a, b, geometric=["m"])
    logs = [math.log(max(x, 1e-5)) for x in a]
    assert_close("mean_a", row.mean_a, math.exp(sum(logs) / 5))
    assert_close("relative", row.relative, cast(float, row.mean_b) / cast(float, row.mean_a) - 1)
    assert_close("bounds", [row.relative_low, row.relative_high], [math.expm1(x or 0) for x in (row.low, row.high)])


def test_wilcoxon_is_exact_for_few_queries() -> None:
    untied = [(i + 1) * (-1) ** (i // 3) / 64 for i in range(51)]
    tied = [1 / 64, *untied[:25]]
    assert [oracle.wilcoxon_is_exact(d) for d in (untied[:50], untied, tied[:25], tied)] == [True, False, True, False]
    assert oracle.wilcoxon_p(tied) == oracle.wilcoxon_normal_p(tied)


def test_randomization_is_exact_for_few_queries() -> None:
    assert [oracle.randomization_is_exact(n, 20) for n in (30, 31)] == [True, False]
    assert [oracle.randomization_is_exact(n, 21) for n in (19, 20)] == [True, False]


# Margins


@pytest.mark.parametrize(
    ("shift", "margin", "verdict"),
    [
        (0.0, 0.05, "equivalent"),
        (0.048, 0.05, "not worse"),
        (-0.2, 0.05, "worse by more than the margin"),
        (-0.05, 0.05, "undecided"),
    ],
)
def test_verdicts_with_a_margin(shift: float, margin: float, verdict: str) -> None:
    a = [0.5 + i / 64 for i in range(12)]
    b = [x + shift + (-1) ** i / 64 for i, x in enumerate(a)]
    assert row_of(a, b, margin=margin).verdict == verdict
    lower = row_of(b, a, margin=margin, lower_is_better=["m"])
    assert lower.verdict == verdict
    assert_close("90 %", [lower.low, lower.high], oracle.t_interval(minus(b, a), 0.9))
    assert row_of(a, b, relative_margin=margin / oracle.mean_of(a)).verdict == verdict


def test_margins_without_variance() -> None:
    a = [0.1, 0.2, 0.3, 0.4, 0.5]
    b = [x - 0.1 for x in a]
    assert row_of(a, b, margin=0.2).verdict == "equivalent"
    assert row_of(a, b, margin=0.1).verdict == "undecided"
    assert row_of(a, b, margin=0.05).verdict == "worse by more than the margin"
    assert row_of(a, a, margin=0.05).verdict == "equal"
    assert row_of(a[:4], b[:4], margin=0.05).verdict == "too few queries"


def test_a_relative_margin_of_geometric_means() -> None:
    """Apart from noise, every query has the ratio 0.9, which is the margin of 10 %."""
    a = [0.1 + i / 32 for i in range(12)]
    b = [0.9 * x * math.exp((-1) ** i / 64) for i, x in enumerate(a)]
    logs = [[math.log(x) for x in values] for values in (a, b)]
    p = oracle.margin_p(logs[0], logs[1], scale=Scale(geometric=True), options=Options(relative_margin=0.1))
    assert_close("p", p[0], 0.5)
    assert_close("p", p[2], 0.5)


# Many systems


def test_variance_adds_up() -> None:
    values: dict[str, dict[str, float]] = {}
    for query_id, system, value in three():
        values.setdefault(system, {})[query_id] = cast(float, value)
    found = oracle.variance(values)
    every = [value for row in values.values() for value in row.values()]
    assert_close("ss", found.system.ss + found.query.ss + found.error.ss, float(np.var(every) * len(every)))
    assert_close("shares", sum(cast(float, s.share) for s in (found.system, found.query, found.error)), 1.0)
    components = found.system.component, found.error.component
    assert_close("g", found.generalizability, components[0] / (components[0] + components[1] / 12))
    with pytest.raises(ValueError, match="system b has other queries"):
        oracle.variance(values | {"b": {"q1": 0.5}})
    with pytest.raises(ValueError, match="2 systems and 2 queries"):
        oracle.variance({"a": values["a"]})


def test_variance_without_error() -> None:
    found = oracle.variance({"a": {1: 0.1, 2: 0.2, 3: 0.4}, "b": {1: 0.2, 2: 0.3, 3: 0.5}})
    assert (found.error.ss, found.system.f, found.system.p, found.generalizability) == (0, None, None, 1)


def test_tukey_needs_t_and_the_same_queries() -> None:
    with pytest.raises(ValueError, match="needs test = 't'"):
        oracle.compare({"m": three()}, adjust="tukey", test="sign")
    with pytest.raises(ValueError, match="other queries"):
        oracle.compare({"m": three()[1:]}, adjust="tukey")


EDGES = st.lists(st.booleans(), min_size=15, max_size=15)


def test_systems_share_a_letter_exactly_if_they_do_not_differ() -> None:
    for edges in drawn(EDGES, 40):
        differing = {pair for pair, edge in zip(combinations(range(6), 2), edges, strict=True) if edge}
        found = oracle.letters(range(6), lambda a, b, pairs=differing: (min(a, b), max(a, b)) in pairs)  # type: ignore[misc]
        for a, b in combinations(range(6), 2):
            assert bool(set(found[a]) & set(found[b])) == ((a, b) not in differing)
        assert "a" in found[0]
        groups = [{i for i in range(6) if letter in found[i]} for letter in sorted(set("".join(found.values())))]
        assert not any(g < other for g in groups for other in groups)


def test_letters_after_z() -> None:
    found = oracle.letters(range(28), lambda a, b: True)
    assert [found[0], found[25], found[26], found[27]] == ["a", "z", "aa", "ab"]


def test_wins() -> None:
    changes = oracle.wins({"q1": 0.5, "q2": 0.4, "q3": 0.1, "q10": 0.5}, {"q1": 0.4, "q2": 0.9, "q3": 0.2, "x": 1})
    assert [(c.query_id, c.rank, c.flips) for c in changes] == [("q2", 1, True), ("q1", 2, False), ("q3", 2, False)]
    assert_close("difference", [c.difference for c in changes], [0.5, -0.1, 0.1])
    assert_close("running sum", [c.running_sum for c in changes], [0.5, 0.4, 0.5])
    assert_close("leverage", [c.leverage for c in changes], [0 - 0.5 / 3, 0.3 - 0.5 / 3, 0.2 - 0.5 / 3])
    (only,) = oracle.wins({"q": 0.5}, {"q": 0.7})
    assert (only.leverage, only.flips) == (None, None)


def test_leaderboard() -> None:
    places = oracle.leaderboard([*three(), ("q1", "d", None)], resamples=200)
    assert [place.system for place in places] == ["c", "b", "a", "d"]
    assert [place.place for place in places] == [1, 2, 3, 4]
    assert [place.beats for place in places] == [["a", "b"], ["a"], [], []]
    assert [place.tied_with_best for place in places] == [True, False, False, True]
    assert [(place.place_low, place.place_high) for place in places] == [(1, 2), (2, 3), (3, 4), (1, 4)]
    assert [place.letters for place in places] == ["a", "b", "c", "abc"]
    assert [place.p_best for place in places] == [1, 0, 0, 0]
    assert (places[3].queries, places[3].mean, places[3].low) == (0, None, None)
    own = [value for _, system, value in three() if system == "c" and value is not None]
    assert_close("interval", [places[0].low, places[0].high], oracle.t_interval(own, 0.95))


def test_leaderboard_where_lower_is_better() -> None:
    places = oracle.leaderboard(three(), lower=True, resamples=200)
    assert [place.system for place in places] == ["a", "b", "c"]
    assert places[0].beats == ["b", "c"]
    assert [place.p_best for place in places] == [1, 0, 0]


def test_equal_systems_share_a_place_and_the_chance_to_be_best() -> None:
    values = three()
    twins = [*values, *((q, "e", v) for q, s, v in values if s == "c")]
    places = oracle.leaderboard(twins, resamples=50)
    assert [(p.system, p.place, p.p_best) for p in places[:3]] == [("c", 1, 0.5), ("e", 1, 0.5), ("b", 3, 0)]


def test_chances_of_best_add_up_to_1() -> None:
    random = np.random.default_rng(3)
    values = {s: {q: float(random.random()) for q in range(9) if random.random() < 0.7} for s in "abcd"}
    chances = oracle.chances_of_best(values, replicates=100)
    assert_close("sum", sum(chances.values()), 1.0)
    assert all(0 <= chance <= 1 for chance in chances.values())


def test_repeats() -> None:
    values: list[oracle.RepeatedValue] = [
        (q, "a", seed, (i + seed) / 8) for seed in range(3) for i, q in enumerate(["q1", "q2"])
    ]
    values[0] = ("q1", "a", 0, None)
    assert oracle.average_repeats(values) == [("q1", "a", 1.5 / 8), ("q2", "a", 2 / 8)]
    assert oracle.average_repeats([("q", "a", 0, None)]) == [("q", "a", None)]
    assert_close("sd", oracle.sd_repeats(values)["a"], float(np.std([1 / 8, 1.5 / 8, 2.5 / 8], ddof=1)))
    assert oracle.sd_repeats([("q", "a", 0, 0.5)]) == {"a": None}
