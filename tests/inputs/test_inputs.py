"""Inputs: files, data frames, relations and dicts with equal contents have equal values."""

import datetime
import gzip
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import ltr_sql
from ltr_sql.evaluation import accuracy
from ltr_sql.evaluation.accuracy import in_rank_order
from ltr_sql.inputs.containers import types_of_columns
from ltr_sql.inputs.session import session
from ltr_sql.inputs.text_files import plain_file

# Runs here lack judged queries and have queries without judgments, which test_check.py tests.
pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")

Row = dict[str, Any]
Scores = Mapping[str, Mapping[str, float]]

# Some ids are equal as numbers, but differ as text. Documents 2 and 01 are tied, and 5 and 05. In query 007, document 1
# is unjudged and 99 is not retrieved. Query 08 is missing from the run, and query 7 has no judgments.
RUN: Scores = {"007": {"10": 5.0, "2": 4.0, "01": 4.0, "1": 1.0}, "9": {"05": 0.5, "5": 0.5}, "7": {"3": 1.0}}
QRELS: Scores = {"007": {"10": 0, "2": 1, "01": 2, "99": 1}, "08": {"1": 1}, "9": {"05": 2, "5": 0}}
# Ties are broken by descending doc_id: 2 before 01, 5 before 05.
RANKS: Scores = {"007": {"10": 1, "2": 2, "01": 3, "1": 4}, "9": {"5": 1, "05": 2}, "7": {"3": 1}}

MEASURES = ["AP", "RR", "P@5", "R@5", "nDCG@10"]
LOG3 = math.log2(3)
BY_QUERY: dict[str, list[float]] = {
    "007": [(1 / 2 + 2 / 3) / 3, 1 / 2, 2 / 5, 2 / 3, (1 / LOG3 + 2 / 2) / (2 + 1 / LOG3 + 1 / 2)],
    "08": [0, 0, 0, 0, 0],
    "9": [1 / 2, 1 / 2, 1 / 5, 1, (2 / LOG3) / 2],
}
# Values without document 99 and query 08.
SCORED_BY_QUERY: dict[str, list[float]] = {
    "007": [(1 / 2 + 2 / 3) / 2, 1 / 2, 2 / 5, 1, (1 / LOG3 + 2 / 2) / (2 + 1 / LOG3)],
    "9": BY_QUERY["9"],
}


def rows(scores: Scores, value: str) -> list[Row]:
    return [{"query_id": q, "doc_id": d, value: v} for q, documents in scores.items() for d, v in documents.items()]


RUN_ROWS = rows(RUN, "score")
QRELS_ROWS = rows(QRELS, "relevance")
RANK_ROWS = rows(RANKS, "rank")
RANKINGS_ROWS: list[Row] = [
    *(
        {"query_id": q, "rank": rank, "relevance": QRELS[q].get(d)}
        for q, documents in RANKS.items()
        if q in QRELS
        for d, rank in documents.items()
    ),
    {"query_id": "007", "rank": None, "relevance": 1},
    {"query_id": "08", "rank": None, "relevance": 1},
]
SCORED_ROWS: list[Row] = [
    {**row, "relevance": QRELS[row["query_id"]].get(row["doc_id"])} for row in RUN_ROWS if row["query_id"] in QRELS
]


def records(frame: Any) -> list[Row]:
    """Return the rows of a data frame of any library."""
    if isinstance(frame, pl.DataFrame):
        return frame.to_dicts()
    if isinstance(frame, pa.Table):
        return list(frame.to_pylist())
    assert isinstance(frame, pd.DataFrame)
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def assert_rows(frame: Any, expected: Sequence[Row]) -> None:
    found = records(frame)
    assert [list(row) for row in found] == [list(row) for row in expected]
    for row, wanted in zip(found, expected, strict=True):
        for name, value in wanted.items():
            if isinstance(value, float):
                assert row[name] == pytest.approx(value, rel=0, abs=1e-12), (name, row)
            else:
                assert row[name] == value, (name, row)


def assert_values(
    rankings: Any, *, by_query: Mapping[str, Sequence[float]] = BY_QUERY, systems: Sequence[str] = (), **options: Any
) -> Any:
    """Compare values by query with values worked out by hand, and return their data frame."""
    labels: list[Row] = [{"system": system} for system in systems] or [{}]
    each = [
        {**label, "query_id": query, **dict(zip(MEASURES, map(float, values), strict=True))}
        for label in labels
        for query, values in by_query.items()
    ]
    frame = ltr_sql.evaluate(rankings, MEASURES, by_query=True, **options)
    assert_rows(frame, each)
    return frame


def assert_means(rankings: Any, qrels: Any) -> None:
    """Compare means over queries with those of the values worked out by hand."""
    means = [sum(column) / len(BY_QUERY) for column in zip(*BY_QUERY.values(), strict=True)]
    expected = {"queries": len(BY_QUERY), **dict(zip(MEASURES, map(float, means), strict=True))}
    assert_rows(ltr_sql.evaluate(rankings, MEASURES, qrels=qrels), [expected])


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """Connection of a caller with a run and judgments as tables."""
    with duckdb.connect() as connection:
        connection.execute("create table run (query_id varchar, doc_id varchar, score double)")
        connection.execute("create table qrels (query_id varchar, doc_id varchar, relevance integer)")
        connection.executemany("insert into run values (?, ?, ?)", [list(row.values()) for row in RUN_ROWS])
        connection.executemany("insert into qrels values (?, ?, ?)", [list(row.values()) for row in QRELS_ROWS])
        yield connection


def table(sql: str) -> duckdb.DuckDBPyRelation:
    """Return a relation of a new connection, which the relation keeps open."""
    return duckdb.connect().sql(sql)


# TREC text

Lines = list[list[str]]

RUN_LINES = [[row["query_id"], "Q0", row["doc_id"], "1", str(row["score"]), "tag"] for row in RUN_ROWS]
QRELS_LINES = [[row["query_id"], "0", row["doc_id"], str(row["relevance"])] for row in QRELS_ROWS]
# Leading lines that change no value: a query without judgments, and documents with grade 0.
RUN_PADDING = [["7", "Q0", f"pad{i}", "1", "0.1", "tag"] for i in range(150)]
QRELS_PADDING = [["007", "0", f"pad{i}", "0"] for i in range(150)]


def joined(separator: str, before: str = "", end: str = "\n") -> Callable[[Lines], str]:
    return lambda lines: "".join(f"{before}{separator.join(fields)}{end}" for fields in lines)


def mixed(lines: Lines) -> str:
    """Join each line with different separators."""
    blanks = [" ", "\t", "  ", "\t\t", " \t "]
    ends = ["\n", " \n", "\t\n", "\n\n"]
    return "".join(
        blanks[i % 5].join(fields[:2]) + blanks[(i + 1) % 5] + blanks[i % 5].join(fields[2:]) + ends[i % 4]
        for i, fields in enumerate(lines)
    )


TREC: dict[str, Callable[[Lines], str]] = {
    "spaces": joined(" "),
    "tabs": joined("\t"),
    "runs of blanks": joined(" \t  "),
    "double spaces": joined("  "),
    "trailing blank": joined(" ", end=" \n"),
    "trailing blanks": joined(" ", end=" \t \n"),
    "trailing tab": joined("\t", end="\t\n"),
    "leading blanks": joined(" ", before="  "),
    "CRLF": joined(" ", end="\r\n"),
    "CRLF and tabs": joined("\t", end="\r\n"),
    "CRLF and trailing blanks": joined(" ", end="  \r\n"),
    "empty lines": joined(" ", end="\n\n"),
    "blank lines": joined(" ", end="\n  \n"),
    "mixed": mixed,
    "no last newline": lambda lines: joined(" ")(lines).rstrip("\n"),
    "no last newline, runs of blanks": lambda lines: joined("   ")(lines).rstrip("\n"),
    "byte order mark": lambda lines: "\ufeff" + joined(" ")(lines),
}
# Formats of the lines after 150 regular lines.
LATE: dict[str, Callable[[Lines], str]] = {
    "runs of blanks": joined("   "),
    "blanks and tabs": joined(" \t  "),
    "one tab": lambda lines: joined(" ")(lines).replace(" ", "\t", 1),
    "mixed": mixed,
    "tabs": joined("\t"),
    "trailing blank": joined(" ", end=" \n"),
    "leading blank": joined(" ", before=" "),
    "empty lines": joined(" ", end="\n\n"),
}


def write(path: Path, text: str) -> Path:
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.default(
    "trailing blank-",
    "trailing tab-",
    "CRLF-",
    "CRLF and trailing blanks-",
    "no last newline-",
    "byte order mark-",
    "CRLF-.txt.gz",
    "spaces-.gz",
)
@pytest.mark.parametrize(
    ("form", "suffix"),
    [
        *[(form, "") for form in TREC],
        ("CRLF", ".txt.gz"),
        ("spaces", ".gz"),
        *(pytest.param(form, ".txt.gz", marks=pytest.mark.slow) for form in ("spaces", "tabs", "mixed")),
    ],
)
def test_trec_text(form: str, suffix: str, tmp_path: Path) -> None:
    run = write(tmp_path / f"run{suffix}", TREC[form](RUN_LINES))
    qrels = write(tmp_path / f"qrels{suffix}", TREC[form](QRELS_LINES))
    assert_values(str(run), qrels=str(qrels))


@pytest.mark.default("runs of blanks-")
@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("form", LATE)
def test_trec_text_irregular_after_line_150(form: str, suffix: str, tmp_path: Path) -> None:
    run = write(tmp_path / f"run{suffix}", joined(" ")(RUN_PADDING) + LATE[form](RUN_LINES))
    qrels = write(tmp_path / f"qrels{suffix}", joined(" ")(QRELS_PADDING) + LATE[form](QRELS_LINES))
    assert_values(str(run), qrels=str(qrels))


def test_trec_text_irregular_in_one_of_several_files(tmp_path: Path) -> None:
    regular = write(tmp_path / "regular", joined(" ")(RUN_LINES))
    late = write(tmp_path / "late", joined(" ")(RUN_PADDING) + joined("   ")(RUN_LINES))
    tabs = write(tmp_path / "tabs", joined("\t")(RUN_LINES))
    runs = {"a": late, "b": regular, "c": tabs, "d": RUN}
    assert_values(runs, qrels=QRELS, systems=["a", "b", "c", "d"])


