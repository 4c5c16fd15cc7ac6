"""Totals over segments: equal to calls without keys, in SQL, in Python and on the command line."""

import random
import warnings
from collections.abc import Callable
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
    """Return rankings of two systems by country and week, which may be NULL. Query ids come again each week."""
    source = random.Random(seed)
    rows = [
        (system, country, week, query, rank, source.choice([0, 0, 1, 2, None]))
        for system in ("a", "b")
        for country, week, count in (("de", "1", 9), ("de", "2", 7), (None, "2", 8), (None, None, 6))
        for query in range(count)
        for rank in range(1, 7)
    ]
    return pd.DataFrame(rows, columns=["system", "country", "week", "query_id", "rank", "relevance"])


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return table_of()


def apart(table: pd.DataFrame) -> pd.DataFrame:
    """Return rankings in which a query of another segment is another query."""
    segments = table["country"].fillna("none") + table["week"].fillna("none")
    return table.assign(query_id=segments + " " + table["query_id"].astype(str))


def assert_levels(found: pd.DataFrame, expected_of: Any) -> None:
    """Assert that each level of totals has the rows of a call with its keys alone."""
    assert len(found) == sum(len(expected_of(keys)) for keys in LEVELS)
    for number, keys in enumerate(LEVELS):
        level = found[found["total"] == number]
        assert level[[key for key in LEVELS[0] if key not in keys]].isna().all(axis=None)
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
    by_python = ltr_sql.compare(table, ["AP", "RR"], keys=LEVELS[0], totals=True, **options, details=True)
    by_sql = con.execute(
        f"from ltr.compare('ranked', ['AP', 'RR'], keys := {LEVELS[0]}, totals := true, test := 'wilcoxon', "
        "details := true)"
    ).df()
    for found in (by_python, by_sql):
        assert_levels(
            found, lambda some: ltr_sql.compare(apart(table), ["AP", "RR"], keys=some, **options, details=True)
        )


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_weights(table: pd.DataFrame, con: duckdb.DuckDBPyConnection) -> None:
    weights = pd.DataFrame({"query_id": range(9), "weight": [1, 2, 3, 4, 5, 6, 7, 8, 0]})
    con.register("ranked", table)
    con.register("traffic", weights)
    keys = ["system", "country"]
    one_week = table[table["week"] == "2"]
    con.register("ranked", one_week)
    by_python = ltr_sql.evaluate(one_week, ["AP"], keys=keys, weights=weights, totals=True)
    total = by_python[(by_python["total"] == 1) & (by_python["system"] == "a")]
    own = ltr_sql.evaluate(one_week, ["AP"], keys=keys, by_query=True).merge(weights)
    own = own[own["system"] == "a"]
    expected = (own["AP"] * own["weight"]).sum() / own["weight"].sum()
    assert total["AP"].item() == pytest.approx(expected, abs=1e-12)
    query = f"from ltr.evaluate('ranked', ['AP'], keys := {keys}, weights := 'traffic', totals := true) order by all"
    assert con.execute(query).df()["AP"].tolist() == pytest.approx(by_python["AP"].tolist(), abs=1e-12)


