"""Measures beyond accuracy: coverage, diversity, novelty, popularity, calibration and fairness of a run.

Each function takes the columns `query_id`, `doc_id` and `rank` of one run, and the tables that it needs, as lists of
mappings:

- `documents`: doc_id, category, popularity, group, vector. A document may have several rows, one per category, or one
  per group with its weight in the group in a column `weight`.
- `history`: query_id, doc_id. `qrels`: query_id, doc_id, relevance.
- `targets`: group, share, and query_id if each query has its own targets.
- `baseline`: the rows of another run.

A measure over queries returns a dict of query_id to value. A measure over runs returns a number.

Terms of the formulas:

- The list of a query is its documents in the top k.
- f(d) is the number of lists that show document d, and S is the sum of all f(d).
- The catalogue is the set of documents in the table `documents`.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from ltr_sql.oracle._rows import Column, Ids, id_bytes, in_top, to_floats

Rows = Sequence[Mapping[str, Any]]
ByQuery = dict[Hashable, float]


def _lists(query_id: Ids, doc_id: Ids, rank: Column, k: int | None) -> dict[Hashable, list[tuple[float, Hashable]]]:
    """Return the top k of each query as (rank, document), in rank order. A list may be empty."""
    lists: dict[Hashable, list[tuple[float, Hashable]]] = {query: [] for query in query_id}
    for query, document, i in zip(query_id, doc_id, to_floats(rank).tolist(), strict=True):
        if in_top(i, k):
            lists[query].append((i, document))
    return {query: sorted(rows, key=lambda row: row[0]) for query, rows in lists.items()}


def _shown(query_id: Ids, doc_id: Ids, rank: Column, k: int | None) -> Counter[Hashable]:
    """Return f, the number of lists that show each document."""
    return Counter(d for rows in _lists(query_id, doc_id, rank, k).values() for _, d in rows)


def _catalogue(documents: Rows) -> set[Hashable]:
    return {row["doc_id"] for row in documents}


def coverage(
    query_id: Ids, doc_id: Ids, rank: Column, *, documents: Rows, k: int | None = None, outside: str = "skip"
) -> float:
    """Return the catalogue coverage: the share of the catalogue that the lists show.

    Formula: |{d in the catalogue : f(d) > 0}| / |catalogue|. NaN if the catalogue is empty. With outside = 'count' the
    numerator counts all shown documents.
    Source: Ge, Delgado-Battenfeld and Jannach, RecSys 2010.
    """
    catalogue = _catalogue(documents)
    shown = set(_shown(query_id, doc_id, rank, k))
    counted = shown if outside == "count" else shown & catalogue
    return len(counted) / len(catalogue) if catalogue else math.nan


def gini(
    query_id: Ids, doc_id: Ids, rank: Column, *, documents: Rows = (), k: int | None = None, universe: str = "documents"
) -> float:
    """Return the Gini index of f over the catalogue, or over the shown documents if `universe` is not 'documents'.

    Formula: sum over ordered pairs of documents of |f(a) - f(b)|, divided by 2 m**2 mean(f), m = number of documents.
    NaN if none of these documents is shown.
    Source: Gini, 1912; Castells, Hurley and Vargas, Recommender Systems Handbook, 2015.
    """
    shown = _shown(query_id, doc_id, rank, k)
    members = _catalogue(documents) if universe == "documents" else set(shown)
    f = np.array([shown[d] for d in members], dtype=float)
    if not f.sum():
        return math.nan
    return float(np.abs(f[:, None] - f[None, :]).sum() / (2 * len(f) * f.sum()))


def _features(documents: Rows, features: str) -> dict[Hashable, Any]:
    """Return the feature vector of each document that has one. With 'category' it is the 0/1 vector of categories."""
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
    """Return the intra-list diversity: the mean distance between documents of the list that have features.

    Formula: mean over unordered pairs of 1 - cos(v_a, v_b).
    With fewer than two such documents it is 0, or NaN with empty = 'skip'.
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


