"""Fusion of runs, from the formulas: a function for each method, and `norm_NAME` for each norm."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, isfinite, sqrt
from statistics import median
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A document in a run of its query.

    - `rank`: rank of the document; None if the run lacks it.
    - `score`: its score, normalised if a norm applies; None without a score.
    - `weight`: weight of the run.
    - `n`: number of documents of the run for this query.
    - `pool`: number of distinct documents of the query in all runs.
    """

    rank: float | None
    score: float | None
    weight: float
    n: int
    pool: int


def rrf(entries: Sequence[Entry], *, k: float = 60) -> float:
    """Return the sum of weight / (k + rank). Source: Cormack, Clarke & Büttcher, SIGIR 2009."""
    return fsum(e.weight / (k + e.rank) for e in entries if e.rank is not None)


def isr(entries: Sequence[Entry]) -> float:
    """Return the number of runs that hold the document, times the sum of weight / rank^2.

    Source: Mourão et al., CMIG 39, 2015.
    """
    held = [(e.weight, e.rank) for e in entries if e.rank is not None]
    return len(held) * fsum(weight / rank**2 for weight, rank in held)


def rbc(entries: Sequence[Entry], *, p: float = 0.8) -> float:
    """Return the sum of weight (1 - p) p^(rank - 1). Source: Bailey et al., SIGIR 2017."""
    return fsum(e.weight * (1 - p) * p ** (e.rank - 1) for e in entries if e.rank is not None)


def borda(entries: Sequence[Entry]) -> float:
    """Return the sum of weight * points. Source: Aslam & Montague, SIGIR 2001.

    A document of the run gets pool - rank + 1 points. Each document that the run lacks gets the mean of the remaining
    points, 1 to pool - n.
    """
    points = 0.0
    for e in entries:
        left = range(1, e.pool - e.n + 1)
        points += e.weight * (e.pool - e.rank + 1 if e.rank is not None else sum(left) / len(left))
    return points


def comb_sum(entries: Sequence[Entry]) -> float:
    """Return the sum of weight * score. Source: Fox & Shaw, TREC-2, 1994."""
    return fsum(e.weight * e.score for e in entries if e.score is not None)


def comb_mnz(entries: Sequence[Entry], *, gamma: float = 1) -> float:
    """Return m^gamma times the sum of weight * score, where m runs hold the document.

    Source: Fox & Shaw, TREC-2, 1994; Lee, SIGIR 1997.
    """
    return float(len(_scores(entries)) ** gamma * comb_sum(entries))


def comb_anz(entries: Sequence[Entry]) -> float:
    """Return the mean score over the runs that hold the document. Source: Fox & Shaw, TREC-2, 1994."""
    return fsum(_scores(entries)) / len(_scores(entries))


def comb_max(entries: Sequence[Entry]) -> float:
    """Return the largest score. Source: Fox & Shaw, TREC-2, 1994."""
    return max(_scores(entries))


def comb_min(entries: Sequence[Entry]) -> float:
    """Return the smallest score among the runs that hold the document. Source: Fox & Shaw, TREC-2, 1994."""
    return min(_scores(entries))


def comb_med(entries: Sequence[Entry]) -> float:
    """Return the median score of the runs that hold the document. Source: Fox & Shaw, TREC-2, 1994."""
    return median(_scores(entries))


def wmnz(entries: Sequence[Entry]) -> float:
    """Return the sum of the scores, times the sum of the weights of the runs that hold the document.

    Source: Wu & Crestani, CIKM 2002.
    """
    return fsum(_scores(entries)) * fsum(e.weight for e in entries if e.score is not None)


def _scores(entries: Sequence[Entry]) -> list[float]:
    return [e.score for e in entries if e.score is not None]


def norm_min_max(scores: Sequence[float], *, constant: float = 0) -> list[float]:
    """Return (score - min) / (max - min); equal scores become `constant`. Source: Lee, SIGIR 1997."""
    low, high = min(scores), max(scores)
    return [constant if high == low else (score - low) / (high - low) for score in scores]


def norm_max(scores: Sequence[float]) -> list[float]:
    """Return score / max. Raises ValueError if max is 0 or less. Source: Lee, SIGIR 1997."""
    if max(scores) <= 0:
        raise ValueError("the largest score is not above 0")
    return [score / max(scores) for score in scores]


def norm_sum(scores: Sequence[float]) -> list[float]:
    """Return (score - min) / sum of (score - min); equal scores become 0. Source: Montague & Aslam, CIKM 2001."""
    low = min(scores)
    total = fsum(score - low for score in scores)
    return [(score - low) / total if total else 0.0 for score in scores]


def norm_zmuv(scores: Sequence[float]) -> list[float]:
    """Return (score - mean) / population standard deviation; equal scores become 0.

    Source: Montague & Aslam, CIKM 2001.
    """
    if min(scores) == max(scores):
        return [0.0 for _ in scores]
    mean = fsum(scores) / len(scores)
    deviation = sqrt(fsum((score - mean) ** 2 for score in scores) / len(scores))
    return [(score - mean) / deviation for score in scores]


