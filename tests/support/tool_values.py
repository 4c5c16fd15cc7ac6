"""Print the means of RecTools and recommenders for runs and judgments.

The input is JSON: a list of objects with a run, judgments (qrels) and a cutoff k. The output is JSON, too: a list of
objects, which map each tool to its means by measure string. `test_tool_packages.py` runs this file in a process that
finds the tools.
"""

import json
import sys
from typing import Any

import pandas as pd
from recommenders.evaluation import python_evaluation as recommenders
from rectools import Columns
from rectools.metrics import MAP, MRR, NDCG, HitRate, Precision, Recall, calc_metrics


def means(given: dict[str, Any]) -> dict[str, dict[str, float]]:
    k = given["k"]
    shown = [(user, item, score) for user, scores in given["run"].items() for item, score in scores.items()]
    liked = [(user, item, g) for user, grades in given["qrels"].items() for item, g in grades.items() if g > 0]
    run = pd.DataFrame(shown, columns=["user", "item", "score"])
    judged = pd.DataFrame(liked, columns=["user", "item", "rating"])
    return {"rectools": of_rectools(run, judged, k), "recommenders": of_recommenders(run, judged, k)}


def of_rectools(run: pd.DataFrame, judged: pd.DataFrame, k: int) -> dict[str, float]:
    metrics = {
        "nDCG": NDCG(k=k),
        "nDCG(ideal=cut)": NDCG(k=k, divide_by_achievable=True),
        "AP": MAP(k=k),
        "AP(divisor=k)": MAP(k=k, divide_by_k=True),
        "RR": MRR(k=k),
        "R": Recall(k=k),
        "P": Precision(k=k),
        "RCap": Precision(k=k, r_precision=True),
        "Success": HitRate(k=k),
    }
    names = {"user": Columns.User, "item": Columns.Item, "rank": Columns.Rank}
    ranked = run.assign(rank=run.groupby("user")["score"].rank(ascending=False).astype(int))
    values = calc_metrics(metrics, reco=ranked.rename(columns=names), interactions=judged.rename(columns=names))
    return {name: float(value) for name, value in values.items()}


def of_recommenders(run: pd.DataFrame, judged: pd.DataFrame, k: int) -> dict[str, float]:
    options = {"col_user": "user", "col_item": "item", "col_prediction": "score", "k": k}
    graded = {**options, "col_rating": "rating"}
    values = {
        "nDCG": recommenders.ndcg_at_k(judged, run, **options),
        "nDCG(gain=linear)": recommenders.ndcg_at_k(judged, run, score_type="raw", **graded),
        "nDCG(gain=exponential)": recommenders.ndcg_at_k(judged, run, score_type="exp", **graded),
        "AP(divisor=relevant)": recommenders.map(judged, run, **options),
        "AP": recommenders.map_at_k(judged, run, **options),
        "R": recommenders.recall_at_k(judged, run, **options),
        "P": recommenders.precision_at_k(judged, run, **options),
    }
    return {name: float(value) for name, value in values.items()}


if __name__ == "__main__":
    json.dump([means(given) for given in json.load(sys.stdin)], sys.stdout)
