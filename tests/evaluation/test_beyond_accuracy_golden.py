"""Golden values of RecTools, RePlay, RecBole, recommenders, LensKit, TREC Fair and BoiseState's measures.

The values are in tests/golden/beyond. Each metric of recommenders is compared, or is in NOT_COMPARED
with the reason.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import pandas as pd
import pytest
from support.reference_values import file_of

import ltr_sql
from ltr_sql.verification import TOLERANCE, difference

pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")


@cache
def read(folder: str, name: str) -> pd.DataFrame:
    """Read a table; ids are integers in recommenders/ and text in fairness/."""
    return pd.read_csv(file_of(f"beyond/{folder}/{name}.csv"))


def expected(folder: str) -> list[Any]:
    """Return the rows of expected.csv."""
    return [*read(folder, "expected").itertuples(index=False)]


def run_of(name: str) -> pd.DataFrame:
    """Return a run of the recommender data; 'full' leaves out users with fewer than five documents."""
    run = read("recommenders", name.removesuffix(" full"))
    return run[run.groupby("query_id")["doc_id"].transform("size") >= 5] if name.endswith(" full") else run


def documents(catalogue: str = "all") -> pd.DataFrame:
    """Return the documents; 'known' leaves out those without history."""
    table = read("recommenders", "documents")
    table = table.assign(vector=pd.Series([*table[["v1", "v2", "v3"]].to_numpy()]))
    return table[table["doc_id"].isin(read("recommenders", "history")["doc_id"])] if catalogue == "known" else table


@cache
def by_query(run: str, measure: str) -> dict[int, float]:
    found = evaluated(run, measure, by_query=True)
    return dict(zip(found["query_id"], found[measure], strict=True))


@cache
def mean(measure: str, run: str = "run", catalogue: str = "all", convention: str | None = None) -> float:
    (value,) = evaluated(run, measure, catalogue, convention=convention)[measure]
    return float(value)


def evaluated(run: str, measure: str, catalogue: str = "all", **options: Any) -> pd.DataFrame:
    frame: pd.DataFrame = ltr_sql.evaluate(
        run_of(run),
        [measure],
        documents=documents(catalogue),
        history=read("recommenders", "history"),
        qrels=read("recommenders", "qrels"),
        baseline=read("recommenders", "baseline_run"),
        **options,
    )
    return frame


def tail_count(k: int) -> float:
    """Return the mean number of documents of the tail in a list."""
    lengths = run_of("run").query("rank <= @k").groupby("query_id").size()
    shares = by_query("run", f"TailShare@{k}")
    return sum(share * lengths[query] for query, share in shares.items()) / len(shares)


def novelty_of_rows(k: int) -> float:
    """Return the novelty of recommenders, a mean over rows: the mean over lists, weighted by their lengths."""
    lengths = run_of("run_unseen").query("rank <= @k").groupby("query_id").size()
    found = evaluated("run_unseen", f"Novelty@{k}", convention="recommenders", by_query=True)
    values = found.set_index("query_id")[f"Novelty@{k}"]
    return float((values * lengths).sum() / lengths.sum())


HISTORY = 57  # rows
USERS = 12  # users of the history, one of them without a list
# (tool, metric) -> our value at a cutoff.
RECOMMENDERS: dict[tuple[str, str], Callable[[int], float]] = {
    ("rectools", "CatalogCoverage normalize"): lambda k: mean(f"Coverage@{k}"),
    ("rectools", "CatalogCoverage"): lambda k: 20 * mean(f"Coverage@{k}"),
    ("rectools", "AvgRecPopularity"): lambda k: mean(f"AvgPopularity@{k}"),
    ("rectools", "AvgRecPopularity normalize"): lambda k: mean(f"AvgPopularity@{k}") / HISTORY,
    # One-hot vectors of different categories have the Hamming distance 2.
    ("rectools", "IntraListDiversity hamming category"): lambda k: 2 * mean(f"ILD@{k}"),
    ("rectools", "MeanInvUserFreq"): lambda k: mean(f"MeanInvUserFreq@{k}", convention="rectools"),
    # A share of the users who have a list.
    ("rectools", "SufficientReco"): lambda k: (
        USERS / (USERS - 1) * mean(f"QueryCoverage(queries=history, least={k})@{k}")
    ),
    ("lenskit", "ListGini"): lambda k: mean(f"Gini@{k}"),
    ("recbole", "GiniIndex (users with 5)"): lambda k: mean(f"Gini@{k}", "run full"),
    ("recbole", "ItemCoverage (users with 5)"): lambda k: mean(f"Coverage@{k}", "run full"),
    ("recbole", "AveragePopularity (users with 5)"): lambda k: mean(f"AvgPopularity@{k}", "run full"),
    ("recbole", "ShannonEntropy (users with 5)"): lambda k: mean(f"ShannonEntropy@{k}", "run full", "all", "recbole"),
    ("recommenders", "distributional_coverage"): lambda k: mean(
        f"DistributionalCoverage@{k}", "run_unseen", "all", "recommenders"
    ),
    # The catalogue is the documents of the history.
    ("recommenders", "catalog_coverage"): lambda k: mean(f"CatalogCoverage@{k}", "run_unseen", "known", "recommenders"),
    ("recommenders", "novelty"): novelty_of_rows,
    ("numpy", "Entropy nats"): lambda k: mean(f"Entropy@{k}"),
    ("numpy", "Entropy bits"): lambda k: mean(f"Entropy(base=2)@{k}"),
    ("numpy", "Herfindahl"): lambda k: mean(f"Herfindahl@{k}"),
    ("numpy", "Gini catalogue of 20"): lambda k: mean(f"Gini@{k}"),
    ("numpy", "Gini recommended only"): lambda k: mean(f"Gini(universe=shown)@{k}"),
    ("numpy", "Personalization 1 - mean overlap / k"): lambda k: mean(f"Personalization@{k}"),
    ("numpy", "ILD cosine, lists of one 0"): lambda k: mean(f"ILD(features=vector)@{k}"),
    ("numpy", "ILD cosine, lists of one skipped"): lambda k: mean(f"ILD(features=vector, empty=skip)@{k}"),
    ("numpy", "Calibration KL alpha=0.01 nats"): lambda k: mean(f"Calibration@{k}"),
    ("numpy", "ACLT tail = all but 4 most popular of 20"): tail_count,
    # The catalogue of RePlay is the documents of the history.
    ("replay", "Coverage"): lambda k: mean(f"Coverage@{k}", catalogue="known"),
    # RePlay averages over the users of the history, and gives 1 to a user without a list.
    ("replay", "Novelty"): lambda k: ((USERS - 1) * mean(f"Novelty@{k}", convention="replay") + 1) / USERS,
    ("replay", "CategoricalDiversity"): lambda k: mean(f"CategoricalDiversity@{k}"),
    ("replay", "Surprisal"): lambda k: mean(f"Surprisal@{k}"),
    ("replay", "Unexpectedness"): lambda k: mean(f"Churn@{k}"),
}
# metric -> our measure and its factor, for values of single queries.
BY_QUERY = {
    "IntraListDiversity hamming category": ("ILD@{}", 2),
    "MeanInvUserFreq": ("Novelty@{}", 1),
    "AvgRecPopularity": ("AvgPopularity@{}", 1),
    "Calibration KL alpha=0.01 nats": ("Calibration@{}", 1),
}
NOT_COMPARED = {
    "Serendipity": "three tools, three meanings; there is no such measure here",
    "Intersection with baseline": "divides by another length; Churn is compared with RePlay",
    "diversity cooccurrence": "similarity by co-occurrence in the history",
    "diversity features": "a mean over pairs that leaves out users with one document",
    "serendipity cooccurrence": "see Serendipity",
    "TailPercentage": "the tail is that of the documents with history, and its number of documents is rounded down",
    "Gini exposure": "weights documents by rank",
    "ExposureGini": "weights documents by rank, in single precision",
    "Personalization jaccard": "needs all pairs of lists",
}


@pytest.mark.slow
def test_recommenders() -> None:
    compared = 0
    wrong = []
    for tool, metric, k, query, value in expected("recommenders"):
        name = tool.split(maxsplit=1)[0]
        if (name, metric) not in RECOMMENDERS:
            assert any(metric.startswith(other) for other in NOT_COMPARED), (tool, metric)
            continue
        if math.isnan(query):
            found = RECOMMENDERS[name, metric](k)
        else:
            measure, factor = BY_QUERY[metric]
            found = factor * by_query("run", measure.format(k))[int(query)]
        compared += 1
        if difference(found, value) > TOLERANCE:
            wrong.append((tool, metric, k, query, value, found))
    assert not wrong
    assert compared > 150


# Fairness


def fairness_run() -> pd.DataFrame:
    """Return the rankings, each as a query of its own."""
    run = read("fairness", "run")
    return run.assign(topic=run["query_id"], query_id=run["query_id"] + "/" + run["sequence"].astype(str))


def grouped(name: str = "groups") -> pd.DataFrame:
    return read("fairness", name).astype({"group": object}).pipe(lambda t: t.where(t.notna(), None))


def judged() -> pd.DataFrame:
    """Return the judgments of each ranking."""
    queries = fairness_run()[["topic", "query_id"]].drop_duplicates()
    return queries.merge(read("fairness", "qrels").rename(columns={"query_id": "topic"}))[
        ["query_id", "doc_id", "relevance"]
    ]


def fairness(measure: str, **options: Any) -> dict[str, float]:
    """Return the values of a measure by ranking or topic."""
    over_topics = options.pop("keys", None)
    found = ltr_sql.evaluate(
        fairness_run(),
        [measure],
        convention="fair_trec",
        documents=options.pop("documents", grouped()),
        keys=["topic"] if over_topics else [],
        by_query=not over_topics,
        **options,
    )
    return dict(zip(found["topic" if over_topics else "query_id"], found[measure], strict=True))


OF_RANKINGS = {
    ("trec2022-fair awrf.py (f4 discount)", "AWRF"): ("AWRF", 1e-8),
    ("scipy jensenshannon, f8", "AWRF"): ("AWRF", TOLERANCE),
    ("numpy (formula)", "NDKL target A .5 B .3 C .2"): ("NDKL", TOLERANCE),
}


# Tool and measure, or a prefix of them -> why the tests below do not compare the values.
FAIRNESS_NOT_COMPARED = {
    "trec2022-fair awrf.py nDCG": "the ideal list has 500 documents, and ranks 1 and 2 weigh the same",
    "FairRankTune 0.0.7 NDKL": "the target is the shares of the list, and 1e-7 is added to both sides",
    "FairRankTune 0.0.7 ERB": "ratios and differences of the mean attention of groups; no such measure here",
    "BoiseState diaz.py EE": "the target is equal exposure of all judged documents, and EER is doubled",
    "BoiseState position.py exposure": "parts of ratios, which no measure here returns",
    "BoiseState singh_joachims.py": "adds 1e-6 to both sides of a ratio",
    "numpy (formula) Infeasible": "no such measure here",
}


def test_every_value_of_fairness_is_compared_or_listed() -> None:
    compared = {" ".join(of_ranking) for of_ranking in OF_RANKINGS}
    for row in expected("fairness"):
        name = f"{row.tool} {row.measure}"
        others = name in compared or name.startswith(("trec2022-fair eel.py, f8", "BoiseState biega.py IAA"))
        listed = [start for start in FAIRNESS_NOT_COMPARED if name.startswith(start)]
        assert (others or row.measure.startswith("Skew@")) + len(listed) == 1, name


@pytest.mark.slow
def test_awrf_and_ndkl() -> None:
    wrong = []
    compared = 0
    for tool, name, query, sequence, _, value in expected("fairness"):
        if (tool, name) in OF_RANKINGS:
            measure, tolerance = OF_RANKINGS[tool, name]
            found = fairness(measure, targets=read("fairness", "targets"))[f"{query}/{int(sequence)}"]
            compared += 1
            if difference(found, value) > tolerance:
                wrong.append((tool, name, query, sequence, value, found))
    assert not wrong
    assert compared >= 15


def test_skew() -> None:
    rows = [row for row in expected("fairness") if row.measure.startswith("Skew@")]
    # The values leave out documents without a group before the cut.
    run = fairness_run()
    run = run[run["doc_id"].isin(grouped().dropna()["doc_id"])]
    run = run.assign(rank=run.groupby("query_id")["rank"].rank().astype(int))
    names = [f"{name}@{k}" for name in ("MinSkew", "MaxSkew") for k in (3, 5)]
    found = ltr_sql.evaluate(run, names, documents=grouped(), targets=read("fairness", "targets"), by_query=True)
    values = found.set_index("query_id")
    extreme = 0
    for row in rows:
        least, most = (
            values[f"{name}@{row.measure[5]}"][f"{row.query_id}/{int(row.sequence)}"] for name in ("MinSkew", "MaxSkew")
        )
        if math.isfinite(row.value):
            assert least - TOLERANCE <= row.value <= most + TOLERANCE, row
            extreme += min(difference(least, row.value), difference(most, row.value)) <= TOLERANCE
    assert extreme >= len(rows) / 2


@pytest.mark.slow
def test_expected_exposure() -> None:
    rows = [row for row in expected("fairness") if row.tool == "trec2022-fair eel.py, f8"]
    assert len(rows) >= 15
    wrong = []
    for row in rows:
        counts = "relevant" if "only_rel=True" in row.params else "all"
        measure = f"{row.measure}(counts={counts})"
        found = fairness(measure, keys=True, targets=read("fairness", "targets"), qrels=judged())[row.query_id]
        if difference(found, row.value) > TOLERANCE:
            wrong.append((row, found))
    assert not wrong


def test_attention_parity() -> None:
    rows = [row for row in expected("fairness") if row.measure.startswith("IAA")]
    assert rows
    wrong = []
    for row in rows:
        name, *p = row.params.split()
        measure = f"AttentionParity(exposure={name}{f', p={p[0]}' if p else ''})"
        # The reference implementation treats documents without a group as one more group.
        documents = grouped("groups_two").fillna({"group": "U"})
        found = fairness(measure, keys=True, qrels=judged(), documents=documents)[row.query_id]
        if difference(found, row.value) > TOLERANCE:
            wrong.append((row, found))
    assert not wrong
