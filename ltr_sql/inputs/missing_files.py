"""Say where a missing file was looked for, and which names are like it."""

import os
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

# Largest number of names of a folder to compare with a missing one.
_MOST_NAMES = 10_000


def where_missing(path: str) -> str:
    """Return the reason why a path is no file, as the end of a sentence: the folder, and similar names in it."""
    try:
        absolute = Path(path).absolute()
        if absolute.is_dir():
            return "it is a folder: pass a file"
        folder = absolute.parent
        if not folder.is_dir():
            return f"there is no folder {folder}"
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, _MOST_NAMES)]
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or "the name is no path"
    return f"no such file in {folder}{similar_names(absolute.name, names)}"


def similar_names(name: str, names: Iterable[str]) -> str:
    """Return names that are like a missing one, as the end of a clause. Empty if there are none."""
    by_lower = {known.lower(): known for known in sorted(names)}
    stem = name.lower().partition(".")[0]
    found = dict.fromkeys(get_close_matches(name.lower(), by_lower, cutoff=0.7))
    found |= dict.fromkeys(known for known in by_lower if stem and known.partition(".")[0] == stem)
    return f" (similar: {', '.join(by_lower[known] for known in islice(found, 3))})" if found else ""
