"""Searches that returned nothing: an empty ranking counts wherever the input says that the search was asked."""

import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql import InputError
from ltr_sql.command_line.main import main

QUERIES = [f"q{i}" for i in range(6)]
COLUMNS = ["query_id", "doc_id", "score"]
QRELS = pd.DataFrame(
    [(q, f"d{d}", d % 2) for q in QUERIES for d in range(3)], columns=["query_id", "doc_id", "relevance"]
)
# Each query has the relevant document at rank 2. The first two queries of `SOME` have no documents.
FULL = {q: {f"d{d}": 3.0 - d for d in range(3)} for q in QUERIES}
SOME = {**FULL, "q0": {}, "q1": {}}
NONE: dict[str, dict[str, float]] = {q: {} for q in QUERIES}
PATHS = {"docs[].id": "doc_id", "docs[].score": "score"}
MEASURES = ["RR", "NumRel", "NumRet"]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ltr_sql.InputWarning)
        yield


def frame_of(run: dict[str, dict[str, float]]) -> pd.DataFrame:
    rows = [(query, doc, score) for query, found in run.items() for doc, score in found.items()]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"query_id": str, "doc_id": str, "score": float})


def records_of(run: dict[str, dict[str, float]], **keys: Any) -> list[dict[str, Any]]:
    docs = {query: [{"id": doc, "score": score} for doc, score in found.items()] for query, found in run.items()}
    return [{"query_id": query, **keys, "docs": listed} for query, listed in docs.items()]


def values_of(found: Any) -> list[Any]:
    return [
        tuple(row)
        for row in (
            found.rows()
            if isinstance(found, pl.DataFrame)
            else found.to_pandas().values
            if isinstance(found, pa.Table)
            else found.values
        )
    ]


WITHOUT_ROWS: dict[str, Any] = {
    "pandas": frame_of(NONE),
    "polars": pl.from_pandas(frame_of(NONE)),
    "arrow": pa.Table.from_pandas(frame_of(NONE)),
    "dict": {},
    "list": [],
}


@pytest.mark.default("list")
@pytest.mark.parametrize("form", WITHOUT_ROWS)
def test_a_run_without_rows_in_python(form: str) -> None:
    run = WITHOUT_ROWS[form]
    assert values_of(ltr_sql.evaluate(run, MEASURES, qrels=QRELS, asked=QUERIES)) == [(6, 0.0, 6.0, 0.0)]
    with pytest.raises(InputError):
        ltr_sql.evaluate(run, MEASURES, qrels=QRELS)


