"""Format a comparison as a LaTeX table for a paper, or as JUnit XML for CI."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from ltr_sql.comparison.gates import FAILED, PASSED, UNDECIDED, Outcome
from ltr_sql.errors import InputError

# Marks of verdicts: the first two are used without a margin, the last three with one.
_MARKS = {
    "better": r"\dagger",
    "worse": r"\ddagger",
    "equivalent": r"\equiv",
    "not worse": r"\star",
    "worse by more than the margin": r"\ddagger",
}
_LATEX = {
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
# Characters that XML 1.0 does not allow.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Report:
    """The contents of a report.

    - `records`: rows of the result of `compare`.
    - `lower`: measures where lower is better.
    - `procedure`: names of the test and the correction.
    - `alpha`: level of the test.
    - `with_margin`: true if the verdicts depend on a margin.
    - `outcomes`: outcomes of the gates.
    """

    records: Sequence[Mapping[str, Any]]
    measures: Sequence[str]
    systems: Sequence[str]
    baseline: str | None
    lower: Sequence[str]
    procedure: str
    alpha: float
    with_margin: bool
    outcomes: Sequence[Outcome]


def latex(report: Report) -> str:
    """Return a LaTeX table of means. The best mean of each measure is bold, and marks show significant differences."""
    means = _means(report)
    systems = list(report.systems)
    if report.baseline is not None:
        systems = [report.baseline, *(system for system in systems if system != report.baseline)]
    letters = {system: _letter(i) for i, system in enumerate(systems)}
    lines = []
    for system in systems:
        cells = [_cell(report, means, measure, system, letters) for measure in report.measures]
        name = _escaped(system) + ("" if report.baseline is not None else f" ({letters[system]})")
        lines.append(f"    {' & '.join([name, *cells])} \\\\")
    return _table(lines, report.measures, _caption(report))


def latex_of_one(system: str, means: Mapping[str, float | None], queries: Sequence[int]) -> str:
    """Return a LaTeX table of the means of one system. `queries`: the number of queries of each mean."""
    cells = ["--" if mean is None else f"{mean:.4f}" for mean in means.values()]
    line = f"    {' & '.join([_escaped(system), *cells])} \\\\"
    return _table([line], list(means), f"Means over {_counted(queries)} quer{'y' if {*queries} == {1} else 'ies'}.")


def _table(lines: Sequence[str], measures: Sequence[str], caption: str) -> str:
    header = " & ".join(["System", *map(_escaped, measures)])
    return "\n".join(
        [
            "% Needs \\usepackage{booktabs}.",
            r"\begin{table}",
            r"  \centering",
            f"  \\caption{{{caption}}}",
            f"  \\begin{{tabular}}{{l{'r' * len(measures)}}}",
            r"    \toprule",
            f"    {header} \\\\",
            r"    \midrule",
            *lines,
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _counted(queries: Sequence[int]) -> str:
    counts = sorted(set(queries))
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def junit(report: Report) -> str:
    """Return JUnit XML with one test case for each gate and system."""
    count = {decision: sum(o.decision == decision for o in report.outcomes) for decision in (FAILED, UNDECIDED)}
    numbers = {
        "tests": str(len(report.outcomes)),
        "failures": str(count[FAILED]),
        "errors": str(count[UNDECIDED]),
        "skipped": "0",
        "time": "0",
    }
    root = ElementTree.Element("testsuites", numbers)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "ltr-sql compare", **numbers})
    for outcome in report.outcomes:
        name = _xml(f"{outcome.gate.text}: {outcome.system_b} against {outcome.system_a}")
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": _xml(outcome.gate.measure), "name": name, "time": "0"}
        )
        if outcome.decision != PASSED:
            tag = "failure" if outcome.decision == FAILED else "error"
            kind = {"message": _xml(outcome.reason), "type": outcome.decision}
            ElementTree.SubElement(case, tag, kind).text = _xml(outcome.reason)
        else:
            ElementTree.SubElement(case, "system-out").text = _xml(outcome.reason)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _means(report: Report) -> dict[tuple[str, str], float]:
    """Return the mean of each measure and system. Raises InputError if a mean differs between pairs of systems."""
    found: dict[tuple[str, str], float] = {}
    for record in report.records:
        for side in "ab":
            key, mean = (record["measure"], record[f"system_{side}"]), record[f"mean_{side}"]
            if mean is not None and abs(found.setdefault(key, mean) - mean) > 1e-9:
                raise InputError(
                    f"the mean {key[0]} of {key[1]} depends on the other system, because they have different queries: "
                    "pass --missing zero, or another format"
                )
    return found


def _cell(
    report: Report, means: Mapping[tuple[str, str], float], measure: str, system: str, letters: Mapping[str, str]
) -> str:
    if (measure, system) not in means:
        return "--"
    text = f"{means[measure, system]:.4f}"
    shown = [round(mean, 4) for (name, _), mean in means.items() if name == measure]
    if float(text) == (min(shown) if measure in report.lower else max(shown)):
        text = f"\\textbf{{{text}}}"
    marks = []
    for record in report.records:
        if record["measure"] != measure:
            continue
        verdict = record["verdict"]
        if report.baseline is not None:
            marks += [_MARKS[verdict]] if record["system_b"] == system and verdict in _MARKS else []
        elif (record["system_b"], verdict) == (system, "better"):
            marks.append(letters[record["system_a"]])
        elif (record["system_a"], verdict) == (system, "worse"):
            marks.append(letters[record["system_b"]])
    joined = "".join(marks) if report.baseline is not None else f"\\mathrm{{{''.join(sorted(marks))}}}"
    return f"{text}$^{{{joined}}}$" if marks else text


def _caption(report: Report) -> str:
    queries = _counted([record["queries"] for record in report.records])
    if report.baseline is None:
        marks = "Letters name the systems that are significantly worse"
    else:
        kinds = list(_MARKS)[2:] if report.with_margin else list(_MARKS)[:2]
        *most, last = (f"$^{{{_MARKS[kind]}}}$ {kind}" for kind in kinds)
        marks = f"Significance: {', '.join(most)} and {last}, compared with {_escaped(report.baseline)}"
    return (
        f"Means over {queries} queries; the best mean of each measure is bold. "
        f"{marks} ({_escaped(report.procedure)}; $p \\leq {report.alpha:g}$)."
    )


def _letter(i: int) -> str:
    return chr(ord("a") + i) if i < 26 else f"{_letter(i // 26 - 1)}{_letter(i % 26)}"


def _escaped(text: str) -> str:
    text = "".join(_LATEX.get(character, character) for character in text)
    # Keep -- from becoming a dash.
    return text.replace("--", "-{}-")


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
