"""Compare the SQL with the numpy oracle on the caller's data."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from inspect import signature
from typing import TYPE_CHECKING, Any, Unpack

import duckdb

from ltr_sql import oracle
from ltr_sql.catalogue.functions import SHAPES, TABLES
from ltr_sql.catalogue.measure_strings import Measure, parse_measures, parse_measures_under
from ltr_sql.catalogue.measures import beyond_accuracy_definitions, definition_of, definitions, is_better_lower
from ltr_sql.catalogue.options import Compare, Reading, defaults_of, takes
from ltr_sql.comparison.compare import compare
from ltr_sql.comparison.values import Given, fragments_of, values_of
from ltr_sql.errors import InputError
from ltr_sql.evaluation.accuracy import bind
from ltr_sql.evaluation.lists import checked_lists
from ltr_sql.evaluation.options import EvaluationOptions, Inputs
from ltr_sql.inputs.binding import Bound, ties_without_ids
from ltr_sql.inputs.gains import Gains, measures_with_gains, read_gains
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Table
from ltr_sql.oracle import comparison
from ltr_sql.oracle.comparison import Comparison
from ltr_sql.rendering.comparisons import DETAILED, comparison_choices, comparison_query, margins_of
from ltr_sql.rendering.spread import CLUSTER, WEIGHT
from ltr_sql.stages import MEASURES, stage
from ltr_sql.validation.checks import look_for, of_measures, quick_check

if TYPE_CHECKING:
    import pandas as pd

TOLERANCE = 1e-12
# Tolerance for values that are computed by quadrature.
INTEGRAL_TOLERANCE = 1e-10
# Options of `compare` that its oracle has, too.
_ORACLE_OPTIONS = ("test", "planned", "adjust", "family", "ci", "confidence", "replicates", "resamples", "seed")

Row = dict[str, Any]


@takes(Reading)
def verify(
    rankings: Any,
    measures: Iterable[str] | None = None,
    *,
    qrels: Any = None,
    documents: Any = None,
    history: Any = None,
    targets: Any = None,
    baseline: Any = None,
    keys: Sequence[str] = (),
    ties: str = "docid_desc",
    missing: str = "zero",
    gains: Any = None,
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> "pd.DataFrame":
    """Compute measures in SQL and with the numpy oracle, and return how far they differ.

    The oracle shares no code with the SQL. It evaluates one query at a time in Python, from ranking to values. For
    large data, pass a sample.

    - `measures`: measure strings. By default all measures that the input allows, with 10 or 0.5 after the @. Measures
      with other required parameters are left out.
    - `rankings`, `qrels`, `keys`, `ties`, `missing`, `gains`, `con`: see `evaluate`.
    - `documents`, `history`, `targets`, `baseline`: tables that measures beyond accuracy read; see `evaluate`.

    Returns a pandas data frame with one row per measure:

    - `measure`: the measure string.
    - `queries`: number of queries.
    - `largest_difference`: largest difference of any query, relative if a value exceeds 1. It is infinite if only one
      of the two values is NULL.
    - `verdict`: 'equal' if the largest difference is at most 1e-12, otherwise 'different'.

    Raises MeasureError and InputError, and warns with InputWarning, as `evaluate` does.

    >>> ltr_sql.verify({"q": {"a": 2.0, "b": 1.0}}, ["RR", "nDCG@10"], qrels={"q": {"b": 1}})
       measure  queries  largest_difference verdict
    0       RR        1                 0.0   equal
    1  nDCG@10        1                 0.0   equal
    """
    import pandas as pd  # noqa: PLC0415  (slow to load)

    tables = {"documents": documents, "history": history, "targets": targets, "baseline": baseline}
    options = verified_options(measures, ties, missing, keys, None if gains is None else read_gains(gains))
    inputs = Inputs(rankings, qrels, tables)
    return pd.DataFrame(with_warnings(con, lambda state: verified(state, inputs, options), {**reading, "keys": keys}))


def verified_options(
    measures: Iterable[str] | None, ties: str, missing: str, keys: Sequence[str], gains: Gains | None
) -> EvaluationOptions:
    """Return the measures and options of `verify`, without measures for all that the input allows."""
    parsed = () if measures is None else tuple(parse_measures_under(ties, measures))
    return EvaluationOptions(parsed, ties, missing, gains, keys)


def verified(state: Session, inputs: Inputs, options: EvaluationOptions) -> tuple[list[Row], list[str]]:
    """Return the rows of `verify` as dicts, and the texts of its warnings."""
    for name in state.form.joining:
        raise InputError(f"verify computes the oracle from the rows as they are: leave out {name}")
    run = state.bind(inputs.rankings, "run")
    judgments = None if inputs.qrels is None else state.bind(inputs.qrels, "qrels")
    tables = {name: state.bind(value, name) for name, value in inputs.tables.items() if value is not None}
    measures = options.measures or tuple(_possible_measures(run, judgments, tables, options.ties))
    if options.gains is not None:
        measures = tuple(measures_with_gains(measures))
    beyond = tuple(measure for measure in measures if measure.definition.beyond_accuracy)
    others = tuple(measure for measure in measures if measure not in beyond)
    rows: dict[str, Row] = {}
    warning_texts: list[str] = []
    if others:
        rows, warning_texts = _compare_rankings(state, run, judgments, replace(options, measures=others))
    if beyond:
        if judgments is not None:
            tables["qrels"] = judgments
        found, texts = _compare_lists(state, run, tables, replace(options, measures=beyond))
        rows |= found
        warning_texts += texts
    return [rows[measure.text] for measure in measures], warning_texts


def verify_comparison(
    rankings: Any,
    measures: Iterable[str] | None = None,
    **options: Any,
) -> "pd.DataFrame":
    """Compare systems in SQL and with the numpy oracle, and return how far the results differ.

    The oracle starts from the values by query that the SQL computed. `verify` checks those values. The oracle takes
    seconds for thousands of queries or random signs. For large data, pass a sample.

    - `rankings`, `options`: see `compare`.
    - `measures`: measure strings with a value for each query; see `compare`.

    Returns a pandas data frame with one row per column of `compare`, except those that name systems and measures. With
    `across`, `cluster` and `paired=False`, the columns are those of the estimate: difference, df, p, uncorrected_low
    and uncorrected_high.

    - `column`: name of the column.
    - `comparisons`: number of rows.
    - `largest_difference`: largest difference of any row, relative if a value exceeds 1. It is infinite if only one of
      the two values is NULL, and for texts that differ.
    - `verdict`: 'equal' if the largest difference is at most 1e-12, otherwise 'different'. For p_adjusted of
      adjust='tukey', which is an integral, the limit is 1e-10.

    Raises MeasureError and InputError as `compare` does.
    """
    import pandas as pd  # noqa: PLC0415  (slow to load)

    signature(compare).bind(rankings, measures, **options)
    asked = defaults_of(Compare, **options)
    if asked["totals"]:
        raise InputError("verify_comparison compares the groups: leave out totals")
    if asked["human"] is not None:
        raise InputError("verify_comparison compares values of one judge: leave out human")
    estimated = asked["across"] is not None or asked["cluster"] is not None or not asked["paired"]
    if estimated and asked["test"] != "t":
        raise InputError(
            f"verify_comparison checks means over clusters by the t test: leave out test={asked['test']!r}"
        )
    if asked["weights"] is not None and not asked["paired"]:
        raise InputError("verify_comparison checks paired=False without weights: leave out weights")
    given, choices = Given(rankings, measures, asked), comparison_choices(**asked)

    def run(state: Session) -> list[Row]:
        found, _ = values_of(state, given)
        values = fragments_of(found, given)
        columns = (*given.strata, "measure", "system_a", "system_b")
        by_sql = _by_columns(_rows(state, f"(\n{comparison_query(values, choices, DETAILED)}\n)"), columns)
        rows = _rows(state, found.table.sql)
        if estimated:
            pairs = [(row, _estimate_of_oracle(row, rows, given)) for row in by_sql.values()]
            return [_compare_column(name, pairs, asked["adjust"]) for name in _ESTIMATED]
        by_oracle = _by_columns(_comparisons_of_oracle(rows, found.measures, given, asked), columns)
        if by_sql.keys() != by_oracle.keys():
            raise AssertionError(f"SQL and oracle disagree on the comparisons: {by_sql.keys() ^ by_oracle.keys()}")
        pairs = [(row, by_oracle[key]) for key, row in by_sql.items()]
        compared = [f.name for f in fields(Comparison) if f.name not in columns]
        return [_compare_column(name, pairs, asked["adjust"]) for name in compared]

    return pd.DataFrame(with_warnings(asked["con"], lambda state: (run(state), []), asked))


# The columns that the oracle computes for means over datasets and clusters, and of systems with queries of their own.
_ESTIMATED = ("difference", "df", "p", "uncorrected_low", "uncorrected_high")


def _estimate_of_oracle(row: Row, rows: Sequence[Row], given: Given) -> Row:
    """Return the columns `_ESTIMATED` of a row of `compare`, computed by the oracle from a table of values.

    Without a variance, the oracle has only the difference, and the other columns are those of the row.
    """
    measure, asked = row["measure"], given.options
    definition = definition_of(measure)
    geometric = definition is not None and definition.average == "geometric"
    of_stratum = [each for each in rows if all(each[name] == row[name] for name in given.strata)]
    unit = [*given.across, "query_id"]
    systems = {str(each[given.compared]) for each in of_stratum}
    of_system: dict[str, dict[Any, float]] = {system: {} for system in systems}
    for query, system, value in comparison.average_repeats(
        (tuple(each[n] for n in unit), str(each[given.compared]), tuple(each[n] for n in given.repeats), each[measure])
        for each in of_stratum
    ):
        if value is not None:
            of_system[system][query] = math.log(max(value, 1e-5)) if geometric else value
    if asked["missing"] == "zero":
        owed = {query for values in of_system.values() for query in values}
        zeros = dict.fromkeys(owed, math.log(1e-5) if geometric else 0.0)
        of_system = {system: {**zeros, **values} for system, values in of_system.items()}
    first, second = (of_system[row[name]] for name in ("system_a", "system_b"))
    facts = {tuple(each[n] for n in unit): each for each in of_stratum}
    if not asked["paired"]:
        clusters = None
        if asked["cluster"] is not None:
            clusters = ([facts[q][CLUSTER] for q in first], [facts[q][CLUSTER] for q in second])
        found = comparison.unpaired_difference([*first.values()], [*second.values()], clusters)
    else:
        differences = {query: second[query] - first[query] for query in first.keys() & second.keys()}
        found = _estimate_of_differences(differences, facts, asked)
    # A margin is tested one-sided, so its interval has twice the level.
    interval = found.interval(asked["confidence"] if asked["margin"] is None else 2 * asked["confidence"] - 1)
    if not found.stderr or interval is None:
        return {**row, "difference": found.mean}
    return dict(zip(_ESTIMATED, (found.mean, found.df, found.p(), *interval), strict=True))


def _estimate_of_differences(
    differences: Mapping[Any, float], facts: Mapping[Any, Row], asked: Mapping[str, Any]
) -> comparison.Estimate:
    """Return the mean difference over datasets or over clusters of queries.

    `facts`: a row of the table of values of each query, which names its weight and cluster.
    """
    if asked["across"] is None:
        weights = None if asked["weights"] is None else [facts[query][WEIGHT] for query in differences]
        clusters = [facts[query][CLUSTER] for query in differences]
        return comparison.clustered_mean([*differences.values()], clusters, weights)
    by_dataset: dict[Any, list[float]] = defaultdict(list)
    for (dataset, _), value in differences.items():
        by_dataset[dataset].append(value)
    return comparison.mean_over_datasets(by_dataset, generalize=asked["generalize"])


def _comparisons_of_oracle(
    rows: Sequence[Row], measures: Sequence[str], given: Given, asked: Mapping[str, Any]
) -> list[Row]:
    """Return the rows of `compare` that the oracle computes from a table of values."""
    margin, relative_margin = margins_of(asked["margin"])
    options = {name: asked[name] for name in _ORACLE_OPTIONS}
    baseline = asked["baseline"]
    found = []
    for stratum, of_stratum in _group_rows(rows, given.strata).items():
        values = {
            measure: comparison.average_repeats(
                (row["query_id"], row[given.compared], tuple(row[name] for name in given.repeats), row[measure])
                for row in of_stratum
            )
            for measure in measures
        }
        compared = comparison.compare(
            values,
            baseline=[baseline] if isinstance(baseline, str) else baseline,
            lower_is_better={n for n in measures if n in asked["lower_is_better"] or is_better_lower(n)},
            geometric={n for n in measures if (d := definition_of(n)) is not None and d.average == "geometric"},
            margin=margin or None,
            relative_margin=relative_margin or None,
            missing=asked["missing"] or "skip",
            weights=None if asked["weights"] is None else {row["query_id"]: row[WEIGHT] for row in of_stratum},
            **options,
        )
        found += [dict(zip(given.strata, stratum, strict=True)) | asdict(row) for row in compared]
    return found


def _by_columns(rows: Sequence[Row], columns: Sequence[str]) -> dict[Any, Row]:
    return {tuple(row[name] for name in columns): row for row in rows}


# Columns that the correction by Tukey computes by quadrature.
_OF_TUKEY = ("p_adjusted", "confidence", "low", "high", "relative_low", "relative_high")


def _compare_column(name: str, rows: Sequence[tuple[Row, Row]], adjust: str) -> Row:
    cells = [(row[name], wanted[name]) for row, wanted in rows]
    largest = max((_difference_of_cells(value, expected) for value, expected in cells), default=0.0)
    by_integral = adjust == "tukey" and name in _OF_TUKEY
    tolerance = INTEGRAL_TOLERANCE if by_integral else TOLERANCE
    return {
        "column": name,
        "comparisons": len(rows),
        "largest_difference": largest,
        "verdict": "equal" if largest <= tolerance else "different",
    }


def _difference_of_cells(value: Any, expected: Any) -> float:
    if isinstance(expected, (int, float)) and isinstance(value, (int, float)):
        return difference(value, float(expected))
    return 0.0 if value == expected else math.inf


def oracle_value(measure: Measure, rows: Sequence[Row]) -> float:
    """Return the oracle's value of a measure for the rows of one query."""
    values = dict(measure.values)
    function = getattr(oracle, measure.definition.macro)
    if measure.definition.by_subtopic:
        extra = {name: [row[name] for row in rows] for name in ("doc_id", "subtopic")}
        result = function(_numbers(rows, "rank"), _numbers(rows, "relevance"), **extra, **values)
    elif not measure.definition.paired:
        rows = _with_last_document(_one_row_per_document(rows))
        result = function(_numbers(rows, "rank"), _numbers(rows, "relevance"), **values)
    elif rows and {"rank_a", "rank_b"} <= rows[0].keys():
        names = ["rank_a", "rank_b", *(["score_a", "score_b"] if measure.definition.by_score else [])]
        result = function(*(_numbers(rows, name) for name in names), **values)
    else:
        rows = _one_row_per_document(rows)
        pair = oracle.pair_with_ideal(_numbers(rows, "rank"), _numbers(rows, "relevance"))
        result = function(*pair, **values)
    return float(result)