def entropy(
    query_id: Ids,
    doc_id: Ids,
    rank: Column,
    *,
    documents: Rows = (),
    k: int | None = None,
    base: str = "e",
    divisor: str = "none",
) -> float:
    """Return the Shannon entropy of the distribution of shown documents. NaN if no document is shown.

    Formula: - sum over documents of p log p, p = f(d) / S. `base` of the logarithm: 'e' or '2'. With divisor = 'shown'
    divided by the number of shown documents.
    Source: Shannon, Bell System Technical Journal 27, 1948; RecBole ShannonEntropy for the divisor.
    """
    shown = _shown(query_id, doc_id, rank, k)
    if not shown:
        return math.nan
    total = sum(shown.values())
    nats = -math.fsum(f / total * math.log(f / total) for f in shown.values())
    return nats / {"e": 1.0, "2": math.log(2)}[base] / {"none": 1, "shown": len(shown)}[divisor]


def herfindahl(query_id: Ids, doc_id: Ids, rank: Column, *, documents: Rows = (), k: int | None = None) -> float:
    """Return the Herfindahl index of the distribution of shown documents. NaN if no document is shown.

    Formula: sum over documents of p**2, p = f(d) / S.
    Source: Herfindahl, Concentration in the steel industry, 1950.
    """
    shown = _shown(query_id, doc_id, rank, k)
    if not shown:
        return math.nan
    return math.fsum((f / sum(shown.values())) ** 2 for f in shown.values())


def personalization(query_id: Ids, doc_id: Ids, rank: Column, *, documents: Rows = (), k: int) -> float:
    """Return the personalization: the mean dissimilarity of the lists of two queries.

    Formula: 1 - mean over unordered pairs of lists of |common documents| / k. NaN for fewer than two lists.
    Source: Zhou et al., PNAS 107, 2010.
    """
    lists = [{d for _, d in rows} for rows in _lists(query_id, doc_id, rank, k).values()]
    common = [len(a & b) / k for i, a in enumerate(lists) for b in lists[i + 1 :]]
    return 1 - math.fsum(common) / len(common) if common else math.nan


def query_coverage(
    query_id: Ids,
    doc_id: Ids,
    rank: Column,
    *,
    qrels: Rows = (),
    history: Rows = (),
    k: int | None = None,
    least: int = 1,
    queries: str = "qrels",
) -> float:
    """Return the query coverage: the share of queries with at least `least` documents in the top k.

    `queries`: 'qrels' or 'history', the table whose queries count. NaN if it has none.
    Source: Ge, Delgado-Battenfeld and Jannach, RecSys 2010.
    """
    due = {row["query_id"] for row in (qrels if queries == "qrels" else history)}
    lists = _lists(query_id, doc_id, rank, k)
    return sum(len(lists.get(query, [])) >= least for query in due) / len(due) if due else math.nan


def _users(history: Rows) -> dict[Hashable, set[Hashable]]:
    """Map each document to the users (query ids) who have it in their history."""
    users: dict[Hashable, set[Hashable]] = defaultdict(set)
    for row in history:
        users[row["doc_id"]].add(row["query_id"])
    return users


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def novelty(
    query_id: Ids,
    doc_id: Ids,
    rank: Column,
    *,
    history: Rows,
    k: int | None = None,
    cold: str = "one",
    frequency: str = "users",
) -> ByQuery:
    """Return the novelty: the mean self-information of the documents of the list.

    Formula: mean of -log2(u / U), u = number of users who know the document, U = number of users in the history. With
    frequency = 'rows', u and U are numbers of rows. A document without history has u = 1, or is left out with
    cold = 'skip', or has the value 0 with cold = 'zero'. NaN if no document is left, and if the history is empty.
    Source: Zhou et al., PNAS 107, 2010; RecTools MeanInvUserFreq; recommenders novelty for rows.
    """
    if frequency == "users":
        known, number = {d: len(own) for d, own in _users(history).items()}, len({row["query_id"] for row in history})
    else:
        known, number = dict(Counter(row["doc_id"] for row in history)), len(history)
    of_cold = {"one": [math.log2(number)], "skip": [], "zero": [0.0]}[cold] if number else []
    return {
        query: _mean([value for _, d in rows for value in ([-math.log2(known[d] / number)] if d in known else of_cold)])
        for query, rows in _lists(query_id, doc_id, rank, k).items()
    }


def surprisal(query_id: Ids, doc_id: Ids, rank: Column, *, history: Rows, k: int) -> ByQuery:
    """Return the surprisal: novelty as a share of its maximum, where missing documents of the top k count 0.

    Formula: sum over the list of log2(U / u) / log2(U), divided by k; see `novelty`. NaN for fewer than two users.
    Source: RePlay Surprisal.
    """
    users, number = _users(history), len({row["query_id"] for row in history})
    return {
        query: math.fsum(math.log(number / len(users.get(d, {0}))) / math.log(number) for _, d in rows) / k
        if number > 1
        else math.nan
        for query, rows in _lists(query_id, doc_id, rank, k).items()
    }


