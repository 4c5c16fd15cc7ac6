"""Compare SQL with the oracle on random rankings: every measure, by every entry point."""

from collections.abc import Callable
from functools import cache
from itertools import product
from math import exp, log
from random import Random
from statistics import fmean
from typing import Any

import duckdb
import pandas as pd
import pytest
from hypothesis import strategies as st
from support.measure_texts import _none, check, some_strings, sources_of, strings, strings_of
from support.strategies import (
    Row,
    apart,
    covers,
    covers_of_folds,
    drawn,
    frame,
    grouped,
    joined,
    pairs,
    rankings,
    scored,
    scored_systems,
)

import ltr_sql
from ltr_sql import oracle
from ltr_sql.catalogue.functions import relations
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.catalogue.measures import Definition, definitions
from ltr_sql.catalogue.parameters import parameters
from ltr_sql.evaluation import accuracy
from ltr_sql.evaluation.accuracy import in_rank_order
from ltr_sql.inputs.session import session
from ltr_sql.verification import TOLERANCE, difference, oracle_value

# Runs here lack judged queries and have queries without judgments, which test_check.py tests.
pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")

KEYS = ["system"]
COLUMNS = {
    "documents": ["system", "query_id", "doc_id", "rank", "relevance"],
    "subtopics": ["system", "query_id", "doc_id", "rank", "relevance", "subtopic"],
    "paired": ["query_id", "rank_a", "rank_b", "score_a", "score_b"],
}


AVERAGES: dict[str, Callable[[list[float]], float]] = {
    "mean": fmean,
    "sum": sum,
    "geometric": lambda values: exp(fmean(log(max(value, 1e-5)) for value in values)),
}


def shuffled(texts: list[str], seed: int = 0) -> list[str]:
    """Return the texts in random order, identical in each test run."""
    return Random(seed).sample(texts, len(texts))


