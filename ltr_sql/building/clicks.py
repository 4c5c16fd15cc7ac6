"""Judgments, positions and policies from logs of clicks."""

from collections.abc import Iterable, Sequence
from typing import Any, Unpack

import duckdb

from ltr_sql.building.call import Call, build
from ltr_sql.catalogue.options import Reading, takes
from ltr_sql.errors import InputError


@takes(Reading)
def click_judgments(
    log: Any,
    model: str = "coec",
    *,
    propensities: Any = None,
    floor: float | None = None,
    prior_clicks: float | None = None,
    prior_views: float | None = None,
    iterations: int | None = None,
    keys: Sequence[str] = (),
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return judgments estimated from a click log, one row per query and document.

    - `log`: one row per impression, with the columns query_id, doc_id and click (1 or 0). Most models also read rank,
      and some session_id. A log is a path (Parquet, CSV, TSV, JSONL), a pandas, polars or pyarrow table, a DuckDB
      relation, or a table name with `con`.
    - `model`: 'coec' (clicks over expected clicks), 'ctr' (share of impressions with a click), 'ips' (clicks weighted
      by inverse propensity), 'cascade', 'dcm', 'sdbn', or 'pbm' (position-based model). docs/clicks.md explains them.
    - `propensities`: for 'ips', a table of rank and propensity, such as `position_bias` returns.
    - `floor`: for 'ips', the smallest propensity; smaller ones are raised to it.
    - `prior_clicks`: clicks to add to those of each document. The default is 0 for 'ctr', and 1 for 'cascade', 'dcm'
      and 'sdbn'. Other models have no priors.
    - `prior_views`: views to add to those of each document. The default is 0 for 'ctr', and 2 for 'cascade', 'dcm'
      and 'sdbn'. Other models have no priors.
    - `iterations`: for 'pbm', iterations of expectation maximisation; 50 by default.
    - `keys`: grouping columns, such as device. Each group gets its own judgments.
    - `con`: a DuckDB connection, for inputs that are names of its tables.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Its columns are the keys,
    query_id, doc_id, relevance, impressions and clicks. `evaluate` accepts it as qrels. With 'coec', relevance is NULL
    for a document that was shown only at ranks without clicks.

    Raises InputError for an unknown model, an option that the model does not read, and invalid rows. An example is a
    click that is neither 0 nor 1. Source: `reference` in the headers of sql/clicks/.

    >>> log = {"query_id": ["q", "q", "q"], "doc_id": ["a", "b", "a"], "rank": [1, 2, 1], "click": [1, 0, 0]}
    >>> ltr_sql.click_judgments(log, "ctr")[["doc_id", "relevance", "impressions", "clicks"]]
      doc_id  relevance  impressions  clicks
    0      a        0.5            2       1
    1      b        0.0            1       0
    """
    options = {"model": model, "propensities": propensities, "floor": floor, "iterations": iterations}
    options |= {"prior_clicks": prior_clicks, "prior_views": prior_views}
    return build(Call("click_judgments", log, options, keys, reading), con)


@takes(Reading)
def position_bias(
    log: Any,
    method: str = "ctr",
    *,
    weight: str | None = None,
    iterations: int | None = None,
    keys: Sequence[str] = (),
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return the examination probability of each rank relative to rank 1, estimated from a click log.

    - `log`: one row per impression, with the columns query_id, doc_id, rank and click (1 or 0), in any form that
      `click_judgments` accepts.
    - `method`: 'ctr' (click-through rate; unbiased only if results were shown in random order), 'pivot' and 'chain'
      (documents that were shown at two ranks), or 'em' (position-based model).
    - `weight`: the weight of a document for 'pivot' and 'chain'. 'documents' (the default) is 1. 'views' is the smaller
      of its numbers of views at the two ranks.
    - `iterations`: for 'em', iterations of expectation maximisation; 50 by default.
    - `keys`, `con`: see `click_judgments`.

    Returns a data frame with the columns keys, rank, propensity (1 at rank 1), impressions and clicks. A propensity is
    NULL if the log does not identify it.

    Raises InputError as `click_judgments` does. Source: `reference` in the headers of sql/propensities/.

    >>> log = {"query_id": ["q"] * 4, "doc_id": ["a", "b", "b", "a"], "rank": [1, 2, 1, 2], "click": [1, 0, 1, 1]}
    >>> ltr_sql.position_bias(log)[["rank", "propensity", "impressions"]]
       rank  propensity  impressions
    0     1         1.0            2
    1     2         0.5            2
    """
    options = {"method": method, "weight": weight, "iterations": iterations}
    return build(Call("position_bias", log, options, keys, reading), con)


@takes(Reading)
def interleaving(
    log: Any,
    *,
    empty: str = "skip",
    cluster: str | None = None,
    keys: Sequence[str] = (),
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return how often each of two systems wins, from a log of team-draft interleaving.

    - `log`: one row per result, in any form that `click_judgments` accepts. Its columns are session_id, query_id, team
      ('a', 'b', or NULL if both contributed the result) and click (1 or 0).
    - `empty`: what to do with lists in which no team has a click: 'skip' leaves them out, 'tie' counts them as ties.
    - `cluster`: the column of what belongs together, such as the user. z and p then count clusters. A cluster is won by
      the team that wins more of its lists.
    - `keys`, `con`: see `click_judgments`.

    A list is one query of one session. The team with more clicks wins it.

    Returns a data frame with one row per group. Its columns:

    - the keys, sessions, wins_a, wins_b, ties, without_clicks;
    - delta: share of wins of a, counting ties half, minus 0.5;
    - z, z_p: the normal statistic of the wins and its two-sided p;
    - p: two-sided p of the exact sign test;
    - clusters_a, clusters_b: the clusters that each team wins; NULL without `cluster`.

    Raises InputError as `click_judgments` does. Source: Radlinski, Kurup & Joachims 2008, CIKM; Chapelle et al. 2012,
    ACM TOIS 30(1).

    >>> log = {"session_id": ["s", "s", "t"], "query_id": ["q", "q", "q"], "team": ["a", "b", "a"], "click": [1, 0, 1]}
    >>> ltr_sql.interleaving(log)[["sessions", "wins_a", "wins_b", "delta"]]
       sessions  wins_a  wins_b  delta
    0         2       2       0    0.5
    """
    return build(Call("interleaving", log, {"empty": empty, "cluster": cluster}, keys, reading), con)


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

    >>> log = {"query_id": ["q", "r", "s"], "reward": [1, 0, 1]}
    >>> log |= {"propensity": [0.5, 0.5, 0.25], "target": [1.0, 0.0, 0.5]}
    >>> ltr_sql.off_policy(log, ["ips", "snips"])[["estimator", "estimate", "effective_n"]]
      estimator  estimate  effective_n
    0       ips  1.333333          2.0
    1     snips  1.000000          2.0
    """
    names = [estimators] if isinstance(estimators, str) else list(estimators)
    if not names:
        raise InputError("estimators is empty: pass a list such as ['snips', 'dr']")
    options = {"estimators": names, "clip": clip, "shrinkage": shrinkage, "confidence": confidence}
    return build(Call("off_policy", log, options, keys, reading), con)
