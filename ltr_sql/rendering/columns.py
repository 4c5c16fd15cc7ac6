"""The SQL of the columns of the caller's relations: known by name in a query, or chosen by the call of a macro.

The templates in `sql/` call the methods of `Columns`. `NamedColumns` writes the names of the grouping columns, and says
what each method is for. `CallTimeColumns` packs query_id and the grouping columns of a call into one struct. Each
module holds the methods for one kind of relation. `row` is the alias of the relation that a fragment reads.

- A definition is used in the first select over the caller's relation. It reads the caller's columns.
- A reference is used in every later select. It reads the columns of a definition.
- An output is used in the last select. It turns a reference into the caller's columns.

The system of a row is its grouping columns, without the query_id.

The segments of judgments are their grouping columns. All judgments of a query name equal segments.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from ltr_sql.rendering.dialects import DUCKDB, Dialect, string

_RENAME_HINT = "; rename the column that holds it, or select it under that name)"
_SUBTOPIC_HINT = ", which measures of diversity such as alpha_nDCG read, and xinfAP as the stratum"
# The columns of the caller, as text.
CALLERS = "list_aggregate(list_filter((*), lambda c: not starts_with(c, '__ltr_')), 'string_agg', ', ')"
_FIELD_TYPES = {"query_id": "varchar", "doc_id": "varchar", "subtopic": "varchar"}


def columns_where(condition: str, required: str, otherwise: tuple[str, str] | None = None) -> str:
    """Return the columns `c` that satisfy a condition. The call fails if columns are missing.

    - `required`: SQL of a list of names that must exist.
    - `otherwise`: SQL of a list of invalid names, and of the message if there are any.
    """
    # If columns are missing, select a column whose name is the error message: DuckDB quotes it in its own error.
    # error() cannot be called here, because the names of columns are evaluated when the query is bound.
    missing = f"list_filter({required}, lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))"
    message = f"list_aggregate({missing}, 'string_agg', ', ')"
    if "'subtopic'" in required:
        # Measures with and without subtopics may be computed together, so say which of them need the column.
        message += f" || case when list_contains({missing}, 'subtopic') then {string(_SUBTOPIC_HINT)} else '' end"
    message += f" || ' (the input has ' || {CALLERS}"
    message += f" || {string(_RENAME_HINT)}"
    errors = [(missing, message)] if otherwise is None else [(missing, message), otherwise]
    cases = " ".join(f"when len({names}) > 0 then [{text}]" for names, text in errors)
    return f"columns(case {cases} else list_filter((*), lambda c: {condition}) end)"


def typed_struct(names: Sequence[str]) -> str:
    """Return a struct of columns: ids as text, others as doubles. Those that the relation lacks are NULL.

    The relation must have one of the columns, because a struct cannot be empty.
    """
    wanted = ", ".join(f"'{name}'" for name in names)
    types = ", ".join(f"{name} {_FIELD_TYPES.get(name, 'double')}" for name in names)
    # The cast by name makes missing columns NULL.
    return f"cast(struct_pack(*columns(lambda c: lower(c) in ({wanted}))) as struct({types}))"


def names_present(names: Sequence[str], always: str) -> str:
    """Return the list of the columns that the relation has. `always` names one that every relation has."""
    wanted = ", ".join(f"'{name}'" for name in dict.fromkeys((always, *names)))
    fields = f"struct_pack(*columns(lambda c: lower(c) in ({wanted})))"
    return f"list_transform(struct_keys({fields}), lambda c: lower(c))"


def optional_column(name: str) -> str:
    """Return a column of a relation with an empty column __ltr_none, or NULL if the relation lacks it."""
    return f"coalesce(*columns(lambda c: lower(c) in ({string(name)}, '__ltr_none')))"


# Columns of a ranking, which cannot be grouping columns.
RESERVED_COLUMNS = ("query_id", "doc_id", "rank", "relevance", "score")
KEYS_MESSAGE = (
    "keys must be columns of the input, in a list such as ['system'], each named once, and not "
    f"{', '.join(RESERVED_COLUMNS)}; got keys "
)
_COLLATION_MESSAGE = (
    "ids are compared by a collation, which may treat different ids as equal: reset default_collation, or select the "
    'columns with collate "C"'
)
_BYTES_MESSAGE = "ids are bytes (BLOB): select them as text, as in decode(doc_id) as doc_id"
# A letter, a letter with an accent, and the same letter in another Unicode form.
_COMPARED = ("'a'", "chr(233)", "'e' || chr(769)")


def keys_check(names: str, query_id: str, keys: str) -> str:
    """Return SQL that raises an error for invalid keys, and for ids with a collation, else returns true.

    `names` and `keys` are the SQL of lists: the names of the columns, and the keys of the call.
    """
    are_columns = f"coalesce(list_has_all({names}, {keys}), false)"
    has_query_id = f"list_contains(list_transform({names}, lambda c: lower(c)), 'query_id')"
    valid = f"{are_columns} and {has_query_id} and not coalesce({invalid_keys(keys)}, true)"
    message = f"{string(KEYS_MESSAGE)} || coalesce(cast({keys} as varchar), 'NULL')"
    return f"case when {valid} then {compared_bytewise(query_id)} else error({message}) end"


def invalid_keys(keys: str) -> str:
    """Return SQL that is true if keys are invalid for every relation: NULL, repeated, reserved, or no list."""
    # A text instead of a list becomes NULL here. The engine would give an error about lambda functions.
    keys = f"try_cast({keys} as varchar[])"
    lower = f"list_transform({keys}, lambda c: lower(c))"
    reserved = ", ".join(map(string, RESERVED_COLUMNS))
    return (
        # list_distinct leaves NULL out.
        f"({keys} is null or len(list_distinct({lower})) <> len({keys}) or list_has_any({lower}, [{reserved}]))"
    )


def compared_bytewise(value: str) -> str:
    """Return SQL that raises an error if ids are bytes, or text compared by a collation, else returns true.

    Collations of languages and `nocase` sort `a` before `B`, which bytes do not. `noaccent` and `nfc` compare the two
    Unicode forms of a letter as equal. As text, bytes beyond ASCII become escapes, which break ties in another order
    than the bytes. The engine evaluates the conditions once, because they read no rows.
    """
    text, composed, apart = (f"case when true then {c} else cast({value} as varchar) end" for c in _COMPARED)
    collated = f"{text} < 'B' or {composed} = 'e' or {composed} = {apart}"
    bytes_ = f"typeof({value}) = 'BLOB'"
    messages = {bytes_: _BYTES_MESSAGE, collated: _COLLATION_MESSAGE}
    cases = " ".join(f"when {found} then error({string(message)})" for found, message in messages.items())
    return f"case {cases} else true end"


class AnyColumns:
    """What columns do alike, whether they are known by name or chosen by the call."""

    def helpers(self, file: str, macros: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the macros of one of the `HELPER_FILES` as templates call them. By default they are inlined."""
        return macros

    def if_grouped(self, text: str) -> str:
        """Return `text`, which may read the system. A macro comments it out if its call has no keys."""
        return text

    def exact_check(self, score: str) -> str:
        """Raise an error for a score of type text that a double rounds, else return true."""
        return "true"


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


