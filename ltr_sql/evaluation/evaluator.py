"""Evaluate many runs against judgments that are read only once."""

import os
import threading
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakSet

import duckdb

from ltr_sql.catalogue.measure_strings import resolve_options
from ltr_sql.errors import InputError, InputWarning
from ltr_sql.evaluation.accuracy import bind_with_gains, result_and_warnings, stored_in
from ltr_sql.evaluation.evaluate import weighted_means
from ltr_sql.evaluation.kept_documents import KeptDocuments, can_keep
from ltr_sql.evaluation.options import EvaluationOptions
from ltr_sql.inputs.connection import INTERRUPTIONS, data_frame, input_error, own_names
from ltr_sql.inputs.gains import measures_with_gains, read_gains
from ltr_sql.inputs.labels import labelled_documents, with_scores
from ltr_sql.inputs.session import Session, checked_renames, without_its_tables
from ltr_sql.inputs.tables import IDS, Table
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.renderer import Renderer
from ltr_sql.validation.checks import refuse_invalid_judgments


class Evaluator:
    """Evaluate many runs against one set of judgments, such as the epochs of a training loop.

    The judgments are read and checked once.

    - `measures`, `qrels`, `keys`, `convention`, `ties`, `missing`, `gains`, `check`: see `evaluate`.
    - `weights`: weights of queries for weighted means; see `evaluate`. Values by query take no weights.
    - `columns`: maps your column names to ours; see `evaluate`. The documents of earlier runs are then not reused.

    Threads may share an evaluator. An unpickled copy reads `qrels` again. After a fork, both processes do so at their
    next evaluation. To free memory early, use the evaluator as a context manager, or call `close()`.

    Raises MeasureError for an invalid measure or an unknown convention. Raises InputError for judgments that are
    invalid or cannot be read.
    """

    def __init__(
        self,
        measures: Iterable[str],
        qrels: Any,
        *,
        keys: Sequence[str] = (),
        convention: str | None = None,
        ties: str | None = None,
        missing: str | None = None,
        gains: Any = None,
        weights: Any = None,
        check: bool = True,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        self._inputs = {
            "measures": measures if isinstance(measures, str) else list(measures),
            # Copy a DuckDB relation, because other processes cannot use its connection.
            "qrels": qrels.df() if isinstance(qrels, duckdb.DuckDBPyRelation) else qrels,
            "keys": keys if isinstance(keys, str) else tuple(keys),
            "convention": convention,
            "ties": ties,
            "missing": missing,
            "gains": gains,
            "weights": weights.df() if isinstance(weights, duckdb.DuckDBPyRelation) else weights,
            "check": check,
            "columns": columns,
        }
        self._documents: dict[str, Any] | None = None
        self._prepare()

    @classmethod
    def from_labels(
        cls,
        measures: Iterable[str],
        labels: Any,
        group: Any,
        *,
        convention: str | None = None,
        ties: str | None = None,
        gains: Any = None,
        check: bool = True,
    ) -> "Evaluator":
        """Return an evaluator for labels and groups in the form of LightGBM and XGBoost.

        - `labels`: an array or sequence with one grade per document.
        - `group`: the number of documents of each query, in the order of `labels`; or one query id per document.
        - `measures`, `convention`, `ties`, `gains`, `check`: see `evaluate`.

        The columns doc_id and row_order hold the position of each document in `labels`, from 0. The method `evaluate`
        of this evaluator takes an array with one score per document.

        Raises MeasureError for an invalid measure or an unknown convention. Raises InputError for invalid labels or
        groups.
        """
        documents = labelled_documents(labels, group)
        evaluator = cls(measures, documents, convention=convention, ties=ties, gains=gains, check=check)
        evaluator._documents = documents
        return evaluator

    def evaluate(self, run: Any, by_query: bool = False) -> Any:
        """Return the measures of a run as a data frame.

        - `run`: see `rankings` of `ltr_sql.evaluate`. For an evaluator from labels, an array with one score per
          document.
        - `by_query`: true for one row per query; by default means over queries.

        Warnings, errors and the data frame library are those of `ltr_sql.evaluate`. Raises InputError if the evaluator
        is closed.
        """
        try:
            frame, texts = self._evaluated(run, by_query)
        except INTERRUPTIONS:
            raise
        except duckdb.Error as error:
            raise input_error(error) from error
        for text in texts:
            warnings.warn(text, InputWarning, stacklevel=2)
        return frame

    def close(self) -> None:
        """Free the judgments. Later calls of `evaluate` raise InputError."""
        self._closed = True
        self.forget()

    def forget(self) -> None:
        """Close the database. The next evaluation opens a new database and reads the judgments again."""
        self._judgments: _Judgments | None = None

    def __enter__(self) -> "Evaluator":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"_inputs": self._inputs, "_documents": self._documents}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def _prepare(self) -> None:
        """Parse the options and read the judgments."""
        given = self._inputs
        measures, ties, missing = resolve_options(
            given["measures"], given["convention"], given["ties"], given["missing"]
        )
        gains = None if given["gains"] is None else read_gains(given["gains"])
        if gains is not None:
            measures = tuple(measures_with_gains(measures))
        options = EvaluationOptions(measures, ties, missing, gains, given["keys"], check=given["check"])
        self._options = options.with_one_rule
        self._renames = checked_renames(given["columns"])
        self._closed = False
        self._lock = threading.Lock()
        self.forget()
        self._opened()
        _evaluators.add(self)

    def _opened(self) -> "_Judgments":
        with self._lock:
            if self._closed:
                raise InputError("the evaluator is closed: make a new one")
            if self._judgments is None:
                self._judgments = _Judgments(self._inputs["qrels"], self._options, self._renames)
            return self._judgments

    def _evaluated(self, run: Any, by_query: bool) -> tuple[Any, list[str]]:
        judgments, options = self._opened(), replace(self._options, by_query=by_query)
        con, kept = judgments.of_thread()
        weights = None if by_query else self._inputs["weights"]
        if weights is not None or self._renames:
            kept = None
        labelled = None if self._documents is None else with_scores(self._documents, run)
        if kept is not None:
            found = kept.result_of_labelled(labelled["score"], by_query) if labelled else kept.result(run, by_query)
            if found is not None:
                return found, []
        with without_its_tables(Session(con, own=True, renames=self._renames, names=own_names())) as state:
            table = state.register(labelled) if labelled else state.bind(run, "run").in_row_order(*options.every_ties)
            if weights is not None:
                return self._weighted(state, table, judgments.table, weights)
            bound = bind_with_gains(state, table, judgments.table, options)
            found, texts = result_and_warnings(state, bound, options, data_frame)
            if kept is not None and not texts:
                if labelled:
                    kept.keep_labelled(table, len(labelled["score"]))
                else:
                    kept.remember(run, table)
            return found, texts

    def _weighted(self, state: Session, run: Table, judgments: Table, weights: Any) -> tuple[Any, list[str]]:
        """Return the weighted means of a run, and warnings."""
        options = replace(self._options, by_query=True)
        bound = bind_with_gains(state, run, judgments, options)
        values, texts = result_and_warnings(state, bound, options, stored_in(state))
        query, more = weighted_means(state, options.measures, values, weights, run)
        return data_frame(state.con, query, state.frame), [*texts, *more]


