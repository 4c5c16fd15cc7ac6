"""SQL against the oracle on random rankings: every measure, in each of the ways that it can be computed."""

import os
from collections.abc import Callable, Iterator
from itertools import product
from math import exp, log
from random import Random
from statistics import fmean
from typing import Any

import duckdb
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from strategies import Row, covers, covers_of_folds, frame, grouped, pairs, rankings, scored, scored_systems

import ltr_sql
from ltr_sql import oracle
from ltr_sql.inputs.session import session
from ltr_sql.language.catalogue import Definition, definitions, parameters, relations, row_sources
from ltr_sql.language.measure_strings import parse_measure
from ltr_sql.verification import TOLERANCE, difference, oracle_value

# Runs here lack judged queries, and have queries that are not judged: what test_check.py is about.
pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")

# So many times the examples of a usual run: LTR_SQL_MORE_EXAMPLES=20 for a night.
MORE = int(os.environ.get("LTR_SQL_MORE_EXAMPLES", "1"))
settings.register_profile(
    "tests", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("tests")

KEYS = ["system"]
COLUMNS = {
    "documents": ["system", "query_id", "doc_id", "rank", "relevance"],
    "subtopics": ["system", "query_id", "doc_id", "rank", "relevance", "subtopic"],
    "paired": ["query_id", "rank_a", "rank_b", "score_a", "score_b"],
}


def sources_of(*shapes: str) -> list[str]:
    """The row sources that read some shapes of relation."""
    return [source.name for source in row_sources().values() if source.input in shapes]


OTHER_VALUES: dict[str, list[Any]] = {
    "k": [1, 3, 50],
    "rel": [2, 0.5],
    "gain": ["exponential", "linear"],
    "discount": ["rank"],
    "ideal": ["whole"],
    "divisor": ["reachable", "found"],
    "empty": ["1", "skip"],
    "alpha": [0, 0.9, 1],
    "beta": [0, 0.9, 1],
    "p": [0, 0.5, 1],
    "recall": [0, 0.25, 0.3, 1],
    "rounding": ["te9"],
    "multiple": [0.2, 1, 5],
    "beta_squared": [0, 0.25, 4],
    "rel_ret": [2.5],
    "nonrel_ret": [0, -0.5],
    "rel_missed": [-1],
    "nonrel_missed": [0.25],
    "collection_size": [100],
    "max_grade": [4, 10],
    "unit": [1, 3],
    "max_rel": [4, 2, 0.75],
    "min_rel": [0.5],
    "decay": [0, 0.5, 1],
    "T": [0.25, 0.5, 1.5, 3],
    "tied": [0.5],
    "depth": [1, 3, 50],
    "normalize": ["false"],
    "variant": ["a", "b", "c"],
    "scale": ["count"],
    "weights": ["multiplicative"],
    "location": [1, 2.5, 9],
    "level": [0.5, 1, 2],
    "ties": ["a", "b"],
    "kind": ["min", "max", "res"],
}


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        ltr_sql.register(connection)
        connection.execute("set threads = 2")
        yield connection


AVERAGES: dict[str, Callable[[list[float]], float]] = {
    "mean": fmean,
    "sum": sum,
    "geometric": lambda values: exp(fmean(log(max(value, 1e-5)) for value in values)),
}


def strings(definition: Definition) -> list[str]:
    """The measure at several cutoffs, or other values at the @, with each other value of its parameters."""
    taken = [p.name for p in definition.parameters if p.name != definition.at]
    required = {p.name: OTHER_VALUES[p.name][0] for p in definition.required if p.name in taken}
    given = [required, *(required | {name: value} for name in taken for value in other_values(definition, name))]
    others = dict.fromkeys(f"({', '.join(f'{name}={value}' for name, value in g.items())})" if g else "" for g in given)
    at = definition.parameter(definition.at)
    cutoffs = [f"@{value}" for value in OTHER_VALUES[definition.at]] if at else []
    cutoffs += [] if at in definition.required else [""]
    return [f"{definition.name}{other}{cutoff}" for other, cutoff in product(others, cutoffs)]


def other_values(definition: Definition, name: str) -> list[Any]:
    """Values of a parameter that the measure allows."""
    parameter = definition.parameter(name)
    assert parameter is not None
    return [value for value in OTHER_VALUES[name] if parameter.allows(value)]


def strings_of(*sources: str) -> list[str]:
    return [text for d in definitions().values() if d.row_source.name in sources for text in strings(d)]


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


def some_of(*sources: str) -> st.SearchStrategy[list[str]]:
    """Sixty measures of some row sources: a query of all of them takes seconds to plan."""
    every = strings_of(*sources)
    return st.integers(0, 2**32).map(lambda seed: Random(seed).sample(every, min(60, len(every))))


# A ranking and its ideal order have no scores.
OF_DOCUMENTS = sources_of("rankings", "pairs")


@settings(max_examples=20 * MORE)
@given(rankings(), some_of(*OF_DOCUMENTS))
def test_evaluate_equals_the_oracle(con: duckdb.DuckDBPyConnection, rows: list[Row], measures: list[str]) -> None:
    found = ltr_sql.evaluate(
        frame(rows, COLUMNS["documents"]), measures, keys=KEYS, by_query=True, check=bool(rows), con=con
    )
    check(found.to_dict("records"), rows, measures, KEYS)


@settings(max_examples=6 * MORE)
@given(covers())
def test_evaluate_of_subtopics_equals_the_oracle(con: duckdb.DuckDBPyConnection, rows: list[Row]) -> None:
    measures = [*strings_of("coverage", "subtopics"), "nDCG@3", "AP", "P(rel=2)@3", "KendallTau", "Spearman"]
    found = ltr_sql.evaluate(
        frame(rows, COLUMNS["subtopics"]), measures, keys=KEYS, by_query=True, check=bool(rows), con=con
    )
    check(found.to_dict("records"), rows, measures, KEYS)


@settings(max_examples=20 * MORE)
@given(pairs(), some_of(*sources_of("pairs", "scored_pairs")))
def test_evaluate_of_pairs_equals_the_oracle(
    con: duckdb.DuckDBPyConnection, rows: list[Row], measures: list[str]
) -> None:
    found = ltr_sql.evaluate(frame(rows, COLUMNS["paired"]), measures, by_query=True, check=bool(rows), con=con)
    check(found.to_dict("records"), rows, measures, [])


@pytest.mark.parametrize("macro", definitions())
@settings(max_examples=4 * MORE)
@given(rankings=rankings(), covers=covers(), pairs=pairs())
def test_macro_equals_the_oracle(
    con: duckdb.DuckDBPyConnection, macro: str, rankings: list[Row], covers: list[Row], pairs: list[Row]
) -> None:
    definition = definitions()[macro]
    kind = "paired" if definition.paired else "subtopics" if definition.by_subtopic else "documents"
    rows, keys = {"documents": (rankings, KEYS), "subtopics": (covers, KEYS), "paired": (pairs, [])}[kind]
    con.register("input", frame(rows, COLUMNS[kind]))
    for text in strings(definition):
        values = parse_measure(text).values
        options = "".join(f", {name} := {_sql(value)}" for name, value in values)
        found = records(con, f"from ltr.{macro}('input', keys := {keys}::varchar[]{options})")
        check([{**row, text: row[macro]} for row in found], rows, [text], keys)


def _sql(value: Any) -> str:
    return "null" if value is None else repr(value)


@settings(max_examples=8 * MORE)
@given(rankings(), some_of(*OF_DOCUMENTS))
def test_per_query_in_sql_equals_the_oracle(
    con: duckdb.DuckDBPyConnection, rows: list[Row], measures: list[str]
) -> None:
    con.register("input", frame(rows, COLUMNS["documents"]))
    check(records(con, f"from ltr.per_query('input', {measures}, keys := {KEYS})"), rows, measures, KEYS)


@settings(max_examples=4 * MORE)
@given(covers())
def test_per_query_of_subtopics_in_sql_equals_the_oracle(con: duckdb.DuckDBPyConnection, rows: list[Row]) -> None:
    measures = [*strings_of("coverage", "subtopics"), "nDCG@3", "AP", "KendallTau"]
    con.register("input", frame(rows, COLUMNS["subtopics"]))
    check(records(con, f"from ltr.per_query('input', {measures}, keys := {KEYS})"), rows, measures, KEYS)


@st.composite
def mixes(draw: st.DrawFn, sources: list[str]) -> list[str]:
    """A few measures, at least one of each of some row sources."""
    measures = [draw(st.sampled_from(strings_of(source))) for source in sources]
    measures += draw(st.lists(st.sampled_from(strings_of(*sources)), max_size=4))
    return draw(st.permutations(list(dict.fromkeys(measures))))


SOURCES = sources_of("rankings", "covers", "pairs")
LEFT_OUT = [[], sources_of("pairs"), ["subtopics"], ["coverage"], ["documents", "gain_positions"]]


@pytest.mark.parametrize("left_out", LEFT_OUT, ids=["none", "agreement", "greedy", "coverage", "relevance"])
@settings(max_examples=5 * MORE)
@given(data=st.data(), rows=covers_of_folds())
def test_a_mix_of_measures_with_two_keys_equals_the_oracle(
    con: duckdb.DuckDBPyConnection, left_out: list[str], data: st.DataObject, rows: list[Row]
) -> None:
    measures = data.draw(mixes([base for base in SOURCES if base not in left_out]))
    keys = [*KEYS, "fold"]
    table = frame(rows, [*COLUMNS["subtopics"], "fold"])
    con.register("input", table)
    check(records(con, f"from ltr.per_query('input', {measures}, keys := {keys})"), rows, measures, keys)
    found = ltr_sql.evaluate(table, measures, keys=keys, by_query=True, check=bool(rows), con=con)
    check(found.to_dict("records"), rows, measures, keys)


def diversity_calls() -> dict[str, str]:
    """Measures of diversity with mixed values of their parameters, and the call of the macro for each."""
    values: dict[str, list[Any]] = {"alpha": [0.5, 0.9], "rel": [0.5, 2], "beta": [0.3], "k": [2]}
    calls: dict[str, str] = {}
    for definition in definitions().values():
        if not definition.by_subtopic:
            continue
        names = [p.name for p in definition.parameters]
        for mixed in product(*[values[name] for name in names]):
            options = dict(zip(names, mixed, strict=True))
            arguments = ", ".join(f"{name} := {value}" for name, value in options.items())
            at = f"@{options.pop('k')}" if "k" in options else ""
            text = f"{definition.name}({', '.join(f'{name}={value}' for name, value in options.items())}){at}"
            calls[text] = f"ltr.{definition.macro}('input', {arguments}, keys := {KEYS})"
    return calls


@settings(max_examples=3 * MORE)
@given(covers())
def test_a_mix_of_diversity_equals_the_macros(con: duckdb.DuckDBPyConnection, rows: list[Row]) -> None:
    calls = diversity_calls()
    assert len(calls) > 20
    con.register("input", frame(rows, COLUMNS["subtopics"]))
    order = f"order by {', '.join(KEYS)}, query_id"
    fused = records(con, f"from ltr.per_query('input', {list(calls)}, keys := {KEYS}) {order}")
    for text, call in calls.items():
        single = con.execute(f"from {call} {order}").fetchall()
        assert [row[:2] for row in single] == [(row["system"], row["query_id"]) for row in fused]
        for row, (*_, value) in zip(fused, single, strict=True):
            assert difference(row[text], value) <= TOLERANCE, (text, row, value)


@settings(max_examples=8 * MORE)
@given(rankings())
def test_evaluate_averages_the_queries(con: duckdb.DuckDBPyConnection, rows: list[Row]) -> None:
    measures = ["nDCG@3", "AP", "P@2", "KendallTau", "Spearman@3", "NumRet", "NumRelRet", "NumQ", "GMAP", "GMBpref"]
    con.register("input", frame(rows, COLUMNS["documents"]))
    in_sql = records(con, f"from ltr.evaluate('input', {measures}, keys := {KEYS})")
    in_python = ltr_sql.evaluate("input", measures, keys=KEYS, check=bool(rows), con=con).to_dict("records")
    systems = grouped(rows, KEYS)
    for found in (in_sql, in_python):
        assert len(found) == len(systems)
        for row in found:
            queries = grouped(systems[(_none(row["system"]),)], ["query_id"]).values()
            assert row["queries"] == len(queries)
            for text in measures:
                values = [oracle_value(parse_measure(text), query) for query in queries]
                known = [value for value in values if not pd.isna(value)]
                average = AVERAGES[parse_measure(text).definition.average]
                mean = average(known) if known else float("nan")
                assert difference(_none(row[text]), mean) <= TOLERANCE


COUNTING = [d.example for d in definitions().values() if d.reads == "all"]


@pytest.mark.parametrize("unjudged", ["drop", "keep"])
@settings(max_examples=5 * MORE)
@given(rows=scored(), judged=scored())
def test_measures_of_judged_runs_equal_the_oracle(
    con: duckdb.DuckDBPyConnection, unjudged: str, rows: list[Row], judged: list[Row]
) -> None:
    """What is retrieved and not judged counts, whether it has rows or only a number."""
    # A run and judgments that have nothing in common are refused.
    assume(all({row[name] for row in rows} & {row[name] for row in judged} for name in ("query_id", "doc_id")))
    run = frame(rows, ["query_id", "doc_id", "score"])
    qrels = frame(judged, ["query_id", "doc_id", "relevance"])
    # A measure that is alone may have its ranks cut at its cutoff.
    for measures in [COUNTING, ["Judged@2"], ["Unj@3"]]:
        assert set(ltr_sql.verify(run, measures, qrels=qrels, con=con)["verdict"]) == {"equal"}
    con.register("run", run)
    con.register("qrels", qrels)
    con.execute(f"create or replace temp table judged as from ltr.judge('run', 'qrels', unjudged := '{unjudged}')")
    found = grouped(records(con, f"from ltr.per_query('judged', {COUNTING})"), ["query_id"])
    expected = ltr_sql.evaluate(run, COUNTING, qrels=qrels, by_query=True, con=con)
    assert {(query,) for query in expected["query_id"]} == found.keys()
    for row in expected.to_dict("records"):
        (same,) = found[(row["query_id"],)]
        for text in COUNTING:
            assert difference(same[text], row[text]) <= TOLERANCE, (row["query_id"], text)


@settings(max_examples=10 * MORE)
@given(rankings())
def test_ap_is_precision_summed_over_steps_of_recall(con: duckdb.DuckDBPyConnection, rows: list[Row]) -> None:
    cutoffs = range(1, 16)
    measures = ["AP", "AP@4", *(f"{name}@{k}" for name in "PR" for k in cutoffs)]
    found = ltr_sql.evaluate(
        frame(rows, COLUMNS["documents"]), measures, keys=KEYS, by_query=True, check=bool(rows), con=con
    )
    for row in found.to_dict("records"):
        recall = {0: 0.0} | {k: row[f"R@{k}"] for k in cutoffs}
        steps = {k: row[f"P@{k}"] * (recall[k] - recall[k - 1]) for k in cutoffs}
        assert row["AP"] == pytest.approx(sum(steps.values()), abs=TOLERANCE)
        assert row["AP@4"] == pytest.approx(sum(steps[k] for k in range(1, 5)), abs=TOLERANCE)


@pytest.mark.parametrize("ties", parameters()["ties"].choices)
@settings(max_examples=10 * MORE)
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


@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "docid_desc_float32"])
@settings(max_examples=12 * MORE)
@given(rows=scored(), judged=scored(), best_first=st.booleans())
def test_a_run_is_ranked_with_and_without_a_sort(
    con: duckdb.DuckDBPyConnection, ties: str, rows: list[Row], judged: list[Row], best_first: bool
) -> None:
    """A table that lies in rank order is ranked by its places; equal scores may lie in any order."""
    if best_first:
        rows = sorted(rows, key=lambda row: (row["query_id"], -row["score"]))
    qrels = [row for row in judged if row["relevance"] is not None]
    con.register("frame", frame(rows, ["query_id", "doc_id", "score"]))
    con.execute("create or replace table lying as from frame")
    con.register("qrels", frame(qrels, ["query_id", "doc_id", "relevance"]))
    measures = ["AP", "nDCG", "RR(rel=2)", "P@3"]
    found = ltr_sql.evaluate("lying", measures, qrels="qrels", ties=ties, by_query=True, check=False, con=con)
    ranks = _ranks(rows, ties)
    ranked = [{**row, "rank": ranks.get((row["query_id"], row["doc_id"]))} for row in qrels]
    check(found.to_dict("records"), ranked, measures, [])
    with session(con) as state:
        assert state.in_rank_order(state.bind("lying", "run"), ()) or not best_first


