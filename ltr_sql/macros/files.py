"""The generated script of all macros, and the catalogue that is built from it.

DuckDB needs half a second or more to run the script. An installed package therefore also holds the macros as a
DuckDB file, the catalogue, which loads many times faster. `hatch_build.py` writes it when the package
is built. Its name contains a hash of the script, so a catalogue of another script is ignored.
"""

from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import duckdb

from ltr_sql.catalogue.files import PACKAGE_FOLDER, SQL_FOLDER
from ltr_sql.errors import LtrSqlError
from ltr_sql.rendering.dialects import path_string

BUNDLE = SQL_FOLDER / "ltr.sql"
SCHEMA = "create schema if not exists ltr;\n"
IN_MEMORY = "attach if not exists ':memory:' as ltr (read_write);\n"
CATALOGUES = PACKAGE_FOLDER


def catalogue_file() -> Path:
    """Return the path of the catalogue, which may not exist."""
    return CATALOGUES / f"ltr-{sha256(BUNDLE.read_bytes()).hexdigest()[:16]}.duckdb"


def write_catalogue(path: Path) -> None:
    """Write the catalogue, a DuckDB file with all macros.

    `attach 'PATH' as ltr (read_only)` then gives any client of DuckDB 1.5 or later the macros. Replaces an older
    catalogue. Raises LtrSqlError if the path is another file, or cannot be written.
    """
    if path.exists() and not _is_catalogue(path):
        raise LtrSqlError(f"{path} already exists and is not a catalogue of ltr_sql: pass another file name")
    if not path.parent.is_dir():
        raise LtrSqlError(f"{path} cannot be written: there is no folder {path.parent}")
    written = path.with_name(f"{path.name}.{uuid4().hex}")
    # Use the format of the oldest supported DuckDB. Older formats lose `not materialized` and `lambda`.
    opened = f"attach {path_string(written)} as ltr (storage_version 'v1.5.0');\n"
    try:
        with duckdb.connect() as con:
            con.execute(BUNDLE.read_text(encoding="utf-8").replace(SCHEMA, opened, 1))
        written.replace(path)
    except (duckdb.IOException, OSError) as error:
        raise LtrSqlError(f"{path} cannot be written: {error}") from None
    finally:
        written.unlink(missing_ok=True)


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


def write_package_catalogue(folder: Path | None = None) -> Path:
    """Write the catalogue of the package, by default where `catalogue_file` expects it. Return its path.

    Deletes catalogues of other scripts. Several processes may write the catalogue at once.
    """
    path = (folder or CATALOGUES) / catalogue_file().name
    write_catalogue(path)
    for old in path.parent.glob("ltr-*.duckdb"):
        if old != path:
            old.unlink(missing_ok=True)
    return path
