"""Query plans shared by small runs of equal size.

DuckDB takes longer to plan a query than to run it over a few thousand rows. A prepared statement keeps its plan if it
reads numpy arrays, but not if it reads a table. So each run is copied into the arrays of a plan.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import duckdb

from ltr_sql.evaluation.accuracy import bind_with_gains, ordered_query
from ltr_sql.evaluation.options import EvaluationOptions
from ltr_sql.inputs.connection import REJECTED, data_frame
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import IDS, NUMBERS, Table
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.validation.checks import codes_found, guarded, quick_check_query

# Largest number of rows of runs and judgments with a plan. For more rows, planning is a small part of the time.
MOST_ROWS = 50_000
# A training loop evaluates only a few data sets, and each needs one plan.
_MOST_PLANS = 8
# DuckDB types whose values numpy arrays hold exactly.
_EXACT_TYPES = {"VARCHAR", "DOUBLE", "FLOAT", "BIGINT", "INTEGER", "SMALLINT", "TINYINT"}

Arrays = dict[str, Any]


@dataclass(frozen=True)
class _Plan:
    """Prepared statements over registered arrays of a fixed length.

    - `name`: name of the arrays, and prefix of the names of the statements.
    - `arrays`: the columns of the run, which the next run overwrites.
    """

    name: str
    arrays: Arrays


@dataclass
class Plans:
    """The plans of one connection.

    `judgments` is a table of registered arrays, or None if arrays cannot hold the judgments.
    """

    con: duckdb.DuckDBPyConnection
    options: EvaluationOptions
    judgments: Table | None
    _plans: dict[tuple[Any, ...], _Plan] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=count)

    def result(self, state: Session, run: Table, by_query: bool) -> Any:
        """Return the measures of a run as a data frame, or None for a run that is large, invalid or suspicious."""
        arrays = self._arrays(run)
        if arrays is None:
            return None
        plan = self._plan(state, run, arrays, by_query)
        for name, array in arrays.items():
            plan.arrays[name][:] = array
        try:
            if self.options.check and codes_found(self.con, f"execute {plan.name}_check", self.options.missing):
                return None
            return data_frame(self.con, f"execute {plan.name}_measures", state.frame)
        except REJECTED:
            return None

    def _arrays(self, run: Table) -> Arrays | None:
        """Return the columns of a run that the measures may read, or None if no plan can evaluate the run."""
        if self.judgments is None or any(run.columns.get(name) != self.judgments.columns[name] for name in IDS):
            return None
        names = [name for name in run.columns if name in {*IDS, *NUMBERS, *run.grouped_by, *self.options.keys}]
        if not {run.columns[name] for name in names} <= _EXACT_TYPES:
            return None
        return arrays_of(self.con, f"select {', '.join(map(DUCKDB.identifier, names))} from {run.sql}")

    def _plan(self, state: Session, run: Table, arrays: Arrays, by_query: bool) -> _Plan:
        """Return the plan for runs of this size with these columns. The first call creates it."""
        columns = {name: run.columns[name] for name in arrays}
        key = (*columns.items(), len(arrays["query_id"]), run.grouped_by, by_query)
        plan = self._plans.pop(key, None)
        if plan is None:
            if len(self._plans) == _MOST_PLANS:
                self._delete(self._plans.pop(next(iter(self._plans))))
            plan = _Plan(f"__ltr_plan_{next(self._numbers)}", arrays)
            self._prepare(state, plan, Table(plan.name, columns, grouped_by=run.grouped_by), by_query)
        # Keep the plans ordered by their last use.
        self._plans[key] = plan
        return plan

    def _prepare(self, state: Session, plan: _Plan, run: Table, by_query: bool) -> None:
        assert self.judgments is not None
        self.con.register(plan.name, plan.arrays)
        bound = bind_with_gains(state, run, self.judgments, self.options)
        if self.options.check:
            self.con.execute(f"prepare {plan.name}_check as {quick_check_query(*bound.comparable, bound.run_keys)}")
            bound = guarded(bound, self.options.measures, ranks_unclear=False)
        self.con.execute(f"prepare {plan.name}_measures as {ordered_query(bound, self.options.measures, by_query)}")

    def _delete(self, plan: _Plan) -> None:
        for statement in ("check", "measures") if self.options.check else ("measures",):
            self.con.execute(f"deallocate {plan.name}_{statement}")
        self.con.unregister(plan.name)


def arrays_of(con: duckdb.DuckDBPyConnection, query: str) -> Arrays | None:
    """Return the columns of a query as arrays, or None if it has no rows, more than `MOST_ROWS` rows, or a NULL."""
    arrays: Arrays = con.execute(f"from ({query}) limit {MOST_ROWS + 1}").fetchnumpy()
    lengths = {len(array) for array in arrays.values()}
    # DuckDB returns columns with NULL as masked arrays.
    if lengths & {0, MOST_ROWS + 1} or any(hasattr(array, "mask") for array in arrays.values()):
        return None
    return arrays
