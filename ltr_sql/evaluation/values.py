"""Values by query: evaluate rankings, correct the values by people's and by clusters, and weigh them.

Means with intervals, distributions, comparisons, reports and the command line take these steps, in this order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.errors import InputError
from ltr_sql.evaluation.families import measured_table
from ltr_sql.evaluation.judges import doubts_about_judges, values_of_people, with_depth, with_judges
from ltr_sql.evaluation.options import Averaging, EvaluationOptions, Inputs
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.inputs.weights import with_weights
from ltr_sql.rendering.renderer import OWN_WEIGHTS
from ltr_sql.rendering.totals import SYSTEM

# A function such as `measured_table`, which evaluates measures by query.
Evaluated = Callable[[Session, Inputs, EvaluationOptions], tuple[Table, list[str]]]


@dataclass(frozen=True)
class QueryValues:
    """A table of values: one row per query of a group, and one column per measure.

    - `measures`: the names of the measures.
    - `keys`: the grouping columns. `system`: the one of them that names the systems, if they have it.
    - `repeats`: the columns over which the values of a query are averaged.
    - `source`: the rankings, or the caller's table of values. Weights and clusters may be columns of it.
    - `human`: people's values, with the same columns; None without them.
    """

    table: Table
    measures: Sequence[str]
    keys: Sequence[str] = ()
    system: str = SYSTEM
    repeats: Sequence[str] = ()
    source: Table | None = None
    human: Table | None = None

    @property
    def strata(self) -> list[str]:
        """The grouping columns without the column that names the systems."""
        return [name for name in self.keys if name != self.system]


def measured(
    state: Session,
    inputs: Inputs,
    options: EvaluationOptions,
    averaging: Averaging,
    evaluated: Evaluated = measured_table,
) -> tuple[QueryValues, list[str]]:
    """Return the values of rankings by query, under people's judgments, too, if these are given, and warnings.

    Raises InputError for measures with weights of their own, for measures that people's judgments do not correct, and
    for documents that they did not judge.
    """
    refuse_own_weights(options.measures)
    _refuse_uncorrected(options.measures, inputs, averaging)
    run = state.bind(inputs.rankings, "run")
    inputs, options = replace(inputs, rankings=run), replace(options, by_query=True)
    names = [measure.text for measure in options.measures]
    if averaging.human is not None and not averaging.allow_unjudged:
        options = replace(options, measures=with_depth(options.measures))
    table, texts = evaluated(state, inputs, options)
    keys = [*takewhile(lambda name: name != "query_id", table.columns)]
    values = QueryValues(table, names, keys, source=run)
    if averaging.human is None:
        return values, texts
    llm = None if averaging.allow_unjudged else table
    return replace(values, human=values_of_people(state, averaging.human, inputs, options, llm=llm)), texts


def refuse_own_weights(measures: Sequence[Measure]) -> None:
    """Raise InputError for a measure whose mean is weighted by the measure: its values alone do not tell the mean."""
    for measure in measures:
        if measure.definition.weight:
            raise InputError(f"measure {measure.text!r} {OWN_WEIGHTS}")


def _refuse_uncorrected(measures: Sequence[Measure], inputs: Inputs, averaging: Averaging) -> None:
    """Raise InputError if people's judgments are given, and a measure or the call has none that they correct."""
    if averaging.human is None:
        return
    for measure in measures:
        if measure.definition.beyond_accuracy:
            raise InputError(f"{measure.text!r} reads no judgments, so people's do not correct it: leave it out")
    if inputs.qrels is None:
        raise InputError("human corrects the judgments qrels: pass a run and qrels")


def corrected(state: Session, values: QueryValues, averaging: Averaging) -> tuple[QueryValues, list[str]]:
    """Return the values with those of people and with clusters, if given, and warnings about the judge that errs."""
    if values.human is None and averaging.cluster is None:
        return values, []
    table = with_judges(
        state,
        values.table,
        values.human,
        averaging.cluster,
        run=values.source,
        columns=[*values.keys, "query_id", *values.repeats, *values.measures],
        weighted=averaging.weights is not None,
    )
    texts = []
    if values.human is not None:
        system = values.system if values.system in values.keys else "query_id"
        texts = doubts_about_judges(state.rows, table, values.measures, system, [*values.strata, "query_id"])
    return replace(values, table=table), texts


def weighed(
    state: Session, values: QueryValues, averaging: Averaging, keys: Sequence[str] | None = None
) -> tuple[QueryValues, list[str]]:
    """Return the values with the weights of their queries, if given, and warnings.

    `keys`: the columns besides query_id that a table of weights may have, by default all keys.
    """
    if averaging.weights is None:
        return values, []
    keys = values.keys if keys is None else keys
    table, texts = with_weights(state, averaging.weights, values.source, values.table, keys)
    return replace(values, table=table), texts
