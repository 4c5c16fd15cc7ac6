"""Intervals of means: by the bootstrap, for queries in clusters, and for judgments that err."""

import json
import random
import re
import warnings
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats  # type: ignore[import-untyped]

import ltr_sql
from ltr_sql import InputError, InputWarning
from ltr_sql.command_line.main import main
from ltr_sql.oracle import comparison as oracle

MEASURES = ["nDCG@5", "GMAP", "NumRel"]
QUERIES = 24


def judged(seed: int) -> pd.DataFrame:
    """Return documents of queries in sessions, with a score, an LLM's grade and people's."""
    drawn, rows = random.Random(seed), []
    for query in range(QUERIES):
        for document in range(7):
            grade = drawn.choices([0, 1, 2], [4, 2, 1])[0]
            llm = min(2, grade + (drawn.random() < 0.3))
            rows.append((f"q{query:02}", f"d{document}", grade + drawn.gauss(0, 1), f"s{query % 7}", llm, grade))
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "session", "llm", "grade"])


DOCUMENTS = judged(5)
RUN = DOCUMENTS[["query_id", "doc_id", "score", "session"]]
LLM = DOCUMENTS[["query_id", "doc_id"]].assign(relevance=DOCUMENTS["llm"])
PEOPLE = LLM.assign(relevance=DOCUMENTS["grade"])[LLM["query_id"].isin([f"q{i:02}" for i in range(0, QUERIES, 2)])]
WEIGHTS = {f"q{i:02}": 1.0 + i % 3 for i in range(QUERIES)}


