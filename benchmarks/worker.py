"""Run one contender: `processes.py` starts `python -P worker.py TASK ARGUMENTS`, and PYTHONPATH names the checkout.

ARGUMENTS are JSON. The process runs the contender once for each line that it reads. Each time it writes a line of JSON:
"error", or the seconds to load, to compute and of the processors, the peak memory in MB, and the means.
"""

import json
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import duckdb

import ltr_sql

Means = dict[str, float]

# The names of measure strings in other tools.
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

# Measures beyond accuracy by convention, and their names in the tool.
SHOWN = {
    "replay": {"Coverage@50": "Coverage", "Novelty@50": "Novelty", "Surprisal@50": "Surprisal"},
    "recommenders": {
        "Coverage": "catalog_coverage",
        "Entropy": "distributional_coverage",
        "Novelty": "novelty",
    },
}

# Values of systems in [0, 1]: half of each depends on the query alone.
SYSTEM_VALUES = """
    select
        's' || lpad(s::varchar, 2, '0') as system,
        'q' || q as query_id,
        round(hash(q) % 1000 / 2000 + hash(q * 1000 + s) % 1000 / 2000, 4)::double as m
    from range({queries}) as a(q), range({systems}) as b(s)
"""

# Modules that hold the files of the macros and the script, in this commit and in earlier ones.
MACRO_MODULES = (("registration", "functions"), ("files", "script"))

# The run with scores raised by up to 50 percent.
CHANGED_RUN = "select query_id, doc_id, score * (1 + hash(doc_id) % 1000 / 2000) as score from run_scores"


@dataclass(frozen=True)
class Steps:
    """The steps of a contender: load its objects, then compute."""

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
    """Evaluate tables of a database, or files. `frames` names a data frame library that reads the files first."""
    connect = _connections(database, settings or {})
    inputs = [_frame(path, frames) if frames and path else path for path in (rankings, qrels)]

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        frame = ltr_sql.evaluate(inputs[0], measures, qrels=inputs[1], keys=keys, check=check, con=con)
        return {name: float(frame[name][0]) for name in measures}

    return Steps(connect, compute)


def values_of_queries(
    rankings: str,
    qrels: str,
    measures: Sequence[str],
    saved: str,
    database: str | None,
    settings: dict[str, Any],
    keys: Sequence[str] = (),
    check: bool = True,
) -> Steps:
    """Evaluate each query of a run, and save the values to a Parquet file."""

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        frame = ltr_sql.evaluate(rankings, measures, qrels=qrels, keys=keys, by_query=True, check=check, con=con)
        frame.to_parquet(saved)
        return {name: float(frame[name].mean()) for name in measures}

    return Steps(_connections(database, settings), compute)


def values_of_files(
    pairs: Sequence[tuple[str, str]], measures: Sequence[str], saved: str, settings: dict[str, Any]
) -> Steps:
    """Evaluate pairs of run and judgments one by one. Compare the values of each query with those of a file."""

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        pandas = import_module("pandas")
        frames = [ltr_sql.evaluate(run, measures, qrels=qrels, by_query=True, con=con) for run, qrels in pairs]
        found = pandas.concat(frames).set_index("query_id").sort_index()
        expected = pandas.read_parquet(saved).set_index("query_id").sort_index()
        assert found.index.equals(expected.index)
        differences = (found - expected).abs()
        differing = float((differences > 0).any(axis=1).sum())
        return {"queries": float(len(found)), "differing": differing, "largest": float(differences.max(axis=None))}

    return Steps(_connections(None, settings), compute)


def agreement(measures: Sequence[str], database: str) -> Steps:
    """Compare the run with a copy that has changed scores."""
    connect = _connections(database, {})
    connect().execute(f"create or replace temp table changed_run as {CHANGED_RUN}")

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        frame = ltr_sql.agreement("run_scores", "changed_run", measures, con=con)
        return {name: float(frame[name][0]) for name in measures}

    return Steps(connect, compute)


def fuse(run: str, database: str | None = None, settings: dict[str, Any] | None = None) -> Steps:
    """Fuse the run with a copy that has changed scores: in SQL from a table, or without `database` from data frames.

    `settings` are settings of the connection.
    """
    if database is None:

        def frames() -> Any:
            return _two_runs(run)

        def fused(given: Any) -> Means:
            return {"documents": float(len(ltr_sql.fuse(given)))}

        return Steps(frames, fused)
    con = _both_runs(database, settings or {})
    ltr_sql.register(con)

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        sql = "select count(doc_id), max(score), max(rank) from ltr.fuse('both_runs')"
        ((documents, _, _),) = con.execute(sql).fetchall()
        return {"documents": float(documents)}

    return Steps(lambda: con, compute)


