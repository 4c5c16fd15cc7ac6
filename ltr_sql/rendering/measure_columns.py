"""Measures as columns of a query: the sources that they read, their blocks, lists and probabilities.

Each of them is a macro of DuckDB, `ltr.NAME` if it is public and `ltr.__ltr_NAME` otherwise. A query that runs without
the macros contains the expressions themselves.
"""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from graphlib import TopologicalSorter
from typing import Any

from ltr_sql.catalogue.files import SQL_FOLDER, header_and_body
from ltr_sql.catalogue.functions import LISTS, SHAPES, RowSource, reads_num_ret
from ltr_sql.catalogue.measures import NONE_RETRIEVED, Definition
from ltr_sql.catalogue.parameters import parameters
from ltr_sql.errors import LtrSqlError
from ltr_sql.rendering.dialects import DUCKDB, Dialect
from ltr_sql.rendering.templates import CallTime, SqlValue, macros_of, sql_value, suffix_of, template_of, variables_of

# As in trec_eval, the geometric mean raises values to at least 0.00001, because a single 0 would make it 0.
_AVERAGES = {
    "mean": "avg({0})",
    "sum": "sum({0})",
    "geometric": "exp(avg(ln(case when {0} > 1e-5 then {0} when {0} is not null then 1e-5 end)))",
    # {1} is the weight that the measure gives the query.
    "weighted": "sum({1} * {0}) / nullif(sum(case when {0} is not null then {1} end), 0)",
}


# The averages with the weight v.__ltr_weight of each query.
_WEIGHTED = {
    "mean": "sum(v.__ltr_weight * {0}) / nullif(sum(case when {0} is not null then v.__ltr_weight end), 0)",
    "sum": "sum(v.__ltr_weight * {0})",
    "geometric": (
        "exp(sum(v.__ltr_weight * ln(case when {0} > 1e-5 then {0} when {0} is not null then 1e-5 end)) "
        "/ nullif(sum(case when {0} is not null then v.__ltr_weight end), 0))"
    ),
}

# The SQL of the number of retrieved documents of a query, from the CTE that `rendering/retrieved.sql` adds to a query.
NUM_RET = "retrieved.num_ret"


@dataclass(frozen=True)
class Column:
    """A measure as a column of a result: its definition, the values of its parameters, and the quoted column name."""

    definition: Definition
    values: Mapping[str, SqlValue]
    name: str

    @property
    def reads(self) -> str:
        """The rows that it needs: one of `ROWS`."""
        return self.definition.reads_of(self.values)

    @property
    def weight_name(self) -> str:
        """The quoted name of the column of the weights that the measure gives queries, or '' if it gives none."""
        return f"{self.name[:-1]} weight{self.name[-1]}" if self.definition.weight else ""

    @property
    def averaged_names(self) -> list[str]:
        """The quoted names of the columns that the average over queries reads."""
        return [self.name, *([self.weight_name] if self.weight_name else [])]

    def output(self, block: str, averaged: bool = True, num_ret: str = NUM_RET) -> str:
        """Return the column as read from a block. A query without rows in the block gets the value of `empty`.

        - `averaged`: adds the weights that the measure gives queries. A measure over runs has no value for a query, so
          it is NULL unless the queries are averaged.
        - `num_ret`: SQL of the number of retrieved documents of the query.
        """
        if self.definition.over == "run" and not averaged:
            return f"cast(null as double) as {self.name}"
        value = f"{block}.{self.name}"
        empty = self.empty(num_ret)
        weight = f",\n{block}.{self.weight_name} as {self.weight_name}" if averaged and self.weight_name else ""
        return f"{value if empty is None else f'coalesce({value}, {empty})'} as {self.name}{weight}"

    def empty(self, num_ret: str) -> str | None:
        """Return the SQL of the value of a query where the measure is undefined; None if it is NULL.

        `num_ret` is SQL of the number of retrieved documents of the query.
        """
        chosen, parameter = self.values.get("empty"), self.definition.parameter("empty")
        if parameter is None:
            return None if self.definition.empty is None else sql_value(self.definition.empty)
        values = {"0": "0e0", "1": "1e0", NONE_RETRIEVED: f"case when {num_ret} > 0 then 0e0 else 1e0 end"}
        if not isinstance(chosen, CallTime):
            return values.get(str(chosen))
        choices = " ".join(f"when '{name}' then {value}" for name, value in values.items() if parameter.allows(name))
        return f"case {chosen} {choices} end"

    @property
    def reads_num_ret(self) -> bool:
        """True if it reads the number of retrieved documents."""
        return reads_num_ret(self.reads) or self.values_none_retrieved

    @property
    def values_none_retrieved(self) -> bool:
        """True if the value of a query depends on whether documents were retrieved."""
        return self.values.get("empty") == NONE_RETRIEVED

    @property
    def average(self) -> str:
        """The SQL of the average over queries. Each query of a run has the same value of a measure over runs."""
        if self.definition.over == "run":
            return f"max(v.{self.name}) as {self.name}"
        names = (f"v.{name}" for name in self.averaged_names)
        return f"{_AVERAGES[self.definition.average].format(*names)} as {self.name}"

    @property
    def weighted_average(self) -> str:
        """The SQL of the average over queries with weights."""
        return f"{_WEIGHTED[self.definition.average].format(f'v.{self.name}')} as {self.name}"


