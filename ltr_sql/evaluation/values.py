"""The values of each query, as human judges correct and weights count them, and the intervals of their means.

Means with intervals, distributions, comparisons, reports and the command line take these steps, in this order.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from ltr_sql.catalogue.measure_strings import Measure, parse_measure
from ltr_sql.catalogue.ranges import bounds_of
from ltr_sql.errors import InputError
from ltr_sql.evaluation.accuracy import measured_table
from ltr_sql.evaluation.options import Averaging, EvaluationOptions, Inputs
from ltr_sql.inputs.forms import ROLES
from ltr_sql.inputs.gains import with_weights
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import IDS, Rows, Table, has_texts, listed_names, refuse_other_texts
from ltr_sql.rendering.comparisons import comparison_choices, comparison_query, values_of_table
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.measure_columns import expressions
from ltr_sql.rendering.renderer import OWN_WEIGHTS, SYSTEM, column_of
from ltr_sql.rendering.spread import CLUSTER, HUMAN, Judges, judged_rows
from ltr_sql.rendering.templates import render_template

# Queries that a message names.
_SHOWN = 3
# Largest p at which the queries that people judged are said to differ from the others.
_DIFFERENT = 0.01
# Fewest queries that people judge without a warning.
_FEWEST = 50
# Fewest degrees of freedom without a warning.
_FEWEST_DF = 4
# The same for two systems that saw different queries, such as 75 clusters each: benchmarks.boards.
_FEWEST_DF_OF_ARMS = 150


def judgments_of_people(state: Session, given: Any) -> Table:
    """Bind people's judgments, with their own names of columns, or those of the judgments that they correct.

    Raises InputError for missing columns, for texts without grades, and for documents that are judged again.
    """
    if isinstance(given, Table):
        return given
    form = state.form
    own, of_qrels = form.tables.get("human"), form.tables.get("qrels", {})
    shared = form.shared if own is not None else {**form.shared, **of_qrels}
    tables = {role: names for role, names in form.tables.items() if role != "qrels"} | ({"qrels": own} if own else {})
    state.form = replace(form, shared=shared, tables=tables)
    try:
        people = replace(state.bind(given, "qrels"), role="human")
    finally:
        state.form = form
    state.roles.add("human")
    what = ROLES["human"]
    people.require(what, *IDS, "relevance")
    if people.maybe_grades:
        found = [name for name in people.columns if name != "relevance"]
        raise InputError(
            f"{what}: missing column relevance, got {listed_names(found)}: name the column "
            f"of their grades, such as columns={{'human': {{{people.maybe_grades[0]!r}: 'relevance'}}}}"
        )
    if "weight" in people.columns:
        raise InputError(
            f"{what}: a column weight is not read, because the correction needs queries that were drawn with equal "
            "probabilities: leave it out, and pass weights= for queries that count more"
        )
    if has_texts(people) and people.dialect is DUCKDB:
        refuse_other_texts(state.rows, people, {})
    ids = [*IDS, *(["subtopic"] if "subtopic" in people.columns else [])]
    listed = ", ".join(f"t.{name}" for name in ids)
    again = [*state.rows(f"select {listed} from {people.sql} as t group by {listed} having count(*) > 1")]
    if again:
        first = sorted(again, key=str)[:_SHOWN]
        shown = "; ".join(", ".join(f"{name}={value}" for name, value in zip(ids, row, strict=True)) for row in first)
        raise InputError(
            f"{what}: a document is judged more than once for one query ({len(again)}): {shown}: keep one grade, or "
            "pass qrels_duplicates='max'"
        )
    return people


def values_of_people(
    state: Session, given: Any, inputs: Inputs, options: EvaluationOptions, *, llm: Table | None
) -> Table:
    """Return people's values of the runs. `given`: their judgments, which take the place of those of `inputs`.

    With `llm`, the values under the other judge, raises InputError for documents that people did not judge.
    """
    people = replace(inputs, qrels=judgments_of_people(state, given))
    human, _ = measured_table(state, people, replace(options, by_query=True, check=False))
    if llm is not None:
        depth = depth_judged(options.measures).text
        refuse_unjudged(state.rows, llm, human, [*options.keys, "query_id"], depth)
    return human


def depth_judged(measures: Sequence[Measure]) -> Measure:
    """Return the measure of the share of judged documents in the largest cutoff of `measures`; all without a cutoff."""
    cutoffs = [dict(measure.values).get("k") for measure in measures]
    depths = [int(str(cutoff)) for cutoff in cutoffs if cutoff is not None]
    return parse_measure(f"Judged@{max(depths)}" if len(depths) == len(cutoffs) else "Judged")


def with_depth(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return the measures with the one that `refuse_unjudged` reads."""
    judged = depth_judged(measures)
    known = {measure.text.lower() for measure in measures}
    return (*measures, *(() if judged.text.lower() in known else (judged,)))


