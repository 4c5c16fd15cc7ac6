"""The caller's tables: their columns, grouping columns, grades and numbers, and copies that belong to no connection."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import duckdb

from ltr_sql.catalogue.functions import TABLES
from ltr_sql.catalogue.options import listed_keys
from ltr_sql.errors import InputError
from ltr_sql.inputs.names import (
    ELSEWHERE,
    are_keyed,
    has_word_of_grades,
    in_snake_case,
    is_like_an_id,
    names_elsewhere,
    suggested,
    without_type,
)
from ltr_sql.rendering.columns import EXACT, RESERVED_COLUMNS, NamedColumns
from ltr_sql.rendering.dialects import DUCKDB, Dialect, string
from ltr_sql.rendering.findings import words_of
from ltr_sql.rendering.renderer import Renderer

# Runs a query on an engine, and returns its rows.
Rows: TypeAlias = Callable[[str], Sequence[Sequence[Any]]]

IDS = ("query_id", "doc_id")
NUMBERS = ("rank", "score", "relevance", "num_ret", "row_order", "rank_a", "rank_b", "score_a", "score_b")
COLUMNS = (*IDS, "subtopic", *NUMBERS)
# Columns of logs and of the judgments of several raters.
LOG_NUMBERS = (
    "click",
    "reward",
    *(f"{name}{scope}" for name in ("propensity", "target") for scope in ("", "_item", "_cascade")),
    "q_hat",
    "v_hat",
)
LOG_COLUMNS = ("session_id", "team", "rater", *LOG_NUMBERS)
_CANONICAL = frozenset(COLUMNS)
# Columns that only other tables have than runs and judgments.
OTHER_COLUMNS = (
    *(name for _, kinds in TABLES.values() for name in kinds),
    *LOG_COLUMNS,
    *("system", "stratum", "weight", "cluster"),
)
_INDEX = re.compile(r"__index_level_\d+__")
_INTEGERS = re.compile(r"U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)")
_BEYOND_DOUBLES = re.compile(r"U?(BIGINT|HUGEINT)|BIGNUM|DECIMAL\(.*")
# Types of integers that Arrow and Parquet lack. DuckDB writes them to Parquet as doubles.
BEYOND_64_BITS = ("HUGEINT", "UHUGEINT", "BIGNUM")
_FRACTIONS = re.compile(r"FLOAT|DOUBLE|DECIMAL\(.*")
# The most digits of a DECIMAL of DuckDB.
MOST_DIGITS = 38
# Whole numbers below this one have neither fraction nor exponent as text.
LARGEST_PLAIN = 10**18


@dataclass(frozen=True)
class Table:
    """A relation of the caller.

    - `sql`: SQL of the relation, as it follows `from`.
    - `columns`: maps each column to the engine's type.
    - `stored`: true for a table or data frame in memory, which is cheap to read twice.
    - `positions`: SQL of the relation with the position of each row in a column `__ltr_position`. Empty if the engine
      does not know positions.
    - `queries`: SQL of the queries of judgments that have been checked: query_id, num_judged, num_relevant. Empty if
      the judgments have not been checked.
    - `ordered`: true for a file, data frame or dict, if the engine keeps the order of their rows.
    - `grouped_by`: grouping columns that the input implies, such as `system` for a dict of runs.
    - `systems`: values of the column system, in the order of the caller's dict or file.
    - `run_ids`: run ids of a run in TREC format.
    - `rows`: the number of rows of a data frame or dict. None for other relations.
    - `subtopics_vary`: false for TREC judgments whose second column has a single value instead of subtopics.
    - `role`: what the table holds, such as 'run' or 'qrels', if it has been read in the form that the call names.
    - `renamed`: the caller's names of its columns, as far as the call names them -> ours.
    - `padding`: a text about ids of a dict of lists that look like padding.
    - `ranks_as_scores`: true if scores of some runs stand for their ranks, so that only their order has a meaning.
    - `maybe_grades`: columns of judgments without grades that may hold grades. Each of their rows counts as relevant.
    - `unanswered`: the queries that a run answers without a document, with query_id and perhaps grouping columns. None
      if each of its queries has rows.
    - `unnamed`: the text file whose first line was read as names of columns, if none of them is known.
    """

    sql: str
    columns: Mapping[str, str] = field(hash=False)
    stored: bool = True
    positions: str = ""
    queries: str = ""
    ordered: bool = False
    grouped_by: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    run_ids: tuple[str, ...] = ()
    rows: int | None = field(default=None, compare=False)
    subtopics_vary: bool = True
    dialect: Dialect = DUCKDB
    role: str = field(default="", compare=False)
    renamed: Mapping[str, str] = field(default_factory=dict, compare=False)
    padding: str = field(default="", compare=False)
    maybe_grades: tuple[str, ...] = field(default=(), compare=False)
    unanswered: "Table | None" = None
    unnamed: str = field(default="", compare=False)
    ranks_as_scores: bool = field(default=False, compare=False)

    def require(self, what: str, *names: str) -> None:
        """Raise InputError if one of the columns `names` is missing. `what` names the table in the message."""
        missing = [name for name in names if name not in self.columns]
        if missing:
            columns = "columns" if len(missing) > 1 else "column"
            raise InputError(
                f"{what}: missing {columns} {', '.join(missing)}, got {listed_names(self.columns)}: "
                + (self.unnesting(missing) or self._renaming(missing))
                + self._swapped(missing)
            )

    def require_here(self, option: str, column: str) -> None:
        """Raise InputError if the table, whose `column` an option names, is not one of DuckDB."""
        if self.dialect is not DUCKDB:
            raise InputError(
                f"{option}={column!r} is a column of a table on {self.dialect.name}, and only values of the queries "
                f"leave it: pass {option} as a dict of query_id to value, or as a data frame"
            )

    def require_scores(self, what: str, *names: str) -> None:
        """Raise InputError if one of the columns of scores `names` is missing, or if scores stand for ranks."""
        self.require(what, *names)
        if self.ranks_as_scores:
            raise InputError(f"{what}: some runs have only ranks: pass scores for all of them")

    def _swapped(self, missing: Sequence[str]) -> str:
        """Return the question whether judgments were passed as a run, if they have the columns of judgments."""
        swapped = self.role == "run" and "score" in missing and {*IDS, "relevance"} <= self.columns.keys()
        return ". Did you swap run and judgments?" if swapped else ""

    def _renaming(self, missing: Sequence[str]) -> str:
        """Return the advice to rename columns."""
        several = len(missing) > 1
        found = self._similar(missing)
        eaten = {name: self.renamed[name] for name in missing if name in self.renamed and name not in found.values()}
        for name, ours in eaten.items():
            return f"columns= names {name} as {ours}. Pass names of the judgments as qrels_columns="
        advice = f"rename the {'columns that hold' if several else 'column that holds'} these values"
        if self.unnamed:
            advice += f". If the first line of {self.unnamed} holds values, write the names of its columns above it"
        return advice + (f", or pass {self._option(found)}" if found else "") + self._implicit_feedback(found)

    def _similar(self, missing: Sequence[str]) -> dict[str, str]:
        """Return the columns that may hold the missing ones under other names."""
        found = {name: similar for similar in missing for name in self.named_elsewhere(similar)[:1]}
        if "score" in missing and "score" not in found.values():
            # A run needs one of both.
            found.update(dict.fromkeys(self.named_elsewhere("rank")[:1], "rank"))
        return found

    def naming(self, *names: str) -> str:
        """Return the advice to name columns that the table lacks, if others may hold them: a sentence without end."""
        found = self._similar([name for name in names if name not in self.columns])
        return f". Or pass {self._option(found)}" if found else ""

    def _option(self, names: Mapping[str, str]) -> str:
        """Return the argument that names columns of this table."""
        if self.role in ("", "run", "log", "values"):
            return f"columns={dict(names)}"
        return f"qrels_columns={dict(names)}" if self.role == "qrels" else f"columns={ {self.role: dict(names)} }"

    def _implicit_feedback(self, found: Mapping[str, str]) -> str:
        """Return what the two readings of a column of ratings are, if it may stand for grades of judgments."""
        ratings = [column for column, name in found.items() if name == "relevance"]
        if not ratings or {*NUMBERS} & self.columns.keys():
            return ""
        texts = self.columns[ratings[0]].startswith(("VARCHAR", "ENUM"))
        return (
            f". As grades, {'texts need numbers, which the option grades gives, and ' if texts else ''}"
            f"values of {ratings[0]} below 1 are not relevant, unless a measure sets another rel. If each "
            f"row is a relevant document (implicit feedback), leave out the column {ratings[0]} instead"
        )

    def unnesting(self, missing: Sequence[str]) -> str:
        """Return the advice for nested values, such as query_id -> doc_id -> number in JSON. Empty without any."""
        nested = [name for name, kind in self.columns.items() if is_nested(kind)]
        if not nested or not {*IDS} & {*missing}:
            return ""
        start = f"{listed_names(nested)} {'hold' if len(nested) > 1 else 'holds'} nested values: "
        if are_keyed(self.columns):
            return f"{start}if these names are ids of queries, write one object for each query, with its id as a value"
        ways = suggested(self.columns, self.role)
        without = "without relevance, each entry counts as relevant"
        if self.role != "qrels":
            without = "without a score, the order of the list is the ranking"
        unnamed = ""
        if "query_id" in missing and ways and not any("query_id" in way.values() for way in ways):
            unnamed = ". No value names the query: write its id into each object, as the value query_id"
        if len(ways) == 1:
            complete = {"relevance", "score"} & {*ways[0].values()}
            return f"{start}pass {self._option(ways[0])}{'' if complete else f'; {without}'}{unnamed}"
        if ways:
            documents = "judged" if self.role == "qrels" else "ranked"
            listed = " or ".join(self._option(names) for names in ways)
            return f"{start}name those of the {documents} documents, as in {listed}; {without}{unnamed}"
        example = {"id": "query_id", f"{nested[0]}[].doc_id": "doc_id"}
        return (
            f"{start}name them by paths, such as {self._option(example)}, or pass a dict of query_id -> doc_id -> "
            "number in Python"
        )

    def named_elsewhere(self, name: str) -> list[str]:
        """Return the columns that other tools use for the column `name`."""
        # Tables of judgments that have scores call their grades so.
        return names_elsewhere(name, self.columns, *["score"] * ((self.role, name) == ("qrels", "relevance")))

    def with_implicit_relevance(self, nested: Collection[str]) -> "Table":
        """Return judgments without grades as implicit feedback: each row is a relevant document.

        `nested`: columns whose values have been read by paths.
        """
        if not {*IDS} <= self.columns.keys() or {*NUMBERS} & self.columns.keys() or self.named_elsewhere("relevance"):
            return self
        columns = {**self.columns, "relevance": "INTEGER"}
        sql = f"(select *, 1 as relevance from {self.sql})"
        return replace(self, sql=sql, columns=columns, positions="", maybe_grades=tuple(self._maybe_grades(nested)))

    def _maybe_grades(self, nested: Collection[str]) -> Iterator[str]:
        for name, kind in self.columns.items():
            may_hold = is_number(kind) or kind in ("VARCHAR", "BOOLEAN") or kind.startswith("ENUM")
            if may_hold and not is_nested(kind) and name not in (*IDS, "subtopic", *nested):
                yield name

    def with_names(self, names: Mapping[str, str]) -> "Table":
        """Return the table with other names of columns. `names` maps names to new ones."""
        new = {old: name for old, name in names.items() if old != name}
        if not new:
            return self
        quoted = self.dialect.identifier
        listed = ", ".join(f"t.{quoted(name)} as {quoted(new.get(name, name))}" for name in self.columns)
        columns = {new.get(name, name): kind for name, kind in self.columns.items()}
        sql = f"(select {listed} from {self.sql} as t)"
        return replace(self, sql=sql, columns=columns, positions="", renamed=new)

    def with_ranks_plus_1(self, ranks: Sequence[str]) -> "Table":
        """Return the table with one added to each number of the columns `ranks`."""
        added = {name: f"t.{name} + 1" for name in ranks}
        for name in ranks:
            if self.kind(name) == "integer":
                added[name] = f"cast(t.{name} as bigint) + 1"
            elif self.kind(name) == "text":
                # Keep texts that are no numbers: input validation refuses them.
                added[name] = f"coalesce(cast(try_cast(t.{name} as double) + 1 as varchar), t.{name})"
        return self.replaced(added, {name: "BIGINT" for name in ranks if self.kind(name) == "integer"})

    def replaced(self, values: Mapping[str, str], kinds: Mapping[str, str]) -> "Table":
        """Return the table of DuckDB with other values of columns: SQL of a row `t` by name, and their types."""
        if not values:
            return self
        columns = ", ".join(f"{sql} as {DUCKDB.identifier(name)}" for name, sql in values.items())
        rows, positions = (f"(select t.* replace ({columns}) from {sql} as t)" for sql in (self.sql, self.positions))
        return replace(self, sql=rows, columns={**self.columns, **kinds}, positions=positions if self.positions else "")

    def with_strata(self) -> "Table":
        """Return judgments of a sampled pool with their column stratum as the subtopic."""
        kept = ", ".join(DUCKDB.identifier(name) for name in self.columns if name not in ("subtopic", "stratum"))
        columns = {name: kind for name, kind in self.columns.items() if name not in ("subtopic", "stratum")}
        return replace(
            self,
            sql=f"(select {kept}, stratum as subtopic from {self.sql})",
            columns={**columns, "subtopic": self.columns["stratum"]},
            positions="",
            subtopics_vary=True,
        )

    def with_decoded_bytes(self) -> "Table":
        """Return the table with columns of bytes as text in UTF-8, so that they equal text in other tables."""
        found = [name for name, kind in self.columns.items() if kind == "BLOB"]
        return self.replaced({name: _decoded(name) for name in found}, dict.fromkeys(found, "VARCHAR"))

    def kind(self, name: str) -> str:
        """Return the kind of a column: 'integer', 'fraction', or 'text' that has to be parsed as numbers."""
        if _INTEGERS.fullmatch(self.columns[name]):
            return "integer"
        return "fraction" if _FRACTIONS.fullmatch(self.columns[name]) else "text"

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each column."""
        return {name: self.kind(name) for name in self.columns}

    def numeric(self, others: Collection[str]) -> list[str]:
        """Return the names of numeric columns besides `others` and the index that pandas writes into Parquet files."""
        names = (name for name in self.columns if name not in others and not _INDEX.fullmatch(name))
        return [name for name in names if self.kind(name) != "text"]

    def integers(self, *names: str) -> frozenset[str]:
        """Return the named columns that have an integer type."""
        return frozenset(name for name in names if name in self.columns and self.kind(name) == "integer")

    def beyond_doubles(self, *names: str) -> tuple[str, ...]:
        """Return the named columns whose types have more digits than a double."""
        kinds = {name: self.columns[name].upper() for name in names if name in self.columns}
        return tuple(name for name, kind in kinds.items() if _BEYOND_DOUBLES.fullmatch(kind))

    def in_row_order(self, *ties: str) -> "Table":
        """Return a run with the order of its rows in a column row_order, if a tie-breaking rule reads this column."""
        if "row_order" not in ties or not self.ordered or {"row_order", "rank"} & self.columns.keys():
            return self
        sql = f"(select *, row_number() over () as row_order from {self.sql})"
        return replace(self, sql=sql, columns={**self.columns, "row_order": "BIGINT"}, positions="")

    def read_by(self, query: str, columns: Mapping[str, str]) -> "Table":
        """Return the table with the rows and columns of a query that reads it."""
        return replace(self, sql=f"(\n{query}\n)", columns=columns, stored=False, positions="", queries="")

    def where(self, condition: str) -> "Table":
        """Return the rows `t` that meet an SQL condition."""
        rows = f"(select t.* from {self.sql} as t where {condition})"
        positions = f"(select t.* from {self.positions} as t where {condition})" if self.positions else ""
        unanswered = self.unanswered and self.unanswered.where(condition)
        return replace(self, sql=rows, stored=False, positions=positions, queries="", rows=None, unanswered=unanswered)

    def distinct(self, *names: str) -> "Table":
        """Return the distinct rows of the named columns, also those of queries without documents.

        Raises InputError if these queries lack a column.
        """
        columns = {name: self.columns[name] for name in names}
        listed = ", ".join(f"t.{self.dialect.identifier(name)}" for name in names)
        sql = f"select distinct {listed} from {self.sql} as t"
        if self.unanswered:
            for name in [name for name in names if name not in self.unanswered.columns]:
                raise InputError(
                    f"the run has answers without documents, and nothing says their {name}: pass the queries that were "
                    f"asked as asked=, with the columns query_id and {name}"
                )
            typed = ", ".join(f"cast(t.{self.dialect.identifier(name)} as {kind})" for name, kind in columns.items())
            sql += f" union select {typed} from {self.unanswered.sql} as t"
        return replace(self, sql=f"({sql})", columns=columns, positions="", unanswered=None)

    def with_text(self, *names: str) -> "Table":
        """Return the table with the named columns as text."""
        quoted = self.dialect.identifier
        texts = {name: as_text(f"t.{quoted(name)}", self.columns[name], self.dialect) for name in names}
        columns = [
            f"{texts[name]} as {quoted(name)}" if name in texts else f"t.{quoted(name)}" for name in self.columns
        ]
        positions = f"(select {', '.join(columns)}, t.__ltr_position from {self.positions} as t)"
        query_id = f"{texts['query_id']} as query_id" if "query_id" in texts else "t.query_id"
        queries = f"(select {query_id}, t.num_judged, t.num_relevant from {self.queries} as t)"
        return replace(
            self,
            sql=f"(select {', '.join(columns)} from {self.sql} as t)",
            positions=positions if self.positions else "",
            queries=queries if self.queries else "",
            columns={**self.columns, **dict.fromkeys(names, self.dialect.text_type)},
        )