def records(con: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    cursor = con.execute(query)
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


# The examples of each kind, as one table

EXAMPLES: dict[str, Callable[[], list[list[Row]]]] = {
    "documents": lambda: drawn(rankings(), 20),
    "subtopics": lambda: drawn(covers(), 8),
    "paired": lambda: drawn(pairs(), 20),
}
KEYS_OF = {"documents": ["example", "system"], "subtopics": ["example", "system"], "paired": ["example"]}


@cache
def rows_of(kind: str) -> list[Row]:
    return joined(EXAMPLES[kind]())


@cache
def rows_of_folds() -> list[Row]:
    return joined(drawn(covers_of_folds(), 6))


@pytest.fixture(scope="module")
def con(module_con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Connection with the macros, and one table of examples per kind."""
    for kind, keys in KEYS_OF.items():
        module_con.register("given", frame(rows_of(kind), [*dict.fromkeys([*keys, *COLUMNS[kind]])]))
        module_con.execute(f"create table {kind} as from given")
        module_con.unregister("given")
    return module_con


@pytest.mark.slow
def test_the_examples_cover_edge_cases() -> None:
    """The examples contain empty tables, ties, gaps, NULLs and several systems."""
    for kind in KEYS_OF:
        examples = EXAMPLES[kind]()
        assert len(examples) >= 8
        assert any(not rows for rows in examples) or kind == "subtopics"
    documents, paired = rows_of("documents"), rows_of("paired")
    assert {row["system"] for row in documents} == {"a", "b", None}
    assert {row["relevance"] for row in documents} >= {None, -2, 0, 0.5, 2.25}
    lists = grouped(documents, ["example", "system", "query_id"]).values()
    ranks = [sorted(row["rank"] for row in rows if row["rank"] is not None) for rows in lists]
    assert any(None in {row["rank"] for row in rows} for rows in lists)
    assert any(found and found != list(range(1, len(found) + 1)) for found in ranks)
    assert [] in ranks
    lists = grouped(paired, ["example", "query_id"]).values()
    assert any(len({row["rank_a"] for row in rows}) < len(rows) for rows in lists)
    assert any(row["rank_a"] is None for row in paired)
    assert any(row["rank_b"] == 2.5 for row in paired)


@pytest.mark.default("subtopics", "paired")
@pytest.mark.parametrize("kind", KEYS_OF)
def test_empty_tables_have_no_values(kind: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"create or replace temp view no_rows as from {kind} limit 0")
    measures = {"documents": ["AP", "nDCG@3", "KendallTau"], "subtopics": ["alpha_nDCG", "AP"], "paired": ["RBO"]}[kind]
    found = ltr_sql.evaluate("no_rows", measures, keys=KEYS_OF[kind], by_query=True, check=False, con=con)
    assert list(found.columns) == [*KEYS_OF[kind], "query_id", *measures]
    assert len(found) == 0
    if kind != "paired":
        assert con.execute(f"from ltr.per_query('no_rows', {measures}, keys := {KEYS_OF[kind]})").fetchall() == []


# Number of measures in one query, because planning time grows faster than their number.
TOGETHER = 120
EXTRA = {"documents": [], "subtopics": ["nDCG@3", "AP", "P(rel=2)@3", "KendallTau", "Spearman"], "paired": []}


def chunks(*kinds: str) -> pytest.MarkDecorator:
    """Parametrize by kind and measures. Combinations of parameters are marked slow."""
    # Rankings paired with their ideal order have no scores.
    shapes = {"documents": ["rankings", "pairs"], "subtopics": ["covers"], "paired": ["pairs", "scored_pairs"]}
    params = []
    for kind in kinds:
        of_kind = [d for d in definitions().values() if d.row_source.input in shapes[kind]]
        some = [text for definition in of_kind for text in some_strings(definition)]
        more = [text for definition in of_kind for text in strings(definition) if text not in some]
        for texts, marks in ((some, []), (more, [pytest.mark.slow])):
            cut = range(0, len(texts), TOGETHER)
            params += [
                pytest.param(kind, texts[i : i + TOGETHER] + EXTRA[kind], marks=marks, id=f"{kind} {texts[i]}")
                for i in cut
            ]
    return pytest.mark.parametrize(("kind", "measures"), params)


@pytest.mark.slow
@chunks("documents", "subtopics", "paired")
def test_evaluate_equals_the_oracle(con: duckdb.DuckDBPyConnection, kind: str, measures: list[str]) -> None:
    found = ltr_sql.evaluate(kind, measures, keys=KEYS_OF[kind], by_query=True, con=con)
    check(found.to_dict("records"), rows_of(kind), measures, KEYS_OF[kind])


@pytest.mark.slow
@chunks("documents", "subtopics")
def test_per_query_in_sql_equals_the_oracle(con: duckdb.DuckDBPyConnection, kind: str, measures: list[str]) -> None:
    found = records(con, f"from ltr.per_query('{kind}', {measures}, keys := {KEYS_OF[kind]})")
    check(found, rows_of(kind), measures, KEYS_OF[kind])


def check_macro(con: duckdb.DuckDBPyConnection, definition: Definition, measures: list[str]) -> None:
    kind = "paired" if definition.paired else "subtopics" if definition.by_subtopic else "documents"
    for text in measures:
        if ("ideal", "returned") in parse_measure(text).values:
            # Only measure strings take this value.
            continue
        options = "".join(f", {name} := {_sql(value)}" for name, value in parse_measure(text).values)
        found = records(con, f"from ltr.{definition.macro}('{kind}', keys := {KEYS_OF[kind]}{options})")
        check([{**row, text: row[definition.macro]} for row in found], rows_of(kind), [text], KEYS_OF[kind])


def _sql(value: Any) -> str:
    return "null" if value is None else repr(value)


@pytest.mark.default("g")
@pytest.mark.parametrize("macro", definitions())
def test_macro_equals_the_oracle(con: duckdb.DuckDBPyConnection, macro: str) -> None:
    check_macro(con, definitions()[macro], some_strings(definitions()[macro]))


@pytest.mark.slow
@pytest.mark.parametrize("macro", definitions())
def test_macro_with_all_its_options_equals_the_oracle(con: duckdb.DuckDBPyConnection, macro: str) -> None:
    """Call the macro with every third combination of its options. `per_query` and `evaluate` test all of them."""
    definition = definitions()[macro]
    more = [text for text in strings(definition) if text not in some_strings(definition)]
    check_macro(con, definition, more[::3])


SOURCES = sources_of("rankings", "covers", "pairs")
LEFT_OUT = [[], sources_of("pairs"), ["subtopics"], ["coverage"], ["documents", "gain_positions"]]


@pytest.mark.slow
@pytest.mark.parametrize("left_out", LEFT_OUT, ids=["none", "agreement", "greedy", "coverage", "relevance"])
@pytest.mark.parametrize("seed", range(3))
def test_a_mix_of_measures_with_two_keys_equals_the_oracle(
    con: duckdb.DuckDBPyConnection, left_out: list[str], seed: int
) -> None:
    """Test a few measures, with at least one of each row source that is not left out."""
    rng = Random(seed)
    sources = [source for source in SOURCES if source not in left_out]
    measures = [rng.choice(strings_of(source)) for source in sources]
    measures = shuffled([*dict.fromkeys([*measures, *rng.sample(strings_of(*sources), 4)])], seed)
    rows, keys = rows_of_folds(), ["example", *KEYS, "fold"]
    table = frame(rows, [*COLUMNS["subtopics"], "example", "fold"])
    con.register("input", table)
    check(records(con, f"from ltr.per_query('input', {measures}, keys := {keys})"), rows, measures, keys)
    found = ltr_sql.evaluate(table, measures, keys=keys, by_query=True, con=con)
    check(found.to_dict("records"), rows, measures, keys)


def diversity_calls() -> dict[str, str]:
    """Return diversity measures with combinations of parameters, and the macro call of each."""
    values: dict[str, list[Any]] = {"alpha": [0.5, 0.9], "rel": [0.5, 2], "beta": [0.3], "k": [2]}
    calls: dict[str, str] = {}
    for definition in definitions().values():
        if not definition.by_subtopic or definition.row_source.strata:
            continue
        names = [p.name for p in definition.parameters if p.name in values]
        for mixed in product(*[values[name] for name in names]):
            options = dict(zip(names, mixed, strict=True))
            arguments = ", ".join(f"{name} := {value}" for name, value in options.items())
            at = f"@{options.pop('k')}" if "k" in options else ""
            text = f"{definition.name}({', '.join(f'{name}={value}' for name, value in options.items())}){at}"
            calls[text] = f"ltr.{definition.macro}('subtopics', {arguments}, keys := {KEYS_OF['subtopics']})"
    return calls


@pytest.mark.slow
def test_a_mix_of_diversity_equals_the_macros(con: duckdb.DuckDBPyConnection) -> None:
    calls, keys = diversity_calls(), KEYS_OF["subtopics"]
    assert len(calls) > 20
    order = f"order by {', '.join(keys)}, query_id"
    fused = records(con, f"from ltr.per_query('subtopics', {list(calls)}, keys := {keys}) {order}")
    assert fused
    for text, call in calls.items():
        single = con.execute(f"from {call} {order}").fetchall()
        assert [row[:3] for row in single] == [(row["example"], row["system"], row["query_id"]) for row in fused]
        for row, (*_, value) in zip(fused, single, strict=True):
            assert difference(row[text], value) <= TOLERANCE, (text, row, value)


@pytest.mark.slow
def test_evaluate_averages_the_queries(con: duckdb.DuckDBPyConnection) -> None:
    measures = ["nDCG@3", "AP", "P@2", "KendallTau", "Spearman@3", "NumRet", "NumRelRet", "NumQ", "GMAP", "GMBpref"]
    keys = KEYS_OF["documents"]
    in_sql = records(con, f"from ltr.evaluate('documents', {measures}, keys := {keys})")
    in_python = ltr_sql.evaluate("documents", measures, keys=keys, con=con).to_dict("records")
    systems = grouped(rows_of("documents"), keys)
    for found in (in_sql, in_python):
        assert {(row["example"], _none(row["system"])) for row in found} == systems.keys()
        assert len(found) == len(systems)
        for row in found:
            queries = grouped(systems[row["example"], _none(row["system"])], ["query_id"]).values()
            assert row["queries"] == len(queries)
            for text in measures:
                values = [oracle_value(parse_measure(text), query) for query in queries]
                known = [value for value in values if not pd.isna(value)]
                average = AVERAGES[parse_measure(text).definition.average]
                mean = average(known) if known else float("nan")
                assert difference(_none(row[text]), mean) <= TOLERANCE, (row, text, mean)


COUNTING = [d.example for d in definitions().values() if d.reads == "all"]


@pytest.mark.slow
@pytest.mark.parametrize("unjudged", ["drop", "keep"])
def test_measures_of_judged_runs_equal_the_oracle(con: duckdb.DuckDBPyConnection, unjudged: str) -> None:
    """Unjudged retrieved documents count, whether they have rows or are only counted in num_ret."""
    rows, judged = map(apart, zip(*drawn(st.tuples(scored(), scored()), 12), strict=True))
    run = frame(rows, ["query_id", "doc_id", "score"])
    qrels = frame(judged, ["query_id", "doc_id", "relevance"])
    # If all measures have a cutoff, deeper documents may get no rank.
    for measures in [COUNTING, ["Judged@2"], ["Unj@3"]]:
        assert set(ltr_sql.verify(run, measures, qrels=qrels, con=con)["verdict"]) == {"equal"}
    con.register("run", run)
    con.register("qrels", qrels)
    con.execute(f"create or replace temp table judged as from ltr.judge('run', 'qrels', unjudged := '{unjudged}')")
    found = grouped(records(con, f"from ltr.per_query('judged', {COUNTING})"), ["query_id"])
    expected = ltr_sql.evaluate(run, COUNTING, qrels=qrels, by_query=True, con=con)
    assert len(expected) > 10
    assert {(query,) for query in expected["query_id"]} == found.keys()
    for row in expected.to_dict("records"):
        (same,) = found[(row["query_id"],)]
        for text in COUNTING:
            assert difference(same[text], row[text]) <= TOLERANCE, (row["query_id"], text)


def test_ap_is_precision_summed_over_steps_of_recall(con: duckdb.DuckDBPyConnection) -> None:
    cutoffs = range(1, 16)
    measures = ["AP", "AP@4", *(f"{name}@{k}" for name in "PR" for k in cutoffs)]
    found = ltr_sql.evaluate("documents", measures, keys=KEYS_OF["documents"], by_query=True, con=con)
    assert (found["AP"] > 0).sum() > 10
    for row in found.to_dict("records"):
        recall = {0: 0.0} | {k: row[f"R@{k}"] for k in cutoffs}
        steps = {k: row[f"P@{k}"] * (recall[k] - recall[k - 1]) for k in cutoffs}
        assert row["AP"] == pytest.approx(sum(steps.values()), abs=TOLERANCE), row
        assert row["AP@4"] == pytest.approx(sum(steps[k] for k in range(1, 5)), abs=TOLERANCE), row


@pytest.mark.default("docid_desc", "docid_desc_float32", "worst", "best")
@pytest.mark.parametrize("ties", parameters()["ties"].choices)
def test_rank_by_score_equals_the_oracle(con: duckdb.DuckDBPyConnection, ties: str) -> None:
    rows = apart(drawn(scored(), 20))
    con.register("scored", frame(rows, ["query_id", "doc_id", "score", "relevance", "row_order", "rank"]))
    found = records(con, f"from ltr.rank_by_score('scored', ties := '{ties}')")
    assert {(row["query_id"], row["doc_id"]): row["rank"] for row in found} == _ranks(rows, ties)
    assert len(found) == len(rows) > 50


def _ranks(rows: list[Row], ties: str) -> dict[tuple[str, str], int]:
    ranks: dict[tuple[str, str], int] = {}
    for group in grouped(rows, ["query_id"]).values():
        column = {name: [row[name] for row in group] for name in group[0]}
        positions = oracle.rank_by_score(
            column["score"],
            doc_id=column["doc_id"],
            relevance=column["relevance"],
            row_order=column["row_order"],
            given_rank=column["rank"],
            ties=ties,
        )
        ranks |= {
            (row["query_id"], row["doc_id"]): int(position) for row, position in zip(group, positions, strict=True)
        }
    return ranks


@pytest.mark.default("False-docid_desc")
@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "docid_desc_float32"])
@pytest.mark.parametrize("best_first", [True, False])
def test_a_run_is_ranked_with_and_without_a_sort(con: duckdb.DuckDBPyConnection, ties: str, best_first: bool) -> None:
    """A table stored in rank order is ranked by row position; tied rows may be stored in any order."""
    rows, judged = map(apart, zip(*drawn(st.tuples(scored(), scored()), 20), strict=True))
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
        assert in_rank_order(con, state.bind("lying", "run"), ()) == best_first


@pytest.mark.default("judged-docid_desc")
@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "docid_desc_float32", "row_order", "worst", "best"])
@pytest.mark.parametrize("read", ["relevant", "judged"])
def test_a_large_run_is_ranked_by_counting(
    con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch, ties: str, read: str
) -> None:
    """Ranks that are counted equal ranks that are sorted, for every rule of ties."""
    monkeypatch.setattr(accuracy, "_COUNTED", 1)
    monkeypatch.setattr(accuracy, "_JUDGED", 100)
    rows, judged = map(apart, zip(*drawn(st.tuples(scored(), scored()), 20), strict=True))
    qrels = [row for row in judged if row["relevance"] is not None]
    grades = {(row["query_id"], row["doc_id"]): row["relevance"] for row in qrels}
    graded = [{**row, "relevance": grades.get((row["query_id"], row["doc_id"]))} for row in rows]
    con.register("frame", frame(rows, ["query_id", "doc_id", "score", "row_order"]))
    con.register("qrels", frame(qrels, ["query_id", "doc_id", "relevance"]))
    measures = ["AP", "nDCG", "RR(rel=2)", "P@3"] if read == "relevant" else ["Bpref", "RBP", "nDCG"]
    with session(con) as state:
        tables = state.bind("frame", "run"), state.bind("qrels", "qrels")
        assert accuracy.ranking(con, *tables, (), True) == "counted"
    found = ltr_sql.evaluate("frame", measures, qrels="qrels", ties=ties, by_query=True, con=con)
    ranks = _ranks(graded, ties)
    ranked = [{**row, "rank": ranks.get((row["query_id"], row["doc_id"]))} for row in qrels]
    check(found.to_dict("records"), ranked, measures, [])


@pytest.mark.default("zero-row_order")
@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "docid_desc_float32", "row_order", "worst", "best"])
@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_judge_equals_a_join_by_hand(con: duckdb.DuckDBPyConnection, ties: str, missing: str) -> None:
    rows, judged = map(apart, zip(*drawn(st.tuples(scored(), scored()), 20), strict=True))
    grades = {(row["query_id"], row["doc_id"]): row["relevance"] for row in judged if row["relevance"] is not None}
    graded = [{**row, "relevance": grades.get((row["query_id"], row["doc_id"]))} for row in rows]
    ranks = _ranks(graded, ties)
    queries = {row["query_id"] for row in rows}
    expected = {
        (*document, ranks.get(document), grade)
        for document, grade in grades.items()
        if missing == "zero" or document[0] in queries
    }
    assert len(expected) > 50
    assert {query for query, _ in grades} - queries
    qrels = [{"query_id": query, "doc_id": doc, "relevance": grade} for (query, doc), grade in grades.items()]
    con.register("run", frame(rows, ["query_id", "doc_id", "score", "row_order"]))
    con.register("qrels", frame(qrels, ["query_id", "doc_id", "relevance"]))
    query = (
        "select query_id, doc_id, rank, relevance "
        f"from ltr.judge('{{}}', 'qrels', ties := '{ties}', missing := '{missing}')"
    )
    found = con.execute(query.format("run")).fetchall()
    assert set(found) == expected
    assert len(found) == len(set(found))
    con.register("no_run", frame([], ["query_id", "doc_id", "score", "row_order"]))
    with pytest.raises(duckdb.Error, match="the run has no rows"):
        con.execute(query.format("no_run"))


@pytest.mark.default("(True, False)-docid_desc_float32")
@pytest.mark.parametrize("ties", next(p.choices for p in relations()["pair"].parameters if p.name == "ties"))
@pytest.mark.parametrize("ranked", [(True, False), (False, False), (True, True), (False, True)], ids=str)
def test_pair_equals_a_join_by_hand(con: duckdb.DuckDBPyConnection, ties: str, ranked: tuple[bool, bool]) -> None:
    ranks = []
    runs = map(apart, zip(*drawn(st.tuples(scored_systems(), scored_systems()), 12), strict=True))
    for name, rows, has_rank in zip(["run_a", "run_b"], runs, ranked, strict=True):
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
    assert len(expected) > 50
    paired = f"ltr.pair('run_a', 'run_b', ties := '{ties}', keys := {KEYS})"
    found = records(con, f"select system, query_id, doc_id, rank_a, rank_b from {paired}")
    assert sorted(map(str, found)) == sorted(map(str, expected))
    for macro, text in {"kendall_tau": "KendallTau", "spearman": "Spearman"}.items():
        measured = records(con, f"with p as (from {paired}) from ltr.{macro}('p', keys := {KEYS})")
        check([{**row, text: row[macro]} for row in measured], expected, [text], KEYS)


def _given_ranks(rows: list[Row]) -> dict[tuple[str, str], int]:
    return {(row["query_id"], row["doc_id"]): row["rank"] for row in rows}
