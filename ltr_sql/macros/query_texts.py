"""The texts from which `ltr.evaluate` writes the query of measure strings.

`parsing`, `checking`, `filling` and `assembling` return what the files parsed.sql, checked.sql, filled.sql and
assembled.sql of `sql/templates/macros/query_texts/` read.

They are rendered with the defaults of all other parameters, so that a macro does not parse, check and fill them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from ltr_sql.catalogue.conventions import conventions
from ltr_sql.catalogue.functions import ROWS, SHAPES, RowSource, reads_num_ret, relations, row_sources
from ltr_sql.catalogue.measure_strings import (
    ARGUMENT,
    ASSIGNMENT,
    GRAMMAR,
    IGNORED,
    JUDGED_ONLY,
    LONGEST,
    MOST,
    NO_EMPTY,
    SEVERAL,
    titles,
    words,
)
from ltr_sql.catalogue.measures import Definition, all_definitions, definitions_by_name, uncut_names
from ltr_sql.catalogue.parameters import Parameter, parameters, spellings
from ltr_sql.macros.helpers import (
    NUM_RET_OF_QUERIES,
    HelperRenderer,
    PlaceholderColumns,
    described,
    quoted,
    renderer_of,
    statements,
)
from ltr_sql.rendering.columns import KEYS_MESSAGE, invalid_keys
from ltr_sql.rendering.dialects import string
from ltr_sql.rendering.measure_columns import Column, Pairs, Rankings, Source, row_source_parameters
from ltr_sql.rendering.renderer import (
    NEEDS_RANKINGS,
    NEEDS_RUN,
    NEEDS_SCORES,
    NO_WEIGHTS,
    OWN_WEIGHTS,
    READ,
    no_breakdown_message,
)
from ltr_sql.rendering.spread import (
    INTERVAL_COLUMNS,
    INTERVAL_OUTPUTS,
    LOGARITHM,
    SAME_KEY,
    weighted_rows,
    with_intervals_text,
    worst_text,
)
from ltr_sql.rendering.templates import CallTime, SqlValue, render_template


def parsing() -> dict[str, Any]:
    """Return the grammar of measure strings, and the names and definitions of measures."""
    return {
        "grammar": GRAMMAR,
        "argument": ARGUMENT,
        "assignment": ASSIGNMENT,
        "several": SEVERAL,
        "longest": LONGEST,
        "ignored": IGNORED,
        "spellings": spellings(),
        "convention": f"coalesce(convention, {string(next(iter(conventions())))})",
        "substitutes": {
            f"{c.name}.{macro}": other for c in conventions().values() for macro, other in c.substitutes.items()
        },
        "names": {name: definition.macro for name, definition in definitions_by_name().items()},
        "titles": titles(),
        "words": words(),
        "most_names": MOST,
        "uncut": {f"{name}.{macro}": other for (name, macro), other in uncut_names().items()},
        "given": {(d.macro, name): other for d in all_definitions().values() for name, other in d.given.items()},
        "definitions": {d.macro: _definition(d) for d in all_definitions().values()},
    }


def checking() -> dict[str, Any]:
    """Return the messages for refused measures, and the values that names and conventions set, beside `parsing`."""
    return {
        "judged_only": JUDGED_ONLY,
        "no_empty": NO_EMPTY,
        "conventions": list(conventions()),
        "conventions_of_lists": [c.name for c in conventions().values() if c.only],
        "own_rules": _own_rules(),
        "needs_run": NEEDS_RUN,
        "needs_rankings": NEEDS_RANKINGS,
        "needs_scores": NEEDS_SCORES,
        **key_check(),
        "presets": _presets(),
        "needs_cutoff": [f"{p.name}={choice}" for p in parameters().values() for choice in p.needs_cutoff],
        "unset": [
            entry for name in _block_parameters() for entry in ([f"{{{name}}}", "null"], [f"{{_{name}}}", "_null"])
        ],
    }


def key_check() -> dict[str, str]:
    """Return the condition that `keys` are invalid, and its message."""
    return {"wrong_keys": invalid_keys("keys"), "keys_message": KEYS_MESSAGE}


def filling(measures: Iterable[Definition]) -> dict[str, Any]:
    """Return the SQL of measures: by macro and choices, and the texts that measures of one kind share."""
    measures = list(measures)
    return {
        "texts": _by_choices(measures, _value_texts),
        "texts_of_kinds": {_kind(d): _texts_of_kind(d) for d in measures},
    }


def assembling(measures: Iterable[Definition]) -> dict[str, Any]:
    """Return the blocks of measures, and the queries of averages over queries."""
    fragments = {name: f"{{{name}}}" for name in ("keys", "averages", "counted", "group_by")}
    per_query = weighted_rows("(\n{per_query}\n)", "{weights}", "{keyed}")
    return {
        "rows": list(ROWS),
        "blocks": _by_row_source(measures, _block),
        "averages": render_template("rendering/averages.sql", **fragments, weighted=False, per_query="{per_query}"),
        "weighted_averages": render_template("rendering/averages.sql", **fragments, weighted=True, per_query=per_query),
    }


def breakdown(measures: Iterable[Definition]) -> dict[str, Any]:
    """Return what explain.sql reads: the queries of a measure by rank, and their parts by measure and by row source."""
    measures = [d for d in measures if d.discount is not None]
    return {
        "explained": _by_rank("explained", query="{query}", discount="{discount_of_rank}", empty="{empty_value}"),
        "losses": _by_rank("losses", query=None),
        **{name: worst_text(with_baseline=with_baseline, **_WORST) for name, with_baseline in _WORST_TEXTS.items()},
        "texts_by_rank": _by_choices(measures, _rank_texts),
        "blocks_by_rank": _by_row_source(measures, _block_by_rank),
        "not_by_rank": no_breakdown_message(),
    }


_WORST_TEXTS = {"worst": False, "worse_than_baseline": True}
_WORST = {
    name: f"{{{name}}}"
    for name in ("relation", "stratum", "others", "system", "strata_output", "baseline", "weight", "weight_output", "n")
}


def _by_rank(template: str, **parts: str | None) -> str:
    """Return the query of a template of `sql/templates/rendering/` that reads a measure by rank."""
    return _renderer().template(
        f"rendering/{template}.sql",
        relation="{relation}",
        k=CallTime("{cutoff}"),
        gain="{gain_of_document}",
        block="{block}",
        counted="{counted}",
        **parts,
    )


def queries() -> dict[str, Any]:
    """Return what measures_query.sql reads.

    - `queries`: the query over each shape of relation, and over rankings that are paired with their ideal order.
    - `read`: see `READ`.
    """
    queries = {}
    for shape in SHAPES:
        source = _source(shape)
        for suffix, others in {"": ("rankings", shape), " against ideal": ("rankings", shape, "pairs")}.items():
            queries[f"{shape}{suffix}"] = _renderer().query_of(
                source,
                row_sources={rows for rows in row_sources().values() if rows.input in others},
                blocks="{blocks}",
                outputs="{outputs}",
                joins="{joins}",
                reads_num_ret=not source.paired,
            )
    return {"queries": queries, "read": READ}


def _source(shape: str) -> Source:
    """Return the relation of a call, whose shape is known."""
    if "rank_a" in SHAPES[shape]:
        return Pairs("{relation}", shape)
    source = Rankings("{relation}", shape)
    return replace(source, queries=_renderer().queries(source, "{read}"))


def _renderer() -> HelperRenderer:
    return HelperRenderer(PlaceholderColumns())


# What is looked up by the name of a measure or convention


def _own_rules() -> dict[str, str]:
    """Return what an error says of a measure with rules of its own, by CONVENTION.MACRO.

    A macro reads one table, which `ltr.judge` made with one tie-breaking rule and one rule for missing queries.
    """
    texts = {}
    for c in conventions().values():
        for macro, own in c.rules.items():
            rules = {"ties": c.ties, "missing": c.missing, **own}
            options = ", ".join(f"{name} := {string(value)}" for name, value in rules.items())
            values = ", ".join(f"{name}={value}" for name, value in c.values.get(macro, {}).items())
            texts[f"{c.name}.{macro}"] = (
                f" has its own rules under convention {string(c.name)}, and a table of ltr.judge follows one rule: "
                f"compute it without convention, from ltr.judge(..., {options})"
                + (f", as {all_definitions()[macro].name} with {values}" if values else "")
            )
    return texts


def _presets() -> dict[str, str]:
    """Return the values that names and conventions set, by NAME.PARAMETER and CONVENTION.MACRO.PARAMETER."""
    by_name = {
        f"{name.lower()}.{parameter}": str(value)
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


def _definition(definition: Definition) -> dict[str, Any]:
    """Return what the macros read and check a measure string with, and what they look up its SQL by."""
    source = definition.row_source
    names = [p.name for p in definition.parameters]
    return {
        "macro": definition.macro,
        "input": source.input,
        "at": definition.at,
        "fraction": definition.fraction,
        "parameters": names,
        "domains": [_domain(p, p in definition.required) for p in definition.parameters],
        "arguments": [name for name in names if name != "k"],
        "choices": [p.name for p in _choices(_column(definition))],
        "needs": [
            {"table": n.table, "columns": " and ".join(n.columns), "parameter": n.parameter, "value": n.value}
            for n in definition.needs
        ],
        "row_source": source.name,
        "reads": definition.reads,
        "shared_ranks": "true" if definition.shared_ranks else "false",
        "block": source.name + "".join(f"{{_{name}}}" for name in row_source_parameters(source)),
        "kind": _kind(definition),
    }


def _domain(parameter: Parameter, required: bool) -> dict[str, Any]:
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


# The SQL of measures


def _by_choices(
    measures: Iterable[Definition], texts: Callable[[Column], Mapping[str, Any]]
) -> dict[str, Mapping[str, Any]]:
    """Return texts of measures, by macro and each combination of the choices that their SQL depends on."""
    return {chosen: texts(column) for definition in measures for chosen, column in _chosen(definition)}


def _chosen(definition: Definition) -> Iterator[tuple[str, Column]]:
    """Yield a column for each combination of choices that the SQL of a measure depends on, and a name for it."""
    column = _column(definition)
    choices = _choices(column)
    for chosen in product(*(p.choices for p in choices)):
        values = dict(zip((p.name for p in choices), chosen, strict=True))
        yield ",".join([definition.macro, *chosen]), replace(column, values={**column.values, **values})


def _column(definition: Definition) -> Column:
    """Return a column with placeholders for its name and for the values of its parameters."""
    return Column(definition, _placeholders(p.name for p in definition.parameters), "{name}")


def _choices(column: Column) -> list[Parameter]:
    """Return the parameters that select the SQL of a measure."""
    definition = column.definition
    renderer = renderer_of(definition.row_source)
    texts = renderer.value_columns(column, str(renderer.expressions([column])))
    if definition.discount is not None:
        texts += str(renderer.gain_and_discount(column))
    # The text for `empty` only compares its value with '0'.
    return [p for p in definition.parameters if p.type == "choice" and p.name != "empty" and f"{{{p.name}}}" in texts]


def _value_texts(column: Column) -> dict[str, Any]:
    renderer = renderer_of(column.definition.row_source)
    windows, (value,) = renderer.expressions([column])
    return {"rows": column.reads, "windows": _window_texts(windows), "value": renderer.value_columns(column, value)}


def _rank_texts(column: Column) -> dict[str, Any]:
    renderer = renderer_of(column.definition.row_source)
    windows, running = renderer.running_expression(column)
    gain, discount = renderer.gain_and_discount(column)
    return {
        "windows": _window_texts(windows),
        "gain": gain,
        "discount": discount,
        "running": running,
        "counted": "true" if column.reads == "counted" else "false",
        "empty": column.empty("d.num_ret") or "null",
    }


def _window_texts(windows: Mapping[str, str]) -> list[str]:
    return [f",\n{text} as {name}" for name, text in windows.items()]


def _kind(definition: Definition) -> str:
    """Return what the texts depend on that join, output and average the values of a measure: one name for all three."""
    parameter = definition.parameter("empty")
    empty = " ".join(parameter.choices) if parameter else definition.empty
    return f"{definition.over} {definition.average} {empty}"


def _texts_of_kind(definition: Definition) -> dict[str, str]:
    """Return the texts that join, output and average the values of a measure and all others of its kind."""
    column, over = _column(definition), definition.over
    return {
        "join": "\n" + renderer_of(definition.row_source).join("{block}", over),
        "output": f",\n{column.output('{block}', num_ret=NUM_RET_OF_QUERIES)}",
        "average": f",\n{column.average}",
        "weighted": _refused_weights(definition) or f",\n{column.weighted_average}",
        "by_query": f",\n{column.output('{block}', averaged=False, num_ret=NUM_RET_OF_QUERIES)}",
    }


def _refused_weights(definition: Definition) -> str:
    """Return the error for weights of queries with a measure, or '' if it takes them."""
    return NO_WEIGHTS if definition.over == "run" else OWN_WEIGHTS if definition.weight else ""


# The CTEs of row sources


def _by_row_source(measures: Iterable[Definition], text: Callable[[RowSource, str], str]) -> dict[str, str]:
    """Return the text of each row source, and of each of its kinds of rows, that a measure reads."""
    read = {(d.row_source.name, column.reads) for d in measures for _, column in _chosen(d)}
    return {
        f"{source.name} {reads}": text(source, reads)
        for source in row_sources().values()
        for reads in source.rows
        if (source.name, reads) in read
    }


def _block(source: RowSource, reads: str) -> str:
    return renderer_of(source).block_of(
        source,
        _placeholders(("k", *_block_parameters())),
        windows="{windows}",
        values="{values}",
        reads=reads,
        shared_ranks="{shared_ranks}",
        suffix="{suffix}",
        documents="{documents}",
    )


def _block_by_rank(source: RowSource, reads: str) -> str:
    return _renderer().block_by_rank_of(
        source,
        _placeholders(("k", *_block_parameters())),
        value="{value}",
        windows="{windows}",
        reads=reads,
        shared_ranks="{shared_ranks}",
    )


def _block_parameters() -> list[str]:
    """Return the parameters that row sources read, besides the cutoff."""
    return sorted({name for source in row_sources().values() for name in row_source_parameters(source)} - {"k"})


def _placeholders(names: Iterable[str]) -> dict[str, SqlValue]:
    """Return a {placeholder} for the value of each parameter."""
    return {name: CallTime(f"{{{name}}}", f"{{_{name}}}") for name in names}


_ROW_SOURCE = "documents"


def plain_measures() -> dict[str, Any]:
    """Return what plain_query.sql reads.

    - `names`: the measure of each name in lower case, with an @ at the end if it has a cutoff.
    - `texts`: the SQL of each of these measures; `rows` is the position in `ROWS` of the rows that it reads.
    - `queries`: the query of the values of each query, by `rows`.
    - `averages`: the query of their averages.
    """
    names: dict[str, str] = {}
    texts: dict[str, dict[str, Any]] = {}
    for name, definition in definitions_by_name().items():
        for cut in _forms(name, definition):
            names[name + cut] = definition.macro + cut
            if definition.macro + cut not in texts:
                texts[definition.macro + cut] = _texts(definition, CallTime("{k}") if cut else None)
    return {
        "names": names,
        "texts": texts,
        "queries": {_position(rows): _query(rows) for rows in ROWS},
        "averages": render_template(
            "rendering/averages.sql",
            keys="{key_columns}",
            averages="{averages}",
            counted="",
            group_by="{group_by}",
            weighted=False,
            per_query="{per_query}",
        ),
    }


def _forms(name: str, definition: Definition) -> Iterator[str]:
    """Yield '' and '@' if the name alone, and the name with a number, mean the measure with all defaults."""
    required = {p.name for p in definition.required}
    if definition.row_source.name != _ROW_SOURCE or definition.shared_ranks:
        return
    if definition.preset(name) or required - {"k"}:
        return
    if not required and (name, definition.macro) not in uncut_names():
        yield ""
    if definition.at == "k" and any(p.name == "k" for p in definition.parameters):
        yield "@"


def _texts(definition: Definition, k: CallTime | None) -> dict[str, Any]:
    """Return the SQL of a measure with the cutoff k, and otherwise with the defaults of its parameters."""
    column = Column(definition, {p.name: p.default for p in definition.parameters} | {"k": k}, "{name}")
    windows, (value,) = _renderer().expressions([column])
    return {
        "windows": _window_texts(windows),
        "value": f",\n{value} as {{name}}",
        "output": f",\n{column.output(_ROW_SOURCE)}",
        "average": f",\n{column.average}",
        "rows": _position(definition.reads),
    }


def _query(rows: str) -> str:
    """Return the query of the values of each query, from measures that need at most these rows."""
    renderer, source = _renderer(), row_sources()[_ROW_SOURCE]
    rankings = Rankings("{relation}")
    block = renderer.block_of(
        source,
        {},
        suffix="",
        documents="__ltr_rankings",
        reads=rows,
        shared_ranks="false",
        windows="{windows}",
        values="{values}",
    )
    return renderer.query_of(
        replace(rankings, queries=renderer.queries(rankings, READ["relevant" if rows == "relevant" else "judged"])),
        row_sources={source},
        blocks=block,
        outputs="{outputs}",
        joins=renderer.join(_ROW_SOURCE),
        reads_num_ret=reads_num_ret(rows),
    )


def _position(rows: str) -> str:
    """Return the position of a kind of rows in `ROWS`, where the first are the most rows."""
    return str(ROWS.index(rows) + 1)


def measure_string_macros() -> Iterable[str]:
    """Return the statements that create `ltr.evaluate` and other macros of measure strings."""
    accuracy = [d for d in all_definitions().values() if not d.beyond_accuracy]
    yield statements("parsed_measures", **parsing() | checking())
    yield statements("measures_query", **filling(accuracy), **assembling(accuracy), **queries())
    yield statements("plain_query", **plain_measures(), **key_check())
    yield statements("per_query")
    yield statements("evaluate", own_weights=OWN_WEIGHTS, **_intervals())
    (ties,) = relations()["pair"].parameters
    yield statements(
        "compare_rankings",
        quoted=quoted,
        ties=ties.default_in_sql,
        comment="Agreement of two runs. Reads query_id, doc_id, rank or score, and keys. Returns one row per query of "
        f"either run, and one column per measure string. {described([ties])}".strip(),
    )
    yield statements("explain", **breakdown(accuracy))


def _intervals() -> dict[str, str]:
    """Return what evaluate.sql reads: the query of means with their intervals, and its parts by measure and key."""
    text = with_intervals_text(
        means="{means}",
        intervals="{intervals}",
        by_measure="{columns}",
        outputs="{outputs}",
        corrected="",
        keys="{key_columns}",
        group_by="{group_by}",
        same_keys="{same_keys}",
    )
    pieces = {"interval_columns": INTERVAL_COLUMNS, "interval_outputs": INTERVAL_OUTPUTS, "logarithm": LOGARITHM}
    return {"text": text, **pieces, "same_key": SAME_KEY}
