"""Input validation: errors, findings and their messages; valid input passes."""

import gzip
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql import InputError, InputWarning, LtrSqlError
from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES
from ltr_sql.catalogue.measures import definitions
from ltr_sql.catalogue.wording import in_sql
from ltr_sql.command_line.main import main
from ltr_sql.command_line.trec_eval import TrecEvalOptions, printed_lines
from ltr_sql.evaluation.conventions import compare_conventions
from ltr_sql.rendering.findings import OF_A_KEY, SEVERITIES, findings

INF, NAN = float("inf"), float("nan")


def run_of(*rows: tuple[Any, Any, Any], **more: list[Any]) -> pl.DataFrame:
    """Return a run with scores."""
    columns = {name: [row[i] for row in rows] for i, name in enumerate(("query_id", "doc_id", "score"))}
    return pl.DataFrame(columns | more, strict=False)


RUN = run_of(("q1", "a", 3.0), ("q1", "b", 2.0), ("q2", "a", 1.0))
QRELS = pl.DataFrame({"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "a"], "relevance": [1, 0, 1]})
RANKINGS = pl.DataFrame({"query_id": ["q", "q", "q"], "rank": [1, 2, 3], "relevance": [0, 1, None]})
SCORED = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [2.0, 1.0], "relevance": [0, 1]})
RANKED = RUN.select("query_id", "doc_id", rank=pl.Series([1, 2, 1]))


def changed(frame: pl.DataFrame, **columns: list[Any]) -> pl.DataFrame:
    return frame.with_columns(pl.Series(name, values, strict=False) for name, values in columns.items())


def twice(frame: pl.DataFrame) -> pl.DataFrame:
    return pl.concat([frame, frame])


