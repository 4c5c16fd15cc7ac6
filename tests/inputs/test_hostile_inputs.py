"""Tables that look ordinary and once gave wrong numbers. Now the value is correct, or the table is refused."""

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import ltr_sql
from ltr_sql import InputError

QRELS = {"q": {"b": 1}}


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


# Columns with the names of the engine's row numbers


@pytest.mark.default(
    "table-[1, None, 3]-rowid",
    "table-[1, None, 3]-ROWID",
    "table-[1, None, 3]-file_row_number",
    "csv-[1, None, 3]-rowid",
    "csv-[1, None, 3]-file_row_number",
)
@pytest.mark.parametrize("name", ["rowid", "ROWID", "file_row_number"])
@pytest.mark.parametrize("values", [[1, None, 3], [3, 2, 1], ["x", "y", "z"]], ids=str)
@pytest.mark.parametrize("form", ["table", "jsonl", "csv", "parquet"])
def test_a_column_does_not_hide_the_place_of_rows(
    form: str, name: str, values: list[object], con: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    rows = [
        {"query_id": "q", "doc_id": d, "score": s, name: v} for d, s, v in zip("abc", [3, 2, 1], values, strict=True)
    ]
    path = str(tmp_path / f"run.{form}")
    (tmp_path / "run.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    con.execute("create table run as from read_json(?)", [str(tmp_path / "run.jsonl")])
    if form in ("csv", "parquet"):
        con.execute(f"copy run to '{path}'")
    given = "run" if form == "table" else path
    assert ltr_sql.evaluate(given, ["AP"], qrels=QRELS, con=con)["AP"].tolist() == [0.5]


# A file and a table of one name


@pytest.mark.slow
def test_a_file_does_not_hide_a_table(
    con: duckdb.DuckDBPyConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run").write_text("q Q0 a 1 1 t\nq Q0 b 2 0.5 t\n", encoding="utf-8")
    con.execute("create table run as from (values ('q', 'b', 1)) as t(query_id, doc_id, score)")
    for name in ("run", "RUN", '"run"'):
        if not Path(name).is_file():
            assert ltr_sql.evaluate(name, ["RR"], qrels=QRELS, con=con)["RR"].tolist() == [1]
            continue
        with pytest.raises(InputError, match=f"{name} is both a file and a table of the connection"):
            ltr_sql.evaluate(name, ["RR"], qrels=QRELS, con=con)
    assert ltr_sql.evaluate("main.run", ["RR"], qrels=QRELS, con=con)["RR"].tolist() == [1]
    for path in ("./run", Path("run")):
        assert ltr_sql.evaluate(path, ["RR"], qrels=QRELS, con=con)["RR"].tolist() == [0.5]
    assert ltr_sql.evaluate("run", ["RR"], qrels=QRELS)["RR"].tolist() == [0.5]
    con.execute("begin")
    con.execute("drop table run")
    assert ltr_sql.evaluate("run", ["RR"], qrels=QRELS, con=con)["RR"].tolist() == [0.5]
    con.execute("create temp view run as select 'q' as query_id, 'b' as doc_id, 1 as score")
    with pytest.raises(InputError, match="both a file and a table"):
        ltr_sql.evaluate("run", ["RR"], qrels=QRELS, con=con)
    con.execute("rollback")


# A document twice in rankings

TWICE: dict[str, list[tuple[str, int | None, int]]] = {
    "once without a rank": [("d1", 1, 1), ("d1", None, 1)],
    "twice without a rank": [("d1", None, 1), ("d1", None, 1), ("d2", 1, 1)],
    "with two grades": [("d1", 1, 2), ("d1", None, 1)],
    "judged nonrelevant": [("d1", 3, 1), ("d2", 1, 0), ("d2", None, 0)],
    "judged nonrelevant, with two ranks": [("d1", 3, 1), ("d2", 1, 0), ("d2", 2, 0)],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TWICE)
@pytest.mark.parametrize("keys", [[], ["system"]], ids=str)
def test_a_document_twice_in_rankings(name: str, keys: list[str], con: duckdb.DuckDBPyConnection) -> None:
    rows = ", ".join(str(row).replace("None", "null") for row in TWICE[name])
    con.execute(
        f"create table t as select 's' as system, 'q' as query_id, * from (values {rows}) v(doc_id, rank, relevance)"
    )
    message = "a document is in one ranking more than once"
    # AP does not read nonrelevant documents.
    for measure in ["Bpref"] if "nonrelevant" in name else ["Bpref", "R@5", "AUC", "RBO"]:
        with pytest.raises(InputError, match=message):
            ltr_sql.evaluate("t", [measure], keys=keys, con=con)
    with pytest.raises(InputError, match=message):
        ltr_sql.verify("t", ["AP"], keys=keys, con=con)
    with pytest.raises(InputError, match=message):
        ltr_sql.explain("t", "q", "AP", keys=keys, con=con)
    ltr_sql.register(con)
    found = con.execute(f"select severity, what from ltr.check_rankings('t', keys := {keys}::varchar[])").fetchall()
    assert ("error", message) in found
    with pytest.raises(duckdb.InvalidInputException, match=message):
        con.execute(f"from ltr.explain('t', 'q', 'AP', keys := {keys}::varchar[])")
    assert message in set(ltr_sql.check("t", keys=keys, con=con)["what"])


# Columns of Python objects


def of_objects(values: list[object]) -> pd.Series:
    return pd.Series(values, dtype=object)


def test_numbers_do_not_decide_the_type_of_text_ids() -> None:
    ids: list[object] = list(range(5000))
    ids[2001] = "0777"
    run = pd.DataFrame({"query_id": "q", "doc_id": of_objects(ids), "score": 1})
    for doc_id, found in {"0777": 1, "778": 1, "2001": 0}.items():
        qrels = {"q": {doc_id: 1, "5": 0}}
        assert ltr_sql.evaluate(run, ["NumRelRet"], qrels=qrels)["NumRelRet"].tolist() == [found]
    run = run.rename(columns={"doc_id": "system"}).assign(doc_id="a")
    assert len(ltr_sql.evaluate(run, ["RR"], qrels={"q": {"a": 1}}, keys=["system"])) == 5000


@pytest.mark.parametrize("best", [1.7, Decimal("1.04"), 2**62 + 1, "1.7"], ids=str)
def test_integers_do_not_decide_the_type_of_scores(best: object) -> None:
    scores: list[object] = [Decimal("1.0") if isinstance(best, Decimal) else 1] * 5000
    scores[2001] = best
    # If all scores were tied, z would come first.
    ids = [f"z{number}" for number in range(5000)]
    ids[2001] = "a"
    run = pd.DataFrame({"query_id": "q", "doc_id": ids, "score": of_objects(scores)})
    assert ltr_sql.evaluate(run, ["RR"], qrels={"q": {"a": 1}})["RR"].tolist() == [1]


# Ids beyond 64 bits

LARGE = 2**53


@pytest.mark.default(
    "query_id-HUGEINT", "query_id-DECIMAL(38, 0)", "system-HUGEINT", "system-DECIMAL(38, 0)", "system-UBIGINT"
)
@pytest.mark.parametrize("kind", ["HUGEINT", "UHUGEINT", "DECIMAL(38, 0)", "DECIMAL(20, 2)", "UBIGINT", "BIGINT"])
@pytest.mark.parametrize("column", ["query_id", "system"])
def test_large_ids_stay_distinct(kind: str, column: str, con: duckdb.DuckDBPyConnection) -> None:
    other = "system" if column == "query_id" else "query_id"
    con.execute(
        f"create table t as select ({LARGE} + i)::{kind} as {column}, 'x' as {other}, 1 as rank, i as relevance "
        "from range(2) as r(i)"
    )
    keys = ["system"]
    frame = ltr_sql.evaluate("t", ["RR"], by_query=True, keys=keys, con=con)
    assert dict(zip(frame[column], frame["RR"], strict=True)) == {LARGE: 0, LARGE + 1: 1}
    assert frame["RR"].dtype == float
    for convert in (pl.DataFrame, pa.table):
        if kind != "UHUGEINT":
            given = convert(con.sql("from t").to_arrow_table())
            found = ltr_sql.evaluate(given, ["RR"], by_query=True, keys=keys)
            assert len({*found[column].to_list()} if convert is pl.DataFrame else {*found[column].to_pylist()}) == 2


# A run without relevant documents


@pytest.mark.parametrize("measure", ["AP", "NumRelRet", "Bpref", "P@5"])
def test_a_run_of_nonrelevant_documents_is_measured(measure: str) -> None:
    assert ltr_sql.evaluate({"q": {"a": 1}}, [measure], qrels={"q": {"a": 0, "b": 1}})[measure].tolist() == [0]


# Ranks with the checksum of 1 to n


def forged_ranks(hashes: dict[int, int], n: int, ones: int) -> list[int]:
    """Return n ranks with the checksum (exclusive or of hashes) of the ranks 1 to n. Rank 1 occurs `ones` times.

    Take one rank of each of 200 pairs, chosen by Gaussian elimination over the bits of the hashes.
    """
    fixed = list(range(2, n - ones - 200 + 2))
    pairs = [(2 * n + i, 2 * n + 200 + i) for i in range(200)]
    rest = 0
    for rank in [*range(1, n + 1), *fixed, *(a for a, _ in pairs)]:
        rest ^= hashes[rank]
    basis: dict[int, tuple[int, int]] = {}
    for number, (a, b) in enumerate(pairs):
        vector, chosen = hashes[a] ^ hashes[b], 1 << number
        while vector and vector.bit_length() in basis:
            other, more = basis[vector.bit_length()]
            vector, chosen = vector ^ other, chosen ^ more
        if vector:
            basis[vector.bit_length()] = vector, chosen
    exchanged = 0
    while rest:
        vector, chosen = basis[rest.bit_length()]
        rest, exchanged = rest ^ vector, exchanged ^ chosen
    return [*[1] * ones, *fixed, *(pair[exchanged >> number & 1] for number, pair in enumerate(pairs))]


def test_ranks_cannot_be_forged(con: duckdb.DuckDBPyConnection) -> None:
    n, twice = 500, 20
    hashes = dict(con.execute(f"select i, hash(i) from range(1, {3 * n}) as r(i)").fetchall())
    ranks = forged_ranks(hashes, n, twice)
    run = pd.DataFrame({"query_id": "q", "doc_id": [f"d{number}" for number in range(n)], "rank": ranks})
    relevance = [1] * twice + [0] * (n - twice)
    judged = run.assign(relevance=relevance)
    con.register("judged", judged)
    (same,) = con.execute(
        f"select bit_xor(hash(rank)) = (select bit_xor(hash(i)) from range(1, {n + 1}) as r(i)) from judged"
    ).fetchall()
    assert same == (True,)
    for given in (judged, judged.drop(columns="doc_id")):
        with pytest.raises(InputError, match="documents of one query share a rank"):
            ltr_sql.evaluate(given, ["P@1"])
    with pytest.raises(InputError, match="documents of one query share a rank"):
        ltr_sql.evaluate(run, ["P@1"], qrels=judged[["query_id", "doc_id", "relevance"]])


# Scores with more digits than a double

EXACT = {
    "BIGINT": ("1790000000000000001", "1790000000000000000"),
    "UBIGINT": ("18446744073709551615", "18446744073709551614"),
    "HUGEINT": ("-170141183460469231731687303715884105000", "-170141183460469231731687303715884105001"),
    "UHUGEINT": ("340282366920938463463374607431768211455", "340282366920938463463374607431768211454"),
    "DECIMAL(38, 20)": ("0.10000000000000000002", "0.10000000000000000001"),
}
# The better document has the smaller id, so it comes last if the scores tie.
SCORED_CALLS = [
    "with j as (from ltr.judge('run', 'qrels')) select \"RR\" from ltr.evaluate('j', ['RR'])",
    "with j as (from ltr.judge('run', 'qrels', ties := 'worst')) select \"RR\" from ltr.evaluate('j', ['RR'])",
    "with j as (from ltr.judge('run', 'qrels', ties := 'expected')) "
    "select \"expected_RR\" from ltr.evaluate('j', ['expected_RR'])",
    "with j as (from ltr.rank_by_score('scored')) select \"RR\" from ltr.evaluate('j', ['RR'])",
    "select 1 / rank_b from ltr.pair('qrels', 'run') where doc_id = 'a'",
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", EXACT)
def test_scores_are_compared_by_their_own_type(kind: str, con: duckdb.DuckDBPyConnection) -> None:
    better, worse = EXACT[kind]
    con.execute(
        f"create table scored as select 'q' as query_id, d as doc_id, s::{kind} as score, r as relevance "
        f"from (values ('a', '{better}', 1), ('b', '{worse}', 0)) as t(d, s, r)"
    )
    con.execute("create table qrels as select query_id, doc_id, relevance, row_number() over () as rank from scored")
    con.execute("create table run as select query_id, doc_id, score from scored")
    ltr_sql.register(con)
    for call in SCORED_CALLS:
        assert con.execute(call).fetchall() == [(1,)], call
    assert con.execute(ltr_sql.render("judge", ties="docid_desc")).fetchall()[0][2] == 1
    assert con.execute(ltr_sql.render("rank_by_score")).fetchall()[0][-1] == 1
    for ties in ("docid_desc", "worst", "expected"):
        for run, qrels in (("run", "qrels"), ("scored", None)):
            options: dict[str, Any] = {"qrels": qrels, "ties": ties, "con": con}
            assert ltr_sql.evaluate(run, ["RR"], **options)["RR"].tolist() == [1]
            assert ltr_sql.evaluate(run, ["RR@1"], **options)["RR@1"].tolist() == [1]
            assert ltr_sql.verify(run, ["RR"], **options)["verdict"].tolist() == ["equal"]
    explained = ltr_sql.explain("run", "q", "RR", qrels="qrels", con=con)
    assert explained["doc_id"].tolist()[0] == "a"
    assert ltr_sql.agreement("run", "qrels", ["KendallTau"], con=con)["KendallTau"].tolist() == [1]
    found = con.execute("from ltr.check_run('run', 'qrels')").fetchall()
    assert not [row for row in found if "have the same score" in row[1]]
    # No ties, so no effect of ties.
    con.execute("alter table qrels drop rank")
    for call, run, judgments in (
        ("check_run('run', 'qrels')", "run", "qrels"),
        ("check_rankings('scored')", "scored", None),
    ):
        assert "depend on tie-breaking" not in str(con.execute(f"from ltr.{call}").fetchall())
        assert not ltr_sql.check(run, judgments, con=con)["what"].str.contains("tie-breaking").any()
    con.execute("insert into scored select query_id, 'c', score, 1 - relevance from scored")
    assert "depend on tie-breaking" in str(con.execute("from ltr.check_rankings('scored')").fetchall())
    assert ltr_sql.check("scored", con=con)["what"].str.contains("depend on tie-breaking").any()


def test_row_order_is_compared_by_its_own_type(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "create table scored as select 'q' as query_id, d as doc_id, 1 as score, r as row_order, g as relevance "
        "from (values ('a', 1790000000000000000, 1), ('b', 1790000000000000001, 0)) as t(d, r, g)"
    )
    ltr_sql.register(con)
    assert ltr_sql.evaluate("scored", ["RR"], ties="row_order", con=con)["RR"].tolist() == [1]
    assert ltr_sql.verify("scored", ["RR"], ties="row_order", con=con)["verdict"].tolist() == ["equal"]
    ranked = "with j as (from ltr.rank_by_score('scored', ties := 'row_order')) from ltr.rr('j')"
    assert con.execute(ranked).fetchall() == [("q", 1)]


def test_dicts_of_large_integers() -> None:
    run = {"q": {"a": 1790000000000000001, "b": 1790000000000000000}}
    assert ltr_sql.evaluate(run, ["RR"], qrels={"q": {"a": 1}})["RR"].tolist() == [1]


# Segments: grouping columns of the judgments


@pytest.fixture
def countries(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    con.execute(
        "create table run as from (values ('x', 'de', 'q1', 'a', 2), ('x', 'de', 'q1', 'b', 1), "
        "('x', 'fr', 'q2', 'b', 1), ('y', 'de', 'q1', 'b', 1)) as t(system, country, query_id, doc_id, score)"
    )
    con.execute(
        "create table qrels as from (values ('de', 'q1', 'a', 1), ('fr', 'q2', 'b', 1), ('fr', 'q3', 'b', 1)) "
        "as t(country, query_id, doc_id, relevance)"
    )
    return ltr_sql.register(con)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.parametrize("without", ["country", ""])
def test_a_query_belongs_to_the_segment_of_its_judgments(without: str, countries: duckdb.DuckDBPyConnection) -> None:
    con = countries
    if without:
        con.execute("alter table run drop country")
    given: dict[str, Any] = {"qrels": "qrels", "con": con}
    by_both = [["x", "de", 1, 1.0], ["x", "fr", 2, 0.5], ["y", "de", 1, 0.0], ["y", "fr", 2, 0.0]]
    for keys in (["system", "country"], ["country", "system"]):
        for measure in ("RR", "RR@5", "Judged@5"):
            frame = ltr_sql.evaluate("run", [measure], keys=keys, **given)
            assert list(frame.columns) == ["system", "country", "queries", measure]
            if measure != "Judged@5":
                assert frame.to_numpy().tolist() == by_both
        assert set(ltr_sql.verify("run", ["RR", "Judged@5", "AP"], keys=keys, **given)["verdict"]) == {"equal"}
    assert not ltr_sql.check("run", keys=["system", "country"], **given)["what"].str.contains("rank more").any()
    con.execute("create table x as select * exclude (system) from run where system = 'x'")
    by_country = [["de", 1, 1.0], ["fr", 2, 0.5]]
    assert ltr_sql.evaluate("x", ["RR"], keys=["country"], **given).to_numpy().tolist() == by_country
    skipped = ltr_sql.evaluate("x", ["RR"], keys=["country"], missing="skip", **given)
    assert skipped.to_numpy().tolist() == [["de", 1, 1], ["fr", 1, 1]]
    in_sql = con.execute(
        "with j as (from ltr.judge('x', 'qrels')) from ltr.evaluate('j', ['RR'], keys := ['country']) order by all"
    )
    assert [list(row) for row in in_sql.fetchall()] == by_country
    expected = ltr_sql.evaluate("x", ["RR"], keys=["country"], ties="expected", **given)
    assert expected.to_numpy().tolist() == by_country
    assert ltr_sql.verify("x", ["RR"], keys=["country"], ties="expected", **given)["verdict"].tolist() == ["equal"]
    explained = ltr_sql.explain("x", "q1", "AP", keys=["country"], **given)
    assert explained[["country", "rank", "doc_id"]].to_numpy().tolist() == [["de", 1, "a"], ["de", 2, "b"]]


@pytest.mark.slow
@pytest.mark.parametrize("without", ["country", ""])
def test_macros_know_segments(without: str, countries: duckdb.DuckDBPyConnection) -> None:
    con = countries
    if without:
        con.execute("alter table run drop country")
    judged = [
        (system, query, *row)
        for system, query, *row in [
            ("x", "q1", "a", 1, 1, "de", 2),
            ("x", "q2", "b", 1, 1, "fr", 1),
            ("x", "q3", "b", None, 1, "fr", 0),
            ("y", "q1", "a", None, 1, "de", 1),
            ("y", "q2", "b", None, 1, "fr", 0),
            ("y", "q3", "b", None, 1, "fr", 0),
        ]
    ]
    unjudged = [("x", "q1", "b", 2, None, "de", 2), ("y", "q1", "b", 1, None, "de", 1)]
    names = "system, query_id, doc_id, rank, relevance, country, num_ret"
    for keys in ("['system', 'country']", "['country', 'system']"):
        for options, rows in {
            "": judged,
            ", unjudged := 'keep'": judged + unjudged,
            ", ties := 'expected'": judged + unjudged,
            ", ties := 'worst'": judged,
            ", missing := 'skip'": [row for row in judged if row[-1]],
        }.items():
            call = f"select {names} from ltr.judge('run', 'qrels', keys := {keys}{options})"
            assert set(con.execute(call).fetchall()) == set(rows), call
        call = (
            f"with j as (from ltr.judge('run', 'qrels', keys := {keys})) from ltr.evaluate('j', ['RR'], keys := {keys})"
        )
        found = con.execute(f'select system, country, queries, "RR" from ({call}) order by all').fetchall()
        assert found == [("x", "de", 1, 1.0), ("x", "fr", 2, 0.5), ("y", "de", 1, 0.0), ("y", "fr", 2, 0.0)]
        checked = con.execute(f"select what, how_many from ltr.check_run('run', 'qrels', keys := {keys})").fetchall()
        in_python = ltr_sql.check("run", "qrels", keys=["system", "country"], con=con)
        assert checked == list(zip(in_python["what"], in_python["how_many"], strict=True))
        assert ("judged queries are not in the run: they count as 0", 2) in checked
    with pytest.raises(duckdb.InvalidInputException, match="keys must be columns of the input"):
        con.execute("from ltr.judge('run', 'qrels', keys := ['system', 'contry'])")
    with pytest.raises(duckdb.InvalidInputException, match="keys must be columns of the input"):
        con.execute("from ltr.check_run('run', 'qrels', keys := ['system', 'contry'])")


@pytest.mark.slow
def test_pairs_of_runs_join_on_segments(countries: duckdb.DuckDBPyConnection) -> None:
    con = countries
    con.execute("create table other as select country, system, doc_id, query_id, -score as score from run")
    keys = "['country', 'system']"
    rows = con.execute(
        f"select system, country, rank_a, rank_b from ltr.pair('run', 'other', keys := {keys})"
    ).fetchall()
    assert sorted(rows) == [("x", "de", 1, 2), ("x", "de", 2, 1), ("x", "fr", 1, 1), ("y", "de", 1, 1)]
    found = con.execute(f"from ltr.compare_rankings('run', 'other', ['Jaccard'], keys := {keys})").fetchall()
    assert len(found) == 3
    assert len(ltr_sql.agreement("run", "other", ["Jaccard"], keys=["country", "system"], by_query=True, con=con)) == 3
    con.execute("alter table other drop country")
    with pytest.raises(duckdb.InvalidInputException, match="keys must be columns of the input"):
        con.execute(f"from ltr.pair('run', 'other', keys := {keys})")


def test_a_query_belongs_to_one_segment(countries: duckdb.DuckDBPyConnection) -> None:
    con = countries
    con.execute("insert into qrels values ('de', 'q3', 'c', 1)")
    keys = ["system", "country"]
    for function in (ltr_sql.evaluate, ltr_sql.verify):
        with pytest.raises(InputError, match=r"judgments of query 'q3' name several segments: country 'de' and 'fr'"):
            function("run", ["RR"], keys=keys, qrels="qrels", con=con)
    with pytest.raises(InputError, match="several segments"):
        ltr_sql.check("run", "qrels", keys=keys, con=con)
    with pytest.raises(InputError, match="several segments"):
        ltr_sql.explain("run", "q3", "RR", keys=keys, qrels="qrels", con=con)
    with pytest.raises(duckdb.InvalidInputException, match="the judgments of a query name several segments"):
        con.execute(f"from ltr.judge('run', 'qrels', keys := {keys})")


def test_a_duplicate_in_a_segment_is_found(countries: duckdb.DuckDBPyConnection) -> None:
    countries.execute("insert into run values ('x', 'de', 'q1', 'a', 3)")
    for measure in ("RR", "KendallTau", "NumRet"):
        with pytest.raises(InputError, match="a document is in one ranking more than once"):
            ltr_sql.evaluate("run", [measure], keys=["system", "country"], qrels="qrels", con=countries)


def test_run_and_judgments_agree_on_segments(countries: duckdb.DuckDBPyConnection) -> None:
    countries.execute("alter table qrels add column system varchar default 'old'")
    with pytest.raises(InputError, match="query 'q1' has 'x' in the run and 'old' in the judgments: rename it"):
        ltr_sql.evaluate("run", ["RR"], keys=["system"], qrels="qrels", con=countries)
    with pytest.raises(duckdb.InvalidInputException, match="a query has different segments in run and judgments"):
        countries.execute("from ltr.judge('run', 'qrels', keys := ['system'])")


# Collations: ids compare by bytes


@pytest.fixture(params=["column", "default"])
def collated(request: pytest.FixtureRequest, con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    text = "varchar collate nocase" if request.param == "column" else "varchar"
    if request.param == "default":
        con.execute("set default_collation = 'nocase'")
    con.execute(f"create table run(system {text}, query_id {text}, doc_id {text}, score double)")
    con.execute(
        "insert into run values ('s', 'q', 'd1', 3), ('s', 'q', 'D1', 2), ('S', 'q', 'a', 1), ('S', 'q', 'B', 1)"
    )
    con.execute(f"create table qrels(query_id {text}, doc_id {text}, relevance int)")
    con.execute("insert into qrels values ('q', 'd1', 1), ('q', 'a', 1)")
    return con


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_collations_change_nothing(collated: duckdb.DuckDBPyConnection) -> None:
    con = collated
    for given in ("run", con.table("run")):
        frame = ltr_sql.evaluate(given, ["NumRelRet", "RR", "RR@1"], qrels="qrels", keys=["system"], con=con)
        # By bytes, a is larger than B, and first among equal scores.
        assert frame.to_numpy().tolist() == [["S", 1, 1, 1, 1], ["s", 1, 1, 1, 1]]
    rankings = con.sql("select system, query_id, doc_id, row_number() over () as rank, 1 as relevance from run")
    counted = ltr_sql.evaluate(rankings, ["NumRelRet"], keys=["system"], con=con)
    assert counted.to_numpy().tolist() == [["S", 1, 2], ["s", 1, 2]]
    ltr_sql.register(con)
    ranked = "select query_id, system, row_number() over () as rank, 1 as relevance from run"
    for call in (
        "ltr.judge('run', 'qrels', keys := ['system'])",
        "ltr.pair('run', 'run', keys := ['system'])",
        "ltr.rank_by_score('run', keys := ['system'])",
        "ltr.num_ret('rankings', keys := ['system'])",
        "ltr.evaluate('rankings', ['NumRet'], keys := ['system'])",
    ):
        with pytest.raises(duckdb.InvalidInputException, match="ids are compared by a collation, which may treat"):
            con.execute(f"with rankings as ({ranked}) from {call}")


# Ids of bytes, and ids of categories


@pytest.mark.default("pyarrow")
@pytest.mark.parametrize(
    "form", ["pandas", "parquet", "mixed", "polars", "pyarrow", "relation", "table", "transaction"]
)
def test_ids_of_bytes_equal_text(form: str, con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    # By bytes, the accented letter is larger than z, and first among equal scores.
    columns = {
        "query_id": [b"\xc3\xa9"] * 2,
        "doc_id": [b"\xc3\xa9", "z" if form == "mixed" else b"z"],
        "score": [1, 1],
    }
    forms: dict[str, Any] = {"pandas": pd.DataFrame, "mixed": pd.DataFrame, "polars": pl.DataFrame}
    given: Any = forms.get(form, pa.table)(columns)
    if form in ("relation", "table", "transaction", "parquet"):
        con.register("bytes", given)
        con.execute("begin" if form == "transaction" else "select 1")
        con.execute("create table run as from bytes")
        con.execute(f"copy run to '{tmp_path}/run.parquet'")
        given = {"relation": con.table("run"), "parquet": str(tmp_path / "run.parquet")}.get(form, "run")
    qrels = {"\u00e9": {"\u00e9": 1, "z": 0}}
    found = ltr_sql.evaluate(given, ["RR", "NumRelRet"], qrels=qrels, by_query=True, con=con)
    rows = found.rows() if form == "polars" else [tuple(row.values()) for row in pa.table(found).to_pylist()]
    assert rows == [("\u00e9", 1, 1)]
    assert ltr_sql.verify(given, ["RR"], qrels=qrels, con=con)["verdict"].tolist() == ["equal"]


def test_bytes_that_are_no_text_are_refused() -> None:
    run = pd.DataFrame({"query_id": "q", "doc_id": [b"\xff", b"a"], "score": [2, 1]})
    with pytest.raises(InputError, match="column doc_id has bytes that are not UTF-8: pass it as text"):
        ltr_sql.evaluate(run, ["RR"], qrels=QRELS)


@pytest.mark.filterwarnings("error::ltr_sql.InputWarning")
def test_categories_are_text(con: duckdb.DuckDBPyConnection) -> None:
    run = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2, 1]})
    of_categories = run.astype({"query_id": "category", "doc_id": "category"})
    assert ltr_sql.evaluate(of_categories, ["RR"], qrels=QRELS)["RR"].tolist() == [0.5]
    assert not ltr_sql.check(of_categories, QRELS)["what"].str.contains("ids are text").any()


# Ids in two Unicode forms


@pytest.mark.default("query_id")
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.parametrize("column", ["query_id", "doc_id"])
def test_ids_in_two_unicode_forms_are_shown(column: str) -> None:
    composed, apart = "caf\u00e9", "cafe\u0301"
    run = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    qrels = run[["query_id", "doc_id"]].assign(relevance=1)
    for frame, form in ((run, apart), (qrels, composed)):
        frame.loc[1, column] = form
    with pytest.warns(ltr_sql.InputWarning, match=f"another Unicode normal form.*{column} '{apart}'"):
        ltr_sql.evaluate(run, ["R"], qrels=qrels)
    found = ltr_sql.check(run, qrels)
    assert found["what"].str.contains("another Unicode normal form").sum() == 1


def test_ids_in_one_unicode_form_are_silent(recwarn: pytest.WarningsRecorder) -> None:
    ltr_sql.evaluate({"q": {"caf\u00e9": 1.0, "b": 0.5}}, ["R"], qrels={"q": {"caf\u00e9": 1, "b": 1}})
    assert not recwarn.list


# A transaction of the caller, which any error of the engine would end

IN_TRANSACTION: dict[str, tuple[str, Any, str]] = {
    "a grade above the scale": ("ranked", lambda t, c: ltr_sql.evaluate(t, ["ERR(max_grade=1)"], con=c), "max_grade"),
    "a grade without a gain": ("ranked", lambda t, c: ltr_sql.evaluate(t, ["nDCG"], gains=[0, 1], con=c), "gain"),
    "ties without ids": ("tied", lambda t, c: ltr_sql.evaluate(t, ["RR"], con=c), "tied after tie-breaking"),
    "text in row_order": ("tied", lambda t, c: ltr_sql.evaluate(t, ["RR"], ties="row_order", con=c), "row_order"),
    "a rank below 1": ("pairs", lambda t, c: ltr_sql.evaluate(t, ["RBO"], con=c), "ranks of pairs must be from 1"),
    "explain": ("ranked", lambda t, c: ltr_sql.explain(t, "q", "ERR(max_grade=1)", con=c), "max_grade"),
    "verify": ("ranked", lambda t, c: ltr_sql.verify(t, ["ERR(max_grade=1)"], con=c), "max_grade"),
    "agreement": ("run", lambda t, c: ltr_sql.agreement(t, t, ["RBO"], con=c), "score"),
    "compare": ("run", lambda t, c: ltr_sql.compare(t, ["AP"], qrels={"q": {"a": 1}}, con=c), "system"),
    "a relation": ("tied", lambda t, c: ltr_sql.evaluate(c.table(t), ["RR"], con=c), "tied after tie-breaking"),
    "a table that is missing": ("no table", lambda t, c: ltr_sql.evaluate(t, ["RR"], con=c), "no table has this name"),
}


@pytest.mark.default("a grade above the scale", "text in row_order", "verify", "a relation")
@pytest.mark.parametrize("name", IN_TRANSACTION)
def test_errors_leave_a_transaction_open(name: str, con: duckdb.DuckDBPyConnection) -> None:
    table, call, message = IN_TRANSACTION[name]
    con.execute("begin; create table ranked as select 'q' as query_id, 'a' as doc_id, 1 as rank, 3 as relevance")
    con.execute(
        "create table tied as select 'q' as query_id, 1 as score, 'x' as row_order, unnest([0, 1]) as relevance"
    )
    con.execute("create table pairs as select 'q' as query_id, unnest([0, 1]) as rank_a, unnest([1, 2]) as rank_b")
    con.execute("create table run as select 'q' as query_id, 'a' as doc_id, 'x' as score")
    with pytest.raises(ltr_sql.LtrSqlError, match=message):
        call(table, con)
    assert con.execute("select count(*) from duckdb_tables()").fetchall() == [(4,)]
    con.execute("commit")
    assert con.execute("select count(*) from ranked").fetchall() == [(1,)]


@pytest.mark.default("UHUGEINT")
@pytest.mark.parametrize("kind", [*EXACT, "BIGINT[]", "UUID", "DATE"])
def test_a_transaction_keeps_ids_and_scores(kind: str, con: duckdb.DuckDBPyConnection) -> None:
    values = {"BIGINT[]": "[1]", "UUID": f"{'0' * 31}1", "DATE": "2026-01-01"}
    better, worse = EXACT.get(kind, (values.get(kind), values.get(kind)))
    con.execute(
        f'create table t as select s::{kind} as "a ""key""", d as doc_id, 1 as query_id, x as score, r as relevance '
        f"from (values ('a', '{better}', 2, 1), ('b', '{worse}', 1, 0)) as t(d, s, x, r)"
    )
    if kind in EXACT:
        con.execute('update t set score = 1; alter table t drop score; alter table t rename "a ""key""" to score')
    keys = [] if kind in EXACT else ['a "key"']
    before = ltr_sql.evaluate("t", ["RR", "NumRet"], keys=keys, con=con)
    con.execute("begin; create table other as from t")
    for given in ("other", 'main."other"', con.table("other")):
        frame = ltr_sql.evaluate(given, ["RR", "NumRet"], keys=keys, con=con)
        assert frame.astype(str).equals(before.astype(str))
    assert before["RR"].tolist() == [1]


@pytest.mark.default("nocase")
@pytest.mark.parametrize("collation", ["nocase", "noaccent", "nfc", "nocase.noaccent"])
def test_macros_refuse_every_collation(collation: str, con: duckdb.DuckDBPyConnection) -> None:
    ltr_sql.register(con)
    con.execute(f"create table t as select 'q' collate {collation} as query_id, 1 as rank, 1 as relevance")
    with pytest.raises(duckdb.InvalidInputException, match="ids are compared by a collation, which may treat"):
        con.execute("from ltr.rr('t')")
