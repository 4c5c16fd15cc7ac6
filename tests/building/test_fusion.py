"""`ltr.fuse`, `ltr_sql.fuse` and `ltr-sql fuse`: oracle, ranx, trectools, properties, checks between runs."""

import gzip
import json
import random
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from support.fusion import CHOICES, WEIGHTED, check_fused, frame, runs
from support.places import EXAMPLE_DATA
from support.reference_values import DATA, file_of, needs, read_table
from support.strategies import Row, apart, drawn

import ltr_sql
from ltr_sql import InputError, InputWarning
from ltr_sql.command_line.main import main
from ltr_sql.oracle import fusion as oracle
from ltr_sql.rendering.dialects import DIALECTS, DUCKDB
from ltr_sql.verification import TOLERANCE

ROBUST03 = DATA / "robust03"
FUSION = file_of("beyond/fusion")
OWN: dict[str, dict[str, Any]] = {"rrf": {"k": 3.5}, "rbc": {"p": 0.6}, "comb_mnz": {"gamma": 0.5}}
A = pd.DataFrame({"query_id": ["q"] * 2, "doc_id": ["x", "y"], "score": [2.0, 1.0]})


@pytest.fixture(scope="module")
def con(module_con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    return module_con


def approximately(rows: list[Row]) -> list[Row]:
    return [{**row, "score": pytest.approx(row["score"], rel=TOLERANCE, abs=TOLERANCE)} for row in rows]


def fused(rows: list[Row], **options: Any) -> list[Row]:
    found: list[Row] = ltr_sql.fuse(frame(rows), check=False, **options).to_dict("records")
    return found


@pytest.mark.default("{'method': 'comb_max', 'norm': 'sum'}")
@pytest.mark.parametrize("options", CHOICES, ids=str)
def test_sql_is_the_oracle(options: dict[str, Any], con: duckdb.DuckDBPyConnection) -> None:
    """One call fuses the queries of several draws: those with ranks, and those with scores alone."""
    draws = drawn(runs(), 12)
    ranked, scored = (apart(d for d in draws if ("rank" in d[0]) == has_rank) for has_rank in (True, False))
    assert ranked and scored
    for number, rows in enumerate((ranked, scored)):
        systems = sorted({row["system"] for row in rows})
        more: dict[str, Any] = [{}, {"depth": 3}, {"top": 2}][(number + CHOICES.index(options)) % 3]
        if options["method"] in WEIGHTED and (number + CHOICES.index(options) // 3) % 2:
            more = {**more, "weights": {system: 0.5 + i for i, system in enumerate(systems)}}
        if options.get("norm") == "min_max":
            more = {**more, "constant": 0.25}
        own: dict[str, Any] = OWN.get(options["method"], {})
        expected = oracle.fuse(rows, **options, **more, **own)
        scores = {
            (row["query_id"], row["doc_id"]): row
            for row in oracle.fuse(rows, **options, **{**more, "top": None}, **own)
        }
        check_fused(fused(rows, **options, **more, **own), expected, scores)
        con.register("frame", frame(rows))
        con.execute("create or replace table runs as from frame")
        arguments = {**options, **more, **own}
        weights = arguments.pop("weights", None)
        texts = [f"{name} := {value!r}" for name, value in arguments.items()]
        if weights:
            texts.append(f"weights := map {weights!r}")
        found = con.execute(f"from ltr.fuse('runs', {', '.join(texts)}) order by query_id, rank").fetchall()
        check_fused([dict(zip(expected[0], row, strict=True)) for row in found], expected, scores)


def test_many_runs(con: duckdb.DuckDBPyConnection) -> None:
    rows = [
        {"system": f"s{i:03}", "query_id": "q", "doc_id": f"d{(i * j) % 11}{j}", "score": float(j % 4)}
        for i in range(70)
        for j in range(6)
    ]
    assert fused(rows) == approximately(oracle.fuse(rows))
    con.register("many", frame(rows))
    assert len(con.execute("from ltr.fuse('many')").fetchall()) == len(oracle.fuse(rows))
    con.register("twice", frame([*rows, {**rows[3], "score": 0.5}]))
    with pytest.raises(duckdb.Error, match="a document is in one ranking more than once"):
        con.execute("from ltr.fuse('twice')").fetchall()


@pytest.mark.default("{'method': 'comb_med', 'norm': 'rank'}")
@pytest.mark.parametrize("options", CHOICES[::2], ids=str)
def test_the_order_of_rows_and_runs_has_no_influence(options: dict[str, Any]) -> None:
    # Sums of many terms differ in the last digit if they are not added in a fixed order.
    score = random.Random(1).random
    crossed = [
        {"system": f"s{system}", "query_id": "q", "doc_id": f"d{doc}", "score": score()}
        for system in range(9)
        for doc in range(30)
    ]
    for number, rows in enumerate([crossed, *drawn(runs(systems=5), 4)]):
        renamed = {system: f"t{9 - int(system[1:])}" for system in {row["system"] for row in rows}}
        others = [{**row, "system": renamed[row["system"]]} for row in rows]
        random.Random(number).shuffle(others)
        # Equal to the last digit: documents that tie must tie in any order of the runs.
        assert fused(others, **options) == fused(rows, **options)


@pytest.mark.default("wmnz")
@pytest.mark.parametrize("method", WEIGHTED)
def test_equal_weights_are_no_weights(method: str) -> None:
    for rows in drawn(runs(), 4):
        weights = {row["system"]: 2.0 for row in rows}
        doubled = [{**row, "score": 2 * row["score"]} for row in fused(rows, method=method)]
        assert fused(rows, method=method, weights=dict.fromkeys(weights, 1)) == fused(rows, method=method)
        assert fused(rows, method=method, weights=weights) == approximately(doubled)


def test_a_weight_of_two_is_the_run_twice() -> None:
    rows: Any = [dict(row) for row in A.assign(system="a").to_dict("records")]
    other: Any = [dict(row) for row in A.assign(system="b", score=-A["score"]).to_dict("records")]
    twice = [{**row, "system": "c"} for row in rows]
    scores: list[dict[str, float]] = [
        {row["doc_id"]: row["score"] for row in found}
        for found in (fused([*rows, *other, *twice]), fused([*rows, *other], weights={"a": 2, "b": 1}))
    ]
    assert scores[0] == pytest.approx(scores[1], rel=TOLERANCE)


# Values of other tools

NAMES = {
    **{name: f"comb_{name}" for name in ("sum", "mnz", "anz", "max", "min", "med")},
    **{f"comb_{name} a+b": f"comb_{name}" for name in ("sum", "mnz", "anz", "max", "min", "med")},
    **{name: name for name in ("rrf", "isr", "rbc", "wmnz")},
    "gmnz": "comb_mnz",
    "wsum": "comb_sum",
    "bordafuse": "borda",
    "w_bordafuse": "borda",
    "rrf k=60": "rrf",
    "rbp p=0.8": "rbc",
}
# Methods that ltr_sql lacks: see docs/fusion.md.
LEFT_OUT = {
    *("bayesfuse", "mapfuse", "posfuse", "probfuse", "segfuse", "slidefuse"),
    *("condorcet", "mixed", "log_isr", "logn_isr"),
}


def values_of(name: str) -> dict[tuple[str, str, str], dict[tuple[str, str], float]]:
    """Return the scores of a file by method, norm and parameters."""
    found: dict[tuple[str, str, str], dict[tuple[str, str], float]] = defaultdict(dict)
    for row in read_table(f"beyond/fusion/{name}"):
        choice = (row["method"], row.get("norm", "none"), row.get("params", ""))
        found[choice][row["query_id"], row["doc_id"]] = float(row["score"])
    return found


@pytest.mark.default("0")
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.parametrize("part", range(10))
def test_values_of_ranx(part: int) -> None:
    table = pd.read_csv(FUSION / "runs.csv")
    values = values_of("expected.ranx.csv").items()
    chosen = [(choice, expected) for choice, expected in values if choice[0] not in LEFT_OUT]
    assert len(chosen) > 70
    for (method, norm, params), expected in chosen[part::10]:
        given = json.loads(params) if params.startswith("{") else {}
        names = {"k": "k", "phi": "p", "gamma": "gamma"}
        options: dict[str, Any] = {ours: given[theirs] for theirs, ours in names.items() if theirs in given}
        weights = dict(zip("abc", given["weights"], strict=True)) if "weights" in given else None
        # ranx divides by 1e-9 instead of a maximum of 0 or less, which we refuse.
        rows = table[table["query_id"] != "q2"] if norm == "max" else table
        # The norm min-max-inverted of ranx equals min_max of the negated scores.
        rows = rows.assign(score=-rows["score"]) if norm == "min-max-inverted" else rows
        ours = None if norm == "none" else norm.removesuffix("-inverted").replace("-", "_")
        found = ltr_sql.fuse(rows, NAMES[method], norm=ours, weights=weights, **options)
        scores = {(q, d): s for q, d, s in zip(found["query_id"], found["doc_id"], found["score"], strict=True)}
        known = {key: score for key, score in expected.items() if norm != "max" or key[0] != "q2"}
        assert known
        assert {key: scores[key] for key in known} == pytest.approx(known, rel=TOLERANCE, abs=TOLERANCE), (method, norm)


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_values_of_trectools() -> None:
    table = pd.read_csv(FUSION / "runs.csv")
    for (method, _, _), expected in values_of("expected.trectools.csv").items():
        rows = table[table["system"] != "c"] if method.endswith("a+b") else table
        found = ltr_sql.fuse(rows, NAMES[method])
        scores = {(q, d): s for q, d, s in zip(found["query_id"], found["doc_id"], found["score"], strict=True)}
        assert {key: scores[key] for key in expected} == pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE), method


@needs(ROBUST03)
@pytest.mark.slow
def test_values_of_ranx_for_three_runs_of_trec(con: duckdb.DuckDBPyConnection) -> None:
    names = ("InexpC2", "NLPR03vb10", "aplrob03a")
    paths = {name: str(ROBUST03 / f"run.{name}.txt.gz") for name in names}
    qrels = str(ROBUST03 / "qrels.txt.gz")
    names_of_measures = ["nDCG@10", "AP", "P@10"]
    expected: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in read_table("beyond/fusion_robust03/expected.ranx.csv"):
        expected[row["method"], row["norm"]].append(row)
    for (method, norm), rows in expected.items():
        ours = None if norm == "none" else norm.replace("-", "_")
        weights = dict(zip(names, (0.5, 0.3, 0.2), strict=True)) if method == "wsum" else None
        options: dict[str, Any] = {"p": 0.8} if method == "rbc" else {}
        found = ltr_sql.fuse(paths, NAMES[method], norm=ours, weights=weights, depth=100, check=False, **options)
        of_query = {query: part for query, part in found.groupby("query_id")}
        for row in rows:
            part = of_query[row["query_id"]]
            assert len(part) == int(row["documents"])
            assert part["score"].sum() == pytest.approx(float(row["sum_of_scores"]), abs=1e-9), (method, row)
        # The expected measures are those of pytrec_eval for scores rounded to 12 decimals. It compares scores in single
        # precision.
        rounded = found.drop(columns="rank").round({"score": 12})
        measured = ltr_sql.evaluate(rounded, names_of_measures, qrels=qrels, by_query=True, ties="docid_desc_float32")
        values = measured.set_index("query_id").to_dict("index")
        for row in rows:
            assert values[row["query_id"]] == pytest.approx(
                {m: float(row[m]) for m in ("nDCG@10", "AP", "P@10")}, abs=TOLERANCE
            ), (method, row)


# Inputs


@pytest.mark.slow
def test_inputs_in_every_form(con: duckdb.DuckDBPyConnection) -> None:
    paths = [str(EXAMPLE_DATA / "bm25.txt"), str(EXAMPLE_DATA / "dense.txt")]
    expected = ltr_sql.fuse(paths)
    assert list(expected.columns) == ["query_id", "doc_id", "score", "rank", "runs"]
    read = {
        name: pd.read_csv(EXAMPLE_DATA / f"{name}.txt", sep=" ", names=["query_id", "q0", "doc_id", "r", "score", "t"])
        for name in ("bm25", "dense")
    }
    dicts = {
        name: {query: dict(zip(part["doc_id"], part["score"], strict=True)) for query, part in run.groupby("query_id")}
        for name, run in read.items()
    }
    table = pd.concat(run.assign(system=name) for name, run in read.items())
    con.register("table_of_runs", table)
    for given in (dict(zip("ab", paths, strict=True)), [*read.values()], read, dicts, table):
        pd.testing.assert_frame_equal(ltr_sql.fuse(given), expected)
    pd.testing.assert_frame_equal(ltr_sql.fuse("table_of_runs", con=con), expected)
    in_polars = ltr_sql.fuse({name: pl.from_pandas(run) for name, run in read.items()})
    assert isinstance(in_polars, pl.DataFrame)
    assert in_polars.to_dicts() == expected.to_dict("records")
    assert ltr_sql.evaluate(expected, ["nDCG@5"], qrels=str(EXAMPLE_DATA / "qrels.txt"))["nDCG@5"][0] > 0.5
    compared = table.rename(columns={"system": "leg"})
    weights = pd.DataFrame({"leg": ["bm25", "dense"], "weight": [1, 1]})
    pd.testing.assert_frame_equal(ltr_sql.fuse(compared, compared="leg", keys=["leg"], weights=weights), expected)


def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "fused.txt"
    files = [str(EXAMPLE_DATA / "bm25.txt"), str(EXAMPLE_DATA / "dense.txt")]
    done = CliRunner().invoke(
        main, ["fuse", *files, "-o", str(out), "--run-weight", "bm25=2", "--run-weight", "dense=1"]
    )
    assert done.exit_code == 0, done.output
    expected = ltr_sql.fuse(dict(zip(("bm25", "dense"), files, strict=True)), weights={"bm25": 2, "dense": 1})
    lines = [line.split() for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line[2] for line in lines] == list(expected["doc_id"])
    assert [float(line[4]) for line in lines] == list(expected["score"])
    assert {(line[1], line[5]) for line in lines} == {("Q0", "rrf")}
    done = CliRunner().invoke(
        main, ["fuse", *files, "--method", "comb_sum", "--norm", "min_max", "--top", "1", "--name", "h"]
    )
    assert [line.split()[3::2] for line in done.stdout.splitlines()][:2] == [["1", "h"]] * 2
    refused = CliRunner().invoke(main, ["fuse", *files, "--run-weight", "bm25"])
    assert refused.exit_code == 2
    assert "write RUN=WEIGHT" in refused.output


def test_spark_renders() -> None:
    for options in CHOICES:
        names: dict[str, Any] = options
        text = ltr_sql.render("fuse", dialect="spark", **names)
        assert "`system`" in text
        assert not re.search(r"\bfilter\b|\blambda\b|list_|::", text)
    assert "weight" in ltr_sql.render("fuse", weights="weights")


@pytest.mark.parametrize("norm", ["min_max", "sum", "zmuv"])
def test_engines_that_sum_in_any_order_normalize_alike(
    norm: str, con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB runs the text for engines that cannot sort values before they sum them."""
    monkeypatch.setitem(DIALECTS, "unsorted", replace(DUCKDB, name="unsorted", sorted_values=None))
    scores = {"s1": {"a": 3.0, "b": 1.0, "c": 2.0}, "s2": {"b": 0.5, "d": 0.25}, "s3": {"a": 4.0, "d": 4.0}}
    rows = [{"system": s, "query_id": "q", "doc_id": d, "score": x} for s, of in scores.items() for d, x in of.items()]
    con.register("frame", frame(rows))
    con.execute("create or replace table runs as from frame")
    options: dict[str, Any] = {"method": "comb_sum", "norm": norm}
    found = con.sql(ltr_sql.render("fuse", "unsorted", **options)).order("query_id, rank").df().to_dict("records")
    expected = oracle.fuse(rows, **options)
    check_fused(found, expected, {(row["query_id"], row["doc_id"]): row for row in expected})


# Errors

ALONE = "'a' has no document of a query in common with the others: its document ids are like 'x', theirs like 'x_0'"
ERRORS: list[tuple[Any, dict[str, Any], str]] = [
    ({"a": A, "b": A.assign(doc_id=["x_0", "y_0"])}, {}, ALONE),
    (A, {}, "there is only one run: pass a dict of runs, or a table of several runs with a column system"),
    ([], {}, "the list of runs is empty"),
    (["same.txt", "same.txt"], {}, "a run is repeated"),
    ([A, A], {"weights": {"1": 2}}, "the weights lack the run '2'"),
    ([A, A], {"weights": {"1": 2, "2": 1, "3": 1}}, "the weights name '3', which is not one of the runs: 1, 2"),
    ([A, A], {"weights": {"1": 2, "2": -1}}, "weights must be numbers from 0 to 1e100, got -1.0 for '2'"),
    ([A, A], {"weights": {"1": 2, "2": float("nan")}}, "weights must be finite numbers from 0, got nan for '2'"),
    ([A, A], {"weights": {"1": 2, "2": "x"}}, "weights must be finite numbers from 0, got 'x' for '2'"),
    ([A, A], {"weights": {}}, "the weights are an empty dict"),
    ([A, A], {"weights": A}, "the weights: missing columns system, weight"),
    ([A, A], {"weights": {"1": 1, "2": 1}, "method": "comb_max"}, "method='comb_max' takes no weights"),
    ([A, pd.concat([A, A])], {}, "a document is in one ranking more than once"),
    ([A, A.replace(1.0, float("nan"))], {}, "a score is NULL, NaN or infinite"),
    ([A, A.replace("y", None)], {}, "an id is NULL"),
    ([A.assign(rank=[1, 3]), A], {}, "some runs have only scores, and others have ranks that are not 1, 2, 3, ..."),
    (
        [A.assign(rank=[1, 2]), A],
        {"method": "comb_max"},
        "reads scores): some runs have only ranks: pass scores for all",
    ),
    (
        [A.drop(columns="score").assign(rank=[1, 2])] * 2,
        {"method": "comb_sum"},
        "(method='comb_sum' reads scores): missing",
    ),
    (pd.concat([A.assign(system="a"), A.assign(system=None)]), {}, "the column system is NULL in some rows"),
    ([A, A * 1], {"method": "x"}, "method must be 'borda', 'comb_anz'"),
    ([A, A * 1], {"norm": "x", "method": "comb_sum"}, "norm must be 'borda', 'max'"),
    ([A, A * 1], {"norm": "max"}, "method='rrf' reads ranks, to which no norm applies"),
    ([A.drop(columns="doc_id")] * 2, {}, "the runs: missing column doc_id"),
    ([A, A.assign(score=[-1.0, -2.0])], {"method": "comb_sum", "norm": "max"}, "norm='max' needs a score above 0"),
    ([A, A], {"k": -1}, "k must be a number from 0, got -1"),
    ([A, A], {"k": float("inf")}, "k must be a number from 0, got inf"),
    ([A, A], {"p": 1.5}, "p must be a number from 0 to 1, got 1.5"),
    ([A, A], {"depth": 0}, "depth must be an integer from 1, got 0"),
    ([A, A], {"top": 1.5}, "top must be an integer from 1, got 1.5"),
    ([A, A], {"ties": "worst"}, "ties must be 'docid_desc', 'docid_asc', 'docid_desc_float32' or 'row_order'"),
    ([A, A], {"keys": ["nope"]}, "key 'nope' is not a column"),
]


@pytest.mark.parametrize(("given", "options", "message"), ERRORS, ids=lambda value: str(value)[:40])
def test_errors(given: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        ltr_sql.fuse(given, **options)


def test_warnings() -> None:
    with pytest.warns(InputWarning, match="there is only one run, 'a'"):
        ltr_sql.fuse({"a": A})
    with pytest.warns(InputWarning, match="1 of 2 queries are in only some of the runs, such as r"):
        found = ltr_sql.fuse([A, A.assign(query_id=["q", "r"])])
    assert list(found["runs"]) == [2, 1, 1]
    disjoint = ltr_sql.fuse([A, A.assign(doc_id=["v", "w"])], check=False)
    assert list(disjoint["doc_id"]) == ["x", "v", "y", "w"]


def test_gz(tmp_path: Path) -> None:
    path = tmp_path / "run.txt.gz"
    path.write_bytes(gzip.compress(b"q Q0 x 1 2.0 a\nq Q0 y 2 1.0 a\n"))
    assert list(ltr_sql.fuse([str(path), A])["runs"]) == [2, 2]
