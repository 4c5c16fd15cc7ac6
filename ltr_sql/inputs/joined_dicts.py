"""A run and its judgments, both dicts of dicts, joined in Python."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ltr_sql.inputs.containers import array_of_numbers, is_dict_of_dicts
from ltr_sql.inputs.tables import LARGEST_EXACT

# Share of the documents in queries with ties above which a query of two parts takes longer than ids for all.
_MOSTLY_TIED = 1 / 2


@dataclass(frozen=True)
class JoinedDicts:
    """A run joined with its judgments, as columns. Queries are numbered in the order of their ids.

    - `names`: the queries to evaluate: query_id (the number), query_name (the id).
    - `lists`: the documents of the run for each of these queries.
    - `documents`: their rows, one after another: query_id, score, relevance. NaN means not judged.
    - `not_retrieved`: judged documents that the run lacks: query_id, relevance.
    - `query_ids`: the ids of all queries of the run, and of the judgments.
    """

    names: dict[str, Any]
    lists: list[dict[str, Any]]
    documents: dict[str, Any]
    not_retrieved: dict[str, Any]
    query_ids: tuple[Any, Any]

    def parts(self, *, all_ids: bool) -> Iterator[dict[str, Any]]:
        """Yield the parts that have rows: the documents of the run without and with ids, and `not_retrieved`.

        Only ties with a judged document need ids, which take as long to sort as all else. With `all_ids`, all documents
        have them.
        """
        import numpy as np  # noqa: PLC0415  (slow to load)

        lengths = np.array([*map(len, self.lists)], dtype=int)
        tied = np.ones(len(lengths), dtype=bool) if all_ids else self._are_tied(lengths)
        of_rows = np.repeat(tied, lengths)
        if of_rows.sum() > _MOSTLY_TIED * len(of_rows):
            tied[:] = of_rows[:] = True
        if not of_rows.all():
            yield self._rows(~of_rows)
        if of_rows.any():
            ids = chain.from_iterable(documents for documents, chosen in zip(self.lists, tied, strict=True) if chosen)
            yield {**self._rows(of_rows), "doc_id": np.array([*ids], dtype=object)}
        if len(self.not_retrieved["query_id"]):
            yield self.not_retrieved

    def _rows(self, chosen: Any) -> dict[str, Any]:
        """Return the chosen rows of the documents, without copying all of them."""
        return self.documents if chosen.all() else {name: column[chosen] for name, column in self.documents.items()}

    def _are_tied(self, lengths: Any) -> Any:
        """Return whether a judged document of each query has the score of another document.

        `lengths`: the number of documents of each query. Queries of one length are looked at together.
        """
        import numpy as np  # noqa: PLC0415  (slow to load)

        scores, judged = self.documents["score"], np.isfinite(self.documents["relevance"])
        tied, starts = np.zeros(len(lengths), dtype=bool), lengths.cumsum() - lengths
        for length in np.unique(lengths[lengths > 1]):
            queries = np.flatnonzero(lengths == length)
            rows = starts[queries, np.newaxis] + np.arange(length)
            ordered = np.sort(scores[rows], axis=1)
            some = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
            rows = rows[some]
            rows = np.take_along_axis(rows, scores[rows].argsort(axis=1), axis=1)
            equal = scores[rows[:, 1:]] == scores[rows[:, :-1]]
            tied[queries[some]] = (equal & (judged[rows[:, 1:]] | judged[rows[:, :-1]])).any(axis=1)
        return tied


def joined_dicts(run: dict[Any, Any], qrels: dict[Any, Any], skip: bool) -> JoinedDicts | None:
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
    given_scores = list(chain.from_iterable(documents.values() for documents in found))
    scores = array_of_numbers(given_scores, "score")
    if scores is None or not all(map(_is_text, found)) or not _are_exact(scores):
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
        lists=found,
        documents={
            "query_id": np.repeat(numbers, [*map(len, found)]),
            "score": scores.astype(float),
            "relevance": graded,
        },
        not_retrieved={"query_id": np.repeat(numbers, num_further), "relevance": others},
        query_ids=(np.array([*retrieved], dtype=object), np.array([*judged], dtype=object)),
    )


def _is_plain_dict_of_dicts(given: dict[Any, Any]) -> bool:
    """Return whether a dict has dicts of numbers, and not other mappings."""
    return all(isinstance(documents, dict) for documents in given.values()) and is_dict_of_dicts(given)


def _is_text(ids: Iterable[Any], only_ascii: bool = False) -> bool:
    """Return whether ids are text that DuckDB can read, and with `only_ascii` have no other characters."""
    try:
        text = "".join(ids)
        return text.isascii() or (not only_ascii and bool(text.encode()))
    except (TypeError, UnicodeEncodeError):
        return False


def _are_exact(scores: Any) -> bool:
    """Return whether the numbers of an array are finite, and doubles represent them exactly."""
    import numpy as np  # noqa: PLC0415  (slow to load)

    if scores.dtype.kind == "f":
        return scores.dtype.itemsize <= 8 and bool(np.isfinite(scores).all())
    return scores.dtype.kind in "iu" and abs(scores).max() <= LARGEST_EXACT
