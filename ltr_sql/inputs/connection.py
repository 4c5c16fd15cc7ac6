"""A DuckDB connection for one call, the tables created in it, and the tables of one call in one relation."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from typing import Any, TypeAlias

import duckdb

from ltr_sql.catalogue.wording import in_python
from ltr_sql.errors import InputError
from ltr_sql.forks import close_before_fork, not_while_forking
from ltr_sql.inputs.containers import (
    column_names,
    library_of,
    number_of_rows,
    types_of_columns,
    with_uniform_columns,
)
from ltr_sql.inputs.forms import AS_GIVEN, InputForm
from ltr_sql.inputs.tables import (
    BEYOND_64_BITS,
    IDS,
    MOST_DIGITS,
    NUMBERS,
    Table,
    as_text,
    canonical_column_names,
    columns_with_numbers,
    is_nested,
    is_number,
    refuse_equal_doubles,
    refuse_repeated_columns,
)
from ltr_sql.inputs.text_files import not_utf8
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.sql_text import qualified

# Errors that are not about the input.
INTERRUPTIONS = (duckdb.InterruptException, duckdb.OutOfMemoryException)
# Errors that DuckDB raises when a condition inside a query finds invalid rows.
REJECTED = (duckdb.InvalidInputException, duckdb.ConversionException)
# DuckDB refuses a query while another thread uses the connection.
_BUSY = "connection is busy with another call"
# DuckDB may quote a long line, so cut its messages after this many characters.
_MAX_LENGTH = 1000
# What DuckDB says of text in another encoding, with the number of the line in a CSV file.
_NOT_UTF8 = re.compile(
    r"on Line: (?P<line>\d+)\n.*Invalid unicode.*\n  file = (?P<csv>[^\n]+)|in file \"(?P<json>.+)\", .* invalid UTF-8",
    re.DOTALL,
)
# Makes the result of a call from the connection, a query, and the name of the data frame library of the inputs: either
# `data_frame`, or `names_and_rows` in a command, which needs no data frame library.
Result: TypeAlias = Callable[[duckdb.DuckDBPyConnection, str, str | None], Any]
# Types without an exact equivalent in numpy.
_BEYOND_NUMPY = (*BEYOND_64_BITS, "DECIMAL")
_numbers = count()
# Parsed queries by their text. A statement belongs to no connection, and each execution copies it.
_parsed: dict[tuple[bool, str], duckdb.Statement] = {}
_MOST_PARSED = 128


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """Return the in-memory database of this process. Opening a database takes 25 ms, so calls share this one."""
    return duckdb.connect()


close_before_fork(_database.cache_clear)


def own_connection() -> duckdb.DuckDBPyConnection:
    """Return a new connection to the in-memory database of this process."""
    with not_while_forking():
        return _database().cursor()


class QualifyingConnection:
    """The caller's connection, for queries that must not call the caller's macros instead of built-in functions.

    It has the methods of `duckdb.DuckDBPyConnection`.
    """

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con

    def execute(self, query: str | duckdb.Statement, *values: Any) -> duckdb.DuckDBPyConnection:
        """Execute a query, or a statement that `extract_statements` has returned."""
        return self._con.execute(qualified(query) if isinstance(query, str) else query, *values)

    def sql(self, query: str) -> duckdb.DuckDBPyRelation:
        """Return the relation of a query."""
        return self._con.sql(qualified(query))

    def extract_statements(self, query: str) -> list[duckdb.Statement]:
        """Parse a query."""
        return self._con.extract_statements(qualified(query))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._con, name)


def in_transaction(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether a transaction is open. Otherwise each query runs in its own, with its own id."""
    first, second = (con.execute("select txid_current()").fetchall() for _ in range(2))
    return first == second


