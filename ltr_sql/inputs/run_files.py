"""Several files: a pattern, a folder or a list of paths, as runs or as the parts of one table."""

import datetime
import glob
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote

from ltr_sql.catalogue.options import check_choice
from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import Connection, united
from ltr_sql.inputs.readers import (
    READERS,
    duckdb_paths,
    first_run_id,
    format_of,
    is_path,
    is_readable_file,
    may_have_files,
    read_file,
    refuse_lake,
)
from ltr_sql.inputs.tables import IDS, NUMBERS, Table, listed_names
from ltr_sql.rendering.dialects import DUCKDB, string

# Largest number of names of a folder to compare with a missing one.
_MOST_NAMES = 10_000


def where_missing(path: str) -> str:
    """Return the reason why a path is no file, as the end of a sentence: the folder, and similar names in it."""
    try:
        absolute = Path(path).absolute()
        if absolute.is_dir():
            return "it is a folder: pass a file"
        folder = absolute.parent
        if not folder.is_dir():
            return f"there is no folder {folder}"
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, _MOST_NAMES)]
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or "the name is not a path"
    return f"no such file in {folder}{similar_names(absolute.name, names)}"


def similar_names(name: str, names: Iterable[str]) -> str:
    """Return names that are like a missing one, as the end of a clause. Empty if there are none."""
    by_lower = {known.lower(): known for known in sorted(names)}
    stem = name.lower().partition(".")[0]
    found = dict.fromkeys(get_close_matches(name.lower(), by_lower, cutoff=0.7))
    found |= dict.fromkeys(known for known in by_lower if stem and known.partition(".")[0] == stem)
    return f" (similar: {', '.join(by_lower[known] for known in islice(found, 3))})" if found else ""


_SUFFIXES = (*READERS, ".txt", ".run", ".trec", ".res")
# Names of the files that Spark, Hive, DuckDB, Dask, pyarrow, Snowflake, Redshift, BigQuery and Hugging Face write for
# one table.
_PART = re.compile(
    r"part[-_.]?\d+.*|data_\d+.*|\d{4,}_part_\d+.*|\d{6}_\d+.*|[0-9a-f]{32}-\d+|0{3,}\d*|.*-\d{12}|.*-\d{5}-of-\d{5}",
    re.IGNORECASE,
)
# A folder of a Hive partition, such as day=2026-01-01, and the folder of rows without a value.
_PARTITION = re.compile(r"([^=/]+)=([^/]*)")
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class Parts(os.PathLike[str]):
    """Files that hold the parts of one table.

    - `path`: a folder or pattern, which stands for all of them in messages.
    - `files`: their paths, in order.
    - `keys`: the names of Hive partitions, which are columns: those of the folders between `path` and a file.
    """

    path: str
    files: tuple[str, ...]
    keys: tuple[str, ...] = ()

    def __fspath__(self) -> str:
        return self.path

    def values(self, file: str) -> dict[str, str | None]:
        """Return the values of the keys for a file."""
        found = dict(_partitions(file, ""))
        return {key: found.get(key) for key in self.keys}

    def column(self, key: str) -> list[str | None]:
        """Return the values of a key, one for each file."""
        return [self.values(file)[key] for file in self.files]


# A run in one file, or in several parts.
Run: TypeAlias = str | Parts


class RunFiles(dict[str, Any]):
    """Runs by the names of their files, or their tables. Runs without a common query are parts of one run."""


def run_files(paths: Any, names: str = "file") -> dict[str, str]:
    """Return a dict of system -> path, which `evaluate`, `compare`, `report` and others read as several systems.

    - `paths`: a pattern such as 'runs/*.gz', a folder, or a list of paths. `evaluate` also reads them, with the names
      of the files.
    - `names`: 'file' names a system by its file without folder and suffixes, as in bm25 for runs/bm25.txt.gz. 'tag'
      names it by its run tag, the last column of a run in TREC format.

    The order is that of the list, and otherwise alphabetical. Each file is a system, also if its name is that of a
    part, such as part-00000. Raises InputError if no file is found, if two systems have the same name, and for a file
    without a tag.
    """
    check_choice("names", names, ("file", "tag"))
    found: dict[str, str] = {}
    for path in listed_files(paths):
        name = first_run_id(path) if names == "tag" else stem(path)
        if name is None:
            raise InputError(f"{path} has no run tag, which only TREC files have, or several: pass names='file'")
        if name in found:
            raise InputError(
                f"{found[name]} and {path} have the same {'run tag' if names == 'tag' else 'name'} {name!r}: rename "
                "one of them, or pass a dict of name -> path"
            )
        found[name] = path
    return found


