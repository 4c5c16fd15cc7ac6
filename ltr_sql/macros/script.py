"""Bundle all macros in one script, which any DuckDB client can load."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from itertools import product
from typing import Any

from ltr_sql.catalogue.builders import builders
from ltr_sql.catalogue.conventions import convention_rows, conventions
from ltr_sql.catalogue.measure_strings import (
    ARGUMENT,
    ASSIGNMENT,
    DEFAULT_MEASURES,
    GRAMMAR,
    IGNORED,
    JUDGED_ONLY,
    LONGEST,
    Measure,
    parse_measures,
)
from ltr_sql.catalogue.measures import (
    Definition,
    all_definitions,
    beyond_accuracy_definitions,
    catalogue_rows,
    definitions,
    definitions_by_name,
    uncut_names,
)
from ltr_sql.catalogue.parameters import Parameter, parameters, spellings, sql_default
from ltr_sql.catalogue.relations import Relation, relations
from ltr_sql.catalogue.row_sources import ROWS, SHAPES, TABLES, row_sources
from ltr_sql.macros.builders import builder_macro
from ltr_sql.macros.constants import constant, constant_entry
from ltr_sql.macros.files import SCHEMA
from ltr_sql.macros.helpers import (
    GeneratingRenderer,
    HelperRenderer,
    PlaceholderColumns,
    choice_check,
    helper_macros,
    named_table,
    renderer_of,
    table_name,
)
from ltr_sql.rendering.columns import KEYS_MESSAGE, CallTimeColumns, invalid_keys
from ltr_sql.rendering.comparisons import (
    POWER,
    Choices,
    ComparedValues,
    comparison_texts,
    queries_needed_query,
    values_query,
)
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.findings import CheckParts, check_query, check_rows, means_query, tie_columns
from ltr_sql.rendering.fusion import fusion_texts
from ltr_sql.rendering.probabilities import calls, distributions, macro_body
from ltr_sql.rendering.renderer import (
    NEEDS_RANKINGS,
    NEEDS_RUN,
    NEEDS_SCORES,
    NO_WEIGHTS,
    Column,
    Renderer,
    no_breakdown_message,
    row_source_parameters,
)
from ltr_sql.rendering.sources import GivenTable, Lists, Pairs, Rankings
from ltr_sql.rendering.spread import distribution_text
from ltr_sql.rendering.templates import SqlValue, Symbol
from ltr_sql.rendering.weights import WEIGHT_PLACEHOLDERS, weighted_rows
from ltr_sql.version import __version__

_NOTE = """\
-- ltr_sql: ranking evaluation as SQL. The macros of ltr_sql for DuckDB 1.5 and later, in schema ltr.
-- Generated from the templates in sql/; do not edit.
"""


def bundle() -> str:
    """Return the script that creates all macros in schema `ltr`."""
    macros = [
        helper_macros(),
        *(relation_macro(relation) for relation in relations().values()),
        *(measure_macro(definition) for definition in definitions().values()),
        *check_macros(),
        *entry_point_macros(),
        *beyond_accuracy_macros(),
        *distribution_macros(),
        *comparison_macros(),
        fusion_macros(),
        weights_macros(),
        distribution_over_queries_macros(),
        *builder_macros(),
    ]
    return _NOTE + SCHEMA + "\n" + "\n\n".join(macro.strip() for macro in macros) + "\n"


def measure_macro(definition: Definition) -> str:
    """Return the statement that creates the macro of a measure."""
    column = Column(definition, _call_time_values(definition.parameters), definition.macro)
    return _macro(
        definition.macro,
        ["pairs" if definition.paired else "rankings"],
        definition.parameters,
        HelperRenderer().query([column], named_table(definition)),
        f"{definition.summary} {definition.name} = {definition.formula}. {_describe(definition.parameters)}"
        f"{definition.reference}.",
    )


def relation_macro(relation: Relation) -> str:
    """Return the statement that creates the macro of a relation."""
    first, *others = relation.inputs
    tables = {first: table_name(first, relation.macro, relation.parameters)}
    tables |= {name: table_name(name, relation.macro) for name in others}
    query = HelperRenderer().relation(
        relation.body,
        inputs={name: f"query_table({table})" for name, table in tables.items()},
        has_rank={name: Symbol(name) for name in relation.inputs},
        values=_call_time_values(relation.parameters),
    )
    if "__ltr_systems" in query:
        query = f"select columns(lambda c: not starts_with(c, '__ltr_'))\nfrom (\n{query}\n)"
    return _macro(
        relation.macro,
        relation.inputs,
        relation.parameters,
        query,
        f"{relation.summary} Reads {relation.reads}. "
        f"Returns {relation.gives}. {_describe(relation.parameters)}".strip(),
    )


def check_macros() -> Iterable[str]:
    """Return the statements that create `ltr.check_rankings`, `ltr.check_run` and their helper macros."""
    measures = parse_measures(DEFAULT_MEASURES)
    yield _check_helpers(measures)
    columns = "severity, what was found, how many rows, queries or documents, the first of them, and what to do"
    yield _macro(
        "check_rankings",
        ["rankings"],
        (),
        check_query(_check_parts(judged=False), measures),
        f"Errors, warnings and diagnostics of rankings or a scored table. Returns one row per finding: {columns}.",
    )
    yield _macro(
        "check_run",
        ["run", "qrels"],
        (),
        check_query(_check_parts(judged=True), measures),
        f"Errors, warnings and diagnostics of a run with judgments. Returns one row per finding: {columns}.",
    )


def _check_parts(judged: bool) -> CheckParts:
    """Return the parts of the findings' query as calls of helper macros."""
    run, qrels, rankings = (table_name(table, "") for table in ("run", "qrels", "rankings"))
    rows = f"ltr.__ltr_check_rows({rankings}, keys)"

    def means(columns: Sequence[Column], ties: str, ranked: str) -> str:
        return f"with __ltr_ranked as (\n{ranked}\n)\nfrom ltr.__ltr_default_means('__ltr_ranked')"

    return CheckParts(
        judged,
        f"ltr.__ltr_check_run_rows({run}, {qrels}, keys)" if judged else rows,
        f"ltr.__ltr_check_rows({qrels}, []::varchar[])" if judged else rows,
        means,
    )


