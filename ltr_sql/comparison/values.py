"""The values that a comparison reads, whether they can be compared, and what runs repeat."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from ltr_sql.catalogue.measure_strings import (
    DEFAULT_MEASURES,
    Measure,
    find_convention,
    parse_measure,
    parse_measures,
    resolve_options,
)
from ltr_sql.catalogue.measures import definition_of
from ltr_sql.catalogue.options import Values, options_of
from ltr_sql.errors import InputError, MeasureError
from ltr_sql.evaluation.accuracy import measured_table
from ltr_sql.evaluation.options import Averaging, EvaluationOptions, Inputs, averaging_of
from ltr_sql.evaluation.values import Evaluated, QueryValues, corrected, measured, weighed
from ltr_sql.inputs.gains import Gains, read_gains
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Rows, Table, listed_names, systems_without_documents, with_equal_ids
from ltr_sql.rendering.comparisons import ACROSS, ComparedValues, of_datasets, values_of_table
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.renderer import TOTAL_WITHIN, with_totals
from ltr_sql.rendering.templates import ascending, render_template

# Measures of the depth and the judged share of a run, which serve only for warnings.
RETRIEVED, JUDGED = "NumRet", "Judged@10"
# Largest differences without a warning: in depth (share of the largest depth), and in unjudged documents of the top 10
# (percentage points).
_DEPTHS, POINTS = 0.1, 5
# Largest number of runs that a warning lists. With more runs, it counts them or lists only the two extremes.
_LISTED = 6


def described_values(state: Session, inputs: Inputs, options: EvaluationOptions) -> tuple[Table, list[str]]:
    """Return the values of measures with `RETRIEVED` and `JUDGED` of each query as a table, and warnings."""
    known = [measure.text.lower() for measure in options.measures]
    described = tuple(m for m in parse_measures([RETRIEVED, JUDGED]) if m.text.lower() not in known)
    if options.ties != "expected":
        options = replace(options, measures=(*options.measures, *described))
        return measured_table(state, inputs, options)
    # NumRet and Judged@10 have no expected value over orders of tied documents, so compute them separately.
    run = state.bind(inputs.rankings, "run")
    judgments = None if inputs.qrels is None else state.bind(inputs.qrels, "qrels")
    values, warnings = measured_table(state, Inputs(run, judgments, inputs.tables), options)
    options = replace(options, measures=described, ties=find_convention(None).ties, gains=None, check=False)
    others, _ = measured_table(state, Inputs(run, judgments), options)
    added = ", ".join(f"d.{DUCKDB.identifier(measure.text)}" for measure in described)
    keys = [DUCKDB.identifier(name) for name in values.columns if name.lower() not in known]
    same = " and ".join(f"d.{key} is not distinct from v.{key}" for key in keys)
    return state.load(f"(select v.*, {added} from {values.sql} as v join {others.sql} as d on {same})"), warnings


def depths_and_shares(
    state: Session, table: Table, system: str = "system"
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the depth of each run, and the percentage of unjudged documents in its top 10.

    `table` has the columns `RETRIEVED`, `JUDGED` and `system`. A run without a value is left out.
    """
    query = render_template(
        "comparison/depths.sql",
        relation=table.sql,
        system=DUCKDB.identifier(system),
        retrieved=DUCKDB.identifier(RETRIEVED),
        judged=DUCKDB.identifier(JUDGED),
    )
    rows = state.rows(query)
    depths = {system: depth for system, depth, _ in rows if depth}
    return depths, {system: share for system, _, share in rows if share is not None}


