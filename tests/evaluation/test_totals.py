"""Totals over segments: equal to calls without keys, in SQL, in Python and on the command line."""

import json
import random
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql import InputError, MeasureError
from ltr_sql.command_line.main import main

MEASURES = ["nDCG@5", "AP(rel=2)", "GMAP", "NumRel"]
LEVELS: list[list[str]] = [["country", "week"], ["country"], []]


def table_of(seed: int = 3) -> pd.DataFrame:
    """Return rankings of two systems in two countries and weeks. Query ids are numbers, and come again each week."""
    source = random.Random(seed)
    rows = [
        (system, country, week, query, rank, source.choice([0, 0, 1, 2, None]))
        for system in ("a", "b")
        for country, week, count in (("de", 1, 9), ("de", 2, 7), ("uk", 2, 8))
        for query in range(count)
        for rank in range(1, 7)
    ]
    return pd.DataFrame(rows, columns=["system", "country", "week", "query_id", "rank", "relevance"])


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return table_of()


def apart(table: pd.DataFrame) -> pd.DataFrame:
    """Return rankings in which a query of another segment is another query."""
    return table.assign(query_id=table["country"] + table["week"].astype(str) + " " + table["query_id"].astype(str))


def assert_levels(found: pd.DataFrame, expected_of: Any) -> None:
    """Assert that each level of totals has the rows of a call with its keys alone."""
    assert len(found) == sum(len(expected_of(keys)) for keys in LEVELS)
    for keys in LEVELS:
        lacking = [key for key in LEVELS[0] if key not in keys]
        level = found[found[lacking].isna().all(axis=1) & found[keys].notna().all(axis=1)]
        expected = expected_of(keys)
        assert len(level) == len(expected)
        order = [name for name in ("system", *keys, "measure") if name in expected]
        one, other = (
            f.sort_values(order)[list(expected.columns)].reset_index(drop=True) if order else f
            for f in (level, expected)
        )
        pd.testing.assert_frame_equal(
            one[list(expected.columns)].reset_index(drop=True), other, check_dtype=False, rtol=1e-12, atol=1e-12
        )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_each_level_equals_a_call_with_its_keys(table: pd.DataFrame, con: duckdb.DuckDBPyConnection) -> None:
    con.register("ranked", table)
    keys = ["system", *LEVELS[0]]
    by_sql = con.execute(f"from ltr.evaluate('ranked', {MEASURES}, keys := {keys}, totals := true)").df()
    plain = con.execute(f"from ltr.evaluate('ranked', ['RR', 'P@2'], keys := {keys}, totals := true)").df()
    by_python = ltr_sql.evaluate(table, MEASURES, keys=keys, totals=True)
    spread = con.execute(f"from ltr.distribution('ranked', ['AP'], keys := {keys}, totals := true)").df()
    for found, function, measures in (
        (by_sql, ltr_sql.evaluate, MEASURES),
        (plain, ltr_sql.evaluate, ["RR", "P@2"]),
        (by_python, ltr_sql.evaluate, MEASURES),
        (spread, ltr_sql.distribution, ["AP"]),
        (ltr_sql.distribution(table, ["AP"], keys=keys, totals=True), ltr_sql.distribution, ["AP"]),
    ):
        assert_levels(found, lambda some, f=function, m=measures: f(apart(table), m, keys=["system", *some]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_comparisons_pair_queries_within_their_segments(table: pd.DataFrame, con: duckdb.DuckDBPyConnection) -> None:
    con.register("ranked", table)
    options: dict[str, Any] = {"test": "wilcoxon"}
    by_python = ltr_sql.compare(table, ["AP", "RR"], keys=LEVELS[0], totals=True, **options)
    by_sql = con.execute(
        f"from ltr.compare('ranked', ['AP', 'RR'], keys := {LEVELS[0]}, totals := true, test := 'wilcoxon')"
    ).df()
    for found in (by_python, by_sql):
        assert_levels(found, lambda some: ltr_sql.compare(apart(table), ["AP", "RR"], keys=some, **options))


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_weights(table: pd.DataFrame, con: duckdb.DuckDBPyConnection) -> None:
    weights = pd.DataFrame({"query_id": range(9), "weight": [1, 2, 3, 4, 5, 6, 7, 8, 0]})
    con.register("ranked", table)
    con.register("traffic", weights)
    keys = ["system", "country"]
    one_week = table[(table["week"] == 2)]
    con.register("ranked", one_week)
    by_python = ltr_sql.evaluate(one_week, ["AP"], keys=keys, weights=weights, totals=True)
    total = by_python[by_python["country"].isna() & (by_python["system"] == "a")]
    own = ltr_sql.evaluate(one_week, ["AP"], keys=keys, by_query=True).merge(weights)
    own = own[own["system"] == "a"]
    expected = (own["AP"] * own["weight"]).sum() / own["weight"].sum()
    assert total["AP"].item() == pytest.approx(expected, abs=1e-12)
    query = f"from ltr.evaluate('ranked', ['AP'], keys := {keys}, weights := 'traffic', totals := true) order by all"
    assert con.execute(query).df()["AP"].tolist() == pytest.approx(by_python["AP"].tolist(), abs=1e-12)


def test_the_command_prints_totals(table: pd.DataFrame, tmp_path: Path) -> None:
    run = table.rename(columns={"rank": "at"}).assign(doc_id=table["rank"].astype(str), score=-table["rank"])
    run[run["week"] == 2].drop(columns=["at", "relevance"]).to_csv(tmp_path / "run.csv", index=False)
    pd.DataFrame({"query_id": range(9), "doc_id": "1", "relevance": 1}).to_csv(tmp_path / "qrels.csv", index=False)
    arguments = ["evaluate", str(tmp_path / "qrels.csv"), str(tmp_path / "run.csv"), "-m", "RR", "--missing", "skip"]
    options = ["--keys", "system,country", "--totals", "--format", "json", "--no-check"]
    found = json.loads(CliRunner().invoke(main, [*arguments, *options]).stdout)
    assert [(r["country"], r["queries"]) for r in found if r["system"] == "a"] == [("de", 7), ("uk", 8), (None, 15)]


@pytest.mark.slow
def test_totals_that_cannot_be_made(table: pd.DataFrame, con: duckdb.DuckDBPyConnection) -> None:
    con.register("ranked", apart(table))
    calls: list[Any] = [
        lambda: ltr_sql.evaluate(apart(table), ["AP"], keys=["system"], totals=True),
        lambda: ltr_sql.distribution(apart(table), ["AP"], keys=["system"], totals=True),
        lambda: ltr_sql.compare(apart(table), ["AP"], totals=True),
        lambda: con.execute("from ltr.evaluate('ranked', ['AP'], keys := ['system'], totals := true)"),
        lambda: con.execute("from ltr.distribution('ranked', ['AP'], totals := true)"),
        lambda: con.execute("from ltr.compare('ranked', ['AP'], totals := true)"),
    ]
    for call in calls:
        with pytest.raises((InputError, duckdb.Error), match="no key names segments: pass keys, such as country"):
            call()
    with pytest.raises(InputError, match="totals are for means"):
        ltr_sql.evaluate(apart(table), ["AP"], keys=["country"], by_query=True, totals=True)
    run = table.assign(doc_id=table["rank"].astype(str))
    with pytest.raises((InputError, MeasureError), match="has one value for a run"):
        ltr_sql.evaluate(run, ["Gini@5"], keys=["system", "country", "week"], totals=True)
