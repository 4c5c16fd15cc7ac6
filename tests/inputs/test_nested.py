"""Nested results: lists of objects for each query, in files, data frames and lists of dicts."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import ltr_sql
from ltr_sql import oracle
from ltr_sql.command_line.main import main
from ltr_sql.errors import InputError

# q3 retrieved nothing.
RECORDS: list[dict[str, Any]] = [
    {
        "id": "q1",
        "retrieved": [{"doc": {"id": "07"}, "score": 2.0}, {"doc": {"id": "b"}, "score": 1.5}],
        "gold": ["b"],
        "docs": ["b", "07"],
        "sims": [0.5, 0.25],
    },
    {"id": "q2", "retrieved": [{"doc": {"id": "c"}, "score": 3.0}], "gold": ["c", "d"], "docs": ["c"], "sims": [1.0]},
    {"id": "q3", "retrieved": [], "gold": ["e"], "docs": [], "sims": []},
]
NAMES = {"id": "query_id", "retrieved[].doc.id": "doc_id", "retrieved[].score": "score"}
GOLD = {"id": "query_id", "gold[]": "doc_id"}
QRELS = {"q1": {"b": 1}, "q2": {"c": 1, "d": 1}, "q3": {"e": 1}}
MEASURES = ["RR", "R@5", "nDCG@10"]
pytestmark = pytest.mark.filterwarnings("ignore:judged queries are not in the run")


def forms(folder: Path) -> dict[str, Any]:
    """Return the records in each form that holds nested values."""
    (folder / "lines.jsonl").write_text("\n".join(map(json.dumps, RECORDS)))
    (folder / "list.json").write_text(json.dumps(RECORDS, indent=1))
    with gzip.open(folder / "lines.jsonl.gz", "wt") as file:
        file.write("\n".join(map(json.dumps, RECORDS)))
    frame = pl.DataFrame(RECORDS)
    frame.write_parquet(folder / "table.parquet")
    texts = pd.DataFrame([{n: v if n == "id" else json.dumps(v) for n, v in row.items()} for row in RECORDS])
    texts.to_csv(folder / "texts.csv", index=False)
    arrays = pd.DataFrame([{n: v if n == "id" else np.array(v, dtype=object) for n, v in r.items()} for r in RECORDS])
    uneven = json.loads(json.dumps(RECORDS))
    uneven[0]["retrieved"][0]["doc"]["title"] = "only here"
    return {
        **{path.name: path for path in folder.iterdir()},
        **{"list of dicts": RECORDS, "uneven": uneven, "uneven pandas": pd.DataFrame(uneven)},
        **{"pandas": pd.DataFrame(RECORDS), "arrays": arrays, "polars": frame, "pyarrow": frame.to_arrow()},
        "stream": pa.RecordBatchReader.from_batches(frame.to_arrow().schema, frame.to_arrow().to_batches()),
    }


def values(found: Any) -> list[float]:
    """Return the means of a result of any kind."""
    frame = found.to_pandas() if hasattr(found, "to_pandas") else found
    return [*frame[MEASURES].iloc[0]]


@pytest.mark.slow
def test_nested_results_equal_flat_ones(tmp_path: Path) -> None:
    run = {r["id"]: {d["doc"]["id"]: d["score"] for d in r["retrieved"]} for r in RECORDS if r["retrieved"]}
    expected = values(ltr_sql.evaluate(run, MEASURES, qrels=QRELS))
    in_order = {name: ours for name, ours in NAMES.items() if ours != "score"}
    parallel = {"id": "query_id", "docs[]": "doc_id", "sims[]": "score"}
    reversed_run = {"q1": ["b", "07"], "q2": ["c"]}
    of_docs = values(ltr_sql.evaluate(reversed_run, MEASURES, qrels=QRELS))
    for form, nested in forms(tmp_path).items():
        stream = form == "stream"
        found = ltr_sql.evaluate(
            nested, MEASURES, qrels=QRELS if stream else nested, columns=NAMES, qrels_columns=None if stream else GOLD
        )
        assert values(found) == expected, form
        if stream:
            continue
        assert values(ltr_sql.evaluate(nested, MEASURES, qrels=QRELS, columns=in_order)) == expected, form
        assert values(ltr_sql.evaluate(nested, MEASURES, qrels=QRELS, columns=parallel)) == of_docs, form
        assert (
            values(ltr_sql.Evaluator(MEASURES, nested, columns=NAMES, qrels_columns=GOLD).evaluate(nested)) == expected
        )


@pytest.mark.slow
def test_every_function_reads_nested_results(tmp_path: Path) -> None:
    nested = forms(tmp_path)["lines.jsonl"]
    reading: dict[str, Any] = {"qrels": nested, "columns": NAMES, "qrels_columns": GOLD}
    both = {"a": nested, "b": nested}
    assert [*ltr_sql.evaluate(both, ["RR"], **reading)["RR"]] == [0.5, 0.5]
    assert ltr_sql.compare(both, ["RR"], **reading)["difference"][0] == 0
    by_query = ltr_sql.evaluate(nested, ["RR"], by_query=True, **reading)
    assert [*by_query["RR"]] == [0.5, 1.0, 0.0]
    words = ["evaluate", str(nested), str(nested), "-m", "RR", "--format", "csv"]
    names = ",".join(f"{name}={ours}" for name, ours in NAMES.items())
    result = CliRunner().invoke(main, [*words, "--columns", names, "--qrels-columns", "id=query_id,gold[]=doc_id"])
    assert result.stdout == "queries,RR\n3,0.5\n"


@pytest.mark.slow
def test_sql_unnests_alike(tmp_path: Path) -> None:
    """The recipe of docs/sql.md."""
    forms(tmp_path)
    con = ltr_sql.register(duckdb.connect())
    con.execute(f"create view results as from '{tmp_path / 'lines.jsonl'}'")
    con.execute(
        "create view run as select query_id, hit.doc.id as doc_id, hit.score as score "
        "from (select id as query_id, unnest(retrieved) as hit from results)"
    )
    con.execute("create view qrels as select id as query_id, unnest(gold) as doc_id, 1 as relevance from results")
    con.execute("create table judged as from ltr.judge('run', 'qrels')")
    found = con.execute("from ltr.evaluate('judged', ['RR', 'R@5', 'nDCG@10'])").fetchone()
    nested = tmp_path / "lines.jsonl"
    assert found is not None
    assert [*found[1:]] == values(ltr_sql.evaluate(nested, MEASURES, qrels=nested, columns=NAMES, qrels_columns=GOLD))


def test_lists_in_lists_are_ranked_in_their_order() -> None:
    records = [{"q": 1, "pages": [{"n": "x", "hits": ["a", "b"]}, {"n": "y", "hits": []}, {"n": "z", "hits": ["c"]}]}]
    names = {"q": "query_id", "pages[].hits[]": "doc_id"}
    found = ltr_sql.evaluate(records, ["RR", "NumRet"], qrels={"1": {"c": 1}}, columns=names)
    assert [found["RR"][0], found["NumRet"][0]] == [1 / 3, 3]
    subtopics = {**names, "pages[].n": "subtopic"}
    judged = ltr_sql.evaluate({"1": ["c"]}, ["StRecall@1"], qrels=records, qrels_columns=subtopics)
    assert judged["StRecall@1"][0] == 0.5


def test_keys_of_typed_columns(tmp_path: Path) -> None:
    """A column of Parquet may be a map or a struct."""
    names = {"by{key}": "query_id", "by{}[].id": "doc_id", "by{}[].score": "score"}
    hits = "{'x': [{'id': '07', 'score': 1.5}, {'id': 'b', 'score': 2}], 'q y': [{'id': 'b', 'score': 0.5}], 'z': []}"
    for kind in ("", "map "):
        path = str(tmp_path / "answers.parquet")
        duckdb.sql(f"copy (select {kind}{hits} as by) to '{path}'")
        found = ltr_sql.evaluate(path, ["RR"], qrels={"x": {"07": 1}, "q y": {"b": 1}}, columns=names)
        assert found["RR"].tolist() == [0.75]


def test_each_query_of_a_list_has_its_own_ranks() -> None:
    lists = {"x": [{"id": "a"}, {"id": "b"}], "y": [{"id": "b"}, {"id": "a"}]}
    answers = [{"q": query, "hits": hits} for query, hits in lists.items()]
    forms: list[tuple[Any, dict[str, str]]] = [
        (answers, {"all[].q": "query_id", "all[].hits[].id": "doc_id"}),
        (lists, {"all{key}": "query_id", "all{}[].id": "doc_id"}),
        ([{"q": q, **hit} for q, hits in lists.items() for hit in hits], {"all[].q": "query_id", "all[].id": "doc_id"}),
    ]
    for held, names in forms:
        qrels = {"x": {"b": 1}, "y": {"b": 1}}
        found = ltr_sql.evaluate([{"all": held}], ["RR"], qrels=qrels, columns=names, by_query=True)
        assert found["RR"].tolist() == [0.5, 1]


@pytest.mark.default(".json.gz")
@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_json_files_hold_dicts(tmp_path: Path, suffix: str) -> None:
    def write(name: str, held: Any, **options: Any) -> str:
        text = json.dumps(held, **options).encode()
        path = tmp_path / f"{name}{suffix}"
        path.write_bytes(gzip.compress(text) if suffix.endswith(".gz") else text)
        return str(path)

    run = {"q1": {"07": 2, "b": 1.5}, "q2": {"c": 3}}
    expected = values(ltr_sql.evaluate(run, MEASURES, qrels=QRELS))
    judged = write("qrels", QRELS, indent=2)
    for name, held in (("run", run), ("lists", {"q1": ["07", "b"], "q2": ["c"]})):
        for options in ({}, {"indent": 2}):
            assert values(ltr_sql.evaluate(write(name, held, **options), MEASURES, qrels=judged)) == expected
    columns = {"query_id": ["q1", "q1", "q2"], "doc_id": ["07", "b", "c"], "score": [2, 1.5, 3]}
    assert values(ltr_sql.evaluate(write("columns", columns), MEASURES, qrels=QRELS)) == expected


WRONG: list[tuple[Any, Mapping[str, Any], str]] = [
    (RECORDS, {}, "retrieved, gold, docs, sims hold nested values: pass columns={'id': 'query_id', 'retr"),
    (
        "lines.jsonl",
        {},
        "pass columns={'id': 'query_id', 'retrieved[].doc.id': 'doc_id', 'retrieved[].score': 'score'}",
    ),
    ("table.parquet", {"columns": {**NAMES, "retrieved[].rank": "rank"}}, "retrieved[] has no value 'rank' for"),
    ("table.parquet", {"columns": {"id": "query_id", "retrieved.doc.id": "doc_id"}}, "retrieved is a list: write retr"),
    ("table.parquet", {"columns": {"id": "query_id", "retrieved[].doc": "doc_id"}}, "name one of them, such as 'retr"),
    ("table.parquet", {"columns": {"id": "query_id", "id[].x": "doc_id"}}, "'id' is named query_id, so it holds no"),
    ("texts.csv", {"columns": {"id[].x": "doc_id"}}, "'id[].x' reads JSON, and id holds 'q1', which is neither a"),
    ("table.parquet", {"columns": {"id": "query_id", "gold[].x": "doc_id"}}, "gold[] holds no objects, so 'gold[].x'"),
    ("lines.jsonl", {"columns": {"id": "query_id", "retrieved[].doc": "doc_id"}}, "name one of them, such as 'retr"),
    ("lines.jsonl", {"columns": {"id": "query_id", "retrieved[].x": "doc_id"}}, "has no value 'x' for 'retrieved[].x'"),
    ("lines.jsonl", {"columns": {"id": "query_id", "retrieved.doc": "doc_id"}}, "retrieved is a list: write ret"),
    ("lines.jsonl", {"columns": {"id": "query_id", "gold[][]": "doc_id"}}, "gold[] is not a list: leave out the []"),
    ("table.parquet", {"columns": {"id": "query_id", "gold[][]": "doc_id"}}, "gold[] is not a list: leave out the []"),
    (RECORDS, {"columns": {"id": "query_id", "gold[][]": "doc_id"}}, "gold[] is not a list: leave out the []"),
    ("lines.jsonl", {"columns": {"id": "query_id", "gold{}": "doc_id"}}, "gold is a list: write gold[] in 'gold{}'"),
    ("table.parquet", {"columns": {"id": "query_id", "gold{key}": "doc_id"}}, "gold is a list: write gold[] in"),
    (
        "mixed.jsonl",
        {"columns": {"id": "query_id", "docs[].id": "doc_id"}},
        'doc_id is the nested value {"x":1}: name a',
    ),
    ("mixed.jsonl", {"columns": {"id": "query_id", "docs[].no": "doc_id"}}, 'doc_id is the nested value ["x"]: name a'),
    ("mixed.jsonl", {"columns": {"id": "query_id", "docs[].s.x": "doc_id"}}, "holds values of several forms, so 'd"),
    (
        "lines.jsonl",
        {"columns": {**NAMES, "gold[]": "relevance"}},
        "the lists retrieved and gold of a row have different",
    ),
    ("lines.jsonl", {"columns": {**NAMES, "hits[].id": "subtopic"}}, "columns: no table has a column 'hits[].id'"),
    ("lines.jsonl", {"columns": {**NAMES, "retrieved[].doc.x": "query_id"}}, "'query_id' is given to both 'id' and"),
    (
        "lines.jsonl",
        {"columns": {"id": "query_id", "retrieved[].score": "score", "retrieved.doc": "doc_id"}},
        "one path reads a list as an object: write [] after the name of a list in each path",
    ),
    (
        [{"id": "q1", "hits": 3}],
        {"columns": {"id": "query_id", "hits[]": "doc_id"}},
        "hits is not a list: leave out the []",
    ),
    ([{"id": "q1", "hits": [None]}], {"columns": {"id": "query_id", "hits[]": "doc_id"}}, "an id is NULL"),
    ([], {}, "the rankings cannot be read from list"),
    ([{"a": 1}, 3], {}, "the rankings cannot be read from list"),
    ("twice.json", {}, "twice.json: the key 'd1' occurs twice in one object: keep one of its values"),
    ("texts.json", {}, "q1 holds nested values: if these names are ids of queries, write one object for each query"),
]


@pytest.mark.parametrize(("nested", "reading", "message"), WRONG, ids=[message[:50] for _, _, message in WRONG])
def test_wrong_nested_inputs(tmp_path: Path, nested: Any, reading: Mapping[str, Any], message: str) -> None:
    forms(tmp_path)
    (tmp_path / "twice.json").write_text('{"q1": {"d1": 1, "d1": 2}}')
    (tmp_path / "texts.json").write_text('{"q1": {"d1": "Exact"}}')
    mixed = (
        {"id": "q1", "docs": [{"id": "a", "no": "a", "s": 1}]},
        {"id": "q2", "docs": [{"id": {"x": 1}, "no": ["x"], "s": {"x": 1}}]},
    )
    (tmp_path / "mixed.jsonl").write_text("\n".join(map(json.dumps, mixed)))
    with pytest.raises(InputError) as error:
        ltr_sql.evaluate(tmp_path / nested if isinstance(nested, str) else nested, ["RR"], qrels=QRELS, **reading)
    assert message in str(error.value)


def test_the_message_never_takes_retrieved_documents_for_judgments(tmp_path: Path) -> None:
    nested = forms(tmp_path)["table.parquet"]
    with pytest.raises(InputError) as error:
        ltr_sql.evaluate(nested, ["RR"], qrels=nested, columns=NAMES)
    assert (
        "name those of the judged documents, as in qrels_columns={'retrieved[].doc.id': 'doc_id'} or "
        "qrels_columns={'gold[]': 'doc_id'} or" in str(error.value)
    )
    assert "without relevance, each entry counts as relevant" in str(error.value)


IDS = st.text("abc0", min_size=1, max_size=2)
LISTS = st.lists(st.tuples(IDS, st.integers(-3, 3)), max_size=5, unique_by=lambda pair: pair[0])


@st.composite
def nested_tables(draw: st.DrawFn) -> tuple[list[dict[str, Any]], dict[str, str], dict[str, list[tuple[str, int]]]]:
    """Draw records with documents at a random path, the names of their columns, and the documents by query."""
    documents = draw(st.dictionaries(IDS, LISTS, min_size=1, max_size=4))
    above, inside = (
        draw(st.lists(st.sampled_from("xyz"), max_size=2)),
        draw(st.lists(st.sampled_from("uvw"), max_size=2)),
    )
    split, scored, keyed = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())

    def entry(document: str, score: int) -> Any:
        held: Any = document
        for name in reversed(inside):
            held = {name: held}
        return {"held": held, "score": score} if scored or inside else held

    records = []
    for query, found in documents.items():
        entries: Any = [entry(*pair) for pair in found]
        if split:
            cut = draw(st.integers(0, len(entries)))
            entries = [{"part": entries[:cut]}, {"part": entries[cut:]}]
        for name in reversed(above):
            entries = {name: entries}
        records.append({"q": query, "top": entries})
    path = ".".join(["top", *above]) + ("[].part[]" if split else "[]")
    held = ".".join([path, "held", *inside]) if scored or inside else path
    names = {"q": "query_id", held: "doc_id", **({f"{path}.score": "score"} if scored else {})}
    if keyed:
        records = [{"by": {record["q"]: {"top": record["top"]} for record in records}}]
        names = {"by{key}" if name == "q" else f"by{{}}.{name}": ours for name, ours in names.items()}
    return (
        records,
        names,
        documents if scored else {q: [(d, -i) for i, (d, _) in enumerate(found)] for q, found in documents.items()},
    )


def check_nesting(drawn: Any, judged: dict[str, dict[str, int]], folder: Path) -> None:
    records, names, documents = drawn
    expected = []
    for query, grades in judged.items():
        ranking = sorted(documents.get(query, []), key=lambda pair: pair[0], reverse=True)
        ranking = [document for document, _ in sorted(ranking, key=lambda pair: -pair[1])]
        missed = [document for document in grades if document not in ranking]
        ranks = [*range(1, len(ranking) + 1), *[None] * len(missed)]
        expected.append(oracle.ap(ranks, [grades.get(document) for document in (*ranking, *missed)]))
    (folder / "nested.jsonl").write_text("\n".join(map(json.dumps, records)))
    shuffled = {name: ours for name, ours in reversed(names.items())}
    for nested in (records, folder / "nested.jsonl", pd.DataFrame(records)):
        found = ltr_sql.evaluate(nested, ["AP"], qrels=judged, columns=shuffled, check=False)
        assert abs(found["AP"][0] - sum(expected) / len(expected)) <= 1e-12, (records, names)


JUDGED = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(0, 2), min_size=1, max_size=4), min_size=1, max_size=4)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(nested_tables(), JUDGED)
def test_random_nesting(
    tmp_path_factory: pytest.TempPathFactory, drawn: Any, judged: dict[str, dict[str, int]]
) -> None:
    check_nesting(drawn, judged, tmp_path_factory.mktemp("nested"))


@pytest.mark.slow
@settings(max_examples=2000, deadline=None)
@given(nested_tables(), JUDGED)
def test_much_random_nesting(
    tmp_path_factory: pytest.TempPathFactory, drawn: Any, judged: dict[str, dict[str, int]]
) -> None:
    check_nesting(drawn, judged, tmp_path_factory.mktemp("nested"))
