"""The SQL of grouping columns: by name in a query, or chosen by the call of a macro.

The templates in `sql/` call the methods of `Columns`. `NamedColumns` writes the names of the grouping columns.
`CallTimeColumns` packs query_id and the grouping columns of a call into one struct.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

from ltr_sql.rendering.dialects import DUCKDB, Dialect, string


class Columns(Protocol):
    """SQL fragments for grouping columns. `row` is the alias of the relation that a fragment reads.

    - The key of a row is its query_id and its grouping columns: one ranking has one key.
    - The system of a row is its grouping columns alone.
    - A definition is used in the first select over the caller's relation. It reads the caller's columns.
    - A reference is used in every later select. It reads the columns of a definition.
    - An output is used in the last select. It turns a reference into the caller's columns.
    """

    def key_definition(self, row: str, *read: str) -> str:
        """Define the key. `read` names other columns that the relation must have."""

    def checked_key_definition(self, row: str) -> str:
        """Define the key of a relation whose columns the `key_definition` of its queries checks."""

    def key(self, row: str) -> str:
        """Reference the key."""

    def same_key(self, row: str, other: str) -> str:
        """Compare the keys of two rows. NULL equals NULL."""

    def key_output(self, row: str) -> str:
        """Output the key."""

    def either_key(self, row: str, other: str) -> str:
        """Define the key of a full join, from the row that is not missing."""

    def optional_fields(self, row: str, always: str, optional: Mapping[str, bool]) -> str:
        """Define numeric columns. Those that the relation lacks are NULL.

        - `always`: a column that the relation always has.
        - `optional`: true for each column that the relation has. It is ignored if the columns are known only
          when the macro is called.
        """

    @property
    def ungrouped(self) -> "Columns":
        """A copy without grouping columns."""

    def table_fields(self, row: str, ids: Sequence[str], types: Mapping[str, str], has: object) -> str:
        """Define the columns of a table that measures beyond accuracy read. Those that the table lacks are NULL.

        - `ids`: columns that the table must have; `types`: other columns, with their types.
        - `has`: names of the columns of the table. In a macro, whose table is known only at the call: SQL of a list of
          the required columns.
        """

    def typed_fields(self, row: str, table: str, ids: Sequence[str], types: Mapping[str, str]) -> str:
        """Cast the columns of `table_fields`, or raise an error that names `table`. Empty if they have their types."""

    def keys_check(self, row: str) -> str:
        """Raise an error if a key is not a column, else return true. Empty if the keys are already checked."""

    def bytewise_check(self, *values: str) -> str:
        """Raise an error if a column is bytes or has a collation, else return true. Empty if already checked."""

    def checked_relation(self, relation: str, *numbers: str) -> str:
        """Return a relation that rejects a key with a collation, and text in `numbers` that is no number.

        If the columns are known only at the call, it also has the empty column __ltr_none, and may lack the `numbers`.
        """

    def helpers(self, file: str, macros: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the macros of one of the `HELPER_FILES` as templates call them. By default they are inlined."""
        return macros

    def subtopic_definition(self, row: str) -> str:
        """Define the columns that `one_row_per_document` reads."""

    def one_row_per_document(self, row: str) -> str:
        """Raise an error if a query has one row per subtopic, else return true. Empty if this is already checked."""

    def run_relation(self, relation: str, *numbers: str, judgments: str = "") -> str:
        """Return a `checked_relation` with the columns that `run_key_definition` reads.

        A grouping column that the `judgments` have, too, names segments of queries, not systems.
        """

    def judgments_relation(self, relation: str, run: str) -> str:
        """Return judgments with the columns that `segments` reads."""

    def segments(self, row: str) -> str:
        """Reference the segments of judgments: their grouping columns. Empty if they have none."""

    def segments_definition(self, row: str) -> str:
        """Define the segments of a query from its judgments, which all name equal segments."""

    def segments_of_query(self, row: str) -> str:
        """Reference the columns of `segments_definition`."""

    def no_segments(self) -> str:
        """Define the columns of `segments_definition` as NULL."""

    def any_segments(self, row: str) -> str:
        """Define the columns of `segments_definition` from rows that share them."""

    def has_segments(self, struct: str) -> str:
        """True if a struct of segments has fields. The engine knows this when it plans the query."""

    def run_keys_check(self, row: str, judgments: str) -> str:
        """Raise an error if a key is a column neither of the run nor of its judgments, else return true."""

    def run_key_definition(self, row: str, *read: str) -> str:
        """Define the key and the system of a run. `read` names other columns that it must have, by default doc_id."""

    def run_key(self, row: str) -> str:
        """Reference the key and the system of a run."""

    def system(self, row: str) -> str:
        """Reference the system. Empty without grouping columns."""

    def same_system(self, row: str, other: str) -> str:
        """Compare the systems of two rows."""

    def if_grouped(self, text: str) -> str:
        """Return `text`, which may read the system. A macro comments it out if its call has no keys."""
        return text

    def system_output(self, row: str) -> str:
        """Output the system."""

    def either_system_output(self, row: str, other: str) -> str:
        """Output the system of a full join, from the row that is not missing."""

    def same_system_as_either(self, row: str, one: str, other: str) -> str:
        """Compare the system of a row with the system of a full join of `one` and `other`."""

    def run_fields(self, row: str, has_rank: object, ties: object, with_score: bool) -> str:
        """Define the columns of a run that ranks are made from.

        - `has_rank`: whether the run has ranks; a `Symbol` if this is known only when the macro is called.
        - `ties`: the tie-breaking rule, which may read row_order.
        - `with_score`: true to keep the scores of a run that has ranks.
        """

    def scored_columns(self, row: str, ties: object) -> str:
        """Define the key, the columns that ranks are made from, and the columns to keep of a scored table."""

    def ranked_columns(self, row: str) -> str:
        """Define the key, rank, relevance, and the columns to keep of rankings."""

    def exact_columns(self, ties: object) -> list[str]:
        """Return the columns of `run_fields` and `scored_columns` that keep the caller's types."""

    def row(self, row: str) -> str:
        """Return the alias or struct through which the columns of `run_fields` and `scored_columns` are referenced."""

    def kept_columns(self, row: str, *made: str) -> str:
        """Output the caller's columns, except those that the query has `made`."""

    def judgment_definition(self, row: str) -> str:
        """Define the columns that identify a judgment: query_id, doc_id and, if the judgments have it, subtopic."""

    def judgment(self, row: str) -> str:
        """Reference the columns that identify a judgment."""

    def judgment_columns(self, row: str, other: str | None = None) -> str:
        """Output relevance and the other columns of judgments, except those that come from the run.

        Segments that `row` lacks are those of the row `other`.
        """


