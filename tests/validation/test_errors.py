"""Errors and their messages. Text that looks like an SQL injection is an error or a name, and never runs."""

import gzip
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import ltr_sql
from ltr_sql import InputError, LtrSqlError, MeasureError
from ltr_sql.catalogue.measures import Definition, definitions
from ltr_sql.catalogue.parameters import Parameter
from ltr_sql.catalogue.wording import in_python

RANKINGS = pd.DataFrame({"system": ["s"] * 2, "query_id": ["q"] * 2, "rank": [1, 2], "relevance": [0, 1]})
SCORED = pd.DataFrame({"query_id": ["q"] * 2, "doc_id": ["a", "b"], "score": [2.0, 1.0], "relevance": [0, 1]})
TIED = pd.DataFrame({"query_id": ["q"] * 2, "score": [1.0, 1.0], "relevance": [0, 1]})
RUN = SCORED.drop(columns="relevance")
QRELS = SCORED.drop(columns="score")
PAIRS = pd.DataFrame({"query_id": ["q"] * 2, "rank_a": [1, 2], "rank_b": [2, 1]})


def relation(frame: pd.DataFrame) -> duckdb.DuckDBPyRelation:
    """Return a relation of a connection of its own, which no other test can leave in use."""
    return duckdb.connect().from_df(frame)


@contextmanager
def raises(kind: type[Exception], message: str) -> Iterator[None]:
    """Expect an error with a message, and without a chained traceback if it is an error of ltr_sql."""
    with pytest.raises(kind, match=re.escape(message)) as error:
        yield
    if isinstance(error.value, LtrSqlError):
        assert error.value.__cause__ is None
        assert error.value.__suppress_context__ or error.value.__context__ is None


def test_kinds_of_errors() -> None:
    assert issubclass(MeasureError, LtrSqlError)
    assert issubclass(InputError, LtrSqlError)
    assert issubclass(LtrSqlError, ValueError)


# Measure strings: one error of each kind; measure_strings.csv lists more

GAINS = "gain must be 'linear', 'exponential' or 'binary', got "
READ = "cannot be read: write NAME, NAME@k or NAME(parameter=value)@k, as in nDCG@10"
UNKNOWN = ": to list all measures, run: from ltr.measures()"

# A measure string, the error in Python, and the error in SQL ('' if equal).
WRONG_MEASURES: list[tuple[str, str, str]] = [
    ("ndgc@10", "unknown measure 'ndgc@10'; did you mean nDCG?", ""),
    ("Kendal_Tau", "unknown measure 'Kendal_Tau'; did you mean KendallTau?", ""),
    ("precison@5", "unknown measure 'precison@5'; did you mean Precision?", ""),
    ("NRR@5", "unknown measure 'NRR@5'; did you mean ERR or MRR or NCRR?", ""),
    ("ContextRelevancy", "unknown measure 'ContextRelevancy': it measures", ""),
    ("sDCG@10", "unknown measure 'sDCG@10': measures of sessions are queries over values of DCG or RBP", ""),
    (
        "zzzzzz",
        "unknown measure 'zzzzzz'; to list all measures, call ltr_sql.measures()",
        f"unknown measure 'zzzzzz'{UNKNOWN}",
    ),
    ("", f"measure '' {READ}", ""),
    ("nDCG@ten", f"measure 'nDCG@ten' {READ}", ""),
    ("NumQ@5", "measure 'NumQ@5': NumQ has no cutoff", "measure 'NumQ@5' has no cutoff"),
    ("IPrec", "measure 'IPrec' needs a value of recall, as in IPrec@0.5", "measure 'IPrec' needs a value of recall"),
    ("P", "measure 'P' needs a cutoff, as in P@10", "measure 'P' needs a cutoff"),
    ("nDCG@2.5", "measure 'nDCG@2.5': k must be an integer from 1, got 2.5", ""),
    ("nDCG(gain=Linear)", f"measure 'nDCG(gain=Linear)': {GAINS}Linear", ""),
    (
        "IPrec(recall=0.1)@0.2",
        "measure 'IPrec(recall=0.1)@0.2': recall is given twice",
        "measure 'IPrec(recall=0.1)@0.2': a parameter is given twice",
    ),
    ("AP(rel)", "measure 'AP(rel)': 'rel' is not parameter=value", ""),
    (
        "AP(rel=1, foo=2)",
        "measure 'AP(rel=1, foo=2)': AP has no parameter 'foo'; its parameters are: rel, divisor, empty",
        "measure 'AP(rel=1, foo=2)' has no parameter 'foo'; its parameters are: rel, divisor, empty",
    ),
    (
        "CG(rel=1)",
        "measure 'CG(rel=1)': CG has no parameter 'rel'; its parameters are: empty",
        "measure 'CG(rel=1)' has no parameter 'rel'; its parameters are: empty",
    ),
    (
        "NumQ(empty=1)",
        "has no parameter 'empty', which only measures that need relevant documents have; its parameters are: none",
        "has no parameter 'empty', which only measures that need relevant documents have; its parameters are: none",
    ),
    (
        "NumRel-",
        "measure 'NumRel-': the - at the end sets empty=0, and NumRel has no parameter empty, which",
        "measure 'NumRel-': the - at the end sets empty=0, and the measure has no parameter empty, which",
    ),
    (
        "CG-l2",
        "measure 'CG-l2': -l sets rel or level, and CG has neither",
        "measure 'CG-l2': -l sets rel or level, and the measure has neither",
    ),
]
wrong_measures = pytest.mark.parametrize(("measure", "in_python", "in_sql"), WRONG_MEASURES, ids=lambda text: text[:20])


@wrong_measures
def test_wrong_measures_in_python(measure: str, in_python: str, in_sql: str) -> None:
    for measures in ([measure], ["AP", measure, "RR"]):
        for function in (ltr_sql.evaluate, ltr_sql.verify):
            with raises(MeasureError, in_python):
                function(RANKINGS, measures)
        with raises(MeasureError, in_python):
            ltr_sql.render(measures)


@wrong_measures
def test_wrong_measures_in_sql(measure: str, in_python: str, in_sql: str, con: duckdb.DuckDBPyConnection) -> None:
    for macro, table, measures in (("evaluate", "judged", [measure]), ("per_query", "empty", ["AP", measure, "RR"])):
        with raises(duckdb.InvalidInputException, in_sql or in_python):
            con.execute(f"from ltr.{macro}(?, ?)", [table, measures])
    assert_untouched(con)


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ("AP", "measures must be a list of strings, got the string 'AP': write ['AP']"),
        ("nDCG@10", "measures must be a list of strings, got the string 'nDCG@10': write ['nDCG@10']"),
        ("", "measures must be a list of strings, got the string '': write ['']"),
        ([], "no measures given: pass a list such as ['nDCG@10', 'AP']"),
        ((), "no measures given"),
        pytest.param(iter(()), "no measures given", id="an empty iterator"),
        ([None], "a measure is a string such as 'nDCG@10', got None"),
        (["AP", 10], "a measure is a string such as 'nDCG@10', got 10"),
        ([b"AP"], "a measure is a string such as 'nDCG@10', got b'AP'"),
        ([["AP"]], "a measure is a string such as 'nDCG@10', got ['AP']"),
        (["AP", "ap"], "two measure strings differ only in case, so their columns would have one name: remove one"),
        (["nDCG(gains={1:1,2:3})@5"], "measure 'nDCG(gains={1:1,2:3})@5': gains cannot be set for one measure"),
    ],
    ids=range(12),
)
def test_wrong_lists_of_measures_in_python(measures: Any, message: str) -> None:
    with raises(MeasureError, message):
        ltr_sql.evaluate(RANKINGS, measures)


LIST = "measures must be a list of measure strings without NULL, such as ['nDCG@10', 'AP']"


@pytest.mark.default(
    "empty-'AP'",
    "judged-null",
    "empty-null::varchar[]",
    "empty-null",
    "judged-['AP', null]",
    "empty-['AP', null]",
    "judged-null::varchar[]",
)
@pytest.mark.parametrize(
    "measures", ["null", "[]", "['AP', null]", "[null]", "null::varchar[]", "[]::varchar[]", "'AP'", "1"]
)
@pytest.mark.parametrize("table", ["judged", "empty"])
def test_wrong_lists_of_measures_in_sql(measures: str, table: str, con: duckdb.DuckDBPyConnection) -> None:
    for macro in ("evaluate", "per_query"):
        with raises(duckdb.InvalidInputException, LIST):
            con.execute(f"from ltr.{macro}('{table}', {measures})")
    assert_untouched(con)


# Inputs in Python


def repeated_in_pandas(names: list[str]) -> pd.DataFrame:
    return pd.DataFrame([["q", "a", 1, 2, 1], ["q", "b", 2, 1, 0]], columns=names)


def repeated_in_pyarrow(names: list[str]) -> pa.Table:
    return pa.Table.from_arrays(
        [pa.array(values) for values in (["q", "q"], ["a", "b"], [1, 2], [2, 1], [1, 0])], names
    )


ORDER = "ties := 'row_order' and ties := 'rank'"

