"""The form of a text file, by its first lines: a format without a header, a table, or the format of another trade."""

import csv
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ltr_sql.errors import InputError
from ltr_sql.inputs.tables import is_known_column, listed_names

# Number of lines that are looked at.
SAMPLED = 100
DELIMITERS = ("\t", ",", ";", "|", "::")
# The roles of tables that may have a format without a header: see `session.ROLES`. What is read as values may be a run.
_JUDGED, _RANKED = ("qrels", "history"), ("run", "baseline", "values")
_LETTERS, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")
# Ids of one case with a digit: hashes, and keys such as B000F6TBUW.
_CODE = re.compile(r"(?=.*\d)(?:[0-9a-f-]{8,}|[0-9A-Z]{8,})")
# The columns of files in SVMlight format after the label: a query, and features.
_FEATURE = re.compile(r"qid:\S+|\d+:[-+.\deE]+")
# Unix time since 1973, in seconds. No grade is as large.
_TIMESTAMP = 1e8
_SHOWN = 100
_NAMES = {
    **dict.fromkeys(_JUDGED, "query_id, doc_id and relevance"),
    **dict.fromkeys(_RANKED, "query_id, doc_id and score, or rank"),
    "values": "system, query_id and the names of measures",
}
# In this number of lines, a third column of fewer different numbers holds ratings, and not documents.
_ENOUGH, _RATINGS = 20, 12

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True)
class TextForm:
    """The form of a text file.

    - `format`: 'run', 'qrels', 'ranks' or 'scored_ranks' for a file without a header: see `trec.read_trec`. Empty for
      other files.
    - `delimiter`: the character that separates columns. Empty for blanks.
    - `first`: the fields of the first line.
    - `names`: the number of these fields that are known names of columns, or that the caller maps.
    - `values`: the number of these fields that look like values.
    - `unclear`: true if the caller maps fields that no other line tells from values.
    """

    format: str = ""
    delimiter: str = ""
    first: Sequence[str] = ()
    names: int = 0
    values: int = 0
    unclear: bool = False

    def refuse_without_header(self, role: str, given: str) -> None:
        """Raise InputError if the first line holds values, or may hold them. `given` is the name of the file."""
        first, names = listed_names(map(repr, self.first), 6), _NAMES.get(role, "query_id")
        if self.values and not self.names:
            raise InputError(
                f"{given} has no header, and its first line holds values, {first}: write the names of the columns into "
                f"a line above it, such as {names}"
            )
        if self.unclear:
            raise InputError(
                f"{given} may have no header: its first line, {first}, looks like the lines below it, and names read "
                f"from values would lose a row. Write the names of the columns, such as {names}, into a line above it, "
                "or in its place if it is a header"
            )


def form_of(lines: Sequence[str], role: str, given: str, mapped: Collection[str]) -> TextForm:
    """Return the form of a file.

    - `lines`: its first lines that are not blank.
    - `role`: see `session.ROLES`.
    - `given`: the name of the file, for messages.
    - `mapped`: the names of columns that the caller gives other names.

    Raises InputError for a file of SVMlight or MovieLens.
    """
    if not lines:
        return TextForm()
    _refuse_features(lines[0], given)
    table = _table_form(lines, mapped)
    # A single known name among values may be an id or the tag of a run, and a single number a name, such as 2023.
    few = table.values < 2
    of_table = table.names > (0 if few else 1) or (few and len(lines) > 1 and table.delimiter in lines[0])
    for delimiter in ("", *DELIMITERS) if role in (*_JUDGED, *_RANKED) and not of_table else ():
        if delimiter not in lines[0]:
            continue
        rows = [fields_of(line, delimiter) for line in lines]
        if delimiter.strip() and len({*map(len, rows)}) > 1:
            continue
        found = _format_without_header(rows, role)
        if found == "ratings":
            raise _ratings(lines[0], given)
        if found:
            return TextForm(found, delimiter.strip(), rows[0])
    return table


def _table_form(lines: Sequence[str], mapped: Collection[str]) -> TextForm:
    """Return the form of a table whose first line may be a header."""
    delimiter = max(DELIMITERS, key=lines[0].count)
    first, *below = [[field.strip('"') for field in fields_of(line, delimiter)] for line in lines]
    values = {
        name
        for number, name in enumerate(first)
        if first.count(name) > 1 or _is_value(name, {row[number] for row in below if len(row) > number})
    }
    named = [name for name in first if name in mapped]
    # The caller may have mapped values. A header has a name that differs from what is below it.
    differ = any(_differs(name, [row[n] for row in below if len(row) > n]) for n, name in enumerate(first))
    trusted = named if differ and values.isdisjoint(named) else []
    names = [name for name in first if is_known_column(name) or name in trusted]
    unclear = bool(named) and not names and not values
    return TextForm("", delimiter, first, len(names), len([name for name in first if name in values]), unclear=unclear)


