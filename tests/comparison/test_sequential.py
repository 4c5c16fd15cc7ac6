"""The sequential test: golden values, the oracle, refused options, gates, and clusters and people's values."""

import math
import warnings
from pathlib import Path
from typing import Any

import duckdb
import hypothesis.strategies as st
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from support.reference_values import file_of, needs, read_table

import ltr_sql
from ltr_sql import InputError, MeasureError
from ltr_sql.command_line.main import main
from ltr_sql.oracle import comparison as oracle

GOLDEN = 1e-9


def quiet(function: Any, *given: Any, **options: Any) -> pd.DataFrame:
    """Return what a function returns, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: pd.DataFrame = function(*given, **options)
    return found


def looks() -> pd.DataFrame:
    """Return the values of the golden data: one group for each look, b with the differences and a with 0."""
    arrived = pd.DataFrame(read_table("judges/anytime_input.csv")).astype({"arrival": int, "difference": float})
    expected = pd.DataFrame(read_table("judges/anytime_expected.csv")).astype({"queries": int})
    found = []
    for case, queries in {*zip(expected["case"], expected["queries"], strict=True)}:
        seen = arrived[(arrived["case"] == case) & (arrived["arrival"] <= queries)]
        b = pd.DataFrame({"look": f"{case} {queries}", "query_id": seen["query_id"], "value": seen["difference"]})
        found += [b.assign(system="b"), b.assign(system="a", value=0.0)]
    return pd.concat(found)


@pytest.mark.slow
@needs(file_of("judges/anytime_input.csv"))
def test_p_and_intervals_are_those_of_confseq() -> None:
    expected = pd.DataFrame(read_table("judges/anytime_expected.csv"))
    values, compared = looks(), 0
    for planned, rows in expected.groupby("tightest_at"):
        how = {"values": True, "keys": ["look"], "adjust": "none", "allow_empty": True, "check": False}
        how |= {"test": "sequential", "planned": int(str(planned)), "details": True}
        two_sided = quiet(ltr_sql.compare, values, ["value"], **how).set_index("look")
        # The margin is far below the golden tolerance, so that the interval is that of one-sided tests against 0.
        one_sided = quiet(ltr_sql.compare, values, ["value"], margin=1e-12, **how).set_index("look")
        for row in rows.to_dict("records"):
            look = f"{row['case']} {row['queries']}"
            found, beyond = two_sided.loc[look], one_sided.loc[look]
            pairs = [
                (found["low"], "low"),
                (found["high"], "high"),
                (found["p"], "p"),
                (beyond["low"], "low_one_sided"),
                (found["p_not_worse"], "p_greater"),
            ]
            # Without variance, the file has no multiplier.
            for value, name in pairs[: 5 if row["multiplier"] else 3]:
                assert value == pytest.approx(float(row[name]), rel=GOLDEN, abs=GOLDEN), (look, name)
            if row["multiplier"]:
                reach = oracle.Look(int(row["queries"]), int(str(planned)), 0.05).reach(0.05)
                assert reach == pytest.approx(float(row["multiplier"]), rel=GOLDEN)
            compared += 1
    assert compared == 58


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_sql_equals_the_oracle(data: st.DataObject) -> None:
    """One call compares the systems of several samples, which are keys."""
    draw = data.draw
    number = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(-2, 3).map(lambda x: round(x, 3)))
    rows = []
    for sample, queries in enumerate([*draw(st.permutations([2, 49, 50])), 70]):
        few = draw(st.lists(number, min_size=6, max_size=6))
        rows += [
            {
                "sample": sample,
                "system": s,
                "query_id": f"q{i}",
                "m": few[(i * (k + 2) + k) % 6],
                "late": few[(i + k) % 6] + 3,
            }
            for k, s in enumerate("abc")
            for i in range(queries)
        ]
    options = draw(
        st.fixed_dictionaries(
            {"planned": st.integers(1, 5000), "confidence": st.sampled_from([0.6, 0.8, 0.95])},
            optional={
                "margin": st.sampled_from([0.1, "2%"]),
                "adjust": st.sampled_from(["none", "bh"]),
                "baseline": st.just("b"),
                "weights": st.just({f"q{i}": 1.0 + i % 3 for i in range(70)}),
            },
        )
    )
    found = quiet(
        ltr_sql.verify_comparison,
        pd.DataFrame(rows),
        values=True,
        keys=["sample"],
        test="sequential",
        lower_is_better=["late"],
        allow_empty=True,
        **options,
    )
    # Two or three pairs of systems, two measures, four samples.
    assert set(found["comparisons"]) == {(2 if "baseline" in options else 3) * 2 * 4}
    assert set(found["verdict"]) == {"equal"}, found[found["verdict"] != "equal"]


def sample(queries: int, difference: float = 0.1) -> pd.DataFrame:
    """Return values of two systems whose queries belong to sessions."""
    rows = [
        (s, f"q{i:03}", i // 4, 0.5 + 0.3 * math.sin(i * (k + 1)) + difference * k)
        for i in range(queries)
        for k, s in enumerate("ab")
    ]
    return pd.DataFrame(rows, columns=["system", "query_id", "session", "nDCG"])


@pytest.mark.slow
def test_people_and_clusters_replace_the_standard_error() -> None:
    values = sample(120)
    people = values[values["query_id"] < "q060"].assign(nDCG=lambda v: v["nDCG"] ** 2)
    for options in ({"human": people}, {"cluster": "session"}, {"human": people, "cluster": "session"}):
        of_t = quiet(ltr_sql.compare, values, ["nDCG"], values=True, details=True, **options).iloc[0]
        how: dict[str, Any] = {"test": "sequential", "planned": 200, "details": True, **options}
        row = quiet(ltr_sql.compare, values, ["nDCG"], values=True, **how).iloc[0]
        queries = 60 if "human" in options else 120
        look = oracle.Look(queries, 200, 0.05)
        error = (of_t["high"] - of_t["low"]) / 2 / oracle.t_quantile(0.05, of_t["df"])
        assert row["high"] - row["difference"] == pytest.approx(look.reach(0.05) * error, rel=1e-10)
        assert row["p"] == pytest.approx(look.p(row["difference"] / error), rel=1e-8, abs=1e-15)
        assert row["difference"] == pytest.approx(of_t["difference"], abs=1e-15) and math.isnan(row["df"])


@pytest.mark.slow
def test_macros_give_the_values_of_python() -> None:
    values = sample(60)
    con = ltr_sql.register(duckdb.connect())
    con.register("looked_at", values.drop(columns="session"))
    asked = "test := 'sequential', planned := 100"
    for macro, function in (("compare_values", ltr_sql.compare), ("leaderboard", ltr_sql.leaderboard)):
        by_macro = con.sql(f"from ltr.{macro}('looked_at', ['nDCG'], {asked})").df()
        by_python = function(values, ["nDCG"], values=True, test="sequential", planned=100)
        pd.testing.assert_frame_equal(by_macro, by_python)
    mean, look = by_python.iloc[0], oracle.Look(60, 100, 0.05)
    own = values[values["system"] == "b"]["nDCG"]
    assert mean["high"] - mean["mean"] == pytest.approx(look.reach(0.05) * own.std() / math.sqrt(60), rel=1e-12)
    for call, message in (
        ("test := 'sequential', planned := 0", "needs planned: .*, got 0"),
        ("test := 'sequential', planned := 1.5", "needs planned: .*, got 1.5"),
        (f"{asked}, ci := 'abc'", "the sequential test has an interval of its own: leave ci := 'abc' out"),
        (f"{asked}, adjust := 'tukey'", "adjust := 'tukey' corrects the t test"),
    ):
        with pytest.raises(duckdb.Error, match=message):
            con.sql(f"from ltr.compare_values('looked_at', ['nDCG'], {call})").fetchall()


def test_unfit_options_are_refused() -> None:
    values = sample(5)

    def refused(message: str, **options: Any) -> None:
        with pytest.raises(InputError, match=message):
            ltr_sql.compare(values, ["nDCG"], values=True, **options)

    for planned in (0, -3, 2.5, math.nan, "many", True):
        refused("planned must be an integer from 1 to 1,000,000,000", test="sequential", planned=planned)
    for ci in ("abc", "bca", "percentile"):
        refused(
            f"test='sequential' has an interval of its own: leave ci='{ci}' out", test="sequential", planned=9, ci=ci
        )
    refused("adjust='tukey' corrects the t test", test="sequential", planned=9, adjust="tukey")
    run = pd.DataFrame({"system": ["a", "b"], "query_id": "q", "doc_id": ["d", "e"], "rank": 1})
    with pytest.raises(MeasureError, match="'Gini' has one value for the whole run, and the sequential test needs one"):
        ltr_sql.compare(run, ["Gini"], test="sequential", planned=9)


@pytest.mark.slow
def test_verdicts_of_few_and_of_equal_queries() -> None:
    for queries, verdict in ((49, "too few queries"), (50, "better")):
        for margin in (None, 0.01):
            row = quiet(
                ltr_sql.compare,
                sample(queries, 0.9),
                ["nDCG"],
                values=True,
                test="sequential",
                planned=50,
                margin=margin,
            ).iloc[0]
            assert row["verdict"] == (verdict if margin is None or queries == 49 else "not worse")
    given: dict[str, Any] = {"values": True, "test": "sequential", "planned": 50, "details": True}
    equal = quiet(ltr_sql.compare, sample(60).assign(nDCG=0.5), **given).iloc[0]
    assert (equal["verdict"], equal["p"]) == ("equal", 1.0)
    steady = sample(60).assign(nDCG=lambda v: (v["system"] == "b") * 0.25 + 0.5)
    with pytest.warns(ltr_sql.InputWarning, match="so the sequential test has no p"):
        row = ltr_sql.compare(steady, ["nDCG"], values=True, test="sequential", planned=50, details=True).iloc[0]
    assert (row["verdict"], row["low"]) == ("better", 0.25) and math.isnan(row["p"])


def test_the_oracle_compares_systems_without_common_queries() -> None:
    values = {"m": [("q1", "a", 0.5), ("q2", "b", 0.5)]}
    (row,) = oracle.compare(values, test="sequential", planned=50)
    assert (row.queries, row.verdict, row.low, row.relative_low) == (0, "no values", None, None)


@pytest.mark.slow
def test_gates_of_the_command(tmp_path: Path) -> None:
    def called(queries: int, difference: float, *gates: str) -> Any:
        sample(queries, difference).drop(columns="session").to_csv(tmp_path / "values.csv", index=False)
        asked = [word for gate in gates for word in ("--fail-if", gate)]
        file = str(tmp_path / "values.csv")
        flags = ["--test", "sequential", "--planned", "100", "--baseline", "a"]
        return CliRunner().invoke(main, ["compare", "--values", file, *flags, *asked])

    texts = ["nDCG significantly worse", "nDCG possibly worse by > 0.2", "nDCG significantly different by > 0.01"]
    parsed = [("significantly", "worse", 0.0), ("possibly", "worse", 0.2), ("significantly", "different", 0.01)]
    for queries, difference in ((80, -0.12), (120, 0.1)):
        shown = called(queries, difference, *texts)
        values = sample(queries, difference)
        a, b = (list(values[values["system"] == s]["nDCG"]) for s in "ab")
        tests = [oracle.GateTest(a, b, *gate, planned=100) for gate in parsed]
        failed = oracle.gates_fail(tests, 0.05)
        found = [oracle.gate_p(test) for test in tests]
        corrected = oracle.adjusted([found[0], None, found[2]], "holm")
        for text, fails, p in zip(texts, failed, (corrected[0], found[1], corrected[2]), strict=True):
            assert f"{'failed' if fails else 'held'}: {text}: " in shown.output, shown.output
            assert p is not None
            assert (f"p {p:.4f}" if p >= 0.0001 else "p below 0.0001") in shown.output.split(f"{text}: ")[1]
        assert shown.exit_code == int(any(failed))
    assert "Sequential test, narrowest at 100 queries; correction by Holm" in shown.output
    few = called(49, -0.5, texts[0], "nDCG worse")
    assert few.exit_code == 2 and "not decided: nDCG significantly worse: the sequential test needs" in few.output
    assert "failed: nDCG worse" in few.output
