"""Read files: one reader per suffix. To add an input format, add its reader to `READERS`."""

import csv
import gzip
import os
import re
import stat
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import duckdb

from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import INTERRUPTIONS, Connection, input_error, with_positions
from ltr_sql.inputs.exact_numbers import LARGEST_EXACT, with_whole_ids
from ltr_sql.inputs.frames import may_repeat_columns, refuse_repeated_columns
from ltr_sql.inputs.json_objects import columns_of_json
from ltr_sql.inputs.lakes import refuse_lake
from ltr_sql.inputs.plain_files import PlainFile, plain_file, utf8_name
from ltr_sql.inputs.tables import IDS, LOG_NUMBERS, NUMBERS, Table, is_integer, is_nested, is_number
from ltr_sql.inputs.text_forms import SAMPLED, TextForm, form_of
from ltr_sql.inputs.trec import read_trec
from ltr_sql.rendering.columns.runs import EXACT
from ltr_sql.rendering.dialects import DUCKDB, path_string, string, utf8_path
from ltr_sql.stages import stage

# A reader binds the table in a file. Its arguments are the connection, the file, and the role (see `session.ROLES`).
Reader: TypeAlias = Callable[[Connection, PlainFile, str], Table]

# Suffixes of compressed files. The suffix before them names the format.
_COMPRESSED = (".gz", ".zst")
# The roles of tables whose columns of numbers may have any name.
_OF_VALUES = ("values", "documents", "targets")
# Names of the settings in files of saved values start with this text.
SETTINGS_PREFIX = "ltr_sql."
_PATTERN = re.compile(r"[*?\[]")
# Texts of JSON files that hold nothing.
_EMPTY_JSON = ("[]", "{}")
# Largest number of bytes of a line that are looked at for a run id.
_LINE = 1000


def read_parquet(state: Connection, file: PlainFile, role: str) -> Table:
    """Bind a Parquet file. Load it only if its name has characters of a pattern."""
    path = duckdb_path(file)
    refuse_lake(str(Path(file.given).parent))
    if _PATTERN.search(file.path) or file.path != file.given:
        # Load the file: DuckDB 1.5 reads its name as a pattern when it pushes a filter into a join. A link to
        # a name that is not UTF-8 is temporary.
        return state.load(f"read_parquet({path})")
    table = state.table(f"read_parquet({path})", stored=False)
    if may_repeat_columns(table.columns):
        schema = state.con.execute(
            f"select name, num_children from parquet_schema({path_string(file.path)})"
        ).fetchall()
        # The first row of the schema is its root.
        if all(children is None for _, children in schema[1:]):
            refuse_repeated_columns(name for name, _ in schema[1:])
    return with_positions(table, f"read_parquet({path}, file_row_number = true)", "file_row_number")


def read_delimited(state: Connection, file: PlainFile, role: str) -> Table:
    """Load a CSV or TSV file with a header, or a known format without one, such as TREC judgments."""
    file.refuse_long_lines()
    form = _form_of(state, file, role)
    if form.format:
        return _read_trec(state, file, role, form)
    form.refuse_without_header(role, file.given)
    table = read_csv(state, file, role, form.delimiter)
    return table if form.names else replace(table, unnamed=file.given)


def read_csv(state: Connection, file: PlainFile, role: str, delimiter: str) -> Table:
    """Load a text file with a header.

    Ids and keys stay text, so that 007 does not become 7, and systems 1.1 and 1.10 stay different. All lines after the
    header are rows, also those that start with #.
    """
    # Set these options. DuckDB would infer them from the first lines, and skip other lines that do not fit.
    options = f"{duckdb_path(file)}, header = true, skip = 0, comment = '', quote = '\"', escape = '\"'"
    if delimiter:
        options += f", delim = {string(delimiter)}"
    try:
        return _load_csv(state, options, role)
    except duckdb.InvalidInputException:
        _refuse_malformed_rows(file, delimiter)
        raise


def _form_of(state: Connection, file: PlainFile, role: str) -> TextForm:
    """Return the form of a text file by its first lines. Raises InputError for a format that is not read here."""
    if file.blanks is None:
        # DuckDB unpacks the file.
        options = "delim = '\n', header = false, quote = '', escape = '', auto_detect = false, strict_mode = false"
        text = f"read_csv({duckdb_path(file)}, {options}, columns = {{'line': 'varchar'}})"
        lines = [line for (line,) in state.rows(f"select t.line from {text} as t limit {SAMPLED}") if line]
    else:
        lines = [line for _, line in islice(file.lines(), SAMPLED)]
    read = [line.strip("\r\ufeff") for line in lines if line.strip() and not (state.comments and line.startswith("#"))]
    return form_of(read, role, file.given, state.form.columns_of(role))


def _read_trec(state: Connection, file: PlainFile, role: str, form: TextForm) -> Table:
    """Load a file without a header in the format of its role."""
    read = "qrels" if role in ("qrels", "history") else "run"
    if form.format.endswith("ranks"):
        read = form.format
    return read_trec(state, file, duckdb_path(file), read, form.delimiter)


