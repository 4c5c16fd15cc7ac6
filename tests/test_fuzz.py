"""Fuzz test: for invalid tables, every macro and `evaluate` return the oracle's value or raise an error of ltr_sql."""

import math
import re
from typing import Any, TypeGuard

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import MORE

import ltr_sql
from ltr_sql import LtrSqlError
from ltr_sql.language.catalogue import SQL_FOLDER, Definition, definitions
from ltr_sql.language.measure_strings import parse_measure
from ltr_sql.verification import TOLERANCE, difference, oracle_value

INF, NAN = math.inf, math.nan

Row = dict[str, Any]

# Most values are valid, so that most tables have few errors.
RANKS = st.one_of(
    st.none(),
    *[st.integers(1, 12)] * 6,
    st.sampled_from([0, -1, 1.5, 0.5, NAN, INF, -INF, 2.0**53, 1e300]),
)
GRADES = st.one_of(
    st.none(), *[st.integers(-1, 4)] * 6, st.sampled_from([0.5, -2.5, 31, 299, 400, NAN, INF, -INF, 1e308])
)
SCORES = st.one_of(*[st.integers(-3, 9)] * 6, st.sampled_from([None, NAN, INF, -INF, 1e308, 1e-320, 0.1]))
QUERIES = st.sampled_from(["q1", "q1", "q2", "q2", "Q2", "", None])
DOCUMENTS = st.sampled_from(["d1", "d2", "d3", "d4", "d5", "d6", "d7", "D1", "d1 ", "é", None])
SUBTOPICS = st.sampled_from(["1", "2", "3", None])
VALUES = {
    "query_id": QUERIES,
    "doc_id": DOCUMENTS,
    "subtopic": SUBTOPICS,
    **dict.fromkeys(["score", "score_a", "score_b"], SCORES),
    "relevance": GRADES,
    **dict.fromkeys(["rank", "rank_a", "rank_b"], RANKS),
}
COLUMNS = {
    "documents": ["query_id", "rank", "relevance"],
    "subtopics": ["query_id", "doc_id", "subtopic", "rank", "relevance"],
    "paired": ["query_id", "rank_a", "rank_b", "score_a", "score_b"],
    "run": ["query_id", "doc_id", "score"],
    "ranked run": ["query_id", "doc_id", "rank"],
    "judgments": ["query_id", "doc_id", "relevance"],
    "scored": ["query_id", "doc_id", "score", "relevance"],
}


def tables(kind: str) -> st.SearchStrategy[list[Row]]:
    return st.lists(st.fixed_dictionaries({name: VALUES[name] for name in COLUMNS[kind]}), max_size=12)


def table(rows: list[Row], kind: str) -> pa.Table:
    names = COLUMNS[kind]
    numbers = ("score", "relevance", "rank", "rank_a", "rank_b", "score_a", "score_b")
    kinds = dict.fromkeys(numbers, pa.float64())
    return pa.table({name: pa.array([row[name] for row in rows], kinds.get(name, pa.string())) for name in names})


def our_messages() -> list[str]:
    """Return the beginnings of the error messages in the templates."""
    texts = [path.read_text(encoding="utf-8") for path in SQL_FOLDER.glob("*/*.sql")]
    found = [m[1].split("'")[0][:30] for text in texts for m in re.finditer(r'error\("([^"]+)"', text)]
    return [*found, "this measure needs one row for each document"]


OURS = our_messages()
NAMES = list(definitions())


def bounds(definition: Definition) -> tuple[float, float]:
    numbers = re.match(r"[\[(]([^,]+), ([^\])]+)", definition.range)
    if numbers is None or " or a number" in definition.range:
        return 0, INF

    def number(text: str) -> float:
        try:
            return float(text.replace("infinity", "inf"))
        except ValueError:
            return -INF if text.startswith("-") else INF

    beyond = ", or above" in definition.range
    return number(numbers[1]), INF if beyond else number(numbers[2])


def grouped(rows: list[Row]) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["query_id"], []).append(row)
    return groups


def counted(rows: list[Row]) -> list[Row]:
    """Replace impossible ranks of nonrelevant documents by NULL, because no measure counts them."""
    return [{**row, "rank": None} if ignored(row) else row for row in rows]


def ignored(row: Row) -> bool:
    relevance = row.get("relevance", 1)
    return not (is_number(relevance) and relevance > 0) and impossible(row["rank"])


def is_number(value: float | None) -> TypeGuard[float]:
    return value is not None and not math.isnan(value)


def impossible(rank: float | None) -> bool:
    return is_number(rank) and not (1 <= rank <= 1e9 and rank == math.floor(rank))