def _check_helpers(measures: Sequence[Measure]) -> str:
    """Return the statements that create the helper macros of `ltr.check_rankings` and `ltr.check_run`."""
    return HelperRenderer().template(
        "macros/check_helpers.sql",
        rows=check_rows("query_table(rankings)", "keys"),
        run_rows=check_rows("query_table(rankings)", "keys", "query_table(qrels)"),
        means=means_query(tie_columns(measures), "from query_table(rankings)", has_num_ret=False),
    )


def entry_point_macros() -> Iterable[str]:
    """Return the statements that create `ltr.evaluate`, other macros of measure strings, and the catalogue."""
    renderer = HelperRenderer(PlaceholderColumns())
    context = _fused_context(renderer)
    yield renderer.template("macros/measures_query.sql", **context)
    for name in ("per_query", "evaluate"):
        yield renderer.template(f"macros/{name}.sql", table_named=_table_named)
    (ties,) = relations()["pair"].parameters
    yield renderer.template(
        "macros/compare_rankings.sql",
        quoted=_quoted,
        ties=sql_default(ties),
        comment=string(
            "Agreement of two runs. Reads query_id, doc_id, rank or score, and keys. Returns one row per query of "
            f"either run, and one column per measure string. {_describe([ties])}".strip()
        ),
    )
    yield renderer.template("macros/explain.sql", **context)
    for name, rows in {"measures": catalogue_rows(), "conventions": convention_rows()}.items():
        yield renderer.template(f"macros/{name}.sql", rows=constant(rows))
    yield renderer.template("macros/version.sql", version=string(__version__))


