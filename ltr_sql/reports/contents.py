"""Compute the contents of a report, a dict that JSON can hold."""

import hashlib
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from ltr_sql.catalogue.measure_strings import Measure, find_convention
from ltr_sql.catalogue.measures import definitions
from ltr_sql.catalogue.procedures import procedures
from ltr_sql.comparison.comparability import depths_and_shares, described_values, notes_on_depth
from ltr_sql.comparison.options import ComparisonOptions
from ltr_sql.comparison.runs import OfRuns, compared_runs
from ltr_sql.errors import InputError
from ltr_sql.evaluation.explanation import explained_query, one_judgment_per_document
from ltr_sql.evaluation.families import measured_table, run_measures, tables_of
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.binding import bind_documents
from ltr_sql.inputs.connection import names_and_rows, records_of
from ltr_sql.inputs.readers import is_readable_file
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table, checked_keys
from ltr_sql.inputs.weights import with_weights
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.comparisons import comparison_query, values_of_table, wins_query
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.findings import findings, tie_columns
from ltr_sql.rendering.render import render
from ltr_sql.rendering.renderer import Renderer
from ltr_sql.rendering.spread import distribution_query
from ltr_sql.rendering.templates import render_template
from ltr_sql.rendering.weights import WEIGHT
from ltr_sql.reports.packed import Grid, packed_values
from ltr_sql.reports.texts import has_texts, texts_of
from ltr_sql.reports.verdict import notes_on_queries, verdict
from ltr_sql.stages import COMPARISON, FINDINGS, stage
from ltr_sql.validation.checks import searched
from ltr_sql.version import __version__

# Cutoffs and levels of recall of the curves.
_CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
_RECALL = tuple(level / 10 for level in range(11))
# Largest number of systems whose documents are listed. With more systems: the baseline and the three best others.
_LISTED = 4
# Largest number of segments that the report shows.
_SEGMENTS = 30
# Largest number of queries in the table that works without a script.
_CHANGES = 20
_CONFIDENCE = 0.95
# Number of bootstrap samples of measures over runs, and largest number of rows of runs for which they are drawn.
_RESAMPLES, _RESAMPLED = 200, 1_000_000


@dataclass(frozen=True)
class Asked:
    """The arguments of `report`, with measures parsed and conventions resolved.

    - `measures`: measures with a value for each query; `of_runs`: those with one value for a run.
    """

    rankings: Any
    qrels: Any
    measures: Sequence[Measure]
    of_runs: Sequence[Measure]
    ties: str
    missing: str
    convention: str | None
    baseline: str | None
    keys: Sequence[str]
    queries: Any
    documents: Any
    history: Any
    targets: Any
    title: str | None
    test: str
    adjust: str
    seed: int
    lists: int
    depth: int
    command: str | None
    check: bool
    weights: Any = None


def contents(state: Session, asked: Asked) -> dict[str, Any]:
    """Return the contents of a report."""
    run = _systems_bound(state, asked.rankings)
    qrels = None if asked.qrels is None else state.bind(asked.qrels, "qrels")
    keys = [key for key in asked.keys if key != "system"]
    tables = _tables(state, asked)
    values, curves, warnings = _measured(state, run, qrels, tables, asked, keys)
    if asked.weights is not None:
        values, notes = _weighted(state, run, values, asked, keys)
        warnings = [*notes, *warnings]
    systems = list(run.systems) or _distinct(state, values, "system")
    baseline = _baseline(asked.baseline, systems)
    queries = state.load(f"(\n{_queries_query(values, keys)}\n)")
    in_order, in_texts = _queries(state, queries, asked, keys)
    names = [measure.text for measure in asked.measures]
    standings = _standings(state, values, names, baseline, asked, ())
    segments = _segments(state, values, names, baseline, asked, keys) if keys else []
    few = _listed_systems(standings, systems, baseline)
    stage("values of the queries")
    grid = Grid(values, queries, systems, keys)
    data: dict[str, Any] = {
        "format": 1,
        "title": asked.title or _title(systems),
        "systems": systems,
        "baseline": baseline,
        "measures": [_described(measure) for measure in asked.measures],
        "test": _procedure(asked, len(systems)),
    }
    data["verdict"] = verdict(data, standings)
    data["notes"] = [
        *notes_on_queries(standings, names),
        *(notes_on_depth(state, values, asked.measures) if len(systems) > 1 else []),
        *warnings,
    ]
    of_runs, texts = _of_runs(state, run, qrels, tables, asked, baseline) if asked.of_runs else ([], [])
    data["notes"] += [text for text in texts if text not in warnings]
    data |= {
        "standings": standings,
        "of_runs": of_runs,
        "segments": segments,
        "curves": _curves(state, values, curves, systems),
        "queries": in_order,
        "query_texts": in_texts,
        "changes": _changes(state, values, names[0], standings, baseline),
        "values": packed_values(state, grid, names, few),
        "lists": _lists(state, run, qrels, asked, values, few, baseline),
        "input": _input(state, run, qrels, values),
        "findings": _findings(state, run, qrels, asked, values, keys),
        "about": _about(asked),
    }
    return data


