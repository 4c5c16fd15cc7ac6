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
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import update_wrapper
from itertools import combinations
from operator import itemgetter
from typing import Any

import numpy as np

from ltr_sql.oracle._rows import Column, Ids, id_bytes, in_top, taking, to_floats

Rows = Sequence[Mapping[str, Any]]
ByQuery = dict[Hashable, float]
# The documents of each query with their ranks, in rank order. A list may be empty.
Lists = dict[Hashable, list[tuple[float, Hashable]]]
# The weight of each document in each of its groups.
Groups = Mapping[Hashable, Mapping[Any, float]]


def _of_lists(measure: Callable[..., Any]) -> Callable[..., Any]:
    """Let a measure of lists take the columns of a run. Its parameter `k`, if it has one, is the cutoff of lists."""

    def measured(query_id: Ids, doc_id: Ids, rank: Column, **given: Any) -> Any:
        lists: Lists = {query: [] for query in query_id}
        for query, document, i in zip(query_id, doc_id, to_floats(rank).tolist(), strict=True):
            if in_top(i, given.get("k")):
                lists[query].append((i, document))
        return measure({query: sorted(rows, key=itemgetter(0)) for query, rows in lists.items()}, **given)

    return taking("query_id doc_id rank", measure, measured)


def _shown(lists: Lists) -> Counter[Hashable]:
    """Return f, the number of lists that show each document."""
    return Counter(d for rows in lists.values() for _, d in rows)


def _catalogue(documents: Rows) -> set[Hashable]:
    return {row["doc_id"] for row in documents}


@_of_lists
def coverage(lists: Lists, *, documents: Rows, k: int | None = None, outside: str = "skip") -> float:
    """Return the catalogue coverage: the share of the catalogue that the lists show.

    Formula: |{d in the catalogue : f(d) > 0}| / |catalogue|. NaN if the catalogue is empty. With outside = 'count' the
    numerator counts all shown documents.
    Source: Ge, Delgado-Battenfeld and Jannach, RecSys 2010.
    """
    catalogue = _catalogue(documents)
    shown = set(_shown(lists))
    counted = shown if outside == "count" else shown & catalogue
    return len(counted) / len(catalogue) if catalogue else math.nan


@_of_lists
def gini(lists: Lists, *, documents: Rows = (), k: int | None = None, universe: str = "documents") -> float:
    """Return the Gini index of f over the catalogue, or over the shown documents if `universe` is not 'documents'.

    Formula: sum over ordered pairs of documents of |f(a) - f(b)|, divided by 2 m**2 mean(f), m = number of documents.
    NaN if none of these documents is shown.
    Source: Gini, 1912; Castells, Hurley and Vargas, Recommender Systems Handbook, 2015.
    """
    shown = _shown(lists)
    members = _catalogue(documents) if universe == "documents" else set(shown)
    f = np.array([shown[d] for d in members], dtype=float)
    if not f.sum():
        return math.nan
    return float(np.abs(f[:, None] - f[None, :]).sum() / (2 * len(f) * f.sum()))


def _features(documents: Rows, features: str) -> dict[Hashable, Any]:
    """Return the feature vector of each document that has one. With 'category' it is the 0/1 vector of categories."""
    if features == "vector":
        return {row["doc_id"]: np.array(row["vector"], dtype=float) for row in documents if row["vector"] is not None}
    found = _categories(documents)
    categories = sorted(set().union(*found.values()))
    return {d: np.array([float(name in own) for name in categories]) for d, own in found.items()}


@_of_lists
def ild(
    lists: Lists, *, documents: Rows, k: int | None = None, features: str = "category", empty: str = "0"
) -> ByQuery:
    """Return the intra-list diversity: the mean distance between documents of the list that have features.

    Formula: mean over unordered pairs of 1 - cos(v_a, v_b).
    With fewer than two such documents it is 0, or NaN with empty = 'skip'.
    Source: Ziegler et al., WWW 2005; Castells, Hurley and Vargas, Recommender Systems Handbook, 2015.
    """
    vectors = _features(documents, features)

    def value(rows: list[tuple[float, Hashable]]) -> float:
        own = [vectors[d] for _, d in rows if d in vectors]
        distances = [1 - float(a @ b) / math.sqrt(float(a @ a) * float(b @ b)) for a, b in combinations(own, 2)]
        return math.fsum(distances) / len(distances) if distances else (0.0 if empty == "0" else math.nan)

    return {query: value(rows) for query, rows in lists.items()}


