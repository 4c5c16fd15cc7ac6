"""Documents that are in one ranking more than once, also those that no judgment names: they shift all ranks below."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import ltr_sql
from ltr_sql import InputError
from ltr_sql.validation import checks

DOCUMENTS = pd.DataFrame({"query_id": "q", "doc_id": ["x", "x", "a"]})
QRELS = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "relevance": [1]})
NUMBERS = {"score": [3, 2, 1], "rank": [1, 2, 3]}
MESSAGE = r"a document is in one ranking more than once \(1\): {}query_id=q, doc_id=x \(2 rows\)"
AS_DICTS = {1: {"x": 2.0}, "1": {"x": 1.0, "a": 0.5}}


@pytest.mark.default("['RR@10']-score")
@pytest.mark.parametrize("column", NUMBERS)
@pytest.mark.parametrize("measures", [["RR"], ["RR@10"], ["NumRet"], ["Bpref"]], ids=str)
def test_duplicates_that_no_judgment_names(column: str, measures: list[str]) -> None:
    run = DOCUMENTS.assign(**{column: NUMBERS[column]})
    with pytest.raises(InputError, match=MESSAGE.format("")):
        ltr_sql.evaluate(run, measures, qrels=QRELS)
    with pytest.raises(InputError, match=MESSAGE.format("")):
        ltr_sql.evaluate(run.assign(relevance=pd.Series([None, None, 1.0])), measures)
    with pytest.raises(InputError, match=MESSAGE.format("system=s, ")):
        ltr_sql.evaluate({"s": run}, measures, qrels=QRELS)
    systems = run.assign(system=["one", "two", "two"])
    assert ltr_sql.evaluate(systems, measures, qrels=QRELS, keys=["system"])["queries"].tolist() == [1, 1]


def test_ids_of_dicts_that_are_equal_as_text() -> None:
    with pytest.raises(InputError, match=r"more than once \(1\): query_id=1, doc_id=x"):
        ltr_sql.evaluate(AS_DICTS, ["RR"], qrels={"1": {"a": 1}})


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Return the largest number of rows that are searched for all duplicates: 40 in this test."""
    checks._quick_check_query.cache_clear()
    monkeypatch.setattr(checks, "_SEARCHED_FOR_DUPLICATES", 40)
    yield 40
    checks._quick_check_query.cache_clear()


def judged(number: int) -> pd.DataFrame:
    return QRELS.assign(query_id=f"q{number}")


def run_of(rows: int, number: int) -> pd.DataFrame:
    """Return a run that has one document twice, which is not judged. Its relevant document is the last."""
    query = f"q{number}"
    ids = [f"d{number}", f"d{number}", *(f"e{other}" for other in range(rows - 3)), "a"]
    return pd.DataFrame({"query_id": query, "doc_id": ids, "score": np.arange(rows, 0, -1.0)})


def outcome(call: Any, *arguments: Any, **options: Any) -> float:
    """Return the value of RR, or 0 for a duplicate."""
    try:
        return float(call(*arguments, **options)["RR"].iloc[0])
    except InputError as error:
        assert "a document is in one ranking more than once" in str(error)
        return 0.0


@pytest.mark.slow
def test_a_part_of_a_large_run_is_searched(searched: int) -> None:
    """Of 100 rows, a third of the queries is searched. `check` searches all rows."""
    found = {
        rows: [outcome(ltr_sql.evaluate, run_of(rows, n), ["RR"], qrels=judged(n)) for n in range(60)]
        for rows in (40, 100)
    }
    assert set(found[40]) == {0.0}
    assert set(found[100]) == {0.0, 1 / 100}
    assert 8 <= found[100].count(0.0) <= 32
    for number in range(20):
        assert "error" in ltr_sql.check(run_of(100, number), judged(number))["severity"].tolist()


def test_rows_of_one_document_with_one_score_are_refused_in_a_large_run(searched: int) -> None:
    """Also in the queries that are not searched: ids do not break this tie."""
    message = "a document is in one ranking more than once|two rows of a query are tied after tie-breaking"
    for number in range(4):
        run = run_of(100, number)
        with pytest.raises(InputError, match=message):
            ltr_sql.evaluate(run.assign(score=run["score"].clip(upper=99)), ["RR"], qrels=judged(number))


@pytest.mark.slow
def test_documents_that_measures_read_are_searched_in_a_large_run(searched: int) -> None:
    for number in range(5):
        run = run_of(100, number).replace({f"d{number}": "a"}).iloc[:-1]
        assert outcome(ltr_sql.evaluate, run, ["RR"], qrels=judged(number)) == 0
        assert outcome(ltr_sql.evaluate, run.assign(relevance=(run["doc_id"] == "a") * 1), ["RR"]) == 0


@pytest.mark.slow
def test_evaluators_find_the_same_duplicates(searched: int) -> None:
    """Also the calls that reuse the documents of an earlier run return what `evaluate` returns."""
    for number in range(6):
        run = run_of(100, number)
        wanted = outcome(ltr_sql.evaluate, run, ["RR"], qrels=judged(number))
        with ltr_sql.Evaluator(["RR"], judged(number)) as evaluator:
            assert [outcome(evaluator.evaluate, run) for _ in range(4)] == [wanted] * 4


LARGE = "from range(10) as t(q), range(20) as u(i)"
LARGE_RUN = f"select q as query_id, q * 100 + i as doc_id, 20 - i as score {LARGE}"


@pytest.mark.parametrize("form", ["table", "file"])
@pytest.mark.parametrize(
    ("run", "refused"),
    [
        (f"{LARGE_RUN} order by query_id, score desc", None),
        (
            f"select query_id, case doc_id when 501 then 500 else doc_id end as doc_id, score from ({LARGE_RUN}) "
            "order by query_id, score desc",
            r"more than once \(1\): query_id=5, doc_id=500 \(2 rows\)",
        ),
        # The rows of the other system stand at the end, and those of each query in the opposite order.
        (
            f"({LARGE_RUN} order by query_id, score desc) union all "
            f"(select q, q * 100 + i, i + 0.5 {LARGE} where i <> 15 order by q, i desc)",
            r"more than once \(190\): query_id=0",
        ),
        (
            f"select query_id, case doc_id when 907 then null else doc_id end as doc_id, score from ({LARGE_RUN}) "
            "order by query_id, score desc",
            r"NULL",
        ),
    ],
    ids=["none", "in a range", "two systems", "null"],
)
def test_a_large_run_in_a_file_or_table(
    form: str, run: str, refused: str | None, searched: int, con: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    """The documents that are there twice are not judged."""
    con.execute("set preserve_insertion_order = true")
    con.execute(f"create or replace table large as {run}")
    con.execute(f"copy large to '{tmp_path / 'run.parquet'}'")
    given = str(tmp_path / "run.parquet") if form == "file" else "large"
    qrels = pd.DataFrame({"query_id": range(10), "doc_id": [q * 100 + 15 for q in range(10)], "relevance": 1})
    if refused is None:
        assert ltr_sql.evaluate(given, ["RR"], qrels=qrels, con=con)["RR"][0] == pytest.approx(1 / 16, abs=1e-12)
        return
    with pytest.raises(InputError, match=refused):
        ltr_sql.evaluate(given, ["RR"], qrels=qrels, con=con)
