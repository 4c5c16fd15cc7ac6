"""Intervals of means: by Student's t or the bootstrap, for queries in clusters, and for judgments that err."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.catalogue.option_checks import check_choice, refuse_none
from ltr_sql.catalogue.parameters import choices_of
from ltr_sql.errors import InputError
from ltr_sql.evaluation.judges import doubts_about_judges, values_of_people, with_depth, with_judges
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.inputs.weights import with_weights
from ltr_sql.rendering.choices import comparison_choices
from ltr_sql.rendering.comparisons import comparison_query, values_of_table
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.parts import mode_of
from ltr_sql.rendering.templates import render_template
from ltr_sql.rendering.totals import SYSTEM, column_of

# The intervals of means.
INTERVALS = choices_of("intervals")


@dataclass(frozen=True)
class Interval:
    """How the interval of a mean is computed: see the options of `evaluate`. `ci` is None for no interval."""

    ci: str | None = None
    weights: Any = None
    human: Any = None
    cluster: Any = None
    allow_unjudged: bool = False

    def __post_init__(self) -> None:
        refuse_none(False, allow_unjudged=self.allow_unjudged)
        if self.ci is not None:
            check_choice("ci", self.ci, INTERVALS)
        for name, given in {"human": self.human, "cluster": self.cluster}.items():
            if given is not None and self.ci != "t":
                got = "" if self.ci is None else f" instead of ci={self.ci!r}"
                raise InputError(f"{name} is for the intervals of Student's t: pass ci='t'{got}, or leave {name} out")
        if self.weights is not None and self.ci not in (None, "t"):
            raise InputError(f"weights apply to ci='t', not to ci={self.ci!r}: leave one of them out")

    @property
    def is_usual(self) -> bool:
        """True if it is the t interval over queries, which the distribution of the values has."""
        return self.ci == "t" and self.human is None and self.cluster is None

    @property
    def mode(self) -> str:
        """See `parts_of`."""
        return mode_of(*(given is not None for given in (self.weights, self.human, self.cluster)))

    def measured(self, options: EvaluationOptions) -> EvaluationOptions:
        """Return the options with all measures that the interval reads. Raises InputError for those without people."""
        for measure in options.measures if self.human is not None else ():
            if measure.definition.beyond_accuracy:
                raise InputError(f"{measure.text!r} reads no judgments, so people's do not correct it: leave it out")
        checked = self.human is not None and not self.allow_unjudged
        return replace(options, measures=with_depth(options.measures)) if checked else options


@dataclass(frozen=True)
class Read:
    """What an interval is computed from: the inputs and options of an evaluation, and its values by query."""

    inputs: Inputs
    options: EvaluationOptions
    values: Table
    keys: Sequence[str]

    @property
    def run(self) -> Table:
        """The table of the run, which is bound."""
        run: Table = self.inputs.rankings
        return run


def keys_of(values: Table, measures: Sequence[Measure]) -> list[str]:
    """Return the grouping columns of a table of values of `measures`."""
    names = {"query_id", *(measure.text for measure in measures)}
    return [name for name in values.columns if name not in names]


def with_people(state: Session, read: Read, interval: Interval) -> tuple[Table, list[str]]:
    """Return the values with those of people, with clusters and with weights, and warnings."""
    table, texts, names = read.values, [], [measure.text for measure in read.options.measures]
    if interval.human is not None or interval.cluster is not None:
        human = None if interval.human is None else _values_of_people(state, read, interval)
        table = with_judges(
            state,
            table,
            human,
            interval.cluster,
            run=read.run,
            columns=[*read.keys, "query_id", *names],
            weighted=interval.weights is not None,
        )
        if human is not None:
            segments = [name for name in read.keys if name != SYSTEM]
            system = SYSTEM if SYSTEM in read.keys else "query_id"
            texts = doubts_about_judges(state.rows, table, names, system, [*segments, "query_id"])
    if interval.weights is not None:
        table, more = with_weights(state, interval.weights, read.run, table, read.keys)
        texts = [*texts, *more]
    return table, texts


def _values_of_people(state: Session, read: Read, interval: Interval) -> Table:
    """Return people's values. Raises InputError for documents that they did not judge."""
    for measure in read.options.measures:
        if measure.definition.beyond_accuracy:
            raise InputError(
                f"measure {measure.text!r} reads no judgments, so people's do not correct it: leave it out"
            )
    if read.inputs.qrels is None:
        raise InputError("human corrects the judgments qrels: pass a run and qrels")
    llm = None if interval.allow_unjudged else read.values
    return values_of_people(state, interval.human, read.inputs, interval.measured(read.options), llm=llm)


def intervals_query(relation: str, read: Read, interval: Interval, geometric: Sequence[str] = ()) -> str:
    """Return the query of the means with their intervals: one row for each group and measure.

    A mean is the mean difference from a system whose values are 0, so it has all intervals of differences.

    - `relation`: SQL of the values of `with_people`. `geometric`: the measures whose logarithms are averaged.
    """
    identifier = DUCKDB.identifier
    names = [measure.text for measure in read.options.measures]
    columns = [f"m{number}" for number in range(1, len(names) + 1)]
    pairs = render_template(
        "evaluation/against_zero.sql",
        relation=relation,
        measures=[(identifier(n), c, n in geometric) for n, c in zip(names, columns, strict=True)],
    )
    values = values_of_table(
        f"(\n{pairs}\n)",
        columns,
        compared="__ltr_side",
        strata=read.keys,
        baseline=["0"],
        mode=interval.mode,
    )
    return render_template(
        "evaluation/intervals.sql",
        compared=comparison_query(values, comparison_choices(ci=interval.ci, adjust="none")),
        keys=[identifier(column_of(key)) for key in read.keys],
        names=DUCKDB.text_list(names),
        human=interval.human is not None,
        clustered=interval.cluster is not None,
    )
