"""The inputs of an evaluation, its measures and its options."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ltr_sql.catalogue.measure_strings import Measure
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
