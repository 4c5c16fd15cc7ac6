"""Ranked lists of documents, one for each query, as columns of a run."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from ltr_sql.errors import InputError, InputWarning
from ltr_sql.inputs.arrays import as_array, is_array
from ltr_sql.inputs.frames import text_or_null

if TYPE_CHECKING:
    import pandas as pd

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
            if (isinstance(entry, Mapping | Sequence) and not isinstance(entry, str | bytes)) or _is_float(entry):
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


def _is_float(entry: Any) -> bool:
    """Return whether an entry is a float that is not NaN, which stands for a missing id."""
    return isinstance(entry, float) and entry == entry  # noqa: PLR0124  (NaN differs from itself)


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
