"""The functions beside measures that files in `sql/` declare: relations, procedures, builders and row sources."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ltr_sql.catalogue.files import SQL_FOLDER, header_and_body
from ltr_sql.catalogue.parameters import Parameter, parameter_of, parameters_of
from ltr_sql.errors import InputError

# Tie-breaking rules that depend on the grades of tied documents or on all their orders, and the error for rows without
# a document in such an order.
WITHOUT_ORDER = ("worst", "best", "expected")
NO_WASTED_RANKS = (
    "duplicates='wasted' keeps the rank of a repeated document, which needs one order of tied documents: pass "
    "ties='docid_desc', or duplicates='first'"
)


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

    def options(self, **given: Any) -> dict[str, Any]:
        """Return the options that are given, and the defaults of the others.

        Raises InputError for options that exclude each other.
        """
        options = {parameter.name: parameter.default for parameter in self.parameters} | given
        if options.get("duplicates") == "wasted" and options["ties"] in WITHOUT_ORDER:
            raise InputError(f"{NO_WASTED_RANKS}, got ties={options['ties']!r}")
        return options


@cache
def relations() -> dict[str, Relation]:
    """Return the relations by macro name."""
    paths = sorted((SQL_FOLDER / "relations").glob("*.sql"))
    return {path.stem: _relation(path) for path in paths}


def _relation(path: Path) -> Relation:
    header, body = header_and_body(path)
    own = {name: header[name] for name in ("summary", "inputs", "reads", "gives")}
    return Relation(macro=path.stem, **own, parameters=parameters_of(header), body=body)


# Folder of each kind of procedure. 'test', 'adjust' and 'ci' are options of comparisons, and 'norm' is one of `fuse`.
# The others are methods of builders.
FOLDERS = {
    "test": "tests",
    "adjust": "adjustments",
    "ci": "intervals",
    "fusion": "fusion",
    "norm": "norms",
    "click_model": "clicks",
    "propensity": "propensities",
    "merging": "merging",
    "pooling": "pooling",
    "grouping": "grouping",
    "estimator": "off_policy",
}


@dataclass(frozen=True)
class Procedure:
    """A procedure that an option names, such as a test, a correction, an interval, a fusion method or a click model.

    - `kind`: a key of `FOLDERS`; `name`: the value of the option and the name of the file.
    - `summary`: description in sentences; `reference`: the publication that defines the procedure.
    - `body`: template of its SQL.
    - `fields`: the other fields of its header, which depend on the kind.

    The bodies of tests, corrections and intervals are queries with one row per pair of systems. Fields of a test:

    - `statistic`: the meaning of the column `statistic`.
    - `too_few` (optional): SQL that is true if a pair of systems has too few queries.

    The body of a norm is the normalised score of a document. The body of a fusion method combines the values of a
    document in each run, or its normalised scores. Fields of a fusion method:

    - `reads`: 'ranks' or 'scores'; `weighted`: true if it takes weights.
    - `value`: the value of a document in a run, if the method reads ranks.
    - `absent` (optional, also of a norm): the value of a document that a run lacks. Without it, only the runs that hold
      a document count.
    """

    kind: str
    name: str
    summary: str
    reference: str
    body: str
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def title(self) -> str:
        """The name of the procedure for sentences, with which its summary starts."""
        return self.summary.partition(":")[0].partition(".")[0]


@cache
def procedures(kind: str) -> Mapping[str, Procedure]:
    """Return the procedures of a kind (a key of `FOLDERS`) by name, in alphabetical order."""
    found = {}
    for path in sorted((SQL_FOLDER / FOLDERS[kind]).glob("*.sql")):
        header, body = header_and_body(path)
        given = {name: header.pop(name) for name in ("summary", "reference")}
        found[path.stem] = Procedure(kind=kind, name=path.stem, body=body, fields=header, **given)
    return found


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


def reads_num_ret(rows: str) -> bool:
    """Return whether the number of retrieved documents is read with these rows."""
    return rows in ("all", "counted")


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
    - `strata`: true if it reads subtopics as the strata of sampled judgments.
    """

    name: str
    summary: str
    input: str
    body: str
    rows: tuple[str, ...] = ("relevant",)
    recursive: bool = False
    by_rank: Mapping[str, str] = field(default_factory=dict, hash=False)
    over: str = "query"
    tables: tuple[str, ...] = ()
    reads_ranks: bool = False
    without_lists: bool = False
    strata: bool = False

    @property
    def paired(self) -> bool:
        """True if it compares two rankings."""
        return self.input in ("pairs", "scored_pairs")


@cache
def row_sources() -> dict[str, RowSource]:
    """Return the row sources by name."""
    found = {}
    for path in sorted((SQL_FOLDER / "row_sources").rglob("*.sql"), key=lambda path: path.stem):
        header, body = header_and_body(path)
        header["summary"] = " ".join(header["summary"].split())
        found[path.stem] = RowSource(name=path.stem, body=body, **header)
    return found


@dataclass(frozen=True)
class Builder:
    """A macro such as `ltr.click_judgments`, defined by a file in `sql/builders/`.

    - `inputs`: parameters of the macro that name tables.
    - `columns`: required columns of the first input; a method may read more.
    - `reads`: description of the columns of these tables; `gives`: description of the columns of the result.
    - `option`: the parameter that names a method, or empty. `kind`: the kind of these methods. `default`: the default
      of the parameter. `many`: true if it takes a list of methods.
    - `combined`: template of a query over `__ltr_queries`, the rows of all methods. If empty, the result is these rows.
    - `options`: the other parameters. A parameter of type 'table', 'weights' or 'query' is a further input. Only other
      macros of the package pass one with `sql = false`.
    - `keys`: the default of its grouping columns. The first names the run of a row, and forms no groups.
    - `body`: template of the query, which includes the body of the method.
    """

    name: str
    summary: str
    inputs: tuple[str, ...]
    columns: tuple[str, ...]
    reads: str
    gives: str
    options: tuple[Parameter, ...]
    body: str
    option: str = ""
    kind: str = ""
    default: str | None = None
    many: bool = False
    combined: str = ""
    reference: str = ""
    keys: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """Return the name of its command."""
        return self.name.replace("_", "-")

    @property
    def methods(self) -> Mapping[str, Procedure]:
        """Return the methods by name; empty for a builder without methods."""
        return procedures(self.kind) if self.kind else {}


@cache
def builders() -> Mapping[str, Builder]:
    """Return the builders by macro name."""
    return {path.stem: _builder(path.stem) for path in sorted((SQL_FOLDER / "builders").glob("*.sql"))}


def _builder(name: str) -> Builder:
    header, body = header_and_body(SQL_FOLDER / "builders" / f"{name}.sql")
    options = tuple(parameter_of(option, entry) for option, entry in header.pop("options", {}).items())
    combined, kind = header.pop("combined", "").strip(), header.pop("procedures", "")
    return Builder(name=name, options=options, body=body, combined=combined, kind=kind, **header)
