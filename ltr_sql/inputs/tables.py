"""What callers hand in (files, frames, tables, dicts) as relations that DuckDB can read."""

import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from typing import Any

import duckdb

from ltr_sql.errors import InputError
from ltr_sql.inputs.zstandard import is_whole
from ltr_sql.sqltext.columns import NO_KEYS, NamedColumns
from ltr_sql.sqltext.dialects import DUCKDB, Dialect, string
from ltr_sql.sqltext.render import Renderer
from ltr_sql.sqltext.templates import render_template

_TREC_COLUMNS = {
    "run": ("query_id", "q0", "doc_id", "given_rank", "score", "run_id"),
    "qrels": ("query_id", "subtopic", "doc_id", "relevance"),
}
_TREC_KEPT = {
    "run": ("query_id", "doc_id", "score"),
    "qrels": ("query_id", "subtopic", "doc_id", "relevance"),
}
_NUMBERS = ("score", "relevance")
# A message of DuckDB's that quotes a long line is cut here.
_LONGEST = 1000
_IDS = ("query_id", "doc_id")
_COUNTED = ("rank", "score", "relevance", "num_ret", "row_order", "rank_a", "rank_b", "score_a", "score_b")
_INTEGERS = re.compile(r"U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)")
_FRACTIONS = re.compile(r"FLOAT|DOUBLE|DECIMAL\(.*")
_KNOWN = frozenset((*_IDS, "subtopic", *_COUNTED))
# What stops a query without anything being wrong with what it reads.
_NOT_OF_THE_INPUT = (duckdb.InterruptException, duckdb.OutOfMemoryException)
_PATTERN = re.compile(r"[*?\[]")
_names = count()


@dataclass(frozen=True)
class Table:
    """A relation of the caller's: `sql` is what stands behind `from`; `columns` maps names to the engine's types.

    `stored`: reading it twice costs little (a table or data frame in memory, not a file or a union). `systems`: it is a
    union of several runs. `has_subtopics`: of TREC judgments, whether the second column says anything.
    `placed`: the same relation with the places of its rows in a column __ltr_position, where the engine knows them;
    `in_order`: the rows lie in rank order. `finite`: the scores are known to be finite when they are read.
    """

    sql: str
    columns: Mapping[str, str]
    stored: bool = True
    from_trec: bool = False
    systems: bool = False
    has_subtopics: bool = False
    placed: str = ""
    in_order: bool = False
    finite: bool = False
    dialect: Dialect = DUCKDB

    def require(self, what: str, *names: str) -> None:
        """Raise InputError unless all columns are there."""
        missing = [name for name in names if name not in self.columns]
        if missing:
            raise InputError(
                f"{what} lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}; "
                f"it has {', '.join(self.columns)}. Rename what is called otherwise"
            )

    def kind(self, name: str) -> str:
        """What a column holds: whole numbers ('integer'), a 'fraction', or what has to be read as a number ('text')."""
        if _INTEGERS.fullmatch(self.columns[name]):
            return "integer"
        return "fraction" if _FRACTIONS.fullmatch(self.columns[name]) else "text"

    @property
    def kinds(self) -> dict[str, str]:
        """The same of each column, by name."""
        return {name: self.kind(name) for name in self.columns}

    def whole(self, *names: str) -> frozenset[str]:
        """Those of some columns that hold whole numbers."""
        return frozenset(name for name in names if name in self.columns and self.kind(name) == "integer")

    def distinct(self, *names: str) -> "Table":
        """What there is in some of its columns."""
        listed = ", ".join(f"t.{self.dialect.identifier(name)}" for name in names)
        return replace(self, sql=f"(select distinct {listed} from {self.sql} as t)", placed="")

    def with_text(self, *names: str) -> "Table":
        """The same relation with some columns as text."""
        kind, quoted = self.dialect.text_type, self.dialect.identifier
        columns = [
            f"cast(t.{quoted(name)} as {kind}) as {quoted(name)}" if name in names else f"t.{quoted(name)}"
            for name in self.columns
        ]
        return replace(
            self,
            sql=f"(select {', '.join(columns)} from {self.sql} as t)",
            placed=f"(select {', '.join(columns)}, t.__ltr_position from {self.placed} as t)" if self.placed else "",
            columns={**self.columns, **dict.fromkeys(names, kind)},
        )


