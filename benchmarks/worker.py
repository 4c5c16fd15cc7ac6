"""One contender in a process of its own: `python -m benchmarks.worker TASK ARGUMENTS`, started by `processes.py`.

ARGUMENTS are JSON. Each line read runs the contender once; each line written is JSON: "error", or the seconds of
loading and of computing, the process's peak memory in MB, and the means.
"""

import json
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from time import perf_counter
from typing import Any

import duckdb

import ltr_sql

Means = dict[str, float]

# Measure strings, and what the peers call them.
PYTREC_EVAL = {
    "AP": "map",
    "RR": "recip_rank",
    "nDCG@10": "ndcg_cut_10",
    "nDCG": "ndcg",
    "P@10": "P_10",
    "R@100": "recall_100",
    "R@1000": "recall_1000",
}
RANX = {
    "AP": "map",
    "RR": "mrr",
    "nDCG@10": "ndcg@10",
    "nDCG": "ndcg",
    "P@10": "precision@10",
    "R@100": "recall@100",
    "R@1000": "recall@1000",
}

# The run with other scores: up to a half higher.
MOVED = "select query_id, doc_id, score * (1 + hash(doc_id) % 1000 / 2000) as score from run_scores"


@dataclass(frozen=True)
class Steps:
    """What a contender does each time: make the objects that it works on, then compute."""

    load: Callable[[], Any]
    compute: Callable[[Any], Means]


def evaluate(
    rankings: str,
    qrels: str | None,
    measures: Sequence[str],
    database: str | None = None,
    keys: Sequence[str] = (),
    frames: str | None = None,
    settings: dict[str, Any] | None = None,
    check: bool = True,
) -> Steps:
    """`ltr_sql.evaluate` of tables of a database, of files, or of files that have become data frames before."""
    connect = _connections(database, settings or {})
    given = [_frame(path, frames) if frames and path else path for path in (rankings, qrels)]

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        frame = ltr_sql.evaluate(given[0], measures, qrels=given[1], keys=keys, check=check, con=con)
        return {name: float(frame[name][0]) for name in measures}

    return Steps(connect, compute)


def agreement(measures: Sequence[str], database: str) -> Steps:
    """`ltr_sql.agreement` of the run with scores and the same documents in another order."""
    connect = _connections(database, {})
    connect().execute(f"create or replace temp table moved as {MOVED}")

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        frame = ltr_sql.agreement("run_scores", "moved", measures, con=con)
        return {name: float(frame[name][0]) for name in measures}

    return Steps(connect, compute)


def kendalltau(database: str) -> Steps:
    """scipy's function in a loop over the queries of the same two runs, joined by DuckDB into a data frame.

    It leaves scores tied that `agreement` tells apart by doc_id, as a ranking does.
    """
    peer = import_module("scipy.stats")
    con = _connections(database, {})()
    con.execute(f"create or replace temp table moved as {MOVED}")
    sql = "select a.query_id, a.score as a, b.score as b from run_scores as a join moved as b using (query_id, doc_id)"

    def compute(groups: Any) -> Means:
        taus = [peer.kendalltau(rows["a"].to_numpy(), rows["b"].to_numpy()).statistic for _, rows in groups]
        return {"KendallTau": sum(taus) / len(taus)}

    return Steps(lambda: con.sql(sql).df().groupby("query_id"), compute)


def long_list(measure: str, length: int) -> Steps:
    """A measure of agreement of one pair of long lists with ties, under a memory limit."""
    connect = _connections(None, {"memory_limit": "2GB"})
    rank = f"1 + hash(i + {{0}}) % {length // 2}"
    ranks = f"{rank.format(0)} as rank_a, {rank.format(length)} as rank_b"
    scores = f"1e0 / ({rank.format(0)}) as score_a, 1e0 / ({rank.format(length)}) as score_b"
    sql = f"select 'q' as query_id, {ranks}, {scores} from range({length}) as t(i)"

    def load() -> duckdb.DuckDBPyConnection:
        con = connect()
        con.execute(f"create table pairs as {sql}")
        return con

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        return {measure: float(ltr_sql.evaluate("pairs", [measure], con=con)[measure][0])}

    return Steps(load, compute)


def query(sql: str, database: str | None = None) -> Steps:
    """A bare query on a database or on files."""

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        con.execute(sql).fetchall()
        return {}

    return Steps(_connections(database, {}), compute)


