"""Trend over periods: SQL and Python against the oracle, scipy, `compare` and `distribution`, and simulated drifts."""

import datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]
from support.places import EXAMPLE_DATA
from support.strategies import drawn

import ltr_sql
from ltr_sql import InputError
from ltr_sql.command_line.main import main
from ltr_sql.oracle import comparison as oracle

MEASURES = ("m", "latency", "GMAP")
COLUMNS = (
    *("mean", "low", "high", "queries", "previous", "gap", "pairing", "common", "new_queries", "difference"),
    *("difference_low", "difference_high", "mix", "p", "p_adjusted", "verdict"),
)

# Options of a call, and values of one measure by data set, country, week and query.
OPTIONS: list[tuple[float, str]] = [(0.95, "bonferroni"), (0.95, "holm"), (0.8, "none"), (0.9, "bh")]
Row = tuple[int, str, int, str, float | None]


@st.composite
def periods(draw: st.DrawFn) -> list[Row]:
    """Draw data sets of the weeks of one call: ties, NULLs, gaps, weeks without common queries."""
    number = st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0]) | st.floats(0, 1) | st.none()
    rows: list[Row] = []
    weeks = draw(st.sampled_from([[1, 2, 3, 5, 6, 9], [2], [1, 2, 3, 5], [1, 3, 5, 9], [2, 6]]))
    for data_set in range(6):
        for week in draw(st.permutations(weeks))[: draw(st.integers(1, 6))]:
            for country in draw(st.sampled_from([["de"], ["de", "uk"]])):
                low, high = draw(st.sampled_from([(0, 8), (0, 20), (4, 9), (20, 32)]))
                constant = draw(st.sampled_from([None, None, None, 0.5]))
                shift = draw(st.sampled_from([0.0, 0.3]))
                for q in range(low, high):
                    if draw(st.booleans()) or q % 2:
                        value = draw(number) if constant is None else constant
                        rows.append((data_set, country, week, f"q{q}", None if value is None else value + shift))
    return rows


def plain(value: Any) -> Any:
    return None if pd.isna(value) else value


def assert_equals_oracle(found: pd.DataFrame, rows: list[Row], confidence: float, adjust: str) -> None:
    """Compare the rows of each data set, country and measure, all of which have the same values."""
    places = {float(week): float(week) for _, _, week, *_ in rows}
    expected = {
        (*keys, period.period, measure): period
        for keys in sorted({row[:2] for row in rows})
        for measure in MEASURES
        for period in oracle.trend(
            [(q, float(week), v) for *of, week, q, v in rows if (*of,) == keys],
            places=places,
            adjust=adjust,
            confidence=confidence,
            lower=measure == "latency",
            geometric=measure == "GMAP",
        )
    }
    keys = [(*key,) for key in found[["data_set", "country", "week", "measure"]].itertuples(index=False)]
    assert keys == [*expected]
    for key, row in zip(keys, found.to_dict("records"), strict=True):
        for name in COLUMNS:
            value, wanted = plain(row[name]), getattr(expected[key], name)
            assert value == (
                wanted if isinstance(wanted, str | None) else pytest.approx(wanted, rel=1e-10, abs=1e-12)
            ), (name, row, expected[key])


@pytest.mark.slow
def test_random_periods_equal_the_oracle(con: duckdb.DuckDBPyConnection) -> None:
    """Each call has several data sets, which are keys, and the weeks of the call decide what a gap is."""
    for i, rows in enumerate(drawn(periods(), 5)):
        confidence, adjust = OPTIONS[i % 4]
        table = pd.DataFrame(rows, columns=["data_set", "country", "week", "query_id", "m"]).astype({"m": float})
        table = table.assign(latency=table["m"], GMAP=table["m"])
        options: dict[str, Any] = {"keys": ["data_set", "country"], "confidence": confidence, "adjust": adjust}
        found = ltr_sql.trend(table, values=True, lower_is_better=["latency"], **options)
        assert_equals_oracle(found, rows, confidence, adjust)
        con.register("nights", table)
        by_sql = con.execute(
            "from ltr.trend('nights', by := 'week', keys := ['data_set', 'country'], lower_is_better := ['latency'], "
            f"confidence := {confidence}, adjust := '{adjust}')"
        ).df()
        pd.testing.assert_frame_equal(by_sql, found)


