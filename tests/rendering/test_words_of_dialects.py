"""Rendered SQL holds only types and functions that its engine has, and no check that it turns into a false error.

`PORTABLE` and the fields of a dialect name what an engine has. The tests marked clients run the SQL.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from support import beyond_accuracy as beyond
from support import fusion
from support.builder_inputs import RECURSIVE, calls_of
from support.built import BUILDERS
from support.engines import DATAFUSION, WITH_PROBABILITIES
from support.measure_texts import some_strings

from ltr_sql.catalogue.functions import relations
from ltr_sql.catalogue.measures import Definition, beyond_accuracy_definitions, definitions
from ltr_sql.rendering.dialects import DIALECTS, POSTGRES, SPARK, Dialect
from ltr_sql.rendering.render import render
from ltr_sql.rendering.sql_text import closing, found_in, translated

# Types and functions with the same name and meaning in all engines.
PORTABLE = {
    *("bigint", "boolean", "integer"),
    *("abs", "ceil", "exp", "floor", "greatest", "least", "ln", "power", "sqrt"),
    *("cast", "coalesce", "concat", "length", "lower", "nullif"),
    *("array_agg", "avg", "count", "max", "min", "stddev_pop", "sum"),
    *("dense_rank", "first_value", "lag", "rank", "row_number"),
}
# Types and functions that some engine lacks. Its dialect replaces them.
REPLACED = {name for dialect in (POSTGRES, DATAFUSION) for name in (*dialect.types, *dialect.functions)}
CALL = r"(?<![\w.])[a-z_]\w*(?=\()"


def measures_of(definition: Definition, dialect: Dialect) -> Iterator[str]:
    """Return measure strings with some values of each parameter."""
    texts = beyond.strings_of(definition) if definition.beyond_accuracy else some_strings(definition)
    return (text for text in texts if not dialect.longest_name or len(text) <= dialect.longest_name)


def rendered(dialect: Dialect, every: bool) -> Iterator[str]:
    """Render all measures, relations and functions for a dialect. With `every`, also with other options."""
    name = dialect.name
    for definition in definitions().values():
        if definition.macro not in dialect.gaps:
            source: dict[str, Any] = {"pairs": "pairs"} if definition.by_score else {}
            for text in [*measures_of(definition, dialect)][: None if every else 1]:
                yield render(text, name, keys=["system"], **source)
    given: dict[str, Any] = {"has_weight": "documents", "has_query_id": "targets"}
    for definition in beyond_accuracy_definitions().values():
        for text in [*measures_of(definition, dialect)][: None if every else 1]:
            yield render(text, name, keys=["system"], **given)
    for macro, relation in relations().items():
        options: list[dict[str, Any]] = [
            {parameter.name: choice} for parameter in relation.parameters for choice in parameter.choices
        ]
        for option in options if every else [{}]:
            yield render(macro, name, keys=["system"], **option)
    for choice in fusion.CHOICES if every else fusion.CHOICES[: len(fusion.METHODS)]:
        yield render("fuse", name, keys=["system"], **choice)
    for called, method in BUILDERS:
        if method not in RECURSIVE and called not in WITH_PROBABILITIES:
            for call in calls_of(called, method)[: None if every else 1]:
                tables: dict[str, Any] = {
                    option: option if isinstance(value, list) else value for option, value in call.items()
                }
                yield render(called, name, keys=["system"], **tables)


def known_words(dialect: Dialect) -> set[str]:
    """Return the types and functions that an engine has."""
    replacements = [*dialect.types.values(), *dialect.functions.values()]
    fields = [value for name, value in vars(dialect).items() if name not in ("types", "functions", "gaps")]
    own = re.findall(r"\w+(?: precision)?", f"{replacements} {fields}")
    named = {dialect.text_type, dialect.list_type, dialect.text_list_type}
    return PORTABLE | {*own} | named | (REPLACED - {*dialect.types, *dialect.functions})


def unknown_words(text: str, dialect: Dialect) -> set[str]:
    """Return the functions and the types of casts that are neither portable nor named by the dialect."""
    calls = [*found_in(text, CALL, dialect)]
    casts = [text[call.end() + 1 : closing(text, call.end() + 1, dialect)] for call in calls if call[0] == "cast"]
    words = {call[0] for call in calls} | {cast.rpartition(" as ")[2].removesuffix("[]") for cast in casts}
    return words - known_words(dialect)


def false_errors(text: str) -> Iterator[str]:
    """Yield what an engine can turn into a false error, in a text for Spark."""
    open_cases: list[set[str]] = []
    for token in found_in(text, r"\bcase\b|\bend\b|\braise_error\(|\bexists\b|\bin \(\s*select\b", SPARK):
        word = token[0].split("(")[0].strip()
        if word == "case":
            open_cases.append(set())
        elif word == "end":
            found = open_cases.pop()
            if "raise_error" in found and found & {"exists", "in"}:
                yield "a branch that raises an error beside `exists` or `in`, which an engine may evaluate as a join"
        for found in open_cases:
            found.add(word)
    if any(found_in(text, r"\bthen false\s+else raise_error\(", SPARK)):
        yield "a condition `not valid and error`, whose parts an engine may evaluate apart"


@pytest.fixture
def datafusion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DIALECTS, DATAFUSION.name, DATAFUSION)


@pytest.mark.slow
@pytest.mark.usefixtures("datafusion")
@pytest.mark.parametrize(
    ("dialect", "every"),
    [(POSTGRES, False), (POSTGRES, True), (SPARK, True), (DATAFUSION, True)],
    ids=lambda value: value.name if isinstance(value, Dialect) else "every option" if value else "some options",
)
def test_words_are_known(dialect: Dialect, every: bool) -> None:
    unknown: dict[str, str] = {}
    for text in rendered(dialect, every):
        unknown |= dict.fromkeys(unknown_words(text, dialect), text)
        assert dialect is not SPARK or [*false_errors(text)] == [], text
    assert not unknown, f"add {', '.join(unknown)} to the dialect, or to PORTABLE if all engines have it"


@pytest.mark.parametrize(
    ("text", "dialect", "unknown"),
    [
        ("select log2(x), cast(x as double), round(x, 2) from t", POSTGRES, set()),
        ("select list_sum(x) from t where x in (1) and s = 'f(x)'", POSTGRES, {"list_sum"}),
        ("select cast(coalesce(x, cast(y as bigint)) as hugeint)", POSTGRES, {"hugeint"}),
        ("select log10(x)", DATAFUSION, {"log10"}),
        ("select typeof(x)", DATAFUSION, set()),
        ("select median(x), cast(x as string)", SPARK, set()),
    ],
)
def test_unknown_words_are_found(text: str, dialect: Dialect, unknown: set[str]) -> None:
    assert unknown_words(translated(text, dialect), dialect) == unknown


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("case when exists (select 1) then raise_error('a') else true end", True),
        ("case when x in (select y from t) then case when z then raise_error('a') end end", True),
        ("not exists (select 1 having case when x = 1 then false else raise_error('a') end)", True),
        ("case when (select count(*) from t) > 0 then raise_error('exists') else x in (1, 2) end", False),
        ("exists (select 1) and case when x is null then false when y then raise_error('a') else z end", False),
    ],
)
def test_false_errors_are_found(text: str, found: bool) -> None:
    assert bool([*false_errors(text)]) == found
