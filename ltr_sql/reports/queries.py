"""The queries of a report: their texts and segments, the largest changes, and the documents of some of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ltr_sql.catalogue.measure_strings import find_convention
from ltr_sql.evaluation.explanation import explained_query, one_judgment_per_document
from ltr_sql.inputs.binding import bind_documents
from ltr_sql.inputs.gains import measures_with_gains
from ltr_sql.inputs.joining import USUAL
from ltr_sql.inputs.tables import Table
from ltr_sql.inputs.texts import columns_of_texts, texts_by_id
from ltr_sql.rendering.comparisons import values_of_table, wins_query
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.templates import render_template
from ltr_sql.reports.evaluated import Evaluated
from ltr_sql.stages import stage

# Largest number of systems whose documents are listed. With more systems: the baseline and the three best others.
_LISTED = 4
# Largest number of queries in the table that works without a script.
_CHANGES = 20
# Number of the queries that lost most.
_LOST = 5
# Largest number of missed documents of a query that are named.
_MISSED = 15


def numbered_queries(evaluated: Evaluated) -> Table:
    """Return the table of queries: query (a number), query_id, and the keys."""
    keys = [DUCKDB.identifier(key) for key in evaluated.arguments.keys]
    query = render_template("reports/queries.sql", values=evaluated.values.sql, keys=keys)
    return evaluated.state.load(f"(\n{query}\n)")


def queries_in_order(evaluated: Evaluated, queries: Table) -> list[dict[str, Any]]:
    """Return the queries with their segments, ordered by their numbers."""
    keys = evaluated.arguments.keys
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
    found: dict[str, Any] = {}
    for query_id, system, doc_ids, ranks, grades, contributions in state.rows(query):
        found.setdefault(query_id, {"relevant": 0, "ideal": [], "systems": {}})["systems"][system] = {
            "documents": doc_ids,
            "ranks": ranks,
            "grades": grades,
            **({} if contributions is None else {"contributions": contributions}),
        }
    for query_id, missed in _missed_documents(evaluated, documents, few).items():
        # A query for which no system returned a document is listed, too.
        found.setdefault(query_id, {"relevant": 0, "ideal": [], "systems": {}})["missed"] = missed
    ideals = render_template(
        "reports/ideals.sql",
        documents=documents.sql,
        doc_id="d.doc_id",
        depth=arguments.depth,
        system=string(few[0]),
    )
    for query_id, relevant, grades in state.rows(ideals):
        if query_id in found:
            found[query_id] |= {"relevant": relevant, "ideal": grades}
    named = sorted({doc for query in found.values() if "missed" in query for doc in query["missed"]["documents"]})
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
    bound = bind_documents(selected, qrels, (), find_convention(None).ties if ties == "expected" else ties, joining)
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
    given = evaluated.tables.get("documents", evaluated.arguments.documents)
    if given is None or ("documents" in evaluated.tables and not any(columns_of_texts(given, "documents"))):
        return {}, []
    depth = evaluated.arguments.depth
    besides = f"list_contains({DUCKDB.text_list(named)}, d.doc_id)"
    rows = f"select distinct d.doc_id as id from {documents.sql} as d where d.rank <= {depth} or {besides}"
    ids = replace(documents, sql=f"({rows})")
    return texts_by_id(evaluated.state, given, "documents", ids)
