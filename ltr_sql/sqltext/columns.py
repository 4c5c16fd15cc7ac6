"""How a query writes the columns that tell rankings apart: chosen when a macro is called, or by their names.

The templates in `sql/` use the methods of `Columns` as words. `CallTimeColumns` packs query_id and the keys that
a call names into one struct, `NamedColumns` writes the names; the queries are the same otherwise.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ltr_sql.sqltext.dialects import Dialect, string


class Columns(Protocol):
    """The words; `row` is the alias of the relation that a column is read from.

    The key is what one ranking belongs to: the keys and the query. The system is the keys alone.
    """

    def key_definition(self, row: str, *read: str) -> str:
        """The key, in the first select over the caller's relation; which other columns are `read` there."""

    def key(self, row: str) -> str:
        """The key, in every select after that."""

    def same_key(self, row: str, other: str) -> str:
        """Whether two rows have the same key; NULL equals NULL."""

    def key_output(self, row: str) -> str:
        """The key as columns of the result."""

    def either_key(self, row: str, other: str) -> str:
        """The key of two rows joined by a full join, to be read as `key`."""

    def optional_fields(self, row: str, always: str, optional: Mapping[str, bool]) -> str:
        """What columns are read from that the input may lack, in the first select over it; one is `always` there.

        `optional`: whether the input has them, where that is known.
        """

    def keys_check(self, row: str) -> str:
        """A condition that stops the query if a key is no column; empty where that is known already."""

    def helpers(self, file: str, macros: Mapping[str, Any]) -> Mapping[str, Any]:
        """The macros of `HELPER_FILES` as templates call them: inline."""
        return macros

    def subtopic_definition(self, row: str) -> str:
        """What `one_row_per_document` reads, in the first select over rankings."""

    def one_row_per_document(self, row: str) -> str:
        """A condition on the rows of a query that stops it over subtopics; empty where that is known already."""

    def run_relation(self, relation: str) -> str:
        """A run, with what `run_key_definition` reads."""

    def run_key_definition(self, row: str) -> str:
        """Key and system of a run, in the first select over it."""

    def run_key(self, row: str) -> str:
        """Key and system of a run, in every select after that."""

    def system(self, row: str) -> str:
        """The system; empty where there are no keys."""

    def same_system(self, row: str, other: str) -> str:
        """Whether two rows belong to the same system."""

    def system_output(self, row: str) -> str:
        """The system as columns of the result."""

    def either_system_output(self, row: str, other: str) -> str:
        """The same, of two rows joined by a full join."""

    def same_system_as_either(self, row: str, one: str, other: str) -> str:
        """Whether a row belongs to the system of two rows joined by a full join."""

    def run_fields(self, row: str, has_rank: object, ties: object, with_score: bool) -> str:
        """What ranks are made from, in the first select over a run: columns that the run may lack.

        `with_score`: also of a run that has ranks.
        """

    def scored_columns(self, row: str, ties: object) -> str:
        """The key, what ranks are made from, and what is handed on, in the first select over a scored table."""

    def ranked_columns(self, row: str) -> str:
        """The key, rank, relevance, and all that is handed on, in the first select over rankings."""

    def row(self, row: str) -> str:
        """Where the columns of `run_fields` and `scored_columns` are read from."""

    def kept_columns(self, row: str, *made: str) -> str:
        """The caller's columns, handed on; not those that are made here."""

    def judgment_definition(self, row: str) -> str:
        """What there is one judgment for, in the first select over them: query, document and, if any, subtopic."""

    def judgment(self, row: str) -> str:
        """The same, in every select after that."""

    def judgment_columns(self, row: str) -> str:
        """The relevance and the other columns of judgments, handed on; not those that the run gives."""


# Keys tell rankings of the same query apart: these columns are what a ranking is made of.
NO_KEYS = ("query_id", "doc_id", "rank", "relevance", "score")
_LACKING = "; rename the column that holds it, or select it under that name)"
KEYS_MESSAGE = f"keys must be columns of the input, each named once, and not {', '.join(NO_KEYS)}; got keys "

_FIELD_TYPES = {"query_id": "varchar", "doc_id": "varchar", "subtopic": "varchar"}
_IDS = ("query_id", "doc_id", "subtopic")


