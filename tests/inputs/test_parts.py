"""Files that are parts of one table, folders of Hive partitions, and files of several run ids."""

import datetime
import gzip
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner
from pyarrow.dataset import dataset  # type: ignore[import-untyped]

import ltr_sql
from ltr_sql.command_line.main import main
from ltr_sql.command_line.trec_eval import TrecEvalOptions, printed_lines
from ltr_sql.errors import InputError, InputWarning
from ltr_sql.evaluation import accuracy
from ltr_sql.evaluation.conventions import compare_conventions
from ltr_sql.inputs.session import session

Rows = Sequence[tuple[str, str, float]]

# Queries 1 and 2 stand in the first part, 3 and 4 in the second. RR of the run is 1, 1/2, 1, 0.
FIRST: Rows = [("1", "a", 2), ("1", "b", 1), ("2", "a", 2), ("2", "b", 1)]
SECOND: Rows = [("3", "a", 2), ("3", "b", 1), ("4", "c", 2)]
QRELS = {"1": {"a": 1}, "2": {"b": 1}, "3": {"a": 1}, "4": {"d": 1}}
MEAN = 0.625
# Names that writers give to the parts of a table.
WRITERS = {
    "Spark": ("part-00000-5f0b.c000.snappy", "part-00001-5f0b.c000.snappy"),
    "dbt": ("part-00000", "part-00001"),
    "Dask": ("part.0", "part.1"),
    "DuckDB": ("data_0", "data_1"),
    "Snowflake": ("data_0_0_0.snappy", "data_0_1_0.snappy"),
    "Redshift": ("0000_part_00", "0001_part_00"),
    "Hive": ("000000_0", "000001_0"),
    "pyarrow": ("0a1b2c3d4e5f60718293a4b5c6d7e8f9-0", "0a1b2c3d4e5f60718293a4b5c6d7e8f9-1"),
    "polars": ("00000000", "00000001"),
    "BigQuery": ("run-000000000000", "run-000000000001"),
    "Hugging Face": ("train-00000-of-00002", "train-00001-of-00002"),
}


def frame(rows: Rows, number: str = "score") -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["query_id", "doc_id", number])


def write(path: Path, table: pd.DataFrame, tag: str = "t") -> Path:
    """Write a table in the format of the suffix, without a suffix in TREC format."""
    path.parent.mkdir(parents=True, exist_ok=True)
    suffix = path.name.removesuffix(".gz").rpartition(".")[2]
    if suffix == "parquet":
        table.to_parquet(path)
        return path
    if suffix in ("csv", "jsonl"):
        text = table.to_csv(index=False) if suffix == "csv" else table.to_json(orient="records", lines=True)
    elif "relevance" in table:
        text = "".join(f"{q} 0 {d} {grade}\n" for q, d, grade in table.itertuples(index=False))
    else:
        text = "".join(f"{q} Q0 {d} 1 {score} {tag}\n" for q, d, score in table.itertuples(index=False))
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def judgments(part: slice) -> pd.DataFrame:
    rows = [(query, document, grade) for query, documents in QRELS.items() for document, grade in documents.items()]
    return frame(rows[part], "relevance")