@dataclass
class Block:
    """A row source (`sql/row_sources/`) as CTEs of a query, and the measures that aggregate its rows.

    - `values`: the parameters of measures that the row source reads; `suffix` is their part in the block's name.
    - `columns`: the measures.
    """

    row_source: RowSource
    suffix: str
    values: Mapping[str, SqlValue]
    columns: list[Column] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the block, which the names of its CTEs end with."""
        return f"{self.row_source.name}{self.suffix}"

    @property
    def shared_ranks(self) -> bool:
        """True if all its measures treat documents with the same rank as tied."""
        return all(column.definition.shared_ranks for column in self.columns)


@cache
def row_source_parameters(row_source: RowSource) -> list[str]:
    """Return the parameters of measures that a row source reads. Measures share its rows if these are equal."""
    named = variables_of(row_source.body) & set(parameters())
    return sorted(named if row_source.paired or row_source.input == LISTS else named - {"k"})


def blocks_of(columns: Sequence[Column]) -> list[Block]:
    """Return the blocks that compute measures. Measures share a block if they read the same rows."""
    blocks: dict[tuple[Any, ...], Block] = {}
    for column in columns:
        row_source = column.definition.row_source
        values = {name: column.values.get(name) for name in row_source_parameters(row_source)}
        key = (row_source, *values.values())
        if key not in blocks:
            blocks[key] = Block(row_source, "".join(map(suffix_of, values.values())), values)
        blocks[key].columns.append(column)
    for block in blocks.values():
        block.values = {"k": largest_cutoff(block.columns), **block.values}
    return list(blocks.values())


def longest_unsorted(columns: Iterable[Column]) -> int | None:
    """Return the length up to which lists need no ranks, because measures take all their documents.

    It is 0 if a measure reads the ranks themselves, and None if no list needs ranks.
    """
    if any(column.definition.row_source.reads_ranks for column in columns):
        return 0
    return min((k for column in columns if isinstance(k := column.values.get("k"), int)), default=None)


def largest_cutoff(columns: Iterable[Column]) -> SqlValue:
    """Return the largest cutoff of measures, or None if one of them has no cutoff."""
    cutoffs = [column.values.get("k") for column in columns]
    if len(cutoffs) == 1:
        return cutoffs[0]
    return None if None in cutoffs else max(k for k in cutoffs if isinstance(k, int))


@cache
def list_functions(dialect: Dialect) -> Mapping[str, Any]:
    """Return the names that templates use for structs and lists, rendered for a dialect.

    - the functions in `Dialect.lists`;
    - `struct(name=value)`, `struct_of(fields)`: a struct of these fields, or of a text of `struct_fields`;
    - `array(*values)`: a list; `array_of(values)`: a list from a text of values;
    - `text(value)`: cast to text; `sorted_list(value, where)`: sorted values of the rows that `where` selects;
    - `text_type`, `error_function`, `has_lgamma`, `random_words`, `materialized`, `stored`: see `Dialect`.
    """
    functions: dict[str, Any] = {name: pattern.format for name, pattern in dialect.lists.items()}
    return functions | {
        "struct": _struct(dialect),
        "struct_of": lambda fields: f"{dialect.struct_function}({fields})",
        "array": lambda *values: dialect.array.format(", ".join(values)),
        "array_of": dialect.array.format,
        "sorted_list": lambda value, where="": dialect.lists["sorted_list"].format(
            value, f" filter (where {where})" if where else ""
        ),
        "text": lambda value: f"cast({value} as {dialect.text_type})",
        "text_type": dialect.text_type,
        "error_function": dialect.error_function,
        "has_lgamma": dialect.has_lgamma,
        "materialized": dialect.materialized,
        "stored": dialect.stored,
        "random_words": dialect.random_words,
    }


def struct_fields(fields: Mapping[str, str], dialect: Dialect) -> str:
    """Return the fields of a struct, whose names may be any text."""
    return ", ".join(dialect.struct_field.format(_field_name(name, dialect), value) for name, value in fields.items())


def _field_name(name: str, dialect: Dialect) -> str:
    return dialect.identifier(name) if dialect.quotes_fields else dialect.string(name)


def _struct(dialect: Dialect) -> Callable[..., str]:
    def struct(**fields: str) -> str:
        given = ", ".join(
            dialect.struct_field.format(name if dialect.quotes_fields else dialect.string(name), value)
            for name, value in fields.items()
        )
        return f"{dialect.struct_function}({given})"

    return struct


@dataclass(frozen=True)
class Shortcuts:
    """What is known of a run and its judgments, and saves a check or a sort in the query that joins them.

    - `ranking`: how ranks are made from scores. 'sorted' is always right. 'stored' reads the positions of rows that are
      stored in rank order. 'counted' counts the rows above each judged document, which is cheaper for large runs.
    - `scores_checked`: all scores are finite numbers.
    - `duplicates_checked`: no document appears twice, or the caller detects duplicates.
    - `distinct_documents`: no document appears twice in the ranking of a query, so ids break all ties.
    """

    ranking: str = "sorted"
    scores_checked: bool = False
    duplicates_checked: bool = False
    distinct_documents: bool = False


@dataclass(frozen=True)
class Guard:
    """Validation that a query adds to the validation in its row sources.

    - `condition`: SQL in the query's last `where` that raises an error for invalid input.
    - `reads_rows`: true if the condition reads the rows of the input once more.
    - `counts_rows`: true if the row source `documents` counts the rows that it reads, because the
      condition needs this count.
    - `distinct_ranks`: true if no query of the input has a duplicate rank, so the query need not check this.
    """

    condition: str = ""
    reads_rows: bool = False
    counts_rows: bool = False
    distinct_ranks: bool = False


@dataclass(frozen=True)
class Source:
    """A relation that measures read.

    - `relation`: SQL of the relation, as it follows `from`; `shape`: one of `SHAPES`.
    - `queries`: SQL that lists the queries to be measured; empty to measure the queries of the relation.
    - `integers`: its columns of integer types, which cannot contain NaN.
    - `stored`: true for a table or data frame in memory, which is cheap to read twice.
    - `has_num_ret`: true if it has the column num_ret, the number of retrieved documents.
    - `only_judged`: true if unjudged documents are left out.
    - `windows`: cheaper SQL of window columns of `documents`, by name; `further_columns`: the integers that it reads.
    """

    relation: str
    shape: str = "rankings"
    queries: str = ""
    integers: frozenset[str] = frozenset()
    guard: Guard = Guard()
    stored: bool = False
    has_num_ret: bool = False
    only_judged: bool = False
    windows: Mapping[str, str] = field(default_factory=dict, hash=False)
    further_columns: tuple[str, ...] = ()

    @property
    def paired(self) -> bool:
        """True if its rows compare two rankings."""
        return "rank_a" in SHAPES.get(self.shape, ())

    @property
    def by_subtopic(self) -> bool:
        """True if it has one row per document and subtopic."""
        return "subtopic" in SHAPES.get(self.shape, ())


@dataclass(frozen=True)
class Rankings(Source):
    """Rankings from the caller: (query_id, rank, relevance)."""

    stored: bool = True


@dataclass(frozen=True)
class JudgedRun(Source):
    """A run joined with judgments."""


@dataclass(frozen=True)
class ScoredTable(Source):
    """Rankings made from a table with scores and relevance."""


@dataclass(frozen=True)
class Pairs(Source):
    """Documents of two rankings: (query_id, rank_a, rank_b)."""

    shape: str = "pairs"


@dataclass(frozen=True)
class GivenTable:
    """A table that measures beyond accuracy read in addition to the run.

    - `relation`: its SQL, as it follows `from`.
    - `has`: names of its columns. In a macro: SQL of a list of the columns that the table must have.
    - `has_rank`: for a run, see `Lists`.
    """

    relation: str
    has: Container[str]
    has_rank: object = False


@dataclass(frozen=True)
class Lists(Source):
    """A run, whose lists measures beyond accuracy read.

    - `has_rank`: whether the run has ranks; a `CallTime` if this is known only when the macro is called.
    - `ties`: the tie-breaking rule.
    - `given`: the caller's tables by their names in `TABLES`; others are read as empty.
    - `depth`: the largest rank that is needed, or None.
    - `unsorted`: lists of at most this number of documents need no ranks, because all documents are in the top k.
      If it is None, no list needs ranks.
    - `exact`: columns that define the order of rows and may have more digits than a double.
    """

    shape: str = LISTS
    has_rank: object = False
    ties: SqlValue = "docid_desc"
    depth: SqlValue = None
    unsorted: SqlValue = 0
    given: Mapping[str, GivenTable] = field(default_factory=dict, hash=False)
    exact: tuple[str, ...] = ()
    shortcuts: Shortcuts = Shortcuts()


# The name of a column (d.df), of a field of a struct (s['df']), or of a variable of a lambda (t).
_NAME = re.compile(r"[a-z_]\w*(\.[a-z_]\w*|\['\w+'\])?")


@dataclass(frozen=True)
class Probability:
    """A probability function, as its file defines it.

    - `arguments`: names of its numeric arguments.
    - `public`: true if its macro is public.
    - `body`: template of an SQL expression. It may use the names of arguments and of other functions.
    """

    name: str
    summary: str
    arguments: tuple[str, ...]
    reference: str
    body: str
    public: bool = False

    @property
    def macro(self) -> str:
        """The name of its macro, with the schema."""
        return f"ltr.{self.name if self.public else f'__ltr_{self.name}'}"


@cache
def probabilities() -> dict[str, Probability]:
    """Return the probability functions by name. Each one follows the functions that it calls."""
    files = {path.stem: header_and_body(path) for path in sorted((SQL_FOLDER / "probabilities").glob("*.sql"))}
    found = {name: Probability(name=name, body=body, **header) for name, (header, body) in files.items()}
    called = {name: variables_of(function.body) & found.keys() for name, function in found.items()}
    return {name: found[name] for name in TopologicalSorter(called).static_order()}


@cache
def expressions(dialect: Dialect = DUCKDB) -> Mapping[str, Callable[..., str]]:
    """Map each probability function to a Python function that renders it as an SQL expression of its arguments."""
    return {name: partial(_expression, function, dialect) for name, function in probabilities().items()}


@cache
def calls() -> Mapping[str, Callable[..., str]]:
    """Map each probability function to a Python function that renders a call of its macro."""
    return {name: partial(_call, function) for name, function in probabilities().items()}


def _call(function: Probability, *values: str) -> str:
    return f"{function.macro}({', '.join(values)})"


def _expression(function: Probability, dialect: Dialect, *values: str) -> str:
    """Render the body for these arguments. A column or field that an argument names must hold doubles."""
    if all(_NAME.fullmatch(value) for value in values):
        names = dict(zip(function.arguments, values, strict=True))
        return f"({_body(function, dialect, names, expressions(dialect))})"
    return _bound(function, dialect, values, expressions(dialect))


def macro_body(function: Probability) -> str:
    """Render the body of the macro. It calls the macros of other functions where it passes expressions to them."""
    others = {name: partial(_call_or_body, other) for name, other in probabilities().items()}
    return _bound(function, DUCKDB, function.arguments, others)


def _call_or_body(function: Probability, *values: str) -> str:
    is_names = all(_NAME.fullmatch(value) for value in values)
    return _expression(function, DUCKDB, *values) if is_names else _call(function, *values)


def _bound(
    function: Probability, dialect: Dialect, values: Sequence[str], others: Mapping[str, Callable[..., str]]
) -> str:
    """Render the body for these arguments. Bind them by a lambda, because DuckDB would copy them to each use."""
    functions = list_functions(dialect)
    fields = {name: f"cast({value} as double)" for name, value in zip(function.arguments, values, strict=True)}
    row = f"__ltr_{function.name}"
    names = {name: f"{row}['{name}']" for name in function.arguments}
    if "let" not in functions:
        raise LtrSqlError(f"{function.name} is not available on {dialect.name}: it binds names by functions of lists")
    bound: str = functions["let"](row, functions["struct"](**fields), _body(function, dialect, names, others))
    return bound


def _body(
    function: Probability, dialect: Dialect, names: Mapping[str, str], others: Mapping[str, Callable[..., str]]
) -> str:
    return template_of(function.body).render({**building_blocks(dialect), **others, **names})


@cache
def building_blocks(dialect: Dialect = DUCKDB) -> Mapping[str, Any]:
    """Return the macros of `sql/templates/shared/functions.sql` and the functions of lists, rendered for a dialect."""
    functions = list_functions(dialect)
    return {**functions, **macros_of("shared/functions.sql", functions)}
