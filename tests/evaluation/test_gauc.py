"""GAUC: the AUC of users, averaged with weights that the measure itself gives them."""

import math
from collections.abc import Sequence
from typing import Any

import duckdb
import pandas as pd
import pytest
from hypothesis import strategies as st
from support.reference_values import file_of, needs
from support.strategies import drawn

import ltr_sql
from ltr_sql import oracle

VALUES = file_of("gauc")
MEASURES = {"GAUC": "impressions", "GAUC(weight=clicks)": "clicks"}

LOG = pd.DataFrame(
    [
        ("u1", 0.9, 1),
        ("u1", 0.5, 0),
        ("u1", 0.5, 1),
        ("u1", 0.1, 0),
        ("u2", 0.3, 0),
        ("u2", 0.2, 1),
        ("u2", 0.1, 0),
        ("u3", 0.7, 1),
        ("u3", 0.6, 1),
    ],
    columns=["query_id", "score", "relevance"],
)
# The user u3 has one class, so 7 of the 9 impressions count.
IMPRESSIONS = {"u1": 4, "u2": 3, "u3": 2}


def ranked(log: pd.DataFrame) -> pd.DataFrame:
    """Return a log with a rank for each score, which equal scores share."""
    return log.assign(rank=log.groupby("query_id")["score"].rank(ascending=False, method="min").astype(int))


def by_oracle(log: pd.DataFrame, weight: str, rel: float = 1) -> float:
    """Return the weighted mean of the oracle's values of users; NaN if no user has both classes."""
    total = weights = 0.0
    for _, rows in ranked(log).groupby("query_id"):
        columns = rows["rank"].to_numpy(), rows["relevance"].to_numpy()
        value = oracle.gauc(*columns, rel=rel, weight=weight)
        if not math.isnan(value):
            of_user = oracle.gauc_weight(*columns, rel=rel, weight=weight)
            total, weights = total + of_user * value, weights + of_user
    return total / weights if weights else float("nan")


def by_sql(con: duckdb.DuckDBPyConnection, log: pd.DataFrame, measures: Sequence[str]) -> list[Any]:
    con.register("log", ranked(log))
    (row,) = con.execute("from ltr.evaluate('log', ?)", [measures]).fetchall()
    return list(row[1:])


def test_values_by_hand(con: duckdb.DuckDBPyConnection) -> None:
    means = [(4 * 7 / 8 + 3 * 1 / 2) / 7, (2 * 7 / 8 + 1 * 1 / 2) / 3]
    (row,) = ltr_sql.evaluate(LOG, MEASURES).to_dict("records")
    assert row == {
        "queries": 3,
        **{text: pytest.approx(mean, abs=1e-12) for text, mean in zip(MEASURES, means, strict=True)},
    }
    assert by_sql(con, LOG, [*MEASURES]) == pytest.approx(means, abs=1e-12)
    assert [by_oracle(LOG, weight) for weight in MEASURES.values()] == pytest.approx(means, abs=1e-12)


def test_impressions_without_a_rank_do_not_count() -> None:
    rankings = ranked(LOG)[["query_id", "rank", "relevance"]]
    others = pd.DataFrame({"query_id": ["u2", "u2", "u1"], "rank": [None, None, 9], "relevance": [1, 0, None]})
    found = ltr_sql.evaluate(pd.concat([rankings, others]).astype({"rank": "Int64"}), [*MEASURES])
    assert found.iloc[0, 1:].tolist() == pytest.approx([by_oracle(LOG, w) for w in MEASURES.values()], abs=1e-12)


LOGS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from([0.1, 0.25, 0.5, 1e-9]), st.sampled_from([0, 1, 2, 0.5])),
    min_size=1,
    max_size=25,
)


@pytest.mark.slow
def test_means_equal_the_oracle(con: duckdb.DuckDBPyConnection) -> None:
    logs = [pd.DataFrame(rows, columns=list(LOG)) for rows in drawn(LOGS, 30)]
    every = pd.concat([log.assign(example=number) for number, log in enumerate(logs)])
    con.register("log", pd.concat([ranked(log).assign(example=number) for number, log in enumerate(logs)]))
    for rel in (1, 2):
        texts = [f"GAUC(rel={rel}, weight={weight})" for weight in MEASURES.values()]
        in_sql = con.execute("from ltr.evaluate('log', ?, keys := ['example']) order by example", [texts]).df()
        in_python = ltr_sql.evaluate(every, texts, keys=["example"], check=False)
        for number, log in enumerate(logs):
            expected = pytest.approx(
                [by_oracle(log, weight, rel) for weight in MEASURES.values()], abs=1e-12, nan_ok=True
            )
            assert list(in_sql.loc[number, texts].astype(float)) == expected
            assert list(in_python.loc[number, texts].astype(float)) == expected


