"""Render the rows of totals: those of all segments."""

from collections.abc import Sequence

from ltr_sql.errors import InputError
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.probabilities import building_blocks
from ltr_sql.rendering.templates import render_template

# The column that names systems, over which there is no total.
SYSTEM = "system"
# The column that says how many keys, from the last one, a row is a total over: 0 for a segment. A key may be NULL, so a
# NULL does not say so. Until the result, its name is one that no table of the caller has.
TOTAL, TOTAL_WITHIN = "total", "__ltr_total"
# The rows of a level of totals: `nulls` are the keys that they lack, `lacking` is their number, and `fields` are those
# that name a query.
LEVEL = (
    " union all select * replace ({nulls}, cast(struct_pack(query_id := v.query_id, {fields}) as varchar) as query_id)"
    f", cast({{lacking}} as bigint) as {TOTAL_WITHIN} from __ltr_each as v"
)
NULL = "null as {key}"
FIELD = "{key} := v.{key}"
# How means count the keys that a row is a total over.
GROUPING = "grouping({key})"


def with_totals(relation: str, segments: Sequence[str]) -> str:
    """Return SQL of a table of values, and the rows of totals over `segments`, from the last key to the first one.

    Raises InputError if there are no segments.
    """
    quoted = [DUCKDB.identifier(name) for name in refused_without(segments)]
    fields = ", ".join(FIELD.format(key=key) for key in quoted)
    levels = (
        LEVEL.format(
            nulls=", ".join(NULL.format(key=key) for key in quoted[first:]), lacking=len(quoted) - first, fields=fields
        )
        for first in range(len(quoted))
    )
    return totals_text(relation, "".join(levels))


def column_of(key: str) -> str:
    """Return the name that a key has in the result: that of the column of totals is its own."""
    return TOTAL if key == TOTAL_WITHIN else key


def totals_text(relation: str, levels: str) -> str:
    """Return SQL of a table of values and of the rows of totals, given as `levels`."""
    return render_template(
        "rendering/with_totals.sql",
        **building_blocks(DUCKDB),
        relation=relation,
        levels=levels,
        total=TOTAL_WITHIN,
    )


def grouped(keys: Sequence[str]) -> tuple[str, str]:
    """Return the SQL of the column of totals, and that after `group by` of means with totals.

    `keys`: names of columns of v.
    """
    segments = [f"v.{DUCKDB.identifier(name)}" for name in refused_without([name for name in keys if name != SYSTEM])]
    plain = [f"v.{DUCKDB.identifier(name)}" for name in keys if name == SYSTEM]
    counted = " + ".join(GROUPING.format(key=key) for key in segments)
    return f"{counted} as {TOTAL}, ", ", ".join([*plain, f"rollup({', '.join(segments)})"])


NO_SEGMENTS = "totals are the rows over all segments, and no key names segments: pass keys, such as country"
KEY_OF_TOTALS = f"totals adds a column {TOTAL}, and a key has this name: rename the key"


def refused_without(segments: Sequence[str]) -> list[str]:
    """Return the segments. Raises InputError if there are none, and if one has the name of the column of totals."""
    if not segments:
        raise InputError(NO_SEGMENTS)
    if TOTAL in (name.lower() for name in segments):
        raise InputError(KEY_OF_TOTALS)
    return [*segments]
