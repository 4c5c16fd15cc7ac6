"""Registration of the macros, and no conflicts with names, settings and transactions of the caller."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from math import exp, log
from pathlib import Path
from statistics import fmean
from typing import Any

import duckdb
import pytest
from support.measures import ONE_OF_EACH_SOURCE

import ltr_sql
from ltr_sql import LtrSqlError
from ltr_sql.catalogue.functions import builders, relations
from ltr_sql.catalogue.measures import all_definitions, beyond_accuracy_definitions, definitions
from ltr_sql.catalogue.parameters import parameters
from ltr_sql.macros.registration import BUNDLE, SCHEMA, catalogue_file, write_catalogue
from ltr_sql.rendering.dialects import string
from ltr_sql.rendering.measure_columns import probabilities

# Tests write database files of the newest version.
pytestmark = pytest.mark.filterwarnings("ignore:DuckDB 1.5 cannot open:ltr_sql.InputWarning")

Rows = list[tuple[Any, ...]]

# One table that every macro can read: rankings, scored table, run, judgments, pairs and subtopics.
COLUMNS = "query_id, doc_id, subtopic, rank, score, relevance, rank_a, rank_b, row_order, score_a, score_b"
DATA = f"""(values
    ('q1', 'd1', 's1', 1, 9.0, 0, 1, 2, 1, 3.0, 2.0),
    ('q1', 'd2', 's1', 2, 8.0, 1, 2, 1, 2, 2.0, 5.0),
    ('q1', 'd3', 's2', 3, 7.0, 2, 3, 3, 3, 1.5, 1.0),
    ('q2', 'd1', 's1', 1, 9.0, 1, 1, 1, 4, 3.0, 0.5),
    ('q2', 'd2', 's2', 2, 8.0, 2, 2, 2, 5, 2.0, 0.25)
) as t({COLUMNS})"""
# Data that a macro must not read by mistake.
DECOY = "(values ('q1', 'd1', 's9', 5, 1.0, 3, 5, 5, 9, 9, 9), ('q9', 'd9', 's9', 1, 1.0, 3, 1, 1, 9, 9, 9)) as t"
AVERAGE_PRECISION_QUERY = "from ltr.ap('plain') order by all"
AVERAGE_PRECISION = [("q1", (1 / 2 + 2 / 3) / 2), ("q2", 1.0)]
FUSED = ["nDCG@2", "RR(rel=2)", "alpha_nDCG@2", "alpha_DCG@2", "KendallTau", "Spearman@2"]


# For each measure, the parameter that the number after the @ sets, and a value.
AT = {
    name: (definition.at, 2 if definition.at == "k" else 0.5)
    for name, definition in definitions().items()
    if definition.parameter(definition.at)
}
AVERAGES: dict[str, Callable[[list[float]], float]] = {
    "mean": fmean,
    "sum": sum,
    "geometric": lambda values: exp(fmean(log(max(value, 1e-5)) for value in values)),
}


def option(macro: str) -> str:
    """Return arguments for the parameter after the @, and for parameters without a default."""
    return f", {AT[macro][0]} := {AT[macro][1]}{told(macro)}" if macro in AT else told(macro)


def told(macro: str) -> str:
    """Return arguments for parameters without a default, except the one after the @."""
    definition = definitions()[macro]
    return "".join(f", {p.name} := 4" for p in definition.required if p.name != definition.at)


def fused(macro: str, table: str = "{0}", more: str = "") -> str:
    return f"from ltr.{macro}('{table}', {FUSED}{more}) order by all"


# A call of each macro; {0} is the name of a table.
CALLS: dict[str, str] = {
    **{name: f"from ltr.{name}('{{0}}'{option(name)}) order by all" for name in definitions()},
    "rank_by_score": "select query_id, doc_id, rank from ltr.rank_by_score('{0}') order by all",
    "judge": "select query_id, doc_id, rank, relevance from ltr.judge('{0}', '{0}') order by all",
    "pair": "select query_id, doc_id, rank_a, rank_b, score_a, score_b from ltr.pair('{0}', '{0}') order by all",
    "pair_with_ideal": "select query_id, doc_id, rank_a, rank_b from ltr.pair_with_ideal('{0}') order by all",
    "per_query": fused("per_query"),
    "evaluate": fused("evaluate"),
    "compare_rankings": "from ltr.compare_rankings('{0}', '{0}', ['KendallTau', 'RBO', 'Pearson']) order by all",
    "check_run": "from ltr.check_run('{0}', '{0}') order by all",
    "check_rankings": "from ltr.check_rankings('{0}') order by all",
    "explain": "from ltr.explain('{0}', 'q1', 'nDCG@2') order by all",
    "worst": "from ltr.worst('{0}', 'nDCG@2') order by all",
    "compare": "from ltr.compare('{0}', ['RR'], compared := 'subtopic') order by all",
    "compare_values": "from ltr.compare_values('{0}', ['score'], compared := 'doc_id') order by all",
    "leaderboard": "from ltr.leaderboard('{0}', ['score'], compared := 'doc_id', resamples := 100) order by all",
    "system_agreement": "select * exclude (swaps) from ltr.system_agreement('{0}', ['score', 'score_a'], "
    "compared := 'doc_id') order by all",
    "trend": "from ltr.trend('{0}', by := 'rank', measures := ['score_a'], keys := ['subtopic']) order by all",
    "wins": "from ltr.wins('{0}', 'd1', 'd2', 'score', compared := 'doc_id') order by all",
    "variance": "from ltr.variance('{0}', ['score_a'], compared := 'doc_id', missing := 'zero') order by all",
    "queries_needed": "from ltr.queries_needed(sd := 0.2, difference := 0.05)",
    "t_p": "select ltr.t_p(2.1, 9)",
    "t_quantile": "select ltr.t_quantile(0.05, 9)",
    "normal_p": "select ltr.normal_p(1.96)",
    "f_p": "select ltr.f_p(2, 3, 4)",
    "tukey_p": "select ltr.tukey_p(3.1, 3, 20)",
    "tukey_quantile": "select ltr.tukey_quantile(0.05, 3, 20)",
    "measures": "from ltr.measures() order by all",
    "conventions": "from ltr.conventions() order by all",
    "help": "from ltr.help('judge') where false",
    "version": "select ltr.version()",
}
COMPARISONS = (
    *(
        "compare",
        "compare_values",
        "leaderboard",
        "system_agreement",
        "trend",
        "wins",
        "variance",
        "queries_needed",
    ),
    *(name for name, distribution in probabilities().items() if distribution.public),
)
# Fewer calls that use every template: each row source, each relation with its options, the fused query.
SPANNING = [
    *(
        CALLS[name]
        for name in (
            "judge",
            "pair",
            "pair_with_ideal",
            "rank_by_score",
            "alpha_ndcg",
            "alpha_dcg",
            "sdcg",
            "opa",
            "compat",
            "kendall_tau",
            "fagin_k",
            "weighted_tau",
            "rbo",
            "explain",
        )
    ),
    "select query_id, doc_id, rank from ltr.judge('{0}', 'plain', ties := 'worst', missing := 'skip') order by all",
    "select query_id, doc_id, rank from ltr.judge('plain', '{0}', ties := 'best') order by all",
    "select query_id, doc_id, rank_b from ltr.pair('plain', '{0}') order by all",
    fused("per_query", more=", keys := ['subtopic']"),
    CALLS["compare_rankings"],
]
# Calls that write the name of the table into SQL.
AS_TEXT = [SPANNING[-2], CALLS["compare_rankings"], CALLS["explain"]]


def some_calls(number: int) -> list[str]:
    """Return two calls of SPANNING. `number` rotates them, so that all are used over many names."""
    return [SPANNING[(number + step) % len(SPANNING)] for step in (0, len(SPANNING) // 2)]


def named(call: str, name: str) -> str:
    """Return a call for the table with this name."""
    return call.replace("{0}", name.replace("'", "''"))


def run(con: duckdb.DuckDBPyConnection, sql: str, values: Any = None) -> Rows:
    return con.execute(sql, values).fetchall()


def rounded(rows: Iterable[tuple[Any, ...]]) -> Rows:
    """Round floats, because sums differ in their last bits between plans."""
    return [tuple(round(value, 12) if isinstance(value, float) else value for value in row) for row in rows]


def average_precision(con: duckdb.DuckDBPyConnection) -> Rows:
    return run(con, AVERAGE_PRECISION_QUERY)


def with_data(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    con.execute(f"create table plain as from {DATA}")
    return con


@pytest.fixture(scope="module")
def shared() -> Iterator[duckdb.DuckDBPyConnection]:
    """Connection that tests must not change."""
    with duckdb.connect(config={"threads": 1}) as connection:
        with_data(ltr_sql.register(connection))
        connection.execute("create table nothing as from plain limit 0")
        yield connection


@pytest.fixture
def con(shared: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """The shared connection in a transaction, which is rolled back after each test."""
    shared.execute("begin")
    yield shared
    shared.execute("rollback")


@pytest.fixture
def fresh() -> Iterator[duckdb.DuckDBPyConnection]:
    """New connection for each test."""
    with duckdb.connect(config={"threads": 1}) as connection:
        yield with_data(ltr_sql.register(connection))


@pytest.fixture(scope="module")
def expected(shared: duckdb.DuckDBPyConnection) -> dict[str, Rows]:
    """Result of each call for the table `plain`, computed when it is first read."""

    class Expected(dict[str, Rows]):
        def __missing__(self, call: str) -> Rows:
            self[call] = rounded(run(shared, named(call, "plain")))
            return self[call]

    return Expected()


def macros(con: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """Return the comments of the macros by name."""
    found = run(
        con,
        "select function_name, any_value(comment), count(*) from duckdb_functions() where not internal "
        "and (database_name = 'ltr' or schema_name = 'ltr') group by all",
    )
    # ltr.help has a form without arguments.
    assert {name: count for name, _, count in found if count > 1} == {"help": 2}
    return {name: comment for name, comment, _ in found}


# Registering


@pytest.mark.slow
def test_register_gives_the_connection_back() -> None:
    with duckdb.connect() as con:
        assert ltr_sql.register(con) is con
    with duckdb.connect() as con:
        assert ltr_sql.register(con, persist=True) is con


@pytest.mark.slow
@pytest.mark.parametrize("persist", [True, False])
def test_register_again(persist: bool) -> None:
    with duckdb.connect() as con:
        ltr_sql.register(con, persist=persist)
        once = macros(con)
        assert average_precision(with_data(con)) == AVERAGE_PRECISION
        ltr_sql.register(con, persist=persist)
        assert macros(con) == once
        assert average_precision(con) == AVERAGE_PRECISION


@pytest.mark.slow
def test_register_again_brings_macros_back(fresh: duckdb.DuckDBPyConnection) -> None:
    fresh.execute("drop macro table ltr.ap; create or replace macro ltr.ndcg(rankings) as table select 1 as nonsense")
    ltr_sql.register(fresh)
    assert average_precision(fresh) == AVERAGE_PRECISION
    assert len(run(fresh, "from ltr.ndcg('plain', k := 10)")) == 2


@pytest.mark.slow
def test_register_again_brings_persisted_macros_back() -> None:
    with duckdb.connect() as con:
        with_data(ltr_sql.register(con, persist=True))
        con.execute("drop macro table ltr.ap; create or replace macro ltr.ndcg(rankings) as table select 1 as nonsense")
        ltr_sql.register(con, persist=True)
        assert average_precision(con) == AVERAGE_PRECISION
        assert len(run(con, "from ltr.ndcg('plain', k := 10)")) == 2


@pytest.mark.default("False")
@pytest.mark.parametrize("persist", [False, True])
def test_every_macro_is_there_with_a_comment(persist: bool) -> None:
    with duckdb.connect() as con:
        comments = macros(ltr_sql.register(con, persist=persist))
    surface = {
        "per_query",
        "evaluate",
        "compare_rankings",
        "explain",
        "worst",
        "check_run",
        "check_rankings",
        "measures",
        "conventions",
        "version",
        "help",
        *COMPARISONS,
    }
    comments = {name: comment for name, comment in comments.items() if not name.startswith("__ltr_")}
    # Other tests call these macros: test_beyond_accuracy.py, test_builders.py, test_fusion.py, test_tuning.py,
    # test_distribution.py and test_gates.py.
    elsewhere = {"beyond_accuracy", *beyond_accuracy_definitions(), *builders(), "fuse", "tune_fusion"}
    elsewhere |= {"distribution", "gate"}
    assert {*definitions(), *relations(), *surface} == set(CALLS) == set(comments) - {"measures_query", *elsewhere}
    assert [name for name, comment in comments.items() if not comment or not comment.endswith(".")] == []
    for name, definition in all_definitions().items():
        assert definition.summary in comments[name]
        assert definition.formula in comments[name]


def test_macros_have_the_parameters_of_the_catalogue(con: duckdb.DuckDBPyConnection) -> None:
    found = run(con, "select function_name, parameters from duckdb_functions() where database_name = 'ltr'")
    takes = {name: names for name, names in found if not name.startswith("_")}
    for name, definition in definitions().items():
        first = "pairs" if definition.paired else "rankings"
        assert takes[name] == [first, *(p.name for p in definition.parameters), "keys"]
    for name, relation in relations().items():
        assert takes[name] == [*relation.inputs, *(p.name for p in relation.parameters), "keys"]


# The case folders call the other macros: tests/evaluation/test_cases.py and tests/building/test_builders.py.
@pytest.mark.default(
    "conventions",
    "f_p",
    "measures",
    "normal_p",
    "pair_with_ideal",
    "t_p",
    "help",
    "rank_by_score",
    "t_quantile",
    "tukey_p",
    "queries_needed",
    "explain",
    "pair",
    "variance",
    "check_rankings",
    "wins",
    "judge",
    "evaluate",
    "compare_rankings",
    "check_run",
    "per_query",
    "worst",
)
@pytest.mark.parametrize("macro", [name for name in CALLS if name not in definitions()])
def test_every_macro_can_be_called(macro: str, shared: duckdb.DuckDBPyConnection) -> None:
    found = run(shared, named(CALLS[macro], "plain"))
    assert bool(found) == (macro not in ("check_run", "check_rankings", "help"))


def test_worst_takes_an_empty_table(shared: duckdb.DuckDBPyConnection) -> None:
    assert run(shared, named(CALLS["worst"], "nothing")) == []


@pytest.mark.slow
def test_macros_agree_with_the_fused_macros(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create view rankings as select query_id, rank, relevance from plain")
    con.execute("create temp table paired as from ltr.pair_with_ideal('rankings')")
    measures = [definition for definition in definitions().values() if not definition.by_score]
    texts = [d.example.partition("@")[0] + (f"@{AT[d.macro][1]}" if d.macro in AT else "") for d in measures]
    by_query = run(con, "from ltr.per_query('plain', ?) order by query_id", [texts])
    ((queries, *means),) = run(con, "from ltr.evaluate('plain', ?)", [texts])
    assert ([query for query, *_ in by_query], queries) == (["q1", "q2"], 2)
    for number, definition in enumerate(measures):
        macro, source = definition.macro, "paired" if definition.paired else "plain"
        own = run(con, f"select query_id, {macro} from ltr.{macro}('{source}'{option(macro)}) order by all")
        assert rounded((query, values[number]) for query, *values in by_query) == rounded(own), macro
        if definition.weight:
            continue
        values = [value for _, value in own if value is not None]
        mean = pytest.approx(AVERAGES[definition.average](values), rel=0, abs=1e-12) if values else None
        assert means[number] == mean, macro


@pytest.mark.slow
def test_cursors_see_the_macros(fresh: duckdb.DuckDBPyConnection) -> None:
    cursor = fresh.cursor()
    assert average_precision(cursor) == AVERAGE_PRECISION
    ltr_sql.register(cursor)
    assert average_precision(fresh) == AVERAGE_PRECISION


@pytest.mark.slow
def test_other_connections_to_the_database_see_the_macros(tmp_path: Path) -> None:
    path = tmp_path / "data.duckdb"
    with duckdb.connect(path) as con, duckdb.connect(path) as other:
        with_data(ltr_sql.register(con))
        assert average_precision(other) == AVERAGE_PRECISION
        ltr_sql.register(other)
        assert average_precision(con) == AVERAGE_PRECISION


@pytest.mark.slow
def test_closing_and_opening_forgets_macros_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "data.duckdb"
    with duckdb.connect(path) as con:
        with_data(ltr_sql.register(con))
    with duckdb.connect(path) as con:
        with pytest.raises(duckdb.Error, match="ltr"):
            average_precision(con)
        assert average_precision(ltr_sql.register(con)) == AVERAGE_PRECISION


def test_a_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "data.duckdb"
    with duckdb.connect(path) as con:
        with_data(con)
    before = path.read_bytes()
    with duckdb.connect(path) as con:
        ltr_sql.register(con)
        assert average_precision(con) == AVERAGE_PRECISION
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["data.duckdb"]


@pytest.mark.slow
def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "data.duckdb"
    with duckdb.connect(path) as con:
        with_data(con)
    before = path.read_bytes()
    with duckdb.connect(path, read_only=True) as con:
        ltr_sql.register(ltr_sql.register(con))
        assert average_precision(con) == AVERAGE_PRECISION
        assert average_precision(con.cursor()) == AVERAGE_PRECISION
    with duckdb.connect(path, read_only=True) as con, pytest.raises(duckdb.Error, match="read-only"):
        ltr_sql.register(con, persist=True)
    assert path.read_bytes() == before


@pytest.mark.slow
def test_persisted_macros_are_there_when_the_file_is_opened_again(tmp_path: Path, expected: dict[str, Rows]) -> None:
    path = tmp_path / "data.duckdb"
    with duckdb.connect(path) as con:
        with_data(ltr_sql.register(con, persist=True))
        comments = macros(con)
    for read_only, calls in ((True, SPANNING[::4]), (False, SPANNING[-2:])):
        with duckdb.connect(path, read_only=read_only) as con:
            for call in calls:
                assert rounded(run(con, named(call, "plain"))) == expected[call]
            assert macros(con) == comments
            with pytest.raises(
                LtrSqlError, match=r"the database has a schema 'ltr'.*renew them by register\(con, persist=True\)"
            ):
                ltr_sql.register(con)
            assert average_precision(con) == AVERAGE_PRECISION
    with duckdb.connect(path) as con:
        assert average_precision(ltr_sql.register(con, persist=True)) == AVERAGE_PRECISION


@pytest.mark.slow
def test_a_file_with_macros_attached_as_ltr(tmp_path: Path) -> None:
    path = tmp_path / "macros.duckdb"
    with duckdb.connect() as con:
        con.execute(f"attach '{path}' as ltr")
        con.execute(BUNDLE.read_text(encoding="utf-8").replace(SCHEMA, ""))
    with duckdb.connect() as con:
        con.execute(f"attach '{path}' as ltr (read_only)")
        assert average_precision(with_data(con)) == AVERAGE_PRECISION
        assert rounded(run(con, fused("evaluate", "plain")))


# Another Python, with ltr_sql and another version of DuckDB.
OTHER = os.environ.get("LTR_SQL_OTHER_PYTHON", "")


@pytest.mark.skipif(not OTHER, reason="LTR_SQL_OTHER_PYTHON is not set")
@pytest.mark.parametrize("made_here", [True, False])
def test_persisted_macros_are_there_in_another_version_of_duckdb(tmp_path: Path, made_here: bool) -> None:
    path = tmp_path / "kept.duckdb"
    # Use a storage version that both versions of DuckDB can open.
    attach = f"attach '{path}' as kept (storage_version 'v1.5.0'); use kept"
    there = f"import duckdb, ltr_sql; con = duckdb.connect(); con.execute({attach!r}); "
    if made_here:
        with duckdb.connect() as con:
            with_data(ltr_sql.register(con.execute(attach), persist=True))
        there += f"print(con.execute({AVERAGE_PRECISION_QUERY!r}).fetchall())"
    else:
        there += "ltr_sql.register(con, persist=True)"
    done = subprocess.run([OTHER, "-c", there], check=True, capture_output=True, text=True)
    if made_here:
        assert done.stdout.strip() == str(AVERAGE_PRECISION)
    else:
        with duckdb.connect(path) as con:
            assert average_precision(with_data(con)) == AVERAGE_PRECISION


@pytest.mark.slow
def test_persist_after_memory_is_refused(fresh: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(LtrSqlError, match="in memory as catalog 'ltr': run 'detach ltr' before persist=True"):
        ltr_sql.register(fresh, persist=True)
    assert average_precision(fresh) == AVERAGE_PRECISION
    fresh.execute("detach ltr")
    assert average_precision(ltr_sql.register(fresh, persist=True)) == AVERAGE_PRECISION


def test_a_schema_of_the_callers_called_ltr_is_refused() -> None:
    with duckdb.connect() as con:
        con.execute("create schema ltr; create table ltr.mine as select 1 as x")
        with pytest.raises(LtrSqlError, match=r"the database has a schema 'ltr'.*otherwise rename the schema"):
            ltr_sql.register(con)
        assert run(con, "select database_name from duckdb_databases() where database_name = 'ltr'") == []
        assert run(con, "from ltr.mine") == [(1,)]


@pytest.mark.parametrize("persist", [False, True])
def test_a_database_of_the_callers_called_ltr_is_refused(persist: bool, tmp_path: Path) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect() as con:
        con.execute(f"attach '{path}' as ltr; create table ltr.mine as select 1 as x; checkpoint ltr")
        before = path.read_bytes()
        with pytest.raises(
            LtrSqlError, match=r"a database is attached as 'ltr' \(.*other.duckdb\).*: attach it under another name"
        ):
            ltr_sql.register(con, persist=persist)
        written = "select count(*) from duckdb_functions() where database_name = 'ltr' and not internal"
        assert run(con, written) == [(0,)]
        con.execute("detach ltr")
    assert path.read_bytes() == before


@pytest.mark.parametrize("persist", [False, True])
def test_a_file_called_ltr_is_refused(persist: bool, tmp_path: Path) -> None:
    path = tmp_path / "ltr.duckdb"
    with duckdb.connect(path) as con:
        with_data(con)
    before = path.read_bytes()
    with duckdb.connect(path) as con, pytest.raises(LtrSqlError, match="a database is attached as 'ltr'"):
        ltr_sql.register(con, persist=persist)
    assert path.read_bytes() == before


@pytest.mark.slow
def test_tables_of_an_attached_database(fresh: duckdb.DuckDBPyConnection) -> None:
    fresh.execute("attach ':memory:' as other; create table other.main.there as from plain; create schema other.s")
    fresh.execute("create view other.s.v as from other.main.there")
    for name in ("other.there", "other.main.there", "other.s.v"):
        assert run(fresh, f"from ltr.ap('{name}') order by all") == AVERAGE_PRECISION
    fresh.execute("use other")
    assert run(fresh, "from ltr.ap('there') order by all") == AVERAGE_PRECISION
    ltr_sql.register(fresh)
    assert run(fresh, "from ltr.ap('there') order by all") == AVERAGE_PRECISION


def test_use_ltr(fresh: duckdb.DuckDBPyConnection) -> None:
    fresh.execute("use ltr")
    assert run(fresh, "from ap('memory.plain') order by all") == AVERAGE_PRECISION
    assert run(fresh, "from ltr.ap('memory.main.plain') order by all") == AVERAGE_PRECISION


# Transactions


def test_registering_in_a_transaction() -> None:
    with duckdb.connect() as con:
        with_data(con)
        con.execute("begin")
        run(con, "from plain")
        ltr_sql.register(con)
        assert average_precision(con) == AVERAGE_PRECISION
        con.execute("commit")
        assert average_precision(con) == AVERAGE_PRECISION


def test_registering_in_a_transaction_that_is_rolled_back() -> None:
    """The catalog of macros is not part of the transaction."""
    with duckdb.connect() as con:
        with_data(con)
        con.execute("begin")
        ltr_sql.register(con)
        con.execute("rollback")
        assert average_precision(con) == AVERAGE_PRECISION


@pytest.fixture
def no_catalogue(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide the catalogue of macros of the installed package."""
    monkeypatch.setattr("ltr_sql.macros.registration.CATALOGUES", tmp_path)