def beyond_accuracy_macros() -> Iterable[str]:
    """Return the statements that create `ltr.beyond_accuracy`, and the macros of measures beyond accuracy."""
    renderer = GeneratingRenderer()
    (ties,) = relations()["pair"].parameters
    given = {name: GivenTable(f"{{table_{name}}}", f"{{needed_{name}}}", has_rank=Symbol(name)) for name in TABLES}
    source = Lists(
        "{relation}",
        has_rank=Symbol("run"),
        ties=Symbol("{ties}", order="{order}"),
        unsorted=Symbol("{unsorted}"),
        given=given,
    )
    yield renderer.template(
        "macros/beyond_accuracy.sql",
        **_fused_context(renderer, of_lists=True),
        tables=list(TABLES),
        ties=sql_default(ties),
        ties_checked=f"{choice_check('beyond_accuracy', ties)} || ties",
        orders={choice: renderer.vocabulary["ranking_order"]("r", choice, "r") for choice in ties.choices},
        system_texts=renderer.columns.filled,
        absent={name: renderer.absent(name, "{relation}") for name in TABLES},
        k_allowed=next(p for p in all_definitions()["gini"].parameters if p.name == "k").allowed,
        sorted_sources=[source.name for source in row_sources().values() if source.reads_ranks],
        largest_bigint=2**63 - 1,
        lists_query=renderer.columns.without_one(
            renderer.lists_query(source, tables=TABLES, blocks="{blocks}", outputs="{outputs}", joins="{joins}")
        ),
        comment=string(
            "Measures of what a run shows, judged or not. Reads query_id, doc_id, keys, and rank or score. Returns one "
            "row for each combination of key values, or with by_query one row for each query, and one column for each "
            f"measure string. {_describe([ties])}".strip()
        ),
        measures=[_of_lists(definition) for definition in beyond_accuracy_definitions().values()],
    )


def _of_lists(definition: Definition) -> dict[str, Any]:
    """Return the parts of the macro of a measure beyond accuracy."""
    options = [
        f"{{'name': {string(p.name)}, 'value': cast({p.name} as varchar)}}"
        for p in definition.parameters
        if p.name != definition.at
    ]
    at = "k" if definition.parameter("k") else "null"
    return {
        "macro": definition.macro,
        "tables": definition.row_source.tables,
        "defaults": {p.name: sql_default(p) for p in definition.parameters},
        "text": f"ltr.__ltr_measure_text({string(definition.name)}, [{', '.join(options)}], {at})",
        "averaged": str(definition.over == "run").lower(),
        "comment": string(
            f"{definition.summary} {definition.name} = {definition.formula}. {_describe(definition.parameters)}"
            f"{definition.reference}."
        ),
    }


def distribution_macros() -> Iterable[str]:
    """Return the statements that create the macros of distribution functions."""
    for distribution in distributions().values():
        body = macro_body(distribution)
        created = f"create or replace macro {distribution.macro}({', '.join(distribution.arguments)}) as {body};"
        comment = f"{distribution.summary} {distribution.reference}."
        yield (
            f"{created}\ncomment on macro {distribution.macro} is {string(comment)};"
            if distribution.public
            else created
        )


def comparison_macros() -> Iterable[str]:
    """Return the statements that create `ltr.compare` and the other macros of `sql/templates/macros/compare.sql`."""
    names = [f.name for f in fields(ComparedValues) if f.name not in ("fewest", "dialect", "weighted")]
    given: dict[str, Any] = {name: f"{{{name}}}" for name in names}
    values = ComparedValues(**given)
    choices = Choices(**{f.name: f"{{{f.name}}}" for f in fields(Choices) if f.name != "functions"}, functions=calls())
    comparison, parts = comparison_texts(replace(values, weighted=None), choices)
    renderer = HelperRenderer(PlaceholderColumns())
    yield renderer.template(
        "macros/compare.sql",
        **_fused_context(renderer),
        comparison=comparison,
        parts=parts,
        weight_placeholders=WEIGHT_PLACEHOLDERS,
        wins=values_query("wins", values, choices),
        variance=values_query("variance", values, choices),
        given_columns=_GIVEN_COLUMNS,
        power=POWER,
        queries_needed=queries_needed_query(
            "cast(difference as double) / cast(sd as double)", "cast(power as double)", "cast(alpha as double)", calls()
        ),
    )


def fusion_macros() -> str:
    """Return the statements that create `ltr.fuse`."""
    renderer = HelperRenderer(PlaceholderColumns())
    return renderer.template(
        "macros/fuse.sql",
        **{**_fused_context(renderer), **fusion_texts("{weights}")},
        comment=string(
            "Fuse the runs of each query into one. Reads query_id, doc_id, rank or score (rank decides the order if "
            "both exist), the column that names the run of each row (compared), and keys. Returns the keys without "
            "this column, query_id, doc_id, score, rank, and runs (how many hold the document). weights: a table with "
            "the column of the runs and weight, or a map from run to weight."
        ),
    )


