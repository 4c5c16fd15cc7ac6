"""Render the spread of measures over queries as SQL: `ltr.distribution`."""

from collections.abc import Callable, Mapping, Sequence

from ltr_sql.rendering.comparisons import values_of_table
from ltr_sql.rendering.dialects import DUCKDB, Dialect
from ltr_sql.rendering.lists import list_functions
from ltr_sql.rendering.parts import mode_of, parts_of
from ltr_sql.rendering.probabilities import expressions
from ltr_sql.rendering.templates import render_template

# 1 minus the coverage of the intervals of means.
LEVEL = "0.05e0"


def spread_query(
    relation: str, measures: Sequence[str], keys: Sequence[str], weighted: bool = False, dialect: Dialect = DUCKDB
) -> str:
    """Return the query of the spread of a table of values with one row per query.

    If it is `weighted`, the table has the weights of the queries in the column `weights.WEIGHT`.
    """
    values = values_of_table(relation, measures, compared="query_id", strata=keys, dialect=dialect)
    return spread_text(
        mode_of(weighted),
        dialect,
        expressions(dialect),
        relation=values.relation,
        stratum=values.stratum,
        strata_output=values.strata_output,
        names=values.names,
        numbers=values.numbers,
    )


def spread_text(
    mode: str | None, dialect: Dialect, functions: Mapping[str, Callable[..., str]], **fragments: str
) -> str:
    """Return the query of a spread, from its fragments: relation, stratum, strata_output, names and numbers.

    For `mode` see `parts_of`, for `functions` `expressions` and `calls` in probabilities.py.
    """
    return render_template(
        "rendering/spread.sql", **list_functions(dialect), **parts_of(mode), **functions, level=LEVEL, **fragments
    )
