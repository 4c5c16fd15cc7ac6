"""Limits and thresholds, tested with a value on each side."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

import ltr_sql
from ltr_sql import InputError, oracle
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.evaluation.conventions import compare_conventions
from ltr_sql.inputs.text_files import plain_file
from ltr_sql.rendering.findings import findings


def one_document(**columns: Any) -> pd.DataFrame:
    """Return rankings of one query with one document."""
    return pd.DataFrame([{"query_id": "q", **columns}])


def in_sql(con: duckdb.DuckDBPyConnection, call: str, rankings: pd.DataFrame) -> Any:
    """Return the value of a macro for rankings of one query."""
    con.register("rankings", rankings)
    return con.execute(f"from ltr.{call}").fetchall()[0][-1]


# Ranks, grades and scores

RANKS_AND_GRADES = [
    ("RR", "rr('rankings')", {"rank": 10**9, "relevance": 1}, {"rank": 10**9 + 1, "relevance": 1}, 1e-9),
    ("CG", "cg('rankings')", {"rank": 1, "relevance": 1e100}, {"rank": 1, "relevance": 1.1e100}, 1e100),
    (
        "DCG(gain='exponential')",
        "dcg('rankings', gain := 'exponential')",
        {"rank": 1, "relevance": 300},
        {"rank": 1, "relevance": 301},
        2.0**300 - 1,
    ),
]


@pytest.mark.parametrize(("measure", "call", "largest", "too_large", "value"), RANKS_AND_GRADES, ids=str)
def test_the_largest_rank_and_grade(
    measure: str,
    call: str,
    largest: dict[str, float],
    too_large: dict[str, float],
    value: float,
    con: duckdb.DuckDBPyConnection,
) -> None:
    assert ltr_sql.evaluate(one_document(**largest), [measure])[measure].tolist() == [value]
    assert in_sql(con, call, one_document(**largest)) == value
    with pytest.raises(ltr_sql.InputError, match=r"1,000,000,000|above 1e100|above 300"):
        ltr_sql.evaluate(one_document(**too_large), [measure])
    with pytest.raises(duckdb.Error, match=r"1,000,000,000|above 1e100|above 300"):
        in_sql(con, call, one_document(**too_large))


def test_the_largest_score_that_is_correlated() -> None:
    pairs = pd.DataFrame({"query_id": "q", "rank_a": [1, 2], "rank_b": [1, 2]})
    largest = pairs.assign(score_a=[1e100, -1e100], score_b=[1e100, -1e100])
    assert ltr_sql.evaluate(largest, ["Pearson"])["Pearson"].tolist() == [pytest.approx(1)]
    for name in ("score_a", "score_b"):
        for score in (1.1e100, -1.1e100):
            with pytest.raises(ltr_sql.InputError, match="above 1e100"):
                ltr_sql.evaluate(largest.assign(**{name: [score, 0]}), ["Pearson"])


def test_the_largest_score_in_single_precision() -> None:
    """Larger scores become infinite in single precision, and tie."""
    for scores, value in (((3.4e38, 3.3e38), 1.0), ((3.5e38, 3.45e38), 0.5), ((-3.3e38, -3.4e38), 1.0)):
        run = {"q": dict(zip("ab", scores, strict=True))}
        found = ltr_sql.evaluate(run, ["RR"], qrels={"q": {"a": 1}}, ties="docid_desc_float32")
        assert found["RR"].tolist() == [value]


@pytest.mark.default("inf-rank_by_score", "-inf-judge")
@pytest.mark.parametrize("call", ["rank_by_score", "judge", "pair", "pool", "group_documents"])
@pytest.mark.parametrize("score", ["inf", "-inf", "nan"])
def test_macros_refuse_scores_that_are_not_finite(score: str, call: str, con: duckdb.DuckDBPyConnection) -> None:
    """The largest doubles have ranks."""
    con.execute("create or replace table scored (system varchar, query_id varchar, doc_id varchar, score double)")
    con.execute("insert into scored values ('s', 'q', 'a', 1), ('s', 'q', 'b', 1.7e308), ('s', 'q', 'c', -1.7e308)")
    con.execute("create or replace view qrels as select query_id, doc_id, 1 as relevance from scored")
    text = {
        "rank_by_score": "select doc_id, rank from ltr.rank_by_score('scored') order by rank",
        "judge": "select doc_id, rank from ltr.judge('scored', 'qrels') order by rank",
        "pair": "select doc_id, rank_a from ltr.pair('scored', 'scored') order by rank_a",
        "pool": "select doc_id, best_rank from ltr.pool('scored') order by best_rank",
        "group_documents": "select doc_id, rank from ltr.group_documents('scored') order by rank",
    }[call]
    assert con.execute(text).fetchall() == [("b", 1), ("a", 2), ("c", 3)]
    con.execute(f"update scored set score = '{score}' where doc_id = 'c'")
    with pytest.raises(duckdb.Error, match="a score is NULL, NaN or infinite: give the document a finite score"):
        con.execute(text)


def test_infinite_scores_are_ranked_without_checks(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create or replace table scored (query_id varchar, doc_id varchar, score double, relevance int)")
    con.execute("insert into scored values ('q', 'a', 1, 0), ('q', 'b', 'inf', 1), ('q', 'c', '-inf', 1)")
    con.execute("create or replace view run as select query_id, doc_id, score from scored")
    for run, qrels in (("scored", None), ("run", "scored")):
        with pytest.raises(ltr_sql.InputError, match="a score is NULL, NaN or infinite"):
            ltr_sql.evaluate(run, ["AP"], qrels=qrels, con=con)
        found = ltr_sql.evaluate(run, ["AP"], qrels=qrels, con=con, check=False)
        assert found["AP"].tolist() == [pytest.approx((1 + 2 / 3) / 2)]
    con.execute("update scored set score = 'nan' where doc_id = 'c'")
    for run, qrels in (("scored", None), ("run", "scored")):
        with pytest.raises(ltr_sql.InputError, match="NaN"):
            ltr_sql.evaluate(run, ["AP"], qrels=qrels, con=con, check=False)


def test_the_oracle_ranks_nan_below_negative_scores() -> None:
    scores = [math.nan, 1.0, -1.0, math.nan]
    assert oracle.rank_by_score(scores, doc_id="abcd", ties="docid_asc").tolist() == [3, 1, 2, 4]
    assert oracle.rank_by_score(scores, doc_id="abcd", ties="expected").tolist() == [3, 1, 2, 3]


def test_nan_is_neither_grade_nor_rank(con: duckdb.DuckDBPyConnection) -> None:
    """NaN would compare as larger than all numbers."""
    con.execute("create or replace table rankings (query_id varchar, rank double, relevance double)")
    con.execute("insert into rankings values ('q', 1, 'nan'), ('q', 2, 1), ('q', 'nan', 1)")
    assert con.execute("from ltr.ap('rankings')").fetchall() == [("q", 1 / 4)]
    assert con.execute("from ltr.evaluate('rankings', ['AP'])").fetchall() == [(1, 1 / 4)]
    assert ltr_sql.evaluate("rankings", ["AP"], con=con)["AP"].tolist() == [1 / 4]


def test_num_ret_is_at_least_the_last_rank(con: duckdb.DuckDBPyConnection) -> None:
    rankings = one_document(rank=3, relevance=1, num_ret=3)
    assert ltr_sql.evaluate(rankings, ["SetP"])["SetP"].tolist() == [1 / 3]
    assert in_sql(con, "set_p('rankings')", rankings) == 1 / 3
    with pytest.raises(duckdb.Error, match="num_ret"):
        in_sql(con, "set_p('rankings')", rankings.assign(num_ret=2))


def test_negative_grades_that_another_measure_reads() -> None:
    """The measures share rows, and Bpref reads nonrelevant documents."""
    rankings = pd.DataFrame({"query_id": "q", "rank": [1, 2, 3], "relevance": [2, -1, 0]})
    found = ltr_sql.evaluate(rankings, ["ARelPos", "CG", "nDCG", "Bpref"])
    assert found[["ARelPos", "CG", "nDCG", "Bpref"]].to_numpy().tolist() == [[1, 2, 1, 1]]


# Lengths of lists


def test_the_ideal_ranking_is_as_long_as_the_retrieved_one() -> None:
    """Four documents are retrieved, so all three relevant documents fit into the ideal ranking."""
    run = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    found = ltr_sql.evaluate(run, ["NCRR"], qrels={"q": {"b": 1, "x": 1, "y": 1}})
    assert found["NCRR"].tolist() == [pytest.approx((1 / 2) / (1 + 1 / 2 + 1 / 3))]


@pytest.mark.parametrize("length", [19, 20, 21])
def test_short_lists_are_joined_and_long_ones_sorted(length: int) -> None:
    """Lists of up to 20 documents are joined with themselves (sql/templates/shared/inversions.sql)."""
    ranks = list(range(1, length + 1))
    reversed_pairs = pd.DataFrame({"query_id": "q", "rank_a": ranks, "rank_b": ranks[::-1]})
    measure = "KendallDistance(scale='count')"
    assert ltr_sql.evaluate(reversed_pairs, [measure])[measure].tolist() == [length * (length - 1) / 2]


@pytest.mark.parametrize("k", [2, 3])
def test_the_document_at_the_cutoff_is_ranked(k: int) -> None:
    """Rows that score below the best k are not sorted (sql/templates/shared/runs.sql). Documents x and y are tied."""
    run = pd.DataFrame({"query_id": "q", "doc_id": list("wxyz"), "score": [0.5, 1.0, 1.0, 2.0]})
    qrels = pd.DataFrame({"query_id": "q", "doc_id": list("xyw"), "relevance": 1})
    found = ltr_sql.evaluate(run, [f"P@{k}"], qrels=qrels)
    assert found[f"P@{k}"].tolist() == [(k - 1) / k]


TOOLS = [("gdeval", "nDCG", 20), ("gdeval", "ERR", 20), ("quepid", "nDCG", 10)]
TOOLS += [("xgboost", name, 32) for name in ("nDCG", "AP", "PrecisionAt")]
TOOLS += [("elasticsearch", name, 10) for name in ("DCG", "nDCG", "PrecisionAt", "R", "RR")]


@pytest.mark.parametrize(("convention", "measure", "k"), TOOLS)
def test_the_cutoffs_of_tools(convention: str, measure: str, k: int) -> None:
    """A document at the cutoff counts, and a document below it does not."""
    for rank, counts in ((k, True), (k + 1, False)):
        (value,) = ltr_sql.evaluate(one_document(rank=rank, relevance=1), [measure], convention=convention)[measure]
        assert (value > 0) is counts


# Numbers after the @


@pytest.mark.default("RBP@1-RBP@1-0.09999999999999998")
@pytest.mark.parametrize(
    ("text", "canonical", "value"),
    [("RBP@1", "RBP@1", 1 - 0.9), ("RBP@0.99", "RBP(p=0.99)", 1 - 0.99), ("RBP@2", "RBP@2", 1 - 0.9)],
)
def test_a_number_from_1_is_a_cutoff_and_a_smaller_one_a_probability(
    text: str, canonical: str, value: float, con: duckdb.DuckDBPyConnection
) -> None:
    rankings = one_document(rank=1, relevance=1)
    assert str(parse_measure(text)) == canonical
    assert ltr_sql.evaluate(rankings, [text])[text].tolist() == [pytest.approx(value, abs=1e-15)]
    # The parameter of P makes ltr.evaluate read the measure strings in full.
    for measures in (f"['{text}']", f"['P(rel=1)@1', '{text}']"):
        assert in_sql(con, f"evaluate('rankings', {measures})", rankings) == pytest.approx(value, abs=1e-15)


# Differences between conventions


def test_a_small_difference_between_conventions_is_one() -> None:
    """The relevant document is tied at rank 1,000: it is first by doc_id, and second by row order."""
    scores = {f"d{number:04}": -float(number) for number in range(999)}
    rows = dict(compared_rows({"q": {**scores, "x": -1000.0, "y": -1000.0}}, {"q": {"y": 1}}, "RR"))
    assert rows["trec_eval"] == (1 / 1000, "")
    assert rows["lightgbm"] == (1 / 1001, "ties=row_order")


def test_a_rounding_error_is_no_difference_between_conventions() -> None:
    """The documents of each list are tied: RR is 1, 1, 1/3 by doc_id, and 1, 1/3, 1 by row order."""
    lists, relevant = ("cba", "bac", "abc"), "cca"
    run = {f"q{i}": dict.fromkeys(rows, 1.0) for i, rows in enumerate(lists)}
    rows = dict(compared_rows(run, {f"q{i}": {doc: 1} for i, doc in enumerate(relevant)}, "RR"))
    for name in ("trec_eval", "lightgbm"):
        assert rows[name] == (pytest.approx(7 / 9, abs=1e-15), "")


def compared_rows(run: Any, qrels: Any, measure: str) -> Iterator[tuple[str, tuple[Any, str]]]:
    for name, value, moved in compare_conventions(run, qrels, [measure])[measure]:
        yield name, (value, moved)


# Findings


def found_in(code: str, rankings: Any, qrels: Any = None) -> tuple[int, str] | None:
    """Return the number of rows of a finding and the first of them, or None if it is not found."""
    frame = ltr_sql.check(rankings, qrels, measures=["AP"])
    found = {row.what: (row.how_many, row.first_rows) for row in frame.itertuples()}
    return found.get(findings()[code].what)


def test_unjudged_documents_are_counted_in_the_top_10() -> None:
    rankings = pd.DataFrame({"query_id": "q", "rank": range(1, 12), "relevance": [1.0] * 10 + [math.nan]})
    assert found_in("unjudged_at_10", rankings) is None
    at_10 = rankings.assign(relevance=[1.0] * 9 + [math.nan, 1.0])
    assert found_in("unjudged_at_10", at_10) == (1, "10.0% of the top 10: query_id=q (1 of 10)")


def test_three_rows_of_a_finding_are_shown() -> None:
    rankings = pd.DataFrame({"query_id": list("abcd"), "rank": 0, "relevance": 1})
    found = found_in("ranks_out_of_range", rankings)
    assert found is not None
    assert found[0] == 4
    assert [row.partition(",")[0] for row in found[1].split("; ")] == ["query_id=a", "query_id=b", "query_id=c"]


@pytest.mark.slow
def test_systems_are_mixed_where_each_row_of_a_document_has_its_own() -> None:
    run = pd.DataFrame({"query_id": "q", "doc_id": list("aabb"), "score": [2.0, 2.0, 1.0, 1.0]})
    qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "relevance": [1]})
    for systems, mixed in (("xyxy", True), ("xyxx", False), ("xxxx", False)):
        found = found_in("mixed_systems", run.assign(system=list(systems)), qrels)
        assert (found is not None) is mixed


def test_whole_numbers_of_two_widths_are_ids_of_one_type() -> None:
    run = pd.DataFrame({"query_id": [1], "doc_id": [1], "score": [1.0]})
    qrels = pd.DataFrame({"query_id": [1], "doc_id": [1], "relevance": [1]})
    as_text = qrels.astype({"query_id": str, "doc_id": str})
    assert found_in("ids_of_different_types", run, qrels.astype("int32")) is None
    assert found_in("ids_of_different_types", run, as_text) is not None


# Tolerance of verify


@pytest.mark.parametrize(
    ("of_sql", "of_oracle", "verdict"),
    [
        (1.0, 1 + 5e-13, "equal"),
        (1.0, 1 + 5e-12, "different"),
        (1e6, 1e6 + 5e-7, "equal"),
        (1e6, 1e6 + 5e-6, "different"),
        (1e-6, 1e-6 + 5e-13, "equal"),
        (1e-6, 1e-6 + 5e-12, "different"),
    ],
)
def test_values_are_equal_to_12_digits(
    of_sql: float, of_oracle: float, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Differences are relative for values above 1, otherwise absolute."""
    monkeypatch.setattr(oracle, "cg", lambda rank, relevance, **values: of_oracle)
    found = ltr_sql.verify(one_document(rank=1, relevance=of_sql), ["CG"])
    assert found["verdict"].tolist() == [verdict]