def oracle_values(
    measure: Measure, run: Sequence[Row], tables: Mapping[str, Sequence[Row]]
) -> float | dict[Any, float]:
    """Return the oracle's value of a measure beyond accuracy for a run, or its values by query.

    - `run`: rows with query_id, doc_id and rank; `tables`: the rows of the tables in `TABLES`.
    """
    function = getattr(oracle, measure.definition.macro)
    read = {name: tables[name] for name in measure.definition.row_source.tables if name in tables}
    columns = ([row[name] for row in run] for name in ("query_id", "doc_id", "rank"))
    result: float | dict[Any, float] = function(*columns, **read, **dict(measure.values))
    return result


def difference(value: float | None, expected: float) -> float:
    """Return the difference of two values: relative if one exceeds 1, infinite if only one is missing (None or NaN)."""
    if value is None or math.isnan(value) or math.isnan(expected):
        return 0.0 if (value is None or math.isnan(value)) and math.isnan(expected) else math.inf
    return abs(value - expected) / max(1.0, abs(value), abs(expected))


def _compare(measure: Measure, by_sql: dict[Any, Row], queries: dict[Any, list[Row]]) -> Row:
    differences = [difference(by_sql[key][measure.text], oracle_value(measure, rows)) for key, rows in queries.items()]
    return _compared(measure, len(queries), differences)


