"""A connection for one call, and what the caller handed in, bound to it as tables."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import INTERRUPTIONS, Connection, input_error
from ltr_sql.inputs.readers import read_file
from ltr_sql.inputs.tables import Table
from ltr_sql.sqltext.columns import NamedColumns
from ltr_sql.sqltext.dialects import DUCKDB, string
from ltr_sql.sqltext.render import Renderer

ROLES = {"run": "the rankings", "qrels": "the judgments"}


@dataclass
class Session(Connection):
    """A connection with what one call was given; `frame` is the library of the first data frame, for the result."""

    frame: str | None = None

    def bind(self, given: Any, role: str) -> Table:
        """The table that a caller gave as `run` or `qrels`. Raises InputError if it cannot be read."""
        if isinstance(given, Mapping):
            return self._bind_mapping(given, role)
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
        """Whether the rows of a run with scores are stored in rank order, so that it can be ranked without a sort."""
        if not run.positions or "rank" in run.columns or not {"query_id", "score"} <= run.columns.keys():
            return False
        if run.kind("score") == "text":
            return False
        renderer = Renderer(NamedColumns(keys, run.dialect), run.dialect)
        query = renderer.template("entry_points/in_rank_order.sql", relation=run.positions)
        return bool(self.con.execute(query).fetchall()[0][0])

    def _bind_name(self, name: str, role: str) -> Table:
        if Path(name).is_file():
            return read_file(self, name, role)
        if self.own:
            raise InputError(f"{name}: no such file; for the name of a table pass its connection as con=")
        try:
            table = self.table(f"query_table({string(name)})")
        except duckdb.Error as error:
            raise InputError(f"{name} is neither a file nor a table of the connection: {error}") from error
        # Only runs are ranked, and need positions.
        return replace(table, positions=self._positions(name)) if role == "run" else table

    def _positions(self, name: str) -> str:
        if re.fullmatch(r"\w+(\.\w+){0,2}", name) is None:
            return ""
        # Views have no rowid. Trying to read it would end the caller's transaction.
        query = """
            select count(*) filter (kind = 'table') > 0 and count(*) filter (kind = 'view') = 0
            from (
                select 'table' as kind, table_name as name from duckdb_tables()
                union all
                select 'view' as kind, view_name as name from duckdb_views()
            )
            where lower(name) = lower(?)
        """
        is_table = self.con.execute(query, [name.rpartition(".")[2]]).fetchall()[0][0]
        if not is_table:
            return ""
        positions = f"(select *, rowid as __ltr_position from {'.'.join(map(DUCKDB.identifier, name.split('.')))})"
        try:
            self.con.execute(f"describe from {positions}").fetchall()
        except duckdb.Error:
            return ""
        return positions

    def _bind_mapping(self, given: Mapping[Any, Any], role: str) -> Table:
        """A dict of dicts (query -> document -> number), or of several runs (system -> run)."""
        if not given:
            raise InputError(f"{ROLES[role]} are an empty dict")
        of_queries = all(isinstance(documents, Mapping) for documents in given.values())
        if of_queries and not any(isinstance(d, Mapping) for documents in given.values() for d in documents.values()):
            import pandas as pd  # noqa: PLC0415  (slow to load, and no other input needs it)

            value = "score" if role == "run" else "relevance"
            rows = [(str(q), str(d), v) for q, scores in given.items() for d, v in scores.items()]
            frame = pd.DataFrame(rows, columns=["query_id", "doc_id", value])
            return self.register(frame)
        if role == "qrels":
            raise InputError(f"{ROLES[role]} as a dict are query_id -> doc_id -> number")
        return self._bind_systems(given)

    def _bind_systems(self, given: Mapping[Any, Any]) -> Table:
        frame = self.frame
        runs = {str(system): self.bind(run, "run") for system, run in given.items()}
        for name, run in runs.items():
            # A system without rows would vanish from the results.
            if not self.con.execute(f"select 1 from {run.sql} limit 1").fetchall():
                raise InputError(f"run {name!r} has no rows")
        self.frame = frame
        if len({"rank" in run.columns for run in runs.values()}) > 1:
            raise InputError("some runs have a column rank and some only score: give all of them ranks, or none")
        if any("system" in run.columns for run in runs.values()):
            raise InputError(
                "a run of a dict of runs has a column system of its own: pass one table and keys=['system']"
            )
        selects = [f"select {string(name)} as system, * from {run.sql}" for name, run in runs.items()]
        return replace(self.table(f"({' union all by name '.join(selects)})", stored=False), grouped_by=("system",))


@contextmanager
def session(con: duckdb.DuckDBPyConnection | None) -> Iterator[Session]:
    """A session on the caller's connection, or on an in-memory one of its own; what was bound is removed at its end."""
    if con is not None and not isinstance(con, duckdb.DuckDBPyConnection):
        raise InputError(f"con is a connection of duckdb.connect(), got {type(con).__name__}")
    own = con is None
    opened = duckdb.connect() if con is None else con
    state = Session(opened, own)
    try:
        yield state
    finally:
        # An error that ended the caller's transaction has removed what was made in it.
        with suppress(duckdb.TransactionException):
            for name in state.registered:
                opened.unregister(name)
            for name in () if own else state.loaded:
                opened.execute(f"drop table if exists temp.{name}")
        if own:
            opened.close()


def with_session(con: duckdb.DuckDBPyConnection | None, run: Callable[[Session], Any]) -> Any:
    """Return what `run` returns in a session. Raises InputError for DuckDB's errors about the input."""
    try:
        with session(con) as state:
            return run(state)
    except INTERRUPTIONS:
        raise
    except duckdb.Error as error:
        raise input_error(error) from error
