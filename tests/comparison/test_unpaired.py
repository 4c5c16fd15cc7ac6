"""Systems with queries of their own: SQL and Python against the oracle, scipy and tea-tasting, and what is refused."""

import json
import random
import warnings
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

pytestmark = pytest.mark.filterwarnings("ignore:RR of . and .. [0-9]+ clusters are few")
CASES = ("shop", "few", "one_each", "uneven")
TOLERANCE = 1e-9
COLUMNS = {"queries_a": "only_a", "queries_b": "only_b"}


def estimate(frame: pd.DataFrame, cluster: str | None, arms: tuple[Any, Any] = ("a", "b")) -> oracle.Estimate:
    """Return the difference of two arms by the oracle."""
    a, b = (frame[frame.iloc[:, 0] == arm] for arm in arms)
    clusters = None if cluster is None else (a[cluster].tolist(), b[cluster].tolist())
    return oracle.unpaired_difference(a["RR"].tolist(), b["RR"].tolist(), clusters)


@needs(VALUES / "unpaired")
@pytest.mark.default("few")
@pytest.mark.parametrize("case", CASES)
def test_values_of_scipy_and_tea_tasting(case: str, con: duckdb.DuckDBPyConnection) -> None:
    frame = pd.read_csv(file_of("unpaired/input.csv.gz"))
    frame = frame[frame["case"] == case].drop(columns="case")
    con.register("given", frame)
    clusters = frame.groupby("system")["user_id"].nunique()
    for kind, cluster in (("plain", None), ("users", "user_id")):
        call = "paired := false" + (f", cluster := '{cluster}'" if cluster else "")
        in_sql = con.execute(f"from ltr.compare_values('given', ['RR'], {call}, details := true)").df()
        by_python = ltr_sql.compare(frame, ["RR"], values=True, paired=False, cluster=cluster, details=True)
        pd.testing.assert_frame_equal(in_sql, by_python)
        (row,) = records(by_python)
        d = estimate(frame, cluster)
        low, high = d.interval() or (None, None)
        of_oracle = {"difference": d.mean, "p": d.p(), "low": low, "high": high, "df": d.df}
        expected = [e for e in read_table("unpaired/expected.csv") if (e["case"], e["kind"]) == (case, kind)]
        assert len(expected) == (9 if cluster is None else 8)
        for e in expected:
            field, number = e["field"], pytest.approx(float(e["value"]), rel=TOLERANCE, abs=TOLERANCE)
            if field.startswith("clusters_"):
                assert clusters[field[-1]] == number
                continue
            assert row[COLUMNS.get(field, field)] == number, ("SQL", e)
            assert of_oracle.get(field, float(e["value"])) == number, ("oracle", e)
        assert row.get("clusters") in (None, clusters.sum())


def arms(seed: int, *, users: int = 8, systems: str = "ab", shared: int = 0) -> pd.DataFrame:
    """Draw sessions of users, whose values resemble each other. `shared` users are in every arm."""
    chance = random.Random(seed)
    rows, number = [], 0
    for arm in systems:
        for u in range(users + 3 * (arm == "b")):
            own, name = chance.random(), f"u{u}" if u < shared else f"{arm}{u}"
            for _ in range(chance.randint(1, 5)):
                number += 1
                rows.append((arm, name, f"q{number}", chance.choice([own, own, 0.0, 1.0])))
    return pd.DataFrame(rows, columns=["system", "user_id", "query_id", "RR"])


