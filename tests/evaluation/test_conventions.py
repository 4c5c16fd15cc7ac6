"""Conventions: equal settings in Python, SQL and on the command line; explicit arguments take precedence."""

import re
import warnings
from dataclasses import replace
from typing import Any

import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql import InputError, MeasureError
from ltr_sql.catalogue.conventions import check_conventions, conventions
from ltr_sql.catalogue.functions import relations
from ltr_sql.catalogue.measure_strings import find_convention, parse_measure
from ltr_sql.catalogue.measures import all_definitions
from ltr_sql.command_line.main import main
from ltr_sql.evaluation.conventions import compare_conventions

# q3 is judged, but missing from the run.
pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")

RANKED = ["nDCG", "nDCG@2", "AP@2", "P@3", "R@2", "RR"]
MEASURES = [*RANKED, "ndcg@2-", "nDCG(gain=linear)@2", "ERR(max_grade=4)", "IPrec@0.3"]
# q1: ties, three relevant documents, one not retrieved; q2: no relevant document; q3: missing from the run.
RUN = pd.DataFrame(
    {
        "query_id": ["q1"] * 5 + ["q2"] * 2,
        "doc_id": ["a", "b", "c", "d", "e", "a", "b"],
        "score": [3.0, 2.0, 2.0, 2.0, 1.0, 1.0, 0.5],
        "row_order": [1, 2, 3, 4, 5, 6, 7],
    }
)
QRELS = pd.DataFrame(
    {
        "query_id": ["q1"] * 5 + ["q2", "q3"],
        "doc_id": ["b", "c", "d", "e", "f", "a", "a"],
        "relevance": [0, 2, 1, 1, 1, 0, 1],
    }
)


def test_conventions_set_existing_parameters() -> None:
    assert next(iter(conventions())) == "trec_eval"
    check_conventions()
    for convention in conventions().values():
        assert convention.summary and convention.version and convention.source.startswith("https://")
        for macro, values in convention.values.items():
            for name, given in values.items():
                found = all_definitions()[macro].parameter(name)
                assert found is not None and given != found.default, (convention.name, macro, name)


@pytest.mark.parametrize(
    ("values", "substitutes", "ties", "message"),
    [
        ({"NDCG": {"gain": "linear"}}, {}, "row_order", "no measure has the file name NDCG.sql"),
        ({"ndcg": {"gian": "linear"}}, {}, "row_order", "ndcg has no parameter gian"),
        (
            {"ndcg": {"gain": "exp"}},
            {},
            "row_order",
            "ndcg.gain must be 'linear', 'exponential' or 'binary', got 'exp'",
        ),
        (
            {"p": {"rel": 2}},
            {"p": "precision_at"},
            "row_order",
            "p is replaced by precision_at: set rel of precision_at",
        ),
        ({}, {"p": "precision"}, "row_order", "p or precision is not a measure"),
        ({}, {}, "docid", "ties must be"),
    ],
)
def test_a_wrong_convention_is_named(
    values: Any, substitutes: Any, ties: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = replace(next(iter(conventions().values())), name="tool", values=values, substitutes=substitutes, ties=ties)
    monkeypatch.setattr("ltr_sql.catalogue.conventions.conventions", lambda: {"tool": wrong})
    with pytest.raises(ValueError, match=re.escape(f"sql/conventions.toml, tool: {message}")):
        check_conventions()


def test_the_default_is_the_first() -> None:
    usual = find_convention(None)
    assert (usual.values, usual.substitutes) == ({}, {})
    options = {p.name: p.default for p in relations()["judge"].parameters}
    assert (usual.ties, usual.missing) == (options["ties"], options["missing"])


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, c in conventions().items() if not c.only])
def test_a_convention_equals_its_settings(name: str, con: duckdb.DuckDBPyConnection) -> None:
    convention = conventions()[name]
    measures = ["AP" if text == "AP@2" else text for text in RANKED] if convention.ties == "expected" else [*MEASURES]
    if convention.values.get("ndcg", {}).get("ideal") == "full":
        measures.remove("nDCG")
    written_out = {text: str(parse_measure(text, convention)) for text in measures}
    given: dict[str, Any] = {"qrels": QRELS, "ties": convention.ties, "missing": convention.missing}
    # A convention may set ties and missing for one measure. One call evaluates the measures without own settings.
    rules = {text: convention.rules.get(parse_measure(text, convention).definition.macro, {}) for text in measures}
    together = [written_out[text] for text in measures if not rules[text]]
    usual = ltr_sql.evaluate(RUN, together, **given)
    expected = [
        (ltr_sql.evaluate(RUN, [canonical], **{**given, **rules[text]}) if rules[text] else usual)[canonical][0]
        for text, canonical in written_out.items()
    ]
    found = ltr_sql.evaluate(RUN, measures, qrels=QRELS, convention=name)
    assert found[measures].iloc[0].tolist() == pytest.approx(expected, abs=1e-15, nan_ok=True)
    if convention.ties == "expected":
        return
    con.register("run", RUN)
    con.register("qrels", QRELS)
    con.execute(
        f"create table judged as from ltr.judge('run', 'qrels', ties := '{convention.ties}', "
        f"missing := '{convention.missing}')"
    )
    of_table = [m for m in measures if parse_measure(m, convention).definition.macro not in convention.rules]
    in_sql = con.execute("from ltr.evaluate('judged', ?, convention := ?)", [of_table, name]).fetchall()
    in_table = [value for text, value in zip(measures, expected, strict=True) if text in of_table]
    assert in_sql[0][1:] == pytest.approx(in_table, abs=1e-12, nan_ok=True)
    by_query = con.execute("from ltr.per_query('judged', ?, convention := ?)", [of_table, name]).fetchall()
    assert len(by_query) == in_sql[0][0]


