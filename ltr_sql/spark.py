"""Evaluate measures and compare systems on Spark, over data frames or tables of a cluster."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack, cast

from ltr_sql.catalogue.measure_strings import DEFAULT_MEASURES, resolve_options
from ltr_sql.catalogue.options import PairTests, Reading, Tests, Values, options_of, takes
from ltr_sql.comparison.values import (
    Given,
    doubts_about,
    doubts_about_datasets,
    doubts_about_repeats,
    fragments_of,
    measures_of_values,
    refuse_empty,
    resolved,
    strata_and_repeats,
)
from ltr_sql.errors import InputError, InputWarning
from ltr_sql.evaluation.options import Averaging
from ltr_sql.evaluation.values import (
    QueryValues,
    depth_judged,
    doubts_about_clusters,
    doubts_about_judges,
    refuse_unjudged,
    with_depth,
)
from ltr_sql.inputs.binding import Joining, bind_unchecked, check_asked
from ltr_sql.inputs.containers import text_of_id
from ltr_sql.inputs.forms import InputForm, beir_names, check_ranks_from_0, input_form
from ltr_sql.inputs.tables import (
    Table,
    canonical_column_names,
    has_texts,
    with_grades,
    with_highest_grades,
    with_numbers,
)
from ltr_sql.rendering.comparisons import (
    Choices,
    ComparedValues,
    comparison_choices,
    comparison_query,
    hidden_columns,
    result_of_pairs,
    values_query,
    wins_query,
)
from ltr_sql.rendering.dialects import SPARK
from ltr_sql.rendering.measure_columns import expressions, probabilities
from ltr_sql.rendering.spread import Judges, judged_rows, spread_query
from ltr_sql.rendering.sql_text import Cte, joined_query, split_query, translated
from ltr_sql.validation.suspicions import errors_query, refusing

try:
    from pyspark.errors import AnalysisException, ParseException
    from pyspark.sql import DataFrame, SparkSession
except ImportError as error:
    raise ImportError("ltr_sql.spark needs pyspark: pip install 'ltr-sql[spark]', and Java 17 or later") from error


@takes(Reading)
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
    check: bool = True,
    spark: SparkSession | None = None,
    **reading: Unpack[Reading],
) -> DataFrame:
    """Return the values of measures: means over queries, or with `by_query` one row per query.

    - `rankings`, `qrels`: Spark data frames or table names.
    - `spark`: session, for inputs that are names of its tables.
    - `measures`, `keys`, `by_query`, `ties`, `missing`, `convention`: see `ltr_sql.evaluate`.
    - `check`: false skips the search for errors that the query of the measures does not find, such as NULL ids.

    Returns a Spark data frame with the columns and values of `ltr_sql.evaluate`. Evaluation is lazy, the rows are
    unordered, and no rows are collected to the driver. Only `asked` and `ranks_from=0` start a small job, which checks
    their table.

    Raises MeasureError for an invalid measure or one that Spark cannot compute, and InputError for missing columns.
    Invalid rows, such as duplicate documents, raise a Spark error when the query runs.
    """
    parsed, tie_rule, missing_rule = resolve_options(measures, convention, ties, missing)
    form = input_form(reading)
    given = {"run": rankings} if qrels is None else {"run": rankings, "qrels": qrels}
    frames = {role: _formed(_frame(value, spark), role, form) for role, value in given.items()}
    if form.asked is not None:
        frames["asked"] = _asked(form.asked.given, frames["run"], spark, form)
    _refuse_unused(form, frames, [_frame(value, spark) for value in given.values()])
    given_as = {role: f"__ltr_table_{role}" for role in frames}
    tables = {role: _table(name, frames[role]) for role, name in given_as.items()}
    joining = Joining(form.duplicates, form.unjudged, tables.get("asked"))
    bound = bind_unchecked(
        tables["run"],
        tables.get("qrels"),
        parsed,
        keys=keys,
        ties=tie_rule,
        missing=missing_rule,
        joining=joining,
    )
    query = bound.query(parsed, averaged=not by_query)
    if check:
        query = refusing(query, errors_query(bound, parsed), SPARK)
    return _computed({name: frames[role] for role, name in given_as.items()}, query)


def _formed(frame: DataFrame, role: str, form: InputForm) -> DataFrame:
    """Return a data frame of the caller with our names of its columns, ranks from 1, and grades for texts."""
    names = {**beir_names(role, frame.columns), **form.names_in(role, frame.columns)}
    if nested := [name for name in names if name not in frame.columns]:
        raise InputError(
            f"columns: {nested[0]!r} is a path into nested values, which Spark reads with explode and select"
        )
    frame = _with_canonical_names(frame.withColumnsRenamed(names))
    ranks = form.ranks_in(role, frame.columns)
    if ranks:
        check_ranks_from_0(lambda query: _computed({_INPUT: frame}, query).collect(), _table(_INPUT, frame), ranks)
        frame = frame.withColumns({name: frame[name] + 1 for name in ranks})
    table = _table(_INPUT, frame)
    if form.grades and has_texts(table):
        table = with_grades(table, form.grades)
    table = with_numbers(table)
    if form.qrels_duplicates == "max" and role == "qrels":
        table = with_highest_grades(table)
    return frame if table.sql == _INPUT else _computed({_INPUT: frame}, f"select * from {table.sql}")


def _asked(given: Any, run: DataFrame, spark: SparkSession | None, form: InputForm) -> DataFrame:
    """Return the queries that were asked, which may be a list of ids."""
    if isinstance(given, DataFrame | str):
        frame = _formed(_frame(given, spark), "asked", form)
    elif isinstance(given, Iterable) and not isinstance(given, Mapping):
        frame = run.sparkSession.createDataFrame([(text_of_id(query),) for query in given], "query_id string")
    else:
        raise InputError(
            f"asked: pass a list of query ids, a Spark data frame or a table name, got {type(given).__name__}"
        )
    check_asked(lambda query: _computed({_INPUT: frame}, query).collect(), _table(_INPUT, frame))
    return frame


def _refuse_unused(form: InputForm, frames: Mapping[str, DataFrame], given: Sequence[DataFrame]) -> None:
    """Raise InputError for options about judgments without judgments, and for names that no data frame has."""
    if "qrels" not in frames:
        options = {**form.joining, **({} if form.qrels_duplicates == "error" else {"qrels_duplicates": "max"})}
        for name in options:
            raise InputError(f"{name} is about runs with judgments: leave it out, or pass qrels=")
    for role in form.tables:
        if role not in frames:
            raise InputError(f"columns: the call does not read the table {role!r}: leave out its names")
    columns = {name for frame in given for name in frame.columns}
    for name in form.shared:
        if name not in columns:
            raise InputError(f"columns: no table has a column {name!r}")


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
        raise InputError(f"{given} is not a table of the session: {error.getCondition()}") from None


def _with_canonical_names(frame: DataFrame) -> DataFrame:
    """Return the data frame with known columns in lower case."""
    return frame.withColumnsRenamed(canonical_column_names(frame.columns))


def _table(name: str, frame: DataFrame) -> Table:
    """Return a data frame as the table `name` of a query, with DuckDB's names of types."""
    kinds = {field.name: field.dataType.simpleString().upper() for field in frame.schema}
    return Table(name, {name: "INTEGER" if kind == "INT" else kind for name, kind in kinds.items()}, dialect=SPARK)