def notes_on_depth(state: Session, table: Table, measures: Sequence[Measure], system: str = "system") -> list[str]:
    """Return warnings about runs that differ in unjudged documents, or in a depth that `measures` reach."""
    cutoffs = {measure.text: dict(measure.values).get("k") for measure in measures}
    depths, shares = depths_and_shares(state, table, system)
    notes = []
    few = {system: depths[system] for system in shallow(depths)}
    if few and (deeper := read_deeper(cutoffs, min(few.values()))):
        runs = f"{len(few)} of {len(depths)} runs" if len(few) > _LISTED else ", ".join(few)
        numbers = " to ".join(dict.fromkeys(f"{end(few.values()):,.0f}" for end in (min, max)))
        notes.append(
            f"{runs} {'has' if len(few) == 1 else 'have'} at most {numbers} documents per query, the deepest run "
            f"{max(depths.values()):,.0f}: {', '.join(deeper)} favour{'s' if len(deeper) == 1 else ''} deeper runs"
        )
    if any(abs(a - b) > POINTS for a, b in combinations(shares.values(), 2)):
        listed = ", ".join(f"{system} {share:.1f}%" for system, share in _extremes(shares))
        notes.append(
            f"the runs differ in unjudged documents of the top 10 ({listed}): these count as not relevant, which may "
            "explain part of a difference"
        )
    return notes


def shallow(depths: Mapping[str, float]) -> list[str]:
    """Return the runs that are shallower than the deepest one by more than the share `_DEPTHS`."""
    return [system for system, depth in depths.items() if depth < (1 - _DEPTHS) * max(depths.values())]


def measures_among(names: Sequence[str]) -> list[Measure]:
    """Return the measures among names of columns. Other names, such as latency, are left out."""
    found = []
    for name in names:
        with suppress(MeasureError):
            found.append(parse_measure(name))
    return found


def read_deeper(cutoffs: Mapping[str, Any], depth: float) -> list[str]:
    """Return the names of the measures without a cutoff, or with one deeper than `depth`."""
    return [name for name, cutoff in cutoffs.items() if cutoff is None or cutoff > depth]


def _extremes(found: dict[str, float]) -> list[tuple[str, float]]:
    """Return the runs to list with their numbers: all up to `_LISTED`, otherwise the smallest and the largest."""
    listed = list(found.items())
    if len(listed) <= _LISTED:
        return listed
    return [min(listed, key=lambda run: run[1]), max(listed, key=lambda run: run[1])]


def _first_pair(rows: Rows, found: str, columns: str, where: str, order: str = "") -> Iterable[Sequence[Any]]:
    """Return the first comparison that fulfils a condition, if there is one: measure, both systems and `columns`."""
    return rows(
        f"select r.measure, r.system_a, r.system_b, {columns} from {found} as r where {where} "
        f"order by {order}r.measure asc, r.system_a asc, r.system_b asc, {ascending(columns)} limit 1"
    )


def refuse_empty(rows: Rows, found: str, warning_texts: Iterable[str] = ()) -> None:
    """Raise InputError if two systems have no query in common, or a system has no value.

    Where higher is better, a system whose values are all 0 has no value.

    - `found`: the relation of the comparisons.
    - `warning_texts`: the warnings about the input, which may name the cause. The error includes them.
    """
    for row in _first_pair(rows, found, "r.queries", "r.verdict = 'no values'"):
        raise InputError(". Also: ".join([_without_values(*row), *warning_texts]))


def _without_values(measure: str, a: str, b: str, queries: int) -> str:
    """Return the message about two systems without a common query, or a system without a value: see `refuse_empty`."""
    if queries == 0:
        return (
            f"{a} and {b} have no query in common with a value of {measure}: compare their query ids, or pass "
            "paired=False if each system saw queries of its own, as in an A/B test"
        )
    definition = definition_of(measure)
    what = "NULL" if definition is not None and definition.over == "run" else "0 or NULL for every query"
    return f"{measure} of {a} or {b} is {what}: check these runs, or pass allow_empty=True"


# Condition of the rows in which the sign test replaces the t test: all differences of the pair are equal, but not 0.
_WITHOUT_P = (
    "r.test in ('t', 'sequential') and r.p is null and r.sd = 0 and r.verdict in ('better', 'worse', 'undecided')"
)


# Condition of the rows whose mean of system a may be 0, so that Fieller's interval of the ratio has no bounds.
_NEAR_ZERO = "r.low < r.high and r.relative_low is null"


