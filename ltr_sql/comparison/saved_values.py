"""Save and read tables of values as Parquet files, which also record how the values were computed."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from ltr_sql.errors import InputError, OutputError
from ltr_sql.inputs.connection import input_error
from ltr_sql.inputs.readers import SETTINGS_PREFIX, is_text, recorded_settings
from ltr_sql.inputs.run_files import Parts, Run
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.outputs import output_file
from ltr_sql.rendering.dialects import path_string, string
from ltr_sql.rendering.templates import render_template
from ltr_sql.version import __version__

# Settings that must be equal to compare two tables, with their names in messages.
_SETTINGS = {"judgments": "judgments", "convention": "convention", "ties": "tie-breaking rule", "missing": "missing"}
_SHOWN = 12


@dataclass(frozen=True)
class SavedValues:
    """A table of values in a file: one row per system and query, and one column per measure.

    `settings` records how the values were computed. It is empty if the file lacks this record.
    """

    path: str
    table: Table
    settings: Mapping[str, str]

    @property
    def measures(self) -> list[str]:
        """The names of the measures: those in the settings, or else all numeric columns."""
        if "measures" in self.settings:
            return self.settings["measures"].split("\n")
        others = ("query_id", "system")
        return self.table.numeric(others)


def settings_of(state: Session, qrels: Table, measures: Sequence[str], **rules: str) -> dict[str, str]:
    """Return the settings of values: hash of the judgments, rules, measures and version of ltr_sql."""
    qrels.require("the judgments", "query_id", "doc_id", "relevance")
    subtopics = "subtopic" in qrels.columns and qrels.subtopics_vary
    query = render_template("comparison/judgments_hash.sql", qrels=qrels.sql, subtopics=subtopics)
    (found,) = state.rows(query)
    return {"judgments": found[0], **rules, "measures": "\n".join(measures), "version": __version__}


def save_values(state: Session, table: Table, path: str, settings: Mapping[str, str]) -> None:
    """Write a table of values as a Parquet file. Raises OutputError if it cannot be written."""
    metadata = ", ".join(f"{string(SETTINGS_PREFIX + name)}: {string(text)}" for name, text in settings.items())
    try:
        with output_file(path) as temporary:
            state.con.execute(
                f"copy (from {table.sql} order by system asc, query_id asc) to {path_string(temporary)} "
                f"(format parquet, kv_metadata {{{metadata}}})"
            )
    except duckdb.IOException as error:
        raise OutputError(f"{path} cannot be written: {input_error(error)}") from None


def values_or_run(state: Session, path: Run, divided_by: Sequence[str] = ()) -> SavedValues | Table:
    """Read a file, or the parts of a table, as `SavedValues`.

    If it holds a run (TREC format, or a column doc_id), return its `Table` instead. Parts in folders such as
    `dataset=nq` may have judgments of their own, if `divided_by` names the column.
    """
    files = path.files if isinstance(path, Parts) else (path,)
    if is_text(files[0]):
        return state.bind(path, "run")
    table = state.bind(path, "values")
    if "doc_id" in table.columns:
        return table
    name = os.fspath(path)
    table.require(name, "query_id")
    settings = recorded_settings(state.con, files[0])
    for other in files[1:]:
        others = recorded_settings(state.con, other)
        columns = [part.partition("=")[0] for part in Path(other).parts[:-1] if "=" in part]
        if {*columns} & {*divided_by}:
            others.pop("judgments", None)
        of_parts = f"If each {columns[-1]} has its own judgments, pass it by --across or --keys" if columns else ""
        refuse_other_settings(others, other, settings, files[0], of_parts or "Save them again with the same ones")
    return SavedValues(name, table, settings)


def read_values(state: Session, path: Run, divided_by: Sequence[str] = ()) -> SavedValues:
    """Read a table of values; see `values_or_run`. Raises InputError if the file holds something else."""
    found = None if isinstance(path, str) and is_text(path) else values_or_run(state, path, divided_by)
    if not isinstance(found, SavedValues):
        raise InputError(
            f"{os.fspath(path)} is a run, not a table of values per query: pass Parquet, CSV or JSONL without doc_id"
        )
    return found


def refuse_other_settings(
    settings: Mapping[str, str],
    path: str,
    other: Mapping[str, str],
    other_path: str,
    advice: str = "Save the baseline again",
) -> None:
    """Raise InputError if the values of two tables were computed with different judgments or conventions."""
    for name, what in _SETTINGS.items():
        if name in settings and name in other and settings[name] != other[name]:
            raise InputError(
                f"{path} was made with {what} {settings[name][:_SHOWN]}, and {other_path} with "
                f"{other[name][:_SHOWN]}: values are comparable only if these are the same. {advice}"
            )
