"""Gates: conditions that a comparison must meet, their decisions, and JUnit's report of them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from xml.etree import ElementTree

from ltr_sql.catalogue.measure_strings import LONGEST
from ltr_sql.catalogue.options import FORM, GRAMMAR, NEEDS_MARGIN, WHOLE_SHARE
from ltr_sql.catalogue.ranges import MARK, bounds_of_difference, cut, largest_difference
from ltr_sql.errors import InputError
from ltr_sql.inputs.session import Session
from ltr_sql.outputs import xml_text
from ltr_sql.rendering.comparisons import (
    POWER,
    SEQUENTIAL,
    Choices,
    ComparedValues,
    comparison_choices,
    comparison_query,
    gates_query,
    percent,
    wins_query,
)
from ltr_sql.rendering.dialects import string
from ltr_sql.rendering.templates import sql_value
from ltr_sql.stages import stage

HELD, FAILED, UNDECIDED = "held", "failed", "not decided"
# What people read of a decision: a gate that held may be called 'nDCG@10 significantly worse'.
SAID = {HELD: "✓ gate held", FAILED: "✗ gate failed", UNDECIDED: "? gate not decided"}
# How many queries the message of a gate names.
_SHOWN_QUERIES = 5

_GATE = re.compile(GRAMMAR, re.IGNORECASE)


@dataclass(frozen=True)
class Gate:
    """A condition that makes a build fail if it holds, such as 'nDCG@10 significantly worse'.

    - `word`: 'plainly' (by the means), 'significantly' (a test shows it), or 'possibly' (no test excludes it).
    - `direction`: 'worse' or 'different'.
    - `margin`: a difference that does not matter.
    - `relative`: true if the margin is a share of the mean of the baseline.
    """

    text: str
    measure: str
    word: str
    direction: str
    margin: float
    relative: bool


@dataclass(frozen=True)
class Outcome:
    """The decision of a gate for one system: 'held', 'failed' or 'not decided', with the reason.

    - `p`: the uncorrected p of its test, or None without a test.
    - `difference`: the mean of system_b minus that of system_a, over `queries` queries.
    """

    gate: Gate
    system_a: str
    system_b: str
    decision: str
    reason: str
    p: float | None
    difference: float | None = None
    queries: int | None = None


def parse_gate(text: str) -> Gate:
    """Parse a gate. Raises InputError for invalid syntax, a share of 100% or more, and a gate that can never pass."""
    text = text.strip()
    if len(text) > LONGEST:
        raise InputError(f"a gate has at most {LONGEST:,} characters, got {len(text):,}: {text[:50]!r}...")
    match = _GATE.fullmatch(text)
    if match is None:
        raise InputError(f"the gate {text!r} cannot be read: {FORM}")
    relative = match["percent"] is not None
    margin = float(match["number"] or 0) / (100 if relative else 1)
    gate = Gate(
        text=" ".join(text.split()),
        measure=match["measure"],
        word=(match["word"] or "plainly").lower(),
        direction=match["direction"].lower(),
        margin=margin,
        relative=relative and margin > 0,
    )
    if relative and margin >= 1:
        raise InputError(f"the gate {text!r} {WHOLE_SHARE}")
    if (gate.word, gate.direction, gate.margin) == ("possibly", "different", 0):
        raise InputError(f"the gate {text!r} {NEEDS_MARGIN}")
    return gate


def decide(
    state: Session,
    gates: Sequence[Gate],
    values: ComparedValues,
    measures: Sequence[str],
    *,
    lacking: Mapping[tuple[str, str, str], str],
    alpha: float,
    options: Mapping[str, Any] | None = None,
) -> list[Outcome]:
    """Decide each gate for each system that is compared with the baseline.

    - `values`: table of values, with its baseline.
    - `measures`: names of the measures.
    - `lacking`: maps (system_a, system_b, measure) to the reason why their queries cannot be compared.
    - `alpha`: level of the tests. 'significantly' gates are corrected together, by Holm. 'possibly' gates need no
      correction, because all of them must pass.
    - `options`: options of `compare` about what is compared: planned, across, generalize and paired. With `planned`,
      the tests are sequential.
    """
    others = options or {}
    planned = others.get("planned")
    gates = [replace(gate, measure=measure_of(gate, measures)) for gate in gates]
    _refuse_beyond_range(gates)
    test = "t" if planned is None else SEQUENTIAL
    chosen = comparison_choices(**{**others, "test": test}).having(
        level=sql_value(alpha), interval_level=sql_value(2 * alpha)
    )
    relations: dict[tuple[str, float, bool], str] = {}
    for margins in _rounds(gates):
        stage("gates")
        found = state.load(f"(\n{comparison_query(values, _with_margins(chosen, margins), 'gated')}\n)")
        relations |= {(name, *margin): found.sql for name, margin in margins.items()}
    listed = [{**vars(gate), "comparisons": relations[gate.measure, gate.margin, gate.relative]} for gate in gates]
    outcomes = []
    changes: dict[tuple[str, str], str] = {}
    query = gates_query(listed, chosen.fragments["level"], sequential=planned is not None)
    for found_row in state.records(query):
        gate = gates[found_row["gate"]]
        pair = (found_row["system_a"], found_row["system_b"])
        reason = lacking.get((*pair, gate.measure)) or found_row["undecided"]
        decision = UNDECIDED if reason else FAILED if found_row["failed"] else HELD
        if decision != UNDECIDED:
            reason = _reason(gate, found_row, alpha)
        if decision == FAILED:
            if pair not in changes:
                changes[pair] = state.load(f"(\n{wins_query(values, *pair)}\n)").sql
            reason += _advice(gate, found_row)
            if others.get("paired", True):
                reason += _largest(state, changes[pair], gate, found_row)
        numbers = {name: found_row[name] for name in ("p", "difference", "queries")}
        outcomes.append(Outcome(gate, *pair, decision, reason, **numbers))
    return outcomes


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return how many gates held, or failed and were not decided, of all of them."""
    count = Counter(outcome.decision for outcome in outcomes)
    gates = f"{len(outcomes)} gate{'' if len(outcomes) == 1 else 's'}"
    if not count[FAILED] and not count[UNDECIDED]:
        return f"{gates} held"
    return ", ".join(f"{count[name]} of {gates} {name}" for name in (FAILED, UNDECIDED) if count[name])


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """Return 2 if a gate could not be decided, otherwise 1 if one failed, and 0 if all held."""
    decisions = {outcome.decision for outcome in outcomes}
    return 2 if UNDECIDED in decisions else 1 if FAILED in decisions else 0


