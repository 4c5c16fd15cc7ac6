"""Means over datasets: SQL and Python against the oracle, scipy and the formula of MTEB, and what is refused."""

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats  # type: ignore[import-untyped]
from support.comparisons import records
from support.reference_values import VALUES, file_of, needs, read_table

import ltr_sql
from ltr_sql import InputError, InputWarning
from ltr_sql.command_line.main import main
from ltr_sql.oracle import comparison as oracle

CASES = ("three", "beir", "two", "equal", "tiny")
TOLERANCE = 1e-9
Values = dict[str, dict[Any, list[float]]]


def given(case: str) -> pd.DataFrame:
    frame = pd.read_csv(file_of("across/input.csv.gz"))
    return frame[frame["case"] == case].drop(columns="case")


def values_of(frame: pd.DataFrame) -> Values:
    """Return the values by system and dataset, in the order of the queries."""
    ordered = frame.sort_values(["dataset", "query_id"])
    found: Values = {}
    for (system, dataset), rows in ordered.groupby(["system", "dataset"]):
        found.setdefault(str(system), {})[dataset] = rows["value"].tolist()
    return found


def means_of(values: Values) -> dict[Any, dict[Any, float]]:
    """Return the means by system and dataset."""
    return {s: {name: float(np.mean(x)) for name, x in of.items()} for s, of in values.items()}


def minus(a: Mapping[Any, list[float]], b: Mapping[Any, list[float]]) -> dict[Any, list[float]]:
    return {name: [y - x for x, y in zip(a[name], b[name], strict=True)] for name in a}


def of_oracle(values: Values, row: dict[str, str]) -> Any:
    """Return the value of the oracle for a row of the expected values."""
    a, field = row["system_a"], row["field"]
    if field == "mean":
        return oracle.mean_over_datasets(values[a]).mean
    if field == "borda":
        means = means_of(values)
        return oracle.borda(means)[a]
    if field == "mean_over_queries":
        return np.concatenate([*values[a].values()]).mean()
    generalize, _, name = field.rpartition(".")
    d = oracle.mean_over_datasets(minus(values[a], values[row["system_b"]]), generalize=generalize or "queries")
    interval = d.interval() or (None, None)
    return {"difference": d.mean, "p": d.p(), "low": interval[0], "high": interval[1]}.get(name, getattr(d, name, None))


@needs(VALUES / "across")
@pytest.mark.default("tiny")
@pytest.mark.parametrize("case", CASES)
def test_values_of_scipy_and_mteb(case: str, con: duckdb.DuckDBPyConnection) -> None:
    frame = given(case)
    values = values_of(frame)
    con.register("given", frame)
    board = con.execute("from ltr.leaderboard('given', ['value'], across := 'dataset')").df().set_index("system")
    plain = ltr_sql.leaderboard(frame.assign(query_id=frame["dataset"] + frame["query_id"]), ["value"], values=True)
    plain = plain.set_index("system")
    by_python = ltr_sql.leaderboard(frame, values=True, across="dataset").set_index("system")
    pd.testing.assert_frame_equal(by_python, board)
    pairs: dict[str, pd.DataFrame] = {}
    for generalize in ("queries", "datasets"):
        found = ltr_sql.compare(
            frame, values=True, across="dataset", generalize=generalize, adjust="none", details=True
        )
        call = f"across := 'dataset', generalize := '{generalize}', adjust := 'none'"
        pd.testing.assert_frame_equal(
            con.execute(f"from ltr.compare_values('given', {call}, details := true)").df(), found
        )
        found["stderr"] = found["difference"] / found["statistic"]
        pairs[generalize] = found.set_index(["system_a", "system_b"])
    expected = [row for row in read_table("across/expected.csv") if row["case"] == case]
    assert len(expected) > 30
    for row in expected:
        a, b, field = row["system_a"], row["system_b"], row["field"]
        if field == "mean_over_queries":
            value = plain.loc[a, "mean"]
        elif not b:
            value = board.loc[a, field]
        else:
            generalize, _, name = field.rpartition(".")
            value = pairs[generalize or "queries"].loc[(a, b), name]
        for what, computed in (("SQL", value), ("oracle", of_oracle(values, row))):
            assert computed == pytest.approx(float(row["value"]), rel=TOLERANCE, abs=TOLERANCE), (what, row)


