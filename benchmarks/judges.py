"""How often intervals cover the truth: an LLM that favours a system, people for some queries, sessions, many looks.

`python -m benchmarks.judges` prints the tables of docs/guides/judges.md, with fixed seeds: the cover of 95 % intervals,
and how often gates that look every night are wrong. Each simulated data set is a group of one comparison. An argument
(`people`, `clusters` or `nights`) prints a part.
"""

import sys
import warnings
from collections.abc import Iterator, Sequence
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


NIGHTS, NEW_QUERIES, PLANNED = 30, 50, 750


def every_night(difference: float) -> pd.DataFrame:
    """Return p of each repeat and night under each test, for systems with a true difference of their means.

    Each night brings new queries. Values look like nDCG: in the unit interval, with differences of a sd about 0.2.
    """
    random = np.random.default_rng([SEED, NIGHTS])
    shape = (REPEATS, NIGHTS * NEW_QUERIES)
    shared = random.beta(2, 2, shape)
    a, b = (np.clip(shared + random.normal(0, 0.14, shape), 0, 1) for _ in range(2))
    b = b + difference
    repeat, query = (index.ravel() for index in np.indices(shape))
    rows = []
    for night in range(1, NIGHTS + 1):
        seen = query < night * NEW_QUERIES
        ids = {"repeat": repeat[seen], "query_id": query[seen]}
        values = [pd.DataFrame({**ids, "system": s, "value": v.ravel()[seen]}) for s, v in (("a", a), ("b", b))]
        both = pd.concat(values)
        found = compared(both).merge(
            compared(both, test="sequential", planned=PLANNED), on="repeat", suffixes=("_t", "_sequential")
        )
        rows.append(found[["repeat", "p_t", "p_sequential"]].assign(night=night))
    return pd.concat(rows)


def alarms(found: pd.DataFrame, column: str, level: float, nights: Sequence[int]) -> tuple[float, float]:
    """Return the percentage of repeats with a p of at most `level` on one of the nights, and the median first night."""
    shown = found[(found[column] <= level) & found["night"].isin(nights)]
    first = shown.groupby("repeat")["night"].min()
    return 100 * len(first) / REPEATS, float(first.median()) if len(first) else float("nan")


def print_nights() -> None:
    """Print how often each way to look is wrong, and how often it finds a difference of 0.02."""
    print("| test | false alarms in % | difference found in % | median night |\n|---|---|---|---|")
    equal, different = every_night(0.0), every_night(0.02)
    every, last = range(1, NIGHTS + 1), [NIGHTS]
    for name, column, level, nights in (
        ("t every night", "p_t", 0.05, every),
        ("t once, after 30 nights", "p_t", 0.05, last),
        ("t every night, Bonferroni over 30", "p_t", 0.05 / NIGHTS, every),
        (f"`sequential`, planned {PLANNED}", "p_sequential", 0.05, every),
    ):
        found, night = alarms(different, column, level, nights)
        print(f"| {name} | {alarms(equal, column, level, nights)[0]:.1f} | {found:.1f} | {night:.0f} |")


def main() -> None:
    """Print the tables, or those that the arguments name."""
    asked = sys.argv[1:] or ["people", "clusters", "nights"]
    if asked != ["nights"]:
        print("| data | interval | cover in % | mean width |\n|---|---|---|---|")
    if "people" in asked:
        print_people()
    if "clusters" in asked:
        print_clusters()
    if "nights" in asked:
        print_nights()


def print_people() -> None:
    """Print the cover of intervals with an LLM and people."""
    for queries, judged in ((500, 100), (500, 50), (1000, 50), (500, 20)):
        for interval, cover in with_people(queries, judged):
            print(f"| {queries} queries, {judged} judged | {interval} | {cover} |")
            sys.stdout.flush()


def print_clusters() -> None:
    """Print the cover of intervals over sessions."""
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
