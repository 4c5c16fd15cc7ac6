"""Runs and judgments in dicts, as arrays that DuckDB reads."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.frames import text_of_id
from ltr_sql.inputs.tables import listed_names

# A double holds every integer up to this one.
_LARGEST_INTEGER = 2**53


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


def is_dict_of_arrays(given: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is column -> numpy array. Raises InputError for arrays of different lengths."""
    if not all(type(column).__module__ == "numpy" for column in given.values()):
        return False
    if len({column.shape for column in given.values()}) > 1:
        shapes = listed_names((f"{name} {column.shape}" for name, column in given.items()), 5)
        raise InputError(f"the arrays of a dict must have the same length, got {shapes}")
    return True


def is_dict_of_dicts(given: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is query_id -> doc_id -> number, instead of a mapping of several runs."""
    documents = given.values()
    if not all(isinstance(of_query, Mapping) for of_query in documents):
        return False
    # Look at the first value of each query: in a dict of several runs it is a dict, not a number.
    return not any(isinstance(next(iter(of_query.values()), None), Mapping) for of_query in documents)


def columns_of_dict(given: Mapping[Any, Mapping[Any, Any]], value: str) -> dict[str, Any]:
    """Return query_id, doc_id and `value` of a dict of dicts as numpy arrays of equal length. Ids become text.

    Avoid loops over documents in Python, which would take longer than their evaluation. Only ids that are not text, and
    mixed integers and floats, need one.
    """
    import numpy as np  # noqa: PLC0415  (slow to load, and no other input needs it)

    documents = given.values()
    ids = list(chain.from_iterable(documents))
    if {*map(type, ids)} != {str}:
        ids = [*map(_id_of_dict, ids)]
    values = list(chain.from_iterable(of_query.values() for of_query in documents))
    numbers = np.array(values)
    _refuse_rounded_integers(numbers, values, value)
    if numbers.dtype.kind not in "biuf":
        # numpy converts numbers to text if one of them is text.
        numbers = np.empty(len(values), dtype=object)
        numbers[:] = values
    return {
        "query_id": np.repeat(np.array([*map(_id_of_dict, given)], dtype=object), [*map(len, documents)]),
        "doc_id": np.array(ids, dtype=object),
        value: numbers,
    }


def _id_of_dict(given: Any) -> str | None:
    """Return an id as text. None and NaN are NULL, as in data frames, and not the ids `None` and `nan`."""
    missing = given is None or (isinstance(given, float) and math.isnan(given))
    return None if missing else text_of_id(given)


def _refuse_rounded_integers(numbers: Any, values: list[Any], name: str) -> None:
    """Raise InputError if numpy rounded large integers of a list to doubles, because the list has floats, too."""
    if numbers.dtype.kind == "f" and len(kinds := {*map(type, values)}) > 1 and int in kinds:
        for value in values:
            if type(value) is int and abs(value) > _LARGEST_INTEGER:
                raise InputError(f"{name} has floats and the integer {value}, which a float may round: pass one type")


def joined_dicts(run: Any, qrels: Any, skip: bool) -> JoinedDicts | None:
    """Return a run joined with its judgments, or None unless both are dicts of dicts of finite numbers.

    Judged ids must be ASCII: others may have several Unicode forms. Scores must be exact as doubles. At least one
    document of the run must be judged. `skip` leaves out judged queries that the run lacks.
    """
    if not all(map(_is_plain_dict_of_dicts, (run, qrels))):
        return None
    import numpy as np  # noqa: PLC0415  (slow to load)

    retrieved, judged = ({query: found for query, found in given.items() if found} for given in (run, qrels))
    if not (_is_text(retrieved) and _is_text(chain(judged, *judged.values()), only_ascii=True)):
        return None
    names = sorted(retrieved.keys() & judged.keys() if skip else judged)
    found = [retrieved.get(name, {}) for name in names]
    doc_ids = list(chain.from_iterable(found))
    given_scores = list(chain.from_iterable(documents.values() for documents in found))
    scores = np.array(given_scores)
    _refuse_rounded_integers(scores, given_scores, "score")
    if not _is_text(doc_ids) or not _are_exact(scores):
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
    return scores.dtype.kind in "iu" and abs(scores).max() <= _LARGEST_INTEGER
