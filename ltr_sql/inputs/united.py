"""Tables of one call in one relation, such as the runs of several systems, so that each keeps its values."""

import re
from collections.abc import Iterable, Iterator, Mapping

from ltr_sql.inputs.connection import Connection
from ltr_sql.inputs.exact_numbers import refuse_equal_doubles
from ltr_sql.inputs.tables import IDS, MOST_DIGITS, NUMBERS, Table, as_text, is_nested, is_number
from ltr_sql.rendering.dialects import DUCKDB, string

# Types of which DuckDB finds a common one that holds all their values.
_WHOLE = re.compile(r"U?(TINYINT|SMALLINT|INTEGER|BIGINT)|HUGEINT")
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")
# The most digits of an integer type, signed or not.
_DIGITS = {"TINYINT": 3, "SMALLINT": 5, "INTEGER": 10, "BIGINT": 20}


def united(state: Connection, tables: Mapping[str, Table], label: str = "") -> str:
    """Return SQL of the rows of several tables by name. A `label` is a column of these names, which replaces any other.

    A column of several types gets one that changes no value: ids become text, as ids of run and judgments do, and
    numbers become decimals or doubles. DuckDB would take the type FLOAT for BIGINT and FLOAT, and round.

    Raises InputError for numbers of a table that differ, but not as doubles.
    """
    types: dict[str, set[str]] = {}
    for table in tables.values():
        for name, kind in table.columns.items():
            types.setdefault(name, set()).add(kind)
    differing = {name: kinds for name, kinds in types.items() if len(kinds) > 1 and not any(map(is_nested, kinds))}
    selects = []
    for title, table in tables.items():
        converted = ", ".join(
            f"{sql} as {DUCKDB.identifier(name)}"
            for name, kinds in differing.items()
            if name in table.columns and name != label
            for sql in _converted(state, title, table, name, kinds)
        )
        columns = f"{string(title)} as {label}, *" if label else "*"
        columns += f" exclude ({label})" if label in table.columns else ""
        columns += f" replace ({converted})" if converted else ""
        selects.append(f"select {columns} from {table.sql}")
    return f"({' union all by name '.join(selects)})"


def _converted(state: Connection, title: str, table: Table, name: str, kinds: set[str]) -> Iterator[str]:
    """Yield SQL of a column as a type that holds its values beside those of other tables, if DuckDB finds none.

    `kinds`: the types of the column in all tables.
    """
    column, numeric = DUCKDB.identifier(name), all(map(is_number, kinds))
    if name in IDS:
        yield as_text(column, table.columns[name], DUCKDB)
    elif numeric and (decimal := _common_decimal(kinds)):
        yield f"cast({column} as {decimal})"
    elif not (numeric and all(map(_WHOLE.fullmatch, kinds))):
        if (numeric or name in NUMBERS) and table.beyond_doubles(name) and _is_rounded(state, table, name):
            refuse_equal_doubles(state.rows, table, name, f"t.{column}", f" in {title!r}")
        if numeric or table.columns[name] == "FLOAT":
            yield f"cast({column} as double)"


def _common_decimal(kinds: Iterable[str]) -> str:
    """Return the type of all digits of decimals and integers. Empty without a decimal, and if there is no such type."""
    decimals = [tuple(map(int, found.groups())) for found in map(_DECIMAL.fullmatch, kinds) if found]
    whole = [_DIGITS.get(kind.removeprefix("U"), MOST_DIGITS + 1) for kind in kinds if not kind.startswith("DECIMAL")]
    scale = max((scale for _, scale in decimals), default=0)
    digits = max([*whole, *(width - scale for width, scale in decimals)]) + scale
    return f"DECIMAL({digits}, {scale})" if decimals and digits <= MOST_DIGITS else ""


def _is_rounded(state: Connection, table: Table, name: str) -> bool:
    """Return whether a double cannot represent a number of a column."""
    column = f"t.{DUCKDB.identifier(name)}"
    rounded = f"try_cast(cast({column} as double) as {table.columns[name]}) is distinct from {column}"
    return bool(state.rows(f"select 1 from {table.sql} as t where {rounded} limit 1"))
