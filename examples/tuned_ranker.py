"""A LightGBM ranker whose parameters are chosen by a measure in cross-validation, with whole queries in each fold."""

from typing import Any

import lightgbm
import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, GroupKFold

import ltr_sql


class Ranker(lightgbm.LGBMRanker):  # type: ignore[misc]
    """A ranker that reads the queries from the column query_id. Rows of a query must stand together."""

    def fit(self, rows: Any, grades: Any, **options: Any) -> "Ranker":
        sizes = rows.groupby("query_id", sort=False).size()
        super().fit(rows.drop(columns="query_id"), grades, group=sizes, **options)
        return self

    def predict(self, rows: Any, **options: Any) -> Any:
        return super().predict(rows.drop(columns="query_id"), **options)


rng = np.random.default_rng(3)
rows = pd.DataFrame(rng.random((960, 4)).round(2), columns=list("abcd")).assign(query_id=np.repeat(np.arange(120), 8))
grades = np.floor(3.99 * rows.a * rows.b).astype(int)

search = GridSearchCV(
    Ranker(n_estimators=10, random_state=1, n_jobs=1, verbosity=-1),
    {"num_leaves": [2, 15]},
    scoring=ltr_sql.scorer("nDCG@5", group="query_id"),
    cv=GroupKFold(4),
)
search.fit(rows, grades, groups=rows.query_id)
for parameters, mean in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
    print(parameters, f"nDCG@5 {mean:.4f}")
