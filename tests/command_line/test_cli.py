"""Command line: output and errors."""

import csv
import gzip
import io
import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from click.testing import CliRunner, Result

import ltr_sql
from ltr_sql import oracle
from ltr_sql.catalogue.measures import all_definitions, definitions
from ltr_sql.command_line.main import main
from ltr_sql.macros.registration import BUNDLE

# Runs here lack judged queries and have queries without judgments, which test_check.py tests.
pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")

command_line = import_module("ltr_sql.command_line.main")

LOG3 = math.log2(3)
QRELS = "007 0 b 1\n007 0 c 2\n007 0 x 1\n08 0 a 1\n9 0 a 1\n"
# Documents c and b of 007 are tied; 08 is not in the run, 7 is not judged.
RUN = "007 Q0 a 1 3.0 t\n007 Q0 b 2 2.0 t\n007 Q0 c 3 2.0 t\n9 Q0 a 1 0.5 t\n9 Q0 b 2 0.25 t\n7 Q0 a 1 1.0 t\n"
OTHER_RUN = "007 Q0 b 1 3.0 t\n08 Q0 a 1 1.0 t\n9 Q0 b 1 1.0 t\n"
# Ties are broken by descending doc_id: c, b.
AP = {"007": (1 / 2 + 2 / 3) / 3, "08": 0.0, "9": 1.0}
NDCG = {"007": (2 / LOG3 + 1 / 2) / (2 + 1 / LOG3 + 1 / 2), "08": 0.0, "9": 1.0}
OTHER_AP = {"007": 1 / 3, "08": 1.0, "9": 0.0}


