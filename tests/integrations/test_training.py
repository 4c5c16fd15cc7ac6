"""Callbacks of LightGBM and XGBoost: values beside those of the libraries, and early stopping."""

import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import lightgbm
import numpy as np
import pytest
import xgboost

import ltr_sql
from ltr_sql.catalogue.measures import definitions
from ltr_sql.errors import InputError
from ltr_sql.integrations import callbacks

# All measures of the catalogue that scores and labels suffice for, with the parameters that they need.
REQUIRED = {
    "BPM": "BPM(max_rel=4)@5",
    "ERR": "ERR(max_grade=4)@5",
    "GradedRBP": "GradedRBP(unit=4)@5",
    "INSQ": "INSQ(max_rel=4)@5",
    "INST": "INST(max_rel=4)@5",
    "IPrec": "IPrec@0.5",
    "NERR8": "NERR8(max_rel=4)@5",
    "NERR9": "NERR9(max_rel=4)@5",
    "NERR10": "NERR10(max_rel=4)@5",
    "NERR11": "NERR11(max_rel=4)@5",
    "PFound": "PFound(max_grade=4)@5",
    "RprecMult": "RprecMult@0.5",
    "SDCG": "SDCG(max_rel=4)@5",
}
LIGHTGBM = {
    "objective": "lambdarank",
    "metric": ["ndcg", "map"],
    "eval_at": [3],
    "num_leaves": 4,
    "min_data_in_leaf": 1,
}
LIGHTGBM |= {"verbosity": -1, "num_threads": 1}
XGBOOST = {"objective": "rank:ndcg", "eval_metric": ["ndcg@3", "map@3"], "max_depth": 2, "nthread": 1}
# XGBoost's map refuses grades above 1.
XGBOOST_GRADED = {**XGBOOST, "eval_metric": "ndcg@3", "eta": 1}
ROUNDS = 6
OURS = ["nDCG@3", "AP@3"]
LIBRARY = ["ndcg@3", "map@3"]
SIZES = {
    "several": [4, 7, 2, 9, 5],
    "empty": [4, 0, 7, 2, 0, 0, 9],
    "first and last empty": [0, 4, 7, 0],
    "ones": [1] * 12,
}


class Data:
    """Features, labels from 0 to `grades`, and weights of rows and queries."""

    def __init__(self, sizes: list[int], seed: int, grades: int = 1, relevant: bool = False) -> None:
        rng = np.random.default_rng(seed)
        self.sizes, rows = np.array(sizes), sum(sizes)
        self.features = rng.random((rows, 4)).round(1)
        self.labels = rng.integers(0, grades + 1, rows)
        if relevant:
            self.labels[np.cumsum(self.sizes[self.sizes > 0]) - 1] = grades
        self.of_rows = rng.random(rows).astype(np.float32) + 0.1
        # XGBoost refuses its nDCG if it exceeds 1, which queries without relevant documents and small weights cause.
        self.of_queries = rng.random(len(sizes)).astype(np.float32) + 1
        self.ids = np.repeat(np.arange(len(sizes)), sizes)

    def dataset(self, reference: lightgbm.Dataset | None = None, weighted: bool = False) -> lightgbm.Dataset:
        weights = self.of_rows if weighted else None
        return lightgbm.Dataset(
            self.features,
            self.labels,
            group=self.sizes,
            weight=weights,
            reference=reference,
            params={"feature_pre_filter": False, "verbosity": -1},
        )

    def matrix(self, weighted: bool = False) -> xgboost.DMatrix:
        matrix = xgboost.DMatrix(self.features, self.labels, group=self.sizes)
        if weighted:
            matrix.set_weight(self.of_queries)
        return matrix


TRAINING = Data([10] * 8, seed=1)


