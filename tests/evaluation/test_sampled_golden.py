"""Measures of sampled judgments, compared with the output of two versions of NIST's sample_eval.pl.

The values are judges/sampled_nist.csv, and judges/sampled_expected.csv, which an independent implementation computed.
"""

import math
from collections.abc import Callable
from functools import cache

import duckdb
import pandas as pd
import pytest
from support.reference_values import file_of, needs, read_table

import ltr_sql

INPUT = file_of("judges/sampled_input.csv")
# Our measures by the names of the script, and by the columns of sampled_expected.csv.
NAMES = {
    "infAP": "xinfAP(version={})",
    "infNDCG": "infNDCG(version={})",
    "iP5": "infP@5",
    "iP10": "infP@10",
    "iP100": "infP@100",
    "inum_rel_ret": "infNumRelRet",
    "inum_rel": "infNumRel",
}
VERSIONS = {"trecvid": "2012", "text": "2011"}
COLUMNS = {
    "xinfAP_adjusted": "xinfAP",
    "infNDCG_fraction": "infNDCG",
    "infNDCG_round": "infNDCG(version=2011)",
    "num_rel": "infNumRel",
    "num_rel_ret": "infNumRelRet",
    "iP@5": "infP@5",
    "iP@10": "infP@10",
    "iP@100": "infP@100",
}
MEASURES = list(
    dict.fromkeys([*(name.format(v) for name in NAMES.values() for v in VERSIONS.values()), *COLUMNS.values()])
)


@cache
def tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the run and the judgments with a column stratum; documents that were not drawn have the grade -1."""
    given = pd.read_csv(INPUT, dtype={"query_id": str, "stratum": str})
    qrels = given[given["table"] == "qrels"][["query_id", "doc_id", "stratum", "relevance"]].fillna({"relevance": -1})
    return given[given["table"] == "run"][["query_id", "doc_id", "rank"]], qrels


def in_python() -> pd.DataFrame:
    run, qrels = tables()
    by_query: pd.DataFrame = ltr_sql.evaluate(run, MEASURES, qrels=qrels, by_query=True)
    means: pd.DataFrame = ltr_sql.evaluate(run, MEASURES, qrels=qrels)
    return pd.concat([by_query, means.assign(query_id="all")])


def in_sql() -> pd.DataFrame:
    con = ltr_sql.register(duckdb.connect())
    for name, table in zip(("run", "sampled"), tables(), strict=True):
        con.register(name, table)
    con.execute("create view qrels as select * rename (stratum as subtopic) from sampled")
    con.execute("create table judged as from ltr.judge('run', 'qrels')")
    return pd.concat(
        [
            con.execute("from ltr.per_query('judged', $m)", {"m": MEASURES}).df(),
            con.execute("from ltr.evaluate('judged', $m)", {"m": MEASURES}).df().assign(query_id="all"),
        ]
    )


@pytest.mark.default("in_python")
@needs(INPUT)
@pytest.mark.parametrize("way", [in_python, in_sql])
def test_sample_eval(way: Callable[[], pd.DataFrame]) -> None:
    found = way().set_index("query_id")
    values = found.to_dict()
    expected = [
        (r["query_id"], NAMES[r["measure"]].format(VERSIONS[r["version"]]), r["value"])
        for r in read_table("judges/sampled_nist.csv")
    ]
    expected += [
        (r["query_id"], COLUMNS[name], r[name]) for r in read_table("judges/sampled_expected.csv") for name in COLUMNS
    ]
    assert len(expected) == 12 * 15 + 8 * 14
    wrong = [
        (query, measure, values[measure][query], value)
        for query, measure, value in expected
        if not math.isclose(values[measure][query], float(value), rel_tol=1e-9, abs_tol=1e-12)
    ]
    assert wrong == []


def test_strata_and_subtopics_are_read_in_two_calls() -> None:
    qrels = {"query_id": ["q"], "doc_id": ["a"], "stratum": ["s"], "relevance": [1]}
    run = {"q": {"a": 1.0}}
    assert ltr_sql.evaluate(run, ["xinfAP", "AP"], qrels=qrels)[["xinfAP", "AP"]].values.tolist() == [[1, 1]]
    with pytest.raises(ltr_sql.InputError, match="reads the column stratum, and 'StRecall' subtopics: compute them in"):
        ltr_sql.evaluate(run, ["xinfAP", "StRecall"], qrels=qrels)
    with pytest.raises(
        ltr_sql.InputError, match=r"measure 'xinfAP' reads strata of sampled judgments\): missing column"
    ):
        ltr_sql.evaluate(run, ["xinfAP"], qrels={"q": {"a": 1}})