def random_values(seed: int, *, datasets: int = 4, systems: int = 3, fewest: int = 2) -> pd.DataFrame:
    """Draw values with ties. Datasets share query ids."""
    chance = random.Random(seed)
    rows = []
    for d in range(datasets):
        level = chance.random() / 2
        for q in range(chance.randint(fewest, 9)):
            hard = chance.random() / 4
            for s in range(systems):
                value = chance.choice([0.0, 0.25, 0.5]) if chance.random() < 0.5 else round(chance.random(), 6)
                rows.append((f"d{d}", f"q{q}", f"s{s}", level + hard + value))
    return pd.DataFrame(rows, columns=["dataset", "query_id", "system", "value"])


@pytest.mark.default("1")
@pytest.mark.parametrize("seed", [1, 2])
def test_random_values_equal_the_oracle(seed: int, con: duckdb.DuckDBPyConnection) -> None:
    frame = pd.concat([random_values(seed + 10 * i).assign(lang=f"l{i}") for i in range(3)])
    for generalize in ("queries", "datasets"):
        options: dict[str, Any] = {"across": "dataset", "generalize": generalize, "keys": ["lang"]}
        rows = records(ltr_sql.compare(frame, values=True, adjust="none", **options, details=True))
        boards = records(ltr_sql.leaderboard(frame, values=True, resamples=100, lower_is_better=["value"], **options))
        assert (len(rows), len(boards)) == (9, 9)
        for lang, of_lang in frame.groupby("lang"):
            values = values_of(of_lang)
            for row in (row for row in rows if row["lang"] == lang):
                a, b = values[row["system_a"]], values[row["system_b"]]
                d = oracle.mean_over_datasets(minus(a, b), generalize=generalize)
                low, high = d.interval() or (None, None)
                wanted = {"difference": d.mean, "df": d.df, "p": d.p(), "low": low, "high": high}
                wanted |= {"queries": len(of_lang) // 3, "datasets": 4, "fewest": min(map(len, a.values()))}
                assert {name: row[name] for name in wanted} == pytest.approx(wanted, rel=1e-10, abs=1e-12)
                assert row["mean_b"] - row["mean_a"] == pytest.approx(d.mean, abs=1e-12)
                if generalize == "datasets":
                    assert row["verdict"] == "too few datasets"
            means = means_of(values)
            points = oracle.borda(means, lower=True)
            places = oracle.sampled_places(means, lower=True, resamples=100)
            chances = oracle.chances_of_best(means, lower=True, replicates=100)
            for row in (row for row in boards if row["lang"] == lang):
                of = oracle.mean_over_datasets(values[row["system"]], generalize=generalize)
                low, high = of.interval() or (None, None)
                wanted = {"mean": of.mean, "low": low, "high": high, "borda": points[row["system"]], "datasets": 4}
                wanted["p_best"] = chances[row["system"]]
                assert {name: row[name] for name in wanted} == pytest.approx(wanted, rel=1e-10, abs=1e-12)
                assert (row["sampled_low"], row["sampled_high"]) == places[row["system"]]


def test_relations_to_other_tests() -> None:
    frame = random_values(5, datasets=6, systems=2)
    own = frame.assign(query_id=frame["dataset"] + frame["query_id"])
    # The means of the datasets are the values of a comparison of datasets.
    means = frame.groupby(["dataset", "system"])["value"].mean().reset_index()
    of_means = ltr_sql.compare(
        means.assign(query_id=means["dataset"])[["query_id", "system", "value"]], values=True, margin=0.01, details=True
    )
    found = ltr_sql.compare(frame, values=True, across="dataset", generalize="datasets", margin=0.01, details=True)
    same = [n for n in of_means.columns if n not in ("queries", "dz", "gz", "queries_needed")]
    pd.testing.assert_frame_equal(found[same], of_means[same], check_dtype=False)
    assert found.loc[0, "p"] == pytest.approx(
        stats.ttest_rel(*(means.loc[means["system"] == s, "value"].to_numpy() for s in ("s1", "s0"))).pvalue
    )
    # With one dataset, the mean over datasets is that of its queries.
    one = own[own["dataset"] == "d0"]
    with pytest.warns(InputWarning, match="across names one dataset"):
        of_one = ltr_sql.compare(one, values=True, across="dataset", margin="5%", details=True)
    plain = ltr_sql.compare(one.drop(columns="dataset"), values=True, margin="5%", details=True)
    same = [n for n in plain.columns if n not in ("dz", "gz", "queries_needed")]
    pd.testing.assert_frame_equal(of_one[same], plain[same], check_dtype=False)
    # The strata of two datasets are Welch's test of x and -y.
    two = frame[frame["dataset"].isin(["d1", "d2"])]
    x, y = minus(*values_of(two).values()).values()
    welch = stats.ttest_ind(x, [-v for v in y], equal_var=False)
    assert ltr_sql.compare(two, values=True, across="dataset", details=True).loc[0, "p"] == pytest.approx(welch.pvalue)


def test_one_dataset_says_nothing_about_samples_of_datasets(con: duckdb.DuckDBPyConnection) -> None:
    frame = random_values(5, datasets=1)
    frame = pd.concat([frame, frame[frame["system"] == "s0"].assign(system="s9")])
    con.register("given", frame)
    with pytest.warns(
        InputWarning, match="across names one dataset, so .* p_best, sampled_low and sampled_high are NULL"
    ):
        board = ltr_sql.leaderboard(frame, values=True, across="dataset")
    in_sql = con.execute("from ltr.leaderboard('given', across := 'dataset')").df()
    pd.testing.assert_frame_equal(in_sql, board)
    means = means_of(values_of(frame))
    places, points = oracle.sampled_places(means), oracle.borda(means)
    for row in records(board):
        assert (row["p_best"], row["borda"]) == (None, points[row["system"]])
        assert (row["sampled_low"], row["sampled_high"]) == places[row["system"]] == (None, None)


def test_datasets_without_variance() -> None:
    rows = [
        (f"d{d}", f"q{q}", s, 0.1 * d + gain) for d in range(3) for q in range(3) for s, gain in (("a", 0), ("b", 0.5))
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "query_id", "system", "m"])
    with pytest.warns(InputWarning, match=r"differs by \+0.5 on every query"):
        (row,) = records(ltr_sql.compare(frame, values=True, across="dataset", details=True))
    assert (row["verdict"], row["p"], row["low"], row["high"]) == ("better", None, 0.5, 0.5)
    frame["m"] = frame["m"] + (frame["system"] == "b") * frame["dataset"].map({"d0": 0.0, "d1": 0.1, "d2": -0.7})
    (row,) = records(ltr_sql.compare(frame, values=True, across="dataset", details=True))
    assert (row["verdict"], row["p"], row["low"], row["sd"]) == ("undecided", None, None, None)
    frame["m"] = 1.0
    (row,) = records(ltr_sql.compare(frame, values=True, across="dataset", generalize="datasets", details=True))
    assert (row["verdict"], row["p"], row["difference"]) == ("equal", 1, 0)