def as_text(column: str, kind: str, dialect: Dialect) -> str:
    """Return SQL of a column of a type as text. A whole number has no fraction, so the ids 12 and 12.0 are equal."""
    text = f"cast({column} as {dialect.text_type})"
    if not _FRACTIONS.fullmatch(kind):
        return text
    whole = f"floor({column}) = {column} and abs({column}) < {LARGEST_PLAIN}"
    return f"case when {whole} then cast(cast({column} as bigint) as {dialect.text_type}) else {text} end"


def _decoded(name: str) -> str:
    """Return SQL of a column of bytes as text, which raises an error for bytes that are not UTF-8."""
    column = f"t.{DUCKDB.identifier(name)}"
    wrong = f"error({string(f'column {name} has bytes that are not UTF-8: pass it as text')})"
    return f"case when {column} is not null then coalesce(try(decode({column})), {wrong}) end"


def is_integer(column_type: str) -> bool:
    """Return whether a type of DuckDB is an integer type."""
    return _INTEGERS.fullmatch(column_type) is not None


def is_nested(column_type: str) -> bool:
    """Return whether a DuckDB type holds objects or lists."""
    return column_type.startswith(("STRUCT", "MAP", "JSON")) or column_type.endswith("]")


def listed_names(names: Iterable[str], most: int = 20) -> str:
    """Return names as text: all of them, or the first `most` and how many others there are."""
    texts = [*map(str, names)]
    others = len(texts) - most
    return f"{', '.join(texts[:most])}{f' and {others:,} others' if others > 0 else ''}"


