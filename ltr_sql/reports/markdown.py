"""A report as Markdown."""

from collections.abc import Mapping
from typing import Any

from ltr_sql.catalogue.ranges import CUT, MARK
from ltr_sql.reports.sentences import (
    interval_of_difference,
    label_of,
    level_of,
    number,
    p_value,
    probability,
    shown,
    signed,
    signed_percent,
    uneven_measures,
)

_MARKDOWN = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|#~"} | {"\n": " ", "\r": " "})


def markdown_text(data: Mapping[str, Any]) -> str:
    """Return verdicts, power, notes, leaderboards, the worst queries and findings as Markdown."""
    lines = [
        f"# {_escaped(data['title'])}",
        "",
        _escaped(data["verdict"]["claim"]),
        "",
        _escaped(data["verdict"]["evidence"]),
        "",
    ]
    lines += _verdicts(data)
    if data["notes"]:
        lines += ["**Read this first**", "", *(f"- {_escaped(note)}" for note in data["notes"]), ""]
    for heading, standings in (
        ("Leaderboard", data["standings"]),
        *((label_of(segment["keys"]), segment["standings"]) for segment in data["segments"]),
    ):
        lines += [f"## {_escaped(heading)}", "", *_board(data, standings), ""]
    lines += _queries(data)
    if data["judge"]:
        lines += ["## The judge", "", *_judge(data["judge"], len(data["systems"]) > 1), ""]
    if data["of_runs"]:
        lines += ["## Measures of the run", "", *_of_runs(data["of_runs"]), ""]
    if data["findings"]:
        lines += ["## Findings", "", "| severity | what | how many | what to do |", "|---|---|--:|---|"]
        lines += [
            f"| {f['severity']} | {_escaped(f['what'])} | {f['how_many']:,} | {_escaped(f['what_to_do'])} |"
            for f in data["findings"]
        ]
        lines.append("")
    about = data["about"]
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    lines.append(f"{about['made']}; {versions}; convention {about['convention']['name']}.")
    text = "\n".join(lines) + "\n"
    return f"{text}\n{MARK} {CUT}\n" if MARK in text else text


def _verdicts(data: Mapping[str, Any]) -> list[str]:
    """Return a table of the verdicts with intervals, and the power; nothing without a baseline."""
    if not data["verdicts"]:
        return []
    level = level_of(data["verdicts"][0], data["test"])
    names = _escaped(data["baseline"]), _escaped(data["verdicts"][0]["system"])
    rows = [
        f"| measure | {names[0]} | {names[1]} | difference | {level} | p | verdict |",
        "|---|--:|--:|--:|---|--:|---|",
    ]
    for v in data["verdicts"]:
        share = "" if v["relative"] is None else f" ({signed_percent(v['relative'])})"
        means = number(v["baseline_mean"]), number(v["mean"])
        interval, p = interval_of_difference(v, v["measure"]), p_value(v["p_adjusted"])
        cells = [
            _escaped(v["measure"]),
            *means,
            f"{signed(v['difference'])}{share}",
            interval,
            p,
            f"**{v['verdict']}**",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    power = data["about"]["power"]
    return [*rows, "", *([_escaped(power), ""] if power else [])]


def _queries(data: Mapping[str, Any]) -> list[str]:
    """Return a table of the queries that lost most; nothing without a baseline or a loss."""
    changes = data["changes"]
    if not changes["lost"]:
        return []
    rows = [
        f"| query | {_escaped(changes['a'])} | {_escaped(changes['b'])} | difference |",
        "|---|--:|--:|--:|",
    ]
    for change in changes["lost"]:
        text = data["query_texts"].get(change["query_id"])
        name = f"{change['query_id']}: {shown(text)}" if text else change["query_id"]
        rows.append(
            f"| {_escaped(name)} | {number(change['a'])} | {number(change['b'])} | {signed(change['difference'])} |"
        )
    return [f"## Queries that lost most in {_escaped(changes['measure'])}", "", *rows, ""]


def _judge(judge: Mapping[str, Any], several: bool) -> list[str]:
    found = judge["agreement"]
    kappa = found["cohen_kappa"], found["cohen_kappa_low"], found["cohen_kappa_high"]
    rows = [
        f"People judged {judge['queries']:,} queries. Cohen's kappa of the judge with people on {found['documents']:,} "
        f"documents: {number(kappa[0])} ({number(kappa[1])} to {number(kappa[2])}).",
        "",
        f"| measure | system | people | judge | bias | interval |{' favour | interval | p |' if several else ''}",
        f"|---|---|--:|--:|--:|---|{'--:|---|---|' if several else ''}",
    ]
    for r in judge["systems"]:
        cells = [r["measure"], _escaped(r["system"]), number(r["mean_a"]), number(r["mean_b"])]
        for name in ("bias", "favour") if several else ("bias",):
            cells += [signed(r[name]), interval_of_difference(r, r["measure"], f"{name}_")]
        cells += [probability(r["p_adjusted"])] if several else []
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _board(data: Mapping[str, Any], standings: Any) -> list[str]:
    names = [measure["name"] for measure in data["measures"]]
    compared = data["baseline"] is not None
    header = ["system"]
    for name in names:
        header += [_escaped(name), *(["Δ", "p"] if compared else [])]
    rows = [f"| {' | '.join(header)} |", f"|---{'|--:' * (len(header) - 1)}|"]
    found = {(record["measure"], record["system"]): record for record in standings}
    uneven = uneven_measures(standings)
    for record in standings:
        if record["measure"] != names[0]:
            continue
        system = record["system"]
        cells = [_escaped(system) + (" (baseline)" if system == data["baseline"] else "")]
        for name in names:
            cell = found.get((name, system))
            mean = number(None if cell is None else cell["mean"])
            mean = f"**{mean}**" if cell is not None and cell["place"] == 1 else mean
            cells.append(mean if cell is None else f"{mean}{_of_queries(cell['queries'], name in uneven)}")
            if compared and cell is None:
                cells += ["", ""]
            elif cell is not None and compared:
                p, n = p_value(cell["p_adjusted"]), _of_queries(cell["common_queries"], name in uneven)
                cells += ["" if cell["difference"] is None else f"{signed(cell['difference'])}{n}", p]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _of_queries(n: int | None, shown: bool) -> str:
    return f" (n = {n:,})" if shown and n is not None else ""


def _of_runs(measures: Any) -> list[str]:
    """Return a table of the measures that have one value for a run."""
    rows = ["| measure | system | value | Δ | interval |", "|---|---|--:|--:|--:|"]
    for name, r in ((measure["name"], r) for measure in measures for r in measure["systems"]):
        interval = interval_of_difference(r, name, "")
        difference = "" if r["difference"] is None else signed(r["difference"])
        cells = [_escaped(name), _escaped(r["system"]), number(r["value"]), difference, interval]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _escaped(text: str) -> str:
    return text.translate(_MARKDOWN)
