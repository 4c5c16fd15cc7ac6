"""The commands `fuse` and `tune-fusion`."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from shlex import quote
from textwrap import fill
from typing import Any

import click

from ltr_sql.building.call import Call
from ltr_sql.building.fusion import fused
from ltr_sql.catalogue.functions import builders
from ltr_sql.catalogue.options import Reading, Tuning, defaults_of, options_of
from ltr_sql.command_line.builders import flag_for, method_flag
from ltr_sql.command_line.formats import FORMATS, table_text
from ltr_sql.command_line.options import (
    EVALUATION,
    FILE,
    METHOD,
    RUN,
    STATISTICS,
    Command,
    Option,
    Pairs,
    check_option,
    flag,
    flag_of,
    format_option,
    mapping,
    measure_option,
    names_in,
    output_option,
    popped,
    reading_options,
    united,
    with_options,
    write_output,
)
from ltr_sql.command_line.runs import named_files, require_files
from ltr_sql.command_line.terminal import width
from ltr_sql.comparison.tuning import tuned
from ltr_sql.errors import InputError
from ltr_sql.inputs.connection import names_and_rows
from ltr_sql.inputs.session import Session, with_warnings

_FUSE = builders()["fuse"]
_WEIGHTS: Mapping[str, Any] = {
    "type": Pairs("RUN=WEIGHT, as in bm25=0.5", number=True, single=True),
    "multiple": True,
    "callback": mapping,
    "metavar": "RUN=WEIGHT",
    "help": "Weight of a run; weight all runs or none. May be repeated.",
}


def _flags() -> Iterator[Option]:
    """Return the flags of the options of `fuse` by their types. Files name their runs."""
    yield method_flag(_FUSE)
    for kind in ("choice", "weights", "number", "integer"):
        for option in _FUSE.options:
            if option.type == kind:
                largest = {"type": click.IntRange(min=1), "show_default": "all"} if kind == "integer" else {}
                in_help = {"heading": EVALUATION} if option.name == "ties" else {}
                yield flag_for(option, **(_WEIGHTS if kind == "weights" else {}), **largest, **in_help)


@click.command(cls=Command)
@click.argument("runs", type=RUN, nargs=-1, required=True)
@with_options(_flags())
@output_option
@flag("--name", help="Run id of the fused run; default: the method.")
@check_option
@reading_options
def fuse(
    runs: Sequence[str], method: str, weights: dict[str, float], name: str | None, check: bool, **options: Any
) -> None:
    """Fuse RUNS into one run in TREC format.

    Runs are named by their run ids. If two run ids are equal, or the run id of a file is unknown (CSV, .zst, standard
    input), runs are named by their files. The run from standard input (-) is named stdin.
    """
    require_files(runs)
    reading, output = popped(Reading, options), options.pop("output")
    call = Call("fuse", named_files(runs), {**options, "method": method, "weights": weights or None})
    _, rows = with_warnings(None, lambda state: fused(state, call, names_and_rows, check=check), reading)
    run_id = name or method
    lines = "".join(f"{query} Q0 {doc} {rank} {score!r} {run_id}\n" for query, doc, score, rank, _ in rows)
    write_output(lines, output)


_OPTIONS = options_of(Tuning)
# The columns that a table for people shows.
_SHOWN = ("method", "norm", "k", "weights", "mean", "low", "high", "chosen", "folds")
_WORTH = ("against", "mean", "queries", "difference", "difference_low", "difference_high", "p_adjusted", "verdict")


def _listed(spelled: str, name: str, kind: Any, meaning: str) -> Callable[..., Any]:
    """Return the flag of an option that lists what to try, separated by commas."""
    option = _OPTIONS[name]
    default = option.default if isinstance(option.default, tuple) else (option.default,)
    return flag(
        *(spelled, name),
        type=kind,
        multiple=True,
        callback=lambda ctx, param, given: united(ctx, param, given) or default,
        show_default=",".join(map(str, default)),
        metavar=option.metavar,
        help=meaning,
    )


def _numbers_in(value: str) -> tuple[float, ...]:
    """Return the numbers of a list, which commas separate."""
    try:
        return tuple(float(number) for number in value.split(","))
    except ValueError:
        raise click.BadParameter(f"write numbers, as in 10,60, got {value!r}") from None


@click.command("tune-fusion", cls=Command)
@click.argument("files", metavar="QRELS RUN RUN...", type=FILE, nargs=-1, required=True)
@measure_option
@_listed("--method", "methods", names_in, METHOD)
@_listed("--norm", "norms", names_in, "Normalise the scores of each run and query.")
@_listed("--k", "k", _numbers_in, "Constant of rrf.")
@with_options(flag_of(_OPTIONS[name]) for name in ("step", "folds", "holdout", "seed"))
@flag_of(_OPTIONS["depth"], show_default="all")
@flag_of(_OPTIONS["confidence"], STATISTICS)
@check_option
@reading_options
@format_option()
@output_option
def tune_fusion(files: Sequence[str], measure: str, style: str, output: str | None, **options: Any) -> None:
    """Choose the weights of a fusion from labelled queries, and measure what they are worth on others.

    Prints the grid of weights, the tuned fusion against equal weights and each run on queries that did not choose
    it, and the command that fuses the runs. Runs are named by their run ids, as in `ltr-sql fuse`.
    """
    qrels, *runs = files
    if not runs:
        raise InputError(f"also pass the runs, as in: ltr-sql tune-fusion {qrels} RUN RUN -m nDCG@10")
    numbers = {name: value for name, value in options.items() if value is not None}
    norms = [None if norm.lower() == "none" else norm for norm in numbers.pop("norms")]
    given = defaults_of(Tuning, qrels=qrels, norms=norms, **numbers)

    def run(state: Session) -> tuple[tuple[list[str], list[Any], Any], list[str]]:
        found = tuned(state, named_files(runs), measure, given)
        return (*names_and_rows(state.con, found.rows, None), found), found.warnings

    names, rows, found = with_warnings(None, run, given)
    if style != "table":
        shown = rows if style == "json" else [[_shown(value) for value in row] for row in rows]
        write_output(FORMATS[style](names, shown), output)
        return
    records = [dict(zip(names, row, strict=True)) for row in rows]
    grid = [row for row in records if row["against"] is None]
    worth = [row for row in records if row["against"] is not None]
    fuse = _command("Fuse with" if found.better else "With the tuned weights", runs, found.arguments)
    if not found.better:
        fuse = f"{_command('Fuse with equal weights', runs, found.equal)}\n{fuse}"
    write_output(f"{_table(grid, _SHOWN)}\n{_table(worth, _WORTH)}\n{_fitted(found.sentence)}\n\n{fuse}\n", output)


def _table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Return a table of the columns that have a value in some row."""
    kept = [name for name in columns if any(row[name] is not None for row in rows)]
    return table_text(kept, [[_shown(row[name]) for name in kept] for row in rows])


def _shown(value: Any) -> Any:
    """Return weights as text, and other values as they are."""
    return ", ".join(f"{name} {weight:g}" for name, weight in value.items()) if isinstance(value, Mapping) else value


def _command(title: str, runs: Sequence[str], arguments: Mapping[str, Any]) -> str:
    """Return the command that fuses the runs with these arguments, after a title."""
    weights = [f"--run-weight {quote(f'{name}={weight!r}')}" for name, weight in arguments.get("weights", {}).items()]
    others = [f"--{name} {value}" for name, value in arguments.items() if name != "weights"]
    lines = [f"{title}: ltr-sql fuse"]
    for part in (*map(quote, runs), *others, *weights):
        if len(f"{lines[-1]} {part} \\") > (width() or sys.maxsize):
            lines.append("   ")
        lines[-1] += f" {part}"
    return " \\\n".join(lines)


def _fitted(text: str) -> str:
    """Return lines that fit the terminal, if there is one."""
    columns = width()
    return text if columns is None else "\n".join(fill(line, columns) for line in text.splitlines())