def canonical_name(name: str) -> str | None:
    """Return the lower-case name of a known column, or None for other columns. Column names are case-insensitive."""
    return name.lower() if name.lower() in _CANONICAL else None


def is_column_name(name: str) -> bool:
    """Return whether a column has this name here or in other tools."""
    return canonical_name(name) is not None or any(name.lower() in names for names in ELSEWHERE.values())


def is_known_column(name: str) -> bool:
    """Return whether a column has this name, or one like it, in any table that is read here."""
    return (
        is_column_name(without_type(name))
        or in_snake_case(name) in OTHER_COLUMNS
        or is_like_an_id(name)
        or has_word_of_grades(name)
    )


def is_number(column_type: str) -> bool:
    """Return whether a DuckDB type is numeric."""
    return is_integer(column_type) or _FRACTIONS.fullmatch(column_type) is not None


def canonical_column_names(columns: Iterable[str]) -> dict[str, str]:
    """Map each known column whose name is not in lower case to its lower-case name."""
    known = {name: canonical_name(name) for name in columns}
    return {name: lower for name, lower in known.items() if lower is not None and lower != name}


def refuse_repeated_columns(names: Iterable[str]) -> None:
    """Raise InputError if a column occurs twice. DuckDB would read only the first.

    Known names are compared case-insensitively.
    """
    seen: dict[str, str] = {}
    for name in names:
        known = canonical_name(name) or name
        if known in seen:
            raise InputError(
                f"the column {known} occurs twice, as {seen[known]} and {name}: keep one, and rename the other"
            )
        seen[known] = name


