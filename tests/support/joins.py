"""Random runs and judgments with options of their join, and the values of the oracle."""

import random
from typing import Any

import pandas as pd

from ltr_sql.catalogue.measure_strings import parse_measures
from ltr_sql.oracle import joining as oracle
from ltr_sql.verification import TOLERANCE, difference, oracle_value

GRADES = {"Exact": 3.0, "Substitute": 0.5, "Irrelevant": 0.0, "Unknown": -1.0}
MEASURES = ["nDCG@3", "P@2", "AP", "RR", "SetP", "Bpref", "NumRet", "Judged@3", "R"]
TEXTS = [*GRADES, "2", "1.0", None]


def drawn(seed: int, queries: int) -> dict[str, Any]:
    """Draw runs of two systems and two weeks, judgments, the queries that were asked, and options."""
    rng = random.Random(seed)
    by_rank = rng.random() < 0.5
    run, qrels, asked = [], [], []
    for query in (f"q{i}" for i in range(queries)):
        for document in rng.sample("abcdefg", rng.randint(0, 6)):
            qrels += [(query, document, rng.choice(TEXTS)) for _ in range(rng.choice([1, 1, 1, 2]))]
        for system in ("A", "B"):
            for week in (1, 2):
                length = rng.choice([0, 1, 2, 4, 7])
                ranks = sorted(rng.sample(range(1, 12), length))
                scores = [float(rng.randint(0, 3)) for _ in range(length)]
                numbers = ranks if by_rank else scores
                run += [(system, week, query, rng.choice("abcdefghi"), number) for number in numbers]
        asked += [(week, query, "text") for week in (1, 2) for _ in range(rng.choice([0, 1, 1, 2]))]
    return {
        "run": pd.DataFrame(run, columns=["system", "week", "query_id", "doc_id", "rank" if by_rank else "score"]),
        "qrels": pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"]),
        "asked": pd.DataFrame(asked, columns=["week", "query_id", "text"]) if rng.random() < 0.6 else None,
        "duplicates": rng.choice(["first", "wasted"]),
        "unjudged": rng.choice(["drop", "remove"]),
        "ties": rng.choice(["docid_desc", "docid_asc"]),
    }


def expected(case: dict[str, Any]) -> dict[tuple[Any, ...], dict[str, float]]:
    """Return the values of the oracle by system, week and query."""
    lists: dict[tuple[Any, ...], list[tuple[Any, Any]]] = {}
    systems = []
    for system, week, query, document, number in case["run"].itertuples(index=False):
        lists.setdefault((system, week, query), []).append((document, number))
        systems.append((system, week))
    judgments: dict[Any, list[tuple[Any, float | None]]] = {}
    for query, document, text in case["qrels"].itertuples(index=False):
        judgments.setdefault(query, []).append((document, oracle.graded(None if pd.isna(text) else text, GRADES)))
    if case["asked"] is None:
        owed = {(*system, query) for system in systems for query in judgments}
    else:
        asked = case["asked"][["week", "query_id"]].itertuples(index=False)
        owed = {(system, week, query) for week, query in asked for system, _ in systems}
    values = {}
    for key in owed:
        ranking = lists.get(key, [])
        if "rank" not in case["run"].columns:
            ranking = sorted(ranking, key=lambda row: row[0], reverse=case["ties"] == "docid_desc")
            ranking = [(d, i) for i, (d, _) in enumerate(sorted(ranking, key=lambda row: -row[1]), 1)]
        else:
            ranking = sorted(ranking, key=lambda row: row[1])
        grades = oracle.highest(judgments.get(key[2], []))
        rows, num_ret = oracle.joined(ranking, grades, case["duplicates"], case["unjudged"])
        table = [{"doc_id": d, "rank": r, "relevance": g, "num_ret": num_ret} for d, r, g in rows]
        table = table or [{"doc_id": None, "rank": None, "relevance": None, "num_ret": num_ret}]
        values[key] = {measure.text: oracle_value(measure, table) for measure in parse_measures(MEASURES)}
    return values


def same(found: pd.DataFrame, values: dict[tuple[Any, ...], dict[str, float]]) -> None:
    rows = {(r["system"], int(r["week"]), r["query_id"]): r for r in found.to_dict("records")}
    assert rows.keys() == values.keys()
    for key, row in rows.items():
        for name in MEASURES:
            value = None if pd.isna(row[name]) else row[name]
            assert difference(value, values[key][name]) < TOLERANCE, (key, name, value, values[key][name])
