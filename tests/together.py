"""The case folders of measures as one table, told apart by a key: for engines that plan slowly."""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path

import duckdb
from test_cases import MEASURE_CASES, Expected, Row, case_id, load_measured, rows_of

COLUMNS = {"rankings": ["rank", "relevance"], "pairs": ["rank_a", "rank_b"]}


@dataclass(frozen=True)
class Together:
    """The rows of all cases of `rankings` or `pairs`, with the measures that they ask for between them."""

    keys: list[str]
    columns: list[str]
    measures: list[str]
    rows: list[Row]


def cases_without(macros: Container[str]) -> list[Path]:
    """The case folders of all measures but some."""
    return [folder for folder in MEASURE_CASES if folder.parent.name not in macros]


def together(kind: str, cases: Iterable[Path]) -> Together:
    """Those of some cases that measure rankings, or pairs."""
    expected = {folder: Expected.of(folder) for folder in cases if (folder / f"{kind}.csv").exists()}
    keys = ["case_id", *dict.fromkeys(key for case in expected.values() for key in case.keys)]
    with duckdb.connect() as con:
        rows = [
            {**row, "case_id": case_id(folder)}
            for folder in expected
            for row in rows_of(con, f"from {load_measured(con, folder)}")
        ]
    measures = {column_of(text): text for case in expected.values() for text in case.measures}
    return Together(keys, [*keys, "query_id", *COLUMNS[kind]], list(measures.values()), rows)


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
