"""Metrics that LightGBM and XGBoost call during training."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ltr_sql.catalogue.measure_strings import parse_measures
from ltr_sql.errors import InputError
from ltr_sql.evaluation.evaluator import Evaluator

if TYPE_CHECKING:
    import numpy as np


def lightgbm_feval(
    measures: Iterable[str],
    *valid_sets: Any,
    convention: str = "lightgbm",
    ties: str | None = None,
    gains: Any = None,
) -> Callable[["np.ndarray", Any], list[tuple[str, float, bool]]]:
    """Return a metric for `feval` of `lightgbm.train` and `lightgbm.cv`.

    - `measures`, `convention`, `ties`, `gains`: see `evaluate`. Pass LightGBM's `label_gain` as `gains`.
    - `valid_sets`: data sets to prepare now. Other data sets are prepared when they are first evaluated.

    Labels and groups are read from each `lightgbm.Dataset`. The metric returns a list with one tuple per measure: name,
    mean, and whether higher is better.

    Raises MeasureError for an invalid measure, and InputError for data without labels or groups.
    """
    means = _Means(measures, _labels_of_dataset, valid_sets, convention=convention, ties=ties, gains=gains)

    def feval(predictions: "np.ndarray", dataset: Any) -> list[tuple[str, float, bool]]:
        return [(text, value, means.higher_is_better[text]) for text, value in means.of(predictions, dataset)]

    return feval


def xgboost_metric(
    measures: Iterable[str],
    *matrices: Any,
    convention: str = "xgboost",
    ties: str | None = None,
    gains: Any = None,
) -> Callable[["np.ndarray", Any], list[tuple[str, float]]]:
    """Return a metric for `custom_metric` of `xgboost.train`.

    - `measures`, `convention`, `ties`, `gains`: see `evaluate`.
    - `matrices`: matrices to prepare now. Other matrices are prepared when they are first evaluated.

    Labels and groups are read from each `xgboost.DMatrix`. The metric returns a list with one tuple per measure: name
    and mean. For early stopping, pass `maximize` to XGBoost: true if higher is better, as for nDCG.

    Raises MeasureError for an invalid measure, and InputError for data without labels or groups.
    """
    means = _Means(measures, _labels_of_matrix, matrices, convention=convention, ties=ties, gains=gains)
    return means.of


class _Means:
    """Means of measures for data sets of a library.

    - `labels_of`: returns the labels and the group sizes of a data set.
    - `prepared`: data sets to prepare now.
    - `options`: further arguments of `Evaluator.from_labels`.
    """

    def __init__(
        self,
        measures: Iterable[str],
        labels_of: Callable[[Any], tuple[Any, Any]],
        prepared: Iterable[Any],
        **options: Any,
    ) -> None:
        self._measures = [measures] if isinstance(measures, str) else list(measures)
        parsed = parse_measures(self._measures)
        self.higher_is_better = {measure.text: measure.definition.better == "higher" for measure in parsed}
        self._labels_of = labels_of
        self._options = options
        self._evaluators: WeakKeyDictionary[Any, Evaluator] = WeakKeyDictionary()
        for data in prepared:
            self._evaluator(data)

    def of(self, predictions: "np.ndarray", data: Any) -> list[tuple[str, float]]:
        """Return the name and the mean of each measure, given the predictions for a data set."""
        means = self._evaluator(data).evaluate(predictions)
        return [(text, float(means[text].iloc[0])) for text in self.higher_is_better]

    def _evaluator(self, data: Any) -> Evaluator:
        evaluator = self._evaluators.get(data)
        if evaluator is None:
            labels, group = self._labels_of(data)
            if labels is None or group is None or not len(group):
                raise InputError("the data has no labels or no groups: pass label= and group= when it is made")
            evaluator = Evaluator.from_labels(self._measures, labels, group, **self._options)
            self._evaluators[data] = evaluator
        return evaluator


def _labels_of_dataset(dataset: Any) -> tuple[Any, Any]:
    dataset.construct()
    return dataset.get_label(), dataset.get_group()


def _labels_of_matrix(matrix: Any) -> tuple[Any, Any]:
    starts = matrix.get_uint_info("group_ptr")
    return matrix.get_label(), starts[1:] - starts[:-1]
