"""Parameters of tests: the default run takes a part of them, `pytest -m slow` the rest."""

from collections.abc import Iterable
from typing import Any

import pytest


def thinned(values: Iterable[Any], every: int) -> list[Any]:
    """Return the values. All except every n-th are marked slow."""
    return [
        value if number % every == 0 else pytest.param(value, marks=pytest.mark.slow)
        for number, value in enumerate(values)
    ]


def thinned_rows(rows: Iterable[tuple[Any, ...]], every: int) -> list[Any]:
    """Return the rows, which have a value for each of several parameters. All except every n-th are marked slow."""
    return [pytest.param(*row, marks=pytest.mark.slow if number % every else ()) for number, row in enumerate(rows)]
