"""Evaluate the validation table of a ranking model: one row per document, with label and score."""

from pathlib import Path

import pandas as pd

import ltr_sql

scored = pd.read_csv(Path(__file__).parent / "data" / "scored.csv")  # query_id, doc_id, score, relevance

measures = ["nDCG(gain='exponential')@5", "nDCG@5", "RR(rel=3)", "P(rel=2)@3", "KendallTau"]
print(ltr_sql.evaluate(scored, measures, by_query=True).round(4).to_string(index=False))

# Rounded scores are tied: compare the worst and the best order of tied documents.
rounded = scored.assign(score=scored["score"].round())
for ties in ("worst", "docid_desc", "best"):
    (value,) = ltr_sql.evaluate(rounded, ["nDCG@5"], ties=ties)["nDCG@5"]
    print(f"{ties:<10} {value:.4f}")
