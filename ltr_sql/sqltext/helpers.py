"""The helper macros, `ltr.__ltr_...`: what the macros of measures share, and how these call it.

Reading and checking the input, the keys, the options and the ranks is the same for every measure. It stands in helper
macros, so that the definition of `ltr.ndcg` shows DCG over ideal DCG.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ltr_sql.language.catalogue import SHAPES, Definition, Parameter, definitions, parameters, relations
from ltr_sql.sqltext.columns import CallTimeColumns, keys_check
from ltr_sql.sqltext.dialects import DUCKDB, string
from ltr_sql.sqltext.render import Renderer
from ltr_sql.sqltext.sources import Rankings, Source
from ltr_sql.sqltext.templates import SqlValue, Symbol, macros_of, sql_value
from ltr_sql.sqltext.vocabulary import HELPER_FILES, vocabulary


@dataclass(frozen=True)
class HelperColumns(CallTimeColumns):
    """Columns of a macro that calls the helper macros."""

    def helpers(self, file: str, macros: Mapping[str, Any]) -> Mapping[str, Any]:
        """The macros of `HELPER_FILES` as templates call them: as helper macros."""
        return {name: _Call(macro, inline_literals=file == "gains") for name, macro in macros.items()}

    def keys_check(self, row: str) -> str:
        """A condition that stops the query if a key is no column."""
        return f"ltr.__ltr_check_keys(struct_keys({row}.__ltr_key), {self.keys})"


@dataclass(frozen=True)
class _Call:
    """A template macro as the call of the helper macro of its name; with `inline_literals`, only for a Symbol."""

    macro: Any
    inline_literals: bool

    def __call__(self, *values: SqlValue) -> str:
        if self.inline_literals and not any(isinstance(value, Symbol) for value in values):
            return str(self.macro(*values))
        given = zip(self.macro.arguments, values, strict=True)
        return f"ltr.__ltr_{self.macro.name}({', '.join(_argument(name, value) for name, value in given)})"


def _argument(name: str, value: SqlValue) -> str:
    """An argument of a helper macro: SQL, or the value of a parameter."""
    parameter = parameters().get(name)
    if parameter is not None and parameter.type == "choice" and isinstance(value, str):
        return string(value)
    return sql_value(value)


@dataclass(frozen=True)
class NamedTable(Rankings):
    """The table that a macro is given: `name` is the parameter, `relation` its text after checks, `conditions` check
    the macro's numbers.
    """

    name: str = ""
    conditions: tuple[str, ...] = ()


class HelperRenderer(Renderer):
    """Renders the bodies of macros, which read a named table through helper macros."""

    def __init__(self, keys: str = "keys") -> None:
        super().__init__(HelperColumns(keys))

    def rows(self, source: Source, reads_num_ret: bool) -> str:
        """The rows of the input; numbers are checked here, so that they may be columns of a lateral join."""
        if not isinstance(source, NamedTable):
            return super().rows(source, reads_num_ret)
        return _read(_rows_macro(source.shape, reads_num_ret), source)

    def queries(self, source: Source) -> str:
        """The queries of the input; numbers are checked here too, for the rows may stay unread."""
        if not isinstance(source, NamedTable):
            return super().queries(source)
        macro = "queries_of_documents" if source.shape == "rankings" else "queries"
        # The rows' macro has checked the name.
        return _read(macro, replace(source, relation=source.name))


def named_table(definition: Definition) -> NamedTable:
    """The table that a measure's macro reads."""
    conditions = [
        f"ltr.__ltr_{_check_name(p, p in _optional(definition))}({string(definition.macro)}, {p.name})"
        for p in definition.parameters
        if p.type != "choice"
    ]
    name = "pairs" if definition.paired else "rankings"
    return NamedTable(
        table_name(name, definition.macro, definition.parameters),
        shape=definition.row_source.input,
        name=name,
        conditions=tuple(conditions),
    )


def table_name(argument: str, macro: str, takes: Iterable[Parameter] = ()) -> str:
    """SQL for the name of a table that a macro is given; wrong choices are refused when it is bound."""
    checks = [
        f"ltr.__ltr_{_check_name(p, optional=False)}({string(macro)}, {p.name})" for p in takes if p.type == "choice"
    ]
    return " || ".join([f"ltr.__ltr_table({argument})", *checks])


def helper_macros() -> str:
    """The statements that create the helper macros."""
    columns = CallTimeColumns()
    names = vocabulary(columns, DUCKDB)
    shared = [macro for file in HELPER_FILES for macro in macros_of(f"shared/{file}.sql", names).values()]
    renderer = Renderer(columns)
    tables = {
        _rows_macro(shape, reads_num_ret): renderer.rows(Rankings("query_table(rankings)", shape), reads_num_ret)
        for shape in SHAPES
        for reads_num_ret in sorted({d.counted for d in definitions().values() if d.row_source.input == shape})
    }
    for name, shape in {"queries_of_documents": "rankings", "queries": "covers"}.items():
        tables[name] = renderer.queries(Rankings("query_table(rankings)", shape))
    return renderer.template(
        "entry_points/helpers.sql",
        string=string,
        checks=list({check["name"]: check for check in _checks()}.values()),
        keys_check=keys_check("names", "keys"),
        shared=[(macro.name, macro.arguments, macro(*map(Symbol, macro.arguments))) for macro in shared],
        tables=tables,
    )


def _checks() -> Iterable[dict[str, str | bool]]:
    """The checks of options: one for each parameter and what it allows."""
    for definition in definitions().values():
        for parameter in definition.parameters:
            yield _check(parameter, parameter in _optional(definition))
    for relation in relations().values():
        for parameter in relation.parameters:
            yield _check(parameter, optional=False)


def _check(parameter: Parameter, optional: bool) -> dict[str, str | bool]:
    choice = parameter.type == "choice"
    allowed = condition(parameter, "value" if choice else "try_cast(value as double)")
    return {
        "name": _check_name(parameter, optional),
        "parameter": parameter.name,
        "allowed": parameter.allowed,
        "choice": choice,
        "condition": f"value is null or ({allowed})" if optional else allowed,
    }


def _optional(definition: Definition) -> list[Parameter]:
    """The numbers that may be NULL."""
    return [
        p for p in definition.parameters if p.type != "choice" and p.default is None and p not in definition.required
    ]


def condition(parameter: Parameter, value: str) -> str:
    """The SQL that is true for the values that a parameter allows."""
    if parameter.type == "choice":
        return f"{value} in ({', '.join(map(string, parameter.choices))})"
    bounds = [
        f"{value} {operator} {bound:g}"
        for operator, bound in ((">=", parameter.minimum), (">", parameter.above), ("<=", parameter.maximum))
        if bound is not None
    ]
    whole = [f"{value} = floor({value})"] if parameter.type == "integer" else []
    return " and ".join([*bounds, *whole, f"isfinite({value})"])


def _check_name(parameter: Parameter, optional: bool) -> str:
    return f"check_{domain(parameter)}{'_or_null' if optional else ''}"


def domain(parameter: Parameter) -> str:
    """A name for a parameter and what it allows: some measures allow fewer choices."""
    own = parameter.choices != parameters()[parameter.name].choices
    return "_".join([parameter.name, *(parameter.choices if own else ())])


def _rows_macro(shape: str, reads_num_ret: bool) -> str:
    return f"{shape}_with_num_ret" if reads_num_ret else shape


def _read(macro: str, source: NamedTable) -> str:
    where = "\n    and ".join(source.conditions)
    return f"from ltr.__ltr_{macro}({source.relation}, keys){f'{chr(10)}where {where}' if where else ''}"
