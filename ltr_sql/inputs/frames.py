"""Prepare data frames so that DuckDB reads them without loss."""

import math
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.tables import canonical_name


def is_frame(given: Any) -> bool:
    """Return whether an object of pandas, polars or pyarrow is a table, and not a column, a group or a schema."""
    if type(given).__module__.partition(".")[0] == "pandas":
        return hasattr(given, "iloc") and given.ndim == 2
    return any(hasattr(given, name) for name in ("collect_schema", "projected_schema", "schema"))


def as_arrow(given: Any) -> Any:
    """Return a table of another library as Arrow data, such as a Dataset of Hugging Face. None for other objects."""
    for name in ("to_pyarrow_dataset", "to_pyarrow_table", "to_arrow", "to_pyarrow", "to_arrow_table"):
        if callable(method := getattr(given, name, None)):
            return method()
    # A Dataset of Hugging Face.
    return given.with_format("arrow")[:] if hasattr(given, "with_format") and hasattr(given, "column_names") else None


def column_names(given: Any) -> list[str]:
    """Return the column names of a data frame, pyarrow table, DuckDB relation or dict of columns."""
    if hasattr(given, "collect_schema"):
        return list(given.collect_schema().names())
    schema: Any = getattr(given, "projected_schema", None) or getattr(given, "schema", None)
    if hasattr(schema, "names"):
        return list(schema.names)
    return [str(name) for name in getattr(given, "columns", given)]


def number_of_rows(given: Any) -> int | None:
    """Return the number of rows of a data frame, pyarrow table or dict of columns. Return None for other tables."""
    if isinstance(given, Mapping):
        return len(next(iter(given.values()), ()))
    if type(given).__name__ in ("DataFrame", "Table"):
        return int(given.shape[0])
    return None


def refuse_repeated_columns(names: Iterable[str]) -> None:
    """Raise InputError if a column occurs twice. DuckDB would read only the first.

    Known names are compared case-insensitively.
    """
    seen: dict[str, str] = {}
    for name in names:
        known = canonical_name(name) or name
        if known in seen:
            raise InputError(
                f"the column {known} occurs twice, as {seen[known]} and {name}: keep one, and rename the other"
            )
        seen[known] = name


def may_repeat_columns(names: Iterable[str]) -> bool:
    """Return whether a name such as score_1 may come from DuckDB, which renames repeated columns."""
    return any(re.search(r"_\d+$", name) for name in names)


def columns_with_numbers(names: Collection[str]) -> list[str]:
    """Return the original names of columns that DuckDB renamed because they differ from another only in case.

    For score and Score_1, the result is Score.
    """
    originals = {re.sub(r"_\d+$", "", name) for name in names} - {*names}
    known = {name.lower() for name in names}
    return sorted(name for name in originals if name.lower() in known)


def _holds_lists(column: Any) -> bool:
    """Return whether all values of a column are lists or arrays, such as vectors."""
    values = column.dropna()
    return len(values) > 0 and all(isinstance(value, list) or getattr(value, "ndim", 0) == 1 for value in values)


def text_of_id(value: Any) -> str:
    """Return an id as text. Raises InputError for bytes that are not UTF-8."""
    if not isinstance(value, bytes | bytearray | memoryview):
        return str(value)
    try:
        return bytes(value).decode()
    except UnicodeDecodeError:
        raise InputError(f"{bytes(value)!r} is not UTF-8: pass ids as text") from None


def text_or_null(given: Any) -> str | None:
    """Return an id as text. None and NaN are NULL, as in data frames, and not the ids `None` and `nan`."""
    missing = given is None or (isinstance(given, float) and math.isnan(given))
    return None if missing else text_of_id(given)


def with_uniform_columns(frame: Any) -> Any:
    """Return a pandas frame in which columns of Python objects of several types are text.

    DuckDB infers the type of such a column from some of its values. It would round other values, or drop leading zeros.
    Columns of lists, such as vectors, stay as they are.
    """
    from pandas.api.types import infer_dtype  # noqa: PLC0415  (slow to load)

    converted = {}
    for position, name in enumerate(frame.columns):
        column = frame.iloc[:, position]
        if column.dtype != object or _holds_lists(column):
            continue
        kind = infer_dtype(column, skipna=True)
        if kind == "integer":
            try:
                converted[name] = column.astype("Int64")
            except (OverflowError, TypeError):
                # Integers beyond 64 bits become text.
                kind = "mixed"
        if kind.startswith("mixed") or kind == "decimal":
            converted[name] = column.map(text_of_id).where(column.notna(), None)
    if converted:
        frame = frame.copy(deep=False)
    for name, column in converted.items():
        frame[name] = column
    return frame