# Stored macros write numbers and types differently, so compare only the keywords that an old format would lose.
COUNTS = "".join(f", len(string_split(macro_definition, '{word}'))" for word in ("NOT MATERIALIZED", "lambda"))
LISTED = f"select function_name, parameters, comment{COUNTS} from duckdb_functions() where {{}} = 'ltr' order by all"


@pytest.fixture(scope="module")
def in_the_script() -> Rows:
    with duckdb.connect() as con:
        con.execute(BUNDLE.read_text(encoding="utf-8"))
        return run(con, LISTED.format("schema_name"))


@pytest.mark.slow
def test_the_macros_of_the_built_catalogue_are_those_of_the_script(in_the_script: Rows) -> None:
    assert catalogue_file().is_file()
    with duckdb.connect() as con:
        assert run(ltr_sql.register(con), LISTED.format("database_name")) == in_the_script
        assert run(ltr_sql.register(con), LISTED.format("database_name")) == in_the_script


@pytest.mark.slow
@pytest.mark.usefixtures("no_catalogue")
def test_without_the_built_catalogue_the_script_is_read(in_the_script: Rows) -> None:
    assert not catalogue_file().is_file()
    with duckdb.connect() as con:
        assert run(ltr_sql.register(con), LISTED.format("database_name")) == in_the_script


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    path = tmp_path / "a folder" / "Größe's ltr.duckdb"
    path.parent.mkdir()
    shutil.copy(catalogue_file(), path)
    return path