def evaluated(run: Any, **options: Any) -> list[dict[str, Any]]:
    """Return the rows of an evaluation that must not warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ltr_sql.evaluate(run, ["RR"], **({"qrels": QRELS} | options))
    return [{str(name): value for name, value in row.items()} for row in found.to_dict("records")]


def printed(*words: object) -> tuple[Any, str]:
    """Return the rows that a command prints as JSON, and its warnings or error."""
    result = CliRunner().invoke(main, [*map(str, words), "--format", "json"])
    found = json.loads(result.stdout)
    return (found, result.stderr) if result.exit_code == 0 else (None, f"{found['error']}: {found['what_to_do']}")


@pytest.mark.parametrize("writer", WRITERS)
def test_files_named_as_parts_are_one_run(writer: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    paths = [
        write(run / f"{name}.parquet", frame(rows)) for name, rows in zip(WRITERS[writer], (FIRST, SECOND), strict=True)
    ]
    (run / "_SUCCESS").write_text("")
    (run / "._SUCCESS.crc").write_text("x")
    forms: list[Any] = [str(run), f"{run}/*.parquet", f"{run}/*", paths, {"bm25": run}, {"bm25": f"{run}/*.parquet"}]
    for given in (run, *(forms if writer == "Spark" else ())):
        row = {"queries": 4, "RR": MEAN}
        assert evaluated(given) == [{"system": "bm25", **row} if isinstance(given, dict) else row]


@pytest.mark.default("")
@pytest.mark.parametrize("suffix", ["", ".csv", ".csv.gz", ".jsonl", ".txt.gz"])
def test_parts_of_all_formats_hold_runs_and_judgments(suffix: str, tmp_path: Path) -> None:
    for number, rows in enumerate((FIRST, SECOND)):
        write(tmp_path / f"run/part-0000{number}{suffix}", frame(rows))
        write(tmp_path / f"qrels/part-0000{number}{suffix}", judgments(slice(2 * number, 2 * number + 2)))
    (tmp_path / "run" / f"part-00002{suffix.removesuffix('.gz')}").write_text("")
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    assert evaluated(run, qrels=qrels) == [{"queries": 4, "RR": MEAN}]
    assert evaluated(run, qrels=sorted(qrels.iterdir())) == [{"queries": 4, "RR": MEAN}]
    # A part may divide the documents of a query.
    with session(None) as state:
        assert sum(1 for _ in state.rows(f"from {state.bind(run, 'run').sql}")) == len(FIRST) + len(SECOND)


@pytest.mark.slow
def test_commands_read_parts(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"run/part-0000{n}.parquet", frame(rows)) for n, rows in enumerate((FIRST, SECOND))]
    write(tmp_path / "qrels/part-0.parquet", judgments(slice(0, 3)))
    write(tmp_path / "qrels/part-1.parquet", judgments(slice(3, 4)))
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    for words in ([f"{run}/*"], paths):
        assert printed("evaluate", qrels, *words, "-m", "RR") == ([{"queries": 4, "RR": MEAN}], "")
    assert printed("verify", f"{qrels}/*", *paths, "-m", "RR")[0][0]["verdict"] == "equal"
    assert printed("report", qrels, run, "-m", "RR", "--no-check")[0]["systems"] == ["run"]
    assert printed("explain", qrels, run, "-m", "RR", "-q", "2")[0][-1]["running"] == 0.5
    assert "names 1 system, pass at least two" in printed("compare", qrels, run, "-m", "RR")[1]
    output = CliRunner().invoke(main, ["trec_eval", str(qrels), str(run), "-m", "recip_rank"]).stdout
    assert output.split() == ["recip_rank", "all", "0.6250"]


def test_files_without_a_common_query_are_one_run_and_a_note_says_so(tmp_path: Path) -> None:
    left, right = write(tmp_path / "runs/left.parquet", frame(FIRST)), write(tmp_path / "runs/right.csv", frame(SECOND))
    copied = write(tmp_path / "copies/left.parquet", frame(FIRST)), write(tmp_path / "copies/r.parquet", frame(SECOND))
    for given in (tmp_path / "runs", f"{tmp_path}/runs/*", [left, right], [*copied], tmp_path / "copies"):
        with pytest.warns(InputWarning, match=r"left.parquet, \S+ share no query, so they are parts of one run\. If"):
            found = ltr_sql.evaluate(given, ["RR"], qrels=QRELS)
        assert found.to_dict("records") == [{"queries": 4, "RR": MEAN}]
    systems = [{"system": "left", "queries": 4, "RR": 0.375}, {"system": "right", "queries": 4, "RR": 0.25}]
    named: Any
    for named, keys in (([left, right], ["system"]), (ltr_sql.run_files([left, right]), [])):
        assert ltr_sql.evaluate(named, ["RR"], qrels=QRELS, keys=keys, check=False).to_dict("records") == systems
    qrels = write(tmp_path / "qrels.csv", judgments(slice(None)))
    rows, said = printed("evaluate", qrels, left, right, "-m", "RR")
    assert rows == [{"queries": 4, "RR": MEAN}]
    assert "If each is a system, evaluate with --keys system" in said
    assert printed("evaluate", qrels, left, right, "-m", "RR", "--keys", "system")[0] == systems
    error = printed("compare", qrels, left, right, "-m", "RR")[1]
    assert "pass at least two" in error
    assert "share no query, so they are parts of one run" in error
    with pytest.raises(InputError, match=r"no column system.* Also: the runs .* share no query"):
        ltr_sql.compare([left, right], ["RR"], qrels=QRELS, details=True)


def test_runs_that_share_a_query_stay_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it is not among the first that are looked up, and if ids have different types."""
    monkeypatch.setattr("ltr_sql.inputs.session._FIRST", 1)
    numbers = frame([("1", "a", 1), ("4", "d", 1)])
    numbers["query_id"] = numbers["query_id"].astype(int)
    write(tmp_path / "runs/a.parquet", frame(SECOND))
    write(tmp_path / "runs/b.parquet", numbers)
    found = ltr_sql.evaluate(tmp_path / "runs", ["RR"], qrels=QRELS, check=False)
    assert dict(zip(found["system"], found["RR"], strict=True)) == {"a": 0.25, "b": 0.5}