def shop(weeks: int = 10, *, drift: float = 0.0, mix: float = 0.0, seed: int = 1) -> pd.DataFrame:
    """Return values of the queries of a shop by week and country.

    From week 7 on, all values are lower by `drift`, and a share `mix` of the queries are new and hard.
    """
    source = np.random.default_rng(seed)
    level = source.beta(3, 2, 500)
    rows = []
    for week in range(1, weeks + 1):
        easy = source.choice(400, 200, replace=False)
        hard = 400 + source.choice(100, 80, replace=False)
        queries = easy if week < 7 else np.concatenate([easy[: round(200 * (1 - mix))], hard[: round(200 * mix)]])
        for q in queries:
            base = level[q] - (0.3 if q >= 400 else 0)
            value = base + source.normal(0, 0.05) - (drift if week >= 7 else 0)
            rows.append((f"2026-W{week:02}", "de" if q % 3 else "uk", f"q{q}", float(np.clip(value, 0, 1))))
    return pd.DataFrame(rows, columns=["week", "country", "query_id", "nDCG@10"])


@pytest.mark.slow
def test_a_drift_is_found_and_a_changed_mix_is_not_called_worse() -> None:
    drifted = ltr_sql.trend(shop(drift=0.03), values=True)
    assert drifted.loc[drifted["verdict"].isin(["better", "worse"]), ["week", "verdict"]].values.tolist() == [
        ["2026-W07", "worse"]
    ]
    mixed = ltr_sql.trend(shop(mix=0.4), values=True).set_index("week")
    assert mixed["mean"]["2026-W07"] < mixed["mean"]["2026-W06"] - 0.05
    assert set(mixed["verdict"].dropna()) == {"undecided"}
    assert mixed["mix"]["2026-W07"] < -0.05
    assert mixed["new_queries"]["2026-W07"] > 0.4


@pytest.mark.slow
def test_false_alarms_are_rare_and_drifts_are_found() -> None:
    """Holm keeps the chance of any false alarm among nine differences at 5 %, also if the mix changes."""
    runs = 60
    # One call compares all repeats: each is a key.
    quiet = ltr_sql.trend(
        pd.concat([shop(mix=0.4, seed=seed).assign(seed=seed) for seed in range(runs)]), values=True, keys=["seed"]
    )
    loud = ltr_sql.trend(
        pd.concat([shop(drift=0.03, seed=seed).assign(seed=seed) for seed in range(runs)]), values=True, keys=["seed"]
    )
    assert len(quiet) == len(loud) == 10 * runs
    false = quiet.loc[quiet["verdict"].isin(["better", "worse"]), "seed"].nunique()
    found = (loud.loc[loud["week"] == "2026-W07", "verdict"] == "worse").sum()
    assert false <= stats.binom.ppf(0.9999, runs, 0.05)
    # The power of this design is about 0.89.
    assert found >= 0.75 * runs


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_equals_compare_and_distribution_by_country() -> None:
    values = shop(6, drift=0.03, mix=0.3)
    values = values[values["week"] != "2026-W04"]
    found = ltr_sql.trend(values, values=True, keys=["country"], adjust="none").set_index(["country", "week"])
    weeks = sorted(set(values["week"]))
    for country in ("de", "uk"):
        for before, week in zip([None, *weeks], weeks, strict=False):
            row = found.loc[country, week]
            own = values[(values["country"] == country) & (values["week"] == week)]
            low, high = stats.t.interval(0.95, len(own) - 1, own["nDCG@10"].mean(), stats.sem(own["nDCG@10"]))
            assert [row["mean"], row["low"], row["high"]] == pytest.approx(
                [own["nDCG@10"].mean(), low, high], abs=1e-12
            )
            assert row["queries"] == len(own)
            if before is None:
                continue
            pair = values[(values["country"] == country) & values["week"].isin([before, week])]
            (other,) = ltr_sql.compare(pair, values=True, compared="week", adjust="none", details=True).to_dict(
                "records"
            )
            for name, theirs in {"common": "queries", "difference_low": "low", "difference_high": "high"}.items():
                assert row[name] == pytest.approx(other[theirs], abs=1e-12)
            assert row["verdict"] == other["verdict"]
            assert [row["difference"], row["p"]] == pytest.approx([other["difference"], other["p"]], abs=1e-12)
            assert row["gap"] == (week == "2026-W05")
            assert row["previous"] == before


