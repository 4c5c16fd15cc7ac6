"""Human against machine judgments: do both raters order the systems alike? Run from the root of the repository."""

import pandas as pd

import ltr_sql

names = ["query_id", "q0", "doc_id", "relevance"]
human = pd.read_csv("examples/data/qrels.txt", sep=" ", names=names)[["query_id", "doc_id", "relevance"]]
# A simulated machine that grades every third document one grade higher, up to 3.
llm = human.assign(relevance=[min(3, grade + (row % 3 == 0)) for row, grade in enumerate(human.relevance)])

both, _ = ltr_sql.rater_agreement({"human": human, "llm": llm}).to_dict("records")
print(f"{both['documents']} documents, Cohen's kappa {both['cohen_kappa']:.3f}, overlap {both['overlap']:.3f}")

runs = {name: f"examples/data/{name}.txt" for name in ("bm25", "dense")}
runs["hybrid"] = ltr_sql.fuse(runs)[["query_id", "doc_id", "score"]]
merged = ltr_sql.merge_judgments({"human": human, "llm": llm}, method="mean")[["query_id", "doc_id", "relevance"]]
for rater, qrels in {"human": human, "llm": llm, "merged": merged}.items():
    means = ltr_sql.evaluate(runs, ["nDCG@5"], qrels=qrels)
    print(rater, dict(zip(means.system, means["nDCG@5"].round(4), strict=True)))
