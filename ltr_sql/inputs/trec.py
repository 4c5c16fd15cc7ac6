"""Read runs and judgments in TREC format: text files with columns separated by blanks."""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import duckdb

from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import INTERRUPTIONS, Connection, input_error
from ltr_sql.inputs.tables import Table
from ltr_sql.sqltext.dialects import string
from ltr_sql.sqltext.templates import render_template

_COLUMNS = {
    "run": ("query_id", "q0", "doc_id", "given_rank", "score", "run_id"),
    "qrels": ("query_id", "subtopic", "doc_id", "relevance"),
}
_READ = {"run": ("query_id", "doc_id", "score"), "qrels": ("query_id", "subtopic", "doc_id", "relevance")}
_NUMBERS = ("score", "relevance")
_FILES = {"run": "a TREC run has", "qrels": "TREC judgments have"}


def read_trec(state: Connection, path: str, duckdb_path: str, role: str) -> Table:
    """Load a file in TREC format.

    If the first lines have a single separator, DuckDB's CSV reader splits the columns, which is many times faster. If
    it fails, the file is read again and split at any sequence of blanks. Raises InputError for malformed lines.

    - `duckdb_path`: the path as arguments of DuckDB's readers.
    - `role`: 'run' or 'qrels'.
    """
    separator = _separator(path, len(_COLUMNS[role]))
    try:
        try:
            table = state.load(_query(path, duckdb_path, role, separator))
        except duckdb.Error as error:
            if separator is None or isinstance(error, INTERRUPTIONS):
                raise
            table = state.load(_query(path, duckdb_path, role, None))
    except INTERRUPTIONS:
        raise
    except duckdb.Error as error:
        _refuse_malformed_lines(path, role)
        raise input_error(error) from error
    if role == "run":
        return table
    varied = state.con.execute(f"select count(distinct q.subtopic) > 1 from {table.sql} as q").fetchall()
    return replace(table, subtopics_vary=bool(varied[0][0]))


def run_id_in(path: str) -> str:
    """Return the name of a run, from the first line of its file."""
    return next(line.split()[5] for _, line in _lines(path, errors="replace") if line.strip())


def _query(path: str, duckdb_path: str, role: str, separator: str | None) -> str:
    query = render_template(
        "files/trec_lines.sql" if separator is None else "files/trec.sql",
        path=path,
        file=duckdb_path,
        separator=separator,
        columns=_COLUMNS[role],
        kept=_READ[role],
        numbers=_NUMBERS,
        more_allowed=role == "run",
        string=string,
    )
    return f"(\n{query}\n)"


def _separator(path: str, columns: int) -> str | None:
    """Return the blank that separates the columns of the first lines, or None if they use several separators."""
    if path.endswith(".zst"):
        return None
    lines = [line.removesuffix("\n") for _, line in islice(_lines(path, errors="replace"), 100)]
    if not lines:
        raise InputError(f"{path}: the file is empty")
    return next((blank for blank in " \t" if all(_splits(line, blank, columns) for line in lines)), None)


def _splits(line: str, blank: str, columns: int) -> bool:
    """Return whether a line has this number of columns, separated by single blanks."""
    return line.split(blank) == line.split() and len(line.split()) == columns


def _refuse_malformed_lines(path: str, role: str) -> None:
    """Raise InputError for the first malformed line, with its number."""
    columns = _COLUMNS[role]
    if path.endswith(".zst"):
        return
    for number, line in _lines(path, errors="strict"):
        fields = line.split()
        shown = line.strip()[:100]
        if fields and (len(fields) < len(columns) or (len(fields) > len(columns) and role == "qrels")):
            raise InputError(
                f"{path}, line {number}: {len(fields)} columns, but {_FILES[role]} {len(columns)} "
                f"({' '.join(columns)}): {shown!r}"
            )
        if fields and fields[0] == "#":
            raise InputError(f"{path}, line {number}: remove the comment, which TREC files cannot have: {shown!r}")
        for name, text in zip(columns, fields, strict=False):
            if name in _NUMBERS and not _is_number(text):
                raise InputError(f"{path}, line {number}: {name} must be a number, got {text!r}: {shown!r}")


def _lines(path: str, errors: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file with their numbers. Raises InputError if it cannot be read."""
    number = 0
    try:
        with gzip.open(path) if path.endswith(".gz") else Path(path).open("rb") as file:
            for line in file:
                number += 1
                yield number, line.decode("utf-8", errors)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read after line {number}: {error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}, line {number} is not UTF-8: {error.reason}") from error


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
