"""Judgments without grades: what is said of columns that may hold grades."""

import duckdb

from ltr_sql.inputs.binding import Bound
from ltr_sql.inputs.tables import Table, is_number, listed_names
from ltr_sql.rendering.dialects import DUCKDB

# Most different texts that are grades.
_MOST_GRADES = 20


def note_on_implicit_relevance(con: duckdb.DuckDBPyConnection, bound: Bound) -> list[str]:
    """Return a text about columns that may hold grades, if the judgments have no column relevance."""
    if bound.qrels is None:
        return []
    unread = [
        name
        for name in bound.qrels.maybe_grades
        if name not in bound.keys and (is_number(bound.qrels.columns[name]) or _are_few_words(con, bound.qrels, name))
    ]
    if not unread:
        return []
    return [
        "the judgments have no column relevance, so each row counts as a relevant document. If "
        f"{listed_names(unread)}{'' if len(unread) == 1 else ' or one of these'} holds grades, pass "
        f"qrels_columns={{{unread[0]!r}: 'relevance'}}"
    ]


def _are_few_words(con: duckdb.DuckDBPyConnection, table: Table, name: str) -> bool:
    """Return whether a column of texts may hold grades: it has a few different values, and no lists in JSON."""
    text = f"cast(t.{DUCKDB.identifier(name)} as varchar)"
    ((different, lists),) = con.execute(
        f"select count(distinct {text}), count(*) filter (where left({text}, 1) in ('[', '{{')) from {table.sql} as t"
    ).fetchall()
    return bool(1 < different <= _MOST_GRADES and not lists)