# Columns that define the order of rows.
EXACT = ("score", "row_order")


@dataclass(frozen=True)
class NamedRuns(NamedKeys):
    """Runs whose columns are known.

    - `exact`: columns that define the order of rows and may have more digits than a double. `exact_from` is the prefix
      of the columns with these digits.
    """

    exact: tuple[str, ...] = EXACT
    exact_from: str = ""

    def run_relation(self, relation: str, *numbers: str, judgments: str = "") -> str:
        """Return a `checked_relation` with the columns that `run_key_definition` reads.

        A grouping column that the `judgments` have, too, names segments of queries, not systems.
        """
        return relation

    def run_keys_check(self, row: str, judgments: str) -> str:
        """Raise an error if a key is a column neither of the run nor of its judgments, else return true."""
        return ""

    def run_key_definition(self, row: str, *read: str) -> str:
        """Define the key and the system of a run. `read` names other columns that it must have, by default doc_id."""
        return self.key_definition(row)

    def run_key(self, row: str) -> str:
        """Reference the key and the system of a run."""
        return self.key(row)

    def system(self, row: str) -> str:
        """Reference the system. Empty without grouping columns."""
        return listed(row, self._key_names)

    def same_system(self, row: str, other: str) -> str:
        """Compare the systems of two rows."""
        return same(row, other, self._key_names, self.dialect)

    def system_output(self, row: str) -> str:
        """Output the system."""
        return ", ".join(self._output(row))

    def either_system_output(self, row: str, other: str) -> str:
        """Output the system of a full join, from the row that is not missing."""
        names = zip(self._key_names, map(self.dialect.identifier, self.keys), strict=True)
        return ", ".join(f"coalesce({row}.{name}, {other}.{name}) as {output}" for name, output in names)

    def same_system_as_either(self, row: str, one: str, other: str) -> str:
        """Compare the system of a row with the system of a full join of `one` and `other`."""
        return " and ".join(
            self.dialect.same.format(f"{row}.{name}", f"coalesce({one}.{name}, {other}.{name})")
            for name in self._key_names
        )

    def run_fields(self, row: str, has_rank: object, ties: object, with_score: bool) -> str:
        """Define the columns of a run that ranks are made from.

        - `has_rank`: whether the run has ranks; a `CallTime` if this is known only when the macro is called.
        - `ties`: the tie-breaking rule, which may read row_order.
        - `with_score`: true to keep the scores of a run that has ranks.
        """
        by_score = ["score", *self._read_by(ties, "row_order")]
        names = by_score if not has_rank else ["rank", "score"] if with_score else ["rank"]
        return ",\n".join(
            [*(self._number(row, name) for name in names), *([] if has_rank else self._exact_fields(row, ties))]
        )

    def _number(self, row: str, name: str) -> str:
        number = f"cast({row}.{name} as double)"
        # An invalid rank for a rank that is NULL or below 1, so that the check of the ranks raises the error.
        return f"{f'case when {number} >= 1 then {number} else 0.5e0 end' if name == 'rank' else number} as {name}"

    @staticmethod
    def _read_by(ties: object, *names: str) -> list[str]:
        """Return the named columns that a tie-breaking rule reads."""
        reads = {"worst": "relevance", "best": "relevance", "row_order": "row_order", "rank": "rank"}
        return [name for name in names if reads.get(str(ties)) == name]

    def _exact_fields(self, row: str, ties: object) -> list[str]:
        return [f"{row}.{self.exact_from}{name} as __ltr_exact_{name}" for name in self._exact_names(ties)]

    def _exact_names(self, ties: object) -> list[str]:
        return [name for name in ("score", *self._read_by(ties, "row_order")) if name in self.exact]

    def exact_columns(self, ties: object) -> list[str]:
        """Return the columns of `run_fields` and `scored_columns` that keep the caller's types."""
        return [f"__ltr_exact_{name}" for name in self._exact_names(ties)]

    def asked_rows(self, queries: str, run: str, judgments: str) -> str:
        """Return the queries that were asked, for each combination of the keys that only the run has.

        `run_key_definition` reads the rows.
        """
        asked = [f"a.{self.dialect.identifier(name)}" for name in self.asked]
        others = [self.dialect.identifier(key) for key in self.keys if key not in self.asked]
        rows = f"select distinct {', '.join([*asked, 'a.query_id'])} from {queries} as a"
        if not others:
            return f"({rows})"
        systems = f"select distinct {', '.join(f't.{name}' for name in others)} from {run} as t"
        listed = ", ".join([*(f"s.{name}" for name in others), *asked, "a.query_id"])
        return f"(select {listed} from ({rows}) as a cross join ({systems}) as s)"

    def row(self, row: str) -> str:
        """Return the alias or struct through which the columns of `run_fields` and `scored_columns` are referenced."""
        return row