@pytest.mark.parametrize("seed", [1, 2])
def test_random_arms_equal_the_oracle(seed: int) -> None:
    frame = arms(seed, systems="abc")
    for cluster in (None, "user_id"):
        found = records(
            ltr_sql.compare(frame, ["RR"], values=True, paired=False, cluster=cluster, adjust="none", details=True)
        )
        assert [(row["system_a"], row["system_b"]) for row in found] == [("a", "b"), ("a", "c"), ("b", "c")]
        for row in found:
            d = estimate(frame, cluster, (row["system_a"], row["system_b"]))
            low, high = d.interval() or (None, None)
            wanted = {"difference": d.mean, "df": d.df, "p": d.p(), "low": low, "high": high}
            wanted |= {} if cluster is None else {"design_effect": d.design_effect}
            assert {name: row[name] for name in wanted} == pytest.approx(wanted, rel=1e-10, abs=1e-12)
            assert row["queries"] == row["only_a"] + row["only_b"]
            assert [row[n] for n in ("sd", "wins", "ties", "losses", "superiority", "dz", "queries_needed")] == [
                None
            ] * 7


def test_query_ids_of_the_arms_do_not_matter(con: duckdb.DuckDBPyConnection) -> None:
    frame = arms(3)
    same = frame.assign(query_id=frame.groupby("system").cumcount())
    found = ltr_sql.compare(same, ["RR"], values=True, paired=False, details=True)
    pd.testing.assert_frame_equal(found, ltr_sql.compare(frame, ["RR"], values=True, paired=False, details=True))
    a, b = (frame.loc[frame["system"] == s, "RR"] for s in "ab")
    welch = stats.ttest_ind(b, a, equal_var=False, alternative="greater")
    (row,) = records(ltr_sql.compare(frame, ["RR"], values=True, paired=False, margin=0.0001, details=True))
    shifted = stats.ttest_ind(b + 0.0001, a, equal_var=False, alternative="greater")
    assert (row["p_not_worse"], welch.pvalue) == (pytest.approx(shifted.pvalue, rel=1e-10), pytest.approx(welch.pvalue))
    # Arms without judgments that another arm owes: a run of rankings needs no zeros.
    rankings = frame.assign(doc_id="x", rank=1, relevance=(frame["RR"] > 0.5).astype(int)).drop(
        columns=["RR", "user_id"]
    )
    (row,) = records(ltr_sql.compare(rankings, ["RR"], paired=False, check=False, details=True))
    assert row["mean_a"] == pytest.approx((a > 0.5).mean())
    con.register("shown", rankings)
    in_sql = con.execute("select mean_a from ltr.compare('shown', ['RR'], paired := false)").fetchall()
    assert in_sql == [(pytest.approx(row["mean_a"]),)]


def test_judged_queries_of_the_other_arm_do_not_count() -> None:
    runs = {s: {f"{s}{q}": {"x": 2.0, "y": 1.0} for q in range(6)} for s in "ab"}
    qrels = {f"{s}{q}": {"x" if (q + (s == "a")) % 3 else "y": 1} for s in "ab" for q in range(6)}
    (row,) = records(ltr_sql.compare(runs, ["RR"], qrels=qrels, paired=False, check=False, details=True))
    assert (row["only_a"], row["only_b"], row["mean_a"]) == (6, 6, pytest.approx(5 / 6))


@pytest.mark.parametrize(
    ("frame", "verdict"),
    [
        (arms(1, users=1), "too few clusters"),
        (arms(1).query("system == 'b' or query_id == 'q1'"), "too few clusters"),
        (arms(1).assign(RR=0.5), "undecided"),
    ],
    ids=["one user", "one query", "constant"],
)
def test_arms_without_a_variance(frame: pd.DataFrame, verdict: str) -> None:
    raised = frame.assign(RR=0.5 + frame["RR"] / 2)
    (row,) = records(ltr_sql.compare(raised, ["RR"], values=True, paired=False, cluster="user_id", details=True))
    assert (row["verdict"], row["p"], row["p_not_worse"], row["low"]) == (verdict, None, None, None)


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "another test": ({"test": "wilcoxon"}, "paired=False applies to the t test, not to test='wilcoxon'"),
    "the sequential test": ({"test": "sequential", "planned": 9}, "paired=False applies to the t test"),
    "another interval": ({"ci": "bca"}, "paired=False applies to the t test, not to ci='bca'"),
    "Tukey": ({"adjust": "tukey"}, "paired=False applies to the t test, not to adjust='tukey'"),
    "zeros": ({"missing": "zero"}, "missing='zero' is about queries that both systems owe"),
    "people": ({"human": arms(1)}, "paired=False applies without human"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake: str) -> None:
    options, message = MISTAKES[mistake]
    with pytest.raises(InputError, match=message):
        ltr_sql.compare(arms(1), ["RR"], values=True, paired=False, **options)


