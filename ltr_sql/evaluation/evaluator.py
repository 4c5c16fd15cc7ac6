"""Evaluate many runs against judgments that are read only once."""

import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack
from weakref import WeakSet

import duckdb

from ltr_sql.catalogue.measure_strings import resolve_options
from ltr_sql.catalogue.options import Reading, takes
from ltr_sql.errors import InputError, InputWarning, interruptible
from ltr_sql.evaluation.accuracy import bind, result_and_warnings, stored_in
from ltr_sql.evaluation.evaluate import means_of_values
from ltr_sql.evaluation.kept_documents import KeptDocuments, can_keep
from ltr_sql.evaluation.options import EvaluationOptions
from ltr_sql.forks import close_before_fork, not_while_forking
from ltr_sql.inputs.binding import rules_without_ids
from ltr_sql.inputs.connection import data_frame
from ltr_sql.inputs.forms import InputForm, input_form
from ltr_sql.inputs.gains import bind_weights, measures_with_gains, read_gains
from ltr_sql.inputs.labels import labelled_documents, with_scores
from ltr_sql.inputs.readers import is_readable_file
from ltr_sql.inputs.session import Session, explained, without_its_tables
from ltr_sql.inputs.tables import IDS, Table, TableCopy, copy_of
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.renderer import Renderer
from ltr_sql.validation.checks import refuse_invalid_judgments


