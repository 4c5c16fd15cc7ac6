"""The systems of a report by measure: standings, on all queries and by segment, and measures over runs."""

from collections.abc import Mapping, Sequence
from typing import Any

from ltr_sql.catalogue.options import Compare, defaults_of
from ltr_sql.comparison.runs import compared_runs
from ltr_sql.comparison.values import Given
from ltr_sql.evaluation.families import run_measures
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.rendering.choices import comparison_choices
from ltr_sql.rendering.comparisons import comparison_query, values_of_table
from ltr_sql.rendering.datasets import of_datasets
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.parts import ACROSS, mode_of
from ltr_sql.reports.about import described_measure
from ltr_sql.reports.evaluated import Evaluated
from ltr_sql.stages import COMPARISON, stage

# Largest number of segments that the report shows.
_SEGMENTS = 30
# Number of bootstrap samples of measures over runs, and largest number of rows of runs for which they are drawn.
_RESAMPLES, _RESAMPLED = 200, 1_000_000


def standings_of(evaluated: Evaluated, keys: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return one record per measure and system, best system first; with `keys`, which become texts, per segment too."""
    texts = ", ".join(f"cast(v.{name} as varchar) as {name}" for name in map(DUCKDB.identifier, keys))
    compared = evaluated.compared.sql
    relation = f"(select v.* replace ({texts}) from {compared} as v)" if keys else compared
    return _standings(evaluated, relation, evaluated.names, evaluated.baseline, keys)


def runner_up_of(evaluated: Evaluated, standings: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the best system compared with the second on the first measure; None if the standings have this test.

    The two are chosen by their means, so the interval is that of one comparison, and optimistic.
    """
    first = [record for record in standings if record["measure"] == evaluated.names[0]]
    top = [record["system"] for record in first[:2]]
    if len(first) < 3 or evaluated.baseline in top or None in (record["mean"] for record in first[:2]):
        return None
    both = ", ".join(map(string, top))
    relation = f"(select v.* from {evaluated.compared.sql} as v where cast(v.system as varchar) in ({both}))"
    found = _standings(evaluated, relation, evaluated.names[:1], top[1])
    return {**next(record for record in found if record["system"] == top[0]), "other": top[1]}


def _standings(
    evaluated: Evaluated, relation: str, measures: Sequence[str], baseline: str | None, keys: Sequence[str] = ()
) -> list[dict[str, Any]]:
    arguments = evaluated.arguments
    mode = mode_of(*(arguments.comparison[name] is not None for name in ("weights", "human", "cluster")))
    across = arguments.comparison["across"]
    if across is not None and not keys:
        relation, mode = of_datasets(relation, DUCKDB.identifier(across)), ACROSS
    fragments = values_of_table(
        relation,
        measures,
        compared="system",
        strata=keys,
        baseline=None if baseline is None else [baseline],
        fewest=1,
        unanswered=evaluated.unanswered,
        mode=mode,
    )
    stage(COMPARISON)
    found = evaluated.state.records(comparison_query(fragments, arguments.choices, "standings"))
    return [{**record, "system": str(record["system"])} for record in found]


def segments_of(evaluated: Evaluated) -> list[dict[str, Any]]:
    """Return the standings of each segment, by descending number of queries."""
    keys = evaluated.arguments.keys
    if not keys:
        return []
    segments: dict[tuple[str | None, ...], dict[str, Any]] = {}
    for record in standings_of(evaluated, keys):
        names = tuple(record.pop(key) for key in keys)
        segment = segments.setdefault(
            names, {"keys": dict(zip(keys, names, strict=True)), "queries": 0, "standings": []}
        )
        segment["queries"] = max(segment["queries"], record["queries"])
        segment["standings"].append(record)
    # A key may be None.
    in_order = sorted(segments.items(), key=lambda item: (-item[1]["queries"], [(k is None, k) for k in item[0]]))
    return [segment for _, segment in in_order[:_SEGMENTS]]


def measures_over_runs(evaluated: Evaluated) -> tuple[list[dict[str, Any]], list[str]]:
    """Return one record per measure over runs, with the values of the systems, and warnings."""
    arguments, state = evaluated.arguments, evaluated.state
    if not arguments.of_runs:
        return [], []
    measures = tuple(arguments.of_runs)
    options = EvaluationOptions(measures, arguments.ties, arguments.missing, None, ("system",), check=arguments.check)
    inputs = Inputs(evaluated.run, evaluated.qrels, evaluated.tables)
    values, warnings = run_measures(state, inputs, options, lambda con, query, kind: state.records(query))
    differences = _differences_over_runs(evaluated)
    return [
        {
            **described_measure(measure),
            "systems": [
                {
                    "system": str(record["system"]),
                    "value": record[measure.text],
                    **{
                        name: differences.get((str(record["system"]), measure.text), {}).get(name)
                        for name in ("difference", "low", "high")
                    },
                }
                for record in values
            ],
        }
        for measure in measures
    ], warnings


def _differences_over_runs(evaluated: Evaluated) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the differences from the baseline in measures over runs, by system and measure.

    Their intervals are left out for large runs, because a bootstrap of them takes long.
    """
    arguments, state, run, baseline = evaluated.arguments, evaluated.state, evaluated.run, evaluated.baseline
    if baseline is None:
        return {}
    ((rows,),) = state.rows(f"select count(*) from {run.sql}")
    resamples = _RESAMPLES if rows <= _RESAMPLED else 0
    choices = comparison_choices(adjust="none", seed=arguments.comparison["seed"]).having(resamples=str(resamples))
    given = Given(run, None, defaults_of(Compare, baseline=baseline))
    options = EvaluationOptions(
        tuple(arguments.of_runs), arguments.ties, arguments.missing, keys=given.keys, check=False
    )
    query, _ = compared_runs(state, Inputs(run, evaluated.qrels, evaluated.tables), options, choices, given)
    return {(str(record["system_b"]), record["measure"]): record for record in state.records(query)}


def trend_of(evaluated: Evaluated) -> dict[str, Any] | None:
    """Return the periods, and one record per measure, system and period; None without periods."""
    by = evaluated.arguments.trend
    if evaluated.history is None or by is None:
        return None
    fragments = values_of_table(evaluated.history.sql, evaluated.names, compared=by, strata=["system"], fewest=1)
    choices = comparison_choices(adjust=evaluated.arguments.comparison["adjust"])
    records = evaluated.state.records(comparison_query(fragments, choices, "trend"))
    periods = [str(period) for period in sorted({record[by] for record in records})]
    rows = [
        {
            **{name: value for name, value in record.items() if name != by},
            "system": str(record["system"]),
            "period": str(record[by]),
            "previous": None if record["previous"] is None else str(record["previous"]),
        }
        for record in records
    ]
    return {"by": by, "periods": periods, "rows": rows}