def unseen_share(query_id: Ids, doc_id: Ids, rank: Column, *, history: Rows, k: int | None = None) -> ByQuery:
    """Return the unseen share: the share of the list that is not in the history of the query.

    Source: RePlay Novelty.
    """
    users = _users(history)
    return {
        query: _mean([float(query not in users.get(d, ())) for _, d in rows])
        for query, rows in _lists(query_id, doc_id, rank, k).items()
    }


def _popularity(documents: Rows, history: Rows, popularity: str) -> Mapping[Hashable, float]:
    if popularity == "history":
        return Counter(row["doc_id"] for row in history)
    return {row["doc_id"]: row["popularity"] for row in documents if row["popularity"] is not None}


def avg_popularity(
    query_id: Ids,
    doc_id: Ids,
    rank: Column,
    *,
    documents: Rows = (),
    history: Rows = (),
    k: int | None = None,
    popularity: str = "history",
) -> ByQuery:
    """Return the average popularity of the documents of the list. A document of unknown popularity counts 0.

    Source: Yin et al., PVLDB 5, 2012; RecTools AvgRecPopularity.
    """
    known = _popularity(documents, history, popularity)
    return {
        query: _mean([float(known.get(d, 0)) for _, d in rows])
        for query, rows in _lists(query_id, doc_id, rank, k).items()
    }


def tail_share(
    query_id: Ids,
    doc_id: Ids,
    rank: Column,
    *,
    documents: Rows,
    history: Rows = (),
    k: int | None = None,
    tail: float = 0.8,
    popularity: str = "history",
) -> ByQuery:
    """Return the tail share: the share of the list that belongs to the long tail.

    The tail is the catalogue without its floor((1 - tail) |catalogue|) most popular documents. Ties are broken by
    ascending doc_id.
    Source: Abdollahpouri, Burke and Mobasher, RecSys 2017.
    """
    known = _popularity(documents, history, popularity)
    order = sorted(_catalogue(documents), key=lambda d: (-known.get(d, 0), id_bytes(d)))
    head = math.floor((1 - tail) * len(order) + 1e-9)
    rest = set(order[head:])
    return {
        query: _mean([float(d in rest) for _, d in rows]) for query, rows in _lists(query_id, doc_id, rank, k).items()
    }


def churn(query_id: Ids, doc_id: Ids, rank: Column, *, baseline: Rows, k: int) -> ByQuery:
    """Return the churn: the share of the top k that is not in the top k of the baseline.

    Formula: 1 - |documents in both| / k.
    Source: RePlay Unexpectedness.
    """
    before = {(row["query_id"], row["doc_id"]) for row in baseline if row["rank"] <= k}
    return {
        query: 1 - sum((query, d) in before for _, d in rows) / k
        for query, rows in _lists(query_id, doc_id, rank, k).items()
    }


def _categories(documents: Rows) -> dict[Hashable, set[Any]]:
    """Return the categories of each document that has one."""
    found: dict[Hashable, set[Any]] = defaultdict(set)
    for row in documents:
        if row["category"] is not None:
            found[row["doc_id"]].add(row["category"])
    return dict(found)


def categorical_diversity(
    query_id: Ids, doc_id: Ids, rank: Column, *, documents: Rows, history: Rows = (), k: int
) -> ByQuery:
    """Return the categorical diversity: the number of categories in the top k, divided by k.

    Source: RePlay CategoricalDiversity.
    """
    categories = _categories(documents)
    return {
        query: len(set().union(*(categories.get(d, set()) for _, d in rows))) / k
        for query, rows in _lists(query_id, doc_id, rank, k).items()
    }


def _shares(documents: Sequence[Hashable], categories: Mapping[Hashable, set[Any]]) -> dict[Any, float]:
    """Return the share of each category among documents; those without a category do not count."""
    known = [categories[d] for d in documents if d in categories]
    shares: dict[Any, float] = defaultdict(float)
    for own in known:
        for name in own:
            shares[name] += 1 / len(own) / len(known)
    return dict(shares)