@_of_lists
def entropy(
    lists: Lists, *, documents: Rows = (), k: int | None = None, base: str = "e", divisor: str = "none"
) -> float:
    """Return the Shannon entropy of the distribution of shown documents. NaN if no document is shown.

    Formula: - sum over documents of p log p, p = f(d) / S. `base` of the logarithm: 'e' or '2'. With divisor = 'shown'
    divided by the number of shown documents.
    Source: Shannon, Bell System Technical Journal 27, 1948; RecBole ShannonEntropy for the divisor.
    """
    shown = _shown(lists)
    if not shown:
        return math.nan
    total = sum(shown.values())
    nats = -math.fsum(f / total * math.log(f / total) for f in shown.values())
    return nats / {"e": 1.0, "2": math.log(2)}[base] / {"none": 1, "shown": len(shown)}[divisor]


@_of_lists
def herfindahl(lists: Lists, *, documents: Rows = (), k: int | None = None) -> float:
    """Return the Herfindahl index of the distribution of shown documents. NaN if no document is shown.

    Formula: sum over documents of p**2, p = f(d) / S.
    Source: Herfindahl, Concentration in the steel industry, 1950.
    """
    shown = _shown(lists)
    if not shown:
        return math.nan
    return math.fsum((f / sum(shown.values())) ** 2 for f in shown.values())


@_of_lists
def personalization(lists: Lists, *, documents: Rows = (), k: int) -> float:
    """Return the personalization: the mean dissimilarity of the lists of two queries.

    Formula: 1 - mean over unordered pairs of lists of |common documents| / k. NaN for fewer than two lists.
    Source: Zhou et al., PNAS 107, 2010.
    """
    common = [len({d for _, d in a} & {d for _, d in b}) / k for a, b in combinations(lists.values(), 2)]
    return 1 - math.fsum(common) / len(common) if common else math.nan


@_of_lists
def query_coverage(
    lists: Lists, *, qrels: Rows = (), history: Rows = (), k: int | None = None, least: int = 1, queries: str = "qrels"
) -> float:
    """Return the query coverage: the share of queries with at least `least` documents in the top k.

    `queries`: 'qrels' or 'history', the table whose queries count. NaN if it has none.
    Source: Ge, Delgado-Battenfeld and Jannach, RecSys 2010.
    """
    due = {row["query_id"] for row in (qrels if queries == "qrels" else history)}
    return sum(len(lists.get(query, [])) >= least for query in due) / len(due) if due else math.nan


def _users(history: Rows) -> dict[Hashable, set[Hashable]]:
    """Map each document to the users (query ids) who have it in their history."""
    users: dict[Hashable, set[Hashable]] = defaultdict(set)
    for row in history:
        users[row["doc_id"]].add(row["query_id"])
    return users


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


@_of_lists
def novelty(
    lists: Lists, *, history: Rows, k: int | None = None, cold: str = "one", frequency: str = "users"
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
        for query, rows in lists.items()
    }


@_of_lists
def surprisal(lists: Lists, *, history: Rows, k: int) -> ByQuery:
    """Return the surprisal: novelty as a share of its maximum, where missing documents of the top k count 0.

    Formula: sum over the list of log2(U / u) / log2(U), divided by k; see `novelty`. NaN for fewer than two users.
    Source: RePlay Surprisal.
    """
    users, number = _users(history), len({row["query_id"] for row in history})
    return {
        query: math.fsum(math.log(number / len(users.get(d, {0}))) / math.log(number) for _, d in rows) / k
        if number > 1
        else math.nan
        for query, rows in lists.items()
    }


@_of_lists
def unseen_share(lists: Lists, *, history: Rows, k: int | None = None) -> ByQuery:
    """Return the unseen share: the share of the list that is not in the history of the query.

    Source: RePlay Novelty.
    """
    users = _users(history)
    return {query: _mean([float(query not in users.get(d, ())) for _, d in rows]) for query, rows in lists.items()}


