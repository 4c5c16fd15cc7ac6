"""Results do not depend on the caller's macros, nor on the settings default_order and integer_division.

Each call runs on two connections with the same tables. One has settings of its own, macros with the names of the
built-in functions, and a macro that returns NULL for a division of integers.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from support.case_folders import Expected, cases_of, file_of, load
from support.measures import ONE_OF_EACH_SOURCE

import ltr_sql
from ltr_sql.catalogue.functions import builders, procedures
from ltr_sql.catalogue.measure_strings import parse_measure
from ltr_sql.inputs import connection
from ltr_sql.macros.functions import bundle
from ltr_sql.rendering.dialects import string
from ltr_sql.rendering.sql_text import FUNCTIONS, qualified, qualified_with_texts

# DuckDB calls these for {...}, [...] and columns(lambda ...), which cannot name a schema.
SYNTAX = {"struct_pack", "list_value", "list_filter"}
# DuckDB 1.5 cannot qualify these.
WINDOWS = {"row_number", "rank", "dense_rank", "first_value", "last_value", "lag"}
INTEGERS = "('TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT')"
TABLES = """
create table runs as
select
    's' || s.s as system,
    'q' || q.q as query_id,
    'd' || d.d as doc_id,
    cast((q.q * 31 + d.d * 17 + s.s * s.s * d.d * 7) % 9 as double) / 2 as score
from range(3) as s(s), range(7) as q(q), range(8) as d(d)
where (s.s + q.q + d.d) % 5 > 0;
create table weekly as select *, cast(query_id[2] as integer) % 3 as week from runs where system = 's0';
create table qrels as
select 'q' || q.q as query_id, 'd' || d.d as doc_id, (q.q * 3 + d.d * d.d) % 4 as relevance
from range(7) as q(q), range(9) as d(d);
create table segments as from qrels, (values ('x'), ('y')) as s(segment);
create table weights as select 'q' || q.q as query_id, 1 + q.q % 3 as weight from range(7) as q(q);
create table ratings as
select q.query_id, q.doc_id, 'r' || r.r as rater, (q.relevance + r.r * hash(q.doc_id) % 2) % 3 as relevance
from qrels as q, range(3) as r(r);
create table log as
select
    's' || s.s as session_id,
    'q' || s.s % 3 as query_id,
    'd' || (r.r + s.s) % 6 as doc_id,
    r.r as rank,
    cast((s.s * r.r) % 3 = 1 as integer) as click,
    ['a', 'b'][1 + (s.s + r.r) % 2] as team
from range(20) as s(s), range(1, 5) as r(r);
create table rounds as
select
    'q' || q.q as query_id,
    q.q % 2 as reward,
    0.25e0 + q.q % 3 / 4e0 as propensity,
    0.5e0 as target,
    0.5e0 as q_hat,
    0.25e0 as v_hat