@pytest.mark.parametrize("cluster", [None, "user_id"])
def test_weights_count_as_often_as_rows_of_a_cluster(cluster: str | None) -> None:
    frame = arms(6)
    unit = frame["query_id"] if cluster is None else frame[cluster]
    weights = {q: 1 + i % 3 for i, q in enumerate(frame["query_id"])}
    often = frame.assign(unit=unit).loc[frame.index.repeat(frame["query_id"].map(weights))]
    d = estimate(often, "unit")
    options: dict[str, Any] = {"values": True, "paired": False, "weights": weights, "cluster": cluster}
    (row,) = records(ltr_sql.compare(frame, ["RR"], **options, details=True))
    low, high = d.interval() or (None, None)
    wanted = {"difference": d.mean, "df": d.df, "p": d.p(), "low": low, "high": high}
    assert {name: row[name] for name in wanted} == pytest.approx(wanted, rel=1e-10, abs=1e-12)


def test_a_switch_is_on_or_off() -> None:
    frame = arms(2)
    off = ltr_sql.compare(frame, ["RR"], values=True, paired=False)
    values: list[Any] = [0, np.False_]
    for value in values:
        pd.testing.assert_frame_equal(ltr_sql.compare(frame, ["RR"], values=True, paired=value), off)
    with pytest.raises(InputError, match="paired must be True or False, got 'no'"):
        ltr_sql.compare(frame, ["RR"], values=True, **{"paired": "no"})  # type: ignore[arg-type]


def test_clusters_in_both_arms_are_refused(con: duckdb.DuckDBPyConnection) -> None:
    frame = arms(1, shared=2)
    with pytest.raises(InputError, match=r"the systems a and b share clusters \(2\), such as u0: with paired=False"):
        ltr_sql.compare(frame, ["RR"], values=True, paired=False, cluster="user_id")
    con.register("given", frame)
    with pytest.raises(duckdb.Error, match=r"share clusters \(2\), such as u0: with paired := false"):
        con.execute("from ltr.compare_values('given', ['RR'], paired := false, cluster := 'user_id')")
    with pytest.raises(duckdb.Error, match="paired := false applies to the t test"):
        con.execute("from ltr.compare_values('given', ['RR'], paired := false, test := 'sign')")


def test_few_clusters_of_arms() -> None:
    warned = "47 clusters are few, so p is somewhat too small: collect more clusters"
    with pytest.warns(InputWarning, match=warned):
        ltr_sql.compare(arms(1, users=22), ["RR"], values=True, paired=False, cluster="user_id")
    # One arm with few clusters has few degrees of freedom, however many the other has.
    uneven = arms(1, users=100)
    few = uneven["user_id"].isin(uneven.loc[uneven["system"] == "a", "user_id"].unique()[20:])
    with pytest.warns(InputWarning, match="clusters are few, so p is somewhat too small"):
        ltr_sql.compare(uneven[~few], ["RR"], values=True, paired=False, cluster="user_id")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ltr_sql.compare(uneven, ["RR"], values=True, paired=False, cluster="user_id")
        ltr_sql.compare(arms(1, users=22), ["RR"], values=True, paired=False)


def test_values_that_are_null() -> None:
    frame = arms(1, users=30)
    frame.loc[frame["RR"] < 0.3, "RR"] = None
    nulls = int(frame["RR"].isna().sum())
    left_out = f"{nulls} of {len(frame)} values of RR are NULL, and left out: write 0 where a search without a click"
    with pytest.warns(InputWarning, match=left_out):
        ltr_sql.compare(frame, ["RR"], values=True, paired=False)