@dataclass
class Session:
    """A connection with what has been registered in it for one call.

    `careful`: TREC files are split by any run of blanks, line by line, instead of by the one separator
    that their first lines use, which is many times faster.
    """

    con: duckdb.DuckDBPyConnection
    own: bool
    careful: bool = False
    frame: str | None = None
    registered: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    trec_files: list[tuple[str, str]] = field(default_factory=list)

    def bind(self, given: Any, role: str) -> Table:
        """The relation for what a caller gave as `run` or `qrels`."""
        if isinstance(given, Mapping):
            return self._bind_mapping(given, role)
        if isinstance(given, str | os.PathLike):
            return self._bind_name(os.fspath(given), role)
        if isinstance(given, duckdb.DuckDBPyRelation):
            # A relation can only be read on its own connection.
            return self._bind_object(given.to_arrow_table() if self.own else given)
        kind = type(given).__module__.partition(".")[0]
        if kind in ("pandas", "polars", "pyarrow"):
            self.frame = self.frame or kind
            return self._bind_object(given)
        raise InputError(
            f"{_ROLE_WORDS[role]} cannot be read from {type(given).__name__}: pass a path, a pandas, polars or "
            "pyarrow table, a DuckDB relation, a table name with con=, or a dict of dicts"
        )

    def run_id(self, path: str) -> str:
        """The name of the run in a file: in its first line, or that of the file."""
        if not any(path == name for name, _ in self.trec_files) or path.endswith(".zst"):
            return Path(path).stem
        return next(line.split()[5] for _, line in _lines(path, errors="replace") if line.strip())

    def in_rank_order(self, run: Table, keys: tuple[str, ...]) -> bool:
        """Whether the rows of a run with scores lie in rank order: it can be ranked without a sort then."""
        if not run.placed or "rank" in run.columns or not {"query_id", "score"} <= run.columns.keys():
            return False
        if run.kind("score") == "text":
            return False
        renderer = Renderer(NamedColumns(keys, run.dialect), run.dialect)
        query = renderer.template("entry_points/in_rank_order.sql", relation=run.placed)
        return bool(self.con.execute(query).fetchall()[0][0])

    def _bind_object(self, given: Any) -> Table:
        name = f"__ltr_input_{next(_names)}"
        self.con.register(name, given)
        self.registered.append(name)
        return self.table(name)

    def _bind_name(self, name: str, role: str) -> Table:
        if Path(name).is_file():
            return self._bind_file(name, role)
        if self.own:
            raise InputError(f"{name}: no such file; for the name of a table pass its connection as con=")
        try:
            table = self.table(f"query_table({string(name)})")
        except duckdb.Error as error:
            raise InputError(f"{name} is neither a file nor a table of the connection: {error}") from error
        # Ranks are made of runs: judgments need no places.
        return replace(table, placed=self._placed_table(name)) if role == "run" else table

    def _placed_table(self, name: str) -> str:
        if re.fullmatch(r"\w+(\.\w+){0,2}", name) is None:
            return ""
        # Only the rows of a table have places. To find out by trying would end a transaction of the caller's.
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
        placed = f"(select *, rowid as __ltr_position from {'.'.join(map(DUCKDB.identifier, name.split('.')))})"
        try:
            self.con.execute(f"describe from {placed}").fetchall()
        except duckdb.Error:
            return ""
        return placed

    def _bind_file(self, path: str, role: str) -> Table:
        if path.endswith(".zst") and not is_whole(path):
            raise InputError(f"{path} is no whole Zstandard file: it has been cut, or is not one")
        suffixes = [suffix for suffix in Path(path).suffixes if suffix not in (".gz", ".zst")]
        kind = suffixes[-1].lower() if suffixes else ""
        if kind == ".parquet" and _PATTERN.search(path):
            # DuckDB 1.5 takes the name for a pattern again where it filters what a join needs.
            return self._loaded(f"read_parquet({_file(path)})")
        if kind == ".parquet":
            placed = f"read_parquet({_file(path)}, file_row_number = true)"
            return replace(
                self.table(f"read_parquet({_file(path)})", stored=False),
                placed=f"(select *, file_row_number as __ltr_position from {placed})",
            )
        if kind in (".jsonl", ".ndjson", ".json"):
            return self._bind_json(path)
        if kind in (".csv", ".tsv"):
            return self._bind_csv(path)
        table = replace(self._loaded(self._trec(path, role)), from_trec=True)
        if role == "run":
            return table
        varied = self.con.execute(f"select count(distinct q.subtopic) > 1 from {table.sql} as q").fetchall()
        return replace(table, has_subtopics=bool(varied[0][0]))

    # Ids are text in files of text: read as numbers, 007 would become 7. A number that is whole in the first lines need
    # not be so below.
    def _bind_csv(self, path: str) -> Table:
        found = self._types(f"read_csv({_file(path)}, header = true)")
        types = {name: "VARCHAR" for name in found if name.lower() in _IDS}
        types |= {
            name: "DOUBLE" for name, kind in found.items() if name.lower() in _COUNTED and _INTEGERS.fullmatch(kind)
        }
        options = f", types = {_struct(types)}" if types else ""
        return self._loaded(f"read_csv({_file(path)}, header = true{options})")

    def _bind_json(self, path: str) -> Table:
        found = self._types(f"read_json_auto({_file(path)}, sample_size = -1)")
        types = {name: "VARCHAR" if name.lower() in _IDS else kind for name, kind in found.items()}
        return self._loaded(f"read_json({_file(path)}, columns = {_struct(types)})")

    def _trec(self, path: str, role: str) -> str:
        columns = _TREC_COLUMNS[role]
        self.trec_files.append((path, role))
        separator = _separator(path, len(columns))
        separator = None if self.careful else separator
        query = render_template(
            "files/trec_lines.sql" if separator is None else "files/trec.sql",
            path=path,
            file=_file(path),
            separator=separator,
            columns=columns,
            kept=_TREC_KEPT[role],
            numbers=_NUMBERS,
            more_allowed=role == "run",
            string=string,
        )
        return f"(\n{query}\n)"

    def _bind_mapping(self, given: Mapping[Any, Any], role: str) -> Table:
        """A dict of dicts (query -> document -> number), or of several runs (system -> run)."""
        if not given:
            raise InputError(f"{_ROLE_WORDS[role]} are an empty dict")
        of_queries = all(isinstance(documents, Mapping) for documents in given.values())
        if of_queries and not any(isinstance(d, Mapping) for documents in given.values() for d in documents.values()):
            import pandas as pd  # noqa: PLC0415  (slow to load, and no other input needs it)

            value = "score" if role == "run" else "relevance"
            rows = [(str(q), str(d), v) for q, scores in given.items() for d, v in scores.items()]
            frame = pd.DataFrame(rows, columns=["query_id", "doc_id", value])
            return self._bind_object(frame)
        if role == "qrels":
            raise InputError(f"{_ROLE_WORDS[role]} as a dict are query_id -> doc_id -> number")
        kind = self.frame
        runs = {str(system): self.bind(run, role) for system, run in given.items()}
        for name, run in runs.items():
            # A system without rows would vanish from the results.
            if not self.con.execute(f"select 1 from {run.sql} limit 1").fetchall():
                raise InputError(f"run {name!r} has no rows")
        self.frame = kind
        if len({"rank" in run.columns for run in runs.values()}) > 1:
            raise InputError("some runs have a column rank and some only score: give all of them ranks, or none")
        if any("system" in run.columns for run in runs.values()):
            raise InputError(
                "a run of a dict of runs has a column system of its own: pass one table and keys=['system']"
            )
        selects = [f"select {string(name)} as system, * from {run.sql}" for name, run in runs.items()]
        return replace(self.table(f"({' union all by name '.join(selects)})", stored=False), systems=True)

    def _loaded(self, sql: str) -> Table:
        """A relation as a table: text is read once, though it is checked and measured."""
        name = f"__ltr_input_{next(_names)}"
        self.con.execute(f"create temp table {name} as from {sql}")
        self.loaded.append(name)
        return replace(self.table(name), placed=f"(select *, rowid as __ltr_position from {name})")

    def table(self, sql: str, stored: bool = True) -> Table:
        """A relation of the connection with its columns."""
        types = self._types(sql)
        renamed = canonical_column_names(types)
        if renamed:
            names = ", ".join(f"{DUCKDB.identifier(name)} as {known}" for name, known in renamed.items())
            sql = f"(select * rename ({names}) from {sql})"
        return Table(sql, {renamed.get(name, name): kind for name, kind in types.items()}, stored)

    def _types(self, sql: str) -> dict[str, str]:
        """The columns of a relation as they are written, with their types."""
        return {name: kind for name, kind, *_ in self.con.execute(f"describe select * from {sql}").fetchall()}


