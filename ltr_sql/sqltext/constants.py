"""Data of the catalogue as constants of SQL.

A constant is one text that DuckDB casts: to bind it costs the same however much it holds.
"""

from collections.abc import Mapping
from typing import Any

from ltr_sql.sqltext.dialects import string


def constant(value: Any) -> str:
    """SQL for nested data: a mapping becomes a map, mappings inside it structs, sequences lists, numbers doubles."""
    return f"cast({string(_text(value, separator='='))} as {_type(value, mapping=True)})"


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
