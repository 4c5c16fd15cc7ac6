"""Convert labels, groups, weights and scores of learning to rank to columns of judgments and runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.containers import as_array

if TYPE_CHECKING:
    import numpy as np

Columns = dict[str, Any]
GROUP_HOLDS = ("sizes", "query_ids")


@dataclass(frozen=True)
class LabelledDocuments:
    """Labelled documents of queries.

    - `columns`: arrays with one value per document: query_id, doc_id, row_order and relevance.
    - `sizes`: the number of documents of each query, or None if the queries have ids of the caller.
    """

    columns: Columns
    sizes: "np.ndarray | None"

    @property
    def has_empty_queries(self) -> bool:
        """Whether a query has no documents."""
        return self.sizes is not None and not self.sizes.all()

    def judgments(self) -> Columns:
        """Return the columns of the judgments. A query without documents has a document that is not judged."""
        import numpy as np  # noqa: PLC0415  (slow to load, and few calls need it)

        if self.sizes is None or not self.has_empty_queries:
            return self.columns
        empty = np.flatnonzero(self.sizes == 0)
        positions = len(self.columns["doc_id"]) + np.arange(len(empty))
        added = {
            "query_id": empty,
            "doc_id": positions,
            "row_order": positions,
            "relevance": np.full(len(empty), np.nan),
        }
        return {name: np.concatenate([column, added[name]]) for name, column in self.columns.items()}

    def weights(self, given: Any) -> Any:
        """Return weights of the queries in a form that `Evaluator` accepts.

        `given` holds one weight per query, in the order of their first documents, or maps query ids to weights. Raises
        InputError for another number of weights.
        """
        import numpy as np  # noqa: PLC0415  (slow to load, and few calls need it)
        import pandas as pd  # noqa: PLC0415  (slow to load)

        if given is None or isinstance(given, Mapping):
            return given
        ids = pd.unique(self.columns["query_id"]) if self.sizes is None else np.arange(len(self.sizes))
        array = np.array(as_array(given))
        if array.shape != ids.shape or array.dtype.kind not in "biuf":
            raise InputError(
                f"weights must be {len(ids)} numbers, one per query, got an array of shape {array.shape} and type "
                f"{array.dtype}"
            )
        return pd.DataFrame({"query_id": ids, "weight": array})


def labelled_documents(labels: Any, group: Any, group_holds: str | None) -> LabelledDocuments:
    """Return labelled documents.

    - `labels`: one grade per document, or a matrix with one row per query.
    - `group`: the number of documents of each query, or one query id per document. None for a matrix.
    - `group_holds`: 'sizes' or 'query_ids', if `group` fits both.

    Raises InputError if labels are not finite numbers, or if `group` fits both forms or neither.
    """
    import numpy as np  # noqa: PLC0415  (slow to load, and few calls need it)

    # Copy both: the caller may change them later.
    grades = np.array(as_array(labels))
    if grades.ndim == 2 and group is None:
        group, grades = [grades.shape[1]] * len(grades), grades.ravel()
        group_holds = "sizes"
    if group is None:
        raise InputError("pass group, or labels as a matrix with one row per query")
    groups = np.array(as_array(group))
    for name, array in {"labels": grades, "group": groups}.items():
        if array.ndim != 1 or not len(array):
            raise InputError(f"{name} must be a sequence with at least one value, got an array of shape {array.shape}")
    if grades.dtype.kind not in "biuf" or not np.isfinite(grades).all():
        raise InputError(f"labels must be finite numbers, got an array of type {grades.dtype}: {grades}")
    positions = np.arange(len(grades))
    are_sizes = _group_form(groups, len(grades), group_holds) == "sizes"
    columns = {
        "query_id": np.repeat(np.arange(len(groups)), groups) if are_sizes else _as_text(groups),
        "doc_id": positions,
        "row_order": positions,
        "relevance": grades,
    }
    return LabelledDocuments(columns, groups if are_sizes else None)


def with_scores(documents: Columns, scores: Any) -> Columns:
    """Return the columns of a run of labelled documents. Raises InputError unless there is one score per document."""
    import numpy as np  # noqa: PLC0415  (slow to load, and few calls need it)

    array = np.asarray(as_array(scores))
    expected = documents["doc_id"].shape
    if array.ndim == 2 and array.size == expected[0] and _is_row_per_query(documents["query_id"], array.shape):
        array = array.ravel()
    if array.shape != expected or array.dtype.kind not in "biuf":
        raise InputError(
            f"scores must be an array of {expected[0]} numbers, one per label, got an array of shape {array.shape} and "
            f"type {array.dtype}"
        )
    return {**{name: documents[name] for name in ("query_id", "doc_id", "row_order")}, "score": array}


def _is_row_per_query(query_ids: "np.ndarray", shape: tuple[int, ...]) -> bool:
    """Return whether each row of a matrix of this shape holds the documents of another query."""
    rows = query_ids.reshape(shape)
    return bool((rows == rows[:, :1]).all()) and len({*rows[:, 0]}) == len(rows)


def _group_form(groups: "np.ndarray", labels: int, group_holds: str | None) -> str:
    """Return 'sizes' or 'query_ids'. Raises InputError if groups of this number of labels have another form."""
    if group_holds not in (None, *GROUP_HOLDS):
        raise InputError(f"group_holds must be {' or '.join(map(repr, GROUP_HOLDS))}, got {group_holds!r}")
    fits = {
        "sizes": groups.dtype.kind in "iu" and groups.min() >= 0 and int(groups.sum()) == labels,
        "query_ids": len(groups) == labels,
    }
    forms = [form for form in GROUP_HOLDS if fits[form] and group_holds in (None, form)]
    if len(forms) == 1 or (forms and labels == 1):
        # A single document is one query in both forms.
        return forms[0]
    if forms:
        raise InputError(
            f"group may hold sizes or query ids: both fit {labels} labels. Pass group_holds='sizes' or "
            "group_holds='query_ids'"
        )
    texts = {
        "sizes": f"sizes of queries with the sum {labels}",
        "query_ids": f"one query id for each of the {labels} labels",
    }
    accepted = ", or ".join(text for form, text in texts.items() if group_holds in (None, form))
    raise InputError(
        f"group must hold {accepted}; it has {len(groups)} values"
        + (f" with the sum {groups.sum()}" if groups.dtype.kind in "iuf" else "")
    )


def _as_text(ids: Any) -> Any:
    """Return ids as an array that DuckDB can read: unchanged if they are numbers, else as text."""
    import numpy as np  # noqa: PLC0415  (slow to load, and few calls need it)

    return ids if ids.dtype.kind in "iuf" else np.array([*map(str, ids)], dtype=object)