NO_KEYS = (
    "the run has no rows that say its keys: add the columns of the keys to the table of the queries that were asked"
)
# SQL of the condition that the column `c` is also a column of the other relation of `with_names_of`.
SHARED = "list_contains((*), '__ltr_also_' || c)"


@dataclass(frozen=True)
class CallTimeRuns(CallTimeKeys):
    """Runs of a DuckDB macro. One struct holds the key, one the system, and one the numbers."""

    # Add the column __ltr_one to the struct of the system: without keys it would be empty, which DuckDB rejects.
    # Columns that the caller's table lacks are replaced by __ltr_none.
    def run_relation(self, relation: str, *numbers: str, judgments: str = "") -> str:
        if not judgments:
            return f"(select 0 as __ltr_one, * from {self.checked_relation(relation, *numbers)})"
        return self.with_names_of(relation, judgments, *numbers)

    def with_names_of(self, relation: str, other: str, *numbers: str) -> str:
        """Return `relation` with an empty column __ltr_also_NAME for each grouping column NAME of the relation `other`.

        The rows of `other` are not read.
        """
        also = f"columns(lambda c: c = '__ltr_none' or list_contains({self.keys}, c)) as '__ltr_also_\\0'"
        names = f"select {also} from (select null as __ltr_none, * from {other}) limit 0"
        joined = f"{self.checked_relation(relation, *numbers)} as t left join ({names}) as n on false"
        return f"(select 0 as __ltr_one, t.*, n.* from {joined})"

    # Pack the grouping columns that also satisfy the conditions into a struct.
    def _keys(self, *conditions: str) -> str:
        key = " and ".join([f"list_contains({self.keys}, c)", *conditions])
        return f"struct_pack(*columns(lambda c: c = '__ltr_one' or {key}))"

    def run_keys_check(self, row: str, judgments: str) -> str:
        one_row = f"(select 0 as __ltr_one) as o left join (from {judgments} limit 0) as q on false"
        judged = f"(select struct_keys({self._keys()}) from {one_row})"
        return self._keys_check(f"list_concat(['query_id'], struct_keys({row}.__ltr_system), {judged})", "''")

    def run_key_definition(self, row: str, *read: str) -> str:
        return (
            f"{self._some_keys(*(read or ('doc_id',)))},\n"
            f"{self._keys(f'not {SHARED}')} as __ltr_system,\n"
            f"{self._keys(SHARED)} as __ltr_shared,\n"
            f"{row}.query_id"
        )

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

    def run_fields(self, row: str, has_rank: object, ties: object, with_score: bool) -> str:
        names = ["rank", "score", "row_order"]
        # Add __ltr_one, because a struct cannot be empty. A run without rank and score is rejected later.
        fields = typed_struct([*names, "__ltr_one"])
        return f"{fields} as __ltr_row,\n{names_present(names, '__ltr_one')} as __ltr_present,\n{self._exact_fields()}"

    # Select the columns with their own types.
    def _exact_fields(self) -> str:
        return ",\n".join(f"{optional_column(name)} as __ltr_exact_{name}" for name in EXACT)

    def exact_columns(self, ties: object) -> list[str]:
        return [f"__ltr_exact_{name}" for name in EXACT]

    # Take the order of the columns from the run, because structs are compared by position.
    def asked_rows(self, queries: str, run: str, judgments: str) -> str:
        key = f"list_contains({self.keys}, c)"
        named = f"lower(c) = 'query_id' or {key}"
        rows = f"(select distinct columns(lambda c: {named}) from {self.checked_relation(queries)})"
        only_of_run = f"c = '__ltr_one' or ({key} and not {SHARED})"
        of_run = self.with_names_of(run, queries)
        # A run without rows has one row, so that it owes what was asked, unless the keys of its rows are needed.
        rows_of_run = f"(select * exclude (__ltr_one), true as __ltr_found from {of_run})"
        one = f"(select 0 as __ltr_one) as o left join {rows_of_run} as t on true"
        columns = f"columns(lambda c: {only_of_run})"
        known = f"case when t.__ltr_found is null and {columns} is null then error({string(NO_KEYS)}) else true end"
        systems = f"(select distinct {columns} from {one} where {known})"
        types = f"(select columns(lambda c: {named}) from {run} limit 0)"
        asked = f"(select * exclude (__ltr_one) from {rows} as a cross join {systems} as s)"
        return self.run_relation(f"({types} union all by name {asked})", judgments=judgments)

    def row(self, row: str) -> str:
        return f"{row}.__ltr_row"


