"""The measures of an evaluation, and its options."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import duckdb

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.inputs.gains import Gains

# Makes the result of a query, from the connection, the query, and the name of the data frame library of the inputs.
Result: TypeAlias = Callable[[duckdb.DuckDBPyConnection, str, str | None], Any]


@dataclass(frozen=True)
class EvaluationOptions:
    """The measures of an evaluation, and its options after a convention is applied: see `ltr_sql.evaluate`."""

    measures: tuple[Measure, ...]
    ties: str
    missing: str
    gains: Gains | None = None
    keys: Sequence[str] = ()
    by_query: bool = False
    check: bool = True
