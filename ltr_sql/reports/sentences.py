"""The sentences of a report, which claim no more than the test shows, and the numbers of its first screen."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ltr_sql.catalogue.ranges import MARK, Interval, bounds_of, bounds_of_difference, cut, possible_differences
from ltr_sql.rendering.comparisons import percent

# Largest number of characters of a name in a sentence.
_LONGEST = 60
# Largest number of measures that a sentence lists.
_MEASURES = 8
_MINUS, _NONE = "\N{MINUS SIGN}", "\N{EN DASH}"


def label_of(keys: Mapping[str, str | None]) -> str:
    """Return the label of the segment with these keys, such as 'country de, no device'."""
    return ", ".join(f"no {key}" if value is None else f"{key} {value}" for key, value in keys.items())


def shown(name: str) -> str:
    """Return a name for a sentence, shortened. Non-ASCII names are isolated, so right-to-left text keeps its place."""
    short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    return short if short.isascii() else f"\u2068{short}\u2069"


def listed(names: Sequence[str]) -> str:
    """Return names in words: 'a, b and c'. Of many names, the first ones and the number of the others."""
    more = len(names) - _MEASURES
    kept = [*names] if more < 1 else [*names[:_MEASURES], f"{more} more"]
    return kept[0] if len(kept) == 1 else f"{', '.join(kept[:-1])} and {kept[-1]}"


def counted(n: int) -> str:
    """Return a number of queries in words, such as '1 query'."""
    return f"{n:,} quer{'y' if n == 1 else 'ies'}"


def number(value: float | None) -> str:
    """Return a value with four decimals; None is a dash."""
    return _NONE if value is None else f"{value:.4f}".replace("-", _MINUS)


def signed(value: float | None) -> str:
    """Return a difference with its sign and four decimals; None is a dash."""
    return _NONE if value is None else f"{value:+.4f}".replace("-", _MINUS)


def p_value(p: float | None) -> str:
    """Return p with three decimals, or '< 0.001'; None is empty."""
    return "" if p is None else "< 0.001" if p < 0.0005 else f"{p:.3f}"


def probability(p: float | None) -> str:
    """Return p as in 'p = 0.012' and 'p < 0.001'; None is empty."""
    text = p_value(p)
    return f"p {text}" if text.startswith("<") else text and f"p = {text}"


def signed_percent(share: float) -> str:
    """Return a relative difference with its sign, in percent with at most one decimal."""
    return f"{100 * share:+.1f}%".replace(".0%", "%").replace("-", _MINUS)


def cut_interval(record: Mapping[str, Any], bounds: Interval, prefix: str = "") -> tuple[float, float, bool] | None:
    """Return the ends of an interval, cut at the bounds, and whether it was cut; None without one.

    `prefix`: the start of the names of its ends, such as 'difference_'.
    """
    ends = record[f"{prefix}low"], record[f"{prefix}high"]
    if None in ends:
        return None
    low, high = cut(ends, bounds)
    return low, high, (low, high) != ends


def interval_of_mean(record: Mapping[str, Any], measure: str) -> str:
    """Return the interval of a mean as text, cut at the range of the measure; '' without one."""
    return _text(cut_interval(record, bounds_of(measure)), number)


def interval_of_difference(record: Mapping[str, Any], measure: str, prefix: str = "difference_") -> str:
    """Return the interval of a difference as text, cut at the range of the measure; '' without one."""
    return _text(cut_interval(record, bounds_of_difference(measure, prefix), prefix), signed)


def _text(interval: tuple[float, float, bool] | None, form: Callable[[float], str]) -> str:
    if interval is None:
        return ""
    low, high, marked = interval
    return f"{form(low)} to {form(high)}{MARK if marked else ''}"


# With fewer queries, the report warns of wide intervals.
_FEW_QUERIES = 25
# Largest number of systems that a note describes.
_SYSTEMS = 3
# Largest number of measures that the title names.
_NAMED = 3
# The numbers of a comparison that change their sign with its side.
_SIGNED = ("difference", "difference_low", "difference_high")
# The verdicts in the order of the title.
_ORDER = (
    "better",
    "worse",
    "undecided",
    "equal",
    "too few queries",
    "too few judged queries",
    "too few clusters",
    "too few datasets",
    "no values",
)


def verdict(data: Mapping[str, Any], standings: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return `claim`, who leads on the first measure and whether significantly, and `evidence`, the test result.

    `plain` says by how much and whether it is sure, for readers without statistics; it is '' where it has no interval.
    """
    measure = data["measures"][0]
    ordered = [record for record in standings if record["measure"] == measure["name"]]
    best, n = ordered[0], ordered[0]["queries"]
    if best["mean"] is None:
        return {"plain": "", "claim": f"No query has a value of {measure['name']}.", "evidence": ""}
    if data["baseline"] is None:
        said = interval_of_mean(best, measure["name"])
        interval = f"{data['test']['confidence']:.0%} interval {said}; " if n > 1 and said else ""
        claim = f"{shown(best['system'])} has {measure['name']} {number(best['mean'])} on {counted(n)}."
        return {"plain": "", "claim": claim, "evidence": f"{interval}one system, so nothing is compared."}
    baseline = shown(data["baseline"])
    extreme = "low" if measure["better"] == "lower" else "high"
    uneven = has_uneven_queries(ordered)
    compared = _compared(ordered, data["baseline"])
    if compared is best:
        claim = f"{shown(best['system'])} has the {extreme}est {measure['name']}: {_mean(best, uneven)}"
    else:
        claim = (
            f"No system has a {extreme}er {measure['name']} than the baseline {baseline}: {_mean(best, uneven)}. "
            f"The next, {shown(compared['system'])}, has {_mean(compared, uneven)}"
        )
    common = f" on the {counted(compared['common_queries'])} that both have" if uneven else ""
    difference = f"{signed(compared['difference'])}{_relative(compared, data['test'])} compared with {baseline}{common}"
    claim += f", {difference}: {_shown_by_the_test(compared, uneven)}."
    (mean,) = (record["mean"] for record in ordered if record["system"] == data["baseline"])
    plain = "" if uneven else _plain(compared, data, mean)
    if plain and compared is not best and len(ordered) > 2:
        plain = f"No system has a {extreme}er {measure['name']} than the baseline {baseline}. {plain}"
    return {"plain": plain, "claim": claim, "evidence": " ".join(_evidence(compared, data, ordered))}


