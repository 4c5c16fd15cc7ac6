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
    found = [column for column in columns if column.lower() in (*ELSEWHERE.get(name, ()), *further)]
    if name in _LIKE_IDS and not found:
        # userId is user_id.
        return [column for column in columns if _LIKE_IDS[name].fullmatch(in_snake_case(column))]
    if name == "relevance" and not found:
        return [column for column in columns if _WORDS_OF_GRADES & {*_WORD.findall(column)}]
    return found


def in_snake_case(name: str) -> str:
    """Return a name such as userId, user id or user-id as user_id."""
    return _NEW_WORD.sub("_", name).lower()
