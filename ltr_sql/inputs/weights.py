"""Bind weights of queries or runs."""

import math
from collections.abc import Mapping
from typing import Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.sqltext.dialects import DUCKDB


def bind_weights(state: Session, given: Any, name: str) -> Table:
    """Bind weights as a table with the columns `name` and weight.

    `given` is a mapping of names to weights, or any table that `Session.bind` accepts. Raises InputError for a weight
    that is not a number from 0 to 1e100.
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


def query_weights(state: Session, weights: Any, run: Table, values: Table) -> tuple[str, list[str]]:
    """Return the query that selects the name (text) and weight of each query, and warnings.

    - `weights`: the name of a column of `run`, or weights in any form that `bind_weights` accepts.
    - `values`: a table whose queries all need a weight. Raises InputError for a query without one.
    """
    if isinstance(weights, str) and weights in run.columns:
        column = DUCKDB.identifier(weights)
        source = f"(select distinct r.query_id, r.{column} as weight from {run.sql} as r)"
    else:
        source = bind_weights(state, weights, "query_id").sql
    query = f"select cast(t.query_id as varchar) as name, cast(t.weight as double) as weight from {source} as t"
    lacking = f"select distinct cast(v.query_id as varchar) as id from {values.sql} as v"
    rows = state.con.execute(
        f"select q.id from ({lacking}) as q "
        f"where q.id not in (select w.name from ({query}) as w where w.name is not null) order by q.id limit 3"
    ).fetchall()
    if rows:
        listed = ", ".join(name for (name,) in rows)
        raise InputError(f"the weights lack queries such as {listed}: give each a weight, or 0 to leave it out")
    ((unknown, first),) = state.con.execute(
        f"select count(*), min(w.name) from ({query}) as w where w.name not in (from ({lacking}))"
    ).fetchall()
    texts = [f"{unknown} weights are of queries that the rankings lack, such as {first}: they do not count"]
    return query, texts if unknown else []


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
