"""The sequential test of a mean, whose p and interval hold at every look: Robbins' normal mixture.

Source: Robbins, Annals of Mathematical Statistics 41, 1970; with an estimated variance Waudby-Smith, Arbour, Sinha,
Kennedy & Ramdas, Annals of Statistics 52, 2024.
"""

import math
from dataclasses import dataclass

# Fewest queries for which the variance is known well enough for a verdict.
FEWEST_LOOKED_AT = 50


@dataclass(frozen=True)
class Look:
    """One look at a mean.

    - `queries`: number of queries so far; `planned`: number at which the interval is narrowest.
    - `alpha`: 1 minus the confidence for which it is narrowest.
    """

    queries: int
    planned: int
    alpha: float

    @property
    def information(self) -> float:
        """Return n (-2 ln alpha + ln(1 - 2 ln alpha)) / planned."""
        return self.queries * (-2 * math.log(self.alpha) + math.log(1 - 2 * math.log(self.alpha))) / self.planned

    def evidence(self, z: float) -> float:
        """Return the likelihood ratio of the mixture: exp(z^2 r / (2 (1 + r))) / sqrt(1 + r)."""
        r = self.information
        return math.exp(min(700.0, z * z * r / (2 * (1 + r)))) / math.sqrt(1 + r)

    def p(self, z: float) -> float:
        """Return the two-sided p of a mean with z = mean / standard error: min(1, 1 / evidence)."""
        return min(1.0, 1 / self.evidence(z))

    def upper(self, z: float) -> float:
        """Return the one-sided p of the hypothesis that the mean is at most 0.

        Formula: min(1, sqrt(1 + r) / (2 (exp(z^2 r / (2 (1 + r))) - 1))) for z > 0, else 1.
        """
        r = self.information
        grown = math.expm1(min(700.0, z * z * r / (2 * (1 + r))))
        return min(1.0, math.sqrt(1 + r) / (2 * grown)) if z > 0 and grown else 1.0

    def reach(self, level: float, one_sided: bool = False) -> float:
        """Return how many standard errors the interval reaches from the mean.

        Formula: sqrt((1 + r) / r (2 ln(1 / level) + ln(1 + r))). With `one_sided`, each end is a test at level / 2:
        sqrt((1 + r) / r 2 ln(1 + sqrt(1 + r) / level)).
        """
        r = self.information
        if one_sided:
            return math.sqrt((1 + r) / r * 2 * math.log1p(math.sqrt(1 + r) / level))
        return math.sqrt((1 + r) / r * (2 * math.log(1 / level) + math.log(1 + r)))
