"""Comparison of systems: SQL and Python agree with the oracle and golden values, and refuse invalid input."""

import contextlib
import math
import random
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import product
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy import stats  # type: ignore[import-untyped]
from support.comparisons import Rows, assert_same, random_sets, records, table_of
from support.places import ROOT
from support.reference_values import read_values

import ltr_sql
from ltr_sql import InputError, InputWarning
from ltr_sql.catalogue.functions import procedures
from ltr_sql.oracle import comparison as oracle
from ltr_sql.rendering import comparisons
from ltr_sql.rendering.measure_columns import probabilities
from ltr_sql.rendering.templates import macros_of


def assert_rows(found: Rows, expected: list[Any], tolerance: Mapping[str, float]) -> None:
    assert len(found) == len(expected)
    for row, wanted in zip(found, expected, strict=True):
        for name, value in asdict(wanted).items():
            assert_same(
                row[name],
                value,
                f"{name} is {row[name]!r} and should be {value!r} in {row}",
                tolerance.get(name, 1e-12),
            )


def check(sets: list[list[oracle.Value]], *, measure: str = "nDCG", tolerance: float = 1e-12, **options: Any) -> Rows:
    """Compare the systems of each set in SQL and by the oracle. Return the rows."""
    margin = options.get("margin")
    of_oracle = {name: value for name, value in options.items() if name != "margin"}
    if isinstance(margin, str):
        of_oracle["relative_margin"] = float(margin.rstrip("%")) / 100
    elif margin is not None:
        of_oracle["margin"] = margin
    geometric = [measure] if measure == "GMAP" else []
    lower = ["RankingLoss"] if measure == "RankingLoss" else []
    expected = [
        row
        for rows in sets
        for row in oracle.compare({measure: rows}, lower_is_better=lower, geometric=geometric, **of_oracle)
    ]
    frame = table_of(sets, measure)
    found = records(ltr_sql.compare(frame, values=True, keys=["number"], allow_empty=True, **options, details=True))
    # Corrected intervals are as exact as the correction.
    corrected = ("p_adjusted", "confidence", "low", "high", "relative_low", "relative_high")
    assert_rows(found, expected, dict.fromkeys(corrected, tolerance))
    return found


pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")


def both_sets(**options: Any) -> list[list[oracle.Value]]:
    """Return the random sets of two seeds, which one call compares."""
    return random_sets(1, **options) + random_sets(2, **options)


# test_sequential.py has the sequential test, which needs its planned queries.
TESTS = sorted((name for name in procedures("test") if name != "sequential"), key=lambda name: name != "t")
OPTIONS: list[dict[str, Any]] = [
    *({"test": name} for name in TESTS),
    *({"test": "sign", "adjust": name} for name in procedures("adjust") if name not in ("holm", "tukey")),
    {"family": "all"},
    {"missing": "zero"},
    {"baseline": "s1"},
    {"baseline": ["s0"], "confidence": 0.8},
]


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_comparisons_agree_with_the_oracle(options: dict[str, Any]) -> None:
    check(both_sets(), **options)


@pytest.mark.slow
def test_tukey_agrees_with_the_oracle() -> None:
    check(both_sets(sets=6, complete=True), adjust="tukey", tolerance=1e-10)


@pytest.mark.default("abc")
@pytest.mark.parametrize("ci", [name for name in procedures("ci") if name != "t"])
def test_intervals_agree_with_the_oracle(ci: str) -> None:
    check(both_sets(sets=8, systems=3), ci=ci, resamples=100, confidence=0.9)


@pytest.mark.default("2%-nDCG")
@pytest.mark.parametrize("measure", ["nDCG", "GMAP", "RankingLoss"])
@pytest.mark.parametrize("margin", [0.05, "2%"])
def test_margins_agree_with_the_oracle(measure: str, margin: Any) -> None:
    check(both_sets(systems=2), measure=measure, margin=margin)


@pytest.mark.default("False")
@pytest.mark.parametrize("lower", [False, True])
def test_leaderboard_agrees_with_the_oracle(lower: bool) -> None:
    sets = both_sets(sets=6, systems=5)
    expected = [row for rows in sets for row in oracle.leaderboard(rows, lower=lower, adjust="none", resamples=100)]
    found = ltr_sql.leaderboard(
        table_of(sets, "m"),
        values=True,
        keys=["number"],
        lower_is_better=["m"] if lower else [],
        adjust="none",
        resamples=100,
    )
    assert_rows(records(found), expected, {})


def weights_of(seed: int, sets: list[list[oracle.Value]]) -> tuple[list[dict[Any, float]], pd.DataFrame]:
    """Return weights of the queries of each set, by query_id and as one table with the column `number`."""
    chance = random.Random(seed)
    weights = [
        {q: chance.choice([0.5, 1.0, 2.0, 3.25, *([0.0] if q != "q0" else [])]) for q in sorted({q for q, *_ in rows})}
        for rows in sets
    ]
    rows = [(number, q, weight) for number, of in enumerate(weights) for q, weight in of.items()]
    return weights, pd.DataFrame(rows, columns=["number", "query_id", "weight"])


GEOMETRIC = {"margin": "2%", "missing": "zero"}


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"missing": "zero"}, {"margin": "2%"}, GEOMETRIC], ids=str)
def test_weighted_comparisons_agree_with_the_oracle(options: dict[str, Any]) -> None:
    measure = "GMAP" if options is GEOMETRIC else "nDCG"
    sets = both_sets()
    weights, table = weights_of(1, sets)
    margin: dict[str, Any] = {"relative_margin": 0.02} if "margin" in options else {}
    others = {name: value for name, value in options.items() if name != "margin"}
    geometric = [measure] if measure == "GMAP" else []
    expected = [
        row
        for rows, of in zip(sets, weights, strict=True)
        for row in oracle.compare({measure: rows}, geometric=geometric, weights=of, **margin, **others)
    ]
    frame = table_of(sets, measure)
    found = ltr_sql.compare(
        frame, values=True, keys=["number"], allow_empty=True, weights=table, details=True, **options
    )
    assert_rows(records(found), expected, {})


@pytest.mark.slow
def test_weighted_leaderboard_agrees_with_the_oracle(con: duckdb.DuckDBPyConnection) -> None:
    sets = both_sets(sets=6, systems=5)
    weights, table = weights_of(1, sets)
    expected = [
        row
        for rows, of in zip(sets, weights, strict=True)
        for row in oracle.leaderboard(rows, adjust="none", resamples=100, weights=of)
    ]
    frame = table_of(sets, "m")
    found = ltr_sql.leaderboard(frame, values=True, keys=["number"], adjust="none", resamples=100, weights=table)
    assert_rows(records(found), expected, {})
    con.register("sets", frame)
    con.register("traffic", table)
    call = "adjust := 'none', resamples := 100, keys := ['number'], weights := 'traffic'"
    assert_rows(records(con.execute(f"from ltr.leaderboard('sets', {call})").df()), expected, {})


def complete_table(seed: int, queries: int = 9) -> tuple[pd.DataFrame, dict[str, float]]:
    """Return values of three systems for all queries, and weights 1 and 2 of the queries."""
    chance = random.Random(seed)
    rows = [(f"q{q}", s, round(chance.random(), 3)) for q in range(queries) for s in "abc"]
    weights = {f"q{q}": float(chance.choice([1, 2])) for q in range(queries)}
    return pd.DataFrame(rows, columns=["query_id", "system", "m"]), weights


@pytest.mark.slow
def test_a_weight_of_two_is_the_query_twice() -> None:
    table, weights = complete_table(1)
    twice = table[table["query_id"].map(weights) == 2]
    more = pd.concat([table, twice.assign(query_id=twice["query_id"] + " again")])
    means = ["mean_a", "mean_b", "difference", "relative"]
    weighted = ltr_sql.compare(table, values=True, weights=weights, details=True)
    pd.testing.assert_frame_equal(weighted[means], ltr_sql.compare(more, values=True, details=True)[means])