def mean(values: dict[str, float]) -> float:
    return sum(values.values()) / len(values)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a working directory with a few files."""
    monkeypatch.chdir(tmp_path)
    texts = {"qrels": QRELS, "run": RUN, "other.txt": OTHER_RUN, "broken": RUN + "9 Q0 z\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words), prog_name="ltr-sql")


def printed(*words: str) -> str:
    """Return the output of a command, which must succeed and print only warnings on stderr."""
    result = run(*words)
    assert result.exception is None, result.output
    assert result.exit_code == 0
    # The run lacks a judged query, and has a query without judgments.
    assert [line for line in result.stderr.splitlines() if not line.startswith(("Warning: ", "What to do: "))] == []
    return result.stdout


def rows_of_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def near(value: float) -> Any:
    return pytest.approx(value, rel=0, abs=1e-12)


# evaluate


def test_one_run_as_a_table(folder: Path) -> None:
    lines = printed("evaluate", "qrels", "run", "-m", "AP", "-m", "nDCG@10").splitlines()
    assert [line.split() for line in lines] == [
        ["queries", "AP", "nDCG@10"],
        ["---------", "------", "---------"],
        ["3", f"{mean(AP):.4f}", f"{mean(NDCG):.4f}"],
    ]


def test_default_measures(folder: Path) -> None:
    (row,) = rows_of_csv(printed("evaluate", "qrels", "run", "--format", "csv"))
    assert list(row) == ["queries", "AP", "RR", "nDCG@10", "P@10", "R@1000"]
    assert [float(value) for value in row.values()] == [
        3,
        near(mean(AP)),
        0.5,
        near(mean(NDCG)),
        near(0.1),
        near(5 / 9),
    ]


@pytest.mark.slow
def test_gains(folder: Path) -> None:
    asked = ["evaluate", "qrels", "run", "-m", "nDCG", "-m", "AP", "--missing", "skip", "--format", "trec"]
    by_trec_eval = [
        line.split() for line in printed("trec_eval", "-mndcg.1=2,2=7", "-mmap", "qrels", "run").splitlines()
    ]
    assert [name for name, *_ in by_trec_eval] == ["map", "ndcg_1=2,2=7"]
    for gains in ("1=2,2=7", "0, 2, 7", "2=7.0,1=2"):
        lines = [line.split() for line in printed(*asked, "--gains", gains).splitlines()]
        assert [values for _, *values in lines] == [values for _, *values in by_trec_eval[::-1]]
        assert [name for name, *_ in lines] == ["nDCG", "AP"]
    assert printed(*asked) != printed(*asked, "--gains", "1=2,2=7")


@pytest.mark.parametrize(
    ("gains", "message"),
    [
        ("1=x", "gains '1=x': write GRADE=GAIN,..., as in 1=1,2=3, or the gains of grades 0, 1, ..., as in 0,1,3"),
        ("-1=1", "gains '-1=1': write GRADE=GAIN,..."),
        ("1=-1", "gains '1=-1': write GRADE=GAIN,..."),
        ("1=1,", "gains '1=1,': write GRADE=GAIN,..."),
        ("1=1,2", "gains '1=1,2': write GRADE=GAIN,..."),
        ("", "gains '': write GRADE=GAIN,..."),
        ("1=1,1=2", "gains '1=1,1=2': a grade has more than one gain"),
        ("0,nan", "gains: the gain of grade 1 must be a number from 0, got nan"),
        ("0,-1", "gains: the gain of grade 1 must be a number from 0, got -1.0"),
        ("0,1", "a grade has no gain: the list of 2 gains covers the grades 0 to 1"),
    ],
)
def test_wrong_gains(gains: str, message: str, folder: Path) -> None:
    result = run("evaluate", "qrels", "run", "-m", "nDCG", "--gains", gains)
    assert result.exit_code == 2
    assert f"Error: {message}" in result.stderr


@pytest.mark.default("one run-False")
@pytest.mark.parametrize("by_query", [False, True])
@pytest.mark.parametrize("runs", [["run"], ["run", "other.txt"]], ids=["one run", "two runs"])
def test_csv_and_json(runs: list[str], by_query: bool, folder: Path) -> None:
    measures = ["-m", "AP", "-m", "map_cut_1", "-m", "P(rel=2)@2"]
    words = ["evaluate", "qrels", *runs, *measures, *(["--by-query"] if by_query else [])]
    given: Any = runs[0] if len(runs) == 1 else {"run": "run", "other": "other.txt"}
    frame = ltr_sql.evaluate(given, measures[1::2], qrels="qrels", by_query=by_query)
    expected = [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]
    from_json = json.loads(printed(*words, "--format", "json"))
    assert from_json == expected
    from_csv = rows_of_csv(printed(*words, "--format", "csv"))
    assert [list(row) for row in from_csv] == [list(row) for row in expected]
    assert from_csv == [{name: str(value) for name, value in row.items()} for row in expected]


def test_several_runs(folder: Path) -> None:
    rows = json.loads(printed("evaluate", "qrels", "run", "other.txt", "-m", "AP", "--format", "json"))
    assert rows == [
        {"system": "run", "queries": 3, "AP": near(mean(AP))},
        {"system": "other", "queries": 3, "AP": near(mean(OTHER_AP))},
    ]
    each = json.loads(printed("evaluate", "qrels", "run", "other.txt", "-m", "AP", "--format", "json", "--by-query"))
    assert each == [
        *({"system": "run", "query_id": query, "AP": near(value)} for query, value in AP.items()),
        *({"system": "other", "query_id": query, "AP": near(value)} for query, value in OTHER_AP.items()),
    ]


@pytest.mark.slow
def test_names_of_runs(folder: Path) -> None:
    (folder / "a").mkdir()
    for name in ("run.csv", "a/run", "bm25.v2.txt"):
        (folder / name).write_text("query_id,doc_id,score\n9,a,1\n" if name.endswith("csv") else RUN, encoding="utf-8")
    (folder / "zipped.txt.gz").write_bytes(gzip.compress(RUN.encode()))

    def names(*runs: str) -> list[str]:
        return [row["system"] for row in rows_of_csv(printed("evaluate", "qrels", *runs, "--format", "csv"))]

    assert names("run", "zipped.txt.gz", "bm25.v2.txt") == ["run", "zipped", "bm25.v2"]
    assert names("bm25.v2.txt", "run.csv") == ["bm25.v2", "run"]
    assert names("run", "*.csv") == ["run", "run.csv"]
    assert names("run", "a/run") == ["run", "a/run"]


def test_markdown(folder: Path) -> None:
    lines = printed("evaluate", "qrels", "run", "-m", "AP", "--by-query", "--format", "markdown").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == ["query_id", "AP"]
    assert set("".join(cells[1])) <= set("-:")
    assert cells[2:] == [[query, f"{value:.4f}"] for query, value in AP.items()]


def test_ids_are_printed_unchanged(folder: Path) -> None:
    ids = ["007", "1.10", "1e5", "0x1F", "-0", "+1", "1_000", "True", "nan"]
    (folder / "qrels").write_text("".join(f"{x} 0 a 1\n" for x in ids), encoding="utf-8")
    (folder / "run").write_text("".join(f"{x} Q0 a 1 1 t\n" for x in ids), encoding="utf-8")
    for style in ("table", "markdown", "csv", "json", "trec"):
        text = printed("evaluate", "qrels", "run", "-m", "AP", "--by-query", "--format", style)
        words = set(text.replace("|", " ").replace('"', " ").replace(",", " ").split())
        assert set(ids) <= words


@pytest.mark.default("nDCG(gain='exponential')@10", "ndcg_cut_10")
@pytest.mark.parametrize("name", ["map", "AP", "ndcg_cut_10", "nDCG(gain='exponential')@10"])
def test_trec_lines(name: str, folder: Path) -> None:
    """Lines are those of trec_eval, such as `map                   \\tall\\t0.1055`: %-22s, tab, topic, tab, %6.4f."""
    value = ltr_sql.evaluate("run", [name], qrels="qrels")[name][0]
    assert printed("evaluate", "qrels", "run", "-m", name, "--format", "trec") == f"{name:<22}\tall\t{value:6.4f}\n"


def test_trec_lines_by_query(folder: Path) -> None:
    words = ["evaluate", "qrels", "run", "-m", "map", "-m", "P_5", "--format", "trec"]
    assert printed(*words, "--by-query").splitlines() == [
        "map                   \t007\t0.3889",
        "P_5                   \t007\t0.4000",
        "map                   \t08\t0.0000",
        "P_5                   \t08\t0.0000",
        "map                   \t9\t1.0000",
        "P_5                   \t9\t0.2000",
    ]
    assert printed(*words).splitlines() == [
        "map                   \tall\t0.4630",
        "P_5                   \tall\t0.2000",
    ]


def test_trec_lines_of_several_runs(folder: Path) -> None:
    assert printed("evaluate", "qrels", "run", "other.txt", "-m", "map", "--format", "trec").splitlines() == [
        "run\tmap                   \tall\t0.4630",
        "other\tmap                   \tall\t0.4444",
    ]


def test_missing_values(folder: Path) -> None:
    """Kendall's tau of fewer than two documents is NULL: null, an empty field, or no line."""
    words = ["evaluate", "qrels", "run", "-m", "KendallTau", "--by-query", "--format"]
    assert json.loads(printed(*words, "json")) == [
        {"query_id": "007", "KendallTau": near(1.0)},
        {"query_id": "08", "KendallTau": None},
        {"query_id": "9", "KendallTau": None},
    ]
    assert printed(*words, "csv").splitlines()[2:] == ["08,", "9,"]
    assert printed(*words, "trec") == "KendallTau            \t007\t1.0000\n"
    assert [line.split() for line in printed(*words, "table").splitlines()[2:]] == [["007", "1.0000"], ["08"], ["9"]]


