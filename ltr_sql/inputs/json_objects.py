"""JSON files that hold a single object, as ranx, pytrec_eval and MTEB write them."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.dicts import (
    columns_of_arrays,
    columns_of_dict,
    is_dict_of_columns,
    is_dict_of_dicts,
    unanswered_queries,
)
from ltr_sql.inputs.plain_files import PlainFile
from ltr_sql.inputs.ranked_lists import columns_of_lists

# The start of an object whose first value is an object or a list.
_START = re.compile(rb"(\xef\xbb\xbf)?\s*\{\s*\"(?:[^\"\\]|\\.)*\"\s*:\s*[{\[]")
_LOOKED_AT = 10_000


def columns_of_json(file: PlainFile, number: str, ranked: bool, texts: bool) -> tuple[Any, list[str | None]] | None:
    """Return the columns of a file that holds query_id -> doc_id -> number, query_id -> documents, or column -> values.

    - `number`: the name of the column of numbers. With `texts`, texts may stand for them.
    - `ranked`: true if the documents of a list are ranked.

    The second value are the queries without documents. Returns None for a file of records. Raises InputError for a key
    that occurs twice in an object.
    """
    given = _single_object(file)
    if given is None:
        return None
    if is_dict_of_columns(given):
        return columns_of_arrays(given), []
    if all(isinstance(found, list) and all(isinstance(doc, str) for doc in found) for found in given.values()):
        return columns_of_lists(given, ranked), unanswered_queries(given)
    if is_dict_of_dicts(given) and all(
        _is_number(value) or (texts and isinstance(value, str)) for found in given.values() for value in found.values()
    ):
        return columns_of_dict(given, number), unanswered_queries(given)
    return None


def _single_object(file: PlainFile) -> dict[str, Any] | None:
    """Return the object of a JSON file, or None for records, and for a file that DuckDB unpacks."""
    if file.blanks is None:
        return None
    path = Path(file.path)
    with path.open("rb") as start:
        if not _START.match(start.read(_LOOKED_AT)):
            return None
    if path.stat().st_size > len(file.first_line.encode()) + 2 and _is_json(file.first_line):
        return None

    def unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = next(name for number, (name, _) in enumerate(pairs) if name in dict(pairs[:number]))
            raise InputError(f"{file.given}: the key {twice!r} occurs twice in one object: keep one of its values")
        return found

    try:
        given = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=unique)
    except (json.JSONDecodeError, UnicodeDecodeError):
        # DuckDB says where the file is malformed.
        return None
    return given if isinstance(given, dict) else None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    return True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)
