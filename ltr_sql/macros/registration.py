"""Register the macros with a DuckDB connection, from the files that hold them.

DuckDB needs half a second or more to run the script. An installed package therefore also holds the macros as a
DuckDB file, the catalogue, which loads many times faster. `hatch_build.py` writes both files when the package is
built. The name of the catalogue contains a hash of the script, so a catalogue of another script is ignored.
"""

import re
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import duckdb

from ltr_sql.catalogue.files import PACKAGE_FOLDER, SQL_FOLDER
from ltr_sql.errors import InputWarning, LtrSqlError, OutputError, interruptible
from ltr_sql.forks import not_while_forking
from ltr_sql.outputs import output_file
from ltr_sql.rendering.dialects import path_string
from ltr_sql.rendering.sql_text import qualified
from ltr_sql.version import __version__

BUNDLE = SQL_FOLDER / "ltr.sql"
SCHEMA = "create schema if not exists ltr;\n"
IN_MEMORY = "attach if not exists ':memory:' as ltr (read_write);\n"
CATALOGUES = PACKAGE_FOLDER


def script() -> str:
    """Return the script of all macros. Raises LtrSqlError in a checkout that has not been built."""
    return _script_bytes().decode()


def _script_bytes() -> bytes:
    try:
        return BUNDLE.read_bytes()
    except FileNotFoundError:
        raise LtrSqlError(
            f"{BUNDLE} has not been built: run 'pip install -e .' or 'python -m tools.generate' in {SQL_FOLDER.parent}"
        ) from None


def catalogue_file(text: str | None = None) -> Path:
    """Return the path of the catalogue of a script, by default of `script()`. The file may not exist."""
    digest = sha256(_script_bytes() if text is None else text.encode()).hexdigest()
    return CATALOGUES / f"ltr-{digest[:16]}.duckdb"


def write_catalogue(path: Path, text: str | None = None) -> None:
    """Write the catalogue, a DuckDB file with all macros of a script, by default of `script()`.

    `attach 'PATH' as ltr (read_only)` then gives any client of DuckDB 1.5 or later the macros. Replaces an older
    catalogue. Raises LtrSqlError if the path is another file, and OutputError if it cannot be written.
    """
    if path.exists() and not _is_catalogue(path):
        raise LtrSqlError(f"{path} already exists and is not a catalogue of ltr_sql: pass another file name")
    try:
        with output_file(path) as written, duckdb.connect() as con:
            # Use the format of the oldest supported DuckDB. Older formats lose `not materialized` and `lambda`.
            opened = f"attach {path_string(written)} as ltr (storage_version 'v1.5.0');\n"
            con.execute((script() if text is None else text).replace(SCHEMA, opened, 1))
    except duckdb.IOException as error:
        raise OutputError(f"{path} cannot be written: {error}") from None


def _is_catalogue(path: Path) -> bool:
    """Return whether a file is a DuckDB database with a macro `measures_query` and without tables."""
    try:
        with duckdb.connect() as con:
            con.execute(f"attach {path_string(path)} as ltr (read_only)")
            ((macros, tables),) = con.execute(
                "select (select count(*) from duckdb_functions() where database_name = 'ltr' and function_name = "
                "'measures_query'), (select count(*) from duckdb_tables() where database_name = 'ltr')"
            ).fetchall()
    except duckdb.Error:
        return False
    return bool(macros) and not tables


def write_package_catalogue(folder: Path, text: str) -> Path:
    """Write the catalogue of a script into a folder. Return its path.

    Deletes catalogues of other scripts. Several processes may write the catalogue at once.
    """
    path = folder / catalogue_file(text).name
    write_catalogue(path, text)
    for old in path.parent.glob("ltr-*.duckdb"):
        if old != path:
            old.unlink(missing_ok=True)
    return path


