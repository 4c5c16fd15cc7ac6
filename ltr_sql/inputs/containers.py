"""Python objects as columns that DuckDB reads: arrays, data frames, dicts, ranked lists and records."""

import json
import math
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import chain
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from ltr_sql.errors import InputError, InputWarning
from ltr_sql.inputs.tables import (
    IDS,
    LARGEST_EXACT,
    LARGEST_PLAIN,
    MOST_DIGITS,
    NUMBERS,
    canonical_name,
    is_column_name,
    listed_names,
)

if TYPE_CHECKING:
    import pandas as pd


def library_of(given: Any) -> str:
    """Return the library of a data frame or column: 'pandas', 'polars', 'pyarrow', or '' for other objects."""
    library = type(given).__module__.partition(".")[0]
    return library if library in ("pandas", "polars", "pyarrow") else ""


def is_array(given: Any) -> bool:
    """Return whether an object is an array of numpy or of a library that shares its arrays, such as PyTorch or JAX."""
    is_shared = hasattr(given, "__array__") or hasattr(given, "__dlpack__")
    return is_shared and hasattr(given, "shape") and not library_of(given)


def is_series(given: Any) -> bool:
    """Return whether an object is a column of pandas or polars."""
    return type(given).__name__ == "Series" and bool(library_of(given))


def as_array(given: Any) -> Any:
    """Return an array as a numpy array, also from another device and with a gradient. Other objects stay as they are.

    Floats of 16 bits that numpy lacks become floats of 32 bits.
    """
    import numpy as np  # noqa: PLC0415  (slow to load, and few calls need it)

    if not is_array(given) or type(given).__module__ == "numpy":
        return given
    for name in ("detach", "cpu"):
        given = getattr(given, name, lambda same=given: same)()
    if str(getattr(given, "dtype", "")).endswith("bfloat16"):
        given = given.float() if hasattr(given, "float") else given.astype("float32")
    return np.asarray(given) if hasattr(given, "__array__") else np.from_dlpack(given)


def is_frame(given: Any) -> bool:
    """Return whether an object of pandas, polars or pyarrow is a table, and not a column, a group or a schema."""
    if library_of(given) == "pandas":
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

    `given`: an object of Hugging Face. `what` names the table in the message.
    """
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


# Types of DuckDB for types of columns in numpy, pandas, polars and pyarrow that have a single meaning there.
_TYPES = {
    **dict.fromkeys(("float64", "Float64", "double"), "DOUBLE"),
    **dict.fromkeys(("int64", "Int64"), "BIGINT"),
    **dict.fromkeys(("int32", "Int32"), "INTEGER"),
    **dict.fromkeys(("str", "string", "String", "large_string"), "VARCHAR"),
}


def types_of_columns(given: Any) -> dict[str, str] | None:
    """Return the type of DuckDB for each column of a data frame, pyarrow table or dict of arrays.

    Returns None if only DuckDB knows a type, and for names that DuckDB changes because they differ only in case.
    """
    if isinstance(given, Mapping):
        kinds = {name: column.dtype for name, column in given.items() if getattr(column, "ndim", 0) == 1}
    elif type(given).__name__ == "DataFrame":
        kinds = dict(zip(given.columns, given.dtypes, strict=True))
    elif type(given).__name__ == "Table":
        kinds = dict(zip(given.schema.names, given.schema.types, strict=True))
    else:
        return None
    types = {name: _TYPES.get(str(kind)) for name, kind in kinds.items() if isinstance(name, str)}
    found = {name: kind for name, kind in types.items() if kind is not None}
    different = {name.lower() for name in found}
    return found if len(different) == len(column_names(given)) else None


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
    return None if _is_missing(given) else text_of_id(given)


def _is_missing(value: Any) -> bool:
    """Return whether a value is None or NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


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


# Texts that fill up short lists.
_PADDING = ("", "-", "-1", "pad", "<pad>", "[pad]", "none", "null", "nan", "n/a", "<na>")
# Rows in which 0 must stand at the end to look like padding. The id 0 of a document may stand there, too.
_FEWEST_ZEROS = 3


