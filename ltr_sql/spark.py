"""Evaluate measures and compare systems on Spark, over data frames or tables of a cluster."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, resolve_options
from ltr_sql.comparison.compare import (
    Given,
    doubts_about,
    fragments_of,
    measures_of_values,
    refuse_empty,
    resolved,
    strata_and_repeats,
)
from ltr_sql.comparison.options import ComparisonOptions
from ltr_sql.errors import InputError, InputWarning
from ltr_sql.inputs.binding import bind_tables
from ltr_sql.inputs.tables import Table, canonical_column_names
from ltr_sql.rendering.comparisons import Choices, ComparedValues, comparison_query, values_query, wins_query
from ltr_sql.rendering.dialects import SPARK
from ltr_sql.rendering.probabilities import distributions, expressions
from ltr_sql.rendering.sources import Facts
from ltr_sql.rendering.spread import distribution_query
from ltr_sql.rendering.stored import Cte, joined_query, split_query

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
    # Spark replaces the name in braces by the data frame that is passed under it.
    tables = {name: _table(f"{{{name}}}", frame) for name, frame in frames.items()}
    shared = [key for key in keys if all(key in table.columns for table in tables.values())]
    if shared and qrels is not None:
        raise InputError(
            f"the key {shared[0]!r} is a column of both run and judgments: drop it from the run if it is a segment of "
            "queries, otherwise from the judgments"
        )
    bound = bind_tables(
        tables["run"], tables.get("qrels"), parsed, keys=keys, ties=tie_rule, missing=missing_rule, facts=Facts()
    )
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
    """Return a data frame as the table `name` of a query, with DuckDB's names of types."""
    kinds = {field.name: field.dataType.simpleString().upper() for field in frame.schema}
    return Table(name, {name: "INTEGER" if kind == "INT" else kind for name, kind in kinds.items()}, dialect=SPARK)


