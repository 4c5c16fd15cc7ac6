"""Rendered SQL on two engines for which the package promises nothing, as a second check of the text.

DataFusion runs the text of a dialect of its own. Sail is a second implementation of Spark's SQL, and runs Spark's text.
What they cannot run because of a bug of theirs is listed in `BUGS`. Such tests fail when the bug has disappeared.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support.built import BUILDERS
from support.case_folders import MEASURES, RELATION_CASES, case_id, cases_of
from support.engines import (
    DATAFUSION,
    RANDOM,
    WITH_PROBABILITIES,
    Engine,
    beyond_accuracy_tables,
    check_beyond_accuracy,
    check_builder,
    check_cases,
    check_fused,
    check_random,
    check_relation,
    judges_subtopics,
    types_of,
    values_of,
)
from support.strategies import Row
from support.together import batches

from ltr_sql.catalogue.measures import beyond_accuracy_definitions
from ltr_sql.rendering.dialects import DIALECTS, SPARK

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

pytestmark = pytest.mark.clients

# Errors of the engines by what they cannot run.
NULLABLE = "Physical input schema should be the same as the one converted from logical input schema"
ORDER_OF_CASTS = "SanityCheckPlan"
EQUAL_WINDOWS = "Physical plan does not support logical expression WindowFunction"
# Sail divides by the columns of a join by range before the join, where they are 0.
DIVIDED_BEFORE_THE_JOIN = "Division by zero"
OF_BOTH = {
    "compat": NULLABLE,
    "pair/ties_docid_desc_float32": ORDER_OF_CASTS,
    "windows that are equal when simplified": EQUAL_WINDOWS,
}
BUGS: Mapping[str, Mapping[str, str]] = {
    "datafusion": OF_BOTH | {"pool": "Physical plan does not support logical expression Exists"},
    "sail": OF_BOTH | {"infndcg": DIVIDED_BEFORE_THE_JOIN},
}


def arrow_table(rows: Sequence[Row], columns: Sequence[str]) -> Any:
    kinds = {"int64": pa.int64(), "float64": pa.float64(), "string": pa.string(), "list": pa.list_(pa.float64())}
    types = types_of(rows, columns)
    return pa.table({name: pa.array([row.get(name) for row in rows], kinds[kind]) for name, kind in types.items()})


class DataFusion:
    """DataFusion in this process."""

    name, dialect = "datafusion", DATAFUSION

    def __init__(self) -> None:
        self._context = pytest.importorskip("datafusion").SessionContext()

    def create(self, name: str, rows: Sequence[Row], columns: Sequence[str]) -> None:
        if self._context.table_exist(name):
            self._context.deregister_table(name)
        self._context.from_arrow(arrow_table(rows, columns), name)

    def rows(self, query: str) -> list[Row]:
        return [row for batch in self._context.sql(query).collect() for row in batch.to_pylist()]


class Sail:
    """Sail, which reads files of a folder."""

    name, dialect = "sail", SPARK

    def __init__(self, connection: Any, folder: Path) -> None:
        self._connection = connection
        self._folder = folder

    def create(self, name: str, rows: Sequence[Row], columns: Sequence[str]) -> None:
        path = self._folder / f"{name}-{len([*self._folder.iterdir()])}.parquet"
        parquet.write_table(arrow_table(rows, columns), path)
        self.rows(f"create or replace temporary view {name} as select * from parquet.`{path}`")

    def rows(self, query: str) -> list[Row]:
        with self._connection.cursor() as cursor:
            cursor.execute(query)
            found: list[Row] = cursor.fetch_arrow_table().to_pylist()
        return found


@pytest.fixture(scope="module")
def datafusion() -> Iterator[DataFusion]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(DIALECTS, DATAFUSION.name, DATAFUSION)
        yield DataFusion()


@pytest.fixture(scope="module")
def sail(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sail]:
    server = pytest.importorskip("pysail.flight").FlightSqlServer()
    client = pytest.importorskip("adbc_driver_flightsql.dbapi")
    server.start(background=True)
    host, port = server.listening_address
    with client.connect(f"grpc://{host}:{port}", autocommit=True) as connection:
        yield Sail(connection, tmp_path_factory.mktemp("sail"))
    server.stop()


@pytest.fixture(params=BUGS)
def engine(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def bug_of(engine: Any, what: str) -> AbstractContextManager[Any]:
    """Return a context that expects the error that the engine raises for `what`, if it has a bug there."""
    error = BUGS[engine.name].get(what)
    return nullcontext() if error is None else pytest.raises(Exception, match=re.escape(error))


@pytest.mark.parametrize("macro", [name for name in MEASURES if name not in SPARK.gaps])
def test_cases_of_a_measure(macro: str, engine: Any) -> None:
    with bug_of(engine, macro):
        for cases in batches(cases_of(macro)):
            check_cases(engine, cases)


@pytest.mark.parametrize("folder", [f for f in RELATION_CASES if not judges_subtopics(f)], ids=case_id)
def test_relation(folder: Path, engine: Any, con: duckdb.DuckDBPyConnection) -> None:
    with bug_of(engine, case_id(folder)):
        check_relation(engine, folder, con)


@pytest.mark.parametrize("kind", RANDOM)
def test_random_rows_equal_the_oracle(kind: str, engine: Any) -> None:
    check_random(engine, kind, {*SPARK.gaps, *BUGS[engine.name]})


@pytest.mark.parametrize("macro", beyond_accuracy_definitions())
def test_beyond_accuracy_equals_the_oracle(macro: str, engine: Any) -> None:
    check_beyond_accuracy(engine, macro, beyond_accuracy_tables(engine))


@pytest.mark.parametrize("kind", ["scores", "ranks"])
def test_fused_runs(kind: str, engine: Any) -> None:
    check_fused(engine, kind)


@pytest.mark.parametrize("called", sorted({name for name, _ in BUILDERS} - WITH_PROBABILITIES))
def test_builders(called: str, engine: Any) -> None:
    with bug_of(engine, called):
        check_builder(engine, called)


def test_windows_that_are_equal_when_simplified(engine: Engine) -> None:
    """The windows of these measures differ by a factor of 1."""
    engine.create(
        "rows", [{"query_id": "q", "doc_id": "a", "rank": 1, "relevance": 1}], ["query_id", "rank", "relevance"]
    )
    with bug_of(engine, "windows that are equal when simplified"):
        values_of(engine, ["NERR10(p=1, max_rel=2)", "NERR8(max_rel=2)@3"], [], rankings="rows")
