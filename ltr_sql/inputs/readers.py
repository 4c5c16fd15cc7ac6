"""Read files: one reader per suffix. To add an input format, add its reader to `READERS`."""

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

# A reader binds the table in a file. Its arguments are the connection, the path, and the role 'run' or 'qrels'.
Reader: TypeAlias = Callable[[Connection, str, str], Table]

# Suffixes of compressed files. The suffix before them names the format.
_COMPRESSED = (".gz", ".zst")
_PATTERN = re.compile(r"[*?\[]")


def read_parquet(state: Connection, path: str, role: str) -> Table:
    """Bind a Parquet file without loading it."""
    if _PATTERN.search(path):
        # Load it, because DuckDB 1.5 reads the name as a pattern when it pushes a filter into a join.
        return state.load(f"read_parquet({duckdb_path(path)})")
    positions = f"read_parquet({duckdb_path(path)}, file_row_number = true)"
    return replace(
        state.table(f"read_parquet({duckdb_path(path)})", stored=False),
        positions=f"(select *, file_row_number as __ltr_position from {positions})",
    )


def read_csv(state: Connection, path: str, role: str) -> Table:
    """Load a CSV or TSV file with a header.

    Ids are read as text, so that 007 does not become 7. Numbers are read as doubles, because DuckDB infers types from
    the first lines, and later ones may have fractions.
    """
    found = state.types(f"read_csv({duckdb_path(path)}, header = true)")
    types = {name: "VARCHAR" for name in found if name.lower() in IDS}
    types |= {name: "DOUBLE" for name, kind in found.items() if name.lower() in NUMBERS and is_integer(kind)}
    options = f", types = {_struct(types)}" if types else ""
    return state.load(f"read_csv({duckdb_path(path)}, header = true{options})")


def read_json(state: Connection, path: str, role: str) -> Table:
    """Load a file of JSON objects, one per line or in a list. Ids are read as text."""
    found = state.types(f"read_json_auto({duckdb_path(path)}, sample_size = -1)")
    types = {name: "VARCHAR" if name.lower() in IDS else kind for name, kind in found.items()}
    return state.load(f"read_json({duckdb_path(path)}, columns = {_struct(types)})")


def read_text(state: Connection, path: str, role: str) -> Table:
    """Load a run or judgments in TREC format."""
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
    """Bind the table in a file. The suffix selects the reader; without a known suffix it is read as TREC format.

    Raises InputError for a malformed or truncated file.
    """
    if path.endswith(".zst") and not is_whole(path):
        raise InputError(f"{path} is truncated, or is not a Zstandard file")
    return _reader_of(path)(state, path, role)


def is_text(path: str) -> bool:
    """Return whether a file is read as TREC format."""
    return _reader_of(path) is read_text


def run_id(path: str) -> str:
    """Return the name of a run: from the first line of a file in TREC format, otherwise from the file name."""
    if is_text(path) and not path.endswith(".zst"):
        return run_id_in(path)
    return Path(path).stem


def _reader_of(path: str) -> Reader:
    suffixes = [suffix for suffix in Path(path).suffixes if suffix not in _COMPRESSED]
    return READERS.get(suffixes[-1].lower(), read_text) if suffixes else read_text


def duckdb_path(path: str) -> str:
    """Return the arguments of DuckDB's readers for a path, without expanding patterns or reading Hive partitions."""
    return f"{duckdb_name(path)}, hive_partitioning = false"


def duckdb_name(path: str) -> str:
    """Return a path as a string literal that DuckDB does not expand as a pattern."""
    return string(_PATTERN.sub(r"[\g<0>]", path))


def _struct(fields: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{string(name)}: {string(text)}" for name, text in fields.items()) + "}"
