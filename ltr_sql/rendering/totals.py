"""Render the rows of totals: those of all segments."""

from collections.abc import Sequence

from ltr_sql.errors import InputError
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.probabilities import building_blocks
from ltr_sql.rendering.templates import render_template

# The column that names systems, over which there is no total.
SYSTEM = "system"
# The rows of a level of totals: `nulls` are the keys that they lack, and `fields` those that name a query.
LEVEL = (
    " union all select * replace ({nulls}, cast(struct_pack(query_id := v.query_id, {fields}) as varchar) as query_id) "
    "from __ltr_each as v"
)
NULL = "null as {key}"
FIELD = "{key} := v.{key}"


def with_totals(relation: str, segments: Sequence[str]) -> str:
    """Return SQL of a table of values, and the rows of totals over `segments`, from the last key to the first one.

    Raises InputError if there are no segments.
    """
    quoted = [DUCKDB.identifier(name) for name in refused_without(segments)]
    fields = ", ".join(FIELD.format(key=key) for key in quoted)
    levels = (
        LEVEL.format(nulls=", ".join(NULL.format(key=key) for key in quoted[first:]), fields=fields)
        for first in range(len(quoted))
    )
    return totals_text(relation, "".join(levels))


def totals_text(relation: str, levels: str) -> str:
    """Return SQL of a table of values and of the rows of totals, given as `levels`."""
    return render_template("rendering/with_totals.sql", **building_blocks(DUCKDB), relation=relation, levels=levels)


def grouped(keys: Sequence[str]) -> str:
    """Return the SQL after `group by` of means with totals. `keys`: names of columns of v."""
    segments = refused_without([name for name in keys if name != SYSTEM])
    plain = [f"v.{DUCKDB.identifier(name)}" for name in keys if name == SYSTEM]
    rolled = ", ".join(f"v.{DUCKDB.identifier(name)}" for name in segments)
    return ", ".join([*plain, f"rollup({rolled})"])


NO_SEGMENTS = "totals are the rows over all segments, and no key names segments: pass keys, such as country"


def refused_without(segments: Sequence[str]) -> list[str]:
    """Return the segments. Raises InputError if there are none."""
    if not segments:
        raise InputError(NO_SEGMENTS)
    return [*segments]
