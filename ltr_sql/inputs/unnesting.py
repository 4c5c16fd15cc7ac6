"""Tables whose ids and numbers stand in nested columns, with one row per document."""

from collections.abc import Mapping
from dataclasses import replace

from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import Connection
from ltr_sql.inputs.exact_numbers import LARGEST_EXACT, with_whole_ids
from ltr_sql.inputs.nested import unnested
from ltr_sql.inputs.tables import IDS, NUMBERS, Table


def unnested_table(state: Connection, table: Table, paths: Mapping[str, str], ranked: bool) -> Table:
    """Return a table with one row per entry of the lists that paths name: see `nested.unnested`.

    A ranked table without rank and score gets the position in the list as rank. Raises InputError for an id that is an
    object or a list.
    """
    ranked = ranked and not {"rank", "score"} & {*table.columns, *paths.values()}
    found = state.load(f"(\n{unnested(table.sql, table.columns, paths, ranked)}\n)")
    texts = [name for name in dict.fromkeys(paths.values()) if found.columns[name] == "VARCHAR"]
    for name in texts:
        nested = f"select t.{name} from {found.sql} as t where left(t.{name}, 1) in ('{{', '[') limit 1"
        for (value,) in state.rows(nested) if name in (*IDS, *NUMBERS) else []:
            raise InputError(f"columns: {name} is the nested value {value[:80]}: name a single value in it by its path")
    numbers = {name: _number(name) for name in texts if name in NUMBERS}
    exact = [f"coalesce(bool_and(t.{n} is null or abs({sql}) < {LARGEST_EXACT}), false)" for n, sql in numbers.items()]
    (are_exact,) = state.rows(f"select {', '.join(exact)} from {found.sql} as t") if exact else [()]
    read = [f"{sql} as {name}" for (name, sql), whole in zip(numbers.items(), are_exact, strict=True) if whole]
    if read:
        found = state.load(f"(select t.* replace ({', '.join(read)}) from {found.sql} as t)")
    found = with_whole_ids(state.rows, found, [name for name in texts if name in IDS])
    return replace(found, role=table.role, renamed=table.renamed)


def _number(name: str) -> str:
    """Return SQL of a text in JSON as a number. NULL if it is none."""
    text = f"case t.{name} when 'true' then '1' when 'false' then '0' else t.{name} end"
    return f"try_cast({text} as double)"
