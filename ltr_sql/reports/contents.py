"""Compute the contents of a report, a dict that JSON can hold."""

from collections.abc import Mapping, Sequence
from typing import Any

from ltr_sql.catalogue.ranges import bounds_of, bounds_of_difference
from ltr_sql.comparison.values import notes_on_depth
from ltr_sql.inputs.session import Session
from ltr_sql.reports import sections
from ltr_sql.reports.curves import charts_of, curves_of, points_of_curves
from ltr_sql.reports.evaluated import Arguments, Evaluated, evaluated_systems, packed_values
from ltr_sql.reports.sentences import (
    cut_interval,
    label_of,
    notes_on_datasets,
    notes_on_queries,
    power_of,
    queries_left_out,
    title_of,
    verdict,
    verdicts_by_measure,
)
from ltr_sql.stages import stage

# What a report says if the tables are in another database.
_STAYS = "the tables stay in the database: documents are not listed, and warnings about the input are missing"


def contents(state: Session, arguments: Arguments) -> dict[str, Any]:
    """Return the contents of a report."""
    points = points_of_curves(arguments)
    of_curves = (measure for of_curve in points.values() for _, measure in of_curve)
    evaluated = evaluated_systems(state, arguments, of_curves)
    queries = sections.numbered_queries(evaluated)
    query_texts, without_texts = sections.texts_of_queries(evaluated, queries)
    standings = sections.standings_of(evaluated)
    segments, cut = sections.segments_of(evaluated)
    pairs = sections.pairs_of(evaluated, standings)
    few = sections.listed_systems(evaluated, standings)
    stage("values of the queries")
    data: dict[str, Any] = {
        "format": 1,
        "title": arguments.title or "",
        "systems": evaluated.systems,
        "baseline": evaluated.baseline,
        "measures": [sections.described_measure(measure) for measure in arguments.measures],
        "test": sections.described_test(arguments.comparison, len(evaluated.systems)),
    }
    data["runner_up"] = sections.runner_up_of(evaluated, pairs)
    data["title"] = data["title"] or title_of(data, standings)
    data["verdict"] = verdict(data, standings)
    data["verdicts"] = verdicts_by_measure(data, standings)
    data["notes"] = [*_notes(evaluated, standings), *cut]
    of_runs, warnings = sections.measures_over_runs(evaluated)
    data["notes"] += [text for text in warnings if text not in evaluated.warnings]
    found = sections.findings_of(evaluated)
    ends = {"left_out": queries_left_out(found), "bibtex": sections.bibtex()}
    power = power_of(standings, data["verdicts"][0]["system"]) if data["verdicts"] else ""
    lists, without_document_texts = sections.lists_of(evaluated, few)
    data["notes"] += [*without_texts, *without_document_texts]
    return data | {
        "standings": standings,
        "pairs": pairs,
        "trend": sections.trend_of(evaluated),
        "judge": sections.judge_of(evaluated),
        "of_runs": of_runs,
        "segments": segments,
        "curves": curves_of(evaluated, points),
        "queries": sections.queries_in_order(evaluated, queries),
        "query_texts": query_texts,
        "changes": sections.changes_of(evaluated, standings),
        "values": packed_values(evaluated, queries, few),
        "lists": lists,
        "input": sections.input_of(evaluated),
        "findings": found,
        "about": {**sections.about(arguments), "power": power, **ends},
    }