def doubts_about(rows: Rows, found: str, margin: float | str | None = None) -> list[str]:
    """Return warnings about comparisons: queries left out, t tests without a p, and shares of a mean near 0.

    `found` is the relation of the comparisons, and `margin` the option.
    """
    is_share = isinstance(margin, str) and "%" in margin
    uncommon, most = "r.only_a + r.only_b > 0 and r.ties is not null", "r.only_a + r.only_b desc, "
    return [
        *(_uncommon_warning(*row) for row in _first_pair(rows, found, "r.only_a, r.only_b", uncommon, most)),
        *(
            _constant_warning(*row)
            for row in _first_pair(rows, found, "r.difference, r.test", _WITHOUT_P)
            if margin is None
        ),
        *(_near_zero_warning(*row) for row in _first_pair(rows, found, "r.mean_a", _NEAR_ZERO) if is_share),
    ]


def doubts_about_repeats(
    rows: Rows, values: Table, columns: Sequence[str], repeats: Sequence[str], unit: str = "query of a system"
) -> list[str]:
    """Return a warning if there is nothing to average over `repeats`.

    - `values`: the table of values. `columns`: its columns that identify a `unit`.
    """
    if not repeats:
        return []
    listed = ", ".join(f"v.{values.dialect.identifier(name)}" for name in columns)
    counts = f"select count(*) as repeats from {values.sql} as v group by {listed}"
    ((most,),) = rows(f"select max(c.repeats) from ({counts}) as c")
    if most != 1:
        return []
    return [
        f"repeats {', '.join(repeats)}: nothing is averaged, because each {unit} has only one row of values. Leave "
        "repeats out, or check the query ids: a query has the same id in all its repeats"
    ]


def doubts_about_datasets(rows: Rows, found: str) -> list[str]:
    """Return warnings about means over a single dataset, and about a dataset with one common query.

    `found` is the relation of the comparisons.
    """
    one, single = "r.datasets = 1", "r.datasets > 1 and r.fewest = 1 and r.verdict = 'too few queries'"
    return [
        *(
            f"{measure} of {a} and {b}: across names one dataset, so the mean over datasets is that of its queries"
            for measure, a, b, _ in _first_pair(rows, found, "r.datasets", one)
        ),
        *(
            f"{measure} of {a} and {b}: a dataset has one common query, whose variance is unknown, so the mean over "
            "datasets has no interval: add queries to it, or ask about other datasets with generalize='datasets'"
            for measure, a, b, _ in _first_pair(rows, found, "r.datasets", single)
        ),
    ]


def doubts_about_one_dataset(rows: Rows, found: str) -> list[str]:
    """Return a warning about a board of a single dataset. `found` is its relation."""
    query = f"select r.measure, r.system from {found} as r where r.datasets = 1 order by r.measure asc, r.place asc"
    return [
        f"{measure} of {system}: across names one dataset, so the mean over datasets is that of its queries, and "
        "p_best, sampled_low and sampled_high are NULL"
        for measure, system in rows(f"{query} limit 1")
    ]


def _uncommon_warning(measure: str, a: str, b: str, only_a: int, only_b: int) -> str:
    """Return the warning that a comparison leaves out queries."""
    return (
        f"queries left out because one of the systems has no value ({measure}): {only_a} of {a} alone, {only_b} of "
        f"{b} alone; missing='zero' counts queries that a system lacks as 0, but leaves out NULL values"
    )


def _constant_warning(measure: str, a: str, b: str, difference: float, test: str) -> str:
    """Return the warning that a t test or a sequential test has no p."""
    return (
        f"{measure} of {a} and {b} differs by {difference:+.4g} on every query, so the {test} test has no p, and the "
        "sign test gives the verdict; for its p, pass test='sign'"
    )


def _near_zero_warning(measure: str, a: str, b: str, mean: float) -> str:
    """Return the warning that a margin is a share of a mean that may be 0."""
    return (
        f"the mean {measure} of {a} is near 0 ({mean:.4g}), so a share of it is hardly a margin for {b}: pass "
        "margin as a number"
    )