@dataclass
class Connection:
    """A DuckDB connection and the tables that one call creates in it.

    - `own`: true if ltr_sql opened the connection, false if the caller did.
    - `form`: how the caller's tables are read.
    - `comments`: true to skip lines of TREC files that start with #, as trec_eval 10 does. If false, a line
      whose first column is exactly `#` is an error; `#q1` is a query id.
    - `registered`: names of registered data frames.
    - `loaded`: names of temporary tables.
    - `names`: names for new tables.
    - `notes`: texts of warnings about how files were read.
    """

    con: duckdb.DuckDBPyConnection
    own: bool
    form: InputForm = AS_GIVEN
    comments: bool = False
    registered: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    names: Iterator[str] = field(init=False)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Each connection that ltr_sql opened numbers its tables from 0, so equal calls render equal queries, which are
        # cached. On the caller's connection, no other call uses the names.
        prefix, numbers = ("__ltr_own_input", count()) if self.own else ("__ltr_input", _numbers)
        self.names = (f"{prefix}_{number}" for number in numbers)

    def taken_notes(self) -> list[str]:
        """Return the different notes, and remove them."""
        found = [*dict.fromkeys(self.notes)]
        self.notes.clear()
        return found

    def register(self, given: Any) -> Table:
        """Bind a data frame or relation of the caller without copying it."""
        name = next(self.names)
        refuse_repeated_columns(column_names(given))
        types: dict[str, str] = {}
        if library_of(given) == "pandas":
            given, types = with_uniform_columns(given)
        self.con.register(name, given)
        self.registered.append(name)
        typed = [
            f"cast({c} as {kind}) as {c}" for c, kind in zip(map(DUCKDB.identifier, types), types.values(), strict=True)
        ]
        sql = f"(select * replace ({', '.join(typed)}) from {name})" if typed else name
        known = None if typed else types_of_columns(given)
        return replace(self.table(sql, types=known), rows=number_of_rows(given))

    def with_unanswered(self, table: Table, queries: Sequence[str | None], role: str) -> Table:
        """Return the table of a run with the ids of queries that have no documents. Other tables stay as they are."""
        if role != "run" or not queries:
            return table
        return replace(table, unanswered=self.load_rows(["query_id"], [(query,) for query in queries], ()))

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return self.con.execute(query).fetchall()

    def has_rows(self, table: Table) -> bool:
        """Return whether a table has rows."""
        return bool(self.rows(f"select 1 from {table.sql} limit 1"))

    def records(self, query: str) -> list[dict[str, Any]]:
        """Return the rows of a query as dicts by column name."""
        return records_of(*names_and_rows(self.con, query))

    def load(self, sql: str) -> Table:
        """Store a relation as a temporary table, so that a text file is parsed once and not by each query."""
        name = next(self.names)
        self.store(name, sql)
        return with_positions(self.table(name), name, "rowid")

    def load_rows(self, names: Sequence[str], rows: Sequence[Sequence[Any]], doubles: Collection[str]) -> Table:
        """Store rows as a temporary table, whose columns `doubles` are doubles."""
        import pandas as pd  # noqa: PLC0415  (slow to load)

        frame = pd.DataFrame(rows, columns=[*names], dtype=object)
        quoted = ((name, DUCKDB.identifier(name)) for name in names)
        listed = (f"cast({column} as double) as {column}" if name in doubles else column for name, column in quoted)
        return self.load(f"(select {', '.join(listed)} from {self.register(frame).sql})")

    def store(self, name: str, sql: str) -> None:
        """Store a relation as a temporary table of this name."""
        query = f"create temp table {name} as from {sql}"
        if self.own:
            executed(self.con, query)
        else:
            # Names of tables on the caller's connection do not recur, so keeping the parsed text is useless.
            self.con.execute(query)
        self.loaded.append(name)

    def append(self, name: str, query: str) -> None:
        """Add the rows of a query to a temporary table of this name, which the first rows make."""
        if name in self.loaded:
            self.con.execute(f"insert into {name} by name\n{query}")
        else:
            self.store(name, f"(\n{query}\n)")

    def unload(self, names: Iterable[str]) -> None:
        """Drop temporary tables that `load` made."""
        for name in [*names]:
            self.con.execute(f"drop table temp.{name}")
            self.loaded.remove(name)

    def table(self, sql: str, stored: bool = True, types: Mapping[str, str] | None = None) -> Table:
        """Bind a relation of the connection. `stored` is false if it is expensive to read.

        DuckDB is asked for the `types` of its columns if they are not known.
        """
        types = self.types(sql) if types is None else types
        if not self.own:
            sql = f"(select {bytewise(types)} from {sql})"
        refuse_repeated_columns([*types, *columns_with_numbers(types)])
        renamed = canonical_column_names(types)
        if renamed:
            names = ", ".join(f"{DUCKDB.identifier(name)} as {known}" for name, known in renamed.items())
            sql = f"(select * rename ({names}) from {sql})"
        return Table(sql, {renamed.get(name, name): kind for name, kind in types.items()}, stored)

    def types(self, sql: str) -> dict[str, str]:
        """Return the types of a relation's columns, by their original names."""
        return {name: kind for name, kind, *_ in self.con.execute(f"describe select * from {sql}").fetchall()}


