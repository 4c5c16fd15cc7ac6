"""Read texts of queries and documents by id."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.plain_files import utf8_name
from ltr_sql.inputs.readers import duckdb_name, is_readable_file
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table, listed_names
from ltr_sql.rendering.dialects import DUCKDB, string

_IDS = {
    "queries": ("query_id", "qid", "_id", "id", "topic", "topic_id"),
    "documents": ("doc_id", "docno", "docid", "_id", "id", "pid"),
}
_TEXTS = ("text", "title", "query", "query_text", "contents", "content", "body", "description", "url")
# Largest number of characters of a text. Longer ones are cut.
_LONGEST = 200


def texts_by_id(state: Session, given: Any, what: str, ids: Table) -> dict[str, str]:
    """Return a dict of id to text, for the ids in the column `id` of a table.

    - `given`: a dict of id to text, a data frame, or a file (CSV, TSV, JSONL or Parquet). A file without a header has
      ids in its first column and texts in its second.
    - `what`: 'queries' or 'documents'.
    - `ids`: the table of ids. Ids without a text are left out.

    Raises InputError for texts that cannot be read.
    """
    if isinstance(given, Mapping):
        rows = [(str(name), None if text is None else str(text)) for name, text in given.items()]
        wanted = {name for (name,) in state.rows(f"select i.id from {ids.sql} as i")}
        return {name: text[:_LONGEST] for name, text in rows if name in wanted and text}
    table = _table(state, given, what)
    lower = {name.lower(): name for name in table.columns}
    found = [lower[name] for name in _IDS[what] if name in lower]
    if not found:
        raise InputError(
            f"the texts of {what} have no column of ids, such as {_IDS[what][0]}: the columns are "
            f"{listed_names(table.columns)}"
        )
    texts = [lower[name] for name in _TEXTS if name in lower and lower[name] != found[0]]
    if not texts:
        raise InputError(
            f"the texts of {what} have no column of texts, such as text or title: the columns are "
            f"{listed_names(table.columns)}"
        )
    listed = ", ".join(f"cast(t.{DUCKDB.identifier(name)} as varchar)" for name in texts)
    rows = state.rows(
        f"select cast(t.{DUCKDB.identifier(found[0])} as varchar), left(coalesce({listed}), {_LONGEST}) "
        f"from {table.sql} as t where cast(t.{DUCKDB.identifier(found[0])} as varchar) in "
        f"(select i.id from {ids.sql} as i) order by all asc"
    )
    return {name: text for name, text in rows if text}


# The columns of ids and texts that a result may have, by the argument that gives the texts.
_COLUMNS = {"queries": ("query_id", "query"), "documents": ("doc_id", "document")}


def with_texts(state: Session, query: str, texts: Mapping[str, Any]) -> str:
    """Return a query with the texts of its ids: the column `query` after query_id, and `document` after doc_id.

    `texts` maps 'queries' and 'documents' to texts, as in `texts_by_id`, or to None.
    """
    given = {what: text for what, text in texts.items() if text is not None}
    if not given:
        return query
    table = state.load(f"(select r.*, row_number() over () as __ltr_row from (\n{query}\n) as r)")
    shown = {name: f"r.{DUCKDB.identifier(name)}" for name in table.columns if name != "__ltr_row"}
    joins = ""
    for what, text in given.items():
        column, name = _COLUMNS[what]
        ids = replace(table, sql=f"(select distinct cast(r.{column} as varchar) as id from {table.sql} as r)")
        found = texts_by_id(state, text, what, ids)
        values = ", ".join(f"({string(key)}, {string(value)})" for key, value in found.items()) or "(null, null)"
        joins += f"\nleft join (values {values}) as {name} (id, text) on {name}.id = cast(r.{column} as varchar)"
        shown[column] += f", {name}.text as {name}"
    return f"select {', '.join(shown.values())}\nfrom {table.sql} as r{joins}\norder by r.__ltr_row asc"


def has_texts(table: Table) -> bool:
    """Return whether a table has a column of texts."""
    return any(name.lower() in _TEXTS for name in table.columns)


def _table(state: Session, given: Any, what: str) -> Table:
    if not isinstance(given, str | Path) or not is_readable_file(str(given)):
        return state.bind(given, "values")
    with utf8_name(str(given)) as name:
        return _table_of_file(state, Path(given), name, what)


def _table_of_file(state: Session, path: Path, name: str, what: str) -> Table:
    """Load a file of texts. DuckDB opens it as `name`."""
    suffixes = [suffix for suffix in path.suffixes if suffix not in (".gz", ".zst")]
    if not suffixes or suffixes[-1] in (".tsv", ".csv", ".txt"):
        delimiter = "," if suffixes[-1:] == [".csv"] else "\t"
        options = f"{duckdb_name(name)}, delim = {string(delimiter)}, all_varchar = true, strict_mode = false, quote = "
        options += "'\"', escape = '\"'" if delimiter == "," else "'', escape = ''"
        first = state.rows(f"from read_csv({options}, header = false) limit 1")
        names = [str(name).lower() for name in first[0]] if first else []
        if not set(names) & set(_IDS[what]):
            if len(names) < 2:
                raise InputError(f"{path}: expected an id and a text per line, separated by {delimiter!r}")
            return state.load(
                f"(select column0 as {_IDS[what][0]}, column1 as text from read_csv({options}, header = false))"
            )
        return state.load(f"read_csv({options}, header = true)")
    return state.bind(str(path), "values")
