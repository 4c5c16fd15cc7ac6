"""The statistical procedures of comparisons: tests, corrections and intervals, one file each in `sql/`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ltr_sql.language.catalogue import SQL_FOLDER, header_and_body

# Maps each option of a comparison that names a procedure to the folder of these procedures.
FOLDERS = {"test": "comparison", "adjust": "adjustments", "ci": "intervals"}


@dataclass(frozen=True)
class Procedure:
    """A test, a correction for several comparisons, or an interval.

    - `option`: the option that names it, one of `FOLDERS`.
    - `statistic`: for tests, the meaning of the column `statistic`.
    - `too_few`: for tests, SQL that is true if a pair of systems has too few queries.
    - `body`: template of a query with one row per pair.
    """

    option: str
    name: str
    summary: str
    reference: str
    body: str
    statistic: str = ""
    too_few: str = ""


@cache
def procedures(option: str) -> Mapping[str, Procedure]:
    """Return the procedures that an option may name: 'test', 'adjust' or 'ci'."""
    found = {}
    for path in sorted((SQL_FOLDER / FOLDERS[option]).glob("*.sql")):
        header, body = header_and_body(path)
        found[path.stem] = Procedure(option=option, name=path.stem, body=body.strip(), **header)
    return found
