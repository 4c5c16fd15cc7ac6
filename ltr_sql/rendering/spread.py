"""The queries of the spread of values: intervals, distributions, human judges, losses and weights."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.comparisons import mode_of, own_weights, parts_of, values_of_table
from ltr_sql.rendering.dialects import DUCKDB, Dialect, string
from ltr_sql.rendering.measure_columns import expressions, list_functions
from ltr_sql.rendering.templates import macros_of, render_template, vocabulary

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
    means: str, intervals: str, measures: Mapping[str, bool], keys: Sequence[str], *, corrected: bool
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


# The column that holds the weight of a row.
WEIGHT = "__ltr_weight"


def weighted_rows(relation: str, weights: str, keyed: str) -> str:
    """Return the query of the rows of a table of values with the weights of their queries, in the column `WEIGHT`.

    - `relation`, `weights`: SQL of relations, as it follows `from`.
    - `keyed`: SQL of a lambda that selects query_id and the keys of the table; see `keyed_columns`.
    """
    return _rendered("weighted_rows", relation, weights, keyed)


def unknown_weights(relation: str, weights: str, keyed: str) -> str:
    """Return the query of the weights of queries that a table of values lacks: their number, and the first query_id."""
    return _rendered("unknown_weights", relation, weights, keyed)


def keyed_columns(keys: Sequence[str]) -> str:
    """Return SQL of a lambda that selects the columns query_id and `keys`."""
    listed = ", ".join(string(name.lower()) for name in ("query_id", *keys))
    return f"lambda c: list_contains([{listed}], lower(c))"


def _rendered(template: str, relation: str, weights: str, keyed: str) -> str:
    names = dict(vocabulary(NamedColumns((), DUCKDB), DUCKDB))
    names |= macros_of("shared/weights.sql", names)
    return render_template(
        f"rendering/{template}.sql", **{**names, "relation": relation, "weights": weights, "keyed": keyed}
    )


# The columns that a comparison reads besides the values: whether people judged, and the cluster of the query.
HUMAN, CLUSTER = "__ltr_human", "__ltr_cluster"


@dataclass(frozen=True)
class Judges:
    """What a table of values of judges is made of. Tables are SQL as it follows `from`.

    - `values`: the values of the judge that errs. `human`: those of people, or ''.
    - `cluster`: the column of `values` that names the clusters, or ''.
    - `clusters`: a table with the columns query_id and cluster, or ''.
    - `weighted`: true if the weights of queries follow. Otherwise each query has the weight 1.
    """

    values: str
    human: str = ""
    cluster: str = ""
    clusters: str = ""
    weighted: bool = False


def judged_rows(judges: Judges, columns: Sequence[str], dialect: Dialect = DUCKDB) -> str:
    """Return the query of the values of judges: `columns`, `HUMAN`, `CLUSTER`, and perhaps `weights.WEIGHT`."""
    listed = ", ".join(f"v.{dialect.identifier(name)}" for name in columns)
    weight = "" if judges.weighted else f", 1e0 as {WEIGHT}"
    cluster, joined = f"cast(null as {dialect.text_type})", ""
    if judges.clusters:
        cluster = "c.cluster"
        joined = (
            f" left join ({_checked_clusters(judges.clusters, dialect)}) as c on c.query_id = {_text('v', dialect)}"
        )
    elif judges.cluster:
        cluster = f"cast(v.{dialect.identifier(judges.cluster)} as {dialect.text_type})"
    if judges.cluster or judges.clusters:
        what = dialect.error_of("cluster has no cluster of the query", "v.query_id")
        cluster = f"case when {cluster} is null then {what} else {cluster} end"
    parts = [f"select {listed}, false as {HUMAN}, {cluster} as {CLUSTER}{weight} from {judges.values} as v{joined}"]
    if judges.human:
        parts.append(
            f"select {listed}, true as {HUMAN}, cast(null as {dialect.text_type}) as {CLUSTER}{weight} "
            f"from {judges.human} as v"
        )
    return "\nunion all\n".join(parts)


def _checked_clusters(clusters: str, dialect: Dialect) -> str:
    """Return the query of one cluster for each query, both as texts. Raise an error for a query in two clusters."""
    first, last = (f"{end}(cast(c.cluster as {dialect.text_type}))" for end in ("min", "max"))
    several = dialect.error_of("a query is in two clusters: give each query one cluster. It is", "min(c.query_id)")
    return (
        f"select {_text('c', dialect)} as query_id, "
        f"case when {first} < {last} then {several} else {first} end as cluster "
        f"from {clusters} as c group by {_text('c', dialect)}"
    )


def _text(table: str, dialect: Dialect) -> str:
    return f"cast({table}.query_id as {dialect.text_type})"


_UNKNOWN = ": pass one of the systems"
_IDS_NEEDED = "with a baseline, every document needs a doc_id: select it under that name"


def worst_query(
    relation: str, keys: Sequence[str], n: int, *, baseline: str | None, compared: str, weighted: bool
) -> str:
    """Return the query of the queries with the largest losses.

    - `relation`: SQL of the rows of losses.sql, with the column `weights.WEIGHT` if they are `weighted`.
    - `keys`: the grouping columns, with `compared`, the column of the systems, if there is a `baseline`.
    - `n`: number of queries for each combination of the keys.
    """
    values = values_of_table(relation, [], compared=compared, strata=keys)
    others = values_of_table(relation, [], compared=compared, strata=[key for key in keys if key != compared])
    return worst_text(
        with_baseline=baseline is not None,
        relation=relation,
        stratum=values.stratum,
        others=others.stratum,
        system=values.system,
        strata_output=values.strata_output,
        baseline="null" if baseline is None else string(baseline),
        weight=f"v.{WEIGHT}" if weighted else "1e0",
        weight_output="r.weight, " if weighted else "",
        n=str(n),
    )


def worst_text(*, with_baseline: bool, **fragments: str) -> str:
    """Return the query of `worst_query` from its fragments."""
    return render_template(
        "rendering/worst.sql",
        **list_functions(DUCKDB),
        with_baseline=with_baseline,
        unknown_baseline=f"error('the rankings lack the baseline ' || {fragments['baseline']} || '{_UNKNOWN}')",
        without_ids=f"error({string(_IDS_NEEDED)})",
        **fragments,
    )
