"""Nested values of Python objects, as JSON that DuckDB reads."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ltr_sql.inputs.arrays import as_array
from ltr_sql.inputs.frames import with_integers

if TYPE_CHECKING:
    import pandas as pd


def frame_of_records(rows: Sequence[Mapping[str, Any]], nested: Collection[str]) -> "pd.DataFrame":
    """Return a list of dicts, such as json.loads returns, as a data frame. `nested` are columns of nested values."""
    import pandas as pd  # noqa: PLC0415  (slow to load)

    frame = with_integers(pd.DataFrame([dict(row) for row in rows]), lambda name: [row.get(name) for row in rows])
    return with_nested_as_json(frame, nested)


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
