"""Conventions of tools that are not installed for the tests, compared with formulas written from the tools' sources.

A formula takes the documents of a query in rank order, the grade of each judged document, and the cutoff. It returns
None if the tool has no value for the query. All runs have tied scores, which the tools read in row order.
"""

import random
from collections.abc import Callable, Mapping
from math import log2
from typing import Any, TypeAlias

import pandas as pd
import pytest

import ltr_sql

pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")

Documents: TypeAlias = list[str]
Grades: TypeAlias = Mapping[str, int]
Formula: TypeAlias = Callable[[Documents, Grades, int], float | None]


def relevant_in(documents: Documents, grades: Grades) -> list[int]:
    """Return the positions of relevant documents, from 1."""
    return [i for i, d in enumerate(documents, start=1) if grades.get(d, 0) > 0]


def relevant_of(grades: Grades) -> int:
    return sum(grade > 0 for grade in grades.values())


def gains_at_ranks(gains: list[float]) -> float:
    return sum(gain / log2(i + 1) for i, gain in enumerate(gains, start=1))


def exponential(grade: int) -> float:
    return 2.0**grade - 1


def precision_of_returned(documents: Documents, grades: Grades, k: int) -> float:
    top = documents[:k]
    return len(relevant_in(top, grades)) / len(top) if top else 0.0


def recall(documents: Documents, grades: Grades, k: int) -> float:
    found = len(relevant_in(documents[:k], grades))
    return found / relevant_of(grades) if relevant_of(grades) else 0.0


def reciprocal_rank(documents: Documents, grades: Grades, k: int) -> float:
    return max((1 / i for i in relevant_in(documents[:k], grades)), default=0.0)


def success(documents: Documents, grades: Grades, k: int) -> float:
    return float(bool(relevant_in(documents[:k], grades)))


def precisions_at_hits(documents: Documents, grades: Grades, k: int) -> list[float]:
    return [hit / i for hit, i in enumerate(relevant_in(documents[:k], grades), start=1)]


def mean_of_precisions(documents: Documents, grades: Grades, k: int) -> float:
    precisions = precisions_at_hits(documents, grades, k)
    return sum(precisions) / len(precisions) if precisions else 0.0


def average_precision(documents: Documents, grades: Grades, k: int) -> float:
    total = relevant_of(grades)
    return sum(precisions_at_hits(documents, grades, k)) / total if total else 0.0


def ndcg(gain: Callable[[int], float], length: Callable[[Documents, int], int | None]) -> Formula:
    """Return nDCG with a gain, and an ideal ranking of a length that depends on the top k and k."""

    def formula(documents: Documents, grades: Grades, k: int) -> float:
        top = documents[:k]
        ideal = gains_at_ranks(sorted(map(gain, grades.values()), reverse=True)[: length(top, k)])
        return gains_at_ranks([gain(grades.get(d, 0)) for d in top]) / ideal if ideal else 0.0

    return formula


def binary(grade: int) -> float:
    return float(grade > 0)


def err_of_elasticsearch(documents: Documents, grades: Grades, k: int) -> float:
    unsatisfied, value = 1.0, 0.0
    for i, document in enumerate(documents[:k], start=1):
        if document in grades:
            satisfied = exponential(grades[document]) / 2**3
            value += unsatisfied * satisfied / i
            unsatisfied *= 1 - satisfied
    return value


def or_error(formula: Formula) -> Formula:
    """Return the formula of LlamaIndex, which has no value for a query without results or without expected ids."""
    return lambda documents, grades, k: formula(documents, grades, k) if documents and relevant_of(grades) else None


def or_nothing(formula: Formula) -> Formula:
    """Return the formula of MLflow, where nothing is right for a query without an answer."""
    return lambda documents, grades, k: formula(documents, grades, k) if documents or relevant_of(grades) else 1.0


