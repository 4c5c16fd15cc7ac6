"""Answers and data sets of other tools as JSON: the message names the paths, and these paths read them."""

import ast
import json
import re
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql import InputError
from ltr_sql.command_line.main import main

QRELS = {"red dress": {"d1": 3, "d2": 1}, "shoe": {"d3": 2}}
RUN = {"red dress": {"d2": 2.0, "d1": 1.0}, "shoe": {"d3": 1.5}}


def hit(document: str, score: float) -> dict[str, Any]:
    """Return a hit of Elasticsearch and OpenSearch."""
    return {"_index": "p", "_id": document, "_score": score, "_source": {"title": document, "id": f"{document}-1"}}


def elasticsearch(query: str) -> dict[str, Any]:
    """Return the answer of `_search`."""
    hits = [hit(document, score) for document, score in RUN[query].items()]
    return {"took": 3, "timed_out": False, "hits": {"total": {"value": len(hits)}, "max_score": 2.0, "hits": hits}}


def solr(query: str) -> dict[str, Any]:
    """Return the answer of Solr with echoParams=explicit."""
    documents = [{"id": document, "score": score} for document, score in RUN[query].items()]
    header = {"status": 0, "QTime": 1, "params": {"q": query, "fl": "id,score"}}
    return {"responseHeader": header, "response": {"numFound": len(documents), "start": 0, "docs": documents}}


LLAMA_INDEX: dict[str, Any] = {
    "queries": {"9f3-1": "a red dress", "9f3-2": "a shoe"},
    "corpus": {"d1": "text 1", "d2": "text 2", "d3": "text 3"},
    "relevant_docs": {"9f3-1": ["d1", "d2"], "9f3-2": ["d3"]},
    "mode": "text",
}
OPENSEARCH = {
    "id": "x",
    "name": "judgments",
    "metadata": {"id": "y"},
    "judgmentRatings": [
        {"query": query, "ratings": [{"docId": doc, "rating": f"{grade}.0"} for doc, grade in grades.items()]}
        for query, grades in QRELS.items()
    ],
}
RANK_EVAL = {"metric_score": 1.0, "details": {q: {"hits": [{"hit": hit(*h)} for h in RUN[q].items()]} for q in RUN}}
RATED = [{"id": q, "ratings": [{"_id": d, "rating": g} for d, g in found.items()]} for q, found in QRELS.items()]
# Objects of a run, one per line of a file, and the paths that the message names.
RUNS: dict[str, tuple[list[dict[str, Any]], dict[str, str]]] = {
    "solr": (
        [solr(query) for query in RUN],
        {"responseHeader.params.q": "query_id", "response.docs[].id": "doc_id", "response.docs[].score": "score"},
    ),
    "elasticsearch": (
        [{"query": query, **elasticsearch(query)} for query in RUN],
        {"query": "query_id", "hits.hits[]._id": "doc_id", "hits.hits[]._score": "score"},
    ),
    "msearch with queries": (
        [{"took": 3, "responses": [{"query_id": query, **elasticsearch(query)} for query in RUN]}],
        {
            "responses[].query_id": "query_id",
            "responses[].hits.hits[]._id": "doc_id",
            "responses[].hits.hits[]._score": "score",
        },
    ),
    "rank_eval": (
        [RANK_EVAL],
        {
            "details{key}": "query_id",
            "details{}.hits[].hit._id": "doc_id",
            "details{}.hits[].hit._score": "score",
        },
    ),
    "keyed": (
        [{"k": 10, "results": RUN}],
        {"results{key}": "query_id", "results{}{key}": "doc_id", "results{}{}": "score"},
    ),
    "flat list": (
        [
            {
                "took": 1,
                "hits": [{"query": q, "docno": d, "score": s} for q, found in RUN.items() for d, s in found.items()],
            }
        ],
        {"hits[].query": "query_id", "hits[].docno": "doc_id", "hits[].score": "score"},
    ),
}
JUDGMENTS: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "opensearch": (
        OPENSEARCH,
        {
            "judgmentRatings[].query": "query_id",
            "judgmentRatings[].ratings[].docId": "doc_id",
            "judgmentRatings[].ratings[].rating": "relevance",
        },
    ),
    "rank_eval": (
        {"requests": RATED, "metric": {"dcg": {"k": 10}}},
        {"requests[].id": "query_id", "requests[].ratings[]._id": "doc_id", "requests[].ratings[].rating": "relevance"},
    ),
    "llama_index": (LLAMA_INDEX, {"relevant_docs{key}": "query_id", "relevant_docs{}[]": "doc_id"}),
}


