"""Pools, rater agreement and merged judgments, written from their formulas and independent of the SQL.

A rating is a tuple (query_id, doc_id, rater, relevance). A contribution to a pool is a tuple (system, query_id, doc_id,
rank). Undefined values are None.
"""

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product

from ltr_sql.oracle.comparison.pairs import t_interval, t_statistic
from ltr_sql.oracle.comparison.probabilities import t_p, t_quantile
from ltr_sql.oracle.comparison.systems import adjusted

__all__ = ["merge_judgments", "pool", "rater_agreement", "rater_bias", "rater_confusion", "unique_documents"]

Document = tuple[Hashable, Hashable]
Rating = tuple[Hashable, Hashable, str, float]
Contribution = tuple[str, Hashable, str, int]
# The grades of each document by rater, and the probability of each of its grades.
Ratings = Mapping[Document, Mapping[str, float]]
Probabilities = Mapping[Document, Mapping[float, float]]


@dataclass(frozen=True)
class Pooled:
    """A document of a pool."""

    priority: int
    best_rank: int
    systems: tuple[str, ...]


@dataclass(frozen=True)
class Agreement:
    """The agreement of two raters."""

    documents: int
    agreement: float
    cohen_kappa: float | None
    cohen_kappa_stderr: float | None
    cohen_kappa_low: float | None
    cohen_kappa_high: float | None
    kappa_linear: float | None
    kappa_linear_stderr: float | None
    kappa_linear_low: float | None
    kappa_linear_high: float | None
    kappa_quadratic: float | None
    kappa_quadratic_stderr: float | None
    kappa_quadratic_low: float | None
    kappa_quadratic_high: float | None
    overlap: float | None
    mean_difference: float
    mean_absolute_difference: float


@dataclass(frozen=True)
class CommonAgreement:
    """The agreement of all raters."""

    documents: int
    fleiss_kappa: float | None
    alpha_nominal: float | None
    alpha_ordinal: float | None
    alpha_interval: float | None
    alpha_ratio: float | None


@dataclass(frozen=True)
class Merged:
    """The merged judgment of a document."""

    relevance: float
    raters: int
    agreement: float
    probability: float | None


def pool(
    runs: Iterable[Contribution],
    *,
    depth: int = 100,
    budget: int | None = None,
    strategy: str = "depth",
    p: float = 0.8,
) -> dict[Document, Pooled]:
    """Return the documents of a pool, with their priority within their query.

    The pool is the union of the top `depth` of all runs. Documents are sorted by the strategy: 'depth' by best rank,
    'rbp' by sum (1 - p) p^(r - 1), and 'rrf' by sum 1 / (60 + r). Ties are broken by best rank, then by descending
    number of runs, then by ascending doc_id.
    Source: Moffat, Webber & Zobel 2007; Cormack, Clarke & Buettcher 2009.
    """
    weight: Callable[[Sequence[int]], float] = {
        "depth": lambda ranks: -min(ranks),
        "rbp": lambda ranks: sum((1 - p) * p ** (r - 1) for r in ranks),
        "rrf": lambda ranks: sum(1 / (60 + r) for r in ranks),
    }[strategy]
    found: dict[Hashable, dict[str, list[tuple[str, int]]]] = defaultdict(lambda: defaultdict(list))
    for system, query_id, doc_id, rank in runs:
        if rank <= depth:
            found[query_id][doc_id].append((system, rank))

    def place(item: tuple[str, list[tuple[str, int]]]) -> tuple[float, int, int, str]:
        doc_id, brought = item
        ranks = [rank for _, rank in brought]
        return -round(weight(ranks), 12), min(ranks), -len(ranks), doc_id

    return {
        (query_id, doc_id): Pooled(number, min(r for _, r in brought), tuple(sorted(s for s, _ in brought)))
        for query_id, documents in found.items()
        for number, (doc_id, brought) in enumerate(sorted(documents.items(), key=place), start=1)
        if budget is None or number <= budget
    }


def unique_documents(runs: Iterable[Contribution], *, depth: int = 100) -> dict[Document, tuple[str, int]]:
    """Return system and rank of each document in the top `depth` of exactly one run. Source: Zobel 1998."""
    found: dict[Document, list[tuple[str, int]]] = defaultdict(list)
    for system, query_id, doc_id, rank in runs:
        if rank <= depth:
            found[query_id, doc_id].append((system, rank))
    return {document: brought[0] for document, brought in found.items() if len(brought) == 1}


def _by_document(ratings: Iterable[Rating]) -> dict[Document, dict[str, float]]:
    """Return the grades of each document by rater."""
    found: dict[Document, dict[str, float]] = defaultdict(dict)
    for query_id, doc_id, rater, relevance in ratings:
        found[query_id, doc_id][rater] = relevance
    return dict(found)


