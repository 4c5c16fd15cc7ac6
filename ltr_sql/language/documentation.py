"""The page of all measures, `docs/measures.md`, generated from the catalogue by `python -m ltr_sql.sqltext.bundle`."""

from collections.abc import Iterable, Iterator

from ltr_sql.language.catalogue import (
    SQL_FOLDER,
    Definition,
    Parameter,
    conventions,
    definitions,
    measure_paths,
    sql_default,
    switches_of,
)

PAGE = SQL_FOLDER.parent / "docs" / "measures.md"
_OPENING = """\
# All measures

Generated from the headers of the files in [`sql/`](../sql) by `python -m ltr_sql.sqltext.bundle`; do not edit.
`from ltr.measures()` and `ltr_sql.measures()` return the same as a table.

A measure string is `NAME`, `NAME@k` or `NAME(parameter=value, ...)@k`, as in `nDCG(gain='exponential')@10`; names are
read in any case. trec_eval's `NAME_k` and `NAME.k`, ranx' `-l2` for `rel=2` or `level=2`, XGBoost's `-` for
`empty=0` at the end and ir_measures' `dcg='exp-log2'` for `gain='exponential'` mean the same.
"""
_AVERAGES = {
    "mean": "the mean, without queries where it is NULL",
    "sum": "the sum",
    "geometric": "exp of the mean of ln of the value, which counts as 0.00001 where it is less",
}


def measures_page() -> str:
    """The page as Markdown."""
    parts = [
        _OPENING,
        " · ".join(f"[{d.name}](#{d.name.lower()})" for d in definitions().values()) + "\n",
        *(_measure(definition) for definition in definitions().values()),
        _conventions(),
    ]
    return "\n".join(parts)


def _measure(definition: Definition) -> str:
    names = [f"`{name}`" for name in (*definition.aliases, *definition.named)]
    also = ", ".join([*names, *(f"`{name}` without a cutoff" for name in definition.uncut)])
    empty = "NULL" if definition.empty is None else f"{definition.empty:g}"
    facts = {
        "Formula": definition.formula,
        "Range": definition.range,
        "Also called": also,
        "A query with nothing relevant": "as `empty` says" if definition.parameter("empty") else empty,
        "Over queries": _AVERAGES[definition.average],
        "Reads": _reads(definition),
        "Gains": "as the grades, or as `gains=` says in Python and `--gains` on the command line"
        if definition.gains
        else "",
        "By convention": _by_convention(definition),
        "Reference": definition.reference,
    }
    table = _table(["parameter", "default", "allowed", ""], (_parameter(definition, p) for p in definition.parameters))
    macro = f"[`ltr.{definition.macro}`](../{path_of(definition.macro)})"
    return "\n".join(
        [
            f"## {definition.name}\n",
            f"{definition.summary} As in `{definition.example}`; macro {macro}.\n",
            *(f"- {name}: {text}" for name, text in facts.items() if text),
            *(["", table] if definition.parameters else []),
            f"\n```sql\n{definition.body}\n```\n",
        ]
    )


def _reads(definition: Definition) -> str:
    if definition.paired:
        return "two rankings; of rankings with relevance, the ranking and its ideal order"
    if definition.by_subtopic:
        return "rankings with a row for each document and subtopic"
    return "rankings; documents may share a rank" if definition.shared_ranks else "rankings"


def _parameter(definition: Definition, parameter: Parameter) -> list[str]:
    default = "" if parameter in definition.required else f"`{sql_default(parameter)}`"
    return [f"`{parameter.name}`", default, parameter.allowed, parameter.summary]


def _by_convention(definition: Definition) -> str:
    found = (
        (convention.name, switches)
        for convention in conventions().values()
        for name, switches in switches_of(convention)
        if name == definition.name
    )
    return ", ".join(f"{name} ({_settings(switches.items())})" for name, switches in found)


def _conventions() -> str:
    rows = []
    for convention in conventions().values():
        of_all, *of_measures = switches_of(convention)
        cells = "; ".join(f"{name}: {_settings(switches.items())}" for name, switches in of_measures)
        rows.append([f"`{convention.name}`", convention.summary, *map(str, of_all[1].values()), cells])
    heading = (
        "## Conventions\n\nWhat the field's tools mean by these names: `convention := 'lightgbm'` sets all of it.\n"
    )
    return f"{heading}\n{_table(['convention', '', 'ties', 'missing', 'measures'], rows)}\n"


def _settings(switches: Iterable[tuple[str, object]]) -> str:
    return ", ".join(f"{name}={value}" for name, value in switches)


def _table(names: list[str], rows: Iterable[list[str]]) -> str:
    return "\n".join(_lines([names, ["---"] * len(names), *rows]))


def _lines(rows: Iterable[list[str]]) -> Iterator[str]:
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def path_of(macro: str) -> str:
    """The file of a measure."""
    return next(f"sql/{path.parent.name}/{path.name}" for path in measure_paths() if path.stem == macro)
