"""The values of the examples of six jobs, computed in plain Python from their data.

`test_examples.py` runs the examples, and compares what they print with examples/expected/.
"""

import csv
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from support.places import EXAMPLE_DATA, EXAMPLES

GRADES = {"Exact": 3, "Substitute": 2, "Complement": 1, "Irrelevant": 0}
# The first line of each job, and the line of its number.
JOBS = {
    "shop.py": ("found =", "print("),
    "rag.py": ("names =", "print("),
    "recommender.py": ("systems =", "print("),
    "researcher.py": ("RUNS,", "print("),
    "ranker.py": ("ranker =", "print("),
    "analyst.sql": ("create table results", "select case"),
}


def dcg(gains: Iterable[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def ndcg(ranked: Sequence[float], all_gains: Iterable[float], k: int) -> float:
    ideal = dcg(sorted(all_gains, reverse=True)[:k])
    return dcg(ranked[:k]) / ideal if ideal else 0.0


def printed(example: str) -> list[list[str]]:
    """Return the words of each line of what an example prints."""
    return [
        line.replace("|", " ").split() for line in (EXAMPLES / "expected" / f"{example}.txt").read_text().splitlines()
    ]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def weeks() -> dict[str, tuple[int, float, float]]:
    """Return the number of searches, nDCG@3 and Success@3 of each week. A search without results has the value 0."""
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows(EXAMPLE_DATA / "shop" / "labels.csv"):
        grades[row["query"]][row["sku"]] = GRADES[row["label"]]
    shown: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    for row in rows(EXAMPLE_DATA / "shop" / "results.csv"):
        shown[row["week"], row["query"]].append((int(row["position"]), row["sku"]))
    values: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in rows(EXAMPLE_DATA / "shop" / "searches.csv"):
        of_query = grades[row["query"]]
        ranked = [of_query[sku] for _, sku in sorted(shown[row["week"], row["query"]])]
        values[row["week"]].append((ndcg(ranked, of_query.values(), 3), float(any(ranked[:3]))))
    return {week: (len(pairs), mean(n for n, _ in pairs), mean(s for _, s in pairs)) for week, pairs in values.items()}


@pytest.mark.parametrize("example", ["shop", "analyst"])
def test_weeks_of_a_shop(example: str) -> None:
    of_weeks = weeks()
    assert [count for count, _, _ in of_weeks.values()] == [5, 6]
    found = {line[0]: line[1:] for line in printed(example) if line and line[0] in of_weeks}
    for week, (count, *values) in of_weeks.items():
        assert int(found[week][0]) == count
        assert [float(text) for text in found[week][1:]] == [pytest.approx(value, abs=5.1e-5) for value in values]


def test_questions_of_an_answering_system() -> None:
    gold = {row["id"]: set(row["gold"]) for row in lines(EXAMPLE_DATA / "rag" / "gold.jsonl")}
    values_of: list[list[float]] = []
    for row in lines(EXAMPLE_DATA / "rag" / "answers.jsonl"):
        best: dict[str, float] = {}
        for chunk in row["retrieved"]:
            document = chunk["doc"]["id"]
            best[document] = max(chunk["score"], best.get(document, 0))
        ranked = [document in gold[row["id"]] for document in sorted(best, key=lambda d: (-best[d], d))][:3]
        if not gold[row["id"]]:
            values = [float(not best)] * 3
        else:
            at_hits = [sum(ranked[:rank]) / rank for rank, hit in enumerate(ranked, start=1) if hit]
            values = [sum(ranked) / len(gold[row["id"]]), mean(at_hits or [0.0]), float(any(ranked))]
        values_of.append(values)
    found = [float(line[-1]) for line in printed("rag")]
    assert found == [8, *(pytest.approx(mean(values), abs=5.1e-5) for values in zip(*values_of, strict=True))]


def test_lists_of_a_recommender() -> None:
    taken = {"u1": {3, 7}, "u2": {5}, "u3": {9}, "u4": {1, 2, 6}}
    lists = {
        "als": {"u1": [7, 1, 3, 9], "u2": [2, 5], "u3": [4, 1, 8, 2], "u4": [6, 3, 1]},
        "popular": {user: [1, 2, 3, 4] for user in taken},
    }
    found = {line[0]: [float(text) for text in line[1:]] for line in printed("recommender")[1:]}
    for system, of_users in lists.items():
        hits = {user: [float(item in taken[user]) for item in shown] for user, shown in of_users.items()}
        expected = [
            len(taken),
            mean(float(any(of[:2])) for of in hits.values()),
            mean(ndcg(of, [1.0] * len(taken[user]), 3) for user, of in hits.items()),
            mean(1 / (of.index(1.0) + 1) if any(of) else 0.0 for of in hits.values()),
        ]
        assert found[system] == [pytest.approx(value, abs=5.1e-5) for value in expected]


def average_precision(ranked: Sequence[float], relevant: int) -> float:
    hits = [rank for rank, grade in enumerate(ranked, start=1) if grade > 0]
    return sum(number / rank for number, rank in enumerate(hits, start=1)) / relevant if relevant else 0.0


def test_runs_of_a_researcher() -> None:
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (EXAMPLE_DATA / "qrels.txt").read_text().splitlines():
        query, _, document, grade = line.split()
        grades[query][document] = int(grade)
    averages: dict[str, Mapping[str, float]] = {}
    found = {line[0]: [float(text) for text in line[1:]] for line in printed("researcher")[1:4]}
    for path in sorted((EXAMPLE_DATA / "runs").glob("*.txt")):
        run: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for line in path.read_text().splitlines():
            query, _, document, _, score, _ = line.split()
            run[query].append((float(score), document))
        ranked = {query: [grades[query].get(d, 0) for _, d in sorted(run[query], reverse=True)] for query in grades}
        averages[path.stem] = {
            query: average_precision(of, sum(grade > 0 for grade in grades[query].values()))
            for query, of in ranked.items()
        }
        expected = [len(grades), mean(averages[path.stem].values())]
        expected += [mean(ndcg(of, grades[query].values(), k) for query, of in ranked.items()) for k in (5, 10)]
        assert found[path.stem] == [pytest.approx(value, abs=5.1e-5) for value in expected]
    base = averages.pop("bm25_body")
    for words in printed("researcher")[5:]:
        (other,) = {*words[:2]} - {"bm25_body"}
        difference = mean(averages[other].values()) - mean(base.values())
        assert abs(float(words[2])) == pytest.approx(abs(difference), abs=5.1e-5)


def test_a_ranker_logs_what_its_predictions_have() -> None:
    """The example computes nDCG@5 twice; tests of the integrations compare it with LightGBM's own."""
    (line,) = printed("ranker")
    logged, predicted = (float(text.strip(",")) for text in line if text.strip(",").replace(".", "").isdigit())
    assert logged == predicted > 0.9


@pytest.mark.parametrize("script", JOBS)
def test_a_job_is_short(script: str) -> None:
    """Between the data and the number there are at most 15 lines, without comments and lines of brackets only."""
    first, number = JOBS[script]
    text = (EXAMPLES / script).read_text()
    code = text[text.index(first) : text.index(number, text.index(first))].splitlines()
    assert len([line for line in code if line.strip(" ()[]{},") and not line.startswith(("#", "--"))]) <= 15
