"""Options of the join of run and judgments: the SQL macro, Python and the command line against the oracle.

Lists have ties, gaps in their ranks, repeated and unjudged documents; judgments have texts, NULLs, negative grades and
repeated rows.
"""

import warnings
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner
from support.joins import GRADES, MEASURES, drawn, expected, same

import ltr_sql
from ltr_sql.command_line.main import main
from ltr_sql.errors import InputError, InputWarning


def options_of(case: dict[str, Any]) -> dict[str, Any]:
    return {name: case[name] for name in ("duplicates", "unjudged", "ties")}


def check_python(case: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        found = ltr_sql.evaluate(
            case["run"],
            MEASURES,
            qrels=case["qrels"],
            keys=["system", "week"],
            by_query=True,
            grades=GRADES,
            qrels_duplicates="max",
            asked=case["asked"],
            **options_of(case),
        )
    same(found, expected(case))


def check_macro(case: dict[str, Any], con: duckdb.DuckDBPyConnection) -> None:
    for name in ("run", "qrels"):
        con.register(name, case[name].astype({"query_id": "str", "doc_id": "str"}))
    asked = "null"
    if case["asked"] is not None:
        con.register("searches", case["asked"])
        asked = "'searches'"
    options = ", ".join(f"{name} := '{value}'" for name, value in options_of(case).items())
    con.execute(
        f"create or replace temp table judged as from ltr.judge('run', 'qrels', keys := ['system', 'week'], {options}, "
        f"grades := map {GRADES}, qrels_duplicates := 'max', asked := {asked})"
    )
    same(con.sql(f"from ltr.per_query('judged', {MEASURES}, keys := ['system', 'week'])").df(), expected(case))


def check_command(case: dict[str, Any], folder: Path) -> None:
    files = {name: folder / f"{name}.csv" for name in ("run", "qrels", "asked")}
    for name, file in files.items():
        if case[name] is not None:
            case[name].to_csv(file, index=False)
    words = ["evaluate", str(files["qrels"]), str(files["run"]), "--by-query", "--keys", "system,week"]
    words += [word for name in MEASURES for word in ("-m", name)]
    words += [word for name, value in options_of(case).items() for word in (f"--{name}", value)]
    words += ["--grades", ",".join(f"{text}={grade}" for text, grade in GRADES.items()), "--qrels-duplicates", "max"]
    words += [] if case["asked"] is None else ["--asked", str(files["asked"])]
    result = CliRunner().invoke(main, [*words, "--format", "csv", "-o", str(folder / "out.csv")])
    assert result.exit_code == 0, result.output
    same(pd.read_csv(folder / "out.csv"), expected(case))


@pytest.mark.default("1")
@pytest.mark.parametrize("seed", range(3))
def test_python_and_macro_equal_the_oracle(seed: int, con: duckdb.DuckDBPyConnection) -> None:
    case = drawn(seed, queries=12)
    check_python(case)
    check_macro(case, con)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 113))
