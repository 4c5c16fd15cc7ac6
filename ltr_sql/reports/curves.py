"""The curves of a report: means of the systems by cutoff, and by level of recall."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from ltr_sql.catalogue.measure_strings import Measure, find_convention
from ltr_sql.catalogue.measures import definitions
from ltr_sql.comparison.comparability import depths_and_shares
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.templates import render_template
from ltr_sql.rendering.weights import WEIGHT
from ltr_sql.reports.evaluated import Arguments, Evaluated

# Cutoffs and levels of recall of the curves.
_CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
_RECALL = tuple(level / 10 for level in range(11))
# The points of each curve: their places on the horizontal axis, with measures.
Points: TypeAlias = Mapping[str, Sequence[tuple[float, Measure]]]


def points_of_curves(arguments: Arguments) -> Points:
    """Return the points of the curves: nDCG at each cutoff, and interpolated precision at each level of recall.

    nDCG has the options of the first nDCG of the report, or else the defaults of the convention. With ties 'expected',
    there are no curves.
    """
    ndcg = next((m for m in arguments.measures if m.definition.macro in ("ndcg", "expected_ndcg")), None)
    if "expected" in (arguments.ties, ndcg.ties if ndcg else ""):
        return {}
    chosen = find_convention(arguments.convention)
    defaults = {
        macro: {p.name: p.default for p in definitions()[macro].parameters} | dict(chosen.values.get(macro, {}))
        for macro in ("ndcg", "iprec")
    }
    given = defaults["ndcg"] if ndcg is None else dict(ndcg.values)
    if arguments.gains is not None:
        given["gain"] = "linear"
    return {
        "cutoff": [(float(k), _measure("ndcg", {**given, "k": k}, ndcg)) for k in _CUTOFFS],
        "recall": [(level, _measure("iprec", {**defaults["iprec"], "recall": level})) for level in _RECALL],
    }


def _measure(macro: str, values: Mapping[str, Any], like: Measure | None = None) -> Measure:
    """Return a measure. It has the tie-breaking rule, and the rule for missing queries, of the measure `like`."""
    rules = {"ties": like.ties, "missing": like.missing} if like else {}
    measure = Measure(definitions()[macro], tuple(values.items()), "", **rules)
    return replace(measure, text=str(measure))


def curves_of(evaluated: Evaluated, points: Points) -> list[dict[str, Any]]:
    """Return the mean of each system at each point of a curve.

    Cutoffs end at the first one that reaches the depth of the deepest run.
    """
    state, values = evaluated.state, evaluated.values
    depths, _ = depths_and_shares(state, values)
    deepest = max(depths.values(), default=0)
    found = []
    for name, of_curve in points.items():
        kept = [
            (x, measure)
            for number, (x, measure) in enumerate(of_curve)
            if name != "cutoff" or number == 0 or of_curve[number - 1][0] < deepest
        ]
        query = render_template(
            "reports/averages.sql",
            values=values.sql,
            columns=[DUCKDB.identifier(measure.text) for _, measure in kept],
            systems=DUCKDB.text_list(evaluated.systems),
            weighted=WEIGHT in values.columns,
        )
        found.append(
            {
                "by": name,
                "measure": kept[0][1].definition.name,
                "measures": [measure.text for _, measure in kept],
                "x": [x for x, _ in kept],
                "means": [list(row) for row in state.rows(query)],
            }
        )
    return found
