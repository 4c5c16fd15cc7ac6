"""The macros as one script: `sql/ltr.sql`, which any DuckDB client can load.

`python -m ltr_sql.sqltext.bundle` renders it from the templates, together with the page of measures. The tests fail
when either is stale.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ltr_sql.checks import check_query
from ltr_sql.language.catalogue import (
    ROWS,
    SQL_FOLDER,
    Definition,
    Parameter,
    Relation,
    catalogue_rows,
    convention_rows,
    conventions,
    definitions,
    definitions_by_name,
    parameters,
    relations,
    row_sources,
    spellings,
    sql_default,
    uncut_names,
)
from ltr_sql.language.documentation import PAGE, measures_page, path_of
from ltr_sql.language.measure_strings import ARGUMENT, DEFAULT_MEASURES, GRAMMAR, parse_measures
from ltr_sql.sqltext.bundle_file import BUNDLE, SCHEMA
from ltr_sql.sqltext.columns import KEYS_MESSAGE, CallTimeColumns, wrong_keys
from ltr_sql.sqltext.dialects import string
from ltr_sql.sqltext.render import (
    NEEDS_SCORES,
    Column,
    Input,
    Renderer,
    SqlValue,
    Symbol,
    not_by_rank,
    row_source_parameters,
    sums_over_ranks,
)

MEASURES_MARKS = ("<!-- measures: written by python -m ltr_sql.sqltext.bundle -->", "<!-- end of measures -->")
_NOTE = """\
-- ltr_sql: ranking evaluation as SQL. The macros of ltr_sql for DuckDB 1.5 and later, in schema ltr.
-- Made from the templates in sql/; do not edit.
"""


def bundle() -> str:
    """The script that creates all macros in schema `ltr`."""
    macros = [
        *(relation_macro(relation) for relation in relations().values()),
        *(measure_macro(definition) for definition in definitions().values()),
        *check_macros(),
        *surface_macros(),
    ]
    return _NOTE + SCHEMA + "\n" + "\n\n".join(macro.strip() for macro in macros) + "\n"


def measure_macro(definition: Definition) -> str:
    """The statement that creates a measure's own macro."""
    relation = "pairs" if definition.paired else "rankings"
    source = Input(
        relation=_checked_relation(relation, definition.macro, definition.parameters),
        paired=definition.paired,
        by_score=definition.by_score,
        by_subtopic=definition.by_subtopic,
        checks=_checks(definition),
    )
    column = Column(definition, _call_time_values(definition.parameters), definition.macro)
    return _macro(
        definition.macro,
        [relation],
        definition.parameters,
        Renderer(CallTimeColumns()).query([column], source),
        f"{definition.summary} {definition.name} = {definition.formula}. {_explained(definition.parameters)}"
        f"{definition.reference}.",
    )


def relation_macro(relation: Relation) -> str:
    """The statement that creates the macro of a relation."""
    first, *others = relation.inputs
    inputs = {first: _checked_relation(first, relation.macro, relation.parameters)}
    inputs |= {name: f"query_table(case {_reserved(name)} else {name} end)" for name in others}
    query = Renderer(CallTimeColumns()).relation(
        relation,
        inputs=inputs,
        has_rank={name: Symbol(name) for name in relation.inputs},
        values=_call_time_values(relation.parameters),
    )
    if "__ltr_systems" in query:
        query = f"select * exclude (__ltr_one)\nfrom (\n{query}\n)"
    return _macro(
        relation.macro,
        relation.inputs,
        relation.parameters,
        query,
        f"{relation.summary} Reads {relation.reads}. Gives {relation.gives}. {_explained(relation.parameters)}".strip(),
    )


def check_macros() -> Iterable[str]:
    """The statements that create `ltr.check_rankings` (`check` is a word of SQL) and `ltr.check_run`."""
    measures = parse_measures(DEFAULT_MEASURES)
    rankings = _checked_relation("rankings", "check_rankings", ())
    run, qrels = (_checked_relation(name, "check_run", ()) for name in ("run", "qrels"))
    gives = "one row for each finding, with its severity, what it is, how many rows, the first of them, what to do."
    yield _macro(
        "check_rankings",
        ["rankings"],
        (),
        check_query(rankings, None, "keys", measures),
        f"What is wrong with rankings or a scored table, and what is worth knowing: {gives}",
    )
    yield _macro(
        "check_run",
        ["run", "qrels"],
        (),
        check_query(run, qrels, "keys", measures),
        f"What is wrong with a run and judgments, and what is worth knowing: {gives}",
    )


