"""The macro `ltr.beyond_accuracy`, and the macros of single measures beyond accuracy."""

from typing import Any

from ltr_sql.catalogue.measures import Definition, all_definitions, beyond_accuracy_definitions
from ltr_sql.catalogue.relations import relations
from ltr_sql.catalogue.row_sources import TABLES, row_sources
from ltr_sql.macros.helpers import GeneratingRenderer, choice_check
from ltr_sql.macros.measures import measure_comment
from ltr_sql.macros.query_texts import assembling, filling
from ltr_sql.macros.statements import described, statements
from ltr_sql.rendering.dialects import string
from ltr_sql.rendering.sources import GivenTable, Lists
from ltr_sql.rendering.templates import CallTime


def beyond_accuracy_macros() -> str:
    """Return the statements that create `ltr.beyond_accuracy`, and the macros of measures beyond accuracy."""
    renderer = GeneratingRenderer()
    measures = beyond_accuracy_definitions().values()
    (ties,) = relations()["pair"].parameters
    return statements(
        "beyond_accuracy",
        **filling(measures),
        **assembling(measures),
        lists_query=_lists_query(renderer),
        system_texts=renderer.columns.filled,
        tables=list(TABLES),
        ids={name: ids for name, (ids, _) in TABLES.items()},
        absent={name: renderer.absent(name, "{relation}") for name in TABLES},
        ties=ties.default_in_sql,
        ties_checked=f"{choice_check('beyond_accuracy', ties)} || ties",
        orders={choice: renderer.vocabulary["ranking_order"]("r", choice, "r") for choice in ties.choices},
        k_allowed=next(p for p in all_definitions()["gini"].parameters if p.name == "k").allowed,
        sorted_sources=[source.name for source in row_sources().values() if source.reads_ranks],
        largest_bigint=2**63 - 1,
        comment="Measures of what a run shows, judged or not. Reads query_id, doc_id, keys, and rank or score. Returns "
        "one row for each combination of key values, or with by_query one row for each query, and one column for each "
        f"measure string. {described([ties])}".strip(),
        measures=[_measure(definition) for definition in measures],
    )


def _lists_query(renderer: GeneratingRenderer) -> str:
    """Return the query of measures of lists, with placeholders for what a call gives."""
    given = {name: GivenTable(f"{{table_{name}}}", f"{{needed_{name}}}", has_rank=CallTime(name)) for name in TABLES}
    source = Lists(
        "{relation}",
        has_rank=CallTime("run"),
        ties=CallTime("{ties}", order="{order}"),
        unsorted=CallTime("{unsorted}"),
        given=given,
    )
    return renderer.columns.without_one(
        renderer.lists_query(source, tables=TABLES, blocks="{blocks}", outputs="{outputs}", joins="{joins}")
    )


def _measure(definition: Definition) -> dict[str, Any]:
    """Return the parts of the macro of a measure beyond accuracy."""
    options = [
        f"{{'name': {string(p.name)}, 'value': cast({p.name} as varchar)}}"
        for p in definition.parameters
        if p.name != definition.at
    ]
    at = "k" if definition.parameter("k") else "null"
    return {
        "macro": definition.macro,
        "tables": definition.row_source.tables,
        "signature": [f"{p.name} := {p.default_in_sql}" for p in definition.parameters],
        "text": f"ltr.__ltr_measure_text({string(definition.name)}, [{', '.join(options)}], {at})",
        "averaged": str(definition.over == "run").lower(),
        "comment": measure_comment(definition),
    }
