"""Probability functions, such as that of t: SQL expressions from the templates in `sql/probabilities/`.

Each of them is a macro of DuckDB, `ltr.NAME` if it is public and `ltr.__ltr_NAME` otherwise. A query that runs without
the macros contains the expressions themselves.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from graphlib import TopologicalSorter
from typing import Any

from ltr_sql.catalogue.files import SQL_FOLDER, header_and_body
from ltr_sql.errors import LtrSqlError
from ltr_sql.rendering.dialects import DUCKDB, Dialect
from ltr_sql.rendering.lists import list_functions
from ltr_sql.rendering.templates import macros_of, template_of, variables_of

# The name of a column (d.df), of a field of a struct (s['df']), or of a variable of a lambda (t).
_NAME = re.compile(r"[a-z_]\w*(\.[a-z_]\w*|\['\w+'\])?")


@dataclass(frozen=True)
class Probability:
    """A probability function, as its file defines it.

    - `arguments`: names of its numeric arguments.
    - `public`: true if its macro is public.
    - `body`: template of an SQL expression. It may use the names of arguments and of other functions.
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
def probabilities() -> dict[str, Probability]:
    """Return the probability functions by name. Each one follows the functions that it calls."""
    found = {path.stem: _probability(path.stem) for path in sorted((SQL_FOLDER / "probabilities").glob("*.sql"))}
    called = {name: variables_of(function.body) & found.keys() for name, function in found.items()}
    return {name: found[name] for name in TopologicalSorter(called).static_order()}


def _probability(name: str) -> Probability:
    header, body = header_and_body(SQL_FOLDER / "probabilities" / f"{name}.sql")
    return Probability(
        name=name,
        summary=header["summary"],
        arguments=tuple(header["arguments"]),
        public=header.get("public", False),
        reference=header["reference"],
        body=body,
    )


@cache
def expressions(dialect: Dialect = DUCKDB) -> Mapping[str, Callable[..., str]]:
    """Map each probability function to a Python function that renders it as an SQL expression of its arguments."""
    return {name: partial(_expression, function, dialect) for name, function in probabilities().items()}


@cache
def calls() -> Mapping[str, Callable[..., str]]:
    """Map each probability function to a Python function that renders a call of its macro."""
    return {name: partial(_call, function) for name, function in probabilities().items()}


def _call(function: Probability, *values: str) -> str:
    return f"{function.macro}({', '.join(values)})"


def _expression(function: Probability, dialect: Dialect, *values: str) -> str:
    """Render the body for these arguments. A column or field that an argument names must hold doubles."""
    if all(_NAME.fullmatch(value) for value in values):
        names = dict(zip(function.arguments, values, strict=True))
        return f"({_body(function, dialect, names, expressions(dialect))})"
    return _bound(function, dialect, values, expressions(dialect))


def macro_body(function: Probability) -> str:
    """Render the body of the macro. It calls the macros of other functions where it passes expressions to them."""
    others = {name: partial(_call_or_body, other) for name, other in probabilities().items()}
    return _bound(function, DUCKDB, function.arguments, others)


def _call_or_body(function: Probability, *values: str) -> str:
    is_names = all(_NAME.fullmatch(value) for value in values)
    return _expression(function, DUCKDB, *values) if is_names else _call(function, *values)


def _bound(
    function: Probability, dialect: Dialect, values: Sequence[str], others: Mapping[str, Callable[..., str]]
) -> str:
    """Render the body for these arguments. Bind them by a lambda, because DuckDB would copy them to each use."""
    functions = list_functions(dialect)
    fields = {name: f"cast({value} as double)" for name, value in zip(function.arguments, values, strict=True)}
    row = f"__ltr_{function.name}"
    names = {name: f"{row}['{name}']" for name in function.arguments}
    if "let" not in functions:
        raise LtrSqlError(f"{function.name} is not available on {dialect.name}: it binds names by functions of lists")
    bound: str = functions["let"](row, functions["struct"](**fields), _body(function, dialect, names, others))
    return bound


def _body(
    function: Probability, dialect: Dialect, names: Mapping[str, str], others: Mapping[str, Callable[..., str]]
) -> str:
    return template_of(function.body).render({**building_blocks(dialect), **others, **names})


@cache
def building_blocks(dialect: Dialect = DUCKDB) -> Mapping[str, Any]:
    """Return the macros of `sql/templates/shared/functions.sql` and the functions of lists, rendered for a dialect."""
    functions = list_functions(dialect)
    return {**functions, **macros_of("shared/functions.sql", functions)}
