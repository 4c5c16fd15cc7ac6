"""Fuse several runs into one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from typing import Any, Unpack

import duckdb

from ltr_sql.building.call import Call
from ltr_sql.catalogue.functions import procedures
from ltr_sql.catalogue.options import Reading, check_choice, refuse_none, takes
from ltr_sql.errors import InputError
from ltr_sql.inputs.binding import require_run
from ltr_sql.inputs.connection import Result, data_frame
from ltr_sql.inputs.containers import library_of
from ltr_sql.inputs.gains import bind_weights
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Table, check_keys, listed_names
from ltr_sql.rendering.builders import FusedColumns, check_values
from ltr_sql.rendering.columns import EXACT
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.fusion import RunTables, fusion_query, reads_scores
from ltr_sql.rendering.templates import render_template
from ltr_sql.stages import stage
from ltr_sql.validation.checks import quick_check_run, unicode_forms
from ltr_sql.validation.suspicions import notes_on_run

# Search this number of queries for a common document first, and the whole runs only if it finds none.
_SAMPLE = 50


@takes(Reading)
def fuse(
    runs: Any,
    method: str = "rrf",
    *,
    norm: str | None = None,
    weights: Any = None,
    k: float = 60,
    p: float = 0.8,
    gamma: float = 1,
    constant: float = 0,
    keys: Sequence[str] = ("system",),
    compared: str = "system",
    depth: int | None = None,
    top: int | None = None,
    ties: str = "docid_desc",
    check: bool = True,
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return one run fused from several, with a new score for each document that a run retrieved.

    - `runs`: a dict of name -> run, a list of runs, or a table of several runs with a column system. A run has any form
      that `evaluate` accepts. If a run lacks a query, the query is fused from the other runs. A run gives nothing to
      documents that it lacks, except with the method or norm 'borda'.
    - `method`: a method that reads ranks: 'rrf' (reciprocal rank fusion), 'isr', 'rbc' or 'borda'; or one that reads
      scores: 'comb_sum', 'comb_mnz', 'comb_anz', 'comb_max', 'comb_min', 'comb_med' or 'wmnz'. docs/fusion.md has the
      formulas.
    - `norm`: normalisation of the scores of each run and query: 'min_max', 'max', 'sum', 'zmuv' (z-score), 'rank' or
      'borda'. None fuses raw scores. Methods that read ranks take no norm.
    - `weights`: a dict of name -> weight, or a table with a column weight and the column that `compared` names.
      Every run needs a weight.
      'rrf', 'isr', 'rbc', 'borda', 'comb_sum', 'comb_mnz' and 'wmnz' take weights.
    - `k`: constant of 'rrf'. `p`: persistence of 'rbc'. `gamma`: exponent of the number of runs in 'comb_mnz'.
      `constant`: value of equal scores under the norm 'min_max'.
    - `keys`: grouping columns, such as segment. Each group is fused separately. The column
      `compared` does not form groups, even if `keys` names it.
    - `compared`: the column that names the run of each row. If it is not
      `system`, pass `keys` without `system`, such as `()`.
    - `depth`: fuse only the first `depth` documents of each run. `top`: return only the first `top` documents.
    - `ties`: tie-breaking rule for equal scores, before and after the fusion: 'docid_desc', 'docid_asc' or
      'docid_desc_float32'; or 'row_order', which orders the runs by their rows and the fused run by 'docid_desc'.
    - `check`: false skips input validation. Validation rejects the invalid input that `agreement` rejects, and a run
      without a document in common with the others.
    - `con`: see `evaluate`.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Its columns are the keys
    without `compared`, query_id, doc_id, score, rank, and `runs`, the number of runs that hold the document. The result
    does not depend on the order of runs. It depends on the order of rows only if `ties` is 'row_order'.

    Raises InputError for options and runs that cannot be fused. Warns with InputWarning of a single run, of queries
    that some runs lack, and of ids in several Unicode normal forms.

    Source: `reference` in the headers of sql/fusion/ and sql/norms/.

    >>> runs = {"words": {"q": {"a": 2.0, "b": 1.0}}, "vectors": {"q": {"b": 9.0, "c": 8.0}}}
    >>> ltr_sql.fuse(runs, "rrf").round(4)
      query_id doc_id   score  rank  runs
    0        q      b  0.0325     1     2
    1        q      a  0.0164     2     1
    2        q      c  0.0161     3     1
    """
    refuse_none("system", compared=compared)
    refuse_none(True, check=check)
    numbers = {"k": k, "p": p, "gamma": gamma, "constant": constant, "depth": depth, "top": top}
    options = {"method": method, "norm": norm, "weights": weights, "ties": ties, "compared": compared, **numbers}
    call = Call("fuse", runs, options, keys, reading)
    return with_warnings(con, lambda state: fused(state, call, data_frame, check=check), call.read)


def fused(state: Session, call: Call, result: Result, *, check: bool) -> tuple[Any, list[str]]:
    """Return the fused run sorted by rank, made by `result`, and the texts of warnings."""
    table, runs, warning_texts = bound_runs(state, call, check=check)
    query = fusion_query(runs, call.options["method"], call.options)
    order = ", ".join(f"{term} asc" for term in [*map(DUCKDB.identifier, runs.columns.keys[1:]), "query_id", "rank"])
    stage("fusion")
    with rejected_documents(state, table, runs.columns.keys, check=check):
        return result(state.con, f"from (\n{query}\n)\norder by {order}", state.frame), warning_texts


