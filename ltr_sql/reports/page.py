"""Render a report as one HTML file that contains its style sheet and script."""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from ltr_sql.catalogue.ranges import Interval, bounds_of, bounds_of_difference
from ltr_sql.comparison.values import read_deeper, shallow
from ltr_sql.rendering.comparisons import percent
from ltr_sql.reports.charts import bars, curve, marks_of, names_of_curves, place_of, text_of, ticks_of, verdict_picture
from ltr_sql.reports.contents import payload
from ltr_sql.reports.curves import charts_of
from ltr_sql.reports.evaluated import deflated
from ltr_sql.reports.sentences import (
    cut_interval,
    interval_of_difference,
    interval_of_mean,
    label_of,
    level_of,
    listed,
    number,
    numbers_of,
    probability,
    shown,
    signed,
    signed_percent,
    turned,
    uneven_measures,
)

_FOLDER = Path(__file__).parent
# Width and edge of an interval in the leaderboard, in pixels.
_SIZE = (76, 3)
# Functions that the template calls as filters.
_FILTERS: Sequence[Callable[..., str]] = (
    *(number, signed, signed_percent, probability, percent, interval_of_mean, interval_of_difference),
    *(shown, listed, level_of),
)
# With fewer queries, a segment is greyed.
_FEW = 5
# Largest number of cells of all leaderboards of segments. With more, they show only the first measure.
_MOST_CELLS = 400


def page(data: Mapping[str, Any]) -> str:
    """Return the HTML page of the data of a report."""
    style, script = (_read(name) for name in ("style.css", "script.js"))
    charts = [[data["curves"][number] for number in of_chart] for of_chart in charts_of(data["curves"])]
    return (
        _environment()
        .get_template("template.html")
        .render(
            data=data,
            boards=_boards(data),
            forest=_forest(data),
            pictured=verdict_picture(data),
            numbers=numbers_of(data),
            bars=bars(data),
            charts=charts,
            drawn=[curve(data, of_chart[0]) for of_chart in charts],
            matrix=_matrix(data),
            named=names_of_curves(data),
            shallow=shallow(data["input"]["depths"]),
            style=Markup(style),
            script=Markup(script),
            style_hash=_hash_source(style),
            script_hash=_hash_source(script),
            payload=_json(_packed(payload(data))),
        )
    )


@cache
def _environment() -> jinja2.Environment:
    created = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    created.filters |= {function.__name__: function for function in _FILTERS} | {
        "thousands": lambda value: f"{value:,}",
        "tick": text_of,
        "whole": lambda value: f"{value:g}",
    }
    return created


@cache
def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash_source(text: str) -> str:
    """Return the hash source of a Content-Security-Policy that allows an inline text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _packed(read: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data that the script reads, with the lists of documents and their texts in few bytes."""
    return {**read, "lists": deflated(json.dumps(read["lists"], separators=(",", ":")).encode())}


def _json(value: Any) -> Markup:
    """Return JSON for a script element. Escapes `<`, because the element must not contain `</script` or `<!--`."""
    return Markup(json.dumps(value, separators=(",", ":")).replace("<", "\\u003c"))


