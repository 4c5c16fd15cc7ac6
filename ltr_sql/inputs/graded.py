"""Tables with numbers instead of texts, and judgments with one grade for each document."""

from collections.abc import Mapping
from dataclasses import replace

from ltr_sql.errors import InputError
from ltr_sql.inputs.tables import IDS, NUMBERS, Rows, Table
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import string
from ltr_sql.rendering.findings import words_of
from ltr_sql.rendering.renderer import Renderer

_MOST_TEXTS = 20


def has_texts(table: Table) -> bool:
    """Return whether a table has a column relevance of texts."""
    return table.columns.get("relevance", "").startswith(("VARCHAR", "ENUM", "STRING"))


def refuse_other_texts(rows: Rows, table: Table, grades: Mapping[str, float]) -> None:
    """Raise InputError for texts that are neither numbers nor in `grades`. `rows` returns the rows of a query."""
    text = "cast(t.relevance as varchar)"
    known = f" and {text} not in ({', '.join(map(string, grades))})" if grades else ""
    unknown = rows(
        f"select {text}, count(*) from {table.sql} as t where t.relevance is not null{known} "
        f"and try_cast({text} as double) is null group by {text} order by count(*) desc, {text} asc"
    )
    if unknown:
        shown = ", ".join(f"{name!r} ({number:,})" for name, number in unknown[:_MOST_TEXTS])
        more = f" and {len(unknown) - _MOST_TEXTS} more" if len(unknown) > _MOST_TEXTS else ""
        given = f"; grades has {', '.join(grades)}" if grades else ": pass their numbers as grades"
        raise InputError(
            "relevance holds texts that are neither numbers nor in grades: give each of them a grade, or correct it; "
            f"the texts and their numbers of rows are {shown}{more}{given}"
        )


def with_grades(table: Table, grades: Mapping[str, float]) -> Table:
    """Return a table with numbers instead of texts in relevance. Its query refuses texts without a grade."""
    others = _others(table)
    query = Renderer(NamedColumns((), table.dialect), table.dialect).graded(table.sql, others, grades)
    return _read(table, query, {**{name: table.columns[name] for name in others}, "relevance": "DOUBLE"})


def with_highest_grades(table: Table) -> Table:
    """Return judgments with the highest grade of each document and query."""
    if not {"query_id", "doc_id", "relevance"} <= table.columns.keys():
        # Other checks refuse the table.
        return table
    others = _others(table)
    query = Renderer(NamedColumns((), table.dialect), table.dialect).highest_judgments(table.sql, others)
    return _read(table, query, {name: table.columns[name] for name in (*others, "relevance")})


def with_numbers(table: Table) -> Table:
    """Return a table of another engine with numbers instead of texts and truth values. Its query refuses other texts.

    Engines differ in the texts that they cast to numbers: some read 0x10, and some 4d.
    """
    texts = [name for name in NUMBERS if name in table.columns and table.kind(name) == "text"]
    if not texts:
        return table
    others = [name for name in table.columns if name not in texts]
    truths = [name for name in texts if table.columns[name] == "BOOLEAN"]
    what, what_to_do = words_of("no_numbers")
    query = Renderer(NamedColumns((), table.dialect), table.dialect).template(
        "rendering/numbers_of_texts.sql",
        relation=table.sql,
        others=[table.dialect.identifier(name) for name in others],
        truths=truths,
        texts=[name for name in texts if name not in truths],
        ids=[name for name in IDS if name in others],
        before=f"{what}:",
        after=f". What to do: {what_to_do}",
    )
    return _read(table, query, {**{name: table.columns[name] for name in others}, **dict.fromkeys(texts, "DOUBLE")})


def _others(table: Table) -> list[str]:
    return [name for name in table.columns if name != "relevance"]


def _read(table: Table, query: str, columns: Mapping[str, str]) -> Table:
    return replace(table, sql=f"(\n{query}\n)", columns=columns, stored=False, positions="", queries="")
