"""Run rendered SQL on engines other than DuckDB, and compare the results with case folders and with the oracle."""

import math
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

import duckdb

import ltr_sql
from ltr_sql.catalogue.functions import builders, relations
from ltr_sql.catalogue.measure_strings import parse_measures
from ltr_sql.catalogue.measures import beyond_accuracy_definitions
from ltr_sql.oracle import fusion as oracle
from ltr_sql.rendering.dialects import SPARK, Dialect
from ltr_sql.rendering.measure_columns import Column, Rankings
from ltr_sql.rendering.renderer import measures_query
from ltr_sql.rendering.sql_text import translated
from ltr_sql.verification import TOLERANCE, difference, oracle_values
from support import beyond_accuracy as beyond
from support import fusion
from support.builder_inputs import INPUTS, PARENTS, PROPENSITIES, QRELS, RECURSIVE, calls_of
from support.built import BUILDERS, check_rows, expected_rows
from support.case_folders import header_of, load, options_of_relation, rows_of
from support.measure_texts import check, sources_of, strings_of
from support.strategies import Row, covers, drawn, joined, pairs, rankings
from support.together import check_together, kind_of, together

DATAFUSION = Dialect(
    name="datafusion",
    inline="",
    text_type="text",
    quote_mark='"',
    error_function="",
    # A text that is not constant, as for Postgres.
    raised="cast({message} || substr(cast(random() as text), 1, 0) as {kind})",
    numbers="select unnest(generate_series(1, cast({last} as bigint))) as rank",
    functions={"typeof": "arrow_typeof({0})"},
    # Without parentheses, `and` would bind tighter than the comparison.
    same="({0} is not distinct from {1})",
    list_type="double[]",
    elements="unnest(generate_series(1, cast(cardinality({value}) as bigint))) as position, unnest({value}) as value",
    lists={"sorted_elements": "array_sort({0})", "sum_of": "array_sum({0})"},
    gaps=SPARK.gaps,
)
# Types of columns without texts, in the words of Arrow. The values decide the type of other columns.
TYPES = {"rank": "int64", "row_order": "int64", "click": "int64", "vector": "list"} | dict.fromkeys(
    [
        *("score", "relevance", "rank_a", "rank_b", "score_a", "score_b"),
        *("propensity", "popularity", "share", "weight"),
    ],
    "float64",
)
WITH_PROBABILITIES = {"off_policy", "interleaving", "rater_bias", "rater_agreement"}


class Engine(Protocol):
    """An engine that holds tables."""

    dialect: Dialect

    def create(self, name: str, rows: Sequence[Row], columns: Sequence[str]) -> None:
        """Create or replace a table."""

    def rows(self, query: str) -> list[Row]:
        """Run a query."""


def types_of(rows: Iterable[Row], columns: Iterable[str]) -> dict[str, str]:
    """Return the type of each column of a table."""
    rows = [*rows]
    kinds = {column: {type(row.get(column)) for row in rows} for column in columns}
    of_values = {str: "string", float: "float64", int: "int64"}
    return {
        column: "string"
        if str in found
        else TYPES.get(column) or next((of_values[k] for k in of_values if k in found), "string")
        for column, found in kinds.items()
    }


def values_of(engine: Engine, measures: Sequence[str], keys: Sequence[str], **tables: Any) -> list[Row]:
    return engine.rows(ltr_sql.render(measures, engine.dialect.name, keys=keys, **tables))


def check_cases(engine: Engine, cases: Sequence[Path]) -> None:
    """Check case folders of measures, which `together` can combine."""
    kind, every = kind_of(cases[0]), together(cases)
    engine.create("rows", every.rows, every.columns)
    # An engine that cuts longer names refuses them.
    longest = engine.dialect.longest_name or math.inf
    measures = [text for text in every.measures if len(text) <= longest]
    found = values_of(engine, measures, every.keys, **{"pairs" if kind == "pairs" else "rankings": "rows"})
    for text in {*every.measures} - {*measures}:
        (measure,) = parse_measures([text])
        column = Column(measure.definition, dict(measure.values), '"value"')
        query = measures_query([column], Rankings("rows"), tuple(every.keys), averaged=False, dialect=engine.dialect)
        labels = [*every.keys, "query_id"]
        rows = engine.rows(translated(query, engine.dialect))
        values = {tuple(row[name] for name in labels): row["value"] for row in rows}
        for row in found:
            row[text] = values[tuple(row[name] for name in labels)]
    check_together(cases, found)


def relation_query(engine: Engine, folder: Path, con: duckdb.DuckDBPyConnection) -> str:
    """Create the tables of a case of a relation, and return the query of the relation."""
    relation = relations()[folder.parent.name]
    options = options_of_relation(folder)
    keys = options.pop("keys", "").split()
    columns: dict[str, list[str]] = {}
    for name in [*relation.inputs, *(["asked"] if "asked" in options else [])]:
        columns[name] = header_of(folder / f"{name}.csv")
        # Rendered text names the columns that it outputs, so the tables must have them.
        columns[name] += [
            c for c in ("doc_id", "relevance") if c not in columns[name] and name in ("scored", "rankings")
        ]
        engine.create(name, rows_of(con, f"from {load(con, folder / f'{name}.csv')}"), columns[name])
    names: dict[str, Any] = dict(options)
    if "asked" in columns:
        names["asked_keys"] = " ".join(key for key in keys if key in columns["asked"])
    if relation.macro in ("judge", "pair"):
        names["has_rank"] = " ".join(name for name, header in columns.items() if "rank" in header)
    if relation.macro == "pair":
        names["has_score"] = " ".join(name for name, header in columns.items() if "score" in header)
    return ltr_sql.render(relation.macro, engine.dialect.name, keys=keys, **names)