@pytest.mark.slow
def test_folders_of_parts_are_systems(tmp_path: Path) -> None:
    for system, first in (("bm25", FIRST), ("dense", FIRST[:2])):
        write(tmp_path / f"runs/{system}/part-00000.csv", frame(first))
        write(tmp_path / f"runs/{system}/part-00001.csv", frame(SECOND))
    (tmp_path / "runs/old").mkdir()
    folders = [tmp_path / "runs/bm25", tmp_path / "runs/dense"]
    rows = [{"system": "bm25", "queries": 4, "RR": MEAN}, {"system": "dense", "queries": 4, "RR": 0.5}]
    given: Any
    for given in (f"{tmp_path}/runs/*", f"{tmp_path}/runs/*/*.csv", folders, {"bm25": folders[0], "dense": folders[1]}):
        assert ltr_sql.evaluate(given, ["RR"], qrels=QRELS, check=False).to_dict("records") == rows
    qrels = write(tmp_path / "qrels.csv", judgments(slice(None)))
    assert printed("evaluate", qrels, *folders, "-m", "RR")[0] == rows
    shown = printed("compare", qrels, *folders, "-m", "RR", "--baseline", folders[1])[0]
    assert [(row["system_a"], row["difference"]) for row in shown] == [("dense", 0.125)]


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_numbers_of_parts_keep_their_values(suffix: str, tmp_path: Path) -> None:
    """A common type of integers and fractions must not round, as FLOAT rounds seconds."""
    seconds = frame([("1", f"d{i}", 1_790_000_000 - 60 * i) for i in range(10)])
    seconds["score"] = seconds["score"].astype("int64")
    fractions = frame([("2", "a", 0.5), ("2", "b", 0.25)])
    fractions["score"] = fractions["score"].astype("float32")
    write(tmp_path / f"run/part-0{suffix}", seconds)
    write(tmp_path / f"run/part-1{suffix}", fractions)
    assert evaluated(tmp_path / "run", qrels={"1": {"d0": 1}, "2": {"b": 1}}) == [{"queries": 2, "RR": 0.75}]


def test_parts_must_have_the_same_columns_and_format(tmp_path: Path) -> None:
    write(tmp_path / "run/part-0.csv", frame(FIRST))
    write(tmp_path / "run/part-1.csv", frame(SECOND, "rank"))
    with pytest.raises(InputError, match=r"part-1\.csv and \S+part-0\.csv are parts of .* first has a column rank"):
        ltr_sql.evaluate(tmp_path / "run", ["RR"], qrels=QRELS)
    write(tmp_path / "qrels/part-0.csv", judgments(slice(0, 2)))
    write(tmp_path / "qrels/part-1.jsonl", judgments(slice(2, 4)))
    with pytest.raises(InputError, match=r"files of different formats \(\.csv, \.jsonl\), which are not parts"):
        ltr_sql.evaluate({"1": {"a": 1.0}}, ["RR"], qrels=tmp_path / "qrels")


def test_the_rows_of_parts_keep_their_order(tmp_path: Path) -> None:
    for suffix in (".parquet", ".csv"):
        for number, rows in enumerate(([("1", "b", 1), ("1", "c", 1)], [("1", "a", 1)])):
            write(tmp_path / f"run{suffix}/part-{number}{suffix}", frame(rows))
        found = ltr_sql.evaluate(f"{tmp_path}/run{suffix}", ["RR"], qrels={"1": {"c": 1}}, ties="row_order")
        assert found["RR"].tolist() == [0.5]