class Evaluator:
    """Evaluate many runs against one set of judgments, such as the epochs of a training loop.

    The judgments are read and checked once.

    - `measures`, `qrels`, `keys`, `convention`, `ties`, `missing`, `gains`, `check`: see `evaluate`.
    - `weights`: weights of queries for weighted means; see `evaluate`. Values by query take no weights.
    - `columns`, `qrels_columns`, `ranks_from`: see `evaluate`. The documents of earlier runs are then not reused.

    Judgments, gains and weights are copied, so later changes of these arguments have no effect, not even on unpickled
    copies and after a fork. Threads may share an evaluator. To free memory early, use the evaluator as a context
    manager, or call `close()`.

    Raises MeasureError for an invalid measure or an unknown convention. Raises InputError for judgments that are
    invalid or cannot be read.
    """

    @takes(Reading)
    @interruptible()
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
        **reading: Unpack[Reading],
    ) -> None:
        self._given = (measures if isinstance(measures, str) else tuple(measures), convention, ties, missing)
        self._gains = None if gains is None else read_gains(gains)
        self._keys = keys if isinstance(keys, str) else tuple(keys)
        self._check = check
        self._form = input_form({**reading, "keys": self._keys, "convention": convention})
        if self._form.asked is not None:
            raise InputError("asked: an Evaluator evaluates the judged queries: pass asked to ltr_sql.evaluate")
        # The name of a column of each run, unless it is a file.
        self._weight_column = weights if isinstance(weights, str) and not is_readable_file(weights) else None
        self._documents: dict[str, Any] | None = None
        self._closed = False
        self._copies: dict[str, TableCopy] = {}
        self._read_options()
        tables = {"qrels": qrels, "weights": None if self._weight_column else weights}
        self._judgments: _Judgments | None = _Judgments(tables, self._options, self._form)
        with not_while_forking():
            _evaluators.add(self)

    @classmethod
    def from_labels(
        cls,
        measures: Iterable[str],
        labels: Any,
        group: Any = None,
        *,
        group_holds: str | None = None,
        convention: str | None = None,
        ties: str | None = None,
        gains: Any = None,
        weights: Any = None,
        check: bool = True,
    ) -> "Evaluator":
        """Return an evaluator for labels and groups in the form of LightGBM and XGBoost.

        - `labels`: an array, tensor or sequence with one grade per document; or a matrix, queries x documents, without
          `group`.
        - `group`: the number of documents of each query, in the order of `labels`; or one query id per document. A
          query of size 0 is evaluated as a ranking without documents.
        - `group_holds`: 'sizes' or 'query_ids'. Needed only if `group` fits both, such as [1, 1, 1] for three labels.
        - `weights`: weights of queries for weighted means. One number per query, in the order of the sizes, or of the
          first documents of the query ids; or a dict of query id -> weight. With sizes, the ids are 0, 1, ...
        - `measures`, `convention`, `ties`, `gains`, `check`: see `evaluate`.

        The columns doc_id and row_order hold the position of each document in `labels`, from 0. Without `ties`,
        measures that define the value of ties, such as AUC, do not read them. The method `evaluate` of this evaluator
        takes an array with one score per document.

        Raises MeasureError for an invalid measure or an unknown convention. Raises InputError for invalid labels or
        groups.
        """
        labelled = labelled_documents(labels, group, group_holds)
        evaluator = cls(
            measures,
            labelled.judgments(),
            convention=convention,
            ties=ties,
            # Runs hold all documents, so only queries of size 0 are missing.
            missing="zero" if labelled.has_empty_queries else None,
            gains=gains,
            weights=labelled.weights(weights),
            check=check,
        )
        options, evaluator._documents = evaluator._options, labelled.columns
        evaluator._read_options()
        if evaluator._options != options:
            # Open the database again with these options.
            evaluator.forget()
        return evaluator

    @interruptible()
    def evaluate(self, run: Any, by_query: bool = False) -> Any:
        """Return the measures of a run as a data frame.

        - `run`: see `rankings` of `ltr_sql.evaluate`. For an evaluator from labels, an array with one score per
          document.
        - `by_query`: true for one row per query; by default means over queries.

        Warnings, errors and the data frame library are those of `ltr_sql.evaluate`. Raises InputError if the evaluator
        is closed.
        """
        with explained():
            frame, texts = self._evaluated(run, by_query)
        for text in texts:
            warnings.warn(text, InputWarning, stacklevel=3)
        return frame

    def close(self) -> None:
        """Free the judgments. Later calls of `evaluate` raise InputError."""
        with not_while_forking():
            self._closed = True
            self._judgments = None
            self._copies = {}

    def forget(self) -> None:
        """Close the database. The next evaluation opens a new database with a copy of its tables."""
        with not_while_forking():
            self._copies = self._tables()
            self._judgments = None

    def __enter__(self) -> "Evaluator":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        with not_while_forking():
            return {**self.__dict__, "_copies": self._tables(), "_judgments": None, "_options": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._read_options()
        with not_while_forking():
            _evaluators.add(self)

    def _read_options(self) -> None:
        """Parse the measures and options."""
        measures, ties, missing = resolve_options(*self._given)
        if self._documents is not None and self._given[2] is None:
            measures = rules_without_ids(ties, measures)
        if self._gains is not None:
            measures = tuple(measures_with_gains(measures))
        options = EvaluationOptions(measures, ties, missing, self._gains, self._keys, check=self._check)
        self._options = options.with_one_rule

    def _tables(self) -> dict[str, TableCopy]:
        """Return copies of the tables of the database, unless it is closed."""
        # A database that was opened from copies has the same tables.
        if self._judgments is None or self._copies:
            return self._copies
        return self._judgments.copies()

    def _opened(self) -> "_Judgments":
        with not_while_forking():
            if self._closed:
                raise InputError("the evaluator is closed: make a new one")
            if self._judgments is None:
                self._judgments = _Judgments(self._copies, self._options, self._form)
            return self._judgments

    def _evaluated(self, run: Any, by_query: bool) -> tuple[Any, list[str]]:
        judgments = self._opened()
        con, kept = judgments.of_thread()
        weights = None if by_query else self._weight_column or judgments.weights
        options = replace(self._options, by_query=by_query or weights is not None)
        # No warning is needed of queries of size 0, which runs lack.
        reported = options if self._documents is None else replace(options, missing="skip")
        if weights is not None or self._form != InputForm():
            kept = None
        labelled = None if self._documents is None else with_scores(self._documents, run)
        if kept is not None:
            found = kept.result_of_labelled(labelled["score"], by_query) if labelled else kept.result(run, by_query)
            if found is not None:
                return found, []
        with without_its_tables(Session(con, own=True, form=self._form)) as state:
            table = state.register(labelled) if labelled else state.bind(run, "run").in_row_order(*options.every_ties)
            bound = bind(state, table, judgments.table, options)
            result = data_frame if weights is None else stored_in(state)
            found, texts = result_and_warnings(state, bound, reported, result)
            if weights is not None:
                query, more = means_of_values(state, options.measures, found, weights, table)
                found, texts = data_frame(state.con, query, state.frame), [*texts, *more]
            texts = [*state.taken_notes(), *texts]
            if kept is not None and not texts:
                if labelled:
                    kept.keep_labelled(table, len(labelled["score"]))
                else:
                    kept.remember(run, table)
            return found, texts


class _Judgments:
    """Judgments and weights of queries in a separate in-memory database, with a connection for each thread.

    `given` has the judgments as 'qrels', and 'weights' or None: tables of the caller, or copies of `copies`.
    """

    def __init__(self, given: Mapping[str, Any], options: EvaluationOptions, form: InputForm) -> None:
        self._options = options
        self._local = threading.local()
        self._con = duckdb.connect()
        with without_its_tables(Session(self._con, own=True, form=form)) as state:
            self.table = _stored(state, "judgments", given["qrels"], partial(_read_judgments, keys=options.keys))
            self.weights = None
            if given.get("weights") is not None:
                self.weights = _stored(state, "weights", given["weights"], partial(bind_weights, name="query_id"))
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
        self._keeps = can_keep(options) and "subtopic" not in self.table.columns

    def copies(self) -> dict[str, TableCopy]:
        """Return copies of the tables, from which another process can open this database."""
        with self._con.cursor() as con:
            tables = {"qrels": self.table, "weights": self.weights}
            return {name: copy_of(con, table) for name, table in tables.items() if table is not None}

    def of_thread(self) -> tuple[duckdb.DuckDBPyConnection, KeptDocuments | None]:
        """Return the connection of the current thread, and its kept documents, or None if they cannot be kept."""
        found: tuple[duckdb.DuckDBPyConnection, KeptDocuments | None] | None = getattr(self._local, "found", None)
        if found is None:
            with not_while_forking():
                con = self._con.cursor()
            kept = KeptDocuments(con, self.table, self._options) if self._keeps else None
            found = self._local.found = (con, kept)
        return found


def _read_judgments(state: Session, given: Any, keys: Iterable[str]) -> Table:
    """Bind the caller's judgments, with the columns that an evaluation reads."""
    read = state.bind(given, "qrels")
    read.require("the judgments", *IDS, "relevance")
    names = dict.fromkeys((*IDS, "relevance", "subtopic", *keys))
    return replace(read, columns={name: read.columns[name] for name in names if name in read.columns})


def _stored(state: Session, name: str, given: Any, read: Callable[[Session, Any], Table]) -> Table:
    """Store a table under this name. `read` binds it, unless it is a copy."""
    if isinstance(given, TableCopy):
        given.restore(state.con, name)
        return Table(name, given.types, subtopics_vary=given.subtopics_vary)
    table = read(state, given)
    selected = ", ".join(map(DUCKDB.identifier, table.columns))
    state.con.execute(f"create table {name} as select {selected} from {table.sql}")
    return Table(name, state.types(name), subtopics_vary=table.subtopics_vary)


_evaluators: WeakSet[Evaluator] = WeakSet()


def _forget_all() -> None:
    for evaluator in [*_evaluators]:
        evaluator.forget()


close_before_fork(_forget_all)
