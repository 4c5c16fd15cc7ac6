"""Output formats: a table of names and rows as text, fitted to the terminal."""

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import TextWrapper, fill
from typing import Any, TypeAlias, cast

import click
import tabulate

from ltr_sql.catalogue.ranges import CUT, MARK, Interval, bounds_of, bounds_of_difference, cut
from ltr_sql.command_line.terminal import bold, width
from ltr_sql.command_line.trec_eval_outputs import decimals, line
from ltr_sql.inputs.connection import records_of

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


Rows: TypeAlias = Iterable[Sequence[Any]]

# Output formats of all commands that print tables.
STYLES = ("table", "csv", "json", "markdown")
# Other spellings of formats.
ALIASES = {"md": "markdown"}
# Columns of names. Print them as text, even if they look like numbers.
_LABELS = ("system", "system_a", "system_b", "query_id", "measure")


class Cut(str):
    """A number of a column of ends of intervals, as text, with the mark if it was cut."""

    __slots__ = ()


def within_ranges(names: Sequence[str], rows: Rows, floats: str) -> list[list[Any]]:
    """Return rows whose intervals are cut at the range of their measure. Columns with a cut end are `Cut`."""
    cells = [[*row] for row in rows]
    places = {name: i for i, name in enumerate(names)}
    cut_in: dict[int, set[int]] = {}
    for row, values in enumerate(cells):
        for (low, high), bounds, known in _intervals(places, values):
            ends = values[low], values[high]
            if None in ends:
                continue
            shown = cut(ends, bounds, *(values[i] for i in known))
            for i, end, value in zip((low, high), shown, ends, strict=True):
                values[i] = end
                if end != value:
                    cut_in.setdefault(i, set()).add(row)
    for i, marked in cut_in.items():
        for row, values in enumerate(cells):
            if values[i] is not None:
                values[i] = Cut(f"{values[i]:{floats}}{MARK if row in marked else ''}")
    return cells


# The prefixes of columns of intervals of differences.
_DIFFERENCES = ("difference_", "uncorrected_", "bias_", "favour_")


def _intervals(
    places: Mapping[str, int], values: Sequence[Any]
) -> Iterable[tuple[tuple[int, int], Interval, Sequence[int]]]:
    """Yield the columns of each interval of a row, its bounds, and the columns of the values that it is about."""
    for name in places:
        if {f"{name}_low", f"{name}_high"} <= places.keys():
            yield (places[f"{name}_low"], places[f"{name}_high"]), bounds_of(name), [places[name]]
    measure = values[places["measure"]] if "measure" in places else None
    if not isinstance(measure, str):
        return
    means = [places[name] for name in ("mean", "mean_a", "mean_b") if name in places]
    if {"low", "high"} <= places.keys():
        bounds = bounds_of(measure) if "mean" in places else bounds_of_difference(measure)
        yield (places["low"], places["high"]), bounds, means
    for prefix in _DIFFERENCES:
        low, high = f"{prefix}low", f"{prefix}high"
        if {low, high} <= places.keys():
            yield (places[low], places[high]), bounds_of_difference(measure, prefix), means
    if {"relative_low", "relative_high"} <= places.keys() and bounds_of(measure)[0] >= 0:
        yield (places["relative_low"], places["relative_high"]), (-1.0, math.inf), []
    if "mde" in places:
        yield (places["mde"], places["mde"]), bounds_of_difference(measure), means


def table_text(
    names: Sequence[str], rows: Rows, style: str = "simple", floats: str = ".4f", spare: Sequence[str] = ()
) -> str:
    """Return rows as a table of fixed-width text, or in another style of tabulate.

    Intervals are cut at the range of their measure, as a mark and a line below say. At a terminal, headers and texts
    are wrapped so that the table fits. If it is still too wide, columns of `spare` are left out, the first one first,
    and a line names them. What is then too wide has a block of lines for each row.
    """
    cells = within_ranges(names, rows, floats)
    return f"{_fitted_text(names, cells, style, floats, spare)}{_note(cells, style)}"


def _note(cells: Iterable[Sequence[Any]], style: str = "simple") -> str:
    """Return the line that explains the mark of cut intervals, if there is one."""
    marked = any(isinstance(cell, str) and MARK in cell for row in cells for cell in row)
    return f"{chr(10) * (style == 'github')}{MARK} {CUT}\n" if marked else ""


