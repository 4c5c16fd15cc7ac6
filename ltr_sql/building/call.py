"""Run a builder: bind the inputs of a call, render its query, and return a data frame of the caller's kind."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from ltr_sql.catalogue.functions import Builder, Procedure, builders
from ltr_sql.catalogue.parameters import one_of
from ltr_sql.errors import InputError
from ltr_sql.inputs.binding import require_run
from ltr_sql.inputs.connection import Result, data_frame, united
from ltr_sql.inputs.containers import is_dict_of_columns, is_dict_of_dicts
from ltr_sql.inputs.forms import ROLES
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Table, check_keys, has_texts, listed_names, refuse_other_texts, with_equal_ids
from ltr_sql.rendering.builders import builder_query, method_of, refuse_null
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.stages import stage
from ltr_sql.validation.checks import quick_check_run, unicode_forms
from ltr_sql.validation.suspicions import notes_on_run


@dataclass(frozen=True)
class Call:
    """The call of a builder.

    - `name`: the builder; `given`: the caller's table.
    - `options`: the methods and options of the builder by name. None means not set.
    - `reading`: how the tables are read; see `catalogue.options.Reading`.
    """

    name: str
    given: Any
    options: Mapping[str, Any]
    keys: Sequence[str] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)

    @property
    def builder(self) -> Builder:
        """The builder that is called."""
        return builders()[self.name]

    @property
    def methods(self) -> list[str]:
        """The names of the methods; empty for a builder without methods."""
        option = self.builder.option
        return [*self.options[option]] if self.builder.many else [self.options[option]] if option else []

    @property
    def read(self) -> Mapping[str, Any]:
        """How the tables are read, with the grouping columns: see `forms.input_form`."""
        return {**self.reading, "keys": self.keys}


def build(call: Call, con: duckdb.DuckDBPyConnection | None) -> Any:
    """Return the rows of a builder as a data frame: polars or pyarrow if such a table was passed in, otherwise pandas.

    Raises InputError for options and input that it cannot read. Warns with InputWarning of the findings of the result.
    """

    return with_warnings(con, lambda state: built(state, call, data_frame), call.read, stacklevel=5)


def built(state: Session, call: Call, result: Result) -> tuple[Any, list[str]]:
    """Return the rows of a builder, made by `result`, and the texts of warnings."""
    role = "run" if call.builder.inputs[0] in ("run", "runs") else "log"
    query, table = _query(state, call, role)
    stored = state.load(f"(\n{query}\n)")
    texts = [*unicode_forms(state.con, table), *_findings(state, call, stored)]
    if role == "run":
        texts += notes_on_run(state.con, table, [key for key in table.columns if key in ("system", *call.keys)])
    return result(state.con, f"from {stored.sql} order by all asc", state.frame), texts


def _query(state: Session, call: Call, role: str) -> tuple[str, Table]:
    """Bind the inputs of a call. Return its query and the caller's table."""
    builder, options = call.builder, call.options
    methods = [method_of(builder, name) for name in call.methods]
    refuse_null(builder, options)
    what = ROLES[role]
    table = _bind_ratings(state, call.given) if builder.inputs == ("judgments",) else state.bind(call.given, role)
    named = options.get("compared")
    if role == "run":
        require_run(what, table, "docid_desc")
        if named is not None and named not in table.columns:
            raise InputError(
                f"{what}: missing column {named}, which names the runs, got {listed_names(table.columns)}: add it, or "
                "pass several files or a dict of runs"
            )
    if builder.name == "group_documents" and ("score" not in table.columns or table.ranks_as_scores):
        _refuse_scores(builder, methods)
    reads = dict.fromkeys((*builder.columns, *(name for method in methods for name in method.fields.get("reads", ()))))
    table.require(f"{what} ({builder.name}{''.join(f', {name}' for name in call.methods)})", *reads)
    keys = tuple(key for key in check_keys(table, [key for key in call.keys if key != named], ()) if key != named)
    if role == "run" and named is None and "system" in table.columns:
        keys = tuple(dict.fromkeys(("system", *keys)))
    if not state.has_rows(table):
        raise InputError(f"{what} {'have' if what.endswith('s') else 'has'} no rows: check the source")
    if role == "run":
        if named is not None and table.columns[str(named)].startswith("ENUM"):
            # Cast values of an ENUM to text: in a list, DuckDB returns their integer codes.
            table = table.with_text(str(named))
        named_keys = keys if named is None else (str(named), *keys)
        quick_check_run(state.con, what, table, named_keys, find_duplicates=False)
    others = dict(_bound_options(state, call))
    if "qrels" in others:
        table, others["qrels"] = with_equal_ids(table, others["qrels"])
    for read in (table, *others.values()):
        if has_texts(read):
            refuse_other_texts(state.rows, read, {})
    stage(builder.name)
    query = builder_query(
        builder,
        call.methods,
        {builder.inputs[0]: table.sql, **{name: other.sql for name, other in others.items()}},
        options,
        columns=NamedColumns(keys, DUCKDB),
        has_rank="rank" in table.columns,
    )
    return query, table