@dataclass(frozen=True)
class CallTimeColumns(Columns):
    """Columns of a DuckDB macro: `keys` is the text of the list of key columns that the call gives."""

    keys: str = "keys"

    def key_definition(self, row: str, *read: str) -> str:
        key = f"lower(c) = 'query_id' or list_contains({self.keys}, c)"
        return f"struct_pack({self._columns(key, 'query_id', *read)}) as __ltr_key"

    # DuckDB looks for columns by name while it binds, and says which it did not find: what it looks for, where some are
    # lacking, is a text that says so. error() is not possible there.
    def _columns(self, condition: str, *read: str) -> str:
        wanted = f"[{', '.join(map(string, read))}]"
        lacking = f"list_filter({wanted}, lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))"
        given = "list_filter((*), lambda c: not starts_with(c, '__ltr_'))"
        there = f"array_to_string({given}, ', ')"
        message = f"array_to_string({lacking}, ', ') || ' (the input has ' || {there} || {string(_LACKING)}"
        return (
            f"*columns(case when len({lacking}) > 0 then [{message}] else list_filter((*), lambda c: {condition}) end)"
        )

    def key(self, row: str) -> str:
        return f"{row}.__ltr_key"

    def same_key(self, row: str, other: str) -> str:
        return f"{row}.__ltr_key is not distinct from {other}.__ltr_key"

    def key_output(self, row: str) -> str:
        return f"unnest({row}.__ltr_key)"

    def either_key(self, row: str, other: str) -> str:
        return f"coalesce({row}.__ltr_key, {other}.__ltr_key) as __ltr_key"

    # A run's system is its keys without the query. No keys are one system: __ltr_one stands for it,
    # because a struct cannot be empty.
    def run_relation(self, relation: str) -> str:
        return f"(select 0 as __ltr_one, * from {relation})"

    def run_key_definition(self, row: str) -> str:
        system = f"struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains({self.keys}, c)))"
        return f"{self.key_definition(row, 'doc_id')},\n{system} as __ltr_system,\n{row}.query_id"

    def run_key(self, row: str) -> str:
        return f"{row}.__ltr_key, {row}.__ltr_system, {row}.query_id"

    def system(self, row: str) -> str:
        return f"{row}.__ltr_system"

    def same_system(self, row: str, other: str) -> str:
        return f"{row}.__ltr_system = {other}.__ltr_system"

    def system_output(self, row: str) -> str:
        return f"unnest({row}.__ltr_system)"

    def either_system_output(self, row: str, other: str) -> str:
        return f"unnest(coalesce({row}.__ltr_system, {other}.__ltr_system))"

    def same_system_as_either(self, row: str, one: str, other: str) -> str:
        return f"{row}.__ltr_system = coalesce({one}.__ltr_system, {other}.__ltr_system)"

    # Columns that the caller's table may lack: casting a struct by name fills them with NULL.
    def _fields(self, names: Sequence[str]) -> str:
        wanted = ", ".join(f"'{name}'" for name in names)
        types = ", ".join(f"{name} {_FIELD_TYPES.get(name, 'double')}" for name in names)
        return f"cast(struct_pack(*columns(lambda c: lower(c) in ({wanted}))) as struct({types}))"

    def optional_fields(self, row: str, always: str, optional: Mapping[str, bool]) -> str:
        # A struct cannot be empty.
        return f"{self._fields([always, *optional])} as __ltr_row"

    # Which of them there are; `one` is there in any case, because a struct cannot be empty.
    def _present(self, names: Sequence[str], one: str) -> str:
        wanted = ", ".join(f"'{name}'" for name in dict.fromkeys((one, *names)))
        fields = f"struct_pack(*columns(lambda c: lower(c) in ({wanted})))"
        return f"list_transform(struct_keys({fields}), lambda c: lower(c))"

    def run_fields(self, row: str, has_rank: object, ties: object, with_score: bool) -> str:
        names = ["rank", "score", "row_order"]
        # A struct cannot be empty: a run with none of them is refused by name.
        fields = self._fields([*names, "__ltr_one"])
        return f"{fields} as __ltr_row,\n{self._present(names, '__ltr_one')} as __ltr_present"

    def scored_columns(self, row: str, ties: object) -> str:
        names = ["score", "doc_id", "relevance", "row_order", "rank"]
        fields = f"{self._fields(names)} as __ltr_row,\n{self._present(names, 'score')} as __ltr_present"
        return f"{self.key_definition(row, 'score')},\n{fields},\n{row}.*"

    def row(self, row: str) -> str:
        return f"{row}.__ltr_row"

    def ranked_columns(self, row: str) -> str:
        return f"{self.key_definition(row, 'rank', 'relevance')},\n{row}.*"

    def kept_columns(self, row: str, *made: str) -> str:
        return f"columns(lambda c: lower(c) not in ({', '.join(map(string, made))}) and not starts_with(c, '__ltr_'))"

    def judgment_definition(self, row: str) -> str:
        key = self.key_definition(row, "doc_id", "relevance")
        return f"{key},\n{row}.query_id,\n{row}.doc_id,\n{self._fields(['doc_id', 'subtopic'])} as __ltr_row"

    def judgment(self, row: str) -> str:
        return f"{row}.query_id, {row}.doc_id, {row}.__ltr_row.subtopic"

    def judgment_columns(self, row: str) -> str:
        given = "lower(c) in ('query_id', 'doc_id', 'rank', 'num_ret') or starts_with(c, '__ltr_')"
        return f"columns(lambda c: not ({given} or coalesce(list_contains({self.keys}, c), false)))"

    def keys_check(self, row: str) -> str:
        return keys_check(f"struct_keys({row}.__ltr_key)", self.keys)

    def subtopic_definition(self, row: str) -> str:
        return f"{self._fields(['rank', 'doc_id', 'subtopic'])} as __ltr_row"

    def explained_fields(self, row: str) -> str:
        """What is explained, in the first select over rankings, and what `one_row_per_document` reads."""
        return f"{self._fields(['rank', 'relevance', 'doc_id', 'subtopic'])} as __ltr_row"

    def one_row_per_document(self, row: str) -> str:
        fields = f"{row}.__ltr_row"
        document = f"coalesce({fields}.doc_id, cast({fields}.rank as varchar))"
        documents = f"count(distinct case when {fields}.subtopic is not null then {document} end)"
        message = (
            "'this measure needs one row for each document, and the input has one for each subtopic: group it first'"
        )
        return f"case when count({fields}.subtopic) = {documents} then true else error({message}) end"