def _compared(measure: Measure, queries: int, differences: Sequence[float]) -> Row:
    largest = max(differences, default=0.0)
    return {
        "measure": measure.text,
        "queries": queries,
        "largest_difference": largest,
        "verdict": "equal" if largest <= TOLERANCE else "different",
    }


def _compare_rankings(
    state: Session, run: Table, judgments: Table | None, options: EvaluationOptions
) -> tuple[dict[str, Row], list[str]]:
    """Return the rows of `verify` by measure string, and warnings."""
    measures = options.measures
    bound = bind(state, run, judgments, replace(options, check=False))
    _, warning_texts = quick_check(state.con, bound, measures, options.missing)
    warning_texts = of_measures(warning_texts, measures, measures)
    # `quick_check` leaves this test to the query.
    look_for(state.con, bound, {"duplicate_documents"})
    stage(MEASURES)
    by_sql = _by_columns(_rows(state, f"(\n{bound.query(measures, averaged=False)}\n)"), (*bound.keys.all, "query_id"))
    stage("oracle")
    queries = _rows_by_query(state, bound, options)
    gained = queries if options.gains is None else _rows_by_query(state, bound, options, dict(options.gains.by_grade))
    if by_sql.keys() != queries.keys():
        raise AssertionError(f"SQL and oracle disagree on the queries: {by_sql.keys() ^ queries.keys()}")
    found = {}
    for measure in measures:
        rows = gained if measure.definition.gains else queries
        if dict(measure.values).get("scope") == "collection" and bound.qrels is not None:
            graded = _rows(state, bound.qrels.sql)
            judged = {row["doc_id"] for row in graded if row["relevance"] is not None}
            rows = {key: _judged_in_collection(of_query, judged) for key, of_query in rows.items()}
        found[measure.text] = _compare(measure, by_sql, rows)
    return found, warning_texts