@pytest.mark.slow
def test_explicit_arguments_take_precedence() -> None:
    def value(text: str, **given: Any) -> float:
        return float(ltr_sql.evaluate(RUN, [text], qrels=QRELS, **given)[text][0])

    assert value("nDCG(gain=linear, empty=0)@2", convention="lightgbm", ties="docid_desc", missing="zero") == value(
        "nDCG@2"
    )
    assert value("ndcg@2-", convention="xgboost") == value("nDCG(empty=0)@2", convention="xgboost")
    assert value("nDCG@40", convention="xgboost") == value(
        "nDCG(gain=exponential, empty=1)@40", ties="row_order", missing="skip"
    )
    assert value("ndcg_burges@2") == value("nDCG(gain=exponential)@2")
    assert value("P@10", convention="catboost") == value(
        "PrecisionAt(rel=0.5000000000000001)@10", ties="worst", missing="skip"
    )


def test_values_by_hand() -> None:
    """In row order, q1 is ranked a b c d e with grades - 0 2 1 1; f is not retrieved."""
    found = ltr_sql.evaluate(RUN, ["AP@3", "P@10"], qrels=QRELS, convention="lightgbm", by_query=True)
    assert found["AP@3"].tolist() == pytest.approx([(1 / 3) / 3, 1])  # min(R, k) = 3; q2 counts as 1
    assert found["P@10"].tolist() == [0.3, 0]
    found = ltr_sql.evaluate(RUN, ["P@10"], qrels=QRELS, convention="catboost", by_query=True)
    assert found["P@10"].tolist() == pytest.approx([3 / 5, 0])


def test_a_substitute_without_a_cutoff_is_explained(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(MeasureError, match="under convention 'sklearn' AP is ThresholdAP, which has no cutoff"):
        ltr_sql.evaluate(RUN, ["AP@10"], qrels=QRELS, convention="sklearn")
    con.execute("create or replace table judged as select 'q' as query_id, 1 as rank, 1 as relevance")
    with pytest.raises(duckdb.Error, match="under convention 'sklearn' ap is threshold_ap, which has no cutoff"):
        con.execute("from ltr.evaluate('judged', ['AP@10'], convention := 'sklearn')")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "without"), [("AP@10", {"sklearn"}), ("ERR(max_grade=1)@5", {"trec_eval", "gdeval"})]
)
def test_conventions_that_lack_a_measure_say_why(measure: str, without: set[str]) -> None:
    rows = compare_conventions(RUN, QRELS, [measure, "RR"])
    assert {name for name, value, _ in rows[measure] if isinstance(value, str)} >= without
    assert all(isinstance(value, float) for _, value, _ in rows["RR"])


