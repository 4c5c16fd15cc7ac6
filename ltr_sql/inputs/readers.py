"""Read files: one reader per suffix. To add an input format, add its reader to `READERS`."""

import csv
import glob
import gzip
import json
import os
import re
import stat
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import duckdb

from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import INTERRUPTIONS, Connection, input_error, with_positions
from ltr_sql.inputs.containers import (
    columns_of_arrays,
    columns_of_dict,
    columns_of_lists,
    is_dict_of_columns,
    is_dict_of_dicts,
    unanswered_queries,
)
from ltr_sql.inputs.tables import (
    IDS,
    LARGEST_EXACT,
    LOG_NUMBERS,
    NUMBERS,
    Table,
    is_integer,
    is_nested,
    is_number,
    listed_names,
    may_repeat_columns,
    refuse_repeated_columns,
    with_whole_ids,
)
from ltr_sql.inputs.text_files import (
    SAMPLED,
    PlainFile,
    TextForm,
    fields_of,
    form_of,
    is_number_text,
    plain_file,
)
from ltr_sql.rendering.columns import EXACT
from ltr_sql.rendering.dialects import DUCKDB, path_string, string, utf8_path
from ltr_sql.rendering.templates import render_template
from ltr_sql.stages import stage

_COLUMNS = {
    "run": ("query_id", "q0", "doc_id", "given_rank", "score", "run_id"),
    "qrels": ("query_id", "subtopic", "doc_id", "relevance"),
    "ranks": ("query_id", "doc_id", "rank"),
    "scored_ranks": ("query_id", "doc_id", "rank", "score"),
}
_READ = {**_COLUMNS, "run": ("query_id", "doc_id", "score")}
_NUMBERS = ("score", "relevance", "rank")
_FILES = {
    "run": "a TREC run has",
    "qrels": "TREC judgments have",
    "ranks": "a run of MS MARCO has",
    "scored_ranks": "a run of ColBERT has",
}
# Characters that separate columns, as in trec_eval.
_BLANKS = " \t\v\f\r"


def read_trec(state: Connection, file: PlainFile, role: str, form: TextForm) -> Table:
    """Load a file without a header: a TREC run, TREC judgments, or ranks.

    If all blanks in the file are equal, DuckDB's CSV reader splits the columns, which is many times faster. If this
    fails, the file is read again and split at any sequence of blanks. Raises InputError for malformed lines.
    """
    delimiter = form.delimiter
    # A run with the columns of judgments is malformed. Ranks are those of MS MARCO, or with scores those of ColBERT.
    role = form.format if form.format.endswith("ranks") else "qrels" if role in ("qrels", "history") else "run"
    first = next(_lines(file, delimiter), None)
    blank = delimiter or (file.blanks.decode() if file.blanks in (b" ", b"	") else None)
    only_id = first[1][5] if role == "run" and blank and first and len(first[1]) > 5 else None
    # Try the fastest way first. Each way accepts more files than the one before, and the last one every valid file.
    ways = [(blank, only_id)] * bool(only_id) + [(blank, None)] * bool(blank) + [(None, None)] * (not delimiter)
    for separator, run_id in ways:
        try:
            table = state.load(_query(file, role, separator, run_id, comments=state.comments))
            break
        except INTERRUPTIONS:
            raise
        except duckdb.Error as error:
            if (separator, run_id) == ways[-1]:
                _refuse_malformed_lines(file, role, state.comments, delimiter)
                raise input_error(error) from None
    if role == "qrels":
        varied = state.rows(f"select count(distinct q.subtopic) > 1 from {table.sql} as q")
        return replace(table, subtopics_vary=bool(varied[0][0]))
    if role != "run":
        return table
    return replace(table, run_ids=(run_id,)) if run_id else _with_systems(state, table, file.given)


def _with_systems(state: Connection, table: Table, given: str) -> Table:
    """Return a run whose run ids are the grouping column `system` if they are systems. Otherwise drop the run ids.

    Several run ids are systems if they share a query, unless a convention reads a file as one run. Run ids without a
    common query, such as those of folds, are parts of one run. A call that groups by system decides for systems.
    """
    found = state.rows(f"select system from {table.positions} group by system order by min(__ltr_position) asc")
    run_ids = tuple(name for (name,) in found)
    if len(run_ids) > 1:
        shared = f"select t.query_id from {table.sql} as t group by t.query_id having count(distinct t.system) > 1"
        apart = not state.form.by_system and not state.rows(f"{shared} limit 1")
        if not apart and not state.form.one_run:
            return replace(table, run_ids=run_ids, systems=run_ids, grouped_by=("system",))
        why = "share no query, so they are parts of one run" if apart else "are one run, as for the tool"
        state.notes.append(
            f"{given} has {len(run_ids)} run ids ({listed_names(run_ids, 3)}), which {why}. If each is a system, "
            "evaluate with keys=['system']"
        )
    return replace(
        table,
        sql=f"(select * exclude (system) from {table.sql})",
        positions=f"(select * exclude (system) from {table.positions})",
        columns={name: kind for name, kind in table.columns.items() if name != "system"},
        run_ids=run_ids,
    )


