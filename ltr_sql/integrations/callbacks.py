"""Callbacks of training (measures after each epoch, early stopping, trackers) and scorers of scikit-learn."""

import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from ltr_sql.catalogue.measure_strings import Measure, parse_measure, parse_measures
from ltr_sql.errors import InputError
from ltr_sql.evaluation.evaluator import Evaluator
from ltr_sql.inputs.containers import column_names

if TYPE_CHECKING:
    import numpy as np
    from xgboost.callback import EarlyStopping


class Metric(Protocol):
    """A metric of `xgboost_metric`: see there."""

    @property
    def higher_is_better(self) -> Mapping[str, bool]:
        """Whether higher values are better, by name."""

    def means(self, predictions: Any, matrix: Any) -> list[tuple[str, float]]:
        """Return the name and the mean of each measure."""


def measure_stopping(metric: Metric, rounds: int, **options: Any) -> Any:
    """Return a callback for early stopping by the only measure of a metric, which it computes unless the training does.

    XGBoost gives the validation sets to no callback, and to `XGBRanker`'s metric only the rows of one query. This
    callback therefore adds the measure to the results of `Booster.eval_set`, with all digits.

    - `options`: further arguments of `xgboost.callback.EarlyStopping`.
    """
    ((name, higher_is_better),) = metric.higher_is_better.items()
    made = _stopping_class()(rounds=rounds, metric_name=name, maximize=higher_is_better, **options)
    made.metric = metric
    return made


@cache
def _stopping_class() -> Any:
    """Return the class of the callback. A function makes it, because it derives from a class of XGBoost."""
    from xgboost.callback import EarlyStopping  # noqa: PLC0415  (optional)

    class MeasureStopping(EarlyStopping):
        metric: Metric

        def before_training(self, model: Any) -> Any:
            for booster in _boosters(model):
                booster.eval_set = _Evaluated(self.metric, booster, booster.eval_set)
            return super().before_training(model)

        def after_training(self, model: Any) -> Any:
            for booster in _boosters(model):
                vars(booster).pop("eval_set", None)
            return super().after_training(model)

        def __reduce__(self) -> Any:
            return _restored, (vars(self),)

    return MeasureStopping


def _restored(state: dict[str, Any]) -> Any:
    """Return a pickled callback."""
    made = _stopping_class().__new__(_stopping_class())
    vars(made).update(state)
    return made


@dataclass(frozen=True)
class _Evaluated:
    """The method `eval_set` of a booster, with a measure added to its results. `eval_set` is the method without it."""

    metric: Metric
    booster: Any
    eval_set: Callable[..., str]

    def __call__(
        self,
        evals: Sequence[tuple[Any, str]],
        iteration: int = 0,
        feval: Callable[..., Any] | None = None,
        output_margin: bool = True,
    ) -> str:
        """Return the results of each data set: a tab, its name, -, the name of the measure, : and the value."""
        text = self.eval_set(evals, iteration, feval, output_margin)
        (measure,) = self.metric.higher_is_better
        for matrix, data_name in evals:
            if f"\t{data_name}-{measure}:" not in text:
                predictions = self.booster.predict(matrix, training=False, output_margin=output_margin)
                for name, value in self.metric.means(predictions, matrix):
                    text += f"\t{data_name}-{name}:{value!r}"
        return text


def correct_directions(metric: Metric) -> None:
    """Let early stopping of the current training maximise or minimise the measures of a metric, as they require.

    XGBoost guesses from the name of a metric whether higher is better. Raises InputError if the caller chose the wrong
    direction, and if it is unknown which metric decides.
    """
    from xgboost.callback import EarlyStopping  # noqa: PLC0415  (optional)

    training = _training(sys._getframe(1))
    for stopping in training.callbacks if training else ():
        if not isinstance(stopping, EarlyStopping):
            continue
        # By default, the last metric decides. Metrics of the caller come last.
        name: str | None = stopping.metric_name or (
            [*metric.higher_is_better][-1] if training.metric is metric else None
        )
        if name is None and stopping.maximize is None:
            raise InputError(
                "early stopping does not know which metric decides, and whether higher is better: pass callbacks="
                f"[xgboost_early_stopping({[*metric.higher_is_better][-1]!r}, rounds)] instead of early_stopping_rounds"
            )
        if name is None or name not in metric.higher_is_better:
            continue
        maximize = metric.higher_is_better[name]
        if stopping.maximize is None:
            stopping.maximize = maximize
        if stopping.maximize != maximize:
            better = "higher" if maximize else "lower"
            raise InputError(f"{better} values of {name} are better: pass maximize={maximize}, or leave maximize out")


