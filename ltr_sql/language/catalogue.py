"""What stands in `sql/`: measures, relations and their parameters, read from the headers of the files.

This is the only list of measures that there is. A file opens with a header in TOML between `/*` and `*/`,
the rest is a Jinja template of SQL.
"""

import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

PACKAGE_FOLDER = Path(__file__).parents[1]
# A wheel holds sql/ inside the package; in a checkout (and an editable install) it is next to the package.
SQL_FOLDER = next(folder for folder in (PACKAGE_FOLDER / "sql", PACKAGE_FOLDER.parent / "sql") if folder.is_dir())
MEASURE_FOLDERS = ("measures", "agreement")
# The shapes of relation that measures read, with the columns of each beside the keys and query_id.
SHAPES = {
    "rankings": ("rank", "relevance"),
    "covers": ("rank", "relevance", "doc_id", "subtopic"),
    "pairs": ("rank_a", "rank_b"),
    "scored_pairs": ("rank_a", "rank_b", "score_a", "score_b"),
}
# The rows of `documents` that a measure may read, from most to fewest.
ROWS = ("all", "counted", "judged", "relevant")

# What the macro of a measure that is expected over all orders of tied documents is called, before the other's name.
_EXPECTED = "expected_"

Value: TypeAlias = int | float | str | None


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure or relation: its default and what it allows; an optional one may be NULL.

    `spelled`: values by arguments of measure strings that other tools write for them.
    """

    name: str
    type: str
    summary: str
    default: Value = None
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    above: float | None = None
    maximum: float | None = None
    optional: bool = False
    spelled: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def allowed(self) -> str:
        """What the parameter allows, in words."""
        if self.type == "choice":
            return _one_of(repr(choice) for choice in self.choices)
        bounds = [
            f"{word} {bound:g}"
            for word, bound in (
                ("from", self.minimum),
                ("above", self.above),
                ("to", self.maximum),
            )
            if bound is not None
        ]
        return " ".join([f"a{'n' if self.type == 'integer' else ''} {self.type}", *bounds])

    def allows(self, value: Value) -> bool:
        """Whether `value` is one that the parameter can have."""
        if self.type == "choice":
            return value in self.choices
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return (
            math.isfinite(value)
            and (self.type == "number" or value == int(value))
            and (self.minimum is None or value >= self.minimum)
            and (self.above is None or value > self.above)
            and (self.maximum is None or value <= self.maximum)
        )


@dataclass(frozen=True)
class RowSource:
    """The rows that the bodies of measures are summed over, as a file in `sql/row_sources/` defines them.

    `input` is the shape of relation that it reads (see `SHAPES`), `rows` the sets of rows that measures may choose
    from, and `recursive` is true if its CTEs refer to themselves.
    """

    name: str
    summary: str
    input: str
    rows: tuple[str, ...]
    recursive: bool
    body: str

    @property
    def paired(self) -> bool:
        """Whether it compares two rankings."""
        return self.input in ("pairs", "scored_pairs")


@dataclass(frozen=True)
class Definition:
    """A measure as its file defines it.

    - `macro`: its name in SQL (`ndcg`); `name`: its name in measure strings (`nDCG`).
    - `row_source`: the rows that its body is summed over; `reads`: which of them it needs (see `ROWS`).
    - `shared_ranks`: true if documents may share a rank.
    - `gains`: true if it counts gains of grades, which the caller may set.
    - `at`: the parameter that the number after @ sets; `cutoff`: 'required' or 'optional'; `fraction`: the parameter
      that a number below 1 after @ sets instead.
    - `empty`: its value for a query with nothing relevant; None is NULL, and such a query is left out of the mean.
    - `average`: mean, sum or geometric.
    - `discount`: for a sum over ranks, the factor of a gain at rank d.rank; 'null' if the factor depends on the
      documents above. None for a measure that has no per-rank breakdown.
    - `named`: names of the measure with other parameter values; `uncut`: names of a measure with a required cutoff
      that stand for this one when they have no cutoff.
    """

    macro: str
    name: str
    aliases: tuple[str, ...]
    summary: str
    formula: str
    range: str
    parameters: tuple[Parameter, ...]
    at: str
    cutoff: str
    row_source: RowSource
    reads: str
    shared_ranks: bool
    gains: bool
    empty: float | None
    average: str
    discount: str | None
    reference: str
    body: str
    named: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    uncut: tuple[str, ...] = ()
    fraction: str = ""

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name, None if the measure has none."""
        return next((p for p in self.parameters if p.name == name), None)

    @property
    def paired(self) -> bool:
        """Whether it compares two rankings."""
        return self.row_source.paired

    @property
    def by_score(self) -> bool:
        """Whether it compares the scores of two rankings."""
        return self.row_source.input == "scored_pairs"

    @property
    def counted(self) -> bool:
        """Whether it reads how many documents were retrieved."""
        return self.reads in ("all", "counted")

    @property
    def required(self) -> tuple[Parameter, ...]:
        """The parameters that need a value: they have no default, and without one there is no measure."""
        optional = "k" if self.cutoff == "optional" else ""
        return tuple(p for p in self.parameters if p.default is None and not p.optional and p.name != optional)

    @property
    def by_subtopic(self) -> bool:
        """Whether it reads a row for each document and subtopic."""
        return self.row_source.input == "covers"

    @property
    def expectation(self) -> "Definition | None":
        """The measure that is this one expected over all orders of tied documents; None if there is none."""
        return definitions().get(_EXPECTED + self.macro.removeprefix(_EXPECTED))

    @property
    def example(self) -> str:
        """A measure string of it, with a value at the @ if it takes one."""
        given = ", ".join(f"{p.name}=4" for p in self.required if p.name != self.at)
        at = "" if self.parameter(self.at) is None else f"@{'10' if self.at == 'k' else '0.5'}"
        return f"{self.name}{f'({given})' if given else ''}{at}"