def _query(file: PlainFile, role: str, separator: str | None, run_id: str | None, *, comments: bool) -> str:
    """Return the query that reads a file.

    - `separator`: the only blank in the file, or the character that separates columns. None splits lines at any
      sequence of blanks.
    - `run_id`: the only run id that the file may have. If it is None, the column `system` holds the run ids.
    """
    query = render_template(
        "inputs/trec_lines.sql" if separator is None else "inputs/trec.sql",
        path=utf8_path(file.given),
        file=duckdb_path(file),
        separator=separator,
        columns=_COLUMNS[role],
        kept=_READ[role],
        numbers=_NUMBERS,
        run_id=run_id,
        comments=comments,
        role=role,
        string=string,
    )
    return f"(\n{query}\n)"


def _refuse_malformed_lines(file: PlainFile, role: str, comments: bool, delimiter: str) -> None:
    """Raise InputError for the first malformed line, with its number."""
    columns = _COLUMNS[role]
    for number, fields, line in _lines(file, delimiter):
        where, shown = f"{file.given}, line {number}", repr(line.strip(_BLANKS)[:100])
        if comments and line.startswith("#"):
            continue
        if fields[0] == "#":
            raise InputError(f"{where}: remove the comment, which TREC files cannot have: {shown}")
        if len(fields) < len(columns) or (len(fields) > len(columns) and role == "qrels"):
            raise InputError(
                f"{where}: {len(fields)} columns, but {_FILES[role]} {len(columns)} ({' '.join(columns)}): {shown}"
                + _swapped(number, len(fields), role)
            )
        if not delimiter and _has_blanks_in_fields(line, fields, len(columns)):
            raise InputError(f"{where}: a field has a blank, which separates columns: write _ instead of it: {shown}")
        for name, text in zip(columns, fields, strict=False):
            if (name in _NUMBERS or (name == "given_rank" and len(fields) > len(columns))) and not is_number_text(text):
                raise InputError(f"{where}: {name} must be a number, got {text!r}: {shown}")


def _swapped(number: int, columns: int, role: str) -> str:
    """Return a hint that run and judgments may be swapped, if the first line has the other format."""
    other = "qrels" if role == "run" else "run"
    return "; did you swap run and judgments?" if number == 1 and columns == len(_COLUMNS[other]) else ""


def _has_blanks_in_fields(line: str, fields: list[str], columns: int) -> bool:
    """Return whether a line that contains tabs may have other blanks inside a field."""
    between_tabs = [text for part in line.split("\t") if (text := part.strip(_BLANKS))]
    if len(between_tabs) >= columns:
        # The last column of a run may have blanks, because only its first word is read.
        return between_tabs[: columns - 1] != fields[: columns - 1]
    return len(fields) > columns and "\t" in line.strip(_BLANKS)


def _lines(file: PlainFile, delimiter: str) -> Iterator[tuple[int, list[str], str]]:
    """Yield the number, columns and text of each line that is not blank.

    Yields nothing for a file that DuckDB unpacks. Raises InputError for text that is not UTF-8.
    """
    for number, text in file.lines():
        if stripped := text.strip(_BLANKS):
            yield number, fields_of(stripped, delimiter) if delimiter else re.split(f"[{_BLANKS}]+", stripped), text


# The start of an object whose first value is an object or a list.
_START = re.compile(rb"(\xef\xbb\xbf)?\s*\{\s*\"(?:[^\"\\]|\\.)*\"\s*:\s*[{\[]")
_LOOKED_AT = 10_000


def columns_of_json(file: PlainFile, number: str, ranked: bool, texts: bool) -> tuple[Any, list[str | None]] | None:
    """Return the columns of a file that holds query_id -> doc_id -> number, query_id -> documents, or column -> values.

    - `number`: the name of the column of numbers. With `texts`, texts may stand for them.
    - `ranked`: true if the documents of a list are ranked.

    The second value are the queries without documents. Returns None for a file of records. Raises InputError for a key
    that occurs twice in an object.
    """
    given = _single_object(file)
    if given is None:
        return None
    if is_dict_of_columns(given):
        return columns_of_arrays(given), []
    if all(isinstance(found, list) and all(isinstance(doc, str) for doc in found) for found in given.values()):
        return columns_of_lists(given, ranked), unanswered_queries(given)
    kinds = int | float | str if texts else int | float
    if is_dict_of_dicts(given) and all(
        isinstance(value, kinds) for found in given.values() for value in found.values()
    ):
        return columns_of_dict(given, number), unanswered_queries(given)
    return None