def test_repeated_measures_are_printed_once(folder: Path) -> None:
    words = ["evaluate", "qrels", "run", "-m", "RR", "--measure", "AP", "-m", "RR", "--format", "csv"]
    assert printed(*words).splitlines()[0] == "queries,RR,AP"


@pytest.mark.slow
def test_ties(folder: Path) -> None:
    expected = {
        "docid_desc": 7 / 18,
        "docid_asc": 7 / 18,
        "docid_desc_float32": 7 / 18,
        "worst": 7 / 18,
        "best": 7 / 18,
        "expected": 7 / 18,
    }
    for ties, value in expected.items():
        rows = rows_of_csv(
            printed("evaluate", "qrels", "run", "-m", "AP", "--by-query", "--format", "csv", "--ties", ties)
        )
        assert float(rows[0]["AP"]) == near(value)
    grades = {
        "docid_desc": 2 / LOG3 + 1 / 2,
        "docid_asc": 1 / LOG3 + 1,
        "worst": 1 / LOG3 + 1,
        "best": 2 / LOG3 + 1 / 2,
    }
    for ties, value in grades.items():
        rows = rows_of_csv(
            printed("evaluate", "qrels", "run", "-m", "DCG", "--by-query", "--format", "csv", "--ties", ties)
        )
        assert float(rows[0]["DCG"]) == near(value)


def test_expected_ties(folder: Path) -> None:
    words = ["qrels", "run", "-m", "nDCG", "--ties", "expected"]
    rows = rows_of_csv(printed("evaluate", *words, "--by-query", "--format", "csv"))
    assert float(rows[0]["nDCG"]) == near(3 / 2 * (1 / LOG3 + 1 / 2) / (2 + 1 / LOG3 + 1 / 2))
    (verified,) = rows_of_csv(printed("verify", *words, "--format", "csv"))
    assert (verified["measure"], verified["queries"]) == ("nDCG", "3")
    result = run("evaluate", *words, "-m", "DCG")
    assert result.exit_code == 2
    assert "measure 'DCG' has no known expectation over the orders of tied documents" in result.stderr


