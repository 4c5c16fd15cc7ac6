"""What each document of a query costs, from the definition."""

import math
from collections.abc import Callable, Sequence

# A measure as a function of the ranks of a query's documents; NaN is a document that was not retrieved.
Valued = Callable[[Sequence[float]], float]


def contributions(ranks: Sequence[float], value: Valued) -> list[float]:
    """Return what each document adds: f(ranking cut at its rank) - f(ranking cut above it), 0 without a rank."""

    def cut(last: float) -> list[float]:
        return [rank if rank <= last else math.nan for rank in ranks]

    return [0.0 if math.isnan(rank) else value(cut(rank)) - value(cut(rank - 1)) for rank in ranks]


def ideal_ranks(ranks: Sequence[float], gains: Sequence[float]) -> list[float]:
    """Return the position of each document with a gain by descending gain, then ascending rank. The others have NaN."""
    order = sorted(range(len(ranks)), key=lambda i: (-gains[i], math.isnan(ranks[i]), ranks[i]))
    places = {i: float(place) for place, i in enumerate(order, 1)}
    return [places[i] if gains[i] > 0 else math.nan for i in range(len(ranks))]


def losses(ranks: Sequence[float], target: Sequence[float], value: Valued) -> list[float]:
    """Return what each document costs: what it adds at its rank in `target`, minus what it adds at its own.

    `target` holds the ideal ranks, or the ranks of a baseline. The losses sum to f(target) - f(ranks).
    """
    reached, here = contributions(target, value), contributions(ranks, value)
    return [a - b for a, b in zip(reached, here, strict=True)]
