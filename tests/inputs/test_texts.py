"""Texts of queries and documents: which columns hold ids and texts, and what is said if no text is found."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql.command_line.main import main
from ltr_sql.inputs.session import session
from ltr_sql.inputs.texts import texts_by_id

RUN, QRELS = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}
# Columns of a table of texts with one row, and the text of its id `a`.
CASES = [
    ("documents", {"query": "laptop", "docid": "a", "name": "N", "description": "D"}, "N\nD"),
    ("documents", {"doc_id": "a", "query_text": "laptop", "title": "T", "text": "X"}, "T\nX"),
    ("documents", {"doc_id": "a", "name": "N", "title": "T", "url": "U", "body": "B"}, "T\nB"),
    ("documents", {"doc_id": "a", "name": "N"}, "N"),
    ("documents", {"doc_id": "a", "title": None, "name": " ", "text": " a\n text "}, "a text"),
    ("documents", {"productId": "a", "product_title": "T", "brand_name": "N", "productDescription": "D"}, "T\nD"),
    ("documents", {"query_id": "q", "pid": "a", "text": "X"}, "X"),
    ("documents", {"chunk_id": "a", "chunk": "X"}, "X"),
    ("queries", {"qid": "a", "query": "Q", "title": "T"}, "Q"),
    ("queries", {"question_id": "a", "question": "Q", "product_title": "T"}, "Q"),
    ("queries", {"id": "a", "doc_text": "X", "search_term": "Q"}, "Q"),
]


@pytest.mark.parametrize("form", ["frame", "csv"])
@pytest.mark.parametrize(("what", "row", "text"), CASES)
def test_columns_of_texts(what: str, row: dict[str, Any], text: str, form: str, tmp_path: Path) -> None:
    frame = pd.DataFrame([row])
    frame.to_csv(tmp_path / "texts.csv", index=False)
    with session(None) as state:
        ids = state.register(pd.DataFrame({"id": ["a", "z"]}))
        found = texts_by_id(state, frame if form == "frame" else tmp_path / "texts.csv", what, ids)
    assert found == ({"a": text}, [])


@pytest.mark.parametrize(("what", "word"), [("queries", "query"), ("documents", "book")])
def test_a_file_without_a_header_that_names_a_thing(what: str, word: str, tmp_path: Path) -> None:
    path = tmp_path / "texts.tsv"
    path.write_text(f"a\t{word}\nb\tanother\n", encoding="utf-8")
    with session(None) as state:
        ids = state.register(pd.DataFrame({"id": ["a", "b"]}))
        assert texts_by_id(state, path, what, ids) == ({"a": word, "b": "another"}, [])


@pytest.mark.parametrize(
    ("documents", "looked_up"),
    [
        ({"x": "a text"}, "the keys ('x')"),
        (pd.DataFrame({"docid": ["x", "y"], "name": "a text"}), "docid ('x', 'y'), and texts in name"),
        (pd.DataFrame({"docid": ["b"], "name": None, "text": ""}), "docid ('b'), and texts in name, text"),
    ],
)
def test_a_message_if_no_text_was_found(documents: Any, looked_up: str) -> None:
    message = f"no text was found for the documents (1): 'b'. Their ids were looked up in {looked_up}. What to do: "
    with pytest.warns(ltr_sql.InputWarning) as caught:
        ltr_sql.worst(RUN, "RR", qrels=QRELS, documents=documents, queries={"q": "found"})
    assert [str(warning.message).startswith(message) for warning in caught] == [True]


@pytest.mark.slow
def test_a_message_in_the_report() -> None:
    given: dict[str, Any] = {
        "queries": {"r": "a query"},
        "documents": pd.DataFrame({"docid": ["x"], "query": ["q"], "name": ["A"]}),
    }
    notes = ltr_sql.report(RUN, ["RR"], qrels=QRELS, check=False, **given).data["notes"]
    assert [note[:38] for note in notes[-2:]] == [
        "no text was found for the queries (1):",
        "no text was found for the documents (2",
    ]


def test_no_message_if_no_text_is_wanted() -> None:
    """Such as for rankings without doc_id."""
    with session(None) as state:
        ids = state.load("(select cast(null as varchar) as id)")
        for given in ({"a": "a text"}, pd.DataFrame({"doc_id": ["a"], "text": ["a text"]})):
            assert texts_by_id(state, given, "documents", ids) == ({}, [])


def test_a_message_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("q 0 b 1\n", encoding="utf-8")
    (tmp_path / "texts.csv").write_text("docid,query,name\nx,laptop,A\n", encoding="utf-8")
    files = (str(tmp_path / name) for name in ("qrels.txt", "run.txt"))
    result = CliRunner().invoke(main, ["worst", *files, "-m", "RR", "--documents", str(tmp_path / "texts.csv")])
    assert "no text was found for the documents (1): 'b'. Their ids were looked up in docid ('x')" in result.stderr


def test_titles_stand_before_texts_in_a_table() -> None:
    documents = pd.DataFrame({"doc_id": ["b"], "title": ["T"], "text": ["X"]})
    assert ltr_sql.worst(RUN, "RR", qrels=QRELS, documents=documents)["document"].tolist() == ["T: X"]
