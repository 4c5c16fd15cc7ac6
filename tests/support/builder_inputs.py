"""Random inputs and options for each builder."""

from collections.abc import Sequence
from typing import Any

import duckdb
import pandas as pd
from hypothesis import strategies as st

from ltr_sql.catalogue.functions import builders
from support.strategies import Row

EM = 1e-9
RECURSIVE = {"pbm", "em", "dawid_skene"}


def tolerance_of(method: str) -> float:
    return EM if method in RECURSIVE else 1e-12


@st.composite
def logs(draw: st.DrawFn) -> list[Row]:
    """Draw a log of clicks: lists of several sessions and queries, some without a click, with gaps in the ranks."""
    rows: list[Row] = []
    for session in range(draw(st.integers(1, 5))):
        query = draw(st.sampled_from(["q1", "q2"]))
        documents = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True))
        ranks = sorted(draw(st.lists(st.integers(1, 5), min_size=len(documents), max_size=len(documents), unique=True)))
        for rank, doc_id in zip(ranks, documents, strict=True):
            click = draw(st.sampled_from([0, 0, 1]))
            team = draw(st.sampled_from(["a", "b", None]))
            row = {"session_id": f"s{session % 3}", "query_id": query, "doc_id": doc_id, "rank": rank, "click": click}
            # A user has sessions 0 and 1, another one session 2.
            rows.append({**row, "team": team, "user_id": f"u{session % 3 // 2}"})
    # A session has one list for each query, which shows a document once.
    lists = {(row["session_id"], row["query_id"], row["rank"]): row for row in rows}
    return [*{(row["session_id"], row["query_id"], row["doc_id"]): row for row in lists.values()}.values()]


@st.composite
def ratings(draw: st.DrawFn) -> list[Row]:
    """Draw judgments of two to four raters, with missing ones."""
    raters = ["r1", "r2", "r3", "r4"][: draw(st.integers(2, 4))]
    grades = st.sampled_from([None, 0, 0, 1, 1, 2, 0.5])
    rows: list[Row] = [
        {"query_id": query, "doc_id": doc_id, "rater": rater, "relevance": draw(grades)}
        for query in ("q1", "q2")
        for doc_id in "abc"[: draw(st.integers(1, 3))]
        for rater in raters
    ]
    # Two raters at least, whatever was drawn.
    fixed = [{"query_id": "q", "doc_id": "d", "rater": rater, "relevance": draw(st.integers(0, 2))} for rater in raters]
    return [*rows, *fixed]


@st.composite
def runs(draw: st.DrawFn) -> list[Row]:
    """Draw the runs of up to three systems with ranks."""
    rows: list[Row] = []
    for system in ("s1", "s2", "s3")[: draw(st.integers(1, 3))]:
        for query in ("q1", "q2")[: draw(st.integers(1, 2))]:
            documents = draw(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6, unique=True))
            rows += [
                {"system": system, "query_id": query, "doc_id": doc_id, "rank": rank}
                for rank, doc_id in enumerate(documents, start=1)
            ]
    return rows


CHUNKS = [f"{doc_id}{number}" for doc_id in "abc" for number in range(4)]


@st.composite
def chunks(draw: st.DrawFn) -> list[Row]:
    """Draw a run of chunks with tied scores. Chunks a0 to a3 are of document a."""
    return [
        {"query_id": query, "doc_id": chunk, "score": draw(st.sampled_from([-1.0, 0.0, 0.1, 0.2, 0.3, 0.7, 1e-15]))}
        for query in ("q1", "q2")[: draw(st.integers(1, 2))]
        for chunk in draw(st.lists(st.sampled_from(CHUNKS), min_size=1, max_size=9, unique=True))
    ]


PROBABILITIES = st.sampled_from([0.1, 0.25, 0.5, 0.8, 1.0])
TARGETS = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])
NUMBERS = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0])


@st.composite
def bandit_logs(draw: st.DrawFn) -> list[Row]:
    """Draw rounds, or slates of up to three ranks."""
    return [
        {
            "query_id": f"q{query}",
            "rank": rank,
            "reward": draw(NUMBERS),
            "q_hat": draw(NUMBERS),
            "v_hat": draw(NUMBERS),
            **{f"propensity{scope}": draw(PROBABILITIES) for scope in ("", "_item", "_cascade")},
            **{f"target{scope}": draw(TARGETS) for scope in ("", "_item", "_cascade")},
        }
        for query in range(draw(st.integers(1, 5)))
        for rank in range(1, draw(st.integers(1, 3)) + 1)
    ]


@st.composite
def rated_values(draw: st.DrawFn) -> list[Row]:
    """Draw values of one to three systems under two or three raters, with missing ones."""
    values = st.sampled_from([None, 0.0, 0.25, 0.5, 0.5, 1.0])
    raters = ["r1", "r2", "r3"][: draw(st.integers(2, 3))]
    rows: list[Row] = [
        {"query_id": f"q{query}", "system": system, "rater": rater, "value": draw(values)}
        for query in range(draw(st.integers(1, 4)))
        for system in "abc"[: draw(st.integers(1, 3))]
        for rater in raters
    ]
    # Two raters at least, whatever was drawn.
    return [
        *rows,
        *({"query_id": "q", "system": "a", "rater": rater, "value": draw(st.floats(0, 1))} for rater in raters),
    ]


