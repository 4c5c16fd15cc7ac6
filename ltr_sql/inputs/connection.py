"""A DuckDB connection for one call, and the tables created in it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from typing import Any

import duckdb

from ltr_sql.errors import InputError
from ltr_sql.inputs.tables import Table, canonical_column_names
from ltr_sql.sqltext.dialects import DUCKDB

# Errors that are not about the input.
INTERRUPTIONS = (duckdb.InterruptException, duckdb.OutOfMemoryException)
# DuckDB may quote a long line, so cut its messages after this many characters.
_MAX_LENGTH = 1000
_names = count()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """Return the in-memory database of this process. Opening a database takes 25 ms, so calls share this one."""
    return duckdb.connect()


if hasattr(os, "register_at_fork"):
    # Close the database before a fork: a forked process can neither use nor close it, because its threads are gone.
    os.register_at_fork(before=_database.cache_clear)


def own_connection() -> duckdb.DuckDBPyConnection:
    """Return a new connection to the in-memory database of this process."""
    return _database().cursor()


def new_name() -> str:
    """Return a name for a table of one call, which no other table of the process has."""
    return f"__ltr_input_{next(_names)}"


def in_transaction(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether a connection has begun a transaction: otherwise each query has its own."""
    first, second = (con.execute("select txid_current()").fetchall() for _ in range(2))
    return first == second


@dataclass
class Connection:
    """A DuckDB connection and the tables that one call creates in it.

    - `own`: true if the connection is from `own_connection`.
    - `in_transaction`: true if the caller has begun a transaction, which any error of DuckDB ends.
    - `renames`: our name of each column that has another name in the caller's tables.
    - `comments`: true to skip lines of TREC files that start with #, as trec_eval 10 does; otherwise `#` in the first
      column is an error.
    - `registered`: names of registered data frames; `loaded`: names of temporary tables, and their queries.
    """

    con: duckdb.DuckDBPyConnection
    own: bool
    in_transaction: bool = False
    renames: Mapping[str, str] = field(default_factory=dict)
    comments: bool = False
    registered: list[str] = field(default_factory=list)
    loaded: dict[str, str] = field(default_factory=dict)

    def register(self, given: Any) -> Table:
        """Bind a data frame or relation of the caller without copying it."""
        name = new_name()
        self.con.register(name, given)
        self.registered.append(name)
        return self.table(name)

    def known_name(self, column: str) -> str:
        """Return our name of a column, in lower case."""
        return self.renames.get(column, column).lower()

    def load(self, sql: str) -> Table:
        """Store a relation as a temporary table, so that a text file is parsed once and not by each query."""
        name = new_name()
        self.store(name, sql)
        return replace(self.table(name), positions=f"(select *, rowid as __ltr_position from {name})")

    def store(self, name: str, sql: str) -> None:
        """Store a relation as a temporary table of this name."""
        self.con.execute(f"create temp table {name} as from {sql}")
        self.loaded[name] = sql

    def table(self, sql: str, stored: bool = True) -> Table:
        """Bind a relation of the connection. `stored` is false if it is expensive to read."""
        types = self.types(sql)
        renamed = canonical_column_names(types)
        if renamed:
            names = ", ".join(f"{DUCKDB.identifier(name)} as {known}" for name, known in renamed.items())
            sql = f"(select * rename ({names}) from {sql})"
        return Table(sql, {renamed.get(name, name): kind for name, kind in types.items()}, stored)

    def types(self, sql: str) -> dict[str, str]:
        """Return the types of a relation's columns, by their original names."""
        return {name: kind for name, kind, *_ in self.con.execute(f"describe select * from {sql}").fetchall()}


def input_error(error: duckdb.Error) -> InputError:
    """Convert an error of DuckDB to an InputError with the same message, shortened and without the error class."""
    message = str(error).partition("Error: ")[2] or str(error)
    return InputError(message if len(message) <= _MAX_LENGTH else f"{message[:_MAX_LENGTH]} ...")


def data_frame(con: duckdb.DuckDBPyConnection, query: str, kind: str | None) -> Any:
    """Return the rows of a query as a data frame of a library: 'polars', 'pyarrow', or otherwise pandas."""
    if kind == "polars":
        return con.sql(query).pl()
    if kind == "pyarrow":
        return con.sql(query).to_arrow_table()
    # Do not use con.sql() here: it plans the query twice, for the columns and for the rows.
    return con.execute(query).df()


def names_and_rows(con: duckdb.DuckDBPyConnection, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the column names and the rows of a query."""
    cursor = con.execute(query)
    return [column[0] for column in cursor.description or []], cursor.fetchall()