@pytest.mark.slow
@pytest.mark.parametrize("texts", [["query_id"], ["doc_id"], ["query_id", "doc_id"]])
def test_verify_compares_ids_of_different_types_as_text(texts: list[str]) -> None:
    run = pd.DataFrame({"query_id": 1, "doc_id": [1, 2], "score": [1.0, 2.0]})
    qrels = pd.DataFrame({"query_id": 1, "doc_id": [1, 2], "relevance": [1, 0]}).astype(dict.fromkeys(texts, str))
    assert ltr_sql.verify(run, ["RR", "nDCG"], qrels=qrels)["verdict"].tolist() == ["equal", "equal"]


# Zstandard files


def is_whole(path: Path) -> bool:
    try:
        with plain_file(str(path)):
            return True
    except InputError:
        return False


@pytest.mark.parametrize(
    "end",
    [
        pytest.param("01 00 00", id="an empty block"),
        pytest.param("00 00 00 01 00 00", id="two empty blocks"),
        pytest.param("0b 00 00 61", id="one byte repeated"),
        pytest.param("09 00 00 61", id="one byte"),
    ],
)
@pytest.mark.parametrize("checksum", [False, True], ids=["no checksum", "checksum"])
def test_the_last_byte_of_a_zstandard_file(end: str, checksum: bool, tmp_path: Path) -> None:
    """A frame of one segment consists of magic number, descriptor, length, blocks, and an optional checksum."""
    frame = bytes.fromhex(f"28 b5 2f fd {'24' if checksum else '20'} 01 {end} {'00 00 00 00' if checksum else ''}")
    path = tmp_path / "run.zst"
    for content, whole in ((frame, True), (frame[:-1], False), (frame + b"\0", False), (frame * 2, True)):
        path.write_bytes(content)
        assert is_whole(path) is whole, content


def test_skippable_frames_of_a_zstandard_file(tmp_path: Path) -> None:
    path = tmp_path / "run.zst"
    for magic in ("50", "5f"):
        frame = bytes.fromhex(f"{magic} 2a 4d 18 02 00 00 00 61 62")
        for content, whole in ((frame, True), (frame[:-1], False), (frame[:5], False)):
            path.write_bytes(content)
            assert is_whole(path) is whole, content
