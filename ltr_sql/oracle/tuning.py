"""The choice of the weights of a fusion, from the definitions: grid, folds, choice, and tuned values."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

Values = Mapping[Any, float | None]


@dataclass(frozen=True)
class Tuned:
    """What a grid of values chooses.

    - `choice`: the number of the chosen configuration. `means`: the mean of each one over the queries that choose.
    - `folds`: how many parts of the queries chose each one. `tested`: the tuned value of each query that was not used
      for its choice.
    """

    choice: int
    means: list[float]
    folds: list[int]
    tested: dict[Any, float | None]


def simplex(runs: int, steps: int) -> list[tuple[float, ...]]:
    """Return the weights of `runs` runs that are multiples of 1 / `steps` and add up to 1, the smallest first."""
    points = product(range(steps + 1), repeat=runs)
    return [tuple(i / steps for i in point) for point in points if sum(point) == steps]


def distance_from_equal(weights: Sequence[float]) -> float:
    """Return the sum of the squared differences from equal weights."""
    return round(math.fsum((weight - 1 / len(weights)) ** 2 for weight in weights), 12)


def fold_order(query_ids: Sequence[Any], seed: int = 7) -> list[Any]:
    """Return the queries in the order of the MD5 of the text of the id, followed by the seed."""
    return sorted(query_ids, key=lambda q: (hashlib.md5(f"{q}{seed}".encode(), usedforsecurity=False).hexdigest(), q))


def parts_of(
    query_ids: Sequence[Any], *, folds: int = 5, holdout: float | None = None, seed: int = 7
) -> dict[Any, int | None]:
    """Return the part of each query: its fold; or with `holdout` 0 if it is held out, and otherwise None.

    The query at place i of `fold_order` is in fold i mod `folds`. The first holdout * n queries are held out, rounded
    up: at least one, and at most all but one.
    """
    ordered = fold_order(query_ids, seed)
    if holdout is None:
        return {q: i % folds for i, q in enumerate(ordered)}
    held = min(max(math.ceil(holdout * len(ordered) - 1e-9), 1), len(ordered) - 1)
    return {q: 0 if i < held else None for i, q in enumerate(ordered)}


def choose(values: Sequence[Values], weights: Sequence[Sequence[float]], queries: Sequence[Any], lower: bool) -> int:
    """Return the number of the configuration with the best mean over `queries`, to 12 decimals.

    Of several, it is the one whose weights are nearest to equal, and of these the first.
    """
    sign = 1 if lower else -1
    return min(
        range(len(values)),
        key=lambda i: (sign * round(_mean(values[i], queries), 12), distance_from_equal(weights[i]), i),
    )


def tune(
    values: Sequence[Values],
    weights: Sequence[Sequence[float]],
    *,
    folds: int = 5,
    holdout: float | None = None,
    seed: int = 7,
    lower: bool = False,
) -> Tuned:
    """Return the choice of a grid, and its values by cross-validation or on queries held out.

    - `values`: for each configuration, the value of each query. `weights`: its weights; equal ones for a method
      without weights.
    """
    queries = sorted({q for row in values for q, value in row.items() if value is not None})
    parts = parts_of(queries, folds=folds, holdout=holdout, seed=seed)
    found = {
        part: choose(values, weights, [q for q in queries if parts[q] != part], lower)
        for part in {*parts.values()} - {None}
    }
    choosing = [q for q in queries if holdout is None or parts[q] is None]
    tested = {q: values[found[part]].get(q) for q, part in parts.items() if part is not None}
    return Tuned(
        choose(values, weights, choosing, lower),
        [_mean(row, choosing) for row in values],
        [sum(choice == i for choice in found.values()) for i in range(len(values))],
        tested,
    )


def _mean(values: Values, queries: Sequence[Any]) -> float:
    known = [value for value in (values.get(q) for q in queries) if value is not None]
    return math.fsum(known) / len(known)
