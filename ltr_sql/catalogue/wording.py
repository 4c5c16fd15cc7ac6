"""Messages in the words of the interface in which they appear: Python, SQL or the command line.

A message is written once, in the words of Python, or in a template in those of SQL. It names an option as an argument
with a literal value, as in `missing='skip'` or `keys=['system']`, or without one, as in `ties=`.
"""

import ast
import re
import shlex
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from ltr_sql.catalogue import options
from ltr_sql.catalogue.functions import builders, relations

# An option and its value, in the words of Python or SQL. A parameter in a measure string, as in AP(rel=2), is none.
_OPTION = re.compile(
    r"(?<![\w.'\"-])(?<!\w\()(?P<name>[a-z][a-z_]+)(?: := |=| :=)"
    r"(?P<value>'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}|\[[^\[\]]*\]|(?:[Tt]rue|[Ff]alse|None|null|\d+(?:\.\d+)?)(?![\w/])"
    r"|(?=[\s.,:;)]|$))"
)
# A function of Python in a message, such as `ltr_sql.check`.
_FUNCTION = re.compile(r"(?P<call>call )?\bltr_sql\.(?P<name>[a-z_]+)(?P<brackets>\(\))?")
# Further arguments that messages name.
_ARGUMENTS = ("measures", "by_query")
# Values that Python and SQL spell otherwise.
_IN_SQL = {"True": "true", "False": "false", "None": "null"}
# What SQL says in other words than Python.
_PHRASES = (
    ("select rank + 1 as rank", "pass ranks_from=0"),
    ("ltr.check_run and ltr.check_rankings show", "ltr_sql.check shows"),
    ("ltr.check_run shows", "ltr_sql.check shows"),
    ("ltr.check_rankings shows", "ltr_sql.check shows"),
)
# What the command line says in other words than Python.
_OF_FLAGS = (
    ("as keys", "as --keys"),
    ("lower_is_better names", "--lower-is-better names"),
    ("by group_documents", "by ltr-sql group-documents"),
    ("as its own string", "as its own -m"),
    ("pass a list such as ['nDCG@10', 'AP']", "pass -m nDCG@10"),
    ("pass them to the call as --gains", "pass --gains"),
)


@cache
def _names() -> frozenset[str]:
    records = [record for record in vars(options).values() if hasattr(record, "__total__")]
    given = [name for record in records for name in options.options_of(record)]
    of_relations = [p.name for relation in relations().values() for p in relation.parameters]
    of_builders = [name for b in builders().values() for name in (b.option, *(p.name for p in b.options))]
    return frozenset(name for name in (*given, *of_relations, *of_builders, *_ARGUMENTS) if len(name) > 1)


def in_python(text: str) -> str:
    """Return a message in the words of Python: `missing='skip'`."""
    for sql, python in _PHRASES:
        text = text.replace(sql, python)
    return _with_options(text, lambda name, value: f"{name}={_literal(value)}")


def in_sql(text: str) -> str:
    """Return a message in the words of SQL: `missing := 'skip'`."""
    for sql, python in _PHRASES:
        text = text.replace(python, sql)
    return _with_options(text, lambda name, value: f"{name} := {_IN_SQL.get(value, value)}".rstrip())


def on_command_line(text: str, flags: Mapping[str, str], commands: Mapping[str, Any]) -> str:
    """Return a message in the words of the command line: `--missing skip`.

    `flags` are the flags and arguments of the command by the names of Python, those that switch an option off by 'no '
    and its name, and `commands` all commands.
    """

    def flag(name: str, value: str) -> str:
        spelled = flags.get(name, f"--{name.replace('_', '-')}")
        if value in ("False", "false"):
            return flags.get(f"no {name}", spelled.replace("--", "--no-", 1))
        words = _words(value)
        return f"{spelled} {words}" if words and spelled.startswith("-") else spelled

    text = _with_options(in_python(text), flag)
    for python, command in _OF_FLAGS:
        text = text.replace(python, command)
    return _FUNCTION.sub(lambda match: _command(match, commands), text)


def _with_options(text: str, spell: Callable[[str, str], str]) -> str:
    """Return a text whose options are spelled by a function of their name and value."""
    return _OPTION.sub(
        lambda match: spell(match["name"], match["value"]) if match["name"] in _names() else match[0], text
    )


def _literal(value: str) -> str:
    """Return the value of an option in SQL as Python writes it."""
    return next((python for python, sql in _IN_SQL.items() if sql == value), value)


def _words(value: str) -> str:
    """Return the value of an option as words of the command line; empty for True, None and no value."""
    try:
        given = ast.literal_eval(_literal(value)) if value else None
    except (ValueError, SyntaxError):
        return value
    if given is None or given is True:
        return ""
    if isinstance(given, dict):
        pairs = given.items()
        nested = [f"{table}:{_words(repr(names))}" for table, names in pairs if isinstance(names, dict)]
        return " ".join(nested) or shlex.quote(",".join(f"{theirs}={ours}" for theirs, ours in pairs))
    return shlex.quote(",".join(map(str, given)) if isinstance(given, list) else str(given))


def _command(match: re.Match[str], commands: Mapping[str, Any]) -> str:
    if match["name"] not in commands:
        return match[0]
    return f"{'run ' if match['call'] else ''}ltr-sql {match['name']}"