def _plain(record: Mapping[str, Any], data: Mapping[str, Any], mean: float | None) -> str:
    """Return by how much a system differs from the baseline, and whether it is sure; '' without an interval.

    `mean`: the mean of the baseline. The verdict on the second system follows.
    """
    difference = record["difference"]
    tested = record["verdict"] in ("better", "worse", "undecided") and record["difference_low"] is not None
    if not tested or mean is None or not difference:
        return ""
    by = percent(abs(record["relative"])) if record["relative"] else number(abs(difference))
    found = (
        f"{record['measure']} of {shown(record['system'])} is {by} {'higher' if difference > 0 else 'lower'} than that "
        f"of {shown(data['baseline'])}"
    )
    means = f"{number(record['mean'])} against {number(mean)}"
    fit = f"data fit differences from {interval_of_difference(record, record['measure'])}."
    if record["verdict"] == "undecided":
        return f"No difference is proven: {found} ({means}), which may be chance. The {fit}"
    beside = _plain_beside_second(data.get("runner_up"))
    return f"{found}: {means}. Chance is a very unlikely reason: the {fit}{beside}"


def _plain_beside_second(pair: Mapping[str, Any] | None) -> str:
    """Return the verdict on the best system and the second as a sentence, after a space; '' without one."""
    said = {"undecided": "is not proven to be better", "better": "is also better"}
    if pair is None or pair["verdict"] not in said:
        return ""
    return f" {shown(pair['system'])} {said[pair['verdict']]} than {shown(pair['other'])}, the second."


def undecided_second(data: Mapping[str, Any]) -> str:
    """Return the name of the second system if the test does not decide between it and the best one; else ''."""
    pair = data.get("runner_up")
    return shown(pair["other"]) if pair is not None and pair["verdict"] == "undecided" else ""


def _compared(ordered: Sequence[Mapping[str, Any]], baseline: str) -> Mapping[str, Any]:
    """Return the standing of the system that the verdict compares with the baseline: the best other system."""
    return ordered[0] if ordered[0]["system"] != baseline else ordered[1]