def _popularity(documents: Rows, history: Rows, popularity: str) -> Mapping[Hashable, float]:
    if popularity == "history":
        return Counter(row["doc_id"] for row in history)
    return {row["doc_id"]: row["popularity"] for row in documents if row["popularity"] is not None}


@_of_lists
def avg_popularity(
    lists: Lists, *, documents: Rows = (), history: Rows = (), k: int | None = None, popularity: str = "history"
) -> ByQuery:
    """Return the average popularity of the documents of the list. A document of unknown popularity counts 0.

    Source: Yin et al., PVLDB 5, 2012; RecTools AvgRecPopularity.
    """
    known = _popularity(documents, history, popularity)
    return {query: _mean([float(known.get(d, 0)) for _, d in rows]) for query, rows in lists.items()}


@_of_lists
def tail_share(
    lists: Lists,
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
    return {query: _mean([float(d in rest) for _, d in rows]) for query, rows in lists.items()}


@_of_lists
def churn(lists: Lists, *, baseline: Rows, k: int) -> ByQuery:
    """Return the churn: the share of the top k that is not in the top k of the baseline.

    Formula: 1 - |documents in both| / k.
    Source: RePlay Unexpectedness.
    """
    before = {(row["query_id"], row["doc_id"]) for row in baseline if row["rank"] <= k}
    return {query: 1 - sum((query, d) in before for _, d in rows) / k for query, rows in lists.items()}


def _categories(documents: Rows) -> dict[Hashable, set[Any]]:
    """Return the categories of each document that has one."""
    found: dict[Hashable, set[Any]] = defaultdict(set)
    for row in documents:
        if row["category"] is not None:
            found[row["doc_id"]].add(row["category"])
    return dict(found)


@_of_lists
def categorical_diversity(lists: Lists, *, documents: Rows, history: Rows = (), k: int) -> ByQuery:
    """Return the categorical diversity: the number of categories in the top k, divided by k.

    Source: RePlay CategoricalDiversity.
    """
    categories = _categories(documents)
    return {query: len(set().union(*(categories.get(d, set()) for _, d in rows))) / k for query, rows in lists.items()}


def _kl(p: Mapping[Any, float], q: Mapping[Any, float]) -> float:
    """Return the Kullback-Leibler divergence of p from q in nats; NaN if it is infinite."""
    if any(share > 0 and not q.get(name, 0) > 0 for name, share in p.items()):
        return math.nan
    return math.fsum(share * math.log(share / q[name]) for name, share in p.items() if share > 0)


def _js(p: Mapping[Any, float], q: Mapping[Any, float]) -> float:
    """Return the Jensen-Shannon divergence in nats."""
    middle = {name: (p.get(name, 0) + q.get(name, 0)) / 2 for name in {*p, *q}}
    return (_kl(p, middle) + _kl(q, middle)) / 2


@_of_lists
def calibration(
    lists: Lists, *, documents: Rows, history: Rows, k: int | None = None, alpha: float = 0.01, divergence: str = "kl"
) -> ByQuery:
    """Return the calibration: the divergence of the category shares of the history from those of the list.

    Formula: KL(p || (1 - alpha) q + alpha p), or JS(p, q), p = shares in the history, q = shares in the list. NaN if
    the list or the history has no document with a category, or if the divergence is infinite.
    Source: Steck, RecSys 2018.
    """
    categories = {d: dict.fromkeys(own, 1 / len(own)) for d, own in _categories(documents).items()}

    def value(query: Hashable, listed: Iterable[Hashable]) -> float:
        p = _shares(categories, (row["doc_id"] for row in history if row["query_id"] == query))
        q = _shares(categories, listed)
        if not p or not q:
            return math.nan
        if divergence == "js":
            return _js(p, q)
        return _kl(p, {name: (1 - alpha) * q.get(name, 0) + alpha * p[name] for name in p})

    return {query: value(query, (d for _, d in rows)) for query, rows in lists.items()}


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


def _sums(groups: Groups, values: Iterable[tuple[float, Hashable]]) -> dict[Any, float]:
    """Return the sum of (value, document) in each group, times the weight of the document in the group."""
    found: dict[Any, float] = defaultdict(float)
    for value, d in values:
        for name, weight in groups.get(d, {}).items():
            found[name] += weight * value
    return found


def _in_shares(sums: Mapping[Any, float]) -> dict[Any, float]:
    """Return the share of each group in the sum of all."""
    total = math.fsum(sums.values())
    return {name: value / total for name, value in sums.items()}


def _shares(groups: Groups, documents: Iterable[Hashable]) -> dict[Any, float]:
    """Return the share of each group among documents; those without a group do not count."""
    return _in_shares(_sums(groups, ((1.0, d) for d in documents)))


def _exposure(i: float, exposure: str, p: float) -> float:
    """Return the exposure of a document at rank i."""
    values = {
        "log": 1 / math.log2(max(i, 2)),
        "log1": 1 / math.log2(i + 1),
        "rbp": p ** (i - 1),
        "geometric": (1 - p) * p ** (i - 1),
    }
    return float(values[exposure])


@_of_lists
def awrf(
    lists: Lists, *, documents: Rows, targets: Rows, k: int | None = None, exposure: str = "log", p: float = 0.9
) -> ByQuery:
    """Return the attention-weighted rank fairness.

    Formula: 1 - JS(shares of exposure, targets), over the documents that have a group. NaN without such documents.
    Source: Sapiezynski et al., WWW companion 2019; TREC Fair Ranking 2022.
    """
    groups = _groups(documents)
    found: ByQuery = {}
    for query, rows in lists.items():
        attention = _sums(groups, ((_exposure(i, exposure, p), d) for i, d in rows))
        found[query] = 1 - _js(_in_shares(attention), _shares_due(targets, query)) if attention else math.nan
    return found


def _skews(lists: Lists, documents: Rows, targets: Rows) -> dict[Hashable, list[float]]:
    """Return ln(share of the group / its target) for each group in each list, except groups with the target 0."""
    groups = _groups(documents)
    found: dict[Hashable, list[float]] = {}
    for query, rows in lists.items():
        due, shares = _shares_due(targets, query), _shares(groups, (d for _, d in rows))
        found[query] = [math.log(share / due[name]) for name, share in shares.items() if due[name] > 0]
    return found


@_of_lists
def min_skew(lists: Lists, *, documents: Rows, targets: Rows, k: int | None = None) -> ByQuery:
    """Return the skew of the most underrepresented group in the list: min of ln(share / target).

    Groups that the list lacks, and groups with the target 0, are ignored. NaN without any other group.

    Source: Geyik, Ambler and Kenthapadi, KDD 2019.
    """
    return {query: min(skews, default=math.nan) for query, skews in _skews(lists, documents, targets).items()}


@_of_lists
def max_skew(lists: Lists, *, documents: Rows, targets: Rows, k: int | None = None) -> ByQuery:
    """Return the skew of the most overrepresented group in the list: max of ln(share / target).

    Groups with the target 0 are ignored. NaN without any other group.

    Source: Geyik, Ambler and Kenthapadi, KDD 2019.
    """
    return {query: max(skews, default=math.nan) for query, skews in _skews(lists, documents, targets).items()}


@_of_lists
def ndkl(lists: Lists, *, documents: Rows, targets: Rows, k: int | None = None) -> ByQuery:
    """Return the normalised discounted cumulative KL divergence of the groups in each prefix of the list.

    Formula: sum over i of KL(D_i, t) / log2(i + 1), divided by the sum of 1 / log2(i + 1). D_i are the shares of the
    groups among the first i documents that have a group, and t the targets. NaN without such documents, and if the
    list shows a group with the target 0.
    Source: Geyik, Ambler and Kenthapadi, KDD 2019.
    """
    groups = _groups(documents)

    def value(shown: Sequence[Hashable], due: Mapping[Any, float]) -> float:
        if not shown:
            return math.nan
        weights = [1 / math.log2(i + 1) for i in range(1, len(shown) + 1)]
        prefixes = [_shares(groups, shown[:i]) for i in range(1, len(shown) + 1)]
        return math.fsum(w * _kl(d, due) for w, d in zip(weights, prefixes, strict=True)) / math.fsum(weights)

    return {
        query: value([d for _, d in rows if d in groups], _shares_due(targets, query)) for query, rows in lists.items()
    }


def _of_expected_exposure(measure: Callable[[float, float], float]) -> Callable[..., float]:
    """Return the sum over groups of a function of e and T.

    e is the mean exposure of a group over lists, T its mean target times the exposure of a list of `depth` documents.
    """

    def measured(
        lists: Lists,
        *,
        documents: Rows,
        targets: Rows,
        qrels: Rows = (),
        exposure: str = "log",
        p: float = 0.9,
        depth: int = 20,
        counts: str = "relevant",
    ) -> float:
        groups = _groups(documents)
        relevant = {(row["query_id"], row["doc_id"]) for row in qrels if (row["relevance"] or 0) > 0}
        attainable = math.fsum(_exposure(i, exposure, p) for i in range(1, depth + 1))
        attention: dict[Any, float] = defaultdict(float)
        due: dict[Any, float] = defaultdict(float)
        for query, rows in lists.items():
            counted = [(i, d) for i, d in rows if counts == "all" or (query, d) in relevant]
            for name, e in _sums(groups, ((_exposure(i, exposure, p), d) for i, d in counted)).items():
                attention[name] += e / len(lists)
            for name, share in _shares_due(targets, query).items():
                due[name] += share * attainable / len(lists)
        return math.fsum(measure(attention[name], share) for name, share in due.items())

    return update_wrapper(_of_lists(measured), measure)


@_of_expected_exposure
def eed(e: float, due: float) -> float:
    """Return the expected exposure disparity: the sum over groups of e**2.

    e is the mean over lists of the exposure of the group. With counts = 'relevant', only its relevant documents count.

    Source: Diaz et al., CIKM 2020; TREC Fair Ranking 2022.
    """
    return e**2


@_of_expected_exposure
def eer(e: float, due: float) -> float:
    """Return the expected exposure relevance: the sum over groups of e * T; for e see `eed`.

    T is the mean target of the group over the lists, times the exposure of a list of `depth` documents.

    Source: Diaz et al., CIKM 2020; TREC Fair Ranking 2022.
    """
    return e * due


@_of_expected_exposure
def eel(e: float, due: float) -> float:
    """Return the expected exposure loss: the sum over groups of (e - T)**2; see `eed` and `eer`.

    Source: Diaz et al., CIKM 2020; TREC Fair Ranking 2022.
    """
    return (e - due) ** 2


def _of_groups(lists: Lists, documents: Rows, qrels: Rows, exposure: str, p: float) -> list[tuple[float, float, float]]:
    """Return sums over the documents of each group: of their weights, their exposure and their relevance."""
    groups = _groups(documents)
    attention = _sums(groups, ((_exposure(i, exposure, p), d) for rows in lists.values() for i, d in rows))
    judged = [row for row in qrels if row["query_id"] in lists and row["relevance"] is not None]
    merit = _sums(groups, ((max(row["relevance"], 0), row["doc_id"]) for row in judged))
    return [(n, attention[name], merit[name]) for name, n in _sums(groups, ((1.0, d) for d in groups)).items()]


@_of_lists
def exposure_ratio(
    lists: Lists,
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
    parts = _of_groups(lists, documents, qrels, exposure, p)
    divisors = [n if per == "document" else merit for n, _, merit in parts]
    if not parts or not all(divisors):
        return math.nan
    shares = [e / divisor for (_, e, _), divisor in zip(parts, divisors, strict=True)]
    return min(shares) / max(shares) if max(shares) > 0 else math.nan


@_of_lists
def attention_parity(
    lists: Lists, *, documents: Rows, qrels: Rows, k: int | None = None, exposure: str = "log", p: float = 0.9
) -> float:
    """Return the attention parity: the sum over groups of |share of exposure - share of relevance|.

    NaN if no group has exposure, or no group has relevance.
    Source: Biega, Gummadi and Weikum, SIGIR 2018.
    """
    parts = _of_groups(lists, documents, qrels, exposure, p)
    exposed, due = (math.fsum(part[place] for part in parts) for place in (1, 2))
    return math.fsum(abs(e / exposed - merit / due) for _, e, merit in parts) if exposed and due else math.nan
