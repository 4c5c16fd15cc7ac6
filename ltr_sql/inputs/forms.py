"""How the caller's tables are read: the names of their columns, and the rank of the first document."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from ltr_sql.catalogue.conventions import conventions
from ltr_sql.catalogue.options import Reading, options_of
from ltr_sql.errors import InputError
from ltr_sql.inputs.names import root_of
from ltr_sql.inputs.tables import COLUMNS, OTHER_COLUMNS, Table, listed_names

ROLES = {
    "run": "the rankings",
    "qrels": "the judgments",
    "values": "the table of values",
    "weights": "the weights",
    "human": "people's judgments",
    "clusters": "the clusters",
    "documents": "the table of documents",
    "history": "the history",
    "targets": "the table of targets",
    "baseline": "the baseline",
    "log": "the log",
    "asked": "the queries that were asked",
}
# Tables that a call reads besides the one that it is about. They follow names of that one only where they lack ours.
_OTHERS = ("qrels", "weights", "documents", "history", "targets", "asked")
_RANKS = ("rank", "rank_a", "rank_b")
_BEIR = {"query-id": "query_id", "corpus-id": "doc_id"}
_EXAMPLE = "such as {'user_id': 'query_id', 'item_id': 'doc_id'}"


@dataclass(frozen=True, eq=False)
class Asked:
    """The queries that were asked, as the caller gives them. Only an object itself is equal to it."""

    given: Any


@dataclass(frozen=True)
class InputForm:
    """How the tables of a call are read: see `catalogue.options.Reading`.

    - `shared`: maps the caller's column names to ours, in the run or log. Other tables follow a name if they have this
      column and lack ours. A name may be a path into nested values, which other tables do not follow.
    - `tables`: maps of single tables, by their role (see `ROLES`).
    - `ranks_from`: the rank of the first document.
    - `grades`: numbers for texts in relevance.
    - `qrels_duplicates`, `duplicates`, `unjudged`, `asked`: how a run is joined with its judgments.
    - `by_system`: true if the call groups by system. Each run id, and each of several files, is then a system.
    - `one_run`: true if the call follows the convention of a tool. A file is then one run, whatever its run ids.
    - `truncating`: the convention of the call, if its tool reads grades without their fraction.
    """

    shared: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    ranks_from: int = 1
    grades: Mapping[str, float] = field(default_factory=dict)
    qrels_duplicates: str = "error"
    duplicates: str = "error"
    unjudged: str = "drop"
    asked: "Asked | None" = None
    by_system: bool = field(default=False, compare=False)
    one_run: bool = field(default=False, compare=False)
    truncating: str = field(default="", compare=False)

    def known_name(self, role: str, column: str) -> str:
        """Return our name of a column of a table, in lower case."""
        return self.tables.get(role, {}).get(column, self.shared.get(column, column)).lower()

    def columns_of(self, role: str) -> set[str]:
        """Return the caller's columns that a table of this role may have."""
        names = {*self.shared, *self.tables.get(role, {})}
        # The name of a column, such as 0.5, may look like a path.
        return names | {root for root in map(root_of, names) if root is not None}

    def roots(self, role: str) -> set[str]:
        """Return the columns of nested values that paths of a table may name."""
        paths = {*self.tables.get(role, {}), *(self.shared if role not in _OTHERS else ())}
        return {root for root in map(root_of, paths) if root is not None}

    def names_in(self, role: str, columns: Collection[str]) -> dict[str, str]:
        """Return the names that a table with these columns follows: its own, then those of `shared`.

        Raises InputError if its own names are not columns, and if two columns would have the same name.
        """
        own = self.tables.get(role, {})
        if role in _OTHERS:
            _require(own, role, columns)
        found = {old: new for old, new in own.items() if _has(columns, old)}
        taken = {*found, *found.values(), *(columns if role in _OTHERS else ())}
        for old, new in self.shared.items():
            if _has(columns, old, role not in _OTHERS) and old not in found and (new not in taken or old == new):
                found[old] = new
        for old, new in found.items():
            _refuse_two(role, old, new, found, columns)
            root = None if old in columns else root_of(old)
            if root in found:
                raise InputError(f"columns: {root!r} is named {found[root]}, so it holds no values of {old!r}")
        return found

    @property
    def joining(self) -> dict[str, object]:
        """The options about the join of a run with its judgments that do not have their defaults."""
        options = {"duplicates": self.duplicates, "unjudged": self.unjudged, "asked": self.asked}
        return {name: value for name, value in options.items() if value != getattr(AS_GIVEN, name)}

    def ranks_in(self, role: str, columns: Collection[str]) -> list[str]:
        """Return the columns of a table whose ranks count from 0."""
        ranked = role in ("run", "baseline", "log") and self.ranks_from == 0
        return [name for name in _RANKS if name in columns] if ranked else []


AS_GIVEN = InputForm()


