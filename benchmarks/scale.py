"""Large runs with unsorted scores beside the work that other ways of ranking them need.

`python -m benchmarks.scale --queries 20000` evaluates 20 million rows. A billion rows need 20 GB of disk:
`python -m benchmarks.scale --queries 1000000 --files 20 --no-rank --repetitions 1 --kind ids --delete`.
"""

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import duckdb
import jinja2

from benchmarks.processes import Contender, Results, measure
from benchmarks.tables import Bar, Row, Table

MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100", "R@1000")
# Kinds of runs, with the largest allowed ratio to their join: for scores, to the join with rank().
KINDS = {"ids": 0.9, "text ids": 0.9, "tied": 1.5, "shuffled": 1.2, "ranks": 1.8}
# Largest allowed ratio of scores to the join without rank().
_TO_JOIN = 7.0
_LIMIT = "4GB"
_CREATION = """
import sys
from benchmarks.scale import Data, Path
folder, kind, queries, files = sys.argv[1:]
Data(Path(folder), kind, int(queries), int(files)).make()
"""
_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent), undefined=jinja2.StrictUndefined, autoescape=False
)


@dataclass(frozen=True)
class Data:
    """A run and its judgments: the folder, the kind of run, and the numbers of its queries and files."""

    folder: Path
    kind: str
    queries: int
    files: int

    def paths(self, table: str) -> list[Path]:
        """Return the files of a table, 'run' or 'qrels'."""
        return [self.folder / f"{table}-{number:02}.parquet" for number in range(self.files)]

    @property
    def inputs(self) -> dict[str, str | None]:
        """The inputs of an evaluation: a file, or a view of several files."""
        if self.files == 1:
            return {"rankings": str(self.paths("run")[0]), "qrels": str(self.paths("qrels")[0]), "database": None}
        return {"rankings": "run", "qrels": "qrels", "database": str(self.folder / "views.duckdb")}

    def make(self) -> None:
        """Create the files, unless they exist."""
        if self.folder.exists():
            return
        self.folder.mkdir(parents=True)
        settings: dict[str, Any] = {"threads": 2, "memory_limit": "8GB", "temp_directory": str(self.folder / "spilled")}
        template = _TEMPLATES.get_template("scale.sql")
        with duckdb.connect(self.folder / "views.duckdb", config=settings) as con:
            for table in ("run", "qrels"):
                bounds = [self.queries * number // self.files for number in range(self.files + 1)]
                for path, first, last in zip(self.paths(table), bounds, bounds[1:], strict=False):
                    con.execute(template.render(table=table, kind=self.kind, first=first, last=last, path=path))
                con.execute(f"create view {table} as from read_parquet('{self.folder}/{table}-*.parquet')")


def contenders(data: Data, repetitions: int) -> tuple[Contender, Contender, Contender]:
    """Return the join of run and judgments, the join with rank(), and the evaluation."""
    run, qrels = (f"read_parquet('{data.folder}/{table}-*.parquet')" for table in ("run", "qrels"))
    ranks = "rank() over (partition by query_id order by score desc) as rank"
    joined = f"join {qrels} as q using (query_id, doc_id)"
    least = f"select count(*), sum(r.{'rank' if data.kind == 'ranks' else 'score'}) from {run} as r {joined}"
    ranked = f"select count(*), sum(r.rank) from (select query_id, doc_id, {ranks} from {run}) as r {joined}"
    limits = {"settings": _settings(data)}
    evaluated = {"measures": MEASURES, "saved": str(data.folder / "values"), **data.inputs, **limits}
    return (
        Contender(f"join, {data.kind}", "query", {"sql": least, **limits}, repetitions, fresh=True),
        Contender(f"join and rank(), {data.kind}", "query", {"sql": ranked, **limits}, repetitions, fresh=True),
        Contender(f"ltr_sql, {data.kind}", "values_of_queries", evaluated, repetitions, fresh=True),
    )


def by_file(data: Data) -> Contender:
    """Return the evaluation of one file after another, which compares its values with those of all files."""
    pairs = [tuple(map(str, pair)) for pair in zip(data.paths("run"), data.paths("qrels"), strict=True)]
    given = {"pairs": pairs, "measures": MEASURES, "saved": str(data.folder / "values"), "settings": _settings(data)}
    return Contender(f"each file, {data.kind}", "values_of_files", given, 1, fresh=True)


def _settings(data: Data) -> dict[str, Any]:
    spilled = str(data.folder / "spilled")
    return {"memory_limit": _LIMIT, "temp_directory": spilled, "preserve_insertion_order": False}


def rows_of(results: Results, measured: list[Contender], bar: Bar) -> list[Row]:
    """Return the rows of the table for one kind of run. The evaluation comes last, with its ratio to the one before."""
    *_, other, own = measured
    divisor = results.seconds(other)
    rows = []
    for contender in measured:
        seconds, peak = results.seconds(contender), results.peak(contender)
        ratio = seconds / divisor if contender is own and seconds and divisor else None
        verdict = bar.verdict(ratio) if contender is own else ""
        shown_bar = str(bar) if contender is own else ""
        rows.append(Row(contender.name, seconds, peak, ratio, shown_bar, verdict, cpu=results.cpu(contender)))
    return rows


def _note_of_files(results: Results, contender: Contender) -> str:
    """Return a sentence about how values of all files differ from those of each file."""
    found = results.measured[contender.name].means if contender.name in results.measured else {}
    if not found:
        return f"{contender.name} did not run: {results.failures[contender.name]}."
    return (
        f"{contender.name}: {found['queries']:,.0f} queries, {found['differing']:,.0f} with other values, "
        f"largest difference {found['largest']:g}."
    )


@click.command()
@click.option("--queries", type=int, default=20_000, show_default=True, help="Number of queries of 1,000 documents.")
@click.option("--kind", "kinds", type=click.Choice(list(KINDS)), multiple=True, help="A kind of run; may be repeated.")
@click.option("--files", type=int, default=1, show_default=True, help="Files of the run. Several are read as a view.")
@click.option("--repetitions", type=int, default=3, show_default=True)
@click.option("--data", "root", type=Path, default=Path(tempfile.gettempdir()) / "ltr_sql_scale", show_default=True)
@click.option("--no-rank", is_flag=True, help="Leave out rank(), which does not end at a billion rows.")
@click.option("--delete", is_flag=True, help="Delete the data of each kind after its run.")
def main(
    *, queries: int, kinds: tuple[str, ...], files: int, repetitions: int, root: Path, no_rank: bool, delete: bool
) -> None:
    """Compare evaluations of large runs with a join, under a memory limit of 4 GB."""
    table = Table(f"{queries * 1000:,} rows, memory_limit {_LIMIT}: ratio to the row above.")
    for kind in kinds or KINDS:
        data = Data(root / f"{kind.replace(' ', '-')}-{queries}-{files}", kind, queries, files)
        # A process inherits the peak memory of the process that starts it, so another process creates the data.
        subprocess.run([sys.executable, "-c", _CREATION, str(data.folder), kind, str(queries), str(files)], check=True)
        join, ranked, own = contenders(data, repetitions)
        measured = [join, own] if no_rank or kind == "ranks" else [join, ranked, own]
        results = measure(measured)
        allowed = _TO_JOIN if no_rank and kind != "ranks" else KINDS[kind]
        table.rows += rows_of(results, measured, Bar(allowed, counts=queries >= 20_000))
        table.notes += [f"{name} did not run: {why}." for name, why in results.failures.items()]
        if files > 1 and own.name in results.measured:
            table.notes.append(_note_of_files(measure([by_file(data)]), by_file(data)))
        if delete:
            shutil.rmtree(data.folder)
    click.echo(table.text("github"))


if __name__ == "__main__":
    main()
