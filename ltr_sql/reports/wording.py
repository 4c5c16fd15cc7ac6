"""Names, numbers and lists as a report writes them."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

# Largest number of characters of a name in a sentence.
_LONGEST = 60
# Largest number of measures that a sentence lists.
_MEASURES = 8
# The range of a measure, such as "[0, 1], lower is better".
_RANGE = re.compile(r"\[(-?[\d.]+), (-?[\d.]+|inf)[\])]")
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


def probability(p: float | None) -> str:
    """Return p with three decimals, or 'p < 0.001'; None is empty."""
    return "" if p is None else "p < 0.001" if p < 0.0005 else f"p = {p:.3f}"


def signed_percent(share: float) -> str:
    """Return a relative difference with its sign, in percent with at most one decimal."""
    return f"{100 * share:+.1f}%".replace(".0%", "%").replace("-", _MINUS)


def range_of(measure: Mapping[str, Any]) -> tuple[float, float]:
    """Return the smallest and the largest value of a measure; infinite where its range does not say."""
    found = _RANGE.match(measure.get("range", ""))
    return (float(found[1]), float(found[2])) if found else (-math.inf, math.inf)


def cut(record: Mapping[str, Any], bounds: tuple[float, float]) -> tuple[float, float] | None:
    """Return the interval of a mean, cut at the range of the measure; None without one."""
    if record["low"] is None:
        return None
    least, most = bounds
    return min(max(record["low"], least), most), max(min(record["high"], most), least)