# Invalid inputs, with the code, number and first rows of the expected error.
Case = tuple[str, Any, Any, str, int, str]
ERRORS: list[Case] = [
    # Runs and judgments
    (
        "a document twice",
        twice(RUN),
        QRELS,
        "duplicate_documents",
        3,
        "query_id=q1, doc_id=a (2 rows); query_id=q1, doc_id=b",
    ),
    (
        "a document twice, with other scores",
        run_of(("q1", "a", 3.0), ("q1", "a", 2.0), ("q2", "a", 1.0)),
        QRELS,
        "duplicate_documents",
        1,
        "query_id=q1, doc_id=a (2 rows)",
    ),
    ("a judgment twice", RUN, twice(QRELS), "duplicate_judgments", 3, "query_id=q1, doc_id=a (grades 1, 1)"),
    (
        "conflicting judgments",
        RUN,
        pl.concat([QRELS, changed(QRELS, relevance=[0, 0, 2])]),
        "duplicate_judgments",
        3,
        "query_id=q1, doc_id=a (grades 0, 1)",
    ),
    (
        "NaN as score",
        changed(RUN, score=[3.0, NAN, 1.0]),
        QRELS,
        "scores_not_finite",
        1,
        "query_id=q1, doc_id=b, score=nan",
    ),
    ("NULL as score", changed(RUN, score=[None, 2.0, 1.0]), QRELS, "scores_not_finite", 1, "doc_id=a, score=NULL"),
    ("infinite score", changed(RUN, score=[INF, 2.0, 1.0]), QRELS, "scores_not_finite", 1, "doc_id=a, score=inf"),
    ("score below all", changed(RUN, score=[3.0, -INF, 1.0]), QRELS, "scores_not_finite", 1, "doc_id=b, score=-inf"),
    ("text as score", changed(RUN, score=["3", "two", "1"]), QRELS, "no_numbers", 1, "doc_id=b, rank=NULL, score=two"),
    ("text as rank", changed(RANKED, rank=["1", "x", "1"]), QRELS, "no_numbers", 1, "doc_id=b, rank=x"),
    ("text as grade", RUN, changed(QRELS, relevance=["1", "-", "0"]), "no_numbers", 1, "doc_id=b, relevance=-"),
    ("NULL as query", changed(RUN, query_id=["q1", "q1", None]), QRELS, "null_ids", 1, "query_id=NULL, doc_id=a"),
    ("NULL as document", changed(RUN, doc_id=["a", None, "a"]), QRELS, "null_ids", 1, "query_id=q1, doc_id=NULL"),
    (
        "NULL as judged query",
        RUN,
        changed(QRELS, query_id=["q1", "q1", None]),
        "null_ids",
        1,
        "judgment query_id=NULL, doc_id=a, relevance=1",
    ),
    (
        "NULL as judged document",
        RUN,
        changed(QRELS, doc_id=["a", None, "a"]),
        "null_ids",
        1,
        "judgment query_id=q1, doc_id=NULL, relevance=0",
    ),
    ("infinite grade", RUN, changed(QRELS, relevance=[1.0, INF, 1.0]), "grades_infinite", 1, "doc_id=b, relevance=inf"),
    ("ranks from 0", changed(RANKED, rank=[0, 1, 0]), QRELS, "ranks_out_of_range", 2, "query_id=q1, doc_id=a, rank=0"),
    (
        "negative rank",
        changed(RANKED, rank=[1, -2, 1]),
        QRELS,
        "ranks_out_of_range",
        1,
        "query_id=q1, doc_id=b, rank=-2",
    ),
    ("infinite rank", changed(RANKED, rank=[1, INF, 1]), QRELS, "ranks_out_of_range", 1, "doc_id=b, rank=inf"),
    (
        "huge rank",
        changed(RANKED, rank=[1, 2**53, 1]),
        QRELS,
        "ranks_out_of_range",
        1,
        "doc_id=b, rank=9007199254740992",
    ),
    (
        "average ranks",
        changed(RANKED, rank=[1.5, 2.5, 1]),
        QRELS,
        "ranks_not_whole",
        2,
        "query_id=q1, doc_id=a, rank=1.5",
    ),
    ("NULL as rank", changed(RANKED, rank=[1, None, 1]), QRELS, "ranks_missing", 1, "query_id=q1, doc_id=b"),
    ("no rank at all", changed(RANKED, rank=[None] * 3), QRELS, "ranks_missing", 3, "query_id=q1, doc_id=a"),
    (
        "no common query",
        changed(RUN, query_id=["1", "1", "2"]),
        QRELS,
        "no_common_queries",
        1,
        "the run has '1', '2'; the judgments have 'q1', 'q2'",
    ),
    (
        "a blank in query ids",
        changed(RUN, query_id=["q1 ", "q1 ", "q2 "]),
        QRELS,
        "no_common_queries",
        1,
        "the run has 'q1 ', 'q2 '; the judgments have 'q1', 'q2'",
    ),
    (
        "no common document",
        changed(RUN, doc_id=["A", "B", "A"]),
        QRELS,
        "no_common_documents",
        1,
        "the run has 'A', 'B'; the judgments have 'a', 'b'",
    ),
    (
        "integers and text that never match",
        changed(RUN, query_id=[1, 1, 2]),
        changed(QRELS, query_id=["001", "001", "002"]),
        "no_common_queries",
        1,
        "the run has '1', '2'; the judgments have '001', '002'",
    ),
    ("an empty run", RUN.clear(), QRELS, "no_rows", 1, "the run"),
    ("no judgments", RUN, QRELS.clear(), "no_rows", 1, "the judgments"),
    (
        "systems mixed",
        pl.concat([RUN.with_columns(system=pl.lit("x")), RUN.with_columns(system=pl.lit("y"))]),
        QRELS,
        "mixed_systems",
        3,
        "query_id=q1, shared=document a in the rows system=x and system=y",
    ),
    # Rankings and scored tables
    (
        "shared ranks",
        changed(RANKINGS, rank=[2, 2, 3]),
        None,
        "duplicate_ranks",
        1,
        "query_id=q, rank=2.0 (2 documents)",
    ),
    (
        "rankings from 0",
        changed(RANKINGS, rank=[0, 1, 2]),
        None,
        "ranks_out_of_range",
        1,
        "query_id=q, doc_id=NULL, rank=0",
    ),
    (
        "rankings with half ranks",
        changed(RANKINGS, rank=[1, 2.5, 3]),
        None,
        "ranks_not_whole",
        1,
        "doc_id=NULL, rank=2.5",
    ),
    ("rankings without a query", changed(RANKINGS, query_id=["q", None, "q"]), None, "null_ids", 1, "query_id=NULL"),
    (
        "rankings with an infinite grade",
        changed(RANKINGS, relevance=[0.0, INF, None]),
        None,
        "grades_infinite",
        1,
        "query_id=q, doc_id=NULL, relevance=inf",
    ),
    ("rankings with text as rank", changed(RANKINGS, rank=["1", "2", "?"]), None, "no_numbers", 1, "rank=?"),
    ("rankings with text as grade", changed(RANKINGS, relevance=["?", "1", "0"]), None, "no_numbers", 1, "relevance=?"),
    (
        "rankings of systems mixed",
        pl.concat([RANKINGS.with_columns(system=pl.lit("x")), RANKINGS.with_columns(system=pl.lit("y"))]),
        None,
        "mixed_systems",
        3,
        "query_id=q, shared=rank 1 in the rows system=x and system=y",
    ),
    (
        "scored with NaN",
        changed(SCORED, score=[NAN, 1.0]),
        None,
        "scores_not_finite",
        1,
        "query_id=q, doc_id=a, score=nan",
    ),
    (
        "fewer retrieved than ranked",
        RANKINGS.with_columns(num_ret=pl.lit(1)),
        None,
        "num_ret_impossible",
        1,
        "query_id=q, num_ret=1.0, largest rank=",
    ),
    (
        "half a document retrieved",
        RANKINGS.with_columns(num_ret=pl.lit(7.5)),
        None,
        "num_ret_impossible",
        1,
        "query_id=q, num_ret=7.5",
    ),
    ("scored with NULL", changed(SCORED, score=[2.0, None]), None, "scores_not_finite", 1, "doc_id=b, score=NULL"),
    ("scored with text", changed(SCORED, score=["2", "x"]), None, "no_numbers", 1, "doc_id=b, rank=NULL, score=x"),
]

