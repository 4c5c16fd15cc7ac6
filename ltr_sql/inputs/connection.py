"""A connection for one call, and the tables made in it."""

from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import duckdb

from ltr_sql.errors import InputError
from ltr_sql.inputs.tables import Table, canonical_column_names
from ltr_sql.sqltext.dialects import DUCKDB

# Errors that say nothing about the input.
INTERRUPTIONS = (duckdb.InterruptException, duckdb.OutOfMemoryException)
# A message of DuckDB's that quotes a long line is cut here.
_LONGEST = 1000
_names = count()


@dataclass
class Connection:
    """A connection of DuckDB with the tables that one call makes in it; `own` if it was opened for the call."""

    con: duckdb.DuckDBPyConnection
    own: bool
    registered: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def register(self, given: Any) -> Table:
        """A data frame or relation of the caller's, without a copy."""
        name = f"__ltr_input_{next(_names)}"
        self.con.register(name, given)
        self.registered.append(name)
        return self.table(name)

    def load(self, sql: str) -> Table:
        """A relation, stored as a temporary table: text files are parsed once, though they are read several times."""
        name = f"__ltr_input_{next(_names)}"
        self.con.execute(f"create temp table {name} as from {sql}")
        self.loaded.append(name)
        return replace(self.table(name), positions=f"(select *, rowid as __ltr_position from {name})")

    def table(self, sql: str, stored: bool = True) -> Table:
        """A relation of the connection with its columns."""
        types = self.types(sql)
        renamed = canonical_column_names(types)
        if renamed:
            names = ", ".join(f"{DUCKDB.identifier(name)} as {known}" for name, known in renamed.items())
            sql = f"(select * rename ({names}) from {sql})"
        return Table(sql, {renamed.get(name, name): kind for name, kind in types.items()}, stored)

    def types(self, sql: str) -> dict[str, str]:
        """The columns of a relation as they are written, with their types."""
        return {name: kind for name, kind, *_ in self.con.execute(f"describe select * from {sql}").fetchall()}


def input_error(error: duckdb.Error) -> InputError:
    """DuckDB's message without its class, as an InputError; a long line that it quotes is cut."""
    message = str(error).partition("Error: ")[2] or str(error)
    return InputError(message if len(message) <= _LONGEST else f"{message[:_LONGEST]} ...")


def data_frame(con: duckdb.DuckDBPyConnection, query: str, kind: str | None) -> Any:
    """The rows of a query as a data frame of a library, pandas if None."""
    if kind == "polars":
        return con.sql(query).pl()
    if kind == "pyarrow":
        return con.sql(query).to_arrow_table()
    # A relation would be planned twice: for its columns and for its rows.
    return con.execute(query).df()


def names_and_rows(con: duckdb.DuckDBPyConnection, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The column names of a query, and its rows."""
    cursor = con.execute(query)
    return [column[0] for column in cursor.description or []], cursor.fetchall()
