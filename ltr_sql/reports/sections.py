"""The sections of a report."""

import hashlib
import os
import platform
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from ltr_sql.building.call import Call, built
from ltr_sql.catalogue.functions import procedures
from ltr_sql.catalogue.measure_strings import Measure, find_convention
from ltr_sql.catalogue.options import Compare, defaults_of
from ltr_sql.comparison.decisions import compared_runs
from ltr_sql.comparison.raters import by_measure
from ltr_sql.comparison.values import Given, depths_and_shares, fragments_of
from ltr_sql.evaluation.accuracy import measured_table, run_measures
from ltr_sql.evaluation.explanation import explained_query, one_judgment_per_document
from ltr_sql.evaluation.options import Inputs
from ltr_sql.evaluation.values import QueryValues
from ltr_sql.inputs.binding import USUAL, bind_documents, read_together
from ltr_sql.inputs.connection import united
from ltr_sql.inputs.gains import measures_with_gains
from ltr_sql.inputs.readers import is_readable_file
from ltr_sql.inputs.tables import Table, checked_keys
from ltr_sql.inputs.texts import columns_of_texts, texts_by_id
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.comparisons import (
    NOTED,
    comparison_choices,
    comparison_query,
    level_of,
    title_of_test,
    values_of_table,
    wins_query,
)
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.findings import findings, tie_columns
from ltr_sql.rendering.render import render
from ltr_sql.rendering.renderer import Renderer
from ltr_sql.rendering.spread import HUMAN
from ltr_sql.rendering.templates import render_template
from ltr_sql.reports.evaluated import Arguments, Evaluated
from ltr_sql.reports.sentences import turned
from ltr_sql.stages import COMPARISON, FINDINGS, stage
from ltr_sql.validation.checks import COUNT_AS_0, count_of_missing, searched
from ltr_sql.version import __version__

# Largest number of systems whose documents are listed. With more systems: the baseline and the three best others.
_LISTED = 4
# Largest number of queries in the table that works without a script.
_CHANGES = 20
# Number of the queries that lost most.
_LOST = 5
# Largest number of systems of which all pairs are compared. With more systems: the baseline and the best others.
_PAIRED = 12
# Largest number of missed documents of a query that are named.
_MISSED = 15


def numbered_queries(evaluated: Evaluated) -> Table:
    """Return the table of queries: query (a number), query_id, and the keys."""
    keys = [DUCKDB.identifier(key) for key in evaluated.arguments.segments]
    query = render_template("reports/queries.sql", values=evaluated.values.sql, keys=keys)
    return evaluated.state.load(f"(\n{query}\n)")


def queries_in_order(evaluated: Evaluated, queries: Table) -> list[dict[str, Any]]:
    """Return the queries with their segments, ordered by their numbers."""
    keys = evaluated.arguments.segments
    return [
        {"id": r["query_id"], **({"keys": {key: r[key] for key in keys}} if keys else {})}
        for r in evaluated.state.records(f"select * exclude (query) from {queries.sql} order by query asc")
    ]


def texts_of_queries(evaluated: Evaluated, queries: Table) -> tuple[dict[str, str], list[str]]:
    """Return the texts of queries by id, and a warning if none was found."""
    given = evaluated.arguments.queries
    if given is None:
        return {}, []
    ids = replace(queries, sql=f"(select q.query_id as id from {queries.sql} as q)")
    return texts_by_id(evaluated.state, given, "queries", ids)


