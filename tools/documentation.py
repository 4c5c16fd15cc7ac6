"""Generated pages: in `docs/` measures, functions and messages, and `VOCABULARY.md`, the macros of the templates.

`python -m tools.generate` writes them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ltr_sql.catalogue.conventions import conventions, settings_of
from ltr_sql.catalogue.files import SQL_FOLDER, TEMPLATES
from ltr_sql.catalogue.functions import row_sources
from ltr_sql.catalogue.measures import Definition, all_definitions, measure_paths
from ltr_sql.catalogue.parameters import Parameter
from tools.functions import functions_page
from tools.troubleshooting import troubleshooting_page

_MEASURES_OPENING = """\
# All measures

<!-- Generated from the headers of the files in sql/ by python -m tools.generate: do not edit. -->

`from ltr.measures()` in SQL and `ltr_sql.measures()` in Python return the same catalogue as a table.
[Measure strings](measure_strings.md) explains how to write a measure as text, and [which documents
count](which_documents_count.md) what enters a value.
"""
_VOCABULARY_OPENING = """\
# Vocabulary of the templates

Generated from the headers in [`sql/row_sources/`](sql/row_sources) and the comments in
[`sql/templates/shared/`](sql/templates/shared) by `python -m tools.generate`; do not edit.
[CONTRIBUTING.md](CONTRIBUTING.md) shows how to add a measure.

The body of a measure is an SQL expression with aggregates. It reads rows `d` of one row source, and calls Jinja
macros, most of them from `expressions.sql` and `windows.sql`. It may also call another measure by its macro name, with
all parameters in the order of that measure's header: `dcg(k, gain, discount, level)`.
"""
_ROW_SOURCES = """
## Row sources

