"""The output of `ltr-sql compare` for people: for each measure, the systems from the best to the worst."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from ltr_sql.catalogue.ranges import CUT, MARK, bounds_of_difference, cut
from ltr_sql.command_line.terminal import bold, coloured, width
from ltr_sql.rendering.comparisons import percent
from ltr_sql.rendering.renderer import TOTAL

Record = Mapping[str, Any]
# The shortest name of a system that a narrow terminal shows, and verdicts as seen from the other system.
_SHORTEST, _OPPOSITE = 8, {"better": "worse", "worse": "better"}


@dataclass(frozen=True)
class ByMeasure:
    """How the systems are shown.

    - `keys`: the grouping columns. `baseline`: the system that the others are compared with; by default the best one.
    - `lower`: the measures of which lower values are better.
    - `p`: the column of p; `level`: the coverage of the intervals.
    """

    keys: Sequence[str]
    baseline: str | None
    lower: Sequence[str]
    p: str
    level: float

    def text(self, records: Sequence[Record]) -> str | None:
        """Return a block of lines for each measure.

        It is None if a mean depends on the pair, as of other queries, and if a line is wider than the terminal.
        """
        groups: dict[tuple[str, ...], list[Record]] = {}
        for record in records:
            groups.setdefault((*(key_text(record, key) for key in self.keys), record["measure"]), []).append(record)
        blocks = [self._block(of_group) for of_group in groups.values()]
        if None in blocks:
            return None
        lines = [line for block in blocks if block for line in (*block.lines, "")]
        further = max((block.further for block in blocks if block), default=0)
        if further:
            lines.append(f"{further} more pair{'' if further == 1 else 's'} in each measure: --wide")
        columns = width()
        if columns is not None and max(len(click.unstyle(line)) for line in lines) > columns:
            return None
        text = "\n".join(lines).rstrip() + "\n"
        return f"{text}{MARK} {CUT}\n" if MARK in text else text

    def _block(self, records: Sequence[Record]) -> "_Block | None":
        means: dict[str, set[float | None]] = {}
        for record in records:
            for side in "ab":
                mean = record[f"mean_{side}"]
                # The order of a sum may change its last digits.
                means.setdefault(record[f"system_{side}"], set()).add(None if mean is None else round(mean, 12))
        if any(len(values) > 1 for values in means.values()):
            return None
        measure = records[0]["measure"]
        sign = 1 if measure in self.lower else -1
        order = sorted(means, key=lambda name: [(mean is None, sign * (mean or 0)) for mean in means[name]])
        reference = self.baseline if self.baseline in means else order[0]
        pairs = {name: record for record in records if (name := _other(record, reference))}
        rows = [(name, next(iter(means[name])), pairs.get(name)) for name in order]
        return _Block([self._header(records), *self._lines(rows, reference)], len(records) - len(pairs))

    def _header(self, records: Sequence[Record]) -> str:
        measure, keys = records[0]["measure"], [f"{key}={key_text(records[0], key)}" for key in self.keys]
        counts = sorted({record["queries"] for record in records})
        shown = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
        queries = f"{shown} quer{'y' if counts == [1] else 'ies'}"
        of_margin = ", p of 'not worse'" if self.p == "p_not_worse" else ""
        return f"{bold('  '.join([measure, *keys]))}  {queries}, {percent(self.level)} intervals{of_margin}"

    def _lines(self, rows: Sequence[tuple[str, float | None, Record | None]], reference: str) -> list[str]:
        cells = [_cells(record, reference, self.p) if record else ("", "", "") for _, _, record in rows]
        wide = [max(len(cell[i]) for cell in cells) for i in range(2)]
        verdicts = max(len(cell[2]) for cell in cells)
        columns = width()
        # Two blanks stand before each column, and a mean takes 6 columns or more.
        means = [number_text(mean) for _, mean, _ in rows]
        others = 10 + max(map(len, means)) + sum(wide) + verdicts
        most = None if columns is None else max(_SHORTEST, columns - others)
        names = [_shortened(name, most) for name, _, _ in rows]
        lines = []
        for (name, _, record), shown, mean, (difference, p, verdict) in zip(rows, names, means, cells, strict=True):
            start = f"  {shown:<{max(map(len, names))}}  {mean:>{max(map(len, means))}}"
            if record:
                start += f"  {difference:<{wide[0]}}  {p:<{wide[1]}}  {coloured(verdict)}"
            lines.append(f"{start}{'  baseline' if name == self.baseline else ''}".rstrip())
        return lines


@dataclass(frozen=True)
class _Block:
    """The lines of a measure, and the number of pairs that they do not show."""

    lines: Sequence[str]
    further: int


def _other(record: Record, reference: str) -> str | None:
    """Return the system that a record compares with the reference, or None."""
    a, b = record["system_a"], record["system_b"]
    name: str | None = b if a == reference else a if b == reference else None
    return name


def _cells(record: Record, reference: str, p: str) -> tuple[str, str, str]:
    """Return the difference with its interval, p and the verdict of a system that is compared with the reference."""
    verdict = record["verdict"]
    difference, ends = record["difference"], (record["low"], record["high"])
    if record["system_a"] != reference:
        difference = None if difference is None else -difference
        ends = (None, None) if None in ends else (-ends[1], -ends[0])
        verdict = _OPPOSITE.get(verdict, verdict)
    interval = ""
    if None not in ends:
        shown = cut(ends, bounds_of_difference(record["measure"]), difference)
        interval = f" [{', '.join(number_text(end, '+') for end in shown)}]{MARK if shown != ends else ''}"
    found = p_text(record[p])
    return f"{number_text(difference, '+')}{interval}", found and f"p {found}", verdict


def _shortened(name: str, most: int | None) -> str:
    """Return a name of at most a number of characters, without its middle if it is longer."""
    if most is None or len(name) <= most:
        return name
    return f"{name[: most - most // 2 - 1]}…{name[len(name) - most // 2 :]}"


def key_text(record: Record, key: str) -> str:
    """Return the value of a key, or what stands for it in a total over all its values."""
    if record[key] is None:
        return "(all)" if record.get(TOTAL) else "(none)"
    return str(record[key])


def number_text(value: float | None, sign: str = "") -> str:
    """Return a number with four decimals; '' for None. A value that rounds to 0 has no minus."""
    return "" if value is None else f"{round(value, 4) + 0.0:{sign}.4f}"


def p_text(value: float | None) -> str:
    """Return p with four decimals, or as an upper bound if these would be 0."""
    return "<0.0001" if value is not None and value < 0.0001 else number_text(value)
