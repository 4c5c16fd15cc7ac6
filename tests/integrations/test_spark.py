"""Measures on Spark: case folders, random rankings against the oracle, real runs against DuckDB, plans.

A few large queries evaluate many cases, separated by a key, because Spark takes longer to plan a query than to run it.
"""

import contextlib
import importlib
import math
import os
import re
import shutil
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from random import Random
from types import ModuleType
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner
from support import beyond_accuracy as beyond
from support import fusion
from support.builder_inputs import INPUTS, PARENTS, PROPENSITIES, QRELS, RECURSIVE, calls_of
from support.built import BUILDERS, check_rows, expected_rows
from support.case_folders import RELATION_CASES, case_id, header_of, load, options_of_relation, rows_of
from support.comparisons import assert_same, random_sets, records, table_of
from support.expected_ties import drawn as drawn_ties
from support.expected_ties import run_and_judgments
from support.joins import GRADES, MEASURES, expected, same
from support.joins import drawn as drawn_joins
from support.measure_texts import check, some_strings_of, sources_of
from support.pages import blocks, python_output
from support.places import ROOT
from support.reference_values import DATA
from support.refused import REFUSED, Given, Refused, given
from support.rules_of_measures import BEIR
from support.rules_of_measures import QRELS as QRELS_OF_RULES
from support.rules_of_measures import RUN as RUN_OF_RULES
from support.strategies import Row, covers, drawn, grouped, joined, pairs, rankings
from support.together import batches, cases_without, check_together, together

import ltr_sql
from ltr_sql.catalogue.functions import builders, relations
from ltr_sql.catalogue.measure_strings import parse_measures
from ltr_sql.catalogue.measures import definitions
from ltr_sql.command_line.main import main
from ltr_sql.inputs.session import Session
from ltr_sql.oracle import fusion as oracle
from ltr_sql.rendering.dialects import SPARK, string
from ltr_sql.rendering.measure_columns import Column, Rankings
from ltr_sql.rendering.renderer import measures_query
from ltr_sql.verification import TOLERANCE, difference, oracle_values

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


# PySpark warns about its own calls.
pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore")]

TYPES = {"rank": "int", "row_order": "int", "click": "int"} | dict.fromkeys(
    ["score", "relevance", "rank_a", "rank_b", "score_a", "score_b", "propensity"], "double"
)


INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
COMPILED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}


@contextlib.contextmanager
def configured(spark: "SparkSession", options: dict[str, str]) -> Iterator[None]:
    """Change settings of Spark temporarily."""
    before = {name: spark.conf.get(name) for name in options}
    try:
        for name, value in options.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, earlier in before.items():
            spark.conf.set(name, str(earlier))


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator["SparkSession"]:
    lacking = [
        name for name, there in {"pyspark": find_spec("pyspark"), "java": shutil.which("java")}.items() if not there
    ]
    if lacking and os.environ.get("LTR_SQL_NEEDS_SPARK"):
        pytest.fail(f"the tests of Spark must run here, and there is no {' and no '.join(lacking)}")
    if lacking:
        pytest.skip(f"no {' and no '.join(lacking)}: pip install -e '.[spark]', and Java 17 or later")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession  # noqa: PLC0415  (may be missing)

        folder = tmp_path_factory.mktemp("spark")
        # Disable adaptive plans, because the tests read plans before they run. Disable generated code, the optimizing
        # compiler of Java and its parallel garbage collector, because they take longer than small jobs. Without the
        # optimizing compiler, Java reserves little memory for compiled code, and compiles nothing more when it is full.
        options: dict[str, Any] = {
            "spark.ui.enabled": "false",
            "spark.driver.memory": "3g",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.sql.adaptive.enabled": "false",
            **INTERPRETED,
            "spark.ui.showConsoleProgress": "false",
        }
        session = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def on_spark(spark: "SparkSession") -> ModuleType:
    """The module `ltr_sql.spark`, which cannot be imported without pyspark."""
    return importlib.import_module("ltr_sql.spark")


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def frame_of(spark: "SparkSession", rows: Sequence[Row], columns: Sequence[str]) -> "DataFrame":
    texts = {name for name in columns if any(isinstance(row.get(name), str) for row in rows)}
    types = {name: "string" if name in texts else TYPES.get(name, "string") for name in columns}
    schema = ", ".join(f"{name} {kind}" for name, kind in types.items())
    values = [
        tuple(
            float(row[name]) if row.get(name) is not None and types[name] == "double" else row.get(name)
            for name in columns
        )
        for row in rows
    ]
    return spark.createDataFrame(values, schema)


def rows_from(frame: "DataFrame") -> list[Row]:
    return [row.asDict() for row in frame.collect()]


# Case folders

POSSIBLE_CASES = cases_without(SPARK.gaps)


@pytest.mark.parametrize(
    "cases", batches(POSSIBLE_CASES), ids=lambda cases: f"{case_id(cases[0])} and {len(cases) - 1} more"
)
def test_measures(cases: list[Path], spark: "SparkSession", on_spark: ModuleType) -> None:
    every = together(cases)
    frame = frame_of(spark, every.rows, every.columns)
    check_together(cases, rows_from(on_spark.evaluate(frame, every.measures, keys=every.keys, by_query=True)))


@pytest.mark.parametrize("folder", RELATION_CASES, ids=case_id)
def test_relation(folder: Path, spark: "SparkSession", con: duckdb.DuckDBPyConnection) -> None:
    relation = relations()[folder.parent.name]
    options = options_of_relation(folder)
    keys = options.pop("keys", "").split()
    frames: dict[str, Any] = {}
    for name in [*relation.inputs, *(["asked"] if "asked" in options else [])]:
        header = header_of(folder / f"{name}.csv")
        # Rendered text names the columns that it outputs, so the tables must have them.
        header += [other for other in ("doc_id", "relevance") if other not in header and name in ("scored", "rankings")]
        frames[name] = frame_of(spark, rows_of(con, f"from {load(con, folder / f'{name}.csv')}"), header)
    with_rank = [name for name, frame in frames.items() if "rank" in frame.columns]
    names: dict[str, Any] = options | {name: f"{{{name}}}" for name in frames}
    if relation.macro in ("judge", "pair"):
        names["has_rank"] = " ".join(with_rank)
    if "asked" in frames:
        names["asked_keys"] = " ".join(key for key in keys if key in frames["asked"].columns)
    if relation.macro == "pair":
        names["has_score"] = " ".join(name for name, frame in frames.items() if "score" in frame.columns)
    text = ltr_sql.render(relation.macro, "spark", keys=keys, **names)
    if relation.macro == "judge" and "subtopic" in frames["qrels"].columns:
        # Rendered SQL does not output subtopic, so judgments of several subtopics are rejected as duplicates.
        with pytest.raises(Exception, match="a document is judged more than once for one query"):
            spark.sql(text, **frames).collect()
        return
    columns = [name for name in header_of(folder / "expected.csv") if name not in ("score", "row_order", "subtopic")]
    found = spark.sql(text, **frames).select(*columns).collect()
    expected = con.execute(f"select {', '.join(columns)} from {load(con, folder / 'expected.csv')}").fetchall()
    assert Counter(map(tuple, found)) == Counter(expected)


