"""Render fusion as SQL, and the search for its weights, from the templates in `sql/`."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ltr_sql.catalogue.functions import Procedure, procedures
from ltr_sql.catalogue.measures import definitions_by_name
from ltr_sql.catalogue.options import check_choice
from ltr_sql.errors import InputError, LtrSqlError
from ltr_sql.rendering.columns import NamedColumns, listed, same
from ltr_sql.rendering.dialects import DUCKDB, Dialect, string
from ltr_sql.rendering.measure_columns import building_blocks, expressions
from ltr_sql.rendering.templates import (
    CallTime,
    SqlValue,
    macros_of,
    render_template,
    sql_value,
    template_of,
    vocabulary,
)

# Tie-breaking rules of runs without relevance.
TIES = ("docid_desc", "docid_asc", "docid_desc_float32", "row_order")


@dataclass(frozen=True)
class FusedColumns(NamedColumns):
    """The columns of several runs. The first of `keys` names the run; the others are grouping columns of the result."""

    def fused_key(self, row: str) -> str:
        """Return SQL that lists the key of a fused ranking: the grouping columns and query_id."""
        return listed(row, self._fused_names)

    def same_fused_key(self, row: str, other: str) -> str:
        """Return SQL that compares the keys of two fused rankings."""
        return same(row, other, self._fused_names, self.dialect)

    def fused_key_output(self, row: str) -> str:
        """Return the select list of the key of a fused ranking."""
        return ", ".join([*self._output(row)[1:], f"{row}.query_id"])

    @property
    def _fused_names(self) -> tuple[str, ...]:
        return (*self._key_names[1:], "query_id")


@dataclass(frozen=True)
class RunTables:
    """SQL fragments of the runs to fuse.

    - `relation`: SQL after `from`: the table of all runs.
    - `columns`: its columns.
    - `has_rank`: true if it has ranks; a `CallTime` if this is known only at run time.
    - `has_score`: true if it has scores.
    - `few`: true if it is known to hold at most two runs.
    - `weights`: query with the columns name (text) and weight, one row per run; empty for equal weights.
    - `points`: relation with the columns point (a number), name and weight, for a fused run of each point; empty for
      one fused run.
    """

    relation: str
    columns: FusedColumns
    has_rank: bool | CallTime = False
    has_score: bool = True
    few: bool = False
    weights: str = ""
    points: str = ""


@dataclass(frozen=True)
class FusionOptions:
    """The options of a fusion.

    - `method`, `norm`: names of procedures of the kinds 'fusion' and 'norm'.
    - `ties`: one of `TIES`.
    - `k`, `p`, `gamma`, `constant`: parameters of methods and norms.
    - `depth`: number of documents of each run to fuse; `top`: number of documents to return. None is all.
    """

    method: str = "rrf"
    norm: str | None = None
    ties: str = "docid_desc"
    k: SqlValue = 60.0
    p: SqlValue = 0.8
    gamma: SqlValue = 1.0
    constant: SqlValue = 0.0
    depth: SqlValue = None
    top: SqlValue = None


def fusion_options(method: str, norm: str | None, ties: str, **numbers: float | None) -> FusionOptions:
    """Return the options of a fusion. Raises InputError for an invalid value.

    `numbers` holds k, p, gamma, constant, depth and top.
    """
    methods, norms = procedures("fusion"), procedures("norm")
    check_choice("method", method, methods)
    check_choice("norm", norm or "max", norms)
    check_choice("ties", ties, TIES)
    if norm is not None and reads_ranks(methods[method]):
        scored = next(name for name, other in methods.items() if not reads_ranks(other))
        raise InputError(
            f"method={method!r} reads ranks, to which no norm applies: leave norm out, or choose a method of scores "
            f"such as {scored!r}"
        )
    for name, least, most in (
        ("k", 0, math.inf),
        ("p", 0, 1),
        ("gamma", -math.inf, math.inf),
        ("constant", -math.inf, math.inf),
    ):
        number = numbers[name]
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise InputError(f"{name} must be a finite number, got {number!r}")
        if not least <= number <= most:
            raise InputError(f"{name} must be a number from {least}{f' to {most}' * (most < 2)}, got {number!r}")
    for name in ("depth", "top"):
        number = numbers[name]
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
            raise InputError(f"{name} must be an integer from 1, or None, got {number!r}")
    given_numbers = {
        name: number if name in ("depth", "top") else float(number or 0) for name, number in numbers.items()
    }
    return FusionOptions(method, norm, ties, **given_numbers)


def rendered_fusion(dialect: Dialect, keys: Sequence[str], names: Mapping[str, str]) -> str:
    """Return the query of a fusion for `ltr_sql.render`, whose tables exist only by name.

    - `names`: names of the tables `runs` and `weights`; has_rank='runs' if the runs have a column rank; and options.

    Raises LtrSqlError for an unknown name, and InputError for an invalid option.
    """
    defaults = FusionOptions()
    numbers = {name: value for name, value in vars(defaults).items() if name not in ("method", "norm", "ties")}
    known = ["runs", "weights", "has_rank", "method", "norm", "ties", *numbers]
    unknown = set(names) - {*known}
    if unknown:
        raise LtrSqlError(f"fuse takes {', '.join(known)}, not {', '.join(sorted(unknown))}")
    try:
        given = {name: float(names[name]) for name in numbers if name in names}
    except ValueError as error:
        raise LtrSqlError(f"fuse: {error}") from None
    whole = {name: int(value) if name in ("depth", "top") else value for name, value in given.items()}
    method = names.get("method", defaults.method)
    options = fusion_options(method, names.get("norm"), names.get("ties", defaults.ties), **{**numbers, **whole})
    weights = ""
    if "weights" in names:
        name = f"cast(w.system as {dialect.text_type})"
        weights = f"select {name} as name, cast(w.weight as double) as weight from {names['weights']} as w"
    columns = FusedColumns(("system", *(key for key in keys if key != "system")), dialect, exact=())
    tables = RunTables(
        names.get("runs", "runs"), columns, has_rank="runs" in names.get("has_rank", ""), weights=weights
    )
    return fusion_query(tables, options)


def fusion_query(runs: RunTables, options: FusionOptions) -> str:
    """Return the query of the fused run: grouping columns, query_id, doc_id, score, rank and number of runs."""
    method = procedures("fusion")[options.method]
    parts = FusionParts(runs, options)
    return parts.query(
        **parts.by_ties(reads_scores(method)),
        systems=parts.systems(),
        **parts.values(method if reads_ranks(method) else procedures("norm").get(options.norm or "")),
        fused=parts.text(method.body),
    )


def reads_ranks(method: Procedure) -> bool:
    """Return whether a method reads ranks. No norm applies to these methods."""
    return bool(method.fields["reads"] == "ranks")


def reads_scores(method: Procedure) -> bool:
    """Return whether a method reads scores."""
    return not reads_ranks(method)


class FusionParts:
    """Render the parts of the query of a fusion."""

    def __init__(self, runs: RunTables, options: FusionOptions) -> None:
        self._runs = runs
        columns, dialect = runs.columns, runs.columns.dialect
        cut = options.depth if isinstance(options.depth, int) and options.depth < 100_000 else None
        names: dict[str, Any] = {
            **vocabulary(columns, dialect),
            **vars(options),
            "few": runs.few,
            "materialized": "materialized " if dialect is DUCKDB else "",
            # Rows need the numbers of their runs only with weights or with more than two runs.
            "numbered": bool(runs.weights or runs.points) or not runs.few,
            "points": runs.points,
            "sorted_values": dialect.sorted_values and partial(_sorted_values, dialect.sorted_values),
            "relations": {"runs": runs.relation},
            "scores_checked": False,
            "finite_scores": False,
            "unsorted": 0,
        }
        # Rows still tied after tie-breaking are duplicate documents, which the query of the fused run rejects.
        names["distinct_documents"] = True
        # Only DuckDB can skip sorting the rows below the depth, and only if the depth is known.
        names["depth"] = cut if dialect.smallest_of_largest else None
        names |= macros_of("shared/runs.sql", names)
        names |= macros_of("shared/weights.sql", names)
        names |= macros_of("shared/fusion.sql", names)
        names["at_depth"] = _at_most("r.rank", options.depth)
        names["at_top"] = _at_most("f.rank", options.top)
        weight = "w.weight" if runs.points else "d.weight" if names["numbered"] else ""
        names |= {
            "weight": weight or "1e0",
            "weighted_value": f"{weight} * d.value" if weight else "d.value",
            "rank": "l.rank",
            "score": "l.score",
            "documents_of_run": "q.documents",
            "documents_of_query": "p.documents",
            **{name: f"q.{name}" for name in ("lowest", "highest", "sum_above_lowest", "mean", "deviation")},
        }
        self._names: Mapping[str, Any] = names

    def by_ties(self, scores: bool) -> dict[str, str]:
        """Return the parts that depend on the tie-breaking rule. `scores` is true to keep the scores of the runs.

        - `ranked`: the CTEs that rank the documents of each run.
        - `scores`: the column of scores and a comma, or ''.
        - `order`: the sort order of the fused run.
        """
        kept = self._runs.has_score if scores else None
        return {
            "ranked": self._names["ranked_run"]("runs", self._runs.has_rank, self._names["ties"], has_score=kept),
            "scores": f"{self._names['finite_score']('r.score')} as score,\n" if scores else "",
            "order": self._names["fused_order"](self._names["ties"]),
        }

    def systems(self) -> str:
        """Return the query of the runs with their numbers and weights."""
        return self._template("fused_systems", weights=self._runs.weights)

    def values(self, procedure: Procedure | None) -> dict[str, str]:
        """Return the parts that depend on how documents get values.

        `procedure` is a method that reads ranks, a norm, or None for raw scores. The parts are:

        - `values`: the query of the value of each document in each run.
        - `runs`: SQL of the number of runs that hold a document.
        """
        by_rank = procedure is not None and procedure.kind == "fusion"
        fields = {} if procedure is None else procedure.fields
        value = "l.score" if procedure is None else fields["value"] if by_rank else procedure.body
        values = self._template(
            "fused_values",
            value=self.text(value),
            absent=self.text(fields.get("absent", "")),
            reads_scores=not by_rank,
        )
        return {"values": values, "runs": "sum(d.held)" if "absent" in fields else "count(*)"}

    def query(self, **parts: str) -> str:
        """Assemble the query from its parts."""
        return self._template("fuse", **parts)

    def text(self, text: str) -> str:
        """Render a text as a template."""
        return template_of(text).render(self._names)

    def _template(self, name: str, **context: Any) -> str:
        return render_template(f"rendering/fusion/{name}.sql", **{**self._names, **context})


def _sorted_values(template: str, value: str, where: str = "") -> str:
    return template.format(value=value, where=where)


def _at_most(rank: str, most: SqlValue) -> str:
    return f"{rank} is not null" if most is None else f"{rank} <= {most}"


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


def grid_query(runs: str, compared: str, choices: str, steps: int | str) -> str:
    """Return the query of the grid: configuration, choice, its method, norm and k, and name and weight of each run.

    - `runs`: relation of the runs. `compared`: the quoted column that names them.
    - `choices`: rows of the choices; see `choice_rows`. `steps`: the number of steps from 0 to 1.
    """
    return _rendered("grid", runs=runs, compared=compared, choices=choices, steps=steps)


def choice_rows(choices: Sequence[Choice]) -> str:
    """Return the choices as rows of values: number, method, norm, k, and whether the method takes weights."""
    return ", ".join(
        f"({number}, {string(choice.method)}, {'null' if choice.norm is None else string(choice.norm)}, "
        f"{sql_value(choice.k)}, {str(choice.weighted).lower()})"
        for number, choice in enumerate(choices, start=1)
    )


def grid_of_fusions(runs: RunTables, choices: Sequence[Choice], options: FusionOptions, grid: str) -> str:
    """Return the query of the fused run of each configuration of a grid, numbered in a column point.

    `options`: those that all choices share.
    """
    queries = []
    for number, choice in enumerate(choices, start=1):
        points = f"(select g.configuration as point, g.name, g.weight from {grid} as g where g.choice = {number})"
        k = options.k if choice.k is None else choice.k
        own = replace(options, method=choice.method, norm=choice.norm, k=k)
        query = fusion_query(replace(runs, points=points), own)
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
        materialized=DUCKDB.materialized,
        tuned=TUNED,
        equal=EQUAL,
        most=MOST,
        **lists,
        **context,
    )