def weights_macros() -> str:
    """Return the statements that create the helper macros of weights of queries."""
    renderer = HelperRenderer(PlaceholderColumns())
    return renderer.template(
        "macros/weights.sql",
        **_fused_context(renderer),
        weighted_rows=weighted_rows("{relation}", "{weights}", "{keyed}"),
    )


def distribution_over_queries_macros() -> str:
    """Return the statements that create `ltr.distribution`."""
    renderer = HelperRenderer(PlaceholderColumns())
    fragments = {name: f"{{{name}}}" for name in ("relation", "stratum", "strata_output", "names", "numbers")}
    return renderer.template(
        "macros/spread.sql",
        **_fused_context(renderer),
        text=distribution_text(None, DUCKDB, **fragments),
        weight_placeholders=WEIGHT_PLACEHOLDERS,
    )


def builder_macros() -> Iterable[str]:
    """Return the statements that create the macros of `sql/builders/`."""
    context = _fused_context(HelperRenderer(PlaceholderColumns()))
    yield from (builder_macro(builder, context) for builder in builders().values())


# Select the measures that a call names. If one is missing, select a column whose name is the error message.
_MISSING_MEASURES = "list_filter({measures}, lambda n: not list_contains((*), n))"
_GIVEN_COLUMNS = (
    f"case when len({_MISSING_MEASURES}) > 0 then [list_aggregate({_MISSING_MEASURES}, 'string_agg', ', ') || "
    "' (the values have ' || list_aggregate((*), 'string_agg', ', ') || ')'] "
    "else list_filter((*), lambda c: list_contains({measures}, c)) end"
)


def _macro(name: str, inputs: Iterable[str], options: Iterable[Parameter], query: str, comment: str) -> str:
    signature = [*inputs, *(f"{p.name} := {sql_default(p)}" for p in options), "keys := []::varchar[]"]
    return Renderer(CallTimeColumns()).template(
        "macros/macro.sql", name=name, signature=signature, query=query, comment=string(comment)
    )


def _describe(options: Iterable[Parameter]) -> str:
    return "".join(f"{parameter.name}: {parameter.summary}. " for parameter in options)


def _call_time_values(options: Iterable[Parameter]) -> dict[str, SqlValue]:
    return {p.name: Symbol(f"cast({p.name} as double)" if p.type == "number" else p.name) for p in options}


def _table_named(parameter: str) -> str:
    """Return SQL that evaluates to the text `query_table('NAME')`, where the parameter holds NAME."""
    return f"'query_table(' || {_quoted(table_name(parameter, ''))} || ')'"


def _quoted(text: str) -> str:
    """Return SQL that quotes a text as an SQL string. `text` is SQL as well."""
    return f"'''' || replace({text}, '''', '''''') || ''''"


def _placeholders() -> dict[str, SqlValue]:
    """Return a {placeholder} for the value of each parameter."""
    return {name: Symbol(f"{{{name}}}", f"{{_{name}}}") for name in parameters()}


