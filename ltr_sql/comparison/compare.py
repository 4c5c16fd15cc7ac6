"""Compare systems statistically: differences with tests and confidence intervals, leaderboards, and wins by query."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import duckdb

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, Measure, resolve_options
from ltr_sql.catalogue.measures import definition_of
from ltr_sql.catalogue.option_checks import check_choice
from ltr_sql.comparison.comparability import JUDGED, RETRIEVED, described_values, notes_on_depth
from ltr_sql.comparison.options import ComparisonOptions
from ltr_sql.comparison.runs import OfRuns, compared_runs
from ltr_sql.errors import InputError, MeasureError
from ltr_sql.evaluation.families import measured_table, tables_of
from ltr_sql.evaluation.options import EvaluationOptions
from ltr_sql.inputs.connection import data_frame, own_connection
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Table
from ltr_sql.inputs.weights import with_weights
from ltr_sql.rendering.comparisons import (
    POWER,
    Choices,
    ComparedValues,
    both_comparisons_query,
    comparison_query,
    queries_needed_query,
    values_of_table,
    wins_query,
)
from ltr_sql.rendering.probabilities import expressions
from ltr_sql.rendering.renderer import NO_WEIGHTS
from ltr_sql.rendering.templates import sql_value

MISSING = ("skip", "zero", "error")


def compare(
    rankings: Any,
    measures: Iterable[str] | None = None,
    *,
    qrels: Any = None,
    documents: Any = None,
    history: Any = None,
    targets: Any = None,
    baseline: str | Sequence[str] | None = None,
    keys: Sequence[str] = (),
    compared: str = "system",
    test: str = "t",
    adjust: str = "holm",
    family: str = "measure",
    ci: str = "t",
    confidence: float = 0.95,
    margin: float | str | None = None,
    repeats: Sequence[str] = (),
    lower_is_better: Sequence[str] = (),
    missing: str | None = None,
    replicates: int = 10_000,
    resamples: int = 1_000,
    seed: int = 7,
    weights: Any = None,
    convention: str | None = None,
    ties: str | None = None,
    values: bool = False,
    allow_empty: bool = False,
    check: bool = True,
    columns: Mapping[str, str] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """Return differences between systems, with tests and intervals: one row per measure and pair of systems.

    - `rankings`: several systems in any form that `evaluate` accepts: a dict of name -> run, or a table with a column
      `system`.
    - `values`: true if `rankings` is a table of values instead: one row per system and query, with the columns
      query_id, `system`, and one per measure. `evaluate(..., by_query=True)` returns such a table.
    - `measures`: measure strings, by default AP, RR, nDCG@10, P@10 and R@1000. With `values`, names of columns, by
      default all numeric columns.
    - `qrels`, `documents`, `history`, `targets`, `ties`, `convention`, `check`, `columns`, `con`: see `evaluate`.
    - `baseline`: the system, or list of systems, that all others are compared with. None compares all pairs.
    - `compared`: the column that names the systems.
    - `keys`: grouping columns, such as segment. Each group is compared separately.
    - `test`: 't' (paired t test), 'sign', 'wilcoxon', or 'randomization' (Fisher).
    - `adjust`: correction for several comparisons: 'holm', 'hochberg', 'bh', 'bonferroni', 'tukey' or 'none'.
    - `family`: the comparisons that are corrected together: those of each 'measure', or 'all'.
    - `ci`: confidence interval of the difference: 't', 'abc', 'percentile' or 'bca'.
    - `confidence`: coverage of the interval. A difference is significant if the adjusted p is at most 1 - confidence.
    - `margin`: a difference that does not matter, as a number or as a share of the mean of system a ('1%'). With a
      margin, one-sided t tests against it give the verdict. The interval then has the coverage 2 * confidence - 1 (by
      default 90 %). p and p_adjusted stay those of `test`.
    - `repeats`: columns such as seed or fold. The values of a query are averaged over them first.
    - `lower_is_better`: measures of a table of values where lower is better, such as latency.
    - `missing`: what to do with a query that one of two systems lacks: leave it out ('skip'), count it as 0 ('zero'),
      or raise an error ('error'). A NULL value is left out, or with 'error' it is an error. By default, runs with
      judgments follow the convention ('zero' without one), and other inputs skip.
    - `replicates`: number of random assignments of signs in the randomization test.
    - `resamples`: number of samples of the bootstrap.
    - `seed`: seed of random signs and samples. Equal seeds give equal results on every machine.
    - `weights`: weights of queries. A dict of query_id -> weight, a table with query_id, weight and any of `keys`, or
      the name of a column of `rankings`. Every query needs one; 0 leaves it out. Means are then weighted. The t test
      and its interval use the linearised error of a ratio; other tests and intervals are refused. Wins, ties and
      losses count queries. docs/weights.md has the formulas.
    - `allow_empty`: true to compare a system whose values are all NULL, or 0 where higher is better.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Its columns, which
    docs/compare.md explains:

    - the keys, measure, system_a, system_b;
    - queries (in common), only_a, only_b (queries that only one system has);
    - mean_a, mean_b, difference (b - a), relative (difference / mean_a), sd (of the differences). For GMAP and GMBpref,
      difference is that of the logarithms, and relative is mean_b / mean_a - 1;
    - low, high, relative_low, relative_high: bounds of the difference and of relative;
    - dz, gz: effect sizes;
    - wins, ties, losses (of b), superiority;
    - test, statistic, df, p, p_adjusted;
    - p_not_worse, p_worse, p_equivalent: one-sided t tests against the margin. Without one, the margin is 0, and
      p_equivalent is NULL;
    - mde: the smallest true difference that a test on this number of queries finds with power 0.8;
    - queries_needed: the number of queries that a test needs to find the observed difference with power 0.8;
    - verdict.

    A measure with one value for a run, such as Gini, has the verdict 'no test', because no query has a value. low and
    high are difference -+ t * standard error, by a bootstrap over queries. Of the other columns, only those of queries,
    means and differences have values.

    Raises MeasureError for an invalid measure, and InputError for options and input that cannot be compared. Warns
    with InputWarning of suspicious input, of queries that only one system has, and, given `qrels`, of runs that differ
    in depth or in unjudged documents.

    Source: `reference` in the headers of sql/tests/, sql/adjustments/ and sql/intervals/.
    """
    asked = ComparisonOptions(test, adjust, family, ci, confidence, margin, replicates, resamples, seed)
    choices = _choices_of(asked, weights)
    tables = {"documents": documents, "history": history, "targets": targets}

    # Copy the measures, because they are read twice, which would exhaust an iterator.
    texts = measures if measures is None or isinstance(measures, str) else list(measures)

    def run(state: Session) -> tuple[Any, list[str]]:
        given = Given(
            rankings, texts, qrels, tables, keys, compared, repeats, values, ties, convention, check, weights, missing
        )
        query, warning_texts = _query_of_both(state, given, choices, lower_is_better, baseline)
        found = state.load(f"(\n{query}\n)")
        if not allow_empty:
            refuse_empty(state.rows, found.sql)
        warning_texts += doubts_about(state.rows, found.sql)
        return data_frame(state.con, f"from {found.sql}", state.frame), warning_texts

    return with_warnings(con, run, columns)


def leaderboard(
    rankings: Any,
    measures: Iterable[str] | None = None,
    *,
    qrels: Any = None,
    documents: Any = None,
    history: Any = None,
    targets: Any = None,
    keys: Sequence[str] = (),
    compared: str = "system",
    test: str = "t",
    adjust: str = "holm",
    confidence: float = 0.95,
    repeats: Sequence[str] = (),
    lower_is_better: Sequence[str] = (),
    missing: str | None = None,
    replicates: int = 10_000,
    resamples: int = 1_000,
    seed: int = 7,
    weights: Any = None,
    convention: str | None = None,
    ties: str | None = None,
    values: bool = False,
    check: bool = True,
    columns: Mapping[str, str] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """Return the systems of each measure, sorted by their means, with their significant differences.

    For the arguments see `compare`. Returns a data frame with the columns

    - the keys, measure, place, system, queries, mean;
    - low, high: t interval of the mean;
    - beats: list of the systems that are significantly worse;
    - tied_with_best: true if the best system is not significantly better;
    - letters: systems that share a letter do not differ significantly;
    - place_low, place_high: bounds of the place, given the significant differences;
    - p_best: share of bootstrap samples of the queries in which the system has the best mean;
    - sd_repeats: standard deviation of the means of the repeats.
    """
    asked = ComparisonOptions(
        test, adjust, confidence=confidence, replicates=replicates, resamples=resamples, seed=seed
    )
    choices = _choices_of(asked, weights)
    tables = {"documents": documents, "history": history, "targets": targets}

    def run(state: Session) -> tuple[Any, list[str]]:
        given = Given(
            rankings,
            measures,
            qrels,
            tables,
            keys,
            compared,
            repeats,
            values,
            ties,
            convention,
            check,
            weights,
            missing,
        )
        table, names, warning_texts = values_of(state, given)
        compared_values = fragments_of(table, names, given, lower_is_better)
        query = comparison_query(compared_values, choices, "leaderboard")
        return data_frame(state.con, query, state.frame), warning_texts

    return with_warnings(con, run, columns)


def wins(
    rankings: Any,
    a: str,
    b: str,
    measures: str | Iterable[str] | None = None,
    *,
    qrels: Any = None,
    documents: Any = None,
    history: Any = None,
    targets: Any = None,
    keys: Sequence[str] = (),
    compared: str = "system",
    repeats: Sequence[str] = (),
    missing: str | None = None,
    convention: str | None = None,
    ties: str | None = None,
    values: bool = False,
    check: bool = True,
    columns: Mapping[str, str] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """Return the common queries of two systems, the largest difference first.

    - `a`, `b`: names of systems in `rankings`.
    - Other arguments: see `compare`. `missing`: 'error' leaves queries out, as 'skip' does.

    Returns a data frame with the columns

    - the keys, measure, query_id;
    - a, b: values of the systems (for GMAP and GMBpref their logarithms); difference (b - a); rank of its size;
      running_sum of the differences;
    - leverage: change of the mean difference if this query is left out;
    - flips: true if the sign of the mean difference then changes.
    """
    tables = {"documents": documents, "history": history, "targets": targets}

    def run(state: Session) -> tuple[Any, list[str]]:
        texts = [measures] if isinstance(measures, str) else measures
        given = Given(
            rankings, texts, qrels, tables, keys, compared, repeats, values, ties, convention, check, missing=missing
        )
        table, names, warning_texts = values_of(state, given)
        query = wins_query(fragments_of(table, names, given), str(a), str(b))
        return data_frame(state.con, query, state.frame), warning_texts

    return with_warnings(con, run, columns)


def queries_needed(sd: float, difference: float, *, power: float = POWER, confidence: float = 0.95) -> int:
    """Return the number of queries that a two-sided paired t test needs to find a difference.

    - `sd`: standard deviation of the differences, such as the column `sd` of an earlier `compare`.
    - `difference`: the true mean difference.
    - `power`: probability that the test finds it.
    - `confidence`: 1 minus the level of the test.

    Raises InputError for values out of range. Source: Guenther 1981, The American Statistician 35. Up to 10,000
    queries, his approximation is made exact by the noncentral t distribution.
    """
    for name, value, valid, allowed in (
        ("sd", sd, sd > 0, "a number above 0"),
        ("difference", difference, difference != 0, "a number other than 0"),
        ("power", power, 0 < power < 1, "between 0 and 1"),
        ("confidence", confidence, 0 < confidence < 1, "between 0 and 1"),
    ):
        if not valid or not math.isfinite(value):
            raise InputError(f"{name} must be {allowed}, got {value}")
    effect = sql_value(float(difference) / float(sd))
    alpha = sql_value(ComparisonOptions(confidence=confidence).alpha)
    query = queries_needed_query(effect, sql_value(float(power)), alpha, expressions())
    with own_connection() as con:
        needed: int = con.execute(query).fetchall()[0][0]
    return needed


def _choices_of(options: ComparisonOptions, weights: Any) -> Choices:
    """Return the options as SQL fragments. Raises InputError for values that are not allowed, or not with weights."""
    choices = options.choices()
    if weights is not None:
        options.refuse_with_weights()
    return choices


def _list_of(option: str, names: str | Sequence[str]) -> list[str]:
    if isinstance(names, str) and option == "baseline":
        return [names]
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(f"{option} must be a list of names, got {names!r}")
    return list(names)


def _names_of(baseline: str | Sequence[str] | None) -> list[str] | None:
    return None if baseline is None else [str(name) for name in _list_of("baseline", baseline)]


@dataclass(frozen=True)
class Given:
    """Arguments of `compare` that describe its input."""

    rankings: Any
    measures: Iterable[str] | None
    qrels: Any
    tables: Mapping[str, Any]
    keys: Sequence[str]
    compared: str
    repeats: Sequence[str]
    values: bool
    ties: str | None
    convention: str | None
    check: bool
    weights: Any = None
    missing: str | None = None

    def __post_init__(self) -> None:
        if self.missing is not None:
            check_choice("missing", self.missing, MISSING)

    @property
    def strata(self) -> list[str]:
        """The grouping columns without the column that names the systems."""
        return [name for name in _list_of("keys", self.keys) if name != self.compared]


def values_of(state: Session, given: Given) -> tuple[Table, list[str], list[str]]:
    """Return the table of values to compare, the names of its measures, and warnings."""
    keys = strata_and_repeats(given)
    if given.weights is None:
        return (_read_values if given.values else _measured)(state, given, keys)
    given = replace(given, rankings=state.bind(given.rankings, "values" if given.values else "run"))
    table, names, texts = (_read_values if given.values else _measured)(state, given, keys)
    weighted, more = with_weights(state, given.weights, given.rankings, table, given.strata)
    return weighted, names, [*texts, *more]


def strata_and_repeats(given: Given) -> list[str]:
    """Return the columns of `keys` and `repeats`. Raises InputError if one of them has two purposes."""
    strata, repeats = given.strata, _list_of("repeats", given.repeats)
    if given.compared in repeats or set(strata) & set(repeats):
        raise InputError("a column can only be one of compared, keys and repeats")
    return [*strata, *repeats]


def _query_of_both(
    state: Session,
    given: Given,
    choices: Choices,
    lower_is_better: Sequence[str],
    baseline: str | Sequence[str] | None,
) -> tuple[str, list[str]]:
    """Return the query of comparisons by measures over queries, over runs or both, and warnings."""
    parsed, ties, judged = ([], "", "") if given.values else resolved(given)
    of_runs = [measure for measure in parsed if measure.definition.over == "run"]
    if not of_runs:
        table, names, warning_texts = values_of(state, given)
        values = fragments_of(table, names, given, lower_is_better, baseline)
        return comparison_query(values, choices), warning_texts
    if given.weights is not None:
        raise MeasureError(f"measure {of_runs[0].text!r} {NO_WEIGHTS}")
    run = state.bind(given.rankings, "run")
    tables = {name: state.bind(table, name) for name, table in given.tables.items() if table is not None}
    qrels = None if given.qrels is None else state.bind(given.qrels, "qrels")
    known = tables if qrels is None else {**tables, "qrels": qrels}
    query, warning_texts = compared_runs(
        state,
        OfRuns(of_runs, run, known, ties, judged, given.check),
        choices,
        _names_of(baseline),
        compared=given.compared,
        strata=given.strata,
        repeats=given.repeats,
    )
    others = [measure for measure in parsed if measure not in of_runs]
    if not others:
        return query, warning_texts
    read, named = tables_of(others, tables), [measure.text for measure in others]
    table, names, texts = values_of(state, replace(given, rankings=run, measures=named, qrels=qrels, tables=read))
    values = fragments_of(table, names, given, lower_is_better, baseline)
    both = both_comparisons_query(comparison_query(values, choices), query, given.strata, [m.text for m in parsed])
    return both, list(dict.fromkeys([*texts, *warning_texts]))


def resolved(given: Given) -> tuple[tuple[Measure, ...], str, str]:
    """Return the measures of a comparison, the tie-breaking rule, and the treatment of missing queries."""
    # With 'error', leave missing queries out of the values: the comparison then finds that a system lacks them.
    missing = "skip" if given.missing == "error" else given.missing
    return resolve_options(given.measures or DEFAULT_MEASURES, given.convention, given.ties, missing)


def fragments_of(
    table: Table,
    measures: Sequence[str],
    given: Given,
    lower_is_better: Sequence[str] = (),
    baseline: str | Sequence[str] | None = None,
) -> ComparedValues:
    """Return the SQL fragments of a table of values. Raises InputError for options that are not allowed."""
    lower = _list_of("lower_is_better", lower_is_better)
    for name in lower:
        if name not in measures:
            raise InputError(f"lower_is_better names {name!r}, which is not one of the measures: {', '.join(measures)}")
    return values_of_table(
        table.sql,
        measures,
        compared=given.compared,
        strata=given.strata,
        repeats=given.repeats,
        lower=lower,
        baseline=_names_of(baseline),
        missing=given.missing or "skip",
        dialect=table.dialect,
        weighted=given.weights is not None,
    )


def _measured(state: Session, given: Given, keys: Sequence[str]) -> tuple[Table, list[str], list[str]]:
    """Evaluate the rankings. Return the table of values, the measure strings, and warnings."""
    parsed, ties, missing = resolved(given)
    for measure in parsed:
        if measure.definition.over == "run":
            raise MeasureError(
                f"measure {measure.text!r} has one value for a run and none for a query, so no test compares it: call "
                "compare or evaluate"
            )
    options = EvaluationOptions(parsed, ties, missing, None, (given.compared, *keys), by_query=True, check=given.check)
    # The notes need the columns NumRet and Judged@10. A key of that name would hide them.
    hidden = {given.compared.lower(), *(key.lower() for key in keys)} & {RETRIEVED.lower(), JUDGED.lower()}
    noted = given.check and given.qrels is not None and not hidden
    evaluated = described_values if noted else measured_table
    table, warning_texts = evaluated(state, given.rankings, given.qrels, given.tables, options)
    notes = notes_on_depth(state, table, parsed, given.compared) if noted else []
    return table, [measure.text for measure in parsed], [*warning_texts, *notes]


def _read_values(state: Session, given: Given, keys: Sequence[str]) -> tuple[Table, list[str], list[str]]:
    """Return the caller's table of values, the names of its measures, and an empty list of warnings."""
    if given.qrels is not None:
        raise InputError("a table of values needs no judgments: leave out qrels, or leave out values=True")
    table = state.bind(given.rankings, "values")
    return table, measures_of_values(table, given, keys), []