def _notes(evaluated: Evaluated, standings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return notes on what may make a comparison unfair."""
    state, arguments = evaluated.state, evaluated.arguments
    return [
        *notes_on_datasets(arguments.comparison["across"]),
        *notes_on_queries(standings, evaluated.names),
        *(notes_on_depth(state, evaluated.values, arguments.measures) if len(evaluated.systems) > 1 else []),
        *evaluated.warnings,
        *([_STAYS] if state.database is not None else []),
    ]


# Fields of a standing in the order in which the script reads them.
_PAIR = (
    "mean",
    "difference",
    "difference_low",
    "difference_high",
    "difference_confidence",
    "p_adjusted",
    "wins",
    "ties",
    "losses",
    "verdict",
    "queries",
)


def payload(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data that the script reads. Numbers stand for systems, measures and queries."""
    systems, names = data["systems"], [measure["name"] for measure in data["measures"]]
    number_of = {query["id"]: i for i, query in enumerate(data["queries"])}
    first = [record["system"] for record in data["standings"] if record["measure"] == names[0]]
    best = next((system for system in first if system != data["baseline"]), first[0])
    standings = [data["standings"], *(segment["standings"] for segment in data["segments"])]
    return {
        "systems": systems,
        "baseline": None if data["baseline"] is None else systems.index(data["baseline"]),
        "best": systems.index(best),
        "measures": [{"name": m["name"], "lower": m["better"] == "lower"} for m in data["measures"]],
        "test": data["test"],
        "queries": list(number_of),
        "texts": {number_of[name]: text for name, text in data["query_texts"].items() if name in number_of},
        **_segments(data),
        "trend": _trend(data),
        "pairs": [_pairs(of_segment, names, systems) for of_segment in standings],
        "paired": sorted({systems.index(pair[name]) for pair in data["pairs"] for name in ("system", "other")}),
        "values": [{**entry, "measure": names.index(entry["measure"])} for entry in data["values"]],
        "curves": [_curve(curve) for curve in data["curves"]],
        "charts": charts_of(data["curves"]),
        "lists": {
            "depth": data["lists"]["depth"],
            "systems": [systems.index(system) for system in data["lists"]["systems"]],
            "measure": data["lists"]["measure"],
            "texts": data["lists"]["texts"],
            "queries": {
                number_of[name]: {
                    "relevant": query["relevant"],
                    "ideal": query["ideal"],
                    **({"missed": _missed(query["missed"])} if "missed" in query else {}),
                    "systems": {systems.index(system): _list(found) for system, found in query["systems"].items()},
                }
                for name, query in data["lists"]["queries"].items()
                if name in number_of
            },
        },
        "grades": [grade for grade, _ in data["input"]["grades"]],
    }


def _segments(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys with their values and the value of each query, and the label and the values of each segment.

    Numbers stand for values. A value that no segment has is -1.
    """
    segments, keys = [segment["keys"] for segment in data["segments"]], []
    for name in segments[0] if segments else ():
        values = list(dict.fromkeys(segment[name] for segment in segments))
        values.sort(key=lambda value: (value is None, value))
        number_of = {value: number for number, value in enumerate(values)}
        labels = [f"no {name}" if value is None else value for value in values]
        of = [number_of.get(query["keys"][name], -1) for query in data["queries"]]
        keys.append({"name": name, "values": labels, "of": of, "number": number_of})
    of_segments = [
        {"label": label_of(segment), "at": [key["number"][segment[key["name"]]] for key in keys]}
        for segment in segments
    ]
    return {"segments": of_segments, "keys": [{k: key[k] for k in ("name", "values", "of")} for key in keys]}


def _pairs(
    standings: Sequence[Mapping[str, Any]], names: Sequence[str], systems: Sequence[str]
) -> list[list[list[Any] | None]]:
    """Return the fields `_PAIR` by measure, then by system, and whether the interval was cut at the range."""
    found = {(record["measure"], record["system"]): _within_range(record) for record in standings}
    return [
        [
            None if (name, system) not in found else [_rounded(found[name, system][field]) for field in (*_PAIR, "cut")]
            for system in systems
        ]
        for name in names
    ]


def _within_range(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a standing whose interval of the difference is cut at the range of its measure."""
    bounds = bounds_of_difference(record["measure"])
    low, high, marked = cut_interval(record, bounds, "difference_") or (None, None, False)
    return {**record, "difference_low": low, "difference_high": high, "cut": marked}


def _trend(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the periods, and by measure and system the mean, its interval, gap and verdict."""
    if not data["trend"]:
        return None
    names = [measure["name"] for measure in data["measures"]]
    periods = data["trend"]["periods"]
    found = {}
    for r in data["trend"]["rows"]:
        low, high, _ = cut_interval(r, bounds_of(r["measure"])) or (None, None, False)
        found[r["measure"], r["system"], r["period"]] = {**r, "low": low, "high": high}
    fields = ("mean", "low", "high", "gap", "verdict")
    return {
        "periods": periods,
        "rows": [
            [
                [
                    [_rounded(found[key][field]) for field in fields]
                    if (key := (name, system, period)) in found
                    else None
                    for period in periods
                ]
                for system in data["systems"]
            ]
            for name in names
        ],
    }


def _curve(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return a curve with four decimals, and its intervals as the system's low ends, then its high ends."""
    of = {
        name: [[None if x is None else round(x, 4) for x in row] for row in found[name]]
        for name in ("means", "low", "high")
    }
    return {"by": found["by"], "measure": found["measure"], "x": found["x"], **of}


def _missed(found: Mapping[str, Any]) -> list[Any]:
    """Return the missed documents, their grades, their ranks by system, and the number that each system missed."""
    return [found["documents"], [_whole(grade) for grade in found["grades"]], found["ranks"], found["counts"]]


def _list(found: Mapping[str, Any]) -> list[Any]:
    """Return the documents of a list, its ranks unless they are 1, 2, 3, ..., its grades, and its contributions."""
    ranks = found["ranks"]
    return [
        found["documents"],
        ranks if ranks != [*range(1, len(ranks) + 1)] else None,
        [_whole(grade) for grade in found["grades"]],
        [_rounded(value) for value in found.get("contributions", [])],
    ]


def _rounded(value: Any) -> Any:
    """Return a float with six decimals, or four digits if it is small. Return any other value unchanged."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.4g}") if abs(value) < 1e-3 else round(value, 6)


def _whole(value: float | None) -> float | int | None:
    """Return a whole number as an integer, which is shorter in JSON. Return any other value unchanged."""
    return int(value) if value is not None and value == int(value) else value