@dataclass(frozen=True)
class Given:
    """What `compare` and its kin are given: their input, and all their options by name.

    `unanswered`: the systems that answered each query without a document.
    """

    rankings: Any
    measures: Iterable[str] | None
    options: Mapping[str, Any]
    unanswered: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.options["missing"] is not None:
            options_of(Values)["missing"].check(self.options["missing"])

    def having(self, **options: Any) -> "Given":
        """Return a copy with other options."""
        return replace(self, options={**self.options, **options})

    @property
    def compared(self) -> str:
        """The column that names the systems."""
        return str(self.options["compared"])

    @property
    def strata(self) -> list[str]:
        """The grouping columns without the column that names the systems."""
        return [name for name in names_of("keys", self.options["keys"]) if name != self.compared]

    @property
    def across(self) -> list[str]:
        """The column of the datasets over which means are taken, or nothing."""
        named = self.options.get("across")
        return [] if named is None else [str(named)]

    @property
    def repeats(self) -> list[str]:
        """The columns over which the values of a query are averaged."""
        return names_of("repeats", self.options["repeats"])

    @property
    def keys(self) -> list[str]:
        """The columns that group the rows of the rankings."""
        return [self.compared, *self.strata, *self.repeats, *self.across]

    @property
    def query(self) -> list[str]:
        """The columns that identify a query of a system."""
        return [*self.strata, *self.across, self.compared, "query_id"]

    @property
    def baseline(self) -> list[str] | None:
        """The systems that all others are compared with, or None."""
        named = self.options.get("baseline")
        if named is None:
            return None
        return [str(name) for name in ([named] if isinstance(named, str) else names_of("baseline", named))]

    @property
    def gains(self) -> Gains | None:
        """The custom gains of grades, or None."""
        given = self.options.get("gains")
        return None if given is None else read_gains(given)

    @property
    def averaging(self) -> Averaging:
        """What corrects and weighs the values."""
        return averaging_of({**self.options, "ci": "t", "totals": False})

    @property
    def mode(self) -> str:
        """What the table of values holds besides the values; see `parts_of`."""
        return ACROSS if self.across else self.averaging.mode

    @property
    def tables(self) -> dict[str, Any]:
        """The tables that measures beyond accuracy read besides the judgments."""
        return {name: self.options.get(name) for name in ("documents", "history", "targets")}


