"""Numbers that a double rounds keep their digits in every form, or are refused. Ids that became floats are integers."""

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql import InputError, InputWarning
from ltr_sql.command_line.main import main
from ltr_sql.evaluation import accuracy

# The better document is a. It comes last if the scores of both are equal.
QRELS = {"q": {"a": 1}}
LIMIT = 2**53
INTEGERS: dict[str, list[Any]] = {
    "above 2^53": [LIMIT + 1, LIMIT],
    "beyond 64 bits": [2**70 + 1, 2**70],
    "beyond 128 bits": [2**130 + 1, 2**130],
    "below -2^53": [-LIMIT, -LIMIT - 1],
    "the least of 64 bits": [-(2**63) + 1, -(2**63)],
    "beyond 63 bits": [2**63 + 1, 2**63],
    "of both signs": [2**63 + 5, 2**63 + 1, -1],
}
DECIMALS: dict[str, list[Any]] = {
    "whole": [Decimal(LIMIT + 1), Decimal(LIMIT)],
    "digits": [Decimal("0.10000000000000000001"), Decimal("0.1")],
    "small": [Decimal("1.0000000000000000001E-7"), Decimal("1E-7")],
    "one of many": [Decimal("1.04"), *[Decimal("1.0")] * 2000],
    "beside integers": [LIMIT + 1, Decimal(LIMIT)],
    "beside floats": [Decimal("0.5"), 0.25],
}


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def ids_of(scores: Sequence[Any]) -> list[str]:
    return ["a", *(f"b{number}" for number in range(1, len(scores)))]