def _judged_in_collection(rows: Sequence[Row], judged: Collection[Any]) -> list[Row]:
    """Return the rows of a query, with the grade 0 for documents that only other queries judge."""
    others = [row.get("relevance") is None and row.get("doc_id") in judged for row in rows]
    return [{**row, "relevance": 0} if other else row for row, other in zip(rows, others, strict=True)]


def _compare_lists(
    state: Session, run: Table, tables: dict[str, Table], options: EvaluationOptions
) -> tuple[dict[str, Row], list[str]]:
    """Return the rows of `verify` for measures beyond accuracy by measure string, and warnings."""
    measures, ties = options.measures, options.ties
    if "baseline" in tables:
        tables["baseline"] = tables["baseline"].in_row_order(ties)
    bound, warning_texts = checked_lists(state, run.in_row_order(ties), tables, options)
    stage(MEASURES)
    in_sql = {
        over: _by_columns(_rows(state, f"(\n{bound.query(measures, averaged=over == 'run')}\n)"), names)
        for over, names in (("run", bound.keys), ("query", (*bound.keys, "query_id")))
    }
    stage("oracle")
    ranked = _ranked_rows(state, bound.run, (*bound.keys, "query_id"), ties)
    given = {
        name: _ranked_rows(state, table, ("query_id",), ties) if name == "baseline" else _cells(state, name, table)
        for name, table in bound.tables.items()
    }
    found = {}
    for measure in measures:
        by_oracle: dict[Any, float] = {}
        for key, rows in _group_rows(ranked, bound.keys).items():
            value = oracle_values(measure, rows, given)
            by_oracle |= {(*key, q): v for q, v in value.items()} if isinstance(value, dict) else {key: value}
        by_sql = in_sql[measure.definition.over]
        if by_sql.keys() != by_oracle.keys():
            raise AssertionError(f"SQL and oracle disagree on the lists: {by_sql.keys() ^ by_oracle.keys()}")
        differences = [difference(by_sql[key][measure.text], value) for key, value in by_oracle.items()]
        found[measure.text] = _compared(measure, len(in_sql["query"]), differences)
    return found, warning_texts


