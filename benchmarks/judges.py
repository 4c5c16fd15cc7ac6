"""How often intervals cover the truth: an LLM that favours a system, people for some queries, and sessions.

`python -m benchmarks.judges` prints the table of docs/guides/judges.md: the cover of 95 % intervals, with fixed seeds.
Each simulated data set is a group of one comparison.
"""

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

import ltr_sql

REPEATS, SEED = 500, 20261125
Random = np.random.Generator


def judged_queries(random: Random, queries: int, judged: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the values of systems a and b under the LLM and under people, and which queries people judged.

    Values look like nDCG: queries differ in difficulty, and the LLM shares errors with b, whose values it raises.
    """
    difficulty = random.normal(0, 1, (queries, 1))
    quality = 0.3 + 0.8 * difficulty + random.normal(0, 0.8, (queries, 2)) + np.array([0.2, 0.0])
    people = 1 / (1 + np.exp(-quality))
    llm = 1 / (1 + np.exp(-(quality + random.normal([0.0, 0.9], 0.7, (queries, 2)))))
    drawn = random.permutation(queries) < judged
    return llm, people, drawn


def _true_difference() -> float:
    random = np.random.default_rng(SEED)
    quality = 0.3 + random.normal(0, np.hypot(0.8, 0.8), (4_000_000, 2)) + np.array([0.2, 0.0])
    means = (1 / (1 + np.exp(-quality))).mean(axis=0)
    return float(means[1] - means[0])


_TRUTH = _true_difference()


def covered(compared: pd.DataFrame, truth: float) -> str:
    """Return the share of intervals that hold the truth, in percent, and their mean width."""
    held = (compared["low"] <= truth) & (truth <= compared["high"])
    return f"{100 * held.mean():.1f} | {(compared['high'] - compared['low']).mean():.3f}"


def compared(values: pd.DataFrame, **options: Any) -> pd.DataFrame:
    """Compare b with a in each repeat."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: pd.DataFrame = ltr_sql.compare(
            values, ["value"], values=True, keys=["repeat"], adjust="none", check=False, allow_empty=True, **options
        )
    return found


def with_people(queries: int, judged: int) -> Iterator[tuple[str, str]]:
    """Yield the cover of the LLM alone, of people alone, and of both."""
    random = np.random.default_rng([SEED, queries, judged])
    llm, people = [], []
    for repeat in range(REPEATS):
        f, y, drawn = judged_queries(random, queries, judged)
        ids = np.arange(queries)
        for number, system in enumerate("ab"):
            llm.append(pd.DataFrame({"repeat": repeat, "system": system, "query_id": ids, "value": f[:, number]}))
            listed = {"repeat": repeat, "system": system, "query_id": ids[drawn], "value": y[drawn, number]}
            people.append(pd.DataFrame(listed))
    values, of_people = pd.concat(llm), pd.concat(people)
    yield "LLM alone, t", covered(compared(values), _TRUTH)
    yield "people alone, t", covered(compared(of_people), _TRUTH)
    yield "`human`", covered(compared(values, human=of_people), _TRUTH)


def with_clusters(sizes: Any) -> Iterator[tuple[str, str]]:
    """Yield the cover of t over queries, and with clusters. `sizes` draws the numbers of queries of the sessions."""
    random = np.random.default_rng(SEED)
    rows = []
    for repeat in range(REPEATS):
        of_session = np.repeat(np.arange(len(drawn := sizes(random))), drawn)
        shared = random.normal(0, np.sqrt(0.2), len(drawn))[of_session]
        d = shared + random.normal(0, np.sqrt(0.8), len(of_session))
        ids = {"repeat": repeat, "query_id": np.arange(len(d)), "session": of_session}
        rows += [pd.DataFrame({**ids, "system": "a", "value": 0.0}), pd.DataFrame({**ids, "system": "b", "value": d})]
    values = pd.concat(rows)
    yield "t over queries", covered(compared(values.drop(columns="session")), 0.0)
    yield "`cluster`", covered(compared(values, cluster="session"), 0.0)


def main() -> None:
    """Print the table."""
    print("| data | interval | cover in % | mean width |\n|---|---|---|---|")
    for queries, judged in ((500, 100), (500, 50), (1000, 50), (500, 20)):
        for interval, cover in with_people(queries, judged):
            print(f"| {queries} queries, {judged} judged | {interval} | {cover} |")
            sys.stdout.flush()
    shapes = {
        "40 sessions of 5": lambda random: np.full(40, 5),
        "12 sessions of 20": lambda random: np.full(12, 20),
        "60 users, Pareto": lambda random: np.minimum(100, 1 + np.floor(random.pareto(1.2, 60) * 2)).astype(int),
    }
    for name, sizes in shapes.items():
        for interval, cover in with_clusters(sizes):
            print(f"| {name} | {interval} | {cover} |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
