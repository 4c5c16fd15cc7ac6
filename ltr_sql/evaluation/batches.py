"""Batches of queries, which bound the memory and the time of an evaluation of a large run."""

import math
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from ltr_sql.errors import InputError
from ltr_sql.inputs.session import Session
from ltr_sql.inputs.storage import by_query_id, scanned_rows
from ltr_sql.inputs.tables import BEYOND_64_BITS, Table, comparable
from ltr_sql.rendering.dialects import DUCKDB, path_string, string
from ltr_sql.rendering.totals import SYSTEM
from ltr_sql.stages import COPY, stage

# Rows of a run in one batch; runs of up to twice this number are evaluated at once.
_ROWS = 25_000_000


def number_of_batches(state: Session, run: Table) -> int:
    """Return the number of batches that a run is evaluated in: 1 for a run that fits into one."""
    rows = scanned_rows(state.con, run)
    return math.ceil(rows / _ROWS) if rows > 2 * _ROWS else 1


@dataclass(frozen=True)
class Share:
    """Some systems of a run, evaluated together, or in several batches of queries the one that `system` names, as SQL.

    Systems that a batch of queries lacks would have no values for these queries, so only one system has several.
    """

    run: Table
    batches: int
    system: str = ""

    def named(self, query: str) -> str:
        """Return a query of values with the column of the system."""
        return f"select {self.system} as {SYSTEM}, t.* from (\n{query}\n) as t" if self.system else query


def shares_of(state: Session, run: Table, number: int) -> list[Share]:
    """Return the shares of the systems of a run whose rows fill a number of batches."""
    counted = state.con.execute(
        f"select t.{SYSTEM}::varchar, count(*) from {run.sql} as t group by all order by 1 asc nulls last"
    ).fetchall()
    most = math.ceil(sum(rows for _, rows in counted) / number)
    together: list[list[str]] = []
    room, shares = 0, list[Share]()
    for system, rows in counted:
        text = f"cast({'null' if system is None else string(system)} as {run.columns[SYSTEM]})"
        if rows > 2 * most:
            of_system = replace(run.where(_in([text])), grouped_by=(), systems=())
            shares.append(Share(of_system, math.ceil(rows / most), text))
            continue
        if rows > room:
            together.append([])
            room = 2 * most
        together[-1].append(text)
        room -= rows
    return [*shares, *(Share(run.where(_in(texts)), 1) for texts in together)]


def _in(systems: Sequence[str]) -> str:
    """Return a condition on rows `t` of some systems."""
    return " or ".join(f"t.{SYSTEM} is not distinct from {text}" for text in systems)


@contextmanager
def batches(state: Session, run: Table, judgments: Table, number: int) -> Iterator[list[tuple[Table, Table]]]:
    """Yield parts of a run and its judgments. Each query is in one part.

    A run that is stored by query_id is read in parts. Any other run is copied to temporary files, which are removed.
    """
    run, judgments = comparable(run, judgments)
    ranges = _ranges(state, judgments, number)
    if by_query_id(state.con, run, ranges):
        yield [(run.where(rows), judgments.where(rows)) for rows in ranges]
        return
    stage(COPY)
    parent = Path(state.con.execute("select current_setting('temp_directory')").fetchall()[0][0])
    with _new_folder(parent) as copies:
        part = f"hash(t.query_id) % {number}"
        texts = _replaced({name: "varchar" for name in _large(run)})
        copied = f"select t.*{texts}, {part} as __ltr_part from {run.sql} as t"
        try:
            state.con.execute(f"copy ({copied}) to {path_string(copies)} (format parquet, partition_by (__ltr_part))")
        except duckdb.IOException as error:
            raise _not_copied(parent, error) from None
        yield [(_copied(run, f"{copies}/__ltr_part={i}"), judgments.where(f"{part} = {i}")) for i in range(number)]


@contextmanager
def _new_folder(parent: Path) -> Iterator[str]:
    """Yield a new folder in another one, which may be new as well. Remove both afterwards."""
    is_new = not parent.exists()
    try:
        parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(prefix="ltr_sql-", dir=parent, ignore_cleanup_errors=True)
    except OSError as error:
        raise _not_copied(parent, error) from None
    try:
        with folder as name:
            yield name
    finally:
        if is_new:
            with suppress(OSError):
                parent.rmdir()


def _not_copied(folder: Path, error: OSError | duckdb.IOException) -> InputError:
    """Return the error for a copy that cannot be written, such as on a full disk."""
    if isinstance(error, OSError):
        cause = error.strerror or str(error)
    else:
        # DuckDB quotes an error of another thread as JSON.
        number = re.search(r'"errno":"(\d+)"', str(error))
        cause = os.strerror(int(number[1])) if number else str(error)
    return InputError(
        f"a large run that is not sorted by query_id is copied by query, and {folder.absolute()} cannot hold the copy: "
        f"{cause}. What to do: sort the run by query_id, or set temp_directory of DuckDB to another folder"
    )


def _copied(run: Table, folder: str) -> Table:
    """Return the part of a run that was copied to a folder. A part without rows has no folder."""
    copied = f"read_parquet({path_string(f'{folder}/*.parquet')}, hive_partitioning = false)"
    if large := _large(run):
        copied = f"(select t.*{_replaced(large)} from {copied} as t)"
    sql = copied if Path(folder).exists() else f"(from {run.sql} limit 0)"
    return replace(run, sql=sql, positions="")


def _large(table: Table) -> dict[str, str]:
    """Return the columns of types that Parquet lacks, with these types. A copy holds them as text."""
    return {name: kind for name, kind in table.columns.items() if kind in BEYOND_64_BITS}


def _replaced(types: Mapping[str, str]) -> str:
    """Return the end of a select list `t.*` that casts columns to types."""
    quoted = ((DUCKDB.identifier(name), kind) for name, kind in types.items())
    casts = ", ".join(f"cast(t.{name} as {kind}) as {name}" for name, kind in quoted)
    return f" replace ({casts})" if casts else ""


def _ranges(state: Session, judgments: Table, number: int) -> list[str]:
    """Return conditions on rows `t` that split the judged queries into ranges of query_id: at least one."""
    distinct = f"select distinct query_id from {judgments.sql}"
    numbered = f"select query_id, ntile({number}) over (order by query_id asc) as part from ({distinct})"
    query = f"select min(query_id)::varchar from ({numbered}) group by part order by min(query_id) asc"
    kind = judgments.columns["query_id"]
    bounds = [f"cast({string(start)} as {kind})" for (start,) in state.con.execute(query).fetchall()]
    ranges = [
        " and ".join(
            [
                *([f"t.query_id >= {start}"] if i else []),
                *([f"t.query_id < {bounds[i + 1]}"] if i + 1 < len(bounds) else []),
            ]
        )
        for i, start in enumerate(bounds)
    ]
    return [text or "true" for text in ranges or [""]]
