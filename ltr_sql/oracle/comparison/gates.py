"""Gates: decide whether system b is worse than the baseline a, or different from it, by more than a margin."""

from collections.abc import Sequence
from dataclasses import dataclass

from ltr_sql.oracle.comparison.pairs import Scaled, differences, is_equal, mean_of, p_not_above, scale_of
from ltr_sql.oracle.comparison.sequential import FEWEST_LOOKED_AT, Look
from ltr_sql.oracle.comparison.systems import adjusted

TOLERANCE = 1e-9


@dataclass(frozen=True)
class GateTest:
    """A gate on the values of two systems.

    - `a`, `b`: values of the baseline and of the system, for the same queries in the same order.
    - `word`: 'plainly', 'significantly' or 'possibly'; `direction`: 'worse' or 'different'.
    - `margin`: the tolerated difference; `relative`: true if it is a share of the baseline's value.
    - `lower`: true if lower values are better.
    - `planned`: the planned queries of the sequential test, or None for the t test.
    """

    a: Sequence[float]
    b: Sequence[float]
    word: str
    direction: str
    margin: float = 0.0
    relative: bool = False
    lower: bool = False
    planned: int | None = None


def losses_and_gains(test: GateTest) -> tuple[Scaled, Scaled]:
    """Return the loss and the gain of b beyond the margin for each query. Values within the margin are negative.

    With a relative margin r, b loses (1 - r) a - b and gains b - (1 + r) a. If lower is better, the two are swapped.
    """
    sign = -1 if test.lower else 1
    margins = [test.margin * (x if test.relative else 1) for x in test.a]
    losses = [sign * (x - y) - e for x, y, e in zip(test.a, test.b, margins, strict=True)]
    gains = [sign * (y - x) - e for x, y, e in zip(test.a, test.b, margins, strict=True)]
    scale = scale_of([*test.a, *test.b])
    return Scaled(losses, scale), Scaled(gains, scale)


def gate_p(test: GateTest, alpha: float = 0.05) -> float | None:
    """Return the unadjusted p of a gate; None for 'plainly', and for fewer than 2 queries (50 if it is sequential).

    - 'significantly': p is small if the loss exceeds the margin; for 'different', if the loss or the gain exceeds it.
    - 'possibly': p is small if the loss is within the margin; for 'different', if both loss and gain are. p is 0 if a
      and b are equal on all queries.
    Source: ICH E9, 1998; Schuirmann 1987.
    """
    look = None if test.planned is None else Look(len(test.a), test.planned, alpha)
    if test.word == "plainly" or len(test.a) < (2 if look is None else FEWEST_LOOKED_AT):
        return None
    losses, gains = losses_and_gains(test)
    p_loss, p_gain = p_not_above(losses, look=look), p_not_above(gains, look=look)
    within_loss, within_gain = (p_not_above(Scaled([-x for x in d], d.scale), look=look) for d in (losses, gains))
    if p_loss is None or p_gain is None or within_loss is None or within_gain is None:
        return None
    if test.word == "significantly":
        return p_loss if test.direction == "worse" else min(1.0, 2 * min(p_loss, p_gain))
    if is_equal(differences(test.a, test.b)):
        return 0.0
    return within_loss if test.direction == "worse" else max(within_loss, within_gain)


def gates_fail(tests: Sequence[GateTest], alpha: float) -> list[bool | None]:
    """Return whether each gate fails; None if undecided. Holm's method adjusts all 'significantly' gates together."""
    found = [gate_p(test, alpha) for test in tests]
    held_together = [p if test.word == "significantly" else None for test, p in zip(tests, found, strict=True)]
    corrected = adjusted(held_together, "holm")
    results: list[bool | None] = []
    for test, p, p_adjusted in zip(tests, found, corrected, strict=True):
        losses, gains = losses_and_gains(test)
        loss, gain = mean_of(losses), mean_of(gains)
        tolerance = TOLERANCE * losses.scale
        beyond = loss > tolerance or (test.direction == "different" and gain > tolerance)
        if test.word == "plainly":
            results.append(beyond)
        elif p is None:
            results.append(None)
        else:
            results.append(p > alpha if test.word == "possibly" else beyond and (p_adjusted or 0.0) <= alpha)
    return results