def names_of(option: str, names: str | Sequence[str]) -> list[str]:
    """Return the names that an option lists. Raises InputError for a single text."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(f"{option} must be a list of names, got {names!r}")
    return list(names)


def first_of_two(systems: Sequence[str]) -> list[str] | None:
    """Return the first of two systems as the baseline, or None for more of them.

    A comparison of an old with a new run then says what the new one changed. The order does not change the statistics.
    """
    return [systems[0]] if len(systems[1:]) == 1 else None


def bound_runs(state: Session, given: Given) -> Given:
    """Return what is given with its runs bound.

    If two runs are given in an order, and no baseline is named, the first one is the baseline.
    """
    if given.options["values"]:
        return given
    run = state.bind(given.rankings, "run")
    given = replace(given, rankings=run, unanswered=systems_without_documents(state.rows, run, given.compared))
    if given.baseline is not None or given.compared != "system":
        return given
    return given.having(baseline=first_of_two(run.systems))


def values_of(state: Session, given: Given) -> tuple[QueryValues, list[str]]:
    """Return the values of the queries to compare, corrected and weighed, and warnings."""
    if given.options["values"]:
        values, texts = read_values(state, given), list[str]()
    else:
        values, texts = noted_values(state, given, resolved(given))
    values, more = corrected_and_weighed(state, given, values)
    return values, [*texts, *more]


def corrected_and_weighed(state: Session, given: Given, values: QueryValues) -> tuple[QueryValues, list[str]]:
    """Return the values with those of people, with clusters and with weights, if given, and warnings."""
    texts = doubts_about_repeats(state.rows, values.table, given.query, given.repeats)
    values, of_judges = corrected(state, values, given.averaging)
    values, of_weights = weighed(state, values, given.averaging, given.strata)
    return values, [*texts, *of_judges, *of_weights]


def strata_and_repeats(given: Given) -> list[str]:
    """Return the columns of `keys`, `repeats` and `across`. Raises InputError if one of them has two purposes."""
    columns = [*given.strata, *given.repeats, *given.across]
    if given.compared in columns or len({*columns}) < len(columns):
        raise InputError("a column can only be one of compared, keys, repeats and across")
    return columns


def resolved(given: Given) -> EvaluationOptions:
    """Return the measures of a comparison, and how they are evaluated."""
    # With 'error', leave missing queries out of the values: the comparison then finds that a system lacks them.
    # A system with queries of its own owes no others.
    apart = not given.options.get("paired", True)
    missing = "skip" if apart or given.options["missing"] == "error" else given.options["missing"]
    rules = resolve_options(
        given.measures or DEFAULT_MEASURES, given.options["convention"], given.options["ties"], missing
    )
    return EvaluationOptions(*rules, given.gains, given.keys, check=given.options.get("check", False))


def fragments_of(values: QueryValues, given: Given) -> ComparedValues:
    """Return the SQL fragments of a table of values. Raises InputError for options that are not allowed."""
    table, measures = values.table, values.measures
    lower = names_of("lower_is_better", given.options.get("lower_is_better", ()))
    for name in lower:
        if name not in measures:
            raise InputError(f"lower_is_better names {name!r}, which is not one of the measures: {', '.join(measures)}")
    totals = given.options.get("totals", False)
    if totals and table.dialect is not DUCKDB:
        raise InputError(f"totals are not available on {table.dialect.name}: leave them out")
    relation = with_totals(table.sql, given.strata) if totals else table.sql
    for column in given.across:
        relation = of_datasets(relation, table.dialect.identifier(column), table.dialect)
    return values_of_table(
        relation,
        measures,
        compared=given.compared,
        strata=[*given.strata, TOTAL_WITHIN] if totals else given.strata,
        repeats=given.repeats,
        lower=lower,
        baseline=given.baseline,
        missing=given.options["missing"] or "skip",
        unanswered=given.unanswered,
        dialect=table.dialect,
        mode=given.mode,
    )


def noted_values(state: Session, given: Given, options: EvaluationOptions) -> tuple[QueryValues, list[str]]:
    """Return the values of rankings, and warnings. They compare the depth of the runs, if the input is checked."""
    # The notes need the columns NumRet and Judged@10. A key of that name would hide them.
    hidden = {key.lower() for key in given.keys} & {RETRIEVED.lower(), JUDGED.lower()}
    noted = options.check and given.options["qrels"] is not None and not hidden and state.database is None
    values, texts = evaluated_values(state, given, options, described_values if noted else measured_table)
    notes = notes_on_depth(state, values.table, options.measures, given.compared) if noted else []
    return values, [*texts, *notes]


def evaluated_values(
    state: Session, given: Given, options: EvaluationOptions, evaluated: Evaluated
) -> tuple[QueryValues, list[str]]:
    """Return the values of rankings that `evaluated` computes, and warnings."""
    strata_and_repeats(given)
    for measure in options.measures:
        if measure.definition.over == "run":
            raise MeasureError(
                f"measure {measure.text!r} has one value for a run and none for a query, so no test compares it: call "
                "compare or evaluate"
            )
    run = state.bind(given.rankings, "run")
    _require_systems(run, given)
    qrels = given.options["qrels"]
    if qrels is not None and given.across:
        run, qrels = with_datasets(state, run, state.bind(qrels, "qrels"), given.across[0], options.missing)
    inputs = Inputs(run, qrels, given.tables)
    values, texts = measured(state, inputs, options, given.averaging, evaluated)
    keys = [*given.strata, *given.across, given.compared]
    return replace(values, keys=keys, system=given.compared, repeats=given.repeats), texts


def with_datasets(state: Session, run: Table, judged: Table, column: str, missing: str) -> tuple[Table, Table]:
    """Return the run and the judgments, whose queries belong to the datasets in which the run has them.

    `column`: that of the datasets. The judgments may have it. Raises InputError if the dataset of a
    judged query is not known: a query of two datasets, or with `missing` 'zero' one that the run lacks.
    """
    if column in judged.columns or column not in run.columns:
        return run, judged
    run, judged = with_equal_ids(run, judged)
    of_queries = run.distinct("query_id", column)
    name = run.dialect.identifier(column)
    ((several, first, lacking, lost),) = state.rows_of(run)(
        render_template("evaluation/datasets_of_queries.sql", judged=judged.sql, queries=of_queries.sql, dataset=name)
    )
    way = f"add the column {column} to the judgments"
    if several:
        raise InputError(
            f"a query is in more than one {column} of the run, and the judgments do not say which one they judge "
            f"({several}): query_id={first}. What to do: {way}"
        )
    if lacking and missing == "zero":
        raise InputError(
            f"the run lacks judged queries, so their {column} is unknown ({lacking}): query_id={lost}. What to do: "
            f"{way}, or leave these queries out by missing='skip'"
        )
    joined = f"(select j.*, d.{name} from {judged.sql} as j join {of_queries.sql} as d on d.query_id = j.query_id)"
    columns = {**judged.columns, column: run.columns[column]}
    return run, replace(judged, sql=joined, columns=columns, positions="", queries="", grouped_by=(column,))


def _require_systems(table: Table, given: Given) -> None:
    """Raise InputError for a single run, or its values, without a column that names the system."""
    if given.compared == "system" and "system" not in table.columns:
        what = "the table of values" if given.options["values"] else "the run"
        one = "add it" if given.options["values"] else "pass a dict such as {'bm25': run}"
        raise InputError(
            f"{what} has no column system, got {listed_names(table.columns)}: {one}, or pass compared= with the column "
            "that names the systems"
        )


def read_values(state: Session, given: Given) -> QueryValues:
    """Return the caller's table of values. Raises InputError for options of rankings, and for missing columns."""
    if given.options["qrels"] is not None:
        raise InputError("a table of values needs no judgments: leave out qrels, or leave out values=True")
    if given.gains is not None:
        raise InputError("a table of values holds no grades: leave out gains=, or leave out values=True")
    table = state.bind(given.rankings, "values")
    if given.measures is None:
        refuse_words(state.rows, table)
    names = measures_of_values(table, given, strata_and_repeats(given))
    human = None
    if given.averaging.human is not None:
        human = state.bind(given.averaging.human, "human")
        human.require("human", *given.query, *given.repeats, *names)
    keys = [*given.strata, *given.across, given.compared]
    return QueryValues(table, names, keys, given.compared, given.repeats, source=table, human=human)