# Gaps


@pytest.mark.parametrize("macro", SPARK.gaps)
def test_a_gap_is_named(macro: str, spark: "SparkSession", on_spark: ModuleType) -> None:
    name, text = definitions()[macro].name, definitions()[macro].example
    columns = ["query_id", "doc_id", "rank", "relevance", "subtopic"]
    for ask in (
        lambda: ltr_sql.render(text, "spark"),
        lambda: ltr_sql.render(["AP", text], "spark"),
        lambda: on_spark.evaluate(frame_of(spark, [], columns), [text]),
    ):
        with pytest.raises(ltr_sql.LtrSqlError, match=f"^{name} is not available on spark: {SPARK.gaps[macro]}$"):
            ask()


@pytest.mark.parametrize("macro", SPARK.gaps)
def test_a_gap_is_still_one(macro: str, spark: "SparkSession") -> None:
    """If this fails, Spark supports the query now: delete the gap from the dialect."""
    from pyspark.errors import AnalysisException  # noqa: PLC0415  (may be missing)

    (measure,) = parse_measures([definitions()[macro].example])
    column = Column(measure.definition, dict(measure.values), "value")
    query = measures_query([column], Rankings("{given}"), (), averaged=False, dialect=replace(SPARK, gaps={}))
    frame = frame_of(spark, [], ["query_id", "doc_id", "rank", "relevance", "subtopic"])
    with pytest.raises(AnalysisException):
        spark.sql(query, given=frame).collect()


def test_only_the_greedy_ideal_is_a_gap() -> None:
    assert {definitions()[macro].row_source.name for macro in SPARK.gaps} <= {"subtopics"}


# Random rankings. DuckDB combines all values of the parameters in the same SQL; here each value occurs.


# Split the row sources, because all sorts of one query hold memory at once.
PAIRED = sources_of("pairs", "scored_pairs")
SOME_PAIRED = [PAIRED[::2], PAIRED[1::2]]
# Rankings have no scores.
RANKED = [["documents"], *([name for name in some if name != "scores"] for some in SOME_PAIRED)]


@pytest.mark.parametrize("sources", RANKED, ids=" ".join)
def test_random_rankings_equal_the_oracle(spark: "SparkSession", on_spark: ModuleType, sources: list[str]) -> None:
    rows = joined(drawn(rankings(), 60))
    measures = some_strings_of(*sources)
    keys = ["example", "system"]
    frame = frame_of(spark, rows, [*keys, "query_id", "doc_id", "rank", "relevance"])
    check(rows_from(on_spark.evaluate(frame, measures, keys=keys, by_query=True)), rows, measures, keys)


def test_random_subtopics_equal_the_oracle(spark: "SparkSession", on_spark: ModuleType) -> None:
    rows = joined(drawn(covers(), 60))
    measures = [*some_strings_of("coverage", "sampled"), "nDCG@3", "AP"]
    keys = ["example", "system"]
    frame = frame_of(spark, rows, [*keys, "query_id", "doc_id", "rank", "relevance", "subtopic"])
    check(rows_from(on_spark.evaluate(frame, measures, keys=keys, by_query=True)), rows, measures, keys)


@pytest.mark.parametrize("paired", SOME_PAIRED, ids=" ".join)
def test_random_pairs_equal_the_oracle(spark: "SparkSession", on_spark: ModuleType, paired: list[str]) -> None:
    rows = joined(drawn(pairs(), 60))
    measures = some_strings_of(*paired)
    frame = frame_of(spark, rows, ["example", "query_id", "rank_a", "rank_b", "score_a", "score_b"])
    found = rows_from(on_spark.evaluate(frame, measures, keys=["example"], by_query=True))
    check(found, rows, measures, ["example"])


def test_expected_ties_equal_duckdb(spark: "SparkSession", on_spark: ModuleType) -> None:
    run, qrels = run_and_judgments(drawn_ties(seed=1, lists=20, judged_only=False))
    measures = ["P@2", "R@3", "RR", "AP", "nDCG@3", "Success@2"]
    expected = ltr_sql.evaluate(run, measures, qrels=qrels, ties="expected", by_query=True).to_dict("records")
    frames = {
        name: frame_of(spark, [dict(row) for _, row in frame.iterrows()], list(frame.columns))
        for name, frame in {"rankings": run, "qrels": qrels}.items()
    }
    found = rows_from(on_spark.evaluate(**frames, measures=measures, ties="expected", by_query=True))
    assert len(found) == len(expected) == 20
    for one, other in zip(sorted(found, key=lambda row: row["query_id"]), expected, strict=True):
        assert one["query_id"] == other["query_id"]
        assert {name: one[name] for name in measures} == pytest.approx({n: other[n] for n in measures}, abs=TOLERANCE)


# Real runs


@dataclass(frozen=True)
class Real:
    """Runs and judgments as Parquet files."""

    run: Path
    qrels: Path


REAL = {
    "robust03": ["run.InexpC2.txt.gz", "run.NLPR03vb10.txt.gz", "run.aplrob03a.txt.gz"],
    "web2014": ["run.txt.gz"],
}
REAL_MEASURES = [
    *(d.example for d in definitions().values() if d.macro not in SPARK.gaps and not d.by_subtopic and not d.by_score),
    *(
        d.name
        for d in definitions().values()
        if d.row_source.name == "documents" and d.cutoff == "optional" and d.name != d.example and not d.required
    ),
    "Spearman",
]


@pytest.fixture(scope="module", params=REAL)
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Real:
    source = DATA / request.param
    if not source.is_dir():
        pytest.skip(f"the data are not at {DATA} (LTR_SQL_DATA)")
    folder = tmp_path_factory.mktemp(request.param)
    made = Real(folder / "run.parquet", folder / "qrels.parquet")
    with duckdb.connect() as con:
        state = Session(con, own=True)
        run = state.bind({name: str(source / name) for name in REAL[request.param]}, "run").sql
        qrels = state.bind(str(source / "qrels.txt.gz"), "qrels").sql
        con.execute(f"copy (from {run}) to '{made.run}'")
        con.execute(f"copy (select query_id, doc_id, relevance from {qrels}) to '{made.qrels}'")
    return made