def _single_object(file: PlainFile) -> dict[str, Any] | None:
    """Return the object of a JSON file, or None for records, and for a file that DuckDB unpacks."""
    if file.blanks is None:
        return None
    path = Path(file.path)
    with path.open("rb") as start:
        if not _START.match(start.read(_LOOKED_AT)):
            return None
    if path.stat().st_size > len(file.first_line.encode()) + 2 and _is_json(file.first_line):
        return None

    def unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = next(name for number, (name, _) in enumerate(pairs) if name in dict(pairs[:number]))
            raise InputError(f"{file.given}: the key {twice!r} occurs twice in one object: keep one of its values")
        return found

    try:
        given = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=unique)
    except (json.JSONDecodeError, UnicodeDecodeError):
        # DuckDB says where the file is malformed.
        return None
    return given if isinstance(given, dict) else None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    return True


# What such a folder has, the kind of the table, and what to pass instead.
_KINDS = (
    ("_delta_log", "Delta", "deltalake.DeltaTable(path).to_pyarrow_dataset()"),
    ("metadata/*.metadata.json", "Iceberg", "table.scan().to_arrow() of pyiceberg"),
    ("metadata/version-hint.text", "Iceberg", "table.scan().to_arrow() of pyiceberg"),
    (".hoodie", "Hudi", "a data frame of Spark"),
)


def refuse_lake(folder: str) -> None:
    """Raise InputError for a folder of such a table, or of its data."""
    place = Path(folder)
    while "=" in place.name:
        # A partition, such as day=2026-01-01.
        place = place.parent
    for table in (place, place.parent) if place.name == "data" else (place,):
        for pattern, kind, instead in _KINDS:
            if next(table.glob(pattern), None) is not None:
                raise InputError(
                    f"{table} is a table of {kind}, whose Parquet files also hold rows that were deleted or replaced: "
                    f"in Python, pass {instead}, or copy the table to Parquet with a tool that reads {kind}"
                )


PREFIX = "irds:"
# Columns of ir_datasets, and our names for them.
_THEIR_COLUMNS = {"query_id": "query_id", "doc_id": "doc_id", "subtopic_id": "subtopic", "relevance": "relevance"}


def judgments_of(name: str) -> dict[str, Any]:
    """Return the judgments of a data set of ir_datasets as columns: query_id, doc_id, relevance, and subtopic if any.

    - `name`: the name after `irds:`, such as 'msmarco-passage/trec-dl-2019/judged'.

    ir_datasets downloads the data set on first use. Raises InputError if it is not installed, does not have the data
    set or its judgments, or cannot download them.
    """
    import numpy as np  # noqa: PLC0415  (slow to load)

    try:
        import ir_datasets  # noqa: PLC0415  (optional)
    except ModuleNotFoundError:
        raise InputError(
            f"{PREFIX}{name} is read with ir_datasets, which is not installed: run pip install 'ltr-sql[irds]'"
        ) from None
    try:
        data: Any = ir_datasets.load(name)
    except KeyError:
        raise InputError(f"ir_datasets has no data set {name!r}: see the list on https://ir-datasets.com") from None
    if not data.has_qrels():
        raise InputError(f"the data set {name!r} has no judgments: choose a part that has qrels")
    try:
        rows = [*data.qrels_iter()]
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"ir_datasets cannot read the judgments of {name!r}: {error}") from None
    found = {theirs: ours for theirs, ours in _THEIR_COLUMNS.items() if theirs in data.qrels_cls()._fields}
    return {
        ours: np.array([getattr(row, theirs) for row in rows], dtype=None if ours == "relevance" else object)
        for theirs, ours in found.items()
    }


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
        schema = state.rows(f"select name, num_children from parquet_schema({path_string(file.path)})")
        # The first row of the schema is its root.
        if all(children is None for _, children in schema[1:]):
            refuse_repeated_columns(name for name, _ in schema[1:])
    return with_positions(table, f"read_parquet({path}, file_row_number = true)", "file_row_number")