# Inputs that `evaluate` accepts, with or without a warning, and the code, number and first rows of the finding.
OTHERS: list[Case] = [
    (
        "a query that is not judged",
        pl.concat([RUN, run_of(("q9", "a", 1.0))]),
        QRELS,
        "queries_not_judged",
        1,
        "query_id=q9",
    ),
    ("a judged query that is missing", RUN.head(2), QRELS, "queries_not_run", 1, "query_id=q2"),
    (
        "ids of different types",
        changed(RUN, query_id=[1, 1, 2]),
        changed(QRELS, query_id=["1", "1", "2"]),
        "ids_of_different_types",
        1,
        "query_id: BIGINT in the run, VARCHAR in the judgments",
    ),
    (
        "leading zeros",
        changed(RUN, query_id=["q1", "q1", "7"]),
        changed(QRELS, query_id=["q1", "q1", "007"]),
        "ids_spelled_differently",
        1,
        "query_id '7' in the run, '007' in the judgments",
    ),
    (
        "upper case",
        changed(RUN, doc_id=["a", "B", "a"]),
        QRELS,
        "ids_spelled_differently",
        1,
        "doc_id 'B' in the run, 'b' in the judgments",
    ),
    (
        "two Unicode forms",
        changed(RUN, doc_id=["a", "cafe\u0301", "a"]),
        changed(QRELS, doc_id=["a", "caf\u00e9", "a"]),
        "ids_in_two_unicode_forms",
        1,
        "doc_id 'cafe\u0301'",
    ),
    ("a negative grade", RUN, changed(QRELS, relevance=[1, -1, 1]), "grades_negative", 1, "doc_id=b, relevance=-1"),
    ("half a grade", RUN, changed(QRELS, relevance=[1, 0.5, 1]), "grades_not_whole", 1, "doc_id=b, relevance=0.5"),
    ("soft grades", RUN, changed(QRELS, relevance=[0.9, 0.5, 0]), "grades_below_1", 2, "the highest grade is 0.9"),
    (
        "soft rankings",
        changed(RANKINGS, relevance=[0.5, 0, None]),
        None,
        "grades_below_1",
        1,
        "the highest grade is 0.5",
    ),
    ("nothing relevant", RUN, changed(QRELS, relevance=[1, 0, 0]), "nothing_relevant", 1, "query_id=q2"),
    ("not judged", RUN, QRELS.head(1), "unjudged_at_10", 1, "50.0% of the top 10: query_id=q1 (1 of 2)"),
    ("tied", changed(RUN, score=[1, 1, 1]), QRELS, "tied_scores", 2, "query_id=q1, score=1.0 (2 documents)"),
    (
        "ties that matter",
        changed(RUN, score=[1, 1, 1]),
        QRELS,
        "tie_effects",
        3,
        "AP 0.75 to 1.0; RR 0.75 to 1.0; nDCG@10",
    ),
    ("gaps", changed(RANKED, rank=[1, 5, 1]), QRELS, "ranks_with_gaps", 1, "query_id=q1 (2 ranks down to 5)"),
    (
        "rankings with gaps",
        changed(RANKINGS, rank=[1, 2, 9]),
        None,
        "ranks_with_gaps",
        1,
        "query_id=q (3 ranks down to 9)",
    ),
    ("rankings not judged", RANKINGS, None, "unjudged_at_10", 1, "33.3% of the top 10: query_id=q (1 of 3)"),
    ("rankings of nothing", changed(RANKINGS, relevance=[0, 0, -1]), None, "nothing_relevant", 1, "query_id=q"),
    ("scored and tied", changed(SCORED, score=[1.0, 1.0]), None, "tie_effects", 3, "AP 0.5 to 1.0; RR 0.5 to 1.0"),
    (
        "a column missing",
        RUN.drop("doc_id"),
        QRELS,
        "missing_columns",
        1,
        "the run: no column doc_id among query_id, score",
    ),
    (
        "grades missing",
        RANKINGS.drop("relevance"),
        None,
        "missing_columns",
        1,
        "the rankings: no column relevance among",
    ),
    (
        "another name",
        RANKINGS.rename({"rank": "position"}),
        None,
        "missing_columns",
        1,
        "no column rank or score among query_id",
    ),
]

BY_CODE = findings()
# Findings with tests of their own, in test_suspicions.py.
SUSPICIONS = ("scores_rise", "scores_like_grades", "scores_like_ranks")
each_error = pytest.mark.parametrize("case", ERRORS, ids=lambda case: case[0])


def test_there_are_enough_cases() -> None:
    assert len(ERRORS) + len(OTHERS) + len(FILES) + len(CALLS) >= 60
    assert {case[3] for case in ERRORS + OTHERS} == set(BY_CODE) - {"known_documents", *SUSPICIONS}


def test_findings_say_what_to_do() -> None:
    for finding in BY_CODE.values():
        assert finding.severity in SEVERITIES
        assert finding.what
        assert finding.what_to_do
        assert set(finding.reads) <= {"rankings", "run", "history", "order"}


@each_error
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_evaluate_refuses(case: Case) -> None:
    _, rankings, qrels, code, how_many, first_rows = case
    with pytest.raises(InputError) as raised:
        ltr_sql.evaluate(rankings, ["AP", "nDCG@10"], qrels=qrels)
    message = str(raised.value)
    assert f"{BY_CODE[code].what} ({how_many}): " in message
    assert first_rows in message
    said = message.partition(f"{BY_CODE[code].what} ({how_many}): ")[2]
    assert_is_advice(code, said.partition("What to do: ")[2].partition("\n")[0])