@takes(PairTests)
def compare(
    rankings: DataFrame | str,
    measures: Iterable[str] | None = None,
    *,
    spark: SparkSession | None = None,
    **options: Unpack[PairTests],
) -> DataFrame:
    """Return differences between systems, with tests and intervals: one row per measure and pair of systems.

    - `rankings`: a Spark data frame or a table name. With `values`, a table of values.
    - `measures`, and the columns of the result: see `ltr_sql.compare`. Of its options, those about draws, weights and
      tables of measures beyond accuracy are missing. `human` is a data frame or a table name. `cluster` is the name of
      a column of `rankings`, or a data frame with query_id and cluster.
    - `spark`: session, for inputs that are names of its tables.

    Spark computes the result when the function is called, and keeps it in the memory of the workers.

    Raises InputError for invalid options, and for the intervals 'percentile' and 'bca', which Spark does not compute.
    With test='randomization', Spark raises an error if a pair has too many differing queries for an exact test.
    """
    choices = _choices(options)
    frame, fragments = _values_of(Given(rankings, measures, options), spark)
    found: DataFrame = _computed(
        {_INPUT: frame}, comparison_query(fragments, choices, result_of_pairs(options["details"]))
    ).localCheckpoint()

    def rows(query: str) -> list[Any]:
        found_rows: list[Any] = found.sparkSession.sql(query, found=found).collect()
        return found_rows

    if not options["allow_empty"]:
        refuse_empty(rows, "{found}")
    for text in doubts_about(rows, "{found}", options["margin"]):
        warnings.warn(text, InputWarning, stacklevel=3)
    if options["across"] is not None:
        for text in doubts_about_datasets(rows, "{found}"):
            warnings.warn(text, InputWarning, stacklevel=3)
    if options["cluster"] is not None:
        for text in doubts_about_clusters(rows, "{found}", options["paired"]):
            warnings.warn(text, InputWarning, stacklevel=3)
    hidden = hidden_columns(options["details"])
    return found.drop(*hidden) if hidden else found


