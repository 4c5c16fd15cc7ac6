"""Check the values of options."""

from collections.abc import Iterable

from ltr_sql.catalogue.parameters import one_of
from ltr_sql.errors import InputError


def check_choice(option: str, value: object, allowed: Iterable[str]) -> None:
    """Raise InputError for a value that is not allowed."""
    choices = list(allowed)
    if value not in choices:
        raise InputError(f"{option} must be {one_of(map(repr, choices))}, got {value!r}")


def check_integer(option: str, value: object, least: int, most: int) -> None:
    """Raise InputError unless a value is an integer from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"{option} must be an integer from {least} to {most:,}, got {value!r}")