def may_repeat_columns(names: Iterable[str]) -> bool:
    """Return whether a name such as score_1 may come from DuckDB, which renames repeated columns."""
    return any(re.search(r"_\d+$", name) for name in names)


def columns_with_numbers(names: Collection[str]) -> list[str]:
    """Return the original names of columns that DuckDB renamed because they differ from another only in case.

    For score and Score_1, the result is Score.
    """
    originals = {re.sub(r"_\d+$", "", name) for name in names} - {*names}
    known = {name.lower() for name in names}
    return sorted(name for name in originals if name.lower() in known)


def with_equal_ids(*tables: Table) -> list[Table]:
    """Return tables with ids of equal types, as text if their types differ. A table may lack an id."""
    types = {name: {table.columns[name] for table in tables if name in table.columns} for name in IDS}
    differing = [name for name, found in types.items() if len(found) > 1]
    return [
        table.with_text(*names) if (names := [name for name in differing if name in table.columns]) else table
        for table in tables
    ]


@dataclass(frozen=True)
class Keys:
    """The grouping columns of a call.

    - `of_run`: columns of the run, such as system. Each system is evaluated on all judged queries.
    - `segments`: columns of the judgments, such as a country. A query belongs to the segment that its judgments name.
    """

    of_run: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """All grouping columns, in the order of the result."""
        return (*self.of_run, *self.segments)


