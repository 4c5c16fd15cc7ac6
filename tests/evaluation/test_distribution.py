"""`ltr.distribution` and `ltr_sql.distribution`: oracle, golden values, weights."""

import json
import math
import random
import re
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner
from support.places import EXAMPLE_DATA
from support.reference_values import file_of, read_table

import ltr_sql
from ltr_sql import InputError, InputWarning, MeasureError
from ltr_sql.command_line.main import main
from ltr_sql.oracle.spread import SHARES, distribution
from ltr_sql.verification import TOLERANCE

WEIGHTS = file_of("beyond/weights")
MEASURES = ["nDCG@3", "RR", "KendallTau"]


@pytest.fixture(scope="module")
def con(module_con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    return module_con


def rankings(seed: int, queries: int = 12) -> pd.DataFrame:
    """Return rankings of two systems; one query has a single document, so that KendallTau is NULL."""
    rng = random.Random(seed)
    rows = [
        {"system": system, "query_id": f"q{query}", "rank": rank, "relevance": rng.choice([0, 0, 1, 2])}
        for system in "ab"
        for query in range(queries)
        for rank in range(1, 2 if query == 3 else 6)
    ]
    return pd.DataFrame(rows)


def weights_of(seed: int, queries: int = 12) -> dict[str, float]:
    rng = random.Random(seed)
    return {f"q{query}": rng.choice([0.0, 0.5, 1.0, 2.0, 3.25]) for query in range(queries)}


@pytest.mark.default("True")
@pytest.mark.parametrize("weighted", [False, True])
def test_sql_is_the_oracle(weighted: bool, con: duckdb.DuckDBPyConnection) -> None:
    table, weights = rankings(1), weights_of(2) if weighted else None
    values = ltr_sql.evaluate(table, MEASURES, keys=["system"], by_query=True)
    found = ltr_sql.distribution(table, MEASURES, keys=["system"], weights=weights).to_dict("records")
    con.register("rankings", table)
    con.register("w", pd.DataFrame({"query_id": [*weights_of(2)], "weight": [*weights_of(2).values()]}))
    names = f"keys := ['system']{', weights := ' + repr('w') if weighted else ''}"
    in_sql = con.execute(f"from ltr.distribution('rankings', {MEASURES}, {names})").df().to_dict("records")
    assert [(row["system"], row["measure"]) for row in found] == [(s, m) for s in "ab" for m in MEASURES]
    for row, other in zip(found, in_sql, strict=True):
        part = values[values["system"] == row["system"]]
        numbers = [None if math.isnan(x) else x for x in part[row["measure"]]]
        expected = distribution(numbers, [weights[q] for q in part["query_id"]] if weights else None)
        assert set(row) == {"system", "measure", *expected}
        for name, value in expected.items():
            assert row[name] == pytest.approx(value, rel=TOLERANCE, abs=TOLERANCE, nan_ok=True), name
            assert other[name] == pytest.approx(value, rel=TOLERANCE, abs=TOLERANCE, nan_ok=True), name


def test_a_weight_of_two_is_the_query_twice() -> None:
    table, weights = rankings(3), {query: float(1 + number % 2) for number, query in enumerate(weights_of(3))}
    twice = table[table["query_id"].map(weights) == 2]
    more = pd.concat([table, twice.assign(query_id=twice["query_id"] + " again")])
    names = ["mean", "geometric", "min", "max", *SHARES]
    ones = dict.fromkeys(more["query_id"], 1.0)
    once = ltr_sql.distribution(table, MEASURES, keys=["system"], weights=weights)[names]
    pd.testing.assert_frame_equal(once, ltr_sql.distribution(more, MEASURES, keys=["system"], weights=ones)[names])


@pytest.mark.slow
def test_equal_weights_are_no_weights_and_zero_leaves_a_query_out() -> None:
    table = rankings(4)
    names = ["queries", "undefined", "mean", "stddev", "stderr", "zeros", "geometric", "effective_queries"]
    equal = ltr_sql.distribution(table, MEASURES, weights=dict.fromkeys(weights_of(1), 3), keys=["system"])
    pd.testing.assert_frame_equal(equal[names], ltr_sql.distribution(table, MEASURES, keys=["system"])[names])
    zero = dict.fromkeys(weights_of(1), 1.0) | {"q3": 0.0, "q5": 0.0}
    without = ltr_sql.distribution(table[~table["query_id"].isin(["q3", "q5"])], MEASURES, keys=["system"])
    pd.testing.assert_frame_equal(
        ltr_sql.distribution(table, MEASURES, weights=zero, keys=["system"])[names], without[names]
    )


def test_a_column_of_weights() -> None:
    table = rankings(5)
    weights = {query: 1.0 + number for number, query in enumerate(weights_of(5))}
    column = table.assign(traffic=table["query_id"].map(weights))
    expected = ltr_sql.distribution(table, MEASURES, weights=weights, keys=["system"])
    pd.testing.assert_frame_equal(ltr_sql.distribution(column, MEASURES, weights="traffic", keys=["system"]), expected)
    as_texts = column.assign(traffic=column["traffic"].astype(str))
    pd.testing.assert_frame_equal(
        ltr_sql.distribution(as_texts, MEASURES, weights="traffic", keys=["system"]), expected
    )
    column.loc[0, "traffic"] = 99.0
    with pytest.raises(InputError, match="the weights give one query different weights"):
        ltr_sql.distribution(column, MEASURES, weights="traffic", keys=["system"])


ALL = dict.fromkeys(weights_of(1), 1.0)
ERRORS: list[tuple[Any, str]] = [
    ({"q1": 1}, "the weights lack the query q"),
    (ALL | {"q1": -1}, "weights must be numbers from 0 to 1e100, got -1.0 for 'q1'"),
    (ALL | {"q1": 9e-101}, "got 9e-101 for 'q1': give 0 to leave it out, or correct the weight (the smallest"),
    (ALL | {"q1": math.nan}, "weights must be finite numbers from 0, got nan for 'q1'"),
    ({}, "the weights are an empty dict"),
    (pd.DataFrame({"query_id": ["q1"]}), "the weights: missing column weight"),
    (pd.DataFrame({"query_id": [*ALL, "q1"], "weight": [*ALL.values(), 2.0]}), "different weights: keep one weight"),
    (pd.DataFrame({"query_id": [*ALL], "weight": "high"}), "weights must be numbers from 0 to 1e100, got high for"),
    (pd.DataFrame({"query_id": [*ALL], "weight": pd.Timestamp(0)}), "the column weight holds TIMESTAMP"),
    (pd.DataFrame({"query_id": [*ALL, None], "weight": 1.0}), "a weight has no query_id (NULL)"),
    ("nope", "nope: no such file"),
]


@pytest.mark.parametrize(("weights", "message"), ERRORS, ids=lambda value: str(value)[:30])
def test_errors(weights: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        ltr_sql.distribution(rankings(1), MEASURES, keys=["system"], weights=weights)


def test_weights_of_other_queries() -> None:
    with pytest.warns(InputWarning, match="2 weights are ignored, .* lack their queries, such as other"):
        ltr_sql.distribution(rankings(1), MEASURES, keys=["system"], weights=ALL | {"third": 1, "other": 2})


def test_values_of_numpy_scipy_and_statsmodels() -> None:
    table = pd.read_csv(WEIGHTS / "scored.csv")
    queries = pd.read_csv(WEIGHTS / "queries.csv")[["query_id", "weight"]]
    columns = {
        "weighted mean": ("mean", True),
        "effective number of queries (Kish)": ("effective_queries", True),
        "standard error of the weighted mean": ("stderr", True),
        "standard error of the weighted mean, linearised, n/(n-1)": ("stderr", True),
        "median": ("median", False),
        **{f"quantile {share}": (name, False) for name, share in SHARES.items()},
        "geometric mean of max(x,1e-5)": ("geometric", False),
        "standard deviation, n - 1": ("stddev", False),
    }
    rows = read_table("beyond/weights/expected.csv")
    rows = [row for row in rows if not row["query_id"] and row["measure"].startswith("nDCG")]
    expected = [(*row["measure"].partition(" ")[::2], float(row["value"])) for row in rows]
    known = [(measure, *columns[what], value) for measure, what, value in expected if what in columns]
    assert len(known) > 15
    measures = sorted({measure for measure, *_ in known})
    found = {
        weighted: ltr_sql.distribution(table, measures, weights=queries if weighted else None).set_index("measure")
        for weighted in (False, True)
    }
    for measure, column, weighted, value in known:
        assert found[weighted].loc[measure, column] == pytest.approx(value, rel=TOLERANCE), (measure, column)


@pytest.mark.slow
def test_weighted_means_of_evaluate() -> None:
    table, weights = rankings(6), weights_of(7)
    found = ltr_sql.evaluate(table, [*MEASURES, "NumRel", "GMAP"], keys=["system"], weights=weights)
    spread = ltr_sql.distribution(table, [*MEASURES, "AP"], keys=["system"], weights=weights)
    values = ltr_sql.evaluate(table, ["NumRel"], keys=["system"], by_query=True)
    assert list(found.columns) == ["system", "queries", "weight", *MEASURES, "NumRel", "GMAP"]
    for row in found.to_dict("records"):
        means = spread[spread["system"] == row["system"]].set_index("measure")
        assert [row[measure] for measure in MEASURES] == pytest.approx(list(means.loc[MEASURES, "mean"]), rel=TOLERANCE)
        assert row["GMAP"] == pytest.approx(means.loc["AP", "geometric"], rel=TOLERANCE)
        part = values[values["system"] == row["system"]]
        assert row["NumRel"] == sum(weights[q] * x for q, x in zip(part["query_id"], part["NumRel"], strict=True))
        assert (row["queries"], row["weight"]) == (sum(w > 0 for w in weights.values()), sum(weights.values()))
    ones = ltr_sql.evaluate(table, MEASURES, keys=["system"], weights=dict.fromkeys(weights, 2))
    plain = ltr_sql.evaluate(table, MEASURES, keys=["system"])
    pd.testing.assert_frame_equal(ones.drop(columns="weight"), plain)
    same = pd.DataFrame({"query_id": [*weights, "q1"], "weight": [*weights.values(), weights["q1"]]})
    pd.testing.assert_frame_equal(
        ltr_sql.evaluate(table, [*MEASURES, "NumRel", "GMAP"], keys=["system"], weights=same), found
    )
    with pytest.raises(InputError, match="weights are for means"):
        ltr_sql.evaluate(table, MEASURES, weights=weights, by_query=True)
    assert ltr_sql.evaluate(table, ["AP"], keys=["system"], weights=dict.fromkeys(weights, 0))["AP"].isna().all()


@pytest.mark.slow
def test_weighted_means_in_sql(con: duckdb.DuckDBPyConnection) -> None:
    table, weights = rankings(8), weights_of(9)
    con.register("ranked", table.assign(weight=table["query_id"].map(weights)))
    con.register("traffic", pd.DataFrame({"query_id": [*weights], "weight": [*weights.values()]}))
    measures = [*MEASURES, "NumRel", "GMAP"]
    expected = ltr_sql.evaluate(table, measures, keys=["system"], weights=weights)
    # A table of rankings with a column weight is a table of weights.
    for name in ("traffic", "ranked"):
        found = con.execute(f"from ltr.evaluate('ranked', {measures}, keys := ['system'], weights := '{name}')").df()
        pd.testing.assert_frame_equal(found.sort_values("system", ignore_index=True), expected, check_dtype=False)
    con.execute("create or replace temp view of_a as from ranked where system = 'a'")
    pd.testing.assert_frame_equal(
        con.execute(f"from ltr.evaluate('of_a', {measures}, weights := 'traffic')").df(),
        ltr_sql.evaluate(table[table["system"] == "a"], measures, weights=weights),
        check_dtype=False,
    )


def test_weights_are_joined_on_the_keys_that_both_have(con: duckdb.DuckDBPyConnection) -> None:
    table = rankings(10)
    table["system"] = table["system"].where(table["system"] == "a")
    of_query = weights_of(11).items()
    rows = [{"query_id": q, "System": s, "weight": w + (s is None)} for q, w in of_query for s in ("a", None)]
    weights = pd.DataFrame(rows)
    found = ltr_sql.evaluate(table, MEASURES, keys=["system"], weights=weights).set_index("system")
    for system, part in table.groupby("system", dropna=False):
        own = weights[weights["System"].isna() if pd.isna(system) else weights["System"] == system]
        alone = ltr_sql.evaluate(part, MEASURES, weights=own[["query_id", "weight"]])
        assert list(found.loc[[system], MEASURES].iloc[0]) == pytest.approx(list(alone[MEASURES].iloc[0]), nan_ok=True)
    with pytest.raises(InputError, match="the weights give one query different weights"):
        ltr_sql.evaluate(table[table["system"] == "a"], MEASURES, weights=weights)
    con.register("ranked", table)
    con.register("keyed", weights)
    call = f"from ltr.evaluate('ranked', {MEASURES}, keys := ['system'], weights := 'keyed') order by system"
    pd.testing.assert_frame_equal(con.execute(call).df().set_index("system"), found, check_dtype=False)


IN_SQL = [
    ("select 'q0' as query_id, 1 as weight", "the weights lack the query q"),
    ("select query_id, -1 as weight from ranked", "a weight of a query is NULL, negative, infinite or above 1e100"),
    ("select query_id, 'nan'::double as weight from ranked", "a weight of a query is NULL, negative, infinite"),
    ("select query_id, null as weight from ranked", "a weight of a query is NULL, negative, infinite or above 1e100"),
    (
        "select query_id, 9e-101 as weight from ranked",
        "or above 0 and below 1e-100: give each query 0 or a number from",
    ),
    ("select query_id, rank as weight from ranked", "the weights give one query different weights"),
    ("select null as query_id, 1 as weight", "a weight has no query_id (NULL)"),
    ("select query_id, 1 as w from ranked", "weight"),
    ("select 1 as weight", "query_id"),
]


@pytest.mark.default("select 1 as weight-query_id")
@pytest.mark.parametrize(("weights", "message"), IN_SQL, ids=lambda value: str(value)[:30])
def test_errors_in_sql(weights: str, message: str, con: duckdb.DuckDBPyConnection) -> None:
    con.register("ranked", rankings(1).drop(columns="system").drop_duplicates(["query_id", "rank"]))
    con.execute(f"create or replace temp view weights_given as {weights}")
    for function in ("evaluate", "distribution"):
        with pytest.raises(duckdb.Error, match=re.escape(message)):
            con.execute(f"from ltr.{function}('ranked', ['RR'], weights := 'weights_given')").fetchall()


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    data = EXAMPLE_DATA
    file = tmp_path / "weights"
    file.write_text("query_id,weight\n" + "".join(f"q{i},{i}\n" for i in range(1, 7)), encoding="utf-8")
    call = ["evaluate", str(data / "qrels.txt"), str(data / "bm25.txt"), "-m", "AP", "--format", "json"]
    done = CliRunner().invoke(main, [*call, "--weights", str(file)])
    assert done.exit_code == 0, done.output
    weights = {f"q{i}": i for i in range(1, 7)}
    frame = ltr_sql.evaluate(str(data / "bm25.txt"), ["AP"], qrels=str(data / "qrels.txt"), weights=weights)
    assert json.loads(done.stdout) == frame.to_dict("records")
    runs = [str(data / f"{name}.txt") for name in ("bm25", "dense")]
    named = dict(zip(("bm25", "dense"), runs, strict=True))
    call = [str(data / "qrels.txt"), *runs, "-m", "AP", "--weights", str(file), "--format", "json"]
    done = CliRunner().invoke(
        main, ["compare", *call, "--details", "--baseline", "bm25", "--fail-if", "AP plainly worse"]
    )
    (compared,) = json.loads(done.stdout)["comparisons"]
    (expected,) = ltr_sql.compare(named, ["AP"], qrels=str(data / "qrels.txt"), weights=weights, details=True).to_dict(
        "records"
    )
    assert compared["p"] == pytest.approx(expected["p"], rel=TOLERANCE)
    assert f"difference {expected['difference']:+.4f}" in done.stderr
    assert "Paired t test with weights of queries" in done.stderr
    done = CliRunner().invoke(main, ["report", *call])
    (_, dense) = json.loads(done.stdout)["standings"]
    assert dense["system"] == "bm25" or dense["p"] == pytest.approx(expected["p"], rel=TOLERANCE)
    with pytest.raises(MeasureError, match="'Entropy' has one value for the whole run, which weights"):
        ltr_sql.compare(named, ["Entropy"], weights=weights, details=True)
    refused = CliRunner().invoke(main, ["compare", *call, "--test", "sign"])
    assert "weights apply to the t and the sequential test, not to --test sign" in refused.output


@pytest.mark.slow
def test_weights_of_a_report(con: duckdb.DuckDBPyConnection) -> None:
    table, weights = rankings(12), weights_of(13) | {"q0": 2.0}
    made = ltr_sql.report(table, ["P@5", "RR"], weights=weights).data
    means = ltr_sql.evaluate(table, ["P@5", "RR"], keys=["system"], weights=weights).set_index("system")
    for record in made["standings"]:
        assert record["mean"] == pytest.approx(means.loc[record["system"], record["measure"]], rel=TOLERANCE)
    (effective,) = set(ltr_sql.distribution(table, ["RR"], keys=["system"], weights=weights)["effective_queries"])
    assert any(f"about as precise as with {effective:,.1f} queries" in note for note in made["notes"]), made["notes"]
    curve = next(curve for curve in made["curves"] if "nDCG@5" in curve["measures"])
    found = [row[curve["measures"].index("nDCG@5")] for row in curve["means"]]
    expected = ltr_sql.evaluate(table, ["nDCG@5"], keys=["system"], weights=weights)["nDCG@5"]
    assert found == pytest.approx(list(expected), rel=TOLERANCE)
    with pytest.raises(InputError, match="the weights of all queries are 0"):
        ltr_sql.report(table, ["RR"], weights=dict.fromkeys(weights, 0))


@pytest.mark.slow
def test_means_with_intervals(tmp_path: Path) -> None:
    table, names = rankings(6), ["nDCG@3", "GMAP", "NumRel"]
    weights = {query: float(1 + number % 3) for number, query in enumerate(weights_of(6))}
    values = ltr_sql.evaluate(table, ["nDCG@3", "AP"], keys=["system"], by_query=True)
    for given in (None, weights):
        plain = ltr_sql.evaluate(table, names, keys=["system"], weights=given)
        found = ltr_sql.evaluate(table, names, keys=["system"], weights=given, ci="t")
        added = [f"{name}_{end}" for name in names[:2] for end in ("low", "high")]
        pd.testing.assert_frame_equal(found[list(plain.columns)], plain)
        assert list(found.columns) == [*plain.columns, *added]
        for row in found.to_dict("records"):
            part = values[values["system"] == row["system"]]
            given_weights = [weights[q] for q in part["query_id"]] if given else None
            of_mean = distribution(list(part["nDCG@3"]), given_weights)
            logs = distribution([math.log(max(x, 1e-5)) for x in part["AP"]], given_weights)
            for end in ("low", "high"):
                assert row[f"nDCG@3_{end}"] == pytest.approx(of_mean[end], rel=TOLERANCE, abs=TOLERANCE)
                assert row[f"GMAP_{end}"] == pytest.approx(math.exp(logs[end]), rel=1e-10, abs=TOLERANCE)
    one = table[(table["system"] == "a") & (table["query_id"] == "q1")]
    assert math.isnan(ltr_sql.evaluate(one, ["nDCG@3"], ci="t")["nDCG@3_low"][0])
    for options, message in (
        ({"ci": "t", "by_query": True}, "ci is for means: leave out ci, or leave out by_query"),
        ({"ci": "t", "totals": True}, "ci has no intervals of totals"),
        ({"ci": "b"}, "ci must be 'abc', 'bca', 'percentile' or 't', got 'b'"),
    ):
        with pytest.raises(InputError, match=message):
            ltr_sql.evaluate(table, names, **options)
    run = pd.DataFrame({"query_id": ["q1"], "doc_id": ["d1"], "rank": [1]})
    with pytest.raises(InputError, match="'Gini' has one value for the whole run, and no interval over queries"):
        ltr_sql.evaluate(run, ["Gini"], ci="t")
    files = [str(EXAMPLE_DATA / name) for name in ("qrels.txt", "bm25.txt")]
    shown = CliRunner().invoke(main, ["evaluate", *files, "-m", "AP", "--ci", "t", "--format", "csv"])
    assert shown.output.splitlines()[0] == "queries,AP,AP_low,AP_high", shown.output


@pytest.mark.slow
def test_a_leaderboard_of_one_system() -> None:
    table = rankings(7)
    values = ltr_sql.evaluate(table[table["system"] == "a"], ["nDCG@3"], keys=["system"], by_query=True)
    expected = distribution(list(values["nDCG@3"]))
    con = ltr_sql.register(duckdb.connect())
    con.register("values_of_one", values)
    in_sql = con.sql("from ltr.leaderboard('values_of_one', ['nDCG@3'])").df()
    for found in (ltr_sql.leaderboard(values, values=True), in_sql):
        (row,) = found.to_dict("records")
        for name in ("queries", "mean", "low", "high"):
            assert row[name] == pytest.approx(expected[name], rel=TOLERANCE, abs=TOLERANCE)
        assert (row["place_low"], row["place_high"], row["letters"], row["p_best"]) == (1, 1, "a", 1.0)
    with pytest.raises(InputError, match=r"pass at least two\. A leaderboard has the interval of one"):
        ltr_sql.compare(values, values=True, details=True)