The header of a measure names its row source in `row_source`, and the rows that it needs in `reads` (default:
`relevant`). Row sources of pairs and lists ignore `reads`. *Input* is the relation that the row source reads.
"""
_AVERAGES = {
    "mean": "mean over the queries where the measure is not NULL",
    "sum": "sum",
    "weighted": "mean over the queries where the measure is not NULL, weighted by the measure itself",
    "geometric": "geometric mean; values below 0.00001 count as 0.00001",
}

# A comment, or a macro with its body. A comment that is followed by a blank line is about all macros below it.
_COMMENTS_AND_MACROS = re.compile(
    r"\{#-?\s*(?P<comment>.*?)\s*-?#\}(?P<blank_line>\n\n)?"
    r"|\{%-? macro (?P<name>\w+)\((?P<arguments>.*?)\) -?%\}.*?\{%-? endmacro -?%\}(?=(?P<next_line>\n\{%-? macro)?)",
    re.DOTALL,
)


@dataclass(frozen=True)
class TemplateMacro:
    """A Jinja macro of `sql/templates/shared/`.

    - `group`: the comment above the group of macros that it belongs to, empty if there is none.
    - `summary`: the first sentence of the comment above the macro, empty if there is none. Macros that follow each
      other without a blank line share the comment above the first of them.
    """

    path: str
    group: str
    signature: str
    summary: str


def pages() -> dict[Path, str]:
    """Return the text of each generated page by its path."""
    root = SQL_FOLDER.parent
    folder = root / "docs"
    return {
        folder / "measures.md": measures_page(),
        root / "VOCABULARY.md": vocabulary_page(),
        folder / "functions.md": functions_page(),
        folder / "troubleshooting.md": troubleshooting_page(),
    }


def measures_page() -> str:
    """Return the page of all measures as Markdown."""
    parts = [
        _MEASURES_OPENING,
        " · ".join(f"[{d.name}](#{d.name.lower()})" for d in all_definitions().values()) + "\n",
        *(_measure(definition) for definition in all_definitions().values()),
        _conventions(),
    ]
    return "\n".join(parts)


def vocabulary_page() -> str:
    """Return the page of row sources and template macros as Markdown."""
    sources = _table(
        ["row source", "rows", "input", "`reads`"],
        ([f"`{s.name}`", s.summary, f"`{s.input}`", _codes(s.rows)] for s in row_sources().values()),
    )
    macros = template_macros()
    files = dict.fromkeys(macro.path for macro in macros)
    return "\n".join([_VOCABULARY_OPENING + _ROW_SOURCES, sources, *(_file(path, macros) for path in files), ""])


def template_macros() -> list[TemplateMacro]:
    """Return the macros of `sql/templates/shared/`: first those for bodies of measures."""
    paths = sorted((TEMPLATES / "shared").glob("*.sql"), key=lambda path: (path.stem not in _OF_MEASURES, path.stem))
    return [macro for path in paths for macro in _macros(f"shared/{path.name}", path.read_text(encoding="utf-8"))]


# The files whose macros are written for the bodies of measures.
_OF_MEASURES = ("expressions", "windows")


def _macros(path: str, text: str) -> Iterator[TemplateMacro]:
    group = comment = ""
    for match in _COMMENTS_AND_MACROS.finditer(text):
        if match["name"]:
            arguments = " ".join(match["arguments"].split())
            yield TemplateMacro(path, group, f"{match['name']}({arguments})", _first_sentence(comment))
            comment = comment if match["next_line"] else ""
        elif match["blank_line"]:
            group, comment = " ".join(match["comment"].split()), ""
        else:
            comment = " ".join(match["comment"].split())


def _first_sentence(text: str) -> str:
    # Three dots do not end a sentence.
    return re.split(r"(?<=[^.]\.)\s", text, maxsplit=1)[0]


def _file(path: str, macros: Iterable[TemplateMacro]) -> str:
    groups: dict[str, list[list[str]]] = {}
    for macro in macros:
        if macro.path == path:
            groups.setdefault(macro.group, []).append([f"`{macro.signature}`", macro.summary])
    parts = [f"\n## [`{path.removeprefix('shared/')}`](sql/templates/{path})"]
    for group, rows in groups.items():
        parts += ["", *([group, ""] if group else []), _table(["macro", "meaning"], rows)]
    return "\n".join(parts)


def _measure(definition: Definition) -> str:
    names = [f"`{name}`" for name in (*definition.aliases, *definition.named)]
    empty = "NULL" if definition.empty is None else f"{definition.empty:g}"
    facts = {
        "Formula": definition.formula,
        "Range": definition.range,
        "Aliases": ", ".join([*names, *(f"`{name}` without a cutoff" for name in definition.uncut)]),
        "Value if undefined": "set by `empty`" if definition.parameter("empty") else empty,
        "Average": average_of(definition),
        "Input": _input(definition),
        "Custom gains": "`gains=` in Python, `--gains` on the command line" if definition.gains else "",
        "Conventions": _by_convention(definition),
        "Reference": definition.reference,
    }
    table = _table(
        ["parameter", "default", "allowed", "meaning"], (_parameter(definition, p) for p in definition.parameters)
    )
    macro = f"[`ltr.{definition.macro}`](../{path_of(definition.macro)})"
    return "\n".join(
        [
            f"## {definition.name}\n",
            f"{definition.summary} Example: `{definition.example}`. Macro: {macro}.\n",
            *(f"- {name}: {text}" for name, text in facts.items() if text),
            *(["", table] if definition.parameters else []),
            f"\n```jinja\n{definition.body}\n```\n",
        ]
    )


def average_of(definition: Definition) -> str:
    """Return how the values of a measure are averaged over queries."""
    return "none: one value for the run" if definition.over == "run" else _AVERAGES[definition.average]


def _input(definition: Definition) -> str:
    if definition.beyond_accuracy:
        needs = (
            f"{n.table} ({', '.join(n.columns)}){f' if {n.parameter} = {n.value}' if n.parameter else ''}"
            for n in definition.needs
        )
        return ", ".join(["a run", *needs])
    if definition.paired:
        return "two rankings, or rankings with relevance, which are compared with their ideal order"
    if definition.by_subtopic:
        return "rankings with one row per document and subtopic"
    return "rankings; documents may share a rank" if definition.shared_ranks else "rankings"


def _parameter(definition: Definition, parameter: Parameter) -> list[str]:
    default = "required" if parameter in definition.required else f"`{parameter.default_in_sql}`"
    return [f"`{parameter.name}`", default, parameter.allowed, parameter.summary]


def _by_convention(definition: Definition) -> str:
    found = (
        (convention.name, settings)
        for convention in conventions().values()
        for name, settings in settings_of(convention)
        if name == definition.name
    )
    return ", ".join(f"{name} ({_settings(settings.items())})" for name, settings in found)


def _conventions() -> str:
    rows = []
    for convention in conventions().values():
        of_all, *of_measures = settings_of(convention)
        cells = "; ".join(f"{name}: {_settings(settings.items())}" for name, settings in of_measures)
        rows.append([f"`{convention.name}`", convention.summary, *map(str, of_all[1].values()), cells])
    heading = (
        "## Conventions\n\nSettings that reproduce each tool. In Python and on the command line, a convention "
        "applies its whole row. In SQL, `convention :=` applies the settings of measures; pass `ties` and `missing` to "
        "`ltr.judge`. [Conventions](conventions.md) explains the settings.\n"
    )
    return f"{heading}\n{_table(['convention', 'tool', 'ties', 'missing', 'settings of measures'], rows)}\n"


def _settings(settings: Iterable[tuple[str, object]]) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings)


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(names: list[str], rows: Iterable[list[str]]) -> str:
    return "\n".join(_lines([names, ["---"] * len(names), *rows]))


def _lines(rows: Iterable[list[str]]) -> Iterator[str]:
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def path_of(macro: str) -> str:
    """Return the path of a measure's file, from the root of the repository."""
    return next(f"sql/{path.parent.name}/{path.name}" for path in measure_paths() if path.stem == macro)
