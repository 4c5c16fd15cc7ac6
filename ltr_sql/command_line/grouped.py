"""The tables of `worst` and `explain` for people: a block of lines for each query, and grades as they were written."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from ltr_sql.command_line.formats import table_text
from ltr_sql.command_line.terminal import bold

# Columns of grades, which are whole numbers more often than not.
_GRADES = ("relevance", "ideal_relevance")


def with_whole_grades(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return rows whose grades without a fraction are integers."""
    grades = {i for i, name in enumerate(names) if name in _GRADES}
    whole = all(row[i] is None or float(row[i]).is_integer() for row in rows for i in grades)
    return [[int(v) if whole and i in grades and v is not None else v for i, v in enumerate(row)] for row in rows]


def by_query(
    names: Sequence[str], rows: Sequence[Sequence[Any]], heads: Mapping[str, str], spare: Sequence[str] = ()
) -> str:
    """Return the rows of each query as a table below a line about the query.

    - `heads`: the columns of that line, in its order, and what stands before each value.
    - `spare`: columns that a narrow terminal leaves out; see `table_text`.
    """
    of_head = {name: names.index(name) for name in heads if name in names}
    others = [i for i, name in enumerate(names) if name not in of_head]
    whole = with_whole_grades(names, rows)
    blocks = []
    for key, group in groupby(whole, key=lambda row: [row[i] for i in of_head.values()]):
        line = "  ".join(f"{heads[name]}{_shown(value)}" for name, value in zip(of_head, key, strict=True))
        table = table_text([names[i] for i in others], [[row[i] for i in others] for row in group], spare=spare)
        blocks.append(f"{bold(line)}\n{table}")
    return "\n".join(blocks) or table_text(names, rows, spare=spare)


def _shown(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else "(none)" if value is None else str(value)
