"""Measures of what a run shows, judged or not.

Each function takes the rows of one run, as the columns `query_id`, `doc_id` and `rank`, and the tables that it needs,
as lists of mappings: `documents` (doc_id, category, popularity, group, vector), `history` (query_id, doc_id), `targets`
(group, share), `qrels` (query_id, doc_id, relevance) and `baseline`, the rows of another run. A document may have
several rows in `documents`, one per category. A measure over queries returns a dict of query -> value, and a measure
over runs returns a number.

Terms of the formulas:

- The list of a query is its documents in the top k, and n is its length. q is the number of queries.
- f(d) is the number of lists that show document d, and S is the sum of all f(d).
- The catalogue is the documents of the table `documents`.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from ltr_sql.oracle._rows import Column, Ids, in_top, to_floats

Rows = Sequence[Mapping[str, Any]]
ByQuery = dict[Hashable, float]


def _lists(query_id: Ids, doc_id: Ids, rank: Column, k: int | None) -> dict[Hashable, list[tuple[float, Hashable]]]:
    """Return (rank, document) of the top k of each query, in rank order. Every query of the run has a list."""
    lists: dict[Hashable, list[tuple[float, Hashable]]] = {query: [] for query in query_id}
    for query, document, i in zip(query_id, doc_id, to_floats(rank).tolist(), strict=True):
        if in_top(i, k):
            lists[query].append((i, document))
    return {query: sorted(rows, key=lambda row: row[0]) for query, rows in lists.items()}


def _shown(query_id: Ids, doc_id: Ids, rank: Column, k: int | None) -> Counter[Hashable]:
    """Return f: how many lists show each document."""
    return Counter(d for rows in _lists(query_id, doc_id, rank, k).values() for _, d in rows)


def _catalogue(documents: Rows) -> set[Hashable]:
    return {row["doc_id"] for row in documents}


def coverage(query_id: Ids, doc_id: Ids, rank: Column, *, documents: Rows, k: int | None = None) -> float:
    """Catalogue coverage: the share of the catalogue that the lists show.

    Formula: |{d in the catalogue : f(d) > 0}| / |catalogue|. NaN if the catalogue is empty.
    Source: Ge, Delgado-Battenfeld and Jannach, RecSys 2010.
    """
    catalogue = _catalogue(documents)
    return len(catalogue & set(_shown(query_id, doc_id, rank, k))) / len(catalogue) if catalogue else math.nan


def gini(
    query_id: Ids, doc_id: Ids, rank: Column, *, documents: Rows = (), k: int | None = None, universe: str = "documents"
) -> float:
    """Gini index of f over the catalogue, or over the documents that are shown.

    Formula: sum over all pairs of documents of |f(a) - f(b)| / (2 m**2 mean(f)), m = number of documents. NaN if no
    document of them is shown.
    Source: Gini, 1912; Castells, Hurley and Vargas, Recommender Systems Handbook, 2015.
    """
    shown = _shown(query_id, doc_id, rank, k)
    members = _catalogue(documents) if universe == "documents" else set(shown)
    f = np.array([shown[d] for d in members], dtype=float)
    if not f.sum():
        return math.nan
    return float(np.abs(f[:, None] - f[None, :]).sum() / (2 * len(f) * f.sum()))


def _features(documents: Rows, features: str) -> dict[Hashable, Any]:
    """Return the vector of each document that has one. With 'category' it marks the document's categories."""
    if features == "vector":
        return {row["doc_id"]: np.array(row["vector"], dtype=float) for row in documents if row["vector"] is not None}
    categories = sorted({row["category"] for row in documents if row["category"] is not None})
    found: dict[Hashable, set[Any]] = defaultdict(set)
    for row in documents:
        if row["category"] is not None:
            found[row["doc_id"]].add(row["category"])
    return {d: np.array([float(name in own) for name in categories]) for d, own in found.items()}


def ild(
    query_id: Ids,
    doc_id: Ids,
    rank: Column,
    *,
    documents: Rows,
    k: int | None = None,
    features: str = "category",
    empty: str = "0",
) -> ByQuery:
    """Intra-list diversity: the mean distance of two documents of the list that have features.

    Formula: mean over unordered pairs of 1 - cos(v_a, v_b).
    Fewer than two documents with features: 0, or NaN with empty = 'skip'.
    Source: Ziegler et al., WWW 2005; Castells, Hurley and Vargas, Recommender Systems Handbook, 2015.
    """
    vectors = _features(documents, features)

    def value(rows: list[tuple[float, Hashable]]) -> float:
        own = [vectors[d] for _, d in rows if d in vectors]
        distances = [
            1 - float(a @ b) / math.sqrt(float(a @ a) * float(b @ b)) for i, a in enumerate(own) for b in own[i + 1 :]
        ]
        return math.fsum(distances) / len(distances) if distances else (0.0 if empty == "0" else math.nan)

    return {query: value(rows) for query, rows in _lists(query_id, doc_id, rank, k).items()}
