"""The helper macros that the macros of measures share: the SQL of constants, options and relations at the call.

Helper macros do the work that all measures share: they read the input and check keys, options and ranks. The
definition of `ltr.ndcg` therefore shows DCG divided by ideal DCG and little else.

A constant is one text literal with a cast. DuckDB binds it in constant time.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from ltr_sql.catalogue.functions import LISTS, SHAPES, RowSource, reads_num_ret, relations
from ltr_sql.catalogue.measures import Definition, definitions
from ltr_sql.catalogue.options import Compare, Differences, Leaderboard, Orders, Trend, options_of
from ltr_sql.catalogue.parameters import Parameter, parameters
from ltr_sql.rendering.columns import (
    KEYS_MESSAGE,
    CallTimeColumns,
    columns_where,
    compared_bytewise,
    invalid_keys,
    keys_check,
)
from ltr_sql.rendering.comparisons import FRAGMENTS
from ltr_sql.rendering.dialects import DUCKDB, literal, string
from ltr_sql.rendering.measure_columns import Rankings, Source
from ltr_sql.rendering.renderer import READ, Renderer
from ltr_sql.rendering.templates import (
    HELPER_FILES,
    CallTime,
    SqlValue,
    macros_of,
    render_template,
    sql_value,
    vocabulary,
)


@dataclass(frozen=True)
class HelperColumns(CallTimeColumns):
    """Grouping columns of a macro that calls the helper macros."""

    def helpers(self, file: str, macros: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the macros of one of the `HELPER_FILES` as calls of helper macros."""
        return {name: _Call(macro, inline_literals=file == "gains") for name, macro in macros.items()}

    def _keys_check(self, names: str, query_id: str) -> str:
        """Raise an error if a key is not a column, else return true."""
        return f"ltr.__ltr_check_keys({names}, {query_id}, {self.keys})"

    # A condition on COLUMNS(...) must hold for each selected column. The cast lets a key be bytes, unlike ids.
    def checked_relation(self, relation: str, *numbers: str) -> str:
        """Return a relation that rejects a key with a collation, and text in `numbers` that is no number."""
        key = f"cast(columns(lambda c: c = '__ltr_none' or {self._key}) as varchar)"
        checked = f"(select * from {super().checked_relation(relation)} where {self.bytewise_check(key)})"
        if not numbers:
            return checked
        read = ", ".join(map(string, ("__ltr_none", *numbers)))
        return f"(select * from {checked} where ltr.__ltr_number(columns(lambda c: lower(c) in ({read}))))"

    def exact_check(self, score: str) -> str:
        """Raise an error for a score of type text that a double rounds, else return true."""
        return f"ltr.__ltr_exact({score})"

    def bytewise_check(self, *values: str) -> str:
        """Raise an error if a column is bytes or has a collation, else return true."""
        return " and ".join(f"ltr.__ltr_bytewise({value})" for value in values)


@dataclass(frozen=True)
class PlaceholderColumns(HelperColumns):
    """Grouping columns of a query whose text a macro generates. The macro has checked the keys of its call."""

    keys: str = "{keys}"

    def keys_check(self, row: str) -> str:
        """Raise an error for ids that are not compared by bytes."""
        return self.bytewise_check(f"{row}.__ltr_key.query_id")


# Placeholders before and after SQL that is a comment without grouping columns: their texts without and with them.
IF_GROUPED = {"{comment}": ("/* ", ""), "{commented}": (" */", "")}


def filled(texts: Mapping[str, tuple[str, str]], keys: str) -> dict[str, str]:
    """Return the SQL of the text of each placeholder. `texts` holds its texts without and with grouping columns.

    `keys` is the SQL of the list of grouping columns of a call.
    """
    return {
        placeholder: f"case when len({keys}) = 0 then {literal(alone)} else {literal(grouped)} end"
        for placeholder, (alone, grouped) in texts.items()
    }


