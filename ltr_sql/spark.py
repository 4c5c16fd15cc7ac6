"""Evaluate measures on Spark, over data frames or tables of a cluster."""

from collections.abc import Iterable, Sequence
from typing import Any

from ltr_sql.errors import InputError
from ltr_sql.inputs.binding import bind_tables
from ltr_sql.inputs.tables import Table, canonical_column_names
from ltr_sql.language.measure_strings import resolve_options
from ltr_sql.sqltext.dialects import SPARK
from ltr_sql.sqltext.sources import Facts

try:
    from pyspark.errors import AnalysisException, ParseException
    from pyspark.sql import DataFrame, SparkSession
except ImportError as error:
    raise ImportError("ltr_sql.spark needs pyspark: pip install 'ltr-sql[spark]', and Java 17 or later") from error


def evaluate(
    rankings: DataFrame | str,
    measures: Iterable[str],
    *,
    qrels: DataFrame | str | None = None,
    keys: Sequence[str] = (),
    by_query: bool = False,
    ties: str | None = None,
    missing: str | None = None,
    convention: str | None = None,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Return the values of measures: means over queries, or with `by_query` one row per query.

    - `rankings`, `qrels`: Spark data frames or table names.
    - `spark`: session, for inputs that are names of its tables.
    - `measures`, `keys`, `by_query`, `ties`, `missing`, `convention`: see `ltr_sql.evaluate`.

    Returns a Spark data frame with the columns and values of `ltr_sql.evaluate`. Evaluation is lazy, the rows are
    unordered, and no rows are collected to the driver.

    Raises MeasureError for an invalid measure or one that Spark cannot compute, and InputError for missing columns.
    Invalid rows, such as duplicate documents, raise a Spark error when the query runs.
    """
    parsed, tie_rule, missing_rule = resolve_options(measures, convention, ties, missing)
    given = {"run": rankings} if qrels is None else {"run": rankings, "qrels": qrels}
    frames: dict[str, Any] = {name: _with_canonical_names(_frame(value, spark)) for name, value in given.items()}
    tables = {name: _table(name, frame) for name, frame in frames.items()}
    shared = [key for key in keys if all(key in table.columns for table in tables.values())]
    if shared and qrels is not None:
        raise InputError(
            f"the key {shared[0]!r} is a column of both run and judgments: drop it from the run if it is a segment of "
            "queries, otherwise from the judgments"
        )
    bound = bind_tables(tables["run"], tables.get("qrels"), parsed, keys, tie_rule, missing_rule, facts=Facts())
    run: DataFrame = frames["run"]
    return run.sparkSession.sql(bound.query(parsed, averaged=not by_query), **frames)


def _frame(given: Any, spark: SparkSession | None) -> DataFrame:
    if isinstance(given, DataFrame):
        return given
    if not isinstance(given, str):
        raise InputError(f"pass a Spark data frame or a table name, got {type(given).__name__}")
    if spark is None:
        raise InputError(f"{given}: pass the session of this table as spark=")
    try:
        return spark.table(given)
    except (AnalysisException, ParseException) as error:
        raise InputError(f"{given} is not a table of the session: {error.getCondition()}") from error


def _with_canonical_names(frame: DataFrame) -> DataFrame:
    """Return the data frame with known columns in lower case."""
    return frame.withColumnsRenamed(canonical_column_names(frame.columns))


def _table(name: str, frame: DataFrame) -> Table:
    # Spark replaces the name in braces by the data frame that is passed under it.
    return Table(f"{{{name}}}", {field.name: field.dataType.simpleString() for field in frame.schema}, dialect=SPARK)