def surface_macros() -> Iterable[str]:
    """The statements that create the macros beside those of measures and relations: `ltr.evaluate` and others."""
    renderer = Renderer(CallTimeColumns(keys="{keys}"))
    context = _fused_context(renderer, list(definitions().values()))
    yield renderer.template("entry_points/measures_query.sql", **context, not_held="")
    for name in ("per_query", "evaluate"):
        yield renderer.template(f"entry_points/{name}.sql", table_named=_table_named)
    (ties,) = relations()["pair"].parameters
    yield renderer.template(
        "entry_points/compare_rankings.sql",
        quoted=_quoted,
        ties=sql_default(ties),
        comment=string(
            "Agreement of two runs (query_id, doc_id, rank or score, keys): one row for each query of either, a column "
            f"for each measure string. {_explained([ties])}".strip()
        ),
    )
    yield renderer.template("entry_points/explain.sql", **_explained_context(renderer), not_held=not_by_rank())
    rows = [[string(text) for text in row.values()] for row in catalogue_rows()]
    yield renderer.template("entry_points/measures.sql", rows=rows)
    rows = [[string(text) for text in row.values()] for row in convention_rows()]
    yield renderer.template("entry_points/conventions.sql", rows=rows)


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


def _macro(name: str, inputs: Iterable[str], takes: Iterable[Parameter], query: str, comment: str) -> str:
    signature = [*inputs, *(f"{p.name} := {sql_default(p)}" for p in takes), "keys := []::varchar[]"]
    return Renderer(CallTimeColumns()).template(
        "entry_points/macro.sql", name=name, signature=signature, query=query, comment=string(comment)
    )


def _explained(takes: Iterable[Parameter]) -> str:
    return "".join(f"{parameter.name}: {parameter.summary}. " for parameter in takes)


def _call_time_values(takes: Iterable[Parameter]) -> dict[str, SqlValue]:
    return {p.name: Symbol(f"cast({p.name} as double)" if p.type == "number" else p.name) for p in takes}


def _refusal(macro: str, parameter: Parameter) -> str:
    message = string(f"ltr.{macro}: {parameter.name} must be {parameter.allowed}, got ")
    return f"error({message} || coalesce(cast({parameter.name} as varchar), 'NULL'))"


def _checked_relation(relation: str, macro: str, takes: Iterable[Parameter]) -> str:
    """The caller's relation; wrong options are refused when the query is bound, also over an empty input."""
    refusals = [
        _reserved(relation),
        *(
            f"when not coalesce({condition(p, p.name)}, false) then {_refusal(macro, p)}"
            for p in takes
            if p.type == "choice"
        ),
    ]
    return f"query_table(case {' '.join(refusals)} else {relation} end)"


def _reserved(relation: str) -> str:
    """Of a case: a table called like a CTE of the macros would not be read, but the CTE."""
    message = "names that start with __ltr_ are for the macros themselves, give another one to "
    return f"when starts_with(ltrim(lower({relation}), '\"'), '__ltr_') then error({string(message)} || {relation})"


def _checks(definition: Definition) -> str:
    """Numbers are checked where rows are read, so that they may be columns of a lateral join."""
    return "\n    and ".join(
        f"case when {f'{p.name} is null or ' if p.default is None and p not in definition.required else ''}"
        f"({condition(p, f'try_cast({p.name} as double)')}) then true else {_refusal(definition.macro, p)} end"
        for p in definition.parameters
        if p.type != "choice"
    )


def _table_named(parameter: str) -> str:
    """SQL for the text that reads the table whose name a macro is given."""
    return f"case {_reserved(parameter)} else 'query_table(' || {_quoted(parameter)} || ')' end"


def _quoted(text: str) -> str:
    """SQL for a text as a string of SQL."""
    return f"'''' || replace({text}, '''', '''''') || ''''"


def _holes() -> dict[str, SqlValue]:
    """The {holes} for the values of parameters."""
    return {name: Symbol(f"{{{name}}}", f"{{_{name}}}") for name in parameters()}


def _fused_context(renderer: Renderer, measures: Sequence[Definition]) -> dict[str, Any]:
    """What `sql/entry_points/fused.sql` puts together, with {holes} for the values that a call gives."""
    holes = _holes()
    sources = [source for source in row_sources().values() if any(d.row_source is source for d in measures)]
    block_parameters = sorted({name for source in sources for name in row_source_parameters(source)} - {"k"})
    inputs = {
        "rankings": Input("{relation}"),
        "covers": Input("{relation}", by_subtopic=True),
        "pairs": Input("{relation}", paired=True, stored=False),
        "scored_pairs": Input("{relation}", paired=True, by_score=True, stored=False),
    }
    return {
        "grammar": GRAMMAR,
        "argument": ARGUMENT,
        "string": string,
        "struct": _struct,
        "wrong_keys": wrong_keys("keys"),
        "keys_message": KEYS_MESSAGE,
        "domains": {_domain(p): p for d in measures for p in d.parameters},
        "block_parameters": block_parameters,
        "needs_scores": NEEDS_SCORES,
        "rows": list(ROWS),
        "conventions": list(conventions()),
        "instead": {f"{c.name}.{macro}": other for c in conventions().values() for macro, other in c.instead.items()},
        "spellings": spellings(),
        "uncut": {f"{name}.{macro}": other for (name, macro), other in uncut_names().items()},
        "presets": _presets(),
        "names": {name: definition.macro for name, definition in definitions_by_name().items()},
        "definitions": [_fused_definition(renderer, d, holes) for d in measures],
        "blocks": {
            f"{source.name} {reads}": renderer.block_of(
                source,
                {name: holes[name] for name in ("k", *block_parameters)},
                windows="{windows}",
                values="{values}",
                reads=reads,
                shared_ranks="{shared_ranks}",
                suffix="{suffix}",
                documents="{documents}",
            )
            for source in sources
            for reads in source.rows
            if any(d.row_source is source and d.reads == reads for d in measures)
        },
        "queries": {
            f"{shape}{' against ideal' if against_ideal else ''}": renderer.query_of(
                source,
                row_sources={
                    rows
                    for rows in row_sources().values()
                    if rows.input in (shape, "pairs" if against_ideal or source.paired else "rankings")
                },
                blocks="{blocks}",
                outputs="{outputs}",
                joins="{joins}",
                counts=not source.paired,
            )
            for shape, source in inputs.items()
            for against_ideal in ([False] if source.paired else [False, True])
        },
        "join": "\n" + renderer.join("{block}"),
        "averages": renderer.template(
            "entry_points/averages.sql",
            keys="{keys}",
            averages="{averages}",
            per_query="{per_query}",
            group_by="{group_by}",
        ),
    }


