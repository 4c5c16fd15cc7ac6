"""Time small evaluations in one process: `python -m benchmarks.small_jobs QUERIES DEPTH` prints seconds as JSON.

Contenders alternate; the shortest time of several rounds is reported. All compute the same measures of the same run.
With `labels` after QUERIES and DEPTH, the contenders compute nDCG@10 from labels and scores of learning to rank.
"""

import itertools
import json
import random
import sys
import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any

import duckdb
import lightgbm
import numpy as np
import pandas as pd
import pytrec_eval

import ltr_sql

MEASURES = ["AP", "RR", "nDCG@10", "nDCG", "P@10", "R@100"]
_TREC_MEASURES = {"map", "recip_rank", "ndcg_cut.10", "ndcg", "P.10", "recall.100"}
_SECONDS = 4.0
# Number of runs to cycle through. An evaluator keeps the documents of 8 runs: it has dropped each run before it recurs.
_RUNS = 9


def contenders(queries: int, depth: int) -> dict[str, Callable[[], Any]]:
    """Return the calls to be timed, by name. Half of the documents are judged."""
    rng = random.Random(1)
    run = {f"q{query}": {f"d{document}": rng.random() for document in range(depth)} for query in range(queries)}
    qrels = {query: {name: rng.randint(0, 3) for name in list(scores)[::2]} for query, scores in run.items()}
    run_frame, qrels_frame = (
        pd.DataFrame(
            [(query, document, value) for query, values in table.items() for document, value in values.items()],
            columns=["query_id", "doc_id", name],
        )
        for table, name in ((run, "score"), (qrels, "relevance"))
    )
    kept = ltr_sql.Evaluator(MEASURES, qrels_frame)
    new = ltr_sql.Evaluator(MEASURES, qrels_frame)
    others = itertools.cycle([run_frame.sample(frac=1, random_state=number) for number in range(_RUNS)])
    con = duckdb.connect()
    con.register("judgments", qrels_frame)
    con.execute("create table qrels as from judgments")
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, _TREC_MEASURES)

    def from_frames() -> Any:
        return pytrec_eval.RelevanceEvaluator(_dict_of(qrels_frame, "relevance", int), _TREC_MEASURES).evaluate(
            _dict_of(run_frame, "score", float)
        )

    return {
        "pytrec_eval, computation alone": lambda: evaluator.evaluate(run),
        "pytrec_eval, dicts": lambda: pytrec_eval.RelevanceEvaluator(qrels, _TREC_MEASURES).evaluate(run),
        "pytrec_eval, data frames": from_frames,
        "ltr_sql, data frames": lambda: ltr_sql.evaluate(run_frame, MEASURES, qrels=qrels_frame),
        "ltr_sql, Evaluator": lambda: kept.evaluate(run_frame),
        "ltr_sql, Evaluator, new documents": lambda: new.evaluate(next(others)),
        "ltr_sql, con=": lambda: ltr_sql.evaluate(run_frame, MEASURES, qrels="qrels", con=con),
        "ltr_sql, dicts": lambda: ltr_sql.evaluate(run, MEASURES, qrels=qrels),
    }


def contenders_of_labels(queries: int, depth: int) -> dict[str, Callable[[], Any]]:
    """Return the calls that compute nDCG@10 from labels and scores, by name."""
    rng = np.random.default_rng(1)
    labels, scores, group = rng.integers(0, 5, queries * depth), rng.random(queries * depth), np.full(queries, depth)
    evaluator = ltr_sql.Evaluator.from_labels(["nDCG@10"], labels, group, convention="lightgbm")
    data = lightgbm.Dataset(scores[:, None], label=labels, group=group)
    parameters = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "num_leaves": 63, "verbose": -1}
    booster = lightgbm.Booster(parameters, data)
    booster.update()
    return {
        "LightGBM's metric": booster.eval_train,
        "ltr_sql, Evaluator.from_labels": lambda: evaluator.evaluate(scores),
    }


def _dict_of(frame: pd.DataFrame, value: str, kind: type) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for query, document, number in zip(frame["query_id"], frame["doc_id"], frame[value], strict=True):
        found.setdefault(query, {})[document] = kind(number)
    return found


def seconds_of(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the shortest time of each call in seconds. All rounds together take a few seconds."""
    best: dict[str, float] = {}
    started = perf_counter()
    rounds = 0
    while rounds < 4 or (perf_counter() - started < _SECONDS and rounds < 40):
        for name, call in calls.items():
            start = perf_counter()
            call()
            best[name] = min(best.get(name, float("inf")), perf_counter() - start)
        rounds += 1
    return best


if __name__ == "__main__":
    warnings.simplefilter("ignore", ltr_sql.InputWarning)
    compared = contenders_of_labels if "labels" in sys.argv else contenders
    print(json.dumps(seconds_of(compared(*map(int, sys.argv[1:3])))))
