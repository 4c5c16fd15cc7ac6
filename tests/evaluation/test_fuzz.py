"""Fuzz test: for invalid tables, every macro and `evaluate` return the oracle's value or raise an error of ltr_sql."""

import math
import re
from decimal import Decimal, localcontext
from typing import Any, TypeGuard

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import MORE

import ltr_sql
from ltr_sql import LtrSqlError, oracle
from ltr_sql.catalogue.files import SQL_FOLDER
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.catalogue.measures import Definition, definitions
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
    texts = [path.read_text(encoding="utf-8") for path in SQL_FOLDER.rglob("*.sql")]
    found = [m[1].split("'")[0][:30] for text in texts for m in re.finditer(r'error\("([^"]+)"', text)]
    return [
        *found,
        "this measure needs one row for each document",
        "ids are compared by a collation",
        "(of the keys; the input has ",
    ]


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


# Tables with types of the engine. The functions below find the defects of a table from its rows, without SQL. A table
# with a defect must be refused, and every other table must have the value of the oracle.

# Types of scores, and the smallest score of each. Scores differ in the last digit, which conversion to double loses for
# most types.
SCORE_TYPES = {
    "INTEGER": "-1",
    "DOUBLE": "-1",
    "BIGINT": "1790000000000000000",
    "UBIGINT": "18446744073709551610",
    "HUGEINT": "-170141183460469231731687303715884105000",
    "UHUGEINT": "340282366920938463463374607431768211450",
    "DECIMAL(18, 3)": "100000000000000.001",
    "DECIMAL(38, 20)": "0.10000000000000000001",
}
COLLATIONS = ["", "", " collate nocase", " collate noaccent"]
COMPOSED, APART = "\u00e9", "e\u0301"
IDS = ["d1", "D1", "a", "B", "d1 ", COMPOSED, APART]
EXTRA_NAMES = [
    "rowid",
    "file_row_number",
    "Score2",
    "select",
    'a"b',
    "keys",
    "r",
    "q",
    "system_",
    "num_judged",
    "position",
]
QUERIES_OF_ENGINE = ["q1", "Q1", COMPOSED, APART]
MEASURES_OF_ENGINE = ["AP", "RR", "P@2", "nDCG@3", "Bpref", "Rprec", "NumRelRet"]


def scored_at(kind: str, step: int | None) -> Decimal | None:
    """Return the score that is `step` units of the last digit above the smallest score of a type."""
    least = Decimal(SCORE_TYPES[kind])
    exponent = least.as_tuple().exponent
    assert isinstance(exponent, int)
    with localcontext(prec=60):
        return None if step is None else least + step * Decimal(10) ** exponent