def _relative(record: Mapping[str, Any], test: Mapping[str, Any]) -> str:
    """Return the relative difference and the interval in brackets, without those that are NULL."""
    known = [] if record["relative"] is None else [signed_percent(record["relative"])]
    if record["difference_low"] is not None:
        known.append(f"{level_of(record, test)} {interval_of_difference(record, record['measure'])}")
    return f" ({'; '.join(known)})" if known else ""


def level_of(record: Mapping[str, Any], test: Mapping[str, Any]) -> str:
    """Return the name of the interval of a difference: '95% interval', 'corrected 95% interval' if p is corrected."""
    corrected = "" if record["difference_confidence"] in (None, test["confidence"]) else "corrected "
    return f"{corrected}{percent(test['confidence'])} interval"


def title_of(data: Mapping[str, Any], standings: Sequence[Mapping[str, Any]]) -> str:
    """Return the verdict over all measures in a few words, for the title: better in how many, and which are undecided.

    The title is about the system of the verdict, compared with the baseline.
    """
    measure, baseline = data["measures"][0]["name"], data["baseline"]
    best = next(record for record in standings if record["measure"] == measure)
    if best["mean"] is None:
        return f"No query has a value of {measure}"
    if baseline is None:
        return f"{shown(best['system'])}: {measure} {number(best['mean'])}"
    rows = verdicts_by_measure(data, standings)
    if not rows:
        return f"{shown(best['system'])} has the best {measure}, {number(best['mean'])}"
    one, other = shown(rows[0]["system"]), shown(baseline)
    words = {word: [row["measure"] for row in rows if row["verdict"] == word] for word in _in_order(rows)}
    if len(words) == 1:
        second = undecided_second(data) if "better" in words else ""
        beside = f"; undecided against {second}" if second else ""
        return f"{_title_of_one_word(rows, next(iter(words)), one, other)}{beside}"
    decided = [f"{word} in {len(words.pop(word))}" for word in ("better", "worse") if word in words]
    rest = [f"{_some(names)} {'is' if len(names) == 1 else 'are'} {word}" for word, names in words.items()]
    said = f"{one} is {' and '.join(decided)} of {len(rows)} measures" if decided else f"{one} and {other}"
    return f"{said}{'; ' if decided else ': '}{', '.join(rest)}" if rest else said


