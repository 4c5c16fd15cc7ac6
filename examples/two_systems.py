"""Compare two systems: means by system, and by system and segment of queries."""

from pathlib import Path

import duckdb

import ltr_sql

DATA = Path(__file__).parent / "data"
MEASURES = ["nDCG@5", "AP", "RR"]

# A dict of name -> run holds several systems: the result has one row per system.
runs = {"bm25": DATA / "bm25.txt", "dense": DATA / "dense.txt"}
print(ltr_sql.evaluate(runs, MEASURES, qrels=DATA / "qrels.txt").round(4).to_string(index=False))

# Any column can be a grouping column: here the segment of the query, joined in SQL.
con = ltr_sql.register(duckdb.connect())
con.execute(f"create table segments as from read_csv('{DATA / 'segments.csv'}')")
con.execute(f"""
    create table qrels as
    from read_csv('{DATA / "qrels.txt"}', delim = ' ', names = ['query_id', 'iteration', 'doc_id', 'relevance'])
""")
con.execute(f"""
    create table runs as
    select query_id, doc_id, score, system
    from read_csv(['{DATA / "bm25.txt"}', '{DATA / "dense.txt"}'], delim = ' ',
        names = ['query_id', 'q0', 'doc_id', 'given_rank', 'score', 'system'])
""")
con.execute("""
    create table judged as
    select j.*, s.segment
    from ltr.judge('runs', 'qrels', keys := ['system']) as j
    join segments as s on s.query_id = j.query_id
""")
by_segment = ltr_sql.evaluate("judged", MEASURES, keys=["system", "segment"], con=con)
print(by_segment.round(4).to_string(index=False))
