"""The output of `ltr-sql compare`: its formats, and the line about the design."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ltr_sql.catalogue.measures import is_better_lower
from ltr_sql.catalogue.procedures import procedures
from ltr_sql.command_line.differences import Asked, Differences
from ltr_sql.command_line.formats import FORMATS, table_with_best
from ltr_sql.command_line.terminal import is_terminal
from ltr_sql.comparison.gates import Outcome
from ltr_sql.comparison.junit import junit
from ltr_sql.comparison.latex import ComparisonTable, latex
from ltr_sql.inputs.session import Session
from ltr_sql.rendering.comparisons import POWER, ComparedValues, wins_query

# Output formats besides those of all commands.
FURTHER_STYLES = ("latex", "junit")
# Columns of the output formats `table` and `markdown`. CSV and JSON have all columns.
_SHOWN = ("measure", "system_a", "system_b", "mean_a", "mean_b", "difference", "low", "high", "wins", "ties", "losses")
_SHOWN_QUERY = ("measure", "system_a", "system_b", "query_id", "a", "b", "difference")


@dataclass(frozen=True)
class Shown:
    """What is printed: the output format, the number of queries for each pair or None, and the file or None.

    `saves` is true if the values are saved, too.
    """

    style: str
    queries: int | None
    output: str | None
    saves: bool = False


def text_of(state: Session, found: Differences, asked: Asked, shown: Shown, *, outcomes: Sequence[Outcome]) -> str:
    """Return the output. `outcomes` are those of the gates."""
    if shown.style in ("csv", "json"):
        return FORMATS[shown.style](found.names, found.rows)
    table = ComparisonTable(
        records=found.records,
        measures=found.measures,
        systems=found.compared.systems,
        baseline=found.compared.baseline,
        lower=[name for name in found.measures if name in asked.options["lower_is_better"] or is_better_lower(name)],
        procedure=_procedure(asked),
        alpha=asked.level,
        with_margin=asked.options["margin"] is not None,
    )
    if shown.style in ("latex", "junit"):
        return latex(table) if shown.style == "latex" else junit(outcomes)
    return _tables(state, found.values, table, asked, shown=shown, outcomes=outcomes)


def design(found: Differences, asked: Asked) -> str:
    """Return the design as text: number of queries, differences that cannot be detected, test and correction."""
    records = found.records
    counts = sorted({record["queries"] for record in records})
    text = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    judged = _judged(records) if found.compared.human is not None else ""
    seen = {measure: [r["mde"] for r in records if r["measure"] == measure and r["mde"]] for measure in found.measures}
    listed = ", ".join(f"{_range_of(mdes)} ({measure})" for measure, mdes in seen.items() if mdes)
    depends = ", depending on the pair," if any(_range_of(mdes).count(" ") for mdes in seen.values() if mdes) else ""
    limits = (
        f"differences under {listed}{depends} cannot be detected with power {POWER}"
        if listed
        else "no smallest detectable difference, because the differences do not vary or there is no test"
    )
    corrected = "; low and high are corrected, too" if any(r["low"] != r["uncorrected_low"] for r in records) else ""
    return f"{text} quer{'y' if counts == [1] else 'ies'}{judged}: {limits}. {_procedure(asked)}{corrected}"


def _judged(records: Sequence[Mapping[str, Any]]) -> str:
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
    return (
        f", {fewest['judged']} judged by people{worth}; the judge favours {names[0]} over {names[1]} by "
        f"{abs(most['favour']):.2f} [{ends[0]:.2f}, {ends[1]:.2f}] ({most['measure']})"
    )


def _range_of(numbers: Sequence[float]) -> str:
    """Return the smallest and the largest number with four decimals, or one number if they are equal."""
    return " to ".join(dict.fromkeys(f"{end(numbers):.4f}" for end in (min, max)))


def _procedure(asked: Asked) -> str:
    """Return the names of the test and the correction as text."""
    test, correction = (
        procedures(option)[name].title
        for option, name in (("test", asked.choices.test), ("adjust", asked.choices.adjust))
    )
    planned = asked.options["planned"]
    if asked.options["margin"] is not None:
        kind = "t" if planned is None else "sequential"
        test = f"One-sided {kind} tests against the margin {asked.options['margin']}"
        return f"{test}; interval {2 * asked.options['confidence'] - 1:.0%}"
    test += " with weights of queries" if asked.weights is not None else ""
    test += f", narrowest at {planned:,} queries" if planned is not None else ""
    if asked.choices.adjust == "none":
        return f"{test}; no correction"
    family = "over all measures" if asked.options["family"] == "all" else "within each measure"
    return f"{test}; correction by {correction} {family}"


def _tables(
    state: Session,
    values: ComparedValues,
    table: ComparisonTable,
    asked: Asked,
    *,
    shown: Shown,
    outcomes: Sequence[Outcome],
) -> str:
    records = table.records
    p = "p_not_worse" if table.with_margin else "p" if asked.choices.adjust == "none" else "p_adjusted"
    names = [*_SHOWN, p, "verdict"]
    printed = FORMATS[shown.style]
    rows = [[record[name] for name in names] for record in records]
    if shown.style == "table" and shown.output is None and is_terminal():
        parts = [table_with_best(names, rows, ("mean_a", "mean_b"), lambda row, _: _best_mean(table, row["measure"]))]
    else:
        parts = [printed(names, rows)]
    if shown.queries is not None:
        parts.append(printed(_SHOWN_QUERY, _changed(state, values, records, shown.queries)))
    if outcomes and shown.style == "markdown":
        gates = [(o.gate.text, o.system_b, o.decision, o.reason) for o in outcomes]
        parts.append(printed(["gate", "system", "decision", "reason"], gates))
    return "\n".join(parts)


def _best_mean(table: ComparisonTable, measure: str) -> float:
    records = [record for record in table.records if record["measure"] == measure]
    means: list[float] = [r[name] for r in records for name in ("mean_a", "mean_b") if r[name] is not None]
    return min(means) if measure in table.lower else max(means)


def _changed(
    state: Session, values: ComparedValues, records: Sequence[Mapping[str, Any]], number: int
) -> list[tuple[Any, ...]]:
    """Return the queries with the largest differences, for each measure and pair."""
    rows = []
    for a, b in dict.fromkeys((record["system_a"], record["system_b"]) for record in records):
        query = f"""
            select w.measure, ?, ?, w.query_id, w.a, w.b, w.difference
            from (\n{wins_query(values, a, b)}\n) as w
            qualify row_number() over (
                partition by w.measure order by abs(round(w.difference, 12)) desc, w.query_id asc
            ) <= ?
        """
        rows += state.con.execute(query, [a, b, number]).fetchall()
    order = list(dict.fromkeys(record["measure"] for record in records))
    return sorted(rows, key=lambda row: (order.index(row[0]), -abs(round(row[6], 12)), row[3]))
