"""Render the statements that create macros, from the templates in `sql/templates/macros/`."""

from collections.abc import Iterable
from typing import Any

from ltr_sql.catalogue.parameters import Parameter, sql_default
from ltr_sql.macros.constants import constant, constant_entry
from ltr_sql.macros.helpers import table_name
from ltr_sql.rendering.dialects import literal
from ltr_sql.rendering.templates import SqlValue, Symbol, render_template


def statements(template: str, **context: Any) -> str:
    """Return the statements of a template. `context` holds what it reads besides these functions."""
    functions = {
        "string": literal,
        "constant": constant,
        "constant_entry": constant_entry,
        "table_named": table_named,
    }
    return render_template(f"macros/{template}.sql", **functions, **context)


def table_macro(name: str, inputs: Iterable[str], options: Iterable[Parameter], query: str, comment: str) -> str:
    """Return the statements that create a macro of a fixed query. `keys` follow its options."""
    signature = [*inputs, *(f"{p.name} := {sql_default(p)}" for p in options), "keys := []::varchar[]"]
    return statements("macro", name=name, signature=signature, query=query, comment=comment)


def described(options: Iterable[Parameter]) -> str:
    """Return the description of options in the comment of a macro."""
    return "".join(f"{parameter.name}: {parameter.summary}. " for parameter in options)


def call_time_values(options: Iterable[Parameter]) -> dict[str, SqlValue]:
    """Return the SQL of the arguments of a macro, by parameter."""
    return {p.name: Symbol(f"cast({p.name} as double)" if p.type == "number" else p.name) for p in options}


def table_named(parameter: str) -> str:
    """Return SQL that evaluates to the text `query_table('NAME')`, where the parameter holds NAME."""
    return f"'query_table(' || {quoted(table_name(parameter, ''))} || ')'"


def quoted(text: str) -> str:
    """Return SQL that quotes a text as an SQL string. `text` is SQL as well."""
    return f"'''' || replace({text}, '''', '''''') || ''''"