@dataclass(frozen=True)
class GeneratedColumns(HelperColumns):
    """Grouping columns of a query whose text a macro generates, and which reads a single table with keys.

    The macro knows whether its call has grouping columns, and fills in the placeholders of `filled`. Without
    grouping columns, the system is the number 0, which is cheaper to group by and to join than a struct.

    - `grouped`: false to render the texts without grouping columns.
    """

    keys: str = "{keys}"
    grouped: bool = True

    @property
    def _texts(self) -> dict[str, tuple[str, str]]:
        """SQL without and with grouping columns, by placeholder."""
        valid = f"list_has_all((*), {self.keys}) and not {invalid_keys(self.keys)}"
        # If the keys are invalid, select a column whose name is the error message, as for other missing columns.
        message = f"[{string(KEYS_MESSAGE)} || coalesce(cast({self.keys} as varchar), 'NULL')]"
        named = f"case when coalesce({valid}, false) then list_concat(['__ltr_one'], {self.keys}) else {message} end"
        return {
            "{system}": ("0", f"struct_pack(*columns({named}))"),
            "{unnest}": ("0 /* ", "unnest("),
            "{unnested}": (" */ as __ltr_one", ")"),
            **IF_GROUPED,
        }

    @property
    def filled(self) -> dict[str, str]:
        """The SQL of the text of each placeholder. `keys` is the argument of the macro."""
        return filled(self._texts, "keys")

    def _text(self, placeholder: str) -> str:
        return placeholder if self.grouped else self._texts[placeholder][0]

    def if_grouped(self, text: str) -> str:
        """Return SQL that is a comment in a query without grouping columns."""
        before, after = map(self._text, IF_GROUPED)
        return f"{before}{text}{after}"

    @property
    def ungrouped(self) -> Self:
        """A copy without grouping columns."""
        return replace(self, keys="[]::varchar[]", grouped=False)

    def without_one(self, query: str) -> str:
        """Return a query without the column __ltr_one that `system_output` adds."""
        outputs_system = self._text("{unnest}") in query
        return f"select * exclude (__ltr_one)\nfrom (\n{query}\n)" if outputs_system else query

    def run_key_definition(self, row: str, *read: str) -> str:
        """Define the key and the system."""
        ids = columns_where("lower(c) = 'query_id'", DUCKDB.text_list(["query_id", *(read or ("doc_id",))]))
        return f"{ids},\n{self._text('{system}')} as __ltr_system"

    def key(self, row: str) -> str:
        """Reference the key."""
        return f"{self.if_grouped(f'{row}.__ltr_system,')} {row}.query_id"

    def run_key(self, row: str) -> str:
        """Reference the key and the system."""
        return f"{row}.__ltr_system, {row}.query_id"

    def same_key(self, row: str, other: str) -> str:
        """Compare the keys of two rows. NULL equals NULL."""
        systems = self.if_grouped(f"{row}.__ltr_system is not distinct from {other}.__ltr_system and")
        return f"{systems} {row}.query_id is not distinct from {other}.query_id"

    def system_output(self, row: str) -> str:
        """Output the system."""
        return f"{self._text('{unnest}')}{row}.__ltr_system{self._text('{unnested}')}"

    def key_output(self, row: str) -> str:
        """Output the key."""
        return f"{self.system_output(row)}, {row}.query_id as query_id"

    def keys_check(self, row: str) -> str:
        """Raise an error for ids that are not compared by bytes. `run_key_definition` checks the keys."""
        return self.bytewise_check(f"{row}.query_id")


@dataclass(frozen=True)
class _Call:
    """Replace a template macro by a call of its helper macro.

    With `inline_literals`, calls without a `CallTime` are inlined.
    """

    macro: Any
    inline_literals: bool

    def __call__(self, *values: SqlValue) -> str:
        if self.inline_literals and not any(isinstance(value, CallTime) for value in values):
            return str(self.macro(*values))
        given = zip(self.macro.arguments, values, strict=True)
        return f"ltr.__ltr_{self.macro.name}({', '.join(_argument(name, value) for name, value in given)})"


def _argument(name: str, value: SqlValue) -> str:
    """Return an argument of a helper macro as SQL. `value` is SQL already, or the value of a parameter."""
    parameter = parameters().get(name)
    if parameter is not None and parameter.type == "choice" and isinstance(value, str):
        return string(value)
    return sql_value(value)


