"""The catalogue of measures, row sources, relations, parameters and conventions, read from the files in `sql/`.

A file starts with a header in TOML between `/*` and `*/`; the rest is a Jinja template of SQL. These files are the only
list of measures.
"""

import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

PACKAGE_FOLDER = Path(__file__).parents[1]
# A wheel contains sql/ in the package; in a checkout and an editable install it is next to the package.
_FOLDERS = [folder for folder in (PACKAGE_FOLDER / "sql", PACKAGE_FOLDER.parent / "sql") if folder.is_dir()]
if not _FOLDERS:
    raise ImportError(
        f"ltr_sql reads SQL from files, which {PACKAGE_FOLDER} does not hold: install the package, because it cannot "
        "be imported from a zip archive"
    )
SQL_FOLDER = _FOLDERS[0]
MEASURE_FOLDERS = ("measures", "agreement")
BEYOND_ACCURACY = "beyond_accuracy"
# The shapes of relations that measures read, with their columns in addition to keys and query_id.
SHAPES = {
    "rankings": ("rank", "relevance"),
    "covers": ("rank", "relevance", "doc_id", "subtopic"),
    "pairs": ("rank_a", "rank_b"),
    "scored_pairs": ("rank_a", "rank_b", "score_a", "score_b"),
}
# The shape of a run, whose lists measures beyond accuracy read.
LISTS = "lists"
# The tables that measures beyond accuracy may read besides the run: their ids, and their other columns with types.
TABLES: Mapping[str, tuple[tuple[str, ...], Mapping[str, str]]] = {
    "documents": (
        ("doc_id",),
        {"category": "text", "popularity": "number", "group": "text", "weight": "number", "vector": "numbers"},
    ),
    "history": (("query_id", "doc_id"), {}),
    "targets": ((), {"query_id": "text", "group": "text", "share": "number"}),
    "qrels": (("query_id", "doc_id"), {"relevance": "number"}),
    "baseline": (("query_id", "doc_id"), {"rank": "number", "score": "number"}),
}
# Columns of `TABLES` that measures read if a table has them, but never require.
OPTIONAL_COLUMNS = {"documents": "weight", "targets": "query_id"}
# The rows of the row source `documents` that a measure may read, from most to fewest.
ROWS = ("all", "counted", "judged", "relevant")

# Prefix of macros that compute the expected value of another measure over all orders of tied documents.
_EXPECTED_PREFIX = "expected_"

Value: TypeAlias = int | float | str | None


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure, relation or builder.

    - `type`: 'integer', 'number' or 'choice', and for builders also 'table' or 'column'.
    - `choices`: the allowed values of a choice. In TOML, it may be the name of a folder, whose files it then lists.
    - `minimum`, `above`, `maximum`: bounds of a number; `above` is exclusive.
    - `optional`: true if the value may be NULL.
    - `spelled`: maps an argument of another tool, such as dcg=exp-log2, to a value of this parameter.
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
        """Describe the allowed values."""
        if self.type == "choice":
            return one_of(map(repr, self.choices))
        bounds = [
            f"{preposition} {bound:.15g}"
            for preposition, bound in (
                ("from", self.minimum),
                ("above", self.above),
                ("to", self.maximum),
            )
            if bound is not None
        ]
        return " ".join([f"a{'n' if self.type == 'integer' else ''} {self.type}", *bounds])

    def allows(self, value: Value) -> bool:
        """Return whether the parameter allows a value."""
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
    """The rows that measures aggregate, as defined by a file in `sql/row_sources/`.

    - `input`: shape of the relation that it reads (see `SHAPES`), or `LISTS`.
    - `rows`: sets of rows that a measure may choose from (see `ROWS`).
    - `recursive`: true if its CTEs refer to themselves.
    - `by_rank`: names of columns for breaking measures down by rank. The entry `rank` names the column with the rank of
      a row. The entry `reads` names a column. Aggregates that read it are computed down to each rank; other
      aggregates are computed over the whole query.
    - `body`: template of its CTEs.
    - `over`: 'query' if measures have a value for each query, 'run' if they have one for the whole run.
    - `tables`: the tables of `TABLES` that it reads.
    - `reads_ranks`: true if it reads the ranks of lists, and not only whether a document is in the top k.
    - `without_lists`: true if it has rows for queries without a list, which a bootstrap over lists cannot draw.
    """

    name: str
    summary: str
    input: str
    rows: tuple[str, ...]
    recursive: bool
    by_rank: Mapping[str, str] = field(hash=False)
    body: str
    over: str = "query"
    tables: tuple[str, ...] = ()
    reads_ranks: bool = False
    without_lists: bool = False

    @property
    def paired(self) -> bool:
        """True if it compares two rankings."""
        return self.input in ("pairs", "scored_pairs")


