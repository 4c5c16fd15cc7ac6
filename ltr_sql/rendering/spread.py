"""Render the spread of measures over queries as SQL: `ltr.distribution`."""

from collections.abc import Callable, Mapping, Sequence

from ltr_sql.rendering.comparisons import own_weights, values_of_table
from ltr_sql.rendering.dialects import DUCKDB, Dialect
from ltr_sql.rendering.lists import list_functions
from ltr_sql.rendering.parts import mode_of, parts_of
from ltr_sql.rendering.probabilities import expressions
from ltr_sql.rendering.templates import render_template

# 1 minus the usual coverage of the intervals of means.
_LEVEL = "0.05e0"


def spread_query(
    relation: str,
    measures: Sequence[str],
    keys: Sequence[str],
    weighted: bool = False,
    *,
    level: str = _LEVEL,
    dialect: Dialect = DUCKDB,
) -> str:
    """Return the query of the spread of a table of values with one row per query.

    If it is `weighted`, the table has the weights of the queries in the column `weights.WEIGHT`. `level` is SQL of 1
    minus the coverage of the intervals.
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
        level=level,
    )


def spread_text(
    mode: str | None, dialect: Dialect, functions: Mapping[str, Callable[..., str]], **fragments: str
) -> str:
    """Return the query of a spread, from its fragments: relation, stratum, strata_output, names, numbers and level.

    For `mode` see `parts_of`, for `functions` `expressions` and `calls` in probabilities.py.
    """
    return render_template(
        "rendering/spread.sql",
        **list_functions(dialect),
        **parts_of(mode),
        **own_weights(dialect),
        **functions,
        **fragments,
    )


# The columns of the interval of a measure, by its name: before those of all measures are in one row, in this row, and
# its logarithms. The interval of a geometric mean is that of logarithms, between `before` and `after`.
INTERVAL_COLUMNS = "".join(
    f",\n    max(case when i.measure = '{{name}}' then {{before}}i.{end}{{after}} end) as \"{{name}}_{end}\""
    for end in ("low", "high")
)
INTERVAL_OUTPUTS = ', m."{name}_low", m."{name}_high"'
LOGARITHM = ', ln(greatest(v."{name}", 1e-5)) as "{name}"'
# How means are joined with their intervals, by key.
SAME_KEY = " and m.{key} is not distinct from a.{key}"
_CORRECTED = (
    ",\n    max(case when i.measure = '{name}' then {before}i.mean{after} end) as \"{name}_mean\"",
    'm."{name}_mean" as "{name}"',
)


def with_intervals(
    means: str, intervals: str, measures: Mapping[str, bool], keys: Sequence[str], corrected: bool = False
) -> str:
    """Return the query of means with their intervals.

    - `measures`: the names, and whether the intervals are those of logarithms. `keys`: quoted names.
    - `corrected`: true if the intervals have other means, which replace those of `means`.
    """

    def of_measures(text: str) -> list[str]:
        ends = {True: ("exp(", ")"), False: ("", "")}
        return [
            text.format(name=name, before=ends[logarithms][0], after=ends[logarithms][1])
            for name, logarithms in measures.items()
        ]

    columns, replaced = _CORRECTED if corrected else ("", "")
    return with_intervals_text(
        means=means,
        intervals=intervals,
        by_measure="".join(of_measures(INTERVAL_COLUMNS + columns)),
        outputs="".join(of_measures(INTERVAL_OUTPUTS)),
        corrected=f" replace ({', '.join(of_measures(replaced))})" if corrected else "",
        keys="".join(f"i.{key}, " for key in keys),
        group_by=f" group by {', '.join(f'i.{key}' for key in keys)}" if keys else "",
        same_keys="".join(SAME_KEY.format(key=key) for key in keys),
    )


def with_intervals_text(**fragments: str) -> str:
    """Return the query of means with their intervals, from its fragments: see the template."""
    return render_template("rendering/with_intervals.sql", **fragments)