def norm_rank(entry: Entry) -> float | None:
    """Return 1 - (rank - 1) / n; None if the run lacks the document. Source: Renda & Straccia, SAC 2003."""
    return None if entry.rank is None else 1 - (entry.rank - 1) / entry.n


def norm_borda(entry: Entry) -> float:
    """Return 1 - (rank - 1) / pool, or 1/2 - (n - 1) / (2 pool) for a document that the run lacks.

    Source: Renda & Straccia, SAC 2003.
    """
    if entry.rank is None:
        return 0.5 - (entry.n - 1) / (2 * entry.pool)
    return 1 - (entry.rank - 1) / entry.pool


# Norms that read the scores of a run, and norms that read the rank of a document.
OF_SCORES: Mapping[str, Callable[..., list[float]]] = {
    "min_max": norm_min_max,
    "max": norm_max,
    "sum": norm_sum,
    "zmuv": norm_zmuv,
}
OF_RANKS: Mapping[str, Callable[[Entry], float | None]] = {"rank": norm_rank, "borda": norm_borda}


def fuse(
    rows: Sequence[Mapping[str, Any]],
    method: str = "rrf",
    *,
    norm: str | None = None,
    weights: Mapping[str, float] | None = None,
    depth: int | None = None,
    top: int | None = None,
    ascending: bool = False,
    **parameters: float,
) -> list[dict[str, Any]]:
    """Return the fused run as rows with query_id, doc_id, score, rank and runs.

    - `rows`: rows of all runs, with system, query_id, doc_id, and score or rank.
    - `norm`, `weights`, `depth`, `top`: see `ltr_sql.fuse`.
    - `ascending`: true to break ties by ascending doc_id, false by descending doc_id.
    - `parameters`: k, p, gamma or constant.
    """
    fused = []
    for query in sorted({row["query_id"] for row in rows}):
        runs = _runs_of([row for row in rows if row["query_id"] == query], depth, ascending)
        pool = sorted({doc for run in runs.values() for doc in run})
        entries: dict[str, list[Entry]] = {doc: [] for doc in pool}
        for system, run in runs.items():
            weight = 1.0 if weights is None else weights[system]
            for doc, entry in _normalised(run, pool, norm, weight, parameters).items():
                entries[doc].append(entry)
        own = {name: value for name, value in parameters.items() if name != "constant"}
        scores = {doc: globals()[method](entries[doc], **own) for doc in pool}
        # fsum is exact, so documents with equal values in all runs get equal scores.
        order = sorted(sorted(pool, reverse=not ascending), key=lambda doc: -scores[doc])
        for rank, doc in enumerate(order[:top], start=1):
            held = sum(doc in run for run in runs.values())
            fused.append({"query_id": query, "doc_id": doc, "score": scores[doc], "rank": rank, "runs": held})
    return fused


def _runs_of(
    rows: Sequence[Mapping[str, Any]], depth: int | None, ascending: bool
) -> dict[str, dict[str, tuple[float, float | None]]]:
    """Return a mapping of system to doc_id to (rank, score), for the rows of one query."""
    runs = {}
    for system in sorted({row["system"] for row in rows}):
        of_run = [row for row in rows if row["system"] == system]
        if all(row.get("rank") is None for row in of_run):
            of_run = sorted(of_run, key=lambda row: row["doc_id"], reverse=not ascending)
            of_run.sort(key=lambda row: -row["score"])
            of_run = [{**row, "rank": rank} for rank, row in enumerate(of_run, start=1)]
        ranked = {row["doc_id"]: (row["rank"], row.get("score")) for row in of_run if row["rank"] is not None}
        runs[system] = {doc: held for doc, held in ranked.items() if depth is None or held[0] <= depth}
    return {system: run for system, run in runs.items() if run}


def _normalised(
    run: Mapping[str, tuple[float, float | None]],
    pool: Sequence[str],
    norm: str | None,
    weight: float,
    parameters: Mapping[str, float],
) -> dict[str, Entry]:
    """Return the entry of each document of the pool in one run."""
    scores = {doc: score for doc, (_, score) in run.items() if score is not None and isfinite(score)}
    if norm is not None and norm in OF_SCORES:
        own = {"constant": parameters.get("constant", 0)} if norm == "min_max" else {}
        scores = dict(zip(scores, OF_SCORES[norm]([*scores.values()], **own), strict=True))
    entries = {
        doc: Entry(run[doc][0] if doc in run else None, scores.get(doc), weight, len(run), len(pool)) for doc in pool
    }
    if norm is not None and norm in OF_RANKS:
        return {doc: replace(entry, score=OF_RANKS[norm](entry)) for doc, entry in entries.items()}
    return entries
