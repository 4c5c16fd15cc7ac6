"""Queries are split into common table expressions, whatever their strings, names and comments hold."""

import pytest

from ltr_sql.rendering.dialects import SPARK
from ltr_sql.rendering.sql_text import Cte, joined_query, split_query


def test_a_query_is_split_into_its_expressions() -> None:
    query = "with a as (\n    select 1\n),\nb as /* stored */ (\n    select (2)\n)\nselect a, (b)\n"
    ctes, final = split_query(query, SPARK)
    assert ctes == [Cte("a", "select 1", stored=False), Cte("b", "select (2)", stored=True)]
    assert final == "select a, (b)"


@pytest.mark.parametrize(
    "body",
    [
        "select ')'",
        "select 'it''s ('",
        r"select 'a \') b'",
        r"select '\\', ('x')",
        'select ")"',
        "select `a)b`",
        r"select `a\`, (`b`)",
        "select `a``)b`",
        "select 1 /* ) */",
        "select 1 -- )\n+ 2",
        "select '/* stored */ ('",
        "with c as /* stored */ (select 1) select * from c",
        "select '), b as /* stored */ ('",
    ],
)
def test_parentheses_in_strings_names_and_comments_do_not_count(body: str) -> None:
    ctes, final = split_query(f"with a as /* stored */ ({body})\nselect 1", SPARK)
    assert ctes == [Cte("a", body, stored=True)]
    assert final == "select 1"


def test_a_query_without_expressions_is_a_final_select() -> None:
    assert split_query(" select 1 ", SPARK) == ([], "select 1")


@pytest.mark.parametrize("query", ["with recursive a as (select 1) select 1", "with a as (select 1), select 1"])
def test_another_form_is_refused(query: str) -> None:
    with pytest.raises(ValueError, match="not a common table expression"):
        split_query(query, SPARK)


def test_an_open_parenthesis_is_refused() -> None:
    with pytest.raises(ValueError, match="a parenthesis is not closed"):
        split_query("with a as (select (1)", SPARK)


def test_only_expressions_that_are_read_are_kept() -> None:
    ctes = [Cte("a", "select 1", stored=False), Cte("b", "from a", stored=False), Cte("c", "select 2", stored=False)]
    assert joined_query(ctes, "from b") == "with a as (\nselect 1\n), b as (\nfrom a\n)\nfrom b"
    assert joined_query(ctes, "select 3") == "select 3"
