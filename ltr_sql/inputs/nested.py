"""Values in nested columns, by paths such as retrieved[].doc.id."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import duckdb

from ltr_sql.errors import InputError
from ltr_sql.rendering.dialects import DUCKDB, string

_PATH = re.compile(r"([^.\[\]]+)(\[\]|\.[^.\[\]]+)+")
_STEP = re.compile(r"\[\]|[^.\[\]]+")
LIST = "[]"
# The column that says that a list has no entries.
EMPTY = "__ltr_empty"
# The steps of a path: a column, then names of values in objects, and `[]` for each entry of a list.
Steps = tuple[str, ...]
# Names of ids and numbers in nested columns, the most telling first.
_NAMES = {
    "doc_id": (
        "doc_id",
        "docid",
        "docno",
        "document_id",
        "chunk_id",
        "passage_id",
        "item_id",
        "product_id",
        "id",
        "_id",
    ),
    "score": ("score", "similarity", "_score"),
    "relevance": ("relevance", "grade", "rel", "label"),
}
_QUERIES = ("query_id", "qid", "question_id", "search_id", "user_id", "id", "_id", "query", "question")


def root_of(path: str) -> str | None:
    """Return the column of a path into nested values, such as retrieved for retrieved[].id. None for other names."""
    match = _PATH.fullmatch(path)
    return match[1] if match else None


def unnested(relation: str, columns: Mapping[str, str], paths: Mapping[str, str], ranked: bool) -> str:
    """Return the query of a table with one row per entry of the lists that paths name.

    A list without entries has one row, in which the column `EMPTY` is true and the values of entries are NULL.

    - `relation`, `columns`: the table, and the type of each column. Text is read as JSON.
    - `paths`: maps paths to the names of columns of the result. Other columns without nested values are kept.
    - `ranked`: true to add the position in the list as rank.

    Lists that stand side by side are read together, and must have equal lengths. Raises InputError for a path that
    the columns do not have.
    """
    steps = {path: tuple(_STEP.findall(path)) for path in paths}
    roots = {parts[0] for parts in steps.values()}
    parsed = {root for root in roots if columns[root] in ("VARCHAR", "JSON")}
    for path, parts in steps.items():
        if parts[0] not in parsed:
            _check(path, parts, duckdb.sqltypes.DuckDBPyType(columns[parts[0]]))
    structures = {root: _structure([parts[1:] for parts in steps.values() if parts[0] == root]) for root in parsed}
    replaced = [
        f"from_json_strict(cast(t.{_quoted(root)} as json), {string(json.dumps(structure))}) as {_quoted(root)}"
        for root, structure in structures.items()
    ]
    replace = f" replace ({', '.join(replaced)})" if replaced else ""
    query = f"select t.*{replace}, row_number() over () as __ltr_row from {relation} as t"
    entries: dict[Steps, str] = {}
    depth = max(parts.count(LIST) for parts in steps.values())
    for level in range(1, depth + 1):
        lists = dict.fromkeys(prefix for parts in steps.values() for prefix in _prefixes(parts, level))
        values = [_value(prefix, entries) for prefix in lists]
        same = _same_length(values, [*lists])
        for number, prefix in enumerate(lists):
            entries[*prefix, LIST] = f"__ltr_entry_{level}_{number}"
        unnest = [
            f"unnest({_or_one_null(value, same if number == 0 else value)}) as __ltr_entry_{level}_{number}"
            for number, value in enumerate(values)
        ]
        positions = _or_one_null(values[0], f"range(1, len({values[0]}) + 1)")
        unnest.append(f"unnest({positions}) as __ltr_position_{level}")
        query = f"select s.*, {', '.join(unnest)} from ({query}) as s"
    kept = [f"s.{_quoted(name)}" for name in columns if name not in roots]
    found = [f"{_value(parts, entries)} as {_quoted(paths[path])}" for path, parts in steps.items()]
    places = [f"s.__ltr_position_{level}" for level in range(1, depth + 1)]
    empty = " or ".join(f"{place} is null" for place in places) or "false"
    ranks = f"row_number() over (partition by s.__ltr_row, {empty} order by {' asc, '.join(places)} asc) as rank"
    values = [*kept, *found, *([ranks] if ranked and depth else []), f"{empty} as {EMPTY}"]
    return f"select {', '.join(values)} from ({query}) as s"


def suggested(columns: Mapping[str, str], role: str) -> list[dict[str, str]]:
    """Return each way to name the nested documents of a table: paths and columns -> ours. Empty if there is none.

    A list that also holds the scores of a run, or the grades of judgments, is the only way.
    """
    leaves = [leaf for name, kind in columns.items() for leaf in _leaves((name,), kind) if LIST in leaf]
    number = "relevance" if role == "qrels" else "score"
    query = next((column for name in _QUERIES for column in columns if column.lower() == name), None)
    of_query = {} if query in (None, "query_id") else {str(query): "query_id"}
    found = []
    for place in dict.fromkeys(map(_list_of, leaves)):
        inside = [leaf for leaf in leaves if _list_of(leaf) == place]
        document = _first(inside, "doc_id") or next((leaf for leaf in inside if leaf == place), None)
        if document is None:
            continue
        numbers = _first(inside, number)
        named = {**of_query, _text(document): "doc_id"}
        if numbers is not None:
            return [{**named, _text(numbers): number}]
        found.append(named)
    return found


def _first(leaves: Sequence[Steps], name: str) -> Steps | None:
    """Return the leaf whose name is the most telling for one of our columns."""
    return next((leaf for known in _NAMES[name] for leaf in leaves if leaf[-1].lower() == known), None)


def _leaves(steps: Steps, kind: Any) -> Iterator[Steps]:
    """Yield the steps to each value in a nested column."""
    kind = duckdb.sqltypes.DuckDBPyType(kind) if isinstance(kind, str) else kind
    if kind.id in ("list", "array"):
        yield from _leaves((*steps, LIST), kind.children[0][1])
    elif kind.id == "struct":
        for name, child in kind.children:
            yield from _leaves((*steps, name), child)
    else:
        yield steps


def _list_of(steps: Steps) -> Steps:
    """Return the steps to the innermost list."""
    return steps[: len(steps) - steps[::-1].index(LIST)]


def _text(steps: Steps) -> str:
    """Return steps as a path."""
    return ".".join(steps).replace(f".{LIST}", LIST)


def _prefixes(steps: Steps, level: int) -> list[Steps]:
    """Return the steps before the list of a level, if there is one."""
    places = [place for place, step in enumerate(steps) if step == LIST]
    return [steps[: places[level - 1]]] if len(places) >= level else []


def _value(steps: Steps, entries: Mapping[Steps, str]) -> str:
    """Return SQL of the value at steps. `entries`: the columns that hold entries of lists."""
    longest = max((prefix for prefix in entries if steps[: len(prefix)] == prefix), key=len, default=steps[:1])
    sql = f"s.{_quoted(entries.get(longest, steps[0]))}"
    return sql + "".join(f"[{string(name)}]" for name in steps[len(longest) :])


def _same_length(values: Sequence[str], lists: Sequence[Steps]) -> str:
    """Return SQL of the first list, which raises an error if another one has a different length."""
    if len(values) == 1:
        return values[0]
    names = " and ".join(map(_text, lists))
    lengths = " or ".join(f"coalesce(len({values[0]}), 0) <> coalesce(len({value}), 0)" for value in values[1:])
    message = string(f"the lists {names} of a row have different lengths")
    return f"case when {lengths} then error({message}) else {values[0]} end"


def _or_one_null(value: str, entries: str) -> str:
    """Return SQL of `entries`, or of a list with one NULL if the list `value` has none."""
    return f"case when coalesce(len({value}), 0) = 0 then [null] else {entries} end"


def _structure(paths: Collection[Steps]) -> Any:
    """Return the structure that `from_json` reads, with text for each value. `paths` are the steps below the column."""
    if () in paths:
        if len({*paths}) > 1:
            raise InputError("columns: one path ends where another goes on: name single values")
        return "VARCHAR"
    first = {steps[0] for steps in paths}
    if LIST in first:
        if len(first) > 1:
            raise InputError(
                "columns: one path reads a list as an object: write [] after the name of a list in each path"
            )
        return [_structure([steps[1:] for steps in paths])]
    return {name: _structure([steps[1:] for steps in paths if steps[0] == name]) for name in sorted(first)}


def _check(path: str, steps: Steps, kind: Any) -> None:
    """Raise InputError if a column has no value at a path. `kind`: its type."""
    for place, step in enumerate(steps[1:], start=1):
        here = _text(steps[:place])
        if kind.id in ("list", "array"):
            if step != LIST:
                raise InputError(f"columns: {here} is a list: write {here}[] in {path!r}")
            kind = kind.children[0][1]
        elif step == LIST:
            raise InputError(f"columns: {here} is not a list: leave out the [] after it in {path!r}")
        elif kind.id == "struct":
            names = {name.lower(): child for name, child in kind.children}
            if step.lower() not in names:
                raise InputError(
                    f"columns: {here} has no value {step!r} for {path!r}, only {', '.join(n for n, _ in kind.children)}"
                )
            kind = names[step.lower()]
        elif kind.id == "map":
            kind = kind.children[1][1]
        else:
            raise InputError(f"columns: {here} holds no objects, so {path!r} has no value")
    if kind.id in ("list", "array", "struct", "map"):
        inside = [_text(leaf) for leaf in _leaves(steps, kind)]
        raise InputError(f"columns: {path!r} holds nested values: name one of them, such as {inside[0]!r}")


def _quoted(name: str) -> str:
    return DUCKDB.identifier(name)