def test_a_run_with_judgments_keys_and_measures_of_another_rule() -> None:
    """Measures under several tie-breaking rules are joined, and the weights of GAUC with them."""
    log = LOG.assign(doc_id=[f"d{i}" for i in range(len(LOG))])
    run, qrels = log.drop(columns="relevance"), log.drop(columns="score")
    both = pd.concat([run.assign(system="a"), run.assign(system="b", score=-run["score"])])
    found = ltr_sql.evaluate(both, ["GAUC", "nDCG@2"], qrels=qrels, keys=["system"], convention="sklearn")
    turned = LOG.assign(score=-LOG["score"])
    assert found["GAUC"].tolist() == pytest.approx(
        [by_oracle(LOG, "impressions"), by_oracle(turned, "impressions")], abs=1e-12
    )
    evaluator = ltr_sql.Evaluator(["GAUC"], qrels, ties="expected")
    assert evaluator.evaluate(run)["GAUC"].item() == pytest.approx(by_oracle(LOG, "impressions"), abs=1e-12)


@pytest.mark.slow
@needs(VALUES)
def test_values_of_scikit_learn(con: duckdb.DuckDBPyConnection) -> None:
    log = pd.read_csv(VALUES / "input.csv")
    expected = pd.read_csv(VALUES / "expected.csv").set_index("field")["value"]
    means = pytest.approx([expected["mean"], expected["by_impressions"], expected["by_clicks"]], rel=0, abs=1e-9)
    assert by_sql(con, log, ["AUC", *MEASURES]) == means
    assert list(ltr_sql.evaluate(log, ["AUC", *MEASURES]).iloc[0, 1:]) == means
    assert [by_oracle(log, weight) for weight in MEASURES.values()] == pytest.approx(
        [expected["by_impressions"], expected["by_clicks"]], rel=0, abs=1e-9
    )
    users = pd.read_csv(VALUES / "by_user.csv").set_index("query_id")
    found = ltr_sql.evaluate(log, ["GAUC"], by_query=True).set_index("query_id")["GAUC"].dropna()
    assert found.index.sort_values().tolist() == users.index.sort_values().tolist()
    assert found.to_dict() == pytest.approx(users["auc"].to_dict(), rel=0, abs=1e-9)
    for query_id, rows in ranked(log).groupby("query_id"):
        if query_id in users.index:
            columns, user = (rows["rank"].to_numpy(), rows["relevance"].to_numpy()), users.loc[query_id]
            assert oracle.gauc(*columns) == pytest.approx(user["auc"], rel=0, abs=1e-9)
            assert [oracle.gauc_weight(*columns, weight=w) for w in MEASURES.values()] == [
                user["impressions"],
                user["clicks"],
            ]


def test_the_weight_is_that_of_the_queries_that_count(con: duckdb.DuckDBPyConnection) -> None:
    weights = pd.DataFrame({"query_id": [*IMPRESSIONS], "weight": [*IMPRESSIONS.values()]})
    con.register("log", ranked(LOG))
    con.register("impressions", weights)
    for measures, weight in ((["AUC"], 7), (["AUC", "AUC(empty=1)"], 9)):
        (row,) = ltr_sql.evaluate(LOG, measures, weights=IMPRESSIONS).to_dict("records")
        assert (row["weight"], row["AUC"]) == (weight, pytest.approx(by_oracle(LOG, "impressions"), abs=1e-12))
        query = "select weight from ltr.evaluate('log', ?, weights := 'impressions')"
        assert con.execute(query, [measures]).fetchall() == [(weight,)]
    nobody = LOG[LOG["query_id"] == "u3"]
    assert ltr_sql.evaluate(nobody, ["AUC"], weights={"u3": 2})["weight"].tolist() == [0]


@pytest.mark.parametrize(
    "call",
    [
        lambda log: ltr_sql.evaluate(log, ["GAUC(weight=clicks)"], ci="t"),
        lambda log: ltr_sql.evaluate(log, ["GAUC(weight=clicks)"], weights=IMPRESSIONS),
        lambda log: ltr_sql.distribution(log, ["GAUC(weight=clicks)"]),
        lambda log: ltr_sql.compare({"a": log, "b": log}, ["GAUC(weight=clicks)"]),
    ],
)
def test_python_refuses_what_needs_other_weights(call: Any) -> None:
    with pytest.raises(ltr_sql.InputError, match=r"weights the queries itself.*AUC for GAUC"):
        call(LOG)


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        "ltr.evaluate('log', ['GAUC'], ci := 't')",
        "ltr.evaluate('log', ['GAUC'], weights := 'impressions')",
        "ltr.distribution('log', ['GAUC'])",
        "ltr.compare('logs', ['GAUC'])",
        "ltr.compare_values('values_of_users')",
        "ltr.leaderboard('values_of_users')",
    ],
)
def test_sql_refuses_what_needs_other_weights(call: str, con: duckdb.DuckDBPyConnection) -> None:
    con.register("log", ranked(LOG))
    con.register("logs", pd.concat([ranked(LOG).assign(system="a"), ranked(LOG).assign(system="b")]))
    con.execute(
        "create or replace temp table values_of_users as from ltr.per_query('logs', ['GAUC'], keys := ['system'])"
    )
    con.execute("create or replace temp table impressions as select query_id, count(*) as weight from log group by all")
    with pytest.raises(duckdb.InvalidInputException, match=r"GAUC.* weights the queries itself"):
        con.execute(f"from {call}").fetchall()
