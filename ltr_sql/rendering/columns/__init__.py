"""The SQL of the columns of the caller's relations: known by name in a query, or chosen by the call of a macro.

The templates in `sql/` call the methods of `Columns`. `NamedColumns` writes the names of the grouping columns.
`CallTimeColumns` packs query_id and the grouping columns of a call into one struct. Each module holds the methods
for one kind of relation.
"""

from dataclasses import dataclass

from ltr_sql.rendering.columns.judgments import CallTimeJudgments, JudgmentColumns, NamedJudgments
from ltr_sql.rendering.columns.keys import KeyColumns
from ltr_sql.rendering.columns.rankings import CallTimeRankings, NamedRankings, RankingColumns
from ltr_sql.rendering.columns.runs import RunColumns


class Columns(KeyColumns, RunColumns, JudgmentColumns, RankingColumns):
    """SQL fragments for the columns of relations. `row` is the alias of the relation that a fragment reads.

    - A definition is used in the first select over the caller's relation. It reads the caller's columns.
    - A reference is used in every later select. It reads the columns of a definition.
    - An output is used in the last select. It turns a reference into the caller's columns.
    """


@dataclass(frozen=True)
class NamedColumns(NamedJudgments, NamedRankings, Columns):
    """Grouping columns by name."""


@dataclass(frozen=True)
class CallTimeColumns(CallTimeJudgments, CallTimeRankings, Columns):
    """Grouping columns of a DuckDB macro. `keys` is the SQL of the list of names that the call passes."""
