"""Large runs with unsorted scores beside the work that other ways of ranking them need.

`python -m benchmarks.scale --queries 20000` evaluates 20 million rows. A billion rows need 20 GB of disk:
`python -m benchmarks.scale --queries 1000000 --files 20 --no-rank --repetitions 1 --kind ids --delete`.
`--systems 5` compares one run with five systems that have a fifth of its queries each.
"""

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import duckdb
import jinja2

from benchmarks.earlier import Ratio, earlier, earlier_checkout, rows_of
from benchmarks.processes import Contender, Results, measure
from benchmarks.tables import Bar, Table

MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100", "R@1000")
# Kinds of runs, with the largest allowed ratio of CPU seconds to their join: for scores, to the join with rank().
KINDS = {"ids": 0.9, "text ids": 0.9, "tied": 1.5, "shuffled": 1.2, "ranks": 1.8}
# Largest allowed ratio of scores to the join without rank(), of the evaluation without checks to the one with them, and
# of several systems to one run with as many rows.
_TO_JOIN, _UNCHECKED, _SYSTEMS = 7.0, 1.0, 1.2
_LIMIT = "4GB"
_CREATION = """
import sys
from benchmarks.scale import Data, Path
folder, kind, queries, files, systems = sys.argv[1:]
Data(Path(folder), kind, int(queries), int(files), int(systems)).make()
"""
_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent), undefined=jinja2.StrictUndefined, autoescape=False
)


