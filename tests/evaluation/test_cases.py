"""Case folders: every measure and every relation on rows that can be checked on paper.

`tests/cases/<name>/<case>/expected.csv` holds values worked out from the definition. An empty field is NULL.

- For a measure: the keys, query_id and a column per measure string, for `rankings.csv` or `pairs.csv`. Values are
  numbers or arithmetic, such as `(1 + 2/3) / 3` or `1/log2(3)`.
- For the fusion of runs, in `fuse/`: all rows of the result for `runs.csv`, with scores as arithmetic; `options.csv`
  holds the options and `weights.csv` the weights. Each method and norm has a case `method_NAME` or `norm_NAME`.
- For the distribution of measures, in `distribution/`: all rows of the result for `rankings.csv` and, if there is one,
  `weights.csv`, as arithmetic.
- For a relation: all rows of the result. Each input file has the name of a parameter of the macro; `options.csv` holds
  its options.

One query evaluates many cases (together.py). Tests marked slow also call the macros for them.
"""

import csv
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support.case_folders import (
    AGREEMENT,
    BEYOND_ACCURACY,
    BUILDERS,
    CASES,
    MEASURE_CASES,
    MEASURES,
    RELATION_CASES,
    RELATIONS,
    Expected,
    Key,
    Row,
    arithmetic,
    case_id,
    cases_of,
    file_of,
    header_of,
    load,
    measured_rows,
    options_of_relation,
    rows_of,
)
from support.together import check_each, check_together, joined, sql_list, table_of

import ltr_sql
from ltr_sql.catalogue.functions import procedures, relations
from ltr_sql.catalogue.measure_strings import Measure, parse_measure
from ltr_sql.catalogue.parameters import Value
from ltr_sql.oracle import fusion
from ltr_sql.oracle import spread as oracle
from ltr_sql.rendering.dialects import string
from ltr_sql.verification import TOLERANCE, oracle_value

# Arithmetic in expected.csv


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        ("-0.25", -0.25),
        ("(1 + 2/3 + 3/5) / 3", 34 / 45),
        ("1 - 2 * 3", -5.0),
        ("2**0.5", math.sqrt(2)),
        ("3/log2(4)", 1.5),
        ("sqrt(2 * 8)", 4.0),
    ],
)
def test_arithmetic_is_evaluated(text: str, value: float) -> None:
    assert arithmetic(text) == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize("text", ["True", "'1'", "x", "abs(1)", "log2(8, 2)", "2 // 1", "1 if 1 else 2", "[1]"])
def test_other_expressions_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not arithmetic"):
        arithmetic(text)


# Measures


def each_batch(cases: Sequence[Path]) -> pytest.MarkDecorator:
    """Parametrize by the cases that one query evaluates."""
    batches = joined(cases)
    ids = [f"{case_id(batch[0])}{' and others' if len(batch) > 1 else ''}" for batch in batches]
    return pytest.mark.parametrize("cases", batches, ids=ids)


def sql_value(value: Value) -> str:
    return string(value) if isinstance(value, str) else repr(value)


def default_of(measure: Measure, name: str) -> Value:
    parameter = measure.definition.parameter(name)
    assert parameter is not None
    default: Value = parameter.default
    return default


def check_macro(macro: str, cases: Sequence[Path], con: duckdb.DuckDBPyConnection) -> None:
    """Call the macro for some of its cases, once per set of options."""
    table, names, measures = table_of(con, cases)
    keys = sql_list(names)
    if macro in AGREEMENT and table == "rankings":
        con.execute(f"create or replace table pairs as from ltr.pair_with_ideal('rankings', keys := {keys})")
        table = "pairs"
    found: dict[Key, Row] = {}
    for text in measures:
        # Leave out options that have their default, to test the default of the macro.
        measure = parse_measure(text)
        given = {name: value for name, value in measure.values if value != default_of(measure, name)}
        options = [f"{name} := {sql_value(value)}" for name, value in given.items()]
        arguments = ", ".join([string(table), *options, f"keys := {keys}"])
        call, column = f"ltr.{macro}({arguments})", macro
        if given.get("ideal") == "returned":
            # Only measure strings take this value.
            call, column = f"ltr.per_query({string(table)}, {sql_list([text])}, keys := {keys})", text
        rows = rows_of(con, f"from {call}")
        assert len({key_of(row, names) for row in rows}) == len(rows), "two rows for one query"
        for row in rows:
            found.setdefault(key_of(row, names), dict(row))[text] = row[column]
    assert all({*measures} <= row.keys() for row in found.values())
    check_together(cases, found.values())