def _holds_numbers(state: Connection, name: str, kind: str, role: str) -> bool:
    """Return whether a column holds numbers.

    In a table of values, documents or targets, columns of numbers may have any name. In a table of weights, only
    weight is a number.
    """
    known = state.form.known_name(role, name)
    if role == "weights":
        return known == "weight" and is_number(kind)
    if role == "log" and known in LOG_NUMBERS:
        return True
    return known in NUMBERS or (role in _OF_VALUES and known not in (*IDS, "system") and is_number(kind))


def _load_csv(state: Connection, options: str, role: str) -> Table:
    found = state.types(f"read_csv({options})")
    if may_repeat_columns(found):
        header = f"from read_csv({options.replace('header = true', 'header = false')}, all_varchar = true) limit 1"
        refuse_repeated_columns(state.con.execute(header).fetchall()[0])
    numbers = {name: kind for name, kind in found.items() if _holds_numbers(state, name, kind, role)}
    # Read integers as doubles. DuckDB infers types from the first lines, and would round fractions in later lines.
    integers = [name for name, kind in numbers.items() if is_integer(kind) or kind == "BIGNUM"]
    types = dict.fromkeys(found, "VARCHAR") | numbers | dict.fromkeys(integers, "DOUBLE")
    table = _with_large_numbers(state, role, types, lambda types: f"read_csv({options}, types = {_struct(types)})")
    return with_whole_ids(state.rows, table, _numeric_ids(state, role, found))


def _refuse_malformed_rows(file: PlainFile, delimiter: str) -> None:
    """Raise InputError for the first row with more or fewer columns than the header, with its line."""
    if file.blanks is None or len(delimiter) != 1:
        return
    with Path(file.path).open(encoding="utf-8", errors="replace", newline="") as text:
        rows = csv.reader(text, delimiter=delimiter)
        header = next(rows)
        for row in rows:
            if row and len(row) != len(header):
                raise InputError(
                    f"{file.given}, line {rows.line_num}: {len(row)} columns, but the header has {len(header)} "
                    f"({delimiter.join(header)[:100]}): {delimiter.join(row)[:100]!r}"
                )


def read_json(state: Connection, file: PlainFile, role: str) -> Table:
    """Load a file of JSON objects, one per line or in a list. Ids and keys are read as text.

    A single object is query_id -> doc_id -> number, query_id -> documents, or column -> values.
    """
    number, ranked = "relevance" if role == "qrels" else "score", role in ("run", "baseline")
    columns = columns_of_json(file, number, ranked, texts=bool(state.form.grades))
    if columns is not None:
        return state.with_unanswered(state.register(columns[0]), columns[1], role)
    found = state.types(f"read_json_auto({duckdb_path(file)}, sample_size = -1)")
    # Without ids, keep the types of nested values: the message about missing columns names them.
    flat = {"query_id", "doc_id"} <= {state.form.known_name(role, name) for name in found}
    types = {
        name: "JSON"
        if name in state.form.roots(role)
        else kind
        if _holds_numbers(state, name, kind, role) or (is_nested(kind) and not flat)
        else "VARCHAR"
        for name, kind in found.items()
    }
    table = _with_large_numbers(
        state, role, types, lambda types: f"read_json({duckdb_path(file)}, columns = {_struct(types)})"
    )
    return with_whole_ids(state.rows, table, _numeric_ids(state, role, found))


def read_text(state: Connection, file: PlainFile, role: str) -> Table:
    """Load a run, judgments or a history in TREC format, or any table with a header, such as from standard input."""
    if role in ("log", "documents", "targets", "weights"):
        return read_delimited(state, file, role)
    file.refuse_long_lines()
    form = _form_of(state, file, role)
    if form.names > 1:
        return read_csv(state, file, role, form.delimiter)
    return _read_trec(state, file, role, form if form.format else TextForm())


READERS: Mapping[str, Reader] = {
    ".parquet": read_parquet,
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".jsonl": read_json,
    ".ndjson": read_json,
    ".json": read_json,
}


def is_readable_file(path: str) -> bool:
    """Return whether a path is a file, a pipe or a device such as /dev/stdin."""
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(mode) or stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def read_file(state: Connection, path: str, role: str) -> Table:
    """Bind the table in a file. The suffix selects the reader; `read_text` reads files with other suffixes.

    Raises InputError for a malformed, truncated or damaged file.
    """
    reader = _reader_of(path)
    if reader is read_parquet and path.endswith(_COMPRESSED):
        raise InputError(f"{path}: a Parquet file cannot be read as {Path(path).suffix}: unpack it")
    stage(f"reading {Path(path).name}")
    with utf8_name(path) as name:
        names = [name]
        try:
            with nullcontext(PlainFile(name, path)) if reader is read_parquet else plain_file(name) as file:
                names.insert(0, file.path)
                if reader is not read_parquet and file.is_empty(_EMPTY_JSON if reader is read_json else ()):
                    return _empty_run(state, file, role)
                try:
                    table = reader(state, file, role)
                    return replace(table, unnamed=utf8_path(path)) if table.unnamed else table
                except INTERRUPTIONS:
                    raise
                except duckdb.Error as error:
                    raise _refused(error, file) from None
        except InputError as error:
            message = str(error)
            for read in names:
                message = message.replace(read, utf8_path(path))
            raise InputError(message) from None