def measures_of_values(table: Table, given: Given, keys: Sequence[str]) -> list[str]:
    """Return the names of the measures of a table of values. Raises InputError if it lacks a column."""
    if "doc_id" in table.columns:
        raise InputError(
            "the table of values has a column doc_id: pass one row per system and query, or leave out values=True"
        )
    table.require("the table of values", "query_id", given.compared, *keys)
    # A column of weights is not a measure.
    weights = {given.weights} if isinstance(given.weights, str) else set()
    measures, others = given.measures, {"query_id", "doc_id", *keys, given.compared, *weights}
    if measures is None:
        names = [name for name in table.columns if name not in others and table.kind(name) != "text"]
    else:
        names = _list_of("measures", [measures] if isinstance(measures, str) else [*measures])
    if not names:
        raise InputError(
            f"the table of values has no numeric column besides {', '.join(others & table.columns.keys())}; "
            f"the columns are {', '.join(table.columns)}"
        )
    table.require("the table of values", *names)
    for name in names:
        if name in others:
            raise InputError(f"{name!r} is not a measure: it identifies the rows")
        if table.kind(name) == "text":
            raise InputError(f"the column {name!r} holds {table.columns[name]}, not numbers: cast it, or leave it out")
    return names


# Runs a query on the engine, and returns its rows.
Rows: TypeAlias = Callable[[str], Iterable[Sequence[Any]]]


