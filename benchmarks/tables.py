"""Tables of results."""

from dataclasses import dataclass, field

import tabulate

_HEADERS = ("contender", "seconds", "peak MB", "ratio", "bar", "")


@dataclass(frozen=True)
class Bar:
    """What a value must not exceed, or with `at_least` reach. It `counts` only at the size that it is set for."""

    value: float
    counts: bool
    at_least: bool = False
    unit: str = ""

    def __str__(self) -> str:
        return f"{'>=' if self.at_least else '<='} {self.value:g}{self.unit}"

    def verdict(self, value: float | None) -> str:
        """Whether a value meets the bar; one that could not be measured does not."""
        if not self.counts:
            return ""
        if value is None:
            return "FAIL"
        return "pass" if (value >= self.value if self.at_least else value <= self.value) else "FAIL"


@dataclass(frozen=True)
class Row:
    """A contender: seconds, MB, a ratio, the bar and whether it is met."""

    name: str
    seconds: float | None = None
    peak: float | None = None
    ratio: float | None = None
    bar: str = ""
    verdict: str = ""

    def cells(self) -> list[str]:
        """The texts of a line."""
        return [
            self.name,
            "" if self.seconds is None else f"{self.seconds:.3f}",
            "" if self.peak is None else f"{self.peak:,.0f}",
            "" if self.ratio is None else f"{self.ratio:.2f}",
            self.bar,
            self.verdict,
        ]


@dataclass
class Table:
    """Rows under a title that says what the ratio is to, and lines for below them."""

    title: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def text(self, style: str) -> str:
        """The table in one of tabulate's formats."""
        aligned = ("left", "right", "right", "right", "left", "left")
        lines = tabulate.tabulate(
            [row.cells() for row in self.rows], _HEADERS, tablefmt=style, colalign=aligned, disable_numparse=True
        )
        return "\n\n".join([self.title, *([lines] if self.rows else []), *self.notes])