def canonical_column_names(columns: Iterable[str]) -> dict[str, str]:
    """The names that columns are known by, of those that are written otherwise: `Rank` is `rank`, as in SQL."""
    return {name: name.lower() for name in columns if name.lower() in _KNOWN and name != name.lower()}


_ROLE_WORDS = {"run": "the rankings", "qrels": "the judgments"}
_FILE_WORDS = {"run": "a TREC run", "qrels": "TREC judgments"}


@contextmanager
def session(con: duckdb.DuckDBPyConnection | None) -> Iterator[Session]:
    """A session on the caller's connection, or on an in-memory one of its own."""
    if con is not None and not isinstance(con, duckdb.DuckDBPyConnection):
        raise InputError(f"con is a connection of duckdb.connect(), got {type(con).__name__}")
    own = con is None
    opened = duckdb.connect() if con is None else con
    state = Session(opened, own)
    try:
        yield state
    finally:
        # Where an error has ended the caller's transaction, what was made in it goes with it.
        with suppress(duckdb.TransactionException):
            for name in state.registered:
                opened.unregister(name)
            for name in () if own else state.loaded:
                opened.execute(f"drop table if exists temp.{name}")
        if own:
            opened.close()


def with_session(con: duckdb.DuckDBPyConnection | None, run: Callable[[Session], Any]) -> Any:
    """What `run` returns in a session; a file that is less regular than its first lines is read again with care."""
    try:
        with session(con) as state:
            return run(state)
    except _NOT_OF_THE_INPUT:
        raise
    except duckdb.Error as error:
        if not state.trec_files:
            raise InputError(_message(error)) from error
    with session(con) as state:
        state.careful = True
        try:
            return run(state)
        except _NOT_OF_THE_INPUT:
            raise
        except duckdb.Error as error:
            for path, role in state.trec_files:
                refuse_broken_lines(path, role)
            raise InputError(_message(error)) from error


