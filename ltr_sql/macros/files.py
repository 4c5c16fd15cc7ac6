"""The generated script of all macros, and the catalogue that is built from it.

DuckDB needs half a second or more to run the script. An installed package therefore also holds the macros as a
DuckDB file, the catalogue, which loads many times faster. `hatch_build.py` writes both files when the package is
built. The name of the catalogue contains a hash of the script, so a catalogue of another script is ignored.
"""

from hashlib import sha256
from pathlib import Path

import duckdb

from ltr_sql.catalogue.files import PACKAGE_FOLDER, SQL_FOLDER
from ltr_sql.errors import LtrSqlError, OutputError
from ltr_sql.outputs import output_file
from ltr_sql.rendering.dialects import path_string

BUNDLE = SQL_FOLDER / "ltr.sql"
SCHEMA = "create schema if not exists ltr;\n"
IN_MEMORY = "attach if not exists ':memory:' as ltr (read_write);\n"
CATALOGUES = PACKAGE_FOLDER


def script() -> str:
    """Return the script of all macros. Raises LtrSqlError in a checkout that has not been built."""
    try:
        return BUNDLE.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise LtrSqlError(
            f"{BUNDLE} has not been built: run 'pip install -e .' or 'python -m tools.generate' in {SQL_FOLDER.parent}"
        ) from None


def catalogue_file(text: str | None = None) -> Path:
    """Return the path of the catalogue of a script, by default of `script()`. The file may not exist."""
    digest = sha256((script() if text is None else text).encode()).hexdigest()
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
