"""SQL against the oracle on random rankings: every measure, in each of the ways that it can be computed."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import duckdb
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from strategies import Row, covers, frame, grouped, pairs, rankings, scored

import ltr_sql
from ltr_sql import oracle
from ltr_sql.catalog import Definition, definitions, parameters
from ltr_sql.measure import parse_measure
from ltr_sql.verification import TOLERANCE, difference, oracle_value

settings.register_profile(
    "tests", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("tests")

KEYS = ["system"]
COLUMNS = {
    "documents": ["system", "query_id", "doc_id", "rank", "relevance"],
    "subtopics": ["system", "query_id", "doc_id", "rank", "relevance", "subtopic"],
    "paired": ["query_id", "rank_a", "rank_b"],
}
OTHER_VALUES: dict[str, list[Any]] = {"k": [1, 3, 50], "rel": [2, 0.5], "gain": ["exponential"], "alpha": [0, 0.9, 1]}


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        ltr_sql.register(connection)
        connection.execute("set threads = 2")
        yield connection


def strings(definition: Definition) -> list[str]:
    """The measure at several cutoffs, and with each other value of its parameters."""
    taken = [p.name for p in definition.parameters]
    others: list[str] = [""]
    others += [f"({name}={value})" for name in taken if name != "k" for value in OTHER_VALUES[name]]
    cutoffs = [f"@{k}" for k in OTHER_VALUES["k"]] if "k" in taken else []
    cutoffs += [""] if definition.cutoff == "optional" else []
    return [f"{definition.name}{other}{cutoff}" for other, cutoff in product(others, cutoffs)]


def strings_of(*bases: str) -> list[str]:
    return [text for d in definitions().values() if d.base in bases for text in strings(d)]


def check(found: list[Row], rows: list[Row], measures: list[str], keys: list[str]) -> None:
    """Every value equals the oracle's, for every query and no other."""
    queries = grouped(rows, [*keys, "query_id"])
    values = {tuple(_none(row[name]) for name in [*keys, "query_id"]): row for row in found}
    assert values.keys() == queries.keys()
    for key, group in queries.items():
        for text in measures:
            expected = oracle_value(parse_measure(text), group)
            assert difference(_none(values[key][text]), expected) <= TOLERANCE, (key, text, values[key][text], expected)


def _none(value: Any) -> Any:
    return None if pd.isna(value) else value