def data_frame(con: duckdb.DuckDBPyConnection, query: str, kind: str | None) -> Any:
    """The rows of a query as a data frame of that kind, pandas if none."""
    if kind == "polars":
        return con.sql(query).pl()
    if kind == "pyarrow":
        return con.sql(query).to_arrow_table()
    # As a relation the query would be planned once for its columns and once for its rows.
    return con.execute(query).df()


def names_and_rows(con: duckdb.DuckDBPyConnection, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The names of a query's columns, and its rows."""
    cursor = con.execute(query)
    return [column[0] for column in cursor.description or []], cursor.fetchall()


def _message(error: duckdb.Error) -> str:
    """DuckDB's message without its class; a long line that it quotes is cut."""
    message = str(error).partition("Error: ")[2] or str(error)
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]} ..."


def comparable(run: Table, qrels: Table) -> tuple[Table, Table]:
    """Run and judgments with ids of one type: as text where their types differ."""
    differing = [name for name in _IDS if run.columns[name] != qrels.columns[name]]
    if not differing:
        return run, qrels
    return run.with_text(*differing), qrels.with_text(*differing)


def check_keys(table: Table, keys: Iterable[str], measures: Iterable[str]) -> tuple[str, ...]:
    """The keys, if they are columns that may be keys beside the measures; a union of systems has `system` too."""
    if isinstance(keys, str):
        raise InputError(f"keys are a list of column names, got the string {keys!r}: write [{keys!r}]")
    if keys is not None and not isinstance(keys, Iterable):
        raise InputError(f"keys are a list of column names, got {keys!r}")
    keys = tuple(keys or ())
    if any("\n" in str(key) for key in keys):
        raise InputError(f"a key cannot have a line break in its name, got keys {list(keys)}")
    if len({str(key).lower() for key in keys}) < len(keys):
        raise InputError(f"each key can be named once, got keys {list(keys)}")
    results = {"queries", *(measure.lower() for measure in measures)}
    for key in keys:
        if str(key).lower() in results:
            raise InputError(f"key {key!r} is called like a column of the result: rename it")
        if key not in table.columns:
            raise InputError(f"key {key!r} is not a column; the columns are {', '.join(table.columns)}")
        if str(key).lower() in NO_KEYS:
            raise InputError(f"{key!r} cannot be a key: keys tell rankings of the same query apart")
    return ("system", *keys) if table.systems and "system" not in keys else keys


