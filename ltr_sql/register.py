"""The macros of schema `ltr` in a DuckDB connection."""

import duckdb

from ltr_sql.bundle_file import BUNDLE, SCHEMA
from ltr_sql.errors import LtrSqlError


def register(con: duckdb.DuckDBPyConnection, persist: bool = False) -> duckdb.DuckDBPyConnection:
    """Make `ltr.ndcg`, `ltr.judge`, `ltr.evaluate` and all other macros known to a connection.

    By default they live in an attached in-memory catalog called `ltr`: the database is left alone, may be
    read-only, and cursors of the connection see them too. With `persist=True` they are written into a schema
    `ltr` of the database. Registering again replaces them.

    Returns the connection. Raises LtrSqlError if a database or schema of the caller's is called `ltr`.
    """
    _refuse_taken_name(con, persist)
    script = BUNDLE.read_text(encoding="utf-8")
    if not persist:
        script = script.replace(SCHEMA, "attach if not exists ':memory:' as ltr (read_write);\n", 1)
    con.execute(script)
    return con


def _refuse_taken_name(con: duckdb.DuckDBPyConnection, persist: bool) -> None:
    catalog = con.execute("select path from duckdb_databases() where lower(database_name) = 'ltr'").fetchone()
    schema = con.execute("select 1 from duckdb_schemas() where lower(schema_name) = 'ltr' limit 1").fetchone()
    if catalog is not None and catalog[0]:
        raise LtrSqlError(
            f"a database is attached as 'ltr' ({catalog[0]}): the macros need that name, "
            "attach the database under another one"
        )
    if catalog is not None and persist:
        raise LtrSqlError("the macros are registered in memory as catalog 'ltr': run 'detach ltr' before persist=True")
    if schema is not None and not persist:
        raise LtrSqlError(
            "the database has a schema 'ltr': if it holds the macros they can be called as they are, "
            "register(con, persist=True) renews them; otherwise rename the schema"
        )
