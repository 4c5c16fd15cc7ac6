"""Dialects: the SQL fragments that differ between engines."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Dialect:
    """The SQL fragments of one engine, with {placeholders} for their arguments.

    - `inline`: precedes the body of a CTE that the engine must not materialise; empty if the engine materialises none.
    - `text_type`, `quote_mark`, `error_function`: type of text; quote of identifiers; function that raises an error.
    - `numbers`: query of the numbers 1 to {last}, as column rank.
    - `list_type`: type of a list of numbers; `elements`: the select list of the elements of list {value}, with their
      positions, as columns position and value.
    - `larger_before`: counts the rows of group {1} that precede a row in order {2} and have a larger {0}. None for an
      engine without such a window: the query then counts them bit by bit.
    - `without_nan`: {value}, or NULL if it is NaN.
    - `smallest_of_largest`: aggregate that returns the smallest of the {k} largest values of {value}. None for an
      engine without such an aggregate: the query then sorts whole runs.
    - `sorted_values`: aggregate that returns the sorted list of {value}; {where} may be a FILTER clause. None for an
      engine where values are summed in any order.
    - `broadcast`: hint that {relation} is small enough to be copied to all workers.
    - `cut_first`: true to filter a run to its judged documents by a separate join. Without it, Spark would shuffle the
      whole run for the left join with the judgments.
    - `gaps`: the reason why the engine cannot compute a measure, by macro name.
    """

    name: str
    inline: str
    text_type: str
    quote_mark: str
    error_function: str
    numbers: str
    list_type: str = ""
    elements: str = ""
    larger_before: str | None = None
    without_nan: str = "nullif({value}, cast('nan' as double))"
    smallest_of_largest: str | None = None
    sorted_values: str | None = None
    broadcast: str = ""
    cut_first: bool = False
    gaps: Mapping[str, str] = field(default_factory=dict, hash=False)

    def identifier(self, name: str) -> str:
        """Return a name as a quoted identifier."""
        mark = self.quote_mark
        return f"{mark}{name.replace(mark, mark * 2)}{mark}"

    def error(self, message: str) -> str:
        """Return the expression that raises an error with this message."""
        return f"{self.error_function}({string(message)})"

    def error_of(self, message: str, value: str) -> str:
        """Return the expression that raises an error with this message and a value, whose SQL is `value`."""
        text = f"coalesce(cast({value} as {self.text_type}), 'NULL')"
        return f"{self.error_function}(concat({string(message + ' ')}, {text}))"


def string(text: str) -> str:
    """Return a text as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def path_string(path: str | Path) -> str:
    """Return a path as an SQL string literal. DuckDB reads paths as UTF-8, whatever the locale."""
    return string(utf8_path(path))


def utf8_path(path: str | Path) -> str:
    """Return a path as valid Unicode text, whatever the locale."""
    return os.fsencode(path).decode("utf-8", "replace")


DUCKDB = Dialect(
    name="duckdb",
    inline="not materialized ",
    text_type="varchar",
    quote_mark='"',
    error_function="error",
    numbers="select unnest(range(1, cast({last} as bigint) + 1)) as rank",
    list_type="double[]",
    elements="unnest(range(1, len({value}) + 1)) as position, unnest({value}) as value",
    larger_before="(rank(order by {0} desc nulls last) over (partition by {1} order by {2} "
    "rows between unbounded preceding and current row) - 1)",
    smallest_of_largest="list_min(max({value}, {k}))",
    sorted_values="list_sort(list({value}){where})",
)

SPARK = Dialect(
    name="spark",
    inline="",
    text_type="string",
    quote_mark="`",
    error_function="raise_error",
    numbers="select explode(sequence(1, cast({last} as bigint))) as rank",
    list_type="array<double>",
    elements="posexplode({value}) as (position, value)",
    broadcast="/*+ broadcast({relation}) */ ",
    cut_first=True,
    gaps=dict.fromkeys(
        ("alpha_ndcg", "nerr_ia", "nnrbp"),
        "its ideal ranking needs a recursive query that sorts and aggregates, which Spark does not support",
    ),
)

DIALECTS = {dialect.name: dialect for dialect in (DUCKDB, SPARK)}
