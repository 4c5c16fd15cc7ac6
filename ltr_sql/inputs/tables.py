"""The caller's tables: their columns, the facts known about them, and which of them are grouping columns."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ltr_sql.errors import InputError
from ltr_sql.sqltext.columns import NO_KEYS
from ltr_sql.sqltext.dialects import DUCKDB, Dialect

IDS = ("query_id", "doc_id")
NUMBERS = ("rank", "score", "relevance", "num_ret", "row_order", "rank_a", "rank_b", "score_a", "score_b")
_CANONICAL = frozenset((*IDS, "subtopic", *NUMBERS))
_INTEGERS = re.compile(r"U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)")
_FRACTIONS = re.compile(r"FLOAT|DOUBLE|DECIMAL\(.*")


@dataclass(frozen=True)
class Table:
    """A relation of the caller's.

    - `sql`: what stands behind `from`; `columns`: the engine's type of each column.
    - `stored`: true for a table or data frame in memory, which may be read twice at little cost.
    - `positions`: the same relation with the position of each row in a column `__ltr_position`; empty if the engine
      does not know positions.
    - `grouped_by`: grouping columns that the input has by itself, such as `system` for several runs.
    - `subtopics_vary`: false for TREC judgments whose second column has one value, which says nothing.
    """

    sql: str
    columns: Mapping[str, str]
    stored: bool = True
    positions: str = ""
    grouped_by: tuple[str, ...] = ()
    subtopics_vary: bool = True
    dialect: Dialect = DUCKDB

    def require(self, what: str, *names: str) -> None:
        """Raise InputError unless all columns are there."""
        missing = [name for name in names if name not in self.columns]
        if missing:
            raise InputError(
                f"{what} lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}; "
                f"it has {', '.join(self.columns)}. Rename the column that holds it"
            )

    def kind(self, name: str) -> str:
        """What a column holds: 'integer', 'fraction', or 'text' for what has to be read as a number."""
        if _INTEGERS.fullmatch(self.columns[name]):
            return "integer"
        return "fraction" if _FRACTIONS.fullmatch(self.columns[name]) else "text"

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each column."""
        return {name: self.kind(name) for name in self.columns}

    def integers(self, *names: str) -> frozenset[str]:
        """Those of some columns that hold whole numbers."""
        return frozenset(name for name in names if name in self.columns and self.kind(name) == "integer")

    def distinct(self, *names: str) -> "Table":
        """The distinct rows of some of its columns."""
        listed = ", ".join(f"t.{self.dialect.identifier(name)}" for name in names)
        return replace(self, sql=f"(select distinct {listed} from {self.sql} as t)", positions="")

    def with_text(self, *names: str) -> "Table":
        """The table with some columns as text."""
        kind, quoted = self.dialect.text_type, self.dialect.identifier
        columns = [
            f"cast(t.{quoted(name)} as {kind}) as {quoted(name)}" if name in names else f"t.{quoted(name)}"
            for name in self.columns
        ]
        positions = f"(select {', '.join(columns)}, t.__ltr_position from {self.positions} as t)"
        return replace(
            self,
            sql=f"(select {', '.join(columns)} from {self.sql} as t)",
            positions=positions if self.positions else "",
            columns={**self.columns, **dict.fromkeys(names, kind)},
        )


def is_integer(column_type: str) -> bool:
    """Whether a type of DuckDB's holds whole numbers only."""
    return _INTEGERS.fullmatch(column_type) is not None


def canonical_column_names(columns: Iterable[str]) -> dict[str, str]:
    """The names to give to columns that are written in other case: column names are case-insensitive, as in SQL."""
    return {name: name.lower() for name in columns if name.lower() in _CANONICAL and name != name.lower()}


def comparable(run: Table, qrels: Table) -> tuple[Table, Table]:
    """Run and judgments with ids of one type: as text where their types differ."""
    differing = [name for name in IDS if run.columns[name] != qrels.columns[name]]
    if not differing:
        return run, qrels
    return run.with_text(*differing), qrels.with_text(*differing)


def check_keys(table: Table, keys: Iterable[str], measures: Iterable[str]) -> tuple[str, ...]:
    """The grouping columns of a table: those that it has by itself, then `keys`.

    Raises InputError unless `keys` are columns of the table, each named once, and none is named like a column that
    rankings consist of or like a column of the result.
    """
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
            raise InputError(f"key {key!r} has the name of a column of the result: rename it")
        if key not in table.columns:
            raise InputError(f"key {key!r} is not a column; the columns are {', '.join(table.columns)}")
        if str(key).lower() in NO_KEYS:
            raise InputError(f"{key!r} cannot be a key: keys tell rankings of the same query apart")
    return (*(key for key in table.grouped_by if key not in keys), *keys)
