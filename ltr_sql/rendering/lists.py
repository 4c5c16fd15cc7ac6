"""Structs, lists and lambdas: SQL that engines spell differently."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from ltr_sql.rendering.dialects import Dialect


@cache
def list_functions(dialect: Dialect) -> Mapping[str, Any]:
    """Return the names that templates use for structs and lists, rendered for a dialect.

    - the functions in `Dialect.lists`;
    - `struct(name=value)`, `struct_of(fields)`: a struct of these fields, or of a text of `struct_fields`;
    - `array(*values)`: a list; `array_of(values)`: a list from a text of values;
    - `text(value)`: cast to text; `sorted_list(value, where)`: sorted values of the rows that `where` selects;
    - `text_type`, `error_function`, `has_lgamma`, `random_words`, `materialized`, `stored`: see `Dialect`.
    """
    functions: dict[str, Any] = {name: pattern.format for name, pattern in dialect.lists.items()}
    return functions | {
        "struct": _struct(dialect),
        "struct_of": lambda fields: f"{dialect.struct_function}({fields})",
        "array": lambda *values: dialect.array.format(", ".join(values)),
        "array_of": dialect.array.format,
        "sorted_list": lambda value, where="": dialect.lists["sorted_list"].format(
            value, f" filter (where {where})" if where else ""
        ),
        "text": lambda value: f"cast({value} as {dialect.text_type})",
        "text_type": dialect.text_type,
        "error_function": dialect.error_function,
        "has_lgamma": dialect.has_lgamma,
        "materialized": dialect.materialized,
        "stored": dialect.stored,
        "random_words": dialect.random_words,
    }


def struct_fields(fields: Mapping[str, str], dialect: Dialect) -> str:
    """Return the fields of a struct, whose names may be any text."""
    return ", ".join(dialect.struct_field.format(_field_name(name, dialect), value) for name, value in fields.items())


def _field_name(name: str, dialect: Dialect) -> str:
    return dialect.identifier(name) if dialect.quotes_fields else dialect.string(name)


def _struct(dialect: Dialect) -> Callable[..., str]:
    def struct(**fields: str) -> str:
        given = ", ".join(
            dialect.struct_field.format(name if dialect.quotes_fields else dialect.string(name), value)
            for name, value in fields.items()
        )
        return f"{dialect.struct_function}({given})"

    return struct