def test_a_large_run_in_parts_is_evaluated_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        rows = [(str(4 * q + number), f"d{d}", float(d * 7 % 10)) for q in range(50) for d in range(10)]
        write(tmp_path / f"run/part-{number}.parquet", frame(rows))
    qrels = pd.DataFrame({"query_id": map(str, range(200)), "doc_id": "d1", "relevance": 1})
    expected = ltr_sql.evaluate(tmp_path / "run", ["RR", "AP"], qrels=qrels).to_dict("records")
    monkeypatch.setattr(accuracy, "_ROWS", 300)
    with session(None) as state:
        assert accuracy.number_of_batches(state, state.bind(tmp_path / "run", "run")) == 7
    assert ltr_sql.evaluate(tmp_path / "run", ["RR", "AP"], qrels=qrels).to_dict("records") == expected
    assert expected[0]["queries"] == 200


# Hive partitions

NIGHTS: Mapping[str, Rows] = {"2026-01-01": [*FIRST, *SECOND], "2026-01-02": [*FIRST, ("3", "b", 2), ("3", "a", 1)]}


@pytest.mark.default(".parquet")
@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".txt.gz"])
def test_hive_partitions_are_columns(suffix: str, tmp_path: Path) -> None:
    folder = tmp_path / "env=test" / "nights"
    paths = [write(folder / f"day={day}/a{suffix}", frame(rows)) for day, rows in NIGHTS.items()]
    patterns = [f"{folder}/*", f"{folder}/*/*{suffix}", f"{folder}/**/*"]
    for given in (folder, paths, *(patterns if suffix == ".parquet" else ())):
        found = ltr_sql.evaluate(given, ["RR"], qrels=QRELS, keys=["day"], check=False)
        assert [str(day)[:10] for day in found["day"]] == [*NIGHTS]
        assert found["RR"].tolist() == [MEAN, 0.5]
    with session(None) as state:
        columns = state.bind(folder, "run").columns
        assert columns["day"] == "DATE"
        assert "env" not in columns
    with pytest.raises(InputError, match=r"a document is in one ranking more than once .* pass the column that names"):
        ltr_sql.evaluate(folder, ["RR"], qrels=QRELS)