def test_missing(folder: Path) -> None:
    words = ["evaluate", "qrels", "run", "-m", "AP", "--format", "csv"]
    skipped = {query: value for query, value in AP.items() if query != "08"}
    for missing, values in ({"zero": AP, "skip": skipped}).items():
        (row,) = rows_of_csv(printed(*words, "--missing", missing))
        assert (int(row["queries"]), float(row["AP"])) == (len(values), near(mean(values)))
        rows = rows_of_csv(printed(*words, "--by-query", "--missing", missing))
        assert [row["query_id"] for row in rows] == list(values)


def test_kinds_of_files(folder: Path) -> None:
    frame = pl.DataFrame(
        [
            {"query_id": fields[0], "doc_id": fields[2], "score": float(fields[4])}
            for fields in map(str.split, RUN.splitlines())
        ]
    )
    frame.write_parquet(folder / "run.parquet")
    frame.write_csv(folder / "run.csv")
    frame.write_csv(folder / "run.tsv", separator="\t")
    frame.write_ndjson(folder / "run.jsonl")
    (folder / "run.gz").write_bytes(gzip.compress(RUN.replace(" ", "\t").encode()))
    for name in ("run.parquet", "run.csv", "run.tsv", "run.jsonl", "run.gz"):
        (row,) = rows_of_csv(printed("evaluate", "qrels", name, "-m", "AP", "--format", "csv"))
        assert float(row["AP"]) == near(mean(AP)), name


# verify


@pytest.mark.slow
def test_verify(folder: Path) -> None:
    rows = [[*row.values()] for row in rows_of_csv(printed("verify", "qrels", "run", "--format", "csv"))]
    possible = [d for d in definitions().values() if not d.by_subtopic and not d.by_score]
    names = [d.name for d in possible if all(p.name == d.at for p in d.required)]
    assert [row[0].partition("@")[0] for row in rows] == names
    assert {row[1] for row in rows} == {"3"}
    assert {row[3] for row in rows} == {"equal"}
    assert all(float(row[2]) <= 1e-12 for row in rows)
    largest = max(float(row[2]) for row in rows)
    line = f"{len(rows)} of {len(rows)} measures equal, largest difference {largest:.1e}\n"
    assert printed("verify", "qrels", "run") == line


def test_verify_with_options(folder: Path) -> None:
    words = ["-m", "AP", "-m", "nDCG@2", "--ties", "worst", "--missing", "skip"]
    found = rows_of_csv(printed("verify", "qrels", "run", "other.txt", *words, "--format", "csv"))
    assert [(row["measure"], row["queries"], row["verdict"]) for row in found] == [
        ("AP", "5", "equal"),
        ("nDCG@2", "5", "equal"),
    ]


def test_verify_fails_if_values_differ(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "ap", lambda rank, relevance, **values: 0.5)
    result = run("verify", "qrels", "run", "-m", "AP", "-m", "RR")
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    header, _, *rows, _, line = result.stdout.splitlines()
    assert header.split() == ["measure", "queries", "largest_difference", "verdict"]
    assert [(row.split()[0], row.split()[3]) for row in rows] == [("AP", "different")]
    assert line.startswith("1 of 2 measures equal, largest difference ")
    assert "Traceback" not in result.output


# measures


def test_measures() -> None:
    lines = printed("measures", "--wide").splitlines()
    assert lines[0].split("  ")[0] == "measure"
    listed = [line.split()[0] for line in lines[2:] if not line.startswith(" ")]
    assert listed == [definition.name for definition in all_definitions().values()]
    text = " ".join(" ".join(lines).split())
    for definition in all_definitions().values():
        assert [alias for alias in definition.aliases if alias not in text] == []
    short = printed("measures").splitlines()
    assert max(map(len, short)) == 100
    assert [line.split()[0] for line in short[2:] if not line.startswith(" ")] == listed


# sql


