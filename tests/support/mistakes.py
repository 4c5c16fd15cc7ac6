"""Mistakes, and the message that each gets in Python, in SQL and on the command line: `tests/mistakes.csv`.

Each call is in the words of its interface, in a folder with the files of `FILES`, which SQL has as tables. A message in
the table is the part of the error or warning that names the mistake and what to do. `python -m tests.mistakes` prints
the table with the messages as they are.
"""

import csv
import shlex
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path

import duckdb
from click.testing import CliRunner

import ltr_sql
from ltr_sql.command_line.main import main
from support.places import TESTS

TABLE = TESTS / "mistakes.csv"
_RUN = "query_id,doc_id,score\nq1,a,3\nq1,b,2\nq2,a,1\n"
_QRELS = "query_id,doc_id,relevance\nq1,a,1\nq1,b,0\nq2,b,2\nq3,a,1\n"
_RATINGS = "query_id,doc_id,relevance,rank\nq1,a,1,1\nq1,b,0,2\nq2,b,2,1\n"
_RISING = "query_id,doc_id,score\n" + "".join(f"q{q},{d},{i}\n" for q in (1, 2, 3) for i, d in enumerate("abcd", 1))
FILES: Mapping[str, str] = {
    "run": _RUN,
    "other": _RUN.replace("q1,a,3", "q1,a,1"),
    "whole": f"{_RUN}q3,a,1\n",
    "qrels": _QRELS,
    "judged": _RATINGS,
    "named": _RUN.replace("query_id,doc_id", "user_id,item_id"),
    "other_qrels": _QRELS.replace("relevance", "label"),
    "ranks": "query_id,doc_id,rank\nq1,a,0\nq1,b,1\nq2,a,0\nq3,a,0\n",
    "twice": f"{_RUN}q1,a,1\nq3,a,1\n",
    "twice_judged": f"{_QRELS}q1,a,0\n",
    "texts": _QRELS.replace(",2\n", ",good\n").replace(",1\n", ",fair\n").replace(",0\n", ",bad\n"),
    "empty": "query_id,doc_id,score\n",
    "nothing": "system,query_id,doc_id,score\n",
    "no_ids": f"{_RUN},c,1\nq3,a,1\n",
    "elsewhere": "query_id,doc_id,score\nx1,a,3\nx2,b,2\n",
    "elsewhere_qrels": "query_id,doc_id,relevance\nx1,a,1\nx2,b,1\n",
    "rising": _RISING,
    "positions": _RISING.replace("score", "position"),
    "words": _RUN.replace(",3\n", ",high\n"),
    "fraction": _QRELS.replace(",2\n", ",0.5\n"),
    "soft": _QRELS.replace(",2\n", ",0.9\n").replace(",1\n", ",0.5\n"),
    "lists": "query_id,docs\nq1,\"['a', 'b']\"\n",
    "flat": 'query_id,docs\nq1,"[""a"", ""b""]"\n',
    "ones": "system,query_id,m\na,q1,1\na,q2,0\nb,q1,1\nb,q2,1\n",
    "notes": "system,query_id,m,note\na,q1,1,x\na,q2,0,y\nb,q1,1,x\nb,q2,1,z\n",
    "total": "total,query_id,rank,relevance\na,q1,1,1\nb,q2,1,0\n",
    "lacking": "system,query_id,m\na,q1,1\na,q2,0\nb,q1,1\n",
    "arms": "system,query_id,m\na,q1,1\na,q2,0\nb,q3,1\nb,q4,1\n",
    "sessions": "system,query_id,user_id,m\na,q1,u1,1\na,q2,u2,0\nb,q3,u1,1\nb,q4,u3,1\n",
    "users": "query_id,cluster\nq1,u1\nq2,u2\nq3,u1\nq4,u3\n",
    "boards": "dataset,system,query_id,m\nx,a,q1,1\nx,a,q2,0\ny,a,q1,1\nx,b,q1,1\nx,b,q2,1\n",
    "board": "dataset,system,query_id,m\nx,a,q1,1\nx,a,q2,0\nx,b,q1,1\nx,b,q2,1\n",
    "fused": "system,query_id,doc_id,score\na,q1,a,2\na,q1,b,1\nb,q1,b,1\nb,q2,b,1\n",
    "one_run": "system,query_id,doc_id,score\na,q1,a,2\na,q2,b,1\n",
    "zeros": "system,query_id,m\na,q1,0\na,q2,0\nb,q1,0.5\nb,q2,1\n",
    "weights": "query_id,weight\nq1,1\n",
    "pairs": "q1,a\nq1,b\nq2,b\n",
    "ratings": "1,18,4,883661280\n1,19,3,883661281\n2,18,5,883661282\n",
    "features": "2 qid:1 1:0.5 2:0.75\n1 qid:1 1:0.3 8:0.75\n",
    "recbole": "user_id:token,item_id:token,rating:float\nq1,a,4\nq2,b,3\n",
    "folds": "q1 Q0 a 1 2 fold1\nq2 Q0 b 1 2 fold2\nq3 Q0 a 1 2 fold2\n",
    "systems": "q1 Q0 a 1 2 bm25\nq1 Q0 a 1 2 dense\n",
}


def rows() -> list[dict[str, str]]:
    """Return the rows of the table."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def prepared(folder: Path) -> duckdb.DuckDBPyConnection:
    """Write the files, and return a connection with the macros and the same tables."""
    con = duckdb.connect()
    ltr_sql.register(con)
    for name, text in FILES.items():
        path = folder / f"{name}.csv"
        path.write_text(text, encoding="utf-8")
        con.execute(f"create table {name} as from read_csv('{path}')")
    return con


def message(interface: str, call: str, con: duckdb.DuckDBPyConnection) -> str:
    """Return the error and the warnings of a call in the current folder, or the findings of a check."""
    if interface == "command_line":
        result = CliRunner().invoke(main, shlex.split(call), prog_name="ltr-sql")
        return result.output if call.startswith("check") else result.stderr
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if interface == "sql":
                found = con.execute(f"from ltr.{call}").fetchall()
            else:
                found = eval(f"ltr_sql.{call}", {"ltr_sql": ltr_sql})
                found = found.to_csv() if call.startswith("check") else found
            error = str(found) if call.startswith("check") else ""
        except (duckdb.Error, ValueError, TypeError) as raised:
            error = str(raised)
    return " ".join([error, *(str(warning.message) for warning in caught)])


if __name__ == "__main__":
    import os
    import tempfile

    table = rows()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        opened = prepared(Path(name))
        for row in table:
            for way in ("python", "sql", "command_line"):
                if row[way]:
                    found = " ".join(message(way, row[way], opened).split())
                    if row[f"{way}_message"] not in found or not row[f"{way}_message"]:
                        sys.stdout.write(f"{row['mistake']} | {way} | {found}\n")
