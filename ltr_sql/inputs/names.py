"""Names of columns in other tools, and what further names of ids and grades look like."""

import re
from collections.abc import Iterable

# Column names in other tools.
ELSEWHERE = {
    "query_id": ("qid", "query", "query-id", "topic", "topic_id", "user_id", "user", "session_id", "search_id"),
    "doc_id": (
        *("docno", "docid", "did", "doc", "document", "document_id", "corpus-id", "chunk_id", "passage_id", "pid"),
        *("item_id", "item", "product_id", "sku"),
    ),
    "score": ("sim", "similarity", "prediction", "predicted"),
    "relevance": ("rel", "label", "grade", "rating", "gain", "judgment"),
    "rank": ("position", "pos"),
    "category": ("genre", "genres", "categories"),
}
# Words for what is searched with, and for what is found.
SEARCHES = "query|search|question|topic"
DOCUMENTS = "doc|document|corpus|passage|chunk|page|article|item|product|offer|sku|asin|movie|book|song|track|video"
# What further names of ids look like, such as search_term and movieId.
_LIKE_IDS = {
    "query_id": re.compile(f"({SEARCHES}|user|customer|visitor)(_(id|key|number|term|text|phrase))?"),
    "doc_id": re.compile(f"({DOCUMENTS})(_(id|key|number))?"),
}
# What RecBole adds to a name, as in user_id:token.
_TYPE = re.compile(":(token|float)(_seq)?$")
_NEW_WORD = re.compile("(?<=[a-z0-9])(?=[A-Z])|[ -]")
# Words in names of columns of grades, such as esci_label or isRelevant.
_WORD = re.compile("[A-Z]?[a-z]+")
_WORDS_OF_GRADES = {
    word
    for name in ("relevance", "relevant", "judgement", "esci", *ELSEWHERE["relevance"])
    for word in (name, name.title())
}


def names_elsewhere(name: str, columns: Iterable[str], *further: str) -> list[str]:
    """Return the columns that may hold our column `name` under names of other tools, or under `further` names."""
    columns = [*columns]
    found = [column for column in columns if without_type(column).lower() in (*ELSEWHERE.get(name, ()), *further)]
    if name in _LIKE_IDS and not found:
        # userId is user_id.
        return [column for column in columns if _LIKE_IDS[name].fullmatch(in_snake_case(column))]
    if name == "relevance" and not found:
        return [column for column in columns if has_word_of_grades(column)]
    return found


def is_like_an_id(name: str) -> bool:
    """Return whether a name looks like that of a query or of a document."""
    return any(pattern.fullmatch(in_snake_case(name)) for pattern in _LIKE_IDS.values())


def has_word_of_grades(name: str) -> bool:
    """Return whether a word of a name is one for grades."""
    return bool(_WORDS_OF_GRADES & {*_WORD.findall(name)})


def without_type(name: str) -> str:
    """Return a name without the type that RecBole adds."""
    return _TYPE.sub("", name)


def in_snake_case(name: str) -> str:
    """Return a name such as userId, user id or user-id as user_id, without the type that RecBole adds."""
    return _NEW_WORD.sub("_", without_type(name)).lower()