@dataclass(frozen=True)
class Data:
    """A run and its judgments: the folder, the kind of run, and the numbers of its queries, files and systems.

    Several systems have a file each, the same queries, and one file of judgments.
    """

    folder: Path
    kind: str
    queries: int
    files: int
    systems: int = 1

    def paths(self, table: str) -> list[Path]:
        """Return the files of a table, 'run' or 'qrels'."""
        files = self.systems * self.files if table == "run" else self.files
        return [self.folder / f"{table}-{number:02}.parquet" for number in range(files)]

    @property
    def inputs(self) -> dict[str, str | None]:
        """The inputs of an evaluation: a file, or a view of several files."""
        if self.files == self.systems == 1:
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
                for number, path in enumerate(self.paths(table)):
                    system, part = divmod(number, self.files)
                    first, last = (self.queries * bound // self.files for bound in (part, part + 1))
                    named = f"'s{system}'" if self.systems > 1 and table == "run" else None
                    given = {"table": table, "kind": self.kind, "first": first, "last": last, "system": named}
                    con.execute(template.render(**given, path=path))
                con.execute(f"create view {table} as from read_parquet('{self.folder}/{table}-*.parquet')")

    def make_elsewhere(self) -> None:
        """Create the files in another process: a process inherits the peak memory of the one that starts it."""
        numbers = map(str, (self.queries, self.files, self.systems))
        subprocess.run([sys.executable, "-c", _CREATION, str(self.folder), self.kind, *numbers], check=True)


def join(data: Data, repetitions: int) -> Contender:
    """Join the run with the judgments."""
    column = "rank" if data.kind == "ranks" else "score"
    sql = f"select count(*), sum(r.{column}) from {_files(data, 'run')} as r {_joined(data)}"
    return _query(f"join, {data.kind}", sql, data, repetitions)


def join_and_rank(data: Data, repetitions: int) -> Contender:
    """Rank the run with rank(), and join it with the judgments."""
    rank = "rank() over (partition by query_id order by score desc) as rank"
    ranked = f"select query_id, doc_id, {rank} from {_files(data, 'run')}"
    sql = f"select count(*), sum(r.rank) from ({ranked}) as r {_joined(data)}"
    return _query(f"join and rank(), {data.kind}", sql, data, repetitions)


def evaluation(data: Data, repetitions: int) -> Contender:
    """Evaluate each query of each system."""
    given = {"measures": MEASURES, "saved": str(data.folder / "values"), **data.inputs, "settings": _settings(data)}
    keys = ["system"] if data.systems > 1 else []
    systems = f", {data.systems} systems" if keys else ""
    name = f"ltr_sql, {data.kind}{systems}"
    return Contender(name, "values_of_queries", {**given, "keys": keys}, repetitions, fresh=True)


def unchecked(own: Contender) -> Contender:
    """Return the evaluation without checks. Its values go to a file of their own."""
    given = {**own.arguments, "check": False, "saved": f"{own.arguments['saved']}-unchecked"}
    return replace(own, name=f"{own.name}, check=False", arguments=given)


def by_file(data: Data) -> Contender:
    """Return the evaluation of one file after another, which compares its values with those of all files."""
    pairs = [tuple(map(str, pair)) for pair in zip(data.paths("run"), data.paths("qrels"), strict=True)]
    given = {"pairs": pairs, "measures": MEASURES, "saved": str(data.folder / "values"), "settings": _settings(data)}
    return Contender(f"each file, {data.kind}", "values_of_files", given, 1, fresh=True)


def _files(data: Data, table: str) -> str:
    return f"read_parquet('{data.folder}/{table}-*.parquet')"


def _joined(data: Data) -> str:
    return f"join {_files(data, 'qrels')} as q using (query_id, doc_id)"


def _query(name: str, sql: str, data: Data, repetitions: int) -> Contender:
    return Contender(name, "query", {"sql": sql, "settings": _settings(data)}, repetitions, fresh=True)


def _settings(data: Data) -> dict[str, Any]:
    spilled = str(data.folder / "spilled")
    return {"memory_limit": _LIMIT, "temp_directory": spilled, "preserve_insertion_order": False}


def ratios_of(data: Data, repetitions: int, ranked: bool, checkout: Path) -> list[Ratio]:
    """Return the evaluations of a kind of run, in this and the earlier commit, and what they are compared with.

    `ranked` compares scores with the join with rank(), which does not end at a billion rows.
    """
    counts = data.queries >= 20_000
    own, alone = evaluation(data, repetitions), join(data, repetitions)
    if data.kind == "ranks":
        divisor, bar = alone, KINDS["ranks"]
    elif ranked:
        divisor, bar = join_and_rank(data, repetitions), KINDS[data.kind]
    else:
        divisor, bar = alone, _TO_JOIN
    limits = [Ratio(alone)] if divisor is alone else [Ratio(alone), Ratio(divisor)]
    return [
        *limits,
        Ratio(_elsewhere(own, checkout), divisor),
        Ratio(own, divisor, Bar(bar, counts)),
        Ratio(unchecked(own), own, Bar(_UNCHECKED, counts)),
    ]


def _elsewhere(own: Contender, checkout: Path) -> Contender:
    """Return the evaluation by the earlier commit. Its values go to a file of their own."""
    given = {**own.arguments, "saved": f"{own.arguments['saved']}-earlier"}
    return earlier(replace(own, arguments=given), checkout)


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
@click.option("--systems", type=int, default=1, show_default=True, help="Systems that share the rows.")
@click.option("--repetitions", type=int, default=3, show_default=True)
@click.option("--data", "root", type=Path, default=Path(tempfile.gettempdir()) / "ltr_sql_scale", show_default=True)
@click.option("--no-rank", is_flag=True, help="Leave out rank(), which does not end at a billion rows.")
@click.option("--delete", is_flag=True, help="Delete the data of each kind after its run.")
def main(
    *,
    queries: int,
    kinds: tuple[str, ...],
    files: int,
    systems: int,
    repetitions: int,
    root: Path,
    no_rank: bool,
    delete: bool,
) -> None:
    """Compare evaluations of large runs with a join and with an earlier commit, under a memory limit of 4 GB."""
    divisors = "the join, the join with rank(), the checked evaluation, or one run"
    table = Table(f"{queries * 1000:,} rows, memory_limit {_LIMIT}: ratio of CPU seconds to {divisors}.")
    with earlier_checkout() as checkout:
        for kind in kinds or KINDS:
            data = Data(root / f"{kind.replace(' ', '-')}-{queries}-{files}", kind, queries, files)
            data.make_elsewhere()
            ratios = ratios_of(data, repetitions, not no_rank, checkout)
            several = replace(
                data, folder=Path(f"{data.folder}-{systems}"), queries=queries // systems, systems=systems
            )
            if systems > 1:
                several.make_elsewhere()
                own = evaluation(data, repetitions)
                bar = Bar(_SYSTEMS, counts=queries >= 20_000)
                ratios = [Ratio(own), Ratio(evaluation(several, repetitions), own, bar)]
            results = measure([ratio.own for ratio in ratios])
            table.rows += rows_of(ratios, results)
            table.notes += results.notes()
            if files > 1 and systems == 1:
                table.notes.append(_note_of_files(measure([by_file(data)]), by_file(data)))
            if delete:
                for folder in (data.folder, several.folder):
                    shutil.rmtree(folder, ignore_errors=True)
    click.echo(table.text("github"))


if __name__ == "__main__":
    main()