from range(9) as q(q);
create table documents as
select 'd' || d.d as doc_id, ['A', 'B'][1 + d.d % 2] as "group", 'c' || d.d % 3 as category, d.d + 1 as popularity
from range(9) as d(d);
"""
OF_EACH_SOURCE = [definition.macro for definition in ONE_OF_EACH_SOURCE]
MEANS = ["nDCG@3", "AP", "RR", "P@2", "bpref", "infAP", "R@5"]
JUDGED = "ltr.judge('runs', 'qrels', keys := ['system'])"
RELATIONS = {
    "ranked": "from ltr.rank_by_score('runs', keys := ['system'])",
    "judged": f"from {JUDGED}",
    "pairs": "from ltr.pair('runs', 'runs', keys := ['system'])",
    "averages": f"from ltr.per_query('judged', {MEANS}, keys := ['system'])",
}


def methods(name: str, *left_out: str) -> list[str]:
    """Return the methods of a builder."""
    return [method for method in builders()[name].methods if method not in left_out]


def calls_in_sql() -> Iterator[str]:
    """Yield calls of macros, after those that the tables of `RELATIONS` are made from."""
    yield f"from ltr.evaluate('judged', {MEANS}, keys := ['system'])"
    yield f"from ltr.evaluate('judged', {MEANS}, keys := ['system'], weights := 'weights')"
    yield f"from ltr.evaluate('judged', {MEANS}, keys := ['system'], convention := 'trec_eval')"
    yield f"from ltr.distribution('judged', {MEANS}, keys := ['system'])"
    yield "from ltr.compare_rankings('runs', 'runs', ['KendallTau', 'RBO', 'Overlap@3'], keys := ['system'])"
    for measure in ("nDCG@5", "AP", "RR", "RBP"):
        yield f"from ltr.explain('judged', 'q1', '{measure}', keys := ['system'])"
    for option in ("test", "adjust", "ci"):
        for name in procedures(option):
            options = f"{option} := '{name}', replicates := 100, resamples := 100"
            options += ", planned := 50" if name == "sequential" else ""
            yield f"from ltr.compare_values('averages', {MEANS}, {options})"
            if option == "adjust":
                yield f"from ltr.leaderboard('averages', {MEANS}, {options})"
    yield f"from ltr.compare('judged', {MEANS})"
    yield f"from ltr.compare_values('averages', {MEANS}, margin := 0.02, weights := 'weights', baseline := ['s1'])"
    yield "from ltr.wins('averages', 's1', 's2')"
    yield "from ltr.variance('averages')"
    yield "from ltr.queries_needed(sd := 0.2, difference := 0.02)"
    for method in procedures("fusion"):
        yield f"from ltr.fuse('runs', method := '{method}')"
    for norm in (norm for norm in procedures("norm") if norm != "max"):
        yield f"from ltr.fuse('runs', method := 'comb_sum', norm := '{norm}')"
    yield "from ltr.tune_fusion('runs', 'qrels', 'nDCG@5', methods := ['rrf', 'comb_sum'], step := 0.5, folds := 2)"
    for strategy in methods("pool"):
        yield f"from ltr.pool('runs', strategy := '{strategy}', depth := 3, qrels := 'qrels')"
    yield "from ltr.unique_documents('runs', depth := 3)"
    for method in methods("group_documents"):
        yield f"from ltr.group_documents('runs', method := '{method}', keys := ['system'])"
    for method in methods("merge_judgments"):
        yield f"from ltr.merge_judgments('ratings', method := '{method}')"
    yield "from ltr.rater_agreement('ratings')"
    yield "from ltr.rater_confusion('ratings')"
    yield "from ltr.interleaving('log')"
    for model in methods("click_judgments", "ips"):
        yield f"from ltr.click_judgments('log', model := '{model}')"
    for method in methods("position_bias"):
        yield f"from ltr.position_bias('log', method := '{method}')"
    yield "from ltr.off_policy('rounds', estimators := ['ips', 'snips', 'dm', 'dr', 'sndr'])"
    yield "from ltr.beyond_accuracy('runs', ['Gini', 'Entropy'], documents := 'documents', keys := ['system'])"
    yield "select ltr.t_p(2.5, 7), ltr.t_quantile(0.05, 7), ltr.normal_p(1.5), ltr.f_p(2.5, 3, 7), ltr.tukey_p(3, 4, 9)"


Call = Callable[[duckdb.DuckDBPyConnection], Any]
CALLS_OF_PYTHON: dict[str, Call] = {
    "evaluate": lambda con: ltr_sql.evaluate("runs", MEANS, qrels="qrels", keys=["system"], by_query=True, con=con),
    "means": lambda con: ltr_sql.evaluate("runs", MEANS, qrels="qrels", keys=["system"], weights="weights", con=con),
    "beyond accuracy": lambda con: ltr_sql.evaluate(
        "runs", ["Gini", "Coverage", "Entropy"], documents="documents", keys=["system"], con=con
    ),
    "distribution": lambda con: ltr_sql.distribution("runs", MEANS, qrels="qrels", keys=["system"], con=con),
    "explain": lambda con: ltr_sql.explain("runs", "q1", "nDCG@5", qrels="qrels", keys=["system"], con=con),
    "agreement": lambda con: ltr_sql.agreement("runs", keys=["system"], con=con, by_query=True),
    "compare": lambda con: ltr_sql.compare("runs", MEANS, qrels="qrels", ci="bca", con=con),
    "leaderboard": lambda con: ltr_sql.leaderboard("runs", MEANS, qrels="qrels", resamples=100, con=con),
    "system agreement": lambda con: ltr_sql.system_agreement("runs", ["AP", "RR"], qrels="qrels", con=con),
    "wins": lambda con: ltr_sql.wins("runs", "s1", "s2", ["AP", "RR"], qrels="qrels", con=con),
    "trend": lambda con: ltr_sql.trend("weekly", ["AP", "RR"], qrels="qrels", by="week", con=con),
    "variance": lambda con: ltr_sql.variance("runs", MEANS, qrels="qrels", con=con),
    "fuse": lambda con: ltr_sql.fuse("runs", "comb_mnz", norm="borda", con=con),
    "tune fusion": lambda con: ltr_sql.tune_fusion("runs", "AP", qrels="qrels", folds=2, con=con).table,
    "pool": lambda con: ltr_sql.pool("runs", depth=3, qrels="qrels", con=con),
    "unique documents": lambda con: ltr_sql.unique_documents("runs", depth=3, con=con),
    "merge judgments": lambda con: ltr_sql.merge_judgments("ratings", method="dawid_skene", con=con),
    "rater agreement": lambda con: ltr_sql.rater_agreement("ratings", con=con),
    "rater confusion": lambda con: ltr_sql.rater_confusion("ratings", con=con),
    "click judgments": lambda con: ltr_sql.click_judgments("log", model="pbm", con=con),
    "position bias": lambda con: ltr_sql.position_bias("log", method="em", con=con),
    "interleaving": lambda con: ltr_sql.interleaving("log", con=con),
    "off policy": lambda con: ltr_sql.off_policy("rounds", estimators=["ips", "dr"], con=con),
    "check": lambda con: ltr_sql.check("runs", qrels="qrels", keys=["system"], con=con),
    "rendered": lambda con: con.execute(ltr_sql.render(MEANS, rankings="judged", keys=["system"])).df(),
}


@pytest.fixture(scope="module")
def plain() -> duckdb.DuckDBPyConnection:
    return with_relations(connected())


@pytest.fixture(scope="module")
def surrounded() -> duckdb.DuckDBPyConnection:
    """Return a connection with the same tables, hostile settings, and macros with the names of built-in functions."""
    con = connected()
    query = "select distinct function_name from duckdb_functions() where internal and function_type = 'table'"
    of_tables = {name for (name,) in con.execute(query).fetchall()}
    for name in sorted(FUNCTIONS - SYNTAX):
        body = "(a) as table select 99 as a" if name in of_tables else "(a) as 99, (a, b) as 99, (a, b, c) as 99"
        con.execute(f'create macro "{name}"{body}')
    con.execute(f"""
        create macro "//"(a, b) as case
            when system.main.typeof(a) in {INTEGERS} and system.main.typeof(b) in {INTEGERS}
            then null
            else system.main."//"(a, b)
        end
    """)
    con.execute("set default_order = 'DESC'; set global integer_division = true")
    return with_relations(con)


def case_of(macro: str) -> Path:
    """Return the first case of a measure. Macros of two rankings read pairs."""
    folders = cases_of(macro)
    return next((folder for folder in folders if file_of(folder) == "pairs"), folders[0])


def connected() -> duckdb.DuckDBPyConnection:
    """Return a connection with the tables of all calls."""
    con = duckdb.connect(config={"threads": 1})
    con.execute(TABLES)
    for macro in OF_EACH_SOURCE:
        folder = case_of(macro)
        con.execute(f"alter table {load(con, folder / f'{file_of(folder)}.csv')} rename to case_{macro}")
    return con


def with_relations(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Register the macros, and store the tables that calls read."""
    ltr_sql.register(con)
    for name, query in RELATIONS.items():
        con.execute(f"create table {name} as {query}")
    return con