def changes_of(evaluated: Evaluated, standings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the queries on which the baseline and the best other system differ most.

    For a single system, return the queries with its lowest values.
    """
    state, values, baseline, measure = evaluated.state, evaluated.values, evaluated.baseline, evaluated.names[0]
    best = next(record["system"] for record in standings if record["system"] != baseline)
    if baseline is None:
        name = DUCKDB.identifier(measure)
        query = f"""
            select cast(v.query_id as varchar) as query_id, v.{name} as a
            from {values.sql} as v
            order by v.{name} asc nulls last, query_id asc
            limit {_CHANGES}
        """
        return {
            "measure": measure,
            "a": best,
            "b": None,
            "what": f"The lowest {measure}.",
            "queries": state.records(query),
            "lost": [],
        }
    both = (
        f"(select v.* from {values.sql} as v where cast(v.system as varchar) in ({string(baseline)}, {string(best)}))"
    )
    pair = values_of_table(both, [measure], compared="system")
    found = f"""
        select cast(w.query_id as varchar) as query_id, w.a, w.b, w.difference
        from (\n{wins_query(pair, baseline, best)}\n) as w
    """
    largest = f"where w.rank <= {_CHANGES} order by w.rank asc, query_id asc limit {_CHANGES}"
    loss = "w.difference" if evaluated.arguments.measures[0].definition.better == "lower" else "-w.difference"
    lost = f"where {loss} > 0 order by {loss} desc, query_id asc limit {_LOST}"
    return {
        "measure": measure,
        "a": baseline,
        "b": best,
        "what": f"The largest differences in {measure}.",
        "queries": state.records(f"{found} {largest}"),
        "lost": state.records(f"{found} {lost}"),
    }


def listed_systems(evaluated: Evaluated, standings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the systems whose documents are listed, in input order. See `_LISTED`."""
    systems, baseline = evaluated.systems, evaluated.baseline
    if len(systems) <= _LISTED:
        return list(systems)
    first = standings[0]["measure"]
    best = [record["system"] for record in standings if record["measure"] == first and record["system"] != baseline]
    chosen = {baseline, *best[: _LISTED - 1]}
    return [system for system in systems if system in chosen]


def lists_of(evaluated: Evaluated, few: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the top documents of the chosen queries, by query, then by system, for the systems `few`.

    Also returns a warning if no text of a document was found.
    """
    stage("lists of documents")
    arguments, state, first = evaluated.arguments, evaluated.state, evaluated.arguments.measures[0]
    lists: dict[str, Any] = {"depth": arguments.depth, "systems": few, "measure": None, "queries": {}, "texts": {}}
    if arguments.lists == 0 or (evaluated.qrels is None and "subtopic" in evaluated.run.columns):
        return lists, []
    chosen = _chosen_queries(evaluated, few)
    documents = _documents(evaluated, chosen, few)
    explained = first.definition.discount is not None and arguments.ties_of_first != "expected"
    gained = documents
    if arguments.gains is not None and first.definition.gains:
        gained, (first,) = arguments.gains.replace_grades(state.con, documents), measures_with_gains([first])
    query = render_template(
        "reports/lists.sql",
        documents=documents.sql,
        doc_id="j.doc_id",
        depth=arguments.depth,
        systems=DUCKDB.text_list(few),
        contributions=explained_query(gained.sql, ["system"], None, first) if explained else "",
    )
    # A query for which no system returned a document is listed, too.
    found: dict[str, Any] = defaultdict(lambda: {"relevant": 0, "ideal": [], "systems": {}})
    for query_id, system, doc_ids, ranks, grades, contributions in state.rows(query):
        found[query_id]["systems"][system] = {
            "documents": doc_ids,
            "ranks": ranks,
            "grades": grades,
            **({} if contributions is None else {"contributions": contributions}),
        }
    missed = _missed_documents(evaluated, documents, few)
    for query_id, of_query in missed.items():
        found[query_id]["missed"] = of_query
    given = {"documents": documents.sql, "doc_id": "d.doc_id", "depth": arguments.depth, "system": string(few[0])}
    for query_id, relevant, grades in state.rows(render_template("reports/ideals.sql", **given)):
        if query_id in found:
            found[query_id] |= {"relevant": relevant, "ideal": grades}
    named = sorted({doc for of_query in missed.values() for doc in of_query["documents"]})
    in_order = [name for (name,) in state.rows(f"select c.query_id from {chosen.sql} as c")]
    texts, warnings = _texts_of_documents(evaluated, documents, named)
    return {
        **lists,
        "measure": first.text if explained else None,
        "queries": {name: found[name] for name in in_order if name in found},
        "texts": texts,
    }, warnings


def _missed_documents(evaluated: Evaluated, documents: Table, few: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the relevant documents of each query that a system has not in its top, with their ranks by system."""
    query = render_template(
        "reports/missed.sql",
        documents=documents.sql,
        doc_id="d.doc_id",
        depth=evaluated.arguments.depth,
        systems=DUCKDB.text_list(few),
        most=_MISSED,
    )
    return {
        query_id: {"documents": doc_ids, "grades": grades, "ranks": ranks, "counts": counts}
        for query_id, doc_ids, grades, ranks, counts in evaluated.state.rows(query)
    }


def _chosen_queries(evaluated: Evaluated, few: Sequence[str]) -> Table:
    """Return the queries whose documents are listed, as a table.

    These are the queries with the largest differences from the baseline, the worst means, and the largest spreads over
    systems.
    """
    first = evaluated.arguments.measures[0]
    query = render_template(
        "reports/chosen.sql",
        measure=DUCKDB.identifier(first.text),
        values=evaluated.values.sql,
        baseline=string(evaluated.baseline or few[0]),
        shown=DUCKDB.text_list(few),
        sense="-1" if first.definition.better == "lower" else "1",
        lists=evaluated.arguments.lists,
    )
    return evaluated.state.load(f"(\n{query}\n)")


def _documents(evaluated: Evaluated, chosen: Table, few: Sequence[str]) -> Table:
    """Return the retrieved and judged documents of the chosen queries and systems, with ranks and grades."""
    run, qrels, ties = evaluated.run, evaluated.qrels, evaluated.arguments.ties_of_first
    of_chosen = f"cast(t.query_id as varchar) in (select c.query_id from {chosen.sql} as c)"
    of_few = f"list_contains({DUCKDB.text_list(few)}, cast(t.system as varchar))"
    selected = run.in_row_order(ties).where(f"{of_chosen} and {of_few}")
    if qrels is not None:
        qrels = one_judgment_per_document(qrels.where(of_chosen))
    joining = USUAL if qrels is None else replace(evaluated.state.joining(), asked=None)
    bound = bind_documents(
        read_together(selected, qrels, (), joining=joining), find_convention(None).ties if ties == "expected" else ties
    )
    doc_id = "cast(j.doc_id as varchar)" if qrels is not None or "doc_id" in run.columns else "cast(null as varchar)"
    return evaluated.state.load(
        f"(select cast(j.system as varchar) as system, cast(j.query_id as varchar) as query_id, {doc_id} as doc_id, "
        f"j.rank, cast(j.relevance as double) as relevance from {bound.source.relation} as j)"
    )


def _texts_of_documents(
    evaluated: Evaluated, documents: Table, named: Sequence[str]
) -> tuple[dict[str, str], list[str]]:
    """Return the texts of the listed documents by id, and of those that are `named` besides, and a warning without any.

    A table of documents that measures read may have no texts.
    """
    given = evaluated.tables.get("documents", evaluated.arguments.inputs.tables["documents"])
    if given is None or ("documents" in evaluated.tables and not any(columns_of_texts(given, "documents"))):
        return {}, []
    depth = evaluated.arguments.depth
    besides = f"list_contains({DUCKDB.text_list(named)}, d.doc_id)"
    rows = f"select distinct d.doc_id as id from {documents.sql} as d where d.rank <= {depth} or {besides}"
    ids = replace(documents, sql=f"({rows})")
    return texts_by_id(evaluated.state, given, "documents", ids)


def described_measure(measure: Measure) -> dict[str, Any]:
    """Return the name, the definition and the options of a measure."""
    definition = measure.definition
    return {
        "name": measure.text,
        "summary": definition.summary,
        "formula": definition.formula,
        "options": {name: value for name, value in measure.values if value is not None},
        "range": definition.range,
        "better": definition.better,
    }


def described_test(comparison: Mapping[str, Any], systems: int) -> dict[str, Any]:
    """Return the test and the correction of a number of systems, with their names for sentences."""
    test, adjust = comparison["test"], comparison["adjust"]
    corrected = adjust != "none" and systems > 2
    return {
        "test": test,
        "adjust": adjust,
        "alpha": level_of(comparison["confidence"]),
        "confidence": comparison["confidence"],
        "name": title_of_test(comparison),
        "correction": procedures("adjust")[adjust].title if corrected else None,
        "seed": comparison["seed"] if test == "randomization" else None,
    }


def about(arguments: Arguments) -> dict[str, Any]:
    """Return how a report was made: its command and options, versions, SQL, and hashes of the files."""
    given = arguments.inputs
    runs = given.rankings.values() if isinstance(given.rankings, Mapping) else [given.rankings]
    files = [str(file) for file in (given.qrels, *runs, arguments.queries) if _is_file(file)]
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    made = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    convention = find_convention(arguments.convention)
    every = [*arguments.measures, *arguments.of_runs]
    return {
        "command": arguments.command,
        "convention": {"name": convention.name, "summary": convention.summary},
        "gains": None if arguments.gains is None else str(arguments.gains),
        "ties": arguments.rules("ties"),
        "missing": arguments.rules("missing"),
        "versions": {
            "ltr_sql": __version__,
            "duckdb": duckdb.__version__,
            "python": platform.python_version(),
        },
        "made": made.strftime("%Y-%m-%d %H:%M UTC"),
        "files": [{"name": Path(file).name, "sha256": _sha256(file)} for file in files],
        "sql": "\n;\n".join(
            render([str(measure) for measure in measures])
            for beyond in (False, True)
            if (measures := [m for m in every if m.definition.beyond_accuracy == beyond])
        ),
    }


def bibtex() -> str:
    """Return the BibTeX entry of this version of ltr_sql."""
    return (
        f"@software{{ltr_sql,\n  title = {{ltr\\_sql: ranking evaluation in SQL}},\n  version = {{{__version__}}},\n"
        "  howpublished = {Python package ltr-sql}\n}"
    )


def _is_file(given: Any) -> bool:
    return isinstance(given, str | os.PathLike) and Path(given).is_file() and is_readable_file(os.fspath(given))


def _sha256(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
    run_keys = checked_keys(run, qrels, arguments.segments, ()).of_run
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
    # The rules of single measures give way to the two orders.
    any_rule = tuple(replace(measure, ties="", missing="") for measure in measures)
    gains = evaluated.arguments.gains if any(measure.definition.gains for measure in measures) else None
    queries = {}
    for ties in ("best", "worst"):
        rules = replace(evaluated.arguments, ties=ties, missing="skip", gains=gains, check=False)
        of_ties, _ = measured_table(evaluated.state, Inputs(rows, evaluated.qrels), replace(rules, measures=any_rule))
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


# The raters, in the order of their names: differences are those of the judge from people.
_PEOPLE, _JUDGE = "human", "judge"


def judge_of(evaluated: Evaluated) -> dict[str, Any] | None:
    """Return the agreement of the judge with people, and its bias by measure and system; None without people.

    Raises InputError for documents that people judged twice.
    """
    if evaluated.people is None or evaluated.qrels is None or evaluated.state.database is not None:
        return None
    state, names, compared = evaluated.state, evaluated.names, evaluated.compared.sql
    ((queries,),) = state.rows(f"select count(distinct v.query_id) from {compared} as v where v.{HUMAN}")
    rater = f"case when v.{HUMAN} then '{_PEOPLE}' else '{_JUDGE}' end as rater"
    values = by_measure(state, state.load(f"(select {rater}, v.* from {compared} as v)"), names, ())
    level = {"confidence": evaluated.arguments.comparison["confidence"], "measure": "value"}
    bias = _rows(evaluated, "rater_bias", values, level, keys=["measure"])
    documents = state.load(united(state, {_PEOPLE: evaluated.people, _JUDGE: evaluated.qrels}, "rater"))
    agreement = next(r for r in _rows(evaluated, "rater_agreement", documents, {}) if r["rater_a"] is not None)
    order = {name: number for number, name in enumerate(names)}
    systems = {name: number for number, name in enumerate(evaluated.systems)}
    return {
        "queries": queries,
        "agreement": _without_raters(agreement),
        "systems": sorted(map(_without_raters, bias), key=lambda r: (order[r["measure"]], systems[r["system"]])),
    }


def _without_raters(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: str(value) if name == "system" else value
        for name, value in record.items()
        if name not in ("rater_a", "rater_b")
    }


def _rows(
    evaluated: Evaluated, builder: str, table: Table, options: Mapping[str, Any], keys: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the rows of a builder for a table of the session."""
    found, _ = built(
        evaluated.state, Call(builder, table, options, keys), lambda con, query, frame: evaluated.state.records(query)
    )
    return list(found)


# Largest number of segments that the report shows.
_SEGMENTS = 30
# Number of bootstrap samples of measures over runs, and largest number of rows of runs for which they are drawn.
_RESAMPLES, _RESAMPLED = 200, 1_000_000


def standings_of(evaluated: Evaluated, keys: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return one record per measure and system, best system first; with `keys`, which become texts, per segment too."""
    texts = ", ".join(f"cast(v.{name} as varchar) as {name}" for name in map(DUCKDB.identifier, keys))
    compared = evaluated.compared.sql
    relation = f"(select v.* replace ({texts}) from {compared} as v)" if keys else compared
    found = _compared(evaluated, relation, evaluated.names, baseline=evaluated.baseline, keys=keys, result="standings")
    return [{**record, "system": str(record["system"])} for record in found]


def pairs_of(evaluated: Evaluated, standings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the comparisons of all pairs of systems on the first measure, from the better one; [] for two systems.

    They are corrected for the number of pairs. `system` minus `other` is the difference. See `_PAIRED`.
    """
    names = [record["system"] for record in standings if record["measure"] == evaluated.names[0]]
    if len(names) < 3:
        return []
    others = [name for name in names if name != evaluated.baseline][: _PAIRED - 1]
    chosen = [name for name in names if name == evaluated.baseline or name in others]
    listed = ", ".join(map(string, chosen))
    relation = f"(select v.* from {evaluated.compared.sql} as v where cast(v.system as varchar) in ({listed}))"
    found = []
    for record in _compared(evaluated, relation, evaluated.names[:1], result=NOTED):
        a, b = str(record["system_a"]), str(record["system_b"])
        pair = {
            "measure": record["measure"],
            "system": b,
            "other": a,
            "common_queries": record["queries"],
            **{name: record[name] for name in ("difference", "wins", "ties", "losses", "p", "p_adjusted", "verdict")},
            **{f"difference_{name}": record[name] for name in ("confidence", "low", "high")},
        }
        found.append(pair if chosen.index(b) < chosen.index(a) else turned(pair))
    return sorted(found, key=lambda pair: (chosen.index(pair["system"]), chosen.index(pair["other"])))


def runner_up_of(evaluated: Evaluated, pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the first of the pairs, the best system compared with the second; None if the baseline is one of them."""
    first = pairs[0] if pairs else None
    if first is None or first["difference"] is None or evaluated.baseline in (first["system"], first["other"]):
        return None
    return {**first}


def _compared(
    evaluated: Evaluated,
    relation: str,
    measures: Sequence[str],
    *,
    result: str,
    baseline: str | None = None,
    keys: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Return the rows of a comparison, without a baseline of all pairs. `result` names the template of its select."""
    arguments = evaluated.arguments
    options = {**arguments.comparison, "keys": keys, "baseline": baseline}
    given = Given(None, None, {**options, "across": None} if keys else options, evaluated.unanswered)
    values = QueryValues(replace(evaluated.compared, sql=relation), measures)
    fragments = replace(fragments_of(values, given), fewest="1")
    stage(COMPARISON)
    return evaluated.state.records(comparison_query(fragments, arguments.choices, result))


def segments_of(evaluated: Evaluated) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the standings of the largest segments, by descending number of queries, and a note on those left out."""
    keys = evaluated.arguments.segments
    if not keys:
        return [], []
    segments: dict[tuple[str | None, ...], dict[str, Any]] = {}
    for record in standings_of(evaluated, keys):
        names = tuple(record.pop(key) for key in keys)
        segment = segments.setdefault(
            names, {"keys": dict(zip(keys, names, strict=True)), "queries": 0, "standings": []}
        )
        segment["queries"] = max(segment["queries"], record["queries"])
        segment["standings"].append(record)
    # A key may be None.
    in_order = sorted(segments.items(), key=lambda item: (-item[1]["queries"], [(k is None, k) for k in item[0]]))
    cut = [f"the {_SEGMENTS} largest of {len(segments):,} segments are shown"] if len(segments) > _SEGMENTS else []
    return [segment for _, segment in in_order[:_SEGMENTS]], cut


def measures_over_runs(evaluated: Evaluated) -> tuple[list[dict[str, Any]], list[str]]:
    """Return one record per measure over runs, with the values of the systems, and warnings."""
    arguments, state = evaluated.arguments, evaluated.state
    if not arguments.of_runs:
        return [], []
    options = replace(arguments, measures=arguments.of_runs, gains=None, keys=("system",), by_query=False)
    inputs = Inputs(evaluated.run, evaluated.qrels, evaluated.tables)
    values, warnings = run_measures(state, inputs, options, lambda con, query, kind: state.records(query))
    differences = _differences_over_runs(evaluated)
    return [
        {
            **described_measure(measure),
            "systems": [
                {
                    "system": str(record["system"]),
                    "value": record[measure.text],
                    **{
                        name: differences.get((str(record["system"]), measure.text), {}).get(name)
                        for name in ("difference", "low", "high")
                    },
                }
                for record in values
            ],
        }
        for measure in arguments.of_runs
    ], warnings


def _differences_over_runs(evaluated: Evaluated) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the differences from the baseline in measures over runs, by system and measure.

    Their intervals are left out for large runs, because a bootstrap of them takes long.
    """
    arguments, state, run, baseline = evaluated.arguments, evaluated.state, evaluated.run, evaluated.baseline
    if baseline is None:
        return {}
    ((rows,),) = state.rows(f"select count(*) from {run.sql}")
    resamples = _RESAMPLES if rows <= _RESAMPLED else 0
    choices = comparison_choices(adjust="none", seed=arguments.comparison["seed"]).having(resamples=str(resamples))
    given = Given(run, None, defaults_of(Compare, baseline=baseline))
    options = replace(arguments, measures=arguments.of_runs, gains=None, keys=given.keys, by_query=False, check=False)
    query, _ = compared_runs(state, Inputs(run, evaluated.qrels, evaluated.tables), options, choices, given)
    return {(str(record["system_b"]), record["measure"]): record for record in state.records(query)}


def trend_of(evaluated: Evaluated) -> dict[str, Any] | None:
    """Return the periods, and one record per measure, system and period; None without periods."""
    by = evaluated.arguments.trend
    if evaluated.history is None or by is None:
        return None
    fragments = values_of_table(evaluated.history.sql, evaluated.names, compared=by, strata=["system"], fewest=1)
    choices = comparison_choices(adjust=evaluated.arguments.comparison["adjust"])
    records = evaluated.state.records(comparison_query(fragments, choices, "trend"))
    periods = [str(period) for period in sorted({record[by] for record in records})]
    rows = [
        {
            **{name: value for name, value in record.items() if name != by},
            "system": str(record["system"]),
            "period": str(record[by]),
            "previous": None if record["previous"] is None else str(record["previous"]),
        }
        for record in records
    ]
    return {"by": by, "periods": periods, "rows": rows}
