"""Choose the weights of a fusion from labelled queries: `ltr_sql.tune_fusion`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from ltr_sql.building.call import Call
from ltr_sql.building.fusion import bound_runs, rejected_documents
from ltr_sql.catalogue.functions import builders, procedures
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.catalogue.options import Compare, Tuning, check_choice, defaults_of, options_of, takes
from ltr_sql.comparison.values import Given, evaluated_values, resolved
from ltr_sql.errors import InputError
from ltr_sql.evaluation.accuracy import measured_table
from ltr_sql.inputs.connection import data_frame
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Table
from ltr_sql.rendering import fusion
from ltr_sql.rendering.builders import check_values
from ltr_sql.rendering.comparisons import comparison_choices, comparison_query, level_of, shown_query, values_of_table
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.templates import sql_value
from ltr_sql.stages import COMPARISON, stage

# The query of the grid for people: without the numbers of its rows.
_TABLE = "select t.* exclude (t.configuration) from {} as t order by t.configuration asc"
# The column of the values of the grid that numbers its configurations.
_POINT = "point"
# Fewest queries to hold out without a warning.
_FEWEST_HELD_OUT = 25


@dataclass(frozen=True)
class TunedFusion:
    """The weights that labelled queries choose, and what they are worth on other queries.

    - `measure`: the measure by which they were chosen.
    - `arguments`: the chosen arguments of `fuse`: `ltr_sql.fuse(runs, **tuned.arguments)`.
    - `table`: the grid: one row for each method, norm, k and weights, with its mean.
    - `comparison`: the tuned fusion (system_b) against equal weights and each run, on queries that did not choose it.
    - `sentence`: what the comparison says, in words.

    `print` shows the sentence.
    """

    measure: str
    arguments: Mapping[str, Any]
    table: Any
    comparison: Any
    sentence: str

    @property
    def weights(self) -> dict[str, float] | None:
        """The chosen weight of each run; None if the chosen method takes no weights."""
        weights = self.arguments.get("weights")
        return None if weights is None else dict(weights)

    def __str__(self) -> str:
        return self.sentence


@takes(Tuning)
def tune_fusion(runs: Any, measure: str, **options: Unpack[Tuning]) -> TunedFusion:
    """Choose the weights of a fusion from labelled queries, and measure what they are worth on other queries.

    Tries a grid of weights that add up to 1, and chooses those with the best mean; among equal means, those nearest to
    equal weights. This mean is too good for other queries. So the weights are chosen again without each fold, and
    measured on it: the comparison shows these values against equal weights, and against each run alone.

    - `runs`: a dict of name -> run, a list of runs, or a table of several runs with a column system; see `fuse`.
    - `measure`: a measure string such as 'nDCG@10'.

    Returns an object with

    - `weights`: a dict of name -> weight; `arguments`: all chosen arguments of `fuse`;
    - `table`: the grid, one row for each method, norm, k and weights, with the columns method, norm, k, weights, mean,
      low, high (t interval), queries, chosen, and folds: how many folds chose it;
    - `comparison`: rows of `compare`: system_b is 'tuned', and system_a 'equal weights' (with the first of `methods`,
      `norms` and `k`), or a run. They are corrected for their number.

    The tables are data frames: polars or pyarrow if such a table was passed in, otherwise pandas.

    The folds follow from the ids of the queries and the seed. With `holdout`, `mean` and the choice are those of the
    queries that were not held out. The t interval ignores that folds share the queries that choose:
    docs/guides/hybrid_search.md has its simulated coverage.

    Raises MeasureError for an invalid measure, and InputError for runs that cannot be fused or evaluated, and for
    fewer labelled queries than folds. Warns as `fuse` and `evaluate` do.

    Source: Bates, Hastie & Tibshirani 2024, Journal of the American Statistical Association 119.

    >>> bm25 = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(5)}
    >>> dense = {f"q{i}": {"b": 2.0, "a": 1.0} for i in range(5)}
    >>> tuned = ltr_sql.tune_fusion({"bm25": bm25, "dense": dense}, "RR", qrels={f"q{i}": {"b": 1} for i in range(5)})
    >>> tuned.weights
    {'bm25': 0.5, 'dense': 0.5}
    """

    def run(state: Session) -> tuple[TunedFusion, list[str]]:
        found = tuned(state, runs, measure, options)
        table = data_frame(state.con, _TABLE.format(found.table.sql), state.frame)
        comparison = data_frame(state.con, shown_query(found.comparison.sql, False), state.frame)
        return TunedFusion(found.measure, found.arguments, table, comparison, found.sentence), found.warnings

    result: TunedFusion = with_warnings(options["con"], run, options)
    return result


@dataclass(frozen=True)
class Tuned(TunedFusion):
    """What `tune_fusion` finds, with tables of the session instead of data frames.

    `equal`: the arguments of `fuse` with equal weights. `better`: true if the tuned weights are better than these.
    """

    equal: Mapping[str, Any]
    better: bool
    warnings: list[str]

    @property
    def rows(self) -> str:
        """The query of the grid and of what it is worth, as one table."""
        worth = (
            "(select c.system_a as against, c.mean_b as mean, c.queries, c.difference, c.low, c.high, c.p_adjusted, "
            f"c.verdict from {self.comparison.sql} as c)"
        )
        return fusion.rows_query(self.table.sql, worth)


def tuned(state: Session, runs: Any, measure: str, options: Mapping[str, Any]) -> Tuned:
    """Choose the weights of a fusion. `options`: all options of `Tuning`."""
    _check(options)
    choices = _choices(options)
    if options["qrels"] is None:
        raise InputError("labelled queries choose the weights: pass qrels=, the judgments of some queries")
    name = parse_measure(measure).text
    # A method that reads scores, if there is one, needs them.
    of_scores = [choice for choice in choices if fusion.reads_scores(procedures("fusion")[choice.method])]
    first = [*of_scores, *choices][0]
    call = Call("fuse", runs, {"method": first.method, "depth": options["depth"]}, ("system",))
    table, tables, texts = bound_runs(state, call, check=options["check"])
    steps = round(1 / options["step"])
    grid = state.load(f"(\n{fusion.grid_query(table.sql, fusion.choice_rows(choices), steps)}\n)")
    stage("fusion")
    with rejected_documents(state, table, tables.columns.keys, check=options["check"]):
        query = fusion.grid_of_fusions(tables, choices, options["depth"], grid.sql)
        fused = state.load(f"(\n{query}\n)")
    of_runs, more = _values(state, table, name, options, compared="system")
    # The check of the runs is one of their fusions, whose warnings would name configurations by number.
    of_grid, _ = _values(state, fused, name, {**options, "check": False}, compared=_POINT)
    tuning = fusion.TuningValues(
        grid=grid.sql,
        values=_as_value(of_grid, name, _POINT, "configuration"),
        run_values=_as_value(of_runs, name, "system", "system"),
        measure=string(name),
        value=DUCKDB.identifier(name),
        folds=str(options["folds"] or fusion.FOLDS),
        holdout=sql_value(options["holdout"]),
        seed=str(options["seed"]),
        level=sql_value(level_of(options["confidence"])),
    )
    found = state.load(f"(\n{fusion.tuned_query(tuning)}\n)")
    stage(COMPARISON)
    compared = _compared(state, tuning, name, options["confidence"])
    about_equal = f"select c.verdict, c.queries from {compared.sql} as c where c.system_a = '{fusion.EQUAL}'"
    ((verdict, queries),) = state.rows(about_equal)
    if options["holdout"] is not None and queries < _FEWEST_HELD_OUT:
        more.append(f"only {queries} queries are held out: pass folds, which measure on all queries, or label more")
    return Tuned(
        measure=name,
        arguments=_arguments(state, found, options),
        equal=_given({**vars(choices[0]), "depth": options["depth"]}),
        better=verdict == "better",
        table=found,
        comparison=compared,
        sentence=_sentence(state, compared, name),
        warnings=[*dict.fromkeys([*texts, *more])],
    )


def _check(options: Mapping[str, Any]) -> None:
    """Raise InputError for an option that is not allowed."""
    for name, option in options_of(Tuning).items():
        if option.type in ("integer", "number") and options[name] is not None:
            option.check(options[name])
    if options["folds"] is not None and options["holdout"] is not None:
        raise InputError("folds and holdout are two ways to measure the choice on other queries: pass one of them")
    steps = 1 / options["step"]
    if abs(steps - round(steps)) > 1e-9 * steps:
        raise InputError(f"step must divide 1, as 0.1, 0.05 and 0.25 do, got {options['step']!r}")


def _choices(options: Mapping[str, Any]) -> list[fusion.Choice]:
    """Return the choices of methods, norms and k."""
    methods, norms = _listed("methods", options["methods"]), _listed("norms", options["norms"])
    ks = _listed("k", options["k"])
    for method in methods:
        check_choice("methods", method, procedures("fusion"))
    for norm in norms:
        check_choice("norms", norm or "max", procedures("norm"))
    for k in ks:
        check_values(builders()["fuse"], {"k": k})
    return fusion.choices_of(methods, norms, [float(k) for k in ks])


def _listed(option: str, given: Any) -> list[Any]:
    """Return the values to try of an option: one, or several. Raises InputError for none, and for repeated ones."""
    values = [*given] if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if not values:
        raise InputError(f"{option} is empty: pass at least one, or leave it out")
    if len(set(values)) < len(values):
        raise InputError(f"{option} repeats a value: pass each of {', '.join(map(repr, values))} once")
    return values


def _values(
    state: Session, runs: Table, measure: str, options: Mapping[str, Any], *, compared: str
) -> tuple[Table, list[str]]:
    """Return the values of runs by query, and warnings. `compared`: the column that tells them apart."""
    given = Given(
        runs,
        [measure],
        defaults_of(Compare, qrels=options["qrels"], compared=compared, keys=(), check=options["check"]),
    )
    values, texts = evaluated_values(state, given, resolved(given), measured_table)
    return values.table, texts


def _as_value(values: Table, measure: str, key: str, name: str) -> str:
    """Return a relation of values with the columns `name`, query_id and value."""
    return f"(select v.{key} as {name}, v.query_id, v.{DUCKDB.identifier(measure)} as value from {values.sql} as v)"


def _compared(state: Session, tuning: fusion.TuningValues, measure: str, confidence: float) -> Table:
    """Return the comparisons of the tuned fusion with equal weights and each run."""
    values = state.load(f"(\n{fusion.compared_query(tuning)}\n)")
    systems = [name for (name,) in state.rows(f"select distinct v.system from {values.sql} as v order by 1 asc")]
    baseline = [fusion.EQUAL, *(name for name in systems if name not in (fusion.TUNED, fusion.EQUAL))]
    fragments = values_of_table(values.sql, [measure], compared="system", baseline=baseline)
    return state.load(f"(\n{comparison_query(fragments, comparison_choices(confidence=confidence))}\n)")


def _arguments(state: Session, table: Table, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `fuse` that the chosen row stands for."""
    query = f"select t.method, t.norm, t.k, t.weights from {table.sql} as t where t.chosen"
    (row,) = state.records(query)
    weights = row.pop("weights")
    if isinstance(weights, Mapping) and "key" in weights and isinstance(weights["key"], Sequence):
        weights = dict(zip(weights["key"], weights["value"], strict=True))
    return _given({**row, "weights": weights, "depth": options["depth"]})


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `fuse` that are not None."""
    return {name: value for name, value in arguments.items() if value is not None}


# What is said of each verdict about the tuned fusion and {0}.
_SAID = {
    "better": "the tuned weights are better than {0}",
    "worse": "the tuned weights are worse than {0}",
    "equal": "the tuned weights have the values of {0}",
    "undecided": "it is undecided whether the tuned weights are better than {0}",
    "too few queries": "too few queries to compare the tuned weights with {0}",
    "no values": "no values to compare the tuned weights with {0}",
}


def _sentence(state: Session, compared: Table, measure: str) -> str:
    """Return what the comparison says in words, equal weights first."""
    query = f"from {compared.sql} as c order by c.system_a = '{fusion.EQUAL}' desc, c.system_a asc"
    return "\n".join(_said(measure, row) for row in state.records(query))


def _said(measure: str, row: Mapping[str, Any]) -> str:
    against, verdict = row["system_a"], row["verdict"]
    as_good = (against, verdict) == (fusion.EQUAL, "undecided")
    said = "undecided: equal weights may be as good" if as_good else _SAID[verdict].format(against)
    known = row["difference"] is not None
    numbers = [f"{row['difference']:+.4f} {measure}"] if known else []
    if known and row["low"] is not None:
        numbers.append(f"interval {row['low']:+.4f} to {row['high']:+.4f}")
    return f"{said}: {', '.join([*numbers, str(row['queries']) + ' queries'])}"
