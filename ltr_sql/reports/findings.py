"""What a report says about its input: numbers of judgments, depths of the runs, and findings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ltr_sql.catalogue.measure_strings import Measure
from ltr_sql.comparison.comparability import depths_and_shares
from ltr_sql.evaluation.families import measured_table
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.tables import Table, checked_keys
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.findings import findings, tie_columns
from ltr_sql.rendering.renderer import Renderer
from ltr_sql.rendering.templates import render_template
from ltr_sql.reports.evaluated import Arguments, Evaluated
from ltr_sql.stages import FINDINGS, stage
from ltr_sql.validation.checks import COUNT_AS_0, count_of_missing, searched


def input_of(evaluated: Evaluated) -> dict[str, Any]:
    """Return the numbers of judgments by grade, and the depth and the unjudged share of each run."""
    judged = evaluated.run if evaluated.qrels is None else evaluated.qrels
    doc_id = "j.doc_id" if "doc_id" in judged.columns else "row_number() over ()"
    query, database = render_template("reports/grades.sql", judged=judged.sql, doc_id=doc_id), evaluated.state.database
    grades = evaluated.state.rows(query) if database is None else database.rows(query)[1]
    depths, shares = depths_and_shares(evaluated.state, evaluated.values)
    return {
        "judged": sum(documents for _, documents in grades),
        "relevant": sum(documents for grade, documents in grades if grade > 0),
        "grades": [[grade, documents] for grade, documents in grades],
        "depths": {str(system): depth for system, depth in depths.items()},
        "unjudged": {str(system): share / 100 for system, share in shares.items()},
    }


def findings_of(evaluated: Evaluated) -> list[dict[str, Any]]:
    """Return the rows of `check`."""
    arguments, state, run, qrels = evaluated.arguments, evaluated.state, evaluated.run, evaluated.qrels
    if not arguments.check or state.database is not None:
        return []
    stage(FINDINGS)
    run_keys = checked_keys(run, qrels, arguments.keys).of_run
    measures = [m for m in arguments.measures if not m.definition.beyond_accuracy and not m.definition.by_subtopic]
    means = _means_of_ties(evaluated, measures, run_keys)
    codes = [code for code in findings() if means or code != "tie_effects"]
    found = state.records(searched(state, run, qrels, run_keys, measures, only=codes, means=means))
    return [_with_consequence(record, arguments) for record in found]


# What is said of judged queries that a run lacks, if they do not count as 0.
_LEFT_OUT = {
    "what": "judged queries are not in the run: they are left out",
    "what_to_do": "pass missing='zero' to count them as 0",
}


def _with_consequence(record: Mapping[str, Any], arguments: Arguments) -> dict[str, Any]:
    """Return a finding, with what the report's measures count as for judged queries that a run lacks."""
    what = findings()["queries_not_run"].what
    if record["what"] != what:
        return {**record}
    if arguments.missing == "skip":
        return {**record, **_LEFT_OUT}
    return {**record, "what": what.replace(COUNT_AS_0, count_of_missing(arguments.measures))}


def _means_of_ties(evaluated: Evaluated, measures: Sequence[Measure], run_keys: Sequence[str]) -> dict[str, str]:
    """Return the queries of the means in the best and in the worst order of ties; empty if there are no ties.

    Only rankings with ties are evaluated again. The others have their values in `evaluated.values`.
    """
    run, values = evaluated.run, evaluated.values
    if not measures or "rank" in run.columns or "score" not in run.columns:
        return {}
    columns = [DUCKDB.identifier(name) for name in dict.fromkeys((*run_keys, "query_id"))]
    tied = _tied_rankings(evaluated, columns)
    if not evaluated.state.rows(f"select 1 from {tied.sql} limit 1"):
        return {}
    same = " and ".join(f"t.{column} is not distinct from r.{column}" for column in columns)
    of_tied = f"(select r.* from {run.sql} as r semi join {tied.sql} as t on {same})"
    rows = replace(run, sql=of_tied, stored=False, positions="")
    grouping = tuple(name for name in values.columns if name in (*evaluated.arguments.keys, "system"))
    # The rules of single measures give way to the two orders.
    any_rule = tuple(replace(measure, ties="", missing="") for measure in measures)
    gains = evaluated.arguments.gains if any(measure.definition.gains for measure in measures) else None
    queries = {}
    for ties in ("best", "worst"):
        options = EvaluationOptions(any_rule, ties, "skip", gains, grouping, by_query=True, check=False)
        of_ties, _ = measured_table(evaluated.state, Inputs(rows, evaluated.qrels), options)
        queries[ties] = render_template(
            "reports/means_of_ties.sql",
            values=values.sql,
            evaluated=of_ties.sql,
            keys=[DUCKDB.identifier(name) for name in run.columns if name in run_keys],
            columns=columns,
            measures=tie_columns(measures),
        )
    return queries


def _tied_rankings(evaluated: Evaluated, columns: Sequence[str]) -> Table:
    """Return the rankings with tied scores, as a table of the columns that identify a ranking."""
    run, renderer = evaluated.run, Renderer(NamedColumns((), DUCKDB))
    query = renderer.template("reports/tied.sql", run=run.sql, columns=columns, kinds=run.kinds)
    return evaluated.state.load(f"(\n{query}\n)")