@pytest.mark.slow
def test_properties_of_weights(con: duckdb.DuckDBPyConnection) -> None:
    table, weights = complete_table(1)
    plain = ltr_sql.compare(table, values=True, margin=0.01, details=True)
    equal = ltr_sql.compare(table, values=True, margin=0.01, weights=dict.fromkeys(weights, 3), details=True)
    pd.testing.assert_frame_equal(equal, plain)
    board = ltr_sql.leaderboard(table, values=True)
    pd.testing.assert_frame_equal(ltr_sql.leaderboard(table, values=True, weights=dict.fromkeys(weights, 0.5)), board)
    # A weight of 0 leaves a query out.
    zero = ltr_sql.compare(table, values=True, weights=weights | {"q1": 0, "q5": 0}, details=True)
    few = {query: weight for query, weight in weights.items() if query not in ("q1", "q5")}
    pd.testing.assert_frame_equal(
        zero, ltr_sql.compare(table[table["query_id"].isin([*few])], values=True, weights=few, details=True)
    )
    # The scale of the weights does not matter, and SQL, Python, a column and a table agree.
    weighted = ltr_sql.compare(table, values=True, weights=weights, details=True)
    column = table.assign(traffic=table["query_id"].map(weights) * 7)
    pd.testing.assert_frame_equal(ltr_sql.compare(column, values=True, weights="traffic", details=True), weighted)
    con.register("given", column.rename(columns={"traffic": "weight"}))
    for call in ("['m'], weights := 'given'", "'m', weights := 'given', keys := ['system']"):
        in_sql = con.execute(f"from ltr.compare_values('given', {call}, details := true)").df()
        pd.testing.assert_frame_equal(in_sql, weighted)
    found = ltr_sql.verify_comparison(table, values=True, weights=weights, margin="1%")
    assert set(found["verdict"]) == {"equal"}


@pytest.mark.slow
def test_weights_need_the_t_test(con: duckdb.DuckDBPyConnection) -> None:
    table, weights = complete_table(2)
    con.register("given", table.assign(weight=1))
    for option, name in (("test", "wilcoxon"), ("ci", "bca"), ("adjust", "tukey")):
        with pytest.raises(
            InputError, match=f"weights apply to the t and the sequential test, not to {option}='{name}'"
        ):
            asked: dict[str, Any] = {option: name}
            ltr_sql.compare(table, values=True, weights=weights, **asked)
    with pytest.raises(duckdb.Error, match="weights apply to the t and the sequential test"):
        con.execute("from ltr.compare_values('given', weights := 'given', ci := 'bca')")
    with pytest.raises(InputError, match="the weights lack the query q"):
        ltr_sql.compare(table, values=True, weights={"q0": 1})
    with pytest.raises(InputError, match="the weights give one query different weights"):
        ltr_sql.leaderboard(table.assign(w=range(len(table))), values=True, weights="w")


def test_wins_agree_with_the_oracle() -> None:
    sets = both_sets(systems=2)
    expected = []
    for rows in sets:
        a, b = ({q: v for q, s, v in rows if s == system and v is not None} for system in ("s0", "s1"))
        expected += oracle.wins(a, b)
    found = ltr_sql.wins(table_of(sets, "m"), "s0", "s1", values=True, keys=["number"])
    assert_rows(records(found), expected, {})


def test_variance_agrees_with_the_oracle(con: duckdb.DuckDBPyConnection) -> None:
    sets = both_sets(sets=8, complete=True)
    con.register("sets", table_of(sets, "m"))
    frame = ltr_sql.variance("sets", values=True, keys=["number"], con=con)
    pd.testing.assert_frame_equal(frame, con.execute("from ltr.variance('sets', keys := ['number', 'system'])").df())
    found = records(frame)
    for number, rows in enumerate(sets):
        systems = sorted({system for _, system, _ in rows})
        wanted = oracle.variance({s: {q: v for q, of, v in rows if of == s and v is not None} for s in systems})
        of_set = {row["source"]: row for row in found if row["number"] == number}
        for source in ("system", "query", "error"):
            expected = asdict(getattr(wanted, source))
            for name, value in {**expected, "variance": expected.pop("component")}.items():
                if name != "component":
                    assert_same(of_set[source][name], float(value) if value is not None else None, name)
        assert_same(of_set["system"]["generalizability"], wanted.generalizability, "generalizability")


@pytest.mark.slow
def test_repeats_are_averaged(con: duckdb.DuckDBPyConnection) -> None:
    chance = random.Random(5)
    rows = [(f"q{q}", f"s{s}", r, round(chance.random(), 3)) for q in range(8) for s in range(3) for r in range(4)]
    frame = pd.DataFrame(rows, columns=["query_id", "system", "seed", "m"])
    averaged = oracle.average_repeats(rows)
    found = records(ltr_sql.compare(frame, values=True, repeats=["seed"], details=True))
    assert_rows(found, oracle.compare({"m": averaged}), {})
    spread = oracle.sd_repeats(rows)
    for row in records(ltr_sql.leaderboard(frame, values=True, repeats=["seed"], resamples=100)):
        assert_same(row["sd_repeats"], spread[row["system"]], "sd_repeats")
    with pytest.raises(InputError, match="given 4 times"):
        ltr_sql.compare(frame, ["m"], values=True)


@pytest.mark.default("wins")
@pytest.mark.parametrize("call", ["compare", "leaderboard", "wins", "variance"])
def test_repeats_that_average_nothing_are_said(call: str) -> None:
    # Each query has one session: as many queries as rows, although the caller expects fewer.
    rows = [
        (f"q{s}-{q}", name, s, q / 7 + s * i / 9) for q in range(3) for s in range(2) for i, name in enumerate("ab")
    ]
    frame = pd.DataFrame(rows, columns=["query_id", "system", "session", "m"])
    function = getattr(ltr_sql, call)
    systems = ("a", "b") if call == "wins" else ()
    nothing = r"repeats session: nothing is averaged, because each query of a system has only one row"
    with pytest.warns(InputWarning, match=nothing) as warned:
        function(frame, *systems, ["m"], values=True, repeats=["session"])
    assert [w.filename for w in warned if "repeats" in str(w.message)] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # One row with a repeat is enough.
        function(
            pd.concat([frame, frame.iloc[:2].assign(session=5)]), *systems, ["m"], values=True, repeats=["session"]
        )
    runs = frame.rename(columns={"m": "score"}).assign(doc_id="d")
    qrels = pd.DataFrame({"query_id": frame["query_id"].unique(), "doc_id": "d", "relevance": 1})
    with pytest.warns(InputWarning, match=nothing):
        function(runs, *systems, ["RR"], qrels=qrels, repeats=["session"], missing="skip")


