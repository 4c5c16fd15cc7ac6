"""Early stopping of XGBoost in the direction of a measure."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import FrameType
from typing import Any, Protocol

from ltr_sql.errors import InputError


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