def named_in(error: pytest.ExceptionInfo[InputError], option: str) -> Any:
    """Return the value of an option in a message."""
    found = re.search(rf"(?<!\w){option}=(\{{[^{{}}]*(?:\{{(?:key)?\}}[^{{}}]*)*\}})", str(error.value))
    assert found, str(error.value)
    return ast.literal_eval(found[1])


def forms(objects: list[dict[str, Any]], folder: Path) -> list[Any]:
    """Return objects as a file and as Python objects."""
    path = folder / "given.jsonl"
    path.write_text("\n".join(map(json.dumps, objects)), encoding="utf-8")
    (folder / "given.json").write_text(json.dumps(objects, indent=1), encoding="utf-8")
    return [path, folder / "given.json", objects, pd.DataFrame(objects), *(objects if len(objects) == 1 else [])]


@pytest.mark.default("solr")
@pytest.mark.parametrize("name", RUNS)
def test_runs(name: str, tmp_path: Path) -> None:
    objects, names = RUNS[name]
    for given in forms(objects, tmp_path):
        with pytest.raises(InputError) as error:
            ltr_sql.evaluate(given, ["RR"], qrels=QRELS)
        assert named_in(error, "columns") == names
        found = ltr_sql.evaluate(given, ["RR(rel=3)", "NumRet"], qrels=QRELS, columns=names)
        assert found.iloc[0].tolist() == [2, 0.25, 3]


@pytest.mark.default("opensearch")
@pytest.mark.parametrize("name", JUDGMENTS)
def test_judgments(name: str, tmp_path: Path) -> None:
    judged, names = JUDGMENTS[name]
    run = (
        RUN
        if name != "llama_index"
        else dict(zip([*cast("dict[str, Any]", LLAMA_INDEX["relevant_docs"])], RUN.values(), strict=True))
    )
    for given in forms([judged], tmp_path):
        with pytest.raises(InputError) as error:
            ltr_sql.evaluate(run, ["RR"], qrels=given)
        assert named_in(error, "qrels_columns") == names
        found = ltr_sql.evaluate(run, ["NumRel", "AP"], qrels=given, qrels_columns=names)
        assert found.iloc[0].tolist() == [2, 3, 1]


def test_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "qrels.json").write_text(json.dumps(OPENSEARCH), encoding="utf-8")
    (tmp_path / "run.json").write_text(json.dumps(RANK_EVAL), encoding="utf-8")
    words = ["evaluate", str(tmp_path / "qrels.json"), str(tmp_path / "run.json"), "-m", "NumRel,AP"]
    names = {"--qrels-columns": JUDGMENTS["opensearch"][1], "--columns": RUNS["rank_eval"][1]}
    result = CliRunner().invoke(main, words)
    assert (
        "pass --columns 'details{key}=query_id,details{}.hits[].hit._id=doc_id,details{}.hits[].hit._score=score'"
        in result.stderr
    )
    for flag, of_flag in names.items():
        words += [flag, ",".join(f"{path}={ours}" for path, ours in of_flag.items())]
    result = CliRunner().invoke(main, [*words, "--format", "csv"])
    assert result.stdout == "queries,NumRel,AP\n2,3.0,1.0\n", result.stderr


