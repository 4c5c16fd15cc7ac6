"""`empty=none_retrieved`: a query without an answer is right if nothing was returned."""

from typing import Any

import duckdb
import pytest

import ltr_sql

# silent and noisy have no relevant document. Nothing is returned for silent; what noisy returns is not judged.
QRELS = {"found": {"a": 1, "b": 0}, "silent": {"x": 0}, "noisy": {"y": 0}}
RUN = {"found": {"b": 2.0, "a": 1.0}, "noisy": {"z": 1.0, "w": 0.5}}
EXPECTED = {"found": 0.5, "silent": 1.0, "noisy": 0.0}
MEASURES = ["P(empty=none_retrieved)@2", "RR(empty=none_retrieved)", "AP(empty=none_retrieved)@2"]

RANKINGS = """
create table rankings as
from (values
    ('found', 'b', 1, 0), ('found', 'a', 2, 1),
    ('silent', 'x', null, 0),
    ('noisy', 'y', null, 0), ('noisy', 'z', 1, null)
) as t (query_id, doc_id, rank, relevance)
"""
# The rows that ltr.judge makes: unjudged documents are in num_ret only.
COUNTED = """
create table counted as
from (values ('found', 1, 0, 2), ('found', 2, 1, 2), ('silent', null, 0, 0), ('noisy', null, 0, 2))
as t (query_id, rank, relevance, num_ret)
"""


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    con = ltr_sql.register(duckdb.connect())
    con.execute(RANKINGS)
    con.execute(COUNTED)
    return con


def values(frame: Any, measure: str) -> dict[str, float]:
    return dict(zip(frame["query_id"], frame[measure], strict=True))


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.parametrize("copies", [1, 3])
def test_a_run(copies: int) -> None:
    """One system takes the path of dicts, several that of tables."""
    run = RUN if copies == 1 else {str(number): RUN for number in range(copies)}
    found = ltr_sql.evaluate(run, MEASURES, qrels=QRELS, by_query=True)
    for measure in MEASURES:
        assert values(found, measure) == EXPECTED
    assert ltr_sql.evaluate(run, MEASURES, qrels=QRELS)[MEASURES[0]].tolist() == [0.5] * copies
    with ltr_sql.Evaluator(MEASURES, QRELS) as evaluator:
        assert evaluator.evaluate(run)[MEASURES[0]].tolist() == [0.5] * copies


@pytest.mark.parametrize("table", ["rankings", "counted"])
def test_sql(con: duckdb.DuckDBPyConnection, table: str) -> None:
    for measure in MEASURES:
        assert values(con.execute(f"from ltr.per_query('{table}', {MEASURES})").df(), measure) == EXPECTED
    assert values(con.execute(f"from ltr.p('{table}', k := 2, empty := 'none_retrieved')").df(), "p") == EXPECTED
    assert values(con.execute(f"from ltr.rr('{table}', empty := 'none_retrieved')").df(), "rr") == EXPECTED
    assert values(ltr_sql.evaluate(table, MEASURES, by_query=True, con=con), MEASURES[0]) == EXPECTED


def test_measures_of_other_rows(con: duckdb.DuckDBPyConnection) -> None:
    """Measures that read pairs, or expected positions, find out as well whether documents were retrieved."""
    found = ltr_sql.evaluate(
        "rankings", ["OPA(empty=none_retrieved)", "expected_RR(empty=none_retrieved)"], by_query=True, con=con
    )
    assert values(found, "OPA(empty=none_retrieved)") == {"found": 0.0, "silent": 1.0, "noisy": 0.0}
    assert values(found, "expected_RR(empty=none_retrieved)") == EXPECTED


def test_explain(con: duckdb.DuckDBPyConnection) -> None:
    """A measure has its value at each rank. Of silent only the ideal ranking of rel=2 has a rank."""
    con.execute("update rankings set relevance = 1 where query_id = 'silent'")
    for query, expected in (("noisy", 0.0), ("silent", 1.0)):
        found = con.execute(f"from ltr.explain('rankings', '{query}', 'AP(rel=2, empty=none_retrieved)')").df()
        assert found["running"].tolist() == [expected]