def _training(frame: FrameType | None) -> Any:
    """Return the callbacks of the training that called this frame, or None.

    XGBoost tells a metric nothing about early stopping, so its caller is looked up in the stack.
    """
    from xgboost.callback import CallbackContainer  # noqa: PLC0415  (optional)

    while frame is not None:
        owner = frame.f_locals.get("self")
        if isinstance(owner, CallbackContainer):
            return owner
        frame = frame.f_back
    return None


def _boosters(model: Any) -> list[Any]:
    """Return the boosters of a training, or of each fold of a cross-validation."""
    return [fold.bst for fold in model.cvfolds] if hasattr(model, "cvfolds") else [model]


# Characters of measure strings that MLflow refuses in names of metrics.
_LEFT_OUT = re.compile(r"""['")\s]""")
_REFUSED = re.compile(r"[^\w.-]")


def flat(frame: Any, prefix: str = "") -> dict[str, float]:
    """Return the means of a result as a dict of metric -> value, such as {'bm25.nDCG_at_10': 0.577}.

    - `frame`: a result of `evaluate` or `Evaluator.evaluate`, with means.
    - `prefix`: text before each name, such as 'test/'.

    Names begin with the values of the keys, such as the system. In measure strings, @ becomes _at_, and (rel=2)
    becomes _rel_2: MLflow accepts such names. W&B accepts any name. A value that is NULL is left out.

    Raises InputError for a frame with one row per query, and for two values with the same name.

    >>> table = ltr_sql.evaluate({"q": {"a": 2.0, "b": 1.0}}, ["RR", "P@1"], qrels={"q": {"b": 1}})
    >>> ltr_sql.flat(table)
    {'RR': 0.5, 'P_at_1': 0.0}
    """
    names = column_names(frame)
    if "queries" not in names:
        raise InputError(f"flat reads means of evaluate, which have a column queries, got {', '.join(names)}")
    keys = names[: names.index("queries")]
    measures = [name for name in names[len(keys) + 1 :] if name != "weight"]
    metrics: dict[str, float] = {}
    for row in _rows(frame):
        groups = "".join(f"{_REFUSED.sub('_', str(row[key]))}." for key in keys)
        for measure in measures:
            name, value = f"{prefix}{groups}{_metric(measure)}", row[measure]
            if name in metrics:
                raise InputError(f"two values have the name {name}: rename a system, or leave out a measure")
            # NaN is NULL in pandas.
            if value is not None and not math.isnan(value):
                metrics[name] = float(value)
    return metrics


