"""Render the statements that create macros, from the templates in `sql/templates/macros/`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ltr_sql.catalogue.parameters import Parameter
from ltr_sql.macros.constants import constant, constant_entry
from ltr_sql.macros.helpers import table_name
from ltr_sql.rendering.columns.selected import columns_where
from ltr_sql.rendering.dialects import DUCKDB, literal, string
from ltr_sql.rendering.templates import CallTime, SqlValue, render_template

# The ids of runs and judgments.
IDS = ("query_id", "doc_id")


def statements(template: str, **context: Any) -> str:
    """Return the statements of a template. `context` holds what it reads besides these functions."""
    functions = {
        "string": literal,
        "constant": constant,
        "constant_entry": constant_entry,
        "table_named": table_named,
        "alike": alike,
    }
    return render_template(f"macros/{template}.sql", **functions, **context)


def table_macro(name: str, inputs: Iterable[str], options: Iterable[Parameter], query: str, comment: str) -> str:
    """Return the statements that create a macro of a fixed query. `keys` follow its options."""
    signature = [*inputs, *(f"{p.name} := {p.default_in_sql}" for p in options), "keys := []::varchar[]"]
    return statements("macro", name=name, signature=signature, query=query, comment=comment)


def described(options: Iterable[Parameter]) -> str:
    """Return the description of options in the comment of a macro."""
    return "".join(f"{parameter.name}: {parameter.summary}. " for parameter in options)


def call_time_values(options: Iterable[Parameter]) -> dict[str, SqlValue]:
    """Return the SQL of the arguments of a macro, by parameter."""
    return {p.name: CallTime(f"cast({p.name} as double)" if p.type == "number" else p.name) for p in options}


def no_rows_of_ids(relation: str, ids: Sequence[str]) -> str:
    """Return the query of no rows with the types of ids of a relation, which must have them.

    A set operation with it gives another relation ids of a type that holds both: text if one of them is text.
    """
    condition = f"lower(c) in ({', '.join(map(string, ids))})"
    return f"select {columns_where(condition, DUCKDB.text_list(ids))} from {relation} limit 0"


def alike(relation: str, others: Mapping[str, Sequence[str]]) -> str:
    """Return SQL that evaluates to the text of a relation whose ids have types that hold those of other relations.

    `others` maps the SQL of the text of each of them, which is NULL if the call does not give it, to their ids.
    """
    parts = []
    for other, ids in others.items():
        before, after = map(literal, f" union all by name ({no_rows_of_ids('{}', ids)})".split("{}"))
        parts.append(f" || coalesce({before} || {other} || {after}, '')")
    return f"'(from ' || {relation}{''.join(parts)} || ')'"


def table_named(parameter: str) -> str:
    """Return SQL that evaluates to the text `query_table('NAME')`, where the parameter holds NAME."""
    return f"'query_table(' || {quoted(table_name(parameter, ''))} || ')'"


def quoted(text: str) -> str:
    """Return SQL that quotes a text as an SQL string. `text` is SQL as well."""
    return f"'''' || replace({text}, '''', '''''') || ''''"