@pytest.mark.parametrize(
    "answers",
    [{"took": 3, "responses": [elasticsearch(query) for query in RUN]}, {"response": solr("shoe")["response"]}],
)
def test_answers_that_do_not_name_the_query(answers: dict[str, Any], tmp_path: Path) -> None:
    for given in forms([answers], tmp_path)[:4]:
        with pytest.raises(InputError, match=r"'doc_id', .*: 'score'\}\. No value names the query: write its id into"):
            ltr_sql.evaluate(given, ["RR"], qrels=QRELS)


def test_a_record_with_an_id_beside_the_documents() -> None:
    """An id inside another object of the record names this object, and a score belongs to its document."""
    record = {"metadata": {"id": "m"}, "result": {"docs": [{"id": "a", "score": 1.0}]}}
    with pytest.raises(InputError, match=r"No value names the query: write its id"):
        ltr_sql.evaluate([record], ["RR"], qrels=QRELS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"q1": 3}, "as a dict must be query_id -> doc_id -> number, query_id -> documents, or name -> run"),
        ({"q1": {"a": 1, "b": [1]}}, "must be query_id -> doc_id -> number, query_id -> documents, or name -> run; q1"),
        ({1: {"a": 1, "b": [1]}}, "as a dict must be query_id -> doc_id -> number, query_id -> documents, or name"),
    ],
)
def test_dicts_of_other_things(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        ltr_sql.evaluate(given, ["RR"], qrels=QRELS)


def test_texts_that_begin_like_lists(tmp_path: Path) -> None:
    """Only an object or a list in JSON is a nested value, and not a text that begins like one."""
    texts = ["[Excerpt from document] a", "{b}", "[]"]
    records = [{"id": "q", "contexts": [{"text": text} for text in texts], "ids": texts}]
    qrels = {"q": {texts[1]: 1}}
    for given in forms(records, tmp_path)[:4]:
        for path in ("contexts[].text", "ids[]"):
            found = ltr_sql.evaluate(given, ["RR", "NumRet"], qrels=qrels, columns={"id": "query_id", path: "doc_id"})
            assert found.iloc[0].tolist() == [1, 0.5, 3]


PRINTED = "'docs[]' reads JSON, and docs holds {!r}, as Python prints lists and objects: save the column as JSON, which"


@pytest.mark.parametrize("text", ["['a', 'b']", "['a' 'b']", "('a', 'b')", "[{'id': 'a'}]"])
def test_lists_saved_as_text(text: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"query_id": ["red dress"], "docs": [text]})
    frame.to_csv(tmp_path / "run.csv", index=False)
    for given in (frame, tmp_path / "run.csv"):
        with pytest.raises(InputError) as error:
            ltr_sql.evaluate(given, ["RR"], qrels=QRELS, columns={"docs[]": "doc_id"})
        assert PRINTED.format(text) in str(error.value)
    words = [
        "evaluate",
        str(tmp_path / "qrels.json"),
        str(tmp_path / "run.csv"),
        "-m",
        "RR",
        "--columns",
        "docs[]=doc_id",
    ]
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS), encoding="utf-8")
    assert PRINTED.format(text) in " ".join(CliRunner().invoke(main, words).stderr.split())


@pytest.mark.parametrize("text", ['["a", "b"]', "['a', 'b']"])
def test_texts_of_lists_are_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "run.tsv").write_text(f"query_id\tdocs\nred dress\t{text}\n", encoding="utf-8")
    for given in (tmp_path / "run.tsv", pd.DataFrame({"query_id": ["red dress"], "docs": [text]})):
        with pytest.raises(InputError) as error:
            ltr_sql.evaluate(given, ["RR"], qrels=QRELS)
        assert named_in(error, "columns") == {"docs[]": "doc_id"}


def test_a_dict_of_texts_in_a_file_takes_grades(tmp_path: Path) -> None:
    path = tmp_path / "qrels.json"
    path.write_text('{"red dress": {"d1": "Exact", "d2": "Irrelevant"}, "shoe": {"d3": "Exact"}}', encoding="utf-8")
    grades = {"Exact": 3, "Irrelevant": 0}
    assert ltr_sql.evaluate(RUN, ["RR"], qrels=path, grades=grades)["RR"].tolist() == [0.75]