def from_lists(lists: Any, queries: Any = None, *, scores: Any = None, pad: Any = None) -> "pd.DataFrame":
    """Return the run of a matrix of documents: one row per query, the best document first.

    - `lists`: document ids, queries x k: a numpy array, a tensor of PyTorch or JAX, another array with DLPack or
      `__array__`, or a list of lists, which may differ in length.
    - `queries`: one query id per row; by default 0, 1, ...
    - `scores`: scores in the shape of `lists`. The scores then rank the documents, with the tie-breaking rule of the
      call; `ties="row_order"` ranks tied documents in the order of the list.
    - `pad`: the id that fills up short lists, such as -1. These entries are left out, as None and NaN always are.
      Without `pad`, a warning names entries that look like padding.

    The result has the columns query_id, doc_id, and score, or without `scores` rank from 1. A query whose entries are
    all left out has no rows: measures count it as a ranking without documents if it is judged, and with missing='skip'
    if `asked` names it.

    Raises InputError for a repeated query id, for arguments whose shapes differ, and for entries that are not ids.

    >>> run = ltr_sql.from_lists([["a", "b"], ["c", "-"]], ["u", "v"], pad="-")
    >>> ltr_sql.evaluate(run, ["RR", "NumRet"], qrels={"u": {"b": 1}, "v": {"c": 1}})
       queries    RR  NumRet
    0        2  0.75     3.0
    """
    import numpy as np  # noqa: PLC0415  (slow to load, and few calls need it)
    import pandas as pd  # noqa: PLC0415  (slow to load)

    rows = _rows_of("lists", lists)
    ids = [*range(len(rows))] if queries is None else _listed(queries)
    if len(ids) != len(rows):
        raise InputError(f"queries must hold one id per row of lists: it has {len(ids):,} for {len(rows):,} rows")
    for name, times in Counter(ids).most_common(1):
        if times > 1:
            raise InputError(f"queries has the id {name} {times} times: pass one list per query")
    sizes = [*map(len, rows)]
    documents = _joined(rows)
    kept = ~pd.isna(documents)
    if pad is not None:
        kept &= documents != pad
    number = np.repeat(np.arange(len(ids)), sizes)[kept]
    if pad is None and (found := _padding(documents[kept], number)):
        warnings.warn(
            f"lists holds {found}. What to do: nothing if it is the id of a document; otherwise pass pad= with this "
            "entry to leave it out",
            InputWarning,
            stacklevel=2,
        )
    columns = {"query_id": _ids(_array_of(ids))[number], "doc_id": _ids(documents[kept])}
    if scores is None:
        columns["rank"] = _ranks(number)
    else:
        scored = _rows_of("scores", scores)
        if [*map(len, scored)] != sizes:
            raise InputError(
                f"scores must have the shape of lists, got {_shape(scored)} scores for {_shape(rows)} documents"
            )
        columns["score"] = _joined(scored)[kept]
    return pd.DataFrame(columns)


def padding_in(columns: Mapping[str, Any]) -> str:
    """Return a text about an entry of `columns_of_lists` that looks like padding, or '' if there is none."""
    queries = columns["query_id"]
    starts = queries[1:] != queries[:-1]
    found = _padding(columns["doc_id"], [0, *starts.cumsum()]) if len(queries) else ""
    return found and (
        f"the lists hold {found}. What to do: nothing if it is the id of a document; otherwise leave it out of the "
        "lists, or pass ltr_sql.from_lists(lists, queries, pad=...)"
    )


def _padding(documents: Any, number: Any) -> str:
    """Return a text about an entry that looks like padding and the rows that hold it, or '' if there is none.

    These are the only negative number, 0 that always stands at the end of a row, and texts such as '-'. `number` is the
    ascending number of the row of each entry.
    """
    import numpy as np  # noqa: PLC0415  (slow to load, and few calls need it)
    import pandas as pd  # noqa: PLC0415  (slow to load)

    number = np.asarray(number)
    entry: Any
    if not len(number):
        return ""
    if documents.dtype.kind in "iuf":
        least = documents.min(initial=0)
        found, entry = documents == least, int(least)
        if least == 0:
            followed = np.append(found[1:], False) | np.append(number[1:] != number[:-1], True)
            alike = followed[found].all() and len({*number[found]}) >= _FEWEST_ZEROS
        else:
            alike = (documents[documents < 0] == least).all()
    else:
        texts = pd.Series(documents).map(lambda entry: entry.strip().lower() if isinstance(entry, str) else "x")
        found, alike = texts.isin(_PADDING).to_numpy(), True
        entry = str(documents[found][0]) if found.any() else ""
    if not (alike and found.any()) or found.all():
        return ""
    rows = len({*number[found]})
    return f"{entry!r} in {rows:,} row{'s' * (rows > 1)}, as padding does, and it counts as a document"


def is_ranked_list(given: Any) -> bool:
    """Return whether an object may be the documents of one query: a list, a tuple, a set or an array of one axis."""
    if is_array(given):
        return len(given.shape) == 1
    return isinstance(given, list | tuple | set | frozenset)


