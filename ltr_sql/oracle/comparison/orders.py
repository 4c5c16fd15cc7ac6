"""Rows of `system_agreement`: how far two orders of systems agree, and which pairs of systems swap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ltr_sql.oracle.agreement import kendall_tau, tau_ap, weighted_tau
from ltr_sql.oracle.comparison.rows import Value, compare, leaderboard


@dataclass(frozen=True)
class Order:
    """An order of systems: its values, and whether lower values are better."""

    values: Sequence[Value]
    lower: bool = False


@dataclass(frozen=True)
class Agreement:
    """A row of `system_agreement`, without the names of the orders. Undefined correlations are NaN."""

    systems: int
    tau: float
    tau_b: float
    tau_ap: float
    weighted_tau: float
    swapped: int
    shown_a: int
    shown_b: int
    contradicted: int
    swaps: Sequence[Mapping[str, Any]]


def system_agreement(a: Order, b: Order) -> Agreement:
    """Return how far the orders agree. Systems are ordered by mean, and equal means share a place.

    - Two systems swap if one is above the other in a, and below it in b.
    - A difference is shown if `compare` calls it better or worse, with Holm's correction within its order.
    - `swaps` has the fields of the SQL: systems, differences, adjusted p and verdicts.

    Source: Voorhees, SIGIR 1998 (agreement of orders of systems).
    """
    places = [
        {
            row.system: row.place
            for row in leaderboard(order.values, lower=order.lower, resamples=100)
            if row.mean is not None
        }
        for order in (a, b)
    ]
    both = sorted(places[0].keys() & places[1].keys())
    ranks = [[of[system] for system in both] for of in places]
    pairs = [
        {(row.system_a, row.system_b): row for row in compare({"m": order.values}, lower_is_better=["m"] * order.lower)}
        for order in (a, b)
    ]
    swaps = []
    for i, first in enumerate(both):
        for second in both[i + 1 :]:
            if all((first, second) in of for of in pairs) and _swap(places, first, second):
                x, y = (of[first, second] for of in pairs)
                swaps.append(
                    {
                        "system_a": first,
                        "system_b": second,
                        "difference_a": x.difference,
                        "difference_b": y.difference,
                        "p_a": x.p_adjusted,
                        "p_b": y.p_adjusted,
                        "verdict_a": x.verdict,
                        "verdict_b": y.verdict,
                    }
                )
    shown = [[swap[f"verdict_{side}"] in ("better", "worse") for swap in swaps] for side in "ab"]
    return Agreement(
        systems=len(both),
        tau=kendall_tau(*ranks, variant="a"),
        tau_b=kendall_tau(*ranks, variant="b"),
        tau_ap=tau_ap(*ranks),
        weighted_tau=weighted_tau(*ranks),
        swapped=len(swaps),
        shown_a=sum(shown[0]),
        shown_b=sum(shown[1]),
        contradicted=sum(x and y for x, y in zip(*shown, strict=True)),
        swaps=swaps,
    )


def _swap(places: Sequence[Mapping[Any, int]], first: Any, second: Any) -> bool:
    in_a, in_b = (of[first] - of[second] for of in places)
    return in_a * in_b < 0