def test_all_interfaces_equal_the_oracle(seed: int, con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    """Compare 13 draws of 40 queries in 4 groups: 2,080 rankings. The command evaluates every third draw."""
    case = drawn(seed, queries=40)
    check_python(case)
    check_macro(case, con)
    if seed % 3 == 0:
        check_command(case, tmp_path)


# Cases by hand

RUN = pd.DataFrame(
    [("q", "a", 5.0), ("q", "a", 4.0), ("q", "b", 3.0), ("q", "x", 2.0), ("p", "x", 1.0)],
    columns=["query_id", "doc_id", "score"],
)
QRELS = pd.DataFrame(
    [("q", "a", 1), ("q", "b", 2), ("p", "a", 1), ("r", "a", 1)], columns=["query_id", "doc_id", "relevance"]
)


def values_of(**options: Any) -> dict[str, Any]:
    return dict(ltr_sql.evaluate(RUN, ["P@2"], qrels=QRELS, by_query=True, **options)[["query_id", "P@2"]].to_numpy())


def test_removed_documents_alone_are_counted() -> None:
    run = pd.DataFrame({"query_id": ["q"] * 3, "doc_id": ["x", "a", "b"], "rank": [1, 2, 3]})
    qrels = pd.DataFrame({"query_id": ["q"] * 2, "doc_id": ["a", "b"], "relevance": [1, 0]})
    with pytest.warns(InputWarning, match=r"unjudged documents of judged queries \(1 of 3 rows\): they are removed"):
        assert ltr_sql.evaluate(run, ["RR"], qrels=qrels, unjudged="remove")["RR"].tolist() == [1]


def test_duplicates() -> None:
    with pytest.warns(InputWarning, match=r"rows that list a document again \(1 of 5\): they are left out"):
        assert values_of(duplicates="first", missing="skip") == {"q": 1, "p": 0}
    with pytest.warns(InputWarning, match=r"\(1 of 5\): their ranks count as not relevant"):
        assert values_of(duplicates="wasted", missing="skip") == {"q": 1 / 2, "p": 0}
    with pytest.raises(InputError, match="a document is in one ranking more than once"):
        values_of()


def test_removed_documents_are_counted() -> None:
    with pytest.warns(InputWarning) as found:
        assert values_of(duplicates="first", unjudged="remove", missing="skip") == {"q": 1, "p": 0}
    texts = [str(warning.message) for warning in found]
    assert "unjudged documents of judged queries (2 of 5 rows): they are removed" in texts


def test_only_asked_queries_count() -> None:
    with pytest.warns(InputWarning) as found:
        assert values_of(duplicates="first", asked=["q", "r", "new"], missing="skip") == {"q": 1, "r": 0, "new": 0}
    texts = [str(warning.message) for warning in found]
    assert any(text.startswith("queries that were asked have no judgments (1): new. ") for text in texts)
    assert any(text.startswith("queries of the run were not asked (1): p. ") for text in texts)
    assert not any("missing='skip'" in text for text in texts)


def test_a_query_without_judgments_follows_empty() -> None:
    with pytest.warns(InputWarning):
        found = ltr_sql.evaluate(
            RUN.drop(index=1),
            ["nDCG", "nDCG(empty=1)", "nDCG(empty=skip)"],
            qrels=QRELS,
            asked=["r", "new"],
            by_query=True,
        )
    values = found.set_index("query_id").loc["new"]
    assert values.tolist()[:2] == [0, 1]
    assert pd.isna(values["nDCG(empty=skip)"])


def test_queries_that_were_asked_share_an_id_with_the_judgments() -> None:
    with pytest.raises(ltr_sql.InputError, match=r"none of the queries that were asked \(2\) has judgments: new, old"):
        values_of(asked=["old", "new"], duplicates="first")


@pytest.mark.slow
def test_compare_counts_the_asked_queries() -> None:
    runs = {"a": RUN.drop(index=1), "b": RUN.drop(index=[0, 1])}
    with pytest.warns(InputWarning):
        found = ltr_sql.compare(runs, ["P@2"], qrels=QRELS, asked=["q", "r", "new"], details=True)
    assert found["queries"].tolist() == [3]
    assert found["mean_a"].tolist() == [1 / 3]


def test_evaluator_reads_texts_and_repeated_rows() -> None:
    judged = QRELS.assign(relevance=["Good", "Best", "1", "0"])
    options: dict[str, Any] = {"grades": {"Good": 1, "Best": 2}, "duplicates": "wasted", "missing": "skip"}
    evaluator = ltr_sql.Evaluator(["P@2"], judged, **options)
    with pytest.warns(InputWarning, match="their ranks count as not relevant"):
        assert evaluator.evaluate(RUN, by_query=True)["P@2"].tolist() == [0, 1 / 2]
    with pytest.raises(InputError, match="asked: an Evaluator evaluates the judged queries"):
        ltr_sql.Evaluator(["P@2"], QRELS, asked=["q"])


def test_raters_may_give_texts() -> None:
    judged = QRELS.assign(relevance=["Good", "Best", "1", "Good"], rater="x")
    merged = ltr_sql.merge_judgments(judged, grades={"Good": 1, "Best": 2})
    assert sorted(merged["relevance"]) == [1, 1, 1, 2]


# Messages

TEXT_QRELS = QRELS.assign(relevance=["Good", "Good", "Fair", "1"])
ONCE = RUN.drop(index=1)
RANKED = QRELS.assign(rank=[1, 2, 1, 1])
MESSAGES: list[tuple[dict[str, Any], str]] = [
    ({"grades": {"Good": 1}}, r"neither numbers nor in grades.*'Fair' \(1\); grades has Good"),
    ({"grades": {"good": 1}}, r"'Good' \(2\), 'Fair' \(1\); grades has good"),
    ({"grades": {}}, r"grades must be a mapping of texts to numbers, such as .*, got \{\}"),
    ({"grades": [3, 2]}, r"grades must be a mapping of texts to numbers.*got \[3, 2\]"),
    ({"grades": "Exact=3"}, "grades must be a mapping of texts to numbers.*got 'Exact=3'"),
    ({"grades": {1: 3}}, "grades: 1 is not a text: grades are for texts.*gains for numbers"),
    ({"grades": {"Good": "3"}}, "grades: the grade of 'Good' must be a finite number, got '3'"),
    ({"grades": {"Good": True}}, "grades: the grade of 'Good' must be a finite number, got True"),
    ({"grades": {"Good": float("nan")}}, "grades: the grade of 'Good' must be a finite number, got nan"),
    ({"grades": {"Good": float("inf")}}, "grades: the grade of 'Good' must be a finite number, got inf"),
    ({"grades": {"Good": 1}, "qrels": QRELS}, "grades: no table has texts in relevance: name the column"),
    ({"duplicates": "last"}, "duplicates must be 'error', 'first' or 'wasted', got 'last'"),
    ({"duplicates": None}, "duplicates must not be None: leave it out for its default 'error'"),
    ({"duplicates": "wasted", "ties": "worst"}, "duplicates='wasted' keeps the rank.*got ties='worst'"),
    ({"duplicates": "wasted", "ties": "best"}, "needs one order of tied documents.*got ties='best'"),
    ({"duplicates": "wasted", "ties": "expected", "measures": ["P@2"]}, "pass ties='docid_desc'"),
    ({"qrels_duplicates": "first"}, "qrels_duplicates must be 'error' or 'max', got 'first'"),
    ({"unjudged": "keep"}, "unjudged must be 'drop' or 'remove', got 'keep'"),
    ({"unjudged": None}, "unjudged must not be None"),
    (
        {"unjudged": "remove", "measures": ["Gini@2"]},
        "unjudged is about the judged documents of a run",
    ),
    (
        {"asked": ["q"], "measures": ["Gini@2"]},
        "evaluate these measures without asked",
    ),
    ({"asked": []}, "asked: no query was asked"),
    ({"asked": pd.DataFrame({"query_id": ["q", None]})}, "asked: 1 rows have no query_id"),
    ({"asked": pd.DataFrame({"query": ["q"]})}, "the queries that were asked: missing column query_id, got query"),
    ({"asked": 3}, "the queries that were asked cannot be read from int"),
    ({"asked": "nope.csv"}, "nope.csv: no such file"),
    ({"asked": ["q"], "qrels": None, "rankings": RANKED}, "asked is about runs with judgments"),
    (
        {"duplicates": "first", "qrels": None, "rankings": RANKED},
        "duplicates is about runs with judgments",
    ),
    ({"qrels_duplicates": "max", "qrels": None, "rankings": RANKED}, "the call does not read judgments"),
    (
        {"rankings": pd.concat([ONCE, pd.DataFrame({"query_id": ["n"], "doc_id": [None], "score": [0.0]})])},
        "an id is NULL.*a row without doc_id says that a query has no results, pass the queries as asked",
    ),
]


@pytest.mark.parametrize(("given", "message"), MESSAGES, ids=range(len(MESSAGES)))
def test_messages(given: dict[str, Any], message: str) -> None:
    qrels = TEXT_QRELS if "grades" in given else QRELS
    call = {"rankings": ONCE, "measures": ["P@2"], "qrels": qrels, **given}
    with pytest.raises(InputError, match=f"(?s){message}"):
        ltr_sql.evaluate(call.pop("rankings"), call.pop("measures"), **call)


MACRO_MESSAGES = [
    ("grades := map {'Good': 1}", "neither numbers nor in grades.*the texts are Fair (1)"),
    ("grades := map {'Goood': 1}", "the texts are Good (2), Fair (1)"),
    ("duplicates := 'last'", "ltr.judge: duplicates must be 'error', 'first' or 'wasted', got last"),
    ("duplicates := 'wasted', ties := 'best'", "ltr.judge: duplicates := 'wasted' keeps the rank.*got ties best"),
    ("unjudged := 'condense'", "ltr.judge: unjudged must be 'drop', 'keep' or 'remove', got condense"),
    ("qrels_duplicates := 'min'", "ltr.judge: qrels_duplicates must be 'error' or 'max', got min"),
    ("asked := 'nope'", "nope"),
    ("asked := 'without_id'", "a query that was asked has no query_id"),
]


@pytest.mark.default("duplicates := 'last'-ltr.judge: duplicates must be 'error', 'first' or 'wasted', got last")
@pytest.mark.parametrize(("options", "message"), MACRO_MESSAGES)
def test_messages_of_the_macro(options: str, message: str, con: duckdb.DuckDBPyConnection) -> None:
    con.register("run", ONCE)
    con.register("qrels", TEXT_QRELS if options.startswith("grades") else QRELS)
    con.execute("create table without_id as select null::varchar as query_id")
    with pytest.raises(duckdb.Error) as caught:
        con.execute(f"from ltr.judge('run', 'qrels', {options})").fetchall()
    assert all(part in str(caught.value) for part in message.split(".*"))


COMMAND_MESSAGES = [
    (["--grades", "Exact"], "write TEXT=GRADE, as in Exact=3,Substitute=2,Irrelevant=0, got 'Exact'"),
    (["--grades", "Exact=high"], "write TEXT=GRADE"),
    (["--grades", "Exact=3,Exact=2"], "Exact is given twice, as 3.0 and 2.0: keep one"),
    (["--duplicates", "last"], "'last' is not one of 'error', 'first', 'wasted'"),
    (["--asked", "nope.csv"], "File 'nope.csv' does not exist"),
]


@pytest.mark.parametrize(("words", "message"), COMMAND_MESSAGES)
def test_messages_of_the_command(words: list[str], message: str, tmp_path: Path) -> None:
    ONCE.to_csv(tmp_path / "run.csv", index=False)
    QRELS.to_csv(tmp_path / "qrels.csv", index=False)
    result = CliRunner().invoke(main, ["evaluate", str(tmp_path / "qrels.csv"), str(tmp_path / "run.csv"), *words])
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())
