"""Evaluate a run and judgments in pandas: means, and one row per query."""

import pandas as pd

import ltr_sql

run = pd.DataFrame(
    {
        "query_id": ["q1", "q1", "q1", "q2", "q2"],
        "doc_id": ["d1", "d2", "d3", "d1", "d4"],
        "score": [0.9, 0.8, 0.3, 0.7, 0.7],
    }
)
qrels = pd.DataFrame(
    {
        "query_id": ["q1", "q1", "q1", "q2", "q3"],
        "doc_id": ["d1", "d3", "d9", "d4", "d5"],
        "relevance": [2, 1, 1, 1, 3],
    }
)

# q3 is judged but missing from the run: it counts as 0 and is included in `queries`.
print(ltr_sql.evaluate(run, ["nDCG@3", "R@3", "RR"], qrels=qrels))
print(ltr_sql.evaluate(run, ["nDCG@3", "R@3", "RR"], qrels=qrels, by_query=True))

# Compare with the independent numpy implementation.
print(ltr_sql.verify(run, ["nDCG@3", "R@3", "RR"], qrels=qrels)[["measure", "queries", "verdict"]])