@pytest.fixture(scope="module")
def con(module_con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    return module_con


@pytest.mark.slow
@settings(max_examples=100 * MORE, deadline=None, derandomize=True)
@given(data=st.data(), macro=st.sampled_from(NAMES))
def test_macros(con: duckdb.DuckDBPyConnection, data: st.DataObject, macro: str) -> None:
    definition = definitions()[macro]
    kind = "paired" if definition.paired else "subtopics" if definition.by_subtopic else "documents"
    rows = data.draw(tables(kind))
    measure = parse_measure(definition.example)
    con.register("input", table(rows, kind))
    options = "".join(f", {name} := {'null' if v is None else repr(v)}" for name, v in measure.values)
    try:
        found = dict(con.execute(f"from ltr.{macro}('input'{options})").fetchall())
    except duckdb.Error as error:
        assert any(text in str(error) for text in OURS), error
        return
    least, most = bounds(definition)
    queries = grouped(rows)
    assert found.keys() == queries.keys()
    for query, value in found.items():
        if value is not None:
            assert math.isfinite(value), (query, value)
            assert least - TOLERANCE <= value <= most + TOLERANCE, (query, value)
        assert difference(value, oracle_value(measure, counted(queries[query]))) <= TOLERANCE, query


MEASURES = [
    "AP",
    "nDCG@3",
    "P@2",
    "R@5",
    "RR",
    "Bpref",
    "Rprec",
    "Judged@3",
    "NumRet",
    "G",
    "BinG",
    "KendallTau",
    "AUC",
]


OF_A_RUN = [
    "with judged as (from ltr.judge('run', 'qrels')) from ltr.per_query('judged', {measures})",
    "with judged as (from ltr.judge('run', 'qrels', ties := 'expected')) from ltr.per_query('judged', ['expected_AP'])",
    "with judged as (from ltr.judge('run', 'qrels', unjudged := 'keep')) from ltr.explain('judged', 'q1', 'AP')",
    "with judged as (from ltr.judge('run', 'qrels', missing := 'skip')) from ltr.evaluate('judged', {measures})",
    "select {names} from ltr.compare_rankings('run', 'other', {paired})",
    "from ltr.check_run('run', 'qrels')",
]
PAIRED = ["RBO", "Overlap@3", "KendallTau", "Jaccard"]


@settings(max_examples=4 * MORE, deadline=None, derandomize=True)
@given(data=st.data(), kind=st.sampled_from(["run", "ranked run"]))
def test_macros_of_runs(con: duckdb.DuckDBPyConnection, data: st.DataObject, kind: str) -> None:
    run, qrels = data.draw(tables(kind)), data.draw(tables("judgments"))
    con.register("run", table(run, kind))
    con.register("other", table(data.draw(tables("run")), "run"))
    con.register("qrels", table(qrels, "judgments"))
    names = ", ".join(f'"{name}"' for name in PAIRED)
    for call in OF_A_RUN:
        try:
            cursor = con.execute(call.format(measures=MEASURES, paired=PAIRED, names=names))
            rows = [
                dict(zip([column[0] for column in cursor.description], row, strict=True)) for row in cursor.fetchall()
            ]
        except duckdb.Error as error:
            assert any(text in str(error) for text in OURS), (call, error)
            continue
        for text in {*MEASURES, *PAIRED, "expected_AP"} & {name for row in rows for name in row}:
            least, most = bounds(parse_measure(text).definition)
            values = [row[text] for row in rows if row[text] is not None]
            assert all(least - TOLERANCE <= value <= most + TOLERANCE for value in values), (call, text, values)


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@settings(max_examples=8 * MORE, deadline=None, derandomize=True)
@given(data=st.data(), kind=st.sampled_from(["run", "ranked run"]))
def test_runs_and_judgments(data: st.DataObject, kind: str) -> None:
    run, qrels = table(data.draw(tables(kind)), kind), table(data.draw(tables("judgments")), "judgments")
    assert_equal_or_refused(run, qrels)


@settings(max_examples=6 * MORE, deadline=None, derandomize=True)
@given(rows=tables("scored"))
def test_scored_tables(rows: list[Row]) -> None:
    assert_equal_or_refused(table(rows, "scored"), None)


def assert_equal_or_refused(rankings: pa.Table, qrels: pa.Table | None) -> None:
    try:
        verdicts = ltr_sql.verify(rankings, MEASURES, qrels=qrels)
        (values,) = ltr_sql.evaluate(rankings, MEASURES, qrels=qrels).to_pylist()
    except LtrSqlError as error:
        assert " What to do: " in str(error) or any(text in str(error) for text in OURS), error
        return
    assert set(verdicts["verdict"]) == {"equal"}
    for text in MEASURES:
        least, most = bounds(parse_measure(text).definition)
        assert values[text] is None or least - TOLERANCE <= values[text] <= most + TOLERANCE


@settings(max_examples=10 * MORE, deadline=None, derandomize=True)
@given(rows=tables("scored"), order=st.randoms(use_true_random=False), missing=st.booleans())
def test_scored_tables_do_not_depend_on_the_order_of_rows(rows: list[Row], order: Any, missing: bool) -> None:
    found = []
    for ordered in (rows, order.sample(rows, len(rows))):
        of_rows = table(ordered, "scored")
        try:
            found.append(ltr_sql.evaluate(of_rows.drop_columns("doc_id") if missing else of_rows, MEASURES).to_pylist())
        except LtrSqlError as error:
            found.append(str(error)[:40])
    assert found[0] == found[1]
