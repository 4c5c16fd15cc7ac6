"""Tables whose ids and numbers stand in nested columns, with one row per document."""

from collections.abc import Mapping
from dataclasses import replace

from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import Connection
from ltr_sql.inputs.exact_numbers import LARGEST_EXACT
from ltr_sql.inputs.nested import EMPTY, LIST, unnested
from ltr_sql.inputs.tables import IDS, NUMBERS, Table
from ltr_sql.rendering.dialects import DUCKDB


def unnested_table(state: Connection, table: Table, paths: Mapping[str, str], ranked: bool) -> Table:
    """Return a table with one row per entry of the lists that paths name: see `nested.unnested`.

    A ranked table without rank and score gets the position in the list as rank. Raises InputError for an id that is an
    object or a list.
    """
    ranked = ranked and not {"rank", "score"} & {*table.columns, *paths.values()}
    entries = state.load(f"(\n{unnested(table.sql, table.columns, paths, ranked)}\n)")
    unanswered = _unanswered(state, entries, paths) if table.role == "run" else None
    found = _of_entries(entries, f"not t.{EMPTY}", EMPTY)
    texts = [name for name in dict.fromkeys(paths.values()) if found.columns[name] == "VARCHAR"]
    for name in texts:
        nested = f"select t.{name} from {found.sql} as t where left(t.{name}, 1) in ('{{', '[') limit 1"
        for (value,) in state.rows(nested) if name in (*IDS, *NUMBERS) else []:
            raise InputError(f"columns: {name} is the nested value {value[:80]}: name a single value in it by its path")
    numbers = {name: _number(name) for name in texts if name in NUMBERS}
    exact = [f"coalesce(bool_and(t.{n} is null or abs({sql}) <= {LARGEST_EXACT}), false)" for n, sql in numbers.items()]
    (are_exact,) = state.rows(f"select {', '.join(exact)} from {found.sql} as t") if exact else [()]
    read = [f"{sql} as {name}" for (name, sql), whole in zip(numbers.items(), are_exact, strict=True) if whole]
    if read:
        found = state.load(f"(select t.* replace ({', '.join(read)}) from {found.sql} as t)")
    return replace(found, role=table.role, renamed=table.renamed, unanswered=unanswered)


def _unanswered(state: Connection, entries: Table, paths: Mapping[str, str]) -> Table | None:
    """Return the rows of lists without entries, with the values that stand outside of them. None if there are none."""
    depth = max(path.count(LIST) for path in paths)
    inside = [ours for path, ours in paths.items() if path.count(LIST) == depth]
    above = [ours for path, ours in paths.items() if 0 < path.count(LIST) < depth]
    known = "".join(f" and t.{DUCKDB.identifier(name)} is not null" for name in above)
    others = [name for name in ("rank", *inside, EMPTY) if name in entries.columns]
    found = _of_entries(entries, f"t.{EMPTY}{known}", *others)
    return found if state.rows(f"select 1 from {found.sql} limit 1") else None


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


def _number(name: str) -> str:
    """Return SQL of a text in JSON as a number. NULL if it is none."""
    text = f"case t.{name} when 'true' then '1' when 'false' then '0' else t.{name} end"
    return f"try_cast({text} as double)"
