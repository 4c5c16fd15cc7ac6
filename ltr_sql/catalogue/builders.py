"""Read the builders: macros that build relations from click logs, ratings, runs and logs of policies."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ltr_sql.catalogue.files import SQL_FOLDER, header_and_body
from ltr_sql.catalogue.parameters import Parameter
from ltr_sql.catalogue.procedures import Procedure, procedures


@dataclass(frozen=True)
class Builder:
    """A macro such as `ltr.click_judgments`, defined by a file in `sql/builders/`.

    - `inputs`: parameters of the macro that name tables.
    - `columns`: required columns of the first input; a method may read more.
    - `reads`: description of the columns of these tables; `gives`: description of the columns of the result.
    - `option`: the parameter that names a method, or empty. `kind`: the kind of these methods. `default`: the default
      of the parameter. `many`: true if it takes a list of methods.
    - `combined`: template of a query over `__ltr_queries`, the rows of all methods. If empty, the result is these rows.
    - `options`: the other parameters. A parameter of type 'table' names a further input.
    - `body`: template of the query, which includes the body of the method.
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
    def command(self) -> str:
        """Return the name of its command."""
        return self.name.replace("_", "-")

    @property
    def methods(self) -> Mapping[str, Procedure]:
        """Return the methods by name; empty for a builder without methods."""
        return procedures(self.kind) if self.kind else {}


@cache
def builders() -> Mapping[str, Builder]:
    """Return the builders by macro name."""
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
        body=body,
        option=header.get("option", ""),
        kind=header.get("procedures", ""),
        default=header.get("default"),
        many=header.get("many", False),
        combined=header.get("combined", "").strip(),
        reference=header.get("reference", ""),
    )


def _option(name: str, entry: Mapping[str, Any]) -> Parameter:
    return Parameter(name=name, **{**entry, "choices": tuple(entry.get("choices", ()))})