@takes(Reading)
def distribution(
    rankings: DataFrame | str,
    measures: Iterable[str] | None = None,
    *,
    qrels: DataFrame | str | None = None,
    keys: Sequence[str] = (),
    ties: str | None = None,
    missing: str | None = None,
    convention: str | None = None,
    confidence: float = 0.95,
    spark: SparkSession | None = None,
    **reading: Unpack[Reading],
) -> DataFrame:
    """Return the distribution of measures over queries: one row per group and measure.

    For the arguments see `evaluate`, for the columns `ltr_sql.distribution`. Weights of queries are not available.
    """
    level = Averaging("t", confidence).level
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
        **reading,
    )
    names = [measure.text for measure in resolve_options(texts, convention, None, None)[0]]
    return _computed({_INPUT: values}, spread_query(_INPUT, names, keys, level=level, dialect=SPARK))


@takes(Tests)
def leaderboard(
    rankings: DataFrame | str,
    measures: Iterable[str] | None = None,
    *,
    spark: SparkSession | None = None,
    **options: Unpack[Tests],
) -> DataFrame:
    """Return the systems of each measure by their means, with their significant differences.

    For the arguments see `compare`, for the columns `ltr_sql.leaderboard`. The columns of the bootstrap are left out:
    p_best, sampled_low and sampled_high.
    """
    choices = _choices(options)
    frame, fragments = _values_of(Given(rankings, measures, options), spark)
    return _computed({_INPUT: frame}, comparison_query(fragments, choices, "leaderboard"))


@takes(Values)
def wins(
    rankings: DataFrame | str,
    a: str,
    b: str,
    measures: str | Iterable[str] | None = None,
    *,
    spark: SparkSession | None = None,
    **options: Unpack[Values],
) -> DataFrame:
    """Return the common queries of two systems, the largest difference first.

    For the arguments see `compare`, for the columns `ltr_sql.wins`.
    """
    texts = [measures] if isinstance(measures, str) else measures
    frame, fragments = _values_of(Given(rankings, texts, options), spark)
    return _computed({_INPUT: frame}, wins_query(fragments, str(a), str(b)))


@takes(Values)
def variance(
    rankings: DataFrame | str,
    measures: Iterable[str] | None = None,
    *,
    spark: SparkSession | None = None,
    **options: Unpack[Values],
) -> DataFrame:
    """Return the variance of values split into systems, queries and error.

    For the arguments see `compare`, for the columns `ltr_sql.variance`.
    """
    frame, fragments = _values_of(Given(rankings, measures, options), spark)
    return _computed({_INPUT: frame}, values_query("variance", fragments))


def register(spark: SparkSession) -> None:
    """Create the probability functions as temporary SQL functions: t_p, t_quantile, normal_p, f_p and tukey_p."""
    for function in probabilities().values():
        if function.public:
            arguments = ", ".join(f"{name} double" for name in function.arguments)
            body = expressions(SPARK)[function.name](*function.arguments)
            spark.sql(
                f"create or replace temporary function {function.name}({arguments}) returns double\n"
                f"comment {SPARK.string(function.summary)}\nreturn {body}"
            )


def _choices(options: Mapping[str, Any]) -> Choices:
    choices = comparison_choices(**options)
    if choices.ci in ("percentile", "bca"):
        raise InputError(
            f"ci={choices.ci!r} draws random samples, which only DuckDB computes: pass ci='abc', or collect the values "
            "of the queries and call ltr_sql.compare with values=True"
        )
    return choices


