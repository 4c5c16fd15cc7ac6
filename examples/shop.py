"""A shop: nDCG by week, from text grades, positions that count from 0, and searches that found nothing."""

import duckdb

import ltr_sql

DATA = "examples/data/shop"

con = ltr_sql.register(duckdb.connect())
con.execute(
    f"create view results as select week, query query_id, sku doc_id, position + 1 as rank from '{DATA}/results.csv'"
)
con.execute(
    f"create view labels as select query as query_id, sku as doc_id, label as relevance from '{DATA}/labels.csv'"
)
con.execute(f"create view searches as select week, query as query_id from '{DATA}/searches.csv'")
con.execute(
    """
    create table judged as
    from ltr.judge('results', 'labels', asked := 'searches', keys := ['week'],
        grades := map {'Exact': 3, 'Substitute': 2, 'Complement': 1, 'Irrelevant': 0})
    """
)
found = ltr_sql.evaluate("judged", ["nDCG@3", "Success@3"], keys=["week"], con=con)
print(found.round(4).to_string(index=False))
