"""Bind the arguments of one call as tables of a DuckDB connection."""

import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any, cast

import duckdb

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.errors import InputError, InputWarning, LtrSqlError, interruptible
from ltr_sql.inputs import containers
from ltr_sql.inputs.binding import USUAL, Joining, Tables, check_asked, read_together
from ltr_sql.inputs.connection import (
    INTERRUPTIONS,
    Connection,
    QualifyingConnection,
    in_transaction,
    input_error,
    own_connection,
    united,
    with_positions,
)
from ltr_sql.inputs.databases import Database, is_database
from ltr_sql.inputs.forms import ROLES, beir_names, check_ranks_from_0, input_form, option_of
from ltr_sql.inputs.readers import PREFIX, format_of, is_path, is_readable_file, judgments_of, may_have_files, read_file
from ltr_sql.inputs.run_files import (
    Parts,
    RunFiles,
    bind_parts,
    listed_files,
    named_by_files,
    parts_in,
    runs_in,
    similar_names,
    where_missing,
)
from ltr_sql.inputs.tables import (
    BEYOND_64_BITS,
    IDS,
    NUMBERS,
    Rows,
    Table,
    as_text,
    has_texts,
    listed_names,
    refuse_other_texts,
    refuse_repeated_columns,
    require_one_segment,
    with_grades,
    with_highest_grades,
    with_numbers,
    with_whole_numbers,
)
from ltr_sql.inputs.unnesting import unnested_table, with_types_of_texts
from ltr_sql.rendering.dialects import DUCKDB, string

# Types that a copy through Arrow keeps.
_COPIED = re.compile(
    r"(U?(TINYINT|SMALLINT|INTEGER|BIGINT)|FLOAT|DOUBLE|DECIMAL\(.*|VARCHAR|BLOB|BOOLEAN|DATE|TIMESTAMP.*)$"
)
_BATCH = 100_000
# Rows of a run whose queries are looked up in other runs first.
_FIRST = 10_000
_ONLY_DUCKDB = (
    "DuckDB computes this call, and con is a connection to another database: attach the database to DuckDB, or pass "
    "data frames. evaluate, compare, leaderboard, wins, variance, system_agreement, trend, "
    "distribution and report take such a connection"
)
_PART_OF_NAME = re.compile(r'"((?:[^"]|"")*)"|([^."]+)')
_SIMPLE_NAME = re.compile(r"\w+(\.\w+){0,2}")
# Roles of tables that may be a dict of query_id -> documents, and those whose documents are ranked.
_LISTED = ("run", "baseline", "qrels", "history")
_RANKED = ("run", "baseline")
# Largest number of values of a record that a message describes.
_MOST_VALUES = 100


