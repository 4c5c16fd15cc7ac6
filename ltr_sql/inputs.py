"""What callers hand in (files, frames, tables, dicts) as relations that DuckDB can read."""

import gzip
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from typing import Any

import duckdb

from ltr_sql.dialects import DUCKDB, Dialect, string
from ltr_sql.errors import InputError
from ltr_sql.render import render_template

_TREC_COLUMNS = {
    "run": ("query_id", "q0", "doc_id", "given_rank", "score", "run_id"),
    "qrels": ("query_id", "subtopic", "doc_id", "relevance"),
}
_TREC_KEPT = {
    "run": ("query_id", "doc_id", "score"),
    "qrels": ("query_id", "subtopic", "doc_id", "relevance"),
}
_names = count()


@dataclass(frozen=True)
class Table:
    """A relation of the caller's: `sql` is what stands behind `from`; `columns` maps names to the engine's types.

    `stored`: reading it twice costs little (a table or data frame in memory, not a file or a union). `systems`: it is a
    union of several runs. `has_subtopics`: of TREC judgments, whether the second column says anything.
    """

    sql: str
    columns: Mapping[str, str]
    stored: bool = True
    from_trec: bool = False
    systems: bool = False
    has_subtopics: bool = False
    dialect: Dialect = DUCKDB

    def require(self, what: str, *names: str) -> None:
        """Raise InputError unless all columns are there."""
        missing = [name for name in names if name not in self.columns]
        if missing:
            raise InputError(
                f"{what} lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}; "
                f"it has {', '.join(self.columns)}. Rename what is called otherwise"
            )

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
    frame: str = "pandas"
    registered: list[str] = field(default_factory=list)

    def bind(self, given: Any, role: str) -> Table:
        """The relation for what a caller gave as `run` or `qrels`."""
        if isinstance(given, Mapping):
            return self._bind_mapping(given, role)
        if isinstance(given, str | os.PathLike):
            return self._bind_name(os.fspath(given), role)
        if isinstance(given, duckdb.DuckDBPyRelation):
            return self._bind_object(given.df() if self.own else given)
        kind = type(given).__module__.partition(".")[0]
        if kind in ("pandas", "polars", "pyarrow"):
            self.frame = kind
            return self._bind_object(given)
        raise InputError(
            f"{_ROLE_WORDS[role]} cannot be read from {type(given).__name__}: pass a path, a pandas, polars or "
            "pyarrow table, a DuckDB relation, a table name with con=, or a dict of dicts"
        )

    def _bind_object(self, given: Any) -> Table:
        name = f"__ltr_input_{next(_names)}"
        self.con.register(name, given)
        self.registered.append(name)
        return self._table(name)

    def _bind_name(self, name: str, role: str) -> Table:
        if Path(name).is_file():
            return self._bind_file(name, role)
        if self.own:
            raise InputError(f"{name}: no such file; for the name of a table pass its connection as con=")
        try:
            return self._table(f"query_table({string(name)})")
        except duckdb.Error as error:
            raise InputError(f"{name} is neither a file nor a table of the connection: {error}") from error

    def _bind_file(self, path: str, role: str) -> Table:
        suffixes = [suffix for suffix in Path(path).suffixes if suffix not in (".gz", ".zst")]
        kind = suffixes[-1].lower() if suffixes else ""
        if kind == ".parquet":
            return self._table(f"read_parquet({string(path)})", stored=False)
        if kind in (".jsonl", ".ndjson", ".json"):
            return self._table(f"read_json_auto({string(path)})", stored=False)
        if kind in (".csv", ".tsv"):
            return self._bind_csv(path)
        table = replace(self._table(self._trec(path, role), stored=False), from_trec=True)
        if role == "run":
            return table
        varied = self.con.execute(f"select count(distinct q.subtopic) > 1 from {table.sql} as q").fetchall()
        return replace(table, has_subtopics=bool(varied[0][0]))

    def _bind_csv(self, path: str) -> Table:
        # Ids are text: read as numbers, 007 would become 7.
        columns = self._table(f"read_csv({string(path)}, header = true)").columns
        ids = [name for name in ("query_id", "doc_id") if name in columns]
        types = ", ".join(f"{string(name)}: 'VARCHAR'" for name in ids)
        return self._table(f"read_csv({string(path)}, header = true, types = {{{types}}})", stored=False)

    def _trec(self, path: str, role: str) -> str:
        columns = _TREC_COLUMNS[role]
        separator = None if self.careful else _separator(path, len(columns))
        query = render_template(
            "files/trec_lines.sql" if separator is None else "files/trec.sql",
            path=path,
            separator=separator,
            columns=columns,
            kept=_TREC_KEPT[role],
            numbers=("score", "relevance"),
            more_allowed=role == "run",
            string=string,
        )
        return f"(\n{query}\n)"

    def _bind_mapping(self, given: Mapping[Any, Any], role: str) -> Table:
        """A dict of dicts (query -> document -> number), or of several runs (system -> run)."""
        first = next(iter(given.values()), None)
        if isinstance(first, Mapping) and not isinstance(next(iter(first.values()), None), Mapping):
            import pandas as pd  # noqa: PLC0415  (slow to load, and no other input needs it)

            value = "score" if role == "run" else "relevance"
            rows = [(str(q), str(d), v) for q, scores in given.items() for d, v in scores.items()]
            frame = pd.DataFrame(rows, columns=["query_id", "doc_id", value])
            return self._bind_object(frame)
        if role == "qrels" or first is None:
            raise InputError(f"{_ROLE_WORDS[role]} as a dict are query_id -> doc_id -> number")
        kind = self.frame
        runs = {str(system): self.bind(run, role) for system, run in given.items()}
        self.frame = kind
        if len({"rank" in run.columns for run in runs.values()}) > 1:
            raise InputError("some runs have a column rank and some only score: give all of them ranks, or none")
        if any("system" in run.columns for run in runs.values()):
            raise InputError(
                "a run of a dict of runs has a column system of its own: pass one table and keys=['system']"
            )
        selects = [f"select {string(name)} as system, * from {run.sql}" for name, run in runs.items()]
        return replace(self._table(f"({' union all by name '.join(selects)})", stored=False), systems=True)

    def _table(self, sql: str, stored: bool = True) -> Table:
        described = self.con.execute(f"describe select * from {sql}").fetchall()
        return Table(sql, {name: kind for name, kind, *_ in described}, stored)