def _file(path: str) -> str:
    """A path as what DuckDB's functions read: this file, not what its name matches, and no more columns than it has."""
    name = _PATTERN.sub(r"[\g<0>]", path)
    return f"{string(name)}, hive_partitioning = false"


def _struct(fields: Mapping[str, str]) -> str:
    """Texts by name as a SQL struct."""
    return "{" + ", ".join(f"{string(name)}: {string(text)}" for name, text in fields.items()) + "}"


def _separator(path: str, columns: int) -> str | None:
    """The blank that separates the columns of a TREC file, if its first lines show that it is always one."""
    if path.endswith(".zst"):
        return None
    lines = [line.removesuffix("\n") for _, line in islice(_lines(path, errors="replace"), 100)]
    if not lines:
        raise InputError(f"{path}: the file is empty")
    return next((blank for blank in " \t" if all(_splits(line, blank, columns) for line in lines)), None)


def _splits(line: str, blank: str, columns: int) -> bool:
    """Whether single blanks of one kind are all the white space of a line with so many columns."""
    return line.split(blank) == line.split() and len(line.split()) == columns


def refuse_broken_lines(path: str, role: str) -> None:
    """Raise InputError for the first line of a TREC file that cannot be read, with its number."""
    columns = _TREC_COLUMNS[role]
    if path.endswith(".zst"):
        return
    for number, line in _lines(path, errors="strict"):
        fields = line.split()
        shown = line.strip()[:100]
        if fields and (len(fields) < len(columns) or (len(fields) > len(columns) and role == "qrels")):
            raise InputError(
                f"{path}, line {number}: {len(fields)} columns where a line of {_FILE_WORDS[role]} has "
                f"{len(columns)} ({' '.join(columns)}): {shown!r}"
            )
        if fields and fields[0] == "#":
            raise InputError(f"{path}, line {number} is a comment, which TREC files do not have: {shown!r}")
        for name, text in zip(columns, fields, strict=False):
            if name in _NUMBERS and not _is_number(text):
                raise InputError(f"{path}, line {number}: {name} must be a number, got {text!r}: {shown!r}")


def _lines(path: str, errors: str) -> Iterator[tuple[int, str]]:
    """The lines of a text file by number. Raises InputError where it cannot be read."""
    number = 0
    try:
        with gzip.open(path) if path.endswith(".gz") else Path(path).open("rb") as file:
            for line in file:
                number += 1
                yield number, line.decode("utf-8", errors)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read after line {number}: {error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}, line {number} is not UTF-8: {error.reason}") from error


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
