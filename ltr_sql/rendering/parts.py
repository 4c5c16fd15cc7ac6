"""Parts of a query that depend on what the caller passes besides the values: weights, people, clusters, datasets."""

from collections.abc import Callable, Mapping
from functools import partial

# What is passed: nothing, weights, people's values, clusters of queries, both of the latter, or datasets over which
# means are averaged. With people's values or clusters, every query has a weight, which is 1 without weights.
PLAIN, WEIGHTED, HUMAN, CLUSTERED, BOTH, ACROSS = MODES = ("plain", "weighted", "human", "clustered", "both", "across")
# The modes in which values are averaged as they are.
DIRECT = (PLAIN, WEIGHTED)

# The functions that mark a part of a template, each with the modes of a query that has this part.
_MARKS: Mapping[str, tuple[str, ...]] = {
    "if_plain": (PLAIN,),
    "if_weighted": (WEIGHTED,),
    "if_unweighted": (PLAIN, HUMAN, CLUSTERED, BOTH, ACROSS),
    "if_direct": DIRECT,
    "if_as_given": (*DIRECT, ACROSS),
    "if_estimated": (HUMAN, CLUSTERED, BOTH, ACROSS),
    "if_linearised": (HUMAN, CLUSTERED, BOTH),
    "if_human": (HUMAN, BOTH),
    "if_without_human": (PLAIN, WEIGHTED, CLUSTERED, ACROSS),
    "if_clustered": (CLUSTERED, BOTH),
    "if_clusters_alone": (CLUSTERED,),
    "if_human_alone": (HUMAN,),
    "if_across": (ACROSS,),
    "if_by_query": (PLAIN, WEIGHTED, HUMAN, CLUSTERED, BOTH),
}


def _placeholders(mark: str) -> tuple[str, str]:
    return f"{{{mark}}}", f"{{end_{mark}}}"


# Placeholders around the parts of a query whose mode is known only at call time: the text that each becomes in modes
# without the part, and the modes in which it vanishes. A part that a call does not need becomes a comment.
PLACEHOLDERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    placeholder: (comment, modes)
    for mark, modes in _MARKS.items()
    for placeholder, comment in zip(_placeholders(mark), ("/* ", " */"), strict=True)
}


def mode_of(weights: bool, human: bool = False, cluster: bool = False) -> str:
    """Return the mode of a query whose means are taken over queries, given what the caller passes."""
    if human:
        return BOTH if cluster else HUMAN
    return CLUSTERED if cluster else WEIGHTED if weights else PLAIN


def parts_of(mode: str | None) -> dict[str, Callable[..., str]]:
    """Return the functions by which templates mark parts of a query, such as `if_weighted`.

    - `mode`: one of `MODES`. None if it is known only at call time: the query then has all parts, each between
      `PLACEHOLDERS`.
    """
    return {mark: partial(_part, mark, None if mode is None else mode in modes) for mark, modes in _MARKS.items()}


def _part(mark: str, kept: bool | None, text: str = "", *, caller: Callable[[], str] | None = None) -> str:
    """Return a part of a query, or '' if it is not `kept`. `caller` returns the content of a call block of Jinja."""
    part = caller() if caller else text
    if kept is not None:
        return part if kept else ""
    # A name of the caller, which a placeholder stands for, could end the comment.
    if "{" in part or "*/" in part:
        raise ValueError(f"this part of a query cannot become a comment: {part}")
    start, end = _placeholders(mark)
    return f"{start}{part}{end}"
