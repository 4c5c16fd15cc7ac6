"""Tables of runs, logs, ratings and values that look ordinary. None may give a wrong number."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import ltr_sql
from ltr_sql import InputError

Con = duckdb.DuckDBPyConnection


@pytest.fixture
def con(con: Con) -> Iterator[Con]:
    """Connection with the macros to an empty database, whose collation tests may set."""
    yield con
    con.execute("reset default_collation")


# Invalid ranks

OF_RUNS: dict[str, Callable[[Con], Any]] = {
    "fuse": lambda con: ltr_sql.fuse("runs", con=con),
    "pool": lambda con: ltr_sql.pool("runs", con=con),
    "unique_documents": lambda con: ltr_sql.unique_documents("runs", con=con),
    "agreement": lambda con: ltr_sql.agreement(con.sql("from runs where system = 's'"), "t", ["RBO"], con=con),
    "all pairs": lambda con: ltr_sql.agreement("runs", measures=["RBO"], keys=["system"], con=con),
    "beyond accuracy": lambda con: ltr_sql.evaluate("runs", ["Coverage@2"], documents="t", keys=["system"], con=con),
}
WRONG_RANKS = {
    "null": "a row of a run has no rank",
    "'nan'::double": "a rank, score or grade is not a number",
    "1.5": "a rank is not a whole number",
    "0": "a rank is below 1",
    "'x'": "a rank, score or grade is not a number",
}


def runs_with(con: Con, rank: str) -> None:
    con.execute(
        f"create table runs as select *, 1 as score from (values ('s', 'q', 'a', {rank}), ('s', 'q', 'b', "
        f"{'1' if rank[-1:] != chr(39) else chr(39) + '1' + chr(39)}), ('t', 'q', 'b', '1')) "
        "as v(system, query_id, doc_id, rank)"
    )
    con.execute("create table t as select * from runs where system = 't'")


@pytest.mark.default("null-fuse")
@pytest.mark.parametrize("name", OF_RUNS)
@pytest.mark.parametrize("rank", WRONG_RANKS)
def test_wrong_ranks_are_refused(name: str, rank: str, con: Con) -> None:
    runs_with(con, rank)
    with pytest.raises(InputError, match=WRONG_RANKS[rank]):
        OF_RUNS[name](con)


@pytest.mark.default("1.5")
@pytest.mark.parametrize("rank", ["1.5", "0", "'nan'::double"])
def test_macros_of_pools_refuse_wrong_ranks(rank: str, con: Con) -> None:
    runs_with(con, rank)
    for macro in ("pool", "unique_documents", "fuse"):
        with pytest.raises(duckdb.InvalidInputException, match="ranks must be whole numbers"):
            con.execute(f"from ltr.{macro}('runs')")


@pytest.mark.slow
def test_a_row_of_a_run_without_a_rank_is_refused(con: Con) -> None:
    rows = "('s', 'q', 'a', 1, 1), ('s', 'q', 'b', null, 1), ('t', 'q', 'a', 2, 1), ('t', 'q', 'b', 1, 1)"
    con.execute(f"create table runs as from (values {rows}) as v(system, query_id, doc_id, rank, score)")
    con.execute("create table run as from runs where system = 's'")
    con.execute("create table qrels as select query_id, doc_id, 1 as relevance from run")
    pairs = "pair('run', 'run')", "compare_rankings('run', 'run', ['RBO'])"
    lists = "judge('run', 'qrels')", "coverage('run', documents := 'qrels')"
    for call in ("fuse('runs')", "pool('runs')", "unique_documents('runs')", *pairs, *lists):
        with pytest.raises(duckdb.InvalidInputException, match="a row of a run has no rank: remove"):
            con.execute(f"from ltr.{call}")
    for function in (ltr_sql.fuse, ltr_sql.pool, ltr_sql.unique_documents, ltr_sql.agreement):
        with pytest.raises(InputError, match=r"a row of a run has no rank\. What to do: remove"):
            function("runs", con=con)


# Ids of bytes


@pytest.mark.slow
def test_bytes_in_dicts_equal_text() -> None:
    # As text, the escape \xc3 would come before z.
    run = {b"q": {"\u00e9".encode(): 1.0, b"z": 1.0}}
    for qrels in ({"q": {"\u00e9": 1}}, {b"q": {"\u00e9".encode(): 1}}):
        found = ltr_sql.evaluate(run, ["RR"], qrels=qrels, by_query=True)
        assert found.to_numpy().tolist() == [["q", 1]]
        assert ltr_sql.Evaluator(["RR"], qrels).evaluate(run)["RR"].tolist() == [1]
    assert ltr_sql.evaluate({b"s": run}, ["RR"], qrels=qrels)["system"].tolist() == ["s"]
    with pytest.raises(InputError, match=r"b'\\xff' is not UTF-8: pass ids as text"):
        ltr_sql.evaluate({"q": {b"\xff": 1.0}}, ["RR"], qrels=qrels)


@pytest.mark.default("bytearray")
@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_bytearrays_equal_text(kind: type) -> None:
    # DuckDB returns BLOB columns as bytearray.
    ids = [kind("\u00e9".encode()), kind(b"z")]
    run = pd.DataFrame({"query_id": "q", "doc_id": pd.Series(ids, dtype=object), "score": 1.0})
    for function in (ltr_sql.evaluate, lambda *given, qrels: ltr_sql.Evaluator(given[1], qrels).evaluate(given[0])):
        assert function(run, ["RR"], qrels={"q": {"\u00e9": 1}})["RR"].tolist() == [1]


OF_BYTES = [
    "judge('run', 'qrels')",
    "rank_by_score('run')",
    "pair('run', 'run')",
    "fuse('runs')",
    "pool('runs')",
    "unique_documents('runs')",
    "click_judgments('log')",
    "position_bias('log')",
    "interleaving('log')",
    "rater_agreement('ratings')",
    "rater_confusion('ratings')",
    "merge_judgments('ratings')",
    "off_policy('log', ['ips'])",
    "distribution('log', ['AP'])",
]


@pytest.mark.default("unique_documents('runs')")
@pytest.mark.parametrize("call", OF_BYTES)
def test_macros_refuse_ids_of_bytes(call: str, con: Con) -> None:
    con.execute("create table run as select 'q' as query_id, encode(d) as doc_id, 1 as score, 1 as relevance from "
                "(values ('\u00e9'), ('z')) as v(d)")  # fmt: skip
    con.execute("create table qrels as from run")
    con.execute("create table runs as select s as system, * from run, (values ('s'), ('t')) as v(s)")
    con.execute(
        "create table log as select encode(query_id) as query_id, doc_id, relevance, 's' as session_id, 'a' as team, "
        "row_number() over () as rank, 1 as click, 1 as reward, 1 as propensity, 1 as target from run"
    )
    con.execute("create table ratings as select s as rater, * from run, (values ('s'), ('t')) as v(s)")
    with pytest.raises(duckdb.InvalidInputException, match=r"ids are bytes \(BLOB\): select them as text"):
        con.execute(f"from ltr.{call}")


# Ids that a collation compares as equal

COLLATED = {
    "runs": "('s', 'q', 'd', 1), ('t', 'q', 'D', 1)) as v(system, query_id, doc_id, score)",
    "named": "('s', 'q', 'd', 1), ('S', 'q', 'e', 1)) as v(system, query_id, doc_id, score)",
    "v": "('s', 'q', 1), ('t', 'Q', 1)) as v(system, query_id, AP)",
    "log": "('x', 'q', 'a', 1, 1, 'a'), ('X', 'q', 'b', 2, 1, 'b')) "
    "as v(session_id, query_id, doc_id, rank, click, team)",
    "ratings": "('r', 'q', 'd', 1), ('R', 'q', 'd', 1)) as v(rater, query_id, doc_id, relevance)",
    "rounds": "('q', 1.0, 0.5, 0.5), ('Q', 1.0, 0.5, 0.5)) as v(query_id, reward, propensity, target)",
    "rankings": "('q', 1, 1), ('Q', 1, 1)) as v(query_id, rank, relevance)",
}
OF_COLLATED = [
    *("fuse('runs')", "fuse('named')", "pool('runs')", "pool('named')", "unique_documents('runs')"),
    *("compare_values('v')", "wins('v', 's', 't')", "interleaving('log')", "click_judgments('log', 'cascade')"),
    *("position_bias('log')", "rater_agreement('ratings')", "rater_confusion('ratings')"),
    "merge_judgments('ratings')",
    *("off_policy('rounds', ['ips'])", "distribution('rankings', ['AP'])"),
]


@pytest.mark.default("fuse('runs')")
@pytest.mark.parametrize("call", OF_COLLATED)
def test_macros_refuse_collations(call: str, con: Con) -> None:
    con.execute("set default_collation = 'nocase'")
    for name, rows in COLLATED.items():
        con.execute(f"create table {name} as from (values {rows}")
    with pytest.raises(duckdb.InvalidInputException, match="ids are compared by a collation"):
        con.execute(f"from ltr.{call}")


# Keys and weights that a collation compares as equal

KEYED = [
    "rr('t', {})",
    "evaluate('t', ['RR'], {})",
    "distribution('t', ['RR'], {})",
    "explain('t', 'q', 'RR', {})",
    "rbo('pairs', {})",
    "judge('run', 'qrels', {})",
    "judge('run', 't', {})",
    "pair('run', 'run', {})",
    "rank_by_score('t', {})",
    "pair_with_ideal('t', {})",
    "coverage('run', documents := 'qrels', {})",
    "compare_values('v', {})",
    "compare_values('v', repeats := ['country'])",
    "leaderboard('v', {})",
    "system_agreement('v', {})",
    "trend('v', 'week', measures := ['AP'], {})",
    "wins('v', 's', 't', {})",
    "variance('v', {})",
    "fuse('run', {})",
    "pool('run', {})",
    "unique_documents('run', {})",
    "click_judgments('t', {})",
    "position_bias('t', {})",
    "interleaving('t', {})",
    "merge_judgments('t', {})",
    "rater_agreement('t', {})",
    "rater_confusion('t', {})",
    "off_policy('t', ['ips'], {})",
]


@pytest.mark.default("rr('t', {})")
@pytest.mark.parametrize("call", KEYED)
def test_macros_refuse_keys_with_a_collation(call: str, con: Con) -> None:
    con.execute(
        "create table t as select c collate nocase as country, c as system, c as rater, c as session_id, 'a' as team, "
        "'q' as query_id, c as doc_id, 1 as rank, 1 as score, 1 as relevance, 1 as click, 0.5 as propensity, "
        "0.5 as target, 1 as reward from (values ('de'), ('DE')) as v(c)"
    )
    con.execute("create table pairs as select *, rank as rank_a, rank as rank_b from t")
    con.execute("create table run as select country, system, query_id, doc_id, score from t")
    con.execute("create table qrels as select query_id, doc_id, relevance from t")
    con.execute("create table v as select country, system, 1 as week, query_id, score as AP from t")
    with pytest.raises(duckdb.InvalidInputException, match="ids are compared by a collation"):
        con.execute(f"from ltr.{call.format('keys := [' + repr('country') + ']')}")


GIVEN = {
    "documents": ("doc_id", "beyond_accuracy('run', ['Gini', 'ILD'], documents := 'documents')"),
    "history": ("query_id", "novelty('run', history := 'history')"),
}


@pytest.mark.default("history")
@pytest.mark.parametrize("table", GIVEN)
def test_macros_refuse_ids_with_a_collation_in_every_table(table: str, con: Con) -> None:
    column, call = GIVEN[table]
    con.execute("create table run as from (values ('q', 'd', 2), ('q', 'D', 1)) as v(query_id, doc_id, score)")
    con.execute("create table documents as from (values ('d', 'x'), ('D', 'y')) as v(doc_id, category)")
    con.execute("create table history as from (values ('q', 'd'), ('Q', 'D')) as v(query_id, doc_id)")
    assert len(con.execute(f"from ltr.{call}").fetchall()) == 1
    con.execute(f"create table c as select * replace ({column} collate nocase as {column}) from {table}")
    with pytest.raises(duckdb.InvalidInputException, match="ids are compared by a collation"):
        con.execute(f"from ltr.{call.replace(repr(table), repr('c'))}")


@pytest.mark.slow
def test_weights_compare_by_bytes(con: Con) -> None:
    con.execute(
        "create table t as from (values ('q', 'd', 1, 1), ('Q', 'd', 1, 0)) as v(query_id, doc_id, rank, relevance)"
    )
    con.execute(
        "create table runs as select query_id as system, 'q' as query_id, 'd' || query_id as doc_id, 1 as score from t"
    )
    weights = "(values ('q', 3), ('Q', 1)) as v(query_id, weight)"
    for collation in ("", " collate nocase"):
        con.execute(f"create or replace table w as select query_id{collation} as query_id, weight from {weights}")
        con.execute("create or replace table ws as select query_id as system, weight from w")
        assert con.execute("select RR from ltr.evaluate('t', ['RR'], weights := 'w')").fetchall() == [(0.75,)]
        assert con.execute("select mean from ltr.distribution('t', ['RR'], weights := 'w')").fetchall() == [(0.75,)]
        fused = con.execute("select doc_id, score from ltr.fuse('runs', 'comb_sum', weights := 'ws') order by score")
        assert fused.fetchall() == [("dQ", 1), ("dq", 3)]


# Ids in two Unicode forms


def test_ids_in_two_unicode_forms_are_shown() -> None:
    runs = {"a": {"q": {"caf\u00e9": 1.0, "x": 0.5}}, "b": {"q": {"cafe\u0301": 1.0, "x": 0.5}}}
    ratings = {name: {"q": dict.fromkeys(run["q"], 1)} for name, run in runs.items()}
    calls: list[Callable[[], Any]] = [
        lambda: ltr_sql.fuse(runs),
        lambda: ltr_sql.pool(runs),
        lambda: ltr_sql.agreement(runs),
        lambda: ltr_sql.agreement(runs["a"], runs["b"]),
        lambda: ltr_sql.merge_judgments(ratings),
    ]
    for call in calls:
        with pytest.warns(ltr_sql.InputWarning, match=r"in several Unicode normal forms \(1\): 'cafe\u0301'") as warned:
            call()
        assert {warning.filename for warning in warned} == {__file__}


# Names of tables, and names that are categories


@pytest.mark.slow
@pytest.mark.parametrize("name", ["{keys}", "\x01log", "a'b"])
def test_names_of_tables_are_no_placeholders(name: str, con: Con) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    con.execute(
        f"create table {quoted} as select 'q' as query_id, 'd' as doc_id, 1 as click, 1 as rank, 's' as system, "
        "1 as relevance, 's' as session_id, 'a' as team"
    )
    con.execute("create table \"{log\" as select 'q' as query_id, 'other' as doc_id, 1 as click, 1 as rank")
    for call, first in {
        "click_judgments(?)": ("q", "d"),
        "fuse(?)": ("q", "d"),
        "pool(?)": ("q", "d"),
        "interleaving(?)": (1, 1),
        "distribution(?, ['AP'])": ("AP", 1),
    }.items():
        if "\x01" in name:
            with pytest.raises(duckdb.InvalidInputException, match="a name has the control character 1: rename it"):
                con.execute(f"from ltr.{call}", [quoted])
        else:
            assert con.execute(f"from ltr.{call}", [quoted]).fetchall()[0][:2] == first
    assert ltr_sql.click_judgments(quoted, con=con)["doc_id"].tolist() == ["d"]


def test_systems_that_are_categories_keep_their_names() -> None:
    runs = pd.DataFrame({"system": ["bm25", "dense"], "query_id": "q", "doc_id": "d", "score": 1.0})
    pooled = ltr_sql.pool(runs.astype({"system": "category"}))
    assert list(pooled["systems"][0]) == ["bm25", "dense"]


# Numbers out of range

POLICY = {
    "target": ("ips", "1, 0.5, 1, 0.5, 2.5", "target must be a probability from 0 to 1, got 2.5"),
    "reward": ("ips", "1, 1, 1e200, 0.5, 0.5", "reward must be a finite number, up to 1e100"),
    "rank of 0": ("iips", "1, 0, 1, 0.5, 0.5", "rank must be a whole number from 1, got 0"),
    "rank of 1.5": ("iips", "1, 1.5, 1, 0.5, 0.5", "rank must be a whole number from 1, got 1.5"),
    "no query": ("iips", "null, 1, 1, 0.5, 0.5", "a row of the log has a NULL in query_id"),
}


@pytest.mark.default("target")
@pytest.mark.parametrize("name", POLICY)
def test_logs_of_policies_out_of_range(name: str, con: Con) -> None:
    estimator, row, message = POLICY[name]
    columns = "query_id, rank, reward, propensity, target"
    con.execute(f"create table p as from (values ({row}), (2, 1, 1, 0.5, 0.5)) as v({columns})")
    con.execute("create table log as select *, propensity as propensity_item, target as target_item from p")
    with pytest.raises(InputError, match=message):
        ltr_sql.off_policy("log", [estimator], con=con)
    with pytest.raises(duckdb.InvalidInputException, match=message):
        con.execute(f"from ltr.off_policy('log', ['{estimator}'])")


def test_ratings_out_of_range(con: Con) -> None:
    con.execute(
        "create table r as select unnest(['a', 'b']) as rater, 'q' as query_id, 1 as doc_id, 1e200 as relevance"
    )
    for function in (ltr_sql.rater_agreement, ltr_sql.rater_confusion, ltr_sql.merge_judgments):
        with pytest.raises(InputError, match="relevance must be a finite number below 9007199254740992"):
            function("r", con=con)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bigint", "hugeint", "decimal(38, 20)"])
def test_ratings_that_doubles_cannot_tell_apart(kind: str, con: Con) -> None:
    whole = "," not in kind
    grades = ("9007199254740993", "9007199254740992") if whole else ("0.5", "0.50000000000000000001")
    message = "below 9007199254740992" if whole else "two grades differ but are equal as doubles: round"
    rows = ", ".join(f"('{rater}', '{grade}'::{kind})" for rater, grade in zip("ab", grades, strict=True))
    con.execute(f"create table r as select *, 1 as query_id, 1 as doc_id from (values {rows}) as v(rater, relevance)")
    for name in ("rater_agreement", "merge_judgments"):
        with pytest.raises(InputError, match=message):
            getattr(ltr_sql, name)("r", con=con)
        with pytest.raises(duckdb.InvalidInputException, match=message):
            con.execute(f"from ltr.{name}('r')")


OF_TEXT = [
    ("score", "judge('t', 'qrels')"),
    ("score", "pair('t', 't')"),
    ("score", "rank_by_score('t')"),
    ("score", "fuse('t')"),
    ("score", "pool('t')"),
    ("relevance", "judge('run', 't')"),
    ("rank", "rr('t')"),
    ("relevance", "evaluate('t', ['RR'])"),
    ("relevance", "explain('t', 'q', 'RR')"),
    ("rank_a", "rbo('t')"),
    ("rank", "click_judgments('t')"),
    ("click", "interleaving('t')"),
    ("relevance", "merge_judgments('t')"),
    ("reward", "off_policy('t', ['ips'])"),
]


@pytest.mark.default("score-judge('t', 'qrels')")
@pytest.mark.parametrize(("column", "call"), OF_TEXT)
def test_text_that_is_no_number_is_refused(column: str, call: str, con: Con) -> None:
    ids = "'q' as query_id, 'd' as doc_id, 's' as system, 's' as rater, 's' as session_id, 'a' as team"
    numbers = [column] if column == "score" else ["rank", "relevance", "click", "reward", "rank_a", "rank_b"]
    ones = ", ".join(f"'1' as {name}" for name in numbers)
    con.execute(f"create table t as select {ids}, {ones}, '1' as propensity, '0.5' as target")
    con.execute("create table run as select query_id, doc_id, 1 as score from t")
    con.execute("create table qrels as select query_id, doc_id, 1 as relevance from t")
    con.execute(f"from ltr.{call}")
    con.execute(f"update t set {column} = 'high'")
    with pytest.raises(
        duckdb.InvalidInputException, match=f"{column} is not a number, got 'high': replace texts by numbers"
    ):
        con.execute(f"from ltr.{call}")


# The same rows in other orders, types and forms

DOCS = ["d1", "D1", "\u00e9", "e\u0301", "z'x", 'q"y', "{k}", "\x01m"]


def _frames() -> dict[str, pd.DataFrame]:
    """Return tables with ids that differ only in case or Unicode form, with tied scores."""
    rng = random.Random(3)
    queries = ["q", "Q"]
    runs = [
        (s, q, d, float(rng.choice([1, 2, 3]))) for s in ("s", "S", "t") for q in queries for d in rng.sample(DOCS, 6)
    ]
    log = [
        (f"{rng.choice('xX')}{i}", q, d, r, int(rng.random() < 0.5 / r), rng.choice(["a", "b", None]))
        for i in range(30)
        for q in rng.sample(queries, 1)
        for r, d in enumerate(rng.sample(DOCS, 4), 1)
    ]
    ratings = [(r, q, d, rng.choice([0, 1, 2])) for r in ("r", "R", "x") for q in queries for d in DOCS]
    policy = [(f"{rng.choice(queries)}{i}", rng.random(), rng.uniform(0.2, 1), rng.random()) for i in range(40)]
    values = [(s, f"{q}{i}", rng.random()) for s in ("s", "S") for q in queries for i in range(8)]
    return {
        "runs": pd.DataFrame(runs, columns=["system", "query_id", "doc_id", "score"]),
        "qrels": pd.DataFrame(
            [(q, d, rng.randint(0, 2)) for q in queries for d in DOCS], columns=["query_id", "doc_id", "relevance"]
        ),
        "log": pd.DataFrame(log, columns=["session_id", "query_id", "doc_id", "rank", "click", "team"]),
        "ratings": pd.DataFrame(ratings, columns=["rater", "query_id", "doc_id", "relevance"]),
        "policy": pd.DataFrame(policy, columns=["query_id", "reward", "propensity", "target"]),
        "values": pd.DataFrame(values, columns=["system", "query_id", "AP"]),
        "documents": pd.DataFrame({"doc_id": DOCS}),
    }


SYSTEM = ["system"]
CALLS: dict[str, Callable[[Any, Con | None], Any]] = {
    "fuse by ranks": lambda t, c: ltr_sql.fuse(t("runs"), con=c),
    "fuse by scores": lambda t, c: ltr_sql.fuse(
        t("runs"), "comb_sum", norm="zmuv", weights={"s": 1, "S": 2, "t": 4}, con=c
    ),
    "distribution": lambda t, c: ltr_sql.distribution(
        t("runs"), ["AP", "nDCG@3"], qrels=t("qrels"), keys=SYSTEM, con=c
    ),
    "clicks": lambda t, c: ltr_sql.click_judgments(t("log"), con=c),
    "clicks in sessions": lambda t, c: ltr_sql.click_judgments(t("log"), "sdbn", con=c),
    "clicks by iterations": lambda t, c: ltr_sql.click_judgments(t("log"), "pbm", con=c),
    "position bias": lambda t, c: ltr_sql.position_bias(t("log"), "chain", con=c),
    "interleaving": lambda t, c: ltr_sql.interleaving(t("log"), con=c),
    "pool": lambda t, c: ltr_sql.pool(t("runs"), strategy="rrf", depth=4, budget=5, qrels=t("qrels"), con=c),
    "unique documents": lambda t, c: ltr_sql.unique_documents(t("runs"), depth=3, qrels=t("qrels"), con=c),
    "raters": lambda t, c: ltr_sql.rater_agreement(t("ratings"), con=c),
    "confusion of raters": lambda t, c: ltr_sql.rater_confusion(t("ratings"), con=c),
    "merged by majority": lambda t, c: ltr_sql.merge_judgments(t("ratings"), con=c),
    "merged by iterations": lambda t, c: ltr_sql.merge_judgments(t("ratings"), "dawid_skene", con=c),
    "off policy": lambda t, c: ltr_sql.off_policy(t("policy"), ["ips", "snips"], con=c),
    "beyond accuracy": lambda t, c: ltr_sql.evaluate(
        t("runs"), ["Coverage@2", "Gini@2"], documents=t("documents"), keys=SYSTEM, con=c
    ),
    "compare": lambda t, c: ltr_sql.compare(t("runs"), ["AP"], qrels=t("qrels"), con=c),
    "compare values": lambda t, c: ltr_sql.compare(t("values"), values=True, con=c),
    "leaderboard": lambda t, c: ltr_sql.leaderboard(t("values"), values=True, con=c),
    "wins": lambda t, c: ltr_sql.wins(t("values"), "s", "S", values=True, con=c),
    "variance": lambda t, c: ltr_sql.variance(t("values"), values=True, con=c),
    "report": lambda t, c: _report(ltr_sql.report(t("runs"), ["AP"], qrels=t("qrels"), con=c)),
    "evaluator": lambda t, c: ltr_sql.Evaluator(["AP", "nDCG@3"], _frame(t("qrels"), c), keys=SYSTEM).evaluate(
        _frame(t("runs"), c)
    ),
}


def _frame(table: Any, con: Con | None) -> Any:
    return con.table(table).df() if con and isinstance(table, str) else table


def _report(report: ltr_sql.Report) -> pd.DataFrame:
    return pd.DataFrame({"part": [str(_rounded(report.data[name])) for name in ("standings", "lists", "changes")]})


def _rounded(value: Any) -> Any:
    """Return nested values with numbers to 10 digits, as `_rows` shows them."""
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, dict):
        return {name: _rounded(entry) for name, entry in value.items()}
    return [_rounded(entry) for entry in value] if isinstance(value, list | tuple) else value


def _rows(found: Any) -> list[str]:
    """Return the rows of a result as sorted texts, with numbers to 10 digits."""

    def text(value: Any) -> str:
        if isinstance(value, float):
            return f"{value:.10g}"
        values = value.tolist() if hasattr(value, "tolist") else value
        return str(sorted(values)) if isinstance(values, list) else "NULL" if values is None else str(values)

    table = found if isinstance(found, pa.Table) else pa.table(found)
    return sorted(str({name: text(value) for name, value in row.items()}) for row in table.to_pylist())


def _tables(con: Con, frames: dict[str, pd.DataFrame], text: str = "varchar") -> Callable[[str], str]:
    for name, frame in frames.items():
        con.register("given", frame)
        described = con.execute("describe from given").fetchall()
        columns = ", ".join(f"{_quoted(c)} {text if kind == 'VARCHAR' else kind}" for c, kind, *_ in described)
        con.execute(f"create table {_quoted(name)} ({columns}); insert into {_quoted(name)} from given")
        con.unregister("given")
    return lambda name: name


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _hostile(frame: pd.DataFrame) -> pd.DataFrame:
    """Add columns with the names of row numbers, placeholders and columns of our queries."""
    names = ["rowid", "file_row_number", 'a"b', "\x01", "{keys}", "select", "r", "weight", "views", "item", "n", "runs"]
    backwards = list(range(len(frame)))[::-1]
    return frame.assign(**{name: backwards for name in names})


def _shuffled(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sample(frac=1, random_state=5).reset_index(drop=True)


def _as_bytes(frame: pd.DataFrame) -> pd.DataFrame:
    ids = [name for name in ("query_id", "doc_id", "session_id") if name in frame]
    return frame.assign(**{name: frame[name].map(str.encode) for name in ids})


FORMS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "polars, shuffled": lambda frame: pl.from_pandas(_shuffled(frame)),
    "pyarrow": pa.Table.from_pandas,
    "bytes, shuffled": lambda frame: _as_bytes(_shuffled(frame)),
    "every second row, backwards": lambda frame: frame.loc[frame.index.repeat(2)].iloc[::-2],
}
# Settings of a connection, types of text, and whether the caller has begun a transaction.
TABLES = {
    "columns that ignore case": ("", "varchar collate nocase", False),
    "columns with a collation in a transaction": ("", "varchar collate nfc", True),
    "a collation of the connection": ("set default_collation = 'nocase'", "varchar", False),
}
# Further columns of a table of values are measures.
OF_VALUES = ("compare values", "leaderboard", "wins", "variance")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.parametrize("call", CALLS)
def test_forms_of_a_table_give_equal_rows(call: str) -> None:
    frames, function = _frames(), CALLS[call]
    expected = _rows(function(frames.__getitem__, None))
    assert expected
    wide = frames if call in OF_VALUES else {name: _hostile(frame) for name, frame in frames.items()}
    for name, form in FORMS.items():
        given = wide if name == "every second row, backwards" else frames
        found = function(lambda table, form=form, given=given: form(given[table]), None)
        assert _rows(found) == expected, name
    for name, (setting, text, transaction) in TABLES.items():
        if setting and call == "report":
            # The lists of the report refuse documents that this collation compares as equal.
            continue
        with duckdb.connect() as con:
            con.execute(setting)
            tables = _tables(con, wide if transaction else frames, text)
            if transaction:
                con.execute("begin; create table uncommitted as select 1")
            assert _rows(function(tables, con)) == expected, name
            if transaction:
                con.execute("from uncommitted")
