"""Render fusion as SQL, and the search for its weights, from the templates in `sql/`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ltr_sql.catalogue.functions import Procedure, builders, procedures
from ltr_sql.catalogue.measures import definitions_by_name
from ltr_sql.rendering.builders import FusedColumns, builder_query
from ltr_sql.rendering.columns import NamedColumns
from ltr_sql.rendering.dialects import DUCKDB, string
from ltr_sql.rendering.measure_columns import building_blocks, expressions
from ltr_sql.rendering.templates import render_template, sql_value, vocabulary


@dataclass(frozen=True)
class RunTables:
    """SQL fragments of the runs to fuse.

    - `tables`: SQL of the runs, and of the other relations that the builder takes.
    - `columns`: the columns of the runs.
    - `known`: has_rank, has_score and few; see `builders.names_of`.
    """

    tables: Mapping[str, str]
    columns: FusedColumns
    known: Mapping[str, bool]


def fusion_query(runs: RunTables, method: str, values: Mapping[str, Any]) -> str:
    """Return the query of the fused run: grouping columns, query_id, doc_id, score, rank and number of runs."""
    return builder_query(builders()["fuse"], [method], runs.tables, values, columns=runs.columns, **runs.known)


def reads_ranks(method: Procedure) -> bool:
    """Return whether a method reads ranks. No norm applies to these methods."""
    return bool(method.fields["reads"] == "ranks")


def reads_scores(method: Procedure) -> bool:
    """Return whether a method reads scores."""
    return not reads_ranks(method)


# What the comparison calls the tuned fusion, and the fusion with equal weights.
TUNED, EQUAL = "tuned", "equal weights"
# Number of folds by default.
FOLDS = 5
# Largest number of points of weights in a grid.
MOST = 5_000


@dataclass(frozen=True)
class Choice:
    """A method of fusion to try, with its norm and the constant `k` of 'rrf', which are None for other methods."""

    method: str
    norm: str | None
    k: float | None

    @property
    def weighted(self) -> bool:
        """True if the method takes weights."""
        return bool(procedures("fusion")[self.method].fields["weighted"])


def choices_of(methods: Sequence[str], norms: Sequence[str | None], ks: Sequence[float]) -> list[Choice]:
    """Return the choices in their order: those of the first method first. A norm applies only to methods of scores."""
    found = []
    for method in methods:
        of_ranks = reads_ranks(procedures("fusion")[method])
        for norm in [None] if of_ranks else norms:
            found += [Choice(method, norm, k) for k in (ks if method == "rrf" else [None])]
    return found


def grid_query(runs: str, choices: str, steps: int | str) -> str:
    """Return the query of the grid: configuration, choice, its method, norm and k, and name and weight of each run.

    - `runs`: relation of the runs, with the column system.
    - `choices`: rows of the choices; see `choice_rows`. `steps`: the number of steps from 0 to 1.
    """
    return _rendered("grid", runs=runs, choices=choices, steps=steps)


def choice_rows(choices: Sequence[Choice]) -> str:
    """Return the choices as rows of values: number, method, norm, k, and whether the method takes weights."""
    return ", ".join(
        f"({number}, {string(choice.method)}, {'null' if choice.norm is None else string(choice.norm)}, "
        f"{sql_value(choice.k)}, {str(choice.weighted).lower()})"
        for number, choice in enumerate(choices, start=1)
    )


def grid_of_fusions(runs: RunTables, choices: Sequence[Choice], depth: int | None, grid: str) -> str:
    """Return the query of the fused run of each configuration of a grid, numbered in a column point."""
    queries = []
    for number, choice in enumerate(choices, start=1):
        points = f"(select g.configuration as point, g.name, g.weight from {grid} as g where g.choice = {number})"
        values = {"norm": choice.norm, "depth": depth, **({} if choice.k is None else {"k": choice.k})}
        query = fusion_query(replace(runs, tables={**runs.tables, "points": points}), choice.method, values)
        queries.append(f"select f.* from (\n{query}\n) as f")
    return "\nunion all\n".join(queries)


@dataclass(frozen=True)
class TuningValues:
    """The values of a grid, and how configurations are chosen.

    - `grid`: relation of the grid. `values`: relation with configuration, query_id and value of each query.
    - `run_values`: relation with system, query_id and value of the runs alone.
    - `measure`: SQL of the name of the measure. `value`: the quoted column of the values to compare.
    - `folds`, `holdout`, `seed`, `level`: SQL of the number of folds, of the share of queries held out or null, of the
      seed, and 1 minus the coverage of intervals.
    """

    grid: str
    values: str
    run_values: str
    measure: str
    value: str
    folds: str
    holdout: str
    seed: str
    level: str


def compared_query(tuning: TuningValues) -> str:
    """Return the query of the values to compare: system, query_id, and the value."""
    return f"with {chosen_parts(tuning)}\n{compared_part(tuning)}"


def tuned_query(tuning: TuningValues) -> str:
    """Return the query of the grid with means, intervals and choices."""
    return f"with {chosen_parts(tuning)}\n{tuned_part(tuning, expressions())}"


def chosen_parts(tuning: TuningValues) -> str:
    """Return the CTEs of the choices, which `compared_part` and `tuned_part` read."""
    return _rendered("chosen", **vars(tuning))


def compared_part(tuning: TuningValues) -> str:
    """Return the query of the values to compare, after the CTEs of the choices."""
    return _rendered("compared", **vars(tuning))


def tuned_part(tuning: TuningValues, functions: Mapping[str, Callable[..., str]]) -> str:
    """Return the query of the grid, after the CTEs of the choices. `functions`: those of probabilities."""
    return _rendered("tuned", **vars(tuning), t_quantile=functions["t_quantile"])


def rows_query(table: str, worth: str) -> str:
    """Return the query of the grid and of what it is worth, as one table. For the relations see its template."""
    return _rendered("rows", table=table, worth=worth)


def _rendered(template: str, **context: Any) -> str:
    names = definitions_by_name().items()
    lists: Mapping[str, str] = {
        "lower_names": DUCKDB.text_list(name for name, definition in names if definition.better == "lower"),
        "geometric_names": DUCKDB.text_list(name for name, definition in names if definition.average == "geometric"),
    }
    return render_template(
        f"rendering/tuning/{template}.sql",
        **vocabulary(NamedColumns((), DUCKDB), DUCKDB),
        **{name: macro for name, macro in building_blocks().items() if name == "named_in"},
        tuned=TUNED,
        equal=EQUAL,
        most=MOST,
        **lists,
        **context,
    )