def key_of(row: Row, keys: Sequence[str]) -> Key:
    return (*(row[key] for key in keys), row["query_id"])


@pytest.mark.default("arelpos", "gmap", "inf_num_rel_ret", "jaccard", "num_q", "rprec", "set_ap", "somers_d")
@pytest.mark.parametrize("macro", MEASURES)
def test_macro(macro: str, con: duckdb.DuckDBPyConnection) -> None:
    for cases in joined(cases_of(macro)):
        check_macro(macro, cases, con)


@pytest.mark.default(
    "ap/two_systems and others",
    "kendall_distance/ideal_order_of_two_systems and others",
    "graded_ap/binary_grades and others",
    "ap/divided_by_k and others",
)
@each_batch([folder for folder in MEASURE_CASES if file_of(folder) == "rankings"])
def test_per_query(cases: list[Path], con: duckdb.DuckDBPyConnection) -> None:
    table, keys, measures = table_of(con, cases)
    query = f"from ltr.per_query({string(table)}, {sql_list(measures)}, keys := {sql_list(keys)})"
    check_together(cases, rows_of(con, query))


@each_batch(MEASURE_CASES)
def test_evaluate(cases: list[Path], con: duckdb.DuckDBPyConnection) -> None:
    table, keys, measures = table_of(con, cases)
    result = ltr_sql.evaluate(con.table(table).df(), measures, by_query=True, keys=keys)
    check_together(cases, result.to_dict("records"))


@pytest.mark.parametrize("macro", MEASURES)
def test_oracle(macro: str) -> None:
    def check(folder: Path) -> None:
        expected = Expected.of(folder)
        queries: dict[Key, list[Row]] = {}
        for row in measured_rows(folder):
            queries.setdefault(expected.key(row), []).append(row)
        measured = [
            {text: oracle_value(parse_measure(text), rows) for text in expected.measures}
            | dict(zip([*expected.keys, "query_id"], key, strict=True))
            for key, rows in queries.items()
        ]
        expected.check(measured, {text: text for text in expected.measures})

    check_each(cases_of(macro), check)


@pytest.mark.parametrize("macro", MEASURES)
def test_measure_strings_are_of_the_folders_measure(macro: str) -> None:
    def check(folder: Path) -> None:
        measured = {text: parse_measure(text).definition.macro for text in Expected.of(folder).measures}
        assert set(measured.values()) == {macro}, measured

    check_each(cases_of(macro), check)


# Relations


