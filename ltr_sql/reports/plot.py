"""Pictures for slides and papers: the data frames that other functions return, as SVG.

Nothing is computed again. `ltr_sql.plot` is this module.
"""

import math
import os
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.catalogue.measures import definition_of, is_better_lower
from ltr_sql.catalogue.ranges import CUT, MARK, bounds_of_difference
from ltr_sql.errors import InputError, MeasureError
from ltr_sql.inputs.containers import as_arrow, is_frame
from ltr_sql.outputs import output_file, write_text, xml_text
from ltr_sql.rendering.comparisons import percent
from ltr_sql.reports.charts import SHARED, Frame, bars_of, text_of, ticks_of
from ltr_sql.reports.sentences import cut_interval, interval_of_difference, label_of, shown, signed

_Row = Mapping[str, Any]
_MINUS = "\N{MINUS SIGN}"
# Sizes in pixels: charts, the axis of intervals, a row of intervals, a heading, and the margin around the picture.
_CHART, _AXIS, _ROW, _HEADING, _MARGIN = (760, 300), 320, 26, 26, 16
# Classes of the style for the verdicts that have a colour.
_COLOURED = {"better": "b", "worse": "a"}
# Lines of systems: those of A and B in a report, and others, which differ by their colours and dashes.
_LINES = ("#b3500a", "#0a5fa8", "#1b6e45", "#7a4fa3", "#1a1d21", "#a3261b")
_DASHES = ("7 3", "none", "2 3", "9 3 2 3")
# Largest number of characters of a name.
_LONGEST = 32
# Smaller differences, as shares of the power of ten above the values, are ties of `compare`.
_LAST_BITS = 5e-13
# Shapes that have the colour of a verdict, and how.
_PAINTED = (("path", "stroke"), ("circle", "fill"), ("rect", "fill"), ("text", "fill"))


