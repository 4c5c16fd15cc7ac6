"""Read the case folders `tests/cases/<name>/<case>/`. test_cases.py describes their files."""

import ast
import csv
import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from ltr_sql.catalogue.files import SQL_FOLDER
from ltr_sql.inputs.tables import LOG_NUMBERS
from ltr_sql.rendering.dialects import string
from ltr_sql.verification import TOLERANCE, difference
from support.places import TESTS

CASES = TESTS / "cases"

Row = dict[str, Any]
Key = tuple[str | None, ...]


def names_in(*folders: str) -> list[str]:
    return sorted(path.stem for folder in folders for path in (SQL_FOLDER / folder).glob("*.sql"))


AGREEMENT = names_in("agreement")
MEASURES = names_in("measures", "agreement")
BEYOND_ACCURACY = names_in("beyond_accuracy")
RELATIONS = names_in("relations")
BUILDERS = names_in("builders")


def cases_of(name: str) -> list[Path]:
    folder = CASES / name
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def case_id(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


MEASURE_CASES = [folder for name in MEASURES for folder in cases_of(name)]
BUILDER_CASES = [folder for name in BUILDERS if name != "fuse" for folder in cases_of(name)]
RELATION_CASES = [folder for name in RELATIONS for folder in cases_of(name)]


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
    """Evaluate arithmetic with numbers, + - * / **, log2, sqrt and ln."""
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


# The files of a case

TYPES = {
    "rank": "bigint",
    "num_ret": "bigint",
    "rank_a": "double",
    "rank_b": "double",
    "row_order": "bigint",
    "score": "double",
    "score_a": "double",
    "score_b": "double",
    **dict.fromkeys(LOG_NUMBERS, "double"),
}


def header_of(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def options_of_relation(folder: Path) -> dict[str, Any]:
    """Return the options of a case of a relation. `grades` is a dict of text -> number."""
    path = folder / "options.csv"
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        options: dict[str, Any] = {row["option"]: row["value"] for row in csv.DictReader(file, strict=True)}
    if "grades" in options:
        pairs = [pair.split("=") for pair in options["grades"].split()]
        options["grades"] = {text: float(grade) for text, grade in pairs}
    return options


def load(con: duckdb.DuckDBPyConnection, path: Path) -> str:
    """Load a file as a table, and return its name. Ids and keys are text; grades are integers if all are whole."""
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


@cache
def measured_rows(folder: Path) -> list[Row]:
    """Return the rows of pairs.csv, or of rankings.csv in a case without it."""
    con = _reader()
    return rows_of(con, f"from {load(con, folder / f'{file_of(folder)}.csv')}")


@cache
def _reader() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def file_of(folder: Path) -> str:
    return "pairs" if (folder / "pairs.csv").exists() else "rankings"


def distance(value: float | None, expected: float) -> float:
    """Return the absolute difference, infinite if only one value is missing. Undo the scaling of `difference`."""
    return difference(value, expected) * max(1.0, abs(expected))


@dataclass(frozen=True)
class Expected:
    """Expected values of a measure by key and measure string; NaN is NULL."""

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
        values: dict[Key, dict[str, float]] = {
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
        """Assert that each query has one row with these values; `columns` maps measure strings to columns."""
        rows = list(rows)
        found = {self.key(row): row for row in rows}
        assert len(found) == len(rows), "two rows for one query"
        assert found.keys() == self.values.keys(), f"found {[*found]}, expected {[*self.values]}"
        wrong = {
            (*key, text): {"found": found[key][column], "expected": self.values[key][text]}
            for key in found
            for text, column in columns.items()
            if distance(found[key][column], self.values[key][text]) > TOLERANCE
        }
        assert not wrong, f"wrong: {wrong}"
