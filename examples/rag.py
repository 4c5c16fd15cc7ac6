"""Retrieval for answers: nested results, chunks judged by their documents, and questions without an answer."""

import duckdb

import ltr_sql

ANSWERS, GOLD = "examples/data/rag/answers.jsonl", "examples/data/rag/gold.jsonl"

# Each chunk is a row of its document.
names = {"id": "query_id", "retrieved[].doc.id": "doc_id", "retrieved[].score": "score"}
documents = ltr_sql.group_documents(ANSWERS, columns=names)

con = ltr_sql.register(duckdb.connect())
con.execute(f"create view questions as select id as query_id from '{GOLD}'")
con.execute(f"create view gold as select id as query_id, unnest(gold) as doc_id, 1 as relevance from '{GOLD}'")
con.execute("create table judged as from ltr.judge('documents', 'gold', asked := 'questions')")
# Recall, context precision, and the share of questions with a right document.
measures = ["R(empty=none_retrieved)@3", "AP(divisor=found, empty=none_retrieved)@3", "Success(empty=none_retrieved)@3"]
print(ltr_sql.evaluate("judged", measures, con=con).round(4).T.to_string(header=False))
