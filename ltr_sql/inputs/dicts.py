"""Runs and judgments in dicts, as arrays that DuckDB reads."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from ltr_sql.errors import InputError


def is_dict_of_arrays(given: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is column -> numpy array. Raises InputError for arrays of different lengths."""
    if not all(type(column).__module__ == "numpy" for column in given.values()):
        return False
    if len({column.shape for column in given.values()}) > 1:
        shapes = ", ".join(f"{name} {column.shape}" for name, column in given.items())
        raise InputError(f"the arrays of a dict must have the same length, got {shapes}")
    return True


def is_dict_of_dicts(given: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is query_id -> doc_id -> number, instead of a mapping of several runs."""
    documents = given.values()
    if not all(isinstance(of_query, Mapping) for of_query in documents):
        return False
    # The first value of each query tells, because a run of several has no numbers beside its queries.
    return not any(isinstance(next(iter(of_query.values()), None), Mapping) for of_query in documents)


def columns_of_dict(given: Mapping[Any, Mapping[Any, Any]], value: str) -> dict[str, Any]:
    """Return query_id, doc_id and `value` of a dict of dicts as numpy arrays of equal length. Ids become text.

    No step loops over documents in Python, because that would take longer than their evaluation.
    """
    import numpy as np  # noqa: PLC0415  (slow to load, and no other input needs it)

    documents = given.values()
    ids = list(chain.from_iterable(documents))
    if {*map(type, ids)} != {str}:
        ids = [*map(str, ids)]
    values = list(chain.from_iterable(of_query.values() for of_query in documents))
    numbers = np.array(values)
    if numbers.dtype.kind not in "biuf":
        # numpy converts numbers to text if one of them is text.
        numbers = np.empty(len(values), dtype=object)
        numbers[:] = values
    return {
        "query_id": np.repeat(np.array([*map(str, given)], dtype=object), [*map(len, documents)]),
        "doc_id": np.array(ids, dtype=object),
        value: numbers,
    }
