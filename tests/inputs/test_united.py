"""Runs of one call: each has the ranking that it has alone, whatever stands beside it, in every form and type."""

import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql import InputError
from ltr_sql.command_line.main import main

# Two runs: one scored by seconds, which single precision rounds, and one by a model in single precision.

SECONDS = [1_790_000_000 - 60 * number for number in range(10)]
IDS = pd.DataFrame({"query_id": "q", "doc_id": [f"d{number}" for number in range(10)]})
FRESH = IDS.assign(score=SECONDS)
DENSE = IDS.assign(score=np.linspace(1, 0.1, 10).astype("float32"))
RUNS: dict[str, Any] = {"fresh": FRESH, "dense": DENSE}
QRELS = {"q": {"d0": 1}}


@pytest.mark.default("pandas")
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_beside_each_other(library: str) -> None:
    convert = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}[library]
    runs = {name: convert(run) for name, run in RUNS.items()}
    with ltr_sql.Evaluator(["RR"], QRELS) as evaluator:
        for found in (ltr_sql.evaluate(runs, ["RR"], qrels=QRELS), evaluator.evaluate(runs)):
            assert pd.Series(found["RR"].to_numpy()).tolist() == [1, 1]
    compared = ltr_sql.compare(runs, ["RR"], qrels=QRELS)
    assert [float(compared["mean_a"].to_numpy()[0]), float(compared["mean_b"].to_numpy()[0])] == [1, 1]


@pytest.mark.slow
def test_leaderboards_fusion_and_pools_rank_a_run_as_it_is_alone() -> None:
    assert ltr_sql.leaderboard(RUNS, ["RR"], qrels=QRELS)["mean"].tolist() == [1, 1]
    assert ltr_sql.verify(RUNS, ["RR"], qrels=QRELS)["verdict"].tolist() == ["equal"]
    assert ltr_sql.fuse(RUNS)["doc_id"].tolist()[:2] == ["d0", "d1"]
    assert ltr_sql.pool(RUNS, depth=1)["doc_id"].tolist() == ["d0"]
    unique = ltr_sql.unique_documents({"fresh": FRESH, "dense": DENSE[5:6]}, depth=1)
    assert dict(zip(unique["system"], unique["doc_id"], strict=True)) == {"fresh": "d0", "dense": "d5"}
    assert ltr_sql.agreement(RUNS, measures=["KendallTau"])["KendallTau"].tolist() == [1]


def test_files_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("q 0 d0 1\n", encoding="utf-8")
    paths = [str(tmp_path / f"{name}.parquet") for name in RUNS]
    for path, run in zip(paths, RUNS.values(), strict=True):
        run.to_parquet(path)
    words = ["evaluate", str(tmp_path / "q.txt"), *paths, "-m", "RR", "--format", "csv"]
    assert CliRunner().invoke(main, words).stdout.splitlines()[1:] == ["fresh,1,1.0", "dense,1,1.0"]
    assert ltr_sql.evaluate(paths, ["RR"], qrels=QRELS)["RR"].tolist() == [1, 1]


@pytest.mark.default("UBIGINT", "BIGNUM")
@pytest.mark.filterwarnings("ignore:queries of the run have no judgments:ltr_sql.InputWarning")
@pytest.mark.parametrize("kind", ["UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM", "DECIMAL(38, 10)", "BIGINT"])
def test_types_beside_doubles(kind: str, con: duckdb.DuckDBPyConnection) -> None:
    """A type with more digits than doubles is fine, unless two of its numbers are one double."""
    con.execute(
        "create table run as "
        f"select 'q' as query_id, 'd' || i as doc_id, (90 - i)::{kind} as score from range(10) as t(i)"
    )
    given = {"run": con.table("run"), "dense": DENSE, "other": DENSE.assign(score=range(10, 0, -1))}
    assert ltr_sql.evaluate(given, ["RR"], qrels=QRELS, con=con)["RR"].tolist() == [1, 1, 1]
    con.execute(f"update run set score = ('900719925474099' || right(doc_id, 1))::{kind}")
    message = (
        r"score has floats, and the numbers 900719925474099\d(\.0+)? and 900719925474099\d(\.0+)? in 'run', "
        "which are equal as floats: pass one type"
    )
    with pytest.raises(InputError, match=message):
        ltr_sql.evaluate(given, ["RR"], qrels=QRELS, con=con)
    # Two queries may have scores that are one double.
    con.execute("update run set query_id = doc_id")
    assert len(ltr_sql.evaluate(given, ["RR"], qrels={**QRELS, "d0": {"d0": 1}}, con=con, missing="skip")) == 3