@dataclass(frozen=True)
class NamedRankings(NamedRuns):
    """Rankings and other tables whose columns are known.

    - `kept`: other columns of the caller that a relation outputs.
    - `missing`: columns that the caller's table lacks; they are NULL.
    """

    kept: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def scored_columns(self, row: str, ties: object) -> str:
        """Define the key, the columns that ranks are made from, and the columns to keep of a scored table."""
        read = self._read_by(ties, "relevance", "row_order", "rank")
        names = dict.fromkeys(("score", "doc_id", *read, *self.kept))
        columns = [
            f"{row}.{name}" if name in _IDS else self._number(row, name) for name in names if name not in self.missing
        ]
        columns += [f"cast(null as double) as {name}" for name in self.missing]
        return ",\n".join([self.key_definition(row), *columns, *self._exact_fields(row, ties)])

    def ranked_columns(self, row: str) -> str:
        """Define the key, rank, relevance, and the columns to keep of rankings."""
        names = dict.fromkeys(("rank", "relevance", *self.kept))
        return f"{self.key_definition(row)}, {listed(row, names)}"

    def kept_columns(self, row: str, *made: str) -> str:
        """Output the caller's columns, except those that the query has `made`."""
        return ", ".join([*self._output(row), listed(row, ("query_id", *self.kept))])

    def optional_fields(self, row: str, always: str, optional: Mapping[str, bool]) -> str:
        """Define numeric columns. Those that the relation lacks are NULL.

        - `always`: a column that the relation always has.
        - `optional`: true for each column that the relation has. It is ignored if the columns are known only
          when the macro is called.
        """
        return ",\n".join(
            self._number(row, name) if exists else f"cast(null as double) as {name}"
            for name, exists in optional.items()
        )

    def document_definition(self, row: str) -> str:
        """Define the columns that `one_row_per_document` reads, and num_ret. Those that the relation lacks are NULL."""
        return ""

    def one_row_per_document(self, row: str, read: str, duplicate: str) -> str:
        """Raise an error if a document of a query has several rows, else return true. Empty if this is already checked.

        - `read`: SQL of a condition on the grade of the documents that the measures read, such as '> 0'.
        - `duplicate`: SQL that raises the error, unless there is one row per subtopic.
        """
        return ""

    def table_fields(self, row: str, ids: Sequence[str], types: Mapping[str, str], has: Container[str]) -> str:
        """Define the columns of a table that measures beyond accuracy read. Those that the table lacks are NULL.

        - `ids`: columns that the table must have; `types`: other columns, with their types.
        - `has`: names of the columns of the table. In a macro, whose table is known only at the call: SQL of a list of
          the required columns.
        """
        quoted = {name: self.dialect.identifier(name) for name in types}
        return ",\n".join(
            f"cast({f'{row}.{quoted[name]}' if name in has else 'null'} as {kind}) as {quoted[name]}"
            for name, kind in types.items()
        )

    def typed_fields(self, row: str, table: str, ids: Sequence[str], types: Mapping[str, str]) -> str:
        """Cast the columns of `table_fields`, or raise an error that names `table`. Empty if they have their types."""
        return ""