def _fused_context(renderer: Renderer, of_lists: bool = False) -> dict[str, Any]:
    """Return the context of `sql/templates/macros/query_text.sql`: SQL with {placeholders} for the values of a call.

    - `of_lists`: true for the SQL of measures beyond accuracy, false for that of all others.
    """
    placeholders = _placeholders()
    measures = all_definitions().values()
    rendered = [d for d in measures if d.beyond_accuracy == of_lists]
    block_parameters = sorted({n for source in row_sources().values() for n in row_source_parameters(source)} - {"k"})
    return {
        "grammar": GRAMMAR,
        "argument": ARGUMENT,
        "assignment": ASSIGNMENT,
        "longest": LONGEST,
        "ignored": IGNORED,
        "judged_only": JUDGED_ONLY,
        "string": string,
        "constant": constant,
        "constant_entry": constant_entry,
        "table_named": _table_named,
        "wrong_keys": invalid_keys("keys"),
        "keys_message": KEYS_MESSAGE,
        "unset": [entry for name in block_parameters for entry in ([f"{{{name}}}", "null"], [f"{{_{name}}}", "_null"])],
        "needs_scores": NEEDS_SCORES,
        "needs_run": NEEDS_RUN,
        "needs_rankings": NEEDS_RANKINGS,
        "not_by_rank": no_breakdown_message(),
        "rows": list(ROWS),
        "conventions": list(conventions()),
        "conventions_of_lists": [c.name for c in conventions().values() if c.only],
        "substitutes": {
            f"{c.name}.{macro}": other for c in conventions().values() for macro, other in c.substitutes.items()
        },
        "spellings": spellings(),
        "uncut": {f"{name}.{macro}": other for (name, macro), other in uncut_names().items()},
        "given": {(d.macro, name): other for d in measures for name, other in d.given.items()},
        "presets": _presets(),
        "names": {name: definition.macro for name, definition in definitions_by_name().items()},
        "titles": {name: definition.name for name, definition in definitions_by_name().items()},
        "definitions": {d.macro: _definition(renderer, d, placeholders) for d in measures},
        "texts": _texts(renderer, rendered, placeholders),
        "texts_by_rank": _texts_by_rank(renderer, (d for d in rendered if d.discount is not None), placeholders),
        "blocks": {
            f"{source.name} {reads}": renderer_of(source).block_of(
                source,
                {name: placeholders[name] for name in ("k", *block_parameters)},
                windows="{windows}",
                values="{values}",
                reads=reads,
                shared_ranks="{shared_ranks}",
                suffix="{suffix}",
                documents="{documents}",
            )
            for source in row_sources().values()
            for reads in source.rows
            if any(d.row_source is source and d.reads == reads for d in rendered)
        },
        "queries": _queries(renderer),
        "averages": renderer.template(
            "rendering/averages.sql",
            keys="{keys}",
            averages="{averages}",
            weighted=False,
            per_query="{per_query}",
            group_by="{group_by}",
        ),
        "weighted_averages": renderer.template(
            "rendering/averages.sql",
            keys="{keys}",
            averages="{averages}",
            weighted=True,
            per_query=weighted_rows("(\n{per_query}\n)", "{weights}", "{keyed}"),
            group_by="{group_by}",
        ),
        "no_weights": NO_WEIGHTS,
        "explained": renderer.template(
            "rendering/explained.sql",
            relation="{relation}",
            query="'{query}'",
            k=Symbol("{cutoff}"),
            gain="{gain_of_document}",
            discount="{discount_of_rank}",
            block="{block}",
            empty="{empty_value}",
        ),
        "blocks_by_rank": {
            f"{source.name} {reads}": renderer.block_by_rank_of(
                source,
                {name: placeholders[name] for name in ("k", *block_parameters)},
                value="{value}",
                windows="{windows}",
                reads=reads,
                shared_ranks="{shared_ranks}",
            )
            for source in row_sources().values()
            for reads in source.rows
            if any(d.row_source is source and d.reads == reads and d.discount for d in rendered)
        },
    }


def _queries(renderer: Renderer) -> dict[str, str]:
    """Return the query over each shape of relation, and over rankings that are paired with their ideal order."""
    queries = {}
    for shape in SHAPES:
        source = Pairs("{relation}", shape) if "rank_a" in SHAPES[shape] else Rankings("{relation}", shape)
        for suffix, others in {"": ("rankings", shape), " against ideal": ("rankings", shape, "pairs")}.items():
            queries[f"{shape}{suffix}"] = renderer.query_of(
                source,
                row_sources={rows for rows in row_sources().values() if rows.input in others},
                blocks="{blocks}",
                outputs="{outputs}",
                joins="{joins}",
                reads_num_ret=not source.paired,
            )
    return queries


def _parameter(parameter: Parameter, required: bool) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "default": "null" if parameter.default is None else str(parameter.default),
        "required": "true" if required else "false",
        "type": parameter.type,
        "choices": list(parameter.choices),
        "least": parameter.minimum,
        "above": parameter.above,
        "most": parameter.maximum,
        "allowed": parameter.allowed,
    }


def _presets() -> dict[str, str]:
    """Return the values that names and conventions set, by NAME.PARAMETER and CONVENTION.MACRO.PARAMETER."""
    by_name = {
        f"{name}.{parameter}": str(value)
        for definition in all_definitions().values()
        for name, values in definition.named.items()
        for parameter, value in values.items()
    }
    by_convention = {
        f"{convention.name}.{macro}.{parameter}": str(value)
        for convention in conventions().values()
        for macro, values in convention.values.items()
        for parameter, value in values.items()
    }
    return by_name | by_convention