@dataclass(frozen=True)
class Need:
    """A table that a measure beyond accuracy needs, and a column of it besides the ids ('' for none).

    With a `parameter`, the measure needs it only if that parameter has this `value`.
    """

    table: str
    column: str = ""
    parameter: str = ""
    value: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the table must have."""
        ids, others = TABLES[self.table]
        if self.column:
            return (*ids, self.column)
        return ids or tuple(name for name in others if name != OPTIONAL_COLUMNS.get(self.table))


@dataclass(frozen=True)
class Definition:
    """A measure as defined by its file.

    - `macro`: its name in SQL (`ndcg`); `name`: its name in measure strings (`nDCG`).
    - `formula`: its formula as text; `tex`: in LaTeX, or empty.
    - `row_source`: the rows that its body aggregates; `reads`: which of them it needs (see `ROWS`).
    - `shared_ranks`: true if documents may share a rank.
    - `gains`: true if it uses gains. The caller may set the gain of each grade.
    - `at`: the parameter that the number after @ sets; `cutoff`: 'required' or 'optional'; `fraction`: the parameter
      that a number below 1 after @ sets instead.
    - `empty`: its value for a query where the body is NULL or has no rows; None is NULL and leaves the query out of
      the mean.
    - `average`: 'mean', 'sum' or 'geometric'.
    - `better`: 'higher' or 'lower', the direction of better rankings.
    - `discount`: for a sum over ranks, SQL of the factor of a gain that depends on d.rank alone; 'null' for a sum
      without one. None for a measure without a per-rank breakdown.
    - `named`: other names of the measure, with the parameters that each of them sets.
    - `given`: parameters that select another measure: NumRet(rel=1) of ir_measures is NumRelRet(rel=1).
    - `uncut`: names that select this measure without a cutoff: `F1` is SetF, `F1@10` is F1.
    - `needs`: the tables and columns that a measure beyond accuracy needs.
    - `body`: template of an SQL expression with aggregates.
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
    named: Mapping[str, Mapping[str, Value]] = field(default_factory=dict, hash=False)
    given: Mapping[str, str] = field(default_factory=dict, hash=False)
    uncut: tuple[str, ...] = ()
    fraction: str = ""
    better: str = "higher"
    needs: tuple[Need, ...] = ()
    tex: str = ""

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter with this name, or None."""
        return next((p for p in self.parameters if p.name == name), None)

    @property
    def paired(self) -> bool:
        """True if it compares two rankings."""
        return self.row_source.paired

    @property
    def beyond_accuracy(self) -> bool:
        """True if it measures the lists of a run, judged or not."""
        return self.row_source.input == LISTS

    @property
    def over(self) -> str:
        """'query' if it has a value for each query, 'run' if it has one for the whole run."""
        return self.row_source.over

    def needed(self, values: Mapping[str, Value]) -> list[Need]:
        """Return the tables and columns that the measure needs with these parameter values."""
        return [need for need in self.needs if not need.parameter or values[need.parameter] == need.value]

    @property
    def by_score(self) -> bool:
        """True if it compares the scores of two rankings."""
        return self.row_source.input == "scored_pairs"

    @property
    def reads_num_ret(self) -> bool:
        """True if it reads the number of retrieved documents."""
        return self.reads in ("all", "counted")

    @property
    def required(self) -> tuple[Parameter, ...]:
        """The parameters without a default that must be set."""
        optional = "k" if self.cutoff == "optional" else ""
        return tuple(p for p in self.parameters if p.default is None and not p.optional and p.name != optional)

    @property
    def by_subtopic(self) -> bool:
        """True if it reads one row per document and subtopic."""
        return self.row_source.input == "covers"

    @property
    def expectation(self) -> "Definition | None":
        """The measure of the expected value over all orders of tied documents, or None."""
        return definitions().get(_EXPECTED_PREFIX + self.macro.removeprefix(_EXPECTED_PREFIX))

    @property
    def example(self) -> str:
        """A valid measure string, with a number after the @ if it takes one."""
        given = ", ".join(f"{p.name}=4" for p in self.required if p.name != self.at)
        at = "" if self.parameter(self.at) is None else f"@{'10' if self.at == 'k' else '0.5'}"
        return f"{self.name}{f'({given})' if given else ''}{at}"


# Conventions are compared by identity, because mappings cannot be hashed.
@dataclass(frozen=True, eq=False)
class Convention:
    """The settings with which our measures reproduce the values of a tool.

    - `ties`, `missing`: options of `ltr.judge`.
    - `values`: by macro, the parameters that differ from our defaults.
    - `substitutes`: maps a macro or alias to the macro that the tool computes under its name: p to precision_at.
    - `only`: `BEYOND_ACCURACY` if it covers only these measures, else empty.
    """

    name: str
    summary: str
    ties: str
    missing: str
    values: Mapping[str, Mapping[str, Value]]
    substitutes: Mapping[str, str]
    only: str = ""


@dataclass(frozen=True)
class Relation:
    """A relation that a macro such as `ltr.judge` builds from the caller's tables.

    - `inputs`: the macro's parameters for tables.
    - `reads`: the columns of these tables; `gives`: the columns of the result.
    - `body`: template of the query.
    """

    macro: str
    summary: str
    inputs: tuple[str, ...]
    reads: str
    gives: str
    parameters: tuple[Parameter, ...]
    body: str


def read_template(path: str) -> str:
    """Return the text of a file in `sql/`."""
    return (SQL_FOLDER / path).read_text(encoding="utf-8")


@cache
def parameters() -> dict[str, Parameter]:
    """Return the parameters by name, from `sql/parameters.toml`."""
    entries = tomllib.loads(read_template("parameters.toml"))
    return {name: _parameter(name, entry) for name, entry in entries.items()}


@cache
def spellings() -> dict[str, str]:
    """Map arguments of other tools to ours, such as dcg=exp-log2 to gain=exponential."""
    return {
        other: f"{parameter.name}={value}"
        for parameter in parameters().values()
        for other, value in parameter.spelled.items()
    }


def measure_paths(folders: Iterable[str] = (*MEASURE_FOLDERS, BEYOND_ACCURACY)) -> list[Path]:
    """Return the files of the measures in folders of `sql/`, sorted by name."""
    paths = [path for folder in folders for path in (SQL_FOLDER / folder).glob("*.sql")]
    return sorted(paths, key=lambda path: path.stem)


@cache
def row_sources() -> dict[str, RowSource]:
    """Return the row sources by name."""
    paths = sorted((SQL_FOLDER / "row_sources").glob("*.sql"))
    return {path.stem: _row_source(path) for path in paths}


@cache
def definitions() -> dict[str, Definition]:
    """Return the measures of rankings and of pairs of rankings by macro name, in alphabetical order."""
    return {path.stem: _definition(path) for path in measure_paths(MEASURE_FOLDERS)}


@cache
def beyond_accuracy_definitions() -> dict[str, Definition]:
    """Return the measures beyond accuracy by macro name, in alphabetical order."""
    return {path.stem: _definition(path) for path in measure_paths([BEYOND_ACCURACY])}


@cache
def all_definitions() -> dict[str, Definition]:
    """Return the measures of all families by macro name, in alphabetical order."""
    return dict(sorted((definitions() | beyond_accuracy_definitions()).items()))


@cache
def relations() -> dict[str, Relation]:
    """Return the relations by macro name."""
    paths = sorted((SQL_FOLDER / "relations").glob("*.sql"))
    return {path.stem: _relation(path) for path in paths}


@cache
def conventions() -> dict[str, Convention]:
    """Return the conventions by name, from `sql/conventions.toml`. The first one is the default."""
    entries = tomllib.loads(read_template("conventions.toml"))
    return {name: _convention(name, **entry) for name, entry in entries.items()}


def check_conventions() -> None:
    """Raise ValueError for a convention with an unknown measure, a parameter it lacks, or a value it does not allow."""
    for convention in conventions().values():
        try:
            _check_convention(convention)
        except ValueError as error:
            raise ValueError(f"sql/conventions.toml, {convention.name}: {error}") from None


def _check_convention(convention: Convention) -> None:
    for name, other in convention.substitutes.items():
        if name not in definitions_by_name() or other not in all_definitions():
            raise ValueError(f"{name} or {other} is not a measure")
    judge = {p.name: p for p in relations()["judge"].parameters}
    settings: list[tuple[Parameter, str, Any]] = [
        (judge[name], name, getattr(convention, name)) for name in ("ties", "missing")
    ]
    for macro, values in convention.values.items():
        if macro not in all_definitions():
            raise ValueError(f"no measure has the file name {macro}.sql")
        for name, value in values.items():
            if substitute := convention.substitutes.get(macro):
                raise ValueError(f"{macro} is replaced by {substitute}: set {name} of {substitute}")
            if (parameter := all_definitions()[macro].parameter(name)) is None:
                raise ValueError(f"{macro} has no parameter {name}")
            settings.append((parameter, f"{macro}.{name}", value))
    for parameter, name, value in settings:
        if not parameter.allows(value):
            raise ValueError(f"{name} must be {parameter.allowed}, got {value!r}")


def convention_rows() -> list[dict[str, str]]:
    """Return the conventions as rows of text, one row per setting."""
    return [
        {"convention": c.name, "measure": measure, "switch": setting, "value": str(value), "summary": c.summary}
        for c in conventions().values()
        for measure, settings in settings_of(c)
        for setting, value in settings.items()
    ]


def settings_of(convention: Convention) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """Yield the settings of a convention: first for all measures, named '', then for each measure by its name."""
    yield "", {"ties": convention.ties, "missing": convention.missing}
    for name, other in convention.substitutes.items():
        yield (
            definitions_by_name()[name].name if name in all_definitions() else name,
            {"measure": all_definitions()[other].name},
        )
    for macro, values in convention.values.items():
        yield all_definitions()[macro].name, values


@cache
def definitions_by_name() -> dict[str, Definition]:
    """Return the measures by all their names in measure strings, in lower case."""
    names: dict[str, Definition] = {}
    for definition in all_definitions().values():
        for name in (definition.name, definition.macro, *definition.aliases, *definition.named):
            other = names.setdefault(name.lower(), definition)
            if other is not definition:
                raise ValueError(f"{name} is a name of both {other.macro} and {definition.macro}")
    return names


def definition_of(column: str) -> Definition | None:
    """Return the measure that the name of a column of values begins with, such as nDCG of 'nDCG@10', or None."""
    name = re.match(r"\w*", column)
    return definitions_by_name().get(name[0].lower()) if name else None


def is_better_lower(column: str) -> bool:
    """Return whether lower values of a measure are better, given the name of a column of values."""
    definition = definition_of(column)
    return definition is not None and definition.better == "lower"


@cache
def uncut_names() -> dict[tuple[str, str], str]:
    """Map (name, macro with a cutoff) to the macro without a cutoff."""
    return {
        (name.lower(), definitions_by_name()[name.lower()].macro): definition.macro
        for definition in all_definitions().values()
        for name in definition.uncut
    }


def sql_default(parameter: Parameter) -> str:
    """Return the default of a parameter as SQL."""
    if parameter.default is None:
        return "null"
    return f"'{parameter.default}'" if isinstance(parameter.default, str) else str(parameter.default)


def catalogue_rows() -> list[dict[str, str]]:
    """Return the rows of `ltr.measures()`, one per measure."""
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
        for d in all_definitions().values()
    ]


def _parameter(name: str, entry: dict[str, Any]) -> Parameter:
    return Parameter(name=name, **{**entry, "choices": _choices(entry.get("choices", ()))})


def _choices(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return the choices of a parameter: a list, or the names of the files in a folder."""
    if isinstance(given, str):
        return tuple(sorted(path.stem for path in (SQL_FOLDER / given).glob("*.sql")))
    return tuple(given)


