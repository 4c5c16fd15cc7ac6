"""Where engines differ in what the templates write: the holes, and what each engine puts into them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Dialect:
    """The spelling of one engine.

    `inline` stands before a CTE that must not be stored, because it is only another name for what it reads or is read
    once. `smallest_of_largest` is an aggregate over {value}: the smallest of the {k} largest.
    """

    name: str
    inline: str
    text_type: str
    quote_mark: str
    error_function: str
    smallest_of_largest: str

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
    smallest_of_largest="list_min(max({value}, {k}))",
)

DIALECTS = {dialect.name: dialect for dialect in (DUCKDB,)}
