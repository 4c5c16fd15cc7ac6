"""Distribution functions: SQL expressions from the templates in `sql/distributions/`.

Each of them is a macro of DuckDB, `ltr.NAME` if it is public and `ltr.__ltr_NAME` otherwise. A query that runs without
the macros contains the expressions themselves.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from graphlib import TopologicalSorter
from typing import Any

from ltr_sql.language.catalogue import SQL_FOLDER, header_and_body
from ltr_sql.sqltext.templates import macros_of, template_of, variables_of


@dataclass(frozen=True)
class Distribution:
    """A distribution function as defined by its file.

    - `arguments`: names of its arguments, which are numbers.
    - `public`: true if users may call its macro.
    - `body`: template of an SQL expression, in which the names of arguments and other functions are defined.
    """

    name: str
    summary: str
    arguments: tuple[str, ...]
    public: bool
    reference: str
    body: str

    @property
    def macro(self) -> str:
        """The name of its macro, with the schema."""
        return f"ltr.{self.name if self.public else f'__ltr_{self.name}'}"


@cache
def distributions() -> dict[str, Distribution]:
    """Return the distribution functions by name, each after those that it calls."""
    found = {path.stem: _distribution(path.stem) for path in sorted((SQL_FOLDER / "distributions").glob("*.sql"))}
    called = {name: variables_of(distribution.body) & found.keys() for name, distribution in found.items()}
    return {name: found[name] for name in TopologicalSorter(called).static_order()}


def _distribution(name: str) -> Distribution:
    header, body = header_and_body(SQL_FOLDER / "distributions" / f"{name}.sql")
    return Distribution(
        name=name,
        summary=header["summary"],
        arguments=tuple(header["arguments"]),
        public=header.get("public", False),
        reference=header["reference"],
        body=body.strip(),
    )


@cache
def expressions() -> Mapping[str, Callable[..., str]]:
    """Return, by name, functions that write a distribution function of SQL arguments as an expression."""
    return {name: partial(_expression, distribution) for name, distribution in distributions().items()}


@cache
def calls() -> Mapping[str, Callable[..., str]]:
    """Return, by name, functions that write a call of the macro of a distribution function."""
    return {name: partial(_call, distribution) for name, distribution in distributions().items()}


def _call(distribution: Distribution, *values: str) -> str:
    return f"{distribution.macro}({', '.join(values)})"


def _expression(distribution: Distribution, *values: str) -> str:
    """Return the body for these arguments. A lambda binds them, because DuckDB would copy them to every use."""
    fields = zip(distribution.arguments, values, strict=True)
    given = ", ".join(f"{name} := cast({value} as double)" for name, value in fields)
    row = f"__ltr_{distribution.name}"
    names = {name: f"{row}['{name}']" for name in distribution.arguments}
    body = template_of(distribution.body).render({**_building_blocks(), **expressions(), **names})
    return f"list_transform([struct_pack({given})], lambda {row}: {body})[1]"


@cache
def _building_blocks() -> Mapping[str, Any]:
    return macros_of("shared/functions.sql", {})