def _kl(p: Mapping[Any, float], q: Mapping[Any, float]) -> float:
    """Return the Kullback-Leibler divergence of p from q in nats; NaN if it is infinite."""
    if any(share > 0 and not q.get(name, 0) > 0 for name, share in p.items()):
        return math.nan
    return math.fsum(share * math.log(share / q[name]) for name, share in p.items() if share > 0)


def _js(p: Mapping[Any, float], q: Mapping[Any, float]) -> float:
    """Return the Jensen-Shannon divergence in nats."""
    middle = {name: (p.get(name, 0) + q.get(name, 0)) / 2 for name in {*p, *q}}
    return (_kl(p, middle) + _kl(q, middle)) / 2


def calibration(
    query_id: Ids,
    doc_id: Ids,
    rank: Column,
    *,
    documents: Rows,
    history: Rows,
    k: int | None = None,
    alpha: float = 0.01,
    divergence: str = "kl",
) -> ByQuery:
    """Return the calibration: the divergence of the category shares of the history from those of the list.

    Formula: KL(p || (1 - alpha) q + alpha p), or JS(p, q), p = shares in the history, q = shares in the list. NaN if
    the list or the history has no document with a category, or if the divergence is infinite.
    Source: Steck, RecSys 2018.
    """
    categories = _categories(documents)

    def value(query: Hashable, listed: list[Hashable]) -> float:
        p = _shares([row["doc_id"] for row in history if row["query_id"] == query], categories)
        q = _shares(listed, categories)
        if not p or not q:
            return math.nan
        if divergence == "js":
            return _js(p, q)
        return _kl(p, {name: (1 - alpha) * q.get(name, 0) + alpha * p[name] for name in p})

    return {query: value(query, [d for _, d in rows]) for query, rows in _lists(query_id, doc_id, rank, k).items()}


def _groups(documents: Rows) -> dict[Hashable, dict[Any, float]]:
    """Return the weight of each document in each of its groups, for documents that have a group."""
    found: dict[Hashable, dict[Any, float]] = defaultdict(dict)
    for row in documents:
        weight = 1.0 if row.get("weight") is None else row["weight"]
        if row["group"] is not None and weight > 0:
            found[row["doc_id"]][row["group"]] = weight
    return dict(found)


def _shares_due(targets: Rows, query: Hashable) -> dict[Any, float]:
    """Return the target of each group in a query."""
    return {row["group"]: row["share"] for row in targets if row.get("query_id") in (None, query)}


def _weights(groups: Mapping[Hashable, Mapping[Any, float]], documents: Sequence[Hashable]) -> dict[Any, float]:
    """Return the sum of the weights of documents in each group."""
    found: dict[Any, float] = defaultdict(float)
    for d in documents:
        for name, weight in groups.get(d, {}).items():
            found[name] += weight
    return dict(found)


def _exposure(i: float, exposure: str, p: float) -> float:
    """Return the exposure of a document at rank i."""
    values = {
        "log": 1 / math.log2(max(i, 2)),
        "log1": 1 / math.log2(i + 1),
        "rbp": p ** (i - 1),
        "geometric": (1 - p) * p ** (i - 1),
    }
    return float(values[exposure])


def awrf(
    query_id: Ids,
    doc_id: Ids,
    rank: Column,
    *,
    documents: Rows,
    targets: Rows,
    k: int | None = None,
    exposure: str = "log",
    p: float = 0.9,
) -> ByQuery:
    """Return the attention-weighted rank fairness.

    Formula: 1 - JS(shares of exposure, targets), over the documents that have a group. NaN without such documents.
    Source: Sapiezynski et al., WWW companion 2019; TREC Fair Ranking 2022.
    """
    groups = _groups(documents)

    def value(rows: list[tuple[float, Hashable]], due: Mapping[Any, float]) -> float:
        attention: dict[Any, float] = defaultdict(float)
        for i, d in rows:
            for name, weight in groups.get(d, {}).items():
                attention[name] += weight * _exposure(i, exposure, p)
        total = math.fsum(attention.values())
        return 1 - _js({name: x / total for name, x in attention.items()}, due) if attention else math.nan

    return {
        query: value(rows, _shares_due(targets, query)) for query, rows in _lists(query_id, doc_id, rank, k).items()
    }


def _skews(
    query_id: Ids, doc_id: Ids, rank: Column, documents: Rows, targets: Rows, k: int | None
) -> dict[Hashable, list[float]]:
    """Return ln(share of the group / its target) for each group in each list, except groups with the target 0."""
    groups = _groups(documents)
    found: dict[Hashable, list[float]] = {}
    for query, rows in _lists(query_id, doc_id, rank, k).items():
        due = _shares_due(targets, query)
        weights = _weights(groups, [d for _, d in rows])
        total = sum(weights.values())
        found[query] = [math.log(n / total / due[name]) for name, n in weights.items() if due[name] > 0]
    return found