def test_a_run_without_rows_in_sql(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create table run (query_id varchar, doc_id varchar, score double)")
    con.register("qrels", QRELS)
    con.register("searches", pd.DataFrame({"query_id": [*QUERIES, "unjudged"]}))
    means = f"from ltr.evaluate('judged', {MEASURES})"
    for options in ("", ", missing := 'skip'", ", unjudged := 'keep'", ", duplicates := 'first'"):
        judged = f"with judged as (from ltr.judge('run', 'qrels', asked := 'searches'{options}))"
        assert con.execute(f"{judged} {means}").fetchall() == [(7, 0.0, 6.0, 0.0)], options
    # One document of a query that was asked is enough for usual values.
    con.execute("insert into run values ('q5', 'd1', 1)")
    judged = "with judged as (from ltr.judge('run', 'qrels', asked := 'searches'))"
    assert con.execute(f"{judged} {means}").fetchall() == [(7, pytest.approx(1 / 7), 6.0, 1.0)]


@pytest.mark.default(
    "run.json-{}", "run.jsonl-", "run.csv-", "run.json-[]\\n", "run.txt-", "run.csv-query_id,doc_id,score\\n"
)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.txt", ""),
        ("run.csv", ""),
        ("run.csv", "query_id,doc_id,score\n"),
        ("run.jsonl", ""),
        ("run.json", "[]\n"),
        ("run.json", "{}"),
        ("run.json", json.dumps(NONE)),
    ],
)
def test_a_run_without_rows_in_a_file(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    QRELS.to_csv(tmp_path / "qrels.csv", index=False)
    (tmp_path / "asked.csv").write_text("query_id\n" + "\n".join(QUERIES), encoding="utf-8")
    files = [str(tmp_path / file) for file in ("qrels.csv", name)]
    words = ["evaluate", *files, "-m", ",".join(MEASURES), "--format", "csv", "--no-check"]
    result = CliRunner().invoke(main, [*words, "--asked", str(tmp_path / "asked.csv")])
    assert result.stdout.splitlines()[1:] == ["6,0.0,6.0,0.0"]
    refused = CliRunner().invoke(main, ["evaluate", *files, "-m", "RR"])
    if "q0" in text:
        assert refused.exit_code == 0
    else:
        assert "If the searches returned nothing, pass them as --asked" in refused.stderr


def weeks(*numbers: int, run: dict[str, dict[str, float]] = FULL) -> pd.DataFrame:
    return pd.concat([frame_of(run).assign(week=number) for number in numbers])


SEARCHES = pd.DataFrame([(week, query) for week in (1, 2, 3) for query in QUERIES], columns=["week", "query_id"])
BY_WEEK = {
    "one week without rows": (weeks(1, 2), [(1, 6, 0.5), (2, 6, 0.5), (3, 6, 0.0)]),
    "no week with rows": (weeks(1).iloc[:0], [(1, 6, 0.0), (2, 6, 0.0), (3, 6, 0.0)]),
}


@pytest.mark.default("no week with rows-python")
@pytest.mark.parametrize("interface", ["python", "sql", "command_line"])
@pytest.mark.parametrize("case", BY_WEEK)
def test_a_week_without_rows(case: str, interface: str, con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    run, expected = BY_WEEK[case]
    if interface == "python":
        assert values_of(ltr_sql.evaluate(run, ["RR"], qrels=QRELS, asked=SEARCHES, keys=["week"])) == expected
    elif interface == "sql":
        tables = {"run": run, "qrels": QRELS, "searches": SEARCHES}
        for name, table in tables.items():
            con.register(name, table)
        judged = "with judged as (from ltr.judge('run', 'qrels', asked := 'searches', keys := ['week']))"
        found = con.execute(f"{judged} from ltr.evaluate('judged', ['RR'], keys := ['week']) order by all").fetchall()
        assert found == expected
    else:
        for name, table in {"run": run, "qrels": QRELS, "searches": SEARCHES}.items():
            table.to_csv(tmp_path / f"{name}.csv", index=False)
        files = [str(tmp_path / f"{name}.csv") for name in ("qrels", "run")]
        words = ["--keys", "week", "--asked", str(tmp_path / "searches.csv"), "-m", "RR", "--format", "csv"]
        lines = CliRunner().invoke(main, ["evaluate", *files, *words]).stdout.splitlines()
        assert lines[1:] == [",".join(map(str, row)) for row in expected]


def test_the_keys_of_a_run_without_rows_must_be_known(con: duckdb.DuckDBPyConnection) -> None:
    run = weeks(1).iloc[:0]
    with pytest.raises(InputError, match="nothing says their week: pass the queries that were asked as asked="):
        ltr_sql.evaluate(run, ["RR"], qrels=QRELS, asked=QUERIES, keys=["week"])
    con.register("run", run.astype({"query_id": "string", "doc_id": "string"}))
    con.register("qrels", QRELS)
    con.register("searches", pd.DataFrame({"query_id": QUERIES}))
    with pytest.raises(duckdb.Error, match="the run has no rows that say its keys: add the columns of the keys"):
        con.execute("from ltr.judge('run', 'qrels', asked := 'searches', keys := ['week'])")


def test_a_system_without_rows() -> None:
    runs = {"old": frame_of(FULL), "new": frame_of(NONE)}
    found = ltr_sql.evaluate(runs, ["RR"], qrels=QRELS, asked=QUERIES)
    assert values_of(found) == [("old", 6, 0.5), ("new", 6, 0.0)]
    compared = ltr_sql.compare(runs, ["RR"], qrels=QRELS, asked=QUERIES, details=True)
    assert compared[["queries", "mean_a", "mean_b", "verdict"]].values.tolist() == [[6, 0.5, 0.0, "worse"]]
    with pytest.raises(InputError, match=r"run 'new' has no rows: check its source, or leave it out\. If the s"):
        ltr_sql.evaluate(runs, ["RR"], qrels=QRELS)


FORMS: dict[str, Callable[[dict[str, dict[str, float]]], Any]] = {
    "dict": lambda run: run,
    "dict of lists": lambda run: {query: [*found] for query, found in run.items()},
    "records": records_of,
    "pandas": lambda run: pd.DataFrame(records_of(run)),
    "polars": lambda run: pl.DataFrame(
        records_of(run), schema_overrides={"docs": pl.List(pl.Struct({"id": pl.String, "score": pl.Float64}))}
    ),
}


@pytest.mark.default("skip-dict")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_a_query_without_documents_was_asked(form: str, missing: str) -> None:
    """`q5` is no query of the run: only missing='zero' counts it. Queries that the run answered count in any case."""
    some = {query: found for query, found in SOME.items() if query != "q5"}
    options: dict[str, Any] = {"qrels": QRELS, "missing": missing, **({} if "dict" in form else {"columns": PATHS})}
    found = ltr_sql.evaluate(FORMS[form](some), MEASURES, by_query=True, **options)
    answered = [("q0", 0.0, 1.0, 0.0), ("q1", 0.0, 1.0, 0.0), *((q, 0.5, 1.0, 3.0) for q in ("q2", "q3", "q4"))]
    assert values_of(found) == [*answered, *([("q5", 0.0, 1.0, 0.0)] if missing == "zero" else [])]
    # A run in which no query has documents is a run.
    assert values_of(ltr_sql.evaluate(FORMS[form](NONE), MEASURES, **options)) == [(6, 0.0, 6.0, 0.0)]


def test_answers_of_other_calls() -> None:
    some = {query: found for query, found in SOME.items() if query != "q5"}
    runs = {"full": FULL, "some": some, "none": NONE}
    options: dict[str, Any] = {"qrels": QRELS, "missing": "skip"}
    found = ltr_sql.evaluate(runs, ["RR"], **options)
    assert values_of(found) == [("full", 6, 0.5), ("some", 5, 0.3), ("none", 6, 0.0)]
    assert set(ltr_sql.verify(runs, ["RR", "NumRet"], **options)["verdict"]) == {"equal"}
    worst = ltr_sql.worst({"some": some, "none": NONE}, "RR", **options)
    assert worst.groupby("system")["query_id"].nunique().to_dict() == {"some": 5, "none": 6}
    checked = ltr_sql.check(some, QRELS).set_index("what")
    (what,) = (what for what in checked.index if what.startswith("judged queries are not in the run"))
    assert checked.loc[what, "first_rows"] == "query_id=q5"
    nested = pd.DataFrame([*records_of(SOME, country="de"), *records_of({"q7": {}, "q8": {}}, country="fr")])
    judged = pd.concat([QRELS, pd.DataFrame({"query_id": ["q7", "q8"], "doc_id": "x", "relevance": 1})])
    by_country = ltr_sql.evaluate(nested, ["RR"], keys=["country"], qrels=judged, missing="skip", columns=PATHS)
    assert values_of(by_country) == [("de", 6, pytest.approx(1 / 3)), ("fr", 2, 0.0)]


def test_pytrec_eval_counts_a_query_without_documents() -> None:
    from pytrec_eval import RelevanceEvaluator  # noqa: PLC0415  (slow to load)

    judged = {query: {f"d{d}": d % 2 for d in range(3)} for query in QUERIES}
    by_tool = RelevanceEvaluator(judged, {"recip_rank"}).evaluate(SOME)
    found = ltr_sql.evaluate(SOME, ["RR"], qrels=judged, convention="pytrec_eval", by_query=True)
    assert dict(values_of(found)) == {query: values["recip_rank"] for query, values in by_tool.items()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("answers")
    QRELS.to_csv(folder / "qrels.csv", index=False)
    (folder / "asked.csv").write_text("query_id\n" + "\n".join(QUERIES), encoding="utf-8")
    (folder / "empty.jsonl").write_text("", encoding="utf-8")
    runs = {"full": FULL, "some": SOME, "none": NONE, "few": {q: FULL[q] for q in QUERIES[:4]}}
    for name, run in runs.items():
        lines = map(json.dumps, records_of(run))
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.mark.default("some-options0-1-failed: RR worse: some 0.3333, full 0.5000")
@pytest.mark.parametrize(
    ("name", "options", "exit_code", "message"),
    [
        ("some", [], 1, "failed: RR worse: some 0.3333, full 0.5000"),
        ("none", [], 1, "failed: RR significantly worse: none 0.0000, full 0.5000"),
        ("empty", ["--asked", "asked.csv"], 1, "failed: RR worse: empty 0.0000, full 0.5000"),
        ("few", ["--asked", "asked.csv"], 1, "failed: RR worse: few 0.3333, full 0.5000"),
        (
            "few",
            [],
            2,
            "not decided: RR worse: 2 queries are missing or NULL in one of full and few: q4, q5. Run these",
        ),
    ],
)
def test_a_gate_fails(
    name: str, options: list[str], exit_code: int, message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    gates = ["--fail-if", "RR worse", "--fail-if", "RR significantly worse"]
    paths = ",".join(f"{path}={ours}" for path, ours in PATHS.items())
    words = [
        "compare",
        "qrels.csv",
        "full.jsonl",
        f"{name}.jsonl",
        "--columns",
        paths,
        "-m",
        "RR",
        "--baseline",
        "full",
    ]
    result = CliRunner().invoke(main, [*words, *gates, *options])
    assert (result.exit_code, message in result.stderr) == (exit_code, True), result.output


def test_saved_values_say_which_queries_were_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    paths = ",".join(f"{path}={ours}" for path, ours in PATHS.items())
    words = ["compare", "qrels.csv", "--columns", paths, "-m", "RR"]
    CliRunner().invoke(main, [*words, "some.jsonl", "--save-values", "saved.parquet"])
    result = CliRunner().invoke(main, [*words, "full.jsonl", "--baseline", "saved.parquet", "--fail-if", "RR worse"])
    assert (result.exit_code, "held: RR worse" in result.stderr) == (0, True), result.output


def test_the_gate_of_a_night_without_rows(con: duckdb.DuckDBPyConnection) -> None:
    values = pd.DataFrame(
        [(s, q, 0.0 if s == "tonight" else 0.5 - i / 100) for s in ("last", "tonight") for i, q in enumerate(QUERIES)],
        columns=["system", "query_id", "RR"],
    )
    con.register("nights", values)
    with pytest.raises(duckdb.Error, match=r"the gate failed: RR worse: tonight 0\.0000, last 0\.4750"):
        con.execute("from ltr.gate('nights', ['RR worse', 'RR significantly worse'], 'last')")
    with pytest.raises(duckdb.Error, match="not decided: RR worse: last: the baseline has no value other than 0"):
        con.execute("from ltr.gate('nights', ['RR worse'], 'tonight')")


@pytest.mark.slow
def test_a_report_on_the_last_period_counts_what_was_asked_in_it() -> None:
    few = {query: FULL[query] for query in QUERIES[:3]}
    runs = pd.concat([weeks(1), weeks(2, run=few)])
    asked = runs[["week", "query_id"]].drop_duplicates()
    options: dict[str, Any] = {"qrels": QRELS, "trend": "week", "lists": 0}
    for week, expected in {None: (3, 0.5), 3: (6, 0.0)}.items():
        further = SEARCHES[SEARCHES["week"] == week]
        report = ltr_sql.report(runs, ["RR"], asked=pd.concat([asked, further]), **options)
        (standing,) = report.data["standings"]
        assert (standing["queries"], standing["mean"]) == expected
