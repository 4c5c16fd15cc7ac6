"""Judgments of ir_datasets, by the name of their data set."""

from typing import Any

from ltr_sql.errors import InputError

PREFIX = "irds:"
# Columns of ir_datasets, and our names for them.
_COLUMNS = {"query_id": "query_id", "doc_id": "doc_id", "subtopic_id": "subtopic", "relevance": "relevance"}


def judgments_of(name: str) -> dict[str, Any]:
    """Return the judgments of a data set of ir_datasets as columns: query_id, doc_id, relevance, and subtopic if any.

    - `name`: the name after `irds:`, such as 'msmarco-passage/trec-dl-2019/judged'.

    ir_datasets downloads the data set on first use. Raises InputError if it is not installed, does not have the data
    set or its judgments, or cannot download them.
    """
    import numpy as np  # noqa: PLC0415  (slow to load)

    try:
        import ir_datasets  # noqa: PLC0415  (optional)
    except ModuleNotFoundError:
        raise InputError(
            f"{PREFIX}{name} is read with ir_datasets, which is not installed: run pip install 'ltr-sql[irds]'"
        ) from None
    try:
        data: Any = ir_datasets.load(name)
    except KeyError:
        raise InputError(f"ir_datasets has no data set {name!r}: see the list on https://ir-datasets.com") from None
    if not data.has_qrels():
        raise InputError(f"the data set {name!r} has no judgments: choose a part that has qrels")
    try:
        rows = [*data.qrels_iter()]
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"ir_datasets cannot read the judgments of {name!r}: {error}") from None
    found = {theirs: ours for theirs, ours in _COLUMNS.items() if theirs in data.qrels_cls()._fields}
    return {
        ours: np.array([getattr(row, theirs) for row in rows], dtype=None if ours == "relevance" else object)
        for theirs, ours in found.items()
    }
