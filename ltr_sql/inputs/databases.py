"""Tables of another database, such as Postgres, which are read where they are."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.tables import Table, canonical_column_names, is_integer
from ltr_sql.rendering.dialects import POSTGRES, string
from ltr_sql.rendering.sql_text import translated

# Packages whose connections reach Postgres.
_PACKAGES = ("psycopg", "psycopg2", "adbc_driver_postgresql", "adbc_driver_manager", "sqlalchemy")
# DuckDB's names of the types of Postgres. Other types keep their name.
_TYPES = {
    "smallint": "SMALLINT",
    "integer": "INTEGER",
    "bigint": "BIGINT",
    "real": "FLOAT",
    "double precision": "DOUBLE",
    "numeric": "DECIMAL(38,18)",
    "text": "VARCHAR",
    "character varying": "VARCHAR",
    "boolean": "BOOLEAN",
    "jsonb": "JSON",
    "json": "JSON",
}
# Postgres quotes the text of an error that a query raises by a failing cast: see `POSTGRES.raised`.
_RAISED = re.compile(r'invalid input syntax for type [\w ]+: "(?P<message>.*)"', re.DOTALL)


def is_database(con: Any) -> bool:
    """Return whether an object is a connection to another database than DuckDB, or an engine of SQLAlchemy."""
    return any(kind.__module__.partition(".")[0] in _PACKAGES for kind in type(con).__mro__)


@dataclass(frozen=True)
class Database:
    """The caller's connection to Postgres: one of psycopg, ADBC or SQLAlchemy, or an engine of SQLAlchemy."""

    con: Any

    def table(self, name: str) -> Table:
        """Return a table or view by its name, which may have a schema. Raises InputError if there is none."""
        (found,) = self._rows(f"select cast(to_regclass({string(name)}) as text)")[1][0]
        if found is None:
            raise InputError(f"{name} is not a table of the database: write its schema, as in search.runs")
        columns = self._rows(
            "select a.attname, case when t.typtype = 'e' then 'ENUM' else format_type(a.atttypid, null) end "
            "from pg_attribute as a join pg_type as t on t.oid = a.atttypid "
            f"where a.attrelid = to_regclass({string(name)}) and a.attnum > 0 and not a.attisdropped "
            "order by a.attnum asc"
        )[1]
        kinds = {column: _TYPES.get(kind, kind.upper()) for column, kind in columns}
        return Table(found, kinds, dialect=POSTGRES).with_names(canonical_column_names(kinds))

    def holding(self, table: Table, rows: Iterable[Sequence[Any]]) -> Table:
        """Return a table of DuckDB with these rows as a relation of the database, with integers or texts."""
        kinds = {name: "BIGINT" if is_integer(kind) else "VARCHAR" for name, kind in table.columns.items()}
        names = [POSTGRES.identifier(name) for name in kinds]
        texts = ", ".join(f"({', '.join('null' if v is None else string(str(v)) for v in row)})" for row in rows)
        columns = ", ".join(f"cast(v.{n} as {kind}) as {n}" for n, kind in zip(names, kinds.values(), strict=True))
        return Table(f"(select {columns} from (values {texts}) as v({', '.join(names)}))", kinds, dialect=POSTGRES)

    def rows(self, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return the names and rows of a rendered query. Raises InputError with the text of an error that it raises."""
        return self._rows(translated(query, POSTGRES))

    def _rows(self, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        with _cursor(self.con) as cursor:
            try:
                cursor.execute(query)
                return [column[0] for column in cursor.description], cursor.fetchall()
            except Exception as error:
                text = str(error)
                raised = _RAISED.search(text)
                message = raised["message"] if raised else f"the database refused the query: {text.strip()}"
                raise InputError(message) from None


@contextmanager
def _cursor(con: Any) -> Iterator[Any]:
    """Open a cursor that leaves the caller's transaction as it was, also after an error.

    It is inside a savepoint, or without a transaction inside one of its own, which is rolled back at the end.
    """
    engine = hasattr(con, "raw_connection")
    with closing(con.raw_connection()) if engine else nullcontext(getattr(con, "connection", con)) as opened:
        alone = getattr(opened, "autocommit", False)
        cursor = opened.cursor()
        cursor.execute("begin" if alone else "savepoint ltr_sql")
        try:
            # Postgres underestimates the rows of a check, and would join all documents of a query with each other.
            cursor.execute("set local enable_mergejoin = off")
            yield cursor
        finally:
            cursor.close()
            opened.cursor().execute("rollback" if alone else "rollback to savepoint ltr_sql")
