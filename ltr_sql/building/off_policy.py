"""Estimate the mean reward of another policy from a log."""

from collections.abc import Iterable, Sequence
from typing import Any, Unpack

import duckdb

from ltr_sql.building.call import Call, build
from ltr_sql.catalogue.options import Reading, takes
from ltr_sql.errors import InputError


@takes(Reading)
def off_policy(
    log: Any,
    estimators: str | Iterable[str],
    *,
    clip: float | None = None,
    shrinkage: float | None = None,
    confidence: float = 0.95,
    keys: Sequence[str] = (),
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return estimates of the mean reward of a target policy, one row per estimator.

    - `log`: one row per round, with the column query_id and the columns that the estimator reads:
      reward: the observed reward;
      propensity: probability of the logged action under the logging policy, above 0 and at most 1;
      target: probability of the logged action under the target policy;
      q_hat: reward of the logged action, predicted by a model;
      v_hat: expected reward under the target policy, predicted by a model.
      Estimators of slates read one row per query and rank, with probabilities of three kinds:
      propensity, target: of the whole list;
      propensity_item, target_item: of the document at the rank;
      propensity_cascade, target_cascade: of the list down to the rank.
    - `estimators`: for single actions 'ips', 'snips', 'replay', 'dm', 'dr', 'sndr', 'switch_dr', 'dr_os', 'sg_ips' or
      'sg_dr'; for slates 'slate_ips', 'slate_snips', 'iips', 'sniips', 'rips', 'snrips' or 'cascade_dr'.
    - `clip`: the largest weight target / propensity. Larger weights are reduced to it; 'switch_dr' sets them to 0.
    - `shrinkage`: strength of the shrinkage of weights, at least 0 for 'dr_os', from 0 to 1 for 'sg_ips' and 'sg_dr'.
    - `confidence`: coverage of the t interval.
    - `keys`: grouping columns. Each group is estimated separately.
    - `con`: a DuckDB connection, for inputs that are names of its tables.

    `log` may be a path (Parquet, CSV, TSV, JSONL), a pandas, polars or pyarrow table, a DuckDB relation, or a table
    name with `con`.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Its columns:

    - the keys, estimator, estimate, stderr, low, high, n (rounds; for slates, queries);
    - effective_n: effective sample size (sum w)^2 / sum w^2 of the weights; for slates, the smallest over ranks;
    - largest_weight, mean_weight, clipped_share (share of the rows with a weight above `clip`);
    - finding: a reason to distrust the estimate, or NULL.

    Raises InputError for an unknown estimator, a propensity that is not above 0, and other invalid rows. Warns with
    InputWarning if the two policies overlap little, or if the propensities do not fit the log.

    Source: `reference` in the headers of sql/off_policy/.
    """
    names = [estimators] if isinstance(estimators, str) else list(estimators)
    if not names:
        raise InputError("estimators is empty: pass a list such as ['snips', 'dr']")
    values = {"clip": clip, "shrinkage": shrinkage, "confidence": confidence}
    return build(
        Call(name="off_policy", given=log, methods=names, tables={}, values=values, keys=keys, reading=reading), con
    )