def test_values_beyond_the_range_of_their_measure() -> None:
    frame = arms(1, users=30)
    positions = frame.assign(RR=1 + frame.index % 5)
    with pytest.warns(InputWarning, match=r"a mean of RR is 3\.\d+, beyond its range \[0, 1\]: is the column another"):
        ltr_sql.compare(positions, ["RR"], values=True, paired=False)
    # Other names have no range, and DCG no upper bound.
    for name in ("clicks", "DCG@5"):
        ltr_sql.compare(positions.rename(columns={"RR": name}), [name], values=True, paired=False)


@pytest.mark.parametrize("option", ["--cluster", "--weights"])
def test_a_column_on_the_command_line(option: str, tmp_path: Any) -> None:
    frame = arms(1, users=100).assign(amount=lambda t: 1.0 + t.index % 3)
    frame.to_csv(tmp_path / "log.csv", index=False)
    column = {"--cluster": "user_id", "--weights": "amount"}[option]
    call = f"compare --values {tmp_path}/log.csv --unpaired --baseline a --format json --details"
    result = CliRunner().invoke(main, [*call.split(), "-m", "RR", option, column])
    (row,) = json.loads(result.stdout)
    paired_off: dict[str, Any] = {"values": True, "paired": False, "baseline": "a", "details": True}
    (wanted,) = records(ltr_sql.compare(frame, ["RR"], **{**paired_off, option[2:]: column}))
    assert {name: row[name] for name in ("difference", "low", "high", "p")} == pytest.approx(
        {name: wanted[name] for name in ("difference", "low", "high", "p")}, abs=1e-12
    )
    missing = CliRunner().invoke(main, [*call.split(), option, "nowhere"])
    assert missing.exit_code != 0
    assert "missing column nowhere" in missing.stdout


def test_messages_name_the_option(con: duckdb.DuckDBPyConnection, tmp_path: Any) -> None:
    frame = arms(1).drop(columns="user_id")
    with pytest.raises(InputError, match=r"no query in common .* or pass paired=False if each system saw queries"):
        ltr_sql.compare(frame, values=True)
    con.register("given", frame)
    gate = "from ltr.gate('given', 'RR worse', baseline := 'a', missing := 'skip'"
    with pytest.raises(duckdb.Error, match="if each saw queries of its own, pass paired := false"):
        con.execute(f"{gate})")
    frame.to_csv(tmp_path / "log.csv", index=False)
    call = ["compare", "--values", str(tmp_path / "log.csv"), "--baseline", "a"]
    assert "or pass --unpaired if each system" in CliRunner().invoke(main, call).output


def test_gates(con: duckdb.DuckDBPyConnection, tmp_path: Any) -> None:
    frame = arms(4, users=30)
    frame.loc[frame["system"] == "b", "RR"] -= 0.4
    con.register("given", frame)
    gate = "from ltr.gate('given', 'RR {}', baseline := 'a', paired := false, cluster := 'user_id')"
    with pytest.raises(duckdb.Error, match="the gate failed: RR significantly worse: b"):
        con.execute(gate.format("significantly worse"))
    ((queries, difference),) = con.execute(
        f"select queries, difference from ({gate.format('worse by > 0.9')})"
    ).fetchall()
    assert (queries, difference) == (len(frame), pytest.approx(estimate(frame, None).mean))
    path = tmp_path / "log.csv"
    frame.drop(columns="user_id").to_csv(path, index=False)
    call = ["compare", "--values", str(path), "--baseline", "a", "--unpaired", "--fail-if"]
    failed = CliRunner().invoke(main, [*call, "RR significantly worse"])
    assert (failed.exit_code, "Welch's t test" in failed.output) == (1, True)
    assert CliRunner().invoke(main, [*call, "RR significantly worse by > 0.9"]).exit_code == 0