class _Judgments:
    """Judgments in a separate in-memory database, with a connection for each thread."""

    def __init__(self, qrels: Any, options: EvaluationOptions, renames: Mapping[str, str]) -> None:
        self._options = options
        self._local = threading.local()
        self._con = duckdb.connect()
        with without_its_tables(Session(self._con, own=True, renames=renames)) as state:
            read = state.bind(qrels, "qrels")
            read.require("the judgments", *IDS, "relevance")
            names = dict.fromkeys((*IDS, "relevance", "subtopic", *options.keys))
            columns = {name: read.columns[name] for name in names if name in read.columns}
            selected = ", ".join(map(DUCKDB.identifier, columns))
            self._con.execute(f"create table judgments as select {selected} from {read.sql}")
        self.table = Table("judgments", columns, subtopics_vary=read.subtopics_vary)
        self._keeps = False
        if options.check and refuse_invalid_judgments(self._con, self.table):
            return
        counted = Renderer(NamedColumns((), DUCKDB)).template(
            "inputs/judged_queries.sql",
            relations={"qrels": self.table.sql},
            missing="zero",
            segments={},
            counted="",
        )
        self._con.execute(f"create table judged_queries as {counted}")
        self.table = replace(self.table, queries="judged_queries")
        ((nulls,),) = self._con.execute("select count(*) - count(relevance) from judgments").fetchall()
        self._keeps = can_keep(options) and "subtopic" not in columns and not nulls

    def of_thread(self) -> tuple[duckdb.DuckDBPyConnection, KeptDocuments | None]:
        """Return the connection of the current thread, and its kept documents, or None if they cannot be kept."""
        found: tuple[duckdb.DuckDBPyConnection, KeptDocuments | None] | None = getattr(self._local, "found", None)
        if found is None:
            con = self._con.cursor()
            kept = KeptDocuments(con, self.table, self._options) if self._keeps else None
            found = self._local.found = (con, kept)
        return found


_evaluators: WeakSet[Evaluator] = WeakSet()


def _forget_all() -> None:
    for evaluator in [*_evaluators]:
        evaluator.forget()


if hasattr(os, "register_at_fork"):
    # Close the databases before a fork. Their threads do not exist in the forked process, so it could neither use nor
    # close them.
    os.register_at_fork(before=_forget_all)