def _definition(renderer: Renderer, definition: Definition, placeholders: Mapping[str, SqlValue]) -> dict[str, Any]:
    """Return what the macros read and check a measure string with."""
    column = _column(definition, placeholders)
    return {
        "macro": definition.macro,
        "input": definition.row_source.input,
        "at": definition.at,
        "fraction": definition.fraction,
        "parameters": [*column.values],
        "domains": [_parameter(p, p in definition.required) for p in definition.parameters],
        "arguments": [name for name in column.values if name != "k"],
        "choices": [p.name for p in _choices(renderer, column)],
        "needs": [
            {"table": n.table, "columns": " and ".join(n.columns), "parameter": n.parameter, "value": n.value}
            for n in definition.needs
        ],
    }


def _texts(
    renderer: Renderer, measures: Iterable[Definition], placeholders: Mapping[str, SqlValue]
) -> dict[str, dict[str, Any]]:
    """Return the SQL of the values of measures, by macro and choices."""
    return {chosen: _value_texts(renderer, column) for chosen, column in _chosen(renderer, measures, placeholders)}


def _texts_by_rank(
    renderer: Renderer, measures: Iterable[Definition], placeholders: Mapping[str, SqlValue]
) -> dict[str, dict[str, Any]]:
    """Return the SQL that breaks measures down by rank, by macro and choices."""
    return {chosen: _rank_texts(renderer, column) for chosen, column in _chosen(renderer, measures, placeholders)}


def _chosen(
    renderer: Renderer, measures: Iterable[Definition], placeholders: Mapping[str, SqlValue]
) -> Iterable[tuple[str, Column]]:
    """Yield a column for each combination of choices that the SQL of a measure depends on, and a name for it."""
    for definition in measures:
        column = _column(definition, placeholders)
        choices = _choices(renderer, column)
        for chosen in product(*(p.choices for p in choices)):
            values = dict(zip((p.name for p in choices), chosen, strict=True))
            yield ",".join([definition.macro, *chosen]), replace(column, values={**column.values, **values})


def _column(definition: Definition, placeholders: Mapping[str, SqlValue]) -> Column:
    return Column(definition, {p.name: placeholders[p.name] for p in definition.parameters}, "{name}")


def _choices(renderer: Renderer, column: Column) -> list[Parameter]:
    """Return the parameters that select the SQL of a measure."""
    texts = str(renderer.expressions([column]))
    if column.definition.discount is not None:
        texts += str(renderer.gain_and_discount(column))
    return [p for p in column.definition.parameters if p.type == "choice" and f"{{{p.name}}}" in texts]


def _value_texts(renderer: Renderer, column: Column) -> dict[str, Any]:
    windows, (value,) = renderer.expressions([column])
    definition = column.definition
    suffix = "".join(f"{{_{name}}}" for name in row_source_parameters(definition.row_source))
    return {
        **_row_texts(definition),
        "block": definition.row_source.name + suffix,
        "windows": _window_texts(windows),
        "value": f",\n{value} as {{name}}",
        "join": "\n" + renderer_of(definition.row_source).join("{block}", definition.over),
        "output": f",\n{column.output('{block}')}",
        "by_query": f",\n{column.output('{block}', averaged=False)}",
        "average": f",\n{column.average}",
        "weighted": "" if definition.over == "run" else f",\n{column.weighted_average}",
    }


def _rank_texts(renderer: Renderer, column: Column) -> dict[str, Any]:
    windows, (value,) = renderer.expressions([column])
    gain, discount = renderer.gain_and_discount(column)
    return {
        **_row_texts(column.definition),
        "windows": _window_texts(windows),
        "gain": gain,
        "discount": discount,
        "running": renderer.running_value(column, value),
        "empty": column.empty or "null",
    }


def _row_texts(definition: Definition) -> dict[str, str]:
    return {
        "row_source": definition.row_source.name,
        "reads": definition.reads,
        "shared_ranks": "true" if definition.shared_ranks else "false",
    }


def _window_texts(windows: Mapping[str, str]) -> list[str]:
    return [f",\n{text} as {name}" for name, text in windows.items()]