@dataclass(frozen=True)
class NamedTable(Rankings):
    """The table whose name is passed to a macro.

    - `relation`: SQL of the name. It also checks the name and the arguments that are choices.
    - `name`: parameter of the macro that holds the name.
    - `conditions`: SQL that checks the numeric arguments.
    - `reads`: the documents that the measure reads: a key of `READ`.
    """

    name: str = ""
    reads: str = "judged"
    conditions: tuple[str, ...] = ()


# The SQL of the number of retrieved documents of a query in a macro. The value of `empty` is known only at the call, so
# the list of queries always counts them. DuckDB leaves out the count if nothing reads it.
NUM_RET_OF_QUERIES = "q.num_ret"


class HelperRenderer(Renderer):
    """Renderer of the body of a macro, which reads a table through helper macros."""

    num_ret = NUM_RET_OF_QUERIES

    def __init__(self, columns: HelperColumns | None = None) -> None:
        # An argument of the call may be a column of a lateral join, which a lambda cannot read in DuckDB 1.5.
        super().__init__(columns or HelperColumns(), DUCKDB if columns else DUCKDB.with_windows)

    def rows(self, source: Source, reads_num_ret: bool) -> str:
        """Return SQL that selects the rows of the input and checks the numeric arguments of the call.

        A number may be a column of a lateral join, so it can only be checked where rows are read.
        """
        if not isinstance(source, NamedTable):
            return super().rows(source, reads_num_ret)
        return _read(_rows_macro(source.shape, reads_num_ret), source)

    def queries(self, source: Source, read: str = READ["judged"]) -> str:
        """Return the query that lists the queries of the input.

        It also checks the numeric arguments, because the rows may never be read.
        """
        if not isinstance(source, NamedTable):
            return super().queries(source, read)
        macro = f"queries_of_{source.reads}" if source.shape == "rankings" else "queries"
        # The helper macro of the rows checks the name.
        return _read(macro, replace(source, relation=source.name))


def renderer_of(row_source: RowSource) -> Renderer:
    """Return the renderer of a row source in a query whose text a macro generates."""
    return Renderer(GeneratedColumns()) if row_source.input == LISTS else HelperRenderer(PlaceholderColumns())


def named_table(definition: Definition) -> NamedTable:
    """Return the table that the macro of a measure reads."""
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
        reads="relevant" if definition.reads == "relevant" else "judged",
    )


def table_name(argument: str, macro: str, options: Iterable[Parameter] = ()) -> str:
    """Return the SQL of the table name that is passed to a macro as `argument`.

    It also checks the choices among the options, when DuckDB binds the call.
    """
    checks = [choice_check(macro, p) for p in options if p.type in ("choice", "switch")]
    return " || ".join([f"ltr.__ltr_table({argument})", *checks])


def choice_check(macro: str, parameter: Parameter) -> str:
    """Return SQL that is '' if the choice that is passed to a macro is valid, and otherwise raises an error."""
    return f"ltr.__ltr_{_check_name(parameter, optional=False)}({string(macro)}, {parameter.name})"


def helper_macros() -> str:
    """Return the statements that create the helper macros."""
    columns = CallTimeColumns()
    names = vocabulary(columns, DUCKDB)
    shared = [macro for file in HELPER_FILES for macro in macros_of(f"shared/{file}.sql", names).values()]
    renderer = Renderer(HelperColumns())
    tables = {
        _rows_macro(shape, counted): renderer.rows(Rankings("query_table(rankings)", shape), counted)
        for shape in SHAPES
        for counted in sorted({reads_num_ret(d.reads) for d in definitions().values() if d.row_source.input == shape})
    }
    for reads, condition_on_grade in READ.items():
        tables[f"queries_of_{reads}"] = renderer.queries(Rankings("query_table(rankings)"), condition_on_grade)
    tables["queries"] = renderer.queries(Rankings("query_table(rankings)", "covers"))
    return renderer.template(
        "macros/helpers.sql",
        string=literal,
        checks=list({check["name"]: check for check in _checks()}.values()),
        keys_check=keys_check("names", "query_id", "keys"),
        keys_message=KEYS_MESSAGE,
        bytewise=compared_bytewise("id"),
        shared=[(macro.name, macro.arguments, macro(*map(CallTime, macro.arguments))) for macro in shared],
        tables=tables,
    )


