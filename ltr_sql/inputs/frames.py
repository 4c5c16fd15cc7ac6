"""Prepare data frames so that DuckDB reads them without loss."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.exact_numbers import LARGEST_EXACT
from ltr_sql.inputs.tables import LARGEST_PLAIN, MOST_DIGITS, NUMBERS, canonical_name, listed_names


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


def refuse_splits(given: Any, what: str) -> None:
    """Raise InputError for several splits, as in a DatasetDict of Hugging Face, and for rows that are streamed.

    `what` names the table in the message.
    """
    if not hasattr(given, "with_format"):
        return
    start = f"{what} cannot be read from {type(given).__name__}"
    if isinstance(given, Mapping):
        if given:
            raise InputError(
                f"{start}, which has the splits {listed_names(map(repr, given), 5)}: pass one of them, such as "
                f"dataset[{[*given][-1]!r}]"
            )
    elif not hasattr(given, "__len__"):
        raise InputError(f"{start}, whose rows are streamed: pass list(dataset), or load it without streaming")


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
    """Return an id as text. A whole number has no fraction: see `tables.as_text`.

    Raises InputError for bytes that are not UTF-8.
    """
    if isinstance(value, str | Integral):
        return str(value)
    if isinstance(value, Real | Decimal) and _is_whole(value) and abs(float(value)) < LARGEST_PLAIN:
        return str(math.floor(value))
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


def refuse_rounded_integers(name: str, values: Iterable[Any]) -> None:
    """Raise InputError for a large integer in a column that has floats, too."""
    for value in values:
        if isinstance(value, Integral) and abs(int(value)) > LARGEST_EXACT:
            raise InputError(f"{name} has floats and the integer {value}, which a float may round: pass one type")


def with_integers(frame: Any, values_of: Callable[[Any], Iterable[Any]]) -> Any:
    """Return a pandas frame with Python objects in each column whose integers pandas has converted to floats.

    `values_of`: returns the values that a column was made from.
    """
    import pandas as pd  # noqa: PLC0415  (slow to load)

    for name in frame.columns:
        if frame[name].dtype.kind == "f":
            values = [*values_of(name)]
            if any(issubclass(kind, Integral) for kind in {*map(type, values)}):
                frame[name] = pd.Series(values, index=frame.index, dtype=object)
    return frame


def with_uniform_columns(frame: Any) -> tuple[Any, dict[str, str]]:
    """Return a pandas frame in which each column of Python objects has one type, and the columns to cast in DuckDB.

    DuckDB infers the type of a column of objects from some of its values. It would round other values, or drop leading
    zeros. Numbers keep all their digits, and other objects of several types become text. Columns of lists, such as
    vectors, stay as they are. The second result maps columns of text to the types of their numbers.
    """
    from pandas.api.types import infer_dtype  # noqa: PLC0415  (slow to load)

    converted: dict[Any, Any] = {}
    types: dict[str, str] = {}
    for position, name in enumerate(frame.columns):
        column = frame.iloc[:, position]
        if column.dtype != object or _holds_lists(column):
            continue
        kind = infer_dtype(column, skipna=True)
        if kind == "integer" or kind.startswith("mixed") or kind == "decimal":
            converted[name], number = _uniform(str(name), column)
            types |= {str(name): number} if number else {}
    if converted:
        frame = frame.copy(deep=False)
    for name, column in converted.items():
        frame[name] = column
    return frame, types


def _uniform(name: str, column: Any) -> tuple[Any, str]:
    """Return a column of Python objects as a column of numbers, or of text, which has to be cast to the second result.

    Raises InputError for numbers that a float may round, in a column beside floats.
    """
    values = column.dropna()
    kinds = {*map(type, values)}
    integers = {kind for kind in kinds if issubclass(kind, Integral)} - {bool}
    decimals = {kind for kind in kinds if issubclass(kind, Decimal)}
    floats = {kind for kind in kinds if issubclass(kind, Real)} - integers - {bool}
    if kinds != integers | decimals | floats:
        return column.map(text_of_id).where(column.notna(), None), ""
    if floats and integers and canonical_name(name) in NUMBERS:
        refuse_rounded_integers(name, values)
    if decimals and not floats and (kind := _decimal_of(values)):
        return column.map(_plain, na_action="ignore").where(column.notna(), None), kind
    with suppress(OverflowError, TypeError):
        if integers and not decimals and all(map(_is_whole, values if floats else ())):
            return (column.map(int, na_action="ignore") if floats else column).astype("Int64"), ""
        if (decimals or floats) and len({*values}) == len({*map(float, values)}):
            return column.map(float, na_action="ignore").astype(float), ""
    if decimals and canonical_name(name) in NUMBERS:
        raise InputError(f"{name} has numbers that differ, but not as floats: round them")
    return column.map(text_of_id).where(column.notna(), None), ""


def _is_whole(number: Any) -> bool:
    return math.isfinite(number) and bool(number == int(number))


def _plain(number: Any) -> str:
    """Return an integer or a Decimal as text without an exponent."""
    return f"{number:f}" if isinstance(number, Decimal) else str(int(number))


def _decimal_of(values: Iterable[Any]) -> str:
    """Return the type of DuckDB that holds all digits of integers and Decimals, or '' if there is none."""
    parts = [Decimal(value if isinstance(value, Decimal) else int(value)).as_tuple() for value in values]
    exponents = [part.exponent for part in parts if isinstance(part.exponent, int)]
    if len(exponents) < len(parts):
        return ""
    scale = -min(0, *exponents)
    digits = scale + max(len(part.digits) + exponent for part, exponent in zip(parts, exponents, strict=True))
    return f"DECIMAL({max(digits, scale, 1)}, {scale})" if max(digits, scale) <= MOST_DIGITS else ""