def _convention(
    name: str,
    summary: str,
    ties: str,
    missing: str,
    measures: Mapping[str, Mapping[str, Any]] | None = None,
    only: str = "",
) -> Convention:
    settings = measures or {}
    return Convention(
        name,
        summary,
        ties,
        missing,
        values={
            macro: {name: value for name, value in entry.items() if name != "measure"}
            for macro, entry in settings.items()
            if entry.keys() != {"measure"}
        },
        substitutes={macro: entry["measure"] for macro, entry in settings.items() if "measure" in entry},
        only=only,
    )


def header_and_body(path: Path) -> tuple[dict[str, Any], str]:
    """Split a file in `sql/` into its header and its template."""
    match = re.fullmatch(r"/\*\n(.*?)\*/\n(.*)", path.read_text(encoding="utf-8"), re.DOTALL)
    if match is None:
        raise ValueError(f"{path.name} must start with a header between /* and */")
    return tomllib.loads(match[1]), match[2]


def _parameters_of(header: dict[str, Any]) -> tuple[Parameter, ...]:
    """Return the parameters of a header. Its tables `choices`, `defaults` and `summaries` override their properties."""
    choices, defaults, summaries = (header.get(table, {}) for table in ("choices", "defaults", "summaries"))
    if unknown := [name for name in header["parameters"] if name not in parameters()]:
        raise ValueError(f"{header['name']}: the parameter {unknown[0]} is not in sql/parameters.toml")
    named = [parameters()[name] for name in header["parameters"]]
    return tuple(
        replace(
            parameter,
            choices=_choices(choices.get(parameter.name, parameter.choices)),
            default=defaults.get(parameter.name, parameter.default),
            summary=summaries.get(parameter.name, parameter.summary),
        )
        for parameter in named
    )