def lightgbm_history(*valid_sets: lightgbm.Dataset, feval: Any, training: lightgbm.Dataset) -> dict[str, Any]:
    history: dict[str, Any] = {}
    lightgbm.train(
        LIGHTGBM,
        training,
        num_boost_round=ROUNDS,
        valid_sets=[*valid_sets],
        feval=feval,
        callbacks=[lightgbm.record_evaluation(history)],
    )
    return history


def xgboost_history(*matrices: xgboost.DMatrix, metric: Any) -> dict[str, Any]:
    history: dict[str, Any] = {}
    xgboost.train(
        XGBOOST,
        TRAINING.matrix(),
        num_boost_round=ROUNDS,
        evals=[(matrix, f"set{number}") for number, matrix in enumerate(matrices)],
        custom_metric=metric,
        evals_result=history,
        verbose_eval=False,
    )
    return history


def assert_as_the_library(history: dict[str, Any], tolerance: float) -> None:
    """Assert that our measures have the values of the library in all rounds of all sets."""
    assert history
    for values in history.values():
        for ours, library in zip(OURS, LIBRARY, strict=True):
            assert len(values[ours]) == ROUNDS
            assert values[ours] == pytest.approx(values[library], rel=0, abs=tolerance)


# Values


@pytest.mark.slow
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("seed", range(5))
def test_values_of_the_libraries(sizes: str, seed: int) -> None:
    """A query without documents counts, and one document is a ranking."""
    data = Data(SIZES[sizes], seed)
    other = Data([3, 1, 5], seed + 100)
    training = TRAINING.dataset()
    history = lightgbm_history(
        data.dataset(training), other.dataset(training), feval=ltr_sql.lightgbm_feval(OURS), training=training
    )
    assert_as_the_library(history, 1e-9)
    assert history["valid_0"] != history["valid_1"]
    history = xgboost_history(data.matrix(), other.matrix(), metric=ltr_sql.xgboost_metric(OURS))
    assert_as_the_library(history, 1e-5)
    assert history["set0"] != history["set1"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_weights_of_the_libraries(seed: int) -> None:
    data = Data(SIZES["several"], seed, relevant=True)
    training = TRAINING.dataset()
    weighted = lightgbm_history(
        data.dataset(training, weighted=True), feval=ltr_sql.lightgbm_feval(OURS), training=training
    )
    assert_as_the_library(weighted, 1e-9)
    plain = lightgbm_history(data.dataset(training), feval=ltr_sql.lightgbm_feval(OURS), training=training)
    assert plain["valid_0"]["AP@3"] != weighted["valid_0"]["AP@3"]
    weighted = xgboost_history(data.matrix(weighted=True), metric=ltr_sql.xgboost_metric(OURS))
    assert_as_the_library(weighted, 1e-5)
    plain = xgboost_history(data.matrix(), metric=ltr_sql.xgboost_metric(OURS))
    assert plain["set0"]["AP@3"] != weighted["set0"]["AP@3"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_weights_of_queries_without_relevant_documents(seed: int) -> None:
    """The libraries add 1 to the weighted sum of nDCG instead of the weight. The difference is a constant."""
    data = Data(SIZES["several"], seed, relevant=True)
    data.labels[data.ids == 1] = 0
    training = TRAINING.dataset()
    feval = ltr_sql.lightgbm_feval(OURS)
    (history,) = lightgbm_history(data.dataset(training, weighted=True), feval=feval, training=training).values()
    weights = np.array([data.of_rows[data.ids == query].mean() for query in range(len(data.sizes))])
    constant = (1 - weights[1]) / weights.sum()
    assert history["AP@3"] == pytest.approx(history["map@3"], rel=0, abs=1e-9)
    assert np.array(history["ndcg@3"]) - history["nDCG@3"] == pytest.approx(constant, rel=0, abs=1e-7)
    (history,) = xgboost_history(data.matrix(weighted=True), metric=ltr_sql.xgboost_metric(OURS)).values()
    constant = (1 - data.of_queries[1]) / data.of_queries.sum()
    assert history["AP@3"] == pytest.approx(history["map@3"], rel=0, abs=1e-5)
    assert np.array(history["ndcg@3"]) - history["nDCG@3"] == pytest.approx(constant, rel=0, abs=1e-5)


@pytest.mark.slow
def test_weights_and_queries_without_documents() -> None:
    data = Data(SIZES["empty"], seed=3, relevant=True)
    (history,) = xgboost_history(data.matrix(weighted=True), metric=ltr_sql.xgboost_metric(OURS)).values()
    assert history["AP@3"] == pytest.approx(history["map@3"], rel=0, abs=1e-5)
    training = TRAINING.dataset()
    with pytest.raises(InputError, match="query 1 has no rows, so the mean weight of its rows is undefined"):
        lightgbm_history(data.dataset(training, weighted=True), feval=ltr_sql.lightgbm_feval(OURS), training=training)


@pytest.mark.slow
def test_from_labels_with_weights() -> None:
    """Weights are numbers in the order of the queries, or a dict."""
    labels, scores = [1, 0, 1, 1, 0], np.array([0.1, 0.2, 0.5, 0.3, 0.4])
    by_query = ltr_sql.Evaluator.from_labels(["RR"], labels, [2, 3]).evaluate(scores, by_query=True)["RR"].tolist()
    assert by_query == [0.5, 1]
    ids = ["b", "b", "a", "a", "a"]
    given: list[tuple[Any, Any]] = [
        ([2, 3], [3, 1]),
        ([2, 3], {0: 3, 1: 1}),
        (ids, np.array([3, 1])),
        (ids, {"a": 1, "b": 3}),
    ]
    for group, weights in given:
        evaluator = ltr_sql.Evaluator.from_labels(["RR"], labels, group, weights=weights)
        for each in (evaluator, pickle.loads(pickle.dumps(evaluator))):
            assert each.evaluate(scores)[["queries", "weight", "RR"]].values.tolist() == [[2, 4, (3 * 0.5 + 1) / 4]]
    for wrong in ([1], [1, 2, 3], ["a", "b"], [[1, 2]]):
        with pytest.raises(InputError, match="weights must be 2 numbers, one per query"):
            ltr_sql.Evaluator.from_labels(["RR"], labels, [2, 3], weights=wrong)
    with pytest.raises(InputError, match="weights must be numbers from 0"):
        ltr_sql.Evaluator.from_labels(["RR"], labels, [2, 3], weights=[1, -1]).evaluate(scores)


@pytest.mark.slow
def test_from_labels_with_queries_of_size_0() -> None:
    """They have the value of a ranking without documents, without a warning, under each convention."""
    labels, scores = [1, 0, 1], np.array([0.1, 0.2, 0.5])
    for convention, ndcg in {"lightgbm": 1, "xgboost": 1, None: 0, "trec_eval9": 0}.items():
        options: dict[str, Any] = {"convention": convention}
        evaluator = ltr_sql.Evaluator.from_labels(
            ["nDCG@3", "NumRet"], labels, [2, 0, 1], group_holds="sizes", **options
        )
        for _ in range(2):
            found = evaluator.evaluate(scores, by_query=True)
            assert found["query_id"].tolist() == [0, 1, 2]
            assert found.iloc[1].tolist() == [1, ndcg, 0]
            assert evaluator.evaluate(scores)["queries"].tolist() == [3]


def test_form_of_the_groups() -> None:
    """[1, 1, 1] are three queries or one."""
    for form, queries in {"sizes": 3, "query_ids": 1}.items():
        evaluator = ltr_sql.Evaluator.from_labels(["RR"], [1, 0, 1], [1, 1, 1], group_holds=form)
        assert evaluator.evaluate([0.1, 0.3, 0.2])["queries"].tolist() == [queries]
    assert ltr_sql.Evaluator.from_labels(["RR"], [1], [1]).evaluate([0.5])["RR"].tolist() == [1.0]
    with pytest.raises(InputError, match=r"both fit 3 labels\. Pass group_holds='sizes' or group_holds='query_ids'"):
        ltr_sql.Evaluator.from_labels(["RR"], [1, 0, 1], [1, 1, 1])
    with pytest.raises(InputError, match="group_holds must be 'sizes' or 'query_ids', got 'size'"):
        ltr_sql.Evaluator.from_labels(["RR"], [1, 0, 1], [1, 1, 1], group_holds="size")
    with pytest.raises(
        InputError, match="group must hold sizes of queries with the sum 3; it has 3 values with the sum 6"
    ):
        ltr_sql.Evaluator.from_labels(["RR"], [1, 0, 1], [1, 2, 3], group_holds="sizes")
    with pytest.raises(InputError, match="group must hold one query id for each of the 3 labels; it has 2 values"):
        ltr_sql.Evaluator.from_labels(["RR"], [1, 0, 1], [1, 2], group_holds="query_ids")


def test_the_caller_may_change_labels_and_groups_in_place() -> None:
    labels, ids, weights = np.array([1, 0, 0, 1]), np.array([7, 7, 8, 8]), np.array([3.0, 1.0])
    scores = np.array([0.2, 0.1, 0.2, 0.1])
    evaluator = ltr_sql.Evaluator.from_labels(["RR"], labels, ids, weights=weights)
    before = evaluator.evaluate(scores)
    labels[:], ids[:], weights[:] = 0, 7, 9
    for _ in range(2):
        assert evaluator.evaluate(scores).equals(before)
        evaluator.forget()


# Data sets that are changed after an evaluation


@pytest.mark.slow
def test_changed_datasets_of_lightgbm() -> None:
    data, training = Data(SIZES["several"], 5, relevant=True), TRAINING.dataset()
    validation = data.dataset(training)
    feval = ltr_sql.lightgbm_feval(OURS, validation)
    predictions = np.random.default_rng(0).random(len(data.labels))
    for change in (
        lambda: None,
        lambda: validation.set_label(1 - data.labels),
        lambda: validation.set_label(np.roll(data.labels, 1)),
        lambda: validation.set_group(data.sizes[::-1]),
        lambda: validation.set_weight(data.of_rows),
        lambda: validation.set_field("weight", data.of_rows[::-1].copy()),
        lambda: validation.set_weight(None),
    ):
        change()
        fresh = ltr_sql.lightgbm_feval(OURS)
        found, expected = feval(predictions, validation), fresh(predictions, validation)
        # DuckDB adds the values of a mean in the order in which its threads finish.
        for (name, value, is_better), (other, of_fresh, is_other) in zip(found, expected, strict=True):
            assert (name, is_better) == (other, is_other)
            assert value == pytest.approx(of_fresh, rel=0, abs=1e-12)
        history = lightgbm_history(validation, feval=feval, training=training)
        assert history["valid_0"]["AP@3"] == pytest.approx(history["valid_0"]["map@3"], rel=0, abs=1e-9)


@pytest.mark.slow
def test_changed_matrices_of_xgboost() -> None:
    data = Data(SIZES["several"], 5, relevant=True)
    validation = data.matrix()
    metric = ltr_sql.xgboost_metric(OURS, validation)
    found = set()
    changes: list[Callable[[], Any]] = [
        lambda: None,
        lambda: validation.set_label(1 - data.labels),
        lambda: validation.set_group(data.sizes[::-1]),
        lambda: validation.set_weight(data.of_queries),
        lambda: validation.set_weight(data.of_queries[::-1].copy()),
    ]
    for change in changes:
        change()
        history = xgboost_history(validation, metric=metric)
        assert history["set0"]["AP@3"] == pytest.approx(history["set0"]["map@3"], rel=0, abs=1e-5)
        found.add(tuple(history["set0"]["AP@3"]))
    assert len(found) == 5


# Cross-validation and estimators


@pytest.mark.slow
def test_cross_validation() -> None:
    data = Data([3, 5, 4, 6, 2, 7, 3, 5], 6)
    feval = ltr_sql.lightgbm_feval(OURS)
    found: dict[str, Any] = lightgbm.cv(LIGHTGBM, data.dataset(), ROUNDS, nfold=2, feval=feval, stratified=False)
    for ours, library in zip(OURS, LIBRARY, strict=True):
        assert len(found[f"valid {ours}-mean"]) == ROUNDS
        for kind in ("mean", "stdv"):
            assert found[f"valid {ours}-{kind}"] == pytest.approx(found[f"valid {library}-{kind}"], rel=0, abs=1e-9)
    means = xgboost_cv(data, custom_metric=ltr_sql.xgboost_metric(OURS))
    for ours, library in zip(OURS, LIBRARY, strict=True):
        assert means[f"test-{ours}-mean"].tolist() == pytest.approx(means[f"test-{library}-mean"].tolist(), abs=1e-5)
    stopping = ltr_sql.xgboost_early_stopping("nDCG@3", 2)
    stopped = xgboost_cv(data, callbacks=[stopping])
    series = means["test-nDCG@3-mean"]
    assert stopped["test-nDCG@3-mean"].tolist() == pytest.approx(series[: len(stopped)].tolist(), abs=1e-6)


def xgboost_cv(data: Data, **options: Any) -> Any:
    return xgboost.cv(XGBOOST, data.matrix(), ROUNDS, nfold=2, **options)


@pytest.mark.default("False")
@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
@pytest.mark.parametrize("weighted", [False, True])
def test_estimator_of_lightgbm(weighted: bool) -> None:
    sets = [Data(SIZES["several"], 7, relevant=True), Data([3, 8, 1, 4], 8, relevant=True)]
    ranker = lightgbm.LGBMRanker(n_estimators=ROUNDS, num_leaves=4, min_child_samples=1, verbosity=-1, n_jobs=1)
    ranker.fit(
        TRAINING.features,
        TRAINING.labels,
        group=TRAINING.sizes,
        eval_set=[(each.features, each.labels) for each in sets],
        eval_group=[each.sizes for each in sets],
        eval_sample_weight=[each.of_rows for each in sets] if weighted else None,
        eval_metric=[ltr_sql.lightgbm_feval(OURS), "map"],
        eval_at=[3],
    )
    assert_as_the_library(ranker.evals_result_, 1e-9)
    assert ranker.evals_result_["valid_0"] != ranker.evals_result_["valid_1"]


@pytest.mark.slow
def test_arrays_of_lightgbm() -> None:
    """Labels that change in place, or sets in turn, have their own values. Without groups, the call is refused."""
    feval = ltr_sql.lightgbm_feval(["RR"])
    labels, scores, group = np.array([1, 0, 0]), np.array([0.1, 0.3, 0.2]), np.array([3])
    assert feval(labels, scores, None, group) == [("RR", 1 / 3, True)]
    labels[:] = [0, 1, 0]
    assert feval(labels, scores, None, group) == [("RR", 1.0, True)]
    for turn in range(callbacks._MOST_ARRAYS + 1):
        assert feval(labels, scores * (turn + 1), np.full(3, turn + 1), group) == [("RR", 1.0, True)]
    with pytest.raises(InputError, match="no groups"):
        feval(labels, scores)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_estimator_of_xgboost(weighted: bool) -> None:
    sets = [Data(SIZES["several"], 7, relevant=True), Data([3, 8, 1, 4], 8, relevant=True)]

    def fitted(**options: Any) -> xgboost.XGBRanker:
        ranker = xgboost.XGBRanker(n_estimators=ROUNDS, max_depth=2, n_jobs=1, **options)
        ranker.fit(
            TRAINING.features,
            TRAINING.labels,
            qid=TRAINING.ids,
            eval_set=[(each.features, each.labels) for each in sets],
            eval_qid=[each.ids for each in sets],
            sample_weight_eval_set=[each.of_queries for each in sets] if weighted else None,
            verbose=False,
        )
        return ranker

    stopping = [ltr_sql.xgboost_early_stopping(measure, ROUNDS) for measure in OURS]
    ranker = fitted(eval_metric=LIBRARY, callbacks=stopping)
    history = ranker.evals_result()
    assert_as_the_library(history, 1e-5)
    assert history["validation_0"] != history["validation_1"]
    assert len(pickle.loads(pickle.dumps(ranker)).predict(TRAINING.features)) == len(TRAINING.labels)
    with pytest.raises(InputError, match="average the values by the sizes of the queries: pass callbacks="):
        fitted(eval_metric=ltr_sql.xgboost_metric(["nDCG@3"]))
    stopped = fitted(callbacks=[ltr_sql.xgboost_early_stopping("nDCG@3", 1, data_name="validation_0")])
    values = stopped.evals_result()["validation_0"]["nDCG@3"]
    assert stopped.best_iteration == int(np.argmax(values))
    assert stopped.best_score == max(values)


# Early stopping


@cache
def measures_of_labels() -> list[str]:
    """Return a measure string for each measure of the catalogue that labels and scores suffice for."""
    found = []
    for definition in definitions().values():
        name = REQUIRED.get(definition.name, definition.name)
        for text in (name, f"{name}@5"):
            try:
                evaluator = ltr_sql.Evaluator.from_labels([text], [1, 0, 2], [2, 1])
                values = evaluator.evaluate([1.0, 2.0, 3.0])
            except (ltr_sql.MeasureError, InputError):
                continue
            # FalseAlarm has no value for queries with relevant documents.
            if values.isna().any(axis=None):
                continue
            found.append(text)
            break
    return found


LOWER = {definition.name for definition in definitions().values() if definition.better == "lower"}


def is_lower(text: str) -> bool:
    return text.partition("(")[0].partition("@")[0] in LOWER


def best(values: list[float], text: str) -> int:
    """Return the first round with the best value."""
    return int(np.argmin(values) if is_lower(text) else np.argmax(values))


STOPPED = Data([6] * 15, seed=9, grades=4, relevant=True)


@pytest.mark.slow
def test_measures_of_the_catalogue() -> None:
    assert len(measures_of_labels()) > 60
    assert {text.partition("(")[0].partition("@")[0] for text in measures_of_labels() if is_lower(text)} >= {
        "RankingLoss",
        "Footrule",
        "ARelPos",
    }


@pytest.mark.slow
def test_xgboost_stops_in_the_direction_of_each_measure() -> None:
    """The names of the measures mislead XGBoost. Each callback monitors one of them, for more rounds than there are."""
    stoppings = {text: xgboost.callback.EarlyStopping(rounds=99, metric_name=text) for text in measures_of_labels()}
    history: dict[str, Any] = {}
    xgboost.train(
        XGBOOST_GRADED,
        TRAINING.matrix(),
        num_boost_round=8,
        evals=[(STOPPED.matrix(), "set")],
        custom_metric=ltr_sql.xgboost_metric(measures_of_labels()),
        evals_result=history,
        verbose_eval=False,
        callbacks=[*stoppings.values()],
    )
    varied = 0
    for text, stopping in stoppings.items():
        values = history["set"][text]
        varied += len(set(values)) > 1
        assert stopping.best_scores["set"][text][-1] == values[best(values, text)], text
    assert varied > 50


def trained(*stoppings: Any, **options: Any) -> tuple[int, dict[str, list[float]]]:
    """Return the best iteration of a training of XGBoost, and the values of the validation set."""
    history: dict[str, Any] = {}
    booster = xgboost.train(
        XGBOOST_GRADED,
        TRAINING.matrix(),
        num_boost_round=12,
        evals=[(TRAINING.matrix(), "training"), (STOPPED.matrix(), "set")],
        evals_result=history,
        verbose_eval=False,
        callbacks=[*stoppings],
        **options,
    )
    return booster.best_iteration, history["set"]


STOPPED_BY = ["nDCG(gain='exponential', ideal='whole')@2", "AP", "RR", "RankingLoss", "P@2", "nDCG@3"]


@pytest.mark.slow
@pytest.mark.parametrize("text", STOPPED_BY)
def test_early_stopping_of_xgboost(text: str) -> None:
    """It needs neither a metric of the training nor a direction of the caller."""
    name = text.replace(" ", "")
    for stopping, options in (
        ([ltr_sql.xgboost_early_stopping(text, 99)], {}),
        ([ltr_sql.xgboost_early_stopping(text, 99)], {"custom_metric": ltr_sql.xgboost_metric([text, "R@2"])}),
        ([], {"custom_metric": ltr_sql.xgboost_metric(["R@2", text]), "early_stopping_rounds": 99}),
        (
            [],
            {
                "custom_metric": ltr_sql.xgboost_metric([text]),
                "early_stopping_rounds": 99,
                "maximize": not is_lower(text),
            },
        ),
    ):
        iteration, values = trained(*stopping, **options)
        assert len(values[name]) == 12
        assert iteration == best(values[name], text)
        assert len(set(values[name])) > 1


@pytest.mark.slow
def test_early_stopping_of_xgboost_stops() -> None:
    _, all_values = trained(ltr_sql.xgboost_early_stopping("nDCG@3", 99))
    iteration, values = trained(ltr_sql.xgboost_early_stopping("nDCG@3", 2))
    # DuckDB adds the values of a mean in the order in which its threads finish.
    assert values["nDCG@3"] == pytest.approx(all_values["nDCG@3"][: iteration + 3], rel=0, abs=1e-12)
    assert len(values["nDCG@3"]) < 12
    iteration, values = trained(ltr_sql.xgboost_early_stopping("nDCG@3", 2, min_delta=1))
    assert (iteration, len(values["nDCG@3"])) == (0, 3)
    booster = xgboost.train(
        XGBOOST_GRADED,
        TRAINING.matrix(),
        num_boost_round=12,
        evals=[(STOPPED.matrix(), "set")],
        verbose_eval=False,
        callbacks=[ltr_sql.xgboost_early_stopping("nDCG@3", 2, save_best=True)],
    )
    assert booster.num_boosted_rounds() == booster.best_iteration + 1
    assert "eval_set" not in vars(booster)


@pytest.mark.slow
def test_wrong_directions_of_xgboost_are_refused() -> None:
    ndcg = ltr_sql.xgboost_metric(["nDCG@3"])
    with pytest.raises(InputError, match="higher values of nDCG@3 are better: pass maximize=True"):
        trained(custom_metric=ndcg, early_stopping_rounds=5, maximize=False)
    stopping = xgboost.callback.EarlyStopping(rounds=5, maximize=True, metric_name="RankingLoss")
    with pytest.raises(InputError, match="lower values of RankingLoss are better: pass maximize=False"):
        trained(stopping, custom_metric=ltr_sql.xgboost_metric(["RankingLoss", "nDCG@3"]))

    def wrapped(predictions: np.ndarray, matrix: xgboost.DMatrix) -> list[tuple[str, float]]:
        return [*ndcg(predictions, matrix), ("error", 1.0)]

    with pytest.raises(InputError, match=r"pass callbacks=\[xgboost_early_stopping\('nDCG@3', rounds\)\]"):
        trained(custom_metric=wrapped, early_stopping_rounds=5)
    iteration, values = trained(ltr_sql.xgboost_early_stopping("nDCG@3", 99), custom_metric=wrapped)
    assert iteration == best(values["nDCG@3"], "nDCG@3")
    # The caller's own metrics and those of XGBoost are stopped as before.
    stopping = xgboost.callback.EarlyStopping(rounds=5, metric_name="ndcg@3")
    iteration, values = trained(stopping, custom_metric=wrapped)
    assert iteration == best(values["ndcg@3"], "nDCG@3")


@pytest.mark.slow
def test_early_stopping_of_lightgbm() -> None:
    training = TRAINING.dataset()
    validation = STOPPED.dataset(training)
    directions = {
        name: better for name, _, better in ltr_sql.lightgbm_feval(measures_of_labels())(np.arange(90.0), validation)
    }
    assert directions == {text: not is_lower(text) for text in measures_of_labels()}
    for text in ("nDCG@3", "RankingLoss"):
        history: dict[str, Any] = {}
        booster = lightgbm.train(
            {**LIGHTGBM, "metric": "none", "learning_rate": 1},
            training,
            num_boost_round=12,
            valid_sets=[validation],
            feval=ltr_sql.lightgbm_feval([text]),
            callbacks=[lightgbm.early_stopping(99, verbose=False), lightgbm.record_evaluation(history)],
        )
        assert booster.best_iteration == best(history["valid_0"][text], text) + 1


def test_undefined_measures_are_refused() -> None:
    """A mean of NaN in the first round would be the best one of early stopping."""
    data = Data([3, 2], 1)
    data.labels[:] = 1
    predictions = np.arange(5.0)
    with pytest.raises(InputError, match="AUC is undefined for all queries with a weight above 0"):
        ltr_sql.xgboost_metric(["nDCG", "AUC"])(predictions, data.matrix())
    with pytest.raises(InputError, match="AUC is undefined for all queries with a weight above 0"):
        ltr_sql.lightgbm_feval(["nDCG", "AUC"])(predictions, data.dataset())
    data.of_rows[:] = 0
    with pytest.raises(InputError, match="nDCG is undefined"):
        ltr_sql.lightgbm_feval(["nDCG"])(predictions, data.dataset(weighted=True))


@pytest.mark.slow
def test_metrics_can_be_pickled() -> None:
    data, predictions = Data(SIZES["several"], 1), np.arange(27.0)
    dataset, matrix = data.dataset(), data.matrix()
    feval, metric = ltr_sql.lightgbm_feval(["RR"], dataset), ltr_sql.xgboost_metric(["RR"], matrix)
    assert pickle.loads(pickle.dumps(feval))(predictions, dataset) == feval(predictions, dataset)
    assert pickle.loads(pickle.dumps(metric))(predictions, matrix) == metric(predictions, matrix)
    stopping = pickle.loads(pickle.dumps(ltr_sql.xgboost_early_stopping("RankingLoss", 99)))
    iteration, values = trained(stopping)
    assert iteration == best(values["RankingLoss"], "RankingLoss")


def test_a_metric_leaves_the_parameters_to_the_training() -> None:
    """LightGBM refuses parameters of the data that differ from those of a constructed data set."""
    training = lightgbm.Dataset(TRAINING.features, TRAINING.labels, group=TRAINING.sizes)
    validation = lightgbm.Dataset(TRAINING.features, TRAINING.labels, group=TRAINING.sizes, reference=training)
    feval = ltr_sql.lightgbm_feval(["nDCG@5"], validation)
    history: dict[str, Any] = {}
    lightgbm.train(
        {
            "objective": "lambdarank",
            "metric": "ndcg",
            "eval_at": [5],
            "min_data_in_leaf": 5,
            "max_bin": 15,
            "verbose": -1,
        },
        training,
        2,
        valid_sets=[validation],
        feval=feval,
        callbacks=[lightgbm.record_evaluation(history)],
    )
    assert history["valid_0"]["nDCG@5"] == pytest.approx(history["valid_0"]["ndcg@5"], abs=1e-9)
