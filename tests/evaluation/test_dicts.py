"""Dicts of dicts give the values, warnings and errors of tables."""

import random
import warnings
from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ltr_sql
from ltr_sql import InputError
from ltr_sql.catalogue.functions import reads_num_ret
from ltr_sql.catalogue.measures import definitions
from ltr_sql.inputs.joined_dicts import joined_dicts

MEASURES = [d.example for d in definitions().values() if not (d.paired or d.by_subtopic or reads_num_ret(d.reads))]
Dicts = dict[str, dict[str, float]]


def made(seed: int) -> tuple[Dicts, Dicts]:
    """Return a run and judgments with ties, empty queries, and queries and documents that only one of them has."""
    rng = random.Random(seed)
    documents = [f"d{number}" for number in range(30)]
    scores = [0.5, -1.0, 2, *(rng.random() for _ in range(3))]
    run = {f"q{q}": {d: rng.choice(scores) for d in rng.sample(documents, rng.randint(0, 20))} for q in range(12)}
    qrels: Dicts = {f"q{q}": {d: rng.choice([-1, 0, 1, 2, 3]) for d in rng.sample(documents, 8)} for q in range(2, 15)}
    return run, {**qrels, "q99": {}}


def as_table(given: Any, name: str) -> pd.DataFrame:
    rows = [(query, document, value) for query, found in given.items() for document, value in found.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", name])


PATHS = {"documents[].id": "doc_id", "documents[].score": "score"}


def as_lists(run: Any) -> pd.DataFrame:
    """Return a run with one row per query, also for a query without documents. Its columns are read by `PATHS`."""
    documents = [[{"id": str(d), "score": score} for d, score in found.items()] for found in run.values()]
    return pd.DataFrame({"query_id": [*map(str, run)], "documents": documents})


def outcome(run: Any, qrels: Any, measures: list[str], **options: Any) -> Any:
    """Return the data frame and the warnings, or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            frame = ltr_sql.evaluate(run, measures, qrels=qrels, **options)
        except ltr_sql.InputError as error:
            return str(error)
    return frame, [str(warning.message) for warning in caught]


@pytest.mark.default("docid_asc-skip-measures1")
@pytest.mark.parametrize(
    ("ties", "missing", "measures"),
    [
        ("docid_desc", "zero", MEASURES),
        ("docid_asc", "skip", MEASURES[:5]),
        ("docid_desc_float32", "zero", MEASURES[:5]),
    ],
)
def test_dicts_give_the_values_of_tables(ties: str, missing: str, measures: list[str]) -> None:
    run, qrels = made(seed=1)
    assert joined_dicts(run, qrels, skip=missing == "skip") is not None
    tables = as_lists(run), as_table(qrels, "relevance")
    for by_query in (True, False):
        options = {"ties": ties, "missing": missing, "by_query": by_query}
        values, texts = outcome(run, qrels, measures, **options)
        expected, expected_texts = outcome(*tables, measures, columns=PATHS, **options)
        pd.testing.assert_frame_equal(values, expected, check_exact=False, rtol=1e-12, atol=1e-12)
        assert texts == expected_texts
        assert any("have no judgments" in text for text in texts)
        assert any("count as 0" in text for text in texts) == (missing == "zero")
    assert len(values.columns) == len(measures) + 1


SCORES = st.sampled_from([0.5, -0.0, 0, 2, 3, 0.1 + 0.2, 0.3, float(np.float32(0.3)), 1e39, 2e39])
DOCUMENTS = st.dictionaries(st.sampled_from("abcdefgéz"), SCORES, min_size=1, max_size=7)
GRADES = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([-1, 0, 1, 2.5, True]), min_size=1, max_size=4)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    st.dictionaries(st.sampled_from("qrst"), DOCUMENTS, min_size=1),
    st.dictionaries(st.sampled_from("qrst"), GRADES, min_size=1),
    st.sampled_from(["docid_desc", "docid_asc", "docid_desc_float32"]),
)
def test_any_dicts_give_the_values_of_tables(run: Any, qrels: Any, ties: str) -> None:
    assume(joined_dicts(run, qrels, skip=False) is not None)
    options = {"ties": ties, "by_query": True}
    values = outcome(run, qrels, ["AP", "RR", "nDCG", "Bpref"], **options)
    tables = as_lists(run), as_table(qrels, "relevance").astype({"relevance": float})
    expected = outcome(*tables, ["AP", "RR", "nDCG", "Bpref"], columns=PATHS, **options)
    pd.testing.assert_frame_equal(values[0], expected[0], check_exact=False, rtol=1e-12, atol=1e-12)
    assert values[1] == expected[1]


def test_only_queries_with_a_judged_document_in_a_tie_have_ids() -> None:
    scores = {"a": 1.0, "b": 1.0, "c": 2.0}
    run = {"p": scores, "q": scores, "r": {"z": 3.0}, "s": scores, "t": {**scores, "d": 2.5}, "u": {}}
    judged = {"p": {"c": 1}, "q": {"b": 1}, "r": {"y": 1}, "s": {"a": 0}, "t": {"c": 1, "d": 1}, "u": {"a": 1}}
    joined = joined_dicts(run, judged, skip=False)
    assert joined is not None
    without, tied, not_retrieved = joined.parts(all_ids=False)
    assert without["query_id"].tolist() == [0, 0, 0, 2, 4, 4, 4, 4]
    assert "doc_id" not in without
    assert tied["query_id"].tolist() == [1, 1, 1, 3, 3, 3]
    assert tied["doc_id"].tolist() == [*"abcabc"]
    assert not_retrieved["query_id"].tolist() == [2, 5]
    with_ids, not_retrieved = joined.parts(all_ids=True)
    assert with_ids["doc_id"].tolist() == [*"abcabczabcabcd"]


INEXACT = 2**53 + 1
# Inputs that are evaluated as tables, and whether their evaluation is an error.
AS_TABLES: dict[str, tuple[Any, Any, bool]] = {
    "ids of integers": ({1: {2: 0.5}}, {1: {2: 1}}, False),
    "ids of integers in judgments": ({"1": {"2": 0.5, "3": 1.0}}, {1: {2: 1}}, False),
    "documents of integers in a run": ({"1": {2: 0.5, 3: 1.0}}, {"1": {"2": 1}}, False),
    "judged ids beyond ASCII": ({"q": {"é": 0.5, "a": 1.0}}, {"q": {"é": 1}}, False),
    "large scores": ({"q": {"a": INEXACT - 1, "b": INEXACT}}, {"q": {"a": 1}}, False),
    "a score that is not a number": ({"q": {"a": np.nan}}, {"q": {"a": 1}}, True),
    "an infinite score": ({"q": {"a": np.inf}}, {"q": {"a": 1}}, True),
    "a score that is text": ({"q": {"a": "high"}}, {"q": {"a": 1}}, True),
    "no score": ({"q": {"a": None}}, {"q": {"a": 1}}, True),
    "an infinite grade": ({"q": {"a": 1.0}}, {"q": {"a": np.inf}}, True),
    "an infinite grade of another document": ({"q": {"a": 1.0}}, {"q": {"a": 1, "b": np.inf}}, True),
    "a grade that is text": ({"q": {"a": 1.0}}, {"q": {"a": "good"}}, True),
    "a large grade": ({"q": {"a": 1.0}}, {"q": {"a": 10**400}}, True),
    "a grade in full-width digits": ({"q": {"a": 1.0}}, {"q": {"a": "\uff11"}}, True),
    "no common query": ({"q": {"a": 1.0}}, {"Q": {"a": 1}}, True),
    "no common document": ({"q": {"a": 1.0}}, {"q": {"A": 1}}, True),
    "a run without documents": ({"q": {}}, {"q": {"a": 1}}, False),
    "other mappings": ({"q": MappingProxyType({"a": 1.0, "b": 2.0})}, {"q": {"a": 1}}, False),
}


@pytest.mark.parametrize("case", AS_TABLES)
def test_other_dicts_are_evaluated_as_tables(case: str) -> None:
    run, qrels, is_error = AS_TABLES[case]
    assert joined_dicts(run, qrels, skip=False) is None
    found = outcome(run, qrels, ["AP", "nDCG"])
    assert isinstance(found, str) == is_error, found
    if not is_error:
        tables = as_lists(run), as_table(qrels, "relevance").astype({"doc_id": str})
        pd.testing.assert_frame_equal(found[0], outcome(*tables, ["AP", "nDCG"], columns=PATHS)[0])


def test_ids_that_are_not_utf8_are_left_to_duckdb() -> None:
    """DuckDB 2.0 refuses them, and 1.5 closes the database, so they are not evaluated here."""
    assert joined_dicts({"q": {"a": 1.0, "\ud800": 2.0}}, {"q": {"a": 1}}, skip=False) is None


@pytest.mark.parametrize("number", [None, np.nan])
def test_judgments_without_a_grade_are_evaluated_as_tables(number: float | None) -> None:
    run, qrels = {"q": {"a": 1.0, "b": 0.5}}, {"q": {"a": number, "b": 1}}
    assert joined_dicts(run, qrels, skip=False) is None
    values, _ = outcome(run, qrels, ["RR"])
    assert values["RR"].tolist() == [0.5]


def test_subclasses_of_dict_are_dicts() -> None:
    run, qrels = made(seed=2)
    ordered = OrderedDict((query, OrderedDict(found)) for query, found in run.items())
    assert joined_dicts(ordered, qrels, skip=False) is not None
    pd.testing.assert_frame_equal(outcome(ordered, qrels, ["AP"])[0], outcome(run, qrels, ["AP"])[0])


def test_a_grade_that_a_measure_rejects_is_an_error_in_dicts() -> None:
    run, qrels = {"q": {"a": 1.0}}, {"q": {"a": 1e101}}
    assert joined_dicts(run, qrels, skip=False) is not None
    assert "grade" in outcome(run, qrels, ["nDCG"])


@pytest.mark.parametrize("further", [{}, {"e": {"x": 1}}, {"\u00e9": {"x": 1}}])
def test_integers_that_floats_round_are_refused(further: dict[str, dict[str, int]]) -> None:
    run = {"q": {"a": 2**60 + 1, "b": float(2**60)}}
    with pytest.raises(InputError, match=f"score has floats and the integer {2**60 + 1}, which a float may round"):
        ltr_sql.evaluate(run, ["RR"], qrels={"q": {"a": 1, "b": 0}, **further})


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_ids_that_are_missing_are_refused(missing: float | None) -> None:
    qrels = {"q": {"b": 1, str(missing): 1}, str(missing): {"b": 1}}
    runs: list[dict[Any, Any]] = [{"q": {missing: 2.0, "b": 1.0}}, {"q": {"b": 1.0}, missing: {"b": 1.0}}]
    for run in runs:
        with pytest.raises(InputError, match="an id is NULL"):
            ltr_sql.evaluate(run, ["RR"], qrels=qrels)
