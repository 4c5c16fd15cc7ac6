"""Tables whose ids and numbers stand in nested columns, with one row per document."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import duckdb

from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import REJECTED, Connection
from ltr_sql.inputs.names import EMPTY, check_path, depth_of, is_json, root_of, unnested
from ltr_sql.inputs.tables import IDS, LARGEST_EXACT, NUMBERS, Table, with_whole_ids
from ltr_sql.rendering.dialects import DUCKDB

# Rows that are looked at for a message.
_LOOKED_AT = 1_000


def unnested_table(state: Connection, table: Table, paths: Mapping[str, str], ranked: bool) -> Table:
    """Return a table with one row per entry of the lists that paths name: see `nested.unnested`.

    A ranked table without rank and score gets the position in the list as rank. Raises InputError for an id that is an
    object or a list.
    """
    ranked = ranked and not {"rank", "score"} & {*table.columns, *paths.values()}
    query = unnested(table.sql, table.columns, paths, ranked, single=(*IDS, *NUMBERS))
    try:
        entries = state.load(f"(\n{query}\n)")
    except REJECTED:
        _refuse_paths(state, table, [*paths])
        raise
    texts = [name for name in dict.fromkeys(paths.values()) if entries.columns[name] == "VARCHAR"]
    entries = with_whole_ids(state.rows, entries, [name for name in texts if name in IDS])
    unanswered = _unanswered(state, entries, paths) if table.role == "run" else None
    found = _of_entries(entries, f"not t.{EMPTY}", EMPTY)
    numbers = {name: _number(name) for name in texts if name in NUMBERS}
    exact = [f"coalesce(bool_and(t.{n} is null or abs({sql}) < {LARGEST_EXACT}), false)" for n, sql in numbers.items()]
    (are_exact,) = state.rows(f"select {', '.join(exact)} from {found.sql} as t") if exact else [()]
    read = [f"{sql} as {name}" for (name, sql), whole in zip(numbers.items(), are_exact, strict=True) if whole]
    if read:
        found = state.load(f"(select t.* replace ({', '.join(read)}) from {found.sql} as t)")
    return replace(found, role=table.role, renamed=table.renamed, unanswered=unanswered)


def _unanswered(state: Connection, entries: Table, paths: Mapping[str, str]) -> Table | None:
    """Return the rows of lists without entries, with the values that stand outside of them. None if there are none."""
    depth = max(map(depth_of, paths))
    inside = [ours for path, ours in paths.items() if depth_of(path) == depth]
    above = [ours for path, ours in paths.items() if 0 < depth_of(path) < depth]
    known = "".join(f" and t.{DUCKDB.identifier(name)} is not null" for name in above)
    others = [name for name in ("rank", *inside, EMPTY) if name in entries.columns]
    if len(others) == len(entries.columns):
        return None
    found = _of_entries(entries, f"t.{EMPTY}{known}", *others)
    return found if state.has_rows(found) else None


def _of_entries(entries: Table, condition: str, *without: str) -> Table:
    """Return the rows `t` that meet an SQL condition, without some columns."""
    found, listed = entries.where(condition), ", ".join(map(DUCKDB.identifier, without))
    return replace(
        found,
        sql=f"(select * exclude ({listed}) from {found.sql})",
        positions=f"(select * exclude ({listed}) from {found.positions})" if found.positions else "",
        columns={name: kind for name, kind in entries.columns.items() if name not in without},
        stored=True,
    )


def with_types_of_texts(state: Connection, table: Table) -> Table:
    """Return a table without documents, in which texts that hold objects or lists have nested types.

    The text of the message about missing columns names their values. Only the first rows are looked at.
    """
    found = {}
    for name in _names_of_nested_texts(state, table):
        text = DUCKDB.identifier(name)
        rows = f"(select t.{text} as value from {table.sql} as t where t.{text} is not null limit {_LOOKED_AT})"
        nested = "left(ltrim(min(r.value)), 1) in ('[', '{') and left(ltrim(max(r.value)), 1) in ('[', '{')"
        query = f"select {nested}, bool_and(json_valid(r.value)), bool_and(try_cast(r.value as varchar[]) is not null)"
        ((are_nested, are_json, are_lists),) = state.rows(f"{query} from {rows} as r")
        if are_nested and are_json:
            found[name] = _structure(state, rows, "value")
        elif are_nested and are_lists:
            # A list as Python prints it.
            found[name] = "VARCHAR[]"
    return replace(table, columns={**table.columns, **found}) if found else table


def _names_of_nested_texts(state: Connection, table: Table) -> list[str]:
    """Return the columns of texts that may hold objects or lists: all values in the first rows begin like one."""
    names = [name for name, kind in table.columns.items() if is_json(kind)]
    listed = ", ".join(f"left(ltrim(t.{DUCKDB.identifier(name)}), 1)" for name in names)
    rows = [*state.rows(f"select {listed} from {table.sql} as t limit {_LOOKED_AT}")] if names else []
    return [name for name, first in zip(names, zip(*rows, strict=True), strict=False) if {*first} <= {"[", "{", None}]


def _structure(state: Connection, rows: str, column: str) -> str:
    """Return the type of the JSON in a column."""
    text = f"cast(json_group_structure(cast(t.{DUCKDB.identifier(column)} as json)) as varchar)"
    ((structure,),) = state.rows(f"select {text} from {rows} as t")
    return _type_of(json.loads(structure))


def _refuse_paths(state: Connection, table: Table, paths: Sequence[str]) -> None:
    """Raise InputError for a text that is not JSON, and for a path that no row of the JSON has."""
    for path in paths:
        root = str(root_of(path))
        if not is_json(table.columns[root]):
            continue
        column = f"t.{DUCKDB.identifier(root)}"
        for (text,) in state.rows(f"select {column} from {table.sql} as t where not json_valid({column}) limit 1"):
            raise InputError(f"columns: {path!r} reads JSON, and {root} holds {text[:80]!r}{_way_to_json(text)}")
        check_path(path, duckdb.sqltypes.DuckDBPyType(_structure(state, table.sql, root)))


def _way_to_json(text: str) -> str:
    """Return what to do with a text that is not JSON."""
    if not text.startswith(("[", "{", "(")):
        return ", which is neither a list nor an object"
    return (
        ", as Python prints lists and objects: save the column as JSON, which json.dumps writes, or read the text by "
        "ast.literal_eval and pass the frame"
    )


def _type_of(structure: Any) -> str:
    """Return the type of a structure as `json_group_structure` returns it."""
    if isinstance(structure, dict):
        return f"STRUCT({', '.join(f'{DUCKDB.identifier(name)} {_type_of(held)}' for name, held in structure.items())})"
    return f"{_type_of(structure[0])}[]" if isinstance(structure, list) else f'"{structure}"'


def _number(name: str) -> str:
    """Return SQL of a text in JSON as a number. NULL if it is none."""
    text = f"case t.{name} when 'true' then '1' when 'false' then '0' else t.{name} end"
    return f"try_cast({text} as double)"
