"""The inputs of an evaluation, its measures and its options."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.inputs.binding import Rule, rule_of
from ltr_sql.inputs.gains import Gains


@dataclass(frozen=True)
class Inputs:
    """What the caller evaluates: see `ltr_sql.evaluate`.

    `tables` are those that measures beyond accuracy read, by the names of their arguments. None means not given.
    """

    rankings: Any
    qrels: Any = None
    tables: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class EvaluationOptions:
    """The measures of an evaluation, and its options after a convention is applied: see `ltr_sql.evaluate`."""

    measures: tuple[Measure, ...]
    ties: str
    missing: str = "zero"
    gains: Gains | None = None
    keys: Sequence[str] = ()
    by_query: bool = False
    check: bool = True

    @property
    def with_one_rule(self) -> "EvaluationOptions":
        """Return equal options without rules of single measures, if all measures have the same rules."""
        rules = {(measure.ties, measure.missing) for measure in self.measures}
        if len(rules) != 1 or rules == {("", "")}:
            return self
        ((ties, missing),) = rules
        measures = tuple(replace(measure, ties="", missing="") for measure in self.measures)
        return replace(self, measures=measures, ties=ties or self.ties, missing=missing or self.missing)

    @property
    def every_ties(self) -> set[str]:
        """The tie-breaking rules of the measures."""
        return {measure.ties or self.ties for measure in self.measures}

    @property
    def counting_missing(self) -> list[Measure]:
        """The measures that evaluate judged queries which the run lacks."""
        return [measure for measure in self.measures if (measure.missing or self.missing) == "zero"]

    @property
    def has_rules(self) -> bool:
        """True if a measure reads the tables by its own rule."""
        return any(rule_of(measure, gained=False) != Rule() for measure in self.measures)
