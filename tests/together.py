"""The case folders of measures as one table, told apart by a key: for engines that plan slowly."""

import csv
from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path

import duckdb
from test_cases import MEASURE_CASES, Expected, Row, case_id, load_measured, rows_of

from ltr_sql.language.catalogue import definitions

COLUMNS = {
    "rankings": ["rank", "relevance"],
    "covers": ["doc_id", "rank", "relevance", "subtopic"],
    "pairs": ["rank_a", "rank_b", "score_a", "score_b"],
}


@dataclass(frozen=True)
class Together:
    """The rows of all cases of one kind, with the measures that they ask for between them."""

    keys: list[str]
    columns: list[str]
    measures: list[str]
    rows: list[Row]


def cases_without(macros: Container[str]) -> list[Path]:
    """The case folders of all measures but some."""
    return [folder for folder in MEASURE_CASES if folder.parent.name not in macros]


def batches(cases: Iterable[Path]) -> list[list[Path]]:
    """Cases that one query can measure, and plan: those of measures of one base.

    A measure that refuses grades above its scale would refuse those of others, and most have no value where documents
    share a rank.
    """
    apart = {macro for macro, definition in definitions().items() if definition.parameter("max_grade")}
    groups: dict[str, list[Path]] = {}
    for folder in cases:
        alone = folder.parent.name in apart or shares_ranks(folder)
        base = definitions()[folder.parent.name].row_source.name
        groups.setdefault(case_id(folder) if alone else base, []).append(folder)
    return list(groups.values())


def shares_ranks(folder: Path) -> bool:
    """Whether two documents of one of a case's rankings have the same rank."""
    file = folder / "rankings.csv"
    if kind_of(folder) != "rankings" or not file.exists():
        return False
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["rank"]]
    places = [tuple(row[name] for name in row if name not in ("doc_id", "relevance")) for row in rows]
    return len(set(places)) < len(places)


def together(kind: str, cases: Iterable[Path]) -> Together:
    """Those of some cases that measure rankings, rankings with subtopics, or pairs."""
    expected = {folder: Expected.of(folder) for folder in cases if kind_of(folder) == kind}
    keys = ["case_id", *dict.fromkeys(key for case in expected.values() for key in case.keys)]
    with duckdb.connect() as con:
        rows = [
            {**row, "case_id": case_id(folder)}
            for folder in expected
            for row in rows_of(con, f"from {load_measured(con, folder)}")
        ]
    measures = {column_of(text): text for case in expected.values() for text in case.measures}
    return Together(keys, [*keys, "query_id", *COLUMNS[kind]], list(measures.values()), rows)


def kind_of(folder: Path) -> str:
    """What the rows of a case are."""
    if (folder / "pairs.csv").exists():
        return "pairs"
    return "covers" if definitions()[folder.parent.name].by_subtopic else "rankings"


def check_case(folder: Path, found: Iterable[Row]) -> None:
    """Assert that the rows of a case, among those of all, have the values that it expects."""
    rows = [{column_of(name): value for name, value in row.items()} for row in found]
    expected = Expected.of(folder)
    expected.check(
        [row for row in rows if row["case_id"] == case_id(folder)],
        {text: column_of(text) for text in expected.measures},
    )


def column_of(text: str) -> str:
    """A measure string as engines tell columns apart: whatever its case."""
    return text.lower()
