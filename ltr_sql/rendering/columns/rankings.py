"""The columns of rankings, of scored tables, and of the tables that measures beyond accuracy read."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from ltr_sql.rendering.columns.keys import listed
from ltr_sql.rendering.columns.runs import CallTimeRuns, NamedRuns
from ltr_sql.rendering.columns.selected import columns_where, names_present, typed_struct
from ltr_sql.rendering.dialects import DUCKDB, string


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
            f"{self.optional_column(name)} as __ltr_{name}"
            for name in ("rank", "relevance", "doc_id", "subtopic", "num_ret")
        )

    def optional_column(self, name: str) -> str:
        """Return a column of a `checked_relation`, or NULL if the caller's table lacks it."""
        return f"coalesce(*columns(lambda c: lower(c) in ({string(name)}, '__ltr_none')))"

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