def _boards(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the leaderboard of all queries and those of the segments."""
    names = [measure["name"] for measure in data["measures"]]
    boards = [_board(data, data["standings"], names, "all queries")]
    few = len(names) * len(data["systems"]) * len(data["segments"]) <= _MOST_CELLS
    for segment in data["segments"]:
        boards.append(_board(data, segment["standings"], names if few else names[:1], label_of(segment["keys"])))
    return boards


def _board(
    data: Mapping[str, Any], standings: Sequence[Mapping[str, Any]], names: Sequence[str], label: str
) -> dict[str, Any]:
    found = {(record["measure"], record["system"]): record for record in standings}
    scales = {}
    ranges = {measure["name"]: bounds_of(measure["name"]) for measure in data["measures"]}
    for name in names:
        bounds = [
            bound
            for record in standings
            if record["measure"] == name
            for bound in (record["mean"], *(cut_interval(record, ranges[name]) or ())[:2])
            if bound is not None
        ]
        # The scale of a single system starts at 0. Otherwise, its interval would fill the scale.
        least = min(bounds, default=0.0) if len(data["systems"]) > 1 else 0.0
        scales[name] = ticks_of(least, max(bounds, default=1.0))
    uneven = uneven_measures(standings)
    rows = []
    for record in standings:
        if record["measure"] == names[0]:
            reads = _reads_deeper(data, record["system"])
            cells = [
                _cell(found.get((name, record["system"])), scales[name], ranges[name], name in reads, name in uneven)
                for name in names
            ]
            rows.append({"system": record["system"], "place": record["place"], "cells": cells})
    return {
        "label": label,
        "measures": [{"name": name, "ticks": marks_of(scales[name], *_SIZE)} for name in names],
        "rows": rows,
        "queries": max((record["queries"] for record in standings), default=0),
    }


def _reads_deeper(data: Mapping[str, Any], system: str) -> set[str]:
    """Return the measures that read deeper than the lists of a system, if the system is one of the `shallow` ones."""
    depths = data["input"]["depths"]
    if system not in shallow(depths):
        return set()
    return set(read_deeper({m["name"]: m["options"].get("k") for m in data["measures"]}, depths[system]))


def _cell(
    record: Mapping[str, Any] | None,
    ticks: Sequence[float],
    bounds: Interval,
    marked: bool,
    uneven: bool,
) -> dict[str, Any]:
    if record is None:
        return {"record": None}
    dot = None if record["mean"] is None else place_of(record["mean"], ticks, *_SIZE)
    interval = cut_interval(record, bounds)
    return {
        "record": record,
        "dot": dot,
        "whisker": None if interval is None else tuple(place_of(end, ticks, *_SIZE) for end in interval[:2]),
        "interval": interval,
        "best": record["place"] == 1,
        "shallow": marked,
        "uneven": uneven,
    }


def _matrix(data: Mapping[str, Any]) -> list[tuple[str, list[dict[str, Any] | None]]]:
    """Return each system with its comparisons with the others, the best first; None for itself."""
    pairs = {(pair["system"], pair["other"]): pair for pair in data["pairs"]}
    pairs |= {(pair["other"], pair["system"]): turned(pair) for pair in data["pairs"]}
    names = list(dict.fromkeys(name for pair in data["pairs"] for name in (pair["system"], pair["other"])))
    return [(row, [pairs.get((row, column)) for column in names]) for row in names]


def _forest(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the segments on the first measure, the worst first, and all queries below; None without segments.

    With a baseline, the numbers are differences of the system of the verdict from it, otherwise means.
    """
    if not data["segments"]:
        return None
    measure, compared = data["measures"][0], data["baseline"] is not None
    system = data["verdicts"][0]["system"] if data["verdicts"] else data["systems"][0]
    field, prefix = ("difference", "difference_") if compared else ("mean", "")
    bounds = (bounds_of_difference if compared else bounds_of)(measure["name"])
    rows = []
    for label, standings in (
        *((label_of(segment["keys"]), segment["standings"]) for segment in data["segments"]),
        ("all queries", data["standings"]),
    ):
        found = [r for r in standings if r["measure"] == measure["name"] and r["system"] == system]
        for record in found:
            value, (low, high, _) = record[field], cut_interval(record, bounds, prefix) or (None, None, False)
            n = record["common_queries"] if compared else record["queries"]
            few = n < _FEW if not compared else record["verdict"].startswith("too few")
            row = {"label": label, "n": n, "value": value, "low": low, "high": high, "few": few, "record": record}
            rows.append({**row, "total": standings is data["standings"]})
    sense = -1 if measure["better"] == "lower" else 1
    rows.sort(key=lambda row: (row["total"], row["value"] is None, sense * (row["value"] or 0.0)))
    known = [x for row in rows if not row["few"] for x in (row["value"], row["low"], row["high"]) if x is not None]
    ticks = ticks_of(min([*known, 0.0]), max([*known, 0.0 if compared else 1.0]))
    for row in rows:
        ends = [row["value"], row["low"], row["high"]]
        row["at"] = [None if x is None else place_of(x, ticks) for x in ends]
    return {"measure": measure, "system": system, "rows": rows, "ticks": marks_of(ticks), "compared": compared}