def columns_of_lists(given: Mapping[Any, Any], ranked: bool) -> dict[str, Any]:
    """Return the columns of a dict of query_id -> documents: query_id, doc_id and, if `ranked`, rank from 1.

    Raises InputError for a set that must be ranked, and for entries that are not ids.
    """
    import numpy as np  # noqa: PLC0415  (slow to load, and few calls need it)

    rows = [*map(_listed, given.values())]
    for (query, documents), row in zip(given.items(), rows, strict=True):
        if ranked and isinstance(documents, set | frozenset):
            raise InputError(
                f"the documents of query {query} are a set, which has no order: pass a list, the best document first"
            )
        for entry in row:
            nested = isinstance(entry, Mapping | Sequence) and not isinstance(entry, str | bytes)
            # NaN stands for a missing id.
            if nested or (isinstance(entry, float) and not _is_missing(entry)):
                raise InputError(
                    f"the list of query {query} holds {str(entry)[:80]}, which is not the id of a document: pass a "
                    "list of ids, or with scores a dict of query_id -> doc_id -> score"
                )
    number = np.repeat(np.arange(len(rows)), [*map(len, rows)])
    columns = {
        "query_id": _array_of(map(text_or_null, given))[number],
        "doc_id": _array_of(map(text_or_null, chain.from_iterable(rows))),
    }
    return {**columns, "rank": _ranks(number)} if ranked else columns


def _rows_of(what: str, given: Any) -> Any:
    """Return the rows of a matrix: a numpy array, or a list of arrays and lists.

    Raises InputError for an object that is not a matrix.
    """
    rows = as_array(given)
    if is_array(rows):
        if rows.ndim != 2:
            raise InputError(f"{what} must be a matrix, queries x documents, got an array of shape {rows.shape}")
        return rows
    if isinstance(rows, list | tuple) and all(map(is_ranked_list, rows)):
        return [*map(as_array, rows)]
    raise InputError(
        f"{what} must be a matrix, or a list with one list per query, got {type(given).__name__}"
        + (f" of {type(rows[0]).__name__}" if isinstance(rows, list | tuple) and rows else "")
    )


def _joined(rows: Any) -> Any:
    """Return the entries of all rows as one numpy array."""
    return rows.ravel() if is_array(rows) else _array_of(chain.from_iterable(map(_listed, rows)))


def _ranks(number: Any) -> Any:
    """Return the ranks of documents, given the ascending number of the query of each."""
    import numpy as np  # noqa: PLC0415  (slow to load, and few calls need it)

    return np.arange(len(number)) - np.searchsorted(number, number) + 1


def _ids(ids: Any) -> Any:
    """Return ids as integers or as objects. Raises InputError for numbers with a fraction.

    A matrix with NaN has floats instead of integers.
    """
    if ids.dtype.kind == "f":
        if (wrong := ids[ids != ids.round()]).size:
            raise InputError(f"the matrix must hold ids, got the number {wrong[0]}: pass scores as scores=")
        return ids.astype("int64")
    return ids if ids.dtype.kind in "iu" else ids.astype(object)


def _array_of(values: Iterable[Any]) -> Any:
    """Return values as a numpy array: of numbers if all are integers or all are floats, otherwise of objects."""
    import numpy as np  # noqa: PLC0415  (slow to load, and few calls need it)

    listed = [*values]
    if {*map(type, listed)} in ({int}, {float}):
        return np.array(listed)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def _listed(given: Any) -> list[Any]:
    """Return the values of a list, a set, an array or a column as objects of Python."""
    array = as_array(given)
    return array.tolist() if hasattr(array, "tolist") else [*array]


def _shape(rows: Any) -> str:
    lengths = {*map(len, rows)}
    return f"{len(rows):,} x {lengths.pop()}" if len(lengths) == 1 else f"{len(rows):,} lists of several lengths"


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


def _json(value: Any) -> str:
    """Return a value as JSON. Text is JSON already."""
    return value if isinstance(value, str) else json.dumps(value, default=_plain_object)


def _plain_object(value: Any) -> Any:
    """Return an object that JSON lacks, such as an array, as lists and numbers, or otherwise as text."""
    array = as_array(value)
    return array.tolist() if hasattr(array, "tolist") else str(value)


def is_dict_of_columns(given: Mapping[Any, Any], known: Collection[str] = ()) -> bool:
    """Return whether a mapping is column -> array or list, and not query_id -> documents.

    It is if one of its names is query_id, doc_id or one of the columns `known` to the caller, or if two are names of
    columns here or in other tools.
    """
    if not given or not all(
        is_array(column) or is_series(column) or isinstance(column, list) for column in given.values()
    ):
        return False
    names = [name for name in given if isinstance(name, str)]
    return any(canonical_name(name) in IDS or name in known for name in names) or sum(map(is_column_name, names)) > 1


