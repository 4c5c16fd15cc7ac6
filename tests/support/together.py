"""Combine case folders of measures in one table, because planning a query takes longer than evaluating a case.

The query_id of each row starts with the name of its case, so cases need no further key.
"""

import csv
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pandas as pd

from ltr_sql.catalogue.measure_strings import parse_measures
from ltr_sql.catalogue.measures import definitions
from ltr_sql.rendering.dialects import string
from support.case_folders import MEASURE_CASES, Expected, Row, case_id, file_of, load, measured_rows

COLUMNS = {
    "rankings": ["rank", "relevance"],
    "covers": ["doc_id", "rank", "relevance", "subtopic"],
    "pairs": ["rank_a", "rank_b", "score_a", "score_b"],
}


@dataclass(frozen=True)
class Together:
    """The rows of several cases, with their keys and all their measures."""

    keys: list[str]
    columns: list[str]
    measures: list[str]
    rows: list[Row]


def cases_without(macros: Container[str]) -> list[Path]:
    """Return the case folders of all measures except some."""
    return [folder for folder in MEASURE_CASES if folder.parent.name not in macros]


def batches(cases: Iterable[Path]) -> list[list[Path]]:
    """Group cases that one query can evaluate: they have equal columns, and their measures have one row source.

    Separate measures with a largest grade, which would reject higher grades of other cases, and cases with shared
    ranks, which most measures reject.
    """
    groups: dict[tuple[object, ...], list[Path]] = {}
    for folder in cases:
        source = definitions()[folder.parent.name].row_source.name
        group = (kind_of(folder), source, largest_grade(folder), shares_ranks(folder))
        groups.setdefault(group, []).append(folder)
    return list(groups.values())


def largest_grade(folder: Path) -> float | None:
    """Return the largest grade that all measures of a case accept, or None if they accept any."""
    values = [dict(measure.values).get("max_grade") for measure in parse_measures(Expected.of(folder).measures)]
    return min((float(value) for value in values if value is not None), default=None)


def shares_ranks(folder: Path) -> bool:
    """Return whether documents of a case share a rank."""
    file = folder / "rankings.csv"
    if kind_of(folder) != "rankings" or not file.exists():
        return False
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["rank"]]
    ranks_of_rows = [tuple(row[name] for name in row if name not in ("doc_id", "relevance")) for row in rows]
    return len(set(ranks_of_rows)) < len(ranks_of_rows)


def together(cases: Iterable[Path]) -> Together:
    """Combine cases of one kind in one table."""
    expected = {folder: Expected.of(folder) for folder in cases}
    (kind,) = {kind_of(folder) for folder in expected}
    keys = list(dict.fromkeys(key for case in expected.values() for key in case.keys))
    columns = [*keys, "query_id", *COLUMNS[kind]]
    rows = [
        {name: row.get(name) for name in columns} | {"query_id": f"{case_id(folder)} {row['query_id']}"}
        for folder in expected
        for row in measured_rows(folder)
    ]
    # Column names are case-insensitive.
    measures = {text.lower(): text for case in expected.values() for text in case.measures}
    return Together(keys, columns, list(measures.values()), rows)


def kind_of(folder: Path) -> str:
    """Return the kind of a case's rows: a key of COLUMNS."""
    if file_of(folder) == "pairs":
        return "pairs"
    return "covers" if definitions()[folder.parent.name].by_subtopic else "rankings"


def check_together(cases: Iterable[Path], found: Iterable[Row], columns: Callable[[str], str] = str) -> None:
    """Assert that the rows have the expected values of each case. `columns` returns the column of a measure."""
    cases = list(cases)
    of_case: dict[str, list[Row]] = {}
    for row in found:
        case, _, query = row["query_id"].partition(" ")
        renamed = {name.lower(): value for name, value in row.items()} | {"query_id": query}
        of_case.setdefault(case, []).append(renamed)

    def check(folder: Path) -> None:
        expected = Expected.of(folder)
        names = {text: columns(text).lower() for text in expected.measures}
        expected.check(of_case.get(case_id(folder), []), names)

    check_each(cases, check)
    assert of_case.keys() == {case_id(folder) for folder in cases}


def check_each(cases: Iterable[Path], check: Callable[[Path], None]) -> None:
    """Call `check` with each case, and name the cases for which it fails."""
    failed = {}
    for folder in cases:
        try:
            check(folder)
        except AssertionError as error:
            failed[case_id(folder)] = error
    if failed:
        listed = "\n".join(f"{name}: {error}" for name, error in failed.items())
        raise AssertionError(f"{len(failed)} of the cases are wrong\n{listed}")


def joined(cases: Iterable[Path]) -> list[list[Path]]:
    """Return the cases that one query evaluates. Cases with keys and cases without keys are separate."""
    with_keys: dict[bool, list[Path]] = {}
    for folder in cases:
        with_keys.setdefault(bool(Expected.of(folder).keys), []).append(folder)
    return [batch for folders in with_keys.values() for batch in batches(folders)]


def table_of(con: duckdb.DuckDBPyConnection, cases: Sequence[Path]) -> tuple[str, list[str], list[str]]:
    """Create a table of the rows of cases; return it, the keys and the measures. A single case keeps its columns."""
    if len(cases) > 1:
        every = together(cases)
        whole = all(float(row.get("relevance") or 0).is_integer() for row in every.rows)
        types = {
            "rank": "Int64",
            "rank_a": "Float64",
            "rank_b": "Float64",
            "relevance": "Int64" if whole else "Float64",
        }
        frame = pd.DataFrame(every.rows, columns=every.columns)
        con.register("joined", frame.astype({name: kind for name, kind in types.items() if name in frame}))
        name = file_of(cases[0])
        con.execute(f"create or replace table {name} as from joined")
        con.unregister("joined")
        return name, every.keys, every.measures
    (folder,) = cases
    expected = Expected.of(folder)
    name = load(con, folder / f"{file_of(folder)}.csv")
    con.execute(f"update {name} set query_id = {string(case_id(folder))} || ' ' || query_id")
    return name, expected.keys, expected.measures


def sql_list(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(string, texts))}]"
