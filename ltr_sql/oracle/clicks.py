"""Click models, position bias and interleaving, written from their formulas and independent of the SQL.

A log is a sequence of impressions. Undefined values are None.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from ltr_sql.oracle.comparison.probabilities import binomial_tail, normal_p

__all__ = ["click_judgments", "interleaving", "position_bias"]

Document = tuple[Hashable, Hashable]


@dataclass(frozen=True)
class Impression:
    """A document shown at a rank of the result list of a session.

    - `click`: 1 if it was clicked, else 0.
    - `team`: the system that contributed it to an interleaved list: 'a', 'b', or None for both.
    - `cluster`: what the list belongs to, such as a user.
    """

    session_id: Hashable
    query_id: Hashable
    doc_id: Hashable
    rank: int
    click: int
    team: str | None = None
    cluster: Hashable = None

    @property
    def document(self) -> Document:
        """Return the pair of query_id and doc_id."""
        return self.query_id, self.doc_id


Log = Sequence[Impression]


@dataclass(frozen=True)
class Wins:
    """The outcome of interleaving."""

    sessions: int
    wins_a: int
    wins_b: int
    ties: int
    without_clicks: int
    delta: float | None
    z: float | None
    z_p: float | None
    p: float | None
    clusters_a: int | None = None
    clusters_b: int | None = None


def click_judgments(
    log: Log,
    model: str = "coec",
    *,
    propensities: Mapping[int, float] | None = None,
    floor: float = 0.0,
    prior_clicks: float | None = None,
    prior_views: float | None = None,
    iterations: int = 50,
) -> dict[Document, float | None]:
    """Return the relevance of each document of each query. For the options see `ltr_sql.click_judgments`.

    n and c are the views and clicks of the document, a and b `prior_clicks` and `prior_views`. e_r is the share of all
    views at rank r with a click, and p_r the propensity of rank r. Formulas:

    - ctr: (c + a) / (n + b).
    - coec: c / sum_r n_r e_r.
    - ips: sum_r c_r / max(p_r, floor) / n.
    - cascade: (c + a) / (n + b) over the rows down to the first click of their list.
    - dcm: (c + a) / (n + b) over the rows down to the last click of their list.
    - sdbn: dcm times (clicks that are the last of their list + a) / (c + b).
    - pbm: attraction of the position-based model.

    Source: Craswell et al. 2008; Zhang & Jones 2007; Joachims et al. 2017; Guo et al. 2009; Chapelle & Zhang 2009;
    Richardson et al. 2007.
    """
    default_a, default_b = (0.0, 0.0) if model == "ctr" else (1.0, 2.0)
    a = default_a if prior_clicks is None else prior_clicks
    b = default_b if prior_views is None else prior_views
    documents = sorted({row.document for row in log}, key=str)
    if model == "pbm":
        return dict(_position_based(log, iterations)[0])

    def relevance(document: Document) -> float | None:
        rows = [row for row in log if row.document == document]
        clicks = sum(row.click for row in rows)
        if model == "ctr":
            return _share(clicks, len(rows), a, b)
        if model == "coec":
            expected = sum(_click_share(log, row.rank) for row in rows)
            return clicks / expected if expected else None
        if model == "ips":
            assert propensities is not None
            return sum(row.click / max(propensities[row.rank], floor) for row in rows) / len(rows)
        if model not in ("cascade", "dcm", "sdbn"):
            raise ValueError(f"unknown model {model!r}")
        examined = [row for row in rows if row.rank <= _end(log, row, min if model == "cascade" else max)]
        attraction = _share(sum(row.click for row in examined), len(examined), a, b)
        if model != "sdbn":
            return attraction
        ends = sum(row.click and row.rank == _end(log, row, max) for row in rows)
        satisfaction = _share(ends, clicks, a, b)
        return None if attraction is None or satisfaction is None else attraction * satisfaction

    return {document: relevance(document) for document in documents}


def _share(clicks: float, views: float, a: float, b: float) -> float | None:
    return (clicks + a) / (views + b) if views + b else None


def _click_share(log: Log, rank: int) -> float:
    clicks = [row.click for row in log if row.rank == rank]
    return sum(clicks) / len(clicks)


def _end(log: Log, row: Impression, choose: Callable[..., float]) -> float:
    """Return the rank of the first (`min`) or last (`max`) click in the list of a row; infinity without a click."""
    of_list = [other for other in log if (other.session_id, other.query_id) == (row.session_id, row.query_id)]
    return choose((other.rank for other in of_list if other.click), default=math.inf)


def _position_based(log: Log, iterations: int) -> tuple[dict[Document, float], dict[int, float]]:
    """Return the attraction of each document and the examination of each rank, by expectation maximisation.

    a is the attraction of a document, e the examination of a rank; both start at 0.5.
    Expectation: the probability of attraction, given no click, is (1 - e) a / (1 - e a). That of examination is
    (1 - a) e / (1 - e a). With a click, both are 1.
    Maximisation: (1 + sum of these probabilities) / (2 + number of impressions), at most 1 - 1e-6.
    """
    attraction = {row.document: 0.5 for row in log}
    examination = {row.rank: 0.5 for row in log}
    for _ in range(iterations):
        attractive: dict[Document, list[float]] = defaultdict(list)
        examined: dict[int, list[float]] = defaultdict(list)
        for row in log:
            a, e = attraction[row.document], examination[row.rank]
            attractive[row.document].append(1.0 if row.click else (1 - e) * a / (1 - e * a))
            examined[row.rank].append(1.0 if row.click else (1 - a) * e / (1 - e * a))
        attraction = {d: min((1 + sum(shares)) / (2 + len(shares)), 1 - 1e-6) for d, shares in attractive.items()}
        examination = {r: min((1 + sum(shares)) / (2 + len(shares)), 1 - 1e-6) for r, shares in examined.items()}
    return attraction, examination


def position_bias(
    log: Log, method: str = "ctr", *, weight: str = "documents", iterations: int = 50
) -> dict[int, float | None]:
    """Return the propensity of each rank, relative to rank 1. For the options see `ltr_sql.position_bias`.

    e_r is the share of views at rank r with a click, and ctr_d(r) that of document d. Formulas:

    - ctr: e_r / e_1.
    - pivot: sum_d w_d ctr_d(r) / sum_d w_d ctr_d(1), over the documents seen at both ranks.
    - chain: the product of the pivot ratios of adjacent ranks down to r.
    - em: the examination of rank r in the position-based model, divided by that of rank 1.

    Source: Wang et al. 2016; Agarwal et al. 2019; Richardson et al. 2007.
    """
    ranks = sorted({row.rank for row in log})
    if method == "em":
        _, examination = _position_based(log, iterations)
        return {rank: examination[rank] / examination[1] if 1 in examination else None for rank in ranks}
    shown: dict[tuple[Document, int], list[int]] = defaultdict(list)
    for row in log:
        shown[row.document, row.rank].append(row.click)

    def ratio(upper: int, lower: int) -> float | None:
        both = [d for d in {row.document for row in log} if (d, upper) in shown and (d, lower) in shown]
        above, below = 0.0, 0.0
        for document in both:
            first, second = shown[document, upper], shown[document, lower]
            w = min(len(first), len(second)) if weight == "views" else 1
            above += w * sum(first) / len(first)
            below += w * sum(second) / len(second)
        return below / above if above else None

    def chained(rank: int) -> float | None:
        ratios = [ratio(r, r + 1) for r in range(1, rank)]
        known = [value for value in ratios if value is not None]
        return math.prod(known) if len(known) == len(ratios) and 1 in ranks else None

    def relative(rank: int) -> float | None:
        first = _click_share(log, 1) if 1 in ranks else 0.0
        return _click_share(log, rank) / first if first else None

    estimate = {"ctr": relative, "pivot": lambda rank: ratio(1, rank), "chain": chained}[method]
    return {rank: estimate(rank) for rank in ranks}


def interleaving(log: Log, *, empty: str = "skip", by_cluster: bool = False) -> Wins:
    """Return the wins of two systems in team-draft interleaving.

    The team with more clicks wins a list. With `empty` = 'skip', lists in which no team has a click are left out; with
    'tie' they count as ties. With `by_cluster`, z and p take the clusters that a and b win for wins_a and wins_b. A
    cluster is won by the team that wins more of its lists.
    Formulas: delta = (wins_a + ties / 2) / (wins_a + wins_b + ties) - 1/2. z = (wins_a - wins_b) /
    sqrt(wins_a + wins_b). p = 2 P(X <= min(wins_a, wins_b)), at most 1, with X binomial of probability 1/2.
    Source: Radlinski, Kurup & Joachims 2008; Chapelle et al. 2012.
    """
    lists: dict[Document, dict[str | None, int]] = defaultdict(lambda: {"a": 0, "b": 0, None: 0})
    for row in log:
        lists[row.session_id, row.query_id][row.team] += row.click
    cluster_of = {(row.session_id, row.query_id): row.cluster for row in log}
    leads: dict[Hashable, int] = defaultdict(int)
    for of_list, credit in lists.items():
        leads[cluster_of[of_list]] += (credit["a"] > credit["b"]) - (credit["a"] < credit["b"])
    clusters_a, clusters_b = (sum(sign * lead > 0 for lead in leads.values()) for sign in (1, -1))
    credits = [(credit["a"], credit["b"]) for credit in lists.values()]
    wins_a, wins_b = sum(a > b for a, b in credits), sum(a < b for a, b in credits)
    without = sum(a + b == 0 for a, b in credits)
    ties = len(credits) - wins_a - wins_b - (without if empty == "skip" else 0)
    decided = (clusters_a, clusters_b) if by_cluster else (wins_a, wins_b)
    won, counted = sum(decided), wins_a + wins_b + ties
    z = (decided[0] - decided[1]) / math.sqrt(won) if won else None
    return Wins(
        sessions=len(credits),
        wins_a=wins_a,
        wins_b=wins_b,
        ties=ties,
        without_clicks=without,
        delta=(wins_a + ties / 2) / counted - 0.5 if counted else None,
        z=z,
        z_p=None if z is None else normal_p(z),
        p=min(1.0, 2 * binomial_tail(won, min(decided))) if won else None,
        clusters_a=clusters_a if by_cluster else None,
        clusters_b=clusters_b if by_cluster else None,
    )