def test_conventions_of_measures_beyond_accuracy(con: duckdb.DuckDBPyConnection) -> None:
    run = pd.DataFrame({"query_id": ["a", "a", "b"], "doc_id": ["x", "y", "x"], "rank": [1, 2, 1]})
    history = pd.DataFrame({"query_id": ["a", "c"], "doc_id": ["x", "y"]})
    (row,) = ltr_sql.evaluate(run, ["Novelty"], history=history, convention="replay").to_dict("records")
    assert row["Novelty"] == 0.75
    (row,) = ltr_sql.evaluate(run, ["ShannonEntropy"], convention="recbole").to_dict("records")
    (usual,) = ltr_sql.evaluate(run, ["ShannonEntropy"]).to_dict("records")
    assert row["ShannonEntropy"] == usual["ShannonEntropy"] / 2
    con.register("run", run)
    con.register("history", history)
    query = "from ltr.beyond_accuracy('run', ['Novelty', 'Entropy'], history := 'history', convention := ?)"
    assert con.execute(query, ["replay"]).fetchall() == [(2, 0.75, usual["ShannonEntropy"])]
    assert con.execute(query, ["recbole"]).fetchall()[0][2] == row["ShannonEntropy"]
    with pytest.raises(MeasureError, match="'replay' covers only measures beyond accuracy: compute 'AP'"):
        ltr_sql.evaluate(RUN, ["AP"], qrels=QRELS, convention="replay")
    con.execute("create table judged as select *, 1 as relevance from run")
    with pytest.raises(duckdb.Error, match="'replay' covers only measures beyond accuracy: compute 'AP'"):
        con.execute("from ltr.evaluate('judged', ['AP'], convention := 'replay')")


def test_the_table_of_conventions(con: duckdb.DuckDBPyConnection) -> None:
    table = ltr_sql.conventions()
    assert con.execute("from ltr.conventions()").df().to_dict("records") == table.to_dict("records")
    rows = {(row.convention, row.measure, row.switch): row.value for row in table.itertuples()}
    assert rows["lightgbm", "nDCG", "gain"] == "exponential"
    assert rows["catboost", "", "ties"] == "worst"
    assert rows["catboost", "P", "measure"] == "PrecisionAt"


@pytest.mark.slow
def test_settings_that_change_a_measure() -> None:
    rows = {name: (value, moved) for name, value, moved in compare_conventions(RUN, QRELS, ["nDCG@2"])["nDCG@2"]}
    assert [*rows] == [name for name, c in conventions().items() if not c.only]
    assert rows["trec_eval"] == (ltr_sql.evaluate(RUN, ["nDCG@2"], qrels=QRELS)["nDCG@2"][0], "")
    assert rows["lightgbm"][1] == "ties=row_order, missing=skip, gain=exponential, empty=1"
    assert rows["gdeval"][1] == "missing=skip, gain=exponential, empty=skip"
    assert (
        "measure=precision_at"
        in dict((row[0], row[2]) for row in compare_conventions(RUN, QRELS, ["P@10"])["P@10"])["catboost"]
    )