@dataclass
class Session(Connection):
    """A connection with the inputs of one call.

    - `caller`: the caller's connection if it has begun a transaction. Any error of DuckDB would end the transaction, so
      the session only looks up names and copies tables there.
    - `database`: the caller's connection to another database, whose tables are read there.
    - `frame`: library of the first data frame among the inputs.
    - `followed`: names of `form` that a table has followed so far; `roles`: the roles of these tables.
    - `graded`: true if the grades of `form` have replaced texts; `joined`: how runs were joined with judgments, if any.
    """

    caller: duckdb.DuckDBPyConnection | None = None
    database: Database | None = None
    frame: str | None = None
    followed: set[str] = field(default_factory=set)
    roles: set[str] = field(default_factory=set)
    graded: bool = False
    joined: Joining | None = None

    def bind(self, given: Any, role: str) -> Table:
        """Bind an argument of the caller, and return it as a table. `role` is one of `ROLES`.

        Raises InputError for an argument that cannot be read.
        """
        if isinstance(given, Table):
            return given
        table = self._bind(given, role).with_decoded_bytes()
        if not table.role:
            table = with_whole_numbers(self.rows, self._formed(table, role))
        if role in _LISTED and not {"doc_id", *NUMBERS} & table.columns.keys() and self.database is None:
            # The message about missing columns names nested values.
            table = with_types_of_texts(self, table)
        if role == "qrels":
            table = table.with_implicit_relevance(self.form.roots(role))
        if self.form.grades and has_texts(table):
            self.graded = True
            refuse_other_texts(self.rows_of(table), table, self.form.grades)
            table = with_grades(table, self.form.grades)
        if table.dialect is not DUCKDB:
            table = with_numbers(table)
        if self.form.qrels_duplicates == "max" and role == "qrels":
            table = with_highest_grades(table)
        if role == "run" and table.dialect is DUCKDB and self.asked is not None and not self.has_rows(table):
            table = replace(table, unanswered=self.asked)
        for name in table.columns:
            _refuse_name(name, "column", reserved="__ltr_position")
        path = os.fspath(given) if is_path(given) else ""
        named = path and not is_readable_file(path) and not self._holds_files(path)
        if named or isinstance(given, duckdb.DuckDBPyRelation):
            return table
        return replace(table, ordered=self._keeps_order())

    def rows_of(self, table: Table) -> Rows:
        """Return a function that runs a query in the engine of a table, and returns its rows."""
        database = None if table.dialect is DUCKDB else self.database
        return self.rows if database is None else lambda query: database.rows(query)[1]

    def _formed(self, table: Table, role: str) -> Table:
        """Return a table of the caller with our names of its columns, and ranks from 1."""
        table = replace(table, role=role)
        names = self.form.names_in(role, table.columns)
        self.followed |= names.keys()
        self.roles.add(role)
        paths = {path: ours for path, ours in names.items() if path not in table.columns}
        plain = {name: ours for name, ours in names.items() if name not in paths}
        table = table.with_names({**beir_names(role, table.columns), **plain})
        if paths:
            table = unnested_table(self, table, paths, ranked=role in _RANKED)
        ranks = self.form.ranks_in(role, table.columns)
        if not ranks:
            return table
        if table.dialect is not DUCKDB:
            raise InputError(
                "ranks_from=0 is for inputs that DuckDB reads: add 1 to the ranks in a view of the database"
            )
        check_ranks_from_0(self.rows, table, ranks)
        return table.with_ranks_plus_1(ranks)

    def joining(self) -> Joining:
        """Return how runs are joined with judgments. Raises InputError for queries that cannot be read."""
        if self.joined is None:
            self.joined = Joining(self.form.duplicates, self.form.unjudged, self.asked)
        return self.joined

    def read_together(
        self, run: Table, qrels: Table | None, keys: Iterable[str], measures: Iterable[Measure] = ()
    ) -> Tables:
        """Return tables that are read together. Raises InputError for keys that cannot group them, or their queries."""
        tables = read_together(run, qrels, keys, measures, USUAL if qrels is None else self.joining())
        if tables.qrels is not None:
            require_one_segment(self.con, tables.run, tables.qrels, tables.keys.segments)
        return tables

    @cached_property
    def asked(self) -> Table | None:
        """The queries that were asked, if they are given. Raises InputError if there are none, or if one has no id."""
        if self.form.asked is None:
            return None
        given = self.form.asked.given
        listed = not isinstance(given, Mapping | str | os.PathLike) and not hasattr(given, "columns")
        if listed and isinstance(given, Iterable):
            ids = [*given]
            whole = all(isinstance(query, Integral) and not isinstance(query, bool) for query in ids)
            given = {"query_id": ids if ids and whole else [containers.text_of_id(query) for query in ids]}
        table = self.bind(given, "asked")
        check_asked(self.rows_of(table), table)
        return table

    def refuse_unused_names(self) -> None:
        """Raise InputError if `form` has a name that no table has, or names of a table that the call does not read.

        Options about the join of runs with judgments, and grades, must also be of use.
        """
        if self.form.joining and self.joined is None:
            name = next(iter(self.form.joining))
            raise InputError(
                f"{name} is about runs with judgments, and this call joins none: leave it out, or pass qrels="
            )
        if self.form.grades and not self.graded:
            raise InputError(
                "grades: no table has texts in relevance: name the column that holds them, such as "
                "qrels_columns={'label': 'relevance'}, or leave out grades"
            )
        if self.form.qrels_duplicates != "error" and "qrels" not in self.roles:
            raise InputError("qrels_duplicates: the call does not read judgments: leave it out")
        for role in self.form.tables:
            if role not in self.roles:
                raise InputError(f"{option_of(role)}: the call does not read {ROLES[role]}: leave out their names")
        for names in (self.form.shared, *self.form.tables.values()):
            for name in names:
                if name not in self.followed:
                    raise InputError(f"columns: no table has a column {name!r}")

    def _keeps_order(self) -> bool:
        query = "select current_setting('preserve_insertion_order')"
        return self.own or bool(self.rows(query)[0][0])

    def _bind(self, given: Any, role: str) -> Table:
        if role == "run" and self.form.asked is not None and isinstance(given, Mapping | list | tuple) and not given:
            given = {"query_id": [], "doc_id": [], "score": []}
        if hasattr(given, "with_format"):
            containers.refuse_splits(given, ROLES[role])
        if isinstance(given, Mapping):
            return self._bind_mapping(given, role)
        if is_path(given):
            return self._bind_path(given, role)
        if isinstance(given, duckdb.DuckDBPyRelation):
            # A DuckDB relation belongs to one connection: on any other connection, copy it through Arrow.
            return self._bind_relation(given) if self.caller is None else self._copy(given)
        if isinstance(given, list | tuple) and given:
            return self._bind_list(given, role)
        kind = containers.library_of(given)
        if kind and containers.is_frame(given):
            self.frame = self.frame or kind
            if type(given).__name__ != "RecordBatchReader":
                return self._bind_pandas(given, role) if kind == "pandas" else self.register(given)
        return self._bind_arrow(given, role)

    def _bind_arrow(self, given: Any, role: str) -> Table:
        """Bind a table of another library that gives its rows as Arrow data."""
        if hasattr(given, "__arrow_c_stream__"):
            return self._load_stream(given)
        if containers.is_frame(table := containers.as_arrow(given)):
            return self.register(table)
        raise self._unreadable(given, role)

    def _bind_pandas(self, frame: Any, role: str) -> Table:
        """Bind a pandas frame. Nested values that paths name become JSON, or all if the frame has no documents."""
        nested, known = self.form.roots(role), {self.form.known_name(role, str(name)) for name in frame.columns}
        if not nested and role in _LISTED and not {"doc_id", *NUMBERS} & known:
            nested = {*containers.columns_of_objects(frame)}
        return self.register(containers.with_nested_as_json(frame.copy() if _is_reversed(frame) else frame, nested))

    def _bind_list(self, given: Sequence[Any], role: str) -> Table:
        """Bind a list of dicts as rows, and a list of paths as several runs, or as the parts of another table."""
        if all(isinstance(row, Mapping) for row in given):
            return self._bind_pandas(containers.frame_of_records(given), role)
        if all(map(is_path, given)) and (role == "run" or any(map(_is_there, given))):
            paths = listed_files(given)
            return self._bind_runs(paths, role) if role == "run" else bind_parts(self, parts_in(paths), role)
        raise self._unreadable(given, role)

    def _unreadable(self, given: Any, role: str) -> InputError:
        """Return the error for an object that is no table."""
        advice = "pass a path, a pandas, polars or pyarrow table, a DuckDB relation, a table name with con=, or a dict"
        if role in _LISTED and (containers.is_array(given) or isinstance(given, list | tuple)):
            advice = "for a matrix or lists of documents, one per query, pass ltr_sql.from_lists(lists, queries)"
        elif hasattr(given, "scan"):
            advice = "pass its scan(), whose rows are Arrow data"
        return InputError(f"{ROLES[role]} cannot be read from {type(given).__name__}: {advice}")

    def _bind_path(self, given: Any, role: str) -> Table:
        """Bind a file, the files of a pattern or a folder, or the name of a table."""
        if isinstance(given, Parts):
            return bind_parts(self, given, role)
        path = os.fspath(given)
        if isinstance(given, os.PathLike) and is_readable_file(path):
            return read_file(self, path, role)
        if not self._holds_files(path):
            return self._bind_name(path, role)
        return self._bind_runs([path], role) if role == "run" else bind_parts(self, parts_in([path]), role)

    def _holds_files(self, path: str) -> bool:
        """Return whether a text is a folder or a pattern of files, and no table of the caller."""
        return may_have_files(path) and self.database is None and not self._kinds(path)

    def _bind_runs(self, paths: Sequence[str], role: str) -> Table:
        """Bind the runs of files, folders and patterns: several systems, or the parts of one run."""
        runs = runs_in(paths)
        return self._bind(runs[0] if isinstance(runs[0], Parts) and len(runs) == 1 else named_by_files(runs), role)

    def _load_stream(self, given: Any) -> Table:
        """Store a stream of Arrow data as a temporary table: a stream may be readable only once."""
        name = next(self.names)
        self.con.register(name, given)
        try:
            return self.load(name)
        finally:
            self.con.unregister(name)

    def _bind_relation(self, given: duckdb.DuckDBPyRelation) -> Table:
        if not self.own:
            try:
                return self.register(given)
            except duckdb.InvalidInputException:
                raise InputError(
                    "a DuckDB relation belongs to another connection: pass con= with the connection that made it"
                ) from None
        try:
            return self.register(given.to_arrow_table())
        except ModuleNotFoundError:
            raise InputError(
                "a DuckDB relation is read through pyarrow, which is not installed: pass con= with its connection"
            ) from None

    def _bind_name(self, name: str, role: str) -> Table:
        if self.database is not None:
            return self.database.table(name)
        if is_readable_file(name):
            if self._kinds(name):
                raise InputError(
                    f"{name} is both a file and a table of the connection: write the file as ./{name}, "
                    f"or the table with its schema, as in main.{name}"
                )
            return read_file(self, name, role)
        if name.startswith(PREFIX):
            if role != "qrels":
                raise InputError(f"{name}: only judgments are read from ir_datasets: pass it as qrels")
            return self.register(judgments_of(name.removeprefix(PREFIX)))
        _refuse_name(name.rpartition(".")[2], "table")
        if self.caller is not None:
            if not self._kinds(name):
                raise self._unknown_name(name)
            return self._copy(self.caller.sql(f"from query_table({string(name)})"))
        if self.own:
            raise InputError(
                f"{name}: {where_missing(name)}; to read a table of this name, pass its connection as con="
            )
        try:
            table = self.table(f"query_table({string(name)})")
        except duckdb.Error as error:
            # A view may exist, and fail.
            raise (input_error(error) if self._kinds(name) else self._unknown_name(name)) from None
        # Only runs need positions, because only they are ranked.
        return self._with_positions(table, name) if role == "run" else table

    def _unknown_name(self, name: str) -> InputError:
        """Return the error for a name that neither a file nor a table has."""
        query = "select table_name from duckdb_tables() union select view_name from duckdb_views() where not internal"
        tables = [table for (table,) in (self.caller or self.con).execute(query).fetchall()]
        alike = similar_names(name, (table for table in tables if not table.startswith("__ltr_")))
        return InputError(
            f"{name} is neither a file nor a table of the connection: {where_missing(name)}; no table has this name"
            + alike
        )

    def _copy(self, relation: duckdb.DuckDBPyRelation) -> Table:
        """Copy a relation of the caller's connection. Values of rare types become text."""
        kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
        refuse_repeated_columns(relation.columns)
        texts = {name for name, kind in kinds.items() if not _COPIED.match(kind)}
        columns = {name: DUCKDB.identifier(name) for name in kinds}
        selected = [f"cast({c} as varchar) as {c}" if name in texts else c for name, c in columns.items()]
        # Copy integers beyond 64 bits as text, because Arrow lacks their type.
        large = {name: kind for name, kind in kinds.items() if kind in BEYOND_64_BITS}
        read = [f"cast({c} as {large[name]}) as {c}" if name in large else c for name, c in columns.items()]
        source = next(self.names)
        try:
            self.con.register(source, relation.project(", ".join(selected)).to_arrow_reader(_BATCH))
        except ModuleNotFoundError:
            raise InputError(
                "in a transaction, tables are copied through pyarrow, which is not installed: install it, or commit "
                "first"
            ) from None
        try:
            return self.load(f"(select {', '.join(read)} from {source})")
        finally:
            self.con.unregister(source)

    def _kinds(self, name: str) -> set[str]:
        """Return the kinds of the caller's relation with a name: 'table', 'view' or both.

        The name may have a schema and a database.
        """
        con = self.caller or (None if self.own else self.con)
        if con is None:
            return set()
        # Look the name up first: reading a table that does not exist would end the caller's transaction.
        query = """
            select 'table', database_name, schema_name from duckdb_tables() where lower(table_name) = lower($1)
            union all
            select 'view', database_name, schema_name from duckdb_views() where lower(view_name) = lower($1)
        """
        parts = [(quoted.replace('""', '"') or plain).lower() for quoted, plain in _PART_OF_NAME.findall(name)]
        *given, last = parts or [""]
        found = con.execute(query, [last]).fetchall()
        places = [(kind, [database.lower(), schema.lower()]) for kind, database, schema in found]
        return {kind for kind, place in places if given in ([], place[:1], place[1:], place)}

    def _with_positions(self, table: Table, name: str) -> Table:
        # Only tables have a rowid.
        if not _SIMPLE_NAME.fullmatch(name) or self._kinds(name) != {"table"}:
            return table
        positioned = with_positions(table, ".".join(map(DUCKDB.identifier, name.split("."))), "rowid")
        try:
            self.rows(f"describe from {positioned.positions or positioned.sql}")
        except duckdb.Error:
            return table
        return positioned

    def _bind_mapping(self, given: Mapping[Any, Any], role: str) -> Table:
        """Bind a dict: column -> array, query_id -> doc_id -> number, query_id -> documents, or name -> run."""
        if isinstance(given, RunFiles):
            return self._bind_files(given, role)
        if not given:
            raise InputError(f"the dict for {ROLES[role]} is empty: pass query_id -> doc_id -> number")
        if containers.is_dict_of_columns(given, self.form.columns_of(role)) or (
            role not in _LISTED and containers.is_dict_of_lists(given)
        ):
            return self.register(containers.columns_of_arrays(given))
        if self.form.roots(role) & given.keys():
            return self._bind_list([given], role)
        given = containers.with_documents_of_series(given)
        if containers.is_dict_of_lists(given):
            columns = containers.columns_of_lists(given, ranked=role in _RANKED)
            table = replace(self.register(columns), padding=containers.padding_in(columns) if role == "run" else "")
            return self.with_unanswered(table, containers.unanswered_queries(given), role)
        if containers.is_dict_of_dicts(given):
            columns_or_none = containers.columns_of_dict(given, "relevance" if role == "qrels" else "score")
            if columns_or_none is not None:
                table = self.register(columns_or_none)
                return self.with_unanswered(table, containers.unanswered_queries(given), role)
        elif role != "qrels" and not containers.is_record(given):
            return self._bind_systems(given, role)
        raise self._unreadable_dict(given, role)

    def _unreadable_dict(self, given: Mapping[Any, Any], role: str) -> InputError:
        """Return the error for a dict that is neither judgments nor a run. It names nested values, as of one record."""
        forms = "query_id -> doc_id -> number, or query_id -> relevant documents"
        if role != "qrels":
            forms = "query_id -> doc_id -> number, query_id -> documents, or name -> run"
        advice = ""
        if len(given) <= _MOST_VALUES and all(isinstance(name, str) for name in given):
            record = replace(self._bind_list([given], role), role=role)
            advice = with_types_of_texts(self, record).unnesting(IDS)
        return InputError(f"{ROLES[role]} as a dict must be {forms}{f'; {advice}' if advice else ''}")

    def _bind_systems(self, given: Mapping[Any, Any], role: str) -> Table:
        """Bind a dict of name -> run as several systems. A folder or pattern in it holds the parts of one run."""
        runs = self._bound_runs({name: self._as_one_run(run) for name, run in given.items()}, role)
        for name, run in runs.items():
            if run.systems:
                what = "run ids" if run.run_ids else "systems"
                raise InputError(
                    f"run {name!r} has {len(run.systems)} {what} ({listed_names(run.systems, 3)}): pass the file "
                    "alone, without a name, or split it"
                )
        return self._united_runs(runs, role)

    def _as_one_run(self, given: Any) -> Any:
        several = isinstance(given, str | os.PathLike) and not isinstance(given, Parts)
        return parts_in([path]) if several and self._holds_files(path := os.fspath(given)) else given

    def _bind_files(self, given: RunFiles, role: str) -> Table:
        """Bind runs that are named by their files as several systems. Files without a common query are one run."""
        runs = self._bound_runs(given, role)
        if len(runs) < 2 or self.form.by_system or not self._share_no_query([*runs.values()]):
            return self._united_runs(runs, role)
        files = [*map(os.fspath, given.values())]
        self.notes.append(
            f"the runs {listed_names(files, 3)} share no query, so they are parts of one run. If each is a system, "
            "evaluate with keys=['system']"
        )
        if all(isinstance(run, str) and format_of(run) == ".parquet" for run in given.values()):
            return bind_parts(self, parts_in(files), role)
        return self._united_runs(runs, role, labelled=False)

    def _bound_runs(self, given: Mapping[Any, Any], role: str) -> dict[str, Table]:
        """Bind runs by name. Raises InputError for a name that occurs twice or is reserved, and a run without rows."""
        frame = self.frame
        names = [containers.text_of_id(system) for system in given]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"two runs have the name {name!r}: rename one of them")
        runs = {name: self.bind(run, role) for name, run in zip(names, given.values(), strict=True)}
        for name, run in runs.items():
            _refuse_name(name, "system")
            if run.dialect is not DUCKDB:
                raise InputError(
                    "with a connection to another database, pass the name of one table or view, whose column system "
                    "names the runs"
                )
            # Reject a system without rows or answers, because the result would lack it.
            if run.unanswered is None and not self.has_rows(run):
                raise InputError(
                    f"run {name!r} has no rows: check its source, or leave it out. If the searches returned nothing, "
                    "pass them as asked="
                )
        self.frame = frame
        return runs

    def _share_no_query(self, runs: Sequence[Table]) -> bool:
        """Return whether no two runs have a query in common. An empty run answers the queries of the others."""
        if not all("query_id" in run.columns and self.has_rows(run) for run in runs):
            return False
        ids = [
            f"select {as_text('t.query_id', run.columns['query_id'], run.dialect)} as query_id from {run.sql} as t"
            for run in runs
        ]
        # One of the first queries is in another run in most cases, and found without reading all rows.
        first = f"(select f.query_id from ({ids[0]} limit {_FIRST}) as f)"
        if any(self.rows(f"select 1 from ({other}) as o where o.query_id in {first} limit 1") for other in ids[1:]):
            return False
        listed = " union all ".join(f"select distinct * from ({each})" for each in ids)
        return not self.rows(f"select 1 from ({listed}) as q group by q.query_id having count(*) > 1 limit 1")

    def _united_runs(self, runs: Mapping[str, Table], role: str, labelled: bool = True) -> Table:
        """Return runs as one table, with `labelled` as systems. Runs that hold several systems keep their names."""
        found = {name: run for name, run in runs.items() if self.has_rows(run)}
        mixed = len({"rank" in run.columns for run in found.values()}) > 1
        if mixed:
            found = {name: self._with_scores_of_ranks(run) for name, run in found.items()}
        if any("system" in run.columns and not run.systems for run in found.values()):
            raise InputError(
                "a run in the dict of runs has a column system: drop it, or pass one table and keys=['system']"
            )
        names = [system for name, run in runs.items() for system in run.systems or [name]]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"two runs have the name {name!r}: rename one of them")
        if labelled:
            found, runs = ({name: _labelled(run, name) for name, run in each.items()} for each in (found, runs))
        table = self.table(united(self, found or runs), stored=False)
        unanswered = {name: run.unanswered for name, run in runs.items() if run.unanswered is not None}
        if unanswered:
            shared = set.intersection(*({*queries.columns} - {"system"} for queries in unanswered.values()))
            listed = ", ".join(map(DUCKDB.identifier, sorted(shared)))
            of_systems = {
                name: self.table(f"(select {listed} from {queries.sql})", stored=False)
                for name, queries in unanswered.items()
            }
            table = replace(table, unanswered=self.table(united(self, of_systems, "system" if labelled else "")))
        renamed = {old: new for run in runs.values() for old, new in run.renamed.items()}
        padding = max(run.padding for run in runs.values())
        table = replace(table, role=role, renamed=renamed, padding=padding, ranks_as_scores=mixed)
        return replace(table, grouped_by=("system",), systems=tuple(names)) if labelled else table

    def _with_scores_of_ranks(self, run: Table) -> Table:
        """Return a run with scores instead of ranks. Raises InputError for ranks other than 1 to n."""
        if "rank" not in run.columns:
            return run
        run.require("the run", *IDS)
        rank = "try_cast(t.rank as double)"
        other_ranks = (
            f"select 1 from {run.sql} as t group by t.query_id having min({rank}) <> 1 or max({rank}) <> count(*) "
            f"or count(distinct {rank}) <> count(*) or bool_or({rank} <> floor({rank})) limit 1"
        )
        if self.rows(other_ranks):
            raise InputError(
                "some runs have only scores, and others have ranks that are not 1, 2, 3, ... in each query: pass ranks "
                "for all of them, or for none"
            )
        kept = {name: kind for name, kind in run.columns.items() if name not in ("rank", "score")}
        listed = ", ".join(f"t.{DUCKDB.identifier(name)}" for name in kept)
        sql = f"(select {listed}, -{rank} as score from {run.sql} as t)"
        return replace(run, sql=sql, columns={**kept, "score": "DOUBLE"}, positions="")


