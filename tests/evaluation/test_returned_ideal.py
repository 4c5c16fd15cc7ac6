"""nDCG(ideal=returned) reads the number of retrieved documents, on all ways that lead to a value.

The ranking of q1 returns one relevant document of three, and one without a judgment. The values are computed by hand.
"""

from math import log2
from typing import Any

import duckdb
import pandas as pd
import pytest

import ltr_sql

pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")

RUN = {"q1": {"a": 2.0, "x": 1.0}, "q2": {"b": 1.0}}
QRELS = {"q1": {"a": 1, "b": 3, "c": 2}, "q2": {"b": 2, "a": 1}}
OF_Q1 = 1 / (3 + 2 / log2(3))
EXPECTED = {"nDCG(ideal=returned)@10": [OF_Q1, 1.0], "nDCG(ideal=returned)@1": [1 / 3, 1.0]}
RANKINGS = pd.DataFrame(
    {
        "query_id": ["q1", "q1", "q1", "q1", "q2", "q2"],
        "doc_id": ["a", "x", "b", "c", "b", "a"],
        "rank": [1, 2, None, None, 1, None],
        "relevance": [1, None, 3, 2, 2, 1],
    }
)


def frame(dicts: dict[str, dict[str, Any]], value: str) -> pd.DataFrame:
    rows = [(query, doc, number) for query, docs in dicts.items() for doc, number in docs.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", value])


@pytest.mark.slow
def test_python() -> None:
    inputs: list[tuple[Any, Any]] = [(RUN, QRELS), (frame(RUN, "score"), frame(QRELS, "relevance")), (RANKINGS, None)]
    for run, qrels in inputs:
        found = ltr_sql.evaluate(run, [*EXPECTED, "nDCG"], qrels=qrels, by_query=True)
        for text, values in EXPECTED.items():
            assert found[text].tolist() == pytest.approx(values, abs=1e-12)
        assert ltr_sql.verify(run, [*EXPECTED], qrels=qrels)["verdict"].tolist() == ["equal"] * 2
    evaluator = ltr_sql.Evaluator([*EXPECTED], QRELS)
    for again in (RUN, *[frame(RUN, "score")] * 3):
        assert evaluator.evaluate(again).iloc[0].tolist()[1:] == pytest.approx([(OF_Q1 + 1) / 2, 2 / 3], abs=1e-12)


@pytest.mark.slow
def test_macros(con: duckdb.DuckDBPyConnection) -> None:
    con.register("rankings", RANKINGS)
    con.execute("create table shown as from rankings")
    con.register("run", frame(RUN, "score"))
    con.register("qrels", frame(QRELS, "relevance"))
    # The unjudged document has no row here; num_ret counts it.
    con.execute("create table judged as from ltr.judge('run', 'qrels')")
    for table in ("shown", "judged"):
        rows = con.execute(f"from ltr.per_query('{table}', {[*EXPECTED]}) order by query_id").fetchall()
        assert [row[1] for row in rows] == pytest.approx([OF_Q1, 1], abs=1e-12)
        assert [row[2] for row in rows] == pytest.approx([1 / 3, 1], abs=1e-12)
        found = con.execute(f"select running from ltr.explain('{table}', 'q1', 'nDCG(ideal=returned)@10')").fetchall()
        assert found[-1] == pytest.approx((OF_Q1,), abs=1e-12)
    with pytest.raises(duckdb.Error, match="write it in a measure string, as in"):
        con.execute("from ltr.ndcg('judged', ideal := 'returned')")


def test_breakdown_by_rank() -> None:
    found = ltr_sql.explain(RUN, "q1", "nDCG@10", qrels=QRELS, convention="elasticsearch")
    assert found["running"].tolist()[-1] == pytest.approx(1 / (7 + 3 / log2(3)), abs=1e-12)
    cut = ltr_sql.explain(RUN, "q1", "nDCG(ideal=returned)@10", qrels=QRELS)
    assert cut["ideal_running"].tolist()[-1] == pytest.approx(1, abs=1e-12)
    assert cut["ideal_doc_id"].tolist() == ["b", "c"]