def register() -> Steps:
    """`ltr_sql.register` on a new connection."""

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        ltr_sql.register(con)
        return {}

    return Steps(_connections(None, {}), compute)


def pytrec_eval(run: str, qrels: str) -> Steps:
    """Dicts of dicts from data frames."""
    peer = import_module("pytrec_eval")

    def load() -> Any:
        return _dicts(_pandas(qrels), "relevance"), _dicts(_scored(run), "score")

    def compute(objects: Any) -> Means:
        judgments, scores = objects
        values = peer.RelevanceEvaluator(judgments, set(PYTREC_EVAL.values())).evaluate(scores)
        return {
            measure: peer.compute_aggregated_measure(name, [of_query[name] for of_query in values.values()])
            for measure, name in PYTREC_EVAL.items()
        }

    return Steps(load, compute)


def ir_measures(run: str, qrels: str) -> Steps:
    """`calc_aggregate` of data frames."""
    peer = import_module("ir_measures")
    measures = {name: peer.parse_measure(name) for name in PYTREC_EVAL}

    def compute(objects: Any) -> Means:
        means = peer.calc_aggregate(measures.values(), *objects)
        return {name: means[measure] for name, measure in measures.items()}

    return Steps(lambda: (_pandas(qrels), _scored(run)), compute)


def ranx(run: str, qrels: str) -> Steps:
    """`Qrels` and `Run` from data frames; numba has compiled, for doc ids of this length, before."""
    peer = import_module("ranx")

    def convert(judgments: Any, scores: Any) -> Any:
        kinds = {"query_id": object, "doc_id": object}
        return (
            peer.Qrels.from_df(judgments.astype({**kinds, "relevance": "int64"}), "query_id", "doc_id", "relevance"),
            peer.Run.from_df(scores.astype(kinds), "query_id", "doc_id", "score"),
        )

    def compute(objects: Any) -> Means:
        means = peer.evaluate(*objects, list(RANX.values()))
        return {measure: float(means[name]) for measure, name in RANX.items()}

    first = _scored(run).head(1)
    judgments = _pandas(qrels)
    compute(convert(judgments[judgments["query_id"].isin(first["query_id"])], first))
    return Steps(lambda: convert(_pandas(qrels), _scored(run)), compute)


def _connections(database: str | None, settings: dict[str, Any]) -> Callable[[], duckdb.DuckDBPyConnection]:
    """The one connection to a database, or a new in-memory one each time; two threads in either."""
    config = {"threads": 2, **settings}
    if database is None:
        return lambda: duckdb.connect(config=config)
    con = duckdb.connect(database, read_only=True, config=config)
    return lambda: con


def _frame(path: str, library: str) -> Any:
    return import_module(library).read_parquet(path)


def _pandas(path: str) -> Any:
    return _frame(path, "pandas")


def _scored(run: str) -> Any:
    """The run with a score: with ranks, the peers have to be told one that falls."""
    frame = _pandas(run)
    return frame if "score" in frame else frame.assign(score=-frame["rank"].astype(float))


def _dicts(frame: Any, value: str) -> dict[str, dict[str, float]]:
    return {
        query_id: dict(zip(rows["doc_id"].tolist(), rows[value].tolist(), strict=True))
        for query_id, rows in frame.groupby("query_id", sort=False)
    }


TASKS: dict[str, Callable[..., Steps]] = {
    task.__name__: task
    for task in (evaluate, agreement, kendalltau, long_list, query, register, pytrec_eval, ir_measures, ranx)
}


def run_once(steps: Steps) -> dict[str, Any]:
    """The seconds of both steps; what they leave behind is freed outside of them."""
    started = perf_counter()
    objects = steps.load()
    loaded = perf_counter()
    means = steps.compute(objects)
    computed = perf_counter()
    return {
        "load": loaded - started,
        "compute": computed - loaded,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "means": means,
    }


@contextmanager
def _errors_as_answers() -> Iterator[None]:
    """Any error as a line for the runner, which goes on with the other contenders."""
    try:
        yield
    except ModuleNotFoundError as error:
        _answer({"error": f"{error.name} is not installed"})
    except Exception as error:
        _answer({"error": f"{type(error).__name__}: {error}".splitlines()[0]})


def _answer(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


def main() -> None:
    """Prepare the contender, then run it once for each line."""
    task, arguments = sys.argv[1:]
    with _errors_as_answers():
        steps = TASKS[task](**json.loads(arguments))
        for _ in sys.stdin:
            _answer(run_once(steps))


if __name__ == "__main__":
    main()