def fields_of(line: str, delimiter: str) -> list[str]:
    """Return the fields of a line. Quotes enclose fields that commas, semicolons or bars separate."""
    if delimiter not in (",", ";", "|") or '"' not in line:
        return line.split(delimiter or None)
    try:
        return next(csv.reader([line], delimiter=delimiter))
    except csv.Error:
        return line.split(delimiter)


def _format_without_header(rows: Rows, role: str) -> str:
    """Return the format of rows, 'ratings' for those of MovieLens, or '' for others: see `TextForm`."""
    first = rows[0]
    if [*first] == [str(number) for number in range(len(first))]:
        # A header of numbers, as pandas writes it.
        return ""
    columns = [*zip(*(row for row in rows if len(row) == len(first)), strict=True)]
    if len(first) in (3, 4) and role in _RANKED and _are_ranks(columns[0], columns[2]):
        return "ranks" if len(first) == 3 else "scored_ranks"
    if len(first) == 6 and all(map(is_number, first[3:5])) and len({*columns[1]}) == 1:
        return "run"
    if len(first) == 4 and is_number(first[3]) and role != "values":
        return "ratings" if _are_ratings(*columns[1:]) else "qrels"
    return ""


def _are_ranks(queries: Sequence[str], numbers: Sequence[str]) -> bool:
    """Return whether numbers count from 1 in the rows of each query."""
    if numbers[0] != "1" or not all(number.isdecimal() for number in numbers):
        return False
    steps = pairwise(zip(queries, map(int, numbers), strict=True))
    return all(after == (before + 1 if query == other else 1) for (query, before), (other, after) in steps)


def _are_ratings(items: Sequence[str], ratings: Sequence[str], times: Sequence[str]) -> bool:
    """Return whether columns hold items, ratings and timestamps, and not subtopics, documents and grades."""
    if not all(map(is_number, (*ratings, *times))):
        return False
    different = len({*ratings})
    few = len(ratings) >= _ENOUGH and different < _RATINGS and different < len({*items})
    return few or all(float(time) > _TIMESTAMP for time in times)


def _ratings(line: str, given: str) -> InputError:
    """Return the error for a file of MovieLens."""
    return InputError(
        f"{given} holds user, item, rating and time, as MovieLens does, and not the columns of TREC judgments: its "
        f"first line is {line[:_SHOWN]!r}. Write the names query_id, doc_id, relevance and timestamp into a line above "
        "it, separated like its columns. A rating of 1 is then relevant, unless a measure sets another rel, as in "
        "HitRate(rel=4)@10"
    )


def _refuse_features(line: str, given: str) -> None:
    """Raise InputError for a line of a label and features, in the format of SVMlight."""
    label, *fields = line.partition("#")[0].split() or [""]
    if fields and is_number(label) and all(map(_FEATURE.fullmatch, fields)):
        raise InputError(
            f"{given} holds labels and features in SVMlight format, as LETOR does, and no ranking: its first line is "
            f"{line[:_SHOWN]!r}. Read labels and query ids, such as by sklearn.datasets.load_svmlight_file, and pass "
            "them with the scores of your model: ltr_sql.Evaluator.from_labels(measures, labels, "
            "group=query_ids).evaluate(scores)"
        )


def _is_value(text: str, below: Collection[str]) -> bool:
    """Return whether the first field of a column is a value, like those below it, and not a name."""
    if is_number(text) or text in below or _CODE.fullmatch(text):
        return True
    return _DIGITS.search(text) is not None and _shape(text) in map(_shape, below)


def _differs(name: str, below: Collection[str]) -> bool:
    """Return whether the first field of a column is a name unlike the fields below it, such as a word above numbers.

    A sentence is like a word.
    """
    return not is_number(name) and _shape("".join(name.split())) not in {_shape("".join(t.split())) for t in below}


def _shape(text: str) -> str:
    """Return a text with a for each sequence of letters, and 0 for each number."""
    return _DIGITS.sub("0", _LETTERS.sub("a", text))


def is_number(text: str) -> bool:
    """Return whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