def checked_keys(run: Table, qrels: Table | None, keys: Iterable[str], measures: Iterable[str]) -> Keys:
    """Return the grouping columns of a run and its judgments. Raises InputError as `check_keys` does."""
    judged = {} if qrels is None else {name: kind for name, kind in qrels.columns.items() if name not in _CANONICAL}
    found = check_keys(replace(run, columns={**run.columns, **judged}), keys, measures)
    of_run = tuple(key for key in found if key not in judged or key in run.grouped_by)
    return Keys(of_run, tuple(key for key in found if key not in of_run))


def check_keys(table: Table, keys: Iterable[str], measures: Iterable[str]) -> tuple[str, ...]:
    """Return the grouping columns of a table: those that it implies, then `keys`.

    Raises InputError if a key is not a column, is repeated, or has the name of a column of rankings or of
    the result. `measures` are the measure strings, which name columns of the result.
    """
    keys = listed_keys(keys)
    if any("\n" in str(key) for key in keys):
        raise InputError(f"the name of a key must not have a line break, got keys {list(keys)}")
    if len({str(key).lower() for key in keys}) < len(keys):
        raise InputError(f"keys must not be repeated, got keys {list(keys)}")
    results = {"queries", *(measure.lower() for measure in measures)}
    for key in keys:
        if str(key).lower() in results:
            raise InputError(f"key {key!r} has the name of a column of the result: rename the key")
        if key not in table.columns:
            raise InputError(f"key {key!r} is not a column; the columns are {listed_names(table.columns)}")
        if str(key).lower() in RESERVED_COLUMNS:
            raise InputError(
                f"{key!r} cannot be a key, because measures read it: keys are columns that name a system, or in the "
                "judgments a segment"
            )
    return (*(key for key in table.grouped_by if key not in keys), *keys)


