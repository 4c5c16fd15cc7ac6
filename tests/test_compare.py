"""Comparison of systems: SQL and Python agree with the oracle, with golden values, and refuse bad input."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, fields
from itertools import product
from typing import Any

import duckdb
import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from reference_values import named_values, needs_values, read_values
from thinned import thinned

import ltr_sql
from ltr_sql import InputError, InputWarning
from ltr_sql.language.procedures import FOLDERS, procedures
from ltr_sql.oracle import comparison as oracle
from ltr_sql.sqltext.comparisons import Choices
from ltr_sql.sqltext.distributions import distributions, expressions

Rows = list[dict[str, Any]]

# Columns that hold a quadrature, which agrees to 10 digits; all others agree to 12.
QUADRATURE = {"p_adjusted"}


def records(frame: pd.DataFrame) -> Rows:
    """Return rows as dicts, with None for NULL."""
    return [
        {name: None if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)) else value for name, value in row.items()}
        for row in frame.astype(object).to_dict("records")
    ]


def assert_same(found: Any, expected: Any, what: str, tolerance: float = 1e-12) -> None:
    if isinstance(expected, float) and isinstance(found, (int, float)):
        assert found == pytest.approx(expected, rel=tolerance, abs=tolerance), what
    elif isinstance(expected, list):
        assert list(found) == expected, what
    else:
        assert found == expected, what


def assert_rows(found: Rows, expected: list[Any], tolerance: Mapping[str, float]) -> None:
    assert len(found) == len(expected)
    for row, wanted in zip(found, expected, strict=True):
        for name, value in asdict(wanted).items():
            assert_same(row[name], value, f"{name} is {row[name]!r} and should be {value!r} in {row}", tolerance.get(name, 1e-12))


@pytest.fixture(scope="module")
def con(module_con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    return module_con


# Data: two to four systems, few queries, ties, missing queries, NULL.

numbers = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 1.0]) | st.floats(0, 1, allow_subnormal=False).map(lambda x: round(x, 6))


@st.composite
def tables(draw: st.DrawFn, complete: bool = False, systems: int = 4) -> list[oracle.Value]:
    names = [f"s{i}" for i in range(draw(st.integers(2, systems)))]
    queries = [f"q{i}" for i in range(draw(st.integers(2 if complete else 1, 12)))]
    value = numbers if complete else numbers | st.none()
    rows = [(query, name, draw(value)) for query, name in product(queries, names)]
    if complete:
        return rows
    kept = [row for row in rows if not draw(st.integers(0, 9)) == 0]
    # Every system stays in the table, or there is nothing to compare.
    return kept + [(queries[0], name, None) for name in names if not any(row[1] == name for row in kept)]


# Several tables are compared by one call, each as a stratum, because the call takes longer than the numbers.
def strata(complete: bool = False, systems: int = 4) -> st.SearchStrategy[list[list[oracle.Value]]]:
    return st.lists(tables(complete=complete, systems=systems), min_size=2, max_size=25)


def table_of(sets: list[list[oracle.Value]], measure: str) -> pd.DataFrame:
    """Return the sets as one table of values, with the column `number`."""
    rows = [(number, query, system, value) for number, rows in enumerate(sets) for query, system, value in rows]
    return pd.DataFrame(rows, columns=["number", "query_id", "system", measure]).astype({measure: float})


def check(sets: list[list[oracle.Value]], *, measure: str = "nDCG", tolerance: float = 1e-12, **options: Any) -> None:
    """Compare the systems of each set in SQL and by the oracle."""
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
    found = ltr_sql.compare(table_of(sets, measure), values=True, keys=["number"], allow_empty=True, **options)
    assert_rows(records(found), expected, {"p_adjusted": tolerance})


pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
few = settings(max_examples=3, deadline=None)


@pytest.mark.parametrize("test", procedures("test"))
@given(sets=strata())
@few
def test_every_test_agrees_with_the_oracle(test: str, sets: Any) -> None:
    check(sets, test=test)


@pytest.mark.parametrize("adjust", [name for name in procedures("adjust") if name != "tukey"])
@given(sets=strata())
@few
def test_every_adjustment_agrees_with_the_oracle(adjust: str, sets: Any) -> None:
    check(sets, test="sign", adjust=adjust)


@given(sets=strata(complete=True))
@few
def test_tukey_agrees_with_the_oracle(sets: Any) -> None:
    check(sets, adjust="tukey", tolerance=1e-10)


@pytest.mark.parametrize("ci", procedures("ci"))
@given(sets=strata(systems=3))
@few
def test_every_interval_agrees_with_the_oracle(ci: str, sets: Any) -> None:
    check(sets[:8], ci=ci, resamples=100, confidence=0.9)


@pytest.mark.parametrize("measure", ["nDCG", "GMAP", "RankingLoss"])
@pytest.mark.parametrize("margin", [0.05, "2%"])
@given(sets=strata(systems=2))
@few
def test_margins_agree_with_the_oracle(measure: str, margin: Any, sets: Any) -> None:
    check(sets, measure=measure, margin=margin)


@pytest.mark.parametrize("baseline", [None, "s1", ["s0"]], ids=str)
@given(sets=strata())
@few
def test_missing_queries_and_baselines_agree_with_the_oracle(baseline: Any, sets: Any) -> None:
    check(sets, missing="zero", baseline=baseline)


@pytest.mark.parametrize("lower", [False, True])
@given(sets=strata(systems=5))
@few
def test_leaderboard_agrees_with_the_oracle(lower: bool, sets: Any) -> None:
    sets = sets[:5]
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


@given(sets=strata(systems=2))
@few
def test_wins_agree_with_the_oracle(sets: Any) -> None:
    expected = []
    for rows in sets:
        a, b = ({q: v for q, s, v in rows if s == system and v is not None} for system in ("s0", "s1"))
        expected += oracle.wins(a, b)
    found = ltr_sql.wins(table_of(sets, "m"), "s0", "s1", values=True, keys=["number"])
    assert_rows(records(found), expected, {})
