"""A test collection: a folder of runs, compared with a baseline."""

import ltr_sql

RUNS, QRELS = "examples/data/runs", "examples/data/qrels.txt"

print(ltr_sql.evaluate(RUNS, ["AP", "nDCG@5,10"], qrels=QRELS).round(4).to_string(index=False))

compared = ltr_sql.compare(RUNS, ["AP"], qrels=QRELS, baseline="bm25_body")
print(compared[["system_a", "system_b", "difference", "p_adjusted"]].round(4).to_string(index=False))