@contextmanager
def rejected_documents(state: Session, table: Table, keys: tuple[str, ...], *, check: bool) -> Iterator[None]:
    """Raise an InputError that lists the rows of a repeated document, if the query of a fusion finds one."""
    try:
        yield
    except duckdb.InvalidInputException:
        if check:
            quick_check_run(state.con, "the runs", table, keys)
        raise


def bound_runs(state: Session, call: Call, *, check: bool) -> tuple[Table, RunTables, list[str]]:
    """Bind and check the runs of a fusion. Returns their table, its SQL fragments, and the texts of warnings."""
    options = call.options
    check_choice("method", options["method"], procedures("fusion"))
    check_values(call.builder, options)
    compared, ties = options.get("compared", "system"), options.get("ties", "docid_desc")
    table = state.bind(_named(call.given), "run").in_row_order(ties)
    state.frame = state.frame or _library(call.given)
    if compared not in table.columns:
        raise InputError(
            f"there is only one run: pass a dict of runs, or a table of several runs with a column {compared}; the "
            f"columns are {listed_names(table.columns)}"
        )
    require_run("the runs", table, ties)
    others = [key for key in check_keys(table, call.keys, ("runs", "score")) if key.lower() != compared.lower()]
    all_keys = (compared, *others)
    if reads_scores(procedures("fusion")[options["method"]]):
        table.require_scores(f"the runs (method={options['method']!r} reads scores)", "score")
    names = _names(state, table, compared)
    tables = {"runs": table.sql}
    if options.get("weights") is not None:
        tables["weights"] = _weights(state, options["weights"], names, compared)
    warning_texts = _check(state, table, names, all_keys) if check else []
    known = {"has_rank": "rank" in table.columns, "has_score": "score" in table.columns, "few": len(names) <= 2}
    columns = FusedColumns(all_keys, DUCKDB, exact=table.beyond_doubles(*EXACT))
    return table, RunTables(tables, columns, known), warning_texts


def _library(runs: Any) -> str | None:
    """Return the data frame library of the first data frame among several runs, or None."""
    several = runs.values() if isinstance(runs, Mapping) else runs if isinstance(runs, list | tuple) else ()
    return next(filter(None, map(library_of, several)), None)


def _named(runs: Any) -> Any:
    """Return a list of runs as a dict. Files are named by their paths, other runs by their numbers from 1."""
    if not isinstance(runs, list | tuple):
        return runs
    if not runs:
        raise InputError("the list of runs is empty: pass at least two runs")
    names = [fspath(run) if isinstance(run, str | PathLike) else str(i) for i, run in enumerate(runs, start=1)]
    if len(set(names)) < len(names):
        raise InputError(f"a run is repeated: pass each of {', '.join(names)} once")
    return dict(zip(names, runs, strict=True))


def _names(state: Session, table: Table, compared: str) -> list[str]:
    """Return the sorted names of the runs. Raises InputError for a row without a name."""
    name = DUCKDB.identifier(compared)
    rows = state.rows(f"select distinct r.{name} from {table.sql} as r")
    names = [value for (value,) in rows]
    if None in names:
        raise InputError(f"the column {compared} is NULL in some rows: name the run of each row")
    if not names:
        raise InputError("the runs have no rows: check the query or file that they come from")
    return sorted(map(str, names))


def _weights(state: Session, weights: Any, names: Iterable[str], compared: str) -> str:
    """Return SQL of the table of weights. Raises InputError unless it names each run, and no other."""
    table = bind_weights(state, weights, compared)
    name = f"cast(w.{DUCKDB.identifier(compared)} as varchar)"
    given = [row for (row,) in state.rows(f"select {name} from {table.sql} as w")]
    lacking = sorted({*names} - {*given})
    if lacking:
        raise InputError(f"the weights lack the run {lacking[0]!r}: give each of {', '.join(names)} a weight")
    unknown = sorted({str(row) for row in given} - {*names})
    if unknown:
        raise InputError(f"the weights name {unknown[0]!r}, which is not one of the runs: {', '.join(names)}")
    return table.sql


def _check(state: Session, table: Table, names: Sequence[str], keys: tuple[str, ...]) -> list[str]:
    """Raise InputError for runs that cannot be fused, and return warnings."""
    quick_check_run(state.con, "the runs", table, keys, find_duplicates=False)
    if len(names) < 2:
        return [f"there is only one run, {names[0]!r}: fusion changes its scores, but hardly its ranking"]
    context = {"relation": table.sql, "system": DUCKDB.identifier(keys[0]), "runs": len(names), "sample": _SAMPLE}
    query = render_template("building/fused_queries.sql", **context)
    ((partial, queries, first),) = state.rows(query)
    query = render_template("building/fused_alone.sql", **context, whole=False)
    alone = state.rows(query)
    if alone:
        alone = state.rows(render_template("building/fused_alone.sql", **context, whole=True))
    for name, ids, others in alone:
        raise InputError(
            f"the run {str(name)!r} has no document of a query in common with the others: its document ids are like "
            f"{ids!r}, theirs like {others!r}. Make the ids of queries and documents equal; pass check=False if the "
            "runs search different collections"
        )
    forms = [*unicode_forms(state.con, table), *notes_on_run(state.con, table, keys)]
    if not partial:
        return forms
    return [
        *forms,
        f"{partial} of {queries} queries are in only some of the runs, such as {first}: they are fused from those",
    ]
