"""Dialects: the SQL fragments that differ between engines."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ltr_sql.errors import InputError


@dataclass(frozen=True)
class Dialect:
    """The SQL fragments of one engine, with {placeholders} for their arguments.

    - `types`, `functions`: names of the templates for types and functions, and the text of the engine. A function has
      its arguments as {0}, {1}, ... `doubles`: the literal of the double {0}. Empty if the engine has the same names.
    - `same`: true if {0} and {1} are equal or both NULL, as a condition by which the engine can hash a join.
    - `bytewise`: the text {0}, sorted by its bytes. `id_order`: order of the ids {0} in direction {1}, by bytes if they
      are texts.
    - `first_found`: ends the search for a row that a join finds. Empty for an engine that would then join by loops.
    - `hash`: a whole number that depends on the value {0}, to choose a part of the values.
    - `checkable_rank`: the rank {0}. An engine that raises an error of its own for a division by 0 replaces ranks
      below 1 by another invalid rank, so that the check of the ranks raises the error.
    - `longest_name`: number of bytes of a name, after which the engine cuts it. 0 for an engine that cuts none.
    - `raised`: expression of type {kind} that raises an error with the text {message}.
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
    - `sum_by_place`: aggregate that sorts {value} of the rows where {where}, in {direction} asc or desc. It sums {term}
      of each __ltr_value and its __ltr_place, from 1. None for an engine that reads the place from a window.
    - `broadcast`: hint that {relation} is small enough to be copied to all workers.
    - `cut_first`: true to filter a run to its judged documents by a separate join. Without it, Spark would shuffle the
      whole run for the left join with the judgments.
    - `materialized`: precedes the body of a CTE that the engine should compute once.
    - `stored`: precedes the body of a CTE that is too costly to compute twice. Spark computes a CTE again for each
      part of a query that reads it. There, `stored` is a comment that `split_query` reads.
    - `struct_function`, `struct_field`: function that makes a struct, and one of its arguments: name {0}, value {1}.
      `quotes_fields`: true if the name is an identifier and not a string.
    - `array`: list of the values {0}; `texts`, `text_list_type`: list of texts, and its type.
    - `lists`: functions of lists, by name. `let` binds a value to a name; `each`, `kept` and `fold` take lambdas.
    - `has_lgamma`: true if the engine has the function lgamma.
    - `escapes`: true if a backslash in a string escapes the next character.
    - `random_words`: false if the engine cannot compute the random words of resampling.
    - `gaps`: the reason why the engine cannot compute a measure, by macro name.
    """

    name: str
    inline: str
    text_type: str
    quote_mark: str
    error_function: str
    numbers: str
    raised: str = "{function}({message})"
    types: Mapping[str, str] = field(default_factory=dict, hash=False)
    functions: Mapping[str, str] = field(default_factory=dict, hash=False)
    doubles: str = ""
    same: str = "{0} is not distinct from {1}"
    bytewise: str = "{0}"
    id_order: str = "{0} {1} nulls last"
    first_found: str = "limit 1"
    hash: str = "hash({0})"
    checkable_rank: str = "{0}"
    longest_name: int = 0
    list_type: str = ""
    elements: str = ""
    larger_before: str | None = None
    without_nan: str = "nullif({value}, cast('nan' as double))"
    smallest_of_largest: str | None = None
    sorted_values: str | None = None
    sum_by_place: str | None = None
    broadcast: str = ""
    cut_first: bool = False
    materialized: str = ""
    stored: str = ""
    struct_function: str = ""
    struct_field: str = ""
    quotes_fields: bool = False
    array: str = ""
    texts: str = ""
    text_list_type: str = ""
    lists: Mapping[str, str] = field(default_factory=dict, hash=False)
    has_lgamma: bool = False
    escapes: bool = False
    random_words: bool = False
    gaps: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def with_windows(self) -> "Dialect":
        """A copy that reads places from windows, which needs no lambda."""
        return replace(self, sum_by_place=None)

    def identifier(self, name: str) -> str:
        """Return a name as a quoted identifier.

        Raises InputError for a line break, which SQL cannot escape there, and for a name that the engine would cut.
        """
        if self.longest_name and len(name.encode()) > self.longest_name:
            raise InputError(
                f"{self.name} cuts names after {self.longest_name} bytes: choose a shorter name than {name!r}, "
                "or leave the column out"
            )
        if "\n" in name:
            raise InputError(f"a column name must not have a line break: rename the column {name!r}")
        mark = self.quote_mark
        return f"{mark}{name.replace(mark, mark * 2)}{mark}"

    def string(self, text: str) -> str:
        """Return a text as a string literal."""
        return string(text.replace("\\", "\\\\").replace("\n", "\\n") if self.escapes else text)

    def text_list(self, texts: Iterable[str]) -> str:
        """Return a list of texts."""
        return self.texts.format(", ".join(map(self.string, texts)))

    def error(self, message: str, kind: str = "boolean") -> str:
        """Return the expression that raises an error with this message, where a value of type `kind` is expected."""
        return self.raising(string(message), kind)

    def error_of(self, message: str, value: str, kind: str = "boolean", rest: str = "") -> str:
        """Return the expression that raises an error with this message, a value in SQL, and the `rest`."""
        text = f"coalesce(cast({value} as {self.text_type}), 'NULL')"
        parts = [string(f"{message} "), text, *([string(rest)] if rest else [])]
        return self.raising(f"concat({', '.join(parts)})", kind)

    def raising(self, message: str, kind: str = "boolean") -> str:
        """Return the expression that raises an error, whose text is the SQL `message`."""
        return self.raised.format(function=self.error_function, message=message, kind=kind)


def string(text: str) -> str:
    """Return a text of the caller as an SQL string literal of one line: templates indent the lines of a query."""
    quoted = literal(text)
    return "E" + quoted.replace("\\", "\\\\").replace("\n", "\\n") if "\n" in text else quoted


def literal(text: str) -> str:
    """Return a text of the package as an SQL string literal, which may have several lines."""
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
    smallest_of_largest="list_aggregate(max({value}, {k}), 'min')",
    sorted_values="list_sort(list({value}){where}, 'asc')",
    sum_by_place="coalesce(list_aggregate(list_transform(list_sort(list({value}) filter (where {where}), "
    "'{direction}'), lambda __ltr_value, __ltr_place: {term}), 'sum'), 0e0)",
    materialized="materialized ",
    stored="materialized ",
    struct_function="struct_pack",
    struct_field="{0} := {1}",
    quotes_fields=True,
    array="[{0}]",
    texts="[{0}]::varchar[]",
    text_list_type="varchar[]",
    lists={
        "let": "list_transform([{1}], lambda {0}: {2})[1]",
        "each": "list_transform({0}, lambda {1}: {2})",
        "kept": "list_filter({0}, lambda {1}: {2})",
        "fold": "list_reduce({0}, lambda {1}, {2}: {3}, {4})",
        "fold_from_first": "list_reduce({0}, lambda {1}, {2}: {3})",
        "sum_of": "list_aggregate({0}, 'sum')",
        "concatenation": "list_concat({0}, {1})",
        "numbers_below": "range({0})",
        "countdown": "range({0}, 0, -1)",
        "element": "{0}[{1}]",
        "size": "len({0})",
        "first": "{0}[1:{1}]",
        "sum_pairwise": "list_transform(list_zip({0}, {1}), lambda __ltr_two: __ltr_two[1] + __ltr_two[2])",
        "zeros": "list_transform(range({0}), lambda __ltr_zero: 0e0)",
        "sorted_elements": "list_sort({0}, 'asc')",
        "distinct_elements": "list_distinct({0})",
        "joined": "coalesce(list_aggregate({0}, 'string_agg', '{1}'), '')",
        "sorted_list": "list({0} order by {0} asc){1}",
        "quantile": "quantile_cont({0}, {1})",
        "rows_of": "unnest({0})",
        "numbers_between": "unnest(range({0}, {1} + 1))",
        "numbered_elements": "unnest({0}) as {1},\nunnest(range(1, len({0}) + 1)) as {2}",
        "measures_as_rows": "unnest(range(len({0}))) as position,\nunnest({0}) as measure,\n"
        "unnest(cast({1} as double[])) as value",
    },
    has_lgamma=True,
    random_words=True,
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
    functions={
        # Java reads further texts as numbers, such as 4d and 0x1p3.
        "try_cast": "case when cast({0} as string) rlike "
        r"'(?i)^\\s*([-+]?(([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?|inf(inity)?)|nan)\\s*$' "
        "then cast({0} as {1}) end",
    },
    hash="xxhash64({0})",
    checkable_rank="case when {0} < 1 then 0.5e0 else {0} end",
    broadcast="/*+ broadcast({relation}) */ ",
    cut_first=True,
    escapes=True,
    stored="/* stored */ ",
    struct_function="named_struct",
    struct_field="{0}, {1}",
    array="array({0})",
    texts="cast(array({0}) as array<string>)",
    text_list_type="array<string>",
    lists={
        "let": "transform(array({1}), {0} -> {2})[0]",
        "each": "transform({0}, {1} -> {2})",
        "kept": "filter({0}, {1} -> {2})",
        "fold": "aggregate({0}, {4}, ({1}, {2}) -> {3})",
        "fold_from_first": "transform(array({0}), __ltr_all -> aggregate(slice(__ltr_all, 2, size(__ltr_all)), "
        "__ltr_all[0], ({1}, {2}) -> {3}))[0]",
        "sum_of": "aggregate({0}, 0e0, (__ltr_sum, __ltr_term) -> __ltr_sum + __ltr_term)",
        "concatenation": "concat({0}, {1})",
        "numbers_below": "sequence(0, {0} - 1)",
        "countdown": "sequence({0}, 1, -1)",
        "element": "element_at({0}, {1})",
        "size": "size({0})",
        "first": "slice({0}, 1, cast({1} as int))",
        "sum_pairwise": "zip_with({0}, {1}, (__ltr_one, __ltr_two) -> __ltr_one + __ltr_two)",
        "zeros": "array_repeat(0e0, cast({0} as int))",
        "sorted_elements": "array_sort({0})",
        "distinct_elements": "array_distinct({0})",
        "joined": "array_join({0}, '{1}')",
        "sorted_list": "array_sort(collect_list({0}){1})",
        "quantile": "percentile({0}, {1})",
        "rows_of": "explode({0})",
        "numbers_between": "explode(sequence({0}, {1}))",
        "numbered_elements": "inline(transform({0}, (__ltr_one, __ltr_at) -> "
        "named_struct('{1}', __ltr_one, '{2}', __ltr_at + 1))) as ({1}, {2})",
        "measures_as_rows": "inline(transform({0}, (__ltr_one, __ltr_at) -> named_struct("
        "'position', __ltr_at, 'measure', __ltr_one, 'value', element_at({1}, __ltr_at + 1)))) "
        "as (position, measure, value)",
    },
    gaps=dict.fromkeys(
        ("alpha_ndcg", "nerr_ia", "nnrbp"),
        "its ideal ranking needs a recursive query that sorts and aggregates, which Spark does not support",
    ),
)

POSTGRES = Dialect(
    name="postgres",
    inline="not materialized ",
    text_type="text",
    quote_mark='"',
    error_function="",
    # The message is not a constant, because Postgres evaluates constants when it plans a query. A cast of this text
    # to a number or a truth value fails at run time, and the error of Postgres quotes the text.
    raised="cast({message} || left(cast(random() as text), 0) as {kind})",
    numbers="select generate_series(1, cast({last} as bigint)) as rank",
    types={"double": "double precision", "float": "real"},
    functions={
        "log2": "(ln({0}) / 0.6931471805599453::double precision)",
        "round": "cast(round(cast({0} as numeric), {1}) as double precision)",
        "median": "percentile_cont(0.5) within group (order by {0})",
        "typeof": "replace(cast(pg_typeof({0}) as text), 'numeric', 'decimal')",
        "try_cast": r"case when cast({0} as text) ~* '^\s*[-+]?((\d+\.?\d*|\.\d+)(e[-+]?\d+)?|inf(inity)?|nan)\s*$' "
        "then cast(cast({0} as text) as {1}) end",
        # Postgres raises an error if a result is too small for a double. These functions return 0 then.
        "power": "case when ({0}) > 0 and ({0}) < 1 and ({1}) * ln({0}) < -708 then 0 else power({0}, {1}) end",
        "exp": "case when ({0}) < -708 then 0 else exp({0}) end",
    },
    # Other literals with an exponent are decimal numbers.
    doubles="{0}::double precision",
    # Postgres joins arrays by hash, and `is not distinct from` by a nested loop. NULL equals NULL in arrays.
    same="array[{0}] = array[{1}]",
    # The order of other collations depends on the locale of the database.
    bytewise='{0} collate "C"',
    id_order="case when pg_typeof({0}) in ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype) then "
    'cast({0} as text) collate "C" end {1} nulls last, {0} {1} nulls last',
    first_found="",
    hash="hashtextextended(cast({0} as text), 0)",
    checkable_rank="case when {0} < 1 then 0.5e0 else {0} end",
    longest_name=63,
    list_type="double[]",
    elements="generate_series(1, cardinality({value})) as position, unnest({value}) as value",
    lists={
        "sorted_elements": "array(select __ltr_one from unnest({0}) as __ltr_one order by __ltr_one asc)",
        "sum_of": "(select sum(__ltr_each) from unnest({0}) as __ltr_each)",
    },
)

DIALECTS = {dialect.name: dialect for dialect in (DUCKDB, SPARK, POSTGRES)}