def _values_of(given: Given, spark: SparkSession | None) -> tuple[DataFrame, ComparedValues]:
    """Return the values of the queries to compare, and their SQL fragments."""
    others = strata_and_repeats(given)
    if given.options["values"]:
        frame = _frame(given.rankings, spark)
        measures = measures_of_values(_table(_INPUT, frame), given, others)
    else:
        frame = _by_query(given, given.options["qrels"], spark)
        if given.repeats:
            # The values are read twice: to count the repeats of the queries, and to compare.
            frame = frame.localCheckpoint()
        measures = [measure.text for measure in resolved(given).measures]
    values = _table(_INPUT, frame)

    def rows(query: str) -> list[Any]:
        found_rows: list[Any] = _computed({_INPUT: frame}, query).collect()
        return found_rows

    texts = doubts_about_repeats(rows, values, given.query, given.repeats)
    if given.options.get("human") is not None or given.options.get("cluster") is not None:
        frame, more = _with_judges(frame, given, measures, spark)
        texts += more
    for text in texts:
        warnings.warn(text, InputWarning, stacklevel=4)
    return frame, fragments_of(QueryValues(values, measures), given)


def _by_query(given: Given, qrels: Any, spark: SparkSession | None) -> DataFrame:
    """Return the values of rankings by query, under some judgments."""
    options = resolved(given)
    measures = options.measures
    if given.options.get("human") is not None and not given.options["allow_unjudged"]:
        measures = with_depth(measures)
    return evaluate(
        given.rankings,
        [measure.text for measure in measures],
        qrels=qrels,
        keys=[given.compared, *strata_and_repeats(given)],
        by_query=True,
        ties=options.ties,
        missing=options.missing,
        convention=given.options["convention"],
        spark=spark,
        **cast("Reading", {name: given.options[name] for name in options_of(Reading)}),
    )


def _with_judges(
    frame: DataFrame, given: Given, measures: Sequence[str], spark: SparkSession | None
) -> tuple[DataFrame, list[str]]:
    """Return values with those of people and with clusters of queries, and warnings."""
    frames: dict[str, Any] = {"llm": frame}
    if given.options["human"] is not None:
        people = given.options["human"]
        frames["human"] = _frame(people, spark) if given.options["values"] else _by_query(given, people, spark)
        if not given.options["values"] and not given.options["allow_unjudged"]:
            frames = {name: judged.localCheckpoint() for name, judged in frames.items()}
    tables = {name: _table(f"{{{name}}}", judged) for name, judged in frames.items()}

    def rows(query: str) -> list[Any]:
        found_rows: list[Any] = frame.sparkSession.sql(query, **frames).collect()
        return found_rows

    keys = [*given.query, *given.repeats]
    if "human" in frames:
        tables["human"].require("human", *keys, *measures)
        if not given.options["values"] and not given.options["allow_unjudged"]:
            refuse_unjudged(rows, tables["llm"], tables["human"], keys, depth_judged(resolved(given).measures).text)
    column = given.options["cluster"] if given.options["cluster"] in frame.columns else ""
    if given.options["cluster"] is not None and not column:
        frames["clusters"] = _clusters(given, spark)
    human, clusters = (f"{{{name}}}" if name in frames else "" for name in ("human", "clusters"))
    query = judged_rows(Judges("{llm}", human, column, clusters), [*keys, *measures], SPARK)
    judged: DataFrame = frame.sparkSession.sql(query, **frames)
    if "human" not in frames:
        return judged, []
    judged = judged.localCheckpoint()
    frames = {"judged": judged}
    of_queries = [*given.strata, "query_id"]
    return judged, doubts_about_judges(rows, _table("{judged}", judged), measures, given.compared, of_queries)


def _clusters(given: Given, spark: SparkSession | None) -> DataFrame:
    """Return the clusters of queries: a data frame with the columns query_id and cluster."""
    cluster = given.options["cluster"]
    if isinstance(cluster, str) and not given.options["values"]:
        run = _formed(_frame(given.rankings, spark), "run", input_form(given.options))
        if cluster in run.columns:
            return run.selectExpr("query_id", f"{SPARK.identifier(cluster)} as cluster").distinct()
    return _frame(cluster, spark)


# The name of the only table of a query.
_INPUT = "__ltr_input"


def _computed(frames: Mapping[str, DataFrame], query: str) -> DataFrame:
    """Return the result of a query. `frames` are the data frames by their names in the query."""
    ctes, final = split_query(translated(query, SPARK), SPARK)
    return _result(ctes, final, frames)


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
