"""A LightGBM ranker: the value of the training log, and the same value from the exported predictions."""

import lightgbm
import numpy as np
import pandas as pd

import ltr_sql

rng = np.random.default_rng(3)
table = pd.DataFrame({"query_id": np.repeat(np.arange(120), 8), "doc_id": np.tile(np.arange(8), 120)})
features = rng.random((len(table), 4)).round(2)
table["relevance"] = np.floor(3.99 * features[:, 0] * features[:, 1])
train, test = table.index < 800, table.index >= 800

ranker = lightgbm.LGBMRanker(n_estimators=20, random_state=1, n_jobs=1, verbosity=-1)
ranker.fit(
    features[train],
    table["relevance"][train],
    group=table[train].groupby("query_id").size(),
    eval_set=[(features[test], table["relevance"][test])],
    eval_group=[table[test].groupby("query_id").size()],
    eval_metric=ltr_sql.lightgbm_feval(["nDCG@5"]),
)
predicted = table[test].assign(score=ranker.predict(features[test]))
logged = ranker.evals_result_["valid_0"]["nDCG@5"][-1]
found = ltr_sql.evaluate(predicted, ["nDCG@5"], convention="lightgbm")["nDCG@5"][0]
print(f"nDCG@5 of the last round {logged:.4f}, of the predictions {found:.4f}")
