"""Chunks of a run to the documents that they belong to, from the definitions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Chunk:
    """A chunk in the ranking of one query.

    - `chunk_id`, `document`: ids of the chunk, and of its document.
    - `rank`: its rank, or None to rank by descending score, and by descending chunk_id among equal scores.
    - `score`: its score; None without a score.
    """

    chunk_id: str
    document: str
    rank: float | None = None
    score: float | None = None


@dataclass(frozen=True)
class Grouped:
    """A document of a query, with its score and the number of its chunks."""

    document: str
    score: float
    chunks: int


def group_documents(chunks: Sequence[Chunk], method: str = "max") -> list[Grouped]:
    """Return the documents of one query by descending score, and by descending id among equal scores.

    Score: 'max', 'sum' or 'mean' of the scores of its chunks; with 'first' 1 / the smallest rank of a chunk, and with
    'rrf' the sum of 1 / (60 + rank). Source: Callan, SIGIR 1994; Dai & Callan, SIGIR 2019; Cormack, Clarke & Büttcher,
    SIGIR 2009.
    """
    order = sorted(chunks, key=lambda c: (c.chunk_id.encode(), c.document.encode()), reverse=True)
    order.sort(key=lambda c: c.rank if c.rank is not None else -_score(c))
    ranked = [(chunk, chunk.rank if chunk.rank is not None else place) for place, chunk in enumerate(order, start=1)]
    found = []
    for document in {chunk.document for chunk in chunks}:
        held = [(chunk, rank) for chunk, rank in ranked if chunk.document == document]
        found.append(Grouped(document, _score_of(held, method), len(held)))
    return sorted(found, key=lambda g: (g.score, g.document.encode()), reverse=True)


def _score_of(held: Sequence[tuple[Chunk, float]], method: str) -> float:
    if method == "first":
        return 1 / min(rank for _, rank in held)
    if method == "rrf":
        return _sum_in_order(1 / (60 + rank) for _, rank in held)
    scores = [_score(chunk) for chunk, _ in held]
    return {"max": max(scores), "sum": _sum_in_order(scores), "mean": _sum_in_order(scores) / len(scores)}[method]


def _sum_in_order(values: Iterable[float]) -> float:
    """Add the values in ascending order, each step in double precision. Equal sums of other values are then ties."""
    total = 0.0
    for value in sorted(values):
        total += value
    return total


def _score(chunk: Chunk) -> float:
    if chunk.score is None:
        raise ValueError(f"the chunk {chunk.chunk_id} has no score")
    return chunk.score
