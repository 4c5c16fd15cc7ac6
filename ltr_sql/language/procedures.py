"""The procedures that an option may name, such as the tests of comparisons: one file each, in a folder of `sql/`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ltr_sql.language.catalogue import SQL_FOLDER, header_and_body

# Maps each kind of procedure to its folder. 'test', 'adjust' and 'ci' are options of comparisons; 'fusion' and 'norm'
# are the methods and norms of `fuse`.
FOLDERS = {
    "test": "comparison",
    "adjust": "adjustments",
    "ci": "intervals",
    "fusion": "fusion",
    "norm": "norms",
    "click_model": "clicks",
    "propensity": "propensities",
    "merging": "merging",
    "pooling": "pooling",
    "estimator": "off_policy",
}


@dataclass(frozen=True)
class Procedure:
    """A procedure that an option may name: a test, a correction for several comparisons, or an interval.

    - `kind`: one of `FOLDERS`; `name`: the value of the option, which is the name of the file.
    - `summary`, `reference`: what it does, in sentences, and the publication that defines it.
    - `body`: template of its SQL.
    - `fields`: the other fields of its header, which depend on the kind.

    A test has the field `statistic`, the meaning of the column `statistic`, and may have `too_few`: SQL that is true if
    a pair of systems has too few queries. Its body, as that of a correction or interval, is a query with one row per
    pair.

    A method of fusion has the fields `reads` ('ranks' or 'scores'), `weighted` (true if it takes weights) and, if it
    reads ranks, `value`: the value of a document in a run. The body combines these values, or the normalised scores.
    The body of a norm is a normalised score. `absent` is the value of a document that a run lacks; without it, only
    the runs that hold a document count.
    """

    kind: str
    name: str
    summary: str
    reference: str
    body: str
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)


@cache
def procedures(kind: str) -> Mapping[str, Procedure]:
    """Return the procedures of a kind (see `FOLDERS`), by name and in alphabetical order."""
    found = {}
    for path in sorted((SQL_FOLDER / FOLDERS[kind]).glob("*.sql")):
        header, body = header_and_body(path)
        given = {name: header.pop(name) for name in ("summary", "reference")}
        found[path.stem] = Procedure(kind=kind, name=path.stem, body=body.strip(), fields=header, **given)
    return found