def test_a_dataset_with_one_query(con: duckdb.DuckDBPyConnection) -> None:
    frame = random_values(3, datasets=6, systems=2, fewest=5)
    frame = frame[(frame["dataset"] != "d1") | (frame["query_id"] == "q0")]
    with pytest.warns(InputWarning, match="a dataset has one common query, whose variance is unknown"):
        (row,) = records(ltr_sql.compare(frame, values=True, across="dataset", margin=0.01, details=True))
    assert (row["verdict"], row["fewest"], row["datasets"]) == ("too few queries", 1, 6)
    assert [row[n] for n in ("p", "df", "sd", "low", "p_not_worse", "p_worse", "p_equivalent")] == [None] * 7
    (row,) = records(ltr_sql.compare(frame, values=True, across="dataset", generalize="datasets", details=True))
    assert row["p"] is not None
    con.register("given", frame)
    gate = "from ltr.gate('given', 'value {}', baseline := 's0', across := 'dataset')"
    with pytest.raises(duckdb.Error, match=r"not decided: .*a dataset has one query, whose variance is unknown"):
        con.execute(gate.format("possibly worse by > 0.9"))


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "no such column": ({"across": "corpus"}, "missing column corpus"),
    "the column of the systems": (
        {"across": "system"},
        "a column can only be one of compared, keys, repeats and across",
    ),
    "a key": ({"keys": ["dataset"]}, "a column can only be one of compared, keys, repeats and across"),
    "another test": ({"test": "sign"}, "across applies to the t test, not to test='sign'"),
    "another interval": ({"ci": "abc"}, "across applies to the t test, not to ci='abc'"),
    "Tukey": ({"adjust": "tukey"}, "across applies to the t test, not to adjust='tukey'"),
    "weights": ({"weights": {"q0": 1}}, "across applies without weights"),
    "clusters": ({"cluster": "query_id"}, "across applies without cluster"),
    "totals": ({"totals": True}, "across applies without totals"),
    "unpaired": ({"paired": False}, "paired=False applies without across"),
    "generalize alone": ({"across": None, "generalize": "datasets"}, "generalize='datasets' belongs to means over"),
    "unknown generalize": ({"generalize": "topics"}, "generalize must be 'queries' or 'datasets'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake: str) -> None:
    options, message = MISTAKES[mistake]
    with pytest.raises(InputError, match=message):
        ltr_sql.compare(random_values(1), values=True, **{"across": "dataset", **options})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("across := 'dataset', test := 'sign'", "across applies to the t test"),
        ("across := 'dataset', cluster := 'query_id'", "across applies without cluster"),
        ("across := 'dataset', keys := ['lang'], totals := true", "across applies without totals"),
        ("across := 'dataset', keys := ['dataset']", "a column can only be one of compared, keys, repeats and across"),
        ("across := 'system'", "a column can only be one of compared, keys, repeats and across"),
        ("generalize := 'datasets'", "generalize := 'datasets' belongs to means over datasets"),
        ("across := 'dataset', generalize := 'topics'", "generalize must be one of queries, datasets, got topics"),
    ],
)
def test_mistakes_in_sql(call: str, message: str, con: duckdb.DuckDBPyConnection) -> None:
    con.register("given", random_values(1).assign(lang="de"))
    with pytest.raises(duckdb.Error, match=message):
        con.execute(f"from ltr.compare_values('given', ['value'], {call})")


