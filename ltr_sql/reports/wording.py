"""Names, numbers and lists as a report writes them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ltr_sql.catalogue.ranges import MARK, Interval, bounds_of, bounds_of_difference, cut

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


def probability(p: float | None) -> str:
    """Return p with three decimals, or 'p < 0.001'; None is empty."""
    return "" if p is None else "p < 0.001" if p < 0.0005 else f"p = {p:.3f}"


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
