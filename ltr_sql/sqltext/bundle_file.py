"""The generated script of all macros, and the catalogue that is built from it.

DuckDB needs some tenths of a second to parse the script. An installed package therefore also holds the macros as a
DuckDB file, the catalogue, which loads many times faster. `ltr_sql/sqltext/build_hook.py` writes it when the package
is built. Its name contains a hash of the script, so a catalogue of another script is ignored.
"""

from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import duckdb

from ltr_sql.language.catalogue import PACKAGE_FOLDER, SQL_FOLDER
from ltr_sql.sqltext.dialects import string

BUNDLE = SQL_FOLDER / "ltr.sql"
SCHEMA = "create schema if not exists ltr;\n"
IN_MEMORY = "attach if not exists ':memory:' as ltr (read_write);\n"
CATALOGUES = PACKAGE_FOLDER


def catalogue_file() -> Path:
    """Return the path of the catalogue, which may not exist."""
    return CATALOGUES / f"ltr-{sha256(BUNDLE.read_bytes()).hexdigest()[:16]}.duckdb"


def write_catalogue(folder: Path | None = None) -> Path:
    """Write the catalogue into a folder, by default the package's. Return its path.

    Deletes catalogues of other scripts. Several processes may write the catalogue at once.
    """
    path = (folder or CATALOGUES) / catalogue_file().name
    written = path.with_name(f"{path.name}.{uuid4().hex}")
    # Use the format of the oldest supported DuckDB. Older formats lose `not materialized` and `lambda`.
    opened = f"attach {string(str(written))} as ltr (storage_version 'v1.5.0');\n"
    with duckdb.connect() as con:
        con.execute(BUNDLE.read_text(encoding="utf-8").replace(SCHEMA, opened, 1))
    written.replace(path)
    for old in path.parent.glob("ltr-*.duckdb"):
        if old != path:
            old.unlink(missing_ok=True)
    return path