def read_delimited(state: Connection, file: PlainFile, role: str) -> Table:
    """Load a CSV or TSV file with a header, or a known format without one, such as TREC judgments."""
    file.refuse_long_lines()
    form = _form_of(state, file, role)
    if form.format:
        return read_trec(state, file, role, form)
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
        refuse_repeated_columns(state.rows(header)[0])
    numbers = {name: kind for name, kind in found.items() if _holds_numbers(state, name, kind, role)}
    # Read integers as doubles. DuckDB infers types from the first lines, and would round fractions in later lines. In a
    # table of values, they may be keys, which doubles round: infer those types from all lines.
    whole = state.types(f"read_csv({options}, sample_size = -1)") if role in _OF_VALUES else {}
    integers = [name for name, kind in numbers.items() if is_integer(kind) and not is_integer(whole.get(name, ""))]
    large = [name for name, kind in numbers.items() if kind == "BIGNUM"]
    types = dict.fromkeys(found, "VARCHAR") | numbers | dict.fromkeys([*integers, *large], "DOUBLE")

    def read(types: Mapping[str, str]) -> str:
        return f"read_csv({options}, types = {_struct(types)})"

    try:
        return _loaded(state, role, found, types, read)
    except (duckdb.InvalidInputException, duckdb.ConversionException):
        words = _columns_of_words(state, f"read_csv({options}, all_varchar = true)", [*numbers])
        if not words:
            raise
        # The input validation names them.
        return _loaded(state, role, found, types | dict.fromkeys(words, "VARCHAR"), read)


def _columns_of_words(state: Connection, relation: str, names: Sequence[str]) -> list[str]:
    """Return the columns of texts, among those named, that hold a text which is no number."""
    words = ", ".join(
        f"count(try_cast(t.{name} as double)) < count(t.{name})" for name in map(DUCKDB.identifier, names)
    )
    found = state.rows(f"select {words} from {relation} as t")[0]
    return [name for name, has_words in zip(names, found, strict=True) if has_words]


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
    return _loaded(
        state, role, found, types, lambda types: f"read_json({duckdb_path(file)}, columns = {_struct(types)})"
    )


def read_text(state: Connection, file: PlainFile, role: str) -> Table:
    """Load a run, judgments or a history in TREC format, or any table with a header, such as from standard input."""
    if role in ("log", "documents", "targets", "weights"):
        return read_delimited(state, file, role)
    file.refuse_long_lines()
    form = _form_of(state, file, role)
    if form.names > 1:
        return read_csv(state, file, role, form.delimiter)
    return read_trec(state, file, role, form if form.format else TextForm())


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


def may_have_files(path: str) -> bool:
    """Return whether a path is a folder or a pattern, and no file."""
    return not is_readable_file(path) and (os.path.isdir(path) or glob.has_magic(path))


def is_path(given: Any) -> bool:
    """Return whether an object is a path."""
    return isinstance(given, str | os.PathLike)


@contextmanager
def utf8_name(path: str) -> Iterator[str]:
    """Yield a path of a file that DuckDB can open: a temporary link if the caller's path is not UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        with tempfile.TemporaryDirectory(prefix="ltr_sql-", ignore_cleanup_errors=True) as folder:
            # The suffix tells DuckDB to unpack the file.
            link = Path(folder) / f"link{'.zst' if path.endswith('.zst') else ''}"
            link.symlink_to(Path(path).absolute())
            yield str(link)
    else:
        yield path


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


def _loaded(
    state: Connection,
    role: str,
    found: Mapping[str, str],
    types: Mapping[str, str],
    read: Callable[[Mapping[str, str]], str],
) -> Table:
    """Load a file, with scores as text if doubles may round them, and without fractions of ids that are whole numbers.

    - `found`: the types of its columns that DuckDB infers; `types`: those that are read.
    - `read`: returns SQL of the file, given the types.
    """
    table = state.load(read(types))
    doubles = [name for name, kind in types.items() if kind == "DOUBLE" and state.form.known_name(role, name) in EXACT]
    large = ", ".join(
        f"coalesce(bool_or(isfinite({name}) and abs({name}) >= {LARGEST_EXACT}), false)"
        for name in map(DUCKDB.identifier, doubles)
    )
    are_large = state.rows(f"select {large} from {table.sql}")[0] if large else ()
    texts = [name for name, is_large in zip(doubles, are_large, strict=True) if is_large]
    if texts:
        table = state.load(read({**types, **dict.fromkeys(texts, "VARCHAR")}))
    ids = [name for name, kind in found.items() if state.form.known_name(role, name) in IDS and is_number(kind)]
    return with_whole_ids(state.rows, table, ids)


def _struct(fields: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{string(name)}: {string(text)}" for name, text in fields.items()) + "}"
