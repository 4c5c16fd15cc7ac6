"""Train a ranker with XGBoost for 20 rounds, and print measures of the validation set after each fifth round."""

import numpy as np
import xgboost

import ltr_sql

rng = np.random.default_rng(1)


def matrix(queries: int) -> xgboost.DMatrix:
    """Return documents with five features, of which the first two decide the label."""
    sizes = rng.integers(5, 15, queries)
    features = rng.random((sizes.sum(), 5)).round(2)
    label = np.floor(4 * features[:, 0] * features[:, 1])
    return xgboost.DMatrix(features, label, group=sizes)


training, validation = matrix(200), matrix(50)
history: dict = {}
xgboost.train(
    {"objective": "rank:ndcg", "eval_metric": "ndcg@5", "seed": 1, "nthread": 1, "disable_default_eval_metric": 0},
    training,
    num_boost_round=20,
    evals=[(validation, "validation")],
    custom_metric=ltr_sql.xgboost_metric(["nDCG@5", "RR(rel=2)"], validation),
    evals_result=history,
    verbose_eval=False,
)
values = history["validation"]
for turn in range(4, 20, 5):
    print(f"round {turn + 1:2}: nDCG@5 {values['nDCG@5'][turn]:.4f}, RR(rel=2) {values['RR(rel=2)'][turn]:.4f}")
difference = np.abs(np.subtract(values["nDCG@5"], values["ndcg@5"])).max()
print("nDCG@5 equals XGBoost's ndcg@5 in all rounds:", difference)
