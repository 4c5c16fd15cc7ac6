"""Nulls and emptiness: an option that has a default takes no NULL, and an empty table has no rows."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import pytest

import ltr_sql
from ltr_sql import LtrSqlError
from ltr_sql.catalogue.functions import builders, relations
from ltr_sql.catalogue.measures import beyond_accuracy_definitions, definitions
from ltr_sql.macros.registration import script

Con = duckdb.DuckDBPyConnection

ROWS = """
    ('q1', 'd1', 1, 9.0, 1, 'x', 's1', 1, 2, 1.0, 0.5, 1, 'a', 0.5),
    ('q1', 'd2', 2, 8.0, 0, 'x', 's2', 2, 1, 2.0, 1.5, 0, 'b', 0.5),
    ('q2', 'd1', 1, 9.0, 1, 'y', 's1', 1, 2, 1.0, 0.5, 1, 'a', 0.5),
    ('q2', 'd2', 2, 8.0, 0, 'y', 's2', 2, 1, 2.0, 1.5, 0, 'b', 0.5)
"""
COLUMNS = (
    "query_id, doc_id, rank, score, relevance, system, subtopic, rank_a, rank_b, score_a, score_b, click, rater, target"
)
GIVEN = "'t'"
ARGUMENTS: dict[str, list[str]] = {
    **{name: [GIVEN, *(f"{p.name} := 1" for p in d.required)] for name, d in definitions().items()},
    **{name: ["'one'"] for name in beyond_accuracy_definitions()},
    **{name: [GIVEN] * len(relation.inputs) for name, relation in relations().items()},
    **{name: [GIVEN] for name in builders()},
    "off_policy": [GIVEN, "['ips']"],
    "beyond_accuracy": ["'one'", "['Entropy']"],
    "evaluate": [GIVEN, "['AP']"],
    "per_query": [GIVEN, "['AP']"],
    "distribution": [GIVEN, "['AP']"],
    "explain": [GIVEN, "'q1'", "'AP'"],
    "worst": ["'one'", "'AP'"],
    "gate": [GIVEN, "['score worse by > 100']", "'x'"],
    "fuse": [GIVEN],
    "tune_fusion": [GIVEN, GIVEN, "'AP'"],
    "compare_rankings": [GIVEN, GIVEN, "['KendallTau']"],
    "check_run": [GIVEN, GIVEN],
    "check_rankings": [GIVEN],
    "compare": [GIVEN, "['AP']"],
    "compare_values": [GIVEN, "['score']"],
    "leaderboard": [GIVEN, "['score']"],
    "system_agreement": [GIVEN, "['score']"],
    "trend": [GIVEN, "measures := ['score']"],
    "variance": [GIVEN, "['score']"],
    "wins": [GIVEN, "'x'", "'y'", "'score'"],
    "queries_needed": ["sd := 0.2", "difference := 0.02"],
}
# Macros whose rows are those of the given table.
OF_ROWS = {*definitions(), *relations(), *builders(), "per_query", "distribution", "compare_rankings", "fuse"} - {
    *("interleaving", "rater_bias", "judge")
}
CREATED = re.compile(r"^create or replace macro ltr\.([a-z]\w*)\((.*)\) as table$", re.MULTILINE)
# A parameter with a default that is not NULL.
DEFAULT = re.compile(r'(\w+)"? := (?!null)')
OPTIONS = [
    (name, option)
    for name, signature in CREATED.findall(script())
    for option in DEFAULT.findall(signature)
    if name not in ("measures", "conventions")
]


@pytest.fixture(scope="module")
def con(module_con: Con) -> Con:
    module_con.execute(
        "create table t as select *, 's' as session_id, 1.0 as reward, 0.5 as propensity "
        f"from (values {ROWS}) as t({COLUMNS})"
    )
    module_con.execute("create table one as select query_id, doc_id, rank from t where system = 'x'")
    for name in ("t", "one"):
        module_con.execute(f"create table no_{name} as from {name} where false")
    return module_con


def test_every_macro_is_called() -> None:
    assert {name for name, _ in OPTIONS} <= ARGUMENTS.keys()
    assert len(OPTIONS) > 300


# compare binds a long query for each of its options.
@pytest.mark.default(
    "group_documents", "judged", "merge_judgments", "num_q", "num_ret", "overlap", "rater_confusion", "spearman"
)
@pytest.mark.parametrize(
    "macro",
    [
        pytest.param(name, marks=pytest.mark.slow if name == "compare" or number % 3 else ())
        for number, name in enumerate(sorted({name for name, _ in OPTIONS}))
    ],
)
def test_macros(macro: str, con: Con) -> None:
    for name, option in OPTIONS:
        if name == macro:
            call = f"from ltr.{macro}({', '.join([*ARGUMENTS[macro], f'{option} := null'])})"
            with pytest.raises(duckdb.InvalidInputException) as raised:
                con.sql(call).fetchall()
            message = str(raised.value).partition("LINE 1")[0]
            assert re.search(rf"\b{option} must .*NULL|got keys NULL", message), (option, message)
    if macro in OF_ROWS:
        empty = [f"'no_{argument[1:]}" if argument in (GIVEN, "'one'") else argument for argument in ARGUMENTS[macro]]
        assert con.sql(f"from ltr.{macro}({', '.join(empty)})").fetchall() == []


T = pd.DataFrame(
    {
        "query_id": ["q", "q", "q", "q"],
        "doc_id": ["a", "b", "a", "b"],
        "rank": [1, 2, 1, 2],
        "score": [2.0, 1.0, 2.0, 1.0],
        "system": ["x", "x", "y", "y"],
    }
)
LOG = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "rank": [1], "click": [1], "session_id": ["s"], "team": ["a"]})
ROUNDS = pd.DataFrame({"query_id": ["q"], "reward": [1.0], "propensity": [0.5], "target": [0.5]})
RATINGS = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "a"], "rater": ["r", "s"], "relevance": [1, 0]})
FUNCTIONS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (ltr_sql.click_judgments, (LOG,)),
    (ltr_sql.position_bias, (LOG,)),
    (ltr_sql.interleaving, (LOG,)),
    (ltr_sql.off_policy, (ROUNDS, "ips")),
    (ltr_sql.merge_judgments, (RATINGS,)),
    (ltr_sql.rater_agreement, (RATINGS,)),
    (ltr_sql.pool, (T,)),
    (ltr_sql.unique_documents, (T,)),
    (ltr_sql.group_documents, (T,)),
    (ltr_sql.fuse, (T,)),
    (ltr_sql.queries_needed, (0.2, 0.02)),
    (ltr_sql.compare, (T.assign(value=[0.1, 0.2, 0.3, 0.5], query_id=["a", "b", "a", "b"]), ["value"])),
    (ltr_sql.evaluate, (T[:2].assign(relevance=1), ["AP"])),
]


@pytest.mark.parametrize(("function", "arguments"), FUNCTIONS, ids=lambda value: getattr(value, "__name__", ""))
def test_python(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    defaults = {p.name: p.default for p in inspect.signature(function).parameters.values()}
    # In Python, None is an empty list of names.
    for option in [name for name, default in defaults.items() if isinstance(default, str | int | float)]:
        with pytest.raises(LtrSqlError, match=rf"{option} must .*None"):
            function(*arguments, **{option: None})
