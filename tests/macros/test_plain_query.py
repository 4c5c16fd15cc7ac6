"""Measures that are written as NAME or NAME@k: the macros look up their SQL and do not parse them."""

import math
from collections.abc import Iterator

import duckdb
import pytest

import ltr_sql
from ltr_sql.catalogue.conventions import conventions
from ltr_sql.catalogue.measures import definitions_by_name
from ltr_sql.macros.query_texts import plain_measures

NAMES = sorted(plain_measures()["names"])
GENERAL = "from query(ltr.measures_query('query_table(''judged'')', false, {}, {}, {}, null))"


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """Rankings of two segments, with documents that are not judged and judged documents that are not retrieved."""
    with duckdb.connect() as connection:
        ltr_sql.register(connection)
        connection.execute(
            "create table judged as select 's' || q % 2 as segment, q as query_id, 'd' || d as doc_id, "
            "case when d < 9 then d end as rank, case when (q * d) % 5 < 4 then (q * d) % 7 // 2 end as relevance, "
            "8 as num_ret from range(1, 6) as a(q), range(1, 12) as b(d)"
        )
        yield connection


def strings(rows: str) -> list[str]:
    """Return measure strings of all measures that read these rows, in another case than the catalogue has them."""
    names = [name for name in NAMES if rows in ("any", definitions_by_name()[name.rstrip("@")].reads)]
    return [name.upper().replace("@", f"@{3 + number % 4}") for number, name in enumerate(names)]


@pytest.mark.slow
@pytest.mark.parametrize("rows", ["any", "relevant", "judged", "counted"])
@pytest.mark.parametrize("macro", ["evaluate", "per_query"])
def test_values_equal_those_of_parsed_measures(macro: str, rows: str, con: duckdb.DuckDBPyConnection) -> None:
    measures, averaged = strings(rows), macro == "evaluate"
    assert len(measures) > 4
    for keys in ("[]::varchar[]", "['segment']"):
        plain = con.execute(f"from ltr.{macro}('judged', {measures}, keys := {keys}) order by all").fetchnumpy()
        parsed = con.execute(GENERAL.format(measures, keys, averaged) + " order by all").fetchnumpy()
        assert [*plain] == [*parsed]
        assert len(plain[measures[0]]) == (5 if not averaged else 2 if "segment" in keys else 1)
        for measure in measures:
            assert [*map(null_as_nan, plain[measure].tolist())] == pytest.approx(
                [*map(null_as_nan, parsed[measure].tolist())], rel=1e-12, nan_ok=True
            ), measure


def null_as_nan(value: float | None) -> float:
    return math.nan if value is None else value


@pytest.mark.parametrize(
    ("measures", "is_plain"),
    [
        (["nDCG@10", "AP", "RR"], True),
        (["map", "recip_rank"], True),
        (["nDCG(gain=exponential)@10"], False),
        (["nDCG@10", "RBO"], False),
        (["nDCG@010"], False),
        (["F1"], False),
        (["P"], False),
        (["IPrec"], False),
        (["AP", "AP"], False),
        ([" AP"], False),
        (["AP", None], False),
        ([], False),
    ],
)
def test_which_measures_are_plain(measures: list[str], is_plain: bool, con: duckdb.DuckDBPyConnection) -> None:
    query = "select ltr.__ltr_query('query_table(''judged'')', ?::varchar[], []::varchar[], true, null, null, false)"
    ((text,),) = con.execute(query, [measures]).fetchall()
    assert ("measures_query" not in text) == is_plain


def test_the_convention_of_calls_without_one_changes_no_measure() -> None:
    first = next(iter(conventions().values()))
    assert not first.values and not first.rules and not first.substitutes


def test_common_names_are_plain() -> None:
    common = {"ndcg@", "ndcg", "ap", "map", "rr", "mrr", "p@", "r@", "precision@", "recall@", "rbp", "success@"}
    assert common <= {*NAMES} and {name.rstrip("@") for name in NAMES} <= {*definitions_by_name()}


def test_names_of_the_caller_are_quoted(con: duckdb.DuckDBPyConnection) -> None:
    key = '{keys} "x"'
    name = key.replace('"', '""')
    con.execute(f'create table "it\'s {{keys}} {{values}}" as select segment as "{name}", * from judged')
    found = con.execute("from ltr.evaluate(?, ['AP'], keys := ?) order by all", ["it's {keys} {values}", [key]])
    assert [column[0] for column in found.description] == [key, "queries", "AP"]
    expected = con.execute("from ltr.evaluate('judged', ['AP'], keys := ['segment']) order by all").fetchall()
    found = con.execute("from ltr.evaluate(?, ['AP'], keys := ?) order by all", ["it's {keys} {values}", [key]])
    assert found.fetchall() == expected
