"""Values per query in few bytes: quantised to 16 bits, deflated and encoded as base64."""

import base64
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ltr_sql.inputs.session import Session
from ltr_sql.inputs.tables import Table
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.templates import render_template

# Largest number of bytes of base64 for the values of all measures. It keeps a page for 50 systems and 7,000 queries
# below 1.5 MB.
BUDGET = 1_000_000
# Numbers of steps: the most that 16 bits hold besides NULL; 4 and 3 decimals for values from 0 to 1.
_FINEST, _FINE, _COARSE = 65_534, 10_000, 1_000
# Largest number of values for which all measures have the finest steps.
_FEW = 200_000


@dataclass(frozen=True)
class Grid:
    """The systems and queries of packed values.

    - `values`: table of values, with one column per measure.
    - `queries`: table of numbered queries with their segments.
    - `systems`: names of the systems.
    - `keys`: columns of the segments.
    """

    values: Table
    queries: Table
    systems: Sequence[str]
    keys: Sequence[str]


def packed_values(state: Session, grid: Grid, measures: Sequence[str], few: Sequence[str]) -> list[dict[str, Any]]:
    """Return the values of each measure, within `BUDGET`.

    With many values, the first measure has 10,000 steps and further measures 1,000. A measure that does not fit keeps
    only the systems `few`; if it still does not fit, it is left out. Fields of each entry:

    - `measure`; `systems`: numbers of the systems;
    - `low`, `high`, `steps`: step 0 is the value `low`, step `steps` the value `high`, and step 65535 is NULL;
    - `bytes`: base64 of the deflated steps: all high bytes, then all low bytes, each ordered by system, then query.
    """
    count = state.con.execute(f"select count(*) from {grid.queries.sql}").fetchall()[0][0]
    finest = count * len(grid.systems) * len(measures) <= _FEW
    entries: list[dict[str, Any]] = []
    left = BUDGET
    for number, measure in enumerate(measures):
        steps = _FINEST if finest else _FINE if number == 0 else _COARSE
        for systems in (grid.systems, few):
            entry = _packed(state, grid, measure, systems, steps)
            if len(entry["bytes"]) <= left:
                left -= len(entry["bytes"])
                entries.append(entry)
                break
    return entries


def _packed(state: Session, grid: Grid, measure: str, systems: Sequence[str], steps: int) -> dict[str, Any]:
    column = DUCKDB.identifier(measure)
    bounds = f"select min(v.{column}), max(v.{column}) from {grid.values.sql} as v"
    least, most = (float(bound or 0) for bound in state.con.execute(bounds).fetchall()[0])
    low, high = min(0.0, least), max(1.0, most)
    query = render_template(
        "reports/steps.sql",
        measure=column,
        values=grid.values.sql,
        queries=grid.queries.sql,
        keys=[DUCKDB.identifier(key) for key in grid.keys],
        systems=DUCKDB.text_list(systems),
        low=low,
        high=high,
        steps=steps,
    )
    rows = state.con.execute(query).fetchall()
    steps_in_bytes = b"".join(bytes(row[part]) for part in (0, 1) for row in rows)
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return {
        "measure": measure,
        "systems": [grid.systems.index(system) for system in systems],
        "low": low,
        "high": high,
        "steps": steps,
        "bytes": base64.b64encode(deflate.compress(steps_in_bytes) + deflate.flush()).decode(),
    }
