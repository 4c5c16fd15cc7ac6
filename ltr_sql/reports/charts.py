"""Pictures of a report as static SVG, which show without a script: intervals of the verdict, bars and curves."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from ltr_sql.catalogue.ranges import bounds_of_difference
from ltr_sql.reports.evaluated import unpacked
from ltr_sql.reports.sentences import counted, cut_interval, shown, signed

# Width of the picture of an interval, in pixels.
WIDTH = 260
# Sizes of charts: those in a row of their own, and those beside another.
_WIDE, _HALF, _LOW, _HIGH = 1120, 540, 220, 280
_RIGHT, _TOP, _BOTTOM = 12, 8, 40
# Width of the title of a vertical axis with its distances, and of a character of a label.
_TITLED, _CHARACTER = 30, 6.8
# Largest number of bars. Of more queries, those at equal distances in the order of their differences are drawn.
_BARS = 400
# Largest difference of measures that share the axis of the verdict.
SHARED = 1.0


def ticks_of(low: float, high: float) -> list[float]:
    """Return two to six round numbers at equal distances. The first is at most `low`, and the last at least `high`."""
    # Nearly equal bounds, which differ by rounding errors, count as equal.
    spread = high - low if high - low > 1e-9 * max(1.0, abs(low), abs(high)) else abs(high) or 1.0
    least = spread / 4
    power = 10.0 ** math.floor(math.log10(least))
    step = next(step for step in (power, 2 * power, 5 * power, 10 * power) if step >= least * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{number * step:.12g}") for number in range(first, max(last, first + 1) + 1)]


def text_of(tick: float) -> str:
    """Return the text of a tick."""
    return f"{tick:.6g}".replace("-", "\N{MINUS SIGN}")


def place_of(value: float, ticks: Sequence[float], width: int = WIDTH, edge: int = 4) -> float:
    """Return the horizontal position of a value in the picture of an interval, within its frame."""
    share = (value - ticks[0]) / (ticks[-1] - ticks[0])
    return round(edge + (width - 2 * edge) * min(max(share, 0.0), 1.0), 1)


def marks_of(ticks: Sequence[float], *size: int) -> list[tuple[float, float]]:
    """Return the ticks with their horizontal positions. `size`: width and edge; see `place_of`."""
    return [(tick, place_of(tick, ticks, *size)) for tick in ticks]


def verdict_picture(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the verdict of each measure with the positions of its interval on a shared axis; None without a baseline.

    A measure whose differences may exceed 1 has no picture, because it would squeeze the others.
    """
    if not data["verdicts"]:
        return None
    rows = []
    for verdict in data["verdicts"]:
        bounds = bounds_of_difference(verdict["measure"])
        low, high, _ = cut_interval(verdict, bounds, "difference_") or (None, None, False)
        known = [x for x in (verdict["difference"], low, high) if x is not None] if bounds[1] <= SHARED else []
        rows.append({**verdict, "ends": known})
    known = [x for row in rows for x in row["ends"]]
    ticks = ticks_of(min([*known, 0.0]), max([*known, 0.0]))
    for row in rows:
        row["at"] = [place_of(x, ticks) for x in row["ends"]]
    return {"rows": rows, "ticks": marks_of(ticks)}


def differences_of(data: Mapping[str, Any]) -> list[float]:
    """Return the differences of the system of the verdict from the baseline on the first measure, sorted.

    Queries without a value in one of the systems are left out.
    """
    if not data["verdicts"] or not data["values"]:
        return []
    entry, systems = data["values"][0], data["systems"]
    if entry["measure"] != data["verdicts"][0]["measure"]:
        return []
    of = unpacked(entry)
    a, b = (of[systems.index(name)] for name in (data["baseline"], data["verdicts"][0]["system"]))
    return sorted(y - x for x, y in zip(a, b, strict=True) if x is not None and y is not None)


def bars_of(found: Sequence[float], size: tuple[int, int], title: str, better: int) -> tuple["Frame", list[Markup]]:
    """Return a chart of sorted differences as bars, and its parts. `better`: -1 if lower is better, otherwise 1."""
    drawn = found if len(found) <= _BARS else [found[int((i + 0.5) * len(found) / _BARS)] for i in range(_BARS)]
    frame = Frame(size, (0, len(drawn)), ticks_of(min(drawn[0], 0.0), max(drawn[-1], 0.0)))
    ends = [(0, "0"), (len(drawn), f"{len(found):,}")]
    return frame, [frame.axes(ends, "queries, by difference", title), *frame.bars(drawn, better)]


def bars(data: Mapping[str, Any]) -> Markup:
    """Return the differences of the queries as sorted bars; '' without any."""
    found = differences_of(data)
    if not found:
        return Markup("")
    better = -1 if data["measures"][0]["better"] == "lower" else 1
    frame, parts = bars_of(found, (_WIDE, _LOW), f"Δ {data['measures'][0]['name']}", better)
    label = f"Differences on {counted(len(found))}, from {signed(found[0])} to {signed(found[-1])}"
    return frame.svg(label, parts)