@pytest.mark.slow
def test_sql_prints_the_bundle() -> None:
    text = printed("sql")
    assert text == BUNDLE.read_text(encoding="utf-8")
    with duckdb.connect() as con:
        con.execute(text)
        con.execute("create table judged as select 'q' as query_id, 2 as rank, 1 as relevance")
        assert con.execute("from ltr.rr('judged')").fetchall() == [("q", 0.5)]


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    values = ", ".join(f"('{system}', '{q}', {rank}, {grade})" for system, q, rank, grade in RANKINGS)
    with duckdb.connect() as connection:
        connection.execute(
            f'create table systems as from (values {values}) as t("my system", query_id, rank, relevance)'
        )
        yield connection


RANKINGS = [("a", "q1", 1, 0), ("a", "q1", 2, 1), ("a", "q2", 1, 1), ("b", "q1", 1, 1), ("b", "q2", "null", 1)]


def test_sql_of_measures_runs_in_duckdb(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create table rankings as select query_id, rank, relevance from systems where \"my system\" = 'a'")
    relation = con.sql(printed("sql", "RR", "P@1", "nDCG(gain='exponential')@10"))
    assert relation.columns == ["queries", "RR", "P@1", "nDCG(gain='exponential')@10"]
    assert relation.fetchall() == [(2, 0.75, 0.5, near((1 / LOG3 + 1) / 2))]


def test_sql_with_options(con: duckdb.DuckDBPyConnection) -> None:
    words = ["sql", "RR", "--keys", "my system", "--rankings"]
    assert sorted(con.sql(printed(*words, "systems")).fetchall()) == [("a", 2, 0.75), ("b", 2, 0.5)]
    each = con.sql(printed(*words, "systems", "--by-query", "--dialect", "duckdb"))
    assert each.columns == ["my system", "query_id", "RR"]
    assert sorted(each.fetchall()) == [("a", "q1", 0.5), ("a", "q2", 1.0), ("b", "q1", 1.0), ("b", "q2", 0.0)]
    con.execute("create schema s; create table s.there as from systems")
    assert sorted(con.sql(printed(*words, "s.there")).fetchall()) == [("a", 2, 0.75), ("b", 2, 0.5)]


# Errors

ERRORS: list[tuple[list[str], str]] = [
    (["evaluate", "qrels", "run", "-m", "ndgc@10"], "unknown measure 'ndgc@10'; did you mean nDCG?"),
    (["evaluate", "qrels", "run", "-m", "AP", "-m", "P"], "measure 'P' needs a cutoff, as in P@10"),
    (["evaluate", "qrels", "run", "-m", "AP@0"], "measure 'AP@0': k must be an integer from 1, got 0"),
    (
        ["evaluate", "qrels", "run", "-m", ""],
        "measure '' cannot be read: write NAME, NAME@k or NAME(parameter=value)@k",
    ),
    (
        ["evaluate", "qrels", "broken"],
        "columns, but a TREC run has 6 (query_id q0 doc_id given_rank score run_id)",
    ),
    (["evaluate", "qrels", "run", "broken"], "broken, line 7: 3 columns"),
    (["evaluate", "run", "qrels"], "'007 0 b 1'; did you swap run and judgments?"),
    (["trec_eval", "run", "qrels"], "'007 0 b 1'; did you swap run and judgments?"),
    (["evaluate", "qrels", "run", "nDCG@10"], "nDCG@10: no such file; did you mean the measure -m nDCG@10?"),
    (["verify", "qrels", "run", "AP"], "AP: no such file; did you mean the measure -m AP?"),
    (["evaluate", "qrels", "run", "-m", "nDCG@10 AP"], "measure 'nDCG@10 AP' holds 2 measures: pass each of them as"),
    (["explain", "qrels", "run", "-q", "08", "-m", "AP", "--missing", "skip"], "query '08' is not in the rankings"),
    (["explain", "qrels", "run", "-q", "9", "-m", "AP", "--gains", "1=2"], "no measure of the call uses gains"),
    (["evaluate", "qrels", "other.csv"], "the run: missing columns query_id, doc_id, got topic, document"),
    (
        ["verify", "qrels", "run", "-m", "xyzzy"],
        "unknown measure 'xyzzy'; to list all measures, run ltr-sql measures",
    ),
    (["verify", "qrels", "broken"], "broken, line 7: 3 columns"),
    (["sql", "nope@3"], "unknown measure 'nope@3'"),
]


@pytest.mark.parametrize(("words", "message"), ERRORS, ids=lambda value: " ".join(value)[:40])
def test_an_error_is_one_line(words: list[str], message: str, folder: Path) -> None:
    (folder / "other.csv").write_text("topic,document\n1,2\n", encoding="utf-8")
    result = run(*words)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