def test_trec_text_zst(tmp_path: Path) -> None:
    paths = {"run": tmp_path / "run.zst", "qrels": tmp_path / "qrels.zst"}
    with duckdb.connect() as con:
        for name, lines in (("run", RUN_LINES), ("qrels", QRELS_LINES)):
            values = ", ".join("(" + ", ".join(f"'{field}'" for field in line) + ")" for line in lines)
            options = "format csv, delim ' ', header false, quote '', escape '', compression zstd"
            con.execute(f"copy (from (values {values})) to '{paths[name]}' ({options})")
    assert_values(str(paths["run"]), qrels=str(paths["qrels"]))


def test_the_first_fields_of_trec_lines_count(tmp_path: Path) -> None:
    """A run tag with blanks adds columns, which are ignored."""
    run = write(tmp_path / "run", joined(" ", end=" of mine\n")(RUN_LINES))
    assert_values(str(run), qrels=QRELS)


def test_trec_runs_are_ranked_by_score_not_by_their_rank_column(tmp_path: Path) -> None:
    lines = [[*fields[:3], str(100 - i), *fields[4:]] for i, fields in enumerate(RUN_LINES)]
    run = write(tmp_path / "run", joined(" ")(lines))
    assert_values(str(run), qrels=QRELS)


def test_the_second_column_of_trec_judgments_is_no_subtopic_unless_asked(tmp_path: Path) -> None:
    lines = [[fields[0], str(i), *fields[2:]] for i, fields in enumerate(QRELS_LINES)]
    qrels = write(tmp_path / "qrels", joined(" ")(lines))
    assert_values(RUN, qrels=str(qrels))


# Other files


def delimited(rows_: Sequence[Row], delimiter: str, quote: str = "") -> str:
    def field(value: object) -> str:
        text = "" if value is None else str(value)
        quoted = quote and not isinstance(value, int | float) and value is not None
        return f"{quote}{text.replace(quote, quote * 2)}{quote}" if quoted else text

    lines = [list(rows_[0]), *(list(row.values()) for row in rows_)]
    return "".join(delimiter.join(map(field, line)) + "\n" for line in lines)


FILES: dict[str, Callable[[Path, Sequence[Row]], Path]] = {
    "csv": lambda path, rows_: write(path.with_suffix(".csv"), delimited(rows_, ",")),
    "csv, quoted": lambda path, rows_: write(path.with_suffix(".csv"), delimited(rows_, ",", quote='"')),
    "csv, upper-case suffix": lambda path, rows_: write(path.with_suffix(".CSV"), delimited(rows_, ",")),
    "csv, capital letters": lambda path, rows_: write(path.with_suffix(".csv"), delimited(capitals(rows_), ",")),
    "csv, CRLF": lambda path, rows_: write(path.with_suffix(".csv"), delimited(rows_, ",").replace("\n", "\r\n")),
    "csv, byte order mark": lambda path, rows_: write(path.with_suffix(".csv"), "\ufeff" + delimited(rows_, ",")),
    "csv, semicolons": lambda path, rows_: write(path.with_suffix(".csv"), delimited(rows_, ";")),
    "csv.gz": lambda path, rows_: write(path.with_suffix(".csv.gz"), delimited(rows_, ",")),
    "tsv": lambda path, rows_: write(path.with_suffix(".tsv"), delimited(rows_, "\t")),
    "tsv.gz": lambda path, rows_: write(path.with_suffix(".tsv.gz"), delimited(rows_, "\t")),
    "jsonl": lambda path, rows_: write(path.with_suffix(".jsonl"), json_lines(rows_)),
    "jsonl, capital letters": lambda path, rows_: write(path.with_suffix(".jsonl"), json_lines(capitals(rows_))),
    "jsonl.gz": lambda path, rows_: write(path.with_suffix(".jsonl.gz"), json_lines(rows_)),
    "ndjson": lambda path, rows_: write(path.with_suffix(".ndjson"), json_lines(rows_)),
    "json": lambda path, rows_: write(path.with_suffix(".json"), json.dumps(list(rows_))),
    "parquet": lambda path, rows_: write_parquet(path.with_suffix(".parquet"), rows_),
    "parquet, capital letters": lambda path, rows_: write_parquet(path.with_suffix(".parquet"), capitals(rows_)),
}


def capitals(rows_: Iterable[Row]) -> list[Row]:
    """Return the rows with names such as Query_Id."""
    return [{name.title(): value for name, value in row.items()} for row in rows_]


def json_lines(rows_: Iterable[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows_)


def write_parquet(path: Path, rows_: Sequence[Row]) -> Path:
    pl.DataFrame(rows_).write_parquet(path)
    return path


each_file = pytest.mark.parametrize("form", FILES)
some_files = pytest.mark.parametrize("form", ["csv", "csv, quoted", "tsv.gz", "jsonl", "parquet"])


@pytest.mark.default("csv, semicolons")
@each_file
def test_files_of_run_and_judgments(form: str, tmp_path: Path) -> None:
    run = FILES[form](tmp_path / "run", RUN_ROWS)
    qrels = FILES[form](tmp_path / "qrels", QRELS_ROWS)
    assert isinstance(assert_values(str(run) if "gz" in form else run, qrels=qrels), pd.DataFrame)
    assert_means(run, qrels)


@some_files
def test_files_of_runs_with_ranks(form: str, tmp_path: Path) -> None:
    assert_values(FILES[form](tmp_path / "run", RANK_ROWS), qrels=QRELS)


@some_files
def test_files_of_rankings(form: str, tmp_path: Path) -> None:
    assert_values(FILES[form](tmp_path / "rankings", RANKINGS_ROWS))


@some_files
def test_files_of_scored_tables(form: str, tmp_path: Path) -> None:
    assert_values(FILES[form](tmp_path / "scored", SCORED_ROWS), by_query=SCORED_BY_QUERY)


@pytest.mark.slow
def test_files_of_unlike_kinds(tmp_path: Path) -> None:
    qrels = write(tmp_path / "qrels.txt", joined("\t")(QRELS_LINES))
    for write_file in FILES.values():
        assert_values(write_file(tmp_path / "run", RUN_ROWS), qrels=qrels)


@pytest.mark.slow
def test_paths_may_have_blanks_and_quotes(tmp_path: Path) -> None:
    folder = tmp_path / 'it\'s my "run"'
    folder.mkdir()
    for write_file in list(FILES.values())[::3]:
        assert_values(write_file(folder / "ru'n", RUN_ROWS), qrels=write_file(folder / "q rels", QRELS_ROWS))
    run = write(folder / "ru'n", mixed(RUN_LINES))
    assert_values(run, qrels=write(folder / "q rels", joined(" ")(QRELS_LINES)))


def test_csv_ids_are_text(tmp_path: Path) -> None:
    """As numbers, 007 and 7 would be equal, and so would 01 and 1."""
    run = write(tmp_path / "run.csv", "query_id,doc_id,score\n7,1,2\n7,01,1\n007,1,1\n007,01,2\n")
    qrels = write(tmp_path / "qrels.csv", "query_id,doc_id,relevance\n007,01,1\n007,1,0\n7,01,1\n7,1,0\n")
    frame = ltr_sql.evaluate(run, ["RR"], qrels=qrels, by_query=True)
    assert records(frame) == [{"query_id": "007", "RR": 1.0}, {"query_id": "7", "RR": 0.5}]


@pytest.mark.default("csv-null", "csv-NA", "csv-nan", "csv-true", "csv-2024-01-01", "csv-1e5", "csv-0x10", "csv-inf")
@pytest.mark.parametrize("identifier", ["null", "NA", "nan", "None", "true", "2024-01-01", "1e5", "0x10", "inf"])
@pytest.mark.parametrize("form", ["csv", "tsv", "trec"])
def test_text_ids_that_look_like_something_else(form: str, identifier: str, tmp_path: Path) -> None:
    run_rows = [{"query_id": identifier, "doc_id": d, "score": s} for d, s in ((identifier, 1.0), ("other", 2.0))]
    if form == "trec":
        run = write(tmp_path / "run", f"{identifier} Q0 {identifier} 1 1.0 t\n{identifier} Q0 other 1 2.0 t\n")
    else:
        run = FILES[form](tmp_path / "run", run_rows)
    frame = ltr_sql.evaluate(run, ["RR"], qrels={identifier: {identifier: 1}}, by_query=True)
    assert records(frame) == [{"query_id": identifier, "RR": 0.5}]


# Data frames

KINDS: dict[str, Callable[[Sequence[Row]], Any]] = {
    "pandas": lambda rows_: pd.DataFrame(list(rows_)),
    "polars": lambda rows_: pl.DataFrame(list(rows_)),
    "pyarrow": lambda rows_: pa.Table.from_pylist(list(rows_)),
}
FRAMES: dict[str, type[Any]] = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}

each_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.default("without con-pyarrow")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("own", [True, False], ids=["without con", "with con"])
def test_data_frames(kind: str, own: bool, con: duckdb.DuckDBPyConnection) -> None:
    frame = KINDS[kind]
    options: dict[str, Any] = {} if own else {"con": con}
    results = [
        assert_values(frame(RUN_ROWS), qrels=frame(QRELS_ROWS), **options),
        assert_values(frame(RANK_ROWS), qrels=frame(QRELS_ROWS), **options),
        assert_values(frame(RANKINGS_ROWS), **options),
        assert_values(frame(SCORED_ROWS), by_query=SCORED_BY_QUERY, **options),
        assert_values(frame(RUN_ROWS), qrels=QRELS, **options),
        assert_values(RUN, qrels=frame(QRELS_ROWS), **options),
    ]
    assert {type(result) for result in results} == {FRAMES[kind]}


@pytest.mark.default("pyarrow")
@each_kind
def test_data_frames_and_files(kind: str, tmp_path: Path) -> None:
    qrels = write(tmp_path / "qrels", joined(" ")(QRELS_LINES))
    assert isinstance(assert_values(KINDS[kind](RUN_ROWS), qrels=qrels), FRAMES[kind])
    assert_means(KINDS[kind](RUN_ROWS), qrels)


