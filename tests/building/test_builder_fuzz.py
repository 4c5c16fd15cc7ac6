"""Fuzz tests of builders, `fuse`, weights and measures beyond accuracy.

For invalid rows in any order, the result is the oracle's or an error of ours.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import duckdb
import pandas as pd
import pytest
from hypothesis import strategies as st
from support import beyond_accuracy as beyond
from support import fusion
from support.builder_inputs import INPUTS, PARENTS, PROPENSITIES, QRELS, calls_of, is_table, stored, tolerance_of
from support.built import BUILDERS, check_rows, macro_rows, oracle_rows
from support.strategies import Row, drawn

import ltr_sql
from ltr_sql import InputError
from ltr_sql.catalogue.files import SQL_FOLDER
from ltr_sql.catalogue.functions import builders
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.catalogue.measures import Need
from ltr_sql.oracle import fusion as fusion_oracle
from ltr_sql.oracle.spread import distribution
from ltr_sql.verification import TOLERANCE, difference, oracle_values

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")]

NAN, INF = math.nan, math.inf


@pytest.fixture(scope="module")
def con(module_con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    return module_con


NUMBERS = st.sampled_from([None, NAN, INF, -INF, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 1e-100, 1e100])
IDS = st.sampled_from([None, "", "a", "q1", "A", "é", "a "])
TEXTS = ("session_id", "query_id", "doc_id", "rater", "system", "team", "user_id")


@st.composite
def hostile(draw: st.DrawFn, valid: st.SearchStrategy[list[Row]], names: Sequence[str] = ()) -> list[Row]:
    """Draw valid rows in any order, with up to two replaced values and up to one repeated row.

    `names` are the columns whose values may be replaced, by default all.
    """
    rows = [*draw(valid)]
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(rows) - 1))
        name = draw(st.sampled_from([*(names or rows[at])]))
        rows[at] = {**rows[at], name: draw(IDS if name in TEXTS else NUMBERS)}
    rows += rows[: draw(st.sampled_from([0, 0, 0, 1]))]
    return draw(st.permutations(rows))


def our_messages() -> list[str]:
    """Return the beginnings of the error messages in the templates."""
    texts = [path.read_text(encoding="utf-8") for path in SQL_FOLDER.rglob("*.sql")]
    return [m[1][:30] for text in texts for m in re.finditer(r'error(?:_of)?\((?:name ~ )?"([^"]+)"', text)]


OURS = [*our_messages(), "the weights lack the query", "are the probabilities of a whole list"]


def is_ours(error: duckdb.Error) -> bool:
    return any(message in str(error) for message in OURS)


@pytest.mark.parametrize("builder", BUILDERS, ids=" ".join)
def test_invalid_rows(builder: tuple[str, str], con: duckdb.DuckDBPyConnection) -> None:
    name, method = builder
    stored(con, "propensities", PROPENSITIES)
    stored(con, "parents", PARENTS)
    stored(con, "qrels", QRELS)
    refused = answered = 0
    of_method = builders()[name].methods.get(method)
    reads = [*builders()[name].columns, *(of_method.fields.get("reads", ()) if of_method else ())]
    for number, rows in enumerate(drawn(hostile(INPUTS[name], reads), 6)):
        options = calls_of(name, method)[number % len(calls_of(name, method))]
        types = {c: "str" if c in TEXTS else "float64" for c in rows[0]}
        frame = pd.DataFrame({c: pd.Series([row[c] for row in rows], dtype=kind) for c, kind in types.items()})
        con.register("frame", frame)
        con.execute("create or replace table given as from frame")
        in_sql = {option: option if is_table(option, value) else value for option, value in options.items()}
        try:
            found = macro_rows(con, name, "given", in_sql)
        except duckdb.Error as error:
            assert is_ours(error), (rows, options, error)
            refused += 1
            continue
        if number % 10 == 0:
            in_python = {o: pd.DataFrame(v) if is_table(o, v) else v for o, v in options.items()}
            getattr(ltr_sql, name)(frame, **in_python)
        # pandas has no NULL among numbers: NaN is NULL.
        given = [{c: None if isinstance(v, float) and math.isnan(v) else v for c, v in row.items()} for row in rows]
        expected = oracle_rows(name, given, options)
        assert bool(found) == bool(expected)
        if expected:
            check_rows(found, expected, tolerance_of(method))
        answered += 1
    assert refused
    assert answered


@pytest.mark.parametrize("options", fusion.CHOICES[::3], ids=str)
def test_invalid_runs(options: dict[str, Any], con: duckdb.DuckDBPyConnection) -> None:
    refused = answered = 0
    arguments = "".join(f", {name} := {value!r}" for name, value in options.items())

    def in_sql(frame: pd.DataFrame) -> list[Row]:
        con.register("frame", frame)
        con.execute("create or replace table given as from frame")
        call = con.execute(f"from ltr.fuse('given'{arguments}) order by query_id, rank")
        return [dict(zip([c[0] for c in call.description], row, strict=True)) for row in call.fetchall()]

    def in_python(frame: pd.DataFrame) -> Any:
        return ltr_sql.fuse(frame, **options, check=False).to_dict("records")

    for rows in drawn(hostile(fusion.runs()), 6):
        for function in (in_sql, in_python):
            try:
                found = function(fusion.frame(rows))
            except (duckdb.Error, InputError) as error:
                assert isinstance(error, InputError) or is_ours(error), (rows, options, error)
                refused += 1
                continue
            given = [{**row, "score": float(row["score"])} for row in rows]
            fusion.check_fused(
                found,
                fusion_oracle.fuse(given, **options),
                {(row["query_id"], row["doc_id"]): row for row in fusion_oracle.fuse(given, **options)},
            )
            answered += 1
    assert refused
    assert answered


RELEVANT = {"q0": [1, 0], "q1": [0, 1], "q2": [0, 0], "q3": [0, 0, 1]}
OF_WEIGHTS = {"query_id": "str", "weight": "float64"}
WEIGHTS = st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.25]), min_size=4, max_size=4).map(
    lambda weights: [{"query_id": query, "weight": weight} for query, weight in zip(RELEVANT, weights, strict=True)]
)


def test_invalid_weights(con: duckdb.DuckDBPyConnection) -> None:
    rankings = pd.DataFrame(
        [
            {"query_id": query, "rank": rank, "relevance": relevance}
            for query, grades in RELEVANT.items()
            for rank, relevance in enumerate(grades, 1)
        ]
    )
    con.register("rankings", rankings)
    values = {"q0": 1.0, "q1": 1 / 2, "q2": 0.0, "q3": 1 / 3}

    def in_sql(_: pd.DataFrame) -> Any:
        return con.execute("from ltr.distribution('rankings', ['RR'], weights := 'given')").df().to_dict("records")

    def in_python(frame: pd.DataFrame) -> Any:
        return ltr_sql.distribution(rankings, ["RR"], weights=frame).to_dict("records")

    refused = answered = 0
    for rows in drawn(hostile(WEIGHTS), 60):
        frame = pd.DataFrame(
            {name: pd.Series([row[name] for row in rows], dtype=kind) for name, kind in OF_WEIGHTS.items()}
        )
        con.register("given", frame)
        for function in (in_sql, in_python):
            try:
                (found,) = function(frame)
            except (duckdb.Error, InputError) as error:
                assert isinstance(error, InputError) or is_ours(error), (rows, error)
                refused += 1
                continue
            weights = {row["query_id"]: row["weight"] for row in rows}
            expected = distribution([*values.values()], [weights[query] for query in values])
            for name, value in expected.items():
                assert found[name] == pytest.approx(value, rel=TOLERANCE, abs=TOLERANCE, nan_ok=True), (name, rows)
            answered += 1
    assert refused
    assert answered


VECTORS = st.sampled_from([None, [1.0, 0.0], [NAN, 1.0], [INF, 1.0], [0.0, 0.0], [1.0], [1e200, 1e200]])
OF_COLUMNS = {"vector": VECTORS, **dict.fromkeys(["group", "category"], st.sampled_from([None, "", "A", "u"]))}
MEASURES = ["AWRF@2", "NDKL", "EEL(counts=all)", "AttentionParity@2", "ExposureRatio", "ILD(features=vector)"]
MEASURES += ["ARP(popularity=documents)", "APLT(popularity=documents)@2", "Calibration@2", "Coverage@2"]

# Measures whose tables are often invalid in the examples.
REFUSED = MEASURES[:8]


@st.composite
def hostile_tables(draw: st.DrawFn, read: Mapping[str, Sequence[str]]) -> dict[str, list[Row]]:
    """Draw the tables of measures beyond accuracy in any order. Replace up to three values of the columns `read`."""
    tables = {name: draw(st.permutations(rows)) for name, rows in draw(beyond.inputs()).items()}
    for _ in range(draw(st.integers(0, 3))):
        name = draw(st.sampled_from([*read]))
        if tables[name]:
            at = draw(st.integers(0, len(tables[name]) - 1))
            column = draw(st.sampled_from(read[name]))
            rows = [*tables[name]]
            rows[at] = {**rows[at], column: draw(OF_COLUMNS.get(column, NUMBERS))}
            tables[name] = rows
    return tables


def columns_read(needs: Iterable[Need]) -> dict[str, list[str]]:
    """Return the columns whose values may be invalid, by table."""
    found: dict[str, list[str]] = {}
    for need in needs:
        further = {"documents": ["weight"], "targets": ["share"]}.get(need.table, [])
        found.setdefault(need.table, further).extend([need.column] if need.column else [])
    return {table: columns for table, columns in found.items() if columns}


@pytest.mark.parametrize("text", MEASURES)
def test_invalid_tables(text: str) -> None:
    measure = parse_measure(text)
    needs = measure.definition.needed(dict(measure.values))
    needed = {need.table for need in needs}
    refused = answered = 0
    for given in drawn(hostile_tables(columns_read(needs)), 16):
        frames: dict[str, Any] = {name: beyond.frame_of(given[name], beyond.COLUMNS[name]) for name in needed}
        rows = [row for row in given["run"] if row["system"] == "x"]
        if not rows:
            continue
        run_frame = beyond.frame_of(rows, beyond.COLUMNS["run"])
        over_queries = measure.definition.over == "query"
        try:
            found = ltr_sql.evaluate(run_frame, [text], by_query=over_queries, **frames)
        except InputError:
            refused += 1
            continue
        # pandas has no NULL among numbers: NaN is NULL.
        tables = {
            name: [
                {c: None if isinstance(v, float) and math.isnan(v) else v for c, v in row.items()}
                for row in given[name]
            ]
            for name in needed
        }
        value = oracle_values(measure, rows, tables)
        for row in found.to_dict("records"):
            expected = value[row["query_id"]] if isinstance(value, dict) else value
            assert difference(row[text], expected) <= TOLERANCE, (text, given, row, expected)
        answered += 1
    assert answered
    assert refused or text not in REFUSED
