"""The macros of single measures, of relations, and of the catalogue."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from ltr_sql.catalogue.conventions import convention_rows
from ltr_sql.catalogue.measures import Definition, catalogue_rows
from ltr_sql.catalogue.relations import NO_WASTED_RANKS, WITHOUT_ORDER, Relation
from ltr_sql.catalogue.wording import in_sql
from ltr_sql.macros.helpers import HelperRenderer, named_table, table_name
from ltr_sql.macros.statements import (
    IDS,
    call_time_values,
    described,
    no_rows_of_ids,
    statements,
    table_macro,
)
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.measure_columns import Column
from ltr_sql.rendering.templates import CallTime
from ltr_sql.version import __version__


def measure_macro(definition: Definition) -> str:
    """Return the statement that creates the macro of a measure."""
    column = Column(definition, call_time_values(definition.parameters), definition.macro)
    return table_macro(
        definition.macro,
        ["pairs" if definition.paired else "rankings"],
        definition.parameters,
        HelperRenderer().query([column], named_table(definition)),
        measure_comment(definition),
    )


def measure_comment(definition: Definition) -> str:
    """Return the comment of the macro of a measure."""
    return (
        f"{definition.summary} {definition.name} = {definition.formula}. {described(definition.parameters)}"
        f"{definition.reference}."
    )


def relation_macro(relation: Relation) -> str:
    """Return the statements that create the macro of a relation."""
    comment = f"{relation.summary} Reads {relation.reads}. Returns {relation.gives}. {described(relation.parameters)}"
    values = call_time_values(relation.parameters)
    macro = partial(table_macro, inputs=relation.inputs, options=relation.parameters)
    if "grades" not in values:
        return macro(relation.macro, query=_relation_query(relation, values), comment=comment.strip())
    # A macro costs time for its whole text, but DuckDB does not bind a CTE that nothing reads. So the options that
    # most calls leave out are in the text of a helper macro.
    helper = f"__ltr_{relation.macro}_with_options"
    usual = {name: value for name, value in relation.options().items() if name not in ("ties", "missing", "unjudged")}
    query = statements(
        "usual_or_with_options",
        usual=_relation_query(relation, {**values, **usual}),
        helper=helper,
        arguments=[*relation.inputs, *(f"{name} := {name}" for name in (*values, "keys"))],
    )
    return "\n".join(
        [
            macro(helper, query=_relation_query(relation, values), comment=f"Rows of ltr.{relation.macro}."),
            macro(relation.macro, query=query, comment=comment.strip()),
        ]
    )


def _relation_query(relation: Relation, values: Mapping[str, Any]) -> str:
    """Return the query of the macro of a relation. `values` are the arguments of its options, or their defaults."""
    first, *others = relation.inputs
    tables = {first: table_name(first, relation.macro, relation.parameters) + _exclusions(relation)}
    tables |= {name: table_name(name, relation.macro) for name in others}
    tables |= {p.name: table_name(p.name, relation.macro) for p in relation.parameters if p.type == "table"}
    renderer, ctes = HelperRenderer(), dict[str, str]()
    if values.get("grades") is not None:
        read = renderer.template("macros/read_judgments.sql", relation=f"query_table({tables['qrels']})", **values)
        ctes["__ltr_read_qrels"] = read
        given = f"grades is null and qrels_duplicates = 'error' then {tables['qrels']}"
        tables["qrels"] = f"case when {given} else '__ltr_read_qrels' end"
    inputs = {name: f"query_table({table})" for name, table in tables.items()}
    if others:
        ctes |= {f"__ltr_ids_of_{name}": no_rows_of_ids(inputs[name], IDS) for name in relation.inputs}
        asked = ""
        if values.get("asked") is not None:
            given = f"query_table(coalesce({tables['asked']}, {tables[first]}))"
            ctes["__ltr_ids_of_asked"] = no_rows_of_ids(given, IDS[:1])
            asked = " union all by name from __ltr_ids_of_asked"
        for name, other in (relation.inputs, relation.inputs[::-1]):
            inputs[name] = f"(from {inputs[name]} union all by name from __ltr_ids_of_{other}{asked})"
    query = renderer.relation(
        relation.body,
        inputs=inputs,
        has_rank={name: CallTime(name) for name in relation.inputs},
        values=values,
        ctes=ctes,
    )
    if "__ltr_systems" in query:
        query = f"select columns(lambda c: not starts_with(c, '__ltr_'))\nfrom (\n{query}\n)"
    return query


def _exclusions(relation: Relation) -> str:
    """Return SQL that is '', or raises an error for options that exclude each other, after the name of a table."""
    if "duplicates" not in relation.options():
        return ""
    ties = ", ".join(map(string, WITHOUT_ORDER))
    error = DUCKDB.error_of(f"ltr.{relation.macro}: {in_sql(NO_WASTED_RANKS)}, got ties", "ties")
    return f" || case when duplicates = 'wasted' and ties in ({ties}) then {error} else '' end"


def catalogue_macros() -> Iterable[str]:
    """Return the statements that create `ltr.measures`, `ltr.conventions` and `ltr.version`."""
    yield statements("measures", rows=catalogue_rows())
    yield statements("conventions", rows=convention_rows())
    yield statements("version", version=__version__)