def rank_both(database: str) -> Steps:
    """Rank the two runs that `fuse` reads, without fusing them."""
    con = _both_runs(database, {})
    rank = "row_number() over (partition by system, query_id order by score desc, doc_id desc)"

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        con.execute(f"select max(rank) from (select {rank} as rank from both_runs)").fetchall()
        return {}

    return Steps(lambda: con, compute)


def ranx_fuse(run: str) -> Steps:
    """Fuse both runs with ranx, which loads `Run` from data frames. numba compiles before the first run."""
    peer = import_module("ranx")

    def convert(frames: Any) -> Any:
        kinds = {"query_id": object, "doc_id": object}
        return [peer.Run.from_df(frame.astype(kinds), "query_id", "doc_id", "score") for frame in frames.values()]

    def compute(runs: Any) -> Means:
        found = peer.fuse(runs=runs, method="rrf")
        return {"documents": float(sum(len(documents) for documents in found.run.values()))}

    frames = _two_runs(run)
    compute(convert({name: frame[frame["query_id"] == frame["query_id"].iloc[0]] for name, frame in frames.items()}))
    return Steps(lambda: convert(frames), compute)


def macro(sql: str, tables: dict[str, str]) -> Steps:
    """Run a query that calls macros over tables. `tables` maps their names to the queries of their rows."""
    con = _connections(None, {"memory_limit": "2GB"})()
    ltr_sql.register(con)
    for name, rows in tables.items():
        con.execute(f"create table {name} as {rows}")

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        con.execute(sql).fetchall()
        return {}

    return Steps(lambda: con, compute)


def shown(tool: str, conventions: str, tables: dict[str, str]) -> Steps:
    """Compute measures beyond accuracy from data frames: with RePlay, recommenders or ltr_sql.

    `conventions` names the tool whose measures ltr_sql computes. The catalogue is the documents of the history.
    """
    con = duckdb.connect()
    for name, rows in tables.items():
        con.execute(f"create table {name} as {rows}")
    # recommenders refuses lists that show documents of the history.
    con.execute("delete from history where (query_id, doc_id) in (select (query_id, doc_id) from run)")
    run, history = (con.table(name).df().drop_duplicates(["query_id", "doc_id"]) for name in ("run", "history"))
    documents = history[["doc_id"]].drop_duplicates()
    con.close()

    def ours(_: None) -> Means:
        found = ltr_sql.evaluate(
            run, [*SHOWN[conventions]], documents=documents, history=history, convention=conventions
        )
        return {name: float(found[name][0]) for name in SHOWN[conventions]}

    def replay(_: None) -> Means:
        peer = import_module("replay.metrics")
        columns = {"query_column": "query_id", "item_column": "doc_id", "rating_column": "score"}
        names = SHOWN["replay"].items()
        metrics = [getattr(peer, metric)(50, **columns) for _, metric in names]
        # OfflineMetrics computes once what its metrics share.
        found = peer.OfflineMetrics(metrics, **columns)(run, run, history)
        return {name: float(found[f"{metric}@50"]) for name, metric in names}

    def recommenders(_: None) -> Means:
        peer = import_module("recommenders.evaluation.python_evaluation")
        columns = {"col_user": "query_id", "col_item": "doc_id"}
        return {
            name: float(getattr(peer, function)(history, run, **columns))
            for name, function in SHOWN["recommenders"].items()
        }

    tasks = {"ltr_sql": ours, "replay": replay, "recommenders": recommenders}
    return Steps(lambda: None, tasks[tool])


def kendalltau(database: str) -> Steps:
    """Call scipy's kendalltau for each query of the two runs, which DuckDB joins into a data frame.

    Unlike `agreement`, it does not break ties of scores by doc_id.
    """
    peer = import_module("scipy.stats")
    con = _connections(database, {})()
    con.execute(f"create or replace temp table changed_run as {CHANGED_RUN}")
    join = "run_scores as a join changed_run as b using (query_id, doc_id)"
    sql = f"select a.query_id, a.score as a, b.score as b from {join}"

    def compute(groups: Any) -> Means:
        taus = [peer.kendalltau(rows["a"].to_numpy(), rows["b"].to_numpy()).statistic for _, rows in groups]
        return {"KendallTau": sum(taus) / len(taus)}

    return Steps(lambda: con.sql(sql).df().groupby("query_id"), compute)


def long_list(measure: str, length: int) -> Steps:
    """Compute a measure of agreement for one pair of long lists with ties, under a memory limit."""
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