def _presets() -> dict[str, str]:
    """The values that names and conventions give to parameters, by NAME.PARAMETER and CONVENTION.MACRO.PARAMETER."""
    by_name = {
        f"{name}.{parameter}": str(value)
        for definition in definitions().values()
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


def _explained_context(renderer: Renderer) -> dict[str, Any]:
    """The same for the measures that can be explained."""
    measures = sums_over_ranks()
    holes = _holes()
    explained = {
        d.macro: renderer.by_rank(Column(d, {p.name: holes[p.name] for p in d.parameters}, "{name}")) for d in measures
    }
    return _fused_context(renderer, measures) | {
        "explained": renderer.template(
            "entry_points/explained.sql",
            relation="{relation}",
            query="'{query}'",
            column="{name}",
            k=Symbol("{cutoff}"),
            gain="{gain_of_document}",
            discount="{discount_of_rank}",
            measured="{measured}",
        ),
        "paired_sql": "false",
        "convention_sql": "null",
        "table_named": _table_named,
        "gains": {macro: gain for macro, (gain, _) in explained.items()},
        "discounts": {macro: discount for macro, (_, discount) in explained.items()},
    }


def _fused_definition(renderer: Renderer, definition: Definition, holes: Mapping[str, SqlValue]) -> Any:
    takes = [p.name for p in definition.parameters]
    column = Column(definition, {name: holes[name] for name in takes}, "{name}")
    windows, (value,) = renderer.expressions([column])
    suffix = "".join(f"{{_{name}}}" for name in row_source_parameters(definition.row_source))
    return {
        "macro": definition.macro,
        "input": definition.row_source.input,
        "row_source": definition.row_source.name,
        "block": definition.row_source.name + suffix,
        "reads": definition.reads,
        "shared_ranks": "true" if definition.shared_ranks else "false",
        "at": definition.at,
        "fraction": definition.fraction,
        "parameters": takes,
        "domains": [_domain(p) for p in definition.parameters],
        "arguments": [name for name in takes if name != "k"],
        "defaults": ["null" if p.default is None else str(p.default) for p in definition.parameters],
        "optional": [p.name for p in definition.parameters if p.default is None and p not in definition.required],
        "windows": [f",\n{text} as {name}" for name, text in windows.items()],
        "value": f",\n{value} as {{name}}",
        "output": f",\n{column.output('{block}')}",
        "average": f",\n{column.average}",
    }


def _domain(parameter: Parameter) -> str:
    """A name for a parameter and what it allows."""
    own = parameter.choices != parameters()[parameter.name].choices
    return f"{parameter.name} {' '.join(parameter.choices)}" if own else parameter.name


def _struct(definition: Mapping[str, Any]) -> str:
    def sql(value: str | list[str]) -> str:
        if isinstance(value, str):
            return string(value)
        return f"[{', '.join(map(string, value))}]::varchar[]"

    return "{" + ", ".join(f"'{key}': {sql(value)}" for key, value in definition.items()) + "}"


def measures_table() -> str:
    """The README's table of measures, as Markdown."""
    lines = ["| measure | macro | what it is | formula | also called |", "|---|---|---|---|---|"]
    for row in catalogue_rows():
        parameters_of = row["parameters"]
        cells = [
            f"`{row['name']}`",
            f"[`ltr.{row['macro']}`]({path_of(row['macro'])})`({parameters_of})`",
            row["summary"],
            row["formula"],
            ", ".join(f"`{alias}`" for alias in row["aliases"].split(", ") if alias),
        ]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def with_measures_table(readme: str) -> str:
    """A README with its table of measures renewed."""
    opening, closing = (re.escape(mark) for mark in MEASURES_MARKS)
    return re.sub(f"({opening}\n).*?({closing})", lambda m: f"{m[1]}{measures_table()}{m[2]}", readme, flags=re.DOTALL)


if __name__ == "__main__":
    BUNDLE.write_text(bundle(), encoding="utf-8")
    PAGE.write_text(measures_page(), encoding="utf-8")
    readme = SQL_FOLDER.parent / "README.md"
    readme.write_text(with_measures_table(readme.read_text(encoding="utf-8")), encoding="utf-8")