# Columns of a ranking, which cannot be grouping columns.
RESERVED_COLUMNS = ("query_id", "doc_id", "rank", "relevance", "score")
# Columns that define the order of rows.
EXACT = ("score", "row_order")
_COLLATION_MESSAGE = (
    "ids are compared by a collation, which may treat different ids as equal: reset default_collation, or select the "
    'columns with collate "C"'
)
_BYTES_MESSAGE = "ids are bytes (BLOB): select them as text, as in decode(doc_id) as doc_id"
# A letter, a letter with an accent, and the same letter in another Unicode form.
_COMPARED = ("'a'", "chr(233)", "'e' || chr(769)")
_RENAME_HINT = "; rename the column that holds it, or select it under that name)"
KEYS_MESSAGE = f"keys must be columns of the input, each named once, and not {', '.join(RESERVED_COLUMNS)}; got keys "

# The columns of the caller, as text.
_CALLERS = "list_aggregate(list_filter((*), lambda c: not starts_with(c, '__ltr_')), 'string_agg', ', ')"
_FIELD_TYPES = {"query_id": "varchar", "doc_id": "varchar", "subtopic": "varchar"}
_IDS = ("query_id", "doc_id", "subtopic")


@dataclass(frozen=True)
class CallTimeColumns(Columns):
    """Grouping columns of a DuckDB macro. `keys` is the SQL of the list of names that the call passes."""

    keys: str = "keys"

    def key_definition(self, row: str, *read: str) -> str:
        absent = f"list_filter(coalesce({self.keys}, []), lambda k: k is not null and not list_contains((*), k))"
        message = (
            f"list_aggregate({absent}, 'string_agg', ', ') || ' (of the keys; the input has ' || {_CALLERS} || ')'"
        )
        required = DUCKDB.text_list(["query_id", *read])
        return f"struct_pack(*{self._columns(self._key, required, (absent, message))}) as __ltr_key"

    def checked_key_definition(self, row: str) -> str:
        return f"struct_pack(*columns(lambda c: {self._key})) as __ltr_key"

    @property
    def _key(self) -> str:
        """SQL of the condition that the column `c` is part of the key."""
        return f"lower(c) = 'query_id' or list_contains({self.keys}, c)"

    def _some_keys(self, *read: str) -> str:
        """Define the key of a run or of judgments. Either may lack some grouping columns."""
        return f"struct_pack(*{self._columns(self._key, DUCKDB.text_list(['query_id', *read]))}) as __ltr_key"

    # If columns are missing, select a column whose name is the error message: DuckDB quotes it in its own error.
    # error() cannot be called here, because the names of columns are evaluated when the query is bound.
    # `required` is SQL of the names that must exist. `otherwise` is SQL of a list of invalid names, and its message.
    @staticmethod
    def _columns(condition: str, required: str, otherwise: tuple[str, str] | None = None) -> str:
        missing = f"list_filter({required}, lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))"
        message = f"list_aggregate({missing}, 'string_agg', ', ') || ' (the input has ' || {_CALLERS}"
        message += f" || {string(_RENAME_HINT)}"
        errors = [(missing, message)] if otherwise is None else [(missing, message), otherwise]
        cases = " ".join(f"when len({names}) > 0 then [{text}]" for names, text in errors)
        return f"columns(case {cases} else list_filter((*), lambda c: {condition}) end)"

    def key(self, row: str) -> str:
        return f"{row}.__ltr_key"

    def same_key(self, row: str, other: str) -> str:
        return f"{row}.__ltr_key is not distinct from {other}.__ltr_key"

    def key_output(self, row: str) -> str:
        return f"unnest({row}.__ltr_key)"

    def either_key(self, row: str, other: str) -> str:
        return f"coalesce({row}.__ltr_key, {other}.__ltr_key) as __ltr_key"

    # Add the column __ltr_one to the struct of the system: without keys it would be empty, which DuckDB rejects.
    # Columns that the caller's table lacks are replaced by __ltr_none.
    def run_relation(self, relation: str, *numbers: str, judgments: str = "") -> str:
        if not judgments:
            return f"(select 0 as __ltr_one, * from {self.checked_relation(relation, *numbers)})"
        return self.with_names_of(relation, judgments, *numbers)

    # Check nothing here: `inputs` has checked the relations of Python. `HelperColumns` checks those of macros.
    def checked_relation(self, relation: str, *numbers: str) -> str:
        return f"(select null as __ltr_none, * from {relation})"

    def with_names_of(self, relation: str, other: str, *numbers: str) -> str:
        """Return `relation` with an empty column __ltr_also_NAME for each grouping column NAME of the relation `other`.

        The rows of `other` are not read.
        """
        also = f"columns(lambda c: c = '__ltr_none' or list_contains({self.keys}, c)) as '__ltr_also_\\0'"
        names = f"select {also} from (select null as __ltr_none, * from {other}) limit 0"
        joined = f"{self.checked_relation(relation, *numbers)} as t left join ({names}) as n on false"
        return f"(select 0 as __ltr_one, t.*, n.* from {joined})"

    # Pack the grouping columns that also satisfy a condition into a struct.
    def _keys(self, placeholder: str, condition: str) -> str:
        key = f"list_contains({self.keys}, c) and {condition}"
        return f"struct_pack(*columns(lambda c: c = '{placeholder}' or {key}))"

    _SHARED = "list_contains((*), '__ltr_also_' || c)"

    def run_key_definition(self, row: str, *read: str) -> str:
        return (
            f"{self._some_keys(*(read or ('doc_id',)))},\n"
            f"{self._keys('__ltr_one', f'not {self._SHARED}')} as __ltr_system,\n"
            f"{self._keys('__ltr_one', self._SHARED)} as __ltr_shared,\n"
            f"{row}.query_id"
        )

    def judgments_relation(self, relation: str, run: str) -> str:
        named = self.with_names_of(relation, run, "relevance")
        return (
            f"(select {self._keys('__ltr_one', 'true')} as __ltr_segments, "
            f"{self._keys('__ltr_one', self._SHARED)} as __ltr_shared, * from {named})"
        )

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

    # Cast a struct by name, which makes columns NULL if the caller's table lacks them.
    def _fields(self, names: Sequence[str]) -> str:
        wanted = ", ".join(f"'{name}'" for name in names)
        types = ", ".join(f"{name} {_FIELD_TYPES.get(name, 'double')}" for name in names)
        return f"cast(struct_pack(*columns(lambda c: lower(c) in ({wanted}))) as struct({types}))"

    @property
    def ungrouped(self) -> "Columns":
        return replace(self, keys="[]::varchar[]")

    def table_fields(self, row: str, ids: Sequence[str], types: Mapping[str, str], has: object) -> str:
        wanted = f"list_contains({DUCKDB.text_list([*ids, *types])}, lower(c))"
        fields = self._columns(wanted, f"list_concat({DUCKDB.text_list(ids)}, {has})")
        return f"struct_pack(*{fields}) as __ltr_row"

    def typed_fields(self, row: str, table: str, ids: Sequence[str], types: Mapping[str, str]) -> str:
        typed = [*((name, "varchar") for name in ids), *types.items()]
        listed = ", ".join(f"{DUCKDB.identifier(name)} {kind}" for name, kind in typed)
        message = f"the table {table} has text where a number must be, in the row"
        failed = DUCKDB.error_of(message, f"{row}.__ltr_row")
        return f"coalesce(try(cast({row}.__ltr_row as struct({listed}))), {failed}) as __ltr_row"

    def optional_fields(self, row: str, always: str, optional: Mapping[str, bool]) -> str:
        # Add a column that always exists, because a struct cannot be empty.
        return f"{self._fields([always, *optional])} as __ltr_row"

    # List the columns that exist. `always` names a column that every table has, because a struct cannot be empty.
    def _present(self, names: Sequence[str], always: str) -> str:
        wanted = ", ".join(f"'{name}'" for name in dict.fromkeys((always, *names)))
        fields = f"struct_pack(*columns(lambda c: lower(c) in ({wanted})))"
        return f"list_transform(struct_keys({fields}), lambda c: lower(c))"

    def run_fields(self, row: str, has_rank: object, ties: object, with_score: bool) -> str:
        names = ["rank", "score", "row_order"]
        # Add __ltr_one, because a struct cannot be empty. A run without rank and score is rejected later.
        fields = self._fields([*names, "__ltr_one"])
        return f"{fields} as __ltr_row,\n{self._present(names, '__ltr_one')} as __ltr_present,\n{self._exact_fields()}"

    # Select the columns with their own types.
    def _exact_fields(self) -> str:
        return ",\n".join(
            f"coalesce(*columns(lambda c: lower(c) in ({string(name)}, '__ltr_none'))) as __ltr_exact_{name}"
            for name in EXACT
        )

    def exact_columns(self, ties: object) -> list[str]:
        return [f"__ltr_exact_{name}" for name in EXACT]

    def scored_columns(self, row: str, ties: object) -> str:
        names = ["score", "doc_id", "relevance", "row_order", "rank"]
        fields = f"{self._fields(names)} as __ltr_row,\n{self._present(names, 'score')} as __ltr_present"
        return f"{self.key_definition(row, 'score')},\n{fields},\n{self._exact_fields()},\n{row}.*"

    def row(self, row: str) -> str:
        return f"{row}.__ltr_row"

    def ranked_columns(self, row: str) -> str:
        return f"{self.key_definition(row, 'rank', 'relevance')},\n{row}.*"

    def kept_columns(self, row: str, *made: str) -> str:
        return f"columns(lambda c: lower(c) not in ({', '.join(map(string, made))}) and not starts_with(c, '__ltr_'))"

    def judgment_definition(self, row: str) -> str:
        key = self._some_keys("doc_id", "relevance")
        fields = self._fields(["doc_id", "subtopic"])
        return f"{key},\n{row}.query_id,\n{row}.doc_id,\n{fields} as __ltr_row"

    def judgment(self, row: str) -> str:
        return f"{row}.query_id, {row}.doc_id, {row}.__ltr_row.subtopic"

    def judgment_columns(self, row: str, other: str | None = None) -> str:
        given = "lower(c) in ('query_id', 'doc_id', 'rank', 'num_ret') or starts_with(c, '__ltr_')"
        if not other:
            return f"columns(lambda c: not ({given}))"
        others = f"columns(lambda c: not ({given} or coalesce(list_contains({self.keys}, c), false)))"
        return f"{others},\nunnest(coalesce({row}.__ltr_segments, {other}.__ltr_segments))"

    def keys_check(self, row: str) -> str:
        return self._keys_check(f"struct_keys({row}.__ltr_key)", f"{row}.__ltr_key.query_id")

    def run_keys_check(self, row: str, judgments: str) -> str:
        segments = f"struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains({self.keys}, c)))"
        one_row = f"(select 0 as __ltr_one) as o left join (from {judgments} limit 0) as q on false"
        judged = f"(select struct_keys({segments}) from {one_row})"
        return self._keys_check(f"list_concat(['query_id'], struct_keys({row}.__ltr_system), {judged})", "''")

    def _keys_check(self, names: str, query_id: str) -> str:
        return keys_check(names, query_id, self.keys)

    def bytewise_check(self, *values: str) -> str:
        return " and ".join(map(compared_bytewise, values))

    def subtopic_definition(self, row: str) -> str:
        return f"{self._fields(['rank', 'doc_id', 'subtopic'])} as __ltr_row"

    def explained_fields(self, row: str) -> str:
        """Define the columns that `ltr.explain` and `one_row_per_document` read."""
        return f"{self._fields(['rank', 'relevance', 'doc_id', 'subtopic'])} as __ltr_row"

    def one_row_per_document(self, row: str) -> str:
        fields = f"{row}.__ltr_row"
        document = f"coalesce({fields}.doc_id, cast({fields}.rank as varchar))"
        documents = f"count(distinct case when {fields}.subtopic is not null then {document} end)"
        message = (
            "'this measure needs one row per document, and the input has one per subtopic: group it by doc_id first'"
        )
        return f"case when count({fields}.subtopic) = {documents} then true else error({message}) end"


