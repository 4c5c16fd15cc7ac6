"""The join of a run with its judgments, written from the definitions of its options and independent of the SQL.

A list is one ranking: pairs (doc_id, rank) in rank order. A row of the join is (doc_id, rank, relevance).
"""

from collections.abc import Collection, Hashable, Mapping, Sequence

__all__ = ["graded", "highest", "joined", "listed"]

Listed = Sequence[tuple[Hashable, int]]


def graded(relevance: object, grades: Mapping[str, float]) -> float | None:
    """Grade of a text: its entry in `grades`, otherwise the number that it spells. None stays None."""
    if isinstance(relevance, str) and relevance in grades:
        return grades[relevance]
    return None if relevance is None else float(str(relevance))


def highest(judgments: Sequence[tuple[Hashable, float | None]]) -> dict[Hashable, float | None]:
    """Judgments of one query with the highest grade of each document. A grade of None is lower than any other."""
    found: dict[Hashable, float | None] = {}
    for document, grade in judgments:
        known = found.get(document)
        found[document] = grade if known is None else known if grade is None else max(known, grade)
    return found


def listed(ranking: Listed, duplicates: str, judged: Collection[Hashable] | None) -> tuple[Listed, int]:
    """A list without repeated and, if `judged` is given, unjudged documents, and the number of its ranks.

    Walk the list from the top. With 'first', a repeated document leaves no rank behind. With 'wasted', its rank stays.
    A condensed list has the ranks 1, 2, ... of its own rows.
    """
    rows: list[tuple[Hashable, int]] = []
    seen: set[Hashable] = set()
    left_out, last = 0, 0
    for document, rank in ranking:
        if judged is not None and document not in judged:
            continue
        place = last + 1 if judged is not None else rank - left_out
        if document in seen and duplicates == "first":
            left_out += 1
            last = max(last, place - 1)
            continue
        if document not in seen:
            rows.append((document, place))
        seen.add(document)
        last = place
    return rows, last


def joined(
    ranking: Listed, judgments: Mapping[Hashable, float | None], duplicates: str = "error", unjudged: str = "drop"
) -> tuple[list[tuple[Hashable, int | None, float | None]], int]:
    """Rows of the judged documents of one query, and the number of ranks of its list."""
    condensed = {document for document, grade in judgments.items() if grade is not None and grade >= 0}
    rows, last = listed(ranking, duplicates, condensed if unjudged == "remove" else None)
    ranks = dict(rows)
    return [(document, ranks.get(document), grade) for document, grade in judgments.items()], last
