"""Generated parts of hand-written pages: signatures of functions and macros, options, and the layers of the package."""

import ast
import inspect
import re
from collections.abc import Mapping
from pathlib import Path

import ltr_sql
from ltr_sql.catalogue.conventions import conventions
from ltr_sql.catalogue.files import PACKAGE_FOLDER, SQL_FOLDER
from ltr_sql.catalogue.options import (
    Compare,
    Differences,
    Leaderboard,
    Orders,
    PairTests,
    Tests,
    Trend,
    Values,
    options_of,
)
from ltr_sql.catalogue.parameters import Parameter
from ltr_sql.macros.registration import script
from tools.contents import groups
from tools.layers import LAYERS

_DOCS = SQL_FOLDER.parent / "docs"
# A function or macro at the start of a row of a table.
_FUNCTION = re.compile(r"^\| `(?P<name>\w+)\((?P<given>[^`]*)\)`", re.MULTILINE)
_MACRO = re.compile(r"`ltr\.(?P<name>\w+)\((?P<given>[^`]*)\)`")
_CREATED = re.compile(r"^create or replace macro ltr\.(\w+)\((.*?)\) as", re.MULTILINE)
_OPENING = """
Each option has the same name everywhere: `test="sign"` in Python and on Spark, `test := 'sign'` in SQL, and a flag
`--test sign`. `compare` takes all options.
"""


def pages_with_generated_parts() -> dict[Path, str]:
    """Return the text of each page that has generated parts, by its path."""
    written = {
        _DOCS / "README.md": with_contents,
        _DOCS / "python.md": with_signatures,
        _DOCS / "sql.md": with_macros,
        _DOCS / "compare.md": with_options,
        _DOCS / "conventions.md": with_tools,
        _DOCS.parent / "CONTRIBUTING.md": with_layers,
    }
    return {path: make(path.read_text(encoding="utf-8")) for path, make in written.items()}


def with_contents(page: str) -> str:
    """Return a page with the tables of all pages, by group."""
    for group, pages in groups().items():
        rows = ["| page | answers |", "|---|---|", *(f"| [{p.title}]({p.path}) | {p.contents} |" for p in pages)]
        page = _with_section(page, group, "\n" + "\n".join(rows) + "\n")
    return page


def with_signatures(page: str) -> str:
    """Return a page with the signatures of functions that begin a row of a table."""
    return _FUNCTION.sub(lambda row: f"| `{row['name']}({_signature(row['name'], row['given'])})`", page)


def _signature(name: str, given: str) -> str:
    """Return the arguments by position of a function, and three dots for its options."""
    function = getattr(ltr_sql, name, None)
    if function is None or inspect.isclass(function):
        return given
    parameters = list(inspect.signature(function).parameters.values())
    written = [p.name if p.kind != p.VAR_POSITIONAL else f"*{p.name}" for p in parameters if p.kind in _BY_POSITION]
    return ", ".join([*written, *(["..."] if len(written) < len(parameters) else [])])


_BY_POSITION = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)


def with_macros(page: str) -> str:
    """Return a page with the signatures of macros, where it writes any of their parameters with a default."""
    created = {name: given.replace("::varchar[]", "") for name, given in _CREATED.findall(script())}

    def current(call: re.Match[str]) -> str:
        known = created.get(call["name"])
        return (
            f"`ltr.{call['name']}({known})`"
            if known and ":=" in call["given"] and "..." not in call["given"]
            else call[0]
        )

    return "\n".join(_MACRO.sub(current, line) if line.startswith("| `ltr.") else line for line in page.split("\n"))


def with_options(page: str) -> str:
    """Return a page with the table of the options of comparisons."""
    return _with_section(page, "Options", f"{_OPENING}\n{_table()}\n")


def _with_section(page: str, heading: str, text: str) -> str:
    """Return a page with another text below a heading of the second level, which another one follows.

    Raises ValueError for a page without both.
    """
    before, found, rest = page.partition(f"## {heading}\n")
    _, following, rest = rest.partition("\n## ")
    if not (found and following):
        raise ValueError(f"the page needs the heading {heading!r}, and another one below")
    return f"{before}{found}{text}{following}{rest}"


def _table() -> str:
    options = options_of(Compare)
    rows = ["| option | default | meaning | also in | not in |", "|---|---|---|---|---|"]
    rows += [f"| {' | '.join(_row(name, option))} |" for name, option in sorted(options.items())]
    return "\n".join(rows)


def _row(name: str, option: Parameter) -> list[str]:
    others: Mapping[str, type] = {
        "leaderboard": Leaderboard,
        "system_agreement": Orders,
        "trend": Trend,
        "wins": Differences,
        "variance": Differences,
    }
    choices = ", ".join(f"`{choice}`" for choice in option.choices)
    bounds = option.allowed if option.type in ("integer", "number") else ""
    allowed = f" Allowed: {choices or bounds}." if choices or bounds else ""
    lacking = {
        "SQL": not option.sql,
        "Spark": name not in {*options_of(PairTests), *options_of(Tests), *options_of(Values)},
    }
    return [
        f"`{name}`",
        f"`{option.default!r}`".replace("'", '"'),
        option.summary + allowed,
        ", ".join(f"`{function}`" for function, record in others.items() if name in options_of(record)),
        ", ".join(engine for engine, lacks in lacking.items() if lacks),
    ]


_TOOLS = """
The table names the tool and version that each convention reproduces, and its limits.
[All measures](measures.md#conventions) lists the settings.
"""


def with_tools(page: str) -> str:
    """Return a page with the table of the tools that conventions reproduce: versions, sources and limits."""
    rows = ["| convention | reproduces | version | limits |", "|---|---|---|---|"]
    for c in conventions().values():
        cells = [f"`{c.name}`", c.summary, f"[{c.version}]({c.source})", c.limits]
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return _with_section(page, "Tools", f"{_TOOLS}\n" + "\n".join(rows) + "\n")


_LAYERS = """
A package of `ltr_sql/` imports only packages of lower layers. A test says so. The first line of a
module says what it holds.
"""


def with_layers(page: str) -> str:
    """Return a page with the table of the packages, from the top layer down."""
    rows = ["| layer | package | what it does |", "|---|---|---|"]
    for layer, names in reversed([*enumerate(LAYERS)]):
        rows += [f"| {layer} | {' | '.join(_package(name))} |" for name in names]
    return _with_section(page, "Layers", f"{_LAYERS}\n" + "\n".join(rows) + "\n")


def _package(name: str) -> tuple[str, str]:
    """Return the name and contract of a package or flat module."""
    path = PACKAGE_FOLDER / name
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return f"`{name}`", str(ast.get_docstring(ast.parse(source.read_text(encoding="utf-8")))).splitlines()[0]
