"""Calibration of comparisons: simulate experiments whose truth is known, compare systems in SQL, count errors.

Prints the shares by name as JSON.
"""

import json
import warnings
from collections.abc import Mapping
from typing import Any

import duckdb
import numpy as np
import pandas as pd

import ltr_sql

EXPERIMENTS = 2000
QUERIES = 50
SYSTEMS = 8
# Number of random sign assignments, and of bootstrap samples, per experiment.
REPLICATES = 1000

PROCEDURES: tuple[Mapping[str, Any], ...] = (
    {"test": "t", "adjust": "none"},
    {"test": "t", "adjust": "holm"},
    {"test": "wilcoxon", "adjust": "holm"},
    {"test": "sign", "adjust": "holm"},
    {"test": "randomization", "adjust": "holm", "replicates": REPLICATES},
)
INTERVALS = ("t", "abc", "percentile", "bca")


def false_differences() -> dict[str, float]:
    """Return, for each procedure, the share of experiments with equal systems where one is called better or worse."""
    values = _equal_systems(np.random.default_rng(1))
    shares = {}
    for options in PROCEDURES:
        found = _compare(values, **options)
        of_experiment = found["verdict"].isin(["better", "worse"]).groupby(found["experiment"]).any()
        shares[f"{options['test']}, {options['adjust']}"] = float(of_experiment.mean())
    return shares


def coverages() -> dict[str, float]:
    """Return, for each kind of interval, the share of the 95 % intervals that contain the true difference."""
    values, truth = _different_systems(np.random.default_rng(2))
    shares = {}
    for ci in INTERVALS:
        found = _compare(values, ci=ci, resamples=REPLICATES)
        shares[f"interval {ci}"] = float(((found["low"] <= truth) & (truth <= found["high"])).mean())
    return shares


def _values(random: np.random.Generator, difficulty: Any, systems: int) -> Any:
    """Draw values in [0, 1], as nDCG has them: many queries are near 0, and systems agree on which are difficult."""
    noise = random.normal(0, 0.15, (*difficulty.shape, systems))
    return np.clip(difficulty[..., None] + noise, 0, 1).round(4)


def _equal_systems(random: np.random.Generator) -> pd.DataFrame:
    difficulty = random.beta(0.8, 1.2, (EXPERIMENTS, QUERIES))
    return _frame(_values(random, difficulty, SYSTEMS))


def _different_systems(random: np.random.Generator) -> tuple[pd.DataFrame, float]:
    """Return values of a system and a better one, and the true difference.

    The better system gains on some queries only, so the differences are skewed. The true difference is the mean of
    a large sample.
    """

    def draw(experiments: int) -> Any:
        values = _values(random, random.beta(0.8, 1.2, (experiments, QUERIES)), 2)
        gains = random.exponential(0.2, values.shape[:2]) * (random.random(values.shape[:2]) < 0.2)
        values[..., 1] = np.clip(values[..., 1] + gains, 0, 1).round(4)
        return values

    sample = draw(40_000)
    return _frame(draw(EXPERIMENTS)), float((sample[..., 1] - sample[..., 0]).mean())


def _frame(values: Any) -> pd.DataFrame:
    experiment, query, system = (index.ravel() for index in np.indices(values.shape))
    return pd.DataFrame({"experiment": experiment, "query_id": query, "system": system, "m": values.ravel()})


def _compare(values: pd.DataFrame, **options: Any) -> pd.DataFrame:
    with warnings.catch_warnings(), duckdb.connect(config={"threads": 2}) as con:
        warnings.simplefilter("ignore")
        found: pd.DataFrame = ltr_sql.compare(values, values=True, keys=["experiment"], con=con, **options)
    return found


if __name__ == "__main__":
    print(json.dumps(false_differences() | coverages()))