def rater_agreement(
    ratings: Iterable[Rating], *, rel: float = 1.0
) -> tuple[dict[tuple[str, str], Agreement], CommonAgreement]:
    """Return the agreement of each pair of raters, and that of all raters.

    Weighted kappa = 1 - sum w O / sum w E. O is the observed joint distribution of the grades of both raters, and E the
    product of their distributions. w is [a != b], |a - b| or (a - b)^2.
    Fleiss' kappa = (P - Pe) / (1 - Pe), over the documents that all raters judged.
    Krippendorff's alpha = 1 - Do / De, over the documents with at least two ratings.
    Source: Cohen 1960, 1968; Fleiss 1971; Krippendorff 2004.
    """
    by_document = _by_document(ratings)
    raters = sorted({rater for of in by_document.values() for rater in of})
    pairs = {}
    for a, b in combinations(raters, 2):
        both = [(query_id, of[a], of[b]) for (query_id, _), of in by_document.items() if a in of and b in of]
        if both:
            pairs[a, b] = _agreement(both, rel)
    multiple = [[*of.values()] for of in by_document.values() if len(of) > 1]
    complete = [grades for grades in multiple if len(grades) == len(raters)]
    alphas = [_alpha(multiple, scale) for scale in ("nominal", "ordinal", "interval", "ratio")]
    return pairs, CommonAgreement(len(multiple), _fleiss(complete), *alphas)


def rater_confusion(ratings: Iterable[Rating]) -> dict[tuple[str, str, float, float], int]:
    """Return the number of documents by two raters and their grades. Source: Cohen 1960."""
    pairs = (pair for of in _by_document(ratings).values() for pair in combinations(sorted(of.items()), 2))
    return Counter((rater_a, rater_b, a, b) for (rater_a, a), (rater_b, b) in pairs)


def _agreement(judged: Sequence[tuple[Hashable, float, float]], rel: float) -> Agreement:
    both = [(a, b) for _, a, b in judged]
    n = len(both)
    relevant = [(a >= rel, b >= rel) for a, b in both]
    either = sum(a or b for a, b in relevant)
    return Agreement(
        n,
        sum(a == b for a, b in both) / n,
        *_kappa(judged, lambda a, b: float(a != b)),
        *_kappa(judged, lambda a, b: abs(a - b)),
        *_kappa(judged, lambda a, b: (a - b) ** 2),
        overlap=sum(a and b for a, b in relevant) / either if either else None,
        mean_difference=math.fsum(b - a for a, b in both) / n,
        mean_absolute_difference=math.fsum(abs(a - b) for a, b in both) / n,
    )


def _kappa(
    judged: Sequence[tuple[Hashable, float, float]], distance: Callable[[float, float], float]
) -> tuple[float | None, float | None, float | None, float | None]:
    """Return kappa, its standard error, and its 95% interval.

    With Do and De the observed and the expected mean distance w, a document has the influence
    -(w(a, b) - Do) / De + Do / De^2 (w(a, .) + w(., b) - 2 De), where w(a, .) is the mean distance of a from the grades
    of the other rater. The squared error is the sum over queries of the squared sum of the influences of their
    documents, times G / (G - 1) for G queries, divided by the squared number of documents. df is G - 1.
    Source: Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72, where each document is a query of its own.
    """
    n = len(judged)
    observed = math.fsum(distance(a, b) for _, a, b in judged) / n
    expected = math.fsum(distance(a, b) for (_, a, _), (_, _, b) in product(judged, judged)) / n**2
    if not expected:
        return None, None, None, None
    influence: dict[Hashable, float] = defaultdict(float)
    for query_id, a, b in judged:
        of_a = math.fsum(distance(a, other) for _, _, other in judged) / n
        of_b = math.fsum(distance(other, b) for _, other, _ in judged) / n
        influence[query_id] += (
            observed - distance(a, b) + observed / expected * (of_a + of_b - 2 * expected)
        ) / expected
    kappa, queries = 1 - observed / expected, len(influence)
    if queries < 2:
        return kappa, None, None, None
    error = math.sqrt(math.fsum(value * value for value in influence.values()) * queries / (queries - 1)) / n
    reach = t_quantile(0.05, queries - 1) * error
    return kappa, error, kappa - reach, kappa + reach