WRONG_INPUTS: list[tuple[Any, dict[str, Any], str]] = [
    # Missing columns
    (
        RUN,
        {},
        "the column relevance is missing: pass judgments as qrels=, or rankings with relevance; "
        "the columns are query_id",
    ),
    ({"q": {"a": 1.0}}, {}, "the column relevance is missing: pass judgments as qrels=, or rankings with relevance"),
    (RUN.drop(columns="doc_id"), {"qrels": QRELS}, "the run: missing column doc_id, got query_id, score: rename"),
    (RUN[["score"]], {"qrels": QRELS}, "the run: missing columns query_id, doc_id, got score: rename"),
    (
        RUN.drop(columns="score"),
        {"qrels": QRELS},
        "the run (no column rank): missing column score, got query_id, doc_id",
    ),
    (
        RUN.rename(columns={"doc_id": "docno"}),
        {"qrels": QRELS},
        "the run: missing column doc_id, got query_id, docno",
    ),
    (
        RUN.rename(columns={"query_id": "topic"}),
        {"qrels": QRELS},
        "the run: missing column query_id, got topic",
    ),
    (RUN, {"qrels": RUN}, "the judgments: missing column relevance, got query_id, doc_id, score: rename"),
    (RUN, {"qrels": QRELS.drop(columns="doc_id")}, "the judgments: missing column doc_id, got query_id, relevance"),
    (RANKINGS.drop(columns="query_id"), {}, "the rankings: missing column query_id, got system, rank, relevance"),
    (
        RANKINGS.drop(columns="rank"),
        {},
        "the rankings (no column rank): missing column score, got system, query_id",
    ),
    (PAIRS.drop(columns="rank_b"), {}, "the pairs: missing column rank_b, got query_id, rank_a: rename"),
    (PAIRS.drop(columns="query_id"), {}, "the pairs: missing column query_id, got rank_a, rank_b: rename"),
    # Names of columns
    (
        RUN.rename(columns={"doc_id": "docno", "query_id": "QID"}),
        {"qrels": QRELS},
        "or pass columns={'QID': 'query_id', 'docno': 'doc_id'}",
    ),
    (RUN.rename(columns={"doc_id": "item_id"}), {"qrels": QRELS}, "or pass columns={'item_id': 'doc_id'}"),
    (RUN.rename(columns={"query_id": "user_id"}), {"qrels": QRELS}, "or pass columns={'user_id': 'query_id'}"),
    (RUN, {"qrels": QRELS.rename(columns={"relevance": "rel"})}, "or pass qrels_columns={'rel': 'relevance'}"),
    (RUN, {"qrels": QRELS.rename(columns={"relevance": "Label"})}, "or pass qrels_columns={'Label': 'relevance'}"),
    (RUN, {"qrels": QRELS, "columns": {"x": "query_id"}}, "columns: no table has a column 'x'"),
    (
        RUN,
        {"qrels": QRELS, "columns": {"doc_id": "user"}},
        "columns: cannot rename to 'user', only to query_id, doc_id",
    ),
    (RUN, {"qrels": QRELS, "columns": {"a": "doc_id", "b": "doc_id"}}, "columns: no table has a column 'a'"),
    (RUN.assign(x=1), {"qrels": QRELS, "columns": {"x": "score"}}, "columns names 'x' as score, but a table has both"),
    (RUN, {"qrels": QRELS, "columns": "user_id=query_id"}, "columns must be a mapping of your names to ours, such as"),
    (RUN, {"qrels": QRELS, "columns": {1: "query_id"}}, "columns must be a mapping of your names to ours, such as"),
    # Keys
    (RANKINGS, {"keys": "system"}, "keys must be a list of column names, got the string 'system': write ['system']"),
    (RANKINGS, {"keys": ""}, "keys must be a list of column names, got the string ''"),
    (RANKINGS, {"keys": ["nope"]}, "key 'nope' is not a column; the columns are system, query_id, rank, relevance"),
    (RANKINGS, {"keys": ["System"]}, "key 'System' is not a column; the columns are system, query_id, rank, relevance"),
    (RANKINGS, {"keys": ["system", "nope"]}, "key 'nope' is not a column"),
    (RANKINGS, {"keys": [1]}, "key 1 is not a column"),
    (RANKINGS, {"keys": ["system; drop table x"]}, "key 'system; drop table x' is not a column"),
    (RANKINGS, {"keys": ["query_id"]}, "'query_id' cannot be a key, because measures read it"),
    (RANKINGS, {"keys": ["rank"]}, "'rank' cannot be a key"),
    (RANKINGS, {"keys": ["system", "relevance"]}, "'relevance' cannot be a key"),
    (SCORED, {"keys": ["doc_id"]}, "'doc_id' cannot be a key"),
    (SCORED, {"keys": ["score"]}, "'score' cannot be a key"),
    (
        RUN,
        {"qrels": QRELS, "keys": ["relevance"]},
        "key 'relevance' is not a column; the columns are query_id, doc_id, score",
    ),
    (RUN, {"qrels": QRELS, "keys": ["score"]}, "'score' cannot be a key"),
    (RUN.assign(system="s"), {"qrels": QRELS, "keys": ["system", "system"]}, "keys must not be repeated"),
    (RUN.assign(system="s"), {"qrels": QRELS, "keys": ["system", "System"]}, "keys must not be repeated"),
    (RUN, {"qrels": QRELS, "keys": ["a\nb"]}, "the name of a key must not have a line break"),
    ({"a": {}, "b": {"q": {"d": 1.0}}}, {"qrels": {"q": {"d": 1}}}, "the dict for the rankings is empty"),
    ({"a": RUN, "b": RUN.head(0)}, {"qrels": QRELS}, "run 'b' has no rows"),
    (
        RUN.assign(AP="x"),
        {"qrels": QRELS, "keys": ["AP"]},
        "key 'AP' has the name of a column of the result: rename the key",
    ),
    (
        RUN.assign(queries="x"),
        {"qrels": QRELS, "keys": ["queries"]},
        "key 'queries' has the name of a column of the result",
    ),
    ({"a": RUN.assign(system="x")}, {"qrels": QRELS}, "a run in the dict of runs has a column system: drop it"),
    # Options
    (SCORED, {"ties": "random"}, "ties must be 'docid_desc', 'docid_asc', 'docid_desc_float32', 'row_order'"),
    (SCORED, {"ties": "WORST"}, ", 'worst', 'best' or 'expected', got 'WORST'"),
    (SCORED, {"ties": ""}, ", 'worst', 'best' or 'expected', got ''"),
    (SCORED, {"ties": 1}, ", 'worst', 'best' or 'expected', got 1"),
    (RUN, {"qrels": QRELS, "missing": "nope"}, "missing must be 'zero' or 'skip', got 'nope'"),
    (RUN, {"qrels": QRELS, "missing": ""}, "missing must be 'zero' or 'skip', got ''"),
    ({"q": {"d": 1.0}}, {"qrels": {"q": {"d": 1}}, "missing": "nope"}, "missing must be 'zero' or 'skip', got 'nope'"),
    (RUN, {"qrels": QRELS, "missing": True}, "missing must be 'zero' or 'skip', got True"),
    (relation(SCORED), {"ties": "row_order"}, "the scored table (ties='row_order'): missing column row_order"),
    (SCORED, {"ties": "rank"}, "the scored table (ties='rank'): missing column rank"),
    (RUN, {"qrels": QRELS, "ties": "rank"}, "'row_order', 'worst', 'best' or 'expected', got 'rank'"),
    (relation(RUN), {"qrels": QRELS, "ties": "row_order"}, "the run (no column rank): missing column row_order"),
    (relation(RUN), {"qrels": QRELS, "convention": "spark"}, "the run (no column rank): missing column row_or"),
    (
        TIED,
        {},
        "two rows of a query are tied after tie-breaking: give each document its own doc_id",
    ),
    (TIED, {"ties": "docid_asc"}, "or add a column row_order and set ties='row_order'"),
    (TIED.assign(row_order=1), {"ties": "row_order"}, "two rows of a query are tied after tie-breaking"),
    (TIED.assign(relevance=1), {"ties": "worst"}, "two rows of a query are tied after tie-breaking"),
    (TIED[::-1].copy(), {}, "two rows of a query are tied after tie-breaking"),
    (TIED[::-1].copy().assign(row_order=1), {"ties": "row_order"}, "two rows of a query are tied after tie-breaking"),
    (TIED[::-1].copy().assign(system="s"), {"keys": ["system"]}, "two rows of a query are tied after tie-breaking"),
    (TIED[::-1].copy().assign(doc_id="a"), {"check": False}, "two rows of a query are tied after tie-breaking"),
    (
        TIED[::-1].copy().assign(doc_id=pd.Series([None, None])),
        {"check": False},
        "two rows of a query are tied after tie-breaking",
    ),
    (
        TIED.assign(row_order=[1, float("nan")]),
        {"ties": "row_order"},
        f"{in_python(ORDER)} need the column of that name, with a number",
    ),
    (
        RUN.assign(score=1, row_order=[1, float("nan")]),
        {"qrels": QRELS, "ties": "row_order"},
        f"{in_python(ORDER)} need the column of that name, with a number in each row",
    ),
    # Gains of grades
    (SCORED, {"gains": 3}, "gains must be a mapping such as {1: 1, 2: 3}, or a list by grade, got 3"),
    (SCORED, {"gains": "0,1"}, "gains must be a mapping such as {1: 1, 2: 3}, or a list by grade, got '0,1'"),
    (SCORED, {"gains": {1, 2}}, "gains must be a mapping such as {1: 1, 2: 3}, or a list by grade, got {1, 2}"),
    (SCORED, {"gains": []}, "gains are empty: pass a gain for each grade, such as {1: 1, 2: 3}, got []"),
    (SCORED, {"gains": {}}, "gains are empty: pass a gain for each grade, such as {1: 1, 2: 3}, got {}"),
    (SCORED, {"gains": {1: "x"}}, "gains: the gain of grade 1 must be a number from 0, got 'x'"),
    (SCORED, {"gains": {1: None}}, "gains: the gain of grade 1 must be a number from 0, got None"),
    (SCORED, {"gains": {1: True}}, "gains: the gain of grade 1 must be a number from 0, got True"),
    (SCORED, {"gains": {1: -1}}, "gains: the gain of grade 1 must be a number from 0, got -1"),
    (SCORED, {"gains": [0, float("nan")]}, "gains: the gain of grade 1 must be a number from 0, got nan"),
    (SCORED, {"gains": [0, float("inf")]}, "gains: the gain of grade 1 must be a number from 0, got inf"),
    (SCORED, {"gains": {-1: 1}}, "gains: a grade must be a number from 0, got -1"),
    (SCORED, {"gains": {"1": 1}}, "gains: a grade must be a number from 0, got '1'"),
    (SCORED, {"gains": {float("nan"): 1}}, "gains: a grade must be a number from 0, got nan"),
    (SCORED, {"gains": {float("inf"): 1}}, "gains: a grade must be a number from 0, got inf"),
    (SCORED, {"gains": {None: 1}}, "gains: a grade must be a number from 0, got None"),
    (SCORED, {"gains": [0]}, "a grade has no gain: the list of 1 gains covers the grades 0 to 0"),
    (SCORED.assign(relevance=1.5), {"gains": [0, 1, 3]}, "a grade has no gain: the list of 3 gains covers the grades"),
    (RUN, {"qrels": QRELS, "gains": [1]}, "a grade has no gain: the list of 1 gains covers the grades 0 to 0"),
    # Repeated columns
    *(
        (convert(names), {}, f"the column {repeated} occurs twice, as ")
        for convert in (repeated_in_pandas, repeated_in_pyarrow)
        for names, repeated in (
            (["query_id", "doc_id", "score", "score", "relevance"], "score"),
            (["query_id", "doc_id", "Score", "score", "relevance"], "score"),
            (["query_id", "doc_id", "score", "relevance", "Relevance"], "relevance"),
            (["query_id", "QUERY_ID", "score", "doc_id", "relevance"], "query_id"),
            (["query_id", "system", "score", "relevance", "system"], "system"),
        )
    ),
    (
        pl.DataFrame({"query_id": ["q"], "Score": [1], "score": [2], "relevance": [1]}),
        {},
        "the column score occurs twice",
    ),
    (
        RUN,
        {"qrels": QRELS.assign(Relevance=1)},
        "the column relevance occurs twice, as relevance and Relevance: keep one",
    ),
    # Non-numeric values
    (
        RUN.assign(score="x"),
        {"qrels": QRELS},
        "a rank, score or grade is not a number (2): query_id=q, doc_id=a, rank=NULL, score=x",
    ),
    (
        SCORED.assign(score="x"),
        {},
        "a rank, score or grade is not a number (2): query_id=q, doc_id=a, rank=NULL, score=x",
    ),
    (
        RANKINGS.assign(rank="x"),
        {},
        "a rank, score or grade is not a number (2): query_id=q, doc_id=NULL, rank=x, score=NULL",
    ),
    (
        RANKINGS.assign(relevance="x"),
        {},
        "a rank, score or grade is not a number (2): query_id=q, doc_id=NULL, relevance=x",
    ),
    (
        RUN,
        {"qrels": QRELS.assign(relevance="x")},
        "a rank, score or grade is not a number (2): query_id=q, doc_id=a, relevance=x",
    ),
    # Objects that are not tables
    (None, {}, "the rankings cannot be read from NoneType: pass a path, a pandas, polars or pyarrow table"),
    (1, {}, "the rankings cannot be read from int: pass a path"),
    ([("q", "a", 1.0)], {"qrels": QRELS}, "the rankings cannot be read from list"),
    (b"run", {"qrels": QRELS}, "the rankings cannot be read from bytes"),
    ({("q", "a"), ("q", "b")}, {"qrels": QRELS}, "the rankings cannot be read from set"),
    (RUN, {"qrels": ["a"]}, "the judgments cannot be read from list: for a matrix or lists of documents"),
    (RUN, {"qrels": 1}, "the judgments cannot be read from int"),
    ({"a": RUN, "b": 5}, {"qrels": QRELS}, "the rankings cannot be read from int"),
    ({"q": ["a", 0.5]}, {"qrels": QRELS}, "the list of query q holds 0.5, which is not the id of a document"),
    (RUN.groupby("query_id"), {"qrels": QRELS}, "the rankings cannot be read from DataFrameGroupBy"),
    (pd.Index(["q"]), {"qrels": QRELS}, "the rankings cannot be read from Index"),
    (pl.col("score"), {"qrels": QRELS}, "the rankings cannot be read from Expr"),
    (pa.schema([]), {"qrels": QRELS}, "the rankings cannot be read from Schema"),
    (
        RUN.rename(columns={"score": 0}).astype(object),
        {"qrels": QRELS},
        "missing column score, got query_id, doc_id, 0",
    ),
    ({}, {"qrels": QRELS}, "the dict for the rankings is empty"),
    (RUN, {"qrels": {}}, "the dict for the judgments is empty"),
    (RUN, {"qrels": {"q": 1}}, "the judgments as a dict must be query_id -> doc_id -> number"),
    (RUN, {"qrels": {"x": {"q": {"a": 1}}}}, "the judgments as a dict must be query_id -> doc_id -> number"),
    # Names
    (
        "__ltr_judged",
        {"con": duckdb.connect()},
        "names that start with __ltr_ are reserved: rename the table",
    ),
    ("main.__LTR_x", {"con": duckdb.connect()}, "names that start with __ltr_ are reserved: rename the table __LTR_x"),
    (RANKINGS.assign(__ltr_position=1), {}, "names that start with __ltr_ are reserved: rename the column __ltr_pos"),
    (RUN, {"qrels": QRELS.assign(__ltr_position=1)}, "names that start with __ltr_ are reserved: rename the column"),
    ("a\0b", {"con": duckdb.connect()}, "a name must not have the character NUL: rename the table 'a\\x00b'"),
    (RANKINGS.assign(**{"a\0": 1}), {}, "a name must not have the character NUL: rename the column 'a\\x00'"),
    ({"a\0": RUN}, {"qrels": QRELS}, "a name must not have the character NUL: rename the system 'a\\x00'"),
    ("x" * 5000, {"qrels": QRELS}, ": File name too long; to read a table of this name, pass its connection as con="),
    # Files
    ("nope.txt", {"qrels": QRELS}, "nope.txt: no such file in "),
    ("judged", {}, "judged: no such file in "),
    (Path("no") / "run.parquet", {"qrels": QRELS}, "there is no folder "),
    (RUN, {"qrels": "nope.txt"}, "nope.txt: no such file"),
    (RUN, {"qrels": Path(".")}, ". has files of different formats ("),
]