USAGE_ERRORS: list[tuple[list[str], str]] = [
    (["evaluate"], "Missing argument 'QRELS'."),
    (["evaluate", "qrels"], "Missing argument 'RUNS...'."),
    (["evaluate", "qrels", "nope"], "'nope' does not exist: no such file in "),
    (["evaluate", "nope", "run"], "'nope' does not exist: no such file in "),
    (
        ["evaluate", "qrels", "run", "--format", "xml"],
        "'xml' is not one of 'table', 'csv', 'json', 'markdown', 'trec'.",
    ),
    (["evaluate", "qrels", "run", "--ties", "x"], "'x' is not one of 'docid_desc', 'docid_asc'"),
    (["evaluate", "qrels", "run", "--missing", "x"], "'x' is not one of 'zero', 'skip'."),
    (["evaluate", "qrels", "run", "--nope"], "--nope"),
    (["verify", "qrels"], "Missing argument 'RUNS...'."),
    (["sql", "AP", "--dialect", "x"], "Invalid value for '--dialect'"),
    (["nope"], "No such command 'nope'."),
    (["evaluat", "qrels"], "No such command 'evaluat'. Did you mean 'evaluate'?"),
    (["compare"], "Example: ltr-sql compare qrels.txt old.txt new.txt -m nDCG@10,RR"),
    (["explain"], "Example: ltr-sql explain qrels.csv run.csv -q QUERY -m MEASURE"),
]


@pytest.mark.parametrize(("words", "message"), USAGE_ERRORS, ids=lambda value: " ".join(value)[:40])
def test_wrong_usage(words: list[str], message: str, folder: Path) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.startswith("Usage: ltr-sql")
    assert message in " ".join(result.stderr.splitlines()[-2:])


def test_help_and_version() -> None:
    for words in ([], ["evaluate"], ["verify"], ["measures"], ["sql"]):
        assert printed(*words, "--help").startswith(f"Usage: {' '.join(['ltr-sql', *words])}")
    assert "0.1" in printed("--version")


# Standard input, pipes and interruptions


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="reads /dev/stdin")
@pytest.mark.parametrize("packed", [False, True])
def test_standard_input(packed: bool, folder: Path) -> None:
    text = gzip.compress(RUN.encode()) if packed else RUN.encode()
    for words in (["evaluate", "qrels", "-", "-m", "AP", "--format", "trec"], ["trec_eval", "qrels", "-", "-mmap"]):
        script = "from ltr_sql.command_line.main import main; main()"
        env = {**os.environ, "PYTHONPATH": str(Path(ltr_sql.__file__).parents[1])}
        done = subprocess.run(
            [sys.executable, "-c", script, *words], input=text, capture_output=True, check=True, env=env
        )
        assert done.stdout.decode() == printed(*("run" if word == "-" else word for word in words))


@pytest.mark.default("evaluate")
@pytest.mark.skipif(os.name != "posix", reason="makes a named pipe")
@pytest.mark.parametrize("command", ["evaluate", "verify", "check", "explain", "conventions", "trec_eval"])
def test_named_pipes(command: str, folder: Path) -> None:
    options = {"explain": ["-q", "9", "-m", "AP"], "trec_eval": ["-m", "runid", "-m", "map"]}.get(command, ["-m", "AP"])
    os.mkfifo(folder / "pipe")
    with ThreadPoolExecutor() as pool:
        pool.submit((folder / "pipe").write_text, RUN, "utf-8")
        result = run(command, "qrels", "pipe", *options)
    assert (result.exit_code, result.stdout) == (0, run(command, "qrels", "run", *options).stdout)


@pytest.mark.parametrize(
    "raised", [KeyboardInterrupt(), duckdb.InterruptException("Interrupted!"), RuntimeError("Query interrupted")]
)
def test_an_interruption_is_one_line(raised: BaseException, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise raised

    monkeypatch.setattr("ltr_sql.command_line.evaluate.evaluated", interrupted)
    result = run("evaluate", "qrels", "run")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "Interrupted\n")


