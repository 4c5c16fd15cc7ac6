"""The SQL of the columns of the caller's relations: known by name in a query, or chosen by the call of a macro.

The templates in `sql/` call the methods of `Columns`. `NamedColumns` writes the names of the grouping columns, and says
what each method is for. `CallTimeColumns` packs query_id and the grouping columns of a call into one struct. Each
module holds the methods for one kind of relation. `row` is the alias of the relation that a fragment reads.

- A definition is used in the first select over the caller's relation. It reads the caller's columns.
- A reference is used in every later select. It reads the columns of a definition.
- An output is used in the last select. It turns a reference into the caller's columns.
"""

from dataclasses import dataclass

from ltr_sql.rendering.columns.judgments import CallTimeJudgments, NamedJudgments
from ltr_sql.rendering.columns.rankings import CallTimeRankings, NamedRankings


@dataclass(frozen=True)
class NamedColumns(NamedJudgments, NamedRankings):
    """Grouping columns by name."""


@dataclass(frozen=True)
class CallTimeColumns(CallTimeJudgments, CallTimeRankings):
    """Grouping columns of a DuckDB macro. `keys` is the SQL of the list of names that the call passes."""


Columns = NamedColumns | CallTimeColumns
