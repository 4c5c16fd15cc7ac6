"""Read files without a header: runs and judgments in TREC format, and the ranks of MS MARCO."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import duckdb

from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import INTERRUPTIONS, Connection, input_error
from ltr_sql.inputs.plain_files import PlainFile
from ltr_sql.inputs.tables import Table, listed_names
from ltr_sql.inputs.text_forms import fields_of, is_number
from ltr_sql.rendering.dialects import string, utf8_path
from ltr_sql.rendering.templates import render_template

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


class _Way(NamedTuple):
    """How to read a file.

    - `separator`: the only blank in the file, or the character that separates columns. None splits lines at any
      sequence of blanks.
    - `run_id`: the only run id that the file may have. If it is None, the column `system` holds the run ids.
    """

    separator: str | None = None
    run_id: str | None = None


def read_trec(state: Connection, file: PlainFile, duckdb_path: str, role: str, delimiter: str = "") -> Table:
    """Load a file without a header: a TREC run, TREC judgments, or ranks.

    If all blanks in the file are equal, DuckDB's CSV reader splits the columns, which is many times faster. If this
    fails, the file is read again and split at any sequence of blanks. Raises InputError for malformed lines.

    - `duckdb_path`: the path as arguments of DuckDB's readers.
    - `role`: 'run', 'qrels', 'ranks' for query_id, doc_id and rank, as in MS MARCO, or 'scored_ranks' for these and
      score, as in ColBERT.
    - `delimiter`: the character that separates columns. Empty for blanks.
    """
    first = next(_lines(file, delimiter), None)
    separator = delimiter or (file.blanks.decode() if file.blanks in (b" ", b"	") else None)
    run_id = first[1][5] if role == "run" and separator and first and len(first[1]) > 5 else None
    # Try the fastest way first. Each way accepts more files than the one before, and the last one every valid file.
    ways = [_Way(separator, run_id)] * bool(run_id) + [_Way(separator)] * bool(separator) + [_Way()] * (not delimiter)
    for way in ways:
        try:
            table = state.load(_query(file, duckdb_path, role, way, state.comments))
            break
        except INTERRUPTIONS:
            raise
        except duckdb.Error as error:
            if way == ways[-1]:
                _refuse_malformed_lines(file, role, state.comments, delimiter)
                raise input_error(error) from None
    if role == "qrels":
        varied = state.con.execute(f"select count(distinct q.subtopic) > 1 from {table.sql} as q").fetchall()
        return replace(table, subtopics_vary=bool(varied[0][0]))
    if role != "run":
        return table
    return replace(table, run_ids=(way.run_id,)) if way.run_id else _with_systems(state, table, file.given)


def _with_systems(state: Connection, table: Table, given: str) -> Table:
    """Return a run whose run ids are the grouping column `system` if they are systems. Otherwise drop the run ids.

    Several run ids are systems if they share a query, unless a convention reads a file as one run. Run ids without a
    common query, such as those of folds, are parts of one run. A call that groups by system decides for systems.
    """
    found = state.con.execute(
        f"select system from {table.positions} group by system order by min(__ltr_position) asc"
    ).fetchall()
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


def _query(file: PlainFile, duckdb_path: str, role: str, way: _Way, comments: bool) -> str:
    """Return the query that reads a file."""
    query = render_template(
        "inputs/trec_lines.sql" if way.separator is None else "inputs/trec.sql",
        path=utf8_path(file.given),
        file=duckdb_path,
        separator=way.separator,
        columns=_COLUMNS[role],
        kept=_READ[role],
        numbers=_NUMBERS,
        run_id=way.run_id,
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
            if (name in _NUMBERS or (name == "given_rank" and len(fields) > len(columns))) and not is_number(text):
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
