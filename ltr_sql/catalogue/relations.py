"""Relations that macros build from the caller's tables: `sql/relations/`."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ltr_sql.catalogue.files import SQL_FOLDER, header_and_body
from ltr_sql.catalogue.parameters import Parameter, parameters_of
from ltr_sql.errors import InputError

# Tie-breaking rules that depend on the grades of tied documents or on all their orders, and the error for rows without
# a document in such an order.
WITHOUT_ORDER = ("worst", "best", "expected")
NO_WASTED_RANKS = (
    "duplicates='wasted' keeps the rank of a repeated document, which needs one order of tied documents: pass "
    "ties='docid_desc', or duplicates='first'"
)


@dataclass(frozen=True)
class Relation:
    """A relation that a macro such as `ltr.judge` builds from the caller's tables.

    - `inputs`: the macro's parameters for tables.
    - `reads`: the columns of these tables; `gives`: the columns of the result.
    - `body`: template of the query.
    """

    macro: str
    summary: str
    inputs: tuple[str, ...]
    reads: str
    gives: str
    parameters: tuple[Parameter, ...]
    body: str

    def options(self, **given: Any) -> dict[str, Any]:
        """Return the options that are given, and the defaults of the others.

        Raises InputError for options that exclude each other.
        """
        options = {parameter.name: parameter.default for parameter in self.parameters} | given
        if options.get("duplicates") == "wasted" and options["ties"] in WITHOUT_ORDER:
            raise InputError(f"{NO_WASTED_RANKS}, got ties={options['ties']!r}")
        return options


@cache
def relations() -> dict[str, Relation]:
    """Return the relations by macro name."""
    paths = sorted((SQL_FOLDER / "relations").glob("*.sql"))
    return {path.stem: _relation(path) for path in paths}


def _relation(path: Path) -> Relation:
    header, body = header_and_body(path)
    return Relation(
        macro=path.stem,
        summary=header["summary"],
        inputs=tuple(header["inputs"]),
        reads=header["reads"],
        gives=header["gives"],
        parameters=parameters_of(header),
        body=body,
    )
