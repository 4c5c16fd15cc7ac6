"""Simulate the coverage of the intervals of `tune_fusion`: `python -m benchmarks.tuning`.

A query has a value for each of 11 weights of the second of two runs. The mean of the values over all queries is a known
curve, so the true worth of every choice is known. Each repetition draws labelled queries, chooses a weight as
`tune_fusion` does, and asks whether the interval holds the true worth of the chosen weight.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tabulate import tabulate

from ltr_sql.oracle.comparison import t_quantile

Floats = npt.NDArray[np.float64]
WEIGHTS = np.arange(11) / 10
EQUAL = 5
SIZES = (25, 50, 100, 400)
FOLDS, HOLDOUT, LEVEL = 5, 0.3, 0.05
REPETITIONS, AT_ONCE, SEED = 10_000, 500, 51
# The standard deviations over queries, from nDCG@10 of two runs of TREC robust03: of the difference of the runs, and of
# the step between two neighbouring weights.
OF_RUNS, OF_STEPS = 0.20, 0.05


@dataclass(frozen=True)
class Curve:
    """The mean over all queries by weight: it falls by `bend` times the squared distance from the weight `best`."""

    best: float
    bend: float

    @property
    def means(self) -> Floats:
        """The true means, less that of equal weights."""
        means: Floats = -self.bend * (WEIGHTS - self.best) ** 2
        relative: Floats = means - means[EQUAL]
        return relative


CURVES: Mapping[str, Curve] = {
    "all weights are equally good": Curve(0.5, 0),
    "equal weights are best": Curve(0.5, 0.2),
    "0.7 is best, by 0.008": Curve(0.7, 0.2),
    "1.0 is best, by 0.05": Curve(1.0, 0.2),
}


def drawn(random: np.random.Generator, curve: Curve, queries: int) -> Floats:
    """Return values less that of equal weights, by repetition, query and weight."""
    runs = OF_RUNS * random.standard_normal((AT_ONCE, queries, 1)) * (WEIGHTS - 0.5)
    steps = OF_STEPS * random.standard_normal((AT_ONCE, queries, 11))
    walk = np.cumsum(steps, axis=2)
    return runs + walk - walk[:, :, EQUAL : EQUAL + 1] + curve.means


def best(means: Floats) -> npt.NDArray[np.int64]:
    """Return the weight with the best mean, of equal means the one nearest to equal weights."""
    order = np.argsort(np.abs(WEIGHTS - 0.5), kind="stable")
    found: npt.NDArray[np.int64] = order[np.argmax(np.round(means, 12)[:, order], axis=1)]
    return found


def taken(values: Floats, weight: npt.NDArray[np.int64]) -> Floats:
    """Return the values of each repetition at its weight."""
    return np.take_along_axis(values, weight[:, None, None], axis=2)[:, :, 0]


def cross_validated(values: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return the values of each query at the weight that the other folds choose, and the weight that all choose."""
    fold = np.arange(values.shape[1]) % FOLDS
    found = np.empty(values.shape[:2])
    for number in range(FOLDS):
        found[:, fold == number] = taken(values[:, fold == number], best(values[:, fold != number].mean(axis=1)))
    return found, best(values.mean(axis=1))


def held_out(values: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return the values of the queries held out at the weight that the others choose, and this weight."""
    held = int(np.ceil(HOLDOUT * values.shape[1] - 1e-9))
    weight = best(values[:, held:].mean(axis=1))
    return taken(values[:, :held], weight), weight


def summary(tested: Floats, truth: Floats) -> list[float]:
    """Return the sums over repetitions of: the estimate, the interval holds the truth, and it is falsely above 0."""
    queries = tested.shape[1]
    mean = tested.mean(axis=1)
    reach = t_quantile(LEVEL, queries - 1) * tested.std(axis=1, ddof=1) / np.sqrt(queries)
    covered = np.abs(mean - truth) <= reach + 1e-12
    return [mean.sum(), covered.sum(), ((mean - reach > 0) & (truth <= 0)).sum()]


def simulated(curve: Curve, queries: int) -> list[float]:
    """Return the means over repetitions of what the table shows."""
    random = np.random.default_rng(SEED)
    sums = np.zeros(8)
    for _ in range(REPETITIONS // AT_ONCE):
        values = drawn(random, curve, queries)
        tested, chosen = cross_validated(values)
        truth = curve.means[chosen]
        tested_alone, chosen_by_others = held_out(values)
        sums += [
            truth.sum(),
            taken(values, chosen).mean(axis=1).sum(),
            *summary(tested, truth),
            *summary(tested_alone, curve.means[chosen_by_others]),
        ]
    found: list[float] = (sums / REPETITIONS).tolist()
    return found


def table() -> str:
    """Return the table of the guide, in Markdown."""
    rows = []
    for name, curve in CURVES.items():
        for queries in SIZES:
            truth, claimed, estimate, covered, false, _, alone, false_alone = simulated(curve, queries)
            gains = [f"{value:+.4f}" for value in (truth, claimed, estimate)]
            shares = [f"{100 * value:.1f} %" for value in (covered, alone, false, false_alone)]
            rows.append([name, queries, *gains, *shares])
    names = (
        *("truth", "queries", "true gain", "claimed by the grid", "by 5 folds"),
        *("covered, 5 folds", "covered, holdout", "falsely better, 5 folds", "falsely better, holdout"),
    )
    return tabulate(rows, names, tablefmt="pipe", disable_numparse=True)


if __name__ == "__main__":
    print(table())
