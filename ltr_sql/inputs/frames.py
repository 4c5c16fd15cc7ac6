"""Data frames as DuckDB reads them without loss."""

import re
from collections.abc import Collection, Iterable
from typing import Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.tables import canonical_name


def column_names(given: Any) -> list[str]:
    """Return the column names of a data frame, a table of pyarrow, a relation, or a dict of columns."""
    if hasattr(given, "collect_schema"):
        return list(given.collect_schema().names())
    schema: Any = getattr(given, "projected_schema", None) or getattr(given, "schema", None)
    if hasattr(schema, "names"):
        return list(schema.names)
    return [str(name) for name in getattr(given, "columns", given)]


def refuse_repeated_columns(names: Iterable[str]) -> None:
    """Raise InputError if a known column occurs twice: names are case-insensitive, and DuckDB would read the first."""
    seen: dict[str, str] = {}
    for name in names:
        known = canonical_name(name)
        if known in seen:
            raise InputError(
                f"the column {known} occurs twice, as {seen[known]} and {name}: keep one, and rename the other"
            )
        if known is not None:
            seen[known] = name


def may_repeat_columns(names: Iterable[str]) -> bool:
    """Return whether DuckDB may have renamed a column because another one has its name, such as score_1."""
    return any(re.search(r"_\d+$", name) for name in names)


def columns_with_numbers(names: Collection[str]) -> list[str]:
    """Return the columns that DuckDB renamed because of one in other case: `Score` for score and Score_1."""
    originals = {re.sub(r"_\d+$", "", name) for name in names} - {*names}
    known = {name.lower() for name in names}
    return sorted(name for name in originals if name.lower() in known)


def with_uniform_columns(frame: Any) -> Any:
    """Return a pandas frame without columns of Python objects of several types, which become text.

    DuckDB infers the type of such a column from some of its values. Others are rounded, or lose leading zeros.
    """
    from pandas.api.types import infer_dtype  # noqa: PLC0415  (slow to load)

    converted = {}
    for position, name in enumerate(frame.columns):
        column = frame.iloc[:, position]
        if column.dtype != object:
            continue
        kind = infer_dtype(column, skipna=True)
        if kind == "integer":
            try:
                converted[name] = column.astype("Int64")
            except (OverflowError, TypeError):
                # Beyond 64 bits.
                kind = "mixed"
        if kind.startswith("mixed") or kind == "decimal":
            converted[name] = column.map(str).where(column.notna(), None)
    return frame.assign(**converted) if converted else frame