def judges_subtopics(folder: Path) -> bool:
    """Return whether rendered text refuses a case: it knows no column subtopic, so documents seem judged twice."""
    return folder.parent.name == "judge" and "subtopic" in header_of(folder / "qrels.csv")


def check_relation(engine: Engine, folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Check a case folder of a relation such as judge."""
    text = relation_query(engine, folder, con)
    shown = [name for name in header_of(folder / "expected.csv") if name not in ("score", "row_order", "subtopic")]
    found = [tuple(row[name] for name in shown) for row in engine.rows(text)]
    expected = con.execute(f"select {', '.join(shown)} from {load(con, folder / 'expected.csv')}").fetchall()
    assert Counter(found) == Counter(expected)


RANDOM = {
    "rankings": (rankings, ["example", "system"], ["doc_id", "rank", "relevance"]),
    "covers": (covers, ["example", "system"], ["doc_id", "rank", "relevance", "subtopic"]),
    "pairs": (pairs, ["example"], ["rank_a", "rank_b", "score_a", "score_b"]),
}
PAIRED = sources_of("pairs", "scored_pairs")
SOURCES = {
    "rankings": ["documents", *({*PAIRED} - {"scores"})],
    "covers": ["coverage", "subtopics"],
    "pairs": PAIRED,
}


def check_random(engine: Engine, kind: str, without: Container[str] = ()) -> None:
    """Compare measures of random rows with the oracle. `without` names macros to leave out."""
    made, keys, columns = RANDOM[kind]
    rows = joined(drawn(made(), 60))
    engine.create("rows", rows, [*keys, "query_id", *columns])
    texts = strings_of(*SOURCES[kind])
    measures = [m.text for m in parse_measures(texts) if m.definition.macro not in without]
    for start in range(0, len(measures), 20):
        some = measures[start : start + 20]
        check(values_of(engine, some, keys, **{"pairs" if kind == "pairs" else "rankings": "rows"}), rows, some, keys)


def beyond_accuracy_tables(engine: Engine) -> dict[str, list[Row]]:
    """Create and return tables for measures beyond accuracy."""
    given = next(g for g in drawn(beyond.inputs(), 12) if all(g.values()) and g["targets"][0]["query_id"])
    for name, rows in given.items():
        engine.create(name, rows, [column for column in beyond.COLUMNS[name] if column != "score"])
    return given


def check_beyond_accuracy(engine: Engine, macro: str, given: dict[str, list[Row]]) -> None:
    """Compare a measure beyond accuracy with the oracle, for `given` tables."""
    options = {"has_rank": "run baseline", "has_weight": "documents", "has_query_id": "targets"}
    (measure,) = parse_measures(beyond.strings_of(beyond_accuracy_definitions()[macro])[:1])
    query = ltr_sql.render([measure.text], engine.dialect.name, keys=["system"], by_query=False, **options)
    rows = engine.rows(query)
    assert rows
    for row in rows:
        values = oracle_values(measure, [r for r in given["run"] if r["system"] == row["system"]], given)
        defined = [v for v in (values.values() if isinstance(values, dict) else [values]) if not math.isnan(v)]
        expected = math.fsum(defined) / len(defined) if defined else math.nan
        assert difference(row[measure.text], expected) <= TOLERANCE, (measure.text, row, expected)


def check_fused(engine: Engine, kind: str) -> None:
    """Compare fused runs of scores or ranks with the oracle."""
    examples = [rows for rows in drawn(fusion.runs(), 20) if ("rank" in rows[0]) == (kind == "ranks")][:4]
    number = "rank" if kind == "ranks" else "score"
    engine.create("runs", joined(examples), ["example", "system", "query_id", "doc_id", number])
    given: dict[str, Any] = {"has_rank": "runs"} if kind == "ranks" else {}
    for choice in fusion.CHOICES:
        if kind == "ranks" and ("norm" in choice or choice["method"] in fusion.OF_SCORES):
            continue
        found = engine.rows(ltr_sql.render("fuse", engine.dialect.name, keys=["system", "example"], **given, **choice))
        for place, rows in enumerate(examples):
            expected = {(r["query_id"], r["doc_id"]): r for r in oracle.fuse(rows, **choice)}
            of_example = {(r["query_id"], r["doc_id"]): r for r in found if r["example"] == str(place)}
            assert of_example.keys() == expected.keys()
            for key, row in of_example.items():
                assert difference(row["score"], expected[key]["score"]) <= TOLERANCE, (choice, row, expected[key])
                assert (row["rank"], row["runs"]) == (expected[key]["rank"], expected[key]["runs"]), (choice, row)


def check_builder(engine: Engine, called: str) -> None:
    """Compare the rows of a builder such as `pool` with the oracle, for each of its methods without recursion."""
    builder = builders()[called]
    examples = drawn(INPUTS[called], 4)
    engine.create(builder.inputs[0], joined(examples), ["example", *examples[0][0]])
    engine.create("propensities", PROPENSITIES, ["rank", "propensity"])
    engine.create("parents", PARENTS, ["chunk_id", "doc_id"])
    engine.create("qrels", QRELS, ["query_id", "doc_id", "relevance"])
    for method in [method for other, method in BUILDERS if other == called and method not in RECURSIVE]:
        options = calls_of(called, method)[0]
        given: dict[str, Any] = {name: name if isinstance(value, list) else value for name, value in options.items()}
        given |= {"has_rank": "runs"} if builder.inputs[0] == "runs" else {}
        query = ltr_sql.render(called, engine.dialect.name, keys=["example"], **given)
        check_rows(engine.rows(query), expected_rows(called, examples, options), TOLERANCE, ["example"])