# Compared by identity: what it holds cannot be hashed.
@dataclass(frozen=True, eq=False)
class Convention:
    """What a tool means by the names of measures: a bundle of values for switches that can each be given alone.

    `ties` and `missing` are those of `ltr.judge`. `values` are the parameters of measures, by macro, that differ from
    our defaults; `instead` is the measure that the tool calls by the name of another.
    """

    name: str
    summary: str
    ties: str
    missing: str
    values: Mapping[str, Mapping[str, Value]]
    instead: Mapping[str, str]


@dataclass(frozen=True)
class Relation:
    """A relation that a macro builds from the caller's tables (`ltr.judge`)."""

    macro: str
    summary: str
    inputs: tuple[str, ...]
    reads: str
    gives: str
    parameters: tuple[Parameter, ...]
    body: str


def read_template(path: str) -> str:
    """The text of a file in `sql/`."""
    return (SQL_FOLDER / path).read_text(encoding="utf-8")


@cache
def parameters() -> dict[str, Parameter]:
    """The parameters by name, from `sql/parameters.toml`."""
    entries = tomllib.loads(read_template("parameters.toml"))
    return {name: _parameter(name, entry) for name, entry in entries.items()}


@cache
def spellings() -> dict[str, str]:
    """Arguments of measure strings as we write them, by how other tools do."""
    return {
        other: f"{parameter.name}={value}"
        for parameter in parameters().values()
        for other, value in parameter.spelled.items()
    }


def measure_paths() -> list[Path]:
    """The files of the measures, by name."""
    paths = [path for folder in MEASURE_FOLDERS for path in (SQL_FOLDER / folder).glob("*.sql")]
    return sorted(paths, key=lambda path: path.stem)


@cache
def row_sources() -> dict[str, RowSource]:
    """The row sources by name."""
    paths = sorted((SQL_FOLDER / "row_sources").glob("*.sql"))
    return {path.stem: _row_source(path) for path in paths}


@cache
def definitions() -> dict[str, Definition]:
    """The measures by macro name, in alphabetical order."""
    return {path.stem: _definition(path) for path in measure_paths()}


@cache
def relations() -> dict[str, Relation]:
    """The relations by macro name."""
    paths = sorted((SQL_FOLDER / "relations").glob("*.sql"))
    return {path.stem: _relation(path) for path in paths}


@cache
def conventions() -> dict[str, Convention]:
    """The conventions of the field's tools by name, from `sql/conventions.toml`; the first is the default."""
    entries = tomllib.loads(read_template("conventions.toml"))
    return {name: _convention(name, **entry) for name, entry in entries.items()}


def convention_rows() -> list[dict[str, str]]:
    """The conventions as rows of text: a row for each switch."""
    return [
        {"convention": c.name, "measure": measure, "switch": switch, "value": str(value), "summary": c.summary}
        for c in conventions().values()
        for measure, switches in switches_of(c)
        for switch, value in switches.items()
    ]


def switches_of(convention: Convention) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """What a convention sets: for all measures (''), then by the name of a measure."""
    yield "", {"ties": convention.ties, "missing": convention.missing}
    for macro, other in convention.instead.items():
        yield definitions()[macro].name, {"measure": definitions()[other].name}
    for macro, values in convention.values.items():
        yield definitions()[macro].name, values


@cache
def definitions_by_name() -> dict[str, Definition]:
    """The measures by each name that a measure string may use, in lower case."""
    names: dict[str, Definition] = {}
    for definition in definitions().values():
        for name in (definition.name, definition.macro, *definition.aliases, *definition.named):
            other = names.setdefault(name.lower(), definition)
            if other is not definition:
                raise ValueError(f"{name} names both {other.macro} and {definition.macro}")
    return names


@cache
def uncut_names() -> dict[tuple[str, str], str]:
    """The measure that a name stands for without a cutoff, by the name and the macro that it has with one."""
    return {
        (name.lower(), definitions_by_name()[name.lower()].macro): definition.macro
        for definition in definitions().values()
        for name in definition.uncut
    }