# The fields of a measure's header.
_REQUIRED = {"name", "aliases", "summary", "formula", "range", "parameters", "row_source", "empty", "reference"}
_OPTIONAL = {"reads", "cutoff", "at", "fraction", "average", "better", "discount", "gains", "shared_ranks", "tex"}
_OPTIONAL |= {"named", "needs", "uncut", "given", "choices", "defaults", "summaries"}


def _definition(path: Path) -> Definition:
    header, body = header_and_body(path)
    if wrong := header.keys() - _REQUIRED - _OPTIONAL:
        raise ValueError(f"{path.name}: unknown fields: {', '.join(sorted(wrong))}. CONTRIBUTING.md lists the fields")
    if wrong := _REQUIRED - header.keys():
        raise ValueError(f"{path.name}: missing fields: {', '.join(sorted(wrong))}")
    if header["row_source"] not in row_sources():
        raise ValueError(f"{path.name}: row_source must be one of {', '.join(row_sources())}")
    empty = header["empty"]
    source = row_sources()[header["row_source"]]
    reads = header.get("reads", "relevant")
    if reads not in source.rows:
        raise ValueError(f"{path.name}: reads must be one of {', '.join(source.rows)} for {source.name}, got {reads!r}")
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
        given=header.get("given", {}),
        uncut=tuple(header.get("uncut", ())),
        fraction=header.get("fraction", ""),
        better=header.get("better", "higher"),
        needs=tuple(map(_need, header.get("needs", ()))),
        tex=header.get("tex", ""),
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
        by_rank=header.get("by_rank", {}),
        body=body.strip(),
        over=header.get("over", "query"),
        tables=tuple(header.get("tables", ())),
        reads_ranks=header.get("reads_ranks", False),
        without_lists=header.get("without_lists", False),
    )


def _need(text: str) -> Need:
    """Parse TABLE, TABLE.COLUMN or TABLE.COLUMN if PARAMETER = VALUE."""
    match = re.fullmatch(r"(\w+)(?:\.(\w+))?(?: if (\w+) = (\w+))?", text)
    if match is None or match[1] not in TABLES or (match[2] and match[2] not in TABLES[match[1]][1]):
        raise ValueError(f"needs: {text!r} is not TABLE.COLUMN if PARAMETER = VALUE")
    return Need(*(part or "" for part in match.groups()))


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


def one_of(texts: Iterable[str]) -> str:
    """Return texts in words: 'a, b or c'."""
    *most, last = texts
    return f"{', '.join(most)} or {last}" if most else last