def check_equal(found: Any, expected: Any) -> None:
    """Assert that two results have equal rows in the same order, up to rounding."""
    if isinstance(expected, pd.DataFrame):
        assert len(expected)
        pd.testing.assert_frame_equal(found, expected, rtol=1e-12, atol=1e-12)
    else:
        assert found == expected


@pytest.mark.default(
    "from ltr.group_documents('runs', method := 'max', keys := ['system'])",
    "from ltr.fuse('runs', method := 'rrf')",
    "from ltr.interleaving('log')",
    "from ltr.wins('averages', 's1', 's2')",
)
@pytest.mark.parametrize("query", [*(f"from {name}" for name in RELATIONS), *calls_in_sql()])
def test_macros(query: str, plain: duckdb.DuckDBPyConnection, surrounded: duckdb.DuckDBPyConnection) -> None:
    expected, found = (in_order(con.execute(query).df(), query) for con in (plain, surrounded))
    check_equal(found, expected)


def in_order(frame: pd.DataFrame, query: str) -> pd.DataFrame:
    """Sort the rows unless the macro does."""
    if re.match(r"from ltr\.(explain|compare_values|compare|leaderboard|wins|variance)\b", query):
        return frame
    order = frame.round(9).astype(str).sort_values([*frame.columns]).index
    return frame.loc[order].reset_index(drop=True)