def require_one_segment(con: duckdb.DuckDBPyConnection, run: Table, qrels: Table, segments: Sequence[str]) -> None:
    """Raise InputError if a query has several segments in the judgments, or another one in the run.

    Both tables have ids of equal types.
    """

    def first_pair(segment: str, one: Table, other: Table) -> list[tuple[Any, ...]]:
        name = DUCKDB.identifier(segment)
        rows = [f"(select distinct t.query_id, t.{name} as segment from {t.sql} as t)" for t in (one, other)]
        return con.execute(
            f"select o.query_id, o.segment, q.segment from {rows[0]} as o join {rows[1]} as q "
            "on q.query_id = o.query_id where o.segment is distinct from q.segment order by all asc limit 1"
        ).fetchall()

    if not segments or not all({*IDS} <= table.columns.keys() for table in (run, qrels)):
        # Without ids, other checks refuse the tables.
        return
    for segment in segments:
        for query, one, other in first_pair(segment, qrels, qrels):
            raise InputError(
                f"the judgments of query {query!r} name several segments: {segment} {one!r} and {other!r}. Give the "
                f"query its own query_id in each segment, such as {segment} || query_id"
            )
        for query, in_run, in_qrels in first_pair(segment, run, qrels) if segment in run.columns else []:
            raise InputError(
                f"the key {segment!r} is a column of both run and judgments, but query {query!r} has {in_run!r} "
                f"in the run and {in_qrels!r} in the judgments: rename it in the judgments if it names no segment"
            )