def _ranked_rows(state: Session, run: Table, keys: Sequence[str], ties: str) -> list[Row]:
    """Return the rows of a run with ranks. Rows without a rank are left out."""
    lists = _group_rows(_rows(state, run.sql), keys)
    if "rank" not in run.columns:
        for rows in lists.values():
            _rank(rows, ties, None)
    return [row for rows in lists.values() for row in rows if row["rank"] is not None]


def _cells(state: Session, name: str, table: Table) -> list[Row]:
    """Return the rows of one of the `TABLES`, with numbers as floats, and None for columns that it lacks."""
    _, types = TABLES[name]
    rows = [{**dict.fromkeys(types), **row} for row in _rows(state, table.sql)]
    numbers = [column for column, kind in types.items() if kind == "number"]
    return [{**row, **{n: None if row[n] is None else float(row[n]) for n in numbers}} for row in rows]


def _possible_measures(run: Table, judgments: Table | None, tables: Mapping[str, Table], ties: str) -> list[Measure]:
    """Return the measures that are verified by default, with their example number after the @.

    Measures beyond accuracy are among them if a table is given that only they read.
    """
    columns = {*run.columns}
    given = {**tables, **({} if judgments is None else {"qrels": judgments})}
    every = parse_measures(d.example for d in beyond_accuracy_definitions().values()) if tables else []
    beyond = [
        measure
        for measure in every
        if all(
            need.table in given and {*need.columns} <= given[need.table].columns.keys()
            for need in measure.definition.needed(dict(measure.values))
        )
    ]
    if judgments is None and "relevance" not in columns and "rank_a" not in columns:
        return beyond
    if judgments is not None:
        columns |= {*judgments.columns} - (set() if judgments.subtopics_vary else {"subtopic"})
    if "rank_a" in columns:
        shapes = {"pairs", "scored_pairs"} if columns >= {*SHAPES["scored_pairs"]} else {"pairs"}
    else:
        shapes = {"rankings", "pairs", "covers"} if "subtopic" in columns else {"rankings", "pairs"}
    possible = [
        d for d in definitions().values() if d.row_source.input in shapes and (ties != "expected" or d.expectation is d)
    ]
    # Leave out measures with other required parameters, such as the largest grade.
    return [*parse_measures(d.example for d in possible if all(p.name == d.at for p in d.required)), *beyond]