@pytest.mark.slow
def test_run_ids_name_systems(folder: Path) -> None:
    (folder / "x.txt").write_text(RUN.replace(" t\n", " z\n"), encoding="utf-8")
    (folder / "y.csv").write_text("query_id,doc_id,score\n9,a,1\n", encoding="utf-8")
    (folder / "both").write_text(RUN.replace(" t\n", " z\n") + RUN, encoding="utf-8")
    for files, systems in (
        (["x.txt", "run"], ["z", "t"]),
        (["run", "x.txt"], ["t", "z"]),
        (["run", "other.txt"], ["run", "other"]),
        (["x.txt", "y.csv"], ["x", "y"]),
        (["both"], ["z", "t"]),
    ):
        rows = rows_of_csv(printed("evaluate", "qrels", *files, "-m", "AP", "--format", "csv"))
        assert [row["system"] for row in rows] == systems


@pytest.mark.slow
def test_keys(folder: Path) -> None:
    lines = ["query_id,doc_id,score,day,shop"] + [f"9,a,1,{day},{shop}" for day in ("2", "10") for shop in "ab"]
    (folder / "keyed.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = rows_of_csv(printed("evaluate", "qrels", "keyed.csv", "-m", "RR", "--keys", "day, shop", "--format", "csv"))
    assert [(row["day"], row["shop"]) for row in rows] == [("10", "a"), ("10", "b"), ("2", "a"), ("2", "b")]
    assert "1 of 1 measure equal" in printed("verify", "qrels", "keyed.csv", "-m", "RR", "--keys", "day,shop")
    assert "finding" in run("check", "qrels", "keyed.csv", "-m", "RR", "--keys", "day,shop").stdout
    assert run("evaluate", "qrels", "keyed.csv", "--keys", "nope").exit_code == 2


@pytest.mark.slow
def test_columns(folder: Path) -> None:
    (folder / "theirs.csv").write_text("user_id,item_id,score\n9,b,1\n9,a,0.5\n", encoding="utf-8")
    (folder / "clicks.csv").write_text("user_id,item_id\n9,a\n", encoding="utf-8")
    words = ["clicks.csv", "theirs.csv", "-m", "RR", "--columns", "user_id=query_id, item_id=doc_id"]
    (row,) = rows_of_csv(printed("evaluate", *words, "--format", "csv"))
    assert row["RR"] == "0.5"
    assert "1 of 1 measure equal" in printed("verify", *words)
    (folder / "others.csv").write_text("user_id,item_id,score\n9,a,1\n", encoding="utf-8")
    (row,) = rows_of_csv(run("compare", "clicks.csv", "others.csv", *words[1:], "--format", "csv").stdout)
    assert (row["mean_a"], row["mean_b"]) == ("1.0", "0.5")
    assert "or pass --columns user_id=query_id,item_id=doc_id" in run("evaluate", *words[:2]).stderr
    assert "write THEIRS=OURS, as in user_id=query_id" in run("evaluate", *words[:2], "--columns", "user_id").stderr


@pytest.mark.slow
def test_explain_under_conventions_and_gains(folder: Path) -> None:
    for options, python in (
        (["--convention", "lightgbm"], {"convention": "lightgbm"}),
        (["--gains", "1=1,2=7"], {"gains": {1: 1, 2: 7}}),
        (["--convention", "lightgbm", "--ties", "docid_asc"], {"convention": "lightgbm", "ties": "docid_asc"}),
    ):
        words = ["qrels", "run", "-m", "nDCG@10", "--format", "csv"]
        explained = rows_of_csv(printed("explain", *words, "-q", "007", *options))
        evaluated = rows_of_csv(printed("evaluate", *words, "--by-query", *options))
        value = next(float(row["nDCG@10"]) for row in evaluated if row["query_id"] == "007")
        assert float(explained[-1]["running"]) == near(value)
        frame = ltr_sql.explain("run", "007", "nDCG@10", qrels="qrels", **python)
        assert frame["running"].iloc[-1] == near(value)


@pytest.mark.default(
    "trec_eval -c -m map-c o u n t   a s   0",
    "trec_eval -m map-a r e   l e f t   o u t   w i t h o u t   - c",
    "verify -m AP-c o u n t   a s   0",
)
@pytest.mark.parametrize(
    ("options", "consequence"),
    [
        (["verify", "-m", "AP"], "count as 0"),
        (["conventions", "-m", "AP"], "count as 0 or are left out, depending on the convention"),
        (["trec_eval", "-m", "map"], "are left out without -c"),
        (["trec_eval", "-c", "-m", "map"], "count as 0"),
    ],
    ids=" ".join,
)
def test_queries_of_one_file_only_get_a_warning(options: list[str], consequence: str, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("both 0 d1 1\njudged 0 d1 1\n")
    (tmp_path / "run").write_text("both Q0 d1 1 1.0 r\nretrieved Q0 d1 1 1.0 r\n")
    files = [str(tmp_path / name) for name in ("qrels", "run")]
    result = CliRunner().invoke(main, [options[0], *files, *options[1:]])
    assert result.exit_code == 0
    warning_lines = re.split(r"\n(?=Warning)", result.stderr.rstrip())
    assert len(warning_lines) == 2
    assert all(line.count("\nWhat to do: ") == line.count("\n") <= 1 for line in warning_lines)
    assert warning_lines[0].startswith("Warning: queries of the run have no judgments: they are left out (1): ")
    assert warning_lines[1].startswith(f"Warning: judged queries are not in the run: they {consequence} (1): ")
    # Only verify has an option `missing` to advise.
    assert ("--missing skip" in warning_lines[1]) == (options[0] == "verify")


def loaded_modules(code: str) -> set[str]:
    """Return the modules that a new process has loaded after running some code."""
    call = [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules, file=sys.stderr)"]
    environment = os.environ | {"PYTHONPATH": str(BUNDLE.parents[1])}
    done = subprocess.run(call, cwd=BUNDLE.parents[1], env=environment, capture_output=True, text=True, check=True)
    return {*done.stderr.split()}


@pytest.mark.slow
def test_what_is_not_needed_is_not_loaded() -> None:
    assert not {"duckdb", "jinja2", "numpy", "pandas"} & loaded_modules("import ltr_sql")
    evaluate = ["evaluate", *(f"examples/data/{name}.txt" for name in ("qrels", "bm25"))]
    loaded = loaded_modules(f"from ltr_sql.command_line.main import main; main({evaluate}, standalone_mode=False)")
    assert "duckdb" in loaded
    assert (
        not {
            "numpy",
            "pandas",
            "ltr_sql.comparison.compare",
            "ltr_sql.comparison.gates",
            "ltr_sql.evaluation.explanation",
        }
        & loaded
    )


@pytest.mark.slow
@pytest.mark.parametrize(("command", "unneeded"), [("check", {"numpy", "pandas"}), ("verify", {"pandas"})])
def test_a_command_loads_no_data_frames(command: str, unneeded: set[str]) -> None:
    words = [command, *(f"examples/data/{name}.txt" for name in ("qrels", "bm25"))]
    loaded = loaded_modules(f"from ltr_sql.command_line.main import main\ntry: main({words})\nexcept SystemExit: ...")
    assert "duckdb" in loaded
    assert not unneeded & loaded


@pytest.mark.default("measures-columns3")
@pytest.mark.parametrize(
    ("command", "columns"),
    [
        ("check qrels run", ["severity", "what", "how_many", "first_rows", "what_to_do"]),
        ("conventions qrels run -m RR -m AP", ["measure", "convention", "value", "differs_because_of"]),
        ("verify qrels run -m RR", ["measure", "queries", "largest_difference", "verdict"]),
        ("measures", ["measure", "parameters", "aliases", "summary"]),
        ("explain qrels run -q 007 -m RR --wide", []),
        ("evaluate qrels run -m RR", ["queries", "RR"]),
    ],
)
def test_formats(command: str, columns: list[str], folder: Path) -> None:
    """All commands that print a table take the same formats, with the same rows."""
    texts = {style: run(*command.split(), "--format", style).stdout for style in ("table", "csv", "json", "markdown")}
    rows = json.loads(texts["json"])
    assert [*rows[0]][: len(columns)] == columns
    header, *lines = csv.reader(io.StringIO(texts["csv"]))
    assert (header, len(lines)) == ([*rows[0]], len(rows))
    assert [name.strip() for name in texts["markdown"].split("|")[1 : len(header) + 1]] == header
    assert texts["markdown"].count("\n") == len(rows) + 2
    assert run(*command.split()).stdout == texts["table"]
    refused = run(*command.split(), "--format", "xml")
    assert (refused.exit_code, "'table', 'csv', 'json', 'markdown'" in refused.stderr) == (2, True)


def test_the_table_of_verify_shows_small_differences(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reciprocal = oracle.rr
    monkeypatch.setattr(oracle, "rr", lambda rank, relevance, **values: reciprocal(rank, relevance, **values) + 1e-6)
    for style in ("table", "markdown"):
        result = run("verify", "qrels", "run", "-m", "RR", "--format", style)
        assert (result.exit_code, "1.0e-06" in result.stdout) == (1, True)
