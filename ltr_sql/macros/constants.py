"""Write nested data as SQL constants.

A constant is one text literal with a cast. DuckDB binds it in constant time.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ltr_sql.rendering.dialects import literal


def constant(value: Any) -> str:
    """Return the SQL of nested data: a mapping as a map, mappings inside it as structs, sequences as lists."""
    kind = f"map(varchar, {_type([*value.values()])})" if isinstance(value, Mapping) else _type([value])
    return f"cast({literal(_text(value, separator='='))} as {kind})"


# The line between two entries.
_SEPARATOR = "\n----\n"


def constant_entry(values: Mapping[str, Any], key: str) -> str:
    """Return SQL that looks up an entry of nested data; NULL if it is missing. `key` is the SQL of its name.

    All entries are one text. DuckDB splits it, and converts only the entry that it looks up.
    """
    kind = _type([*values.values()])
    texts = [value if kind == "varchar" else _text(value) for value in values.values()]
    if any(_SEPARATOR in text for text in texts):
        raise ValueError("an entry contains the line between entries")
    names, entries = (
        f"string_split({literal(_SEPARATOR.join(each))}, {literal(_SEPARATOR)})" for each in (values, texts)
    )
    entry = f"{entries}[list_position({names}, {key})]"
    return entry if kind == "varchar" else f"cast({entry} as {kind})"


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


def _type(values: Sequence[Any]) -> str:
    """Return the type of several values. Some of them may be empty lists or None."""
    first = next((value for value in values if value is not None), None)
    if isinstance(first, Mapping):
        fields = [f'"{name}" {_type([value[name] for value in values])}' for name in first]
        return f"struct({', '.join(fields)})"
    if isinstance(first, list | tuple):
        items = [item for value in values for item in value]
        return f"{_type(items) if items else 'varchar'}[]"
    return "varchar" if isinstance(first, str) else "double"
