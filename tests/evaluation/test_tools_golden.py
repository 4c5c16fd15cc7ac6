"""Means of seven tools on random data, under the convention of each tool.

The values are in tests/golden/conventions. Each metric of a tool is compared, or is in NOT_COMPARED with the
reason.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from support.reference_values import read_table, read_values

import ltr_sql

pytestmark = pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")

# The measure that each metric of a tool is under its convention.
METRICS: dict[str, dict[str, str]] = {
    "beir": {
        "NDCG": "nDCG@{k}",
        "MAP": "MAP@{k}",
        "Recall": "Recall@{k}",
        "P": "P@{k}",
        "MRR": "MRR@{k}",
        "Accuracy": "Accuracy@{k}",
        # The tool divides by zero for a query without a relevant document, so it has no value in such cases.
        "R_cap": "R_cap@{k}",
        "Hole": "Hole@{k}",
    },
    "mteb": {
        "NDCG": "nDCG@{k}",
        "MAP": "MAP@{k}",
        "Recall": "Recall@{k}",
        "P": "P@{k}",
        "MRR": "MRR@{k}",
        "HitRate": "HitRate@{k}",
    },
    "sentence_transformers": {
        "accuracy@k": "Accuracy@{k}",
        "precision@k": "Precision@{k}",
        "recall@k": "Recall@{k}",
        "ndcg@k": "nDCG@{k}",
        "mrr@k": "MRR@{k}",
        "map@k": "MAP@{k}",
    },
    "rectools": {
        "NDCG": "nDCG@{k}",
        "NDCG(divide_by_achievable)": "nDCG(ideal=cut)@{k}",
        "MAP": "MAP@{k}",
        "MAP(divide_by_k)": "MAP(divisor=k)@{k}",
        "MRR": "MRR@{k}",
        "Recall": "Recall@{k}",
        "Precision": "Precision@{k}",
        "Precision(r_precision)": "RCap@{k}",
        "HitRate": "HitRate@{k}",
    },
    "recbole": {
        "NDCG": "nDCG@{k}",
        "MAP": "MAP@{k}",
        "MRR": "MRR@{k}",
        "Recall": "Recall@{k}",
        "Precision": "Precision@{k}",
        "Hit": "Hit@{k}",
    },
    "ragas": {
        "ContextPrecision": "AP@{k}",
        "IDBasedContextPrecision": "IDBasedContextPrecision@{k}",
        "IDBasedContextRecall": "Recall@{k}",
    },
    "recommenders": {
        "ndcg_at_k": "nDCG@{k}",
        "ndcg_at_k(raw)": "nDCG(gain=linear)@{k}",
        "ndcg_at_k(exp)": "nDCG(gain=exponential)@{k}",
        "map": "AP(divisor=relevant)@{k}",
        "map_at_k": "MAP@{k}",
        "recall_at_k": "Recall@{k}",
        "precision_at_k": "Precision@{k}",
    },
}
NOT_COMPARED = {
    ("recommenders", "r_precision_at_k"): "leaves out users without a relevant document in the top min(k, R)",
}
# Some tools round means to 5 decimals.
ROUNDED = ("beir", "mteb")


def expected(tool: str) -> list[dict[str, str]]:
    """Return the rows of a tool: case, measure, k and value."""
    return [row for row in read_table("conventions/conventions_expected.csv") if row["tool"] == tool]


def cases() -> Iterator[Any]:
    """Yield each tool and case."""
    for tool in METRICS:
        yield from ((tool, name) for name in dict.fromkeys(row["case"] for row in expected(tool)))


def inputs(case: str) -> dict[str, Any]:
    found: dict[str, Any] = read_values("conventions/conventions_input.json")[case]
    return found


@pytest.mark.parametrize(("tool", "case"), [*cases()])
def test_means(tool: str, case: str) -> None:
    rows = [row for row in expected(tool) if row["case"] == case and (tool, row["measure"]) not in NOT_COMPARED]
    texts = [METRICS[tool][row["measure"]].format(k=row["k"]) for row in rows]
    given = inputs(case)
    means = ltr_sql.evaluate(given["run"], texts, qrels=given["qrels"], convention=tool).iloc[0]
    differences = {
        text: float(means[text]) - float(row["value"])
        for text, row in zip(texts, rows, strict=True)
        if abs(means[text] - float(row["value"])) > (5.000001e-6 if tool in ROUNDED else 1e-9)
    }
    assert not differences


@pytest.mark.parametrize("tool", METRICS)
def test_every_metric_is_compared_or_named(tool: str) -> None:
    named = {*METRICS[tool], *(metric for name, metric in NOT_COMPARED if name == tool)}
    assert {row["measure"] for row in expected(tool)} == named


@pytest.mark.parametrize("case", ["plain", "graded", "missing", "empty", "short"])
def test_r_precision_of_recommenders_leaves_out_users_without_a_hit(case: str) -> None:
    """With k at least R, it is the mean of Rprec over the users for whom it is above 0."""
    given = inputs(case)
    (value,) = (
        float(row["value"])
        for row in expected("recommenders")
        if (row["case"], row["measure"], row["k"]) == (case, "r_precision_at_k", "10")
    )
    found = ltr_sql.evaluate(given["run"], ["Rprec"], qrels=given["qrels"], convention="recommenders", by_query=True)
    assert found["Rprec"][found["Rprec"] > 0].mean() == pytest.approx(value, abs=1e-9)