def _fitted_text(names: Sequence[str], cells: list[list[Any]], style: str, floats: str, spare: Sequence[str]) -> str:
    columns = width() if style == "simple" else None
    if columns is None or fits(names, cells, columns, floats):
        return f"{_tabulated(names, names, cells, style, floats)}\n"
    fit = fitted(names, cells, columns, floats, spare)
    if fit is None:
        return turned(names, cells, columns, floats)
    kept = [[row[i] for i in fit.kept] for row in cells]
    tabulate.MIN_PADDING, padding = 0, tabulate.MIN_PADDING
    try:
        table = _tabulated([names[i] for i in fit.kept], fit.names, kept, style, floats, widths=fit.widths)
    finally:
        tabulate.MIN_PADDING = padding
    if not fit.left_out:
        return f"{table}\n"
    note = f"Left out: {', '.join(fit.left_out)}. --wide prints all columns."
    return f"{table}\n{fill(note, columns)}\n"


def _tabulated(
    names: Sequence[str],
    heads: Sequence[str],
    cells: Sequence[Sequence[Any]],
    style: str,
    floats: str,
    *,
    widths: Sequence[int | None] | None = None,
) -> str:
    # Texts stay as they are, even if they look like numbers: the ids 1.1 and 1.10 differ.
    texts = (i for i, name in enumerate(names) if name in _LABELS or any(isinstance(row[i], str) for row in cells))
    # Without rows, tabulate has no columns whose texts could stay.
    labels = [*texts] if cells else []
    cut = ["right" if any(isinstance(row[i], Cut) for row in cells) else "global" for i in range(len(names))]
    return tabulate.tabulate(
        cells,
        heads,
        tablefmt=style,
        floatfmt=floats,
        disable_numparse=labels,
        colalign=cut if cells else None,
        # Their annotations lack None for single columns.
        maxcolwidths=cast("Any", widths),
        maxheadercolwidths=cast("Any", widths),
    )


def table_with_best(
    names: Sequence[str], rows: Rows, columns: Sequence[str], best: Callable[[Mapping[str, Any], str], float]
) -> str:
    """Return rows as a table for a terminal, with the best values marked by * and in bold.

    - `columns`: columns of values.
    - `best`: returns the best value for a cell, given its row by names and its column.
    """
    rows = within_ranges(names, rows, ".4f")
    records = records_of(names, rows)
    numeric = [all(isinstance(r[name], int | float | Cut | None) for r in records) for name in names]
    shown = [[_cell(r[n], best(r, n) if n in columns and r[n] is not None else None) for n in names] for r in records]
    alignment = ["right" if number else "left" for number in numeric]
    return f"{tabulate.tabulate(shown, names, disable_numparse=True, colalign=alignment)}\n* best\n{_note(shown)}"


def _cell(value: Any, best: float | None) -> Any:
    text = f"{value:.4f}" if isinstance(value, float) else value
    return text if best is None or text != f"{best:.4f}" else bold(f"*{text}")


def of_columns(
    names: Sequence[str], rows: Sequence[Sequence[Any]], kept: Sequence[str]
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the names and rows of some of the columns, in their order in the table."""
    places = [i for i, name in enumerate(names) if name in kept]
    return [names[i] for i in places], [tuple(row[i] for i in places) for row in rows]


def _csv(names: Sequence[str], rows: Rows) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue()


def json_text(value: Any) -> str:
    """Return a value as JSON."""
    # Keys of rows may be dates.
    return f"{json.dumps(value, indent=2, default=str)}\n"


def _json(names: Sequence[str], rows: Rows) -> str:
    return json_text(records_of(names, rows))


def _trec(names: Sequence[str], rows: Rows) -> str:
    labels = [name for name in names if name in ("system", "query_id", "queries")]
    lines = []
    for values in records_of(names, rows):
        system = f"{values['system']}\t" if "system" in labels else ""
        topic = values.get("query_id", "all")
        for name in names:
            if name not in labels and values[name] is not None:
                lines.append(f"{system}{line(name, topic, decimals(values[name]))}\n")
    return "".join(lines)


FORMATS: Mapping[str, Callable[[Sequence[str], Rows], str]] = {
    "table": table_text,
    "csv": _csv,
    "json": _json,
    "markdown": partial(table_text, style="github"),
    "trec": _trec,
}
