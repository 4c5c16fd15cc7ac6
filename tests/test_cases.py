"""The case folders: every measure and every relation on rows that a person can check on paper.

`tests/cases/<name>/<case>/expected.csv` holds what the definition says. For a measure: the keys, query_id and a
column for each measure string, with values as numbers or arithmetic (`(1 + 2/3) / 3`, `1/log2(3)`), for
`rankings.csv` or `pairs.csv`. For a relation: all rows, for inputs named like the macro's, under `options.csv`.
An empty field is NULL.
"""

import ast
import csv
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

import ltr_sql
from ltr_sql.language.catalogue import SQL_FOLDER, Value, relations
from ltr_sql.language.measure_strings import Measure, parse_measure
from ltr_sql.sqltext.dialects import string
from ltr_sql.verification import TOLERANCE, difference, oracle_value

CASES = Path(__file__).parent / "cases"

Row = dict[str, Any]
Key = tuple[str, ...]


def names_in(*folders: str) -> list[str]:
    return sorted(path.stem for folder in folders for path in (SQL_FOLDER / folder).glob("*.sql"))


AGREEMENT = names_in("agreement")
MEASURES = names_in("measures", "agreement")
RELATIONS = names_in("relations")


def cases_of(name: str) -> list[Path]:
    folder = CASES / name
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def case_id(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


MEASURE_CASES = [folder for name in MEASURES for folder in cases_of(name)]
RELATION_CASES = [folder for name in RELATIONS for folder in cases_of(name)]

each_measure_case = pytest.mark.parametrize("folder", MEASURE_CASES, ids=case_id)
each_relation_case = pytest.mark.parametrize("folder", RELATION_CASES, ids=case_id)


# Arithmetic in expected.csv

OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
FUNCTIONS: dict[str, Callable[[float], float]] = {"log2": math.log2, "sqrt": math.sqrt, "ln": math.log}


def arithmetic(text: str) -> float:
    """The value of numbers, + - * / **, log2, sqrt and ln."""
    return _number(ast.parse(text.strip(), mode="eval").body)


def _number(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_number(left), _number(right))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](_number(argument))
    raise ValueError(f"not arithmetic: {ast.unparse(node)}")


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
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not arithmetic"):
        arithmetic(text)


# Reading a case

TYPES = {
    "rank": "bigint",
    "num_ret": "bigint",
    "rank_a": "double",
    "rank_b": "double",
    "row_order": "bigint",
    "score": "double",
    "score_a": "double",
    "score_b": "double",
}


def header_of(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def load(con: duckdb.DuckDBPyConnection, path: Path) -> str:
    """The name of a table with the rows of a file. Ids and keys are text; grades are whole numbers where all are."""
    types = {name: TYPES.get(name, "varchar") for name in header_of(path) if name != "relevance"}
    listed = ", ".join(f"{string(name)}: {string(kind)}" for name, kind in types.items())
    con.execute(
        f"create or replace table {path.stem} as "
        f"from read_csv({string(str(path))}, header = true, delim = ',', types = {{{listed}}})"
    )
    return path.stem


def rows_of(con: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    cursor = con.execute(query)
    columns = [column[0] for column in cursor.description or []]
    return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def sql_list(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(string, texts))}]"


def sql_value(value: Value) -> str:
    return string(value) if isinstance(value, str) else repr(value)


def default_of(measure: Measure, name: str) -> Value:
    parameter = measure.definition.parameter(name)
    assert parameter is not None
    return parameter.default


def distance(value: float | None, expected: float) -> float:
    """The absolute difference: `difference` is relative where values exceed 1. Infinite if only one is missing."""
    return difference(value, expected) * max(1.0, abs(expected))


@dataclass(frozen=True)
class Expected:
    """The values that a measure's expected.csv asks for, by key and measure string; NaN is NULL."""

    keys: list[str]
    measures: list[str]
    values: dict[Key, dict[str, float]]

    @classmethod
    def of(cls, folder: Path) -> "Expected":
        path = folder / "expected.csv"
        header = header_of(path)
        assert len(set(header)) == len(header), "expected.csv names a column twice"
        place = header.index("query_id")
        keys, measures = header[:place], header[place + 1 :]
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, strict=True))
        values = {
            (*(row[key] for key in keys), row["query_id"]): {
                measure: arithmetic(row[measure]) if row[measure].strip() else math.nan for measure in measures
            }
            for row in rows
        }
        assert len(values) == len(rows), "expected.csv has two rows for one query"
        assert values
        assert measures
        return cls(keys, measures, values)

    def key(self, row: Row) -> Key:
        return (*(row[key] for key in self.keys), row["query_id"])

    def check(self, rows: Iterable[Row], columns: dict[str, str]) -> None:
        """Assert that there is one row for each query, with these values; `columns`: measure string -> column."""
        rows = list(rows)
        found = {self.key(row): row for row in rows}
        assert len(found) == len(rows), "two rows for one query"
        assert found.keys() == self.values.keys()
        wrong = {
            (*key, text): {"found": found[key][column], "expected": self.values[key][text]}
            for key in found
            for text, column in columns.items()
            if distance(found[key][column], self.values[key][text]) > TOLERANCE
        }
        assert not wrong


