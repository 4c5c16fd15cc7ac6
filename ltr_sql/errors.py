"""The exceptions and the warning of ltr_sql. A message says what is wrong, where, and what to do."""

from collections.abc import Iterator
from contextlib import contextmanager


class LtrSqlError(ValueError):
    """Base class of the exceptions of ltr_sql."""


class MeasureError(LtrSqlError):
    """Raised for a measure that is unknown, has an invalid parameter, or cannot be computed in the call.

    Also raised for an unknown convention.
    """


class InputWarning(UserWarning):
    """Warning about valid but suspicious input, such as judged queries that the run lacks.

    Also a warning about a database file that an older DuckDB cannot open.
    """


class InputError(LtrSqlError):
    """Raised for tables that cannot be read, scored or compared, and for invalid options."""


class OutputError(InputError):
    """Raised for an output that cannot be written."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt if Ctrl-C ends a query.

    DuckDB raises RuntimeError instead, which callers could take for an error of the query.
    """
    try:
        yield
    except RuntimeError as error:
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt from None