def quiet(function: Any, *given: Any, **options: Any) -> dict[str, Any]:
    """Return the first row of a result, without the warnings of few judged queries."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        return dict(function(*given, **options).to_dict("records")[0])


def values(qrels: pd.DataFrame) -> dict[str, list[float | None]]:
    """Return the values of all queries: logarithms for GMAP, None for queries that are not judged."""
    found = ltr_sql.evaluate(RUN, ["nDCG@5", "AP"], qrels=qrels, by_query=True, check=False).set_index("query_id")
    found = found.reindex(sorted(WEIGHTS)).assign(GMAP=lambda f: np.log(np.maximum(f["AP"], 1e-5)))
    return {name: [None if pd.isna(x) else x for x in found[name]] for name in ("nDCG@5", "GMAP", "AP")}


SESSIONS = {q: f"s{int(q[1:]) % 7}" for q in WEIGHTS}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("human", "cluster", "weights"),
    [(PEOPLE, "session", WEIGHTS), (None, SESSIONS, None), (None, "session", WEIGHTS), (PEOPLE, None, None)],
)
def test_means_of_judges_and_clusters_are_those_of_the_oracle(human: Any, cluster: Any, weights: Any) -> None:
    options = {"qrels": LLM, "ci": "t", "human": human, "cluster": cluster, "weights": weights}
    found = quiet(ltr_sql.evaluate, RUN, MEASURES, **options)
    spread = quiet(ltr_sql.distribution, RUN, ["nDCG@5"], **options)
    llm, people = values(LLM), values(PEOPLE)
    groups = [f"s{i % 7}" for i in range(QUERIES)] if cluster else None
    given = list(weights.values()) if weights else None
    for name in ("nDCG@5", "GMAP"):
        of_llm = [x for x in llm[name] if x is not None]
        expected = (
            oracle.clustered_mean(of_llm, groups or [], given)
            if human is None
            else oracle.prediction_powered_mean(of_llm, people[name], clusters=groups, weights=given)
        )
        low, high = expected.interval() or (0, 0)
        read = np.exp if name == "GMAP" else float
        row = (found[name], found[f"{name}_low"], found[f"{name}_high"])
        assert row == pytest.approx((read(expected.mean), read(low), read(high)), rel=1e-10)
        if name == "nDCG@5":
            assert [spread[c] for c in ("mean", "stderr", "low", "high")] == pytest.approx(
                [expected.mean, expected.stderr, low, high], rel=1e-10
            )
            assert spread.get("llm_weight", 0) == pytest.approx(expected.llm_weight, abs=1e-12)
            assert spread.get("clusters", 7) == 7
            assert spread.get("judged", 12) == 12
    plain = ltr_sql.evaluate(RUN, MEASURES, qrels=LLM, weights=weights)
    assert list(found)[: len(plain.columns)] == list(plain.columns)
    assert found["NumRel"] == plain["NumRel"][0]


@pytest.mark.slow
def test_bootstrap_intervals_are_those_of_differences_from_0() -> None:
    by_query = ltr_sql.evaluate(RUN, ["nDCG@5"], qrels=LLM, by_query=True).rename(columns={"nDCG@5": "x"})
    pair = pd.concat([by_query.assign(system="a", x=0.0), by_query.assign(system="b")])
    for ci in ("percentile", "bca"):
        expected = quiet(ltr_sql.compare, pair, values=True, ci=ci, baseline="a", allow_empty=True)
        if ci == "bca":
            found = quiet(ltr_sql.distribution, RUN, ["nDCG@5"], qrels=LLM, ci=ci)
            assert (found["low"], found["high"]) == pytest.approx((expected["low"], expected["high"]), rel=1e-12)
            continue
        found = quiet(ltr_sql.evaluate, RUN, MEASURES, qrels=LLM, ci=ci)
        bounds = (found["nDCG@5_low"], found["nDCG@5_high"])
        assert bounds == pytest.approx((expected["low"], expected["high"]), rel=1e-12)
        assert found["GMAP_low"] < found["GMAP"] < found["GMAP_high"]


@pytest.mark.slow
def test_each_group_has_the_interval_of_its_own() -> None:
    """Systems, segments and totals: as if each were evaluated alone. Rows keep their order."""
    runs = {"z": RUN, "a": RUN.assign(score=-RUN["score"])}
    options: dict[str, Any] = {"qrels": LLM, "human": PEOPLE, "ci": "t"}
    with pytest.warns(InputWarning, match="people judged 12 queries"):
        both = ltr_sql.evaluate(runs, MEASURES, **options)
    assert list(both["system"]) == ["z", "a"]
    for name, row in zip(both["system"], both.drop(columns="system").to_dict("records"), strict=True):
        assert row == pytest.approx(quiet(ltr_sql.evaluate, runs[name], MEASURES, **options))
    segments = RUN.assign(half=np.where(RUN["query_id"] < "q12", "first", "second"))
    spread = ltr_sql.distribution(
        segments, ["nDCG@5", "AP"], qrels=LLM, keys=["half"], missing="skip", totals=True, cluster="session"
    )
    assert [
        *zip(spread["half"].astype(object).where(spread["half"].notna(), None), spread["measure"], strict=True)
    ] == [(half, name) for half in ("first", "second", None) for name in ("nDCG@5", "AP")]
    alone = quiet(ltr_sql.distribution, RUN, ["nDCG@5"], qrels=LLM, cluster="session")
    assert spread.iloc[4].drop(["half", "total"]).to_dict() == pytest.approx(alone)


@pytest.mark.slow
def test_intervals_in_sql_are_those_of_python() -> None:
    con = ltr_sql.register(duckdb.connect())
    con.register("documents", DOCUMENTS)
    con.execute("create table ranked as select *, llm as relevance, query_id < 'q12' as \"ha'lf{\" from documents")
    con.execute("create table judged as from ltr.rank_by_score('ranked', keys := ['ha''lf{'])")
    con.execute(
        "create table weights as select distinct query_id, 1 + cast(query_id[2:] as int) % 3 as weight from judged"
    )
    for keys, weights in (([], "weights"), (["ha'lf{"], None)):
        found = con.execute(
            "from ltr.evaluate('judged', $1, ci := 't', keys := $2, weights := $3)",
            [["nDCG@3,5", "GMAP", "NumRel", "AP(rel=2)"], keys, weights],
        ).df()
        expected = ltr_sql.evaluate(
            con.table("judged").df(),
            ["nDCG@3,5", "GMAP", "NumRel", "AP(rel=2)"],
            keys=keys,
            ci="t",
            weights=None if weights is None else con.table("weights").df(),
        )
        same = [*keys, "queries"]
        pd.testing.assert_frame_equal(
            found.sort_values(same, ignore_index=True),
            expected.sort_values(same, ignore_index=True),
            check_dtype=False,
            rtol=1e-12,
        )
    for options, message in {
        "ci := 'bca'": "ci must be 't', got bca: ltr_sql.evaluate and the command ltr-sql evaluate have the other",
        "ci := 't', totals := true": "ci has no intervals of totals",
    }.items():
        with pytest.raises(duckdb.Error, match=re.escape(message)):
            con.execute(f"from ltr.evaluate('judged', ['AP'], {options})")
    with pytest.raises(duckdb.Error, match="these measures are sums over queries: leave ci out"):
        con.execute("from ltr.evaluate('judged', ['NumRel'], ci := 't')")


PARTLY = PEOPLE[~((PEOPLE["query_id"] == "q04") & (PEOPLE["doc_id"] == "d3"))]


@pytest.mark.default(
    "options10-reads no judgments, so people's do not correct it",
    "options6-nowhere",
    "options9-these measures are sums over queries: leave ci out",
    "options4-people judged only some documents of 1 query (Judged): q04",
)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cluster": "session"}, "cluster is for the intervals of Student's t: pass ci='t', or leave cluster out"),
        ({"human": PEOPLE, "ci": "bca"}, "human is for the intervals of Student's t: pass ci='t' instead of ci='bca'"),
        ({"weights": WEIGHTS, "ci": "abc"}, "weights apply to ci='t', not to ci='abc'"),
        ({"ci": "tukey"}, "ci must be 'abc', 'bca', 'percentile' or 't', got 'tukey'"),
        ({"ci": "t", "human": PARTLY}, "people judged only some documents of 1 query (Judged): q04"),
        ({"ci": "t", "cluster": {"q00": "s"}}, "cluster has no cluster of the query"),
        ({"ci": "t", "cluster": "nowhere"}, "nowhere"),
        ({"ci": "t", "by_query": True, "human": PEOPLE}, "ci is for means: leave out ci, or leave out by_query"),
        ({"ci": "t", "allow_unjudged": None}, "allow_unjudged"),
        ({"measures": ["NumRel"], "ci": "t"}, "these measures are sums over queries: leave ci out"),
        (
            {"measures": ["ILD@3"], "ci": "t", "human": PEOPLE},
            "reads no judgments, so people's do not correct it",
        ),
    ],
)
def test_refused_intervals(options: dict[str, Any], message: str) -> None:
    given = {"measures": MEASURES, "qrels": LLM, **options}
    with pytest.raises(InputError, match=re.escape(message)):
        quiet(ltr_sql.evaluate, RUN, given.pop("measures"), **given)


@pytest.mark.slow
def test_intervals_on_the_command_line(tmp_path: Path) -> None:
    paths = {name: str(tmp_path / f"{name}.csv") for name in ("llm", "people", "run", "clusters")}
    for name, table in {"llm": LLM, "people": PEOPLE, "run": RUN.drop(columns="session")}.items():
        table.to_csv(paths[name], index=False)
    RUN[["query_id", "session"]].drop_duplicates().rename(columns={"session": "cluster"}).to_csv(
        paths["clusters"], index=False
    )
    judges = ["--human", paths["people"], "--cluster", paths["clusters"], "--ci", "t"]
    called: dict[tuple[str, ...], dict[str, Any]] = {
        ("--ci", "percentile"): {"ci": "percentile"},
        tuple(judges): {"ci": "t", "human": PEOPLE, "cluster": "session"},
    }
    for options, given in called.items():
        shown = CliRunner().invoke(
            main, ["evaluate", paths["llm"], paths["run"], "-m", "nDCG@5", "--format", "json", *options]
        )
        assert shown.exit_code == 0, shown.output
        expected = quiet(ltr_sql.evaluate, RUN, ["nDCG@5"], qrels=LLM, **given)
        (found,) = json.loads(shown.stdout)
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("confidence", [0.5, 0.99])
def test_the_coverage_of_intervals_is_confidence(confidence: float, con: duckdb.DuckDBPyConnection) -> None:
    """All interfaces give the interval of scipy."""
    x = ltr_sql.evaluate(RUN, ["nDCG@5"], qrels=LLM, by_query=True)["nDCG@5"].to_numpy()
    expected = stats.t.interval(confidence, len(x) - 1, loc=x.mean(), scale=stats.sem(x))
    ranked = RUN.merge(LLM).assign(rank=lambda f: f.groupby("query_id")["score"].rank(ascending=False).astype(int))
    con.register("ranked", ranked)
    of_mean = quiet(ltr_sql.evaluate, RUN, ["nDCG@5"], qrels=LLM, ci="t", confidence=confidence)
    spread = quiet(ltr_sql.distribution, RUN, ["nDCG@5"], qrels=LLM, confidence=confidence)
    sql = f"from ltr.evaluate('ranked', ['nDCG@5'], ci := 't', confidence := {confidence})"
    of_sql = dict(con.execute(sql).df().iloc[0])
    of_spread = con.execute(f"select low, high from ltr.distribution('ranked', ['nDCG@5'], confidence := {confidence})")
    found = [
        (of_mean["nDCG@5_low"], of_mean["nDCG@5_high"]),
        (spread["low"], spread["high"]),
        (of_sql["nDCG@5_low"], of_sql["nDCG@5_high"]),
        of_spread.fetchone(),
    ]
    assert found == [pytest.approx(expected, abs=1e-12)] * 4


@pytest.mark.slow
def test_confidence_applies_to_all_intervals() -> None:
    """Bootstrap, people and clusters: a smaller coverage gives an interval within."""
    for options in ({"ci": "bca"}, {"ci": "t", "cluster": "session"}, {"ci": "t", "human": PEOPLE}):
        ends = []
        for confidence in (0.95, 0.8):
            row = quiet(ltr_sql.evaluate, RUN, ["nDCG@5"], qrels=LLM, confidence=confidence, **options)
            ends.append((row["nDCG@5_low"], row["nDCG@5_high"]))
        assert ends[0][0] < ends[1][0] < ends[1][1] < ends[0][1], options


@pytest.mark.parametrize("confidence", [0, 1, 1.5, -0.1])
def test_a_confidence_out_of_range_is_refused(confidence: float, con: duckdb.DuckDBPyConnection) -> None:
    message = f"confidence must be between 0 and 1, such as 0.95, got {confidence}"
    with pytest.raises(InputError, match=message):
        ltr_sql.evaluate(RUN, ["nDCG@5"], qrels=LLM, ci="t", confidence=confidence)
    con.register("ranked", RUN.assign(rank=1, relevance=1).drop_duplicates("query_id"))
    with pytest.raises(duckdb.Error, match=message):
        con.execute(f"from ltr.distribution('ranked', ['RR'], confidence := {confidence})")