_IDS = ("query_id", "doc_id", "subtopic")


@dataclass(frozen=True)
class CallTimeRankings(CallTimeRuns):
    """Rankings and other tables of a DuckDB macro. One struct holds the columns that are read."""

    optional_column = staticmethod(optional_column)

    def scored_columns(self, row: str, ties: object) -> str:
        names = ["score", "doc_id", "relevance", "row_order", "rank"]
        fields = f"{typed_struct(names)} as __ltr_row,\n{names_present(names, 'score')} as __ltr_present"
        return f"{self.key_definition(row, 'score')},\n{fields},\n{self._exact_fields()},\n{row}.*"

    def ranked_columns(self, row: str) -> str:
        return f"{self.key_definition(row, 'rank', 'relevance')},\n{row}.*"

    def kept_columns(self, row: str, *made: str) -> str:
        return f"columns(lambda c: lower(c) not in ({', '.join(map(string, made))}) and not starts_with(c, '__ltr_'))"

    def optional_fields(self, row: str, always: str, optional: Mapping[str, bool]) -> str:
        # Add a column that always exists, because a struct cannot be empty.
        return f"{typed_struct([always, *optional])} as __ltr_row"

    def document_definition(self, row: str) -> str:
        return ",\n".join(
            f"{optional_column(name)} as __ltr_{name}"
            for name in ("rank", "relevance", "doc_id", "subtopic", "num_ret")
        )

    def explained_fields(self, row: str) -> str:
        """Define the columns that `ltr.explain` and `one_row_per_document` read."""
        fields = typed_struct(["rank", "relevance", "doc_id", "subtopic", "num_ret"])
        return f"{fields} as __ltr_row,\n{self.document_definition(row)}"

    def one_row_per_document(self, row: str, read: str, duplicate: str) -> str:
        doc_id = f'cast({row}.__ltr_doc_id as varchar) collate "C"'
        document = (
            f"case when {row}.__ltr_subtopic is not null then coalesce({doc_id}, cast({row}.__ltr_rank as varchar)) "
            f"when try_cast({row}.__ltr_relevance as double) {read} then {doc_id} end"
        )
        by_subtopic = (
            "'this measure needs one row per document, and the input has one per subtopic: group it by doc_id first'"
        )
        return (
            f"case when count({document}) = count(distinct {document}) then true "
            f"when count({row}.__ltr_subtopic) > 0 then error({by_subtopic}) else {duplicate} end"
        )

    def table_fields(self, row: str, ids: Sequence[str], types: Mapping[str, str], has: Container[str]) -> str:
        wanted = f"list_contains({DUCKDB.text_list([*ids, *types])}, lower(c))"
        fields = columns_where(wanted, f"list_concat({DUCKDB.text_list(ids)}, {has})")
        return f"struct_pack(*{fields}) as __ltr_row"

    def typed_fields(self, row: str, table: str, ids: Sequence[str], types: Mapping[str, str]) -> str:
        typed = [*((name, "varchar") for name in ids), *types.items()]
        columns = ", ".join(f"{DUCKDB.identifier(name)} {kind}" for name, kind in typed)
        message = f"the table {table} has text where a number must be, in the row"
        failed = DUCKDB.error_of(message, f"{row}.__ltr_row")
        return f"coalesce(try(cast({row}.__ltr_row as struct({columns}))), {failed}) as __ltr_row"


