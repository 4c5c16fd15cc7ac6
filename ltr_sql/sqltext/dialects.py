"""Where engines differ in what the templates write: the holes, and what each engine puts into them."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Dialect:
    """The spelling of one engine.

    `inline` stands before a CTE that must not be stored, because it is only another name for what it reads or is read
    once. `numbers` is a query of the numbers from 1 to {last}, as column rank. `larger_before` is how many of the rows
    before one, in an order {2} of its group {1}, have a larger {0}; an engine without such a window counts them
    bit by bit. `without_nan` makes NULL of a {value}
    that is NaN. `smallest_of_largest` is an aggregate over {value}: the smallest of the {k} largest; an engine without
    one sorts whole runs. `broadcast` is the hint that
    {relation} is small enough to be copied to all workers.
    `cut_first`: a run is cut down to its judged documents by a join of its own, because the engine
    would move all of it to the left join with the judgments. `gaps` are the measures that the engine cannot compute,
    by macro name, each with the reason.
    """

    name: str
    inline: str
    text_type: str
    quote_mark: str
    error_function: str
    numbers: str
    larger_before: str | None = None
    without_nan: str = "nullif({value}, cast('nan' as double))"
    smallest_of_largest: str | None = None
    broadcast: str = ""
    cut_first: bool = False
    gaps: Mapping[str, str] = field(default_factory=dict, hash=False)

    def identifier(self, name: str) -> str:
        """A name as a quoted identifier."""
        mark = self.quote_mark
        return f"{mark}{name.replace(mark, mark * 2)}{mark}"

    def error(self, message: str) -> str:
        """The expression that stops the query with a message."""
        return f"{self.error_function}({string(message)})"


def string(text: str) -> str:
    """A text as a SQL string."""
    return "'" + text.replace("'", "''") + "'"


DUCKDB = Dialect(
    name="duckdb",
    inline="not materialized ",
    text_type="varchar",
    quote_mark='"',
    error_function="error",
    numbers="select unnest(range(1, cast({last} as bigint) + 1)) as rank",
    larger_before="(rank(order by {0} desc nulls last) over (partition by {1} order by {2} "
    "rows between unbounded preceding and current row) - 1)",
    smallest_of_largest="list_min(max({value}, {k}))",
)

SPARK = Dialect(
    name="spark",
    inline="",
    text_type="string",
    quote_mark="`",
    error_function="raise_error",
    numbers="select explode(sequence(1, cast({last} as bigint))) as rank",
    broadcast="/*+ broadcast({relation}) */ ",
    cut_first=True,
    gaps=dict.fromkeys(
        ("alpha_ndcg", "nerr_ia", "nnrbp"),
        "its ideal ranking takes one document after the other, and a recursive query of Spark "
        "cannot sort or aggregate what it recurses on",
    ),
)

DIALECTS = {dialect.name: dialect for dialect in (DUCKDB, SPARK)}
