"""`ltr.help` lists the macros by question, and the parameters of one macro."""

import duckdb
import pytest

import ltr_sql
from ltr_sql.macros.help import QUESTIONS


@pytest.fixture(scope="module")
def con() -> duckdb.DuckDBPyConnection:
    return ltr_sql.register(duckdb.connect())


def test_help_lists_each_macro_once(con: duckdb.DuckDBPyConnection) -> None:
    listed = con.execute("from ltr.help()").fetchall()
    functions = con.execute(
        "select distinct function_name from duckdb_functions() where database_name = 'ltr' "
        "and function_type = 'table_macro' and not starts_with(function_name, '__')"
    ).fetchall()
    assert sorted(macro for _, macro, *_ in listed) == sorted(name for (name,) in functions)
    assert list(dict.fromkeys(question for question, *_ in listed)) == [*QUESTIONS, "one measure"]
    assert all(what.endswith(".") and len(what) < 300 for *_, what in listed)
    assert ("judge", "judge", "from ltr.judge('run', 'qrels')") in [row[:3] for row in listed]


def test_help_explains_the_parameters_of_each_macro(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("select unnest(ltr.__ltr_help_rows())").fetchall()
    said: dict[str, list[dict[str, str]]] = {}
    for (row,) in rows:
        said.setdefault(row["macro"], []).append(row)
    signatures = con.execute(
        "select function_name, parameters from duckdb_functions() where database_name = 'ltr' and len(parameters) > 0"
    ).fetchall()
    parameters = dict(signatures)
    for macro, described in said.items():
        if macro != "help":
            assert [row["parameter"] for row in described[1:]] == parameters.get(macro, []), macro
        assert all(row["meaning"] for row in described), macro
    first, run, *_, keys = con.execute("from ltr.help('ltr.judge')").fetchall()
    assert first[:2] == ("ltr.judge", "from ltr.judge('run', 'qrels')")
    assert first[2].startswith("Join a run with judgments: ")
    assert "tie-breaking" not in first[2], "options have rows of their own"
    assert (run[:2], keys[:2]) == (("run", "required"), ("keys", "[]::varchar[]"))
    options = {name: (default, meaning) for name, default, meaning in con.execute("from ltr.help('judge')").fetchall()}
    assert options["missing"][0] == "'zero'"
    assert options["missing"][1].endswith("'skip' leaves them out.")


@pytest.mark.slow
def test_examples_of_help_are_calls(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("create or replace table rankings as select 'q1' as query_id, 1 as rank, 1 as relevance")
    assert con.execute("from ltr.evaluate('rankings', ['nDCG@10'])").fetchall() == [(1, 1.0)]
    examples = [example for _, _, example, _ in con.execute("from ltr.help()").fetchall()]
    assert "from ltr.evaluate('rankings', ['nDCG@10'])" in examples
    # Each names the required arguments: an error is about tables or columns.
    for example in examples[::7]:
        try:
            con.execute(example).fetchall()
        except duckdb.Error as error:
            assert "Macro " not in str(error), example


def test_an_unknown_macro_is_an_error(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.InvalidInputException, match=r"there is no macro ltr\.jugde: .* run: from ltr\.help\(\)"):
        con.execute("from ltr.help('jugde')").fetchall()