def columns_of_arrays(given: Mapping[Any, Any]) -> Any:
    """Return a mapping of column -> array or list as a dict of numpy arrays, or as a data frame if it has lists.

    Raises InputError for columns of different lengths.
    """
    # Series are read by position, whatever their index.
    columns = {name: column.array if hasattr(column, "array") else as_array(column) for name, column in given.items()}
    shapes = {name: column.shape if is_array(column) else (len(column),) for name, column in columns.items()}
    if len({*shapes.values()}) > 1:
        listed = listed_names((f"{name} {shape}" for name, shape in shapes.items()), 5)
        matrix = any(len(shape) == 2 for shape in shapes.values())
        raise InputError(
            f"the arrays of a dict must have the same length, got {listed}"
            + (". For a matrix of documents, one row per query, pass ltr_sql.from_lists(matrix, queries)" * matrix)
        )
    if all(is_array(column) and column.dtype != object for column in columns.values()):
        return columns
    import pandas as pd  # noqa: PLC0415  (slow to load)

    return with_integers(pd.DataFrame(columns), columns.__getitem__)


def with_documents_of_series(given: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return a mapping of query_id -> Series with a dict of doc_id -> number, or a list of documents, for each Series.

    Raises InputError for numbers whose index holds no ids.
    """
    return {query: _documents(query, held) if is_series(held) else held for query, held in given.items()}


def _documents(query: Any, series: Any) -> Any:
    index = getattr(series, "index", None)
    if index is None or getattr(series.dtype, "kind", "O") not in "biuf":
        return series.to_list()
    if type(index).__name__ in ("RangeIndex", "MultiIndex"):
        raise InputError(
            f"the Series of {text_or_null(query)} has numbers, and no ids of documents as its index: set them as its "
            "index; for a list of ids, pass .tolist(); for several queries, pass .reset_index()"
        )
    return dict(zip(index, series.array, strict=True))


def is_dict_of_lists(given: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is query_id -> documents."""
    return all(map(is_ranked_list, given.values()))


def is_dict_of_dicts(given: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is query_id -> doc_id -> number, instead of a mapping of several runs."""
    documents = given.values()
    if not all(isinstance(of_query, Mapping) for of_query in documents):
        return False
    # Look at the first value of each query: in a dict of several runs it is a dict or a list, not a number.
    first = (next(iter(of_query.values()), None) for of_query in documents)
    return not any(isinstance(value, Mapping) or is_ranked_list(value) for value in first)


def unanswered_queries(given: Mapping[Any, Any]) -> list[str | None]:
    """Return the ids of the queries of query_id -> documents that have no documents."""
    return [text_or_null(query) for query, documents in given.items() if not len(documents)]


def columns_of_dict(given: Mapping[Any, Mapping[Any, Any]], value: str) -> Any:
    """Return query_id, doc_id and `value` of a dict of dicts as numpy arrays of equal length. Ids become text.

    The result is a data frame instead if the numbers are objects, such as Decimals and integers beyond 64 bits.

    Returns None if a value is an object or a list.

    Avoid loops over documents in Python, which would take longer than their evaluation. Only ids that are not text, and
    mixed integers and floats, need one.
    """
    import numpy as np  # noqa: PLC0415  (slow to load, and no other input needs it)

    documents = given.values()
    ids = list(chain.from_iterable(documents))
    if {*map(type, ids)} != {str}:
        ids = [*map(text_or_null, ids)]
    values = list(chain.from_iterable(of_query.values() for of_query in documents))
    numbers = array_of_numbers(values, value)
    if numbers is None:
        return None
    columns = {
        "query_id": np.repeat(np.array([*map(text_or_null, given)], dtype=object), [*map(len, documents)]),
        "doc_id": np.array(ids, dtype=object),
        value: numbers,
    }
    return columns if numbers.dtype != object else columns_of_arrays(columns)


def array_of_numbers(values: list[Any], name: str) -> Any:
    """Return the numbers of a column as a numpy array: of Python objects if no type of numpy holds all of them.

    Returns None if a value is an object or a list. Raises InputError for large integers beside floats.
    """
    import numpy as np  # noqa: PLC0415  (slow to load, and no other input needs it)

    try:
        numbers = np.array(values)
    except ValueError:
        # Lists of several lengths.
        return None
    if numbers.ndim != 1:
        return None
    kinds = {*map(type, values)} if numbers.dtype.kind == "f" else {*()}
    integers = [kind for kind in kinds if issubclass(kind, Integral)]
    if integers and len(integers) < len(kinds):
        refuse_rounded_integers(name, values)
    # numpy converts integers of several types to floats, and numbers to text if one of them is text.
    if numbers.dtype.kind not in "biuf" or (integers and len(integers) == len(kinds)):
        if any(isinstance(held, Mapping | list | tuple) for held in values):
            return None
        numbers = np.empty(len(values), dtype=object)
        numbers[:] = values
    return numbers