def attach(con: duckdb.DuckDBPyConnection, path: Path) -> duckdb.DuckDBPyConnection:
    con.execute(f"attach {string(str(path))} as ltr (read_only)")
    return con


@pytest.mark.slow
def test_an_attached_catalogue_is_registered(catalogue: Path, in_the_script: Rows) -> None:
    with duckdb.connect() as con:
        attach(with_data(con), catalogue)
        assert average_precision(con) == AVERAGE_PRECISION
        assert ltr_sql.register(con) is con
        assert run(con, LISTED.format("database_name")) == in_the_script
        with pytest.raises(LtrSqlError, match="a database is attached as 'ltr'"):
            ltr_sql.register(con, persist=True)


@pytest.mark.slow
def test_a_catalogue_of_another_version_is_refused(catalogue: Path) -> None:
    with duckdb.connect(catalogue) as con:
        con.execute("create or replace macro main.version() as '0.0.9'")
    with duckdb.connect() as con:
        attach(con, catalogue)
        with pytest.raises(
            LtrSqlError, match=r"holds the macros of ltr_sql 0\.0\.9, .* run 'detach ltr' and 'ltr-sql cat"
        ):
            ltr_sql.register(con)


@pytest.mark.default("True")
@pytest.mark.parametrize("file_first", [True, False])
def test_macros_in_a_file_and_in_a_schema(catalogue: Path, file_first: bool) -> None:
    with duckdb.connect() as con:
        if file_first:
            attach(con, catalogue)
        con.execute("create schema memory.ltr")
        if not file_first:
            attach(con, catalogue)
        for persist in (False, True):
            with pytest.raises(LtrSqlError) as raised:
                ltr_sql.register(con, persist)
            assert str(raised.value) == (
                f"both the attached file {catalogue} and a schema of the database memory are called 'ltr', so that "
                "DuckDB cannot tell them apart: run 'detach ltr', or 'drop schema memory.ltr cascade'"
            )
        con.execute("drop schema memory.ltr cascade")
        assert ltr_sql.register(con) is con