def _empty_run(state: Connection, file: PlainFile, role: str) -> Table:
    """Return a run without rows. Raises InputError unless the call names the queries that were asked."""
    if role != "run" or state.form.asked is None:
        hint = ". If the searches returned nothing, pass them as asked=" if role == "run" else ""
        raise InputError(f"{file.given}: the file is empty{hint}")
    return state.load("(select cast('' as varchar) as query_id, cast('' as varchar) as doc_id, 0e0 as score limit 0)")


def _refused(error: duckdb.Error, file: PlainFile) -> InputError:
    """Return the error for a file that DuckDB refuses."""
    try:
        # Name the first line that is not UTF-8: DuckDB may count otherwise.
        for _ in file.lines():
            pass
    except InputError as refused:
        return refused
    return input_error(error)


def first_run_id(path: str) -> str | None:
    """Return the run id in the first line of a run in TREC format.

    None for .zst and other files, and for a file that is not compressed and whose last line has another run id.
    """
    if _reader_of(path) is not read_text or path.endswith(".zst") or not Path(path).is_file():
        return None
    try:
        with gzip.open(path) if path.endswith(".gz") else Path(path).open("rb") as file:
            fields = file.readline(_LINE).decode("utf-8-sig").split()
            if not path.endswith(".gz"):
                file.seek(max(file.seek(0, os.SEEK_END) - _LINE, 0))
                last = file.read().decode("utf-8", "replace").rstrip().rpartition("\n")[2].split()
                fields = fields if last[5:6] == fields[5:6] else []
    except (OSError, EOFError, UnicodeDecodeError, zlib.error):
        # Reading the file later raises the error.
        return None
    return fields[5] if len(fields) > 5 else None


def format_of(path: str) -> str:
    """Return the suffix of the format of a file, without that of its compression. Empty if it has none."""
    return next((suffix.lower() for suffix in reversed(Path(path).suffixes) if suffix not in _COMPRESSED), "")


def is_text(path: str) -> bool:
    """Return whether a file of a run or of values is read as TREC format."""
    return _reader_of(path) is read_text


def recorded_settings(con: duckdb.DuckDBPyConnection, path: str) -> dict[str, str]:
    """Return the settings that a Parquet file of saved values records, by name. Empty for other files."""
    if ".parquet" not in Path(path).suffixes:
        return {}
    with utf8_name(path) as name:
        query = f"select decode(m.key), decode(m.value) from parquet_kv_metadata({duckdb_name(name)}) as m"
        found = dict(con.execute(query).fetchall())
    return {
        name.removeprefix(SETTINGS_PREFIX): text for name, text in found.items() if name.startswith(SETTINGS_PREFIX)
    }


def _reader_of(path: str) -> Reader:
    return READERS.get(format_of(path), read_text)


def duckdb_path(file: PlainFile) -> str:
    """Return the arguments of DuckDB's readers for a file, without expanding patterns or reading Hive partitions."""
    return f"{duckdb_name(file.path)}, hive_partitioning = false"


def duckdb_paths(paths: Sequence[str]) -> str | None:
    """Return a list of paths as SQL, or None if a path is not UTF-8."""
    if any(utf8_path(path) != path for path in paths):
        return None
    return f"[{', '.join(map(duckdb_name, paths))}]"


def duckdb_name(path: str) -> str:
    """Return a path as a string literal that DuckDB does not expand as a pattern."""
    return path_string(_PATTERN.sub(r"[\g<0>]", path))


def _with_large_numbers(
    state: Connection, role: str, types: Mapping[str, str], read: Callable[[Mapping[str, str]], str]
) -> Table:
    """Load a file, with scores as text if doubles may round them.

    `types`: the types of its columns. `read`: returns SQL of the file, given the types.
    """
    table = state.load(read(types))
    doubles = [name for name, kind in types.items() if kind == "DOUBLE" and state.form.known_name(role, name) in EXACT]
    large = ", ".join(
        f"coalesce(bool_or(isfinite({name}) and abs({name}) >= {LARGEST_EXACT}), false)"
        for name in map(DUCKDB.identifier, doubles)
    )
    found = state.rows(f"select {large} from {table.sql}")[0] if large else ()
    texts = [name for name, is_large in zip(doubles, found, strict=True) if is_large]
    return state.load(read({**types, **dict.fromkeys(texts, "VARCHAR")})) if texts else table


def _numeric_ids(state: Connection, role: str, types: Mapping[str, str]) -> list[str]:
    """Return the columns of ids that seem to hold numbers, given the types that DuckDB infers."""
    return [name for name, kind in types.items() if state.form.known_name(role, name) in IDS and is_number(kind)]


def _struct(fields: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{string(name)}: {string(text)}" for name, text in fields.items()) + "}"
