"""An LLM judges all queries, people judge some of them: an honest interval for each system and for their difference.

Run from the root of the repository.
"""

import random

import pandas as pd

import ltr_sql

# Simulate 400 queries. The LLM likes documents that dense ranks high, whatever people think of them.
simulated = random.Random(37)
rows = []
for query in range(400):
    for document in range(15):
        grade = simulated.choices([0, 1, 2, 3], [8, 4, 2, 1])[0]
        bm25, dense = grade + simulated.gauss(0, 1.5), grade + simulated.gauss(0, 1.7)
        llm = min(3, grade + (dense > 2.5 and simulated.random() < 0.6))
        rows.append((f"q{query}", f"d{document}", bm25, dense, llm, grade))
judged = pd.DataFrame(rows, columns=["query_id", "doc_id", "bm25", "dense", "llm", "grade"])
ids = judged[["query_id", "doc_id"]]
runs = {name: ids.assign(score=judged[name]) for name in ("bm25", "dense")}
llm = ids.assign(relevance=judged["llm"])

# Draw the queries for people before anybody sees a result. They judge every document that a system shows.
drawn = simulated.sample(sorted(set(judged["query_id"])), 100)
people = ids.assign(relevance=judged["grade"])[judged["query_id"].isin(drawn)]

naive = ltr_sql.compare(runs, ["nDCG@10"], qrels=llm).iloc[0]
print(f"LLM alone: dense - bm25 {naive.difference:+.3f} [{naive.low:+.3f}, {naive.high:+.3f}], {naive.verdict}")

found = ltr_sql.compare(runs, ["nDCG@10"], qrels=llm, human=people).iloc[0]
print(f"corrected: dense - bm25 {found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}], {found.verdict}")
print(f"the LLM favours dense by {found.favour:.3f} [{found.favour_low:.3f}, {found.favour_high:.3f}]")
print(f"{found.judged} queries judged by people, worth {found.worth:.0f} by people alone")

truth = ltr_sql.compare(runs, ["nDCG@10"], qrels=ids.assign(relevance=judged["grade"])).iloc[0]
print(f"people on all 400 queries: dense - bm25 {truth.difference:+.3f}")

for place in ltr_sql.leaderboard(runs, ["nDCG@10"], qrels=llm, human=people).itertuples():
    print(f"{place.place}. {place.system} {place.mean:.3f} [{place.low:.3f}, {place.high:.3f}]")