@pytest.mark.parametrize(
    ("rankings", "options", "message"), WRONG_INPUTS, ids=[wrong[2][:60] for wrong in WRONG_INPUTS]
)
def test_wrong_inputs(rankings: Any, options: dict[str, Any], message: str) -> None:
    measures = ["KendallTau"] if isinstance(rankings, pd.DataFrame) and "rank_a" in rankings else ["AP", "nDCG@10"]
    with raises(InputError, message):
        ltr_sql.evaluate(rankings, measures, **options)


def test_gains_need_a_measure_that_counts_them_and_one_without_its_own() -> None:
    for text in ("nDCG(gain=exponential)@10", "ndcg_burges"):
        with raises(MeasureError, f"measure {text!r} sets the parameter gain: leave it out, or pass no gains"):
            ltr_sql.evaluate(SCORED, ["AP", text], gains={1: 2})
    with raises(MeasureError, "no measure of the call uses gains: add one of AverageGain, CG, DCG, "):
        ltr_sql.evaluate(SCORED, ["AP", "ERR(max_grade=1)"], gains={1: 2})


def test_other_names_of_columns_of_documents_are_named() -> None:
    with raises(
        InputError,
        "got doc_id, genre: rename the column that holds these values, "
        "or pass columns={'documents': {'genre': 'category'}}",
    ):
        ltr_sql.evaluate(RUN, ["ILD@2"], documents=pd.DataFrame({"doc_id": ["a"], "genre": ["x"]}))


def test_verify_refuses_what_evaluate_refuses() -> None:
    shared = [wrong for wrong in WRONG_INPUTS if not {"gains", "convention", "check"} & wrong[1].keys()]
    for rankings, options, message in shared[::7]:
        with raises(InputError, message):
            ltr_sql.verify(rankings, ["AP"], **options)


@pytest.mark.parametrize("convert", [pl.DataFrame, pa.Table.from_pandas, relation])
def test_wrong_inputs_of_other_kinds(convert: Any) -> None:
    with raises(InputError, "the run: missing column doc_id, got query_id, score"):
        ltr_sql.evaluate(convert(RUN.drop(columns="doc_id")), ["AP"], qrels=QRELS)
    with raises(InputError, "key 'nope' is not a column"):
        ltr_sql.evaluate(convert(RANKINGS), ["AP"], keys=["nope"])


@pytest.mark.slow
def test_pairs_have_measures_of_agreement_only() -> None:
    message = "pairs of ranks (rank_a, rank_b) have no relevance: pass only measures of agreement"
    agreement = {d.name for d in definitions().values() if d.paired}
    assert len(ltr_sql.evaluate(PAIRS.assign(score_a=[2, 1], score_b=[1, 2]), sorted(agreement))) == 1
    for definition in definitions().values():
        if definition.name not in agreement:
            with raises(InputError, message):
                ltr_sql.evaluate(PAIRS, ["KendallTau", definition.example])


def test_measures_of_scores_need_scores_in_both_rankings() -> None:
    run = pd.DataFrame({"query_id": ["q"] * 2, "doc_id": ["d", "e"], "score": [2.0, 1.0]})
    ranked = pd.DataFrame({"query_id": ["q"] * 2, "doc_id": ["d", "e"], "rank": [1, 2]})
    missing = "(measure 'Pearson' compares scores): missing column"
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: ltr_sql.evaluate(PAIRS, ["RBO", "Pearson"]), f"the pairs {missing}s score_a, score_b, got"),
        (lambda: ltr_sql.evaluate(PAIRS.assign(score_b=1), ["Pearson"]), f"the pairs {missing} score_a, got"),
        (lambda: ltr_sql.agreement(run, ranked, ["Pearson"]), f"the second run {missing} score, got"),
        (lambda: ltr_sql.agreement(ranked.assign(system="s"), None, ["Pearson"]), f"the runs {missing} score, got"),
        (
            lambda: ltr_sql.evaluate(SCORED, ["Pearson"]),
            "measure 'Pearson' compares scores, which rankings lack: pass two runs",
        ),
        (lambda: ltr_sql.render("Pearson"), "measure 'Pearson' compares scores, which rankings lack: pass two runs"),
    ]
    for call, message in calls:
        with raises(ltr_sql.LtrSqlError, message):
            call()
    wrong: list[tuple[list[float | None], str]] = [
        ([1.0, None], "each document of both rankings needs a number in score_a and score_b: ltr.pair reads them"),
        ([1.0, float("nan")], "each document of both rankings needs a number in score_a and score_b"),
        ([1.0, float("inf")], "a score is infinite or above 1e100"),
        ([1.0, -1e101], "a score is infinite or above 1e100"),
    ]
    for scores, message in wrong:
        with raises(InputError, message):
            ltr_sql.evaluate(PAIRS.assign(score_a=[2.0, 1.0], score_b=pd.Series(scores)), ["Pearson"])


def test_measures_of_diversity_need_subtopics() -> None:
    wrong: list[tuple[Any, Any, str]] = [
        (
            RANKINGS,
            None,
            "the rankings (measure {!r} reads {}): missing columns doc_id, subtopic, got system, query_id",
        ),
        (
            SCORED,
            None,
            "the rankings (measure {!r} reads {}): missing column subtopic, got query_id, doc_id, score",
        ),
        (
            RUN,
            QRELS,
            "the judgments (measure {!r} reads {}): missing column subtopic, got query_id, doc_id, relevance",
        ),
    ]
    diversity = {d.example: d.row_source.strata for d in definitions().values() if d.by_subtopic}
    assert {"alpha_nDCG@10": False, "StRecall@10": False, "xinfAP": True}.items() <= diversity.items()
    for rankings, qrels, message in wrong:
        for text, strata in diversity.items():
            with raises(InputError, message.format(text, "strata of sampled judgments" if strata else "subtopics")):
                ltr_sql.evaluate(rankings, [text], qrels=qrels)


def test_missing_tables(con: duckdb.DuckDBPyConnection) -> None:
    for name in ("nope", "main.nope", "nope.judged", "judged; drop table judged", "nope.parquet"):
        with raises(InputError, f"{name} is neither a file nor a table of the connection: "):
            ltr_sql.evaluate(name, ["AP"], con=con)
        with raises(InputError, f"{name} is neither a file nor a table of the connection: "):
            ltr_sql.evaluate("scored", ["AP"], qrels=name, con=con)
    assert_untouched(con)