def with_positions(table: Table, relation: str, position: str) -> Table:
    """Return a table with the positions of its rows.

    - `relation`: SQL of the rows.
    - `position`: the engine's row number in `relation`, such as rowid. If the table has a column of this name, it hides
      the row number, and the result has no positions.
    """
    if {position, "__ltr_position"} & {name.lower() for name in table.columns}:
        return table
    columns = f"{bytewise(table.columns)}, {position} as __ltr_position"
    return replace(table, positions=f"(select {columns} from {relation})")


def bytewise(types: Mapping[str, str]) -> str:
    """Return a select list that makes text columns compare by bytes, whatever their collation."""
    texts = [DUCKDB.identifier(name) for name, kind in types.items() if kind == "VARCHAR"]
    replaced = [f'{name} collate "C" as {name}' for name in texts]
    return f"* replace ({', '.join(replaced)})" if texts else "*"


def input_error(error: duckdb.Error) -> InputError:
    """Convert an error of DuckDB to an InputError with its message in Python's words, without the error class.

    Long messages are shortened.
    """
    encoded = _NOT_UTF8.search(str(error))
    if encoded:
        return InputError(not_utf8(f"{encoded['csv']}, line {encoded['line']}" if encoded["csv"] else encoded["json"]))
    # The line of the query, which DuckDB quotes at the end, is not the caller's.
    text = str(error).partition("\n\nLINE ")[0]
    message = in_python(text.partition("Error: ")[2] or text)
    if _BUSY in message:
        return InputError(
            "another call uses this connection at the same time: pass a connection of its own to each thread, "
            "such as con=con.cursor(). A cursor does not see temporary tables and registered data frames"
        )
    return InputError(message if len(message) <= _MAX_LENGTH else f"{message[:_MAX_LENGTH]} ...")


def executed(con: duckdb.DuckDBPyConnection, query: str) -> duckdb.DuckDBPyConnection:
    """Execute a query, and keep it parsed for the next call: DuckDB 2.0 takes about 0.5 ms to parse 1 KB."""
    # Connections of callers parse another text: see `QualifyingConnection`.
    key = (isinstance(con, QualifyingConnection), query)
    statement = _parsed.pop(key, None)
    if statement is None:
        (statement,) = con.extract_statements(query)
        if len(_parsed) >= _MOST_PARSED:
            # Copy the keys: another thread may add one.
            _parsed.pop(next(iter([*_parsed]), key), None)
    # Keep the statements ordered by their last use.
    _parsed[key] = statement
    return con.execute(statement)


def data_frame(con: duckdb.DuckDBPyConnection, query: str, kind: str | None) -> Any:
    """Return the rows of a query as a data frame of a library: 'polars', 'pyarrow', or otherwise pandas."""
    if kind == "polars":
        return con.sql(query).pl()
    if kind == "pyarrow":
        return con.sql(query).to_arrow_table()
    # Do not use con.sql() here: it plans the query twice, for the columns and for the rows.
    cursor = executed(con, query)
    kinds = {name: str(kind) for name, kind, *_ in cursor.description or []}
    if not any(kind.startswith(_BEYOND_NUMPY) for kind in kinds.values()):
        return cursor.df()
    # Return ids of these types as Python objects, because numpy would round them to doubles.
    import pandas as pd  # noqa: PLC0415  (slow to load)

    columns = dict(zip(kinds, zip(*cursor.fetchall(), strict=True), strict=False))
    return pd.DataFrame(
        {
            name: pd.Series(columns.get(name, ()), dtype=object if kind.startswith(_BEYOND_NUMPY) else None)
            for name, kind in kinds.items()
        }
    )