def curve(data: Mapping[str, Any], found: Mapping[str, Any]) -> Markup:
    """Return the means of the systems by cutoff, on a logarithmic axis, or by recall.

    The two systems of the verdict have bands of their intervals.
    """
    by_cutoff = found["by"] == "cutoff"
    name = found["measure"] if by_cutoff else "precision"
    xs = [math.log(x) if by_cutoff else x for x in found["x"]]
    known = [x for rows in (found["means"], found["high"]) for row in rows for x in row if x is not None]
    ys = ticks_of(0.0, max([0.1, *known]))
    frame = Frame((_HALF, _HIGH), (xs[0], xs[-1] if xs[-1] > xs[0] else xs[0] + 1), ys)
    labels = [(x, f"{value:g}") for x, value in zip(xs, found["x"], strict=True)]
    parts = [frame.axes(labels, "cutoff k" if by_cutoff else "recall", name)]
    of_verdict = data["verdicts"][0]["system"] if data["verdicts"] else data["systems"][0]
    for system, *of_system in zip(data["systems"], *(found[key] for key in ("means", "low", "high")), strict=True):
        kind = "b" if system == of_verdict else "a" if system == data["baseline"] else "other many"
        line, low, high = (
            [f"{frame.x(x):.1f} {frame.y(y):.1f}" for x, y in zip(xs, ys_of, strict=True) if y is not None]
            for ys_of in of_system
        )
        if low and kind in ("a", "b"):
            band = Markup('<path class="band {}" d="M{}Z"/>')
            parts.append(band.format(kind, "L".join([*low, *reversed(high)])))
        if line:
            path = Markup('<path class="mark line {}" d="M{}"><title>{}</title></path>')
            parts.append(path.format(kind, "L".join(line), system))
    return frame.svg(f"{found['measure']} by {found['by']}; the numbers are in the table below", parts)


def names_of_curves(data: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the kinds of lines and the names of the systems that the legend of curves and bars has."""
    if not data["verdicts"]:
        return [("b", shown(data["systems"][0]))]
    more = [("other many", "other systems")] if len(data["systems"]) > 2 else []
    return [("a", f"A: {shown(data['baseline'])}"), ("b", f"B: {shown(data['verdicts'][0]['system'])}"), *more]


def _apart(labels: Sequence[tuple[float, str]], place: Callable[[float], float]) -> list[tuple[float, str]]:
    """Return the labels of an axis that do not overlap. The last one is always kept."""
    *others, last = labels
    kept: list[tuple[float, str]] = []
    for x, text in others:
        near = [*kept[-1:], last]
        if all(abs(place(x) - place(other)) > 4 * (len(text) + len(name)) + 6 for other, name in near):
            kept.append((x, text))
    return [*kept, last]


class Frame:
    """A chart: its size, the ends of the horizontal axis, and the ticks of the vertical one.

    `left`: the room of the labels of the vertical axis.
    """

    def __init__(
        self,
        size: tuple[int, int],
        xs: tuple[float, float],
        ys: Sequence[float],
        *,
        left: int | None = None,
        right: int = _RIGHT,
    ) -> None:
        (self.width, self.height), self.xs, self.ys, self.right = size, xs, ys, right
        # The title of the vertical axis stands left of its labels.
        longest = max(len(text_of(y)) for y in ys)
        self.left = math.ceil(_TITLED + _CHARACTER * longest) if left is None else left

    def x(self, value: float) -> float:
        """Return the horizontal position of a value."""
        return self.left + (value - self.xs[0]) / (self.xs[1] - self.xs[0]) * (self.width - self.left - self.right)

    def y(self, value: float) -> float:
        """Return the vertical position of a value."""
        share = (value - self.ys[0]) / (self.ys[-1] - self.ys[0])
        return self.height - _BOTTOM - share * (self.height - _TOP - _BOTTOM)

    def axes(self, xs: Sequence[tuple[float, str]], x_title: str, y_title: str) -> Markup:
        """Return axes with ticks and titles. Labels that do not fit are left out."""
        end, bottom = self.width - self.right, self.height - _BOTTOM
        parts = [
            f'<path class="{"axis" if y else "zero"}" d="M{self.left} {self.y(y):.1f}H{end}"/>'
            f'<text x="{self.left - 8}" y="{self.y(y) + 4:.1f}" text-anchor="end">{text_of(y)}</text>'
            for y in self.ys
        ]
        parts.append(f'<path class="tick" d="M{self.left} {_TOP}V{bottom}H{end}"/>')
        parts += [
            f'<text x="{self.x(x):.1f}" y="{bottom + 18}" text-anchor="middle">{escape(text)}</text>'
            for x, text in _apart(xs, self.x)
        ]
        for title, place in (
            (x_title, f'x="{(self.left + end) / 2}" y="{self.height - 4}"'),
            (y_title, f'transform="translate(11 {bottom / 2}) rotate(-90)"'),
        ):
            parts.append(f'<text {place} text-anchor="middle">{escape(shown(title))}</text>')
        return Markup("".join(parts))

    def bars(self, drawn: Sequence[float], better: int) -> list[Markup]:
        """Return the bars of differences, first the losses. `better`: -1 if lower is better, otherwise 1."""
        width = max(1.0, (self.x(1) - self.x(0)) * 0.8)
        paths = []
        for kind, sign in (("a", -better), ("b", better)):
            path = "".join(
                f"M{self.x(i + 0.5):.1f} {self.y(0):.1f}V{self.y(d):.1f}" for i, d in enumerate(drawn) if d * sign > 0
            )
            paths.append(Markup('<path class="mark {}" stroke-width="{:.1f}" d="{}"/>').format(kind, width, path))
        return paths

    def svg(self, label: str, parts: Sequence[Markup]) -> Markup:
        """Return the chart."""
        head = Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}">').format(self.width, self.height, label)
        return head + Markup("").join(parts) + Markup("</svg>")
