"""Train a ranker with LightGBM for 20 rounds, and print measures of the validation set after each fifth round."""

import lightgbm
import numpy as np

import ltr_sql

rng = np.random.default_rng(1)


def dataset(queries: int, reference: lightgbm.Dataset | None = None) -> lightgbm.Dataset:
    """Return documents with five features. The first two determine the label."""
    sizes = rng.integers(5, 15, queries)
    features = rng.random((sizes.sum(), 5)).round(2)
    label = np.floor(4 * features[:, 0] * features[:, 1])
    return lightgbm.Dataset(features, label, group=sizes, reference=reference)


training = dataset(200)
validation = dataset(50, training)
history: dict = {}
lightgbm.train(
    {"objective": "lambdarank", "metric": "ndcg", "eval_at": [5], "verbosity": -1, "seed": 1, "num_threads": 1},
    training,
    num_boost_round=20,
    valid_sets=[validation],
    feval=ltr_sql.lightgbm_feval(["nDCG@5", "RR(rel=2)"]),
    callbacks=[lightgbm.record_evaluation(history)],
)
values = history["valid_0"]
for turn in range(4, 20, 5):
    print(f"round {turn + 1:2}: nDCG@5 {values['nDCG@5'][turn]:.4f}, RR(rel=2) {values['RR(rel=2)'][turn]:.4f}")
same = np.allclose(values["nDCG@5"], values["ndcg@5"], rtol=0, atol=1e-12)
print("nDCG@5 equals LightGBM's ndcg@5 in all rounds:", same)