INPUTS = {
    "click_judgments": logs(),
    "position_bias": logs(),
    "interleaving": logs(),
    "merge_judgments": ratings(),
    "rater_agreement": ratings(),
    "rater_bias": rated_values(),
    "rater_confusion": ratings(),
    "pool": runs(),
    "unique_documents": runs(),
    "group_documents": chunks(),
    "off_policy": bandit_logs(),
}
PARENTS: list[Row] = [{"chunk_id": chunk, "doc_id": chunk[0]} for chunk in CHUNKS]
PROPENSITIES: list[Row] = [{"rank": rank, "propensity": 1 / rank} for rank in range(1, 6)]
QRELS: list[Row] = [{"query_id": "q1", "doc_id": doc_id, "relevance": 1.0} for doc_id in "ab"]
# Options for each builder or method: one call with the defaults, and one with these.
OTHERS: dict[tuple[str, str], dict[str, Any]] = {
    ("click_judgments", "ctr"): {"prior_clicks": 1, "prior_views": 2.5},
    ("click_judgments", "ips"): {"floor": 0.3},
    ("click_judgments", "cascade"): {"prior_clicks": 0, "prior_views": 0},
    ("click_judgments", "dcm"): {"prior_views": 3},
    ("click_judgments", "sdbn"): {"prior_clicks": 0.5, "prior_views": 0.5},
    ("click_judgments", "pbm"): {"iterations": 3},
    ("position_bias", "pivot"): {"weight": "views"},
    ("position_bias", "chain"): {"weight": "views"},
    ("position_bias", "em"): {"iterations": 3},
    ("merge_judgments", "majority"): {"ties": "higher"},
    ("merge_judgments", "dawid_skene"): {"iterations": 2},
    ("pool", "depth"): {"depth": 2, "budget": 2},
    ("pool", "rbp"): {"p": 0.5, "budget": 3},
    ("pool", "rrf"): {"depth": 3},
    ("interleaving", ""): {"empty": "tie", "cluster": "user_id"},
    ("rater_agreement", ""): {"rel": 2},
    ("rater_bias", ""): {"confidence": 0.9},
    ("unique_documents", ""): {"depth": 2},
}
# Estimators that do not read clip.
UNCLIPPED = ("dm", "replay", "dr_os", "sg_ips", "sg_dr")
NEEDED: dict[tuple[str, str], dict[str, Any]] = {
    ("click_judgments", "ips"): {"propensities": PROPENSITIES},
    ("off_policy", "switch_dr"): {"clip": 1},
    ("off_policy", "dr_os"): {"shrinkage": 2},
    ("off_policy", "sg_ips"): {"shrinkage": 0.5},
    ("off_policy", "sg_dr"): {"shrinkage": 0.5},
    # More iterations on few random judgments can multiply the rounding error.
    ("merge_judgments", "dawid_skene"): {"iterations": 5},
    ("pool", "depth"): {"qrels": QRELS},
    ("unique_documents", ""): {"qrels": QRELS},
    **{("group_documents", method): {"parents": PARENTS} for method in ("max", "sum", "mean", "first", "rrf")},
}


def calls_of(name: str, method: str) -> list[dict[str, Any]]:
    """Return the options of the calls to test."""
    builder = builders()[name]
    chosen = {builder.option: [method] if builder.many else method} if method else {}
    default = {**chosen, **NEEDED.get((name, method), {})}
    others = OTHERS.get((name, method))
    if name == "off_policy":
        others = {"confidence": 0.9} | ({} if method in UNCLIPPED else {"clip": 1.5})
    return [default] if others is None else [default, {**default, **others}]


def is_table(option: str, value: Any) -> bool:
    return isinstance(value, list) and option != "estimators"


def without_divergence(examples: Sequence[list[Row]], method: str) -> list[list[Row]]:
    """Adapt random inputs to what a method can read."""
    if method == "replay":
        return [[{**row, "target": float(row["target"] > 0.5)} for row in rows] for rows in examples]
    if method in ("slate_ips", "slate_snips"):
        # The probabilities of a list are those of its first row.
        firsts = [{row["query_id"]: row for row in reversed(rows)} for rows in examples]
        return [
            [{**row, **{name: first[row["query_id"]][name] for name in ("propensity", "target")}} for row in rows]
            for rows, first in zip(examples, firsts, strict=True)
        ]
    return [*examples]


def stored(con: duckdb.DuckDBPyConnection, name: str, rows: Sequence[Row]) -> str:
    con.register("given", pd.DataFrame(rows))
    con.execute(f"create or replace table {name} as from given")
    con.unregister("given")
    return name