def listed_files(paths: Any) -> list[str]:
    """Return the files of a pattern, a folder or a list of these and of paths. Raises InputError if there is none."""
    if is_path(paths):
        files = files_of(os.fspath(paths))
        return [os.fspath(paths)] if files is None else files
    if not isinstance(paths, Iterable) or not all(map(is_path, paths := [*paths])):
        raise InputError("pass runs as a pattern, a folder or a list of paths, or as a dict of name -> run")
    if not paths:
        raise InputError("the list of runs is empty: pass one path per run")
    found = []
    for path in map(os.fspath, paths):
        files = [path] if is_readable_file(path) else files_of(path)
        if files is None:
            raise InputError(f"{path}: {where_missing(path)}")
        found += files
    return found


def files_of(path: str) -> list[str] | None:
    """Return the files of a folder or a pattern, in alphabetical order. None for another path.

    Files whose names start with a dot or _ are left out. Folders such as day=2026-01-01 are read, and so are folders of
    parts that a pattern matches. Raises InputError if no file is left, and for a table of Delta, Iceberg or Hudi.
    """
    if not may_have_files(path):
        return None
    folder = os.path.isdir(path)
    matches = [path] if folder else [match for match in glob.glob(path, recursive=True) if _is_shown(match)]
    found = {file for match in matches for file in _files_in(match, always=folder)}
    for place in {path} if folder else {_table_folder(file, "") for file in found}:
        refuse_lake(place)
    if not found:
        raise InputError(f"{path}: no file {'is in this folder' if folder else 'matches this pattern'}")
    return sorted(found)


def _is_shown(path: str) -> bool:
    """Return whether a file holds data. Spark and others write files such as _SUCCESS beside them."""
    return not os.path.basename(path).startswith(("_", "."))


def _files_in(path: str, always: bool) -> Iterator[str]:
    """Yield a file, or the files of a folder: of any with `always`, otherwise of a partition and of one with parts."""
    if is_readable_file(path):
        yield path
    elif os.path.isdir(path):
        folder = path.rstrip(os.sep) or path
        inside = [entry for entry in glob.glob(f"{glob.escape(folder)}/*") if _is_shown(entry)]
        if always or _is_partition(folder) or any(_is_partition(entry) or _is_part(entry) for entry in inside):
            for entry in inside:
                if is_readable_file(entry):
                    yield entry
                elif _is_partition(entry):
                    yield from _files_in(entry, always=False)


def runs_in(paths: Iterable[str]) -> list[Run]:
    """Return the runs of files, folders and patterns, in their order.

    Files whose names number parts are one run, and so are files of one name in the folders of Hive partitions. Raises
    InputError for a file that is given twice.
    """
    given = [*paths]
    files = [file for path in given for file in files_of(path) or [path]]
    if len({*files}) < len(files):
        raise InputError("a run is repeated: pass each file once")
    root = _common_folder([_fixed(path) for path in given])
    groups: dict[tuple[str, str], list[str]] = {}
    for file in files:
        folder, partitions = _table_folder(file, root), [*_partitions(file, root)]
        key = (folder, "") if _is_part(file) else (folder, stem(file)) if partitions else (file, "")
        groups.setdefault(key, []).append(file)
    return [path if found == [path] else _parts_of(path, found, root) for (path, _), found in groups.items()]


def parts_in(paths: Sequence[str]) -> Parts:
    """Return all files of paths, folders and patterns as the parts of one table."""
    files = [file for path in paths for file in files_of(path) or [path]]
    return _parts_of(paths[0], files, _common_folder([_fixed(path) for path in paths]))