def doubling(job: str, size: int) -> Steps:
    """Run a job whose cost could grow faster than its `size`: see DOUBLED of `benchmarks/sections.py`."""
    number = "cast(hash({}) % 1000000007 as bigint)"
    runs = f"""
        select 'system' || s as system, q as query_id, 'd' || d as doc_id,
            {number.format("d * 1009 + q * 31 + s")} as score
        from range({{systems}}) as a(s), range({{queries}}) as b(q), range({{depth}}) as c(d)"""
    judged = "select i % 10 as query_id, 'd' || i // 10 as doc_id, 1 + i % 3 as relevance from range(1500) as t(i)"
    rank, score = "i + 1 as rank", f"{number.format('i')} as score"
    relevance = f"{number.format('-i')} % 2 as relevance"
    one = f"select 1 as query_id, 'd' || i as doc_id, {{}}, {relevance} from range({size}) as t(i)"
    tables = {
        "explain": one.format(rank),
        "one query": one.format(score),
        "pairs of systems": runs.format(systems=round((2 * size) ** 0.5 + 0.5), queries=10, depth=100),
        "systems": runs.format(systems=size // 600, queries=6, depth=100),
        "conventions": runs.format(systems=1, queries=size // 1000, depth=1000),
    }
    connect = _connections(None, {})

    def load() -> duckdb.DuckDBPyConnection:
        con = connect()
        con.execute(f"create table run as {tables[job]}")
        con.execute(f"create table qrels as {judged}")
        return con

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        if job == "explain":
            ltr_sql.explain("run", 1, "AP", con=con)
        elif job == "one query":
            ltr_sql.evaluate("run", ["AP", "nDCG"], con=con)
        elif job == "pairs of systems":
            ltr_sql.agreement("run", con=con)
        elif job == "systems":
            ltr_sql.evaluate("run", ["AP", "nDCG"], qrels="qrels", keys=["system"], con=con)
        else:
            compare = import_module("ltr_sql.evaluation.conventions").compare_conventions
            compare(con.sql("select query_id, doc_id, score from run").df(), con.table("qrels").df(), ["AP", "nDCG@10"])
        return {}

    return Steps(load, compute)


def compare(queries: int, systems: int, **options: Any) -> Steps:
    """Compare all pairs of systems by a table of values."""
    con = _values(queries, systems)

    def compute(_: None) -> Means:
        ltr_sql.compare("m_values", values=True, con=con, **options)
        return {}

    return Steps(lambda: None, compute)


def self_join(queries: int, systems: int) -> Steps:
    """Join the values of all pairs of systems by query, and only count the rows of each pair."""
    con = _values(queries, systems)
    con.execute(
        "create table numbered as select dense_rank() over (order by v.system) as system, "
        "dense_rank() over (order by v.query_id) as query from m_values as v"
    )

    def compute(_: None) -> Means:
        con.execute(
            "select a.system, b.system, count(*) from numbered as a join numbered as b "
            "on b.query = a.query and b.system > a.system group by all"
        ).fetchall()
        return {}

    return Steps(lambda: None, compute)


def leaderboard(queries: int, systems: int, settings: dict[str, Any]) -> Steps:
    """Rank systems by a table of values."""
    con = _values(queries, systems, settings)

    def compute(_: None) -> Means:
        ltr_sql.leaderboard("m_values", values=True, con=con)
        return {}

    return Steps(lambda: None, compute)


def above_evaluate(queries: int, systems: int) -> Steps:
    """Run `evaluate` as the step `load`, and `compare` of its rankings as the step `compute`."""
    sql = f"""
        select 's' || s as system, 'q' || q as query_id, r as rank, hash(q * 1000 + s * 100 + r) % 4 as relevance
        from range({queries}) as a(q), range({systems}) as b(s), range(1, 101) as c(r)
    """
    rankings = duckdb.connect().execute(sql).df()

    def compute(_: Any) -> Means:
        ltr_sql.compare(rankings, ["nDCG@10"], details=True)
        return {}

    return Steps(lambda: ltr_sql.evaluate(rankings, ["nDCG@10"], keys=["system"]), compute)


def ttest_rel(queries: int, systems: int, joined: bool, sign: bool = False) -> Steps:
    """Call scipy's tests for each pair of systems.

    `joined` joins the two systems by query_id, as in a data frame of values. Else their arrays are aligned already.
    """
    stats = import_module("scipy.stats")
    frame = _values(queries, systems).execute("from m_values").df()
    by_system = {system: rows for system, rows in frame.groupby("system")}
    arrays = {system: rows.sort_values("query_id")["m"].to_numpy() for system, rows in by_system.items()}

    def compute(_: None) -> Means:
        for one, other in combinations(by_system, 2):
            if joined:
                pair = by_system[one].merge(by_system[other], on="query_id")
                a, b = pair["m_x"].to_numpy(), pair["m_y"].to_numpy()
            else:
                a, b = arrays[one], arrays[other]
            if sign:
                wins, losses = int((b > a).sum()), int((b < a).sum())
                stats.binomtest(wins, wins + losses)
            else:
                stats.ttest_rel(b, a).confidence_interval()
        return {}

    return Steps(lambda: None, compute)


def random_signs(queries: int, systems: int, replicates: int) -> Steps:
    """Compute Fisher's randomization test of all pairs with numpy, from aligned arrays."""
    np = import_module("numpy")
    values = np.array(
        _values(queries, systems).sql("select list(m order by query_id) from m_values group by system").fetchall()
    )
    values = values[:, 0, :].T

    def compute(_: None) -> Means:
        signs = 2.0 * np.random.default_rng(7).integers(0, 2, (replicates, queries), dtype=np.int8) - 1
        signed, observed = signs @ values, values.sum(axis=0)
        for one, other in combinations(range(systems), 2):
            bar = abs(observed[other] - observed[one])
            _p = (np.abs(signed[:, other] - signed[:, one]) >= bar - 1e-9).sum() / replicates
        return {}

    return Steps(lambda: None, compute)


def fisher(queries: int, systems: int, replicates: int) -> Steps:
    """Call ranx' Fisher test for each pair of systems, from aligned arrays. numba compiles before the first run."""
    test = import_module("ranx.statistical_tests").fisher_randomization_test
    rows = _values(queries, systems).sql("select list(m order by query_id) from m_values group by system").fetchall()
    arrays = [import_module("numpy").array(values) for (values,) in rows]
    test(arrays[0][:5], arrays[1][:5], 10)

    def compute(_: None) -> Means:
        for one, other in combinations(arrays, 2):
            test(one, other, replicates)
        return {}

    return Steps(lambda: None, compute)


def query(sql: str, database: str | None = None, settings: dict[str, Any] | None = None) -> Steps:
    """Run a query on a database or on files."""

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        con.execute(sql).fetchall()
        return {}

    return Steps(_connections(database, settings or {}), compute)


def small_call(call: str, queries: int, depth: int, tables: dict[str, str]) -> Steps:
    """Call a function with runs of this size. `tables` maps `runs`, numbered by s, and `qrels` to their queries.

    `call` is one of: evaluate, frames; evaluate, dicts; compare; check; Evaluator; Evaluator.from_labels.
    """
    measures = ["AP", "RR", "nDCG@10", "nDCG", "P@10", "R@100"]
    with duckdb.connect() as con:
        for name, rows in tables.items():
            con.execute(f"create table {name} as {rows}")
        a, b = (con.execute(f"select * exclude (s) from runs where s = {s} order by hash(doc_id)").df() for s in (0, 1))
        qrels = con.execute("from qrels order by hash(doc_id)").df()

    def prepared() -> Callable[[], Any]:
        if call == "evaluate, dicts":
            run, judgments = _dicts(a, "score"), _dicts(qrels, "relevance")
            return lambda: ltr_sql.evaluate(run, measures, qrels=judgments)
        if call == "Evaluator":
            evaluator = ltr_sql.Evaluator(measures, qrels)
            return lambda: evaluator.evaluate(a)
        if call == "Evaluator.from_labels":
            labels, groups = (a["score"] * 100 % 5).astype(int).to_numpy(), [depth] * queries
            labelled = ltr_sql.Evaluator.from_labels(["nDCG@10"], labels, groups)
            scores = a["score"].to_numpy()
            return lambda: labelled.evaluate(scores)
        return {
            "evaluate, frames": lambda: ltr_sql.evaluate(a, measures, qrels=qrels),
            "compare": lambda: ltr_sql.compare({"a": a, "b": b}, measures, qrels=qrels),
            "check": lambda: ltr_sql.check(a, qrels=qrels),
        }[call]

    run_call = prepared()
    for _ in range(3):
        # An evaluator keeps the documents of a run when it returns.
        run_call()

    def compute(_: None) -> Means:
        found = run_call()
        return {name: float(found[name][0]) for name in measures if name in found}

    return Steps(lambda: None, compute)


def build_macros() -> Steps:
    """Write the script of all macros, and the catalogue that `register` copies, as an installation does."""

    def compute(_: None) -> Means:
        for modules in MACRO_MODULES:
            with suppress(ImportError):
                files, script = (import_module(f"ltr_sql.macros.{name}") for name in modules)
                text = script.bundle()
                files.BUNDLE.write_text(text, encoding="utf-8", newline="\n")
                files.write_package_catalogue(files.CATALOGUES, text)
                return {"MB": len(text.encode()) / 1e6}
        raise ImportError("no module writes the script of the macros")

    return Steps(lambda: None, compute)


def load_macros() -> Steps:
    """Run the script of all macros, which `build_macros` wrote."""
    script = Path(ltr_sql.__file__).parents[1].joinpath("sql", "ltr.sql").read_text(encoding="utf-8")

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        con.execute(script)
        return {}

    return Steps(_connections(None, {}), compute)


def register() -> Steps:
    """Register the macros with a connection."""
    con = _connections(None, {})()

    def compute(con: duckdb.DuckDBPyConnection) -> Means:
        ltr_sql.register(con)
        return {}

    return Steps(lambda: con, compute)


def pytrec_eval(run: str, qrels: str) -> Steps:
    """Evaluate with pytrec_eval, which loads dicts of dicts from data frames."""
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
    """Evaluate data frames with `calc_aggregate` of ir_measures."""
    peer = import_module("ir_measures")
    measures = {name: peer.parse_measure(name) for name in PYTREC_EVAL}

    def compute(objects: Any) -> Means:
        means = peer.calc_aggregate(measures.values(), *objects)
        return {name: means[measure] for name, measure in measures.items()}

    return Steps(lambda: (_pandas(qrels), _scored(run)), compute)


def ranx(run: str, qrels: str) -> Steps:
    """Evaluate with ranx, which loads `Qrels` and `Run` from data frames. numba compiles before the first run."""
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
    """Return a function that connects with two threads: always to the same database, or to a new one in memory."""
    config = {"threads": 2, **settings}
    if database is None:
        return lambda: duckdb.connect(config=config)
    con = duckdb.connect(database, read_only=True, config=config)
    return lambda: con


def _values(queries: int, systems: int, settings: dict[str, Any] | None = None) -> duckdb.DuckDBPyConnection:
    """Return a connection with two threads and a table of values."""
    con = _connections(None, settings or {})()
    con.execute(f"create table m_values as {SYSTEM_VALUES.format(queries=queries, systems=systems)}")
    return con


def _frame(path: str, library: str) -> Any:
    return import_module(library).read_parquet(path)


def _pandas(path: str) -> Any:
    return _frame(path, "pandas")


def _two_runs(run: str) -> Any:
    """Return the run and a copy with changed scores as data frames, by name."""
    with duckdb.connect() as con:
        con.execute(f"create view run_scores as from '{run}'")
        return {"a": con.execute("from run_scores").df(), "b": con.execute(CHANGED_RUN).df()}


def _both_runs(database: str, settings: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    """Return a connection with a table of the run and a copy with changed scores."""
    con = _connections(database, settings)()
    con.execute(
        f"create or replace temp table both_runs as select 'a' as system, query_id, doc_id, score from run_scores "
        f"union all by name select 'b' as system, * from ({CHANGED_RUN})"
    )
    return con


def _scored(run: str) -> Any:
    """Return the run with scores. A run with ranks gets the score -rank."""
    frame = _pandas(run)
    return frame if "score" in frame else frame.assign(score=-frame["rank"].astype(float))


def _dicts(frame: Any, value: str) -> dict[str, dict[str, float]]:
    return {
        query_id: dict(zip(rows["doc_id"].tolist(), rows[value].tolist(), strict=True))
        for query_id, rows in frame.groupby("query_id", sort=False)
    }


TASKS: dict[str, Callable[..., Steps]] = {
    task.__name__: task
    for task in (
        *(
            evaluate,
            values_of_queries,
            values_of_files,
            agreement,
            kendalltau,
            long_list,
            doubling,
            query,
            small_call,
            build_macros,
            load_macros,
            register,
            pytrec_eval,
            ir_measures,
            ranx,
        ),
        *(compare, self_join, leaderboard, above_evaluate, ttest_rel, random_signs, fisher),
        *(fuse, rank_both, ranx_fuse, macro, shown),
    )
}


def run_once(steps: Steps) -> dict[str, Any]:
    """Return the seconds of both steps, the peak memory and the means. Freeing the objects is not timed."""
    started, started_cpu = perf_counter(), process_time()
    objects = steps.load()
    loaded = perf_counter()
    means = steps.compute(objects)
    computed = perf_counter()
    return {
        "load": loaded - started,
        "compute": computed - loaded,
        "cpu": process_time() - started_cpu,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "means": means,
    }


@contextmanager
def _errors_as_answers() -> Iterator[None]:
    """Write an error as an answer, so that the caller can continue with the other contenders."""
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
