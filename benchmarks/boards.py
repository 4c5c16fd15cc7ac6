"""How often intervals over datasets cover the truth, and how often logs of equal systems raise a false alarm.

`python -m benchmarks.boards` prints the tables of docs/guides/boards.md and docs/guides/arms.md, with fixed seeds. Each
simulated data set is a group of one comparison. An argument (`datasets`, `logs` or `arms`) prints a part.
"""

import sys
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd

import ltr_sql

REPEATS, SEED = 500, 20261128
# Samples of logs, each with so many repeats: in 4,000 repeats, the standard error of 5 % is 0.3 %.
LOGS = 8
Random = np.random.Generator
# The mean difference of two systems over all datasets, and its standard deviation over datasets.
DIFFERENCE, SPREAD = 0.01, 0.03


def boards(random: Random, number: int) -> tuple[pd.DataFrame, pd.Series]:
    """Return values of two systems on datasets of very different sizes, and the true mean of these datasets.

    Half of the queries differ, by skewed differences, whose size depends on the dataset.
    """
    frames, truths = [], []
    for repeat in range(REPEATS):
        shifts = random.normal(DIFFERENCE, SPREAD, number)
        truths.append(shifts.mean())
        for dataset, shift in enumerate(shifts):
            queries = int(np.exp(random.uniform(np.log(20), np.log(600))))
            size = random.uniform(0.05, 0.25)
            skewed = (random.exponential(1, queries) - 1) * (random.random(queries) < 0.5) * size
            a = random.random(queries)
            both = pd.DataFrame({"a": a, "b": a + shift + skewed, "query_id": np.arange(queries)})
            frames.append(both.assign(repeat=repeat, dataset=f"d{dataset:02}"))
    wide = pd.concat(frames)
    long = wide.melt(["repeat", "dataset", "query_id"], ["a", "b"], "system", "value")
    return long, pd.Series(truths, name="truth")


def datasets() -> Iterator[str]:
    """Yield the table of the cover of 95 % intervals of means over datasets."""
    yield "| datasets | other queries: cover in % | other datasets: cover in % |"
    yield "|---|---|---|"
    random = np.random.default_rng(SEED)
    for number in (3, 5, 8, 15):
        values, truth = boards(random, number)
        cells = []
        for generalize, truths in (("queries", truth), ("datasets", pd.Series(DIFFERENCE, truth.index))):
            found = ltr_sql.compare(
                values,
                ["value"],
                values=True,
                keys=["repeat"],
                across="dataset",
                generalize=generalize,
                adjust="none",
                check=False,
                details=True,
            )
            of = truths.loc[found["repeat"]].to_numpy()
            cells.append(f"{100 * ((found['low'] <= of) & (of <= found['high'])).mean():.1f}")
        yield f"| {number} | {cells[0]} | {cells[1]} |"


def log(random: Random, users: int, returning: float) -> pd.DataFrame:
    """Return reciprocal ranks of sessions in two weeks of equal systems. Users differ in level and in activity."""
    frames = []
    for repeat in range(REPEATS):
        stay = round(users * returning)
        for week in (1, 2):
            names = np.concatenate([np.arange(stay), stay + np.arange(users - stay) + (week - 1) * users])
            if week == 1:
                levels = random.normal(0, 1.2, users)
            else:
                levels = np.concatenate([levels[:stay], random.normal(0, 1.2, users - stay)])
            sessions = 1 + random.negative_binomial(1, 0.2, users)
            who = np.repeat(np.arange(users), sessions)
            rank = random.geometric(np.clip(1 / (1 + np.exp(-levels[who])), 0.05, 0.95))
            frames.append(
                pd.DataFrame(
                    {"repeat": repeat, "week": week, "user_id": names[who], "RR": np.where(rank <= 10, 1 / rank, 0.0)}
                )
            )
    found = pd.concat(frames, ignore_index=True)
    return found.assign(query_id=np.arange(len(found)))


def logs() -> Iterator[str]:
    """Yield the table of false alarms of a trend on logs of equal systems."""
    yield "| users a week | of them there before | by searches: false alarms in % | by users: false alarms in % |"
    yield "|---|---|---|---|"
    random = np.random.default_rng(SEED)
    for users, returning in ((10, 0.0), (20, 0.0), (20, 0.5), (100, 0.0), (100, 0.5)):
        alarms: dict[str | None, list[float]] = {None: [], "user_id": []}
        for _ in range(LOGS):
            values = log(random, users, returning)
            for cluster, of_cluster in alarms.items():
                found = ltr_sql.trend(
                    values, ["RR"], values=True, by="week", keys=["repeat"], adjust="none", cluster=cluster, check=False
                )
                changes = found[found["p"].notna()]
                of_cluster.append(100 * changes["verdict"].isin(["better", "worse"]).mean())
        yield f"| {users} | {100 * returning:.0f} % | {np.mean(alarms[None]):.1f} | {np.mean(alarms['user_id']):.1f} |"


def arms() -> Iterator[str]:
    """Yield the table of false alarms of a comparison of two arms of equal systems."""
    yield "| users of each arm | by users: false alarms in % |"
    yield "|---|---|"
    random = np.random.default_rng(SEED)
    for users in (10, 20, 50, 100):
        alarms = []
        for _ in range(LOGS):
            found = ltr_sql.compare(
                log(random, users, 0.0),
                ["RR"],
                values=True,
                compared="week",
                keys=["repeat"],
                adjust="none",
                paired=False,
                cluster="user_id",
                check=False,
            )
            alarms.append(100 * found["verdict"].isin(["better", "worse"]).mean())
        yield f"| {users} | {np.mean(alarms):.1f} |"


PARTS = {"datasets": datasets, "logs": logs, "arms": arms}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for part in sys.argv[1:] or PARTS:
        print(*PARTS[part](), "", sep="\n", flush=True)
