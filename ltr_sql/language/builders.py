"""The builders: relations made from logs of clicks, judgments of raters, and logs of policies, one file each."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ltr_sql.language.catalogue import SQL_FOLDER, Parameter, header_and_body
from ltr_sql.language.procedures import Procedure, procedures


@dataclass(frozen=True)
class Builder:
    """A macro such as `ltr.click_judgments`, as its file in `sql/builders/` defines it.

    - `inputs`: the macro's parameters for tables.
    - `columns`: columns that the first input must have; a method may read more.
    - `reads`: the columns of these tables; `gives`: the columns of the result.
    - `option`: the parameter that names a method, or empty. `kind`: the kind of procedure that it names. `default`: the
      default of the parameter. `many`: true if it takes a list of methods.
    - `combined`: template of a query over `__ltr_queries`, which holds the rows of all methods. Empty to return them.
    - `options`: the other parameters. The type 'table' is a further input.
    - `body`: template of the query. It contains the body of the method.
    """

    name: str
    summary: str
    inputs: tuple[str, ...]
    columns: tuple[str, ...]
    reads: str
    gives: str
    options: tuple[Parameter, ...]
    body: str
    option: str = ""
    kind: str = ""
    default: str | None = None
    many: bool = False
    combined: str = ""
    reference: str = ""

    @property
    def methods(self) -> Mapping[str, Procedure]:
        """The methods by name; empty for a builder without."""
        return procedures(self.kind) if self.kind else {}


@cache
def builders() -> Mapping[str, Builder]:
    """Return the builders by the name of their macro."""
    return {path.stem: _builder(path.stem) for path in sorted((SQL_FOLDER / "builders").glob("*.sql"))}


def _builder(name: str) -> Builder:
    header, body = header_and_body(SQL_FOLDER / "builders" / f"{name}.sql")
    options = header.pop("options", {})
    return Builder(
        name=name,
        summary=header["summary"],
        inputs=tuple(header["inputs"]),
        columns=tuple(header["columns"]),
        reads=header["reads"],
        gives=header["gives"],
        options=tuple(_option(option, entry) for option, entry in options.items()),
        body=body.strip(),
        option=header.get("option", ""),
        kind=header.get("procedures", ""),
        default=header.get("default"),
        many=header.get("many", False),
        combined=header.get("combined", "").strip(),
        reference=header.get("reference", ""),
    )


def _option(name: str, entry: Mapping[str, Any]) -> Parameter:
    return Parameter(name=name, **{**entry, "choices": tuple(entry.get("choices", ()))})