@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "docid_desc_float32", "row_order", "worst", "best"])
@pytest.mark.parametrize("missing", ["zero", "skip"])
@settings(max_examples=5 * MORE)
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


@pytest.mark.parametrize("ties", next(p.choices for p in relations()["pair"].parameters if p.name == "ties"))
@settings(max_examples=6 * MORE)
@given(run_a=scored_systems(), run_b=scored_systems(), ranked=st.tuples(st.booleans(), st.booleans()))
def test_pair_equals_a_join_by_hand(
    con: duckdb.DuckDBPyConnection, ties: str, run_a: list[Row], run_b: list[Row], ranked: tuple[bool, bool]
) -> None:
    ranks = []
    for name, rows, has_rank in zip(["run_a", "run_b"], [run_a, run_b], ranked, strict=True):
        columns = ["system", "query_id", "doc_id", *(["rank"] if has_rank else ["score", "row_order"])]
        con.register(name, frame(rows, columns))
        ranks.append(
            {
                (system, *document): rank
                for (system,), group in grouped(rows, KEYS).items()
                for document, rank in (_given_ranks(group) if has_rank else _ranks(group, ties)).items()
            }
        )
    expected = [
        dict(zip(["system", "query_id", "doc_id"], key, strict=True))
        | {"rank_a": ranks[0].get(key), "rank_b": ranks[1].get(key)}
        for key in {**ranks[0], **ranks[1]}
    ]
    paired = f"ltr.pair('run_a', 'run_b', ties := '{ties}', keys := {KEYS})"
    found = records(con, f"select system, query_id, doc_id, rank_a, rank_b from {paired}")
    assert sorted(map(str, found)) == sorted(map(str, expected))
    for macro, text in {"kendall_tau": "KendallTau", "spearman": "Spearman"}.items():
        measured = records(con, f"with p as (from {paired}) from ltr.{macro}('p', keys := {KEYS})")
        check([{**row, text: row[macro]} for row in measured], expected, [text], KEYS)


def _given_ranks(rows: list[Row]) -> dict[tuple[str, str], int]:
    return {(row["query_id"], row["doc_id"]): row["rank"] for row in rows}
