"""A shop: nDCG by week, from text grades, positions that count from 0, and searches that found nothing."""

import ltr_sql

DATA = "examples/data/shop"

found = ltr_sql.evaluate(
    f"{DATA}/results.csv",
    ["nDCG@3", "Success@3"],
    qrels=f"{DATA}/labels.csv",
    asked=f"{DATA}/searches.csv",
    keys=["week"],
    columns={"query": "query_id", "sku": "doc_id", "position": "rank", "label": "relevance"},
    ranks_from=0,
    grades={"Exact": 3, "Substitute": 2, "Complement": 1, "Irrelevant": 0},
)
print(found.round(4).to_string(index=False))