def _labelled(run: Table, name: str) -> Table:
    """Return a run with its name in a column system, unless it holds several systems."""
    if run.systems:
        return run
    sql = f"(select {string(name)} as system, * from {run.sql})"
    return replace(run, sql=sql, columns={"system": "VARCHAR", **run.columns}, positions="")


def _refuse_name(name: str, what: str, reserved: str = "__ltr_") -> None:
    """Raise InputError for a name that is reserved, or that DuckDB 1.5 cannot quote."""
    if name.lower().startswith(reserved):
        raise InputError(f"names that start with __ltr_ are reserved: rename the {what} {name}")
    if "\0" in name:
        raise InputError(f"a name must not have the character NUL: rename the {what} {name!r}")


def _is_there(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a file, a folder or a pattern."""
    return is_readable_file(os.fspath(path)) or may_have_files(os.fspath(path))


def _is_reversed(frame: Any) -> bool:
    """Return whether a pandas data frame holds reversed arrays, such as df.iloc[::-1], which DuckDB cannot read."""
    columns = [frame.iloc[:, number].array for number in range(frame.shape[1])]
    arrays = [getattr(column, name, None) for column in columns for name in ("_ndarray", "_data")]
    return any(step < 0 for array in arrays for step in getattr(array, "strides", ()))


@contextmanager
def session(con: Any) -> Iterator[Session]:
    """Open a session on the caller's connection to DuckDB, or on a new connection to the shared database.

    If the caller has begun a transaction, the session has a connection of its own. The tables of the session are
    removed at the end.
    """
    database = Database(con) if con is not None and is_database(con) else None
    if con is not None and database is None and not isinstance(con, duckdb.DuckDBPyConnection):
        raise InputError(
            f"con must be a connection from duckdb.connect(), or one to Postgres, got {type(con).__name__}"
        )
    caller = (
        None if con is None or database is not None else cast("duckdb.DuckDBPyConnection", QualifyingConnection(con))
    )
    if caller is None or in_transaction(caller):
        with closing(own_connection()) as opened:
            yield Session(opened, own=True, caller=caller, database=database)
        return
    with without_its_tables(Session(caller, own=False)) as state:
        yield state


@contextmanager
def without_its_tables(state: Session) -> Iterator[Session]:
    """Yield a session, and remove its tables afterwards."""
    try:
        yield state
    finally:
        for name in state.registered:
            state.con.unregister(name)
        for name in state.loaded:
            state.con.execute(f"drop table if exists temp.{name}")


@contextmanager
def explained(notes: Iterable[str] = ()) -> Iterator[None]:
    """Raise InputError for DuckDB's errors about the input.

    An error about the input names the `notes` on how files were read, which may be its cause.
    """
    try:
        yield
    except INTERRUPTIONS:
        raise
    except (duckdb.Error, LtrSqlError) as error:
        known = error if isinstance(error, LtrSqlError) else input_error(error)
        if isinstance(known, InputError) and notes:
            known = InputError(". Also: ".join(map(str, dict.fromkeys((known, *notes)))))
        # Callers need no traceback of what was tried before.
        raise known from None


def with_warnings(
    con: duckdb.DuckDBPyConnection | None,
    run: Callable[[Session], tuple[Any, list[str]]],
    reading: Mapping[str, Any] | None = None,
    stacklevel: int = 4,
    *,
    elsewhere: bool = False,
) -> Any:
    """Call `run` in a session, and return its result. Warn of how files were read, and of what `run` returns.

    - `reading`: how the tables are read; see `forms.input_form`.
    - `stacklevel`: see `warnings.warn`. By default, warnings name the line that called a function with `takes`, which
      called this one.
    - `elsewhere`: true if `run` takes a connection to another database, and computes there.

    Raises InputError for DuckDB's errors about the input.
    """
    notes: list[str] = []
    with interruptible(), explained(notes), session(con) as state:
        if state.database is not None and not elsewhere:
            raise InputError(_ONLY_DUCKDB)
        state.form, state.notes = input_form(reading), notes
        result, texts = run(state)
        state.refuse_unused_names()
        texts = [*state.taken_notes(), *texts]
    for text in texts:
        warnings.warn(text, InputWarning, stacklevel=stacklevel)
    return result