def _in_order(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the verdicts of rows, each once: better and worse first, then in the order of the measures."""
    return list(dict.fromkeys(sorted((row["verdict"] for row in rows), key=_ORDER.index)))


def _title_of_one_word(rows: Sequence[Mapping[str, Any]], word: str, one: str, other: str) -> str:
    """Return the title if all measures have one verdict."""
    first = rows[0]
    several = "in both measures" if len(rows) == 2 else f"in all {len(rows)} measures"
    if word in ("better", "worse"):
        by = percent(abs(first["relative"])) if first["relative"] else number(abs(first["difference"]))
        return f"{one} is {word} than {other} by {by} ({first['measure']}){f', and {several}' if len(rows) > 1 else ''}"
    return f"{one} and {other}: {word} {several if len(rows) > 1 else 'in ' + first['measure']}"


def _some(names: Sequence[str]) -> str:
    return listed(names) if len(names) <= _NAMED else f"{len(names)}"


def verdicts_by_measure(data: Mapping[str, Any], standings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what the test of each measure says about the systems of the verdict. The first measure decides it."""
    if data["baseline"] is None:
        return []
    names = [measure["name"] for measure in data["measures"]]
    system = _compared([r for r in standings if r["measure"] == names[0]], data["baseline"])["system"]
    found = {record["measure"]: record for record in standings if record["system"] == system}
    means = {record["measure"]: record["mean"] for record in standings if record["system"] == data["baseline"]}
    fields = ("difference", "relative", "difference_low", "difference_high", "difference_confidence", "p_adjusted")
    return [
        {
            "measure": name,
            "system": system,
            **{field: found[name][field] for field in fields},
            "mean": found[name]["mean"],
            "baseline_mean": means.get(name),
            "verdict": found[name]["verdict"],
        }
        for name in names
        if name in found and found[name]["verdict"] is not None
    ]


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
    n = "these queries" if uneven and not one else n
    return {
        "better": "better",
        "worse": "worse",
        "undecided": f"undecided, because {n} {'is' if one else 'are'} too few to be sure",
        "too few queries": f"not tested, because {n} {'is' if one else 'are'} too few",
        "equal": "equal on every query",
        "no values": "not tested, because a system has no values to compare",
        "too few judged queries": "not tested, because people judged too few queries",
        "too few clusters": "not tested, because there are too few clusters of queries",
        "too few datasets": "not tested, because there are too few datasets",
    }[record["verdict"]]


def _evidence(record: Mapping[str, Any], data: Mapping[str, Any], ordered: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return sentences on the test of a comparison, on its numbers of wins, ties and losses, and on the second system.

    `ordered` holds the standings of all systems on the same measure, best system first.
    """
    sentences = []
    if record["verdict"] in ("better", "worse", "undecided") and record["p_adjusted"] is not None:
        sentences.append(f"{how_tested(record, data['test'])}.")
    if record["verdict"] in ("better", "worse", "undecided") and record["p_adjusted"] is None:
        sentences.append(
            f"The difference is {signed(record['difference'])} on every query, so the t test has no p, and the sign "
            "test decides."
        )
    if record["verdict"] not in ("equal", "no values"):
        sentences.append(
            f"{shown(record['system'])} is better on {record['wins']:,}, equal on {record['ties']:,} and worse on "
            f"{record['losses']:,} of {counted(record.get('judged', record['common_queries']))}"
            f"{' that people judged' if 'judged' in record else ''}."
        )
    if record.get("worth") is not None:
        sentences.append(
            f"People's judgments of {counted(record['judged'])} correct the judge, as precisely as "
            f"{counted(round(record['worth']))} judged by people alone."
        )
    best, second = ordered[:2]
    if data["baseline"] not in (best["system"], second["system"]) and second["mean"] is not None:
        uneven = has_uneven_queries(ordered)
        sentences.append(f"Second is {shown(second['system'])} with {_mean(second, uneven)}.")
    runner_up = data.get("runner_up")
    if runner_up is not None:
        sentences.append(_beside_second(runner_up, data["test"]))
    elif len(ordered) > 2 and sentences:
        sentences.append(f"The test compares each system with {shown(data['baseline'])}, not with the other systems.")
    return sentences


def _beside_second(record: Mapping[str, Any], test: Mapping[str, Any]) -> str:
    """Return the comparison of the best system with the second as a sentence."""
    if record["verdict"] == "equal":
        return f"{shown(record['system'])} and {shown(record['other'])} are equal on every query."
    interval = interval_of_difference(record, record["measure"])
    level = f" ({level_of(record, test)} {interval})" if interval else ""
    pair = f"{shown(record['system'])} \N{MINUS SIGN} {shown(record['other'])}"
    return f"{pair} is {signed(record['difference'])}{level}: {record['verdict']}."


def how_tested(record: Mapping[str, Any], test: Mapping[str, Any]) -> str:
    """Return the test, p, and the correction of a comparison."""
    corrected = f", corrected by {test['correction']} for {record['tests']} comparisons" if test["correction"] else ""
    and_interval = ", as is the interval" if record["difference_confidence"] not in (None, test["confidence"]) else ""
    return f"{test['name']}: {probability(record['p_adjusted'])}{corrected}{and_interval}"


def notes_on_datasets(across: str | None) -> list[str]:
    """Return a note on means over datasets. `across`: the column of the datasets, or None."""
    if across is None:
        return []
    return [
        f"the leaderboard and the verdict have means over {across}, each the mean over its queries; other sections "
        "count queries"
    ]


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


_TURNED = {"better": "worse", "worse": "better"}


def turned(pair: Mapping[str, Any]) -> dict[str, Any]:
    """Return the comparison of two systems from the side of the other one."""
    minus = {name: None if pair[name] is None else -pair[name] for name in _SIGNED}
    return {
        **pair,
        "system": pair["other"],
        "other": pair["system"],
        "difference": minus["difference"],
        "difference_low": minus["difference_high"],
        "difference_high": minus["difference_low"],
        "wins": pair["losses"],
        "losses": pair["wins"],
        "verdict": _TURNED.get(pair["verdict"], pair["verdict"]),
    }


def power_of(standings: Sequence[Mapping[str, Any]], system: str) -> str:
    """Return the smallest differences of a system from the baseline that the test finds; '' if none can be named."""
    seen = [(r["measure"], r["mde"]) for r in standings if r["system"] == system and r["mde"]]
    if not seen:
        return ""
    most = max(r["common_queries"] or 0 for r in standings if r["system"] == system)
    beyond = [measure for measure, mde in seen if not possible_differences(measure, [mde])]
    possible = [f"{mde:.2g} in {measure}" for measure, mde in seen if measure not in beyond]
    often = "four times out of five"
    if not possible:
        return f"{counted(most)} are too few to find any possible difference of {listed(beyond)} {often}."
    found = (
        f"With {counted(most)}, a true difference of {shown(system)} of {listed(possible)} is found {often}, a smaller "
        "one less often."
    )
    return (
        f"{found} They are too few to find any possible difference of {listed(beyond)} so often." if beyond else found
    )


def queries_left_out(findings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the findings that say how many queries are left out or count as 0, and why."""
    return [f"{f['how_many']:,} {f['what']}" for f in findings if "queries" in f["what"].split(":")[0]]


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


@dataclass(frozen=True)
class Number:
    """A number of the first screen, what it means, and the query that it opens, or None."""

    value: str
    meaning: str
    query: str | None = None


def numbers_of(data: Mapping[str, Any]) -> list[Number]:
    """Return the numbers of the first measure, about the system of the verdict; none without a baseline."""
    if not data["verdicts"]:
        return []
    measure, system = data["verdicts"][0]["measure"], data["verdicts"][0]["system"]
    (record,) = (r for r in data["standings"] if (r["measure"], r["system"]) == (measure, system))
    found = [_won(record), _worst(data), _power(record), _second(data, record) or _segment(data, record)]
    return [number for number in found if number is not None]


def _won(record: Mapping[str, Any]) -> Number:
    equal = f" ({record['ties']:,} equal)" if record["ties"] else ""
    return Number(f"{record['wins']:,} : {record['losses']:,}", f"queries won : lost in {record['measure']}{equal}")


def _worst(data: Mapping[str, Any]) -> Number | None:
    """Return the query that lost most."""
    if not data["changes"]["lost"]:
        return None
    most = data["changes"]["lost"][0]
    return Number(shown(most["query_id"]), f"query that lost most: {signed(most['difference'])}", most["query_id"])


def _power(record: Mapping[str, Any]) -> Number | None:
    if not record["mde"]:
        return None
    queries = counted(record["common_queries"])
    meaning = f"smaller differences of {record['measure']} are likely to stay undecided with {queries}"
    return Number(f"{record['mde']:.2g}", meaning)


def _second(data: Mapping[str, Any], record: Mapping[str, Any]) -> Number | None:
    """Return the best system but that of the verdict and the baseline, if there are more than two."""
    second = data["runner_up"]
    if second is not None:
        other = turned(second)
        behind = "" if other["verdict"] == "equal" else f", {number(abs(other['difference']))} behind"
        return Number(shown(other["system"]), f"second{behind}: {other['verdict']}")
    left_out = (record["system"], data["baseline"])
    others = [r for r in data["standings"] if r["measure"] == record["measure"] and r["system"] not in left_out]
    if not others or others[0]["mean"] is None or record["mean"] is None:
        return None
    return Number(shown(others[0]["system"]), f"next, {signed(others[0]['mean'] - record['mean'])} (not tested)")


def _segment(data: Mapping[str, Any], record: Mapping[str, Any]) -> Number | None:
    """Return the segment with the largest loss, if one is worse."""
    sense = -1 if data["measures"][0]["better"] == "lower" else 1
    worse = [
        (sense * r["difference"], _label(segment["keys"]), signed(r["difference"]))
        for segment in data["segments"]
        for r in segment["standings"]
        if (r["measure"], r["system"], r["verdict"]) == (record["measure"], record["system"], "worse")
    ]
    if not worse:
        return None
    _, label, difference = min(worse)
    return Number(difference, f"worst segment: {label}")


def _label(keys: Mapping[str, str | None]) -> str:
    """Return the label of a segment, without the name of its column if there is one."""
    value = next(iter(keys.values()))
    return shown(value) if len(keys) == 1 and value is not None else label_of(keys)