def compare(
    rankings: DataFrame | str,
    measures: Iterable[str] | None = None,
    *,
    qrels: DataFrame | str | None = None,
    baseline: str | Sequence[str] | None = None,
    keys: Sequence[str] = (),
    compared: str = "system",
    test: str = "t",
    adjust: str = "holm",
    family: str = "measure",
    ci: str = "t",
    confidence: float = 0.95,
    margin: float | str | None = None,
    repeats: Sequence[str] = (),
    lower_is_better: Sequence[str] = (),
    missing: str | None = None,
    convention: str | None = None,
    ties: str | None = None,
    values: bool = False,
    allow_empty: bool = False,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Return differences between systems, with tests and intervals: one row per measure and pair of systems.

    - `rankings`, `qrels`, `spark`, `ties`, `convention`: see `evaluate`. With `values`, `rankings` is a table of
      values.
    - The other arguments, and the columns of the result: see `ltr_sql.compare`.

    Spark computes the result when the function is called, and keeps it in the memory of the workers.

    Raises InputError for invalid options, and for the intervals 'percentile' and 'bca', which Spark does not compute.
    With test='randomization', Spark raises an error if a pair has too many differing queries for an exact test.
    """
    choices = _choices(ComparisonOptions(test, adjust, family, ci, confidence, margin))
    given = Given(
        rankings, measures, qrels, {}, keys, compared, repeats, values, ties, convention, False, missing=missing
    )
    frame, fragments = _values_of(given, spark, lower_is_better, baseline)
    found: DataFrame = _computed(frame, comparison_query(fragments, choices)).localCheckpoint()

    def rows(query: str) -> list[Any]:
        return found.sparkSession.sql(query, found=found).collect()

    if not allow_empty:
        refuse_empty(rows, "{found}")
    for text in doubts_about(rows, "{found}"):
        warnings.warn(text, InputWarning, stacklevel=2)
    return found


def distribution(
    rankings: DataFrame | str,
    measures: Iterable[str] | None = None,
    *,
    qrels: DataFrame | str | None = None,
    keys: Sequence[str] = (),
    ties: str | None = None,
    missing: str | None = None,
    convention: str | None = None,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Return the distribution of measures over queries: one row per group and measure.

    For the arguments see `evaluate`, for the columns `ltr_sql.distribution`. Weights of queries are not available.
    """
    texts = list(measures or DEFAULT_MEASURES)
    values = evaluate(
        rankings,
        texts,
        qrels=qrels,
        keys=keys,
        by_query=True,
        ties=ties,
        missing=missing,
        convention=convention,
        spark=spark,
    )
    names = [measure.text for measure in resolve_options(texts, convention, None, None)[0]]
    return _computed(values, distribution_query(_INPUT, names, keys, dialect=SPARK))


def leaderboard(
    rankings: DataFrame | str,
    measures: Iterable[str] | None = None,
    *,
    qrels: DataFrame | str | None = None,
    keys: Sequence[str] = (),
    compared: str = "system",
    test: str = "t",
    adjust: str = "holm",
    confidence: float = 0.95,
    repeats: Sequence[str] = (),
    lower_is_better: Sequence[str] = (),
    missing: str | None = None,
    convention: str | None = None,
    ties: str | None = None,
    values: bool = False,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Return the systems of each measure by their means, with their significant differences.

    For the arguments see `compare`, for the columns `ltr_sql.leaderboard`. The column p_best, a bootstrap, is left out.
    """
    choices = _choices(ComparisonOptions(test, adjust, confidence=confidence))
    given = Given(
        rankings, measures, qrels, {}, keys, compared, repeats, values, ties, convention, False, missing=missing
    )
    frame, fragments = _values_of(given, spark, lower_is_better)
    return _computed(frame, comparison_query(fragments, choices, "leaderboard"))


def wins(
    rankings: DataFrame | str,
    a: str,
    b: str,
    measures: str | Iterable[str] | None = None,
    *,
    qrels: DataFrame | str | None = None,
    keys: Sequence[str] = (),
    compared: str = "system",
    repeats: Sequence[str] = (),
    missing: str | None = None,
    convention: str | None = None,
    ties: str | None = None,
    values: bool = False,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Return the common queries of two systems, the largest difference first.

    For the arguments see `compare`, for the columns `ltr_sql.wins`.
    """
    texts = [measures] if isinstance(measures, str) else measures
    given = Given(rankings, texts, qrels, {}, keys, compared, repeats, values, ties, convention, False, missing=missing)
    frame, fragments = _values_of(given, spark)
    return _computed(frame, wins_query(fragments, str(a), str(b)))


def variance(
    rankings: DataFrame | str,
    measures: Iterable[str] | None = None,
    *,
    qrels: DataFrame | str | None = None,
    keys: Sequence[str] = (),
    compared: str = "system",
    repeats: Sequence[str] = (),
    missing: str | None = None,
    convention: str | None = None,
    ties: str | None = None,
    values: bool = False,
    spark: SparkSession | None = None,
) -> DataFrame:
    """Return the variance of values split into systems, queries and error, as `ltr.variance` does in DuckDB.

    For the arguments see `compare`.
    """
    given = Given(
        rankings, measures, qrels, {}, keys, compared, repeats, values, ties, convention, False, missing=missing
    )
    frame, fragments = _values_of(given, spark)
    return _computed(frame, values_query("variance", fragments, Choices()))


def register(spark: SparkSession) -> None:
    """Create the distribution functions as temporary SQL functions: t_p, t_quantile, normal_p, f_p and tukey_p."""
    for distribution in distributions().values():
        if distribution.public:
            arguments = ", ".join(f"{name} double" for name in distribution.arguments)
            body = expressions(SPARK)[distribution.name](*distribution.arguments)
            spark.sql(
                f"create or replace temporary function {distribution.name}({arguments}) returns double\n"
                f"comment {SPARK.string(distribution.summary)}\nreturn {body}"
            )


def _choices(options: ComparisonOptions) -> Choices:
    choices = options.choices()
    if options.ci in ("percentile", "bca"):
        raise InputError(
            f"ci={options.ci!r} draws random samples, which only DuckDB computes: pass ci='abc', or collect the values "
            "of the queries and call ltr_sql.compare with values=True"
        )
    return choices


def _values_of(
    given: Given,
    spark: SparkSession | None,
    lower_is_better: Sequence[str] = (),
    baseline: str | Sequence[str] | None = None,
) -> tuple[DataFrame, ComparedValues]:
    """Return the values of the queries to compare, and their SQL fragments."""
    others = strata_and_repeats(given)
    if given.values:
        frame = _frame(given.rankings, spark)
        measures = measures_of_values(_table(_INPUT, frame), given, others)
    else:
        texts = list(given.measures or DEFAULT_MEASURES)
        parsed, ties, missing = resolved(replace(given, measures=texts))
        frame = evaluate(
            given.rankings,
            texts,
            qrels=given.qrels,
            keys=[given.compared, *others],
            by_query=True,
            ties=ties,
            missing=missing,
            convention=given.convention,
            spark=spark,
        )
        measures = [measure.text for measure in parsed]
    return frame, fragments_of(_table(_INPUT, frame), measures, given, lower_is_better, baseline)


# The name of the table of values in a query.
_INPUT = "__ltr_input"


def _computed(values: DataFrame, query: str) -> DataFrame:
    """Return the result of a query over the table of values."""
    ctes, final = split_query(query, SPARK)
    return _result(ctes, final, {_INPUT: values})


def _result(ctes: Sequence[Cte], final: str, frames: Mapping[str, DataFrame]) -> DataFrame:
    """Run a query in steps: compute each stored expression once, because Spark would compute it for each use."""
    pending: list[Cte] = []
    for cte in ctes:
        if cte.stored:
            inner, select = split_query(cte.body, SPARK)
            stored = _result([*pending, *inner], select, frames).localCheckpoint()
            frames = {**frames, cte.name: stored}
        else:
            pending.append(cte)
    given = [Cte(name, f"select * from {{{name}}}", stored=True) for name in frames]
    escaped = [Cte(cte.name, _escaped(cte.body), cte.stored) for cte in pending]
    query = joined_query([*given, *escaped], _escaped(final))
    read: dict[str, Any] = {name: frame for name, frame in frames.items() if f"{{{name}}}" in query}
    session = next(iter(frames.values())).sparkSession
    return session.sql(query, **read)


def _escaped(text: str) -> str:
    # Spark replaces names in braces.
    return text.replace("{", "{{").replace("}", "}}")