# verify_comparison


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"keys": ["number"], "repeats": ["seed"], "family": "all"},
        {"keys": ["number"], "repeats": ["seed"], "test": "randomization", "replicates": 100, "ci": "bca"},
        {"keys": ["number"], "repeats": ["seed"], "adjust": "tukey", "baseline": "s1"},
        {"keys": ["number", "seed"], "margin": "2%", "lower_is_better": ["latency"]},
    ],
    ids=str,
)
def test_verify_comparison(options: dict[str, Any]) -> None:
    chance = random.Random(3)
    rows = [
        (n, f"q{q}", f"s{s}", seed, chance.choice([0.0, 0.5, chance.random()]), chance.random(), chance.random())
        for n in (None, "b")
        for q in range(22)
        for s in range(3)
        for seed in range(2)
    ]
    frame = pd.DataFrame(rows, columns=["number", "query_id", "system", "seed", "RankingLoss", "GMAP", "latency"])
    found = ltr_sql.verify_comparison(frame, values=True, resamples=100, **options)
    assert set(found["verdict"]) == {"equal"}
    assert set(found["comparisons"]) == {
        len(ltr_sql.compare(frame, values=True, resamples=100, **options, details=True))
    }
    assert {"difference", "low", "p_adjusted", "queries_needed", "verdict"} <= set(found["column"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"across": "dataset"},
        {"across": "dataset", "generalize": "datasets", "margin": 0.1, "keys": ["language"]},
        {"across": "dataset", "missing": "zero", "baseline": "a"},
        {"paired": False, "cluster": "user", "confidence": 0.9},
        {"cluster": "session"},
        {"cluster": "session", "weights": "weight"},
    ],
    ids=" ".join,
)
@pytest.mark.filterwarnings("ignore")
def test_verify_comparison_of_datasets_and_clusters(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(5)
    rows = [
        (s, f"d{d}", f"{s if 'paired' in options else ''}q{d}{q}", f"{s}u{q % 5}", q % 4, q % 2, 1 + q % 3)
        for s in "abc"
        for d in range(4)
        for q in range(8 + d)
        if s != "c" or q or options.get("missing")
    ]
    names = ["system", "dataset", "query_id", "user", "session", "language", "weight"]
    frame = pd.DataFrame(rows, columns=names).assign(RR=[chance.random() for _ in rows])
    frame["GMAP"] = frame["RR"] ** 2
    found = ltr_sql.verify_comparison(frame, ["RR", "GMAP"], values=True, **options)
    assert found["column"].tolist() == ["difference", "df", "p", "uncorrected_low", "uncorrected_high"]
    assert (found["verdict"] == "equal").all()
    with monkeypatch.context() as patch:
        for name in ("clustered_mean", "mean_over_datasets", "unpaired_difference"):
            patch.setattr(oracle, name, lambda *_, **__: oracle.Estimate(0.5, 0.1, 3.5))
        found = ltr_sql.verify_comparison(frame, ["RR", "GMAP"], values=True, **options)
        assert (found["verdict"] == "different").all()


def test_verify_comparison_refuses_what_the_oracle_lacks() -> None:
    frame = pd.DataFrame({"system": list("ab"), "query_id": "q", "RR": [0.5, 1.0]})
    with pytest.raises(InputError, match="values of one judge: leave out human"):
        ltr_sql.verify_comparison(frame, values=True, human=frame)
    with pytest.raises(InputError, match="by the t test: leave out test='sequential'"):
        ltr_sql.verify_comparison(frame, values=True, cluster={"q": "c"}, test="sequential", planned=9)
    with pytest.raises(InputError, match="without weights: leave out weights"):
        ltr_sql.verify_comparison(frame, values=True, paired=False, weights={"q": 2})


def test_verify_comparison_of_rankings_shows_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask() -> dict[str, str]:
        runs = {name: str(ROOT / f"examples/data/{name}.txt") for name in ("bm25", "dense")}
        found = ltr_sql.verify_comparison(runs, ["nDCG@5"], qrels=str(ROOT / "examples/data/qrels.txt"))
        return dict(zip(found["column"], found["verdict"], strict=True))

    assert set(ask().values()) == {"equal"}
    monkeypatch.setattr(oracle.rows, "paired_t_p", lambda d, weights: 0.5)
    assert {column for column, verdict in ask().items() if verdict == "different"} == {"p", "p_adjusted"}


# Golden values of R, scipy, statsmodels and publications


def golden_frame() -> pd.DataFrame:
    rows = [
        (pair["name"], system, query, value)
        for pair in read_values("compare/pairs.json")
        for system in "ab"
        for query, value in enumerate(pair[system])
    ]
    return pd.DataFrame(rows, columns=["name", "system", "query_id", "m"])


def golden(**options: Any) -> dict[str, Any]:
    found = ltr_sql.compare(golden_frame(), values=True, keys=["name"], allow_empty=True, details=True, **options)
    return {row["name"]: row for row in records(found)}


@pytest.mark.slow
def test_pairs_agree_with_scipy_and_statsmodels() -> None:
    at_95, at_99 = golden(), golden(confidence=0.99)
    tost, share = golden(margin=0.02), golden(margin="1%")
    for pair in read_values("compare/pairs.json"):
        name: str = pair["name"]
        row = at_95[name]
        columns = {"t": "statistic", "p": "p", "dz": "dz", "gz": "gz", "difference": "difference"}
        for theirs, ours in columns.items():
            if pair.get(theirs) is not None:
                assert_same(row[ours], float(pair[theirs]), f"{ours} of {name}")
        for theirs, found in {"ci95": at_95, "ci99": at_99}.items():
            if pair.get(theirs):
                assert [found[name]["low"], found[name]["high"]] == pytest.approx(pair[theirs], rel=1e-12, abs=1e-12)
        if pair.get("fieller95"):
            bounds = [row["relative_low"], row["relative_high"]]
            assert bounds == pytest.approx(pair["fieller95"], rel=1e-12, abs=1e-12), name
        if pair.get("tost_0.02"):
            assert_same(tost[name]["p_equivalent"], pair["tost_0.02"]["p"], f"TOST of {name}")
        if pair.get("noninferior_1pct"):
            assert_same(share[name]["p_not_worse"], pair["noninferior_1pct"]["p"], f"non-inferiority of {name}")
        if pair.get("queries_for_80"):
            assert row["queries_needed"] == pair["queries_for_80"], name
        if pair.get("mde_80") and pair["queries"] > 10:
            assert row["mde"] == pytest.approx(pair["mde_80"], rel=1e-3), name


@pytest.mark.slow
def test_rank_tests_agree_with_r_and_scipy() -> None:
    sign, wilcoxon, exact = golden(test="sign"), golden(test="wilcoxon"), golden(test="randomization")
    for pair in read_values("compare/pairs.json"):
        name, ranks = pair["name"], pair["wilcoxon"]
        assert_same(sign[name]["p"], float(pair["sign_p"]), f"sign test of {name}")
        if ranks and ranks["n"]:
            found = wilcoxon[name]["p"]
            allowed = [p for p in (ranks.get("p_exact"), ranks["p_normal"]) if p is not None]
            assert min(abs(found - p) for p in allowed) < 1e-12, name
            if ranks["n"] <= 25:
                assert_same(found, ranks["p_exact"], name)
        if pair.get("randomization_exact_p") is not None and pair["wins"] + pair["losses"] <= 19:
            assert_same(exact[name]["p"], pair["randomization_exact_p"], name)


def test_wilcoxon_is_exact_up_to_50_queries() -> None:
    differences = {n: [(-1 if i % 3 else 1) * i / 64 for i in range(1, n + 1)] for n in (50, 51)}
    rows = [(n, q, s, 1 + s * x) for n, of_n in differences.items() for q, x in enumerate(of_n) for s in (0, 1)]
    frame = pd.DataFrame(rows, columns=["number", "query_id", "system", "m"])
    found = {
        row["number"]: row["p"]
        for row in records(ltr_sql.compare(frame, values=True, keys=["number"], test="wilcoxon", details=True))
    }
    for n, method in ((50, "exact"), (51, "asymptotic")):
        expected = stats.wilcoxon(differences[n], correction=False, method=method).pvalue
        assert found[n] == pytest.approx(expected, rel=1e-12, abs=0), n


def test_abc_agrees_with_r() -> None:
    found = golden(ci="abc")
    for pair in read_values("compare/pairs_R.json"):
        if pair.get("abc95"):
            bounds = [found[pair["name"]]["low"], found[pair["name"]]["high"]]
            assert bounds == pytest.approx(pair["abc95"], rel=1e-5, abs=1e-5), pair["name"]


@pytest.mark.slow
def test_systems_agree_with_r() -> None:
    for data in read_values("compare/systems.json"):
        rows = [(q, f"s{s}", x) for q, values in enumerate(data["values"]) for s, x in enumerate(values)]
        frame = pd.DataFrame(rows, columns=["query_id", "system", "m"])
        found = records(ltr_sql.compare(frame, values=True, adjust="tukey", details=True))
        for row, pair in zip(found, data["pairs"], strict=True):
            assert row["p_adjusted"] == pytest.approx(pair["p_tukey_paired"], rel=1e-10, abs=1e-10), data["name"]
            assert_same(row["p"], pair["p_t"], data["name"])


@pytest.mark.parametrize("adjust", [name for name in procedures("adjust") if name not in ("none", "tukey")])
def test_adjusted_p_agree_with_statsmodels(adjust: str, con: duckdb.DuckDBPyConnection) -> None:
    for data in read_values("compare/adjusted.json"):
        values = ", ".join(f"({i}, {p!r}::double)" for i, p in enumerate(data["p"]))
        ranked = f"""select v.pair, v.p, 1 as family, row_number() over (order by v.p, v.pair) as place,
            count(*) over () as tests from (values {values}) as v(pair, p)"""
        body = procedures("adjust")[adjust].body
        query = f"with __ltr_ranked as ({ranked}) select p_adjusted from ({body}) order by pair"
        found = [p for (p,) in con.execute(query).fetchall()]
        assert found == pytest.approx(data[adjust], rel=1e-12, abs=1e-12), data["name"]


GOLDEN_DISTRIBUTIONS = {
    "t_two_sided": ("ltr.t_p(x[1], x[2])", 1e-12),
    "t_quantile_alpha_df": ("ltr.t_quantile(x[1], x[2])", 1e-11),
    "normal_upper": ("ltr.__ltr_normal_upper(x[1])", 1e-13),
    "normal_quantile": ("ltr.__ltr_normal_quantile(x[1])", 1e-12),
    "f_upper": ("ltr.f_p(x[1], x[2], x[3])", 1e-12),
    "studentized_range_upper": ("ltr.tukey_p(x[1], x[2], x[3])", 1e-10),
}


@pytest.mark.default("normal_quantile", "normal_upper", "f_upper", "t_two_sided", "t_quantile_alpha_df")
@pytest.mark.parametrize("name", GOLDEN_DISTRIBUTIONS)
def test_distributions_agree_with_mpmath_and_scipy(name: str, con: duckdb.DuckDBPyConnection) -> None:
    expression, tolerance = GOLDEN_DISTRIBUTIONS[name]
    rows = [[float(x) for x in row] for row in read_values("compare/distributions.json")[name]]
    found = con.execute(f"select {expression} from (select unnest(?) as x)", [[row[:-1] for row in rows]]).fetchall()
    for (value,), row in zip(found, rows, strict=True):
        assert_same(value, row[-1], f"{name} of {row}", tolerance)


def test_t_quantiles_are_those_of_the_oracle(con: duckdb.DuckDBPyConnection) -> None:
    """One step from the start reaches the precision of doubles where it is close, and three steps elsewhere."""
    alphas, dfs = (1e-9, 1e-4, 0.003, 0.01, 0.05, 0.2, 0.5, 0.9), (1.0, 1.5, 2.5, 4.0, 8.0, 12.0, 20.0, 50.0, 200.0)
    pairs = list(product(alphas, dfs))
    found = con.execute("select ltr.t_quantile(x[1], x[2]) from (select unnest(?) as x)", [pairs]).fetchall()
    for (t,), (alpha, df) in zip(found, pairs, strict=True):
        assert t == pytest.approx(oracle.t_quantile(alpha, df), rel=1e-13, abs=0), (alpha, df)


# SQL without Python


VALUES = """create or replace table scores as
select
    's' || s as system,
    q as query_id,
    round(0.4e0 + (q * 37 % 11) / 40 + (q * 13 + s * 7) % 17 / 60 + s * 0.01e0, 4) as m
from range(3) as a(s), range(25) as b(q)"""


def same_rows(con: duckdb.DuckDBPyConnection, call: str, frame: pd.DataFrame) -> None:
    found, expected = records(con.execute(f"from {call}").df()), records(frame)
    assert len(found) == len(expected) > 0
    for row, wanted in zip(found, expected, strict=True):
        assert row.keys() == wanted.keys()
        for name, value in wanted.items():
            assert_same(
                list(row[name]) if isinstance(value, np.ndarray) else row[name],
                list(value) if isinstance(value, np.ndarray) else value,
                name,
            )


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"test": "randomization", "adjust": "bh", "replicates": 500},
        {"margin": "2%", "ci": "bca", "resamples": 100},
        {"baseline": "s2", "missing": "zero", "confidence": 0.9},
    ],
    ids=str,
)
def test_macros_and_python_return_the_same(options: dict[str, Any], con: duckdb.DuckDBPyConnection) -> None:
    con.execute(VALUES)
    arguments = "".join(f", {name} := {value!r}" for name, value in options.items())
    for details in (True, False):
        wanted = ltr_sql.compare("scores", values=True, con=con, details=details, **options)
        same_rows(con, f"ltr.compare_values('scores'{arguments}, details := {details})", wanted)