@pytest.mark.parametrize(
    "options", [{"by_query": True}, {"missing": "skip"}], ids=["by query", "means of the queries of the run"]
)
def test_real_runs_equal_duckdb(
    real: Real, options: dict[str, Any], spark: "SparkSession", on_spark: ModuleType
) -> None:
    options = {"keys": ["system"], **options}
    run, qrels = (spark.read.parquet(str(path)) for path in (real.run, real.qrels))
    # A plan of all measures exceeds Spark's memory. Test fewer means, because they follow from the values by query.
    asked = REAL_MEASURES if "by_query" in options else REAL_MEASURES[::4]
    for measures in (asked[start : start + 30] for start in range(0, len(asked), 30)):
        with configured(spark, COMPILED):
            found = rows_from(on_spark.evaluate(run, measures, qrels=qrels, **options))
        in_duckdb = ltr_sql.evaluate(str(real.run), measures, qrels=str(real.qrels), check=False, **options)
        assert list(in_duckdb.columns) == list(found[0])
        labels = [name for name in in_duckdb.columns if name not in measures]
        expected = grouped(in_duckdb.to_dict("records"), labels)
        assert {tuple(row[name] for name in labels) for row in found} == expected.keys()
        assert len(found) == len(expected)
        for row in found:
            (same,) = expected[tuple(row[name] for name in labels)]
            for text in measures:
                assert difference(row[text], same[text]) <= TOLERANCE, (text, row, same)


# Arguments


def test_tables_by_name(tmp_path: Path, spark: "SparkSession", on_spark: ModuleType) -> None:
    rows = [
        {"system": system, "query_id": query, "doc_id": f"d{number}", "score": number % 4, "relevance": number % 3}
        for system in ("a", "b")
        for query in ("q1", "q2")
        for number in range(9)
    ]
    real = Real(tmp_path / "run", tmp_path / "qrels")
    frame_of(spark, rows, ["system", "query_id", "doc_id", "score"]).write.parquet(str(real.run))
    frame_of(spark, rows[:18], ["query_id", "doc_id", "relevance"]).write.parquet(str(real.qrels))
    spark.read.parquet(str(real.run)).createOrReplaceTempView("my_run")
    spark.read.parquet(str(real.qrels)).createOrReplaceTempView("my_qrels")
    frames = on_spark.evaluate(spark.table("my_run"), ["P@5"], qrels=spark.table("my_qrels"), keys=["system"])
    views = on_spark.evaluate("my_run", ["P@5"], qrels="my_qrels", keys=["system"], spark=spark)
    files = on_spark.evaluate(
        f"parquet.`{real.run}`", ["P@5"], qrels=f"parquet.`{real.qrels}`", keys=["system"], spark=spark
    )
    text = ltr_sql.render("P@5", "spark", by_query=False, keys=["system"], rankings="judged")
    spark.sql(
        ltr_sql.render("judge", "spark", keys=["system"], run="my_run", qrels="my_qrels")
    ).createOrReplaceTempView("judged")
    assert sorted(frames.collect()) == sorted(views.collect()) == sorted(files.collect())
    assert sorted(frames.collect()) == sorted(spark.sql(text).collect())


def test_ids_of_different_types_are_compared_as_text(spark: "SparkSession", on_spark: ModuleType) -> None:
    run = spark.sql("select 7 as query_id, 'a' as doc_id, 1 as rank, 'kept out' as `other column`")
    qrels = spark.sql("select '7' as query_id, 'a' as doc_id, 1 as relevance")
    assert rows_from(on_spark.evaluate(run, ["P@1"], qrels=qrels)) == [{"queries": 1, "P@1": 1.0}]


def test_columns_in_capital_letters(spark: "SparkSession", on_spark: ModuleType) -> None:
    run = spark.sql("select 'q' as `Query_ID`, 'a' as `Doc_ID`, 2.0 as SCORE")
    qrels = spark.sql("select 'q' as QUERY_ID, 'a' as doc_id, 1 as Relevance")
    assert rows_from(on_spark.evaluate(run, ["P@1"], qrels=qrels, by_query=True)) == [{"query_id": "q", "P@1": 1.0}]


def test_bad_input_is_named(spark: "SparkSession", on_spark: ModuleType) -> None:
    columns = ["query_id", "doc_id", "rank", "relevance"]
    good = frame_of(spark, [{"query_id": "q", "doc_id": "d", "rank": 1, "relevance": 1}], columns)
    refused: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        ((good, ["nDCC@10"]), {}, ltr_sql.MeasureError, "unknown measure 'nDCC@10'; did you mean nDCG"),
        ((good, ["nDCG@0"]), {}, ltr_sql.MeasureError, "k must be"),
        ((good, ["AP", "ap"]), {}, ltr_sql.MeasureError, "differ only in case"),
        ((good, ["P"]), {}, ltr_sql.MeasureError, "needs a cutoff"),
        ((good, ["AP"]), {"keys": ["system"]}, ltr_sql.InputError, "key 'system' is not a column"),
        ((good, ["AP"]), {"keys": "system"}, ltr_sql.InputError, "keys must be a list"),
        ((good, ["AP"]), {"ties": "random"}, ltr_sql.InputError, "ties must be"),
        ((good, ["AP"]), {"missing": "drop"}, ltr_sql.InputError, "missing must be"),
        ((good.drop("relevance"), ["AP"]), {}, ltr_sql.InputError, "the column relevance is missing"),
        ((good.drop("rank"), ["AP"]), {}, ltr_sql.InputError, "missing column score"),
        ((good, ["AP"]), {"qrels": good.drop("doc_id")}, ltr_sql.InputError, "the judgments: missing column doc_id"),
        (("no_such_table", ["AP"]), {"spark": spark}, ltr_sql.InputError, "no_such_table is not a table"),
        (("two words", ["AP"]), {"spark": spark}, ltr_sql.InputError, "two words is not a table"),
        (("my_table", ["AP"]), {}, ltr_sql.InputError, "pass the session of this table as spark="),
        (({"q": {"d": 1.0}}, ["AP"]), {}, ltr_sql.InputError, "got dict"),
    ]
    for arguments, options, error, message in refused:
        with pytest.raises(error, match=message):
            on_spark.evaluate(*arguments, **options)


def test_documents_without_an_order_stop_the_query(spark: "SparkSession", on_spark: ModuleType) -> None:
    rows = [{"query_id": "q", "doc_id": "d", "score": 1.0, "relevance": 1}] * 2
    result = on_spark.evaluate(frame_of(spark, rows, ["query_id", "doc_id", "score", "relevance"]), ["AP"])
    with pytest.raises(Exception, match="two rows of a query are tied after tie-breaking"):
        result.collect()


