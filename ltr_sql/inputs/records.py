"""Nested values of Python objects, as JSON that DuckDB reads."""

import json
from collections.abc import Collection, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

from ltr_sql.inputs.arrays import as_array, is_array
from ltr_sql.inputs.frames import with_integers

if TYPE_CHECKING:
    import pandas as pd


def frame_of_records(rows: Sequence[Mapping[str, Any]]) -> "pd.DataFrame":
    """Return a list of dicts, such as json.loads returns, as a data frame."""
    import pandas as pd  # noqa: PLC0415  (slow to load)

    frame = pd.DataFrame([dict(row) for row in rows])
    found: pd.DataFrame = with_integers(frame, lambda name: [row.get(name) for row in rows])
    return found


def is_record(given: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is an object of JSON with a number or null, and not a mapping of several runs."""
    values = [*given.values()]
    known = all(isinstance(value, Mapping | list | str | Real | None) for value in values)
    return known and any(isinstance(value, Real | None) for value in values)


def columns_of_objects(frame: "pd.DataFrame") -> list[str]:
    """Return the columns of a pandas data frame whose first value is a dict, a list or an array."""
    firsts = {name: frame[name].dropna().head(1) for name in frame.columns if frame[name].dtype == object}
    return [
        name
        for name, first in firsts.items()
        if any(isinstance(value, Mapping | list | tuple) or is_array(value) for value in first)
    ]


def with_nested_as_json(frame: "pd.DataFrame", nested: Collection[str]) -> "pd.DataFrame":
    """Return a pandas data frame with Python objects in the columns `nested` as JSON.

    DuckDB would take the types of the first objects for those of all.
    """
    found = [name for name in nested if name in frame.columns and frame[name].dtype == object]
    if not found:
        return frame
    frame = frame.copy(deep=False)
    for name in found:
        frame[name] = [None if _is_missing(value) else _json(value) for value in frame[name]]
    return frame


def _is_missing(value: Any) -> bool:
    """Return whether a value is None or NaN."""
    return value is None or (isinstance(value, float) and value != value)  # noqa: PLR0124  (NaN differs from itself)


def _json(value: Any) -> str:
    """Return a value as JSON. Text is JSON already."""
    return value if isinstance(value, str) else json.dumps(value, default=_plain)


def _plain(value: Any) -> Any:
    """Return an object that JSON lacks, such as an array, as lists and numbers, or otherwise as text."""
    array = as_array(value)
    return array.tolist() if hasattr(array, "tolist") else str(value)