def test_weeks_without_common_queries_equal_welch() -> None:
    values = shop(2)
    values.loc[values["week"] == "2026-W02", "query_id"] += "x"
    a, b = (values.loc[values["week"] == f"2026-W0{w}", "nDCG@10"] for w in (1, 2))
    row = ltr_sql.trend(values, values=True).iloc[1]
    expected = stats.ttest_ind(b, a, equal_var=False)
    interval = expected.confidence_interval()
    assert row["pairing"] == "unpaired"
    assert [row["difference"], row["p"]] == pytest.approx([b.mean() - a.mean(), expected.pvalue], abs=1e-12)
    assert [row["difference_low"], row["difference_high"]] == pytest.approx([*interval], abs=1e-9)
    assert [row["common"], row["new_queries"], plain(row["mix"])] == [0, 1, None]


@pytest.mark.parametrize(("queries", "bound"), [(5, None), (6, 0.25)])
def test_equal_differences_have_an_interval_from_six_queries_on(queries: int, bound: float | None) -> None:
    """All signs of n differences are equal by chance with the probability 2^(1 - n), which is below 5% from 6 on."""
    rows = [(f"q{q}", week, q / 8 + week / 4) for week in (1.0, 2.0) for q in range(queries)]
    table = pd.DataFrame(rows, columns=["query_id", "week", "AP"])
    found = ltr_sql.trend(table, values=True).iloc[1]
    expected = oracle.trend(rows, places={1.0: 1.0, 2.0: 2.0})[1]
    for row in (found, expected):
        assert row.difference == 0.25
        assert [plain(row.difference_low), plain(row.difference_high)] == [bound, bound]


@pytest.mark.default("names1-gaps1")
@pytest.mark.parametrize(
    ("names", "gaps"),
    [
        ([1, 2, 4], [False, True]),
        ([0.5, 1.0, 2.5], [False, True]),
        ([datetime.date(2026, 1, 31), datetime.date(2026, 2, 1), datetime.date(2026, 2, 3)], [False, True]),
        ([datetime.datetime(2026, 1, 1, 6), datetime.datetime(2026, 1, 1, 7)], [False]),
        (["2026-W52", "2026-W53", "2027-W01", "2027-W03"], [False, False, True]),
        (["2025-12", "2026-01", "2026-02", "2026-04"], [False, False, True]),
        (["2025-Q4", "2026-Q1", "2026-Q3"], [False, True]),
        (["2026-01-31", "2026-02-01", "2026-02-03"], [False, True]),
    ],
)
def test_periods_in_all_forms(names: list[Any], gaps: list[bool]) -> None:
    rows = [(name, f"q{q}", q / 10) for name in reversed(names) for q in range(3)]
    found = ltr_sql.trend(pd.DataFrame(rows, columns=["night", "query_id", "AP"]), values=True, by="night")
    assert [*found["night"].astype("object")] == [*pd.Series(names).astype(found["night"].dtype)]
    assert [*found["gap"]][1:] == gaps


@pytest.mark.slow
def test_bad_periods_say_what_to_do(con: duckdb.DuckDBPyConnection) -> None:
    rows = [(name, f"q{q}", q / 10) for name in ("9", "10", "x") for q in range(3)]
    values = pd.DataFrame(rows, columns=["week", "query_id", "AP"])
    said = {
        "holds x, which is not a period: pass dates, timestamps, ISO weeks such as 2026-W07": values,
        "holds 10 and 9, which sort in another order than that of time": values[values["week"] != "x"],
        "the values of week 9, query q0 and measure AP are given 2 times": pd.concat([values, values.head(1)]),
        "has no week or no query_id": values.assign(week=None),
        "the column 'week' of the periods is not in the input": values.drop(columns="week"),
    }
    for message, table in said.items():
        with pytest.raises(InputError, match=message):
            ltr_sql.trend(table, values=True)
    with pytest.raises(InputError, match=r"adjust must be 'bh', .*, got 'tukey'"):
        ltr_sql.trend(values, values=True, adjust="tukey")
    con.register("nights", values)
    with pytest.raises(duckdb.Error, match="corrects all pairs, and a trend compares"):
        con.execute("from ltr.trend('nights', adjust := 'tukey')")
    with pytest.raises(duckdb.Error, match="by must not be NULL"):
        con.execute("from ltr.trend('nights', by := null)")


