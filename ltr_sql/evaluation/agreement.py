"""Compare rankings with each other, without judgments."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Unpack

import duckdb

from ltr_sql.catalogue.functions import relations
from ltr_sql.catalogue.measure_strings import parse_measures
from ltr_sql.catalogue.options import Reading, takes
from ltr_sql.errors import InputError, MeasureError
from ltr_sql.evaluation.accuracy import ordered, ordered_query
from ltr_sql.evaluation.options import EvaluationOptions
from ltr_sql.inputs.binding import Bound, check_relation_option, ranked_by_score, require_run, require_scores
from ltr_sql.inputs.connection import data_frame
from ltr_sql.inputs.session import Session, with_warnings
from ltr_sql.inputs.tables import Keys, Table, check_keys, listed_names, with_equal_ids
from ltr_sql.rendering.columns import EXACT, NamedColumns
from ltr_sql.rendering.dialects import DUCKDB
from ltr_sql.rendering.measure_columns import Pairs, Shortcuts
from ltr_sql.rendering.renderer import Renderer
from ltr_sql.rendering.templates import render_template
from ltr_sql.validation.checks import quick_check_run, unicode_forms

_DEFAULT_MEASURES = ("KendallTau", "RBO", "Overlap@10")
# Systems are compared in batches of about this many rows of pairs, which need some 500 MB.
_ROWS_OF_A_BATCH = 250000


@takes(Reading)
def agreement(
    a: Any,
    b: Any = None,
    measures: Iterable[str] = _DEFAULT_MEASURES,
    *,
    keys: Sequence[str] = (),
    by_query: bool = False,
    ties: str = "docid_desc",
    check: bool = True,
    con: duckdb.DuckDBPyConnection | None = None,
    **reading: Unpack[Reading],
) -> Any:
    """Return the agreement of rankings: means over queries, or with `by_query` one row per query.

    - `a`: a run (query_id, doc_id, and rank or score), in any form that `evaluate` accepts. Without `b`, several
      systems, as a dict of name -> run or a table with a column system; each pair is compared once.
    - `b`: the run to compare `a` with.
    - `measures`: measures of agreement, by default KendallTau, RBO and Overlap@10. Each of them defines how it treats a
      document that one ranking lacks. 'Pearson' compares scores, even if the runs have ranks.
    - `keys`: grouping columns. Only rankings with equal values in these columns are compared.
    - `by_query`: true for one row per query instead of means.
    - `ties`: tie-breaking rule for equal scores, 'docid_desc' by default.
    - `check`: false skips input validation, which rejects duplicate documents, NULL ids, non-numeric scores or ranks,
      infinite scores, ranks out of range, and two runs without a common query.
    - `con`: a DuckDB connection, for inputs that are names of its tables; by default a new connection to the in-memory
      database of this process.

    Returns a data frame: polars or pyarrow if such a table was passed in, otherwise pandas. Its columns are system_a
    and system_b (without `b`), the keys, `queries` (number of queries in either ranking) or `query_id`, and one per
    measure string. A measure that is undefined for a query, such as a correlation of one document, is NULL there and
    left out of the mean.

    Raises MeasureError for an invalid measure, and for one that needs relevance. Raises InputError for runs that cannot
    be compared. Warns with InputWarning of ids in several Unicode normal forms.

    >>> a, b = {"q": ["x", "y", "z"]}, {"q": ["y", "x", "z"]}
    >>> ltr_sql.agreement({"a": a, "b": b}, measures=["KendallTau", "Overlap@2"]).round(4)
      system_a system_b  queries  KendallTau  Overlap@2
    0        a        b        1      0.3333        1.0
    """
    parsed = parse_measures(measures)
    for measure in parsed:
        if not measure.definition.paired:
            raise MeasureError(f"measure {measure.text!r} needs relevance: call evaluate with a run and judgments")
    check_relation_option("pair", "ties", ties)
    options = EvaluationOptions(tuple(parsed), ties, keys=keys, by_query=by_query, check=check)

    def run(state: Session) -> tuple[Any, list[str]]:
        if b is None:
            values = next(state.names)
            for bound in _bind_systems(state, a, options):
                state.append(values, bound.query(options.measures, averaged=not by_query))
            runs = {"the runs": bound.run}
            query = ordered(f"from {values}", bound.keys.all, bound.run.systems, by_query)
        else:
            bound, runs = _bind_two_runs(state, a, b, options)
            query = ordered_query(bound, options.measures, by_query)
        try:
            frame = data_frame(state.con, query, state.frame)
        except duckdb.InvalidInputException:
            if check:
                for name, table in runs.items():
                    quick_check_run(state.con, name, table, bound.keys.all)
            raise
        return frame, unicode_forms(state.con, *runs.values()) if check else []

    return with_warnings(con, run, {**reading, "keys": keys})


def _bind_two_runs(state: Session, a: Any, b: Any, options: EvaluationOptions) -> tuple[Bound, dict[str, Table]]:
    """Return the two runs joined as pairs, and a dict of the runs, whose keys name them in error messages."""
    keys, ties = options.keys, options.ties
    runs = {"run_a": state.bind(a, "run").in_row_order(ties), "run_b": state.bind(b, "run").in_row_order(ties)}
    for which, run in zip(("first", "second"), runs.values(), strict=True):
        require_run(f"the {which} run", run, ties)
        require_scores(f"the {which} run", run, options.measures, "score")
        keys = check_keys(run, keys, [measure.text for measure in options.measures])
        if options.check:
            quick_check_run(state.con, f"the {which} run", run, keys, find_duplicates=False)
    run_a, run_b = with_equal_ids(*runs.values())
    if options.check:
        _require_common_query(state, run_a, run_b)
    query = _pair_query(
        {"run_a": run_a.sql, "run_b": run_b.sql},
        tuple(keys),
        ties,
        has_rank={name: "rank" in run.columns for name, run in runs.items()},
        has_score=[name for name, run in runs.items() if "score" in run.columns],
        reject_duplicates=options.check,
    )
    bound = Bound(Pairs(f"(\n{query}\n)"), Keys(tuple(keys)), run_a, None)
    return bound, {"the first run": run_a, "the second run": run_b}


def _require_common_query(state: Session, a: Table, b: Table) -> None:
    """Raise InputError if the runs have no query in common."""
    queries_a, queries_b = (f"(select distinct r.query_id from {run.sql} as r)" for run in (a, b))
    if not state.rows(f"select 1 from {queries_a} as a join {queries_b} as b on b.query_id = a.query_id limit 1"):
        raise InputError("the runs have no query in common: compare their query ids, and check that neither is empty")


def _bind_systems(state: Session, runs: Any, options: EvaluationOptions) -> Iterator[Bound]:
    """Yield batches of the pairs of systems in one table of runs, with the keys system_a and system_b."""
    ties = options.ties
    run = state.bind(runs, "run").in_row_order(ties)
    if "system" not in run.columns:
        raise InputError(
            "there is only one run: pass a second one, a dict of runs, or a table of several runs with a column "
            f"system; the columns are {listed_names(run.columns)}"
        )
    require_run("the runs", run, ties)
    require_scores("the runs", run, options.measures, "score")
    keys = check_keys(run, options.keys, [measure.text for measure in options.measures])
    others = tuple(key for key in keys if key.lower() != "system")
    both = ("system_a", "system_b", *others)
    (systems,) = state.rows(f"select count(distinct r.system) from {run.sql} as r")[0]
    if systems < 2:
        raise InputError(f"the column system names {systems} system{'s' * (systems != 1)}: pass at least two")
    if options.check:
        quick_check_run(state.con, "the runs", run, ("system", *others))
    ranked = state.load(f"(\n{_ranked_systems(run, ('system', *others), ties)}\n)")
    pairs = state.load(
        f"(\n{render_template('evaluation/batches_of_systems.sql', ranked=ranked.sql, rows=_ROWS_OF_A_BATCH)}\n)"
    )
    paired = _pair_query(
        {"run_a": "__ltr_system_a", "run_b": "__ltr_system_b"},
        both,
        ties,
        has_rank={"run_a": True, "run_b": True},
        has_score=["run_a", "run_b"] if "score" in run.columns else [],
        reject_duplicates=False,
    )
    (batches,) = state.rows(f"select max(p.batch) from {pairs.sql} as p")[0]
    for batch in range(batches + 1):
        query = render_template(
            "evaluation/system_pairs.sql", ranked=ranked.sql, pairs=pairs.sql, batch=batch, paired=paired
        )
        yield Bound(Pairs(f"(\n{query}\n)"), Keys(both), run, None)


def _ranked_systems(run: Table, keys: tuple[str, ...], ties: str) -> str:
    """Return the query of the ranked runs: with their own ranks, or with ranks made from scores."""
    if "rank" in run.columns:
        names = [*map(run.dialect.identifier, keys), "query_id", "doc_id", "rank"]
        names += ["score"] if "score" in run.columns else []
        return f"select {', '.join(f'r.{name}' for name in names)}\nfrom {run.sql} as r"
    columns = NamedColumns(keys, run.dialect, kept=("doc_id", "score"), exact=run.beyond_doubles(*EXACT))
    return ranked_by_score(Renderer(columns, run.dialect), run, ties)


def _pair_query(
    inputs: dict[str, str],
    keys: tuple[str, ...],
    ties: str,
    *,
    has_rank: dict[str, bool],
    has_score: Sequence[str],
    reject_duplicates: bool,
) -> str:
    return Renderer(NamedColumns(keys, DUCKDB)).relation(
        relations()["pair"].body,
        inputs=inputs,
        has_rank=has_rank,
        has_score=has_score,
        values={"ties": ties},
        shortcuts=Shortcuts(duplicates_checked=not reject_duplicates),
    )
