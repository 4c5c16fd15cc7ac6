"""The curves of a report: means of measures by cutoff and by recall, with their intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from ltr_sql.catalogue.measure_strings import Measure, find_convention
from ltr_sql.catalogue.measures import definitions
from ltr_sql.catalogue.ranges import bounds_of, cut
from ltr_sql.comparison.values import POINTS, depths_and_shares
from ltr_sql.rendering.comparisons import level_of
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.measure_columns import expressions
from ltr_sql.rendering.spread import WEIGHT
from ltr_sql.rendering.templates import render_template, sql_value
from ltr_sql.reports.evaluated import Arguments, Evaluated

# Cutoffs and levels of recall.
_CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
_RECALL = tuple(level / 10 for level in range(11))
# Measures by cutoff. The chart of the last one stands alone, where the systems differ in it.
_BY_CUTOFF = ("ndcg", "p", "r", "success", "judged")
_ALONE = "Judged"
# Measures by macro, with the places of their points on the horizontal axis.
Points: TypeAlias = Mapping[str, Sequence[tuple[float, Measure]]]


def points_of_curves(arguments: Arguments) -> Points:
    """Return the points of the curves: measures at each cutoff, and interpolated precision at each level of recall.

    A measure has the options that it has in the report, or else the defaults of the convention. With ties 'expected',
    it has no curve.
    """
    if arguments.ties == "expected":
        return {}
    chosen = find_convention(arguments.convention)
    found = {}
    for macro in (*_BY_CUTOFF, "iprec"):
        like = next((m for m in arguments.measures if m.definition.macro in (macro, f"expected_{macro}")), None)
        if like is not None and (like.ties == "expected" or like.definition.macro != macro):
            continue
        given = {p.name: p.default for p in definitions()[macro].parameters} | dict(chosen.values.get(macro, {}))
        given |= {} if like is None else dict(like.values)
        if arguments.gains is not None and "gain" in given:
            given["gain"] = "linear"
        name, places = ("recall", _RECALL) if macro == "iprec" else ("k", _CUTOFFS)
        found[macro] = [(float(x), _measure(macro, {**given, name: x}, like)) for x in places]
    return found


def _measure(macro: str, values: Mapping[str, Any], like: Measure | None) -> Measure:
    """Return a measure. It has the tie-breaking rule, and the rule for missing queries, of the measure `like`."""
    rules = {"ties": like.ties, "missing": like.missing} if like else {}
    measure = Measure(definitions()[macro], tuple(values.items()), "", **rules)
    return replace(measure, text=str(measure))


def curves_of(evaluated: Evaluated, points: Points) -> list[dict[str, Any]]:
    """Return the mean of each system at each point of a curve, with its t interval, cut at the range of the measure.

    Cutoffs end at the first one that reaches the depth of the deepest run. Judged is left out unless two systems differ
    at a cutoff.
    """
    depths, _ = depths_and_shares(evaluated.state, evaluated.values)
    deepest = max(depths.values(), default=0)
    found = []
    for macro, of_curve in points.items():
        by = "recall" if macro == "iprec" else "cutoff"
        kept = [
            (x, measure)
            for number, (x, measure) in enumerate(of_curve)
            if by == "recall" or number == 0 or of_curve[number - 1][0] < deepest
        ]
        rows = _means(evaluated, [measure for _, measure in kept])
        curve = {
            "by": by,
            "measure": kept[0][1].definition.name,
            "measures": [measure.text for _, measure in kept],
            "x": [x for x, _ in kept],
            **{name: [[point[i] for point in row] for row in rows] for i, name in enumerate(("means", "low", "high"))},
        }
        if macro != _BY_CUTOFF[-1] or _differs([[mean for mean, *_ in row] for row in rows]):
            found.append(curve)
    return found


def _means(evaluated: Evaluated, measures: Sequence[Measure]) -> list[list[tuple[float | None, ...]]]:
    """Return mean, low and high of each system and measure."""
    query = render_template(
        "reports/averages.sql",
        **expressions(DUCKDB),
        values=evaluated.values.sql,
        columns=[DUCKDB.identifier(measure.text) for measure in measures],
        systems=DUCKDB.text_list(evaluated.systems),
        weight=f"v.{WEIGHT}" if WEIGHT in evaluated.values.columns else "1e0",
        level=sql_value(level_of(evaluated.arguments.comparison["confidence"])),
    )
    return [
        [
            (mean, *((low, high) if low is None or high is None else cut((low, high), bounds_of(measure.text))))
            for mean, low, high, measure in zip(*row, measures, strict=True)
        ]
        for row in evaluated.state.rows(query)
    ]


def _differs(means: Sequence[Sequence[float | None]]) -> bool:
    """Return whether two systems differ at a cutoff as much as a note on unjudged documents asks for."""
    known = [[mean for mean in at if mean is not None] for at in zip(*means, strict=True)]
    return any(100 * (max(at) - min(at)) > POINTS for at in known if at)


def charts_of(curves: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Return the numbers of the curves of each chart. A reader chooses one of them."""
    place = [("judged" if curve["measure"] == _ALONE else curve["by"]) for curve in curves]
    return [[i for i, of in enumerate(place) if of == name] for name in ("cutoff", "recall", "judged") if name in place]