@pytest.mark.default("pandas", "pyarrow")
@each_kind
def test_data_frames_are_left_alone(kind: str) -> None:
    run, qrels = KINDS[kind](RUN_ROWS), KINDS[kind](QRELS_ROWS)
    assert_values(run, qrels=qrels)
    assert records(run) == RUN_ROWS
    assert records(qrels) == QRELS_ROWS


@pytest.mark.default("pandas", "pyarrow")
@each_kind
def test_more_columns_and_another_order_of_rows_change_nothing(kind: str) -> None:
    run = [{"score": row["score"], "note": "x", **row, "k": 1, "rel": 9, "gain": "y"} for row in reversed(RUN_ROWS)]
    qrels = [{**row, "note": "z", "score": -1.0, "rank": 7} for row in reversed(QRELS_ROWS)]
    assert_values(KINDS[kind](run), qrels=KINDS[kind](qrels))
    assert_values(KINDS[kind](RANKINGS_ROWS[::-1]))
    assert_values(KINDS[kind](SCORED_ROWS[::-1]), by_query=SCORED_BY_QUERY)


@pytest.mark.default("pandas", "pyarrow")
@each_kind
def test_ranks_take_precedence_over_scores(kind: str) -> None:
    run = [{**row, "score": -(row["rank"] ** 2) % 5} for row in RANK_ROWS]
    assert_values(KINDS[kind](run), qrels=QRELS)


def test_other_objects_of_polars_and_pyarrow() -> None:
    assert isinstance(assert_values(pl.LazyFrame(RUN_ROWS), qrels=pl.LazyFrame(QRELS_ROWS)), pl.DataFrame)
    batch = pa.RecordBatch.from_pylist
    assert isinstance(assert_values(batch(RUN_ROWS), qrels=batch(QRELS_ROWS)), pa.Table)


def test_categories() -> None:
    run = pd.DataFrame(RUN_ROWS).astype({"query_id": "category", "doc_id": "category"})
    qrels = pd.DataFrame(QRELS_ROWS).astype({"query_id": "category", "doc_id": "category"})
    assert_values(run, qrels=qrels)
    assert_values(run, qrels=QRELS)
    ids = pl.col("query_id", "doc_id").cast(pl.Categorical)
    assert_values(pl.DataFrame(RUN_ROWS).with_columns(ids), qrels=pl.DataFrame(QRELS_ROWS).with_columns(ids))


@pytest.mark.parametrize("kind", [pl.Float32, pl.Int8, pl.UInt8, pl.Int64, pl.UInt64, pl.Decimal(10, 2)])
def test_types_of_numbers(kind: Any) -> None:
    run = pl.DataFrame(RUN_ROWS).with_columns((pl.col("score") * 2).cast(kind))
    assert_values(run, qrels=pl.DataFrame(QRELS_ROWS).with_columns(pl.col("relevance").cast(kind)))
    assert_values(pl.DataFrame(RANKINGS_ROWS).with_columns(pl.col("rank", "relevance").cast(kind)))


def test_types_of_columns_are_those_of_duckdb(con: duckdb.DuckDBPyConnection) -> None:
    arrays = {"f": np.array([0.5]), "i": np.array([1]), "j": np.array([1], np.int32)}
    columns: dict[str, Any] = {**arrays, "s": ["a"]}
    frame, table = pd.DataFrame(columns), pa.table({**columns, "l": pa.array(["b"], pa.large_string())})
    nullable = frame.astype({"f": "Float64", "i": "Int64", "j": "Int32", "s": "string"})
    for given in (arrays, frame, frame.head(0), nullable, pl.DataFrame(columns), table):
        con.register("given", given)
        described = {name: kind for name, kind, *_ in con.execute("describe from given").fetchall()}
        assert types_of_columns(given) == described
    for other in (frame.astype({"s": object}), frame.rename(columns={"i": "F"}), table.select(["f", "f"])):
        assert types_of_columns(other) is None
    assert types_of_columns({"f": np.zeros((2, 2))}) is None


def test_pandas_objects_and_nullable_numbers() -> None:
    for kind in ("object", "Int64", "float64"):
        rankings = pd.DataFrame(RANKINGS_ROWS)
        assert_values(rankings.astype({"rank": kind, "relevance": kind}))
        assert_values(RUN, qrels=pd.DataFrame(QRELS_ROWS).astype({"relevance": kind}))


def test_numbers_that_are_text() -> None:
    """As text, 9 would be larger than 10."""
    run = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": ["10", "9"]})
    qrels = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": ["10", "9"]})
    expected = [{"queries": 1, "RR(rel=10)": 1.0, "CG": 19.0}]
    for ties in ("docid_desc", "worst"):
        scored = run.assign(relevance=qrels["relevance"])
        assert_rows(ltr_sql.evaluate(scored, ["RR(rel=10)", "CG"], ties=ties), expected)
    assert_rows(ltr_sql.evaluate(run, ["RR(rel=10)", "CG"], qrels=qrels), expected)
    ranks = run.assign(rank=["10", "9"]).drop(columns="score")
    assert_rows(ltr_sql.evaluate(ranks, ["RR(rel=10)"], qrels=qrels), [{"queries": 1, "RR(rel=10)": 0.1}])


def test_binary_grades_may_be_booleans() -> None:
    qrels = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "relevance": [False, True]})
    run = {"q": {"a": 2.0, "b": 1.0}}
    frame = ltr_sql.evaluate(run, ["RR", "nDCG"], qrels=qrels)
    assert_rows(frame, [{"queries": 1, "RR": 0.5, "nDCG": 1 / LOG3}])


# DuckDB


def test_relations_without_their_connection(con: duckdb.DuckDBPyConnection) -> None:
    assert_values(con.table("run"), qrels=con.table("qrels"))
    assert_values(con.sql("from run where score > 0"), qrels=con.sql("select * from qrels"))
    assert_values(con.table("run"), qrels=QRELS)
    assert isinstance(assert_values(RUN, qrels=con.table("qrels")), pd.DataFrame)


def test_relations_with_their_connection(con: duckdb.DuckDBPyConnection) -> None:
    run = con.sql("from run where score > 0")
    assert_values(run, qrels=con.table("qrels"), con=con)
    assert_values(con.table("run"), qrels="qrels", con=con)
    assert isinstance(assert_values(run, qrels=QRELS, con=con), pd.DataFrame)
    assert run.count("score").fetchall() == [(len(RUN_ROWS),)]


def test_relations_with_null(con: duckdb.DuckDBPyConnection) -> None:
    values = ", ".join(
        f"('{row['query_id']}', {row['rank'] or 'null'}, {'null' if row['relevance'] is None else row['relevance']})"
        for row in RANKINGS_ROWS
    )
    rankings = con.sql(f"from (values {values}) as t(query_id, rank, relevance)")
    assert_values(rankings)
    assert_values(rankings, con=con)


