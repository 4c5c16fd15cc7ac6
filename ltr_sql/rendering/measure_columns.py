"""Measures as columns of a result, and the blocks of a query that compute them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ltr_sql.catalogue.measures import NONE_RETRIEVED, Definition
from ltr_sql.catalogue.parameters import parameters
from ltr_sql.catalogue.row_sources import LISTS, RowSource, reads_num_ret
from ltr_sql.rendering.templates import CallTime, SqlValue, sql_value, suffix_of, variables_of

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
