"""Warnings about unfair comparisons: runs that differ in depth or in their share of unjudged documents."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from typing import Any

from ltr_sql.catalogue.measure_strings import Measure, find_convention, parse_measure, parse_measures
from ltr_sql.errors import MeasureError
from ltr_sql.evaluation.families import measured_table
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.templates import render_template

# Measures of the depth and the judged share of a run, which serve only for warnings.
RETRIEVED, JUDGED = "NumRet", "Judged@10"
# Largest differences without a warning: in depth (share of the largest depth), and in unjudged documents of the top 10
# (percentage points).
_DEPTHS, _POINTS = 0.1, 5
# Largest number of runs that a warning lists. With more runs, it counts them or lists only the two extremes.
_LISTED = 6


def described_values(state: Session, inputs: Inputs, options: EvaluationOptions) -> tuple[Table, list[str]]:
    """Return the values of measures with `RETRIEVED` and `JUDGED` of each query as a table, and warnings."""
    known = [measure.text.lower() for measure in options.measures]
    described = tuple(m for m in parse_measures([RETRIEVED, JUDGED]) if m.text.lower() not in known)
    if options.ties != "expected":
        options = replace(options, measures=(*options.measures, *described))
        return measured_table(state, inputs, options)
    # NumRet and Judged@10 have no expected value over orders of tied documents, so compute them separately.
    run = state.bind(inputs.rankings, "run")
    judgments = None if inputs.qrels is None else state.bind(inputs.qrels, "qrels")
    values, warnings = measured_table(state, Inputs(run, judgments, inputs.tables), options)
    options = replace(options, measures=described, ties=find_convention(None).ties, gains=None, check=False)
    others, _ = measured_table(state, Inputs(run, judgments), options)
    added = ", ".join(f"d.{DUCKDB.identifier(measure.text)}" for measure in described)
    keys = [DUCKDB.identifier(name) for name in values.columns if name.lower() not in known]
    same = " and ".join(f"d.{key} is not distinct from v.{key}" for key in keys)
    return state.load(f"(select v.*, {added} from {values.sql} as v join {others.sql} as d on {same})"), warnings


def depths_and_shares(
    state: Session, table: Table, system: str = "system"
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the depth of each run, and the percentage of unjudged documents in its top 10.

    `table` has the columns `RETRIEVED`, `JUDGED` and `system`. A run without a value is left out.
    """
    query = render_template(
        "comparison/depths.sql",
        relation=table.sql,
        system=DUCKDB.identifier(system),
        retrieved=DUCKDB.identifier(RETRIEVED),
        judged=DUCKDB.identifier(JUDGED),
    )
    rows = state.con.execute(query).fetchall()
    depths = {system: depth for system, depth, _ in rows if depth}
    return depths, {system: share for system, _, share in rows if share is not None}


def notes_on_depth(state: Session, table: Table, measures: Sequence[Measure], system: str = "system") -> list[str]:
    """Return warnings about runs that differ in unjudged documents, or in a depth that `measures` reach."""
    cutoffs = {measure.text: dict(measure.values).get("k") for measure in measures}
    depths, shares = depths_and_shares(state, table, system)
    notes = []
    few = {system: depths[system] for system in shallow(depths)}
    if few and (deeper := read_deeper(cutoffs, min(few.values()))):
        runs = f"{len(few)} of {len(depths)} runs" if len(few) > _LISTED else ", ".join(few)
        numbers = " to ".join(dict.fromkeys(f"{end(few.values()):,.0f}" for end in (min, max)))
        notes.append(
            f"{runs} {'has' if len(few) == 1 else 'have'} at most {numbers} documents per query, the deepest run "
            f"{max(depths.values()):,.0f}: {', '.join(deeper)} favour{'s' if len(deeper) == 1 else ''} deeper runs"
        )
    if any(abs(a - b) > _POINTS for a, b in combinations(shares.values(), 2)):
        listed = ", ".join(f"{system} {share:.1f}%" for system, share in _extremes(shares))
        notes.append(
            f"the runs differ in unjudged documents of the top 10 ({listed}): these count as not relevant, which may "
            "explain the whole difference"
        )
    return notes


def shallow(depths: Mapping[str, float]) -> list[str]:
    """Return the runs that are shallower than the deepest one by more than the share `_DEPTHS`."""
    return [system for system, depth in depths.items() if depth < (1 - _DEPTHS) * max(depths.values())]


def measures_among(names: Sequence[str]) -> list[Measure]:
    """Return the measures among names of columns. Other names, such as latency, are left out."""
    found = []
    for name in names:
        with suppress(MeasureError):
            found.append(parse_measure(name))
    return found


def read_deeper(cutoffs: Mapping[str, Any], depth: float) -> list[str]:
    """Return the names of the measures without a cutoff, or with one deeper than `depth`."""
    return [name for name, cutoff in cutoffs.items() if cutoff is None or cutoff > depth]


def _extremes(found: dict[str, float]) -> list[tuple[str, float]]:
    """Return the runs to list with their numbers: all up to `_LISTED`, otherwise the smallest and the largest."""
    listed = list(found.items())
    if len(listed) <= _LISTED:
        return listed
    return [min(listed, key=lambda run: run[1]), max(listed, key=lambda run: run[1])]