def refuse_unjudged(rows: Rows, llm: Table, human: Table, keys: Sequence[str], judged: str) -> None:
    """Raise InputError for queries of which people judged fewer documents than the judge that errs.

    `llm`, `human`: tables of values with the column `judged`; `keys`: the columns that identify a query of a system.
    """
    identifier = llm.dialect.identifier
    same = " and ".join(f"y.{identifier(key)} = v.{identifier(key)}" for key in keys)
    share = identifier(judged)
    found = [
        *rows(
            f"select cast(y.query_id as {llm.dialect.text_type}) as query_id, min(y.{share}), max(v.{share}) "
            f"from {human.sql} as y join {llm.sql} as v on {same} where y.{share} < v.{share} - 1e-9 "
            f"group by y.query_id order by query_id asc"
        )
    ]
    if not found:
        return
    shown = ", ".join(f"{query} ({low:.0%} of {high:.0%})" for query, low, high in found[:_SHOWN])
    raise InputError(
        f"people judged only some documents of {len(found)} quer{'y' if len(found) == 1 else 'ies'} ({judged}): {shown}"
        f"{', ...' if len(found) > _SHOWN else ''}. Their values are too low, and so is every correction: let people "
        "judge all documents that the systems show, leave these queries out of human, or pass allow_unjudged=True"
    )


def _clusters(state: Session, cluster: Any, values: Table, run: Table | None) -> tuple[str, str]:
    """Return the column of `values` that names the clusters, and the table of clusters. At least one is ''.

    - `cluster`: the name of a column of `values` or of `run`, a mapping of query_id to cluster, or a table with both.
    - `run`: the rankings that the values were computed from.
    """
    if cluster is None:
        return "", ""
    if isinstance(cluster, str):
        if cluster in values.columns:
            return cluster, ""
        if run is not None and cluster in run.columns:
            run.require_here("cluster", cluster)
            return "", f"(select distinct r.query_id, r.{DUCKDB.identifier(cluster)} as cluster from {run.sql} as r)"
    if isinstance(cluster, Mapping) and not {"query_id", "cluster"} <= cluster.keys():
        cluster = {"query_id": [str(name) for name in cluster], "cluster": [str(name) for name in cluster.values()]}
    try:
        table = state.bind(cluster, "clusters")
    except InputError as error:
        if not (isinstance(cluster, str) and cluster.isidentifier()):
            raise
        raise InputError(f"the values have no column {cluster}, only {listed_names(values.columns)}: {error}") from None
    if not {"query_id", "cluster"} <= table.columns.keys():
        raise InputError(
            f"the clusters need the columns query_id and cluster, they have {listed_names(table.columns)}: rename them "
            "with columns=, or pass the name of a column of the values"
        )
    return "", table.sql


def doubts_about_judges(
    rows: Rows, table: Table, measures: Sequence[str], system: str, keys: Sequence[str]
) -> list[str]:
    """Return warnings about the judge that errs, and about the sample that people judged.

    - `table`: the values of `corrected`. `system`: the column that names the systems.
    - `keys`: the columns that identify a query.
    """
    query = render_template(
        "evaluation/doubts_about_judges.sql",
        **expressions(table.dialect),
        relation=table.sql,
        measures=[(table.dialect.string(name), table.dialect.identifier(name)) for name in measures],
        system=table.dialect.identifier(system),
        keys=[table.dialect.identifier(name) for name in keys],
        human=HUMAN,
        text_type=table.dialect.text_type,
    )
    texts = []
    for measure, least, most, judged_mean, others_mean, p, different, queries in rows(query):
        if queries < _FEWEST:
            texts.append(
                f"{measure}: people judged {queries} queries. Below {_FEWEST}, the interval may cover too rarely"
            )
        if least is not None and least == most:
            texts.append(f"{measure}: the judge gives every ranking the value {least:.4g}, and corrects nothing")
        elif queries and different == 0:
            texts.append(f"{measure}: people's values equal the judge's: check that human holds people's judgments")
        elif p is not None and p < _DIFFERENT:
            texts.append(
                f"{measure}: under the judge, the queries that people judged differ from the others ({judged_mean:.2f} "
                f"against {others_mean:.2f}, p {p:.1g}). The interval is right only for queries drawn at random"
            )
    return texts


