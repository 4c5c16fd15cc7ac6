"""Names of columns for each table, and ranks that count from 0."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql.command_line.main import main
from ltr_sql.errors import InputError
from ltr_sql.inputs.forms import InputForm

RUN = pd.DataFrame({"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "c"], "score": [2.0, 1.0, 3.0]})
QRELS = pd.DataFrame({"query_id": ["q1", "q2", "q2"], "doc_id": ["b", "c", "d"], "relevance": [1, 2, 1]})
HISTORY = pd.DataFrame({"query_id": ["q1"], "doc_id": ["a"]})
SEARCHES = RUN.set_axis(["search_id", "sku", "score"], axis=1)
LABELS = QRELS.set_axis(["query", "product_id", "score"], axis=1)
BEIR = QRELS.set_axis(["query-id", "corpus-id", "score"], axis=1)
FROM_0 = RUN.assign(rank=[0, 1, 0]).drop(columns="score")
MEASURES = ["nDCG@10", "RR", "R@1"]
EXPECTED = ltr_sql.evaluate(RUN, MEASURES, qrels=QRELS)
OF_RUN = {"search_id": "query_id", "sku": "doc_id"}
OF_BOTH = {**OF_RUN, "query": "query_id", "product_id": "doc_id", "label": "relevance"}
OF_QRELS = {"query": "query_id", "product_id": "doc_id", "score": "relevance"}


@pytest.mark.default("run1-qrels1-reading1")
@pytest.mark.parametrize(
    ("run", "qrels", "reading"),
    [
        (SEARCHES, LABELS, {"columns": OF_RUN, "qrels_columns": OF_QRELS}),
        (SEARCHES, LABELS, {"columns": {"run": OF_RUN, "qrels": OF_QRELS}}),
        (SEARCHES, LABELS, {"columns": {**OF_RUN, "qrels": OF_QRELS}}),
        (SEARCHES, BEIR, {"columns": OF_RUN}),
        (RUN, BEIR, {}),
        (RUN.set_axis(["query-id", "corpus-id", "score"], axis=1), BEIR, {}),
        # One mapping for both: each table follows the names that it has.
        (
            SEARCHES,
            LABELS.rename(columns={"score": "label"}),
            {"columns": OF_BOTH},
        ),
        # The judgments have a column sku that is no id, and their own doc_id.
        (SEARCHES, QRELS.assign(sku="x"), {"columns": OF_RUN}),
        (FROM_0, QRELS, {"ranks_from": 0}),
        (FROM_0.astype({"rank": "uint8"}), QRELS, {"ranks_from": 0}),
        (FROM_0.astype({"rank": "float"}), QRELS, {"ranks_from": 0}),
        (FROM_0.astype({"rank": "str"}), QRELS, {"ranks_from": 0}),
        (FROM_0.rename(columns={"rank": "position"}), QRELS, {"columns": {"position": "rank"}, "ranks_from": 0}),
    ],
)
def test_names_of_columns_do_not_change_values(run: Any, qrels: Any, reading: dict[str, Any]) -> None:
    pd.testing.assert_frame_equal(ltr_sql.evaluate(run, MEASURES, qrels=qrels, **reading), EXPECTED)
    systems = ltr_sql.evaluate({"a": run, "b": run}, MEASURES, qrels=qrels, **reading)
    assert [*systems["nDCG@10"]] == [EXPECTED["nDCG@10"][0]] * 2
    evaluator = ltr_sql.Evaluator(MEASURES, qrels, **reading)
    pd.testing.assert_frame_equal(evaluator.evaluate(run), EXPECTED)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "qrels", "reading"),
    [(SEARCHES, LABELS, {"columns": OF_RUN, "qrels_columns": OF_QRELS}), (FROM_0, QRELS, {"ranks_from": 0})],
)
def test_every_function_reads_names_and_ranks(run: Any, qrels: Any, reading: dict[str, Any]) -> None:
    by_query = ltr_sql.evaluate(run, ["RR"], qrels=qrels, by_query=True, **reading)
    assert [*by_query["RR"]] == [0.5, 1.0]
    compared = ltr_sql.compare({"a": run, "b": run}, ["RR"], qrels=qrels, **reading)
    assert compared["mean_a"][0] == EXPECTED["RR"][0]
    assert {*ltr_sql.verify(run, ["RR", "R@1"], qrels=qrels, **reading)["verdict"]} == {"equal"}
    report = ltr_sql.report({"a": run, "b": run}, ["RR"], qrels=qrels, **reading)
    assert report.data["verdict"]["claim"]
    assert ltr_sql.explain(run, "q1", "RR", qrels=qrels, **reading)["running"].max() == 0.5
    assert "error" not in {*ltr_sql.check(run, qrels, **reading)["severity"]}


def test_the_history_has_names_of_its_own() -> None:
    history = HISTORY.set_axis(["user", "item"], axis=1)
    expected = ltr_sql.evaluate(RUN, ["Novelty@2"], history=HISTORY, documents=None)
    names = {"history": {"user": "query_id", "item": "doc_id"}}
    pd.testing.assert_frame_equal(
        ltr_sql.evaluate(SEARCHES, ["Novelty@2"], history=history, columns={**OF_RUN, **names}), expected
    )


def test_the_command_names_columns_of_each_table(tmp_path: Path) -> None:
    SEARCHES.assign(score=[0, 1, 0]).rename(columns={"score": "position"}).to_csv(tmp_path / "run.csv", index=False)
    LABELS.to_csv(tmp_path / "labels.csv", index=False)
    BEIR.to_csv(tmp_path / "beir.tsv", index=False, sep="\t")
    run, options = str(tmp_path / "run.csv"), ["-m", "RR", "--format", "csv", "--ranks-from", "0"]
    names = ["--columns", "search_id=query_id,sku=doc_id", "--columns", "position=rank"]
    of_qrels = ["--qrels-columns", "query=query_id,product_id=doc_id,score=relevance"]
    for qrels, more in (("labels.csv", of_qrels), ("beir.tsv", [])):
        words = ["evaluate", str(tmp_path / qrels), run, *options, *names, *more]
        assert CliRunner().invoke(main, words).stdout == "queries,RR\n2,0.75\n"


WRONG: list[tuple[Any, Any, Mapping[str, Any], str]] = [
    (RUN, QRELS, {"qrels_columns": {"label": "relevance"}}, "qrels_columns: no column 'label' in the judgments, only"),
    (
        RUN,
        QRELS,
        {"qrels_columns": {"relevance": "grade"}},
        "qrels_columns: cannot rename to 'grade', only to",
    ),
    (RUN, QRELS, {"qrels_columns": ["relevance"]}, "qrels_columns must be a mapping of your names to ours"),
    (RUN, QRELS, {"columns": {"judgments": {"a": "doc_id"}}}, "columns: 'judgments' is not a table, only run, qrels"),
    (RUN, QRELS, {"columns": {"history": {"a": "doc_id"}}}, "columns of history: the call does not read the history"),
    (RUN, None, {"qrels_columns": {"a": "doc_id"}}, "qrels_columns: the call does not read the judgments"),
    (
        RUN,
        QRELS,
        {"columns": {"qrels": {"relevance": "relevance"}}, "qrels_columns": {"relevance": "relevance"}},
        "the judgments have names in columns and in qrels_columns: pass them once",
    ),
    (
        RUN.assign(chunk=["x", "y", "z"]),
        QRELS.rename(columns={"doc_id": "chunk"}),
        {"columns": {"chunk": "doc_id"}},
        "columns names 'chunk' as doc_id, but a table has both (the rankings): leave one of them out. If 'chunk' is a "
        "column of the judgments, pass it as qrels_columns",
    ),
    (
        SEARCHES.assign(user="u"),
        QRELS,
        {"columns": {**OF_RUN, "user": "query_id"}},
        "columns: 'query_id' is given to both 'search_id' and 'user' of the rankings: name one of them",
    ),
    (
        RUN,
        QRELS.assign(label=1),
        {"qrels_columns": {"label": "relevance"}},
        "columns names 'label' as relevance, but a table has both (the judgments)",
    ),
    (
        RUN,
        LABELS,
        {"columns": OF_QRELS},
        "the run (no column rank): missing column score, got query_id, doc_id, relevance: columns= names score as "
        "relevance. Pass names of the judgments as qrels_columns=",
    ),
    (
        RUN,
        LABELS,
        {},
        "the judgments: missing columns query_id, doc_id, relevance, got query, product_id, score: rename the columns "
        "that hold these values, or pass qrels_columns={'query': 'query_id', 'product_id': 'doc_id', 'score': "
        "'relevance'}",
    ),
    (RUN.assign(rank=[1, 2, 1]), QRELS, {"ranks_from": 0}, "ranks_from=0, but no rank is 0: the smallest is 1."),
    (RUN, QRELS, {"ranks_from": 2}, "ranks_from must be an integer from 0 to 1, got 2"),
    (RUN, QRELS, {"ranks_from": None}, "ranks_from must not be None"),
    (FROM_0.assign(rank=[-1, 0, 1]), QRELS, {"ranks_from": 0}, "ranks"),
    (FROM_0, QRELS, {}, "for ranks that count from 0, pass ranks_from=0"),
]


@pytest.mark.parametrize(("run", "qrels", "reading", "message"), WRONG, ids=[wrong[3][:60] for wrong in WRONG])
def test_wrong_names(run: Any, qrels: Any, reading: Mapping[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        ltr_sql.evaluate(run, ["RR"] if qrels is not None else ["Entropy@2"], qrels=qrels, **reading)
    assert message in str(error.value)


def test_a_name_of_one_table_precedes_that_of_all() -> None:
    form = InputForm(shared={"x": "rank"}, tables={"run": {"x": "score"}})
    assert form.names_in("run", ["query_id", "x"]) == {"x": "score"}
