"""The output of `ltr-sql compare`: its formats, each measure for people, and the line about the design."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import click

from ltr_sql.catalogue.functions import procedures
from ltr_sql.catalogue.ranges import CUT, MARK, bounds_of_difference, cut, largest_difference, possible_differences
from ltr_sql.command_line.compared_files import FoundDifferences
from ltr_sql.command_line.failures import in_words_of_command
from ltr_sql.command_line.formats import FORMATS, json_text
from ltr_sql.command_line.terminal import bold, coloured, width
from ltr_sql.comparison.gates import SAID, Outcome, junit, summary
from ltr_sql.comparison.latex import ComparisonTable, Layout, latex
from ltr_sql.comparison.values import fragments_of
from ltr_sql.evaluation.values import QueryValues
from ltr_sql.inputs.connection import records_of
from ltr_sql.inputs.session import Session
from ltr_sql.rendering.comparisons import POWER, percent, title_of_test, wins_query
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.renderer import TOTAL

Record = Mapping[str, Any]
# The shortest name of a system that a narrow terminal shows, and verdicts as seen from the other system.
_SHORTEST, _OPPOSITE = 8, {"better": "worse", "worse": "better"}
# Output formats besides those of all commands.
FURTHER_STYLES = ("latex", "junit")
_SHOWN_QUERY = ("measure", "system_a", "system_b", "query_id", "a", "b", "difference")


@dataclass(frozen=True)
class Shown:
    """What is printed: the output format, the number of queries for each pair or None.

    `wide` is true if all columns are printed. `layout` is that of LaTeX.
    """

    style: str
    number: int | None
    wide: bool
    layout: Layout


def text_of(state: Session, found: FoundDifferences, shown: Shown, outcomes: Sequence[Outcome]) -> str:
    """Return the output. `outcomes` are those of the gates."""
    if shown.style == "json" and outcomes:
        return json_text(
            {"comparisons": records_of(*found.shown), "gates": [_decision(outcome) for outcome in outcomes]}
        )
    if shown.style in ("csv", "json"):
        return FORMATS[shown.style](*found.shown)
    if shown.style == "junit":
        return junit(outcomes)
    if shown.style == "latex":
        table = ComparisonTable(
            records=found.records,
            measures=found.measures,
            systems=found.read.systems,
            baseline=found.read.baseline,
            lower=found.lower,
            procedure=_procedure(found.options),
            alpha=found.level,
            with_margin=found.with_margin,
        )
        return latex(table, shown.layout)
    return _tables(state, found, shown, outcomes)


def _decision(outcome: Outcome) -> dict[str, Any]:
    """Return the outcome of a gate as an object of JSON."""
    return {
        "condition": outcome.gate.text,
        "system_a": outcome.system_a,
        "system_b": outcome.system_b,
        "decision": outcome.decision,
        "difference": outcome.difference,
        "queries": outcome.queries,
        "p": outcome.p,
        "reason": in_words_of_command(outcome.reason),
    }


def design(found: FoundDifferences) -> list[str]:
    """Return the design as two lines: number of queries and detectable differences, and test and correction."""
    records = found.records
    counts = sorted({record["queries"] for record in records})
    text = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    judged = _judged(records) if found.options["human"] is not None else ""
    seen = {measure: [r["mde"] for r in records if r["measure"] == measure and r["mde"]] for measure in found.measures}
    ranges = {measure: _possible_range(measure, mdes) for measure, mdes in seen.items() if mdes}
    listed = [f"{text} ({measure})" for measure, text in ranges.items() if text]
    depends = ", depending on the pair," if any(text.count(" ") for text in ranges.values()) else ""
    often = "{0.numerator} times out of {0.denominator}".format(Fraction(POWER).limit_denominator(10))
    limits = [f"a true difference of {_or(listed)}{depends} is found {often}, a smaller one less often"] * bool(listed)
    if beyond := [measure for measure, text in ranges.items() if not text]:
        limits.append(f"too few to find any possible difference of {_or(beyond)} {'so often' if listed else often}")
    if not ranges:
        limits = ["no smallest difference can be named, because the differences do not vary or there is no test"]
    corrected = "; low and high are corrected, too" if any(r["low"] != r["uncorrected_low"] for r in records) else ""
    return [
        f"{text} quer{'y' if counts == [1] else 'ies'}{_grouped(records)}{judged}: {'; '.join(limits)}",
        f"{_procedure(found.options)}{corrected}",
    ]


def _or(texts: Sequence[str]) -> str:
    return " or ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _grouped(records: Sequence[Record]) -> str:
    """Return the smallest number of clusters or datasets, such as ' in 260 clusters'; '' without them."""
    for name in ("clusters", "datasets"):
        numbers = [record[name] for record in records if record.get(name) is not None]
        if numbers:
            return f" in {min(numbers):,} {name}"
    return ""


def _judged(records: Sequence[Record]) -> str:
    """Return the number of queries that people judged, what they are worth, and the system that the judge favours."""
    fewest = min(records, key=lambda record: (record["judged"], record["worth"] or 0))
    worth = "" if fewest["worth"] is None else f" (worth {fewest['worth']:.0f})"
    favoured = [record for record in records if record["favour_low"] is not None]
    if not favoured:
        return f", {fewest['judged']} judged by people{worth}"
    most = max(favoured, key=lambda record: abs(record["favour"]))
    names = [most["system_b"], most["system_a"]]
    ends = [most["favour_low"], most["favour_high"]]
    if most["favour"] < 0:
        names, ends = names[::-1], [-end for end in ends[::-1]]
    low, high = cut((ends[0], ends[1]), bounds_of_difference(most["measure"], "favour_"))
    return (
        f", {fewest['judged']} judged by people{worth}; the judge favours {names[0]} over {names[1]} by "
        f"{abs(most['favour']):.2f} [{low:.2f}, {high:.2f}]{MARK if [low, high] != ends else ''} ({most['measure']})"
    )


def _possible_range(measure: str, mdes: Sequence[float]) -> str:
    """Return the range of differences that can be found within the range of the measure; '' if there is none."""
    possible = possible_differences(measure, mdes)
    if len(possible) in (0, len(mdes)):
        return _range_of(possible) if possible else ""
    return f"{_two_digits(min(possible))} to more than {largest_difference(measure):g}"


def _range_of(numbers: Sequence[float]) -> str:
    """Return the smallest and the largest number with two digits, or one number if they are equal."""
    return " to ".join(dict.fromkeys(f"{_two_digits(end(numbers))}" for end in (min, max)))


def _two_digits(number: float) -> str:
    """Return a number above 0 with two digits or more, without an exponent unless it is below 0.0001."""
    return f"{number:.2g}" if number < 10 else f"{number:,.0f}"


def _procedure(options: Mapping[str, Any]) -> str:
    """Return the names of the test and the correction as text. `options`: those of `compare`."""
    test, correction = title_of_test(options), procedures("adjust")[options["adjust"]].title
    planned = options["planned"]
    if options["margin"] is not None:
        kind = "t" if planned is None else "sequential"
        test = f"One-sided {kind} tests against the margin {options['margin']}"
        return f"{test}; interval {2 * options['confidence'] - 1:.0%}"
    test += " with weights of queries" if options["weights"] is not None else ""
    test += f", narrowest at {planned:,} queries" if planned is not None else ""
    if options["adjust"] == "none":
        return f"{test}; no correction"
    family = "over all measures" if options["family"] == "all" else "within each measure"
    return f"{test}; correction by {correction} {family}"


def _tables(state: Session, found: FoundDifferences, shown: Shown, outcomes: Sequence[Outcome]) -> str:
    printed = FORMATS[shown.style]
    wide = shown.wide or found.options["details"]
    listed = _by_measure(found) if shown.style == "table" and not wide else None
    parts = [listed or printed(*_compared(found) if not wide else found.shown)]
    if shown.number is not None and found.values is not None:
        parts.append(printed(*_changed(state, found, found.values, shown.number)))
    if outcomes and shown.style == "markdown":
        gates = [(SAID[o.decision], o.gate.text, o.system_b, in_words_of_command(o.reason)) for o in outcomes]
        parts.append(f"{printed(['decision', 'gate', 'system', 'reason'], gates)}\n{summary(outcomes)}\n")
    return "\n".join(parts)


def _by_measure(found: FoundDifferences) -> str | None:
    """Return a block of lines for each measure, or None if only a table of pairs can show the comparisons.

    That is so if a mean depends on the pair, as of other queries, and if a line is wider than the terminal.
    """
    # Of two runs, the first one is the baseline.
    baseline = found.pairs[0][0] if len(found.pairs) == 1 else found.read.baseline
    if found.with_margin and baseline is None:
        # Within a margin, a pair has a direction.
        return None
    groups: dict[tuple[str, ...], list[Record]] = {}
    for record in found.records:
        keys = (key_text(record, key) for key in found.given.strata)
        groups.setdefault((*keys, record["measure"]), []).append(record)
    lines, further = list[str](), 0
    for records in groups.values():
        block = _block(found, records, baseline)
        if block is None:
            return None
        lines += [*block[0], ""]
        further = max(further, block[1])
    if further:
        lines.append(f"{further} more pair{'' if further == 1 else 's'} in each measure: --wide")
    columns = width()
    if columns is not None and max(len(click.unstyle(line)) for line in lines) > columns:
        return None
    text = "\n".join(lines).rstrip() + "\n"
    return f"{text}{MARK} {CUT}\n" if MARK in text else text


def _block(found: FoundDifferences, records: Sequence[Record], baseline: str | None) -> tuple[list[str], int] | None:
    """Return the lines of a measure, and the number of pairs that they do not show; None if a mean depends on the pair.

    The systems are compared with the baseline, by default with the best of them.
    """
    means: dict[str, set[float | None]] = {}
    for record in records:
        for side in "ab":
            mean = record[f"mean_{side}"]
            # The order of a sum may change its last digits.
            means.setdefault(record[f"system_{side}"], set()).add(None if mean is None else round(mean, 12))
    if any(len(values) > 1 for values in means.values()):
        return None
    sign = 1 if records[0]["measure"] in found.lower else -1
    order = sorted(means, key=lambda name: [(mean is None, sign * (mean or 0)) for mean in means[name]])
    reference = baseline if baseline in means else order[0]
    pairs = {name: record for record in records if (name := _other(record, reference))}
    cells = {name: _cells(record, reference, _column_of_p(found)) for name, record in pairs.items()}
    lines = _lines({name: number_text(next(iter(means[name]))) for name in order}, cells, baseline)
    return [_header(found, records), *lines], len(records) - len(pairs)


def _header(found: FoundDifferences, records: Sequence[Record]) -> str:
    measure, keys = records[0]["measure"], [f"{key}={key_text(records[0], key)}" for key in found.given.strata]
    counts = sorted({record["queries"] for record in records})
    shown = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    queries = f"{shown} quer{'y' if counts == [1] else 'ies'}"
    confidence = found.options["confidence"]
    level, of_margin = (2 * confidence - 1, ", p of 'not worse'") if found.with_margin else (confidence, "")
    return f"{bold('  '.join([measure, *keys]))}  {queries}, {percent(level)} intervals{of_margin}"


def _lines(means: Mapping[str, str], cells: Mapping[str, tuple[str, str, str]], baseline: str | None) -> list[str]:
    """Return a line for each system. `means`, `cells`: the texts of the systems; the reference has no cells."""
    wide = [max(map(len, texts), default=0) for texts in zip(*cells.values(), strict=True)]
    columns = width()
    # Two blanks stand before each column, and a mean takes 6 columns or more.
    widest = max(map(len, means.values()))
    most = None if columns is None else max(_SHORTEST, columns - 10 - widest - sum(wide))
    names = {name: _shortened(name, most) for name in means}
    lines = []
    for name, mean in means.items():
        start = f"  {names[name]:<{max(map(len, names.values()))}}  {mean:>{widest}}"
        if name in cells:
            difference, p, verdict = cells[name]
            start += f"  {difference:<{wide[0]}}  {p:<{wide[1]}}  {coloured(verdict)}"
        lines.append(f"{start}{'  baseline' if name == baseline else ''}".rstrip())
    return lines


def _column_of_p(found: FoundDifferences) -> str:
    return "p_not_worse" if found.with_margin else "p" if found.options["adjust"] == "none" else "p_adjusted"


def _compared(found: FoundDifferences) -> tuple[list[str], list[list[str]]]:
    """Return the columns and rows of the table that fits a terminal. A single pair of systems names its columns."""
    p, keys, single = _column_of_p(found), found.given.strata, len(found.pairs) == 1
    rows = [
        [
            *(key_text(record, key) for key in keys),
            record["measure"],
            *(
                f"{'' if single else record[f'system_{side}']} {number_text(record[f'mean_{side}'])}".strip()
                for side in "ab"
            ),
            _with_interval(record["measure"], record["difference"], (record["low"], record["high"])),
            p_text(record[p]),
            coloured(record["verdict"]),
        ]
        for record in found.records
    ]
    systems = found.pairs[0] if single else ("a", "b")
    shown_p = "p_not_worse" if found.with_margin else "p"
    return [*keys, "measure", *systems, "difference [low, high]", shown_p, "verdict"], rows


def _with_interval(measure: str, difference: float | None, ends: tuple[Any, Any], sign: str = "") -> str:
    """Return a difference and its interval as text. The interval is cut at the range of the measure.

    `sign`: that of `number_text` for the ends.
    """
    interval = ""
    if None not in ends:
        shown = cut(ends, bounds_of_difference(measure), difference)
        interval = f" [{', '.join(number_text(end, sign) for end in shown)}]{MARK if shown != ends else ''}"
    return f"{number_text(difference, '+')}{interval}"


def _changed(
    state: Session, found: FoundDifferences, compared: QueryValues, number: int
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the columns and rows of the queries with the largest differences, for each measure and pair."""
    values, keys = fragments_of(compared, found.given.having(totals=False)), found.given.strata
    listed = "".join(f"w.{DUCKDB.identifier(key)}, " for key in keys)
    rows = []
    for a, b in found.pairs:
        query = f"""
            select {listed}w.measure, ?, ?, w.query_id, w.a, w.b, w.difference
            from (\n{wins_query(values, a, b)}\n) as w
            qualify row_number() over (
                partition by {listed}w.measure order by abs(round(w.difference, 12)) desc, w.query_id asc
            ) <= ?
        """
        rows += state.con.execute(query, [a, b, number]).fetchall()
    order = list(dict.fromkeys(record["measure"] for record in found.records))

    def place(row: tuple[Any, ...]) -> tuple[Any, ...]:
        measure, _, _, query_id, _, _, difference = row[len(keys) :]
        segment = [(key is None, str(key)) for key in row[: len(keys)]]
        return (segment, order.index(measure), -abs(round(difference, 12)), query_id)

    return [*keys, *_SHOWN_QUERY], sorted(rows, key=place)


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
    found = p_text(record[p])
    return _with_interval(record["measure"], difference, ends, "+"), found and f"p {found}", verdict


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