def test_a_week_without_a_result_counts_as_a_fall() -> None:
    rows = [(week, f"q{q}", 0.0 if week == 2 else 0.5 + q / 100) for week in (1, 2) for q in range(12)]
    row = ltr_sql.trend(pd.DataFrame(rows, columns=["week", "query_id", "RR"]), values=True).iloc[1]
    assert (row["verdict"], row["pairing"]) == ("worse", "paired")


@pytest.mark.slow
def test_missing_queries_follow_the_judgments() -> None:
    run = pd.DataFrame(
        [(1, "q1", "a", 1.0), (1, "q2", "a", 1.0), (2, "q1", "a", 1.0)], columns=["week", "query_id", "doc_id", "score"]
    )
    qrels = pd.DataFrame([("q1", "a", 1), ("q2", "a", 1)], columns=["query_id", "doc_id", "relevance"])
    weekly = pd.DataFrame([("q1", "a", 1, 1), ("q2", "a", 1, 2)], columns=[*qrels.columns, "week"])
    asked = pd.DataFrame([(1, "q1"), (1, "q2"), (2, "q1"), (2, "q2")], columns=["week", "query_id"])
    with pytest.raises(InputError, match="query q1 in several values of week: leave the column out of the judgments"):
        ltr_sql.trend(run, ["RR"], qrels=pd.concat([weekly, weekly.assign(week=3)]))
    with pytest.warns(ltr_sql.InputWarning):
        counted = ltr_sql.trend(run[run["week"] == 1].head(1), ["RR"], qrels=weekly)
    assert [*ltr_sql.trend(run, ["RR"], qrels=qrels, check=False)["queries"]] == [2, 1]
    assert [*counted["mean"]] == [1, 0]
    assert [*ltr_sql.trend(run, ["RR"], qrels=qrels, missing="zero", check=False)["mean"]] == [1, 0.5]
    assert [*ltr_sql.trend(run, ["RR"], qrels=qrels, asked=asked)["mean"]] == [1, 0.5]


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    nights = {"2026-W01": "bm25", "2026-W02": "dense"}
    for night, name in nights.items():
        (tmp_path / f"{night}.txt").write_text((EXAMPLE_DATA / f"{name}.txt").read_text())
        arguments = ["compare", str(EXAMPLE_DATA / "qrels.txt"), str(tmp_path / f"{night}.txt"), "-m", "nDCG@5"]
        saved = CliRunner().invoke(main, [*arguments, "--save-values", str(tmp_path / f"{night}.parquet")])
        assert saved.exit_code == 0
    runs = [str(tmp_path / f"{night}.txt") for night in nights]
    expected = ltr_sql.trend(
        dict(zip(nights, runs, strict=True)), ["nDCG@5"], qrels=str(EXAMPLE_DATA / "qrels.txt"), by="system"
    )
    of_runs = CliRunner().invoke(
        main, ["trend", str(EXAMPLE_DATA / "qrels.txt"), *runs, "-m", "nDCG@5", "--format", "csv"]
    )
    tables = [str(tmp_path / f"{night}.parquet") for night in nights]
    of_values = CliRunner().invoke(main, ["trend", "--values", *tables, "--format", "csv"])
    assert of_runs.stdout.replace("system,", "week,", 1) == of_values.stdout
    last = of_values.stdout.splitlines()[-1].split(",")
    assert last[:2] == ["2026-W02", "nDCG@5"]
    assert float(last[11]) == pytest.approx(expected["difference"][1], abs=1e-12)
    shown = CliRunner().invoke(main, ["trend", "--values", *tables]).stdout
    assert "p_adjusted" in shown
    assert "difference_low" not in shown