def _parts_of(path: str, files: Sequence[str], root: str) -> Parts:
    """Return files as the parts of a table. `root`: the folder of its partitions."""
    return Parts(path, tuple(files), tuple(dict.fromkeys(key for file in files for key, _ in _partitions(file, root))))


def name_of(run: Run) -> str:
    """Return the name of a run: that of its file, or of the folder of its parts."""
    if isinstance(run, str):
        return stem(run)
    names = {*map(stem, run.files)}
    return names.pop() if len(names) == 1 and not _is_part(run.files[0]) else Path(run.path).absolute().name


def named_by_files(runs: Sequence[Run]) -> RunFiles:
    """Return runs by the names of their files. Raises InputError if two names are equal."""
    found = RunFiles()
    for run in runs:
        name = name_of(run)
        if name in found:
            raise InputError(
                f"{os.fspath(found[name])} and {os.fspath(run)} have the same name {name!r}: rename one of them, or "
                "pass a dict of name -> path"
            )
        found[name] = run
    return found


def _is_part(path: str) -> bool:
    """Return whether the name of a file numbers a part of a table."""
    return _PART.fullmatch(stem(path)) is not None and is_readable_file(path)


def _is_partition(folder: str) -> bool:
    return _PARTITION.fullmatch(os.path.basename(folder)) is not None and os.path.isdir(folder)


def _partitions(file: str, root: str) -> Iterator[tuple[str, str | None]]:
    """Yield the names and values of the Hive partitions of a file below a folder."""
    for name in Path(file).parent.parts[len(Path(root).parts) :]:
        match = _PARTITION.fullmatch(name)
        if match:
            yield unquote(match[1]), None if match[2] == _NO_VALUE else unquote(match[2])


def _table_folder(file: str, root: str) -> str:
    """Return the folder of the table of a file: the nearest one that is no Hive partition below `root`."""
    folder = Path(file).parent
    while len(folder.parts) > len(Path(root).parts) and _PARTITION.fullmatch(folder.name):
        folder = folder.parent
    return str(folder)


def _fixed(path: str) -> str:
    """Return the folder of a file, a folder itself, or the folders of a pattern before its first wildcard."""
    if os.path.isdir(path):
        return path
    folder = os.path.dirname(path)
    while not is_readable_file(path) and glob.has_magic(folder):
        folder = os.path.dirname(folder)
    return folder


def _common_folder(folders: Sequence[str]) -> str:
    try:
        return os.path.commonpath(folders)
    except ValueError:
        # Absolute and relative paths have none.
        return ""


def stem(path: str) -> str:
    """Return the name of a file without its folder, `.gz` or `.zst`, and the suffix of its format."""
    name = Path(path).name
    for suffixes in ((".gz", ".zst"), _SUFFIXES):
        found = [suffix for suffix in suffixes if name.lower().endswith(suffix)]
        name = name[: len(name) - len(found[0])] if found and len(found[0]) < len(name) else name
    return name


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
    given, parts = (
        parts,
        replace(parts, files=tuple(file for file in parts.files if Path(file).stat().st_size) or parts.files),
    )
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
    if role == "run" and types and state.form.asked is None:
        _refuse_empty_partitions(state, given, table)
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


def _refuse_empty_partitions(state: Connection, parts: Parts, table: Table) -> None:
    """Raise InputError for a partition without rows, because the result would lack it."""
    columns = ", ".join(f"cast(t.{DUCKDB.identifier(key)} as varchar)" for key in parts.keys)
    found = {*state.rows(f"select distinct {columns} from {table.sql} as t")}
    for file in parts.files:
        values = parts.values(file)
        if table.unanswered is None and tuple(values.values()) not in found:
            named = ", ".join(f"{key}={value}" for key, value in values.items())
            raise InputError(
                f"{parts.path} has no rows of {named}: check their source, or leave the folder out. If the searches "
                f"returned nothing, pass them as asked=, with the columns query_id and {', '.join(parts.keys)}"
            )


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
