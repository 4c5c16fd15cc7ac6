"""Convert labels, groups and scores of learning to rank to columns of judgments and runs."""

from typing import Any

from ltr_sql.errors import InputError

Columns = dict[str, Any]


def labelled_documents(labels: Any, group: Any) -> Columns:
    """Return labelled documents as arrays: query_id, doc_id, row_order and relevance.

    - `labels`: one grade per document.
    - `group`: the number of documents of each query, or one query id per document.

    Raises InputError if labels are not finite numbers, or if `group` fits both forms or neither.
    """
    import numpy as np  # noqa: PLC0415  (slow to load, and few calls need it)

    # Copy both: the caller may change them later.
    grades, groups = np.array(labels), np.array(group)
    for name, array in {"labels": grades, "group": groups}.items():
        if array.ndim != 1 or not len(array):
            raise InputError(f"{name} must be a sequence with at least one value, got an array of shape {array.shape}")
    if grades.dtype.kind not in "biuf" or not np.isfinite(grades).all():
        raise InputError(f"labels must be finite numbers, got an array of type {grades.dtype}: {grades}")
    are_ids = len(groups) == len(grades)
    are_sizes = groups.dtype.kind in "iu" and groups.min() >= 0 and int(groups.sum()) == len(grades)
    if are_ids and are_sizes:
        raise InputError(f"group may hold sizes or query ids: both fit {len(grades)} labels. Pass query ids, as text")
    if not are_ids and not are_sizes:
        raise InputError(
            f"group must hold sizes of queries with the sum {len(grades)}, or one query id for each of the "
            f"{len(grades)} labels; it has {len(groups)} values"
            + (f" with the sum {groups.sum()}" if groups.dtype.kind in "iuf" else "")
        )
    positions = np.arange(len(grades))
    return {
        "query_id": np.repeat(np.arange(len(groups)), groups) if are_sizes else _as_text(groups),
        "doc_id": positions,
        "row_order": positions,
        "relevance": grades,
    }


def with_scores(documents: Columns, scores: Any) -> Columns:
    """Return the columns of a run of labelled documents. Raises InputError unless there is one score per document."""
    import numpy as np  # noqa: PLC0415  (slow to load, and few calls need it)

    array = np.asarray(scores)
    expected = documents["doc_id"].shape
    if array.shape != expected or array.dtype.kind not in "biuf":
        raise InputError(
            f"scores must be an array of {expected[0]} numbers, one per label, got an array of shape {array.shape} and "
            f"type {array.dtype}"
        )
    return {**{name: documents[name] for name in ("query_id", "doc_id", "row_order")}, "score": array}


def _as_text(ids: Any) -> Any:
    """Return ids as an array that DuckDB can read: unchanged if they are numbers, else as text."""
    import numpy as np  # noqa: PLC0415  (slow to load, and few calls need it)

    return ids if ids.dtype.kind in "iuf" else np.array([*map(str, ids)], dtype=object)
