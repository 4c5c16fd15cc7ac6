"""Estimate from a log what another policy would have earned."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import duckdb

from ltr_sql.building import Call, build
from ltr_sql.errors import InputError


def off_policy(
    log: Any,
    estimators: str | Iterable[str],
    *,
    clip: float | None = None,
    shrinkage: float | None = None,
    confidence: float = 0.95,
    keys: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """Return estimates of the mean reward of another policy, one row per estimator.

    - `log`: one row per round, with the columns query_id, reward, and what the estimator reads:
      propensity: probability of what was logged, under the policy that logged it; above 0 and at most 1;
      target: its probability under the policy that is judged;
      q_hat: a model's reward of what was logged;
      v_hat: a model's expected reward under the policy that is judged.
      Estimators of slates read one row per query and rank. propensity and target are then those of the whole list,
      propensity_item and target_item those of the document at the rank, and propensity_cascade and target_cascade those
      of the list down to the rank.
    - `estimators`: for single actions 'ips', 'snips', 'replay', 'dm', 'dr', 'sndr', 'switch_dr', 'dr_os', 'sg_ips' or
      'sg_dr'; for slates 'slate_ips', 'slate_snips', 'iips', 'sniips', 'rips', 'snrips' or 'cascade_dr'.
    - `clip`: larger weights target / propensity count as this number; with 'switch_dr', as 0.
    - `shrinkage`: of the weights of 'dr_os', and from 0 to 1 of 'sg_ips' and 'sg_dr'.
    - `confidence`: coverage of the interval, which is that of Student's t.
    - `keys`: grouping columns. Each group is estimated separately.
    - `columns`: maps your column names to ours, such as {'pscore': 'propensity'}.
    - `con`: a DuckDB connection, for inputs that are names of its tables.

    `log` may be a path (Parquet, CSV, TSV, JSONL), a pandas, polars or pyarrow table, a DuckDB relation, or a table
    name with `con`.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Its columns:

    - the keys, estimator, estimate, stderr, low, high, n (rounds; for slates, queries);
    - effective_n: (sum w)^2 / sum w^2 of the weights, for slates at the rank with the fewest;
    - largest_weight, mean_weight, clipped_share (share of the rows with a larger weight than `clip`);
    - finding: why the estimate is not to be trusted, or NULL.

    Raises InputError for an unknown estimator, a propensity that is not above 0, and other invalid rows. Warns with
    InputWarning of poor overlap of the two policies, and of propensities that do not belong to the log.

    Source: `reference` in the headers of sql/off_policy/.
    """
    names = [estimators] if isinstance(estimators, str) else list(estimators)
    if not names:
        raise InputError("estimators is empty: pass a list such as ['snips', 'dr']")
    values = {"clip": clip, "shrinkage": shrinkage, "confidence": confidence}
    return build(Call("off_policy", log, names, {}, values, keys, columns), con)