def doubts_about_clusters(rows: Rows, found: str, paired: bool) -> list[str]:
    """Return a warning about the comparison with the fewest degrees of freedom.

    `found` is the relation of the comparisons. Without `paired`, the errors need more clusters.
    """
    query = (
        f"select r.measure, r.system_a, r.system_b, r.clusters, r.df from {found} as r "
        f"where r.df < {_FEWEST_DF if paired else _FEWEST_DF_OF_ARMS} order by r.df asc, r.measure asc limit 1"
    )
    return [
        f"{measure} of {a} and {b}: {clusters} clusters "
        + (
            f"leave {df:.2g} degrees of freedom, so the interval is wide and unsure: collect more clusters, or split "
            "those that hold most queries"
            if df < _FEWEST_DF
            else "are few, so p is somewhat too small: collect more clusters, or take p just below 0.05 as undecided"
        )
        for measure, a, b, clusters, df in rows(query)
    ]


def doubts_about_nulls(rows: Rows, values: str, measures: Sequence[str]) -> list[str]:
    """Return a warning for each measure of systems that saw different queries, if some of its values are NULL."""
    counts = ", ".join(f"count(v.{DUCKDB.identifier(measure)})" for measure in measures)
    ((every, *known),) = rows(f"select count(*), {counts} from {values} as v")
    return [
        f"{every - n:,} of {every:,} values of {measure} are NULL, and left out: write 0 where a search without a "
        "click, or without a relevant document, counts as 0"
        for measure, n in zip(measures, known, strict=True)
        if n < every
    ]


def doubts_about_ranges(rows: Rows, found: str) -> list[str]:
    """Return a warning for each measure whose means lie beyond its range. `found`: relation of the comparisons."""
    query = (
        "select r.measure, min(least(r.mean_a, r.mean_b)), max(greatest(r.mean_a, r.mean_b)) "
        f"from {found} as r where r.mean_a is not null and r.mean_b is not null group by r.measure order by 1 asc"
    )
    texts = []
    for measure, *ends in rows(query):
        least, most = bounds_of(measure)
        beyond = [end for end in ends if not least - 1e-9 <= end <= most + 1e-9]
        if beyond:
            texts.append(
                f"a mean of {measure} is {beyond[-1]:.4g}, beyond its range [{least:g}, {most:g}]: is the column "
                "another number, such as a position?"
            )
    return texts


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
    plain, human = values.table, values.human.sql if values.human is not None else ""
    column, clusters = _clusters(state, averaging.cluster, plain, values.source)
    judges = Judges(plain.sql, human, column, clusters, averaging.weights is not None)
    columns = [*values.keys, "query_id", *values.repeats, *values.measures]
    kinds = {**plain.columns, HUMAN: "BOOLEAN", CLUSTER: "VARCHAR"}
    table = plain.read_by(judged_rows(judges, columns, plain.dialect), kinds)
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


def intervals_query(values: QueryValues, averaging: Averaging, geometric: Sequence[str] = ()) -> str:
    """Return the query of the means with their intervals: one row for each group and measure.

    A mean is the mean difference from a system whose values are 0, so it has all intervals of differences.
    `geometric` names the measures whose logarithms are averaged.
    """
    identifier = DUCKDB.identifier
    columns = [f"m{number}" for number in range(1, len(values.measures) + 1)]
    pairs = render_template(
        "evaluation/against_zero.sql",
        relation=values.table.sql,
        measures=[(identifier(n), c, n in geometric) for n, c in zip(values.measures, columns, strict=True)],
    )
    against_zero = values_of_table(
        f"(\n{pairs}\n)",
        columns,
        compared="__ltr_side",
        strata=values.keys,
        baseline=["0"],
        mode=averaging.mode,
    )
    choices = comparison_choices(ci=averaging.ci, confidence=averaging.confidence, adjust="none")
    return render_template(
        "evaluation/intervals.sql",
        compared=comparison_query(against_zero, choices),
        keys=[identifier(column_of(key)) for key in values.keys],
        names=DUCKDB.text_list(values.measures),
        human=averaging.human is not None,
        clustered=averaging.cluster is not None,
    )
