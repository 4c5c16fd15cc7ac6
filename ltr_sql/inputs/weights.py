"""Bind weights of queries or runs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.weights import WEIGHT, keyed_columns, unknown_weights, weighted_rows


def bind_weights(state: Session, given: Any, name: str) -> Table:
    """Bind weights as a table with the columns `name` and weight.

    `given` is a mapping of names to weights, or any table that `Session.bind` accepts. Raises InputError for a weight
    that is not a number from 0 to 1e100, and for one between 0 and 1e-100, whose square would be 0.
    """
    if isinstance(given, Mapping):
        given = _columns(given, name)
    table = state.bind(given, "weights")
    table.require("the weights", name, "weight")
    _require_numbers(state, table, name, "weight")
    return table


def with_weights(
    state: Session, weights: Any, run: Table | None, values: Table, keys: Sequence[str]
) -> tuple[Table, list[str]]:
    """Return a table of values with the weights of its queries in the column `WEIGHT`, and warnings.

    - `weights`: the name of a column of `run`, or weights in any form that `bind_weights` accepts.
    - `keys`: the keys of `values`. Weights are joined on query_id and those keys that they have.

    The SQL raises an error for a query without a weight.
    """
    if run is not None and isinstance(weights, str) and weights in run.columns:
        _require_numbers(state, run, "query_id", weights)
        listed = ", ".join(DUCKDB.identifier(name) for name in ("query_id", *keys) if name in run.columns)
        source = f"(select distinct {listed}, {DUCKDB.identifier(weights)} as weight from {run.sql})"
    else:
        source = bind_weights(state, weights, "query_id").sql
    keyed = keyed_columns(keys)
    weighted = replace(
        values,
        sql=f"(\n{weighted_rows(values.sql, source, keyed)}\n)",
        columns={**values.columns, WEIGHT: "DOUBLE"},
        positions="",
    )
    ((unknown, first),) = state.con.execute(unknown_weights(values.sql, source, keyed)).fetchall()
    texts = [f"{unknown} weights are ignored, because the rankings lack their queries, such as {first}"]
    return weighted, texts if unknown else []


def _require_numbers(state: Session, table: Table, name: str, column: str) -> None:
    """Raise InputError unless each weight of a table is 0 or from 1e-100 to 1e100. `name` identifies its rows."""
    if table.kind(column) == "text":
        raise InputError(f"the column {column} holds {table.columns[column]}, not numbers: cast it")
    weight = DUCKDB.identifier(column)
    wrong = state.con.execute(
        f"select w.{DUCKDB.identifier(name)}, w.{weight} from {table.sql} as w "
        f"where not coalesce(w.{weight} = 0 or cast(w.{weight} as double) between 1e-100 and 1e100, false) limit 1"
    ).fetchall()
    for row, found in wrong:
        raise InputError(
            f"weights must be numbers from 0 to 1e100, got {found} for {row!r}: give 0 to leave it out, or correct the "
            "weight (the smallest weight above 0 is 1e-100)"
        )


def _columns(given: Mapping[Any, Any], name: str) -> dict[str, Any]:
    """Return a mapping of names to weights as two columns. Raises InputError for an invalid weight."""
    import numpy as np  # noqa: PLC0415  (slow to load)

    for row, weight in given.items():
        if isinstance(weight, bool) or not hasattr(weight, "__float__") or not math.isfinite(weight):
            raise InputError(f"weights must be finite numbers from 0, got {weight!r} for {row!r}")
    if not given:
        raise InputError("the weights are an empty dict: pass a weight for each name, or leave weights out")
    names = np.array([str(row) for row in given], dtype=object)
    return {name: names, "weight": np.array([float(weight) for weight in given.values()])}
