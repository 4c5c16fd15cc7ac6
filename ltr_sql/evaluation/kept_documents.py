"""Evaluate runs that have the documents of an earlier run, such as the epochs of a training loop.

Only their scores are new. Numpy arrays keep the results that depend on documents and judgments alone: the join of both,
the order of tied documents, and the ideal ranking. Queries are numbered, because DuckDB sorts numbers faster than text.
"""

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any

import duckdb

from ltr_sql.evaluation.options import EvaluationOptions
from ltr_sql.inputs.connection import data_frame
from ltr_sql.inputs.containers import column_names, library_of
from ltr_sql.inputs.tables import IDS, Table
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.measure_columns import Guard, JudgedRun
from ltr_sql.rendering.renderer import Renderer, result_columns
from ltr_sql.rendering.templates import SqlValue, suffix_of

# A training loop evaluates only a few data sets. Each row takes about 50 bytes.
_MOST_RUNS = 8
_MOST_ROWS = 2_000_000
_INTEGERS = {"BIGINT", "INTEGER", "SMALLINT", "TINYINT"}
# numpy types whose values a double holds exactly.
_DOUBLES = ("float64", "float32", "int32", "int16", "int8")


def can_keep(options: EvaluationOptions) -> bool:
    """Return whether the documents of runs can be kept."""
    by_subtopic = any(measure.definition.by_subtopic for measure in options.measures)
    unsupported = (
        options.keys or options.gains is not None or by_subtopic or options.ties == "expected" or options.has_rules
    )
    return options.check and not unsupported


@dataclass
class _Run:
    """A run whose documents are remembered.

    - `name`: name of the registered arrays, and prefix of other names.
    - `columns`: names of its columns; `ids`: the columns that identify its documents.
    - `scores`: array that the prepared statements read, with the scores of the run first. None until a second run has
      these documents; then never another array, because a statement reads the array of its preparation.
    - `statements`: names of the prepared statements; the key is true for one row per query.
    """

    name: str
    columns: list[str]
    ids: list[Any]
    scores: Any = None
    statements: dict[bool, str] = field(default_factory=dict)