@pytest.mark.slow
def test_a_trend_reads_partitions(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"nights/day={day}/a.parquet", frame(rows)) for day, rows in NIGHTS.items()]
    trend = ltr_sql.trend(tmp_path / "nights", ["RR"], qrels=QRELS, by="day", check=False)
    assert trend["mean"].round(4).tolist() == [0.625, 0.6667]
    qrels = write(tmp_path / "qrels.csv", judgments(slice(None)))
    for words in ([tmp_path / "nights"], paths):
        rows, _ = printed("trend", qrels, *words, "-m", "RR", "--by", "day")
        assert [(row["day"], row["mean"]) for row in rows] == [*zip(NIGHTS, trend["mean"], strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_an_empty_night_is_named(suffix: str, tmp_path: Path) -> None:
    nights = tmp_path / "nights"
    for day, rows in (("2026-01-01", FIRST), ("2026-01-02", []), ("2026-01-03", FIRST)):
        write(nights / f"day={day}" / f"part-0.{suffix}", frame(rows).astype({"score": float}))
    # A part without rows, beside one that has them, is no empty night.
    write(nights / "day=2026-01-01" / f"part-1.{suffix}", frame([]).astype({"score": float}))
    message = "has no rows of day=2026-01-02: check their source, .* as asked=, with the columns query_id and day"
    with pytest.raises(InputError, match=message):
        ltr_sql.trend(nights, ["RR"], qrels=QRELS, by="day")
    with pytest.raises(InputError, match=message):
        ltr_sql.evaluate(nights, ["RR"], qrels=QRELS, keys=["day"])
    asked = pd.DataFrame([(q, f"2026-01-0{d}") for q in "12" for d in (1, 2, 3)], columns=["query_id", "day"])
    found = ltr_sql.trend(nights, ["RR"], qrels=QRELS, by="day", asked=asked)
    assert found["mean"].tolist() == [0.75, 0, 0.75]


def test_files_of_one_name_in_partitions_are_one_system(tmp_path: Path) -> None:
    for day, rows in NIGHTS.items():
        write(tmp_path / f"nights/day={day}/bm25.parquet", frame(rows))
        write(tmp_path / f"nights/day={day}/dense.parquet", frame(FIRST))
    found = ltr_sql.evaluate(tmp_path / "nights", ["RR"], qrels=QRELS, keys=["day"], check=False)
    assert [*zip(found["system"], found["RR"], strict=True)] == [
        ("bm25", MEAN),
        ("bm25", 0.5),
        ("dense", 0.375),
        ("dense", 0.375),
    ]
    shown = ltr_sql.compare(f"{tmp_path}/nights", ["RR"], qrels=QRELS, keys=["day"], check=False)
    assert shown["difference"].tolist() == [-0.25, -0.125]


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_types_and_names_of_partitions(suffix: str, tmp_path: Path) -> None:
    """Whole numbers, dates, texts with leading zeros, no value, escaped characters, and systems."""
    folders = ("week=9/code=007/name=a%20b/system=1", "week=10/code=8/name=__HIVE_DEFAULT_PARTITION__/system=2")
    for number, folder in enumerate(folders):
        write(tmp_path / f"run/{folder}/data_{number}{suffix}", frame(FIRST))
    with session(None) as state:
        table = state.bind(tmp_path / "run", "run")
        kinds = {name: table.columns[name] for name in ("week", "code", "name", "system")}
        rows = state.rows(f"select distinct week, code, name, system from {table.sql} order by week asc")
    assert kinds == {"week": "BIGINT", "code": "VARCHAR", "name": "VARCHAR", "system": "VARCHAR"}
    assert rows == [(9, "007", "a b", "1"), (10, "8", None, "2")]
    found = ltr_sql.evaluate(tmp_path / "run", ["RR"], qrels=QRELS, check=False)
    assert found[["system", "RR"]].to_dict("records") == [{"system": "1", "RR": 0.375}, {"system": "2", "RR": 0.375}]


def test_partitions_of_judgments_are_segments(tmp_path: Path) -> None:
    write(tmp_path / "qrels/country=de/part-0.csv", judgments(slice(0, 2)))
    write(tmp_path / "qrels/country=fr/part-0.csv", judgments(slice(2, 4)))
    run = frame([*FIRST, *SECOND])
    found = ltr_sql.evaluate(run, ["RR"], qrels=tmp_path / "qrels", keys=["country"])
    assert found.to_dict("records") == [
        {"country": "de", "queries": 2, "RR": 0.75},
        {"country": "fr", "queries": 2, "RR": 0.5},
    ]


@pytest.mark.slow
def test_saved_values_in_partitions(tmp_path: Path) -> None:
    for day, value in (("2026-01-01", 0.5), ("2026-01-02", 0.75)):
        table = pd.DataFrame({"query_id": ["1", "2", "3"], "RR": [value, value / 2, 1.0]})
        write(tmp_path / f"values/day={day}/v.parquet", table)
    found = ltr_sql.trend(tmp_path / "values", values=True, by="day")
    assert found["day"].dt.date.tolist() == [datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)]
    rows, _ = printed("trend", "--values", tmp_path / "values", "--by", "day")
    assert (
        [row["mean"] for row in rows] == found["mean"].tolist() == [pytest.approx(1.75 / 3), pytest.approx(2.125 / 3)]
    )


def test_sql_reads_parts_and_partitions(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    for number, rows in enumerate((FIRST, SECOND)):
        write(tmp_path / f"run/part-{number}.parquet", frame(rows))
    for day, rows in NIGHTS.items():
        write(tmp_path / f"nights/day={day}/a.parquet", frame(rows))
    write(tmp_path / "qrels.parquet", judgments(slice(None)))
    for pattern, keys, expected in (("run/*", "", [(4, MEAN)]), ("nights/*/*", ", keys := ['day']", None)):
        con.execute(
            f"create or replace temp table j as from ltr.judge('{tmp_path}/{pattern}.parquet', "
            f"'{tmp_path}/qrels.parquet'{keys})"
        )
        nights = [(datetime.date.fromisoformat(day), 4, rr) for day, rr in zip(NIGHTS, (MEAN, 0.5), strict=True)]
        found = con.execute(f"from ltr.evaluate('j', ['RR']{keys})").fetchall()
        assert found == [*(expected or nights)]


# Tables of other formats

LAKES = {"_delta_log/00000000000000000000.json": "Delta", "metadata/v1.metadata.json": "Iceberg"}
LAKES |= {"metadata/version-hint.text": "Iceberg", ".hoodie/hoodie.properties": "Hudi"}


@pytest.mark.parametrize("log", LAKES)
def test_tables_that_are_more_than_their_parquet_files_are_refused(log: str, tmp_path: Path) -> None:
    kind, table = LAKES[log], tmp_path / "run"
    data = table / "data" if kind == "Iceberg" else table
    path = write(data / "day=1/part-0.parquet", frame(FIRST))
    (table / log).parent.mkdir(exist_ok=True)
    (table / log).write_text("{}")
    way = {
        "Delta": r"DeltaTable\(path\)\.to_pyarrow_dataset\(\)",
        "Iceberg": r"scan\(\)\.to_arrow\(\)",
        "Hudi": "Spark",
    }
    qrels = write(tmp_path / "qrels.csv", judgments(slice(None)))
    forms: list[Any] = [table, data, f"{data}/*/*.parquet", f"{data}/*", [path], path]
    for run, judged in [*((given, QRELS) for given in [*forms, {"a": data}]), *((QRELS, given) for given in forms)]:
        with pytest.raises(InputError, match=rf"is a table of {kind}, .* in Python, pass .*{way[kind]}"):
            ltr_sql.evaluate(run, ["RR"], qrels=judged)
    assert f"is a table of {kind}" in printed("evaluate", qrels, table, "-m", "RR")[1]
    found = ltr_sql.evaluate(dataset(str(path)), ["RR"], qrels=QRELS, check=False)
    assert found.to_pylist() == [{"queries": 4, "RR": 0.375}]


# Several run ids in one file

FOLDS = "".join(f"{q} Q0 {d} 1 {score} fold{1 + (q > '2')}\n" for q, d, score in [*FIRST, *SECOND])
TWO = "1 Q0 a 1 2 bm25\n1 Q0 b 2 1 bm25\n1 Q0 b 1 2 dense\n1 Q0 a 2 1 dense\n"
NOTE = r"has 2 run ids \(fold1, fold2\), which share no query, so they are parts of one run\. If each is a system, eval"


@pytest.mark.filterwarnings("ignore:judged queries:ltr_sql.InputWarning")
def test_run_ids_without_a_common_query_are_one_run_everywhere(tmp_path: Path) -> None:
    run, qrels = tmp_path / "folds.txt", write(tmp_path / "qrels.txt", judgments(slice(None)))
    run.write_text(FOLDS)
    options: list[dict[str, Any]] = [{}, {"convention": "trec_eval"}]
    for given in options:
        with pytest.warns(InputWarning, match=NOTE):
            found = ltr_sql.evaluate(run, ["RR"], qrels=qrels, **given)
        assert found.to_dict("records") == [{"queries": 4, "RR": MEAN}]
    with pytest.warns(InputWarning, match=NOTE):
        assert ltr_sql.Evaluator(["RR"], QRELS).evaluate(run)["RR"].tolist() == [MEAN]
    with pytest.warns(InputWarning, match=NOTE):
        assert printed_lines(str(qrels), str(run), ["recip_rank"], TrecEvalOptions())[0].split()[-1] == "0.6250"
    with pytest.warns(InputWarning, match=NOTE):
        assert [*compare_conventions(str(run), str(qrels), ["RR"])["RR"][0]][:2] == ["trec_eval", MEAN]
    with pytest.warns(InputWarning, match=NOTE):
        assert (ltr_sql.verify(run, ["RR"], qrels=qrels)["queries"] == 4).all()
    with pytest.raises(InputError, match=r"folds\.txt has no run tag, which only TREC files have, or several"):
        ltr_sql.run_files([run], names="tag")
    report = ltr_sql.report(run, ["RR"], qrels=qrels)
    assert report.data["systems"] == ["folds"]
    assert "run ids (fold1, fold2)" in str(report.data["notes"])
    rows, said = printed("evaluate", qrels, run, "-m", "RR", "--convention", "trec_eval")
    assert rows == [{"queries": 4, "RR": MEAN}]
    assert "(fold1, fold2)" in said
    systems = ltr_sql.evaluate(run, ["RR"], qrels=qrels, keys=["system"], convention="trec_eval")
    assert systems[["system", "RR"]].values.tolist() == [["fold1", 0.375], ["fold2", 0.25]]
    with pytest.raises(InputError, match=rf"no column system.* Also: .*{NOTE}"):
        ltr_sql.compare(run, ["RR"], qrels=qrels, details=True)


def test_run_ids_with_a_common_query_are_systems_but_for_a_tool(tmp_path: Path) -> None:
    run, qrels, base = tmp_path / "all.txt", tmp_path / "qrels.txt", tmp_path / "base.txt"
    run.write_text(TWO)
    qrels.write_text("1 0 a 1\n")
    base.write_text("1 Q0 a 1 2 base\n")
    rows = [{"system": "bm25", "queries": 1, "RR": 1.0}, {"system": "dense", "queries": 1, "RR": 0.5}]
    assert evaluated(run, qrels=qrels) == rows
    assert printed("evaluate", qrels, run, "-m", "RR")[0] == rows
    assert evaluated([run, base], qrels=qrels) == [*rows, {"system": "base", "queries": 1, "RR": 1.0}]
    assert evaluated(run, qrels=qrels, convention="trec_eval", keys=["system"]) == rows
    # One file is one run for a tool, and a document must not be in it twice.
    for call in (
        lambda: ltr_sql.evaluate(run, ["RR"], qrels=qrels, convention="trec_eval"),
        lambda: printed_lines(str(qrels), str(run), ["recip_rank"], TrecEvalOptions()),
        lambda: compare_conventions(str(run), str(qrels), ["RR"]),
    ):
        with pytest.raises(
            InputError, match=r"(?s)more than once.* Also: \S+all.txt has 2 run ids \(bm25, dense\), which"
        ):
            call()
    assert printed("compare", qrels, run, "-m", "RR")[0][0]["system_b"] == "dense"
    assert printed("report", qrels, run, "-m", "RR")[0]["systems"] == ["bm25", "dense"]
    with pytest.raises(InputError, match=r"run 'a' has 2 run ids \(bm25, dense\): pass the file alone, without a name"):
        ltr_sql.evaluate({"a": run, "b": base}, ["RR"], qrels=qrels)
    run.write_text("1 Q0 a 1 2 bm25\n1 Q0 b 2 1 dense\n")
    with pytest.warns(InputWarning, match=r"run ids \(bm25, dense\), which are one run, as for the tool\. If each"):
        found = ltr_sql.evaluate(run, ["RR", "NumRet"], qrels=qrels, convention="trec_eval")
    assert found.to_dict("records") == [{"queries": 1, "RR": 1.0, "NumRet": 2}]


def test_trec_eval_says_which_grades_lose_their_fraction(tmp_path: Path) -> None:
    run, qrels = tmp_path / "run.txt", tmp_path / "qrels.txt"
    run.write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    qrels.write_text("1 0 a 0.9\n1 0 b 1.7\n1 0 c -0.5\n1 0 d 0.9\n1 0 e 2\n")
    said = r"grades lose their fraction, as in trec_eval \(4\): -0\.5 counts as 0, 0\.9 counts as 0, 1\.7 counts as 1\."
    with pytest.warns(InputWarning, match=said):
        assert printed_lines(str(qrels), str(run), ["recip_rank"], TrecEvalOptions())[0].split()[-1] == "0.5000"
    qrels.write_text("1 0 a 1.0\n1 0 b 0\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        printed_lines(str(qrels), str(run), ["recip_rank"], TrecEvalOptions())


def test_a_command_prints_an_empty_table_if_nothing_was_lost(tmp_path: Path) -> None:
    run, qrels = tmp_path / "run.txt", tmp_path / "qrels.txt"
    run.write_text("1 Q0 a 1 2 t\n")
    qrels.write_text("1 0 a 1\n")
    result = CliRunner().invoke(main, ["worst", str(qrels), str(run), "-m", "RR"])
    assert result.stdout.split()[:3] == ["query_id", "value", "query_loss"]