@dataclass(frozen=True)
class NamedJudgments(NamedKeys):
    """Judgments whose columns are known.

    - `kept`: columns of the caller that a relation outputs, besides those that each judgment has.
    - `judged`: segments.
    """

    kept: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()

    def judgments_relation(self, relation: str, run: str) -> str:
        """Return judgments with the columns that `segments` reads."""
        return relation

    @property
    def _segment_names(self) -> list[str]:
        return [f"__ltr_segment_{number}" for number in range(1, len(self.judged) + 1)]

    def segments(self, row: str) -> str:
        """Reference the segments of judgments: their grouping columns. Empty if they have none."""
        return listed(row, map(self.dialect.identifier, self.judged))

    def segments_definition(self, row: str) -> str:
        """Define the segments of a query from its judgments, which all name equal segments."""
        segments = zip(self._segment_names, map(self.dialect.identifier, self.judged), strict=True)
        return ", ".join(f"min({row}.{column}) as {name}" for name, column in segments)

    def segments_of_query(self, row: str) -> str:
        """Reference the columns of `segments_definition`."""
        return listed(row, self._segment_names)

    def no_segments(self) -> str:
        """Define the columns of `segments_definition` as NULL."""
        return ", ".join(f"null as {name}" for name in self._segment_names)

    def any_segments(self, row: str) -> str:
        """Define the columns of `segments_definition` from rows that share them."""
        return ", ".join(f"min({row}.{name}) as {name}" for name in self._segment_names)

    def has_segments(self, struct: str) -> str:
        """True if a struct of segments has fields. The engine knows this when it plans the query."""
        return ""

    def judgment_definition(self, row: str) -> str:
        """Define the columns that identify a judgment: query_id, doc_id and, if the judgments have it, subtopic."""
        return self.judgment(row)

    def judgment(self, row: str) -> str:
        """Reference the columns that identify a judgment."""
        return listed(row, ["query_id", "doc_id", *(["subtopic"] if "subtopic" in self.kept else [])])

    def judgment_columns(self, row: str, other: str | None = None) -> str:
        """Output relevance and the other columns of judgments, except those that come from the run.

        Segments that `row` lacks are those of the row `other`.
        """
        columns = [f"{row}.relevance", *(f"{row}.{self.dialect.identifier(name)}" for name in self.kept)]
        for name, segment in zip(self._segment_names, map(self.dialect.identifier, self.judged), strict=True):
            value = f"coalesce({row}.{segment}, {other}.{name})" if other else f"{row}.{segment}"
            columns.append(f"{value} as {segment}")
        return ", ".join(columns)

    def _asked_segments(self) -> dict[str, str]:
        """Return the segments that the queries that were asked name, and their names inside a query."""
        named = zip(self.judged, self._segment_names, strict=True)
        return {segment: name for segment, name in named if segment in self.asked}

    def asked_segments(self, row: str) -> str:
        """Define the segments of a query that was asked, after its `run_key_definition`."""
        segments = self._asked_segments().items()
        return "".join(f",\n{row}.{self.dialect.identifier(segment)} as {name}" for segment, name in segments)

    def owed_segments(self, row: str) -> str:
        """Define the columns of `asked_segments` from rows of one query, before other columns."""
        return "".join(f"min({row}.{name}) as {name},\n" for name in self._asked_segments().values())

    def no_judgment_columns(self, row: str) -> str:
        """Output the columns of `judgment_columns` for a query without judgments, with its `owed_segments`."""
        columns = ["null as relevance", *(f"null as {self.dialect.identifier(name)}" for name in self.kept)]
        asked = self._asked_segments()
        for segment in self.judged:
            value = f"{row}.{asked[segment]}" if segment in asked else "null"
            columns.append(f"{value} as {self.dialect.identifier(segment)}")
        return ", ".join(columns)


