"""Large runs with unsorted scores beside the work that other ways of ranking them need.

`python -m benchmarks.scale --queries 20000` evaluates 20 million rows, and 1,000,000 queries are a billion rows.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import click
import duckdb
import jinja2

from benchmarks.processes import Contender, Results, measure
from benchmarks.tables import Bar, Row, Table

MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100", "R@1000")
# Kinds of runs, with the largest allowed ratio to their join: for scores, to the join with rank().
KINDS = {"ids": 0.9, "text ids": 0.9, "tied": 1.5, "shuffled": 1.2, "ranks": 2.0}
# Largest allowed ratio of scores to the join without rank().
_TO_JOIN = 7.0
_LIMIT = "4GB"
_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent), undefined=jinja2.StrictUndefined, autoescape=False
)


def contenders(folder: Path, kind: str, repetitions: int) -> tuple[Contender, Contender, Contender]:
    """Return the join of run and judgments, the join with rank(), and the evaluation."""
    run, qrels = folder / "run.parquet", folder / "qrels.parquet"
    settings = {"memory_limit": _LIMIT, "temp_directory": str(folder / "spilled"), "preserve_insertion_order": False}
    ranks = "rank() over (partition by query_id order by score desc) as rank"
    joined = f"join '{qrels}' as q using (query_id, doc_id)"
    least = f"select count(*), sum(r.{'rank' if kind == 'ranks' else 'score'}) from '{run}' as r {joined}"
    ranked = f"select count(*), sum(r.rank) from (select query_id, doc_id, {ranks} from '{run}') as r {joined}"
    limits = {"settings": settings, "database": None}
    evaluated = {"rankings": str(run), "qrels": str(qrels), "measures": MEASURES, **limits}
    return (
        Contender(f"join, {kind}", "query", {"sql": least, **limits}, repetitions, fresh=True),
        Contender(f"join and rank(), {kind}", "query", {"sql": ranked, **limits}, repetitions, fresh=True),
        Contender(f"ltr_sql, {kind}", "evaluate", evaluated, repetitions, fresh=True),
    )


def make(folder: Path, kind: str, queries: int) -> None:
    """Create the run and its judgments in a folder, unless they exist."""
    if folder.exists():
        return
    folder.mkdir(parents=True)
    text = _TEMPLATES.get_template("scale.sql").render(
        queries=queries, kind=kind, text=kind == "text ids", folder=folder
    )
    duckdb.connect(config={"threads": 2, "memory_limit": "8GB", "temp_directory": str(folder / "spilled")}).execute(
        text
    )


def rows_of(results: Results, measured: list[Contender], bar: Bar) -> list[Row]:
    """Return the rows of the table for one kind of run. The evaluation comes last, with its ratio to the one before."""
    *_, other, own = measured
    divisor = results.seconds(other)
    rows = []
    for contender in measured:
        seconds, peak = results.seconds(contender), results.peak(contender)
        ratio = seconds / divisor if contender is own and seconds and divisor else None
        verdict = bar.verdict(ratio) if contender is own else ""
        rows.append(Row(contender.name, seconds, peak, ratio, str(bar) if contender is own else "", verdict))
    return rows


@click.command()
@click.option("--queries", type=int, default=20_000, show_default=True, help="Number of queries of 1,000 documents.")
@click.option("--kind", "kinds", type=click.Choice(list(KINDS)), multiple=True, help="A kind of run; may be repeated.")
@click.option("--repetitions", type=int, default=3, show_default=True)
@click.option("--data", "root", type=Path, default=Path(tempfile.gettempdir()) / "ltr_sql_scale", show_default=True)
@click.option("--no-rank", is_flag=True, help="Leave out rank(), which does not end at a billion rows.")
def main(queries: int, kinds: tuple[str, ...], repetitions: int, root: Path, no_rank: bool) -> None:
    """Compare evaluations of large runs with a join, under a memory limit of 4 GB."""
    title = f"{queries * 1000:,} rows, memory_limit {_LIMIT}: ratio to the row above."
    table = Table(title)
    for kind in kinds or KINDS:
        folder = root / f"{kind.replace(' ', '-')}-{queries}"
        # A process inherits the peak memory of the process that starts it, so another process creates the data.
        creation = f"from benchmarks.scale import make, Path; make(Path({str(folder)!r}), {kind!r}, {queries})"
        subprocess.run([sys.executable, "-c", creation], check=True)
        join, ranked, own = contenders(folder, kind, repetitions)
        measured = [join, own] if no_rank or kind == "ranks" else [join, ranked, own]
        results = measure(measured)
        allowed = _TO_JOIN if no_rank and kind != "ranks" else KINDS[kind]
        table.rows += rows_of(results, measured, Bar(allowed, counts=queries >= 20_000))
        table.notes += [f"{name} did not run: {why}." for name, why in results.failures.items()]
    click.echo(table.text("github"))


if __name__ == "__main__":
    main()