@dataclass(frozen=True)
class Plot:
    """A picture, which a notebook shows.

    - `svg`: the picture as SVG text; `label`: what it shows, in words.
    """

    svg: str
    label: str

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture to a file that ends in .svg or .png, and return its path.

        PNG has two pixels for one of SVG, and needs the package cairosvg. Raises InputError without it or for another
        ending, and OutputError if the file cannot be written.
        """
        ending = Path(path).suffix.lower()
        if ending == ".svg":
            write_text(path, self.svg)
        elif ending == ".png":
            image = _png(self.svg)
            with output_file(path) as temporary:
                temporary.write_bytes(image)
        else:
            raise InputError(f"{os.fspath(path)} is not the name of a picture: end it with .svg or .png")
        return Path(path)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Plot: {self.label}"


def forest(compared: Any, *, title: str | None = None) -> Plot:
    """Draw the differences of `compare` with their intervals, one row per measure and pair. Colours show the verdict.

    - `compared`: the data frame that `compare` returns.
    - `title`: a line above the picture. Default: None.

    Measures whose differences may exceed 1, such as DCG, have an axis of their own.

    Returns a `Plot`: a notebook shows it, and `.save(path)` writes it. Raises InputError for another table.

    >>> runs = {"old": {"q": ["a", "b"], "r": ["c"]}, "new": {"q": ["b", "a"], "r": ["c"]}}
    >>> compared = ltr_sql.compare(runs, ["RR"], qrels={"q": {"b": 1}, "r": {"c": 1}})
    >>> ltr_sql.plot.forest(compared)
    Plot: Differences in RR, with intervals
    """
    return _intervals(
        _compared(compared, "forest"),
        lambda row: "" if bounds_of_difference(row["measure"])[1] <= SHARED else row["measure"],
        title,
    )


def segments(compared: Any, *, title: str | None = None) -> Plot:
    """Draw the differences of `compare` by segment with their intervals, one panel per measure.

    - `compared`: the data frame that `compare` returns with `keys`. Rows over all segments, of `totals=True`, are bold.
    - `title`: a line above the picture. Default: None.

    Returns a `Plot`: a notebook shows it, and `.save(path)` writes it. Raises InputError for another table.

    >>> runs = {"old": {"q": ["a", "b"], "r": ["c"]}, "new": {"q": ["b", "a"], "r": ["c"]}}
    >>> qrels = {"query_id": ["q", "r"], "doc_id": ["b", "c"], "relevance": [1, 1], "segment": ["head", "tail"]}
    >>> compared = ltr_sql.compare(runs, ["RR"], qrels=qrels, keys=["segment"])
    >>> ltr_sql.plot.segments(compared)
    Plot: Differences in RR, with intervals
    """
    rows = _compared(compared, "segments")
    if not any(row["segment"] for row in rows):
        raise InputError("plot.segments draws what compare returns with keys, such as keys=['segment']: this has none")
    return _intervals(rows, lambda row: row["measure"], title)


def differences(found: Any, a: str = "a", b: str = "b", *, title: str | None = None) -> Plot:
    """Draw the differences of the queries as sorted bars, one panel per measure and segment.

    - `found`: the data frame that `wins` returns. Of more than 400 queries, 400 at equal distances are drawn.
    - `a`, `b`: names of the two systems. Default: 'a' and 'b'.
    - `title`: a line above the picture. Default: None.

    Returns a `Plot`: a notebook shows it, and `.save(path)` writes it. Raises InputError for another table.

    >>> runs = {"old": {"q": ["a", "b"], "r": ["c"]}, "new": {"q": ["b", "a"], "r": ["c"]}}
    >>> wins = ltr_sql.wins(runs, "old", "new", "RR", qrels={"q": {"b": 1}, "r": {"c": 1}})
    >>> ltr_sql.plot.differences(wins)
    Plot: Differences of b from a on 2 queries
    """
    rows = _rows(found, "differences", "wins", ("measure", "query_id", "a", "b", "difference"))
    rows = [row for row in rows if row["difference"] is not None]
    if not rows:
        raise InputError("plot.differences draws what wins returns, and here all differences are NULL")
    a, b = _short(a), _short(b)
    panels = [_bars(group, a, b) for group in _grouped(rows, _place).values()]
    return _plot(panels, f"Differences of {b} from {a} on {len(rows):,} queries", title)


def curve(evaluated: Any, *, title: str | None = None) -> Plot:
    """Draw the means of measures by cutoff, on a logarithmic axis: one line per system, one panel per measure.

    - `evaluated`: the data frame that `evaluate` returns for a measure at two or more cutoffs, such as nDCG@1 and
      nDCG@10. Other measures are not drawn.
    - `title`: a line above the picture. Default: None.

    Returns a `Plot`: a notebook shows it, and `.save(path)` writes it. Raises InputError for another table.

    >>> runs = {"old": {"q": ["a", "b"], "r": ["c"]}, "new": {"q": ["b", "a"], "r": ["c"]}}
    >>> means = ltr_sql.evaluate(runs, ["nDCG@1", "nDCG@2"], qrels={"q": {"b": 1}, "r": {"c": 1}})
    >>> ltr_sql.plot.curve(means)
    Plot: nDCG by cutoff
    """
    rows = _rows(evaluated, "curve", "evaluate", ())
    if "query_id" in rows[0]:
        raise InputError("plot.curve draws the means that evaluate returns: leave out by_query=True")
    families: dict[str, dict[int, str]] = {}
    for column in rows[0]:
        with suppress(MeasureError):
            measure = parse_measure(column)
            cutoff = dict(measure.values).get("k")
            if isinstance(cutoff, int):
                values = tuple((name, None if name == "k" else value) for name, value in measure.values)
                families.setdefault(str(replace(measure, values=values)), {})[cutoff] = column
    families = {name: dict(sorted(columns.items())) for name, columns in families.items() if len(columns) > 1}
    if not families:
        raise InputError(
            "plot.curve draws what evaluate returns for a measure at two or more cutoffs, such as nDCG@1 and nDCG@10"
        )
    panels = [_curve(name, columns, rows) for name, columns in families.items()]
    return _plot(panels, f"{', '.join(families)} by cutoff", title)


def trend(found: Any, *, title: str | None = None) -> Plot:
    """Draw the means of periods with their intervals, one panel per measure and segment. Colours show the verdict.

    - `found`: the data frame that `trend` returns.
    - `title`: a line above the picture. Default: None.

    Returns a `Plot`: a notebook shows it, and `.save(path)` writes it. Raises InputError for another table.

    >>> runs = {"2026-W01": {"q": ["a", "b"], "r": ["c"]}, "2026-W02": {"q": ["b", "a"], "r": ["c"]}}
    >>> found = ltr_sql.trend(runs, ["RR"], qrels={"q": {"b": 1}, "r": {"c": 1}}, by="system")
    >>> ltr_sql.plot.trend(found)
    Plot: Means by system
    """
    rows = _rows(found, "trend", "trend", ("measure", "mean", "low", "high", "previous", "verdict"))
    if not (before := _before(rows[0], "measure")):
        raise InputError("plot.trend draws the data frame that trend returns, and this one has no column of periods")
    by = before[-1]
    panels = [_trend(group, by) for group in _grouped(rows, lambda row: _place(row, by)).values()]
    return _plot(panels, f"Means by {by}", title)


def weights(tuned: Any, *, title: str | None = None) -> Plot:
    """Draw the grid of `tune_fusion`: means with their intervals over the weight of a run, the chosen one in blue.

    - `tuned`: what `tune_fusion` returns.
    - `title`: a line above the picture. Default: None.

    Of two runs, the weight is that of the second one. Of more, each run has a panel, with the best mean of the grid at
    each of its weights. Each method, norm and k has panels of its own. Methods without weights are not drawn.

    The chosen mean is too good for other queries: `tuned.comparison` says what the weights are worth.

    Returns a `Plot`: a notebook shows it, and `.save(path)` writes it. Raises InputError for another object, and for a
    grid without weights.

    >>> bm25 = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(5)}
    >>> dense = {f"q{i}": {"b": 2.0, "a": 1.0} for i in range(5)}
    >>> tuned = ltr_sql.tune_fusion({"bm25": bm25, "dense": dense}, "RR", qrels={f"q{i}": {"b": 1} for i in range(5)})
    >>> ltr_sql.plot.weights(tuned)
    Plot: RR over the weights of a fusion
    """
    table = getattr(tuned, "table", None)
    if table is None:
        raise InputError(f"plot.weights draws what tune_fusion returns, got {type(tuned).__name__}")
    rows = _rows(table, "weights", "tune_fusion", ("method", "weights", "mean", "low", "high", "chosen"))
    rows = [{**row, "weights": dict(row["weights"])} for row in rows if row["weights"] is not None]
    rows = [row for row in rows if row["mean"] is not None and None not in row["weights"].values()]
    if not rows:
        raise InputError("plot.weights draws a grid of weights, and here no method takes weights")
    names = list(rows[0]["weights"])
    panels = [
        _grid(group, name, heading, tuned.measure)
        for heading, group in _grouped(rows, _method).items()
        for name in (names if len(names) > 2 else names[-1:])
    ]
    return _plot(panels, f"{tuned.measure} over the weights of a fusion", title)


@dataclass(frozen=True)
class _Panel:
    """A part of a picture, its heading, and the names of its colours. A legend without a class is text alone."""

    width: int
    height: int
    parts: Sequence[Markup]
    heading: str = ""
    legend: Sequence[tuple[str, str]] = ()

    @property
    def above(self) -> int:
        """The height of heading and legend."""
        return _HEADING * (bool(self.heading) + bool(self.legend))


def _rows(table: Any, kind: str, function: str, columns: Iterable[str]) -> list[dict[str, Any]]:
    """Return the rows of the result of a function. Raises InputError if a column is missing, or there is no row."""
    expected = f"plot.{kind} draws the data frame that {function} returns"
    if not is_frame(table):
        table, kind_of_table = as_arrow(table), type(table).__name__
        if table is None:
            raise InputError(f"{expected}, got {kind_of_table}")
    if hasattr(table, "iloc"):
        found = table.astype(object).where(table.notna(), None).to_dict("records")
    else:
        found = table.to_dicts() if hasattr(table, "to_dicts") else table.to_pylist()
    if not found:
        raise InputError(f"{expected}, and this one has no rows")
    absent = [column for column in columns if column not in found[0]]
    if absent:
        raise InputError(f"{expected}, and this one has no column {absent[0]}")
    return [{k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()} for row in found]


def _compared(table: Any, kind: str) -> list[dict[str, Any]]:
    """Return the rows of the result of `compare` with the label of their segment, and whether they are totals."""
    columns = ("measure", "system_a", "system_b", "difference", "low", "high", "verdict")
    rows = _rows(table, kind, "compare", columns)
    keys = [key for key in _before(rows[0], "measure") if key != "total"]
    for row in rows:
        row["whole"] = bool(keys) and row.get("total") == len(keys)
        row["segment"] = _segment(row, keys)
    return rows


def _before(row: _Row, column: str) -> list[str]:
    """Return the columns before a column: the keys."""
    names = list(row)
    return names[: names.index(column)] if column in names else []


def _place(row: _Row, but: str = "") -> tuple[Any, ...]:
    """Return the keys and the measure of a row. `but`: a column that is no key."""
    return tuple(row[key] for key in _before(row, "measure") if key != but), row["measure"]


def _grouped(rows: Iterable[_Row], place: Callable[[_Row], Hashable]) -> dict[Any, list[_Row]]:
    """Return the rows by their place, in the order of their first rows."""
    groups: dict[Any, list[_Row]] = {}
    for row in rows:
        groups.setdefault(place(row), []).append(row)
    return groups


def _text(value: Any) -> str:
    """Return a value of a key or a period. A time at midnight is its date, and a whole float is an integer."""
    if isinstance(value, datetime):
        return str(value).removesuffix(" 00:00:00")
    return f"{value:g}" if isinstance(value, float) else str(value)


def _short(name: Any) -> str:
    """Return the name of a system or a segment, shortened as the width of a picture asks for."""
    text = _text(name)
    return shown(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def _segment(row: _Row, keys: Sequence[str]) -> str:
    """Return the label of a segment: its value, or its keys with their values if there are several."""
    # The keys that a total is over are NULL.
    named = [key for key in keys if row[key] is not None or not row.get("total")]
    values = {key: None if row[key] is None else _short(row[key]) for key in named}
    return (len(keys) == 1 and values.get(keys[0])) or label_of(values) or ("all" if keys else "")


def _heading(row: _Row, but: str = "") -> str:
    """Return the measure of a row with its segment. `but`: a column that is no key."""
    keys = [key for key in _before(row, "measure") if key != but]
    return f"{row['measure']}, {_segment(row, keys)}" if keys else str(row["measure"])


def _width(text: str) -> int:
    """Return the width of a text in pixels, rather too large than too small."""
    wide = sum(c.isupper() or c in "@%\N{HORIZONTAL ELLIPSIS}" or unicodedata.east_asian_width(c) in "WF" for c in text)
    return round(7.4 * len(text) + 5 * wide)


def _drawn(text: str, x: float, y: float, kind: str = "", anchor: str = "start") -> Markup:
    form = Markup('<text x="{:.1f}" y="{:.1f}" class="{}" text-anchor="{}">{}</text>')
    return form.format(x, y, kind, anchor, text)


def _intervals(rows: Sequence[_Row], panel: Callable[[_Row], str], title: str | None) -> Plot:
    """Draw differences with their intervals. `panel` returns the heading of the panel of a row, a measure or ''."""
    pairs = {_pair(row) for row in rows}
    levels = {row["confidence"] for row in rows if row.get("confidence") is not None}
    interval = (
        f"{percent(levels.pop())} intervals" if len(levels) == 1 else "corrected intervals" if levels else "intervals"
    )
    panels = []
    for heading, group in _grouped(rows, panel).items():
        lines = []
        for row in group:
            name = [row["segment"]] if row["segment"] else []
            name += [] if heading and (name or len(pairs) > 1) else [row["measure"]]
            name += [_pair(row)] if len(pairs) > 1 else []
            ends = interval_of_difference(row, row["measure"], "")
            numbers = f"{signed(row['difference'])}{f' ({ends})' if ends else ''}"
            lines.append((row, (", ".join(name), numbers, row["verdict"] or "")))
        panels.append(("" if heading == lines[0][1][0] else heading, lines))
    widths = [max(_width(line[i]) for _, lines in panels for _, line in lines) for i in range(3)]
    cut = f"; {MARK} {CUT}" if any(MARK in line[1] for _, lines in panels for _, line in lines) else ""
    axis = f"difference{f', {min(pairs)}' if len(pairs) == 1 else ''}, with {interval}{cut}"
    drawn = [_interval_panel(heading, lines, widths, axis) for heading, lines in panels]
    names = ", ".join(dict.fromkeys(row["measure"] for row in rows))
    return _plot(drawn, f"Differences in {names}, with {interval}", title)


def _pair(row: _Row) -> str:
    return f"{_short(row['system_b'])} {_MINUS} {_short(row['system_a'])}"


def _interval_panel(
    heading: str, lines: Sequence[tuple[_Row, Sequence[str]]], widths: Sequence[int], axis: str
) -> _Panel:
    """Draw one panel of intervals: a row has its name, the interval, its numbers and the verdict."""
    start = widths[0] + 16
    beside = start + _AXIS + 16
    bounds = [cut_interval(row, bounds_of_difference(row["measure"])) for row, _ in lines]
    known = [row["difference"] for row, _ in lines if row["difference"] is not None]
    known += [end for ends in bounds if ends is not None for end in ends[:2]]
    ticks = ticks_of(min([*known, 0.0]), max([*known, 0.0]))
    height, bottom = _ROW * len(lines) + 46, _ROW * len(lines) + 4
    frame = Frame((start + _AXIS, height), (ticks[0], ticks[-1]), (0, 1), left=start, right=0)
    path = Markup('<path class="{}" d="M{:.1f} {:.1f}{}"/>')
    parts = [path.format("axis" if tick else "zero", frame.x(tick), 0, f"V{bottom}") for tick in ticks]
    parts += [_drawn(text_of(tick), frame.x(tick), bottom + 16, "quiet", "middle") for tick in ticks]
    parts.append(_drawn(axis, start + _AXIS / 2, bottom + 36, "quiet", "middle"))
    for number, ((row, (name, numbers, verdict)), ends) in enumerate(zip(lines, bounds, strict=True)):
        y, kind, weight = _ROW * (number + 0.5), _COLOURED.get(verdict, "even"), " bold" if row["whole"] else ""
        parts.append(_drawn(name, start - 16, y + 4, f"ink{weight}", "end"))
        if ends is not None:
            parts.append(path.format(f"whisker {kind}", frame.x(ends[0]), y, f"H{frame.x(ends[1]):.1f}"))
        if row["difference"] is not None:
            circle = Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="5"/>')
            parts.append(circle.format(kind, frame.x(row["difference"]), y))
        parts.append(_drawn(numbers, beside, y + 4, f"quiet{weight}"))
        parts.append(_drawn(verdict, beside + widths[1] + 16, y + 4, f"{kind} bold" if kind != "even" else "quiet"))
    return _Panel(beside + sum(widths[1:]) + 16, height, parts, heading)


def _bars(rows: Sequence[_Row], a: str, b: str) -> _Panel:
    """Draw the differences of two systems on one measure as sorted bars, and count the queries that each wins."""
    values, measure = sorted(row["difference"] for row in rows), rows[0]["measure"]
    sense = -1 if is_better_lower(measure) else 1
    _, parts = bars_of(values, _CHART, f"{b} {_MINUS} {a}", sense)
    largest = max(abs(row[name] or 0.0) for row in rows for name in "ab")
    least = _LAST_BITS * 10 ** math.ceil(math.log10(max(1.0, largest)))
    won, lost = (sum(value * sign >= least for value in values) for sign in (sense, -sense))
    more, less = ("better", "worse") if definition_of(measure) else ("higher", "lower")
    legend = [("", b), ("b", f"{more} on {won:,}"), ("a", f"{less} on {lost:,}")]
    legend += [("", f"equal on {len(values) - won - lost:,}")] if won + lost < len(values) else []
    return _Panel(*_CHART, parts, _heading(rows[0]), legend)


def _curve(name: str, columns: Mapping[int, str], rows: Sequence[_Row]) -> _Panel:
    """Draw the means of one measure by cutoff. The names of the systems are beside the ends of their lines."""
    keys = _before(rows[0], "queries")
    names = [_segment(row, keys) for row in rows]
    known = [row[column] for row in rows for column in columns.values() if row[column] is not None]
    xs, ys = [math.log(k) for k in columns], ticks_of(min([0.0, *known]), max([0.1, *known]))
    frame = Frame(_CHART, (xs[0], xs[-1]), ys, right=24 + max(map(_width, names)))
    labels = [(x, str(k)) for x, k in zip(xs, columns, strict=True)]
    parts, ends = [frame.axes(labels, "cutoff k", "mean")], []
    # A single system is drawn as B.
    for number, (row, label) in enumerate(zip(rows, names, strict=True), 1 if len(rows) == 1 else 0):
        points = [
            (frame.x(x), frame.y(row[c])) for x, c in zip(xs, columns.values(), strict=True) if row[c] is not None
        ]
        if points:
            colour, dash = _LINES[number % len(_LINES)], _DASHES[number % len(_DASHES)]
            path = Markup('<path class="line" style="stroke:{};stroke-dasharray:{}" d="M{}"/>')
            parts.append(path.format(colour, dash, "L".join(f"{x:.1f} {y:.1f}" for x, y in points)))
            ends.append((points[-1][1], label, colour))
    lowest = -math.inf
    for y, label, colour in sorted(ends):
        lowest = max(y, lowest + 16)
        text = Markup('<text x="{:.1f}" y="{:.1f}" style="fill:{}">{}</text>')
        parts.append(text.format(frame.x(xs[-1]) + 10, lowest + 4, colour, label))
    return _Panel(_CHART[0], max(_CHART[1], math.ceil(max(lowest, 0)) + 12), parts, name)


def _trend(rows: Sequence[_Row], by: str) -> _Panel:
    """Draw the means of one measure by period, with their intervals."""
    known = [row[name] for row in rows for name in ("mean", "low", "high") if row[name] is not None]
    ys = ticks_of(min(known, default=0.0), max(known, default=1.0))
    frame = Frame(_CHART, (-0.5, len(rows) - 0.5), ys)
    parts = [frame.axes([(i, _short(row[by])) for i, row in enumerate(rows)], by, "mean")]
    points = [(i, row, _COLOURED.get(row["verdict"], "even")) for i, row in enumerate(rows) if row["mean"] is not None]
    parts += _means(frame, points)
    words = [word for word in _COLOURED if any(row["verdict"] == word for row in rows)]
    legend = [(_COLOURED[word], word) for word in words]
    return _Panel(*_CHART, parts, _heading(rows[0], by), [*legend, ("", "than the period before")] if legend else [])


def _grid(rows: Sequence[_Row], name: str, heading: str, measure: str) -> _Panel:
    """Draw the best mean of a measure at each weight of a run."""
    sense = -1 if is_better_lower(measure) else 1
    groups = _grouped(sorted(rows, key=lambda row: row["weights"][name]), lambda row: row["weights"][name])
    best = [max(group, key=lambda row: (sense * row["mean"], row["chosen"])) for group in groups.values()]
    known = [row[end] for row in best for end in ("mean", "low", "high") if row[end] is not None]
    frame = Frame(_CHART, (-0.02, 1.02), ticks_of(min(known), max(known)))
    labels = [(x / 10, text_of(x / 10)) for x in range(11)]
    parts = [frame.axes(labels, f"weight of {_short(name)}", measure)]
    parts += _means(frame, [(row["weights"][name], row, "b" if row["chosen"] else "even") for row in best])
    chosen = [("b", "chosen; its mean is too good for other queries")] if any(row["chosen"] for row in best) else []
    return _Panel(*_CHART, parts, heading, chosen)


def _method(row: _Row) -> str:
    """Return the method of a fusion with its norm and k."""
    k = None if row.get("k") is None else f"k = {row['k']:g}"
    return ", ".join(part for part in (row["method"], row.get("norm"), k) if part)


def _means(frame: Frame, points: Sequence[tuple[float, _Row, str]]) -> Iterable[Markup]:
    """Draw means with their intervals, joined by a line: place, row and colour of each."""
    if points:
        line = "L".join(f"{frame.x(x):.1f} {frame.y(row['mean']):.1f}" for x, row, _ in points)
        yield Markup('<path class="line thin" d="M{}"/>').format(line)
    for at, row, kind in points:
        x = frame.x(at)
        if None not in (row["low"], row["high"]):
            whisker = Markup('<path class="whisker {}" d="M{:.1f} {:.1f}V{:.1f}"/>')
            yield whisker.format(kind, x, frame.y(row["low"]), frame.y(row["high"]))
        yield Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="5"/>').format(kind, x, frame.y(row["mean"]))


def _legend(entries: Sequence[tuple[str, str]], y: float) -> Iterable[Markup]:
    """Return the names of colours in a line."""
    x = 0
    for kind, text in entries:
        if kind:
            yield Markup('<rect class="{}" x="{}" y="{}" width="10" height="10"/>').format(kind, x, y - 10)
        yield _drawn(text, x + 16 * bool(kind), y, "quiet")
        x += _width(text) + 16 * bool(kind) + 12


@cache
def _style() -> str:
    """Return the style of pictures, with the light colours of reports."""
    text = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    of = dict(re.findall(r"--(\w+): light-dark\((#\w+),", text))
    rules = {
        "text": "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;font-size:13px;fill:" + of["quiet"],
        ".ink": "fill:" + of["ink"],
        ".bold": "font-weight:700",
        ".title": f"font-size:17px;font-weight:700;fill:{of['ink']}",
        ".axis": "stroke:" + of["grid"],
        ".zero": "stroke:" + of["quiet"],
        ".tick": "fill:none;stroke:" + of["even"],
        ".line": "fill:none;stroke-width:2.5;stroke-linejoin:round",
        ".thin": f"stroke-width:1.5;stroke:{of['even']}",
        ".whisker": "stroke-width:3;stroke-linecap:round",
        ".mark": "fill:none",
    }
    rules |= {f"{kind}.{name}": f"{what}:{of[name]}" for name in ("a", "b", "even") for kind, what in _PAINTED}
    return "".join(f".ltr-plot {name}{{{rule}}}" for name, rule in rules.items())


def _plot(panels: Sequence[_Panel], label: str, title: str | None) -> Plot:
    """Return panels, one below the other, as a picture."""
    top = _MARGIN + (34 if title else 0)
    parts = [_drawn(title, _MARGIN, _MARGIN + 16, "title")] if title else []
    for panel in panels:
        y = 14
        if panel.heading:
            parts.append(_drawn(panel.heading, _MARGIN, top + y, "ink bold"))
            y += _HEADING
        group = Markup('<g transform="translate({} {})">{}</g>')
        parts.append(group.format(_MARGIN, top, Markup("").join(_legend(panel.legend, y))))
        parts.append(group.format(_MARGIN, top + panel.above, Markup("").join(panel.parts)))
        top += panel.above + panel.height + _MARGIN
    width = max([*(panel.width for panel in panels), _width(title or "") * 1.4]) + 2 * _MARGIN
    form = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="ltr-plot" width="{0}" height="{1}" viewBox="0 0 {0} {1}" '
        'role="img" aria-label="{2}"><style>{3}</style><rect width="{0}" height="{1}" fill="#fff"/>{4}</svg>'
    )
    svg = form.format(math.ceil(width), top, label, Markup(_style()), Markup("").join(parts))
    return Plot(xml_text(str(svg)), label)


def _png(svg: str) -> bytes:
    """Return a picture as PNG. Raises InputError if the converter is missing."""
    try:
        import cairosvg  # noqa: PLC0415  (not a dependency)
    except (ImportError, OSError) as error:
        raise InputError(
            f"a picture as PNG needs the package cairosvg ({error}): install it, or save the picture as .svg"
        ) from None
    # The converter draws the marks that isolate a name as boxes.
    return bytes(cairosvg.svg2png(bytestring=re.sub("[\u2068\u2069]", "", svg).encode(), scale=2))