def periods(seed: int, *, returning: bool) -> pd.DataFrame:
    """Draw sessions of users in three weeks. If `returning`, half of the users of a week were there before."""
    chance = random.Random(seed)
    rows = []
    for week in (1, 2, 3):
        for u in range(10):
            own, name = chance.random(), f"u{u}" if returning and u < 5 else f"{week}u{u}"
            for visit in range(chance.randint(1, 4)):
                rows.append((week, name, f"q{week}{u}{visit}", chance.choice([own, own, 0.0, 1.0])))
    return pd.DataFrame(rows, columns=["week", "user_id", "query_id", "RR"])


@pytest.mark.default("False")
@pytest.mark.parametrize("returning", [False, True])
def test_trend_of_users(returning: bool, con: duckdb.DuckDBPyConnection) -> None:
    frame = periods(7, returning=returning)
    con.register("log", frame)
    found = ltr_sql.trend(frame, ["RR"], values=True, cluster="user_id", adjust="none")
    in_sql = con.execute("from ltr.trend('log', measures := ['RR'], cluster := 'user_id', adjust := 'none')").df()
    pd.testing.assert_frame_equal(in_sql, found)
    first, *others = records(found)
    for row in (first, *others):
        of = frame[frame["week"] == row["week"]]
        wanted = oracle.clustered_mean(of["RR"].tolist(), of["user_id"].tolist())
        assert (row["mean"], row["low"], row["high"]) == pytest.approx((wanted.mean, *(wanted.interval() or ())))
    for row in others:
        before, after = (frame[frame["week"] == week] for week in (row["previous"], row["week"]))
        values, users = ((before[name].tolist(), after[name].tolist()) for name in ("RR", "user_id"))
        d = oracle.change_of_clusters(*values, users)
        assert row["pairing"] == "unpaired"
        wanted_row = (d.mean, d.p(), *(d.interval() or ()))
        named = ("difference", "p", "difference_low", "difference_high")
        assert tuple(row[name] for name in named) == pytest.approx(wanted_row, rel=1e-10, abs=1e-12)


@pytest.mark.filterwarnings("ignore:queries left out")
def test_trend_of_users_on_common_queries() -> None:
    frame = periods(8, returning=True)
    frame["query_id"] = frame.groupby("week").cumcount()
    users = {q: f"u{q % 6}" for q in frame["query_id"]}
    found = records(ltr_sql.trend(frame, ["RR"], values=True, cluster=users, adjust="none"))
    compared = ltr_sql.compare(
        frame,
        ["RR"],
        values=True,
        compared="week",
        cluster=users,
        adjust="none",
        baseline="1",
        check=False,
        details=True,
    )
    assert (found[1]["pairing"], found[1]["p"]) == ("paired", pytest.approx(compared.loc[0, "p"], rel=1e-12))


def test_a_column_of_runs_on_the_command_line(tmp_path: Any) -> None:
    ids = [(f"q{q}", f"d{d}") for q in range(12) for d in range(4)]
    qrels = pd.DataFrame(ids, columns=["query_id", "doc_id"]).assign(relevance=lambda t: t.index % 3 // 2)
    runs = {
        name: qrels[["query_id", "doc_id"]].assign(
            score=[(i * step) % 5 for i in range(len(ids))],
            user=[f"u{i // 12}" for i in range(len(ids))],
            amount=[1 + i // 4 % 3 for i in range(len(ids))],
        )
        for name, step in (("a", 3), ("b", 7))
    }
    for name, table in {"qrels": qrels, **runs}.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    files = [str(tmp_path / f"{name}.csv") for name in ("qrels", "a", "b")]
    for option, column in (("cluster", "user"), ("weights", "amount")):
        call = ["compare", *files, "-m", "RR", "--format", "json", "--details", f"--{option}", column]
        (row,) = json.loads(CliRunner().invoke(main, call).stdout)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given: dict[str, Any] = {option: column}
            (wanted,) = records(ltr_sql.compare(runs, ["RR"], qrels=qrels, details=True, **given))
        assert [row["p"], row["low"]] == pytest.approx([wanted["p"], wanted["low"]], abs=1e-12)
