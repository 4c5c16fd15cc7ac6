"""The tables of `worst` and `explain` for people: a block of lines for each query, and grades as they were written."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from ltr_sql.command_line.main import main


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Eight queries, whose relevant documents are at ranks 2 and 3."""
    made = tmp_path_factory.mktemp("grouped")
    run = [f"q{i} Q0 {name} {rank} {9 - rank} t" for i in range(8) for rank, name in enumerate("xab", 1)]
    qrels = [f"q{i} 0 {name} {grade}" for i in range(8) for name, grade in (("a", 1), ("b", 2))]
    for name, lines in {"run.txt": run, "qrels.txt": qrels, "halves.txt": [*qrels, "q0 0 x 0.5"]}.items():
        (made / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        yield made


def printed(*words: str) -> str:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_query_is_a_block_of_its_documents() -> None:
    blocks = printed("worst", "qrels.txt", "run.txt", "-m", "RR").split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == [f"q{i}  RR 0.5000  loses 0.5000" for i in range(5)]
    header, _, *documents = blocks[0].splitlines()[1:]
    assert header.split() == ["doc_id", "relevance", "rank", "ideal_rank", "loss", "unjudged_above"]
    rows = json.loads(printed("worst", "qrels.txt", "run.txt", "-m", "RR", "--format", "json"))
    assert len({row["query_id"] for row in rows}) == 8
    expected = [[row["doc_id"], str(int(row["relevance"]))] for row in rows if row["query_id"] == "q0"]
    assert [line.split()[:2] for line in documents] == expected


def test_more_queries_on_request() -> None:
    assert printed("worst", "qrels.txt", "run.txt", "-m", "RR", "-n", "7").count(" loses ") == 7


def test_grades_with_a_fraction_stay_as_they_are() -> None:
    whole = printed("explain", "qrels.txt", "run.txt", "-q", "q0", "-m", "DCG@3")
    halves = printed("explain", "halves.txt", "run.txt", "-q", "q0", "-m", "DCG@3")
    assert [line.split()[2] for line in whole.splitlines()[3:5]] == ["1", "2"]
    assert [line.split()[2] for line in halves.splitlines()[2:5]] == ["0.5000", "1.0000", "2.0000"]
    rows = json.loads(printed("explain", "qrels.txt", "run.txt", "-q", "q0", "-m", "DCG@3", "--format", "json"))
    assert [row["relevance"] for row in rows] == [None, 1.0, 2.0]
