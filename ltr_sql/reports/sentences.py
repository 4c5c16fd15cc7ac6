"""The sentences of a report, which claim no more than the test shows."""

from collections.abc import Mapping, Sequence
from typing import Any

from ltr_sql.comparison.options import percent
from ltr_sql.reports.wording import counted, listed, number, probability, shown, signed

# With fewer queries, the report warns of wide intervals.
_FEW_QUERIES = 25
# Largest number of systems that a note describes.
_SYSTEMS = 3
# What the test of a measure says about a system compared with the baseline.
_VERDICTS = {
    "better": "significantly better",
    "worse": "significantly worse",
    "no difference shown": "not significantly different",
    "too few queries": "not tested, for lack of queries,",
    "equal": "equal",
    "no values": "without values to compare",
}


def verdict(data: Mapping[str, Any], standings: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return `claim`, who leads on the first measure and whether significantly, and `evidence`, the test result."""
    measure = data["measures"][0]
    ordered = [record for record in standings if record["measure"] == measure["name"]]
    best, n = ordered[0], ordered[0]["queries"]
    if best["mean"] is None:
        return {"claim": f"No query has a value of {measure['name']}.", "evidence": ""}
    if data["baseline"] is None:
        interval = f"{data['test']['confidence']:.0%} interval {_interval(best, '')}; " if n > 1 else ""
        claim = f"{shown(best['system'])} has {measure['name']} {number(best['mean'])} on {counted(n)}."
        return {"claim": claim, "evidence": f"{interval}one system, so nothing is compared."}
    baseline = shown(data["baseline"])
    extreme = "low" if measure["better"] == "lower" else "high"
    uneven = has_uneven_queries(ordered)
    if best["system"] != data["baseline"]:
        compared = best
        claim = f"{shown(best['system'])} has the {extreme}est {measure['name']}: {_mean(best, uneven)}"
    else:
        compared = ordered[1]
        claim = (
            f"No system has a {extreme}er {measure['name']} than the baseline {baseline}: {_mean(best, uneven)}. "
            f"The next, {shown(compared['system'])}, has {_mean(compared, uneven)}"
        )
    common = f" on the {counted(compared['common_queries'])} that both have" if uneven else ""
    difference = f"{signed(compared['difference'])} compared with {baseline}{common}"
    claim += f", {difference}, {_shown_by_the_test(compared, uneven)}."
    sentences = [*_evidence(compared, data, ordered), *_other_measures(compared, data, standings)]
    return {"claim": claim, "evidence": " ".join(sentences)}


def has_uneven_queries(standings: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether some means or differences of a measure are over other queries than the others."""
    compared = [r["common_queries"] for r in standings if r["common_queries"] is not None]
    return len({*(r["queries"] for r in standings), *compared}) > 1


def uneven_measures(standings: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the measures whose means or differences are over unequal numbers of queries."""
    names = {record["measure"] for record in standings}
    return {name for name in names if has_uneven_queries([r for r in standings if r["measure"] == name])}


def _mean(record: Mapping[str, Any], uneven: bool) -> str:
    """Return a mean, with its number of queries if not all means have the same."""
    on = f" on {counted(record['queries'])}" if uneven else ""
    return f"{number(record['mean'])}{on}"


def _shown_by_the_test(record: Mapping[str, Any], uneven: bool) -> str:
    """Return the end of a sentence that says whether a system differs significantly from the baseline."""
    n, one = counted(record["common_queries"]), record["common_queries"] == 1
    on = "" if uneven else f" on {n}"
    return {
        "better": "a significant difference",
        "worse": "a significant difference",
        "no difference shown": f"not a significant difference{on}",
        "too few queries": f"not tested, because {n} {'is' if one else 'are'} too few",
        "equal": "with equal values on every query",
        "no values": "not tested, because a system has no values to compare",
    }[record["verdict"]]


def _evidence(record: Mapping[str, Any], data: Mapping[str, Any], ordered: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return sentences on the test of a comparison, on its numbers of wins, ties and losses, and on the second system.

    `ordered` holds the standings of all systems on the same measure, best system first.
    """
    sentences = []
    if record["verdict"] in ("better", "worse", "no difference shown") and record["p_adjusted"] is not None:
        sentences.append(f"{how_tested(record, data['test'])}.")
    if record["verdict"] in ("better", "worse", "no difference shown") and record["p_adjusted"] is None:
        sentences.append(
            f"The difference is {signed(record['difference'])} on every query, so the t test has no p, and the sign "
            "test decides."
        )
    if record["verdict"] not in ("equal", "no values"):
        sentences.append(
            f"{shown(record['system'])} is better on {record['wins']:,}, equal on {record['ties']:,} and worse on "
            f"{record['losses']:,} of {counted(record['common_queries'])}."
        )
    best, second = ordered[:2]
    if data["baseline"] not in (best["system"], second["system"]) and second["mean"] is not None:
        uneven = has_uneven_queries(ordered)
        # Means over other queries have no common difference.
        behind = f", {signed(second['difference_from_best'])} compared with {shown(best['system'])}"
        sentences.append(f"Second is {shown(second['system'])} with {_mean(second, uneven)}{'' if uneven else behind}.")
    if len(ordered) > 2 and sentences:
        sentences.append(f"The test compares each system with {shown(data['baseline'])}, not with the other systems.")
    return sentences


def _other_measures(
    record: Mapping[str, Any], data: Mapping[str, Any], standings: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return a sentence on what the tests of the other measures say about the systems of the verdict."""
    first, *others = [measure["name"] for measure in data["measures"]]
    found = {r["measure"]: r["verdict"] for r in standings if r["system"] == record["system"]}
    by_verdict: dict[str, list[str]] = {}
    for name in others:
        if name in found:
            by_verdict.setdefault(_VERDICTS[found[name]], []).append(name)
    if not by_verdict:
        return []
    said = "; ".join(f"{words} by {listed(names)}" for words, names in by_verdict.items())
    system, baseline = shown(record["system"]), shown(data["baseline"])
    return [f"This is about {first} only. On the other measures, {system} compared with {baseline} is {said}."]


def how_tested(record: Mapping[str, Any], test: Mapping[str, Any]) -> str:
    """Return the test, the correction, p and the corrected interval of a comparison."""
    p = probability(record["p_adjusted"])
    corrected = (
        f" after correction by {test['correction']} for {record['tests']} comparisons" if test["correction"] else ""
    )
    level, uncorrected = percent(record["difference_confidence"]), percent(test["confidence"])
    why = "" if level == uncorrected else f" ({uncorrected} after the same correction)"
    return f"{test['name']}: {p}{corrected}; {level} interval{why} {_interval(record, 'difference_', signed)}"


def notes_on_queries(standings: Sequence[Mapping[str, Any]], measures: Sequence[str]) -> list[str]:
    """Return notes on a small number of queries, and on systems without values."""
    notes = []
    most = max((record["queries"] for record in standings), default=0)
    if most < _FEW_QUERIES:
        notes.append(
            f"{counted(most)} {'is' if most == 1 else 'are'} few: intervals are wide, and only large differences can "
            "be shown"
        )
    notes += _left_out(standings, measures)
    for measure in measures:
        empty = [shown(r["system"]) for r in standings if r["measure"] == measure and r["verdict"] == "no values"]
        if empty:
            systems = ", ".join([*empty[:3], *(["..."] if len(empty) > 3 else [])])
            notes.append(f"{measure} of {systems} or of the baseline is 0 or NULL for every query: check these runs")
    return notes


def _left_out(standings: Sequence[Mapping[str, Any]], measures: Sequence[str]) -> list[str]:
    """Return notes on the queries that the differences from the baseline leave out, one for equal measures."""
    named: dict[str, list[str]] = {}
    for measure in measures:
        partial = [r for r in standings if r["measure"] == measure and (r["only_system"] or r["only_baseline"])]
        parts = [
            f"{shown(r['system'])} has {counted(r['common_queries'])} in common with the baseline, "
            f"{r['only_system']:,} of its own, and lacks {r['only_baseline']:,}"
            for r in partial[:_SYSTEMS]
        ]
        more = [f"{len(partial) - _SYSTEMS} other systems differ, too"] if len(partial) > _SYSTEMS else []
        if parts:
            named.setdefault("; ".join([*parts, *more]), []).append(measure)
    return [
        f"{listed(names)}: {text}. Differences, intervals, p and counts are over the common queries, so a difference "
        "is not that of the two means"
        for text, names in named.items()
    ]


def _interval(record: Mapping[str, Any], prefix: str, form: Any = number) -> str:
    return f"{form(record[f'{prefix}low'])} to {form(record[f'{prefix}high'])}"
