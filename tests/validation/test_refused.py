"""Inputs that DuckDB refuses, in Python and in SQL. The tests of Postgres and of Spark read the same table."""

import re

import duckdb
import pytest
from support.refused import REFUSED, Given, Refused

import ltr_sql
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.inputs.binding import bind_unchecked
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.validation.suspicions import errors_query, refusing

TYPES = {"text": "varchar", "integer": "bigint", "double": "double"}


def create(con: duckdb.DuckDBPyConnection, tables: dict[str, Given]) -> None:
    for name, table in tables.items():
        columns = ", ".join(f"{column} {TYPES[kind]}" for column, kind in table.types.items())
        con.execute(f"create or replace table {name} ({columns})")
        for row in table.rows:
            con.execute(f"insert into {name} values ({', '.join('?' * len(row))})", [*row.values()])


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_python_refuses(case: Refused, module_con: duckdb.DuckDBPyConnection) -> None:
    create(module_con, case.tables)
    qrels = "qrels" if case.qrels else None
    with pytest.raises(ltr_sql.InputError, match=f"^{case.error}"):
        ltr_sql.evaluate("run", [case.measure], qrels=qrels, con=module_con)


@pytest.mark.default(
    "score that is infinite", "judgments without rows", "run without a document id", "judgment without a document id"
)
@pytest.mark.parametrize("case", [case for case in REFUSED if case.sql], ids=lambda case: case.name)
def test_sql_refuses(case: Refused, module_con: duckdb.DuckDBPyConnection) -> None:
    create(module_con, case.tables)
    ranked = {"judge": "ltr.judge('run', 'qrels')", "rank": "ltr.rank_by_score('run', ties := 'worst')", "": "run"}
    made = "judge" if case.qrels else "rank" if "score" in case.run.types else ""
    call = f"with judged as (from {ranked[made]}) from ltr.evaluate('judged', ['{case.measure}'])"
    with pytest.raises(duckdb.Error, match=re.escape(case.sql)):
        module_con.execute(call)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_the_query_of_other_engines_refuses(case: Refused, module_con: duckdb.DuckDBPyConnection) -> None:
    create(module_con, case.tables)

    def run(state: Session) -> tuple[list[str], list[str]]:
        qrels = state.bind("qrels", "qrels") if case.qrels else None
        measures = [parse_measure(case.measure)]
        bound = bind_unchecked(state.bind("run", "run"), qrels, measures, keys=(), ties="docid_desc", missing="zero")
        errors = refusing("select 1 as one", errors_query(bound, measures), DUCKDB)
        return [errors, bound.query(measures, averaged=True)], []

    queries = with_warnings(module_con, run, {})
    # The query of the measures finds duplicate judgments. Postgres and Spark read texts as numbers by other queries.
    raised = rf"{case.raised}|Could not convert string|a document is judged more than once"
    with pytest.raises(duckdb.Error, match=raised):
        for query in queries:
            module_con.execute(query).fetchall()
