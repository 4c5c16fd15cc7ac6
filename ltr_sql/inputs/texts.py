"""Read texts of queries and documents by id."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.names import DOCUMENTS, SEARCHES, in_snake_case
from ltr_sql.inputs.readers import duckdb_name, is_readable_file, utf8_name
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table, listed_names
from ltr_sql.rendering.dialects import DUCKDB, string

_IDS = {
    "queries": ("query_id", "qid", "_id", "id", "topic", "topic_id"),
    "documents": ("doc_id", "docno", "docid", "_id", "id", "pid"),
}
# Names of columns of texts, the most telling first. A word such as product_ may stand before them.
_TEXTS = {
    "queries": ("text", "query", "question", "title", "term", "phrase", "contents", "content", "body", "description"),
    "documents": (
        *("text", "contents", "content", "body", "description", "abstract", "document", "passage", "chunk", "article"),
        "url",
    ),
}
# Names of columns whose text stands above the others.
_TITLES: Mapping[str, Sequence[str]] = {"queries": (), "documents": ("title", "name")}
_FIRST_WORD = {"queries": re.compile(f"^({SEARCHES})_"), "documents": re.compile(f"^({DOCUMENTS})_")}
# The columns of ids and texts that a result may have, by the argument that gives the texts.
_COLUMNS = {"queries": ("query_id", "query"), "documents": ("doc_id", "document")}
# Largest number of characters of a text. Longer ones are cut.
_LONGEST = 200
# Number of ids that a warning names.
_NAMED = 3


def texts_by_id(state: Session, given: Any, what: str, ids: Table) -> tuple[dict[str, str], list[str]]:
    """Return a dict of id to text, for the ids in the column `id` of a table, and a warning if none has a text.

    - `given`: a dict of id to text, a data frame, or a file (CSV, TSV, JSONL or Parquet). A file without a header has
      ids in its first column and texts in its second.
    - `what`: 'queries' or 'documents'.
    - `ids`: the table of ids. Ids without a text are left out.

    The title of a document is the first line of its text. Raises InputError for texts that cannot be read.
    """
    wanted = [
        name for (name,) in state.rows(f"select i.id from {ids.sql} as i where i.id is not null order by all asc")
    ]
    if isinstance(given, Mapping):
        rows = {str(name): None if text is None else str(text) for name, text in given.items()}
        found = {name: text[:_LONGEST] for name in wanted if (text := rows.get(name))}
        return found, [] if found else _nothing_found(what, wanted, [*rows], "the keys")
    table = _table(state, given, what)
    texts = columns_of_texts(table, what)
    of_ids = _column_of_ids(table, what, [*chain.from_iterable(texts)])
    key = f"cast(t.{DUCKDB.identifier(of_ids)} as varchar)"
    lines = [f"coalesce({', '.join(map(_on_one_line, names))})" for names in texts if names]
    query = f"""
        select {key}, left(concat_ws(chr(10), {", ".join(lines)}), {_LONGEST})
        from {table.sql} as t
        where {key} in (select i.id from {ids.sql} as i)
        order by all asc
    """
    found = {name: text for name, text in state.rows(query) if text}
    if found:
        return found, []
    others = [name for (name,) in state.rows(f"select {key} from {table.sql} as t limit {_NAMED}")]
    return {}, _nothing_found(what, wanted, others, of_ids, *texts)


def columns_of_texts(table: Table, what: str) -> tuple[list[str], list[str]]:
    """Return the columns of titles and those of texts, the most telling first. They may be empty."""
    return _named(table, what, _TITLES[what]), _named(table, what, _TEXTS[what])


def _named(table: Table, what: str, names: Sequence[str]) -> list[str]:
    """Return the columns with one of these names, in the order of the names."""
    bare = {name: _FIRST_WORD[what].sub("", in_snake_case(name)) for name in table.columns}
    return sorted((name for name in bare if bare[name] in names), key=lambda name: names.index(bare[name]))


def _column_of_ids(table: Table, what: str, texts: Sequence[str]) -> str:
    """Return the column of the ids of texts. Raises InputError for a table without ids, and for one without texts."""
    found = _columns_of_ids(table, what, texts)
    for names, missing in ((found, f"ids, such as {_IDS[what][0]}"), (texts, "texts, such as text or title")):
        if not names:
            raise InputError(
                f"the texts of {what} have no column of {missing}: the columns are {listed_names(table.columns)}"
            )
    return found[0]


def _columns_of_ids(table: Table, what: str, texts: Sequence[str]) -> list[str]:
    """Return the columns that may hold the ids of texts, the most telling first."""
    lower = {name.lower(): name for name in table.columns}
    known = [lower[name] for name in _IDS[what] if name in lower]
    if known or not texts:
        return known
    return [name for name in table.named_elsewhere(_COLUMNS[what][0]) if name not in texts]


def _on_one_line(column: str) -> str:
    """Return SQL of a text without line breaks. NULL if it is blank."""
    return f"nullif(trim(regexp_replace(cast(t.{DUCKDB.identifier(column)} as varchar), '\\s+', ' ', 'g')), '')"


def _nothing_found(
    what: str, wanted: Sequence[str], others: Sequence[str], of_ids: str, *texts: Sequence[str]
) -> list[str]:
    """Return the warning that no wanted id has a text. Empty if no text is wanted."""
    if not wanted:
        return []
    named, known = (", ".join(map(repr, names[:_NAMED])) for names in (wanted, others))
    columns = listed_names(chain.from_iterable(texts))
    return [
        f"no text was found for the {what} ({len(wanted):,}): {named}. Their ids were looked up in {of_ids} "
        f"({known or 'no rows'}){f', and texts in {columns}' if columns else ''}. What to do: compare the ids, or "
        f"rename the columns to {_COLUMNS[what][0]} and text"
    ]


def with_texts(state: Session, query: str, texts: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return a query with the texts of its ids, and the warnings of `texts_by_id`.

    The column `query` stands after query_id, and `document` after doc_id. `texts` maps 'queries' and 'documents' to
    texts, as in `texts_by_id`, or to None.
    """
    given = {what: text for what, text in texts.items() if text is not None}
    if not given:
        return query, []
    table = state.load(f"(select r.*, row_number() over () as __ltr_row from (\n{query}\n) as r)")
    shown = {name: f"r.{DUCKDB.identifier(name)}" for name in table.columns if name != "__ltr_row"}
    joins, warnings = "", []
    for what, text in given.items():
        column, name = _COLUMNS[what]
        ids = replace(table, sql=f"(select distinct cast(r.{column} as varchar) as id from {table.sql} as r)")
        found, notes = texts_by_id(state, text, what, ids)
        warnings += notes
        listed = ((key, value.replace("\n", ": ")) for key, value in found.items())
        values = ", ".join(f"({string(key)}, {string(value)})" for key, value in listed) or "(null, null)"
        joins += f"\nleft join (values {values}) as {name} (id, text) on {name}.id = cast(r.{column} as varchar)"
        shown[column] += f", {name}.text as {name}"
    return f"select {', '.join(shown.values())}\nfrom {table.sql} as r{joins}\norder by r.__ltr_row asc", warnings


