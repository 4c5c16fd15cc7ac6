"""The columns of judgments: what identifies them, what queries output of them, and segments.

The segments of judgments are their grouping columns. All judgments of a query name equal segments.
"""

from dataclasses import dataclass

from ltr_sql.rendering.columns.keys import NamedKeys, listed
from ltr_sql.rendering.columns.runs import SHARED, CallTimeRuns
from ltr_sql.rendering.columns.selected import typed_struct


@dataclass(frozen=True)
class NamedJudgments(NamedKeys):
    """Judgments whose columns are known.

    - `kept`: columns of the caller that a relation outputs, besides those that each judgment has.
    - `judged`: segments.
    """

    kept: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()

    def judgments_relation(self, relation: str, run: str) -> str:
        """Return judgments with the columns that `segments` reads."""
        return relation

    @property
    def _segment_names(self) -> list[str]:
        return [f"__ltr_segment_{number}" for number in range(1, len(self.judged) + 1)]

    def segments(self, row: str) -> str:
        """Reference the segments of judgments: their grouping columns. Empty if they have none."""
        return listed(row, map(self.dialect.identifier, self.judged))

    def segments_definition(self, row: str) -> str:
        """Define the segments of a query from its judgments, which all name equal segments."""
        segments = zip(self._segment_names, map(self.dialect.identifier, self.judged), strict=True)
        return ", ".join(f"min({row}.{column}) as {name}" for name, column in segments)

    def segments_of_query(self, row: str) -> str:
        """Reference the columns of `segments_definition`."""
        return listed(row, self._segment_names)

    def no_segments(self) -> str:
        """Define the columns of `segments_definition` as NULL."""
        return ", ".join(f"null as {name}" for name in self._segment_names)

    def any_segments(self, row: str) -> str:
        """Define the columns of `segments_definition` from rows that share them."""
        return ", ".join(f"min({row}.{name}) as {name}" for name in self._segment_names)

    def has_segments(self, struct: str) -> str:
        """True if a struct of segments has fields. The engine knows this when it plans the query."""
        return ""

    def judgment_definition(self, row: str) -> str:
        """Define the columns that identify a judgment: query_id, doc_id and, if the judgments have it, subtopic."""
        return self.judgment(row)

    def judgment(self, row: str) -> str:
        """Reference the columns that identify a judgment."""
        return listed(row, ["query_id", "doc_id", *(["subtopic"] if "subtopic" in self.kept else [])])

    def judgment_columns(self, row: str, other: str | None = None) -> str:
        """Output relevance and the other columns of judgments, except those that come from the run.

        Segments that `row` lacks are those of the row `other`.
        """
        columns = [f"{row}.relevance", *(f"{row}.{self.dialect.identifier(name)}" for name in self.kept)]
        for name, segment in zip(self._segment_names, map(self.dialect.identifier, self.judged), strict=True):
            value = f"coalesce({row}.{segment}, {other}.{name})" if other else f"{row}.{segment}"
            columns.append(f"{value} as {segment}")
        return ", ".join(columns)

    def _asked_segments(self) -> dict[str, str]:
        """Return the segments that the queries that were asked name, and their names inside a query."""
        named = zip(self.judged, self._segment_names, strict=True)
        return {segment: name for segment, name in named if segment in self.asked}

    def asked_segments(self, row: str) -> str:
        """Define the segments of a query that was asked, after its `run_key_definition`."""
        segments = self._asked_segments().items()
        return "".join(f",\n{row}.{self.dialect.identifier(segment)} as {name}" for segment, name in segments)

    def owed_segments(self, row: str) -> str:
        """Define the columns of `asked_segments` from rows of one query, before other columns."""
        return "".join(f"min({row}.{name}) as {name},\n" for name in self._asked_segments().values())

    def no_judgment_columns(self, row: str) -> str:
        """Output the columns of `judgment_columns` for a query without judgments, with its `owed_segments`."""
        columns = ["null as relevance", *(f"null as {self.dialect.identifier(name)}" for name in self.kept)]
        asked = self._asked_segments()
        for segment in self.judged:
            value = f"{row}.{asked[segment]}" if segment in asked else "null"
            columns.append(f"{value} as {self.dialect.identifier(segment)}")
        return ", ".join(columns)


@dataclass(frozen=True)
class CallTimeJudgments(CallTimeRuns):
    """Judgments of a DuckDB macro. One struct holds the segments."""

    def judgments_relation(self, relation: str, run: str) -> str:
        named = self.with_names_of(relation, run, "relevance")
        return (
            f"(select {self._keys('__ltr_one', 'true')} as __ltr_segments, "
            f"{self._keys('__ltr_one', SHARED)} as __ltr_shared, * from {named})"
        )

    def segments(self, row: str) -> str:
        return f"{row}.__ltr_segments"

    def segments_definition(self, row: str) -> str:
        return (
            f"min({row}.__ltr_segments) as __ltr_segments,\nmin({row}.__ltr_shared) as __ltr_shared,\n"
            f"count(distinct {row}.__ltr_segments) as num_segments"
        )

    def segments_of_query(self, row: str) -> str:
        return f"{row}.__ltr_segments"

    def no_segments(self) -> str:
        return "null as __ltr_segments"

    def any_segments(self, row: str) -> str:
        return f"min({row}.__ltr_segments) as __ltr_segments"

    def has_segments(self, struct: str) -> str:
        return f"typeof({struct}) <> typeof(struct_pack(__ltr_one := 0))"

    def judgment_definition(self, row: str) -> str:
        key = self._some_keys("doc_id", "relevance")
        return f"{key},\n{row}.query_id,\n{row}.doc_id,\n{typed_struct(['doc_id', 'subtopic'])} as __ltr_row"

    def judgment(self, row: str) -> str:
        return f"{row}.query_id, {row}.doc_id, {row}.__ltr_row.subtopic"

    def judgment_columns(self, row: str, other: str | None = None) -> str:
        given = "lower(c) in ('query_id', 'doc_id', 'rank', 'num_ret') or starts_with(c, '__ltr_')"
        if not other:
            return f"columns(lambda c: not ({given}))"
        others = f"columns(lambda c: not ({given} or coalesce(list_contains({self.keys}, c), false)))"
        return f"{others},\nunnest(coalesce({row}.__ltr_segments, {other}.__ltr_segments))"

    def asked_segments(self, row: str) -> str:
        return ""

    def owed_segments(self, row: str) -> str:
        return f"min({row}.__ltr_shared) as __ltr_shared,\n"

    def no_judgment_columns(self, row: str) -> str:
        return f"null as relevance,\nunnest({row}.__ltr_shared)"