_ROLE_WORDS = {"run": "the rankings", "qrels": "the judgments"}


@contextmanager
def session(con: duckdb.DuckDBPyConnection | None) -> Iterator[Session]:
    """A session on the caller's connection, or on an in-memory one of its own."""
    own = con is None
    opened = duckdb.connect() if con is None else con
    state = Session(opened, own)
    try:
        yield state
    finally:
        for name in state.registered:
            opened.unregister(name)
        if own:
            opened.close()


def comparable(run: Table, qrels: Table) -> tuple[Table, Table]:
    """Run and judgments with ids of one type: as text where their types differ."""
    differing = [name for name in ("query_id", "doc_id") if run.columns[name] != qrels.columns[name]]
    if not differing:
        return run, qrels
    return run.with_text(*differing), qrels.with_text(*differing)


def check_keys(table: Table, keys: Iterable[str], measures: Iterable[str]) -> tuple[str, ...]:
    """The keys, if they are columns that may be keys beside the measures."""
    if isinstance(keys, str):
        raise InputError(f"keys are a list of column names, got the string {keys!r}: write [{keys!r}]")
    keys = tuple(keys)
    results = {"queries", *(measure.lower() for measure in measures)}
    for key in keys:
        if str(key).lower() in results:
            raise InputError(f"key {key!r} is called like a column of the result: rename it")
        if key not in table.columns:
            raise InputError(f"key {key!r} is not a column; the columns are {', '.join(table.columns)}")
        if key in ("query_id", "doc_id", "rank", "relevance", "score", "subtopic"):
            raise InputError(f"{key!r} cannot be a key: keys tell rankings of the same query apart")
    return keys


def _separator(path: str, columns: int) -> str | None:
    """The blank that separates the columns of a TREC file, if its first lines show that it is always one."""
    if path.endswith(".zst"):
        return None
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", errors="replace", newline="\n") as file:
        lines = [line.removesuffix("\n") for line in islice(file, 100)]
    return next((blank for blank in " \t" if lines and all(_splits(line, blank, columns) for line in lines)), None)


def _splits(line: str, blank: str, columns: int) -> bool:
    """Whether single blanks of one kind are all the white space of a line with so many columns."""
    return line.split(blank) == line.split() and len(line.split()) == columns
