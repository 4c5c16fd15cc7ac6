"""Check the values of options."""

from collections.abc import Iterable

from ltr_sql.catalogue.parameters import one_of
from ltr_sql.errors import InputError


def check_choice(option: str, value: object, allowed: Iterable[str]) -> None:
    """Raise InputError for a value that is not allowed."""
    choices = list(allowed)
    if value not in choices:
        raise InputError(f"{option} must be {one_of(map(repr, choices))}, got {value!r}")


def refuse_none(default: object, **options: object) -> None:
    """Raise InputError for an option that is None although its default is not."""
    for name, value in options.items():
        if value is None:
            raise InputError(f"{name} must not be None: leave it out for its default {default!r}")


def unknown_name(option: str, value: object, names: Iterable[str]) -> str:
    """Return the text of the error for a value that is not one of many names."""
    return f"{option} must be one of {', '.join(names)}, got {value!r}"


def listed_keys(keys: Iterable[str] | None) -> tuple[str, ...]:
    """Return the names of keys. Raises InputError for a string, which would otherwise be a list of letters."""
    if isinstance(keys, str):
        raise InputError(f"keys must be a list of column names, got the string {keys!r}: write [{keys!r}]")
    if keys is not None and not isinstance(keys, Iterable):
        raise InputError(f"keys must be a list of column names, got {keys!r}")
    return tuple(keys or ())


def check_integer(option: str, value: object, least: int, most: int) -> None:
    """Raise InputError unless a value is an integer from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"{option} must be an integer from {least} to {most:,}, got {value!r}")
