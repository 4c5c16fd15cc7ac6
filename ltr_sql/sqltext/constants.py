"""Write nested data as SQL constants.

A constant is one text literal with a cast. DuckDB binds it in constant time, whatever its size.
"""

from collections.abc import Mapping
from typing import Any

from ltr_sql.sqltext.dialects import string


def constant(value: Any) -> str:
    """Return the SQL of nested data: a mapping as a map, mappings inside it as structs, sequences as lists."""
    return f"cast({string(_text(value, separator='='))} as {_type(value, mapping=True)})"


def constant_entry(values: Mapping[str, Any], key: str) -> str:
    """Return the SQL of the entry that nested data have for the SQL `key`, NULL if they have none.

    DuckDB converts only that entry from text.
    """
    texts = {name: _text(value) for name, value in values.items()}
    return f"cast({constant(texts)}[{key}] as {_type(next(iter(values.values())))})"


def _text(value: Any, separator: str = ": ") -> str:
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_quoted(name)}{separator}{_text(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_text, value)) + "]"
    return _quoted(value) if isinstance(value, str) else str(value)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _type(value: Any, mapping: bool = False) -> str:
    if isinstance(value, Mapping):
        if mapping:
            return f"map(varchar, {_type(next(iter(value.values())))})"
        return "struct(" + ", ".join(f'"{name}" {_type(item)}' for name, item in value.items()) + ")"
    if isinstance(value, list | tuple):
        return f"{_type(value[0]) if value else 'varchar'}[]"
    return "varchar" if isinstance(value, str) else "double"