def test_relations_of_another_connection(con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    with duckdb.connect() as other, raises(InputError, "a DuckDB relation belongs to another connection: pass con="):
        ltr_sql.evaluate(con.table("judged"), ["AP"], con=other)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with raises(InputError, "a DuckDB relation is read through pyarrow, which is not installed: pass con= with its"):
        ltr_sql.evaluate(con.table("judged"), ["AP"])
    assert ltr_sql.evaluate(con.table("judged"), ["AP"], con=con)["AP"][0] == 0.5


@pytest.mark.parametrize("name", ["a\x01b", "{\x01}"])
def test_names_with_the_control_character_of_the_macros(name: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f'create temp table "{name}" as select system as "{name}", * from judged')
    assert ltr_sql.evaluate(name, ["AP"], keys=[name], con=con)["AP"][0] == 0.5
    for call in ("per_query('{}', ['AP'])", "evaluate('{}', ['AP'])", "evaluate('judged', ['AP'], keys := ['{}'])"):
        with raises(duckdb.InvalidInputException, "a name has the control character 1: rename it"):
            con.execute(f"from ltr.{call.format(name)}")


# Malformed files

RUN_COLUMNS = "query_id q0 doc_id given_rank score run_id"
QRELS_COLUMNS = "query_id subtopic doc_id relevance"
REGULAR_RUN = "".join(f"q{i} Q0 d 1 1.0 t\n" for i in range(150))
REGULAR_QRELS = "".join(f"q{i} 0 d 1\n" for i in range(150))


@pytest.mark.parametrize("before", ["", REGULAR_RUN], ids=["first", "late"])
@pytest.mark.parametrize("line", ["q Q0 d 1 1.0", "q d 1.0", "q", "q\tQ0\td\t1\t1.0", "q,Q0,d,1,1.0,t", "q Q0 d 1"])
def test_broken_lines_of_runs(line: str, before: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(f"{before}{line}\nq Q0 e 2 0.5 t\n", encoding="utf-8")
    number, columns = 151 if before else 1, len(line.split())
    message = f"{path}, line {number}: {columns} columns, but a TREC run has 6 ({RUN_COLUMNS}): {line!r}"
    with raises(InputError, message):
        ltr_sql.evaluate(path, ["AP"], qrels={"q": {"d": 1}})
    with raises(InputError, message):
        ltr_sql.evaluate({"a": {"q": {"d": 1.0}}, "b": path}, ["AP"], qrels={"q": {"d": 1}})


@pytest.mark.parametrize("before", ["", REGULAR_QRELS], ids=["first", "late"])
@pytest.mark.parametrize("line", ["q 0 d", "q 0 d 1 1", "q d 1", "q", "q\t0\td", "q,0,d,1"])
def test_broken_lines_of_judgments(line: str, before: str, tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text(f"{before}{line}\nq 0 e 1\n", encoding="utf-8")
    number, columns = 151 if before else 1, len(line.split())
    message = f"{path}, line {number}: {columns} columns, but TREC judgments have 4 ({QRELS_COLUMNS}): {line!r}"
    with raises(InputError, message):
        ltr_sql.evaluate({"q": {"d": 1.0}}, ["AP"], qrels=path)


def test_a_path_in_a_message_is_only_a_path(tmp_path: Path) -> None:
    path = tmp_path / "it's 'a' run"
    path.write_text("q Q0 d\n", encoding="utf-8")
    with raises(InputError, f"{path}, line 1: 3 columns"):
        ltr_sql.evaluate(path, ["AP"], qrels={"q": {"d": 1}})


# A call that reads a column, and a table with this column twice.
REPEATED: dict[str, tuple[Callable[[pd.DataFrame], Any], list[str]]] = {
    "AP": (lambda table: ltr_sql.compare(table, ["AP"], values=True), ["system", "query_id"]),
    "click": (ltr_sql.click_judgments, ["query_id", "doc_id", "rank"]),
    "target": (lambda table: ltr_sql.off_policy(table, "ips"), ["query_id", "reward", "propensity"]),
    "rater": (ltr_sql.merge_judgments, ["query_id", "doc_id", "relevance"]),
    "category": (lambda table: ltr_sql.evaluate(RUN, ["Entropy@2"], documents=table), ["doc_id"]),
}


@pytest.mark.parametrize("name", REPEATED)
def test_repeated_columns_of_other_tables(name: str) -> None:
    call, others = REPEATED[name]
    with raises(InputError, f"the column {name} occurs twice, as {name} and {name}: keep one, and rename the other"):
        call(pd.DataFrame([[1] * len(others) + [0.5, 0.9]], columns=[*others, name, name]))


@pytest.mark.parametrize(
    "names", [["score", "score"], ["Score", "score"], ["score", "Score"], ["score", "x", "x"]], ids=str
)
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_files_with_repeated_columns(form: str, names: list[str], tmp_path: Path) -> None:
    path = tmp_path / f"run.{form}"
    columns = [["q", "q"], ["a", "b"], [1, 2], [2, 1], [3, 4]]
    table = pa.table(columns[: 2 + len(names)], names=["query_id", "doc_id", *names])
    if form == "parquet":
        pq.write_table(table, path)
    elif form == "jsonl":
        numbers = ", ".join(f'"{name}": 1' for name in names)
        path.write_text(f'{{"query_id": "q", "doc_id": "a", {numbers}}}\n', encoding="utf-8")
    else:
        lines = [table.column_names, *zip(*(column.to_pylist() for column in table.columns), strict=True)]
        path.write_text(
            "\n".join(("," if form == "csv" else "\t").join(map(str, line)) for line in lines), encoding="utf-8"
        )
    exact = form == "jsonl" and len({*names}) < len(names)
    with raises(InputError, "duplicate key" if exact else f"the column {names[-1].lower()} occurs twice, as "):
        ltr_sql.evaluate(path, ["AP"], qrels=QRELS)


@pytest.mark.parametrize("name", ["run.csv", "run.tsv", "run.jsonl", "run.parquet"])
def test_files_with_other_columns(name: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"topic": ["q"], "document": ["d"], "score": [1.0]})
    path = tmp_path / name
    if name.endswith(".csv"):
        frame.write_csv(path)
    elif name.endswith(".tsv"):
        frame.write_csv(path, separator="\t")
    elif name.endswith(".jsonl"):
        frame.write_ndjson(path)
    else:
        frame.write_parquet(path)
    with raises(InputError, "the run: missing columns query_id, doc_id, got topic, document, score: rename"):
        ltr_sql.evaluate(path, ["AP"], qrels=QRELS)


def test_files_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("q,d,1.0\nq,e,2.0\n", encoding="utf-8")
    with raises(InputError, "run.csv has no header, and its first line holds values, 'q', 'd', '1.0': write the names"):
        ltr_sql.evaluate(path, ["AP"], qrels=QRELS)


@pytest.mark.parametrize("name", ["run.parquet", "run.jsonl"])
def test_files_of_other_formats(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("q Q0 d 1 1.0 t\n" * 100, encoding="utf-8")
    with raises(InputError, str(path)):
        ltr_sql.evaluate(path, ["AP"], qrels=QRELS)


def test_files_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(b"q Q0 d\xe9 1 1.0 t\n")
    with raises(InputError, "run, line 1 is not UTF-8"):
        ltr_sql.evaluate(path, ["AP"], qrels=QRELS)


def zstandard_of_zeros(blocks: int) -> bytes:
    """Return a Zstandard frame of blocks that each repeat the byte 0 128 Ki times."""
    header = (0xFD2FB528).to_bytes(4, "little") + bytes([0, 0x58])
    repeated = [((1 << 17) << 3 | 1 << 1 | (i == blocks - 1)).to_bytes(3, "little") + b"\0" for i in range(blocks)]
    return header + b"".join(repeated)


RUN_LINES = b"q Q0 e 1 2.0 t\nq Q0 d 2 1.0 t\n"
CSV_HEADER = b"query_id,doc_id,score,system\n"
PACKED = gzip.compress(RUN_LINES, mtime=0)
NOT_GZIP = "run.gz is not a gzip file: remove the suffix .gz, or compress it"
NUL = " has NUL bytes: the file is damaged, or is not text in UTF-8"
LONG = ": a line has 35,000,014 bytes, but at most 1,048,576 are read: the file is damaged, or lacks line breaks"
BLANK = "a field has a blank, which separates columns: write _ instead of it: "

# The name of a run, its contents, and the error.
WRONG_FILES: list[tuple[str, bytes, str]] = [
    ("run", b"", "run: the file is empty"),
    ("run", b"\n \n", "the input has no rows (1): the run"),
    ("run", RUN_LINES + b"q Q0 x 3 0.25 " + b"t" * 35_000_000 + b"\n", f"run{LONG}"),
    ("run", RUN_LINES + b"q  Q0 x 3 0.5 " + b"t" * 35_000_000, f"run{LONG}"),
    ("run.csv", CSV_HEADER + b"q,d,1.0,other" + b"t" * 35_000_000, "run.csv: a line has 35,000,013 bytes"),
    ("run", RUN_LINES + b"\0" * 4096, f"run{NUL}"),
    ("run", RUN_LINES + b"\0" * 35_000_000, f"run{NUL}"),
    ("run.gz", gzip.compress(RUN_LINES + b"\0" * 4096), f"run.gz{NUL}"),
    ("run.csv", CSV_HEADER + b"q,d,1,t\n" + b"\0" * 4096, f"run.csv{NUL}"),
    ("run.jsonl", b'{"query_id": "q", "doc_id": "d", "score": 1}\n\0\0', f"run.jsonl{NUL}"),
    ("run", "q Q0 d 1 1.0 t\n".encode("utf-16"), f"run{NUL}"),
    ("run.gz", RUN_LINES, NOT_GZIP),
    ("run.csv.gz", CSV_HEADER, NOT_GZIP.replace("run.gz", "run.csv.gz")),
    ("run.gz", PACKED[:-1], "run.gz is truncated: copy the file again"),
    ("run.gz", PACKED[:-9], "run.gz is truncated: copy the file again"),
    ("run.gz", PACKED + b"xyz", "run.gz is damaged (Error -3"),
    ("run.gz", PACKED[:-8] + b"\0\0\0\0" + PACKED[-4:], "run.gz is damaged (Error -3"),
    ("run.gz", PACKED[:-4] + b"\0\0\0\0", "run.gz is damaged (Error -3"),
    ("run", PACKED[:-1], "run is truncated: copy the file again"),
    ("run.zst", RUN_LINES, "run.zst is truncated, or is not a Zstandard file"),
    ("run.zst", zstandard_of_zeros(3000), "run.zst unpacks to more than 200 times its size"),
    ("run.zst", zstandard_of_zeros(10), f"run.zst{NUL}"),
    (
        "run.csv",
        CSV_HEADER + b"# note\nq,e,2,t\n#q,d,1,t\n",
        "run.csv, line 2: 1 columns, but the header has 4 (query_id,doc_id,score,system): '# note'",
    ),
    ("run.csv", b"# note\n" + CSV_HEADER + b"q,e,2,t\n", "the run: missing columns query_id, doc_id, got"),
    ("run.csv", b"a title\n\n" + CSV_HEADER + b"q,e,2,t\n", "the run: missing columns query_id, doc_id, got a title"),
    ("run.csv", CSV_HEADER + b"q,e,2,t\nq,d,1\n", "run.csv, line 3: 3 columns, but the header has 4"),
    ("run.csv", CSV_HEADER + b"q,e,2,t\nq,d,1,t,u\n", "run.csv, line 3: 5 columns, but the header has 4"),
    ("run", b"q 1\tQ0\td\t1\t2.0\tt\n", f"run, line 1: {BLANK}"),
    ("run", b"q\tQ0\td 1\t1\t2.0\tt\n", f"run, line 1: {BLANK}"),
    ("run", REGULAR_RUN.encode() + b"q\tQ0\td 1\t1\t2.0\tt\n", f"run, line 151: {BLANK}"),
    ("run", b"q Q0 d\t1 1 2.0 t\n", f"run, line 1: {BLANK}"),
    ("run", REGULAR_RUN.encode() + b"q Q0 d\t1 1 2.0 t\n", f"run, line 151: {BLANK}"),
    ("run", b"q Q0 the d 1 2.0 t\n", "run, line 1: given_rank must be a number, got 'd'"),
    # A byte order mark is no part of the line.
    ("run", b"\xef\xbb\xbfq Q0 d 1 high t\n", "run, line 1: score must be a number, got 'high': 'q Q0 d 1 high t'"),
    ("run", REGULAR_RUN.encode() + b"q Q0 the d 1 2.0 t\n", "run, line 151: given_rank must be a number, got 'd'"),
]


@pytest.mark.parametrize(
    ("name", "text", "message"), WRONG_FILES, ids=[f"{i}-{name}" for i, (name, _, _) in enumerate(WRONG_FILES)]
)
def test_damaged_and_ambiguous_files(name: str, text: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(text)
    with raises(InputError, message):
        ltr_sql.evaluate(path, ["AP"], qrels={"q": {"d": 1}})


# Formats of text, with a header and a line.
LINES = {"run": (b"", b"q Q0 d 1 1.0 t\n"), "run.csv": (b"query_id,doc_id,score\n", b"q,d,1.0\n")}
LINES |= {"run.jsonl": (b"", b'{"query_id":"q","doc_id":"d","score":1.0}\n')}


def repeated_lines(name: str, size: int) -> bytes:
    header, line = LINES[name]
    return header + line * (size // len(line))


@pytest.mark.default("run.jsonl")
@pytest.mark.parametrize("name", LINES)
def test_files_that_unpack_to_far_more_than_their_size(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(repeated_lines(name, 34 << 20), 9))
    with raises(InputError, f"{name}.gz unpacks to more than 200 times its size: unpack it first"):
        ltr_sql.evaluate(path, ["AP"], qrels={"q": {"d": 1}})


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from /proc")
@pytest.mark.parametrize("name", LINES)
def test_files_are_unpacked_in_bounded_memory(name: str, con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    text = repeated_lines(name, 100 << 20)
    for path in (tmp_path / f"{name}.gz", tmp_path / f"{name}.zst"):
        if path.suffix == ".gz":
            path.write_bytes(gzip.compress(text, 9))
        else:
            (tmp_path / "text").write_bytes(text)
            lines = (
                f"read_csv('{tmp_path}/text', columns = {{'x': 'varchar'}}, header = false, delim = '\1', quote = '')"
            )
            options = "format csv, header false, delim '\1', quote '', compression zstd"
            con.execute(f"copy (from {lines}) to '{path}' ({options})")
        assert path.stat().st_size * 300 < len(text)
        script = (
            "import atexit, pathlib\nfrom ltr_sql.command_line.main import main\n"
            "atexit.register(lambda: print(pathlib.Path('/proc/self/status').read_text()))\nmain()"
        )
        call = [sys.executable, "-c", script, "evaluate", str(path), str(path), "-m", "P@1"]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        assert "more than 200 times its size" in done.stderr
        (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", done.stdout)
        assert int(peak) < 150_000


@pytest.mark.slow
def test_a_changed_byte_in_a_gzip_file_never_changes_a_number(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    scores = random.Random(17)
    lines = [f"q{i // 50} Q0 d{i % 50} 1 {scores.random():.4f} t\n" for i in range(1000)]
    packed = gzip.compress("".join(lines).encode())
    qrels = {f"q{i}": {f"d{i}": 1} for i in range(20)}
    path.write_bytes(packed)
    expected = ltr_sql.evaluate(path, ["RR", "NumRet"], qrels=qrels)
    for place in [*range(10), *scores.sample(range(len(packed)), 100), *range(len(packed) - 8, len(packed))]:
        damaged = bytearray(packed)
        damaged[place] ^= scores.randrange(1, 256)
        path.write_bytes(damaged)
        if 4 <= place < 10:
            # The time, the level and the system of the packer are not part of the text.
            pd.testing.assert_frame_equal(ltr_sql.evaluate(path, ["RR", "NumRet"], qrels=qrels), expected)
        else:
            with pytest.raises(InputError, match=r"is damaged|is truncated|is not a gzip file"):
                ltr_sql.evaluate(path, ["RR", "NumRet"], qrels=qrels)


# Render

WRONG_RENDERS: list[tuple[Any, dict[str, Any], str]] = [
    ("AP", {"dialect": "oracle"}, "dialect must be one of duckdb"),
    ("AP", {"run": "t"}, "measures read rankings= or pairs=, not run"),
    ("KendallTau", {"pairs": "p", "rankings": "t"}, "measures read rankings= or pairs=, not rankings"),
    (
        "judge",
        {"rankings": "t"},
        "judge takes run, qrels, ties, missing, unjudged, duplicates, qrels_duplicates, grades, asked, validate, "
        "asked_keys, has_rank, not rankings",
    ),
    ("judge", {"ties": "rank"}, "judge: ties must be 'docid_desc'"),
    ("judge", {"missing": "nope"}, "judge: missing must be 'zero' or 'skip', got 'nope'"),
    ("rank_by_score", {"ties": "nope"}, "'worst', 'best' or 'expected', got 'nope'"),
    ("nope", {}, "unknown measure 'nope'"),
    ([], {}, "no measures given"),
]


@pytest.mark.parametrize(("what", "options", "message"), WRONG_RENDERS, ids=str)
def test_wrong_renders(what: Any, options: dict[str, Any], message: str) -> None:
    with raises(LtrSqlError, message):
        ltr_sql.render(what, **options)


# Macros


@pytest.fixture(scope="module")
def registered() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.register("frame", RANKINGS)
        connection.execute("create table judged as from frame")
        connection.unregister("frame")
        for name, frame in {"scored": SCORED, "tied": TIED, "tied_reversed": TIED[::-1].copy(), "pairs": PAIRS}.items():
            connection.register("frame", frame)
            connection.execute(f"create table {name} as from frame")
            connection.unregister("frame")
        connection.execute("create table empty as from judged limit 0")
        connection.execute("create table empty_scored as from scored limit 0")
        connection.execute("create table covered as select *, 'a' as doc_id, 's' as subtopic from judged")
        connection.execute(
            'create view renamed as select * rename (query_id as "Query_ID", rank as "RANK", relevance as "Rel") '
            "from judged"
        )
        connection.execute(
            'create view in_capitals as select * rename (query_id as "Query_ID", rank as "RANK") from judged'
        )
        connection.execute("create view twice as select 'q' as query_id, 'd' as doc_id, unnest([2e0, 1e0]) as score")
        connection.execute(
            "create view alone as select 'q' as query_id, 'other' as doc_id, unnest([2e0, 1e0]) as score"
        )
        for name, rank in {"far": "9007199254740992", "endless": "'inf'::double"}.items():
            connection.execute(
                f"create view {name} as from (values ('q', 1, 1), ('q', {rank}, null)) as t(query_id, rank, relevance)"
            )
        connection.execute(
            "create view half_ranked as from (values ('q', 'd', '1', null, 1), ('q', 'd', '2', 1, 1)) "
            "as t(query_id, doc_id, subtopic, rank, relevance)"
        )
        connection.execute("create view ranked_twice as select 'q' as query_id, 'd' as doc_id, unnest([1, 2]) as rank")
        connection.execute(
            "create view judged_twice as select 'q' as query_id, unnest(['d', 'e', 'e']) as doc_id, 1 as relevance"
        )
        for name, score in NO_SCORES.items():
            connection.execute(f"create view {name} as select 'q' as query_id, 'd' as doc_id, {score}::double as score")
        connection.execute("create view once as select 'q' as query_id, 'd' as doc_id, 1 as rank, 1 as relevance")
        yield ltr_sql.register(connection)


@pytest.fixture
def con(registered: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """Connection with the macros. Drops the temporary tables that a test leaves behind."""
    yield registered
    for (name,) in registered.execute("select table_name from duckdb_tables() where temporary").fetchall():
        registered.execute('drop table temp."{}"'.format(name.replace('"', '""')))


TABLES = ["covered", "empty", "empty_scored", "judged", "pairs", "scored", "tied", "tied_reversed"]


def assert_untouched(con: duckdb.DuckDBPyConnection) -> None:
    names = con.execute("select table_name from duckdb_tables() where not temporary order by all").fetchall()
    assert names == [(name,) for name in TABLES]
    assert con.execute("select system, query_id, rank, relevance from judged order by all").fetchall() == [
        ("s", "q", 1, 0),
        ("s", "q", 2, 1),
    ]
    assert con.execute("from ltr.ap('judged')").fetchall() == [("q", 0.5)]


K = "k must be an integer from 1, got "
REL = "rel must be a number above 0, got "
ALPHA = "alpha must be a number from 0 to 1, got "
TIES = (
    "ties must be 'docid_desc', 'docid_asc', 'docid_desc_float32', 'row_order', 'rank', 'worst', 'best' or 'expected', "
    "got "
)

TWICE = "a document is in one ranking more than once: if its rows are chunks, group_documents makes one row of them"
JUDGED_TWICE = "a document is judged more than once for one query: keep one grade, such as max(relevance)"
NO_SCORE = "a score is NULL, NaN or infinite: give the document a finite score; if it was not retrieved, pass run and"
NO_SCORES = {"no_score": "null", "nan_score": "'nan'", "high_score": "'inf'", "low_score": "'-inf'"}

WRONG_OPTIONS: list[tuple[str, str]] = [
    ("ltr.ndcg('judged', k := 0)", f"ltr.ndcg: {K}0"),
    ("ltr.ndcg('judged', k := -1)", f"ltr.ndcg: {K}-1"),
    ("ltr.ndcg('judged', k := 2.5)", f"ltr.ndcg: {K}2.5"),
    ("ltr.ndcg('judged', k := 1e400)", f"ltr.ndcg: {K}inf"),
    ("ltr.ndcg('judged', k := 'nan'::double)", f"ltr.ndcg: {K}nan"),
    ("ltr.ndcg('judged', k := 'x')", f"ltr.ndcg: {K}x"),
    ("ltr.ap('judged', rel := 'x')", f"ltr.ap: {REL}x"),
    ("ltr.p('judged')", f"ltr.p: {K}NULL"),
    ("ltr.p('judged', k := null)", f"ltr.p: {K}NULL"),
    ("ltr.f1('judged')", f"ltr.f1: {K}NULL"),
    ("ltr.kendall_tau('pairs', k := 0)", f"ltr.kendall_tau: {K}0"),
    ("ltr.spearman('pairs', k := 0.5)", f"ltr.spearman: {K}0.5"),
    ("ltr.alpha_ndcg('covered', k := 0)", f"ltr.alpha_ndcg: {K}0"),
    ("ltr.ap('judged', rel := 0)", f"ltr.ap: {REL}0"),
    ("ltr.ap('judged', rel := -1)", f"ltr.ap: {REL}-1"),
    ("ltr.ap('judged', rel := null)", f"ltr.ap: {REL}NULL"),
    ("ltr.ap('judged', rel := 'inf'::double)", f"ltr.ap: {REL}inf"),
    ("ltr.success('judged', rel := 0e0)", f"ltr.success: {REL}0.0"),
    ("ltr.alpha_ndcg('covered', alpha := 2)", f"ltr.alpha_ndcg: {ALPHA}2"),
    ("ltr.alpha_ndcg('covered', alpha := -0.1)", f"ltr.alpha_ndcg: {ALPHA}-0.1"),
    ("ltr.alpha_ndcg('covered', alpha := null)", f"ltr.alpha_ndcg: {ALPHA}NULL"),
    ("ltr.alpha_ndcg('covered', rel := 0)", f"ltr.alpha_ndcg: {REL}0"),
    ("(values (2), (0)) as t(k), lateral (from ltr.ndcg('judged', k := t.k))", f"ltr.ndcg: {K}0"),
    # Choices are checked before any row is read.
    ("ltr.ndcg('judged', gain := 'x')", f"ltr.ndcg: {GAINS}x"),
    ("ltr.ndcg('judged', gain := 'Linear')", f"ltr.ndcg: {GAINS}Linear"),
    ("ltr.ndcg('judged', gain := null)", f"ltr.ndcg: {GAINS}NULL"),
    ("ltr.ndcg('empty', gain := 'x')", f"ltr.ndcg: {GAINS}x"),
    ("ltr.ndcg('empty', gain := null)", f"ltr.ndcg: {GAINS}NULL"),
    ("ltr.dcg('empty', gain := '')", f"ltr.dcg: {GAINS}"),
    ("ltr.idcg('empty', gain := 'x'' or true --')", f"ltr.idcg: {GAINS}x' or true --"),
    ("ltr.rank_by_score('scored', ties := 'x')", f"ltr.rank_by_score: {TIES}x"),
    ("ltr.rank_by_score('empty_scored', ties := 'x')", f"ltr.rank_by_score: {TIES}x"),
    ("ltr.rank_by_score('empty_scored', ties := null)", f"ltr.rank_by_score: {TIES}NULL"),
    (
        "ltr.judge('scored', 'scored', ties := 'rank')",
        f"ltr.judge: {TIES.replace(chr(39) + 'rank' + chr(39) + ', ', '')}rank",
    ),
    ("ltr.judge('empty_scored', 'scored', missing := 'x')", "ltr.judge: missing must be 'zero' or 'skip', got x"),
    ("ltr.judge('empty_scored', 'scored', unjudged := 'x')", "unjudged must be 'drop', 'keep' or 'remove', got x"),
    ("ltr.judge('empty_scored', 'scored', missing := null)", "ltr.judge: missing must be 'zero' or 'skip', got NULL"),
    ("ltr.pair('empty_scored', 'scored', ties := 'worst')", "ltr.pair: ties must be 'docid_desc', 'docid_asc'"),
    # Data
    ("ltr.rank_by_score('tied')", "two rows of a query are tied after tie-breaking: give each document its own doc_id"),
    ("ltr.rank_by_score('tied', ties := 'docid_asc')", "or add a column row_order and set ties := 'row_order'"),
    *(
        (f"(with r as (from ltr.rank_by_score('{table}')) from ltr.{call})", "two rows of a query are tied")
        for table in ("tied", "tied_reversed")
        for call in ("ap('r')", "evaluate('r', ['RR'])", "explain('r', 'q', 'AP')")
    ),
    (
        "ltr.rank_by_score('scored', ties := 'row_order')",
        f"{ORDER} need the column of that name, with a number in each row",
    ),
    ("ltr.judge('scored', 'scored', ties := 'row_order')", f"{ORDER} need the column of that name, with a number"),
    ("ltr.judge('twice', 'once')", TWICE),
    ("ltr.judge('ranked_twice', 'once', missing := 'skip')", TWICE),
    ("ltr.judge('twice', 'once', ties := 'expected')", TWICE),
    ("ltr.pair('twice', 'once')", TWICE),
    ("ltr.pair('once', 'ranked_twice')", TWICE),
    ("ltr.pair('once', 'alone')", TWICE),
    ("ltr.compare_rankings('twice', 'once', ['RBO', 'Jaccard@1'])", TWICE),
    ("ltr.judge('once', 'judged_twice')", JUDGED_TWICE),
    ("ltr.judge('once', 'judged_twice', missing := 'skip', unjudged := 'keep')", JUDGED_TWICE),
    ("ltr.judge('empty_scored', 'judged_twice')", JUDGED_TWICE),
    *((f"ltr.rank_by_score('{name}')", NO_SCORE) for name in NO_SCORES),
    *((f"ltr.judge('{name}', 'once')", NO_SCORE) for name in NO_SCORES),
    *((f"ltr.pair('{name}', 'once')", NO_SCORE) for name in NO_SCORES),
    # Ranks of nonrelevant documents
    (
        "ltr.compat('far')",
        "ranks must be whole numbers from 1 to 1,000,000,000: for ranks that count from 0, select rank + 1 as rank",
    ),
    (
        "ltr.compat('endless')",
        "ranks must be whole numbers from 1 to 1,000,000,000: for ranks that count from 0, select rank + 1 as rank",
    ),
    ("ltr.alpha_ndcg('half_ranked')", "ranks must be whole numbers from 1 to 1,000,000,000, one for each document"),
    # Keys
    ("ltr.judge('scored', 'scored', keys := ['nope'])", "relevance, score; got keys [nope]"),
    ("ltr.pair('scored', 'scored', keys := ['nope'])", "relevance, score; got keys [nope]"),
    ("ltr.ap('judged', keys := null)", "not query_id, doc_id, rank, relevance, score; got keys NULL"),
    ("ltr.rank_by_score('scored', keys := null)", "not query_id, doc_id, rank, relevance, score; got keys NULL"),
]


@pytest.mark.default(
    "ltr.ndcg('judged', k := 'nan'::double)",
    "ltr.p('judged', k := null)",
    "ltr.alpha_ndcg('covered', alpha := null)",
    "ltr.ndcg('judged', gain := 'Linear')",
    "ltr.dcg('empty', gain := '')",
    "ltr.rank_by_score('empty_scored', ties := null)",
    "ltr.judge('empty_scored', 'scored', missing := null)",
    "ltr.compat('far')",
)
@pytest.mark.parametrize("case", WRONG_OPTIONS, ids=lambda case: case[0][:60])
def test_wrong_options_of_macros(case: tuple[str, str], con: duckdb.DuckDBPyConnection) -> None:
    call, message = case
    with raises(duckdb.InvalidInputException, message):
        con.execute(f"from {call}").fetchall()
    assert_untouched(con)


def test_documents_separated_by_keys_are_judged_and_paired(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create temp view of_systems as select *, 'a' || row_number() over () as system from twice")
    judged = con.execute("select system, doc_id, rank from ltr.judge('of_systems', 'once', keys := ['system'])")
    assert sorted(judged.fetchall()) == [("a1", "d", 1), ("a2", "d", 1)]
    paired = con.execute("select rank_a, rank_b from ltr.pair('of_systems', 'of_systems', keys := ['system'])")
    assert paired.fetchall() == [(1, 1), (1, 1)]
    con.execute("drop view temp.of_systems")


@pytest.mark.parametrize("given", [{"run": "twice"}, {"run": "ranked_twice", "has_rank": "run"}], ids=str)
def test_duplicate_documents_stop_the_rendered_query(con: duckdb.DuckDBPyConnection, given: dict[str, Any]) -> None:
    with raises(duckdb.InvalidInputException, TWICE):
        con.execute(ltr_sql.render("judge", qrels="once", **given)).fetchall()
    runs: dict[str, Any] = {
        "run_a": given["run"],
        "run_b": "once",
        "has_rank": f"run_b,{'run_a' * ('has_rank' in given)}",
    }
    with raises(duckdb.InvalidInputException, TWICE):
        con.execute(ltr_sql.render("pair", **runs)).fetchall()


@pytest.mark.parametrize("column", ["score", "rank"])
def test_duplicate_documents_in_one_table_are_refused(column: str) -> None:
    table = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b", "a"], column: [3, 2, 1], "relevance": [1, 0, 1]})
    with raises(InputError, "a document is in one ranking more than once (1): query_id=q, doc_id=a (2 rows)"):
        ltr_sql.evaluate(table, ["NumRel"])
    assert ltr_sql.evaluate(table.assign(system=["x", "x", "y"]), ["NumRel"], keys=["system"])["NumRel"].tolist() == [
        1,
        1,
    ]


# The ranks have the number, maximum, sum and exclusive or of the ranks 1 to 7, or 1 to 8.
@pytest.mark.default("['system']-['AP']-[2, 3, 3, 4, 4, 5, 7]")
@pytest.mark.parametrize("ranks", [[2, 3, 3, 4, 4, 5, 7], [2, 3, 3, 4, 4, 5, 7, 8], [8, 7, 5, 4, 4, 3, 3, 2]], ids=str)
@pytest.mark.parametrize("measures", [["AP"], ["P@3", "nDCG@10"]], ids=str)
@pytest.mark.parametrize("keys", [["system"], []], ids=str)
def test_duplicate_ranks_with_a_plausible_sum_are_refused(
    ranks: list[int], measures: list[str], keys: list[str]
) -> None:
    documents = [f"d{number}" for number in range(len(ranks))]
    run = pd.DataFrame({"system": "s", "query_id": "q", "doc_id": documents, "rank": ranks})
    qrels = pd.DataFrame({"query_id": "q", "doc_id": documents, "relevance": 1})
    for given in (run.assign(relevance=1).drop(columns="doc_id"), run.assign(relevance=1)):
        with raises(InputError, "documents of one query share a rank (2)"):
            ltr_sql.evaluate(given, measures, keys=keys)
    with raises(InputError, "documents of one query share a rank (2)"):
        ltr_sql.evaluate(run, measures, qrels=qrels, keys=keys)


@pytest.mark.parametrize("column", ["score", "rank"])
@pytest.mark.parametrize("by_query", [False, True])
def test_no_rows_have_no_mean(column: str, by_query: bool) -> None:
    table = pd.DataFrame({"query_id": ["q"], column: [1], "relevance": [1]}).head(0)
    with raises(InputError, "the input has no rows (1): the rankings"):
        ltr_sql.evaluate(table, ["AP"], by_query=by_query)


@pytest.mark.default("1")
@pytest.mark.parametrize("num_ret", [1, -1, 2.5, float("inf")])
def test_impossible_num_ret_is_refused(con: duckdb.DuckDBPyConnection, num_ret: float) -> None:
    table = pd.DataFrame({"query_id": "q", "rank": [1, 2], "relevance": [1, 1], "num_ret": num_ret})
    for measure in ("SetP", "Judged@10", "AP"):
        with raises(
            InputError,
            "num_ret is negative, not whole, above 1,000,000,000, or below the largest rank of its query (1)",
        ):
            ltr_sql.evaluate(table, [measure])
    con.register("counted", table)
    for call in ("ltr.set_p('counted')", "ltr.judged('counted', k := 10)", "ltr.evaluate('counted', ['SetP', 'AP'])"):
        with raises(
            duckdb.InvalidInputException,
            "num_ret must be a whole number, at least the largest rank of its query and at most 1,000,000,000",
        ):
            con.execute(f"from {call}").fetchall()
    con.unregister("counted")


def test_a_run_without_rank_and_score_is_refused_by_macros(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create temp view without as select 'q' as query_id, 'd' as doc_id")
    with raises(duckdb.InvalidInputException, "a run needs a column rank or score"):
        con.execute("from ltr.judge('without', 'once')").fetchall()
    con.execute("drop view temp.without")


def test_text_as_score_of_a_table_is_refused(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create temp table of_text as from (values ('q', 'd', 'x')) as t(query_id, doc_id, score)")
    with raises(InputError, "a rank, score or grade is not a number (1): query_id=q, doc_id=d"):
        ltr_sql.evaluate("of_text", ["AP"], qrels={"q": {"d": 1}}, con=con)


def test_duplicate_judgments_stop_the_rendered_query(con: duckdb.DuckDBPyConnection) -> None:
    with raises(duckdb.InvalidInputException, JUDGED_TWICE):
        con.execute(ltr_sql.render("judge", run="once", qrels="judged_twice", has_rank="run")).fetchall()


@pytest.mark.parametrize("name", NO_SCORES)
def test_invalid_scores_stop_the_rendered_query(con: duckdb.DuckDBPyConnection, name: str) -> None:
    for text in (
        ltr_sql.render("judge", run=name, qrels="once"),
        ltr_sql.render("pair", run_a="once", run_b=name, has_rank="run_a"),
        ltr_sql.render("rank_by_score", scored=f"(select *, 1 as relevance from {name})"),
    ):
        with raises(duckdb.InvalidInputException, NO_SCORE):
            con.execute(text).fetchall()


def test_a_document_that_is_judged_for_subtopics_is_judged_once(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create temp view of_subtopics as select *, 's' || row_number() over () as subtopic from judged_twice")
    judged = con.execute("select doc_id, subtopic, rank from ltr.judge('once', 'of_subtopics') order by all").fetchall()
    assert judged == [("d", "s1", 1), ("e", "s2", None), ("e", "s3", None)]
    con.execute("drop view temp.of_subtopics")


def test_choices_are_refused_before_anything_runs(con: duckdb.DuckDBPyConnection) -> None:
    with raises(duckdb.InvalidInputException, f"ltr.ndcg: {GAINS}x"):
        con.execute("explain from ltr.ndcg('empty', gain := 'x')")
    with raises(duckdb.InvalidInputException, f"ltr.ndcg: {GAINS}x"):
        con.execute("from ltr.ndcg('empty', gain := ?)", ["x"])
    with raises(duckdb.InvalidInputException, f"ltr.ndcg: {GAINS}NULL"):
        con.execute("from ltr.ndcg('empty', gain := ?)", [None])
    with raises(duckdb.InvalidInputException, f"ltr.ndcg: {K}0"):
        con.execute("from ltr.ndcg('judged', k := ?)", [0]).fetchall()


PROBABILITY = ["1.01", "-1", "null"]
ANY_CHOICE = ["'x'", "null"]
ANY_NUMBER = ["null", "'nan'::double", "'inf'::double"]
WRONG_VALUES: dict[str, list[str]] = {
    "k": ["0", "-3", "1.5"],
    "rel": ["0", "-0.5", "null"],
    "gain": ["'x'"],
    "scope": ["'document'", "null"],
    "version": ["'2010'", "null"],
    "rounding": ["'te8'", "null"],
    "multiple": ["0", "-1", "null"],
    "beta_squared": ["-0.5", "null"],
    "collection_size": ["-1", "null"],
    "max_grade": ["0", "null"],
    "unit": ["0", "-1", "null"],
    "max_rel": ["-1", "null"],
    "min_rel": ["-1", "null"],
    "T": ["0", "0.2", "null"],
    "depth": ["0", "-3", "1.5"],
    "normalize": ["'x'", "null"],
    "location": ["0", "-1"],
    "level": ["0", "-1"],
    **dict.fromkeys(
        ["kind", "scale", "ties", "variant", "weight", "weights", "discount", "ideal", "divisor", "empty"], ANY_CHOICE
    ),
    **dict.fromkeys(["alpha", "beta", "p", "recall", "decay", "tied"], PROBABILITY),
    **dict.fromkeys(["rel_ret", "nonrel_ret", "rel_missed", "nonrel_missed"], ANY_NUMBER),
}


# The macros of all measures check a parameter alike, so one measure is enough for what a parameter allows.
CHECKED: dict[tuple[str, str], tuple[Definition, Parameter]] = {}
for _definition in definitions().values():
    for _parameter in _definition.parameters:
        CHECKED.setdefault((_parameter.name, _parameter.allowed), (_definition, _parameter))


@pytest.mark.parametrize(
    ("definition", "parameter"), CHECKED.values(), ids=[f"{d.macro} {p.name}" for d, p in CHECKED.values()]
)
def test_every_number_is_checked(definition: Definition, parameter: Parameter, con: duckdb.DuckDBPyConnection) -> None:
    table = "pairs" if definition.paired else "covered" if definition.by_subtopic else "judged"
    for value in WRONG_VALUES[parameter.name]:
        # Set the required parameters, such as the cutoff of P or the largest grade of ERR.
        more = "".join(f", {p.name} := 1" for p in definition.required if p != parameter)
        with raises(
            duckdb.InvalidInputException, f"ltr.{definition.macro}: {parameter.name} must be {parameter.allowed}, got "
        ):
            con.execute(f"from ltr.{definition.macro}('{table}', {parameter.name} := {value}{more})").fetchall()


def test_every_parameter_has_wrong_values_in_these_tests() -> None:
    of_measures = {parameter.name for definition in definitions().values() for parameter in definition.parameters}
    assert of_measures == {*WRONG_VALUES}


@pytest.mark.parametrize(
    "call",
    [
        "ltr.ndcg('judged', nope := 1)",
        "ltr.ndcg()",
        "ltr.ap('judged', gain := 'linear')",
        "ltr.evaluate('judged')",
        "ltr.nope('judged')",
        "ltr.judge('scored')",
        "ltr.ndcg('nope')",
        "ltr.ndcg(null)",
        "ltr.ndcg('')",
        "ltr.evaluate(null, ['AP'])",
        "ltr.evaluate('nope', ['AP'])",
        "ltr.evaluate('judged', ['AP'], keys := ['nope'])",
        "ltr.evaluate('empty', ['AP'], keys := ['nope'])",
        "ltr.rank_by_score('judged', ties := 1)",
        "ltr.ndcg('judged', keys := 'system')",
    ],
)
def test_calls_that_duckdb_refuses(call: str, con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.Error):
        con.execute(f"from {call}").fetchall()
    assert_untouched(con)


WRONG_KEYS: list[tuple[str, str]] = [
    (
        "ltr.per_query('judged', ['AP'], keys := ['system'' or true --'])",
        "system' or true -- (of the keys; the input has ",
    ),
    ("ltr.ndcg('judged', keys := ['nope'])", "nope (of the keys; the input has system, query_id, rank, relevance)"),
    ("ltr.ndcg('judged', keys := ['System'])", "System (of the keys; the input has system, query_id, rank, relevance)"),
    ("ltr.ndcg('judged', keys := ['system', 'nope'])", "nope (of the keys; the input has system, query_id, rank, "),
    ("ltr.kendall_tau('pairs', keys := ['nope'])", "nope (of the keys; the input has query_id, rank_a, rank_b)"),
    ("ltr.alpha_ndcg('covered', keys := ['nope'])", "nope (of the keys; the input has "),
    ("ltr.evaluate('judged', ['AP'], keys := ['nope'])", "nope (of the keys; the input has system, query_id, rank, "),
    ("ltr.per_query('judged', ['AP'], keys := ['nope'])", "nope (of the keys; the input has system, query_id, rank, "),
    ("ltr.rank_by_score('scored', keys := ['nope'])", "nope (of the keys; the input has "),
    ("ltr.pair_with_ideal('judged', keys := ['nope'])", "nope (of the keys; the input has system, query_id, rank, "),
]


@pytest.mark.default(
    "ltr.per_query('judged', ['AP'], keys := ['system'' or true --'])",
    "ltr.kendall_tau('pairs', keys := ['nope'])",
    "ltr.rank_by_score('scored', keys := ['nope'])",
)
@pytest.mark.parametrize("case", WRONG_KEYS, ids=lambda case: case[0])
def test_macros_name_the_columns_for_a_wrong_key(case: tuple[str, str], con: duckdb.DuckDBPyConnection) -> None:
    call, message = case
    with raises(duckdb.BinderException, f'Column "{message}'):
        con.execute(f"from {call}").fetchall()
    assert_untouched(con)


LACKING: list[tuple[str, str]] = [
    ("ltr.ap('renamed')", "relevance (the input has system, Query_ID, RANK, Rel; "),
    ("ltr.explain('renamed', 'q', 'AP')", "relevance (the input has system, Query_ID, RANK, Rel; "),
    ("ltr.evaluate('renamed', ['AP'])", "relevance (the input has system, Query_ID, RANK, Rel; "),
    ("ltr.pair_with_ideal('renamed')", "relevance (the input has system, Query_ID, RANK, Rel; "),
    (
        "ltr.alpha_ndcg('judged')",
        "doc_id, subtopic, which measures of diversity such as alpha_nDCG read, and xinfAP as the stratum "
        "(the input has system, query_id, rank, relevance; ",
    ),
    (
        "ltr.per_query('judged', ['alpha_nDCG@3', 'AP'])",
        "doc_id, subtopic, which measures of diversity such as alpha_nDCG read, and xinfAP as the stratum "
        "(the input has system, query_id, rank, relevance; ",
    ),
    ("ltr.kendall_tau('judged')", "rank_a, rank_b (the input has system, query_id, rank, relevance; "),
    ("ltr.ap('pairs')", "rank, relevance (the input has query_id, rank_a, rank_b; "),
    ("ltr.rank_by_score('judged')", "score (the input has system, query_id, rank, relevance; "),
    ("ltr.judge('judged', 'once')", "doc_id (the input has system, query_id, rank, relevance; "),
    ("ltr.judge('once', 'twice')", "relevance (the input has query_id, doc_id, score; "),
    ("ltr.judge('once', 'twice', ties := 'worst')", "relevance (the input has query_id, doc_id, score; "),
    ("ltr.judge('once', 'judged')", "doc_id (the input has system, query_id, rank, relevance; "),
    ("ltr.pair('once', 'judged')", "doc_id (the input has system, query_id, rank, relevance; "),
    ("ltr.compare_rankings('judged', 'once', ['RBO'])", "doc_id (the input has system, query_id, rank, relevance; "),
    ("(select 1 as a) as t, lateral (from ltr.ap('numbers'))", "query_id, rank, relevance (the input has a'\"b; "),
]


@pytest.mark.parametrize(("call", "message"), LACKING, ids=lambda text: text[:60])
def test_macros_name_the_columns_that_are_missing(call: str, message: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute('create temp table numbers as select 1 as "a\'""b"')
    with raises(duckdb.BinderException, f'Column "{message}rename the column that holds it, or select it under that'):
        con.execute(f"from {call}").fetchall()
    assert_untouched(con)


def test_macros_ignore_the_case_of_column_names(con: duckdb.DuckDBPyConnection) -> None:
    for keys in ("", ", keys := ['system']"):
        expected = con.execute(f"from ltr.per_query('judged', ['AP', 'nDCG@2']{keys})").fetchall()
        assert con.execute(f"from ltr.per_query('in_capitals', ['AP', 'nDCG@2']{keys})").fetchall() == expected
        assert con.execute(f"from ltr.evaluate('in_capitals', ['AP']{keys})").fetchall()[0][-1] == expected[0][-2]
    assert con.execute("from ltr.check_rankings('in_capitals')").fetchall() == []
    frame = RANKINGS.rename(columns=str.upper)
    pd.testing.assert_frame_equal(
        ltr_sql.evaluate(frame, ["AP", "nDCG@2"]), ltr_sql.evaluate(RANKINGS, ["AP", "nDCG@2"])
    )


# No injection

ATTACKS = [
    "AP; drop table judged",
    "AP'; drop table judged; --",
    'AP"; drop table judged; --',
    'AP" from judged; drop table judged; --',
    "AP(rel=1)); drop table judged; --",
    "AP(rel=1; drop table judged)",
    "AP(rel=1') or true --)",
    "AP(rel=(select 1))",
    "AP(rel=1 --)",
    "AP(rel=1/**/)",
    "AP(rel=1\\)",
    "AP\\",
    "AP'",
    'AP"',
    "AP''",
    "AP\n; drop table judged",
    "AP@1; drop table judged",
    "AP@1 union all select 1, 1 --",
    "nDCG(gain='linear'' or true --')",
    "nDCG(gain='x'; drop table judged)",
    "nDCG(gain=linear' --)",
    "{name}",
    "{rankings}",
    "AP(rel={k})",
    "AP(rel={rel})",
    "AP$1",
    "$1",
    "?",
    "AP\x00",
    "\u0410P",
]


@pytest.mark.default("AP; drop table judged")
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_injection_through_measures(attack: str, con: duckdb.DuckDBPyConnection) -> None:
    for macro in ("evaluate", "per_query"):
        with pytest.raises(duckdb.Error):
            con.execute(f"from ltr.{macro}('judged', [?])", [attack])
        with pytest.raises(duckdb.Error):
            quoted = attack.replace("'", "''")
            con.execute(f"from ltr.{macro}('judged', ['{quoted}'])")
    with pytest.raises(MeasureError):
        ltr_sql.evaluate("judged", [attack], con=con)
    assert_untouched(con)


ODD_NAMES = [
    "judged; drop table judged",
    "judged'; drop table judged; --",
    "it's",
    "it''s",
    "judged') as j; drop table judged; --",
    "{name} {k}",
    "{rankings}",
    "back\\slash",
    "\\'",
    "%s",
    "$1",
    "--",
    "/*",
    "j",
    "select 1",
]


@pytest.mark.default("\\\\'")
@pytest.mark.parametrize("name", ODD_NAMES)
def test_no_injection_through_names_of_tables(name: str, con: duckdb.DuckDBPyConnection) -> None:
    calls = ["from ltr.ap(?)", "from ltr.per_query(?, ['AP'])", "select 'q', \"AP\" from ltr.evaluate(?, ['AP'])"]
    literal = "'" + name.replace("'", "''") + "'"
    for call in calls:
        with pytest.raises(duckdb.Error):
            con.execute(call.replace("?", literal)).fetchall()
    assert_untouched(con)
    con.execute(f'create temp table "{name}" as select query_id, rank, 1 as relevance from judged')
    for call in calls:
        for text, values in ((call, [name]), (call.replace("?", literal), None)):
            assert con.execute(text, values).fetchall() == [("q", 1.0)]
    assert ltr_sql.evaluate(name, ["AP"], con=con)["AP"][0] == 1.0


@pytest.mark.parametrize("name", ['a"b', '"', '""', 'judged" as j; drop table judged; --'])
def test_no_injection_through_double_quotes(name: str, con: duckdb.DuckDBPyConnection) -> None:
    """Table names are read as identifiers: a double quote in a quoted name is doubled."""
    if duckdb.__version__.startswith("1."):
        pytest.skip("query_table of DuckDB 1 does not read doubled quotes")
    quoted = '"' + name.replace('"', '""') + '"'
    for given in (name, quoted):
        with pytest.raises(duckdb.Error):
            con.execute("from ltr.ap(?)", [given])
        with pytest.raises(duckdb.Error):
            con.execute("from ltr.evaluate(?, ['AP'])", [given])
    con.execute(f"create temp table {quoted} as from judged")
    assert con.execute("from ltr.ap(?)", [quoted]).fetchall() == [("q", 0.5)]
    assert con.execute("from ltr.evaluate(?, ['AP'])", [quoted]).fetchall() == [(1, 0.5)]
    assert ltr_sql.evaluate(quoted, ["AP"], con=con)["AP"][0] == 0.5


ODD_KEYS = [
    *(name for name in ODD_NAMES if name != "{rankings}"),
    'a"b',
    '"',
    'system", (select 1) as "x',
    "system, query_id",
    "c",
    "*",
    "keys",
    "",
]


@pytest.mark.default("judged; drop table judged")
@pytest.mark.parametrize("key", ODD_KEYS)
def test_no_injection_through_keys(key: str, con: duckdb.DuckDBPyConnection) -> None:
    calls = [
        "from ltr.ap('{}', keys := {})",
        "from ltr.per_query('{}', ['AP'], keys := {})",
        "from ltr.evaluate('{}', ['AP'], keys := {})",
    ]
    literal = "['" + key.replace("'", "''") + "']"
    for call in calls:
        with pytest.raises(duckdb.Error):
            con.execute(call.format("judged", literal)).fetchall()
    with raises(InputError, f"key {key!r} is not a column"):
        ltr_sql.evaluate("judged", ["AP"], keys=[key], con=con)
    assert_untouched(con)
    if not key:
        return
    quoted = '"' + key.replace('"', '""') + '"'
    con.execute(f"create temp table keyed as select system as {quoted}, query_id, rank, relevance from judged")
    for call in calls:
        expected: Any = ("s", 1, 0.5) if "evaluate" in call else ("s", "q", 0.5)
        assert con.execute(call.format("keyed", literal)).fetchall() == [expected]
        assert con.execute(call.format("keyed", "?"), [[key]]).fetchall() == [expected]
    frame = ltr_sql.evaluate("keyed", ["AP"], keys=[key], con=con)
    assert list(frame.columns) == [key, "queries", "AP"]
    assert frame.to_numpy().tolist() == [["s", 1, 0.5]]


def test_no_injection_through_rendered_keys_and_measures(con: duckdb.DuckDBPyConnection) -> None:
    key = 'a"b; drop table judged; --'
    con.execute('create temp table keyed as select * rename (system as "a""b; drop table judged; --") from judged')
    text = ltr_sql.render(["AP", "nDCG(gain='linear')@1"], keys=[key], rankings="keyed", by_query=False)
    assert con.execute(text).fetchall() == [("s", 1, 0.5, 0.0)]


# Measures that require the scale of grades


@pytest.mark.default("ERR")
@pytest.mark.parametrize("measure", ["ERR", "PFound"])
def test_a_grade_above_the_scale_is_an_error(measure: str) -> None:
    table = pd.DataFrame({"query_id": ["q", "q"], "rank": [1, 2], "relevance": [1, 2]})
    assert ltr_sql.evaluate(table, [f"{measure}(max_grade=2)@1"]).iloc[0, 1] > 0
    with raises(InputError, "a grade is above max_grade"):
        ltr_sql.evaluate(table, [f"{measure}(max_grade=1.5)@1"])


def test_a_scale_without_extent_is_an_error() -> None:
    table = pd.DataFrame({"query_id": ["q", "q"], "rank": [1, 2], "relevance": [1, 2]})
    with raises(InputError, "max_rel must be larger than min_rel"):
        ltr_sql.evaluate(table, ["INST(min_rel=1, max_rel=1)"])


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("ERR@10", "needs a value of max_grade, as in ERR(max_grade=4)@10"),
        ("INST", "needs a value of max_rel, as in INST(max_rel=4)@10"),
        ("SDCG(max_rel=3)", "needs a cutoff, as in SDCG(max_rel=4)@10"),
    ],
)
def test_a_measure_that_needs_more_says_so(measure: str, message: str) -> None:
    with raises(MeasureError, message):
        ltr_sql.evaluate(RANKINGS, [measure])