def _rows(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a pandas, polars or pyarrow table."""
    if hasattr(frame, "to_pylist"):
        return list(frame.to_pylist())
    return list(frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records"))


def _metric(measure: str) -> str:
    """Return a measure string with the characters that trackers accept."""
    return _REFUSED.sub("_", _LEFT_OUT.sub("", measure).replace("@", "_at_"))


# Labels that are kept for arrays, which come without their data set: the number of validation sets of an estimator.
_MOST_ARRAYS = 16


def lightgbm_feval(
    measures: Iterable[str],
    *valid_sets: Any,
    convention: str = "lightgbm",
    ties: str | None = None,
    gains: Any = None,
) -> Callable[..., list[tuple[str, float, bool]]]:
    """Return a metric for `feval` of `lightgbm.train` and `lightgbm.cv`, and for `eval_metric` of `LGBMRanker.fit`.

    - `measures`, `convention`, `ties`: see `evaluate`.
    - `gains`: custom gains of grades, such as LightGBM's `label_gain`; see `evaluate`.
    - `valid_sets`: constructed data sets to prepare now. Others are prepared when they are first evaluated.

    Labels, groups and weights are read from each `lightgbm.Dataset`, also if they were set after an evaluation. The
    weight of a query is the mean weight of its rows. The metric returns a list with one tuple per measure: name, mean,
    and whether higher is better.

    Raises MeasureError for an invalid measure, and InputError for data without labels or groups. The metric raises
    InputError for a measure that is undefined for all queries.
    """
    return _LightGBMMetric(_Means(measures, convention=convention, ties=ties, gains=gains), valid_sets)


def xgboost_metric(
    measures: Iterable[str],
    *matrices: Any,
    convention: str = "xgboost",
    ties: str | None = None,
    gains: Any = None,
) -> Callable[..., list[tuple[str, float]]]:
    """Return a metric for `custom_metric` of `xgboost.train` and `xgboost.cv`.

    - `measures`, `convention`, `ties`, `gains`: see `evaluate`.
    - `matrices`: matrices to prepare now. Other matrices are prepared when they are first evaluated.

    Labels, groups and weights of groups are read from each `xgboost.DMatrix`, also if they were set after an
    evaluation. The metric returns a list with one tuple per measure: name without blanks, and mean.

    XGBoost guesses from the name of a metric whether higher is better. The metric corrects this guess: early stopping
    maximises nDCG@10, and minimises a measure for which lower is better. For `XGBRanker`, see `xgboost_early_stopping`.

    Raises MeasureError for an invalid measure, and InputError for data without labels or groups. The metric raises
    InputError for a measure that is undefined for all queries, for early stopping in the wrong direction, and if
    `XGBRanker` calls it.
    """
    return _XGBoostMetric(_Means(measures, convention=convention, ties=ties, gains=gains), matrices)


def xgboost_early_stopping(
    measure: str,
    rounds: int,
    *,
    data_name: str | None = None,
    min_delta: float = 0.0,
    save_best: bool = False,
    convention: str = "xgboost",
    ties: str | None = None,
    gains: Any = None,
) -> "EarlyStopping":
    """Return a callback that stops a training of XGBoost by a measure: `callbacks` of `train`, `cv` and `XGBRanker`.

    - `measure`: a measure string such as 'nDCG@10'. It is maximised, or minimised if lower is better. The callback
      computes it for each validation set, unless the metrics of the training do.
    - `rounds`: the number of rounds without improvement after which the training stops.
    - `data_name`: the name of the validation set; by default the last one.
    - `min_delta`: the smallest difference that is an improvement; by default any.
    - `save_best`: true to return the best model instead of the last one. Not for `cv`.
    - `convention`, `ties`, `gains`: see `evaluate`.

    A callback serves one training, as all callbacks of XGBoost do.

    Raises MeasureError for an invalid measure.
    """
    metric = _XGBoostMetric(_Means([measure], convention=convention, ties=ties, gains=gains))
    stopping: EarlyStopping = measure_stopping(
        metric, rounds, data_name=data_name, min_delta=min_delta, save_best=save_best
    )
    return stopping


@dataclass(frozen=True, eq=False)
class _Labels:
    """Labels of a data set, with the sizes of its groups.

    - `weights`: one weight per group or, if `of_rows`, per label. None without weights.

    Raises InputError without labels or groups.
    """

    labels: Any
    sizes: Any
    weights: Any = None
    of_rows: bool = False

    def __post_init__(self) -> None:
        if self.labels is None or self.sizes is None or not len(self.sizes):
            raise InputError("the data has no labels or no groups: pass label= and group= when it is made")

    def copy(self) -> "_Labels":
        """Return a copy of the arrays, which nobody else changes."""
        import numpy as np  # noqa: PLC0415  (slow to load)

        weights = None if self.weights is None else np.array(self.weights)
        return _Labels(np.array(self.labels), np.array(self.sizes), weights, self.of_rows)

    def equal(self, other: "_Labels") -> bool:
        """Return whether all values are equal."""
        import numpy as np  # noqa: PLC0415  (slow to load)

        if (self.weights is None) != (other.weights is None):
            return False
        pairs = [(self.labels, other.labels), (self.sizes, other.sizes), (self.weights, other.weights)]
        return all(np.array_equal(one, two) for one, two in pairs)

    def query_weights(self) -> Any:
        """Return one weight per group, or None. As in LightGBM, it is the mean weight of the rows of a group."""
        import numpy as np  # noqa: PLC0415  (slow to load)

        if self.weights is None or not self.of_rows:
            return self.weights
        sizes = np.asarray(self.sizes)
        if not sizes.all():
            raise InputError(
                f"query {np.flatnonzero(sizes == 0)[0]} has no rows, so the mean weight of its rows is undefined: "
                "leave out groups of size 0, or weights"
            )
        # LightGBM adds in single precision, row by row.
        rows = np.split(np.asarray(self.weights, dtype=np.float32), np.cumsum(sizes)[:-1])
        sums = np.array([np.add.accumulate(each)[-1] for each in rows], dtype=np.float32)
        return sums / sizes.astype(np.float32)


class _Means:
    """Means of measures for labelled documents. Evaluators are kept, and made anew when the labels change.

    `options`: further arguments of `Evaluator.from_labels`.
    """

    _of_data: "WeakKeyDictionary[Any, tuple[_Labels, Evaluator]]"
    _of_arrays: list[tuple[_Labels, Evaluator]]

    def __init__(self, measures: Iterable[str], **options: Any) -> None:
        self._measures = [measures] if isinstance(measures, str) else list(measures)
        parsed = parse_measures(self._measures)
        self.higher_is_better = {measure.text: measure.definition.better == "higher" for measure in parsed}
        self._options = options
        self._forget()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_of_data", "_of_arrays")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._forget()

    def of(self, predictions: "np.ndarray", labels: _Labels, data: Any = None) -> dict[str, float]:
        """Return the mean of each measure by its measure string. `data` is the data set with these labels, if known."""
        means = self.evaluator(labels, data).evaluate(predictions)
        values = {text: float(means[text].iloc[0]) for text in self.higher_is_better}
        for text, value in values.items():
            if math.isnan(value):
                raise InputError(
                    f"{text} is undefined for all queries with a weight above 0: leave it out, or evaluate other data"
                )
        return values

    def evaluator(self, labels: _Labels, data: Any = None) -> Evaluator:
        """Return the evaluator of these labels."""
        known = self._of_arrays if data is None else [self._of_data[data]] if data in self._of_data else []
        for kept, evaluator in known:
            if kept.equal(labels):
                return evaluator
        made = Evaluator.from_labels(
            self._measures,
            labels.labels,
            labels.sizes,
            group_holds="sizes",
            weights=labels.query_weights(),
            **self._options,
        )
        if data is None:
            self._of_arrays = [*self._of_arrays[1 - _MOST_ARRAYS :], (labels.copy(), made)]
        else:
            self._of_data[data] = (labels.copy(), made)
        return made

    def _forget(self) -> None:
        self._of_data = WeakKeyDictionary()
        self._of_arrays = []


class _LightGBMMetric:
    """Metric of LightGBM. `prepared`: data sets to prepare now, unless `train` has yet to construct them.

    A data set that is constructed before the training does not have the parameters of the training.
    """

    def __init__(self, means: _Means, prepared: Iterable[Any] = ()) -> None:
        self._means = means
        for dataset in prepared:
            if getattr(dataset, "_handle", None) is not None:
                means.evaluator(_labels_of_dataset(dataset), dataset)

    def __call__(
        self, predictions: "np.ndarray", data: Any, weight: Any = None, group: Any = None
    ) -> list[tuple[str, float, bool]]:
        """Return name, mean, and whether higher is better. LightGBM passes as many arguments as this method names.

        Takes predictions and a `lightgbm.Dataset`; or, from estimators, labels, predictions, weights of rows and sizes
        of groups.
        """
        if hasattr(data, "get_field"):
            means = self._means.of(predictions, _labels_of_dataset(data), data)
        else:
            means = self._means.of(data, _Labels(predictions, group, weight, of_rows=True))
        return [(text, value, self._means.higher_is_better[text]) for text, value in means.items()]


class _XGBoostMetric:
    """Metric of XGBoost. `prepared`: matrices to prepare now.

    - `higher_is_better`: whether higher values are better, by the name of the measure in XGBoost.
    """

    def __init__(self, means: _Means, prepared: Iterable[Any] = ()) -> None:
        self._means = means
        # XGBoost splits the text of its results at blanks.
        self._names = {text: "".join(text.split()) for text in means.higher_is_better}
        self.higher_is_better = {self._names[text]: better for text, better in means.higher_is_better.items()}
        for matrix in prepared:
            means.evaluator(_labels_of_matrix(matrix), matrix)

    def __call__(self, predictions: "np.ndarray", matrix: Any, sample_weight: Any = None) -> list[tuple[str, float]]:
        """Return the name and the mean of each measure. XGBoost's estimators pass arrays, and get an InputError."""
        if not hasattr(matrix, "get_uint_info"):
            raise InputError(
                "the estimators of XGBoost evaluate eval_metric for each query alone, without its weight, and average "
                "the values by the sizes of the queries: pass callbacks=[xgboost_early_stopping(measure, rounds)] "
                "instead, or use xgboost.train"
            )
        correct_directions(self)
        return self.means(predictions, matrix)

    def means(self, predictions: "np.ndarray", matrix: Any) -> list[tuple[str, float]]:
        """Return the name and the mean of each measure for predictions of a matrix."""
        means = self._means.of(predictions, _labels_of_matrix(matrix), matrix)
        return [(self._names[text], value) for text, value in means.items()]


def _labels_of_dataset(dataset: Any) -> _Labels:
    """Return the labels that LightGBM reads. The attributes of a data set may be older."""
    import numpy as np  # noqa: PLC0415  (slow to load)

    dataset.construct()
    starts = dataset.get_field("group")
    sizes = None if starts is None else np.diff(starts)
    return _Labels(dataset.get_field("label"), sizes, dataset.get_field("weight"), of_rows=True)


def _labels_of_matrix(matrix: Any) -> _Labels:
    import numpy as np  # noqa: PLC0415  (slow to load)

    weights = matrix.get_weight()
    return _Labels(matrix.get_label(), np.diff(matrix.get_uint_info("group_ptr")), weights if len(weights) else None)


def scorer(
    measure: str, group: Any = None, *, convention: str | None = None, ties: str | None = None, gains: Any = None
) -> Callable[..., float]:
    """Return a scorer for `scoring` of `GridSearchCV`, `cross_validate` and other functions of scikit-learn.

    - `measure`: a measure string such as 'nDCG@10'. `convention`, `ties`, `gains`: see `evaluate`.
    - `group`: where the query of each row is. The name of a column of X; or a pandas series of query ids with the index
      of X, of which each fold takes its rows. By default, the query ids are metadata: call
      `set_score_request(group=True)` of the scorer, and pass them as `params={"group": ids}`.

    The scorer returns the mean of the measure for the predictions of a fold. If lower is better, it returns minus the
    mean, because scikit-learn takes the largest value as the best. Keep each query in one fold: `cv=GroupKFold()`.

    Raises MeasureError for an invalid measure. The scorer raises InputError for rows without a query id, and for a
    measure that is undefined for all queries.
    """
    parsed = parse_measure(measure)
    scored = _Scored(parsed.text, _sign(parsed), {"convention": convention, "ties": ties, "gains": gains})
    if group is not None:
        return _ScorerOfGroups(scored, group)
    from sklearn.metrics import make_scorer  # type: ignore[import-untyped]  # noqa: PLC0415  (optional)

    made: Callable[..., float] = make_scorer(scored)
    return made


def _sign(measure: Measure) -> int:
    return -1 if measure.definition.better == "lower" else 1


@dataclass(frozen=True)
class _Scored:
    """The value of predictions. `sign`: -1 for a measure where lower is better. `options`: those of `Evaluator`."""

    measure: str
    sign: int
    options: dict[str, Any]

    def __call__(self, labels: Any, predictions: Any, group: Any = None) -> float:
        """Return the mean of the measure over the queries of `group`, one id for each label."""
        if group is None:
            raise InputError(
                "the scorer lacks the query ids: pass group= to ltr_sql.scorer, or enable metadata routing of "
                "scikit-learn, call set_score_request(group=True) of the scorer, and pass params={'group': ids}"
            )
        with Evaluator.from_labels([self.measure], labels, group, group_holds="query_ids", **self.options) as evaluator:
            mean = float(evaluator.evaluate(predictions)[self.measure].iloc[0])
        if math.isnan(mean):
            raise InputError(f"{self.measure} is undefined for all queries of a fold: take fewer folds, or other data")
        return self.sign * mean


@dataclass(frozen=True)
class _ScorerOfGroups:
    """A scorer that knows where the query of each row is: see `scorer`."""

    scored: _Scored
    group: Any

    def __call__(self, estimator: Any, features: Any, labels: Any) -> float:
        """Return the score of an estimator for rows, as scikit-learn calls it."""
        return self.scored(labels, estimator.predict(features), self._ids(features))

    def _ids(self, features: Any) -> Any:
        """Return the query id of each row. Raises InputError if a row has none."""
        if isinstance(self.group, str):
            if self.group not in getattr(features, "columns", ()):
                raise InputError(
                    f"group={self.group!r} is not a column of X: pass X as a data frame with this column, or as group "
                    "a series of query ids with the index of X"
                )
            return features[self.group]
        if not (hasattr(self.group, "index") and hasattr(self.group, "reindex") and hasattr(features, "index")):
            raise InputError(
                "group must be the name of a column of X, or a pandas series with the index of X, which must be a data "
                f"frame, got {type(self.group).__name__}: a fold of an array does not tell which rows it has"
            )
        ids = self.group.reindex(features.index)
        if ids.isna().any():
            missing = list(features.index[ids.isna()][:3])
            raise InputError(f"group has no query id for {int(ids.isna().sum())} rows of X, such as {missing}")
        return ids