def measure_of(gate: Gate, measures: Sequence[str]) -> str:
    """Return the computed measure that a gate names."""
    found = [name for name in measures if name == gate.measure] or [
        name for name in measures if name.lower() == gate.measure.lower()
    ]
    if not found:
        raise InputError(
            f"the gate {gate.text!r} names the measure {gate.measure!r}, which was not computed: "
            f"the measures are {', '.join(measures)}. {FORM[0].upper()}{FORM[1:]}"
        )
    return found[0]


def _refuse_beyond_range(gates: Sequence[Gate]) -> None:
    """Raise InputError for a margin that no difference of the measure can exceed: the gate would always pass."""
    for gate in gates:
        most = None if gate.relative else largest_difference(gate.measure)
        if most is not None and gate.margin >= most:
            raise InputError(
                f"the gate {gate.text!r} can never fail: two values of {gate.measure} differ by at most {most:g}. "
                "Write a smaller margin, or a share such as 'by > 1%'"
            )


def _rounds(gates: Sequence[Gate]) -> Iterator[dict[str, tuple[float, bool]]]:
    """Group the margins of the gates into rounds, with at most one margin per measure in each round.

    Each round maps a measure to its margin. Together, the rounds hold all margins.
    """
    left = list(dict.fromkeys((gate.measure, (gate.margin, gate.relative)) for gate in gates))
    while left:
        margins: dict[str, tuple[float, bool]] = {}
        for name, margin in left:
            margins.setdefault(name, margin)
        left = [(name, margin) for name, margin in left if margins[name] != margin]
        yield margins


