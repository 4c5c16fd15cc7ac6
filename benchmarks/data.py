"""Seeded data for the benchmarks: a run, judgments and rankings as DuckDB tables, Parquet files and TREC text.

`python -m benchmarks.data --queries 7000 --depth 1000` creates the data that do not exist yet.
"""

import argparse
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import duckdb
import jinja2

_UNRETRIEVED = 7
_TABLES = ("run_ranks", "run_scores", "qrels", "rankings")
_TREC_LINES = {
    "run_scores": "select query_id, 'Q0', doc_id, rank, score, 'bm25' from documents where rank is not null",
    "qrels": "select query_id, 0, doc_id, relevance from qrels",
}
_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent), undefined=jinja2.StrictUndefined, autoescape=False
)
DEFAULT_ROOT = Path(tempfile.gettempdir()) / "ltr_sql_benchmarks"


@dataclass(frozen=True)
class Data:
    """The data of one size in one folder. The files need not exist yet."""

    root: Path
    queries: int
    depth: int
    seed: int = 1
    shuffled: bool = False

    @property
    def rows(self) -> int:
        """The number of rows of a run."""
        return self.queries * self.depth

    @property
    def folder(self) -> Path:
        """The folder of all files of this size."""
        name = f"{self.queries}x{self.depth}-seed{self.seed}"
        return self.root / (f"{name}-shuffled" if self.shuffled else name)

    @property
    def database(self) -> str:
        """The path of a DuckDB file with the tables run_ranks, run_scores, qrels and rankings."""
        return str(self.folder / "data.duckdb")

    @property
    def systems(self) -> str:
        """The path of a DuckDB file with the tables of `database`, systems_ranks and systems_scores."""
        return str(self.folder / "systems.duckdb")

    def parquet(self, table: str) -> str:
        """Return the path of a table as a Parquet file."""
        return str(self.folder / f"{table}.parquet")

    def trec(self, table: str) -> str:
        """Return the path of the run with scores or the qrels as TREC text."""
        return str(self.folder / f"{table}.txt")

    def make(self, files: bool, systems: int) -> None:
        """Create the files that do not exist.

        - `files`: true for Parquet files and TREC text in addition to the database.
        - `systems`: number of systems in a further database; 0 for none.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        _make_once(self.database, self._write_database)
        if files:
            for table in _TABLES:
                _make_once(self.parquet(table), partial(self._export, f"from {table}", "format parquet"))
            for table, lines in _TREC_LINES.items():
                order = "order by hash(query_id, doc_id)" if self.shuffled else ""
                options = "format csv, delimiter ' ', header false, quote ''"
                _make_once(self.trec(table), partial(self._export, f"{lines} {order}", options))
        if systems:
            _make_once(self.systems, partial(self._write_systems, systems))

    def _write_database(self, path: str) -> None:
        script = _TEMPLATES.get_template("data.sql").render(
            queries=self.queries, depth=self.depth, seed=self.seed, shuffled=self.shuffled, unretrieved=_UNRETRIEVED
        )
        with duckdb.connect(path) as con:
            con.execute(script)

    def _write_systems(self, systems: int, path: str) -> None:
        self._write_database(path)
        script = _TEMPLATES.get_template("systems.sql").render(depth=self.depth, systems=systems)
        with duckdb.connect(path) as con:
            con.execute(script)

    def _export(self, query: str, options: str, path: str) -> None:
        with duckdb.connect(self.database, read_only=True) as con:
            con.execute(f"copy ({query}) to '{path}' ({options})")


def _make_once(path: str, write: Callable[[str], None]) -> None:
    """Write a file unless it exists. Until it is complete, it has a temporary name."""
    if Path(path).exists():
        return
    unfinished = f"{path}.{os.getpid()}"
    try:
        write(unfinished)
        Path(unfinished).replace(path)
    finally:
        Path(unfinished).unlink(missing_ok=True)


def main() -> None:
    """Create the data of one size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_ROOT, help="folder of the data (default: %(default)s)")
    parser.add_argument("--queries", type=int, required=True)
    parser.add_argument("--depth", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shuffled", action="store_true", help="shuffle the rows of the run with scores")
    parser.add_argument("--database-only", action="store_true", help="do not write Parquet files and TREC text")
    parser.add_argument(
        "--systems", type=int, default=0, help="number of systems in a further database (default: none)"
    )
    options = parser.parse_args()
    data = Data(options.data, options.queries, options.depth, options.seed, options.shuffled)
    data.make(files=not options.database_only, systems=options.systems)


if __name__ == "__main__":
    main()