def min_skew(
    query_id: Ids, doc_id: Ids, rank: Column, *, documents: Rows, targets: Rows, k: int | None = None
) -> ByQuery:
    """Return the skew of the most underrepresented group in the list: min of ln(share / target).

    Groups that the list lacks, and groups with the target 0, are ignored. NaN without any other group.

    Source: Geyik, Ambler and Kenthapadi, KDD 2019.
    """
    skews = _skews(query_id, doc_id, rank, documents, targets, k)
    return {query: min(values, default=math.nan) for query, values in skews.items()}


def max_skew(
    query_id: Ids, doc_id: Ids, rank: Column, *, documents: Rows, targets: Rows, k: int | None = None
) -> ByQuery:
    """Return the skew of the most overrepresented group in the list: max of ln(share / target).

    Groups with the target 0 are ignored. NaN without any other group.

    Source: Geyik, Ambler and Kenthapadi, KDD 2019.
    """
    skews = _skews(query_id, doc_id, rank, documents, targets, k)
    return {query: max(values, default=math.nan) for query, values in skews.items()}


def ndkl(query_id: Ids, doc_id: Ids, rank: Column, *, documents: Rows, targets: Rows, k: int | None = None) -> ByQuery:
    """Return the normalised discounted cumulative KL divergence of the groups in each prefix of the list.

    Formula: sum over i of KL(D_i, t) / log2(i + 1), divided by the sum of 1 / log2(i + 1). D_i are the shares of the
    groups among the first i documents that have a group, and t the targets. NaN without such documents, and if the
    list shows a group with the target 0.
    Source: Geyik, Ambler and Kenthapadi, KDD 2019.
    """
    groups = _groups(documents)

    def shares(shown: Sequence[Hashable]) -> dict[Any, float]:
        weights = _weights(groups, shown)
        total = sum(weights.values())
        return {name: n / total for name, n in weights.items()}

    def value(shown: list[Hashable], due: Mapping[Any, float]) -> float:
        if not shown:
            return math.nan
        weights = [1 / math.log2(i + 1) for i in range(1, len(shown) + 1)]
        prefixes = [shares(shown[:i]) for i in range(1, len(shown) + 1)]
        return math.fsum(w * _kl(d, due) for w, d in zip(weights, prefixes, strict=True)) / math.fsum(weights)

    return {
        query: value([d for _, d in rows if d in groups], _shares_due(targets, query))
        for query, rows in _lists(query_id, doc_id, rank, k).items()
    }


def _expected_exposures(
    query_id: Ids,
    doc_id: Ids,
    rank: Column,
    documents: Rows,
    targets: Rows,
    qrels: Rows,
    exposure: str,
    p: float,
    depth: int,
    counts: str,
) -> list[tuple[float, float]]:
    """Return (e, T) of each group: its mean exposure and mean target over lists.

    T is the target times the exposure of a list of `depth` documents.
    """
    groups = _groups(documents)
    relevant = {
        (row["query_id"], row["doc_id"]) for row in qrels if row["relevance"] is not None and row["relevance"] > 0
    }
    attainable = math.fsum(_exposure(i, exposure, p) for i in range(1, depth + 1))
    attention: dict[Any, float] = defaultdict(float)
    due: dict[Any, float] = defaultdict(float)
    lists = _lists(query_id, doc_id, rank, None)
    for query, rows in lists.items():
        for name, share in _shares_due(targets, query).items():
            due[name] += share * attainable / len(lists)
        for i, d in rows:
            if counts == "all" or (query, d) in relevant:
                for name, weight in groups.get(d, {}).items():
                    attention[name] += weight * _exposure(i, exposure, p) / len(lists)
    return [(attention[name], share) for name, share in due.items()]


def eed(
    query_id: Ids,
    doc_id: Ids,
    rank: Column,
    *,
    documents: Rows,
    targets: Rows,
    qrels: Rows = (),
    exposure: str = "log",
    p: float = 0.9,
    depth: int = 20,
    counts: str = "relevant",
) -> float:
    """Return the expected exposure disparity: the sum over groups of e**2.

    e is the mean over lists of the exposure of the group. With counts = 'relevant', only its relevant documents count.

    Source: Diaz et al., CIKM 2020; TREC Fair Ranking 2022.
    """
    pairs = _expected_exposures(query_id, doc_id, rank, documents, targets, qrels, exposure, p, depth, counts)
    return math.fsum(e**2 for e, _ in pairs)