@pytest.mark.slow
def test_names_of_tables(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create view run_view as from run where score > 0")
    con.execute("create temp table run_temp as from run")
    con.execute("create schema s; create table s.run as from run; create view s.qrels as from main.qrels")
    con.execute("attach ':memory:' as other; create table other.main.run as from run")
    for run in ("run", "run_view", "run_temp", "RUN", "main.run", "memory.main.run", "s.run", "other.main.run"):
        assert_values(run, qrels="qrels", con=con)
    assert_values("s.run", qrels="s.qrels", con=con)
    assert_values("run", qrels=QRELS, con=con)
    assert_values(RUN, qrels="qrels", con=con)


@pytest.mark.default("my run")
@pytest.mark.parametrize("name", ["my run", "order", "it's", "Ünïcode", "run; drop table qrels", "--", '"a.b"'])
def test_odd_names_of_tables(name: str, con: duckdb.DuckDBPyConnection) -> None:
    quoted = name if name.startswith('"') else f'"{name}"'
    con.execute(f"alter table run rename to {quoted}")
    assert_values(name, qrels="qrels", con=con)
    assert_values(quoted, qrels="qrels", con=con)


def test_names_of_registered_frames(con: duckdb.DuckDBPyConnection) -> None:
    con.register("frame", pl.DataFrame(RUN_ROWS))
    assert_values("frame", qrels="qrels", con=con)
    assert con.execute("select count(*) from frame").fetchall() == [(len(RUN_ROWS),)]


def test_tables_of_a_file_that_cannot_be_written(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    path = tmp_path / "data.duckdb"
    con.execute(f"attach '{path}' as file")
    con.execute("create table file.run as from run; create table file.qrels as from qrels; detach file")
    before = path.read_bytes()
    with duckdb.connect(path, read_only=True) as read_only:
        assert_values("run", qrels="qrels", con=read_only)
        assert_values(pd.DataFrame(RUN_ROWS), qrels="qrels", con=read_only)
    assert path.read_bytes() == before


def test_cursors(con: duckdb.DuckDBPyConnection) -> None:
    assert_values("run", qrels=pl.DataFrame(QRELS_ROWS), con=con.cursor())


def state_of(con: duckdb.DuckDBPyConnection) -> list[list[tuple[Any, ...]]]:
    queries = [
        "select schema_name, view_name, sql from duckdb_views() where not internal order by all",
        "select schema_name, table_name, sql from duckdb_tables() order by all",
        "select database_name, path from duckdb_databases() order by all",
        "select schema_name from duckdb_schemas() order by all",
        "select function_name from duckdb_functions() where not internal order by all",
        "select name, value from duckdb_settings() order by all",
        "from run order by all",
        "from qrels order by all",
    ]
    return [con.execute(query).fetchall() for query in queries]


@pytest.mark.slow
def test_the_connection_is_left_clean(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    con.execute("create view view_of_run as from run")
    path = write(tmp_path / "run", joined(" ")(RUN_PADDING) + joined("  ")(RUN_LINES))
    before = state_of(con)
    inputs = ["view_of_run", con.table("run"), RUN, path, *(kind(RUN_ROWS) for kind in KINDS.values())]
    for run in inputs:
        for qrels in ("qrels", QRELS, pl.DataFrame(QRELS_ROWS)):
            ltr_sql.evaluate(run, MEASURES, qrels=qrels, con=con)
    ltr_sql.evaluate({"a": RUN, "b": "run"}, MEASURES, qrels=QRELS, con=con)
    assert state_of(con) == before


def test_the_connection_is_left_clean_after_an_error(con: duckdb.DuckDBPyConnection) -> None:
    before = state_of(con)
    wrong: list[tuple[Any, dict[str, Any]]] = [
        (pd.DataFrame(RUN_ROWS), {}),
        (pd.DataFrame(RUN_ROWS), {"qrels": pd.DataFrame(RUN_ROWS)}),
        (pl.DataFrame(RUN_ROWS), {"qrels": QRELS, "keys": ["nope"]}),
        (pl.DataFrame(RUN_ROWS).drop("doc_id").with_columns(relevance=1, score=1), {}),
        ({"a": RUN, "b": "nope"}, {"qrels": QRELS}),
    ]
    for rankings, options in wrong:
        with pytest.raises(ltr_sql.InputError):
            ltr_sql.evaluate(rankings, MEASURES, con=con, **options)
    assert state_of(con) == before
    assert_values("run", qrels="qrels", con=con)


def test_a_transaction_of_the_caller_stays_open(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("begin; create table more as from run")
    assert_values("more", qrels=pd.DataFrame(QRELS_ROWS), con=con)
    con.execute("rollback")
    assert con.execute("select count(*) from duckdb_tables() where table_name = 'more'").fetchall() == [(0,)]
    assert_values("run", qrels="qrels", con=con)


def test_settings_of_the_caller_change_nothing(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("set default_null_order = 'nulls_first'; set default_order = 'desc'; set integer_division = true")
    means = ltr_sql.evaluate("run", MEASURES, qrels="qrels", con=con)
    assert_rows(means, records(ltr_sql.evaluate(RUN, MEASURES, qrels=QRELS)))


# Dicts


def test_dicts() -> None:
    assert isinstance(assert_values(RUN, qrels=QRELS), pd.DataFrame)


def test_dicts_of_numpy_numbers() -> None:
    run = {q: {d: np.float32(s) for d, s in documents.items()} for q, documents in RUN.items()}
    qrels = {q: {d: np.int64(s) for d, s in documents.items()} for q, documents in QRELS.items()}
    assert_values(run, qrels=qrels)


def test_dicts_with_a_query_without_documents() -> None:
    assert_values({"empty": {}, **RUN}, qrels={**QRELS, "none": {}})


def test_dicts_of_integer_ids() -> None:
    run = {1: {10: 1.0, 9: 1.0, 8: 0.5}}
    # As text, 9 is larger than 10.
    frame = ltr_sql.evaluate(run, ["RR"], qrels={1: {10: 1}}, by_query=True)
    assert records(frame) == [{"query_id": "1", "RR": 0.5}]


@pytest.mark.slow
def test_several_runs(tmp_path: Path, con: duckdb.DuckDBPyConnection) -> None:
    runs = {
        "frame": pl.DataFrame(RUN_ROWS),
        "dict": RUN,
        "text": write(tmp_path / "run", joined(" ")(RUN_LINES)),
        "csv": str(FILES["csv"](tmp_path / "run", RUN_ROWS)),
        "parquet": FILES["parquet"](tmp_path / "run", RUN_ROWS),
        "relation": con.table("run"),
        "arrow": pa.Table.from_pylist(RUN_ROWS),
        "it's": RUN,
        "Ünïcode": RUN,
    }
    assert_values(runs, qrels=QRELS, systems=list(runs))
    assert_values({**runs, "name": "run"}, qrels=QRELS, systems=[*runs, "name"], con=con)


def test_several_runs_that_differ() -> None:
    runs = {"good": {"q": {"a": 2.0, "b": 1.0}}, "bad": {"q": {"a": 1.0, "b": 2.0}}, "none": {"p": {"a": 1.0}}}
    frame = ltr_sql.evaluate(runs, ["RR", "P@1"], qrels={"q": {"a": 1}})
    expected = [
        {"system": "good", "queries": 1, "RR": 1.0, "P@1": 1.0},
        {"system": "bad", "queries": 1, "RR": 0.5, "P@1": 0.0},
        {"system": "none", "queries": 1, "RR": 0.0, "P@1": 0.0},
    ]
    assert_rows(frame, expected)
    skipped = ltr_sql.evaluate(runs, ["RR", "P@1"], qrels={"q": {"a": 1}}, missing="skip")
    assert_rows(skipped, expected[:2])


def test_several_runs_with_ranks_or_scores() -> None:
    runs = {"a": pd.DataFrame(RANK_ROWS), "b": pl.DataFrame(RANK_ROWS)}
    assert_values(runs, qrels=QRELS, systems=["a", "b"])


def test_several_runs_with_a_further_key() -> None:
    runs = {name: pd.DataFrame(RUN_ROWS).assign(fold=name * 2) for name in "ab"}
    frame = ltr_sql.evaluate(runs, ["AP"], qrels=QRELS, keys=["system", "fold"])
    assert [(row["system"], row["fold"]) for row in records(frame)] == [("a", "aa"), ("b", "bb")]


def test_names_of_runs_are_a_grouping_column() -> None:
    runs = {name: pd.DataFrame(RUN_ROWS).assign(fold=1) for name in "ab"}
    frame = ltr_sql.evaluate(runs, ["AP"], qrels=QRELS, keys=["fold"])
    assert [(row["system"], row["fold"], row["queries"]) for row in records(frame)] == [("a", 1, 3), ("b", 1, 3)]


def test_other_mappings() -> None:
    assert_values(MappingProxyType(dict(RUN)), qrels=MappingProxyType(dict(QRELS)))
    assert_values(MappingProxyType({"a": RUN, "b": RUN}), qrels=QRELS, systems=["a", "b"])


def test_names_of_runs_need_not_be_strings() -> None:
    frame = ltr_sql.evaluate({1: RUN, 2: RUN}, ["AP"], qrels=QRELS)
    assert [row["system"] for row in records(frame)] == ["1", "2"]


# Pairs

PAIRS_ROWS: list[Row] = [
    {"query_id": "q", "rank_a": 1, "rank_b": 2},
    {"query_id": "q", "rank_a": 2, "rank_b": 1},
    {"query_id": "q", "rank_a": 3, "rank_b": 3},
    {"query_id": "q", "rank_a": 4, "rank_b": None},
    {"query_id": "p", "rank_a": 1, "rank_b": 1},
    {"query_id": "p", "rank_a": 2, "rank_b": 2},
]
PAIRS_VALUES: list[Row] = [
    {"query_id": "p", "KendallTau": 1.0, "KendallDistance": 0.0, "Spearman": 1.0},
    {"query_id": "q", "KendallTau": 1 / 3, "KendallDistance": 1 / 3, "Spearman": 1 / 2},
]
AGREEMENT = ["KendallTau", "KendallDistance", "Spearman"]


@pytest.mark.default("pandas", "pyarrow")
@each_kind
def test_pairs(kind: str) -> None:
    frame = ltr_sql.evaluate(KINDS[kind](PAIRS_ROWS), AGREEMENT, by_query=True)
    assert_rows(frame, PAIRS_VALUES)
    assert isinstance(frame, FRAMES[kind])
    means = ltr_sql.evaluate(KINDS[kind](PAIRS_ROWS), AGREEMENT)
    assert_rows(means, [{"queries": 2, "KendallTau": 2 / 3, "KendallDistance": 1 / 6, "Spearman": 3 / 4}])


@some_files
def test_files_of_pairs(form: str, tmp_path: Path) -> None:
    assert_rows(ltr_sql.evaluate(FILES[form](tmp_path / "pairs", PAIRS_ROWS), AGREEMENT, by_query=True), PAIRS_VALUES)


def test_tables_of_pairs(con: duckdb.DuckDBPyConnection) -> None:
    con.register("pairs", pl.DataFrame(PAIRS_ROWS))
    assert_rows(ltr_sql.evaluate("pairs", AGREEMENT, by_query=True, con=con), PAIRS_VALUES)
    assert_rows(ltr_sql.evaluate(con.table("pairs"), AGREEMENT, by_query=True, con=con), PAIRS_VALUES)


def test_pairs_with_keys() -> None:
    pairs = pl.DataFrame([{"system": "s", **row} for row in PAIRS_ROWS])
    frame = ltr_sql.evaluate(pairs, AGREEMENT, keys=["system"])
    expected = {"system": "s", "queries": 2, "KendallTau": 2 / 3, "KendallDistance": 1 / 6, "Spearman": 3 / 4}
    assert_rows(frame, [expected])


# Ids

INTEGER_RUN = [{"query_id": q, "doc_id": d, "score": s} for q, d, s in ((1, 10, 1.0), (1, 9, 1.0), (2, 5, 1.0))]
INTEGER_QRELS = [{"query_id": 1, "doc_id": 10, "relevance": 1}, {"query_id": 2, "doc_id": 5, "relevance": 1}]


def with_text_ids(rows_: Sequence[Row]) -> list[Row]:
    return [{**row, "query_id": str(row["query_id"]), "doc_id": str(row["doc_id"])} for row in rows_]


@pytest.mark.default(
    "run-pandas",
    "run-pyarrow",
    "qrels-pandas",
    "qrels-pyarrow",
    "both-pandas",
    "both-pyarrow",
    "neither-pandas",
    "neither-pyarrow",
)
@each_kind
@pytest.mark.parametrize("text", ["run", "qrels", "both", "neither"])
def test_integer_ids_and_text_ids(text: str, kind: str) -> None:
    """Ties are broken by doc_id as text: 9 comes before 10."""
    run = KINDS[kind](with_text_ids(INTEGER_RUN) if text in ("run", "both") else INTEGER_RUN)
    qrels = KINDS[kind](with_text_ids(INTEGER_QRELS) if text in ("qrels", "both") else INTEGER_QRELS)
    frame = ltr_sql.evaluate(run, ["RR"], qrels=qrels, by_query=True)
    assert [str(row["query_id"]) for row in records(frame)] == ["1", "2"]
    assert [row["RR"] for row in records(frame)] == [0.5, 1.0]


def test_integers_of_several_widths() -> None:
    run = pd.DataFrame(INTEGER_RUN).astype({"query_id": "int32", "doc_id": "uint16"})
    assert [row["RR"] for row in records(ltr_sql.evaluate(run, ["RR"], qrels=pd.DataFrame(INTEGER_QRELS)))] == [0.75]


def test_integer_ids_against_files(tmp_path: Path) -> None:
    qrels = write(tmp_path / "qrels", "1 0 10 1\n2 0 5 1\n")
    assert [row["RR"] for row in records(ltr_sql.evaluate(pl.DataFrame(INTEGER_RUN), ["RR"], qrels=qrels))] == [0.75]


ODD_IDS = [
    "it's",
    'say "x"',
    "two words",
    "Ünïcode",
    "文書",
    "🦆",
    "a,b",
    "a\tb",
    "back\\slash",
    "%s{}",
    "",
    " ",
    "-- x",
]


@pytest.mark.default("pandas", "csv", "csv, capital letters", "csv, semicolons", "tsv.gz", "jsonl.gz", "parquet")
@pytest.mark.parametrize("form", [*KINDS, *FILES, "dict"])
def test_odd_ids(form: str, tmp_path: Path) -> None:
    ids = ODD_IDS
    if form.startswith(("csv", "tsv")):
        # An empty field is NULL, and an unquoted field cannot contain separators or quotes.
        ids = [x for x in ids if x.strip() and (form == "csv, quoted" or not re.search("[\"',\t]", x))]
    run: Any = {x: {x: 1.0, "~other": 2.0} for x in ids}
    qrels: Any = {x: {x: 1} for x in ids}
    if form != "dict":
        run, qrels = rows(run, "score"), rows(qrels, "relevance")
        if form in KINDS:
            run, qrels = KINDS[form](run), KINDS[form](qrels)
        else:
            run, qrels = FILES[form](tmp_path / "run", run), FILES[form](tmp_path / "qrels", qrels)
    frame = ltr_sql.evaluate(run, ["RR", "P@1"], qrels=qrels, by_query=True)
    assert records(frame) == [{"query_id": x, "RR": 0.5, "P@1": 0.0} for x in sorted(ids, key=str.encode)]


@pytest.mark.parametrize("form", ["spaces", "tabs", "runs of blanks"])
def test_odd_ids_in_trec_text(form: str, tmp_path: Path) -> None:
    ids = [x for x in ODD_IDS if x.split() == [x]] + ['"open', "'open", "#x", "no\u00a0break"]
    run_lines = [[x, "Q0", d, "1", s, "tag"] for x in ids for d, s in ((x, "1"), ("~other", "2"))]
    run = write(tmp_path / "run", TREC[form](run_lines))
    qrels = write(tmp_path / "qrels", TREC[form]([[x, "0", x, "1"] for x in ids]))
    frame = ltr_sql.evaluate(run, ["RR"], qrels=qrels, by_query=True)
    assert records(frame) == [{"query_id": x, "RR": 0.5} for x in sorted(ids, key=str.encode)]


# Fractional grades


@pytest.mark.default(
    "pandas", "csv", "csv, capital letters", "csv, semicolons", "tsv.gz", "jsonl.gz", "parquet", "trec"
)
@pytest.mark.parametrize("form", [*KINDS, *FILES, "dict", "trec", "decimal"])
def test_float_grades(form: str, tmp_path: Path) -> None:
    run: Scores = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    qrels: Scores = {"q": {"a": 0.5, "b": 1.5, "c": 0.25}}
    given: Any = qrels
    if form in KINDS:
        given = KINDS[form](rows(qrels, "relevance"))
    elif form in FILES:
        given = FILES[form](tmp_path / "qrels", rows(qrels, "relevance"))
    elif form == "trec":
        given = write(tmp_path / "qrels", "".join(f"q 0 {d} {v}\n" for d, v in qrels["q"].items()))
    elif form == "decimal":
        given = table(
            "from (values ('q', 'a', 0.5), ('q', 'b', 1.5), ('q', 'c', 0.25)) as t(query_id, doc_id, relevance)"
        )
    frame = ltr_sql.evaluate(run, ["nDCG", "CG@2", "AP", "AP(rel=0.5)", "RR(rel=2)"], qrels=given)
    ndcg = (0.5 + 1.5 / LOG3 + 0.25 / 2) / (1.5 + 0.5 / LOG3 + 0.25 / 2)
    values = {"nDCG": ndcg, "CG@2": 2.0, "AP": 0.5, "AP(rel=0.5)": 1.0, "RR(rel=2)": 0.0}
    assert_rows(frame, [{"queries": 1, **values}])


# Keys

# The relevant document is first in system a, and second in system b.
KEYED: dict[str, list[tuple[str, float, int]]] = {
    "a": [("x", 2.0, 1), ("y", 1.0, 0)],
    "b": [("x", 1.0, 1), ("y", 2.0, 0)],
}
ODD_KEYS = [
    ["system"],
    ["order"],
    ["my key", "Ünïcode", 'a"b', "it's", "select", "group by", "a.b", "--", "%s", "{keys}", "Rank 1", "a; b"],
    ["k", "rel", "gain", "keys", "key", "run", "qrels", "ties", "missing", "rankings", "measures", "name", "value"],
    ["r", "d", "q", "j", "s", "t", "v", "g", "c", "x", "y", "n", "m", "f", "documents", "query", "__ltr_one"],
    ["place", "covered", "RR", "nDCG", "sum", "avg", "struct", "unnest", "given_rank", "row_order", "doc", "grade"],
]


def keyed(names: Sequence[str], *columns: str) -> pl.DataFrame:
    values = [
        {"query_id": "q", "doc_id": d, "score": score, "relevance": grade, "rank": 1 if score == 2.0 else 2}
        | dict.fromkeys(names, system)
        for system, documents in KEYED.items()
        for d, score, grade in documents
    ]
    return pl.DataFrame(values).select(*names, *columns)


@pytest.mark.slow
@pytest.mark.parametrize("names", ODD_KEYS, ids=lambda names: names[0])
def test_keys_with_odd_names(names: list[str]) -> None:
    qrels = {"q": {"x": 1, "y": 0}}
    inputs: list[tuple[Any, dict[str, Any]]] = [
        (keyed(names, "query_id", "rank", "relevance"), {}),
        (keyed(names, "query_id", "doc_id", "score", "relevance"), {}),
        (keyed(names, "query_id", "doc_id", "score"), {"qrels": qrels}),
        (keyed(names, "query_id", "doc_id", "score"), {"qrels": qrels, "ties": "worst", "missing": "skip"}),
        (keyed(names, "query_id", "doc_id", "rank"), {"qrels": qrels}),
    ]
    a, b = dict.fromkeys(names, "a"), dict.fromkeys(names, "b")
    for rankings, options in inputs:
        means = ltr_sql.evaluate(rankings, ["AP", "P@1"], keys=names, **options)
        assert_rows(means, [{**a, "queries": 1, "AP": 1.0, "P@1": 1.0}, {**b, "queries": 1, "AP": 0.5, "P@1": 0.0}])
        each = ltr_sql.evaluate(rankings, ["AP"], keys=names, by_query=True, **options)
        assert_rows(each, [{**a, "query_id": "q", "AP": 1.0}, {**b, "query_id": "q", "AP": 0.5}])


@pytest.mark.slow
def test_keys_called_like_helper_columns() -> None:
    names = ["place", "covered", "placed", "novelty", "best_doc_id", "ideal_rank", "rank_b", "x_a", "x_b", "y_a", "y_b"]
    measures = ["AP", "KendallTau", "KendallDistance", "Spearman", "alpha_nDCG"]
    rows_ = [
        {"system": system, "query_id": "q", "doc_id": d, "subtopic": d, "rank": rank, "relevance": grade}
        for system, ranks in (("a", (1, 2, 3)), ("b", (2, 3, 1)))
        for d, rank, grade in zip("xyz", ranks, (2, 1, 1), strict=True)
    ]
    expected = records(ltr_sql.evaluate(pl.DataFrame(rows_), measures, keys=["system"]))
    assert [row["AP"] for row in expected] == [1.0, 1.0]
    for name in names:
        frame = ltr_sql.evaluate(pl.DataFrame(rows_).rename({"system": name}), measures, keys=[name])
        assert_rows(frame, [{name: row["system"]} | {m: row[m] for m in ["queries", *measures]} for row in expected])
    wide = pl.DataFrame(rows_).with_columns(pl.col("system").alias(name) for name in names)
    frame = ltr_sql.evaluate(wide, measures, keys=names)
    assert_rows(
        frame, [dict.fromkeys(names, row["system"]) | {m: row[m] for m in ["queries", *measures]} for row in expected]
    )


def test_several_keys() -> None:
    parts = [
        keyed(["system"], "query_id", "doc_id", "score").with_columns(pl.lit(fold).alias("my fold")) for fold in (2, 1)
    ]
    run = pl.concat(parts)
    for keys in (["system", "my fold"], ("my fold", "system")):
        frame = ltr_sql.evaluate(run, ["RR"], qrels={"q": {"x": 1}, "p": {"x": 1}}, keys=keys)
        expected = [
            {**{key: {"system": system, "my fold": fold}[key] for key in keys}, "queries": 2, "RR": value / 2}
            for system, value in (("a", 1.0), ("b", 0.5))
            for fold in (1, 2)
        ]
        assert_rows(frame, sorted(expected, key=lambda row: [row[key] for key in keys]))


@pytest.mark.default("pandas", "pyarrow")
@each_kind
def test_keys_in_frames_of_each_kind(kind: str) -> None:
    rows_ = [{"system": system, **row} for system in "ab" for row in RUN_ROWS]
    assert isinstance(assert_values(KINDS[kind](rows_), qrels=QRELS, keys=["system"], systems=["a", "b"]), FRAMES[kind])


@some_files
def test_keys_in_files(form: str, tmp_path: Path) -> None:
    rows_ = [{"system": system, **row} for system in "ab" for row in RUN_ROWS]
    run = FILES[form](tmp_path / "run", rows_)
    assert_values(run, qrels=QRELS, keys=["system"], systems=["a", "b"])


KEY_VALUES: dict[str, list[Any]] = {
    "integer": [1, 2],
    "bigint": [-(2**62), 2**62],
    "boolean": [False, True],
    "double": [0.5, 1.5],
    "date": [datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 2)],
    "timestamp": [datetime.datetime(2024, 1, 1, 12, 30), datetime.datetime(2024, 1, 1, 12, 31)],
    "varchar": ["", "NULL"],
}


def plain(value: Any) -> Any:
    """Convert a value of a pandas frame to a Python object."""
    if pd.isna(value):
        return None
    return value.to_pydatetime() if isinstance(value, pd.Timestamp) else value


@pytest.mark.default("boolean-NULL-pairs")
@pytest.mark.parametrize("form", ["run", "rankings", "scored", "pairs"])
@pytest.mark.parametrize("with_null", [True, False], ids=["NULL", "values"])
@pytest.mark.parametrize("kind", KEY_VALUES)
def test_types_of_keys(kind: str, with_null: bool, form: str, con: duckdb.DuckDBPyConnection) -> None:
    systems = [KEY_VALUES[kind][0], None if with_null else KEY_VALUES[kind][1]]
    con.execute(
        f"create table keyed (key {kind}, query_id varchar, doc_id varchar, score double, relevance int, rank int)"
    )
    for system, documents in zip(systems, KEYED.values(), strict=True):
        for document, score, grade in documents:
            con.execute("insert into keyed values (?, 'q', ?, ?, ?, ?)", [system, document, score, grade, 3 - score])
    measure = "KendallTau" if form == "pairs" else "AP"
    values = [1.0, -1.0] if form == "pairs" else [1.0, 0.5]
    columns = {
        "run": "key, query_id, doc_id, score",
        "rankings": "key, query_id, rank, relevance",
        "scored": "key, query_id, doc_id, score, relevance",
        "pairs": "key, query_id, rank as rank_a, 2 - relevance as rank_b",
    }
    con.execute(f"create view input as select {columns[form]} from keyed")
    options: dict[str, Any] = {"qrels": {"q": {"x": 1, "y": 0}}} if form == "run" else {}
    for by_query in (False, True):
        frame = ltr_sql.evaluate("input", [measure], keys=["key"], by_query=by_query, con=con, **options)
        label = ["query_id"] if by_query else ["queries"]
        assert list(frame.columns) == ["key", *label, measure]
        found = dict(zip(map(plain, frame["key"]), frame[measure], strict=True))
        assert found == dict(zip(systems, values, strict=True))


def test_a_key_that_is_null_only() -> None:
    rankings = [{"system": None, **row} for row in RANKINGS_ROWS]
    frame = ltr_sql.evaluate(pa.Table.from_pylist(rankings), MEASURES, keys=["system"])
    without_key = records(ltr_sql.evaluate(pa.Table.from_pylist(RANKINGS_ROWS), MEASURES))
    assert_rows(frame, [{"system": None, **without_key[0]}])


# Results


def test_columns_have_the_order_of_the_measures() -> None:
    measures = ["recip_rank", "nDCG(gain='exponential')@3", "AP", "AP", " P@5 ", "ndcg_cut_10"]
    frame = ltr_sql.evaluate(RUN, measures, qrels=QRELS)
    names = ["recip_rank", "nDCG(gain='exponential')@3", "AP", "P@5", "ndcg_cut_10"]
    assert list(frame.columns) == ["queries", *names]
    assert_rows(ltr_sql.evaluate(RUN, (m for m in measures), qrels=QRELS), records(frame))


def test_missing_queries() -> None:
    assert_values(RUN, qrels=QRELS, missing="zero")
    assert_values(RUN, qrels=QRELS, missing="skip", by_query={q: v for q, v in BY_QUERY.items() if q != "08"})


def test_tie_breaking_rules_in_frames() -> None:
    run = pl.DataFrame(
        {"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "score": [1.0, 1.0, 1.0], "row_order": [3, 1, 2]}
    )
    expected = {"docid_desc": 0.5, "docid_asc": 0.5, "row_order": 1.0, "worst": 1 / 3, "best": 1.0}
    for ties, value in expected.items():
        frame = ltr_sql.evaluate(run, ["RR"], qrels={"q": {"b": 1, "a": 0}}, ties=ties)
        assert_rows(frame, [{"queries": 1, "RR": value}])
        scored = run.with_columns(relevance=pl.Series([0, 1, None]))
        assert_rows(ltr_sql.evaluate(scored, ["RR"], ties=ties), [{"queries": 1, "RR": value}])


def test_scores_are_compared_in_double_precision_by_default() -> None:
    run = {"q": {"a": 1.0 + 1e-12, "b": 1.0}}
    qrels = {"q": {"a": 1}}
    assert_rows(ltr_sql.evaluate(run, ["RR"], qrels=qrels), [{"queries": 1, "RR": 1.0}])
    assert_rows(ltr_sql.evaluate(run, ["RR"], qrels=qrels, ties="docid_desc_float32"), [{"queries": 1, "RR": 0.5}])


# Runs stored in rank order


def lies_in_rank_order(con: duckdb.DuckDBPyConnection, name: str, keys: tuple[str, ...] = ()) -> bool:
    with session(con) as state:
        return in_rank_order(state.con, state.bind(name, "run"), keys)


def test_runs_in_rank_order(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    con.execute("create or replace table run (system varchar, query_id varchar, doc_id varchar, score double)")
    con.execute("insert into run values ('s', 'b', 'x', 2), ('s', 'b', 'y', 2), ('s', 'b', 'z', 1), ('s', 'a', 'x', 9)")
    con.execute(f"copy run to '{tmp_path / 'run.parquet'}'")
    con.execute("create view a_view as from run")
    assert lies_in_rank_order(con, "run")
    assert lies_in_rank_order(con, str(tmp_path / "run.parquet"))
    assert not lies_in_rank_order(con, "a_view")
    con.execute("insert into run values ('t', 'a', 'x', 1)")
    assert lies_in_rank_order(con, "run")
    assert lies_in_rank_order(con, "run", ("system",))
    con.execute("insert into run values ('s', 'a', 'y', 0)")
    assert lies_in_rank_order(con, "run")
    assert not lies_in_rank_order(con, "run", ("system",))


@pytest.mark.parametrize(
    "row", ["('s', 'a', 'y', 10)", "('s', 'b', 'w', 0)", "('s', 'a', 'w', null)", "('s', 'a', 'w', 'nan')"]
)
def test_runs_not_in_rank_order(row: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create or replace table run (system varchar, query_id varchar, doc_id varchar, score double)")
    con.execute(f"insert into run values ('s', 'b', 'x', 2), ('s', 'b', 'z', 1), ('s', 'a', 'x', 9), {row}")
    assert not lies_in_rank_order(con, "run")


def test_a_table_with_deleted_rows_is_not_in_rank_order(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "create or replace table run as "
        "select 'q' as query_id, 'd' || i as doc_id, -i::double as score from range(10) as t(i)"
    )
    assert lies_in_rank_order(con, "run")
    con.execute("delete from run where doc_id = 'd4'")
    assert not lies_in_rank_order(con, "run")
    qrels = {"q": {"d3": 1, "d5": 1}}
    assert ltr_sql.evaluate("run", ["AP"], qrels=qrels, con=con)["AP"][0] == pytest.approx((1 / 4 + 2 / 5) / 2)


def test_tied_duplicates_in_rank_order_are_refused(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create table t (query_id varchar, doc_id varchar, score double)")
    con.execute("insert into t values ('q', 'a', 2), ('q', 'b', 1), ('q', 'b', 1)")
    assert lies_in_rank_order(con, "t")
    with pytest.raises(ltr_sql.InputError, match="a document is in one ranking more than once"):
        ltr_sql.evaluate("t", ["AP"], qrels={"q": {"b": 1}}, con=con)


# Misleading inputs


@pytest.mark.parametrize("name", ["run[1]", "run*", "run?"])
@pytest.mark.parametrize("kind", ["txt", "csv", "parquet"])
def test_a_file_is_the_one_that_is_named(kind: str, name: str, tmp_path: Path) -> None:
    for stem, doc_id in ((name, "a"), ("run1", "z"), ("runs", "z")):
        path = str(tmp_path / f"{stem}.{kind}")
        if kind == "txt":
            Path(path).write_text(f"q Q0 {doc_id} 1 1.0 t\n", encoding="utf-8")
        else:
            pl_frame = pl.DataFrame({"query_id": ["q"], "doc_id": [doc_id], "score": [1.0]})
            pl_frame.write_csv(path) if kind == "csv" else pl_frame.write_parquet(path)
    frame = ltr_sql.evaluate(tmp_path / f"{name}.{kind}", ["RR"], qrels={"q": {"a": 1}})
    assert frame["RR"].tolist() == [1.0]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_hive_folders_are_not_columns(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "score=7" / f"run.{kind}"
    path.parent.mkdir()
    run = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["z", "a"], "score": [3, 4]})
    run.write_csv(path) if kind == "csv" else run.write_parquet(path)
    assert ltr_sql.evaluate(path, ["RR"], qrels={"q": {"a": 1}})["RR"].tolist() == [1.0]


@pytest.mark.default("jsonl")
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_numbers_that_are_fractions_far_below_the_first_lines(kind: str, tmp_path: Path) -> None:
    rows = [("q", f"d{number}", 1.0) for number in range(21_000)] + [("q", "b", 0.5), ("q", "a", 2.75)]
    path = tmp_path / f"qrels.{kind}"
    with path.open("w", encoding="utf-8") as file:
        if kind == "csv":
            file.write("query_id,doc_id,relevance\n")
        for query_id, doc_id, grade in rows:
            shown = int(grade) if grade == 1 else grade
            record = json.dumps({"query_id": query_id, "doc_id": doc_id, "relevance": shown})
            file.write(f"{query_id},{doc_id},{shown}\n" if kind == "csv" else f"{record}\n")
    frame = ltr_sql.evaluate({"q": {"a": 2.0, "b": 1.0}}, ["CG@1", "CG@2"], qrels=path)
    assert frame[["CG@1", "CG@2"]].to_numpy().tolist() == [[2.75, 3.25]]


def test_a_zst_file_that_has_been_cut_is_refused(tmp_path: Path) -> None:
    path, cut = tmp_path / "run.zst", tmp_path / "cut.zst"
    options = "format csv, delim ' ', header false, quote '', escape '', compression zstd"
    rows = "select 'q', 'Q0', 'd' || hash(i), i, -i, 'tag' from range(100000) as t(i)"
    duckdb.connect().execute(f"copy ({rows}) to '{path}' ({options})")
    whole = path.read_bytes()
    cut.write_bytes(whole * 2)
    for complete in (path, cut):
        with plain_file(str(complete)) as file:
            assert file.path == str(complete)
    for length in (3, 10, len(whole) // 3, len(whole) // 2, len(whole) - 1):
        cut.write_bytes(whole[:length])
        with pytest.raises(ltr_sql.InputError, match=r"cut\.zst is truncated, or is not a Zstandard file"):
            ltr_sql.evaluate(cut, ["NumRet"], qrels={"q": {"d": 1}})


@pytest.mark.parametrize("line", ["# Q0 a 1 1.0 t", "#  Q0 a 1 1.0 t"])
def test_a_comment_with_as_many_columns_as_a_line_is_refused(line: str, tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text(f"q Q0 a 1 2.0 t\n{line}\n", encoding="utf-8")
    with pytest.raises(ltr_sql.InputError, match=r"run\.txt, line 2: remove the comment"):
        ltr_sql.evaluate(path, ["AP"], qrels={"q": {"a": 1}})


# The caller's connection


def test_a_view_of_an_open_transaction_is_read(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("begin")
    con.execute("create view made_here as from (values ('q', 'a', 2.0)) as t(query_id, doc_id, score)")
    frame = ltr_sql.evaluate("made_here", ["AP"], qrels={"q": {"a": 1}}, con=con)
    assert frame["AP"].tolist() == [1.0]
    con.execute("rollback")


def test_an_open_transaction_does_not_hide_errors(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("begin")
    con.execute(
        "create table made_here as from (values ('q', 'a', 2.0), ('q', 'a', 1.0)) as t(query_id, doc_id, score)"
    )
    with pytest.raises(ltr_sql.InputError, match="a document is in one ranking more than once"):
        ltr_sql.evaluate("made_here", ["AP"], qrels={"q": {"a": 1}}, con=con)
    con.execute("rollback")


LATE_LINES = "".join(f"q{i} Q0 a 1 1.0 t\n" for i in range(150))
IN_TRANSACTIONS: list[tuple[str, str, float | str]] = [
    ("run", f"{LATE_LINES}q  Q0 a 1 1.0 t\n", 1.0),
    ("run.gz", f"{LATE_LINES}q Q0 a 1 1.0 t run\n", 1.0),
    ("run.csv", "query_id,doc_id,score\nq,a,1\n", 1.0),
    ("run", f"{LATE_LINES}q Q0 a 1\n", "line 151: 4 columns"),
    ("run.csv", "query_id,doc_id,score\nq,a,1\nq,b\n", "line 3: 2 columns"),
    ("run.jsonl", '{"query_id": "q",', "Malformed JSON"),
    ("run.parquet", "not Parquet", "run.parquet"),
    ("run", "q Q0 a 1 x t\n", "score must be a number"),
    ("nope", "", "neither a file nor a table"),
    ("nope.made_here", "", "neither a file nor a table"),
    ("twice", "", "a document is in one ranking more than once"),
    ("with_gaps", "", "the run: missing column doc_id"),
]


@pytest.mark.default(
    "run-text3-line 151: 4 columns", "run.parquet-not Parquet-run.parquet", "nope.made_here--neither a file nor a table"
)
@pytest.mark.parametrize(("name", "text", "expected"), IN_TRANSACTIONS)
def test_rows_of_an_open_transaction_survive(
    name: str, text: str, expected: float | str, tmp_path: Path, con: duckdb.DuckDBPyConnection
) -> None:
    con.execute("begin; create table made_here as select 1 as x")
    con.execute("create table twice as select 'q' as query_id, 'a' as doc_id, unnest([2.0, 1.0]) as score")
    con.execute("create table with_gaps as select 'q' as query_id, 3 as rank, 1 as relevance")
    path = write(tmp_path / name, text) if text else name
    qrels = {"q": {"a": 1}}
    if isinstance(expected, float):
        assert ltr_sql.evaluate(path, ["RR"], qrels=qrels, con=con)["RR"].tolist() == [expected]
    else:
        for function in (ltr_sql.evaluate, ltr_sql.verify):
            with pytest.raises(ltr_sql.InputError, match=re.escape(expected)):
                function(path, ["RR"], qrels=qrels, con=con)
    assert ltr_sql.evaluate("with_gaps", ["RR"], con=con)["RR"].tolist() == [1 / 3]
    assert con.execute("from made_here").fetchall() == [(1,)]
    assert con.execute("select count(*) from duckdb_tables() where temporary").fetchall() == [(0,)]
    con.execute("rollback")


def test_an_interruption_is_not_an_input_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.txt"
    path.write_text("q Q0 a 1 2.0 t\n", encoding="utf-8")

    def interrupted(*_: Any) -> None:
        raise duckdb.InterruptException("Interrupted!")

    monkeypatch.setattr(accuracy, "ranking", interrupted)
    with pytest.raises(duckdb.InterruptException):
        ltr_sql.evaluate(path, ["AP"], qrels={"q": {"a": 1}})


def test_con_must_be_a_connection() -> None:
    con: Any = "data.duckdb"
    with pytest.raises(ltr_sql.InputError, match=r"con must be a connection from duckdb\.connect"):
        ltr_sql.evaluate("runs", ["AP"], con=con)


@pytest.mark.slow
def test_a_run_with_several_run_ids_holds_several_systems(tmp_path: Path) -> None:
    path, qrels = tmp_path / "run.txt", {"q": {"a": 1}}
    for blank in (" ", "  ", "\t"):
        lines = ["q Q0 a 1 2.0 s", "q Q0 b 2 1.0 s", "q Q0 b 1 2.0 r", "q Q0 a 2 1.0 r"]
        path.write_text("".join(line.replace(" ", blank) + "\n" for line in lines), encoding="utf-8")
        values = {row.system: row.RR for row in ltr_sql.evaluate(path, ["RR"], qrels=qrels).itertuples()}
        assert list(values.items()) == [("s", 1.0), ("r", 0.5)]
        assert (ltr_sql.verify(path, ["RR"], qrels=qrels)["verdict"] == "equal").all()
        with pytest.raises(ltr_sql.InputError, match=r"run 'a' has 2 run ids \(s, r\): pass the file alone"):
            ltr_sql.evaluate({"a": path}, ["RR"], qrels=qrels)


@pytest.mark.default(
    "keys0-run.csv", "keys0-run.jsonl", "keys1-run.csv", "keys1-run.jsonl", "keys2-run.csv", "keys2-run.jsonl"
)
@pytest.mark.parametrize("name", ["run.csv", "run.csv.gz", "run.jsonl"])
@pytest.mark.parametrize("keys", [["1.1", "1.10"], ["true", "TRUE"], ["2024-01-01", "2024-01-01 00:00:00"]])
def test_keys_of_text_files_are_text(name: str, keys: list[str], tmp_path: Path) -> None:
    rows = [{"query_id": "q", "doc_id": "d", "score": 1, "system": key} for key in keys]
    text = json_lines(rows) if "json" in name else delimited(rows, ",")
    path = write(tmp_path / name, text)
    frame = ltr_sql.evaluate(path, ["RR"], qrels={"q": {"d": 1}}, keys=["system"])
    assert sorted(frame["system"]) == sorted(keys)


def test_lines_of_csv_that_start_with_a_number_sign_are_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "run.csv", "query_id,doc_id,score\n#q,a,2\n#q,b,1\nr,#c,1\n")
    frame = ltr_sql.evaluate(path, ["NumRet"], qrels={"#q": {"b": 1}, "r": {"#c": 1}}, by_query=True)
    assert frame["NumRet"].tolist() == [2, 1]


def test_large_integers_of_csv_stay_exact(tmp_path: Path) -> None:
    path = write(tmp_path / "run.csv", "query_id,doc_id,score\nq,a,1790000000000000001\nq,b,1790000000000000000\n")
    with session(None) as state:
        table = state.bind(path, "run")
        assert table.columns["score"] == "BIGINT"
        assert state.con.execute(f"select count(distinct score) from {table.sql}").fetchall() == [(2,)]


@pytest.mark.default("object")
@pytest.mark.parametrize(
    "kind", ["object", "string", "string[pyarrow]", "category", "Int64", "float32", "datetime64[ns]"]
)
def test_reversed_data_frames(kind: str) -> None:
    column = "doc_id" if kind in ("object", "string", "string[pyarrow]", "category") else "score"
    frame = pd.DataFrame({"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "score": [3, 2, 1]})
    if kind == "datetime64[ns]":
        frame["day"] = pd.to_datetime(["2024-01-01"] * 3)
    else:
        frame[column] = frame[column].astype(kind)  # type: ignore[call-overload]
    for rows in (frame.iloc[::-1], frame.iloc[::-1].reset_index(drop=True), frame.iloc[::-2]):
        assert ltr_sql.evaluate(rows, ["RR"], qrels={"q": {"c": 1}})["RR"].tolist() == [1 / len(rows)]


def in_order(kind: str, path: Path) -> Any:
    """Return a run of 5,000 tied documents in order of their numbers, except that 7 is first."""
    numbers = [7, *(number for number in range(5000) if number != 7)]
    lines = [f"q Q0 d{number} 1 1.0 t\n" for number in numbers]
    frame = pd.DataFrame({"query_id": "q", "doc_id": [f"d{number}" for number in numbers], "score": 1.0})
    makers: dict[str, Callable[[], Any]] = {
        "trec": lambda: write(path / "run.txt", "".join(lines)),
        "trec.gz": lambda: write(path / "run.txt.gz", "".join(lines)),
        "blanks": lambda: write(path / "run", "".join(lines).replace(" ", "  ")),
        "csv": lambda: frame.to_csv(path / "run.csv", index=False) or path / "run.csv",
        "jsonl": lambda: write(path / "run.jsonl", json_lines(records(frame))),
        "parquet": lambda: frame.to_parquet(path / "run.parquet", index=False) or path / "run.parquet",
        "pandas": lambda: frame,
        "polars": lambda: pl.from_pandas(frame),
        "pyarrow": lambda: pa.Table.from_pandas(frame),
        "dict": lambda: {"q": {f"d{number}": 1.0 for number in numbers}},
    }
    return makers[kind]()


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["trec", "csv", "trec.gz", "dict", "blanks", "pandas", "jsonl", "polars", "parquet", "pyarrow"]
)
def test_files_frames_and_dicts_have_a_row_order(kind: str, tmp_path: Path, con: duckdb.DuckDBPyConnection) -> None:
    run, qrels = in_order(kind, tmp_path), {"q": {"d7": 1, "d4999": 1}}
    (value,) = {float(ltr_sql.evaluate(run, ["AP"], qrels=qrels, convention=c)["AP"][0]) for c in ("lightgbm", "spark")}
    assert value == (1 + 2 / 5000) / 2
    assert ltr_sql.evaluate({"a": run, "b": run}, ["AP"], qrels=qrels, ties="row_order")["AP"].to_list() == [value] * 2
    assert str(ltr_sql.explain(run, "q", "AP", qrels=qrels, ties="row_order")["doc_id"][0]) == "d7"
    assert ltr_sql.verify(run, ["AP"], qrels=qrels, ties="row_order")["verdict"][0] == "equal"
    assert float(ltr_sql.agreement(run, run, ["RBO"], ties="row_order")["RBO"][0]) == pytest.approx(1)
    gained = ltr_sql.evaluate(run, ["nDCG"], qrels=qrels, ties="row_order", gains=[0, 3], con=con)["nDCG"][0]
    assert float(gained) == pytest.approx((1 + 1 / math.log2(5001)) / (1 + 1 / LOG3), rel=1e-12)
    con.execute("set preserve_insertion_order = false")
    with pytest.raises(ltr_sql.InputError, match="missing column row_order"):
        ltr_sql.evaluate(run, ["AP"], qrels=qrels, ties="row_order", con=con)
    con.execute("set preserve_insertion_order = true")


def test_systems_keep_their_order() -> None:
    qrels = {"q": {"a": 1}, "p": {"a": 1}}
    names = ["b", "a", "10", "9", "B"]
    runs = {name: {"q": {"a": float(number)}, "p": {"a": 1.0}} for number, name in enumerate(names)}
    assert ltr_sql.evaluate(runs, ["RR"], qrels=qrels)["system"].tolist() == names
    by_query = ltr_sql.evaluate(runs, ["RR"], qrels=qrels, by_query=True)
    assert list(zip(by_query["system"], by_query["query_id"], strict=True)) == [(n, q) for n in names for q in "pq"]
    pairs = ltr_sql.agreement(runs, None, ["RBO"])
    places = [(names.index(row.system_a), names.index(row.system_b)) for row in pairs.itertuples()]
    assert places == sorted(places)
    with pytest.raises(ltr_sql.InputError, match="two runs have the name '1': rename one of them"):
        ltr_sql.evaluate({1: runs["a"], "1": runs["b"]}, ["RR"], qrels=qrels)


THEIRS = {"user_id": "query_id", "item_id": "doc_id", "rating": "relevance", "prediction": "score"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "pandas", "jsonl", "arrow stream", "parquet", "polars", "table"])
def test_other_names_of_columns(kind: str, tmp_path: Path, con: duckdb.DuckDBPyConnection) -> None:
    run = pl.DataFrame({"user_id": ["007"] * 2, "item_id": ["01", "1"], "prediction": [9, 10]})
    qrels = pl.DataFrame({"user_id": ["007"], "item_id": ["01"], "rating": [2]})

    def given(name: str, frame: pl.DataFrame) -> Any:
        if kind in ("csv", "jsonl", "parquet"):
            path = tmp_path / f"{name}.{kind}"
            writers: dict[str, Callable[[Path], Any]]
            writers = {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}
            writers[kind](path)
            return path
        if kind == "table":
            con.execute(f"create or replace temp table {name} as from frame")
            return name
        return frame.to_pandas() if kind == "pandas" else frame if kind == "polars" else Stream(frame)

    inputs = given("their_run", run), given("their_qrels", qrels)
    options: dict[str, Any] = {"columns": THEIRS, "con": con if kind == "table" else None}
    for _ in range(2):
        frame = ltr_sql.evaluate(inputs[0], ["RR", "CG@2"], qrels=inputs[1], **options)
        assert [float(frame[name][0]) for name in ("RR", "CG@2")] == [0.5, 2]
    assert ltr_sql.verify(inputs[0], ["RR"], qrels=inputs[1], **options)["verdict"][0] == "equal"
    assert len(ltr_sql.explain(inputs[0], "007", "AP", qrels=inputs[1], **options)) == 2
    assert (
        len(
            ltr_sql.agreement(
                *inputs[:1] * 2,
                columns={"user_id": "query_id", "item_id": "doc_id", "prediction": "score"},
                con=options["con"],
            )
        )
        == 1
    )


@pytest.mark.slow
def test_other_names_of_columns_in_comparisons_evaluators_and_tables_of_documents() -> None:
    ours = {"query_id": ["1", "1", "2", "2", "3"], "doc_id": ["a", "b", "a", "b", "a"], "score": [5, 4, 3, 9, 1]}
    run = pd.DataFrame(ours)
    other = run.assign(score=10 - run["score"])
    qrels = pd.DataFrame({"query_id": ["1", "2", "3"], "doc_id": ["a", "a", "a"], "relevance": [1, 2, 1]})
    documents = pd.DataFrame({"doc_id": ["a", "b"], "category": ["x", "y"], "group": ["g", "h"]})
    of_documents = {"genre": "category", "label": "group"}
    names = {ours: theirs for theirs, ours in {**THEIRS, **of_documents}.items()}
    calls: list[tuple[Callable[..., Any], tuple[Any, ...], bool]] = [
        (ltr_sql.compare, (["RR", "ILD@2", "Gini"],), True),
        (ltr_sql.leaderboard, (["RR", "ILD@2"],), True),
        (ltr_sql.wins, ("x", "y", "RR"), False),
        (ltr_sql.variance, ("RR",), False),
        (ltr_sql.verify_comparison, (["RR"],), False),
        (ltr_sql.evaluate, (["RR", "ExposureRatio@2"],), True),
    ]
    for function, arguments, beyond in calls:
        given = [run, other, qrels, *([documents] if beyond else [])]
        columns = {**THEIRS, **(of_documents if beyond else {})}

        def call(tables: Sequence[pd.DataFrame], **options: Any) -> pd.DataFrame:
            x, y, qrels, *documents = tables
            options |= {"documents": documents[0]} if documents else {}
            found: pd.DataFrame = function({"x": x, "y": y}, *arguments, qrels=qrels, **options)  # noqa: B023
            return found

        theirs = [table.rename(columns=names) for table in given]
        pd.testing.assert_frame_equal(call(theirs, columns=columns), call(given))
    evaluator = ltr_sql.Evaluator(["RR", "AP"], qrels.rename(columns=names), columns=THEIRS)
    for table in (run, run, other, other):
        found = evaluator.evaluate(table.rename(columns=names))
        pd.testing.assert_frame_equal(found, ltr_sql.evaluate(table, ["RR", "AP"], qrels=qrels))


class Stream:
    """Object with the interface of Arrow streams only."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


def test_a_reader_of_record_batches_is_read_once() -> None:
    reader = pa.Table.from_pylist(RUN_ROWS).to_reader()
    assert_values(reader, qrels=QRELS)


def test_a_column_of_ratings_may_be_grades_or_nothing() -> None:
    run = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]})
    rated = pd.DataFrame({"user_id": ["q"], "item_id": ["d"], "rating": [0.5]})
    both_ways = (
        r"columns=.*'rating': 'relevance'.*below 1 are not relevant.*implicit feedback.*leave out the column rating"
    )
    with pytest.raises(ltr_sql.InputError, match=both_ways):
        ltr_sql.evaluate(run, ["AP"], qrels=rated)
    columns = {"user_id": "query_id", "item_id": "doc_id"}
    for qrels, value in ((rated.rename(columns={"rating": "relevance"}), 0), (rated.drop(columns="rating"), 1)):
        assert ltr_sql.evaluate(run, ["AP"], qrels=qrels, columns=columns)["AP"][0] == value


@pytest.mark.slow
def test_judgments_without_grades_are_implicit_feedback(tmp_path: Path) -> None:
    frame = pd.DataFrame(QRELS_ROWS)[["query_id", "doc_id"]]
    expected = ltr_sql.evaluate(RUN, ["AP", "nDCG"], qrels=frame.assign(relevance=1))
    frame.to_csv(tmp_path / "clicks.csv", index=False)
    for qrels in (frame, pl.from_pandas(frame), tmp_path / "clicks.csv"):
        assert_rows(ltr_sql.evaluate(RUN, ["AP", "nDCG"], qrels=qrels), records(expected))
    for column in ("score", "rank", "rating", "label", "esci_label", "isRelevant", "judgement"):
        with pytest.raises(ltr_sql.InputError, match="the judgments: missing column relevance"):
            ltr_sql.evaluate(RUN, ["AP"], qrels=frame.assign(**{column: 1}))
    told = "each row counts as a relevant document. If quality, title or one of these holds grades, pass"
    with pytest.warns(ltr_sql.InputWarning, match=told):
        ltr_sql.evaluate(
            RUN,
            ["AP"],
            qrels=frame.assign(
                quality=1, title=[f"t{i % 2}" for i in range(len(frame))], at=pd.Timestamp("2026-01-01")
            ),
        )
    assert_rows(
        ltr_sql.evaluate(RUN, ["AP"], qrels=frame.assign(shop="s"), keys=["shop"])[["AP"]], records(expected[["AP"]])
    )


@pytest.mark.parametrize("name", ["HR", "Hit", "HitRate", "hit_rate"])
def test_names_of_success(name: str) -> None:
    values = ltr_sql.evaluate(RUN, ["Success@2", f"{name}@2"], qrels=QRELS)
    assert values["Success@2"][0] == values[f"{name}@2"][0]
