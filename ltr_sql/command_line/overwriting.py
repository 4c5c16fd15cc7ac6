"""Refuse outputs that would overwrite an input, before anything is read."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import duckdb

from ltr_sql.command_line.options import BASELINE, File, OutputFile
from ltr_sql.command_line.runs import expanded
from ltr_sql.errors import InputError
from ltr_sql.inputs.plain_files import utf8_name
from ltr_sql.inputs.readers import duckdb_name


def refuse_overwriting(ctx: click.Context) -> None:
    """Raise InputError if an output of a command is one of its inputs, by any path or link, or another output.

    The values of a baseline may be replaced by `--save-values`.
    """
    inputs = [file for _, path in _paths(ctx, File) for file in expanded([path]) if _is_regular(file)]
    baseline = [path for _, path in _paths(ctx, type(BASELINE)) if _is_regular(path)]
    outputs = [*_paths(ctx, OutputFile)]
    for number, (option, output) in enumerate(outputs):
        for other, path in outputs[:number]:
            if os.path.realpath(path) == os.path.realpath(output) and not _is_special(output):
                raise InputError(f"{other} and {option} name the same file {output}: pass two files")
        if not _is_regular(output):
            continue
        for path in inputs:
            if os.path.samefile(path, output):
                raise InputError(f"{option} {output} would overwrite the input {path}: pass another file")
        for path in baseline:
            if os.path.samefile(path, output) and not (option == "--save-values" and _holds_saved_values(path)):
                raise InputError(f"{option} {output} would overwrite the baseline {path}: pass another file")


def _paths(ctx: click.Context, kind: type[click.ParamType[Any]]) -> Iterator[tuple[str, str]]:
    """Yield the longest name and the value of each parameter of a type that the caller gave."""
    for parameter in ctx.command.params:
        if isinstance(parameter.type, kind):
            value = ctx.params.get(str(parameter.name))
            for path in value if isinstance(value, tuple) else [value]:
                if path is not None:
                    yield parameter.opts[0], os.fspath(path)


def _holds_saved_values(path: str) -> bool:
    """Return whether a file is a table of values in Parquet: its rows are queries, not documents."""
    if ".parquet" not in Path(path).suffixes:
        return False
    try:
        with duckdb.connect() as con, utf8_name(path) as name:
            described = con.execute(f"describe from read_parquet({duckdb_name(name)})").fetchall()
    except duckdb.Error:
        return False
    columns = {column.lower() for column, *_ in described}
    return "query_id" in columns and "doc_id" not in columns


def _is_regular(path: str) -> bool:
    """Return whether a path is a file, also through links, and no pipe, device or folder."""
    try:
        return stat.S_ISREG(Path(path).stat().st_mode)
    except (OSError, ValueError):
        return False


def _is_special(path: str) -> bool:
    return Path(path).exists() and not _is_regular(path)