@pytest.mark.slow
def test_leaderboard_wins_and_variance_in_sql_and_python_return_the_same(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(VALUES)
    board = ltr_sql.leaderboard("scores", values=True, con=con, resamples=100)
    same_rows(con, "ltr.leaderboard('scores', 'm', resamples := 100)", board)
    same_rows(con, "ltr.wins('scores', 's0', 's1', 'm')", ltr_sql.wins("scores", "s0", "s1", values=True, con=con))
    same_rows(con, "ltr.variance('scores', 'm')", ltr_sql.variance("scores", "m", values=True, con=con))


def test_keys_keep_the_order_and_the_spelling_of_the_call(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(VALUES.replace("q as query_id,", "q as query_id,\n    q % 2 as half,\n    q % 3 as Third,"))
    for call in ("ltr.variance('scores', 'm', {})", "ltr.wins('scores', 's0', 's1', 'm', {})"):
        for keys in (["THIRD", "half"], ["half", "third"]):
            assert con.execute(f"from {call.format(f'keys := {keys}')}").df().columns.tolist()[:2] == keys


@pytest.mark.slow
def test_rankings_and_values_give_the_same_comparison(con: duckdb.DuckDBPyConnection) -> None:
    runs = {"bm25": "examples/data/bm25.txt", "dense": "examples/data/dense.txt"}
    qrels, measures = "examples/data/qrels.txt", ["nDCG@10", "AP"]
    with contextlib.chdir(ROOT):
        from_runs = ltr_sql.compare(runs, measures, qrels=qrels, details=True)
        values = ltr_sql.evaluate(runs, measures, qrels=qrels, by_query=True)
    for row, wanted in zip(
        records(ltr_sql.compare(values, values=True, details=True)), records(from_runs), strict=True
    ):
        for name, value in wanted.items():
            assert_same(row[name], value, name)
    con.execute("""create or replace table judged as
        select 's' || s as system, q as query_id, r as rank, (s * 5 + q * 7 + r * 3) % 4 as relevance
        from range(2) as a(s), range(12) as b(q), range(1, 6) as c(r)""")
    by_query = con.execute("from ltr.per_query('judged', ['AP', 'RR'], keys := ['system'])").df()
    same_rows(
        con,
        "ltr.compare('judged', ['AP', 'RR'], details := true)",
        ltr_sql.compare(by_query, values=True, details=True),
    )


@pytest.mark.slow
@pytest.mark.parametrize(("power", "confidence"), [(0.8, 0.95), (0.9, 0.99)])
def test_queries_needed_agree_with_the_oracle(power: float, confidence: float, con: duckdb.DuckDBPyConnection) -> None:
    for sd, difference in ((0.2, 0.02), (0.1, 0.1), (1.0, -0.6), (0.01, 2.0), (1.0, 0.001)):
        wanted = oracle.queries_needed(difference / sd, 1 - confidence, power)
        assert ltr_sql.queries_needed(sd, difference, power=power, confidence=confidence) == wanted
        call = (
            f"ltr.queries_needed(sd := {sd}, difference := {difference}, power := {power}, alpha := {1 - confidence})"
        )
        assert con.execute(f"from {call}").fetchall() == [(wanted,)]


# Random words


WORDS = (
    "with __ltr_ids as (select unnest(?::varchar[]) as id), {words} select id, j, word from __ltr_words order by all"
)


def test_words_are_those_of_the_oracle(con: duckdb.DuckDBPyConnection) -> None:
    ids = ["1", "q1", "", "é", "a much longer id of a query"]
    words = macros_of("shared/random.sql", {})["random_words"]("7", "20")
    found = con.execute(WORDS.format(words=words), [ids]).fetchall()
    assert found == sorted((i, j, oracle.random_word(i, 7, j)) for i in ids for j in range(20))


@pytest.mark.slow
def test_random_signs_depend_on_query_and_seed_alone(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(VALUES)
    frame = con.execute("from scores where system <> 's2'").df().iloc[:, :3]
    frame = pd.concat([frame, frame.assign(query_id=frame.query_id + 100, m=frame.m * 0.9)])

    def p(given: pd.DataFrame, threads: int = 1, **options: Any) -> float:
        with duckdb.connect(config={"threads": threads}) as own:
            found = ltr_sql.compare(
                given, values=True, test="randomization", con=own, replicates=1000, **options, details=True
            )
        return float(found.p[0])

    first = p(frame)
    assert first == oracle.randomization_p(*common(frame), replicates=1000)
    assert first == p(frame.sample(frac=1, random_state=1), threads=8)
    assert first == p(frame.assign(query_id=frame.query_id.astype(str)), threads=2)
    assert first != p(frame, seed=8)


def common(frame: pd.DataFrame) -> tuple[list[Any], list[float], list[float]]:
    wide = frame.pivot_table(index="query_id", columns="system", values="m")
    return list(wide.index), list(wide.iloc[:, 0]), list(wide.iloc[:, 1])


@pytest.mark.slow
def test_random_signs_agree_with_exact_enumeration() -> None:
    """Over 200 sets of values, the sum of the squared standardised errors of p follows a chi-square distribution."""
    stats = pytest.importorskip("scipy.stats")
    chance, sets, replicates = np.random.default_rng(4), 200, 2_048
    d = chance.normal(0.15, 0.5, (sets, 32)).round(3)
    values = [[(f"{n} {q}", s, (s == "b") * x) for s in "ab" for q, x in enumerate(row)] for n, row in enumerate(d)]
    options: dict[str, Any] = {"test": "randomization", "adjust": "none", "replicates": replicates}
    found = ltr_sql.compare(
        table_of(values, "m"), values=True, keys=["number"], allow_empty=True, **options, details=True
    )
    exact = np.array([oracle.randomization_exact_p(list(row)) for row in d])
    hits = found["p"].to_numpy() * (replicates + 1) - 1
    z = (hits - replicates * exact) / np.sqrt(replicates * exact * (1 - exact))
    assert stats.chi2.sf((z**2).sum(), sets) > 0.001
    assert np.abs(z).max() < 4.5


# Degenerate and invalid input

Columns = dict[str | None, dict[str, Any]]
NO_P = dict.fromkeys(("statistic", "dz", "gz", "p", "p_adjusted", "queries_needed"))
NO_INTERVAL = dict.fromkeys(("confidence", "low", "high", "uncorrected_low", "relative_low"))
NOTHING = NO_P | dict.fromkeys(("mean_a", "mean_b", "difference", "relative", "sd", "low", "high"))
FEW = {"verdict": "too few queries"}
STEPS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]


def shifted(values: Sequence[float], by: float) -> list[float]:
    return [value + by for value in values]


def but_t(**columns: Any) -> Columns:
    """Return the columns of each test except t."""
    return {test: columns for test in procedures("test") if test != "t"}


# Values of a and b, and the columns of each test. None stands for all tests.
DEGENERATE: dict[str, tuple[Sequence[float | None], Sequence[float | None], Columns]] = {
    "one query": (
        [0.2],
        [0.5],
        {
            None: {"difference": 0.3, "sd": 0.0, "low": None, "high": None, "dz": None, "mde": None, **FEW},
            "t": {**NO_P, "df": None},
            **but_t(p=1.0),
        },
    ),
    "two queries": ([0.2, 0.4], [0.5, 0.5], {None: {"gz": 0.0, **FEW}, "t": {"df": 1.0, "statistic": 2.0}}),
    "no common query": (
        [0.1, None],
        [None, 0.2],
        {None: {**NOTHING, "queries": 0, "only_a": 1, "only_b": 1, "superiority": None, "verdict": "no values"}},
    ),
    "equal": (
        [0.1 + 0.2, 0.5, 0.6, 0.7, 0.8, 0.9],
        [0.3, 0.5, 0.6, 0.7, 0.8, 0.9],
        {
            None: {"difference": 0.0, "low": 0.0, "high": 0.0, "sd": 0.0, "p": 1.0, "p_adjusted": 1.0, "ties": 6}
            | {"relative": 0.0, "queries_needed": None, "superiority": 0.5, "verdict": "equal"},
            "t": {"statistic": None, "dz": None},
        },
    ),
    "one query, equal": ([0.5], [0.5], {None: {"difference": 0.0, "p": 1.0, "verdict": "equal"}}),
    "all values 0": ([0.0] * 6, [0.0] * 6, {None: {"difference": 0.0, "relative": None, "verdict": "no values"}}),
    "one system is 0": (STEPS, [0.0] * 6, {None: {"difference": -0.35, "verdict": "no values"}}),
    "constant difference, 6 queries": (
        STEPS,
        shifted(STEPS, 0.1),
        {
            None: {"difference": 0.1, "low": 0.1, "high": 0.1, "sd": 0.0, "dz": None, "mde": 0.0, "verdict": "better"},
            "t": NO_P,
            **but_t(p=2**-5, p_adjusted=2**-5),
        },
    ),
    "constant loss, 6 queries": (STEPS, shifted(STEPS, -0.1), {None: {"low": -0.1, "verdict": "worse"}}),
    "constant difference, 5 queries": (
        STEPS[:5],
        shifted(STEPS[:5], 0.1),
        {"t": {**NO_P, **NO_INTERVAL, "verdict": "undecided"}, **but_t(p=2**-4, low=0.1, **FEW)},
    ),
    "constant difference, 4 queries": (
        STEPS[:4],
        shifted(STEPS[:4], 0.1),
        {None: FEW, "t": {**NO_P, **NO_INTERVAL}, **but_t(low=0.1)},
    ),
    "NULL": ([0.1, None, 0.3, 0.5], [0.2, 0.5, 0.6, None], {None: {"queries": 2, "only_a": 1, "only_b": 1}}),
    "mean of a is 0": (
        [-0.1, 0.1, 0.2, -0.2, 0.3, -0.3],
        [0.1, 0.2, 0.1, 0.3, 0.4, 0.2],
        {None: dict.fromkeys(("relative", "relative_low", "relative_high")) | {"mean_a": 0.0, "queries": 6}},
    ),
    "mean difference is 0": (
        [0.1, 0.3, 0.5, 0.7, 0.2, 0.4],
        [0.3, 0.1, 0.7, 0.5, 0.4, 0.2],
        {
            None: {"difference": 0.0, "p": 1.0, "queries_needed": None, "verdict": "undecided"},
            "t": {"statistic": 0.0},
        },
    ),
    "one of ten differs": (
        [0.5] * 10,
        [0.5] * 9 + [0.7],
        {
            "t": {"statistic": 1.0, "p": 0.3434363961379136, "verdict": "undecided"},
            **but_t(p=1.0, **FEW),
        },
    ),
    "five of ten differ": ([0.5] * 10, [0.5] * 5 + [0.7] * 5, but_t(p=2**-4, **FEW)),
    "six of ten differ": (
        [0.5] * 10,
        [0.5] * 4 + [0.7] * 6,
        but_t(p=2**-5, verdict="better"),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
def test_degenerate_values(test: str, con: duckdb.DuckDBPyConnection) -> None:
    """The cases in Python and SQL, each as a stratum, against the table and the oracle."""
    sets = [
        [(f"q{q}", system, value) for system, values in (("a", a), ("b", b)) for q, value in enumerate(values)]
        for a, b, _ in DEGENERATE.values()
    ]
    in_python = check(sets, test=test)
    con.register("degenerate", table_of(sets, "m"))
    in_sql = con.execute(
        f"from ltr.compare_values('degenerate', keys := ['number'], test := '{test}', details := true)"
    ).df()
    for found in (in_python, records(in_sql)):
        for row, (name, (_, _, columns)) in zip(found, DEGENERATE.items(), strict=True):
            for column, expected in {**columns.get(None, {}), **columns.get(test, {})}.items():
                assert_same(row[column], expected, f"{column} of {name} with {test}")


def pair_of(a: Sequence[float | None], b: Sequence[float | None], **options: Any) -> dict[str, Any]:
    queries = [*range(len(a)), *range(len(b))]
    frame = pd.DataFrame({"system": ["a"] * len(a) + ["b"] * len(b), "query_id": queries, "m": [*a, *b]})
    (row,) = records(ltr_sql.compare(frame.astype({"m": float}), values=True, details=True, **options))
    return row


def test_a_constant_difference_has_no_p_of_the_t_test() -> None:
    with pytest.warns(InputWarning, match=r"m of a and b differs by \+0\.1 on every query.*test='sign'"):
        pair_of(STEPS, shifted(STEPS, 0.1))


@pytest.mark.slow
def test_two_systems_in_tukey_are_the_t_test() -> None:
    values = [0.1, 0.4, 0.3, 0.7, 0.6, 0.2]
    row = pair_of(values, [0.2, 0.3, 0.6, 0.9, 0.7, 0.4], adjust="tukey")
    assert row["p_adjusted"] == pytest.approx(row["p"], abs=1e-10)
    assert (row["low"], row["confidence"]) == (pytest.approx(row["uncorrected_low"], abs=1e-10), pytest.approx(0.95))


def test_undefined_values_leave_the_pair_and_are_counted() -> None:
    with pytest.warns(InputWarning, match="1 of b alone"):
        row = pair_of([0.1, None, 0.3, 0.5], [0.2, 0.5, 0.6, 0.6])
    assert (row["queries"], row["only_a"], row["only_b"]) == (3, 0, 1)


def test_values_that_are_not_finite_are_refused_in_sql(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "create table infinite as from (values ('a', 1, 0.5), ('b', 1, 'nan'::double)) as v(system, query_id, m)"
    )
    named = "the value of system b, query 1 and measure m is not a finite number"
    for call in ("compare_values('infinite')", "wins('infinite', 'a', 'b', 'm')"):
        with pytest.raises(duckdb.Error, match=named):
            con.execute(f"from ltr.{call}").fetchall()


@pytest.mark.slow
def test_values_up_to_the_limit_are_compared_as_small_ones_are(con: duckdb.DuckDBPyConnection) -> None:
    chance = np.random.default_rng(5)
    rows = [
        (system, str(q), x)
        for system in "ab"
        for q, x in enumerate(chance.uniform(-0.5, 0.4, 30) + (system == "b") / 2)
    ]
    small = pd.DataFrame(rows, columns=["system", "query_id", "m"])
    small.loc[0, "m"] = -1.0
    large = small.assign(m=small["m"] * 1e50)
    sizes = {"mean_a", "mean_b", "difference", "sd", "low", "high", "uncorrected_low", "uncorrected_high", "mde"}
    for options in (
        {},
        {"ci": "bca"},
        {"ci": "abc"},
        {"margin": "1%"},
        {"weights": {str(q): q + 1 for q in range(30)}},
    ):
        scale = {"weights": {str(q): (q + 1) / 30 * 1e100 for q in range(30)}} if "weights" in options else options
        (found,), (wanted,) = (
            records(ltr_sql.compare(table, values=True, **given, details=True))
            for table, given in ((large, scale), (small, options))
        )
        for name, value in wanted.items():
            expected = value * 1e50 if name in sizes else value
            assert found[name] == (pytest.approx(expected, rel=1e-9) if isinstance(value, float) else value), name
    con.register("beyond", small.assign(m=small["m"] * 1.01e50))
    refused = "the value of system a, query 0 and measure m is beyond 1e50"
    for call in ("compare_values('beyond')", "leaderboard('beyond')", "wins('beyond', 'a', 'b')", "variance('beyond')"):
        with pytest.raises(duckdb.Error, match=refused):
            con.execute(f"from ltr.{call}").fetchall()
    for function in (ltr_sql.compare, ltr_sql.leaderboard, ltr_sql.variance):
        with pytest.raises(InputError, match=refused):
            function(small.assign(m=small["m"] * -1.01e50), values=True)


FRAME = pd.DataFrame({"system": ["a", "a", "b", "b"], "query_id": [1, 2, 1, 2], "m": [0.1, 0.2, 0.3, 0.5]})
REFUSED: list[tuple[str, pd.DataFrame, dict[str, Any]]] = [
    ("not a finite number", FRAME.assign(m=[0.1, math.inf, 0.3, 0.5]), {}),
    ("given 2 times", FRAME.assign(query_id=1), {}),
    ("0 or NULL for every query", FRAME.assign(m=[0.1, 0.2, 0.0, 0.0]), {}),
    ("no query in common", FRAME.assign(query_id=[1, 2, 3, 4]), {}),
    ("names 1 system", FRAME.head(2), {}),
    ("names 0 systems", FRAME.head(0), {}),
    ("no system or no query_id", FRAME.assign(system=pd.Series(["a", "a", "b", None])), {}),
    ("missing column query_id", FRAME.drop(columns="query_id"), {}),
    ("has no column system", FRAME.drop(columns="system"), {}),
    ("no numeric column", FRAME.drop(columns="m"), {}),
    ("missing column n", FRAME, {"measures": ["n"]}),
    ("not numbers", FRAME.assign(m="x"), {"measures": ["m"]}),
    ("no system is called c: the systems are", FRAME, {"baseline": "c"}),
    ("needs a value of every system", FRAME.iloc[:3], {"adjust": "tukey"}),
    ("queries are missing", FRAME.iloc[:3], {"missing": "error"}),
    ("test must be", FRAME, {"test": "z"}),
    ("test must be", FRAME, {"test": ["t"]}),
    ("adjust must be", FRAME, {"adjust": "fdr"}),
    ("corrects the t test", FRAME, {"adjust": "tukey", "test": "sign"}),
    ("ci must be", FRAME, {"ci": "z"}),
    ("family must be", FRAME, {"family": "m"}),
    ("missing must be", FRAME, {"missing": "drop"}),
    ("confidence must be", FRAME, {"confidence": 95}),
    ("margin must be", FRAME, {"margin": "1 percent"}),
    ("margin must be", FRAME, {"margin": -0.1}),
    ("replicates must be", FRAME, {"replicates": 10}),
    ("seed must be", FRAME, {"seed": -1}),
    ("lower_is_better names", FRAME, {"lower_is_better": ["latency"]}),
    ("doc_id", FRAME.assign(doc_id="d"), {}),
    ("needs no judgments", FRAME, {"qrels": {"q": {"d": 1}}}),
    ("only be one of", FRAME, {"keys": ["m"], "repeats": ["m"]}),
]


@pytest.mark.default(
    "has no column system",
    "lower_is_better names",
    "missing column n",
    "not numbers",
    "names 0 systems",
    "no system or no query_id",
    "names 1 system",
)
@pytest.mark.parametrize(("message", "frame", "options"), REFUSED, ids=[message for message, *_ in REFUSED])
def test_bad_input_is_refused(message: str, frame: pd.DataFrame, options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=message):
        ltr_sql.compare(frame, values=True, **options)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["RR", "rr@10", "nDCG(gain=exponential)@5", "AP"])
def test_the_direction_of_a_measure_is_not_inverted(measure: str, con: duckdb.DuckDBPyConnection) -> None:
    values = table_of(random_sets(3, sets=1, complete=True), measure).drop(columns="number")
    message = rf"lower_is_better names {re.escape(measure)}, a measure where higher is better"
    for call in (ltr_sql.compare, ltr_sql.leaderboard):
        with pytest.raises(InputError, match=message):
            call(values, values=True, lower_is_better=[measure])
    con.register("given", values)
    for macro in ("compare_values", "leaderboard"):
        with pytest.raises(duckdb.Error, match=message):
            con.execute(f"from ltr.{macro}('given', '{measure}', lower_is_better := ['{measure}'])")


@pytest.mark.default("RR-5-False")
@pytest.mark.parametrize(
    ("measure", "margin", "allowed"),
    [
        ("RR", 5, False),
        ("nDCG@10", 1, False),
        ("RankingLoss", 1, False),
        ("nDCG@10", 0.99, True),
        ("DCG@10", 5, True),
    ],
)
def test_a_margin_beyond_the_range_of_a_measure_is_refused(
    measure: str, margin: float, allowed: bool, con: duckdb.DuckDBPyConnection
) -> None:
    values = table_of(random_sets(3, sets=1, complete=True), measure).drop(columns="number")
    con.register("given", values)
    message = f"margin must be below 1, the largest possible difference of {measure}, got {float(margin)}"
    with contextlib.nullcontext() if allowed else pytest.raises(InputError, match=message):
        ltr_sql.compare(values, values=True, margin=margin)
    with contextlib.nullcontext() if allowed else pytest.raises(duckdb.Error, match=message):
        con.execute(f"from ltr.compare_values('given', margin := {margin})").fetchall()


@pytest.mark.default("RR of clicks")
@pytest.mark.parametrize("measure", ["RankingLoss", "P 95", "RR of clicks", "latency"])
def test_the_caller_says_the_direction_of_other_values(measure: str) -> None:
    values = pd.DataFrame({"query_id": [1, 1], "system": ["a", "b"], measure: [0.4, 0.3]})
    (row,) = records(ltr_sql.compare(values, values=True, lower_is_better=[measure], details=True))
    assert (row["wins"], row["losses"]) == (1, 0)


@pytest.mark.default("wins-None-4", "wins-error-None")
@pytest.mark.parametrize(("missing", "queries"), [(None, 4), ("zero", 4), ("skip", 3), ("error", None)])
@pytest.mark.parametrize("call", ["compare", "leaderboard", "wins"])
def test_missing_applies_to_judged_queries_that_a_run_lacks(
    call: str, missing: str | None, queries: int | None
) -> None:
    qrels = {f"q{i}": {"x": 1, "y": 0} for i in range(4)}
    whole = {query: {"x": 1.0, "y": float(query > "q1") * 2} for query in qrels}
    runs = {"a": whole, "b": {query: {"x": 1.0, "y": 0.5} for query in [*qrels][:3]}}
    arguments = (["RR"],) if call != "wins" else ("a", "b", "RR")
    given: dict[str, Any] = {"qrels": qrels, "missing": missing, "check": False}
    given |= {"details": True} if call == "compare" else {}
    if queries is None and call != "wins":
        with pytest.raises(
            InputError, match=r"queries are missing \(RR\): a and b have 3 queries in common, 1 are only in the first"
        ):
            getattr(ltr_sql, call)(runs, *arguments, **given)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        found = getattr(ltr_sql, call)(runs, *arguments, **given)
    of_b = found.query("system == 'b'") if call == "leaderboard" else found
    assert (len(found) if call == "wins" else of_b["queries"].iloc[0]) == (queries or 3)


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["expected", "docid_desc"])
def test_a_key_may_have_the_name_of_a_measure_that_the_call_does_not_name(ties: str) -> None:
    rows = [(s, q, d, float((s == "b") == (d == "x"))) for s in "ab" for q in ("q1", "q2") for d in "xy"]
    run = pd.DataFrame(rows, columns=["judged@10", "query_id", "doc_id", "score"])
    qrels = {"q1": {"x": 1}, "q2": {"x": 1}}
    for key, compared in (("numret", "judged@10"), ("Judged@10", "numret")):
        given = run.rename(columns={"judged@10": compared}).assign(**{key: "k"})
        (row,) = ltr_sql.compare(given, ["RR"], qrels=qrels, keys=[key], compared=compared, ties=ties).to_dict(
            "records"
        )
        assert (row[key], row["system_a"], row["difference"]) == ("k", "a", 0.5)


@pytest.mark.parametrize(
    ("sd", "difference"), [(0, 1), (1, 0), (-1, 1), (math.nan, 1), (1, math.inf), (1e51, 1), (1, -1e51)]
)
def test_queries_needed_refuses_impossible_values(con: duckdb.DuckDBPyConnection, sd: float, difference: float) -> None:
    with pytest.raises(InputError, match="must be a number"):
        ltr_sql.queries_needed(sd, difference)
    with pytest.raises(duckdb.Error, match="must be a number"):
        con.execute(f"from ltr.queries_needed(sd := '{sd}'::double, difference := '{difference}'::double)")


def test_an_effect_beyond_the_range_of_doubles_needs_two_queries() -> None:
    assert ltr_sql.queries_needed(1e-308, 1e50) == 2


def test_properties_of_a_comparison() -> None:
    rows = records(
        ltr_sql.compare(
            table_of(random_sets(9, sets=30), "m"),
            values=True,
            keys=["number"],
            adjust="none",
            allow_empty=True,
            details=True,
        )
    )
    for row in rows:
        if row["p"] is not None and row["sd"]:
            assert (row["low"] > 0 or row["high"] < 0) == (row["p"] < 0.05)
            assert row["p"] > 0


@pytest.mark.parametrize(
    ("adjust", "family"),
    [
        pytest.param(name, family, marks=() if (name, family) == ("holm", "measure") else pytest.mark.slow)
        for name, family in [*((name, "measure") for name in sorted(procedures("adjust"))), ("holm", "all")]
    ],
)
def test_the_interval_and_the_verdict_agree(adjust: str, family: str) -> None:
    """The interval of the t test excludes 0 if and only if the verdict, which is corrected, shows a difference."""
    table = table_of(random_sets(21, sets=25, complete=True, systems=5), "m")
    table["n"] = table["m"] ** 2
    given: dict[str, Any] = {"values": True, "keys": ["number"], "adjust": adjust, "family": family}
    rows = records(ltr_sql.compare(table, **given, allow_empty=True, details=True))
    decided = [row for row in rows if row["verdict"] in ("better", "worse", "undecided")]
    for row in decided:
        excludes = row["low"] is not None and not row["low"] <= 0 <= row["high"]
        assert excludes == (row["verdict"] != "undecided"), row
        if row["low"] is not None:
            assert row["low"] <= row["uncorrected_low"] + 1e-12 or adjust == "tukey"
            if row["relative_low"] is not None and row["mean_a"] > 0:
                assert excludes == (not row["relative_low"] <= 0 <= row["relative_high"]), row
    contradicted = [
        row
        for row in decided
        if row["low"] is not None
        and (row["uncorrected_low"] <= 0 <= row["uncorrected_high"]) != (row["low"] <= 0 <= row["high"])
    ]
    assert bool(contradicted) == (adjust != "none"), "a correction must matter for some pair"


@pytest.mark.slow
def test_tukey_quantiles_are_those_of_scipy(con: duckdb.DuckDBPyConnection) -> None:
    stats = pytest.importorskip("scipy.stats")
    for alpha, m, df in ((0.05, 3, 8), (0.01, 5, 36), (0.5, 28, 1000), (0.2, 4, 1)):
        ((q, p),) = con.execute(
            "select q, ltr.tukey_p(q, $m, $df) from (select ltr.tukey_quantile($a, $m, $df) as q)",
            {"a": alpha, "m": m, "df": df},
        ).fetchall()
        assert p == pytest.approx(alpha, abs=1e-12)
        assert q == pytest.approx(oracle.tukey_quantile(alpha, m, df), rel=1e-9)
        # The quantile of scipy is accurate to about 1e-9.
        assert q == pytest.approx(stats.studentized_range.ppf(1 - alpha, m, df), rel=1e-8)


def test_every_procedure_is_documented() -> None:
    page = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    for option in comparisons.OPTIONS:
        for name, procedure in procedures(option).items():
            assert f"`{name}`" in page, f"docs/compare.md lacks {option} {name}"
            assert procedure.summary.endswith(".")
            assert procedure.reference
    for distribution in probabilities().values():
        assert distribution.reference and distribution.summary.endswith((".", "df >= 1."))


@pytest.mark.slow
def test_bca_of_large_values_in_any_order() -> None:
    """One call compares values in three units and six orders, which are keys."""
    # Few different values: many means of replicates equal the mean, up to the last bits.
    rng = np.random.default_rng(3)
    rows = pd.DataFrame(
        {
            "system": ["a"] * 12 + ["b"] * 12,
            "query_id": [f"q{i:02}" for i in range(12)] * 2,
            "value": [0.0] * 12 + [0.1 + 0.7 * (i % 2) for i in range(12)],
        }
    )
    orders = [rows, *(rows.sample(frac=1, random_state=int(rng.integers(1000))) for _ in range(5))]
    tables = pd.concat(
        table.assign(value=table["value"] * scale, scale=scale, number=number)
        for scale in (1e5, 1.0, 1e9)
        for number, table in enumerate(orders)
    )
    options: dict[str, Any] = {"values": True, "allow_empty": True, "ci": "bca", "resamples": 200}
    found = ltr_sql.compare(tables, ["value"], keys=["scale", "number"], **options)
    small = ltr_sql.compare(rows, ["value"], **options)[["low", "high"]].to_numpy()
    assert len(found) == 18
    for interval in found[["low", "high"]].div(found["scale"], axis=0).to_numpy():
        assert [interval] == pytest.approx(small, abs=1e-9)


@pytest.mark.parametrize("size", [1.0, 1e5, 1e9])
def test_large_values_without_error_have_no_f(size: float) -> None:
    rows = [(s, f"q{q}", (0.1 * q + 0.07 * i) * size) for q in range(7) for i, s in enumerate("abc")]
    found = ltr_sql.variance(pd.DataFrame(rows, columns=["system", "query_id", "m"]), values=True)
    assert found["ss"].tolist()[2] == 0
    assert found["f"].isna().all()


# Results in the units of the values.
OF_SIZE = {
    "uncorrected_low",
    "uncorrected_high",
    *("mean_a", "mean_b", "difference", "sd", "low", "high", "mde", "mean", "sd_repeats", "a", "b", "running_sum"),
    "leverage",
}
SIZES = [1e9, 1.0, 1e5, 1e40]
OPTIONS_IN_ANY_ORDER: list[tuple[str, dict[str, Any]]] = [
    *(("compare", {"test": test, "replicates": 200}) for test in ("t", "sign", "wilcoxon", "randomization")),
    ("compare", {"margin": "2%"}),
    ("compare", {"adjust": "tukey", "ci": "abc"}),
    ("leaderboard", {"resamples": 100}),
    ("wins", {}),
    ("variance", {}),
]


def in_any_order() -> pd.DataFrame:
    """Return values in steps of 0.1, with three seeds: equal means and differences differ in their last bits.

    System b is a with the seeds exchanged, c is better by 0.1 on every query, and e exchanges the queries of d.
    """
    chance, rows = random.Random(8), []
    steps = [[chance.randint(1, 7) / 10 for _ in range(3)] for _ in range(10)]
    others = [[chance.randint(1, 7) / 10 for _ in range(3)] for _ in range(10)]
    for query, (values, other) in enumerate(zip(steps, others, strict=True)):
        back = others[-1 - query]
        of_systems = {"a": values, "b": values[::-1], "c": [v + 0.1 for v in values], "d": other, "e": back}
        rows += [(s, f"q{query}", seed, v) for s, found in of_systems.items() for seed, v in enumerate(found)]
    return pd.DataFrame(rows, columns=["system", "query_id", "seed", "m"])


@pytest.mark.default("variance-{}")
@pytest.mark.filterwarnings("ignore:m of")
@pytest.mark.parametrize(("call", "options"), OPTIONS_IN_ANY_ORDER, ids=str)
def test_large_values_in_any_order(call: str, options: dict[str, Any]) -> None:
    """One call compares all tables, which are keys: the first as it is, the others in other units and orders."""
    table, systems = in_any_order(), ("d", "e") if call == "wins" else ()
    sizes = {"as it is": 1.0} | {f"{size} in order {seed}": size for size in SIZES for seed in range(3)}
    ordered = [table, *(table.sample(frac=1, random_state=i % 3) for i in range(len(sizes) - 1))]
    tables = pd.concat(
        rows.assign(table=name, m=rows["m"] * size) for rows, (name, size) in zip(ordered, sizes.items(), strict=True)
    )
    options = {"repeats": ["seed"], "keys": ["table"], **({"details": True} if call == "compare" else {}), **options}
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in sizes}
    for row in records(getattr(ltr_sql, call)(tables, *systems, ["m"], values=True, **options)):
        found[row.pop("table")].append(row)
    wanted = found.pop("as it is")
    assert wanted
    if call == "compare" and "margin" not in options:
        of_test = {name: value for name, value in options.items() if name not in ("repeats", "keys", "details")}
        for size in SIZES:
            averaged = oracle.average_repeats(
                [(r["query_id"], r["system"], r["seed"], r["m"] * size) for r in records(table)]
            )
            for row, of_oracle in zip(wanted, oracle.compare({"m": averaged}, **of_test), strict=True):
                for name in ("wins", "ties", "losses", "verdict", "queries_needed", "p", "p_adjusted"):
                    assert_same(row[name], getattr(of_oracle, name), name, 1e-9)
    for of_table, rows in found.items():
        size = sizes[of_table]
        for row, expected in zip(rows, wanted, strict=True):
            for name, value in expected.items():
                unit = size if name in OF_SIZE or (name, options.get("test")) == ("statistic", "randomization") else 1
                unit = size * size if name in ("ss", "ms", "variance") else unit
                same = pytest.approx(value, rel=1e-6, abs=1e-9) if isinstance(value, float) else str(value)
                assert (row[name] / unit if isinstance(value, float) else str(row[name])) == same, (name, row, expected)
