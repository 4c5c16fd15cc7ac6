"""The generated page of functions: each option in Python, on the command line and in SQL.

Meanings come from the docstrings, which show the options that `ltr_sql/catalogue/options.py` declares.
"""

import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import click

import ltr_sql
from ltr_sql import plot
from ltr_sql.catalogue.options import Reading, options_of
from ltr_sql.command_line.main import main
from ltr_sql.macros.registration import script
from tools.contents import contents

_OPENING = """\
# Functions and options

<!-- Generated from the docstrings by python -m tools.generate: do not edit. -->

Each function with an example, what it returns, and its options, as they are written in Python, on the command line and
in SQL. A dash says that the option does not exist there.
"""
_READING = """\
## Options of reading

How the tables of a call are read. Functions that read tables take them, and so do most commands. In SQL, `ltr.judge`
takes some.

| Python | command line | SQL | meaning |
|---|---|---|---|"""
_CREATED = re.compile(r"^create or replace macro ltr\.(\w+)\((.*?)\) as", re.MULTILINE)
# An item of a list of a docstring: names in backticks, a colon, and text on this line and indented ones.
_ITEM = re.compile(r"^- (`\w+`(?:, `\w+`)*: .*(?:\n  .*)*)", re.MULTILINE)
# What an item says of some arguments. One item may speak of several, one after the other.
_SAID = re.compile(r"(?:^|(?<=\. ))((?:`\w+`(?:, )?)+): ")
_NAME = re.compile(r"`(\w+)`")
# A page of docs/ in a docstring.
_PAGE = re.compile(r"\bdocs/([\w/]+)\.md")
# Names of options of commands that differ from those of arguments.
_FLAGS = {"measures": "measure", "check": "no_check"}
# Where the meaning of an argument is found if the docstring of its function refers to another one.
_REFERRED = ("compare", "evaluate", "pool", "rater_agreement", "lightgbm_feval")


def functions() -> dict[str, Callable[..., Any]]:
    """Return the public functions by name, such as compare and plot.forest."""
    found: dict[str, Any] = {}
    for name in ltr_sql.__all__:
        found[name] = getattr(ltr_sql, name)
        if found[name] is plot:
            found |= {f"plot.{f}": g for f, g in vars(plot).items() if not f.startswith("_") and _is_of_plot(g)}
    return {name: f for name, f in found.items() if inspect.isfunction(f)}


def _is_of_plot(given: Any) -> bool:
    return inspect.isfunction(given) and given.__module__ == plot.__name__


def functions_page() -> str:
    """Return the page of all functions as Markdown."""
    return "\n".join([_OPENING, *(_section(name) for name in functions()), _reading()])


def _reading() -> str:
    """Return the section of the options that say how tables are read."""
    macro = macro_parameters("judge") or {}
    rows = [
        f"| `{name}={repr(o.default).replace(chr(39), chr(34))}` | `--{name.replace('_', '-')}` "
        f"| {f'`{name} := {macro[name]}`' if name in macro else '-'} | {o.summary} |"
        for name, o in options_of(Reading).items()
    ]
    return "\n".join([_READING, *rows, ""])


def _section(name: str) -> str:
    function = functions()[name]
    summary = str(inspect.getdoc(function)).partition("\n\n")[0].replace("\n", " ")
    flags, macro = flags_of(name), macro_parameters(name)
    also = [
        *([f"`ltr-sql {name.replace('_', '-')}`"] if flags is not None else []),
        *([f"`ltr.{name}`"] if macro is not None else []),
    ]
    if name in titles():
        summary = f"{summary} See [{titles()[name]}]({name}.md)."
    lines = [f"## {name}\n", summary + (f" Also: {', '.join(also)}." if also else "") + "\n"]
    if example_of(name):
        lines += ["```pycon", example_of(name), "```", ""]
    lines += [_linked(returns_of(name)), ""] if returns_of(name) else []
    parameters = [p for p in inspect.signature(function).parameters.values() if p.kind != p.VAR_POSITIONAL]
    parameters = [p for p in parameters if p.kind != p.VAR_KEYWORD]
    shared = [p for p in parameters if p.name in options_of(Reading)]
    parameters = [p for p in parameters if p not in shared]
    if parameters:
        heads = ["Python", *(["command line"] if flags is not None else []), *(["SQL"] if macro is not None else [])]
        lines += [f"| {' | '.join(heads)} | meaning |", "|---" * (len(heads) + 1) + "|"]
        lines += [_row(name, p, flags, macro) for p in parameters]
    if shared:
        lines += [
            "",
            f"It also takes the [options of reading](#options-of-reading): {', '.join(f'`{p.name}`' for p in shared)}.",
        ]
    return "\n".join(lines) + "\n"


def example_of(name: str) -> str:
    """Return the example in the docstring of a function, or an empty text."""
    found = re.search(r"^>>> (?:.+\n?)+", str(inspect.getdoc(functions()[name])), re.MULTILINE)
    return found[0].rstrip() if found else ""


