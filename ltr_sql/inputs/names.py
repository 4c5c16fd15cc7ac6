"""Names of columns: in other tools, by paths such as retrieved[].doc.id, and for messages."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import duckdb

from ltr_sql.errors import InputError
from ltr_sql.rendering.dialects import DUCKDB, string

# Column names in other tools, the most likely one first.
ELSEWHERE = {
    "query_id": ("qid", "query-id", "search_id", "query", "topic", "topic_id", "session_id", "user_id", "user"),
    "doc_id": (
        *("docno", "docid", "did", "doc", "document", "document_id", "corpus-id", "chunk_id", "passage_id", "pid"),
        *("item_id", "item", "product_id", "sku"),
    ),
    "score": ("sim", "similarity", "prediction", "predicted"),
    "relevance": ("rel", "label", "grade", "rating", "gain", "judgment"),
    "rank": ("position", "pos"),
    "category": ("genre", "genres", "categories"),
}
# Words for what is searched with, and for what is found.
SEARCHES = "query|search|question|topic"
DOCUMENTS = "doc|document|corpus|passage|chunk|page|article|item|product|offer|sku|asin|movie|book|song|track|video"
# What further names of ids look like, such as search_term and movieId.
_LIKE_IDS = {
    "query_id": re.compile(f"({SEARCHES}|user|customer|visitor)(_(id|key|number|term|text|phrase))?"),
    "doc_id": re.compile(f"({DOCUMENTS})(_(id|key|number))?"),
}
# What RecBole adds to a name, as in user_id:token.
_TYPE = re.compile(":(token|float)(_seq)?$")
_NEW_WORD = re.compile("(?<=[a-z0-9])(?=[A-Z])|[ -]")
# Words in names of columns of grades, such as esci_label or isRelevant.
_WORD = re.compile("[A-Z]?[a-z]+")
_WORDS_OF_GRADES = {
    word
    for name in ("relevance", "relevant", "judgement", "esci", *ELSEWHERE["relevance"])
    for word in (name, name.title())
}


def names_elsewhere(name: str, columns: Iterable[str], *further: str) -> list[str]:
    """Return the columns that may hold our column `name` under names of other tools, or under `further` names.

    The most likely one is first.
    """
    columns, names = [*columns], [*ELSEWHERE.get(name, ()), *further]
    found = [column for column in columns if without_type(column).lower() in names]
    found.sort(key=lambda column: names.index(without_type(column).lower()))
    if name in _LIKE_IDS and not found:
        # userId is user_id.
        return [column for column in columns if _LIKE_IDS[name].fullmatch(in_snake_case(column))]
    if name == "relevance" and not found:
        return [column for column in columns if has_word_of_grades(column)]
    return found


def is_like_an_id(name: str) -> bool:
    """Return whether a name looks like that of a query or of a document."""
    return any(pattern.fullmatch(in_snake_case(name)) for pattern in _LIKE_IDS.values())


def has_word_of_grades(name: str) -> bool:
    """Return whether a word of a name is one for grades."""
    return bool(_WORDS_OF_GRADES & {*_WORD.findall(name)})


def without_type(name: str) -> str:
    """Return a name without the type that RecBole adds."""
    return _TYPE.sub("", name)


def in_snake_case(name: str) -> str:
    """Return a name such as userId, user id or user-id as user_id, without the type that RecBole adds."""
    return _NEW_WORD.sub("_", without_type(name)).lower()


_NAME = r"[^.\[\]{}]+"
_PATH = re.compile(rf"({_NAME})(?=.)(\[\]|\{{\}}|\.{_NAME})*(\{{key\}})?")
_STEP = re.compile(rf"\[\]|\{{\}}|\{{key\}}|{_NAME}")
# Steps to each entry of a list, to each value of an object whose keys are ids, and to the key of this value.
LIST, VALUES, KEY = "[]", "{}", "{key}"
ENTRIES = (LIST, VALUES)
# The column that says that a list has no entries.
EMPTY = "__ltr_empty"
# Ids of nested types.
NESTED = ("list", "array", "struct", "map")
# The steps of a path: a column, then names of values in objects and the steps above. `VALUES` stands before `KEY`.
Steps = tuple[str, ...]


def root_of(path: str) -> str | None:
    """Return the column of a path into nested values, such as retrieved for retrieved[].id. None for other names."""
    match = _PATH.fullmatch(path)
    return match[1] if match else None


def steps_of(path: str) -> Steps:
    """Return the steps of a path."""
    *steps, last = _STEP.findall(path)
    return (*steps, VALUES, KEY) if last == KEY else (*steps, last)


def depth_of(path: str) -> int:
    """Return the number of lists, and of objects whose keys are ids, on a path."""
    return len(_scopes(steps_of(path)))


def path_of(steps: Steps) -> str:
    """Return steps as a path."""
    text = ".".join(steps).replace(f"{VALUES}.{KEY}", KEY)
    return re.sub(r"\.([\[{])", r"\1", text)


def read_as_json(columns: Mapping[str, str], paths: Collection[Steps]) -> set[str]:
    """Return the columns of paths that are read as JSON: texts, and objects whose keys are ids."""
    return {steps[0] for steps in paths if is_json(columns[steps[0]]) or VALUES in steps}


def is_json(kind: str) -> bool:
    """Return whether a type holds texts that are read as JSON."""
    return kind in ("VARCHAR", "JSON")


def unnested(
    relation: str, columns: Mapping[str, str], paths: Mapping[str, str], ranked: bool, single: Collection[str]
) -> str:
    """Return the query of a table with one row per entry of the lists that paths name.

    A list without entries has one row, in which the column `EMPTY` is true and the values of entries are NULL.

    - `relation`, `columns`: the table, and the type of each column. Text is read as JSON.
    - `paths`: maps paths to the names of columns of the result. Other columns without nested values are kept.
    - `ranked`: true to add the position among the documents of the query as rank.
    - `single`: names of columns of the result that must not hold objects and lists.

    Lists that stand side by side are read together, and must have equal lengths. Raises InputError for a path that
    the columns do not have.
    """
    steps = {path: steps_of(path) for path in paths}
    roots = {parts[0] for parts in steps.values()}
    parsed = read_as_json(columns, steps.values())
    for path, parts in steps.items():
        if not is_json(columns[parts[0]]):
            check_path(path, duckdb.sqltypes.DuckDBPyType(columns[parts[0]]))
    replaced = []
    for root in sorted(parsed):
        structure = _structure([parts[1:] for parts in steps.values() if parts[0] == root])
        value = f"cast(t.{_quoted(root)} as json)" if is_json(columns[root]) else f"to_json(t.{_quoted(root)})"
        replaced.append(f"from_json_strict({value}, {string(json.dumps(structure))}) as {_quoted(root)}")
    replace = f" replace ({', '.join(replaced)})" if replaced else ""
    query = f"select t.*{replace}, row_number() over () as __ltr_row from {relation} as t"
    entries: dict[Steps, str] = {}
    depth = max(map(depth_of, paths))
    for level in range(1, depth + 1):
        lists = dict.fromkeys(prefix for parts in steps.values() for prefix in _scopes(parts)[level - 1 : level])
        values = [_entries(prefix, entries) for prefix in lists]
        same = _same_length(values, [*lists])
        for number, prefix in enumerate(lists):
            entry = f"s.__ltr_entry_{level}_{number}"
            entries[prefix] = f"{entry}['value']" if prefix[-1] == VALUES else entry
            entries[(*prefix, KEY)] = f"{entry}['key']"
        unnest = [
            f"unnest({_or_one_null(value, same if number == 0 else value)}) as __ltr_entry_{level}_{number}"
            for number, value in enumerate(values)
        ]
        positions = _or_one_null(values[0], f"range(1, len({values[0]}) + 1)")
        unnest.append(f"unnest({positions}) as __ltr_position_{level}")
        query = f"select s.*, {', '.join(unnest)} from ({query}) as s"
    kept = [f"s.{_quoted(name)}" for name in columns if name not in roots]
    found = [
        f"{_leaf(parts, entries, parts[0] in parsed, paths[path] * (paths[path] in single))} as {_quoted(paths[path])}"
        for path, parts in steps.items()
    ]
    places = [f"s.__ltr_position_{level}" for level in range(1, depth + 1)]
    empty = " or ".join(f"{place} is null" for place in places) or "false"
    # A list may hold documents of several queries.
    queries = [_value(parts, entries) for path, parts in steps.items() if paths[path] == "query_id"]
    ranking = ", ".join(["s.__ltr_row", *queries, empty])
    ranks = f"row_number() over (partition by {ranking} order by {' asc, '.join(places)} asc) as rank"
    values = [*kept, *found, *([ranks] if ranked and depth else []), f"{empty} as {EMPTY}"]
    return f"select {', '.join(values)} from ({query}) as s"


def _scopes(steps: Steps) -> list[Steps]:
    """Return the steps to the entries of each list on a path, and of each object whose keys are ids."""
    return [steps[:end] for end, step in enumerate(steps, start=1) if step in ENTRIES]


def _entries(prefix: Steps, entries: Mapping[Steps, str]) -> str:
    """Return SQL of a list of entries."""
    held = _value(prefix[:-1], entries)
    return f"map_entries({held})" if prefix[-1] == VALUES else held


def _value(steps: Steps, entries: Mapping[Steps, str]) -> str:
    """Return SQL of the value at steps. `entries`: SQL of the entries of lists."""
    longest = max((prefix for prefix in entries if steps[: len(prefix)] == prefix), key=len, default=steps[:1])
    sql = entries.get(longest) or f"s.{_quoted(steps[0])}"
    return sql + "".join(f"[{string(name)}]" for name in steps[len(longest) :])


def _leaf(steps: Steps, entries: Mapping[Steps, str], parsed: bool, single: str) -> str:
    """Return SQL of a single value. A value of JSON becomes text. `single`: its name if it must not be nested."""
    value = _value(steps, entries)
    if not parsed or steps[-1] == KEY:
        return value
    text = f"from_json_strict({value}, '\"VARCHAR\"')"
    if not single:
        return text
    start, end = string(f"columns: {single} is the nested value "), string(": name a single value in it by its path")
    message = f"error({start} || left(cast({value} as varchar), 80) || {end})"
    return f"case when json_type({value}) in ('OBJECT', 'ARRAY') then {message} else {text} end"


def _same_length(values: Sequence[str], lists: Sequence[Steps]) -> str:
    """Return SQL of the first list, which raises an error if another one has a different length."""
    if len(values) == 1:
        return values[0]
    names = " and ".join(path_of(prefix[:-1]) for prefix in lists)
    lengths = " or ".join(f"coalesce(len({values[0]}), 0) <> coalesce(len({value}), 0)" for value in values[1:])
    message = string(f"the lists {names} of a row have different lengths")
    return f"case when {lengths} then error({message}) else {values[0]} end"


def _or_one_null(value: str, entries: str) -> str:
    """Return SQL of `entries`, or of a list with one NULL if the list `value` has none."""
    return f"case when coalesce(len({value}), 0) = 0 then [null] else {entries} end"


def _structure(paths: Collection[Steps]) -> str:
    """Return the type that `from_json` reads, with JSON for each value. `paths` are the steps below the column."""
    if () in paths:
        if len({*paths}) > 1:
            raise InputError("columns: one path ends where another goes on: name single values")
        return "JSON"
    first = {steps[0] for steps in paths}
    if first & {*ENTRIES}:
        if len(first) > 1:
            raise InputError(
                "columns: one path reads a list as an object: write [] after the name of a list in each path"
            )
        inside = _structure([steps[1:] for steps in paths if steps[1:] != (KEY,)] or [()])
        return f"MAP(VARCHAR, {inside})" if VALUES in first else f"{inside}[]"
    names = ((name, [steps[1:] for steps in paths if steps[0] == name]) for name in sorted(first))
    return f"STRUCT({', '.join(f'{_quoted(name)} {_structure(below)}' for name, below in names)})"


def check_path(path: str, kind: Any) -> None:
    """Raise InputError if a column has no value at a path. `kind`: its type."""
    steps = steps_of(path)
    for place, step in enumerate(steps[1:], start=1):
        here = path_of(steps[:place])
        if step == KEY:
            return
        if kind.id in ("list", "array"):
            if step != LIST:
                raise InputError(f"columns: {here} is a list: write {here}[] in {path!r}")
            kind = kind.children[0][1]
        elif step == LIST:
            raise InputError(f"columns: {here} is not a list: leave out the [] after it in {path!r}")
        elif step == VALUES and kind.id in ("struct", "map"):
            kind = type_of_values(kind)
        elif kind.id == "struct":
            names = {name.lower(): child for name, child in kind.children}
            if step.lower() not in names:
                raise InputError(
                    f"columns: {here} has no value {step!r} for {path!r}, only {', '.join(n for n, _ in kind.children)}"
                )
            kind = names[step.lower()]
        elif kind.id == "map":
            kind = kind.children[1][1]
        elif str(kind) == "JSON":
            raise InputError(f"columns: {here} holds values of several forms, so {path!r} has no value in some rows")
        else:
            raise InputError(f"columns: {here} holds no objects, so {path!r} has no value")
    if kind.id in NESTED:
        inside = path_of(first_leaf(steps, kind))
        raise InputError(f"columns: {path!r} holds nested values: name one of them, such as {inside!r}")


def type_of_values(kind: Any) -> Any:
    """Return the type of the values of an object whose keys are ids. Some of them may be empty."""
    return (
        kind.children[1][1]
        if kind.id == "map"
        else max((held for _, held in kind.children), key=lambda held: len(str(held)))
    )


def first_leaf(steps: Steps, kind: Any) -> Steps:
    """Return the steps to the first value in a nested type."""
    while kind.id in NESTED:
        name, child = kind.children[-1 if kind.id == "map" else 0]
        steps = (*steps, LIST if kind.id in ("list", "array") else VALUES if kind.id == "map" else name)
        kind = child
    return steps


def _quoted(name: str) -> str:
    return DUCKDB.identifier(name)


# Names of ids and numbers in nested columns, the most telling first.
_NAMES = {
    "query_id": ("query_id", "qid", "question_id", "search_id", "user_id", "id", "_id", "query", "question", "q"),
    "doc_id": (
        *("doc_id", "docid", "docno", "document_id", "chunk_id", "passage_id", "item_id", "product_id", "id", "_id"),
    ),
    "score": ("score", "similarity", "_score"),
    "relevance": ("relevance", "grade", "rel", "label", "rating"),
}
# Names that say nothing about what they name.
_VAGUE = ("id", "_id")
# Names of the query that may stand beside a document.
_BESIDE_DOCUMENTS = ("query_id", "qid", "query")
# A key that is an id: it has a digit, a blank or another sign that names lack.
_ID = re.compile(r".*[^A-Za-z_].*")
_FRACTIONS = ("float", "double", "decimal")
_IDS = ("query_id", "doc_id")


def suggested(columns: Mapping[str, str], role: str) -> list[dict[str, str]]:
    """Return each way to name the nested documents of a table: paths and columns -> ours. Empty if there is none.

    A list that also holds the scores of a run, or the grades of judgments, is the only way.
    """
    leaves = {steps: kind for name, kind in columns.items() for steps, kind in _leaves((name,), _type(kind))}
    number = "relevance" if role == "qrels" else "score"
    found = []
    for place in dict.fromkeys(scope for leaf in leaves if (scope := _scope(leaf))):
        inside = [leaf for leaf in leaves if _scope(leaf) == place]
        document, numbers = _first(inside, "doc_id"), _first(inside, number)
        if place in inside and document is None:
            is_text = leaves[place].id in ("varchar", "sqlnull", "null")
            if place[-1] == LIST and leaves[place].id not in _FRACTIONS:
                document = place
            elif place[-1] == VALUES and not is_text:
                document, numbers = (*place, KEY), place
        if document is None:
            continue
        query = _query_of(place, [*leaves], document)
        named = {} if query in (None, ("query_id",)) else {path_of(query): "query_id"}
        named[path_of(document)] = "doc_id"
        if numbers is not None:
            return [{**named, path_of(numbers): number}]
        found.append(named)
    return found


def are_keyed(columns: Mapping[str, str]) -> bool:
    """Return whether the names of columns may be ids of queries: all hold nested values of one form."""
    kinds = [(name, _type(kind)) for name, kind in columns.items()]
    return all(kind.id in NESTED for _, kind in kinds) and _have_ids(kinds)


def _type(kind: str) -> Any:
    return duckdb.sqltypes.DuckDBPyType(kind)


def _leaves(steps: Steps, kind: Any) -> Iterator[tuple[Steps, Any]]:
    """Yield the steps to each value in a column, with its type."""
    if kind.id in ("list", "array"):
        yield from _leaves((*steps, LIST), kind.children[0][1])
    elif kind.id == "map" or (kind.id == "struct" and _have_ids(kind.children)):
        yield (*steps, VALUES, KEY), _type("VARCHAR")
        yield from _leaves((*steps, VALUES), type_of_values(kind))
    elif kind.id == "struct":
        for name, child in kind.children:
            yield from _leaves((*steps, name), child)
    else:
        yield steps, kind


def _have_ids(children: Sequence[tuple[str, Any]]) -> bool:
    """Return whether the names of an object are ids, and no names: their values have one form."""
    forms = [{name for name, _ in kind.children} if kind.id == "struct" else kind.id for _, kind in children]
    if any(_ID.fullmatch(name) for name, _ in children):
        alike = [form if isinstance(form, str) else "struct" for form in forms]
        return len({*alike}) == 1
    return len(forms) > 1 and isinstance(forms[0], set) and all(form == forms[0] for form in forms)


def _scope(steps: Steps) -> Steps:
    """Return the steps to the entries that hold a value: those of the innermost list, or none."""
    return [(), *_scopes(steps)][-1]


def _first(leaves: Sequence[Steps], name: str) -> Steps | None:
    """Return the leaf whose name is the most telling for one of our columns."""
    names = _NAMES[name]
    named = [(leaf, in_snake_case(leaf[-1])) for leaf in leaves]
    vague = min(map(names.index, {*_VAGUE} & {*names}), default=len(names))
    ranked = [
        ((min(at, vague), len(leaf), at), leaf) for leaf, last in named if last in names for at in [names.index(last)]
    ]
    if ranked:
        return min(ranked)[1]
    compound = [leaf for leaf, last in named if name not in _IDS or "_" in last]
    found = names_elsewhere(name, [leaf[-1] for leaf in compound])
    return next((leaf for leaf in compound if leaf[-1] in found[:1]), None)


def _query_of(place: Steps, leaves: Sequence[Steps], document: Steps) -> Steps | None:
    """Return the value that names the query of the documents at a place: the innermost one around them."""
    for scope in [*reversed(_scopes(place)), ()]:
        inside = [leaf for leaf in leaves if _scope(leaf) == scope and leaf[-1] != KEY and leaf != document]
        if scope == place:
            inside = [leaf for leaf in inside if in_snake_case(leaf[-1]) in _BESIDE_DOCUMENTS]
        elif not scope:
            # An id inside an object of the record, such as metadata.id, names this object.
            inside = [leaf for leaf in inside if len(leaf) == 1 or leaf[-1] not in _VAGUE]
        found = _first(inside, "query_id")
        if found is None and scope[-1:] == (VALUES,) and document != (*scope, KEY):
            found = (*scope, KEY)
        if found is not None:
            return found
    return None
