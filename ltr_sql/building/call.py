"""Run a builder: bind the inputs of a call, render its query, and return a data frame of the caller's kind."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from ltr_sql.catalogue.functions import Builder, Procedure, builders
from ltr_sql.catalogue.parameters import Value, one_of
from ltr_sql.errors import InputError
from ltr_sql.inputs.binding import require_run
from ltr_sql.inputs.connection import Result, data_frame
from ltr_sql.inputs.forms import ROLES
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Table, check_keys, has_texts, listed_names, refuse_other_texts, with_equal_ids
from ltr_sql.rendering.builders import builder_query, method_of, refuse_null
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.stages import stage
from ltr_sql.validation.checks import quick_check_run, unicode_forms
from ltr_sql.validation.suspicions import notes_on_run

Bind = Callable[[Session, Any], Table]


@dataclass(frozen=True)
class Call:
    """The call of a builder.

    - `name`: the builder; `given`: the caller's table.
    - `methods`: the methods that the call names.
    - `tables`: the caller's tables by option; None if the option is not set.
    - `values`: the other options. None means not set.
    - `role`: role of the table, which says how files and dicts are read (see `ROLES`).
    - `reading`: how the tables are read; see `catalogue.options.Reading`.
    - `bind`: binds the caller's table, by default according to its role.
    """

    name: str
    given: Any
    methods: Sequence[str] = ()
    tables: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)
    keys: Sequence[str] = ()
    reading: Mapping[str, Any] | None = None
    role: str = "log"
    bind: Bind | None = None

    @property
    def read(self) -> Mapping[str, Any]:
        """How the tables are read, with the grouping columns: see `forms.input_form`."""
        return {**(self.reading or {}), "keys": self.keys}


def build(call: Call, con: duckdb.DuckDBPyConnection | None) -> Any:
    """Return the rows of a builder as a data frame: polars or pyarrow if such a table was passed in, otherwise pandas.

    Raises InputError for options and input that it cannot read. Warns with InputWarning of the findings of the result.
    """

    return with_warnings(con, lambda state: built(state, call, data_frame), call.read, stacklevel=5)


def built(state: Session, call: Call, result: Result) -> tuple[Any, list[str]]:
    """Return the rows of a builder, made by `result`, and the texts of warnings."""
    query, table = _query(state, call)
    stored = state.load(f"(\n{query}\n)")
    texts = [*unicode_forms(state.con, table), *_findings(state, call, stored)]
    if call.role == "run":
        texts += notes_on_run(state.con, table, [key for key in table.columns if key in ("system", *call.keys)])
    return result(state.con, f"from {stored.sql} order by all asc", state.frame), texts


def _query(state: Session, call: Call) -> tuple[str, Table]:
    """Bind the inputs of a call. Return its query and the caller's table."""
    builder = builders()[call.name]
    methods = [method_of(builder, name) for name in call.methods]
    refuse_null(builder, call.values)
    what = ROLES[call.role]
    table = call.bind(state, call.given) if call.bind else state.bind(call.given, call.role)
    named = call.values.get("compared")
    if call.role == "run":
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
    if call.role == "run" and named is None and "system" in table.columns:
        keys = tuple(dict.fromkeys(("system", *keys)))
    if not state.con.execute(f"select 1 from {table.sql} limit 1").fetchall():
        raise InputError(f"{what} {'have' if what.endswith('s') else 'has'} no rows: check the source")
    if call.role == "run":
        if named is not None and table.columns[str(named)].startswith("ENUM"):
            # Cast values of an ENUM to text: in a list, DuckDB returns their integer codes.
            table = table.with_text(str(named))
        named_keys = keys if named is None else (str(named), *keys)
        quick_check_run(state.con, what, table, named_keys, find_duplicates=False)
    others = {name: state.bind(given, _role(name)) for name, given in call.tables.items() if given is not None}
    if "qrels" in others:
        others["qrels"].require("the judgments", "query_id", "doc_id", "relevance")
        table, others["qrels"] = with_equal_ids(table, others["qrels"])
    if "propensities" in others:
        others["propensities"].require("the propensities", "rank", "propensity")
    if "parents" in others:
        others["parents"].require("parents", "chunk_id", "doc_id")
    for read in (table, *others.values()):
        if has_texts(read):
            refuse_other_texts(state.rows, read, {})
    stage(builder.name)
    query = builder_query(
        builder,
        list(call.methods),
        {builder.inputs[0]: table.sql, **{name: other.sql for name, other in others.items()}},
        call.values,
        columns=NamedColumns(keys, DUCKDB),
        has_rank="rank" in table.columns,
    )
    return query, table


def _refuse_scores(builder: Builder, methods: Sequence[Procedure]) -> None:
    """Raise InputError for a method that reads scores, which the run lacks."""
    by_rank = [name for name, method in builder.methods.items() if "score" not in method.fields.get("reads", ())]
    for method in methods:
        if method.name not in by_rank:
            raise InputError(
                f"method={method.name!r} reads the scores of chunks, and the run has no column score: add it, or take "
                f"{one_of(map(repr, by_rank))}"
            )


def _role(option: str) -> str:
    return "qrels" if option == "qrels" else "log"


def _findings(state: Session, call: Call, stored: Table) -> list[str]:
    """Return the findings in the rows of a result as texts."""
    if "chunks" in stored.columns:
        return _nothing_grouped(state, stored)
    if "finding" not in stored.columns:
        return []
    # A builder with one method has no column that names it.
    method = "estimator" if "estimator" in stored.columns else f"{string(call.methods[0])} as estimator"
    rows = state.con.execute(
        f"""
        select r.finding, string_agg(distinct r.estimator, ', ' order by r.estimator asc)
        from (select finding, {method} from {stored.sql}) as r
        where r.finding is not null
        group by r.finding
        order by r.finding asc
        """
    ).fetchall()
    return [f"{estimators}: {finding}" for finding, estimators in rows]


def _nothing_grouped(state: Session, documents: Table) -> list[str]:
    """Return a warning if each document of a grouped run has one chunk, and some ranking has several documents."""
    query = f"select coalesce(max(t.chunks) = 1 and max(t.rank) > 1, false) from {documents.sql} as t"
    if not state.con.execute(query).fetchall()[0][0]:
        return []
    return [
        "no document has two chunks, so nothing was grouped. What to do: nothing if the run holds one chunk of each "
        "document. If doc_id holds ids of chunks, name their documents by parents=, a table of chunk_id and doc_id, or "
        "by parent=, a column of the run"
    ]