def test_duplicates_stop_the_query(spark: "SparkSession", on_spark: ModuleType) -> None:
    documents = [
        {"query_id": "q", "doc_id": "d", "score": 2.0, "relevance": 1.0},
        {"query_id": "q", "doc_id": "e", "score": 1.0, "relevance": 1.0},
    ]
    run, qrels = (frame_of(spark, documents, ["query_id", "doc_id", name]) for name in ("score", "relevance"))
    refused = [
        (run.union(run.selectExpr("query_id", "doc_id", "score + 1")), qrels, "a document is in one ranking more"),
        (run, qrels.union(qrels), "a document is judged more than once for one query"),
        (
            run.selectExpr("query_id", "doc_id", "cast('nan' as double) as score"),
            qrels,
            "a score is NULL, NaN or infinite|a score is NULL or NaN",
        ),
    ]
    for refused_run, refused_qrels, message in refused:
        result = on_spark.evaluate(refused_run, ["AP"], qrels=refused_qrels)
        with pytest.raises(Exception, match=message):
            result.collect()


def given_frame(spark: "SparkSession", table: Given) -> "DataFrame":
    kinds = {"text": "string", "integer": "bigint", "double": "double"}
    schema = ", ".join(f"{name} {kinds[kind]}" for name, kind in table.types.items())
    return spark.createDataFrame([tuple(row.values()) for row in table.rows], schema)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_refused_inputs(case: Refused, spark: "SparkSession", on_spark: ModuleType) -> None:
    frames = {name: given_frame(spark, table) for name, table in case.tables.items()}
    result = on_spark.evaluate(frames["run"], [case.measure], qrels=frames.get("qrels"), by_query=True)
    with pytest.raises(Exception, match=case.raised):
        result.collect()


def test_inputs_that_no_check_refuses(spark: "SparkSession", on_spark: ModuleType) -> None:
    run = given_frame(spark, given("query_id:integer doc_id score; 7 a inf; 7 b 2; 7 b 1"))
    qrels = given_frame(spark, given("query_id doc_id relevance:text; 7 c 1e0; 8 b 0"))
    options: dict[str, Any] = {"qrels": qrels, "asked": [7], "by_query": True}
    assert rows_from(on_spark.evaluate(run, ["RR", "NumRet"], check=False, **options)) == [
        {"query_id": "7", "RR": 0.0, "NumRet": 3.0}
    ]
    found = on_spark.evaluate(run.where("score = 2"), ["RR", "NumRet"], **options)
    assert rows_from(found) == [{"query_id": "7", "RR": 0.0, "NumRet": 1.0}]
    empty = rows_from(on_spark.evaluate(run.where("score = 3"), ["RR", "NumRet"], **options))
    assert empty == [{"query_id": "7", "RR": 0.0, "NumRet": 0.0}]
    with pytest.raises(Exception, match="none of the queries that were asked has judgments: 9"):
        on_spark.evaluate(run.where("score = 2"), ["RR"], qrels=qrels, asked=[9]).collect()


def test_nothing_runs_before_the_result_is_read(spark: "SparkSession", on_spark: ModuleType) -> None:
    failing = spark.sql("select 'q' as query_id, 'd' as doc_id, 1 as rank, raise_error('read') as relevance")
    result = on_spark.evaluate(failing, ["AP"], by_query=True)
    with pytest.raises(Exception, match="read"):
        result.collect()


def test_the_command_prints_what_render_gives() -> None:
    for arguments, text in [
        (["nDCG@10"], ltr_sql.render(["nDCG@10"], "spark", by_query=False)),
        (
            ["nDCG@10", "AP", "--rankings", "{df}", "--keys", "system", "--by-query"],
            ltr_sql.render(["nDCG@10", "AP"], "spark", rankings="{df}", keys=["system"]),
        ),
        (
            ["judge", "--set", "run={run}", "--set", "has_rank=run", "--keys", "system"],
            ltr_sql.render("judge", "spark", run="{run}", has_rank="run", keys=["system"]),
        ),
        *(([relation], ltr_sql.render(relation, "spark")) for relation in relations()),
    ]:
        result = CliRunner().invoke(main, ["sql", "--dialect", "spark", *arguments])
        assert (result.exit_code, result.output) == (0, text + "\n")
    for arguments, message in [
        ([], "spark has no macros"),
        (["alpha_nDCG"], "alpha_nDCG is not available on spark"),
        (["judge", "--set", "rnu=x"], "--set must be NAME=VALUE"),
    ]:
        result = CliRunner().invoke(main, ["sql", "--dialect", "spark", *arguments])
        assert result.exit_code == 2
        assert message in result.output


# Plans