def records(con: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    cursor = con.execute(query)
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


@settings(max_examples=60)
@given(rankings())
def test_evaluate_equals_the_oracle(con: duckdb.DuckDBPyConnection, rows: list[Row]) -> None:
    measures = strings_of("documents", "lists", "pairs")
    found = ltr_sql.evaluate(frame(rows, COLUMNS["documents"]), measures, keys=KEYS, by_query=True, con=con)
    check(found.to_dict("records"), rows, measures, KEYS)


@settings(max_examples=30)
@given(covers())
def test_evaluate_of_subtopics_equals_the_oracle(con: duckdb.DuckDBPyConnection, rows: list[Row]) -> None:
    measures = [*strings_of("subtopics"), "nDCG@3", "AP", "P(rel=2)@3", "KendallTau", "Spearman"]
    found = ltr_sql.evaluate(frame(rows, COLUMNS["subtopics"]), measures, keys=KEYS, by_query=True, con=con)
    check(found.to_dict("records"), rows, measures, KEYS)


@settings(max_examples=80)
@given(pairs())
def test_evaluate_of_pairs_equals_the_oracle(con: duckdb.DuckDBPyConnection, rows: list[Row]) -> None:
    measures = strings_of("lists", "pairs")
    found = ltr_sql.evaluate(frame(rows, COLUMNS["paired"]), measures, by_query=True, con=con)
    check(found.to_dict("records"), rows, measures, [])


@pytest.mark.parametrize("macro", definitions())
@settings(max_examples=15)
@given(rankings=rankings(), covers=covers(), pairs=pairs())
def test_macro_equals_the_oracle(
    con: duckdb.DuckDBPyConnection, macro: str, rankings: list[Row], covers: list[Row], pairs: list[Row]
) -> None:
    definition = definitions()[macro]
    kind = {"documents": "documents", "subtopics": "subtopics"}.get(definition.base, "paired")
    rows, keys = {"documents": (rankings, KEYS), "subtopics": (covers, KEYS), "paired": (pairs, [])}[kind]
    con.register("input", frame(rows, COLUMNS[kind]))
    for text in strings(definition):
        values = parse_measure(text).values
        options = "".join(f", {name} := {_sql(value)}" for name, value in values)
        found = records(con, f"from ltr.{macro}('input', keys := {keys}::varchar[]{options})")
        check([{**row, text: row[macro]} for row in found], rows, [text], keys)


def _sql(value: Any) -> str:
    return "null" if value is None else repr(value)


@settings(max_examples=25)
@given(rankings())
def test_per_query_in_sql_equals_the_oracle(con: duckdb.DuckDBPyConnection, rows: list[Row]) -> None:
    measures = strings_of("documents", "lists", "pairs")
    con.register("input", frame(rows, COLUMNS["documents"]))
    check(records(con, f"from ltr.per_query('input', {measures}, keys := {KEYS})"), rows, measures, KEYS)


@settings(max_examples=10)
@given(covers())
def test_per_query_of_subtopics_in_sql_equals_the_oracle(con: duckdb.DuckDBPyConnection, rows: list[Row]) -> None:
    measures = [*strings_of("subtopics"), "nDCG@3", "AP", "KendallTau"]
    con.register("input", frame(rows, COLUMNS["subtopics"]))
    check(records(con, f"from ltr.per_query('input', {measures}, keys := {KEYS})"), rows, measures, KEYS)


@settings(max_examples=25)
@given(rankings())
def test_evaluate_averages_the_queries(con: duckdb.DuckDBPyConnection, rows: list[Row]) -> None:
    measures = ["nDCG@3", "AP", "P@2", "KendallTau", "Spearman@3"]
    con.register("input", frame(rows, COLUMNS["documents"]))
    in_sql = records(con, f"from ltr.evaluate('input', {measures}, keys := {KEYS})")
    in_python = ltr_sql.evaluate("input", measures, keys=KEYS, con=con).to_dict("records")
    systems = grouped(rows, KEYS)
    for found in (in_sql, in_python):
        assert len(found) == len(systems)
        for row in found:
            queries = grouped(systems[(_none(row["system"]),)], ["query_id"]).values()
            assert row["queries"] == len(queries)
            for text in measures:
                values = [oracle_value(parse_measure(text), query) for query in queries]
                known = [value for value in values if not pd.isna(value)]
                mean = sum(known) / len(known) if known else float("nan")
                assert difference(_none(row[text]), mean) <= TOLERANCE


@settings(max_examples=30)
@given(rankings())
def test_ap_is_precision_summed_over_steps_of_recall(con: duckdb.DuckDBPyConnection, rows: list[Row]) -> None:
    cutoffs = range(1, 16)
    measures = ["AP", "AP@4", *(f"{name}@{k}" for name in "PR" for k in cutoffs)]
    found = ltr_sql.evaluate(frame(rows, COLUMNS["documents"]), measures, keys=KEYS, by_query=True, con=con)
    for row in found.to_dict("records"):
        recall = {0: 0.0} | {k: row[f"R@{k}"] for k in cutoffs}
        steps = {k: row[f"P@{k}"] * (recall[k] - recall[k - 1]) for k in cutoffs}
        assert row["AP"] == pytest.approx(sum(steps.values()), abs=TOLERANCE)
        assert row["AP@4"] == pytest.approx(sum(steps[k] for k in range(1, 5)), abs=TOLERANCE)


@pytest.mark.parametrize("ties", parameters()["ties"].choices)
@settings(max_examples=30)
@given(scored())
def test_rank_by_score_equals_the_oracle(con: duckdb.DuckDBPyConnection, ties: str, rows: list[Row]) -> None:
    con.register("scored", frame(rows, ["query_id", "doc_id", "score", "relevance", "row_order", "rank"]))
    found = records(con, f"from ltr.rank_by_score('scored', ties := '{ties}')")
    assert {(row["query_id"], row["doc_id"]): row["rank"] for row in found} == _ranks(rows, ties)
    assert len(found) == len(rows)


def _ranks(rows: list[Row], ties: str) -> dict[tuple[str, str], int]:
    ranks: dict[tuple[str, str], int] = {}
    for group in grouped(rows, ["query_id"]).values():
        column = {name: [row[name] for row in group] for name in group[0]}
        places = oracle.rank_by_score(
            column["score"],
            doc_id=column["doc_id"],
            relevance=column["relevance"],
            row_order=column["row_order"],
            given_rank=column["rank"],
            ties=ties,
        )
        ranks |= {(row["query_id"], row["doc_id"]): int(place) for row, place in zip(group, places, strict=True)}
    return ranks


@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "docid_desc_float32", "row_order", "worst", "best"])
@pytest.mark.parametrize("missing", ["zero", "skip"])
@settings(max_examples=15)
@given(rows=scored(), judged=scored())
def test_judge_equals_a_join_by_hand(
    con: duckdb.DuckDBPyConnection, ties: str, missing: str, rows: list[Row], judged: list[Row]
) -> None:
    grades = {(row["query_id"], row["doc_id"]): row["relevance"] for row in judged if row["relevance"] is not None}
    graded = [{**row, "relevance": grades.get((row["query_id"], row["doc_id"]))} for row in rows]
    ranks = _ranks(graded, ties)
    queries = {row["query_id"] for row in rows}
    expected = {
        (*document, ranks.get(document), grade)
        for document, grade in grades.items()
        if missing == "zero" or document[0] in queries
    }
    qrels = [{"query_id": query, "doc_id": doc, "relevance": grade} for (query, doc), grade in grades.items()]
    con.register("run", frame(rows, ["query_id", "doc_id", "score", "row_order"]))
    con.register("qrels", frame(qrels, ["query_id", "doc_id", "relevance"]))
    found = con.execute(
        "select query_id, doc_id, rank, relevance "
        f"from ltr.judge('run', 'qrels', ties := '{ties}', missing := '{missing}')"
    ).fetchall()
    # A run without rows has no system: it judges nothing, like a system that is not there.
    assert set(found) == (expected if rows else set())
    assert len(found) == len(set(found))