@dataclass(frozen=True)
class CallTimeJudgments(CallTimeRuns):
    """Judgments of a DuckDB macro. One struct holds the segments."""

    def judgments_relation(self, relation: str, run: str) -> str:
        named = self.with_names_of(relation, run, "relevance")
        return f"(select {self._keys()} as __ltr_segments, {self._keys(SHARED)} as __ltr_shared, * from {named})"

    def segments(self, row: str) -> str:
        return f"{row}.__ltr_segments"

    def segments_definition(self, row: str) -> str:
        return (
            f"min({row}.__ltr_segments) as __ltr_segments,\nmin({row}.__ltr_shared) as __ltr_shared,\n"
            f"count(distinct {row}.__ltr_segments) as num_segments"
        )

    def segments_of_query(self, row: str) -> str:
        return f"{row}.__ltr_segments"

    def no_segments(self) -> str:
        return "null as __ltr_segments"

    def any_segments(self, row: str) -> str:
        return f"min({row}.__ltr_segments) as __ltr_segments"

    def has_segments(self, struct: str) -> str:
        return f"typeof({struct}) <> typeof(struct_pack(__ltr_one := 0))"

    def judgment_definition(self, row: str) -> str:
        key = self._some_keys("doc_id", "relevance")
        return f"{key},\n{row}.query_id,\n{row}.doc_id,\n{typed_struct(['doc_id', 'subtopic'])} as __ltr_row"

    def judgment(self, row: str) -> str:
        return f"{row}.query_id, {row}.doc_id, {row}.__ltr_row.subtopic"

    def judgment_columns(self, row: str, other: str | None = None) -> str:
        given = "lower(c) in ('query_id', 'doc_id', 'rank', 'num_ret') or starts_with(c, '__ltr_')"
        if not other:
            return f"columns(lambda c: not ({given}))"
        others = f"columns(lambda c: not ({given} or coalesce(list_contains({self.keys}, c), false)))"
        return f"{others},\nunnest(coalesce({row}.__ltr_segments, {other}.__ltr_segments))"

    def asked_segments(self, row: str) -> str:
        return ""

    def owed_segments(self, row: str) -> str:
        return f"min({row}.__ltr_shared) as __ltr_shared,\n"

    def no_judgment_columns(self, row: str) -> str:
        return f"null as relevance,\nunnest({row}.__ltr_shared)"


@dataclass(frozen=True)
class NamedColumns(NamedJudgments, NamedRankings):
    """Grouping columns by name."""


@dataclass(frozen=True)
class CallTimeColumns(CallTimeJudgments, CallTimeRankings):
    """Grouping columns of a DuckDB macro. `keys` is the SQL of the list of names that the call passes."""


Columns = NamedColumns | CallTimeColumns