@pytest.fixture(scope="module")
def files(table: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Write judgments and runs of one week, by country, and return the paths."""
    folder = tmp_path_factory.mktemp("totals")
    run = table[table["week"] == "2"].assign(doc_id=table["rank"].astype(str), score=-table["rank"])
    run[["system", "country", "query_id", "doc_id", "score"]].to_csv(folder / "run.csv", index=False)
    judged = pd.DataFrame({"query_id": range(9), "doc_id": "1", "relevance": 1})
    judged.to_csv(folder / "qrels.csv", index=False)
    return [str(folder / name) for name in ("qrels.csv", "run.csv")]


def test_the_command_prints_totals(files: list[str]) -> None:
    arguments = ["evaluate", *files, "-m", "RR", "--missing", "skip", "--keys", "system,country", "--totals"]
    lines = CliRunner().invoke(main, [*arguments, "--format", "csv", "--no-check"]).stdout.splitlines()
    assert lines[0] == "system,country,total,queries,RR"
    assert lines[1:4] == ["a,de,0,7,1.0", "a,,0,8,1.0", "a,,1,15,1.0"]


def test_lines_of_trec_eval_have_no_column_for_keys(files: list[str]) -> None:
    result = CliRunner().invoke(main, ["evaluate", *files, "--keys", "system,country", "--format", "trec"])
    assert "--format trec has no column for country: pass another format, such as csv" in result.stderr


def test_the_best_values_of_totals_are_their_own(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ltr_sql.command_line.evaluate.is_terminal", lambda: True)
    arguments = ["evaluate", *files, "-m", "NumRet", "--missing", "skip", "--keys", "system,country", "--totals"]
    shown = CliRunner().invoke(main, [*arguments, "--no-check"]).stdout
    assert shown.count("*") == 1 + 6


@pytest.mark.default("python")
@pytest.mark.parametrize("interface", ["python", "sql"])
def test_a_key_that_is_null_is_no_total(interface: str, con: duckdb.DuckDBPyConnection) -> None:
    rows = [
        (system, f"q{i}", country, (i * 7 % 5 + (system == "b") * (i % 3)) / 10)
        for system in "ab"
        for i, country in enumerate(["de", None, "fr"] * 8)
    ]
    values = pd.DataFrame(rows, columns=["system", "query_id", "country", "value"])
    con.register("seen", values)
    calls: dict[str, Callable[[], Any]] = {
        "python": lambda: ltr_sql.compare(
            values, values=True, keys=["country"], totals=True, allow_empty=True, details=True
        ),
        "sql": lambda: con.execute(
            "from ltr.compare_values('seen', keys := ['country'], totals := true, details := true)"
        ).df(),
    }
    with warnings.catch_warnings():
        # The differences within a country are equal.
        warnings.simplefilter("ignore", ltr_sql.InputWarning)
        found: Any = calls[interface]()
    assert [
        (None if pd.isna(c) else c, t, n)
        for c, t, n in zip(found["country"], found["total"], found["queries"], strict=True)
    ] == [
        ("de", 0, 8),
        ("fr", 0, 8),
        (None, 0, 8),
        (None, 1, 24),
    ]
    assert found["mean_a"].tolist() == pytest.approx([0.1625, 0.1875, 0.2375, 4.7 / 24], abs=1e-12)
    assert found["p"].iloc[3] == pytest.approx(5.495727567816982e-06, rel=1e-9)


def test_a_key_cannot_have_the_name_of_the_column_of_totals(con: duckdb.DuckDBPyConnection) -> None:
    ranked = table_of().rename(columns={"country": "Total"})
    con.register("ranked", ranked)
    keys = ["system", "Total", "week"]
    calls: list[Any] = [
        lambda: ltr_sql.evaluate(ranked, ["AP"], keys=keys, totals=True),
        lambda: ltr_sql.distribution(ranked, ["AP"], keys=keys, totals=True),
        lambda: ltr_sql.compare(ranked, ["AP"], keys=keys[1:], totals=True),
        lambda: con.execute(f"from ltr.evaluate('ranked', ['AP'], keys := {keys}, totals := true)"),
        lambda: con.execute(f"from ltr.distribution('ranked', ['AP'], keys := {keys}, totals := true)"),
        lambda: con.execute(f"from ltr.compare('ranked', ['AP'], keys := {keys[1:]}, totals := true)"),
    ]
    for call in calls:
        with pytest.raises((InputError, duckdb.Error), match="totals adds a column total, and a key has this name"):
            call()
    named = table_of().groupby(["system", "country", "week", "query_id"])["relevance"].sum().rename("total")
    found = ltr_sql.compare(named.reset_index(), ["total"], values=True, keys=["country", "week"], totals=True)
    assert set(found["measure"]) == {"total"}


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
