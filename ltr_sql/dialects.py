"""Where engines differ in what the templates write: the holes, and what each engine puts into them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Dialect:
    """The spelling of one engine.

    `inline` stands before a CTE that is only a renaming of the caller's table and must not be stored.
    """

    name: str
    inline: str
    text_type: str
    quote_mark: str
    error_function: str

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


DUCKDB = Dialect("duckdb", "not materialized ", "varchar", '"', "error")

DIALECTS = {dialect.name: dialect for dialect in (DUCKDB,)}
