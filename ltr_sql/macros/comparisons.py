"""The macros of comparisons of systems, of distributions over queries, and of weights of queries."""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from ltr_sql.macros.statements import statements
from ltr_sql.rendering.comparisons import (
    POWER,
    Choices,
    ComparedValues,
    comparison_texts,
    queries_needed_query,
    values_query,
)
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.probabilities import calls, distributions, macro_body
from ltr_sql.rendering.spread import distribution_text
from ltr_sql.rendering.weights import WEIGHT_PLACEHOLDERS, weighted_rows


def probability_macros() -> Iterable[str]:
    """Return the statements that create the macros of distribution functions."""
    for distribution in distributions().values():
        body = macro_body(distribution)
        created = f"create or replace macro {distribution.macro}({', '.join(distribution.arguments)}) as {body};"
        comment = f"{distribution.summary} {distribution.reference}."
        yield (
            f"{created}\ncomment on macro {distribution.macro} is {string(comment)};"
            if distribution.public
            else created
        )


def comparison_macros() -> str:
    """Return the statements that create `ltr.compare` and the other macros of `sql/templates/macros/compare.sql`."""
    names = [f.name for f in fields(ComparedValues) if f.name not in ("fewest", "dialect", "weighted")]
    given: dict[str, Any] = {name: f"{{{name}}}" for name in names}
    values = ComparedValues(**given)
    choices = Choices(**{f.name: f"{{{f.name}}}" for f in fields(Choices) if f.name != "functions"}, functions=calls())
    comparison, parts = comparison_texts(replace(values, weighted=None), choices)
    return statements(
        "compare",
        comparison=comparison,
        parts=parts,
        weight_placeholders=WEIGHT_PLACEHOLDERS,
        wins=values_query("wins", values, choices),
        variance=values_query("variance", values, choices),
        given_columns=_GIVEN_COLUMNS,
        power=POWER,
        queries_needed=queries_needed_query(
            "cast(difference as double) / cast(sd as double)", "cast(power as double)", "cast(alpha as double)", calls()
        ),
    )


# Select the measures that a call names. If one is missing, select a column whose name is the error message.
_MISSING_MEASURES = "list_filter({measures}, lambda n: not list_contains((*), n))"
_GIVEN_COLUMNS = (
    f"case when len({_MISSING_MEASURES}) > 0 then [list_aggregate({_MISSING_MEASURES}, 'string_agg', ', ') || "
    "' (the values have ' || list_aggregate((*), 'string_agg', ', ') || ')'] "
    "else list_filter((*), lambda c: list_contains({measures}, c)) end"
)


def weight_macros() -> str:
    """Return the statements that create the helper macros of weights of queries."""
    return statements("weights", weighted_rows=weighted_rows("{relation}", "{weights}", "{keyed}"))


def spread_macros() -> str:
    """Return the statements that create `ltr.distribution`."""
    fragments = {name: f"{{{name}}}" for name in ("relation", "stratum", "strata_output", "names", "numbers")}
    return statements(
        "spread",
        text=distribution_text(None, DUCKDB, **fragments),
        weight_placeholders=WEIGHT_PLACEHOLDERS,
    )
