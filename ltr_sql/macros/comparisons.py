"""The macros of comparisons of systems, of probabilities, of the spread over queries, and of weights of queries."""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from ltr_sql.catalogue.gates import FORM, GRAMMAR, NEEDS_MARGIN, WHOLE_SHARE
from ltr_sql.catalogue.measure_strings import LONGEST
from ltr_sql.catalogue.options import Averages, Compare, options_of
from ltr_sql.catalogue.ranges import MARK
from ltr_sql.macros.option_lists import option_lists
from ltr_sql.macros.statements import statements
from ltr_sql.rendering.choices import UNFIT
from ltr_sql.rendering.comparisons import (
    DERIVED,
    FRAGMENTS,
    LARGEST,
    OPTIONS,
    POWER,
    Choices,
    ComparedValues,
    bounded_names,
    comparison_texts,
    gates_query,
    queries_needed_query,
    values_query,
)
from ltr_sql.rendering.datasets import of_datasets
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.parts import PLACEHOLDERS
from ltr_sql.rendering.probabilities import calls, macro_body, probabilities
from ltr_sql.rendering.spread import spread_text
from ltr_sql.rendering.templates import render_template
from ltr_sql.rendering.totals import (
    GROUPING,
    KEY_OF_TOTALS,
    LEVEL,
    NO_SEGMENTS,
    TOTAL,
    TOTAL_WITHIN,
    totals_text,
)
from ltr_sql.rendering.weights import weighted_rows

# The names of the column of totals, in the result and until then.
_TOTALS = {"total": TOTAL, "total_within": TOTAL_WITHIN}


def probability_macros() -> Iterable[str]:
    """Return the statements that create the macros of probabilities."""
    for function in probabilities().values():
        created = (
            f"create or replace macro {function.macro}({', '.join(function.arguments)}) as {macro_body(function)};"
        )
        comment = f"{function.summary} {function.reference}."
        yield f"{created}\ncomment on macro {function.macro} is {string(comment)};" if function.public else created


def comparison_macros() -> str:
    """Return the statements that create `ltr.compare` and the other macros of `sql/templates/macros/compare.sql`."""
    names = [f.name for f in fields(ComparedValues) if f.name not in ("fewest", "unanswered", "dialect", "mode")]
    given: dict[str, Any] = {name: f"{{{name}}}" for name in names}
    values = ComparedValues(**given)
    fragments = {name: f"{{{name}}}" for name in (*FRAGMENTS, *DERIVED)}
    choices = Choices(**{name: f"{{{name}}}" for name in OPTIONS}, fragments=fragments, functions=calls())
    comparison, parts = comparison_texts(replace(values, mode=None), choices)
    return statements(
        "compare",
        comparison=comparison,
        **option_lists(),
        parts=parts,
        placeholders_of_parts=PLACEHOLDERS,
        **_gates(),
        **_TOTALS,
        wins=values_query("wins", values, calls()),
        variance=values_query("variance", values, calls()),
        given_columns=_GIVEN_COLUMNS,
        of_datasets=of_datasets("{relation}", "{column}"),
        unfit=UNFIT,
        power=POWER,
        queries_needed=queries_needed_query(
            f"{_valid('difference', '{0} <> 0', 'a number other than 0', LARGEST)} "
            f"/ {_valid('sd', '{0} > 0', 'a number above 0', LARGEST)}",
            _valid("power", "{0} > 0 and {0} < 1", "between 0 and 1"),
            _valid("alpha", "{0} > 0 and {0} < 1", "between 0 and 1"),
            calls(),
        ),
    )


def _gates() -> dict[str, Any]:
    """Return what gate.sql reads: the grammar of conditions, and the query that decides them."""
    gates = gates_query([], "{level}", gated="{gated}", functions=calls())
    options = {name: string(option.default_in_sql) for name, option in options_of(Compare).items() if name in FRAGMENTS}
    fixed = {"test": "'t'", "adjust": "'holm'", "interval_level": "'(2 * {level})'", "has_margin": "'true'"}
    fixed |= {"sequential": "'false'", "planned": "'1e0'", "paired": "cast(paired as varchar)"}
    fixed["generalize"] = (
        f"case when {options_of(Compare)['generalize'].condition('generalize')} then chr(39) || generalize || chr(39) "
        f"else error('generalize must be queries or datasets, got ' || generalize) end"
    )
    return {
        "grammar": f"^(?:{GRAMMAR})$",
        "longest": LONGEST,
        "form": FORM,
        "whole_share": WHOLE_SHARE,
        "needs_margin": NEEDS_MARGIN,
        "decided": render_template(
            "rendering/comparisons/decided.sql", gates=gates, bounded_names=bounded_names(DUCKDB), mark=MARK
        ),
        "defaults": {f"{{{name}}}": text for name, text in (options | fixed).items()},
    }


def _valid(argument: str, condition: str, allowed: str, largest: str = "") -> str:
    """Return SQL of a numeric argument that meets a `condition` on {}, up to the size `largest`, or raise an error."""
    value = f"try_cast({argument} as double)"
    if largest:
        condition, allowed = f"{condition} and abs({{0}}) <= {largest}", f"{allowed}, of at most {largest}"
    return (
        f"case when isfinite({value}) and {condition.format(value)} then {value} "
        f"else {DUCKDB.error_of(f'{argument} must be {allowed}, got', argument)} end"
    )


# Select the measures that a call names. If one is missing, select a column whose name is the error message.
_MISSING_MEASURES = "list_filter({measures}, lambda n: not list_contains((*), n))"
_GIVEN_COLUMNS = (
    f"case when len({_MISSING_MEASURES}) > 0 then [list_aggregate({_MISSING_MEASURES}, 'string_agg', ', ') || "
    "' (the values have ' || list_aggregate((*), 'string_agg', ', ') || ')'] "
    "else list_filter((*), lambda c: list_contains({measures}, c)) end"
)


def weight_macros() -> str:
    """Return the statements that create the helper macros of weights of queries, and of totals over segments."""
    return statements(
        "weights",
        weighted_rows=weighted_rows("{relation}", "{weights}", "{keyed}"),
        totals=totals_text("{relation}", "{levels}"),
        level=LEVEL,
        grouping=GROUPING,
        **_TOTALS,
        no_segments=NO_SEGMENTS,
        key_of_totals=KEY_OF_TOTALS,
    )


def spread_macros() -> str:
    """Return the statements that create `ltr.distribution`."""
    names = ("relation", "stratum", "strata_output", "names", "numbers", "level")
    fragments = {name: f"{{{name}}}" for name in names}
    confidence = options_of(Averages)["confidence"]
    return statements(
        "spread",
        condition=confidence.condition("try_cast(confidence as double)"),
        allowed=confidence.allowed,
        text=spread_text(None, DUCKDB, calls(), **fragments),
        placeholders_of_parts=PLACEHOLDERS,
        **_TOTALS,
    )