def _checks() -> Iterable[dict[str, str | bool]]:
    """Return the checks of options: one per parameter and set of allowed values."""
    for definition in definitions().values():
        for parameter in definition.parameters:
            yield _check(parameter, parameter in _optional(definition))
    for relation in relations().values():
        for parameter in relation.parameters:
            if parameter.type not in ("table", "map"):
                yield _check(parameter, optional=False)


def _check(parameter: Parameter, optional: bool) -> dict[str, str | bool]:
    choice = parameter.type in ("choice", "switch")
    allowed = parameter.condition("value" if choice else "try_cast(value as double)")
    return {
        "name": _check_name(parameter, optional),
        "parameter": parameter.name,
        "allowed": parameter.allowed,
        "choice": choice,
        "condition": f"value is null or ({allowed})" if optional else allowed,
    }


def _optional(definition: Definition) -> list[Parameter]:
    """Return the numeric parameters that may be NULL."""
    return [
        p for p in definition.parameters if p.type != "choice" and p.default is None and p not in definition.required
    ]


def _check_name(parameter: Parameter, optional: bool) -> str:
    return f"check_{domain(parameter)}{'_or_null' if optional else ''}"


def domain(parameter: Parameter) -> str:
    """Return a name for a parameter and its allowed values, because some measures allow fewer choices."""
    own = parameter.choices != parameters()[parameter.name].choices
    return "_".join([parameter.name, *(parameter.choices if own else ())])


def _rows_macro(shape: str, reads_num_ret: bool) -> str:
    return f"{shape}_with_num_ret" if reads_num_ret else shape


def _read(macro: str, source: NamedTable) -> str:
    where = "\n    and ".join(source.conditions)
    return f"from ltr.__ltr_{macro}({source.relation}, keys){f'{chr(10)}where {where}' if where else ''}"


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


# The order of the parameters of macros, which may be passed by position. New options follow.
_ORDER = [
    "by",
    "keys",
    "compared",
    "baseline",
    "test",
    "adjust",
    "family",
    "ci",
    "confidence",
    "margin",
    "repeats",
    "lower_is_better",
    "missing",
    "replicates",
    "resamples",
    "seed",
    "weights",
    "human",
    "cluster",
    "totals",
    "planned",
    "across",
    "generalize",
    "paired",
    "details",
]
_RECORDS = {
    "compare": Compare,
    "leaderboard": Leaderboard,
    "orders": Orders,
    "differences": Differences,
    "trend": Trend,
}


def option_lists() -> dict[str, Any]:
    """Return what the template of the macros reads.

    - `parameters`: the names of all options. `signatures`: the parameters with defaults of the macros of each record.
    - `arguments`: the arguments of a call with all options. A macro passes the defaults of those that it lacks.
    - `checked`: the options that are numbers or choices, with their conditions.
    """
    every = _in_order(Compare)
    return {
        "parameters": list(every),
        "signatures": {
            name: [f"{_parameter(o.name)} := {o.default_in_sql}" for o in _in_order(record).values()]
            for name, record in _RECORDS.items()
        },
        "arguments": {
            name: [_passed(o, options_of(record)) for o in every.values()] for name, record in _RECORDS.items()
        },
        "checked": [_checked(every[name]) for name in FRAGMENTS],
        "planned": _checked(every["planned"]),
    }


def _checked(option: Parameter) -> dict[str, Any]:
    condition = option.condition(f"try_cast({option.name} as double)")
    return {"name": option.name, "choices": option.choices, "condition": condition, "allowed": option.allowed}


def _parameter(name: str) -> str:
    """Return the name of a parameter. `by` is a reserved word."""
    return '"by"' if name == "by" else name


def _passed(option: Parameter, taken: Mapping[str, Parameter]) -> str:
    """Return what a macro that takes these options passes for an option of `compare`."""
    if option.name == "compared" and "by" in taken:
        return _parameter("by")
    return option.name if option.name in taken and taken[option.name].sql else option.default_in_sql


def _in_order(record: type) -> Mapping[str, Parameter]:
    """Return the options of a record that macros take."""
    found = {name: option for name, option in options_of(record).items() if option.sql}
    return dict(sorted(found.items(), key=lambda item: _ORDER.index(item[0]) if item[0] in _ORDER else len(_ORDER)))


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
