"""Where the generated script of all macros lies, how it opens, and the catalogue that is built from it.

The script takes DuckDB some tenths of a second to parse. A wheel, and a checkout that is installed, hold the macros
as a DuckDB file too, which is read many times faster. It is written when the package is built
(`ltr_sql/sqltext/build_hook.py`), and counts only for the script that it was made from.
"""

from hashlib import sha256
from pathlib import Path

import duckdb

from ltr_sql.language.catalogue import PACKAGE_FOLDER, SQL_FOLDER
from ltr_sql.sqltext.dialects import string

BUNDLE = SQL_FOLDER / "ltr.sql"
SCHEMA = "create schema if not exists ltr;\n"
IN_MEMORY = "attach if not exists ':memory:' as ltr (read_write);\n"
CATALOGUES = PACKAGE_FOLDER


def catalogue_file() -> Path:
    """The DuckDB file with the macros of the script, which may not be there."""
    return CATALOGUES / f"ltr-{sha256(BUNDLE.read_bytes()).hexdigest()[:16]}.duckdb"


def write_catalogue() -> Path:
    """Write the DuckDB file with the macros, in place of those of other scripts. Returns its path."""
    path = catalogue_file()
    for old in path.parent.glob("ltr-*.duckdb*"):
        old.unlink()
    # The format of the oldest DuckDB that is supported; older formats lose `not materialized` and `lambda`.
    opened = f"attach {string(str(path))} as ltr (storage_version 'v1.5.0');\n"
    with duckdb.connect() as con:
        con.execute(BUNDLE.read_text(encoding="utf-8").replace(SCHEMA, opened, 1))
    return path
