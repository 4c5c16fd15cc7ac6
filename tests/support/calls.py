"""A call of each command without its options, for tests of all commands.

The calls run in a folder with the files of `tests/support/mistakes.py` and of `FILES`.
"""

from collections.abc import Mapping

CALLS: Mapping[str, str] = {
    "evaluate": "qrels.csv whole.csv",
    "compare": "qrels.csv whole.csv other.csv",
    "report": "qrels.csv whole.csv -o report.html",
    "trend": "--values weeks.csv --by week",
    "worst": "qrels.csv whole.csv -m AP",
    "explain": "qrels.csv whole.csv -q q1 -m AP",
    "check": "qrels.csv whole.csv",
    "conventions": "qrels.csv whole.csv -m RR",
    "verify": "qrels.csv whole.csv -m RR",
    "pool": "whole.csv other.csv --depth 1",
    "unique-documents": "whole.csv other.csv --depth 1",
    "merge-judgments": "raters.csv",
    "rater-agreement": "raters.csv",
    "rater-confusion": "raters.csv",
    "rater-bias": "rated.csv",
    "click-judgments": "clicks.csv --model ctr",
    "fuse": "whole.csv other.csv",
    "tune-fusion": "qrels.csv whole.csv other.csv --folds 2 --step 0.5 -m RR",
    "group-documents": "whole.csv --parents parents.csv",
    "interleaving": "wins.csv",
    "position-bias": "clicks.csv",
    "off-policy": "logged.csv --estimator ips",
    "trec_eval": "qrels.txt whole.txt",
    "measures": "",
    "sql": "AP",
    "catalogue": "-o ltr.duckdb",
}
FILES: Mapping[str, str] = {
    "weeks.csv": "query_id,week,m\n" + "".join(f"q{i % 9},{i // 9},{i % 7}\n" for i in range(27)),
    "raters.csv": "rater,query_id,doc_id,relevance\n"
    + "".join(f"r{i % 2},q1,d{i // 2},{i % 3 % 2}\n" for i in range(12)),
    "rated.csv": "rater,system,query_id,value\n"
    + "".join(f"r{i % 2},{'ab'[i // 2 % 2]},q{i // 4},{i % 5}\n" for i in range(24)),
    "clicks.csv": "session_id,query_id,doc_id,rank,click\n"
    + "".join(f"s{i},q1,d{(i + r) % 3},{r},{(i + r) % 2}\n" for i in range(12) for r in (1, 2, 3)),
    "parents.csv": "chunk_id,doc_id\na,x\nb,x\n",
    "wins.csv": "session_id,query_id,team,click\n" + "".join(f"s{i},q1,{'ab'[i % 2]},{i % 3 % 2}\n" for i in range(12)),
    "logged.csv": "query_id,doc_id,rank,reward,propensity,target\nq1,a,1,1,0.5,0.5\nq1,b,2,0,0.5,0.5\n",
    "qrels.txt": "q1 0 a 1\nq1 0 b 0\n",
    "whole.txt": "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\n",
    "broken.csv": "one\n1\n",
}
