"""Rankings made from scores, and a ranking paired with its ideal order."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ltr_sql.oracle._rows import Column, Floats, Ids, id_bytes, to_floats


def rank_by_score(
    score: Column,
    *,
    doc_id: Ids,
    relevance: Column | None = None,
    row_order: Column | None = None,
    given_rank: Column | None = None,
    ties: str = "docid_desc",
) -> npt.NDArray[np.int64]:
    """Return the rank of each row, counted from 1, when rows are sorted by descending score.

    Integers and decimals are compared exactly. NaN scores come last and tie with each other.
    The tie-breaking rule `ties` is one of:
    - 'docid_desc', 'docid_asc': by doc_id (as str, in byte order), descending or ascending;
    - 'docid_desc_float32': by descending doc_id, after rounding scores to single precision;
    - 'row_order', 'rank': by ascending row_order or given_rank;
    - 'worst', 'best': by ascending or descending relevance, where a missing relevance counts as 0;
    - 'expected': none, so that tied rows share the first of their positions.
    Rows that are still tied are sorted by descending doc_id.

    Empty query (no rows): an empty array.
    Source: trec_eval 10 ('docid_desc'), trec_eval 9 ('docid_desc_float32').
    """
    floats = to_floats(score)
    scores = [_exact(value, number) for value, number in zip(score, floats.tolist(), strict=True)]
    if ties == "docid_desc_float32":
        with np.errstate(over="ignore", under="ignore"):
            scores = floats.astype(np.float32).astype(float).tolist()

    def needed(column: Column | None, name: str) -> list[Any]:
        if column is None:
            raise ValueError(f"ties={ties!r} needs {name}")
        return [_exact(value, number) for value, number in zip(column, to_floats(column).tolist(), strict=True)]

    # The sort key among equal scores: ascending, NaN last. Remaining ties are broken by doc_id.
    tie_key: list[Any] = [0.0] * len(scores)
    if ties == "row_order":
        tie_key = needed(row_order, "row_order")
    elif ties == "rank":
        tie_key = needed(given_rank, "given_rank")
    elif ties == "worst":
        tie_key = [0.0 if math.isnan(g) else g for g in needed(relevance, "relevance")]
    elif ties == "best":
        tie_key = [0.0 if math.isnan(g) else -g for g in needed(relevance, "relevance")]
    elif ties not in ("docid_desc", "docid_asc", "docid_desc_float32", "expected"):
        raise ValueError(
            f"unknown ties {ties!r}: expected 'docid_desc', 'docid_asc', 'docid_desc_float32', "
            "'row_order', 'rank', 'worst', 'best' or 'expected'"
        )

    def ascending_nan_last(value: Any) -> tuple[bool, Any]:
        return (True, 0.0) if math.isnan(value) else (False, value)

    # Sort twice, because sorting is stable: by doc_id, then by score and tie key.
    rows = list(zip(scores, tie_key, map(id_bytes, doc_id), strict=True))
    order = sorted(range(len(rows)), key=lambda j: rows[j][2], reverse=ties != "docid_asc")
    order.sort(key=lambda j: (ascending_nan_last(-rows[j][0]), ascending_nan_last(rows[j][1])))
    ranks = np.empty(len(rows), dtype=np.int64)
    ranks[order] = range(1, len(rows) + 1)
    for above, j in pairwise(order):
        if ties == "expected" and ascending_nan_last(scores[above]) == ascending_nan_last(scores[j]):
            ranks[j] = ranks[above]
    return ranks


def _exact(value: Any, number: float) -> Any:
    """Return a value as a fraction if it is not a float; `number` is the value as a float."""
    if isinstance(value, np.integer):
        value = int(value)
    return Fraction(value) if isinstance(value, int | Decimal) and math.isfinite(number) else number


def pair_with_ideal(rank: Column, relevance: Column) -> tuple[Floats, Floats]:
    """Return the judged rows of a ranking as two lists of ranks: its own ranks and the ideal ones.

    Formula: for each row with a relevance, in input order, rank_a = rank (NaN if not retrieved) and rank_b = 1 + number
    of judged rows with a higher relevance. Equal grades share a rank, and negative grades count with their value.
    Empty query (no judged row): two empty arrays.
    Source: this project, as input of the measures of agreement.
    """
    judged = ~np.isnan(to_floats(relevance))
    grades = to_floats(relevance)[judged]
    rank_b = [1 + np.count_nonzero(grades > grade) for grade in grades]
    return to_floats(rank)[judged], np.array(rank_b, dtype=float)
