"""Lists of what the package offers, as data frames."""

from typing import TYPE_CHECKING

from ltr_sql.catalogue.conventions import convention_rows
from ltr_sql.catalogue.measures import catalogue_rows

if TYPE_CHECKING:
    import pandas as pd


def measures() -> "pd.DataFrame":
    """Return the measures as a pandas data frame, one row per measure.

    Columns: name, macro, parameters (with their defaults), aliases, summary, formula, range and reference.

    >>> found = ltr_sql.measures()
    >>> found[found.name == "RR"][["macro", "range"]].values.tolist()
    [['rr', '[0, 1]']]
    """
    import pandas as pd  # noqa: PLC0415  (slow to load)

    return pd.DataFrame(catalogue_rows())


def conventions() -> "pd.DataFrame":
    """Return the conventions as a pandas data frame, one row per setting.

    Columns: convention, measure ('' means all measures), switch (the setting), value, and summary of the convention.

    >>> found = ltr_sql.conventions()
    >>> found[found.convention == "sklearn"].iloc[0][["switch", "value"]].tolist()
    ['ties', 'expected']
    """
    import pandas as pd  # noqa: PLC0415  (slow to load)

    return pd.DataFrame(convention_rows())