def names_and_rows(
    con: duckdb.DuckDBPyConnection, query: str, _: str | None = None
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the column names and the rows of a query."""
    cursor = executed(con, query)
    return [column[0] for column in cursor.description or []], cursor.fetchall()


def records_of(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    """Return rows as dicts of column name -> value."""
    return [dict(zip(names, row, strict=True)) for row in rows]


# Types of which DuckDB finds a common one that holds all their values.
_WHOLE = re.compile(r"U?(TINYINT|SMALLINT|INTEGER|BIGINT)|HUGEINT")
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")
# The most digits of an integer type, signed or not.
_DIGITS = {"TINYINT": 3, "SMALLINT": 5, "INTEGER": 10, "BIGINT": 20}


def united(state: Connection, tables: Mapping[str, Table], label: str = "") -> str:
    """Return SQL of the rows of several tables by name. A `label` is a column of these names, which replaces any other.

    A column of several types gets one that changes no value: ids become text, as ids of run and judgments do, and
    numbers become decimals or doubles. DuckDB would take the type FLOAT for BIGINT and FLOAT, and round.

    Raises InputError for numbers of a table that differ, but not as doubles.
    """
    types: dict[str, set[str]] = {}
    for table in tables.values():
        for name, kind in table.columns.items():
            types.setdefault(name, set()).add(kind)
    differing = {name: kinds for name, kinds in types.items() if len(kinds) > 1 and not any(map(is_nested, kinds))}
    selects = []
    for title, table in tables.items():
        converted = ", ".join(
            f"{sql} as {DUCKDB.identifier(name)}"
            for name, kinds in differing.items()
            if name in table.columns and name != label
            for sql in _converted(state, title, table, name, kinds)
        )
        columns = f"{string(title)} as {label}, *" if label else "*"
        columns += f" exclude ({label})" if label in table.columns else ""
        columns += f" replace ({converted})" if converted else ""
        selects.append(f"select {columns} from {table.sql}")
    return f"({' union all by name '.join(selects)})"


def _converted(state: Connection, title: str, table: Table, name: str, kinds: set[str]) -> Iterator[str]:
    """Yield SQL of a column as a type that holds its values beside those of other tables, if DuckDB finds none.

    `kinds`: the types of the column in all tables.
    """
    column, numeric = DUCKDB.identifier(name), all(map(is_number, kinds))
    if name in IDS:
        yield as_text(column, table.columns[name], DUCKDB)
    elif numeric and (decimal := _common_decimal(kinds)):
        yield f"cast({column} as {decimal})"
    elif not (numeric and all(map(_WHOLE.fullmatch, kinds))):
        if (numeric or name in NUMBERS) and table.beyond_doubles(name) and _is_rounded(state, table, name):
            refuse_equal_doubles(state.rows, table, name, f"t.{column}", f" in {title!r}")
        if numeric or table.columns[name] == "FLOAT":
            yield f"cast({column} as double)"


def _common_decimal(kinds: Iterable[str]) -> str:
    """Return the type of all digits of decimals and integers. Empty without a decimal, and if there is no such type."""
    decimals = [tuple(map(int, found.groups())) for found in map(_DECIMAL.fullmatch, kinds) if found]
    whole = [_DIGITS.get(kind.removeprefix("U"), MOST_DIGITS + 1) for kind in kinds if not kind.startswith("DECIMAL")]
    scale = max((scale for _, scale in decimals), default=0)
    digits = max([*whole, *(width - scale for width, scale in decimals)]) + scale
    return f"DECIMAL({digits}, {scale})" if decimals and digits <= MOST_DIGITS else ""


def _is_rounded(state: Connection, table: Table, name: str) -> bool:
    """Return whether a double cannot represent a number of a column."""
    column = f"t.{DUCKDB.identifier(name)}"
    rounded = f"try_cast(cast({column} as double) as {table.columns[name]}) is distinct from {column}"
    return bool(state.rows(f"select 1 from {table.sql} as t where {rounded} limit 1"))