# The measure strings of each convention, with the formula of the tool. OpenSearch computes binary measures by a
# grade of each query, so that they are compared for binary grades alone.
BINARY_OF_OPENSEARCH: dict[str, Formula] = {
    "P@{k}": precision_of_returned,
    "R@{k}": recall,
    "AP@{k}": average_precision,
    "RR@{k}": reciprocal_rank,
}
FORMULAS: dict[str, dict[str, Formula]] = {
    "elasticsearch": {
        "nDCG@{k}": ndcg(exponential, lambda top, k: len(top)),
        "DCG@{k}": lambda documents, grades, k: gains_at_ranks([exponential(grades.get(d, 0)) for d in documents[:k]]),
        "ERR(max_grade=3)@{k}": err_of_elasticsearch,
        "P@{k}": precision_of_returned,
        "R@{k}": recall,
        "RR@{k}": reciprocal_rank,
    },
    "opensearch": {
        "nDCG@{k}": ndcg(exponential, lambda top, k: k),
        "DCG@{k}": lambda documents, grades, k: gains_at_ranks([exponential(grades.get(d, 0)) for d in documents[:k]]),
    },
    "deepeval": {"AP@{k}": mean_of_precisions},
    "haystack": {
        "nDCG@{k}": ndcg(float, lambda top, k: None),
        "AP@{k}": average_precision,
        "RR@{k}": reciprocal_rank,
        "R@{k}": recall,
        "Success@{k}": success,
    },
    "llama_index": {
        "nDCG@{k}": or_error(ndcg(binary, lambda top, k: None)),
        "AP@{k}": or_error(average_precision),
        "RR@{k}": or_error(reciprocal_rank),
        "R@{k}": or_error(recall),
        "P@{k}": or_error(precision_of_returned),
        "HitRate@{k}": or_error(success),
    },
    "mlflow": {
        "nDCG@{k}": or_nothing(ndcg(binary, lambda top, k: len(top))),
        "P@{k}": precision_of_returned,
        "R@{k}": or_nothing(recall),
    },
}


Run: TypeAlias = dict[str, dict[str, float]]
Judgments: TypeAlias = dict[str, dict[str, int]]


def drawn(seed: int, largest: int = 3) -> tuple[Run, Judgments]:
    """Draw a run with ties and short lists, and judgments. Some queries are missing, some have no relevant document."""
    rng = random.Random(seed)
    names = [f"d{i}" for i in range(12)]
    run, judgments = {}, {}
    for number in range(12):
        retrieved = rng.sample(names, rng.randint(1, 8))
        if number % 5:
            run[f"q{number}"] = {d: float(rng.randint(0, 4)) for d in retrieved}
        grades = [0] if number % 4 == 3 else [0, *range(largest + 1)]
        judgments[f"q{number}"] = {d: rng.choice(grades) for d in rng.sample(names, rng.randint(1, 6))}
    # An error says so if no query has a judged document.
    run["q1"] = {**run["q1"], next(iter(judgments["q1"])): 1.0}
    return run, judgments


def in_rank_order(scores: Mapping[str, float]) -> Documents:
    return sorted(scores, key=lambda d: -scores[d])


@pytest.mark.default("deepeval")
@pytest.mark.parametrize("tool", FORMULAS)
def test_values_by_query(tool: str) -> None:
    assert_values(tool, FORMULAS[tool], {seed: drawn(seed) for seed in range(1, 60)})


def test_binary_measures_of_opensearch() -> None:
    assert_values("opensearch", BINARY_OF_OPENSEARCH, {seed: drawn(seed, largest=1) for seed in range(1, 30)})


def stacked(examples: Mapping[int, Mapping[str, Mapping[str, float]]], value: str) -> pd.DataFrame:
    """Return the documents of all examples, with the number of the example in the column `seed` and in query_id."""
    rows = [
        (seed, f"{seed} {query}", doc, number)
        for seed, queries in examples.items()
        for query, documents in queries.items()
        for doc, number in documents.items()
    ]
    return pd.DataFrame(rows, columns=["seed", "query_id", "doc_id", value])