@pytest.mark.default("footrule")
@pytest.mark.parametrize("macro", OF_EACH_SOURCE)
def test_measures(macro: str, plain: duckdb.DuckDBPyConnection, surrounded: duckdb.DuckDBPyConnection) -> None:
    folder = case_of(macro)
    expected = Expected.of(folder)
    for text in expected.measures:
        given = dict(parse_measure(text).values)
        if given.get("ideal") == "returned":  # Macros of one measure refuse it.
            continue
        options = "".join(f", {name} := {sql_of(value)}" for name, value in given.items())
        query = f"from ltr.{macro}('case_{macro}'{options}, keys := {expected.keys}::varchar[])"
        check_equal(*(in_order(con.execute(query).df(), query) for con in (surrounded, plain)))
    query = f"from ltr.per_query('case_{macro}', {sql_of(expected.measures)}, keys := {expected.keys}::varchar[])"
    if file_of(folder) == "rankings":
        check_equal(*(in_order(con.execute(query).df(), query) for con in (surrounded, plain)))
    check_equal(
        *(
            ltr_sql.evaluate(f"case_{macro}", expected.measures, keys=expected.keys, by_query=True, con=con)
            for con in (surrounded, plain)
        )
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ltr_sql.InputWarning")
@pytest.mark.parametrize("name", CALLS_OF_PYTHON)
def test_python(
    name: str,
    plain: duckdb.DuckDBPyConnection,
    surrounded: duckdb.DuckDBPyConnection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = CALLS_OF_PYTHON[name](plain)
    queries: list[str] = []

    def recorded(query: str) -> str:
        queries.append(qualified(query))
        return queries[-1]

    monkeypatch.setattr(connection, "qualified", recorded)
    check_equal(CALLS_OF_PYTHON[name](surrounded), expected)
    assert not {call for query in queries for call in unqualified(query, plain)}


def built_in(con: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the names of the built-in functions of DuckDB that can be qualified."""
    rows = con.execute("select distinct function_name from duckdb_functions() where internal").fetchall()
    return {name for (name,) in rows} - WINDOWS - {"unnest"}


def unqualified(text: str, con: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the built-in functions that a text calls without their schema, outside strings and comments."""
    outside = re.sub(r"'[^']*'|\"[^\"]*\"|/\*.*?\*/|--[^\n]*", "", text, flags=re.DOTALL)
    return {*re.findall(r"(?<![\w.])([a-z]\w*)\(", outside)} & built_in(con) - {"map"}


@pytest.mark.slow
def test_the_script_qualifies_all_built_in_functions(plain: duckdb.DuckDBPyConnection) -> None:
    script = bundle()
    assert unqualified(script, plain) == set()
    statements = [s for s in script.split(";\n") if not s.startswith(("comment on", "\ncomment on"))]
    described = ("macro ltr.measures()", "macro ltr.conventions()", "macro ltr.__ltr_help_rows()")
    texts = [s for s in statements if not any(macro in s for macro in described)]
    calls = {
        call for text in texts for call in re.findall(r"(?<![\w.])(?<!as in )(?<!such as )([a-z]\w*)\((?!\))", text)
    }
    assert calls & built_in(plain) - {"map"} == set()
    assert "system.main." not in "".join(re.findall(r"comment on macro .*", script))


def sql_of(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(sql_of, value))}]"
    return string(value) if isinstance(value, str) else "null" if value is None else repr(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select avg(x), count(*)", "select system.main.avg(x), system.main.count(*)"),
        ("sum(max(x)) over (order by y asc)", "system.main.sum(system.main.max(x)) over (order by y asc)"),
        ("select 'avg(x)', \"avg(x)\" -- avg(x)", "select 'avg(x)', \"avg(x)\" -- avg(x)"),
        (
            "/* avg(x) */ system.main.avg(x) + ltr.avg(x) + my_avg(x)",
            "/* avg(x) */ system.main.avg(x) + ltr.avg(x) + my_avg(x)",
        ),
        (
            "cast(x as double), coalesce(x, 0), row_number() over ()",
            "cast(x as double), coalesce(x, 0), row_number() over ()",
        ),
        ("select 'it''s avg(x)', avg(x)", "select 'it''s avg(x)', system.main.avg(x)"),
    ],
)
def test_calls_are_qualified(text: str, expected: str) -> None:
    assert qualified(text) == expected


def test_texts_of_macros_are_qualified() -> None:
    macro = "create macro f(x) as 'select avg(' || x || '), as in decode(x)';\ncomment on macro f is 'The avg(x).';"
    expected = macro.replace("select avg", "select system.main.avg")
    assert qualified_with_texts(macro) == expected
