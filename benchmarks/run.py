"""Run the benchmarks: `python -m benchmarks.run --size small`."""

import os
import platform
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from benchmarks.data import DEFAULT_ROOT
from benchmarks.processes import SectionError
from benchmarks.sections import SECTIONS, Settings
from benchmarks.tables import Table

SIZES = {"small": (200, 1000), "medium": (2000, 1000), "full": (7000, 1000)}
README = Path(__file__).with_name("README.md")
_PACKAGES = ("duckdb", "pandas", "polars", "pytrec_eval-terrier", "ir_measures", "ranx")


@click.command()
@click.option("--size", type=click.Choice(list(SIZES)), default="small", show_default=True)
@click.option("--queries", type=int, help="Number of queries; overrides --size.")
@click.option("--depth", type=int, help="Number of documents per query; overrides --size.")
@click.option("--only", "names", type=click.Choice(list(SECTIONS)), multiple=True, help="A section; may be repeated.")
@click.option("--data", "root", type=Path, default=DEFAULT_ROOT, show_default=True, help="Folder of the data.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--shuffled", is_flag=True, help="Shuffle the rows of the run with scores.")
@click.option("--write", is_flag=True, help="Also write the results into benchmarks/README.md.")
def main(
    size: str,
    queries: int | None,
    depth: int | None,
    names: Sequence[str],
    root: Path,
    seed: int,
    shuffled: bool,
    write: bool,
) -> None:
    """Compare the speed of ltr_sql with plain queries and with its peers."""
    default_queries, default_depth = SIZES[size]
    settings = Settings(root, queries or default_queries, depth or default_depth, seed, shuffled)
    order = ", shuffled" if shuffled else ""
    about = f"{settings.queries:,} queries x {settings.depth:,} documents{order}. {_machine()}"
    click.echo(about)
    for name in names or SECTIONS:
        try:
            tables = SECTIONS[name](settings)
        except SectionError as error:
            click.echo(f"\n{name} is skipped: {error}.")
            continue
        click.echo("".join(f"\n{table.text('simple')}\n" for table in tables))
        if write:
            _write(name, about, tables)


def _machine() -> str:
    """Describe the cores, the memory and the versions."""
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = ", ".join(f"{package} {_version(package)}" for package in _PACKAGES)
    return f"{os.cpu_count()} cores, {gigabytes:.0f} GB; Python {platform.python_version()}, {versions}."


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _write(name: str, about: str, tables: Sequence[Table]) -> None:
    """Write the results of a section between its markers in the README."""
    begin, end = f"<!-- results: {name} -->\n", "<!-- end of results -->"
    results = "".join(f"{table.text('github')}\n\n" for table in tables)
    text = f"{begin}\n{results}<sub>{about} {datetime.now(UTC):%Y-%m-%d}.</sub>\n\n{end}"
    found = README.read_text(encoding="utf-8")
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    README.write_text(pattern.sub(lambda _: text, found), encoding="utf-8")


if __name__ == "__main__":
    main()
