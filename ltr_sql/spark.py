"""The same measures on Spark: the same SQL over data frames or tables of a cluster."""

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
    """Measures of rankings: means over queries, or with `by_query` one row for each query.

    As `ltr_sql.evaluate`, with the same arguments, columns and values, for Spark data frames or the names of tables
    (with their session as `spark`). Nothing runs before the result is read, and nothing is collected; the rows
    have no order. What can only be seen in the rows, such as a document that the run has twice, is a Spark error then.

    Raises MeasureError, also for a measure that Spark cannot compute, and InputError.
    """
    parsed, tie_rule, missing_rule = resolve_options(measures, convention, ties, missing)
    given = {"run": rankings} if qrels is None else {"run": rankings, "qrels": qrels}
    frames: dict[str, Any] = {name: _known(_frame(value, spark)) for name, value in given.items()}
    tables = {name: _table(name, frame) for name, frame in frames.items()}
    bound = bind_tables(tables["run"], tables.get("qrels"), parsed, keys, tie_rule, missing_rule, facts=Facts())
    run: DataFrame = frames["run"]
    return run.sparkSession.sql(bound.query(parsed, averaged=not by_query), **frames)


def _frame(given: Any, spark: SparkSession | None) -> DataFrame:
    if isinstance(given, DataFrame):
        return given
    if not isinstance(given, str):
        raise InputError(f"Spark reads its own data frames and tables, not {type(given).__name__}")
    if spark is None:
        raise InputError(f"{given}: for the name of a table pass its session as spark=")
    try:
        return spark.table(given)
    except (AnalysisException, ParseException) as error:
        raise InputError(f"{given} is not a table of the session: {error.getCondition()}") from error


def _known(frame: DataFrame) -> DataFrame:
    """A data frame whose columns have the names that they are known by."""
    return frame.withColumnsRenamed(canonical_column_names(frame.columns))


def _table(name: str, frame: DataFrame) -> Table:
    # Spark puts the data frame of that name in for the braces.
    return Table(f"{{{name}}}", {field.name: field.dataType.simpleString() for field in frame.schema}, dialect=SPARK)
