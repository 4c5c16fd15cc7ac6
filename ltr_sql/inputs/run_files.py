"""Runs in several files: a pattern, a folder, or a list of paths."""

import glob
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ltr_sql.catalogue.option_checks import check_choice
from ltr_sql.errors import InputError
from ltr_sql.inputs.missing_files import where_missing
from ltr_sql.inputs.readers import READERS, first_run_id, is_readable_file

_SUFFIXES = (*READERS, ".txt", ".run", ".trec", ".res")


def run_files(paths: Any, names: str = "file") -> dict[str, str]:
    """Return a dict of system -> path, which `evaluate`, `compare`, `report` and others read as several systems.

    - `paths`: a pattern such as 'runs/*.gz', a folder, or a list of paths. `evaluate` reads them, too, with the names
      of the files.
    - `names`: 'file' names a system by its file without folder and suffixes, as in bm25 for runs/bm25.txt.gz. 'tag'
      names it by its run tag, the last column of a run in TREC format.

    The order is that of the list, and otherwise alphabetical. Raises InputError if no file is found, if two systems
    have the same name, and for a file without a tag.
    """
    check_choice("names", names, ("file", "tag"))
    found: dict[str, str] = {}
    for path in listed_files(paths):
        name = first_run_id(path) if names == "tag" else stem(path)
        if name is None:
            raise InputError(f"{path} has no run tag, which only TREC files have: pass names='file'")
        if name in found:
            raise InputError(
                f"{found[name]} and {path} have the same {'run tag' if names == 'tag' else 'name'} {name!r}: rename "
                "one of them, or pass a dict of name -> path"
            )
        found[name] = path
    return found


def listed_files(paths: Any) -> list[str]:
    """Return the files of a pattern, a folder or a list of paths. Raises InputError if there is none."""
    if is_path(paths):
        files = files_of(os.fspath(paths))
        return [os.fspath(paths)] if files is None else files
    if not isinstance(paths, Iterable) or not all(map(is_path, paths := [*paths])):
        raise InputError("pass runs as a pattern, a folder or a list of paths, or as a dict of name -> run")
    if not paths:
        raise InputError("the list of runs is empty: pass one path per run")
    for path in paths:
        if not is_readable_file(os.fspath(path)):
            raise InputError(f"{os.fspath(path)}: {where_missing(os.fspath(path))}")
    return [os.fspath(path) for path in paths]


def files_of(path: str) -> list[str] | None:
    """Return the files of a folder or a pattern, in alphabetical order. None for another path.

    Files whose names start with a dot are left out. Raises InputError if no file is left.
    """
    if is_readable_file(path):
        return None
    folder = os.path.isdir(path)
    if folder:
        files = glob.glob(f"{glob.escape(path)}/*")
    elif glob.has_magic(path):
        files = glob.glob(path, recursive=True)
    else:
        return None
    files = sorted(file for file in files if is_readable_file(file))
    if not files:
        raise InputError(f"{path}: no file {'is in this folder' if folder else 'matches this pattern'}")
    return files


def stem(path: str) -> str:
    """Return the name of a file without its folder, `.gz` or `.zst`, and the suffix of its format."""
    name = Path(path).name
    for suffixes in ((".gz", ".zst"), _SUFFIXES):
        found = [suffix for suffix in suffixes if name.lower().endswith(suffix)]
        name = name[: len(name) - len(found[0])] if found and len(found[0]) < len(name) else name
    return name


def is_path(given: Any) -> bool:
    """Return whether an object is a path."""
    return isinstance(given, str | os.PathLike)
