"""Render builders as SQL: as queries over known tables, or as macros that assemble their query when called."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ltr_sql.catalogue.functions import Builder, Procedure, builders
from ltr_sql.catalogue.options import unknown_name
from ltr_sql.catalogue.parameters import Parameter, Value
from ltr_sql.catalogue.wording import in_python
from ltr_sql.errors import InputError, LtrSqlError
from ltr_sql.rendering.columns import Columns, NamedColumns, listed, same
from ltr_sql.rendering.dialects import DUCKDB, Dialect, string
from ltr_sql.rendering.measure_columns import expressions, probabilities
from ltr_sql.rendering.templates import CallTime, sql_value, template_of, variables_of, vocabulary

# Defaults of the header fields of methods that templates read.
_FIELDS = {
    "recursive": False,
    "reads": (),
    "residual": "r.reward",
    "base": "0e0",
    "absent": "",
    "self_normalised": False,
    "slate": False,
    "scope": "",
}


# The options of the parts of a body.
_BY = re.compile(r'\bby\("(\w+)"\)')


class Parts(Protocol):
    """The parts of a body that depend on an option."""

    def by(self, option: str, caller: Callable[[Any], str]) -> str:
        """Return the part for the value of an option: of a relation, whether the call passes it."""

    def refuse(self, option: str, message: str) -> str:
        """Raise an error, in the words of SQL, if the call passes an option; else return an empty text."""


@dataclass(frozen=True)
class KnownParts:
    """Parts whose options are known: the value of each, and of a relation whether it is given."""

    values: Mapping[str, Any]

    def by(self, option: str, caller: Callable[[Any], str]) -> str:
        """Return the part for the value of an option."""
        return caller(self.values[option])

    def refuse(self, option: str, message: str) -> str:
        """Raise InputError for an option that is given."""
        if self.values[option]:
            raise InputError(in_python(message))
        return ""


@dataclass(frozen=True)
class FusedColumns(NamedColumns):
    """The columns of several runs. The first of `keys` names the run; the others are grouping columns of the result."""

    def fused_key(self, row: str) -> str:
        """Return SQL that lists the key of a fused ranking: the grouping columns and query_id."""
        return listed(row, self._fused_names)

    def same_fused_key(self, row: str, other: str) -> str:
        """Return SQL that compares the keys of two fused rankings."""
        return same(row, other, self._fused_names, self.dialect)

    def fused_key_output(self, row: str) -> str:
        """Return the select list of the key of a fused ranking."""
        return ", ".join([*self._output(row)[1:], f"{row}.query_id"])

    @property
    def _fused_names(self) -> tuple[str, ...]:
        return (*self._key_names[1:], "query_id")


def names_of(
    columns: Columns,
    dialect: Dialect,
    texts: Mapping[str, str],
    parts: Parts,
    *,
    functions: Mapping[str, Callable[..., str]],
    has_rank: bool | CallTime,
    has_score: bool = True,
    few: bool = False,
) -> dict[str, Any]:
    """Return the values of all names that the templates of a builder may use.

    - `texts`: SQL of the inputs and options, by name; `has_NAME` is true if the call passes the option NAME.
    - `parts`: the parts that depend on options.
    - `functions`: SQL of the probability functions, by name.
    - `has_rank`: true if runs have ranks; a `CallTime` if this is known only at run time.
    - `has_score`: false if runs are known to have no scores. `few`: true if they are known to be at most two.
    """
    # The quantile of t is an expression of the dialect; None where it has no lists.
    own = expressions(dialect) if dialect is not DUCKDB and dialect.lists else {}
    quantile = own.get("t_quantile") or (functions["t_quantile"] if dialect is DUCKDB else None)
    own_names = {"by": parts.by, "refuse": parts.refuse, "quantile_of_t": quantile}
    known = {"has_rank": has_rank, "has_score": has_score, "few": few}
    return {**vocabulary(columns, dialect), **functions, **texts, **own_names, **known}


def builder_query(
    builder: Builder,
    methods: list[str],
    tables: Mapping[str, str],
    values: Mapping[str, Value],
    *,
    columns: NamedColumns,
    has_rank: bool = False,
    **known: bool,
) -> str:
    """Return the query of a builder.

    - `methods`: names of methods: exactly one unless the builder takes many; none for a builder without methods.
    - `tables`: SQL of the inputs and of the options that are relations, by name.
    - `values`: the other options, by name. None is NULL.
    - `columns`: grouping columns.
    - `has_rank`: true if runs have ranks. `known`: has_score and few; see `names_of`.

    Raises InputError for a method or option that is unknown, missing or out of range.
    """
    refuse_null(builder, values)
    dialect = columns.dialect
    given = {name for name, value in values.items() if value is not None} | tables.keys()
    chosen_values = {p.name: values.get(p.name, p.default) for p in builder.options if not p.is_relation}
    texts = {p.name: _literal(p, chosen_values[p.name], dialect) for p in builder.options if not p.is_relation}
    texts |= {p.name: no_rows(dialect) for p in builder.options if p.is_relation} | dict(tables)
    texts |= {f"has_{p.name}": str(p.name in given).lower() for p in builder.options if p.default is None}
    chosen: list[Procedure | None] = [*(method_of(builder, name) for name in methods)] or [None]
    for method in chosen:
        _check_needs(builder, method, given)
    _refuse_unread(builder, chosen, given)
    has_rank = has_rank or any("rank" in [*method.fields.get("reads", ())] for method in chosen if method)
    parts = KnownParts(chosen_values | {p.name: p.name in tables for p in builder.options if p.is_relation})
    names = names_of(columns, dialect, texts, parts, functions=expressions(), has_rank=has_rank, **known)
    queries = [method_query(builder, method, names) for method in chosen]
    if not builder.combined:
        return "\nunion all\n".join(queries)
    union = "\nunion all\n".join(f"(\n{query}\n)" for query in queries)
    return combined_query(builder, union, names)


def no_rows(dialect: Dialect) -> str:
    """Return empty judgments, which are also an empty table of chunks, used if the call passes none.

    NULL has the types of ids and grades, because comparisons cast to them.
    """
    ids = ", ".join(f"cast(null as {dialect.text_type}) as {name}" for name in ("query_id", "doc_id", "chunk_id"))
    return f"(select {ids}, cast(null as double) as relevance where 1 = 0)"


def refuse_null(builder: Builder, values: Mapping[str, Value]) -> None:
    """Raise InputError if an option that has a default is None."""
    for option in builder.options:
        if option.default is not None and values.get(option.name, option.default) is None:
            raise InputError(f"{option.name} must be {option.allowed}, got None")


def check_values(builder: Builder, values: Mapping[str, Any]) -> None:
    """Raise InputError for the value of an option that is not allowed."""
    refuse_null(builder, values)
    for option in builder.options:
        if values.get(option.name) is not None:
            option.check(values[option.name])


def _check_needs(builder: Builder, method: Procedure | None, given: set[str]) -> None:
    """Raise InputError if a method lacks an option that it needs."""
    for name in needs(method):
        if name not in given:
            option = next(p for p in builder.options if p.name == name)
            raise InputError(f"{method and method.name} needs {name}: {option.summary}")


def _refuse_unread(builder: Builder, methods: Sequence[Procedure | None], given: set[str]) -> None:
    """Raise InputError for an option without a default that none of the methods reads."""
    takes = {name for method in methods for name in taken(builder, method)}
    for option in builder.options:
        if option.name in given and option.default is None and option.name not in takes:
            names = ", ".join(method.name for method in methods if method)
            raise InputError(f"{names} {'do' if len(methods) > 1 else 'does'} not read {option.name}: leave it out")


def taken(builder: Builder, method: Procedure | None) -> list[str]:
    """Return the names of the options that a method reads.

    An option that belongs to some of the methods is read by these only, even if it occurs in the query of all.
    """
    own = variables_of(method.body) if method else frozenset()
    of_methods = {name for other in builder.methods.values() for name in variables_of(other.body)}
    read = variables_of(builder.body).union(_BY.findall(builder.body))
    shared = variables_of(builder.combined) | (read - of_methods)
    return [p.name for p in builder.options if p.name in own | shared]


def needs(method: Procedure | None) -> tuple[str, ...]:
    """Return the names of the options that a method requires."""
    return tuple(method.fields.get("needs", ())) if method else ()


def method_of(builder: Builder, name: str) -> Procedure:
    """Return a method of a builder. Raises InputError for an unknown name."""
    if name not in builder.methods:
        raise InputError(unknown_name(builder.option, name, builder.methods))
    return builder.methods[name]


def _literal(option: Parameter, value: Value, dialect: Dialect) -> str:
    if value is None:
        return "null"
    if option.type == "column":
        return dialect.identifier(str(value))
    if option.type == "text":
        return dialect.string(str(value))
    if not option.allows(value):
        raise InputError(f"{option.name} must be {option.allowed}, got {value!r}")
    if option.type == "choice":
        return string(str(value))
    return sql_value(float(value)) if option.type == "number" else str(int(value))


def method_query(builder: Builder, method: Procedure | None, names: Mapping[str, Any]) -> str:
    """Return the query of a builder with a method. For `names` see `names_of`."""
    own = {"method": {**_FIELDS, **method.fields, "name": method.name, "body": method.body}} if method else {}
    return template_of(builder.body).render({**names, **own})


def combined_query(builder: Builder, union: str, names: Mapping[str, Any]) -> str:
    """Return the query over `union`, the rows of all methods of a builder."""
    return f"with __ltr_queries as (\n{union}\n)\n{template_of(builder.combined).render(names)}"


def render_builder(name: str, dialect: Dialect, keys: tuple[str, ...], given: Mapping[str, Any]) -> str:
    """Return the query of a builder for `ltr_sql.render`.

    `given` maps inputs, options, and has_rank for builders that read runs, to the arguments of the call. Raises
    LtrSqlError for an unknown option, a missing method, and a method that the dialect does not support.
    """
    builder = builders()[name]
    known = {p.name: p for p in builder.options if p.sql}
    ranked = "has_rank" in variables_of(builder.body + builder.combined)
    allowed = [
        *builder.inputs,
        *([builder.option] if builder.option else []),
        *known,
        *(["has_rank"] if ranked else []),
    ]
    unknown = set(given) - {*allowed}
    if unknown:
        raise LtrSqlError(f"{name} takes {', '.join(allowed)}, not {', '.join(sorted(unknown))}")
    tables = {table: given.get(table, table) for table in builder.inputs}
    tables |= {o: given[o] for o, p in known.items() if p.is_relation and o in given}
    values = {o: given[o] for o, p in known.items() if not p.is_relation and o in given}
    chosen = given.get(builder.option, builder.default) if builder.option else None
    methods = [] if chosen is None else [chosen] if isinstance(chosen, str) else list(chosen)
    if builder.option and not methods:
        raise LtrSqlError(f"{name} needs {builder.option}: one of {', '.join(builder.methods)}")
    if dialect is not DUCKDB:
        _refuse_gaps(builder, methods, dialect)
    columns = NamedColumns(keys, dialect)
    if builder.keys:
        compared = str(values.get("compared", builder.keys[0]))
        columns = FusedColumns((compared, *(key for key in keys if key != compared)), dialect, exact=())
    has_rank = bool(given.get("has_rank"))
    return builder_query(builder, methods, tables, values, columns=columns, has_rank=has_rank)


def _refuse_gaps(builder: Builder, methods: list[str], dialect: Dialect) -> None:
    """Raise LtrSqlError if the query needs features that only DuckDB has."""
    for name in methods:
        if builder.methods[name].fields.get("recursive"):
            raise LtrSqlError(
                f"{builder.name} with {builder.option} {name} is not available on {dialect.name}: it needs a recursive "
                "query that joins and aggregates its own rows"
            )
    called = sorted(variables_of(builder.body + builder.combined) & probabilities().keys())
    if called:
        raise LtrSqlError(
            f"{builder.name} is not available on {dialect.name}: its interval or p ({', '.join(called)}) is "
            "rendered for DuckDB only"
        )