def eer(
    query_id: Ids,
    doc_id: Ids,
    rank: Column,
    *,
    documents: Rows,
    targets: Rows,
    qrels: Rows = (),
    exposure: str = "log",
    p: float = 0.9,
    depth: int = 20,
    counts: str = "relevant",
) -> float:
    """Return the expected exposure relevance: the sum over groups of e * T; for e see `eed`.

    T is the mean target of the group over the lists, times the exposure of a list of `depth` documents.

    Source: Diaz et al., CIKM 2020; TREC Fair Ranking 2022.
    """
    pairs = _expected_exposures(query_id, doc_id, rank, documents, targets, qrels, exposure, p, depth, counts)
    return math.fsum(e * due for e, due in pairs)


def eel(
    query_id: Ids,
    doc_id: Ids,
    rank: Column,
    *,
    documents: Rows,
    targets: Rows,
    qrels: Rows = (),
    exposure: str = "log",
    p: float = 0.9,
    depth: int = 20,
    counts: str = "relevant",
) -> float:
    """Return the expected exposure loss: the sum over groups of (e - T)**2; see `eed` and `eer`.

    Source: Diaz et al., CIKM 2020; TREC Fair Ranking 2022.
    """
    pairs = _expected_exposures(query_id, doc_id, rank, documents, targets, qrels, exposure, p, depth, counts)
    return math.fsum((e - due) ** 2 for e, due in pairs)


def _of_groups(
    query_id: Ids, doc_id: Ids, rank: Column, documents: Rows, qrels: Rows, k: int | None, exposure: str, p: float
) -> list[tuple[float, float, float]]:
    """Return sums over the documents of each group: of their weights, their exposure and their relevance."""
    groups = _groups(documents)
    lists = _lists(query_id, doc_id, rank, k)
    attention: dict[Any, float] = defaultdict(float)
    merit: dict[Any, float] = defaultdict(float)
    for rows in lists.values():
        for i, d in rows:
            for name, weight in groups.get(d, {}).items():
                attention[name] += weight * _exposure(i, exposure, p)
    for row in qrels:
        if row["query_id"] in lists and row["relevance"] is not None:
            for name, weight in groups.get(row["doc_id"], {}).items():
                merit[name] += weight * max(row["relevance"], 0)
    return [(n, attention[name], merit[name]) for name, n in _weights(groups, [*groups]).items()]


def exposure_ratio(
    query_id: Ids,
    doc_id: Ids,
    rank: Column,
    *,
    documents: Rows,
    qrels: Rows = (),
    k: int | None = None,
    exposure: str = "log",
    p: float = 0.9,
    per: str = "document",
) -> float:
    """Return the ratio of the exposure of the least exposed group to that of the most exposed group.

    Exposure is per document, or per unit of relevance with per = 'relevance'. NaN if a group then has no relevance, or
    if no group is exposed.
    Source: Singh and Joachims, KDD 2018.
    """
    parts = _of_groups(query_id, doc_id, rank, documents, qrels, k, exposure, p)
    divisors = [n if per == "document" else merit for n, _, merit in parts]
    if not parts or not all(divisors):
        return math.nan
    shares = [e / divisor for (_, e, _), divisor in zip(parts, divisors, strict=True)]
    return min(shares) / max(shares) if max(shares) > 0 else math.nan


def attention_parity(
    query_id: Ids,
    doc_id: Ids,
    rank: Column,
    *,
    documents: Rows,
    qrels: Rows,
    k: int | None = None,
    exposure: str = "log",
    p: float = 0.9,
) -> float:
    """Return the attention parity: the sum over groups of |share of exposure - share of relevance|.

    NaN if no group has exposure, or no group has relevance.
    Source: Biega, Gummadi and Weikum, SIGIR 2018.
    """
    parts = _of_groups(query_id, doc_id, rank, documents, qrels, k, exposure, p)
    exposed, due = (math.fsum(part[place] for part in parts) for place in (1, 2))
    return math.fsum(abs(e / exposed - merit / due) for _, e, merit in parts) if exposed and due else math.nan