def _fleiss(complete: Sequence[Sequence[float]]) -> float | None:
    if not complete:
        return None
    raters = len(complete[0])
    observed = statistics.fmean(
        sum(count * (count - 1) for count in Counter(grades).values()) / (raters * (raters - 1)) for grades in complete
    )
    totals = Counter(grade for grades in complete for grade in grades)
    expected = math.fsum((count / totals.total()) ** 2 for count in totals.values())
    return (observed - expected) / (1 - expected) if expected < 1 else None


def _alpha(multiple: Sequence[Sequence[float]], scale: str) -> float | None:
    totals = Counter(grade for grades in multiple for grade in grades)
    n = totals.total()

    def distance(a: float, b: float) -> float:
        if a == b:
            return 0.0
        if scale == "nominal":
            return 1.0
        if scale == "interval":
            return (a - b) ** 2
        if scale == "ratio":
            return ((a - b) / (a + b)) ** 2 if a + b else math.nan
        low, high = min(a, b), max(a, b)
        between = sum(count for grade, count in totals.items() if low <= grade <= high)
        return (between - (totals[a] + totals[b]) / 2) ** 2

    if not n:
        return None
    within = [math.fsum(distance(a, b) for a, b in permutations(grades, 2)) / (len(grades) - 1) for grades in multiple]
    observed = math.fsum(within) / n
    expected = math.fsum(totals[a] * totals[b] * distance(a, b) for a, b in product(totals, totals)) / (n * (n - 1))
    return 1 - observed / expected if expected else None


def merge_judgments(
    ratings: Iterable[Rating],
    method: str = "majority",
    *,
    ties: str = "lower",
    iterations: int = 50,
    truth: str | None = None,
) -> dict[Document, Merged]:
    """Return the merged judgment of each document. For the options see `ltr_sql.merge_judgments`.

    Source: Sheng, Provost & Ipeirotis 2008 (majority); Dawid & Skene 1979.
    """
    by_document = _by_document(ratings)
    chosen: dict[Document, tuple[float | None, float | None]]
    if method == "dawid_skene":
        if truth is None:
            posteriors = _dawid_skene_probabilities(by_document, iterations)
        else:
            posteriors = _probabilities_given_truth(by_document, truth)
        best = {d: min((-round(p[grade], 12), grade) for grade in p)[1] for d, p in posteriors.items()}
        chosen = {document: (grade, posteriors[document][grade]) for document, grade in best.items()}
    else:
        choices: dict[str, Callable[[Sequence[float]], float | None]] = {
            "majority": lambda grades: _majority(grades, ties),
            "mean": lambda grades: math.fsum(grades) / len(grades),
            "median": statistics.median,
            "max": max,
            "min": min,
        }
        chosen = {document: (choices[method]([*of.values()]), None) for document, of in by_document.items()}
    found = {}
    for document, (grade, probability) in chosen.items():
        given = [*by_document[document].values()]
        if grade is not None:
            found[document] = Merged(grade, len(given), given.count(grade) / len(given), probability)
    return found


def _majority(grades: Sequence[float], ties: str) -> float | None:
    most = statistics.multimode(grades)
    if ties == "skip" and len(most) > 1:
        return None
    return max(most) if ties == "higher" else min(most)


def _dawid_skene_probabilities(ratings: Ratings, iterations: int) -> Probabilities:
    """Return the probability of each grade of each document, by the EM algorithm of Dawid & Skene 1979.

    Start: the shares of the votes. Maximisation: `_rates`. Expectation: Bayes' rule.
    """
    grades = _grades(ratings)
    found = {d: {g: sum(v == g for v in of.values()) / len(of) for g in grades} for d, of in ratings.items()}
    for _ in range(iterations):
        share, rate = _rates(ratings, found)
        found = {d: _bayes(of, share, rate) for d, of in ratings.items()}
    return found


def _probabilities_given_truth(ratings: Ratings, truth: str) -> Probabilities:
    """Return the probability of each grade of each document if the rater `truth` is always right.

    P(grade | ratings) is proportional to P(grade) prod_r P(rating of r | grade). P(grade) is the share of the documents
    of `truth` with this grade. P(rating | grade) is a share of the documents that r and `truth` have in common.
    """
    grades = _grades(ratings)
    known = {d: {g: float(g == of[truth]) for g in grades} for d, of in ratings.items() if truth in of}
    share, rate = _rates(ratings, known)
    return {d: known[d] if d in known else _bayes(of, share, rate) for d, of in ratings.items()}


def _grades(ratings: Ratings) -> list[float]:
    """Return the distinct grades in ascending order."""
    return sorted({grade for of in ratings.values() for grade in of.values()})


