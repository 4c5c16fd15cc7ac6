"""Read the procedures that options name, such as the tests of comparisons. Each is a file in a folder of `sql/`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ltr_sql.catalogue.files import SQL_FOLDER, header_and_body

# Folder of each kind of procedure. 'test', 'adjust' and 'ci' are options of comparisons. 'fusion' and 'norm' are the
# methods and norms of `fuse`. The others are methods of builders.
FOLDERS = {
    "test": "tests",
    "adjust": "adjustments",
    "ci": "intervals",
    "fusion": "fusion",
    "norm": "norms",
    "click_model": "clicks",
    "propensity": "propensities",
    "merging": "merging",
    "pooling": "pooling",
    "grouping": "grouping",
    "estimator": "off_policy",
}


@dataclass(frozen=True)
class Procedure:
    """A procedure that an option names, such as a test, a correction, an interval, a fusion method or a click model.

    - `kind`: a key of `FOLDERS`; `name`: the value of the option and the name of the file.
    - `summary`: description in sentences; `reference`: the publication that defines the procedure.
    - `body`: template of its SQL.
    - `fields`: the other fields of its header, which depend on the kind.

    The bodies of tests, corrections and intervals are queries with one row per pair of systems. Fields of a test:

    - `statistic`: the meaning of the column `statistic`.
    - `too_few` (optional): SQL that is true if a pair of systems has too few queries.

    The body of a norm is the normalised score of a document. The body of a fusion method combines the values of a
    document in each run, or its normalised scores. Fields of a fusion method:

    - `reads`: 'ranks' or 'scores'; `weighted`: true if it takes weights.
    - `value`: the value of a document in a run, if the method reads ranks.
    - `absent` (optional, also of a norm): the value of a document that a run lacks. Without it, only the runs that hold
      a document count.
    """

    kind: str
    name: str
    summary: str
    reference: str
    body: str
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def title(self) -> str:
        """The name of the procedure for sentences, with which its summary starts."""
        return self.summary.partition(":")[0].partition(".")[0]


@cache
def procedures(kind: str) -> Mapping[str, Procedure]:
    """Return the procedures of a kind (a key of `FOLDERS`) by name, in alphabetical order."""
    found = {}
    for path in sorted((SQL_FOLDER / FOLDERS[kind]).glob("*.sql")):
        header, body = header_and_body(path)
        given = {name: header.pop(name) for name in ("summary", "reference")}
        found[path.stem] = Procedure(kind=kind, name=path.stem, body=body, fields=header, **given)
    return found
