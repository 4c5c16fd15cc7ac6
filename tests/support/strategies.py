"""Random rankings: ties, gaps in ranks, NULL ranks, NULL relevance, float and negative grades, empty queries, keys."""

import os
from collections.abc import Iterable
from typing import Any, TypeVar

import pandas as pd
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

Row = dict[str, Any]
T = TypeVar("T")

# Factor of the number of examples, such as LTR_SQL_MORE_EXAMPLES=20 for a nightly run.
MORE = int(os.environ.get("LTR_SQL_MORE_EXAMPLES", "1"))


def drawn(strategy: st.SearchStrategy[T], number: int) -> list[T]:
    """Draw a number of examples from a strategy, identical in each test run."""
    examples: list[T] = []

    @settings(
        max_examples=number * MORE,
        phases=[Phase.generate],
        database=None,
        derandomize=True,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(example: T) -> None:
        examples.append(example)

    collect()
    return examples


def joined(examples: Iterable[list[Row]]) -> list[Row]:
    """Return the rows of several examples as one table, with the number of the example in the column `example`."""
    return [{"example": str(number), **row} for number, rows in enumerate(examples) for row in rows]


def apart(examples: Iterable[list[Row]]) -> list[Row]:
    """Return the rows of several examples as one table, with the number of the example as a prefix of query_id."""
    return [{**row, "query_id": f"{number} {row['query_id']}"} for number, rows in enumerate(examples) for row in rows]


GRADES = st.sampled_from([None, None, -2, -1, 0, 0, 0, 1, 1, 2, 3, 4, 0.5, 1.5, 2.25])
SCORES = st.sampled_from([0.0, -1.5, 1.0, 2.0, 2.0, 16777216.0, 16777217.0, 0.1, 1e-9])
DOC_IDS = ["d1", "d2", "d10", "9", "10", "a", "A", "é", "z z", "d'", "~", "0"]


@st.composite
def rankings(draw: st.DrawFn) -> list[Row]:
    """Draw rows of several systems and queries, with distinct ranks within a query, in any order and with gaps."""
    rows: list[Row] = []
    systems: list[list[str | None]] = [["a"], ["a", "b"], ["a", None]]
    for system in draw(st.sampled_from(systems)):
        for query in draw(st.lists(st.sampled_from(["q1", "q2", "q3"]), min_size=1, max_size=3, unique=True)):
            ranks = draw(st.lists(st.none() | st.integers(1, 15), max_size=9, unique_by=lambda r: r or object()))
            documents = draw(st.permutations(DOC_IDS))
            rows += [
                {"system": system, "query_id": query, "doc_id": document, "rank": rank, "relevance": draw(GRADES)}
                for document, rank in zip(documents, ranks, strict=False)
            ]
    return draw(st.permutations(rows))


@st.composite
def covers(draw: st.DrawFn) -> list[Row]:
    """Draw rows of documents with the subtopics that they are judged for."""
    rows: list[Row] = []
    for row in draw(rankings()):
        subtopics = draw(st.lists(st.none() | st.integers(1, 4), min_size=1, max_size=3, unique=True))
        rows += [{**row, "subtopic": subtopic, "relevance": draw(GRADES)} for subtopic in subtopics]
    return rows


@st.composite
def covers_of_folds(draw: st.DrawFn) -> list[Row]:
    """Draw rows of `covers` with a second key, which may be NULL."""
    return [{**row, "fold": fold} for fold in ["x", None] for row in draw(covers())]


@st.composite
def pairs(draw: st.DrawFn) -> list[Row]:
    """Draw documents with rank and score in each of two lists, with ties, average ranks and missing documents."""
    ranks = st.none() | st.integers(1, 6) | st.sampled_from([1.5, 2.5, 4.25])
    return [
        {
            "query_id": query,
            "rank_a": draw(ranks),
            "rank_b": draw(ranks),
            "score_a": draw(SCORES),
            "score_b": draw(SCORES),
        }
        for query in ["q1", "q2"]
        for _ in range(draw(st.integers(0, 9)))
    ]


@st.composite
def scored(draw: st.DrawFn) -> list[Row]:
    """Draw rows with scores, many of them tied, and the columns that tie-breaking rules read."""
    rows: list[Row] = []
    for query in ["q1", "q2"]:
        documents = draw(st.lists(st.sampled_from(DOC_IDS), max_size=8, unique=True))
        orders = draw(st.permutations(range(len(documents))))
        rows += [
            {
                "query_id": query,
                "doc_id": document,
                "score": draw(SCORES),
                "relevance": draw(GRADES),
                "row_order": order,
                "rank": len(documents) - order,
            }
            for document, order in zip(documents, orders, strict=True)
        ]
    return rows


@st.composite
def scored_systems(draw: st.DrawFn) -> list[Row]:
    """Draw rows of `scored` for two systems."""
    return [{**row, "system": system} for system in ["a", None] for row in draw(scored())]


def frame(rows: list[Row], columns: list[str]) -> pd.DataFrame:
    """Return the rows as a data frame whose columns keep their types even if they are empty or all NULL."""
    types = {"rank": "Int64", "rank_a": "Float64", "rank_b": "Float64", "subtopic": "Int64", "row_order": "Int64"}
    types |= {"relevance": "Float64", **dict.fromkeys(["score", "score_a", "score_b"], "float64")}
    series = {name: pd.Series([row.get(name) for row in rows], dtype=types.get(name, "str")) for name in columns}
    return pd.DataFrame(series)


def grouped(rows: list[Row], names: list[str]) -> dict[tuple[Any, ...], list[Row]]:
    """Group the rows by the values of some columns."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups
