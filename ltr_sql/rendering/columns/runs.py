"""The columns of a run: its key, its system, and what ranks its documents.

The system of a row is its grouping columns, without the query_id.
"""

from dataclasses import dataclass

from ltr_sql.rendering.columns.keys import CallTimeKeys, NamedKeys, listed, same
from ltr_sql.rendering.columns.selected import names_present, typed_struct
from ltr_sql.rendering.dialects import string

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

    # Pack the grouping columns that also satisfy a condition into a struct.
    def _keys(self, placeholder: str, condition: str) -> str:
        key = f"list_contains({self.keys}, c) and {condition}"
        return f"struct_pack(*columns(lambda c: c = '{placeholder}' or {key}))"

    def run_keys_check(self, row: str, judgments: str) -> str:
        segments = f"struct_pack(*columns(lambda c: c = '__ltr_one' or list_contains({self.keys}, c)))"
        one_row = f"(select 0 as __ltr_one) as o left join (from {judgments} limit 0) as q on false"
        judged = f"(select struct_keys({segments}) from {one_row})"
        return self._keys_check(f"list_concat(['query_id'], struct_keys({row}.__ltr_system), {judged})", "''")

    def run_key_definition(self, row: str, *read: str) -> str:
        return (
            f"{self._some_keys(*(read or ('doc_id',)))},\n"
            f"{self._keys('__ltr_one', f'not {SHARED}')} as __ltr_system,\n"
            f"{self._keys('__ltr_one', SHARED)} as __ltr_shared,\n"
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
        return ",\n".join(
            f"coalesce(*columns(lambda c: lower(c) in ({string(name)}, '__ltr_none'))) as __ltr_exact_{name}"
            for name in EXACT
        )

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
