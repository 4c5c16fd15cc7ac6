"""The macros of `sql/builders/`."""

from collections.abc import Mapping

from ltr_sql.catalogue.builders import Builder
from ltr_sql.catalogue.parameters import parameters
from ltr_sql.catalogue.procedures import Procedure
from ltr_sql.macros.helpers import GeneratedColumns, HelperRenderer, PlaceholderColumns
from ltr_sql.macros.statements import IDS, statements
from ltr_sql.rendering.builders import Context, combined_query, method_query, needs, no_rows, taken
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.probabilities import calls
from ltr_sql.rendering.templates import CallTime


def builder_macro(builder: Builder) -> str:
    """Return the statement that creates the macro of a builder."""
    columns = GeneratedColumns("{keys}")
    optional = [f"has_{p.name}" for p in builder.options if p.default is None]
    texts = {name: f"{{{name}}}" for name in (*builder.inputs, *(p.name for p in builder.options), *optional)}
    context = Context(columns, DUCKDB, texts, calls(), has_rank=CallTime("ranks"))
    methods: Mapping[str, Procedure | None] = builder.methods or {"": None}
    takes = {name: taken(builder, method) for name, method in methods.items()}
    entries = {
        name: {
            "name": name or builder.name,
            "text": columns.without_one(method_query(builder, method, context)),
            "takes": takes[name],
            "needs": list(needs(method)),
        }
        for name, method in methods.items()
    }
    # Ratings may be texts, as judgments may.
    graded = "rater" in builder.columns and "relevance" in builder.columns
    options = (*builder.options, *([parameters()["grades"]] if graded else []))
    option = [f"{builder.option} := {string(builder.default)}" if builder.default else builder.option]
    signature = [
        *builder.inputs,
        *(option if builder.option else []),
        *(f"{p.name} := {p.default_in_sql}" for p in options),
        "keys := []::varchar[]",
    ]
    described = "".join(f"{p.name}: {p.summary}. " for p in options)
    comment = f"{builder.summary} Reads {builder.reads}. Returns {builder.gives}. {described}".strip()
    return statements(
        "builder",
        builder=builder,
        ids=IDS,
        signature=signature,
        entries=entries,
        takes=takes,
        optional=[p.name for p in builder.options if any(p.name not in names for names in takes.values())],
        system_texts=columns.filled,
        no_rows=no_rows(DUCKDB),
        comment=comment,
        read_ratings=_ratings_query() if graded else "",
        combined=combined_query(builder, "{queries}", context) if builder.combined else "{queries}",
    )


def _ratings_query() -> str:
    """Return the query of ratings with `{grades}` instead of texts."""
    values = {"grades": "{grades}", "qrels_duplicates": "'error'"}
    return HelperRenderer(PlaceholderColumns()).template("macros/read_judgments.sql", relation="{ratings}", **values)