def keys_check(names: str, query_id: str, keys: str) -> str:
    """Return SQL that raises an error for invalid keys, and for ids with a collation, else returns true.

    `names` and `keys` are the SQL of lists: the names of the columns, and the keys of the call.
    """
    are_columns = f"coalesce(list_has_all({names}, {keys}), false)"
    has_query_id = f"list_contains(list_transform({names}, lambda c: lower(c)), 'query_id')"
    valid = f"{are_columns} and {has_query_id} and not coalesce({invalid_keys(keys)}, true)"
    message = f"{string(KEYS_MESSAGE)} || coalesce(cast({keys} as varchar), 'NULL')"
    return f"case when {valid} then {compared_bytewise(query_id)} else error({message}) end"


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


def invalid_keys(keys: str) -> str:
    """Return SQL that is true if a list of keys is invalid for every relation: NULL, repeated or reserved."""
    lower = f"list_transform({keys}, lambda c: lower(c))"
    reserved = ", ".join(map(string, RESERVED_COLUMNS))
    return (
        # list_distinct leaves NULL out.
        f"({keys} is null or len(list_distinct({lower})) <> len({keys}) or list_has_any({lower}, [{reserved}]))"
    )


@dataclass(frozen=True)
class NamedColumns(Columns):
    """Grouping columns by name.

    - `keys`: the grouping columns.
    - `kept`: other columns of the caller that a relation outputs.
    - `judged`: segments, which are grouping columns of the judgments.
    - `missing`: columns that the caller's table lacks; they are NULL.
    - `exact`: columns that define the order of rows and may have more digits than a double. `exact_from` is the prefix
      of the columns with these digits.
    """

    keys: tuple[str, ...]
    dialect: Dialect
    kept: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    exact: tuple[str, ...] = EXACT
    exact_from: str = ""

    def _list(self, row: str, names: Iterable[str]) -> str:
        return ", ".join(f"{row}.{name}" for name in names)

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

    def key_definition(self, row: str, *read: str) -> str:
        return ", ".join([*self._defined(row), f"{row}.query_id"])

    def checked_key_definition(self, row: str) -> str:
        return self.key_definition(row)

    def key(self, row: str) -> str:
        return self._list(row, (*self._key_names, "query_id"))

    def same_key(self, row: str, other: str) -> str:
        names = (*self._key_names, "query_id")
        return " and ".join(f"{row}.{name} is not distinct from {other}.{name}" for name in names)

    def key_output(self, row: str) -> str:
        return ", ".join([*self._output(row), f"{row}.query_id"])

    def either_key(self, row: str, other: str) -> str:
        return ", ".join(f"coalesce({row}.{name}, {other}.{name}) as {name}" for name in (*self._key_names, "query_id"))

    def either_system_output(self, row: str, other: str) -> str:
        names = zip(self._key_names, map(self.dialect.identifier, self.keys), strict=True)
        return ", ".join(f"coalesce({row}.{name}, {other}.{name}) as {output}" for name, output in names)

    def same_system_as_either(self, row: str, one: str, other: str) -> str:
        return " and ".join(
            f"{row}.{name} is not distinct from coalesce({one}.{name}, {other}.{name})" for name in self._key_names
        )

    def run_relation(self, relation: str, *numbers: str, judgments: str = "") -> str:
        return relation

    def checked_relation(self, relation: str, *numbers: str) -> str:
        return relation

    def judgments_relation(self, relation: str, run: str) -> str:
        return relation

    @property
    def _segment_names(self) -> list[str]:
        return [f"__ltr_segment_{number}" for number in range(1, len(self.judged) + 1)]

    def segments(self, row: str) -> str:
        return self._list(row, map(self.dialect.identifier, self.judged))

    def segments_definition(self, row: str) -> str:
        segments = zip(self._segment_names, map(self.dialect.identifier, self.judged), strict=True)
        return ", ".join(f"min({row}.{column}) as {name}" for name, column in segments)

    def segments_of_query(self, row: str) -> str:
        return self._list(row, self._segment_names)

    def no_segments(self) -> str:
        return ", ".join(f"null as {name}" for name in self._segment_names)

    def any_segments(self, row: str) -> str:
        return ", ".join(f"min({row}.{name}) as {name}" for name in self._segment_names)

    def has_segments(self, struct: str) -> str:
        return ""

    def run_keys_check(self, row: str, judgments: str) -> str:
        return ""

    def run_key_definition(self, row: str, *read: str) -> str:
        return self.key_definition(row)

    def run_key(self, row: str) -> str:
        return self.key(row)

    def system(self, row: str) -> str:
        return self._list(row, self._key_names)

    def same_system(self, row: str, other: str) -> str:
        return " and ".join(f"{row}.{name} is not distinct from {other}.{name}" for name in self._key_names)

    def system_output(self, row: str) -> str:
        return ", ".join(self._output(row))

    def subtopic_definition(self, row: str) -> str:
        return ""

    def one_row_per_document(self, row: str) -> str:
        return ""

    def run_fields(self, row: str, has_rank: object, ties: object, with_score: bool) -> str:
        by_score = ["score", *self._read_by(ties, "row_order")]
        names = by_score if not has_rank else ["rank", "score"] if with_score else ["rank"]
        return ",\n".join(
            [*(self._number(row, name) for name in names), *([] if has_rank else self._exact_fields(row, ties))]
        )

    def _exact_fields(self, row: str, ties: object) -> list[str]:
        return [f"{row}.{self.exact_from}{name} as __ltr_exact_{name}" for name in self._exact_names(ties)]

    def _exact_names(self, ties: object) -> list[str]:
        return [name for name in ("score", *self._read_by(ties, "row_order")) if name in self.exact]

    def exact_columns(self, ties: object) -> list[str]:
        return [f"__ltr_exact_{name}" for name in self._exact_names(ties)]

    def _number(self, row: str, name: str) -> str:
        return f"cast({row}.{name} as double) as {name}"

    @property
    def ungrouped(self) -> "Columns":
        return replace(self, keys=())

    def table_fields(self, row: str, ids: Sequence[str], types: Mapping[str, str], has: object) -> str:
        present = cast("Container[str]", has)
        quoted = {name: self.dialect.identifier(name) for name in types}
        return ",\n".join(
            f"cast({f'{row}.{quoted[name]}' if name in present else 'null'} as {kind}) as {quoted[name]}"
            for name, kind in types.items()
        )

    def typed_fields(self, row: str, table: str, ids: Sequence[str], types: Mapping[str, str]) -> str:
        return ""

    def optional_fields(self, row: str, always: str, optional: Mapping[str, bool]) -> str:
        return ",\n".join(
            self._number(row, name) if exists else f"cast(null as double) as {name}"
            for name, exists in optional.items()
        )

    def scored_columns(self, row: str, ties: object) -> str:
        read = self._read_by(ties, "relevance", "row_order", "rank")
        names = dict.fromkeys(("score", "doc_id", *read, *self.kept))
        columns = [
            f"{row}.{name}" if name in _IDS else self._number(row, name) for name in names if name not in self.missing
        ]
        columns += [f"cast(null as double) as {name}" for name in self.missing]
        return ",\n".join([self.key_definition(row), *columns, *self._exact_fields(row, ties)])

    @staticmethod
    def _read_by(ties: object, *names: str) -> list[str]:
        """Return the named columns that a tie-breaking rule reads."""
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

    def judgment_columns(self, row: str, other: str | None = None) -> str:
        columns = [f"{row}.relevance", *(f"{row}.{self.dialect.identifier(name)}" for name in self.kept)]
        for name, segment in zip(self._segment_names, map(self.dialect.identifier, self.judged), strict=True):
            value = f"coalesce({row}.{segment}, {other}.{name})" if other else f"{row}.{segment}"
            columns.append(f"{value} as {segment}")
        return ", ".join(columns)

    def keys_check(self, row: str) -> str:
        return ""

    def bytewise_check(self, *values: str) -> str:
        return ""
