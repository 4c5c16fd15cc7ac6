"""Random values of systems, and the rows that compare them."""

import math
import random
from typing import Any

import pandas as pd
import pytest

from ltr_sql.oracle import comparison as oracle

Rows = list[dict[str, Any]]


def records(frame: pd.DataFrame) -> Rows:
    """Return rows as dicts, with None for NULL."""
    return [
        {
            str(name): None
            if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))
            else value
            for name, value in row.items()
        }
        for row in frame.astype(object).to_dict("records")
    ]


def assert_same(found: Any, expected: Any, what: str, tolerance: float = 1e-12) -> None:
    if isinstance(expected, float) and isinstance(found, (int, float)):
        assert found == pytest.approx(expected, rel=tolerance, abs=tolerance), what
    elif isinstance(expected, list):
        assert list(found) == expected, what
    else:
        assert found == expected, what


def random_sets(seed: int, *, sets: int = 20, complete: bool = False, systems: int = 4) -> list[list[oracle.Value]]:
    """Draw sets of two to five systems and few queries, with ties, missing queries and NULL.

    One call compares all sets, each as a stratum, because the time of a call hardly depends on the number of sets.
    """
    chance = random.Random(seed)

    def value() -> float | None:
        if not complete and chance.random() < 0.07:
            return None
        return chance.choice([0.0, 0.1, 0.2, 0.3, 0.5, 1.0]) if chance.random() < 0.6 else round(chance.random(), 6)

    def one_set() -> list[oracle.Value]:
        queries, names = chance.randint(2 if complete else 1, 12), chance.randint(2, systems)
        return [
            (f"q{query}", f"s{name}", value())
            for query in range(queries)
            for name in range(names)
            if complete or query == 0 or chance.random() < 0.9
        ]

    return [one_set() for _ in range(sets)]


def table_of(sets: list[list[oracle.Value]], measure: str) -> pd.DataFrame:
    """Return the sets as one table of values, with the column `number`."""
    rows = [(number, query, system, value) for number, rows in enumerate(sets) for query, system, value in rows]
    return pd.DataFrame(rows, columns=["number", "query_id", "system", measure]).astype({measure: float})