def assert_is_advice(code: str, what_to_do: str) -> None:
    """Assert that a text is the advice of a finding, which may be a template with names of measures."""
    # Only macros advise about keys, because Python knows them.
    before, names, rest = BY_CODE[code].what_to_do.replace("{{ of_a_key }}", "").partition("{{")
    if not names:
        assert what_to_do == before
        return
    assert re.fullmatch(f"{re.escape(before)}[A-Za-z_]+(, [A-Za-z_]+)+{re.escape(rest.partition('}}')[2])}", what_to_do)


def found_by_check(rankings: Any, qrels: Any, code: str) -> tuple[Any, ...]:
    found = ltr_sql.check(rankings, qrels, measures=DEFAULT_MEASURES if code == "tie_effects" else ["AP"])
    assert found.columns == ["severity", "what", "how_many", "first_rows", "what_to_do"]
    what = BY_CODE[code].what.partition("{{")[0]
    (row,) = [row for row in found.rows() if row[1].startswith(what)]
    return tuple(row)


@pytest.mark.default("rankings with text as grade")
@pytest.mark.parametrize("case", ERRORS + OTHERS, ids=lambda case: case[0])
def test_check_finds(case: Case) -> None:
    _, rankings, qrels, code, how_many, first_rows = case
    severity, _, number, rows, what_to_do = found_by_check(rankings, qrels, code)
    assert (severity, number) == (BY_CODE[code].severity, how_many)
    assert first_rows in rows
    assert_is_advice(code, what_to_do)
    assert (severity == "error") == (case in ERRORS or code == "missing_columns")


@pytest.mark.default("rankings with text as grade")
@pytest.mark.parametrize("case", (ERRORS + OTHERS)[::6], ids=lambda case: case[0])
def test_macros_return_the_findings(case: Case, con: duckdb.DuckDBPyConnection) -> None:
    _, rankings, qrels, *_ = case
    con.register("rankings", rankings)
    con.register("qrels", QRELS if qrels is None else qrels)
    call = "ltr.check_rankings('rankings')" if qrels is None else "ltr.check_run('rankings', 'qrels')"
    assert con.execute(f"from {call}").fetchall() == in_words_of_sql(ltr_sql.check(rankings, qrels).rows())


