"""Inputs that every engine refuses: `tests/refused.csv`.

A table is written as its columns and its rows, such as `query_id doc_id score; q1 a 3`. Ids are texts and other columns
numbers, unless a column names its type, as in `score:text`.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from support.strategies import Row

PATH = Path(__file__).parents[1] / "refused.csv"
_TYPES = {"query_id": "text", "doc_id": "text", "rank": "integer"}


@dataclass(frozen=True)
class Given:
    """A table: its rows, and the type of each column: 'text', 'integer' or 'double'."""

    types: Mapping[str, str]
    rows: list[Row]

    def __bool__(self) -> bool:
        return bool(self.types)


@dataclass(frozen=True)
class Refused:
    """An input, and what its error says on every engine. `qrels` has no columns if the table `run` has grades."""

    name: str
    run: Given
    qrels: Given
    error: str


def refused() -> list[Refused]:
    """Return the inputs of the table."""
    with PATH.open(encoding="utf-8", newline="") as file:
        return [Refused(r["input"], given(r["run"]), given(r["qrels"]), r["error"]) for r in csv.DictReader(file)]


def given(text: str) -> Given:
    """Return a table from its text."""
    header, *lines = [part.split() for part in text.split(";")]
    names = [column.partition(":") for column in header]
    types = {name: kind or _TYPES.get(name, "double") for name, _, kind in names}
    read = {"text": str, "integer": int, "double": float}
    return Given(
        types,
        [
            {
                name: None if value == "NULL" else read[kind](value)
                for (name, kind), value in zip(types.items(), line, strict=True)
            }
            for line in lines
        ],
    )
