"""SQL that checks keys and ids, for relations that are known only when a macro is called."""

from ltr_sql.rendering.dialects import string

# Columns of a ranking, which cannot be grouping columns.
RESERVED_COLUMNS = ("query_id", "doc_id", "rank", "relevance", "score")
KEYS_MESSAGE = (
    "keys must be columns of the input, in a list such as ['system'], each named once, and not "
    f"{', '.join(RESERVED_COLUMNS)}; got keys "
)
_COLLATION_MESSAGE = (
    "ids are compared by a collation, which may treat different ids as equal: reset default_collation, or select the "
    'columns with collate "C"'
)
_BYTES_MESSAGE = "ids are bytes (BLOB): select them as text, as in decode(doc_id) as doc_id"
# A letter, a letter with an accent, and the same letter in another Unicode form.
_COMPARED = ("'a'", "chr(233)", "'e' || chr(769)")


def keys_check(names: str, query_id: str, keys: str) -> str:
    """Return SQL that raises an error for invalid keys, and for ids with a collation, else returns true.

    `names` and `keys` are the SQL of lists: the names of the columns, and the keys of the call.
    """
    are_columns = f"coalesce(list_has_all({names}, {keys}), false)"
    has_query_id = f"list_contains(list_transform({names}, lambda c: lower(c)), 'query_id')"
    valid = f"{are_columns} and {has_query_id} and not coalesce({invalid_keys(keys)}, true)"
    message = f"{string(KEYS_MESSAGE)} || coalesce(cast({keys} as varchar), 'NULL')"
    return f"case when {valid} then {compared_bytewise(query_id)} else error({message}) end"


def invalid_keys(keys: str) -> str:
    """Return SQL that is true if keys are invalid for every relation: NULL, repeated, reserved, or no list."""
    # A text instead of a list becomes NULL here. The engine would give an error about lambda functions.
    keys = f"try_cast({keys} as varchar[])"
    lower = f"list_transform({keys}, lambda c: lower(c))"
    reserved = ", ".join(map(string, RESERVED_COLUMNS))
    return (
        # list_distinct leaves NULL out.
        f"({keys} is null or len(list_distinct({lower})) <> len({keys}) or list_has_any({lower}, [{reserved}]))"
    )


def compared_bytewise(value: str) -> str:
    """Return SQL that raises an error if ids are bytes, or text compared by a collation, else returns true.

    Collations of languages and `nocase` sort `a` before `B`, which bytes do not. `noaccent` and `nfc` compare the two
    Unicode forms of a letter as equal. As text, bytes beyond ASCII become escapes, which break ties in another order
    than the bytes. The engine evaluates the conditions once, because they read no rows.
    """
    text, composed, apart = (f"case when true then {c} else cast({value} as varchar) end" for c in _COMPARED)
    collated = f"{text} < 'B' or {composed} = 'e' or {composed} = {apart}"
    bytes_ = f"typeof({value}) = 'BLOB'"
    messages = {bytes_: _BYTES_MESSAGE, collated: _COLLATION_MESSAGE}
    cases = " ".join(f"when {found} then error({string(message)})" for found, message in messages.items())
    return f"case {cases} else true end"
