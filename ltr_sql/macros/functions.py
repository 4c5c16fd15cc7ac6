"""The macros of the schema `ltr`: measures, checks, builders, fusion and comparisons."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

from ltr_sql.catalogue.conventions import convention_rows
from ltr_sql.catalogue.functions import (
    NO_WASTED_RANKS,
    TABLES,
    WITHOUT_ORDER,
    Builder,
    Procedure,
    Relation,
    builders,
    procedures,
    relations,
    row_sources,
)
from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, LONGEST, parse_measures
from ltr_sql.catalogue.measures import (
    Definition,
    all_definitions,
    beyond_accuracy_definitions,
    catalogue_rows,
    definitions,
)
from ltr_sql.catalogue.options import FORM, GRAMMAR, NEEDS_MARGIN, WHOLE_SHARE, Averages, Compare, Tuning, options_of
from ltr_sql.catalogue.parameters import Parameter, parameters
from ltr_sql.catalogue.ranges import MARK
from ltr_sql.catalogue.wording import in_sql
from ltr_sql.macros.help import help_macro
from ltr_sql.macros.helpers import (
    IDS,
    IF_GROUPED,
    GeneratedColumns,
    HelperRenderer,
    PlaceholderColumns,
    call_time_values,
    choice_check,
    described,
    filled,
    helper_macros,
    named_table,
    no_rows_of_ids,
    option_lists,
    statements,
    table_macro,
    table_name,
)
from ltr_sql.macros.query_texts import assembling, filling, key_check, measure_string_macros
from ltr_sql.macros.registration import SCHEMA
from ltr_sql.rendering import comparisons
from ltr_sql.rendering.builders import FusedColumns, combined_query, method_query, names_of, needs, no_rows, taken
from ltr_sql.rendering.columns import optional_column, same
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.findings import CheckParts, check_query, check_rows, means_query, tie_columns
from ltr_sql.rendering.fusion import (
    FOLDS,
    TUNED,
    TuningValues,
    chosen_parts,
    compared_part,
    grid_query,
    reads_ranks,
    rows_query,
    tuned_part,
)
from ltr_sql.rendering.measure_columns import Column, GivenTable, Lists, calls, macro_body, probabilities
from ltr_sql.rendering.renderer import (
    GROUPING,
    KEY_OF_TOTALS,
    LEVEL,
    NO_SEGMENTS,
    TOTAL,
    TOTAL_WITHIN,
    Renderer,
    totals_text,
)
from ltr_sql.rendering.spread import spread_text, weighted_rows
from ltr_sql.rendering.sql_text import qualified, qualified_with_texts
from ltr_sql.rendering.templates import CallTime, render_template
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
            # A query that names a CTE is bound faster than one that repeats its text.
            ctes[f"__ltr_given_{name}"] = f"from {inputs[name]} union all by name from __ltr_ids_of_{other}{asked}"
            inputs[name] = f"__ltr_given_{name}"
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


def check_macros() -> Iterable[str]:
    """Return the statements that create `ltr.check_rankings`, `ltr.check_run` and their helper macros."""
    measures = parse_measures(DEFAULT_MEASURES)
    yield statements(
        "check_helpers",
        rows=check_rows("query_table(rankings)", "keys"),
        run_rows=check_rows("query_table(rankings)", "keys", "query_table(qrels)"),
        means=means_query(tie_columns(measures), "from query_table(rankings)", has_num_ret=False),
    )
    columns = "severity, what was found, how many rows, queries or documents, the first of them, and what to do"
    yield table_macro(
        "check_rankings",
        ["rankings"],
        (),
        check_query(_parts(judged=False), measures, of_macro=True),
        f"Errors, warnings and diagnostics of rankings or a scored table. Returns one row per finding: {columns}.",
    )
    yield table_macro(
        "check_run",
        ["run", "qrels"],
        (),
        check_query(_parts(judged=True), measures, of_macro=True),
        f"Errors, warnings and diagnostics of a run with judgments. Returns one row per finding: {columns}.",
    )


def _parts(judged: bool) -> CheckParts:
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


# SQL of the grouping columns of a call: its keys without the column that names the runs.
_GROUPS = "list_filter(ltr.__ltr_key_list(keys), lambda c: lower(c) <> lower(compared))"


@dataclass(frozen=True)
class MacroRuns(FusedColumns):
    """The columns of the runs that the macro reads. One struct holds the grouping columns, and is the second key.

    References to it are comments if the call has no grouping columns. The relation has a column __ltr_none. It is NULL
    and stands for columns that the caller's table lacks.
    """

    @property
    def filled(self) -> dict[str, str]:
        """The SQL of the text of each placeholder."""
        return filled(IF_GROUPED, _GROUPS)

    def without_one(self, query: str) -> str:
        """Return the query as it is: the struct of the grouping columns has no further field."""
        return query

    def _number(self, row: str, name: str) -> str:
        return f"cast({optional_column(name)} as double) as {name}"

    def _exact_fields(self, row: str, ties: object) -> list[str]:
        return [f"{optional_column(name)} as __ltr_exact_{name}" for name in self._exact_names(ties)]

    def run_fields(self, row: str, has_rank: object, ties: object, with_score: bool) -> str:
        """Return the select list of rank, score, row_order and __ltr_present, which lists 'score' if there is one."""
        numbers = [self._number(row, name) for name in ("rank", "score", *self._read_by(ties, "row_order"))]
        # DuckDB evaluates the type once, when it binds the query.
        lacking = f"typeof({optional_column('score')}) = '\"NULL\"'"
        listed = f"case when {lacking} then []::varchar[] else ['score'] end as __ltr_present"
        return ",\n".join([*numbers, *self._exact_fields(row, ties), listed])

    def key_definition(self, row: str, *read: str) -> str:
        """Define the name of the run, the struct and query_id."""
        run, group = f"{row}.{{compared}} as __ltr_key_1", self._defined(row)[1]
        return f"{run}, {self.if_grouped(f'{group},')} {row}.query_id"

    def key(self, row: str) -> str:
        """Reference the name of the run and the key of its fused ranking."""
        return f"{row}.__ltr_key_1, {self.fused_key(row)}"

    def same_key(self, row: str, other: str) -> str:
        """Compare the keys of two rows. NULL equals NULL."""
        return f"{same(row, other, ['__ltr_key_1'])} and {self.same_fused_key(row, other)}"

    def fused_key(self, row: str) -> str:
        """Return SQL that lists the key of a fused ranking: the struct and query_id."""
        return f"{self.if_grouped(f'{row}.__ltr_key_2,')} {row}.query_id"

    def same_fused_key(self, row: str, other: str) -> str:
        """Return SQL that compares the keys of two fused rankings."""
        groups = self.if_grouped(f"{same(row, other, ['__ltr_key_2'])} and")
        return f"{groups} {same(row, other, ['query_id'])}"

    def fused_key_output(self, row: str) -> str:
        """Return the select list of the grouping columns, unnested from their struct, and query_id."""
        return f"{self.if_grouped(f'unnest({row}.__ltr_key_2),')} {row}.query_id"

    def if_grouped(self, text: str) -> str:
        """Return SQL that is a comment in a query without grouping columns."""
        before, after = IF_GROUPED
        return f"{before}{text}{after}"


class CallTimeParts:
    """The parts of the body of a method that depend on options of the call.

    - `parts`: maps the placeholder of each part to its option and its texts: by the value of the option, or for a
      relation 'true' if the call passes it, else 'false'. Methods share it.
    - `refused`: the options that the method refuses, with the messages.
    """

    def __init__(self, builder: Builder, parts: dict[str, tuple[Parameter, dict[str, str]]]) -> None:
        self._options = {p.name: p for p in builder.options}
        self.parts = parts
        self.refused: dict[str, str] = {}

    def by(self, option: str, caller: Callable[[Any], str]) -> str:
        """Return the placeholder of a part."""
        given = self._options[option]
        texts = {value or "": caller(value) for value in (*given.choices, *([None] if given.default is None else []))}
        if given.is_relation:
            texts = {"false": caller(False), "true": caller(True)}
        known = (placeholder for placeholder, part in self.parts.items() if part == (given, texts))
        placeholder = next(known, f"{{{option}_{len(self.parts)}}}")
        self.parts[placeholder] = (given, texts)
        return placeholder

    def refuse(self, option: str, message: str) -> str:
        """Note that the method refuses an option, and return an empty text."""
        self.refused[option] = message
        return ""


def _query_texts(builder: Builder, columns: GeneratedColumns | MacroRuns) -> dict[str, Any]:
    """Return the entries of the methods of a builder, with their texts, and the parts that the texts share."""
    names = [*builder.inputs, *(p.name for p in builder.options)]
    texts = {name: f"{{{name}}}" for name in (*names, *(f"has_{p.name}" for p in builder.options if p.default is None))}
    parts: dict[str, tuple[Parameter, dict[str, str]]] = {}
    methods: Mapping[str, Procedure | None] = builder.methods or {"": None}
    entries: dict[str, dict[str, Any]] = {}
    for name, method in methods.items():
        of_method = CallTimeParts(builder, parts)
        known = names_of(columns, DUCKDB, texts, of_method, functions=calls(), has_rank=CallTime("ranks"))
        entries[name] = {
            "name": name or builder.name,
            "text": columns.without_one(method_query(builder, method, known)),
            "takes": taken(builder, method),
            "needs": list(needs(method)),
            "refused": of_method.refused,
        }
    refused = sorted({option for entry in entries.values() for option in entry["refused"]})
    for entry in entries.values():
        messages = entry.pop("refused")
        if refused:
            entry["refused"] = {option: messages.get(option, "") for option in refused}
    combined = combined_query(builder, "{queries}", known) if builder.combined else "{queries}"
    of_parts = [text for _, texts_of_part in parts.values() for text in texts_of_part.values()]
    return {
        "entries": entries,
        "parts": parts,
        "refused": refused,
        "needed": {name for entry in entries.values() for name in entry["needs"]},
        "takes": {name: entry["takes"] for name, entry in entries.items()},
        "combined": combined,
        "texts": "\n".join([combined, *(entry["text"] for entry in entries.values()), *of_parts]),
    }


def builder_macro(builder: Builder) -> str:
    """Return the statements that create the macro of a builder, and the helper macro that writes its query."""
    columns = MacroRuns(("", "__ltr_group"), DUCKDB) if builder.keys else GeneratedColumns()
    texts = _query_texts(builder, columns)
    # Ratings may be texts, as judgments may.
    graded = "rater" in builder.columns and "relevance" in builder.columns
    options = (*builder.options, *([parameters()["grades"]] if graded else []))
    option = [f"{builder.option} := {string(builder.default)}" if builder.default else builder.option]
    signature = [
        *builder.inputs,
        *(option if builder.option else []),
        *(f"{p.name} := {p.default_in_sql}" for p in options if p.sql),
        f"keys := {[*builder.keys]}{'' if builder.keys else '::varchar[]'}",
    ]
    said = described(p for p in options if p.sql)
    comment = f"{builder.summary} Reads {builder.reads}. Returns {builder.gives}. {said}".strip()
    return statements(
        "builder",
        builder=builder,
        ids=IDS,
        signature=signature,
        arguments=[parameter.partition(" := ")[0] for parameter in signature],
        internal=[f"{p.name} := null" for p in options if not p.sql],
        **texts,
        optional=[
            p.name
            for p in builder.options
            if p.default is None and any(p.name not in names for names in texts["takes"].values())
        ],
        system_texts=columns.filled,
        groups=_GROUPS,
        **key_check(),
        no_rows=no_rows(DUCKDB),
        comment=comment,
        read_ratings=_ratings_query() if graded else "",
    )


def _ratings_query() -> str:
    """Return the query of ratings with `{grades}` instead of texts."""
    values = {"grades": "{grades}", "qrels_duplicates": "'error'"}
    return HelperRenderer(PlaceholderColumns()).template("macros/read_judgments.sql", relation="{ratings}", **values)


# The CTEs of the query that its parts read.
_GRID, _VALUES, _RUNS = (f"__ltr_tuning_{name}" for name in ("grid", "values", "runs"))


def tuning_macros() -> str:
    """Return the statements that create `ltr.tune_fusion` and its helper macros."""
    options = {name: option for name, option in options_of(Tuning).items() if option.sql}
    methods = procedures("fusion")
    names = ("measure", "folds", "holdout", "seed", "level")
    texts = {name: f"{{{name}}}" for name in names}
    tuning = TuningValues(grid=_GRID, values=_VALUES, run_values=_RUNS, value='"{value}"', **texts)
    return statements(
        "tune_fusion",
        grid=grid_query("{runs}", "{choices}", "{steps}"),
        chosen=chosen_parts(tuning),
        compared=compared_part(tuning),
        tuned=tuned_part(tuning, calls()),
        methods=list(methods),
        methods_of_ranks=[name for name, method in methods.items() if reads_ranks(method)],
        weighted_methods=[name for name, method in methods.items() if method.fields["weighted"]],
        options=options,
        default_folds=FOLDS,
        rows=rows_query("__ltr_tuning_table", "__ltr_tuning_worth"),
        tuned_name=TUNED,
        signature=[f"{name} := {option.default_in_sql}" for name, option in options.items()],
        comment="Choose the weights of a fusion from labelled queries, and measure what they are worth on others. "
        "Reads the runs of ltr.fuse (system, query_id, doc_id, score or rank) and judgments. Returns the grid, one row "
        "for each method, norm, k and weights with its mean, and whether it is chosen; then one row for the tuned "
        "fusion against equal weights and each run, by cross-validation or on queries held out.",
    )


# The names of the column of totals, in the result and until then.
_TOTALS = {"total": TOTAL, "total_within": TOTAL_WITHIN}


def probability_macros() -> Iterable[str]:
    """Return the statements that create the macros of probabilities."""
    for function in probabilities().values():
        created = (
            f"create or replace macro {function.macro}({', '.join(function.arguments)}) as {macro_body(function)};"
        )
        comment = f"{function.summary} {function.reference}."
        yield f"{created}\ncomment on macro {function.macro} is {string(comment)};" if function.public else created


def comparison_macros() -> str:
    """Return the statements that create `ltr.compare` and the other macros of `sql/templates/macros/compare.sql`."""
    names = [
        f.name for f in fields(comparisons.ComparedValues) if f.name not in ("fewest", "unanswered", "dialect", "mode")
    ]
    given: dict[str, Any] = {name: f"{{{name}}}" for name in names}
    values = comparisons.ComparedValues(**given)
    fragments = {name: f"{{{name}}}" for name in (*comparisons.FRAGMENTS, *comparisons.DERIVED)}
    choices = comparisons.Choices(
        **{name: f"{{{name}}}" for name in comparisons.OPTIONS}, fragments=fragments, functions=calls()
    )
    comparison, parts = comparisons.comparison_texts(replace(values, mode=None), choices)
    return statements(
        "compare",
        comparison=comparison,
        **option_lists(),
        parts=parts,
        placeholders_of_parts=comparisons.PLACEHOLDERS,
        **_gates(),
        **_TOTALS,
        wins=comparisons.values_query("wins", values, calls()),
        variance=comparisons.values_query("variance", values, calls()),
        given_columns=_GIVEN_COLUMNS,
        of_datasets=comparisons.of_datasets("{relation}", "{column}"),
        unfit=comparisons.UNFIT,
        power=comparisons.POWER,
        queries_needed=comparisons.queries_needed_query(
            f"{_valid('difference', '{0} <> 0', 'a number other than 0', comparisons.LARGEST)} "
            f"/ {_valid('sd', '{0} > 0', 'a number above 0', comparisons.LARGEST)}",
            _valid("power", "{0} > 0 and {0} < 1", "between 0 and 1"),
            _valid("alpha", "{0} > 0 and {0} < 1", "between 0 and 1"),
            calls(),
        ),
    )


def _gates() -> dict[str, Any]:
    """Return what gate.sql reads: the grammar of conditions, and the query that decides them."""
    gates = comparisons.gates_query([], "{level}", gated="{gated}", functions=calls())
    options = {
        name: string(option.default_in_sql)
        for name, option in options_of(Compare).items()
        if name in comparisons.FRAGMENTS
    }
    fixed = {"test": "'t'", "adjust": "'holm'", "interval_level": "'(2 * {level})'", "has_margin": "'true'"}
    fixed |= {"sequential": "'false'", "planned": "'1e0'", "paired": "cast(paired as varchar)"}
    fixed["generalize"] = (
        f"case when {options_of(Compare)['generalize'].condition('generalize')} then chr(39) || generalize || chr(39) "
        f"else error('generalize must be queries or datasets, got ' || generalize) end"
    )
    return {
        "grammar": f"^(?:{GRAMMAR})$",
        "longest": LONGEST,
        "form": FORM,
        "whole_share": WHOLE_SHARE,
        "needs_margin": NEEDS_MARGIN,
        "decided": render_template(
            "rendering/comparisons/decided.sql", gates=gates, bounded_names=comparisons.bounded_names(DUCKDB), mark=MARK
        ),
        "defaults": {f"{{{name}}}": text for name, text in (options | fixed).items()},
    }


def _valid(argument: str, condition: str, allowed: str, largest: str = "") -> str:
    """Return SQL of a numeric argument that meets a `condition` on {}, up to the size `largest`, or raise an error."""
    value = f"try_cast({argument} as double)"
    if largest:
        condition, allowed = f"{condition} and abs({{0}}) <= {largest}", f"{allowed}, of at most {largest}"
    return (
        f"case when isfinite({value}) and {condition.format(value)} then {value} "
        f"else {DUCKDB.error_of(f'{argument} must be {allowed}, got', argument)} end"
    )


# Select the measures that a call names. If one is missing, select a column whose name is the error message.
_MISSING_MEASURES = "list_filter({measures}, lambda n: not list_contains((*), n))"
_GIVEN_COLUMNS = (
    f"case when len({_MISSING_MEASURES}) > 0 then [list_aggregate({_MISSING_MEASURES}, 'string_agg', ', ') || "
    "' (the values have ' || list_aggregate((*), 'string_agg', ', ') || ')'] "
    "else list_filter((*), lambda c: list_contains({measures}, c)) end"
)


def weight_macros() -> str:
    """Return the statements that create the helper macros of weights of queries, and of totals over segments."""
    return statements(
        "weights",
        weighted_rows=weighted_rows("{relation}", "{weights}", "{keyed}"),
        totals=totals_text("{relation}", "{levels}"),
        level=LEVEL,
        grouping=GROUPING,
        **_TOTALS,
        no_segments=NO_SEGMENTS,
        key_of_totals=KEY_OF_TOTALS,
    )


def spread_macros() -> str:
    """Return the statements that create `ltr.distribution`."""
    names = ("relation", "stratum", "strata_output", "names", "numbers", "level")
    fragments = {name: f"{{{name}}}" for name in names}
    confidence = options_of(Averages)["confidence"]
    return statements(
        "spread",
        condition=confidence.condition("try_cast(confidence as double)"),
        allowed=confidence.allowed,
        text=spread_text(None, DUCKDB, calls(), **fragments),
        placeholders_of_parts=comparisons.PLACEHOLDERS,
        **_TOTALS,
    )


def beyond_accuracy_macros() -> str:
    """Return the statements that create `ltr.beyond_accuracy`, and the macros of measures beyond accuracy."""
    columns = GeneratedColumns()
    renderer = Renderer(columns)
    measures = beyond_accuracy_definitions().values()
    (ties,) = relations()["pair"].parameters
    return statements(
        "beyond_accuracy",
        **filling(measures),
        **assembling(measures),
        lists_query=columns.without_one(_lists_query(renderer)),
        system_texts=columns.filled,
        tables=list(TABLES),
        ids={name: ids for name, (ids, _) in TABLES.items()},
        absent={name: renderer.absent(name, "{relation}") for name in TABLES},
        ties=ties.default_in_sql,
        ties_checked=f"{choice_check('beyond_accuracy', ties)} || ties",
        orders={choice: renderer.vocabulary["ranking_order"]("r", choice, "r") for choice in ties.choices},
        k_allowed=next(p for p in all_definitions()["gini"].parameters if p.name == "k").allowed,
        sorted_sources=[source.name for source in row_sources().values() if source.reads_ranks],
        largest_bigint=2**63 - 1,
        comment="Measures of what a run shows, judged or not. Reads query_id, doc_id, keys, and rank or score. Returns "
        "one row for each combination of key values, or with by_query one row for each query, and one column for each "
        f"measure string. {described([ties])}".strip(),
        measures=[_measure(definition) for definition in measures],
    )


def _lists_query(renderer: Renderer) -> str:
    """Return the query of measures of lists, with placeholders for what a call gives."""
    given = {name: GivenTable(f"{{table_{name}}}", f"{{needed_{name}}}", has_rank=CallTime(name)) for name in TABLES}
    source = Lists(
        "{relation}",
        has_rank=CallTime("run"),
        ties=CallTime("{ties}", order="{order}"),
        unsorted=CallTime("{unsorted}"),
        given=given,
    )
    return renderer.lists_query(source, tables=TABLES, blocks="{blocks}", outputs="{outputs}", joins="{joins}")


def _measure(definition: Definition) -> dict[str, Any]:
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
        "signature": [f"{p.name} := {p.default_in_sql}" for p in definition.parameters],
        "text": f"ltr.__ltr_measure_text({string(definition.name)}, [{', '.join(options)}], {at})",
        "averaged": str(definition.over == "run").lower(),
        "comment": measure_comment(definition),
    }


_NOTE = """\
-- ltr_sql: ranking evaluation as SQL. The macros of ltr_sql for DuckDB 1.5 and later, in schema ltr.
-- Generated from the templates in sql/; do not edit.
"""


def bundle() -> str:
    """Return the script that creates all macros in schema `ltr`."""
    macros = [
        helper_macros(),
        *map(relation_macro, relations().values()),
        *map(measure_macro, definitions().values()),
        *check_macros(),
        *measure_string_macros(),
        beyond_accuracy_macros(),
        *probability_macros(),
        comparison_macros(),
        weight_macros(),
        spread_macros(),
        *map(builder_macro, builders().values()),
        tuning_macros(),
    ]
    listed = [*catalogue_macros()]
    listed.append(help_macro([*macros, *listed]))
    qualified_macros = [*map(qualified_with_texts, macros), *map(qualified, listed)]
    return _NOTE + SCHEMA + "\n" + "\n\n".join(macro.strip() for macro in qualified_macros) + "\n"