@pytest.mark.parametrize("folder", RELATION_CASES, ids=case_id)
def test_relation(folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    relation = folder.parent.name
    options = options_of_relation(folder)
    keys = options.pop("keys", "").split()
    inputs = [load(con, folder / f"{name}.csv") for name in relations()[relation].inputs]
    if "asked" in options:
        load(con, folder / "asked.csv")
    texts = {name: f"map {value}" if name == "grades" else string(value) for name, value in options.items()}
    arguments = ", ".join(
        [
            *map(string, inputs),
            *(f"{name} := {text}" for name, text in texts.items()),
            f"keys := {sql_list(keys)}",
        ]
    )
    columns = header_of(folder / "expected.csv")
    found = con.execute(f"select {', '.join(columns)} from ltr.{relation}({arguments})").fetchall()
    expected = con.execute(f"from {load(con, folder / 'expected.csv')}").fetchall()
    assert expected
    assert Counter(found) == Counter(expected)


# Fusion


def fusion_case(folder: Path) -> tuple[dict[str, Any], list[Row]]:
    """Return the options of a case, and the expected rows."""
    with (folder / "options.csv").open(encoding="utf-8", newline="") as file:
        options: dict[str, Any] = {row["option"]: row["value"] for row in csv.DictReader(file, strict=True)}
    for name in {"k", "p", "depth", "top"} & options.keys():
        options[name] = float(options[name]) if name in ("k", "p") else int(options[name])
    if "keys" in options:
        options["keys"] = options["keys"].split()
    with (folder / "expected.csv").open(encoding="utf-8", newline="") as file:
        expected: list[Row] = list(csv.DictReader(file, strict=True))
    numbers = ("score", "rank", "runs")
    assert expected
    return options, [{name: arithmetic(v) if name in numbers else v for name, v in row.items()} for row in expected]


def same_rows(found: Iterable[Row], expected: Iterable[Row]) -> bool:
    def ordered(rows: Iterable[Row]) -> list[Row]:
        return sorted(rows, key=lambda row: (row.get("segment", ""), row["query_id"], row["rank"]))

    return [dict(row) for row in ordered(found)] == [
        {**row, "score": pytest.approx(row["score"], rel=TOLERANCE, abs=TOLERANCE)} for row in ordered(expected)
    ]


@pytest.mark.parametrize("folder", cases_of("fuse"), ids=case_id)
def test_fusion(folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    options, expected = fusion_case(folder)
    load(con, folder / "runs.csv")
    arguments = [f"{name} := {sql_list(v) if name == 'keys' else sql_value(v)}" for name, v in options.items()]
    weights = None
    if (folder / "weights.csv").exists():
        load(con, folder / "weights.csv")
        con.execute("alter table weights alter weight type double")
        weights = dict(con.execute("from weights").fetchall())
        arguments.append("weights := 'weights'")
    call = ", ".join(["'runs'", *arguments])
    assert same_rows(rows_of(con, f"from ltr.fuse({call})"), expected)
    frame = con.table("runs").df()
    found = ltr_sql.fuse(frame, **options, weights=weights, check=False)
    assert same_rows(found.to_dict("records"), expected)
    if "keys" not in options:
        options["ascending"] = options.pop("ties", None) == "docid_asc"
        rows = rows_of(con, "from runs")
        assert same_rows(fusion.fuse(rows, **options, weights=weights), expected)


@pytest.mark.default("distribution/weights")
@pytest.mark.parametrize("folder", cases_of("distribution"), ids=case_id)
def test_distribution(folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    with (folder / "expected.csv").open(encoding="utf-8", newline="") as file:
        rows = {row.pop("measure"): row for row in csv.DictReader(file, strict=True)}
    expected = {measure: {name: arithmetic(text) for name, text in row.items()} for measure, row in rows.items()}
    measures, weights = [*expected], None
    load(con, folder / "rankings.csv")
    call = f"'rankings', {measures}"
    if (folder / "weights.csv").exists():
        load(con, folder / "weights.csv")
        weights = {query: float(weight) for query, weight in con.execute("from weights").fetchall()}
        call += ", weights := 'weights'"
    frame = con.table("rankings").df()
    values = ltr_sql.evaluate(frame, measures, by_query=True)
    found = [
        {row.pop("measure"): row for row in rows_of(con, f"from ltr.distribution({call})")},
        {row.pop("measure"): row for row in ltr_sql.distribution(frame, measures, weights=weights).to_dict("records")},
        {
            m: oracle.distribution([*values[m]], None if weights is None else [weights[q] for q in values["query_id"]])
            for m in measures
        },
    ]
    for by_measure in found:
        for measure, row in expected.items():
            assert by_measure[measure] == pytest.approx(row, rel=TOLERANCE, abs=TOLERANCE)


@pytest.mark.parametrize("kind", ["fusion", "norm"])
def test_every_method_and_norm_has_a_case_and_an_oracle(kind: str) -> None:
    option, prefix = {"fusion": ("method", ""), "norm": ("norm", "norm_")}[kind]
    for name, procedure in procedures(kind).items():
        folder = CASES / "fuse" / f"{option}_{name}"
        assert folder.is_dir(), f"{folder} is missing"
        assert fusion_case(folder)[0][option] == name
        assert callable(getattr(fusion, f"{prefix}{name}", None)), f"ltr_sql/oracle/fusion.py lacks {prefix}{name}"
        assert procedure.summary.endswith(".")
        assert procedure.reference
    found = {path.name for path in (CASES / "fuse").iterdir() if path.name.startswith(f"{option}_")}
    assert found == {f"{option}_{name}" for name in procedures(kind)}


# Folders


@pytest.mark.parametrize("name", [*MEASURES, *RELATIONS])
def test_every_measure_and_relation_has_a_case(name: str) -> None:
    assert cases_of(name), f"sql/ has {name}.sql, tests/cases/{name}/ has no case"


def test_every_folder_is_of_a_measure_or_relation() -> None:
    others = {"fuse", "distribution"}
    assert {path.name for path in CASES.iterdir()} <= {*MEASURES, *BEYOND_ACCURACY, *RELATIONS, *BUILDERS, *others}


@pytest.mark.parametrize("name", [*MEASURES, *RELATIONS])
def test_case_folders_contain_only_their_files(name: str) -> None:
    def check(folder: Path) -> None:
        files = {path.name for path in folder.iterdir()}
        if name in RELATIONS:
            assert files - {"options.csv", "asked.csv"} == {
                f"{table}.csv" for table in (*relations()[name].inputs, "expected")
            }
        elif name in AGREEMENT:
            assert files in ({"rankings.csv", "expected.csv"}, {"pairs.csv", "expected.csv"})
        else:
            assert files == {"rankings.csv", "expected.csv"}

    check_each(cases_of(name), check)
