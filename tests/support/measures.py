"""One measure for each row source: what the macros of a row source share needs one call, not a call of each macro."""

from ltr_sql.catalogue.measures import Definition, definitions

# Reversed, so that the first measure of a row source stays.
ONE_OF_EACH_SOURCE: list[Definition] = [
    *{definition.row_source.name: definition for definition in reversed(definitions().values())}.values()
]