def keys_check(names: str, keys: str) -> str:
    """The SQL that is true for a list of keys that are among the names of columns, and stops the query otherwise."""
    known = f"coalesce(list_has_all({names}, {keys}), false)"
    query = f"list_contains(list_transform({names}, lambda c: lower(c)), 'query_id')"
    right = f"{known} and {query} and not coalesce({wrong_keys(keys)}, true)"
    message = f"{string(KEYS_MESSAGE)} || coalesce(cast({keys} as varchar), 'NULL')"
    return f"case when {right} then true else error({message}) end"


def wrong_keys(keys: str) -> str:
    """The SQL that is true for a list of keys that cannot be keys of any relation."""
    lower = f"list_transform({keys}, lambda c: lower(c))"
    never = ", ".join(map(string, NO_KEYS))
    return (
        f"({keys} is null or len(list_filter({keys}, lambda c: c is null)) > 0 "
        f"or len(list_distinct({lower})) <> len({keys}) or list_has_any({lower}, [{never}]))"
    )


@dataclass(frozen=True)
class NamedColumns(Columns):
    """Columns of a query written out: `keys` as they are called, `kept` those that a relation hands on."""

    keys: tuple[str, ...]
    dialect: Dialect
    kept: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()

    def _list(self, row: str, names: Iterable[str]) -> str:
        return ", ".join(f"{row}.{name}" for name in names)

    # Inside a query, keys have names of their own: one may be called like a column of ours.
    @property
    def _systems(self) -> tuple[str, ...]:
        return tuple(f"__ltr_key_{number}" for number in range(1, len(self.keys) + 1))

    def _defined(self, row: str) -> list[str]:
        return [
            f"{row}.{self.dialect.identifier(k)} as {name}" for k, name in zip(self.keys, self._systems, strict=True)
        ]

    def _output(self, row: str) -> list[str]:
        return [
            f"{row}.{name} as {self.dialect.identifier(k)}" for k, name in zip(self.keys, self._systems, strict=True)
        ]

    def key_definition(self, row: str, *read: str) -> str:
        return ", ".join([*self._defined(row), f"{row}.query_id"])

    def key(self, row: str) -> str:
        return self._list(row, (*self._systems, "query_id"))

    def same_key(self, row: str, other: str) -> str:
        names = (*self._systems, "query_id")
        return " and ".join(f"{row}.{name} is not distinct from {other}.{name}" for name in names)

    def key_output(self, row: str) -> str:
        return ", ".join([*self._output(row), f"{row}.query_id"])

    def either_key(self, row: str, other: str) -> str:
        return ", ".join(f"coalesce({row}.{name}, {other}.{name}) as {name}" for name in (*self._systems, "query_id"))

    def either_system_output(self, row: str, other: str) -> str:
        names = zip(self._systems, map(self.dialect.identifier, self.keys), strict=True)
        return ", ".join(f"coalesce({row}.{name}, {other}.{name}) as {output}" for name, output in names)

    def same_system_as_either(self, row: str, one: str, other: str) -> str:
        return " and ".join(
            f"{row}.{name} is not distinct from coalesce({one}.{name}, {other}.{name})" for name in self._systems
        )

    def run_relation(self, relation: str) -> str:
        return relation

    def run_key_definition(self, row: str) -> str:
        return self.key_definition(row)

    def run_key(self, row: str) -> str:
        return self.key(row)

    def system(self, row: str) -> str:
        return self._list(row, self._systems)

    def same_system(self, row: str, other: str) -> str:
        return " and ".join(f"{row}.{name} is not distinct from {other}.{name}" for name in self._systems)

    def system_output(self, row: str) -> str:
        return ", ".join(self._output(row))

    def subtopic_definition(self, row: str) -> str:
        return ""

    def one_row_per_document(self, row: str) -> str:
        return ""

    def run_fields(self, row: str, has_rank: object, ties: object, with_score: bool) -> str:
        by_score = ["score", *self._read_by(ties, "row_order")]
        names = by_score if not has_rank else ["rank", "score"] if with_score else ["rank"]
        return ",\n".join(self._number(row, name) for name in names)

    def _number(self, row: str, name: str) -> str:
        return f"cast({row}.{name} as double) as {name}"

    def optional_fields(self, row: str, always: str, optional: Mapping[str, bool]) -> str:
        return ",\n".join(
            self._number(row, name) if there else f"cast(null as double) as {name}" for name, there in optional.items()
        )

    def scored_columns(self, row: str, ties: object) -> str:
        read = self._read_by(ties, "relevance", "row_order", "rank")
        names = dict.fromkeys(("score", "doc_id", *read, *self.kept))
        columns = [
            f"{row}.{name}" if name in _IDS else self._number(row, name) for name in names if name not in self.lacking
        ]
        columns += [f"cast(null as double) as {name}" for name in self.lacking]
        return ",\n".join([self.key_definition(row), *columns])

    @staticmethod
    def _read_by(ties: object, *names: str) -> list[str]:
        """Of some columns, those that a tie rule reads."""
        reads = {"worst": "relevance", "best": "relevance", "row_order": "row_order", "rank": "rank"}
        return [name for name in names if reads.get(str(ties)) == name]

    def row(self, row: str) -> str:
        return row

    def ranked_columns(self, row: str) -> str:
        names = dict.fromkeys(("rank", "relevance", *self.kept))
        return f"{self.key_definition(row)}, {self._list(row, names)}"

    def kept_columns(self, row: str, *made: str) -> str:
        return ", ".join([*self._output(row), self._list(row, ("query_id", *self.kept))])

    def judgment_definition(self, row: str) -> str:
        return self.judgment(row)

    def judgment(self, row: str) -> str:
        return self._list(row, [name for name in _IDS if name != "subtopic" or name in self.kept])

    def judgment_columns(self, row: str) -> str:
        return self._list(row, ("relevance", *self.kept))

    def keys_check(self, row: str) -> str:
        return ""
