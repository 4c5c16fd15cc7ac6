"""Text files without a header, whatever their suffix; a first line of values; files of other trades and encodings."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner

import ltr_sql
from ltr_sql.command_line.main import main
from ltr_sql.errors import InputError

# Query 300 ranks its relevant document first, 301 second, and 302 does not find it.
QRELS = [("300", "0", "7", "1"), ("301", "0", "9", "1"), ("302", "0", "1", "1")]
RUN = [("300", "Q0", "7", "1", "5", "t"), ("301", "Q0", "2", "1", "5", "t"), ("301", "Q0", "9", "2", "4", "t")]
RUN.append(("302", "Q0", "4", "1", "1", "t"))
RANKS = [(query, document, rank) for query, _, document, rank, *_ in RUN]
SCORED = [(query, document, rank, score) for query, _, document, rank, score, _ in RUN]
DELIMITERS = {"blank": " ", "tab": "\t", "comma": ",", "semicolon": ";", "bar": "|"}


def lines(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    return "".join(f"{delimiter.join(row)}\n" for row in rows)


def packed(path: Path, text: str | bytes) -> Path:
    """Write a text, compressed if the suffix says so."""
    content = text.encode() if isinstance(text, str) else text
    if path.suffix == ".zst":
        with pa.CompressedOutputStream(str(path), "zstd") as file:
            file.write(content)
    else:
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def printed(*words: object, stdin: str | None = None) -> Any:
    """Return the rows that a command prints as JSON, or the text of its error."""
    result = CliRunner().invoke(main, [*map(str, words), "--format", "json"], input=stdin)
    found = json.loads(result.stdout)
    return found if result.exit_code == 0 else f"{found['error']}: {found['what_to_do']}"


@pytest.mark.default("blank-.csv")
@pytest.mark.parametrize("suffix", ["", ".txt", ".tsv", ".csv", ".tsv.gz", ".csv.zst"])
@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_files_without_a_header_are_read_whatever_their_suffix(delimiter: str, suffix: str, tmp_path: Path) -> None:
    texts = {
        name: lines(rows, DELIMITERS[delimiter])
        for name, rows in (("qrels", QRELS), ("run", RUN), ("ranks", RANKS), ("scored", SCORED))
    }
    paths = {name: packed(tmp_path / f"{name}{suffix}", text) for name, text in texts.items()}
    for run in ("run", "ranks", "scored"):
        found = ltr_sql.evaluate(paths[run], ["RR", "NumRet"], qrels=paths["qrels"])
        assert found.to_dict("records") == [{"queries": 3, "RR": 0.5, "NumRet": 4}]
    unseen = ltr_sql.evaluate(paths["ranks"], ["UnseenShare@1"], history=paths["qrels"])
    assert unseen["UnseenShare@1"].tolist() == [pytest.approx(2 / 3)]


def test_commands_read_files_without_a_header(tmp_path: Path) -> None:
    qrels = packed(tmp_path / "qrels.dev.small.tsv", lines(QRELS, "\t"))
    run = packed(tmp_path / "run.tsv", lines(RANKS, "\t"))
    assert printed("evaluate", qrels, run, "-m", "RR") == [{"queries": 3, "RR": 0.5}]
    assert printed("check", qrels, run)[0]["severity"] == "info"
    result = CliRunner().invoke(main, ["trec_eval", str(qrels), str(run), "-m", "recip_rank"])
    assert result.stdout.split() == ["recip_rank", "all", "0.5000"]


QUOTED = "".join(",".join(f'"{field}"' for field in row) + "\n" for row in QRELS)
FORMS: dict[str, tuple[str, str]] = {
    "a header in capital letters": ("Query_ID\tDoc_ID\tRelevance\n300\t7\t1\n301\t9\t1\n302\t1\t1\n", ".tsv"),
    "a header in a file of any name": ("query_id;doc_id;relevance\n300;7;1\n301;9;1\n302;1;1\n", ".data"),
    "two colons": ("query_id::doc_id::relevance\n300::7::1\n301::9::1\n302::1::1\n", ".dat"),
    "quotes": (QUOTED, ".csv"),
    "a byte order mark": ("\ufeff" + lines(QRELS, "\t"), ".tsv"),
    "Windows": (lines(QRELS, "\t").replace("\n", "\r\n"), ".tsv"),
    "blank lines": ("\n" + lines(QRELS, " ") + "\n", ".tsv"),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_headers_and_lines(name: str, tmp_path: Path) -> None:
    text, suffix = FORMS[name]
    qrels = packed(tmp_path / f"qrels{suffix}", text)
    run = packed(tmp_path / "run.txt", lines(RUN, " "))
    assert ltr_sql.evaluate(run, ["RR"], qrels=qrels).to_dict("records") == [{"queries": 3, "RR": 0.5}]


# Files whose first line holds values. A mapping of these would lose the line.
WITHOUT: dict[str, tuple[str, str, dict[str, str]]] = {
    "numbers": ("qrels", "300\t7\n301\t9\n", {"300": "query_id", "7": "doc_id"}),
    "texts with numbers": ("qrels", "q1,d1,1\nq2,d7,1\n", {"q1": "query_id", "d1": "doc_id", "1": "relevance"}),
    "a value that returns": ("run", "red,x y,0.5\nred,z,0.25\n", {"red": "query_id", "x y": "doc_id", "0.5": "score"}),
    "codes": ("qrels", "1a2b3c4d,B000F6TBUW\n5e6f7a8b,B0018ZKFTU\n", {"1a2b3c4d": "query_id", "B000F6TBUW": "doc_id"}),
    "equal fields": ("run", "a,a,b\nc,d,e\n", {"a": "query_id", "b": "doc_id"}),
    "a single line": ("qrels", "7,8\n", {"7": "query_id", "8": "doc_id"}),
    "names from pandas": ("qrels", "0,1,2,3\n300,0,7,1\n", {"0": "query_id", "2": "doc_id", "3": "relevance"}),
    "ranks that fall": ("run", "300\t7\t2\n300\t8\t1\n", {"300": "query_id", "7": "doc_id", "2": "score"}),
    "ranks of one list": ("run", "300\t7\t1\n301\t8\t2\n", {"300": "query_id", "7": "doc_id", "1": "rank"}),
    "half of the names are values": ("qrels", "red,x y\nred,z\n", {"red": "query_id", "x y": "doc_id"}),
    "ranks from 0": ("run", "300\t7\t0\n300\t8\t1\n", {"300": "query_id", "7": "doc_id", "0": "rank"}),
    "grades in three columns": ("qrels", "300\t7\t1\n300\t8\t2\n", {"300": "query_id", "7": "doc_id"}),
    "queries that were asked": ("asked", "300\n301\n", {"300": "query_id"}),
    "words and a number": ("qrels", "apple,pear,1\nplum,fig,0\n", {"apple": "query_id", "pear": "doc_id"}),
    "a mapped number": ("run", "ab,cd,0.5\nq7,d7,0.25\n", {"ab": "query_id", "cd": "doc_id", "0.5": "score"}),
    "weights": ("weights", "300,2\n301,1\n302,1\n", {"300": "query_id", "2": "weight"}),
}


@pytest.mark.parametrize("suffix", [".tsv", ".csv.gz", ".csv.zst"])
@pytest.mark.parametrize("name", WITHOUT)
def test_a_first_line_of_values_is_no_header(name: str, suffix: str, tmp_path: Path) -> None:
    role, text, columns = WITHOUT[name]
    path = packed(tmp_path / f"file{suffix}", text)
    run = packed(tmp_path / "run.txt", lines(RUN, " "))
    given: dict[str, Any] = {"run": run, "qrels": {"300": {"7": 1}}, role: path}
    named: dict[str, Any] = {"qrels_columns": columns} if role == "qrels" else {"columns": columns}
    for mapped in ({}, named):
        with pytest.raises(InputError, match=r"file\S+ has no header, and its first line holds values, '.*query_id"):
            ltr_sql.evaluate(given.pop("run"), ["RR"], **given, **mapped)
        given["run"] = path if role == "run" else run


def test_the_command_line_refuses_a_first_line_of_values(tmp_path: Path) -> None:
    run = packed(tmp_path / "run.txt", lines(RUN, " "))
    path = packed(tmp_path / "pairs.tsv", "300\t7\n301\t9\n")
    error = printed("evaluate", path, run, "-m", "RR", "--qrels-columns", "300=query_id,7=doc_id")
    assert "has no header, and its first line holds values, '300', '7': write the names" in error


def test_a_mapping_never_replaces_a_known_format(tmp_path: Path) -> None:
    run, qrels = packed(tmp_path / "run.tsv", lines(RANKS, "\t")), packed(tmp_path / "qrels.tsv", lines(QRELS, "\t"))
    with pytest.raises(InputError, match="no column '300' in the judgments, only query_id, subtopic, doc_id, relev"):
        ltr_sql.evaluate(run, ["RR"], qrels=qrels, qrels_columns={"300": "query_id", "7": "doc_id", "1": "relevance"})
    with pytest.raises(InputError, match="no table has a column '300'"):
        ltr_sql.evaluate(run, ["RR"], qrels=qrels, columns={"300": "query_id", "7": "doc_id", "1": "rank"})


def test_names_that_are_not_known_may_be_mapped_or_values(tmp_path: Path) -> None:
    """Unless one of them looks like a value, only the caller knows."""
    path = packed(tmp_path / "urteile.csv", "frage,seite,note,2023\n300,7,1,x\n301,9,1,x\n302,1,1,x\n")
    run = packed(tmp_path / "run.txt", lines(RUN, " "))
    names = {"frage": "query_id", "seite": "doc_id", "note": "relevance"}
    assert ltr_sql.evaluate(run, ["RR"], qrels=path, qrels_columns=names)["RR"].tolist() == [0.5]
    with pytest.raises(InputError, match="has no header, and its first line holds values, 'frage'"):
        ltr_sql.evaluate(run, ["RR"], qrels=path)
    words = packed(tmp_path / "words.csv", "apple,pear\nplum,fig\n")
    with pytest.raises(InputError, match=r"got apple, pear: rename .* If the first line of \S+words.csv holds values"):
        ltr_sql.evaluate(run, ["RR"], qrels=words)


@pytest.mark.default("words-qrels")
@pytest.mark.parametrize("role", ["qrels", "run", "asked"])
@pytest.mark.parametrize("kind", ["words", "sentences", "words and numbers"])
def test_words_that_may_be_a_header_are_not_mapped(kind: str, role: str, tmp_path: Path) -> None:
    """Only the caller knows. A wrong guess would lose a row."""
    rows = [("apple", "pear"), ("plum", "fig"), ("cherry", "date")]
    if kind != "words":
        rows[1:] = [("sour plum", "7 figs"), ("red cherry" if kind == "sentences" else "cherry 7", "date")]
    path = packed(tmp_path / "words.csv", lines(rows, ","))
    names = {"apple": "query_id", "pear": "doc_id"}
    given: dict[str, Any] = {"run": {"plum": {"fig": 1.0}}, "qrels": {"plum": {"fig": 1}}, role: path}
    mapped: dict[str, Any] = {"qrels_columns" if role == "qrels" else "columns": names if role != "asked" else {}}
    if role == "asked":
        mapped["columns"] = {"asked": {"apple": "query_id"}}
    with pytest.raises(InputError, match=r"words\.csv may have no header: its first line, 'apple', 'pear', looks like"):
        ltr_sql.evaluate(given.pop("run"), ["RR"], **given, **mapped)
    # Both ways out: names above the line, or in its place.
    if role == "qrels":
        above = packed(tmp_path / "above.csv", lines([("query_id", "doc_id"), *rows], ","))
        place = packed(tmp_path / "place.csv", lines([("query_id", "doc_id"), *rows[1:]], ","))
        for file, queries in ((above, 3), (place, 2)):
            found = ltr_sql.evaluate({rows[1][0]: {rows[1][1]: 1.0}}, ["RR"], qrels=file, check=False)
            assert found["queries"].tolist() == [queries]


def test_the_command_line_does_not_map_words_that_may_be_values(tmp_path: Path) -> None:
    path, run = packed(tmp_path / "words.csv", "apple,pear\nplum,fig\n"), packed(tmp_path / "run.txt", lines(RUN, " "))
    error = printed("evaluate", path, run, "-m", "RR", "--qrels-columns", "apple=query_id,pear=doc_id")
    assert "may have no header: its first line, 'apple', 'pear', looks like the lines below it" in error


@pytest.mark.parametrize("text", ["frage,seite\n", "frage,seite\n7,d1\n", "frage,seite\nx,d1\n", "a_b,c\nx,y\n"])
def test_words_unlike_the_lines_below_them_are_mapped(text: str, tmp_path: Path) -> None:
    path = packed(tmp_path / "words.csv", text)
    names = dict(zip(text.partition("\n")[0].split(","), ("query_id", "doc_id"), strict=True))
    asked = {query: {"d1": 1.0} for query in ("7", "x")}
    if text.count("\n") == 1:
        with pytest.raises(InputError, match=r"no rows|empty|no judg"):
            ltr_sql.evaluate(asked, ["NumRel"], qrels=path, qrels_columns=names)
    else:
        found = ltr_sql.evaluate(asked, ["NumRel"], qrels=path, qrels_columns=names, check=False)
        assert found["NumRel"].tolist() == [1]


def test_swapped_files_without_a_header(tmp_path: Path) -> None:
    run, qrels = packed(tmp_path / "run.tsv", lines(RUN, "\t")), packed(tmp_path / "qrels.csv", lines(QRELS, ","))
    with pytest.raises(InputError, match=r"line 1: 6 columns, but TREC judgments have 4 .* did you swap run and judg"):
        ltr_sql.evaluate(run, ["RR"], qrels=run)
    with pytest.raises(InputError, match=r"line 1: 4 columns, but a TREC run has 6 .* did you swap run and judgments"):
        ltr_sql.evaluate(qrels, ["RR"], qrels=qrels)


def test_malformed_lines_of_other_delimiters(tmp_path: Path) -> None:
    text = lines(QRELS * 60, ",") + "300,0,8,one\n"
    with pytest.raises(InputError, match=r"line 181: relevance must be a number, got 'one'"):
        ltr_sql.evaluate({"300": {"7": 1}}, ["RR"], qrels=packed(tmp_path / "qrels.csv", text))


# MovieLens, SVMlight, RecBole

MOVIES = [("1", str(item), str(1 + item % 5), str(874724710 + item)) for item in range(1, 41)]


@pytest.mark.parametrize(
    ("name", "delimiter"), [("u.data", "\t"), ("u1.test", "\t"), ("u.tsv", "\t"), ("u.csv", ","), ("ratings.dat", "::")]
)
@pytest.mark.parametrize("times", ["seconds", "dates", "one row"])
def test_ratings_of_movielens_are_no_trec_judgments(name: str, delimiter: str, times: str, tmp_path: Path) -> None:
    rows = [(*row[:3], f"199809{10 + i % 20}") for i, row in enumerate(MOVIES)] if times == "dates" else MOVIES
    path = packed(tmp_path / name, lines(rows[:1] if times == "one row" else rows, delimiter))
    run: Any = {"1": {"2": 1.0}}
    others: dict[str, Any]
    for given, others in ((run, {"qrels": path}), (run, {"history": path}), (path, {"qrels": {"1": {"2": 1}}})):
        with pytest.raises(InputError, match="holds user, item, rating and time, as MovieLens does"):
            ltr_sql.evaluate(given, ["UnseenShare@10" if "history" in others else "HitRate@10"], **others)
    header = f"{delimiter.join(('query_id', 'doc_id', 'relevance', 'timestamp'))}\n"
    named = packed(tmp_path / f"named-{name}", header + path.read_text())
    assert ltr_sql.evaluate({"1": {"1": 1.0}}, ["R@1"], qrels=named)["R@1"].tolist() == [
        1 / len(path.read_text().splitlines())
    ]


def test_judgments_that_look_a_little_like_ratings(tmp_path: Path) -> None:
    """Subtopics, running numbers of lines, and few lines."""
    diversity = [("1", str(i % 3), f"d{i}", "1") for i in range(60)]
    numbered = [("1", str(i), f"d{i % 30}", "1") for i in range(30)]
    few = [("1", str(i), str(i % 2), "1") for i in (0, 2, 5)]
    colons = [("1", f"1:{i}", f"d{i}", "1") for i in range(3)]
    few_documents = [(str(i), "0", str(i % 3), "1") for i in range(1, 41)]
    for rows in (diversity, numbered, few, colons, few_documents):
        qrels = packed(tmp_path / "qrels.txt", lines(rows, " "))
        found = ltr_sql.evaluate({"1": {rows[0][2]: 1.0}}, ["RR"], qrels=qrels, missing="skip")
        assert found["RR"].tolist() == [1.0]


@pytest.mark.parametrize("suffix", [".txt", ".svm", ".tsv", ".txt.gz", ".txt.zst"])
@pytest.mark.parametrize(
    "line",
    ["2 qid:10 1:0.03 2:0.5", "2 qid:10 1:0.03 2:0.5 3:0 8:0.75 #docid = GX0-1 inc = 1", "1 1:0.03 7:1e-5 9:2"],
)
def test_features_are_no_ranking(line: str, suffix: str, tmp_path: Path) -> None:
    path = packed(tmp_path / f"vali{suffix}", f"{line}\n" * 3)
    given: Any
    for given in ({"rankings": path, "qrels": {"10": {"a": 1}}}, {"rankings": {"10": {"a": 1.0}}, "qrels": path}):
        with pytest.raises(InputError, match=r"labels and features in SVMlight format.*Evaluator.from_labels"):
            ltr_sql.evaluate(**given, measures=["RR"])


def test_names_of_recbole(tmp_path: Path) -> None:
    path = packed(
        tmp_path / "ml.inter", "user_id:token\titem_id:token\trating:float\n300\t7\t4\n301\t9\t3\n302\t1\t5\n"
    )
    run = packed(tmp_path / "run.txt", lines(RUN, " "))
    names = {"user_id:token": "query_id", "item_id:token": "doc_id", "rating:float": "relevance"}
    with pytest.raises(InputError) as error:
        ltr_sql.evaluate(run, ["RR"], qrels=path)
    assert f"or pass qrels_columns={names}" in str(error.value)
    assert ltr_sql.evaluate(run, ["RR"], qrels=path, qrels_columns=names)["RR"].tolist() == [0.5]
    flag = ",".join(f"{theirs}={ours}" for theirs, ours in names.items())
    assert f"--qrels-columns {flag}" in printed("evaluate", path, run, "-m", "RR")
    assert printed("evaluate", path, run, "-m", "RR", "--qrels-columns", flag) == [{"queries": 3, "RR": 0.5}]


# Encodings

LATIN = "caf\u00e9".encode("latin-1")
ENCODED: dict[str, tuple[bytes, int | None]] = {
    "run.csv": (b"query_id,doc_id,score\nq1," + LATIN + b",1\n", 2),
    "run.tsv": (b"query_id\tdoc_id\tscore\nq1\t" + LATIN + b"\t1\n", 2),
    "late.csv": (b"query_id,doc_id,score\n" + b"q1,a,1\n" * 30000 + b"q2," + LATIN + b",1\n", 30002),
    "run.jsonl": (b'{"query_id": "q1", "doc_id": "' + LATIN + b'", "score": 1}\n', 1),
    "run.json": (b'{"q1": {"' + LATIN + b'": 1}}\n', 1),
    "run.txt": (b"q1 Q0 " + LATIN + b" 1 1 t\n", 1),
    "run.csv.gz": (b"query_id,doc_id,score\nq1," + LATIN + b",1\n", 2),
    "run.jsonl.gz": (b'{"query_id": "q1", "doc_id": "' + LATIN + b'", "score": 1}\n', 1),
    "run.csv.zst": (b"query_id,doc_id,score\nq1," + LATIN + b",1\n", 2),
    "run.txt.zst": (b"q1 Q0 " + LATIN + b" 1 1 t\n", 1),
    "run.jsonl.zst": (b'{"query_id": "q1", "doc_id": "' + LATIN + b'", "score": 1}\n', None),
}


@pytest.mark.parametrize("name", ENCODED)
def test_text_that_is_not_utf8(name: str, tmp_path: Path) -> None:
    content, line = ENCODED[name]
    path = packed(tmp_path / name, content)
    where = f"{path}, line {line} is not UTF-8" if line else f"{path} is not UTF-8"
    with pytest.raises(InputError) as error:
        ltr_sql.evaluate(path, ["RR"], qrels={"q1": {"a": 1}})
    assert str(error.value).startswith(where)
    assert "Save the file as UTF-8, such as by iconv" in str(error.value)
    assert "ignore_errors" not in str(error.value)


def test_texts_of_queries_that_are_not_utf8(tmp_path: Path) -> None:
    path = packed(tmp_path / "queries.tsv", b"query_id\ttext\nq1\t" + LATIN + b"\n")
    with pytest.raises(InputError, match=r"queries\.tsv, line 2 is not UTF-8"):
        ltr_sql.worst({"q1": {"a": 1.0}}, "RR", qrels={"q1": {"a": 0, "b": 1}}, queries=path)


def test_a_baseline_without_a_header_is_a_run(tmp_path: Path) -> None:
    qrels, run = packed(tmp_path / "qrels.tsv", lines(QRELS, "\t")), packed(tmp_path / "run.tsv", lines(RUN, "\t"))
    base = packed(tmp_path / "base.tsv", lines([row for row in RANKS if row[0] != "301"], "\t"))
    rows = printed("compare", qrels, run, "-m", "NumRet", "--baseline", base, "--missing", "zero")
    assert [(row["system_a"], row["difference"]) for row in rows] == [("base", pytest.approx(2 / 3))]


def test_a_word_in_a_late_line_is_named(tmp_path: Path) -> None:
    numbers = "".join(f"q,d{i},{30_000 - i}\n" for i in range(21_000))
    (tmp_path / "late.csv").write_text(f"query_id,doc_id,score\n{numbers}q,d,high\n", encoding="utf-8")
    message = r"is not a number .*: query_id=q, doc_id=d, rank=NULL, score=high\. What to do"
    with pytest.raises(InputError, match=message):
        ltr_sql.evaluate(tmp_path / "late.csv", ["RR"], qrels={"q": {"d0": 1}})
    (tmp_path / "hexadecimal.csv").write_text("query_id,doc_id,score\nq,d,0x10\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"is not a number .*: query_id=q, doc_id=d, rank=NULL, score=0x10\. What"):
        ltr_sql.evaluate(tmp_path / "hexadecimal.csv", ["RR"], qrels={"q": {"d": 1}})
    grades = "".join(f"q,d{i},1\n" for i in range(21_000))
    (tmp_path / "qrels.csv").write_text(f"query_id,doc_id,relevance\n{grades}q,d,good\n", encoding="utf-8")
    run = {"q": {"d": 1.0}}
    found = ltr_sql.evaluate(run, ["DCG"], qrels=tmp_path / "qrels.csv", grades={"good": 3})
    assert found["DCG"].tolist() == [3.0]


@pytest.mark.parametrize("number", [3, 21_000])
def test_a_word_among_the_values_of_a_measure_is_named(number: int, tmp_path: Path) -> None:
    rows = "".join(f"{s},q{i},1,0.5,de\n" for i in range(number) for s in "ab")
    path = tmp_path / "values.csv"
    path.write_text(f"system,query_id,RR,AP,country\n{rows}a,q,1,n/a,de\n", encoding="utf-8")
    message = "the column AP holds 'n/a', which is no number: correct it"
    with pytest.raises(InputError, match=message):
        ltr_sql.compare(path, values=True)
    assert message in CliRunner().invoke(main, ["compare", "--values", str(path)]).output
    found = ltr_sql.compare(path, ["RR"], values=True, missing="zero", check=False)
    assert found["measure"].tolist() == ["RR"]
