"""Values per query in few bytes: quantised to 16 bits, deflated and encoded as base64."""

import base64
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from ltr_sql.inputs.tables import Table
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.templates import render_template
from ltr_sql.reports.evaluated import Evaluated

# Largest number of bytes of base64 for the values of all measures. It keeps a page for 50 systems and 7,000 queries
# below 1.5 MB.
BUDGET = 1_000_000
# Numbers of steps: the most that 16 bits hold besides NULL; 4 and 3 decimals for values from 0 to 1.
_FINEST, _FINE, _COARSE = 65_534, 10_000, 1_000
# The step of NULL.
_NULL = 65_535
# Largest number of values for which all measures have the finest steps.
_FEW = 200_000


def packed_values(evaluated: Evaluated, queries: Table, few: Sequence[str]) -> list[dict[str, Any]]:
    """Return the values of each measure, within `BUDGET`. `queries`: the table of `numbered_queries`.

    With many values, the first measure has 10,000 steps and further measures 1,000. A measure that does not fit keeps
    only the systems `few`; if it still does not fit, it is left out. Fields of each entry:

    - `measure`; `systems`: numbers of the systems;
    - `low`, `high`, `steps`: step 0 is the value `low`, step `steps` the value `high`, and step 65535 is NULL;
    - `bytes`: base64 of the deflated steps: all high bytes, then all low bytes, each ordered by system, then query.
    """
    ((count,),) = evaluated.state.rows(f"select count(*) from {queries.sql}")
    finest = count * len(evaluated.systems) * len(evaluated.names) <= _FEW
    entries: list[dict[str, Any]] = []
    left = BUDGET
    for number, measure in enumerate(evaluated.names):
        steps = _FINEST if finest else _FINE if number == 0 else _COARSE
        for systems in (evaluated.systems, few):
            entry = _packed(evaluated, queries, measure, systems, steps)
            if len(entry["bytes"]) <= left:
                left -= len(entry["bytes"])
                entries.append(entry)
                break
    return entries


def _packed(evaluated: Evaluated, queries: Table, measure: str, systems: Sequence[str], steps: int) -> dict[str, Any]:
    state, values = evaluated.state, evaluated.values
    column = DUCKDB.identifier(measure)
    bounds = f"select min(v.{column}), max(v.{column}) from {values.sql} as v"
    least, most = (float(bound or 0) for bound in state.rows(bounds)[0])
    low, high = min(0.0, least), max(1.0, most)
    query = render_template(
        "reports/steps.sql",
        measure=column,
        values=values.sql,
        queries=queries.sql,
        keys=[DUCKDB.identifier(key) for key in evaluated.arguments.keys],
        systems=DUCKDB.text_list(systems),
        low=low,
        high=high,
        steps=steps,
    )
    rows = state.rows(query)
    steps_in_bytes = b"".join(bytes(row[part]) for part in (0, 1) for row in rows)
    return {
        "measure": measure,
        "systems": [evaluated.systems.index(system) for system in systems],
        "low": low,
        "high": high,
        "steps": steps,
        "bytes": deflated(steps_in_bytes),
    }


def deflated(text: bytes) -> str:
    """Return base64 of deflated bytes."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(deflate.compress(text) + deflate.flush()).decode()


def unpacked(entry: Mapping[str, Any]) -> dict[int, list[float | None]]:
    """Return the values of an entry of `packed_values` by the number of the system, rounded to its steps."""
    steps = zlib.decompress(base64.b64decode(entry["bytes"]), -15)
    half, scale = len(steps) // 2, (entry["high"] - entry["low"]) / entry["steps"]
    numbers = [256 * high + low for high, low in zip(steps[:half], steps[half:], strict=True)]
    values = [None if step == _NULL else entry["low"] + step * scale for step in numbers]
    count = half // len(entry["systems"])
    return {system: values[i * count : (i + 1) * count] for i, system in enumerate(entry["systems"])}