def test_every_system_needs_every_dataset(con: duckdb.DuckDBPyConnection) -> None:
    frame = random_values(1)
    lacking = frame[(frame["system"] != "s1") | (frame["dataset"] != "d2")]
    con.register("given", lacking)
    with pytest.raises(
        InputError, match=r"(s0 and s1|s1 and s2) have none for a common query in 1 of 4 datasets, such as d2"
    ):
        ltr_sql.compare(lacking, values=True, across="dataset")
    with pytest.raises(duckdb.Error, match="a mean over datasets needs a value in each of them"):
        con.execute("from ltr.leaderboard('given', across := 'dataset')")
    with pytest.raises(InputError, match="s1 has none in 1 of 4 datasets"):
        ltr_sql.leaderboard(
            pd.concat([lacking[lacking["system"] == "s1"], undefined(frame)]), values=True, across="dataset"
        )
    # Zeros that the caller asks for are values.
    counted = ltr_sql.compare(lacking, values=True, across="dataset", missing="zero")
    zeros = frame["value"].where((frame["system"] != "s1") | (frame["dataset"] != "d2"), 0)
    pd.testing.assert_frame_equal(counted, ltr_sql.compare(frame.assign(value=zeros), values=True, across="dataset"))
    with pytest.raises(InputError, match=r"across: a row of the values has no dataset \(NULL\), query_id q0"):
        ltr_sql.compare(
            frame.assign(dataset=frame["dataset"].where(frame["query_id"] != "q0")), values=True, across="dataset"
        )