@pytest.mark.slow
def test_the_command_catalogue(tmp_path: Path, in_the_script: Rows) -> None:
    path = tmp_path / "ltr.duckdb"
    for _ in range(2):
        write_catalogue(path)
        with duckdb.connect() as con:
            assert run(attach(con, path), LISTED.format("database_name")) == in_the_script
            tags = run(con, "select tags['storage_version'] from duckdb_databases() where database_name = 'ltr'")
            assert tags == [("v1.5.0+",)]
    assert [file.name for file in tmp_path.iterdir()] == ["ltr.duckdb"]


@pytest.mark.slow
def test_a_catalogue_replaces_no_other_file(tmp_path: Path, catalogue: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with duckdb.connect(tmp_path / "data.duckdb") as con:
        con.execute("create table mine as select 1 as x")
    with duckdb.connect(catalogue) as con:
        con.execute("create table mine as select 1 as x")
    for path in (tmp_path / "notes.txt", tmp_path / "data.duckdb", catalogue):
        before = path.read_bytes()
        with pytest.raises(LtrSqlError, match="already exists and is not a catalogue of ltr_sql: pass another"):
            write_catalogue(path)
        assert path.read_bytes() == before
    with pytest.raises(LtrSqlError, match=r"cannot be written: there is no folder .*nope"):
        write_catalogue(tmp_path / "nope" / "ltr.duckdb")


@pytest.mark.slow
def test_without_a_folder_for_temporary_files_the_script_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nope"))
    with duckdb.connect() as con:
        assert average_precision(ltr_sql.register(with_data(con))) == AVERAGE_PRECISION


@pytest.mark.slow
@pytest.mark.skipif(duckdb.__version__.startswith("1."), reason="DuckDB 1 can open all files that it writes")
def test_macros_in_a_file_that_an_older_duckdb_cannot_open(tmp_path: Path) -> None:
    for version, warns in (("v2.0.0", True), ("v1.5.0", False)):
        with duckdb.connect() as con:
            con.execute(f"attach '{tmp_path / version}' as f (storage_version '{version}'); use f")
            expected: Any = pytest.warns(ltr_sql.InputWarning, match=f"DuckDB 1.5 cannot open .* {version}")
            with expected if warns else nullcontext():
                ltr_sql.register(con, persist=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting", ["set enable_external_access = false", "set disabled_filesystems = 'LocalFileSystem'"]
)
def test_a_connection_that_may_not_read_files(setting: str) -> None:
    assert catalogue_file().is_file()
    with duckdb.connect() as con:
        with_data(con)
        con.execute(setting)
        assert average_precision(ltr_sql.register(con)) == AVERAGE_PRECISION


@pytest.mark.slow
def test_registering_in_a_transaction_that_has_written() -> None:
    with duckdb.connect() as con:
        con.execute("begin")
        with_data(con)
        assert average_precision(ltr_sql.register(con)) == AVERAGE_PRECISION
        con.execute("commit")
        assert average_precision(ltr_sql.register(con)) == AVERAGE_PRECISION
    with duckdb.connect() as con:
        con.execute("begin")
        ltr_sql.register(with_data(con), persist=True)
        con.execute("commit")
        assert average_precision(con) == AVERAGE_PRECISION


# Names of the caller

CTES = sorted(set(re.findall(r"\b(__ltr_\w+) as (?:not materialized )?\(", BUNDLE.read_text(encoding="utf-8"))))
ALIASES = sorted(set(re.findall(r"\bas ([a-z])\b", BUNDLE.read_text(encoding="utf-8"))))
PARAMETERS = sorted({*parameters(), "keys", "measures", *(name for r in relations().values() for name in r.inputs)})
OTHERS = [
    "documents",
    "subtopics",
    "lists",
    "judged",
    "paired",
    "every",
    "members",
    "name",
    "value",
    "text",
    "t",
    "query",
]
NAMES = sorted({*ALIASES, *PARAMETERS, *OTHERS, "rankings", "pairs", *COLUMNS.split(", ")})


def test_the_tested_names_are_found() -> None:
    assert {"__ltr_rankings", "__ltr_run", "__ltr_run_ranked", "__ltr_queries", "__ltr_by_documents"} <= set(CTES)
    assert {"j", "r", "d", "q", "s", "t", "v"} <= set(ALIASES)
    assert {"k", "rel", "gain", "ties", "run", "qrels", "rankings", "scored", "run_a"} <= set(PARAMETERS)


def create_decoy(con: duckdb.DuckDBPyConnection, name: str) -> None:
    con.execute(f'create or replace table "{name}" as from {DECOY}({COLUMNS})')


@pytest.fixture(scope="module")
def decoys() -> Iterator[duckdb.DuckDBPyConnection]:
    """Connection with one table of other data per name."""
    with duckdb.connect(config={"threads": 1}) as connection:
        with_data(ltr_sql.register(connection))
        for name in NAMES:
            create_decoy(connection, name)
        yield connection


@pytest.mark.slow
@pytest.mark.parametrize("call", SPANNING)
def test_no_name_of_a_table_is_captured(
    call: str, decoys: duckdb.DuckDBPyConnection, expected: dict[str, Rows]
) -> None:
    """Names of tables may equal names that the macros use internally. Each name is used in a ninth of the calls."""
    for name in NAMES[SPANNING.index(call) % 9 :: 9]:
        decoys.execute(f'create or replace table "{name}" as from plain')
        try:
            assert rounded(run(decoys, named(call, name))) == expected[call], name
        finally:
            create_decoy(decoys, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["r", "d", "q", "k", "run", "qrels", "rankings", "pairs"])
def test_no_name_of_a_cte_is_captured(name: str, decoys: duckdb.DuckDBPyConnection, expected: dict[str, Rows]) -> None:
    for call in (CALLS["judge"], CALLS["ndcg"], CALLS["evaluate"]):
        assert rounded(run(decoys, f'with "{name}" as (from plain) {named(call, name)}')) == expected[call]


@pytest.mark.slow
def test_every_cte_has_the_prefix_that_tables_cannot_have(decoys: duckdb.DuckDBPyConnection) -> None:
    """Each name is used in one of the calls, and each call has more than ten names."""
    names = (*CTES, '"__ltr_rankings"', "__LTR_rankings")
    assert len(names) > 10 * len(SPANNING)
    for number, name in enumerate(names):
        table = name if name.startswith('"') else f'"{name}"'
        decoys.execute(f"create or replace table {table} as from plain")
        with pytest.raises(duckdb.InvalidInputException, match="names that start with __ltr_ are reserved"):
            run(decoys, named(SPANNING[number % len(SPANNING)], name))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["my table", "order", "it's", "select", '"a.b"', "Ünïcode", "--", "UPPER"])
