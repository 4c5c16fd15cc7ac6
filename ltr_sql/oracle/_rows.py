"""Helpers of the oracle: columns, cutoffs, relevance and gains of the rows of one query."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import update_wrapper
from inspect import Parameter, Signature, signature
from typing import Any

import numpy as np
import numpy.typing as npt

Column = Sequence[float | None] | npt.NDArray[Any]
Ids = Sequence[Hashable] | npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Measured = Callable[..., Any]


def to_floats(values: Column) -> Floats:
    """Return the column as a 1-D float array, with None as NaN."""
    array = np.asarray(values, dtype=float)
    if array.ndim != 1:
        raise ValueError(f"expected a 1-D sequence, got {array.ndim} dimensions")
    return array


def value_if_empty(empty: str, rank: Column) -> float:
    """Return the value of an empty query: 0, 1 or NaN, or with 'none_retrieved' 1 if no row has a rank, else 0."""
    none_retrieved = float(np.isnan(to_floats(rank)).all())
    return {"0": 0.0, "1": 1.0, "skip": math.nan, "none_retrieved": none_retrieved}[empty]


def taking(columns: str, measure: Callable[..., Any], measured: Measured, **added: Any) -> Measured:
    """Return `measured` as the measure that it computes: with its name, docstring and options, and those `added`.

    `columns` are the names of its positional arguments. The measure itself takes something made of them.
    """
    own = [p for p in signature(measure).parameters.values() if p.kind is Parameter.KEYWORD_ONLY]
    names = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in columns.split()]
    others = [Parameter(name, Parameter.KEYWORD_ONLY, default=default) for name, default in added.items()]
    update_wrapper(measured, measure)
    measured.__signature__ = Signature([*names, *own, *others])  # type: ignore[attr-defined]
    return measured


def with_empty(default: str = "0") -> Callable[[Callable[..., float]], Callable[..., float]]:
    """Return a decorator that adds the parameter `empty`. The measure is not computed for an empty query.

    A row is relevant if its grade is at least `rel`. For a measure without `rel`, it is relevant if its grade is
    positive, at least `level`, and above `min_rel`. Rows without a subtopic do not count for measures of subtopics.
    """

    def decorate(measure: Callable[..., float]) -> Callable[..., float]:
        defaults = {name: p.default for name, p in signature(measure).parameters.items()}

        def measured(rank: Column, relevance: Column, *, empty: str = default, **given: Any) -> float:
            grades = to_floats(relevance).tolist()
            subtopics = given.get("subtopic", grades)
            counted = [g for g, subtopic in zip(grades, subtopics, strict=True) if subtopic is not None]
            relevant = any(_counts(g, defaults | given) for g in counted)
            return measure(rank, relevance, **given) if relevant else value_if_empty(empty, rank)

        return taking("rank relevance", measure, measured, empty=default)

    return decorate


def _counts(grade: float, given: Mapping[str, Any]) -> bool:
    """Return whether a grade is relevant by the parameters of a measure; NaN never is."""
    if "rel" in given:
        return is_relevant(grade, given["rel"])
    level, above = given.get("level"), given.get("min_rel", 0.0)
    return grade > above and (level is None or grade >= level)


def rows_of(rank: Column, relevance: Column) -> list[tuple[float, float]]:
    """Return the (rank, relevance) pairs of one query as Python floats."""
    return list(zip(to_floats(rank).tolist(), to_floats(relevance).tolist(), strict=True))


def in_top(rank: float, k: int | None) -> bool:
    """Return whether a rank is in the top k; NaN never is."""
    return not math.isnan(rank) and (k is None or rank <= k)


def is_relevant(relevance: float, rel: float) -> bool:
    """Return whether a grade is at least `rel`; NaN never is."""
    return not math.isnan(relevance) and relevance >= rel


def relevant_ranks(rank: Column, relevance: Column, k: int | None, rel: float) -> list[float]:
    """Return the ranks of the relevant rows in the top k."""
    return [i for i, g in rows_of(rank, relevance) if is_relevant(g, rel) and in_top(i, k)]


def nonrelevant_ranks(rank: Column, relevance: Column, rel: float) -> list[float]:
    """Return the ranks of the retrieved nonrelevant rows, whose grade is at least 0 and below `rel`."""
    return [i for i, g in rows_of(rank, relevance) if in_top(i, None) and 0 <= g < rel]


def count_relevant(relevance: Column, rel: float) -> int:
    """Return R, the number of relevant rows, retrieved or not."""
    return sum(is_relevant(g, rel) for g in to_floats(relevance).tolist())


def gain_of(relevance: float, gain: str, level: float | None = None) -> float:
    """Return the gain of a grade; missing and negative grades, and grades below `level`, have the gain 0."""
    if math.isnan(relevance) or relevance < (0 if level is None else level):
        return 0.0
    if gain == "linear":
        return relevance
    if gain == "binary":
        return 1.0 if relevance > 0 else 0.0
    return float(2.0**relevance - 1.0)


def check_gain(gain: str) -> None:
    """Raise ValueError for an unknown value of `gain`."""
    if gain not in ("linear", "exponential", "binary"):
        raise ValueError(f"unknown gain {gain!r}: expected 'linear', 'exponential' or 'binary'")


def discount_of(rank: float, discount: str) -> float:
    """Return the divisor of a gain at a rank."""
    return {"log2": math.log2(rank + 1), "rank": float(rank)}[discount]


def ideal_dcg(
    relevance: Column, ideal: str, *, k: int | None, retrieved: float, gain: str, discount: str, level: float | None
) -> float:
    """Return the DCG of the ideal ranking of the rows, for a ranking of `retrieved` rows; see `ndcg` for `ideal`.

    Nothing retrieved is cut at 1, so that a query with a gain has the value 0 and is not taken for an empty query.
    """
    if ideal == "full" and k is None:
        raise ValueError("ideal = 'full' needs a cutoff")
    gains = sorted((gain_of(g, gain, level) for g in to_floats(relevance).tolist()), reverse=True)
    returned = max(int(retrieved), 1) if k is None else max(min(k, int(retrieved)), 1)
    best = gains[:1] * (k or 0) if ideal == "full" else gains[: {"cut": k, "whole": None, "returned": returned}[ideal]]
    return math.fsum(g / discount_of(j, discount) for j, g in enumerate(best, start=1))


def id_bytes(identifier: Hashable) -> bytes:
    """Return an id as UTF-8 bytes, which compare like C's strcmp."""
    return str(identifier).encode("utf-8")