def undefined(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of system s1 in dataset d2, without values."""
    return frame[(frame["system"] == "s1") & (frame["dataset"] == "d2")].assign(value=None)


def rankings() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return runs of two systems on two datasets, and judgments."""
    chance = random.Random(2)
    rows = [
        (d, f"{d}{q}", s, f"x{i}", chance.random())
        for d in ("fiqa", "nq")
        for q in range(6)
        for s in ("a", "b")
        for i in range(4)
    ]
    run = pd.DataFrame(rows, columns=["dataset", "query_id", "system", "doc_id", "score"])
    labels = [(d, f"{d}{q}", f"x{q % 3}", 1) for d in ("fiqa", "nq") for q in range(6)]
    qrels = pd.DataFrame(labels, columns=["dataset", "query_id", "doc_id", "relevance"])
    return run, qrels


def test_rankings_of_datasets(con: duckdb.DuckDBPyConnection) -> None:
    run, qrels = rankings()
    by_python = ltr_sql.compare(run, ["RR", "nDCG@3"], qrels=qrels, across="dataset", check=False, details=True)
    values = ltr_sql.evaluate(run, ["RR", "nDCG@3"], qrels=qrels, keys=["dataset", "system"], by_query=True)
    pd.testing.assert_frame_equal(ltr_sql.compare(values, values=True, across="dataset", details=True), by_python)
    con.register("run", run)
    con.register("qrels", qrels)
    con.execute("create table judged as from ltr.judge('run', 'qrels', keys := ['system', 'dataset'])")
    in_sql = con.execute("from ltr.compare('judged', ['RR', 'nDCG@3'], across := 'dataset', details := true)").df()
    pd.testing.assert_frame_equal(in_sql, by_python, check_dtype=False)


def test_a_query_belongs_to_the_dataset_in_which_the_run_has_it(con: duckdb.DuckDBPyConnection) -> None:
    run, qrels = rankings()
    undivided = qrels.drop(columns="dataset")
    options: dict[str, Any] = {"across": "dataset", "check": False}
    for function in (ltr_sql.compare, ltr_sql.leaderboard):
        wanted = function(run, ["RR"], qrels=qrels, **options)
        pd.testing.assert_frame_equal(function(run, ["RR"], qrels=undivided, **options), wanted)
    # A system that lacks a query of a dataset counts it there alone.
    lacking = run[(run["system"] == "a") | (run["query_id"] != "nq2")]
    (row,) = records(ltr_sql.compare(lacking, ["RR"], qrels=undivided, **options, details=True))
    assert (row["queries"], row["datasets"], row["fewest"]) == (12, 2, 6)
    report = ltr_sql.report(run, ["RR"], qrels=undivided, across="dataset")
    assert [segment["queries"] for segment in report.data["segments"]] == [6, 6]
    con.register("run", run)
    con.register("qrels", undivided)
    con.execute("create table judged as from ltr.judge('run', 'qrels', keys := ['system', 'dataset'])")
    with pytest.raises(duckdb.Error, match="judged in each dataset, and has rankings in one: give the judgments the"):
        con.execute("from ltr.compare('judged', ['RR'], across := 'dataset')")


@pytest.mark.parametrize("function", [ltr_sql.compare, ltr_sql.leaderboard, ltr_sql.report])
def test_a_query_whose_dataset_is_unknown(function: Any) -> None:
    run, qrels = rankings()
    undivided = qrels.drop(columns="dataset")
    more = pd.concat([undivided, undivided.head(1).assign(query_id="lost")])
    with pytest.raises(InputError, match=r"lacks judged queries, so their dataset is unknown \(1\): query_id=lost"):
        function(run, ["RR"], qrels=more, across="dataset")
    assert str(function(run, ["RR"], qrels=more, across="dataset", missing="skip"))
    twice = pd.concat([run, run[run["query_id"] == "nq1"].assign(dataset="fiqa")])
    with pytest.raises(InputError, match=r"more than one dataset of the run.*\(1\): query_id=nq1. What to do: add the"):
        function(twice, ["RR"], qrels=undivided, across="dataset")


def test_command_and_gates(tmp_path: Any, con: duckdb.DuckDBPyConnection) -> None:
    frame = random_values(6, systems=2, fewest=6)
    frame.loc[frame["system"] == "s1", "value"] += 0.3
    path = tmp_path / "values.csv"
    frame.to_csv(path, index=False)
    call = ["compare", "--values", str(path), "--across", "dataset", "--baseline", "s1", "--fail-if"]
    result = CliRunner().invoke(main, [*call, "value significantly worse", "--generalize", "queries"])
    assert (result.exit_code, "t test of the mean over dataset, for other queries" in result.output) == (1, True)
    assert CliRunner().invoke(main, [*call, "value worse by > 0.9"]).exit_code == 0
    con.register("given", frame)
    gate = "from ltr.gate('given', 'value {}', baseline := 's1', across := 'dataset')"
    with pytest.raises(duckdb.Error, match="the gate failed: value significantly worse: s0"):
        con.execute(gate.format("significantly worse"))
    ((difference,),) = con.execute(f"select difference from ({gate.format('worse by > 0.9')})").fetchall()
    compared = ltr_sql.compare(frame, values=True, across="dataset", baseline="s1", details=True)
    assert difference == pytest.approx(compared.loc[0, "difference"], abs=1e-12)


def test_a_folder_of_saved_values_of_each_dataset(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run, qrels = rankings()
    for dataset, own in run.groupby("dataset"):
        (tmp_path / f"values/dataset={dataset}").mkdir(parents=True)
        qrels[qrels["dataset"] == dataset].to_csv("qrels.csv", index=False)
        for system, rows in own.groupby("system"):
            rows[["query_id", "doc_id", "score"]].to_csv(f"{system}.csv", index=False)
        call = f"compare qrels.csv a.csv b.csv -m RR --save-values values/dataset={dataset}/values.parquet"
        assert CliRunner().invoke(main, call.split()).exit_code == 0
    call = "compare --values values --baseline a --format json --details"
    found = CliRunner().invoke(main, [*call.split(), "--across", "dataset"])
    (row,) = json.loads(found.stdout)
    (wanted,) = records(ltr_sql.compare(run, ["RR"], qrels=qrels, across="dataset", check=False, details=True))
    assert {name: row[name] for name in ("mean_a", "difference", "p")} == pytest.approx(
        {name: wanted[name] for name in ("mean_a", "difference", "p")}, abs=1e-12
    )
    # Each dataset by itself, and the mean over queries.
    found = CliRunner().invoke(main, [*call.split(), "--keys", "dataset", "--totals"])
    shown = {row["dataset"]: row["difference"] for row in json.loads(found.stdout)}
    by_dataset = ltr_sql.compare(run, ["RR"], qrels=qrels, keys=["dataset"], totals=True, check=False)
    wanted_by = {None if pd.isna(row["dataset"]) else row["dataset"]: row["difference"] for row in records(by_dataset)}
    assert shown == pytest.approx(wanted_by, abs=1e-12)
    # Without datasets, values under different judgments are not comparable.
    refused = CliRunner().invoke(main, call.split()).stdout
    assert "was made with judgments" in refused
    assert "If each dataset has its own judgments, pass it by --across or --keys" in refused


def test_agreement_of_means_over_datasets() -> None:
    frame = random_values(1).assign(other=lambda t: 1 - t["value"])
    (row,) = records(ltr_sql.system_agreement(frame, values=True, across="dataset"))
    assert row["tau"] == -1


def test_report(tmp_path: Any) -> None:
    run, qrels = rankings()
    report = ltr_sql.report(run, ["RR"], qrels=qrels, across="dataset", baseline="a")
    (row,) = records(
        ltr_sql.compare(run, ["RR"], qrels=qrels, across="dataset", baseline="a", check=False, details=True)
    )
    shown = {record["system"]: record for record in report.data["standings"]}
    assert [shown[s]["mean"] for s in "ab"] == pytest.approx([row["mean_a"], row["mean_b"]], abs=1e-12)
    assert (shown["b"]["p"], shown["b"]["low"] is None) == (pytest.approx(row["p"], abs=1e-12), False)
    assert report.data["test"]["name"] == "t test of the mean over dataset, for other queries"
    assert "the leaderboard and the verdict have means over dataset" in report.data["notes"][0]
    assert sorted(segment["keys"]["dataset"] for segment in report.data["segments"]) == ["fiqa", "nq"]
    with pytest.raises(InputError, match="a trend of a report is over queries: leave out across, or trend"):
        ltr_sql.report(run, ["RR"], qrels=qrels, across="dataset", trend="week")
    for system, rows in run.groupby("system"):
        rows.drop(columns="system").to_csv(tmp_path / f"{system}.csv", index=False)
    qrels.to_csv(tmp_path / "qrels.csv", index=False)
    files = [str(tmp_path / f"{name}.csv") for name in ("qrels", "a", "b")]
    call = ["report", *files, "-m", "RR", "--format", "json", "--across", "dataset"]
    result = CliRunner().invoke(main, [*call, "--generalize", "datasets"])
    assert "too few datasets" in result.stdout


def test_the_index_of_pandas_in_a_file_is_not_a_measure(tmp_path: Path) -> None:
    values = pd.DataFrame({"system": ["a", "b"] * 2, "query_id": ["q", "q", "r", "r"], "m": [1.0, 0.5, 0.0, 0.5]})
    values.set_index(pd.Index([3, 3, 4, 4])).to_parquet(tmp_path / "values.parquet")
    assert ltr_sql.compare(str(tmp_path / "values.parquet"), values=True)["measure"].tolist() == ["m"]