def measures_of_values(table: Table, given: Given, keys: Sequence[str]) -> list[str]:
    """Return the names of the measures of a table of values. Raises InputError if it lacks a column."""
    if "doc_id" in table.columns:
        raise InputError(
            "the table of values has a column doc_id: pass one row per system and query, or leave out values=True"
        )
    _require_systems(table, given)
    table.require("the table of values", "query_id", given.compared, *keys)
    # Columns of weights and of clusters are not measures.
    columns = (given.options.get("weights"), given.options.get("cluster"))
    others = {"query_id", "doc_id", *keys, given.compared, *(name for name in columns if isinstance(name, str))}
    measures = given.measures
    if measures is None:
        names = table.numeric(others)
    else:
        names = names_of("measures", [measures] if isinstance(measures, str) else [*measures])
    if not names:
        raise InputError(
            f"the table of values has no numeric column besides {', '.join(others & table.columns.keys())}; "
            f"the columns are {listed_names(table.columns)}"
        )
    table.require("the table of values", *names)
    for name in names:
        if name in others:
            raise InputError(f"{name!r} is not a measure: it identifies the rows")
    refuse_texts(table, names)
    return names


def refuse_words(rows: Rows, table: Table) -> None:
    """Raise InputError for a column that has the name of a measure, and holds numbers and words.

    Other columns of texts are no measures, and left out.
    """
    for name in table.columns:
        if table.dialect is not DUCKDB or table.columns[name] != "VARCHAR" or definition_of(name) is None:
            continue
        column = f"t.{DUCKDB.identifier(name)}"
        is_number = f"try_cast({column} as double) is not null"
        query = f"select bool_or({is_number}), min(case when not ({is_number}) then {column} end) from {table.sql} as t"
        ((has_numbers, word),) = rows(query)
        if has_numbers and word is not None:
            raise InputError(
                f"the column {name} holds {word!r}, which is no number: correct it, or leave the value empty if it is "
                "undefined"
            )


def refuse_texts(table: Table, names: Iterable[str]) -> None:
    """Raise InputError for a column of texts among the measures of a table of values."""
    for name in names:
        if table.kind(name) == "text":
            raise InputError(f"the column {name} holds {table.columns[name]}, not numbers: cast it, or leave it out")