# Macros in a schema or catalog called ltr that does not hold the macros of ltr_sql.
_OTHER_MACROS = qualified("""
select distinct f.function_name
from duckdb_functions() as f
where not f.internal
    and (lower(f.database_name) = 'ltr' or (lower(f.schema_name) = 'ltr' and f.database_name = current_database()))
    and not exists (
        select 1
        from duckdb_functions() as o
        where o.database_name = f.database_name and o.schema_name = f.schema_name and o.function_name = 'measures_query'
    )
order by all asc
limit 3
""")
# The database that is called ltr, and its file if it has one.
_LTR = qualified("select database_name, path from duckdb_databases() where lower(database_name) = 'ltr'")
# Whether a database holds the macros of ltr_sql. Listing all functions takes a sixth of the time of registering.
_HOLDS_MACROS = qualified("""
select 1
from duckdb_functions()
where database_name = $1 and schema_name = 'main' and function_name = 'measures_query'
limit 1
""")
# A catalog and a schema of the current database that are both called ltr.
_BOTH_PLACES = qualified("""
select s.database_name, d.path
from duckdb_schemas() as s
join duckdb_databases() as d on lower(d.database_name) = 'ltr'
where lower(s.schema_name) = 'ltr' and s.database_name = current_database()
""")
_OLDEST_STORAGE = (1, 5)


@interruptible()
def register(con: duckdb.DuckDBPyConnection, persist: bool = False) -> duckdb.DuckDBPyConnection:
    """Add the macros `ltr.ndcg`, `ltr.judge`, `ltr.evaluate` and all others to a connection.

    - `con`: a connection. It may be in a transaction, and its database may be read-only.
    - `persist`: false attaches an in-memory catalog called `ltr`, which cursors of the connection share. True writes
      the macros into a schema `ltr` of the database. They work in any version of DuckDB that can open the database file
      (see `storage_version` of DuckDB's `attach`).

    Registering again replaces the macros. A file of `ltr-sql catalogue` that is attached as `ltr` is kept. Returns
    the connection. Raises LtrSqlError if the name `ltr` is taken, if the attached file is of another version, or if
    both a catalog and a schema are called `ltr`. Warns with InputWarning if the macros are written into a file that
    DuckDB 1.5 cannot open.

    >>> import duckdb
    >>> con = ltr_sql.register(duckdb.connect())
    >>> con.sql("from ltr.measures() select count(*) > 100").fetchall()
    [(True,)]
    """
    if not isinstance(con, duckdb.DuckDBPyConnection):
        raise LtrSqlError(f"con must be a connection from duckdb.connect(), got {type(con).__name__}")
    # Connections of one process cannot attach a catalog or create the same macros concurrently.
    with not_while_forking():
        _refuse_two_places(con)
        if not persist and _is_attached(con):
            return con
        registered = _refuse_taken_name(con, persist)
        if persist:
            with _undone_on_failure(con, None if _has_schema(con) else "drop schema if exists ltr cascade"):
                con.execute(script())
            _warn_of_newer_storage(con)
            return con
        built = catalogue_file()
        # Use a cursor: a transaction of the caller can write to one database only.
        undo = None if registered else "detach database if exists ltr"
        with con.cursor() as cursor, _undone_on_failure(cursor, undo):
            if registered or not built.is_file() or not _copy_catalogue(cursor, built):
                cursor.execute(script().replace(SCHEMA, IN_MEMORY, 1))
    return con


@contextmanager
def _undone_on_failure(con: duckdb.DuckDBPyConnection, undo: str | None) -> Iterator[None]:
    """Execute `undo` if macros are created in part, for example because of Ctrl-C. The next call would refuse them."""
    try:
        yield
    except BaseException:
        if undo is not None:
            # A transaction of the caller is aborted, and its rollback removes them.
            with suppress(duckdb.Error):
                con.execute(undo)
        raise


