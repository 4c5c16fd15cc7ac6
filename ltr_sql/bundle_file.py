"""Where the generated script of all macros lies, and how it opens."""

from ltr_sql.catalog import SQL_FOLDER

BUNDLE = SQL_FOLDER / "ltr.sql"
SCHEMA = "create schema if not exists ltr;\n"
