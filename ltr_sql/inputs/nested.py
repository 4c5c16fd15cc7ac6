"""Paths to values in nested columns."""

import re

_PATH = re.compile(r"([^.\[\]]+)(\[\]|\.[^.\[\]]+)+")


def root_of(path: str) -> str | None:
    """Return the column of a path into nested values, such as retrieved for retrieved[].id. None for other names."""
    match = _PATH.fullmatch(path)
    return match[1] if match else None
