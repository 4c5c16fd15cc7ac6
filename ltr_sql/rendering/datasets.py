"""Render the table of values whose means are taken over datasets."""

from ltr_sql.rendering.dialects import DUCKDB, Dialect

# The column that names the dataset of a query.
DATASET = "__ltr_dataset"


def of_datasets(relation: str, column: str, dialect: Dialect = DUCKDB) -> str:
    """Return SQL of a table of values with the column `DATASET`.

    `relation`: SQL as it follows `from`. `column`: the quoted name of its column of datasets, which may not be NULL.
    """
    name = f"cast(v.{column} as {dialect.text_type})"
    unknown = dialect.error_of("across: a row of the values has no dataset (NULL), query_id", "v.query_id")
    return f"(select v.*, case when {name} is null then {unknown} else {name} end as {DATASET} from {relation} as v)"
