"""The measures: the files in `sql/measures/`, `sql/agreement/` and `sql/beyond_accuracy/` are the only list of them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ltr_sql.catalogue.files import SQL_FOLDER, header_and_body
from ltr_sql.catalogue.functions import LISTS, OPTIONAL_COLUMNS, ROWS, TABLES, RowSource, row_sources
from ltr_sql.catalogue.parameters import Parameter, Value, parameters, parameters_of

MEASURE_FOLDERS = ("measures", "agreement")
BEYOND_ACCURACY = "beyond_accuracy"

# Prefix of macros that compute the expected value of another measure over all orders of tied documents.
_EXPECTED_PREFIX = "expected_"

# The value of the parameter `empty` that depends on whether documents were retrieved.
NONE_RETRIEVED = "none_retrieved"
_EMPTY_QUERY = "a query without relevant documents"
# The defaults of the parameter `empty`, by the field `empty` of a header.
_EMPTY = {0: "0", 1: "1", "null": "skip"}


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
    - `reads_with`: by parameter and value, the rows that it needs with this value: more than `reads`.
    - `shared_ranks`: true if documents may share a rank.
    - `gains`: true if it uses gains. The caller may set the gain of each grade.
    - `at`: the parameter that the number after @ sets; `cutoff`: 'required' or 'optional'; `fraction`: the parameter
      that a number below 1 after @ sets instead.
    - `empty`: its value for a query where the body is NULL or has no rows; None is NULL and leaves the query out of
      the mean.
    - `average`: 'mean', 'sum', 'geometric' or 'weighted'.
    - `weight`: for 'weighted', the template of the weight of a query.
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
    named: Mapping[str, Mapping[str, Value]] = field(hash=False)
    given: Mapping[str, str] = field(hash=False)
    uncut: tuple[str, ...]
    fraction: str
    better: str
    needs: tuple[Need, ...]
    tex: str
    reads_with: Mapping[str, Mapping[str, str]] = field(hash=False)
    weight: str

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter with this name, or None."""
        return next((p for p in self.parameters if p.name == name), None)

    def preset(self, name: str) -> Mapping[str, Value]:
        """Return the parameters that one of the measure's names sets, in any case of letters."""
        return next((values for other, values in self.named.items() if other.lower() == name.lower()), {})

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

    def reads_of(self, values: Mapping[str, Any]) -> str:
        """Return which rows it needs with these parameter values: one of `ROWS`."""
        further = [rows[values[name]] for name, rows in self.reads_with.items() if values.get(name) in rows]
        return min([self.reads, *further], key=ROWS.index)

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


def measure_paths(folders: Iterable[str] = (*MEASURE_FOLDERS, BEYOND_ACCURACY)) -> list[Path]:
    """Return the files of the measures in folders of `sql/`, sorted by name."""
    paths = [path for folder in folders for path in (SQL_FOLDER / folder).glob("*.sql")]
    return sorted(paths, key=lambda path: path.stem)


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


def catalogue_rows() -> list[dict[str, str]]:
    """Return the rows of `ltr.measures()`, one per measure."""
    return [
        {
            "name": d.name,
            "macro": d.macro,
            "parameters": ", ".join(
                p.name if p in d.required else f"{p.name} := {p.default_in_sql}" for p in d.parameters
            ),
            "aliases": ", ".join([*d.aliases, *d.named, *(f"{name} without a cutoff" for name in d.uncut)]),
            "summary": d.summary,
            "formula": d.formula,
            "range": d.range,
            "reference": d.reference,
        }
        for d in all_definitions().values()
    ]


# The fields of a measure's header. A header does not state a default.
_REQUIRED = {"name", "summary", "formula", "range", "parameters", "empty", "reference"}
DEFAULTS: Mapping[str, Any] = {
    "aliases": (),
    "row_source": "documents",
    "reads": "relevant",
    "reads_with": {},
    "cutoff": "optional",
    "at": "k",
    "fraction": "",
    "average": "mean",
    "weight": "",
    "better": "higher",
    "discount": None,
    "gains": False,
    "shared_ranks": False,
    "tex": "",
    "named": {},
    "needs": (),
    "uncut": (),
    "given": {},
}
_OPTIONAL = {*DEFAULTS, "takes_empty", "empty_query", "choices", "defaults", "summaries"}


def _definition(path: Path) -> Definition:
    own, body = header_and_body(path)
    header = {**DEFAULTS, **own}
    if wrong := own.keys() - _REQUIRED - _OPTIONAL:
        raise ValueError(f"{path.name}: unknown fields: {', '.join(sorted(wrong))}. sql/README.md lists the fields")
    if wrong := _REQUIRED - own.keys():
        raise ValueError(f"{path.name}: missing fields: {', '.join(sorted(wrong))}")
    if header["row_source"] not in row_sources():
        raise ValueError(f"{path.name}: row_source must be one of {', '.join(row_sources())}")
    empty = header["empty"]
    source = row_sources()[header["row_source"]]
    if header.get("takes_empty", not source.paired and source.input != LISTS):
        header = _with_empty(header)
    for rows in (header["reads"], *(rows for values in header["reads_with"].values() for rows in values.values())):
        if rows not in source.rows:
            raise ValueError(
                f"{path.name}: reads must be one of {', '.join(source.rows)} for {source.name}, got {rows!r}"
            )
    known = {
        "parameters": parameters_of(header),
        "row_source": source,
        "empty": None if empty == "null" else float(empty),
        "needs": tuple(map(_need, header["needs"])),
    }
    return Definition(macro=path.stem, body=body, **{name: header[name] for name in (*_REQUIRED, *DEFAULTS)} | known)


def _with_empty(header: dict[str, Any]) -> dict[str, Any]:
    """Return the header with the parameter `empty`, which each measure of relevance has."""
    defaults, choices, summaries = ({**header.get(table, {})} for table in ("defaults", "choices", "summaries"))
    defaults["empty"] = _EMPTY[header["empty"]]
    usual = parameters()["empty"]
    summaries["empty"] = usual.summary.replace(_EMPTY_QUERY, header.get("empty_query", _EMPTY_QUERY))
    if header["better"] == "lower":
        # The best value is 0, not 1.
        choices["empty"] = [choice for choice in usual.choices if choice != NONE_RETRIEVED]
        summaries["empty"] = summaries["empty"].rpartition(";")[0]
    tables = {"defaults": defaults, "choices": choices, "summaries": summaries}
    return {**header, **tables, "parameters": [*header["parameters"], "empty"]}


def _need(text: str) -> Need:
    """Parse TABLE, TABLE.COLUMN or TABLE.COLUMN if PARAMETER = VALUE."""
    match = re.fullmatch(r"(\w+)(?:\.(\w+))?(?: if (\w+) = (\w+))?", text)
    if match is None or match[1] not in TABLES or (match[2] and match[2] not in TABLES[match[1]][1]):
        raise ValueError(f"needs: {text!r} is not TABLE.COLUMN if PARAMETER = VALUE")
    return Need(*(part or "" for part in match.groups()))
