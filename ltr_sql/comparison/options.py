"""The options of a comparison, which Python, Spark, the command line and the report share."""

import math
import re
from dataclasses import dataclass

from ltr_sql.catalogue.option_checks import check_choice, check_integer
from ltr_sql.catalogue.procedures import procedures
from ltr_sql.errors import InputError
from ltr_sql.rendering.comparisons import OPTIONS, Choices
from ltr_sql.rendering.dialects import string
from ltr_sql.rendering.templates import sql_value

FAMILIES = ("measure", "all")


@dataclass(frozen=True)
class ComparisonOptions:
    """How to compare systems. For the options see `compare`."""

    test: str = "t"
    adjust: str = "holm"
    family: str = "measure"
    ci: str = "t"
    confidence: float = 0.95
    margin: float | str | None = None
    replicates: int = 10_000
    resamples: int = 1_000
    seed: int = 7

    @property
    def alpha(self) -> float:
        """The level of the tests: 1 - confidence."""
        # Round, because 1 - 0.95 is not 0.05 in binary.
        return round(1 - self.confidence, 12)

    @property
    def margins(self) -> tuple[float, float]:
        """The absolute margin, and the margin relative to the mean of system a. At least one of them is 0."""
        if self.margin is None:
            return 0.0, 0.0
        match = re.fullmatch(r"\s*([\d.]+)\s*%\s*", self.margin) if isinstance(self.margin, str) else None
        try:
            number = float(match[1]) / 100 if match else float(self.margin)
        except (TypeError, ValueError):
            number = math.nan
        if not 0 < number < (1 if match else math.inf):
            raise InputError(
                f"margin must be a number above 0, or a share below 100% such as '1%', got {self.margin!r}"
            )
        return (0.0, number) if match else (number, 0.0)

    def choices(self) -> Choices:
        """Return the options as SQL fragments. Raises InputError for a value that is not allowed."""
        for option in OPTIONS:
            check_choice(option, getattr(self, option), procedures(option))
        check_choice("family", self.family, FAMILIES)
        if self.adjust == "tukey" and self.test != "t":
            raise InputError(
                f"adjust='tukey' corrects the t test: pass test='t', or adjust='holm' with test={self.test!r}"
            )
        if not 0 < self.confidence < 1:
            raise InputError(f"confidence must be between 0 and 1, such as 0.95, got {self.confidence}")
        if self.margin is not None and self.confidence <= 0.5:
            raise InputError(f"with a margin, confidence must be above 0.5, got {self.confidence}")
        for name, least, most in (
            ("replicates", 100, 10_000_000),
            ("resamples", 100, 10_000_000),
            ("seed", 0, 2**31 - 1),
        ):
            check_integer(name, getattr(self, name), least, most)
        absolute, relative = self.margins
        with_margin = absolute + relative > 0
        return Choices(
            test=self.test,
            adjust=self.adjust,
            ci=self.ci,
            family=string(self.family),
            alpha=sql_value(self.alpha),
            interval_alpha=sql_value(round(2 * self.alpha, 12) if with_margin else self.alpha),
            margin=sql_value(absolute),
            relative_margin=sql_value(relative),
            has_margin="true" if with_margin else "false",
            replicates=str(self.replicates),
            resamples=str(self.resamples),
            seed=str(self.seed),
        )

    def refuse_with_weights(self) -> None:
        """Raise InputError if a procedure is not defined for weights of queries."""
        for option in ("test", "ci", "adjust"):
            name = getattr(self, option)
            if name == "tukey" or (option != "adjust" and name != "t"):
                raise InputError(
                    f"weights apply to the t test and its interval, not to {option}={name!r}: leave one of them out"
                )
