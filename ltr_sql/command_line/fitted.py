"""Tables that fit a terminal: headers and texts are wrapped, columns left out, or each row becomes a block of lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import TextWrapper
from typing import Any

import click

# Columns of texts are wrapped to `_READABLE` before columns are left out, and to `_NARROWEST` afterwards.
_READABLE, _NARROWEST = 16, 8
# The width between two columns, and what tabulate adds to the width of a header.
_GAP, _PADDING = 2, 2


@dataclass(frozen=True)
class Fitted:
    """A table that fits.

    - `names`: its headers, perhaps of several lines. `kept`: the places of its columns in the table that was given.
    - `widths`: the largest width of each column of texts, and None for a column of numbers.
    - `left_out`: the names of the columns that were left out.
    """

    names: list[str]
    kept: list[int]
    widths: list[int | None]
    left_out: list[str]


def fitted(
    names: Sequence[str], rows: Sequence[Sequence[Any]], columns: int, floats: str, spare: Sequence[str] = ()
) -> Fitted | None:
    """Fit a table to the number of columns of a terminal.

    `spare`: columns that may be left out, the first one first. Returns None if it does not fit with the narrowest
    columns.
    """
    values = list(zip(*rows, strict=True)) or [()] * len(names)
    texts = [any(isinstance(value, str) for value in column) for column in values]
    longest = [_longest(column, floats) for column in values]
    spare = [name for name in spare if name in names]
    for narrowest, number in [*((_READABLE, n) for n in range(len(spare) + 1)), (_NARROWEST, len(spare))]:
        kept = [i for i, name in enumerate(names) if name not in spare[:number]]
        heads = [names[i] if texts[i] else _folded(names[i], longest[i]) for i in kept]
        needed = [max([longest[i], *map(len, head.split("\n"))]) for i, head in zip(kept, heads, strict=True)]
        left = columns - _GAP * (len(kept) - 1) - sum(w for i, w in zip(kept, needed, strict=True) if not texts[i])
        of_texts = [w for i, w in zip(kept, needed, strict=True) if texts[i]]
        # The widest columns of texts get one width.
        widest = max(of_texts, default=0)
        tried = range(widest, min(widest, narrowest) - 1, -1)
        most = next((m for m in tried if sum(min(w, m) for w in of_texts) <= left), None)
        if most is not None:
            widths = [min(w, most) if texts[i] else None for i, w in zip(kept, needed, strict=True)]
            return Fitted(heads, kept, widths, list(spare[:number]))
    return None


def _folded(name: str, width: int) -> str:
    """Return the header of a column of numbers in lines that are as short as its words and numbers allow."""
    words = name.replace("_", "_ ").split(" ")
    width = max([width, *map(len, words)])
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] += word
    return "\n".join(lines)


def fits(names: Sequence[str], rows: Sequence[Sequence[Any]], columns: int, floats: str) -> bool:
    """Return whether a table fits as it is."""
    values = list(zip(*rows, strict=True)) or [()] * len(names)
    whole = sum(max(len(name) + _PADDING, _longest(column, floats)) for name, column in zip(names, values, strict=True))
    return whole + _GAP * (len(names) - 1) <= columns


def turned(names: Sequence[str], rows: Sequence[Sequence[Any]], columns: int, floats: str) -> str:
    """Return a table as one block for each row, with the names of the columns on the left."""
    longest = max(map(len, names), default=0)
    wrapper = TextWrapper(max(columns, longest + _GAP + 1), subsequent_indent=" " * (longest + _GAP))
    blocks = []
    for row in rows:
        lines = [f"{name:{longest + _GAP}}{_shown(value, floats)}" for name, value in zip(names, row, strict=True)]
        blocks.append("".join(f"{wrapper.fill(line.rstrip())}\n" for line in lines))
    return "\n".join(blocks)


def _longest(column: Sequence[Any], floats: str) -> int:
    return max((len(click.unstyle(_shown(value, floats))) for value in column), default=0)


def _shown(value: Any, floats: str) -> str:
    return "" if value is None else format(value, floats) if isinstance(value, float) else str(value)
