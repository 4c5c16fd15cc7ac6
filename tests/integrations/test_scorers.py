"""Scorers of scikit-learn: their values are those of `evaluate`, for each fold."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn  # type: ignore[import-untyped]
from sklearn.linear_model import LinearRegression  # type: ignore[import-untyped]
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate  # type: ignore[import-untyped]

import ltr_sql

rng = np.random.default_rng(2)
IDS = np.repeat(np.arange(12), 6)
ROWS = pd.DataFrame(rng.random((72, 3)), columns=["a", "b", "c"]).sample(frac=1, random_state=1)
LABELS = pd.Series(np.floor(2.99 * ROWS["a"].to_numpy()).astype(int), index=ROWS.index)
SERIES = pd.Series(IDS, index=range(72))
FOLDS = GroupKFold(3)


def expected(measure: str, sign: int = 1, **options: Any) -> list[float]:
    """Return the value of each fold by `evaluate`."""
    groups = SERIES.reindex(ROWS.index)
    values = []
    for train, test in FOLDS.split(ROWS, LABELS, groups):
        model = LinearRegression().fit(ROWS.iloc[train], LABELS.iloc[train])
        table = pd.DataFrame({"query_id": groups.iloc[test], "doc_id": test, "relevance": LABELS.iloc[test]})
        found = ltr_sql.evaluate(table.assign(score=model.predict(ROWS.iloc[test])), [measure], **options)
        values.append(sign * found.iloc[0, -1])
    return values


@pytest.mark.default("RankingLoss--1")
@pytest.mark.parametrize(("measure", "sign"), [("nDCG@3", 1), ("RankingLoss", -1)])
def test_scores_are_the_values_of_folds(measure: str, sign: int) -> None:
    groups = SERIES.reindex(ROWS.index)
    made = pickle.loads(pickle.dumps(ltr_sql.scorer(measure, SERIES)))
    found = cross_validate(LinearRegression(), ROWS, LABELS, groups=groups, cv=FOLDS, scoring=made)
    assert found["test_score"].tolist() == pytest.approx(expected(measure, sign), abs=1e-12)


@pytest.mark.slow
def test_groups_may_be_a_column_or_metadata() -> None:
    groups = SERIES.reindex(ROWS.index)
    with_groups = ROWS.assign(qid=groups)
    scoring = {"nDCG": ltr_sql.scorer("nDCG@3", "qid"), "RR": ltr_sql.scorer("RR(rel=2)", group="qid")}
    search = GridSearchCV(LinearRegression(), {"positive": [True, False]}, scoring=scoring, refit="RR", cv=FOLDS)
    search.fit(with_groups, LABELS, groups=groups)
    assert search.best_score_ == max(search.cv_results_["mean_test_RR"])
    with sklearn.config_context(enable_metadata_routing=True):
        routed = cross_validate(
            LinearRegression(),
            ROWS,
            LABELS,
            cv=FOLDS,
            scoring=ltr_sql.scorer("nDCG@3", convention="sklearn").set_score_request(group=True),  # type: ignore[attr-defined]
            params={"group": groups, "groups": groups},
        )
    assert routed["test_score"].tolist() == pytest.approx(expected("nDCG@3", convention="sklearn"), abs=1e-12)


def test_errors() -> None:
    model = LinearRegression().fit(ROWS, LABELS)
    with pytest.raises(ltr_sql.MeasureError, match="did you mean nDCG"):
        ltr_sql.scorer("nDGC@3", "qid")
    with pytest.raises(ltr_sql.InputError, match="group='qid' is not a column of X"):
        ltr_sql.scorer("nDCG@3", "qid")(model, ROWS, LABELS)
    with pytest.raises(ltr_sql.InputError, match="a fold of an array does not tell which rows it has"):
        ltr_sql.scorer("nDCG@3", IDS)(model, ROWS, LABELS)
    with pytest.raises(ltr_sql.InputError, match=r"group has no query id for 12 rows of X"):
        ltr_sql.scorer("nDCG@3", SERIES[:60])(model, ROWS, LABELS)
    with pytest.raises(ltr_sql.InputError, match="the scorer lacks the query ids"):
        ltr_sql.scorer("nDCG@3")(model, ROWS, LABELS)
    with pytest.raises(ltr_sql.InputError, match="undefined for all queries of a fold"):
        ltr_sql.scorer("nDCG(empty=skip)", SERIES)(model, ROWS, LABELS * 0)
