"""Agreement of orders of systems: SQL, Python and the oracle, scipy, and a published definition."""

import random
from typing import Any

import duckdb
import pandas as pd
import pytest
from scipy import stats  # type: ignore[import-untyped]

import ltr_sql
from ltr_sql.oracle import comparison as oracle

NAMES = ("systems", "tau", "tau_b", "tau_ap", "weighted_tau", "swapped", "shown_a", "shown_b", "contradicted")


def table_of(seed: int, *, complete: bool = False) -> pd.DataFrame:
    """Return values of two measures in two weeks, with ties, NULLs and missing rows unless they are complete."""
    source = random.Random(seed)
    rows = []
    for week in ("w1", "w2"):
        for number in range(6):
            for query in range(12):
                better = (number if week == "w1" else 5 - number) / 6
                values = [source.random() + better, source.choice([0.0, 0.5, 1.0]) - better]
                given = [None if not complete and source.random() < 0.05 else value for value in values]
                if complete or source.random() < 0.95:
                    rows.append((week, f"s{number}", f"q{query}", *given))
    return pd.DataFrame(rows, columns=["week", "system", "query_id", "AP", "latency"])


def order_of(table: pd.DataFrame, week: str, measure: str) -> oracle.Order:
    rows = table[table["week"] == week][["query_id", "system", measure]]
    values = [
        (query, system, None if pd.isna(value) else value) for query, system, value in rows.itertuples(index=False)
    ]
    return oracle.Order(values, measure == "latency")


def plain(value: Any) -> Any:
    return None if isinstance(value, float) and pd.isna(value) else value


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_sql_and_python_equal_the_oracle(seed: int, con: duckdb.DuckDBPyConnection) -> None:
    table = table_of(seed)
    con.register("scores", table)
    options = "keys := ['week'], lower_is_better := ['latency']"
    by_python = ltr_sql.system_agreement(table, values=True, keys=["week"], lower_is_better=["latency"])
    for found in (by_python, con.execute(f"from ltr.system_agreement('scores', {options})").df()):
        orders = [
            ("w1", "w1", "AP", "latency"),
            ("w1", "w2", "AP", "AP"),
            ("w1", "w2", "latency", "latency"),
            ("w2", "w2", "AP", "latency"),
        ]
        assert [*zip(*(found[n] for n in ("week_a", "week_b", "measure_a", "measure_b")), strict=True)] == orders
        for (week_a, week_b, measure_a, measure_b), (_, row) in zip(orders, found.iterrows(), strict=True):
            expected = oracle.system_agreement(order_of(table, week_a, measure_a), order_of(table, week_b, measure_b))
            for name in NAMES:
                assert plain(row[name]) == pytest.approx(plain(getattr(expected, name)), abs=1e-12), name
            assert len(row["swaps"]) == len(expected.swaps)
            for swap, of_oracle in zip(row["swaps"], expected.swaps, strict=True):
                assert dict(swap) == pytest.approx(dict(of_oracle), abs=1e-12)


def test_a_system_of_one_order_alone_does_not_count() -> None:
    """The first week lacks w, and the second one y. The others swap."""
    means = {"w1": {"x": 0.75, "y": 0.5, "z": 0.25}, "w2": {"w": 0.75, "x": 0.25, "z": 0.5}}
    rows = [(week, s, f"q{q}", mean + q / 8) for week, of in means.items() for s, mean in of.items() for q in range(2)]
    table = pd.DataFrame(rows, columns=["week", "system", "query_id", "AP"])
    found = ltr_sql.system_agreement(table, values=True, keys=["week"]).iloc[0]
    expected = oracle.system_agreement(order_of(table, "w1", "AP"), order_of(table, "w2", "AP"))
    for row in (found, expected):
        assert (row.systems, row.tau, row.swapped) == (2, -1, 1)
        assert [(swap["system_a"], swap["system_b"]) for swap in row.swaps] == [("x", "z")]


@pytest.mark.slow
def test_correlations_equal_scipy_and_the_definition_of_tau_ap() -> None:
    table = table_of(7, complete=True)
    found = ltr_sql.system_agreement(table, ["AP", "latency"], values=True, keys=["week"]).iloc[1]
    means = table.groupby(["week", "system"])["AP"].mean()
    a, b = means["w1"], means["w2"]
    assert found["tau_b"] == pytest.approx(stats.kendalltau(a, b).statistic, abs=1e-12)
    assert found["weighted_tau"] == pytest.approx(stats.weightedtau(a, b).statistic, abs=1e-12)
    # Yilmaz, Aslam and Robertson 2008: the share of the systems above system i in a that are above it in b.
    order = list(a.sort_values(ascending=False).index)
    shares = [sum(b[above] > b[system] for above in order[:i]) / i for i, system in enumerate(order) if i]
    assert found["tau_ap"] == pytest.approx(2 * sum(shares) / len(shares) - 1, abs=1e-12)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_runs_and_judgments() -> None:
    qrels = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
    runs = {
        "deep": {"q1": {"a": 3.0, "x": 2.0, "b": 1.0}, "q2": {"x": 2.0, "c": 1.0}},
        "early": {"q1": {"b": 3.0}, "q2": {"c": 2.0}},
    }
    row = ltr_sql.system_agreement(runs, ["RR", "R@3"], qrels=qrels).iloc[0]
    assert (row["measure_a"], row["measure_b"], row["systems"], row["tau"], row["swapped"]) == ("RR", "R@3", 2, -1, 1)
    (swap,) = row["swaps"]
    assert (swap["difference_a"], swap["difference_b"], swap["verdict_a"]) == (0.25, -0.25, "too few queries")


def test_one_order_is_an_error() -> None:
    with pytest.raises(ltr_sql.InputError, match="there is one order of the systems: pass several measures, or keys"):
        ltr_sql.system_agreement(
            table_of(1).drop(columns="week").drop_duplicates(["system", "query_id"]), ["AP"], values=True
        )
