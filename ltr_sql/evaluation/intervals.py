"""Intervals of means: by Student's t or the bootstrap, for queries in clusters, and for judgments that err."""

from collections.abc import Sequence

from ltr_sql.evaluation.options import Averaging
from ltr_sql.evaluation.values import QueryValues
from ltr_sql.rendering.choices import comparison_choices
from ltr_sql.rendering.comparisons import comparison_query, values_of_table
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.templates import render_template
from ltr_sql.rendering.totals import column_of


def intervals_query(values: QueryValues, averaging: Averaging, geometric: Sequence[str] = ()) -> str:
    """Return the query of the means with their intervals: one row for each group and measure.

    A mean is the mean difference from a system whose values are 0, so it has all intervals of differences.
    `geometric` names the measures whose logarithms are averaged.
    """
    identifier = DUCKDB.identifier
    columns = [f"m{number}" for number in range(1, len(values.measures) + 1)]
    pairs = render_template(
        "evaluation/against_zero.sql",
        relation=values.table.sql,
        measures=[(identifier(n), c, n in geometric) for n, c in zip(values.measures, columns, strict=True)],
    )
    against_zero = values_of_table(
        f"(\n{pairs}\n)",
        columns,
        compared="__ltr_side",
        strata=values.keys,
        baseline=["0"],
        mode=averaging.mode,
    )
    choices = comparison_choices(ci=averaging.ci, confidence=averaging.confidence, adjust="none")
    return render_template(
        "evaluation/intervals.sql",
        compared=comparison_query(against_zero, choices),
        keys=[identifier(column_of(key)) for key in values.keys],
        names=DUCKDB.text_list(values.measures),
        human=averaging.human is not None,
        clustered=averaging.cluster is not None,
    )
