"""Tell whether a rater, such as an LLM, favours a system."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import duckdb

from ltr_sql.building.call import Call, built
from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, resolve_options
from ltr_sql.catalogue.options import Reading, takes
from ltr_sql.errors import InputError
from ltr_sql.evaluation.accuracy import measured_table
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.connection import data_frame
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Table, listed_names
from ltr_sql.rendering.dialects import DUCKDB, string

# The columns that identify a value, besides the keys.
_IDS = ("query_id", "system", "rater")


@takes(Reading)
def rater_bias(
    rankings: Any,
    measures: str | Iterable[str] | None = None,
    *,
    qrels: Mapping[str, Any] | None = None,
    confidence: float = 0.95,
    keys: Sequence[str] = (),
    ties: str | None = None,
    missing: str | None = None,
    convention: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return whether a rater favours a system: one row per measure, pair of raters and system.

    - `rankings`: several systems in any form that `evaluate` accepts. Without `qrels`, a table of values: query_id,
      system, rater, and one column per measure.
    - `measures`: measure strings, by default AP, RR, nDCG@10, P@10 and R@1000. Without `qrels`, names of columns, by
      default all numeric ones.
    - `qrels`: a dict of rater -> judgments, such as {"human": ..., "llm": ...}.
    - `confidence`: coverage of the intervals.
    - `keys`, `ties`, `missing`, `convention`, `con`: see `evaluate`.

    Only queries count that both raters judged. Raters are ordered by name. Returns a data frame: polars or pyarrow if
    such a table was passed in, otherwise pandas. Its columns:

    - the keys, measure, rater_a, rater_b, system, queries;
    - mean_a, mean_b: the mean under each rater; place_a, place_b: 1 for the largest mean;
    - bias: the mean of b - a, with the t interval bias_low, bias_high;
    - favour: bias minus that of the other systems on the same queries, with favour_low and favour_high. It is above 0
      if rater b favours the system;
    - p: that of a favour of 0; p_adjusted: corrected over the systems of a measure by Holm's method.

    Raises InputError for a single rater, and for several values of a query. Source: Student 1908; Holm 1979.
    """
    named = [measures] if isinstance(measures, str) else None if measures is None else list(measures)
    resolved = resolve_options(named or DEFAULT_MEASURES, convention, ties, missing) if qrels is not None else None

    def values_of(state: Session) -> Table:
        if resolved is None:
            return by_measure(state, state.bind(rankings, "values"), named, keys)
        parsed, tie_rule, missing_rule = resolved
        options = EvaluationOptions(parsed, tie_rule, missing_rule, None, ("system", *keys), by_query=True, check=False)
        run = state.bind(rankings, "run")
        parts = []
        for rater, judgments in (qrels or {}).items():
            values, _ = measured_table(state, Inputs(run, state.bind(judgments, "qrels")), options)
            parts.append(f"select {string(str(rater))} as rater, v.* from {values.sql} as v")
        if not parts:
            raise InputError(
                "qrels is an empty dict: pass the judgments of each rater, as in {'human': ..., 'llm': ...}"
            )
        return by_measure(state, state.load(f"({' union all '.join(parts)})"), [m.text for m in parsed], keys)

    def run(state: Session) -> tuple[Any, list[str]]:
        options = {"confidence": confidence, "measure": "value"}
        return built(state, Call("rater_bias", values_of(state), options, (*keys, "measure")), data_frame)

    return with_warnings(con, run, {**reading, "keys": keys})


def by_measure(state: Session, values: Table, measures: Sequence[str] | None, keys: Sequence[str]) -> Table:
    """Return a table of values with one row per measure: the columns of ids and keys, measure and value."""
    values.require("the table of values", *_IDS, *keys)
    others = (*_IDS, "doc_id", *keys)
    named = measures or values.numeric(others)
    if not named:
        raise InputError(f"the table of values has no numeric column, it has {listed_names(values.columns)}")
    values.require("the table of values", *named)
    ids = ", ".join(f"v.{DUCKDB.identifier(name)}" for name in (*_IDS, *keys))
    parts = [
        f"select {ids}, {string(name)} as measure, cast(v.{DUCKDB.identifier(name)} as double) as value "
        f"from {values.sql} as v"
        for name in named
    ]
    return replace(state.load(f"({' union all '.join(parts)})"), positions="")