def in_words_of_sql(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return findings as the macros advise."""
    not_asked = "If they were not asked"
    return [(*row[:-1], in_sql(row[-1].replace(not_asked, f"{OF_A_KEY}{not_asked}"))) for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["float", "decimal(38, 1)", "varchar", "ubigint", "boolean"])
def test_macros_return_the_findings_about_scores_of_any_type(kind: str, con: duckdb.DuckDBPyConnection) -> None:
    columns = f"'q' as query_id, 'd' || i as doc_id, cast(i // 2 as {kind}) as score, i as \"Other\""
    con.execute(f"create or replace temp table scores as select {columns} from range(4) as t(i)")
    con.execute(
        "create or replace temp table judged as select 'q' as query_id, 'd1' as doc_id, 0.5::float as relevance"
    )
    found = con.execute("from ltr.check_run('scores', 'judged')").fetchall()
    assert found == in_words_of_sql(ltr_sql.check("scores", "judged", con=con).to_records(index=False).tolist())
    assert found


@pytest.mark.parametrize("case", (ERRORS + OTHERS)[::2], ids=lambda case: case[0])
def test_without_checks_there_is_a_valid_value_or_an_error(case: Case) -> None:
    """Without checks, the result is a value in range or an error of ltr_sql."""
    _, rankings, qrels, *_ = case
    measures = ["AP", "nDCG@10", "P@1", "R@5"]
    try:
        values = ltr_sql.evaluate(rankings, measures, qrels=qrels, check=False)
    except LtrSqlError:
        return
    for row in values.rows(named=True):
        assert all(row[name] is None or 0 <= row[name] <= 1 for name in measures)


@pytest.mark.default("scored")
@pytest.mark.parametrize(
    ("rankings", "qrels"), [(RUN, QRELS), (RANKED, QRELS), (SCORED, None)], ids=["run", "ranks", "scored"]
)
def test_valid_input_passes(rankings: Any, qrels: Any, con: duckdb.DuckDBPyConnection) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ltr_sql.evaluate(rankings, ["AP"], qrels=qrels)
    assert ltr_sql.check(rankings, qrels).rows() == []


@pytest.mark.slow
def test_measures_by_subtopic_have_no_range_over_orders() -> None:
    tied = changed(RUN, score=[1.0] * RUN.height)
    found = ltr_sql.check(tied, QRELS, measures=["AP", "alpha_nDCG@5"]).rows()
    assert found == ltr_sql.check(tied, QRELS, measures=["AP"]).rows() != []


def test_warnings() -> None:
    run = changed(pl.concat([RUN.head(2), run_of(("q9", "a", 1.0))]), doc_id=["a", "B", "a"])
    with pytest.warns(InputWarning) as caught:
        ltr_sql.evaluate(run, ["AP"], qrels=QRELS)
    texts = [str(warning.message) for warning in caught]
    assert [text.partition(" (")[0] for text in texts] == [
        "queries of the run have no judgments: they are left out",
        "judged queries are not in the run: they count as 0",
    ]
    assert {warning.filename for warning in caught} == {__file__}
    with pytest.warns(InputWarning, match="no judgments") as caught:
        ltr_sql.evaluate(run, ["AP"], qrels=QRELS, missing="skip")
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ltr_sql.evaluate(run, ["AP"], qrels=QRELS, check=False)


@pytest.mark.slow
def test_keys_separate_systems() -> None:
    runs = pl.concat([RUN.with_columns(system=pl.lit(name)) for name in "xy"])
    assert ltr_sql.check(runs, QRELS, keys=["system"]).rows() == []
    assert ltr_sql.evaluate(runs, ["AP"], qrels=QRELS, keys=["system"])["AP"].to_list() == [1.0, 1.0]
    one = runs.filter((pl.col("system") == "x") | (pl.col("query_id") == "q1"))
    ((severity, _, number, rows, _),) = ltr_sql.check(one, QRELS, keys=["system"]).rows()
    assert (severity, number, rows) == ("warning", 1, "system=y, query_id=q2")


@pytest.mark.default("keys0-in 2 systems, such as system=a, query_id=q0; ")
@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        (["system"], "in 2 systems, such as system=a, query_id=q0; "),
        (["system", "week"], "in 4 groups, such as system=a, week=1, query_id=q0; "),
        (["week"], "in 2 groups, such as week=1, query_id=q0; "),
        ([], "query_id=q0; "),
    ],
)
def test_a_query_of_several_systems_is_one_query(keys: list[str], shown: str, con: duckdb.DuckDBPyConnection) -> None:
    rows = [(s, w, f"q{q}", 1, q // 17) for s in ("a", "b") for w in (1, 2) for q in range(20)]
    ranked = pl.DataFrame(rows, schema=["system", "week", "query_id", "rank", "relevance"], orient="row")
    kept = ranked.unique([*keys, "query_id"], maintain_order=True)
    run = kept.filter(pl.col("relevance") == 1).select(*keys, "query_id", doc_id=pl.lit("d"), rank=1)
    qrels = kept.select("query_id", doc_id=pl.lit("d"), relevance=pl.lit(1)).unique()
    for name, table in {"ranked": kept, "run": run, "qrels": qrels}.items():
        con.register(name, table)
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: ltr_sql.check(kept, keys=keys), f"from ltr.check_rankings('ranked', keys := {keys}::varchar[])"),
        (
            lambda: ltr_sql.check(run, qrels, keys=keys),
            f"from ltr.check_run('run', 'qrels', keys := {keys}::varchar[])",
        ),
    ]
    for by_python, by_sql in calls:
        for found in (by_python().rows(named=True), con.sql(by_sql).pl().rows(named=True)):
            (row,) = (row for row in found if row["what"].startswith(("queries have no rel", "judged queries are not")))
            assert (row["how_many"], row["first_rows"].startswith(shown)) == (17, True), row
    with pytest.warns(InputWarning, match=re.escape(f"they count as 0 (17): {shown}")):
        ltr_sql.evaluate(run, ["RR"], qrels=qrels, keys=keys)


def test_check_of_measures() -> None:
    tied = changed(RUN, score=[1, 1, 1])
    *_, rows, _ = next(row for row in ltr_sql.check(tied, QRELS, measures=["P@1"]).rows() if "ties" in row[1])
    assert rows == "P@1 0.5 to 1.0"


# Malformed files of runs or judgments, and the expected message.

RUN_TEXT = "q1 Q0 a 1 3.0 t\nq1 Q0 b 2 2.0 t\nq2 Q0 a 1 1.0 t\n"
QRELS_TEXT = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
FILES: list[tuple[str, str, bytes, str]] = [
    ("5 columns", "run", b"q1 Q0 a 1 3.0\n", "line 1: 5 columns, but a TREC run has 6"),
    ("5 columns with tabs", "run", b"q1\tQ0\ta\t1\t3.0\n", "line 1: 5 columns, but a TREC run has 6"),
    ("5 columns late", "run", RUN_TEXT.encode() + b"\nq2 Q0 b 1 3.0\n", "line 5: 5 columns, but a TREC run"),
    ("5 columns of judgments", "qrels", b"q1 0 a 1 1\n", "line 1: 5 columns, but TREC judgments have 4"),
    ("a comment", "run", b"# a run\n" + RUN_TEXT.encode(), "line 1: remove the comment"),
    ("a comment in judgments", "qrels", QRELS_TEXT.encode() + b"# end\n", "line 4: remove the comment"),
    ("text as score", "run", b"q1 Q0 a 1 high t\n", "line 1: score must be a number, got 'high'"),
    ("text as grade", "qrels", b"q1 0 a yes\n", "line 1: relevance must be a number, got 'yes'"),
    ("not UTF-8", "run", b"q1 Q0 a\xff 1 1.0 t\n", "line 1 is not UTF-8"),
    ("judgments not UTF-8", "qrels", QRELS_TEXT.encode() + b"q1 0 \xe9 1\n", "line 4 is not UTF-8"),
    ("empty", "run", b"", "the file is empty"),
    ("empty judgments", "qrels", b"", "the file is empty"),
    ("blank lines alone", "run", b"\n\n", "the input has no rows (1): the run"),
    ("a huge line", "run", b"q1 Q0 " + b"x" * 3_000_000 + b" 1 1.0\n", "a line has 3,000,012 bytes, but at most"),
    ("a truncated .gz", "run.gz", gzip.compress(RUN_TEXT.encode() * 99)[:-20], "run.gz is truncated"),
    ("no .gz", "run.gz", RUN_TEXT.encode(), "run.gz is not a gzip file"),
    ("Parquet as .gz", "run.parquet.gz", b"", "run.parquet.gz: a Parquet file cannot be read as .gz: unpack it"),
    (
        "NaN",
        "run",
        RUN_TEXT.replace("2.0", "nan").encode(),
        "a score is NULL, NaN or infinite (1): query_id=q1, doc_id=b",
    ),
    ("infinite", "run", RUN_TEXT.replace("2.0", "inf").encode(), "a score is NULL, NaN or infinite (1): query_id=q1"),
    ("twice", "run", RUN_TEXT.encode() * 2, "a document is in one ranking more than once (3): query_id=q1, doc_id=a"),
    ("judgments twice", "qrels", QRELS_TEXT.encode() * 2, "a document is judged more than once for one query (3)"),
]
# Files that are read correctly.
VALID_FILES: dict[str, bytes] = {
    "tabs": RUN_TEXT.replace(" ", "\t").encode(),
    "blank lines": RUN_TEXT.replace("\n", "\n\n").encode(),
    "CRLF": RUN_TEXT.replace("\n", "\r\n").encode(),
    "a byte order mark": b"\xef\xbb\xbf" + RUN_TEXT.encode(),
    "no last newline": RUN_TEXT.rstrip().encode(),
    "more columns": RUN_TEXT.replace(" t\n", " t more\n").encode(),
}


def files_with(folder: Path, name: str, content: bytes) -> tuple[str, str]:
    paths = {"run": folder / "run", "qrels": folder / "qrels"}
    paths["run"].write_text(RUN_TEXT, encoding="utf-8")
    paths["qrels"].write_text(QRELS_TEXT, encoding="utf-8")
    paths[name.partition(".")[0]] = folder / name
    (folder / name).write_bytes(content)
    return str(paths["run"]), str(paths["qrels"])


@pytest.mark.parametrize(
    ("command", "case"),
    [("Python", case) for case in FILES] + [(name, case) for name in ("evaluate", "check") for case in FILES[::4]],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_files(command: str, case: tuple[str, str, bytes, str], tmp_path: Path) -> None:
    _, name, content, message = case
    run, qrels = files_with(tmp_path, name, content)
    if command == "Python":
        with pytest.raises(InputError, match=re.escape(message)):
            ltr_sql.evaluate(run, ["AP"], qrels=qrels)
        return
    result = CliRunner().invoke(main, [command, qrels, run])
    # The answer of `check` about a file that it can read is 1.
    assert result.exit_code == (1 if result.stdout else 2)
    assert isinstance(result.exception, SystemExit)
    assert message in " ".join(result.output.split())


@pytest.mark.default("tabs")
@pytest.mark.parametrize("content", VALID_FILES.values(), ids=VALID_FILES)
def test_valid_files(content: bytes, tmp_path: Path) -> None:
    run, qrels = files_with(tmp_path, "run", content)
    assert ltr_sql.evaluate(run, ["AP"], qrels=qrels)["AP"][0] == 1.0
    result = CliRunner().invoke(main, ["check", qrels, run])
    assert (result.exit_code, result.output) == (0, "0 findings\n")


@pytest.mark.slow
def test_the_command_line_warns_on_stderr(tmp_path: Path) -> None:
    run, qrels = files_with(tmp_path, "run", RUN_TEXT[:32].encode())
    result = CliRunner().invoke(main, ["evaluate", qrels, run, "-m", "AP", "--format", "csv"])
    assert (result.exit_code, result.stdout) == (0, "queries,AP\n2,0.5\n")
    assert result.stderr.startswith("Warning: judged queries are not in the run: they count as 0 (1): query_id=q2.")
    assert [line.partition(":")[0] for line in result.stderr.splitlines()] == ["Warning", "What to do"]
    result = CliRunner().invoke(main, ["evaluate", qrels, run, "-m", "AP", "--no-check"])
    assert (result.exit_code, result.stderr) == (0, "")
    result = CliRunner().invoke(main, ["check", qrels, run])
    assert result.exit_code == 0
    assert result.stdout.startswith("warning: judged queries are not in the run: they count as 0 (1): query_id=q2\n")


# Calls: measures, parameters, keys, names

HUGE = pl.DataFrame({"query_id": ["q"] * 2, "rank": [1, 2], "relevance": [1e308, 1e308]})
Call = Callable[[duckdb.DuckDBPyConnection], Any]
EACH_ONCE = "ranks must be whole numbers from 1 to 1,000,000,000, without duplicates in a query"
ONE_FOR_EACH = "ranks must be whole numbers from 1 to 1,000,000,000, one for each document of a query"
CALLS: list[tuple[str, Call, str]] = [
    ("k = 0", lambda con: ltr_sql.check(RUN, QRELS, measures=["nDCG@0"]), "k must be an integer from 1, got 0"),
    ("p = 2", lambda con: ltr_sql.evaluate(RUN, ["RBP(p=2)"], qrels=QRELS), "p must be a number from 0 to 1, got 2"),
    ("alpha = -1", lambda con: ltr_sql.check(RUN, QRELS, measures=["alpha_nDCG(alpha=-1)"]), "alpha must be a number"),
    (
        "gain",
        lambda con: ltr_sql.check(RUN, QRELS, measures=["nDCG(gain=log)"]),
        "gain must be 'linear', 'exponential' or 'binary'",
    ),
    ("a measure", lambda con: ltr_sql.check(RUN, QRELS, measures=["ndgc"]), "did you mean nDCG"),
    ("no measures", lambda con: ltr_sql.check(RUN, QRELS, measures=[]), "no measures given"),
    ("a key", lambda con: ltr_sql.check(RUN, QRELS, keys=["nope"]), "key 'nope' is not a column"),
    ("a key of text", lambda con: ltr_sql.check(RUN, QRELS, keys="system"), "keys must be a list of column names"),
    ("doc_id as key", lambda con: ltr_sql.check(RUN, QRELS, keys=["doc_id"]), "'doc_id' cannot be a key"),
    ("an object", lambda con: ltr_sql.check(7, QRELS), "the rankings cannot be read from int"),
    ("a file", lambda con: ltr_sql.check("nope.txt", QRELS), "nope.txt: no such file"),
    ("a table", lambda con: ltr_sql.check("nope", con=con), "nope is neither a file nor a table of the connection"),
    (
        "an attack by name",
        lambda con: ltr_sql.check("t; drop table t", con=con),
        "t; drop table t is neither a file nor a table of the connection",
    ),
    (
        "an attack by key",
        lambda con: ltr_sql.check("t", keys=["query_id'; drop table t; --"], con=con),
        'key "query_id\'; drop table t; --" is not a column',
    ),
    (
        "an attack by measure",
        lambda con: ltr_sql.check("t", measures=["AP'; drop table t; --"], con=con),
        "cannot be read: write NAME, NAME@k or NAME(parameter=value)@k",
    ),
    ("a huge grade", lambda con: ltr_sql.evaluate(HUGE, ["DCG"]), "a grade is infinite or above 1e100"),
    ("an exponent", lambda con: ltr_sql.evaluate(HUGE, ["nDCG(gain=exponential)"]), "a grade is above 300"),
]
MACROS: list[tuple[str, str]] = [
    ("ltr.check_rankings('t', keys := ['nope'])", "keys must be columns of the input"),
    ("ltr.check_rankings('t', keys := null)", "keys must be columns of the input"),
    ("ltr.check_rankings('__ltr_x')", "names that start with __ltr_ are reserved"),
    ("ltr.check_run('t', '__ltr_x')", "names that start with __ltr_ are reserved"),
    ("ltr.check_rankings('t''; drop table t; --')", "t'; drop table t; --"),
    ("ltr.p('shared', k := 1)", EACH_ONCE),
    ("ltr.g('shared')", EACH_ONCE),
    ("ltr.bin_g('shared')", EACH_ONCE),
    ("ltr.err('shared', max_grade := 4)", EACH_ONCE),
    ("ltr.sdcg('shared', k := 3, max_rel := 4)", EACH_ONCE),
    ("ltr.compat('shared')", EACH_ONCE),
    ("ltr.alpha_dcg('shared', k := 3)", ONE_FOR_EACH),
    ("ltr.alpha_ndcg('shared')", ONE_FOR_EACH),
    ("ltr.evaluate('shared', ['LRAP', 'AP'])", EACH_ONCE),
    ("ltr.dcg('from_0')", EACH_ONCE),
    ("ltr.auc('from_0')", EACH_ONCE),
    ("ltr.p('halves', k := 1)", EACH_ONCE),
]


@pytest.fixture
def tables(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    con.execute("create or replace table t as select 'q' as query_id, 1 as rank, 1 as relevance")
    rows = "select 'q' as query_id, 'd' || i as doc_id, 's' as subtopic, 1 as relevance"
    con.execute(f"create or replace table shared as {rows}, 1 as rank from range(5) as t(i)")
    con.execute(f"create or replace table from_0 as {rows}, i as rank from range(5) as t(i)")
    con.execute(f"create or replace table halves as {rows}, 1 + i / 2 as rank from range(5) as t(i)")
    return con


@pytest.mark.parametrize("case", CALLS, ids=lambda case: case[0])
def test_calls(case: tuple[str, Call, str], tables: duckdb.DuckDBPyConnection) -> None:
    _, call, message = case
    with pytest.raises(LtrSqlError, match=re.escape(message)):
        call(tables)
    assert tables.execute("from t").fetchall() == [("q", 1, 1)]


@pytest.mark.parametrize(("call", "message"), MACROS)
def test_macros_refuse(call: str, message: str, tables: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.Error, match=re.escape(message)):
        tables.execute(f"from {call}").fetchall()
    with pytest.raises(duckdb.Error, match=re.escape(message)):
        tables.execute(f"select count(*) from {call}").fetchall()
    assert tables.execute("from t").fetchall() == [("q", 1, 1)]


@pytest.mark.default("RankingLoss", "AUC", "LRAP")
@pytest.mark.parametrize("measure", ["LRAP", "AUC", "OPA", "CoverageError", "RankingLoss"])
def test_measures_that_accept_shared_ranks(measure: str, tables: duckdb.DuckDBPyConnection) -> None:
    macro = {"CoverageError": "coverage_error", "RankingLoss": "ranking_loss"}.get(measure, measure.lower())
    ((_, value),) = tables.execute(f"from ltr.{macro}('shared')").fetchall()
    assert tables.execute(f"from ltr.evaluate('shared', ['{measure}'])").fetchall() == [(1, value)]


@pytest.mark.slow
def test_dicts_of_runs_are_checked_system_by_system() -> None:
    runs = {"x": RUN.to_pandas(), "y": RUN.to_pandas().head(2)}
    found = ltr_sql.check(runs, QRELS.to_pandas())
    assert isinstance(found, pd.DataFrame)
    assert found["first_rows"].tolist() == ["system=y, query_id=q2"]


@pytest.mark.parametrize(
    "look",
    [
        lambda run, qrels: ltr_sql.verify(run, ["AP"], qrels=qrels),
        lambda run, qrels: ltr_sql.explain(run, "q1", "AP", qrels=qrels),
        lambda run, qrels: compare_conventions(run, qrels, ["AP"]),
        lambda run, qrels: printed_lines(qrels, run, ["map"], TrecEvalOptions()),
    ],
    ids=["verify", "explain", "conventions", "trec_eval"],
)
def test_duplicate_documents_are_refused_by_all_functions(look: Callable[[str, str], Any], tmp_path: Path) -> None:
    run, qrels = tmp_path / "run.txt", tmp_path / "qrels.txt"
    run.write_text("q1 Q0 a 1 3 x\nq1 Q0 a 2 2 x\nq1 Q0 b 3 1 x\n")
    qrels.write_text("q1 0 a 1\nq1 0 c 1\n")
    with pytest.raises(InputError, match=r"a document is in one ranking more than once \(1\): query_id=q1, doc_id=a"):
        look(str(run), str(qrels))


def test_trec_eval_refuses_duplicate_judgments(tmp_path: Path) -> None:
    run, qrels = tmp_path / "run.txt", tmp_path / "qrels.txt"
    run.write_text("q1 Q0 a 1 3 x\n")
    qrels.write_text("q1 0 a 1\nq1 0 c 1\nq1 0 c 1\n")
    with pytest.raises(
        InputError, match=r"a document is judged more than once for one query \(1\): query_id=q1, doc_id=c"
    ):
        printed_lines(str(qrels), str(run), ["set_recall"], TrecEvalOptions())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
def test_the_finding_on_negative_grades_names_the_measures_that_read_them() -> None:
    measures = [d for d in definitions().values() if not (d.paired or d.by_subtopic)]
    grades = [-1, 1, 0, 1, 1, 2, -1, 0, 1]
    ranks = pd.array([1, 2, 3, 4, 5, 6, None, None, None], dtype="Int64")
    rankings = pd.DataFrame({"query_id": "q", "rank": ranks, "relevance": grades})
    as_zero = rankings.assign(relevance=[max(grade, 0) for grade in grades])
    names = [d.example for d in measures]
    (a, b) = (ltr_sql.evaluate(frame, names, by_query=True)[names].iloc[0] for frame in (rankings, as_zero))
    (found,) = [what for what in ltr_sql.check(rankings)["what"] if what.startswith("grades are negative")]
    differing = [d.name for d in measures if abs(a[d.example] - b[d.example]) > 1e-12]
    assert found.split(" unjudged for ")[1].split(", ") == differing


@pytest.mark.slow
def test_known_documents_are_a_warning() -> None:
    """Count the documents of a run that are in the history of their query, by system."""
    run = {"a": {"q1": {"7": 2.0, "8": 1.0}, "q2": {"7": 1.0}}, "b": {"q1": {"7": 2.0, "9": 1.0}}}
    qrels = {"q1": {"9": 1}, "q2": {"7": 1}}
    # Ids of integers are compared as text.
    history = pd.DataFrame({"user": [1, 1, 2], "item": [7, 8, 9]}).assign(user=["q1", "q1", "q2"])
    found = ltr_sql.check(run, qrels, history=history, columns={"history": {"user": "query_id", "item": "doc_id"}})
    (row,) = [row for row in found.to_dict("records") if row["what"] == BY_CODE["known_documents"].what]
    expected = {(s, q, d) for s, of in run.items() for q, docs in of.items() for d in docs if q == "q1" and d in "78"}
    assert row["severity"] == "warning"
    assert row["how_many"] == len(expected) == 3
    assert row["first_rows"] == "; ".join(f"system={s}, query_id={q}, doc_id={d}" for s, q, d in sorted(expected))
    assert [*found["severity"]] == sorted(found["severity"], key=["error", "warning", "info"].index)
    for unknown in ({"q2": ["8"]}, {"q3": ["7"]}, None):
        assert BY_CODE["known_documents"].what not in [*ltr_sql.check(run, qrels, history=unknown)["what"]]


def test_the_command_check_reads_the_history(tmp_path: Path) -> None:
    for name, text in (("run", "q1,7,1\n"), ("qrels", "q1,9,1\n"), ("history", "q1,7,1\n")):
        (tmp_path / f"{name}.csv").write_text(f"query_id,doc_id,{'score' if name == 'run' else 'relevance'}\n{text}")
    words = ["check", *(str(tmp_path / f"{name}.csv") for name in ("qrels", "run"))]
    result = CliRunner().invoke(main, [*words, "--history", str(tmp_path / "history.csv")])
    assert f"warning: {BY_CODE['known_documents'].what} (1): query_id=q1, doc_id=7" in result.stdout
