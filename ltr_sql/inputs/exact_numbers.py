"""Numbers with more digits than a double, which rankings must not round."""

from collections.abc import Iterable

from ltr_sql.errors import InputError
from ltr_sql.inputs.tables import NUMBERS, Rows, Table
from ltr_sql.rendering.columns.runs import EXACT
from ltr_sql.rendering.dialects import DUCKDB, string

# Doubles represent all integers up to this one exactly.
LARGEST_EXACT = 2**53
# Integer types, the smallest first.
_INTEGERS = ("BIGINT", "HUGEINT", "BIGNUM")
# Regular expressions of whole numbers, and of those that may be larger.
_WHOLE = r"[-+]?\d+(\.0*)?"
_LARGE = r"[-+]?\d{16,}(\.0*)?"


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


def with_whole_ids(rows: Rows, table: Table, ids: Iterable[str]) -> Table:
    """Return a table with the id 12 for the text 12.0, if all ids of a column are whole numbers.

    A tool that reads a missing id makes floats of integer ids, and appends them to those of an earlier file.
    """
    values: dict[str, str] = {}
    for name in ids:
        column = f"t.{DUCKDB.identifier(name)}"
        if rows(f"select 1 from {table.sql} as t where contains({column}, '.') limit 1"):
            whole = f"coalesce(bool_and(regexp_full_match({column}, '-?[0-9]+([.]0+)?')), false)"
            ((are_whole,),) = rows(f"select {whole} from {table.sql} as t")
            values |= {name: f"split_part({column}, '.', 1)"} if are_whole else {}
    return table.replaced(values, {}) if values else table


def with_whole_numbers(rows: Rows, table: Table) -> Table:
    """Return a table whose scores of type text are integers, if they are whole and some may exceed doubles.

    Raises InputError for such numbers beside fractions, if two of them are equal as doubles.
    """
    for name in EXACT:
        if table.columns.get(name) != "VARCHAR" or table.dialect is not DUCKDB:
            continue
        text = f"trim(t.{name})"
        # Most texts are shorter, so that few are compared with the pattern.
        large = f"length(t.{name}) > 15 and regexp_full_match({text}, {string(_LARGE)})"
        if not rows(f"select 1 from {table.sql} as t where {large} limit 1"):
            continue
        whole = f"coalesce(bool_and(regexp_full_match({text}, {string(_WHOLE)})), true)"
        parsed = [f"count(try_cast({text} as {kind})) = count({text})" for kind in ("double", *_INTEGERS)]
        ((are_whole, are_numbers, *held),) = rows(f"select {whole}, {', '.join(parsed)} from {table.sql} as t")
        if are_whole:
            kind = next(kind for kind, holds in zip(_INTEGERS, held, strict=True) if holds)
            table = table.replaced({name: f"cast({text} as {kind})"}, {name: kind})
        elif are_numbers:
            refuse_equal_doubles(rows, table, name, f"try_cast({text} as bignum)")
    return table
