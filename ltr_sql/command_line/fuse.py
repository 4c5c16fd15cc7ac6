"""The command `ltr-sql fuse`."""

from collections.abc import Sequence
from typing import Any

import click

from ltr_sql.building.fusion import Fusion, fused
from ltr_sql.catalogue.options import Reading
from ltr_sql.catalogue.procedures import procedures
from ltr_sql.command_line.flags import Command, flag
from ltr_sql.command_line.options import (
    METHOD,
    RUN,
    check_option,
    mapping,
    output_option,
    popped,
    reading_options,
    ties_option_of,
    write_output,
)
from ltr_sql.command_line.runs import named_files, require_files
from ltr_sql.inputs.connection import names_and_rows
from ltr_sql.inputs.session import with_warnings
from ltr_sql.rendering.fusion import TIES, fusion_options


class Weight(click.ParamType):  # type: ignore[type-arg]
    """A weight of a run, as RUN=WEIGHT."""

    name = "weight"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[tuple[str, float]]:
        """Return the name of the run, and its weight."""
        run, _, weight = value.rpartition("=")
        try:
            return [(run, float(weight) if run else self.fail(f"write RUN=WEIGHT, as in bm25=0.5, got {value!r}"))]
        except ValueError:
            self.fail(f"write RUN=WEIGHT, as in bm25=0.5, got {value!r}", param, ctx)


@click.command(cls=Command)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@output_option
@flag(
    "--method",
    type=click.Choice(list(procedures("fusion"))),
    default="rrf",
    show_default=True,
    help=METHOD,
)
@flag("--norm", type=click.Choice(list(procedures("norm"))), help="Normalise the scores of each run and query.")
@flag(
    "--run-weight",
    "weights",
    type=Weight(),
    multiple=True,
    callback=mapping,
    metavar="RUN=WEIGHT",
    help="Weight of a run; weight all runs or none. May be repeated.",
)
@flag("--k", type=float, default=60, show_default=True, help="Constant of rrf.")
@flag("--p", type=float, default=0.8, help="Persistence of the reader for rbp and rbc, 0.8 by default.")
@flag("--gamma", type=float, default=1, show_default=True, help="Exponent of the number of runs in comb_mnz.")
@flag("--constant", type=float, default=0, show_default=True, help="Value of equal scores under norm min_max.")
@flag(
    "--depth",
    type=click.IntRange(min=1),
    show_default="all",
    help="Number of documents from the top of each ranking.",
)
@flag("--top", type=click.IntRange(min=1), show_default="all", help="Number of documents of each query to write.")
@ties_option_of(TIES, TIES[0])
@flag("--name", help="Run id of the fused run; default: the method.")
@check_option
@reading_options
def fuse(
    runs: Sequence[str],
    output: str | None,
    method: str,
    norm: str | None,
    weights: dict[str, float],
    ties: str,
    name: str | None,
    check: bool,
    **others: Any,
) -> None:
    """Fuse RUNS into one run in TREC format.

    Runs are named by their run ids. If two run ids are equal, or the run id of a file is unknown (CSV, .zst, standard
    input), runs are named by their files. The run from standard input (-) is named stdin.
    """
    require_files(runs)
    reading = popped(Reading, others)
    options = fusion_options(method, norm, ties, **others)
    call = Fusion(named_files(runs), options, weights or None, check=check)
    _, rows = with_warnings(None, lambda state: fused(state, call, names_and_rows), reading)
    run_id = name or method
    lines = "".join(f"{query} Q0 {doc} {rank} {score!r} {run_id}\n" for query, doc, score, rank, _ in rows)
    write_output(lines, output)