def input_form(given: Mapping[str, Any] | None) -> InputForm:
    """Return the options of `catalogue.options.Reading` as a form.

    `given` may also have `keys`, `by` and `convention`. Its other options are ignored. Raises InputError for values
    that are not allowed.
    """
    given = given or {}
    columns, of_qrels, first = given.get("columns") or {}, given.get("qrels_columns") or {}, given.get("ranks_from")
    by_system = "system" in (*(given.get("keys") or ()), given.get("by"))
    convention = given.get("convention")
    if first is not None:
        options_of(Reading)["ranks_from"].check(first)
    if not isinstance(columns, Mapping):
        raise InputError(f"columns must be a mapping of your names to ours, {_EXAMPLE}, got {columns!r}")
    tables = {name: names for name, names in columns.items() if isinstance(names, Mapping)}
    shared = {name: ours for name, ours in columns.items() if name not in tables}
    for role in tables:
        if role not in ROLES:
            raise InputError(f"columns: {role!r} is not a table, only {', '.join(ROLES)} may have names of their own")
    if of_qrels:
        if "qrels" in tables:
            raise InputError("the judgments have names in columns and in qrels_columns: pass them once")
        tables["qrels"] = of_qrels
    checked = {role: _checked(option_of(role), names) for role, names in tables.items()}
    return InputForm(
        _checked("columns", shared),
        checked,
        1 if first is None else first,
        by_system=by_system,
        one_run=convention is not None and not by_system,
        truncating=_truncating(convention),
        **_further(given),
    )


def _truncating(convention: Any) -> str:
    """Return the name of a convention if its tool reads grades without their fraction, else ''."""
    found = None if convention is None else conventions().get(str(convention).lower())
    return found.name if found is not None and found.grades == "whole" else ""


def _further(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options about grades and the join that do not have their defaults."""
    further: dict[str, Any] = {}
    for name in ("qrels_duplicates", "duplicates", "unjudged"):
        option = options_of(Reading)[name]
        if given.get(name, option.default) != option.default:
            option.check(given[name])
            further[name] = given[name]
    if given.get("grades") is not None:
        further["grades"] = read_grades(given["grades"])
    if given.get("asked") is not None:
        further["asked"] = Asked(given["asked"])
    return further


def read_grades(given: Any) -> dict[str, float]:
    """Return the numbers of texts. Raises InputError unless they are a mapping of texts to finite numbers."""
    example = "such as {'Exact': 3, 'Irrelevant': 0}"
    if not isinstance(given, Mapping) or not given:
        raise InputError(f"grades must be a mapping of texts to numbers, {example}, got {given!r}")
    for text, grade in given.items():
        if not isinstance(text, str):
            raise InputError(f"grades: {text!r} is not a text: grades are for texts, {example}, and gains for numbers")
        if isinstance(grade, bool) or not isinstance(grade, Real) or not math.isfinite(grade):
            raise InputError(f"grades: the grade of {text!r} must be a finite number, got {grade!r}")
    return {text: float(grade) for text, grade in given.items()}


def check_ranks_from_0(rows: Callable[[str], list[Any]], table: Table, ranks: Sequence[str]) -> None:
    """Raise InputError if one of the columns has no rank 0. `rows` returns the rows of a query."""
    smallest = ", ".join(f"min(try_cast(t.{name} as double))" for name in ranks)
    for name, first in zip(ranks, rows(f"select {smallest} from {table.sql} as t")[0], strict=True):
        if first is not None and first > 0:
            raise InputError(
                f"ranks_from=0, but no {name} is 0: the smallest is {first:g}. Leave out ranks_from for ranks that "
                "count from 1"
            )


def option_of(role: str) -> str:
    """Return the option that names the columns of a table, for messages."""
    return "qrels_columns" if role == "qrels" else f"columns of {role}"


def beir_names(role: str, columns: Collection[str]) -> dict[str, str]:
    """Return the names of a table with BEIR's header: query-id, corpus-id, score. Empty for other tables."""
    if not {*_BEIR} <= {*columns} or {*_BEIR.values()} & {*columns}:
        return {}
    graded = role == "qrels" and "score" in columns and "relevance" not in columns
    return {**_BEIR, "score": "relevance"} if graded else _BEIR


def _checked(what: str, names: Any) -> dict[str, str]:
    """Return a mapping of the caller's column names to ours. Raises InputError for names that we lack."""
    if not isinstance(names, Mapping) or not all(isinstance(name, str) for pair in names.items() for name in pair):
        raise InputError(f"{what} must be a mapping of your names to ours, {_EXAMPLE}, got {names!r}")
    known = dict.fromkeys([*COLUMNS, *OTHER_COLUMNS])
    for name in names.values():
        if name not in known:
            raise InputError(f"{what}: cannot rename to {name!r}, only to {', '.join(known)}")
    return dict(names)


def _has(columns: Collection[str], name: str, nested: bool = True) -> bool:
    """Return whether a table has a column, or with `nested` the column that holds the values of a path."""
    return name in columns or (nested and root_of(name) in columns)


def _require(names: Mapping[str, str], role: str, columns: Collection[str]) -> None:
    """Raise InputError if a name of a table is not its column."""
    for name in names:
        if not _has(columns, name):
            raise InputError(f"{option_of(role)}: no column {name!r} in {ROLES[role]}, only {listed_names(columns)}")


def _refuse_two(role: str, old: str, new: str, found: Mapping[str, str], columns: Collection[str]) -> None:
    """Raise InputError if a table would have two columns of the name `new`."""
    same = [name for name, ours in found.items() if ours == new]
    if len(same) > 1:
        raise InputError(
            f"columns: {new!r} is given to both {same[0]!r} and {same[1]!r} of {ROLES[role]}: name one of them. Pass "
            "names of the judgments as qrels_columns"
        )
    if old != new and new in columns and new not in found:
        raise InputError(
            f"columns names {old!r} as {new}, but a table has both ({ROLES[role]}): leave one of them out. If {old!r} "
            "is a column of the judgments, pass it as qrels_columns"
        )