def assert_values(tool: str, formulas: Mapping[str, Formula], examples: Mapping[int, tuple[Run, Judgments]]) -> None:
    """Assert that values and means under the convention equal the formulas. The examples are keys of one call."""
    texts = {text.format(k=k): (formula, k) for text, formula in formulas.items() for k in (1, 3, 5, 20)}
    run = stacked({seed: run for seed, (run, _) in examples.items()}, "score")
    options: dict[str, Any] = {
        "qrels": stacked({seed: judgments for seed, (_, judgments) in examples.items()}, "relevance"),
        "convention": tool,
        "keys": ["seed"],
    }
    by_query = ltr_sql.evaluate(run, [*texts], by_query=True, **options).set_index("query_id")
    means = ltr_sql.evaluate(run, [*texts], **options).set_index("seed")
    for text, (formula, k) in texts.items():
        shown = {query: None if pd.isna(value) else value for query, value in by_query[text].items()}
        for seed, (scores, judgments) in examples.items():
            values = {q: formula(in_rank_order(scores.get(q, {})), grades, k) for q, grades in judgments.items()}
            assert {q: shown.get(f"{seed} {q}") for q in values} == pytest.approx(values, abs=1e-12), (text, seed)
            defined = [value for value in values.values() if value is not None]
            assert means[text][seed] == pytest.approx(sum(defined) / len(defined), abs=1e-12), (text, seed)


# torchmetrics takes rows of documents with scores, and breaks ties in no defined order but in nDCG.


def expected_dcg(rows: list[tuple[float, int]], k: int) -> float:
    """Return the mean DCG over all orders of tied rows (score, grade)."""
    value, rank = 0.0, 1
    for score in sorted({score for score, _ in rows}, reverse=True):
        tied = [grade for other, grade in rows if other == score]
        ranks = range(rank, rank + len(tied))
        value += sum(tied) / len(tied) * sum(1 / log2(i + 1) for i in ranks if i <= k)
        rank += len(tied)
    return value


def test_torchmetrics() -> None:
    """Each query has all its judged documents as rows, and more. Queries that are not in the rows do not count."""
    rng = random.Random(7)
    names = [f"d{i}" for i in range(9)]
    judgments = {f"q{i}": {d: rng.choice([0, 0, 1, 1, 3]) for d in rng.sample(names, 5)} for i in range(20)}
    run = {q: {d: rng.randint(1, 3) / 4 for d in names} for q in [*judgments][:15]}
    untied = {q: {d: 1 / i for i, d in enumerate(rng.sample(names, 9), start=1)} for q in run}
    for k in (1, 3, 9):
        texts = [f"{name}@{k}" for name in ("nDCG", "AP", "RR", "P", "R", "HitRate")]
        found = ltr_sql.evaluate(run, texts[:1], qrels=judgments, convention="torchmetrics").iloc[0]
        values = []
        for query, scores in run.items():
            rows = [(score, judgments[query].get(d, 0)) for d, score in scores.items()]
            best = expected_dcg([(grade, grade) for _, grade in rows], k)
            values.append(expected_dcg(rows, k) / best if best else 0.0)
        assert found[texts[0]] == pytest.approx(sum(values) / len(values), abs=1e-12)
        found = ltr_sql.evaluate(untied, texts[1:], qrels=judgments, convention="torchmetrics").iloc[0]
        formulas: list[Formula] = [
            mean_of_precisions,
            reciprocal_rank,
            lambda documents, grades, k: len(relevant_in(documents[:k], grades)) / k,
            recall,
            success,
        ]
        for text, formula in zip(texts[1:], formulas, strict=True):
            values = [formula(in_rank_order(scores), judgments[q], k) or 0.0 for q, scores in untied.items()]
            assert found[text] == pytest.approx(sum(values) / len(values), abs=1e-12)
