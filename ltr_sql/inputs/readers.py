"""How files are read: a reader for each suffix. To add an input format, add its reader to `READERS`."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import Connection
from ltr_sql.inputs.tables import IDS, NUMBERS, Table, is_integer
from ltr_sql.inputs.trec import read_trec, run_id_in
from ltr_sql.inputs.zstandard import is_whole
from ltr_sql.sqltext.dialects import string

# A reader returns the table in a file (its path, 'run' or 'qrels'), bound to the connection.
Reader: TypeAlias = Callable[[Connection, str, str], Table]

# Suffixes that DuckDB and the readers decompress; the suffix before them names the format.
_COMPRESSED = (".gz", ".zst")
_PATTERN = re.compile(r"[*?\[]")


def read_parquet(state: Connection, path: str, role: str) -> Table:
    """A Parquet file, which is read where it is."""
    if _PATTERN.search(path):
        # DuckDB 1.5 takes the name for a pattern again when it pushes a filter into a join.
        return state.load(f"read_parquet({duckdb_path(path)})")
    positions = f"read_parquet({duckdb_path(path)}, file_row_number = true)"
    return replace(
        state.table(f"read_parquet({duckdb_path(path)})", stored=False),
        positions=f"(select *, file_row_number as __ltr_position from {positions})",
    )


def read_csv(state: Connection, path: str, role: str) -> Table:
    """A CSV or TSV file with a header.

    Ids are text: read as numbers, 007 would become 7. Numbers are doubles: a column that is whole in the lines that
    DuckDB samples may have fractions below.
    """
    found = state.types(f"read_csv({duckdb_path(path)}, header = true)")
    types = {name: "VARCHAR" for name in found if name.lower() in IDS}
    types |= {name: "DOUBLE" for name, kind in found.items() if name.lower() in NUMBERS and is_integer(kind)}
    options = f", types = {_struct(types)}" if types else ""
    return state.load(f"read_csv({duckdb_path(path)}, header = true{options})")


def read_json(state: Connection, path: str, role: str) -> Table:
    """A file of JSON objects, one a line or in a list; ids are text."""
    found = state.types(f"read_json_auto({duckdb_path(path)}, sample_size = -1)")
    types = {name: "VARCHAR" if name.lower() in IDS else kind for name, kind in found.items()}
    return state.load(f"read_json({duckdb_path(path)}, columns = {_struct(types)})")


def read_text(state: Connection, path: str, role: str) -> Table:
    """A run or judgments in TREC format."""
    return read_trec(state, path, duckdb_path(path), role)


READERS: Mapping[str, Reader] = {
    ".parquet": read_parquet,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".jsonl": read_json,
    ".ndjson": read_json,
    ".json": read_json,
}


def read_file(state: Connection, path: str, role: str) -> Table:
    """The table in a file: by its suffix, and in TREC format for any other. Raises InputError for a truncated file."""
    if path.endswith(".zst") and not is_whole(path):
        raise InputError(f"{path} is not a complete Zstandard file: it is truncated, or has another format")
    return _reader_of(path)(state, path, role)


def run_id(path: str) -> str:
    """The name of the run in a file: that in its first line for TREC format, otherwise that of the file."""
    if _reader_of(path) is read_text and not path.endswith(".zst"):
        return run_id_in(path)
    return Path(path).stem


def _reader_of(path: str) -> Reader:
    suffixes = [suffix for suffix in Path(path).suffixes if suffix not in _COMPRESSED]
    return READERS.get(suffixes[-1].lower(), read_text) if suffixes else read_text


def duckdb_path(path: str) -> str:
    """A path for DuckDB's functions: this file, not files that its name matches, and no columns from its folders."""
    name = _PATTERN.sub(r"[\g<0>]", path)
    return f"{string(name)}, hive_partitioning = false"


def _struct(fields: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{string(name)}: {string(text)}" for name, text in fields.items()) + "}"
