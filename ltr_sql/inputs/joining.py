"""How a run is joined with its judgments: documents that come again, unjudged documents, and the queries that count."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ltr_sql.errors import InputError
from ltr_sql.inputs.tables import Keys, Rows, Table, with_equal_ids
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.renderer import Renderer
from ltr_sql.rendering.templates import render_template


@dataclass(frozen=True)
class Joining:
    """The options of `catalogue.options.Reading` about the join of a run with its judgments.

    - `duplicates`, `unjudged`: options of `sql/relations/judge.sql`.
    - `asked`: the queries that were asked, with query_id and perhaps grouping columns; None for the judged queries.
    - `answered`: the queries that count if `asked` is None and the run has answers without documents; see `answering`.
    """

    duplicates: str = "error"
    unjudged: str = "drop"
    asked: Table | None = None
    answered: Table | None = None

    @property
    def owed(self) -> Table | None:
        """The queries that count, or None if rows of the run and the judgments say which."""
        return self.answered if self.asked is None else self.asked

    @property
    def options(self) -> dict[str, str | None]:
        """The options of the relation `judge`."""
        return {
            "duplicates": self.duplicates,
            "unjudged": self.unjudged,
            "asked": None if self.owed is None else self.owed.sql,
        }

    def with_ids_like(self, run: Table, qrels: Table) -> "Joining":
        """Return a copy whose queries have ids of the type that run and judgments have, or as text."""
        return self if self.asked is None else replace(self, asked=with_equal_ids(self.asked, run, qrels)[0])

    @property
    def others(self) -> list[Table]:
        """The tables whose ids are compared with those of run and judgments."""
        return [] if self.asked is None else [self.asked]

    def answering(self, run: Table, qrels: Table, keys: Keys, missing: str) -> "Joining":
        """Return a copy for a run that may have answers without documents: an answer to a judged query counts.

        With `missing` 'zero', each system owes all judged queries.
        """
        if run.unanswered is None or self.asked is not None:
            return self
        systems = [*map(run.dialect.identifier, keys.of_run)]
        named = (*keys.of_run, "query_id") if missing == "skip" else keys.of_run
        sql = render_template(
            "inputs/answered_queries.sql",
            systems=systems,
            qrels=qrels.sql,
            answers=run.distinct(*named).sql if named else "",
            missing=missing,
        )
        columns = {name: run.columns[name] for name in (*keys.of_run, "query_id")}
        return replace(self, answered=Table(f"(\n{sql}\n)", columns))

    @property
    def shortens(self) -> bool:
        """True if lists lose rows, or ranks."""
        return self.duplicates != "error" or self.unjudged == "remove"

    def asked_keys(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Return the grouping columns that `owed` has."""
        return () if self.owed is None else tuple(key for key in keys if key in self.owed.columns)

    @property
    def ignored(self) -> set[str]:
        """The findings, by code, that do not concern a join with these options."""
        repeated = {"duplicate_documents", "mixed_systems"} if self.duplicates != "error" else set()
        return repeated | ({"queries_not_run", "queries_not_judged"} if self.asked is not None else set())


USUAL = Joining()


def check_asked(rows: Rows, asked: Table) -> None:
    """Raise InputError if no query was asked, or if one has no id. `rows` returns the rows of a query."""
    asked.require("the queries that were asked", "query_id")
    ((found, ids),) = rows(f"select count(*), count(t.query_id) from {asked.sql} as t")
    if found != ids:
        raise InputError(f"asked: {found - ids} rows have no query_id: fill in their ids, or leave the rows out")
    if not found:
        raise InputError("asked: no query was asked: check the query or file that the table comes from")


def counted_queries(renderer: Renderer, inputs: Mapping[str, str], keys: Keys, missing: str, counted: str) -> str:
    """Return the query of the queries that count: those that were asked, or the judged ones.

    `counted` is a relation with the numbers of judged and relevant documents of the judged queries, or empty.
    """
    dialect = renderer.dialect
    if "asked" in inputs:
        return Renderer(NamedColumns(keys.all, dialect), dialect).template("inputs/asked_queries.sql")
    segments = {
        f"__ltr_key_{number}": dialect.identifier(segment)
        for number, segment in enumerate(keys.segments, start=len(keys.of_run) + 1)
    }
    return renderer.template(
        "inputs/judged_queries.sql", relations=inputs, missing=missing, segments=segments, counted=counted
    )
