"""The query of a comparison, its parts, and what the caller chose."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from ltr_sql.catalogue.functions import Procedure, procedures
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.catalogue.measures import definitions_by_name
from ltr_sql.catalogue.options import Compare, defaults_of, options_of
from ltr_sql.catalogue.ranges import largest_differences
from ltr_sql.errors import InputError
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB, Dialect, string
from ltr_sql.rendering.measure_columns import Column, Pairs, building_blocks, expressions, struct_fields
from ltr_sql.rendering.renderer import OWN_WEIGHTS, Renderer, column_of
from ltr_sql.rendering.templates import macros_of, render_template, sql_value, template_of

# What is passed: nothing, weights, people's values, clusters of queries, both of the latter, or datasets over which
# means are averaged. With people's values or clusters, every query has a weight, which is 1 without weights.
PLAIN, WEIGHTED, HUMAN, CLUSTERED, BOTH, ACROSS = MODES = ("plain", "weighted", "human", "clustered", "both", "across")
# The modes in which values are averaged as they are.
DIRECT = (PLAIN, WEIGHTED)

# The functions that mark a part of a template, each with the modes of a query that has this part.
_MARKS: Mapping[str, tuple[str, ...]] = {
    "if_plain": (PLAIN,),
    "if_weighted": (WEIGHTED,),
    "if_unweighted": (PLAIN, HUMAN, CLUSTERED, BOTH, ACROSS),
    "if_direct": DIRECT,
    "if_as_given": (*DIRECT, ACROSS),
    "if_estimated": (HUMAN, CLUSTERED, BOTH, ACROSS),
    "if_linearised": (HUMAN, CLUSTERED, BOTH),
    "if_human": (HUMAN, BOTH),
    "if_without_human": (PLAIN, WEIGHTED, CLUSTERED, ACROSS),
    "if_clustered": (CLUSTERED, BOTH),
    "if_clusters_alone": (CLUSTERED,),
    "if_human_alone": (HUMAN,),
    "if_across": (ACROSS,),
    "if_by_query": (PLAIN, WEIGHTED, HUMAN, CLUSTERED, BOTH),
}


def _placeholders(mark: str) -> tuple[str, str]:
    return f"{{{mark}}}", f"{{end_{mark}}}"


# Placeholders around the parts of a query whose mode is known only at call time: the text that each becomes in modes
# without the part, and the modes in which it vanishes. A part that a call does not need becomes a comment.
PLACEHOLDERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    placeholder: (comment, modes)
    for mark, modes in _MARKS.items()
    for placeholder, comment in zip(_placeholders(mark), ("/* ", " */"), strict=True)
}


def mode_of(weights: bool, human: bool = False, cluster: bool = False) -> str:
    """Return the mode of a query whose means are taken over queries, given what the caller passes."""
    if human:
        return BOTH if cluster else HUMAN
    return CLUSTERED if cluster else WEIGHTED if weights else PLAIN


def parts_of(mode: str | None) -> dict[str, Callable[..., str]]:
    """Return the functions by which templates mark parts of a query, such as `if_weighted`.

    - `mode`: one of `MODES`. None if it is known only at call time: the query then has all parts, each between
      `PLACEHOLDERS`.
    """
    return {mark: partial(_part, mark, None if mode is None else mode in modes) for mark, modes in _MARKS.items()}


def _part(mark: str, kept: bool | None, text: str = "", *, caller: Callable[[], str] | None = None) -> str:
    """Return a part of a query, or '' if it is not `kept`. `caller` returns the content of a call block of Jinja."""
    part = caller() if caller else text
    if kept is not None:
        return part if kept else ""
    # A name of the caller, which a placeholder stands for, could end the comment.
    if "{" in part or "*/" in part:
        raise ValueError(f"this part of a query cannot become a comment: {part}")
    start, end = _placeholders(mark)
    return f"{start}{part}{end}"


# The column that names the dataset of a query.
DATASET = "__ltr_dataset"


def of_datasets(relation: str, column: str, dialect: Dialect = DUCKDB) -> str:
    """Return SQL of a table of values with the column `DATASET`.

    `relation`: SQL as it follows `from`. `column`: the quoted name of its column of datasets, which may not be NULL.
    """
    name = f"cast(v.{column} as {dialect.text_type})"
    unknown = dialect.error_of("across: a row of the values has no dataset (NULL), query_id", "v.query_id")
    return f"(select v.*, case when {name} is null then {unknown} else {name} end as {DATASET} from {relation} as v)"


# Options of a comparison that name a procedure.
OPTIONS = ("test", "adjust", "ci")
# Other options whose values templates read as they are given.
FRAGMENTS = tuple(
    name
    for name, option in options_of(Compare).items()
    if option.sql
    and option.type in ("integer", "number", "choice", "switch")
    and name not in (*OPTIONS, "missing", "totals", "planned", "details")
)
# What templates read instead of the confidence, the margin and the planned queries: the level of the tests, 1 minus the
# coverage of the intervals, the absolute and the relative margin, and whether there is one; whether the test is
# sequential, and its planned number of queries, 1 for other tests.
DERIVED = ("level", "interval_level", "margin", "relative_margin", "has_margin", "sequential", "planned")
# Whether pairs compare common queries, as SQL.
TOGETHER, APART = "true", "false"
# The test whose results hold whenever one looks.
SEQUENTIAL = "sequential"
# Power for which `mde` and `queries_needed` are computed.
POWER = 0.8
# Largest absolute value that is compared. The intervals of relative differences need its fourth power, and those of
# weighted differences the square of its product with a weight: times the number of queries, these are doubles.
LARGEST = "1e50"
# Upper bound of the number of times that a bootstrap sample draws one query.
COPIES = 1_048_576


@dataclass(frozen=True)
class ComparedValues:
    """SQL fragments of a table of values with one row per system and query, and one column per measure.

    - `relation`: SQL after `from`: the table.
    - `system`: quoted name of the column that names the systems.
    - `compared`: this name as an SQL string.
    - `stratum`: struct fields of the grouping columns. Systems are compared within each of their values.
    - `strata_output`: select list of the grouping columns, each followed by a comma.
    - `strata_of_orders`: the same for pairs of orders of systems, of the orders a and b.
    - `repeat`: struct fields of the columns to average over.
    - `duplicated`: condition that a group of rows holds duplicates.
    - `names`, `numbers`: lists of the names and values of the measures.
    - `lower`: list of the measures where lower is better.
    - `baseline`: list of systems, or null.
    - `missing`: the string 'skip', 'zero' or 'error'.
    - `fewest`: smallest allowed number of systems.
    - `unanswered`: list of the systems that answered each query without a document, so that their values may all be 0.
    - `dialect`: the engine that the other fragments are written for.
    - `mode`: what the table holds besides the values; see `parts_of`. WEIGHTED needs the column `weights.WEIGHT`. With
      people's values or clusters, the table has the columns of `Judges`.
    """

    relation: str
    system: str
    compared: str
    stratum: str
    strata_output: str
    strata_of_orders: str
    repeat: str
    duplicated: str
    names: str
    numbers: str
    lower: str = "[]::varchar[]"
    baseline: str = "null::varchar[]"
    missing: str = "'skip'"
    fewest: str = "2"
    unanswered: str = "[]::varchar[]"
    dialect: Dialect = DUCKDB
    mode: str | None = PLAIN


@dataclass(frozen=True)
class Choices:
    """How systems are compared.

    - `test`, `adjust`, `ci`: names of procedures.
    - `fragments`: SQL by the names that templates read: `FRAGMENTS` and `DERIVED`.
    - `functions`: see `expressions` and `calls` in probabilities.py. None renders expressions of the engine.
    """

    test: str
    adjust: str
    ci: str
    fragments: Mapping[str, str]
    functions: Mapping[str, Callable[..., str]] | None = None

    def having(self, **fragments: str) -> "Choices":
        """Return a copy with other fragments."""
        return replace(self, fragments={**self.fragments, **fragments})


def values_of_table(
    relation: str,
    measures: Sequence[str],
    *,
    compared: str,
    strata: Sequence[str] = (),
    repeats: Sequence[str] = (),
    lower: Sequence[str] = (),
    baseline: Sequence[str] | None = None,
    missing: str = "skip",
    fewest: int = 2,
    unanswered: Sequence[str] = (),
    dialect: Dialect = DUCKDB,
    mode: str = PLAIN,
) -> ComparedValues:
    """Return the SQL fragments of a table with known columns. For the options see `ComparedValues`."""
    quoted = dialect.identifier
    return ComparedValues(
        relation=relation,
        system=quoted(compared),
        compared=dialect.string(compared),
        stratum=_fields(strata, dialect),
        strata_output="".join(f"r.stratum[{dialect.string(name)}] as {quoted(column_of(name))}, " for name in strata),
        strata_of_orders="".join(
            f"o.stratum_{side}[{dialect.string(name)}] as {quoted(f'{name}_{side}')}, "
            for name in strata
            for side in "ab"
        ),
        repeat=_fields(repeats, dialect),
        duplicated="count(*) > count(distinct r.repeat)" if repeats else "count(*) > 1",
        names=dialect.text_list(measures),
        numbers=dialect.array.format(", ".join(f"cast(v.{quoted(name)} as double)" for name in measures)),
        lower=dialect.text_list(lower),
        baseline=f"cast(null as {dialect.text_list_type})" if baseline is None else dialect.text_list(baseline),
        missing=string(missing),
        fewest=str(fewest),
        unanswered=dialect.text_list(unanswered),
        dialect=dialect,
        mode=mode,
    )


# Columns of a comparison that are returned only with `details`. No warning reads the last, which takes longest.
DETAILS = (
    *("queries", "only_a", "only_b", "relative", "relative_low", "relative_high", "sd", "confidence"),
    *("uncorrected_low", "uncorrected_high", "dz", "gz", "wins", "ties", "losses", "superiority"),
    *("test", "statistic", "df", "p", "p_not_worse", "p_worse", "p_equivalent", "mde", "queries_needed"),
)
# Results of a comparison: templates in sql/templates/rendering/comparisons/ of its final select. Three of them are
# `comparison_rows` with further columns: none, those that warnings read, and all.
ROWS, NOTED, DETAILED = "comparison_rows", "comparison_noted", "comparison_details"
_FURTHER = {ROWS: (), NOTED: DETAILS[:-1], DETAILED: DETAILS}
# Those that macros return.
RESULTS = (ROWS, DETAILED, "leaderboard", "system_agreement", "trend", "gated")
# How systems are paired, as fragments of comparison.sql: the number of a system among those of its group, the condition
# of a pair, and whether its systems count as having values. `fewest`: see `ComparedValues`.
_PAIRING = {"role": "m.member", "follows": ">", "has_values": "a.has_values and b.has_values"}
# The differences of pairs without common queries, as fragments of comparison.sql; none if pairs compare common queries.
_TOGETHER = {"unpaired": "", "unpaired_sums": ""}
# A trend pairs each period with the one before. A period in which all values are 0 is a fall, not a defect of the
# input.
_PAIRING_OF_TREND = {
    "role": "case when m.queries > 0 then row_number() over (partition by m.grp, m.queries > 0 order by m.sys asc) end",
    "follows": "= 1 +",
    "has_values": "true",
    "fewest": "1",
}
# A gate fails if a system has no value other than 0, but a baseline without values decides nothing.
_PAIRING_OF_GATES = {"has_values": "a.has_values"}
# The measures of two orders of systems, by the names of their columns.
_AGREEMENT = {"tau": "KendallTau(variant=a)", "tau_b": "KendallTau", "tau_ap": "TauAP", "weighted_tau": "WeightedTau"}


def comparison_query(values: ComparedValues, choices: Choices, result: str = NOTED) -> str:
    """Return the query that compares systems pairwise. `result` names its final select, such as those of `RESULTS`."""
    context = _context(values, choices)
    parts = [_rendered(procedures(option)[getattr(choices, option)], context) for option in OPTIONS]
    chosen = {name: text for part in parts for name, text in part.items()}
    means = _estimated(values.mode or PLAIN, context)
    pairing = {**_pairing(result, context), **_unpaired(result, context)}
    found = _result(result, {**context, **means}, values.dialect)
    return _comparison(context, choices, {**chosen, **means, **pairing, "result": found})


def comparison_texts(values: ComparedValues, choices: Choices) -> tuple[str, dict[str, dict[str, dict[str, str]]]]:
    """Return the query of a comparison with placeholders, and the fragments that replace them for each choice.

    The second value maps option -> value of the option -> placeholder -> fragment.
    """
    context = _context(values, choices)
    parts = {
        option: {name: _rendered(procedure, context) for name, procedure in procedures(option).items()}
        for option in OPTIONS
    }
    means = {mode: _estimated(mode, context) for mode in MODES}
    later = {name: f"{{{name}}}" for name in means[PLAIN]}
    results = {name: _result(name, {**context, **later}, values.dialect) for name in RESULTS}
    parts["result"] = {name: {"result": text, **_pairing(name, context)} for name, text in results.items()}
    parts["mode"] = means
    parts["paired"] = {TOGETHER: _TOGETHER, APART: _apart(context)}
    names = {name for texts in parts.values() for part in texts.values() for name in part}
    return _comparison(context, choices, {name: f"{{{name}}}" for name in names}), parts


def values_query(
    template: str, values: ComparedValues, functions: Mapping[str, Callable[..., str]] | None = None
) -> str:
    """Return the query that the template 'wins' or 'variance' defines for a table of values.

    `functions`: see `Choices`.
    """
    context = {**_context_of_values(values), **(functions or {})}
    return render_template(f"rendering/comparisons/{template}.sql", **context, string=string)


def wins_query(values: ComparedValues, a: str, b: str) -> str:
    """Return the query of the common queries of two systems, with their differences."""
    return values_query("wins", replace(values, baseline=values.dialect.text_list([a, b])))


def _result(name: str, context: Mapping[str, object], dialect: Dialect) -> str:
    agreement = _agreement(dialect) if name == "system_agreement" else ""
    details = _FURTHER.get(name, ())
    template = ROWS if name in _FURTHER else name
    return render_template(f"rendering/comparisons/{template}.sql", **context, agreement=agreement, details=details)


def _pairing(result: str, context: Mapping[str, object]) -> dict[str, str]:
    """Return how systems are paired for a result, as fragments by placeholder."""
    usual = {**_PAIRING, "fewest": "1" if result == "leaderboard" else str(context["fewest"])}
    return {**usual, **{"trend": _PAIRING_OF_TREND, "gated": _PAIRING_OF_GATES}.get(result, {})}


def _unpaired(result: str, context: Mapping[str, object]) -> dict[str, str]:
    """Return the differences of pairs without common queries: those of a trend, and all that are not paired."""
    return _apart(context) if result == "trend" or context["paired"] == APART else _TOGETHER


def _apart(context: Mapping[str, object]) -> dict[str, str]:
    """Return how pairs without common queries are compared, as fragments by placeholder."""
    return {
        name: render_template(f"rendering/comparisons/{name}.sql", **context) for name in ("unpaired", "unpaired_sums")
    }


@cache
def _agreement(dialect: Dialect) -> str:
    """Return the query of the measures of two orders of systems, whose places are in the CTE __ltr_ranked_twice."""
    measures = ((name, parse_measure(text)) for name, text in _AGREEMENT.items())
    columns = [Column(measure.definition, dict(measure.values), name) for name, measure in measures]
    return Renderer(NamedColumns((), dialect), dialect).query(columns, Pairs("__ltr_ranked_twice"))


# What the means of linearised.sql and across.sql belong to, and the relation of their rows.
_ESTIMATED = {"pair": "__ltr_differences", "system": "__ltr_system_rows"}


def _estimated(mode: str, context: Mapping[str, object]) -> dict[str, str]:
    """Return the expressions of means with people's values or clusters, or over datasets, by placeholder.

    Other modes have none.
    """
    known = {"clustered": mode in (CLUSTERED, BOTH), "clusters_alone": mode == CLUSTERED}
    template = f"rendering/comparisons/{'across' if mode == ACROSS else 'linearised'}.sql"
    return {
        f"estimated_{of}s": ""
        if mode in DIRECT
        else render_template(template, **{**context, **known, "of": of, "rows": rows})
        for of, rows in _ESTIMATED.items()
    }


# Placeholder of each kind of procedure in sql/templates/rendering/comparisons/comparison.sql.
_QUERIES = {"test": "tested", "adjust": "adjusted", "ci": "interval"}


def _rendered(procedure: Procedure, context: Mapping[str, object]) -> dict[str, str]:
    body = template_of(procedure.body).render(context)
    too_few = procedure.fields.get("too_few")
    return {_QUERIES[procedure.kind]: body, **({"too_few": template_of(too_few).render(context)} if too_few else {})}


def _comparison(context: Mapping[str, object], choices: Choices, parts: Mapping[str, str]) -> str:
    chosen = {"test": string(choices.test), "adjust": string(choices.adjust)}
    return render_template("rendering/comparisons/comparison.sql", **{**context, **parts, **chosen})


def drawn_queries_query(lists: str, strata: Sequence[str]) -> str:
    """Return the query that numbers the queries of lists. `lists` is SQL of the lists of all systems."""
    return render_template("rendering/draws/drawn_queries.sql", lists=lists, **_stratum(strata))


@dataclass(frozen=True)
class Draws:
    """Replicates of the bootstrap: those from number `first` up to `end`, which is excluded.

    - `seed`: SQL of the seed. `replicate`: the column that numbers them.
    """

    first: int
    end: int
    seed: str
    replicate: str


def drawn_lists_query(lists: str, queries: str, strata: Sequence[str], others: Sequence[str], draws: Draws) -> str:
    """Return the query of the lists that replicates of the bootstrap draw.

    - `lists`: SQL of the lists of all systems. They are drawn within each stratum, for all `others` at once.
    - `queries`: SQL of their numbered queries. Copy c of query number q has the query_id q * `COPIES` + c.
    """
    quoted = DUCKDB.identifier
    return render_template(
        "rendering/draws/drawn_lists.sql",
        **_building_blocks(DUCKDB),
        **_stratum(strata),
        lists=lists,
        queries=queries,
        keys=[f"r.{quoted(name)}" for name in (*strata, *others)],
        same_stratum="".join(f" and r.{quoted(n)} is not distinct from q.{quoted(n)}" for n in strata),
        resamples=draws.end,
        seed=draws.seed,
        first_replicate=draws.first,
        replicate=draws.replicate,
        copies=COPIES,
    )


def _stratum(strata: Sequence[str]) -> dict[str, object]:
    keys = [f"q.{DUCKDB.identifier(name)}" for name in strata]
    return {"stratum": keys, "partition": f"partition by {', '.join(keys)} " if keys else ""}


def compared_runs_query(values: ComparedValues, choices: Choices, lists: str, replicate: str, result: str) -> str:
    """Return the query that compares systems by measures over runs.

    - `values`: a table with one row per system, and one per system and replicate of the bootstrap, numbered in a
      column `replicate`.
    - `lists`: SQL of the lists of all systems. `result`: `NOTED` or `DETAILED`.
    """
    context = {**_context(values, choices), "lists": lists, "replicate": replicate, "details": _FURTHER[result]}
    return render_template("rendering/comparisons/compared_runs.sql", **context)


def result_of_pairs(details: bool) -> str:
    """Return the result that a caller needs. `details`: true if they want all columns."""
    return DETAILED if details else NOTED


def hidden_columns(details: bool) -> tuple[str, ...]:
    """Return the columns of this result that a caller does not see."""
    return () if details else _FURTHER[NOTED]


def shown_query(found: str, details: bool) -> str:
    """Return the query of the columns that a caller sees. `found` is the relation of the comparisons."""
    hidden = ", ".join(hidden_columns(details))
    return f"select r.*{f' exclude ({hidden})' if hidden else ''} from {found} as r"


def both_comparisons_query(of_queries: str, of_runs: str, strata: Sequence[str], measures: Sequence[str]) -> str:
    """Return the query of comparisons by measures over queries and over runs, in the order of `measures`."""
    return render_template(
        "rendering/comparisons/both_comparisons.sql",
        of_queries=of_queries,
        of_runs=of_runs,
        strata=[DUCKDB.identifier(name) for name in strata],
        measures=DUCKDB.text_list(measures),
    )


def queries_needed_query(effect: str, power: str, level: str, functions: Mapping[str, Callable[..., str]]) -> str:
    """Return the query that computes how many queries a test needs to detect an effect of the given size."""
    context = {
        **building_blocks(DUCKDB),
        **functions,
        "effect": effect,
        "power": power,
        "level": level,
    }
    return render_template("rendering/comparisons/queries_needed.sql", **context)


def gates_query(
    gates: Sequence[Mapping[str, object]],
    level: str,
    *,
    sequential: bool = False,
    gated: str = "",
    functions: Mapping[str, Callable[..., str]] | None = None,
) -> str:
    """Return the query that decides whether gates fail.

    - `sequential`: true if the tests are sequential.
    - `gated`: SQL of the rows of the gates, if they are known only at call time. `functions`: see `Choices`.
    """
    return render_template(
        "rendering/comparisons/gates.sql",
        **building_blocks(),
        **(functions or expressions()),
        gates=gates,
        gated=gated,
        adjusted=template_of(procedures("adjust")["holm"].body).render(),
        level=level,
        sequential=sequential,
        power=sql_value(POWER),
        string=string,
    )


def bounded_names(dialect: Dialect) -> dict[str, str]:
    """Return SQL of the names of measures with bounds, by SQL of the largest difference that they can have."""
    return {sql_value(most): dialect.text_list(names) for most, names in largest_differences().items()}


def _context(values: ComparedValues, choices: Choices) -> dict[str, object]:
    known = (name for name, definition in definitions_by_name().items() if definition.better == "higher")
    names = {
        "higher_names": values.dialect.text_list(known),
        "bounded_names": bounded_names(values.dialect),
    }
    return {**_context_of_values(values), **names, **(choices.functions or {}), **choices.fragments}


def _context_of_values(values: ComparedValues) -> dict[str, object]:
    names = definitions_by_name().items()
    lower = (name for name, definition in names if definition.better == "lower")
    geometric = (name for name, definition in names if definition.average == "geometric")
    return {
        **_building_blocks(values.dialect),
        **expressions(values.dialect),
        **parts_of(values.mode),
        **vars(values),
        **_PAIRING,
        "power": sql_value(POWER),
        "largest": LARGEST,
        "lower_names": values.dialect.text_list(lower),
        "higher_names": "",
        "geometric_names": values.dialect.text_list(geometric),
        **own_weights(values.dialect),
    }


def own_weights(dialect: Dialect) -> dict[str, str]:
    """Return SQL of the names of measures with weights of their own, and the error for their values."""
    names = (name for name, definition in definitions_by_name().items() if definition.weight)
    return {"weighted_names": dialect.text_list(names), "own_weights": OWN_WEIGHTS}


def _building_blocks(dialect: Dialect) -> Mapping[str, object]:
    return {**building_blocks(dialect), **(macros_of("shared/random.sql", {}) if dialect.random_words else {})}


def _fields(names: Sequence[str], dialect: Dialect) -> str:
    # Add a constant field, because a struct cannot be empty.
    return struct_fields({"__ltr_one": "0", **{name: f"v.{dialect.identifier(name)}" for name in names}}, dialect)


def comparison_choices(**given: Any) -> Choices:
    """Return options of `compare` as SQL fragments. Raises InputError for a value that is not allowed.

    Options that are left out have their defaults. Those that do not concern the tests are ignored.
    """
    asked = defaults_of(Compare, **given)
    for name, option in options_of(Compare).items():
        if name in FRAGMENTS or name in OPTIONS:
            option.check(asked[name])
    if asked["adjust"] == "tukey" and asked["test"] != "t":
        raise InputError(
            f"adjust='tukey' corrects the t test: pass test='t', or adjust='holm' with test={asked['test']!r}"
        )
    with_margin = asked["margin"] is not None
    if with_margin and asked["confidence"] <= 0.5:
        raise InputError(f"with a margin, confidence must be above 0.5, got {asked['confidence']}")
    for name, said in _NEEDING_T.items():
        if asked[name] is not None:
            _refuse_other_tests(asked, said)
    _refuse_unfit(asked)
    planned = _planned_queries(asked)
    absolute, relative = margins_of(asked["margin"])
    level = level_of(asked["confidence"])
    return Choices(
        **{name: asked[name] for name in OPTIONS},
        fragments={
            **{name: _text(asked[name]) for name in FRAGMENTS},
            "level": sql_value(level),
            "interval_level": sql_value(round(2 * level, 12) if with_margin else level),
            "margin": sql_value(absolute),
            "relative_margin": sql_value(relative),
            "has_margin": _text(with_margin),
            "sequential": _text(asked["test"] == SEQUENTIAL),
            "planned": sql_value(float(planned)),
        },
    )


def level_of(confidence: float) -> float:
    """Return the level of the tests: 1 - confidence."""
    # Round, because 1 - 0.95 is not 0.05 in binary.
    return round(1 - confidence, 12)


def percent(share: float) -> str:
    """Return a share in percent with at most one decimal; '> 99.9%' instead of 100%."""
    text = f"{100 * share:.1f}".removesuffix(".0")
    return f"{text if text != '100' else '> 99.9'}%"


def margins_of(margin: float | str | None) -> tuple[float, float]:
    """Return the absolute margin, and the margin relative to the mean of system a. At least one of them is 0.

    Raises InputError for a margin that is neither a number above 0 nor a share.
    """
    if margin is None:
        return 0.0, 0.0
    match = re.fullmatch(r"\s*([\d.]+)\s*%\s*", margin) if isinstance(margin, str) else None
    try:
        number = float(match[1]) / 100 if match else float(margin)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 < number < (1 if match else math.inf):
        raise InputError(f"margin must be a number above 0, or a share below 100% such as '1%', got {margin!r}")
    return (0.0, number) if match else (number, 0.0)


def title_of_test(options: Mapping[str, Any]) -> str:
    """Return the name of the test for sentences. `options`: all options of `compare`."""
    if options["across"] is not None:
        return f"t test of the mean over {options['across']}, for other {options['generalize']}"
    if not options["paired"]:
        return "Welch's t test of systems with queries of their own"
    return procedures("test")[options["test"]].title


def _planned_queries(asked: Mapping[str, Any]) -> int:
    """Return the planned queries of the sequential test; 1 for other tests. Raises InputError if they do not fit."""
    planned, test = asked["planned"], asked["test"]
    if test != SEQUENTIAL:
        if planned is not None:
            raise InputError(
                f"planned belongs to the sequential test: pass test='sequential', or leave planned={planned!r} out"
            )
        return 1
    if planned is None:
        raise InputError(
            "test='sequential' needs planned=: the number of queries at which its interval is narrowest, chosen before "
            "you look"
        )
    options_of(Compare)["planned"].check(planned)
    if asked["ci"] != "t":
        raise InputError(f"test='sequential' has an interval of its own: leave ci={asked['ci']!r} out")
    return int(planned)


# What is said of a measure over runs.
NO_LOOKS = "has one value for the whole run, and the sequential test needs one for each query: leave it out"
# The options that only the t and the sequential test allow, as the subject of a message.
_NEEDING_T = {"weights": "weights apply", "human": "human applies", "cluster": "cluster applies"}


def _refuse_other_tests(asked: Mapping[str, Any], said: str) -> None:
    """Raise InputError if a procedure is not defined for weights, people's values or clusters."""
    for option in ("test", "ci", "adjust"):
        name = asked[option]
        if name == "tukey" or (option != "adjust" and name not in ("t", SEQUENTIAL)):
            raise InputError(
                f"{said} to the t and the sequential test, not to {option}={name!r}: leave one of them out"
            )