def _table(state: Session, given: Any, what: str) -> Table:
    """Bind a table of texts. A file of delimited texts may lack a header."""
    is_file = isinstance(given, str | Path) and is_readable_file(str(given))
    suffixes = [suffix for suffix in Path(given).suffixes if suffix not in (".gz", ".zst")] if is_file else []
    if not is_file or (suffixes and suffixes[-1] not in (".tsv", ".csv", ".txt")):
        return state.bind(str(Path(given)) if is_file else given, "values")
    delimiter = "," if suffixes[-1:] == [".csv"] else "\t"
    with utf8_name(str(given)) as name:
        options = f"{duckdb_name(name)}, delim = {string(delimiter)}, all_varchar = true, strict_mode = false, quote = "
        options += "'\"', escape = '\"'" if delimiter == "," else "'', escape = ''"
        first = state.rows(f"from read_csv({options}, header = false) limit 1")
        header = Table("", {str(name): "VARCHAR" for name in first[0]} if first else {})
        if _columns_of_ids(header, what, [*chain.from_iterable(columns_of_texts(header, what))]):
            return state.load(f"read_csv({options}, header = true)")
        if not first or len(first[0]) < 2:
            raise InputError(f"{Path(given)}: expected an id and a text per line, separated by {delimiter!r}")
        return state.load(
            f"(select column0 as {_IDS[what][0]}, column1 as text from read_csv({options}, header = false))"
        )
