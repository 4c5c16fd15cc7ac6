"""The inputs of an evaluation, its measures and its options."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.catalogue.options import Averages, options_of
from ltr_sql.errors import InputError
from ltr_sql.inputs.binding import Rule, rule_of
from ltr_sql.inputs.gains import Gains
from ltr_sql.rendering.comparisons import level_of, mode_of
from ltr_sql.rendering.templates import sql_value


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


@dataclass(frozen=True)
class Averaging:
    """How values are averaged over queries: see the options of `ltr_sql.evaluate`. `ci` is None for no interval."""

    ci: str | None = None
    confidence: float = 0.95
    weights: Any = None
    human: Any = None
    cluster: Any = None
    allow_unjudged: bool = False
    totals: bool = False

    def __post_init__(self) -> None:
        for name, option in options_of(Averages).items():
            if getattr(self, name) is not None:
                option.check(getattr(self, name))
        for name, given in {"human": self.human, "cluster": self.cluster}.items():
            if given is not None and self.ci != "t":
                got = "" if self.ci is None else f" instead of ci={self.ci!r}"
                raise InputError(f"{name} is for the intervals of Student's t: pass ci='t'{got}, or leave {name} out")
        if self.weights is not None and self.ci not in (None, "t"):
            raise InputError(f"weights apply to ci='t', not to ci={self.ci!r}: leave one of them out")

    @property
    def given(self) -> list[str]:
        """The options of means that are given."""
        found = {"weights": self.weights is not None, "totals": self.totals, "ci": self.ci is not None}
        return [name for name, is_given in found.items() if is_given]

    @property
    def has_own_interval(self) -> bool:
        """True unless the interval is that of the distribution of the values: Student's t over queries."""
        return self.ci != "t" or self.human is not None or self.cluster is not None

    @property
    def level(self) -> str:
        """1 minus the coverage of the intervals, as SQL."""
        return sql_value(level_of(self.confidence))

    @property
    def mode(self) -> str:
        """See `parts_of`."""
        return mode_of(*(given is not None for given in (self.weights, self.human, self.cluster)))


def averaging_of(options: Mapping[str, Any]) -> Averaging:
    """Return how values are averaged, of all options of a call by name."""
    return Averaging(**{field.name: options[field.name] for field in fields(Averaging) if field.name in options})
