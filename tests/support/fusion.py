"""Methods of fusion, random runs, and the comparison of a fused run with the oracle."""

from itertools import pairwise, product
from typing import Any

import pandas as pd
import pytest
from hypothesis import strategies as st

from ltr_sql.catalogue.functions import procedures
from ltr_sql.verification import TOLERANCE
from support.strategies import DOC_IDS, Row

METHODS = list(procedures("fusion"))
OF_SCORES = [name for name, method in procedures("fusion").items() if method.fields["reads"] == "scores"]
WEIGHTED = [name for name, method in procedures("fusion").items() if method.fields["weighted"]]
CHOICES: list[dict[str, Any]] = [
    *({"method": name} for name in METHODS),
    *({"method": name, "norm": norm} for name, norm in product(OF_SCORES, procedures("norm"))),
]


@st.composite
def runs(draw: st.DrawFn, systems: int = 4) -> list[Row]:
    """Draw rows of one to `systems` runs with tied scores, or with ranks that have gaps, in any order."""
    ranked = draw(st.booleans())
    rows: list[Row] = []
    for system in range(draw(st.integers(1, systems))):
        for query in draw(st.lists(st.sampled_from(["q1", "q2"]), min_size=1, max_size=2, unique=True)):
            documents = draw(st.lists(st.sampled_from(DOC_IDS), min_size=1, max_size=7, unique=True))
            ranks = draw(st.lists(st.integers(1, 20), min_size=7, max_size=7, unique=True))
            rows += [
                {
                    "system": f"s{system}",
                    "query_id": query,
                    "doc_id": document,
                    "score": draw(st.sampled_from([3.0, 2.5, 2.5, 1.0, 0.1, 1e-9, 7.25])),
                    **({"rank": rank} if ranked else {}),
                }
                for document, rank in zip(documents, ranks, strict=False)
            ]
    return draw(st.permutations(rows))


def frame(rows: list[Row]) -> pd.DataFrame:
    return pd.DataFrame(rows)


def check_fused(found: list[Row], expected: list[Row], scores: dict[tuple[str, str], Row]) -> None:
    """Compare a fused run with the oracle. Scores that differ by rounding alone may be in either order."""
    places = [(row["query_id"], row["rank"]) for row in expected]
    assert [(row["query_id"], row["rank"]) for row in found] == places
    for row, other in zip(found, expected, strict=True):
        same = scores[row["query_id"], row["doc_id"]]
        assert row["runs"] == same["runs"]
        assert row["score"] == pytest.approx(same["score"], rel=TOLERANCE, abs=TOLERANCE)
        assert row["score"] == pytest.approx(other["score"], rel=TOLERANCE, abs=TOLERANCE)
    for row, after in pairwise(found):
        if row["query_id"] == after["query_id"]:
            assert (row["score"], row["doc_id"]) > (after["score"], after["doc_id"])