_MOST_TEXTS = 20


def has_texts(table: Table) -> bool:
    """Return whether a table has a column relevance of texts."""
    return table.columns.get("relevance", "").startswith(("VARCHAR", "ENUM", "STRING"))


def refuse_other_texts(rows: Rows, table: Table, grades: Mapping[str, float]) -> None:
    """Raise InputError for texts that are neither numbers nor in `grades`. `rows` returns the rows of a query."""
    text = "cast(t.relevance as varchar)"
    known = f" and {text} not in ({', '.join(map(string, grades))})" if grades else ""
    unknown = rows(
        f"select {text}, count(*) from {table.sql} as t where t.relevance is not null{known} "
        f"and try_cast({text} as double) is null group by {text} order by count(*) desc, {text} asc"
    )
    if unknown:
        shown = ", ".join(f"{name!r} ({number:,})" for name, number in unknown[:_MOST_TEXTS])
        more = f" and {len(unknown) - _MOST_TEXTS} more" if len(unknown) > _MOST_TEXTS else ""
        given = f"; grades has {', '.join(grades)}" if grades else ": pass their numbers as grades"
        raise InputError(
            "relevance holds texts that are neither numbers nor in grades: give each of them a grade, or correct it; "
            f"the texts and their numbers of rows are {shown}{more}{given}"
        )


def with_grades(table: Table, grades: Mapping[str, float]) -> Table:
    """Return a table with numbers instead of texts in relevance. Its query refuses texts without a grade."""
    others = _others(table)
    query = Renderer(NamedColumns((), table.dialect), table.dialect).graded(table.sql, others, grades)
    return table.read_by(query, {**{name: table.columns[name] for name in others}, "relevance": "DOUBLE"})


def with_highest_grades(table: Table) -> Table:
    """Return judgments with the highest grade of each document and query."""
    if not {"query_id", "doc_id", "relevance"} <= table.columns.keys():
        # Other checks refuse the table.
        return table
    others = _others(table)
    query = Renderer(NamedColumns((), table.dialect), table.dialect).highest_judgments(table.sql, others)
    return table.read_by(query, {name: table.columns[name] for name in (*others, "relevance")})


def with_numbers(table: Table) -> Table:
    """Return a table of another engine with numbers instead of texts and truth values. Its query refuses other texts.

    Engines differ in the texts that they cast to numbers: some read 0x10, and some 4d.
    """
    texts = [name for name in NUMBERS if name in table.columns and table.kind(name) == "text"]
    if not texts:
        return table
    others = [name for name in table.columns if name not in texts]
    truths = [name for name in texts if table.columns[name] == "BOOLEAN"]
    what, what_to_do = words_of("no_numbers")
    query = Renderer(NamedColumns((), table.dialect), table.dialect).template(
        "rendering/numbers_of_texts.sql",
        relation=table.sql,
        others=[table.dialect.identifier(name) for name in others],
        truths=truths,
        texts=[name for name in texts if name not in truths],
        exact=EXACT,
        ids=[name for name in IDS if name in others],
        before=f"{what}:",
        after=f". What to do: {what_to_do}",
    )
    return table.read_by(query, {**{name: table.columns[name] for name in others}, **dict.fromkeys(texts, "DOUBLE")})