def test_decimals_beside_integers_keep_their_digits(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "create table near as select 'q' as query_id, unnest(['d0', 'd1']) as doc_id, "
        "unnest([12345678.0000000002, 12345678.0000000001])::decimal(18, 10) as score"
    )
    con.execute(
        f"create table large as select query_id, doc_id, if(doc_id = 'd0', {2**60 + 1}, {2**60}) as score from near"
    )
    runs = {"near": con.table("near"), "large": con.table("large")}
    assert ltr_sql.evaluate(runs, ["RR"], qrels=QRELS, con=con)["RR"].tolist() == [1, 1]
    con.execute("create table small as select query_id, doc_id, score::decimal(38, 20) as score from near")
    runs = {"near": con.table("near"), "small": con.table("small")}
    assert ltr_sql.evaluate(runs, ["RR"], qrels=QRELS, con=con)["RR"].tolist() == [1, 1]


def test_text_beside_numbers() -> None:
    """Text is read as doubles. Beside it, other numbers must keep their values."""
    text, floats = {"q": {"d0": "2", "d1": "1"}}, IDS.assign(score=np.full(10, 0.1, np.float32))
    fused = ltr_sql.fuse({"text": text, "floats": floats}, "comb_sum")
    assert fused["score"].min() == float(np.float32(0.1))
    large = {"q": {"d0": 2**60 + 1, "d1": 2**60}}
    with pytest.raises(InputError, match="in 'large', which are equal as floats"):
        ltr_sql.evaluate({"large": large, "text": text}, ["RR"], qrels=QRELS)


def test_files_with_ids_of_several_types_are_systems(tmp_path: Path) -> None:
    for name, kind in (("ints", int), ("floats", float)):
        pd.DataFrame({"query_id": [1], "doc_id": [7], "score": [1]}).astype({"query_id": kind}).to_parquet(
            tmp_path / f"{name}.parquet"
        )
    found = ltr_sql.evaluate(str(tmp_path / "*.parquet"), ["RR"], qrels={"1": {"7": 1}})
    assert dict(zip(found["system"], found["RR"], strict=True)) == {"floats": 1, "ints": 1}


def test_judgments_and_keys_beside_others() -> None:
    """Grades of raters, ranks, and ids of several types."""
    raters = {
        "a": pd.DataFrame({"query_id": "q", "doc_id": [1, 2], "relevance": np.array([0.5, 1], np.float32)}),
        "b": pd.DataFrame({"query_id": "q", "doc_id": ["1", "2"], "relevance": [2**24 + 1, 1]}),
    }
    merged = ltr_sql.merge_judgments(raters, "max").sort_values("doc_id")
    assert merged["relevance"].tolist() == [2**24 + 1, 1]
    runs = {
        "a": pd.DataFrame(
            {"query_id": [1, 1], "doc_id": [10, 9], "rank": np.array([1, 2], np.float32), "fold": [2**24 + 1] * 2}
        ),
        "b": pd.DataFrame(
            {"query_id": ["1", "1"], "doc_id": ["10", "9"], "rank": [2, 1], "fold": np.array([1, 1], np.float32)}
        ),
        "c": pd.DataFrame({"query_id": [1.0, 1.0], "doc_id": [10.0, 9.0], "rank": [1.0, 2.0], "fold": [1, 1]}),
    }
    found = ltr_sql.evaluate(runs, ["RR"], qrels={"1": {"10": 1}}, keys=["fold"])
    assert found["RR"].tolist() == [1, 0.5, 1]
    assert found["fold"].tolist() == [2**24 + 1, 1, 1]


# The same small data in all forms and types, at random.

QUERIES, DOCUMENTS = (1, 2, 10), range(1, 13)
MEASURES = ["RR", "AP"]
# Types of scores: the score of step n, and the type in pandas, polars, Arrow and DuckDB.
BIG = pl.Decimal(38, 0)
SCORES: dict[str, tuple[Callable[[int], Any], Any, Any, Any, str]] = {
    "int32": (lambda n: n, "int32", pl.Int32, pa.int32(), "integer"),
    "int64": (lambda n: 2**60 + 1000 * n, "int64", pl.Int64, pa.int64(), "bigint"),
    "int64 near": (lambda n: 2**60 + n, "int64", pl.Int64, pa.int64(), "bigint"),
    "seconds": (lambda n: 1_790_000_000 + n, "int64", pl.Int64, pa.int64(), "bigint"),
    "uint64": (lambda n: 2**63 + 5000 * n, "uint64", pl.UInt64, pa.uint64(), "ubigint"),
    "hugeint": (lambda n: 2**70 + n, "object", BIG, pa.decimal128(38, 0), "hugeint"),
    "decimal": (lambda n: Decimal(n) / 10**20, "object", pl.Decimal(38, 20), pa.decimal128(38, 20), "decimal(38, 20)"),
    "decimal near": (
        lambda n: Decimal(n) / 10**20 + 1,
        "object",
        pl.Decimal(38, 20),
        pa.decimal128(38, 20),
        "decimal(38, 20)",
    ),
    "float32": (lambda n: float(np.float32(n / 7)), "float32", pl.Float32, pa.float32(), "float"),
    "float64": (lambda n: n / 7, "float64", pl.Float64, pa.float64(), "double"),
    "text": (lambda n: str(2**60 + n), "str", pl.String, pa.string(), "varchar"),
}
# Types of ids, as for scores.
KINDS: dict[str, tuple[Callable[[int], Any], Any, Any, Any, str]] = {
    "integer": (int, "int64", pl.Int64, pa.int64(), "bigint"),
    "text": (str, "str", pl.String, pa.string(), "varchar"),
    "float": (float, "float64", pl.Float64, pa.float64(), "double"),
}
# Types that forms read as doubles: text has no Decimals, and scores of TREC files are doubles, as in trec_eval.
OF_DOUBLES = {
    "trec": ("int64 near", "hugeint", "decimal near", "text"),
    "csv": ("decimal near",),
    "tsv": ("decimal near",),
    "jsonl": ("decimal near",),
}
FILES = ("csv", "tsv", "trec", "jsonl", "parquet")
NAMES = ("query_id", "doc_id", "score")