# What messages call the options that are tables, and their columns.
_TABLES = {
    "qrels": ("the judgments", "query_id", "doc_id", "relevance"),
    "propensities": ("the propensities", "rank", "propensity"),
    "parents": ("parents", "chunk_id", "doc_id"),
}


def _bound_options(state: Session, call: Call) -> Iterator[tuple[str, Table]]:
    """Yield the options of a call that are tables, with their names."""
    for name, columns in _TABLES.items():
        if call.options.get(name) is not None:
            table = state.bind(call.options[name], "qrels" if name == "qrels" else "log")
            table.require(*columns)
            yield name, table


def _refuse_scores(builder: Builder, methods: Sequence[Procedure]) -> None:
    """Raise InputError for a method that reads scores, which the run lacks."""
    by_rank = [name for name, method in builder.methods.items() if "score" not in method.fields.get("reads", ())]
    for method in methods:
        if method.name not in by_rank:
            raise InputError(
                f"method={method.name!r} reads the scores of chunks, and the run has no column score: add it, or take "
                f"{one_of(map(repr, by_rank))}"
            )


def _bind_ratings(state: Session, given: Any) -> Table:
    """Bind ratings, from one table or from a dict of rater -> qrels."""
    if not isinstance(given, Mapping) or is_dict_of_columns(given):
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
    return state.table(united(state, raters, "rater"), stored=False)


def _findings(state: Session, call: Call, stored: Table) -> list[str]:
    """Return the findings in the rows of a result as texts."""
    if "chunks" in stored.columns:
        return _nothing_grouped(state, stored)
    if "finding" not in stored.columns:
        return []
    # A builder with one method has no column that names it.
    method = "estimator" if "estimator" in stored.columns else f"{string(call.methods[0])} as estimator"
    rows = state.rows(
        f"""
        select r.finding, string_agg(distinct r.estimator, ', ' order by r.estimator asc)
        from (select finding, {method} from {stored.sql}) as r
        where r.finding is not null
        group by r.finding
        order by r.finding asc
        """
    )
    return [f"{estimators}: {finding}" for finding, estimators in rows]


def _nothing_grouped(state: Session, documents: Table) -> list[str]:
    """Return a warning if each document of a grouped run has one chunk, and some ranking has several documents."""
    query = f"select coalesce(max(t.chunks) = 1 and max(t.rank) > 1, false) from {documents.sql} as t"
    if not state.rows(query)[0][0]:
        return []
    return [
        "no document has two chunks, so nothing was grouped. What to do: nothing if the run holds one chunk of each "
        "document. If doc_id holds ids of chunks, name their documents by parents=, a table of chunk_id and doc_id, or "
        "by parent=, a column of the run"
    ]