@pytest.mark.slow
def test_the_command() -> None:
    arguments = ["conventions", "examples/data/qrels.txt", "examples/data/bm25.txt", "-m", "nDCG@5"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0
    lines = [line.split() for line in result.output.splitlines()]
    assert lines[0][:2] == ["nDCG@5", "conventions"]
    named = [word.strip(",") for line in lines[2:] for word in line]
    assert {name for name, c in conventions().items() if not c.only} <= {*named}
    evaluated = CliRunner().invoke(main, ["evaluate", *arguments[1:], "--convention", "gdeval", "--format", "csv"])
    gdeval = next(line for line in lines if "gdeval" in [word.strip(",") for word in line])
    assert f"{float(evaluated.output.splitlines()[1].split(',')[-1]):.4f}" == gdeval[0]


def test_the_command_has_no_reason_in_place_of_a_value() -> None:
    arguments = ["conventions", "examples/data/qrels.txt", "examples/data/bm25.txt", "-m"]
    lines = CliRunner().invoke(main, [*arguments, "AP@10"]).output.splitlines()
    (sklearn,) = (line.split() for line in lines if "sklearn" in line.split())
    assert sklearn[:5] == ["sklearn", "no", "value:", "measure", "'AP@10':"]
    # The reason does not widen the column of values.
    assert len(lines[1].split()[0]) < 10
    result = CliRunner().invoke(main, [*arguments, "Novelty@5"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "measure 'Novelty@5' is beyond accuracy and needs a run: use ltr-sql evaluate" in result.stderr


@pytest.mark.parametrize(
    ("measure", "convention", "message"),
    [
        ("AP", "lightgmb", "convention must be one of trec_eval, trec_eval9, .*, got 'lightgmb'"),
        ("NumRel-", None, "the - at the end sets empty=0, and NumRel has no parameter empty, which"),
        ("nDCG(empty=1)@5-", None, "empty is given twice"),
        ("nDCG(empty=2)", None, "empty must be '0', '1', 'skip' or 'none_retrieved', got 2"),
        ("AP(divisor=n)", None, "divisor must be 'relevant', 'reachable', 'found' or 'k', got n"),
        ("AP(divisor=k)", None, "divisor=k needs a cutoff, as in @10"),
        ("nDCG(ideal=full)", None, "ideal=full needs a cutoff, as in @10"),
    ],
)
def test_errors(measure: str, convention: str | None, message: str, con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(ltr_sql.MeasureError, match=message):
        ltr_sql.evaluate(RUN, [measure], qrels=QRELS, convention=convention)
    con.execute("create table judged as select 'q' as query_id, 1 as rank, 1 as relevance")
    with pytest.raises(duckdb.Error, match=r"must be|sets empty=0|given twice|needs a cutoff"):
        con.execute("from ltr.evaluate('judged', ?, convention := ?)", [[measure], convention])


def test_names_that_mean_something_else() -> None:
    """`Accuracy` of ir_measures is our PairAccuracy. `AP` of scikit-learn counts tied documents together."""
    assert parse_measure("Accuracy@5", find_convention("ir_measures")).definition.name == "PairAccuracy"
    assert parse_measure("Success@5", find_convention("ir_measures")).definition.name == "Success"
    assert parse_measure("Accuracy@5").definition.name == "Success"
    tied = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "score": 1.0, "relevance": [1, 0]})
    assert ltr_sql.evaluate(tied, ["AP", "AUPRC"], convention="sklearn").iloc[0].tolist() == [1, 0.5, 0.75]
    assert ltr_sql.evaluate(tied, ["AP"], ties="expected")["AP"].tolist() == [0.75]
    assert ltr_sql.verify(tied, ["ThresholdAP", "AUPRC"], ties="expected")["verdict"].tolist() == ["equal"] * 2
    with pytest.raises(MeasureError, match="is ThresholdAP, which has no cutoff"):
        ltr_sql.evaluate(tied, ["AP@10"], convention="sklearn")


@pytest.mark.slow
def test_names_that_mean_something_else_in_sql(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(
        "create table four as select 'q' as query_id, i as rank, (i in (2, 3))::int as relevance "
        "from range(1, 5) as r(i)"
    )
    for name, convention, value in (
        ("Accuracy@4", "ir_measures", 0.5),
        ("Accuracy@4", "trec_eval", 1),
        ("Success@4", "ir_measures", 1),
        ("AP", "sklearn", (1 / 2 + 2 / 3) / 2),
    ):
        found = con.execute("from ltr.evaluate('four', ?, convention := ?)", [[name], convention]).fetchall()
        assert found == [(1, pytest.approx(value))]
        assert ltr_sql.evaluate("four", [name], convention=convention, con=con)[name][0] == pytest.approx(value)


def test_a_class_alone_has_the_area_0_in_torchmetrics() -> None:
    table = pd.DataFrame({"query_id": ["q", "q", "p"], "rank": [1, 2, 1], "relevance": [1, 0, 1]})
    assert ltr_sql.evaluate(table, ["AUC"], convention="torchmetrics")["AUC"].tolist() == [0.5]
    assert ltr_sql.evaluate(table, ["AUC"])["AUC"].tolist() == [1]


def test_rbp_of_ranx_adds_grades() -> None:
    table = pd.DataFrame({"query_id": ["q"], "rank": [2], "relevance": [3]})
    found = ltr_sql.evaluate(table, ["RBP(p=0.5)"], convention="ranx")
    assert found["RBP(p=0.5)"].tolist() == [0.5 * 0.5 * 3]


# Grades with a fraction, which trec_eval drops

GRADED_RUN = {"q": {"a": 2.5, "b": 1.5, "c": 0.5}}
FRACTIONS = {"q": {"a": 0.5, "b": 1.7, "c": 2.0}}
DROPPED = r"which the tool of convention='trec_eval9?' drops \(2\): 0\.5 counts as 0, 1\.7 counts as 1 there"
FRAME = pd.DataFrame([("q", d, g) for d, g in FRACTIONS["q"].items()], columns=["query_id", "doc_id", "relevance"])
RANKED_FRAME = FRAME.drop(columns="doc_id").assign(rank=[1, 2, 3])
WITH_FRACTIONS: dict[str, Any] = {
    "dicts": lambda **o: ltr_sql.evaluate(GRADED_RUN, ["nDCG"], qrels=FRACTIONS, **o),
    "frame": lambda **o: ltr_sql.evaluate(GRADED_RUN, ["nDCG"], qrels=FRAME, **o),
    "ranks": lambda **o: ltr_sql.evaluate(RANKED_FRAME, ["nDCG"], **o),
    "evaluator": lambda **o: ltr_sql.Evaluator(["nDCG"], FRACTIONS, **o).evaluate(GRADED_RUN),
    "compare": lambda **o: ltr_sql.compare({"a": GRADED_RUN, "b": GRADED_RUN}, ["nDCG"], qrels=FRACTIONS, **o),
}


@pytest.mark.default("dicts", "ranks")
@pytest.mark.parametrize("way", WITH_FRACTIONS)
def test_a_convention_whose_tool_drops_fractions_warns(way: str) -> None:
    call = WITH_FRACTIONS[way]
    with pytest.warns(ltr_sql.InputWarning, match=DROPPED):
        call(convention="trec_eval")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call()
        call(convention="lightgbm", ties="docid_desc")
        call(convention="trec_eval", check=False)


@pytest.mark.slow
def test_the_evaluator_warns_of_fractions_each_time() -> None:
    evaluator = ltr_sql.Evaluator(["nDCG"], FRACTIONS, convention="trec_eval9")
    for run in (GRADED_RUN, GRADED_RUN, {"q": {"a": 1.0, "b": 3.0, "c": 2.0}}):
        with pytest.warns(ltr_sql.InputWarning, match=DROPPED):
            evaluator.evaluate(run)


def test_whole_grades_need_no_warning() -> None:
    whole = {"q": {"a": 0.0, "b": 2.0, "c": 1.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ltr_sql.evaluate(GRADED_RUN, ["nDCG"], qrels=whole, convention="trec_eval")


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (pd.DataFrame({"query_id": [], "doc_id": [], "score": []}, dtype=str), "the input has no rows"),
        ({"q": {"elsewhere": 1.0}}, "no document of the run is judged for any query"),
        ({"another": {"a": 1.0}}, "no query of the run is judged"),
    ],
)
def test_inputs_without_a_common_document_are_refused(run: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare_conventions(run, {"q": {"a": 1}}, ["RR"])