def _has_schema(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the database has a schema `ltr`."""
    query = "select 1 from duckdb_schemas() where lower(schema_name) = 'ltr' and database_name = current_database()"
    return con.execute(qualified(query)).fetchone() is not None


def _refuse_two_places(con: duckdb.DuckDBPyConnection) -> None:
    """Raise LtrSqlError if both a catalog and a schema are called `ltr`. DuckDB then refuses all calls of macros."""
    found = con.execute(_BOTH_PLACES).fetchone()
    if found:
        database, path = found
        attached = f"the attached file {path}" if path else "a catalog in memory"
        raise LtrSqlError(
            f"both {attached} and a schema of the database {database} are called 'ltr', so that DuckDB cannot tell "
            f"them apart: run 'detach ltr', or 'drop schema {database}.ltr cascade'"
        )


def _is_attached(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether a file with the macros is attached as `ltr`. Raises LtrSqlError if another version wrote it."""
    name, path = con.execute(_LTR).fetchone() or ("", None)
    if path is None or con.execute(_HOLDS_MACROS, [name]).fetchone() is None:
        return False
    found = con.execute("select ltr.version()").fetchall()[0][0]
    current = __version__
    if found != current:
        raise LtrSqlError(
            f"the attached file {path} holds the macros of ltr_sql {found}, but this is {current}: run 'detach ltr' "
            "and 'ltr-sql catalogue -o FILE', or leave out register() to use the macros of the file"
        )
    return True


def _copy_catalogue(con: duckdb.DuckDBPyConnection, built: Path) -> bool:
    """Copy the macros from the built catalogue. Return false if there is no folder for temporary files, or no right to
    read files.

    Attach a copy of the file, because DuckDB may wait for a file that another connection has open.
    """
    name = f"__ltr_{uuid4().hex}"
    try:
        with TemporaryDirectory(prefix="ltr_sql-", ignore_cleanup_errors=True) as folder:
            copy = shutil.copy(built, Path(folder) / built.name)
            con.execute(f"attach {path_string(copy)} as {name} (read_only)")
            con.execute(IN_MEMORY)
            con.execute(f"copy from database {name} to ltr")
            con.execute(f"detach {name}")
    except (OSError, duckdb.PermissionException, duckdb.IOException):
        return False
    return True


def _warn_of_newer_storage(con: duckdb.DuckDBPyConnection) -> None:
    """Warn if the oldest DuckDB that the macros support cannot open the database file."""
    found = con.execute(
        qualified("select tags['storage_version'] from duckdb_databases() where database_name = current_database()")
    ).fetchall()
    version = found[0][0] if found else None
    numbers = re.match(r"v(\d+)\.(\d+)", version or "")
    if numbers and (int(numbers[1]), int(numbers[2])) > _OLDEST_STORAGE:
        warnings.warn(
            f"DuckDB 1.5 cannot open this database file, whose storage version is {version}: if it should, attach a "
            "new file with (storage_version 'v1.5.0'), and register there",
            InputWarning,
            stacklevel=4,
        )


def _refuse_taken_name(con: duckdb.DuckDBPyConnection, persist: bool) -> bool:
    """Return whether the macros are registered in memory. Raises LtrSqlError if the name `ltr` is taken."""
    catalog = con.execute(_LTR).fetchone()
    has_schema = _has_schema(con)
    if catalog is None and not has_schema:
        return False
    other_macros = con.execute(_OTHER_MACROS).fetchall()
    if other_macros:
        raise LtrSqlError(
            f"'ltr' already contains other macros ({', '.join(name for (name,) in other_macros)}): "
            "rename the schema, or attach the database under another name"
        )
    if catalog is not None and catalog[1]:
        raise LtrSqlError(
            f"a database is attached as 'ltr' ({catalog[1]}), which is the name of the macros: "
            "attach it under another name"
        )
    if catalog is not None and persist:
        raise LtrSqlError("the macros are registered in memory as catalog 'ltr': run 'detach ltr' before persist=True")
    if has_schema and not persist:
        raise LtrSqlError(
            "the database has a schema 'ltr': if it holds the macros, call them without registering, or renew them by "
            "register(con, persist=True); otherwise rename the schema"
        )
    return catalog is not None
