"""Answers without documents: queries of a run that it has no rows for."""

from collections.abc import Callable
from typing import Any

from ltr_sql.inputs.tables import Table


def systems_without_documents(rows: Callable[[str], list[Any]], run: Table, column: str = "system") -> list[str]:
    """Return the systems that answered each query without a document. `column` names the systems.

    `rows` returns the rows of a query.
    """
    if run.unanswered is None or column not in run.columns:
        return []
    name = run.dialect.identifier(column)
    systems = f"select cast(s.{name} as varchar) from {run.distinct(column).sql} as s"
    return [name for (name,) in rows(f"{systems} except select cast(t.{name} as varchar) from {run.sql} as t")]
