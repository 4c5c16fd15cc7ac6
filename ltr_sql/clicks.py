"""Make judgments from clicks, estimate position bias, and count the wins of interleaving."""

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from ltr_sql.building import Call, build


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
    columns: Mapping[str, str] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """Return judgments that a log of clicks implies, one row per query and document.

    - `log`: one row per impression, with the columns query_id, doc_id, click (1 or 0), and what the model reads: rank,
      session_id. A path (Parquet, CSV, TSV, JSONL), a pandas, polars or pyarrow table, a DuckDB relation, or a table
      name with `con`.
    - `model`: 'coec' (clicks over expected clicks), 'ctr' (share of impressions with a click), 'ips' (clicks weighted
      by inverse propensity), 'cascade', 'dcm', 'sdbn', or 'pbm' (position-based model). docs/clicks.md explains them.
    - `propensities`: for 'ips', a table of rank and propensity, such as `position_bias` returns.
    - `floor`: for 'ips', smaller propensities count as this number.
    - `prior_clicks`, `prior_views`: clicks and views added to those of each document. The defaults are 0 and 0 for
      'ctr', and 1 and 2 for 'cascade', 'dcm' and 'sdbn'. Other models have no priors.
    - `iterations`: for 'pbm', iterations of expectation maximisation; 50 by default.
    - `keys`: grouping columns, such as device. Each group has judgments of its own.
    - `columns`: maps your column names to ours, such as {'position': 'rank'}.
    - `con`: a DuckDB connection, for inputs that are names of its tables.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Its columns are the keys,
    query_id, doc_id, relevance, impressions and clicks. `evaluate` reads it as qrels. The relevance of 'coec' is NULL
    for a document that was shown only at ranks without a click.

    Raises InputError for an unknown model, an option that the model does not read, and invalid rows, such as a click
    that is neither 0 nor 1. Source: `reference` in the headers of sql/clicks/.
    """
    values = {"floor": floor, "prior_clicks": prior_clicks, "prior_views": prior_views, "iterations": iterations}
    tables = {"propensities": propensities}
    return build(Call("click_judgments", log, [model], tables, values, keys, columns), con)


def position_bias(
    log: Any,
    method: str = "ctr",
    *,
    weight: str | None = None,
    iterations: int | None = None,
    keys: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """Return how often users look at each rank, relative to rank 1, estimated from a log of clicks.

    - `log`: one row per impression, with the columns query_id, doc_id, rank and click (1 or 0), in any form that
      `click_judgments` accepts.
    - `method`: 'ctr' (share of clicks; right only if the results were shown in random order), 'pivot' and 'chain'
      (the same documents at two ranks), or 'em' (position-based model).
    - `weight`: for 'pivot' and 'chain', each document counts 1 ('documents', the default), or its views at the rank
      with fewer ('views').
    - `iterations`: for 'em', 50 by default.
    - `keys`, `columns`, `con`: see `click_judgments`.

    Returns a data frame with the columns keys, rank, propensity (1 at rank 1), impressions and clicks. A propensity is
    NULL if the log does not determine it.

    Raises InputError as `click_judgments` does. Source: `reference` in the headers of sql/propensities/.
    """
    values = {"weight": weight, "iterations": iterations}
    return build(Call("position_bias", log, [method], {}, values, keys, columns), con)


def interleaving(
    log: Any,
    *,
    empty: str = "skip",
    keys: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """Return the wins of two systems in a log of team-draft interleaving.

    - `log`: one row per result, with the columns session_id, query_id, team ('a', 'b', or NULL for a document of both)
      and click (1 or 0), in any form that `click_judgments` accepts.
    - `empty`: lists without a click of a team are left out ('skip'), or count as ties ('tie').
    - `keys`, `columns`, `con`: see `click_judgments`.

    Returns a data frame with one row per group, and the columns keys, sessions, wins_a, wins_b, ties, without_clicks,
    delta (share of the wins of a, with half of the ties, minus 0.5), z, z_p (its two-sided p), and p (of the exact
    sign test). A list is a session and query. Its winner is the team with more clicks.

    Raises InputError as `click_judgments` does. Source: Radlinski, Kurup & Joachims 2008, CIKM; Chapelle et al. 2012,
    ACM TOIS 30(1).
    """
    return build(Call("interleaving", log, (), {}, {"empty": empty}, keys, columns), con)