def test_odd_names_of_tables(name: str, con: duckdb.DuckDBPyConnection, expected: dict[str, Rows]) -> None:
    quoted = name if name.startswith('"') else f'"{name}"'
    con.execute(f"create table {quoted} as from plain")
    for call in dict.fromkeys([*AS_TEXT, some_calls(len(name))[0]]):
        assert rounded(run(con, named(call, name))) == expected[call]


def test_names_of_tables_are_not_case_sensitive(con: duckdb.DuckDBPyConnection) -> None:
    assert run(con, "from ltr.ap('PLAIN') order by all") == AVERAGE_PRECISION
    assert run(con, "FROM LTR.AP('Plain', K := NULL, Rel := 1) ORDER BY ALL") == AVERAGE_PRECISION


EXTRA = sorted({*PARAMETERS, *ALIASES, *OTHERS, "run_a", "place", "covered", "novelty", "placed", "best_doc_id"})
MORE_COLUMNS = {
    "numbers": "1",
    "large numbers": "1e9",
    "strings": "'exponential'",
    "names of columns": "'query_id'",
    "lists": "['query_id', 'rank']",
    "NULL": "null",
    "structs": "{'rank': 9, 'rank_a': 9, 'rank_b': 9}",
}


@pytest.mark.slow
@pytest.mark.parametrize("shift", range(3))
def test_no_name_of_a_column_is_captured(shift: int, con: duckdb.DuckDBPyConnection, expected: dict[str, Rows]) -> None:
    """Columns may have the names of parameters and internal aliases, with any contents.

    Each name has three kinds of contents, the first in all calls, and the others in a third of them.
    """
    calls = [*CALLS.values(), *SPANNING]
    kinds = [*MORE_COLUMNS]
    names = [name for name in EXTRA if name not in COLUMNS.split(", ")]
    kind_of = {name: kinds[(number + 3 * shift) % len(kinds)] for number, name in enumerate(names)}
    assert {*kind_of.values()} == {*kinds}
    if kind_of["r"] in ("NULL", "structs"):
        del kind_of["r"]
    more = ", ".join(f'{MORE_COLUMNS[kind]} as "{name}"' for name, kind in kind_of.items())
    con.execute(f"create table wide as select {more}, p.* from plain as p")
    for call in calls[shift::3] if shift else calls:
        assert rounded(run(con, named(call, "wide"))) == expected[call], call


