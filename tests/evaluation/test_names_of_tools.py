"""Measures that users of RAG and recommender tools ask for by name: their values, and hints for other names."""

import random
import re

import duckdb
import pandas as pd
import pytest
from support.places import ROOT

import ltr_sql
from ltr_sql.catalogue.measure_strings import folded, letters_between, parse_measure, words
from ltr_sql.catalogue.measures import definitions_by_name

# Formulas of the tools

K = 3


def context_precision(verdicts: list[bool]) -> float:
    """RAGAS, `_calculate_average_precision`: the precision at each useful context, averaged over these contexts."""
    at_hits = [sum(verdicts[:i]) / i for i, useful in enumerate(verdicts, 1) if useful]
    return sum(at_hits) / len(at_hits) if at_hits else 0.0


def id_based_precision(retrieved: list[str], reference: set[str]) -> float | None:
    """RAGAS, IDBasedContextPrecision: NaN, which its mean leaves out, if no context was retrieved."""
    return len(set(retrieved) & reference) / len(retrieved) if retrieved else None


def full_recall(retrieved: list[str], groups: list[set[str]]) -> float:
    """AutoRAG-Research, full_recall: each group of interchangeable documents needs one that was retrieved."""
    return float(bool(groups) and all(group & set(retrieved) for group in groups))


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_measures_equal_the_formulas_of_the_tools() -> None:
    source = random.Random(36)
    lists: dict[str, list[str]] = {}
    evidence: dict[str, list[set[str]]] = {}
    for number in range(60):
        lists[f"q{number}"] = source.sample("abcdefgh", source.randrange(6))
        evidence[f"q{number}"] = [
            set(source.sample("abcdefgh", source.randrange(1, 3))) for _ in range(source.randrange(4))
        ]
    relevant = {query: set().union(*groups) for query, groups in evidence.items()}
    qrels = pd.DataFrame(
        [
            (query, doc, f"g{i}", 1)
            for query, groups in evidence.items()
            for i, group in enumerate(groups)
            for doc in sorted(group)
        ]
        + [(query, "unseen", None, 0) for query in evidence],
        columns=["query_id", "doc_id", "subtopic", "relevance"],
    )
    run = pd.DataFrame(
        [(query, doc, rank) for query, docs in lists.items() for rank, doc in enumerate(docs, 1)],
        columns=["query_id", "doc_id", "rank"],
    )
    plain = qrels[["query_id", "doc_id", "relevance"]].drop_duplicates()
    measures = [f"{name}@{K}" for name in ("ContextPrecision", "ContextRecall", "IDContextPrecision", "FullRecall")]
    values = ltr_sql.evaluate(run, [*measures, "FalseAlarm"], qrels=plain, by_query=True).set_index("query_id")
    groups_found = ltr_sql.evaluate(run, [f"StFullRecall@{K}"], qrels=qrels, by_query=True).set_index("query_id")
    assert len(values) == len(groups_found) == len(lists)
    for query, row in values.iterrows():
        top, wanted = lists[str(query)][:K], relevant[str(query)]
        expected = [
            context_precision([doc in wanted for doc in top]),
            len(set(top) & wanted) / len(wanted) if wanted else 0,
            id_based_precision(top, wanted),
            full_recall(top, [{doc} for doc in wanted]),
            None if wanted else float(bool(top)),
        ]
        assert [None if pd.isna(value) else value for value in row] == pytest.approx(expected, abs=1e-12), query
        assert groups_found.loc[query].item() == full_recall(top, evidence[str(query)]), query


def test_ann_recall_is_the_overlap_with_the_exact_neighbours() -> None:
    exact = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    approximate = {"q": {"a": 3.0, "c": 2.0, "x": 1.0}}
    assert ltr_sql.agreement(approximate, exact, ["ANNRecall@3"])["ANNRecall@3"].item() == pytest.approx(2 / 3)


# Hints

# Names of other tools, and what the error says in Python and in SQL.
HINTS = [
    ("ContextPrecison@5", "; did you mean ContextPrecision?"),
    ("full-recal", "; did you mean FullRecall?"),
    ("Kendal_Tau", "; did you mean KendallTau?"),
    ("NRR@5", "; did you mean ERR or MRR or NCRR?"),
    ("answer_relevancy", ": it measures generated answers, and ltr_sql measures rankings"),
    ("sDCG@10", ": measures of sessions are queries over values of DCG or RBP (docs/recipes.md); SDCG is scaled DCG"),
]


@pytest.mark.parametrize(("text", "hint"), HINTS, ids=[text for text, _ in HINTS])
def test_hints_are_the_same_in_python_and_sql(text: str, hint: str, con: duckdb.DuckDBPyConnection) -> None:
    message = re.escape(f"unknown measure '{text}'{hint}")
    with pytest.raises(ltr_sql.MeasureError, match=f"^{message}$"):
        parse_measure(text)
    with pytest.raises(duckdb.InvalidInputException, match=message):
        con.execute("from ltr.evaluate('any', [?])", [text])


def test_far_names_are_not_suggested() -> None:
    with pytest.raises(ltr_sql.MeasureError, match="to list all measures"):
        parse_measure("Understandability")


def test_other_cases_of_sdcg_are_scaled_dcg() -> None:
    assert {str(parse_measure(f"{name}(max_rel=2)@5")) for name in ("SDCG", "sdcg", "Sdcg")} == {"SDCG(max_rel=2)@5"}


def test_distances_equal_those_of_duckdb() -> None:
    source = random.Random(7)
    pairs = [["".join(source.choices("abc", k=source.randrange(7))) for _ in "ab"] for _ in range(400)]
    rows = duckdb.execute(
        "select damerau_levenshtein(p[1], p[2]) from (select unnest(?::varchar[][]) as p)", [pairs]
    ).fetchall()
    assert [letters_between(a, b) for a, b in pairs] == [letters for (letters,) in rows]


def test_words_are_no_measures_and_name_pages_that_exist() -> None:
    root = ROOT
    for word, hint in words().items():
        assert word not in {name for d in definitions_by_name().values() for name in (d.name, *d.aliases, *d.named)}
        assert word == "sDCG" or folded(word) not in map(folded, definitions_by_name())
        assert all((root / page).is_file() for page in re.findall(r"docs/[a-z_]+\.md", hint))
