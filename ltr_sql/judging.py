"""Choose the documents to judge, compare raters, and merge their judgments."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import duckdb

from ltr_sql.building import Call, build
from ltr_sql.errors import InputError
from ltr_sql.inputs.dicts import is_dict_of_arrays, is_dict_of_dicts
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.language.catalogue import Value
from ltr_sql.sqltext.dialects import string


def pool(
    runs: Any,
    *,
    depth: int = 100,
    budget: int | None = None,
    strategy: str = "depth",
    p: float | None = None,
    qrels: Any = None,
    compared: str = "system",
    keys: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """Return the documents to judge: the top of several runs, in the order of their priority.

    - `runs`: several systems in any form that `evaluate` accepts: a dict of name -> run, or a table with a column
      `compared`. Equal scores are ordered by descending doc_id.
    - `depth`: the number of documents that each run contributes to a query.
    - `budget`: the largest number of documents of a query. None keeps all.
    - `strategy`: which documents come first: 'depth' (the best rank), 'rbp' (the largest weight in rank-biased
      precision, summed over the runs) or 'rrf' (the largest reciprocal rank fusion score).
    - `p`: persistence of 'rbp', 0.8 by default.
    - `qrels`: judgments, for the column judged.
    - `keys`: grouping columns, such as collection. Each group has a pool of its own.
    - `columns`, `con`: see `evaluate`.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Its columns are the keys,
    query_id, doc_id, priority (1 = first), best_rank, runs (how many contributed it), systems (their names), and
    judged (false without `qrels`).

    Raises InputError for runs that cannot be pooled. Source: Spärck Jones & van Rijsbergen 1975; Moffat, Webber &
    Zobel 2007, SIGIR.
    """
    values = {"depth": depth, "budget": budget, "p": p, "compared": compared}
    return build(Call("pool", runs, [strategy], {"qrels": qrels}, values, keys, columns, "run"), con)


def unique_documents(
    runs: Any,
    *,
    depth: int = 100,
    qrels: Any = None,
    compared: str = "system",
    keys: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """Return the documents that a single run brought to the pool.

    Judgments without the documents of a run are those of a pool that it took no part in. docs/judging.md shows how to
    evaluate with them.

    - `qrels`: judgments, for the column relevance.
    - Other arguments: see `pool`.

    Returns a data frame with the columns keys, query_id, system, doc_id, rank and relevance (NULL = not judged).

    Raises InputError for runs that cannot be pooled. Source: Zobel 1998, SIGIR.
    """
    values: dict[str, Value] = {"depth": depth, "compared": compared}
    return build(Call("unique_documents", runs, (), {"qrels": qrels}, values, keys, columns, "run"), con)


def rater_agreement(
    judgments: Any,
    *,
    rel: float = 1,
    keys: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """Return the agreement of raters: one row per pair of raters, and one for all, where rater_a and rater_b are NULL.

    - `judgments`: a table with the columns query_id, doc_id, rater and relevance, or a dict of rater -> qrels, in any
      form that `evaluate` accepts. A NULL in relevance is no rating.
    - `rel`: the smallest relevant grade, for the overlap.
    - `keys`: grouping columns. The raters of each group are compared separately.
    - `columns`, `con`: see `evaluate`.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Its columns:

    - the keys, rater_a, rater_b;
    - documents: judged by both; for all raters, those with at least two ratings;
    - agreement: share of equal grades;
    - cohen_kappa, kappa_linear, kappa_quadratic: agreement beyond chance, with weights of the difference of grades;
    - overlap: documents relevant to both, divided by those relevant to either;
    - mean_difference (b - a), mean_absolute_difference;
    - fleiss_kappa (of the documents that all judged), and Krippendorff's alpha_nominal, alpha_ordinal, alpha_interval
      and alpha_ratio: for all raters, otherwise NULL.

    A value is NULL if it is undefined, such as kappa if both raters gave one and the same grade.

    Raises InputError for a single rater, and for a rater who judged a document twice. Source: Cohen 1960, 1968; Fleiss
    1971; Krippendorff 2004.
    """
    call = Call("rater_agreement", judgments, (), {}, {"rel": rel}, keys, columns)
    return build(with_raters(call), con)


def merge_judgments(
    judgments: Any,
    method: str = "majority",
    *,
    ties: str | None = None,
    iterations: int | None = None,
    keys: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
) -> Any:
    """Return one judgment for each document that several raters judged.

    - `judgments`, `keys`, `columns`, `con`: see `rater_agreement`.
    - `method`: 'majority', 'mean', 'median', 'max', 'min' or 'dawid_skene' (the most probable grade, given the
      estimated error rates of each rater).
    - `ties`: for 'majority', the grade if several have the most votes: the 'lower' (the default), the 'higher', or
      'skip' to leave the document out.
    - `iterations`: for 'dawid_skene', iterations of expectation maximisation; 50 by default.

    Returns a data frame with the columns keys, query_id, doc_id, relevance, raters, agreement (share of the raters that
    gave this grade) and probability (of the grade, by 'dawid_skene'; otherwise NULL). `evaluate` reads it as qrels.

    Raises InputError as `rater_agreement` does. Source: Dawid & Skene 1979, Applied Statistics 28.
    """
    values = {"ties": ties, "iterations": iterations}
    return build(with_raters(Call("merge_judgments", judgments, [method], {}, values, keys, columns)), con)


def with_raters(call: Call) -> Call:
    """Return a call that reads the judgments of several raters from one table, or from a dict of rater -> qrels."""
    return replace(call, bind=_bind_ratings)


def _bind_ratings(state: Session, given: Any) -> Table:
    if not isinstance(given, Mapping) or is_dict_of_arrays(given):
        return state.bind(given, "log")
    if not given or is_dict_of_dicts(given):
        raise InputError(
            "judgments of several raters in a dict must be rater -> qrels, such as {'human': ..., 'llm': ...}"
        )
    raters = {str(name): state.bind(qrels, "qrels") for name, qrels in given.items()}
    for name, table in raters.items():
        table.require(f"the judgments of {name}", "query_id", "doc_id", "relevance")
        if "rater" in table.columns:
            raise InputError(f"the judgments of {name} have a column rater: drop it, or pass one table")
    selects = [f"select {string(name)} as rater, * from {table.sql}" for name, table in raters.items()]
    return state.table(f"({' union all by name '.join(selects)})", stored=False)