@dataclass
class Node:
    """An operator of a physical plan, with its inputs."""

    text: str
    children: list["Node"] = field(default_factory=list)

    def all(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            yield from child.all()

    def reads(self, text: str) -> bool:
        return any(text in node.text for node in self.all())


def plan_of(frame: Any) -> Node:
    """Parse the physical plan from its indented text."""
    path: list[Node] = []
    for line in str(frame._jdf.queryExecution().executedPlan()).rstrip().splitlines():
        match = re.match(r"^((?:[ :]  )*(?:[+:]- )?)(?:\*\(\d+\) )?(.*)$", line)
        assert match is not None
        depth = len(match[1]) // 3
        node = Node(re.sub(r"#\d+L?", "", match[2]))
        path[depth:] = [node]
        if depth:
            path[depth - 1].children.append(node)
    return path[0]


KEEPS_ROWS = ("Project", "Filter", "Sort ", "Window ", "Exchange", "Range")


def shuffles_of_the_run(plan: Node) -> int:
    """Count the exchanges of rows of the run, between its scans and the first operator that reduces them.

    Such an operator is a join with the judgments, or a partial aggregate.
    """

    def count(node: Node) -> tuple[bool, int]:
        below = [count(child) for child in node.children]
        whole = RUN in node.text or (node.text.startswith(KEEPS_ROWS) and any(rows for rows, _ in below))
        here = whole and node.text.startswith("Exchange")
        return whole, here + sum(number for _, number in below)

    return count(plan)[1]


# The number of rows identifies the scan of the run in a plan. The plan is never executed.
RUN = "Range (0, 7000000000,"
SYSTEMS = 100


def large_run(spark: "SparkSession") -> "DataFrame":
    return spark.range(7_000_000_000).selectExpr(
        f"concat('s', id % {SYSTEMS}) as system",
        "concat('q', id % 10007) as query_id",
        "concat('d', id) as doc_id",
        "id % 997 as score",
        "cast(id % 1000 as int) as rank",
    )


def judgments(spark: "SparkSession", rows: int) -> "DataFrame":
    return spark.range(rows).selectExpr(
        "concat('q', id % 10007) as query_id", "concat('d', id) as doc_id", "cast(id % 3 as int) as relevance"
    )


def check_that_it_scales(plan: Node) -> None:
    for node in plan.all():
        if "SinglePartition" in node.text:
            # Mean over all queries: each task sends one row of counts and sums.
            (partial,) = node.children
            assert partial.text.startswith("HashAggregate(keys=[], functions=[partial_"), node.text
        assert "CartesianProduct" not in node.text
        if "NestedLoopJoin" in node.text:
            # Only two nested loop joins are allowed: with system names, which are aggregated and then broadcast, and
            # with a few constants.
            assert node.text.startswith("BroadcastNestedLoopJoin BuildRight")
            copied = node.children[1]
            assert (
                all("OneRowRelation" in node.text for node in copied.all() if not node.children)
                or "ReusedExchange [__ltr_key_1]" in copied.text
                or "HashAggregate(keys=[__ltr_key_1]" in copied.children[0].text
            )
        if node.text.startswith("Window"):
            specifications = re.findall(r"windowspecdefinition\((\w+)", node.text)
            assert set(specifications) <= {"query_id", "__ltr_key_1"}, node.text


FUSED = ["nDCG@10", "AP", "RR", "P@5", "P@10", "R@100", "F1@10", "Success@5", "DCG@10", "CG@10"]
MIXED = ["nDCG@10", "AP", "KendallTau@20", "Spearman"]


@pytest.mark.parametrize("measures", [FUSED, MIXED], ids=["documents", "several row sources"])
@pytest.mark.parametrize("keys", [[], ["system"]], ids=["one system", "systems"])
@pytest.mark.parametrize("made_from", ["rank", "score"])
@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("by_query", [False, True], ids=["means", "by query"])
def test_the_plan_scales(
    measures: list[str],
    keys: list[str],
    made_from: str,
    missing: str,
    by_query: bool,
    spark: "SparkSession",
    on_spark: ModuleType,
) -> None:
    run = large_run(spark).drop("score" if made_from == "rank" else "rank", *(() if keys else ("system",)))
    qrels = judgments(spark, 100_000)
    # Disable the runtime filter for several row sources, because it may replace their shared shuffle of the run by two.
    with configured(spark, {"spark.sql.optimizer.runtime.bloomFilter.enabled": str(measures is FUSED).lower()}):
        options: dict[str, Any] = {"keys": keys, "missing": missing, "by_query": by_query, "check": False}
        plan = plan_of(on_spark.evaluate(run, measures, qrels=qrels, **options))
    assert plan.reads(RUN)
    check_that_it_scales(plan)
    assert shuffles_of_the_run(plan) == (0 if made_from == "rank" else 1)
    assert any("SinglePartition" in node.text for node in plan.all()) == (not by_query and not keys)


@pytest.mark.parametrize(("co_partition", "shuffles"), [("true", 2), ("false", 1)])
def test_judgments_too_large_to_copy(
    co_partition: str, shuffles: int, spark: "SparkSession", on_spark: ModuleType
) -> None:
    """The run is shuffled once more for the join, unless Spark may partition it by query only."""
    qrels = judgments(spark, 3_000_000_000)
    with configured(spark, {"spark.sql.requireAllClusterKeysForCoPartition": co_partition}):
        by_score = plan_of(on_spark.evaluate(large_run(spark).drop("rank", "system"), FUSED, qrels=qrels, check=False))
        by_rank = plan_of(on_spark.evaluate(large_run(spark).drop("score", "system"), FUSED, qrels=qrels, check=False))
    check_that_it_scales(by_score)
    check_that_it_scales(by_rank)
    assert shuffles_of_the_run(by_score) == shuffles
    assert shuffles_of_the_run(by_rank) == 1


def test_rankings_move_once(spark: "SparkSession", on_spark: ModuleType) -> None:
    judged = large_run(spark).drop("score").selectExpr("*", "rank % 3 as relevance")
    plan = plan_of(on_spark.evaluate(judged, FUSED, keys=["system"], check=False))
    check_that_it_scales(plan)
    assert shuffles_of_the_run(plan) == 1


# Comparisons


def values_on_both(spark: "SparkSession", **options: Any) -> tuple[Any, "DataFrame"]:
    """Return several sets of values as a pandas frame and as a Spark data frame."""
    frame = table_of(random_sets(1, sets=5, **options), "nDCG")
    rows = [tuple(None if pd.isna(value) else value for value in row) for row in frame.itertuples(index=False)]
    schema = "number bigint, query_id string, system string, nDCG double"
    return frame, spark.createDataFrame(rows, schema).localCheckpoint()


def assert_same_rows(found: "DataFrame", expected: Any, *names: str, without: Sequence[str] = ()) -> None:
    def ordered(rows: list[Row]) -> list[Row]:
        return sorted(rows, key=lambda row: tuple(str(row[name]) for name in names))

    wanted = [{name: value for name, value in row.items() if name not in without} for row in records(expected)]
    for row, other in zip(ordered(rows_from(found)), ordered(wanted), strict=True):
        assert row.keys() == other.keys()
        for name, value in other.items():
            wanted_value = value.tolist() if hasattr(value, "tolist") else value
            assert_same(row[name], wanted_value, f"{name} is {row[name]!r} and should be {value!r} in {row}")


PAIR = ("number", "system_a", "system_b")


def test_distributions(spark: "SparkSession", on_spark: ModuleType) -> None:
    on_spark.register(spark)
    calls = [
        *(f"t_p({t}, {df})" for t in ("0e0", "2.5e0", "40e0", "cast('inf' as double)") for df in (1, 5, 39, 1000)),
        *(f"t_quantile({alpha}, {df})" for alpha in ("0.5e0", "0.001e0") for df in (1, 3, 29, 1000)),
        *(f"normal_p({z})" for z in ("0e0", "0.5e0", "-3e0", "30e0")),
        *(f"f_p({f}, {df})" for f in ("0.1e0", "50e0") for df in ("1, 1", "10, 500")),
        *(f"tukey_p({q})" for q in ("0.5e0, 2, 3", "6e0, 5, 100")),
        "t_p(1, 0)",
    ]
    found = list(spark.sql(f"select array({', '.join(calls)}) as p").collect()[0].p)
    with duckdb.connect() as connection:
        ltr_sql.register(connection)
        expected = connection.execute(f"select [{', '.join(f'ltr.{call}' for call in calls)}]").fetchall()[0][0]
    for call, value, wanted in zip(calls, found, expected, strict=True):
        assert_same(value, wanted, call)


def test_comparisons(spark: "SparkSession", on_spark: ModuleType) -> None:
    frame, on_workers = values_on_both(spark)
    for options in (
        {"test": "wilcoxon", "margin": "2%", "ci": "abc", "missing": "zero", "family": "all"},
        {"test": "randomization", "adjust": "hochberg", "lower_is_better": ["latency"]},
        {"adjust": "holm"},
    ):
        name = "latency" if "lower_is_better" in options else "nDCG"
        given: dict[str, Any] = {"values": True, "keys": ["number"], "allow_empty": True, "details": True, **options}
        found = on_spark.compare(on_workers.withColumnRenamed("nDCG", name), **given)
        assert_same_rows(found, ltr_sql.compare(frame.rename(columns={"nDCG": name}), **given), *PAIR)


def test_comparisons_warn_as_duckdb_does(spark: "SparkSession", on_spark: ModuleType) -> None:
    rows = [(system, f"q{i}", (i + shift) / 8) for shift, system in enumerate("ab") for i in range(8)]
    frame = pd.DataFrame(rows[:-1], columns=["system", "query_id", "m"])
    texts = []
    for compare, values in ((on_spark.compare, spark.createDataFrame(frame)), (ltr_sql.compare, frame)):
        with pytest.warns(ltr_sql.InputWarning) as warned:
            compare(values, values=True)
        texts.append([str(w.message) for w in warned if w.category is ltr_sql.InputWarning])
    assert texts[0] == texts[1]
    assert ["left out" in texts[0][0], "has no p" in texts[0][1]] == [True, True]
    frame["session"] = frame["query_id"]
    with pytest.warns(ltr_sql.InputWarning, match="repeats session: nothing is averaged"):
        on_spark.variance(spark.createDataFrame(frame), values=True, missing="zero", repeats=["session"])
    frame.loc[0, "m"] = 1e51
    with pytest.raises(Exception, match="the value of system a, query q0 and measure m is beyond 1e50"):
        on_spark.compare(spark.createDataFrame(frame), values=True)


def test_distribution_of_values(spark: "SparkSession", on_spark: ModuleType) -> None:
    rows = [
        {"query_id": f"q{i}", "rank": rank, "relevance": (i * rank) % 3, "segment": "ab"[i % 2]}
        for i in range(9)
        for rank in (1, 2, 3)
    ]
    frame = pd.DataFrame(rows)
    measures = ["nDCG", "RR", "Bpref"]
    for keys, confidence in (([], 0.95), (["segment"], 0.8)):
        found = on_spark.distribution(spark.createDataFrame(frame), measures, keys=keys, confidence=confidence)
        expected = ltr_sql.distribution(frame, measures, keys=keys, confidence=confidence)
        assert_same_rows(found, expected, "measure", *keys)


def test_systems(spark: "SparkSession", on_spark: ModuleType) -> None:
    frame, on_workers = values_on_both(spark, complete=True)
    given: dict[str, Any] = {"values": True, "keys": ["number"]}
    found = on_spark.leaderboard(on_workers, adjust="tukey", confidence=0.5, **given)
    expected = ltr_sql.leaderboard(frame, adjust="tukey", confidence=0.5, **given)
    assert expected["letters"].str.len().max() > 1
    assert_same_rows(found, expected, "number", "system", without=["p_best"])
    wins = on_spark.wins(on_workers, "s0", "s1", **given)
    assert_same_rows(wins, ltr_sql.wins(frame, "s0", "s1", **given), "number", "query_id")
    with duckdb.connect() as connection:
        ltr_sql.register(connection)
        connection.register("given", frame)
        of_variance = connection.execute("from ltr.variance('given', keys := ['number'])").df()
    assert_same_rows(on_spark.variance(on_workers, **given), of_variance, "number", "source")


def test_comparison_of_rankings(spark: "SparkSession", on_spark: ModuleType) -> None:
    rows = [
        (system, f"q{query}", f"d{rank}", rank, (query * step + rank) % 3 // 2)
        for system, step in (("a", 1), ("b\\'{x}", 2))
        for query in range(8)
        for rank in range(1, 5)
    ]
    columns = ["system", "query_id", "doc_id", "rank", "relevance"]
    judged = spark.createDataFrame(rows, "system string, query_id string, doc_id string, rank int, relevance int")
    options: dict[str, Any] = {"baseline": "b\\'{x}", "test": "sign", "adjust": "bonferroni"}
    expected = ltr_sql.compare(pd.DataFrame(rows, columns=columns), ["RR", "AP"], check=False, **options)
    assert_same_rows(on_spark.compare(judged, ["RR", "AP"], **options), expected, "measure")


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def datasets_of_systems() -> pd.DataFrame:
    """Return values of two systems in five datasets, whose queries have users."""
    random = Random(12)
    rows = [
        (f"d{d}", f"q{q}", system, f"u{system}{q % 4}", random.random())
        for d in range(5)
        for q in range(2 + 2 * d)
        for system in "ab"
    ]
    return pd.DataFrame(rows, columns=["dataset", "query_id", "system", "user_id", "m"])


def test_means_over_datasets(spark: "SparkSession", on_spark: ModuleType) -> None:
    values = datasets_of_systems()
    frame = spark.createDataFrame(values)
    options: list[dict[str, Any]] = [
        {"generalize": "queries"},
        {"generalize": "datasets", "margin": "5%", "details": True},
    ]
    for chosen in options:
        expected = ltr_sql.compare(values, ["m"], values=True, across="dataset", **chosen)
        assert_same_rows(on_spark.compare(frame, ["m"], values=True, across="dataset", **chosen), expected, "measure")
    board = ltr_sql.leaderboard(values, ["m"], values=True, across="dataset")
    found = on_spark.leaderboard(frame, ["m"], values=True, across="dataset")
    assert_same_rows(found, board.drop(columns=["p_best", "sampled_low", "sampled_high"]), "system")
    with pytest.raises(Exception, match="a and b have none for a common query in 1 of 5 datasets, such as d2"):
        on_spark.compare(frame.where("system = 'a' or dataset <> 'd2'"), ["m"], values=True, across="dataset")


def test_systems_with_queries_of_their_own(spark: "SparkSession", on_spark: ModuleType) -> None:
    values = datasets_of_systems()
    values["query_id"] = values["system"] + values["dataset"] + values["query_id"]
    frame = spark.createDataFrame(values)
    arms: list[dict[str, Any]] = [{}, {"cluster": "user_id"}]
    for chosen in arms:
        expected = ltr_sql.compare(values, ["m"], values=True, paired=False, **chosen)
        assert_same_rows(on_spark.compare(frame, ["m"], values=True, paired=False, **chosen), expected, "measure")


def test_compare_with_people_and_clusters(spark: "SparkSession", on_spark: ModuleType) -> None:
    random = Random(11)
    rows = [
        (f"q{q:02}", f"d{d}", system, random.random(), random.randint(0, 3), random.randint(0, 3), f"s{q // 4}")
        for q in range(24)
        for d in range(4)
        for system in "ab"
    ]
    columns = ["query_id", "doc_id", "system", "score", "llm", "human", "session"]
    listed = pd.DataFrame(rows, columns=columns)
    run = listed[["query_id", "doc_id", "system", "score", "session"]]
    ids = listed[listed["system"] == "a"][["query_id", "doc_id"]]
    of_a = listed[listed["system"] == "a"]
    llm = ids.assign(relevance=of_a["llm"])
    people = ids.assign(relevance=of_a["human"])[ids["query_id"] < "q12"]
    frames = {name: spark.createDataFrame(table) for name, table in (("llm", llm), ("people", people), ("run", run))}
    of_sessions: list[dict[str, Any]] = [{}, {"cluster": "session"}]
    for human in (False, True):
        for cluster in of_sessions:
            if not human and not cluster:
                continue
            of_people: dict[str, Any] = {"human": people} if human else {}
            on_workers: dict[str, Any] = {"human": frames["people"]} if human else {}
            expected = ltr_sql.compare(run, ["nDCG@3"], qrels=llm, **of_people, **cluster)
            found = on_spark.compare(frames["run"], ["nDCG@3"], qrels=frames["llm"], **on_workers, **cluster)
            assert_same_rows(found, expected, "measure")
    asked: dict[str, Any] = {"cluster": "session", "test": "sequential", "planned": 50}
    expected = ltr_sql.compare(run, ["nDCG@3"], qrels=llm, **asked)
    assert_same_rows(on_spark.compare(frames["run"], ["nDCG@3"], qrels=frames["llm"], **asked), expected, "measure")
    some = people[people["doc_id"] != "d1"]
    with pytest.raises(ltr_sql.InputError, match="people judged only some documents of"):
        on_spark.compare(frames["run"], ["nDCG@4"], qrels=frames["llm"], human=spark.createDataFrame(some))


def test_random_numbers_are_refused(spark: "SparkSession", on_spark: ModuleType) -> None:
    values = spark.createDataFrame(
        [(system, query, query % 7 / 8 * (system == "a")) for system in "ab" for query in range(1, 41)],
        "system string, query_id int, RR double",
    )
    for interval in ("percentile", "bca"):
        with pytest.raises(ltr_sql.InputError, match=f"ci='{interval}' draws random samples, which only DuckDB"):
            on_spark.compare(values, values=True, ci=interval)
    with pytest.raises(Exception, match="more need random signs, which only DuckDB computes"):
        on_spark.compare(values, values=True, test="randomization", allow_empty=True)


# The page


def test_the_page_runs(spark: "SparkSession") -> None:
    names: dict[str, object] = {"spark": spark}
    marked = [block for block in blocks(ROOT / "docs" / "spark.md") if block.mark == "spark"]
    assert marked
    for block in marked:
        # Spark prints an empty line after a table.
        printed = python_output(block.code, names).replace("\n\n```", "\n```")
        assert printed == block.output


# Fused runs, and the functions of sql/builders/


def rows_of_union(spark: "SparkSession", texts: dict[str, str], **frames: Any) -> list[Row]:
    """Return the rows of several queries with equal columns, told apart by the column `call`."""
    parts = [f"select {string(name)} as call, * from (\n{text}\n)" for name, text in texts.items()]
    return rows_from(spark.sql("\nunion all\n".join(parts), **frames))


def name_of(choice: dict[str, Any]) -> str:
    return f"{choice['method']} {choice.get('norm', '')}"


# Measures over queries and runs, which read each kind of table.
BEYOND_ACCURACY = [
    *("AWRF@2", "NDKL@3", "Calibration@3", "Churn@2", "ILD(features=vector)@3"),
    *("EEL(counts=all)", "AttentionParity", "Coverage@2"),
]


def test_beyond_accuracy_equals_the_oracle(spark: "SparkSession") -> None:
    given = next(g for g in drawn(beyond.inputs(), 12) if all(g.values()) and g["targets"][0]["query_id"])
    types = {"rank": "int", "vector": "array<double>"} | dict.fromkeys(
        ["popularity", "share", "relevance", "weight"], "double"
    )
    for name, rows in given.items():
        columns = [column for column in beyond.COLUMNS[name] if column != "score"]
        schema = ", ".join(f"`{column}` {types.get(column, 'string')}" for column in columns)
        converted = [
            [None if v is None else float(v) if types.get(c) == "double" else v for c in columns for v in [row[c]]]
            for row in rows
        ]
        spark.createDataFrame(converted, schema).createOrReplaceTempView(name)
    options = {"has_rank": "run baseline", "has_weight": "documents", "has_query_id": "targets"}
    query = ltr_sql.render(BEYOND_ACCURACY, "spark", keys=["system"], by_query=False, **options)
    found = rows_from(spark.sql(query))
    assert [row["system"] for row in sorted(found, key=str)] == ["x", "y"]
    for measure in parse_measures(BEYOND_ACCURACY):
        values = {}
        for row in found:
            value = oracle_values(measure, [r for r in given["run"] if r["system"] == row["system"]], given)
            defined = [v for v in (value.values() if isinstance(value, dict) else [value]) if not math.isnan(v)]
            values[row["system"]] = math.fsum(defined) / len(defined) if defined else math.nan
            assert difference(row[measure.text], values[row["system"]]) <= TOLERANCE, (measure.text, row, values)
        assert not all(map(math.isnan, values.values())), measure.text


@pytest.mark.parametrize("kind", ["scores", "ranks"])
def test_fused_runs(kind: str, spark: "SparkSession") -> None:
    examples = [rows for rows in drawn(fusion.runs(), 20) if ("rank" in rows[0]) == (kind == "ranks")][:4]
    scored = kind != "ranks"
    choices = [
        choice
        for choice in fusion.CHOICES
        if ("norm" not in choice or (scored and choice["method"] == "comb_sum"))
        and (scored or choice["method"] not in fusion.OF_SCORES)
    ]
    columns = ["example", "system", "query_id", "doc_id", *(["rank"] if kind == "ranks" else ["score"])]
    frames = {"runs": frame_of(spark, joined(examples), columns)}
    given: dict[str, Any] = {"runs": "{runs}", **({"has_rank": "runs"} if kind == "ranks" else {})}
    texts = {
        name_of(choice): ltr_sql.render("fuse", "spark", keys=["system", "example"], **given, **choice)
        for choice in choices
    }
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows_of_union(spark, texts, **frames):
        found.setdefault((row["call"], row["example"]), []).append(row)
    for choice in choices:
        for number, rows in enumerate(examples):
            expected = {(r["query_id"], r["doc_id"]): r for r in oracle.fuse(rows, **choice)}
            of_example = found[name_of(choice), str(number)]
            assert {(row["query_id"], row["doc_id"]) for row in of_example} == expected.keys()
            for row in of_example:
                same = expected[row["query_id"], row["doc_id"]]
                assert difference(row["score"], same["score"]) <= TOLERANCE, (choice, row, same)
                assert row["runs"] == same["runs"]
            in_order = sorted(of_example, key=lambda row: (row["query_id"], row["rank"]))
            assert [row["rank"] for row in in_order] == [r["rank"] for r in oracle.fuse(rows, **choice)]


@pytest.mark.parametrize("name", sorted({name for name, _ in BUILDERS} - {"off_policy", "interleaving", "rater_bias"}))
def test_builders(name: str, spark: "SparkSession") -> None:
    builder = builders()[name]
    methods = [method for other, method in BUILDERS if other == name and method not in RECURSIVE]
    examples = drawn(INPUTS[name], 4)
    frames = {
        builder.inputs[0]: frame_of(spark, joined(examples), ["example", *examples[0][0]]),
        "propensities": frame_of(spark, PROPENSITIES, ["rank", "propensity"]),
        "parents": frame_of(spark, PARENTS, ["chunk_id", "doc_id"]),
        "qrels": frame_of(spark, QRELS, ["query_id", "doc_id", "relevance"]),
    }
    calls = {method: calls_of(name, method)[0] for method in methods}
    texts = {}
    for method, options in calls.items():
        given: dict[str, Any] = {builder.inputs[0]: f"{{{builder.inputs[0]}}}"}
        given |= {option: f"{{{option}}}" if isinstance(value, list) else value for option, value in options.items()}
        given |= {"has_rank": "runs"} if builder.inputs[0] == "runs" else {}
        texts[method] = ltr_sql.render(name, "spark", keys=["example"], **given)
    used = {table: frame for table, frame in frames.items() if any(f"{{{table}}}" in text for text in texts.values())}
    found = rows_of_union(spark, texts, **used)
    for method, options in calls.items():
        rows = [row for row in found if row["call"] == method]
        check_rows(rows, expected_rows(name, examples, options), TOLERANCE, ["example"])


def test_rules_of_single_measures(spark: "SparkSession", on_spark: ModuleType) -> None:
    """A convention that sets ties, missing queries and the scope of judgments for single measures."""
    systems = ((system, *row, number) for system in ("a", "b") for number, row in enumerate(rows_of_run()))
    run = spark.createDataFrame(
        [*systems], "system string, query_id string, doc_id string, score double, row_order int"
    )
    graded = [("all", query, doc, grade) for query, docs in QRELS_OF_RULES.items() for doc, grade in docs.items()]
    qrels = spark.createDataFrame(graded, "segment string, query_id string, doc_id string, relevance int")
    found = on_spark.evaluate(run, [*BEIR], qrels=qrels, keys=["system", "segment"], convention="beir").toPandas()
    assert found["queries"].tolist() == [3, 3]
    for text, value in BEIR.items():
        assert found[text].tolist() == pytest.approx([value, value], abs=1e-12), text


def rows_of_run() -> Iterator[tuple[str, str, float]]:
    """Yield the rows of the run in the order in which the rule row_order reads them."""
    for query, docs in RUN_OF_RULES.items():
        for doc, score in docs.items():
            yield query, doc, score


@pytest.mark.parametrize("seed", [4, 5])
def test_options_of_the_join_equal_the_oracle(seed: int, spark: "SparkSession", on_spark: ModuleType) -> None:
    """Runs by score and by rank, with repeated and unjudged documents, grades as texts, and queries that were asked."""
    case = drawn_joins(seed, 6)
    assert case["asked"] is not None
    tables = {name: case[name].astype(object) for name in ("run", "qrels", "asked")}
    frames = {name: spark.createDataFrame(table.where(table.notna(), None)) for name, table in tables.items()}
    options = {name: case[name] for name in ("duplicates", "unjudged", "ties")}
    asked = {"asked": frames["asked"], "grades": GRADES, "qrels_duplicates": "max"}
    found = on_spark.evaluate(
        frames["run"], MEASURES, qrels=frames["qrels"], keys=["system", "week"], by_query=True, **options, **asked
    )
    same(found.toPandas(), expected(case))


def test_forms_of_tables(spark: "SparkSession", on_spark: ModuleType) -> None:
    """Other names of columns, ranks from 0, grades as texts, and a list of the queries that were asked."""
    run = spark.createDataFrame([("q1", "a", 0), ("q1", "b", 1)], "user string, item string, Rank int")
    qrels = spark.createDataFrame([("q1", "b", "{good}"), ("q2", "c", "1")], "user string, item string, label string")
    names = {"user": "query_id", "item": "doc_id"}
    options = {"columns": names, "qrels_columns": {"label": "relevance"}, "ranks_from": 0, "grades": {"{good}": 2}}
    found = on_spark.evaluate(run, ["RR", "P(rel=2)@2"], qrels=qrels, asked=["q1", "q3"], by_query=True, **options)
    assert sorted(map(tuple, found.collect())) == [("q1", 0.5, 0.5), ("q3", 0.0, 0.0)]
    runs = run.selectExpr("'one' as system", "*").unionByName(run.selectExpr("'two' as system", "*").where("Rank = 0"))
    compared = on_spark.leaderboard(runs, ["RR"], qrels=qrels, asked=["q1", "q2"], **options).toPandas()
    assert dict(zip(compared["system"], compared["mean"], strict=True)) == {"one": 0.25, "two": 0.0}
    spread = on_spark.distribution(run, ["RR"], qrels=qrels, asked=["q1"], **options).toPandas()
    assert (spread["queries"].tolist(), spread["mean"].tolist()) == ([1], [0.5])
    named = run.withColumnsRenamed(names)
    judged = qrels.withColumnsRenamed({**names, "label": "relevance"}).where("relevance = '1'")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"ranks_from": 0, "rankings": named.where("Rank > 0")}, "ranks_from=0, but no rank is 0: the smallest is 1"),
        ({"asked": []}, "asked: no query was asked"),
        ({"asked": 3}, "asked: pass a list of query ids, a Spark data frame or a table name, got int"),
        ({"columns": {"nope": "query_id"}}, "no table has a column 'nope'"),
        ({"columns": {"hits[].id": "doc_id"}}, "no table has a column"),
        ({"qrels": None, "duplicates": "first"}, "duplicates is about runs with judgments"),
        ({"qrels": None, "qrels_duplicates": "max"}, "qrels_duplicates is about runs with judgments"),
        ({"columns": {"history": {"user": "query_id"}}}, "the call does not read the table 'history'"),
    ]
    for changed, message in wrong:
        with pytest.raises(ltr_sql.InputError, match=re.escape(message)):
            on_spark.evaluate(**{"rankings": named, "measures": ["RR"], "qrels": judged, **changed})
    texts = qrels.withColumnsRenamed({**names, "label": "relevance"})
    with pytest.raises(Exception, match="texts that are neither numbers nor in grades"):
        on_spark.evaluate(named, ["RR"], qrels=texts, ranks_from=0, grades={"x": 1}).collect()