def sql_default(parameter: Parameter) -> str:
    """The default of a parameter as SQL."""
    if parameter.default is None:
        return "null"
    return f"'{parameter.default}'" if isinstance(parameter.default, str) else str(parameter.default)


def catalogue_rows() -> list[dict[str, str]]:
    """One row for each measure, as `ltr.measures()` shows it."""
    return [
        {
            "name": d.name,
            "macro": d.macro,
            "parameters": ", ".join(
                p.name if p in d.required else f"{p.name} := {sql_default(p)}" for p in d.parameters
            ),
            "aliases": ", ".join([*d.aliases, *d.named, *(f"{name} without a cutoff" for name in d.uncut)]),
            "summary": d.summary,
            "formula": d.formula,
            "range": d.range,
            "reference": d.reference,
        }
        for d in definitions().values()
    ]


def measures() -> "pd.DataFrame":
    """The catalogue: name, macro, parameters with defaults, aliases, summary, formula, range, reference."""
    import pandas as pd  # noqa: PLC0415  (slow to load, and nothing else here needs it)

    return pd.DataFrame(catalogue_rows())


def conventions_frame() -> "pd.DataFrame":
    """The conventions of the field's tools, a row for each switch: convention, measure ('' for all), switch, value."""
    import pandas as pd  # noqa: PLC0415  (slow to load, and nothing else here needs it)

    return pd.DataFrame(convention_rows())


def _parameter(name: str, entry: dict[str, Any]) -> Parameter:
    return Parameter(name=name, **{**entry, "choices": tuple(entry.get("choices", ()))})


def _convention(
    name: str, summary: str, ties: str, missing: str, measures: Mapping[str, Mapping[str, Any]] | None = None
) -> Convention:
    switches = measures or {}
    return Convention(
        name,
        summary,
        ties,
        missing,
        values={
            macro: {switch: value for switch, value in entry.items() if switch != "measure"}
            for macro, entry in switches.items()
            if entry.keys() != {"measure"}
        },
        instead={macro: entry["measure"] for macro, entry in switches.items() if "measure" in entry},
    )


def header_and_body(path: Path) -> tuple[dict[str, Any], str]:
    """The header of a file in `sql/`, and the template below it."""
    match = re.fullmatch(r"/\*\n(.*?)\*/\n(.*)", path.read_text(encoding="utf-8"), re.DOTALL)
    if match is None:
        raise ValueError(f"{path.name} does not open with a header between /* and */")
    return tomllib.loads(match[1]), match[2]


def _parameters_of(header: dict[str, Any]) -> tuple[Parameter, ...]:
    """The parameters that a header names; its tables `choices`, `defaults` and `summaries` say what one of them
    allows, is by default, or means here."""
    choices, defaults, summaries = (header.get(table, {}) for table in ("choices", "defaults", "summaries"))
    named = [parameters()[name] for name in header["parameters"]]
    return tuple(
        replace(
            parameter,
            choices=tuple(choices.get(parameter.name, parameter.choices)),
            default=defaults.get(parameter.name, parameter.default),
            summary=summaries.get(parameter.name, parameter.summary),
        )
        for parameter in named
    )


def _definition(path: Path) -> Definition:
    header, body = header_and_body(path)
    empty = header["empty"]
    source = row_sources()[header["row_source"]]
    reads = header.get("reads", "relevant")
    if reads not in source.rows:
        raise ValueError(f"{path.name} reads {reads!r} of {source.name}, which has {', '.join(source.rows)}")
    return Definition(
        macro=path.stem,
        name=header["name"],
        aliases=tuple(header["aliases"]),
        summary=header["summary"],
        formula=header["formula"],
        range=header["range"],
        parameters=_parameters_of(header),
        at=header.get("at", "k"),
        cutoff=header.get("cutoff", "optional"),
        row_source=source,
        reads=reads,
        shared_ranks=header.get("shared_ranks", False),
        gains=header.get("gains", False),
        empty=None if empty == "null" else float(empty),
        average=header.get("average", "mean"),
        discount=header.get("discount"),
        reference=header["reference"],
        named=header.get("named", {}),
        uncut=tuple(header.get("uncut", ())),
        fraction=header.get("fraction", ""),
        body=body.strip(),
    )


def _row_source(path: Path) -> RowSource:
    header, body = header_and_body(path)
    return RowSource(
        name=path.stem,
        summary=" ".join(header["summary"].split()),
        input=header["input"],
        rows=tuple(header.get("rows", ("relevant",))),
        recursive=header.get("recursive", False),
        body=body.strip(),
    )


def _relation(path: Path) -> Relation:
    header, body = header_and_body(path)
    return Relation(
        macro=path.stem,
        summary=header["summary"],
        inputs=tuple(header["inputs"]),
        reads=header["reads"],
        gives=header["gives"],
        parameters=_parameters_of(header),
        body=body.strip(),
    )


def _one_of(words: Any) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else str(last)