def _first_pair(rows: Rows, found: str, columns: str, where: str, order: str = "") -> Iterable[Sequence[Any]]:
    """Return the first comparison that fulfils a condition, if there is one: measure, both systems and `columns`."""
    return rows(
        f"select r.measure, r.system_a, r.system_b, {columns} from {found} as r where {where} "
        f"order by {order}r.measure, r.system_a, r.system_b, {columns} limit 1"
    )


def refuse_empty(rows: Rows, found: str) -> None:
    """Raise InputError if two systems have no query in common, or a system has no value.

    Where higher is better, a system whose values are all 0 has no value. `found` is the relation of the comparisons.
    """
    for row in _first_pair(rows, found, "r.queries", "r.verdict = 'no values'"):
        raise _no_values_error(*row)


def _no_values_error(measure: str, a: str, b: str, queries: int) -> InputError:
    """Return the error for two systems without a common query, or for a system without a value; see `refuse_empty`."""
    if queries == 0:
        return InputError(f"{a} and {b} have no query in common with a value of {measure}: compare their query ids")
    definition = definition_of(measure)
    what = "NULL" if definition is not None and definition.over == "run" else "0 or NULL for every query"
    return InputError(f"{measure} of {a} or {b} is {what}: check these runs, or pass allow_empty=True")


