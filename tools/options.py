"""Generated parts of hand-written pages of `docs/`: signatures of functions and macros, and the table of options."""

import inspect
import re
from collections.abc import Mapping
from pathlib import Path

import ltr_sql
from ltr_sql.catalogue.files import SQL_FOLDER
from ltr_sql.catalogue.options import Compare, Differences, Leaderboard, Option, Pairs, Tests, Values, options_of
from ltr_sql.macros.files import script

_DOCS = SQL_FOLDER.parent / "docs"
# A function or macro at the start of a row of a table.
_FUNCTION = re.compile(r"^\| `(?P<name>\w+)\((?P<given>[^`]*)\)`", re.MULTILINE)
_MACRO = re.compile(r"`ltr\.(?P<name>\w+)\((?P<given>[^`]*)\)`")
_CREATED = re.compile(r"^create or replace macro ltr\.(\w+)\((.*?)\) as", re.MULTILINE)
_HEADING = "## Options\n"
_OPENING = """
Each option has the same name everywhere: `test="sign"` in Python and on Spark, `test := 'sign'` in SQL, and a flag
`--test sign`. `compare` takes all options.
"""


def pages_with_generated_parts() -> dict[Path, str]:
    """Return the text of each page that has generated parts, by its path."""
    written = {
        "python.md": with_signatures,
        "sql.md": with_macros,
        "compare.md": with_options,
    }
    return {_DOCS / name: make((_DOCS / name).read_text(encoding="utf-8")) for name, make in written.items()}


def with_signatures(page: str) -> str:
    """Return a page with the signatures of functions that begin a row of a table."""
    return _FUNCTION.sub(lambda row: f"| `{row['name']}({_signature(row['name'], row['given'])})`", page)


def _signature(name: str, given: str) -> str:
    """Return the parameters of a function as a page writes them. Defaults that it writes as three dots stay so."""
    function = getattr(ltr_sql, name, None)
    if function is None or "**" in given:
        return given
    parameters = [
        p.replace(annotation=p.empty, default=_Dots() if f"{p.name}=..." in given else p.default)
        for p in inspect.signature(function).parameters.values()
    ]
    return str(inspect.Signature(parameters))[1:-1].replace("'", '"')


class _Dots:
    """A default that is written as three dots."""

    def __repr__(self) -> str:
        return "..."


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
    before, _, rest = page.partition(_HEADING)
    after = rest.partition("\n## ")[2]
    return f"{before}{_HEADING}{_OPENING}\n{_table()}\n\n## {after}"


def _table() -> str:
    options = options_of(Compare)
    rows = ["| option | default | meaning | also in | not in |", "|---|---|---|---|---|"]
    rows += [f"| {' | '.join(_row(name, option))} |" for name, option in sorted(options.items())]
    return "\n".join(rows)


def _row(name: str, option: Option) -> list[str]:
    others: Mapping[str, type] = {"leaderboard": Leaderboard, "wins": Differences}
    allowed = f" Allowed: {option.allowed}." if option.choices or option.type in ("integer", "number") else ""
    lacking = {
        "SQL": not option.sql,
        "Spark": name not in {*options_of(Pairs), *options_of(Tests), *options_of(Values)},
    }
    return [
        f"`{name}`",
        f"`{option.default!r}`".replace("'", '"'),
        option.summary + allowed,
        ", ".join(f"`{function}`" for function, record in others.items() if name in options_of(record)),
        ", ".join(engine for engine, lacks in lacking.items() if lacks),
    ]
