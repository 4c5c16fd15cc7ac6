"""Train a ranker with XGBoost for 20 rounds, and print measures of the validation set after each fifth round."""

import numpy as np
import xgboost

import ltr_sql

rng = np.random.default_rng(1)


def matrix(queries: int) -> xgboost.DMatrix:
    """Return documents with five features. The first two determine the label."""
    sizes = rng.integers(5, 15, queries)
    features = rng.random((sizes.sum(), 5)).round(2)
    label = np.floor(4 * features[:, 0] * features[:, 1])
    return xgboost.DMatrix(features, label, group=sizes)


training, validation = matrix(200), matrix(50)
metric = ltr_sql.xgboost_metric(["nDCG@5", "RR(rel=2)"], validation)
measured: list[dict[str, float]] = []


def recorded(predictions: np.ndarray, data: xgboost.DMatrix) -> list[tuple[str, float]]:
    """Keep all digits: XGBoost rounds the values of custom metrics to six."""
    values = metric(predictions, data)
    measured.append(dict(values))
    return values


history: dict = {}
xgboost.train(
    {"objective": "rank:ndcg", "eval_metric": "ndcg@5", "seed": 1, "nthread": 1},
    training,
    num_boost_round=20,
    evals=[(validation, "validation")],
    custom_metric=recorded,
    evals_result=history,
    verbose_eval=False,
)
for turn in range(4, 20, 5):
    print(f"round {turn + 1:2}: " + ", ".join(f"{name} {value:.4f}" for name, value in measured[turn].items()))
same = np.allclose([each["nDCG@5"] for each in measured], history["validation"]["ndcg@5"], rtol=0, atol=1e-12)
print("nDCG@5 equals XGBoost's ndcg@5 in all rounds:", same)

# Stop after 10 rounds without a better value. The callback maximises nDCG, and computes it itself.
booster = xgboost.train(
    {"objective": "rank:ndcg", "eval_metric": "ndcg@5", "seed": 1, "nthread": 1},
    training,
    num_boost_round=100,
    evals=[(validation, "validation")],
    callbacks=[ltr_sql.xgboost_early_stopping("nDCG@5", rounds=10)],
    verbose_eval=False,
)
print(f"best of {booster.num_boosted_rounds()} rounds: {booster.best_iteration + 1}, nDCG@5 {booster.best_score:.4f}")