@dataclass
class KeptDocuments:
    """The documents of the most recent runs of one connection.

    - `judgments`: valid judgments without NULL.
    - `options`: the measures and options, for which `can_keep` must be true.
    """

    con: duckdb.DuckDBPyConnection
    judgments: Table
    options: EvaluationOptions
    _runs: list[_Run] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)

    def result(self, run: Any, by_query: bool) -> Any:
        """Return the measures of a data frame, or None if its documents are not kept or a score is invalid."""
        kept = self._run_of(run)
        if kept is None:
            return None
        return self._values(kept, run["score"].to_numpy(), by_query, _library(run))

    def result_of_labelled(self, scores: Any, by_query: bool) -> Any:
        """Return the measures of the documents of `keep_labelled`, or None if none are kept or a score is invalid."""
        return self._values(self._runs[0], scores, by_query, "pandas") if self._runs else None

    def remember(self, run: Any, table: Table) -> None:
        """Remember the documents of a valid run. Keep them in arrays if an earlier run had equal documents.

        - `run`: the data frame that the caller passed.
        - `table`: the run as bound in the session.
        """
        if not self._can_keep(run, table):
            return
        kept = self._run_of(run)
        if kept is not None:
            if kept.scores is None:
                self._keep(kept, table)
            return
        if len(self._runs) == _MOST_RUNS:
            self._forget(self._runs.pop(0))
        self._runs.append(_Run(f"__ltr_kept_{next(self._numbers)}", column_names(run), [*map(_copy, self._ids(run))]))

    def keep_labelled(self, table: Table, rows: int) -> None:
        """Keep the documents of a valid run of an evaluator from labels. All its runs have these documents.

        `rows` is the number of rows.
        """
        if not self._runs and rows <= _MOST_RUNS * _MOST_ROWS:
            self._runs.append(_Run("__ltr_kept", [], []))
            self._keep(self._runs[0], table)

    def _run_of(self, run: Any) -> _Run | None:
        """Return the remembered run with the columns and documents of a data frame, or None."""
        if not _library(run):
            return None
        columns = column_names(run)
        for number, kept in enumerate(self._runs):
            if columns == kept.columns and all(map(_equal, kept.ids, self._ids(run))):
                # Keep the runs ordered by their last use.
                self._runs.append(self._runs.pop(number))
                return kept
        return None

    def _ids(self, run: Any) -> list[Any]:
        """Return the columns of a data frame that identify its documents and break ties."""
        columns = [run[name] for name in self._names if name in column_names(run)]
        return [column.array for column in columns] if _library(run) == "pandas" else columns

    @property
    def _names(self) -> list[str]:
        return [*IDS, *(["row_order"] if self.options.ties == "row_order" else [])]

    def _can_keep(self, run: Any, table: Table) -> bool:
        """Return whether arrays can hold the documents of a run."""
        return (
            bool(_library(run))
            and len(run) <= _MOST_ROWS
            and {*IDS, "score"} <= {*column_names(run)}
            and "rank" not in table.columns
            and all(table.columns[name] == self.judgments.columns[name] for name in IDS)
            and all(map(_can_be_kept, self._ids(run), map(table.columns.__getitem__, self._names)))
        )

    def _keep(self, kept: _Run, run: Table) -> None:
        import numpy as np  # noqa: PLC0415  (slow to load)

        queries = f"{kept.name}_queries"
        self.con.register(queries, self._arrays("numbered_queries", run, self.judgments.queries))
        arrays = self._arrays("kept_documents", run, queries)
        kept.scores = np.full(len(arrays["query_id"]), -np.inf)
        self.con.register(kept.name, {**arrays, "score": kept.scores})

    def _arrays(self, template: str, run: Table, queries: str) -> dict[str, Any]:
        """Return the columns of a query as arrays. DuckDB reads NaN as NULL."""
        import numpy as np  # noqa: PLC0415  (slow to load)

        query = self._render(template, run=run.sql, qrels=self.judgments.sql, queries=queries, counts=self._counts)
        columns: dict[str, Any] = self.con.execute(query).fetchnumpy()
        return {
            name: np.ma.filled(array.astype(float), np.nan) if hasattr(array, "mask") else array
            for name, array in columns.items()
        }

    def _values(self, kept: _Run, scores: Any, by_query: bool, library: str) -> Any:
        import numpy as np  # noqa: PLC0415  (slow to load)

        if kept.scores is None or scores.dtype not in _DOUBLES or not np.isfinite(scores).all():
            return None
        kept.scores[: len(scores)] = scores
        if by_query not in kept.statements:
            kept.statements[by_query] = f"{kept.name}_{'values' if by_query else 'means'}"
            self.con.execute(f"prepare {kept.statements[by_query]} as {self._query(kept.name, by_query)}")
        return data_frame(self.con, f"execute {kept.statements[by_query]}", library)

    def _query(self, name: str, by_query: bool) -> str:
        """Return the query that computes the measures from the arrays with this name."""
        so_far = self._renderer.vocabulary["relevant_in_stored_order"]
        windows = {name: so_far(rel, name) for name, rel in self._counts.items()}
        further = ("ideal_rank", *self._counts)
        ranking = self._render("kept_ranking", documents=name, further_columns=further)
        source = JudgedRun(
            f"(\n{ranking}\n)",
            queries=f"select q.query_id from {name}_queries as q",
            integers=frozenset({"rank", "relevance", "num_ret"}),
            guard=Guard(distinct_ranks=True),
            has_num_ret=True,
            only_judged=True,
            windows={"__ltr_ideal_rank": "r.ideal_rank", **windows},
            further_columns=further,
        )
        columns = result_columns(self.options.measures, DUCKDB)
        query = self._renderer.query(columns, source, averaged=not by_query)
        if by_query:
            return self._render("named_queries", values=query, queries=f"{name}_queries")
        return self._renderer.averages(columns, query, ())

    @cached_property
    def _counts(self) -> dict[str, SqlValue]:
        """Return the smallest relevant grade of each window that counts relevant documents in rank order, by name.

        The kept rows are in this order, so these windows need no sort.
        """
        columns = result_columns(self.options.measures, DUCKDB)
        if {column.definition.row_source.name for column in columns} != {"documents"}:
            # DuckDB materialises a relation that several row sources read, and may change the order of its rows.
            return {}
        read, _ = self._renderer.expressions(columns)
        grades = {column.values["rel"] for column in columns if "rel" in column.values}
        return {name: rel for rel in grades if (name := f"__ltr_relevant_so_far{suffix_of(rel)}") in read}

    def _render(self, template: str, **context: Any) -> str:
        options = {"ties": self.options.ties, "missing": self.options.missing}
        return self._renderer.template(f"evaluation/{template}.sql", **options, **context)

    @property
    def _renderer(self) -> Renderer:
        return Renderer(NamedColumns((), DUCKDB, exact=()), DUCKDB.with_windows)

    def _forget(self, kept: _Run) -> None:
        for statement in kept.statements.values():
            self.con.execute(f"deallocate {statement}")
        if kept.scores is not None:
            for name in (kept.name, f"{kept.name}_queries"):
                self.con.unregister(name)


def _library(run: Any) -> str:
    """Return the library of a data frame, or an empty string for other inputs."""
    return library_of(run) if type(run).__name__ in ("DataFrame", "Table") else ""


def _copy(column: Any) -> Any:
    """Return a column in memory of its own. Text of Arrow may share memory with bytes that the caller changes."""
    return pickle.loads(pickle.dumps(column))


def _equal(column: Any, other: Any) -> bool:
    return type(column) is type(other) and bool(column.equals(other))


def _can_be_kept(column: Any, kind: str) -> bool:
    """Return whether a column is safe to remember: its values cannot change, and equal ids have equal texts.

    `kind` is its type in DuckDB. Equal Python objects may have different texts, such as 1 and True. Numbers in Arrow
    may share memory with an array that the caller changes.
    """
    numpy_type = str(column.dtype) if type(column).__name__ == "NumpyExtensionArray" else None
    if numpy_type != "object":
        return kind == "VARCHAR" or (kind in _INTEGERS and numpy_type is not None)
    from pandas.api.types import infer_dtype  # noqa: PLC0415  (slow to load)

    return infer_dtype(column.to_numpy(), skipna=False) == "string"