# Condition of the rows in which the sign test replaces the t test: all differences of the pair are equal, but not 0.
_WITHOUT_P = "r.test = 't' and r.p is null and r.verdict in ('better', 'worse', 'no difference shown')"


def doubts_about(rows: Rows, found: str) -> list[str]:
    """Return warnings about comparisons: queries that are left out, and t tests without a p.

    `found` is the relation of the comparisons.
    """
    uncommon, most = "r.only_a + r.only_b > 0 and r.verdict <> 'no test'", "r.only_a + r.only_b desc, "
    return [
        *(_uncommon_warning(*row) for row in _first_pair(rows, found, "r.only_a, r.only_b", uncommon, most)),
        *(_constant_warning(*row) for row in _first_pair(rows, found, "r.difference", _WITHOUT_P)),
    ]


def _uncommon_warning(measure: str, a: str, b: str, only_a: int, only_b: int) -> str:
    """Return the warning that a comparison leaves out queries."""
    return (
        f"queries left out because one of the systems has no value ({measure}): {only_a} of {a} alone, {only_b} of "
        f"{b} alone; missing='zero' counts queries that a system lacks as 0, but leaves out NULL values"
    )


def _constant_warning(measure: str, a: str, b: str, difference: float) -> str:
    """Return the warning that a t test has no p."""
    return (
        f"{measure} of {a} and {b} differs by {difference:+.4g} on every query, so the t test has no p, and the sign "
        "test gives the verdict; for its p, pass test='sign'"
    )
