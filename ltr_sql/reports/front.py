"""The four numbers of the first screen of a report: queries won and lost, the worst query, the power, and one more."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ltr_sql.reports.sentences import counted, label_of, shown, signed


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
    return Number(shown(most["query_id"]), f"lost most: {signed(most['difference'])}", most["query_id"])


def _power(record: Mapping[str, Any]) -> Number | None:
    if not record["mde"]:
        return None
    return Number(
        f"{record['mde']:.2g}", f"smallest difference that {counted(record['common_queries'])} are likely to show"
    )


def _second(data: Mapping[str, Any], record: Mapping[str, Any]) -> Number | None:
    """Return the best system but that of the verdict and the baseline, if there are more than two."""
    second = data["runner_up"]
    if second is not None:
        gap = signed(-second["difference"] if second["difference"] is not None else None)
        # The verdict is about the best system.
        turned = {"better": "worse", "worse": "better"}.get(second["verdict"], second["verdict"])
        return Number(shown(second["other"]), f"second, {gap}: {turned}")
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
