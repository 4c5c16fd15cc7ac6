"""Runs and judgments in dicts, as arrays that DuckDB reads."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from numbers import Integral
from typing import Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.arrays import as_array, is_array, is_series
from ltr_sql.inputs.exact_numbers import LARGEST_EXACT
from ltr_sql.inputs.frames import refuse_rounded_integers, text_or_null, with_integers
from ltr_sql.inputs.ranked_lists import is_ranked_list
from ltr_sql.inputs.tables import IDS, canonical_name, is_column_name, listed_names


@dataclass(frozen=True)
class JoinedDicts:
    """A run joined with its judgments, as columns. Queries are numbered in the order of their ids.

    - `names`: the queries to evaluate: query_id (the number), query_name (the id).
    - `documents`: the documents of the run: query_id, doc_id, score, relevance. NaN means not judged.
    - `not_retrieved`: judged documents that the run lacks: query_id, relevance.
    - `query_ids`: the ids of all queries of the run, and of the judgments.
    """

    names: dict[str, Any]
    documents: dict[str, Any]
    not_retrieved: dict[str, Any]
    query_ids: tuple[Any, Any]


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
    numbers = _array_of(values, value)
    if numbers is None:
        return None
    columns = {
        "query_id": np.repeat(np.array([*map(text_or_null, given)], dtype=object), [*map(len, documents)]),
        "doc_id": np.array(ids, dtype=object),
        value: numbers,
    }
    return columns if numbers.dtype != object else columns_of_arrays(columns)


def _array_of(values: list[Any], name: str) -> Any:
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


def joined_dicts(run: Any, qrels: Any, skip: bool) -> JoinedDicts | None:
    """Return a run joined with its judgments, or None unless both are dicts of dicts of finite numbers.

    Judged ids must be ASCII: others may have several Unicode forms. Scores must be exact as doubles. At least one
    document of the run must be judged. `skip` leaves out judged queries that the run lacks.
    """
    if not all(map(_is_plain_dict_of_dicts, (run, qrels))):
        return None
    import numpy as np  # noqa: PLC0415  (slow to load)

    # A query without documents is an empty ranking.
    retrieved, judged = run, {query: found for query, found in qrels.items() if found}
    if not (_is_text(retrieved) and _is_text(chain(judged, *judged.values()), only_ascii=True)):
        return None
    names = sorted(retrieved.keys() & judged.keys() if skip else judged)
    found = [retrieved.get(name, {}) for name in names]
    doc_ids = list(chain.from_iterable(found))
    given_scores = list(chain.from_iterable(documents.values() for documents in found))
    scores = _array_of(given_scores, "score")
    if scores is None or not _is_text(doc_ids) or not _are_exact(scores):
        return None
    relevance: list[Any] = []
    further: list[Any] = []
    num_further = []
    for name, documents in zip(names, found, strict=True):
        # The dict begins with the documents of the run, in their order.
        merged = dict.fromkeys(documents, float("nan"))
        merged.update(judged[name])
        grades = [*merged.values()]
        relevance += grades[: len(documents)]
        further += grades[len(documents) :]
        num_further.append(len(grades) - len(documents))
    # Let numpy choose the type: with a given type, it would convert text and other objects to numbers.
    graded, others = np.array(relevance), np.array(further)
    if graded.dtype.kind not in "biuf" or others.dtype.kind not in "biuf":
        return None
    graded, others = graded.astype(float), others.astype(float)
    num_retrieved = np.isfinite(graded).sum()
    # The counts differ if a grade is not finite.
    if not num_retrieved or num_retrieved + np.isfinite(others).sum() < sum(len(judged[name]) for name in names):
        return None
    numbers = np.arange(len(names), dtype=np.int32)
    return JoinedDicts(
        names={"query_id": numbers, "query_name": np.array(names, dtype=object)},
        documents={
            "query_id": np.repeat(numbers, [*map(len, found)]),
            "doc_id": np.array(doc_ids, dtype=object),
            "score": scores.astype(float),
            "relevance": graded,
        },
        not_retrieved={"query_id": np.repeat(numbers, num_further), "relevance": others},
        query_ids=(np.array([*retrieved], dtype=object), np.array([*judged], dtype=object)),
    )


def _is_plain_dict_of_dicts(given: Any) -> bool:
    """Return whether both levels of a dict of dicts are dicts, and not other mappings."""
    return (
        isinstance(given, dict)
        and all(isinstance(documents, dict) for documents in given.values())
        and is_dict_of_dicts(given)
    )


def _is_text(ids: Iterable[Any], only_ascii: bool = False) -> bool:
    try:
        text = "".join(ids)
    except TypeError:
        return False
    return not only_ascii or text.isascii()


def _are_exact(scores: Any) -> bool:
    """Return whether the numbers of an array are finite, and doubles represent them exactly."""
    import numpy as np  # noqa: PLC0415  (slow to load)

    if scores.dtype.kind == "f":
        return scores.dtype.itemsize <= 8 and bool(np.isfinite(scores).all())
    return scores.dtype.kind in "iu" and abs(scores).max() <= LARGEST_EXACT
