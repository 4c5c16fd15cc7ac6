"""SQL that selects columns of a DuckDB relation that is known only when a macro is called."""

from collections.abc import Sequence

from ltr_sql.rendering.dialects import string

_RENAME_HINT = "; rename the column that holds it, or select it under that name)"
_SUBTOPIC_HINT = ", which measures of diversity such as alpha_nDCG read, and xinfAP as the stratum"
# The columns of the caller, as text.
CALLERS = "list_aggregate(list_filter((*), lambda c: not starts_with(c, '__ltr_')), 'string_agg', ', ')"
_FIELD_TYPES = {"query_id": "varchar", "doc_id": "varchar", "subtopic": "varchar"}


def columns_where(condition: str, required: str, otherwise: tuple[str, str] | None = None) -> str:
    """Return the columns `c` that satisfy a condition. The call fails if columns are missing.

    - `required`: SQL of a list of names that must exist.
    - `otherwise`: SQL of a list of invalid names, and of the message if there are any.
    """
    # If columns are missing, select a column whose name is the error message: DuckDB quotes it in its own error.
    # error() cannot be called here, because the names of columns are evaluated when the query is bound.
    missing = f"list_filter({required}, lambda n: not list_contains(list_transform((*), lambda c: lower(c)), n))"
    message = f"list_aggregate({missing}, 'string_agg', ', ')"
    if "'subtopic'" in required:
        # Measures with and without subtopics may be computed together, so say which of them need the column.
        message += f" || case when list_contains({missing}, 'subtopic') then {string(_SUBTOPIC_HINT)} else '' end"
    message += f" || ' (the input has ' || {CALLERS}"
    message += f" || {string(_RENAME_HINT)}"
    errors = [(missing, message)] if otherwise is None else [(missing, message), otherwise]
    cases = " ".join(f"when len({names}) > 0 then [{text}]" for names, text in errors)
    return f"columns(case {cases} else list_filter((*), lambda c: {condition}) end)"


def typed_struct(names: Sequence[str]) -> str:
    """Return a struct of columns: ids as text, others as doubles. Those that the relation lacks are NULL.

    The relation must have one of the columns, because a struct cannot be empty.
    """
    wanted = ", ".join(f"'{name}'" for name in names)
    types = ", ".join(f"{name} {_FIELD_TYPES.get(name, 'double')}" for name in names)
    # The cast by name makes missing columns NULL.
    return f"cast(struct_pack(*columns(lambda c: lower(c) in ({wanted}))) as struct({types}))"


def names_present(names: Sequence[str], always: str) -> str:
    """Return the list of the columns that the relation has. `always` names one that every relation has."""
    wanted = ", ".join(f"'{name}'" for name in dict.fromkeys((always, *names)))
    fields = f"struct_pack(*columns(lambda c: lower(c) in ({wanted})))"
    return f"list_transform(struct_keys({fields}), lambda c: lower(c))"