@dataclass(frozen=True)
class Drawn:
    """A run as drawn.

    - `form`, `scores`, `ids`: its form, and the types of its scores and ids.
    - `steps`: the steps of the scores, by query and document.
    """

    form: str
    scores: str
    ids: str
    steps: Mapping[tuple[int, int], int]

    @property
    def rows(self) -> list[tuple[Any, Any, Any]]:
        score, document = SCORES[self.scores][0], KINDS[self.ids][0]
        return [(document(q), document(d), score(n)) for (q, d), n in self.steps.items()]

    def values(self, qrels: Mapping[int, Mapping[int, int]]) -> list[float]:
        """The measures, computed without SQL."""
        rounded = self.scores in OF_DOUBLES.get(self.form, ())
        number = SCORES[self.scores][0]
        found = []
        for query, judged in qrels.items():
            ranked = sorted(
                (
                    (float(number(n)) if rounded else Decimal(number(n)), str(d))
                    for (q, d), n in self.steps.items()
                    if q == query
                ),
                reverse=True,
            )
            ranks = [rank for rank, (_, d) in enumerate(ranked, start=1) if judged.get(int(d), 0) > 0]
            relevant = sum(grade > 0 for grade in judged.values())
            precisions = math.fsum(number / rank for number, rank in enumerate(ranks, start=1))
            found.append((1 / ranks[0] if ranks else 0.0, precisions / relevant))
        return [math.fsum(values) / len(found) for values in zip(*found, strict=True)]

    @property
    def near(self) -> bool:
        """True if two scores of a query may be equal as doubles, so that the run is refused beside floats."""
        return self.scores in ("int64 near", "hugeint", "decimal near", "text") and self.form != "trec"


def made(run: Drawn, folder: Path, name: str, con: duckdb.DuckDBPyConnection) -> Any:
    """Return a run in its form: an object of Python, the path of a file, or the name of a table."""
    score, ids = SCORES[run.scores], KINDS[run.ids]
    columns = dict(zip(NAMES, map(list, zip(*run.rows, strict=True)), strict=True))
    types: list[Any] = [dict(zip(NAMES, (ids[i], ids[i], score[i]), strict=True)) for i in range(1, 5)]
    if run.form == "table":
        listed = ", ".join(f"{column} {kind}" for column, kind in types[3].items())
        con.execute(f"create table {name} ({listed})")
        con.executemany(f"insert into {name} values (?, ?, ?)", [tuple(map(str, row)) for row in run.rows])
        return name
    if run.form in FILES:
        path = folder / f"{name}.{'txt' if run.form == 'trec' else run.form}"
        if run.form == "parquet":
            pq.write_table(arrow(columns, types[2]), path)
        else:
            path.write_text(text_of(run), encoding="utf-8")
        return str(path)
    makers: dict[str, Callable[[], Any]] = {
        "dict": lambda: nested(run),
        "frame": lambda: pd.DataFrame({n: pd.Series(v, dtype=object) for n, v in columns.items()}).astype(types[0]),
        "records": lambda: [dict(zip(NAMES, row, strict=True)) for row in run.rows],
        "arrow": lambda: arrow(columns, types[2]),
        "polars": lambda: pl.DataFrame(columns, schema=types[1]),
    }
    return makers[run.form]()


def arrow(columns: Mapping[str, list[Any]], types: Mapping[str, Any]) -> Any:
    return pa.table({name: pa.array(values, types[name]) for name, values in columns.items()})


