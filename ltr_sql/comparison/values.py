"""What is compared: evaluated rankings, or a table of values, with people's values, clusters and weights."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, Measure, resolve_options
from ltr_sql.catalogue.options import Values, options_of
from ltr_sql.comparison.comparability import JUDGED, RETRIEVED, described_values, notes_on_depth
from ltr_sql.comparison.doubts import doubts_about_repeats
from ltr_sql.errors import InputError, MeasureError
from ltr_sql.evaluation.families import measured_table
from ltr_sql.evaluation.options import Averaging, EvaluationOptions, Inputs, averaging_of
from ltr_sql.evaluation.values import Evaluated, QueryValues, corrected, measured, weighed
from ltr_sql.inputs.answers import systems_without_documents
from ltr_sql.inputs.gains import Gains, gains_or_none
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table, listed_names
from ltr_sql.rendering.comparisons import ComparedValues, values_of_table
from ltr_sql.rendering.datasets import of_datasets
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.parts import ACROSS
from ltr_sql.rendering.totals import TOTAL_WITHIN, with_totals

# Measures, the tie-breaking rule, and the treatment of missing queries.
Rules = tuple[Sequence[Measure], str, str]


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
        return gains_or_none(given)

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


def resolved(given: Given) -> Rules:
    """Return the measures of a comparison, the tie-breaking rule, and the treatment of missing queries."""
    # With 'error', leave missing queries out of the values: the comparison then finds that a system lacks them.
    # A system with queries of its own owes no others.
    apart = not given.options.get("paired", True)
    missing = "skip" if apart or given.options["missing"] == "error" else given.options["missing"]
    return resolve_options(
        given.measures or DEFAULT_MEASURES, given.options["convention"], given.options["ties"], missing
    )


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


def noted_values(state: Session, given: Given, rules: Rules) -> tuple[QueryValues, list[str]]:
    """Return the values of rankings, and warnings. They compare the depth of the runs, if the input is checked."""
    measures, _, _ = rules
    # The notes need the columns NumRet and Judged@10. A key of that name would hide them.
    hidden = {key.lower() for key in given.keys} & {RETRIEVED.lower(), JUDGED.lower()}
    noted = given.options.get("check", False) and given.options["qrels"] is not None and not hidden
    noted = noted and state.database is None
    values, texts = evaluated_values(state, given, rules, described_values if noted else measured_table)
    notes = notes_on_depth(state, values.table, measures, given.compared) if noted else []
    return values, [*texts, *notes]


def evaluated_values(state: Session, given: Given, rules: Rules, evaluated: Evaluated) -> tuple[QueryValues, list[str]]:
    """Return the values of rankings that `evaluated` computes, and warnings.

    `rules`: the measures, the tie-breaking rule, and the treatment of missing queries.
    """
    strata_and_repeats(given)
    measures, ties, missing = rules
    for measure in measures:
        if measure.definition.over == "run":
            raise MeasureError(
                f"measure {measure.text!r} has one value for a run and none for a query, so no test compares it: call "
                "compare or evaluate"
            )
    check = given.options.get("check", False)
    options = EvaluationOptions(tuple(measures), ties, missing, given.gains, given.keys, check=check)
    run = state.bind(given.rankings, "run")
    _require_systems(run, given)
    inputs = Inputs(run, given.options["qrels"], given.tables)
    values, texts = measured(state, inputs, options, given.averaging, evaluated)
    keys = [*given.strata, *given.across, given.compared]
    return replace(values, keys=keys, system=given.compared, repeats=given.repeats), texts


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
    measures, others = (
        given.measures,
        {"query_id", "doc_id", *keys, given.compared, *(name for name in columns if isinstance(name, str))},
    )
    if measures is None:
        names = [name for name in table.columns if name not in others and table.kind(name) != "text"]
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


def refuse_texts(table: Table, names: Iterable[str]) -> None:
    """Raise InputError for a column of texts among the measures of a table of values."""
    for name in names:
        if table.kind(name) == "text":
            raise InputError(f"the column {name} holds {table.columns[name]}, not numbers: cast it, or leave it out")
