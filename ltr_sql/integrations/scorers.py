"""Scorers for `GridSearchCV`, `cross_validate` and other functions of scikit-learn."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ltr_sql.catalogue.measure_strings import Measure, parse_measure
from ltr_sql.errors import InputError
from ltr_sql.evaluation.evaluator import Evaluator


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
