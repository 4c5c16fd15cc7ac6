"""Compute the contents of a report, a dict that JSON can hold."""

from typing import Any

from ltr_sql.comparison.comparability import notes_on_depth
from ltr_sql.inputs.session import Session
from ltr_sql.reports.about import about, bibtex, described_measure, described_test
from ltr_sql.reports.curves import curves_of, points_of_curves
from ltr_sql.reports.evaluated import Arguments, evaluated_systems
from ltr_sql.reports.findings import findings_of, input_of
from ltr_sql.reports.judges import judge_of
from ltr_sql.reports.packed import packed_values
from ltr_sql.reports.queries import (
    changes_of,
    listed_systems,
    lists_of,
    numbered_queries,
    queries_in_order,
    texts_of_queries,
)
from ltr_sql.reports.sentences import (
    notes_on_datasets,
    notes_on_queries,
    power_of,
    queries_left_out,
    title_of,
    verdict,
    verdicts_by_measure,
)
from ltr_sql.reports.standings import measures_over_runs, runner_up_of, segments_of, standings_of, trend_of
from ltr_sql.stages import stage

# What a report says if the tables are in another database.
_STAYS = "the tables stay in the database: documents are not listed, and warnings about the input are missing"


def contents(state: Session, arguments: Arguments) -> dict[str, Any]:
    """Return the contents of a report."""
    points = points_of_curves(arguments)
    of_curves = (measure for of_curve in points.values() for _, measure in of_curve)
    evaluated = evaluated_systems(state, arguments, of_curves)
    systems = evaluated.systems
    queries = numbered_queries(evaluated)
    query_texts, without_texts = texts_of_queries(evaluated, queries)
    standings, segments = standings_of(evaluated), segments_of(evaluated)
    few = listed_systems(evaluated, standings)
    stage("values of the queries")
    data: dict[str, Any] = {
        "format": 1,
        "title": arguments.title or "",
        "systems": systems,
        "baseline": evaluated.baseline,
        "measures": [described_measure(measure) for measure in arguments.measures],
        "test": described_test(arguments.comparison, len(systems)),
    }
    data["runner_up"] = runner_up_of(evaluated, standings)
    data["title"] = data["title"] or title_of(data, standings)
    data["verdict"] = verdict(data, standings)
    data["verdicts"] = verdicts_by_measure(data, standings)
    data["notes"] = [
        *notes_on_datasets(arguments.comparison["across"]),
        *notes_on_queries(standings, evaluated.names),
        *(notes_on_depth(state, evaluated.values, arguments.measures) if len(systems) > 1 else []),
        *evaluated.warnings,
        *([_STAYS] if state.database is not None else []),
    ]
    of_runs, warnings = measures_over_runs(evaluated)
    data["notes"] += [text for text in warnings if text not in evaluated.warnings]
    found = findings_of(evaluated)
    power = power_of(standings, data["verdicts"][0]["system"]) if data["verdicts"] else ""
    lists, without_document_texts = lists_of(evaluated, few)
    data["notes"] += [*without_texts, *without_document_texts]
    return data | {
        "standings": standings,
        "trend": trend_of(evaluated),
        "judge": judge_of(evaluated),
        "of_runs": of_runs,
        "segments": segments,
        "curves": curves_of(evaluated, points),
        "queries": queries_in_order(evaluated, queries),
        "query_texts": query_texts,
        "changes": changes_of(evaluated, standings),
        "values": packed_values(evaluated, queries, few),
        "lists": lists,
        "input": input_of(evaluated),
        "findings": found,
        "about": {**about(arguments), "power": power, "left_out": queries_left_out(found), "bibtex": bibtex()},
    }
