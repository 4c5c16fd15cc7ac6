"""Metrics that LightGBM and XGBoost call during training."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ltr_sql.catalogue.measure_strings import parse_measures
from ltr_sql.errors import InputError
from ltr_sql.evaluation.evaluator import Evaluator
from ltr_sql.integrations.early_stopping import correct_directions, measure_stopping

if TYPE_CHECKING:
    import numpy as np
    from xgboost.callback import EarlyStopping

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
