"""Numbers with more digits than a double, which rankings must not round."""

from dataclasses import replace

from ltr_sql.errors import InputError
from ltr_sql.inputs.tables import NUMBERS, Rows, Table
from ltr_sql.rendering.columns.runs import EXACT
from ltr_sql.rendering.dialects import DUCKDB, string

# Doubles represent all integers up to this one exactly.
LARGEST_EXACT = 2**53
# Integer types, the smallest first.
_INTEGERS = ("BIGINT", "HUGEINT", "BIGNUM")
# Regular expressions of whole numbers, and of those that may be larger.
_WHOLE = r"\s*[-+]?\d+(\.0*)?\s*"
_LARGE = r"\s*[-+]?\d{16,}(\.0*)?\s*"


def refuse_equal_doubles(rows: Rows, table: Table, name: str, exact: str, where: str = "") -> None:
    """Raise InputError for two numbers of a query that differ, but not as doubles.

    - `exact`: SQL of the number in a row `t`, with all its digits.
    - `where`: the place of the numbers in the message, such as " of the run 'a'".
    """
    query = ["t.query_id"] if name in NUMBERS and "query_id" in table.columns else []
    groups = [*query, f"cast(t.{DUCKDB.identifier(name)} as double)"]
    found = rows(
        f"select cast(min({exact}) as varchar), cast(max({exact}) as varchar) from {table.sql} as t "
        f"group by {', '.join(groups)} having min({exact}) < max({exact}) limit 1"
    )
    for one, other in found:
        raise InputError(
            f"{name} has floats, and the numbers {one} and {other}{where}, which are equal as floats: pass one type"
        )


def with_whole_numbers(rows: Rows, table: Table) -> Table:
    """Return a table whose scores of type text are integers, if they are whole and some may exceed doubles.

    Raises InputError for such numbers beside fractions, if two of them are equal as doubles.
    """
    for name in EXACT:
        if table.columns.get(name) != "VARCHAR" or table.dialect is not DUCKDB:
            continue
        large, whole = (f"regexp_full_match(t.{name}, {string(pattern)})" for pattern in (_LARGE, _WHOLE))
        # Most texts are shorter, so that few are compared with the pattern.
        if not rows(f"select 1 from {table.sql} as t where length(t.{name}) > 15 and {large} limit 1"):
            continue
        parsed = ", ".join(f"count(try_cast(t.{name} as {kind})) = count(t.{name})" for kind in ("double", *_INTEGERS))
        ((are_whole, are_numbers, *held),) = rows(
            f"select coalesce(bool_and({whole}), true), {parsed} from {table.sql} as t"
        )
        if are_whole and (kind := next((kind for kind, holds in zip(_INTEGERS, held, strict=True) if holds), "")):
            table = replace(
                table,
                sql=f"(select * replace (cast({name} as {kind}) as {name}) from {table.sql})",
                columns={**table.columns, name: kind},
                positions="",
            )
        elif are_numbers:
            refuse_equal_doubles(rows, table, name, f"try_cast(t.{name} as bignum)")
    return table
