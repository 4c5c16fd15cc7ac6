"""The macros of schema `ltr` in a DuckDB connection."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from uuid import uuid4

import duckdb

from ltr_sql.errors import LtrSqlError
from ltr_sql.sqltext.bundle_file import BUNDLE, IN_MEMORY, SCHEMA, catalogue_file
from ltr_sql.sqltext.dialects import string

# The macros of a schema or catalogue ltr where those of ltr_sql are not.
_OTHER_MACROS = """
select distinct f.function_name
from duckdb_functions() as f
where not f.internal
    and (lower(f.database_name) = 'ltr' or (lower(f.schema_name) = 'ltr' and f.database_name = current_database()))
    and not exists (
        select 1
        from duckdb_functions() as o
        where o.database_name = f.database_name and o.schema_name = f.schema_name and o.function_name = 'measures_query'
    )
order by all
limit 3
"""
# Two connections of one process cannot make a catalogue, or the same macros, at the same time.
_one_at_a_time = Lock()


def register(con: duckdb.DuckDBPyConnection, persist: bool = False) -> duckdb.DuckDBPyConnection:
    """Make `ltr.ndcg`, `ltr.judge`, `ltr.evaluate` and all other macros known to a connection.

    By default they live in an attached in-memory catalog called `ltr`: the database is left alone, may be
    read-only, cursors of the connection see them too, and an open transaction has no part in it. With
    `persist=True` they are written into a schema `ltr` of the database, where any version of DuckDB finds them that
    can open its file (`storage_version` of DuckDB's `attach`). Registering again replaces them.

    Returns the connection. Raises LtrSqlError if a database or schema of the caller's is called `ltr`.
    """
    if not isinstance(con, duckdb.DuckDBPyConnection):
        raise LtrSqlError(f"register takes a connection of duckdb.connect(), got {type(con).__name__}")
    with _one_at_a_time:
        registered = _refuse_taken_name(con, persist)
        if persist:
            con.execute(BUNDLE.read_text(encoding="utf-8"))
            return con
        built = catalogue_file()
        # The caller's connection may be in a transaction, which can write to one database only.
        with con.cursor() as cursor:
            if registered or not built.is_file() or not _copied(cursor, built):
                cursor.execute(BUNDLE.read_text(encoding="utf-8").replace(SCHEMA, IN_MEMORY, 1))
    return con


def _copied(con: duckdb.DuckDBPyConnection, built: Path) -> bool:
    """Copy the macros out of the built catalogue. Returns False where the connection may not read files.

    A copy of it is attached, because DuckDB may wait for a file that it has open.
    """
    name = f"__ltr_{uuid4().hex}"
    with TemporaryDirectory(prefix="ltr_sql-", ignore_cleanup_errors=True) as folder:
        copy = shutil.copy(built, Path(folder) / built.name)
        try:
            con.execute(f"attach {string(str(copy))} as {name} (read_only)")
        except duckdb.PermissionException:
            return False
        con.execute(IN_MEMORY)
        con.execute(f"copy from database {name} to ltr")
        con.execute(f"detach {name}")
    return True


def _refuse_taken_name(con: duckdb.DuckDBPyConnection, persist: bool) -> bool:
    """Whether the macros are registered in memory; raises LtrSqlError if their name is taken."""
    catalog = con.execute("select path from duckdb_databases() where lower(database_name) = 'ltr'").fetchone()
    schema = con.execute(
        "select 1 from duckdb_schemas() where lower(schema_name) = 'ltr' and database_name = current_database()"
    ).fetchone()
    theirs = con.execute(_OTHER_MACROS).fetchall()
    if theirs:
        raise LtrSqlError(
            f"'ltr' has macros that are not of ltr_sql ({', '.join(name for (name,) in theirs)}): "
            "the macros need that name, rename the schema or attach the database under another one"
        )
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
    return catalog is not None
