"""Inputs that every engine refuses: `tests/refused.csv`.

A table is its columns and its rows, such as `query_id doc_id score; q1 a 3`. Ids are texts and other columns numbers,
unless a column names its type, as in `score:text`. `raised` is what the query of the measures may say instead on an
engine that checks the input while it runs. `sql` is what the macros of DuckDB say, or is empty if they do not check it.
"""

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from support.places import TESTS
from support.strategies import Row

_TYPES = {"query_id": "text", "doc_id": "text", **dict.fromkeys(("rank", "rank_a", "rank_b"), "integer")}
_READ: Mapping[str, Any] = {"text": str, "integer": int, "double": float}


@dataclass(frozen=True)
class Given:
    """A table: the type of each column, which is 'text', 'integer' or 'double', and the rows."""

    types: Mapping[str, str]
    rows: list[Row]


@dataclass(frozen=True)
class Refused:
    """An input, and the patterns of its errors. `qrels` is None for a table of rankings or pairs."""

    name: str
    run: Given
    qrels: Given | None
    error: str
    raised: str
    sql: str

    @property
    def tables(self) -> dict[str, Given]:
        """The tables by name."""
        return {"run": self.run} if self.qrels is None else {"run": self.run, "qrels": self.qrels}

    @property
    def measure(self) -> str:
        """A measure of these tables."""
        return "KendallTau" if "rank_a" in self.run.types else "AP"


def given(text: str) -> Given:
    """Return a table from its text."""
    header, *lines = [part.split() for part in text.split(";")]
    columns = [column.partition(":") for column in header]
    types = {name: kind or _TYPES.get(name, "double") for name, _, kind in columns}
    rows = [dict(zip(types, line, strict=True)) for line in lines]
    return Given(types, [{n: None if v == "NULL" else _READ[types[n]](v) for n, v in row.items()} for row in rows])


def _refused(row: Mapping[str, str]) -> Refused:
    error = re.escape(row["error"])
    raised = f"({error}|{re.escape(row['raised'])})" if row["raised"] else error
    qrels = given(row["qrels"]) if row["qrels"] else None
    return Refused(row["input"], given(row["run"]), qrels, error, raised, row["sql"])


with (TESTS / "refused.csv").open(encoding="utf-8", newline="") as _file:
    REFUSED = [_refused(row) for row in csv.DictReader(_file)]
