"""Files that are the parts of one table: as Spark, dbt and DuckDB write them, also in folders of Hive partitions."""

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import Connection
from ltr_sql.inputs.readers import duckdb_paths, format_of, read_file
from ltr_sql.inputs.run_files import Parts
from ltr_sql.inputs.tables import IDS, NUMBERS, Table, listed_names
from ltr_sql.inputs.united import united
from ltr_sql.rendering.dialects import DUCKDB, string

_INTEGER = re.compile(r"0|-?[1-9]\d{0,17}")
# The types of the columns in the leaves of Parquet files, as one value for each file.
_SCHEMAS = """
    select count(distinct f.leaves)
    from (
        select s.file_name, list((s.name, s.type, s.converted_type, s.logical_type) order by s.name asc) as leaves
        from parquet_schema({paths}) as s
        where s.type is not null
        group by s.file_name
    ) as f
"""


def bind_parts(state: Connection, parts: Parts, role: str) -> Table:
    """Bind the parts of a table as one, with the values of Hive partitions as columns.

    Raises InputError for a file that cannot be read, for files of different formats, and if a part lacks a column that
    others have.
    """
    suffixes = sorted({format_of(file).rstrip("0123456789") for file in parts.files})
    if len(suffixes) > 1:
        raise InputError(
            f"{parts.path} has files of different formats ({listed_names(suffixes, 5)}), which are not parts of one "
            "table: pass one file, or a pattern such as '*.parquet'"
        )
    # Spark writes a text file without rows as an empty file.
    parts = replace(parts, files=tuple(file for file in parts.files if Path(file).stat().st_size) or parts.files)
    types = {key: _type_of(key, parts.column(key)) for key in parts.keys}
    loaded = len(state.loaded)
    first = read_file(state, parts.files[0], role)
    paths = duckdb_paths(parts.files) if suffixes == [".parquet"] else None
    if paths is not None and state.rows(_SCHEMAS.format(paths=paths)) == [(1,)]:
        table = _scanned(state, paths, first, types)
    else:
        tables = [first, *(read_file(state, file, role) for file in parts.files[1:])]
        _refuse_other_columns(state, parts, tables, role)
        table = _united(state, parts, tables, types)
        if paths is None:
            table = state.load(table.sql)
            # The copy holds the rows of all parts.
            state.unload(state.loaded[loaded:-1])
        run_ids = dict.fromkeys(name for each in tables for name in each.run_ids)
        systems = dict.fromkeys(name for each in tables for name in each.systems)
        vary = any(each.subtopics_vary for each in tables)
        table = replace(table, run_ids=(*run_ids,), systems=(*systems,), subtopics_vary=vary)
    if role in ("run", "baseline") and "system" in types:
        table = replace(table, systems=tuple(sorted({*map(str, parts.column("system"))})))
    return replace(table, grouped_by=("system",)) if table.systems else table


def _scanned(state: Connection, paths: str, first: Table, types: Mapping[str, str]) -> Table:
    """Return Parquet files with equal columns as one scan. `first`: one of them."""
    kinds = "{" + ", ".join(f"{string(key)}: {kind}" for key, kind in types.items()) + "}"
    partitions = f"hive_partitioning = true, hive_types_autocast = false, hive_types = {kinds}"
    scan = f"read_parquet({paths}, union_by_name = true, {partitions if types else 'hive_partitioning = false'})"
    table = state.table(scan, stored=False)
    # Folders above that of the table may look like partitions, too.
    kept = [name for name in table.columns if name in first.columns or name in types]
    if len(kept) == len(table.columns):
        return table
    return state.table(f"(select {', '.join(map(DUCKDB.identifier, kept))} from {scan})", stored=False)


def _united(state: Connection, parts: Parts, tables: Sequence[Table], types: Mapping[str, str]) -> Table:
    """Return the rows of all parts, with the values of partitions."""
    selects = {}
    for file, table in zip(parts.files, tables, strict=True):
        values = {key: "null" if value is None else string(value) for key, value in parts.values(file).items()}
        columns = [f"cast({values[key]} as {kind}) as {DUCKDB.identifier(key)}" for key, kind in types.items()]
        columns += [f"t.{DUCKDB.identifier(name)}" for name in table.columns if name not in types]
        selects[file] = state.table(f"(select {', '.join(columns)} from {table.sql} as t)", stored=False)
    return state.table(united(state, selects), stored=False)


def _refuse_other_columns(state: Connection, parts: Parts, tables: Sequence[Table], role: str) -> None:
    """Raise InputError if a part lacks a column of ids or numbers that the first one has, or has one more."""
    read = {*IDS, *NUMBERS, "system"} - {*parts.keys}
    first, *others = ({state.form.known_name(role, name) for name in table.columns} & read for table in tables)
    for file, columns in zip(parts.files[1:], others, strict=True):
        for name in sorted(columns ^ first):
            has, lacks = (file, parts.files[0]) if name in columns else (parts.files[0], file)
            raise InputError(f"{has} and {lacks} are parts of one table, but only the first has a column {name}")


def _type_of(key: str, values: Iterable[str | None]) -> str:
    """Return the type of a partition: dates, whole numbers without leading zeros, or text, as of systems."""
    known = [value for value in values if value is not None]
    if key != "system" and all(map(_INTEGER.fullmatch, known)):
        return "BIGINT"
    return "DATE" if all(map(_is_date, known)) else "VARCHAR"


def _is_date(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
