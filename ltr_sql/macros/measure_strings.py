"""The macros that compute measures by measure strings, such as `ltr.evaluate`."""

from collections.abc import Iterable

from ltr_sql.catalogue.measures import all_definitions
from ltr_sql.catalogue.relations import relations
from ltr_sql.macros.plain_measures import plain_measures
from ltr_sql.macros.query_texts import assembling, breakdown, checking, filling, key_check, parsing, queries
from ltr_sql.macros.statements import described, quoted, statements
from ltr_sql.rendering.renderer import OWN_WEIGHTS
from ltr_sql.rendering.spread import INTERVAL_COLUMNS, INTERVAL_OUTPUTS, LOGARITHM, SAME_KEY, with_intervals_text


def measure_string_macros() -> Iterable[str]:
    """Return the statements that create `ltr.evaluate` and other macros of measure strings."""
    accuracy = [d for d in all_definitions().values() if not d.beyond_accuracy]
    yield statements("parsed_measures", **parsing() | checking())
    yield statements("measures_query", **filling(accuracy), **assembling(accuracy), **queries())
    yield statements("plain_query", **plain_measures(), **key_check())
    yield statements("per_query")
    yield statements("evaluate", own_weights=OWN_WEIGHTS, **_intervals())
    (ties,) = relations()["pair"].parameters
    yield statements(
        "compare_rankings",
        quoted=quoted,
        ties=ties.default_in_sql,
        comment="Agreement of two runs. Reads query_id, doc_id, rank or score, and keys. Returns one row per query of "
        f"either run, and one column per measure string. {described([ties])}".strip(),
    )
    yield statements("explain", **breakdown(accuracy))


def _intervals() -> dict[str, str]:
    """Return what evaluate.sql reads: the query of means with their intervals, and its parts by measure and key."""
    values = "ltr.__ltr_query({relation}, {measures}, {keys}, false, {convention}, null, false)"
    means = "ltr.__ltr_query({relation}, {measures}, {keys}, true, {convention}, {weights}, false)"
    relation = f"'(select *{{logarithms}} from (' || {values} || ') as v)'"
    text = with_intervals_text(
        means=f"from query({means})",
        intervals=f"from query(ltr.__ltr_distribution({relation}, {{weights}}, {{keys}}, false, {{confidence}}))",
        by_measure="{columns}",
        outputs="{outputs}",
        corrected="",
        keys="{key_columns}",
        group_by="{group_by}",
        same_keys="{same_keys}",
    )
    pieces = {"interval_columns": INTERVAL_COLUMNS, "interval_outputs": INTERVAL_OUTPUTS, "logarithm": LOGARITHM}
    return {"text": text, **pieces, "same_key": SAME_KEY}