def test_other_columns_are_output(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create table wide as select 'x' as k, 'y' as note, p.* from plain as p")
    ranked = con.sql("from ltr.rank_by_score('wide')")
    assert set(ranked.columns) == {"k", "note", *COLUMNS.split(", ")}
    judged = con.sql("from ltr.judge('plain', 'wide')")
    assert judged.columns[:3] == ["query_id", "doc_id", "rank"]
    assert {"relevance", "k", "note", "subtopic", "num_ret"} < set(judged.columns)


def test_columns_of_the_run_are_not_output_from_the_judgments(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create table run as values ('x', 'q', 'a', 2.0), ('x', 'q', 'b', 1.0)")
    con.execute("alter table run rename col0 to system; alter table run rename col1 to query_id")
    con.execute("alter table run rename col2 to doc_id; alter table run rename col3 to score")
    con.execute(
        "create table old as "
        "select 'old' as system, 'q' as query_id, 'b' as doc_id, 1 as relevance, 9 as rank, 9 as num_ret"
    )
    con.execute("alter table old rename system to origin")
    judged = con.sql("select * exclude (origin) from ltr.judge('run', 'old', keys := ['system'])")
    assert judged.columns == ["system", "query_id", "doc_id", "rank", "relevance", "num_ret"]
    assert judged.fetchall() == [("x", "q", "b", 2, 1, 2)]


# Kinds of relations


@pytest.mark.slow
def test_kinds_of_relations(con: duckdb.DuckDBPyConnection, expected: dict[str, Rows], tmp_path: Path) -> None:
    parquet, csv = tmp_path / "it's data.parquet", tmp_path / "data.csv"
    for path in (parquet, csv):
        quoted = str(path).replace("'", "''")
        con.execute(f"copy plain to '{quoted}'")
    con.execute(f"copy (from plain where query_id = 'q1') to '{tmp_path}/part_1.parquet'")
    con.execute(f"copy (from plain where query_id = 'q2') to '{tmp_path}/part_2.parquet'")
    con.execute("create view a_view as from plain where rank > 0")
    con.execute("create temp table a_temp_table as from plain")
    con.execute("create temp view a_temp_view as from a_temp_table")
    con.execute("create schema s; create table s.there as from plain")
    con.register("a_frame", con.sql("from plain").to_arrow_table())
    names = ["a_view", "a_temp_table", "a_temp_view", "s.there", "a_frame", "memory.s.there", "temp.a_temp_table"]
    names += [str(parquet), str(csv), f"{tmp_path}/part_*.parquet"]
    for number, name in enumerate(names):
        for call in (AS_TEXT[number % len(AS_TEXT)], some_calls(number)[0]):
            assert rounded(run(con, named(call, name))) == expected[call], (name, call)


@pytest.mark.slow
def test_a_cte_as_relation(con: duckdb.DuckDBPyConnection, expected: dict[str, Rows]) -> None:
    for call in SPANNING:
        assert rounded(run(con, f"with mine as (from plain) {named(call, 'mine')}")) == expected[call]
    chained = """
        with judged as (from ltr.judge('plain', 'plain')), top as (from judged where rank <= 2 or rank is null)
        from ltr.evaluate('top', ['P@2', 'RR'])
    """
    assert run(con, chained) == [(2, 0.75, 0.75)]


def test_names_made_by_expressions(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("set variable t = 'plain'")
    for argument in ("'pl' || 'ain'", "getvariable('t')", "lower('PLAIN')"):
        assert run(con, f"from ltr.ap({argument}) order by all") == AVERAGE_PRECISION
        assert run(con, f"from ltr.per_query({argument}, ['A' || 'P']) order by all") == AVERAGE_PRECISION


# Calls in larger queries


def test_lateral_sweep_of_cutoffs(shared: duckdb.DuckDBPyConnection) -> None:
    swept = run(shared, "from (values (1), (2)) as t(k), lateral (from ltr.ndcg('plain', k := t.k)) order by all")
    single = [(k, *row) for k in (1, 2) for row in run(shared, f"from ltr.ndcg('plain', k := {k}) order by all")]
    assert rounded(swept) == rounded(single)
    assert run(shared, "from (values (1), (2)) as t(k), ltr.p('plain', k := t.k) order by all") == [
        (1, "q1", 0.0),
        (1, "q2", 1.0),
        (2, "q1", 0.5),
        (2, "q2", 1.0),
    ]


@pytest.mark.parametrize("macro", [d.macro for d in ONE_OF_EACH_SOURCE if d.macro in AT])
def test_lateral_sweep_with_every_row_source(
    macro: str, shared: duckdb.DuckDBPyConnection, expected: dict[str, Rows]
) -> None:
    name, value = AT[macro]
    call = f"from ltr.{macro}('plain', {name} := {{}}{told(macro)})"
    swept = run(shared, f"from (values (1), ({value})) as t(x), lateral ({call.format('t.x')}) order by all")
    single = {1: rounded(run(shared, f"{call.format(1)} order by all")), value: expected[CALLS[macro]]}
    assert rounded(swept) == [(x, *row) for x in sorted(single) for row in single[x]]


def test_lateral_sweep_of_other_parameters(shared: duckdb.DuckDBPyConnection) -> None:
    sweep = "from (values (1), (2)) as t(rel), lateral (from ltr.rr('plain', rel := t.rel)) order by all"
    assert run(shared, sweep) == [(1, "q1", 0.5), (1, "q2", 1.0), (2, "q1", 1 / 3), (2, "q2", 0.5)]


@pytest.mark.slow
def test_views(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create view each as from ltr.ap('plain')")
    con.execute("create view means as from ltr.evaluate('plain', ['AP', 'P@1'])")
    con.execute("create view judged as from ltr.judge('plain', 'plain')")
    con.execute("create view of_judged as from ltr.ap('judged')")
    for name in ("each", "of_judged"):
        assert run(con, f"from {name} order by all") == AVERAGE_PRECISION
        assert run(con, f"select avg(ap) from {name} where query_id = 'q2'") == [(1.0,)]
    mean = sum(value for _, value in AVERAGE_PRECISION) / 2
    assert run(con, "from means") == [(2, pytest.approx(mean, rel=0, abs=1e-12), 0.5)]
    con.execute("delete from plain where query_id = 'q1'")
    assert run(con, "from each") == [("q2", 1.0)]
    assert run(con, "from means") == [(1, 1.0, 1.0)]


@pytest.mark.slow
def test_views_in_a_file_with_persisted_macros(tmp_path: Path) -> None:
    path = tmp_path / "data.duckdb"
    with duckdb.connect(path) as con:
        with_data(ltr_sql.register(con, persist=True))
        con.execute("create view each as from ltr.ap('plain'); create view mean as from ltr.evaluate('plain', ['P@1'])")
    with duckdb.connect(path, read_only=True) as con:
        assert run(con, "from each order by all") == AVERAGE_PRECISION
        assert run(con, "from mean") == [(2, 0.5)]


def test_prepared_statements(con: duckdb.DuckDBPyConnection) -> None:
    assert run(con, "from ltr.ap(?) order by all", ["plain"]) == AVERAGE_PRECISION
    assert run(con, "from ltr.rr('plain', k := ?, rel := ?) order by all", [2, 2]) == [("q1", 0.0), ("q2", 0.5)]
    assert run(con, "from ltr.evaluate(?, ?)", ["plain", ["P@1", "RR(rel=2)"]]) == [(2, 0.5, pytest.approx(5 / 12))]
    by_subtopic = "from ltr.evaluate($t, $m, keys := $c) order by all"
    values = {"t": "plain", "m": ["P@1"], "c": ["subtopic"]}
    assert run(con, by_subtopic, values) == [("s1", 2, 0.5), ("s2", 2, 0.0)]
    con.execute("prepare swept as select query_id, p from ltr.p('plain', k := $1) order by all")
    for _ in range(2):
        assert run(con, "execute swept(1)") == [("q1", 0.0), ("q2", 1.0)]
        assert run(con, "execute swept(2)") == [("q1", 0.5), ("q2", 1.0)]
    con.execute("prepare means as from ltr.evaluate($1, $2)")
    assert run(con, "execute means('plain', ['P@1'])") == [(2, 0.5)]
    assert run(con, "execute means('plain', ['P@2', 'P@1'])") == [(2, 0.75, 0.5)]


def test_results_in_tables_and_joins(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create table stored as from ltr.per_query('plain', ['AP', 'P@1'])")
    con.execute("insert into stored from ltr.per_query('plain', ['AP', 'P@1'])")
    assert run(con, "select count(*) from stored") == [(4,)]
    joined = "select a.query_id, a.ap, p.p from ltr.ap('plain') as a join ltr.p('plain', k := 1) as p using (query_id)"
    assert run(con, f"{joined} order by all") == [(*AVERAGE_PRECISION[0], 0.0), (*AVERAGE_PRECISION[1], 1.0)]
    long = """
        unpivot (from ltr.per_query('plain', ['P@1', 'P@2'])) on columns(* exclude query_id)
        into name measure value value
    """
    assert run(con, f"from ({long}) order by all") == [
        ("q1", "P@1", 0.0),
        ("q1", "P@2", 0.5),
        ("q2", "P@1", 1.0),
        ("q2", "P@2", 1.0),
    ]


# Settings of the caller

SETTINGS = [
    "set default_null_order = 'nulls_first'",
    "set default_null_order = 'nulls_last'",
    "set default_order = 'desc'",
    "set default_order = 'desc'; set default_null_order = 'nulls_first_on_asc_last_on_desc'",
    "set threads = 1",
    "set preserve_insertion_order = false",
    "set integer_division = true",
]
SEVERAL = ["; ".join([SETTINGS[0], *SETTINGS[4:]]), SETTINGS[3]]


SETTINGS_DATA = """
    create table data as
    from (values ('q1', 'd1', 1, 3.0, 0), ('q1', 'd2', null, 0.5, 3), ('q1', 'd3', 2, 2.0, null),
        ('q1', 'd4', 3, 2.0, 2), ('q2', 'd5', null, 0.25, 1), ('q2', 'd1', 1, 1.5, 1))
    as t(query_id, doc_id, rank, score, relevance);
    create table run as
    select d.query_id, d.doc_id, d.rank from data as d where d.rank is not null
"""
SETTINGS_CALLS = [
    "from ltr.per_query('data', ['nDCG', 'AP', 'F1@2', 'R', 'RR', 'KendallTau', 'Spearman'])",
    "select query_id, doc_id, rank from ltr.rank_by_score('data')",
    "select query_id, doc_id, rank_a, rank_b from ltr.pair_with_ideal('data')",
    "select query_id, doc_id, rank from ltr.judge('run', 'data', ties := 'worst')",
    *(f"from ltr.{name}('data', k := 2)" for name in ("ndcg", "f1", "ap")),
]


def values_under(setting: str, before: bool) -> list[Rows]:
    with duckdb.connect() as con:
        if before:
            apply(con, setting)
        ltr_sql.register(con)
        if not before:
            apply(con, setting)
        con.execute(SETTINGS_DATA)
        # Sort in Python, because the direction of `order by` is one of the settings.
        return [sorted(rounded(run(con, call)), key=repr) for call in SETTINGS_CALLS]


@pytest.fixture(scope="module")
def values_by_default() -> list[Rows]:
    return values_under("", before=True)


@pytest.mark.slow
@pytest.mark.parametrize("before", [True, False], ids=["before register", "after register"])
@pytest.mark.parametrize(
    "setting", [*SEVERAL, *(pytest.param(setting, marks=pytest.mark.slow) for setting in SETTINGS)]
)
def test_settings_change_nothing(setting: str, before: bool, values_by_default: list[Rows]) -> None:
    assert values_under(setting, before) == values_by_default


def apply(con: duckdb.DuckDBPyConnection, setting: str) -> None:
    for name in re.findall(r"set (\w+)", setting):
        if not run(con, "select 1 from duckdb_settings() where name = ?", [name]):
            pytest.skip(f"this DuckDB has no setting {name}")
    con.execute(setting)


# Threads, and name conflicts


@pytest.mark.slow
@pytest.mark.parametrize("persist", [False, True])
def test_registering_from_threads(persist: bool, tmp_path: Path) -> None:
    file = str(tmp_path / "data.duckdb")
    with duckdb.connect(file) as one, duckdb.connect(file) as other, ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(ltr_sql.register, con.cursor(), persist) for con in (one, other, one)]:
            done.result()
        assert run(other, "select count(*) > 0 from ltr.measures()") == [(True,)]


@pytest.mark.parametrize("persist", [False, True])
@pytest.mark.parametrize("make", ["create schema ltr", "attach ':memory:' as ltr"])
def test_other_macros_are_unchanged(make: str, persist: bool) -> None:
    with duckdb.connect() as con:
        con.execute(f"{make}; create macro ltr.ap(x) as table select 'mine' as value")
        with pytest.raises(LtrSqlError, match=r"'ltr' already contains other macros \(ap\)"):
            ltr_sql.register(con, persist)
        assert run(con, "from ltr.ap('x')") == [("mine",)]


def test_a_schema_of_another_database_is_no_conflict() -> None:
    with duckdb.connect() as con:
        con.execute("attach ':memory:' as other; create schema other.ltr")
        ltr_sql.register(con)
        assert run(con, "select count(*) > 0 from ltr.measures()") == [(True,)]


@pytest.mark.parametrize("given", [None, "data.duckdb"])
def test_con_must_be_a_connection(given: Any) -> None:
    with pytest.raises(LtrSqlError, match=r"con must be a connection from duckdb.connect\(\)"):
        ltr_sql.register(given)
