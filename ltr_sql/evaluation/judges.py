"""Add people's values and clusters of queries to the values that are compared."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ltr_sql.catalogue.measure_strings import Measure, parse_measure
from ltr_sql.errors import InputError
from ltr_sql.evaluation.families import measured_table
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.forms import ROLES
from ltr_sql.inputs.graded import has_texts, refuse_other_texts
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import IDS, Rows, Table, listed_names
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.judges import CLUSTER, HUMAN, Judges, judged_rows
from ltr_sql.rendering.probabilities import expressions
from ltr_sql.rendering.templates import render_template

# Queries that a message names.
_SHOWN = 3
# Largest p at which the queries that people judged are said to differ from the others.
_DIFFERENT = 0.01
# Fewest queries that people judge without a warning.
_FEWEST = 50
# Fewest degrees of freedom without a warning.
_FEWEST_DF = 4


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


def with_judges(
    state: Session,
    values: Table,
    human: Table | None,
    cluster: Any,
    *,
    run: Table | None,
    columns: Sequence[str],
    weighted: bool,
) -> Table:
    """Return a table of values with people's values, and with the clusters of queries.

    - `human`: people's values, with the same columns. `columns`: those that the comparison reads.
    - `cluster`: the name of a column of `values` or of `run`, a mapping of query_id to cluster, or a table with both.
    - `run`: the rankings that the values were computed from.
    """
    column, clusters = _clusters(state, cluster, values, run)
    judges = Judges(values.sql, human.sql if human else "", column, clusters, weighted)
    return replace(
        values,
        sql=f"(\n{judged_rows(judges, columns, values.dialect)}\n)",
        columns={**values.columns, HUMAN: "BOOLEAN", CLUSTER: "VARCHAR"},
        positions="",
    )


def _clusters(state: Session, cluster: Any, values: Table, run: Table | None) -> tuple[str, str]:
    """Return the column of `values` that names the clusters, and the table of clusters. At least one is ''."""
    if cluster is None:
        return "", ""
    if isinstance(cluster, str):
        if cluster in values.columns:
            return cluster, ""
        if run is not None and cluster in run.columns:
            return "", f"(select distinct r.query_id, r.{DUCKDB.identifier(cluster)} as cluster from {run.sql} as r)"
    if isinstance(cluster, Mapping) and not {"query_id", "cluster"} <= cluster.keys():
        cluster = {"query_id": [str(name) for name in cluster], "cluster": [str(name) for name in cluster.values()]}
    table = state.bind(cluster, "clusters")
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

    - `table`: the values of `with_judges`. `system`: the column that names the systems.
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


def doubts_about_clusters(rows: Rows, found: str) -> list[str]:
    """Return a warning about the comparison with the fewest degrees of freedom.

    `found` is the relation of the comparisons.
    """
    query = (
        f"select r.measure, r.system_a, r.system_b, r.clusters, r.df from {found} as r where r.df < {_FEWEST_DF} "
        "order by r.df asc, r.measure asc limit 1"
    )
    return [
        f"{measure} of {a} and {b}: {clusters} clusters leave {df:.2g} degrees of freedom, so the interval is wide and "
        "unsure: collect more clusters, or split those that hold most queries"
        for measure, a, b, clusters, df in rows(query)
    ]