def _rates(ratings: Ratings, found: Probabilities) -> tuple[dict[float, float], dict[tuple[str, float, float], float]]:
    """Return the prior of each grade, and the probability of each rater's grade given the true grade.

    Both are shares of the documents in `found`, which has the probabilities of their true grades. A share of a rater is
    at least 1e-10.
    """
    grades = _grades(ratings)
    share = {g: math.fsum(p[g] for p in found.values()) / len(found) for g in grades}
    rate: dict[tuple[str, float, float], float] = {}
    for rater, truth in product({rater for of in ratings.values() for rater in of}, grades):
        given = [(ratings[d][rater], p[truth]) for d, p in found.items() if rater in ratings[d]]
        total = math.fsum(p for _, p in given)
        for grade in grades:
            count = math.fsum(p for v, p in given if v == grade)
            rate[rater, truth, grade] = max(count / total if total else 0.0, 1e-10)
    return share, rate


def _bayes(
    of_document: Mapping[str, float], share: Mapping[float, float], rate: Mapping[tuple[str, float, float], float]
) -> dict[float, float]:
    logs = {
        g: math.log(max(prior, 1e-300)) + math.fsum(math.log(rate[r, g, v]) for r, v in of_document.items())
        for g, prior in share.items()
    }
    largest = max(logs.values())
    weights = {g: math.exp(value - largest) for g, value in logs.items()}
    return {g: weight / math.fsum(weights.values()) for g, weight in weights.items()}


# query_id, system, rater, value.
RatedValue = tuple[Hashable, str, str, float]


@dataclass(frozen=True)
class Bias:
    """How a system fares under rater b, compared with rater a, on the queries of both."""

    queries: int
    mean_a: float
    mean_b: float
    place_a: int
    place_b: int
    bias: float
    bias_low: float | None
    bias_high: float | None
    favour: float | None
    favour_low: float | None
    favour_high: float | None
    p: float | None
    p_adjusted: float | None


def rater_bias(values: Iterable[RatedValue], *, confidence: float = 0.95) -> dict[tuple[str, str, str], Bias]:
    """Return the bias of each pair of raters and system: the means of b - a.

    The favour of a system is the mean over queries of its b - a minus the mean b - a of the other systems that both
    raters judged on this query. Intervals and p are those of Student's t. p is corrected over the systems by Holm.
    Source: Student 1908; Holm 1979.
    """
    by_query: dict[tuple[Hashable, str], dict[str, float]] = defaultdict(dict)
    rows = list(values)
    for query_id, system, rater, value in rows:
        by_query[query_id, system][rater] = value
    found = {}
    for a, b in combinations(sorted({rater for _, _, rater, _ in rows}), 2):
        pairs = {ids: (of[a], of[b]) for ids, of in by_query.items() if a in of and b in of}
        systems = sorted({system for _, system in pairs})
        means = {
            s: [statistics.fmean(pair[i] for (_, t), pair in pairs.items() if t == s) for i in (0, 1)] for s in systems
        }
        favours = {s: _favours(pairs, s) for s in systems}
        tests = {s: _interval_and_p(favours[s], confidence) for s in systems}
        corrected = dict(zip(systems, adjusted([tests[s][2] for s in systems], "holm"), strict=True))
        for s in systems:
            differences = [y - x for (_, t), (x, y) in pairs.items() if t == s]
            places = [1 + sum(round(means[t][i], 12) > round(means[s][i], 12) for t in systems) for i in (0, 1)]
            low, high, _ = _interval_and_p(differences, confidence)
            favour_low, favour_high, p = tests[s]
            found[a, b, s] = Bias(
                queries=len(differences),
                mean_a=means[s][0],
                mean_b=means[s][1],
                place_a=places[0],
                place_b=places[1],
                bias=statistics.fmean(differences),
                bias_low=low,
                bias_high=high,
                favour=statistics.fmean(favours[s]) if favours[s] else None,
                favour_low=favour_low,
                favour_high=favour_high,
                p=p,
                p_adjusted=corrected[s],
            )
    return found


def _favours(pairs: Mapping[tuple[Hashable, str], tuple[float, float]], system: str) -> list[float]:
    """Return b - a of a system minus the mean b - a of the others, for each query that has others."""
    found = []
    for (query_id, name), (a, b) in pairs.items():
        others = [y - x for (q, s), (x, y) in pairs.items() if q == query_id and s != system]
        if name == system and others:
            found.append(b - a - statistics.fmean(others))
    return found


def _interval_and_p(values: Sequence[float], confidence: float) -> tuple[float | None, float | None, float | None]:
    """Return the t interval of a mean, and the p of a mean of 0. Without variance there is no p."""
    low, high = t_interval(values, confidence) or (None, None)
    t = t_statistic(values) if values else None
    return low, high, None if t is None else t_p(t, len(values) - 1)