def _refuse_unfit(asked: Mapping[str, Any]) -> None:
    """Raise InputError for options that means over datasets, or systems with different queries, do not have."""
    if asked["across"] is None and asked["generalize"] != options_of(Compare)["generalize"].default:
        raise InputError(
            f"generalize={asked['generalize']!r} belongs to means over datasets: pass across=, or leave it out"
        )
    for name, said in {"across": "across applies", "paired": "paired=False applies"}.items():
        if asked[name] in (None, True):
            continue
        for option in ("test", "ci"):
            if asked[option] != "t":
                raise InputError(f"{said} to the t test, not to {option}={asked[option]!r}: leave one of them out")
        if asked["adjust"] == "tukey":
            raise InputError(f"{said} to the t test, not to adjust='tukey': leave one of them out")
        for option in UNFIT[name]:
            if asked[option] is not None and asked[option] is not False:
                raise InputError(f"{said} without {option}: leave one of them out")
    if not asked["paired"] and asked["missing"] not in (None, "skip"):
        raise InputError(
            f"missing={asked['missing']!r} is about queries that both systems owe, and with paired=False each system "
            "has queries of its own: leave one of them out"
        )


# The options that cannot be combined with means over datasets, and with systems that have different queries.
UNFIT = {"across": ("weights", "human", "cluster", "totals"), "paired": ("across", "human")}


def _text(value: Any) -> str:
    return (
        string(value) if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else sql_value(value)
    )