def objects(values: Sequence[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def columns(scores: Sequence[Any]) -> dict[str, Any]:
    return {"query_id": ["q"] * len(scores), "doc_id": ids_of(scores), "score": list(scores)}


# Runs of Python objects.
FORMS: dict[str, Callable[[Sequence[Any]], Any]] = {
    "dict": lambda scores: {"q": dict(zip(ids_of(scores), scores, strict=True))},
    "frame": lambda scores: pd.DataFrame({**columns(scores), "score": pd.Series(scores, dtype=object)}),
    "records": lambda scores: pd.DataFrame(columns(scores), dtype=object).to_dict("records"),
    "dict of lists": columns,
    "dict of arrays": lambda scores: {name: objects(values) for name, values in columns(scores).items()},
}


def rr(run: Any, **options: Any) -> float:
    found = ltr_sql.evaluate(run, ["RR"], qrels=QRELS, **options)
    return float(found["RR"][0])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", INTEGERS)
def test_integers_of_python_keep_their_digits(name: str, form: str) -> None:
    run = FORMS[form](INTEGERS[name])
    assert rr(run) == 1
    # A dict of dicts is joined in Python, unless a table stands beside it.
    assert ltr_sql.evaluate(run, ["RR"], qrels=[{"query_id": "q", "doc_id": "a", "relevance": 1}])["RR"].tolist() == [1]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", DECIMALS)
def test_decimals_of_python_keep_their_digits(name: str, form: str) -> None:
    assert rr(FORMS[form](DECIMALS[name])) == 1


def test_decimals_of_other_frames() -> None:
    for scores in (DECIMALS["whole"], DECIMALS["digits"]):
        assert rr(pl.DataFrame(columns(scores))) == 1
        assert ltr_sql.evaluate(pa.table(columns(scores)), ["RR"], qrels=QRELS)["RR"].to_pylist() == [1]


def test_decimals_that_no_type_holds() -> None:
    assert rr(FORMS["frame"]([Decimal("1E+30"), Decimal("2E-60"), Decimal("1E-60")])) == 1
    for scores in ([Decimal("1.00000000000000000001E-40"), Decimal("1E-40")], [Decimal("0.1"), 0.1]):
        with pytest.raises(InputError, match="score has numbers that differ, but not as floats: round them"):
            rr(FORMS["frame"](scores))
    assert rr(FORMS["frame"]([Decimal("Infinity"), Decimal("1")]), check=False) == 1


@pytest.mark.parametrize(
    "scores",
    [
        [LIMIT + 1, LIMIT, 0.5],
        [np.int64(LIMIT + 1), np.int64(LIMIT), np.float64(0.5)],
        [np.uint64(2**63 + 1), 2**63, np.float32(0.5)],
    ],
    ids=str,
)
def test_large_integers_beside_floats_are_refused(scores: list[Any]) -> None:
    message = f"score has floats and the integer {int(scores[0])}, which a float may round: pass one type"
    for form in FORMS.values():
        with pytest.raises(InputError, match=message):
            rr(form(scores))
    renamed = FORMS["frame"](scores).rename(columns={"score": "sim"})
    with pytest.raises(
        InputError, match=r"score has floats, and the numbers \d+ and \d+, which are equal as floats: pass one type"
    ):
        rr(renamed, columns={"sim": "score"})


# Files. A TREC file has doubles, as in trec_eval.


def csv(scores: Sequence[Any], separator: str = ",") -> str:
    rows = [("query_id", "doc_id", "score"), *(("q", d, str(s)) for d, s in zip(ids_of(scores), scores, strict=True))]
    return "".join(f"{separator.join(row)}\n" for row in rows)


def json_lines(scores: Sequence[Any]) -> str:
    rows = zip(ids_of(scores), scores, strict=True)
    return "".join(f"{json.dumps({'query_id': 'q', 'doc_id': d, 'score': s})}\n" for d, s in rows)


TEXTS: dict[str, Callable[[Sequence[Any]], str]] = {
    "csv": csv,
    "jsonl": json_lines,
    "tsv": lambda scores: csv(scores, "\t"),
    "json": lambda scores: json.dumps(FORMS["dict"](scores)),
    "nested.jsonl": lambda scores: json.dumps(
        {"query_id": "q", "docs": [{"id": d, "score": s} for d, s in zip(ids_of(scores), scores, strict=True)]}
    ),
}


@pytest.mark.default("below -2^53", "above 2^53")
@pytest.mark.parametrize("name", INTEGERS)
def test_integers_of_files_keep_their_digits(name: str, tmp_path: Path) -> None:
    for suffix, text in TEXTS.items():
        path = written(tmp_path / f"run.{suffix}", text(INTEGERS[name]))
        assert rr(path, **nested(suffix)) == 1, suffix


def nested(suffix: str) -> dict[str, Any]:
    names = {"docs[].id": "doc_id", "docs[].score": "score"}
    return {"columns": names} if suffix.startswith("nested") else {}


def test_integers_of_files_on_the_command_line(tmp_path: Path) -> None:
    qrels = str(written(tmp_path / "qrels.txt", "q 0 a 1\n"))
    large = str(written(tmp_path / "large.csv", csv(INTEGERS["above 2^53"])))
    whole = str(written(tmp_path / "whole.jsonl", json_lines([2, 1])))
    floats = str(written(tmp_path / "floats.tsv", csv([2.5, 1], "\t")))
    words = ["evaluate", qrels, large, "-m", "RR", "--format", "csv"]
    assert CliRunner().invoke(main, [*words, whole]).output.splitlines()[1:] == ["large,1,1.0", "whole,1,1.0"]
    result = CliRunner().invoke(main, [*words, floats])
    assert result.exit_code == 2
    numbers = f"the numbers {LIMIT} and {LIMIT + 1} in 'large', which are equal as floats: pass one type"
    assert f"score has floats, and {numbers}" in result.output


def test_large_integers_beside_fractions_in_files(tmp_path: Path) -> None:
    for suffix, text in TEXTS.items():
        path = written(tmp_path / f"run.{suffix}", text([LIMIT + 1, LIMIT, 0.5]))
        with pytest.raises(InputError, match=r"score has floats,? and the (integer|numbers) 900719925474099"):
            rr(path, **nested(suffix))
    # Browsers write large floats so.
    assert rr(written(tmp_path / "run.csv", csv([12345678901234567000, 12345678901234565000, 0.5]))) == 1
    assert rr(written(tmp_path / "run.csv", csv(["1e+300", "12345678901234565000", "inf"])), check=False) == 0.5


@pytest.mark.parametrize("kind", ["varchar", "bignum"])
def test_large_integers_of_tables(kind: str, con: duckdb.DuckDBPyConnection) -> None:
    values = ", ".join(f"('{number + 1}', '{number}')" for number in (LIMIT, 2**70, 2**130))
    con.execute(
        f"create table run as select y as query_id, d as doc_id, cast(if(d = 'a', x, y) as {kind}) as score "
        f"from (values {values}) as v(x, y), (values ('a'), ('b')) as r(d)"
    )
    con.execute("create table qrels as select distinct query_id, 'a' as doc_id, 1 as relevance from run")
    if kind == "varchar":
        con.execute("update run set score = ' +' || score || '.0 ' where doc_id = 'a'")
    assert ltr_sql.evaluate("run", ["RR"], qrels="qrels", con=con)["RR"].tolist() == [1]
    con.execute("begin")
    assert ltr_sql.evaluate("run", ["RR"], qrels="qrels", con=con)["RR"].tolist() == [1]
    con.execute("rollback")
    con.execute("insert into run values ('q', 'a', '1')")
    if kind == "varchar":
        con.execute("update run set score = 'high' where query_id = 'q'")
        with pytest.raises(InputError, match="not a number"):
            ltr_sql.evaluate("run", ["RR"], qrels="qrels", con=con)


def test_large_scores_of_a_baseline(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create table run as select 'q' as query_id, unnest(['a', 'b']) as doc_id, unnest([2e0, 1e0]) as score")
    con.execute(f"create table other as select * replace (if(doc_id = 'a', {LIMIT + 1}, {LIMIT}) as score) from run")
    for run, baseline in (("run", "other"), ("other", "run")):
        found = ltr_sql.evaluate(run, ["Churn@1"], baseline=baseline, con=con)
        assert found["Churn@1"].tolist() == [0]
        assert ltr_sql.agreement(run, baseline, ["KendallTau"], con=con)["KendallTau"].tolist() == [1]


@pytest.mark.default("HUGEINT")
@pytest.mark.parametrize("kind", ["HUGEINT", "BIGNUM", "UHUGEINT", "BIGINT", "DECIMAL(38, 5)", "VARCHAR"])
def test_types_in_batches(kind: str, con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accuracy, "_ROWS", 3)

    def large(number: str) -> str:
        return f"cast(cast({LIMIT} {number} as varchar) as {kind})"

    con.execute(
        f"create table run as select {large('+ q')} as query_id, {large('+ d')} as doc_id, {large('- d')} as score "
        "from range(3) as a(q), range(4) as b(d) order by d, q"
    )
    con.execute(
        f"create table qrels as select distinct query_id, doc_id, 1 as relevance from run where doc_id = {large('+ 1')}"
    )
    values = ltr_sql.evaluate("run", ["RR"], qrels="qrels", by_query=True, con=con)
    assert values["RR"].tolist() == [0.5] * 3


# The ids 10, 11, 12.0.


def scored(documents: Sequence[Any], query: Any = 1) -> list[tuple[Any, Any, int]]:
    return [(query, document, -number) for number, document in enumerate(documents)]


def text_of(rows: Sequence[tuple[Any, ...]], separator: str) -> str:
    return "".join(f"{separator.join(map(str, row))}\n" for row in [("query_id", "doc_id", "score"), *rows])


NAMES = ["query_id", "doc_id", "score"]
ROWS = scored([10, 11, 12.0])
FLOATS: dict[str, Callable[[Path], Any]] = {
    "dict": lambda _: {1.0: {10: 3, 11: 2, 12.0: 1}},
    "frame": lambda _: pd.DataFrame(ROWS, columns=NAMES),
    "float32": lambda _: pd.DataFrame(ROWS, columns=NAMES).astype({"query_id": "float32", "doc_id": "float32"}),
    "objects": lambda _: pd.DataFrame(scored([10, "11", 12.0]), columns=NAMES),
    "decimals": lambda _: pd.DataFrame(scored([Decimal(10), Decimal(11), Decimal("12.0")]), columns=NAMES),
    "records": lambda _: [dict(zip(NAMES, row, strict=True)) for row in ROWS],
    "csv": lambda path: written(path / "run.csv", text_of(ROWS, ",")),
    "tsv": lambda path: written(path / "run.tsv", text_of(scored([10.0, 11.0, 12.0], 1.0), "\t")),
    "jsonl": lambda path: written(
        path / "run.jsonl", "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in ROWS)
    ),
}


@pytest.mark.default("dict", "float32", "frame")
@pytest.mark.parametrize("form", FLOATS)
def test_ids_that_became_floats(form: str, tmp_path: Path) -> None:
    run = FLOATS[form](tmp_path)
    value = pytest.approx(1 / 3)
    for qrels in ({"1": {"12": 1}}, pd.DataFrame({"query_id": [1], "doc_id": [12], "relevance": [1]})):
        assert ltr_sql.evaluate(run, ["RR"], qrels=qrels)["RR"].tolist() == [value]
        both = ltr_sql.evaluate({"x": run, "y": {"1": {"12": 1}}}, ["RR"], qrels=qrels)
        assert both["RR"].tolist() == [value, 1]


def test_ids_of_nested_files_that_became_floats(tmp_path: Path) -> None:
    path = written(tmp_path / "n.jsonl", '{"query_id": 1.0, "docs": [{"id": 10}, {"id": 11}, {"id": 12.0}]}\n')
    names = {"docs[].id": "doc_id"}
    assert ltr_sql.evaluate(path, ["RR"], qrels={"1": {"12": 1}}, columns=names)["RR"].tolist() == [1 / 3]


def test_ids_with_a_fraction_stay_text(tmp_path: Path) -> None:
    path = written(tmp_path / "run.csv", text_of(scored(["1.0", "1.1", "1.10"]), ","))
    found = ltr_sql.evaluate(path, ["NumRelRet"], qrels={"1": dict.fromkeys(["1", "1.0", "1.1", "1.10"], 1)})
    assert found["NumRelRet"].tolist() == [3]


def test_other_ids_that_became_floats_are_a_finding(tmp_path: Path) -> None:
    path = written(tmp_path / "run.txt", "1 Q0 10 1 3 t\n1 Q0 11 2 2 t\n1 Q0 12.0 3 1 t\n")
    found = ltr_sql.check(path, qrels={"1": {"10": 1, "12": 1}})
    (first,) = found.loc[found["what"].str.contains("a fraction"), "first_rows"]
    assert first == "doc_id '12.0' in the run, '12' in the judgments"


# Tables of values


def test_values_of_several_types(tmp_path: Path) -> None:
    files = [str(tmp_path / f"{week}.parquet") for week in ("2026-W01", "2026-W02")]
    for file, kind, value in zip(files, ("bigint", "float"), (2**24 + 1, 2**24), strict=True):
        duckdb.sql(
            f"copy (select 'q' || i as query_id, ({value} + 2 * i)::{kind} as hits from range(3) as t(i)) to '{file}'"
        )
    for command in ("compare", "trend"):
        text = CliRunner().invoke(main, [command, "--values", *files, "--format", "csv"]).stdout
        header, *_, last = (line.split(",") for line in text.splitlines())
        assert float(last[header.index("difference")]) == -1, command


# Scored tables without ids


TIED = pd.DataFrame(
    {"query_id": ["u"] * 4 + ["v"] * 3, "score": [5, 5, 2, 1, 9, 9, 3], "relevance": [1, 0, 0, 1, 0, 1, 0]}
)


@pytest.mark.default("AUC-0.5625")
@pytest.mark.parametrize(
    ("measure", "value"), [("AUC", 0.5625), ("ThresholdAP", 0.5), ("expected_RR", 0.75), ("LRAP", 0.5)]
)
def test_measures_that_define_ties_need_no_tie_break(measure: str, value: float) -> None:
    given: list[dict[str, Any]] = [{}, {"ties": "docid_asc"}, {"ties": "expected"}]
    for options in given:
        assert ltr_sql.evaluate(TIED, [measure], **options)[measure].tolist() == [pytest.approx(value)], options
        assert ltr_sql.verify(TIED, [measure], **options)["verdict"].tolist() == ["equal"]
    with pytest.raises(InputError, match="or ties='expected' for measures that define the value of ties, such as AUC"):
        ltr_sql.evaluate(TIED, [measure, "AP"])
    # Ids break ties.
    first = TIED.assign(doc_id=[*"dcba", *"xyz"])
    assert ltr_sql.evaluate(first, ["AUC"])["AUC"].tolist() == [0.75]


def test_keys_of_a_table_of_values_keep_their_digits(tmp_path: Path) -> None:
    users = (2**53, 2**53 + 1)
    rows = [(s, f"q{q}{u}", u, 1 + q % 2) for s in "ab" for u in users for q in range(4)]
    frame = pd.DataFrame(rows, columns=["system", "query_id", "user", "DCG"])
    for separator, name in ((",", "values.csv"), ("\t", "values.tsv")):
        frame.to_csv(tmp_path / name, sep=separator, index=False)
        found = ltr_sql.leaderboard(tmp_path / name, values=True, keys=["user"])
        assert found["user"].tolist() == [user for user in users for _ in range(2)]


@pytest.mark.slow
def test_a_fraction_below_many_whole_numbers_is_a_number(tmp_path: Path) -> None:
    """DuckDB infers the types of a file from its first 20,480 rows."""
    text = "system,query_id,DCG\n" + "".join(f"a,q{q},1\n" for q in range(30_000)) + "a,last,0.5\n"
    (tmp_path / "late.csv").write_text(text, encoding="utf-8")
    (mean,) = ltr_sql.leaderboard(tmp_path / "late.csv", values=True)["mean"]
    assert mean == pytest.approx((30_000 + 0.5) / 30_001, abs=1e-12)


@pytest.mark.parametrize("text", ["9007199254740993", " -9007199254740993 "])
def test_sql_refuses_a_text_that_a_double_rounds(text: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create table qrels as select 'q' as query_id, 'a' as doc_id, 1 as relevance")
    con.execute(
        "create table run as select 'q' as query_id, unnest(['a', 'b']) as doc_id, unnest([?, '1']) as score", [text]
    )
    message = (
        "score is text and holds .*9007199254740993.*, which a double rounds: cast the column to HUGEINT or DECIMAL"
    )
    for call in ("ltr.judge('run', 'qrels')", "ltr.rank_by_score('run')"):
        with pytest.raises(duckdb.Error, match=message):
            con.execute(f"from {call}")
    for kept in ("9007199254740992", "1e300", "0.12345678901234567", "123456789012345680"):
        con.execute("update run set score = ? where doc_id = 'a'", [kept])
        con.execute("from ltr.judge('run', 'qrels')")


@pytest.mark.parametrize("method", ["max", "sum", "mean"])
def test_scores_of_chunks_that_a_double_rounds_are_refused(method: str, con: duckdb.DuckDBPyConnection) -> None:
    run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "score": [LIMIT + 1, LIMIT]})
    con.register("run", run)
    message = "doubles round scores from 2\\^53, and max, sum and mean compute doubles"
    with pytest.raises(InputError, match=message):
        ltr_sql.group_documents(run, method=method)
    with pytest.raises(duckdb.Error, match=message):
        con.execute(f"from ltr.group_documents('run', method := '{method}')")
    with pytest.warns(InputWarning, match="no document has two chunks"):
        found = ltr_sql.group_documents(run, method="first")
    assert found["doc_id"].tolist() == ["a", "b"]
