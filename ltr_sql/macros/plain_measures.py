"""The texts of measures that are written as NAME or NAME@k: most calls name no others.

They are rendered with the defaults of all other parameters, so that a macro does not parse, check and fill them.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ltr_sql.catalogue.measures import Definition, definitions_by_name, uncut_names
from ltr_sql.catalogue.row_sources import ROWS, row_sources
from ltr_sql.macros.helpers import HelperRenderer, PlaceholderColumns
from ltr_sql.rendering.measure_columns import Column
from ltr_sql.rendering.renderer import READ
from ltr_sql.rendering.sources import Rankings
from ltr_sql.rendering.templates import CallTime, render_template

_ROW_SOURCE = "documents"


def plain_measures() -> dict[str, Any]:
    """Return what plain_query.sql reads.

    - `names`: the measure of each name in lower case, with an @ at the end if it has a cutoff.
    - `texts`: the SQL of each of these measures; `rows` is the position in `ROWS` of the rows that it reads.
    - `queries`: the query of the values of each query, by `rows`.
    - `averages`: the query of their averages.
    """
    names: dict[str, str] = {}
    texts: dict[str, dict[str, Any]] = {}
    for name, definition in definitions_by_name().items():
        for cut in _forms(name, definition):
            names[name + cut] = definition.macro + cut
            if definition.macro + cut not in texts:
                texts[definition.macro + cut] = _texts(definition, CallTime("{k}") if cut else None)
    return {
        "names": names,
        "texts": texts,
        "queries": {_position(rows): _query(rows) for rows in ROWS},
        "averages": render_template(
            "rendering/averages.sql",
            keys="{key_columns}",
            averages="{averages}",
            counted="",
            group_by="{group_by}",
            weighted=False,
            per_query="{per_query}",
        ),
    }


def _forms(name: str, definition: Definition) -> Iterator[str]:
    """Yield '' and '@' if the name alone, and the name with a number, mean the measure with all defaults."""
    required = {p.name for p in definition.required}
    if definition.row_source.name != _ROW_SOURCE or definition.shared_ranks:
        return
    if definition.preset(name) or required - {"k"}:
        return
    if not required and (name, definition.macro) not in uncut_names():
        yield ""
    if definition.at == "k" and any(p.name == "k" for p in definition.parameters):
        yield "@"


def _texts(definition: Definition, k: CallTime | None) -> dict[str, Any]:
    """Return the SQL of a measure with the cutoff k, and otherwise with the defaults of its parameters."""
    column = Column(definition, {p.name: p.default for p in definition.parameters} | {"k": k}, "{name}")
    windows, (value,) = _renderer().expressions([column])
    return {
        "windows": [f",\n{text} as {name}" for name, text in windows.items()],
        "value": f",\n{value} as {{name}}",
        "output": f",\n{column.output(_ROW_SOURCE)}",
        "average": f",\n{column.average}",
        "rows": _position(definition.reads),
    }


def _query(rows: str) -> str:
    """Return the query of the values of each query, from measures that need at most these rows."""
    renderer, source = _renderer(), row_sources()[_ROW_SOURCE]
    rankings = Rankings("{relation}")
    block = renderer.block_of(
        source,
        {},
        suffix="",
        documents="__ltr_rankings",
        reads=rows,
        shared_ranks="false",
        windows="{windows}",
        values="{values}",
    )
    return renderer.query_of(
        replace(rankings, queries=renderer.queries(rankings, READ["relevant" if rows == "relevant" else "judged"])),
        row_sources={source},
        blocks=block,
        outputs="{outputs}",
        joins=renderer.join(_ROW_SOURCE),
        reads_num_ret=rows in ("all", "counted"),
    )


def _renderer() -> HelperRenderer:
    return HelperRenderer(PlaceholderColumns())


def _position(rows: str) -> str:
    """Return the position of a kind of rows in `ROWS`, where the first are the most rows."""
    return str(ROWS.index(rows) + 1)
