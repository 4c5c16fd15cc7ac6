"""Which values of nested columns may be ids and numbers, for messages about missing columns."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb

from ltr_sql.inputs.names import in_snake_case, names_elsewhere
from ltr_sql.inputs.nested import ENTRIES, KEY, LIST, NESTED, VALUES, Steps, path_of, type_of_values

# Names of ids and numbers in nested columns, the most telling first.
_NAMES = {
    "query_id": ("query_id", "qid", "question_id", "search_id", "user_id", "id", "_id", "query", "question", "q"),
    "doc_id": (
        *("doc_id", "docid", "docno", "document_id", "chunk_id", "passage_id", "item_id", "product_id", "id", "_id"),
    ),
    "score": ("score", "similarity", "_score"),
    "relevance": ("relevance", "grade", "rel", "label", "rating"),
}
# Names that say nothing about what they name.
_VAGUE = ("id", "_id")
# Names of the query that may stand beside a document.
_BESIDE_DOCUMENTS = ("query_id", "qid", "query")
# A key that is an id: it has a digit, a blank or another sign that names lack.
_ID = re.compile(r".*[^A-Za-z_].*")
_FRACTIONS = ("float", "double", "decimal")
_IDS = ("query_id", "doc_id")


def suggested(columns: Mapping[str, str], role: str) -> list[dict[str, str]]:
    """Return each way to name the nested documents of a table: paths and columns -> ours. Empty if there is none.

    A list that also holds the scores of a run, or the grades of judgments, is the only way.
    """
    leaves = {steps: kind for name, kind in columns.items() for steps, kind in _leaves((name,), _type(kind))}
    number = "relevance" if role == "qrels" else "score"
    found = []
    for place in dict.fromkeys(scope for leaf in leaves if (scope := _scope(leaf))):
        inside = [leaf for leaf in leaves if _scope(leaf) == place]
        document, numbers = _first(inside, "doc_id"), _first(inside, number)
        if place in inside and document is None:
            is_text = leaves[place].id in ("varchar", "sqlnull", "null")
            if place[-1] == LIST and leaves[place].id not in _FRACTIONS:
                document = place
            elif place[-1] == VALUES and not is_text:
                document, numbers = (*place, KEY), place
        if document is None:
            continue
        query = _query_of(place, [*leaves], document)
        named = {} if query in (None, ("query_id",)) else {path_of(query): "query_id"}
        named[path_of(document)] = "doc_id"
        if numbers is not None:
            return [{**named, path_of(numbers): number}]
        found.append(named)
    return found


def are_keyed(columns: Mapping[str, str]) -> bool:
    """Return whether the names of columns may be ids of queries: all hold nested values of one form."""
    kinds = [(name, _type(kind)) for name, kind in columns.items()]
    return all(kind.id in NESTED for _, kind in kinds) and _have_ids(kinds)


def _type(kind: str) -> Any:
    return duckdb.sqltypes.DuckDBPyType(kind)


def _leaves(steps: Steps, kind: Any) -> Iterator[tuple[Steps, Any]]:
    """Yield the steps to each value in a column, with its type."""
    if kind.id in ("list", "array"):
        yield from _leaves((*steps, LIST), kind.children[0][1])
    elif kind.id == "map" or (kind.id == "struct" and _have_ids(kind.children)):
        yield (*steps, VALUES, KEY), _type("VARCHAR")
        yield from _leaves((*steps, VALUES), type_of_values(kind))
    elif kind.id == "struct":
        for name, child in kind.children:
            yield from _leaves((*steps, name), child)
    else:
        yield steps, kind


def _have_ids(children: Sequence[tuple[str, Any]]) -> bool:
    """Return whether the names of an object are ids, and no names: their values have one form."""
    forms = [{name for name, _ in kind.children} if kind.id == "struct" else kind.id for _, kind in children]
    if any(_ID.fullmatch(name) for name, _ in children):
        alike = [form if isinstance(form, str) else "struct" for form in forms]
        return len({*alike}) == 1
    return len(forms) > 1 and isinstance(forms[0], set) and all(form == forms[0] for form in forms)


def _scope(steps: Steps) -> Steps:
    """Return the steps to the entries that hold a value: those of the innermost list, or none."""
    places = [place for place, step in enumerate(steps) if step in ENTRIES]
    return steps[: places[-1] + 1] if places else ()


def _first(leaves: Sequence[Steps], name: str, names: Sequence[str] = ()) -> Steps | None:
    """Return the leaf whose name is the most telling for one of our columns."""
    names = names or _NAMES[name]
    named = [(leaf, in_snake_case(leaf[-1])) for leaf in leaves]
    vague = min(map(names.index, {*_VAGUE} & {*names}), default=len(names))
    ranked = [
        ((min(at, vague), len(leaf), at), leaf) for leaf, last in named if last in names for at in [names.index(last)]
    ]
    if ranked:
        return min(ranked)[1]
    compound = [leaf for leaf, last in named if name not in _IDS or "_" in last]
    found = names_elsewhere(name, [leaf[-1] for leaf in compound])
    return next((leaf for leaf in compound if leaf[-1] in found[:1]), None)


def _query_of(place: Steps, leaves: Sequence[Steps], document: Steps) -> Steps | None:
    """Return the value that names the query of the documents at a place: the innermost one around them."""
    scopes = [place, *(place[:end] for end in range(len(place) - 1, 0, -1) if place[end - 1] in ENTRIES), ()]
    for scope in scopes:
        inside = [leaf for leaf in leaves if _scope(leaf) == scope and leaf[-1] != KEY and leaf != document]
        if scope == place:
            inside = [leaf for leaf in inside if in_snake_case(leaf[-1]) in _BESIDE_DOCUMENTS]
        elif not scope:
            # An id inside an object of the record, such as metadata.id, names this object.
            inside = [leaf for leaf in inside if len(leaf) == 1 or leaf[-1] not in _VAGUE]
        found = _first(inside, "query_id")
        if found is None and scope[-1:] == (VALUES,) and document != (*scope, KEY):
            found = (*scope, KEY)
        if found is not None:
            return found
    return None
