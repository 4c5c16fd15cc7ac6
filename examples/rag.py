"""Retrieval for answers: nested results, chunks judged by their documents, and questions without an answer."""

import ltr_sql

ANSWERS, GOLD = "examples/data/rag/answers.jsonl", "examples/data/rag/gold.jsonl"

# Each chunk is a row of its document.
names = {"id": "query_id", "retrieved[].doc.id": "doc_id", "retrieved[].score": "score"}
documents = ltr_sql.group_documents(ANSWERS, columns=names)

found = ltr_sql.evaluate(
    documents,
    # Recall, context precision, and the share of questions with a right document.
    ["R(empty=none_retrieved)@3", "AP(divisor=found, empty=none_retrieved)@3", "Success(empty=none_retrieved)@3"],
    qrels=GOLD,
    qrels_columns={"id": "query_id", "gold[]": "doc_id"},
    asked=GOLD,
    columns={"asked": {"id": "query_id"}},
)
print(found.round(4).T.to_string(header=False))
