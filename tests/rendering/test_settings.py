"""What is rendered does not depend on settings of the caller, nor on the caller's macros."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.places import ROOT

from ltr_sql.catalogue.files import SQL_FOLDER
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.sql_text import closing, found_in

TEMPLATES = [path for path in sorted(SQL_FOLDER.rglob("*.sql")) if path.name != "ltr.sql"]
MODULES = [path for path in sorted((ROOT / "ltr_sql").rglob("*.py")) if "oracle" not in path.parts]
# Placeholders of whole orders, whose terms have directions.
ORDERS = re.compile(
    r"^{\d}$|^«(order|by_[ab]|(ranking_order|order_of_ties)\(.*\)|.*\bascending\b.*|.*(asc|desc)['\"].*)»$"
)
DIRECTED = re.compile(r"\b(asc|desc)( nulls (first|last))?$")
AFTER_ORDER = re.compile(r"[)\";]|(?<=\s)(rows|range|groups|limit|offset|qualify|union|comment|select)\b")


def undirected(text: str) -> Iterator[str]:
    """Yield the terms of orders and the sorts of lists that have no direction.

    «...» stands for what is known only when the text is rendered.
    """
    for start in re.finditer(r"order by\s+", text):
        # The rest of the expression of a template that begins with the text "order by ".
        rest = re.sub(r'^"([^»]*)»', r"«\1»", text[start.end() :])
        for term in _terms(rest):
            if not DIRECTED.search(term) and not ORDERS.match(term):
                yield f"order by {term}"
    for start in found_in(text, r"\blist_sort\(", DUCKDB):
        arguments = text[start.end() : closing(text, start.end(), DUCKDB)]
        if not re.search(r", '+(asc|desc|{direction})'+$", arguments):
            yield f"{start[0]}{arguments})"


def _terms(text: str) -> list[str]:
    """Return the terms of the order at the start of a text."""
    terms, depth, at = [""], 0, 0
    while at < len(text):
        if depth == 0 and AFTER_ORDER.match(text, at):
            break
        depth += {"(": 1, "[": 1, "«": 1, ")": -1, "]": -1, "»": -1}.get(text[at], 0)
        if text[at] == "," and not depth:
            terms.append("")
        else:
            terms[-1] += text[at]
        at += 1
    return [" ".join(term.split()) for term in terms]


def text_of_template(source: str) -> str:
    """Return the SQL of a template, with «...» for its expressions and without its statements."""
    text = re.sub(r"{#.*?#}|/\*.*?\*/|{%-? *(?!set).*?%}", "", source, flags=re.DOTALL)
    return re.sub(r"{{-?\s*(.*?)\s*-?}}", r"«\1»", text, flags=re.DOTALL)


def texts_of_module(source: str) -> Iterator[str]:
    """Yield the texts of a module, with «...» for the expressions of f-strings."""
    tree = ast.parse(source)
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else f"«{ast.unparse(part.value)}»"
                for part in node.values
                if isinstance(part, ast.Constant | ast.FormattedValue)
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(SQL_FOLDER)))
def test_orders_in_templates_have_a_direction(path: Path) -> None:
    """Without asc or desc, the setting default_order decides."""
    assert [*undirected(text_of_template(path.read_text()))] == []


@pytest.mark.slow
def test_orders_in_modules_have_a_direction() -> None:
    found = [
        f"{path.name}: {term}"
        for path in MODULES
        for text in texts_of_module(path.read_text())
        if "order by " in text or "_sort(" in text
        for term in undirected(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("select a from t order by a", ["order by a"]),
        ("select a from t order by a, b desc", ["order by a"]),
        ("sum(a) over (partition by c order by a rows between unbounded preceding and current row)", ["order by a"]),
        ("list(a order by least(a, b))", ["order by least(a, b)"]),
        ("list_sort(list(a))", ["list_sort(list(a))"]),
        ("order by {{ key('d') }}, d.rank asc", ["order by «key('d')»"]),
        ("order by {{ key('d') | ascending }}, least(a, b) desc nulls last, c asc", []),
        ("list_sort(a, 'asc')", []),
    ],
)
def test_orders_without_a_direction_are_found(text: str, found: list[str]) -> None:
    assert [*undirected(text_of_template(text))] == found
