"""How a run is joined with its judgments: documents that come again, unjudged documents, and the queries that count."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.tables import Keys, Table
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.renderer import Renderer


@dataclass(frozen=True)
class Joining:
    """The options of `catalogue.options.Reading` about the join of a run with its judgments.

    - `duplicates`, `unjudged`: options of `sql/relations/judge.sql`.
    - `asked`: the queries that were asked, with query_id and perhaps grouping columns; None for the judged queries.
    """

    duplicates: str = "error"
    unjudged: str = "drop"
    asked: Table | None = None

    @property
    def options(self) -> dict[str, str | None]:
        """The options of the relation `judge`."""
        asked = None if self.asked is None else self.asked.sql
        return {"duplicates": self.duplicates, "unjudged": self.unjudged, "asked": asked}

    @property
    def shortens(self) -> bool:
        """True if lists lose rows, or ranks."""
        return self.duplicates != "error" or self.unjudged == "remove"

    def asked_keys(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Return the grouping columns that the queries that were asked have, too."""
        return () if self.asked is None else tuple(key for key in keys if key in self.asked.columns)

    @property
    def ignored(self) -> set[str]:
        """The findings, by code, that do not concern a join with these options."""
        repeated = {"duplicate_documents", "mixed_systems"} if self.duplicates != "error" else set()
        return repeated | ({"queries_not_run", "queries_not_judged"} if self.asked is not None else set())


USUAL = Joining()


def check_asked(rows: Callable[[str], list[Any]], asked: Table) -> None:
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
