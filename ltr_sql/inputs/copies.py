"""Copies of tables that belong to no connection, for another process or a later one."""

from dataclasses import dataclass
from typing import Any

import duckdb

from ltr_sql.inputs.tables import Table, is_integer
from ltr_sql.rendering.dialects import DUCKDB

# Types that numpy arrays keep, if no value is NULL.
_KEPT = ("DOUBLE", "FLOAT", "VARCHAR")


@dataclass(frozen=True)
class TableCopy:
    """The rows of a table.

    - `types`: maps each column to its type in DuckDB.
    - `arrays`: maps each column to a numpy array. Values of rare types, and of numbers with NULL, are text.
    - `subtopics_vary`: see `Table`.
    """

    types: dict[str, str]
    arrays: dict[str, Any]
    subtopics_vary: bool = True

    def restore(self, con: duckdb.DuckDBPyConnection, name: str) -> None:
        """Create the table `name`, with the types and the order of rows that the copied table had."""
        quoted = {DUCKDB.identifier(column): kind for column, kind in self.types.items()}
        columns = ", ".join(f"cast({c} as {kind}) as {c}" for c, kind in quoted.items())
        con.register("__ltr_copy", self.arrays)
        try:
            con.execute(f"create table {name} as select {columns} from __ltr_copy")
        finally:
            con.unregister("__ltr_copy")


def copy_of(con: duckdb.DuckDBPyConnection, table: Table) -> TableCopy:
    """Return a copy of a table of the connection."""
    columns = {DUCKDB.identifier(column): kind for column, kind in table.columns.items()}
    counts = ", ".join(f"count(*) = count({column})" for column in columns)
    (without_null,) = con.execute(f"select {counts} from {table.sql}").fetchall()
    selected = [
        column if _is_kept(kind, whole) else f"cast({column} as varchar) as {column}"
        for (column, kind), whole in zip(columns.items(), without_null, strict=True)
    ]
    found: dict[str, Any] = con.execute(f"select {', '.join(selected)} from {table.sql}").fetchnumpy()
    arrays = {column: _without_mask(array) if hasattr(array, "mask") else array for column, array in found.items()}
    return TableCopy(dict(table.columns), arrays, table.subtopics_vary)


def _is_kept(kind: str, without_null: bool) -> bool:
    """Return whether a numpy array keeps the values of a column, and their type."""
    return kind == "VARCHAR" or (without_null and (kind in _KEPT or (is_integer(kind) and "HUGE" not in kind)))


def _without_mask(array: Any) -> Any:
    """Return a masked array as an array of objects, with None for masked values."""
    values = array.data.astype(object)
    values[array.mask] = None
    return values
