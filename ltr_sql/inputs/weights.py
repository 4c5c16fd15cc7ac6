"""Weights of queries or runs, in any form that the caller may pass."""

import math
from collections.abc import Mapping
from typing import Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.sqltext.dialects import DUCKDB


def bind_weights(state: Session, given: Any, name: str) -> Table:
    """Bind weights as a table with the columns `name` and weight.

    `given` is a mapping of names to numbers, or any table that `Session.bind` accepts. Raises InputError for a weight
    that is negative or not a finite number.
    """
    if isinstance(given, Mapping):
        given = _columns(given, name)
    table = state.bind(given, "weights")
    table.require("the weights", name, "weight")
    if table.kind("weight") == "text":
        raise InputError(f"the column weight holds {table.columns['weight']}, not numbers: cast it")
    wrong = state.con.execute(
        f"select w.{DUCKDB.identifier(name)}, w.weight from {table.sql} as w "
        "where not coalesce(w.weight >= 0 and cast(w.weight as double) <= 1e100, false) limit 1"
    ).fetchall()
    for row, weight in wrong:
        raise InputError(
            f"weights must be numbers from 0 to 1e100, got {weight} for {row!r}: give 0 to leave it out, or complete it"
        )
    return table


def _columns(given: Mapping[Any, Any], name: str) -> dict[str, Any]:
    """Return a mapping of names to weights as columns."""
    import numpy as np  # noqa: PLC0415  (slow to load)

    for row, weight in given.items():
        if isinstance(weight, bool) or not hasattr(weight, "__float__") or not math.isfinite(weight):
            raise InputError(f"weights must be finite numbers from 0, got {weight!r} for {row!r}")
    if not given:
        raise InputError("the weights are an empty dict: pass a weight for each name, or leave weights out")
    names = np.array([str(row) for row in given], dtype=object)
    return {name: names, "weight": np.array([float(weight) for weight in given.values()])}