def _others(table: Table) -> list[str]:
    return [name for name in table.columns if name != "relevance"]


def systems_without_documents(rows: Callable[[str], list[Any]], run: Table, column: str = "system") -> list[str]:
    """Return the systems that answered each query without a document. `column` names the systems.

    `rows` returns the rows of a query.
    """
    if run.unanswered is None or column not in run.columns:
        return []
    name = run.dialect.identifier(column)
    systems = f"select cast(s.{name} as varchar) from {run.distinct(column).sql} as s"
    return [name for (name,) in rows(f"{systems} except select cast(t.{name} as varchar) from {run.sql} as t")]


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


# Doubles represent all integers up to this one exactly.
LARGEST_EXACT = 2**53
# Integer types, the smallest first.
_WIDE_INTEGERS = ("BIGINT", "HUGEINT", "BIGNUM")
# Regular expressions of whole numbers, and of those that may be larger.
_WHOLE = r"[-+]?\d+(\.0*)?"
_LARGE = r"[-+]?\d{16,}(\.0*)?"


def refuse_equal_doubles(rows: Rows, table: Table, name: str, exact: str, where: str = "") -> None:
    """Raise InputError for two numbers of a query that differ, but not as doubles.

    - `exact`: SQL of the number in a row `t`, with all its digits.
    - `where`: the place of the numbers in the message, such as " of the run 'a'".
    """
    query = ["t.query_id"] if name in NUMBERS and "query_id" in table.columns else []
    groups = [*query, f"cast(t.{DUCKDB.identifier(name)} as double)"]
    found = rows(
        f"select cast(min({exact}) as varchar), cast(max({exact}) as varchar) from {table.sql} as t "
        f"group by {', '.join(groups)} having min({exact}) < max({exact}) limit 1"
    )
    for one, other in found:
        raise InputError(
            f"{name} has floats, and the numbers {one} and {other}{where}, which are equal as floats: pass one type"
        )


def with_whole_ids(rows: Rows, table: Table, ids: Iterable[str]) -> Table:
    """Return a table with the id 12 for the text 12.0, if all ids of a column are whole numbers.

    A tool that reads a missing id makes floats of integer ids, and appends them to those of an earlier file.
    """
    values: dict[str, str] = {}
    for name in ids:
        column = f"t.{DUCKDB.identifier(name)}"
        if rows(f"select 1 from {table.sql} as t where contains({column}, '.') limit 1"):
            whole = f"coalesce(bool_and(regexp_full_match({column}, '-?[0-9]+([.]0+)?')), false)"
            ((are_whole,),) = rows(f"select {whole} from {table.sql} as t")
            values |= {name: f"split_part({column}, '.', 1)"} if are_whole else {}
    return table.replaced(values, {})


def with_whole_numbers(rows: Rows, table: Table) -> Table:
    """Return a table whose scores of type text are integers, if they are whole and some may exceed doubles.

    Raises InputError for such numbers beside fractions, if two of them are equal as doubles.
    """
    for name in EXACT:
        if table.columns.get(name) != "VARCHAR" or table.dialect is not DUCKDB:
            continue
        text = f"trim(t.{name})"
        # Most texts are shorter, so that few are compared with the pattern.
        large = f"length(t.{name}) > 15 and regexp_full_match({text}, {string(_LARGE)})"
        if not rows(f"select 1 from {table.sql} as t where {large} limit 1"):
            continue
        whole = f"coalesce(bool_and(regexp_full_match({text}, {string(_WHOLE)})), true)"
        parsed = [f"count(try_cast({text} as {kind})) = count({text})" for kind in ("double", *_WIDE_INTEGERS)]
        ((are_whole, are_numbers, *held),) = rows(f"select {whole}, {', '.join(parsed)} from {table.sql} as t")
        if are_whole:
            kind = next(kind for kind, holds in zip(_WIDE_INTEGERS, held, strict=True) if holds)
            table = table.replaced({name: f"cast({text} as {kind})"}, {name: kind})
        elif are_numbers:
            refuse_equal_doubles(rows, table, name, f"try_cast({text} as bignum)")
    return table