@st.composite
def runs_of_engine(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a run and judgments, the types of their columns, and grouping columns."""
    kind = draw(st.sampled_from([*SCORE_TYPES]))
    segments = {query: draw(st.sampled_from(["de", "fr", None])) for query in QUERIES_OF_ENGINE}
    rare = st.integers(0, 29).map(lambda number: number == 0)

    def rows(names: dict[str, st.SearchStrategy[Any]], most: int) -> list[Row]:
        drawn = draw(st.lists(st.fixed_dictionaries(names), max_size=most))
        return [{**row, "country": segments.get(row["query_id"])} for row in drawn]

    def spoiled(values: list[str]) -> st.SearchStrategy[str | None]:
        return st.tuples(rare, st.sampled_from(values)).map(lambda pair: None if pair[0] else pair[1])

    step = st.tuples(rare, st.integers(0, 4)).map(lambda pair: None if pair[0] else pair[1])
    ids = {"query_id": spoiled(QUERIES_OF_ENGINE), "doc_id": spoiled(IDS)}
    run = rows({"system": st.sampled_from(["x", "X", None]), **ids, "score": step}, 12)
    qrels = rows({**ids, "relevance": st.sampled_from([None, -1, 0, 1, 1, 2])}, 8)
    if not draw(rare):
        run = [*{(row["system"], row["query_id"], row["doc_id"]): row for row in run}.values()]
    if not draw(rare):
        qrels = [*{(row["query_id"], row["doc_id"]): row for row in qrels}.values()]
    for table_rows in (run, qrels):
        spoil: bool = draw(rare)
        if table_rows and spoil:
            table_rows[0]["country"] = "it"
    for row in run:
        row["score"] = scored_at(kind, row["score"])
    return {
        "run": run,
        "qrels": qrels,
        "kind": kind,
        "collations": draw(st.tuples(st.sampled_from(COLLATIONS), st.sampled_from(COLLATIONS))),
        "extra": draw(st.lists(st.sampled_from(EXTRA_NAMES), max_size=2, unique=True)),
        "in_run": draw(st.booleans()),
        "keys": draw(st.sampled_from([[], ["system"], ["country"], ["system", "country"], ["country", "system"]])),
        "order": draw(st.permutations(["query_id", "doc_id", "country"])),
    }


def store(
    con: duckdb.DuckDBPyConnection, name: str, rows: list[Row], columns: dict[str, str], extra: list[str]
) -> None:
    """Create a table with these columns and types. `extra` names further columns of numbers."""
    listed = [f"{kind_of} as {column}" for column, kind_of in columns.items()]
    listed += ['{} as "{}"'.format("row_number() over ()", column.replace('"', '""')) for column in extra]
    texts = {
        column: pa.array([None if row[column] is None else str(row[column]) for row in rows], pa.string())
        for column in columns
    }
    con.register("__rows", pa.table(texts))
    # A frame that another test has registered under this name would hide the table.
    con.unregister(name)
    con.execute(f"create or replace table {name} as select {', '.join(listed)} from __rows")


def store_run_and_judgments(con: duckdb.DuckDBPyConnection, drawn: dict[str, Any]) -> None:
    for name, column, kind, collation in (
        ("run", "score", drawn["kind"], drawn["collations"][0]),
        ("qrels", "relevance", "integer", drawn["collations"][1]),
    ):
        texts = [*drawn["order"], *(["system"] if name == "run" else [])]
        if name == "run" and not drawn["in_run"]:
            texts.remove("country")
        columns = {text: text + (collation if text in ("query_id", "doc_id") else "") for text in texts}
        store(con, name, drawn[name], {**columns, column: f"{column}::{kind}"}, drawn["extra"])


def repeated(rows: list[Row], *names: str) -> bool:
    return len({tuple(row[name] for name in names) for row in rows}) < len(rows)


def faults(drawn: dict[str, Any]) -> set[str]:
    """Return the defects for which a run and judgments must be refused."""
    run, qrels, keys = drawn["run"], drawn["qrels"], drawn["keys"]
    systems = [key for key in keys if key != "country"]
    found = {"no rows"} if not run or not qrels else set()
    if any(row[name] is None for row in run + qrels for name in ("query_id", "doc_id")):
        found.add("NULL id")
    if any(row["score"] is None for row in run):
        found.add("NULL score")
    if repeated(qrels, "query_id", "doc_id"):
        found.add("judged twice")
    judged = {(row["query_id"], row["doc_id"]) for row in qrels}
    if repeated([row for row in run if (row["query_id"], row["doc_id"]) in judged], *systems, "query_id", "doc_id"):
        found.add("retrieved twice")
    named = {(row["query_id"], row["country"]) for row in qrels}
    if "country" in keys:
        if len(named) > len({row["query_id"] for row in qrels}):
            found.add("segments")
        known = {query for query, _ in named}
        if drawn["in_run"] and any(
            row["query_id"] in known and (row["query_id"], row["country"]) not in named for row in run
        ):
            found.add("segments")
    return found


def doubtful(drawn: dict[str, Any]) -> bool:
    """Return whether a run may be refused: a system has no judged document, or an unjudged document twice."""
    systems = [key for key in drawn["keys"] if key != "country"]
    judged = {(row["query_id"], row["doc_id"]) for row in drawn["qrels"] if row["relevance"] is not None}
    by_system: dict[Any, set[Any]] = {}
    for row in drawn["run"]:
        by_system.setdefault(tuple(row[name] for name in systems), set()).add((row["query_id"], row["doc_id"]))
    lacking = any(not documents & judged for documents in by_system.values())
    return lacking or repeated(drawn["run"], *systems, "query_id", "doc_id")


def values_of_run(drawn: dict[str, Any], measures: list[str]) -> dict[Any, list[float]]:
    """Return the oracle's values of each judged query of each system, by the keys and query_id."""
    systems = [key for key in drawn["keys"] if key != "country"]
    runs: dict[Any, dict[Any, list[Row]]] = {}
    for row in drawn["run"]:
        runs.setdefault(tuple(row[name] for name in systems), {}).setdefault(row["query_id"], []).append(row)
    found = {}
    for system, run in runs.items():
        for query, judgments in grouped(drawn["qrels"]).items():
            rows = run.get(query, [])
            scores: list[Any] = [float(row["score"]) if drawn["kind"] == "DOUBLE" else row["score"] for row in rows]
            ranks = oracle.rank_by_score(scores, doc_id=[row["doc_id"] for row in rows]).tolist() if rows else []
            rank_of = dict(zip([row["doc_id"] for row in rows], ranks, strict=True))
            judged = [{**row, "rank": rank_of.get(row["doc_id"])} for row in judgments]
            named = {**dict(zip(systems, system, strict=True)), "country": judgments[0]["country"]}
            key = (*(named[name] for name in drawn["keys"]), query)
            found[key] = [oracle_value(parse_measure(text), judged) for text in measures]
    return found


def assert_equal_values(
    found: list[Row], expected: dict[Any, list[float]], keys: list[str], measures: list[str]
) -> None:
    by_key = {tuple(row[name] for name in (*keys, "query_id")): [row[text] for text in measures] for row in found}
    assert by_key.keys() == expected.keys()
    for key, values in expected.items():
        assert all(difference(a, b) <= TOLERANCE for a, b in zip(by_key[key], values, strict=True)), key


def is_ours(error: Exception) -> bool:
    return " What to do: " in str(error) or any(text in str(error) for text in OURS)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@settings(max_examples=6 * MORE, deadline=None, derandomize=True)
@given(drawn=runs_of_engine())
def test_tables_of_the_engine(con: duckdb.DuckDBPyConnection, drawn: dict[str, Any]) -> None:
    store_run_and_judgments(con, drawn)
    keys, measures, faulty = drawn["keys"], MEASURES_OF_ENGINE, faults(drawn)
    options: dict[str, Any] = {"qrels": "qrels", "keys": keys, "by_query": True, "con": con}
    try:
        frame = ltr_sql.evaluate("run", measures, **options)
    except LtrSqlError as error:
        assert faulty or (doubtful(drawn) and is_ours(error)), error
    else:
        assert not faulty
        rows = con.execute("from frame").fetchall()
        found = [dict(zip(frame.columns, row, strict=True)) for row in rows]
        assert_equal_values(found, values_of_run(drawn, measures), keys, measures)
    listed = f"{keys}::varchar[]"
    call = f"from ltr.judge('run', 'qrels', keys := {listed})"
    try:
        cursor = con.execute(f"with judged as ({call}) from ltr.per_query('judged', {measures}, keys := {listed})")
        rows = cursor.fetchall()
    except duckdb.Error as error:
        if any(drawn["collations"]):
            assert is_ours(error) or "different collation" in str(error)
        else:
            assert is_ours(error) and (faulty or doubtful(drawn)), error
        return
    # NULL ids join no row.
    assert not faulty - {"NULL id", "no rows"}
    if not faulty:
        found = [dict(zip([column[0] for column in cursor.description], row, strict=True)) for row in rows]
        assert_equal_values(found, values_of_run(drawn, measures), keys, measures)


@st.composite
def ranked_of_engine(draw: st.DrawFn) -> dict[str, Any]:
    """Draw rankings with doc_id, or a scored table with or without it, and the types of their columns."""
    kind = draw(st.sampled_from([*SCORE_TYPES]))
    names = {
        "query_id": st.sampled_from(QUERIES_OF_ENGINE),
        "doc_id": st.sampled_from(IDS),
        "rank": st.sampled_from([None, *range(1, 9)]),
        "score": st.integers(0, 4).map(lambda step: scored_at(kind, step)),
        "relevance": st.sampled_from([None, -1, 0, 1, 1, 2]),
    }
    rows = draw(st.lists(st.fixed_dictionaries(names), max_size=9))
    if draw(st.booleans()):
        rows = [*{(row["query_id"], row["rank"] or row["doc_id"]): row for row in rows}.values()]
    if draw(st.booleans()):
        rows = [*{(row["query_id"], row["doc_id"]): row for row in rows}.values()]
    return {
        "rows": rows,
        "kind": kind,
        "collation": draw(st.sampled_from(COLLATIONS)),
        "rank": draw(st.sampled_from(["INTEGER", "HUGEINT", "DOUBLE", "DECIMAL(9, 2)"])),
        "extra": draw(st.lists(st.sampled_from(EXTRA_NAMES), max_size=2, unique=True)),
    }


def assert_values_or_refusal(
    con: duckdb.DuckDBPyConnection, rows: list[Row], faulty: bool, doubtful: bool, given: str = "given"
) -> None:
    try:
        frame = ltr_sql.evaluate(given, MEASURES_OF_ENGINE, by_query=True, con=con)
    except LtrSqlError as error:
        assert is_ours(error) and (faulty or doubtful), error
        return
    assert not faulty
    expected = {
        (query,): [oracle_value(parse_measure(text), of_query) for text in MEASURES_OF_ENGINE]
        for query, of_query in grouped(rows).items()
    }
    assert_equal_values(frame.to_dict("records"), expected, [], MEASURES_OF_ENGINE)


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@settings(max_examples=8 * MORE, deadline=None, derandomize=True)
@given(drawn=ranked_of_engine())
def test_rankings_of_the_engine(con: duckdb.DuckDBPyConnection, drawn: dict[str, Any]) -> None:
    rows = drawn["rows"]
    columns = {name: name + drawn["collation"] for name in ("doc_id", "query_id")}
    columns |= {"rank": f"rank::{drawn['rank']}", "relevance": "relevance::double"}
    store(con, "given", rows, columns, drawn["extra"])
    read = [row for row in rows if row["relevance"] is not None]
    ranked = [row for row in rows if row["rank"] is not None]
    # A document twice, perhaps once without a rank.
    faulty = not rows or repeated(read, "query_id", "doc_id") or repeated(ranked, "query_id", "rank")
    assert_values_or_refusal(con, rows, faulty, doubtful=False)


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@settings(max_examples=8 * MORE, deadline=None, derandomize=True)
@given(drawn=ranked_of_engine(), with_ids=st.booleans())
def test_scored_tables_of_the_engine(con: duckdb.DuckDBPyConnection, drawn: dict[str, Any], with_ids: bool) -> None:
    rows, kind = drawn["rows"], drawn["kind"]
    columns = {"score": f"score::{kind}", "query_id": f"query_id{drawn['collation']}"}
    columns |= {"relevance": "relevance::double"} | ({"doc_id": f"doc_id{drawn['collation']}"} if with_ids else {})
    store(con, "given", rows, columns, drawn["extra"])
    read = [row for row in rows if row["relevance"] is not None]
    order = ("query_id", "score", *(["doc_id"] if with_ids else []))
    tied = repeated(rows, *order)
    # The order of documents of one grade changes no value.
    distinct = [{name: row[name] for name in (*order, "relevance")} for row in rows]
    differing = repeated([row for n, row in enumerate(distinct) if row not in distinct[:n]], *order)
    faulty = not rows or differing or (with_ids and repeated(read, "query_id", "doc_id"))
    ranked = []
    for of_query in grouped(rows).values():
        scores: list[Any] = [float(row["score"]) if kind == "DOUBLE" else row["score"] for row in of_query]
        ranks = oracle.rank_by_score(scores, doc_id=[row["doc_id"] for row in of_query])
        ranked += [{**row, "rank": int(rank)} for row, rank in zip(of_query, ranks, strict=True)]
    assert_values_or_refusal(con, ranked, faulty, doubtful=tied)


@settings(max_examples=4 * MORE, deadline=None, derandomize=True)
@given(rows=tables("scored"), name=st.sampled_from(["score", "Score", "QUERY_ID", "relevance", "doc_id"]))
def test_repeated_columns_are_refused(rows: list[Row], name: str) -> None:
    of_rows = table(rows, "scored")
    twice = of_rows.append_column(name, of_rows[name.lower()])
    with pytest.raises(LtrSqlError, match=r"two columns|repeat|twice"):
        ltr_sql.evaluate(twice, MEASURES)


# Functions around a measure: fusion, clicks, pools, raters, weights. Each returns finite numbers, or refuses the table.

LOGS: dict[str, st.SearchStrategy[Any]] = {
    "session_id": st.sampled_from(["s1", "s1", "s2", "s3", None]),
    "query_id": QUERIES,
    "doc_id": DOCUMENTS,
    "rank": RANKS,
    "click": st.sampled_from([0, 0, 1, 1, None, 2, 0.5, NAN]),
    "team": st.sampled_from(["a", "b", "a", "b", None, "c"]),
}
RATINGS: dict[str, st.SearchStrategy[Any]] = {
    "query_id": QUERIES,
    "doc_id": DOCUMENTS,
    "rater": st.sampled_from(["r1", "r2", "r3", None]),
    "relevance": GRADES,
}
RUNS: dict[str, st.SearchStrategy[Any]] = {
    "system": st.sampled_from(["s1", "s2", "s2", None]),
    "query_id": QUERIES,
    "doc_id": DOCUMENTS,
    "score": SCORES,
    "relevance": GRADES,
}
AROUND = {
    **{name: LOGS for name in ("click_judgments", "position_bias", "interleaving")},
    **{name: RATINGS for name in ("merge_judgments", "rater_agreement", "rater_confusion")},
    **{name: RUNS for name in ("fuse", "pool", "unique_documents", "evaluate", "distribution")},
}
WEIGHTS = st.lists(
    st.fixed_dictionaries(
        {"query_id": QUERIES, "weight": st.sampled_from([0, 1, 1, 2, 0.5, 1e-9, 1e100, None, NAN, INF, -1])}
    ),
    max_size=5,
)
TEXTS = {"session_id", "query_id", "doc_id", "team", "rater", "system"}


@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.parametrize("function", [*AROUND])
@settings(max_examples=3 * MORE, deadline=None, derandomize=True)
@given(data=st.data())
def test_functions_around_a_measure(function: str, data: st.DataObject) -> None:
    columns = AROUND[function]
    rows = data.draw(st.lists(st.fixed_dictionaries(columns), min_size=1, max_size=8))
    given = {c: pa.array([row[c] for row in rows], pa.string() if c in TEXTS else pa.float64()) for c in columns}
    weights = data.draw(WEIGHTS)
    options: dict[str, Any] = {}
    if function in ("evaluate", "distribution"):
        of_query = [row["query_id"] for row in weights], [row["weight"] for row in weights]
        table_of_weights = {
            "query_id": pa.array(of_query[0], pa.string()),
            "weight": pa.array(of_query[1], pa.float64()),
        }
        options = {"measures": ["RR", "AP"], "keys": ["system"], "weights": pa.table(table_of_weights)}
    try:
        found = getattr(ltr_sql, function)(pa.table(given), **options).to_pylist()
    except LtrSqlError as error:
        assert "__ltr_" not in str(error), error
        return
    numbers = [value for row in found for value in row.values() if isinstance(value, float)]
    assert all(math.isfinite(value) for value in numbers), found