def _rows(state: Session, sql: str) -> list[Row]:
    return state.records(f"select * from {sql}")


def _rows_by_query(
    state: Session, bound: Bound, options: EvaluationOptions, gains: Mapping[float, float] | None = None
) -> dict[Any, list[Row]]:
    """Return the rows of each query, ranked and joined with the judgments in Python.

    The result maps the values of the keys and the query_id to rows. It has the unjudged documents of the run if a
    measure counts them. `gains`: custom gains by grade.
    """

    def graded(table: Table) -> list[Row]:
        rows, name = _rows(state, table.sql), "relevance"
        return [{**row, name: gains.get(row[name], row[name])} if gains and name in row else row for row in rows]

    with_unjudged = any(measure.reads_num_ret for measure in options.measures)
    names = (*bound.keys.of_run, "query_id")
    run = _group_rows(graded(bound.run), names)
    if "rank_a" not in bound.run.columns and "rank" not in bound.run.columns:
        qrels = graded(bound.qrels) if bound.qrels is not None else []
        grades: dict[Any, float] = {}
        for row in qrels:
            key = (row["query_id"], row["doc_id"])
            grade = row["relevance"]
            if grade is not None:
                grades[key] = max(grade, grades.get(key, grade))
        ties = options.ties if bound.qrels is not None else ties_without_ids(bound.run, options.ties, options.measures)
        for rows in run.values():
            _rank(rows, ties, grades if bound.qrels is not None else None)
    if bound.qrels is None:
        return run
    if bound.run.unanswered is not None:
        for key in _group_rows(_rows(state, bound.run.distinct(*names).sql), names):
            run.setdefault(key, [])
    judged = _group_rows(graded(bound.qrels), (*bound.keys.segments, "query_id"))
    systems = dict.fromkeys(key[:-1] for key in run) if bound.keys.of_run else {(): None}
    queries = {}
    for system in systems:
        for (*segments, query), documents in judged.items():
            retrieved = run.get((*system, query))
            if retrieved is None and options.missing == "skip":
                continue
            ranks = {row["doc_id"]: row["rank"] for row in retrieved or []}
            rows = [{**row, "rank": ranks.get(row["doc_id"])} for row in documents]
            if with_unjudged:
                known = {row["doc_id"] for row in documents}
                unjudged = dict.fromkeys(bound.qrels.columns)
                rows += [{**unjudged, "doc_id": d, "rank": rank} for d, rank in ranks.items() if d not in known]
            queries[*system, *segments, query] = rows
    return queries