def _systems_bound(state: Session, rankings: Any) -> Table:
    """Bind rankings as a table with a column system. A single run is named by its run id, else its file, else 'run'."""
    run = state.bind(rankings, "run")
    if "system" not in run.columns:
        name = Path(rankings).name.partition(".")[0] if isinstance(rankings, str | os.PathLike) else "run"
        run = state.bind({(run.run_ids or (name,))[0]: run}, "run")
    return replace(run, grouped_by=("system",))


def _tables(state: Session, asked: Asked) -> dict[str, Table]:
    """Bind the tables that measures beyond accuracy read."""
    needed = {n.table for m in (*asked.measures, *asked.of_runs) for n in m.definition.needed(dict(m.values))}
    given = {"documents": asked.documents, "history": asked.history, "targets": asked.targets}
    return {
        name: state.bind(table, name)
        for name, table in given.items()
        if table is not None and (name in needed or name != "documents")
    }


def _of_runs(
    state: Session,
    run: Table,
    qrels: Table | None,
    tables: Mapping[str, Table],
    asked: Asked,
    baseline: str | None,
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return one record per measure over runs, with the values of the systems, and warnings.

    The interval of the difference from the baseline is left out for large runs, because a bootstrap of them takes long.
    """
    options = EvaluationOptions(tuple(asked.of_runs), asked.ties, asked.missing, None, ("system",), check=asked.check)
    inputs = Inputs(run, qrels, tables)
    values, warnings = run_measures(state, inputs, options, lambda con, query, kind: _records(state, query))
    differences: dict[tuple[str, str], dict[str, Any]] = {}
    if baseline is not None:
        ((rows,),) = state.con.execute(f"select count(*) from {run.sql}").fetchall()
        resamples = _RESAMPLES if rows <= _RESAMPLED else 0
        choices = ComparisonOptions(adjust="none", confidence=_CONFIDENCE, seed=asked.seed).choices()
        bound = {**tables, **({} if qrels is None else {"qrels": qrels})}
        of_runs = OfRuns(asked.of_runs, run, bound, asked.ties, asked.missing, False)
        query, _ = compared_runs(
            state, of_runs, replace(choices, resamples=str(resamples)), [baseline], compared="system"
        )
        differences = {(str(r["system_b"]), r["measure"]): r for r in _records(state, query)}
    return [
        {
            **_described(measure),
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
        for measure in asked.of_runs
    ], warnings


def _measured(
    state: Session,
    run: Table,
    qrels: Table | None,
    tables: Mapping[str, Table],
    asked: Asked,
    keys: Sequence[str],
) -> tuple[Table, dict[str, list[tuple[float, Measure]]], list[str]]:
    """Evaluate all measures by query.

    Return the table of values with `RETRIEVED` and `JUDGED`, the measures of the curves, and warnings.
    """
    names = [measure.text.lower() for measure in asked.measures]
    curves = {} if asked.ties == "expected" else _curve_measures(asked.measures, asked.convention)
    extra = [measure for points in curves.values() for _, measure in points if measure.text.lower() not in names]
    measures = (*asked.measures, *extra)
    read = tables_of(measures, tables) if asked.of_runs else tables
    options = EvaluationOptions(
        measures, asked.ties, asked.missing, None, ("system", *keys), by_query=True, check=asked.check
    )
    values, warnings = described_values(state, run, qrels, read, options)
    return values, curves, warnings


def _weighted(state: Session, run: Table, values: Table, asked: Asked, keys: Sequence[str]) -> tuple[Table, list[str]]:
    """Return the table of values with the weights of the queries, and notes on the weights."""
    weighted, warnings = with_weights(state, asked.weights, run, values, keys)
    weighted = replace(weighted, sql=state.load(weighted.sql).sql)
    weighing = f"(select distinct v.query_id, v.{WEIGHT}, 1e0 as value from {weighted.sql} as v)"
    query = f"select d.effective_queries from (\n{distribution_query(weighing, ['value'], (), weighted=True)}\n) as d"
    ((effective,),) = state.con.execute(query).fetchall()
    if effective is None:
        raise InputError("the weights of all queries are 0: give some of them a weight above 0")
    note = (
        "Means and tests use the weights of the queries. They are about as precise as with "
        f"{effective:,.1f} queries of equal weight"
    )
    return weighted, [note, *warnings]


def _curve_measures(measures: Sequence[Measure], convention: str | None) -> dict[str, list[tuple[float, Measure]]]:
    """Return the measures of the curves: nDCG at each cutoff, and interpolated precision at each level of recall.

    nDCG has the options of the first nDCG among `measures`, or else the defaults of the convention.
    """
    chosen = find_convention(convention)
    ndcg = next((m for m in measures if m.definition.macro == "ndcg"), None)
    defaults = {
        macro: {p.name: p.default for p in definitions()[macro].parameters} | dict(chosen.values.get(macro, {}))
        for macro in ("ndcg", "iprec")
    }
    given = defaults["ndcg"] if ndcg is None else dict(ndcg.values)
    return {
        "cutoff": [(float(k), _measure("ndcg", {**given, "k": k})) for k in _CUTOFFS],
        "recall": [(level, _measure("iprec", {**defaults["iprec"], "recall": level})) for level in _RECALL],
    }


def _measure(macro: str, values: Mapping[str, Any]) -> Measure:
    measure = Measure(definitions()[macro], tuple(values.items()), "")
    return replace(measure, text=str(measure))


def _distinct(state: Session, table: Table, column: str) -> list[str]:
    query = f"select distinct cast(t.{DUCKDB.identifier(column)} as varchar) as name from {table.sql} as t order by all"
    return [name for (name,) in state.con.execute(query).fetchall() if name is not None]


def _baseline(given: str | None, systems: Sequence[str]) -> str | None:
    if given is not None and str(given) not in systems:
        shown = ", ".join([*systems[:10], *(["..."] if len(systems) > 10 else [])])
        raise InputError(f"the baseline {given!r} is not a system: the systems are {shown}")
    return None if len(systems) < 2 else systems[0] if given is None else str(given)


def _title(systems: Sequence[str]) -> str:
    return f"Evaluation of {systems[0]}" if len(systems) == 1 else f"Evaluation of {len(systems)} systems"


def _standings(
    state: Session,
    values: Table,
    measures: Sequence[str],
    baseline: str | None,
    asked: Asked,
    keys: Sequence[str],
) -> list[dict[str, Any]]:
    """Return one record per measure and system, best system first; with `keys`, per segment too."""
    choices = ComparisonOptions(asked.test, asked.adjust, confidence=_CONFIDENCE, seed=asked.seed).choices()
    fragments = values_of_table(
        values.sql,
        measures,
        compared="system",
        strata=keys,
        baseline=None if baseline is None else [baseline],
        fewest=1,
        weighted=asked.weights is not None,
    )
    stage(COMPARISON)
    found = _records(state, comparison_query(fragments, choices, "standings"))
    return [{**record, "system": str(record["system"])} for record in found]


def _segments(
    state: Session,
    values: Table,
    measures: Sequence[str],
    baseline: str | None,
    asked: Asked,
    keys: Sequence[str],
) -> list[dict[str, Any]]:
    """Return the standings of each segment, by descending number of queries."""
    segments: dict[tuple[str, ...], dict[str, Any]] = {}
    for record in _standings(state, values, measures, baseline, asked, keys):
        names = tuple(str(record.pop(key)) for key in keys)
        segment = segments.setdefault(
            names, {"keys": dict(zip(keys, names, strict=True)), "queries": 0, "standings": []}
        )
        segment["queries"] = max(segment["queries"], record["queries"])
        segment["standings"].append(record)
    return sorted(segments.values(), key=lambda s: (-s["queries"], [*s["keys"].values()]))[:_SEGMENTS]


def _changes(
    state: Session, values: Table, measure: str, standings: Sequence[Mapping[str, Any]], baseline: str | None
) -> dict[str, Any]:
    """Return the queries on which the baseline and the best other system differ most.

    For a single system, return the queries with its lowest values.
    """
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
            "queries": _records(state, query),
        }
    both = (
        f"(select v.* from {values.sql} as v where cast(v.system as varchar) in ({string(baseline)}, {string(best)}))"
    )
    pair = values_of_table(both, [measure], compared="system")
    query = f"""
        select cast(w.query_id as varchar) as query_id, w.a, w.b, w.difference
        from (\n{wins_query(pair, baseline, best)}\n) as w
        where w.rank <= {_CHANGES}
        order by abs(round(w.difference, 12)) desc, query_id asc
        limit {_CHANGES}
    """
    return {
        "measure": measure,
        "a": baseline,
        "b": best,
        "what": f"The largest differences in {measure}.",
        "queries": _records(state, query),
    }


def _records(state: Session, query: str) -> list[dict[str, Any]]:
    return records_of(*names_and_rows(state.con, query))


def _listed_systems(standings: Sequence[Mapping[str, Any]], systems: Sequence[str], baseline: str | None) -> list[str]:
    """Return the systems whose documents are listed, in input order. See `_LISTED`."""
    if len(systems) <= _LISTED:
        return list(systems)
    first = standings[0]["measure"]
    best = [record["system"] for record in standings if record["measure"] == first and record["system"] != baseline]
    chosen = {baseline, *best[: _LISTED - 1]}
    return [system for system in systems if system in chosen]


def _described(measure: Measure) -> dict[str, Any]:
    definition = measure.definition
    return {
        "name": measure.text,
        "summary": definition.summary,
        "formula": definition.formula,
        "options": {name: value for name, value in measure.values if value is not None},
        "range": definition.range,
        "better": definition.better,
    }


def _procedure(asked: Asked, systems: int) -> dict[str, Any]:
    """Return the test and the correction, with their names for sentences."""

    def words(option: str, name: str) -> str:
        return procedures(option)[name].summary.partition(":")[0].partition(".")[0]

    return {
        "test": asked.test,
        "adjust": asked.adjust,
        "alpha": ComparisonOptions(confidence=_CONFIDENCE).alpha,
        "confidence": _CONFIDENCE,
        "name": words("test", asked.test),
        "correction": None if asked.adjust == "none" or systems < 3 else words("adjust", asked.adjust),
        "seed": asked.seed if asked.test == "randomization" else None,
    }


def _queries_query(values: Table, keys: Sequence[str]) -> str:
    return render_template("reports/queries.sql", values=values.sql, keys=[DUCKDB.identifier(key) for key in keys])


def _queries(
    state: Session, queries: Table, asked: Asked, keys: Sequence[str]
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the queries with their segments, ordered by their numbers, and the texts of queries by id."""
    records = _records(state, f"select * exclude (query) from {queries.sql} order by query")
    in_order = [
        {"id": r["query_id"], **({"keys": {key: str(r[key]) for key in keys}} if keys else {})} for r in records
    ]
    if asked.queries is None:
        return in_order, {}
    ids = replace(queries, sql=f"(select q.query_id as id from {queries.sql} as q)")
    return in_order, texts_of(state, asked.queries, "queries", ids)


def _curves(
    state: Session, values: Table, curves: Mapping[str, Sequence[tuple[float, Measure]]], systems: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the mean of each system at each point of a curve.

    Cutoffs end at the first one that reaches the depth of the deepest run.
    """
    depths, _ = depths_and_shares(state, values)
    deepest = max(depths.values(), default=0)
    found = []
    for name, points in curves.items():
        kept = [
            (x, measure)
            for number, (x, measure) in enumerate(points)
            if name != "cutoff" or number == 0 or points[number - 1][0] < deepest
        ]
        query = render_template(
            "reports/averages.sql",
            values=values.sql,
            columns=[DUCKDB.identifier(measure.text) for _, measure in kept],
            systems=DUCKDB.text_list(systems),
            weighted=WEIGHT in values.columns,
        )
        means = state.con.execute(query).fetchall()
        found.append(
            {
                "by": name,
                "measure": kept[0][1].definition.name,
                "measures": [measure.text for _, measure in kept],
                "x": [x for x, _ in kept],
                "means": [list(row) for row in means],
            }
        )
    return found


def _lists(
    state: Session,
    run: Table,
    qrels: Table | None,
    asked: Asked,
    values: Table,
    few: Sequence[str],
    baseline: str | None,
) -> dict[str, Any]:
    """Return the top documents of the chosen queries, by query, then by system.

    These are the queries with the largest differences from the baseline, the worst means, and the largest spreads over
    systems.
    """
    stage("lists of documents")
    empty: dict[str, Any] = {"depth": asked.depth, "systems": few, "measure": None, "queries": {}, "texts": {}}
    if asked.lists == 0 or (qrels is None and "subtopic" in run.columns):
        return empty
    first = asked.measures[0]
    chosen = state.load(
        "(\n{}\n)".format(
            render_template(
                "reports/chosen.sql",
                measure=DUCKDB.identifier(first.text),
                values=values.sql,
                baseline=string(baseline or few[0]),
                shown=DUCKDB.text_list(few),
                sense="-1" if first.definition.better == "lower" else "1",
                lists=asked.lists,
            )
        )
    )
    documents = _documents(state, run, qrels, asked, chosen, few)
    explained = first.definition.discount is not None and asked.ties != "expected"
    context = {"documents": documents.sql, "doc_id": "d.doc_id", "depth": asked.depth}
    query = render_template(
        "reports/lists.sql",
        **{**context, "doc_id": "j.doc_id"},
        systems=DUCKDB.text_list(few),
        contributions=explained_query(documents.sql, ["system"], None, first) if explained else "",
    )
    found: dict[str, Any] = {}
    for query_id, system, doc_ids, ranks, grades, contributions in state.con.execute(query).fetchall():
        found.setdefault(query_id, {"relevant": 0, "ideal": [], "systems": {}})["systems"][system] = {
            "documents": doc_ids,
            "ranks": ranks,
            "grades": grades,
            **({} if contributions is None else {"contributions": contributions}),
        }
    ideals = render_template("reports/ideals.sql", **context, system=string(few[0]))
    for query_id, relevant, grades in state.con.execute(ideals).fetchall():
        if query_id in found:
            found[query_id] |= {"relevant": relevant, "ideal": grades}
    in_order = [name for (name,) in state.con.execute(f"select c.query_id from {chosen.sql} as c").fetchall()]
    texts = {}
    given = _documents_with_texts(state, asked)
    if given is not None:
        ids = replace(
            documents, sql=f"(select distinct d.doc_id as id from {documents.sql} as d where d.rank <= {asked.depth})"
        )
        texts = texts_of(state, given, "documents", ids)
    return {
        **empty,
        "measure": first.text if explained else None,
        "queries": {name: found[name] for name in in_order if name in found},
        "texts": texts,
    }


def _documents_with_texts(state: Session, asked: Asked) -> Any:
    """Return the table of documents, or None if it has no texts but columns that measures read."""
    if "documents" not in _tables(state, asked):
        return asked.documents
    table = state.bind(asked.documents, "documents")
    return table if has_texts(table) else None


def _documents(
    state: Session, run: Table, qrels: Table | None, asked: Asked, chosen: Table, few: Sequence[str]
) -> Table:
    """Return the retrieved and judged documents of the chosen queries and systems, with ranks and grades."""
    of_chosen = f"cast(t.query_id as varchar) in (select c.query_id from {chosen.sql} as c)"
    of_few = f"list_contains({DUCKDB.text_list(few)}, cast(t.system as varchar))"
    ordered = run.in_row_order(asked.ties)
    selected = replace(
        ordered,
        sql=f"(select t.* from {ordered.sql} as t where {of_chosen} and {of_few})",
        stored=False,
        positions="",
    )
    if qrels is not None:
        judged = replace(
            qrels, sql=f"(select t.* from {qrels.sql} as t where {of_chosen})", stored=False, positions="", queries=""
        )
        qrels = one_judgment_per_document(judged)
    ties = find_convention(None).ties if asked.ties == "expected" else asked.ties
    bound = bind_documents(selected, qrels, (), ties)
    doc_id = "cast(j.doc_id as varchar)" if qrels is not None or "doc_id" in run.columns else "cast(null as varchar)"
    return state.load(
        f"(select cast(j.system as varchar) as system, cast(j.query_id as varchar) as query_id, {doc_id} as doc_id, "
        f"j.rank, cast(j.relevance as double) as relevance from {bound.source.relation} as j)"
    )


def _input(state: Session, run: Table, qrels: Table | None, values: Table) -> dict[str, Any]:
    """Return the numbers of judgments by grade, and the depth and the unjudged share of each run."""
    judged = run if qrels is None else qrels
    doc_id = "j.doc_id" if "doc_id" in judged.columns else "row_number() over ()"
    grades = state.con.execute(render_template("reports/grades.sql", judged=judged.sql, doc_id=doc_id)).fetchall()
    depths, shares = depths_and_shares(state, values)
    return {
        "judged": sum(documents for _, documents in grades),
        "relevant": sum(documents for grade, documents in grades if grade > 0),
        "grades": [[grade, documents] for grade, documents in grades],
        "depths": {str(system): depth for system, depth in depths.items()},
        "unjudged": {str(system): share / 100 for system, share in shares.items()},
    }


def _findings(
    state: Session, run: Table, qrels: Table | None, asked: Asked, values: Table, keys: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the rows of `check`."""
    if not asked.check:
        return []
    stage(FINDINGS)
    run_keys = checked_keys(run, qrels, keys).of_run
    measures = [m for m in asked.measures if not m.definition.beyond_accuracy and not m.definition.by_subtopic]
    means = _means_of_ties(state, run, qrels, measures, asked, values, run_keys)
    codes = [code for code in findings() if means or code != "tie_effects"]
    return _records(state, searched(state, run, qrels, run_keys, measures, only=codes, means=means))


def _means_of_ties(
    state: Session,
    run: Table,
    qrels: Table | None,
    measures: Sequence[Measure],
    asked: Asked,
    values: Table,
    run_keys: Sequence[str],
) -> dict[str, str]:
    """Return the queries of the means in the best and in the worst order of ties; empty if there are no ties.

    Only rankings with ties are evaluated again. The others have their values in `values`.
    """
    if not measures or "rank" in run.columns or "score" not in run.columns:
        return {}
    named = [DUCKDB.identifier(name) for name in dict.fromkeys((*run_keys, "query_id"))]
    context = {"run": run.sql, "columns": named, "kinds": run.kinds}
    tied = state.load(f"(\n{Renderer(NamedColumns((), DUCKDB)).template('reports/tied.sql', **context)}\n)")
    if not state.con.execute(f"select 1 from {tied.sql} limit 1").fetchall():
        return {}
    rows = replace(run, sql=f"(select r.* from {run.sql} as r semi join {tied.sql} as t using ({', '.join(named)}))")
    rows = replace(rows, stored=False, positions="")
    grouping = tuple(name for name in values.columns if name in (*asked.keys, "system"))
    queries = {}
    for ties in ("best", "worst"):
        options = EvaluationOptions(tuple(measures), ties, "skip", None, grouping, by_query=True, check=False)
        evaluated, _ = measured_table(state, rows, qrels, {}, options)
        queries[ties] = render_template(
            "reports/means_of_ties.sql",
            values=values.sql,
            evaluated=evaluated.sql,
            keys=[DUCKDB.identifier(name) for name in run.columns if name in run_keys],
            columns=named,
            measures=tie_columns(measures),
        )
    return queries


def _about(asked: Asked) -> dict[str, Any]:
    """Return command, convention, ties, missing, versions, SQL, and hashes of the judgments, runs and query texts."""
    runs = asked.rankings.values() if isinstance(asked.rankings, Mapping) else [asked.rankings]
    files = [str(given) for given in (asked.qrels, *runs, asked.queries) if _is_file(given)]
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    made = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    convention = find_convention(asked.convention)
    every = [*asked.measures, *asked.of_runs]
    return {
        "command": asked.command,
        "convention": {"name": convention.name, "summary": convention.summary},
        "ties": asked.ties,
        "missing": asked.missing,
        "versions": {
            "ltr_sql": __version__,
            "duckdb": duckdb.__version__,
            "python": platform.python_version(),
        },
        "made": made.strftime("%Y-%m-%d %H:%M UTC"),
        "files": [{"name": Path(file).name, "sha256": _hash(file)} for file in files],
        "sql": "\n;\n".join(
            render([str(measure) for measure in measures])
            for beyond in (False, True)
            if (measures := [m for m in every if m.definition.beyond_accuracy == beyond])
        ),
    }


def _is_file(given: Any) -> bool:
    return isinstance(given, str | os.PathLike) and Path(given).is_file() and is_readable_file(os.fspath(given))


def _hash(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
