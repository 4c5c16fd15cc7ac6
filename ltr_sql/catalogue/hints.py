"""What the error for an unknown measure suggests: near names, or a word of another trade in `sql/words.toml`.

SQL (`ltr.evaluate`) uses the same words, names and distance.
"""

import tomllib
from collections.abc import Mapping
from functools import cache

from ltr_sql.catalogue.files import SQL_FOLDER
from ltr_sql.catalogue.measures import all_definitions, definitions_by_name

# The number of names that a hint lists.
MOST = 3


def folded(name: str) -> str:
    """Return a name in lower case, without _ and -."""
    return name.lower().replace("_", "").replace("-", "")


@cache
def words() -> Mapping[str, str]:
    """Map words that are no measures, as written and folded, to what the error says. Names of measures are left out."""
    entries = tomllib.loads((SQL_FOLDER / "words.toml").read_text(encoding="utf-8"))["words"]
    texts = {name: entry["hint"] for entry in entries for name in entry["names"]}
    measures = {folded(name) for name in definitions_by_name()}
    return texts | {folded(name): text for name, text in texts.items() if folded(name) not in measures}


@cache
def titles() -> Mapping[str, str]:
    """Map the folded names of measures to their spelling."""
    found: dict[str, str] = {}
    for definition in all_definitions().values():
        for name in (definition.name, *definition.aliases, *definition.named):
            found.setdefault(folded(name), name)
    return found


def word_for(name: str) -> str | None:
    """Return what the error says about a word of another trade, or None for any other name."""
    return words().get(name) or words().get(folded(name))


def nearest(name: str) -> list[str]:
    """Return up to three names of measures that differ from a name in the fewest letters, at most a quarter and one."""
    distances = {spelled: letters_between(folded(name), key) for key, spelled in titles().items()}
    least = min(distances.values())
    near = sorted(spelled for spelled, letters in distances.items() if letters == least)
    return near[:MOST] if 4 * least <= 4 + len(folded(name)) else []


def letters_between(a: str, b: str) -> int:
    """Return the Damerau-Levenshtein distance: how many letters to insert, delete, replace or swap with a neighbour."""
    # Row i + 1 and column j + 1 belong to the prefixes a[:i] and b[:j]; row and column 0 are never the smallest.
    most = len(a) + len(b)
    table = [[most] * (len(b) + 2) for _ in range(len(a) + 2)]
    last_row: dict[str, int] = {}
    for i in range(len(a) + 1):
        last_column = 0
        for j in range(len(b) + 1):
            if 0 in (i, j):
                table[i + 1][j + 1] = i + j
                continue
            row, column, equal = last_row.get(b[j - 1], 0), last_column, a[i - 1] == b[j - 1]
            table[i + 1][j + 1] = min(
                table[i][j] + (not equal),
                table[i + 1][j] + 1,
                table[i][j + 1] + 1,
                table[row][column] + (i - row - 1) + 1 + (j - column - 1),
            )
            last_column = j if equal else last_column
        if i:
            last_row[a[i - 1]] = i
    return table[-1][-1]
