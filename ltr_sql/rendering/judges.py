"""Render the table of values of judges: those of people below those of the judge that errs, with clusters."""

from collections.abc import Sequence
from dataclasses import dataclass

from ltr_sql.rendering.dialects import DUCKDB, Dialect
from ltr_sql.rendering.weights import WEIGHT

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