@pytest.fixture(scope="module")
def registered() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        yield ltr_sql.register(con)


@pytest.fixture
def con(registered: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A connection with the macros, and without the tables of other cases."""
    for (table,) in registered.execute("select table_name from duckdb_tables()").fetchall():
        registered.execute(f"drop table {table}")
    return registered


def load_measured(con: duckdb.DuckDBPyConnection, folder: Path) -> str:
    """What the measures of a case are measured of: `pairs` if the folder has them, else `rankings`."""
    pairs = folder / "pairs.csv"
    return load(con, pairs if pairs.exists() else folder / "rankings.csv")


# Measures


@each_measure_case
def test_macro(folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    macro = folder.parent.name
    expected = Expected.of(folder)
    keys = sql_list(expected.keys)
    table = load_measured(con, folder)
    if macro in AGREEMENT and table == "rankings":
        con.execute(f"create table pairs as from ltr.pair_with_ideal('rankings', keys := {keys})")
        table = "pairs"
    for text in expected.measures:
        # What has its default is left out: the macro's own default has to be the same.
        measure = parse_measure(text)
        given = {name: value for name, value in measure.values if value != default_of(measure, name)}
        options = [f"{name} := {sql_value(value)}" for name, value in given.items()]
        arguments = ", ".join([string(table), *options, f"keys := {keys}"])
        expected.check(rows_of(con, f"from ltr.{macro}({arguments})"), {text: macro})


@pytest.mark.parametrize("folder", [f for f in MEASURE_CASES if not (f / "pairs.csv").exists()], ids=case_id)
def test_per_query(folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    expected = Expected.of(folder)
    table = load_measured(con, folder)
    query = f"from ltr.per_query({string(table)}, {sql_list(expected.measures)}, keys := {sql_list(expected.keys)})"
    expected.check(rows_of(con, query), {text: text for text in expected.measures})


@each_measure_case
def test_evaluate(folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    expected = Expected.of(folder)
    frame = con.table(load_measured(con, folder)).df()
    result = ltr_sql.evaluate(frame, expected.measures, by_query=True, keys=expected.keys)
    expected.check(result.to_dict("records"), {text: text for text in expected.measures})


@each_measure_case
def test_oracle(folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    expected = Expected.of(folder)
    queries: dict[Key, list[Row]] = {}
    for row in rows_of(con, f"from {load_measured(con, folder)}"):
        queries.setdefault(expected.key(row), []).append(row)
    measured = [
        {text: oracle_value(parse_measure(text), rows) for text in expected.measures}
        | dict(zip([*expected.keys, "query_id"], key, strict=True))
        for key, rows in queries.items()
    ]
    expected.check(measured, {text: text for text in expected.measures})


@each_measure_case
def test_measure_strings_are_of_the_folders_measure(folder: Path) -> None:
    measured = {text: parse_measure(text).definition.macro for text in Expected.of(folder).measures}
    assert set(measured.values()) == {folder.parent.name}, measured


# Relations


@each_relation_case
def test_relation(folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    relation = folder.parent.name
    options: dict[str, str] = {}
    if (folder / "options.csv").exists():
        with (folder / "options.csv").open(encoding="utf-8", newline="") as file:
            options = {row["option"]: row["value"] for row in csv.DictReader(file, strict=True)}
    keys = options.pop("keys", "").split()
    inputs = [load(con, folder / f"{name}.csv") for name in relations()[relation].inputs]
    arguments = ", ".join(
        [
            *map(string, inputs),
            *(f"{name} := {string(value)}" for name, value in options.items()),
            f"keys := {sql_list(keys)}",
        ]
    )
    columns = header_of(folder / "expected.csv")
    found = con.execute(f"select {', '.join(columns)} from ltr.{relation}({arguments})").fetchall()
    expected = con.execute(f"from {load(con, folder / 'expected.csv')}").fetchall()
    assert expected
    assert Counter(found) == Counter(expected)


# The folders


@pytest.mark.parametrize("name", [*MEASURES, *RELATIONS])
def test_every_measure_and_relation_has_a_case(name: str) -> None:
    assert cases_of(name), f"sql/ has {name}.sql, tests/cases/{name}/ has no case"


def test_every_folder_is_of_a_measure_or_relation() -> None:
    assert {path.name for path in CASES.iterdir()} <= {*MEASURES, *RELATIONS}


@pytest.mark.parametrize("folder", MEASURE_CASES + RELATION_CASES, ids=case_id)
def test_a_case_holds_what_is_read_and_nothing_else(folder: Path) -> None:
    files = {path.name for path in folder.iterdir()}
    if folder in RELATION_CASES:
        assert files - {"options.csv"} == {
            f"{name}.csv" for name in (*relations()[folder.parent.name].inputs, "expected")
        }
    elif folder.parent.name in AGREEMENT:
        assert files in ({"rankings.csv", "expected.csv"}, {"pairs.csv", "expected.csv"})
    else:
        assert files == {"rankings.csv", "expected.csv"}