def nested(run: Drawn) -> dict[Any, dict[Any, Any]]:
    found: dict[Any, dict[Any, Any]] = {}
    for query, document, value in run.rows:
        found.setdefault(query, {})[document] = np.float32(value) if run.scores == "float32" else value
    return found


def text_of(run: Drawn) -> str:
    if run.form == "trec":
        return "".join(f"{int(q)} Q0 {int(d)} 1 {s} t\n" for q, d, s in run.rows)
    if run.form == "jsonl":
        return "\n".join(json.dumps(dict(zip(NAMES, row, strict=True)), default=float) for row in run.rows)
    separator = "\t" if run.form == "tsv" else ","
    return "\n".join(separator.join(map(str, row)) for row in [NAMES, *run.rows])


def drawn(rng: random.Random, form: str) -> Drawn:
    pairs = [(q, d) for q in QUERIES for d in rng.sample(DOCUMENTS, rng.randint(4, len(DOCUMENTS)))]
    ids = "integer" if form == "trec" else rng.choice([*KINDS])
    scores = rng.choice([*SCORES])
    return Drawn(form, scores, ids, {pair: rng.randint(0, 6) for pair in pairs})


FORMS = ("dict", "frame", "records", "arrow", "polars", "table", *FILES)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_some_runs_beside_each_other(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    compare_forms(4, ("frame", "table", "csv", "parquet"), 2, con, tmp_path)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.parametrize("seed", range(20))
def test_runs_beside_each_other(seed: int, con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    compare_forms(seed, FORMS, 12, con, tmp_path)


def compare_forms(seed: int, forms: Sequence[str], pairs: int, con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    """Compare each run alone with values computed without SQL, then pairs of runs with the runs alone."""
    rng = random.Random(seed)
    judged = {q: {d: rng.randint(0, 1) for d in DOCUMENTS} | {DOCUMENTS[-1]: 1} for q in QUERIES}
    kind, _, _, _, name = KINDS[rng.choice([*KINDS])]
    con.execute(f"create table qrels (query_id {name}, doc_id {name}, relevance integer)")
    con.executemany(
        "insert into qrels values (?, ?, ?)", [(q, d, g) for q, of in judged.items() for d, g in of.items()]
    )
    rows = [(kind(q), kind(d), g) for q, of in judged.items() for d, g in of.items()]
    qrels = rng.choice(["qrels", pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])])
    path = tmp_path / "qrels.txt"
    path.write_text("".join(f"{q} 0 {d} {g}\n" for q, of in judged.items() for d, g in of.items()), encoding="utf-8")
    runs = {f"run_{form}": drawn(rng, form) for form in forms}
    given = {name: made(run, tmp_path, name, con) for name, run in runs.items()}
    alone = {name: run.values(judged) for name, run in runs.items()}

    def values(rankings: Any) -> list[Any]:
        found = ltr_sql.evaluate(rankings, MEASURES, qrels=qrels, con=con)
        frame = found.to_pandas() if hasattr(found, "to_pandas") else found
        return [pytest.approx(row, rel=0, abs=1e-12) for row in frame[MEASURES].to_numpy().tolist()]

    for name, run in runs.items():
        assert [alone[name]] == values(given[name]), run
    for _ in range(pairs):
        one, other = rng.sample([name for name in runs if name != "run_records"], 2)
        try:
            assert [alone[one], alone[other]] == values({one: given[one], other: given[other]}), (
                runs[one],
                runs[other],
            )
        except InputError as error:
            assert "which are equal as floats: pass one type" in str(error)
            assert runs[one].near or runs[other].near
    # SQL reads neither text scores beyond doubles nor whole floats beside text.
    run = runs["run_table"]
    if run.scores != "text" and {run.ids, name_of(kind)} != {"float", "text"}:
        macro = con.execute(
            "with j as (from ltr.judge('run_table', 'qrels')) from ltr.evaluate('j', ['RR', 'AP'])"
        ).fetchall()
        assert [pytest.approx(row[1:], rel=0, abs=1e-12) for row in macro] == [tuple(alone["run_table"])]
    names = [f"run_{form}" for form in forms if form in FILES]
    one, other = rng.sample(names, 2)
    words = ["evaluate", str(path), given[one], given[other], "-m", "RR", "-m", "AP", "--format", "csv"]
    result = CliRunner().invoke(main, words)
    if result.exit_code:
        assert "which are equal as floats: pass one type" in result.output
        assert runs[one].near or runs[other].near
    else:
        lines = [line.split(",") for line in result.stdout.splitlines()[1:]]
        assert [[*map(float, line[2:])] for line in lines] == [
            pytest.approx(alone[n], rel=0, abs=1e-12) for n in (one, other)
        ]


def name_of(kind: Callable[[int], Any]) -> str:
    return next(name for name, (convert, *_) in KINDS.items() if convert is kind)