def _with_margins(choices: Choices, margins: Mapping[str, tuple[float, bool]]) -> Choices:
    """Return the options with SQL expressions that select the margin of each measure, given the groups `g`."""

    def by_measure(relative: bool) -> str:
        cases = [
            f" when {string(name)} then {sql_value(float(margin))}"
            for name, (margin, is_relative) in margins.items()
            if is_relative == relative and margin
        ]
        return f"case g.measure{''.join(cases)} else 0e0 end" if cases else "0e0"

    return choices.having(margin=by_measure(False), relative_margin=by_measure(True), has_margin="true")


def _reason(gate: Gate, row: Mapping[str, Any], alpha: float) -> str:
    interval = ""
    if row["low"] is not None and gate.word != "plainly":
        ends = row["low"], row["high"]
        shown = cut(ends, bounds_of_difference(gate.measure), row["difference"])
        interval = f" [{shown[0]:+.4f}, {shown[1]:+.4f}]{MARK if shown != ends else ''}"
    text = (
        f"{row['system_b']} {row['mean_b']:.4f}, {row['system_a']} {row['mean_a']:.4f}, "
        f"difference {row['difference']:+.4f}{interval}, {row['queries']} queries"
    )
    if gate.relative and row["near_zero"]:
        text += f"; the mean of {row['system_a']} is near 0, so a share of it is hardly a margin: write a number"
    if row["equal"]:
        return f"{text}; equal on every query"
    if gate.word == "plainly":
        return text
    corrected = f" (Holm over {row['tests']} gates)" if row["tests"] > 1 else ""
    sides = "two-sided" if (gate.word, gate.direction) == ("significantly", "different") else "one-sided"
    found = row["p"] if row["p_adjusted"] is None else row["p_adjusted"]
    p = f"{found:.4f}" if found >= 0.0001 else "below 0.0001"
    limit = "at most" if found <= alpha else "above"
    return f"{text}; interval {percent(row['confidence'])}, {sides} p {p}{corrected} is {limit} {alpha:g}"


def _advice(gate: Gate, row: Mapping[str, Any]) -> str:
    """Return a hint: the number of queries that would show that an equal system is within the margin."""
    if gate.word != "possibly":
        return ""
    if row["margin"] == 0:
        return (
            "; without a margin, a system passes only if it is significantly better, or equal on every query: add a "
            "margin, as in 'by > 1%'"
        )
    if row["queries_needed"] is None:
        return ""
    needed = f"{row['queries_needed']:,} queries show with power {POWER} that it is within the margin"
    return f"; if the true difference is 0, {needed}"


def _largest(state: Session, changes: str, gate: Gate, row: Mapping[str, Any]) -> str:
    """Return the queries with the largest losses, or with the largest changes for 'different'.

    `changes`: the common queries of two systems, with their differences.
    """
    order = f"{row['sense']} * w.difference" if gate.direction == "worse" else "-abs(w.difference)"
    query = f"""
        select cast(w.query_id as varchar), w.difference
        from {changes} as w
        where w.measure = {string(gate.measure)} and {order} < -1e-12
        order by round({order}, 12) asc, cast(w.query_id as varchar) asc
        limit {_SHOWN_QUERIES}
    """
    shown = [f"{query_id} {difference:+.4f}" for query_id, difference in state.rows(query)]
    return f"; largest {'losses' if gate.direction == 'worse' else 'changes'}: {', '.join(shown)}" if shown else ""


def junit(outcomes: Sequence[Outcome]) -> str:
    """Return JUnit XML with one test case for each gate and system."""
    count = {decision: sum(o.decision == decision for o in outcomes) for decision in (FAILED, UNDECIDED)}
    numbers = {
        "tests": str(len(outcomes)),
        "failures": str(count[FAILED]),
        "errors": str(count[UNDECIDED]),
        "skipped": "0",
        "time": "0",
    }
    root = ElementTree.Element("testsuites", numbers)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "ltr-sql compare", **numbers})
    for outcome in outcomes:
        name = xml_text(f"gate '{outcome.gate.text}': {outcome.system_b} against {outcome.system_a}")
        said = xml_text(f"{SAID[outcome.decision]}: {outcome.reason}")
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": xml_text(outcome.gate.measure), "name": name, "time": "0"}
        )
        if outcome.decision != HELD:
            tag = "failure" if outcome.decision == FAILED else "error"
            ElementTree.SubElement(case, tag, {"message": said, "type": outcome.decision}).text = said
        else:
            ElementTree.SubElement(case, "system-out").text = said
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