def returns_of(name: str) -> str:
    """Return what a docstring says besides the summary, the arguments and the example: what comes back, and errors."""
    _, *blocks = str(inspect.getdoc(functions()[name])).split("\n\n")
    arguments = inspect.signature(functions()[name]).parameters
    parts: list[str] = []
    for block in blocks:
        described = _NAME.match(block.removeprefix("- "))
        # A list after "Returns" describes what comes back, also if a column is called like an argument.
        of_arguments = described and described[1] in arguments and "Returns" not in "".join(parts[-1:])
        if not (block.startswith((">>>", "Options:")) or (block.startswith("- ") and of_arguments)):
            parts.append(block)
    return "\n\n".join(parts)


def titles() -> dict[str, str]:
    """Return the title of each page of docs/ that lies beside the page of functions, by its name."""
    return {page.path.removesuffix(".md"): page.title for page in contents().values()}


def _linked(text: str) -> str:
    """Return a text in which the paths of pages, such as docs/trend.md, are links."""
    return _PAGE.sub(lambda path: f"[{titles()[path[1]]}]({path[1]}.md)", text)


def _type_of(parameter: inspect.Parameter) -> str:
    """Return the type of an argument as it is written, or '' if several kinds of tables are accepted."""
    if parameter.annotation in (parameter.empty, Any):
        return ""
    written = re.sub(r"\b(?:\w+\.)+(?=\w)", "", inspect.formatannotation(parameter.annotation)).replace("'", "")
    return written.removesuffix(" | None") if parameter.default is None else written


def _row(name: str, parameter: inspect.Parameter, flags: dict[str, str] | None, macro: dict[str, str] | None) -> str:
    default = parameter.default
    if default is parameter.empty:
        python = f"`{parameter.name}`"
    else:
        python = f"`{parameter.name}={repr(default).replace(chr(39), chr(34))}`"
    if _type_of(parameter):
        python += f" *{_type_of(parameter)}*"
    cells = [python]
    if flags is not None:
        flag = flags.get(_FLAGS.get(parameter.name, parameter.name)) or flags.get(parameter.name)
        cells.append(f"`{flag}`" if flag else "-")
    if macro is not None:
        given = macro.get(parameter.name)
        cells.append("-" if given is None else f"`{parameter.name} := {given}`" if given else f"`{parameter.name}`")
    # What refers to another function leads there.
    cells.append(_linked(re.sub(r"\bsee `(\w+)`", _link, meaning_of(name, parameter.name))))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _link(see: re.Match[str]) -> str:
    return f"see [`{see[1]}`](#{see[1]})" if see[1] in functions() else see[0]


def meaning_of(name: str, parameter: str) -> str:
    """Return what the docstring of a function, or of one that it refers to, says about an argument; '' for nothing."""
    own = re.match(r"See `(\w+)`\.?$", _meanings(name).get(parameter, ""))
    named = [own[1]] if own and own[1] in functions() else []
    for other in (name, *named, *_REFERRED):
        said = _meanings(other).get(parameter)
        if said and not re.match(r"[Ss]ee `\w+`\.?$", said):
            return said
    return ""


@cache
def _meanings(name: str) -> dict[str, str]:
    """Return what a docstring says of each argument."""
    found: dict[str, str] = {}
    for item in _ITEM.findall(inspect.getdoc(functions()[name]) or ""):
        _, *pieces = _SAID.split(" ".join(item.split()))
        for names, text in zip(pieces[::2], pieces[1::2], strict=True):
            said = re.sub(r" Default: .*$", "", text).strip()
            for argument in _NAME.findall(names):
                found.setdefault(argument, said[:1].upper() + said[1:])
    return found


@cache
def flags_of(name: str) -> dict[str, str] | None:
    """Return the flags and arguments of the command of a function by name, or None if it has no command."""
    command = main.get_command(click.Context(main), name.replace("_", "-"))
    if command is None:
        return None
    found = {str(p.name): _flag(p) for p in command.params if isinstance(p, click.Option)}
    first = next(iter(inspect.signature(functions()[name]).parameters), "")
    for p in command.params:
        if isinstance(p, click.Argument):
            words = p.human_readable_name.split()
            found |= {word.lower(): word for word in words if word.isalpha()}
            found[first] = next((word for word in words if word != "QRELS"), "")
    return found


def _flag(option: click.Option) -> str:
    """Return the flag that changes the default."""
    return max(option.secondary_opts if option.default is True and option.secondary_opts else option.opts, key=len)


def macro_parameters(name: str) -> dict[str, str] | None:
    """Return the defaults of the parameters of the macro of a function ('' for none), or None if it has no macro."""
    return _macros().get(name)


@cache
def _macros() -> dict[str, dict[str, str]]:
    found = {}
    for name, given in _CREATED.findall(script()):
        parts = [part.partition(" := ") for part in re.split(r", (?=\w+(?: :=|,|$))", given.replace("::varchar[]", ""))]
        found[name] = {parameter: default for parameter, _, default in parts}
    return found
