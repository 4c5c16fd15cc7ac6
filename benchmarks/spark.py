"""Time ten measures in one query on local Spark, and measure how much of the run is shuffled.

python benchmarks/spark.py [--rows 1000000 10000000] [--systems 1] [--cores 2] [--memory 4g] [--repetitions 3]

The data are Parquet files of a run and its judgments. Each time is the shortest of the repetitions. "DuckDB" is the
time of `ltr_sql.evaluate` for the same files. "run shuffled" counts the exchanges that carry as many rows as the run
has, from the metrics of the query.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb
import tabulate
from pyspark.sql import SparkSession

import ltr_sql
from ltr_sql.spark import evaluate

MEASURES = ["nDCG@10", "AP", "RR", "P@5", "P@10", "R@100", "F1@10", "Success@5", "DCG@10", "CG@10"]
DEPTH = 100


def make(folder: Path, rows: int, systems: int, with_rank: bool) -> tuple[str, str]:
    """Write a run with 100 documents per query and system, and judgments of a tenth of them. Return their paths."""
    run, qrels = folder / f"run_{rows}_{systems}_{with_rank}", folder / f"qrels_{rows}_{systems}"
    queries = rows // DEPTH // systems
    order = (
        "cast(d.doc + 1 as integer) as rank" if with_rank else "cast(hash(q.query, d.doc, s.system) as double) as score"
    )
    for path in (run, qrels):
        path.mkdir(exist_ok=True)
    with duckdb.connect() as con:
        con.execute(
            f"copy (select 's' || s.system as system, 'q' || q.query as query_id, "
            f"'d' || (q.query * 1000 + d.doc) as doc_id, {order} "
            f"from range({systems}) as s(system), range({queries}) as q(query), range({DEPTH}) as d(doc)) "
            f"to '{run}/part.parquet' (row_group_size 250000)"
        )
        con.execute(
            f"copy (select 'q' || q.query as query_id, 'd' || (q.query * 1000 + d.doc * 7 % {DEPTH}) as doc_id, "
            f"cast(hash(q.query, d.doc) % 4 as integer) as relevance "
            f"from range({queries}) as q(query), range(10) as d(doc)) to '{qrels}/part.parquet'"
        )
    return str(run), str(qrels)


def exchanges(plan: Any) -> list[tuple[str, int, int]]:
    """Return the partitioning, rows and bytes of each exchange of an executed plan."""
    name = plan.getClass().getSimpleName()
    if name == "AdaptiveSparkPlanExec":
        return exchanges(plan.executedPlan())
    if name.endswith("QueryStageExec"):
        return exchanges(plan.plan())
    found = []
    if name == "ShuffleExchangeExec":
        metrics = plan.metrics()
        rows, size = (metrics.apply(key).value() for key in ("shuffleRecordsWritten", "shuffleBytesWritten"))
        found.append((str(plan.outputPartitioning()), rows, size))
    children = plan.children()
    return found + [exchange for i in range(children.size()) for exchange in exchanges(children.apply(i))]


def seconds_in_duckdb(run: str, qrels: str, keys: list[str], repetitions: int) -> float:
    """Return the shortest time of the same evaluation in DuckDB."""
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        ltr_sql.evaluate(f"{run}/part.parquet", MEASURES, qrels=f"{qrels}/part.parquet", keys=keys)
        times.append(time.perf_counter() - start)
    return min(times)


def measure(
    spark: SparkSession, run: str, qrels: str, keys: list[str], repetitions: int
) -> tuple[float, list[tuple[str, int, int]]]:
    """Return the shortest time in seconds, and the exchanges."""
    times = []
    for _ in range(repetitions):
        result = evaluate(spark.read.parquet(run), MEASURES, qrels=spark.read.parquet(qrels), keys=keys)
        start = time.perf_counter()
        result.collect()
        times.append(time.perf_counter() - start)
    plan = result._jdf.queryExecution().executedPlan()
    return min(times), exchanges(plan)


def main() -> None:
    """Print a table of times and exchanges."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--systems", type=int, nargs="+", default=[1])
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--memory", default="4g")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    table = []
    with tempfile.TemporaryDirectory() as folder:
        builder = SparkSession.builder.master(f"local[{arguments.cores}]")
        options = {
            "spark.ui.enabled": "false",
            "spark.driver.memory": arguments.memory,
            "spark.sql.shuffle.partitions": str(4 * arguments.cores),
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
            "spark.local.dir": folder,
            "spark.ui.showConsoleProgress": "false",
        }
        spark = builder.config(map=options).getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        for systems in arguments.systems:
            for with_rank in (False, True):
                for rows in arguments.rows:
                    run, qrels = make(Path(folder), rows, systems, with_rank)
                    keys = ["system"] if systems > 1 else []
                    seconds, shuffles = measure(spark, run, qrels, keys, arguments.repetitions)
                    run_shuffles = [exchange for exchange in shuffles if exchange[1] == rows]
                    size = sum(file.stat().st_size for file in Path(run).glob("*.parquet"))
                    table.append(
                        [
                            f"{rows:,}",
                            systems,
                            "rank" if with_rank else "score",
                            f"{size / 1e6:.0f}",
                            f"{seconds:.1f}",
                            f"{seconds_in_duckdb(run, qrels, keys, arguments.repetitions):.1f}",
                            len(run_shuffles),
                            f"{sum(exchange[2] for exchange in run_shuffles) / 1e6:.0f}",
                            f"{sum(exchange[2] for exchange in shuffles) / 1e6:.0f}",
                        ]
                    )
        spark.stop()
    heads = [
        "rows",
        "systems",
        "run has",
        "run MB",
        "Spark",
        "DuckDB",
        "run shuffled",
        "run shuffles MB",
        "all shuffles MB",
    ]
    print(tabulate.tabulate(table, heads, tablefmt="github", disable_numparse=True))


if __name__ == "__main__":
    main()
