"""Tables of results."""

from dataclasses import dataclass, field
from itertools import compress

import tabulate

# Headers of the cells of a row, with their alignment. The column of cpu seconds is left out if no row has any.
_COLUMNS = {
    "contender": "left",
    "seconds": "right",
    "cpu s": "right",
    "peak MB": "right",
    "ratio": "right",
    "bar": "left",
    "": "left",
}


@dataclass(frozen=True)
class Bar:
    """The upper limit of a value, or with `at_least` the lower limit. It applies if `counts` is true."""

    value: float
    counts: bool
    at_least: bool = False
    unit: str = ""

    def __str__(self) -> str:
        return f"{'>=' if self.at_least else '<='} {self.value:g}{self.unit}"

    def verdict(self, value: float | None) -> str:
        """Return 'pass' or 'FAIL', or no text if the bar does not count. A missing value fails."""
        if not self.counts:
            return ""
        if value is None:
            return "FAIL"
        return "pass" if (value >= self.value if self.at_least else value <= self.value) else "FAIL"


@dataclass(frozen=True)
class Row:
    """The result of a contender: seconds, peak memory in MB, ratio, bar and verdict.

    `cpu` is the seconds of all processors together, shown if a table has any.
    """

    name: str
    seconds: float | None = None
    peak: float | None = None
    ratio: float | None = None
    bar: str = ""
    verdict: str = ""
    cpu: float | None = None

    def cells(self) -> list[str]:
        """Return the texts of the row."""
        return [
            self.name,
            "" if self.seconds is None else f"{self.seconds:.3f}",
            "" if self.cpu is None else f"{self.cpu:.3f}",
            "" if self.peak is None else f"{self.peak:,.0f}",
            "" if self.ratio is None else f"{self.ratio:.2f}",
            self.bar,
            self.verdict,
        ]


@dataclass
class Table:
    """Rows with a title, which names the divisor of the ratio, and notes below them."""

    title: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def text(self, style: str) -> str:
        """Format the table in one of tabulate's styles."""
        timed = any(row.cpu is not None for row in self.rows)
        shown = [timed or name != "cpu s" for name in _COLUMNS]
        cells = [list(compress(row.cells(), shown)) for row in self.rows]
        headers, aligned = (list(compress(texts, shown)) for texts in (_COLUMNS, _COLUMNS.values()))
        lines = tabulate.tabulate(cells, headers, tablefmt=style, colalign=aligned, disable_numparse=True)
        return "\n\n".join([self.title, *([lines] if self.rows else []), *self.notes])
