"""The key of a row: its query_id and its grouping columns. One ranking has one key."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from ltr_sql.rendering.columns.checks import compared_bytewise, keys_check
from ltr_sql.rendering.columns.selected import CALLERS, columns_where
from ltr_sql.rendering.dialects import DUCKDB, Dialect


class AnyColumns:
    """What columns do alike, whether they are known by name or chosen by the call."""

    def helpers(self, file: str, macros: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the macros of one of the `HELPER_FILES` as templates call them. By default they are inlined."""
        return macros

    def if_grouped(self, text: str) -> str:
        """Return `text`, which may read the system. A macro comments it out if its call has no keys."""
        return text


@dataclass(frozen=True)
class NamedKeys(AnyColumns):
    """Keys whose grouping columns are known by name.

    - `asked`: grouping columns that the table of the queries that were asked has, too.
    """

    keys: tuple[str, ...]
    dialect: Dialect
    asked: tuple[str, ...] = ()

    # Rename keys inside a query, because a key may have the name of one of our columns.
    @property
    def _key_names(self) -> tuple[str, ...]:
        return tuple(f"__ltr_key_{number}" for number in range(1, len(self.keys) + 1))

    def _defined(self, row: str) -> list[str]:
        return [
            f"{row}.{self.dialect.identifier(k)} as {name}" for k, name in zip(self.keys, self._key_names, strict=True)
        ]

    def _output(self, row: str) -> list[str]:
        return [
            f"{row}.{name} as {self.dialect.identifier(k)}" for k, name in zip(self.keys, self._key_names, strict=True)
        ]

    @property
    def ungrouped(self) -> Self:
        """A copy without grouping columns."""
        return replace(self, keys=())

    def key_definition(self, row: str, *read: str) -> str:
        """Define the key. `read` names other columns that the relation must have."""
        return ", ".join([*self._defined(row), f"{row}.query_id"])

    def checked_key_definition(self, row: str) -> str:
        """Define the key of a relation whose columns the `key_definition` of its queries checks."""
        return self.key_definition(row)

    def key(self, row: str) -> str:
        """Reference the key."""
        return listed(row, (*self._key_names, "query_id"))

    def same_key(self, row: str, other: str) -> str:
        """Compare the keys of two rows. NULL equals NULL."""
        return same(row, other, (*self._key_names, "query_id"), self.dialect)

    def key_output(self, row: str) -> str:
        """Output the key."""
        return ", ".join([*self._output(row), f"{row}.query_id"])

    def either_key(self, row: str, other: str) -> str:
        """Define the key of a full join, from the row that is not missing."""
        return ", ".join(f"coalesce({row}.{name}, {other}.{name}) as {name}" for name in (*self._key_names, "query_id"))

    def keys_check(self, row: str) -> str:
        """Raise an error if a key is not a column, else return true. Empty if the keys are already checked."""
        return ""

    def bytewise_check(self, *values: str) -> str:
        """Raise an error if a column is bytes or has a collation, else return true. Empty if already checked."""
        return ""

    def checked_relation(self, relation: str, *numbers: str) -> str:
        """Return a relation that rejects a key with a collation, and text in `numbers` that is no number.

        If the columns are known only at the call, it also has the empty column __ltr_none, and may lack the `numbers`.
        """
        return relation


def listed(row: str, names: Iterable[str]) -> str:
    """Return the columns of a row, separated by commas."""
    return ", ".join(f"{row}.{name}" for name in names)


def same(row: str, other: str, names: Iterable[str], dialect: Dialect = DUCKDB) -> str:
    """Return SQL that compares the columns of two rows. NULL equals NULL."""
    return " and ".join(dialect.same.format(f"{row}.{name}", f"{other}.{name}") for name in names)


@dataclass(frozen=True)
class CallTimeKeys(AnyColumns):
    """Keys that the call of a DuckDB macro chooses, packed into one struct.

    `keys` is the SQL of the list of names that the call passes.
    """

    keys: str = "keys"

    @property
    def ungrouped(self) -> Self:
        return replace(self, keys="[]::varchar[]")

    def key_definition(self, row: str, *read: str) -> str:
        absent = f"list_filter(coalesce({self.keys}, []), lambda k: k is not null and not list_contains((*), k))"
        message = f"list_aggregate({absent}, 'string_agg', ', ') || ' (of the keys; the input has ' || {CALLERS} || ')'"
        required = DUCKDB.text_list(["query_id", *read])
        return f"struct_pack(*{columns_where(self._key, required, (absent, message))}) as __ltr_key"

    def checked_key_definition(self, row: str) -> str:
        return f"struct_pack(*columns(lambda c: {self._key})) as __ltr_key"

    @property
    def _key(self) -> str:
        """SQL of the condition that the column `c` is part of the key."""
        return f"lower(c) = 'query_id' or list_contains({self.keys}, c)"

    def _some_keys(self, *read: str) -> str:
        """Define the key of a run or of judgments. Either may lack some grouping columns."""
        return f"struct_pack(*{columns_where(self._key, DUCKDB.text_list(['query_id', *read]))}) as __ltr_key"

    def key(self, row: str) -> str:
        return f"{row}.__ltr_key"

    def same_key(self, row: str, other: str) -> str:
        return f"{row}.__ltr_key is not distinct from {other}.__ltr_key"

    def key_output(self, row: str) -> str:
        return f"unnest({row}.__ltr_key)"

    def either_key(self, row: str, other: str) -> str:
        return f"coalesce({row}.__ltr_key, {other}.__ltr_key) as __ltr_key"

    def keys_check(self, row: str) -> str:
        return self._keys_check(f"struct_keys({row}.__ltr_key)", f"{row}.__ltr_key.query_id")

    def _keys_check(self, names: str, query_id: str) -> str:
        return keys_check(names, query_id, self.keys)

    def bytewise_check(self, *values: str) -> str:
        return " and ".join(map(compared_bytewise, values))

    # Check nothing here: `inputs` has checked the relations of Python. `HelperColumns` checks those of macros.
    def checked_relation(self, relation: str, *numbers: str) -> str:
        return f"(select null as __ltr_none, * from {relation})"
