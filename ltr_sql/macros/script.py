"""The script of all macros, which any DuckDB client can load."""

from ltr_sql.catalogue.builders import builders
from ltr_sql.catalogue.measures import definitions
from ltr_sql.catalogue.relations import relations
from ltr_sql.macros.beyond_accuracy import beyond_accuracy_macros
from ltr_sql.macros.builders import builder_macro
from ltr_sql.macros.checks import check_macros
from ltr_sql.macros.comparisons import comparison_macros, probability_macros, spread_macros, weight_macros
from ltr_sql.macros.files import SCHEMA
from ltr_sql.macros.fusion import fusion_macros
from ltr_sql.macros.help import help_macro
from ltr_sql.macros.helpers import helper_macros
from ltr_sql.macros.measure_strings import measure_string_macros
from ltr_sql.macros.measures import catalogue_macros, measure_macro, relation_macro
from ltr_sql.macros.tuning import tuning_macros
from ltr_sql.rendering.built_in import qualified, qualified_with_texts

_NOTE = """\
-- ltr_sql: ranking evaluation as SQL. The macros of ltr_sql for DuckDB 1.5 and later, in schema ltr.
-- Generated from the templates in sql/; do not edit.
"""


def bundle() -> str:
    """Return the script that creates all macros in schema `ltr`."""
    macros = [
        helper_macros(),
        *map(relation_macro, relations().values()),
        *map(measure_macro, definitions().values()),
        *check_macros(),
        *measure_string_macros(),
        beyond_accuracy_macros(),
        *probability_macros(),
        comparison_macros(),
        fusion_macros(),
        tuning_macros(),
        weight_macros(),
        spread_macros(),
        *map(builder_macro, builders().values()),
    ]
    listed = [*catalogue_macros()]
    listed.append(help_macro([*macros, *listed]))
    qualified_macros = [*map(qualified_with_texts, macros), *map(qualified, listed)]
    return _NOTE + SCHEMA + "\n" + "\n\n".join(macro.strip() for macro in qualified_macros) + "\n"
