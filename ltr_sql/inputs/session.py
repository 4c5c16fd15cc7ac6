"""Bind the arguments of one call as tables of a DuckDB connection."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import INTERRUPTIONS, Connection, input_error, own_connection, with_positions
from ltr_sql.inputs.dicts import columns_of_dict, is_dict_of_arrays, is_dict_of_dicts
from ltr_sql.inputs.readers import read_file
from ltr_sql.inputs.tables import Table
from ltr_sql.sqltext.columns import NamedColumns
from ltr_sql.sqltext.dialects import DUCKDB, string
from ltr_sql.sqltext.render import Renderer

ROLES = {"run": "the rankings", "qrels": "the judgments"}


@dataclass
class Session(Connection):
    """A connection with the inputs of one call. `frame` is the library of the first data frame among them."""

    frame: str | None = None

    def bind(self, given: Any, role: str) -> Table:
        """Bind an argument of the caller; `role` is 'run' or 'qrels'. Raises InputError if it cannot be read."""
        if isinstance(given, Mapping):
            return self._bind_mapping(given, role)
        if isinstance(given, os.PathLike) and Path(given).is_file():
            return read_file(self, os.fspath(given), role)
        if isinstance(given, str | os.PathLike):
            return self._bind_name(os.fspath(given), role)
        if isinstance(given, duckdb.DuckDBPyRelation):
            # DuckDB relations belong to one connection, so copy it to Arrow.
            return self.register(given.to_arrow_table() if self.own else given)
        kind = type(given).__module__.partition(".")[0]
        if kind in ("pandas", "polars", "pyarrow"):
            self.frame = self.frame or kind
            return self.register(given)
        raise InputError(
            f"{ROLES[role]} cannot be read from {type(given).__name__}: pass a path, a pandas, polars or "
            "pyarrow table, a DuckDB relation, a table name with con=, or a dict of dicts"
        )

    def in_rank_order(self, run: Table, keys: tuple[str, ...]) -> bool:
        """Return whether the rows of a run with scores are stored in rank order, and need not be sorted."""
        if not run.positions or "rank" in run.columns or not {"query_id", "score"} <= run.columns.keys():
            return False
        if run.kind("score") == "text" or run.beyond_doubles("score"):
            return False
        renderer = Renderer(NamedColumns(keys, run.dialect), run.dialect)
        query = renderer.template("entry_points/in_rank_order.sql", relation=run.positions)
        return bool(self.con.execute(query).fetchall()[0][0])

    def _bind_name(self, name: str, role: str) -> Table:
        if Path(name).is_file():
            if not self.own and self._kinds(name):
                raise InputError(
                    f"{name} is both a file and a table of the connection: write the file as ./{name}, "
                    f"or the table with its schema, as in main.{name}"
                )
            return read_file(self, name, role)
        if self.own:
            raise InputError(f"{name}: no such file; to read a table of this name, pass its connection as con=")
        try:
            table = self.table(f"query_table({string(name)})")
        except duckdb.Error as error:
            raise InputError(f"{name} is neither a file nor a table of the connection: {error}") from error
        # Only runs need positions, because only they are ranked.
        return self._with_positions(table, name) if role == "run" else table

    def _kinds(self, name: str) -> set[str]:
        """Return what has a name that may include schema and database: 'table', 'view', both or none."""
        # Look the name up: reading what does not exist would end the caller's transaction.
        query = """
            select 'table', database_name, schema_name from duckdb_tables() where lower(table_name) = lower($1)
            union all
            select 'view', database_name, schema_name from duckdb_views() where lower(view_name) = lower($1)
        """
        *given, last = [part.strip('"').lower() for part in name.split(".")]
        found = self.con.execute(query, [last]).fetchall()
        places = [(kind, [database.lower(), schema.lower()]) for kind, database, schema in found]
        return {kind for kind, place in places if given in ([], place[:1], place[1:], place)}

    def _with_positions(self, table: Table, name: str) -> Table:
        # Views have no rowid, and an attempt to read it would end the caller's transaction.
        if re.fullmatch(r"\w+(\.\w+){0,2}", name) is None or self._kinds(name) != {"table"}:
            return table
        positioned = with_positions(table, ".".join(map(DUCKDB.identifier, name.split("."))), "rowid")
        try:
            self.con.execute(f"describe from {positioned.positions or positioned.sql}").fetchall()
        except duckdb.Error:
            return table
        return positioned

    def _bind_mapping(self, given: Mapping[Any, Any], role: str) -> Table:
        """Bind a dict of dicts (query_id -> doc_id -> number), or a dict of several runs (system -> run)."""
        if not given:
            raise InputError(f"{ROLES[role]} are an empty dict: pass query_id -> doc_id -> number")
        if is_dict_of_arrays(given):
            return self.register(given)
        if is_dict_of_dicts(given):
            return self.register(columns_of_dict(given, "score" if role == "run" else "relevance"))
        if role == "qrels":
            raise InputError(f"{ROLES[role]} as a dict must be query_id -> doc_id -> number")
        return self._bind_systems(given)

    def _bind_systems(self, given: Mapping[Any, Any]) -> Table:
        frame = self.frame
        runs = {str(system): self.bind(run, "run") for system, run in given.items()}
        for name, run in runs.items():
            # Reject a system without rows, because the result would lack it.
            if not self.con.execute(f"select 1 from {run.sql} limit 1").fetchall():
                raise InputError(f"run {name!r} has no rows: check its source, or leave it out")
        self.frame = frame
        if len({"rank" in run.columns for run in runs.values()}) > 1:
            raise InputError(
                "some runs have a column rank and some only score: pass ranks for all of them, or for none"
            )
        if any("system" in run.columns for run in runs.values()):
            raise InputError(
                "a run in the dict of runs has a column system: drop it, or pass one table and keys=['system']"
            )
        selects = [f"select {string(name)} as system, * from {run.sql}" for name, run in runs.items()]
        return replace(self.table(f"({' union all by name '.join(selects)})", stored=False), grouped_by=("system",))


@contextmanager
def session(con: duckdb.DuckDBPyConnection | None) -> Iterator[Session]:
    """Open a session on the caller's connection, or on a new connection to the shared database.

    Remove its tables at the end.
    """
    if con is None:
        with closing(own_connection()) as opened:
            yield Session(opened, own=True)
        return
    if not isinstance(con, duckdb.DuckDBPyConnection):
        raise InputError(f"con must be a connection from duckdb.connect(), got {type(con).__name__}")
    with without_its_tables(Session(con, own=False)) as state:
        yield state


@contextmanager
def without_its_tables(state: Session) -> Iterator[Session]:
    """Remove the tables of a session at the end."""
    try:
        yield state
    finally:
        # If an error has ended the caller's transaction, its tables are gone already.
        with suppress(duckdb.TransactionException):
            for name in state.registered:
                state.con.unregister(name)
            for name in state.loaded:
                state.con.execute(f"drop table if exists temp.{name}")


def with_session(con: duckdb.DuckDBPyConnection | None, run: Callable[[Session], Any]) -> Any:
    """Call `run` in a session and return its result. Raises InputError for DuckDB's errors about the input."""
    try:
        with session(con) as state:
            return run(state)
    except INTERRUPTIONS:
        raise
    except duckdb.Error as error:
        raise input_error(error) from error
