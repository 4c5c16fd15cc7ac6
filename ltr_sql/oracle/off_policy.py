"""Off-policy estimators, written from their formulas and independent of the SQL."""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from ltr_sql.oracle.comparison.probabilities import t_quantile

__all__ = ["off_policy"]


@dataclass(frozen=True)
class Round:
    """A row of a log: one round, or one rank of a slate.

    `propensity` and `target` are the probabilities of the logged action under the logging and the target policy. For
    slates, the estimator determines the action: the list, the document at the rank, or the list down to the rank.
    """

    query_id: Hashable = 0
    rank: int = 1
    reward: float = 0.0
    propensity: float = 1.0
    target: float = 1.0
    q_hat: float = 0.0
    v_hat: float = 0.0

    @property
    def ratio(self) -> float:
        """Return the importance weight of the row, target / propensity."""
        return self.target / self.propensity


@dataclass(frozen=True)
class Estimate:
    """The result of an estimator. Undefined values are None."""

    estimate: float | None
    stderr: float | None
    low: float | None
    high: float | None
    n: int
    effective_n: float
    largest_weight: float
    mean_weight: float
    clipped_share: float


_SLATES = ("slate_ips", "slate_snips", "iips", "sniips", "rips", "snrips", "cascade_dr")
_SELF_NORMALISED = ("snips", "replay", "sndr", "slate_snips", "sniips", "snrips")
_WITH_MODEL = ("dm", "dr", "sndr", "switch_dr", "dr_os", "sg_dr", "cascade_dr")


def off_policy(
    log: Sequence[Round],
    estimator: str,
    *,
    clip: float = math.inf,
    shrinkage: float | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """Return the estimated mean reward of the target policy.

    Formula: the mean over rounds of the sum over ranks of base + weight * residual / normaliser.

    - base: v_hat for estimators with a model, otherwise 0. cascade_dr multiplies it by the weight of the rank above.
    - residual: 0 for 'dm', reward - q_hat for other estimators with a model, and the reward for the rest.
    - normaliser: the mean weight at the rank for self-normalised estimators, otherwise 1.
    - stderr: standard deviation over rounds, divided by sqrt(n). Self-normalised estimators use the delta method.

    Source: `reference` in the headers of sql/off_policy/.
    """
    weigh = _weights(clip, shrinkage)[estimator]
    slate, normalised, modelled = (estimator in names for names in (_SLATES, _SELF_NORMALISED, _WITH_MODEL))
    rounds: dict[Hashable, list[Round]] = defaultdict(list)
    for number, row in enumerate(log):
        rounds[row.query_id if slate else number].append(row)
    at_rank: dict[int, list[tuple[float, float, float]]] = defaultdict(list)
    terms: dict[Hashable, list[tuple[int, float, float, float]]] = {}
    for name, rows in rounds.items():
        above = 1.0
        terms[name] = []
        for row in sorted(rows, key=lambda row: row.rank):
            weight = weigh(row)
            base = row.v_hat * (above if slate else 1.0) if modelled else 0.0
            residual = 0.0 if estimator == "dm" else row.reward - (row.q_hat if modelled else 0.0)
            ratio = 1.0 if estimator in ("dm", "replay") else row.ratio
            rank = row.rank if slate else 1
            terms[name].append((rank, base, weight * residual, weight))
            at_rank[rank].append((weight * residual, weight, ratio))
            above = weight
    divisor = {r: math.fsum(w for _, w, _ in rows) / len(rows) if normalised else 1.0 for r, rows in at_rank.items()}
    weights = {r: [w for _, w, _ in rows] for r, rows in at_rank.items()}
    effective = min(math.fsum(w) ** 2 / math.fsum(x * x for x in w) if any(w) else 0.0 for w in weights.values())
    every = [w for of_rank in weights.values() for w in of_rank]
    ratios = [ratio for rows in at_rank.values() for _, _, ratio in rows]
    n = len(terms)
    estimate: float | None = None
    stderr: float | None = None
    if all(divisor.values()):
        value = {
            r: math.fsum(x for x, _, _ in rows) / math.fsum(weights[r]) if normalised else 0.0
            for r, rows in at_rank.items()
        }
        earned = [math.fsum(base + x / divisor[r] for r, base, x, _ in rows) for rows in terms.values()]
        influence = [
            math.fsum(base + (x - value[r] * w) / divisor[r] for r, base, x, w in rows) for rows in terms.values()
        ]
        estimate = math.fsum(earned) / n
        centre = math.fsum(influence) / n
        squares = math.fsum((x - centre) ** 2 for x in influence)
        if normalised:
            stderr = math.sqrt(squares) / n
        elif n > 1:
            stderr = math.sqrt(squares / (n - 1) / n)
    margin = None if stderr is None or n < 2 else stderr * t_quantile(1 - confidence, n - 1)
    return Estimate(
        estimate=estimate,
        stderr=stderr,
        low=None if margin is None or estimate is None else estimate - margin,
        high=None if margin is None or estimate is None else estimate + margin,
        n=n,
        effective_n=effective,
        largest_weight=max(every),
        mean_weight=math.fsum(every) / len(every),
        clipped_share=sum(ratio > clip for ratio in ratios) / len(ratios),
    )


def _weights(clip: float, shrinkage: float | None) -> dict[str, Callable[[Round], float]]:
    """Return the function that computes the weight of a row, for each estimator."""
    s = math.nan if shrinkage is None else shrinkage

    def clipped(row: Round) -> float:
        return min(row.ratio, clip)

    def subgaussian(row: Round) -> float:
        return row.ratio / (1 - s + s * row.ratio)

    return dict.fromkeys(("ips", "snips", "dr", "sndr", *_SLATES), clipped) | {
        "dm": lambda row: 1.0,
        "replay": lambda row: float(row.target == 1),
        "switch_dr": lambda row: row.ratio if row.ratio <= clip else 0.0,
        "dr_os": lambda row: s * row.ratio / (row.ratio**2 + s),
        "sg_ips": subgaussian,
        "sg_dr": subgaussian,
    }
