"""A comparison as a LaTeX table for a paper."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ltr_sql.errors import InputError

# Marks of verdicts: the first two are used without a margin, the last three with one.
_MARKS = {
    "better": r"\dagger",
    "worse": r"\ddagger",
    "equivalent": r"\equiv",
    "not worse": r"\star",
    "worse by more than the margin": r"\ddagger",
}
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # At the start of a row, LaTeX would read [ or * as an argument of the \\ that ends the row before.
    "[": "{[}",
    "*": "{*}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


@dataclass(frozen=True)
class Layout:
    """How a LaTeX table is set.

    - `sort`: the measure whose best mean comes first. By default, the baseline comes first, then the given order.
    - `caption`: LaTeX text instead of the caption that explains the marks. `label`: name for references.
    - `longtable`: true for a table that may break across pages.
    """

    sort: str | None = None
    caption: str | None = None
    label: str | None = None
    longtable: bool = False


@dataclass(frozen=True)
class ComparisonTable:
    """What a table of compared systems shows.

    - `records`: rows of the result of `compare`. `queries_of_means`: the numbers of queries of both means, if they
      differ from that of the comparison.
    - `lower`: measures where lower is better.
    - `procedure`: names of the test and the correction.
    - `alpha`: level of the test.
    - `with_margin`: true if the verdicts depend on a margin.
    """

    records: Sequence[Mapping[str, Any]]
    measures: Sequence[str]
    systems: Sequence[str]
    baseline: str | None
    lower: Sequence[str]
    procedure: str
    alpha: float
    with_margin: bool


def latex(table: ComparisonTable, layout: Layout | None = None) -> str:
    """Return a LaTeX table of means. The best mean of each measure is bold, and marks show significant differences.

    Raises InputError for a measure to sort by that the table lacks.
    """
    layout = layout or Layout()
    means = _means(table)
    systems = _ordered(table, means, layout.sort)
    letters = {system: _letter(i) for i, system in enumerate(systems)}
    lines = []
    for system in systems:
        cells = [_cell(table, means, measure, system, letters) for measure in table.measures]
        name = _escaped(system) + ("" if table.baseline is not None else f" ({letters[system]})")
        lines.append(f"    {' & '.join([name, *cells])} \\\\")
    return _tabular(lines, table.measures, layout.caption or _caption(table), layout)


def _ordered(table: ComparisonTable, means: Mapping[tuple[str, str], float], sort: str | None) -> list[str]:
    """Return the systems in the order of the rows."""
    if sort is None:
        first = [] if table.baseline is None else [table.baseline]
        return [*first, *(system for system in table.systems if system not in first)]
    if sort not in table.measures:
        raise InputError(
            f"--sort names {sort}, which is not in the table: its measures are {', '.join(table.measures)}"
        )
    sign = 1 if sort in table.lower else -1
    return sorted(table.systems, key=lambda system: sign * means.get((sort, system), -sign * math.inf))


def latex_of_one(system: str, means: Mapping[str, float | None], queries: Sequence[int]) -> str:
    """Return a LaTeX table of the means of one system. `queries`: the number of queries of each mean."""
    cells = ["--" if mean is None else f"{mean:.4f}" for mean in means.values()]
    line = f"    {' & '.join([_escaped(system), *cells])} \\\\"
    caption = f"Means over {_range_of(queries)} quer{'y' if {*queries} == {1} else 'ies'}."
    return _tabular([line], list(means), caption, Layout())


def _tabular(lines: Sequence[str], measures: Sequence[str], caption: str, layout: Layout) -> str:
    header = " & ".join(["System", *map(_escaped, measures)])
    columns = f"{{l{'r' * len(measures)}}}"
    named = [f"  \\caption{{{caption}}}", *([f"  \\label{{{layout.label}}}"] if layout.label else [])]
    head = [r"    \toprule", f"    {header} \\\\", r"    \midrule"]
    if layout.longtable:
        # In longtable, caption and label end with a line break. The head is repeated on each page.
        start = [f"\\begin{{longtable}}{columns}", *named[:-1], f"{named[-1]} \\\\", *head, r"    \endhead"]
        end = [r"    \bottomrule", r"\end{longtable}"]
    else:
        start = [r"\begin{table}", r"  \centering", *named, f"  \\begin{{tabular}}{columns}", *head]
        end = [r"    \bottomrule", r"  \end{tabular}", r"\end{table}"]
    packages = "booktabs,longtable" if layout.longtable else "booktabs"
    return "\n".join([f"% Needs \\usepackage{{{packages}}}.", *start, *lines, *end, ""])


def _range_of(queries: Sequence[int]) -> str:
    """Return a number of queries, or the smallest and the largest one."""
    counts = sorted(set(queries))
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _means(table: ComparisonTable) -> dict[tuple[str, str], float]:
    """Return the mean of each measure and system. Raises InputError if a mean differs between pairs of systems."""
    found: dict[tuple[str, str], float] = {}
    for record in table.records:
        for side in "ab":
            key, mean = (record["measure"], record[f"system_{side}"]), record[f"mean_{side}"]
            if mean is not None and abs(found.setdefault(key, mean) - mean) > 1e-9:
                raise InputError(
                    f"the mean {key[0]} of {key[1]} depends on the other system, because they have different queries: "
                    "pass --missing zero, or another format"
                )
    return found


def _cell(
    table: ComparisonTable,
    means: Mapping[tuple[str, str], float],
    measure: str,
    system: str,
    letters: Mapping[str, str],
) -> str:
    if (measure, system) not in means:
        return "--"
    text = f"{means[measure, system]:.4f}"
    shown = [round(mean, 4) for (name, _), mean in means.items() if name == measure]
    if float(text) == (min(shown) if measure in table.lower else max(shown)):
        text = f"\\textbf{{{text}}}"
    marks = []
    for record in table.records:
        if record["measure"] != measure:
            continue
        verdict = record["verdict"]
        if table.baseline is not None:
            marks += [_MARKS[verdict]] if record["system_b"] == system and verdict in _MARKS else []
        elif (record["system_b"], verdict) == (system, "better"):
            marks.append(letters[record["system_a"]])
        elif (record["system_a"], verdict) == (system, "worse"):
            marks.append(letters[record["system_b"]])
    joined = "".join(marks) if table.baseline is not None else f"\\mathrm{{{''.join(sorted(marks))}}}"
    return f"{text}$^{{{joined}}}$" if marks else text


def _caption(table: ComparisonTable) -> str:
    queries = _range_of([n for record in table.records for n in record.get("queries_of_means", [record["queries"]])])
    common = _range_of([record["queries"] for record in table.records])
    tested = "" if common == queries else f", on {common} common queries"
    if table.baseline is None:
        marks = "Letters name the systems that are significantly worse"
    else:
        kinds = list(_MARKS)[2:] if table.with_margin else list(_MARKS)[:2]
        *most, last = (f"$^{{{_MARKS[kind]}}}$ {kind}" for kind in kinds)
        marks = f"Significance: {', '.join(most)} and {last}, compared with {_escaped(table.baseline)}"
    return (
        f"Means over {queries} queries; the best mean of each measure is bold. "
        f"{marks} ({_escaped(table.procedure)}{tested}; $p \\leq {table.alpha:g}$)."
    )


def _letter(i: int) -> str:
    return chr(ord("a") + i) if i < 26 else f"{_letter(i // 26 - 1)}{_letter(i % 26)}"


def _escaped(text: str) -> str:
    text = "".join(_ESCAPES.get(character, character) for character in text)
    # Keep -- from becoming a dash.
    return text.replace("--", "-{}-")