def _rank(rows: list[Row], ties: str, grades: dict[Any, float] | None) -> None:
    """Set the rank of each row of a query, and its relevance from `grades`, by query_id and doc_id."""
    for row in rows:
        if grades is not None:
            row["relevance"] = grades.get((row["query_id"], row["doc_id"]))
    ranks = oracle.rank_by_score(
        _exact_numbers(rows, "score"),
        doc_id=[row.get("doc_id", "") for row in rows],
        relevance=_numbers(rows, "relevance") if "relevance" in rows[0] else None,
        row_order=_exact_numbers(rows, "row_order") if "row_order" in rows[0] else None,
        given_rank=_numbers(rows, "rank") if "rank" in rows[0] else None,
        ties=ties,
    )
    for row, rank in zip(rows, ranks, strict=True):
        row["rank"] = int(rank)


def _group_rows(rows: Iterable[Row], names: Sequence[str]) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in names)].append(row)
    return groups


def _one_row_per_document(rows: Sequence[Row]) -> Sequence[Row]:
    """Return one row per document, with its highest grade over all subtopics."""
    if not rows or "subtopic" not in rows[0]:
        return rows
    documents: dict[Any, Row] = {}
    for row in rows:
        known = documents.setdefault(row["doc_id"], row)
        if row["relevance"] is not None and (known["relevance"] is None or row["relevance"] > known["relevance"]):
            documents[row["doc_id"]] = row
    return list(documents.values())


def _with_last_document(rows: Sequence[Row]) -> Sequence[Row]:
    """Add a row at rank num_ret, because the oracle takes the last rank as the number of retrieved documents."""
    num_ret = max((row["num_ret"] for row in rows if row.get("num_ret") is not None), default=0)
    if not num_ret or any(row["rank"] == num_ret for row in rows):
        return rows
    return [*rows, {**rows[0], "rank": num_ret, "relevance": None}]


def _numbers(rows: Sequence[Row], name: str) -> list[float]:
    return [math.nan if row[name] is None else float(row[name]) for row in rows]


def _exact_numbers(rows: Sequence[Row], name: str) -> list[Any]:
    """Return the values of a column. Text is read as numbers, NULL becomes NaN, and other values keep their types."""
    values = [row[name] for row in rows]
    return [math.nan if value is None else float(value) if isinstance(value, str) else value for value in values]
